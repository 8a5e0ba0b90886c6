//! Telling what an image is by its content, and reading it whatever it is.

use crate::{Module, Problem, Result, cubin, fatbin, ptx};

/// The formats an image can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// PTX text.
    Ptx,
    /// One compiled image, an ELF file for the GPU.
    Cubin,
    /// A container of images.
    Fatbin,
}

/// What the bytes are, by their content; `None` where they are none of the three.
pub fn detect(data: &[u8]) -> Option<Format> {
    if fatbin::is_fatbin(data) {
        Some(Format::Fatbin)
    } else if cubin::is_cubin(data) {
        Some(Format::Cubin)
    } else if ptx::is_ptx(data) {
        Some(Format::Ptx)
    } else {
        None
    }
}

/// Reads an image of any format, one [`Module`] for each image inside.
///
/// A PTX or a cubin gives one module. A fatbin gives one for each entry that could be read; an entry
/// that could not adds its reason to the notes of the first module. [`fatbin::read`] keeps them apart.
///
/// # Errors
///
/// The bytes are no image, or are damaged, or no entry of a fatbin can be read.
pub fn read(data: &[u8]) -> Result<Vec<Module>> {
    match detect(data) {
        Some(Format::Ptx) => Ok(vec![ptx::read(data)?]),
        Some(Format::Cubin) => Ok(vec![cubin::read(data)?]),
        Some(Format::Fatbin) => {
            let mut modules = Vec::new();
            let mut failures = Vec::new();
            for image in fatbin::read(data)? {
                match image.module {
                    Ok(module) => modules.push(module),
                    Err(failure) => failures.push(failure),
                }
            }
            if let Some(first) = modules.first_mut() {
                first.notes.append(&mut failures);
                return Ok(modules);
            }
            let empty =
                || Problem::Malformed { what: "the fatbin", reason: "it holds no image".into() }.into();
            Err(failures.into_iter().next().unwrap_or_else(empty))
        }
        None => Err(Problem::NotAnImage.into()),
    }
}
