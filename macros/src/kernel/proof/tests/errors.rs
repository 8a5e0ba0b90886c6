//! The words about a declaration that the source contradicts, and what is accepted.

use super::{super::finding::At, block, compare, cuda};

/// The findings about the declaration `rust` beside the text `text`: where they stand, and their words.
fn findings(rust: &str, text: &str) -> Vec<(At, String)> {
    let comparison = compare(&block(rust), Some(&cuda(text)), None);
    let words = comparison.findings.into_iter().map(|finding| {
        (finding.at, format!("{}, but {}; {}", finding.found, finding.expected, finding.instead))
    });
    words.collect()
}

#[track_caller]
fn finding(rust: &str, text: &str) -> (At, String) {
    let mut findings = findings(rust, text);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

#[track_caller]
fn accepted(rust: &str, text: &str) {
    let findings = findings(rust, text);
    assert!(findings.is_empty(), "{rust}: {findings:#?}");
}

/// One parameter, declared as `rust`, where CUDA has `theirs`.
fn parameter(rust: &str, theirs: &str) -> (String, String) {
    let types = "struct Entry { int key; float value; }; enum Mode { A, B }; enum class Small : unsigned char { A };\n\
                 using real = float;\n";
    (format!("fn k({rust});"), format!("{types}extern \"C\" __global__ void k({theirs}) {{}}"))
}

#[test]
fn a_finding_says_what_was_found_what_is_expected_where_and_what_to_write() {
    assert_eq!(
        finding("fn k(eps: f32);", "\nextern \"C\" __global__ void k(unsigned int eps) {}"),
        (
            At::Type(0),
            "parameter `eps` is declared `f32`, but `k` takes `unsigned int eps` (k.cu:2); \
             write `u32` here, or change the kernel"
                .to_owned()
        )
    );
}

#[test]
fn an_enumeration_whose_size_is_not_known_is_left_to_the_declaration() {
    let text = "enum E { A = UNKNOWN << 40 };\nextern \"C\" __global__ void k(E e, const E* all) {}";
    let reason = "`E` has no known size: the enumerator `A` cannot be evaluated: `UNKNOWN` is not defined";
    for (rust, place) in [
        ("fn k(e: u32, #[unchecked] all: *const u32);", 0),
        ("fn k(e: Mode, #[unchecked] all: *const u32);", 0),
        ("fn k(#[unchecked] e: u64, all: *const u64);", 1),
    ] {
        let (at, words) = finding(rust, text);
        assert_eq!(at, At::Type(place), "{rust}");
        assert!(words.contains(reason), "{rust}: {words}");
    }
    accepted("fn k(#[unchecked] e: u64, #[unchecked] all: *const u64);", text);
    let (_, words) = finding("fn k(e: f32, #[unchecked] all: *const u64);", text);
    assert!(words.contains("is declared `f32`, but `k` takes `E e`"), "{words}");
}

#[test]
fn each_type_agrees_with_its_own() {
    for (rust, theirs) in [
        ("n: usize", "size_t n"),
        ("n: u64", "unsigned long n"),
        ("n: usize", "uint64_t n"),
        ("n: i64", "long n"),
        ("n: isize", "long long n"),
        ("n: core::ffi::c_int", "int n"),
        ("n: u8", "char n"),
        ("n: i8", "char n"),
        ("n: bool", "const bool n"),
        ("n: half::f16", "half n"),
        ("n: bf16", "nv_bfloat16 n"),
        ("n: F8E4M3", "__nv_fp8_e4m3 n"),
        ("n: u32", "Mode n"),
        ("n: i32", "Mode n"),
        ("n: u8", "Small n"),
        ("n: f32", "real n"),
        ("n: Float4", "const float4 n"),
        ("n: Uint3", "dim3 n"),
        ("n: warpcall::Bfloat162", "__nv_bfloat162 n"),
        ("n: TensorMap", "const __grid_constant__ CUtensorMap n"),
        ("n: *const c_void", "const void* n"),
        ("n: *mut f32", "float n[]"),
        ("n: *const [f32; 4]", "const float (*n)[4]"),
        ("n: *const *const f32", "const float* const* n"),
        ("n: *mut *mut f32", "float** __restrict__ n"),
        ("n: *mut DevicePtr", "float** n"),
        ("n: *const u32", "const volatile unsigned* n"),
        ("n: *const Entry", "const Entry* n"),
        ("n: *const Hidden", "const struct Hidden* n"),
        ("n: Entry", "Entry n"),
        ("anything: f32", "float"),
        ("block_rows: u32", "unsigned blockRows"),
        ("r#type: u32", "unsigned type"),
        ("n: u32", "unsigned n_"),
        ("#[name = \"lda\"] leading: u32", "unsigned lda"),
        ("#[unchecked] n: *mut c_void", "float* n"),
        ("#[unchecked] n: u32", "Unknown n"),
        ("#[allow_mut] n: *mut f32", "const float* n"),
        ("#[assume_const] n: *const f32", "float* n"),
        ("#[assume_const] n: *const *const f32", "float** n"),
        ("#[nullable] n: *const f32", "const float* n"),
    ] {
        let (rust, text) = parameter(rust, theirs);
        accepted(&rust, &text);
    }
}

#[test]
fn each_type_disagrees_with_others() {
    for (rust, theirs, remedy) in [
        ("n: u64", "unsigned n", "write `u32` here, or change the kernel"),
        ("n: usize", "int n", "write `i32` here, or change the kernel"),
        ("n: u32", "size_t n", "write `u64` here, or change the kernel"),
        ("n: f64", "real n", "write `f32` here, or change the kernel"),
        ("n: u8", "bool n", "write `bool` here, or change the kernel"),
        ("n: i8", "Small n", "write `u8` here, or change the kernel"),
        ("n: bf16", "half n", "write `f16` here, or change the kernel"),
        ("n: F8E5M2", "__nv_fp8_e4m3 n", "write `F8E4M3` here, or change the kernel"),
        ("n: Float3", "float4 n", "write `Float4` here, or change the kernel"),
        ("n: Int2", "uint2 n", "write `Uint2` here, or change the kernel"),
        ("n: TensorMap", "float4 n", "write `Float4` here, or change the kernel"),
        ("n: f32", "const float* n", "write `*const f32` here, or change the kernel"),
        ("n: *const f32", "float n", "write `f32` here, or change the kernel"),
        ("n: Entry", "Entry* n", "write `*mut Entry` here, or change the kernel"),
        ("n: *const f64", "const float* n", "write `*const f32` here, or change the kernel"),
        ("n: *const u16", "const half* n", "write `*const f16` here, or change the kernel"),
        ("n: *mut *mut f32", "float* n", "write `*mut f32` here, or change the kernel"),
        ("n: *const [f32; 3]", "const float (*n)[4]", "write `*const [f32; 4]` here, or change the kernel"),
        (
            "n: *mut c_void",
            "float* n",
            "write `*mut f32` here, or write `#[unchecked]` before the parameter to have its type taken as declared",
        ),
        (
            "n: *mut f32",
            "void* n",
            "write `*mut c_void` here, or write `#[unchecked]` before the parameter to have its type taken as declared",
        ),
        (
            "n: u64",
            "Entry n",
            "write a `#[repr(C)]` struct with `#[derive(KernelParam)]` and the fields of `Entry` here, or change the kernel",
        ),
        ("n: *mut f32", "const float* n", "write `*const f32` here, or `#[allow_mut]` before the parameter"),
        (
            "n: *const f32",
            "float* n",
            "write `*mut f32` here, or `#[assume_const]` before the parameter if the kernel only reads",
        ),
        (
            "n: *const c_void",
            "float (*n)(float)",
            "change the kernel, or write `#[unchecked]` before the parameter to have its type taken as declared",
        ),
        (
            "n: *const *mut f32",
            "const float* const* n",
            "write `*const *const f32` here, or `#[allow_mut]` before the parameter",
        ),
    ] {
        let (rust, text) = parameter(rust, theirs);
        let (at, words) = finding(&rust, &text);
        assert_eq!(at, At::Type(0), "{words}");
        assert!(words.ends_with(&format!("; {remedy}")), "{rust}: {words}");
    }
}

#[test]
fn lists_of_another_length_are_paired_by_their_names() {
    let text = "extern \"C\" __global__ void k(float* y, const float* x, int n, float eps) {}";
    assert_eq!(
        finding("fn k(y: *mut f32, x: *const f32, eps: f32);", text),
        (
            At::Kernel,
            "`k` is declared without `int n`, but the kernel takes it (k.cu:1); declare `n: i32` after `x`"
                .to_owned()
        )
    );
    assert_eq!(
        finding("fn k(y: *mut f32, b: *const f32, x: *const f32, n: i32, eps: f32);", text),
        (
            At::Name(1),
            "parameter `b` is declared `*const f32`, but `k` takes 4 parameters, and none of this name (k.cu:1); \
             remove it, or add it to the kernel"
                .to_owned()
        )
    );
    // One that is renamed, one that is wrong, and one that is missing are three mistakes.
    let places: Vec<At> = findings("fn k(y: *mut f64, input: *const f32, n: i32);", text)
        .into_iter()
        .map(|(at, _)| at)
        .collect();
    assert_eq!(places, [At::Type(0), At::Name(1), At::Kernel]);
    assert_eq!(finding("fn k();", text).0, At::Kernel);
}

#[test]
fn another_order_is_one_mistake() {
    let text = "extern \"C\" __global__ void k(float* y, int m, int n, float eps) {}";
    assert_eq!(
        finding("fn k(y: *mut f32, eps: f32, n: i32, m: i32);", text),
        (
            At::Name(1),
            "parameter `eps` is number 2 of the declaration, but number 4 of `k` (k.cu:1); \
             declare them in the order `y`, `m`, `n`, `eps`"
                .to_owned()
        )
    );
}

#[test]
fn names_that_differ_in_case_alone_are_told_apart() {
    let text = "extern \"C\" __global__ void k(int n, int N) {}";
    accepted("fn k(n: i32, N: i32);", text);
    assert_eq!(finding("fn k(N: i32, n: i32);", text).0, At::Name(0));
}

#[test]
fn a_name_and_a_type_that_are_wrong_together_are_one_mistake() {
    let (at, words) = finding("fn k(count: u64);", "extern \"C\" __global__ void k(unsigned n) {}");
    assert_eq!(at, At::Name(0));
    assert!(words.ends_with("declare `n` as `u32`, or change the kernel"), "{words}");
}

#[test]
fn a_kernel_from_a_macro_is_shown_where_the_macro_is_called() {
    let text = "#define UNARY(T, NAME) extern \"C\" __global__ void NAME(T* y) {}\n\nUNARY(float, exp_f32)\n";
    let (_, words) = finding("fn exp_f32(y: *mut f64);", text);
    assert!(words.contains("`exp_f32` takes `float* y` (k.cu:3, from the macro `UNARY`)"), "{words}");
}

#[test]
fn what_cannot_be_told_is_said_with_its_reason() {
    let text = "__global__ void (broken) {}\nextern \"C\" __global__ void k(real_t x, const Table* table) {}";
    let findings = findings("fn k(x: f32, table: *const u32);", text);
    assert_eq!(findings[0].0, At::Type(0));
    assert_eq!(
        findings[0].1,
        "parameter `x` is declared `f32`, but `k` takes `real_t x` (k.cu:2), and what `real_t` is cannot be told \
         from the files read; include its header with quotes or by `include(…)`, define what it needs in `defines(…)`, name the \
         `image` that is loaded, or write `#[unchecked]` before the parameter\n\
         note: k.cu:1: the kernel's head cannot be read: no name with parameters stands in it"
    );
    assert_eq!((findings.len(), findings[1].0), (2, At::Type(1)));
    // What is not visible may be `const` itself.
    let (_, words) = finding("fn k(x: *const f32);", "extern \"C\" __global__ void k(real_t* x) {}");
    assert!(words.contains("what `real_t` is cannot be told"), "{words}");
    let (_, words) = finding("fn k(x: *const Table);", "extern \"C\" __global__ void k(Table* x) {}");
    assert!(words.contains("which it may write"), "{words}");
}

#[test]
fn a_name_that_may_stand_for_a_half_has_to_be_spelled_out() {
    let text = "extern \"C\" __global__ void k(__half x, const __half* y) {}";
    let both = findings("fn k(x: Element, y: *const Element);", text);
    assert_eq!(
        both[0].1,
        "parameter `x` is declared `Element`, but `k` takes `__half x` (k.cu:1), and what this name stands for \
         cannot be compared with it; write `f16` here, or `#[unchecked]` before the parameter"
    );
    assert!(
        both[1].1.ends_with("write `*const f16` here, or `#[unchecked]` before the parameter"),
        "{both:#?}"
    );
    accepted("fn k(#[unchecked] x: Element, #[unchecked] y: *const Element);", text);
}

#[test]
fn a_struct_without_a_layout_is_not_taken_for_one_of_its_name() {
    let text =
        "struct Options { Hidden inside; int n; };\nextern \"C\" __global__ void k(Options options) {}";
    let (at, words) = finding("fn k(options: Options);", text);
    assert_eq!(at, At::Type(0));
    assert!(words.contains("and `Options` has no layout"), "{words}");
}

#[test]
fn a_kernel_that_is_not_there_is_answered_with_those_that_are() {
    let text = "extern \"C\" __global__ void layer_norm(float* x) {}\nextern \"C\" __global__ void rms_norm(float* x) {}";
    assert_eq!(
        finding("fn rms_nrom(x: *mut f32);", text),
        (
            At::Kernel,
            "kernel `rms_nrom` is declared, but  has no kernel of this name; there are `rms_norm`, `layer_norm`"
                .to_owned()
        )
    );
}

#[test]
fn a_mangled_name_is_found_by_what_it_says() {
    let text = "namespace fft { __global__ void scale(float* x, int n) {}\n__global__ void scale(double* x, int n) {} }\n\
                template <typename T> __global__ void copy(T* to, const T* from, int n) {}\n\
                static __global__ void local(int n) {}";
    accepted("#[link_name = \"_ZN3fft5scaleEPdi\"] fn scale_f64(x: *mut f64, n: i32);", text);
    accepted(
        "#[link_name = \"_Z4copyIfEvPT_PKS0_i\"] fn copy(to: *mut f32, from: *const f32, n: i32);",
        text,
    );
    let (at, _) = finding(
        "#[link_name = \"_Z4copyIfEvPT_PKS0_i\"] fn copy(to: *mut f32, from: *const f64, n: i32);",
        text,
    );
    assert_eq!(at, At::Type(1));
    let (at, words) = finding("#[link_name = \"_ZN3fft5scaleEPii\"] fn scale(x: *mut i32, n: i32);", text);
    assert_eq!(at, At::Symbol);
    assert!(
        words.starts_with("the `#[link_name]` of `scale` is of other parameters, but the kernel is"),
        "{words}"
    );
    for (declared, found) in [
        ("fn local(n: i32);", "its name in the module is mangled there (k.cu:4)"),
        ("fn copy(n: i32);", "it is a template there, and each of its instances has a mangled name (k.cu:3)"),
    ] {
        let (at, words) = finding(declared, text);
        assert_eq!(at, At::Kernel);
        assert!(words.contains(found), "{words}");
    }
}

#[test]
fn a_struct_that_stands_for_a_type_of_cudas_is_that_type() {
    let text = "struct __align__(2) __half { unsigned short bits; };\n\
                struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n\
                extern \"C\" __global__ void k(const __half* x, __half y, CUtensorMap map) {}";
    accepted("fn k(x: *const f16, y: f16, map: TensorMap);", text);
    assert_eq!(finding("fn k(x: *const bf16, y: f16, map: TensorMap);", text).0, At::Type(0));
}

#[test]
fn an_error_under_a_condition_is_one_only_where_it_holds() {
    let expansion = crate::kernel::kernel(
        "source = \"tests/files/norm.cu\"".parse().expect("tokens"),
        &"unsafe extern \"C\" { #[cfg(unix)] #[allow(unused)] unsafe fn rms_norm(output: *mut f64); }"
            .parse()
            .expect("tokens"),
        &super::site(),
    );
    let file: syn::File = syn::parse2(expansion).expect("an expansion is items");
    let errors: Vec<&syn::ItemMacro> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Macro(item) => Some(item),
            _ => None,
        })
        .collect();
    assert_eq!(errors.len(), 2);
    assert!(errors.iter().all(|error| error.attrs.len() == 1 && error.attrs[0].path().is_ident("cfg")));
}

#[test]
fn a_word_that_nothing_defines_may_make_another_type_of_a_parameter() {
    let (rust, text) = parameter("w: *mut f32", "CONST_T float* w");
    let (at, words) = finding(&rust, &text);
    assert_eq!(at, At::Type(0));
    assert!(
        words.starts_with(
            "parameter `w` is declared `*mut f32`, but `k` takes `float* w` (k.cu:3), and `CONST_T` is not defined in \
             the files read; include its header"
        ),
        "{words}"
    );
    accepted(&rust.replace("w:", "#[unchecked] w:"), &text);
    accepted("fn k(w: *const f32);", &format!("#define CONST_T const\n{text}"));
    accepted(&rust, "API extern \"C\" __global__ void k(float* w) {}");
}

#[test]
fn a_kernel_under_a_condition_that_does_not_hold_is_said_to_be_there() {
    let text = "#ifdef A\n#if defined(EXTRA)\nextern \"C\" __global__ void __launch_bounds__(256) extra(int x) {}\n#endif\n\
                #else\n#if defined ( EXTRA )\nextern \"C\" __global__ void __launch_bounds__(256) other(int x) {}\n\
                template <class T> __global__ void scale(T* x) {}\n#elif VERSION > 3\n\
                extern \"C\" __global__ void newer() {}\n#endif\nextern \"C\" __global__ void k() {}\n#endif\n\
                #ifndef OFF\n#else\nextern \"C\" __global__ void off() {}\n#endif\n";
    for (rust, reason, instead) in [
        ("fn extra(x: i32);", "#ifdef A` (k.cu:1)", "write `defines(\"A\")` in the attribute"),
        (
            "fn other(x: i32);",
            "#if defined ( EXTRA )` (k.cu:6)",
            "write `defines(\"EXTRA\")` in the attribute",
        ),
        (
            "#[instance(\"scale<float>\")] fn s(x: *mut f32);",
            "#if defined ( EXTRA )` (k.cu:6)",
            "write `defines(",
        ),
        ("fn newer();", "#elif VERSION > 3` (k.cu:9)", "define what the condition asks for in `defines(…)`"),
        (
            "fn off();",
            "#else` of `#ifndef OFF` (k.cu:15)",
            "define what the condition asks for in `defines(…)`",
        ),
    ] {
        let (_, words) = finding(rust, text);
        let expected = format!(", but it stands under `{reason}, which does not hold; {instead}");
        assert!(words.contains(&expected), "{words}");
    }
    let (_, words) = finding("fn neither();", text);
    assert!(words.ends_with(" has no kernel of this name; there is `k`"), "{words}");
}

#[test]
fn a_macro_that_nothing_defines_may_make_the_kernel() {
    for text in [
        "KERNEL_DEF(z, float)\nextern \"C\" __global__ void k() {}",
        "extern \"C\" __global__ void k() {}\nKERNEL_DEF(z, float);",
    ] {
        let (_, words) = finding("fn z_float();", text);
        assert!(
            words.contains("`KERNEL_DEF` is not defined in the files read, so what it makes is not known"),
            "{words}"
        );
    }
}

#[test]
fn what_is_advised_is_accepted() {
    // A 128-bit integer.
    let (rust, text) = parameter("x: i32", "__int128 x");
    assert!(finding(&rust, &text).1.contains("write a `#[repr(C, align(16))]` struct of two `u64` with"));
    accepted("fn k(x: Wide);", &text);
    // What has no type in Rust.
    let (rust, text) = parameter("x: f64", "long double x");
    let (_, words) = finding(&rust, &text);
    assert!(words.ends_with("; change the kernel, name the `image` that is loaded, or write `#[unchecked]` before the parameter"), "{words}");
    accepted("fn k(#[unchecked] x: f64);", &text);
    // A union.
    let text = "union Bits { float f; unsigned u; };\nextern \"C\" __global__ void k(Bits x) {}";
    let (_, words) = finding("fn k(x: u32);", text);
    assert!(words.contains("write a `#[repr(C, align(4))]` struct of 4 bytes with `#[derive(KernelParam)]` for the union `Bits`"), "{words}");
    accepted("fn k(x: Bits);", text);
    // A name in CUDA that is not the parameter's.
    let (_, words) = finding(
        "fn k(#[name = \"postion\"] position: i32);",
        "extern \"C\" __global__ void k(int position) {}",
    );
    assert_eq!(
        words,
        "parameter `position` has `#[name = \"postion\"]`, its name in CUDA, but `k` takes `int position` (k.cu:1) in its \
         place; write `#[name = \"position\"]`, or leave it out for a name that is alike"
    );
}

#[test]
fn a_name_in_cpp_is_advised_only_where_it_tells_which_kernel_is_meant() {
    let overloads = "__global__ void over(float* x) {}\n__global__ void over(double* x) {}";
    let (_, words) = finding("fn over(x: *mut f32);", overloads);
    assert!(
        words.ends_with(
            "rename one of them in CUDA, or name the `image` that is loaded and write `#[instance(\"…\")]`"
        ),
        "{words}"
    );
    for (text, hard) in [
        (
            "template <template <typename> class C> __global__ void t(float* x) {}",
            "template <typename> class C",
        ),
        ("template <typename... Ts> __global__ void t(float* x) {}", "typename... Ts"),
    ] {
        let (_, words) = finding("fn t(x: *mut f32);", text);
        assert!(
            words.contains(&format!("no name in C++ is followed through `{hard}`: name the `image`")),
            "{words}"
        );
    }
    let template = "template <template <typename> class C> __global__ void t(float* x) {}";
    accepted("#[link_name = \"_Z1tI3VecEvPf\"] fn t(x: *mut f32);", template);
}

#[test]
fn a_parameter_without_a_name_is_no_other_place_of_a_name() {
    // `b` is the second parameter, and `a` is not the first.
    let (at, words) =
        finding("fn k(b: u32, a: u32);", "extern \"C\" __global__ void k(unsigned, unsigned b) {}");
    assert_eq!(at, At::Name(1), "{words}");
    assert!(words.contains("rename it to `b`"), "{words}");
    // Names that differ in case alone are told apart on either side.
    let text = "extern \"C\" __global__ void k(unsigned n, unsigned m) {}";
    assert_eq!(findings("fn k(n: u32, N: u32);", text).len(), 1);
}
