#![no_main]

use libfuzzer_sys::fuzz_target;
use warpcall_signature::source::{Limits, SourceReader};
use warpcall_signature_fuzz::within_memory;

/// Macros make many tokens of few bytes: how many is what the caller's limit says.
const TOKENS: usize = 20_000;
const BYTES_A_TOKEN: usize = 100;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    within_memory(data.len(), TOKENS * BYTES_A_TOKEN, || {
        SourceReader::new().limits(Limits { tokens: TOKENS, depth: 100 }).read_text("t.cu", &text)
    });
});
