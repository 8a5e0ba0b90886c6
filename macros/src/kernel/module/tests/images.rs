use super::{Package, bound_image, ptx};

#[test]
fn a_mangled_name_keeps_the_types() {
    let expansion = bound_image(
        ".visible .entry _ZN3fft5scaleEPfPKfi(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }\n\
         .visible .entry _Z4fillIfLi4EEvPT_S0_(.param .u64 _Z4fillIfLi4EEvPT_S0__param_0, .param .f32 _Z4fillIfLi4EEvPT_S0__param_1) { ret; }",
        "",
    );
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(
        expansion.kernels(),
        [
            "_ZN3fft5scaleEPfPKfi(a: *mut f32, b: *const f32, c: i32)",
            "_Z4fillIfLi4EEvPT_S0_(arg0: *mut f32, arg1: f32)"
        ]
    );
    assert_eq!(expansion.names(), ["launch_scale", "SCALE", "launch_fill_float_4", "FILL_FLOAT_4"]);
    assert!(
        expansion.docs_of("launch_fill_float_4").contains("In CUDA it is `fill<float, 4>(float*, float)`.")
    );
    assert_eq!(expansion.docs(), "The kernels of `k.ptx`.");
}

#[test]
fn without_types_a_kernel_is_bound_where_ptx_says_it_all() {
    let expansion = bound_image(
        ".visible .entry told(.param .u64 .ptr .global .align 4 told_param_0, .param .f32 told_param_1, .param .f64 by) { ret; }\n\
         .visible .entry nothing() { ret; }\n\
         .visible .entry signed(.param .u64 .ptr .align 1 x, .param .u32 n) { ret; }\n\
         .visible .entry address(.param .u64 x) { ret; }\n\
         .visible .entry bytes(.param .align 8 .b8 x[24]) { ret; }",
        "",
    );
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.kernels(), ["told(arg0: *mut c_void, arg1: f32, by: f64)", "nothing()"]);
    let docs = expansion.docs();
    for line in [
        "- `signed`: parameter `n`: its type is not kept: an integer with or without sign; name the `source`",
        "- `address`: parameter `x`: its type is not kept: an integer with or without sign, or a pointer; name the `source`",
        "- `bytes`: parameter `x`: its type is not kept: 24 bytes; name the `source`",
    ] {
        assert!(docs.contains(line), "{docs}");
    }
}

#[test]
fn a_struct_by_value_is_the_type_of_its_name_and_of_the_size_that_the_image_tells() {
    let entry = ".visible .entry _Z1k6ParamsPKS_(.param .align 4 .b8 p[12], .param .u64 q) { ret; }";
    let expansion = bound_image(entry, "use super::Params;");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.kernels(), ["_Z1k6ParamsPKS_(p: Params, q: *const Params)"]);
    assert!(expansion.tokens.to_string().contains("& __WARPCALL_FOUND , 12 ,"));
    let expansion = bound_image(entry, "use super::*;");
    assert_eq!(expansion.names(), Vec::<String>::new());
    assert!(
        expansion.docs().contains("parameter `p`: `Params` is not defined in the files read"),
        "{}",
        expansion.docs()
    );
}

#[test]
fn source_and_image_give_types_and_symbols() {
    let source = "extern \"C\" __global__ void plain(float* x, size_t n) {}\n\
                  namespace fft { __global__ void scale(float* x, int by) {} }\n\
                  __global__ void twice(int n) {}\n__global__ void twice(float x) {}\n\
                  template <typename T> __global__ void fill(T* x, size_t n) {}\n\
                  template <typename T> __global__ void unused(T* x) {}\n\
                  static __global__ void local(int n) {}\n\
                  extern \"C\" __global__ void absent(int n) {}\n";
    let image = ptx(".visible .entry plain(.param .u64 plain_param_0, .param .u64 plain_param_1) { ret; }\n\
         .visible .entry _ZN3fft5scaleEPfi(.param .u64 _a, .param .u32 _b) { ret; }\n\
         .visible .entry _Z5twicei(.param .u32 _a) { ret; }\n\
         .visible .entry _Z5twicef(.param .f32 _a) { ret; }\n\
         .visible .entry _Z4fillIfEvPT_m(.param .u64 _a, .param .u64 _b) { ret; }\n\
         .visible .entry _Z4fillI6__halfEvPT_m(.param .u64 _a, .param .u64 _b) { ret; }\n\
         .entry _Z5locali(.param .u32 _a) { ret; }\n\
         .visible .entry elsewhere(.param .u32 _a) { ret; }\n");
    let package = Package::with(&[("k.cu", source), ("k.ptx", &image)]);
    let arguments = r#"source = "k.cu", image = "k.ptx", skip("_Z5twicef")"#;
    let expansion = package.expand(arguments, "mod k {}");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(
        expansion.kernels(),
        [
            "plain(x: *mut f32, n: usize)",
            "fft::scale(x: *mut f32, by: i32)",
            "_Z5twicei(n: i32)",
            "fill<float>(x: *mut f32, n: usize)",
            "fill<__half>(x: *mut f16, n: usize)",
            "_Z5locali(n: i32)",
        ]
    );
    let docs = expansion.docs();
    let lines: Vec<&str> = docs.lines().skip_while(|line| *line != "# Not bound").skip(2).collect();
    assert_eq!(
        lines,
        [
            "- `unused` (k.cu:6): it is a template: declare its instances in an `extern \"C\"` block, as in `#[instance(\"unused<float>\")]`",
            "- `absent` (k.cu:8): k.ptx has no kernel of this name: compile it again",
            "- `elsewhere`: k.ptx has it, but k.cu has no kernel of this name",
        ]
    );
    // The symbol of a kernel that is named as in C++ is known.
    assert!(expansion.tokens.to_string().contains("\"_ZN3fft5scaleEPfi\""));
}

#[test]
fn an_image_of_other_parameters_is_told_to_be_old() {
    let source = "__global__ void k(int n, float x) {}\nextern \"C\" __global__ void c(float x) {}";
    let image =
        ptx(".visible .entry _Z1kPf(.param .u64 _a) { ret; }\n.visible .entry c(.param .f64 _a) { ret; }\n");
    let package = Package::with(&[("k.cu", source), ("k.ptx", &image)]);
    let expansion = package.expand(r#"source = "k.cu", image = "k.ptx""#, "mod k {}");
    let messages = expansion.messages();
    assert!(!messages.is_empty(), "{}", expansion.docs());
    for message in messages {
        assert!(message.contains("compile the image again"), "{message}");
    }
}
