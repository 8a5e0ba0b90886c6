use crate::text;

fn text_of(ty: &str) -> String {
    text::of(syn::parse_str::<syn::Type>(ty).expect("the test's text is a type"))
}

#[test]
fn a_type_reads_as_it_is_written() {
    for ty in [
        "f32",
        "*mut f32",
        "*const *mut f32",
        "&[f32]",
        "&'a mut [f32]",
        "half::bf16",
        "::core::ffi::c_void",
        "[f32; 4]",
        "*const [[u8; 4]; N]",
        "Vec<f32>",
        "Option<*const f32>",
        "Option<&mut f32>",
        "Pair<u8, [f32; 2]>",
        "(u32, f32)",
        "()",
        "fn(f32, &u8) -> f32",
        "impl Fn(f32) -> f32 + Send",
        "&dyn Debug",
        "<T as Trait>::Output",
        "r#type",
        "_",
        "!",
    ] {
        assert_eq!(text_of(ty), ty);
    }
}

#[test]
fn spaces_of_the_source_make_no_difference() {
    assert_eq!(text_of("* const   [ f32;4 ]"), "*const [f32; 4]");
    assert_eq!(text_of("Pair < u8 , f32 , >"), "Pair<u8, f32>");
}
