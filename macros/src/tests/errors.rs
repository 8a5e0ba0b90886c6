use super::{items, kernel, messages};

/// The one message of a declaration that has one mistake.
#[track_caller]
fn message(arguments: &str, item: &str) -> String {
    let mut messages = messages(&kernel(arguments, item));
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages.remove(0)
}

/// The one message of a parameter that is refused, as the parameter `x` of the kernel `k`.
#[track_caller]
fn parameter(declared: &str) -> String {
    message(r#"module = "m""#, &format!(r#"unsafe extern "C" {{ fn k({declared}); }}"#))
}

/// The one message of an item that is refused.
#[track_caller]
fn item(item: &str) -> String {
    message(r#"module = "m""#, item)
}

#[test]
fn a_message_says_what_was_found_what_is_expected_and_what_to_write() {
    assert_eq!(
        parameter("x: &[f32]"),
        "parameter `x` of `k` is `&[f32]`, a Rust slice, but a kernel sees device memory through a pointer\n\
         help: write `*const f32`"
    );
}

#[test]
fn each_refused_type_gets_its_own_remedy() {
    for (declared, remedy) in [
        ("x: &f32", "write `*const f32`"),
        ("x: &mut [f32]", "write `*mut f32`"),
        ("x: &Vec<f64>", "write `*const f64`"),
        ("x: &mut Buffer<f16>", "write `*mut f16`"),
        ("x: &str", "write `*const u8`"),
        ("x: &[u8; 4]", "write `*const u8`"),
        ("x: [f32]", "write `*const f32` to read or `*mut f32` to write"),
        (
            "x: [f32; 3]",
            "write `*const f32` or `*mut f32`, or put the array into a `#[repr(C)]` struct with `#[derive(KernelParam)]`",
        ),
        ("x: Vec<f32>", "write `*const f32` to read or `*mut f32` to write"),
        ("x: std::boxed::Box<f32>", "write `*const f32` to read or `*mut f32` to write"),
        ("x: Buffer<f32>", "write `*const f32` to read or `*mut f32` to write"),
        ("x: &TensorMap", "write `TensorMap`; a call passes a `&TensorMap`"),
        ("x: &mut warpcall::TensorMap", "write `TensorMap`; a call passes a `&TensorMap`"),
        ("x: *const TensorMap", "write `TensorMap`; a call passes a `&TensorMap`"),
        ("#[nullable] x: *mut TensorMap", "write `TensorMap`; a call passes a `&TensorMap`"),
        ("x: String", "write `*const u8` to read or `*mut u8` to write"),
        ("x: Option<*const f32>", "write `#[nullable]` before the parameter and `*const f32` as its type"),
        ("x: Option<&mut f32>", "write `#[nullable]` before the parameter and `*mut f32` as its type"),
        ("x: Option<u32>", "write `u32`, and a `bool` or a value that stands for none"),
        ("x: (f32, f32)", "write a `#[repr(C)]` struct with `#[derive(KernelParam)]`"),
        ("x: ()", "remove it"),
        ("x: char", "write `i8` for `char`, `u8` for `unsigned char`, `u32` for `char32_t`"),
        ("x: u128", "write a `#[repr(C, align(16))]` struct of two `u64` with `#[derive(KernelParam)]`"),
        (
            "x: fn(f32) -> f32",
            "choose the function in CUDA, by a number that is passed or by a kernel for each",
        ),
        ("x: impl Copy", "write the concrete type, and a declaration for each one"),
        ("x: dyn Copy", "write a concrete `#[repr(C)]` struct with `#[derive(KernelParam)]`"),
        ("x: !", "write the type that the CUDA kernel declares"),
        ("x: _", "write the type that the CUDA kernel declares"),
        (
            "x: DevicePtr",
            "write `*const T` or `*mut T` with the kernel's element type; a call may still pass a `DevicePtr`",
        ),
        ("x: *const [f32]", "write `*const f32`, and the length as a parameter of its own"),
        ("x: *mut str", "write `*mut u8`"),
        ("x: *mut char", "write `*mut i8` for `char`, `*mut u8` for `unsigned char`"),
        ("x: *const Vec<f32>", "write `*const f32`"),
        ("x: *const dyn Copy", "write `*const T` with the concrete type"),
        ("x: *const &f32", "write `*const *const f32`"),
        (
            "x: *const _",
            "write `*const T` with the type that the CUDA kernel declares, or `*const c_void` for `void*`",
        ),
        ("#[nullable] x: f32", "remove it, or write `*const f32` or `*mut f32`"),
    ] {
        let message = parameter(declared);
        assert!(message.contains("parameter `x` of `k`"), "{declared}: {message}");
        assert!(message.ends_with(&format!("\nhelp: {remedy}")), "{declared}: {message}");
    }
}

#[test]
fn what_a_kernel_cannot_be_is_refused_by_name() {
    for (declared, found) in [
        (r#"extern "C" { fn k(); }"#, r#"the block is `extern "C"` without `unsafe`"#),
        (r#"unsafe extern "system" { fn k(); }"#, r#"the block has the calling convention "system""#),
        ("unsafe extern { fn k(); }", "the block names no calling convention"),
        (r#"unsafe extern "C" {}"#, "the block is empty"),
        (r#"unsafe extern "C" { fn k() {} }"#, "kernel `k` has a body"),
        (r#"unsafe extern "C" { fn k() -> f32; }"#, "kernel `k` returns `f32`"),
        (r#"unsafe extern "C" { fn k<T>(); }"#, "kernel `k` is generic over `T`"),
        (r#"unsafe extern "C" { fn k<const N: usize>(); }"#, "kernel `k` is generic over `N`"),
        (r#"unsafe extern "C" { fn k<'a>(); }"#, "kernel `k` has the lifetime `'a`"),
        (r#"unsafe extern "C" { fn k() where f32: Copy; }"#, "kernel `k` has a `where` clause"),
        (r#"unsafe extern "C" { fn k(n: u32, ...); }"#, "kernel `k` takes `...`"),
        (r#"unsafe extern "C" { fn k(n: u32, rest: ...); }"#, "kernel `k` takes `...`"),
        (r#"unsafe extern "C" { fn k(&self); }"#, "kernel `k` takes `self`"),
        (r#"unsafe extern "C" { async fn k(); }"#, "kernel `k` is `async`"),
        (r#"unsafe extern "C" { const fn k(); }"#, "kernel `k` is `const`"),
        (r#"unsafe extern "C" { safe fn k(); }"#, "kernel `k` is declared `safe`"),
        (r#"unsafe extern "C" { extern "C" fn k(); }"#, "kernel `k` has a calling convention of its own"),
        (
            r#"unsafe extern "C" { fn k(mut n: u32); }"#,
            "parameter `n` of `k` is declared with the pattern `mut n`",
        ),
        (
            r#"unsafe extern "C" { fn k((a, b): u32); }"#,
            "a parameter of `k` is declared with the pattern `(a, b)`",
        ),
        (r#"unsafe extern "C" { fn k(_: u32); }"#, "a parameter `u32` of `k` has no name"),
        (r#"unsafe extern "C" { fn k(n: u32, n: u32); }"#, "kernel `k` has two parameters `n`"),
        (r#"unsafe extern "C" { fn k(x: u32, r#x: u32); }"#, "kernel `k` has two parameters `r#x`"),
        (r#"unsafe extern "C" { fn k(); fn k(); }"#, "kernel `k` is declared twice"),
        (
            r#"unsafe extern "C" { fn addKernel(); fn add_kernel(); }"#,
            "kernels `addKernel` and `add_kernel` both make a static `ADD_KERNEL`",
        ),
        (
            r#"unsafe extern "C" { fn scale(_1: u32); fn _1(); }"#,
            "parameter `_1` of `scale` is called like the static of the kernel `_1`",
        ),
        (r#"unsafe extern "C" { static K: u32; fn k(); }"#, "`static K` stands in a block of kernels"),
        (r#"unsafe extern "C" { type K; fn k(); }"#, "`type K` stands in a block of kernels"),
        (r#"unsafe extern "C" { kernels! {} fn k(); }"#, "`kernels!` stands in a block of kernels"),
        ("pub fn k(x: *mut f32);", "kernel `k` is declared as a safe function"),
        ("unsafe extern \"system\" fn k();", "kernel `k` has the calling convention \"system\""),
        ("unsafe fn k() {}", "kernel `k` has a body"),
        ("struct K;", "`#[kernel]` stands on `struct`"),
        ("const K: u32 = 1;", "`#[kernel]` stands on `const`"),
    ] {
        let message = item(declared);
        assert!(message.starts_with(&format!("{found}, but ")), "{declared}: {message}");
        assert!(message.contains("\nhelp: "), "{declared}: {message}");
    }
}

#[test]
fn each_attribute_is_refused_where_it_has_no_meaning() {
    for (declared, found) in [
        ("#[inline] fn k();", "kernel `k` has `#[inline]`"),
        ("#[unsafe(no_mangle)] fn k();", "kernel `k` has `#[unsafe(no_mangle)]`"),
        ("#[launch(threads = n)] fn k(n: u32);", "kernel `k` has `#[launch]`"),
        ("#[link_name] fn k();", "kernel `k` has a `#[link_name]` without a string"),
        (r#"#[link_name = ""] fn k();"#, "the `#[link_name]` of `k` is \"\""),
        (r#"#[link_name = "a b"] fn k();"#, r#"the `#[link_name]` of `k` is "a b""#),
        (r#"#[link_name = "a\0"] fn k();"#, r#"the `#[link_name]` of `k` is "a\0""#),
        (r#"#[link_name = "a\n"] fn k();"#, r#"the `#[link_name]` of `k` is "a\n""#),
        (r#"#[link_name = "a"] #[link_name = "b"] fn k();"#, "kernel `k` has `#[link_name]` twice"),
        ("#[host] fn k();", "the `#[host]` of `k` names no function"),
        ("#[host()] fn k();", "the `#[host]` of `k` names no function"),
        ("#[host(5)] fn k();", "the `#[host]` of `k` is `5`"),
        ("#[host(f, stream)] fn k();", "the `#[host]` of `k` has the argument `stream`"),
        ("#[host(f)] #[host(g)] fn k();", "kernel `k` has `#[host]` twice"),
        ("#[cfg_attr(test, host(f))] fn k();", "`cfg_attr` carries `host`"),
        ("fn k(#[len(n)] x: *mut f32, n: u32);", "parameter `x` of `k` has `#[len]`"),
        ("fn k(#[cfg(test)] x: u32);", "parameter `x` of `k` has `#[cfg]`"),
        ("fn k(#[nullable] #[nullable] x: *mut f32);", "parameter `x` of `k` has `#[nullable]` twice"),
        ("fn k(#[nullable(yes)] x: *mut f32);", "parameter `x` of `k` has `#[nullable]` with arguments"),
        ("fn k(#[inout] x: *mut f32);", "parameter `x` of `k` has `#[inout]`"),
        ("fn k(/** docs */ x: *mut f32);", "parameter `x` of `k` has a doc comment"),
    ] {
        let message = item(&format!(r#"unsafe extern "C" {{ {declared} }}"#));
        assert!(message.starts_with(&format!("{found}, but ")), "{declared}: {message}");
    }
    for (attribute, found) in [
        (r#"#[link(name = "k")]"#, "the block has `#[link]`"),
        ("#[expect(dead_code)]", "the block has `#[expect]`"),
        ("#[host(f)]", "the block has `#[host]`"),
        ("#[inline]", "the block has `#[inline]`"),
    ] {
        let message = item(&format!(r#"{attribute} unsafe extern "C" {{ fn k(); }}"#));
        assert!(message.starts_with(&format!("{found}, but ")), "{attribute}: {message}");
    }
}

#[test]
fn the_arguments_of_the_attribute_are_checked() {
    for (arguments, found) in [
        ("", "`#[kernel]` names no module"),
        ("crate = gpu", "`#[kernel]` names no module"),
        (r#""m""#, "`#[kernel]` is given \"m\" without a key"),
        (r#"modul = "m""#, "`#[kernel]` is given `modul`"),
        ("module", "`module` has no value"),
        ("module = 5", "`module` is `5`"),
        (r#"module = """#, "`module` is empty"),
        (r#"module = "m\0x""#, r#"`module` is "m\0x""#),
        (r#"module = "m x""#, r#"`module` is "m x""#),
        (r#"module = "m\t""#, r#"`module` is "m\t""#),
        (r#"module = "a", module = "b""#, "`module` is given twice"),
        (r#"module = "m", crate = a, crate = b"#, "`crate` is given twice"),
        (r#"image = "..", module = "m""#, "the image `"),
        (r#"source = "cuda/missing.cu""#, "the source `"),
        (r#"source = "$OUT_DIR/k.cu""#, "`source` is \"$OUT_DIR/k.cu\""),
        ("module = \"m\", embed_source", "`embed_source` is given"),
        (r#"image = "tests/files/norm.ptx", embed_source"#, "`embed_source` is given"),
        (r#"source = "tests/files/norm.cu", embed_source = true"#, "`embed_source` has a value"),
        (r#"source = "tests/files/norm.cu", embed_source, embed_source"#, "`embed_source` is given twice"),
        (r#"module = "m", include("cuda")"#, "`include` is given"),
        (r#"source = "tests/files/norm.cu", include = "cuda""#, "`include` has no list"),
        (r#"source = "tests/files/norm.cu", include(cuda)"#, "`include` holds `cuda`"),
        (r#"source = "tests/files/norm.cu", include("nowhere")"#, "the folder `"),
        (r#"source = "tests/files/norm.cu", include("tests/files/norm.cu")"#, "the folder `"),
        (r#"source = "tests/files/norm.cu", include("$OUT_DIR")"#, "`include` is \"$OUT_DIR\""),
        (r#"source = "tests/files/norm.cu", defines = "A""#, "`defines` has no list"),
    ] {
        let message = message(arguments, r#"unsafe extern "C" { fn k(); }"#);
        assert!(message.starts_with(found), "{arguments}: {message}");
        assert!(message.contains("\nhelp: "), "{arguments}: {message}");
    }
}

#[test]
fn all_mistakes_of_a_block_show_at_once() {
    let expansion = kernel(
        r#"modul = "m""#,
        r#"extern "C" {
            fn a(x: &f32, y: Vec<f32>);
            safe fn b() -> f32;
            static C: u32;
            fn d(n: u32, n: u32) {}
        }"#,
    );
    let messages = messages(&expansion);
    for found in [
        "given `modul`",
        "without `unsafe`",
        "parameter `x` of `a`",
        "parameter `y` of `a`",
        "`b` is declared `safe`",
        "`b` returns `f32`",
        "`static C` stands",
        "two parameters `n`",
        "`d` has a body",
    ] {
        assert_eq!(
            messages.iter().filter(|message| message.contains(found)).count(),
            1,
            "{found}: {messages:#?}"
        );
    }
    assert_eq!(messages.len(), 9, "{messages:#?}");
    assert_eq!(items(&expansion), ["launch_a", "A", "launch_b", "B", "launch_d", "D"]);
}

#[test]
fn kernels_of_one_name_may_exclude_each_other() {
    let expansion = kernel(
        r#"module = "m""#,
        r#"unsafe extern "C" { #[cfg(unix)] fn k(a: u32); #[cfg(not(unix))] fn k(a: u64); }"#,
    );
    assert_eq!(messages(&expansion), Vec::<String>::new());
}

#[test]
fn one_condition_is_enough_for_two_kernels_of_one_name() {
    for pair in [
        "#[cfg(unix)] fn k(a: u32); fn k(a: u64);",
        "fn k(a: u32); #[cfg(unix)] fn k(a: u64);",
        "#[cfg_attr(test, cfg(unix))] fn k(a: u32); fn k(a: u64);",
    ] {
        let expansion = kernel(r#"module = "m""#, &format!(r#"unsafe extern "C" {{ {pair} }}"#));
        assert_eq!(messages(&expansion), Vec::<String>::new(), "{pair}");
    }
    let pair = "#[cfg_attr(test, allow(unused))] fn k(a: u32); fn k(a: u64);";
    assert!(item(&format!(r#"unsafe extern "C" {{ {pair} }}"#)).starts_with("kernel `k` is declared twice"));
}

#[test]
fn the_end_that_the_compiler_has_missed_is_not_missed_again() {
    let expansion = kernel(r#"module = "m""#, r#"unsafe extern "C" { fn k(x: u32) }"#);
    assert_eq!(messages(&expansion), Vec::<String>::new());
    assert_eq!(items(&expansion), ["launch_k", "K"]);
}

#[test]
fn reading_goes_on_after_a_body() {
    let expansion =
        kernel(r#"module = "m""#, r#"unsafe extern "C" { fn a() {} fn b(x: &f32); fn c() {} fn d(); }"#);
    let messages = messages(&expansion);
    for (message, found) in
        messages.iter().zip(["kernel `a` has a body", "kernel `c` has a body", "parameter `x` of `b`"])
    {
        assert!(message.starts_with(found), "{messages:#?}");
    }
    assert_eq!(messages.len(), 3, "{messages:#?}");
    assert_eq!(items(&expansion), ["launch_a", "A", "launch_b", "B", "launch_c", "C", "launch_d", "D"]);
}

#[test]
fn a_type_of_the_users_own_may_be_called_option() {
    let expansion = kernel(r#"module = "m""#, r#"unsafe extern "C" { fn k(a: Option, b: Vec, c: Box); }"#);
    assert_eq!(messages(&expansion), Vec::<String>::new());
}
