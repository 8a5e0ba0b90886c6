//! What a kernel is given: device pointers and plain values, and how they are laid out for the driver.

mod device_ptr;
mod float;
mod kernel_arg;
mod kernel_param;
mod pointer;
mod scalar;
mod tensor_map;
mod tracked;
mod vector;

pub use device_ptr::DevicePtr;
pub use kernel_arg::{ArgBytes, KernelArg, PackedArgs, SLOT_BYTES, pack_kernel_args, slots_for};
pub(crate) use kernel_param::parameter_end;
pub use kernel_param::{
    FieldDescription, FieldShape, KernelField, KernelParam, Packed, ParameterDescription, ParameterKind,
    SlotArray,
};
pub(crate) use pointer::Given;
pub use pointer::{DeviceMut, DeviceRef, DeviceSpan, ElementMut, ElementRef, NullableMut, NullableRef};
pub use tensor_map::TensorMap;
pub use tracked::{MemoryUse, TrackedRead, TrackedWrite};
pub use vector::*;
