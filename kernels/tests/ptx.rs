//! The PTX is what the sources compile to, as far as can be told without a compiler.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

const HASH_LINE: &str = "// source sha256: ";

/// The kernels of each file: every one that this crate stands for.
const KERNELS: [(&str, &[&str]); 14] = [
    ("activation", &["silu_mul", "silu_mul_f16", "silu_mul_bf16", "gelu", "gelu_f16", "gelu_bf16"]),
    ("argmax", &["argmax"]),
    ("attention", &["attention_decode", "attention_decode_f16", "attention_decode_bf16"]),
    (
        "convert",
        &[
            "_Z7convertIf6__halfEvPT0_PKT_j",
            "_Z7convertIf13__nv_bfloat16EvPT0_PKT_j",
            "_Z7convertI6__halffEvPT0_PKT_j",
            "_Z7convertI6__half13__nv_bfloat16EvPT0_PKT_j",
            "_Z7convertI13__nv_bfloat16fEvPT0_PKT_j",
            "_Z7convertI13__nv_bfloat166__halfEvPT0_PKT_j",
        ],
    ),
    ("embedding", &["embedding", "embedding_f16", "embedding_bf16"]),
    ("gemm", &["gemm", "gemm_f16", "gemm_bf16"]),
    ("gemv", &["gemv", "gemv_f16", "gemv_bf16"]),
    ("kv_cache", &["kv_append", "kv_append_f16", "kv_append_bf16"]),
    (
        "norm",
        &[
            "rms_norm",
            "rms_norm_f16",
            "rms_norm_bf16",
            "add_rms_norm",
            "add_rms_norm_f16",
            "add_rms_norm_bf16",
            "layer_norm",
            "layer_norm_f16",
            "layer_norm_bf16",
        ],
    ),
    ("quantize", &["quantize_int8", "dequantize_int8"]),
    ("rope", &["rope", "rope_f16", "rope_bf16"]),
    ("saxpy", &["saxpy"]),
    ("softmax", &["softmax", "softmax_f16", "softmax_bf16"]),
    ("tile_copy", &["tile_copy"]),
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn ptx(name: &str) -> String {
    let path = path(&format!("ptx/{name}.ptx"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the files in a folder that end so, without the ending.
fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = fs::read_dir(path(folder)).unwrap().map(|entry| entry.unwrap().path());
    let matching = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    matching.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// A source and the local headers it includes, each once, in the order of first inclusion.
fn add_source(source: &Path, seen: &mut Vec<PathBuf>, text: &mut Vec<u8>) {
    seen.push(source.to_owned());
    let own = fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    text.extend_from_slice(own.as_bytes());
    for line in own.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let quoted = directive.and_then(|rest| rest.strip_prefix("include")?.trim_start().strip_prefix('"'));
        if let Some((header, _)) = quoted.and_then(|rest| rest.split_once('"')) {
            let header = source.with_file_name(header);
            if !seen.contains(&header) {
                add_source(&header, seen, text);
            }
        }
    }
}

fn source_hash(source: &Path) -> String {
    let mut text = Vec::new();
    add_source(source, &mut Vec::new(), &mut text);
    Sha256::digest(&text).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// Every `.entry` of a PTX text.
fn entries(ptx: &str) -> BTreeSet<&str> {
    let after = ptx.split(".entry ").skip(1);
    after.map(|rest| rest.split(['(', '\n', ' ']).next().unwrap()).collect()
}

#[test]
fn every_source_has_its_ptx_and_every_ptx_its_source() {
    let listed: BTreeSet<String> = KERNELS.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(names("cuda", "cu"), listed, "the sources in cuda/ and the files that this test lists");
    assert_eq!(
        names("ptx", "ptx"),
        names("cuda", "cu"),
        "the files of ptx/ and cuda/: run scripts/compile_kernels.py, and remove PTX without a source"
    );
}

#[test]
fn the_ptx_was_compiled_from_the_sources_as_they_are() {
    let mut stale = Vec::new();
    for name in names("cuda", "cu") {
        let text = ptx(&name);
        let recorded = text.lines().next().and_then(|line| line.strip_prefix(HASH_LINE));
        if recorded != Some(&source_hash(&path(&format!("cuda/{name}.cu")))) {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "ptx/*.ptx of {} was not compiled from cuda/*.cu as it is now: run scripts/compile_kernels.py {}",
        stale.join(", "),
        stale.join(" "),
    );
}

#[test]
fn every_kernel_is_an_entry_of_its_ptx_and_there_are_no_others() {
    for (file, kernels) in KERNELS {
        let text = ptx(file);
        assert_eq!(entries(&text), kernels.iter().copied().collect(), "the kernels of ptx/{file}.ptx");
    }
}

#[test]
fn every_cuda_13_driver_takes_the_ptx() {
    for (file, _) in KERNELS {
        let text = ptx(file);
        let directive = |name| text.lines().find_map(|line: &str| line.strip_prefix(name)).unwrap();
        let (major, minor) = directive(".version ").split_once('.').unwrap();
        let version: (u32, u32) = (major.parse().unwrap(), minor.trim().parse().unwrap());
        assert!(version <= (9, 0), "ptx/{file}.ptx is ISA {version:?}: compile it with NVRTC 13.0");
        let target = if file == "tile_copy" { "sm_90" } else { "sm_75" };
        assert_eq!(directive(".target "), target, "the target of ptx/{file}.ptx");
    }
}
