//! Streams, events, modules and tensor maps on a driver that notes its calls: who may use and destroy them, and what becomes of
//! them with the backend.

use crate::argument::DevicePtr;
use crate::backend::cuda::driver::{Code, code};
use crate::backend::cuda::fake_driver::Device;
use crate::backend::{
    DeviceMemory as _, Events as _, Graphs as _, KernelLookup as _, StreamHandle, Streams as _,
    TensorElement, TensorMaps as _, TiledTensor,
};
use crate::error::{Error, Result};
use crate::launch::Module;

fn is_unknown<T: std::fmt::Debug>(outcome: Result<T>) -> bool {
    match outcome {
        Ok(_) => false,
        Err(Error::UnknownHandle { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_lent_stream_is_used_until_it_is_released_as_often_as_it_was_adopted() {
    let device = Device::new();
    let (backend, stream) = (device.open(), device.foreign_stream());
    assert!(is_unknown(backend.synchronize_stream(stream)));
    for _ in 0..2 {
        // SAFETY: the stream lives, here and below.
        unsafe { backend.adopt_stream(stream) }.expect("it can be lent");
    }
    backend.release_stream(stream);
    assert!(!is_unknown(backend.synchronize_stream(stream)), "it was adopted once more");
    // SAFETY: nothing uses it.
    assert!(is_unknown(unsafe { backend.destroy_stream(stream) }), "somebody else destroys it");
    assert!(!is_unknown(backend.synchronize_stream(stream)));
    backend.release_stream(stream);
    backend.release_stream(stream);
    assert!(is_unknown(backend.synchronize_stream(stream)));
    drop(backend);
    assert!(!device.calls().contains(&"cuStreamDestroy"));
}

#[test]
fn a_stream_that_is_adopted_where_it_was_created_stays_its_creators() {
    let device = Device::new();
    let backend = device.open();
    let stream = backend.create_stream(None).expect("a stream");
    // SAFETY: the stream lives.
    unsafe { backend.adopt_stream(stream) }.expect("it is known");
    backend.release_stream(stream);
    assert!(!is_unknown(backend.synchronize_stream(stream)));
    // SAFETY: nothing uses it.
    unsafe { backend.destroy_stream(stream) }.expect("it is live");
    assert!(device.calls().contains(&"cuStreamDestroy"));
    assert!(is_unknown(backend.synchronize_stream(stream)));
}

#[test]
fn a_stream_that_is_created_does_not_wait_for_the_default_one() {
    let device = Device::new();
    let backend = device.open();
    let (stream, memory) =
        (backend.create_stream(None).expect("a stream"), backend.allocate(16).expect("memory"));
    backend.begin_capture(stream).expect("a capture");
    backend
        .synchronize_stream(StreamHandle::DEFAULT)
        .expect("its capture is no concern of the default stream");
    backend.end_capture(stream).expect("it went on");
    // SAFETY: nothing uses it.
    unsafe { backend.free(memory) }.expect("it is live");
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn time_is_taken_between_events_that_were_made_for_it_and_recorded() {
    let device = Device::new();
    let backend = device.open();
    let event = |timing| backend.create_event(timing).expect("an event");
    let (plain, start, end) = (event(false), event(true), event(true));
    assert_eq!(device.timed_events(), 2);
    let found = |outcome| match outcome {
        Err(Error::InvalidArgument { operation: "elapsed", found, .. }) => found,
        other => panic!("{other:?}"),
    };
    let record = |event| backend.record_event(event, StreamHandle::DEFAULT).expect("nothing refuses");
    record(plain);
    assert_eq!(&*found(backend.elapsed(start, end)), "one that was never recorded");
    record(start);
    assert_eq!(&*found(backend.elapsed(start, end)), "one that was never recorded");
    record(end);
    backend.elapsed(start, end).expect("both are recorded");
    for (start, end) in [(plain, end), (start, plain)] {
        assert_eq!(&*found(backend.elapsed(start, end)), "one without timing");
    }
    device.answer("cuEventElapsedTime", Some(code::NOT_READY));
    assert_eq!(&*found(backend.elapsed(start, end)), "one that is not reached yet");
    device.answer("cuEventQuery", Some(code::NOT_READY));
    assert!(!backend.is_event_done(end).expect("that is no error"));
    device.answer("cuEventQuery", Some(700));
    assert!(matches!(backend.is_event_done(end), Err(Error::Driver { code: 700, .. })));
}

#[test]
fn a_backend_that_closes_waits_for_its_work_before_it_destroys_anything() {
    let device = Device::new();
    let backend = device.open();
    backend.create_stream(None).and_then(|_| backend.create_event(false)).expect("nothing refuses");
    device.calls();
    drop(backend);
    let calls = device.calls();
    let place = |call| calls.iter().position(|found| *found == call).expect(call);
    for destroyed in ["cuStreamDestroy", "cuEventDestroy"] {
        assert!(place("cuCtxSynchronize") < place(destroyed), "{calls:?}");
    }
}

#[test]
fn a_backend_whose_context_is_gone_leaves_all_to_the_driver_and_is_in_nobodys_way() {
    let [device, elsewhere] = [Device::new(), Device::new()];
    let [backend, other] = [device.open(), device.open()];
    let stream = backend.create_stream(None).expect("a stream");
    backend.begin_capture(stream).expect("a capture");
    backend.create_event(false).and_then(|_| backend.allocate(16)).expect("nothing refuses");
    device.refuse("cuCtxSetCurrent", true);
    elsewhere.bind_elsewhere();
    let called = || [device.calls(), elsewhere.calls()].concat();
    called();
    drop(backend);
    let calls = called();
    assert!(calls.iter().all(|call| !call.contains("Destroy") && !call.contains("Free")), "{calls:?}");
    assert!(!other.captures.any(), "nobody ends its capture any more");
    device.refuse("cuCtxSetCurrent", false);
}

#[test]
fn a_capture_that_cannot_be_ended_is_forgotten_with_its_stream() {
    let device = Device::new();
    let backend = device.open();
    let stream = backend.create_stream(None).expect("a stream");
    backend.begin_capture(stream).expect("a capture");
    device.refuse("cuStreamEndCapture", true);
    // SAFETY: nothing uses it.
    unsafe { backend.destroy_stream(stream) }.expect("it is live");
    assert!(!backend.captures.any(), "the driver would be asked about a stream that is gone");
}

const PTX: &[u8] = b".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

#[test]
fn of_threads_that_ask_for_a_kernel_at_once_one_loads_it() {
    let device = Device::new();
    let backend = device.open();
    backend.load_module("m", PTX).expect("PTX");
    let all_there = std::sync::Barrier::new(8);
    let found: Vec<_> = std::thread::scope(|scope| {
        let find = || {
            all_there.wait();
            backend.find_kernel("m", "k").expect("it is there")
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(find)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(found.iter().all(|handle| *handle == found[0]), "{found:?}");
    assert_eq!(device.calls().iter().filter(|call| **call == "cuModuleLoadDataEx").count(), 1);
    drop(backend);
    assert_eq!(device.modules(), 0);
}

#[test]
fn what_failed_once_is_asked_for_again_and_loads_nothing_twice() {
    let device = Device::new();
    let backend = device.open();
    backend.load_module("m", PTX).expect("PTX");
    for call in ["cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute"] {
        device.refuse(call, true);
        let error = backend.find_kernel("m", "k").expect_err("it is refused").to_string();
        assert!(error.contains(call), "{error}");
        device.refuse(call, false);
    }
    backend.find_kernel("m", "k").expect("nothing refuses");
    assert_eq!(device.modules(), 1);
    let failed = backend.lookup_audit().failed();
    assert!(failed.is_empty(), "the kernel is there: {failed:?}");
}

#[test]
fn a_source_stands_in_for_an_image_that_does_not_fit_and_for_no_broken_one() {
    const PTX: &[u8] =
        b".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
    const BOTH: Module = Module::new("m").with_image("m.ptx", PTX).with_source("m.cu", "no C++");
    let refused = |answer: Code| {
        let device = Device::new();
        let backend = device.open();
        backend.register_module(BOTH).expect("it is new");
        device.answer("cuModuleLoadDataEx", Some(answer));
        backend.find_kernel("m", "k").expect_err("it is not loaded").to_string()
    };
    // `CUDA_ERROR_NO_BINARY_FOR_GPU`, `_JIT_COMPILER_NOT_FOUND`, `_UNSUPPORTED_PTX_VERSION` and `_JIT_COMPILATION_DISABLED`.
    for answer in [209, 221, 222, 223] {
        let error = refused(answer);
        assert!(error.contains("m.ptx was not taken") && error.contains("its source m.cu"), "{error}");
    }
    // `CUDA_ERROR_INVALID_IMAGE`, `_INVALID_PTX`, and one that nobody knows.
    for answer in [200, 218, 4711] {
        let error = refused(answer);
        assert!(error.contains(&answer.to_string()) && !error.contains("m.cu"), "{error}");
    }
}

#[test]
fn an_image_that_is_cut_off_is_not_shown_to_the_driver_and_can_be_tried_again() {
    let device = Device::new();
    let backend = device.open();
    let mut fatbin = vec![0_u8; 64];
    fatbin[..4].copy_from_slice(&0xBA55_ED50_u32.to_le_bytes());
    (fatbin[4], fatbin[6], fatbin[8]) = (1, 16, 100);
    backend.load_module("m", fatbin).expect("it is noted");
    for _ in 0..2 {
        let error = backend.find_kernel("m", "k").expect_err("it is cut off").to_string();
        assert!(error.contains("116 bytes, of which 64 are there"), "{error}");
    }
    assert!(!device.calls().contains(&"cuModuleLoadDataEx"));
    assert!(backend.module_origin("m").is_none(), "it is not loaded");
}

#[test]
fn a_tensor_map_is_checked_before_the_driver_sees_it() {
    /// `CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED`.
    const TENSOR_MAPS: i32 = 127;
    let tensor = TiledTensor::new(DevicePtr::new(0x1000), TensorElement::F32, [64_u64, 8], [16_u32, 8]);
    let mut wrong = tensor.clone();
    wrong.tile[0] = 257;
    let device = Device::new();
    let (backend, old) = (device.open_later(), device.open());
    device.calls();
    assert!(matches!(backend.encode_tensor_map(&wrong), Err(Error::InvalidArgument { .. })));
    assert!(matches!(old.encode_tensor_map(&tensor), Err(Error::Unsupported { .. })));
    let lacking = Device::new();
    lacking.lacks(TENSOR_MAPS);
    assert!(matches!(lacking.open_later().encode_tensor_map(&tensor), Err(Error::Unsupported { .. })));
    for device in [device, lacking] {
        assert!(!device.calls().contains(&"cuTensorMapEncodeTiled"));
    }
    backend.encode_tensor_map(&tensor).expect("nothing refuses");
    assert!(device.calls().contains(&"cuTensorMapEncodeTiled"));
}
