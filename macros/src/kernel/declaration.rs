//! A declaration as it was written: own types that keep the user's tokens, so that every later step can
//! point at them.

use proc_macro2::TokenStream;
use syn::{Attribute, ExprPath, Ident, LitStr, Path, Type, Visibility, token};
use warpcall_signature::NameExpression;

/// A block of kernels, or one kernel that stands alone.
pub(super) struct Block {
    pub(super) options: Options,
    /// Attributes that hold of every kernel.
    pub(super) forwarded: Forwarded,
    /// The `extern "C"` or the `fn`, where there is nothing else to point at.
    pub(super) keyword: TokenStream,
    pub(super) functions: Vec<Function>,
}

/// The arguments of `#[kernel(…)]`.
#[derive(Default)]
pub(super) struct Options {
    pub(super) module: Option<LitStr>,
    pub(super) source: Option<LitStr>,
    pub(super) image: Option<LitStr>,
    /// The `embed_source`, where it stands.
    pub(super) embed_source: Option<Ident>,
    /// The strings of `defines(…)`.
    pub(super) defines: Vec<LitStr>,
    /// The strings of `include(…)`.
    pub(super) include: Vec<LitStr>,
    /// The strings of `only(…)`: the kernels of a file that are bound.
    pub(super) only: Vec<LitStr>,
    /// The strings of `skip(…)`: those that are not.
    pub(super) skip: Vec<LitStr>,
    pub(super) crate_path: Option<Path>,
    /// Whether an argument could not be read, so that nothing can be concluded from what is missing.
    pub(super) incomplete: bool,
}

/// Attributes that are written on the generated items again.
#[derive(Clone, Default)]
pub(super) struct Forwarded {
    /// On the launch function and on the static.
    pub(super) both: Vec<Attribute>,
    /// On the launch function alone.
    pub(super) launch: Vec<Attribute>,
    /// Those of `both` that decide if the item exists.
    pub(super) conditions: Vec<Attribute>,
}

/// One declared kernel.
pub(super) struct Function {
    pub(super) forwarded: Forwarded,
    pub(super) link_name: Option<LitStr>,
    pub(super) instances: Vec<Instance>,
    /// Whether an `#[instance]` could not be read, so that nothing can be concluded from what is missing.
    pub(super) has_bad_instance: bool,
    pub(super) host: Option<Host>,
    pub(super) visibility: Visibility,
    /// The `unsafe` of the launch function; `None` only where the declaration is refused for it.
    pub(super) unsafety: Option<token::Unsafe>,
    pub(super) ident: Ident,
    /// Its type parameters.
    pub(super) generics: Vec<Ident>,
    pub(super) parameters: Vec<Parameter>,
}

/// One `#[instance(…)]` of a kernel.
pub(super) struct Instance {
    pub(super) written: LitStr,
    /// The kernel's name in C++.
    pub(super) name: NameExpression,
    /// The types that stand for type parameters.
    pub(super) types: Vec<(Ident, Type)>,
}

/// The `#[host(…)]` of a kernel.
#[derive(Clone)]
pub(super) struct Host {
    /// The function that the host backend runs.
    pub(super) function: ExprPath,
    /// Whether that function takes the launch as its first argument.
    pub(super) takes_launch: bool,
}

/// One declared parameter.
pub(super) struct Parameter {
    /// `None` where a pattern stands in the place of a name.
    pub(super) ident: Option<Ident>,
    pub(super) marks: Marks,
    /// `None` for a `self`, which is refused.
    pub(super) ty: Option<Type>,
    /// The type as a person would write it, where it is longer to mean the same everywhere.
    pub(super) written: Option<String>,
}

/// What the attributes of a parameter say; each keeps its path, to be pointed at.
#[derive(Default)]
pub(super) struct Marks {
    /// A call may leave it out.
    pub(super) nullable: Option<Path>,
    /// Its type is the writer's word.
    pub(super) unchecked: Option<Path>,
    /// A `*mut` for what CUDA has as `const`.
    pub(super) allow_mut: Option<Path>,
    /// A `*const` for what CUDA has without `const`.
    pub(super) assume_const: Option<Path>,
    /// Its name in CUDA.
    pub(super) name: Option<LitStr>,
}
