//! Which alignments a parameter may have.

use std::fmt;

/// A set of alignments, each a power of two.
///
/// A cubin tells no alignment, but where each parameter lies: the first place after the one before that its alignment
/// allows. That leaves a few alignments, and mostly one.
///
/// ```
/// use warpcall_signature::Alignments;
///
/// // The parameter before ends at 4, this one lies at 16, and both count from the address 0x210.
/// let placed = Alignments::that_place(4, 16, Some(0x210));
/// assert!(placed.contains(16));
/// assert!(!placed.contains(8) && !placed.contains(64));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alignments(u64);

impl Alignments {
    /// Every alignment.
    pub const ALL: Self = Self(u64::MAX);
    /// The parameters of a kernel start at a multiple of this in the constant bank, on every architecture.
    pub const BASE_ALIGNMENT: u64 = 16;
    /// No alignment.
    pub const NONE: Self = Self(0);

    /// One alignment; none where it is no power of two.
    pub const fn of(alignment: u64) -> Self {
        if alignment.is_power_of_two() { Self(alignment) } else { Self::NONE }
    }

    /// Those that put a value at `offset` where the one before ends at `end`. Both count from `base`, the address at
    /// which alignments hold; without it, from any multiple of [`BASE_ALIGNMENT`](Self::BASE_ALIGNMENT).
    pub const fn that_place(end: u64, offset: u64, base: Option<u64>) -> Self {
        let Some(gap) = offset.checked_sub(end) else { return Self::NONE };
        let address = match base {
            Some(base) => base.wrapping_add(offset),
            None => offset % Self::BASE_ALIGNMENT,
        };
        // The address is a multiple of it, and it is larger than the gap.
        let divide = if address == 0 { u64::MAX } else { address ^ (address - 1) };
        let larger = if gap == 0 { u64::MAX } else { !(u64::MAX >> gap.leading_zeros()) };
        Self(divide & larger)
    }

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those of either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether an alignment is one of them.
    pub const fn contains(self, alignment: u64) -> bool {
        self.0 & alignment != 0 && alignment.is_power_of_two()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The sum of all of them, which tells the set: each is one bit.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Alignments {
    /// `4`, `4 or 8`, `any`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ALL => return f.write_str("any"),
            Self::NONE => return f.write_str("none"),
            Self(_) => {}
        }
        let mut left = self.0;
        while left != 0 {
            let next = 1_u64 << left.trailing_zeros();
            left &= !next;
            let after = match left.count_ones() {
                0 => "",
                1 => " or ",
                _ => ", ",
            };
            write!(f, "{next}{after}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where C puts a value, from an address at which alignments hold.
    fn offset(end: u64, alignment: u64, base: u64) -> u64 {
        (base + end).next_multiple_of(alignment) - base
    }

    #[test]
    fn the_set_holds_the_alignments_that_give_the_offset_and_no_other() {
        for base in [0, 0x160, 0x210, 0x380] {
            for end in 0..300 {
                for alignment in (0..9).map(|bit| 1 << bit) {
                    let at = offset(end, alignment, base);
                    let placed = Alignments::that_place(end, at, Some(base));
                    let somewhere = Alignments::that_place(end, at, None);
                    for other in (0..12).map(|bit| 1 << bit) {
                        let places = offset(end, other, base) == at;
                        assert_eq!(placed.contains(other), places, "{base} {end} {at} {other}");
                        assert!(somewhere.contains(other) || !places, "{base} {end} {at} {other}");
                        let same = other > 16 || somewhere.contains(other) == places;
                        assert!(same, "{base} {end} {at} {other}");
                    }
                }
            }
        }
        assert!(Alignments::that_place(8, 4, Some(0)).is_empty(), "it overlaps the one before");
        assert!(Alignments::that_place(4, 6, None).is_empty(), "no power of two skips just two bytes there");
    }
}
