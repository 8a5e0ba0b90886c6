//! How fast the readers read: megabytes a second over generated files.
//!
//! `cargo bench -p warpcall-signature` measures them optimised. `#[kernel]` runs the reader as cargo builds macros, without
//! optimisation unless a profile says otherwise: `cargo bench -p warpcall-signature --profile dev` measures that.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use warpcall_signature::source::{Limits, SourceReader};
use warpcall_signature::{cubin, ptx};

/// How long each is measured.
const LASTS: Duration = Duration::from_secs(2);

fn main() {
    // What `cargo test` builds and runs is to be quick.
    let lasts = if std::env::args().any(|argument| argument == "--bench") { LASTS } else { Duration::ZERO };
    println!("{:<46} {:>9} {:>8} {:>10} {:>9}", "", "KiB", "kernels", "ms", "MB/s");
    for (what, text) in [
        ("source: 3,000 lines, 100 kernels", plain(100, 30)),
        ("source: 300,000 lines, 10,000 kernels", plain(10_000, 30)),
        ("source: macros that make 10,000 kernels", from_macros(10_000)),
        ("source: 10,000 structs by value, 1,000 kernels", structs(10_000, 1_000)),
    ] {
        let limits = Limits { tokens: 50_000_000, ..Limits::default() };
        let read = || SourceReader::new().limits(limits).read_text("t.cu", &text);
        report(what, text.len(), lasts, || read().expect("it can be read").kernels.len());
    }
    let text = entries(10_000, 60);
    report("PTX: 10,000 entries of 60 instructions", text.len(), lasts, || {
        ptx::read(text.as_bytes()).expect("it can be read").kernels.len()
    });
    let image: &[u8] = include_bytes!("../tests/data/generated.cubin");
    report("cubin: 336 kernels, without their code", image.len(), lasts, || {
        cubin::read(image).expect("it can be read").kernels.len()
    });
}

/// Prints the median of as many runs as there is time for.
fn report(what: &str, bytes: usize, lasts: Duration, read: impl Fn() -> usize) {
    let start = Instant::now();
    let mut times = Vec::new();
    let mut kernels = 0;
    while times.is_empty() || start.elapsed() < lasts {
        let before = Instant::now();
        kernels = black_box(read());
        times.push(before.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2].as_secs_f64();
    let bytes = f64::from(u32::try_from(bytes).expect("a file of less than four gigabytes"));
    println!(
        "{what:<46} {:>9.0} {kernels:>8} {:>10.3} {:>9.1}",
        bytes / 1024.0,
        median * 1e3,
        bytes / 1e6 / median
    );
}

/// Kernels with bodies of so many lines, as a person writes them.
fn plain(kernels: usize, lines: usize) -> String {
    let mut text = String::from("#include <cuda_fp16.h>\n#define BLOCK 256\n\n");
    for kernel in 0..kernels {
        let head = format!(
            "/// Adds `bias` to the rows of `input`.\nextern \"C\" __global__ void __launch_bounds__(BLOCK) row_{kernel}(float* __restrict__ output,\n    const float* __restrict__ input, const __half* bias, const int rows, unsigned int columns, float scale) {{\n"
        );
        text.push_str(&head);
        text.push_str("    const int index = blockIdx.x * blockDim.x + threadIdx.x;\n");
        for line in 0..lines.saturating_sub(7) {
            writeln!(text, "    if (index + {line} < rows) output[index + {line}] += scale * input[index] + __half2float(bias[{line}]); // {kernel}")
                .expect("a string takes all");
        }
        text.push_str("    __syncthreads();\n}\n\n");
    }
    text
}

/// One macro for each operation, called for each type.
fn from_macros(kernels: usize) -> String {
    let mut text = String::from(
        "#define UNARY(T, NAME, EXPRESSION) \\\n  extern \"C\" __global__ void NAME(const size_t count, const size_t dimensions, const size_t* info, const T* input, T* output) { \\\n    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) { \\\n      T x = input ? input[i] : output[i]; \\\n      output[i] = EXPRESSION; \\\n    } \\\n  }\n",
    );
    for kernel in 0..kernels {
        let ty = ["float", "double", "__half", "uint8_t", "int64_t"][kernel % 5];
        writeln!(text, "UNARY({ty}, unary_{kernel}, x * x + T({kernel}))").expect("a string takes all");
    }
    text
}

fn structs(structs: usize, kernels: usize) -> String {
    let mut text = String::new();
    for index in 0..structs {
        writeln!(text, "struct __align__(16) Params{index} {{ float scale; int shape[4]; const float* bias; unsigned char flag : 3, rest : 5; }};")
            .expect("a string takes all");
    }
    for kernel in 0..kernels {
        writeln!(
            text,
            "__global__ void k{kernel}(const __grid_constant__ Params{} params) {{}}",
            kernel % structs
        )
        .expect("a string takes all");
    }
    text
}

fn entries(entries: usize, instructions: usize) -> String {
    let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
    for entry in 0..entries {
        writeln!(text, ".visible .entry row_{entry}(\n\t.param .u64 .ptr .align 1 row_{entry}_param_0,\n\t.param .u32 row_{entry}_param_1\n)\n.maxntid 256\n{{\n\t.reg .b32 %r<9>;")
            .expect("a string takes all");
        for instruction in 0..instructions {
            writeln!(text, "\tmad.lo.s32 \t%r{}, %r2, %r3, {instruction};", instruction % 9)
                .expect("a string takes all");
        }
        text.push_str("\tret;\n}\n");
    }
    text
}
