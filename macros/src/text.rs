//! Tokens as a person would write them, for messages and for the descriptions of parameters.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of a type, a path or an attribute's name, spaced as `rustfmt` would space it.
///
/// The compiler's own rendering of tokens is not used: its spaces change from one version to the next.
pub(crate) fn of(tokens: impl ToTokens) -> String {
    let mut pieces = Vec::new();
    split(tokens.into_token_stream(), &mut pieces);
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        let next = pieces.get(index + 1).map(String::as_str);
        // A trailing comma says nothing; only the tuple of one element needs it.
        if piece == "," && matches!(next, None | Some(">")) {
            continue;
        }
        if index > 0 && separated(&pieces[index - 1], piece) {
            text.push(' ');
        }
        text.push_str(piece);
    }
    text
}

/// Splits tokens into words, delimiters and whole operators.
fn split(tokens: TokenStream, pieces: &mut Vec<String>) {
    let mut operator = String::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                let joins = matches!(operator.as_str(), "-" | "=" | ":" | "." | ".." | "'");
                if !(joins && punct.spacing() == Spacing::Joint) {
                    pieces.push(std::mem::take(&mut operator));
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                pieces.extend((!open.is_empty()).then(|| open.to_owned()));
                split(group.stream(), pieces);
                pieces.extend((!close.is_empty()).then(|| close.to_owned()));
            }
            // The operator that a word continues is the `'` of a lifetime.
            word => pieces.push(std::mem::take(&mut operator) + &word.to_string()),
        }
    }
}

/// Whether a space stands between two pieces.
fn separated(before: &str, after: &str) -> bool {
    let word =
        |piece: &str| piece.starts_with(|first: char| first.is_alphanumeric() || "_'\"".contains(first));
    let apart = |piece: &str| matches!(piece, "->" | "=>" | "=" | "+" | "|");
    if matches!(after, "," | ";" | ":" | ">" | ")" | "]" | "?" | ".")
        || matches!(before, "(" | "[" | "<" | "::" | "*" | "&" | "!" | "?" | ".")
    {
        return false;
    }
    if apart(before) || apart(after) || matches!(before, "," | ";" | ":") {
        return true;
    }
    match after {
        // A path, arguments or a macro belong to the word before, unless that is a keyword.
        "::" | "<" | "(" | "!" => matches!(before, "const" | "mut" | "as" | "dyn" | "impl"),
        "*" | "&" | "[" | "{" | "}" => true,
        _ => (word(before) || matches!(before, ">" | ")" | "]" | "{")) && word(after),
    }
}
