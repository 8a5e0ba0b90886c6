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
    let (mut dst, mut src) = (copy.dst.address(), copy.src.address());
    let (mut dst_left, mut src_left) = (copy.height, copy.height);
    let width = copy.width as u64;
    let end = |start: u64, pitch: usize| {
        (pitch as u64)
            .saturating_mul(copy.height.saturating_sub(1) as u64)
            .saturating_add(start)
            .saturating_add(width)
    };
    // Two rectangles of which one ends before the other begins, as those of two allocations do, have no rows to compare.
    if end(dst, copy.dst_pitch) <= src || end(src, copy.src_pitch) <= dst {
        return Ok(());
    }
    // As columns of one matrix are, of which there may be many rows.
    if copy.dst_pitch == copy.src_pitch {
        return if columns_overlap(dst.abs_diff(src), copy) { Err(overlap(copy)) } else { Ok(()) };
    }
    // Both lists of rows ascend, so the row that ends first meets nothing that comes after in the other list.
    while dst_left > 0 && src_left > 0 {
        if dst < src.saturating_add(width) && src < dst.saturating_add(width) {
            return Err(overlap(copy));
        }
        if dst < src {
            dst = dst.saturating_add(copy.dst_pitch as u64);
            dst_left -= 1;
        } else {
            src = src.saturating_add(copy.src_pitch as u64);
            src_left -= 1;
        }
    }
    Ok(())
}

/// Whether rows overlap where both pitches are the same, of rectangles that begin so far `apart`.
fn columns_overlap(apart: u64, copy: &Copy2d) -> bool {
    let (pitch, width, height) = (copy.dst_pitch as u64, copy.width as u64, copy.height as u64);
    let (Some(rows), Some(within)) = (apart.checked_div(pitch), apart.checked_rem(pitch)) else {
        return false;
    };
    // The first row of the one begins behind the start of a row of the other, and before the start of its next.
    (rows < height && within < width) || (rows + 1 < height && pitch - within < width)
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

    #[test]
    fn rectangles_that_are_apart_are_told_without_a_look_at_their_rows() {
        let rows = 1_usize << 40;
        let beyond = 0x1000 + 16 * rows as u64;
        for (dst, src) in [(0x1000, beyond), (beyond, 0x1000)] {
            assert!(refuse_overlap(&copy(dst, 16, src, 16, 16, rows)).is_ok());
        }
    }

    #[test]
    fn columns_of_one_matrix_do_not_overlap() {
        assert!(refuse_overlap(&copy(1000, 100, 1050, 100, 50, 20)).is_ok());
        assert!(refuse_overlap(&copy(1000, 100, 1049, 100, 50, 20)).is_err());
    }

    #[test]
    fn columns_of_a_long_matrix_are_told_without_a_look_at_their_rows() {
        let rows = 1_usize << 40;
        for (src, overlaps) in [(1050, false), (1049, true), (950, false), (951, true)] {
            let copy = copy(1000, 100, src, 100, 50, rows);
            assert_eq!(refuse_overlap(&copy).is_err(), overlaps, "{copy:?}");
        }
    }

    #[test]
    fn overlap_is_found_in_every_row_as_by_comparing_all_with_all() {
        for dst_pitch in [4_usize, 5, 7, 9] {
            for src_pitch in [4_usize, 7, 9, 12] {
                for src in 900..1100 {
                    for width in [1_usize, 3, 4] {
                        let copy = copy(1000, dst_pitch, src, src_pitch, width, 6);
                        let overlaps = (0..6).any(|row| {
                            (0..6).any(|other| {
                                let (a, b) = (1000 + row * dst_pitch as u64, src + other * src_pitch as u64);
                                a < b + width as u64 && b < a + width as u64
                            })
                        });
                        assert_eq!(refuse_overlap(&copy).is_err(), overlaps, "{copy:?}");
                    }
                }
            }
        }
    }
}
