use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use smallvec::SmallVec;

use super::DevicePtr;

#[cfg(target_endian = "big")]
compile_error!("CUDA's hosts are little-endian, and so is the layout of the slots");

/// The size of one slot in bytes. Every argument starts on a slot.
pub const SLOT_BYTES: usize = 8;

/// How many slots an argument of `bytes` bytes occupies: at least one.
///
/// ```
/// use warpcall::slots_for;
///
/// assert_eq!([0, 1, 8, 9, 128].map(slots_for), [1, 1, 1, 2, 16]);
/// ```
pub const fn slots_for(bytes: usize) -> usize {
    if bytes == 0 { 1 } else { bytes.div_ceil(SLOT_BYTES) }
}

/// One argument of a kernel, as a backend receives it.
///
/// A CUDA-like backend needs no more than [`slots`](Self::slots): the address of the first slot is
/// what `cuLaunchKernel` expects in its `void**`. A backend whose interface tells buffers from bytes
/// (`clSetKernelArg` in `OpenCL`, `setBuffer` and `setBytes` in Metal) matches on the two variants.
///
/// ```
/// use warpcall::{DevicePtr, KernelArg, KernelParam};
///
/// let (memory, count) = (KernelArg::Buffer(DevicePtr::new(0x40)), 7_u16.pack());
/// for arg in [memory, count.arg()] {
///     match arg {
///         KernelArg::Buffer(ptr) => assert_eq!(ptr, DevicePtr::new(0x40)),
///         KernelArg::Bytes(bytes) => assert_eq!(bytes.as_bytes(), [7, 0]),
///     }
///     assert_eq!(arg.slots().len(), 1, "little-endian, padded with zeros");
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KernelArg<'a> {
    /// Device memory, by its address. [`DevicePtr::NULL`] for a nullable pointer that was not given.
    Buffer(DevicePtr),
    /// A value: the bytes of the parameter as the device reads them, padding included and zero.
    Bytes(ArgBytes<'a>),
}

impl<'a> KernelArg<'a> {
    /// The slots this argument occupies: its bytes, little-endian, padded with zeros.
    #[inline]
    pub fn slots(&self) -> &[u64] {
        match self {
            Self::Buffer(ptr) => ptr.as_slot(),
            Self::Bytes(bytes) => bytes.slots(),
        }
    }

    /// The address of the first slot: what `cuLaunchKernel` takes in its `void**`. Nothing writes through it.
    #[inline]
    pub fn as_param(&self) -> *mut c_void {
        let first = match self {
            Self::Buffer(ptr) => ptr.as_slot().as_ptr(),
            Self::Bytes(bytes) => bytes.first.as_ptr(),
        };
        first.cast_mut().cast()
    }

    /// The size of the argument in bytes, without what pads the last slot.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Buffer(_) => SLOT_BYTES,
            Self::Bytes(bytes) => bytes.len,
        }
    }

    /// Whether the argument has no bytes. No parameter of a CUDA kernel is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the argument, without what pads the last slot.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(self.slots())[..self.len()]
    }

    /// The device pointer, where this is one.
    pub fn as_buffer(&self) -> Option<DevicePtr> {
        match self {
            Self::Buffer(ptr) => Some(*ptr),
            Self::Bytes(_) => None,
        }
    }

    /// The bytes, where this is a value.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Buffer(_) => None,
            Self::Bytes(bytes) => Some(bytes.as_bytes()),
        }
    }
}

impl fmt::Debug for KernelArg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer(ptr) => write!(f, "Buffer({ptr})"),
            Self::Bytes(bytes) => write!(f, "Bytes({:02x?})", bytes.as_bytes()),
        }
    }
}

/// The bytes of a value, kept in whole slots so that a reader past their end finds zeros.
///
/// A pointer and a length, so that an argument is two words: the launch path writes one for each parameter.
#[derive(Clone, Copy)]
pub struct ArgBytes<'a> {
    first: NonNull<u64>,
    len: usize,
    slots: PhantomData<&'a [u64]>,
}

// SAFETY: it is a shared slice of numbers, which any thread may hold and read.
unsafe impl Send for ArgBytes<'_> {}
// SAFETY: as above.
unsafe impl Sync for ArgBytes<'_> {}

impl<'a> ArgBytes<'a> {
    /// The first `len` bytes of `slots`.
    ///
    /// `None` unless `slots` holds exactly the slots that `len` bytes need (see [`slots_for`]) and
    /// the bytes after `len` are zero.
    ///
    /// ```
    /// use warpcall::ArgBytes;
    ///
    /// assert_eq!(ArgBytes::new(&[0x0102_0304], 4).unwrap().as_bytes(), [4, 3, 2, 1]);
    /// assert!(ArgBytes::new(&[0, 0], 4).is_none(), "one slot too many");
    /// assert!(ArgBytes::new(&[u64::MAX], 4).is_none(), "the padding is not zero");
    /// ```
    pub fn new(slots: &'a [u64], len: usize) -> Option<Self> {
        let padding_is_zero = || bytemuck::cast_slice::<u64, u8>(slots)[len..].iter().all(|byte| *byte == 0);
        (slots.len() == slots_for(len) && padding_is_zero()).then(|| Self::of_slots(slots, len))
    }

    /// As [`new`](Self::new), of slots that were packed by this crate.
    #[inline]
    pub(crate) fn of_packed(slots: &'a [u64], len: usize) -> Self {
        debug_assert!(Self::new(slots, len).is_some(), "packed slots hold {len} bytes and zero padding");
        assert!(slots.len() == slots_for(len), "the slots are those of the length");
        Self::of_slots(slots, len)
    }

    /// Of exactly the slots that `len` bytes need.
    #[inline]
    fn of_slots(slots: &'a [u64], len: usize) -> Self {
        Self { first: NonNull::from(slots).cast(), len, slots: PhantomData }
    }

    #[inline]
    fn slots(&self) -> &'a [u64] {
        // SAFETY: made from a slice of exactly that many slots, which is borrowed for `'a`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), slots_for(self.len)) }
    }

    /// The bytes, without what pads the last slot.
    pub fn as_bytes(&self) -> &'a [u8] {
        &bytemuck::cast_slice(self.slots())[..self.len]
    }
}

impl PartialEq for ArgBytes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for ArgBytes<'_> {}

impl fmt::Debug for ArgBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x?}", self.as_bytes())
    }
}

const _: () = assert!(size_of::<KernelArg<'_>>() == 16, "an argument is two words");

/// The arguments of one launch in consecutive slots, and the slot at which each starts.
///
/// Made by [`pack_kernel_args`]. No heap memory is used up to 64 slots and 48 arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedArgs {
    slots: SmallVec<[u64; 64]>,
    starts: SmallVec<[u32; 48]>,
}

impl PackedArgs {
    /// All slots, in the order of the arguments.
    pub fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// For each argument, the index of its first slot: the sum of the slots before it.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }
}

/// Lays arguments out one after another, each from a slot of its own.
///
/// ```
/// use warpcall::{DevicePtr, KernelArg, KernelParam, TensorMap, pack_kernel_args};
///
/// let (map, scale) = (TensorMap::from_slots([7; 16]), 1.0_f32);
/// let (map, scale) = (map.arg(), scale.pack());
/// let packed = pack_kernel_args(&[KernelArg::Buffer(DevicePtr::new(0x40)), map, scale.arg()]);
///
/// assert_eq!(packed.starts(), [0, 1, 17]);
/// assert_eq!(packed.slots()[0], 0x40);
/// assert_eq!(packed.slots()[17], u64::from(1.0_f32.to_bits()));
/// ```
pub fn pack_kernel_args(args: &[KernelArg<'_>]) -> PackedArgs {
    let mut packed = PackedArgs { slots: SmallVec::new(), starts: SmallVec::with_capacity(args.len()) };
    for arg in args {
        // A kernel's parameters are at most 32,764 bytes, far below what 32 bits count.
        packed.starts.push(u32::try_from(packed.slots.len()).unwrap_or(u32::MAX));
        packed.slots.extend_from_slice(arg.slots());
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_equal_where_their_bytes_are() {
        let of = |slots, len| KernelArg::Bytes(ArgBytes::new(slots, len).unwrap());
        assert_eq!(of(&[0x0102], 2), of(&[0x0102], 2));
        assert_ne!(of(&[0x0102], 2), of(&[0x0103], 2), "of one length");
        assert_ne!(of(&[1], 1), of(&[1], 2), "of one slot");
        assert_ne!(of(&[0x40], 8), KernelArg::Buffer(DevicePtr::new(0x40)), "memory is no number");
    }
}
