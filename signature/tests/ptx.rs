//! PTX as compilers and people write it.

use warpcall_signature::{Class, Constant, Module, ptx};

fn read(body: &str) -> Module {
    ptx::read(format!(".version 7.8\n.target sm_80\n.address_size 64\n{body}").as_bytes()).expect("readable")
}

fn error(body: &str) -> String {
    ptx::read_named(format!(".version 7.8\n.target sm_80\n.address_size 64\n{body}").as_bytes(), "k.ptx")
        .expect_err("not readable")
        .to_string()
}

#[test]
fn both_spellings_of_a_pointer() {
    let module = read(
        ".entry k(.param .u64 a, .param .u64 .ptr .global .align 16 b, .param .u64 .ptr.align 4 c, \
         .param .u64 .ptr.shared.align 4 d) { ret; }",
    );
    let seen: Vec<_> = module.kernels[0].parameters.iter().map(|p| (p.class, p.size, p.alignment)).collect();
    let eight = (Some(8), Some(8));
    assert_eq!(
        seen,
        [
            (Class::Integer, eight.0, eight.1),
            (Class::Pointer, eight.0, eight.1),
            (Class::Pointer, eight.0, eight.1),
            // Where it leads is a window of its own.
            (Class::Integer, eight.0, eight.1),
        ]
    );
    assert_eq!(module.kernels[0].parameters[1].name.as_deref(), Some("b"));
}

#[test]
fn names_the_compiler_made_are_no_names() {
    let module = read(".entry k(.param .u32 k_param_0, .param .u32 k_param_7) { }");
    let names: Vec<_> = module.kernels[0].parameters.iter().map(|p| p.name.as_deref()).collect();
    assert_eq!(names, [None, Some("k_param_7")]);
}

#[test]
fn bounds_of_one_two_and_three_numbers() {
    let module = read(
        ".entry a() .maxntid 128 { }\n.entry b() .maxntid 16, 8 .minnctapersm 2 { }\n\
         .entry c() .maxntid 4, 4, 4 .maxnreg 32 .pragma \"x { y\"; { }\n.entry d() .reqntid 64 .maxclusterrank 8 { }",
    );
    let threads = |i: usize| module.kernels[i].bounds.max_threads_per_block.clone();
    assert_eq!([threads(0), threads(1), threads(2)], [128, 128, 64].map(|n| Some(Constant::Known(n))));
    assert_eq!(module.kernels[1].bounds.min_blocks_per_multiprocessor, Some(Constant::Known(2)));
    assert_eq!(module.kernels[3].bounds.required_block, Some([64, 1, 1].map(Constant::Known)));
    assert_eq!(module.kernels[3].bounds.max_blocks_per_cluster, Some(Constant::Known(8)));
}

#[test]
fn visibility_and_missing_lists() {
    let module = read(
        ".visible .entry a { }\n.entry _Z1bv() { }\n.weak .entry c(\n) { }\n.visible .func f() { }\n.entry d { }",
    );
    let seen: Vec<_> = module.kernels.iter().map(|k| (k.name.as_str(), k.is_static)).collect();
    assert_eq!(seen, [("a", false), ("b", true), ("c", false), ("d", true)]);
    assert!(module.kernels.iter().all(|k| k.parameters.is_empty()));
}

#[test]
fn every_scalar_type() {
    let module = read(
        ".entry k(.param .u8 a, .param .s16 b, .param .b32 c, .param .f32 d, .param .f64 e, .param .b64 f, \
         .param .f16 g, .param .align 16 .b8 h[48], .param .b32 i[4], .param .align 8 .f64 j[2]) { }",
    );
    let seen: Vec<_> = module.kernels[0]
        .parameters
        .iter()
        .map(|p| (p.size.unwrap(), p.alignment.unwrap(), p.class))
        .collect();
    assert_eq!(
        seen,
        [
            (1, 1, Class::Integer),
            (2, 2, Class::Integer),
            (4, 4, Class::Integer),
            (4, 4, Class::Float),
            (8, 8, Class::Float),
            (8, 8, Class::Integer),
            (2, 2, Class::Float),
            (48, 16, Class::Bytes),
            (16, 4, Class::Bytes),
            (16, 8, Class::Bytes)
        ]
    );
}

#[test]
fn comments_and_bodies_are_passed_over() {
    let module = read(
        "// .entry no()\n/* .entry nor() */ .entry k(.param .u32 a /* , .param .u32 b */) // {\n{ { .reg .b32 %r<2>; } \
         // }\n L: bra L; }\n.global .align 4 .b8 s[4] = {1, 2, 3, 4};\n.visible .entry m() { }",
    );
    assert_eq!(
        module.kernels.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["k(4 bytes of integer a)", "m()"]
    );
}

#[test]
fn mangled_names_bring_types() {
    let module = read(
        ".entry _Z4axpyILi4EEvPKfPfS2_fmj(.param .u64 a, .param .u64 b, .param .u64 c, .param .f32 d, .param .u64 e, .param .u32 f) { }",
    );
    let kernel = &module.kernels[0];
    assert_eq!(kernel.name, "axpy");
    let types: Vec<_> = kernel.parameters.iter().map(|p| p.ty.as_ref().unwrap().to_string()).collect();
    assert_eq!(types, ["const float*", "float*", "float*", "float", "unsigned long long", "unsigned int"]);
    // A symbol that tells another list than the entry has is not believed.
    let other = read(".entry _Z1kif(.param .u32 a) { }");
    assert!(other.kernels[0].parameters[0].ty.is_none());
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    assert_eq!(
        error(".entry k(.param .q32 a) { }"),
        "k.ptx:4: the PTX is malformed: expected a type, found `.q32`; compile the image again"
    );
    assert!(error(".entry k(\n.param .u32 a\n.param .u32 b) { }").starts_with("k.ptx:6: "));
    assert!(error(".entry k(.param .align 3 .b8 a[4]) { }").contains("not a power of two"));
    assert!(error(".entry k(.param .b64 a[4611686018427387904]) { }").contains("do not fit"));
    assert!(error(".entry k(.param .u32 a)").contains("expected the body"));
    assert_eq!(ptx::read(b".target sm_80").unwrap_err().position.unwrap().line, 1);
}

/// Bytes that no text in UTF-8 has, in comments before and after everything that is read, and what follows a NUL.
const IN_LATIN_1: &[u8] = b"/* \xe9t\xe9 .target sm_10 */ // \xff\n.version 8.0 // \xe9\n/*\n.target sm_20 */\n.target  sm_90a, debug\n\
    .address_size 64\n.visible .entry k(.param .u32 n /* \xe9 */, .param .f32 x) { ret; } // \xe9\n\0\
    .visible .entry after(.param .u32 n) { ret; }\n";

#[test]
fn comments_may_be_in_any_encoding_and_nothing_is_read_behind_a_nul() {
    assert!(ptx::is_ptx(IN_LATIN_1));
    let module = ptx::read(IN_LATIN_1).unwrap();
    assert_eq!(module.kernels.len(), 1);
    assert_eq!(module.kernels[0].parameters.len(), 2);
    assert_eq!(module.target.as_deref(), Some("sm_90a"));
    assert_eq!(ptx::target(IN_LATIN_1).as_deref(), Some("sm_90a"));
}

#[test]
fn what_is_no_ptx_is_told_by_its_beginning() {
    for text in [
        &b""[..],
        b"/* .version 8.0 */",
        b"/* .version",
        b"// .version 8.0",
        b".versions 8.0",
        b"\0.version 8.0",
        b"\xff.version 8.0",
    ] {
        assert!(!ptx::is_ptx(text), "{}", text.escape_ascii());
    }
    assert!(ptx::is_ptx(b".version") && ptx::is_ptx(b" /**/ .version\t8.0"));
    assert_eq!(ptx::target(b".version 8.0\n\0.target sm_90\n"), None);
    assert_eq!(ptx::target(b".version 8.0\n.target"), None);
}

#[test]
fn a_text_that_is_cut_off_is_an_error() {
    let statements = [
        ".extern .func f(.param .b32 x);",
        ".global .align 4 .b8 table[2] = {1, 2};",
        ".visible .entry k(.param .u64 k_param_0)\n.maxntid 128\n{\n.reg .b32 r;\n{ ret; }\n}",
        ".func g() { ret; }",
    ];
    let mut before = String::new();
    for statement in statements {
        let first_word = statement.find(' ').expect("it has more words");
        for end in first_word..statement.len() {
            // What follows the braces of a table is its `;`.
            let text = format!("{before}{}", &statement[..end]);
            let is_cut = !statement[..end].ends_with("2}");
            let head = ".version 7.8\n.target sm_80\n.address_size 64\n";
            assert_eq!(ptx::read(format!("{head}{text}").as_bytes()).is_err(), is_cut, "{text}");
        }
        before += statement;
        assert_eq!(read(&before).kernels.len(), usize::from(before.contains(".entry")));
    }
    assert_eq!(
        error(".visible .entry k() {\n{ ret; }\n"),
        "k.ptx:4: the PTX is malformed: a `{` is not closed, as if the file were cut off; compile the image again"
    );
}
