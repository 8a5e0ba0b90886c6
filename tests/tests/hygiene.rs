//! What the macros generate compiles wherever a user may write a declaration, and says what was declared.
#![allow(missing_docs, reason = "the modules are what a user may write; one of them denies this again")]

#[path = "../compile_pass/bound.rs"]
pub mod bound;
#[path = "../compile_pass/conditional.rs"]
pub mod conditional;
#[path = "../compile_pass/constants.rs"]
pub mod constants;
#[path = "../compile_pass/counts.rs"]
pub mod counts;
#[path = "../compile_pass/files.rs"]
pub mod files;
#[path = "../compile_pass/from_macro_rules.rs"]
pub mod from_macro_rules;
#[path = "../compile_pass/host_functions.rs"]
pub mod host_functions;
#[path = "../compile_pass/instances.rs"]
pub mod instances;
#[path = "../compile_pass/names.rs"]
pub mod names;
#[path = "../compile_pass/no_prelude.rs"]
pub mod no_prelude;
#[path = "../compile_pass/other_names.rs"]
pub mod other_names;
#[path = "../compile_pass/shadowed.rs"]
pub mod shadowed;
#[path = "../compile_pass/statics.rs"]
pub mod statics;
#[path = "../compile_pass/strict_lints.rs"]
pub mod strict_lints;
#[path = "../compile_pass/through_another_crate.rs"]
pub mod through_another_crate;

use warpcall::{KernelField, KernelParam, ParameterKind};

/// The names of a kernel's parameters.
fn names(kernel: &warpcall::Kernel) -> Vec<&'static str> {
    kernel.parameters().iter().map(warpcall::Parameter::name).collect()
}

#[test]
fn a_type_may_name_constants_of_any_name() {
    assert_eq!(constants::FILL.parameters()[0].size(), 8);
}

#[test]
fn the_static_says_what_was_declared() {
    assert_eq!(
        no_prelude::EVERY_KIND.to_string(),
        "every_kind(read: *const f32, write: *mut f32, untyped: *mut c_void, table: *const *const f32, \
         bias: *const f32, mask: *mut u8, flag: bool, vector: ::warpcall::Float4, params: Params, pair: Pair, \
         map: TensorMap)"
    );
    let nullable = |index: usize| {
        matches!(
            no_prelude::EVERY_KIND.parameters()[index].kind(),
            ParameterKind::Pointer { nullable: true, .. }
        )
    };
    assert_eq!([0, 4, 5].map(nullable), [false, true, true]);
}

#[test]
fn a_raw_name_is_known_without_its_prefix() {
    assert_eq!(names::MATCH.name(), "match");
    assert_eq!(names(&names::MATCH), ["in", "mut"]);
    assert_eq!(names(&names::PARAMETERS)[..5], ["stream", "config", "call", "self_", "type"]);
}

#[test]
fn a_parameter_keeps_the_name_of_its_declaration() {
    assert_eq!(names(&statics::GEMM), ["A", "a", "M", "Rows", "N", "n"]);
}

#[test]
fn a_link_name_replaces_the_kernels_own() {
    assert_eq!(from_macro_rules::UEXP_F32.name(), "uexp_f32");
    assert_eq!(from_macro_rules::UEXP_F16.name(), "uexp_half");
    assert_eq!(
        from_macro_rules::UEXP_F16.to_string(),
        "uexp_half(n: usize, x: *const half::f16, y: *mut half::f16, z: *mut half::f16, last: half::f16)"
    );
}

#[test]
fn none_and_forty_seven_parameters() {
    assert_eq!(counts::NONE.parameters().len(), 0);
    assert_eq!(counts::MANY.parameters().len(), 47);
}

#[test]
fn a_condition_chooses_between_two_declarations() {
    assert_eq!(conditional::EITHER.parameters()[0].size(), 4);
    assert_eq!(conditional::SEEN_BY_THE_PARENT.module().name(), "conditional");
}

#[test]
fn the_users_own_types_are_meant() {
    let sizes: Vec<usize> = shadowed::SHADOWED.parameters().iter().map(warpcall::Parameter::size).collect();
    assert_eq!(sizes, [8, 8, 8, 16]);
}

#[test]
fn a_declaration_may_stand_in_a_function() {
    assert_eq!(from_macro_rules::inside_a_function().name(), "local");
}

#[test]
fn a_host_function_comes_with_its_kernel_alone() {
    for kernel in [&host_functions::EVERY_KIND, &host_functions::IN_PLACE, &host_functions::NOTHING] {
        assert!(kernel.host().is_some(), "{kernel}");
    }
    assert!(counts::NONE.host().is_none());
}

#[test]
fn another_path_leads_to_the_same_crate() {
    assert_eq!(through_another_crate::RENAMED.parameters()[1].size(), 4);
    assert_eq!(through_another_crate::ALONE.module().name(), "renamed");
}

#[test]
fn a_module_embeds_its_image_or_else_its_source() {
    let module = files::FROM_SOURCE.module();
    assert_eq!(module.name(), "files");
    assert!(module.image().is_none());
    let source = module.source().expect("the source is embedded");
    assert_eq!(source.path, "compile_pass/files.cu");
    assert!(source.text.contains("__global__ void from_source"));

    let module = files::FROM_IMAGE.module();
    assert_eq!(module.name(), "compiled");
    assert!(module.source().is_none());
    let image = module.image().expect("the image is embedded");
    assert_eq!(image.path, "compile_pass/files.ptx");
    assert!(image.bytes.starts_with(b".version"));
}

#[test]
fn a_source_is_embedded_beside_an_image_with_what_it_is_compiled_with() {
    let module = files::ADD.module();
    assert!(module.image().is_some());
    let source = module.source().expect("it is asked for");
    let headers: Vec<_> = source.headers.iter().map(|header| header.name).collect();
    assert_eq!(headers, ["compiled_at_run_time.cuh", "include/parts.cuh", "parts.cuh", "term.cuh"]);
    assert_eq!(source.headers[1].bytes, b"#include \"parts.cuh\"\n", "the same file by another name");
    assert!(source.headers[3].bytes.starts_with(b"#pragma once"));
    assert_eq!(source.defines, ["PARTS=2"]);
}

#[test]
fn a_struct_is_written_field_by_field_and_its_padding_is_zero() {
    let fields = names::Fields { bytes: 0x0403_0201, r#type: 0x0605, core: 0x0807, self_: 9 };
    assert_eq!(fields.pack().arg().slots(), [0x0807_0605_0403_0201, 9]);
    let mut bytes = [0xff; 12];
    fields.write(&mut bytes);
    assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0xff, 0xff], "padding is not touched");
    assert_eq!(names::Fields::read(&bytes), Some(fields));
}

#[test]
fn a_struct_is_described_field_by_field() {
    let ParameterKind::Struct { name, fields } = names::Fields::DESCRIPTION.kind else {
        panic!("a struct is described as one");
    };
    assert_eq!(name, "Fields");
    let described: Vec<_> =
        fields.iter().map(|field| (field.name, field.rust_type, field.offset, field.size)).collect();
    assert_eq!(
        described,
        [("bytes", "u32", 0, 4), ("type", "u16", 4, 2), ("core", "u16", 6, 2), ("self_", "u8", 8, 1)]
    );
    assert_eq!(names::Fields::DESCRIPTION.size, 12);
}

#[test]
fn an_aligned_struct_and_an_empty_one() {
    assert_eq!(strict_lints::Params::DESCRIPTION.align, 16);
    assert_eq!(strict_lints::Params { rows: 1, scale: 1.0 }.pack().arg().slots(), [0x3f80_0000_0000_0001, 0]);
    assert_eq!(strict_lints::Nothing::DESCRIPTION.size, 1);
    assert_eq!(strict_lints::Nothing.pack().arg().slots(), [0]);
}

#[test]
fn a_family_stands_wherever_a_function_may() {
    let expected =
        ["fill<float>", "fill<double>", "clear<Marker>", "warm_up<float, int>", "warm_up<int, float>"];
    assert_eq!(instances::inner::names(), expected);
    assert_eq!(instances::kernel_of::<f64>().name(), "fill<double>");
    assert_eq!(
        instances::kernel_of::<f32>().to_string(),
        "fill<float>(values: *mut Element, mask: *const [Element; 4], value: Element)"
    );
}

#[test]
fn a_bound_module_says_what_the_source_declares() {
    use bound::elementwise;
    assert_eq!(
        elementwise::ADD_KERNEL.to_string(),
        "addKernel(y: *mut f32, x: *const f32, blockRows: i32, N: i32)"
    );
    assert_eq!(elementwise::MATCH.to_string(), "match(type: i32, self_: i32, arg2: i32, row__count: i32)");
    assert_eq!(
        elementwise::EVERY_KIND.to_string(),
        "every_kind(read: *const f16, write: *mut bf16, untyped: *mut c_void, table: *const *const f32, flag: bool, \
         vector: Float4, params: Params, all: *const Params, node: *const c_void, small: F8E4M3, count: usize, \
         tile: *mut [f32; 4], map: TensorMap)"
    );
    let sizes: Vec<usize> =
        elementwise::EVERY_KIND.parameters().iter().map(warpcall::Parameter::size).collect();
    assert_eq!(sizes, [8, 8, 8, 8, 1, 16, 8, 8, 8, 1, 8, 8, 128]);
    assert_eq!(elementwise::PLAIN.to_string(), "fft::plain(x: *mut f32)");
    assert_eq!(elementwise::FILL_FLOAT.to_string(), "fill<float>(x: *mut f32, value: f32)");
    assert!(elementwise::NOTHING.module().source().is_some());
}
