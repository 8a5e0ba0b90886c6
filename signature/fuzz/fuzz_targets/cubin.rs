#![no_main]

use libfuzzer_sys::fuzz_target;
use warpcall_signature::cubin;
use warpcall_signature_fuzz::within_memory;

fuzz_target!(|data: &[u8]| within_memory(data.len(), 0, || cubin::read(data)));
