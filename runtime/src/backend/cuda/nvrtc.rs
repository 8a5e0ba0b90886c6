//! Compiling CUDA C++ for the device at hand, with NVRTC, loaded when the first source needs it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use libloading::Library;

use super::driver::load_reason;
use super::image::ImageFormat;

/// Where NVRTC is and what it is told.
#[derive(Clone, Debug, Default)]
pub(super) struct NvrtcSettings {
    pub(super) library: Option<PathBuf>,
    pub(super) include_dirs: Vec<PathBuf>,
    pub(super) options: Vec<String>,
}

/// What NVRTC made of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompiledSource {
    /// The image, as [`load_module`](super::CudaBackend::load_module) takes it.
    pub image: Vec<u8>,
    /// A cubin; PTX where NVRTC is older than the device.
    pub format: ImageFormat,
    /// The PTX on the way to a cubin.
    pub ptx: Option<Vec<u8>>,
    /// What it was compiled for, such as `sm_90`.
    pub architecture: String,
    /// The names in C++ that it was compiled with, each with its symbol.
    pub symbols: Vec<(String, String)>,
}

/// Why nothing came of a source.
#[derive(Debug)]
pub(super) struct CompileError {
    pub(super) problem: String,
    pub(super) log: String,
}

impl CompileError {
    fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), log: String::new() }
    }
}

type Program = *mut c_void;
const SUCCESS: c_int = 0;

macro_rules! nvrtc_functions {
    ($($name:ident ($($arg:ty),*);)+) => {
        /// The functions of `libnvrtc`.
        #[allow(non_snake_case, missing_docs)]
        struct Nvrtc {
            $($name: unsafe extern "C" fn($($arg),*) -> c_int,)+
            nvrtcGetErrorString: unsafe extern "C" fn(c_int) -> *const c_char,
            _library: Library,
            _builtins: Vec<Library>,
        }

        impl Nvrtc {
            fn of_library(library: Library, builtins: Vec<Library>) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the types are those of `nvrtc.h` for these symbols.
                    $($name: *unsafe { library.get(stringify!($name).as_bytes()) }?,)+
                    // SAFETY: as above.
                    nvrtcGetErrorString: *unsafe { library.get(b"nvrtcGetErrorString") }?,
                    _library: library,
                    _builtins: builtins,
                })
            }
        }
    };
}

nvrtc_functions! {
    nvrtcCreateProgram(*mut Program, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    nvrtcCompileProgram(Program, c_int, *const *const c_char);
    nvrtcDestroyProgram(*mut Program);
    nvrtcGetProgramLogSize(Program, *mut usize);
    nvrtcGetProgramLog(Program, *mut c_char);
    nvrtcGetCUBINSize(Program, *mut usize);
    nvrtcGetCUBIN(Program, *mut c_char);
    nvrtcGetPTXSize(Program, *mut usize);
    nvrtcGetPTX(Program, *mut c_char);
    nvrtcGetNumSupportedArchs(*mut c_int);
    nvrtcGetSupportedArchs(*mut c_int);
    nvrtcAddNameExpression(Program, *const c_char);
    nvrtcGetLoweredName(Program, *const c_char, *mut *const c_char);
}

/// Compiles `source` for the architecture `architecture` (90 for `sm_90`), and with it the kernels `names`: of a template
/// nothing is compiled but the instances that are asked for.
///
/// Where NVRTC is older than the device, it makes PTX for the newest architecture that it knows, and the driver does the rest.
///
/// # Errors
///
/// Where NVRTC cannot be loaded, and where the source does not compile; then with the compiler's log.
pub(super) fn compile(
    settings: &NvrtcSettings,
    path: &str,
    source: &str,
    architecture: u32,
    names: &[String],
) -> Result<CompiledSource, CompileError> {
    let nvrtc = Nvrtc::get(settings.library.as_deref())?;
    let mut options = Vec::new();
    let own_architecture = settings.options.iter().find_map(|option| {
        option.strip_prefix("--gpu-architecture=").or_else(|| option.strip_prefix("-arch="))
    });
    let target = if let Some(own) = own_architecture {
        own.to_owned()
    } else {
        let target = nvrtc.target(architecture)?;
        options.push(format!("--gpu-architecture={target}"));
        target
    };
    for dir in &settings.include_dirs {
        options.push(format!("--include-path={}", dir.display()));
    }
    options.extend(settings.options.iter().cloned());
    let options = options
        .into_iter()
        .map(|option| {
            CString::new(option).map_err(|_| CompileError::new("an option for NVRTC holds a zero byte"))
        })
        .collect::<Result<Vec<_>, _>>()?;

    let program = nvrtc.program(path, source)?;
    let expressions = program.add_names(names)?;
    program.compile(&options, source, names)?;
    let symbols = program.symbols(names, &expressions)?;
    let ptx = program.output(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX);
    let cubin = program.output(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN);
    match (cubin, ptx) {
        (Some(image), ptx) => {
            Ok(CompiledSource { image, format: ImageFormat::Cubin, ptx, architecture: target, symbols })
        }
        (None, Some(image)) => {
            Ok(CompiledSource { image, format: ImageFormat::Ptx, ptx: None, architecture: target, symbols })
        }
        (None, None) => Err(CompileError::new(format!("NVRTC made neither a cubin nor PTX for {target}"))),
    }
}

impl Nvrtc {
    /// NVRTC from this file, or from where it is found; loaded once a process and place.
    fn get(library: Option<&Path>) -> Result<Arc<Self>, CompileError> {
        static LOADED: Mutex<Vec<(Option<PathBuf>, Arc<Nvrtc>)>> = Mutex::new(Vec::new());
        // The list is whole after each push.
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, nvrtc)) = loaded.iter().find(|(path, _)| path.as_deref() == library) {
            return Ok(Arc::clone(nvrtc));
        }
        let nvrtc = Arc::new(Self::load(library)?);
        loaded.push((library.map(Path::to_owned), Arc::clone(&nvrtc)));
        Ok(nvrtc)
    }

    fn load(library: Option<&Path>) -> Result<Self, CompileError> {
        let candidates = library.map_or_else(candidates, |path| vec![path.to_owned()]);
        let mut reasons = Vec::new();
        for candidate in &candidates {
            let builtins = builtins_beside(candidate);
            // SAFETY: loading NVRTC runs its initialisers, which it is made for.
            match unsafe { Library::new(candidate) }.and_then(|library| Self::of_library(library, builtins)) {
                Ok(nvrtc) => return Ok(nvrtc),
                Err(error) => reasons.push(load_reason(candidate.display(), &error)),
            }
        }
        Err(CompileError {
            problem: "it is CUDA source, and NVRTC, which compiles it, cannot be loaded; install the CUDA toolkit's \
                      NVRTC (11.2 or later), name its file in `WARPCALL_NVRTC`, or give the module an image"
                .to_owned(),
            log: reasons.join("\n"),
        })
    }

    /// The best target for a device: its own where NVRTC knows it, else the newest older one as PTX.
    fn target(&self, architecture: u32) -> Result<String, CompileError> {
        let mut count = 0;
        // SAFETY: the number outlives the call.
        let code = unsafe { (self.nvrtcGetNumSupportedArchs)(&raw mut count) };
        let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the array holds as many numbers as were just told.
        if code != SUCCESS || unsafe { (self.nvrtcGetSupportedArchs)(known.as_mut_ptr()) } != SUCCESS {
            return Err(CompileError::new("NVRTC does not say what it compiles for"));
        }
        let known = known.into_iter().filter_map(|number| u32::try_from(number).ok());
        match known.filter(|known| *known <= architecture).max() {
            Some(known) if known == architecture => Ok(format!("sm_{known}")),
            Some(older) => Ok(format!("compute_{older}")),
            None => Err(CompileError::new(format!(
                "this NVRTC compiles for no architecture as old as sm_{architecture}; use an older one"
            ))),
        }
    }

    fn program(&self, path: &str, source: &str) -> Result<CompiledProgram<'_>, CompileError> {
        let zero = |what: &str| CompileError::new(format!("{what} holds a zero byte"));
        let text = CString::new(source).map_err(|_| zero("the source"))?;
        let name = CString::new(path).map_err(|_| zero("the path"))?;
        let mut program = std::ptr::null_mut();
        // SAFETY: both texts end with a zero and outlive the call, which copies them; there are no headers.
        let code = unsafe {
            (self.nvrtcCreateProgram)(
                &raw mut program,
                text.as_ptr(),
                name.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        if code == SUCCESS {
            Ok(CompiledProgram { nvrtc: self, program })
        } else {
            Err(CompileError::new(format!("NVRTC refuses the source: {}", self.words(code))))
        }
    }

    fn words(&self, code: c_int) -> String {
        // SAFETY: NVRTC's texts are constant, end with a zero, and exist for every number.
        unsafe { CStr::from_ptr((self.nvrtcGetErrorString)(code)) }.to_string_lossy().into_owned()
    }
}

struct CompiledProgram<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

impl CompiledProgram<'_> {
    /// Asks for the kernels of these names.
    fn add_names(&self, names: &[String]) -> Result<Vec<CString>, CompileError> {
        let add = |name: &String| {
            let text = CString::new(name.as_str())
                .map_err(|_| CompileError::new("the name of a kernel holds a zero byte"))?;
            // SAFETY: the program lives and is not compiled yet; the text ends with a zero, and is copied.
            match unsafe { (self.nvrtc.nvrtcAddNameExpression)(self.program, text.as_ptr()) } {
                SUCCESS => Ok(text),
                code => {
                    let words = self.nvrtc.words(code);
                    Err(CompileError::new(format!("NVRTC refuses the kernel's name `{name}`: {words}")))
                }
            }
        };
        names.iter().map(add).collect()
    }

    /// The symbols of these names, after they were compiled.
    fn symbols(
        &self,
        names: &[String],
        expressions: &[CString],
    ) -> Result<Vec<(String, String)>, CompileError> {
        let symbol = |(name, expression): (&String, &CString)| {
            let mut symbol = std::ptr::null();
            // SAFETY: the program lives, and is compiled; the text is one that was added before, and the pointer outlives
            // the call.
            let code = unsafe {
                (self.nvrtc.nvrtcGetLoweredName)(self.program, expression.as_ptr(), &raw mut symbol)
            };
            if code != SUCCESS || symbol.is_null() {
                let words = self.nvrtc.words(code);
                return Err(CompileError::new(format!("NVRTC has no symbol for `{name}`: {words}")));
            }
            // SAFETY: NVRTC's text ends with a zero, and lives as long as the program.
            let symbol = unsafe { CStr::from_ptr(symbol) }.to_string_lossy().into_owned();
            Ok((name.clone(), symbol))
        };
        names.iter().zip(expressions).map(symbol).collect()
    }

    fn compile(&self, options: &[CString], source: &str, names: &[String]) -> Result<(), CompileError> {
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program lives, and so does each option, which ends with a zero.
        let code = unsafe { (self.nvrtc.nvrtcCompileProgram)(self.program, count, pointers.as_ptr()) };
        if code == SUCCESS {
            return Ok(());
        }
        let log = self
            .output(self.nvrtc.nvrtcGetProgramLogSize, self.nvrtc.nvrtcGetProgramLog)
            .map(|log| String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end().to_owned())
            .unwrap_or_default();
        let mut problem = format!("NVRTC does not compile it ({})", self.nvrtc.words(code));
        if let Some(reason) = wrong_name(&log, names) {
            problem.push_str(&reason);
        } else if let Some(place) = first_error(&log, source) {
            problem.push_str("; the first error is at ");
            problem.push_str(&place);
        }
        Err(CompileError { problem, log })
    }

    /// One of the program's outputs; `None` where there is none.
    fn output(
        &self,
        size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ) -> Option<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: the program lives, and the number outlives the call.
        let code = unsafe { size(self.program, &raw mut bytes) };
        // An empty text is one zero byte.
        if code != SUCCESS || bytes <= 1 {
            return None;
        }
        let mut output = vec![0_u8; bytes];
        // SAFETY: the array has the size that was just told.
        let code = unsafe { get(self.program, output.as_mut_ptr().cast()) };
        (code == SUCCESS).then_some(output)
    }
}

impl Drop for CompiledProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: the program lives, and is destroyed once.
        unsafe { (self.nvrtc.nvrtcDestroyProgram)(&raw mut self.program) };
    }
}

/// The place of the first error in a log, with its line of the source: "line 14: `float y = x`".
fn first_error(log: &str, source: &str) -> Option<String> {
    // `path(14): error: …`
    let line = log.lines().find(|line| line.contains("): error"))?;
    let place = &line[..line.find("): error")?];
    let number: usize = place.rsplit('(').next()?.parse().ok()?;
    let text = source.lines().nth(number.checked_sub(1)?)?;
    Some(format!("line {number}: `{}`", text.trim()))
}

/// Which of the names means nothing in the source, and why, by the log: "; `scale<nope>` is no kernel of it: identifier
/// "nope" is undefined". NVRTC reads the names behind the source, and puts blanks between their parts.
fn wrong_name(log: &str, names: &[String]) -> Option<String> {
    const INPUT: &str = "Input name expression was: \"";
    let plain = |name: &str| -> String { name.chars().filter(|letter| !letter.is_whitespace()).collect() };
    let shown = log.lines().find_map(|line| Some(plain(line.split_once(INPUT)?.1.rsplit_once('"')?.0)))?;
    let name = names.iter().find(|name| plain(name) == shown).cloned().unwrap_or(shown);
    let reason = log.lines().find(|line| line.starts_with("__nv_name_map"))?.split_once("): error: ")?.1;
    Some(format!("; `{name}`, which a declaration names, is no kernel of it: {reason}"))
}

/// The library of built-in functions, which NVRTC loads by its bare name: loaded from NVRTC's own folder, so that it is
/// found wherever that is.
fn builtins_beside(nvrtc: &Path) -> Vec<Library> {
    let folder = nvrtc.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(Ok(entries)) = folder.map(std::fs::read_dir) else { return Vec::new() };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.contains("nvrtc-builtins") && !name.contains("alt")
        })
        // SAFETY: the library is NVRTC's own, and is made to be loaded.
        .filter_map(|path| unsafe { Library::new(path) }.ok())
        .collect()
}

/// The files to look for, in order.
fn candidates() -> Vec<PathBuf> {
    let names: &[&str] = if cfg!(windows) {
        &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
    } else {
        &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
    };
    if let Some(path) = std::env::var_os("WARPCALL_NVRTC").filter(|path| !path.is_empty()) {
        return vec![path.into()];
    }
    let mut candidates: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    let folder = if cfg!(windows) { "bin" } else { "lib64" };
    for toolkit in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os) {
        candidates.extend(names.iter().map(|name| Path::new(&toolkit).join(folder).join(name)));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "extern \"C\" __global__ void scale(float* x, float by, int n) {\n    if (n > 0) x[0] *= by;\n}\n";

    /// The outcome where NVRTC is there; where it is not, checks that the error says so.
    fn compiled(source: &str) -> Option<Result<CompiledSource, CompileError>> {
        compiled_with(source, &[])
    }

    fn compiled_with(source: &str, names: &[&str]) -> Option<Result<CompiledSource, CompileError>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let outcome = compile(&NvrtcSettings::default(), "scale.cu", source, 90, &names);
        match &outcome {
            Err(error) if error.problem.contains("cannot be loaded") => {
                assert!(error.problem.contains("WARPCALL_NVRTC") && !error.log.is_empty(), "{error:?}");
                None
            }
            _ => Some(outcome),
        }
    }

    #[test]
    fn a_source_becomes_a_cubin_and_its_ptx() {
        let Some(outcome) = compiled(SOURCE) else { return };
        let compiled = outcome.expect("valid CUDA");
        assert_eq!(compiled.architecture, "sm_90");
        assert_eq!(ImageFormat::detect(&compiled.image), Some(ImageFormat::Cubin));
        assert_eq!(compiled.format, ImageFormat::Cubin);
        assert_eq!(super::super::image::kernel_names(&compiled.image), ["scale"]);
        let ptx = compiled.ptx.expect("PTX is made on the way");
        assert_eq!(ImageFormat::detect(&ptx), Some(ImageFormat::Ptx));
    }

    #[test]
    fn an_error_in_the_source_is_shown_with_its_line() {
        let Some(outcome) = compiled(&SOURCE.replace("*= by", "*= missing")) else { return };
        let error = outcome.expect_err("`missing` is not declared");
        assert!(error.problem.contains("line 2: `if (n > 0) x[0] *= missing;`"), "{}", error.problem);
        assert!(error.log.contains("missing"), "{}", error.log);
    }

    const TEMPLATES: &str =
        "template <typename T, int V = 4> __global__ void scale(T* x, T by) { x[0] *= by * V; }
namespace fft { __global__ void plain(int* x) { *x = 1; } }
enum class Mode { Slow, Fast };
template <Mode M> __global__ void run(int* x) { *x = (int)M; }
";

    #[test]
    fn the_instances_that_are_asked_for_are_compiled() {
        let names = ["scale<float>", "scale<double, 2>", "fft::plain", "run<Mode::Fast>"];
        let Some(outcome) = compiled_with(TEMPLATES, &names) else { return };
        let compiled = outcome.expect("valid CUDA");
        let symbols: Vec<&str> = compiled.symbols.iter().map(|(_, symbol)| symbol.as_str()).collect();
        let expected =
            ["_Z5scaleIfLi4EEvPT_S0_", "_Z5scaleIdLi2EEvPT_S0_", "_ZN3fft5plainEPi", "_Z3runIL4Mode1EEvPi"];
        assert_eq!(symbols, expected);
        assert!(compiled.symbols.iter().map(|(name, _)| name.as_str()).eq(names));
        let mut compiled = super::super::image::kernel_names(&compiled.image);
        compiled.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(compiled, expected);
    }

    #[test]
    fn a_name_that_means_nothing_is_shown_with_the_reason() {
        let Some(outcome) = compiled_with(TEMPLATES, &["scale<float>", "scale<Nope>"]) else { return };
        let problem = outcome.expect_err("`Nope` is not declared").problem;
        assert!(
            problem.ends_with("; `scale<Nope>`, which a declaration names, is no kernel of it: identifier \"Nope\" is undefined"),
            "{problem}"
        );
    }

    #[test]
    fn a_wrong_name_is_found_in_a_log() {
        let log = "__nv_name_map(2): error: identifier \"nope\" is undefined\n  #pragma nv_mangled_name nope<float>\n\n\
                   __nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name \
                   expression was: \" nope < float >\"\n";
        let expected = "; `nope<float>`, which a declaration names, is no kernel of it: identifier \"nope\" is undefined";
        assert_eq!(wrong_name(log, &["nope<float>".into()]).as_deref(), Some(expected));
        assert_eq!(wrong_name("scale.cu(2): error: expected a \";\"\n", &[]), None);
    }

    #[test]
    fn the_first_error_of_a_log_is_found() {
        let log = "scale.cu(1): warning #1: something\nscale.cu(2): error: identifier \"y\" is undefined\n";
        assert_eq!(first_error(log, "a\n  b;\n").as_deref(), Some("line 2: `b;`"));
        assert_eq!(first_error("nvrtc: error: invalid value\n", "a\n"), None);
    }

    #[test]
    fn a_library_that_is_not_there_is_an_error_that_says_what_to_do() {
        let settings =
            NvrtcSettings { library: Some("/nowhere/libnvrtc.so".into()), ..NvrtcSettings::default() };
        let error = compile(&settings, "scale.cu", SOURCE, 90, &[]).expect_err("there is no such file");
        assert!(error.problem.contains("NVRTC") && error.log.contains("/nowhere"), "{error:?}");
    }
}
