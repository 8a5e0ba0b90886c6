//! The capabilities of a backend, one file each.

mod copy;
mod event;
mod graph;
mod info;
mod launch;
mod lookup;
mod memory;
mod pinned;
mod rectangle;
mod stream;
mod tensor_map;

pub use copy::{Copy2d, CopyMemory, Fill};
pub use event::Events;
pub use graph::Graphs;
pub use info::{DeviceInfo, DeviceLimits, DeviceProperties};
pub use launch::{Launch, LaunchKernels};
pub use lookup::{KernelAttributes, KernelLookup, Occupancy};
pub use memory::{DeviceMemory, MemoryInfo};
pub use pinned::PinnedMemory;
pub use stream::Streams;
pub use tensor_map::{Interleave, L2Promotion, OutsideFill, Swizzle, TensorElement, TensorMaps, TiledTensor};
