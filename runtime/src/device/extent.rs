//! Lengths, sizes and ranges, checked before anything is done with them.

use std::ops::{Bound, Range, RangeBounds};

use crate::error::{Error, Result};

/// The alignment that every backend gives device memory, in bytes.
const DEVICE_ALIGN: usize = 256;

/// The alignment that every backend gives pinned memory, in bytes.
const PINNED_ALIGN: usize = 64;

/// The bytes of `len` elements of type `T` in device memory.
pub(super) fn device_bytes<T>(operation: &'static str, len: usize) -> Result<usize> {
    bytes_aligned::<T>(operation, len, DEVICE_ALIGN)
}

/// The bytes of `len` elements of type `T` in pinned memory.
pub(super) fn pinned_bytes<T>(operation: &'static str, len: usize) -> Result<usize> {
    bytes_aligned::<T>(operation, len, PINNED_ALIGN)
}

fn bytes_aligned<T>(operation: &'static str, len: usize, align: usize) -> Result<usize> {
    if align_of::<T>() > align {
        return Err(Error::InvalidArgument {
            operation,
            what: format!("the alignment of `{}`", std::any::type_name::<T>()).into(),
            found: format!("{} bytes", align_of::<T>()).into(),
            expected: format!("at most {align}, which is what the memory has").into(),
        });
    }
    // No piece of memory is longer than `isize::MAX` bytes, Rust's slices are not.
    let fits = |bytes: &usize| isize::try_from(*bytes).is_ok();
    len.checked_mul(size_of::<T>()).filter(fits).ok_or_else(|| Error::InvalidArgument {
        operation,
        what: "the length".into(),
        found: format!("{len} elements of {} bytes", size_of::<T>()).into(),
        expected: format!("at most {} bytes in all", isize::MAX).into(),
    })
}

/// The range that `bounds` cuts out of `len` elements.
pub(super) fn range_within(
    operation: &'static str,
    bounds: &impl RangeBounds<usize>,
    len: usize,
) -> Result<Range<usize>> {
    let after = |index: usize| index.checked_add(1);
    let start = match bounds.start_bound() {
        Bound::Included(start) => Some(*start),
        Bound::Excluded(before) => after(*before),
        Bound::Unbounded => Some(0),
    };
    let end = match bounds.end_bound() {
        Bound::Included(last) => after(*last),
        Bound::Excluded(end) => Some(*end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => Err(Error::InvalidArgument {
            operation,
            what: "the range".into(),
            found: written(bounds).into(),
            expected: format!("a range within the {len} elements 0..{len}").into(),
        }),
    }
}

/// The bounds as they are written in Rust.
fn written(bounds: &impl RangeBounds<usize>) -> String {
    let start = match bounds.start_bound() {
        Bound::Included(start) => start.to_string(),
        Bound::Excluded(before) => format!("(after {before})"),
        Bound::Unbounded => String::new(),
    };
    match bounds.end_bound() {
        Bound::Included(last) => format!("{start}..={last}"),
        Bound::Excluded(end) => format!("{start}..{end}"),
        Bound::Unbounded => format!("{start}.."),
    }
}

/// Whether the other side of a copy has as many elements as this side.
pub(super) fn same_len(
    operation: &'static str,
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation,
        what: what.into(),
        found: format!("{found} elements").into(),
        expected: format!("{expected}, the length of the device memory").into(),
    })
}
