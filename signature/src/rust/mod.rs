//! What stands in Rust for CUDA's kernels: names, types, and whole declarations.
//!
//! `#[kernel]` compares declarations by these tables and writes its own by them where it binds a whole file; the command
//! `warpcall bind` prints the same.

mod candidate;
mod declaration;
mod names;
mod not_bound;
mod types;
mod words;

pub use candidate::{Candidate, candidates, cpp_names};
pub use declaration::{Declaration, DeclaredParameter, declare};
pub use names::{Members, camel_case, identifier, similar, snake_case, static_name, unique};
pub use not_bound::NotBound;
pub use types::{Missing, ParameterType, RustType, Structs, of_field, of_parameter};
pub use words::{name_of_vector, names_of_scalar, scalar_named, vector_named};
