use super::{Package, bound};

/// The one message of a module that is refused.
#[track_caller]
fn message(arguments: &str, item: &str) -> String {
    let text = "extern \"C\" __global__ void a() {}\ntemplate <class T> __global__ void t(T x) {}\n";
    let package = Package::with(&[("k.cu", text), ("empty.cu", "int x;"), ("k.ptx", "no image")]);
    let mut messages = package.expand(arguments, item).messages();
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages.remove(0)
}

#[test]
fn a_module_is_bound_to_a_file() {
    let expected = "the module `k` is bound to no file, but its kernels are read out of one\n\
                    help: write `#[kernel(source = \"…\")]` or `#[kernel(image = \"…\")]`";
    assert_eq!(message(r#"module = "m""#, "mod k {}"), expected);
    assert!(message(r#"source = "empty.cu""#, "mod k {}").starts_with("empty.cu has no kernels, but "));
    assert!(message(r#"source = "nowhere.cu""#, "mod k {}").contains("does not exist"));
    assert!(message(r#"image = "k.ptx""#, "mod k {}").starts_with("the image `k.ptx` cannot be read"));
}

#[test]
fn a_module_has_a_body_and_is_not_unsafe() {
    let expected = "the module `k` has no body, but its items are generated into it\nhelp: write `mod k {}`";
    assert_eq!(message(r#"source = "k.cu""#, "mod k;"), expected);
    assert!(message(r#"source = "k.cu""#, "unsafe mod k {}").starts_with("the module `k` is `unsafe`, but "));
}

#[test]
fn a_choice_is_among_the_kernels_of_the_file() {
    assert_eq!(
        message(r#"source = "k.cu", skip("b")"#, "mod k {}"),
        "`skip` names \"b\", but k.cu has no kernel of this name\nhelp: there are `a`, `t`"
    );
    assert_eq!(
        message(r#"source = "k.cu", skip("t"), only("a")"#, "mod k {}"),
        "`skip` is given beside `only`, but `only` has said which kernels are bound\nhelp: remove one of the two"
    );
    assert!(
        message(r#"source = "k.cu", only("t")"#, "mod k {}")
            .starts_with("`only` asks for \"t\" (k.cu:2), but it is a template: "),
    );
    for (key, item) in [("only", "unsafe extern \"C\" { fn a(); }"), ("skip", "unsafe fn a();")] {
        let package = Package::with(&[("k.cu", "extern \"C\" __global__ void a() {}")]);
        let tokens: proc_macro2::TokenStream = item.parse().expect("the test's text is tokens");
        let site = crate::site::Site { manifest_dir: Some(package.folder.path().to_owned()), out_dir: None };
        let arguments = format!(r#"source = "k.cu", {key}("a")"#).parse().expect("it is tokens");
        let messages = crate::tests::messages(&crate::kernel::kernel(arguments, &tokens, &site));
        assert_eq!(messages.len(), 1, "{messages:#?}");
        assert!(
            messages[0].starts_with(&format!("`{key}` is given, but this declares the kernels one by one"))
        );
    }
}

#[test]
fn kernels_whose_items_would_share_a_name_are_named_with_their_lines() {
    let text = "extern \"C\" __global__ void scale() {}\nextern \"C\" __global__ void Scale(int n) {}\n\
                namespace a { __global__ void other() {} }\nnamespace b { __global__ void other() {} }";
    let expansion = bound(text, "");
    assert_eq!(
        expansion.messages(),
        [
            "the kernels `scale` (k.cu:1) and `Scale` (k.cu:2) both make a static `SCALE`, but each kernel of a module has one \
             of its own\nhelp: write `skip(\"Scale\")`, and declare it in an `extern \"C\"` block under another name",
            "the kernels `a::other` (k.cu:3) and `b::other` (k.cu:4) both make a static `OTHER`, but each kernel of a module \
             has one of its own\nhelp: write `skip(\"b::other\")`, and declare it in an `extern \"C\"` block under another name",
        ]
    );
    // The others are there, so that their users add no errors.
    assert_eq!(expansion.names(), ["launch_scale", "SCALE", "launch_other", "OTHER"]);
}

#[test]
fn an_item_of_the_body_that_is_called_like_a_generated_one() {
    let text = "extern \"C\" __global__ void scale() {}";
    for (body, name) in [
        ("fn launch_scale() {}", "launch_scale"),
        ("use super::launch_scale;", "launch_scale"),
        ("const SCALE: u32 = 1;", "SCALE"),
        ("struct SCALE;", "SCALE"),
    ] {
        let expansion = bound(text, body);
        assert_eq!(
            expansion.messages(),
            [format!(
                "`{name}` is an item of the module, but it is generated for the kernel `scale` (k.cu:1)\nhelp: rename the \
                 item, or write `skip(\"scale\")`, and declare it in an `extern \"C\"` block under another name"
            )],
            "{body}"
        );
    }
    // A type is no value.
    assert_eq!(bound(text, "pub struct SCALE { x: u8 }").messages(), Vec::<String>::new());
}

#[test]
fn a_list_is_a_list_of_strings() {
    assert_eq!(
        message(r#"source = "k.cu", skip = "a""#, "mod k {}"),
        "`skip` has no list, but it holds strings in parentheses\nhelp: write `skip(\"one_kernel\", \"another\")`"
    );
    assert_eq!(
        message(r#"source = "k.cu", only(a)"#, "mod k {}"),
        "`only` holds `a`, but it holds string literals\nhelp: write `\"one_kernel\"` or `\"another\"`"
    );
}

/// The messages of a module and of a block that name this source.
fn messages_of_both(text: &str, block: &str) -> [Vec<String>; 2] {
    let package = Package::with(&[("k.cu", text)]);
    let site = crate::site::Site { manifest_dir: Some(package.folder.path().to_owned()), out_dir: None };
    let arguments = r#"source = "k.cu""#;
    let item = format!("unsafe extern \"C\" {{ {block} }}").parse().expect("it is tokens");
    let tokens = crate::kernel::kernel(arguments.parse().expect("it is tokens"), &item, &site);
    [package.expand(arguments, "mod k {}").messages(), crate::tests::messages(&tokens)]
}

#[test]
fn a_header_that_is_missing_is_an_error_as_nothing_can_watch_for_it() {
    let text = "#include <nowhere.h>\n#include \"missing.cuh\"\nextern \"C\" __global__ void k(int n) {}";
    let expected = "k.cu:2 includes \"missing.cuh\", but there is no such file, and what it defines may change every \
                    kernel\nhelp: put it beside the file, or name its folder in `include(…)`";
    for messages in messages_of_both(text, "fn k(n: i32);") {
        assert_eq!(messages, [expected]);
    }
    let unused = "#ifdef NEVER\n#include \"missing.cuh\"\n#endif\nextern \"C\" __global__ void k(int n) {}";
    assert_eq!(messages_of_both(unused, "fn k(n: i32);"), [const { Vec::<String>::new() }; 2]);
}

#[test]
fn an_error_directive_that_is_reached_is_an_error() {
    let text =
        "#ifndef BLOCK\n#error \"BLOCK must be defined\"\n#endif\nextern \"C\" __global__ void k(int n) {}";
    let expected = "k.cu:2 is reached, which says `#error \"BLOCK must be defined\"`, but a source is compared as it is \
                    compiled\nhelp: define what it asks for in `defines(…)`";
    for messages in messages_of_both(text, "fn k(n: i32);") {
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn a_word_that_nothing_defines_leaves_a_kernel_out() {
    let text = "API extern \"C\" __global__ void fine(int n) {}\n\
                extern \"C\" __global__ void k(CONST_T float* w) {}";
    let expansion = bound(text, "");
    assert_eq!(expansion.names(), ["launch_fine", "FINE"]);
    let warning = expansion.warning().expect("there is one");
    assert!(
        warning.contains("parameter `w`: `CONST_T` is not defined in the files read, and may make"),
        "{warning}"
    );
}

#[test]
fn a_choice_of_a_kernel_under_a_condition_says_which() {
    let text =
        "extern \"C\" __global__ void k() {}\n#ifdef EXTRA\nextern \"C\" __global__ void extra() {}\n#endif";
    let package = Package::with(&[("k.cu", text)]);
    let expected = "`only` names \"extra\", but it stands under `#ifdef EXTRA` (k.cu:2), which does not hold\n\
                    help: write `defines(\"EXTRA\")` in the attribute";
    assert_eq!(package.expand(r#"source = "k.cu", only("k", "extra")"#, "mod k {}").messages(), [expected]);
    let with = package.expand(r#"source = "k.cu", only("k", "extra"), defines("EXTRA")"#, "mod k {}");
    assert_eq!(with.messages(), Vec::<String>::new());
}

#[test]
fn a_source_is_no_image_and_an_image_no_source() {
    assert_eq!(
        message(r#"source = "k.ptx""#, "mod k {}"),
        "`source` is \"k.ptx\", an image, but `source` names a CUDA source\nhelp: write `image = \"k.ptx\"`"
    );
    assert_eq!(
        message(r#"image = "k.cu""#, "mod k {}"),
        "`image` is \"k.cu\", a CUDA source, but `image` names an image\nhelp: write `source = \"k.cu\"`"
    );
}

#[test]
fn a_static_kernel_is_bound_by_its_name_and_one_in_an_unnamed_namespace_is_not() {
    let expansion = bound("static __global__ void a(int n) {}\nnamespace { __global__ void b() {} }", "");
    assert_eq!(expansion.kernels(), ["a(n: i32)"]);
    let warning = expansion.warning().expect("there is one");
    assert!(
        warning.contains("take it out of the namespace without a name, or name the `image`"),
        "{warning}"
    );
}
