//! Kernels by their C++ names: instances made of templates, and kernels that are none.

use std::rc::Rc;

use super::expression::Path;
use super::head::Head;
use super::merge::{merge, same_parameters};
use super::name_expression::halved;
use super::scope::{GLOBAL, ScopeId};
use super::template::{Header, Parameter};
use super::token::{Cursor, Token, split_commas, text_of};
use super::unit::Unit;
use crate::{Diagnostic, Kernel, NameExpression, Named, Problem, Template};

/// A template, kept to be read again for each of its instances.
pub(super) struct KernelTemplate {
    pub(super) header: Rc<Header>,
    /// The scope of the header's parameters.
    pub(super) scope: ScopeId,
    /// The scope that the declaration stands in.
    pub(super) outside: ScopeId,
    pub(super) head: Vec<Token>,
    pub(super) kernel: Kernel,
    /// The arguments of a specialisation that are written; `None` for a template, and where they are deduced.
    pub(super) arguments: Option<Vec<Vec<Token>>>,
}

impl Unit {
    /// Keeps a template, or a specialisation of one, for its instances.
    pub(super) fn keep_template(
        &mut self,
        kernel: &Kernel,
        header: Rc<Header>,
        scope: ScopeId,
        head: &Head<'_>,
        tokens: &[Token],
    ) {
        let arguments =
            head.arguments.map(|inside| split_commas(inside).into_iter().map(<[Token]>::to_vec).collect());
        let is_specialization = header.parameters.is_empty();
        let kept = KernelTemplate {
            header,
            scope,
            outside: self.current,
            head: if is_specialization { Vec::new() } else { tokens.to_vec() },
            kernel: kernel.clone(),
            arguments,
        };
        let list = if is_specialization { &mut self.specializations } else { &mut self.templates };
        list.push(Rc::new(kept));
    }

    /// The kernels that a name means at the end of the file. Its tokens are those after preprocessing.
    pub(super) fn named(&mut self, expression: &NameExpression, tokens: &[Token]) -> Named {
        let mut named = Named { expression: expression.clone(), kernels: Vec::new(), refusals: Vec::new() };
        let Some((path, arguments)) = self.taken_apart(tokens) else { return named };
        let Some((name, before)) = path.parts.split_last() else { return named };
        let places = self.places(&before.iter().map(|part| part.name.clone()).collect::<Vec<_>>());
        let is_meant = |kernel: &Kernel| *kernel.name == *name.name && places.contains(&kernel.namespace);
        let templates: Vec<Rc<KernelTemplate>> =
            self.templates.iter().filter(|template| is_meant(&template.kernel)).cloned().collect();
        let refuse = |kernel: &Kernel, reason: String| {
            let problem = Problem::Instance { name: expression.to_string(), reason };
            Diagnostic { problem, position: kernel.origin.as_ref().map(|origin| origin.position.clone()) }
        };
        let Some(arguments) = arguments else {
            let plain = |kernel: &&Kernel| matches!(kernel.template, Template::None) && is_meant(kernel);
            named.kernels = self.kernels.iter().filter(plain).cloned().collect();
            if let (true, Some(template)) = (named.kernels.is_empty(), templates.first()) {
                let reason = "it is a template, and the name has no arguments".to_owned();
                named.refusals.push(refuse(&template.kernel, reason));
            }
            return named;
        };
        for template in &templates {
            match self.instance(template, &templates, &arguments) {
                Ok(kernel) => {
                    let known = named.kernels.iter().position(|known| same_parameters(known, &kernel));
                    match known {
                        Some(known) => {
                            let merged = merge(named.kernels.remove(known), kernel);
                            named.kernels.insert(known, merged);
                        }
                        None => named.kernels.push(kernel),
                    }
                }
                Err(reason) => named.refusals.push(refuse(&template.kernel, reason)),
            }
        }
        if templates.is_empty() {
            // An instance whose template is not visible.
            named.kernels = expression.select(&self.kernels).into_iter().cloned().collect();
            if let (true, Some(plain)) = (named.kernels.is_empty(), self.kernels.iter().find(|k| is_meant(k)))
            {
                named
                    .refusals
                    .push(refuse(plain, "it is no template, and the name has arguments".to_owned()));
            }
        }
        named
    }

    /// The path and the arguments of its last part.
    fn taken_apart(&mut self, tokens: &[Token]) -> Option<(Path, Option<Vec<Vec<Token>>>)> {
        let tokens = halved(tokens.to_vec());
        let mut c = Cursor::new(&tokens);
        let mut path = self.path(&mut c, true)?;
        let arguments = path.parts.last_mut()?.arguments.take();
        c.at_end().then_some((path, arguments))
    }

    /// The namespaces that these qualifiers may lead to, those taken in by `using` and `inline` among them.
    fn places(&self, qualifiers: &[Rc<str>]) -> Vec<Vec<String>> {
        let mut scopes = self.taken_in(vec![GLOBAL]);
        for qualifier in qualifiers {
            let inner = scopes.iter().filter_map(|scope| match self.scopes[*scope].names.get(qualifier) {
                Some(super::scope::Entity::Namespace(inner)) => Some(*inner),
                _ => None,
            });
            scopes = self.taken_in(inner.collect());
        }
        scopes.into_iter().map(|scope| self.scope_path(scope)).collect()
    }

    fn taken_in(&self, mut scopes: Vec<ScopeId>) -> Vec<ScopeId> {
        let mut at = 0;
        while let Some(scope) = scopes.get(at).copied() {
            at += 1;
            for also in &self.scopes[scope].also {
                if !scopes.contains(also) {
                    scopes.push(*also);
                }
            }
        }
        scopes
    }

    /// One instance of a template, or the specialisation that stands in its place.
    fn instance(
        &mut self,
        template: &KernelTemplate,
        siblings: &[Rc<KernelTemplate>],
        arguments: &[Vec<Token>],
    ) -> Result<Kernel, String> {
        if template.arguments.is_some() {
            return Err("C++ has no partial specialisations of functions".to_owned());
        }
        let header = with_defaults(template, siblings);
        let bind = |unit: &mut Self, given: &[Vec<Token>], place: ScopeId| {
            unit.inside(place, |unit| unit.deeper(|unit| unit.bind(&header, template.scope, given)))
        };
        let (scope, text) = bind(self, arguments, GLOBAL)?;
        let own = self.read_again(template, scope, &arguments_text(&text, arguments))?;
        for special in self.specializations.clone() {
            if special.kernel.name != own.name || special.kernel.namespace != own.namespace {
                continue;
            }
            let is_same = match &special.arguments {
                Some(given) => bind(self, given, special.outside).is_ok_and(|(_, other)| other == text),
                None => same_parameters(&special.kernel, &own),
            };
            if is_same && special.kernel.parameters.len() == own.parameters.len() {
                return Ok(Kernel { template: own.template, ..special.kernel.clone() });
            }
        }
        Ok(own)
    }

    /// The kernel again, with the template's parameters standing for arguments.
    fn read_again(
        &mut self,
        template: &KernelTemplate,
        scope: ScopeId,
        text: &str,
    ) -> Result<Kernel, String> {
        let mut notes = Vec::new();
        let head = self.inside(scope, |unit| unit.head(&template.head, &mut notes))?;
        let mut kernel = Kernel {
            parameters: Vec::new(),
            is_complete: true,
            template: Template::Instance { arguments: text.to_owned() },
            bounds: head.bounds.clone(),
            ..template.kernel.clone()
        };
        self.inside(scope, |unit| unit.parameters(head.parameters, head.name, &mut kernel, &mut notes));
        kernel.notes = notes;
        Ok(kernel)
    }
}

/// The header with the defaults that another declaration of the template has.
fn with_defaults(template: &KernelTemplate, siblings: &[Rc<KernelTemplate>]) -> Header {
    let own = &template.header.parameters;
    let is_alike = |other: &&Rc<KernelTemplate>| {
        let theirs = &other.header.parameters;
        let count = |kernel: &KernelTemplate| kernel.kernel.parameters.len();
        theirs.len() == own.len()
            && count(other) == count(template)
            && theirs.iter().zip(own).all(|(a, b)| a.is_type == b.is_type && a.is_pack == b.is_pack)
    };
    let parameters = own.iter().enumerate().map(|(index, parameter)| {
        let mut others = siblings.iter().filter(is_alike);
        let default = parameter
            .default
            .clone()
            .or_else(|| others.find_map(|other| other.header.parameters[index].default.clone()));
        Parameter { default, ..parameter.clone() }
    });
    Header { parameters: parameters.collect() }
}

/// The arguments as a symbol spells them: a type that needs no source is as it was written, so that `long` and
/// `long long` stay two.
fn arguments_text(canonical: &str, given: &[Vec<Token>]) -> String {
    let canonical = halved(super::lexer::lex(canonical, 0).tokens);
    let parts = split_commas(&canonical);
    let text = parts.iter().enumerate().map(|(index, part)| {
        let written = given.get(index).filter(|written| super::name_expression::is_one(written, part));
        written.map_or_else(|| text_of(part), |written| super::name_expression::spelled(written))
    });
    text.collect::<Vec<_>>().join(", ")
}
