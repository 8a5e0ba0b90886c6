//! Names and what they stand for.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::expression::{Path, evaluate};
use super::function::Function;
use super::number::Number;
use super::template::Header;
use super::token::{Cursor, Token};
use super::unit::Unit;
use crate::{Type, TypeKind, builtin};

/// A scope, as an index.
pub(super) type ScopeId = usize;

/// The scope of the file.
pub(super) const GLOBAL: ScopeId = 0;

/// What a name stands for.
#[derive(Debug, Clone)]
pub(super) enum Entity {
    Type(Type),
    /// A parameter of the template being read, or something made from one.
    Dependent,
    Namespace(ScopeId),
    ClassTemplate(Rc<ClassTemplate>),
    AliasTemplate(Rc<AliasTemplate>),
    Value(Result<Number, String>),
    ValueTemplate(Rc<ValueTemplate>),
    Functions(Vec<Rc<Function>>),
}

/// `template<…> struct S { … };`
#[derive(Debug)]
pub(super) struct ClassTemplate {
    pub(super) header: Rc<Header>,
    pub(super) scope: ScopeId,
    /// From the keyword to the closing brace; empty until it is defined.
    pub(super) definition: RefCell<Vec<Token>>,
    /// The full specialisations.
    pub(super) specializations: RefCell<Vec<Specialization>>,
    /// Whether there are partial specialisations, which are not chosen among.
    pub(super) has_partial: Cell<bool>,
    pub(super) instances: RefCell<HashMap<String, Type>>,
    pub(super) pack: Option<u64>,
}

/// `template<> struct S<…> { … };`
#[derive(Debug, Clone)]
pub(super) struct Specialization {
    pub(super) arguments: Vec<Vec<Token>>,
    pub(super) definition: Vec<Token>,
}

/// `template<…> using A = …;`
#[derive(Debug)]
pub(super) struct AliasTemplate {
    pub(super) header: Rc<Header>,
    pub(super) scope: ScopeId,
    pub(super) ty: Vec<Token>,
}

/// `template<…> constexpr int v = …;`
#[derive(Debug)]
pub(super) struct ValueTemplate {
    pub(super) header: Rc<Header>,
    pub(super) scope: ScopeId,
    /// What stands before its value.
    pub(super) declaration: Vec<Token>,
    pub(super) value: Vec<Token>,
}

/// The names declared in one place.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    /// The name of a namespace or a class; nothing for what adds no name.
    pub(super) name: Option<String>,
    pub(super) names: HashMap<Rc<str>, Entity>,
    pub(super) is_class: bool,
    /// Namespaces and base classes whose names are found here too.
    pub(super) also: Vec<ScopeId>,
}

impl Unit {
    pub(super) fn new_scope(&mut self, parent: ScopeId, name: Option<String>) -> ScopeId {
        self.scopes.push(Scope { parent: Some(parent), name, ..Scope::default() });
        self.scopes.len() - 1
    }

    /// Runs something inside a scope.
    pub(super) fn inside<T>(&mut self, scope: ScopeId, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.current, scope);
        let result = run(self);
        self.current = outer;
        result
    }

    pub(super) fn declare(&mut self, name: &Rc<str>, entity: Entity) {
        let current = self.current;
        self.scopes[current].names.insert(name.clone(), entity);
    }

    /// The names around a scope, outermost first.
    pub(super) fn scope_path(&self, scope: ScopeId) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            path.extend(self.scopes[id].name.clone());
            at = self.scopes[id].parent;
        }
        path.reverse();
        path
    }

    /// A name with the scopes around it.
    pub(super) fn qualified(&self, name: &str) -> String {
        let mut path = self.scope_path(self.current);
        path.retain(|part| !part.is_empty());
        path.push(name.to_owned());
        path.join("::")
    }

    /// A name in a scope and in those that it takes in, without those around it.
    pub(super) fn member(&self, scope: ScopeId, name: &str) -> Option<Entity> {
        let mut seen = vec![scope];
        let mut at = 0;
        while let Some(scope) = seen.get(at).copied() {
            at += 1;
            if let Some(entity) = self.scopes[scope].names.get(name) {
                return Some(entity.clone());
            }
            for also in &self.scopes[scope].also {
                if !seen.contains(also) {
                    seen.push(*also);
                }
            }
        }
        None
    }

    fn unqualified(&self, name: &str) -> Option<Entity> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            if let Some(entity) = self.member(scope, name) {
                return Some(entity);
            }
            at = self.scopes[scope].parent;
        }
        None
    }

    /// A template of a name, in the scopes around.
    fn template_around(&self, name: &str) -> Option<Entity> {
        let mut at = Some(self.current);
        while let Some(scope) = at {
            match self.member(scope, name) {
                None | Some(Entity::Type(_)) => at = self.scopes[scope].parent,
                found => return found,
            }
        }
        None
    }

    /// The scope of what stands before a `::`.
    fn scope_of(&self, entity: &Entity) -> Option<ScopeId> {
        match entity {
            Entity::Namespace(scope) => Some(*scope),
            Entity::Type(ty) => self.members_of(ty),
            _ => None,
        }
    }

    /// The scope of a class's or an enumeration's members.
    pub(super) fn members_of(&self, ty: &Type) -> Option<ScopeId> {
        match &ty.kind {
            TypeKind::Record(record) => self.members.get(&address(record)).copied(),
            TypeKind::Enum(e) => self.members.get(&address(e)).copied(),
            _ => None,
        }
    }

    /// What a path stands for; templates with arguments are instantiated.
    pub(super) fn find(&mut self, path: &Path) -> Option<Entity> {
        let mut parts = path.parts.iter();
        let first = parts.next()?;
        let entity =
            if path.is_global { self.member(GLOBAL, &first.name) } else { self.unqualified(&first.name) };
        let Some(mut entity) = entity else { return self.well_known(path) };
        if let Some(arguments) = &first.arguments {
            // Inside a class its name is a type, and with arguments it is the template again.
            if matches!(entity, Entity::Type(_)) {
                entity = self.template_around(&first.name)?;
            }
            entity = self.apply(entity, arguments)?;
        }
        for part in parts {
            if matches!(&entity, Entity::Dependent) || matches!(&entity, Entity::Type(t) if t.is_dependent())
            {
                return Some(Entity::Dependent);
            }
            let found = self.scope_of(&entity).and_then(|scope| self.member(scope, &part.name));
            let Some(found) = found else { return self.well_known(path) };
            entity = match &part.arguments {
                Some(arguments) => self.apply(found, arguments)?,
                None => found,
            };
        }
        Some(entity)
    }

    /// A namespace by its path, from inside the current scope.
    pub(super) fn find_namespace(&mut self, path: &Path) -> Option<ScopeId> {
        match self.find(path) {
            Some(Entity::Namespace(scope)) => Some(scope),
            _ => None,
        }
    }
}

/// The address of something shared, as a key; [`Unit::keep`] holds what has one.
pub(super) fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared) as usize
}

impl Unit {
    /// What the headers that are not read declare.
    fn well_known(&mut self, path: &Path) -> Option<Entity> {
        let (last, before) = path.parts.split_last()?;
        let before: Vec<&str> = before.iter().map(|p| &*p.name).collect();
        if !builtin::is_known_namespace(&before) {
            return None;
        }
        match &last.arguments {
            None => builtin::named_type(&last.name).map(Entity::Type),
            Some(arguments) if &*last.name == "array" && !before.is_empty() => self.standard_array(arguments),
            Some(_) => None,
        }
    }

    /// `std::array<T, N>`, which holds an array and nothing else.
    fn standard_array(&mut self, arguments: &[Vec<Token>]) -> Option<Entity> {
        let [element, length] = arguments else { return None };
        if self.is_dependent(element) || self.is_dependent(length) {
            return Some(Entity::Dependent);
        }
        let ty = self.declared(&mut Cursor::new(element)).ok()?.ty;
        let length =
            evaluate(length, self).ok().and_then(|n| u64::try_from(n.value).ok()).filter(|n| *n > 0)?;
        let name = format!("std::array<{ty}, {length}>");
        let array = TypeKind::Array { element: Box::new(ty), length: Some(length) }.into();
        Some(Entity::Type(self.wrapper(name, array)))
    }
}
