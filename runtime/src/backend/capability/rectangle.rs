//! Whether the rows of a rectangle that is written meet those of one that is read.

use super::Copy2d;

impl Copy2d {
    /// Whether a byte lies in a row that is written and in one that is read.
    pub(in crate::backend) fn rows_overlap(&self) -> bool {
        let (mut dst, mut src) = (self.dst.address(), self.src.address());
        let (mut dst_left, mut src_left) = (self.height, self.height);
        let width = self.width as u64;
        let end = |start: u64, pitch: usize| {
            (pitch as u64)
                .saturating_mul(self.height.saturating_sub(1) as u64)
                .saturating_add(start)
                .saturating_add(width)
        };
        // Two rectangles of which one ends before the other begins, as those of two allocations do, have no rows to compare.
        if end(dst, self.dst_pitch) <= src || end(src, self.src_pitch) <= dst {
            return false;
        }
        // As columns of one matrix are, of which there may be many rows.
        if self.dst_pitch == self.src_pitch {
            return columns_overlap(dst.abs_diff(src), self);
        }
        // Both lists of rows ascend, so the row that ends first meets nothing that comes after in the other list.
        while dst_left > 0 && src_left > 0 {
            if dst < src.saturating_add(width) && src < dst.saturating_add(width) {
                return true;
            }
            if dst < src {
                dst = dst.saturating_add(self.dst_pitch as u64);
                dst_left -= 1;
            } else {
                src = src.saturating_add(self.src_pitch as u64);
                src_left -= 1;
            }
        }
        false
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::DevicePtr;

    fn copy(dst: u64, dst_pitch: usize, src: u64, src_pitch: usize, width: usize, height: usize) -> Copy2d {
        Copy2d { dst: DevicePtr::new(dst), dst_pitch, src: DevicePtr::new(src), src_pitch, width, height }
    }

    #[test]
    fn rectangles_that_are_apart_are_told_without_a_look_at_their_rows() {
        let rows = 1_usize << 40;
        let beyond = 0x1000 + 16 * rows as u64;
        for (dst, src) in [(0x1000, beyond), (beyond, 0x1000)] {
            assert!(!copy(dst, 16, src, 16, 16, rows).rows_overlap());
        }
    }

    #[test]
    fn columns_of_one_matrix_do_not_overlap() {
        assert!(!copy(1000, 100, 1050, 100, 50, 20).rows_overlap());
        assert!(copy(1000, 100, 1049, 100, 50, 20).rows_overlap());
    }

    #[test]
    fn columns_of_a_long_matrix_are_told_without_a_look_at_their_rows() {
        let rows = 1_usize << 40;
        for (src, overlaps) in [(1050, false), (1049, true), (950, false), (951, true)] {
            let copy = copy(1000, 100, src, 100, 50, rows);
            assert_eq!(copy.rows_overlap(), overlaps, "{copy:?}");
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
                        assert_eq!(copy.rows_overlap(), overlaps, "{copy:?}");
                    }
                }
            }
        }
    }
}
