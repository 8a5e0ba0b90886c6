//! CUDA C++ with what it is compiled with.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::launch::{Header, Source, is_same};

/// CUDA C++ that is got at run time, and what it is compiled with.
///
/// A text alone is one too: what takes a `CudaSource` takes a `&str` and a `String`.
///
/// ```no_run
/// use warpcall::CudaBackend;
/// use warpcall::backend::cuda::CudaSource;
///
/// let backend = CudaBackend::open(0)?;
/// let source = CudaSource::new("#include \"tile.cuh\"\nextern \"C\" __global__ void tile(float* x) { x[TILE] = 0; }")
///     .header("tile.cuh", "#pragma once\n#define TILE 16\n")
///     .include_dir("/usr/local/cuda/include")
///     .define("STAGES=4")
///     .compiler_option("--use_fast_math");
/// backend.load_module_source("tile", source)?;
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CudaSource {
    pub(super) text: Cow<'static, str>,
    pub(super) headers: Vec<CudaHeader>,
    pub(super) include_dirs: Vec<PathBuf>,
    pub(super) defines: Vec<Cow<'static, str>>,
    pub(super) options: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct CudaHeader {
    pub(super) name: Cow<'static, str>,
    pub(super) bytes: Cow<'static, [u8]>,
}

impl CudaSource {
    /// This text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: Cow::Owned(text.into()), ..Self::default() }
    }

    /// With a header. It is found by its name, which is what stands between the quotes or the angle brackets of an
    /// `#include`, in the text and in other headers alike.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.headers.push(CudaHeader { name: Cow::Owned(name.into()), bytes: Cow::Owned(bytes.into()) });
        self
    }

    /// With a folder in which headers are looked for that are not given by [`header`](Self::header), before those that
    /// the backend has.
    #[must_use]
    pub fn include_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.include_dirs.push(path.into());
        self
    }

    /// With a macro: `NAME` or `NAME=VALUE`, as after `-D`.
    #[must_use]
    pub fn define(mut self, macro_definition: impl Into<String>) -> Self {
        self.defines.push(Cow::Owned(macro_definition.into()));
        self
    }

    /// With an option for NVRTC, after those that the backend has: `--maxrregcount=64`, for example, or
    /// `--generate-line-info`.
    #[must_use]
    pub fn compiler_option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Whether both are the same code under the same options.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let Self { text, headers, include_dirs, defines, options } = self;
        is_same(text.as_bytes(), other.text.as_bytes())
            && headers.len() == other.headers.len()
            && headers
                .iter()
                .zip(&other.headers)
                .all(|(own, other)| own.name == other.name && is_same(&own.bytes, &other.bytes))
            && *include_dirs == other.include_dirs
            && *defines == other.defines
            && *options == other.options
    }

    /// What a declaration carries.
    pub(super) fn embedded(source: &Source) -> Self {
        let header = |header: &Header| CudaHeader {
            name: Cow::Borrowed(header.name),
            bytes: Cow::Borrowed(header.bytes),
        };
        Self {
            text: Cow::Borrowed(source.text),
            headers: source.headers.iter().map(header).collect(),
            defines: source.defines.iter().map(|define| Cow::Borrowed(*define)).collect(),
            ..Self::default()
        }
    }
}

impl From<String> for CudaSource {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for CudaSource {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for CudaSource {
    fn from(text: &String) -> Self {
        Self::new(text.as_str())
    }
}
