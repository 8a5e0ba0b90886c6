//! What the members of a struct are, where parentheses or words from elsewhere stand among them.

mod common;

use common::{layouts, notes, only};

/// The layout of the struct `S` that a text defines.
fn layout(structs: &str) -> Option<(u64, u64)> {
    layouts(&only(&format!("{structs}\n__global__ void k(S s) {{}}")))[0]
}

#[test]
fn parentheses_in_a_length_make_no_function() {
    for (structs, size) in [
        ("#define TILE (16)\nstruct S { int n; float weights[TILE]; };", 68),
        ("#define N 4\nstruct S { float a[(N+1)*2]; int b; };", 44),
        ("constexpr int N = 4; struct S { float a[2][(N+1)*2]; int b; };", 84),
        ("constexpr int f(int x) { return x; } struct S { float a[f(3)]; int b; };", 16),
        ("struct S { float a[sizeof(int)]; int b; };", 20),
        ("struct S { int b; char a[(3)*2], c[2]; };", 12),
        ("struct S { unsigned char a[((3)+15)/16*16]; int c; };", 20),
        ("struct S { int n; float* p[(2)]; };", 24),
        ("struct S { int a : (3); int b[(2)]; };", 12),
        ("template <int N> struct T { float a[(N+1)*2]; int b; }; using S = T<3>;", 36),
    ] {
        assert_eq!(layout(structs).map(|l| l.0), Some(size), "{structs}");
    }
}

#[test]
fn a_declarator_in_parentheses_is_data() {
    for (member, size) in [
        ("int (x);", 8),
        ("int (x)[3];", 16),
        ("int (x[3]), z;", 20),
        ("T (x);", 8),
        ("n::U (x);", 8),
        ("void (*f)(int);", 16),
        ("float (*p)[4];", 16),
        ("void* (*f)(void*);", 16),
        ("int S::* m;", 16),
        ("typedef int F(int); F* f;", 16),
    ] {
        let structs =
            format!("typedef int T; namespace n {{ using U = int; }} struct S {{ {member} int y; }};");
        assert_eq!(layout(&structs).map(|l| l.0), Some(size), "{member}");
    }
}

#[test]
fn every_spelling_of_an_attribute_is_read() {
    for attribute in [
        "alignas(16)",
        "__align__(16)",
        "__builtin_align__(16)",
        "__attribute__((aligned(16)))",
        "__attribute((aligned(16)))",
        "__attribute__((__aligned__(16)))",
        "__declspec(align(16))",
        "[[gnu::aligned(16)]]",
        "[[using gnu: aligned(16)]]",
    ] {
        for structs in [
            format!("struct S {{ {attribute} float x[3]; int y; }};"),
            format!("struct {attribute} S {{ float x[3]; int y; }};"),
            format!("template <class T> struct {attribute} U {{ T x[3]; int y; }}; using S = U<float>;"),
        ] {
            assert_eq!(layout(&structs), Some((16, 16)), "{structs}");
        }
    }
    for attribute in ["__attribute__((aligned(16)))", "__attribute((aligned(16)))", "[[gnu::aligned(16)]]"] {
        for member in [format!("float x {attribute};"), format!("float x[3] {attribute};")] {
            assert_eq!(layout(&format!("struct S {{ {member} }};")), Some((16, 16)), "{member}");
        }
    }
    for attribute in ["__attribute__((packed))", "__attribute((__packed__))", "[[gnu::packed]]"] {
        for structs in [
            format!("struct {attribute} S {{ char a; int b; }};"),
            format!("struct S {{ char a; {attribute} int b; }};"),
        ] {
            assert_eq!(layout(&structs), Some((5, 1)), "{structs}");
        }
    }
}

#[test]
fn member_functions_take_no_room() {
    for functions in [
        "S() : n((1)) {} S(const S&) = default; ~S() {} explicit S(int x); __host__ __device__ explicit(true) S(T, T);",
        "int f() const; float g(int, float) volatile; T h(T) noexcept; void i(T) &&; auto j(T) -> T; T k(T t) throw();",
        "virtual T f(UNSEEN) = 0; inline UNSEEN(T) g(T) { return 1; } void h(Hidden, Hidden); Hidden f(Hidden h = {});",
        "HD T f(T) const; HD T f(Hidden) noexcept { return 1; } HD T f(T) = delete; HD auto f(T); HD auto g(T) { }",
        "HD float f(int x); float HD g(const T* p) { return *p; } T HD h(); __attribute__((noinline)) T f(T (*)(int));",
        "T operator()(int) const { return n[(0)]; } operator T() const; S& operator=(const S&); bool operator<(T) const;",
        "template <class U> U f(U u) { return u; } friend void f(S); static T g(T); static int x[(3)];",
        "constexpr int f(int x) const { return x; } std::array<T, 3> g(std::array<T, (3)> a); S s(S a, const S& b);",
        "T f(T t) try { } catch (...) { } int g(unsigned) __attribute__((cold)); T h(T) [[gnu::cold]];",
        "template <class U> HD U f(U) requires (sizeof(U) > 1); int (*f(int))(float); Hidden g(decltype(n));",
    ] {
        let text = format!(
            "using T = int; struct S {{ int n[2]; {functions} double d; }}; __global__ void k(S* s) {{}}"
        );
        let kernel = only(&text);
        let to = kernel.parameters[0].ty.as_ref().unwrap().pointee().unwrap();
        let virtual_table = if functions.contains("virtual") { 8 } else { 0 };
        assert_eq!(to.layout().map(|l| l.size), Some(16 + virtual_table), "{functions} {}", notes(&text));
    }
}

#[test]
fn a_member_with_a_word_that_nothing_defines_has_no_layout() {
    for member in [
        "ALIGNED(16) float x",
        "HD ALIGNED(16) float x",
        "const ALIGNED(16) float x",
        "float x ALIGNED(16)",
        "float x ALIGNED(16) = 1",
        "float x[2] ALIGNED(16)",
        "float x ALIGNED(N)",
        "float x ALIGNED(sizeof(float))",
        "float x ALIGNED(float)",
        "float x ALIGNED(float){1}",
        "float ALIGNED(16) x",
        "float ALIGNED(float) x",
        "void* ALIGNED(16) x",
        "void ALIGNED(16) *x",
        "float ALIGNED(-1)",
        "float x ALIGNED((16))",
        "float x ALIGNED(2 * 8)",
        "T x ALIGNED(VALUE)",
        "float x ALIGNED(Hidden * 2)",
        "ALIGNED(float, x)",
        "ALIGNED(3)",
        "ALIGNED()",
        "float f(int), ALIGNED(16) x",
    ] {
        let text = format!(
            "constexpr int VALUE = 8; using T = int; struct S {{ int a; {member}; int b; }}; \
             __global__ void k(S s, S* p) {{}}"
        );
        assert_eq!(layouts(&only(&text)), [None, Some((8, 8))], "{member}");
        let notes = notes(&text);
        assert!(notes.contains(&format!("the member `{member}` cannot be read: `")), "{notes}");
    }
    let text = "struct S { int y; MEMBER(float, x) }; __global__ void k(S s) {}";
    assert!(
        notes(text).contains("`MEMBER(float, x)` cannot be read: `MEMBER` is not defined"),
        "{}",
        notes(text)
    );
}

#[test]
fn a_struct_with_such_a_word_behind_it_has_no_layout() {
    for structs in [
        "struct S { int y; } ALIGNED(16);",
        "struct S { int y; } ALIGNED(16) variable;",
        "struct S { int y; } ALIGNED PACKED;",
        "struct S { int y; } PACKED;",
        "struct S { int y; } __packed;",
        "typedef struct { int y; } ALIGNED(16) S;",
        "typedef struct { int y; } PACKED S;",
        "struct S { struct { int y; } ALIGNED(16) z; };",
        "struct S { struct I { int y; } PACKED z; };",
    ] {
        let text = format!("{structs} __global__ void k(S s, S* p) {{}}");
        assert_eq!(layouts(&only(&text)), [None, Some((8, 8))], "{structs}");
        assert!(notes(&text).contains("is not defined in the files read"), "{}", notes(&text));
    }
    for structs in [
        "struct S { int y; } variable;",
        "struct S { int y; } a, b;",
        "struct S { int y; } v = {1};",
        "struct S { int y; } table[(2)];",
        "struct S { int y; } const v = {1};",
        "struct S { int y; } *LIST;",
        "__constant__ struct S { int y; } PARAMS;",
        "static struct S { int y; } TABLE[3], OTHER;",
        "typedef struct { int y; } S, *SP;",
        "typedef struct V { int y; } V, S;",
        "struct S { struct { int y; } XY; };",
    ] {
        assert_eq!(layout(structs), Some((4, 4)), "{structs}");
    }
}
