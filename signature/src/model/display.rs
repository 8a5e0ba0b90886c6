//! How types and kernels are shown in messages: as CUDA C++.

use std::fmt;

use super::{FunctionType, Kernel, Parameter, Type, TypeKind};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Pointer(to) => write_indirect(f, to, "*")?,
            TypeKind::Reference(to) => write_indirect(f, to, "&")?,
            TypeKind::MemberPointer(to) => write!(f, "{to} T::*")?,
            TypeKind::Array { element, length } => {
                return match length {
                    Some(n) => write!(f, "{element}[{n}]"),
                    None => write!(f, "{element}[]"),
                };
            }
            _ => {
                self.write_qualifiers(f, false)?;
                return self.write_plain(f);
            }
        }
        self.write_qualifiers(f, true)
    }
}

impl Type {
    fn write_qualifiers(&self, f: &mut fmt::Formatter<'_>, after: bool) -> fmt::Result {
        for (on, word) in [(self.is_const, "const"), (self.is_volatile, "volatile")] {
            match (on, after) {
                (true, true) => write!(f, " {word}")?,
                (true, false) => write!(f, "{word} ")?,
                (false, _) => {}
            }
        }
        Ok(())
    }

    fn write_plain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Void => f.write_str("void"),
            TypeKind::Scalar(s) => f.write_str(s.name()),
            TypeKind::Vector(v) => f.write_str(&v.name()),
            TypeKind::TensorMap => f.write_str("CUtensorMap"),
            TypeKind::Record(r) => f.write_str(&r.name),
            TypeKind::Enum(e) => f.write_str(&e.name),
            TypeKind::Named(name) | TypeKind::Dependent(name) => f.write_str(name),
            TypeKind::Function(function) => write_function(f, function, ""),
            TypeKind::Pointer(_)
            | TypeKind::Reference(_)
            | TypeKind::MemberPointer(_)
            | TypeKind::Array { .. } => write!(f, "{self}"),
        }
    }
}

fn write_indirect(f: &mut fmt::Formatter<'_>, to: &Type, mark: &str) -> fmt::Result {
    match &to.kind {
        TypeKind::Function(function) => write_function(f, function, &format!("({mark})")),
        TypeKind::Array { element, length: Some(n) } => write!(f, "{element} ({mark})[{n}]"),
        TypeKind::Array { element, length: None } => write!(f, "{element} ({mark})[]"),
        _ => write!(f, "{to}{mark}"),
    }
}

fn write_function(f: &mut fmt::Formatter<'_>, function: &FunctionType, name: &str) -> fmt::Result {
    write!(f, "{} {name}(", function.result)?;
    for (i, parameter) in function.parameters.iter().enumerate() {
        write!(f, "{}{parameter}", if i == 0 { "" } else { ", " })?;
    }
    let dots = match (function.is_variadic, function.parameters.is_empty()) {
        (true, true) => "...",
        (true, false) => ", ...",
        (false, _) => "",
    };
    write!(f, "{dots})")
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
