//! Enumerations: their values, and the integer they are kept in.

use std::sync::Arc;

use super::expression::evaluate;
use super::number::{Number, holds, int};
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
        let mut unreadable = None;
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
            match &value {
                Ok(number) => values.push(number.value),
                Err(reason) => {
                    let unknown = || format!("the enumerator `{}` cannot be evaluated: {reason}", name.text);
                    unreadable = unreadable.or_else(|| Some(unknown()));
                }
            }
            next = value.clone().and_then(Number::successor);
            self.scopes[scope].names.insert(name.text.clone(), Entity::Value(value.clone()));
            if !scoped {
                self.declare(&name.text, Entity::Value(value));
            }
        }
        while self.attribute(c, &mut attributes) {}
        if underlying.is_some() || !is_definition {
            unreadable = None;
        }
        if let Some(reason) =
            attributes.unknown.or(attributes.alignment.map(|n| format!("it is aligned to {n}")))
        {
            unreadable.get_or_insert(reason);
        }
        let smallest =
            || smallest(&values, attributes.is_packed).ok_or("no integer holds all its values".to_owned());
        let kept_in = match unreadable {
            Some(reason) => Err(reason),
            None => underlying.map_or_else(smallest, Ok),
        };
        let enumeration = Enumeration {
            name,
            underlying: kept_in.as_ref().ok().copied(),
            unreadable: kept_in.err(),
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

/// The integer that an enumeration without one is kept in: the first that holds its values, of all or of those from `int`.
fn smallest(values: &[i128], is_packed: bool) -> Option<Scalar> {
    use Scalar::{I8, I16, I32, I64, U8, U16, U32, U64};
    let order = [U8, I8, U16, I16, U32, I32, U64, I64];
    let all = if is_packed { &order[..] } else { &order[4..] };
    all.iter().copied().find(|scalar| values.iter().all(|value| holds(*scalar, *value)))
}
