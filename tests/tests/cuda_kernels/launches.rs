//! The launches of each kernel that there is for several element types, under one name.

use bytemuck::Pod;
use half::{bf16, f16};
use warpcall::{Buffer, LaunchConfig, Result, Stream};
use warpcall_kernels::rope::RopeParams;
use warpcall_kernels::{activation, attention, embedding, gemm, gemv, kv_cache, norm, rope, softmax};

/// Makes one trait of the launches, with a method a kernel, and implements it for each element type.
macro_rules! launches {
    ($($name:ident($($arg:ident: $type:ty),+ $(,)?) = $f32:path, $f16:path, $bf16:path;)+) => {
        /// An element type, with the launches of its kernels.
        pub(crate) trait Launches: Pod {
            $(
                /// # Safety
                ///
                /// As for the generated function.
                #[allow(clippy::too_many_arguments)]
                unsafe fn $name(stream: &Stream, config: LaunchConfig, $($arg: $type),+) -> Result<()>;
            )+
        }

        launches!(impl f32: $($name($($arg: $type),+) = $f32;)+);
        launches!(impl f16: $($name($($arg: $type),+) = $f16;)+);
        launches!(impl bf16: $($name($($arg: $type),+) = $bf16;)+);
    };
    (impl $element:ty: $($name:ident($($arg:ident: $type:ty),+) = $launch:path;)+) => {
        impl Launches for $element {
            $(
                unsafe fn $name(stream: &Stream, config: LaunchConfig, $($arg: $type),+) -> Result<()> {
                    // SAFETY: the caller answers for it.
                    unsafe { $launch(stream, config, $($arg),+) }
                }
            )+
        }
    };
}

type Memory<'a, T> = &'a Buffer<T>;
type MemoryMut<'a, T> = &'a mut Buffer<T>;

launches! {
    embedding(
        output: MemoryMut<'_, Self>, table: Memory<'_, Self>, token_ids: Memory<'_, u32>,
        hidden_size: u32, vocabulary_size: u32,
    ) = embedding::launch_embedding, embedding::launch_embedding_f16, embedding::launch_embedding_bf16;

    rms_norm(
        output: MemoryMut<'_, Self>, input: Memory<'_, Self>, weight: Memory<'_, Self>,
        hidden_size: u32, eps: f32,
    ) = norm::launch_rms_norm, norm::launch_rms_norm_f16, norm::launch_rms_norm_bf16;

    add_rms_norm(
        output: MemoryMut<'_, Self>, residual: MemoryMut<'_, Self>, input: Memory<'_, Self>,
        weight: Memory<'_, Self>, hidden_size: u32, eps: f32,
    ) = norm::launch_add_rms_norm, norm::launch_add_rms_norm_f16, norm::launch_add_rms_norm_bf16;

    layer_norm(
        output: MemoryMut<'_, Self>, input: Memory<'_, Self>, weight: Memory<'_, Self>,
        bias: Memory<'_, Self>, hidden_size: u32, eps: f32,
    ) = norm::launch_layer_norm, norm::launch_layer_norm_f16, norm::launch_layer_norm_bf16;

    rope(
        data: MemoryMut<'_, Self>, positions: Memory<'_, u32>, params: RopeParams,
    ) = rope::launch_rope, rope::launch_rope_f16, rope::launch_rope_bf16;

    silu_mul(
        output: MemoryMut<'_, Self>, gate: Memory<'_, Self>, up: Memory<'_, Self>, n: u32,
    ) = activation::launch_silu_mul, activation::launch_silu_mul_f16, activation::launch_silu_mul_bf16;

    gelu(
        output: MemoryMut<'_, Self>, input: Memory<'_, Self>, n: u32,
    ) = activation::launch_gelu, activation::launch_gelu_f16, activation::launch_gelu_bf16;

    softmax(
        output: MemoryMut<'_, Self>, input: Memory<'_, Self>, column_count: u32,
    ) = softmax::launch_softmax, softmax::launch_softmax_f16, softmax::launch_softmax_bf16;

    gemv(
        output: MemoryMut<'_, Self>, matrix: Memory<'_, Self>, vector: Memory<'_, Self>,
        row_count: u32, column_count: u32,
    ) = gemv::launch_gemv, gemv::launch_gemv_f16, gemv::launch_gemv_bf16;

    gemm(
        c: MemoryMut<'_, Self>, a: Memory<'_, Self>, b: Memory<'_, Self>, m: u32, n: u32, k: u32,
        alpha: f32, beta: f32,
    ) = gemm::launch_gemm, gemm::launch_gemm_f16, gemm::launch_gemm_bf16;

    kv_append(
        key_cache: MemoryMut<'_, Self>, value_cache: MemoryMut<'_, Self>, keys: Memory<'_, Self>,
        values: Memory<'_, Self>, positions: Memory<'_, u32>, kv_head_count: u32, head_dim: u32,
        capacity: u32,
    ) = kv_cache::launch_kv_append, kv_cache::launch_kv_append_f16, kv_cache::launch_kv_append_bf16;

    attention_decode(
        output: MemoryMut<'_, Self>, query: Memory<'_, Self>, key_cache: Memory<'_, Self>,
        value_cache: Memory<'_, Self>, query_head_count: u32, kv_head_count: u32, head_dim: u32,
        context_length: u32, capacity: u32, scale: f32,
    ) = attention::launch_attention_decode, attention::launch_attention_decode_f16,
        attention::launch_attention_decode_bf16;
}
