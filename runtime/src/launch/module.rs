//! The unit that is loaded onto a device, as a declaration carries it.

use std::fmt;

/// The unit that is loaded onto a device: a name, and where its code comes from.
///
/// With an image and a source the image is loaded where it fits the device, and else the source is compiled for it.
#[derive(Clone, Copy)]
pub struct Module {
    name: &'static str,
    source: Option<Source>,
    image: Option<Image>,
    cpp_names: &'static [&'static str],
}

/// CUDA C++ source, to be compiled for the device at hand.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Source {
    /// The file, as named in the declaration.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The headers that it includes, and those that they include.
    pub headers: &'static [Header],
    /// The macros with which it is compiled: `NAME` or `NAME=VALUE`, as after `-D`.
    pub defines: &'static [&'static str],
}

/// A header that a source includes.
#[derive(Clone, Copy)]
pub struct Header {
    /// What stands between the quotes or the angle brackets of the `#include`.
    pub name: &'static str,
    /// Its text, in any encoding that has ASCII in it.
    pub bytes: &'static [u8],
}

impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && is_same(self.bytes, other.bytes)
    }
}

/// Compiled code: PTX, a cubin or a fatbin, told apart by its content.
#[derive(Clone, Copy)]
pub struct Image {
    /// The file, as named in the declaration.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

impl Module {
    /// The module `name`, whose code is given to the backend at run time.
    pub const fn new(name: &'static str) -> Self {
        Self { name, source: None, image: None, cpp_names: &[] }
    }

    /// With CUDA C++ source.
    #[must_use]
    pub const fn with_source(self, path: &'static str, text: &'static str) -> Self {
        Self { source: Some(Source { path, text, headers: &[], defines: &[] }), ..self }
    }

    /// With the headers that its source includes. A compiler finds each by its name alone, wherever it is included.
    ///
    /// ```
    /// use warpcall::{Header, Module};
    ///
    /// const SCALE: Module = Module::new("scale")
    ///     .with_source(
    ///         "scale.cu",
    ///         "#include \"factor.cuh\"\nextern \"C\" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }\n",
    ///     )
    ///     .with_headers(&[Header { name: "factor.cuh", bytes: b"#define FACTOR 2.0f\n" }]);
    /// assert_eq!(SCALE.source().map(|source| source.headers.len()), Some(1));
    /// ```
    ///
    /// # Panics
    ///
    /// Where the module has no source, which in a `static` is a compile error.
    #[must_use]
    pub const fn with_headers(self, headers: &'static [Header]) -> Self {
        Self { source: Some(Source { headers, ..self.expect_source() }), ..self }
    }

    /// With the macros with which its source is compiled: `NAME` or `NAME=VALUE`, as after `-D`.
    ///
    /// # Panics
    ///
    /// As [`with_headers`](Self::with_headers).
    #[must_use]
    pub const fn with_defines(self, defines: &'static [&'static str]) -> Self {
        Self { source: Some(Source { defines, ..self.expect_source() }), ..self }
    }

    const fn expect_source(&self) -> Source {
        self.source.expect("headers and macros belong to a source: call `with_source` first")
    }

    /// With an image.
    #[must_use]
    pub const fn with_image(self, path: &'static str, bytes: &'static [u8]) -> Self {
        Self { image: Some(Image { path, bytes }), ..self }
    }

    /// With the kernels that are declared by their names in C++: a source is compiled with the instances of its templates
    /// that are among them.
    #[must_use]
    pub const fn with_cpp_names(self, cpp_names: &'static [&'static str]) -> Self {
        Self { cpp_names, ..self }
    }

    pub(crate) const fn has_code(&self) -> bool {
        self.source.is_some() || self.image.is_some()
    }

    /// Whether both have the same source and the same image; which files these came from does not matter.
    pub(crate) fn is_same_code(&self, other: &Self) -> bool {
        let images = match (self.image, other.image) {
            (Some(own), Some(other)) => is_same(own.bytes, other.bytes),
            (own, other) => own.is_none() && other.is_none(),
        };
        images
            && match (self.source, other.source) {
                (Some(own), Some(other)) => {
                    is_same(own.text.as_bytes(), other.text.as_bytes())
                        && own.headers == other.headers
                        && own.defines == other.defines
                }
                (own, other) => own.is_none() && other.is_none(),
            }
    }

    /// The module's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The kernels that are declared by their names in C++, as far as this module's declaration knows them.
    pub const fn cpp_names(&self) -> &'static [&'static str] {
        self.cpp_names
    }

    /// Its source, where it carries one.
    pub const fn source(&self) -> Option<Source> {
        self.source
    }

    /// Its image, where it carries one.
    pub const fn image(&self) -> Option<Image> {
        self.image
    }
}

/// Equal, found without reading where both are the same memory: a module's kernels all carry its code.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("name", &self.name)
            .field("source", &self.source.map(|source| source.path))
            .field("image", &self.image.map(|image| image.path))
            .field("cpp_names", &self.cpp_names)
            .finish()
    }
}
