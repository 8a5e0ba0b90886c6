//! Measurements as a picture.

use std::path::Path;

use plotters::prelude::*;

/// Horizontal bars, one a name, with their values beside them, as an SVG file.
///
/// # Errors
///
/// Where the file cannot be written.
pub fn bars(path: &Path, title: &str, unit: &str, values: &[(String, f64)]) -> anyhow::Result<()> {
    const ROW: u32 = 34;
    const TOP: i32 = 56;
    const LEFT: i32 = 290;
    const WIDTH: u32 = 900;
    let height = TOP.unsigned_abs() + ROW * u32::try_from(values.len())? + 16;
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw(&Text::new(title, (16, 18), ("sans-serif", 20).into_font().color(&BLACK)))?;
    let largest = values.iter().map(|(_, value)| *value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for (row, (name, value)) in (0..).zip(values) {
        let top = TOP + row * ROW.cast_signed();
        // Lengths and positions in a picture of a few hundred pixels.
        #[allow(clippy::cast_possible_truncation)]
        let right = LEFT + (value / largest * 480.0).round() as i32;
        root.draw(&Text::new(name.as_str(), (16, top + 4), ("sans-serif", 15).into_font().color(&BLACK)))?;
        root.draw(&Rectangle::new([(LEFT, top), (right, top + 22)], RGBColor(70, 120, 180).filled()))?;
        let label = format!("{value:.3} {unit}");
        root.draw(&Text::new(label, (right + 8, top + 4), ("sans-serif", 15).into_font().color(&BLACK)))?;
    }
    root.present()?;
    Ok(())
}
