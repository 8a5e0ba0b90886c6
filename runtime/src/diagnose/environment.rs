//! The layers that environment variables ask for.

mod unknown;

use std::ffi::OsString;
use std::ops::Range;
use std::sync::{Arc, Once};

use self::unknown::unknown;
use super::at_exit::{Report, report_at_exit};
use super::{CallKind, Faults, Hazards, Layered, Ledger, RedZones, SyncCheck, print};
use crate::backend::GpuBackend;
use crate::error::{Error, Result};

/// Puts the layers that environment variables ask for around a backend; [the module](crate::diagnose) lists them.
///
/// ```
/// use std::sync::Arc;
///
/// use warpcall::backend::DeviceInfo;
/// use warpcall::{HostBackend, diagnose};
///
/// let backend = diagnose::from_environment(Arc::new(HostBackend::new()))?;
/// assert_eq!(backend.kind(), "host");
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// # Errors
///
/// Names a variable whose value means nothing.
pub fn from_environment(backend: Arc<dyn GpuBackend>) -> Result<Arc<dyn GpuBackend>> {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        for (name, _) in std::env::vars_os() {
            if let Some(advice) = unknown(&name.to_string_lossy()) {
                print(format_args!("warpcall: {advice}"));
            }
        }
    });
    from_variables(backend, |name| std::env::var_os(name))
}

fn from_variables(
    mut backend: Arc<dyn GpuBackend>,
    read: impl Fn(&str) -> Option<OsString>,
) -> Result<Arc<dyn GpuBackend>> {
    let mut at_exit: Vec<Report> = Vec::new();
    let label = backend.label();
    // None of the values but names of files can be other than Unicode.
    let variable = |name: &str| read(name).map(|value| value.to_string_lossy().into_owned());
    let is_set = |value: &OsString| !value.is_empty() && value != "0";
    let file = |name: &str| read(name).filter(is_set);
    let value = |name: &str| variable(name).filter(|value| !matches!(value.as_str(), "" | "0"));
    if let Some(bytes) = value("WARPCALL_RED_ZONES") {
        let expected = "the length of a band in bytes, such as 256";
        let band = bytes.parse().map_err(|_| meaningless("WARPCALL_RED_ZONES", &bytes, expected))?;
        let zones = RedZones::new(band);
        let mut zones =
            zones.map_err(|_| meaningless("WARPCALL_RED_ZONES", &bytes, "1 byte to 1 GiB"))?.print();
        if let Some(numbers) = value("WARPCALL_POISON") {
            let expected = "numbers of allocations, which count from 1, such as 1..=20";
            let numbers =
                range(&numbers).ok_or_else(|| meaningless("WARPCALL_POISON", &numbers, expected))?;
            zones = zones.poison_new(numbers, RedZones::POISON);
        }
        let watched = zones.clone();
        at_exit.push(Box::new(move || watched.print_unfreed()));
        backend = Arc::new(Layered::new(backend, zones));
    } else if let Some(numbers) = value("WARPCALL_POISON") {
        let expected = "nothing without WARPCALL_RED_ZONES, whose bands it poisons";
        return Err(meaningless("WARPCALL_POISON", &numbers, expected));
    }
    if is_on("WARPCALL_LEDGER", variable("WARPCALL_LEDGER").as_deref())? {
        let ledger = Ledger::new().print_at_close();
        let (kept, label) = (ledger.clone(), label.clone());
        at_exit.push(Box::new(move || kept.print(&label)));
        backend = Arc::new(Layered::new(backend, ledger));
    }
    if let Some(fault) = value("WARPCALL_FAULT") {
        let faults =
            fault_of(&fault).ok_or_else(|| meaningless("WARPCALL_FAULT", &fault, &faults_expected()))?;
        let planned = faults.clone();
        at_exit.push(Box::new(move || planned.print_what_never_came()));
        backend = Arc::new(Layered::new(backend, faults));
    }
    if is_on("WARPCALL_SYNC", variable("WARPCALL_SYNC").as_deref())? {
        backend = Arc::new(Layered::new(backend, SyncCheck));
    }
    let device_times = is_on("WARPCALL_TRACE_DEVICE", variable("WARPCALL_TRACE_DEVICE").as_deref())?;
    if let Some(file) = file("WARPCALL_TRACE") {
        let trace = super::trace::of_file(file.as_ref(), device_times)
            .map_err(|expected| meaningless("WARPCALL_TRACE", &file.to_string_lossy(), &expected))?;
        let written = trace.clone();
        at_exit.push(Box::new(move || written.write_file()));
        backend = Arc::new(Layered::new(backend, trace));
    } else if device_times {
        let expected = "nothing without WARPCALL_TRACE, which names the file";
        return Err(meaningless("WARPCALL_TRACE_DEVICE", "1", expected));
    }
    // Around what waits, which would hide what is missing.
    if let Some(hazards) = hazards("WARPCALL_HAZARDS", variable("WARPCALL_HAZARDS").as_deref())? {
        let found = hazards.clone();
        at_exit.push(Box::new(move || found.print_summary()));
        backend = Arc::new(Layered::new(backend, hazards.layer()));
    }
    if let Some(library) = file("WARPCALL_NVTX") {
        backend = with_nvtx(backend, &library)?;
    }
    report_at_exit(&backend, at_exit);
    Ok(backend)
}

#[cfg(feature = "nvtx")]
fn with_nvtx(backend: Arc<dyn GpuBackend>, library: &OsString) -> Result<Arc<dyn GpuBackend>> {
    use super::NvtxRanges;

    let is_named = library != "1";
    let ranges = if is_named { NvtxRanges::load_file(library) } else { NvtxRanges::load() };
    let refuse = |looked: String| {
        let expected = if is_named {
            format!(
                "the file that NVTX is, such as /path/to/libnvtx3interop.so.1; loading it failed: {looked}"
            )
        } else {
            format!(
                "NVTX where the loader looks, which it was not found at ({looked}); install the CUDA toolkit's NVTX, or name its \
                 file with WARPCALL_NVTX=/path/to/libnvtx3interop.so.1"
            )
        };
        meaningless("WARPCALL_NVTX", &library.to_string_lossy(), &expected)
    };
    Ok(Arc::new(Layered::new(backend, ranges.map_err(refuse)?)))
}

#[cfg(not(feature = "nvtx"))]
fn with_nvtx(_: Arc<dyn GpuBackend>, library: &OsString) -> Result<Arc<dyn GpuBackend>> {
    Err(meaningless(
        "WARPCALL_NVTX",
        &library.to_string_lossy(),
        "nothing, as warpcall was built without its feature `nvtx`: add the feature",
    ))
}

/// Whether a variable that is a switch is on.
fn is_on(name: &'static str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(meaningless(name, other, "0 or 1")),
    }
}

/// `10..20`, or `10..=20`.
fn range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once("..")?;
    let start = start.parse().ok()?;
    let end = match end.strip_prefix('=') {
        Some(last) => last.parse::<u64>().ok()?.checked_add(1)?,
        None => end.parse().ok()?,
    };
    (start <= end).then_some(start..end)
}

/// `launch:3`, or `any:100`.
fn fault_of(text: &str) -> Option<Faults> {
    let (name, number) = text.split_once(':')?;
    let number = number.parse().ok().filter(|number| *number > 0)?;
    let faults = Faults::new().print();
    match name {
        "any" => faults.fail_call(number),
        _ => faults.fail(*CallKind::ALL.iter().find(|kind| kind.name() == name)?, number),
    }
    Some(faults)
}

/// What [`fault_of`] takes.
fn faults_expected() -> String {
    let names: Vec<&str> = CallKind::ALL.iter().map(|kind| kind.name()).collect();
    format!(
        "the name of a call and a number from 1, such as launch:3; the names are any, {}",
        names.join(", ")
    )
}

fn hazards(name: &'static str, value: Option<&str>) -> Result<Option<Hazards>> {
    match value {
        None | Some("" | "0") => Ok(None),
        Some("1") => Ok(Some(Hazards::printed())),
        Some("strict") => Ok(Some(Hazards::strict())),
        Some(other) => Err(meaningless(name, other, "0, 1 or strict")),
    }
}

fn meaningless(name: &'static str, found: &str, expected: &str) -> Error {
    Error::InvalidArgument {
        operation: "reading the environment",
        what: format!("`{name}`").into(),
        found: format!("`{}`", shortened(found)).into(),
        expected: expected.into(),
    }
}

/// The begin of a value that may be anything.
fn shortened(value: &str) -> String {
    const MOST: usize = 100;
    let begin = value.chars().take(MOST).flat_map(char::escape_debug);
    begin.chain((value.chars().count() > MOST).then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::HostBackend;

    fn open(name: &'static str, value: &'static str) -> Result<String> {
        let variable = |asked: &str| (asked == name).then(|| value.into());
        Ok(format!("{:?}", from_variables(Arc::new(HostBackend::new()), variable)?))
    }

    #[test]
    fn a_switch_is_off_on_or_an_error() {
        for off in ["", "0"] {
            assert!(!open("WARPCALL_SYNC", off).expect("it means off").contains("SyncCheck"));
        }
        assert!(open("WARPCALL_SYNC", "1").expect("it means on").contains("SyncCheck"));
        let error = open("WARPCALL_SYNC", "yes").expect_err("it means nothing").to_string();
        assert_eq!(error, "reading the environment: `WARPCALL_SYNC` is `yes`; expected 0 or 1");
    }

    #[test]
    fn each_variable_switches_its_layer_on() {
        for (name, value, layer) in [
            ("WARPCALL_RED_ZONES", "300", "band: 512"),
            ("WARPCALL_LEDGER", "1", "Ledger"),
            ("WARPCALL_FAULT", "launch:3", "kind: Some(Launch), left: 3"),
            ("WARPCALL_FAULT", "any:100", "kind: None, left: 100"),
        ] {
            let opened = open(name, value).expect("the value has a meaning");
            assert!(opened.contains(layer), "{name}={value}: {opened}");
        }
    }

    #[test]
    fn backends_that_are_traced_into_one_file_share_the_trace() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("shared.txt");
        let open = || {
            from_variables(Arc::new(HostBackend::new()), |name| match name {
                "WARPCALL_TRACE" => Some(path.clone().into()),
                "WARPCALL_TRACE_DEVICE" => Some("1".into()),
                _ => None,
            })
            .expect("the file can be written")
        };
        let (first, second) = (open(), open());
        let ids = [&first, &second].map(|backend| format!("backend {}: host", backend.id().get()));
        drop(first);
        drop(second);
        let text = std::fs::read_to_string(&path).expect("it was written");
        assert!(ids.iter().all(|id| text.contains(id)), "{text}");
        let error = open_error(&path.with_extension("csv").to_string_lossy());
        assert!(error.contains("`WARPCALL_TRACE` is ") && error.contains("`.txt`"), "{error}");
    }

    #[test]
    fn a_file_with_another_extension_is_refused_with_those_that_this_build_knows() {
        let (other, none) = (open_error("a.xyz"), open_error("trace"));
        let begin = "reading the environment: `WARPCALL_TRACE` is `a.xyz`; expected a file with the extension `.txt` (text)";
        assert!(other.starts_with(begin), "{other}");
        assert_eq!(none, other.replace("a.xyz", "trace"));
        if cfg!(feature = "json") {
            assert!(
                other.ends_with(", `.jsonl` (JSON lines) or `.json` (the Trace Event format)"),
                "{other}"
            );
            return;
        }
        assert!(other.ends_with(", the only one that warpcall knows without its feature `json`"), "{other}");
        for name in ["a.json", "a.jsonl"] {
            let words = format!(
                "reading the environment: `WARPCALL_TRACE` is `{name}`; expected a file with the extension `.txt`, as warpcall was \
                 built without its feature `json`, which that extension needs: use `.txt`, or add the feature"
            );
            assert_eq!(open_error(name), words);
        }
        let nowhere = open_error("/no such folder/a.txt");
        assert!(nowhere.contains("; expected a file that can be written, which fails with: "), "{nowhere}");
    }

    #[test]
    #[cfg(feature = "nvtx")]
    fn nvtx_that_is_missing_is_told_with_where_it_was_looked_for() {
        let error =
            open("WARPCALL_NVTX", "/no such folder/libnvtx.so").expect_err("nothing is there").to_string();
        assert!(error.contains("; expected the file that NVTX is, such as /path/to/"), "{error}");
        // Where the toolkit is installed, NVTX is there.
        if let Err(error) = open("WARPCALL_NVTX", "1") {
            let error = error.to_string();
            for part in
                ["`WARPCALL_NVTX` is `1`; expected NVTX where", "libnvToolsExt", "WARPCALL_NVTX=/path/to/"]
            {
                assert!(error.contains(part), "{part} is not in: {error}");
            }
            assert!(!error.contains("open_file"), "{error}");
        }
    }

    fn open_error(file: &str) -> String {
        let variable = |name: &str| (name == "WARPCALL_TRACE").then(|| file.into());
        from_variables(Arc::new(HostBackend::new()), variable).expect_err("the extension is none").to_string()
    }

    #[test]
    fn a_value_without_a_meaning_names_its_variable() {
        for (name, value) in [
            ("WARPCALL_RED_ZONES", "wide"),
            ("WARPCALL_RED_ZONES", "-1"),
            ("WARPCALL_LEDGER", "2"),
            ("WARPCALL_FAULT", "launch"),
            ("WARPCALL_FAULT", "launch:0"),
            ("WARPCALL_FAULT", "lunch:1"),
            ("WARPCALL_RED_ZONES", "1073741825"),
            ("WARPCALL_RED_ZONES", "99999999999999999999999"),
            ("WARPCALL_POISON", "0..10"),
            ("WARPCALL_TRACE_DEVICE", "yes"),
            ("WARPCALL_TRACE_DEVICE", "1"),
            ("WARPCALL_NVTX", "/no such folder/libnvtx.so"),
        ] {
            let error = open(name, value).expect_err("it means nothing").to_string();
            assert!(error.contains(&format!("`{name}` is `{value}`")), "{error}");
        }
        let names = open("WARPCALL_FAULT", "lunch:1").expect_err("it is no call").to_string();
        assert!(names.contains("any, ") && names.contains(", launch_graph"), "{names}");
        for (text, numbers) in [("10..20", 10..20), ("1..=3", 1..4), ("5..=5", 5..6), ("5..5", 5..5)] {
            assert_eq!(range(text), Some(numbers));
        }
        for numbers in
            ["3..", "20..10", "1..=", "1..=18446744073709551615", "..", "1..99999999999999999999999"]
        {
            let both = |asked: &str| match asked {
                "WARPCALL_RED_ZONES" => Some("256".into()),
                "WARPCALL_POISON" => Some(numbers.into()),
                _ => None,
            };
            let error = from_variables(Arc::new(HostBackend::new()), both).expect_err("it means nothing");
            assert!(error.to_string().contains(&format!("`WARPCALL_POISON` is `{numbers}`")), "{error}");
        }
        let error = open("WARPCALL_SYNC", "\u{1b}[31m\n").expect_err("it means nothing").to_string();
        assert!(error.contains(r"is `\u{1b}[31m\n`;"), "{error}");
        let long = "x".repeat(1 << 20);
        let read = |asked: &str| (asked == "WARPCALL_SYNC").then(|| long.clone().into());
        let error = from_variables(Arc::new(HostBackend::new()), read).expect_err("it means nothing");
        assert!(error.to_string().len() < 300, "{}", error.to_string().len());
    }

    /// Names of files need not be Unicode.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_trace_is_written_into_the_file_that_was_named() {
        use std::os::unix::ffi::OsStrExt;

        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt"));
        let read = |name: &str| (name == "WARPCALL_TRACE").then(|| path.clone().into());
        drop(from_variables(Arc::new(HostBackend::new()), read).expect("the file can be written"));
        let text = std::fs::read_to_string(&path).expect("it was written");
        assert!(text.starts_with("warpcall trace of 0 calls"), "{text}");
    }

    #[test]
    fn a_variable_that_needs_another_is_refused_without_it() {
        for (name, value, other) in [
            ("WARPCALL_POISON", "0..3", "WARPCALL_RED_ZONES"),
            ("WARPCALL_TRACE_DEVICE", "1", "WARPCALL_TRACE"),
        ] {
            let error = open(name, value).expect_err("it does nothing alone").to_string();
            assert!(error.contains(&format!("expected nothing without {other}")), "{error}");
        }
    }

    #[test]
    fn hazards_are_printed_or_an_error_or_not_looked_for() {
        assert!(!open("WARPCALL_HAZARDS", "0").expect("it means off").contains("HazardCheck"));
        assert!(open("WARPCALL_HAZARDS", "1").expect("it is known").contains("strict: false"));
        assert!(open("WARPCALL_HAZARDS", "strict").expect("it is known").contains("strict: true"));
        let error = open("WARPCALL_HAZARDS", "2").expect_err("it means nothing").to_string();
        assert_eq!(error, "reading the environment: `WARPCALL_HAZARDS` is `2`; expected 0, 1 or strict");
    }
}
