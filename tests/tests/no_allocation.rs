//! After the first launch of a kernel, which resolves it, a launch uses no heap memory: neither the generated function
//! nor the builder, up to the longest signature that real kernels have.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::hint::black_box;

use half::f16;
use warpcall::{
    DevicePtr, Float4, KernelLaunch, KernelParam, LaunchConfig, NullableRef, Result, StreamRef, TensorMap,
    kernel,
};
use warpcall_tests::null_backend::{ANY_KERNEL, NullBackend};

/// Counts what the calling thread allocates, and hands everything on.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends, its counter may be gone; nothing is measured then.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to the system's allocator unchanged; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller answers for the layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller answers for the layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller answers for the block and its layout.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller answers for the block and its layout.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(what: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    what();
    ALLOCATIONS.get() - before
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Shape {
    transposed: bool,
    extents: [u32; 3],
    stride: u64,
}

const SHAPE: Shape = Shape { transposed: true, extents: [2, 3, 5], stride: 7 };
const MAP: TensorMap = TensorMap::from_slots([11; 16]);
const PTR: DevicePtr = DevicePtr::new(0x7000);

#[kernel(module = "no_allocation")]
unsafe extern "C" {
    unsafe fn nothing();

    unsafe fn every_kind(
        output: *mut f32,
        input: *const c_void,
        #[nullable] bias: *const f16,
        #[nullable] mask: *const u8,
        truth: bool,
        half: f16,
        count: u32,
        scale: f64,
        vector: Float4,
        shape: Shape,
        map: TensorMap,
    );

    unsafe fn longest(
        p00: *mut f32,
        p01: *const f32,
        p02: *const f32,
        p03: *const f32,
        p04: u32,
        p05: u32,
        p06: u32,
        p07: u32,
        p08: u32,
        p09: u32,
        p10: u32,
        p11: u32,
        p12: u32,
        p13: u32,
        p14: u32,
        p15: u32,
        p16: u32,
        p17: u32,
        p18: u32,
        p19: u32,
        p20: f32,
        p21: f32,
        p22: f32,
        p23: f32,
        p24: f32,
        p25: f32,
        p26: f32,
        p27: f32,
        p28: f32,
        p29: f32,
        p30: u64,
        p31: u64,
        p32: u64,
        p33: u64,
        p34: u64,
        p35: u64,
        p36: u64,
        p37: u64,
        p38: u64,
        p39: u64,
        p40: bool,
        p41: bool,
        p42: bool,
        p43: bool,
        p44: bool,
        p45: bool,
        p46: TensorMap,
    );
}

/// A launch on this stream.
type Launch = fn(&StreamRef<'_>) -> Result<()>;

fn generated_nothing(stream: &StreamRef<'_>) -> Result<()> {
    // SAFETY: the backend executes nothing.
    unsafe { launch_nothing(stream, LaunchConfig::new(1, 1)) }
}

fn generated_every_kind(stream: &StreamRef<'_>) -> Result<()> {
    let mut output = black_box(PTR);
    let bias = NullableRef::<f16>::from(&PTR);
    // SAFETY: the backend executes nothing.
    unsafe {
        launch_every_kind(
            stream,
            LaunchConfig::new([4, 2, 1], 256).shared_mem(1024),
            &mut output,
            &PTR,
            bias,
            None,
            true,
            f16::ONE,
            3,
            0.5,
            Float4::new(1.0, 2.0, 3.0, 4.0),
            black_box(SHAPE),
            &MAP,
        )
    }
}

#[rustfmt::skip]
fn generated_longest(stream: &StreamRef<'_>) -> Result<()> {
    let mut output = black_box(PTR);
    // SAFETY: the backend executes nothing.
    unsafe {
        launch_longest(
            stream, LaunchConfig::new(1, 1),
            &mut output, &PTR, &PTR, &PTR,
            4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9,
            30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
            true, false, true, false, true, false, &MAP,
        )
    }
}

fn built_nothing(stream: &StreamRef<'_>) -> Result<()> {
    // SAFETY: the backend executes nothing.
    unsafe { KernelLaunch::new(stream.backend(), ANY_KERNEL).launch(stream) }
}

fn built_every_kind(stream: &StreamRef<'_>) -> Result<()> {
    let mut launch = KernelLaunch::new(stream.backend(), ANY_KERNEL);
    launch.grid([4, 2, 1]).block(256).shared_mem(1024);
    launch.arg_ptr(PTR).arg_ptr(PTR).arg_ptr(PTR).arg_ptr(DevicePtr::NULL);
    launch.arg(true).arg(f16::ONE).arg_u32(3).arg_f64(0.5).arg(Float4::new(1.0, 2.0, 3.0, 4.0));
    launch.arg(black_box(SHAPE)).arg_tensormap(&MAP);
    // SAFETY: the backend executes nothing.
    unsafe { launch.launch(stream) }
}

fn built_longest(stream: &StreamRef<'_>) -> Result<()> {
    let mut launch = KernelLaunch::new(stream.backend(), ANY_KERNEL);
    launch.arg_ptr(PTR).arg_ptr(PTR).arg_ptr(PTR).arg_ptr(PTR);
    for value in 4..20 {
        launch.arg_u32(value);
    }
    for value in [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9] {
        launch.arg_f32(value);
    }
    for value in 30..40 {
        launch.arg_u64(value);
    }
    for value in [true, false, true, false, true, false] {
        launch.arg(value);
    }
    launch.arg_tensormap(&MAP);
    // SAFETY: the backend executes nothing.
    unsafe { launch.launch(stream) }
}

#[test]
fn the_counter_counts() {
    let mut values = Vec::new();
    assert_eq!(allocations_of(|| values.push(black_box(1))), 1);
    assert_eq!(allocations_of(|| values.extend(black_box([2; 100]))), 1, "growing is counted too");
    assert_eq!(allocations_of(|| drop(black_box(values))), 0);
}

#[test]
fn a_launch_allocates_nothing_after_the_first() {
    const LAUNCHES: u64 = 1000;
    let ways: [(&str, Launch, Launch); 3] = [
        ("no parameters", generated_nothing, built_nothing),
        ("every kind of parameter", generated_every_kind, built_every_kind),
        ("47 parameters", generated_longest, built_longest),
    ];
    for (what, generated, built) in ways {
        let mut first_bytes = Vec::new();
        for (way, launch) in [("the generated function", generated), ("the builder", built)] {
            let backend = NullBackend::new();
            let stream = StreamRef::default_of(&backend);
            launch(&stream).expect("the backend takes every launch");

            let allocations = allocations_of(|| {
                for _ in 0..LAUNCHES {
                    assert!(launch(&stream).is_ok());
                }
            });

            assert_eq!(allocations, 0, "{way}, {what}: in {LAUNCHES} launches");
            assert_eq!(backend.launches(), LAUNCHES + 1, "{way}, {what}");
            first_bytes.push(backend.first_bytes());
        }
        assert_eq!(first_bytes[0], first_bytes[1], "{what}: both ways pass the same arguments");
    }
}
