//! One model of a kernel's signature, filled by every reader.

mod alignments;
mod display;
mod kernel;
mod module;
mod parameter;
mod position;
mod record;
mod scalar;
mod stand_in;
mod types;

pub use alignments::Alignments;
pub(crate) use kernel::namespace;
pub use kernel::{
    Constant, Instance, Kernel, LaunchBounds, Linkage, Template, TemplateParameter, Unevaluated,
};
pub use module::{HiddenKernel, Module, Named};
pub use parameter::{Class, Parameter};
pub use position::{Expansion, Origin, Position};
pub use record::{Enumeration, Field, Layout, Record, RecordKind};
pub use scalar::{Scalar, Vector};
pub use types::{FunctionType, Type, TypeKind};
