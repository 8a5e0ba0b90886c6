//! The shapes of signature that come out of the preprocessor: 1 to 14.

mod common;

use common::{max_threads, module, only, signatures};
use warpcall_signature::source::SourceReader;

#[test]
fn shape_01_a_macro_call_is_the_whole_kernel() {
    let text = "\
#define UNARY_OP(T, NAME, F) \\
    extern \"C\" __global__ void NAME(const size_t n, const T *x, T *y) { *y = F(*x); }
// The exponential.
UNARY_OP(float, uexp_f32, expf)
UNARY_OP(double, uexp_f64, exp)
";
    let module = module(text);
    assert_eq!(
        module.kernels.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "uexp_f32(const unsigned long long n, const float* x, float* y)",
            "uexp_f64(const unsigned long long n, const double* x, double* y)"
        ]
    );
    let origin = module.kernels[1].origin.as_ref().unwrap();
    let expansion = origin.expansion.as_ref().unwrap();
    assert_eq!((origin.position.line, expansion.call.line, expansion.definition.line), (5, 5, 1));
    assert_eq!(expansion.macro_name, "UNARY_OP");
    assert_eq!(module.kernels[0].symbol.as_deref(), Some("uexp_f32"));
    assert_eq!(module.kernels[0].doc.as_deref(), Some("The exponential."));
    assert_eq!(module.kernels[1].doc, None);
}

#[test]
fn shape_02_the_name_is_pasted() {
    let text = "#define DEQ(Q) extern \"C\" __global__ void deq_##Q##_f32(const void* x, float* y, int k) {}\nDEQ(q4_0) DEQ(q8_K)";
    assert_eq!(
        signatures(text),
        ["deq_q4_0_f32(const void* x, float* y, int k)", "deq_q8_K_f32(const void* x, float* y, int k)"]
    );
}

#[test]
fn shape_03_a_macro_calls_macros_that_define_kernels() {
    let text = "\
#define ONE(T, OP) __global__ void OP##_##T(T* x) {}
#define TYPES(OP) ONE(float, OP) ONE(double, OP) ONE(int, OP)
#define ALL TYPES(add) TYPES(mul) TYPES(sub)
ALL
";
    let module = module(text);
    assert_eq!(module.kernels.len(), 9);
    assert_eq!(module.kernels[8].to_string(), "sub_int(int* x)");
    let expansion = module.kernels[8].origin.as_ref().unwrap().expansion.as_ref().unwrap();
    assert_eq!(
        (expansion.macro_name.as_str(), expansion.call.line, expansion.definition.line),
        ("ALL", 4, 3)
    );
}

#[test]
fn shape_04_one_macro_makes_several_kernels() {
    let text = "\
#define REDUCE(T, N) \\
  __global__ void min_##N(const T* x, T* y) {} \\
  __global__ void max_##N(const T* x, T* y) {} \\
  __global__ void argmin_##N(const T* x, unsigned* y) {}
REDUCE(float, f32)
";
    assert_eq!(
        signatures(text),
        [
            "min_f32(const float* x, float* y)",
            "max_f32(const float* x, float* y)",
            "argmin_f32(const float* x, unsigned int* y)"
        ]
    );
}

#[test]
fn shape_05_one_macro_name_has_several_bodies() {
    let text = "\
#define OP(N) __global__ void N(float* x) {}
OP(a)
#undef OP
#define OP(N) __global__ void N(int n, double* x) {}
OP(b)
";
    assert_eq!(signatures(text), ["a(float* x)", "b(int n, double* x)"]);
    let expansion = module(text).kernels[1].origin.clone().unwrap().expansion.unwrap();
    assert_eq!(expansion.definition.line, 4);
}

#[test]
fn shape_06_a_macro_gives_the_head_and_the_body_follows() {
    let text = "#define KERNEL(NAME, ...) extern \"C\" __global__ void NAME(__VA_ARGS__)\nKERNEL(k, float* x, int n) { x[n] = 0; }\nKERNEL(none) {}";
    assert_eq!(signatures(text), ["k(float* x, int n)", "none()"]);
}

#[test]
fn shape_07_the_parameter_list_is_a_macro() {
    let text = "#define ALL_PARAMS const float *a, float *b, \\\n  int n\n__global__ void k(ALL_PARAMS) {}";
    let kernel = only(text);
    assert_eq!(kernel.to_string(), "k(const float* a, float* b, int n)");
    // The kernel itself stands in the file, only its parameters do not.
    assert!(kernel.origin.unwrap().expansion.is_none());
    assert_eq!(
        kernel.parameters[2].origin.as_ref().unwrap().expansion.as_ref().unwrap().macro_name,
        "ALL_PARAMS"
    );
}

#[test]
fn shape_08_a_qualifier_macro_that_may_be_empty() {
    let text = "\
#if __CUDA_ARCH__ >= 700
#define GRID_CONSTANT __grid_constant__
#else
#define GRID_CONSTANT
#endif
struct P { int a, b; };
__global__ void k(const GRID_CONSTANT P p) {}
";
    let kernel = only(text);
    assert!(kernel.parameters[0].is_grid_constant);
    assert_eq!(kernel.parameters[0].size, Some(8));
    let old = SourceReader::new().define("__CUDA_ARCH__", "600").read_text("t.cu", text).unwrap();
    assert!(!old.kernels[0].parameters[0].is_grid_constant);
    assert_eq!(old.kernels[0].parameters[0].size, Some(8));
}

#[test]
fn shape_09_a_macro_that_looks_like_the_name() {
    let text = "#define BOUNDS(n) __launch_bounds__(n)\n__global__ BOUNDS(128) void k(int* x) {}";
    assert_eq!(only(text).to_string(), "k(int* x)");
    assert_eq!(max_threads(text), Some(128));
    // Where it is not defined it is passed over, and that is said.
    let undefined = only("__global__ BOUNDS(128) void k(int* x) {}");
    assert_eq!(undefined.to_string(), "k(int* x)");
    assert!(undefined.notes[0].to_string().contains("`BOUNDS` is not defined"));
}

#[test]
fn shape_10_a_bare_word_before_it() {
    let kernel = only("EXPORT __global__ void k(int* x) {}");
    assert_eq!(kernel.to_string(), "k(int* x)");
    assert!(kernel.notes[0].to_string().starts_with("t.cu:1: `EXPORT` is not defined"));
    assert_eq!(
        only("#define EXPORT extern \"C\"\nEXPORT __global__ void k(int* x) {}").symbol.as_deref(),
        Some("k")
    );
}

#[test]
fn shape_11_conditions_around_single_parameters() {
    let text = "\
__global__ void k(float* x
#ifdef WITH_BIAS
    , const float* bias
#endif
#if !defined(NO_N)
    , int n
#endif
) {}
";
    assert_eq!(only(text).to_string(), "k(float* x, int n)");
    let both =
        SourceReader::new().define("WITH_BIAS", "").define("NO_N", "1").read_text("t.cu", text).unwrap();
    assert_eq!(both.kernels[0].to_string(), "k(float* x, const float* bias)");
}

#[test]
fn shape_12_conditions_split_the_head() {
    let text = "\
#if __CUDA_ARCH__ >= 800
__global__ void k(float* x,
#else
__global__ void k(double* x,
#endif
    int n) {}
";
    assert_eq!(only(text).to_string(), "k(float* x, int n)");
    let old = SourceReader::new().define("__CUDA_ARCH__", "750").read_text("t.cu", text).unwrap();
    assert_eq!(old.kernels[0].to_string(), "k(double* x, int n)");
}

#[test]
fn shape_13_alternative_bounds() {
    let text = "\
__global__ void
#if defined(BIG) && BIG > 1
__launch_bounds__(1024, 1)
#elif 1
__launch_bounds__(256, 2)
#else
__launch_bounds__(64)
#endif
k(float* x) {}
";
    assert_eq!(max_threads(text), Some(256));
    let big = SourceReader::new().define("BIG", "2").read_text("t.cu", text).unwrap();
    assert_eq!(big.kernels[0].bounds.max_threads_per_block.as_ref().unwrap().value(), Some(1024));
}

#[test]
fn shape_14_the_same_kernel_in_both_branches() {
    let text = "\
#ifdef USE_HALF
extern \"C\" __global__ void k(const __half* x, int n, int stride) {}
#else
extern \"C\" __global__ void k(const float* x, int n) {}
#endif
";
    assert_eq!(only(text).to_string(), "k(const float* x, int n)");
    let half = SourceReader::new().define("USE_HALF", "1").read_text("t.cu", text).unwrap();
    assert_eq!(half.kernels[0].to_string(), "k(const __half* x, int n, int stride)");
}

#[test]
fn a_word_in_a_parameter_that_nothing_defines_is_kept_with_it() {
    let unknown = |text: &str| {
        let kernel = only(&format!("API __global__ void k({text}) {{}}"));
        kernel.parameters[0].unknown_word.clone()
    };
    for (text, word) in [
        ("CONST_T float* w", "CONST_T"),
        ("float* RESTRICT w", "RESTRICT"),
        ("in_register int n", "in_register"),
        ("ALIGNED(16) float4 v", "ALIGNED"),
    ] {
        assert_eq!(unknown(text).as_deref(), Some(word), "{text}");
    }
    for text in [
        "const float* __restrict__ w",
        "__const__ float* w",
        "const __grid_constant__ float4 v",
        "register int n",
        "__volatile float* w",
        "__signed__ char c",
        "struct S* s",
        "typename T::x* p",
        "Unseen* p",
        "alignas(16) float4 v",
    ] {
        assert_eq!(unknown(text), None, "{text}");
    }
    let second = "#define CONST_T const\n__global__ void k(CONST_T float* w) {}";
    assert_eq!(only(second).parameters[0].unknown_word, None);
}

#[test]
fn a_struct_with_such_a_word_has_no_layout() {
    for (text, is_known) in [
        ("struct S { int a; float b; };", true),
        ("struct S { int a; ALIGNED float b; };", false),
        ("struct ALIGNED(16) S { int a; float b; };", false),
        ("struct S { int a; DEVICE float b() const { return a; } };", true),
        ("#define ALIGNED\nstruct ALIGNED S { int a; ALIGNED float b; };", true),
    ] {
        let kernel = only(&format!("{text}\n__global__ void k(S s) {{}}"));
        assert_eq!(kernel.parameters[0].size.is_some(), is_known, "{text}: {kernel:?}");
    }
}
