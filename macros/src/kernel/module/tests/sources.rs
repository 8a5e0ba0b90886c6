#![allow(clippy::format_collect)] // A few lines of a test's source.
use std::{fs, path::Path};

use super::{Expansion, Package, bound};
use crate::{kernel::kernel, site::Site};

#[test]
fn a_kernel_is_what_a_person_would_have_declared() {
    let text = "/// Scales.\n///\n/// By a lot.\nextern \"C\" __global__ void scale(float* values, const float* by, size_t n) {}";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.names(), ["launch_scale", "SCALE"]);
    assert_eq!(expansion.kernels(), ["scale(values: *mut f32, by: *const f32, n: usize)"]);
    assert!(
        expansion.docs_of("launch_scale").starts_with(
            "Scales.\n\nBy a lot.\n\n\
             In CUDA it is `scale(float* values, const float* by, unsigned long long n)` (k.cu:4).\n\n# Errors\n"
        ),
        "{}",
        expansion.docs_of("launch_scale")
    );
    assert_eq!(expansion.docs(), "The kernels of `k.cu`.");
    assert_eq!(expansion.warning(), None);
}

#[test]
fn a_kernel_without_a_comment_says_what_it_launches() {
    let expansion = bound("extern \"C\" __global__ void k() {}", "");
    let docs = expansion.docs_of("launch_k");
    assert!(docs.starts_with("Launches the kernel `k`.\n\nIn CUDA it is `k()` (k.cu:1).\n"), "{docs}");
}

#[test]
fn what_looks_like_a_tag_is_text_outside_of_code() {
    let text = "/// A <T> and `B<T>`.\n///\n///     C<T>\n///\n/// ```\n/// D<T>\n/// ```\n/// `open\n///\n/// <E>\n\
                extern \"C\" __global__ void k() {}";
    let docs = bound(text, "").docs_of("launch_k");
    let expected = "A \\<T> and `B<T>`.\n\n    C<T>\n\n```\nD<T>\n```\n`open\n\n\\<E>\n\nIn CUDA it is";
    assert!(docs.starts_with(expected), "{docs}");
}

#[test]
fn sections_of_the_comment_are_not_added_again() {
    let expansion = bound("/// K.\n/// # Safety\n/// None.\nextern \"C\" __global__ void k() {}", "");
    assert_eq!(expansion.docs_of("launch_k").matches("# Safety").count(), 1);
}

#[test]
fn each_type_has_its_namesake() {
    for (cuda, rust) in [
        ("bool", "bool"),
        ("long", "i64"),
        ("unsigned long", "u64"),
        ("size_t", "usize"),
        ("half", "f16"),
        ("const __nv_bfloat16*", "*const bf16"),
        ("__nv_fp8_e4m3", "F8E4M3"),
        ("float4*", "*mut Float4"),
        ("dim3", "Uint3"),
        ("__half2", "Half2"),
        ("void*", "*mut c_void"),
        ("const float* const*", "*const *const f32"),
        ("float (*x)[4]", "*mut [f32; 4]"),
        ("CUtensorMap", "TensorMap"),
    ] {
        let cuda = if cuda.contains("x)") { cuda.to_owned() } else { format!("{cuda} x") };
        let expansion = bound(&format!("extern \"C\" __global__ void k({cuda}) {{}}"), "");
        assert_eq!(expansion.messages(), Vec::<String>::new(), "{cuda}");
        assert_eq!(expansion.kernels(), [format!("k(x: {rust})")], "{cuda}");
    }
}

#[test]
fn names_that_rust_has_not_and_names_that_are_missing() {
    let text = "extern \"C\" __global__ void move(int type, int self, int, int N, int nRows, int arg2, int _) {}\n\
                extern \"C\" __global__ void addKernel(int blockRows) {}";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.names(), ["launch_move", "MOVE", "launch_addKernel", "ADD_KERNEL"]);
    assert_eq!(
        expansion.kernels(),
        [
            "move(type: i32, self_: i32, arg2: i32, N: i32, nRows: i32, arg2_2: i32, __: i32)",
            "addKernel(blockRows: i32)"
        ]
    );
}

#[test]
fn kernels_out_of_macros_and_headers_and_defines() {
    let package = Package::with(&[
        (
            "cuda/unary.cuh",
            "#define UNARY(T, NAME) extern \"C\" __global__ void NAME(const T* x, T* y, unsigned n) {}\n",
        ),
        (
            "cuda/unary.cu",
            "#include \"unary.cuh\"\nUNARY(float, uexp_f32)\n#ifdef HALF\nUNARY(__half, uexp_f16)\n#endif\n",
        ),
    ]);
    let arguments = r#"source = "cuda/unary.cu", module = "mine::unary", defines("HALF")"#;
    let expansion = package.expand(arguments, "/// Mine.\nmod unary {}");
    assert_eq!(expansion.names(), ["launch_uexp_f32", "UEXP_F32", "launch_uexp_f16", "UEXP_F16"]);
    assert!(expansion.docs_of("launch_uexp_f32").contains("(cuda/unary.cu:2, from the macro `UNARY`)"));
    assert_eq!(expansion.docs(), "Mine.\n\nThe kernels of `cuda/unary.cu`.");
    let text = expansion.tokens.to_string();
    assert!(text.contains("Module :: new (\"mine::unary\")"), "{text}");
    // The source is embedded, and the header tracked.
    assert!(text.contains("include_str ! (:: core :: concat ! (:: core :: env ! (\"CARGO_MANIFEST_DIR\") , \"/cuda/unary.cu\"))"), "{text}");
    assert!(text.contains("\"/cuda/unary.cuh\""), "{text}");
}

#[test]
fn a_kernel_of_cpp_is_declared_by_its_name_there() {
    let text = "namespace fft { __global__ void plain(float* x) {} }\n\
                template <typename T, int N = 4> __global__ void scale(T* x, T by) {}\n\
                template __global__ void scale<float>(float*, float);\n\
                template __global__ void scale<__half, 2>(__half*, __half);\n";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.warning(), None);
    assert_eq!(
        expansion.kernels(),
        [
            "fft::plain(x: *mut f32)",
            "scale<float>(x: *mut f32, by: f32)",
            "scale<__half, 2>(x: *mut f16, by: f16)"
        ]
    );
    assert_eq!(
        expansion.names(),
        [
            "launch_plain",
            "PLAIN",
            "launch_scale_float_4",
            "SCALE_FLOAT_4",
            "launch_scale_half_2",
            "SCALE_HALF_2"
        ]
    );
}

#[test]
fn the_items_of_the_body_stay() {
    let expansion = bound(
        "extern \"C\" __global__ void k() {}",
        "#![allow(missing_docs)] use super::Other; pub struct Own; const N: usize = 3;",
    );
    let text = expansion.tokens.to_string();
    assert!(text.contains("# [allow (missing_docs)]"), "{text}");
    assert!(text.contains("{ use super :: Other ; pub struct Own ; const N : usize = 3 ;"), "{text}");
    assert_eq!(expansion.names(), ["launch_k", "K"]);
}

#[test]
fn a_kernel_that_the_body_declares_is_not_bound_again() {
    let text = "extern \"C\" __global__ void a() {}\nextern \"C\" __global__ void b() {}\n\
                namespace n { __global__ void c() {} }\ntemplate <class T> __global__ void d(T x) {}\n\
                extern \"C\" __global__ void e() {}";
    let body = "#[kernel(source = \"k.cu\")] unsafe extern \"C\" {\n\
                pub unsafe fn a(); #[link_name = \"b\"] pub unsafe fn other(); #[instance(\"n::c\")] fn c2();\n\
                #[instance(\"d<float>\")] fn d_float(x: f32); }";
    let expansion = bound(text, body);
    assert_eq!(expansion.names(), ["launch_e", "E"]);
    assert_eq!(expansion.docs(), "The kernels of `k.cu`.");
    assert_eq!(expansion.warning(), None);
}

#[test]
fn only_and_skip_choose_among_the_kernels() {
    let text = "extern \"C\" __global__ void a() {}\nextern \"C\" __global__ void b() {}\n\
                template <class T> __global__ void c(T x) {}";
    let package = Package::with(&[("k.cu", text)]);
    let expansion = package.expand(r#"source = "k.cu", skip("b", "c")"#, "mod k {}");
    assert_eq!(expansion.names(), ["launch_a", "A"]);
    assert_eq!(expansion.docs(), "The kernels of `k.cu`.\n\nLeft out on request: `b`, `c`.");
    assert_eq!(expansion.warning(), None);
    let expansion = package.expand(r#"source = "k.cu", only("b")"#, "mod k {}");
    assert_eq!(expansion.names(), ["launch_b", "B"]);
    assert_eq!(expansion.docs(), "The kernels of `k.cu`.\n\nLeft out on request: `a`, `c`.");
    assert_eq!(expansion.messages(), Vec::<String>::new());
}

#[test]
fn what_is_not_bound_is_listed_and_warned_of() {
    let text = "extern \"C\" __global__ void fine() {}\n\
                template <class T, int N> __global__ void templated(T* x) {}\n\
                namespace { __global__ void local(int n) {} }\n\
                extern \"C\" __global__ void declared(int n);\n\
                extern \"C\" __global__ void hidden(Hidden by_value) {}\n\
                extern \"C\" __global__ void wide(__int128 n) {}\n\
                extern \"C\" __global__ void pack(auto... all) {}\n\
                __global__ void twice(int n) {}\n__global__ void twice(float x) {}\n";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.names(), ["launch_fine", "FINE"]);
    let docs = expansion.docs();
    let lines: Vec<&str> = docs.lines().skip_while(|line| *line != "# Not bound").skip(2).collect();
    assert_eq!(
        lines,
        [
            "- `templated` (k.cu:2): it is a template: declare its instances in an `extern \"C\"` block, as in `#[instance(\"templated<float, 4>\")]`",
            "- `(anonymous namespace)::local` (k.cu:3): it is local to its file, so its name in the module is made up by the compiler: take it out of the namespace without a name, or name the `image` that is loaded",
            "- `declared` (k.cu:4): it is only declared here: bind the file that has its body",
            "- `hidden` (k.cu:5): parameter `by\u{5f}value`: `Hidden` is not defined in the files read",
            "- `wide` (k.cu:6): parameter `n`: `__int128` has no Rust type that is passed alike",
            "- `pack` (k.cu:7): it takes any number of parameters",
            "- `twice` (k.cu:8): there are several of this name, which their names in C++ do not tell apart: rename one, or name the `image` that is loaded, which has their symbols",
            "- `twice` (k.cu:9): there are several of this name, which their names in C++ do not tell apart: rename one, or name the `image` that is loaded, which has their symbols",
        ]
    );
    let warning = expansion.warning().expect("there is one");
    let lines: Vec<&str> = warning.lines().collect();
    assert_eq!(lines[0], "8 kernels of k.cu cannot be bound");
    assert!(lines[1].starts_with("  `templated` (k.cu:2): it is a template"), "{warning}");
    assert_eq!(lines.len(), 11);
    assert_eq!(lines[9], "`skip(\"…\")` in the attribute leaves a kernel out without a word");
    assert!(lines[10].starts_with("nothing is deprecated: "), "{warning}");
}

#[test]
fn a_long_warning_ends_with_a_number() {
    let text: String =
        (0..20).map(|n| format!("template <class T> __global__ void k{n}(T x) {{}}\n")).collect();
    let expansion = bound(&text, "");
    let warning = expansion.warning().expect("there is one");
    assert!(warning.contains("\n  and 12 more, which the module's documentation lists\n"), "{warning}");
    assert_eq!(expansion.docs().matches("it is a template").count(), 20);
    // Nothing embeds the source, whose change has to expand the module again.
    assert!(expansion.tokens.to_string().contains("include_bytes"));
}

#[test]
fn what_may_hide_a_kernel_is_listed_too() {
    let text = "\n#if sizeof(int) == 4\n#endif\n\
                extern \"C\" __global__ void fine() {}\nextern \"C\" __global__ void (broken) {}\n";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.names(), ["launch_fine", "FINE"]);
    let (docs, warning) = (expansion.docs(), expansion.warning().expect("there is one"));
    assert!(
        warning.starts_with("k.cu cannot all be read, and may have more kernels than are bound\n  k.cu:2: "),
        "{warning}"
    );
    for line in [
        "k.cu:2: the condition `sizeof(int) == 4` cannot be evaluated",
        "k.cu:5: the kernel's head cannot be read: ",
    ] {
        assert!(docs.contains(&format!("\n- {line}")), "{docs}");
        assert!(warning.contains(&format!("\n  {line}")), "{warning}");
    }
    let package = Package::with(&[("k.cu", text)]);
    let expansion = package.expand(r#"source = "k.cu", only("fine")"#, "mod k {}");
    assert_eq!(expansion.warning(), None, "those that are asked for are there");
}

#[test]
fn the_kernels_of_the_repository_are_bound_as_their_authors_declared_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let site = Site { manifest_dir: Some(root.clone()), out_dir: None };
    let mut files = 0;
    for file in fs::read_dir(root.join("cuda")).expect("it is there") {
        let file = file.expect("it is read").path();
        if file.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        files += 1;
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let by_hand = fs::read_to_string(root.join(format!("src/{stem}.rs"))).expect("it is there");
        let by_hand = syn::parse_file(&by_hand).expect("it is Rust");
        let block = by_hand.items.into_iter().find_map(|item| match item {
            syn::Item::ForeignMod(block) => Some(block),
            _ => None,
        });
        let mut block = block.expect("it declares its kernels");
        let syn::Meta::List(attribute) = block.attrs.remove(0).meta else { panic!("it has arguments") };
        let arguments = || attribute.tokens.clone();
        let declared = kernel(arguments(), &quote::quote!(#block), &site);
        let declared = Expansion::of(quote::quote!(mod declared { #declared }));
        let bound = quote::quote!(
            mod bound {
                use crate::reference::RopeParams;
            }
        );
        let bound = Expansion::of(kernel(arguments(), &bound, &site));
        assert_eq!(bound.messages(), Vec::<String>::new(), "{stem}");
        // A family is declared once, and bound instance by instance.
        if stem == "convert" {
            assert_eq!(bound.kernels().len(), 6, "{:?}", bound.kernels());
            continue;
        }
        let sorted = |mut all: Vec<String>| {
            all.sort();
            all
        };
        assert_eq!(sorted(bound.names()), sorted(declared.names()), "{stem}");
        assert_eq!(sorted(bound.kernels()), sorted(declared.kernels()), "{stem}");
        assert_eq!(bound.warning(), None, "{stem}");
    }
    assert_eq!(files, 14);
}

#[test]
fn a_block_in_the_body_is_of_the_modules_file_unless_it_names_another() {
    let text = "#ifdef ON\nextern \"C\" __global__ void a() {}\n#endif\nextern \"C\" __global__ void b() {}";
    let package = Package::with(&[("k.cu", text)]);
    for (own, body, expected) in [
        (
            "#[kernel]",
            "",
            "# [warpcall :: kernel (source = \"k.cu\" , defines (\"ON\") , crate = warpcall ,)]",
        ),
        (
            "#[kernel()]",
            "use x::kernel;",
            "# [kernel (source = \"k.cu\" , defines (\"ON\") , crate = warpcall ,)]",
        ),
        (
            "#[kernel(defines(\"N\"),)]",
            "",
            "# [warpcall :: kernel (defines (\"N\") , source = \"k.cu\" , crate = warpcall ,)]",
        ),
        (
            "#[kernel(source = \"j.cu\")]",
            "",
            "# [warpcall :: kernel (source = \"j.cu\" , crate = warpcall ,)]",
        ),
        ("#[w::kernel(module = \"m\", crate = w)]", "", "# [w :: kernel (module = \"m\" , crate = w ,)]"),
    ] {
        let item = format!("mod k {{ {body} {own} unsafe extern \"C\" {{ fn a(); }} }}");
        let expansion = package.expand(r#"source = "k.cu", defines("ON"), crate = warpcall"#, &item);
        assert_eq!(expansion.messages(), Vec::<String>::new());
        assert_eq!(expansion.names(), ["launch_b", "B"]);
        let tokens = expansion.tokens.to_string();
        assert!(tokens.contains(expected), "{tokens}");
    }
}

#[test]
fn an_instance_is_advised_only_of_a_template_whose_names_are_followed() {
    let warning = |text: &str| bound(text, "").warning().expect("there is one");
    for hard in ["template <typename> class C", "typename... Ts"] {
        let text = warning(&format!("template <{hard}> __global__ void t(float* x) {{}}"));
        assert!(
            text.contains("it is a template, and no name in C++ is followed through its parameters"),
            "{text}"
        );
    }
    assert!(
        warning("template <typename T> __global__ void t(T* x) {}").contains("#[instance(\"t<float>\")]")
    );
}
