//! What `warpcall bind` prints compiles, with `#[kernel]` comparing each declaration with its CUDA source.
//!
//! The text is kept in `bound/`, and a test says whether it is still what is printed. `UPDATE=1 cargo test -p warpcall-cli
//! --test bound` writes it anew.
#![allow(dead_code, unreachable_pub, clippy::pedantic, reason = "pasted as it is, and called by nobody")]

mod common;

use std::path::{Path, PathBuf};

/// The kernels of the repository.
mod kernels {
    include!("bound/kernels.rs");
}

/// Kernels with parameters and names of every kind.
mod shapes {
    include!("bound/shapes.rs");
}

fn compare(name: &str, files: &[String]) {
    let root = env!("CARGO_MANIFEST_DIR");
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let outcome = common::run(&[&["bind", "--root", root], &files[..]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.errors);
    let path = Path::new(root).join("tests/bound").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &outcome.output).expect("it is written");
    }
    let kept = std::fs::read_to_string(&path).expect("it is there");
    assert!(
        kept == outcome.output,
        "{name} is not what is printed: run `UPDATE=1 cargo test -p warpcall-cli --test bound`"
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
    compare("kernels.rs", &files);
}

#[test]
fn the_declarations_of_parameters_of_every_kind_are_those_that_compile() {
    let own = format!("{}/tests/data/odd.cu", env!("CARGO_MANIFEST_DIR"));
    let data = ["abi.cu", "heads.cu", "images.cu", "images_plain.fatbin"].map(common::data);
    compare("shapes.rs", &[&[own], &data[..]].concat());
}

#[test]
fn a_bound_kernel_has_the_parameters_of_its_source() {
    assert_eq!(
        kernels::rope::ROPE.to_string(),
        "rope(data: *mut f32, positions: *const u32, params: RopeParams)"
    );
    let add = shapes::odd::ADD_KERNEL.to_string();
    assert_eq!(
        add,
        "addKernel(out_ptr: *mut f32, kv_cache: *const f32, num_rows2: i32, __leading: i32, trailing_: i32)"
    );
}
