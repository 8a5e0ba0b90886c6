use super::{kernel_param, messages};

#[track_caller]
fn message(item: &str) -> String {
    let mut messages = messages(&kernel_param(item));
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages.remove(0)
}

#[test]
fn what_cannot_be_a_parameter_is_refused_by_name() {
    for (item, found) in [
        ("struct P { a: u32 }", "`P` has Rust's layout, which is not fixed"),
        ("#[repr(align(8))] struct P { a: u32 }", "`P` has Rust's layout, which is not fixed"),
        ("#[repr(C, packed)] struct P { a: u32 }", "`P` is `#[repr(packed)]`"),
        ("#[repr(C, packed(2))] struct P { a: u32 }", "`P` is `#[repr(packed(2))]`"),
        ("#[repr(transparent)] struct P { a: u32 }", "`P` is `#[repr(transparent)]`"),
        ("#[repr(C)] enum P { A }", "`P` is an enum"),
        ("#[repr(C)] union P { a: u32 }", "`P` is a union"),
        ("#[repr(C)] struct P<T> { a: T }", "`P` is generic over `T`"),
        ("#[repr(C)] struct P<const N: usize> { a: [f32; N] }", "`P` is generic over `const N: usize`"),
        (
            "#[repr(C)] #[kernel_param(name = 3)] struct P { a: u32 }",
            "`#[kernel_param]` on `P` has other arguments",
        ),
        (
            "#[repr(C)] #[kernel_param(crate = a)] #[kernel_param(crate = b)] struct P { a: u32 }",
            "`P` has `#[kernel_param]` twice",
        ),
        (
            "#[repr(C)] struct P { #[kernel_param(crate = a)] a: u32 }",
            "field `a` of `P` has `#[kernel_param]`",
        ),
    ] {
        let message = message(item);
        assert!(message.starts_with(&format!("{found}, but ")), "{item}: {message}");
        assert!(message.contains("\nhelp: "), "{item}: {message}");
    }
}

#[test]
fn each_refused_field_gets_its_own_remedy() {
    for (ty, remedy) in [
        ("*const f32", "write `DevicePtr`"),
        ("*mut f32", "write `DevicePtr`"),
        ("[*mut f32; 2]", "write `DevicePtr`"),
        ("&'static f32", "write `DevicePtr`"),
        ("Vec<f32>", "write `DevicePtr`"),
        ("Box<f32>", "write `DevicePtr`"),
        ("String", "write `DevicePtr`"),
        ("Option<*const f32>", "write `DevicePtr`, and pass `DevicePtr::NULL` for none"),
        ("Option<u32>", "write `u32`, and a `bool` or a value that stands for none"),
        ("char", "write `i8` for `char`, `u8` for `unsigned char`, `u32` for `char32_t`"),
        ("(f32, f32)", "write a `#[repr(C)]` struct with `#[derive(KernelParam)]`"),
        ("fn()", "choose the function in CUDA, by a number that is passed or by a kernel for each"),
    ] {
        let message = message(&format!("#[repr(C)] struct P {{ a: {ty} }}"));
        assert!(message.starts_with(&format!("field `a` of `P` is `{ty}`, ")), "{ty}: {message}");
        assert!(message.ends_with(&format!("\nhelp: {remedy}")), "{ty}: {message}");
    }
}

#[test]
fn a_refused_struct_is_still_a_parameter() {
    for item in [
        "struct P { a: u32 }",
        "#[repr(C)] struct P<T, const N: usize = 4> where T: Clone { a: [T; N] }",
        "#[repr(C)] enum P { A }",
    ] {
        let expansion = kernel_param(item);
        assert_eq!(messages(&expansion).len(), 1, "{item}");
        let expansion = expansion.to_string();
        assert_eq!(expansion.matches("KernelField for P").count(), 1, "{item}: {expansion}");
        assert_eq!(expansion.matches("KernelParam for P").count(), 1, "{item}: {expansion}");
    }
}

#[test]
fn all_mistakes_of_a_struct_show_at_once() {
    let messages = messages(&kernel_param("struct P { a: *const f32, b: u32, c: char }"));
    assert_eq!(messages.len(), 3, "{messages:#?}");
}
