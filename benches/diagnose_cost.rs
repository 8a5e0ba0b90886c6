//! What the tools of `warpcall::diagnose` add to the host side of a launch, over a backend that does nothing.
//!
//! `cargo bench --bench diagnose_cost` measures them in one process and interleaved, on a launch with three buffers and
//! three numbers.

use std::hint::black_box;
use std::sync::Arc;

use warpcall::diagnose::{Hazards, Layer, Layered};
use warpcall::{DeviceMut, DevicePtr, DeviceRef, DeviceSpan, GpuBackend, LaunchConfig, StreamRef};
use warpcall_benches::kernels::launch_six;
use warpcall_benches::{Way, interleaved, print_table};
use warpcall_tests::null_backend::NullBackend;

/// A layer that does nothing.
#[derive(Debug)]
struct Nothing;

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }
}

/// A megabyte at this address.
struct Megabyte(DevicePtr);

// SAFETY: the backend follows no address.
unsafe impl<T> DeviceRef<T> for Megabyte {
    fn span(&self) -> DeviceSpan {
        DeviceSpan { ptr: self.0, bytes: Some(1 << 20), backend: None }
    }
}

// SAFETY: as above.
unsafe impl<T> DeviceMut<T> for Megabyte {
    fn span_mut(&mut self) -> DeviceSpan {
        DeviceSpan { ptr: self.0, bytes: Some(1 << 20), backend: None }
    }
}

fn repeat(backend: &dyn GpuBackend, calls: usize) {
    let stream = StreamRef::default_of(black_box(backend));
    let config = LaunchConfig::new(64, 256);
    let [mut output, x, y] = [0x1000_0000, 0x2000_0000, 0x3000_0000].map(|at| Megabyte(DevicePtr::new(at)));
    for _ in 0..calls {
        let (rows, columns, scale) = black_box((64, 4096, 1e-5));
        // SAFETY: the backend runs nothing.
        let launched = unsafe { launch_six(&stream, config, &mut output, &x, &y, rows, columns, scale) };
        assert!(launched.is_ok(), "the backend that does nothing refused a launch");
    }
}

fn main() {
    let around =
        |wrap: &dyn Fn(Arc<dyn GpuBackend>) -> Arc<dyn GpuBackend>| wrap(Arc::new(NullBackend::new()));
    let backends = [
        ("no layer", around(&|null| null)),
        ("a layer that does nothing", around(&|null| Arc::new(Layered::new(null, Nothing)))),
        ("hazards", around(&|null| Arc::new(Layered::new(null, Hazards::new().layer())))),
    ];
    let mut runs = backends.each_ref().map(|(_, backend)| move |calls| repeat(&**backend, calls));
    let mut ways: Vec<_> = backends
        .iter()
        .zip(&mut runs)
        .map(|((name, _), run)| Way { name, run: run as &mut dyn FnMut(usize) })
        .collect();
    print_table("a launch with 6 arguments", &interleaved(&mut ways, 1000, 200, || ()));
}
