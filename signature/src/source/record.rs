//! Structs, classes and unions: their definitions, members and layout.

use std::sync::Arc;

use super::ahead::{initializer, macro_behind, skip_statement};
use super::expression::evaluate;
use super::layout::{Member, Rules, is_dynamic, is_special, lay_out};
use super::member::Shape;
use super::scope::{Entity, address};
use super::specifiers::Attributes;
use super::token::{Cursor, Kind, Token, shown, split_commas, text_of};
use super::unit::Unit;
use super::unnamed::is_unnamed;
use crate::{Field, Problem, Record, RecordKind, Type, TypeKind};

/// Most structs inside each other, by value or by pointer.
const DEEPEST_RECORD: usize = 200;

/// What the body of a class says beyond its data.
#[derive(Debug, Default)]
struct Body {
    members: Vec<Member>,
    has_virtual: bool,
    /// Whether it is no plain struct, so that a derived class may use its padding.
    is_special: bool,
    unreadable: Option<String>,
}

/// Why a struct with this word in it has no layout.
fn undefined(word: &str) -> String {
    format!("`{word}` is not defined in the files read")
}

impl Unit {
    /// Reads `struct …`: a definition, a declaration, or the name of one that is known.
    pub(super) fn record(&mut self, c: &mut Cursor<'_>) -> Result<Type, String> {
        let has_word_before = c.at.checked_sub(1).is_some_and(|at| c.tokens[at].is_identifier());
        let keyword = c.bump().ok_or("a type is missing")?;
        let kind = if keyword.is("union") { RecordKind::Union } else { RecordKind::Struct };
        let mut attributes = Attributes::default();
        while self.attribute(c, &mut attributes) {}
        // `struct EXPORT S {`: the word before the name is a macro from a header that is not read, and may align or pack.
        while c.peek().is_some_and(Token::is_identifier) && Self::is_class_word(c) {
            let word = c.bump().map_or("", |token| &token.text);
            attributes.unknown = attributes.unknown.take().or(Some(undefined(word)));
            while self.attribute(c, &mut attributes) {}
        }
        let start = c.at;
        let is_named = c.peek().is_some_and(Token::is_identifier) || c.is("::");
        let path = if is_named { self.path(c, true) } else { None };
        let written = text_of(&c.tokens[start..c.at]);
        while self.attribute(c, &mut attributes) {}
        c.eat("final");
        if !c.is("{") && !c.is(":") {
            return Ok(self.known_class(path.as_ref(), written));
        }
        let place = self.position(self.visible_place(keyword));
        let name =
            if written.is_empty() { format!("(unnamed at {place})") } else { self.qualified(&written) };
        self.step()?;
        let stands_alone = path.is_some() && !self.scopes[self.current].is_class && !has_word_before;
        let scope = self.new_scope(self.current, path.as_ref().map(|_| written.clone()));
        self.scopes[scope].is_class = true;
        // Inside, the name stands for the class itself, which is not complete.
        let own = path.as_ref().and_then(|p| p.parts.last()).map(|p| p.name.clone());
        if let Some(own) = &own {
            let ty = Type::from(TypeKind::Named(name.clone()));
            self.inside(scope, |unit| unit.declare(own, Entity::Type(ty)));
        }
        let mut body = Body::default();
        if c.eat(":") {
            let from = c.at;
            while !c.at_end() && !c.is("{") {
                c.skip();
            }
            self.bases(&c.tokens[from..c.at], scope, &mut body);
        }
        let inside = if c.is("{") { c.group() } else { &[] };
        let outer_c = std::mem::replace(&mut self.is_c, false);
        self.inside(scope, |unit| unit.body(inside, own.as_deref(), keyword.is("class"), &mut body));
        self.is_c = outer_c;
        while self.attribute(c, &mut attributes) {}
        while let Some(word) = macro_behind(c, stands_alone) {
            c.bump();
            if c.is("(") {
                c.group();
            }
            attributes.unknown = attributes.unknown.take().or(Some(undefined(&word.text)));
            while self.attribute(c, &mut attributes) {}
        }
        body.unreadable = body.unreadable.take().or(attributes.unknown.clone());
        let ty = self.finish(name, kind, &attributes, body, Some(place));
        if let TypeKind::Record(record) = &ty.kind {
            self.members.insert(address(record), scope);
        }
        self.kept.push(ty.clone());
        if let Some(own) = &own {
            // A derived class finds the name here, and by then it is complete.
            self.inside(scope, |unit| unit.declare(own, Entity::Type(ty.clone())));
        }
        if let Some(own) = own
            && path.as_ref().is_some_and(|p| p.parts.len() == 1 && p.parts[0].arguments.is_none())
        {
            self.declare(&own, Entity::Type(ty.clone()));
        }
        Ok(ty)
    }

    /// A struct around one member.
    pub(super) fn wrapper(&mut self, name: String, ty: Type) -> Type {
        let body = Body { members: vec![Member::plain(ty, false)], ..Body::default() };
        self.finish(name, RecordKind::Struct, &Attributes::default(), body, None)
    }

    fn is_class_word(c: &Cursor<'_>) -> bool {
        let mut ahead = c.clone();
        ahead.bump();
        if ahead.is("(") {
            ahead.group();
        }
        let next_is_name = ahead.bump().is_some_and(|t| t.is_identifier() && !t.is("final"));
        next_is_name && ["{", ":", "final", "<", "::"].iter().any(|s| ahead.is(s))
    }

    /// `struct S` where no definition follows.
    pub(super) fn known_class(&mut self, path: Option<&super::expression::Path>, written: String) -> Type {
        let Some(path) = path else { return TypeKind::Named(written).into() };
        match self.find(path) {
            Some(Entity::Type(ty)) => ty,
            Some(Entity::Dependent) => TypeKind::Dependent(written).into(),
            _ => {
                let ty = Type::from(TypeKind::Named(self.qualified(&written)));
                if let [only] = &path.parts[..]
                    && only.arguments.is_none()
                {
                    let name = only.name.clone();
                    self.declare(&name, Entity::Type(ty.clone()));
                }
                ty
            }
        }
    }

    fn bases(&mut self, tokens: &[Token], scope: usize, body: &mut Body) {
        for base in split_commas(tokens) {
            let mut c = Cursor::new(base);
            while ["public", "private", "protected", "virtual"].iter().any(|w| c.is(w)) {
                if c.is("virtual") {
                    body.unreadable = Some("it has a virtual base class".into());
                }
                c.bump();
            }
            let ty = self.named_type(&mut c).unwrap_or_else(|_| TypeKind::Named(text_of(base)).into());
            if let Some(members) = self.members_of(&ty) {
                self.scopes[scope].also.push(members);
            }
            body.is_special = true;
            body.members.push(Member::plain(ty, true));
        }
    }

    fn finish(
        &mut self,
        name: String,
        kind: RecordKind,
        attributes: &Attributes,
        body: Body,
        place: Option<crate::Position>,
    ) -> Type {
        let mut body = body;
        let depth = 1 + body.members.iter().map(|m| m.field.ty.depth()).max().unwrap_or(0);
        if depth > DEEPEST_RECORD {
            body.members.clear();
            body.unreadable = Some("it is nested too deeply".into());
        }
        let mut rules = Rules {
            kind,
            alignment: attributes.alignment,
            is_packed: attributes.is_packed,
            pack: self.pack,
            has_virtual: body.has_virtual,
            wide: false,
        };
        let narrow = match body.unreadable {
            Some(reason) => Err(reason),
            None => lay_out(&body.members, rules),
        };
        rules.wide = true;
        let wide = narrow.as_ref().ok().and_then(|_| lay_out(&body.members, rules).ok());
        let layout = narrow.as_ref().ok().map(|l| l.layout);
        let mut fields: Vec<Field> = body.members.iter().map(|m| m.field.clone()).collect();
        if let Ok(laid) = &narrow {
            for (field, offset) in fields.iter_mut().zip(&laid.offsets) {
                field.offset = Some(*offset);
            }
        }
        let is_empty_part = |m: &Member| {
            m.is_base && matches!(&m.field.ty.kind, TypeKind::Record(r) if r.is_empty)
                || m.field.bits == Some(0) && m.field.name.is_none()
        };
        let size = layout.map_or(0, |l| l.size);
        let is_dynamic =
            body.has_virtual || body.members.iter().any(|m| m.is_base && is_dynamic(&m.field.ty));
        let is_empty = !is_dynamic && kind == RecordKind::Struct && body.members.iter().all(is_empty_part);
        let special = body.is_special
            || body.has_virtual
            || body.members.iter().any(|member| is_special(&member.field.ty));
        let record = Record {
            name,
            kind,
            fields,
            layout,
            wide_layout: wide.map(|l| l.layout).filter(|l| Some(*l) != layout),
            position: place,
            is_empty,
            is_special: special,
            is_dynamic,
            data_size: narrow.as_ref().map_or(size, |l| if special { l.data_size } else { size }),
            unreadable: narrow.err(),
            depth: if depth > DEEPEST_RECORD { 1 } else { depth },
        };
        TypeKind::Record(Arc::new(record)).into()
    }

    /// The members of a class.
    fn body(&mut self, tokens: &[Token], own: Option<&str>, is_class: bool, body: &mut Body) {
        let mut c = Cursor::new(tokens);
        let mut is_private = is_class;
        while let Some(token) = c.peek() {
            let before = c.at;
            if token.kind == Kind::PragmaPack {
                self.pragma_pack(&token.text);
                c.bump();
                continue;
            }
            match &*token.text {
                ";" => c.skip(),
                "public" | "private" | "protected" if c.is_at(1, ":") => {
                    is_private = !token.is("public");
                    c.at += 2;
                }
                "template" => {
                    body.is_special |= self.is_constructor_template(&c, own);
                    self.declaration(&mut c);
                }
                "using" | "static_assert" | "friend" => self.declaration(&mut c),
                _ => self.member_declaration(&mut c, own, is_private, body),
            }
            c.at = c.at.max(before + 1);
        }
    }

    /// Whether a constructor with parameters of its own for types is here.
    fn is_constructor_template(&mut self, c: &Cursor<'_>, own: Option<&str>) -> bool {
        let mut c = c.clone();
        while c.eat("template") && c.angles().is_some() {}
        matches!(self.member_shape(&c, own), Shape::Function(function) if function.is_constructor && function.is_special)
    }

    /// Passes over a member that is no data, or whose kind cannot be told, and takes what it says of the class.
    fn member_without_data(&mut self, c: &mut Cursor<'_>, own: Option<&str>, body: &mut Body) -> bool {
        let start = c.at;
        match self.member_shape(c, own) {
            Shape::Data => return false,
            Shape::Function(function) => {
                let head = &c.rest()[..function.head];
                body.has_virtual |= head.iter().any(|t| t.is("virtual"));
                body.is_special |= function.is_special;
                let is_constexpr = head.iter().any(|t| t.is("constexpr") || t.is("consteval"));
                if is_constexpr && !function.is_constructor {
                    self.declaration(c);
                }
                c.at = c.at.max(start + function.len.max(1));
            }
            Shape::Unknown(word) => {
                skip_statement(c, start);
                let whole = match &c.tokens[start..c.at] {
                    [whole @ .., semicolon] if semicolon.is(";") => shown(whole),
                    whole => shown(whole),
                };
                let reason = undefined(&word.text);
                body.unreadable.get_or_insert(format!("the member `{whole}` cannot be read: {reason}"));
            }
        }
        true
    }

    fn member_declaration(
        &mut self,
        c: &mut Cursor<'_>,
        own: Option<&str>,
        is_private: bool,
        body: &mut Body,
    ) {
        let start = c.at;
        let notes_before = self.notes.len();
        if self.member_without_data(c, own, body) {
            return;
        }
        let mut specifiers = match self.specifiers(c) {
            Ok(specifiers) => specifiers,
            Err(reason) => {
                body.unreadable.get_or_insert(format!("a member cannot be read: {reason}"));
                skip_statement(c, start);
                return;
            }
        };
        self.name_by_typedef(c, &mut specifiers);
        if c.is(";") {
            // An anonymous struct or union gives its members away; a named one is only declared.
            let anonymous = matches!(specifiers.ty.kind, TypeKind::Record(_)) && is_unnamed(&specifiers.ty);
            if anonymous && !specifiers.is_typedef {
                if let Some(inner) = self.members_of(&specifiers.ty) {
                    let current = self.current;
                    self.scopes[current].also.push(inner);
                }
                body.members.push(Member::plain(specifiers.ty, false));
            }
            c.bump();
            return;
        }
        let written = &c.tokens[start..c.at];
        let spelling = (!written.iter().any(|t| t.is("{"))).then(|| text_of(written));
        loop {
            let declared = match self.declarator_of(c, &specifiers) {
                Ok(declared) => declared,
                Err(reason) => {
                    body.unreadable.get_or_insert(format!("a member cannot be read: {reason}"));
                    break;
                }
            };
            let mut bits = None;
            if c.eat(":") {
                let from = c.at;
                while !c.at_end() && ![",", ";", "=", "{"].iter().any(|s| c.is(s)) {
                    c.skip();
                }
                match evaluate(&c.tokens[from..c.at], self).map(|n| u64::try_from(n.value)) {
                    Ok(Ok(n)) => bits = Some(n),
                    _ => body.unreadable = Some("the width of a bit-field cannot be evaluated".into()),
                }
            }
            let initializer = initializer(c);
            let name = declared.name.as_ref().map(|t| t.text.clone());
            if specifiers.is_typedef {
                if let Some(name) = name {
                    let ty = self.aliased(&name, declared);
                    self.declare(&name, Entity::Type(ty));
                }
            } else if specifiers.is_static {
                if let Some(name) = name {
                    let value = self.constant(initializer, &declared.ty);
                    self.declare(&name, Entity::Value(value));
                }
            } else if !matches!(declared.ty.kind, TypeKind::Function(_)) {
                body.is_special |=
                    is_private || initializer.is_some() || matches!(declared.ty.kind, TypeKind::Reference(_));
                let unknown = self.notes[notes_before..].iter().find_map(|note| match &note.problem {
                    Problem::UnknownWord { word } => Some(undefined(word)),
                    _ => None,
                });
                if let Some(reason) = declared.attributes.unknown.or(unknown) {
                    body.unreadable.get_or_insert(reason);
                }
                let name = name.map(|n| n.to_string());
                let field = Field { name, ty: declared.ty, spelling: spelling.clone(), offset: None, bits };
                body.members.push(Member {
                    field,
                    alignment: declared.attributes.alignment,
                    attribute_alignment: declared.attributes.attribute_alignment,
                    is_base: false,
                    is_packed: declared.attributes.is_packed,
                });
            }
            if !c.eat(",") {
                break;
            }
        }
        if !c.eat(";") && !c.at_end() {
            body.unreadable
                .get_or_insert(format!("`{}` is not expected in a member", c.peek().map_or("", |t| &t.text)));
            skip_statement(c, start);
        }
    }
}
