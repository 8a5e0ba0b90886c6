//! How types and kernels are shown in messages: as CUDA C++.

use std::borrow::Cow;
use std::fmt;

use super::{FunctionType, Kernel, Parameter, Type, TypeKind};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.around(String::new()))
    }
}

impl Type {
    /// The declaration of a name as this type.
    pub(crate) fn declaring(&self, name: &str) -> String {
        let text = self.around(format!(" {name}"));
        text.trim_end().to_owned()
    }

    /// The declaration of `inner`, which stands where the name would, as this type: C++ writes types from the inside out.
    fn around(&self, inner: String) -> String {
        match &self.kind {
            TypeKind::Pointer(to) => to.behind("*", self, &inner),
            TypeKind::Reference(to) => to.behind("&", self, &inner),
            TypeKind::MemberPointer(to) if to.is_suffixed() => to.behind("T::*", self, &inner),
            TypeKind::MemberPointer(to) => to.behind(" T::*", self, &inner),
            TypeKind::Array { element, length } => {
                let length = length.map(|n| n.to_string()).unwrap_or_default();
                element.around(format!("{inner}[{length}]"))
            }
            TypeKind::Function(function) => function.result.around(inner + &parameters(function)),
            _ => {
                let constant = if self.is_const { "const " } else { "" };
                let volatile = if self.is_volatile { "volatile " } else { "" };
                format!("{constant}{volatile}{}{}{inner}", self.plain(), gap(&inner))
            }
        }
    }

    /// The declaration of what `pointer`, written as `mark`, leads to.
    fn behind(&self, mark: &str, pointer: &Self, inner: &str) -> String {
        let constant = if pointer.is_const { " const" } else { "" };
        let volatile = if pointer.is_volatile { " volatile" } else { "" };
        let marked = format!("{mark}{constant}{volatile}{}{inner}", gap(inner));
        self.around(if self.is_suffixed() { format!("({marked})") } else { marked })
    }

    /// Whether part of it stands behind the name.
    fn is_suffixed(&self) -> bool {
        matches!(self.kind, TypeKind::Array { .. } | TypeKind::Function(_))
    }

    fn plain(&self) -> Cow<'_, str> {
        match &self.kind {
            TypeKind::Void => "void".into(),
            TypeKind::Scalar(s) => s.name().into(),
            TypeKind::Vector(v) => v.name().into(),
            TypeKind::TensorMap => "CUtensorMap".into(),
            TypeKind::Record(r) => (&*r.name).into(),
            TypeKind::Enum(e) => (&*e.name).into(),
            TypeKind::Named(name) | TypeKind::Dependent(name) => (&**name).into(),
            TypeKind::Pointer(_)
            | TypeKind::Reference(_)
            | TypeKind::MemberPointer(_)
            | TypeKind::Array { .. }
            | TypeKind::Function(_) => self.to_string().into(),
        }
    }
}

/// What stands between a word and what follows it.
fn gap(inner: &str) -> &'static str {
    if inner.starts_with('(') { " " } else { "" }
}

fn parameters(function: &FunctionType) -> String {
    let mut list: Vec<String> = function.parameters.iter().map(ToString::to_string).collect();
    list.extend(function.is_variadic.then(|| "...".to_owned()));
    format!("({})", list.join(", "))
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.ty, self.size) {
            (Some(ty), _) => write!(f, "{ty}")?,
            (None, Some(size)) => {
                write!(f, "{size} byte{}", if size == 1 { "" } else { "s" })?;
                match self.class {
                    super::Class::Float => f.write_str(" of float")?,
                    super::Class::Integer => f.write_str(" of integer")?,
                    super::Class::Pointer => f.write_str(" of pointer")?,
                    super::Class::Bytes | super::Class::Unknown => {}
                }
            }
            (None, None) => f.write_str("?")?,
        }
        if self.is_pack {
            f.write_str("...")?;
        }
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Kernel {
    /// The name and the parameters: `scale(float* x, float by, int n)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.qualified_name())?;
        for (i, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}{parameter}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
