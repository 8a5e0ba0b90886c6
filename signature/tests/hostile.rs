//! No input makes a reader panic, hang, or take memory without end.

use std::fmt::Write;
use std::time::{Duration, Instant};

use warpcall_signature::source::{Limits, Loaded, Loader, SourceReader};
use warpcall_signature::{NameExpression, Problem, cubin, fatbin, ptx, read};

const SEEDS: [&[u8]; 6] = [
    include_bytes!("data/abi.cu"),
    include_bytes!("data/abi_sm_90.ptx"),
    include_bytes!("data/images_sm_90.cubin"),
    include_bytes!("data/images_zstd.fatbin"),
    include_bytes!("data/images_lz4.fatbin"),
    include_bytes!("data/images.cu"),
];

/// Feeds bytes to every reader; whatever they answer is fine.
fn feed(bytes: &[u8]) {
    let _ = read(bytes);
    let _ = ptx::read(bytes);
    let _ = cubin::read(bytes);
    let _ = fatbin::read(bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = SourceReader::new().limits(Limits { tokens: 200_000, depth: 50 }).read_text("t.cu", &text);
}

fn mutate(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..8) {
        if bytes.is_empty() {
            return;
        }
        let at = random.usize(..bytes.len());
        match random.u8(..7) {
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] ^= 1 << random.u8(..8),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.usize(..64)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.usize(..64)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.usize(..bytes.len());
                bytes.splice(to..to, copy);
            }
            5 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(*random.choice(&[0, 0xff, 0x7f, 0x80]).unwrap());
            }
            _ => {
                let words = [
                    "(",
                    ")",
                    "{",
                    "}",
                    "<",
                    ">",
                    "#if 1\n",
                    "\n#define k(x) x##x #x\n",
                    "\"",
                    "R\"(",
                    "/*",
                    ",",
                    "::",
                    "template<class T>",
                    "__global__ void k",
                    "struct",
                    "=",
                    "__launch_bounds__(1/0)",
                    "\n#endif\n",
                    "operator",
                    "using a=",
                    "...",
                    "\\\n",
                    "'",
                    "enum",
                    "[",
                    "]",
                    ".param",
                    ".entry",
                    "-1",
                    "~",
                    "?",
                ];
                let word = random.choice(words).unwrap();
                bytes.splice(at..at, word.bytes());
            }
        }
    }
}

#[test]
fn mutated_inputs_never_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    let start = Instant::now();
    for round in 0..180 {
        let mut bytes = SEEDS[round % SEEDS.len()].to_vec();
        mutate(&mut random, &mut bytes);
        feed(&bytes);
    }
    assert!(start.elapsed() < Duration::from_mins(5));
}

#[test]
fn random_bytes_never_panic() {
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..300 {
        let length = random.usize(..600);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        feed(&bytes);
        // With the right beginning they get further in.
        for start in [&b"\x50\xed\x55\xba\x01\x00\x10\x00"[..], b".version 8.0 .entry k(", &SEEDS[2][..64]] {
            let end = start.len().min(bytes.len());
            bytes[..end].copy_from_slice(&start[..end]);
            feed(&bytes);
        }
    }
}

#[test]
fn random_tokens_never_panic() {
    let words = [
        "__global__",
        "void",
        "k",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "template",
        "class",
        "struct",
        "enum",
        "union",
        "T",
        "int",
        "const",
        "*",
        "&",
        ",",
        ";",
        ":",
        "::",
        "=",
        "[",
        "]",
        "3",
        "+",
        "-",
        "/",
        "%",
        "?",
        "using",
        "typedef",
        "namespace",
        "extern",
        "\"C\"",
        "static",
        "constexpr",
        "return",
        "if",
        "else",
        "__launch_bounds__",
        "operator",
        "...",
        "~",
        "sizeof",
        "alignas",
        "typename",
        "requires",
        "public",
        "friend",
        "\n#define A ",
        "\n#define B(x) ",
        "A",
        "B",
        "x",
        "##",
        "#",
        "\n",
        "\n#if ",
        "\n#endif\n",
        "\n#else\n",
        "defined",
        "__VA_ARGS__",
        "0",
        "1",
        "<<",
        ">>",
        "__attribute__",
        "((",
        "))",
        "virtual",
        "decltype",
        "auto",
        "float4",
        "unsigned",
        "long",
        "static_cast",
        "alignof",
        "2147483647",
        "(-2147483647 - 1)",
        "(-9223372036854775807 - 1)",
        "18446744073709551615u",
        "99999999999999999999",
        "'\\xff'",
        "\n#elif ",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..1500 {
        let length = random.usize(1..60);
        let text: Vec<_> = (0..length).map(|_| *random.choice(&words).unwrap()).collect();
        feed(text.join(" ").as_bytes());
    }
}

#[test]
fn random_expressions_never_panic() {
    let words = [
        "static_cast",
        "template",
        "sizeof",
        "alignof",
        "decltype",
        "typename",
        "int",
        "unsigned char",
        "bool",
        "__int128",
        "float",
        "T",
        "A",
        "f",
        "n",
        "x",
        "min",
        "abs",
        "std",
        "::",
        "<",
        ">",
        "<<",
        ">>",
        "<=",
        ">=",
        "==",
        "=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        ":",
        "+",
        "-",
        "*",
        "/",
        "%",
        "~",
        "!",
        "&",
        "|",
        "^",
        "&&",
        "||",
        "...",
        "defined",
        "true",
        "0",
        "1",
        "3u",
        "63",
        "64",
        "'\\xff'",
        "'",
        "0x",
        "1e5",
        "2147483647",
        "(-2147483647 - 1)",
        "9223372036854775807",
        "(-9223372036854775807 - 1)",
        "18446744073709551615u",
        "99999999999999999999",
    ];
    let places = [
        ("\n#if ", "\n#endif\n"),
        ("constexpr int n = ", ";"),
        ("constexpr unsigned long long n{", "};"),
        ("template <int v = ", "> __global__ void k();"),
        ("template <class T, int n> struct A { T a[n]; }; __global__ void k(A<int, ", "> a);"),
        ("template <int n> __global__ void k(); template __global__ void k<", ">();"),
        ("__global__ void __launch_bounds__(", ") k();"),
        ("struct S { char a; long b[", "]; int c; }; __global__ void k(S s);"),
        ("struct S { char a; int b : ", "; char c; }; __global__ void k(S s);"),
        ("struct alignas(", ") S { char a; }; __global__ void k(S s);"),
        ("enum E { a, b = ", ", c }; __global__ void k(E e);"),
        ("constexpr int f(int n) { if (n > 1) return 1; return ", "; } constexpr int m = f(1) + f(2);"),
    ];
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..6000 {
        let (before, after) = places[round % places.len()];
        let length = random.usize(1..12);
        let expression: Vec<_> = (0..length).map(|_| *random.choice(&words).unwrap()).collect();
        let expression = expression.join(" ");
        let _ = SourceReader::new().read_text("t.cu", &format!("{before}{expression}{after}"));
        let _ = NameExpression::parse(&format!("k<{expression}>"));
    }
}

#[test]
fn a_word_without_the_angles_it_needs_is_no_panic() {
    for text in [
        "#if static_cast > 1\n#endif\n",
        "constexpr int n = static_cast > 1;\n",
        "template <int v = A < x, template > y> ",
    ] {
        let module = SourceReader::new().read_text("t.cu", &format!("{text}__global__ void k();"));
        assert_eq!(module.expect("it is readable").kernels.len(), 1, "{text}");
    }
}

fn problem(text: &str) -> Problem {
    SourceReader::new().read_text("t.cu", text).expect_err("it must be stopped").problem
}

#[test]
fn a_macro_bomb_is_stopped() {
    let mut text = String::from("#define A0 x x\n");
    for i in 1..40 {
        writeln!(text, "#define A{i} A{} A{}", i - 1, i - 1).unwrap();
    }
    text.push_str("A39\n");
    assert!(matches!(
        problem(&text),
        Problem::LimitExceeded { what: "the tokens after macro expansion", .. }
    ));
    let mut text = String::from("#define C(a, b) a##b\n#define D(a, b) C(a, b)\n#define P0 aaaaaaaa\n");
    for i in 1..40 {
        writeln!(text, "#define P{i} D(P{}, P{})", i - 1, i - 1).unwrap();
    }
    text.push_str("P39\n");
    assert!(matches!(problem(&text), Problem::LimitExceeded { .. }));
}

#[test]
fn deep_nesting_is_stopped() {
    let calls = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    assert!(matches!(
        problem(&calls),
        Problem::LimitExceeded { what: "the macro calls inside each other", .. }
    ));
    let conditions = "#if 1\n".repeat(5000);
    assert!(matches!(problem(&conditions), Problem::LimitExceeded { .. }));
    for (open, close) in
        [("(", ")"), ("{", "}"), ("namespace a {", "}"), ("struct S {", "};"), ("A<", ">"), ("[", "]")]
    {
        for prefix in
            ["", "int x = ", "__global__ void k(", "using T = ", "enum { a = ", "constexpr int x = "]
        {
            feed(format!("{prefix}{}1{}", open.repeat(5_000), close.repeat(5_000)).as_bytes());
        }
    }
    let pointers = format!("__global__ void k(int {}p, int n) {{}}", "*".repeat(50_000));
    feed(pointers.as_bytes());
    feed(format!("#if {}1\n#endif", "-".repeat(50_000)).as_bytes());
    let optional = format!("{}1{}", "__VA_OPT__(".repeat(50_000), ")".repeat(50_000));
    feed(format!("#define F(...) {optional}\nF(1)\n__global__ void k();").as_bytes());
    feed(b"template <int N> struct A { A<N + 1> a; }; __global__ void k(A<0> a) {}");
    feed(b"constexpr int f(int n) { return f(n + 1) + f(n + 2); } __global__ void __launch_bounds__(f(0)) k() {}");
}

#[test]
fn arrays_larger_than_memory_have_no_size() {
    for field in
        ["char x[0xffffffffffffffff]; int y;", "double x[1ull << 40][1ull << 40];", "S0 x[1ull << 63];"]
    {
        let text = format!(
            "struct S0 {{ double a[64]; }}; struct S {{ {field} }}; extern \"C\" __global__ void k(S s, S* p) {{}}"
        );
        let module = SourceReader::new().read_text("t.cu", &text).expect("its kernel can be read");
        let kernel = module.kernel("k").expect("it is there");
        assert_eq!((kernel.parameters[0].size, kernel.parameters[1].size), (None, Some(8)), "{text}");
        assert!(!kernel.notes.is_empty(), "{text}");
    }
    for array in ["[0x7fffffffffffffff]", "[99999999999999999999]"] {
        let text = format!(".version 8.0\n.entry k(.param .b64 a{array}) {{ }}");
        assert!(matches!(
            ptx::read(text.as_bytes()).expect_err("refused").problem,
            Problem::Malformed { .. }
        ));
    }
    let nested = format!(
        "template <class T> struct A {{ T a[1 << 20]; }}; __global__ void k({}int{} a) {{}}",
        "A<".repeat(40),
        ">".repeat(40)
    );
    let module = SourceReader::new().read_text("t.cu", &nested).expect("its kernel can be read");
    assert_eq!(module.kernels[0].parameters[0].size, None);
}

#[test]
fn random_members_never_panic() {
    let beginnings =
        ["int a[", "char b[", "B c[", "int d :", "long e :", "char : ", "E f :", "B g :", "int h[0] :"];
    let lengths = ["0", "3", "60", "1ULL << 60", "2305843009213693951ULL", "18446744073709551615ULL", "-1"];
    let junk = [
        "(",
        ")",
        "{",
        "}",
        "~S()",
        "S(",
        "virtual",
        "operator=",
        "template <class T>",
        "ALIGNED(",
        "alignas(8)",
        "[[gnu::aligned(4)]]",
        "__attribute__((packed))",
        "\n#pragma pack(1)\n",
        "struct",
        "union {",
        "enum {",
        "typedef",
        "private:",
        "int x = 1;",
    ];
    let mut random = fastrand::Rng::with_seed(19);
    for _ in 0..4000 {
        let mut members = String::new();
        for _ in 0..random.usize(1..6) {
            if random.u8(..6) == 0 {
                members += random.choice(junk).unwrap();
            }
            let (beginning, length) =
                (*random.choice(&beginnings).unwrap(), *random.choice(&lengths).unwrap());
            let end = if beginning.ends_with('[') { "];" } else { ";" };
            write!(members, "{beginning} {length} {end} ").unwrap();
        }
        let pack = *random.choice(&["", "#pragma pack(2)\n"]).unwrap();
        let text = format!(
            "{pack}enum E {{ A = 1ULL << 63 }}; struct B {{ char a[1ULL << 58]; }}; struct S : B {{ {members} }}; \
             __global__ void k(S s, S* p) {{}}"
        );
        let _ = SourceReader::new().read_text("t.cu", &text);
    }
}

#[test]
fn bit_fields_of_any_width_and_type_never_panic() {
    for (members, reason) in [
        ("int a[0] : 3;", "a bit-field is of type `int[0]`"),
        ("char c; int b : 18446744073709551615ULL;", "a bit-field is wider than its type"),
        (
            "int b : 18446744073709551615ULL; int c : 18446744073709551615ULL;",
            "a bit-field is wider than its type",
        ),
        ("B b : 3;", "a bit-field is of type `B`"),
        ("B b : 18446744073709551615ULL;", "a bit-field is of type `B`"),
        ("char a[2305843009213693951ULL]; int x : 7; long y : 48;", "it is too large"),
        ("char a[2305843009213693952ULL]; int x : 7;", "it is too large"),
        ("char a[18446744073709551615ULL]; int : 0;", "it is too large"),
        ("B b[3]; char c : 1;", "it is too large"),
    ] {
        for pack in ["", "#pragma pack(1)\n", "#pragma pack(2)\n"] {
            let text = format!(
                "{pack}struct B {{ char a[1ULL << 62]; }}; struct S {{ {members} }}; __global__ void k(S s) {{}}"
            );
            let module = SourceReader::new().read_text("t.cu", &text).expect("its kernel can be read");
            let kernel = &module.kernels[0];
            assert_eq!(kernel.parameters[0].size, None, "{text}");
            assert!(kernel.notes[0].to_string().contains(reason), "{text} {}", kernel.notes[0]);
        }
    }
}

struct Endless;

impl Loader for Endless {
    fn load(&mut self, path: &str, _: &str) -> Result<Option<Loaded>, String> {
        Ok(Some(Loaded { path: path.into(), text: format!("#include \"{path}\"\n#include \"{path}x\"\n") }))
    }
}

#[test]
fn an_include_loop_is_stopped() {
    let error = SourceReader::new().read_with(&mut Endless, "t.cu", "#include \"a.h\"\n").unwrap_err();
    assert!(matches!(error.problem, Problem::LimitExceeded { what: "the includes inside each other", .. }));
    assert!(error.position.is_some());
}

#[test]
fn a_symbol_that_grows_without_end_is_left_alone() {
    // Each pair names the one before twice.
    let mut symbol = String::from("_Z1kSt4pairIiiE");
    for i in 0..60_u8 {
        let earlier = if i == 0 { "S0_".to_owned() } else { format!("S{}_", char::from(b'A' + i % 26)) };
        write!(symbol, "St4pairI{earlier}{earlier}E").unwrap();
    }
    let text = format!(".version 8.0\n.entry {symbol}(.param .u32 a) {{ }}");
    let start = Instant::now();
    assert_eq!(ptx::read(text.as_bytes()).unwrap().kernels.len(), 1);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn time_grows_with_the_input() {
    let mut kernels = String::new();
    for index in 0..30_000 {
        let _ = writeln!(kernels, "extern \"C\" __global__ void k{index}(int a);");
    }
    let depth = 30_000;
    let nested = format!(
        "template <class T> struct V {{}}; extern \"C\" __global__ void k({}int{} a) {{}}",
        "V<".repeat(depth),
        ">".repeat(depth)
    );
    for (text, count) in [(kernels, 30_000), (nested, 1)] {
        let start = Instant::now();
        let module = SourceReader::new().read_text("t.cu", &text).expect("it is readable");
        assert_eq!(module.kernels.len(), count);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}
