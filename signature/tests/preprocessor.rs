//! The preprocessor, seen through the kernels that come out of it.

mod common;

use std::collections::HashMap;

use common::{module, notes, only, signatures};
use warpcall_signature::source::{FileLoader, Loaded, Loader, SourceReader};
use warpcall_signature::{Constant, Problem};

/// The value of an expression after preprocessing, seen through launch bounds.
fn value(definitions: &str, expression: &str) -> Option<Constant> {
    let text = format!("{definitions}\n__global__ void __launch_bounds__({expression}) k() {{}}");
    only(&text).bounds.max_threads_per_block
}

/// A kernel `yes` where a condition holds, and a kernel `no` where it does not.
fn branches(condition: &str) -> String {
    format!("#if {condition}\n__global__ void yes() {{}}\n#else\n__global__ void no() {{}}\n#endif")
}

/// What an `#if` decides.
fn holds(definitions: &str, condition: &str) -> bool {
    only(&format!("{definitions}\n{}", branches(condition))).name == "yes"
}

#[test]
fn conditions_compute_as_the_standard_says() {
    for condition in [
        "1 + 2 * 3 == 7",
        "(1 || 1 / 0) && !(0 && 1 / 0)",
        "-1 < 0 && -1 > 0u",
        "0x10 == 16 && 010 == 8 && 0b11 == 3 && 1'000 == 1000",
        "'a' == 97 && '\\n' == 10 && '\\x41' == 65",
        "1 ? 2 : 3 / 0",
        "~0 == -1 && (5 ^ 1) == 4 && (6 & 3 | 8) == 10",
        "1 << 4 >> 2 == 4",
        "defined A && defined(A) && !defined B && A",
        "undefined_name == 0 && true && !false",
        "F(2) == 5",
        "__CUDACC__ && __cplusplus >= 201703L && __CUDA_ARCH__ >= 800",
        "!defined(__CUDACC_RTC__) && CUDART_VERSION >= 12000",
        "__has_include(<cuda_fp16.h>) && !__has_include(\"nowhere.h\")",
        "HAS_A",
    ] {
        assert!(
            holds("#define A 1\n#define F(x) ((x) * 2 + 1)\n#define HAS_A defined(A)", condition),
            "{condition}"
        );
    }
    for condition in ["0", "1 == 2", "A", "", "1 / 0", "1 +", "G(1)", "(1"] {
        assert!(!holds("", condition), "{condition}");
    }
    assert!(notes("#if 1 / 0\n#endif").contains("it divides by zero"));
}

#[test]
fn conditions_compute_in_64_bits() {
    for condition in [
        "(1 << 31) > 0 && 65536 * 65536 == 4294967296",
        "~0 != 0xFFFFFFFF && ~0xFFFFFFFF < 0",
        "~0 == 0xFFFFFFFFFFFFFFFF && -1 > 0u && ~0u == 0xFFFFFFFFFFFFFFFF",
        "-1 < 0xFFFFFFFF && (1 ? -1 : 0u * 2) > 0 && (0 ? 0u : -1) > 0",
        "((1 == 1) << 40) == 1099511627776 && (true << 40) > 0",
        "(1 << 63) < 0 && (1u << 63) > 0 && -1 << 2 == -4 && -1 >> 1 == -1",
        "0xFFFFFFFFFFFFFFFF * 0xFFFFFFFFFFFFFFFF == 1",
        "'\\xff' == -1 && '\\x7f' == 127 && L'\\xff' == 255",
        "'ab' == 24930 && 'abcd' == 0x61626364 && '\\1234' == 0x5334",
        "(1 xor 3) == 2 && (1 bitand 3) == 1 && (1 bitor 2) == 3 && 1 not_eq 2 && compl 0 == -1",
        "!(static_cast > 1) && sizeof == 0 && (A < 2 | B > (3))",
    ] {
        let text = branches(condition);
        assert_eq!(
            (signatures(&text), notes(&text)),
            (vec!["yes()".to_owned()], String::new()),
            "{condition}"
        );
    }
}

#[test]
fn a_condition_that_compilers_refuse_is_told() {
    for (condition, reason) in [
        ("0x7fffffffffffffff + 1 < 0", "a signed result is out of range"),
        ("-9223372036854775807 - 2 > 0", "a signed result is out of range"),
        ("-(-9223372036854775807 - 1)", "a signed result is out of range"),
        ("(-9223372036854775807 - 1) / -1", "a signed result is out of range"),
        ("(-9223372036854775807 - 1) % -1 == 0", "a signed result is out of range"),
        ("0x7fffffffffffffff * 2", "a signed result is out of range"),
        ("2 << 63", "a signed result is out of range"),
        ("1 << 64", "the shift count is out of range"),
        ("1u << 64 == 0", "the shift count is out of range"),
        ("1 >> -1", "the shift count is out of range"),
        ("1 % 0", "it divides by zero"),
        ("18446744073709551616 > 0", "is no 64-bit integer"),
        ("1lul", "is no integer"),
        ("'' == 0", "the character `''` is not evaluated"),
        ("'abcde'", "is not evaluated"),
        ("'a\\xff' == 0x61ff", "is not evaluated"),
        ("'\u{e9}' == 0xc3a9", "is not evaluated"),
        ("'\\x1ff' == 255", "is not evaluated"),
        ("'\\x+1' == 1", "is not evaluated"),
        ("u8'\\xff' < 0", "is not evaluated"),
        ("u'a' - 98 < 0", "is not evaluated"),
        ("1, 1", "`,` is not expected"),
        ("a::b", "`::` is not expected"),
        ("::a", "`::` is not expected"),
        ("sizeof(int) == 4", "the macro `sizeof` is not defined"),
        ("defined F && F(1)", "the macro `F` is not defined"),
    ] {
        let text = branches(condition);
        assert_eq!(signatures(&text), ["no()"], "{condition}");
        assert!(notes(&text).contains(reason), "{condition}: {}", notes(&text));
    }
}

#[test]
fn conditions_are_decided_as_by_a_compiler() {
    let all = include_str!("data/conditions.txt");
    for line in all.lines() {
        let (answer, condition) = line.split_once('\t').expect("an answer and a condition");
        let text = branches(condition);
        let (is_told, name) = (!notes(&text).is_empty(), only(&text).name);
        match answer {
            "yes" | "no" => assert_eq!((&*name, is_told), (answer, false), "{condition}: {}", notes(&text)),
            "refused" => assert!(is_told, "{condition}"),
            // Where the compiler complains, its branch is taken, or there is a note.
            _ => assert!(is_told || answer.strip_suffix('?') == Some(&name), "{condition}: {answer}"),
        }
    }
    assert_eq!(all.lines().count(), 510);
}

#[test]
fn every_kind_of_group() {
    let text = "\
#ifdef A
__global__ void a() {}
#elifdef B
__global__ void b() {}
#elifndef C
__global__ void c() {}
#elif 1
__global__ void d() {}
#else
__global__ void e() {}
#endif
";
    let name = |defines: &[&str]| {
        let mut reader = SourceReader::new();
        for define in defines {
            reader = reader.define(*define, "");
        }
        reader.read_text("t.cu", text).unwrap().kernels[0].name.clone()
    };
    assert_eq!([name(&["A", "B"]), name(&["B"]), name(&[]), name(&["C"])], ["a", "b", "c", "d"]);
    let nested = "#if 0\n#if 1\n__global__ void a() {}\n#else\n__global__ void b() {}\n#endif\n#error no\n#else\n__global__ void c() {}\n#endif";
    assert_eq!(signatures(nested), ["c()"]);
}

#[test]
fn pasting_and_stringizing() {
    let text = "\
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define N 7
#define STR(x) #x
#define CHECK(x) static_assert(sizeof(STR(x)) > 0, STR(x));
CHECK(a \"b\\n\" 'c')
__global__ void CAT(k, N)(int CAT_(x, ) , int CAT_(, y), int CAT(,)z) {}
__global__ void CAT_(k, N)() {}
";
    assert_eq!(signatures(text), ["k7(int x, int y, int z)", "kN()"]);
}

#[test]
fn variable_arguments() {
    let text = "\
#define K(name, ...) __global__ void name(int first __VA_OPT__(,) __VA_ARGS__) {}
#define GNU(name, args...) __global__ void name(int first, ##args) {}
#define OLD(name, ...) __global__ void name(int first, ##__VA_ARGS__) {}
#define OPT(name, ...) __global__ void name(__VA_OPT__(int n, __VA_ARGS__ x)) {}
K(a) K(b, float* x) K(c, float* x, int n)
GNU(d) GNU(e, float* x)
OLD(f) OLD(g, float* x, int n)
OPT(h) OPT(i, float*)
";
    assert_eq!(
        signatures(text),
        [
            "a(int first)",
            "b(int first, float* x)",
            "c(int first, float* x, int n)",
            "d(int first)",
            "e(int first, float* x)",
            "f(int first)",
            "g(int first, float* x, int n)",
            "h()",
            "i(int n, float* x)"
        ]
    );
}

#[test]
fn a_macro_is_not_expanded_inside_itself() {
    let text =
        "#define f(x) x + f(x)\n#define g g\n#define a b\n#define b a\n__global__ void k(int a, int g) {}\n";
    assert_eq!(signatures(text), ["k(int a, int g)"]);
    assert_eq!(value("#define ID(x) x\n#define W ID(32)", "ID(ID(2)) * W"), Some(Constant::Known(64)));
    // The name of a function-like macro without a call is only a name.
    assert_eq!(value("#define n(x) 1\nconstexpr int n = 5;", "n"), Some(Constant::Known(5)));
}

#[test]
fn calls_span_lines_and_directives() {
    let text = "#define K(a, b) __global__ void k(a, b) {}\nK(int x,\n#if 1\n  float y\n#else\n  double y\n#endif\n)";
    assert_eq!(signatures(text), ["k(int x, float y)"]);
    let continued = "#define LONG \\\n  128\n__glo\\\nbal__ void __launch_bounds__(LO\\\r\nNG) k() {}";
    assert_eq!(only(continued).bounds.max_threads_per_block, Some(Constant::Known(128)));
}

#[test]
fn faults_are_told_with_their_place() {
    let fault = |text: &str| {
        let error = SourceReader::new().read_text("t.cu", text).unwrap_err();
        (error.position.as_ref().unwrap().line, error)
    };
    let (line, error) = fault("int a;\n#if 1\nint b;\n");
    assert_eq!((line, error.to_string()), (2, "t.cu:2: the directive `#if` cannot be read: no `#endif` ends it; write it as the C++ standard has it".into()));
    assert_eq!(fault("\n#endif").0, 2);
    assert_eq!(fault("#if 1\n#else\n#elif 1\n#endif").0, 3);
    assert!(matches!(fault("\n\n#define F(x) x\nF(1").1.problem, Problem::UnclosedMacroCall { .. }));
    assert_eq!(fault("\n\n#define F(x) x\nF(1").0, 4);
    assert!(matches!(
        fault("#define F(x, y) x\nF(1)").1.problem,
        Problem::MacroArguments { expected: 2, found: 1, .. }
    ));
    assert!(matches!(fault("#define F(x,) x").1.problem, Problem::Directive { .. }));
    assert!(matches!(
        fault("#define F(...) __VA_OPT__(a) __VA_OPT__(b __VA_OPT__(c))").1.problem,
        Problem::Directive { .. }
    ));
    // An `#error` may be there for want of a header that is not read, so it ends nothing.
    let text = "#error \"build with -DX\"\n__global__ void k() {}";
    assert!(notes(text).starts_with("t.cu:1: #error \"build with -DX\""));
    assert_eq!(signatures(text), ["k()"]);
    assert!(matches!(fault("int x; /* no end").1.problem, Problem::Unterminated { what: "a comment" }));
    assert!(matches!(fault("auto s = R\"(no end").1.problem, Problem::Unterminated { what: "a raw string" }));
}

#[derive(Default)]
struct Headers {
    files: HashMap<&'static str, &'static str>,
    asked: Vec<String>,
}

impl Loader for Headers {
    fn load(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String> {
        self.asked.push(format!("{from}: {path}"));
        Ok(self.files.get(path).map(|text| Loaded { path: path.to_owned(), text: (*text).to_owned() }))
    }
}

#[test]
fn headers_come_from_the_loader() {
    let mut headers = Headers::default();
    headers
        .files
        .insert("types.h", "#pragma once\n#include \"more.h\"\nusing T = more;\nstruct P { int a; T b; };\n");
    headers.files.insert("more.h", "#ifndef MORE\n#define MORE\ntypedef double more;\n#endif\n");
    headers.files.insert("macro.h", "#define KERNEL(n) __global__ void n(P p) {}\n");
    let text = "#include \"types.h\"\n#include <vector>\n#include \"more.h\"\n#define WHERE \"macro.h\"\n#include WHERE\n#include \"types.h\"\n#include \"gone.h\"\nKERNEL(k)\n";
    let module = SourceReader::new().read_with(&mut headers, "k.cu", text).unwrap();
    assert_eq!(module.files, ["k.cu", "types.h", "more.h", "macro.h"]);
    assert_eq!(headers.asked[1], "types.h: more.h");
    let kernel = &module.kernels[0];
    assert_eq!(kernel.parameters[0].size, Some(16));
    let expansion = kernel.origin.as_ref().unwrap().expansion.as_ref().unwrap();
    assert_eq!(
        (expansion.call.to_string(), expansion.definition.to_string()),
        ("k.cu:8".into(), "macro.h:1".into())
    );
    assert_eq!(module.notes.len(), 1);
    assert_eq!(module.notes[0].problem, Problem::MissingInclude { path: "gone.h".into() });
    assert_eq!(module.notes[0].position.as_ref().unwrap().line, 7);
}

#[test]
fn files_on_disk_are_found_beside_each_other() {
    let folder = std::env::temp_dir().join(format!("warpcall-signature-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("include/deep")).unwrap();
    std::fs::write(folder.join("k.cu"), "#include \"include/deep/a.h\"\n#include <d.h>\n#include <cuda.h>\n__global__ void k(A a, C c, D d) {}\n")
        .unwrap();
    std::fs::write(
        folder.join("include/deep/a.h"),
        "#pragma once\n#include \"../b.h\"\n#include \"c.h\"\ntypedef B A;\n",
    )
    .unwrap();
    std::fs::write(folder.join("include/b.h"), "#pragma once\n#include \"deep/a.h\"\ntypedef short B;\n")
        .unwrap();
    std::fs::write(folder.join("include/c.h"), "typedef char C;\n").unwrap();
    std::fs::write(folder.join("include/d.h"), "typedef float D;\n").unwrap();
    std::fs::write(folder.join("include/cuda.h"), "#error it is not read\n").unwrap();
    let path = folder.join("k.cu");
    let module = SourceReader::new().include_folder(folder.join("include")).read_file(&path).unwrap();
    let missing = SourceReader::new().read_file(folder.join("none.cu")).unwrap_err();
    let mut loader = FileLoader::new();
    let none = loader.load("none.h", path.to_str().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(module.kernels[0].to_string(), "k(short a, char c, float d)");
    assert_eq!(module.files.len(), 5);
    assert!(matches!(missing.problem, Problem::Io { .. }));
    assert_eq!(none, Ok(None));
}

#[test]
fn macros_are_defined_and_removed_by_the_caller() {
    let text =
        "#ifdef __CUDA_ARCH__\n__global__ void device(T x) {}\n#else\n__global__ void host(T x) {}\n#endif";
    let reader = SourceReader::new().define("T", "unsigned long");
    assert_eq!(
        reader.read_text("t.cu", text).unwrap().kernels[0].to_string(),
        "device(unsigned long long x)"
    );
    let reader = reader.undefine("__CUDA_ARCH__").define("ADD(x)", "x + 1");
    assert_eq!(reader.read_text("t.cu", text).unwrap().kernels[0].name, "host");
}

#[test]
fn documentation_is_what_stands_right_above() {
    let text = "\
/// Not this one.

/**
 * Adds `y` to `x`.
 *
 * One block a row.
 */
template <class T>
__global__ void a(T* x) {}
// Two lines
//   with an indent.
__global__ void b(int* x) {} // not c's
__global__ void c(int* x) {}
";
    let docs: Vec<_> = module(text).kernels.into_iter().map(|k| k.doc).collect();
    assert_eq!(
        docs,
        [
            Some("Adds `y` to `x`.\n\nOne block a row.".into()),
            Some("Two lines\n  with an indent.".into()),
            None
        ]
    );
}
