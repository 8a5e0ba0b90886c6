/// The kernels of `../kernels/cuda/activation.cu`.
pub mod activation {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "activation", source = "../kernels/cuda/activation.cu")]
    unsafe extern "C" {
        /// `output = gate * sigmoid(gate) * up`: the gated unit of a SwiGLU feed-forward layer.
        ///
        /// Shapes: `output`, `gate` and `up` hold `n` elements. `output` may be `gate` or `up`.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        pub unsafe fn silu_mul(output: *mut f32, gate: *const f32, up: *const f32, n: u32);

        /// `output = 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`: GELU in its tanh form,
        /// not the one with the error function.
        ///
        /// Shapes: `output` and `input` hold `n` elements. `output` may be `input`.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        pub unsafe fn gelu(output: *mut f32, input: *const f32, n: u32);

        /// `silu_mul_f16`, activation.cu:56.
        pub unsafe fn silu_mul_f16(output: *mut f16, gate: *const f16, up: *const f16, n: u32);

        /// `gelu_f16`, activation.cu:56.
        pub unsafe fn gelu_f16(output: *mut f16, input: *const f16, n: u32);

        /// `silu_mul_bf16`, activation.cu:57.
        pub unsafe fn silu_mul_bf16(output: *mut bf16, gate: *const bf16, up: *const bf16, n: u32);

        /// `gelu_bf16`, activation.cu:57.
        pub unsafe fn gelu_bf16(output: *mut bf16, input: *const bf16, n: u32);
    }
}

/// The kernels of `../kernels/cuda/argmax.cu`.
pub mod argmax {
    use warpcall::kernel;

    #[kernel(module = "argmax", source = "../kernels/cuda/argmax.cu")]
    unsafe extern "C" {
        /// The column of the largest element of each row: greedy sampling from logits. The first of several
        /// equal ones wins. NaNs are passed over; a row of nothing else, or of no columns, gives 2^32 - 1.
        ///
        /// Shapes: `output` is [rows], `input` is [rows, column_count].
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn argmax(output: *mut u32, input: *const f32, column_count: u32);
    }
}

/// The kernels of `../kernels/cuda/attention.cu`.
pub mod attention {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "attention", source = "../kernels/cuda/attention.cu")]
    unsafe extern "C" {
        /// `output = softmax(scale * query * keys) * values` for one new token, head by head, over the first
        /// `context_length` positions of the cache. Query heads share key and value heads in groups of
        /// `query_head_count / kv_head_count` neighbours. A context of no length gives zeros.
        ///
        /// Shapes: `output` and `query` are [query_head_count, head_dim], `key_cache` and `value_cache` are
        /// [kv_head_count, capacity, head_dim]. `kv_head_count` divides `query_head_count`, and
        /// `context_length` is at most `capacity`.
        /// Launch: any grid, [query_head_count, 1, 1] for one head a block; any block, a multiple of 32 up
        /// to 1024, best one that is not less than `head_dim`.
        pub unsafe fn attention_decode(
            output: *mut f32,
            query: *const f32,
            key_cache: *const f32,
            value_cache: *const f32,
            query_head_count: u32,
            kv_head_count: u32,
            head_dim: u32,
            context_length: u32,
            capacity: u32,
            scale: f32,
        );

        /// `attention_decode_f16`, attention.cu:111.
        pub unsafe fn attention_decode_f16(
            output: *mut f16,
            query: *const f16,
            key_cache: *const f16,
            value_cache: *const f16,
            query_head_count: u32,
            kv_head_count: u32,
            head_dim: u32,
            context_length: u32,
            capacity: u32,
            scale: f32,
        );

        /// `attention_decode_bf16`, attention.cu:112.
        pub unsafe fn attention_decode_bf16(
            output: *mut bf16,
            query: *const bf16,
            key_cache: *const bf16,
            value_cache: *const bf16,
            query_head_count: u32,
            kv_head_count: u32,
            head_dim: u32,
            context_length: u32,
            capacity: u32,
            scale: f32,
        );
    }
}

/// The kernels of `../kernels/cuda/convert.cu`.
pub mod convert {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "convert", source = "../kernels/cuda/convert.cu")]
    unsafe extern "C" {
        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<float, __half>")]
        pub unsafe fn convert_float_half(output: *mut f16, input: *const f32, n: u32);

        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<float, __nv_bfloat16>")]
        pub unsafe fn convert_float_nv_bfloat16(output: *mut bf16, input: *const f32, n: u32);

        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<__half, float>")]
        pub unsafe fn convert_half_float(output: *mut f32, input: *const f16, n: u32);

        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<__half, __nv_bfloat16>")]
        pub unsafe fn convert_half_nv_bfloat16(output: *mut bf16, input: *const f16, n: u32);

        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<__nv_bfloat16, float>")]
        pub unsafe fn convert_nv_bfloat16_float(output: *mut f32, input: *const bf16, n: u32);

        /// `output[i] = input[i]`, rounded to the nearest element, ties to even.
        ///
        /// Shapes: `output` and `input` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        #[instance("convert<__nv_bfloat16, __half>")]
        pub unsafe fn convert_nv_bfloat16_half(output: *mut f16, input: *const bf16, n: u32);
    }
}

/// The kernels of `../kernels/cuda/embedding.cu`.
pub mod embedding {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "embedding", source = "../kernels/cuda/embedding.cu")]
    unsafe extern "C" {
        /// Copies row `token_ids[t]` of `table` to row `t` of `output`. A token outside of the vocabulary
        /// gives a row of zeros.
        ///
        /// Shapes: `output` is [tokens, hidden_size], `table` is [vocabulary_size, hidden_size], `token_ids`
        /// is [tokens].
        /// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
        pub unsafe fn embedding(
            output: *mut f32,
            table: *const f32,
            token_ids: *const u32,
            hidden_size: u32,
            vocabulary_size: u32,
        );

        /// `embedding_f16`, embedding.cu:45.
        pub unsafe fn embedding_f16(
            output: *mut f16,
            table: *const f16,
            token_ids: *const u32,
            hidden_size: u32,
            vocabulary_size: u32,
        );

        /// `embedding_bf16`, embedding.cu:46.
        pub unsafe fn embedding_bf16(
            output: *mut bf16,
            table: *const bf16,
            token_ids: *const u32,
            hidden_size: u32,
            vocabulary_size: u32,
        );
    }
}

/// The kernels of `../kernels/cuda/gemm.cu`.
pub mod gemm {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "gemm", source = "../kernels/cuda/gemm.cu")]
    unsafe extern "C" {
        /// `c = alpha * a * b + beta * c`. With a `beta` of 0 `c` is written and never read.
        ///
        /// Shapes, all by rows: `c` is [m, n], `a` is [m, k], `b` is [k, n].
        /// Launch: any grid of two dimensions, [ceil(n / 64), ceil(m / 64), 1] for one tile a block; the
        /// block is [256, 1, 1] and no other.
        pub unsafe fn gemm(
            c: *mut f32,
            a: *const f32,
            b: *const f32,
            m: u32,
            n: u32,
            k: u32,
            alpha: f32,
            beta: f32,
        );

        /// `gemm` for f16 elements, with sums, `alpha` and `beta` in float.
        pub unsafe fn gemm_f16(
            c: *mut f16,
            a: *const f16,
            b: *const f16,
            m: u32,
            n: u32,
            k: u32,
            alpha: f32,
            beta: f32,
        );

        /// `gemm` for bf16 elements, with sums, `alpha` and `beta` in float.
        pub unsafe fn gemm_bf16(
            c: *mut bf16,
            a: *const bf16,
            b: *const bf16,
            m: u32,
            n: u32,
            k: u32,
            alpha: f32,
            beta: f32,
        );
    }
}

/// The kernels of `../kernels/cuda/gemv.cu`.
pub mod gemv {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "gemv", source = "../kernels/cuda/gemv.cu")]
    unsafe extern "C" {
        /// `output = matrix * vector`.
        ///
        /// Shapes: `output` is [row_count], `matrix` is [row_count, column_count] by rows, `vector` is
        /// [column_count].
        /// Launch: any grid, `ceil(row_count / (block / 32))` for one row a warp; any block, a multiple of
        /// 32 up to 1024.
        pub unsafe fn gemv(
            output: *mut f32,
            matrix: *const f32,
            vector: *const f32,
            row_count: u32,
            column_count: u32,
        );

        /// `gemv` for f16 elements, with sums in float.
        pub unsafe fn gemv_f16(
            output: *mut f16,
            matrix: *const f16,
            vector: *const f16,
            row_count: u32,
            column_count: u32,
        );

        /// `gemv` for bf16 elements, with sums in float.
        pub unsafe fn gemv_bf16(
            output: *mut bf16,
            matrix: *const bf16,
            vector: *const bf16,
            row_count: u32,
            column_count: u32,
        );
    }
}

/// The kernels of `../kernels/cuda/kv_cache.cu`.
pub mod kv_cache {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "kv_cache", source = "../kernels/cuda/kv_cache.cu")]
    unsafe extern "C" {
        /// Writes the keys and values of new tokens into the caches of one sequence, token `t` at
        /// `positions[t]`. A token whose position is not less than `capacity` is skipped, which is how a
        /// padded batch marks the tokens it does not have. The other positions must differ.
        ///
        /// Shapes: `key_cache` and `value_cache` are [kv_head_count, capacity, head_dim], `keys` and
        /// `values` are [tokens, kv_head_count, head_dim], `positions` is [tokens].
        /// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
        pub unsafe fn kv_append(
            key_cache: *mut f32,
            value_cache: *mut f32,
            keys: *const f32,
            values: *const f32,
            positions: *const u32,
            kv_head_count: u32,
            head_dim: u32,
            capacity: u32,
        );

        /// `kv_append_f16`, kv_cache.cu:49.
        pub unsafe fn kv_append_f16(
            key_cache: *mut f16,
            value_cache: *mut f16,
            keys: *const f16,
            values: *const f16,
            positions: *const u32,
            kv_head_count: u32,
            head_dim: u32,
            capacity: u32,
        );

        /// `kv_append_bf16`, kv_cache.cu:50.
        pub unsafe fn kv_append_bf16(
            key_cache: *mut bf16,
            value_cache: *mut bf16,
            keys: *const bf16,
            values: *const bf16,
            positions: *const u32,
            kv_head_count: u32,
            head_dim: u32,
            capacity: u32,
        );
    }
}

/// The kernels of `../kernels/cuda/norm.cu`.
pub mod norm {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "norm", source = "../kernels/cuda/norm.cu")]
    unsafe extern "C" {
        /// Root-mean-square normalisation: `output = input / sqrt(mean(input^2) + eps) * weight`, row by row.
        ///
        /// Shapes: `output` and `input` are [rows, hidden_size], `weight` is [hidden_size]. `output` may be
        /// `input`.
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn rms_norm(
            output: *mut f32,
            input: *const f32,
            weight: *const f32,
            hidden_size: u32,
            eps: f32,
        );

        /// `residual += input`, then `output = rms_norm(residual)`, row by row. The sum is rounded to the
        /// element type before it is normalised, so that the result is that of the two kernels apart.
        ///
        /// Shapes: `output`, `residual` and `input` are [rows, hidden_size], `weight` is [hidden_size].
        /// `output` may be `input`.
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn add_rms_norm(
            output: *mut f32,
            residual: *mut f32,
            input: *const f32,
            weight: *const f32,
            hidden_size: u32,
            eps: f32,
        );

        /// Layer normalisation: `output = (input - mean) / sqrt(variance + eps) * weight + bias`, row by
        /// row. The variance is the population's (divided by `hidden_size`).
        ///
        /// Shapes: `output` and `input` are [rows, hidden_size], `weight` and `bias` are [hidden_size].
        /// `output` may be `input`.
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn layer_norm(
            output: *mut f32,
            input: *const f32,
            weight: *const f32,
            bias: *const f32,
            hidden_size: u32,
            eps: f32,
        );

        /// `rms_norm_f16`, norm.cu:115.
        pub unsafe fn rms_norm_f16(
            output: *mut f16,
            input: *const f16,
            weight: *const f16,
            hidden_size: u32,
            eps: f32,
        );

        /// `add_rms_norm_f16`, norm.cu:115.
        pub unsafe fn add_rms_norm_f16(
            output: *mut f16,
            residual: *mut f16,
            input: *const f16,
            weight: *const f16,
            hidden_size: u32,
            eps: f32,
        );

        /// `layer_norm_f16`, norm.cu:115.
        pub unsafe fn layer_norm_f16(
            output: *mut f16,
            input: *const f16,
            weight: *const f16,
            bias: *const f16,
            hidden_size: u32,
            eps: f32,
        );

        /// `rms_norm_bf16`, norm.cu:116.
        pub unsafe fn rms_norm_bf16(
            output: *mut bf16,
            input: *const bf16,
            weight: *const bf16,
            hidden_size: u32,
            eps: f32,
        );

        /// `add_rms_norm_bf16`, norm.cu:116.
        pub unsafe fn add_rms_norm_bf16(
            output: *mut bf16,
            residual: *mut bf16,
            input: *const bf16,
            weight: *const bf16,
            hidden_size: u32,
            eps: f32,
        );

        /// `layer_norm_bf16`, norm.cu:116.
        pub unsafe fn layer_norm_bf16(
            output: *mut bf16,
            input: *const bf16,
            weight: *const bf16,
            bias: *const bf16,
            hidden_size: u32,
            eps: f32,
        );
    }
}

/// The kernels of `../kernels/cuda/quantize.cu`.
pub mod quantize {
    use warpcall::kernel;

    #[kernel(module = "quantize", source = "../kernels/cuda/quantize.cu")]
    unsafe extern "C" {
        /// `scale = max(|input|) / 127` and `output = round(input / scale)`, row by row, ties to even. A row
        /// of zeros has the scale 0. The input must be finite.
        ///
        /// Shapes: `output` and `input` are [rows, column_count], `scales` is [rows].
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn quantize_int8(
            output: *mut i8,
            scales: *mut f32,
            input: *const f32,
            column_count: u32,
        );

        /// `output = input * scale`, row by row.
        ///
        /// Shapes: `output` and `input` are [rows, column_count], `scales` is [rows].
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn dequantize_int8(
            output: *mut f32,
            input: *const i8,
            scales: *const f32,
            column_count: u32,
        );
    }
}

/// The kernels of `../kernels/cuda/rope.cu`.
pub mod rope {
    use half::{bf16, f16};
    use warpcall::{KernelParam, kernel};

    /// `RopeParams`, rope.cu:7.
    #[repr(C)]
    #[derive(Clone, Copy, KernelParam)]
    pub struct RopeParams {
        /// `unsigned int head_count`, at byte 0.
        pub head_count: u32,
        /// `unsigned int head_dim`, at byte 4.
        pub head_dim: u32,
        /// `unsigned int rotary_dim`, at byte 8.
        pub rotary_dim: u32,
        /// `unsigned long long token_stride`, at byte 16.
        pub token_stride: usize,
        /// `float theta_base`, at byte 24.
        pub theta_base: f32,
        /// `float position_scale`, at byte 28.
        pub position_scale: f32,
        /// `bool interleaved`, at byte 32.
        pub interleaved: bool,
    }

    #[kernel(module = "rope", source = "../kernels/cuda/rope.cu")]
    unsafe extern "C" {
        /// Turns every pair of elements of every head by `position * theta_base^(-2 * pair / rotary_dim)`,
        /// in place. Elements past `rotary_dim` stay as they are. The angle is a float: its error grows with
        /// the position.
        ///
        /// Shapes: `data` is [tokens, head_count, head_dim] with `token_stride` elements from one token to
        /// the next, `positions` is [tokens].
        /// Launch: grid [tokens, 1, 1], one block a token; any block, a multiple of 32 up to 1024.
        pub unsafe fn rope(data: *mut f32, positions: *const u32, params: RopeParams);

        /// `rope_f16`, rope.cu:67.
        pub unsafe fn rope_f16(data: *mut f16, positions: *const u32, params: RopeParams);

        /// `rope_bf16`, rope.cu:68.
        pub unsafe fn rope_bf16(data: *mut bf16, positions: *const u32, params: RopeParams);
    }
}

/// The kernels of `../kernels/cuda/saxpy.cu`.
pub mod saxpy {
    use warpcall::kernel;

    #[kernel(module = "saxpy", source = "../kernels/cuda/saxpy.cu")]
    unsafe extern "C" {
        /// `y[i] += a * x[i]` for every `i < n`.
        ///
        /// Shapes: `y` and `x` hold `n` elements.
        /// Launch: any grid, `ceil(n / block)` for one element a thread; any block.
        pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);
    }
}

/// The kernels of `../kernels/cuda/softmax.cu`.
pub mod softmax {
    use half::{bf16, f16};
    use warpcall::kernel;

    #[kernel(module = "softmax", source = "../kernels/cuda/softmax.cu")]
    unsafe extern "C" {
        /// `output = exp(input - max(input)) / sum(exp(input - max(input)))`, row by row. An element of
        /// -infinity gives 0; a row of nothing else gives NaN.
        ///
        /// Shapes: `output` and `input` are [rows, column_count]. `output` may be `input`.
        /// Launch: grid [rows, 1, 1], one block a row; any block, a multiple of 32 up to 1024.
        pub unsafe fn softmax(output: *mut f32, input: *const f32, column_count: u32);

        /// `softmax_f16`, softmax.cu:42.
        pub unsafe fn softmax_f16(output: *mut f16, input: *const f16, column_count: u32);

        /// `softmax_bf16`, softmax.cu:43.
        pub unsafe fn softmax_bf16(output: *mut bf16, input: *const bf16, column_count: u32);
    }
}

/// The kernels of `../kernels/cuda/tile_copy.cu`.
pub mod tile_copy {
    use warpcall::{TensorMap, kernel};

    #[kernel(module = "tile_copy", source = "../kernels/cuda/tile_copy.cu")]
    unsafe extern "C" {
        /// Copies tiles of 32 rows by 64 columns out of a matrix, one after the other. The tile of block
        /// (x, y) is the one at column `tile_column + x` and row `tile_row + y` of tiles, which may be
        /// negative; what lies outside of the matrix, on any side, reads as zero. Corners are counted in
        /// tiles because the copy engine takes none that is not aligned to 16 bytes.
        ///
        /// Shapes: `output` is [gridDim.y, gridDim.x, 32, 64]; `input` describes a float matrix of two
        /// dimensions with a box of [64, 32] elements, columns first, no interleave and no swizzle.
        /// Launch: any grid of two dimensions; any block, a multiple of 32 up to 1024.
        pub unsafe fn tile_copy(output: *mut f32, input: TensorMap, tile_column: i32, tile_row: i32);
    }
}
