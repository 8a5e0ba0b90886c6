//! `warpcall diff`: how the kernels of two files differ.

use std::path::Path;

use serde::Serialize;
use warpcall_signature::{Difference, DifferenceKind, Kernel, Module, compare};

use crate::input::{self, Input, target};
use crate::outcome::{DIFFERENT, Outcome, TROUBLE};
use crate::pairing;
use crate::{Format, Reading, style};

/// Compares the kernels of two files, as far as both know: a source and its image, an old file and a new one.
///
/// Each image of a fatbin is compared with the other file; of two fatbins, those for one target. The code is 0 where the
/// kernels agree, [`DIFFERENT`] where they do not, and [`TROUBLE`](crate::TROUBLE) where a file cannot be
/// read, or neither has a kernel.
pub fn diff(left: &Path, right: &Path, reading: &Reading, format: Format) -> Outcome {
    let mut outcome = Outcome::default();
    let mut open = |path| input::open(path, reading).map_err(|message| outcome.fail(&message)).ok();
    let (Some(left), Some(right)) = (open(left), open(right)) else { return outcome };
    if [&left, &right].iter().all(|input| input.modules.iter().all(|module| module.kernels.is_empty())) {
        let (left, right) = (&left.path, &right.path);
        outcome.fail(&format!("neither `{left}` nor `{right}` has a kernel, so nothing is compared"));
    }
    let report = Report::of(&left, &right);
    for module in left.modules.iter().chain(&right.modules) {
        for note in &module.notes {
            outcome.note(&note.to_string());
        }
    }
    if !report.differences.is_empty() {
        outcome.code = DIFFERENT;
    }
    match format {
        Format::Json => outcome.json(&report),
        Format::Text if outcome.code == TROUBLE => {}
        Format::Text => outcome.output = report.text(),
    }
    outcome
}

#[derive(Serialize)]
struct Report {
    left: String,
    right: String,
    /// How many pairs of images were compared.
    images: usize,
    /// How many pairs of kernels agree.
    agreeing: usize,
    differences: Vec<Entry>,
    /// What is on one side alone and need not be on the other.
    not_compared: Vec<Skipped>,
}

/// What differs in one kernel, or a kernel or an image that one side lacks.
#[derive(Serialize)]
struct Entry {
    /// `None` where a whole image is meant.
    kernel: Option<String>,
    /// Which image of a fatbin, on either side.
    target: Option<String>,
    status: Status,
    /// Where it stands.
    left: Option<String>,
    right: Option<String>,
    parameters: Vec<Finding>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Status {
    Differs,
    OnlyLeft,
    OnlyRight,
}

#[derive(Serialize)]
struct Finding {
    /// The parameter, from 0; `None` for the list as a whole.
    index: Option<usize>,
    name: Option<String>,
    difference: String,
    /// What each side says there.
    left: Option<String>,
    right: Option<String>,
    #[serde(skip)]
    is_bound: bool,
}

#[derive(Serialize)]
struct Skipped {
    kernel: String,
    file: String,
    reason: &'static str,
}

impl Report {
    fn of(left: &Input, right: &Input) -> Self {
        let mut report = Self {
            left: left.path.clone(),
            right: right.path.clone(),
            images: 0,
            agreeing: 0,
            differences: Vec::new(),
            not_compared: Vec::new(),
        };
        // Of two files with several images, those for one target belong together.
        let by_target = left.modules.len() > 1 && right.modules.len() > 1;
        for a in &left.modules {
            let mut others = right.modules.iter().filter(|b| !by_target || target(a) == target(b)).peekable();
            if others.peek().is_none() {
                report.differences.push(Entry::image(target(a), Status::OnlyLeft));
            }
            for b in others {
                // Which of several images it is, on whichever side they are.
                let several = if left.modules.len() > 1 {
                    Some(a)
                } else {
                    Some(b).filter(|_| right.modules.len() > 1)
                };
                report.add(a, b, several.and_then(target).as_ref());
            }
        }
        if by_target {
            let alone = right.modules.iter().filter(|b| left.modules.iter().all(|a| target(a) != target(b)));
            report.differences.extend(alone.map(|b| Entry::image(target(b), Status::OnlyRight)));
        }
        report
    }

    fn add(&mut self, left: &Module, right: &Module, target: Option<&String>) {
        self.images += 1;
        let pairing = pairing::of(&left.kernels, &right.kernels);
        for (l, r) in pairing.pairs {
            let (a, b) = (&left.kernels[l], &right.kernels[r]);
            let parameters: Vec<Finding> = differences(a, b).iter().map(|d| Finding::of(d, a, b)).collect();
            if parameters.is_empty() {
                self.agreeing += 1;
                continue;
            }
            self.differences.push(Entry {
                kernel: Some(name(b)),
                target: target.cloned(),
                status: Status::Differs,
                left: place(a),
                right: place(b),
                parameters,
            });
        }
        let alone = |indices: Vec<usize>, kernels: &[Kernel], status| {
            indices.into_iter().map(move |index| (kernels[index].clone(), status)).collect::<Vec<_>>()
        };
        let mut all = alone(pairing.only_left, &left.kernels, Status::OnlyLeft);
        all.extend(alone(pairing.only_right, &right.kernels, Status::OnlyRight));
        for (kernel, status) in all {
            self.add_alone(&kernel, status, target.cloned());
        }
    }

    fn add_alone(&mut self, kernel: &Kernel, status: Status, target: Option<String>) {
        let is_left = status == Status::OnlyLeft;
        let reason = if kernel.is_template() {
            Some("a template, of which the other file has no instance")
        } else if !kernel.is_defined {
            Some("declared without a body, which the other file does not have")
        } else {
            None
        };
        if let Some(reason) = reason {
            let file = if is_left { &self.left } else { &self.right };
            self.not_compared.push(Skipped { kernel: name(kernel), file: file.clone(), reason });
            return;
        }
        self.differences.push(Entry {
            kernel: Some(name(kernel)),
            target,
            status,
            left: place(kernel).filter(|_| is_left),
            right: place(kernel).filter(|_| !is_left),
            parameters: Vec::new(),
        });
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.differences {
            text += &entry.text(&self.left, &self.right);
        }
        for Skipped { kernel, file, reason } in &self.not_compared {
            text += &format!("{} of {file} is not compared: {reason}\n", style::heading(kernel));
        }
        let mut agreeing = match self.agreeing {
            1 => "1 kernel agrees".to_owned(),
            count => format!("{count} kernels agree"),
        };
        if self.images > 1 {
            agreeing += &format!(", over {} images", self.images);
        }
        text += &match self.differences.len() {
            0 => format!("{agreeing}\n"),
            1 => format!("1 differs, {agreeing}\n"),
            count => format!("{count} differ, {agreeing}\n"),
        };
        text
    }
}

impl Entry {
    fn image(target: Option<String>, status: Status) -> Self {
        Self { kernel: None, target, status, left: None, right: None, parameters: Vec::new() }
    }

    fn text(&self, left: &str, right: &str) -> String {
        let target = self.target.as_deref().unwrap_or("?");
        let mut head = match &self.kernel {
            Some(kernel) => style::heading(kernel),
            None => style::heading(&format!("the image for {target}")),
        };
        if self.kernel.is_some() && self.target.is_some() {
            head += &format!(", for {target}");
        }
        let (left_place, right_place) =
            (self.left.as_deref().unwrap_or(left), self.right.as_deref().unwrap_or(right));
        match self.status {
            Status::OnlyLeft => return format!("{head} is in {} alone\n", style::left(left_place)),
            Status::OnlyRight => return format!("{head} is in {} alone\n", style::right(right_place)),
            Status::Differs => {}
        }
        let mut text = format!("{head} differs\n");
        for finding in &self.parameters {
            let what = match (finding.index, &finding.name) {
                (None, _) if finding.is_bound => "launch bounds".to_owned(),
                (None, _) => "parameters".to_owned(),
                (Some(index), None) => format!("parameter {}", index + 1),
                (Some(index), Some(name)) => format!("parameter {}, `{name}`", index + 1),
            };
            text += &format!("  {what}: {}\n", finding.difference);
            let says = |place: &str, what: &Option<String>| {
                format!("{place} says `{}`", what.as_deref().unwrap_or("nothing"))
            };
            text += &format!("    {}\n", style::left(&says(left_place, &finding.left)));
            text += &format!("    {}\n", style::right(&says(right_place, &finding.right)));
        }
        text
    }
}

impl Finding {
    fn of(difference: &Difference, left: &Kernel, right: &Kernel) -> Self {
        let says = |kernel: &Kernel| match difference.parameter {
            Some(index) => kernel.parameters.get(index).map(ToString::to_string),
            None => Some(kernel.to_string()),
        };
        let (left_says, right_says) = match &difference.kind {
            DifferenceKind::Bound(_, l, r) => (Some(dimensions(l)), Some(dimensions(r))),
            _ => (says(left), says(right)),
        };
        let text = match &difference.kind {
            DifferenceKind::Order(at) => format!("is parameter {} on the other side", at + 1),
            kind => Difference { parameter: None, name: None, kind: kind.clone() }.to_string(),
        };
        Self {
            index: difference.parameter,
            name: difference.name.clone(),
            difference: text,
            is_bound: matches!(difference.kind, DifferenceKind::Bound(..)),
            left: left_says,
            right: right_says,
        }
    }
}

fn dimensions(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// How two kernels differ. The alignment and the offset of a parameter of another size say nothing more.
fn differences(left: &Kernel, right: &Kernel) -> Vec<Difference> {
    let mut all = compare(left, right);
    let resized: Vec<Option<usize>> = all
        .iter()
        .filter(|difference| matches!(difference.kind, DifferenceKind::Size(..)))
        .map(|difference| difference.parameter)
        .collect();
    all.retain(|difference| {
        !matches!(difference.kind, DifferenceKind::Alignment(..) | DifferenceKind::Offset(..))
            || !resized.contains(&difference.parameter)
    });
    all
}

fn name(kernel: &Kernel) -> String {
    match &kernel.template {
        warpcall_signature::Template::Instance { arguments } => {
            format!("{}<{arguments}>", kernel.qualified_name())
        }
        _ => kernel.qualified_name(),
    }
}

fn place(kernel: &Kernel) -> Option<String> {
    kernel.origin.as_ref().map(|origin| origin.position.to_string())
}
