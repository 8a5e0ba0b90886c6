//! Each committed PTX is what its source compiles to, as far as can be told without a compiler. Those of the kernels are tested
//! in their own crate.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn the_ptx_was_compiled_from_the_source_beside_it() {
    let repository =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    for (member, name) in [
        ("tests", "conformance"),
        ("tests", "instances"),
        ("tests", "planted_faults"),
        ("examples", "find_the_bug"),
    ] {
        let read = |path: String| {
            std::fs::read(repository.join(member).join(&path))
                .unwrap_or_else(|error| panic!("{member}/{path}: {error}"))
        };
        let hash =
            Sha256::digest(read(format!("cuda/{name}.cu"))).iter().fold(String::new(), |mut hash, byte| {
                let _ = write!(hash, "{byte:02x}");
                hash
            });
        let ptx = read(format!("ptx/{name}.ptx"));
        assert!(
            ptx.starts_with(format!("// source sha256: {hash}\n").as_bytes()),
            "run `scripts/compile_kernels.py --crate {member}`"
        );
    }
}
