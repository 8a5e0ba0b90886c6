//! Tests of the comparison, as a function from a declaration and a text.

mod cubin;
mod embedded;
mod errors;
mod generated;
mod generator;
mod images;
mod named;

use proc_macro2::TokenStream;
use warpcall_signature::{Module, cubin as cubin_reader, ptx, source::SourceReader};

use super::{Comparison, Files};
use crate::{
    kernel::{check, model, options, parse},
    report::Report,
    site::Site,
};

/// The package whose files the tests name: this one.
fn site() -> Site {
    Site { manifest_dir: Some(env!("CARGO_MANIFEST_DIR").into()), out_dir: None }
}

/// The model of a block with these functions.
fn block(functions: &str) -> model::Module {
    let mut report = Report::default();
    let tokens = |text: &str| text.parse::<TokenStream>().expect("the test's text is tokens");
    let options = options::read(tokens("module = \"m\""), &mut report);
    let item = tokens(&format!("unsafe extern \"C\" {{ {functions} }}"));
    let block = parse::item(item, options, &mut report).expect("the test's text is a block");
    let module = check::block(&block, &site(), &mut report);
    assert!(report.is_empty(), "{functions}: {}", report.to_compile_errors());
    module.expect("nothing is wrong with it")
}

/// The kernels of a CUDA text.
fn cuda(text: &str) -> Module {
    SourceReader::new().read_text("k.cu", text).expect("the test's CUDA can be read")
}

/// The kernels of the body of a PTX text.
fn ptx(entries: &str) -> Module {
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{entries}");
    ptx::read(text.as_bytes()).expect("the test's PTX can be read")
}

/// The kernel `k` of a cubin, whose parameters have these sizes and alignments.
fn cubin(parameters: &[(usize, usize)]) -> Module {
    let image = cubin::with_kernel("k", parameters);
    cubin_reader::read(&image).expect("the test's cubin can be read")
}

/// Compares the first kernel of a block with what there is.
fn compare(block: &model::Module, source: Option<&Module>, images: Option<&[Module]>) -> Comparison {
    let site = site();
    let files = Files { module: block, source, images, site: &site };
    files.compare(&block.kernels[0])
}
