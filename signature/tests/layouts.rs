//! Structs by value: the layout computed against the compiler's.

mod common;

use common::{module, notes, only};
use warpcall_signature::{Class, TypeKind, compare, ptx};

const SOURCE: &str = include_str!("data/layouts.cu");

#[test]
fn every_struct_lies_as_the_compiler_lays_it() {
    let source = module(SOURCE);
    let image = ptx::read(include_bytes!("data/layouts.ptx")).unwrap();
    assert_eq!(source.kernels.len(), image.kernels.len());
    assert_eq!(notes(SOURCE), "");
    for (written, compiled) in source.kernels.iter().zip(&image.kernels) {
        assert_eq!(written.name, compiled.name);
        for (a, b) in written.parameters.iter().zip(&compiled.parameters) {
            assert_eq!(a.layout(), b.layout(), "{written}: {a}");
            let pointer = (a.class, b.class) == (Class::Pointer, Class::Integer);
            assert!(pointer || a.class == b.class, "{written}: {a}");
        }
        assert_eq!(compare(written, compiled), []);
    }
}

#[test]
fn fields_have_names_types_and_offsets() {
    let kernel = only(
        "struct S { char a; double b[2]; unsigned c : 3, : 4, d : 6; int* e; }; __global__ void k(S s) {}",
    );
    let TypeKind::Record(record) = &kernel.parameters[0].ty.as_ref().unwrap().kind else {
        panic!("a struct")
    };
    let fields: Vec<_> = record
        .fields
        .iter()
        .map(|f| (f.name.as_deref(), f.ty.to_string(), f.offset.unwrap(), f.bits))
        .collect();
    let unsigned = || "unsigned int".to_owned();
    assert_eq!(
        fields,
        [
            (Some("a"), "char".to_owned(), 0, None),
            (Some("b"), "double[2]".to_owned(), 8, None),
            (Some("c"), unsigned(), 24, Some(3)),
            (None, unsigned(), 24, Some(4)),
            (Some("d"), unsigned(), 24, Some(6)),
            (Some("e"), "int*".to_owned(), 32, None),
        ]
    );
}

#[test]
fn what_cannot_be_laid_out_says_why() {
    for (text, reason) in [
        ("struct S { Missing m; }; ", "the type `Missing` is not defined in the files read"),
        ("struct B {}; struct S : virtual B { int x; }; ", "it has a virtual base class"),
        ("struct S { int x[N]; }; ", "the length of an array cannot be evaluated"),
        ("struct alignas(3) S { int x; }; ", "3 is no alignment"),
    ] {
        let text = format!("{text}__global__ void k(S s, S* p, int n) {{}}");
        let kernel = only(&text);
        assert_eq!(kernel.parameters[0].size, None, "{text}");
        assert_eq!((kernel.parameters[1].size, kernel.parameters[2].size), (Some(8), Some(4)), "{text}");
        assert!(notes(&text).contains(reason), "{}", notes(&text));
    }
    assert!(notes("__global__ void k(Missing m) {}").contains("`Missing` is not defined in the files read"));
    assert!(notes("template <class T> struct A; template <class T> struct A<T*> { T x; }; __global__ void k(A<int*> a) {}")
        .contains("`A<int*>` is not defined"));
}

#[test]
fn base_classes_lie_as_the_compiler_lays_them() {
    // Sizes and alignments are NVRTC 13.0's.
    for (structs, size, alignment) in [
        ("struct A { A() {} int x; char c; }; struct B { A a; char b; }; struct S : B { char d; };", 12, 4),
        (
            "struct A { A() {} int x; char c; }; struct B { A a[2]; char b; }; struct S : B { char d; };",
            20,
            4,
        ),
        ("struct A { A() = default; int x; char c; }; struct S : A { char d; };", 12, 4),
        ("struct A { A() {} int x; char c; }; struct __attribute__((packed)) S : A { };", 5, 1),
        ("struct A { A() {} int x; char c; }; struct __attribute__((packed)) S : A { char d; };", 6, 1),
        ("struct alignas(32) E {}; struct A : E { char3 c; }; struct S : A { char d; };", 64, 32),
        ("struct __attribute__((packed)) S { virtual void f() {} char c; };", 9, 1),
        ("#pragma pack(push, 2)\nstruct S { virtual void f() {} char c; };\n#pragma pack(pop)\n", 10, 2),
        ("#pragma pack(1)\nstruct S { unsigned short m; unsigned b : 1; int : 0; char c : 3; };\n", 4, 1),
        (
            "struct __attribute__((packed)) S { int a : 1; long long b : 7; int : 0; long long c : 5; char d; };",
            3,
            1,
        ),
        ("struct A { int n; }; struct S : A { A a; A* b; };", 16, 8),
        ("struct alignas(16) alignas(4) S { char c; };", 16, 16),
    ] {
        let text = format!("{structs} __global__ void k(S s) {{}}");
        assert_eq!(common::layouts(&only(&text)), [Some((size, alignment))], "{structs}");
    }
    // Two empty parts of one type have two places, which are not followed.
    for structs in [
        "struct E {}; struct A { E e; char c; }; struct S : A, E { };",
        "struct E {}; struct S : E { struct { E e; char c; }; };",
        "struct E {}; struct A : E {}; struct B : E {}; struct S : A, B { int n; };",
        "struct E {}; struct S : E { E e[2]; };",
    ] {
        let text = format!("{structs} __global__ void k(S s) {{}}");
        assert_eq!(common::layouts(&only(&text)), [None], "{structs}");
        assert!(notes(&text).contains("an empty base class stands in it twice"), "{structs}");
    }
    let text = "struct alignas(1 << 29) S { char c; }; __global__ void k(S s) {}";
    assert!(notes(text).contains("536870912 is no alignment"), "{}", notes(text));
}
