//! The owning layer: what frees itself.

mod stream_ref;

pub use stream_ref::{AsStream, StreamRef};
