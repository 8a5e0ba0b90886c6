use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::mem::offset_of;
use std::path::Path;
use std::sync::Arc;

use libloading::Library;

use super::{Call, Layer, Operation, Outcome};
use crate::backend::StreamHandle;
use crate::error::{Error, Result};
use crate::library::load_reason;

/// Gives each launch, copy, memset and wait a range for NVIDIA's profilers, through NVTX.
///
/// Nsight Systems shows them in the domain `warpcall`, on the thread that calls, from the call to its return. A range is called like
/// the kernel, or else like the method of the backend, and its payload is the handle of the stream. Where no profiler runs, NVTX does nothing.
///
/// NVTX is loaded at run time: `libnvtx3interop.so.1`, which CUDA 12.9 and later have, or the older `libnvToolsExt.so.1`. Its functions
/// and types are those of `nvToolsExt.h`.
///
/// ```
/// use warpcall::diagnose::NvtxRanges;
/// use warpcall::{Error, Gpu};
///
/// let gpu = match NvtxRanges::open() {
///     Ok(ranges) => Gpu::builder().host().nvtx_ranges(&ranges).open()?,
///     Err(Error::NoLibrary { .. }) => Gpu::host()?,
///     Err(error) => return Err(error),
/// };
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NvtxRanges(Arc<Domain>);

/// Where NVTX is looked for, by the loader's own rules.
#[cfg(windows)]
const NAMES: &[&str] = &["nvtx3interop.dll", "nvToolsExt64_1.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] =
    &["libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1", "libnvToolsExt.so"];

/// A `nvtxDomainHandle_t`. It is null where no profiler runs.
type DomainHandle = *mut c_void;

/// The functions of NVTX that are used here.
#[derive(Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn(*const c_char) -> DomainHandle,
    destroy: unsafe extern "C" fn(DomainHandle),
    push: unsafe extern "C" fn(DomainHandle, *const EventAttributes) -> c_int,
    pop: unsafe extern "C" fn(DomainHandle) -> c_int,
}

/// `nvtxEventAttributes_v2`.
#[repr(C)]
struct EventAttributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_char,
}

const SIZE: u16 = 48;
const _: () =
    assert!(size_of::<EventAttributes>() == SIZE as usize && offset_of!(EventAttributes, message) == 40);

/// `NVTX_VERSION`, `NVTX_PAYLOAD_TYPE_UNSIGNED_INT64` and `NVTX_MESSAGE_TYPE_ASCII`.
const VERSION: u16 = 3;
const UNSIGNED: i32 = 1;
const TEXT: i32 = 1;

struct Domain {
    handle: DomainHandle,
    functions: Functions,
    /// Keeps the functions loaded.
    _library: Option<Library>,
}

// SAFETY: NVTX may be called from any thread, and a domain may be used from all.
unsafe impl Send for Domain {}
// SAFETY: as above.
unsafe impl Sync for Domain {}

impl NvtxRanges {
    /// Loads NVTX.
    ///
    /// # Errors
    ///
    /// [`Error::NoLibrary`] where it is not found, with where it was looked for.
    pub fn open() -> Result<Self> {
        Self::load().map_err(|looked| missing(&looked))
    }

    /// Loads NVTX from this file.
    ///
    /// # Errors
    ///
    /// [`Error::NoLibrary`] where it cannot be loaded, or is not NVTX.
    pub fn open_file(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_file(path).map_err(|looked| missing(&looked))
    }

    /// Loads NVTX; else where it was looked for, and why it was not found there.
    pub(super) fn load() -> std::result::Result<Self, String> {
        Self::first_of(NAMES.iter().map(Path::new))
    }

    /// Loads NVTX from this file; else why that failed.
    pub(super) fn load_file(path: impl AsRef<Path>) -> std::result::Result<Self, String> {
        Self::first_of(std::iter::once(path.as_ref()))
    }

    fn first_of<'a>(paths: impl Iterator<Item = &'a Path>) -> std::result::Result<Self, String> {
        let mut reasons = Vec::new();
        for path in paths {
            // SAFETY: loading NVTX runs its initialisers, which do nothing that this program could notice.
            match unsafe { Library::new(path) }.and_then(|library| Ok((Functions::of(&library)?, library))) {
                Ok((functions, library)) => return Ok(Self::new(functions, Some(library))),
                Err(error) => reasons.push(load_reason(path.display(), &error)),
            }
        }
        Err(reasons.join("; "))
    }

    fn new(functions: Functions, library: Option<Library>) -> Self {
        // SAFETY: the function takes the name of a domain.
        let handle = unsafe { (functions.create)(c"warpcall".as_ptr()) };
        Self(Arc::new(Domain { handle, functions, _library: library }))
    }
}

/// That NVTX is not where it was looked for.
fn missing(looked: &str) -> Error {
    let advice = "install the CUDA toolkit's NVTX, or name its file in `NvtxRanges::open_file`";
    Error::NoLibrary { library: "NVTX", reason: format!("{advice} ({looked})").into() }
}

impl Functions {
    fn of(library: &Library) -> std::result::Result<Self, libloading::Error> {
        // SAFETY: the types are those of `nvToolsExt.h` for these symbols.
        unsafe {
            Ok(Self {
                create: *library.get(b"nvtxDomainCreateA")?,
                destroy: *library.get(b"nvtxDomainDestroy")?,
                push: *library.get(b"nvtxDomainRangePushEx")?,
                pop: *library.get(b"nvtxDomainRangePop")?,
            })
        }
    }
}

impl Domain {
    fn push(&self, message: &CStr, payload: u64) {
        let attributes = EventAttributes {
            version: VERSION,
            size: SIZE,
            category: 0,
            color_type: 0,
            color: 0,
            payload_type: UNSIGNED,
            reserved: 0,
            payload,
            message_type: TEXT,
            message: message.as_ptr(),
        };
        // SAFETY: the domain is live, and the attributes and their message outlive the call, which copies them.
        unsafe { (self.functions.push)(self.handle, &raw const attributes) };
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // SAFETY: the domain was created for this value.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Domain").field("profiled", &!self.handle.is_null()).finish_non_exhaustive()
    }
}

fn has_range(operation: &Operation<'_>) -> bool {
    operation.is_work()
        || matches!(
            operation,
            Operation::Synchronize | Operation::SynchronizeStream(_) | Operation::SynchronizeEvent(_)
        )
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for NvtxRanges {
    fn name(&self) -> &'static str {
        "NVTX ranges"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        if has_range(&call.operation) {
            let mut message = smallvec::SmallVec::<[u8; 64]>::from_slice(call.subject().as_bytes());
            message.push(0);
            let message = CStr::from_bytes_until_nul(&message).unwrap_or_default();
            self.0.push(message, call.operation.stream().map_or(0, StreamHandle::get));
        }
        Ok(())
    }

    fn after(&self, call: &Call<'_>, _: Outcome<'_>) {
        if has_range(&call.operation) {
            // SAFETY: the domain is live.
            unsafe { (self.0.functions.pop)(self.0.handle) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::device::Gpu;
    use crate::launch::{Kernel, KernelLaunch, Module};

    thread_local! {
        static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    fn note(text: String) {
        SEEN.with_borrow_mut(|seen| seen.push(text));
    }

    unsafe extern "C" fn create(name: *const c_char) -> DomainHandle {
        // SAFETY: the caller gives a name.
        note(format!("create {}", unsafe { CStr::from_ptr(name) }.to_string_lossy()));
        std::ptr::dangling_mut()
    }

    unsafe extern "C" fn destroy(_: DomainHandle) {
        note("destroy".into());
    }

    unsafe extern "C" fn push(_: DomainHandle, attributes: *const EventAttributes) -> c_int {
        // SAFETY: the caller gives attributes, which live.
        let attributes = unsafe { &*attributes };
        assert_eq!((attributes.version, attributes.size, attributes.message_type), (3, 48, 1));
        // SAFETY: as above.
        let message = unsafe { CStr::from_ptr(attributes.message) }.to_string_lossy();
        note(format!("push {message} {}", attributes.payload & 0xFFFF));
        0
    }

    unsafe extern "C" fn pop(_: DomainHandle) -> c_int {
        note("pop".into());
        0
    }

    #[test]
    fn each_launch_is_a_range_in_the_domain_also_where_it_fails() -> Result<()> {
        static IDLE: Kernel = Kernel::new(Module::new("nvtx"), "idle", &[]).with_host(|_| panic!("never"));
        let ranges = NvtxRanges::new(Functions { create, destroy, push, pop }, None);
        let gpu = Gpu::builder().host().nvtx_ranges(&ranges).open()?;
        drop(ranges);
        let kernel = IDLE.resolve(&*gpu)?;
        // SAFETY: the host function uses nothing.
        unsafe { KernelLaunch::new(&*gpu, kernel).launch(&gpu.default_stream()) }
            .expect_err("its function panics");
        gpu.synchronize()?;
        drop(gpu);
        let seen = SEEN.take();
        assert_eq!(seen, ["create warpcall", "push idle 0", "pop", "push synchronize 0", "pop", "destroy"]);
        Ok(())
    }

    #[test]
    fn a_library_that_is_missing_or_another_is_an_error_that_names_it() {
        let refused = |path: &str| match NvtxRanges::open_file(path) {
            Err(Error::NoLibrary { library: "NVTX", reason }) => reason,
            other => panic!("{other:?}"),
        };
        let missing = refused("/no such folder/libnvtx3interop.so.1");
        assert!(missing.contains("/no such folder/libnvtx3interop.so.1: "), "{missing}");
        if cfg!(target_os = "linux") {
            let other = refused("libc.so.6");
            assert!(other.contains("libc.so.6: ") && other.contains("nvtxDomainCreateA"), "{other}");
        }
    }
}
