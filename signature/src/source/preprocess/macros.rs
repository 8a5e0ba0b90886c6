//! What a macro is, and how `#define` is read.

use std::rc::Rc;

use crate::source::token::{Kind, Place, Token, group_end};

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Rc<str>,
    pub(super) definition: Place,
    /// The names of the parameters, of a function-like macro.
    pub(super) parameters: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all the rest.
    pub(super) is_variadic: bool,
    pub(super) body: Vec<Token>,
}

impl Macro {
    /// The parameter that a token names.
    pub(super) fn parameter(&self, token: &Token) -> Option<usize> {
        if token.kind != Kind::Identifier {
            return None;
        }
        self.parameters.as_ref()?.iter().position(|p| *p == token.text)
    }
}

/// Reads what follows `#define`.
pub(super) fn define(line: &[Token]) -> Result<Macro, String> {
    let (name, rest) = line.split_first().ok_or("a name is missing")?;
    if !name.is_identifier() || name.is("defined") {
        return Err(format!("`{}` is no name for a macro", name.text));
    }
    let function = rest.first().is_some_and(|t| t.is("(") && !t.space);
    let mut definition = Macro {
        name: name.text.clone(),
        definition: name.place,
        parameters: None,
        is_variadic: false,
        body: Vec::new(),
    };
    if !function {
        definition.body = rest.to_vec();
        return Ok(definition);
    }
    let close = rest.iter().position(|t| t.is(")")).ok_or("the parameters have no closing parenthesis")?;
    let mut parameters: Vec<Rc<str>> = Vec::new();
    let mut expects_name = true;
    for token in &rest[1..close] {
        if token.is(",") && !expects_name && !definition.is_variadic {
            expects_name = true;
        } else if token.is("...") && !definition.is_variadic {
            // `args...` names the rest itself.
            if expects_name {
                parameters.push("__VA_ARGS__".into());
            }
            (definition.is_variadic, expects_name) = (true, false);
        } else if token.is_identifier() && expects_name && !definition.is_variadic {
            parameters.push(token.text.clone());
            expects_name = false;
        } else {
            return Err(format!("`{}` is not expected in the parameters", token.text));
        }
    }
    if expects_name && !parameters.is_empty() {
        return Err("a parameter is missing".into());
    }
    definition.parameters = Some(parameters);
    definition.body = rest[close + 1..].to_vec();
    if definition.is_variadic && nests_optional_text(&definition.body) {
        return Err("a `__VA_OPT__` stands in another".into());
    }
    Ok(definition)
}

/// Whether a `__VA_OPT__( … )` has another inside, which C++ forbids.
fn nests_optional_text(body: &[Token]) -> bool {
    let mut end = 0;
    body.iter().enumerate().any(|(at, token)| {
        let is_optional = token.is("__VA_OPT__") && body.get(at + 1).is_some_and(|next| next.is("("));
        let is_inside = at < end;
        if is_optional && !is_inside {
            end = group_end(body, at + 1);
        }
        is_optional && is_inside
    })
}
