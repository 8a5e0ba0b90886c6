//! `warpcall bind`: what is printed, as text and as syntax.

mod common;

use std::path::{Path, PathBuf};

use common::{data, kernel_source, run};
use quote::ToTokens as _;
use syn::{FnArg, ForeignItem, Item, Pat};
use warpcall_cli::Outcome;

/// Binds a text as `cuda/k.cu` under a root of its own.
fn bind_text(text: &str, more: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cuda/k.cu");
    std::fs::create_dir(folder.path().join("cuda")).expect("it is made");
    std::fs::write(&file, text).expect("it is written");
    let root = folder.path().display().to_string();
    let outcome = run(&[&["bind", &file.display().to_string(), "--root", &root], more].concat());
    syn::parse_file(&outcome.output).expect("it is Rust");
    outcome
}

fn assert_has(outcome: &Outcome, text: &str) {
    assert!(outcome.output.contains(text), "no `{text}` in:\n{}", outcome.output);
}

/// A kernel's name and its parameters, as a block of `#[kernel]` declares them.
type Declared = (String, Vec<(String, String)>);

/// The kernels of all blocks of a file, and the arguments of the last block's attribute.
fn declared(text: &str) -> (Vec<Declared>, String) {
    let file = syn::parse_file(text).expect("it is Rust");
    let (mut kernels, mut arguments) = (Vec::new(), String::new());
    for item in file.items {
        let Item::ForeignMod(block) = item else { continue };
        arguments = block.attrs[0].meta.to_token_stream().to_string();
        for item in block.items {
            let ForeignItem::Fn(function) = item else { panic!("a block holds functions") };
            assert!(matches!(function.vis, syn::Visibility::Public(_)));
            let parameter = |argument: &FnArg| {
                let FnArg::Typed(typed) = argument else { panic!("a parameter has a type") };
                let Pat::Ident(name) = &*typed.pat else { panic!("a parameter has a name") };
                (name.ident.to_string(), typed.ty.to_token_stream().to_string())
            };
            let parameters = function.sig.inputs.iter().map(parameter).collect();
            kernels.push((function.sig.ident.to_string(), parameters));
        }
    }
    (kernels, arguments)
}

/// Name and type of each field of the struct `name`.
fn fields(text: &str, name: &str) -> Vec<(String, String)> {
    let file = syn::parse_file(text).expect("it is Rust");
    let found = file.items.into_iter().find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(found),
        _ => None,
    });
    let of_field = |field: &syn::Field| {
        let name = field.ident.as_ref().expect("a field has a name").to_string();
        (name, field.ty.to_token_stream().to_string())
    };
    found.expect("it is there").fields.iter().map(of_field).collect()
}

#[test]
fn the_kernels_of_the_repository_are_bound_as_their_authors_declared_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let mut count = 0;
    for file in std::fs::read_dir(root.join("cuda")).expect("it is there") {
        let file = file.expect("it is read").path();
        if file.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let outcome = run(&["bind", &file.display().to_string(), "--root", &root.display().to_string()]);
        assert_eq!((outcome.code, &*outcome.errors), (0, ""));
        // By hand it is one family of all instances.
        if stem == "convert" {
            assert_eq!(outcome.output.matches("    #[instance(\"convert<").count(), 6, "{}", outcome.output);
            continue;
        }
        let by_hand = std::fs::read_to_string(root.join(format!("src/{stem}.rs"))).expect("it is there");
        let (expected, _) = declared(&by_hand);
        let (kernels, arguments) = declared(&outcome.output);
        let sorted = |mut kernels: Vec<Declared>| {
            kernels.sort();
            kernels
        };
        count += kernels.len();
        assert_eq!(sorted(kernels), sorted(expected), "{stem}");
        assert_eq!(arguments, format!("kernel (module = \"{stem}\" , source = \"cuda/{stem}.cu\")"));
    }
    assert!(count > 30, "{count}");
}

#[test]
fn a_struct_by_value_has_the_fields_of_the_one_declared_by_hand() {
    let outcome = run(&["bind", &kernel_source("rope.cu")]);
    let by_hand = format!("{}/../kernels/src/reference/rope.rs", env!("CARGO_MANIFEST_DIR"));
    let by_hand = std::fs::read_to_string(by_hand).expect("it is there");
    let expected = fields(&by_hand, "RopeParams");
    assert_eq!(expected.len(), 7);
    assert_eq!(fields(&outcome.output, "RopeParams"), expected);
}

#[test]
fn the_comment_above_a_kernel_becomes_its_documentation() {
    let outcome =
        bind_text("/// Adds.\n///\n/// Launch: any grid.\nextern \"C\" __global__ void add(int n) {}", &[]);
    let expected = "\
use warpcall::kernel;

#[kernel(module = \"k\", source = \"cuda/k.cu\")]
unsafe extern \"C\" {
    /// Adds.
    ///
    /// Launch: any grid.
    pub unsafe fn add(n: i32);
}
";
    assert_eq!((outcome.code, &*outcome.output, &*outcome.errors), (0, expected, ""));
}

#[test]
fn a_kernel_without_a_comment_is_documented_with_its_place() {
    assert_has(
        &bind_text("\nextern \"C\" __global__ void k() {}", &[]),
        "    /// `k`, k.cu:2.\n    pub unsafe fn k();\n",
    );
}

#[test]
fn each_type_has_its_namesake() {
    for (cuda, rust) in [
        ("bool", "bool"),
        ("char", "i8"),
        ("unsigned char", "u8"),
        ("short", "i16"),
        ("unsigned short", "u16"),
        ("int", "i32"),
        ("unsigned int", "u32"),
        ("long", "i64"),
        ("unsigned long long", "u64"),
        ("size_t", "usize"),
        ("ptrdiff_t", "isize"),
        ("uint64_t", "u64"),
        ("float", "f32"),
        ("double", "f64"),
        ("half", "f16"),
        ("__nv_bfloat16", "bf16"),
        ("__nv_fp8_e4m3", "F8E4M3"),
        ("__nv_fp8_e5m2", "F8E5M2"),
        ("float4", "Float4"),
        ("uchar3", "Uchar3"),
        ("__half2", "Half2"),
        ("dim3", "Uint3"),
        ("CUtensorMap", "TensorMap"),
        ("const __grid_constant__ CUtensorMap", "TensorMap"),
        ("const float", "f32"),
        ("float*", "* mut f32"),
        ("const float* __restrict__", "* const f32"),
        ("float* const", "* mut f32"),
        ("const size_t*", "* const usize"),
        ("void*", "* mut c_void"),
        ("const void*", "* const c_void"),
        ("const float* const*", "* const * const f32"),
        ("float**", "* mut * mut f32"),
        ("const half*", "* const f16"),
        ("float4*", "* mut Float4"),
        ("const int&", "* const i32"),
    ] {
        let outcome = bind_text(&format!("extern \"C\" __global__ void k({cuda} x) {{}}"), &[]);
        let (kernels, _) = declared(&outcome.output);
        assert_eq!(kernels, [("k".to_owned(), vec![("x".to_owned(), rust.to_owned())])], "{cuda}");
        assert!(!outcome.output.contains("unchecked"), "{}", outcome.output);
    }
}

#[test]
fn what_is_used_is_imported_and_nothing_else() {
    let outcome = bind_text("extern \"C\" __global__ void k(half h, void* p, float4 f, int n) {}", &[]);
    let head = "use std::ffi::c_void;\n\nuse half::f16;\nuse warpcall::{Float4, kernel};\n\n#[kernel(";
    assert!(outcome.output.starts_with(head), "{}", outcome.output);
}

#[test]
fn a_kernel_that_cannot_be_bound_is_a_comment_with_the_reason() {
    let text = "template <class T> __global__ void templated(T* x) {}\n\
                __global__ void mangled(int n) {}\n\
                static __global__ void local(int n) {}\n\
                extern \"C\" __global__ void declared(int n);\n\
                extern \"C\" __global__ void hidden(float4 used, Hidden by_value) {}\n\
                extern \"C\" __global__ void wide(__int128 n) {}\n\
                extern \"C\" __global__ void pack(auto... all) {}\n\
                extern \"C\" __global__ void fine(int n) {}\n";
    let outcome = bind_text(text, &[]);
    assert_eq!(outcome.code, 0);
    for reason in [
        "// `templated` is not bound: it is a template",
        "    #[instance(\"mangled\")]\n    pub unsafe fn mangled(n: i32);",
        "    #[instance(\"local\")]\n    pub unsafe fn local(",
        "// `declared` is not bound: it is only declared here",
        "// `hidden` is not bound: parameter `by_value`: `Hidden` is not defined in the files read",
        "// `wide` is not bound: parameter `n`: `__int128` has no Rust type that is passed alike",
        "// `pack` is not bound: it takes any number of parameters",
        "pub unsafe fn fine(n: i32);",
    ] {
        assert_has(&outcome, reason);
    }
    assert!(!outcome.output.contains("Float4"), "{}", outcome.output);
    assert!(outcome.errors.contains("5 kernels are not bound"), "{}", outcome.errors);
}

#[test]
fn a_head_that_makes_no_sense_and_a_header_that_is_missing_are_comments() {
    let outcome = bind_text("#include \"nowhere.h\"\nextern \"C\" __global__ void (broken) {}\n", &[]);
    assert_has(&outcome, "k.cu:1: the header \"nowhere.h\" is not found");
    assert_has(&outcome, "k.cu:2: the kernel's head cannot be read");
    assert!(!outcome.output.contains("#[kernel"), "an empty block does not compile: {}", outcome.output);
}

#[test]
fn a_pointer_to_what_rust_has_no_type_for_is_void_and_not_compared() {
    let outcome = bind_text("struct Node; extern \"C\" __global__ void k(const Node* node, int n) {}", &[]);
    let expected = "        // `Node` is not defined in the files read: any memory is taken
        #[unchecked]
        node: *const c_void,
        n: i32,
";
    assert_has(&outcome, expected);
}

#[test]
fn a_struct_keeps_its_alignment_and_its_gaps() {
    let text = "struct Base { virtual void f(); int x; };\n\
                struct alignas(32) Wide : Base { const float* p; short s; };\n\
                extern \"C\" __global__ void k(Wide w) {}";
    let outcome = bind_text(text, &[]);
    assert_has(&outcome, "#[repr(C, align(32))]\n#[derive(Clone, Copy, KernelParam)]\npub struct Wide {");
    let of = |name: &str, ty: &str| (name.to_owned(), ty.to_owned());
    let expected = [of("_padding0", "[u8 ; 8]"), of("x", "i32"), of("p", "DevicePtr"), of("s", "i16")];
    assert_eq!(fields(&outcome.output, "Wide"), expected);
}

#[test]
fn a_packed_struct_is_not_bound() {
    let text = "#pragma pack(push, 1)\nstruct Packed { char c; int n; };\n#pragma pack(pop)\n\
                extern \"C\" __global__ void k(Packed p) {}";
    let outcome = bind_text(text, &[]);
    assert_has(&outcome, "`k` is not bound: parameter `p`: ");
    assert!(!outcome.output.contains("struct Packed"), "{}", outcome.output);
}

#[test]
fn what_only_a_struct_without_layout_holds_is_not_written() {
    let text = "struct Inner { float* p; }; struct Outer { Inner inner; Hidden hidden; };\n\
                struct Packed { Inner inner; __int128 wide; };\n\
                extern \"C\" __global__ void k(Outer* o, Packed* p) {}";
    let outcome = bind_text(text, &[]);
    assert!(!outcome.output.contains("struct"), "{}", outcome.output);
    assert!(
        outcome.output.starts_with("use std::ffi::c_void;\n\nuse warpcall::kernel;\n"),
        "{}",
        outcome.output
    );
}

#[test]
fn defines_and_include_folders_stand_in_the_declaration() {
    let text = "#if WIDTH == 4\nextern \"C\" __global__ void k(float4 x) {}\n#endif\n";
    let outcome = bind_text(text, &["-DWIDTH=4", "-D", "FAST", "-I", "headers"]);
    assert_has(&outcome, "defines(\"WIDTH=4\", \"FAST\"), include(\"headers\"))]");
    assert_has(&outcome, "pub unsafe fn k(x: Float4);");
}

#[test]
fn a_source_and_the_image_of_its_stem_are_one_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.display().to_string()
    };
    let source = write(
        "k.cu",
        "extern \"C\" __global__ void a(int n) {}\nextern \"C\" __global__ void b(int n) {}\n\
         template <class T> __global__ void t(T n) {}\n",
    );
    let ptx = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry a(.param .u32 a_param_0) { ret; }\n\
               .visible .entry _Z1tIfEvT_(.param .f32 p) { ret; }\n";
    let image = write("k.ptx", ptx);
    let root = folder.path().display().to_string();
    for files in [[&source, &image], [&image, &source]] {
        let outcome = run(&["bind", files[0], files[1], "--root", &root]);
        assert_eq!(outcome.code, 0, "{}", outcome.errors);
        assert_has(&outcome, "\n#[kernel(module = \"k\", source = \"k.cu\", image = \"k.ptx\")]\nunsafe");
        assert_has(&outcome, "pub unsafe fn a(n: i32);");
        assert_has(&outcome, "// `b` is not bound: the image has no kernel of this name");
        assert_has(&outcome, "#[instance(\"t<float>\")]\n    pub unsafe fn t_float(n: f32);");
        assert!(!outcome.output.contains("pub mod"), "{}", outcome.output);
    }
    // With two images nothing tells which of them is meant.
    let other = write("k.cubin.ptx", ptx);
    let second = folder.path().join("more");
    std::fs::create_dir(&second).expect("it is made");
    std::fs::copy(&image, second.join("k.ptx")).expect("it is copied");
    let second = second.join("k.ptx").display().to_string();
    let outcome = run(&["bind", &source, &image, &second, &other, "--root", &root]);
    assert_eq!(outcome.output.matches("pub mod").count(), 4, "{}", outcome.output);
}

#[test]
fn files_of_one_name_give_modules_of_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for part in ["a", "b"] {
        let file = folder.path().join(part).join("norm.cu");
        std::fs::create_dir(folder.path().join(part)).expect("it is made");
        std::fs::write(&file, "extern \"C\" __global__ void norm(int n) {}").expect("it is written");
        files.push(file.display().to_string());
    }
    let root = folder.path().display().to_string();
    let outcome = run(&["bind", &files[0], "missing.cu", &files[1], "--root", &root]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.errors.contains("`missing.cu` cannot be read"), "{}", outcome.errors);
    assert_has(&outcome, "pub mod norm {\n    use warpcall::kernel;\n");
    assert_has(&outcome, "    #[kernel(module = \"norm\", source = \"a/norm.cu\")]\n");
    assert_has(&outcome, "pub mod norm_2 {\n");
    assert_has(&outcome, "    #[kernel(module = \"norm_2\", source = \"b/norm.cu\")]\n");
    syn::parse_file(&outcome.output).expect("it is Rust");
}

#[test]
fn a_path_outside_of_the_root_leads_up_to_it() {
    let root = format!("{}/src", env!("CARGO_MANIFEST_DIR"));
    let outcome = run(&["bind", &kernel_source("saxpy.cu"), "--root", &root]);
    assert_has(&outcome, "source = \"../../kernels/cuda/saxpy.cu\"");
    let outcome = run(&["bind", &kernel_source("saxpy.cu"), "--root", "nowhere"]);
    assert_eq!((outcome.code, &*outcome.output), (2, ""));
    assert!(outcome.errors.contains("`nowhere` is no folder"), "{}", outcome.errors);
}

#[test]
fn an_image_binds_what_its_mangled_names_tell_each_kernel_once() {
    let outcome = run(&["bind", &data("images_zstd.fatbin")]);
    let link = "    #[link_name = \"_ZN6detail4fillIfLi4EEEvPT_S1_j\"]\n    pub unsafe fn fill_float_4(";
    assert_has(&outcome, link);
    assert_eq!(outcome.output.matches(link).count(), 1);
    assert_has(&outcome, "image = ");
    assert_has(
        &outcome,
        "// `scale` is not bound: parameter 1: its type is not kept: 8 bytes; bind the CUDA source",
    );
    assert_eq!(outcome.output.matches("`scale` is not bound").count(), 1);
}

#[test]
fn what_ptx_tells_of_a_kernel_without_types_is_bound_where_it_says_it_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.ptx");
    let text = ".version 8.8\n.target sm_100\n.address_size 64\n\
        .visible .entry told(.param .u64 .ptr .global .align 4 told_param_0, .param .f32 told_param_1, .param .f64 by) { ret; }\n\
        .visible .entry signed(.param .u64 .ptr .align 1 x, .param .u32 n) { ret; }\n\
        .visible .entry address(.param .u64 x) { ret; }\n\
        .visible .entry window(.param .u64 .ptr .shared .align 4 x) { ret; }\n\
        .visible .entry bytes(.param .align 8 .b8 x[24]) { ret; }\n";
    std::fs::write(&file, text).expect("it is written");
    let outcome = run(&["bind", &file.display().to_string(), "--root", &folder.path().display().to_string()]);
    assert_has(&outcome, "pub unsafe fn told(arg0: *mut c_void, arg1: f32, by: f64);");
    for reason in [
        "`signed` is not bound: parameter `n`: its type is not kept: an integer with or without sign;",
        "`address` is not bound: parameter `x`: its type is not kept: an integer with or without sign, or a pointer;",
        "`window` is not bound: parameter `x`: its type is not kept: an integer with or without sign, or a pointer;",
        "`bytes` is not bound: parameter `x`: its type is not kept: 24 bytes;",
    ] {
        assert_has(&outcome, reason);
    }
}

#[test]
fn a_field_spelled_as_a_size_is_one() {
    let text = "typedef unsigned long long Wide; struct Sizes { size_t n, each[2]; const std::ptrdiff_t* at; Wide w; uint64_t u; };\n\
                extern \"C\" __global__ void k(Sizes s) {}";
    let outcome = bind_text(text, &[]);
    let of = |name: &str, ty: &str| (name.to_owned(), ty.to_owned());
    let expected =
        [of("n", "usize"), of("each", "[usize ; 2]"), of("at", "DevicePtr"), of("w", "u64"), of("u", "u64")];
    assert_eq!(fields(&outcome.output, "Sizes"), expected);
}

/// That `bound/NAME` is what is printed for `files`. With `UPDATE=1` it is written anew.
fn assert_kept(name: &str, files: &[String]) {
    let root = env!("CARGO_MANIFEST_DIR");
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let outcome = run(&[&["bind", "--root", root], &files[..]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.errors);
    let path = Path::new(root).join("tests/bound").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &outcome.output).expect("it is written");
    }
    let kept = std::fs::read_to_string(&path).expect("it is there");
    assert!(
        kept == outcome.output,
        "{name} is not what is printed: run `UPDATE=1 cargo test -p warpcall-cli --test bind`"
    );
}

#[test]
fn the_declarations_of_the_repository_s_kernels_are_those_that_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/cuda");
    let entries =
        std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is read").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "cu")).collect();
    files.sort();
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    assert_kept("kernels.rs", &files);
}

#[test]
fn the_declarations_of_parameters_of_every_kind_are_those_that_compile() {
    let own = format!("{}/tests/data/odd.cu", env!("CARGO_MANIFEST_DIR"));
    let data = ["abi.cu", "heads.cu", "images.cu", "images_plain.fatbin"].map(data);
    assert_kept("shapes.rs", &[&[own], &data[..]].concat());
}

#[test]
fn an_enumeration_whose_size_is_not_known_is_not_bound() {
    let outcome = bind_text("enum E { A = UNKNOWN << 40 };\nextern \"C\" __global__ void k(E e) {}\n", &[]);
    assert_has(
        &outcome,
        "`k` is not bound: parameter `e`: `E` has no Rust type: the enumerator `A` cannot be evaluated: `UNKNOWN` is not \
         defined in the files read",
    );
}
