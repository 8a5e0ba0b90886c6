//! The owning layer: what frees itself.

mod access;
mod buffer;
mod builder;
mod event;
mod extent;
mod failed_drop;
mod gpu;
mod graph;
mod pinned_buffer;
mod slice;
mod slice_mut;
mod stream;
mod stream_ref;
mod void;

pub use buffer::Buffer;
pub use builder::{Chosen, GpuBuilder, NotChosen};
pub use event::Event;
pub use failed_drop::FailedDrop;
pub(crate) use failed_drop::{CalledAt, called_at};
pub use gpu::Gpu;
pub use graph::Graph;
pub use pinned_buffer::PinnedBuffer;
pub use slice::Slice;
pub use slice_mut::SliceMut;
pub use stream::Stream;
pub use stream_ref::{AsStream, StreamRef};
pub use void::Void;
