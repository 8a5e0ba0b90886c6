//! The second half of a declaration: pointers, arrays, functions, and the name.

use super::expression::evaluate;
use super::specifiers::{Attributes, Specifiers, is_attribute};
use super::token::{Cursor, Token, split_commas};
use super::unit::Unit;
use super::words::is_builtin_word;
use crate::{FunctionType, Problem, Type, TypeKind};

/// Most pointers, or arrays, in one declarator.
const MOST_LEVELS: usize = 64;
/// Most parts of one type.
const HEAVIEST: usize = 500;

/// A declaration of one name, or of none.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) ty: Type,
    pub(super) name: Option<Token>,
    pub(super) specifiers: Specifiers,
    pub(super) attributes: Attributes,
    pub(super) is_pack: bool,
}

/// What a declarator found on its way.
#[derive(Debug, Default)]
struct Found {
    name: Option<Token>,
    attributes: Attributes,
    is_pack: bool,
}

/// A part of a declarator that stands behind the name.
enum Suffix {
    Array(Option<u64>),
    Function(Vec<Type>, bool),
}

impl Unit {
    /// Reads specifiers and one declarator.
    pub(super) fn declared(&mut self, c: &mut Cursor<'_>) -> Result<Declared, String> {
        let specifiers = self.specifiers(c)?;
        self.declarator_of(c, &specifiers)
    }

    /// Reads one declarator after its specifiers.
    pub(super) fn declarator_of(
        &mut self,
        c: &mut Cursor<'_>,
        specifiers: &Specifiers,
    ) -> Result<Declared, String> {
        let mut found = Found { attributes: specifiers.attributes.clone(), ..Found::default() };
        let ty = self.declarator(c, specifiers.ty.clone(), &mut found)?;
        Ok(Declared {
            ty,
            name: found.name,
            specifiers: specifiers.clone(),
            attributes: found.attributes,
            is_pack: found.is_pack,
        })
    }

    fn declarator(&mut self, c: &mut Cursor<'_>, base: Type, found: &mut Found) -> Result<Type, String> {
        let ty = self.deeper(|unit| unit.declarator_inner(c, base, found))?;
        if ty.weight() > HEAVIEST { Err("the type is nested too deeply".into()) } else { Ok(ty) }
    }

    fn declarator_inner(
        &mut self,
        c: &mut Cursor<'_>,
        base: Type,
        found: &mut Found,
    ) -> Result<Type, String> {
        let mut ty = self.pointers(c, base, found)?;
        // `(*name)(…)`, `(&name)[4]`, `(*)(int)`, `(S::*name)`.
        let mut nested = None;
        if c.is("(") && self.is_nested(c) {
            nested = Some(c.group());
        } else if found.name.is_none() && c.peek().is_some_and(Token::is_identifier) {
            found.name = c.bump().cloned();
        }
        while self.attribute(c, &mut found.attributes) {}
        let mut suffixes = Vec::new();
        loop {
            if suffixes.len() > MOST_LEVELS {
                return Err("the type is nested too deeply".into());
            }
            if c.is("[") && !c.is_at(1, "[") {
                let inside = c.group();
                let length = if inside.is_empty() { Err(String::new()) } else { evaluate(inside, self) };
                suffixes.push(Suffix::Array(length.ok().and_then(|n| u64::try_from(n.value).ok())));
            } else if c.is("(") {
                let inside = c.group();
                let (parameters, is_variadic) = self.parameter_types(inside)?;
                suffixes.push(Suffix::Function(parameters, is_variadic));
                while c.eat("const") || c.eat("noexcept") {}
            } else if !self.attribute(c, &mut found.attributes) {
                break;
            }
        }
        for suffix in suffixes.into_iter().rev() {
            ty = match suffix {
                Suffix::Array(length) => TypeKind::Array { element: Box::new(ty), length }.into(),
                Suffix::Function(parameters, is_variadic) => {
                    TypeKind::Function(Box::new(FunctionType { result: ty, parameters, is_variadic })).into()
                }
            };
        }
        let Some(inside) = nested else { return Ok(ty) };
        let mut inner = Cursor::new(inside);
        let ty = self.declarator(&mut inner, ty, found)?;
        match inner.peek() {
            None => Ok(ty),
            Some(token) => Err(format!("`{}` is not expected", token.text)),
        }
    }

    /// The pointers, references and qualifiers before the name.
    fn pointers(&mut self, c: &mut Cursor<'_>, base: Type, found: &mut Found) -> Result<Type, String> {
        let mut ty = base;
        let mut levels = 0;
        loop {
            levels += 1;
            if levels > MOST_LEVELS {
                return Err("the type is nested too deeply".into());
            }
            if self.attribute(c, &mut found.attributes) {
                continue;
            }
            let Some(token) = c.peek() else { return Ok(ty) };
            match &*token.text {
                "*" => ty = ty.pointer(),
                "&" | "&&" => ty = TypeKind::Reference(Box::new(ty)).into(),
                "const" | "__const" | "__const__" => ty.qualify(true, false),
                "volatile" | "__volatile" | "__volatile__" => ty.qualify(false, true),
                "..." => found.is_pack = true,
                _ if token.is_identifier() => {
                    if let Some(len) = member_pointer(c) {
                        c.at += len;
                        ty = TypeKind::MemberPointer(Box::new(ty)).into();
                        continue;
                    }
                    // Two words in a row: the first is a macro from a header that is not read.
                    if c.peek_at(1).is_some_and(|t| t.is_identifier() && !is_attribute(&t.text))
                        && !is_builtin_word(&token.text)
                    {
                        self.note(Problem::UnknownWord { word: token.text.to_string() }, token);
                    } else {
                        return Ok(ty);
                    }
                }
                _ => return Ok(ty),
            }
            c.bump();
        }
    }

    /// Whether the parenthesis here holds a declarator, and not parameters.
    fn is_nested(&mut self, c: &Cursor<'_>) -> bool {
        let Some(first) = c.peek_at(1) else { return false };
        if ["*", "&", "&&", "("].iter().any(|s| first.is(s)) {
            return true;
        }
        let mut ahead = c.clone();
        ahead.bump();
        if member_pointer(&ahead).is_some() {
            return true;
        }
        // `int (x)`, `int (x[4])`: a name in parentheses that is no type.
        first.is_identifier()
            && (c.is_at(2, ")") || c.is_at(2, "["))
            && !super::expression::Names::is_type(self, std::slice::from_ref(first))
    }

    /// The types of a function's parameters, arrays and functions as pointers.
    pub(super) fn parameter_types(&mut self, inside: &[Token]) -> Result<(Vec<Type>, bool), String> {
        let mut types = Vec::new();
        let mut is_variadic = false;
        let parts = split_commas(inside);
        if let [only] = parts[..]
            && only.len() == 1
            && only[0].is("void")
        {
            return Ok((types, false));
        }
        for part in parts {
            if part.len() == 1 && part[0].is("...") {
                is_variadic = true;
                continue;
            }
            let mut c = Cursor::new(part);
            let declared = self.declared(&mut c)?;
            types.push(decay(declared.ty).unqualified());
        }
        Ok((types, is_variadic))
    }
}

/// The tokens of `S::*` here.
pub(super) fn member_pointer(c: &Cursor<'_>) -> Option<usize> {
    let mut at = 0;
    loop {
        if !c.peek_at(at)?.is_identifier() || !c.is_at(at + 1, "::") {
            return None;
        }
        at += 2;
        if c.is_at(at, "*") {
            return Some(at + 1);
        }
    }
}

/// What a parameter of a type really is: an array is a pointer to its elements, a function one to it.
pub(super) fn decay(ty: Type) -> Type {
    match ty.kind {
        TypeKind::Array { element, .. } => element.pointer(),
        TypeKind::Function(_) => ty.pointer(),
        _ => ty,
    }
}
