//! Reading fatbins, the containers of PTX and cubins that `nvcc` and `fatbinary` write.
//!
//! NVIDIA does not document the format; what is read here is what CUDA 11 to 13 write. A container is
//! a header of 16 bytes and entries one after another, each with a header and a payload that may be
//! compressed with LZ4 or Zstandard.

use std::io::Read;

use crate::bytes::{slice, u16_at, u32_at, u64_at};
use crate::{Diagnostic, Format, Module, Problem, Result, cubin, ptx};

const MAGIC: u32 = 0xBA55_ED50;
const KIND_PTX: u16 = 1;
const KIND_ELF: u16 = 2;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// Largest image that is unpacked; a compressed payload says itself how large it becomes.
const LARGEST_IMAGE: u64 = 1 << 30;
/// All images of one container together.
const LARGEST_TOTAL: u64 = 1 << 31;
/// LZ4 makes at most 255 bytes of one; Zstandard may make more, but code never does.
const MOST_COMPRESSION: u64 = 256;

/// One image of a fatbin.
#[derive(Debug, Clone)]
pub struct Image {
    /// PTX or cubin.
    pub format: Format,
    /// The architecture it is for, such as `sm_90`.
    pub target: String,
    /// The kernels, or why the image cannot be read.
    pub module: Result<Module>,
}

/// Whether the bytes begin like a fatbin.
pub fn is_fatbin(data: &[u8]) -> bool {
    u32_at(data, 0, "the header").is_ok_and(|magic| magic == MAGIC)
}

/// Reads every image of a fatbin; several containers may stand one after another.
///
/// # Errors
///
/// The container itself is damaged. An image in it that cannot be read has its own error in
/// [`Image::module`].
pub fn read(data: &[u8]) -> Result<Vec<Image>> {
    let mut images = Vec::new();
    let mut total = 0;
    let mut at = 0;
    if !is_fatbin(data) {
        return Err(Problem::NotAnImage.into());
    }
    while data.get(at..).is_some_and(is_fatbin) {
        let what = "the header of the fatbin";
        let header = usize::from(u16_at(data, at + 6, what)?);
        let size = length(u64_at(data, at + 8, what)?, what, at + 8)?;
        if header < 16 {
            return Err(Problem::Malformed { what, reason: format!("it is {header} bytes long") }.into());
        }
        let start = at + header;
        let entries = slice(data, start, size, "the fatbin")?;
        read_entries(entries, &mut total, &mut images)?;
        at = start + size;
    }
    Ok(images)
}

fn length(value: u64, what: &'static str, offset: usize) -> Result<usize> {
    let beyond = |_| Problem::Truncated { what, offset, needed: usize::MAX }.into();
    usize::try_from(value).map_err(beyond)
}

fn read_entries(entries: &[u8], total: &mut u64, images: &mut Vec<Image>) -> Result<()> {
    let what = "the header of an entry";
    let mut at = 0;
    while at < entries.len() {
        let kind = u16_at(entries, at, what)?;
        let header = length(u64::from(u32_at(entries, at + 4, what)?), what, at + 4)?;
        let size = length(u64_at(entries, at + 8, what)?, what, at + 8)?;
        if header < 64 {
            return Err(Problem::Malformed { what, reason: format!("it is {header} bytes long") }.into());
        }
        let head = slice(entries, at, header, what)?;
        let payload = slice(entries, at + header, size, "an image of the fatbin")?;
        at += header + size;
        let format = match kind {
            KIND_PTX => Format::Ptx,
            KIND_ELF => Format::Cubin,
            // Others, such as link-time code, hold nothing that can be launched.
            _ => continue,
        };
        let target = format!("sm_{}", u32_at(head, 28, what)?);
        let mut module = unpack(head, payload, total).and_then(|image| match format {
            Format::Ptx => ptx::read(&image),
            _ => cubin::read(&image),
        });
        if let Ok(module) = &mut module {
            module.target.get_or_insert_with(|| target.clone());
        }
        images.push(Image { format, target, module });
    }
    Ok(())
}

/// The image of an entry, decompressed.
fn unpack(head: &[u8], payload: &[u8], total: &mut u64) -> Result<Vec<u8>> {
    let what = "the header of an entry";
    let flags = u64_at(head, 40, what)?;
    if flags & (FLAG_LZ4 | FLAG_ZSTD) == 0 {
        grow(total, payload.len() as u64)?;
        return Ok(payload.to_vec());
    }
    let packed = length(u64::from(u32_at(head, 16, what)?), what, 16)?;
    let unpacked = u64_at(head, 56, what)?;
    let packed = slice(payload, 0, packed, "a compressed image")?;
    if unpacked > LARGEST_IMAGE || unpacked / MOST_COMPRESSION > packed.len() as u64 {
        let reason = format!("{} bytes are said to become {unpacked}", packed.len());
        return Err(Problem::Malformed { what: "a compressed image", reason }.into());
    }
    grow(total, unpacked)?;
    let size = length(unpacked, what, 56)?;
    let image =
        if flags & FLAG_ZSTD != 0 { unpack_zstd(packed, unpacked)? } else { unpack_lz4(packed, size)? };
    if image.len() == size {
        return Ok(image);
    }
    let reason = format!("it becomes {} bytes instead of {size}", image.len());
    Err(Problem::Malformed { what: "a compressed image", reason }.into())
}

fn grow(total: &mut u64, by: u64) -> Result<()> {
    *total = total.saturating_add(by);
    if *total <= LARGEST_TOTAL {
        return Ok(());
    }
    let reason = "its images are larger than two gigabytes together".to_owned();
    Err(Problem::Unsupported { what: "the fatbin", reason }.into())
}

fn broken(fault: impl std::fmt::Display) -> Diagnostic {
    Problem::Malformed { what: "a compressed image", reason: fault.to_string() }.into()
}

fn unpack_lz4(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    lz4_flex::block::decompress(packed, size).map_err(broken)
}

fn unpack_zstd(packed: &[u8], size: u64) -> Result<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(broken)?;
    let mut image = Vec::new();
    // One byte more than promised shows that the promise was wrong.
    decoder.take(size + 1).read_to_end(&mut image).map_err(broken)?;
    Ok(image)
}
