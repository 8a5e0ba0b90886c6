//! Declarations with a token too few, too many or in the wrong place: whatever a user types, there is an
//! expansion.

use proc_macro2::TokenStream;

use super::{messages, site};

/// Declarations that together have everything the grammar has, their tokens separated by spaces.
const DECLARATIONS: [(&str, &str); 3] = [
    (
        r#"module = "m" , source = "tests/files/norm.cu" , image = "tests/files/norm.ptx" , crate = a :: b"#,
        r#"# [ cfg ( unix ) ] unsafe extern "C" { /** Documented. */ # [ link_name = "s" ] # [ host ( a :: b , launch ) ]
           # [ cfg_attr ( unix , allow ( unused ) ) ] pub ( crate ) unsafe fn k ( x : * const f32 , # [ nullable ] y :
           * mut * const u8 , s : inner :: Params < u8 > , n : [ u32 ; 3 ] , m : & mut [ f32 ] ) ; fn l ( n : u32 ) ; }"#,
    ),
    (
        r#"module = "m""#,
        "# [ deprecated ] pub unsafe extern \"C\" fn k ( n : u32 , ... ) -> f32 where f32 : Copy { }",
    ),
    (
        "",
        "unsafe extern \"C\" { safe fn k < 'a , T > ( & self , ( a , b ) : ( u8 , u8 ) , _ : _ ) ; static S : u32 ; m ! { } }",
    ),
];

const STRUCT: &str = "# [ repr ( C , align ( 16 ) ) ] # [ kernel_param ( crate = a :: b ) ] pub struct P < T > { # [ cfg ( unix ) ] a : [ f32 ; 4 ] , pub b : * const T , c : Option < u32 > }";

/// Every text that is `text` with one word left out, doubled, or exchanged with the next.
fn mutations(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut mutations = Vec::new();
    for index in 0..words.len() {
        let mut fewer = words.clone();
        fewer.remove(index);
        let mut more = words.clone();
        more.insert(index, words[index]);
        let mut swapped = words.clone();
        swapped.swap(index, (index + 1) % words.len());
        mutations.extend([fewer, more, swapped].map(|words| words.join(" ")));
    }
    mutations
}

/// Whether an expansion says what is wrong, or is items.
fn is_sound(expansion: &TokenStream) -> bool {
    expansion.to_string().contains("compile_error") || syn::parse2::<syn::File>(expansion.clone()).is_ok()
}

#[test]
fn a_mutilated_declaration_still_expands() {
    let mut seen = 0;
    for (arguments, item) in DECLARATIONS {
        let of_arguments = mutations(arguments).into_iter().map(|arguments| (arguments, item.to_owned()));
        let of_item = mutations(item).into_iter().map(|item| (arguments.to_owned(), item));
        for (arguments, item) in of_arguments.chain(of_item) {
            // The compiler hands over nothing whose delimiters do not match.
            let (Ok(tokens), Ok(item_tokens)) = (arguments.parse(), item.parse()) else { continue };
            let expansion = crate::kernel::kernel(tokens, &item_tokens, &site());
            assert!(is_sound(&expansion), "#[kernel({arguments})] {item}");
            seen += 1;
        }
    }
    assert!(seen > 400, "only {seen} mutations were tokens");
}

#[test]
fn a_mutilated_struct_still_expands() {
    for item in mutations(STRUCT) {
        let Ok(tokens) = item.parse() else { continue };
        assert!(is_sound(&crate::param::kernel_param(tokens)), "{item}");
    }
}

#[test]
fn one_unreadable_function_hides_no_other() {
    let expansion =
        super::kernel(r#"module = "m""#, r#"unsafe extern "C" { fn a(x: u32 u32); fn b(x: &f32); fn c(); }"#);
    let messages = messages(&expansion);
    assert_eq!(messages.len(), 2, "{messages:#?}");
    assert!(messages[1].starts_with("parameter `x` of `b`"), "{messages:#?}");
    assert_eq!(super::items(&expansion), ["launch_b", "B", "launch_c", "C"]);
}

#[test]
fn a_mutilated_module_still_expands() {
    let arguments = r#"source = "tests/files/bound.cu" , skip ( "fill" ) , only ( "scale_rows" )"#;
    let item = r#"# [ allow ( unused ) ] pub ( crate ) mod kernels { use super :: { Params , Other as Own } ; # [ kernel ( module = "m" ) ]
        unsafe extern "C" { # [ link_name = "s" ] # [ instance ( "fill<float, 4>" ) ] fn k ( n : u32 ) ; } const N : u32 = 1 ; m ! { } }"#;
    let of_arguments = mutations(arguments).into_iter().map(|arguments| (arguments, item.to_owned()));
    let of_item = mutations(item).into_iter().map(|item| (arguments.to_owned(), item));
    for (arguments, item) in of_arguments.chain(of_item) {
        let (Ok(tokens), Ok(item_tokens)) = (arguments.parse(), item.parse()) else { continue };
        let expansion = crate::kernel::kernel(tokens, &item_tokens, &site());
        assert!(is_sound(&expansion), "#[kernel({arguments})] {item}");
    }
}
