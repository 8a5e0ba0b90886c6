//! The words about a declaration that an image contradicts.

use super::{super::finding::At, block, compare, cubin, cuda, ptx};

fn findings(rust: &str, entries: &str) -> Vec<(At, String)> {
    let comparison = compare(&block(rust), None, Some(&[ptx(entries)]));
    let words = comparison.findings.into_iter().map(|finding| {
        (finding.at, format!("{}, but {}; {}", finding.found, finding.expected, finding.instead))
    });
    words.collect()
}

#[test]
fn each_kind_of_disagreement_has_its_words() {
    for (rust, entry, at, words) in [
        (
            "fn k(n: u64);",
            ".param .u32 a",
            At::Type(0),
            "parameter `n` is declared `u64`, but `k` takes a 32-bit integer in its place (the image  for sm_80); \
             write `u32` or `i32` here, or compile the image again",
        ),
        (
            "fn k(n: f32);",
            ".param .u32 a",
            At::Type(0),
            "parameter `n` is declared `f32`, but `k` takes a 32-bit integer in its place (the image  for sm_80); \
             write `u32` or `i32` here, or compile the image again",
        ),
        (
            "fn k(n: i32);",
            ".param .f32 a",
            At::Type(0),
            "parameter `n` is declared `i32`, but `k` takes a 32-bit float in its place (the image  for sm_80); \
             write `f32` here, or compile the image again",
        ),
        (
            "fn k(n: Float4);",
            ".param .align 4 .b8 a[16]",
            At::Type(0),
            "parameter `n` is declared `Float4`, but `k` takes a value of 16 bytes aligned to 4 in its place \
             (the image  for sm_80); declare what the kernel takes, or compile the image again",
        ),
        (
            "fn k(n: u64);",
            ".param .u64 .ptr .global .align 4 a",
            At::Type(0),
            "parameter `n` is declared `u64`, but `k` takes a pointer in its place (the image  for sm_80); \
             write `*const T` or `*mut T` here, or compile the image again",
        ),
        (
            "fn k(n: u32);",
            ".param .u32 a, .param .u32 b",
            At::Kernel,
            "`k` is declared with 1 parameters, but it takes 2 parameters (the image  for sm_80); \
             declare what the kernel takes, or compile the image again",
        ),
        (
            "fn k(n: u32, m: u32, l: u32);",
            ".param .u32 a",
            At::Name(1),
            "`k` is declared with 3 parameters, but it takes 1 parameter (the image  for sm_80); \
             declare what the kernel takes, or compile the image again",
        ),
    ] {
        let entry = format!(".visible .entry k({entry}) {{ ret; }}");
        assert_eq!(findings(rust, &entry), [(at, words.to_owned())]);
    }
}

#[test]
fn what_an_image_does_not_tell_is_accepted() {
    for (rust, entry) in [
        ("fn k(n: i32);", ".param .u32 n"),
        ("fn k(n: bool);", ".param .u8 n"),
        ("fn k(n: *const f32);", ".param .u64 n"),
        ("fn k(n: *const f32);", ".param .u64 .ptr .align 1 n"),
        ("fn k(n: f16);", ".param .align 2 .b8 n[2]"),
        ("fn k(n: f16);", ".param .f16 n"),
        ("fn k(n: TensorMap);", ".param .align 128 .b8 n[128]"),
        ("fn k(#[unchecked] n: u64);", ".param .align 8 .b8 n[8]"),
    ] {
        let entry = format!(".visible .entry k({entry}) {{ ret; }}");
        assert_eq!(findings(rust, &entry), [], "{rust}");
    }
    // Its size still holds.
    let wide = ".visible .entry k(.param .u32 n) { ret; }";
    assert_eq!(findings("fn k(#[unchecked] n: u64);", wide).len(), 1);
}

#[test]
fn a_mangled_name_tells_the_types() {
    let entry = ".visible .entry _Z5scalePfi(.param .u64 a, .param .u32 b) { ret; }";
    let declared = |parameters: &str| format!("#[link_name = \"_Z5scalePfi\"] fn scale({parameters});");
    assert_eq!(findings(&declared("x: *mut f32, n: i32"), entry), []);
    for (parameters, at) in [
        ("x: *const f32, n: i32", At::Type(0)),
        ("x: *mut f64, n: i32", At::Type(0)),
        ("x: *mut f32, n: u32", At::Type(1)),
    ] {
        let findings = findings(&declared(parameters), entry);
        assert_eq!(findings.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [at], "{findings:?}");
    }
}

#[test]
fn an_image_that_is_older_than_its_source_is_said_to_be() {
    let source = cuda("extern \"C\" __global__ void k(float* x, size_t n) {}");
    let old = ptx(".visible .entry k(.param .u64 a, .param .u32 b) { ret; }");
    let comparison = compare(&block("fn k(x: *mut f32, n: usize);"), Some(&source), Some(&[old]));
    let [finding] = &comparison.findings[..] else { panic!("one finding") };
    assert_eq!(finding.at, At::Type(1));
    assert_eq!(finding.expected, "`k` takes a 32-bit integer in its place (the image  for sm_80)");
}

#[test]
fn one_image_of_several_may_lack_the_kernel_and_none_may_contradict_it() {
    let block = block("fn k(n: u32);");
    let right = || ptx(".visible .entry k(.param .u32 a) { ret; }");
    let wrong = || ptx(".visible .entry k(.param .u64 a) { ret; }");
    let other = || ptx(".visible .entry other() { ret; }");
    assert!(compare(&block, None, Some(&[other(), right()])).findings.is_empty());
    assert_eq!(compare(&block, None, Some(&[right(), wrong(), wrong()])).findings.len(), 1);
    assert_eq!(compare(&block, None, Some(&[other()])).findings[0].instead, "there is `other`");
}

#[test]
fn an_image_tells_the_size_of_what_the_source_hides() {
    let source = cuda("extern \"C\" __global__ void k(real_t x) {}");
    let image = || [ptx(".visible .entry k(.param .f32 a) { ret; }")];
    assert!(compare(&block("fn k(x: f32);"), Some(&source), Some(&image())).findings.is_empty());
    assert_eq!(compare(&block("fn k(x: f64);"), Some(&source), Some(&image())).findings[0].at, At::Type(0));
}

#[test]
fn each_image_of_a_fatbin_is_compared() {
    let expand = |last: &str| {
        let arguments = "image = \"tests/files/two.fatbin\"".parse().expect("tokens");
        let item = format!("unsafe extern \"C\" {{ fn scale(x: *mut f32, by: f32, {last}); }}");
        crate::kernel::kernel(arguments, &item.parse().expect("tokens"), &super::site()).to_string()
    };
    let (narrow, wide) = (expand("n: u32"), expand("n: u64"));
    assert!(narrow.contains(
        "takes a 64-bit integer or a pointer in its place (the image tests/files/two.fatbin for sm_90)"
    ));
    assert!(
        wide.contains("takes a 32-bit integer in its place (the image tests/files/two.fatbin for sm_80)")
    );
}

#[test]
fn an_offset_of_a_cubin_contradicts_an_alignment() {
    let image = || [cubin(&[(4, 4), (16, 4), (8, 8)])];
    let comparison = compare(&block("fn k(n: u32, v: Float4, x: f64);"), None, Some(&image()));
    let [finding] = &comparison.findings[..] else { panic!("one finding") };
    assert_eq!(
        (finding.at, &*finding.expected),
        (
            At::Type(1),
            "`k` takes 16 bytes at offset 4 (aligned to 1, 2 or 4) in its place (the image  for sm_90)"
        )
    );
    // The source tells the size and alignment of a struct, and here the image contradicts it.
    for (structure, wrong) in
        [("struct S { float x[4]; };", 0), ("struct __align__(16) S { float x[4]; };", 1)]
    {
        let text = format!("{structure} extern \"C\" __global__ void k(unsigned n, S v, double x) {{}}");
        let comparison = compare(&block("fn k(n: u32, v: S, x: f64);"), Some(&cuda(&text)), Some(&image()));
        assert_eq!(comparison.findings.len(), wrong, "{structure}");
    }
}

#[test]
fn a_name_of_the_users_is_compared_through_the_source_and_is_no_pointer() {
    let found = findings("fn k(n: Entry);", ".visible .entry k(.param .u64 .ptr .global .align 4 a) {}");
    assert!(
        found.len() == 1 && found[0].0 == At::Type(0) && found[0].1.contains("takes a pointer"),
        "{found:?}"
    );
    let source = cuda("struct Entry { int key; float value; }; extern \"C\" __global__ void k(Entry n) {}");
    let kernel = block("fn k(n: Entry);");
    for (parameter, count) in
        [(".param .align 4 .b8 n[8]", 0), (".param .align 4 .b8 n[12]", 1), (".param .align 8 .b8 n[8]", 1)]
    {
        let image = ptx(&format!(".visible .entry k({parameter}) {{}}"));
        let comparison = compare(&kernel, Some(&source), Some(&[image]));
        assert_eq!(comparison.findings.len(), count, "{parameter}");
    }
}
