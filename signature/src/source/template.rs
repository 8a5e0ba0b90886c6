//! Templates: their headers, and the classes and aliases made from them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::expression::evaluate;
use super::scope::{AliasTemplate, ClassTemplate, Entity, ScopeId, Specialization, ValueTemplate};
use super::token::{Cursor, Token, text_of};
use super::unit::Unit;
use crate::{TemplateParameter, Type, TypeKind};

/// Longest text of the arguments of one template: a pair of pairs doubles at each level.
const LONGEST_ARGUMENTS: usize = 4096;

/// One parameter of a template.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub(super) name: Option<Rc<str>>,
    pub(super) is_type: bool,
    pub(super) is_pack: bool,
    pub(super) is_template: bool,
    pub(super) default: Option<Vec<Token>>,
    /// All but its default.
    pub(super) declaration: Vec<Token>,
    pub(super) text: String,
}

/// `template<…>`.
#[derive(Debug, Clone, Default)]
pub(super) struct Header {
    pub(super) parameters: Vec<Parameter>,
}

impl Header {
    /// The header as the model has it.
    pub(super) fn model(&self) -> Vec<TemplateParameter> {
        let parameter = |p: &Parameter| TemplateParameter {
            name: p.name.as_ref().map(ToString::to_string),
            text: p.text.clone(),
            is_type: p.is_type,
            is_pack: p.is_pack,
            default: p.default.as_deref().map(text_of),
        };
        self.parameters.iter().map(parameter).collect()
    }
}

impl Unit {
    /// Reads the parameters of a template, behind `template`, and declares them in a scope of their own.
    pub(super) fn header(&mut self, c: &mut Cursor<'_>) -> Option<(Rc<Header>, ScopeId)> {
        let parts = c.angles()?;
        let scope = self.new_scope(self.current, None);
        let mut header = Header::default();
        for part in parts {
            let parameter = self.inside(scope, |unit| unit.template_parameter(part));
            if let Some(name) = &parameter.name {
                self.inside(scope, |unit| unit.declare(name, Entity::Dependent));
            }
            header.parameters.push(parameter);
        }
        self.requires(c);
        Some((Rc::new(header), scope))
    }

    fn template_parameter(&mut self, part: &[Token]) -> Parameter {
        let equals = default_at(part);
        let default = equals.map(|at| part[at + 1..].to_vec());
        let own = &part[..equals.unwrap_or(part.len())];
        let mut c = Cursor::new(own);
        let is_template = c.eat("template") && c.angles().is_some();
        let is_type = c.eat("typename") || c.eat("class");
        let is_pack;
        let name;
        // `typename T::type = 0` is a value whose type depends.
        if is_type && !c.is_at(1, "::") && !c.is_at(1, "<") {
            is_pack = c.eat("...");
            name = c.bump().map(|t| t.text.clone());
        } else {
            let declared = self.declared(&mut Cursor::new(own)).ok();
            is_pack = own.iter().any(|t| t.is("..."));
            name = declared.and_then(|d| d.name).map(|t| t.text);
        }
        let is_type = is_type && !c.is("::") && !c.is("<");
        let (declaration, text) = (own.to_vec(), text_of(own));
        Parameter { name, is_type, is_pack, is_template, default, declaration, text }
    }

    /// Passes over a `requires` clause.
    pub(super) fn requires(&mut self, c: &mut Cursor<'_>) {
        if !c.eat("requires") {
            return;
        }
        loop {
            c.eat("!");
            if c.is("(") {
                c.group();
            } else if self.path(c, true).is_some() {
                if c.is("(") {
                    c.group();
                }
            } else {
                return;
            }
            if !c.eat("&&") && !c.eat("||") {
                return;
            }
        }
    }

    /// Declares a class template, or a specialisation of one; the cursor is at the class's keyword.
    pub(super) fn class_template(&mut self, c: &mut Cursor<'_>, header: &Rc<Header>, scope: ScopeId) {
        let start = c.at;
        c.bump();
        let mut attributes = super::specifiers::Attributes::default();
        while self.attribute(c, &mut attributes) {}
        let Some(name) = c.bump().filter(|t| t.is_identifier()).map(|t| t.text.clone()) else { return };
        let arguments = if c.is("<") { c.angles() } else { None };
        while !c.at_end() && !c.is("{") && !c.is(";") {
            c.skip();
        }
        let is_defined = c.is("{");
        if is_defined {
            c.group();
        }
        let definition = if is_defined { c.tokens[start..c.at].to_vec() } else { Vec::new() };
        let known = match self.scopes[self.current].names.get(&name) {
            Some(Entity::ClassTemplate(known)) => Some(known.clone()),
            _ => None,
        };
        match (known, arguments) {
            (Some(known), Some(arguments)) if header.parameters.is_empty() => {
                let arguments = arguments.into_iter().map(<[Token]>::to_vec).collect();
                known.specializations.borrow_mut().push(Specialization { arguments, definition });
            }
            (Some(known), Some(_)) => known.has_partial.set(true),
            // The defaults may stand on the declaration only.
            (Some(known), None) if is_defined && has_defaults(&known.header) && !has_defaults(header) => {
                let renamed = Header {
                    parameters: header
                        .parameters
                        .iter()
                        .zip(&known.header.parameters)
                        .map(|(new, old)| Parameter { default: old.default.clone(), ..new.clone() })
                        .collect(),
                };
                let template = new_template(Rc::new(renamed), scope, definition, self.pack);
                template.has_partial.set(known.has_partial.get());
                self.declare(&name, Entity::ClassTemplate(Rc::new(template)));
            }
            (Some(_), None) if !is_defined => {}
            (_, None) => {
                let template = new_template(header.clone(), scope, definition, self.pack);
                self.declare(&name, Entity::ClassTemplate(Rc::new(template)));
            }
            // A specialisation of what is not known.
            (None, Some(_)) => {}
        }
    }

    pub(super) fn alias_template(
        &mut self,
        name: &Rc<str>,
        header: Rc<Header>,
        scope: ScopeId,
        ty: &[Token],
    ) {
        let template = AliasTemplate { header, scope, ty: ty.to_vec() };
        self.declare(name, Entity::AliasTemplate(Rc::new(template)));
    }

    pub(super) fn value_template(
        &mut self,
        name: &Rc<str>,
        header: Rc<Header>,
        scope: ScopeId,
        declaration: &[Token],
        value: &[Token],
    ) {
        let (declaration, value) = (declaration.to_vec(), value.to_vec());
        let template = ValueTemplate { header, scope, declaration, value };
        self.declare(name, Entity::ValueTemplate(Rc::new(template)));
    }

    /// What a template with arguments stands for; `None` where that cannot be told.
    pub(super) fn apply(&mut self, entity: Entity, arguments: &[Vec<Token>]) -> Option<Entity> {
        let dependent = arguments.iter().any(|a| self.is_dependent(a));
        match entity {
            Entity::Dependent => Some(Entity::Dependent),
            Entity::Functions(_) => Some(entity),
            Entity::ClassTemplate(_) | Entity::AliasTemplate(_) | Entity::ValueTemplate(_) if dependent => {
                Some(Entity::Dependent)
            }
            Entity::ClassTemplate(template) => {
                self.deeper(|unit| unit.instantiate(&template, arguments)).ok().map(Entity::Type)
            }
            Entity::AliasTemplate(template) => {
                let (scope, _) = self.bind(&template.header, template.scope, arguments).ok()?;
                let ty = self.inside(scope, |unit| {
                    let declared = unit.declared(&mut Cursor::new(&template.ty))?;
                    Ok::<_, String>(unit.aliased("(alias)", declared))
                });
                ty.ok().map(Entity::Type)
            }
            Entity::ValueTemplate(template) => {
                let bound = self.bind(&template.header, template.scope, arguments);
                Some(Entity::Value(bound.and_then(|(scope, _)| {
                    self.inside(scope, |unit| {
                        let value = evaluate(&template.value, unit)?;
                        unit.taken(value, &template.declaration)
                    })
                })))
            }
            // The name of the class inside itself may come with arguments too.
            Entity::Type(_) | Entity::Namespace(_) | Entity::Value(_) => None,
        }
    }

    /// A scope in which the parameters stand for the arguments, and the arguments as text.
    pub(super) fn bind(
        &mut self,
        header: &Header,
        scope: ScopeId,
        arguments: &[Vec<Token>],
    ) -> Result<(ScopeId, String), String> {
        self.step()?;
        // The header's own scope holds the parameters as dependent; its parent is where it stands.
        let outside = self.scopes[scope].parent.unwrap_or(super::scope::GLOBAL);
        let bound = self.new_scope(outside, None);
        let mut text = Vec::new();
        for (i, parameter) in header.parameters.iter().enumerate() {
            if parameter.is_pack || parameter.is_template {
                return Err(format!("the template parameter `{}` is not followed", parameter.text));
            }
            let (tokens, at) = match (arguments.get(i), &parameter.default) {
                (Some(given), _) => (given.clone(), self.current),
                (None, Some(default)) => (default.clone(), bound),
                (None, None) => return Err(format!("the template argument `{}` is missing", parameter.text)),
            };
            let entity = if parameter.is_type {
                let mut c = Cursor::new(&tokens);
                let declared = self.inside(at, |unit| unit.declared(&mut c));
                let Some(declared) = declared.ok().filter(|_| c.at_end()) else {
                    return Err(format!("the template argument `{}` is no type", text_of(&tokens)));
                };
                text.push(declared.ty.to_string());
                Entity::Type(declared.ty)
            } else {
                let value = self.inside(at, |unit| evaluate(&tokens, unit));
                let value = value
                    .and_then(|value| self.inside(bound, |unit| unit.taken(value, &parameter.declaration)));
                text.push(value.as_ref().map_or_else(|_| text_of(&tokens), |n| n.value.to_string()));
                Entity::Value(value)
            };
            if let Some(name) = &parameter.name {
                self.inside(bound, |unit| unit.declare(name, entity));
            }
            if text.iter().map(String::len).sum::<usize>() > LONGEST_ARGUMENTS {
                return Err("the template arguments are too long".into());
            }
        }
        if arguments.len() > header.parameters.len() {
            return Err("there are more template arguments than parameters".into());
        }
        Ok((bound, text.join(", ")))
    }

    fn instantiate(&mut self, template: &ClassTemplate, arguments: &[Vec<Token>]) -> Result<Type, String> {
        let (bound, text) = self.bind(&template.header, template.scope, arguments)?;
        if let Some(known) = template.instances.borrow().get(&text) {
            return Ok(known.clone());
        }
        let mut definition = template.definition.borrow().clone();
        let mut inside = bound;
        let specializations = template.specializations.borrow().clone();
        for special in specializations {
            let outside = self.scopes[template.scope].parent.unwrap_or(super::scope::GLOBAL);
            let same =
                self.inside(outside, |unit| unit.bind(&template.header, template.scope, &special.arguments));
            if same.is_ok_and(|(_, other)| other == text) {
                definition = special.definition;
                inside = self.new_scope(outside, None);
            }
        }
        if definition.is_empty() || template.has_partial.get() {
            return Err("the template's definition is not visible, or has partial specialisations".into());
        }
        let pack = std::mem::replace(&mut self.pack, template.pack);
        let outer_path = self.current;
        let ty = self.inside(inside, |unit| unit.record(&mut Cursor::new(&definition)));
        self.current = outer_path;
        self.pack = pack;
        let ty = with_arguments(ty?, &text, self);
        template.instances.borrow_mut().insert(text, ty.clone());
        Ok(ty)
    }
}

/// The class under its full name, `S<float>`.
fn with_arguments(ty: Type, arguments: &str, unit: &mut Unit) -> Type {
    let TypeKind::Record(record) = &ty.kind else { return ty };
    let base = record.name.split('<').next().unwrap_or_default();
    let name = format!("{base}<{arguments}>");
    unit.renamed(&ty, name)
}

fn new_template(
    header: Rc<Header>,
    scope: ScopeId,
    definition: Vec<Token>,
    pack: Option<u64>,
) -> ClassTemplate {
    ClassTemplate {
        header,
        scope,
        definition: RefCell::new(definition),
        specializations: RefCell::new(Vec::new()),
        has_partial: Cell::new(false),
        instances: RefCell::new(HashMap::new()),
        pack,
    }
}

fn has_defaults(header: &Header) -> bool {
    header.parameters.iter().any(|p| p.default.is_some())
}

/// The index of the `=` that begins a default, outside of all brackets and template arguments.
pub(super) fn default_at(tokens: &[Token]) -> Option<usize> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.is("=") {
            return Some(at);
        }
        if token.is("(") || token.is("[") || token.is("{") {
            at = super::token::group_end(tokens, at);
        } else if token.is("<")
            && let Some(end) = super::token::angle_end(tokens, at)
        {
            at = end;
        }
        at += 1;
    }
    None
}
