//! Libraries that are loaded at run time.

/// Why a library was not loaded, with the loader's own words.
pub(crate) fn load_reason(name: impl std::fmt::Display, error: &libloading::Error) -> String {
    let words = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let name = name.to_string();
    if words.contains(&name) { words } else { format!("{name}: {words}") }
}
