//! A driver for tests that need no device: it notes each call, and keeps to the rules of contexts and of stream capture.
//!
//! A device has one context. What is asked of a function is its effect on captures; nothing is copied or executed.

mod modules;

use std::alloc::Layout;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{CUcontext, CUevent, CUgraph, CUstream};

use super::CudaBackend;
use super::context::Context;
use super::driver::{Code, Driver, code};
use super::handles::{address, pointer};
use crate::backend::{BackendId, StreamHandle};

pub(super) const REFUSED: Code = 999;
const CAPTURE_UNSUPPORTED: Code = 900;
const CAPTURE_UNMATCHED: Code = 903;
const CAPTURE_IMPLICIT: Code = 906;
/// The alignment of what is pinned.
const PAGE: usize = 4096;

thread_local! {
    /// The current context.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// What is known of a context.
#[derive(Default)]
struct State {
    device: c_int,
    calls: Vec<&'static str>,
    refused: HashSet<&'static str>,
    device_memory: HashMap<u64, usize>,
    pinned: HashMap<u64, Layout>,
    /// Where the capture of each capturing stream began.
    capturing: HashMap<u64, u64>,
    /// The captures in which events were recorded.
    captured_events: HashMap<u64, u64>,
    /// The streams that wait for the default one.
    blocking: HashSet<u64>,
    /// The images of the modules that are loaded.
    modules: HashMap<u64, Vec<u8>>,
    /// The calls that ended a capture, or became part of one, where they must not.
    broke: Vec<&'static str>,
}

static STATES: Mutex<BTreeMap<u64, State>> = Mutex::new(BTreeMap::new());

/// A device of a test's own.
#[derive(Clone, Copy)]
pub(super) struct Device(c_int);

impl Device {
    pub(super) fn new() -> Self {
        static NEXT: AtomicI32 = AtomicI32::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// One more backend on the device.
    pub(super) fn open(self) -> Arc<CudaBackend> {
        let id = BackendId::next();
        self.with(|state| state.device = self.0);
        let context = Context::primary(driver(), self.0, id).expect("the context is there");
        CudaBackend::builder(0).open_on(context, id).expect("nothing refuses")
    }

    /// The calls in this device's context since this was asked last.
    pub(super) fn calls(self) -> Vec<&'static str> {
        self.with(|state| std::mem::take(&mut state.calls))
    }

    /// The calls that broke a capture.
    pub(super) fn broke(self) -> Vec<&'static str> {
        self.with(|state| state.broke.clone())
    }

    /// How much device and pinned memory is allocated, in allocations.
    pub(super) fn allocations(self) -> (usize, usize) {
        self.with(|state| (state.device_memory.len(), state.pinned.len()))
    }

    /// How many modules are loaded.
    pub(super) fn modules(self) -> usize {
        self.with(|state| state.modules.len())
    }

    /// Lets the function refuse from now on, or not.
    pub(super) fn refuse(self, call: &'static str, refused: bool) {
        self.with(|state| if refused { state.refused.insert(call) } else { state.refused.remove(call) });
    }

    /// A stream of another library, which waits for the default one.
    pub(super) fn foreign_stream(self) -> StreamHandle {
        let stream = fresh();
        self.with(|state| state.blocking.insert(stream));
        StreamHandle::new(stream)
    }

    /// Ends a capture as another library does it.
    pub(super) fn end_capture_elsewhere(self, stream: StreamHandle) {
        self.with(|state| state.capturing.retain(|_, origin| *origin != stream.get()));
    }

    /// Makes this device's context current on the thread, as another library does it.
    pub(super) fn bind_elsewhere(self) {
        CURRENT.set(self.context());
    }

    fn context(self) -> u64 {
        0xC0FF_EE00_0000 + u64::from(self.0.unsigned_abs()) * 64
    }

    fn with<R>(self, look: impl FnOnce(&mut State) -> R) -> R {
        with(self.context(), look)
    }
}

fn with<R>(context: u64, look: impl FnOnce(&mut State) -> R) -> R {
    let mut states = STATES.lock().unwrap_or_else(PoisonError::into_inner);
    look(states.entry(context).or_default())
}

/// Notes a call in the current context, with what it does to that; refuses where the test says so.
fn call(name: &'static str, effect: impl FnOnce(&mut State) -> Code) -> Code {
    with(CURRENT.get(), |state| {
        state.calls.push(name);
        if state.refused.contains(name) { REFUSED } else { effect(state) }
    })
}

/// A call without any effect.
pub(super) fn called(name: &'static str) -> Code {
    call(name, |_| code::SUCCESS)
}

/// An address or a handle that nothing else has.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 32);
    NEXT.fetch_add(1 << 16, Ordering::Relaxed)
}

impl State {
    /// What waits for the context is refused while something captures, and breaks the capture.
    fn wait(&mut self, name: &'static str) -> Code {
        if self.capturing.is_empty() { code::SUCCESS } else { self.broken(name) }
    }

    /// The same for a stream.
    fn wait_for(&mut self, name: &'static str, stream: u64) -> Code {
        if self.is_unusable(stream) || self.capturing.contains_key(&stream) {
            return self.broken(name);
        }
        code::SUCCESS
    }

    fn broken(&mut self, name: &'static str) -> Code {
        self.broke.push(name);
        CAPTURE_UNSUPPORTED
    }

    /// Whether this is the default stream, and one that waits for it captures.
    fn is_unusable(&self, stream: u64) -> bool {
        stream == 0 && self.capturing.keys().any(|capturing| self.blocking.contains(capturing))
    }
}

/// The driver, with the functions whose effect is more than to be called.
fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| Driver {
        cuDeviceGetAttribute: device_attribute,
        cuDeviceTotalMem: total_memory,
        cuDevicePrimaryCtxRetain: retain_context,
        cuCtxGetCurrent: current_context,
        cuCtxSetCurrent: set_current_context,
        cuCtxSynchronize: synchronize,
        cuMemAlloc: allocate,
        cuMemFree: free,
        cuMemHostAlloc: allocate_pinned,
        cuMemFreeHost: free_pinned,
        cuPointerGetAttribute: pointer_attribute,
        cuMemcpyHtoD: copy_to_device,
        cuMemcpyHtoDAsync: copy_to_device_async,
        cuStreamCreateWithPriority: create_stream,
        cuStreamSynchronize: synchronize_stream,
        cuStreamWaitEvent: wait_event,
        cuStreamBeginCapture: begin_capture,
        cuStreamEndCapture: end_capture,
        cuStreamIsCapturing: is_capturing,
        cuEventCreate: create_event,
        cuEventRecord: record_event,
        cuModuleLoadDataEx: modules::load,
        cuModuleGetFunction: modules::get_function,
        cuModuleUnload: modules::unload,
        ..Driver::idle()
    })
}

/// Another thread may act between a check and the call that follows from it.
fn let_others_act() {
    std::thread::sleep(Duration::from_micros(20));
}

/// Writes a result.
fn put<T>(to: *mut T, value: T) -> Code {
    // SAFETY: the functions below alone call this, and whoever calls them answers for the pointers.
    unsafe { to.write(value) };
    code::SUCCESS
}

unsafe extern "C" fn device_attribute(value: *mut c_int, attribute: c_int, _: c_int) -> Code {
    put(
        value,
        match attribute {
            // The compute capability, in its two parts.
            75 => 9,
            76 => 0,
            _ => 1 << 16,
        },
    )
}

unsafe extern "C" fn total_memory(bytes: *mut usize, _: c_int) -> Code {
    put(bytes, 1 << 40)
}

unsafe extern "C" fn retain_context(context: *mut CUcontext, device: c_int) -> Code {
    put(context, pointer(Device(device).context()))
}

unsafe extern "C" fn current_context(context: *mut CUcontext) -> Code {
    put(context, pointer(CURRENT.get()))
}

unsafe extern "C" fn set_current_context(context: CUcontext) -> Code {
    CURRENT.set(address(context));
    code::SUCCESS
}

unsafe extern "C" fn synchronize() -> Code {
    let_others_act();
    call("cuCtxSynchronize", |state| state.wait("cuCtxSynchronize"))
}

unsafe extern "C" fn allocate(start: *mut u64, bytes: usize) -> Code {
    call("cuMemAlloc", |state| {
        let memory = fresh();
        state.device_memory.insert(memory, bytes);
        put(start, memory)
    })
}

unsafe extern "C" fn free(start: u64) -> Code {
    call("cuMemFree", |state| {
        state.device_memory.remove(&start).expect("it is allocated");
        state.wait("cuMemFree")
    })
}

unsafe extern "C" fn allocate_pinned(start: *mut *mut c_void, bytes: usize, _: c_uint) -> Code {
    call("cuMemHostAlloc", |state| {
        let layout = Layout::from_size_align(bytes, PAGE).expect("a small size");
        // SAFETY: nobody asks for no bytes.
        let memory = unsafe { std::alloc::alloc(layout) };
        state.pinned.insert(address(memory), layout);
        put(start, memory.cast())
    })
}

unsafe extern "C" fn free_pinned(start: *mut c_void) -> Code {
    call("cuMemFreeHost", |state| {
        let layout = state.pinned.remove(&address(start)).expect("it is allocated");
        // SAFETY: it was allocated with this layout, and is forgotten.
        unsafe { std::alloc::dealloc(start.cast(), layout) };
        state.wait("cuMemFreeHost")
    })
}

/// Of memory that is allocated on the device.
unsafe extern "C" fn pointer_attribute(value: *mut c_void, attribute: c_uint, at: u64) -> Code {
    call("cuPointerGetAttribute", |state| {
        let found = state
            .device_memory
            .iter()
            .find(|(start, bytes)| (**start..**start + **bytes as u64).contains(&at));
        match (found, attribute) {
            (None, _) => code::INVALID_VALUE,
            // `CU_MEMORYTYPE_DEVICE`.
            (Some(_), 2) => put(value.cast::<c_uint>(), 2),
            (Some(_), 8) => put(value.cast::<c_uint>(), 0),
            (Some(_), 9) => put(value.cast::<c_int>(), state.device),
            (Some((start, _)), 11) => put(value.cast(), *start),
            (Some((_, bytes)), _) => put(value.cast(), *bytes),
        }
    })
}

unsafe extern "C" fn copy_to_device(_: u64, _: *const c_void, _: usize) -> Code {
    call("cuMemcpyHtoD", |state| state.wait_for("cuMemcpyHtoD", 0))
}

/// In the tests, of a source that is gone when a graph is launched.
unsafe extern "C" fn copy_to_device_async(_: u64, _: *const c_void, _: usize, stream: CUstream) -> Code {
    call("cuMemcpyHtoDAsync", |state| state.wait_for("cuMemcpyHtoDAsync", address(stream)))
}

unsafe extern "C" fn create_stream(stream: *mut CUstream, _: c_uint, _: c_int) -> Code {
    call("cuStreamCreateWithPriority", |_| put(stream, pointer(fresh())))
}

unsafe extern "C" fn synchronize_stream(stream: CUstream) -> Code {
    call("cuStreamSynchronize", |state| state.wait_for("cuStreamSynchronize", address(stream)))
}

unsafe extern "C" fn begin_capture(stream: CUstream, _: c_uint) -> Code {
    call("cuStreamBeginCapture", |state| {
        let stream = address(stream);
        assert_eq!(state.capturing.insert(stream, stream), None, "it captures already");
        code::SUCCESS
    })
}

unsafe extern "C" fn end_capture(stream: CUstream, graph: *mut CUgraph) -> Code {
    call("cuStreamEndCapture", |state| {
        let stream = address(stream);
        if state.capturing.get(&stream) != Some(&stream) {
            state.broke.push("cuStreamEndCapture");
            return CAPTURE_UNMATCHED;
        }
        state.capturing.retain(|_, origin| *origin != stream);
        state.captured_events.retain(|_, origin| *origin != stream);
        put(graph, pointer(fresh()))
    })
}

unsafe extern "C" fn is_capturing(stream: CUstream, status: *mut c_uint) -> Code {
    let stream = address(stream);
    let code = call("cuStreamIsCapturing", |state| {
        if state.is_unusable(stream) {
            return CAPTURE_IMPLICIT;
        }
        put(status, state.capturing.contains_key(&stream).into())
    });
    let_others_act();
    code
}

unsafe extern "C" fn create_event(event: *mut CUevent, _: c_uint) -> Code {
    call("cuEventCreate", |_| put(event, pointer(fresh())))
}

unsafe extern "C" fn record_event(event: CUevent, stream: CUstream) -> Code {
    call("cuEventRecord", |state| {
        match state.capturing.get(&address(stream)).copied() {
            Some(origin) => state.captured_events.insert(address(event), origin),
            None => state.captured_events.remove(&address(event)),
        };
        code::SUCCESS
    })
}

unsafe extern "C" fn wait_event(stream: CUstream, event: CUevent, _: c_uint) -> Code {
    call("cuStreamWaitEvent", |state| {
        if let Some(origin) = state.captured_events.get(&address(event)).copied() {
            state.capturing.insert(address(stream), origin);
        }
        code::SUCCESS
    })
}
