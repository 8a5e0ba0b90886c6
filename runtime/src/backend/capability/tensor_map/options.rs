//! What a tensor map says beside addresses and sizes, with the numbers that the driver gives it.

/// The type of a tensor's elements (`CUtensorMapDataType`).
///
/// It matters for reductions and for filling with NaN; a copy moves the bytes as they are, and then any type of the same size
/// does. The packed types of four and six bits are not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum TensorElement {
    /// `unsigned char`; also any other type of one byte.
    U8 = 0,
    /// `unsigned short`.
    U16 = 1,
    /// `unsigned int`.
    U32 = 2,
    /// `int`.
    I32 = 3,
    /// `unsigned long long`.
    U64 = 4,
    /// `long long`.
    I64 = 5,
    /// `half`.
    F16 = 6,
    /// `float`.
    F32 = 7,
    /// `double`.
    F64 = 8,
    /// `__nv_bfloat16`.
    BF16 = 9,
    /// `float`, with denormal numbers read as zero.
    F32Ftz = 10,
    /// `float`, rounded to the precision that tensor cores use.
    Tf32 = 11,
    /// The two together.
    Tf32Ftz = 12,
}

impl TensorElement {
    pub(crate) const ALL: [Self; 13] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::BF16,
        Self::F32Ftz,
        Self::Tf32,
        Self::Tf32Ftz,
    ];

    /// The size of an element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::U32 | Self::I32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        !matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::I32 | Self::U64 | Self::I64)
    }
}

/// How the innermost dimension is laid out in global memory (`CUtensorMapInterleave`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Interleave {
    /// One element after the other.
    #[default]
    None = 0,
    /// In slices of 16 bytes, such as NC/8HWC8 with two bytes a channel.
    Bytes16 = 1,
    /// In slices of 32 bytes, such as NC/16HWC16.
    Bytes32 = 2,
}

/// How a tile is shuffled over the banks of shared memory (`CUtensorMapSwizzle`).
///
/// A pattern repeats every eight spans: chunk `c` of row `r` of a tile, which is one span wide, stands at chunk `c ^ (r % 8)` for
/// [`Bytes128`](Self::Bytes128) where the tile begins at a multiple of 1,024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Swizzle {
    /// Not at all.
    #[default]
    None = 0,
    /// Chunks of 16 bytes within spans of 32.
    Bytes32 = 1,
    /// Chunks of 16 bytes within spans of 64.
    Bytes64 = 2,
    /// Chunks of 16 bytes within spans of 128.
    Bytes128 = 3,
    /// Chunks of 32 bytes within spans of 128. Needs CUDA 12.8, as do the next ones.
    Bytes128Atom32 = 4,
    /// The same, and the halves of each 16 bytes are swapped in every other row.
    Bytes128Atom32Flip8 = 5,
    /// Chunks of 64 bytes within spans of 128.
    Bytes128Atom64 = 6,
}

impl Swizzle {
    pub(crate) const ALL: [Self; 7] = [
        Self::None,
        Self::Bytes32,
        Self::Bytes64,
        Self::Bytes128,
        Self::Bytes128Atom32,
        Self::Bytes128Atom32Flip8,
        Self::Bytes128Atom64,
    ];

    /// The bytes within which chunks are shuffled, and so the most that a row of a tile has; `None` without a swizzle.
    pub const fn span(self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Bytes32 => Some(32),
            Self::Bytes64 => Some(64),
            Self::Bytes128 | Self::Bytes128Atom32 | Self::Bytes128Atom32Flip8 | Self::Bytes128Atom64 => {
                Some(128)
            }
        }
    }
}

/// How much is fetched into the L2 cache at once (`CUtensorMapL2promotion`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum L2Promotion {
    /// What is asked for.
    #[default]
    None = 0,
    /// 64 bytes.
    Bytes64 = 1,
    /// 128 bytes.
    Bytes128 = 2,
    /// 256 bytes.
    Bytes256 = 3,
}

impl L2Promotion {
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Bytes64, Self::Bytes128, Self::Bytes256];
}

/// What elements of a tile read as that lie outside of the tensor (`CUtensorMapFloatOOBfill`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum OutsideFill {
    /// Zero.
    #[default]
    Zero = 0,
    /// A NaN that fused multiply-add instructions can be told to take for zero. For floating-point elements.
    Nan = 1,
}
