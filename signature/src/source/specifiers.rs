//! The first half of a declaration: its specifiers, and the type among them.

use super::expression::{Path, evaluate, path};
use super::scope::Entity;
use super::token::{Cursor, Kind, Token, reads_as_arguments, split_commas, text_of};
use super::unit::Unit;
use super::words::{Words, is_alignment_word, is_builtin_word, is_typeof, takes_arguments};
use crate::{Problem, Type, TypeKind};

/// What the specifiers of a declaration say.
#[derive(Debug, Clone)]
pub(super) struct Specifiers {
    pub(super) ty: Type,
    pub(super) is_typedef: bool,
    pub(super) is_static: bool,
    /// `const` or `constexpr`, on the declaration as a whole.
    pub(super) is_constexpr: bool,
    pub(super) attributes: Attributes,
}

/// What stands beside a type and is not one.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    /// The largest alignment asked for.
    pub(super) alignment: Option<u64>,
    /// The largest one asked for in an attribute, and not by `alignas`.
    pub(super) attribute_alignment: Option<u64>,
    pub(super) is_packed: bool,
    pub(super) is_restrict: bool,
    pub(super) is_grid_constant: bool,
    /// Why the layout cannot be known.
    pub(super) unknown: Option<String>,
}

impl Attributes {
    fn align(&mut self, alignment: u64, is_attribute: bool) {
        self.alignment = self.alignment.max(Some(alignment));
        if is_attribute {
            self.attribute_alignment = self.attribute_alignment.max(Some(alignment));
        }
    }
}

/// Words of a declaration that do not change what is read here.
pub(super) fn is_idle(word: &str) -> bool {
    matches!(
        word,
        "inline"
            | "__inline__"
            | "__inline"
            | "__forceinline__"
            | "__forceinline"
            | "__noinline__"
            | "virtual"
            | "explicit"
            | "friend"
            | "mutable"
            | "register"
            | "thread_local"
            | "__device__"
            | "__host__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "extern"
            | "consteval"
            | "constinit"
            | "__extension__"
            | "__global__"
            | "typename"
            | "__cdecl"
            | "__stdcall"
    )
}

/// Words that stand beside a type or a name and say something of it.
pub(super) fn is_attribute(word: &str) -> bool {
    is_qualifier(word) || takes_arguments(word)
}

pub(super) fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "__const"
            | "__const__"
            | "__volatile"
            | "__volatile__"
            | "__restrict__"
            | "__restrict"
            | "restrict"
            | "__grid_constant__"
    )
}

impl Unit {
    /// Reads specifiers up to the declarator.
    pub(super) fn specifiers(&mut self, c: &mut Cursor<'_>) -> Result<Specifiers, String> {
        self.deeper(|unit| unit.specifiers_inner(c))
    }

    fn specifiers_inner(&mut self, c: &mut Cursor<'_>) -> Result<Specifiers, String> {
        let mut ty: Option<Type> = None;
        let mut words = Words::default();
        let (mut is_const, mut is_volatile) = (false, false);
        let (mut is_typedef, mut is_static, mut is_constexpr) = (false, false, false);
        let mut attributes = Attributes::default();
        while let Some(token) = c.peek() {
            if self.attribute(c, &mut attributes) {
                continue;
            }
            if token.kind == Kind::PragmaPack || token.kind == Kind::Text {
                c.bump();
                continue;
            }
            let starts_path = token.is("::") && ty.is_none() && !words.any();
            if !token.is_identifier() && !starts_path {
                break;
            }
            match &*token.text {
                "const" | "__const" | "__const__" => is_const = true,
                "volatile" | "__volatile" | "__volatile__" => is_volatile = true,
                "typedef" => is_typedef = true,
                "static" => is_static = true,
                "constexpr" => is_constexpr = true,
                "typename" if ty.is_none() => {}
                word if is_idle(word) => {}
                word if is_builtin_word(word) && ty.is_none() => words.add(word),
                "struct" | "class" | "union" if ty.is_none() && !words.any() => {
                    ty = Some(self.record(c)?);
                    continue;
                }
                "enum" if ty.is_none() && !words.any() => {
                    ty = Some(self.enumeration(c)?);
                    continue;
                }
                "auto" if ty.is_none() => ty = Some(TypeKind::Dependent("auto".into()).into()),
                word if is_typeof(word) && ty.is_none() => {
                    c.bump();
                    let text = if c.is("(") { text_of(c.group()) } else { String::new() };
                    ty = Some(TypeKind::Named(format!("decltype({text})")).into());
                    continue;
                }
                "operator" => break,
                _ if ty.is_some() || words.any() => break,
                _ => {
                    if self.is_unknown_word(c) {
                        let word = token.text.to_string();
                        self.note(Problem::UnknownWord { word }, token);
                        c.bump();
                        if c.is("(") {
                            c.group();
                        }
                        continue;
                    }
                    ty = Some(self.named_type(c)?);
                    continue;
                }
            }
            c.bump();
        }
        let mut ty = match ty {
            Some(ty) => ty,
            None if words.any() => words.ty()?,
            None => return Err("a type is missing".into()),
        };
        ty.qualify(is_const, is_volatile);
        Ok(Specifiers { ty, is_typedef, is_static, is_constexpr: is_constexpr || is_const, attributes })
    }

    /// Passes over an attribute or a qualifier that is none of the type's, and takes what it says.
    pub(super) fn attribute(&mut self, c: &mut Cursor<'_>, attributes: &mut Attributes) -> bool {
        let Some(token) = c.peek() else { return false };
        match &*token.text {
            "__restrict__" | "__restrict" | "restrict" => {
                attributes.is_restrict = true;
                c.bump();
            }
            "__grid_constant__" => {
                attributes.is_grid_constant = true;
                c.bump();
            }
            word if is_alignment_word(word) && c.is_at(1, "(") => {
                c.bump();
                let inside = c.group();
                self.align(inside, attributes, !matches!(word, "alignas" | "_Alignas"));
            }
            word if takes_arguments(word) && c.is_at(1, "(") => {
                c.bump();
                let inside = c.group();
                self.words_of_attribute(inside, attributes);
            }
            "[" if token.kind == Kind::Punctuation && c.is_at(1, "[") => {
                let inside = c.group();
                self.standard_attributes(inside, attributes);
            }
            _ => return false,
        }
        true
    }

    /// What `[[…]]` says, of which the inner brackets are given: GNU's attributes, in their namespace.
    fn standard_attributes(&mut self, inside: &[Token], attributes: &mut Attributes) {
        let mut c = Cursor::new(inside);
        let mut rest = c.group();
        let is_gnu = |token: &Token| token.is("gnu") || token.is("__gnu__");
        let all_are_gnu =
            matches!(rest, [using, space, colon, ..] if using.is("using") && is_gnu(space) && colon.is(":"));
        if all_are_gnu {
            rest = &rest[3..];
        }
        for part in split_commas(rest) {
            match part {
                [space, colons, words @ ..] if is_gnu(space) && colons.is("::") => {
                    self.words_of_attribute(words, attributes);
                }
                _ if all_are_gnu => self.words_of_attribute(part, attributes),
                _ if part.iter().any(|t| t.is("no_unique_address")) => {
                    attributes.unknown = Some("`[[no_unique_address]]` is not laid out".into());
                }
                _ => {}
            }
        }
    }

    fn words_of_attribute(&mut self, inside: &[Token], attributes: &mut Attributes) {
        let mut c = Cursor::new(inside);
        while let Some(token) = c.peek() {
            match &*token.text {
                "packed" | "__packed__" => attributes.is_packed = true,
                "aligned" | "__aligned__" | "align" => {
                    c.bump();
                    if c.is("(") {
                        let argument = c.group();
                        self.align(argument, attributes, true);
                    } else {
                        // Without a number it is the largest alignment of the target.
                        attributes.align(16, true);
                    }
                    continue;
                }
                "vector_size" | "__vector_size__" | "ext_vector_type" | "mode" | "__mode__" | "ms_struct"
                | "__ms_struct__" => {
                    attributes.unknown = Some(format!("the attribute `{}` is not laid out", token.text));
                }
                "(" if token.kind == Kind::Punctuation => {
                    let inner = c.group();
                    if self.levels_left > 0 {
                        self.levels_left -= 1;
                        self.words_of_attribute(inner, attributes);
                        self.levels_left += 1;
                    }
                    continue;
                }
                _ => {}
            }
            c.bump();
        }
    }

    fn align(&mut self, argument: &[Token], attributes: &mut Attributes, is_attribute: bool) {
        let value = if super::expression::Names::is_type(self, argument) {
            super::expression::Names::layout(self, argument).map(|l| l.alignment)
        } else {
            evaluate(argument, self).map(|n| u64::try_from(n.value).unwrap_or(0))
        };
        match value {
            Ok(0) => {}
            Ok(n) if n.is_power_of_two() && n <= 1 << 28 => {
                attributes.align(n, is_attribute);
            }
            Ok(n) => attributes.unknown = Some(format!("{n} is no alignment")),
            Err(reason) => {
                attributes.unknown = Some(format!("the alignment `{}`: {reason}", text_of(argument)));
            }
        }
    }

    /// Reads a path that names something; `<` after a template's name opens arguments.
    pub(super) fn path(&mut self, c: &mut Cursor<'_>, is_type: bool) -> Option<Path> {
        let mut is_template = |path: &Path, c: &Cursor<'_>| {
            if is_type {
                return super::token::angle_end(c.tokens, c.at).is_some();
            }
            let end = super::token::angle_end(c.tokens, c.at);
            end.is_some_and(|end| {
                reads_as_arguments(c.tokens, c.at, end) || super::expression::Names::is_template(self, path)
            })
        };
        path(c, &mut is_template)
    }

    /// Reads the name of a type.
    pub(super) fn named_type(&mut self, c: &mut Cursor<'_>) -> Result<Type, String> {
        let start = c.at;
        let Some(path) = self.path(c, true) else {
            return Err(match c.peek() {
                Some(token) => format!("`{}` is no type", token.text),
                None => "a type is missing".into(),
            });
        };
        let written = &c.tokens[start..c.at];
        Ok(match self.find(&path) {
            Some(Entity::Type(ty)) => ty,
            Some(Entity::Dependent) => TypeKind::Dependent(text_of(written)).into(),
            Some(Entity::ClassTemplate(_)) | None if self.is_dependent(written) => {
                TypeKind::Dependent(text_of(written)).into()
            }
            _ => TypeKind::Named(text_of(written)).into(),
        })
    }

    /// Whether some name in the tokens depends on a parameter of the template being read.
    pub(super) fn is_dependent(&mut self, tokens: &[Token]) -> bool {
        tokens.iter().any(|token| {
            token.is_identifier() && {
                let part = super::expression::Part { name: token.text.clone(), arguments: None };
                let path = Path { is_global: false, parts: vec![part] };
                match self.find(&path) {
                    Some(Entity::Dependent) => true,
                    Some(Entity::Type(ty)) => ty.is_dependent(),
                    _ => false,
                }
            }
        })
    }

    /// Whether the word here is neither a type nor anything known, and a type follows it: a macro
    /// from a header that is not read.
    fn is_unknown_word(&mut self, c: &Cursor<'_>) -> bool {
        let Some(token) = c.peek().filter(|t| t.is_identifier()) else { return false };
        let part = super::expression::Part { name: token.text.clone(), arguments: None };
        if self.find(&Path { is_global: false, parts: vec![part] }).is_some() {
            return false;
        }
        let mut ahead = c.clone();
        ahead.bump();
        let had_arguments = ahead.is("(");
        if had_arguments {
            ahead.group();
        }
        let mut qualified = false;
        while ahead.peek().is_some_and(|t| t.is_identifier() && is_qualifier(&t.text)) {
            // `S const p` is complete, `S const float* p` is not.
            qualified = true;
            ahead.bump();
        }
        let Some(next) = ahead.bump().filter(|t| t.is_identifier()) else { return false };
        if is_builtin_word(&next.text)
            || matches!(&*next.text, "struct" | "class" | "union" | "enum" | "typename")
        {
            return true;
        }
        let Some(after) = ahead.peek() else { return had_arguments && !qualified };
        had_arguments
            || after.is_identifier() && !is_qualifier(&after.text)
            || ["*", "&", "::", "<"].iter().any(|s| after.is(s))
    }
}
