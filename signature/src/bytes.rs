//! Reading little-endian numbers out of untrusted bytes.

use crate::{Problem, Result};

/// The `len` bytes at `offset`, or an error that names what was being read.
pub(crate) fn slice<'a>(data: &'a [u8], offset: usize, len: usize, what: &'static str) -> Result<&'a [u8]> {
    offset
        .checked_add(len)
        .and_then(|end| data.get(offset..end))
        .ok_or_else(|| Problem::Truncated { what, offset, needed: len }.into())
}

fn array<const N: usize>(data: &[u8], offset: usize, what: &'static str) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    bytes.copy_from_slice(slice(data, offset, N, what)?);
    Ok(bytes)
}

/// The 16-bit number at `offset`.
pub(crate) fn u16_at(data: &[u8], offset: usize, what: &'static str) -> Result<u16> {
    Ok(u16::from_le_bytes(array(data, offset, what)?))
}

/// The 32-bit number at `offset`.
pub(crate) fn u32_at(data: &[u8], offset: usize, what: &'static str) -> Result<u32> {
    Ok(u32::from_le_bytes(array(data, offset, what)?))
}

/// The 64-bit number at `offset`.
pub(crate) fn u64_at(data: &[u8], offset: usize, what: &'static str) -> Result<u64> {
    Ok(u64::from_le_bytes(array(data, offset, what)?))
}
