//! The rows of a table.

use half::{bf16, f16};
use warpcall::kernel;

use crate::reference;

#[kernel(module = "embedding", source = "cuda/embedding.cu", image = "ptx/embedding.ptx")]
unsafe extern "C" {
    /// Copies row `token_ids[t]` of `table` to row `t` of `output`. A token outside of the vocabulary gives a row
    /// of zeros.
    ///
    /// Shapes: `output` is `[tokens, hidden_size]`, `table` is `[vocabulary_size, hidden_size]`, `token_ids` is
    /// `[tokens]`.
    ///
    /// Launch: grid `[tokens, 1, 1]`, one block a token; any block, a multiple of 32 up to 1024.
    #[host(reference::embedding::<f32>, launch)]
    pub unsafe fn embedding(
        output: *mut f32,
        table: *const f32,
        token_ids: *const u32,
        hidden_size: u32,
        vocabulary_size: u32,
    );

    /// As [`launch_embedding`], of `f16`.
    #[host(reference::embedding::<f16>, launch)]
    pub unsafe fn embedding_f16(
        output: *mut f16,
        table: *const f16,
        token_ids: *const u32,
        hidden_size: u32,
        vocabulary_size: u32,
    );

    /// As [`launch_embedding`], of `bf16`.
    #[host(reference::embedding::<bf16>, launch)]
    pub unsafe fn embedding_bf16(
        output: *mut bf16,
        table: *const bf16,
        token_ids: *const u32,
        hidden_size: u32,
        vocabulary_size: u32,
    );
}
