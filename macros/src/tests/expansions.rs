use super::{items, kernel, kernel_param, snapshot::assert_snapshot};

#[test]
fn a_block_with_pointers_and_numbers() {
    let expansion = kernel(
        r#"source = "tests/files/norm.cu""#,
        r#"unsafe extern "C" {
            /// Root-mean-square normalisation, one block a row.
            pub unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: u32, eps: f32);
        }"#,
    );
    assert_snapshot("pointers_and_numbers", expansion);
}

#[test]
fn every_kind_of_parameter() {
    let expansion = kernel(
        r#"module = "kinds", image = "tests/files/norm.ptx""#,
        r#"unsafe extern "C" {
            pub unsafe fn kinds(
                read: *const half::f16,
                write: *mut u64,
                untyped: *const c_void,
                untyped_write: *mut core::ffi::c_void,
                table: *const *const f32,
                #[nullable] bias: *const f32,
                #[nullable] mask: *mut u8,
                flag: bool,
                vector: warpcall::Float4,
                params: Params,
                map: TensorMap,
            );
        }"#,
    );
    assert_snapshot("every_kind_of_parameter", expansion);
}

#[test]
fn one_function_with_a_host_reference() {
    let expansion = kernel(
        r#"module = "m", crate = crate::gpu"#,
        r#"#[cfg(feature = "gpu")]
        #[link_name = "_Z5scalePfPKvf"]
        #[host(reference::scale, launch)]
        #[deprecated]
        /// Scales.
        ///
        /// # Safety
        ///
        /// `x` holds as many elements as the grid has threads.
        pub(crate) unsafe fn scale(x: *mut f32, raw: *mut c_void, #[nullable] bias: *const f32, map: TensorMap, factor: f32);"#,
    );
    assert_snapshot("one_function_with_a_host_reference", expansion);
}

#[test]
fn names_that_collide_and_names_that_are_keywords() {
    let expansion = kernel(
        r#"module = "m""#,
        r#"unsafe extern "C" {
            fn r#match(stream: *const f32, config: u32, call: u32, r#type: u32);
            fn addKernel(N: u32);
        }"#,
    );
    assert_snapshot("names", expansion);
}

#[test]
fn attributes_of_the_block_go_to_each_kernel() {
    let expansion = kernel(
        r#"module = "m""#,
        r#"
        /// Not shown by rustdoc.
        #[cfg(unix)]
        #[allow(non_upper_case_globals)]
        unsafe extern "C" {
            #[expect(clippy::missing_errors_doc)]
            #[doc(hidden)]
            #[cfg_attr(test, must_use)]
            fn a();
            fn b();
        }"#,
    );
    assert_snapshot("attributes", expansion);
}

#[test]
fn a_refused_block_still_has_its_items() {
    let expansion = kernel(
        r#"module = "m""#,
        r#"unsafe extern "C" {
            pub unsafe fn wrong(x: &[f32], y: *mut f32, #[nullable] z: *const f32, n: u32);
            pub safe fn right(n: u32);
        }"#,
    );
    assert_eq!(items(&expansion), ["launch_wrong", "WRONG", "launch_right", "RIGHT"]);
    assert_snapshot("refused_block", expansion);
}

#[test]
fn a_module_is_named_after_its_image_before_its_source() {
    let item = r#"unsafe extern "C" { fn k(); }"#;
    let named = |arguments: &str| {
        let expansion = kernel(arguments, item).to_string();
        let rest = expansion.split("Module :: new (").nth(1).expect("the static names a module").to_owned();
        rest.split(')').next().expect("the call ends").trim().to_owned()
    };
    assert_eq!(named(r#"source = "tests/files/norm.cu""#), r#""norm""#);
    assert_eq!(named(r#"source = "src/lib.rs", image = "tests/files/norm.ptx""#), r#""norm""#);
    assert_eq!(named(r#"source = "src/lib.rs", module = "other""#), r#""other""#);
}

#[test]
fn a_struct_with_named_fields() {
    let expansion = kernel_param(
        "#[repr(C, align(16))] pub struct Params { pub rows: u32, scale: [f32; 3], r#type: inner::Kind, data: DevicePtr }",
    );
    assert_snapshot("struct_with_named_fields", expansion);
}

#[test]
fn a_tuple_struct_and_an_empty_one() {
    let mut expansion =
        kernel_param("#[repr(C)] #[kernel_param(crate = gpu::warpcall)] struct Pair(f32, u8);");
    expansion.extend(kernel_param("#[repr(C)] struct Empty;"));
    assert_snapshot("tuple_struct_and_empty_struct", expansion);
}
