//! The declarations of a file, one after another, and which of them matters.

use std::rc::Rc;

use super::ahead::{
    End, class_follows, end_of_head, function_name, has_type_keyword, initializer, is_kernel, skip_statement,
    stray_macro,
};
use super::scope::{Entity, ScopeId};
use super::template::Header;
use super::token::{Cursor, Kind, Token, group_end};
use super::unit::Unit;
use crate::{Problem, TypeKind};

/// The header of a template with the scope its parameters stand in.
pub(super) type TemplateHead = (Rc<Header>, ScopeId);

impl Unit {
    /// Reads declarations up to a closing brace or the end.
    pub(super) fn declarations(&mut self, c: &mut Cursor<'_>) {
        while !c.at_end() && !c.is("}") {
            let before = c.at;
            self.declaration(c);
            // Whatever is not understood is passed over, never read twice.
            c.at = c.at.max(before + 1);
        }
    }

    /// Reads one declaration.
    pub(super) fn declaration(&mut self, c: &mut Cursor<'_>) {
        let Some(token) = c.peek() else { return };
        let start = c.at;
        match &*token.text {
            _ if token.kind == Kind::PragmaPack => {
                self.pragma_pack(&token.text);
                c.bump();
            }
            ";" | "{" => c.skip(),
            "extern" => self.external(c),
            "namespace" => self.namespace(c),
            "inline" if c.is_at(1, "namespace") => {
                c.bump();
                self.namespace(c);
            }
            "template" if c.is_at(1, "<") => self.template(c),
            "template" => self.instantiation(c, start),
            "using" => self.using(c),
            "static_assert" | "asm" | "__asm__" | "concept" | "friend" => skip_statement(c, start),
            _ => {
                if let Some(len) = stray_macro(c) {
                    self.note(Problem::UnknownMacro { name: token.text.to_string() }, token);
                    c.at += len;
                    return;
                }
                self.simple(c, start, None);
            }
        }
    }

    fn external(&mut self, c: &mut Cursor<'_>) {
        let start = c.at;
        let Some(language) = c.peek_at(1).filter(|t| t.kind == Kind::Text) else {
            if c.is_at(1, "template") {
                c.bump();
                self.instantiation(c, start);
            } else {
                self.simple(c, start, None);
            }
            return;
        };
        let is_c = &*language.text == "\"C\"";
        let outer = std::mem::replace(&mut self.is_c, is_c);
        if c.is_at(2, "{") {
            c.at += 3;
            self.block(c);
        } else {
            c.at += 2;
            if c.is("template") || c.is("using") || c.is("namespace") {
                self.declaration(c);
            } else {
                self.simple(c, start, None);
            }
        }
        self.is_c = outer;
    }

    /// The declarations of a block whose brace is passed, one level deeper.
    fn block(&mut self, c: &mut Cursor<'_>) {
        let open = c.at;
        let read = self.deeper(|unit| {
            unit.declarations(c);
            Ok(())
        });
        if read.is_err() {
            c.at = group_end(c.tokens, open.saturating_sub(1));
        }
        c.eat("}");
    }

    fn namespace(&mut self, c: &mut Cursor<'_>) {
        let start = c.at;
        c.bump();
        let mut attributes = super::specifiers::Attributes::default();
        while self.attribute(c, &mut attributes) {}
        let mut names: Vec<Rc<str>> = Vec::new();
        while let Some(token) = c.peek().filter(|t| t.is_identifier()) {
            if !token.is("inline") {
                names.push(token.text.clone());
            }
            c.bump();
            c.eat("::");
            while self.attribute(c, &mut attributes) {}
        }
        if c.eat("=") {
            if let Some(path) = self.path(c, true)
                && let Some(scope) = self.find_namespace(&path)
                && let Some(name) = names.first()
            {
                self.declare(name, Entity::Namespace(scope));
            }
            skip_statement(c, start);
            return;
        }
        if !c.eat("{") {
            skip_statement(c, start);
            return;
        }
        let anonymous = names.is_empty();
        let mut scope = self.current;
        if anonymous {
            names.push("".into());
        }
        for name in &names {
            let known = match self.scopes[scope].names.get(name) {
                Some(Entity::Namespace(known)) => Some(*known),
                _ => None,
            };
            let inner = known.unwrap_or_else(|| self.new_scope(scope, Some(name.to_string())));
            self.inside(scope, |unit| unit.declare(name, Entity::Namespace(inner)));
            if (anonymous || c.tokens[start.saturating_sub(1)].is("inline"))
                && !self.scopes[scope].also.contains(&inner)
            {
                self.scopes[scope].also.push(inner);
            }
            scope = inner;
        }
        let outer = std::mem::replace(&mut self.current, scope);
        self.block(c);
        self.current = outer;
    }

    fn using(&mut self, c: &mut Cursor<'_>) {
        let start = c.at;
        c.bump();
        if c.eat("namespace") {
            if let Some(path) = self.path(c, true)
                && let Some(scope) = self.find_namespace(&path)
            {
                let current = self.current;
                if scope != current {
                    self.scopes[current].also.push(scope);
                }
            }
        } else if c.peek().is_some_and(Token::is_identifier) && c.is_at(1, "=") {
            if let Some(name) = c.peek().map(|t| t.text.clone()) {
                c.at += 2;
                let ty = match self.declared(c) {
                    Ok(declared) => self.aliased(&name, declared),
                    Err(_) => TypeKind::Named(name.to_string()).into(),
                };
                self.declare(&name, Entity::Type(ty));
            }
        } else {
            c.eat("typename");
            if let Some(path) = self.path(c, true)
                && let Some(last) = path.parts.last()
                && let Some(entity) = self.find(&path)
            {
                self.declare(&last.name, entity);
            }
        }
        skip_statement(c, start);
    }

    /// `template<…>` and what follows.
    fn template(&mut self, c: &mut Cursor<'_>) {
        let start = c.at;
        let mut head: Option<TemplateHead> = None;
        while c.is("template") && c.is_at(1, "<") {
            c.bump();
            // Of two headers, the inner one belongs to the member.
            head = self.header(c);
            if head.is_none() {
                break;
            }
        }
        let Some((header, scope)) = head else {
            skip_statement(c, start);
            return;
        };
        if c.is("struct") || c.is("class") || c.is("union") {
            let here = c.at;
            if class_follows(c) {
                self.class_template(c, &header, scope);
                if c.at == here {
                    skip_statement(c, start);
                }
                c.eat(";");
                return;
            }
        }
        if c.is("using") {
            if let (Some(name), true) = (c.peek_at(1).map(|t| t.text.clone()), c.is_at(2, "=")) {
                c.at += 3;
                let from = c.at;
                while !c.at_end() && !c.is(";") {
                    c.skip();
                }
                self.alias_template(&name, header, scope, &c.tokens[from..c.at]);
            }
            skip_statement(c, start);
            return;
        }
        if c.is("concept") || c.is("friend") {
            skip_statement(c, start);
            return;
        }
        self.simple(c, start, Some((header, scope)));
    }

    /// `template` without parameters: an explicit instantiation.
    fn instantiation(&mut self, c: &mut Cursor<'_>, start: usize) {
        c.bump();
        let from = c.at;
        let end = match end_of_head(c) {
            End::Semicolon(end) | End::Body(end) | End::Nothing(end) => end,
        };
        self.instantiated_kernel(&c.tokens[start..end], &c.tokens[from..end]);
        skip_statement(c, start);
        c.at = c.at.max(end);
    }

    /// A declaration that is no block: of a kernel, a type, a constant or a function.
    fn simple(&mut self, c: &mut Cursor<'_>, start: usize, template: Option<TemplateHead>) {
        let from = c.at;
        let end = end_of_head(c);
        let (End::Semicolon(at) | End::Body(at) | End::Nothing(at)) = end;
        let head = &c.tokens[from..at];
        if is_kernel(head) {
            let has_body = matches!(end, End::Body(_));
            c.at = at;
            if has_body {
                c.group();
            }
            self.kernel(&c.tokens[start..at], head, has_body, template);
            return;
        }
        if template.is_none() && has_type_keyword(head) {
            c.at = from;
            self.type_declaration(c, from);
            return;
        }
        if let Some((name, open)) = function_name(head) {
            let close = group_end(head, open);
            let parameters = &head[(open + 1).min(close)..close];
            // `auto f(int n) -> int`, `int f(int n)`.
            let trailing = head.iter().skip(close).position(|t| t.is("->")).map(|arrow| close + arrow + 1);
            let result = trailing.map_or(&head[..open - 1], |from| &head[from..]);
            let is_constexpr = head.iter().any(|t| t.is("constexpr") || t.is("consteval"));
            c.at = at;
            let body = if matches!(end, End::Body(_)) { Some(c.group()) } else { None };
            c.eat(";");
            self.function(&name.text, parameters, result, body.filter(|_| is_constexpr), template);
            return;
        }
        c.at = from;
        self.variable(c, template);
        c.at = from;
        skip_statement(c, from);
    }

    /// A constant, if it is one; the caller passes over it.
    fn variable(&mut self, c: &mut Cursor<'_>, template: Option<TemplateHead>) {
        let notes = self.notes.len();
        let scope = template.as_ref().map_or(self.current, |(_, scope)| *scope);
        let from = c.at;
        let declared = self.inside(scope, |unit| unit.declared(c));
        self.notes.truncate(notes);
        let Ok(mut declared) = declared else { return };
        loop {
            let Some(name) = declared.name.as_ref().map(|t| t.text.clone()) else { return };
            let declaration = &c.tokens[from..c.at];
            let value = initializer(c);
            if declared.specifiers.is_typedef {
                let ty = self.aliased(&name, declared.clone());
                self.declare(&name, Entity::Type(ty));
            } else if !declared.specifiers.is_constexpr {
                return;
            } else if let Some((header, scope)) = template {
                if let Some(value) = value {
                    self.value_template(&name, header, scope, declaration, value);
                }
                return;
            } else {
                let value = self.constant(value, &declared.ty);
                self.declare(&name, Entity::Value(value));
            }
            if !c.eat(",") {
                return;
            }
            let specifiers = declared.specifiers.clone();
            let Ok(next) = self.declarator_of(c, &specifiers) else { return };
            declared = next;
        }
    }

    /// `struct S { … } name;`, `enum E { … };`, `typedef struct { … } S;`
    fn type_declaration(&mut self, c: &mut Cursor<'_>, start: usize) {
        let Ok(mut specifiers) = self.specifiers(c) else {
            skip_statement(c, start);
            return;
        };
        self.name_by_typedef(c, &mut specifiers);
        while !c.at_end() && !c.is(";") && !c.is("}") {
            let Ok(declared) = self.declarator_of(c, &specifiers) else { break };
            initializer(c);
            if let Some(name) = declared.name.clone().filter(|_| specifiers.is_typedef) {
                let ty = self.aliased(&name.text, declared);
                self.declare(&name.text, Entity::Type(ty));
            }
            if c.is("{") {
                c.group();
                return;
            }
            if !c.eat(",") {
                break;
            }
        }
        if !c.eat(";") && !c.at_end() {
            let here = c.at;
            skip_statement(c, here);
        }
    }

    /// `#pragma pack`: `(n)`, `()`, `(push)`, `(push,n)`, `(pop)`.
    pub(super) fn pragma_pack(&mut self, text: &str) {
        let inside = text.trim_start_matches('(').trim_end_matches(')');
        for word in inside.split(',') {
            match word {
                "push" => self.packs.push(self.pack),
                "pop" => self.pack = self.packs.pop().unwrap_or(None),
                "" => self.pack = None,
                number => self.pack = number.parse().ok().filter(|n: &u64| n.is_power_of_two()).or(self.pack),
            }
        }
    }
}
