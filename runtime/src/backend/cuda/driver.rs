//! The driver's interface: every function this backend calls, looked up once.
//!
//! The handles are cudarc's types. The functions are looked up here and not called through cudarc's
//! bindings for three reasons: those panic where a symbol is missing, which functions they have is the
//! application's choice of features, and they return a closed `enum` where a newer driver may return a
//! number that it does not list.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{
    CUDA_MEMCPY2D_st, CUcontext, CUevent, CUfunction, CUgraph, CUgraphExec, CUmodule, CUstream,
};
use libloading::Library;

use crate::error::{Error, Result};
use crate::library::load_reason;

/// What a call of the driver returns: a `CUresult` as a number.
pub(super) type Code = c_uint;

/// The `CUresult`s that this backend tells apart.
pub(super) mod code {
    use super::Code;

    pub(in super::super) const SUCCESS: Code = 0;
    pub(in super::super) const INVALID_VALUE: Code = 1;
    pub(in super::super) const OUT_OF_MEMORY: Code = 2;
    pub(in super::super) const STUB_LIBRARY: Code = 34;
    pub(in super::super) const NO_DEVICE: Code = 100;
    pub(in super::super) const INVALID_CONTEXT: Code = 201;
    pub(in super::super) const NO_BINARY_FOR_GPU: Code = 209;
    pub(in super::super) const UNSUPPORTED_PTX_VERSION: Code = 222;
    pub(in super::super) const JIT_COMPILER_NOT_FOUND: Code = 221;
    pub(in super::super) const JIT_COMPILATION_DISABLED: Code = 223;
    pub(in super::super) const INVALID_HANDLE: Code = 400;
    pub(in super::super) const NOT_FOUND: Code = 500;
    pub(in super::super) const NOT_READY: Code = 600;
    /// All that begin with `CUDA_ERROR_STREAM_CAPTURE`, and `CUDA_ERROR_CAPTURED_EVENT`.
    pub(in super::super) const CAPTURE: std::ops::RangeInclusive<Code> = 900..=908;
}

/// `CUlaunchConfig` of `cuda.h`, as it has been since 11.8.
#[repr(C)]
pub(super) struct LaunchConfigEx {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_mem: c_uint,
    pub(super) stream: CUstream,
    pub(super) attributes: *mut LaunchAttribute,
    pub(super) attribute_count: c_uint,
}

/// `CUlaunchAttribute` of `cuda.h`: a number, padding to eight bytes, and a union of 64 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct LaunchAttribute {
    pub(super) id: c_uint,
    padding: c_uint,
    value: [u64; 8],
}

impl LaunchAttribute {
    /// The attribute `id`, whose value is the 32-bit numbers `value`.
    pub(super) fn new(id: c_uint, value: [u32; 3]) -> Self {
        let mut bytes = [0; 8];
        bytes[0] = u64::from(value[0]) | (u64::from(value[1]) << 32);
        bytes[1] = u64::from(value[2]);
        Self { id, padding: 0, value: bytes }
    }
}

const _: () =
    assert!(size_of::<LaunchConfigEx>() == 56 && size_of::<LaunchAttribute>() == 72, "as in `cuda.h`");

macro_rules! driver_functions {
    (
        required { $($name:ident $symbol:literal ($($arg:ty),* $(,)?);)+ }
        optional { $($optional:ident $optional_symbol:literal ($($optional_arg:ty),* $(,)?);)+ }
    ) => {
        /// The functions of `libcuda`. Those that came after CUDA 11.4 may be missing.
        #[allow(non_snake_case, missing_docs)]
        pub(super) struct Driver {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) -> Code,)+
            $(pub(super) $optional: Option<unsafe extern "C" fn($($optional_arg),*) -> Code>,)+
            /// Keeps the functions loaded.
            pub(super) _library: Option<Library>,
        }

        impl Driver {
            fn of_library(library: Library) -> Result<Self, String> {
                Ok(Self {
                    // SAFETY: the types are those of `cuda.h` for these symbols, which never change once released.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }
                        .map_err(|_| concat!("the driver has no ", $symbol).to_owned())?,)+
                    // SAFETY: as above.
                    $($optional: unsafe { library.get($optional_symbol.as_bytes()) }.ok().map(|symbol| *symbol),)+
                    _library: Some(library),
                })
            }

            /// A driver whose functions do nothing, with success, but tell `fake_driver` that they were called.
            #[cfg(test)]
            pub(super) fn idle() -> Self {
                Self {
                    $($name: {
                        unsafe extern "C" fn idle($(_: $arg),*) -> Code {
                            super::fake_driver::called(stringify!($name))
                        }
                        idle
                    },)+
                    $($optional: None,)+
                    _library: None,
                }
            }
        }
    };
}

driver_functions! {
    required {
        cuInit "cuInit" (c_uint);
        cuDriverGetVersion "cuDriverGetVersion" (*mut c_int);
        cuGetErrorName "cuGetErrorName" (Code, *mut *const c_char);
        cuGetErrorString "cuGetErrorString" (Code, *mut *const c_char);

        cuDeviceGetCount "cuDeviceGetCount" (*mut c_int);
        cuDeviceGet "cuDeviceGet" (*mut c_int, c_int);
        cuDeviceGetName "cuDeviceGetName" (*mut c_char, c_int, c_int);
        cuDeviceGetAttribute "cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
        cuDeviceTotalMem "cuDeviceTotalMem_v2" (*mut usize, c_int);
        cuDevicePrimaryCtxRetain "cuDevicePrimaryCtxRetain" (*mut CUcontext, c_int);
        cuDevicePrimaryCtxRelease "cuDevicePrimaryCtxRelease_v2" (c_int);

        cuCtxGetCurrent "cuCtxGetCurrent" (*mut CUcontext);
        cuCtxSetCurrent "cuCtxSetCurrent" (CUcontext);
        cuCtxSynchronize "cuCtxSynchronize" ();
        cuCtxGetStreamPriorityRange "cuCtxGetStreamPriorityRange" (*mut c_int, *mut c_int);

        cuMemGetInfo "cuMemGetInfo_v2" (*mut usize, *mut usize);
        cuMemAlloc "cuMemAlloc_v2" (*mut u64, usize);
        cuMemAllocManaged "cuMemAllocManaged" (*mut u64, usize, c_uint);
        cuMemFree "cuMemFree_v2" (u64);
        cuMemHostAlloc "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
        cuMemFreeHost "cuMemFreeHost" (*mut c_void);
        cuMemHostGetDevicePointer "cuMemHostGetDevicePointer_v2" (*mut u64, *mut c_void, c_uint);
        cuPointerGetAttribute "cuPointerGetAttribute" (*mut c_void, c_uint, u64);

        cuMemcpyHtoD "cuMemcpyHtoD_v2" (u64, *const c_void, usize);
        cuMemcpyDtoH "cuMemcpyDtoH_v2" (*mut c_void, u64, usize);
        cuMemcpyHtoDAsync "cuMemcpyHtoDAsync_v2" (u64, *const c_void, usize, CUstream);
        cuMemcpyDtoHAsync "cuMemcpyDtoHAsync_v2" (*mut c_void, u64, usize, CUstream);
        cuMemcpyDtoDAsync "cuMemcpyDtoDAsync_v2" (u64, u64, usize, CUstream);
        cuMemcpy2DAsync "cuMemcpy2DAsync_v2" (*const CUDA_MEMCPY2D_st, CUstream);
        cuMemsetD8Async "cuMemsetD8Async" (u64, u8, usize, CUstream);
        cuMemsetD32Async "cuMemsetD32Async" (u64, c_uint, usize, CUstream);

        cuStreamCreateWithPriority "cuStreamCreateWithPriority" (*mut CUstream, c_uint, c_int);
        cuStreamDestroy "cuStreamDestroy_v2" (CUstream);
        cuStreamSynchronize "cuStreamSynchronize" (CUstream);
        cuStreamQuery "cuStreamQuery" (CUstream);
        cuStreamWaitEvent "cuStreamWaitEvent" (CUstream, CUevent, c_uint);
        cuStreamBeginCapture "cuStreamBeginCapture_v2" (CUstream, c_uint);
        cuStreamEndCapture "cuStreamEndCapture" (CUstream, *mut CUgraph);
        cuStreamIsCapturing "cuStreamIsCapturing" (CUstream, *mut c_uint);

        cuEventCreate "cuEventCreate" (*mut CUevent, c_uint);
        cuEventDestroy "cuEventDestroy_v2" (CUevent);
        cuEventRecord "cuEventRecord" (CUevent, CUstream);
        cuEventQuery "cuEventQuery" (CUevent);
        cuEventSynchronize "cuEventSynchronize" (CUevent);
        cuEventElapsedTime "cuEventElapsedTime" (*mut f32, CUevent, CUevent);

        cuGraphInstantiateWithFlags "cuGraphInstantiateWithFlags" (*mut CUgraphExec, CUgraph, u64);
        cuGraphDestroy "cuGraphDestroy" (CUgraph);
        cuGraphExecDestroy "cuGraphExecDestroy" (CUgraphExec);
        cuGraphLaunch "cuGraphLaunch" (CUgraphExec, CUstream);

        cuModuleLoadDataEx "cuModuleLoadDataEx" (*mut CUmodule, *const c_void, c_uint, *const c_uint, *const *mut c_void);
        cuModuleUnload "cuModuleUnload" (CUmodule);
        cuModuleGetFunction "cuModuleGetFunction" (*mut CUfunction, CUmodule, *const c_char);
        cuFuncGetAttribute "cuFuncGetAttribute" (*mut c_int, c_uint, CUfunction);
        cuFuncSetAttribute "cuFuncSetAttribute" (CUfunction, c_uint, c_int);
        cuOccupancyMaxActiveBlocksPerMultiprocessor "cuOccupancyMaxActiveBlocksPerMultiprocessor"
            (*mut c_int, CUfunction, c_int, usize);

        cuLaunchKernel "cuLaunchKernel" (
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
            *mut *mut c_void, *mut *mut c_void,
        );
        cuLaunchCooperativeKernel "cuLaunchCooperativeKernel" (
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
        );
    }
    optional {
        cuLaunchKernelEx "cuLaunchKernelEx"
            (*const LaunchConfigEx, CUfunction, *mut *mut c_void, *mut *mut c_void);
        cuTensorMapEncodeTiled "cuTensorMapEncodeTiled" (
            *mut c_void, c_uint, c_uint, *mut c_void, *const u64, *const u64, *const c_uint, *const c_uint,
            c_uint, c_uint, c_uint, c_uint,
        );
        cuFuncGetName "cuFuncGetName" (*mut *const c_char, CUfunction);
        cuFuncGetParamInfo "cuFuncGetParamInfo" (CUfunction, usize, *mut usize, *mut usize);
        cuModuleGetFunctionCount "cuModuleGetFunctionCount" (*mut c_uint, CUmodule);
        cuModuleEnumerateFunctions "cuModuleEnumerateFunctions" (*mut CUfunction, c_uint, CUmodule);
    }
}

/// Calls a function of the driver by its name, which an error then carries. The caller answers for the
/// arguments, in an `unsafe` block of its own.
macro_rules! cu {
    ($driver:expr, $name:ident($($arg:expr),* $(,)?)) => {
        $driver.check(stringify!($name), ($driver.$name)($($arg),*))
    };
}
pub(super) use cu;

const LIBRARY_NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// The oldest driver that has every function this backend cannot do without.
const OLDEST_VERSION: c_int = 11_040;

/// Why the driver cannot be used.
#[derive(Clone, Debug)]
pub(super) struct NoDriver {
    /// In words, with what to do.
    pub(super) reason: String,
    /// Whether there is no driver, or no device; else there is one, and something is wrong with it.
    pub(super) is_absent: bool,
}

impl NoDriver {
    fn absent(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_absent: true }
    }

    fn unusable(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_absent: false }
    }

    /// The error of whoever wants this device.
    pub(super) fn error(&self, device: Box<str>) -> Error {
        let reason = self.reason.as_str().into();
        if self.is_absent { Error::NoDevice { device, reason } } else { Error::NotUsable { device, reason } }
    }
}

impl Driver {
    /// The driver, loaded and initialised by whoever asks first.
    ///
    /// # Errors
    ///
    /// Why there is none; the answer of the first call is kept.
    pub(super) fn get() -> Result<&'static Self, &'static NoDriver> {
        static DRIVER: OnceLock<Result<Driver, NoDriver>> = OnceLock::new();
        DRIVER.get_or_init(|| Self::load()?.initialised()).as_ref()
    }

    fn load() -> Result<Self, NoDriver> {
        let mut reasons = Vec::new();
        let library = LIBRARY_NAMES
            .iter()
            // SAFETY: loading the driver runs its initialisers, which it is made for.
            .find_map(|name| match unsafe { Library::new(*name) } {
                Ok(library) => Some(library),
                Err(error) => {
                    reasons.push(load_reason(name, &error));
                    None
                }
            })
            .ok_or_else(|| {
                let reasons = reasons.join("; ");
                NoDriver::absent(format!("the NVIDIA driver cannot be loaded ({reasons}); install it"))
            })?;
        Self::of_library(library).map_err(|problem| {
            NoDriver::unusable(format!("{problem}; a driver for CUDA 11.4 or later is needed"))
        })
    }

    /// The driver, ready for use.
    fn initialised(self) -> Result<Self, NoDriver> {
        let mut version = 0;
        // SAFETY: the number outlives the call. This call needs no initialisation.
        let code = unsafe { (self.cuDriverGetVersion)(&raw mut version) };
        if code == code::SUCCESS && version < OLDEST_VERSION {
            let (major, minor) = (version / 1000, version % 1000 / 10);
            return Err(NoDriver::unusable(format!(
                "the driver is for CUDA {major}.{minor}; one for 11.4 or later is needed"
            )));
        }
        // SAFETY: zero is the one value that the flags may have.
        match unsafe { (self.cuInit)(0) } {
            code::SUCCESS => Ok(self),
            code::NO_DEVICE => Err(NoDriver::absent("the driver finds no device; check `nvidia-smi`")),
            code::STUB_LIBRARY => Err(NoDriver::absent(
                "the library that was loaded is the toolkit's, which is there to link against; install the NVIDIA driver",
            )),
            code => Err(NoDriver::unusable(format!("{}; check `nvidia-smi`", self.error("cuInit", code)))),
        }
    }

    /// The version of CUDA that the driver is for, such as 13.0.
    pub(super) fn version(&self) -> (u32, u32) {
        let mut version = 0;
        // SAFETY: the number outlives the call.
        let code = unsafe { (self.cuDriverGetVersion)(&raw mut version) };
        let version = if code == code::SUCCESS { version.unsigned_abs() } else { 0 };
        (version / 1000, version % 1000 / 10)
    }

    /// A success, or the error that `code` stands for.
    #[inline]
    pub(super) fn check(&self, call: &'static str, code: Code) -> Result<()> {
        if code == code::SUCCESS { Ok(()) } else { Err(self.error(call, code)) }
    }

    /// The error that `code` stands for.
    #[cold]
    pub(super) fn error(&self, call: &'static str, code: Code) -> Error {
        let text = |get: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: the pointer outlives the call; an unknown code leaves it null.
            let known = unsafe { get(code, &raw mut text) } == code::SUCCESS && !text.is_null();
            // SAFETY: the driver's texts are constant and end with a zero.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        Error::Driver {
            call,
            code,
            name: text(self.cuGetErrorName).unwrap_or_else(|| "an unknown error".to_owned()).into(),
            message: text(self.cuGetErrorString)
                .unwrap_or_else(|| "the driver says no more".to_owned())
                .into(),
        }
    }
}

/// A refusal that has to do with capturing as [`Error::Capture`]; every other as it is.
pub(super) fn capture_refusal(operation: &'static str, error: Error) -> Error {
    match error {
        Error::Driver { code, name, message, .. } if code::CAPTURE.contains(&code) => {
            Error::Capture { operation, problem: format!("{name} ({code}): {message}").into() }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a driver of this version (13,000 for 13.0), which answers this to `cuInit`, is good for.
    fn outcome(version: c_int, code: Code) -> Result<(), NoDriver> {
        thread_local! { static ANSWERS: std::cell::Cell<(c_int, Code)> = const { std::cell::Cell::new((0, 0)) }; }
        unsafe extern "C" fn init(_: c_uint) -> Code {
            ANSWERS.get().1
        }
        unsafe extern "C" fn version_of(to: *mut c_int) -> Code {
            // SAFETY: the caller's pointer is one to a number.
            unsafe { to.write(ANSWERS.get().0) };
            code::SUCCESS
        }
        ANSWERS.set((version, code));
        let driver = Driver { cuInit: init, cuDriverGetVersion: version_of, ..Driver::idle() };
        driver.initialised().map(drop)
    }

    #[test]
    fn a_driver_without_a_device_is_told_from_one_that_does_not_work() {
        outcome(13_000, code::SUCCESS).expect("it works");
        outcome(11_040, code::SUCCESS).expect("the oldest");
        // `CUDA_ERROR_STUB_LIBRARY` and `_NO_DEVICE`; then `_SYSTEM_NOT_READY`, `_SYSTEM_DRIVER_MISMATCH` and `_UNKNOWN`.
        for (version, code, is_absent) in [
            (13_000, 34, true),
            (13_000, 100, true),
            (13_000, 802, false),
            (13_000, 803, false),
            (13_000, 999, false),
            (11_030, 0, false),
        ] {
            let no = outcome(version, code).expect_err("it is of no use");
            assert_eq!(no.is_absent, is_absent, "{version}, {code}: {}", no.reason);
            match no.error("CUDA device 0".into()) {
                Error::NoDevice { .. } => assert!(is_absent),
                Error::NotUsable { .. } => assert!(!is_absent),
                other => panic!("{other}"),
            }
        }
        for (code, advice) in [(34, "install"), (100, "nvidia-smi"), (802, "nvidia-smi")] {
            let reason = outcome(13_000, code).expect_err("it is of no use").reason;
            assert!(reason.contains(advice), "{code}: {reason}");
        }
        let old = outcome(11_030, 0).expect_err("it is too old").reason;
        assert!(old.contains("11.3") && old.contains("11.4"), "{old}");
    }

    #[test]
    fn a_library_that_lacks_a_function_is_no_driver_and_names_it() {
        // SAFETY: the process has loaded it.
        let Ok(library) = (unsafe { Library::new(if cfg!(windows) { "kernel32.dll" } else { "libc.so.6" }) })
        else {
            panic!("every program has it");
        };
        let problem = Driver::of_library(library).err().expect("it is no driver");
        assert_eq!(problem, "the driver has no cuInit");
    }

    #[test]
    fn what_has_to_do_with_capturing_is_an_error_of_capturing() {
        // `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` to `CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`, and those on either side.
        for code in 895..915 {
            let error = Error::Driver { call: "cuX", code, name: "NAME".into(), message: "words".into() };
            match capture_refusal("operation", error) {
                Error::Capture { operation: "operation", problem } => {
                    assert!((900..=908).contains(&code), "{code}");
                    assert_eq!(*problem, format!("NAME ({code}): words"));
                }
                Error::Driver { code: kept, .. } => {
                    assert!(kept == code && !(900..=908).contains(&code), "{code}");
                }
                other => panic!("{code}: {other}"),
            }
        }
    }
}
