//! What the tools of `warpcall::diagnose` add to the host side of a launch, over a backend that does nothing.
//!
//! `cargo bench --bench diagnose_cost` measures them in one process and interleaved, on a launch with three buffers and
//! three numbers.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warpcall::diagnose::{Call, Hazards, Layer, Layered, Spans, Trace};
use warpcall::{DeviceMut, DevicePtr, DeviceRef, DeviceSpan, GpuBackend, LaunchConfig, StreamRef};
use warpcall_benches::kernels::launch_six;
use warpcall_benches::{Way, interleaved, print_table};
use warpcall_tests::null_backend::NullBackend;

/// A layer that hands out addresses, and does nothing else.
#[derive(Debug, Default)]
struct Addresses(AtomicU64);

// SAFETY: the backend follows no address.
unsafe impl Layer for Addresses {
    fn name(&self) -> &'static str {
        "addresses"
    }

    fn allocate(&self, _: &Call<'_>, bytes: usize) -> warpcall::Result<DevicePtr> {
        Ok(DevicePtr::new(0x1000_0000 + self.0.fetch_add(bytes as u64, Ordering::Relaxed)))
    }
}

const MEGABYTE: usize = 1 << 20;

/// A megabyte at this address.
struct Megabyte(DevicePtr);

// SAFETY: the backend follows no address.
unsafe impl<T> DeviceRef<T> for Megabyte {
    fn span(&self) -> DeviceSpan {
        DeviceSpan { ptr: self.0, bytes: Some(MEGABYTE), backend: None }
    }
}

// SAFETY: as above.
unsafe impl<T> DeviceMut<T> for Megabyte {
    fn span_mut(&mut self) -> DeviceSpan {
        DeviceSpan { ptr: self.0, bytes: Some(MEGABYTE), backend: None }
    }
}

fn repeat(backend: &dyn GpuBackend, memory: [DevicePtr; 3], calls: usize) {
    let stream = StreamRef::default_of(black_box(backend));
    let config = LaunchConfig::new(64, 256);
    let [mut output, x, y] = memory.map(Megabyte);
    for _ in 0..calls {
        let (rows, columns, scale) = black_box((64, 4096, 1e-5));
        // SAFETY: the backend runs nothing.
        let launched = unsafe { launch_six(&stream, config, &mut output, &x, &y, rows, columns, scale) };
        assert!(launched.is_ok(), "the backend that does nothing refused a launch");
    }
}

fn main() {
    let nothing = || -> Arc<dyn GpuBackend> { Arc::new(NullBackend::new()) };
    let addresses = || -> Arc<dyn GpuBackend> { Arc::new(Layered::new(nothing(), Addresses::default())) };
    let backends = [
        ("no layer", nothing()),
        ("a layer that does nothing", addresses()),
        ("trace, around that", Arc::new(Layered::new(addresses(), Trace::default()))),
        ("spans without a subscriber, around that", Arc::new(Layered::new(addresses(), Spans))),
        ("hazards, around that", Arc::new(Layered::new(addresses(), Hazards::new().layer()))),
    ];
    let mut runs = Vec::new();
    for (_, backend) in &backends {
        let mut memory = [DevicePtr::new(0x1000); 3];
        for ptr in &mut memory {
            // Without a layer there is no memory, and an address does.
            *ptr = backend.allocate(MEGABYTE).unwrap_or(*ptr);
        }
        runs.push(move |calls| repeat(&**backend, memory, calls));
    }
    let mut ways: Vec<_> = backends
        .iter()
        .zip(&mut runs)
        .map(|((name, _), run)| Way { name, run: run as &mut dyn FnMut(usize) })
        .collect();
    print_table("a launch with 6 arguments", &interleaved(&mut ways, 1000, 200, || ()));
}
