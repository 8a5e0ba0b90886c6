//! The head of a kernel: attributes, name, parameters.

use super::declarations::TemplateHead;
use super::declarator::decay;
use super::head::{Head, Piece, split_head};
use super::scope::Entity;
use super::specifiers::is_idle;
use super::template::default_at;
use super::token::{Cursor, Kind, Token, group_end, shown, split_commas, text_of};
use super::unit::Unit;
use super::words::is_attribute_list;
use crate::{
    Diagnostic, Instance, Kernel, LaunchBounds, Linkage, Parameter, Problem, Template, Type, TypeKind,
};

impl Unit {
    /// Reads a kernel. `whole` begins with what belongs to it before the head, such as `template<…>`.
    pub(super) fn kernel(
        &mut self,
        whole: &[Token],
        tokens: &[Token],
        has_body: bool,
        template: Option<TemplateHead>,
    ) {
        let scope = template.as_ref().map_or(self.current, |(_, scope)| *scope);
        let outside = self.current;
        let mut notes = Vec::new();
        let read = self.inside(scope, |unit| unit.head(tokens, &mut notes));
        let head = match read {
            Ok(head) => head,
            Err(reason) => {
                if let Some(first) = tokens.first() {
                    self.note(Problem::KernelHead { reason }, first);
                }
                return;
            }
        };
        let mut kernel = Kernel::named(&*head.name.text);
        kernel.namespace = self.scope_path(outside);
        kernel.namespace.extend(head.qualifiers.iter().map(|t| t.text.to_string()));
        kernel.is_static = head.is_static || kernel.namespace.iter().any(String::is_empty);
        kernel.linkage = if self.is_c || head.is_c { Linkage::C } else { Linkage::Cpp };
        // A kernel local to its file is mangled even where it has C linkage.
        if kernel.linkage == Linkage::C && !kernel.is_static && template.is_none() {
            kernel.symbol = Some(kernel.name.clone());
        }
        kernel.is_defined = has_body;
        kernel.origin = Some(self.origin(head.name));
        kernel.doc = whole.first().and_then(|first| self.documentation(first));
        self.inside(scope, |unit| {
            unit.check_result(&head, &mut notes);
            unit.parameters(head.parameters, head.name, &mut kernel, &mut notes);
        });
        kernel.bounds.clone_from(&head.bounds);
        kernel.notes = notes;
        if let Some((header, scope)) = template {
            let is_specialization = header.parameters.is_empty();
            kernel.template = if is_specialization {
                Template::Instance { arguments: head.arguments.map(text_of).unwrap_or_default() }
            } else {
                Template::Primary { parameters: header.model(), instances: Vec::new() }
            };
            self.keep_template(&kernel, header, scope, &head, tokens);
            if is_specialization && self.add_instance(&head, whole, true) {
                return;
            }
        }
        self.add_kernel(kernel);
    }

    /// An explicit instantiation: of a kernel template, or of something else, which is passed over.
    pub(super) fn instantiated_kernel(&mut self, whole: &[Token], head: &[Token]) {
        let mut notes = Vec::new();
        let is_marked = head.iter().any(|t| t.is("__global__"));
        let Ok(head) = self.head(head, &mut notes) else { return };
        if self.add_instance(&head, whole, false) || !is_marked {
            return;
        }
        let mut kernel = Kernel::named(&*head.name.text);
        kernel.namespace = self.scope_path(self.current);
        kernel.namespace.extend(head.qualifiers.iter().map(|t| t.text.to_string()));
        kernel.origin = Some(self.origin(head.name));
        kernel.template = Template::Instance { arguments: head.arguments.map(text_of).unwrap_or_default() };
        self.parameters(head.parameters, head.name, &mut kernel, &mut notes);
        kernel.notes = notes;
        self.add_kernel(kernel);
    }

    /// Adds an instance to the template it is of; false if that is not known.
    fn add_instance(&mut self, head: &Head<'_>, whole: &[Token], is_specialization: bool) -> bool {
        let origin = whole.first().map(|_| self.origin(head.name));
        let arguments = head.arguments.map(text_of).unwrap_or_default();
        let mut namespace = self.scope_path(self.current);
        let qualifiers: Vec<String> = head.qualifiers.iter().map(|t| t.text.to_string()).collect();
        namespace.extend(qualifiers.iter().cloned());
        let name = &*head.name.text;
        let count = split_commas(head.parameters).len();
        let fits = |k: &Kernel, exact: bool| {
            let place = if exact { k.namespace == namespace } else { k.namespace.ends_with(&qualifiers) };
            k.name == name
                && k.is_template()
                && place
                && (k.parameters.len() == count || !k.is_complete || count == 1)
        };
        let places = self.places_of_kernels.get(name).map_or(&[][..], Vec::as_slice);
        let find = |exact| places.iter().copied().find(|at| fits(&self.kernels[*at], exact));
        let index = find(true).or_else(|| find(false));
        let Some(kernel) = index.and_then(|i| self.kernels.get_mut(i)) else { return false };
        if let Template::Primary { instances, .. } = &mut kernel.template {
            instances.push(Instance { arguments, is_specialization, origin });
        }
        true
    }

    /// Takes a head apart.
    pub(super) fn head<'t>(
        &mut self,
        tokens: &'t [Token],
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Head<'t>, String> {
        let mut c = Cursor::new(tokens);
        let mut pieces = Vec::new();
        let mut bounds = LaunchBounds::default();
        let (mut is_static, mut is_c) = (false, false);
        while let Some(token) = c.peek() {
            if token.kind == Kind::Text {
                is_c |= &*token.text == "\"C\"";
                c.bump();
                continue;
            }
            if token.is_identifier() && c.is_at(1, "(") {
                let mut ahead = c.clone();
                ahead.bump();
                let inside = ahead.group();
                if self.bound(token, inside, &mut bounds, notes) {
                    c = ahead;
                    continue;
                }
                if is_attribute_list(&token.text) {
                    self.bounds_of_attribute(inside, &mut bounds, notes);
                    c = ahead;
                    continue;
                }
            }
            // `__launch_bounds__` is an attribute too, but is taken above.
            let mut attributes = super::specifiers::Attributes::default();
            if self.attribute(&mut c, &mut attributes) {
                continue;
            }
            if token.is_identifier() {
                is_static |= token.is("static");
                pieces.push(Piece::Word(token));
                c.bump();
                if c.is("<") {
                    let from = c.at + 1;
                    if c.angles().is_some() {
                        pieces.push(Piece::Angles(&c.tokens[from..c.at - 1]));
                    }
                }
            } else if token.is("(") || token.is("[") || token.is("{") {
                if group_end(c.tokens, c.at) == c.tokens.len() {
                    return Err(format!("`{}` is not closed", token.text));
                }
                pieces.push(Piece::Group(c.group()));
            } else {
                pieces.push(Piece::Mark(token));
                c.bump();
            }
        }
        let mut head = split_head(pieces)?;
        (head.bounds, head.is_static, head.is_c) = (bounds, is_static, is_c);
        Ok(head)
    }

    /// `((launch_bounds(256), global))`, which is what the headers make of `__launch_bounds__`.
    fn bounds_of_attribute(
        &mut self,
        inside: &[Token],
        bounds: &mut LaunchBounds,
        notes: &mut Vec<Diagnostic>,
    ) {
        let mut c = Cursor::new(inside);
        let inner = if c.is("(") { c.group() } else { inside };
        let mut c = Cursor::new(inner);
        while let Some(token) = c.bump() {
            if token.is_identifier() && c.is("(") {
                let group = c.group();
                self.bound(token, group, bounds, notes);
            }
        }
    }

    /// Notes the words before the name that are neither the result nor anything known.
    fn check_result(&mut self, head: &Head<'_>, notes: &mut Vec<Diagnostic>) {
        let is_void = |p: &Piece<'_>| matches!(p, Piece::Word(t) if t.is("void") || t.is("auto"));
        if !head.before.iter().any(is_void) {
            return self.check_alias(head, notes);
        }
        for piece in &head.before {
            if let Piece::Word(token) = piece
                && !is_idle(&token.text)
                && !matches!(&*token.text, "void" | "auto" | "static" | "const" | "constexpr" | "template")
            {
                notes.push(self.diagnostic(Problem::UnknownWord { word: token.text.to_string() }, token));
            }
        }
    }

    /// A result that is not spelled `void` is an alias of it, or depends on something.
    fn check_alias(&mut self, head: &Head<'_>, notes: &mut Vec<Diagnostic>) {
        let word = |p: &Piece<'_>| match p {
            Piece::Word(t) if !is_idle(&t.text) && !t.is("static") => Some((*t).clone()),
            _ => None,
        };
        let has_arguments = head.before.iter().any(|p| matches!(p, Piece::Angles(_)));
        let Some(result) = head.before.iter().filter_map(word).next_back().filter(|_| !has_arguments) else {
            return;
        };
        let specifiers = self.specifiers(&mut Cursor::new(std::slice::from_ref(&result)));
        if let Ok(ty) = specifiers.map(|s| s.ty)
            && !matches!(ty.kind, TypeKind::Void | TypeKind::Named(_) | TypeKind::Dependent(_))
        {
            let reason = format!("it returns `{ty}`, but a kernel returns `void`");
            notes.push(self.diagnostic(Problem::KernelHead { reason }, &result));
        }
    }

    pub(super) fn parameters(
        &mut self,
        list: &[Token],
        name: &Token,
        kernel: &mut Kernel,
        notes: &mut Vec<Diagnostic>,
    ) {
        let parts = split_commas(list);
        let is_void = |part: &[Token], unit: &mut Self| match part {
            [only] if only.is("void") => true,
            [only] if only.is_identifier() => {
                unit.named_type(&mut Cursor::new(part)).is_ok_and(|ty| ty.kind == TypeKind::Void)
            }
            _ => false,
        };
        if let [only] = parts[..]
            && is_void(only, self)
        {
            return;
        }
        for part in parts {
            if let [dots] = part
                && dots.is("...")
            {
                let reason = "a kernel takes no variable arguments".to_owned();
                notes.push(self.diagnostic(Problem::KernelHead { reason }, dots));
                kernel.is_complete = false;
                continue;
            }
            let parameter = self.parameter(part, name, notes);
            kernel.is_complete &= !parameter.is_pack;
            kernel.parameters.push(parameter);
        }
    }

    fn parameter(&mut self, part: &[Token], kernel: &Token, notes: &mut Vec<Diagnostic>) -> Parameter {
        let equals = default_at(part);
        let own = &part[..equals.unwrap_or(part.len())];
        let default = equals.map(|at| text_of(&part[at + 1..]));
        let at = own.first().unwrap_or(kernel).clone();
        let outer = std::mem::take(&mut self.notes);
        let mut c = Cursor::new(own);
        let declared = self.declared(&mut c);
        let mut own_notes = std::mem::replace(&mut self.notes, outer);
        let unknown_word = own_notes.iter().find_map(|note| match &note.problem {
            Problem::UnknownWord { word } => Some(word.clone()),
            _ => None,
        });
        notes.append(&mut own_notes);
        let failed = match (&declared, c.peek()) {
            (Ok(_), None) => None,
            (Ok(_), Some(token)) => Some(format!("`{}` is not expected", token.text)),
            (Err(reason), _) => Some(reason.clone()),
        };
        let (Ok(declared), None) = (declared, &failed) else {
            let reason = failed.unwrap_or_default();
            notes.push(self.diagnostic(Problem::Parameter { text: shown(part), reason }, &at));
            return Parameter {
                spelling: Some(text_of(own)),
                default,
                is_pack: own.iter().any(|t| t.is("...")),
                unknown_word,
                origin: Some(self.origin(&at)),
                ..Parameter::unknown()
            };
        };
        let mut array_extents = Vec::new();
        let mut level = &declared.ty;
        while let TypeKind::Array { element, length } = &level.kind {
            array_extents.push(*length);
            level = element;
        }
        let ty = decay(declared.ty);
        self.note_layout(&ty, &at, notes);
        let name = declared.name;
        let spelled: Vec<Token> = own
            .iter()
            .filter(|t| name.as_ref().is_none_or(|n| n.place != t.place || n.text != t.text))
            .cloned()
            .collect();
        let mut parameter = Parameter::of_type(ty);
        if let Some(alignment) = declared.attributes.alignment {
            parameter.alignment = parameter.alignment.max(Some(alignment));
        }
        parameter.spelling = Some(text_of(&spelled));
        parameter.origin = Some(self.origin(name.as_ref().unwrap_or(&at)));
        parameter.name = name.map(|t| t.text.to_string());
        parameter.array_extents = array_extents;
        parameter.is_restrict = declared.attributes.is_restrict;
        parameter.is_grid_constant = declared.attributes.is_grid_constant;
        parameter.is_pack = declared.is_pack;
        parameter.default = default;
        parameter.unknown_word = unknown_word;
        parameter
    }

    /// Notes why the size of a parameter is not known. What depends on a template has none yet.
    fn note_layout(&mut self, ty: &Type, at: &Token, notes: &mut Vec<Diagnostic>) {
        let problem = match &ty.kind {
            _ if ty.layout().is_some() || ty.is_dependent() => return,
            TypeKind::Named(name) => Problem::UnknownType { name: name.clone() },
            TypeKind::Record(r) => {
                let reason =
                    r.unreadable.clone().unwrap_or_else(|| "its members are not all known".to_owned());
                Problem::UnknownLayout { name: r.name.clone(), reason }
            }
            TypeKind::Enum(e) => Problem::UnknownLayout {
                name: e.name.clone(),
                reason: e.unreadable.clone().unwrap_or_default(),
            },
            _ => Problem::Parameter { text: ty.to_string(), reason: "it cannot be passed by value".into() },
        };
        notes.push(self.diagnostic(problem, at));
    }

    /// Whether a name is a kernel template's, so that `<` after it opens arguments.
    pub(super) fn declare_kernel(&mut self, kernel: &Kernel) {
        let name: std::rc::Rc<str> = (&*kernel.name).into();
        let current = self.current;
        self.scopes[current].names.entry(name).or_insert_with(|| Entity::Functions(Vec::new()));
    }
}
