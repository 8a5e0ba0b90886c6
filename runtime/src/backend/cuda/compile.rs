//! Compiling CUDA C++ for the device at hand, with NVRTC.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int};
use std::path::PathBuf;

use super::image::ImageFormat;
use super::nvrtc::{Nvrtc, Program, SUCCESS};
use super::source::{CudaHeader, CudaSource};

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
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), log: String::new() }
    }
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
    source: &CudaSource,
    architecture: u32,
    names: &[String],
) -> Result<CompiledSource, CompileError> {
    let nvrtc = Nvrtc::get(settings.library.as_deref())?;
    let (target, is_own) = match own_architecture(settings.options.iter().chain(&source.options)) {
        Some(own) => (own.to_owned(), true),
        None => (nvrtc.target(architecture)?, false),
    };
    let options = options((!is_own).then_some(&*target), settings, source)?;
    let program = CompiledProgram::new(&nvrtc, path, source)?;
    let expressions = program.add_names(names)?;
    program.compile(&options, path, source, names)?;
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

/// The architecture that the caller's options name. NVRTC takes the last, each in one option or in two.
fn own_architecture<'a>(options: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let (mut found, mut is_next) = (None, false);
    for option in options {
        let name = option.strip_prefix("--gpu-architecture").or_else(|| option.strip_prefix("-arch"));
        match name {
            _ if std::mem::take(&mut is_next) => found = Some(option.as_str()),
            Some("") => is_next = true,
            Some(value) => found = value.strip_prefix('=').or(found),
            None => {}
        }
    }
    found
}

/// All options in the order in which NVRTC reads them: what is of this source alone comes after what is of every source,
/// and folders the other way round.
fn options(
    target: Option<&str>,
    settings: &NvrtcSettings,
    source: &CudaSource,
) -> Result<Vec<CString>, CompileError> {
    let joined = |name: &str, value: &OsStr| {
        let mut option = OsString::from(name);
        option.push(value);
        option
    };
    let target = target.map(|target| joined("--gpu-architecture=", target.as_ref()));
    let folders = source.include_dirs.iter().chain(&settings.include_dirs);
    let folders = folders.map(|folder| joined("--include-path=", folder.as_os_str()));
    let defines = source.defines.iter().map(|define| joined("--define-macro=", OsStr::new(&**define)));
    let own = |options: &[String]| options.iter().map(OsString::from).collect::<Vec<_>>();
    let (of_all, of_source) = (own(&settings.options), own(&source.options));
    target.into_iter().chain(folders).chain(of_all).chain(defines).chain(of_source).map(c_string).collect()
}

/// An option as NVRTC takes it, every byte of it.
fn c_string(option: OsString) -> Result<CString, CompileError> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStringExt::into_vec(option);
    #[cfg(not(unix))]
    let bytes = option
        .into_string()
        .map_err(|option| CompileError::new(format!("the option {option:?} for NVRTC is not Unicode")))?
        .into_bytes();
    CString::new(bytes).map_err(|error| {
        let bytes = error.into_vec();
        let option = String::from_utf8_lossy(&bytes);
        CompileError::new(format!("the option {option:?} for NVRTC holds a zero byte"))
    })
}

/// The headers, each once.
///
/// # Errors
///
/// Where two are given by one name, which NVRTC refuses without a word about it.
fn distinct(headers: &[CudaHeader]) -> Result<Vec<&CudaHeader>, CompileError> {
    let mut distinct: Vec<&CudaHeader> = Vec::new();
    for header in headers {
        match distinct.iter().find(|known| known.name == header.name) {
            None => distinct.push(header),
            Some(known) if known.bytes == header.bytes => {}
            Some(_) => {
                let name = &header.name;
                return Err(CompileError::new(format!(
                    "two headers are given by the name `{name}`; give each its own"
                )));
            }
        }
    }
    Ok(distinct)
}

struct CompiledProgram<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

impl<'a> CompiledProgram<'a> {
    fn new(nvrtc: &'a Nvrtc, path: &str, source: &CudaSource) -> Result<Self, CompileError> {
        let c_text = |what: &str, bytes: &[u8]| {
            CString::new(bytes).map_err(|_| CompileError::new(format!("{what} holds a zero byte")))
        };
        let text = c_text("the source", source.text.as_bytes())?;
        let name = c_text("the source's path", path.as_bytes())?;
        let (mut names, mut headers) = (Vec::new(), Vec::new());
        for header in distinct(&source.headers)? {
            names.push(c_text("the name of a header", header.name.as_bytes())?);
            headers.push(c_text(&format!("the header `{}`", header.name), &header.bytes)?);
        }
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (name_pointers, header_pointers) = (pointers(&names), pointers(&headers));
        let count = c_int::try_from(names.len()).unwrap_or(c_int::MAX);
        let mut program = std::ptr::null_mut();
        // SAFETY: all texts end with a zero and outlive the call, which copies them; both arrays hold `count` of them.
        let code = unsafe {
            (nvrtc.nvrtcCreateProgram)(
                &raw mut program,
                text.as_ptr(),
                name.as_ptr(),
                count,
                header_pointers.as_ptr(),
                name_pointers.as_ptr(),
            )
        };
        if code == SUCCESS {
            Ok(Self { nvrtc, program })
        } else {
            Err(CompileError::new(format!("NVRTC refuses the source: {}", nvrtc.words(code))))
        }
    }

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

    fn compile(
        &self,
        options: &[CString],
        path: &str,
        source: &CudaSource,
        names: &[String],
    ) -> Result<(), CompileError> {
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
        } else if let Some(place) = first_error(&log, path, source) {
            problem.push_str("; the first error is at ");
            problem.push_str(&place);
        }
        if let Some(header) = missing_header(&log) {
            problem.push_str("; give the folder of `");
            problem.push_str(header);
            problem.push_str("` to the backend's builder, or to the `CudaSource`, with `include_dir`");
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

/// The place of the first error in a log, with the line itself where it is at hand: "line 14: `float y = x`".
fn first_error(log: &str, path: &str, source: &CudaSource) -> Option<String> {
    // `path(14): error: …`, or `path(14): catastrophic error: …`
    let place = log.lines().find_map(|line| {
        let end = line.find("): error").or_else(|| line.find("): catastrophic error"))?;
        Some(&line[..end])
    })?;
    let (file, number) = place.rsplit_once('(')?;
    let number: usize = number.parse().ok()?;
    let header = source.headers.iter().find(|header| header.name == file);
    let text = match header {
        Some(header) => String::from_utf8_lossy(&header.bytes),
        None if file == path => source.text.as_ref().into(),
        None => return Some(format!("line {number} of {file}")),
    };
    let Some(line) = number.checked_sub(1).and_then(|index| text.lines().nth(index)).map(excerpt) else {
        // By a `#line` of its own.
        return Some(format!("line {number} of {file}"));
    };
    Some(match header {
        Some(header) => format!("line {number} of {}: `{line}`", header.name),
        None => format!("line {number}: `{line}`"),
    })
}

/// A line as an error shows it: without the blanks around it, and cut off where it is long.
pub(super) fn excerpt(line: &str) -> String {
    const SHOWN: usize = 200;
    let line = line.trim();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_owned(),
    }
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

/// The header that a log says is missing.
fn missing_header(log: &str) -> Option<&str> {
    let (_, rest) = log.split_once("open source file \"")?;
    rest.split_once('"').map(|(name, _)| name)
}

#[cfg(test)]
#[path = "tests/compile.rs"]
mod tests;
