//! Kernels by their C++ names: instances of templates, overloads, specialisations, and kernels that are none.

use warpcall_signature::{Kernel, NameExpression, Named, kernel_of_symbol, source::SourceReader};

fn name(text: &str) -> NameExpression {
    NameExpression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn named(text: &str, expression: &str) -> Named {
    let expression = name(expression);
    let module = SourceReader::new().name(expression.clone()).read_text("k.cu", text).expect("it reads");
    module.named(&expression).expect("it was asked for").clone()
}

/// The only kernel of a name, as text.
fn kernel(text: &str, expression: &str) -> Kernel {
    let named = named(text, expression);
    let [kernel] = &named.kernels[..] else { panic!("{expression}: {named:#?}") };
    kernel.clone()
}

/// The name in full and the parameters.
fn shown(text: &str, expression: &str) -> String {
    let kernel = kernel(text, expression);
    let signature = kernel.to_string();
    let list = signature.find('(').expect("a list of parameters");
    kernel.expression() + &signature[list..]
}

fn refusal(text: &str, expression: &str) -> String {
    let named = named(text, expression);
    assert!(named.kernels.is_empty(), "{expression}: {named:#?}");
    named.refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const SCALE: &str = "template <typename T, int V = 4>
__global__ void scale(T* output, const T* __restrict__ input, T factor, unsigned int n) {}
";

#[test]
fn arguments_stand_in_the_place_of_the_parameters() {
    let all = [
        ("scale<float>", "scale<float, 4>(float* output, const float* input, float factor, unsigned int n)"),
        (
            "scale<float,2>",
            "scale<float, 2>(float* output, const float* input, float factor, unsigned int n)",
        ),
        (
            "::scale<__half>",
            "scale<__half, 4>(__half* output, const __half* input, __half factor, unsigned int n)",
        ),
        (
            "scale< half , 1 + 1 >",
            "scale<half, 2>(__half* output, const __half* input, __half factor, unsigned int n)",
        ),
        (
            "scale<__nv_bfloat16>",
            "scale<__nv_bfloat16, 4>(__nv_bfloat16* output, const __nv_bfloat16* input, __nv_bfloat16 factor, unsigned int n)",
        ),
        (
            "scale<float4>",
            "scale<float4, 4>(float4* output, const float4* input, float4 factor, unsigned int n)",
        ),
        (
            "scale<const int*>",
            "scale<const int*, 4>(const int** output, const int* const* input, const int* factor, unsigned int n)",
        ),
    ];
    for (expression, expected) in all {
        assert_eq!(shown(SCALE, expression), expected, "{expression}");
    }
    assert_eq!(kernel(SCALE, "scale<float4>").parameters[2].size, Some(16));
    assert!(kernel(SCALE, "scale<float>").parameters[1].is_restrict);
}

#[test]
fn structs_enumerators_constants_and_macros_are_arguments() {
    let text = "
#define WIDTH 8
struct Pair { int a; double b; };
enum class Mode : unsigned char { Slow, Fast };
constexpr int FOUR = 4;
namespace ns { struct Inner { char c[3]; }; using Word = unsigned; }
template <typename T, Mode M, int N, bool B> struct Parameters { T values[N]; };
template <typename T, Mode M, int N, bool B>
__global__ void k(Parameters<T, M, N, B> p, T* x, T (*rows)[N]) {}
";
    let fast = kernel(text, "k<Pair, Mode::Fast, FOUR, true>");
    assert_eq!(fast.expression(), "k<Pair, 1, 4, 1>");
    assert_eq!(fast.parameters[0].size, Some(64));
    assert_eq!(fast.parameters[2].to_string(), "Pair (*)[4] rows");
    assert_eq!(kernel(text, "k<ns::Inner, (Mode)0, WIDTH, !true>").parameters[0].size, Some(24));
    assert_eq!(kernel(text, "k<ns::Word, Mode::Slow, sizeof(Pair), false>").parameters[0].size, Some(64));
}

#[test]
fn a_type_that_depends_is_followed() {
    let text = "
template <typename T> struct Accumulator { using type = float; };
template <> struct Accumulator<double> { using type = double; };
template <typename T> using Row = const T*;
template <typename T> __global__ void sum(typename Accumulator<T>::type* total, Row<T> row, T tile[16], int n) {}
";
    assert_eq!(
        shown(text, "sum<__half>"),
        "sum<__half>(float* total, const __half* row, __half* tile, int n)"
    );
    assert_eq!(
        shown(text, "sum<double>"),
        "sum<double>(double* total, const double* row, double* tile, int n)"
    );
    // What stands in a header that is not read is named, and not guessed.
    let unseen = "template <typename T> __global__ void sum(typename Traits<T>::type total, const T* row) {}";
    let kernel = kernel(unseen, "sum<float>");
    assert_eq!(kernel.parameters[0].ty.as_ref().map(ToString::to_string).as_deref(), Some("Traits<T>::type"));
    assert_eq!(kernel.parameters[0].size, None);
    assert_eq!(kernel.parameters[1].to_string(), "const float* row");
}

#[test]
fn the_bounds_of_an_instance_are_its_own() {
    let text = "template <int N> __global__ void __launch_bounds__(N * 32) k(int* x) {}";
    let bound = kernel(text, "k<8>").bounds.max_threads_per_block;
    assert_eq!(bound.and_then(|bound| bound.value()), Some(256));
}

#[test]
fn namespaces_are_looked_into_as_cpp_does() {
    let text = "
namespace outer { inline namespace v1 { template <typename T> __global__ void k(T* x) {} } }
namespace outer { namespace detail { __global__ void plain(int n) {} } }
namespace other { __global__ void plain(float f) {} }
using namespace other;
extern \"C\" __global__ void c_linkage(double d) {}
";
    assert_eq!(kernel(text, "outer::k<int>").qualified_name(), "outer::v1::k");
    assert_eq!(kernel(text, "outer::v1::k<int>").qualified_name(), "outer::v1::k");
    assert_eq!(shown(text, "outer::detail::plain"), "outer::detail::plain(int n)");
    assert_eq!(shown(text, "plain"), "other::plain(float f)");
    assert_eq!(shown(text, "c_linkage"), "c_linkage(double d)");
    assert!(named(text, "k<int>").kernels.is_empty());
    assert!(named(text, "detail::plain").kernels.is_empty());
}

#[test]
fn a_specialisation_stands_in_the_place_of_its_instance() {
    let text = "
template <typename T, int V> __global__ void scale(T* output, int n) {}
template <> __global__ void scale<double, 2>(double* out, int count) {}
template <> __global__ void scale<half, FOUR>(__half* h, int count) {}
template <typename T> __global__ void deduced(T* x) {}
template <> __global__ void deduced(float* special) {}
template __global__ void scale<float, 4>(float*, int);
";
    assert_eq!(shown(text, "scale<double, 2>"), "scale<double, 2>(double* out, int count)");
    assert_eq!(shown(text, "scale<double, 4>"), "scale<double, 4>(double* output, int n)");
    assert_eq!(shown(text, "scale<float, 4>"), "scale<float, 4>(float* output, int n)");
    assert_eq!(shown(text, "deduced<float>"), "deduced<float>(float* special)");
    assert_eq!(shown(text, "deduced<int>"), "deduced<int>(int* x)");
}

#[test]
fn an_instance_whose_template_is_elsewhere_is_read_as_it_is_written() {
    let text = "template __global__ void scale<float, 4>(float* x, int n);";
    assert_eq!(shown(text, "scale<float, 4>"), "scale<float, 4>(float* x, int n)");
    assert!(named(text, "scale<float, 2>").kernels.is_empty());
}

#[test]
fn the_defaults_of_a_declaration_ahead_are_those_of_the_definition() {
    let text = "
template <typename T, int V = 4> __global__ void scale(T* x);
template <typename T, int V> __global__ void scale(T* x) {}
";
    let kernel = kernel(text, "scale<float>");
    assert_eq!(kernel.expression(), "scale<float, 4>");
    assert!(kernel.is_defined);
}

#[test]
fn overloads_are_all_given() {
    let text = "
template <typename T> __global__ void k(T* x) {}
template <typename T> __global__ void k(T* x, int n) {}
template <typename T, int N> __global__ void k(T* x, long n) {}
";
    let all: Vec<String> = named(text, "k<float>").kernels.iter().map(ToString::to_string).collect();
    assert_eq!(all, ["k(float* x)", "k(float* x, int n)"]);
    assert_eq!(named(text, "k<float, 2>").kernels.len(), 1);
}

#[test]
fn what_a_name_cannot_mean_is_said() {
    let all = [
        (
            SCALE,
            "scale",
            "k.cu:2: `scale` is not this kernel: it is a template, and the name has no arguments",
        ),
        (SCALE, "scale<>", "the template argument `typename T` is missing"),
        (SCALE, "scale<float, 4, 2>", "there are more template arguments than parameters"),
        (SCALE, "scale<4>", "`4` is no type"),
        ("__global__ void k(int n) {}", "k<int>", "k.cu:1: `k<int>` is not this kernel: it is no template"),
        (
            "template <typename... Ts> __global__ void k(Ts... all) {}",
            "k<int, float>",
            "the template parameter `typename... Ts` is not followed",
        ),
        (
            "template <template <typename> class X> __global__ void k(X<float> x) {}",
            "k<Vec>",
            "is not followed",
        ),
        (
            "template <typename T> __global__ void k<T*>(T x) {}",
            "k<int*>",
            "C++ has no partial specialisations of functions",
        ),
    ];
    for (text, expression, expected) in all {
        let found = refusal(text, expression);
        assert!(found.contains(expected), "{expression}: {found}");
    }
    assert_eq!(refusal(SCALE, "other<float>"), "");
}

#[test]
fn what_is_no_name_is_refused() {
    for (text, reason) in [
        ("", "a name is missing"),
        ("4", "a name is expected in the place of `4`"),
        ("scale<float", "its `<` is not closed"),
        ("scale<float,>", "one of its arguments is empty"),
        ("scale(float*)", "it ends before the parameters"),
        ("scale<float> x", "`x` is not expected"),
        ("a::", "a name is missing"),
        ("k<\n#define X\n>", "it is one line of C++"),
        ("k</* */ int>", "comments"),
    ] {
        let error = NameExpression::parse(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    assert_eq!(
        name(" :: ns :: k < Pair<int,Pair<int,float> > , const  float * >").to_string(),
        "ns::k<Pair<int, Pair<int, float>>, const float*>"
    );
}

/// The names that an image has for a symbol's kernel. The symbols are NVRTC's, version 13.0.
#[test]
fn a_name_means_a_symbol() {
    let all = [
        ("_Z5scaleIfLi4EEvPT_PKS0_S0_j", &["scale<float, 4>", "scale<float>", "::scale<float,(int)4>"][..]),
        ("_Z5scaleIyLi1EEvPT_PKS0_S0_j", &["scale<unsigned long long, 1>", "scale<uint64_t, true>"]),
        ("_Z4manyI1SL4Mode1ELb1EL3Old7ELj3ELl5EEvPT_", &["many<S, (Mode)1, true, 7, 3u, 5L>"]),
        ("_Z3negILin3ELc97ELb0EEvPi", &["neg<-3, 'a', false>"]),
        ("_Z2fpIXadL_Z3devPiEEEvS0_", &["fp<dev>", "fp<&dev>"]),
        ("_ZN2ns5plainEPi", &["ns::plain"]),
        ("_ZN2ns1kIfEEvPT_NS_1PE", &["ns::k<float>"]),
        ("_Z1hI6__halfEvPT_", &["h<half>", "h<__half>"]),
        ("_Z1hI4PairIiS0_IifEEEvPT_", &["h<Pair<int, Pair<int,float> > >"]),
        ("_Z4packIJifEEvDpT_", &["pack<int, float>"]),
    ];
    for (symbol, expressions) in all {
        let (kernel, _) = kernel_of_symbol(symbol);
        for expression in expressions {
            assert!(name(expression).names(&kernel), "{expression} against {}", kernel.expression());
        }
        for (other, _) in all.iter().filter(|(other, _)| other != &symbol) {
            let (other, _) = kernel_of_symbol(other);
            assert!(!name(expressions[0]).names(&other), "{} against {}", expressions[0], other.expression());
        }
    }
}

#[test]
fn of_several_symbols_the_one_spelled_alike_is_meant() {
    let symbols = ["_Z1hIlEvPT_", "_Z1hIxEvPT_", "_Z1gIiEvPT_", "_Z1gIiLi4EEvPT_"];
    let kernels: Vec<Kernel> = symbols.iter().map(|symbol| kernel_of_symbol(symbol).0).collect();
    let selected = |expression: &str| -> Vec<String> {
        name(expression).select(&kernels).iter().filter_map(|kernel| kernel.symbol.clone()).collect()
    };
    assert_eq!(selected("h<long>"), ["_Z1hIlEvPT_"]);
    assert_eq!(selected("h<long long>"), ["_Z1hIxEvPT_"]);
    assert_eq!(selected("h<int64_t>"), ["_Z1hIlEvPT_", "_Z1hIxEvPT_"]);
    assert_eq!(selected("g<int>"), ["_Z1gIiEvPT_"]);
    assert_eq!(selected("g<int, 4>"), ["_Z1gIiLi4EEvPT_"]);
    assert!(selected("h<int>").is_empty());
    // The source keeps the two apart as well.
    let text = "template <typename T> __global__ void h(T* x) {}";
    assert_eq!(kernel(text, "h<long long>").expression(), "h<long long>");
}

#[test]
fn names_without_bottom_end() {
    let (kernel, _) = kernel_of_symbol("_Z1hIlEvPT_");
    for (open, close) in [("A<", ">"), ("(", ")"), ("k(*)(", ")"), ("-", "")] {
        let text = format!("h<{}int{}>", open.repeat(600), close.repeat(600));
        if let Ok(name) = NameExpression::parse(&text) {
            assert!(!name.names(&kernel));
            assert!(named("template <typename T> __global__ void h(T* x) {}", &text).kernels.len() < 2);
        }
    }
    assert!(NameExpression::parse(&"k".repeat(5000)).is_err());
}
