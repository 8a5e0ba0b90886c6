//! No example has a hazard: each runs to its end with a check that would make one an error.

use std::path::PathBuf;
use std::process::Command;

/// All but those that need a CUDA device or files, and the one that has bugs on purpose.
const EXAMPLES: &[&str] =
    &["by_hand", "graph_decode", "mlp_step", "multi_gpu", "rms_norm", "saxpy", "tma_tile"];

fn built(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test is a file");
    let deps = test.parent().expect("it lies in a folder");
    let folder = deps.parent().expect("which lies in the folder of the profile").join("examples");
    folder.join(example).with_extension(std::env::consts::EXE_EXTENSION)
}

#[test]
fn every_example_runs_without_a_hazard() {
    for example in EXAMPLES {
        let path = built(example);
        assert!(
            path.exists(),
            "{} is not built; `cargo test -p warpcall-examples` builds it",
            path.display()
        );
        let output = Command::new(&path)
            .env("WARPCALL_HAZARDS", "strict")
            // On the host, whatever is there.
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap_or_else(|error| panic!("{example}: {error}"));
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !out.is_empty(), "{example}: {}\n{out}\n{err}", output.status);
    }
}

#[test]
fn every_example_is_tried() {
    let folder = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder of the examples");
    let mut found: Vec<_> = folder
        .filter_map(|entry| entry.expect("it can be read").file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| !["lib", "cudarc_interop", "find_the_bug", "trace_diff"].contains(&name.as_str()))
        .collect();
    found.sort();
    assert_eq!(found, EXAMPLES);
}
