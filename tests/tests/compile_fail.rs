//! Programs that must not compile, and what the compiler says of each.

#[test]
fn every_mistake_is_explained_where_it_is_made() {
    trybuild::TestCases::new().compile_fail("compile_fail/*.rs");
}
