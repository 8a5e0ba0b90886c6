//! Kernels by their names in C++: `#[instance("scale<float, 4>")]`, and families that are generic over types.
//!
//! A family is one function with type parameters. Each of its instances is a kernel of its own in the model, with the types
//! in the place of the parameters; so the proof and the host backend see kernels without parameters. The launch function
//! alone is generic, over a trait that is implemented for the types of the instances.

mod attribute;
pub(super) mod expand;
mod family;
mod generics;
mod substitute;

pub(super) use attribute::read;
pub(super) use family::{of, refuse_others};
pub(super) use generics::{mentions, type_parameters};
