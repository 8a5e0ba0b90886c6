//! What the driver is asked for by a launch, on one that notes launches.

use std::ffi::c_void;
use std::sync::Arc;

use crate::backend::cuda::CudaBackend;
use crate::backend::cuda::driver::code;
use crate::backend::cuda::fake_driver::{DYNAMIC, Device, FakeLaunch, STATIC};
use crate::backend::{KernelHandle, KernelLookup as _, LaunchKernels as _, StreamHandle, Streams as _};
use crate::device::StreamRef;
use crate::error::{Error, Result};
use crate::launch::{KernelLaunch, LaunchConfig};

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .entry k()\n{\n    ret;\n}\n\
    .visible .entry two(.param .u64 a, .param .u32 b )\n{\n    ret;\n}\n";
const ON: StreamHandle = StreamHandle::new(0x1000);
/// `CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH` and `_CLUSTER_LAUNCH`.
const COOPERATIVE: i32 = 95;
const CLUSTERS: i32 = 120;

fn kernel(backend: &CudaBackend, name: &str) -> KernelHandle {
    // Known already, with the same code, to the second call.
    backend.load_module("m", PTX).expect("PTX");
    backend.find_kernel("m", name).expect("it is there")
}

fn launch(backend: &CudaBackend, kernel: KernelHandle, config: LaunchConfig) -> Result<()> {
    // SAFETY: nothing is executed.
    unsafe { backend.launch_raw(kernel, &config, ON, &[]) }
}

/// The call of a launch of `[2,3,4]` blocks of `[32,2,1]` threads.
fn asked(call: &'static str, shared_mem: u32, attributes: &[(u32, [u32; 3])]) -> FakeLaunch {
    let (grid, block) = ([2, 3, 4], [32, 2, 1]);
    FakeLaunch { call, grid, block, shared_mem, stream: ON.get(), attributes: attributes.to_vec() }
}

fn config() -> LaunchConfig {
    LaunchConfig::new([2, 3, 4], [32, 2])
}

fn count(calls: &[&str], call: &str) -> usize {
    calls.iter().filter(|found| **found == call).count()
}

#[test]
fn each_attribute_is_passed_by_its_number_and_belongs_to_one_launch() {
    let device = Device::new();
    let backend = device.open_later();
    let k = kernel(&backend, "k");
    // `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`, `_COOPERATIVE`, `_PROGRAMMATIC_STREAM_SERIALIZATION` and `_PRIORITY`.
    let (cluster, cooperative, programmatic, priority) =
        ((4, [2, 3, 1]), (2, [1, 0, 0]), (6, [1, 0, 0]), (8, [(-3_i32).cast_unsigned(), 0, 0]));
    let all = config().shared_mem(100).cluster([2, 3]).cooperative().programmatic().priority(-3);
    for (config, attributes) in [
        (all, &[cluster, cooperative, programmatic, priority][..]),
        (config().cluster([2, 3]), &[cluster]),
        (config().cooperative(), &[cooperative]),
        (config().programmatic(), &[programmatic]),
        (config().priority(-3), &[priority]),
    ] {
        launch(&backend, k, config).expect("nothing refuses");
        assert_eq!(device.launches(), [asked("cuLaunchKernelEx", config.shared_mem, attributes)]);
    }
    launch(&backend, k, config().shared_mem(8)).expect("nothing refuses");
    assert_eq!(device.launches(), [asked("cuLaunchKernel", 8, &[])]);
}

#[test]
fn an_attribute_that_the_driver_or_the_device_has_not_is_refused_and_not_dropped() {
    let refused = |device: Device, backend: &CudaBackend, config| {
        let k = kernel(backend, "k");
        assert!(matches!(launch(backend, k, config), Err(Error::Unsupported { .. })), "{config}");
        assert_eq!(device.launches(), []);
    };
    let device = Device::new();
    let old = device.open();
    launch(&old, kernel(&old, "k"), config().cooperative()).expect("a driver of 11.4 has it");
    assert_eq!(device.launches(), [asked("cuLaunchCooperativeKernel", 0, &[])]);
    for config in [config().cluster(2), config().programmatic(), config().priority(0)] {
        refused(device, &old, config);
        refused(device, &old, config.cooperative());
    }
    let device = Device::new();
    device.lacks(COOPERATIVE);
    refused(device, &device.open_later(), config().cooperative());
    let device = Device::new();
    device.lacks(CLUSTERS);
    refused(device, &device.open_later(), config().cluster(2));
}

#[test]
fn a_priority_that_the_device_has_not_is_refused_and_not_cut() {
    let device = Device::new();
    let backend = device.open_later();
    let k = kernel(&backend, "k");
    for priority in [-5, 0] {
        launch(&backend, k, config().priority(priority)).expect("it is one of the device's");
    }
    assert_eq!(device.launches().len(), 2);
    for priority in [-6, 1] {
        let refused = launch(&backend, k, config().priority(priority));
        assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{priority}: {refused:?}");
        assert!(backend.create_stream(Some(priority)).is_err());
    }
    assert_eq!(device.launches(), []);
}

#[test]
fn a_raw_launch_is_compared_with_what_its_handle_stands_for() {
    let device = Device::new();
    let [backend, other] = [device.open(), device.open()];
    let (two, mut slot) = (kernel(&backend, "two"), 0_u64);
    let raw = |backend: &CudaBackend, stream, params: &[*mut c_void]| {
        // SAFETY: nothing is executed.
        unsafe { backend.launch_raw(two, &config(), stream, params) }
    };
    let param = (&raw mut slot).cast();
    raw(&backend, ON, &[param; 2]).expect("nothing refuses");
    device.launches();
    for count in [0, 1, 3] {
        match raw(&backend, ON, &vec![param; count]) {
            Err(Error::ArgumentCount { expected: 2, found, .. }) => assert_eq!(found, count),
            other => panic!("{count} arguments: {other:?}"),
        }
    }
    assert!(matches!(raw(&other, ON, &[param; 2]), Err(Error::UnknownHandle { what: "kernel", .. })));
    for number in [1, 2] {
        let refused = raw(&backend, StreamHandle::new(number), &[param; 2]);
        assert!(matches!(refused, Err(Error::InvalidArgument { .. })), "{number}: {refused:?}");
    }
    assert_eq!(device.launches(), []);
}

#[test]
fn arguments_without_a_declaration_are_compared_with_the_image() {
    let device = Device::new();
    let backend = device.open();
    let two = kernel(&backend, "two");
    let stream = StreamRef::new(&*backend, StreamHandle::DEFAULT);
    let mut launch = KernelLaunch::new(&*backend, two);
    launch.arg_u64(1);
    // SAFETY: nothing is executed, here and below.
    let refused = unsafe { launch.launch(&stream) };
    assert!(matches!(refused, Err(Error::ArgumentCount { expected: 2, found: 1, .. })), "{refused:?}");
    launch.arg_u64(2);
    // SAFETY: as above.
    match unsafe { launch.launch(&stream) } {
        Err(Error::Argument { kernel, parameter, expected, found }) => {
            assert_eq!((&*kernel, &*parameter, &*expected, &*found), ("two", "#1", "4 bytes", "8 bytes"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(device.launches(), []);
    let mut launch = KernelLaunch::new(&*backend, two);
    // SAFETY: as above.
    unsafe { launch.arg_u64(1).arg_u32(2).launch(&stream) }.expect("nothing refuses");
    assert_eq!(device.launches().len(), 1);
}

#[test]
fn the_limit_of_dynamic_shared_memory_is_raised_once_and_to_what_the_static_part_leaves() {
    // What the fake device allows a block.
    const MOST: u32 = (1 << 16) - STATIC;
    let device = Device::new();
    let backend = device.open();
    let k = kernel(&backend, "k");
    let raised = |bytes| {
        device.calls();
        let launched = launch(&backend, k, config().shared_mem(bytes));
        (launched.is_ok(), count(&device.calls(), "cuFuncSetAttribute"))
    };
    assert_eq!(raised(DYNAMIC), (true, 0));
    assert_eq!(raised(MOST + 1), (false, 1), "the driver refuses it");
    assert_eq!(raised(MOST + 1), (false, 0), "it is raised already");
    assert_eq!(raised(MOST), (true, 0));
    assert_eq!(raised(0), (true, 0), "and not lowered");
    assert_eq!(raised(DYNAMIC + 1), (true, 0));
    assert_eq!(backend.kernel_attributes(k).expect("they are known").max_dynamic_shared_mem, MOST);

    // Many threads that need it at once.
    let device = Device::new();
    let backend = device.open();
    let k = kernel(&backend, "k");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| launch(&backend, k, config().shared_mem(MOST)).expect("nothing refuses"));
        }
    });
    assert_eq!((device.launches().len(), count(&device.calls(), "cuFuncSetAttribute")), (8, 1));
}

#[test]
fn occupancy_is_asked_with_the_limit_that_launches_have() {
    let device = Device::new();
    let backend = device.open();
    let k = kernel(&backend, "k");
    backend.occupancy(k, 64, DYNAMIC).expect("nothing refuses");
    assert_eq!(count(&device.calls(), "cuFuncSetAttribute"), 0);
    backend.occupancy(k, 64, DYNAMIC + 1).expect("nothing refuses");
    let calls = device.calls();
    let place = |call| calls.iter().position(|found| *found == call);
    let set = place("cuFuncSetAttribute").expect("the limit is raised first");
    assert!(Some(set) < place("cuOccupancyMaxActiveBlocksPerMultiprocessor"), "{calls:?}");
}

#[test]
fn a_launch_asks_the_driver_for_nothing_else() {
    let device = Device::new();
    let backend = device.open();
    let k = kernel(&backend, "k");
    launch(&backend, k, config()).expect("nothing refuses");
    device.calls();
    launch(&backend, k, config()).expect("nothing refuses");
    assert_eq!(device.calls(), ["cuLaunchKernel"]);
    // A thread that has not seen the backend makes its context current, once.
    std::thread::scope(|scope| {
        scope.spawn(|| (0..2).for_each(|_| launch(&backend, k, config()).expect("nothing refuses")));
    });
    assert_eq!(device.calls(), ["cuCtxSetCurrent", "cuLaunchKernel", "cuLaunchKernel"]);
}

#[test]
fn a_launch_is_repeated_where_the_thread_had_lost_the_context_and_only_there() {
    let [device, elsewhere] = [Device::new(), Device::new()];
    let backend = device.open();
    let k = kernel(&backend, "k");
    launch(&backend, k, config()).expect("nothing refuses");
    elsewhere.bind_elsewhere();
    launch(&backend, k, config()).expect("the context is made current again");
    assert_eq!((device.launches().len(), elsewhere.launches().len()), (2, 0));
    for refusal in [code::INVALID_CONTEXT, code::INVALID_HANDLE, code::INVALID_VALUE] {
        device.answer("cuLaunchKernel", Some(refusal));
        device.calls();
        match launch(&backend, k, config()) {
            Err(Error::Driver { call: "cuLaunchKernel", code, .. }) => assert_eq!(code, refusal),
            other => panic!("{refusal}: {other:?}"),
        }
        assert_eq!(count(&device.calls(), "cuLaunchKernel"), 1, "{refusal}: the context was current");
    }
}

#[test]
fn two_backends_take_turns_on_one_thread() {
    let devices = [Device::new(), Device::new()];
    let backends: Vec<Arc<CudaBackend>> = devices.iter().map(|device| device.open()).collect();
    let kernels: Vec<_> = backends.iter().map(|backend| kernel(backend, "k")).collect();
    for _ in 0..3 {
        for (backend, k) in backends.iter().zip(&kernels) {
            launch(backend, *k, config()).expect("its own context is current");
        }
    }
    assert_eq!(devices.map(|device| device.launches().len()), [3, 3]);
}

#[test]
fn a_primary_context_is_given_back_once_however_opening_ends() {
    let released = |device: Device| count(&device.calls(), "cuDevicePrimaryCtxRelease");
    let device = Device::new();
    let backend = device.open();
    assert_eq!(released(device), 0);
    drop(backend);
    assert_eq!(released(device), 1);
    device.refuse("cuMemGetInfo", true);
    device.try_open().expect_err("it is refused");
    assert_eq!(released(device), 1, "what was retained in vain");
}
