//! The macros of warpcall.
use proc_macro::TokenStream;
/// Placeholder.
#[proc_macro_attribute]
pub fn kernel(_args: TokenStream, item: TokenStream) -> TokenStream {
    item
}
