//! Tokens as a person would write them, for messages and for the descriptions of parameters.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of a type, a path or an attribute's name, spaced as `rustfmt` would space it.
///
/// The compiler's own rendering of tokens is not used: its spaces change from one version to the next.
pub(crate) fn of(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    write(&mut text, tokens.into_token_stream());
    text
}

fn write(text: &mut String, tokens: TokenStream) {
    // The last character of the token before this one, where that was punctuation.
    let mut before = None;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                separate(text, before, group.delimiter() == Delimiter::None);
                text.push_str(open);
                write(text, group.stream());
                text.push_str(close);
                before = None;
            }
            TokenTree::Punct(punct) => {
                let joint = punct.spacing() == Spacing::Joint;
                match (punct.as_char(), before) {
                    // `->`, `==` and the like stand apart; `::`, `<`, `>`, `*`, `&` stand close.
                    ('-' | '=' | '+' | '|', None | Some('>')) if !text.is_empty() => text.push(' '),
                    ('*' | '&', None) if !text.ends_with(['(', '[', '<', ' ']) && !text.is_empty() => {
                        text.push(' ');
                    }
                    _ => {}
                }
                text.push(punct.as_char());
                let arrow = punct.as_char() == '>' && matches!(before, Some('-' | '='));
                if matches!(punct.as_char(), ',' | ';' | '+' | '|') || arrow {
                    text.push(' ');
                } else if punct.as_char() == '=' && !joint {
                    text.push(' ');
                }
                before = Some(punct.as_char());
            }
            word @ (TokenTree::Ident(_) | TokenTree::Literal(_)) => {
                separate(text, before, true);
                text.push_str(&word.to_string());
                before = None;
            }
        }
    }
    if text.ends_with(", ") {
        text.truncate(text.len() - 2);
    }
}

/// Puts a space between two words, and between a word and what follows it.
fn separate(text: &mut String, before: Option<char>, word: bool) {
    let after_word =
        before.is_none() && text.ends_with(|last: char| last.is_alphanumeric() || "_\")]".contains(last));
    if word && after_word {
        text.push(' ');
    }
}
