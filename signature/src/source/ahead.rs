//! Looking ahead: what a declaration is and where it ends, before it is read.

use super::declarator::member_pointer;
use super::token::{Cursor, Kind, Token, angle_end, group_end, reads_as_arguments};

/// Words that begin a declaration, so that what stands before them is something else.
const BEGINNINGS: [&str; 17] = [
    "template",
    "struct",
    "class",
    "union",
    "enum",
    "typedef",
    "using",
    "namespace",
    "extern",
    "static",
    "constexpr",
    "inline",
    "__global__",
    "__device__",
    "__host__",
    "const",
    "void",
];

/// Where a declaration's head ends.
pub(super) enum End {
    Semicolon(usize),
    Body(usize),
    Nothing(usize),
}

/// The end of the head of the declaration at the cursor.
pub(super) fn end_of_head(c: &Cursor<'_>) -> End {
    let tokens = c.tokens;
    let mut at = c.at;
    let mut in_value = false;
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Punctuation {
            match &*token.text {
                ";" => return End::Semicolon(at),
                "{" if in_value => at = group_end(tokens, at),
                "{" => return End::Body(at),
                "}" => return End::Nothing(at),
                "=" => in_value = true,
                "(" | "[" => at = group_end(tokens, at),
                _ => {}
            }
        }
        at += 1;
    }
    End::Nothing(tokens.len())
}

/// Whether `__global__`, or its attribute, stands outside of all brackets.
pub(super) fn is_kernel(head: &[Token]) -> bool {
    let mut at = 0;
    while let Some(token) = head.get(at) {
        if token.is("__global__") {
            return true;
        }
        if token.is("(") || token.is("[") {
            let end = group_end(head, at);
            let is_attribute = at > 0 && head[at - 1].is("__attribute__");
            if is_attribute && head[at..end].iter().any(|t| t.is("global") || t.is("__global__")) {
                return true;
            }
            at = end;
        }
        at += 1;
    }
    false
}

/// Whether a head declares a class or an enumeration, before anything that is a function.
pub(super) fn has_type_keyword(head: &[Token]) -> bool {
    let mut at = 0;
    while let Some(token) = head.get(at) {
        match &*token.text {
            "struct" | "class" | "union" | "enum" => return true,
            "(" => {
                let is_attribute = at > 0
                    && ["__attribute__", "alignas", "__align__", "__declspec"]
                        .iter()
                        .any(|w| head[at - 1].is(w));
                if !is_attribute {
                    return false;
                }
                at = group_end(head, at);
            }
            "=" => return false,
            "<" => at = angle_end(head, at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    false
}

/// The name of a function and where its parameters open.
pub(super) fn function_name(head: &[Token]) -> Option<(&Token, usize)> {
    if head.iter().any(|t| t.is("typedef") || t.is("operator")) {
        return None;
    }
    let mut at = 0;
    while let Some(token) = head.get(at) {
        match &*token.text {
            "=" => return None,
            "<" if at > 0 && head[at - 1].is_identifier() => at = angle_end(head, at).unwrap_or(at),
            "[" => at = group_end(head, at),
            "(" => {
                let name = at.checked_sub(1).map(|i| &head[i])?;
                let before =
                    ["__attribute__", "alignas", "__align__", "__declspec", "decltype", "__launch_bounds__"];
                if name.is_identifier() && !before.iter().any(|w| name.is(w)) {
                    let pointer = head.get(at + 1).is_some_and(|t| t.is("*") || t.is("&"));
                    let real = at > 1 && !pointer;
                    return real.then_some((name, at));
                }
                at = group_end(head, at);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a class is declared here, and not something that a class is the type of.
pub(super) fn class_follows(c: &Cursor<'_>) -> bool {
    let mut at = c.at + 1;
    while let Some(token) = c.tokens.get(at) {
        match &*token.text {
            "{" | ";" | ":" => return true,
            "(" => {
                let attribute = ["__attribute__", "alignas", "__align__", "__declspec"];
                if !attribute.iter().any(|w| c.tokens[at - 1].is(w)) {
                    return false;
                }
                at = group_end(c.tokens, at);
            }
            "<" => at = angle_end(c.tokens, at).unwrap_or(at),
            "[" => at = group_end(c.tokens, at),
            _ => {}
        }
        at += 1;
    }
    false
}

/// The length of `MACRO(…)` that stands alone among declarations, as a macro that is not defined does.
pub(super) fn stray_macro(c: &Cursor<'_>) -> Option<usize> {
    let name = c.peek()?;
    if !name.is_identifier() || BEGINNINGS.contains(&&*name.text) || !c.is_at(1, "(") {
        return None;
    }
    if name.text.starts_with("__") {
        return None;
    }
    let mut ahead = c.clone();
    ahead.bump();
    ahead.group();
    let ends = match ahead.peek() {
        None => true,
        Some(next) if next.is(";") || next.is("}") => true,
        Some(next) => next.fresh && next.is_identifier() && BEGINNINGS.contains(&&*next.text),
    };
    ends.then_some(ahead.at - c.at)
}

/// Passes over `= value` or `{value}`, and gives the value.
pub(super) fn initializer<'t>(c: &mut Cursor<'t>) -> Option<&'t [Token]> {
    if c.is("{") {
        return Some(c.group());
    }
    if !c.eat("=") {
        return None;
    }
    let from = c.at;
    while !c.at_end() && !c.is(",") && !c.is(";") {
        if c.is("(") || c.is("{") || c.is("[") {
            c.group();
        } else if c.is("<")
            && let Some(end) = angle_end(c.tokens, c.at)
            && reads_as_arguments(c.tokens, c.at, end)
        {
            c.at = end + 1;
        } else {
            c.bump();
        }
    }
    Some(&c.tokens[from..c.at])
}

/// Goes to the end of the statement that begins at `start`.
pub(super) fn skip_statement(c: &mut Cursor<'_>, start: usize) {
    c.at = start;
    while let Some(token) = c.peek() {
        if token.is("{") || token.is("(") || token.is("[") {
            let ends = token.is("{");
            c.group();
            if ends && !c.is(";") && !c.is(",") && !c.is("=") {
                return;
            }
            continue;
        }
        c.bump();
        if token.is(";") {
            return;
        }
    }
}

/// Where a member function's head ends, and how long it is.
pub(super) struct Shape {
    pub(super) head: usize,
    pub(super) len: usize,
    /// A constructor, a destructor or an assignment.
    pub(super) is_special: bool,
}

/// Whether a member function stands here, and not data.
pub(super) fn function_shape(c: &Cursor<'_>, own: Option<&str>) -> Option<Shape> {
    let tokens = c.rest();
    let mut at = 0;
    let mut is_special = false;
    let mut is_function = false;
    while let Some(token) = tokens.get(at) {
        match &*token.text {
            "struct" | "class" | "union" | "enum" if !is_function => {
                // The body of a nested class comes before the parenthesis of any function.
                let stop = tokens[at..].iter().position(|t| t.is("{") || t.is(";") || t.is("("))? + at;
                if tokens[stop].is("{") {
                    return None;
                }
            }
            "operator" => {
                is_function = true;
                is_special |= tokens.get(at + 1).is_some_and(|t| t.is("="));
                at += tokens[at..].iter().position(|t| t.is("("))?;
                // `operator()` has two pairs.
                if tokens.get(at + 1).is_some_and(|t| t.is(")"))
                    && tokens.get(at + 2).is_some_and(|t| t.is("("))
                {
                    at += 2;
                }
                continue;
            }
            "~" => (is_function, is_special) = (true, true),
            "alignas" | "__align__" | "__attribute__" | "decltype" | "__declspec" | "_Alignas"
            | "__builtin_align__"
                if tokens.get(at + 1).is_some_and(|t| t.is("(")) =>
            {
                at = group_end(tokens, at + 1);
            }
            "[" if tokens.get(at + 1).is_some_and(|t| t.is("[")) => at = group_end(tokens, at),
            "<" if at > 0 && tokens[at - 1].is_identifier() => {
                at = angle_end(tokens, at).unwrap_or(at);
            }
            "(" => {
                // A declarator in parentheses is data: `int (*f)(int)`.
                let pointer = tokens.get(at + 1).is_some_and(|t| t.is("*") || t.is("&"));
                let mut inside = Cursor::new(tokens);
                inside.at = at + 1;
                let member = member_pointer(&inside).is_some();
                if !is_function && (pointer || member) {
                    return None;
                }
                let name = at.checked_sub(1).and_then(|i| tokens.get(i));
                is_special |= name.zip(own).is_some_and(|(t, own)| &*t.text == own);
                return Some(function_end(tokens, at, is_special));
            }
            ";" | "=" | "{" | ":" | "}" => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The end of a member function whose parameters open at `open`.
fn function_end(tokens: &[Token], open: usize, is_special: bool) -> Shape {
    let head = (group_end(tokens, open) + 1).min(tokens.len());
    let mut at = head;
    let mut in_initializers = false;
    while let Some(token) = tokens.get(at) {
        if token.is(";") {
            return Shape { head, len: at + 1, is_special };
        }
        in_initializers |= token.is(":");
        if token.is("(") || token.is("[") {
            at = group_end(tokens, at);
        } else if token.is("{") {
            let end = group_end(tokens, at);
            // `: member{value}` has braces of its own, after a name.
            let value =
                in_initializers && at > 0 && (tokens[at - 1].is_identifier() || tokens[at - 1].is(">"));
            if !value {
                return Shape { head, len: (end + 1).min(tokens.len()), is_special };
            }
            at = end;
        }
        at += 1;
    }
    Shape { head, len: tokens.len(), is_special }
}
