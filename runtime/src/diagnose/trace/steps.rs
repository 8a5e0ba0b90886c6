use std::collections::HashMap;
use std::fmt;

use super::align::Correspondence;
use super::recording::{Record, Recording};

/// What the arguments of each launch were, step for step.
///
/// It finds the argument that should change from step to step and does not. A graph keeps the arguments that its launches had
/// when they were captured: a position that was passed by value is the same in all replays.
///
/// ```
/// use warpcall::diagnose::trace::{ArgumentHistory, Trace};
/// # use warpcall::{Gpu, LaunchConfig, kernel};
/// #
/// # #[kernel(module = "rope")]
/// # unsafe extern "C" {
/// #     #[host(nothing)]
/// #     unsafe fn rope(position: u32, head_dim: u32);
/// # }
/// # fn nothing(_: u32, _: u32) {}
/// # fn main() -> warpcall::Result<()> {
/// # let trace = Trace::default();
/// # let gpu = Gpu::builder().host().trace(&trace).open()?;
/// # let stream = gpu.create_stream()?;
/// # let config = LaunchConfig::new(1, 128);
///
/// // Launch by launch, the position changes.
/// for position in 0..3 {
///     trace.mark("step");
///     // SAFETY: the kernel uses no memory.
///     unsafe { launch_rope(&stream, config, position, 64)? };
/// }
/// let eager = ArgumentHistory::of(&trace.take().steps("step"));
///
/// // In a graph, it is the one that was captured.
/// let graph = stream.capture(|stream| unsafe { launch_rope(stream, config, 0, 64) })?;
/// for _ in 0..3 {
///     trace.mark("step");
///     // SAFETY: nothing was captured that could be gone.
///     unsafe { graph.launch(&stream)? };
/// }
/// let replayed = ArgumentHistory::of(&trace.take().steps("step"));
///
/// let frozen: Vec<String> = replayed.frozen(&eager).map(ToString::to_string).collect();
/// assert_eq!(frozen.len(), 1);
/// assert!(frozen[0].starts_with("rope: `position` is 0 in all 3 steps, recorded into graph 1, "));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArgumentHistory {
    /// How many steps there are.
    pub steps: usize,
    /// The arguments that are values, of the launches that every step has, in their order.
    pub arguments: Vec<ArgumentValues>,
    /// The launches of the first step that another has not.
    pub not_in_all: Vec<Record>,
}

/// What one argument was, step for step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArgumentValues {
    /// Which launch of its kernel it is within a step, from 0.
    pub occurrence: usize,
    /// The launch in the first step.
    pub launch: Record,
    /// The argument's name.
    pub name: String,
    /// Its value in each step.
    pub values: Vec<String>,
}

impl ArgumentHistory {
    /// Compares the launches of several steps. A launch of a graph stands for what the graph holds.
    ///
    /// [`Recording::steps`] makes steps of a recording; or [`take`](super::Trace::take) one after each step.
    pub fn of(steps: &[Recording]) -> Self {
        let expanded: Vec<Recording> = steps.iter().map(Recording::expanded).collect();
        let launches: Vec<Vec<&Record>> = expanded.iter().map(|step| step.launches().collect()).collect();
        let mut history = Self { steps: steps.len(), arguments: Vec::new(), not_in_all: Vec::new() };
        let Some((first, others)) = launches.split_first() else { return history };
        // For each launch of the first step, the same one of every other.
        let mut same = vec![Vec::new(); first.len()];
        for (step, other) in others.iter().enumerate() {
            let both = Correspondence::new(&expanded[0], &expanded[step + 1]);
            for (index, found) in both.align(first, other) {
                same[index].push(other[found]);
            }
        }
        let mut occurrences: HashMap<&str, usize> = HashMap::new();
        for (launch, same) in first.iter().zip(same) {
            let count = occurrences.entry(&launch.name).or_default();
            let occurrence = *count;
            *count += 1;
            if same.len() < others.len() {
                history.not_in_all.push((*launch).clone());
                continue;
            }
            for argument in launch.arguments.iter().filter(|argument| argument.is_scalar()) {
                let of =
                    |record: &Record| record.argument(&argument.name).map(|found| found.value.to_string());
                let values = std::iter::once(of(launch)).chain(same.iter().map(|record| of(record)));
                history.arguments.push(ArgumentValues {
                    occurrence,
                    launch: (*launch).clone(),
                    name: argument.name.to_string(),
                    values: values.map(Option::unwrap_or_default).collect(),
                });
            }
        }
        history
    }

    /// The arguments that were the same in every step.
    pub fn unchanged(&self) -> impl Iterator<Item = &ArgumentValues> {
        self.arguments.iter().filter(|argument| !argument.changes())
    }

    /// The arguments that were not.
    pub fn changed(&self) -> impl Iterator<Item = &ArgumentValues> {
        self.arguments.iter().filter(|argument| argument.changes())
    }

    /// The arguments of launches recorded into a graph that were the same in every step, although those of the same launch
    /// change in `eager`, steps of the same program that were launched one by one.
    pub fn frozen(&self, eager: &Self) -> impl Iterator<Item = &ArgumentValues> {
        self.unchanged().filter(|argument| argument.launch.captured.is_some()).filter(|argument| {
            eager.changed().any(|other| {
                (other.occurrence, &*other.launch.name, &other.name)
                    == (argument.occurrence, &*argument.launch.name, &argument.name)
            })
        })
    }
}

impl ArgumentValues {
    /// Whether it was not the same in every step.
    pub fn changes(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// `all 3 steps`.
fn every(steps: usize) -> String {
    if steps == 1 { "the one step".into() } else { format!("all {steps} steps") }
}

/// `rope: `position` is 0 in all 3 steps, recorded into graph 1, src/main.rs:10:5`
impl fmt::Display for ArgumentValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` is ", self.launch.name, self.name)?;
        match &self.values[..] {
            [value, ..] if !self.changes() => write!(f, "{value} in {}", every(self.values.len()))?,
            values => f.write_str(&values.join(", "))?,
        }
        if let Some(graph) = self.launch.captured {
            write!(f, ", recorded into graph {graph}")?;
        }
        write!(f, ", {}", self.launch.location)
    }
}
