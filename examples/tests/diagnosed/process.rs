//! An example as a process.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

/// Where the examples run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// On the host, whatever is there.
    Host,
    /// On the first CUDA device.
    Device,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it printed, without the digits of addresses.
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Long enough for an example on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// The folder of the examples: beside that of the tests, both in a folder of Cargo's and in a bundle.
pub(crate) fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a file");
    let tests = test.parent().expect("it lies in a folder");
    tests.parent().expect("which lies in another").join("examples")
}

/// Runs an example to its end.
pub(crate) fn run(
    example: &str,
    place: Place,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Result<Ended> {
    let path = folder().join(example).with_extension(std::env::consts::EXE_EXTENSION);
    ensure!(path.exists(), "{} is not built; `cargo test -p warpcall-examples` builds it", path.display());
    let mut command = Command::new(&path);
    // The tests say which tools there are; where NVRTC is, the machine does.
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in
        names.filter(|name| name.to_string_lossy().starts_with("WARPCALL_") && name != "WARPCALL_NVRTC")
    {
        command.env_remove(name);
    }
    if place == Place::Host {
        command.env("CUDA_VISIBLE_DEVICES", "");
    }
    command.args(arguments).envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (out, err) =
        (child.stdout.take().context("it is piped")?, child.stderr.take().context("it is piped")?);
    let [out, err] = [reader(out), reader(err)];
    let deadline = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            bail!("it did not end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |reader: std::thread::JoinHandle<_>| reader.join().expect("reading does not panic");
    Ok(Ended { code: status.code(), out: without_addresses(&text(out)), err: text(err) })
}

fn reader(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is what there is.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str("0x…");
        whole.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()));
    }
    whole
}
