//! Rotary position embedding.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;
pub use crate::reference::RopeParams;

#[kernel(module = "rope", source = "cuda/rope.cu", image = "ptx/rope.ptx")]
unsafe extern "C" {
    /// Turns every pair of elements of every head by `position * theta_base^(-2 * pair / rotary_dim)`, in place.
    /// Elements past `rotary_dim` stay as they are.
    ///
    /// Shapes: `data` is `[tokens, head_count, head_dim]` with `token_stride` elements from one token to the
    /// next, `positions` is `[tokens]`.
    ///
    /// Launch: grid `[tokens, 1, 1]`, one block a token; any block, a multiple of 32 up to 1024.
    #[host(reference::rope::<f32>, launch)]
    pub unsafe fn rope(data: *mut f32, positions: *const u32, params: RopeParams);

    /// As [`launch_rope`], of `f16`.
    #[host(reference::rope::<f16>, launch)]
    pub unsafe fn rope_f16(data: *mut f16, positions: *const u32, params: RopeParams);

    /// As [`launch_rope`], of `bf16`.
    #[host(reference::rope::<bf16>, launch)]
    pub unsafe fn rope_bf16(data: *mut bf16, positions: *const u32, params: RopeParams);
}
