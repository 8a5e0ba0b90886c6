//! What constant expressions of declarations find: names, types, functions.

use std::sync::Arc;

use super::declarator::Declared;
use super::expression::{Names, Part, Path, evaluate};
use super::number::{Number, boolean, extreme, holds, size};
use super::scope::{Entity, address};
use super::token::{Cursor, Token, shown, text_of};
use super::unit::Unit;
use super::words::is_builtin_word;
use crate::{Enumeration, Layout, Scalar, Type, TypeKind};

impl Names for Unit {
    fn is_type(&mut self, tokens: &[Token]) -> bool {
        let Some(first) = tokens.first().filter(|t| t.is_identifier() || t.is("::")) else { return false };
        let word = &*first.text;
        let obvious =
            is_builtin_word(word) || matches!(word, "const" | "struct" | "enum" | "union" | "volatile");
        if !obvious && word != "typename" {
            let mut c = Cursor::new(tokens);
            match self.path(&mut c, true).and_then(|path| self.find(&path)) {
                Some(Entity::Type(_)) => {}
                _ => return false,
            }
        }
        let notes = self.notes.len();
        let mut c = Cursor::new(tokens);
        let declared = self.declared(&mut c);
        self.notes.truncate(notes);
        // Nothing is cast to a function: `(int(n))` is a value.
        let is_type = |d: Declared| d.name.is_none() && !matches!(d.ty.kind, TypeKind::Function(_));
        declared.is_ok_and(is_type) && c.at_end()
    }

    fn is_template(&mut self, path: &Path) -> bool {
        match self.find(path) {
            Some(Entity::ClassTemplate(_) | Entity::AliasTemplate(_) | Entity::ValueTemplate(_)) => true,
            Some(Entity::Functions(functions)) => functions.iter().any(|f| f.header.is_some()),
            _ => false,
        }
    }

    fn value(&mut self, path: &Path) -> Result<Number, String> {
        match self.find(path) {
            Some(Entity::Value(value)) => value.map_err(|reason| format!("`{}`: {reason}", written(path))),
            Some(Entity::Dependent) => Err(format!("`{}` depends on a template parameter", written(path))),
            Some(_) => Err(format!("`{}` is no constant", written(path))),
            None => trait_value(self, path)
                .unwrap_or_else(|| Err(format!("`{}` is not defined in the files read", written(path)))),
        }
    }

    fn call(&mut self, path: &Path, arguments: &[Number], live: bool) -> Result<Number, String> {
        let Some(last) = path.parts.last().cloned() else { return Err("a name is missing".into()) };
        match self.find(path) {
            Some(Entity::Functions(functions)) => self.call_function(&functions, &last, arguments, live),
            Some(Entity::Dependent) => Err(format!("`{}` depends on a template parameter", written(path))),
            Some(_) => Err(format!("`{}` is no function", written(path))),
            None => match (&*last.name, arguments) {
                ("min", [a, b]) => extreme(false, *a, *b),
                ("max", [a, b]) => extreme(true, *a, *b),
                ("abs", [a]) => Number::checked(a.value.abs(), a.promote().ty),
                _ => Err(format!("`{}` is not defined in the files read", written(path))),
            },
        }
    }

    fn layout(&mut self, tokens: &[Token]) -> Result<Layout, String> {
        let mut c = Cursor::new(tokens);
        let declared = self.declared(&mut c)?;
        let complete = c.at_end() && declared.name.is_none();
        match declared.ty.layout().filter(|_| complete) {
            Some(layout) => Ok(layout),
            None if self.is_dependent(tokens) => {
                Err(format!("`{}` depends on a template parameter", shown(tokens)))
            }
            None => Err(format!("the size of `{}` is not known", shown(tokens))),
        }
    }

    fn scalar(&mut self, tokens: &[Token]) -> Result<Scalar, String> {
        match self.declared(&mut Cursor::new(tokens))?.ty.kind {
            TypeKind::Scalar(scalar) => Ok(scalar),
            TypeKind::Enum(e) => {
                let unknown = || format!("the size of `{}` is not known", e.name);
                self.integer_of(&e).ok_or_else(unknown)
            }
            _ => Err(format!("`{}` is no integer type", shown(tokens))),
        }
    }

    fn levels_left(&mut self) -> &mut usize {
        &mut self.levels_left
    }
}

fn written(path: &Path) -> String {
    let part = |part: &Part| match &part.arguments {
        None => part.name.to_string(),
        Some(arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| text_of(a)).collect();
            format!("{}<{}>", part.name, arguments.join(", "))
        }
    };
    path.parts.iter().map(part).collect::<Vec<_>>().join("::")
}

/// The few of the standard library's type traits that launch bounds are made of.
fn trait_value(unit: &mut Unit, path: &Path) -> Option<Result<Number, String>> {
    let last = path.parts.last()?;
    let (part, name) = match &*last.name {
        "value" => {
            let before = path.parts.len().checked_sub(2)?;
            (&path.parts[before], path.parts[before].name.to_string())
        }
        name => (last, name.strip_suffix("_v")?.to_owned()),
    };
    let mut types: Vec<Type> = Vec::new();
    for argument in part.arguments.as_ref()? {
        types.push(unit.declared(&mut Cursor::new(argument)).ok()?.ty);
    }
    if types.iter().any(Type::is_dependent) {
        return Some(Err(format!("`{}` depends on a template parameter", written(path))));
    }
    match (&*name, &types[..]) {
        ("is_same", [a, b]) => Some(Ok(boolean(a == b))),
        ("alignment_of", [a]) => a.layout().map(|l| Ok(size(l.alignment))),
        ("is_pointer", [a]) => Some(Ok(boolean(matches!(a.kind, TypeKind::Pointer(_))))),
        _ => None,
    }
}

impl Unit {
    /// A value in a type, or in the one referred to. A type that is not known leaves it as it is.
    pub(super) fn in_type(&self, value: Number, ty: &Type) -> Result<Number, String> {
        match &ty.pointee().unwrap_or(ty).kind {
            TypeKind::Scalar(scalar) => value.cast(*scalar),
            TypeKind::Enum(e) => self.integer_of(e).map_or(Ok(value), |integer| value.cast(integer)),
            _ => Ok(value),
        }
    }

    /// The integer that values of an enumeration take part in expressions as: where none is written, the first from
    /// `int` that holds them all, whatever it is kept in.
    fn integer_of(&self, enumeration: &Arc<Enumeration>) -> Option<Scalar> {
        let underlying = enumeration.underlying?;
        let scope = self.members.get(&address(enumeration)).filter(|_| !enumeration.is_fixed);
        let Some(scope) = scope else { return Some(underlying) };
        let holds_all = |scalar: &Scalar| {
            self.scopes[*scope].names.values().all(|entity| match entity {
                Entity::Value(Ok(number)) => holds(*scalar, number.value),
                _ => true,
            })
        };
        [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64].into_iter().find(holds_all)
    }

    /// The value of an initialiser, in the type declared.
    pub(super) fn constant(&mut self, initializer: Option<&[Token]>, ty: &Type) -> Result<Number, String> {
        let tokens = initializer.filter(|t| !t.is_empty()).ok_or("it has no value here")?;
        if self.is_dependent(tokens) {
            return Err("it depends on a template parameter".into());
        }
        let value = evaluate(tokens, self)?;
        match &ty.kind {
            TypeKind::Scalar(scalar) if scalar.is_integer() => value.cast(*scalar),
            TypeKind::Enum(e) => self.integer_of(e).map_or(Ok(value), |integer| value.cast(integer)),
            TypeKind::Dependent(name) if name == "auto" => Ok(value),
            _ => Err("it is no integer".into()),
        }
    }

    /// A value in the type that a declaration gives to what takes it, as [`Unit::in_type`] has it.
    pub(super) fn taken(&mut self, value: Number, declaration: &[Token]) -> Result<Number, String> {
        let notes = self.notes.len();
        let declared = self.declared(&mut Cursor::new(declaration));
        self.notes.truncate(notes);
        declared.map_or(Ok(value), |declared| self.in_type(value, &declared.ty))
    }
}
