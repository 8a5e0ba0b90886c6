use std::fmt;

use super::scalar::plain_field;

/// An address in a device's memory, in bytes.
///
/// It is a number, not a Rust pointer: nothing on the host may dereference it. It knows neither its
/// owner nor its extent; a [`Buffer`](crate::Buffer) or a slice of one knows both and is preferred.
///
/// ```
/// use warpcall::DevicePtr;
///
/// let row = DevicePtr::new(0x1000).byte_add(256);
/// assert_eq!(row.to_string(), "0x1100");
/// assert!(DevicePtr::NULL.is_null());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct DevicePtr(u64);

impl DevicePtr {
    /// The null pointer, which a kernel sees as `nullptr`.
    pub const NULL: Self = Self(0);

    /// The device address `address`.
    pub const fn new(address: u64) -> Self {
        Self(address)
    }

    /// The address as a number.
    pub const fn address(self) -> u64 {
        self.0
    }

    /// Whether this is the null pointer.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address `bytes` further on. Wraps around at the end of the address space, as the
    /// device's own arithmetic does.
    #[must_use]
    pub const fn byte_add(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes as u64))
    }

    /// The pointer as the one slot it fills.
    pub(crate) const fn as_slot(&self) -> &[u64] {
        std::slice::from_ref(&self.0)
    }
}

plain_field!(DevicePtr);

impl fmt::Debug for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DevicePtr({:#x})", self.0)
    }
}

impl fmt::Display for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl fmt::LowerHex for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}
