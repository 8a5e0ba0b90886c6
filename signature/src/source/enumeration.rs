//! Enumerations: their values, and the integer they are kept in.

use std::sync::Arc;

use super::expression::evaluate;
use super::number::{binary, int};
use super::scope::{Entity, address};
use super::specifiers::Attributes;
use super::token::{Cursor, Token, split_commas, text_of};
use super::unit::Unit;
use crate::{Enumeration, Scalar, Type, TypeKind};

impl Unit {
    /// Reads `enum …`.
    pub(super) fn enumeration(&mut self, c: &mut Cursor<'_>) -> Result<Type, String> {
        let keyword = c.bump().ok_or("a type is missing")?;
        let scoped = c.eat("class") || c.eat("struct");
        let mut attributes = Attributes::default();
        while self.attribute(c, &mut attributes) {}
        let start = c.at;
        let path = if c.peek().is_some_and(Token::is_identifier) { self.path(c, true) } else { None };
        let written = text_of(&c.tokens[start..c.at]);
        let mut underlying = scoped.then_some(Scalar::I32);
        if c.is(":") && !c.is_at(1, ":") {
            c.bump();
            match self.specifiers(c)?.ty.kind {
                TypeKind::Scalar(scalar) if scalar.is_integer() => underlying = Some(scalar),
                _ => return Err(format!("the type under `enum {written}` is no integer")),
            }
        }
        let place = self.position(self.visible_place(keyword));
        let is_definition = c.is("{");
        if !is_definition && (underlying.is_none() || !c.is(";")) {
            return Ok(self.known_class(path.as_ref(), written));
        }
        let name =
            if written.is_empty() { format!("(unnamed at {place})") } else { self.qualified(&written) };
        let inside = if is_definition { c.group() } else { &[] };
        let scope = self.new_scope(self.current, None);
        let mut values: Vec<i128> = Vec::new();
        let mut next = Ok(int(0));
        for part in split_commas(inside) {
            let Some(name) = part.first().filter(|t| t.is_identifier()) else { continue };
            if let Some(equals) = part.iter().position(|t| t.is("=")) {
                next = self.inside(scope, |unit| evaluate(&part[equals + 1..], unit));
            }
            let value = next.clone().and_then(|n| match underlying {
                Some(scalar) => n.cast(scalar),
                None => Ok(n),
            });
            values.extend(value.as_ref().ok().map(|n| n.value));
            next = value.clone().and_then(|n| binary("+", n, int(1)));
            self.scopes[scope].names.insert(name.text.clone(), Entity::Value(value.clone()));
            if !scoped {
                self.declare(&name.text, Entity::Value(value));
            }
        }
        let enumeration = Enumeration {
            name,
            underlying: underlying.unwrap_or_else(|| smallest(&values)),
            is_fixed: underlying.is_some(),
            position: Some(place),
        };
        let shared = Arc::new(enumeration);
        self.members.insert(address(&shared), scope);
        let ty = Type::from(TypeKind::Enum(shared));
        self.kept.push(ty.clone());
        if let Some([only]) = path.as_ref().map(|p| &p.parts[..]) {
            let name = only.name.clone();
            self.declare(&name, Entity::Type(ty.clone()));
        }
        Ok(ty)
    }
}

/// The integer that an enumeration without one is kept in.
fn smallest(values: &[i128]) -> Scalar {
    let low = values.iter().copied().min().unwrap_or(0).min(0);
    let high = values.iter().copied().max().unwrap_or(0);
    let fits = |l: i128, h: i128| low >= l && high <= h;
    if low == 0 && fits(0, i128::from(u32::MAX)) {
        Scalar::U32
    } else if fits(i128::from(i32::MIN), i128::from(i32::MAX)) {
        Scalar::I32
    } else if low == 0 {
        Scalar::U64
    } else {
        Scalar::I64
    }
}
