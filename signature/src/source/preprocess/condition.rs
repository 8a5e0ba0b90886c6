//! What an `#if` asks.

use super::Preprocessor;
use crate::Result;
use crate::builtin;
use crate::source::expression;
use crate::source::token::{Kind, Token};

impl Preprocessor<'_> {
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name)
            || matches!(
                name,
                "__LINE__" | "__FILE__" | "__COUNTER__" | "__has_include" | "__has_cpp_attribute"
            )
    }

    /// The value of a condition, or why it has none.
    pub(super) fn evaluate_condition(&mut self, line: &[Token]) -> Result<Result<bool, String>> {
        let outer = std::mem::replace(&mut self.in_condition, true);
        let expanded = self.expand_apart(line.to_vec(), None);
        self.in_condition = outer;
        Ok(expression::evaluate_condition(&expanded?))
    }

    /// `defined X`, `defined(X)` and the `__has_…` family, which take what follows unexpanded.
    pub(super) fn question(&mut self, token: &Token) -> Result<Option<Token>> {
        let is_defined = token.is("defined");
        if !is_defined && !token.text.starts_with("__has_") {
            return Ok(None);
        }
        let Some(first) = self.pull()? else { return Ok(None) };
        let mut inside = Vec::new();
        if first.is("(") {
            let mut depth = 1_usize;
            while let Some(next) = self.pull()? {
                depth += usize::from(next.is("("));
                depth -= usize::from(next.is(")"));
                if depth == 0 {
                    break;
                }
                inside.push(next);
            }
        } else {
            inside.push(first);
        }
        let answer = match inside.first() {
            Some(name) if is_defined => self.is_defined(&name.text),
            Some(path) if token.is("__has_include") => self.has_include(path, &inside),
            _ => false,
        };
        let text = if answer { "1" } else { "0" };
        Ok(Some(Token { kind: Kind::Number, text: text.into(), ..token.clone() }))
    }

    fn has_include(&mut self, first: &Token, inside: &[Token]) -> bool {
        if first.kind != Kind::Text {
            let path: String = inside.iter().map(|t| &*t.text).collect();
            return builtin::is_known_header(path.trim_matches(['<', '>']));
        }
        let from = self.files.get(first.place.file as usize).map_or_else(|| "".into(), |f| f.path.clone());
        matches!(self.loader.load(first.text.trim_matches('"'), &from), Ok(Some(_)))
    }
}
