use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::{AtomicU32, Ordering};

/// A handle is told in one form everywhere, so that what one tool says of it is found in what another one says.
macro_rules! hexadecimal {
    ($name:ident) => {
        /// `0x100000001`, as errors name it.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.get())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    };
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(NonZeroU64);

        impl $name {
            /// The handle with this number; `None` for zero.
            pub const fn new(raw: u64) -> Option<Self> {
                match NonZeroU64::new(raw) {
                    Some(raw) => Some(Self(raw)),
                    None => None,
                }
            }

            /// The number.
            pub const fn get(self) -> u64 {
                self.0.get()
            }
        }

        hexadecimal!($name);
    )+};
}

handles! {
    /// A kernel that one backend has resolved. Of meaning to that backend alone.
    KernelHandle;
    /// An event of one backend.
    EventHandle;
    /// An instantiated graph of one backend.
    GraphHandle;
}

/// A stream of one backend. Number zero is that backend's default stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamHandle(u64);

hexadecimal!(StreamHandle);

impl StreamHandle {
    /// The default stream.
    pub const DEFAULT: Self = Self(0);

    /// The stream with this number; in CUDA, the address that a `CUstream` is.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Tells the backends of one process apart. A wrapping backend has the id of what it wraps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BackendId(NonZeroU32);

impl BackendId {
    /// An id that no other backend of this process has.
    pub fn next() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        // The counter starts at 1 and a process opens far fewer than 2^32 backends.
        Self(NonZeroU32::new(id).unwrap_or(NonZeroU32::MAX))
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The first number of the backend's handles, where it counts them. Each has 2^32 of its own, so that those of another
    /// are unknown to it.
    pub(crate) fn first_handle(self) -> u64 {
        u64::from(self.get()) << 32 | 1
    }
}
