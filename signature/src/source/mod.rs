//! Reading kernels out of CUDA C++ source.
//!
//! The source is preprocessed as `nvcc` would do it, because most kernels come out of macros. System
//! headers are not read; what kernels' signatures need of them is built in. Then the declarations
//! are read: aliases, structs, templates, constants and kernels. Function bodies are passed over.

mod ahead;
mod alias;
mod bounds;
mod constants;
mod declarations;
mod declarator;
mod document;
mod enumeration;
mod expression;
mod function;
mod head;
mod includes;
mod instance;
mod kernel;
mod layout;
mod lexer;
mod loader;
mod member;
mod merge;
mod name_expression;
mod number;
mod preprocess;
mod reader;
mod record;
mod scope;
mod specifiers;
mod template;
mod token;
mod unit;
mod unnamed;
mod words;

pub use includes::{Include, includes};
pub use loader::{FileLoader, Loaded, Loader, NoFiles};
pub use name_expression::NameExpression;
pub use reader::{Limits, SourceReader};

pub(crate) use reader::parse_parameter_types;
