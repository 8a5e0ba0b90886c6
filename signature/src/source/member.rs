//! What a declaration in a class declares, a function or data, before it is read.

use super::declarator::member_pointer;
use super::expression::Names;
use super::scope::Entity;
use super::specifiers::{Attributes, is_idle, is_qualifier};
use super::token::{Cursor, Token, angle_end, group_end, split_commas};
use super::unit::Unit;
use super::words::{is_builtin_word, is_typeof, takes_arguments};

/// What is declared.
pub(super) enum Shape<'t> {
    Data,
    Function(Function),
    /// Neither for sure: this word has arguments, and is not the name of a function. It is a macro from a header that is
    /// not read.
    Unknown(&'t Token),
}

/// A member function.
pub(super) struct Function {
    /// How many tokens there are up to the end of its parameters.
    pub(super) head: usize,
    /// How many there are of the whole.
    pub(super) len: usize,
    pub(super) is_constructor: bool,
    /// Whether it is a constructor, a destructor or the assignment of the class to itself, and not the compiler's own.
    pub(super) is_special: bool,
}

/// Words that stand beside functions, or beside what takes no part in the layout.
const OF_FUNCTIONS: [&str; 13] = [
    "auto",
    "static",
    "virtual",
    "explicit",
    "consteval",
    "inline",
    "__inline__",
    "__inline",
    "__forceinline__",
    "__forceinline",
    "__noinline__",
    "__host__",
    "__device__",
];

/// What stands before the name of a member.
struct Before {
    /// How many types, or words that may be some.
    types: usize,
    /// Whether nothing but a function can follow, or nothing that takes part in the layout.
    is_no_data: bool,
}

impl Before {
    fn of(tokens: &[Token]) -> Self {
        let (mut types, mut has_builtin, mut has_void, mut is_no_data) = (0, false, false, false);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let word = &*token.text;
            if is_typeof(word) {
                types += 1;
            } else if token.is("(") || token.is("[") {
                at = group_end(tokens, at);
            } else if token.is("<") {
                at = angle_end(tokens, at).unwrap_or(at);
            } else if is_builtin_word(word) {
                types += usize::from(!has_builtin);
                has_builtin = true;
                has_void |= word == "void";
            } else if token.is_identifier() {
                let is_type = !is_idle(word)
                    && !is_qualifier(word)
                    && !takes_arguments(word)
                    && !matches!(word, "static" | "constexpr" | "struct" | "class" | "union" | "enum");
                let goes_on = at > 0 && tokens[at - 1].is("::");
                types += usize::from(is_type && !goes_on);
                is_no_data |= OF_FUNCTIONS.contains(&word);
            }
            at += 1;
        }
        let is_pointer = tokens.last().is_some_and(|t| t.is("*"));
        Self { types, is_no_data: is_no_data || has_void && !is_pointer }
    }
}

/// What the tokens between the parentheses behind a name are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Inside {
    /// No parameters.
    Else,
    /// A name that nothing is known of.
    Name,
    /// Types.
    Types,
    /// Parameters with names, or none.
    Parameters,
}

/// What follows the parentheses behind a name.
enum Behind {
    /// What follows the parameters of a function only.
    OfFunction,
    /// What follows parameters, and data too.
    OfEither,
    /// What follows no parameters.
    Else,
}

impl Behind {
    fn of(rest: &[Token]) -> Self {
        let Some(first) = rest.first() else { return Self::OfEither };
        let is_value = |t: &Token| t.is("default") || t.is("delete");
        match &*first.text {
            "const" | "volatile" | "noexcept" | "override" | "final" | "try" | "requires" | "throw"
            | "->" | "&" | "&&" => Self::OfFunction,
            "=" if rest.get(1).is_some_and(is_value) => Self::OfFunction,
            ";" | "{" | "}" | "[" => Self::OfEither,
            word if takes_arguments(word) => Self::OfEither,
            _ => Self::Else,
        }
    }
}

impl Unit {
    /// Tells what the declaration at the cursor declares, in the class of the name `own`.
    pub(super) fn member_shape<'t>(&mut self, c: &Cursor<'t>, own: Option<&str>) -> Shape<'t> {
        let tokens = c.rest();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match &*token.text {
                "typedef" => return Shape::Data,
                "struct" | "class" | "union" | "enum" => {
                    // The body of a nested class comes before the parenthesis of any function.
                    let stop = tokens[at..].iter().position(|t| t.is("{") || t.is(";") || t.is("("));
                    if stop.is_none_or(|stop| tokens[at + stop].is("{")) {
                        return Shape::Data;
                    }
                }
                "operator" => return operator(tokens, at, own),
                "~" => {
                    let Some(open) = tokens[at..].iter().position(|t| t.is("(")) else { return Shape::Data };
                    return function(tokens, at + open, false, true);
                }
                word if (takes_arguments(word) || is_typeof(word) || word == "explicit")
                    && tokens.get(at + 1).is_some_and(|t| t.is("(")) =>
                {
                    at = group_end(tokens, at + 1);
                }
                "[" => at = group_end(tokens, at),
                "<" if at > 0 && tokens[at - 1].is_identifier() => {
                    at = angle_end(tokens, at).unwrap_or(at);
                }
                "(" => return self.behind_a_word(tokens, at, own),
                ";" | "=" | "{" | ":" | "}" => return Shape::Data,
                _ => {}
            }
            at += 1;
        }
        Shape::Data
    }

    /// The same, where the first parenthesis that belongs to no attribute opens at `open`.
    fn behind_a_word<'t>(&mut self, tokens: &'t [Token], open: usize, own: Option<&str>) -> Shape<'t> {
        // A declarator in parentheses is data: `int (*f)(int)`, `int (x)`.
        let is_pointer = tokens.get(open + 1).is_some_and(|t| ["*", "&", "&&"].iter().any(|s| t.is(s)));
        let mut inside = Cursor::new(tokens);
        inside.at = open + 1;
        if is_pointer || member_pointer(&inside).is_some() {
            return Shape::Data;
        }
        let Some(name) = open.checked_sub(1).map(|i| &tokens[i]) else { return Shape::Data };
        let is_own = |t: &Token| own.is_some_and(|own| *own == *t.text);
        // `S<T>(…)` is a constructor too.
        let has_arguments = name.is(">")
            && (1..open).any(|at| {
                tokens[at].is("<") && is_own(&tokens[at - 1]) && angle_end(tokens, at) == Some(open - 1)
            });
        if is_own(name) || has_arguments {
            return function(tokens, open, true, true);
        }
        if !name.is_identifier() || is_builtin_word(&name.text) {
            return Shape::Data;
        }
        let before = &tokens[..open - 1];
        if before.last().is_some_and(|t| t.is("::")) {
            return Shape::Data;
        }
        let before = Before::of(before);
        let close = group_end(tokens, open);
        let rest = &tokens[(close + 1).min(tokens.len())..];
        // `void MACRO(…) *x` is data all the same.
        if before.is_no_data && !rest.first().is_some_and(|t| t.is("*")) {
            return function(tokens, open, false, false);
        }
        if before.types == 0 {
            let is_type = Names::is_type(self, std::slice::from_ref(name));
            return if is_type { Shape::Data } else { Shape::Unknown(name) };
        }
        let inside = self.inside_of(&tokens[open + 1..close.max(open + 1)]);
        let least = match Behind::of(rest) {
            Behind::OfFunction => Inside::Name,
            Behind::OfEither if before.types == 1 => Inside::Name,
            Behind::OfEither => Inside::Parameters,
            Behind::Else => return Shape::Unknown(name),
        };
        if inside >= least { function(tokens, open, false, false) } else { Shape::Unknown(name) }
    }

    /// What the tokens between parentheses are.
    fn inside_of(&mut self, tokens: &[Token]) -> Inside {
        let parts = split_commas(tokens);
        parts.into_iter().map(|part| self.inside_part(part)).min().unwrap_or(Inside::Parameters)
    }

    /// What one of them is, told by how it begins.
    fn inside_part(&mut self, tokens: &[Token]) -> Inside {
        let mut c = Cursor::new(tokens);
        let mut attributes = Attributes::default();
        while self.attribute(&mut c, &mut attributes)
            || c.peek().is_some_and(|t| is_qualifier(&t.text)) && c.bump().is_some()
            || c.eat("typename")
        {}
        let mut kind = Inside::Types;
        match c.peek() {
            None => return Inside::Else,
            Some(token) if token.is("...") => return Inside::Types,
            Some(token) if is_typeof(&token.text) => {
                c.bump();
                c.skip();
            }
            Some(token) if is_builtin_word(&token.text) || token.is("auto") => {
                while c.peek().is_some_and(|t| is_builtin_word(&t.text) || t.is("auto")) {
                    c.bump();
                }
            }
            Some(_) => {
                while ["struct", "class", "union", "enum"].iter().any(|word| c.is(word)) {
                    c.bump();
                }
                let Some(path) = self.path(&mut c, true) else { return Inside::Else };
                match self.find(&path) {
                    Some(
                        Entity::Type(_)
                        | Entity::Dependent
                        | Entity::ClassTemplate(_)
                        | Entity::AliasTemplate(_),
                    ) => {}
                    Some(_) => return Inside::Else,
                    None => kind = Inside::Name,
                }
            }
        }
        while c
            .peek()
            .is_some_and(|t| ["*", "&", "&&", "..."].iter().any(|s| t.is(s)) || is_qualifier(&t.text))
        {
            c.bump();
        }
        match c.peek() {
            None => kind,
            Some(token) if token.is_identifier() => Inside::Parameters,
            Some(token) if ["=", "(", "["].iter().any(|s| token.is(s)) => kind,
            Some(_) => Inside::Else,
        }
    }
}

/// The operator whose keyword is at `at`.
fn operator<'t>(tokens: &'t [Token], at: usize, own: Option<&str>) -> Shape<'t> {
    let Some(open) = tokens[at..].iter().position(|t| t.is("(")) else { return Shape::Data };
    let mut open = at + open;
    // `operator()` has two pairs.
    if tokens.get(open + 1).is_some_and(|t| t.is(")")) && tokens.get(open + 2).is_some_and(|t| t.is("(")) {
        open += 2;
    }
    let close = group_end(tokens, open);
    let parameters = tokens.get(open + 1..close).unwrap_or_default();
    let taken = parameters.iter().find(|t| t.is_identifier() && !is_qualifier(&t.text));
    let assigns_itself = tokens.get(at + 1).is_some_and(|t| t.is("="))
        && taken.zip(own).is_some_and(|(taken, own)| *taken.text == *own);
    function(tokens, open, false, assigns_itself)
}

/// The member function whose parameters open at `open`.
fn function(tokens: &[Token], open: usize, is_constructor: bool, is_special: bool) -> Shape<'_> {
    let head = (group_end(tokens, open) + 1).min(tokens.len());
    let mut len = function_end(tokens, head);
    while tokens.get(len).is_some_and(|t| t.is("catch")) {
        len = function_end(tokens, len);
    }
    let mut own = tokens[head..len].iter().take_while(|t| !["{", ":", ";"].iter().any(|s| t.is(s)));
    let is_compilers = own.any(|t| t.is("default") || t.is("delete"));
    Shape::Function(Function { head, len, is_constructor, is_special: is_special && !is_compilers })
}

/// The end of the member function whose parameters end before `at`.
fn function_end(tokens: &[Token], mut at: usize) -> usize {
    let mut in_initializers = false;
    while let Some(token) = tokens.get(at) {
        if token.is(";") {
            return at + 1;
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
                return (end + 1).min(tokens.len());
            }
            at = end;
        }
        at += 1;
    }
    tokens.len()
}
