//! The `#include` directives of a text.

use super::lexer::lex;
use super::token::{Kind, Token};
use crate::builtin;

/// A header that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// What stands between the quotes or the angle brackets.
    pub path: String,
    /// Whether these are angle brackets.
    pub is_angled: bool,
    /// The line in which that stands, counted from 1.
    pub line: u32,
}

/// The headers that a text names, also under conditions that do not hold: which of those hold is another matter for
/// another architecture. Left out are names that come out of macros, and the headers of CUDA's toolkit and of the
/// standard libraries in angle brackets.
///
/// ```
/// use warpcall_signature::source::includes;
///
/// let found = includes("#include <cuda_fp16.h>\n#if __CUDA_ARCH__ >= 1000\n#  include \"tile.cuh\"\n#endif\n");
/// assert_eq!(found.len(), 1);
/// assert_eq!((&*found[0].path, found[0].is_angled, found[0].line), ("tile.cuh", false, 3));
/// ```
pub fn includes(text: &str) -> Vec<Include> {
    let tokens = lex(text, 0).tokens;
    let mut found = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.fresh && token.is("#")) {
        let line = &tokens[at + 1..];
        let end = line.iter().position(|token| token.fresh).unwrap_or(line.len());
        let Some((word, rest)) = line[..end].split_first() else { continue };
        if !word.is("include") {
            continue;
        }
        if let Some((path, is_angled)) = named(rest)
            && !is_passed_over(&path, is_angled)
        {
            found.push(Include { path, is_angled, line: rest[0].place.line });
        }
    }
    found
}

/// The path that the rest of a directive names, and whether it stands in angle brackets.
pub(super) fn named(rest: &[Token]) -> Option<(String, bool)> {
    match rest.first()? {
        token if token.kind == Kind::Text => Some((token.text.trim_matches('"').to_owned(), false)),
        token if token.is("<") => {
            let inside = rest[1..].iter().take_while(|token| !token.is(">"));
            Some((inside.map(|token| &*token.text).collect(), true))
        }
        _ => None,
    }
}

/// Whether a header is one of those whose types are built in.
pub(super) fn is_passed_over(path: &str, is_angled: bool) -> bool {
    is_angled && builtin::is_toolkit_header(path)
}
