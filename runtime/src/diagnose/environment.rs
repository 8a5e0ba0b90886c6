//! The layers that environment variables ask for.

use std::sync::Arc;

use super::{Layered, SyncCheck};
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
    from_variables(backend, |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

fn from_variables(
    mut backend: Arc<dyn GpuBackend>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn GpuBackend>> {
    if is_on("WARPCALL_SYNC", variable("WARPCALL_SYNC").as_deref())? {
        backend = Arc::new(Layered::new(backend, SyncCheck));
    }
    Ok(backend)
}

/// Whether a variable that is a switch is on.
fn is_on(name: &'static str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(meaningless(name, other, "0 or 1")),
    }
}

fn meaningless(name: &'static str, found: &str, expected: &str) -> Error {
    Error::InvalidArgument {
        operation: "reading the environment",
        what: format!("`{name}`").into(),
        found: format!("`{found}`").into(),
        expected: expected.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::HostBackend;

    fn open(name: &'static str, value: &'static str) -> Result<String> {
        let variable = |asked: &str| (asked == name).then(|| value.to_owned());
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
}
