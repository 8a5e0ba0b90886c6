//! Loading a module: its image where that fits the device, else its source through NVRTC.

use std::borrow::Cow;
use std::ffi::{c_uint, c_void};

use cudarc::driver::sys::CUmodule;

use super::CudaBackend;
use super::compile::{self, CompiledSource};
use super::driver::{Code, code};
use super::image::{self, ImageFormat};
use super::module::{ImageFile, LoadedModule, ModuleCode, ModuleOrigin, SourceFile, not_an_image};
use super::source::CudaSource;
use crate::error::{Error, Result};

/// Of `CUjit_option`.
mod jit_option {
    use std::ffi::c_uint;

    pub(super) const INFO_LOG_BUFFER: c_uint = 3;
    pub(super) const INFO_LOG_BUFFER_SIZE: c_uint = 4;
    pub(super) const ERROR_LOG_BUFFER: c_uint = 5;
    pub(super) const ERROR_LOG_BUFFER_SIZE: c_uint = 6;
}

const LOG_BYTES: usize = 16 << 10;

/// What the driver answers to an image that is sound and not for this device or this driver.
const DOES_NOT_FIT: [Code; 4] = [
    code::NO_BINARY_FOR_GPU,
    code::UNSUPPORTED_PTX_VERSION,
    code::JIT_COMPILER_NOT_FOUND,
    code::JIT_COMPILATION_DISABLED,
];

/// Why an image was not loaded.
enum Refusal {
    /// It is not for this device or driver; the source may do.
    DoesNotFit(Error),
    Broken(Error),
}

impl CudaBackend {
    /// Loads what is known of a module: its image where that fits, else its source, compiled with the kernels `names` of C++.
    pub(super) fn load(&self, name: &str, code: &ModuleCode, names: &[String]) -> Result<LoadedModule> {
        self.context.bind()?;
        let misfit = match &code.image {
            None => None,
            Some(file) => match self.load_image_file(name, file) {
                Ok(module) => return Ok(module),
                Err(Refusal::Broken(error)) => return Err(error),
                Err(Refusal::DoesNotFit(error)) => Some(error),
            },
        };
        match (&code.source, misfit) {
            (Some(file), misfit) => {
                self.load_source(name, file, names).map_err(|error| with_misfit(error, misfit))
            }
            (None, Some(error)) => Err(with_advice(error)),
            (None, None) => {
                Err(Error::UnknownModule { module: name.into(), kernel: None, known: self.modules.names() })
            }
        }
    }

    fn load_image_file(&self, name: &str, file: &ImageFile) -> Result<LoadedModule, Refusal> {
        let refuse = |problem: String| load_error(name, &file.path, problem, String::new());
        let Some(format) = ImageFormat::detect(&file.bytes) else {
            return Err(Refusal::Broken(refuse(not_an_image(file.bytes.len()))));
        };
        if let Some(missing) = image::missing_part(&file.bytes, format) {
            return Err(Refusal::Broken(refuse(format!("{missing}; give the whole file"))));
        }
        if let Some(misfit) = image::misfit(&file.bytes, format, self.features.compute_capability) {
            return Err(Refusal::DoesNotFit(refuse(misfit)));
        }
        let raw = self.load_image(name, &file.path, &file.bytes, format)?;
        let origin = ModuleOrigin::Image { path: file.path.clone().into_owned(), format };
        Ok(LoadedModule { raw, origin, image: file.bytes.clone(), symbols: Vec::new() })
    }

    /// Compiles CUDA C++ for this device with NVRTC: a text, or a [`CudaSource`] with headers, macros and options. `path` is
    /// its name in errors.
    ///
    /// ```no_run
    /// let backend = warpcall::CudaBackend::open(0)?;
    /// let compiled = backend.compile_source("fill.cu", "extern \"C\" __global__ void fill(int* x) { *x = 1; }")?;
    /// backend.load_module("fill", compiled.image)?;
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where NVRTC cannot be loaded, and where the source does not compile; then with the compiler's log.
    pub fn compile_source(&self, path: &str, source: impl Into<CudaSource>) -> Result<CompiledSource> {
        self.compile_source_with(path, source, &[])
    }

    /// Compiles CUDA C++ for this device with NVRTC, and with it these kernels by their names in C++, such as
    /// `scale<float, 4>`: of a template nothing is compiled but the instances that are asked for.
    ///
    /// ```no_run
    /// let backend = warpcall::CudaBackend::open(0)?;
    /// let source = "template <typename T> __global__ void set(T* x) { *x = T(1); }";
    /// let compiled = backend.compile_source_with("set.cu", source, &["set<float>", "set<int>"])?;
    /// # let _ = compiled;
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`compile_source`](Self::compile_source), and where a name means no kernel of the source.
    pub fn compile_source_with(
        &self,
        path: &str,
        source: impl Into<CudaSource>,
        names: &[&str],
    ) -> Result<CompiledSource> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        self.compile(path, path, &source.into(), &names)
    }

    fn compile(
        &self,
        module: &str,
        path: &str,
        source: &CudaSource,
        names: &[String],
    ) -> Result<CompiledSource> {
        compile::compile(&self.nvrtc, path, source, self.features.architecture(), names)
            .map_err(|error| load_error(module, path, error.problem, error.log))
    }

    pub(super) fn load_source(
        &self,
        name: &str,
        file: &SourceFile,
        names: &[String],
    ) -> Result<LoadedModule> {
        let compiled = self.compile(name, &file.path, &file.source, names)?;
        let raw = match self.load_image(name, &file.path, &compiled.image, compiled.format) {
            Ok(raw) => raw,
            Err(Refusal::DoesNotFit(error) | Refusal::Broken(error)) => return Err(error),
        };
        Ok(LoadedModule {
            raw,
            origin: ModuleOrigin::Source {
                path: file.path.clone().into_owned(),
                architecture: compiled.architecture,
            },
            image: Cow::Owned(compiled.ptx.unwrap_or(compiled.image)),
            symbols: compiled.symbols,
        })
    }

    /// Hands an image to the driver. It is whole, and the context is current.
    fn load_image(
        &self,
        name: &str,
        path: &str,
        image: &[u8],
        format: ImageFormat,
    ) -> Result<CUmodule, Refusal> {
        let image = &*with_end(image, format);
        let (mut info, mut errors) = (vec![0_u8; LOG_BYTES], vec![0_u8; LOG_BYTES]);
        let mut options = [
            jit_option::INFO_LOG_BUFFER,
            jit_option::INFO_LOG_BUFFER_SIZE,
            jit_option::ERROR_LOG_BUFFER,
            jit_option::ERROR_LOG_BUFFER_SIZE,
        ];
        // A size is passed in the place of a pointer.
        let size = LOG_BYTES as *mut c_void;
        let mut values = [info.as_mut_ptr().cast::<c_void>(), size, errors.as_mut_ptr().cast(), size];
        let mut module = std::ptr::null_mut();
        let count = c_uint::try_from(options.len()).unwrap_or(0);
        // SAFETY: the image is whole, each option has its value, the logs have the size that is told, and all outlive the
        // call. The driver writes the sizes of the logs into `values`.
        let code = unsafe {
            (self.context.driver.cuModuleLoadDataEx)(
                &raw mut module,
                image.as_ptr().cast(),
                count,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if code == code::SUCCESS {
            return Ok(module);
        }
        let log = [log_text(&errors), log_text(&info)].join("\n").trim().to_owned();
        let driver = self.context.driver.error("cuModuleLoadDataEx", code);
        let mut problem = driver.to_string();
        if let Some(line) = ptx_line(&log, image, format) {
            problem = format!("{problem}; {line}");
        }
        if code == code::UNSUPPORTED_PTX_VERSION {
            let (major, minor) = self.context.driver.version();
            problem = format!(
                "{problem}; the driver is for CUDA {major}.{minor}, so compile with a toolkit no newer, or update the driver"
            );
        }
        let error = load_error(name, path, problem, log);
        Err(if DOES_NOT_FIT.contains(&code) { Refusal::DoesNotFit(error) } else { Refusal::Broken(error) })
    }
}

pub(super) fn load_error(module: &str, origin: &str, problem: String, log: String) -> Error {
    Error::Load { module: module.into(), origin: origin.into(), problem: problem.into(), log: log.into() }
}

/// An error of a source that had to stand in for an image, with why the image was not loaded.
fn with_misfit(error: Error, misfit: Option<Error>) -> Error {
    match (error, misfit) {
        (
            Error::Load { module, origin, problem, log },
            Some(Error::Load { origin: image, problem: misfit, log: misfit_log, .. }),
        ) => Error::Load {
            module,
            problem: format!("its image {image} was not taken: {misfit}; and its source {origin}: {problem}")
                .into(),
            origin: format!("{image}, {origin}").into(),
            log: [&*log, &*misfit_log].join("\n").trim().into(),
        },
        (error, _) => error,
    }
}

/// An error of an image that does not fit and that no source stands in for, with what to do.
fn with_advice(error: Error) -> Error {
    match error {
        Error::Load { module, origin, problem, log } => Error::Load {
            module,
            origin,
            problem: format!(
                "{problem}; compile it for this device, or give the module its source as well (`embed_source` in `#[kernel]`)"
            )
            .into(),
            log,
        },
        other => other,
    }
}

/// An image as the driver reads it: PTX up to a zero.
fn with_end(image: &[u8], format: ImageFormat) -> Cow<'_, [u8]> {
    if format == ImageFormat::Ptx && !image.contains(&0) {
        Cow::Owned([image, &[0]].concat())
    } else {
        Cow::Borrowed(image)
    }
}

fn log_text(log: &[u8]) -> String {
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_owned()
}

/// The line of the PTX that the driver's compiler stumbled over: "line 12 is `add.s32 …`".
fn ptx_line(log: &str, image: &[u8], format: ImageFormat) -> Option<String> {
    if format != ImageFormat::Ptx {
        return None;
    }
    // `ptxas application ptx input, line 12; error : …`
    let rest = log.split("line ").nth(1)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number: usize = rest[..digits].parse().ok()?;
    let end = image.iter().position(|byte| *byte == 0).unwrap_or(image.len());
    let line = image[..end].split(|byte| *byte == b'\n').nth(number.checked_sub(1)?)?;
    Some(format!("line {number} is `{}`", compile::excerpt(&String::from_utf8_lossy(line))))
}

#[cfg(test)]
#[path = "tests/load.rs"]
mod tests;
