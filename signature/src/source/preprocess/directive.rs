//! The directives: `#define`, `#include`, `#if` and the rest.

use std::rc::Rc;

use super::macros::define;
use super::{Condition, Group, Preprocessor};
use crate::source::includes;
use crate::source::token::{Kind, Place, Token, shown};
use crate::{Problem, Result};

impl Preprocessor<'_> {
    /// Obeys the directive here. A `#pragma pack` comes back as a token, for it matters to layouts.
    pub(super) fn directive(&mut self) -> Result<Option<Token>> {
        let Some(open) = self.open.last_mut() else { return Ok(None) };
        let tokens = open.tokens.clone();
        let hash = open.at;
        let end = tokens[hash + 1..].iter().position(|t| t.fresh).map_or(tokens.len(), |n| hash + 1 + n);
        open.at = end;
        let active = open.conditions.last().is_none_or(|c| c.group == Group::Read);
        let place = tokens[hash].place;
        self.work(end - hash)?;
        let Some((name, rest)) = tokens[hash + 1..end].split_first() else { return Ok(None) };
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                let group = match active {
                    true if self.condition(&name.text, rest, place)? => Group::Read,
                    true => Group::Waiting,
                    false => Group::Done,
                };
                let condition = Condition { place, branch: place, group, else_seen: false };
                return self.open_condition(condition);
            }
            "elif" | "elifdef" | "elifndef" | "else" => return self.other_group(&name.text, rest, place),
            "endif" => {
                let ended = self.open.last_mut().and_then(|o| o.conditions.pop());
                return if ended.is_some() { Ok(None) } else { self.stray("endif", place) };
            }
            _ if !active => return Ok(None),
            "define" => match define(rest) {
                Ok(definition) => {
                    self.macros.insert(definition.name.clone(), Rc::new(definition));
                }
                Err(reason) => {
                    return Err(self.error(Problem::Directive { directive: "define".into(), reason }, place));
                }
            },
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" | "include_next" | "import" => self.include(rest, place)?,
            // It may be there for a macro of a header that is not read, so it does not end the reading.
            "error" => self.note(Problem::ErrorDirective { text: shown(rest) }, place),
            "pragma" => return Ok(self.pragma(rest)),
            // `#line`, `#warning`, `#ident` and the empty ones change nothing here.
            _ => {}
        }
        Ok(None)
    }

    fn open_condition(&mut self, condition: Condition) -> Result<Option<Token>> {
        let limit = self.limits.depth;
        let Some(open) = self.open.last_mut() else { return Ok(None) };
        if open.conditions.len() >= limit {
            let problem = Problem::LimitExceeded { what: "the conditions inside each other", limit };
            return Err(self.error(problem, condition.place));
        }
        open.conditions.push(condition);
        Ok(None)
    }

    fn stray<T>(&self, directive: &str, place: Place) -> Result<T> {
        let reason = "no `#if` stands before it".to_owned();
        Err(self.error(Problem::Directive { directive: directive.into(), reason }, place))
    }

    /// `#elif` and its kin, and `#else`.
    fn other_group(&mut self, name: &str, rest: &[Token], place: Place) -> Result<Option<Token>> {
        let Some(mut condition) = self.open.last().and_then(|o| o.conditions.last().copied()) else {
            return self.stray(name, place);
        };
        if condition.else_seen {
            let reason = "it stands after `#else`".to_owned();
            return Err(self.error(Problem::Directive { directive: name.into(), reason }, place));
        }
        condition.group = match condition.group {
            Group::Waiting if name == "else" || self.condition(&name[2..], rest, place)? => Group::Read,
            Group::Waiting => Group::Waiting,
            Group::Read | Group::Done => Group::Done,
        };
        (condition.branch, condition.else_seen) = (place, name == "else");
        if let Some(last) = self.open.last_mut().and_then(|o| o.conditions.last_mut()) {
            *last = condition;
        }
        Ok(None)
    }

    /// Whether the group of an `#if`, `#ifdef` or `#ifndef` is read; `kind` comes without `el`.
    fn condition(&mut self, kind: &str, rest: &[Token], place: Place) -> Result<bool> {
        if kind.ends_with("def") {
            let Some(name) = rest.first().filter(|t| t.is_identifier()) else {
                let reason = "a name is missing".to_owned();
                return Err(self.error(Problem::Directive { directive: kind.into(), reason }, place));
            };
            return Ok(self.is_defined(&name.text) != kind.ends_with("ndef"));
        }
        match self.evaluate_condition(rest)? {
            Ok(value) => Ok(value),
            Err(reason) => {
                self.note(Problem::Condition { text: shown(rest), reason }, place);
                Ok(false)
            }
        }
    }

    fn include(&mut self, rest: &[Token], place: Place) -> Result<()> {
        // The path may come out of a macro.
        let expanded;
        let line = match rest.first() {
            Some(t) if t.is_identifier() => {
                expanded = self.expand_apart(rest.to_vec(), None)?;
                &expanded[..]
            }
            _ => rest,
        };
        let Some((path, is_angled)) = includes::named(line) else { return Ok(()) };
        if includes::is_passed_over(&path, is_angled) {
            return Ok(());
        }
        let limit = self.limits.depth;
        if self.open.len() >= limit {
            return Err(
                self.error(Problem::LimitExceeded { what: "the includes inside each other", limit }, place)
            );
        }
        let from = self.files[place.file as usize].path.clone();
        let loaded =
            if is_angled { self.loader.load_angled(&path, &from) } else { self.loader.load(&path, &from) };
        match loaded {
            Ok(Some(loaded)) => {
                let known = self.by_path.get(&loaded.path).copied();
                match known {
                    Some(file) if self.files[file as usize].once => {}
                    Some(file) => self.push_file(file),
                    None => {
                        self.enter(&loaded.path, &loaded.text)?;
                    }
                }
            }
            // A header of the system is not missed.
            Ok(None) if is_angled => {}
            Ok(None) => {
                if self.missing.insert(path.clone()) && !crate::builtin::is_known_header(&path) {
                    self.note(Problem::MissingInclude { path }, place);
                }
            }
            Err(reason) => return Err(self.error(Problem::Io { path, reason }, place)),
        }
        Ok(())
    }

    fn pragma(&mut self, rest: &[Token]) -> Option<Token> {
        let first = rest.first()?;
        if first.is("once") {
            let file = self.open.last()?.file;
            self.files[file as usize].once = true;
        }
        first.is("pack").then(|| {
            let text: String = rest[1..].iter().map(|t| &*t.text).collect();
            Token { kind: Kind::PragmaPack, text: text.into(), ..first.clone() }
        })
    }
}
