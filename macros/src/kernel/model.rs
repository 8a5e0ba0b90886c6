//! What checked declarations mean: everything that the expansion needs, and nothing that can be wrong.

use std::path::PathBuf;

use syn::{Ident, LitStr, PointerMutability, Type, Visibility, token};
use warpcall_signature::NameExpression;

use super::declaration::{Forwarded, Host};
use crate::crate_path::CratePath;

/// The module that a block's kernels belong to.
pub(super) struct Module {
    /// The path of the runtime crate.
    pub(super) krate: CratePath,
    pub(super) name: LitStr,
    pub(super) source: Option<File>,
    pub(super) image: Option<File>,
    /// Whether the source is embedded beside an image.
    pub(super) embed_source: bool,
    /// The macros with which the source is read.
    pub(super) defines: Vec<Define>,
    /// The folders in which the source's headers are looked for.
    pub(super) include: Vec<PathBuf>,
    pub(super) kernels: Vec<Kernel>,
}

impl Module {
    /// The source, where it is embedded: for want of an image, or on demand.
    pub(super) fn embedded_source(&self) -> Option<&File> {
        self.source.as_ref().filter(|_| self.embed_source || self.image.is_none())
    }
}

/// A file that the declaration names.
pub(super) struct File {
    /// As written in the attribute.
    pub(super) written: LitStr,
    /// What the written path is relative to.
    pub(super) base: Base,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// A macro that is defined before the source is read.
pub(super) struct Define {
    pub(super) name: String,
    pub(super) value: String,
}

/// What a path is relative to.
pub(super) enum Base {
    /// Nothing: it is absolute.
    Absolute(PathBuf),
    /// The folder of the user's `Cargo.toml`.
    Manifest(PathBuf),
    /// The folder a build script writes to: the path after `$OUT_DIR/`.
    OutDir(PathBuf),
}

/// One kernel, or a family of them.
#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) forwarded: Forwarded,
    pub(super) visibility: Visibility,
    pub(super) unsafety: token::Unsafe,
    /// What the kernel is called in messages: its name in C++ where the declaration has it, else the function's without an
    /// `r#`.
    pub(super) name: String,
    /// The name as it was declared, to be pointed at.
    pub(super) ident: Ident,
    /// The kernel's name in the module: its symbol, or its name in C++.
    pub(super) symbol: LitStr,
    /// Its name in C++, where that is how it is declared.
    pub(super) cpp: Option<CppName>,
    /// Its instances, where it is generic over types.
    pub(super) family: Option<Family>,
    /// The name of the launch function.
    pub(super) launch: Ident,
    /// The name of the static.
    pub(super) item: Ident,
    pub(super) host: Option<Host>,
    pub(super) parameters: Vec<Parameter>,
}

/// The name of a kernel in C++.
#[derive(Clone)]
pub(super) struct CppName {
    pub(super) name: NameExpression,
    /// The mangled symbol, where the image has told it.
    pub(super) symbol: Option<String>,
}

/// What a kernel is that is generic over types.
#[derive(Clone)]
pub(super) struct Family {
    /// The trait of the types that have an instance.
    pub(super) bound: Ident,
    /// The type parameters.
    pub(super) parameters: Vec<Ident>,
    /// The types of each instance.
    pub(super) types: Vec<Vec<Type>>,
    /// The instances as kernels of their own, with types in the place of the parameters.
    pub(super) instances: Vec<Kernel>,
}

impl Module {
    /// As [`concrete`](Self::concrete), in the same order.
    pub(super) fn concrete_mut(&mut self) -> impl Iterator<Item = &mut Kernel> {
        self.kernels.iter_mut().flat_map(|kernel| match kernel.family {
            Some(_) => kernel.family.as_mut().map_or(&mut [][..], |family| &mut family.instances),
            None => std::slice::from_mut(kernel),
        })
    }

    /// The names in C++ by which kernels are declared.
    pub(super) fn cpp_names(&self) -> Vec<NameExpression> {
        self.concrete().filter_map(|kernel| kernel.cpp.as_ref().map(|cpp| cpp.name.clone())).collect()
    }

    /// The kernels that there are on the device.
    pub(super) fn concrete(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.iter().flat_map(Kernel::concrete)
    }
}

impl Kernel {
    /// Itself, or its instances.
    pub(super) fn concrete(&self) -> &[Self] {
        self.family.as_ref().map_or(std::slice::from_ref(self), |family| &family.instances)
    }
}

/// One parameter.
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) ident: Ident,
    /// The name of the launch function's parameter.
    pub(super) binding: Ident,
    /// The name without an `r#`.
    pub(super) name: String,
    /// The name in CUDA: the same, unless the declaration says another.
    pub(super) cuda_name: String,
    pub(super) ty: Type,
    /// The type as text.
    pub(super) written: String,
    pub(super) passing: Passing,
    pub(super) freedom: Freedom,
    /// Whether its type names a type parameter of the kernel.
    pub(super) is_generic: bool,
    /// The type as text with the type parameter in it, of an instance.
    pub(super) generic: Option<String>,
}

/// In what a parameter may differ from the CUDA code, because the declaration says so.
#[derive(Clone, Copy, Default)]
pub(super) struct Freedom {
    /// In its type.
    pub(super) unchecked: bool,
    /// It is `*mut`, what CUDA has as `const`.
    pub(super) allow_mut: bool,
    /// It is `*const`, what CUDA has without `const`.
    pub(super) assume_const: bool,
}

impl Parameter {
    /// Its type as it is declared, for messages.
    pub(super) fn declared(&self) -> String {
        match &self.generic {
            Some(generic) => format!("`{generic}`, here `{}`", self.written),
            None => format!("`{}`", self.written),
        }
    }

    /// Whether it is a value, and no pointer to device memory.
    pub(super) fn is_value(&self) -> bool {
        matches!(self.passing, Passing::Value | Passing::TensorMap)
    }

    /// Whether a call may leave it out.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(self.passing, Passing::Pointer { nullable: true, .. })
    }
}

/// How a parameter reaches the kernel.
#[derive(Clone)]
pub(super) enum Passing {
    /// As the address of device memory.
    Pointer {
        /// `*const` or `*mut`.
        mutability: PointerMutability,
        element: Element,
        nullable: bool,
    },
    /// As the bytes of a value.
    Value,
    /// As the 128 bytes of a tensor map, which is borrowed.
    TensorMap,
}

/// What a pointer points to.
#[derive(Clone)]
pub(super) enum Element {
    Typed(Box<Type>),
    /// `c_void`, in the user's words: memory of any element.
    Void(Box<Type>),
    /// A device address: the parameter is a pointer to pointers.
    Address,
}
