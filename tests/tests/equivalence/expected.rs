//! What a launch must emit, from the bytes that the generator wrote.

use warpcall::DevicePtr;
use warpcall::backend::mock::RecordedArg;

/// One argument, as its parameter's type has it by C's rules.
pub(crate) enum Expected {
    /// Device memory.
    Pointer {
        /// Where nothing follows the address, this one is passed.
        address: u64,
        /// What lies there where a host function follows it.
        content: &'static [u8],
        /// Whether the kernel may write it.
        mutable: bool,
        /// The size of an element in bytes.
        element: usize,
    },
    /// A nullable pointer that was not given.
    Null,
    /// A value.
    Value {
        /// As the device reads it, padding included.
        bytes: &'static [u8],
        /// Its scalars one after another, without padding.
        fields: &'static [u8],
    },
}

impl Expected {
    /// The address to pass, where it is a pointer.
    pub(crate) fn address(&self) -> DevicePtr {
        match self {
            Self::Pointer { address, .. } => DevicePtr::new(*address),
            Self::Null | Self::Value { .. } => DevicePtr::NULL,
        }
    }

    /// The bytes as the device reads them.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Pointer { address, .. } => address.to_le_bytes().into(),
            Self::Null => vec![0; 8],
            Self::Value { bytes, .. } => (*bytes).into(),
        }
    }

    /// The argument as the mock backend records it.
    pub(crate) fn recorded(&self) -> RecordedArg {
        match self {
            Self::Pointer { .. } | Self::Null => RecordedArg::Buffer(self.address()),
            Self::Value { bytes, .. } => RecordedArg::Bytes((*bytes).into()),
        }
    }

    /// What a host function finds: the scalars of a value, or of all elements, which may have been turned round.
    pub(crate) fn decoded(&self, turned: bool) -> Option<Vec<u8>> {
        match self {
            Self::Pointer { content, mutable: true, element, .. } if turned => {
                Some(content.chunks(*element).rev().flatten().copied().collect())
            }
            Self::Pointer { content, .. } => Some((*content).into()),
            Self::Null => None,
            Self::Value { fields, .. } => Some((*fields).into()),
        }
    }
}

/// All arguments in slots of eight bytes, each from a slot of its own, and the first slot of each.
pub(crate) fn slots_and_starts(arguments: &[Expected]) -> (Vec<u64>, Vec<u32>) {
    let (mut slots, mut starts) = (Vec::new(), Vec::new());
    for argument in arguments {
        starts.push(u32::try_from(slots.len()).expect("a launch has few slots"));
        for chunk in argument.bytes().chunks(8) {
            let mut slot = [0; 8];
            slot[..chunk.len()].copy_from_slice(chunk);
            slots.push(u64::from_le_bytes(slot));
        }
    }
    (slots, starts)
}
