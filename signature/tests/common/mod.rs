//! What the tests of the source reader share.
#![allow(dead_code, reason = "each test program uses its own part")]

use warpcall_signature::source::SourceReader;
use warpcall_signature::{Kernel, Module};

/// The module of a text that must be readable.
pub(crate) fn module(text: &str) -> Module {
    SourceReader::new().read_text("t.cu", text).expect("the text is readable")
}

/// The only kernel of a text.
pub(crate) fn only(text: &str) -> Kernel {
    let module = module(text);
    let names: Vec<_> = module.kernels.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 1, "{names:?} {:?}", module.notes);
    module.kernels[0].clone()
}

/// The signatures of a text, in order.
pub(crate) fn signatures(text: &str) -> Vec<String> {
    module(text).kernels.iter().map(ToString::to_string).collect()
}

/// The size and alignment of each parameter of a kernel.
pub(crate) fn layouts(kernel: &Kernel) -> Vec<Option<(u64, u64)>> {
    kernel.parameters.iter().map(|p| p.layout().map(|l| (l.size, l.alignment))).collect()
}

/// Everything a kernel's and its module's notes say.
pub(crate) fn notes(text: &str) -> String {
    let module = module(text);
    let all = module.notes.iter().chain(module.kernels.iter().flat_map(|k| &k.notes));
    all.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The most threads a block of the only kernel.
pub(crate) fn max_threads(text: &str) -> Option<u64> {
    only(text).bounds.max_threads_per_block.and_then(|c| c.value())
}
