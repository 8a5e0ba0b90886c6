//! Reading kernels out of PTX, of any ISA version from 6.0.
//!
//! PTX keeps count, size, alignment, and whether a parameter is a float; a mangled name keeps the
//! types as well. The compiler's directives (`.maxntid`, `.reqnctapercluster`, …) give the bounds.

mod lexer;
mod parser;

use std::borrow::Cow;

use crate::{Module, Result};

/// Reads the kernels of a PTX text.
///
/// What stands after a NUL, up to which drivers read, is left out. Comments may be in any encoding.
///
/// # Errors
///
/// No `.version` stands at the beginning, a kernel's head does not read as PTX, or the text is cut off in a statement or a
/// body.
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
    parser::Parser::new(&text(data), file).module()
}

/// Whether the bytes begin like PTX: comments and blanks, then `.version`.
pub fn is_ptx(data: &[u8]) -> bool {
    let data = before_nul(data);
    let rest = &data[lexer::blanks(data)..];
    rest.strip_prefix(b".version").is_some_and(|after| !after.first().copied().is_some_and(lexer::is_word))
}

/// The first architecture that a PTX text is for, such as `sm_90a`; `None` where it names none.
///
/// ```
/// use warpcall_signature::ptx;
///
/// let target = ptx::target(b"/* .target sm_10 */ .version 8.8\n.target sm_90a, debug\n.address_size 64\n");
/// assert_eq!(target.as_deref(), Some("sm_90a"));
/// ```
pub fn target(data: &[u8]) -> Option<String> {
    let text = text(data);
    let mut tokens = lexer::Lexer::new(&text);
    tokens.find(|token| token.text == ".target")?;
    Some(tokens.next()?.text.to_owned())
}

/// The text that a driver reads, with what is not UTF-8 replaced.
fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(before_nul(data))
}

fn before_nul(data: &[u8]) -> &[u8] {
    &data[..data.iter().position(|byte| *byte == 0).unwrap_or(data.len())]
}
