//! The kernels of `warpcall-kernels` on a device against their host references: the same launches with the same data on
//! both, many shapes each, for each element type.
//!
//! Prints a table, a line `KERNELS | …` a kernel: how far the results are apart at most, in absolute terms, in ulps of the
//! element type, and as a share of what is allowed. Where an element is a sum of terms that cancel, its own ulp is far smaller
//! than any of their roundings, so there is a column in ulps of the terms too.

#[path = "cuda_kernels/cases.rs"]
mod cases;
#[path = "cuda_kernels/compare.rs"]
mod compare;
mod cuda_support;
#[path = "cuda_kernels/launches.rs"]
mod launches;

use std::collections::BTreeSet;

use cases::{Case, SHAPES};
use compare::Difference;
use cuda_support::{cuda_or_skip, say};
use fastrand::Rng;
use half::{bf16, f16};
use warpcall::{Error, Gpu, Kernel};
use warpcall_kernels::convert::ConvertInstance;
use warpcall_kernels::{
    activation, argmax, attention, embedding, gemm, gemv, kv_cache, norm, quantize, rope, saxpy, softmax,
    tile_copy,
};

/// A kernel, the type of its elements, and what it is launched with.
struct Entry {
    kernel: &'static Kernel,
    element: &'static str,
    case: fn(&mut Rng, usize) -> Case,
}

const fn entry(kernel: &'static Kernel, element: &'static str, case: fn(&mut Rng, usize) -> Case) -> Entry {
    Entry { kernel, element, case }
}

macro_rules! entries {
    (
        each { $($case:ident: $f32:path, $f16:path, $bf16:path;)+ }
        alone { $($name:ident($element:literal): $kernel:path;)+ }
        pairs { $($pair:ident: $($from:ident => $to:ident),+;)+ }
    ) => {
        &[
            $(
                entry(&$f32, "f32", cases::$case::<f32>),
                entry(&$f16, "f16", cases::$case::<f16>),
                entry(&$bf16, "bf16", cases::$case::<bf16>),
            )+
            $(entry(&$kernel, $element, cases::$name),)+
            $($(
                entry(
                    <$from as ConvertInstance<$to>>::KERNEL,
                    concat!(stringify!($from), ", ", stringify!($to)),
                    cases::$pair::<$from, $to>,
                ),
            )+)+
        ]
    };
}

const ENTRIES: &[Entry] = entries! {
    each {
        embedding: embedding::EMBEDDING, embedding::EMBEDDING_F16, embedding::EMBEDDING_BF16;
        rms_norm: norm::RMS_NORM, norm::RMS_NORM_F16, norm::RMS_NORM_BF16;
        add_rms_norm: norm::ADD_RMS_NORM, norm::ADD_RMS_NORM_F16, norm::ADD_RMS_NORM_BF16;
        layer_norm: norm::LAYER_NORM, norm::LAYER_NORM_F16, norm::LAYER_NORM_BF16;
        rope: rope::ROPE, rope::ROPE_F16, rope::ROPE_BF16;
        silu_mul: activation::SILU_MUL, activation::SILU_MUL_F16, activation::SILU_MUL_BF16;
        gelu: activation::GELU, activation::GELU_F16, activation::GELU_BF16;
        softmax: softmax::SOFTMAX, softmax::SOFTMAX_F16, softmax::SOFTMAX_BF16;
        gemv: gemv::GEMV, gemv::GEMV_F16, gemv::GEMV_BF16;
        gemm: gemm::GEMM, gemm::GEMM_F16, gemm::GEMM_BF16;
        kv_append: kv_cache::KV_APPEND, kv_cache::KV_APPEND_F16, kv_cache::KV_APPEND_BF16;
        attention_decode: attention::ATTENTION_DECODE, attention::ATTENTION_DECODE_F16, attention::ATTENTION_DECODE_BF16;
    }
    alone {
        saxpy("f32"): saxpy::SAXPY;
        argmax("f32, u32"): argmax::ARGMAX;
        quantize_int8("f32, i8"): quantize::QUANTIZE_INT8;
        dequantize_int8("i8, f32"): quantize::DEQUANTIZE_INT8;
        tile_copy("f32"): tile_copy::TILE_COPY;
    }
    pairs {
        convert: f32 => f16, f32 => bf16, f16 => f32, f16 => bf16, bf16 => f32, bf16 => f16;
    }
};

impl Entry {
    /// The launches, the same ones whenever they are asked for.
    fn cases(&self) -> impl Iterator<Item = Case> {
        let seed = self
            .kernel
            .name()
            .bytes()
            .fold(7, |seed: u64, byte| seed.wrapping_mul(131).wrapping_add(byte.into()));
        let mut rng = Rng::with_seed(seed);
        (0..SHAPES).map(move |step| (self.case)(&mut rng, step))
    }

    /// How far `device` is from `host` over all launches.
    ///
    /// # Errors
    ///
    /// Names the launch that a backend refused, in words.
    fn compare(&self, host: &Gpu, device: &Gpu) -> Result<Difference, String> {
        let mut difference = Difference::default();
        for Case { shape, run, allowed } in self.cases() {
            let outputs =
                |gpu: &Gpu| run(gpu).map_err(|error| format!("{shape} on {}: {error}", gpu.label()));
            let (expected, found) = (outputs(host)?, outputs(device)?);
            assert_eq!(expected.len(), allowed.len(), "{}: an output and what is allowed", self.kernel);
            for ((expected, found), allowed) in expected.iter().zip(&found).zip(&allowed) {
                difference.add(&shape, expected, found, allowed);
            }
        }
        Ok(difference)
    }
}

#[test]
fn every_kernel_computes_on_the_device_what_its_reference_does() {
    let Some(backend) = cuda_or_skip() else { return };
    let has_tensor_maps = backend.driver_version() >= (12, 0);
    let device = Gpu::from_backend(backend);
    let has_tensor_maps =
        has_tensor_maps && device.properties().compute_capability.is_some_and(|version| version >= (9, 0));
    let host = Gpu::host().expect("the host is always there");
    say(format_args!("KERNELS | {} against {}", device.label(), host.label()));
    say(row(&[
        "kernel",
        "type",
        "shapes",
        "elements",
        "differ",
        "largest error",
        "in ulps",
        "of terms",
        "of allowed",
    ]));
    let mut failures = Vec::new();
    for entry in ENTRIES {
        let name = entry.kernel.name();
        if entry.kernel.module().name() == "tile_copy" && !has_tensor_maps {
            say(format_args!(
                "KERNELS | {name} | NOT RUN: it needs compute capability 9.0 and a driver for CUDA 12"
            ));
            continue;
        }
        match entry.compare(&host, &device) {
            Ok(difference) => {
                say(row(&[
                    name,
                    entry.element,
                    &SHAPES.to_string(),
                    &difference.elements.to_string(),
                    &difference.differing.to_string(),
                    &format!("{:.2e}", difference.largest),
                    &format!("{:.2}", difference.largest_ulps),
                    &format!("{:.2}", difference.largest_term_ulps),
                    &format!("{:.3}", difference.largest_share),
                ]));
                if difference.failed > 0 {
                    let shown = difference.failures.join("\n    ");
                    failures
                        .push(format!("{name}: {} elements; the first are\n    {shown}", difference.failed));
                }
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{} kernels failed:\n{}", failures.len(), failures.join("\n"));
}

fn row(columns: &[&str; 9]) -> String {
    let [name, element, shapes, elements, differ, largest, ulps, terms, share] = columns;
    format!(
        "KERNELS | {name:22} | {element:8} | {shapes:>6} | {elements:>8} | {differ:>8} | {largest:>13} | {ulps:>10} | {terms:>8} | {share:>10}"
    )
}

/// Nothing is left out: each kernel in the PTX of a module that is compared is itself compared.
#[test]
fn every_kernel_of_a_module_is_compared() {
    let compared: BTreeSet<&str> =
        ENTRIES.iter().map(|entry| entry.kernel.symbol().unwrap_or(entry.kernel.name())).collect();
    assert_eq!(compared.len(), ENTRIES.len(), "none twice");
    let mut entries = BTreeSet::new();
    for entry in ENTRIES {
        let image = entry.kernel.module().image().expect("the PTX is there");
        let text = std::str::from_utf8(image.bytes).expect("PTX is text");
        for line in text.lines() {
            if let Some((_, rest)) = line.split_once(".entry ") {
                entries.insert(rest.split('(').next().unwrap_or(rest).trim());
            }
        }
    }
    assert_eq!(entries, compared);
}

/// The launches themselves, before a device is there: each writes what it should and no more, the same whenever it is run,
/// and an element that is wrong is found.
#[test]
fn every_launch_is_sound_on_the_host() {
    let host = Gpu::host().expect("the host is always there");
    for entry in ENTRIES {
        let name = entry.kernel.name();
        for Case { shape, run, allowed } in entry.cases().step_by(3) {
            let outputs = || run(&host).unwrap_or_else(|error: Error| panic!("{name}, {shape}: {error}"));
            let (expected, again) = (outputs(), outputs());
            assert_eq!(expected.len(), allowed.len(), "{name}, {shape}");
            for ((expected, mut found), allowed) in expected.iter().zip(again).zip(&allowed) {
                let compared = |found: &_| {
                    let mut difference = Difference::default();
                    difference.add(&shape, expected, found, allowed);
                    difference
                };
                let same = compared(&found);
                assert_eq!((same.differing, same.failed), (0, 0), "{name}, {shape}: {:?}", same.failures);
                let magnitude = found.values[0].abs().max(1.0);
                found.values[0] += magnitude;
                assert_eq!(compared(&found).failed, 1, "{name}, {shape}: the first element is wrong");
                let behind = found.values.len() - 1;
                found.values[0] -= magnitude;
                found.values[behind] += 1.0;
                assert!(
                    compared(&found).failed >= 1,
                    "{name}, {shape}: what is behind the output is written"
                );
            }
        }
    }
}
