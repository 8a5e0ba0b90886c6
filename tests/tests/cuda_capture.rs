//! Two backends on one device, and streams of another library, while a stream captures: nobody but who began a capture ends
//! it, and one that ended is in nobody's way.

mod cuda_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cuda_support::{DEFAULT, cuda_alone_or_skip, cuda_or_skip, fill, late, refusal, says, word};
use libloading::Library;
use warpcall::backend::{
    CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Events as _, Graphs as _, PinnedMemory as _,
    Streams as _,
};
use warpcall::{CudaBackend, DevicePtr, Error, StreamHandle};

/// A backend whose stream records the first half of a fill of a hundred words; kernels are loaded before.
struct Recording {
    backend: Arc<CudaBackend>,
    stream: StreamHandle,
    values: DevicePtr,
}

impl Recording {
    fn begin(backend: Arc<CudaBackend>, stream: StreamHandle) -> Self {
        let values = backend.allocate(400).expect("memory");
        fill(&backend, stream, values, 100, 0).expect("a launch");
        late(&backend, stream, word(&backend), 1, Duration::ZERO).expect("a launch");
        backend.synchronize_stream(stream).expect("nothing went wrong");
        backend.begin_capture(stream).expect("a capture");
        fill(&backend, stream, values, 50, 6).expect("a launch that is recorded");
        Self { backend, stream, values }
    }

    /// On a stream of the backend's own.
    fn begin_on(backend: &Arc<CudaBackend>) -> Self {
        let stream = backend.create_stream(None).expect("a stream");
        Self::begin(Arc::clone(backend), stream)
    }

    /// Records the second half, ends the capture and launches the graph: all of it is there.
    fn finish(self, during: &str) {
        let Self { backend, stream, values } = self;
        assert!(backend.is_capturing(stream).expect("the driver answers"), "{during} ended the capture");
        fill(&backend, stream, values.byte_add(200), 50, 7).expect("a launch that is recorded");
        let graph = backend.end_capture(stream).unwrap_or_else(|error| panic!("{during}: {error}"));
        // SAFETY: the memory of the graph lives.
        unsafe { backend.launch_graph(graph, stream) }.expect("a launch of the graph");
        let mut found = [0_u32; 100];
        backend.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
        let expected: Vec<u32> = [[6; 50], [7; 50]].concat();
        assert_eq!(found.as_slice(), expected, "a graph captured around {during}");
    }
}

/// Two backends on the device.
fn two(first: Arc<CudaBackend>) -> [Arc<CudaBackend>; 2] {
    let second = CudaBackend::open(0).expect("a second backend on the same device");
    [first, second]
}

#[test]
fn a_wait_for_the_device_is_refused_while_another_backend_captures() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let [capturing, other] = two(backend);
    let recording = Recording::begin_on(&capturing);
    let text = refusal("waiting for the device while another backend captures", other.synchronize());
    says(&text, &["synchronize", "capturing", "another in its context"]);
    recording.finish("a wait for the device");
    other.synchronize().expect("nothing captures");
}

#[test]
fn memory_that_another_backend_frees_is_given_back_after_the_capture() {
    const BYTES: usize = 64 << 20;
    let Some(backend) = cuda_alone_or_skip() else { return };
    let [capturing, other] = two(backend);
    let recording = Recording::begin_on(&capturing);
    let free = || other.memory_info().expect("the device answers").free;
    let before = free();
    let (memory, pinned) =
        (other.allocate(BYTES).expect("memory"), other.allocate_pinned(BYTES).expect("pinned memory"));
    // SAFETY: nothing uses the memory.
    unsafe { other.free(memory) }.expect("it is live");
    // SAFETY: as above.
    unsafe { other.free_pinned(pinned) }.expect("it is live");
    for backend in [&capturing, &other] {
        let refused = backend.copy_to_device(memory, &[1; 4]);
        says(&refusal("a copy to memory freed during a capture", refused), &["freed"]);
    }
    assert!(free() + BYTES <= before, "the driver was asked to free memory during a capture");
    recording.finish("memory that was freed");
    assert!(free() + (16 << 20) > before, "{before} bytes were free, and {} are after the capture", free());
}

#[test]
fn pinned_memory_freed_during_a_capture_waits_for_another_backends_work() {
    const BYTES: usize = 1 << 20;
    let Some(backend) = cuda_or_skip() else { return };
    let [capturing, other] = two(backend);
    let busy = other.create_stream(None).expect("a stream");
    let (blocker, device) = (word(&other), other.allocate(BYTES).expect("memory"));
    let pinned = other.allocate_pinned(BYTES).expect("pinned memory");
    // SAFETY: as many bytes, which nothing else uses.
    unsafe { pinned.as_ptr().write_bytes(5, BYTES) };
    let recording = Recording::begin_on(&capturing);
    late(&other, busy, blocker, 1, Duration::from_millis(50)).expect("a launch");
    // SAFETY: the memory is freed after the copy, for which the backend waits.
    unsafe { other.copy_to_device_retained(busy, device, pinned.as_ptr(), BYTES) }.expect("a copy");
    // SAFETY: nothing uses the memory but what is enqueued.
    unsafe { other.free_pinned(pinned) }.expect("it is live");
    recording.finish("pinned memory that was freed");
    // What takes its place must not be what is copied.
    let next = other.allocate_pinned(BYTES).expect("pinned memory");
    // SAFETY: as many bytes, which nothing else uses.
    unsafe { next.as_ptr().write_bytes(0xEE, BYTES) };
    let mut found = vec![0; BYTES];
    other.copy_to_host_on(busy, &mut found, device).expect("a copy back");
    assert!(found.iter().all(|byte| *byte == 5), "the memory was freed before it was read");
}

#[test]
fn a_backend_that_is_dropped_leaves_the_capture_of_another() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let [capturing, dropped] = two(backend);
    let recording = Recording::begin_on(&capturing);
    let stream = dropped.create_stream(None).expect("a stream");
    let memory = dropped.allocate(64 << 20).expect("memory");
    dropped.allocate_pinned(4096).expect("pinned memory");
    late(&dropped, stream, word(&dropped), 1, Duration::from_millis(20)).expect("a launch of its own module");
    dropped.copy_to_device_async(stream, memory, &[1; 4096]).expect("a copy through a block");
    late(&dropped, DEFAULT, word(&dropped), 1, Duration::from_millis(20)).expect("a launch");
    let free = || capturing.memory_info().expect("the device answers").free;
    let before = free();
    drop(dropped);
    recording.finish("a backend that was dropped");
    capturing.synchronize().expect("nothing captures");
    assert!(free() > before + (32 << 20), "{before} bytes were free, and {} are after the capture", free());
}

/// The driver, as another library calls it.
struct Elsewhere(Library);

impl Elsewhere {
    fn new() -> Self {
        // SAFETY: the driver is loaded already.
        Self(unsafe { Library::new("libcuda.so.1") }.expect("the driver is loaded already"))
    }

    /// A stream of the backend's context that waits for the default one.
    fn stream(&self, backend: &CudaBackend) -> StreamHandle {
        type Create = unsafe extern "C" fn(*mut u64, u32) -> u32;
        backend.bind_to_thread().expect("the context is there");
        let mut stream = 0;
        // SAFETY: the symbol has this type in every driver, and the handle, which is an address, outlives the call.
        let code =
            unsafe { self.0.get::<Create>("cuStreamCreate").expect("it is there")(&raw mut stream, 0) };
        assert_eq!(code, 0, "the driver makes a stream");
        StreamHandle::new(stream)
    }

    /// Ends a capture, and drops what was recorded.
    fn end_capture(&self, stream: StreamHandle) {
        type End = unsafe extern "C" fn(u64, *mut u64) -> u32;
        type Destroy = unsafe extern "C" fn(u64) -> u32;
        let mut graph = 0;
        // SAFETY: as above; the stream is live.
        let code = unsafe {
            self.0.get::<End>("cuStreamEndCapture").expect("it is there")(stream.get(), &raw mut graph)
        };
        assert_eq!(code, 0, "the driver ends the capture");
        // SAFETY: as above; the graph was just made.
        let code = unsafe { self.0.get::<Destroy>("cuGraphDestroy").expect("it is there")(graph) };
        assert_eq!(code, 0, "the driver drops the graph");
    }

    fn destroy(&self, stream: StreamHandle) {
        type Destroy = unsafe extern "C" fn(u64) -> u32;
        // SAFETY: as above; the stream is not used again.
        let code = unsafe { self.0.get::<Destroy>("cuStreamDestroy_v2").expect("it is there")(stream.get()) };
        assert_eq!(code, 0, "the driver destroys the stream");
    }
}

#[test]
fn a_lent_stream_that_is_released_while_it_captures_is_in_nobodys_way() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let [backend, other] = two(backend);
    let elsewhere = Elsewhere::new();
    let stream = elsewhere.stream(&backend);
    // SAFETY: the stream lives until it is released.
    unsafe { backend.adopt_stream(stream) }.expect("it can be lent");
    Recording::begin(Arc::clone(&backend), stream);
    backend.release_stream(stream);
    for backend in [&backend, &other] {
        backend.synchronize().expect("nothing captures");
    }
    // SAFETY: the stream lives until it is released.
    unsafe { other.adopt_stream(stream) }.expect("it can be lent");
    assert!(!other.is_capturing(stream).expect("the driver answers"));
    Recording::begin(Arc::clone(&other), stream).finish("a stream that was lent before");
    other.release_stream(stream);
    elsewhere.destroy(stream);
}

#[test]
fn a_capture_that_another_library_ended_is_in_nobodys_way() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let [capturing, other] = two(backend);
    let Recording { stream, .. } = Recording::begin_on(&capturing);
    Elsewhere::new().end_capture(stream);
    for backend in [&other, &capturing] {
        backend.synchronize().expect("nothing captures");
        let pinned = backend.allocate_pinned(4096).expect("pinned memory");
        // SAFETY: nothing uses the memory.
        unsafe { backend.free_pinned(pinned) }.expect("it is live");
    }
    says(&refusal("the end of a capture that has ended", capturing.end_capture(stream)), &["not capturing"]);
    Recording::begin(capturing, stream).finish("the capture before");
}

#[test]
fn the_default_stream_is_refused_while_a_stream_that_waits_for_it_captures() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let elsewhere = Elsewhere::new();
    let (stream, memory) = (elsewhere.stream(&backend), word(&backend));
    // SAFETY: the stream lives until it is released.
    unsafe { backend.adopt_stream(stream) }.expect("it can be lent");
    let recording = Recording::begin(Arc::clone(&backend), stream);
    for (what, refused) in [
        ("a copy", backend.copy_to_device(memory, &[1; 4])),
        ("an asynchronous copy", backend.copy_to_device_async(DEFAULT, memory, &[1; 4])),
        ("a wait", backend.synchronize_stream(DEFAULT)),
    ] {
        let text = refusal(&format!("{what} on the default stream while a stream waits for it"), refused);
        says(&text, &["waits for the default one is capturing", "use another stream"]);
    }
    recording.finish("work on the default stream");
    backend.copy_to_device(memory, &[1; 4]).expect("the default stream is usable again");
    backend.release_stream(stream);
    elsewhere.destroy(stream);
}

#[test]
fn a_lent_stream_that_joined_a_capture_does_not_end_it_when_it_is_released() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let elsewhere = Elsewhere::new();
    let lent = elsewhere.stream(&backend);
    // SAFETY: the stream lives until it is released.
    unsafe { backend.adopt_stream(lent) }.expect("it can be lent");
    let recording = Recording::begin_on(&backend);
    backend.stream_wait_stream(lent, recording.stream).expect("it joins");
    backend.stream_wait_stream(recording.stream, lent).expect("it is joined back");
    backend.release_stream(lent);
    recording.finish("a stream that was released");
    elsewhere.destroy(lent);
}

#[test]
fn no_copy_is_lost_to_a_capture_that_begins_meanwhile() {
    /// Of each.
    const LEAST: u32 = 1000;
    let Some(backend) = cuda_or_skip() else { return };
    let (stream, memory) = (backend.create_stream(None).expect("a stream"), word(&backend));
    let (captures, copies) = (AtomicU32::new(0), AtomicU32::new(0));
    let go_on = || captures.load(Ordering::Relaxed) < LEAST || copies.load(Ordering::Relaxed) < LEAST;
    // Until it is not refused for a capture.
    let again = |operation: &mut dyn FnMut() -> warpcall::Result<()>| {
        loop {
            match operation() {
                Ok(()) => return,
                Err(Error::Capture { .. }) => std::thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
    };
    std::thread::scope(|scope| {
        let copying = scope.spawn(|| {
            while go_on() {
                let number = copies.fetch_add(1, Ordering::Relaxed);
                let mut source = number.to_ne_bytes();
                again(&mut || backend.copy_to_device_async(stream, memory, &source));
                source.fill(0xEE);
                let mut found = [0_u8; 4];
                again(&mut || backend.copy_to_host_on(stream, &mut found, memory));
                assert_eq!(u32::from_ne_bytes(found), number, "the copy became part of a capture");
            }
        });
        while go_on() && !copying.is_finished() {
            let captured = backend.begin_capture(stream).and_then(|()| backend.abandon_capture(stream));
            if captured.is_err() {
                // The other thread ends as well.
                copies.store(LEAST, Ordering::Relaxed);
                captures.store(LEAST, Ordering::Relaxed);
            }
            captured.expect("captures that are given up");
            captures.fetch_add(1, Ordering::Relaxed);
            std::thread::yield_now();
        }
    });
    cuda_support::say(format_args!("CAPTURE | {copies:?} copies beside {captures:?} captures, none lost"));
}
