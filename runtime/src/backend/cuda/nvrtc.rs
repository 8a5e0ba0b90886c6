//! NVRTC, the compiler of CUDA C++ at run time: a library that is loaded when the first source needs it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use libloading::Library;

use super::compile::CompileError;
use crate::library::load_reason;

pub(super) type Program = *mut c_void;
pub(super) const SUCCESS: c_int = 0;

macro_rules! nvrtc_functions {
    ($($name:ident ($($arg:ty),*);)+) => {
        /// The functions of `libnvrtc`.
        #[allow(non_snake_case, missing_docs)]
        pub(super) struct Nvrtc {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) -> c_int,)+
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

impl Nvrtc {
    /// NVRTC from this file, or from where it is found; loaded once a process and place.
    pub(super) fn get(library: Option<&Path>) -> Result<Arc<Self>, CompileError> {
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
    pub(super) fn target(&self, architecture: u32) -> Result<String, CompileError> {
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

    pub(super) fn words(&self, code: c_int) -> String {
        // SAFETY: NVRTC's texts are constant, end with a zero, and exist for every number.
        unsafe { CStr::from_ptr((self.nvrtcGetErrorString)(code)) }.to_string_lossy().into_owned()
    }
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
