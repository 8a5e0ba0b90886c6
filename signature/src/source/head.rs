//! The head of a kernel taken apart: what stands before the name, the name, its parameters.

use super::token::Token;
use super::words::{is_typeof, takes_arguments};
use crate::LaunchBounds;

/// A piece of a head, attributes taken out.
pub(super) enum Piece<'t> {
    Word(&'t Token),
    Angles(&'t [Token]),
    Group(&'t [Token]),
    Mark(&'t Token),
}

/// A head taken apart.
pub(super) struct Head<'t> {
    pub(super) name: &'t Token,
    /// What qualifies the name: `a` and `b` in `a::b::k`.
    pub(super) qualifiers: Vec<&'t Token>,
    pub(super) arguments: Option<&'t [Token]>,
    pub(super) parameters: &'t [Token],
    /// What stands before the name.
    pub(super) before: Vec<Piece<'t>>,
    pub(super) bounds: LaunchBounds,
    pub(super) is_static: bool,
    pub(super) is_c: bool,
}

/// Finds the name: the last word before a group, in front of anything that comes after parameters.
pub(super) fn split_head(mut pieces: Vec<Piece<'_>>) -> Result<Head<'_>, String> {
    let is_mark = |p: &Piece<'_>, text: &str| matches!(p, Piece::Mark(t) if t.is(text));
    let is_word = |p: &Piece<'_>, text: &str| matches!(p, Piece::Word(t) if t.is(text));
    let no_name = |t: &Token| {
        matches!(&*t.text, "noexcept" | "requires" | "throw" | "void")
            || is_typeof(&t.text)
            || takes_arguments(&t.text)
    };
    let mut found = None;
    for i in 1..pieces.len() {
        let ended = found.is_some()
            && (is_mark(&pieces[i], "->")
                || is_word(&pieces[i], "requires")
                || is_word(&pieces[i], "noexcept"));
        if ended {
            break;
        }
        let Piece::Group(_) = pieces[i] else { continue };
        let name = match &pieces[i - 1] {
            Piece::Angles(_) => i.checked_sub(2),
            _ => Some(i - 1),
        };
        if let Some(name) = name
            && matches!(pieces[name], Piece::Word(token) if !no_name(token))
        {
            found = Some((name, i));
        }
    }
    let (at, group) = found.ok_or("no name with parameters stands in it")?;
    pieces.truncate(group + 1);
    let Some(Piece::Group(parameters)) = pieces.pop() else {
        return Err("the parameters are missing".into());
    };
    let mut arguments = None;
    if let Some(Piece::Angles(inside)) = pieces.get(at + 1) {
        arguments = Some(*inside);
    }
    pieces.truncate(at + 1);
    let Some(Piece::Word(name)) = pieces.pop() else { return Err("the name is missing".into()) };
    let mut qualifiers = Vec::new();
    while pieces.last().is_some_and(|p| is_mark(p, "::")) {
        pieces.pop();
        match pieces.pop() {
            // `::k` names the global one.
            Some(Piece::Word(token)) if !token.is("void") => qualifiers.insert(0, token),
            Some(other) => {
                pieces.push(other);
                break;
            }
            None => break,
        }
    }
    Ok(Head {
        name,
        qualifiers,
        arguments,
        parameters,
        before: pieces,
        bounds: LaunchBounds::default(),
        is_static: false,
        is_c: false,
    })
}
