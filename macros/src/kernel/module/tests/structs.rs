use super::{Package, bound, ptx};

const TEXT: &str = "struct Params { unsigned rows; float scale; };\n\
                    extern \"C\" __global__ void k(Params p, const Params* all) {}";

#[test]
fn a_struct_is_the_type_of_its_name_in_the_body() {
    for body in [
        "use super::Params;",
        "use super::{Other, Params};",
        "use super::types::Rows as Params;",
        "use super::*;",
        "pub struct Params { rows: u32, scale: f32 }",
        "type Params = super::Other;",
        "include!(\"params.rs\");",
    ] {
        let expansion = bound(TEXT, body);
        assert_eq!(expansion.messages(), Vec::<String>::new(), "{body}");
        assert_eq!(expansion.kernels(), ["k(p: Params, all: *const Params)"], "{body}");
        assert_eq!(expansion.warning(), None, "{body}");
        // Its members are compared with those of CUDA.
        assert!(expansion.tokens.to_string().contains("proof ::"), "{body}");
    }
}

#[test]
fn a_struct_that_the_body_has_not_leaves_its_kernel_out() {
    let expansion = bound(TEXT, "use super::Other;");
    assert_eq!(expansion.names(), Vec::<String>::new());
    assert!(
        expansion.docs().ends_with(
            "- `k` (k.cu:2): parameter `p`: `Params` is a struct, and the module has no type of this name: declare it with \
             `#[repr(C)]` and `#[derive(KernelParam)]`, and bring it in, as in `use super::Params;`"
        ),
        "{}",
        expansion.docs()
    );
    let behind_a_pointer = "struct Params { int n; };\nextern \"C\" __global__ void k(Params* all) {}";
    assert_eq!(bound(behind_a_pointer, "").names(), Vec::<String>::new());
}

#[test]
fn a_struct_may_be_called_as_rust_calls_it() {
    let text = "struct rope_params { int n; };\nnamespace a { template <class T> struct Op { T x; }; }\n\
                extern \"C\" __global__ void k(rope_params p, a::Op<float> op) {}";
    let expansion = bound(text, "use super::{OpFloat, RopeParams};");
    assert_eq!(expansion.kernels(), ["k(p: RopeParams, op: OpFloat)"]);
    let expansion = bound(text, "use super::{OpFloat, rope_params};");
    assert_eq!(expansion.kernels(), ["k(p: rope_params, op: OpFloat)"]);
    let expansion = bound(text, "use super::*;");
    assert_eq!(expansion.kernels(), ["k(p: RopeParams, op: OpFloat)"]);
}

#[test]
fn what_is_not_defined_is_memory_of_any_kind_behind_a_pointer() {
    let text = "struct Node; extern \"C\" __global__ void k(const Node* node, int n) {}";
    let expansion = bound(text, "");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.kernels(), ["k(node: *const c_void, n: i32)"]);
    let docs = expansion.docs_of("launch_k");
    let reason =
        "`node` is not compared with it, as `Node` is not defined in the files read: any memory is taken.";
    assert!(docs.contains(reason), "{docs}");
    // Unless the body has a type of its name.
    assert_eq!(bound(text, "use super::Node;").kernels(), ["k(node: *const Node, n: i32)"]);
    assert_eq!(bound(text, "use super::*;").kernels(), ["k(node: *const c_void, n: i32)"]);
}

#[test]
fn a_value_that_is_not_defined_takes_an_image_that_tells_its_size() {
    let source = "#include <lib/params.h>\nextern \"C\" __global__ void k(Params p) {}";
    let image = ptx(".visible .entry k(.param .align 4 .b8 k_param_0[8]) { ret; }");
    let package = Package::with(&[("k.cu", source), ("k.ptx", &image)]);
    let without = package.expand(r#"source = "k.cu""#, "mod k { use super::Params; }");
    assert_eq!(without.names(), Vec::<String>::new());
    assert!(without.docs().contains("parameter `p`: `Params` is not defined in the files read"));
    let with = package.expand(r#"source = "k.cu", image = "k.ptx""#, "mod k { use super::Params; }");
    assert_eq!(with.messages(), Vec::<String>::new());
    assert_eq!(with.kernels(), ["k(p: Params)"]);
    // The compiler compares its size and alignment.
    assert!(with.tokens.to_string().contains("& __WARPCALL_FOUND , 8 ,"));
}

#[test]
fn a_struct_without_a_name_and_one_that_cannot_be_laid_out() {
    let text = "extern \"C\" __global__ void unnamed(struct { int n; } p) {}\n\
                struct Odd { Hidden h; };\nextern \"C\" __global__ void odd(Odd o) {}";
    let expansion = bound(text, "use super::*;");
    assert_eq!(expansion.names(), Vec::<String>::new());
    assert!(
        expansion.docs().contains("`odd` (k.cu:3): parameter `o`: `Odd` has no known layout"),
        "{}",
        expansion.docs()
    );
    assert!(expansion.docs().contains("`unnamed` (k.cu:1)"), "{}", expansion.docs());
}

#[test]
fn a_struct_is_called_by_its_typedef_and_one_without_a_name_by_its_place_in_the_package() {
    let text = "typedef struct { float x, y; } Pair;\nstruct Nested { struct { int a; } inner; };\n\
                extern \"C\" __global__ void k(Pair p, Nested n) {}";
    let package = Package::with(&[("k.cu", text)]);
    let expansion = package
        .expand(r#"source = "k.cu", crate = warpcall, only("k")"#, "mod k { use super::{Nested, Pair}; }");
    assert_eq!(expansion.messages(), Vec::<String>::new());
    assert_eq!(expansion.kernels(), ["k(p: Pair, n: Nested)"]);
    let tokens = expansion.tokens.to_string();
    assert!(tokens.contains("`(unnamed at k.cu:2) inner` at offset 0, in the struct at k.cu:2"), "{tokens}");
    assert!(!tokens.contains(&package.folder.path().display().to_string()), "{tokens}");
}
