//! `warpcall list`.

mod common;

use common::{data, kernel_source, run};
use serde_json::Value;

#[test]
fn every_parameter_of_a_source_stands_in_the_table_with_its_type_and_size() {
    let outcome = run(&["list", &kernel_source("saxpy.cu")]);
    assert_eq!(outcome.code, 0, "{}", outcome.errors);
    let rows: Vec<Vec<&str>> = outcome.output.lines().map(|line| line.split_whitespace().collect()).collect();
    let place = format!("{}:9", kernel_source("saxpy.cu"));
    assert_eq!(rows[2], ["saxpy", &place, "y", "float*", "mut", "8", "8"]);
    assert_eq!(rows[3], ["x", "const", "float*", "const", "8", "8"]);
    assert_eq!(rows[4], ["a", "float", "4", "4"]);
    assert_eq!(rows[5], ["n", "unsigned", "int", "4", "4"]);
    assert_eq!(rows.len(), 6);
}

#[test]
fn a_kernel_out_of_a_macro_names_the_macro() {
    let outcome = run(&["list", &kernel_source("norm.cu")]);
    let line = outcome.output.lines().find(|line| line.starts_with("rms_norm_f16 ")).expect("it is listed");
    assert!(line.contains("NORM_KERNELS"), "{line}");
    let plain = outcome.output.lines().find(|line| line.starts_with("rms_norm ")).expect("it is listed");
    assert!(!plain.contains("NORM_KERNELS"), "{plain}");
}

#[test]
fn a_ptx_file_is_listed_with_its_own_path_and_target() {
    let path = data("abi_sm_90.ptx");
    let outcome = run(&["list", &path]);
    assert!(
        outcome.output.starts_with(&format!("{path} (PTX for sm_90): 11 kernels\n")),
        "{}",
        outcome.output
    );
    assert!(outcome.output.contains(&format!("{path}:")));
    assert!(!outcome.output.contains(" PTX:"));
}

#[test]
fn each_image_of_a_fatbin_is_listed() {
    let outcome = run(&["list", &data("images_zstd.fatbin")]);
    for target in ["sm_75", "sm_90", "sm_90 (PTX)"] {
        assert!(outcome.output.contains(&format!("(fatbin for {target}): 7 kernels")), "{}", outcome.output);
    }
    assert!(outcome.output.contains("detail::fill<float, 4>"));
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_listed() {
    let outcome = run(&["list", "missing.cu", &kernel_source("saxpy.cu"), &data("README.md.cubin")]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.errors.contains("error: `missing.cu` cannot be read:"), "{}", outcome.errors);
    assert!(outcome.errors.contains("README.md.cubin"), "{}", outcome.errors);
    assert!(outcome.output.contains("saxpy.cu (source): 1 kernel\n"), "{}", outcome.output);
}

#[test]
fn a_cubin_that_is_none_is_not_read_as_source() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("text.cubin", &b"__global__ void k() {}"[..]), ("program", b"\x7fELF\0\0\0")] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        let outcome = run(&["list", &path.display().to_string()]);
        assert_eq!(outcome.code, 2);
        assert!(outcome.errors.contains("neither PTX nor a cubin nor a fatbin"), "{}", outcome.errors);
        assert_eq!(outcome.output, "");
    }
}

#[test]
fn what_cannot_be_read_stands_below_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hidden.cu");
    let text = "#include \"nowhere.h\"\nextern \"C\" __global__ void k(Hidden h, int n) {}\n";
    std::fs::write(&path, text).expect("it is written");
    let outcome = run(&["list", &path.display().to_string()]);
    assert_eq!(outcome.code, 0);
    let note = "note: `k`: ";
    assert!(outcome.output.contains(note), "{}", outcome.output);
    assert!(outcome.output.contains("the type `Hidden` is not defined"), "{}", outcome.output);
    assert!(
        outcome.output.contains("hidden.cu:1: the header \"nowhere.h\" is not found"),
        "{}",
        outcome.output
    );
}

#[test]
fn defines_and_include_folders_reach_the_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, headers) = (folder.path().join("k.cu"), folder.path().join("headers"));
    std::fs::create_dir(&headers).expect("it is made");
    std::fs::write(headers.join("pair.h"), "struct Pair { float a, b; };").expect("it is written");
    let text = "#include <pair.h>\n#if WIDE > 1\nextern \"C\" __global__ void wide(Pair p) {}\n#endif\n#ifdef ON\n\
                extern \"C\" __global__ void on() {}\n#endif\n";
    std::fs::write(&source, text).expect("it is written");
    let (source, headers) = (source.display().to_string(), headers.display().to_string());
    let outcome = run(&["list", &source, "-D", "WIDE=2", "-DON", "-I", &headers]);
    let rows: Vec<Vec<&str>> = outcome.output.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[2], ["wide", &format!("{source}:3"), "p", "Pair", "8", "4"]);
    assert_eq!(rows[3], ["on", &format!("{source}:6"), "(none)"]);
}

#[test]
fn json_tells_all_that_the_table_does_and_more() {
    let outcome = run(&["list", "--json", &kernel_source("norm.cu"), &data("older_sm_75.cubin")]);
    let files: Value = serde_json::from_str(&outcome.output).expect("it is JSON");
    let kernel = &files[0]["modules"][0]["kernels"][3];
    assert_eq!(files[0]["format"], "source");
    assert_eq!(kernel["name"], "rms_norm_f16");
    assert_eq!(kernel["macro"]["name"], "NORM_KERNELS");
    assert_eq!(kernel["place"]["line"], 115);
    assert_eq!(kernel["bounds"]["max_threads_per_block"], 1024);
    let weight = &kernel["parameters"][2];
    assert_eq!(weight["name"], "weight");
    assert_eq!(weight["type"], "const __half*");
    assert_eq!(weight["pointee_is_const"], true);
    assert_eq!([&weight["size"], &weight["alignment"]], [8, 8]);
    let cubin = &files[1]["modules"][0];
    assert_eq!(cubin["target"], "sm_75");
    assert_eq!(cubin["kernels"][0]["parameters"][2]["size"], 32);
    assert_eq!(cubin["kernels"][0]["parameters"][2]["alignment"], Value::Null);
}

#[test]
fn a_wrong_command_line_is_trouble_and_help_is_not() {
    assert_eq!(run(&["list"]).code, 2);
    assert!(run(&["list"]).errors.contains("<FILE>"));
    assert_eq!(run(&["lost"]).code, 2);
    let help = run(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.output.contains("list") && help.output.contains("diff"));
    assert_eq!(help.errors, "");
}

#[test]
fn a_file_that_is_neither_source_nor_image_is_trouble() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.display().to_string()
    };
    let text = "extern \"C\" __global__ void k() {}\n";
    for command in ["list", "bind"] {
        let [good, bad] = [write("good.cu", text), write("README.md", text)];
        let outcome = run(&[command, &bad, &good]);
        assert_eq!(outcome.code, 2);
        assert!(
            outcome
                .errors
                .contains("README.md` is neither a CUDA source nor an image; the name of a source ends in"),
            "{}",
            outcome.errors
        );
        assert!(outcome.output.contains('k'), "the other is printed");
    }
    let bad = write("trace.jsonl", "{}");
    assert_eq!(run(&["diff", &bad, &bad]).code, 2);
    for name in ["K.CU", "k.cuh", "k.hpp", "source"] {
        assert_eq!(run(&["list", &write(name, text)]).code, 0, "{name}");
    }
}

#[test]
fn a_ptx_that_is_cut_off_is_trouble() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.ptx");
    let whole =
        std::fs::read(format!("{}/../kernels/ptx/norm.ptx", env!("CARGO_MANIFEST_DIR"))).expect("it is read");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("it is written");
    let outcome = run(&["list", &path.display().to_string()]);
    assert_eq!((outcome.code, &*outcome.output), (2, ""));
    assert!(outcome.errors.contains("as if the file were cut off"), "{}", outcome.errors);
    assert!(!outcome.errors.contains("PTX:"), "it is called by its path: {}", outcome.errors);
}

#[test]
fn the_instances_that_a_source_makes_stand_below_their_template() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.cu");
    let text = "template <typename T, int N = 4> __global__ void scale(T* x, T by) {}\n\
                template __global__ void scale<float>(float*, float);\n\
                template __global__ void scale<double, 8>(double*, double);\n\
                template <typename T> __global__ void unused(T x) {}\n";
    std::fs::write(&path, text).expect("it is written");
    let path = path.display().to_string();
    let outcome = run(&["list", &path]);
    assert!(outcome.output.contains(": 2 kernels\n"), "{}", outcome.output);
    let rows: Vec<String> =
        outcome.output.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let place = format!("{path}:1");
    assert_eq!(rows[4], format!("scale<float, 4> {place} x float* mut 8 8"));
    assert_eq!(rows[5], "by float 4 4");
    assert_eq!(rows[6], format!("scale<double, 8> {place} x double* mut 8 8"));
    let files: Value = serde_json::from_str(&run(&["list", "--json", &path]).output).expect("it is JSON");
    let kernels = &files[0]["modules"][0]["kernels"];
    assert_eq!(kernels[0]["instances"][1]["template_arguments"], "double, 8");
    assert_eq!(kernels[0]["instances"][1]["parameters"][1]["size"], 8);
    assert_eq!(kernels[1]["instances"], Value::Array(Vec::new()));
}
