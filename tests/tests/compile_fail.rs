//! Programs that must not compile, and what the compiler says of each.

use std::{fs, io, path::Path};

#[test]
fn every_mistake_is_explained_where_it_is_made() {
    place_cuda_files().expect("the target folder can be written to");
    trybuild::TestCases::new().compile_fail("compile_fail/*.rs");
}

/// Copies the CUDA files of the programs to the package that `trybuild` makes of them: paths in a declaration are
/// relative to the package.
fn place_cuda_files() -> io::Result<()> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or(io::ErrorKind::NotFound)?;
    let place = target.join("tests/trybuild").join(env!("CARGO_PKG_NAME")).join("cuda");
    fs::create_dir_all(&place)?;
    for file in fs::read_dir("compile_fail/cuda")? {
        let file = file?;
        fs::copy(file.path(), place.join(file.file_name()))?;
    }
    Ok(())
}
