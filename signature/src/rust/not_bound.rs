//! Why a kernel has no declaration.

use std::fmt;

/// Why no declaration can be made for a kernel. What to do about it depends on who makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotBound {
    /// It is a template, and no instance of it is known by its symbol.
    Template,
    /// It is local to its file: `static`, or in an unnamed namespace.
    Local,
    /// Its symbol is mangled, and no image tells it.
    Mangled,
    /// Only its declaration is there.
    Undefined,
    /// It takes a parameter pack.
    Pack,
    /// Its parameters cannot all be read; why, where that is known.
    Unreadable(Option<String>),
    /// A kernel of its name has other parameters, and its name in C++ does not tell them apart.
    Overloaded,
    /// The instance of a template that it should be cannot be made, for this reason.
    NoInstance(String),
    /// The source has it, the image does not.
    NotInImage,
    /// The image has it, the source does not.
    NotInSource,
    /// The image has it with other parameters than the source.
    OtherParameters,
    /// Nothing stands for a parameter.
    Parameter {
        /// The parameter's name, or its number.
        parameter: String,
        /// Why.
        reason: String,
        /// Whether the kernel comes from an image that does not keep the parameter's type.
        is_untyped: bool,
    },
}

impl fmt::Display for NotBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Template => "it is a template",
            Self::Local => "it is local to its file, so its name in the module is made up by the compiler",
            Self::Mangled => "it is not `extern \"C\"`, so its name in the module is a mangled one",
            Self::Undefined => "it is only declared here",
            Self::Pack => "it takes any number of parameters",
            Self::Unreadable(None) => "its parameters cannot all be read",
            Self::Unreadable(Some(reason)) | Self::NoInstance(reason) => reason,
            Self::Overloaded => "there are several of this name, which their names in C++ do not tell apart",
            Self::NotInImage => "the image has no kernel of this name",
            Self::NotInSource => "the image has it, but the source has no kernel of this name",
            Self::OtherParameters => "it takes other parameters in the image than in the source",
            Self::Parameter { parameter, reason, .. } => {
                return write!(f, "parameter {parameter}: {reason}");
            }
        })
    }
}
