//! Looking ahead: what a declaration is and where it ends, before it is read.

use super::specifiers::{is_attribute, is_idle};
use super::token::{Cursor, Kind, Token, angle_end, group_end, reads_as_arguments};
use super::words::{is_attribute_list, is_typeof, takes_arguments};

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
            let is_attribute = at > 0 && is_attribute_list(&head[at - 1].text);
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
                if at == 0 || !takes_arguments(&head[at - 1].text) {
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
                if name.is_identifier() && !takes_arguments(&name.text) && !is_typeof(&name.text) {
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
                if !takes_arguments(&c.tokens[at - 1].text) {
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

/// The word here, behind the body of a class, if it is a macro from a header that is not read: it has arguments, or a
/// name follows it, or it is written as macros are where `stands_alone` says that a variable is unlikely.
pub(super) fn macro_behind<'t>(c: &Cursor<'t>, stands_alone: bool) -> Option<&'t Token> {
    let word = c.peek().filter(|t| t.is_identifier() && !is_attribute(&t.text) && !is_idle(&t.text))?;
    if matches!(&*word.text, "typedef" | "static" | "constexpr") {
        return None;
    }
    let next = c.peek_at(1)?;
    let is_followed = next.is("(") || next.is_identifier() && !is_attribute(&next.text);
    let is_upper = word.text.len() > 1 && !word.text.contains(|c: char| c.is_ascii_lowercase());
    let looks_so = next.is(";") && (is_upper || word.text.starts_with("__"));
    (is_followed || stands_alone && looks_so).then_some(word)
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
