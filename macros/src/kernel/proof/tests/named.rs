//! The words about declarations by names in C++.

use warpcall_signature::{Module, source::SourceReader};

use super::{
    super::{Comparison, Files, finding::At},
    block, ptx, site,
};
use crate::kernel::model;

/// The kernels of a CUDA text, with those that the block names.
fn cuda(text: &str, block: &model::Module) -> Module {
    let mut reader = SourceReader::new();
    for cpp in block.concrete().filter_map(|kernel| kernel.cpp.as_ref()) {
        reader = reader.name(cpp.name.clone());
    }
    reader.read_text("k.cu", text).expect("the test's CUDA can be read")
}

/// What the comparison of each kernel gives.
fn compared(rust: &str, source: Option<&str>, images: Option<&[Module]>) -> Vec<Comparison> {
    let (block, site) = (block(rust), site());
    let source = source.map(|text| cuda(text, &block));
    let files = Files { module: &block, source: source.as_ref(), images, site: &site };
    block.concrete().map(|kernel| files.compare(kernel)).collect()
}

fn words(comparison: &Comparison) -> Vec<(At, String)> {
    let words = comparison.findings.iter().map(|finding| {
        (finding.at, format!("{}, but {}; {}", finding.found, finding.expected, finding.instead))
    });
    words.collect()
}

fn finding(rust: &str, source: Option<&str>, images: Option<&[Module]>) -> (At, String) {
    let mut all: Vec<_> = compared(rust, source, images).iter().flat_map(words).collect();
    assert_eq!(all.len(), 1, "{rust}: {all:#?}");
    all.remove(0)
}

/// The symbols that the image has for what fits.
fn accepted(rust: &str, source: Option<&str>, images: Option<&[Module]>) -> Vec<Option<String>> {
    let compared = compared(rust, source, images);
    for comparison in &compared {
        assert_eq!(words(comparison), [], "{rust}");
    }
    compared.into_iter().map(|comparison| comparison.symbol).collect()
}

const SCALE: &str = "template <typename T, int V = 4>
__global__ void scale(T* output, const T* input, float factor, unsigned int n) {}
template __global__ void scale<float, 2>(float*, const float*, float, unsigned int);
";

const FAMILY: &str =
    "#[instance(\"scale<float>\", T = f32)] #[instance(\"scale<__half, 2>\", T = half::f16)]";

#[test]
fn each_instance_of_a_family_is_compared() {
    let declared = format!("{FAMILY} fn scale<T>(output: *mut T, input: *const T, factor: f32, n: u32);");
    accepted(&declared, Some(SCALE), None);
    let declared = format!("{FAMILY} fn scale<T>(output: *mut T, input: *const T, factor: T, n: u32);");
    let compared = compared(&declared, Some(SCALE), None);
    assert_eq!(words(&compared[0]), []);
    assert_eq!(
        words(&compared[1]),
        [(
            At::Type(2),
            "parameter `factor` is declared `T`, here `half::f16`, but `scale<__half, 2>` takes `float factor` \
             (k.cu:2); write `f32` here, or change the kernel"
                .to_owned()
        )]
    );
}

#[test]
fn what_every_instance_has_wrong_is_said_once() {
    let expansion = crate::kernel::kernel(
        "source = \"tests/files/scale.cu\"".parse().expect("tokens"),
        &format!(
            "unsafe extern \"C\" {{ {FAMILY} fn scale<T>(output: *mut T, input: *mut T, factor: T, n: u64); }}"
        )
        .parse()
        .expect("tokens"),
        &site(),
    );
    let messages = crate::tests::messages(&expansion);
    assert_eq!(
        messages,
        [
            "parameter `input` is declared `*mut T`, here `*mut f32`, but `scale<float>` takes `const float* input` \
             (tests/files/scale.cu:4), which it only reads\nhelp: write `*const f32` here, or `#[allow_mut]` before \
             the parameter",
            "parameter `n` is declared `u64`, but `scale<float>` takes `unsigned int n` (tests/files/scale.cu:4)\n\
             help: write `u32` here, or change the kernel",
            "parameter `input` is declared `*mut T`, here `*mut half::f16`, but `scale<__half, 2>` takes \
             `const __half* input` (tests/files/scale.cu:4), which it only reads\nhelp: write `*const f16` here, or \
             `#[allow_mut]` before the parameter",
        ]
    );
}

#[test]
fn a_name_that_the_source_does_not_have_is_answered_with_those_that_it_has() {
    for (name, expected) in [
        (
            "scale",
            "kernel `k` is declared as `scale`, but it is a template, and the name has no arguments (k.cu:2); there is \
             `scale<float, 2>`",
        ),
        ("scale<>", "but the template argument `typename T` is missing (k.cu:2); there is `scale<float, 2>`"),
        ("scale<float, 1, 2>", "but there are more template arguments than parameters (k.cu:2)"),
        ("scala<float>", "but  has no kernel of this name; there is `scale<float, 2>`"),
        ("fft::scale<float>", "but  has no kernel of this name; there is `scale<float, 2>`"),
    ] {
        let (at, words) = finding(&format!("#[instance(\"{name}\")] fn k(n: u32);"), Some(SCALE), None);
        assert_eq!(at, At::Symbol);
        assert!(words.contains(expected), "{name}: {words}");
    }
    let text =
        "template <typename T> __global__ void k(T* x) {}\nnamespace fft { __global__ void plain(int n) {} }";
    let (_, words) = finding("#[instance(\"other\")] fn other(n: i32);", Some(text), None);
    assert!(words.ends_with("there are `fft::plain`, `k<typename T>`"), "{words}");
}

#[test]
fn a_type_that_cannot_be_followed_is_left_to_the_declaration() {
    let text =
        "template <typename T> __global__ void sum(typename Traits<T>::type* total, const T* values) {}";
    let (at, words) =
        finding("#[instance(\"sum<float>\")] fn sum(total: *mut f64, values: *const f32);", Some(text), None);
    assert_eq!(at, At::Type(0));
    assert!(words.contains("what `Traits<T>::type` is cannot be told from the files read"), "{words}");
    accepted(
        "#[instance(\"sum<float>\")] fn sum(#[unchecked] total: *mut f64, values: *const f32);",
        Some(text),
        None,
    );
}

#[test]
fn of_overloads_the_one_that_takes_what_is_declared_is_meant() {
    let text = "template <typename T> __global__ void k(T* x) {}\ntemplate <typename T> __global__ void k(T* x, int n) {}";
    let image = || {
        [ptx(
            ".weak .entry _Z1kIfEvPT_(.param .u64 a) {}\n.weak .entry _Z1kIfEvPT_i(.param .u64 a, .param .u32 b) {}",
        )]
    };
    let with_n = "#[instance(\"k<float>\")] fn k(x: *mut f32, n: i32);";
    assert_eq!(accepted(with_n, Some(text), Some(&image())), [Some("_Z1kIfEvPT_i".to_owned())]);
    assert_eq!(accepted(with_n, None, Some(&image())), [Some("_Z1kIfEvPT_i".to_owned())]);
    let without = "#[instance(\"k<float>\")] fn k(x: *mut f32);";
    assert_eq!(accepted(without, None, Some(&image())), [Some("_Z1kIfEvPT_".to_owned())]);
    assert_eq!(
        finding(with_n, Some(text), None).1,
        "kernel `k` is declared as `k<float>`, but NVRTC, which compiles the source, cannot tell it from `k(float* x)`; \
         rename one of them in CUDA, or name an `image`"
    );
    let (_, words) = finding("#[instance(\"k<float>\")] fn k(x: *mut f64);", Some(text), None);
    assert!(
        words.contains("the source has several kernels of this name: `k(float* x)`, `k(float* x, int n)`"),
        "{words}"
    );
    let (_, words) = finding("#[instance(\"k<float>\")] fn k(x: *mut f64);", None, Some(&image()));
    assert!(
        words.contains(
            " has several kernels of this name: `k<float>(float* a)` (`_Z1kIfEvPT_`), `k<float>(float* a, int b)`"
        ),
        "{words}"
    );
}

#[test]
fn an_image_has_the_instance_by_its_mangled_name() {
    let image = || {
        [ptx(
            ".weak .entry _Z5scaleIfLi4EEvPT_PKS0_fj(.param .u64 a, .param .u64 b, .param .f32 c, .param .u32 d) {}\n\
         .weak .entry _Z5scaleI6__halfLi2EEvPT_PKS1_fj(.param .u64 a, .param .u64 b, .param .f32 c, .param .u32 d) {}",
        )]
    };
    let declared = format!("{FAMILY} fn scale<T>(output: *mut T, input: *const T, factor: f32, n: u32);");
    let symbols =
        [Some("_Z5scaleIfLi4EEvPT_PKS0_fj".to_owned()), Some("_Z5scaleI6__halfLi2EEvPT_PKS1_fj".to_owned())];
    assert_eq!(accepted(&declared, Some(SCALE), Some(&image())), symbols);
    assert_eq!(accepted(&declared, None, Some(&image())), symbols);
    let missing =
        "#[instance(\"scale<double>\")] fn scale(output: *mut f64, input: *const f64, factor: f32, n: u32);";
    assert_eq!(
        finding(missing, None, Some(&image())),
        (
            At::Symbol,
            "kernel `scale` is declared as `scale<double>`, but  has no kernel of this name; there are \
             `scale<float, 4>`, `scale<__half, 2>`"
                .to_owned()
        )
    );
    // The mangled name tells the types as well as a source.
    let wrong =
        "#[instance(\"scale<float>\")] fn scale(output: *mut f64, input: *const f32, factor: f32, n: u32);";
    assert_eq!(finding(wrong, None, Some(&image())).0, At::Type(0));
}

#[test]
fn long_and_long_long_are_two_instances() {
    let text = "template <typename T> __global__ void k(T* x) {}";
    let image =
        || [ptx(".weak .entry _Z1kIlEvPT_(.param .u64 a) {}\n.weak .entry _Z1kIxEvPT_(.param .u64 a) {}")];
    let declared = "#[instance(\"k<long long>\")] fn k(x: *mut i64);";
    assert_eq!(accepted(declared, Some(text), Some(&image())), [Some("_Z1kIxEvPT_".to_owned())]);
    assert_eq!(accepted(declared, None, Some(&image())), [Some("_Z1kIxEvPT_".to_owned())]);
}

#[test]
fn a_kernel_that_is_no_template_has_a_name_too() {
    let text = "namespace fft { __global__ void plain(float* x, int n) {} }\nextern \"C\" __global__ void c(int n) {}";
    let image = [ptx(
        ".visible .entry _ZN3fft5plainEPfi(.param .u64 a, .param .u32 b) {}\n.visible .entry c(.param .u32 a) {}",
    )];
    let declared =
        "#[instance(\"fft::plain\")] fn plain(x: *mut f32, n: i32); #[instance(\"c\")] fn d(n: i32);";
    let symbols = accepted(declared, Some(text), Some(&image));
    assert_eq!(symbols, [Some("_ZN3fft5plainEPfi".to_owned()), Some("c".to_owned())]);
    let (at, words) = finding("fn plain(x: *mut f32, n: i32);", Some(text), None);
    assert_eq!(at, At::Kernel);
    assert_eq!(
        words,
        "`plain` is declared under its plain name, but its name in the module is mangled there (k.cu:1); write \
         `#[instance(\"fft::plain\")]` before the function, or `extern \"C\"` before `__global__`"
    );
    let (_, words) = finding("fn scale(n: u32);", Some(SCALE), None);
    assert!(words.ends_with("declare one of its instances: `#[instance(\"scale<float, 2>\")]`"), "{words}");
}
