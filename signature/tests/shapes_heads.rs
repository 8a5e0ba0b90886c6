//! The shapes of a kernel's head: 15 to 27.

mod common;

use common::{max_threads, module, notes, only, signatures};
use warpcall_signature::{Constant, Linkage, Template, Unevaluated};

#[test]
fn shape_15_bounds_are_evaluated() {
    let text = "\
#define WARP 32
constexpr int warps(int n) { if (n > 2) { return n + 1; } else return n; }
__global__ void __launch_bounds__(warps(3) * WARP, 1) k(int* x) {}
";
    assert_eq!(max_threads(text), Some(128));
    assert_eq!(only(text).bounds.min_blocks_per_multiprocessor.unwrap().value(), Some(1));
    let enums = "enum { A = 4, B, C = 1 << 5 }; static const unsigned K = B * C;\n__global__ __launch_bounds__(K) void k() {}";
    assert_eq!(max_threads(enums), Some(160));
}

#[test]
fn integers_of_bounds_are_converted_as_cpp_has_it() {
    let definitions = "\
constexpr unsigned U = 3;
constexpr unsigned char narrow(int n) { return n; }
constexpr auto trailing(int n) -> unsigned { return n; }
template <class T> constexpr T same(T n) { return n; }
template <class T> constexpr T all = T(-1);
template <int n> constexpr unsigned char low = n;
template <unsigned n> struct A { static constexpr bool above = n - 5 > 0; };
template <class T, T n> struct B { static constexpr bool above = n - 5 > 0; };
enum Small : unsigned char { S };
enum Plain { P };
enum Large { L = 0x80000000 };
";
    for (expression, value) in [
        ("65536u * 65536u + 64", 64),
        ("0xffffffffffffffff * 0xffffffffffffffff", 1),
        ("(1u << 31) >> 21", 1024),
        ("(1 << 31) < 0 ? 64 : 32", 64),
        ("-2147483648 < 0 ? 64 : 32", 64),
        ("-1 < 1u ? 32 : 64", 64),
        ("(true ? -1 : U) > 0 ? 64 : 32", 64),
        ("(true ? -1 : 0u * 2) > 0 ? 64 : 32", 64),
        ("(true ? -1 : trailing(1)) > 0 ? 64 : 32", 64),
        ("(true ? -1 : same<unsigned>(1)) > 0 ? 64 : 32", 64),
        ("(true ? -1 : same<int>(1)) > 0 ? 64 : 32", 32),
        ("min(-1, 1u)", 1),
        ("max(-1, 1u) == 0xffffffff", 1),
        ("'\\xff' == -1 && u'\\xffff' == 65535 && 'ab' == 24930", 1),
        ("narrow(300)", 44),
        ("trailing(-1) > 0 ? 64 : 32", 64),
        ("all<unsigned char>", 255),
        ("low<300>", 44),
        ("A<3>::above ? 64 : 32", 64),
        ("B<unsigned, 3>::above ? 64 : 32", 64),
        ("B<int, 3>::above ? 64 : 32", 32),
        ("(Small)300", 44),
        ("(true ? -1 : all<unsigned>) > 0 ? 64 : 32", 64),
        ("((Plain)1 - 2 < 0) && ((Large)1 - 2 > 0) ? 64 : 32", 64),
        ("(int(U)) * 2", 6),
        ("(std::alignment_of<int>::value - 5 > 0) ? 64 : 32", 64),
    ] {
        let text = format!("{definitions}__global__ void __launch_bounds__({expression}) k();");
        assert_eq!(max_threads(&text), Some(value), "{expression}: {}", notes(&text));
    }
    for expression in [
        "65536 * 65536",
        "2147483647 + 1",
        "-2147483647 - 2",
        "-(-2147483647 - 1)",
        "(-2147483647 - 1) / -1",
        "(-2147483647 - 1) % -1 + 1",
        "3 << 31",
        "1 << 32",
        "9223372036854775807 + 1",
        "abs(-2147483647 - 1)",
    ] {
        let text = format!("__global__ void __launch_bounds__({expression}) k(char (*a)[{expression}]);");
        assert_eq!(max_threads(&text), None, "{expression}");
        assert!(notes(&text).contains("out of range"), "{expression}: {}", notes(&text));
        assert_eq!(signatures(&text), ["k(char (*)[] a)"], "{expression}");
    }
}

#[test]
fn shape_16_a_conditional_in_bounds() {
    let text = "\
struct T { static constexpr int N = 2048; };
__global__ void __launch_bounds__((T::N <= 1024 ? T::N : 1024)) k(int* x) {}
";
    assert_eq!(max_threads(text), Some(1024));
    let dependent =
        "template <class T> __global__ void __launch_bounds__((T::N <= 1024 ? T::N : 1024)) k(int* x) {}";
    let bounds = only(dependent).bounds.max_threads_per_block.unwrap();
    let Constant::Unknown(unevaluated) = bounds else { panic!("it depends on T") };
    let Unevaluated { text, reason } = &*unevaluated;
    assert_eq!(text, "(T::N <= 1024 ? T::N : 1024)");
    assert!(reason.contains("depends on a template parameter"), "{reason}");
}

#[test]
fn shape_17_a_comma_inside_angle_brackets() {
    let text = "\
template <int A, int B> constexpr int get(int m) { return A * B + m; }
constexpr int M = 6;
__global__ void __launch_bounds__(get<10, 25>(M), 1) k(int* x) {}
";
    assert_eq!(max_threads(text), Some(256));
    assert_eq!(only(text).bounds.min_blocks_per_multiprocessor.unwrap().value(), Some(1));
    let compared = "__global__ void __launch_bounds__(3 < 5 ? 64 : 32, 4 > 3) k(int* x) {}";
    assert_eq!(max_threads(compared), Some(64));
}

#[test]
fn shape_18_the_order_of_the_head() {
    for head in [
        "__launch_bounds__(64) __global__ void k(int* x) {}",
        "__global__ __launch_bounds__(64) void k(int* x) {}",
        "__global__ void __launch_bounds__(64) k(int* x) {}",
        "void __global__ __launch_bounds__(64) k(int* x) {}",
        "__global__ static void __launch_bounds__(64) k(int* x) {}",
        "static __launch_bounds__(64) void __global__ k(int* x) {}",
    ] {
        assert_eq!(only(head).to_string(), "k(int* x)", "{head}");
        assert_eq!(max_threads(head), Some(64), "{head}");
        assert_eq!(only(head).is_static, head.contains("static"), "{head}");
        assert_eq!(only(head).notes, [], "{head}");
    }
}

#[test]
fn shape_19_clusters_and_registers() {
    let text = "\
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128, 2, 4) a(int* x) {}
__global__ __launch_bounds__(128) __cluster_dims__(4) void b(int* x) {}
__maxnreg__(64) __global__ void c(int* x) {}
__global__ void __block_size__((128, 2, 1), (2, 1, 1)) d(int* x) {}
";
    let module = module(text);
    let known = |values: [u64; 3]| Some(values.map(Constant::Known));
    let bounds = |i: usize| &module.kernels[i].bounds;
    assert_eq!(bounds(0).cluster_dimensions, known([2, 1, 1]));
    assert_eq!(bounds(0).max_blocks_per_cluster, Some(Constant::Known(4)));
    assert_eq!(bounds(1).cluster_dimensions, known([4, 1, 1]));
    assert_eq!(bounds(1).max_threads_per_block, Some(Constant::Known(128)));
    assert_eq!(bounds(2).max_registers, Some(Constant::Known(64)));
    assert_eq!(
        (&bounds(3).required_block, &bounds(3).cluster_dimensions),
        (&known([128, 2, 1]), &known([2, 1, 1]))
    );
}

#[test]
fn shape_20_a_return_type_that_selects() {
    let text = "template <int W, class X> __global__ enable_if_t<(W > 0) && is_ok<X>::v> k(X* x, int n) {}";
    let kernel = only(text);
    assert_eq!(kernel.to_string(), "k(X* x, int n)");
    assert!(kernel.is_template());
    let std = "template <int W> __global__ typename std::enable_if<(W > 0), void>::type k(int n) {}";
    assert_eq!(only(std).to_string(), "k(int n)");
}

#[test]
fn shape_21_a_template_parameter_that_selects() {
    let text = "template <class T, enable_if_t<A && !B, int> = 0> __global__ void k(T* x, int n) {}";
    let kernel = only(text);
    assert_eq!(kernel.to_string(), "k(T* x, int n)");
    let Template::Primary { parameters, .. } = kernel.template else { panic!("a template") };
    assert_eq!(parameters.len(), 2);
    assert_eq!((parameters[0].name.as_deref(), parameters[0].is_type), (Some("T"), true));
    assert_eq!((parameters[1].name.as_deref(), parameters[1].is_type), (None, false));
    assert_eq!(parameters[1].default.as_deref(), Some("0"));
}

#[test]
fn shape_22_function_pointers_and_packs_as_template_parameters() {
    let text = "template <void (*F)(int, float), int... Ns, typename... Ts> __global__ void k(float* x) {}";
    let Template::Primary { parameters, .. } = only(text).template else { panic!("a template") };
    let seen: Vec<_> =
        parameters.iter().map(|p| (p.name.as_deref().unwrap(), p.is_type, p.is_pack)).collect();
    assert_eq!(seen, [("F", false, false), ("Ns", false, true), ("Ts", true, true)]);
}

#[test]
fn shape_23_a_parameter_pack_hides_the_arity() {
    let kernel = only("template <class F, class... Args> __global__ void k(F f, Args... args) {}");
    assert!(!kernel.is_complete);
    assert!(kernel.parameters[1].is_pack);
    assert_eq!(kernel.to_string(), "k(F f, Args... args)");
}

#[test]
fn shape_24_specialisations_and_instantiations_are_no_new_kernels() {
    let text = "\
template <class T> __global__ void k(T* x, int n) {}
template <> __global__ void k<double>(double* x, int n) {}
template __global__ void k<float>(float*, int);
template void k<int>(int*, int);
extern template __global__ void k<char>(char*, int);
";
    let kernel = only(text);
    let Template::Primary { instances, .. } = kernel.template else { panic!("a template") };
    let seen: Vec<_> = instances.iter().map(|i| (i.arguments.as_str(), i.is_specialization)).collect();
    assert_eq!(seen, [("double", true), ("float", false), ("int", false), ("char", false)]);
    assert_eq!(instances[1].origin.as_ref().unwrap().position.line, 3);
    assert_eq!(kernel.symbol, None);
}

#[test]
fn shape_25_a_declaration_and_a_definition_are_one_kernel() {
    let text = "\
template <int A, int B> struct Pair { static constexpr int v = A + B; };
/// Adds.
__global__ void k(float* x, int n = Pair<1, 2>::v, int m = f(1, 2), float s = {1});
__global__ void __launch_bounds__(64) k(float* out, int n, int m, float s) { }
";
    let kernel = only(text);
    assert_eq!(kernel.to_string(), "k(float* out, int n, int m, float s)");
    let defaults: Vec<_> = kernel.parameters.iter().map(|p| p.default.as_deref()).collect();
    assert_eq!(defaults, [None, Some("Pair<1, 2>::v"), Some("f(1, 2)"), Some("{1}")]);
    assert_eq!(kernel.doc.as_deref(), Some("Adds."));
    assert!(kernel.is_defined);
    assert_eq!(kernel.origin.unwrap().position.line, 4);
}

#[test]
fn shape_26_extern_c_far_above_and_static_kernels() {
    let text = "\
namespace a { extern \"C\" {
struct S { int x; };
__global__ void one(S s) {}
namespace b { __global__ void two(int* x) {} }
static __global__ void three(int* x) {}
} __global__ void four(int* x) {} }
namespace { __global__ void five(int* x) {} }
extern \"C++\" __global__ void six(int* x) {}
";
    let module = module(text);
    let seen: Vec<_> = module
        .kernels
        .iter()
        .map(|k| (k.qualified_name(), k.linkage, k.symbol.clone(), k.is_static))
        .collect();
    let c = |name: &str, symbol: &str| (name.to_owned(), Linkage::C, Some(symbol.to_owned()), false);
    assert_eq!(
        seen,
        [
            c("a::one", "one"),
            c("a::b::two", "two"),
            // The compiler mangles what is local to its file, C linkage or not.
            ("a::three".into(), Linkage::C, None, true),
            ("a::four".into(), Linkage::Cpp, None, false),
            ("(anonymous namespace)::five".into(), Linkage::Cpp, None, true),
            ("six".into(), Linkage::Cpp, None, false),
        ]
    );
}

#[test]
fn what_is_no_head_is_said_and_passed_over() {
    let unclosed = "__global__ void a(int x) {}\n__global__ void k(int n\nvoid broken() {}\n";
    assert_eq!(signatures(unclosed), ["a(int x)"]);
    assert!(notes(unclosed).starts_with("t.cu:2: the kernel's head cannot be read: `(` is not closed"));
    let wrong = "__global__ void k(int int float x, float) {}\n__global__ int r(int x) {}\n__global__ void v(int n, ...) {}";
    assert!(
        notes(wrong)
            .contains("t.cu:1: the parameter `int int float x` cannot be read: two types stand in it")
    );
    assert!(
        notes(wrong).contains(
            "t.cu:2: the kernel's head cannot be read: it returns `int`, but a kernel returns `void`"
        )
    );
    assert!(
        notes(wrong)
            .contains("t.cu:3: the kernel's head cannot be read: a kernel takes no variable arguments")
    );
    let redeclared = "extern \"C\" __global__ void k(int n);\nextern \"C\" __global__ void k(float n) {}";
    assert!(notes(redeclared).contains("t.cu:2: `k` is declared again with other parameters than at t.cu:1"));
    assert_eq!(
        signatures("PYBIND11_MODULE(m, n) { f(); }\nMACRO(x)\ntemplate <class T> __global__ void k(T t) {}"),
        ["k(T t)"]
    );
}

#[test]
fn shape_27_comments_in_the_head() {
    let text =
        "__global__ void /* the name: */ k(int* x /* in, out */, // first\n int n) // then\n /* body */ {}";
    assert_eq!(signatures(text), ["k(int* x, int n)"]);
    assert_eq!(notes(text), "");
}

#[test]
fn attributes_in_every_spelling_stand_in_the_head() {
    for attributes in [
        "__attribute__((global))",
        "__attribute((global))",
        "__attribute((__global__))",
        "__global__ __attribute((cold))",
        "__global__ alignas(16)",
        "__global__ _Alignas(16)",
        "__global__ __builtin_align__(16)",
        "__global__ __declspec(noinline)",
    ] {
        let text = format!("{attributes} void k(int n);");
        assert_eq!(signatures(&text), ["k(int n)"], "{text}");
        let global = if attributes.contains("__global__") { "" } else { "__global__" };
        let text = format!("#if 0\n{global} {attributes} void k(int n);\n#endif\n");
        let hidden: Vec<_> = module(&text).hidden.into_iter().map(|kernel| kernel.name).collect();
        assert_eq!(hidden, ["k"], "{text}");
    }
    let text = "__global__ __attribute((launch_bounds(64))) void k(int n);";
    assert_eq!(max_threads(text), Some(64));
}
