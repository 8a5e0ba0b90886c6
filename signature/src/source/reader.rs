//! The way in: options, then a file or a text, then its kernels.

use std::path::Path;

use super::loader::{FileLoader, Loader, NoFiles, read_text};
use super::name_expression::halved;
use super::preprocess::Preprocessor;
use super::token::{Cursor, split_commas};
use super::unit::Unit;
use crate::{Module, NameExpression, Problem, Result, Type, TypeKind, builtin};

/// How far a reading may go before it is stopped as runaway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most tokens read from files and produced by macros, all together. Eight times as many may be
    /// looked at. Reading takes about 100 bytes of memory for each, and for each byte of the text.
    pub tokens: usize,
    /// Most includes, conditions and macro calls inside each other. They take stack: with more than the
    /// default, read on a thread that has more than two megabytes.
    pub depth: usize,
}

impl Default for Limits {
    /// Four million tokens, 100 levels.
    fn default() -> Self {
        Self { tokens: 4_000_000, depth: 100 }
    }
}

/// Reads CUDA C++ source.
///
/// ```
/// use warpcall_signature::source::SourceReader;
///
/// let module = SourceReader::new().define("BLOCK", "256").read_text(
///     "unary.cu",
///     r#"
/// #define UNARY(T, NAME, EXPR) \
///     extern "C" __global__ void __launch_bounds__(BLOCK) NAME(const T* x, T* y, unsigned n) {}
/// UNARY(float, uexp_f32, exp(x))
/// "#
/// )?;
/// let kernel = module.kernel("uexp_f32").expect("the macro makes it");
/// assert_eq!(kernel.to_string(), "uexp_f32(const float* x, float* y, unsigned int n)");
/// assert_eq!(kernel.origin.as_ref().map(|o| o.position.line), Some(4));
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SourceReader {
    changes: Vec<Change>,
    limits: Limits,
    folders: Vec<std::path::PathBuf>,
    names: Vec<NameExpression>,
}

/// A `-D` or a `-U`.
#[derive(Debug, Clone)]
enum Change {
    Define(String, String),
    Undefine(String),
}

impl SourceReader {
    /// A reader that defines what `nvcc` does: `__CUDACC__`, `__CUDA_ARCH__` as 900, `__cplusplus` as
    /// 201703, and the versions of CUDA 13.0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Defines a macro, as `-DNAME=VALUE` does; the name may have parameters: `F(x)`.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.changes.push(Change::Define(name.into(), value.into()));
        self
    }

    /// Removes the definition of a macro, also one of those that are there from the start.
    #[must_use]
    pub fn undefine(mut self, name: impl Into<String>) -> Self {
        self.changes.push(Change::Undefine(name.into()));
        self
    }

    /// Adds a folder in which [`read_file`](Self::read_file) looks for headers, in quotes and in angle
    /// brackets. The headers of CUDA's toolkit and of the standard libraries are not read even so.
    #[must_use]
    pub fn include_folder(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Asks for the kernels that a name means: an instance of a template, or a kernel that is none. They become
    /// [`Module::named`].
    ///
    /// ```
    /// use warpcall_signature::{NameExpression, source::SourceReader};
    ///
    /// let text = "template <typename T, int N = 4> __global__ void scale(T* y, const T* x, T by, int n) {}";
    /// let name = NameExpression::parse("scale<float>")?;
    /// let module = SourceReader::new().name(name.clone()).read_text("scale.cu", text)?;
    /// let named = module.named(&name).expect("it was asked for");
    /// assert_eq!(named.kernels[0].to_string(), "scale(float* y, const float* x, float by, int n)");
    /// assert_eq!(named.kernels[0].expression(), "scale<float, 4>");
    /// # Ok::<(), warpcall_signature::Diagnostic>(())
    /// ```
    #[must_use]
    pub fn name(mut self, name: NameExpression) -> Self {
        self.names.push(name);
        self
    }

    /// Sets how far the reading may go.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads a file and the headers it includes with quotes.
    ///
    /// # Errors
    ///
    /// A file cannot be read, the preprocessor meets something malformed, or a limit is reached. What
    /// merely cannot be understood becomes a note, and so does an `#error`.
    pub fn read_file(&self, path: impl AsRef<Path>) -> Result<Module> {
        let path = path.as_ref();
        let name = path.to_string_lossy().into_owned();
        let text = read_text(path).map_err(|reason| Problem::Io { path: name.clone(), reason })?;
        let mut loader = FileLoader::new();
        for folder in &self.folders {
            loader = loader.include_folder(folder);
        }
        self.read_with(&mut loader, &name, &text)
    }

    /// Reads a text that includes nothing. The path is for positions only.
    ///
    /// # Errors
    ///
    /// As for [`read_file`](Self::read_file).
    pub fn read_text(&self, path: &str, text: &str) -> Result<Module> {
        self.read_with(&mut NoFiles, path, text)
    }

    /// Reads a text, with headers from a loader of the caller's.
    ///
    /// # Errors
    ///
    /// As for [`read_file`](Self::read_file).
    pub fn read_with(&self, loader: &mut dyn Loader, path: &str, text: &str) -> Result<Module> {
        let mut preprocessor = Preprocessor::new(loader, self.limits);
        preprocessor.define_text("<built in>", builtin::MACROS)?;
        for change in &self.changes {
            match change {
                Change::Define(name, value) => {
                    let value = value.replace('\n', " ");
                    preprocessor.define_text("<defines>", &format!("#define {name} {value}\n"))?;
                }
                Change::Undefine(name) => preprocessor.undefine(name),
            }
        }
        let own = preprocessor.files.len();
        let tokens = preprocessor.run(path, text)?;
        let mut module = Module {
            files: preprocessor.files[own..].iter().map(|f| f.path.to_string()).collect(),
            notes: std::mem::take(&mut preprocessor.notes),
            hidden: std::mem::take(&mut preprocessor.hidden),
            ..Module::default()
        };
        // A name may be made of the source's macros.
        let names = self.names.iter().map(|name| preprocessor.run("<name>", &name.to_string()));
        let names = names.collect::<Result<Vec<_>>>()?;
        let mut unit = Unit::new(preprocessor.files, preprocessor.calls);
        unit.read(&tokens);
        module.named = self.names.iter().zip(&names).map(|(name, tokens)| unit.named(name, tokens)).collect();
        module.kernels = unit.kernels;
        module.notes.append(&mut unit.notes);
        Ok(module)
    }
}

/// The types of a parameter list written as C++: the text that a symbol demangles to.
pub(crate) fn parse_parameter_types(text: &str) -> Option<Vec<Type>> {
    let tokens = halved(super::lexer::lex(text, 0).tokens);
    let mut unit = Unit::new(Vec::new(), Vec::new());
    let parts = split_commas(&tokens);
    if parts.len() == 1 && parts[0].len() == 1 && parts[0][0].is("void") {
        return Some(Vec::new());
    }
    let mut types = Vec::new();
    for part in parts {
        let mut cursor = Cursor::new(part);
        let declared = unit.declared(&mut cursor).ok()?;
        let leftover = !cursor.at_end() || declared.is_pack || declared.name.is_some();
        types.push(if leftover { TypeKind::Named(super::token::text_of(part)).into() } else { declared.ty });
    }
    Some(types)
}
