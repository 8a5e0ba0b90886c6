//! What the examples share: numbers to compute with, and comparing what came out.

/// `count` numbers between -1 and 1, the same ones for the same seed.
pub fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f32() * 2.0 - 1.0).collect()
}

/// The largest difference between two results. Not a number where one of them holds such.
///
/// # Errors
///
/// Where the results differ in length.
pub fn largest_difference(found: &[f32], expected: &[f32]) -> anyhow::Result<f32> {
    anyhow::ensure!(
        found.len() == expected.len(),
        "the result has {} elements, and {} were expected",
        found.len(),
        expected.len()
    );
    Ok(found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(
        0.0,
        |largest, difference| {
            if difference.is_nan() || difference > largest { difference } else { largest }
        },
    ))
}
