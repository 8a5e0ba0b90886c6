//! The PTX of the conformance suite is what its sources compile to, as far as can be told without a compiler.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

#[test]
fn the_ptx_was_compiled_from_the_source_beside_it() {
    let source = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/cuda/conformance.cu"));
    let ptx = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/conformance.ptx"));
    let hash = Sha256::digest(source).iter().fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    });
    assert_eq!(
        ptx.lines().next(),
        Some(format!("// source sha256: {hash}").as_str()),
        "run `scripts/compile_kernels.py --crate tests`"
    );
}
