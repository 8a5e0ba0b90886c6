//! Kernels by their names in C++, and families that are generic over types.

use super::{items, kernel, messages, snapshot::assert_snapshot};

/// The one message of a block with these functions.
fn message(functions: &str) -> String {
    let expansion = kernel("module = \"m\"", &format!("unsafe extern \"C\" {{ {functions} }}"));
    let messages = messages(&expansion);
    let [message] = &messages[..] else { panic!("{functions}: {messages:#?}") };
    message.clone()
}

#[test]
fn an_instance_and_a_plain_kernel_by_their_names() {
    let expansion = kernel(
        r#"source = "tests/files/scale.cu""#,
        r#"unsafe extern "C" {
            #[instance("scale<float,4>")]
            pub unsafe fn scale_f32x4(output: *mut f32, input: *const f32, factor: f32, n: u32);

            #[cfg(unix)]
            #[instance("fft::plain")]
            unsafe fn plain(values: *mut f32);
        }"#,
    );
    assert_snapshot("names_in_cpp", expansion);
}

#[test]
fn a_family_over_one_type() {
    let expansion = kernel(
        r#"module = "scale", source = "tests/files/scale.cu", image = "tests/files/scale.ptx""#,
        r#"unsafe extern "C" {
            /// `output[i] = factor * input[i]`.
            #[instance("scale<float, 4>", T = f32)]
            #[instance("scale<double>", T = core::primitive::f64)]
            #[host(reference::scale::<T>)]
            pub unsafe fn scale<T>(output: *mut T, #[nullable] input: *const T, factor: T, n: u32);
        }"#,
    );
    assert_snapshot("a_family", expansion);
}

#[test]
fn a_family_over_two_types() {
    let expansion = kernel(
        "module = \"m\"",
        r#"#[cfg(feature = "gpu")]
        #[instance("convert<float, int>", T = f32, U = i32)]
        #[instance("convert<int, float>", U = f32, T = i32,)]
        pub(crate) unsafe fn convert<T, U>(output: *mut U, input: *const T, zero: U, table: *const [T; 4]);"#,
    );
    assert_snapshot("a_family_over_two_types", expansion);
}

#[test]
fn a_refused_family_leaves_items_that_every_type_fits() {
    let expansion = kernel(
        "module = \"m\"",
        r#"unsafe extern "C" { #[cfg(unix)] pub unsafe fn scale<T, U>(output: *mut T, input: *const U, factor: T); }"#,
    );
    assert_snapshot("a_refused_family", expansion);
}

#[test]
fn the_trait_of_a_family_is_called_like_its_kernel() {
    for (kernel_name, bound) in [
        ("scale", "ScaleInstance"),
        ("rms_norm", "RmsNormInstance"),
        ("addKernel", "AddKernelInstance"),
        ("_gemm_2x2", "Gemm2x2Instance"),
        ("r#match", "MatchInstance"),
    ] {
        let block = format!("#[instance(\"k<float>\", T = f32)] unsafe fn {kernel_name}<T>(x: *mut T);");
        let expansion = kernel("module = \"m\"", &block);
        let file: syn::File = syn::parse2(expansion.clone()).expect("an expansion is items");
        let found = file.items.iter().find_map(|item| match item {
            syn::Item::Trait(item) => Some(item.ident.to_string()),
            _ => None,
        });
        assert_eq!(found.as_deref(), Some(bound), "{kernel_name}");
        assert_eq!(items(&expansion).len(), 2, "{kernel_name}");
    }
}

#[test]
fn what_an_instance_cannot_be_is_refused() {
    for (declared, words) in [
        (
            "#[instance] fn k();",
            "the `#[instance]` of `k` names no kernel, but it gives the kernel's name in C++\nhelp: write `#[instance(\"scale<float, 4>\")]`",
        ),
        ("#[instance = \"k<int>\"] fn k();", "the `#[instance]` of `k` names no kernel, but"),
        ("#[instance(k<int>)] fn k();", "the `#[instance]` of `k` names no kernel, but"),
        ("#[instance(\"k<int>\" T = i32)] fn k<T>();", "expected `,`"),
        (
            "#[instance(\"k<int\")] fn k();",
            "the `#[instance]` of `k` is \"k<int\", but it is a kernel's name in C++, and its `<` is not closed\n\
             help: write it as C++ does: `scale<float, 4>`, `fft::scale<float>`, `fft::plain`",
        ),
        ("#[instance(\"void k(int)\")] fn k();", "and `k` is not expected"),
        (
            "#[instance(\"k<int>\")] #[instance(\"k<float>\")] fn k(n: i32);",
            "kernel `k` has two `#[instance]`, and no type parameter, but one launch function launches one kernel",
        ),
        (
            "#[instance(\"k<int>\", T = i32)] fn k(n: i32);",
            "the `#[instance]` of `k` says what `T` is, but the function has no such type parameter\n\
             help: remove it, or declare `fn k<T>(…)`",
        ),
        (
            "#[instance(\"k<int>\")] #[link_name = \"_Z1kIiEvT_\"] fn k(n: i32);",
            "kernel `k` has a `#[link_name]` and an `#[instance]`, but its symbol is found by its name in C++",
        ),
        (
            "#[name = \"fft::k\"] fn k(n: i32);",
            "kernel `k` has `#[name]`, but that is the name of a parameter in CUDA\nhelp: write `#[instance(\"…\")]`",
        ),
        (
            "fn k<T>(x: *mut T);",
            "kernel `k` is generic over `T`, but no `#[instance]` says for which types it is compiled\n\
             help: write `#[instance(\"k<float>\", T = f32)]` for each type that it is compiled for",
        ),
        (
            "#[instance(\"k<float, 4>\", T = f32)] fn k<T, const N: usize>(x: *mut T);",
            "kernel `k` is generic over `N`, but the instances of a family differ in types alone\n\
             help: write the number into the C++ name of each instance: `#[instance(\"k<float, 4>\", T = f32)]`",
        ),
        (
            "#[instance(\"k<float>\", T = f32)] fn k<T: Copy>(x: *mut T);",
            "kernel `k` is generic over `T: Copy`, but its types are those that the instances name\nhelp: write `T` alone",
        ),
        (
            "#[instance(\"k<float>\")] fn k<T>(x: *mut T);",
            "the instance \"k<float>\" of `k` does not say what `T` is, but each instance has a type for each type parameter\n\
             help: write `#[instance(\"k<float>\", T = f32)]`",
        ),
        (
            "#[instance(\"k<float>\", T = f32, T = f32)] fn k<T>(x: *mut T);",
            "the instance \"k<float>\" of `k` says twice what `T` is, but each type parameter has one type",
        ),
        (
            "#[instance(\"k<float>\", U = f32)] fn k<T>(x: *mut T);",
            "the instance \"k<float>\" of `k` says what `U` is, but the function has no such type parameter\n\
             help: the function is generic over `T`",
        ),
        (
            "#[instance(\"k<float, 2>\", T = f32)] #[instance(\"k<float, 4>\", T = f32)] fn k<T>(x: *mut T);",
            "kernel `k` has a second instance for `f32`, but a call chooses the instance by its types, and \"k<float, 2>\" \
             has them\nhelp: declare it under another name",
        ),
        (
            "#[instance(\"k<float>\", T = f32)] fn k<T>(p: Params<T>);",
            "parameter `p` of `k` is `Params<T>`, but a family passes its type parameters by value, and no types that \
             are made of them",
        ),
        (
            "#[instance(\"k<float*>\", T = *mut f32)] fn k<T>(x: T);",
            "parameter `x` of `k` is `T`, which is `*mut f32` in the instance \"k<float*>\", but a call passes it in \
             another way than the types of a family\nhelp: declare this instance as a kernel of its own",
        ),
        (
            "#[instance(\"k<void>\", T = c_void)] fn k<T>(x: *mut T);",
            "parameter `x` of `k` is `*mut T`, which is `*mut c_void` in the instance \"k<void>\", but a call passes it",
        ),
        (
            "#[instance(\"k<char>\", T = char)] fn k<T>(x: T);",
            "parameter `x` of `k` is `T`, which is `char` in the instance \"k<char>\", Rust's 4-byte `char`, but C++ has a",
        ),
    ] {
        let found = message(declared);
        assert!(found.contains(words), "{declared}: {found}");
    }
}

#[test]
fn an_instance_belongs_to_a_function() {
    let expansion = kernel("module = \"m\"", "#[instance(\"k<int>\")] unsafe extern \"C\" { fn k(n: i32); }");
    assert!(messages(&expansion)[0].starts_with("the block has `#[instance]`, but it belongs to one kernel"));
}
