//! A driver for tests that need no device: it notes each call, and keeps to the rules of contexts and of stream capture.
//!
//! A device has one context. A function has its effect on captures, on what is allocated and on what was launched; nothing is
//! copied or executed.

mod launches;
mod memory;
mod modules;

pub(super) use launches::{DYNAMIC, FakeLaunch, STATIC};

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
use crate::argument::DevicePtr;
use crate::backend::{BackendId, StreamHandle};
use crate::error::Result;

pub(super) const REFUSED: Code = 999;
const CAPTURE_UNSUPPORTED: Code = 900;
const CAPTURE_UNMATCHED: Code = 903;
const CAPTURE_IMPLICIT: Code = 906;

thread_local! {
    /// The current context.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// What is known of a context.
#[derive(Default)]
struct State {
    device: c_int,
    calls: Vec<&'static str>,
    refused: HashMap<&'static str, Code>,
    /// What the device has not, by the numbers of its attributes.
    lacking: HashSet<c_int>,
    device_memory: HashMap<u64, usize>,
    /// Memory of somebody else, by its start: on which device, and whether it is managed.
    of_others: HashMap<u64, (c_int, bool)>,
    pinned: HashMap<u64, Layout>,
    /// Where the capture of each capturing stream began.
    capturing: HashMap<u64, u64>,
    /// The captures in which events were recorded.
    captured_events: HashMap<u64, u64>,
    /// The events that take the time.
    timed_events: HashSet<u64>,
    /// The streams that wait for the default one.
    blocking: HashSet<u64>,
    /// The images of the modules that are loaded.
    modules: HashMap<u64, Vec<u8>>,
    /// The functions that were found, each with the dynamic shared memory that a launch may have.
    functions: HashMap<u64, u32>,
    launches: Vec<FakeLaunch>,
    /// The graphs that were captured and not destroyed.
    graphs: HashSet<u64>,
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
        self.open_with(driver()).expect("nothing refuses")
    }

    /// The same, by a driver of CUDA 11.8 or later.
    pub(super) fn open_later(self) -> Arc<CudaBackend> {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        let later = || Driver {
            cuLaunchKernelEx: Some(launches::launch_ex),
            cuTensorMapEncodeTiled: Some(encode_tensor_map),
            ..made()
        };
        self.open_with(DRIVER.get_or_init(later)).expect("nothing refuses")
    }

    /// The same, where something may refuse.
    pub(super) fn try_open(self) -> Result<Arc<CudaBackend>> {
        self.open_with(driver())
    }

    fn open_with(self, driver: &'static Driver) -> Result<Arc<CudaBackend>> {
        let id = BackendId::next();
        self.with(|state| state.device = self.0);
        CudaBackend::builder(0).open_on(Context::primary(driver, self.0, id)?, id)
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
        self.answer(call, refused.then_some(REFUSED));
    }

    /// Lets the function answer this from now on, without any effect; `None` for what it does.
    pub(super) fn answer(self, call: &'static str, code: Option<Code>) {
        self.with(|state| match code {
            Some(code) => state.refused.insert(call, code),
            None => state.refused.remove(call),
        });
    }

    /// Lets the device be without what an attribute stands for.
    pub(super) fn lacks(self, attribute: c_int) {
        self.with(|state| state.lacking.insert(attribute));
    }

    /// Memory of 4096 bytes that somebody else allocated on this device or on another.
    pub(super) fn memory_of_others(self, is_here: bool, is_managed: bool) -> DevicePtr {
        let start = fresh();
        self.with(|state| {
            state.device_memory.insert(start, 4096);
            state.of_others.insert(start, (if is_here { self.0 } else { -1 }, is_managed));
        });
        DevicePtr::new(start)
    }

    /// The launches since this was asked last.
    pub(super) fn launches(self) -> Vec<FakeLaunch> {
        self.with(|state| std::mem::take(&mut state.launches))
    }

    /// How many events were created that take the time.
    pub(super) fn timed_events(self) -> usize {
        self.with(|state| state.timed_events.len())
    }

    /// How many captured graphs there are.
    pub(super) fn graphs(self) -> usize {
        self.with(|state| state.graphs.len())
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
        match state.refused.get(name) {
            Some(code) => *code,
            None => effect(state),
        }
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
    DRIVER.get_or_init(made)
}

fn made() -> Driver {
    Driver {
        cuDeviceGetAttribute: device_attribute,
        cuDeviceTotalMem: total_memory,
        cuDevicePrimaryCtxRetain: retain_context,
        cuCtxGetCurrent: current_context,
        cuCtxSetCurrent: set_current_context,
        cuCtxSynchronize: synchronize,
        cuCtxGetStreamPriorityRange: priorities,
        cuMemAlloc: memory::allocate,
        cuMemFree: memory::free,
        cuMemHostAlloc: memory::allocate_pinned,
        cuMemFreeHost: memory::free_pinned,
        cuMemHostGetDevicePointer: memory::pinned_alias,
        cuPointerGetAttribute: memory::pointer_attribute,
        cuMemcpyHtoD: memory::copy_to_device,
        cuMemcpyHtoDAsync: memory::copy_to_device_async,
        cuStreamCreateWithPriority: create_stream,
        cuStreamSynchronize: synchronize_stream,
        cuStreamWaitEvent: wait_event,
        cuStreamBeginCapture: begin_capture,
        cuStreamEndCapture: end_capture,
        cuStreamIsCapturing: is_capturing,
        cuEventCreate: create_event,
        cuEventRecord: record_event,
        cuGraphDestroy: destroy_graph,
        cuFuncGetAttribute: launches::get_attribute,
        cuFuncSetAttribute: launches::set_attribute,
        cuLaunchKernel: launches::launch,
        cuLaunchCooperativeKernel: launches::launch_cooperative,
        cuModuleLoadDataEx: modules::load,
        cuModuleGetFunction: modules::get_function,
        cuModuleUnload: modules::unload,
        ..Driver::idle()
    }
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

unsafe extern "C" fn device_attribute(value: *mut c_int, attribute: c_int, device: c_int) -> Code {
    let is_lacking = Device(device).with(|state| state.lacking.contains(&attribute));
    put(
        value,
        match attribute {
            _ if is_lacking => 0,
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
    let before = CURRENT.replace(address(context));
    let code = called("cuCtxSetCurrent");
    if code != code::SUCCESS {
        CURRENT.set(before);
    }
    code
}

unsafe extern "C" fn priorities(last: *mut c_int, first: *mut c_int) -> Code {
    put(last, 0);
    put(first, -5)
}

unsafe extern "C" fn synchronize() -> Code {
    let_others_act();
    call("cuCtxSynchronize", |state| state.wait("cuCtxSynchronize"))
}

unsafe extern "C" fn create_stream(stream: *mut CUstream, flags: c_uint, _: c_int) -> Code {
    call("cuStreamCreateWithPriority", |state| {
        let made = fresh();
        // `CU_STREAM_NON_BLOCKING`.
        if flags & 1 == 0 {
            state.blocking.insert(made);
        }
        put(stream, pointer(made))
    })
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
        let made = fresh();
        state.graphs.insert(made);
        put(graph, pointer(made))
    })
}

unsafe extern "C" fn destroy_graph(graph: CUgraph) -> Code {
    call("cuGraphDestroy", |state| {
        assert!(state.graphs.remove(&address(graph)), "it is there");
        code::SUCCESS
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

unsafe extern "C" fn create_event(event: *mut CUevent, flags: c_uint) -> Code {
    call("cuEventCreate", |state| {
        let made = fresh();
        // `CU_EVENT_DISABLE_TIMING`.
        if flags & 2 == 0 {
            state.timed_events.insert(made);
        }
        put(event, pointer(made))
    })
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

#[allow(clippy::too_many_arguments)] // As the driver has them.
unsafe extern "C" fn encode_tensor_map(
    _: *mut c_void,
    _: c_uint,
    _: c_uint,
    _: *mut c_void,
    _: *const u64,
    _: *const u64,
    _: *const c_uint,
    _: *const c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
) -> Code {
    called("cuTensorMapEncodeTiled")
}
