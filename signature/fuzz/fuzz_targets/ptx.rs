#![no_main]

use libfuzzer_sys::fuzz_target;
use warpcall_signature::ptx;
use warpcall_signature_fuzz::within_memory;

fuzz_target!(|data: &[u8]| within_memory(data.len(), 0, || ptx::read(data)));
