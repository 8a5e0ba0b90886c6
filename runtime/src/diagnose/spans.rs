use std::cell::RefCell;

use tracing::span::EnteredSpan;
use tracing::{debug_span, error};

use super::{Call, Layer, Operation, Outcome, Transfer};
use crate::device::CalledAt;
use crate::error::Result;

/// Gives each launch, copy, memset and wait a span of the crate [`tracing`], which is open from the call to its return.
///
/// The spans are called `launch`, `graph`, `copy`, `fill` and `wait`, with the target `warpcall` and the level `DEBUG`. Their fields are
/// `kernel`, `grid`, `block`, `shared_mem`, `stream`, `graph`, `bytes`, `call` (the method of the backend) and `at` (the caller's
/// place), as far as they apply; streams and graphs are told by their handles, as errors name them: `0x100000001`. What fails is an event
/// of the level `ERROR` within its span. A span is the time on the host: a device executes later.
///
/// ```
/// use warpcall::Gpu;
///
/// // With a subscriber that shows spans, such as tracing_subscriber::fmt().with_max_level(Level::DEBUG)
/// // .with_span_events(FmtSpan::CLOSE): DEBUG launch{kernel=rms_norm grid=[4,1,1] …} warpcall: close time.busy=…
/// let gpu = Gpu::builder().host().spans().open()?;
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Spans;

thread_local! {
    /// The spans that are open on this thread, those of the outer layers first.
    static OPEN: RefCell<Vec<EnteredSpan>> = const { RefCell::new(Vec::new()) };
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Spans {
    fn name(&self) -> &'static str {
        "spans"
    }

    /// The note has how many spans are open with this one; none where nobody listens, and none where the thread has come so far in
    /// ending that it could not keep one open.
    fn before(&self, call: &Call<'_>) -> Result<()> {
        if OPEN.try_with(|_| ()).is_err() {
            return Ok(());
        }
        let at = CalledAt(call.location);
        let span = match call.operation {
            Operation::Launch(launch) => debug_span!(
                target: "warpcall",
                "launch",
                kernel = %call.subject(),
                grid = %launch.config.grid,
                block = %launch.config.block,
                shared_mem = launch.config.shared_mem,
                stream = %launch.stream,
                %at,
            ),
            Operation::LaunchRaw { config, stream, .. } => debug_span!(
                target: "warpcall",
                "launch",
                kernel = %call.subject(),
                grid = %config.grid,
                block = %config.block,
                shared_mem = config.shared_mem,
                %stream,
                %at,
            ),
            Operation::LaunchGraph { graph, stream } => {
                debug_span!(target: "warpcall", "graph", %graph, %stream, %at)
            }
            Operation::Copy(Transfer { bytes, order, .. }) => {
                debug_span!(target: "warpcall", "copy", call = call.name, bytes, stream = %order.stream(), %at)
            }
            Operation::CopyRectangle { copy, stream } => {
                let bytes = copy.width.saturating_mul(copy.height);
                debug_span!(target: "warpcall", "copy", call = call.name, bytes, %stream, %at)
            }
            Operation::Fill { bytes, order, .. } => {
                debug_span!(target: "warpcall", "fill", call = call.name, bytes, stream = %order.stream(), %at)
            }
            Operation::SynchronizeStream(stream) => {
                debug_span!(target: "warpcall", "wait", call = call.name, %stream, %at)
            }
            Operation::Synchronize | Operation::SynchronizeEvent(_) => {
                debug_span!(target: "warpcall", "wait", call = call.name, %at)
            }
            _ => return Ok(()),
        };
        if span.is_disabled() {
            return Ok(());
        }
        // Entered outside of the borrow, as a subscriber may launch.
        let entered = span.entered();
        let _ = OPEN.try_with(|open| {
            let mut open = open.borrow_mut();
            open.push(entered);
            call.note.set([open.len() as u64, 0]);
        });
        Ok(())
    }

    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        if let Outcome::Failed(error) = outcome {
            error!(target: "warpcall", call = call.name, at = %CalledAt(call.location), "{error}");
        }
        let [depth, _] = call.note.get();
        if let Some(outer) = usize::try_from(depth).ok().and_then(|depth| depth.checked_sub(1)) {
            // With those that a panic left open within it. They are closed outside of the borrow, as a subscriber may launch.
            let closed: Option<Vec<_>> = OPEN
                .try_with(|open| {
                    let mut open = open.borrow_mut();
                    let outer = outer.min(open.len());
                    open.drain(outer..).rev().collect()
                })
                .ok();
            drop(closed);
        }
    }
}
