//! `warpcall diff`.

mod common;

use std::path::Path;

use common::{data, kernel_source, run};
use serde_json::Value;

fn diff_of_texts(left: &str, right: &str, more: &[&str]) -> warpcall_cli::Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.display().to_string()
    };
    let (left, right) = (write("old.cu", left), write("new.cu", right));
    let mut outcome = run(&[&["diff", &left, &right], more].concat());
    outcome.output = outcome.output.replace(&format!("{}/", folder.path().display()), "");
    outcome
}

#[test]
fn every_kernel_of_the_repository_agrees_with_its_ptx() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/ptx");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("it is there") {
        let image = file.expect("it is read").path();
        let stem = image.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let outcome = run(&["diff", &kernel_source(&format!("{stem}.cu")), &image.display().to_string()]);
        assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
        assert!(outcome.output.contains("agree"), "{}", outcome.output);
        assert!(!outcome.output.starts_with('0'), "{}", outcome.output);
        count += 1;
    }
    assert!(count >= 13, "{count}");
}

#[test]
fn sources_of_all_kinds_of_heads_agree_with_what_was_compiled_of_them() {
    for (source, image, kernels) in [
        ("abi.cu", "abi_sm_90.ptx", "11 kernels agree\n"),
        ("abi.cu", "abi_sm_100a.ptx", "11 kernels agree\n"),
        ("heads.cu", "heads.ptx", "14 kernels agree\n"),
        ("images.cu", "images_zstd.fatbin", "21 kernels agree, over 3 images\n"),
        ("older.cu", "older_sm_75.cubin", "1 kernel agrees\n"),
    ] {
        let outcome = run(&["diff", &data(source), &data(image)]);
        assert_eq!((outcome.code, &*outcome.output), (0, kernels), "{source} {}", outcome.errors);
        let turned = run(&["diff", &data(image), &data(source)]);
        assert_eq!((turned.code, &*turned.output), (0, kernels), "{image} {}", turned.errors);
    }
}

#[test]
fn each_difference_names_the_kernel_the_parameter_and_what_both_say() {
    let outcome = diff_of_texts(
        "extern \"C\" __global__ void k(float* x, int n, float eps) {}",
        "\nextern \"C\" __global__ void k(const float* x, long n, float eps) {}",
        &[],
    );
    assert_eq!(outcome.code, 1);
    let expected = "\
k differs
  parameter 1, `x`: `float*` against `const float*`, of another constness
    old.cu:1 says `float* x`
    new.cu:2 says `const float* x`
  parameter 2, `n`: 4 bytes against 8
    old.cu:1 says `int n`
    new.cu:2 says `long long n`
1 differs, 0 kernels agree
";
    assert_eq!(outcome.output, expected);
}

#[test]
fn swapped_parameters_are_told_with_their_places() {
    let outcome = diff_of_texts(
        "extern \"C\" __global__ void k(int n, float eps) {}",
        "extern \"C\" __global__ void k(float eps, int n) {}",
        &[],
    );
    assert!(
        outcome.output.contains("parameter 1, `n`: is parameter 2 on the other side"),
        "{}",
        outcome.output
    );
    assert!(
        outcome.output.contains("parameter 2, `eps`: is parameter 1 on the other side"),
        "{}",
        outcome.output
    );
}

#[test]
fn a_kernel_of_one_file_alone_is_a_difference() {
    let outcome = diff_of_texts(
        "extern \"C\" __global__ void both() {} extern \"C\" __global__ void gone() {}",
        "extern \"C\" __global__ void both() {} extern \"C\" __global__ void added() {}",
        &[],
    );
    assert_eq!(outcome.code, 1);
    let expected = "gone is in old.cu:1 alone\nadded is in new.cu:1 alone\n2 differ, 1 kernel agrees\n";
    assert_eq!(outcome.output, expected);
}

#[test]
fn a_template_without_an_instance_is_said_to_be_left_out() {
    let outcome = diff_of_texts(
        "template <class T> __global__ void t(T* x) {} __global__ void declared(int n);",
        "extern \"C\" __global__ void own();",
        &[],
    );
    assert_eq!(outcome.code, 0);
    assert!(outcome.output.contains("t of old.cu is not compared: a template"), "{}", outcome.output);
    assert!(
        outcome.output.contains("declared of old.cu is not compared: declared without"),
        "{}",
        outcome.output
    );
    assert!(outcome.output.contains("own of new.cu is not compared: declared without"), "{}", outcome.output);
}

#[test]
fn overloads_are_compared_with_what_they_are_most_like() {
    let outcome = diff_of_texts(
        "__global__ void k(float* x) {} __global__ void k(float* x, int n) {}",
        "__global__ void k(float* x, int n) {} __global__ void k(const float* x) {}",
        &[],
    );
    assert_eq!(outcome.code, 1);
    assert!(outcome.output.ends_with("1 differs, 1 kernel agrees\n"), "{}", outcome.output);
    assert!(outcome.output.contains("`float*` against `const float*`"), "{}", outcome.output);
}

#[test]
fn a_stale_image_differs_from_its_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = std::fs::read_to_string(kernel_source("saxpy.cu")).expect("it is there");
    let changed = source.replace("float a, unsigned int n", "double a, unsigned int n, int more");
    assert_ne!(source, changed);
    let path = folder.path().join("saxpy.cu");
    std::fs::write(&path, changed).expect("it is written");
    let image = format!("{}/../kernels/ptx/saxpy.ptx", env!("CARGO_MANIFEST_DIR"));
    let outcome = run(&["diff", &path.display().to_string(), &image]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.output.contains("parameters: 5 parameters against 4"), "{}", outcome.output);
    assert!(outcome.output.contains("parameter 3, `a`: 8 bytes against 4"), "{}", outcome.output);
    assert!(outcome.output.contains("saxpy.ptx:16 says `4 bytes of float`"), "{}", outcome.output);
}

#[test]
fn fatbins_are_compared_target_by_target() {
    let same = run(&["diff", &data("images_lz4.fatbin"), &data("images_plain.fatbin")]);
    assert_eq!((same.code, &*same.output), (0, "7 kernels agree\n"));
    // One image against several: each of them is compared with it.
    let other = run(&["diff", &data("images_zstd.fatbin"), &data("older_sm_75.cubin")]);
    assert_eq!(other.code, 1);
    assert!(other.output.contains("scale, for sm_75 is in"), "{}", other.output);
}

#[test]
fn json_names_what_each_side_says() {
    let outcome = diff_of_texts(
        "extern \"C\" __global__ void k(float* x, int n) {}",
        "extern \"C\" __global__ void k(float* x, float n) {}",
        &["--json"],
    );
    assert_eq!(outcome.code, 1);
    let report: Value = serde_json::from_str(&outcome.output).expect("it is JSON");
    let entry = &report["differences"][0];
    assert_eq!(entry["kernel"], "k");
    assert_eq!(entry["status"], "differs");
    assert_eq!(entry["parameters"][0]["index"], 1);
    assert_eq!(entry["parameters"][0]["left"], "int n");
    assert_eq!(entry["parameters"][0]["right"], "float n");
}

#[test]
fn a_missing_file_is_trouble_and_not_a_difference() {
    let outcome = run(&["diff", &kernel_source("saxpy.cu"), "missing.ptx"]);
    assert_eq!((outcome.code, &*outcome.output), (2, ""));
    assert!(outcome.errors.contains("`missing.ptx` cannot be read"), "{}", outcome.errors);
}

#[test]
fn launch_bounds_that_differ_are_told() {
    let outcome = diff_of_texts(
        "extern \"C\" __global__ void __launch_bounds__(256) __cluster_dims__(2) k(int n) {}",
        "extern \"C\" __global__ void __launch_bounds__(128) __cluster_dims__(4) k(int n) {}",
        &[],
    );
    assert_eq!(outcome.code, 1);
    let expected = "\
k differs
  launch bounds: most threads a block: 256 against 128
    old.cu:1 says `256`
    new.cu:1 says `128`
  launch bounds: the cluster it has: 2 × 1 × 1 against 4 × 1 × 1
    old.cu:1 says `2, 1, 1`
    new.cu:1 says `4, 1, 1`
1 differs, 0 kernels agree
";
    assert_eq!(outcome.output, expected);
}

#[test]
fn two_files_without_a_kernel_do_not_agree_but_are_trouble() {
    for json in [&[][..], &["--json"]] {
        let outcome = diff_of_texts("int x;", "", json);
        assert_eq!(outcome.code, 2);
        assert_eq!(outcome.output.is_empty(), json.is_empty());
        assert!(
            outcome.errors.contains("new.cu` has a kernel, so nothing is compared"),
            "{}",
            outcome.errors
        );
    }
    let outcome = diff_of_texts("int x;", "extern \"C\" __global__ void k() {}", &[]);
    assert_eq!(outcome.code, 1, "one of them has a kernel");
}
