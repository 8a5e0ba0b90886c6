//! The shapes of parameters: 28 to 40.

mod common;

use common::{layouts, module, notes, only, signatures};
use warpcall_signature::Scalar::{self, I8, I16, I64, U32, U64};
use warpcall_signature::{Class, TypeKind};

#[test]
fn shape_28_parameters_without_names() {
    let kernel =
        only("struct S { double d; }; __global__ void k(const float*, int, S, unsigned long const) {}");
    assert!(kernel.parameters.iter().all(|p| p.name.is_none()));
    assert_eq!(kernel.to_string(), "k(const float*, int, S, const unsigned long long)");
}

#[test]
fn shape_29_one_type_has_many_spellings() {
    let kernel = only(
        "__global__ void k(unsigned a, unsigned int b, uint c, std::uint32_t d, uint32_t e, int unsigned f, \
         unsigned long long g, std::size_t h, unsigned long i, uint64_t j, long int k, long long l, ::std::int64_t m, \
         short int n, cuda::std::int16_t o, signed char p, std::int8_t q, long unsigned int long r) {}",
    );
    let scalars: Vec<_> = kernel
        .parameters
        .iter()
        .map(|p| match &p.ty.as_ref().unwrap().kind {
            TypeKind::Scalar(s) => *s,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(scalars[..6], [U32; 6]);
    assert_eq!(scalars[6..10], [U64; 4]);
    assert_eq!(scalars[10..], [I64, I64, I64, I16, I16, I8, I8, U64]);
}

#[test]
fn shape_30_three_places_for_a_qualifier() {
    let kernel = only(
        "__global__ void k(float const* __restrict__ const p, const float* const __restrict q, float* volatile r) {}",
    );
    let [p, q, r] = &kernel.parameters[..] else { panic!("three parameters") };
    for pointer in [p, q] {
        assert!(pointer.is_restrict);
        let ty = pointer.ty.as_ref().unwrap();
        assert!(ty.is_const && ty.pointee().unwrap().is_const);
    }
    assert_eq!(p.ty, q.ty);
    assert!(r.ty.as_ref().unwrap().is_volatile && !r.ty.as_ref().unwrap().pointee().unwrap().is_volatile);
    assert_eq!(p.spelling.as_deref(), Some("float const* __restrict__ const"));
}

#[test]
fn shape_31_the_level_that_is_const() {
    let kernel =
        only("__global__ void k(float const** p, void** q, float* const* r, const float* const* s) {}");
    let levels = |i: usize| {
        let outer = kernel.parameters[i].ty.as_ref().unwrap();
        let middle = outer.pointee().unwrap();
        (outer.is_const, middle.is_const, middle.pointee().unwrap().is_const)
    };
    assert_eq!(levels(0), (false, false, true));
    assert_eq!(levels(1), (false, false, false));
    assert_eq!(levels(2), (false, true, false));
    assert_eq!(levels(3), (false, true, true));
}

#[test]
fn shape_32_grid_constants_in_any_order() {
    for parameter in [
        "S const __grid_constant__ p",
        "const __grid_constant__ S p",
        "__grid_constant__ const S p",
        "__grid_constant__ S const p",
        "const S __grid_constant__ p",
        "struct S const __grid_constant__ p",
    ] {
        let kernel = only(&format!("struct S {{ int a; char b; }}; __global__ void k({parameter}) {{}}"));
        let p = &kernel.parameters[0];
        assert!(p.is_grid_constant && p.ty.as_ref().unwrap().is_const, "{parameter}");
        assert_eq!((p.name.as_deref(), p.size, p.alignment), (Some("p"), Some(8), Some(4)), "{parameter}");
    }
}

#[test]
fn shape_33_a_type_inside_a_template() {
    let class = "template <class K, int A> struct C { struct Params { K k[A]; int n; }; };\n";
    let text = format!(
        "{class}template <class K, int A> __global__ void k(typename C<K, A>::Params const p, int n) {{}}"
    );
    let kernel = only(&text);
    assert_eq!(kernel.to_string(), "k(const typename C<K, A>::Params p, int n)".replace("typename ", ""));
    assert_eq!(kernel.parameters[0].size, None);
    assert!(kernel.parameters[0].ty.as_ref().unwrap().is_dependent());
    let concrete = only(&format!("{class}__global__ void k(C<double, 3>::Params const p) {{}}"));
    assert_eq!(layouts(&concrete), [Some((32, 8))]);
}

#[test]
fn shape_34_an_instance_by_value_in_extern_c() {
    let text = "\
template <class T, class U = char> struct Op { T v; U u; };
template <> struct Op<double, char> { char small; };
extern \"C\" __global__ void k(Op<float> a, Op<short, long> b, Op<double> c, const Op<Op<float>>* d) {}
";
    let kernel = only(text);
    assert_eq!(layouts(&kernel), [Some((8, 4)), Some((16, 8)), Some((1, 1)), Some((8, 8))]);
    let TypeKind::Record(record) = &kernel.parameters[0].ty.as_ref().unwrap().kind else {
        panic!("a struct")
    };
    assert_eq!(record.name, "Op<float, char>");
    assert_eq!(record.fields[0].ty, Scalar::F32.into());
}

#[test]
fn shape_35_an_empty_struct_takes_one_byte() {
    let kernel = only(
        "struct Empty {}; struct Tag : Empty { void f() {} }; __global__ void k(Empty e, Tag t, int n) {}",
    );
    assert_eq!(layouts(&kernel), [Some((1, 1)), Some((1, 1)), Some((4, 4))]);
}

#[test]
fn shape_36_aliases_are_followed() {
    let text = "\
#define pix_t int2
using floatX = __nv_bfloat16;
typedef float (*Fn)(float, int);
typedef struct { float x, y, z; } Point;
template <class T> using Ptr = const T*;
namespace n { using floatX = float; __global__ void inner(floatX* x) {} }
__global__ void k(floatX* x, pix_t p, Fn f, Point q, Ptr<floatX> r, n::floatX s) {}
";
    assert_eq!(
        signatures(text),
        [
            "n::inner(float* x)",
            "k(__nv_bfloat16* x, int2 p, float (*)(float, int) f, Point q, const __nv_bfloat16* r, float s)"
        ]
    );
    assert_eq!(
        layouts(&module(text).kernels[1]),
        [Some((8, 8)), Some((8, 8)), Some((8, 8)), Some((12, 4)), Some((8, 8)), Some((4, 4))]
    );
}

#[test]
fn shape_37_small_floats_by_value() {
    let kernel = only(
        "__global__ void k(half a, __half b, nv_bfloat16 c, __nv_bfloat16 d, __nv_fp8_e4m3 e, __nv_fp8_e5m2 f) {}",
    );
    let half = Some((2, 2));
    assert_eq!(layouts(&kernel), [half, half, half, half, Some((1, 1)), Some((1, 1))]);
    assert!(kernel.parameters.iter().all(|p| p.class == Class::Bytes));
    assert_eq!(kernel.parameters[0].ty, kernel.parameters[1].ty);
    assert_ne!(kernel.parameters[0].ty, kernel.parameters[2].ty);
}

#[test]
fn shape_38_vectors_and_tensor_maps() {
    let kernel = only(
        "__global__ void k(float4 a, uint3 b, const __grid_constant__ CUtensorMap m, double4 d, longlong2 l, char3 c, dim3 e) {}",
    );
    assert_eq!(
        layouts(&kernel),
        [
            Some((16, 16)),
            Some((12, 4)),
            Some((128, 64)),
            Some((32, 16)),
            Some((16, 16)),
            Some((3, 1)),
            Some((12, 4))
        ]
    );
    let map = &kernel.parameters[2];
    assert!(map.accepts_alignment(64) && map.accepts_alignment(128) && !map.accepts_alignment(32));
    let inside = only("struct P { CUtensorMap m; int n; }; __global__ void k(P p) {}");
    assert!(inside.parameters[0].accepts_size(192) && inside.parameters[0].accepts_size(256));
    assert!(!inside.parameters[0].accepts_size(136));
}

#[test]
fn shape_39_declared_constness_is_what_is_told() {
    let kernel = only("__global__ void k(float* input, const unsigned long long* table, float* out) {}");
    let is_const = |i: usize| kernel.parameters[i].ty.as_ref().unwrap().pointee().unwrap().is_const;
    assert_eq!((is_const(0), is_const(1), is_const(2)), (false, true, false));
    assert_eq!(kernel.parameters[1].ty.as_ref().unwrap().to_string(), "const unsigned long long*");
}

#[test]
fn shape_40_kernels_inside_strings_are_left_alone() {
    let text = r#"
const char* source = R"(extern "C" __global__ void hidden(float* x) {})";
const char* tagged = R"cuda(__global__ void )" hidden2(int) {} )cuda";
std::string f = fmt("__global__ void {name}_{}({}* x) {{ }}", "\"__global__ void a() {}\"");
auto more = "__global__ void b() {}" /* __global__ void c() {} */; // __global__ void d() {}
__global__ void real(int* x) { const char* s = "} __global__ void e() {"; }
"#;
    assert_eq!(signatures(text), ["real(int* x)"]);
    assert_eq!(notes(text), "");
}

#[test]
fn qualifiers_of_an_array_are_those_of_its_elements() {
    let text = "\
typedef float vec3[3];
typedef int grid[2][4];
template <class T> using Const = const T;
__global__ void k(const vec3 a, vec3 const b, const vec3* c, Const<grid> d, volatile vec3 e, const vec3& f, const vec3* const* g) {}
";
    assert_eq!(
        signatures(text),
        [
            "k(const float* a, const float* b, const float (*)[3] c, const int (*)[4] d, volatile float* e, const float (&)[3] f, const float (* const*)[3] g)"
        ]
    );
}

#[test]
fn types_are_shown_as_cpp_writes_them() {
    let text = "\
__global__ void k(int (*a[2])[3], int (*(*b)(int))(float), int (*c[3])(int), int (*(d[2])), void (*e)(const char*, ...)) {}
";
    assert_eq!(
        signatures(text),
        [
            "k(int (**)[3] a, int (* (*)(int))(float) b, int (**)(int) c, int** d, void (*)(const char*, ...) e)"
        ]
    );
}

#[test]
fn a_typedef_names_what_has_no_name() {
    let text = "\
typedef struct { int n; } *First, Params, Other;
typedef enum { on, off } Mode;
typedef union { int i; float f; } Word;
namespace n { typedef struct { char c; } Inner; struct Outer { typedef struct { short s; } Deep; Deep d; }; }
typedef struct { int n; }* Hidden;
__global__ void k(Params a, Other b, First c, Mode d, Word e, n::Inner f, n::Outer::Deep g, Hidden h) {}
";
    assert_eq!(
        signatures(text),
        [
            "k(Params a, Params b, Params* c, Mode d, Word e, n::Inner f, n::Outer::Deep g, (unnamed at t.cu:5)* h)"
        ]
    );
    // The members are those of the type under its name.
    let text = "typedef struct { enum { Two = 2 }; int a[Two]; } Pair; __global__ void k(Pair p, int x[3][Pair::Two]) {}";
    assert_eq!(signatures(text), ["k(Pair p, int (*)[2] x)"]);
}
