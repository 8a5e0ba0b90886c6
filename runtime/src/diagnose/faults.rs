//! Calls that fail or are slow because they are told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::layer_count::LayerCount;
use super::{Call, Layer, Operation, print};
use crate::backend::GpuBackend;
use crate::backend::mock::CallKind;
use crate::error::{Error, Result};

/// How many calls are known by name. A plan may be around a program that runs for days.
const NAMES_KEPT: usize = 65_536;

/// How many calls of a program fail in their turn.
const CALLS_FAILED: u64 = 65_536;

/// Makes calls fail, or take time, so that an engine's error paths are executed.
///
/// A call that fails is not passed on, and returns [`Error::Injected`] with its name, and which of that name it is. A clone is the same plan.
///
/// [`each_in_turn`](Self::each_in_turn) runs a program once for each call that it makes, and fails that one:
///
/// ```
/// use warpcall::diagnose::Faults;
/// use warpcall::{Error, Gpu, Result};
///
/// fn program(gpu: &Gpu) -> Result<Vec<f32>> {
///     let zeros = gpu.zeros::<f32>(4)?;
///     zeros.to_vec(&gpu.default_stream())
/// }
///
/// let runs = Faults::each_in_turn(
///     |faults| Gpu::builder().host().faults(faults).open(),
///     |gpu| program(&gpu).map(drop),
/// )?;
/// let failed: Vec<_> = runs.iter().map(|run| (run.call, run.result.is_err())).collect();
/// // What is freed when it is dropped has nobody to tell: `Gpu::take_failed_drops` does.
/// assert_eq!(failed, [("allocate", true), ("memset", true), ("copy_to_host_on", true), ("free", false)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Plan>,
    /// Whether what fails, and what was to fail and never came, goes to the standard error stream.
    prints: bool,
}

#[derive(Debug, Default)]
struct Plan {
    made: Mutex<Made>,
    /// The name of the call that failed last.
    failed: Mutex<Option<&'static str>>,
    rules: Mutex<Vec<Rule>>,
    layers: Mutex<LayerCount>,
}

/// The calls that there were.
#[derive(Debug, Default)]
struct Made {
    /// The names of the first, in their order.
    names: Vec<&'static str>,
    /// How many of each name.
    counts: BTreeMap<&'static str, u64>,
    /// How many in all.
    total: u64,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    /// `None` is any kind.
    kind: Option<CallKind>,
    /// How many such calls go before the one that is meant, or 0 for every one.
    left: u64,
    number: u64,
    effect: Effect,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    Fail,
    Delay(Duration),
}

/// One run of [`Faults::each_in_turn`].
#[derive(Debug)]
#[non_exhaustive]
pub struct FaultRun {
    /// The name of the method that failed.
    pub call: &'static str,
    /// Which call of the program it was, of whatever kind, counted from 1. The calls of `open` come before and do not count.
    pub number: u64,
    /// What the program returned.
    pub result: Result<()>,
}

impl Faults {
    /// A plan that does nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prints to the standard error stream when a call fails, as nobody is told of one whose error is dropped; and when the last backend
    /// that the plan is around closes, what was to fail and never came, beside the calls that there were.
    #[must_use]
    pub fn print(mut self) -> Self {
        self.prints = true;
        self
    }

    /// Makes the `nth` call of `kind` from now on fail: 1 is the next one. An `nth` of 0 never comes.
    ///
    /// [`CallKind::HasModule`] cannot fail and answers `false` instead.
    pub fn fail(&self, kind: CallKind, nth: u64) {
        self.rule(Some(kind), nth, Effect::Fail);
    }

    /// Makes the `nth` call from now on fail, of whatever kind it is.
    pub fn fail_call(&self, nth: u64) {
        self.rule(None, nth, Effect::Fail);
    }

    /// Makes every call of `kind` wait before it is passed on.
    pub fn delay(&self, kind: CallKind, delay: Duration) {
        self.rules().push(Rule { kind: Some(kind), left: 0, number: 0, effect: Effect::Delay(delay) });
    }

    /// The names of the calls that there were, in their order: of the first 65,536.
    pub fn made(&self) -> Vec<&'static str> {
        lock(&self.plan.made).names.clone()
    }

    /// The name of the call that failed last, where one did.
    pub fn failed(&self) -> Option<&'static str> {
        *lock(&self.plan.failed)
    }

    /// Forgets failures that have not come, and delays.
    pub fn clear(&self) {
        self.rules().clear();
    }

    /// Runs `program` once as it is, and then once for each call that it made, failing that one. `open` opens what the program
    /// runs on, with the plan that it is given; no call that it makes itself fails.
    ///
    /// Each run is opened anew. A panic of the program is not caught. Of a program that makes more than 65,536 calls, the first of these
    /// fail. A run that makes fewer calls than the first, so that nothing fails, ends the series.
    ///
    /// # Errors
    ///
    /// What opening returns, and what the run in which nothing fails returns.
    pub fn each_in_turn<G>(
        mut open: impl FnMut(&Self) -> Result<G>,
        mut program: impl FnMut(G) -> Result<()>,
    ) -> Result<Vec<FaultRun>> {
        let whole = Self::new();
        let opened = open(&whole)?;
        let before = whole.total();
        program(opened)?;
        let calls = whole.total() - before;
        let mut runs = Vec::new();
        for number in 1..=calls.min(CALLS_FAILED) {
            let faults = Self::new();
            let opened = open(&faults)?;
            faults.fail_call(number);
            let result = program(opened);
            let Some(call) = faults.failed() else { break };
            runs.push(FaultRun { call, number, result });
        }
        Ok(runs)
    }

    fn total(&self) -> u64 {
        lock(&self.plan.made).total
    }

    fn rule(&self, kind: Option<CallKind>, nth: u64, effect: Effect) {
        if nth > 0 {
            self.rules().push(Rule { kind, left: nth, number: nth, effect });
        }
    }

    fn rules(&self) -> MutexGuard<'_, Vec<Rule>> {
        lock(&self.plan.rules)
    }

    /// How long the call is to wait, and whether it is to fail.
    fn meet(&self, name: &'static str) -> (Duration, bool) {
        let (mut delay, mut fails) = (Duration::ZERO, false);
        self.rules().retain_mut(|rule| {
            if rule.kind.is_some_and(|kind| kind.name() != name) {
                return true;
            }
            match rule.effect {
                Effect::Delay(time) => delay += time,
                Effect::Fail => {
                    rule.left -= 1;
                    fails |= rule.left == 0;
                    return rule.left > 0;
                }
            }
            true
        });
        (delay, fails)
    }
}

impl Made {
    /// Notes a call. Which of its name it is, counted from 1.
    fn note(&mut self, name: &'static str) -> u64 {
        self.total += 1;
        if self.names.len() < NAMES_KEPT {
            self.names.push(name);
        }
        let count = self.counts.entry(name).or_default();
        *count += 1;
        *count
    }
}

/// The lock, whoever panicked with it: nothing here is half done between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Faults {
    fn name(&self) -> &'static str {
        "fault injection"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        let number = lock(&self.plan.made).note(call.name);
        let (delay, fails) = self.meet(call.name);
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        if !fails {
            return Ok(());
        }
        *lock(&self.plan.failed) = Some(call.name);
        let kernel: Option<Box<str>> = match call.operation {
            Operation::Launch(launch) => Some(match launch.declaration {
                Some(kernel) => kernel.name().into(),
                None => call.inner.kernel_name(launch.kernel).unwrap_or_default().into(),
            }),
            Operation::LaunchRaw { kernel, .. } => call.inner.kernel_name(kernel).map(Into::into),
            Operation::ResolveKernel(kernel) => Some(kernel.name().into()),
            Operation::FindKernel { name, .. } => Some(name.into()),
            _ => None,
        };
        let kernel = kernel.filter(|name| !name.is_empty());
        let error = Error::Injected { call: call.name, kernel, number };
        if self.prints {
            print(format_args!("fault injection: {error}"));
        }
        Err(error)
    }

    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        lock(&self.plan.layers).open(inner.id());
    }

    fn close(&self, inner: &dyn GpuBackend) {
        let is_last = {
            let mut layers = lock(&self.plan.layers);
            layers.close(inner.id());
            layers.is_empty()
        };
        if self.prints && is_last {
            self.print_what_never_came();
        }
    }
}

impl Faults {
    /// Prints what was to fail and did not, beside the calls that there were.
    pub(super) fn print_what_never_came(&self) {
        let counts = lock(&self.plan.made).counts.clone();
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        for rule in self.rules().iter().filter(|rule| matches!(rule.effect, Effect::Fail)) {
            let kind = rule.kind.map_or("any", CallKind::name);
            print(format_args!(
                "fault injection: {kind}:{} never came; the calls: {}",
                rule.number,
                counts.join(", ")
            ));
        }
    }
}
