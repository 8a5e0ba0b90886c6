//! Measuring several ways of doing one thing beside each other.

// Counts and times become ratios of three digits.
#![allow(clippy::cast_precision_loss)]

pub mod by_hand;
pub mod kernels;
pub mod plot;
pub mod vec_builder;

use std::time::Instant;

/// One way of doing the thing, called with how often to do it.
pub struct Way<'a> {
    /// What the table calls it.
    pub name: &'static str,
    /// Does the thing that many times.
    pub run: &'a mut dyn FnMut(usize),
}

/// What was measured of one way.
pub struct Measured {
    /// What the table calls it.
    pub name: &'static str,
    /// The median time of one call in nanoseconds.
    pub median_ns: f64,
    /// The median, over the batches, of the time over the first way's time in the same round.
    pub ratio: f64,
    /// The median, over the batches, of the time less the first way's time in the same round, in nanoseconds.
    pub difference_ns: f64,
}

/// Runs the ways in turn, `batches` rounds of `calls` calls each, so that a drift of the machine's speed meets all of
/// them alike. The first way is the baseline. Every other round goes through them backwards.
///
/// `settle` runs after each batch and is not timed: it waits until the device has caught up.
pub fn interleaved(
    ways: &mut [Way<'_>],
    batches: usize,
    calls: usize,
    mut settle: impl FnMut(),
) -> Vec<Measured> {
    for way in &mut *ways {
        (way.run)(calls);
        settle();
    }
    let mut times = vec![Vec::with_capacity(batches); ways.len()];
    for batch in 0..batches {
        for turn in 0..ways.len() {
            let index = if batch % 2 == 0 { turn } else { ways.len() - 1 - turn };
            let start = Instant::now();
            (ways[index].run)(calls);
            times[index].push(start.elapsed().as_secs_f64() * 1e9 / calls as f64);
            settle();
        }
    }
    ways.iter()
        .zip(&times)
        .map(|(way, own)| {
            let paired = |combine: fn(f64, f64) -> f64| {
                median(own.iter().zip(&times[0]).map(|(time, baseline)| combine(*time, *baseline)).collect())
            };
            Measured {
                name: way.name,
                median_ns: median(own.clone()),
                ratio: paired(|time, baseline| time / baseline),
                difference_ns: paired(|time, baseline| time - baseline),
            }
        })
        .collect()
}

/// The middle value; zero of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The measurements as a table.
pub fn print_table(title: &str, measured: &[Measured]) {
    println!("{title}");
    println!("  {:<36} {:>10} {:>10} {:>12}", "", "median", "ratio", "difference");
    for row in measured {
        println!(
            "  {:<36} {:>7.1} ns {:>10.3} {:>+9.1} ns",
            row.name, row.median_ns, row.ratio, row.difference_ns
        );
    }
}
