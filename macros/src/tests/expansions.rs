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
            fn r#match(stream_: *const f32, config_: u32, warpcall_call: u32, r#type: u32);
            fn addKernel(N: u32);
        }"#,
    );
    assert_snapshot("names", expansion);
}

#[test]
fn a_static_is_called_like_its_kernel_in_capitals() {
    for (kernel, item) in [
        ("rms_norm", "RMS_NORM"),
        ("addKernel", "ADD_KERNEL"),
        ("conv2D", "CONV2_D"),
        ("conv2d", "CONV2D"),
        ("Conv", "CONV"),
        ("GEMMKernel", "GEMMKERNEL"),
        ("_private", "_PRIVATE"),
        ("größe", "GRÖSSE"),
        ("r#match", "MATCH"),
    ] {
        let expansion = super::kernel(r#"module = "m""#, &format!("unsafe fn {kernel}();"));
        assert_eq!(items(&expansion)[1], item, "{kernel}");
    }
}

#[test]
fn a_name_that_a_lint_dislikes_is_allowed_and_no_other() {
    for (declared, allowed) in [
        ("fn scale(x: u32)", ""),
        ("fn r#match(r#in: u32)", ""),
        ("fn scale(blockRows: u32)", ", non_snake_case"),
        ("fn scale(N: u32)", ", non_snake_case"),
        ("fn scale(a__b: u32)", ", non_snake_case"),
        ("fn addKernel()", ", non_snake_case"),
        ("fn _private()", ", non_snake_case"),
    ] {
        let expansion = kernel(r#"module = "m""#, &format!("unsafe {declared};")).to_string();
        let allow = format!("allow (clippy :: all , clippy :: pedantic{})", allowed.replace(',', " ,"));
        assert!(expansion.contains(&allow), "{declared}: {expansion}");
        assert!(expansion.contains("allow (dead_code)"), "{declared}: {expansion}");
    }
    // A small letter that has no capital.
    let expansion = kernel(r#"module = "m""#, "unsafe fn ĸ();").to_string();
    assert!(expansion.contains("allow (dead_code , non_upper_case_globals)"), "{expansion}");
}

#[test]
fn an_attribute_of_a_tool_goes_to_the_launch_function() {
    for attribute in ["diagnostic::do_not_recommend", "rustfmt::skip", "clippy::must_use"] {
        let expansion = kernel(r#"module = "m""#, &format!("#[{attribute}] unsafe fn k();"));
        assert_eq!(super::messages(&expansion), Vec::<String>::new());
        let file: syn::File = syn::parse2(expansion).expect("an expansion is items");
        let carries = |attributes: &[syn::Attribute]| {
            attributes.iter().any(|it| crate::text::of(it.path()) == attribute)
        };
        let [syn::Item::Fn(launch), syn::Item::Static(item)] = &file.items[..] else {
            panic!("a kernel is a function and a static");
        };
        assert!(carries(&launch.attrs) && !carries(&item.attrs), "{attribute}");
    }
}

#[test]
fn a_section_is_added_unless_there_is_one_in_any_case() {
    for docs in
        ["Scales.", "# Safety", "# safety", "## SAFETY", "# Errors", "# errors", "Safety first: no Errors."]
    {
        let expansion = kernel(r#"module = "m""#, &format!("/// {docs}\nunsafe fn k();")).to_string();
        for title in ["# safety\"", "# errors\""] {
            assert_eq!(expansion.to_lowercase().matches(title).count(), 1, "{docs}: {title}: {expansion}");
        }
    }
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
fn a_module_that_is_bound_to_a_file() {
    let expansion = kernel(
        r#"source = "tests/files/bound.cu""#,
        "/// Elementwise.\npub(crate) mod elementwise { use super::Params; }",
    );
    assert_snapshot("a_bound_module", expansion);
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
