use std::ffi::c_void;

use smallvec::SmallVec;

use crate::argument::{ArgBytes, DevicePtr, KernelArg, ParameterKind, TensorMap, slots_for};
use crate::launch::Parameter;

/// An argument that outlives the call that passed it: what a launch that runs later keeps.
#[derive(Clone, Debug)]
pub(super) enum OwnedArgument {
    /// Memory, and how many bytes of it were passed, where that is known.
    Pointer(DevicePtr, Option<usize>),
    Value(OwnedValue),
    TensorMap(TensorMap),
}

/// The bytes of a value, in whole slots.
#[derive(Clone, Debug)]
pub(super) struct OwnedValue {
    slots: SmallVec<[u64; 4]>,
    len: usize,
}

impl OwnedValue {
    pub(super) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.slots)[..self.len]
    }
}

impl OwnedArgument {
    /// A copy of `arg`, which fits `parameter`; with the extent of its memory, where that is known.
    pub(super) fn of(parameter: &Parameter, arg: &KernelArg<'_>, extent: Option<usize>) -> Self {
        match arg {
            KernelArg::Buffer(ptr) => Self::Pointer(*ptr, extent),
            KernelArg::Bytes(bytes) => Self::of_bytes(parameter, bytes.as_bytes()),
        }
    }

    fn of_bytes(parameter: &Parameter, bytes: &[u8]) -> Self {
        if matches!(parameter.kind(), ParameterKind::TensorMap) && bytes.len() == TensorMap::BYTES {
            let mut slots = [0; TensorMap::BYTES / 8];
            bytemuck::cast_slice_mut(&mut slots).copy_from_slice(bytes);
            return Self::TensorMap(TensorMap::from_slots(slots));
        }
        let mut slots: SmallVec<[u64; 4]> = SmallVec::from_elem(0, slots_for(bytes.len()));
        bytemuck::cast_slice_mut(&mut slots)[..bytes.len()].copy_from_slice(bytes);
        Self::Value(OwnedValue { slots, len: bytes.len() })
    }

    /// The argument behind one pointer of a `void**`.
    ///
    /// # Safety
    ///
    /// `place` is valid for reads of the parameter's size, and those bytes are initialised.
    pub(super) unsafe fn read(parameter: &Parameter, place: *const c_void) -> Self {
        // SAFETY: the caller answers for the pointer.
        let bytes = unsafe { std::slice::from_raw_parts(place.cast::<u8>(), parameter.size()) };
        match (parameter.is_pointer(), <[u8; 8]>::try_from(bytes)) {
            (true, Ok(address)) => Self::Pointer(DevicePtr::new(u64::from_le_bytes(address)), None),
            _ => Self::of_bytes(parameter, bytes),
        }
    }

    /// As a borrowed argument.
    pub(super) fn as_arg(&self) -> KernelArg<'_> {
        match self {
            Self::Pointer(ptr, _) => KernelArg::Buffer(*ptr),
            Self::Value(value) => KernelArg::Bytes(ArgBytes::of_packed(&value.slots, value.len)),
            Self::TensorMap(map) => map.arg(),
        }
    }
}
