//! Kernels in text that is passed over, because a condition does not hold.

use super::{Group, Open, Preprocessor};
use crate::HiddenKernel;
use crate::source::token::{Place, Token, group_end, shown};
use crate::source::words::{is_typeof, takes_arguments};

/// Most kernels that are kept. They are there to be named in a message.
const MOST: usize = 1_000;
/// Most tokens between `__global__` and the parameters.
const LONGEST_HEAD: usize = 256;

impl Preprocessor<'_> {
    /// Notes the kernel whose `__global__` has just been passed over.
    pub(super) fn note_hidden(&mut self) {
        let Some(open) = self.open.last() else { return };
        if self.hidden.len() >= MOST {
            return;
        }
        let Some((name, condition)) = name(open).zip(Directive::that_hides(open)) else { return };
        let hidden = HiddenKernel {
            name: name.text.to_string(),
            position: self.position(name.place),
            condition_position: self.position(condition.place),
            condition: condition.text,
            define: condition.define,
        };
        self.hidden.push(hidden);
    }
}

/// The name of the kernel whose head the file is in: a word before parentheses.
fn name(open: &Open) -> Option<&Token> {
    let tokens = &open.tokens;
    let mut at = open.at;
    while at < tokens.len().min(open.at + LONGEST_HEAD) {
        let token = &tokens[at];
        if token.is("{") || token.is(";") || token.is("#") {
            return None;
        }
        let is_call = token.is_identifier() && tokens.get(at + 1).is_some_and(|next| next.is("("));
        let is_attribute =
            token.text.starts_with("__") || takes_arguments(&token.text) || is_typeof(&token.text);
        if is_call && !is_attribute {
            return Some(token);
        }
        at = if is_call { group_end(tokens, at + 1) } else { at + 1 };
    }
    None
}

/// The directive because of which text is passed over.
struct Directive {
    place: Place,
    text: String,
    define: Option<String>,
}

impl Directive {
    fn that_hides(open: &Open) -> Option<Self> {
        let condition = open.conditions.iter().find(|condition| condition.group != Group::Read)?;
        let line = |place: Place| {
            let hash = open.tokens.iter().position(|token| token.place == place && token.is("#"))?;
            let rest = &open.tokens[hash + 1..];
            Some(&rest[..rest.iter().position(|token| token.fresh).unwrap_or(rest.len())])
        };
        let (own, first) = (line(condition.branch)?, line(condition.place)?);
        let text = if condition.else_seen {
            format!("#else` of `#{}", shown(first))
        } else {
            format!("#{}", shown(own))
        };
        let words: Vec<&str> = own.iter().map(|token| &*token.text).collect();
        let define = match &words[..] {
            ["ifdef" | "elifdef" | "if" | "elif", name]
            | ["if" | "elif", "defined", name]
            | ["if" | "elif", "defined", "(", name, ")"]
                if name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') =>
            {
                Some((*name).to_owned())
            }
            _ => None,
        };
        Some(Self { place: condition.branch, text, define })
    }
}
