//! Modules that are bound to a CUDA file without a declaration: they have the kernels that a person declared for the same
//! file, and their launches pass the same.

use warpcall::backend::mock::RecordedLaunch;
use warpcall::{Error, Gpu, Kernel, LaunchConfig, MockBackend, Result, kernel};
use warpcall_kernels::rope::RopeParams;

/// The modules of `warpcall-kernels` once more, bound.
mod bound {
    use warpcall::kernel;

    #[kernel(source = "../kernels/cuda/activation.cu", image = "../kernels/ptx/activation.ptx")]
    pub mod activation {}

    #[kernel(source = "../kernels/cuda/argmax.cu", image = "../kernels/ptx/argmax.ptx")]
    pub mod argmax {}

    #[kernel(source = "../kernels/cuda/attention.cu", image = "../kernels/ptx/attention.ptx")]
    pub mod attention {}

    #[kernel(source = "../kernels/cuda/embedding.cu", image = "../kernels/ptx/embedding.ptx")]
    pub mod embedding {}

    #[kernel(source = "../kernels/cuda/gemm.cu", image = "../kernels/ptx/gemm.ptx")]
    pub mod gemm {}

    #[kernel(source = "../kernels/cuda/gemv.cu", image = "../kernels/ptx/gemv.ptx")]
    pub mod gemv {}

    #[kernel(source = "../kernels/cuda/kv_cache.cu", image = "../kernels/ptx/kv_cache.ptx")]
    pub mod kv_cache {}

    #[kernel(source = "../kernels/cuda/norm.cu", image = "../kernels/ptx/norm.ptx")]
    pub mod norm {}

    #[kernel(source = "../kernels/cuda/quantize.cu", image = "../kernels/ptx/quantize.ptx")]
    pub mod quantize {}

    #[kernel(source = "../kernels/cuda/rope.cu", image = "../kernels/ptx/rope.ptx")]
    pub mod rope {
        use warpcall_kernels::rope::RopeParams;
    }

    #[kernel(source = "../kernels/cuda/saxpy.cu", image = "../kernels/ptx/saxpy.ptx")]
    pub mod saxpy {}

    #[kernel(source = "../kernels/cuda/softmax.cu", image = "../kernels/ptx/softmax.ptx")]
    pub mod softmax {}

    #[kernel(source = "../kernels/cuda/tile_copy.cu", image = "../kernels/ptx/tile_copy.ptx")]
    pub mod tile_copy {}
}

/// Each kernel as it is bound and as it is declared by hand.
macro_rules! pairs {
    ($($module:ident: $($kernel:ident),+;)+) => {
        [$($((&bound::$module::$kernel, &warpcall_kernels::$module::$kernel)),+),+]
    };
}

static PAIRS: [(&Kernel, &Kernel); 41] = pairs! {
    activation: SILU_MUL, SILU_MUL_F16, SILU_MUL_BF16, GELU, GELU_F16, GELU_BF16;
    argmax: ARGMAX;
    attention: ATTENTION_DECODE, ATTENTION_DECODE_F16, ATTENTION_DECODE_BF16;
    embedding: EMBEDDING, EMBEDDING_F16, EMBEDDING_BF16;
    gemm: GEMM, GEMM_F16, GEMM_BF16;
    gemv: GEMV, GEMV_F16, GEMV_BF16;
    kv_cache: KV_APPEND, KV_APPEND_F16, KV_APPEND_BF16;
    norm: RMS_NORM, RMS_NORM_F16, RMS_NORM_BF16, ADD_RMS_NORM, ADD_RMS_NORM_F16, ADD_RMS_NORM_BF16, LAYER_NORM, LAYER_NORM_F16, LAYER_NORM_BF16;
    quantize: QUANTIZE_INT8, DEQUANTIZE_INT8;
    rope: ROPE, ROPE_F16, ROPE_BF16;
    saxpy: SAXPY;
    softmax: SOFTMAX, SOFTMAX_F16, SOFTMAX_BF16;
    tile_copy: TILE_COPY;
};

#[test]
fn a_bound_kernel_is_the_one_that_was_declared_by_hand() {
    for (bound, by_hand) in PAIRS {
        assert_eq!(bound.to_string(), by_hand.to_string());
        assert_eq!(bound.name(), by_hand.name());
        assert_eq!(bound.module().name(), by_hand.module().name());
        // Names, types as they are written, kinds, sizes and alignments, and the fields of structs.
        assert_eq!(bound.parameters(), by_hand.parameters(), "{bound}");
        let [own, other] = [bound, by_hand].map(|kernel| kernel.module().image().expect("it is embedded"));
        assert_eq!(own.bytes, other.bytes);
    }
}

/// What two launches record, but for where in this file they stand and the handles, of which each kernel has its own.
fn recorded(mock: &MockBackend) -> [RecordedLaunch; 2] {
    let launches = mock.launches();
    let [mut bound, by_hand]: [RecordedLaunch; 2] = launches.try_into().expect("there are two launches");
    (bound.location, bound.handle) = (by_hand.location, by_hand.handle);
    [bound, by_hand]
}

#[test]
fn a_launch_passes_what_one_by_hand_passes() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let config = LaunchConfig::for_elements(100, 32);
    let x = gpu.zeros::<f32>(100)?;
    let mut y = gpu.zeros::<f32>(100)?;
    // SAFETY: the mock runs nothing.
    unsafe {
        bound::saxpy::launch_saxpy(&stream, config, &mut y, &x, 1.5, 100)?;
        warpcall_kernels::saxpy::launch_saxpy(&stream, config, &mut y, &x, 1.5, 100)?;
    }
    let [bound, by_hand] = recorded(&mock);
    assert!((bound.value::<f32>("a")? - 1.5).abs() < f32::EPSILON);
    assert_eq!(bound.buffer("y")?, y.device_ptr());
    assert_eq!(bound, by_hand);
    Ok(())
}

#[test]
fn a_struct_by_value_is_passed_as_by_hand() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let positions = gpu.zeros::<u32>(4)?;
    let mut data = gpu.zeros::<f32>(64)?;
    let params = RopeParams {
        head_count: 2,
        head_dim: 8,
        rotary_dim: 8,
        token_stride: 16,
        theta_base: 1e4,
        position_scale: 1.0,
        interleaved: true,
    };
    let config = LaunchConfig::new(4, 32);
    // SAFETY: the mock runs nothing.
    unsafe {
        bound::rope::launch_rope(&stream, config, &mut data, &positions, params)?;
        warpcall_kernels::rope::launch_rope(&stream, config, &mut data, &positions, params)?;
    }
    let [bound, by_hand] = recorded(&mock);
    assert_eq!(bound.value::<RopeParams>("params")?.token_stride, 16);
    assert_eq!(bound, by_hand);
    Ok(())
}

/// One kernel is declared in the body, for its host function; the others are bound.
#[kernel(source = "../kernels/cuda/norm.cu", module = "bound_norm", only("rms_norm", "layer_norm"))]
mod norm {
    #[warpcall::kernel(source = "../kernels/cuda/norm.cu", module = "bound_norm")]
    unsafe extern "C" {
        #[host(warpcall_kernels::reference::rms_norm::<f32>, launch)]
        pub unsafe fn rms_norm(
            output: *mut f32,
            input: *const f32,
            weight: *const f32,
            hidden_size: u32,
            eps: f32,
        );
    }
}

#[test]
fn a_kernel_that_the_body_declares_has_its_host_function_and_a_bound_one_has_none() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let input = gpu.upload(&[3.0_f32; 4])?;
    let weight = gpu.upload(&[2.0_f32; 4])?;
    let mut output = gpu.zeros::<f32>(4)?;
    let config = LaunchConfig::new(1, 32);
    // SAFETY: one row of four elements is what each buffer holds.
    unsafe { norm::launch_rms_norm(&stream, config, &mut output, &input, &weight, 4, 0.0)? };
    assert_eq!(output.to_vec(&stream)?, [2.0; 4]);
    // SAFETY: as above.
    let refused =
        unsafe { norm::launch_layer_norm(&stream, config, &mut output, &input, &weight, &weight, 4, 0.0) };
    let refused = refused.expect_err("nothing runs it");
    assert!(matches!(refused, Error::NoHostFunction { .. }), "{refused}");
    Ok(())
}
