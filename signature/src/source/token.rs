//! Tokens of CUDA C++ and a cursor over them.

use std::rc::Rc;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Identifier,
    Number,
    Text,
    Character,
    Punctuation,
    /// Nothing, where a macro's argument is empty beside `##`.
    Placemarker,
    /// `#pragma pack`, with what it sets in its text.
    PragmaPack,
}

/// A place in one of the files read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A token with where it is spelled and what produced it.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: Rc<str>,
    pub(super) place: Place,
    /// The innermost macro call that produced it, as an index from 1; 0 for none.
    pub(super) expansion: u32,
    /// Whether a blank stands before it.
    pub(super) space: bool,
    /// Whether it is the first of its line.
    pub(super) fresh: bool,
    /// Whether it names a macro that must not be expanded any more, or is the second half of a `>>`.
    pub(super) blocked: bool,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Identifier | Kind::Punctuation) && &*self.text == text
    }

    pub(super) fn is_identifier(&self) -> bool {
        self.kind == Kind::Identifier
    }
}

/// Appends a token; a `>>` as two halves, so that template arguments can close one by one.
pub(super) fn push_halved(out: &mut Vec<Token>, token: Token) {
    if token.is(">>") {
        let half: Rc<str> = ">".into();
        out.push(Token { text: half.clone(), ..token.clone() });
        out.push(Token { text: half, space: false, fresh: false, blocked: true, ..token });
    } else {
        out.push(token);
    }
}

/// The text of tokens, with blanks where C++ style has them.
pub(super) fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        let words = i > 0 && is_word(&tokens[i - 1]) && is_word(token);
        if i > 0 && (words || token.space || token.fresh) && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// The text of tokens for a message, cut where it grows long.
pub(super) fn shown(tokens: &[Token]) -> String {
    const LONGEST: usize = 120;
    let mut text = text_of(&tokens[..tokens.len().min(LONGEST)]);
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn is_word(token: &Token) -> bool {
    matches!(token.kind, Kind::Identifier | Kind::Number)
}

/// Walks over tokens.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Token]) -> Self {
        Self { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|t| t.is(text))
    }

    pub(super) fn is_at(&self, ahead: usize, text: &str) -> bool {
        self.peek_at(ahead).is_some_and(|t| t.is(text))
    }

    pub(super) fn bump(&mut self) -> Option<&'t Token> {
        let token = self.tokens.get(self.at);
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn rest(&self) -> &'t [Token] {
        &self.tokens[self.at.min(self.tokens.len())..]
    }

    /// Passes over one token, or over a whole group if a bracket opens here.
    pub(super) fn skip(&mut self) {
        if self.is("(") || self.is("[") || self.is("{") {
            self.group();
        } else {
            self.bump();
        }
    }

    /// At an opening bracket: passes over the whole group, and gives what is inside.
    pub(super) fn group(&mut self) -> &'t [Token] {
        let end = group_end(self.tokens, self.at);
        let inside = &self.tokens[(self.at + 1).min(end)..end];
        self.at = (end + 1).min(self.tokens.len());
        inside
    }

    /// At `<`: passes over template arguments, and gives each. `None`, with nothing passed over, if
    /// this does not read as template arguments.
    pub(super) fn angles(&mut self) -> Option<Vec<&'t [Token]>> {
        let end = angle_end(self.tokens, self.at)?;
        let inside = &self.tokens[self.at + 1..end];
        self.at = end + 1;
        Some(split_commas(inside))
    }
}

/// The index of the bracket that closes the one at `open`, or the end.
pub(super) fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Punctuation {
            continue;
        }
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// Most tokens looked over for the `>` that closes template arguments.
const LONGEST_ARGUMENTS: usize = 4096;
/// Most template arguments inside each other.
const DEEPEST_ARGUMENTS: usize = 128;

/// The index of the `>` that closes the `<` at `open`, if one is there and nothing that cannot stand in
/// template arguments comes before its end.
pub(super) fn angle_end(tokens: &[Token], open: usize) -> Option<usize> {
    if !tokens.get(open)?.is("<") {
        return None;
    }
    let mut depth = 1_usize;
    let mut i = open + 1;
    while let Some(token) = tokens.get(i).filter(|_| i - open <= LONGEST_ARGUMENTS) {
        if token.kind == Kind::Punctuation {
            match &*token.text {
                "<" if may_open_angle(tokens, i) => {
                    depth += 1;
                    if depth > DEEPEST_ARGUMENTS {
                        return None;
                    }
                }
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                "(" | "[" | "{" => i = group_end(tokens, i),
                ")" | "]" | "}" | ";" => return None,
                _ => {}
            }
        }
        i += 1;
    }
    None
}

/// Whether a `<` inside template arguments may open some of its own: it does after a name.
fn may_open_angle(tokens: &[Token], at: usize) -> bool {
    at > 0 && tokens[at - 1].is_identifier()
}

/// Splits declarations or template arguments at the commas that stand in no bracket and in no
/// template arguments.
pub(super) fn split_commas(tokens: &[Token]) -> Vec<&[Token]> {
    split(tokens, false)
}

/// Splits expressions at their commas; here a `<` may compare.
pub(super) fn split_expressions(tokens: &[Token]) -> Vec<&[Token]> {
    split(tokens, true)
}

fn split(tokens: &[Token], are_expressions: bool) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut in_default = are_expressions;
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        if token.kind == Kind::Punctuation {
            match &*token.text {
                "(" | "[" | "{" => i = group_end(tokens, i),
                "<" if may_open_angle(tokens, i) => {
                    if let Some(end) = angle_end(tokens, i)
                        && (!in_default || reads_as_arguments(tokens, i, end))
                    {
                        i = end;
                    }
                }
                "=" => in_default = true,
                "," => {
                    parts.push(&tokens[start..i]);
                    start = i + 1;
                    in_default = are_expressions;
                }
                _ => {}
            }
        }
        i += 1;
    }
    if start < tokens.len() || !parts.is_empty() {
        parts.push(&tokens[start.min(tokens.len())..]);
    }
    parts
}

/// In an expression, whether `<` to `>` are template arguments and not two comparisons.
pub(super) fn reads_as_arguments(tokens: &[Token], open: usize, close: usize) -> bool {
    let inside = &tokens[open + 1..close];
    let plain = !inside.iter().any(|t| t.is("=") || t.is("&&") || t.is("||"));
    let after = tokens.get(close + 1);
    plain && after.is_none_or(|t| ["(", "{", "::", ")", ",", ";", "]", "}", ">"].iter().any(|s| t.is(s)))
}
