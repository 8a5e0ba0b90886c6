//! Reading kernels out of PTX, of any ISA version from 6.0.
//!
//! PTX keeps count, size, alignment, and whether a parameter is a float; a mangled name keeps the
//! types as well. The compiler's directives (`.maxntid`, `.reqnctapercluster`, …) give the bounds.

mod lexer;
mod parser;

use crate::{Module, Problem, Result};

/// Reads the kernels of a PTX text.
///
/// A trailing NUL, which drivers ask for, may be there or not.
///
/// # Errors
///
/// The bytes are no text, no `.version` stands at the beginning, or a kernel's head does not read as
/// PTX.
///
/// ```
/// let module = warpcall_signature::ptx::read(
///     b".version 8.5\n.target sm_90\n.address_size 64\n\
///       .visible .entry k(.param .u64 .ptr .global .align 16 x, .param .align 16 .b8 v[16])\n\
///       .maxntid 256 { ret; }",
/// )?;
/// let kernel = &module.kernels[0];
/// assert_eq!(kernel.parameters[1].size, Some(16));
/// assert_eq!(kernel.bounds.max_threads_per_block.as_ref().and_then(|c| c.value()), Some(256));
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
pub fn read(data: &[u8]) -> Result<Module> {
    read_named(data, "PTX")
}

/// Reads the kernels of a PTX text, with a file name for positions.
///
/// # Errors
///
/// As for [`read`].
pub fn read_named(data: &[u8], file: &str) -> Result<Module> {
    let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let text = std::str::from_utf8(&data[..end]).map_err(|_| Problem::NotText)?;
    parser::Parser::new(text, file).module()
}

/// Whether the bytes begin like PTX: comments and blanks, then `.version`.
pub fn is_ptx(data: &[u8]) -> bool {
    let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let text = match std::str::from_utf8(&data[..end]) {
        Ok(text) => text,
        // What stands before the fault is enough to tell.
        Err(fault) => std::str::from_utf8(&data[..fault.valid_up_to()]).unwrap_or_default(),
    };
    lexer::Lexer::new(text).next().is_some_and(|token| token.text == ".version")
}
