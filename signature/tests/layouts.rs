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
        ("struct S { int x[0]; }; ", "nothing but arrays of length 0 stands in it"),
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
        ("struct E { int : 5; }; struct S : E { int x; };", 8, 4),
        ("struct E { int : 0; }; struct S : E { int x; };", 4, 4),
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

/// The layout of the struct `S` that a text defines.
fn layout(structs: &str) -> Option<(u64, u64)> {
    common::layouts(&only(&format!("{structs}\n__global__ void k(S s) {{}}")))[0]
}

#[test]
fn packed_members_lie_as_nvcc_lays_them() {
    // Sizes and alignments are nvcc 13.0's.
    for (structs, size, alignment) in [
        ("#pragma pack(1)\nstruct S { int a : 20; int b : 20; };", 5, 1),
        ("#pragma pack(2)\nstruct S { char a; int b : 20; int c : 20; };", 6, 2),
        ("struct __attribute__((packed)) S { char a; int b : 20; int c : 20; };", 6, 1),
        ("struct S { char c; __attribute__((packed)) int x : 20; int y : 20; };", 8, 4),
        ("struct __attribute__((packed)) S { char c : 1; long : 0; int d : 3; };", 1, 1),
        ("#pragma pack(2)\nstruct S { char c; long : 0; int d : 3; };", 4, 2),
        ("struct __attribute__((packed)) S { char c; alignas(8) int x; };", 16, 8),
        ("#pragma pack(4)\nstruct S { char c; alignas(8) char m; };", 16, 8),
        ("#pragma pack(1)\nstruct alignas(16) S { char c; int m; };", 16, 16),
        ("struct A { double d; }; struct __attribute__((packed)) S : A { char c; };", 9, 1),
        ("struct alignas(32) E {}; struct __attribute__((packed)) S : E { char c; };", 32, 1),
        ("struct alignas(32) E {};\n#pragma pack(2)\nstruct S : E { char c; };", 32, 2),
        ("struct N { N() {} int x; char c; };\n#pragma pack(1)\nstruct S { char c; N n; };", 9, 1),
        ("struct N { N() {} int x; char c; }; struct S { char c; __attribute__((packed)) N n; };", 9, 1),
        ("struct S { int n; struct __attribute__((packed)) { char a; double b; }; };", 16, 4),
    ] {
        assert_eq!(layout(structs), Some((size, alignment)), "{structs}");
    }
    // Those of nvcc and NVRTC are not alike.
    for (structs, reason) in [
        (
            "struct N { N() {} int x; char c; }; struct __attribute__((packed)) S { char c; N n; };",
            "whether they pack a member of type `N`",
        ),
        (
            "struct N { N() {} int x; }; struct __attribute__((packed)) S { char c; N n[2]; };",
            "whether they pack a member of type `N[2]`",
        ),
        ("#pragma pack(4)\nstruct S { char c; __attribute__((aligned(8))) char m; };", "how they align to 8"),
        ("#pragma pack(4)\nstruct S { char c; __align__(8) char m; };", "how they align to 8"),
        ("#pragma pack(4)\nstruct S { char a; int : 10; char c; };", "how they align a bit-field"),
        (
            "#pragma pack(2)\nstruct __attribute__((packed)) S { char a; int b : 10; };",
            "how they align a bit-field",
        ),
        ("#pragma pack(4)\nstruct S { char a; long b : 60; };", "where a bit-field lies"),
        (
            "struct __attribute__((packed, aligned(16))) S { char c; alignas(32) float m; };",
            "how they align a packed struct",
        ),
    ] {
        assert_eq!(layout(structs), None, "{structs}");
        let notes = notes(&format!("{structs}\n__global__ void k(S s) {{}}"));
        assert!(notes.contains(&format!("compilers differ in {reason}")), "{notes}");
    }
}

#[test]
fn a_derived_class_takes_the_padding_of_what_is_no_plain_struct() {
    // Sizes and alignments are nvcc 13.0's.
    for (base, size) in [
        ("int y; char c;", 12),
        ("int y = 3; char c;", 8),
        ("int y; char c{2};", 8),
        ("int y : 3 = 1; int z; char c;", 12),
        ("struct { int y = 3; } m; char c;", 8),
        ("static constexpr int n = 3; int y; char c;", 12),
        ("int y; char c; A();", 8),
        ("int y; char c; template <class T> A(T);", 8),
        ("int y; char c; ~A() { delete &y; }", 8),
        ("int y; char c; A() : y(0) { f = nullptr; } static A() = delete; static void* f;", 8),
        ("int y; char c; A() = default; A(const A&) = delete; ~A() = default;", 12),
        ("int y; char c; A& operator=(const A&);", 8),
        ("int y; char c; A& operator=(A&&);", 8),
        ("int y; char c; A& operator=(int); A& operator+=(const A&); bool operator==(const A&);", 12),
        ("int y; char c; template <class T> A& operator=(T); template <class T> T f(A);", 12),
        ("int y; char c; private: static int n; void f();", 12),
        ("int y; private: char c;", 8),
        ("int y; private: char c : 3;", 8),
    ] {
        let structs = format!("struct A {{ {base} }}; struct S : A {{ char d; }};");
        assert_eq!(layout(&structs), Some((size, 4)), "{structs}");
    }
    let structs = "template <class T> struct A { A<T>(T); int y; char c; }; struct S : A<int> { char d; };";
    assert_eq!(layout(structs), Some((8, 4)));
    let structs = "struct A { double d; int x = 1; }; struct S : A { int y; };";
    assert_eq!(layout(structs), Some((16, 8)));
}

#[test]
fn a_table_of_virtual_functions_is_shared_with_the_base_class() {
    // Sizes and alignments are nvcc 13.0's.
    for (structs, size) in [
        ("struct A { virtual void f(); int x; }; struct S : A { virtual void g(); int y; };", 16),
        ("struct A { virtual void f(); int x; }; struct B : A {}; struct S : B { virtual void g(); };", 16),
        ("struct A { int x; }; struct S : A { virtual void g(); int y; };", 16),
        ("struct E {}; struct A { virtual void f(); int x; }; struct S : E, A { virtual void g(); };", 16),
        (
            "struct A { virtual void f(); int x; }; struct B : A {}; struct S : A, B { virtual void g(); };",
            32,
        ),
    ] {
        assert_eq!(layout(structs), Some((size, 8)), "{structs}");
    }
    let structs = "struct B { int z; }; struct A { virtual void f(); }; struct S : B, A { int y; };";
    assert_eq!(layout(structs), None);
    let notes = notes(&format!("{structs} __global__ void k(S s) {{}}"));
    assert!(notes.contains("its first base class has no virtual functions, and another one has"), "{notes}");
}

#[test]
fn an_enumeration_is_as_wide_as_its_values() {
    // Sizes are nvcc 13.0's.
    for (enumeration, size) in [
        ("enum S { A = 0x7fffffff, B };", 4),
        ("enum S { A = 0xFFFFFFFFu, B };", 8),
        ("enum S { A = 0x7fffffff, B, C = -1 };", 8),
        ("enum S { A = -1, B = 0xFFFFFFFF };", 8),
        ("enum S { A = 0x7fffffffffffffff, B };", 8),
        ("enum S { A = true, B };", 4),
        ("enum __attribute__((packed)) S { A = 255 };", 1),
        ("enum __attribute__((packed)) S { A = 255, B };", 2),
        ("enum __attribute__((packed)) S { A = -1, B = 128 };", 2),
        ("enum [[gnu::packed]] S { A = -1, B = 127 };", 1),
        ("enum S { A, B } __attribute__((packed));", 1),
        ("enum class __attribute__((packed)) S { A };", 4),
        ("enum S : long { A = UNKNOWN };", 8),
    ] {
        assert_eq!(layout(enumeration), Some((size, size)), "{enumeration}");
    }
    for (enumeration, reason) in [
        ("enum S { A = UNKNOWN << 40 };", "the enumerator `A` cannot be evaluated: `UNKNOWN` is not defined"),
        (
            "enum S { A, B = sizeof(Hidden), C };",
            "the enumerator `B` cannot be evaluated: the size of `Hidden`",
        ),
        ("enum S { A = 0xFFFFFFFFFFFFFFFF, B };", "the enumerator `B` cannot be evaluated"),
        ("enum S { A = -1, B = 0xFFFFFFFFFFFFFFFF };", "no integer holds all its values"),
        ("enum __attribute__((aligned(8))) S { A };", "it is aligned to 8"),
    ] {
        for structs in
            [enumeration.to_owned(), format!("namespace n {{ {enumeration} }} struct S {{ n::S s; }};")]
        {
            let text = format!("{structs} __global__ void k(S s, S* p) {{}}");
            assert_eq!(common::layouts(&only(&text)), [None, Some((8, 8))], "{structs}");
            assert!(notes(&text).contains(reason), "{}", notes(&text));
        }
    }
}

#[test]
fn an_alias_may_align_what_it_names() {
    // Sizes and alignments are nvcc 13.0's.
    for (structs, size, alignment) in [
        ("typedef struct { char c; int x; } S __attribute__((aligned(32)));", 8, 32),
        ("typedef struct { char c; int x; } __attribute__((aligned(32))) S;", 32, 32),
        (
            "struct A { char c; int x; }; using B = A __attribute__((aligned(16))); struct S { char c; B b; };",
            32,
            16,
        ),
        ("typedef int T __attribute__((aligned(4))); struct S { char c; T t; };", 8, 4),
    ] {
        assert_eq!(layout(structs), Some((size, alignment)), "{structs}");
    }
    for (structs, reason) in [
        ("typedef int T __attribute__((aligned(16)));", "its alias aligns `int` to 16"),
        ("typedef __attribute__((aligned(2))) int T;", "its alias aligns `int` to 2"),
        ("using T = int __attribute__((aligned(16)));", "its alias aligns `int` to 16"),
        (
            "template <int N> using A = int __attribute__((aligned(N))); using T = A<16>;",
            "its alias aligns `int` to 16",
        ),
        ("typedef float T __attribute__((vector_size(16)));", "the attribute `vector_size` is not laid out"),
        ("typedef int T __attribute__((mode(DI)));", "the attribute `mode` is not laid out"),
    ] {
        let text = format!("{structs} struct S {{ char c; T t; }}; __global__ void k(S s, T* p) {{}}");
        assert_eq!(common::layouts(&only(&text)), [None, Some((8, 8))], "{structs}");
        assert!(notes(&text).contains(reason), "{}", notes(&text));
    }
}

/// The structs of `scripts/layouts.py`: a line `// name size alignment` and the offsets of members, and the struct.
const STRUCTS: &str = include_str!("data/structs.cu");

#[test]
fn random_structs_lie_as_nvcc_lays_them() {
    let module = module(STRUCTS);
    assert_eq!(module.notes, []);
    let lines = STRUCTS.lines().filter_map(|line| line.strip_prefix("// T"));
    let (mut compared, mut refused) = (0, 0);
    for (line, kernel) in lines.zip(&module.kernels) {
        let mut words = line.split(' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap();
        assert_eq!(kernel.name, format!("k_T{}", number()));
        let (size, alignment) = (number(), number());
        let TypeKind::Record(record) = &kernel.parameters[0].ty.as_ref().unwrap().kind else {
            panic!("{kernel} takes a struct")
        };
        let Some(layout) = record.layout else {
            let reason = record.unreadable.as_deref().unwrap();
            let known =
                ["compilers differ", "stands in it twice", "its first base class has no virtual functions"];
            assert!(known.iter().any(|known| reason.contains(known)), "T{line}: {reason}");
            refused += 1;
            continue;
        };
        assert_eq!((layout.size, layout.alignment), (size, alignment), "T{line}");
        let offset = |name: &str| {
            let field = record.fields.iter().find(|field| field.name.as_deref() == Some(name));
            field.and_then(|field| field.offset)
        };
        while let Some(name) = words.next() {
            assert_eq!(offset(name), words.next().unwrap().parse().ok(), "T{line}: {name}");
        }
        compared += 1;
    }
    assert_eq!(compared + refused, module.kernels.len());
    assert!(refused < compared / 4, "{refused} of {compared} are not laid out");
}
