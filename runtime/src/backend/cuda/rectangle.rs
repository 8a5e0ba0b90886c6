//! Whether a copy of a rectangle can be made.

use crate::backend::Copy2d;
use crate::error::{Error, MemoryProblem, Result};

const OPERATION: &str = "copy_2d_async";

/// The bytes from the first of the first row to the last of the last, of what is written and of what is read.
///
/// # Errors
///
/// Where a row is wider than a pitch, a pitch is above `max_pitch`, or the extent passes the address space.
pub(super) fn extents(copy: &Copy2d, max_pitch: usize) -> Result<[usize; 2]> {
    let extent = |pitch: usize, whose: &str| {
        let refuse = |what: &str, found: usize, expected: String| {
            Err(Error::InvalidArgument {
                operation: OPERATION,
                what: what.into(),
                found: found.to_string().into(),
                expected: expected.into(),
            })
        };
        if copy.width > pitch {
            return refuse("the width", copy.width, format!("at most the pitch of {whose}, {pitch}"));
        }
        if pitch > max_pitch {
            return refuse(
                &format!("the pitch of {whose}"),
                pitch,
                format!("at most {max_pitch} on this device"),
            );
        }
        match pitch.checked_mul(copy.height - 1).and_then(|rows| rows.checked_add(copy.width)) {
            Some(bytes) => Ok(bytes),
            None => refuse("the height", copy.height, "rows within the address space".to_owned()),
        }
    };
    Ok([extent(copy.dst_pitch, "the destination")?, extent(copy.src_pitch, "the source")?])
}

/// Refuses a copy of which a row that is written overlaps one that is read.
///
/// # Errors
///
/// Names the two first rows.
pub(super) fn refuse_overlap(copy: &Copy2d) -> Result<()> {
    if copy.rows_overlap() { Err(overlap(copy)) } else { Ok(()) }
}

fn overlap(copy: &Copy2d) -> Error {
    Error::Memory {
        operation: OPERATION.into(),
        ptr: copy.dst,
        bytes: copy.dst_pitch.saturating_mul(copy.height),
        problem: MemoryProblem::Overlap { other: copy.src },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::DevicePtr;

    fn copy(dst: u64, dst_pitch: usize, src: u64, src_pitch: usize, width: usize, height: usize) -> Copy2d {
        Copy2d { dst: DevicePtr::new(dst), dst_pitch, src: DevicePtr::new(src), src_pitch, width, height }
    }

    #[test]
    fn the_last_row_ends_the_extent() {
        assert_eq!(extents(&copy(0, 100, 0, 50, 10, 3), 1000).unwrap(), [210, 110]);
        assert_eq!(extents(&copy(0, 100, 0, 50, 10, 1), 1000).unwrap(), [10, 10]);
    }

    #[test]
    fn a_row_wider_than_a_pitch_is_refused_with_both_numbers() {
        let error = extents(&copy(0, 100, 0, 50, 60, 3), 1000).unwrap_err().to_string();
        assert!(error.contains("60") && error.contains("50") && error.contains("source"), "{error}");
    }

    #[test]
    fn a_pitch_beyond_the_devices_is_refused_with_both_numbers() {
        assert_eq!(extents(&copy(0, 1000, 0, 1000, 10, 2), 1000).unwrap(), [1010, 1010]);
        for (copy, whose) in
            [(copy(0, 1001, 0, 50, 10, 2), "destination"), (copy(0, 50, 0, 1001, 10, 2), "source")]
        {
            let error = extents(&copy, 1000).unwrap_err().to_string();
            assert!(
                error.contains("1001") && error.contains("at most 1000") && error.contains(whose),
                "{error}"
            );
        }
    }

    #[test]
    fn an_extent_beyond_the_address_space_is_refused() {
        assert!(extents(&copy(0, usize::MAX, 0, usize::MAX, 1, 3), usize::MAX).is_err());
    }
}
