//! What `compare` finds, and what it leaves alone.

mod common;

use common::module;
use warpcall_signature::{
    Bound, Class, DifferenceKind, Kernel, Parameter, Scalar, Type, compare, cubin, ptx,
};

/// The differences of two parameter lists, as text.
fn differences(left: &str, right: &str) -> Vec<String> {
    let text = format!(
        "struct S {{ int a; float b; }}; struct R {{ int a; int b; }}; enum Mode {{ on }}; enum SlowMode {{ off }};\n\
         struct One {{ int i; }}; union Either {{ int i; }};\n__global__ void l({left}) {{}} __global__ void r({right}) {{}}"
    );
    let module = module(&text);
    compare(&module.kernels[0], &module.kernels[1]).iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_meaning_in_other_words_is_no_difference() {
    for (left, right) in [
        ("unsigned n", "std::uint32_t n"),
        ("const float* __restrict__ p", "float const* const p"),
        ("const int n", "int n"),
        ("int x[4]", "int* x"),
        ("size_t n", "unsigned long long n"),
        ("char* p", "signed char* p"),
        ("char* p", "uint8_t* p"),
        ("dim3 d", "uint3 d"),
        ("S s", "const __grid_constant__ S s"),
        ("Hidden* p", "Other* p"),
        ("int& r", "int* r"),
        ("float", "float x"),
        ("void (*f)(const int, float* const)", "void (*f)(int, float*)"),
    ] {
        assert_eq!(differences(left, right), [""; 0], "{left} | {right}");
    }
}

#[test]
fn each_difference_is_typed_and_placed() {
    for (left, right, expected) in [
        ("int a, int b", "int a", vec!["2 parameters against 1"]),
        ("int a", "unsigned a", vec!["parameter 0 (`a`): `int` against `unsigned int`"]),
        ("float a", "int a", vec!["parameter 0 (`a`): `float` against `int`"]),
        (
            "int n",
            "size_t n",
            vec!["parameter 0 (`n`): 4 bytes against 8", "parameter 0 (`n`): aligned to 4 against 8"],
        ),
        ("float* p", "double* p", vec!["parameter 0 (`p`): points at `float` against `double`"]),
        (
            "float* p",
            "const float* p",
            vec!["parameter 0 (`p`): `float*` against `const float*`, of another constness"],
        ),
        (
            "float const** p",
            "float* const* p",
            vec!["parameter 0 (`p`): `const float**` against `float* const*`, of another constness"],
        ),
        ("int x, int y", "int x, int z", vec!["parameter 1 (`y`): named `y` against `z`"]),
        (
            "float* x, int n, float* y",
            "float* y, int n, float* x",
            vec![
                "parameter 0 (`x`): stands at 2 on the other side",
                "parameter 2 (`y`): stands at 0 on the other side",
            ],
        ),
        (
            "float4 v",
            "S v",
            vec!["parameter 0 (`v`): 16 bytes against 8", "parameter 0 (`v`): aligned to 16 against 4"],
        ),
        ("S s", "R s", vec!["parameter 0 (`s`): `S` against `R`"]),
        ("unsigned long long p", "void* p", vec!["parameter 0 (`p`): `unsigned long long` against `void*`"]),
        ("int (*p)[3]", "int (*p)[4]", vec!["parameter 0 (`p`): points at `int[3]` against `int[4]`"]),
        (
            "void (*f)(int)",
            "void (*f)(int, ...)",
            vec!["parameter 0 (`f`): points at `void (int)` against `void (int, ...)`"],
        ),
        ("Mode m", "SlowMode m", vec!["parameter 0 (`m`): `Mode` against `SlowMode`"]),
        ("One s", "Either s", vec!["parameter 0 (`s`): `One` against `Either`"]),
        ("__half h", "__nv_bfloat16 h", vec!["parameter 0 (`h`): `__half` against `__nv_bfloat16`"]),
    ] {
        assert_eq!(differences(left, right), expected, "{left} | {right}");
    }
}

#[test]
fn an_image_is_compared_as_far_as_it_knows() {
    let image = ptx::read(
        b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .f32 k_param_2) { }",
    )
    .unwrap();
    let against = |list: &str| {
        let module = module(&format!("extern \"C\" __global__ void k({list}) {{}}"));
        let found = compare(&module.kernels[0], &image.kernels[0]);
        found.into_iter().map(|d| (d.parameter, d.kind)).collect::<Vec<_>>()
    };
    assert_eq!(against("float* x, int n, float f"), []);
    assert_eq!(against("unsigned long x, unsigned n, float f"), []);
    assert_eq!(
        against("float* x, float n, float f"),
        [(Some(1), DifferenceKind::Class(Class::Float, Class::Integer))]
    );
    assert_eq!(
        against("float* x, int n, struct One { float value; } f"),
        [(Some(2), DifferenceKind::Class(Class::Bytes, Class::Float))]
    );
    assert_eq!(against("float* x, int n, double f")[0], (Some(2), DifferenceKind::Size(8, 4)));
    assert_eq!(against("float* x, int n"), [(None, DifferenceKind::Count(2, 3))]);
}

#[test]
fn a_signature_made_by_hand_is_compared_too() {
    let mut declared = Kernel::named("k");
    declared.parameters.push(Parameter::of_type(Type::from(Scalar::F32).constant().pointer()));
    declared.parameters.push(Parameter::of_type(Scalar::I32.into()));
    let module = module("__global__ void k(const float* x, int n) {}");
    assert_eq!(compare(&declared, &module.kernels[0]), []);
    declared.parameters[0] = Parameter::of_type(Type::from(Scalar::F32).pointer());
    let found = compare(&declared, &module.kernels[0]);
    assert!(matches!(&found[..], [one] if matches!(one.kind, DifferenceKind::Constness(..))), "{found:?}");
}

#[test]
fn a_pack_stops_the_comparison() {
    let module = module(
        "template <class... T> __global__ void k(int n, T... rest) {} __global__ void f(int n, float x, int y) {}",
    );
    assert_eq!(compare(&module.kernels[0], &module.kernels[1]), []);
    assert_eq!(compare(&module.kernels[1], &module.kernels[0]), []);
}

#[test]
fn an_offset_tells_another_alignment() {
    let image = cubin::read(include_bytes!("data/images_sm_90.cubin")).unwrap();
    let against = |second: &str| {
        let source = module(&format!(
            "struct Bytes {{ char x[8]; }}; struct Floats {{ float x[2]; }};\nextern \"C\" __global__ void mixed(char c, {second}, double4 w, const __half* h, short s) {{}}"
        ));
        let found = compare(&source.kernels[0], image.kernel("mixed").unwrap());
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(against("double d"), [""; 0]);
    assert_eq!(against("Bytes d"), ["parameter 1 (`d`): at offset 1 against 8"]);
    assert_eq!(against("Floats d"), ["parameter 1 (`d`): at offset 4 against 8"]);
}

#[test]
fn launch_bounds_are_compared_where_both_sides_tell_them() {
    let differ = |left: &str, right: &str| {
        let text = format!("__global__ void {left} l(int n) {{}} __global__ void {right} r(int n) {{}}");
        let module = module(&text);
        let found = compare(&module.kernels[0], &module.kernels[1]);
        assert!(found.iter().all(|d| d.parameter.is_none()), "{found:?}");
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for same in ["__launch_bounds__(256, 2)", "__cluster_dims__(2, 1, 1)", "__maxnreg__(64)"] {
        assert_eq!(differ(same, same), [""; 0]);
        assert_eq!(differ(same, ""), [""; 0]);
        assert_eq!(differ("", same), [""; 0]);
    }
    assert_eq!(differ("__launch_bounds__(UNSEEN)", "__launch_bounds__(128)"), [""; 0]);
    for (left, right, expected) in [
        ("__launch_bounds__(256)", "__launch_bounds__(128)", "most threads a block: 256 against 128"),
        (
            "__launch_bounds__(256, 2)",
            "__launch_bounds__(256, 4)",
            "fewest blocks a multiprocessor: 2 against 4",
        ),
        (
            "__launch_bounds__(256, 2, 8)",
            "__launch_bounds__(256, 2, 4)",
            "most blocks a cluster: 8 against 4",
        ),
        ("__cluster_dims__(2)", "__cluster_dims__(2, 2)", "the cluster it has: 2 × 1 × 1 against 2 × 2 × 1"),
        (
            "__block_size__((64, 2))",
            "__block_size__((128))",
            "the block it must have: 64 × 2 × 1 against 128 × 1 × 1",
        ),
        ("__maxnreg__(64)", "__maxnreg__(128)", "most registers a thread: 64 against 128"),
    ] {
        assert_eq!(differ(left, right), [expected]);
    }
}

#[test]
fn launch_bounds_of_an_image_are_compared_with_those_of_the_source() {
    let source = module(
        "extern \"C\" __global__ void __launch_bounds__(256, 2, 4) __cluster_dims__(4) k() {} extern \"C\" __global__ void __maxnreg__(32) r() {}",
    );
    let image = ptx::read(
        b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() .maxntid 64, 4, 1 .minnctapersm 2 .maxclusterrank 8 .reqnctapercluster 2, 2, 1 { } .visible .entry r() .maxnreg 40 { }",
    )
    .unwrap();
    let bounds = |index: usize| {
        let found = compare(&source.kernels[index], &image.kernels[index]);
        found.into_iter().map(|d| d.kind).collect::<Vec<_>>()
    };
    assert_eq!(
        bounds(0),
        [
            DifferenceKind::Bound(Bound::MaxBlocksPerCluster, vec![4], vec![8]),
            DifferenceKind::Bound(Bound::ClusterDimensions, vec![4, 1, 1], vec![2, 2, 1]),
        ]
    );
    assert_eq!(bounds(1), [DifferenceKind::Bound(Bound::MaxRegisters, vec![32], vec![40])]);
}

#[test]
fn structs_of_one_name_are_compared_member_by_member() {
    let own = "struct Size { int rows; int cols; }; struct Two { Size a[2]; int z; };";
    let text = |structs: &str| format!("{structs} __global__ void k(Size s, const Two* t) {{}}");
    let of = |other: &str| {
        let (left, right) = (module(&text(own)), module(&text(other)));
        compare(&left.kernels[0], &right.kernels[0]).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(of(own), [""; 0]);
    assert_eq!(
        of("struct Size { int cols; int rows; }; struct Two { Size a[2]; int z; };"),
        [
            "parameter 0 (`s`): `Size` against `Size`, whose member 1 is `int rows` against `int cols`",
            "parameter 1 (`t`): points at `const Two` against `const Two`, in `Size a[2]`, whose member 1 is `int rows` against `int cols`",
        ]
    );
    assert_eq!(
        of("struct alignas(16) Size { int rows; int cols; }; struct Two { Size a[2]; int z; };")[0],
        "parameter 0 (`s`): 8 bytes against 16"
    );
    assert_eq!(
        of("struct Size { int rows; int cols; float scale; }; struct Two { Size a[2]; };"),
        [
            "parameter 0 (`s`): `Size` against `Size`, of which the second alone has member 3, `float scale`",
            "parameter 1 (`t`): points at `const Two` against `const Two`, in `Size a[2]`, of which the second alone has member 3, `float scale`",
        ]
    );
    assert_eq!(
        of("struct Size { int rows; int cols : 32; }; struct Two { int a[4]; int z; };"),
        [
            "parameter 0 (`s`): `Size` against `Size`, whose member 2 is `int cols` against `int cols : 32`",
            "parameter 1 (`t`): points at `const Two` against `const Two`, whose member 1 is `Size a[2]` against `int a[4]`",
        ]
    );
}

#[test]
fn a_name_that_is_hidden_may_bring_its_own_qualifiers() {
    assert_eq!(differences("Hidden* p", "const float* p"), [""; 0]);
    assert_eq!(differences("const float* const* p", "Hidden* const* p"), [""; 0]);
    for (left, right) in [
        ("const Hidden* p", "float* p"),
        ("const Hidden* p", "Hidden* p"),
        ("int (*p)[4]", "const int (*p)[4]"),
        ("int (*const* p)[4]", "const int (*const* p)[4]"),
    ] {
        let found = differences(left, right);
        assert!(
            found.len() == 1 && found[0].ends_with("of another constness"),
            "{left} | {right}: {found:?}"
        );
    }
    // In a template, what is written is all there is.
    let text =
        "template <class T> __global__ void l(T* x) {} template <class T> __global__ void r(const T* x) {}";
    let module = module(text);
    assert_eq!(compare(&module.kernels[0], &module.kernels[1]).len(), 1);
}
