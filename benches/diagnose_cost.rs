//! What the tools of `warpcall::diagnose` add to a launch with three buffers and three numbers.
//!
//! `cargo bench --bench diagnose_cost` measures them in one process and interleaved: over a backend that does nothing, and where there
//! is one over a CUDA device with a kernel that does nothing. The device is drained after each batch, outside of the measured time; the
//! synchronous checking alone waits within.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context as _;
use warpcall::diagnose::{
    Faults, Hazards, Layer, Layered, Ledger, RedZones, Spans, SyncCheck, Trace, TraceOptions,
};
use warpcall::{Buffer, CudaBackend, Gpu, GpuBackend, LaunchConfig, Result, Stream};
use warpcall_benches::kernels::launch_six;
use warpcall_benches::{Way, interleaved, print_table};
use warpcall_tests::null_backend::NullBackend;

const CALLS: usize = 200;

/// A layer that does nothing.
#[derive(Debug)]
struct Nothing;

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }
}

type Backend = Arc<dyn GpuBackend>;

fn around(backend: Backend, layer: impl Layer) -> Backend {
    Arc::new(Layered::new(backend, layer))
}

/// What is measured: a name, and what is put around the backend.
type Tool = (&'static str, fn(Backend) -> Result<Backend>);

const TOOLS: &[Tool] = &[
    ("no layer", Ok),
    ("no layer, again", Ok),
    ("a layer that does nothing", |backend| Ok(around(backend, Nothing))),
    ("spans without a subscriber", |backend| Ok(around(backend, Spans))),
    ("ledger", |backend| Ok(around(backend, Ledger::new()))),
    ("red zones", |backend| Ok(around(backend, RedZones::new(256)?))),
    ("faults, none planned", |backend| Ok(around(backend, Faults::new()))),
    ("hazards", |backend| Ok(around(backend, Hazards::new().layer()))),
    ("trace", |backend| Ok(around(backend, Trace::default()))),
    ("trace with device times", |backend| {
        Ok(around(backend, Trace::new(TraceOptions::default().device_times(true))))
    }),
    ("synchronous checking", |backend| Ok(around(backend, SyncCheck))),
];

/// A backend with a tool around it, and what a launch takes.
struct Bench {
    gpu: Gpu,
    stream: Stream,
    output: Buffer<f32>,
    input: Buffer<f32>,
    weight: Buffer<f32>,
}

impl Bench {
    fn new(backend: Backend) -> Result<Self> {
        let gpu = Gpu::from_backend(backend);
        let [output, input, weight] = [gpu.zeros(4096)?, gpu.zeros(4096)?, gpu.zeros(4096)?];
        Ok(Self { stream: gpu.default_stream(), gpu, output, input, weight })
    }

    fn repeat(&mut self, calls: usize) {
        let Self { stream, output, input, weight, .. } = self;
        for _ in 0..calls {
            let (rows, columns, eps) = black_box((64, 4096, 1e-5));
            let config = LaunchConfig::new(1, 32);
            // SAFETY: the kernel does nothing.
            let launched = unsafe { launch_six(stream, config, output, input, weight, rows, columns, eps) };
            assert!(launched.is_ok(), "a launch of a kernel that does nothing was refused: {launched:?}");
        }
    }
}

/// Measures all tools around a backend.
fn measure(title: &str, batches: usize, backend: &Backend) -> Result<()> {
    let benches = TOOLS.iter().map(|(_, put)| Bench::new(put(backend.clone())?));
    let mut benches: Vec<Bench> = benches.collect::<Result<_>>()?;
    let gpus: Vec<Gpu> = benches.iter().map(|bench| bench.gpu.clone()).collect();
    let mut runs: Vec<_> = benches.iter_mut().map(|bench| |calls| bench.repeat(calls)).collect();
    let mut ways: Vec<_> = TOOLS
        .iter()
        .zip(&mut runs)
        .map(|((name, _), run)| Way { name, run: run as &mut dyn FnMut(usize) })
        .collect();
    let settle = || {
        for gpu in &gpus {
            let drained = gpu.synchronize();
            assert!(drained.is_ok(), "the device could not be drained: {drained:?}");
        }
    };
    print_table(title, &interleaved(&mut ways, batches, CALLS, settle));
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let nothing: Backend = Arc::new(NullBackend::new());
    measure("a launch with 6 arguments, on a backend that does nothing", 1000, &nothing)?;
    let cuda: Backend = match CudaBackend::open(0) {
        Ok(cuda) => cuda,
        Err(error) if std::env::var_os("WARPCALL_REQUIRE_CUDA").is_none_or(|value| value != "1") => {
            println!("not measured on a device: {error}");
            return Ok(());
        }
        Err(error) => return Err(error).context("WARPCALL_REQUIRE_CUDA=1"),
    };
    let title = format!("a launch with 6 arguments, on {}", Gpu::from_backend(cuda.clone()).label());
    measure(&title, 300, &cuda)?;
    Ok(())
}
