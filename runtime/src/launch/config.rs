use std::fmt;

/// How many blocks of `per_block` threads cover `elements`: the quotient, rounded up.
///
/// Zero where `per_block` is zero; a launch refuses an empty grid by name.
///
/// ```
/// assert_eq!(warpcall::div_ceil(1000, 256), 4);
/// ```
pub const fn div_ceil(elements: u32, per_block: u32) -> u32 {
    if per_block == 0 { 0 } else { elements.div_ceil(per_block) }
}

/// The extent of a grid, a block or a cluster in each dimension.
///
/// Made from one, two or three numbers; dimensions left out are 1.
///
/// ```
/// use warpcall::Dim3;
///
/// assert_eq!(Dim3::from(4), Dim3 { x: 4, y: 1, z: 1 });
/// assert_eq!(Dim3::from([4, 2]), Dim3 { x: 4, y: 2, z: 1 });
/// assert_eq!(Dim3::from((4, 2, 3)).count(), 24);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The fastest-varying dimension.
    pub x: u32,
    /// The middle dimension.
    pub y: u32,
    /// The slowest-varying dimension.
    pub z: u32,
}

impl Dim3 {
    /// One in each dimension.
    pub const ONE: Self = Self { x: 1, y: 1, z: 1 };

    /// The product of the dimensions. Saturates at the largest `u64`.
    pub const fn count(self) -> u64 {
        // The product of two 32-bit numbers fits; the third may pass the end.
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// Whether one dimension is zero, so that nothing would run.
    pub const fn is_empty(self) -> bool {
        self.x == 0 || self.y == 0 || self.z == 0
    }

    /// The dimensions in the order x, y, z.
    pub const fn to_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl fmt::Debug for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{},{}]", self.x, self.y, self.z)
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self { x, ..Self::ONE }
    }
}

macro_rules! dim3_from {
    ($($pattern:pat => $type:ty, $x:expr, $y:expr, $z:expr;)+) => {$(
        impl From<$type> for Dim3 {
            fn from($pattern: $type) -> Self {
                Self { x: $x, y: $y, z: $z }
            }
        }
    )+};
}

dim3_from! {
    [x] => [u32; 1], x, 1, 1;
    [x, y] => [u32; 2], x, y, 1;
    [x, y, z] => [u32; 3], x, y, z;
    (x, y) => (u32, u32), x, y, 1;
    (x, y, z) => (u32, u32, u32), x, y, z;
}

/// How a kernel is launched: the grid, the block, and what else the driver may be told.
///
/// ```
/// use warpcall::LaunchConfig;
///
/// // One thread an element.
/// assert_eq!(LaunchConfig::for_elements(1000, 256), LaunchConfig::new(4, 256));
///
/// // One block a row and head, with shared memory, in clusters of two, each block of 32 by 4 threads.
/// let (rows, heads) = (8, 16);
/// let config = LaunchConfig::new([rows, heads], (32, 4)).shared_mem(4096).cluster(2);
/// assert_eq!((config.grid.count(), config.block.count()), (128, 128));
/// assert_eq!(config.to_string(), "<<<[8,16,1],[32,4,1],4096 B,cluster=[2,1,1]>>>");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// How many blocks there are.
    pub grid: Dim3,
    /// How many threads a block has.
    pub block: Dim3,
    /// Dynamic shared memory a block, in bytes. What CUDA gives only to kernels that were prepared for it, which is more than 48 KiB,
    /// a kernel is prepared for when a launch first asks for it (`cuFuncSetAttribute`).
    pub shared_mem: u32,
    /// How many blocks make a cluster; `None` leaves it to the kernel. Must divide the grid.
    pub cluster: Option<Dim3>,
    /// Whether all blocks must be resident at once, so that they may wait for each other.
    pub cooperative: bool,
    /// Whether the kernel may start before the one ahead of it on the stream has ended
    /// (programmatic stream serialization).
    pub programmatic: bool,
    /// The launch's priority, lower numbers first; `None` takes the stream's.
    pub priority: Option<i32>,
}

impl LaunchConfig {
    /// A grid of `grid` blocks, each of `block` threads.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            shared_mem: 0,
            cluster: None,
            cooperative: false,
            programmatic: false,
            priority: None,
        }
    }

    /// As many blocks of `block` threads as `elements` need, one thread an element.
    ///
    /// For no elements, or with no threads a block, the grid is empty, and a launch of it is
    /// [`Error::EmptyLaunch`](crate::Error::EmptyLaunch): code whose number of elements may be zero asks first.
    ///
    /// ```
    /// use warpcall::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_elements(1000, 256), LaunchConfig::new(4, 256));
    /// assert!(LaunchConfig::for_elements(0, 256).grid.is_empty());
    /// ```
    pub fn for_elements(elements: u32, block: u32) -> Self {
        Self::new(div_ceil(elements, block), block)
    }

    /// With `bytes` of dynamic shared memory a block.
    #[must_use]
    pub fn shared_mem(self, bytes: u32) -> Self {
        Self { shared_mem: bytes, ..self }
    }

    /// With clusters of `cluster` blocks.
    #[must_use]
    pub fn cluster(self, cluster: impl Into<Dim3>) -> Self {
        Self { cluster: Some(cluster.into()), ..self }
    }

    /// As a cooperative launch: all blocks resident at once.
    #[must_use]
    pub fn cooperative(self) -> Self {
        Self { cooperative: true, ..self }
    }

    /// With programmatic stream serialization.
    #[must_use]
    pub fn programmatic(self) -> Self {
        Self { programmatic: true, ..self }
    }

    /// With a priority of its own, lower numbers first.
    #[must_use]
    pub fn priority(self, priority: i32) -> Self {
        Self { priority: Some(priority), ..self }
    }

    /// Whether it asks for more than a grid, a block and shared memory.
    pub const fn has_attributes(&self) -> bool {
        self.cluster.is_some() || self.cooperative || self.programmatic || self.priority.is_some()
    }
}

impl fmt::Display for LaunchConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<<<{},{}", self.grid, self.block)?;
        if self.shared_mem > 0 {
            write!(f, ",{} B", self.shared_mem)?;
        }
        if let Some(cluster) = self.cluster {
            write!(f, ",cluster={cluster}")?;
        }
        if self.cooperative {
            f.write_str(",cooperative")?;
        }
        if self.programmatic {
            f.write_str(",programmatic")?;
        }
        if let Some(priority) = self.priority {
            write!(f, ",priority={priority}")?;
        }
        f.write_str(">>>")
    }
}
