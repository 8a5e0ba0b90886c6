#![no_main]

use libfuzzer_sys::fuzz_target;
use warpcall_signature::fatbin;
use warpcall_signature_fuzz::within_memory;

/// Bytes that a reader may take for each byte of an image that it unpacked.
const BYTES_A_BYTE: usize = 100;

fuzz_target!(|data: &[u8]| {
    within_memory(data.len(), BYTES_A_BYTE * unpacked(data), || fatbin::read(data));
});

/// How large the compressed images say they become, all together; what the reader refuses counts for nothing.
fn unpacked(data: &[u8]) -> usize {
    let number = |at: usize, bytes: usize| {
        let field = data.get(at..at.checked_add(bytes)?)?;
        Some(field.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let mut total = 0;
    let mut add = || -> Option<()> {
        let mut at = 0;
        loop {
            let header = usize::try_from(number(at + 6, 2)?).ok().filter(|header| *header >= 16)?;
            let size = usize::try_from(number(at + 8, 8)?).ok()?;
            at += header;
            let end = at.checked_add(size).filter(|end| *end <= data.len())?;
            while at < end {
                let header = usize::try_from(number(at + 4, 4)?).ok()?;
                let payload = usize::try_from(number(at + 8, 8)?).ok()?;
                let (packed, becomes) = (number(at + 16, 4)?, number(at + 56, 8)?);
                if header < 64 {
                    return None;
                }
                if becomes / 256 <= packed {
                    total += usize::try_from(becomes).ok()?;
                }
                at = at.checked_add(header)?.checked_add(payload)?;
            }
        }
    };
    add();
    total
}
