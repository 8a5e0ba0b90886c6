//! Seeing what was launched, and catching what went wrong: layers around a backend.
//!
//! Each tool is a [`Layer`]. [`Layered`] makes a backend of a layer and the backend underneath, so tools stack, and a tool
//! that is not there costs nothing:
//!
//! ```
//! use warpcall::Gpu;
//!
//! let gpu = Gpu::builder().host().sync_check().open()?;
//! # Ok::<(), warpcall::Error>(())
//! ```
//!
//! Which tool for which symptom: [When a kernel goes wrong](guide).
//!
//! A layer sees the calls of what was put around it, and passes them on to what it was put around: `.a().b()` opens `b` around `a`
//! around the backend.
//!
//! # Without changing the program
//!
//! [`Gpu::open`](crate::Gpu::open) and [`GpuBuilder::open`](crate::GpuBuilder::open) read these once, when they open, and put the
//! layers around all others. A program that has a backend and no [`Gpu`](crate::Gpu) calls [`from_environment`].
//!
//! | variable | value | layer |
//! |---|---|---|
//! | `WARPCALL_RED_ZONES` | the length of a band in bytes, such as `256` | [`RedZones`], which print what they find |
//! | `WARPCALL_POISON` | numbers of allocations, which count from 1 in each backend, such as `1..=20` | with red zones: these get bands of `0xFF` |
//! | `WARPCALL_LEDGER` | `1` | [`Ledger`], which prints its report |
//! | `WARPCALL_FAULT` | a method and which call of it, such as `launch:3`, or `any:100` | [`Faults`], which print what fails, or that it never came |
//! | `WARPCALL_SYNC` | `1` | [`SyncCheck`] |
//! | `WARPCALL_HAZARDS` | `1`: each hazard is printed once; `strict`: it is an error | [`Hazards`] |
//! | `WARPCALL_TRACE` | a file: `.txt` text; with the feature `json`, `.jsonl` JSON lines or `.json` the Trace Event format | [`Trace`], which is written there |
//! | `WARPCALL_TRACE_DEVICE` | `1` | with a trace: the device's times too |
//! | `WARPCALL_NVTX` | `1`, or the file that NVTX is, such as `/path/to/libnvtx3interop.so.1`; needs the feature `nvtx` | `NvtxRanges` |
//!
//! A variable that is empty or `0` switches nothing on; any other value that is none of these is an error. A variable whose name begins
//! with `WARPCALL_`, or almost, and that is not known is told once on the standard error stream, with the one that is meant or with all.
//!
//! Reports and files are written when the backend closes, or when the process ends before that, as it does where the
//! [`Gpu`](crate::Gpu) is in a `static` or what leaked keeps it open. What is written at the end of the process waits for no work: times
//! of the device that were not read by then are missing. A process that is killed or aborts writes none, and one that was forked leaves
//! it to the one that opened the backend.

mod args;
mod at_exit;
mod environment;
mod faults;
#[doc = include_str!("guide.md")]
pub mod guide {}
mod hazard;
mod layer;
mod layer_count;
mod layered;
mod ledger;
#[cfg(feature = "nvtx")]
mod nvtx;
mod operation;
mod print;
mod red_zones;
#[cfg(feature = "tracing")]
mod spans;
mod sync_check;
pub mod trace;

pub use crate::backend::mock::CallKind;
pub use environment::from_environment;
pub use faults::{FaultRun, Faults};
pub use hazard::{
    AllowedUse, Hazard, HazardAccess, HazardAllocation, HazardCheck, HazardKind, HazardMemory, Hazards,
    UncheckedUses,
};
pub use layer::Layer;
pub use layered::Layered;
pub use ledger::{AllocationSite, Amount, Ledger, LedgerReport};
#[cfg(feature = "nvtx")]
pub use nvtx::NvtxRanges;
pub use operation::{Call, MemoryKind, Operation, Order, Outcome, Place, Transfer};
pub use red_zones::{Overrun, RedZones, Side};
#[cfg(feature = "tracing")]
pub use spans::Spans;
pub use sync_check::SyncCheck;
#[doc(no_inline)]
pub use trace::{Trace, TraceOptions};

use print::print;
