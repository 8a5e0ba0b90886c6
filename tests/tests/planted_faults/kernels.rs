//! The kernels that the programs launch, and what the host runs in their place.

// A host function takes what its kernel takes.
#![allow(clippy::too_many_arguments, clippy::needless_pass_by_value)]

use warpcall::{KernelParam, kernel};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelParam)]
pub(crate) struct Tile {
    pub(crate) scale: f32,
    pub(crate) interleaved: bool,
    pub(crate) dims: [u32; 2],
}

#[kernel(module = "planted_faults", source = "cuda/planted_faults.cu", image = "ptx/planted_faults.ptx")]
unsafe extern "C" {
    /// Writes bytes of a pattern, from `offset` bytes after `memory` on: within it or not.
    #[host(host::scribble)]
    pub(crate) unsafe fn scribble(memory: *mut u8, offset: i64, length: u32, pattern: u64);

    #[host(host::step)]
    pub(crate) unsafe fn step(
        output: *mut f32,
        input: *const f32,
        #[nullable] bias: *const f32,
        n: u32,
        eps: f32,
        causal: bool,
        seed: u64,
        position: i32,
        tile: Tile,
    );

    #[host(host::step)]
    pub(crate) unsafe fn project(
        output: *mut f32,
        input: *const f32,
        #[nullable] bias: *const f32,
        n: u32,
        eps: f32,
        causal: bool,
        seed: u64,
        position: i32,
        tile: Tile,
    );

    /// Stops where `token` is none of the vocabulary: on the host by a panic.
    #[host(host::stop)]
    pub(crate) unsafe fn stop(token: u32, vocabulary: u32);

    /// The same by an assertion that fails, or on the host by an error.
    #[host(host::check)]
    pub(crate) unsafe fn check(token: u32, vocabulary: u32);

    pub(crate) unsafe fn store(at: *mut u32, value: u32);
    pub(crate) unsafe fn load(to: *mut u32, from: *const u32);
    /// Sixteen bytes at once.
    pub(crate) unsafe fn store_four(at: *mut u32, value: u32);
    /// A stack of so many frames.
    pub(crate) unsafe fn descend(reached: *mut u32, depth: u32);
    /// Writes to shared memory of 32 words.
    pub(crate) unsafe fn store_shared(seen: *mut u32, index: u32);
}

mod host {
    use super::Tile;

    pub(super) fn scribble(memory: &mut [u8], offset: i64, length: u32, pattern: u64) {
        let start = memory.as_mut_ptr().wrapping_offset(isize::try_from(offset).expect("64 bits"));
        for index in 0..length as usize {
            // SAFETY: the programs stay within the memory and its bands.
            unsafe { start.wrapping_add(index).write(pattern.to_le_bytes()[index % 8]) };
        }
    }

    pub(super) fn step(
        _output: &mut [f32],
        _input: &[f32],
        _bias: Option<&[f32]>,
        _n: u32,
        _eps: f32,
        _causal: bool,
        _seed: u64,
        _position: i32,
        _tile: Tile,
    ) {
    }

    pub(super) fn stop(token: u32, vocabulary: u32) {
        if token >= vocabulary {
            // A panic that prints nothing.
            std::panic::resume_unwind(Box::new(format!("token {token} is none of {vocabulary}")));
        }
    }

    pub(super) fn check(token: u32, vocabulary: u32) -> anyhow::Result<()> {
        anyhow::ensure!(token < vocabulary, "token {token} is none of {vocabulary}");
        Ok(())
    }
}
