//! What a launch costs on a CUDA device, beside the raw driver call and the builders it is compared with.
//!
//! All ways run in one process, in turn, and launch kernels that do nothing. The stream is drained after each batch, outside of
//! the measured time. `cuda_launch [FOLDER]` also writes the figures (`launch_cost.csv`) and a plot (`launch_cost.svg`) there.

// Counts and times become ratios of three digits.
#![allow(clippy::cast_precision_loss)]

use std::ffi::c_void;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::time::Instant;

use anyhow::{Context, ensure};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use warpcall::{Buffer, Gpu, KernelHandle, LaunchConfig, Stream, StreamHandle};
use warpcall_benches::kernels::{SIX, launch_six, launch_sixteen};
use warpcall_benches::{Measured, Way, interleaved, median, plot, print_table, vec_builder};

const BATCHES: usize = 1200;
const CALLS: usize = 200;
const LENGTH: usize = 1024;

/// The driver's own handles, for the raw calls.
struct Raw {
    six: sys::CUfunction,
    sixteen: sys::CUfunction,
}

/// Loads the kernels with the driver alone, in the context that is current.
fn load_raw(ptx: &str) -> anyhow::Result<Raw> {
    let ptx = std::ffi::CString::new(ptx)?;
    let mut module = std::ptr::null_mut();
    // SAFETY: the text ends with a zero, and a context is current.
    unsafe { sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()) }.result()?;
    let function = |name: &std::ffi::CStr| -> anyhow::Result<sys::CUfunction> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the module was just loaded and is never unloaded.
        unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) }.result()?;
        Ok(function)
    };
    Ok(Raw { six: function(c"six")?, sixteen: function(c"sixteen")? })
}

fn launch_raw<const N: usize>(
    function: sys::CUfunction,
    config: &LaunchConfig,
    stream: StreamHandle,
    slots: [u64; N],
) {
    let mut params = [std::ptr::null_mut::<c_void>(); N];
    for (param, slot) in params.iter_mut().zip(&slots) {
        *param = std::ptr::from_ref(slot).cast_mut().cast();
    }
    let (grid, block) = (config.grid, config.block);
    // SAFETY: the slots are the kernel's parameters, and the kernel does nothing.
    let result = unsafe {
        sys::cuLaunchKernel(
            function,
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            config.shared_mem,
            stream.get() as sys::CUstream,
            params.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS, "the driver refused a launch");
}

/// The same kernels in cudarc: a stream of its own, functions and buffers.
struct Cudarc {
    stream: Arc<CudaStream>,
    six: CudaFunction,
    sixteen: CudaFunction,
    floats: Vec<cudarc::driver::CudaSlice<f32>>,
    integers: cudarc::driver::CudaSlice<i32>,
}

impl Cudarc {
    fn new(ptx: &str, tracking: bool) -> anyhow::Result<Self> {
        let context = CudaContext::new(0)?;
        if !tracking {
            // SAFETY: each buffer is used on one stream alone.
            unsafe { context.disable_event_tracking() };
        }
        let stream = context.new_stream()?;
        let module = context.load_module(Ptx::from_src(ptx))?;
        Ok(Self {
            six: module.load_function("six")?,
            sixteen: module.load_function("sixteen")?,
            floats: (0..5).map(|_| stream.alloc_zeros(LENGTH)).collect::<Result<_, _>>()?,
            integers: stream.alloc_zeros(LENGTH)?,
            stream,
        })
    }

    fn config() -> cudarc::driver::LaunchConfig {
        cudarc::driver::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 }
    }

    fn launch_six(&mut self, rows: u32, eps: f32) {
        let [output, input, weight, ..] = &mut self.floats[..] else { return };
        let mut launch = self.stream.launch_builder(&self.six);
        launch.arg(output).arg(&*input).arg(&*weight).arg(&rows).arg(&rows).arg(&eps);
        // SAFETY: the arguments are the kernel's, which does nothing.
        let launched = unsafe { launch.launch(Self::config()) };
        assert!(launched.is_ok(), "cudarc refused a launch");
    }

    fn launch_sixteen(&mut self, n: u32, f: f32) {
        let [a, b, c, d, e] = &mut self.floats[..] else { return };
        let (long, int, flag, double) = (1_u64 << 40, 7_i32, true, f64::from(f));
        let mut launch = self.stream.launch_builder(&self.sixteen);
        launch.arg(a).arg(&*b).arg(&*c).arg(&*d).arg(&self.integers).arg(&n).arg(&n).arg(&n).arg(&n);
        launch.arg(&f).arg(&f).arg(&long).arg(&int).arg(&flag).arg(&double).arg(e);
        // SAFETY: the arguments are the kernel's, which does nothing.
        let launched = unsafe { launch.launch(Self::config()) };
        assert!(launched.is_ok(), "cudarc refused a launch");
    }
}

/// The arguments as warpcall holds them.
struct Arguments {
    floats: [Buffer<f32>; 5],
    integers: Buffer<i32>,
}

impl Arguments {
    fn new(gpu: &Gpu) -> warpcall::Result<Self> {
        let [a, b, c, d, e] = std::array::from_fn(|_| gpu.zeros(LENGTH));
        Ok(Self { floats: [a?, b?, c?, d?, e?], integers: gpu.zeros(LENGTH)? })
    }

    fn launch_six(&mut self, stream: &Stream, config: LaunchConfig, rows: u32, eps: f32) {
        let [output, input, weight, ..] = &mut self.floats;
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch_six(stream, config, output, input, weight, rows, rows, eps) };
        assert!(launched.is_ok(), "the driver refused a launch");
    }

    fn launch_sixteen(&mut self, stream: &Stream, config: LaunchConfig, n: u32, f: f32) {
        let [a, b, c, d, e] = &mut self.floats;
        // SAFETY: the kernel does nothing.
        let launched = unsafe {
            launch_sixteen(
                stream,
                config,
                a,
                b,
                c,
                d,
                &self.integers,
                n,
                n,
                n,
                n,
                f,
                f,
                1 << 40,
                7,
                true,
                f64::from(f),
                e,
            )
        };
        assert!(launched.is_ok(), "the driver refused a launch");
    }
}

fn repeat(calls: usize, mut launch: impl FnMut(u32, f32)) {
    for _ in 0..calls {
        launch(std::hint::black_box(4096), std::hint::black_box(1e-5));
    }
}

fn one_thread(gpu: &Gpu, raw: &Raw, ptx: &str, arguments_count: usize) -> anyhow::Result<Vec<Measured>> {
    let stream = gpu.create_stream()?;
    let config = LaunchConfig::new(1, 32);
    let mut arguments = Arguments::new(gpu)?;
    let addresses = arguments.floats.each_ref().map(|buffer| buffer.device_ptr().address());
    let integers = arguments.integers.device_ptr().address();
    let mut tracked = Cudarc::new(ptx, true)?;
    let mut untracked = Cudarc::new(ptx, false)?;
    let handle: KernelHandle = match arguments_count {
        6 => SIX.resolve(&**gpu)?,
        _ => warpcall_benches::kernels::SIXTEEN.resolve(&**gpu)?,
    };
    let backend = gpu.backend().clone();
    let raw_through_backend = move |kernel, config: &LaunchConfig, stream, params: &[*mut c_void]| {
        // SAFETY: the parameters are the kernel's, which does nothing.
        unsafe { backend.launch_raw(kernel, config, stream, params) }
    };

    let six_slots =
        |n: u32, f: f32| [addresses[0], addresses[1], addresses[2], n.into(), n.into(), f.to_bits().into()];
    let sixteen_slots = |n: u32, f: f32| {
        let (n, f_bits) = (u64::from(n), u64::from(f.to_bits()));
        let [a, b, c, d, e] = addresses;
        [a, b, c, d, integers, n, n, n, n, f_bits, f_bits, 1 << 40, 7, 1, f64::from(f).to_bits(), e]
    };
    let raw_call = |n: u32, f: f32| match arguments_count {
        6 => launch_raw(raw.six, &config, stream.handle(), six_slots(n, f)),
        _ => launch_raw(raw.sixteen, &config, stream.handle(), sixteen_slots(n, f)),
    };
    let vec_call = |n: u32, f: f32| {
        let mut builder = vec_builder::Builder::default();
        let pointers = if arguments_count == 6 { 3 } else { 5 };
        for address in addresses.iter().chain([&integers]).take(pointers) {
            builder = builder.ptr(*address);
        }
        if arguments_count == 6 {
            builder = builder.bytes(&n.to_le_bytes()).bytes(&n.to_le_bytes()).bytes(&f.to_le_bytes());
        } else {
            for _ in 0..4 {
                builder = builder.bytes(&n.to_le_bytes());
            }
            builder =
                builder.bytes(&f.to_le_bytes()).bytes(&f.to_le_bytes()).bytes(&(1_u64 << 40).to_le_bytes());
            builder = builder
                .bytes(&7_i32.to_le_bytes())
                .bytes(&[1])
                .bytes(&f64::from(f).to_le_bytes())
                .ptr(addresses[4]);
        }
        let launched = builder.launch(&raw_through_backend, handle, &config, stream.handle());
        assert!(launched.is_ok(), "the driver refused a launch");
    };

    let mut run_raw = |calls| repeat(calls, raw_call);
    let mut run_again = |calls| repeat(calls, raw_call);
    let mut run_generated = |calls| {
        repeat(calls, |n, f| match arguments_count {
            6 => arguments.launch_six(&stream, config, n, f),
            _ => arguments.launch_sixteen(&stream, config, n, f),
        });
    };
    let mut run_untracked = |calls| {
        repeat(calls, |n, f| match arguments_count {
            6 => untracked.launch_six(n, f),
            _ => untracked.launch_sixteen(n, f),
        });
    };
    let mut run_tracked = |calls| {
        repeat(calls, |n, f| match arguments_count {
            6 => tracked.launch_six(n, f),
            _ => tracked.launch_sixteen(n, f),
        });
    };
    let mut run_vec = |calls| repeat(calls, vec_call);
    let mut ways = [
        Way { name: "raw cuLaunchKernel", run: &mut run_raw },
        Way { name: "raw again", run: &mut run_again },
        Way { name: "warpcall, generated", run: &mut run_generated },
        Way { name: "cudarc, tracking off", run: &mut run_untracked },
        Way { name: "Vec builder", run: &mut run_vec },
        Way { name: "cudarc, as new_stream leaves it", run: &mut run_tracked },
    ];
    let settle = || {
        let drained = gpu.synchronize();
        assert!(drained.is_ok(), "the device could not be drained");
    };
    Ok(interleaved(&mut ways, BATCHES, CALLS, settle))
}

/// Nanoseconds a launch, over all threads together, for the raw call and the generated function in turn; each thread launches on a
/// stream of its own.
fn threads(gpu: &Gpu, raw: &Raw, count: usize) -> anyhow::Result<(f64, f64)> {
    let rounds = 60;
    let config = LaunchConfig::new(1, 32);
    let (start, end) = (Barrier::new(count + 1), Barrier::new(count + 1));
    let function = raw.six as usize;
    let mut times = [Vec::new(), Vec::new()];
    let streams: Vec<_> = (0..count).map(|_| gpu.create_stream()).collect::<Result<_, _>>()?;
    let arguments: Vec<_> = (0..count).map(|_| Arguments::new(gpu)).collect::<Result<_, _>>()?;
    std::thread::scope(|scope| -> anyhow::Result<()> {
        for (stream, mut arguments) in streams.iter().zip(arguments) {
            let (start, end) = (&start, &end);
            scope.spawn(move || {
                let bound = gpu.bind_to_thread();
                assert!(bound.is_ok(), "the context could not be bound");
                let addresses = arguments.floats.each_ref().map(|buffer| buffer.device_ptr().address());
                for round in 0..2 * rounds {
                    start.wait();
                    if round % 2 == 0 {
                        repeat(CALLS, |n, f| {
                            let slots = [
                                addresses[0],
                                addresses[1],
                                addresses[2],
                                n.into(),
                                n.into(),
                                f.to_bits().into(),
                            ];
                            launch_raw(function as sys::CUfunction, &config, stream.handle(), slots);
                        });
                    } else {
                        repeat(CALLS, |n, f| arguments.launch_six(stream, config, n, f));
                    }
                    end.wait();
                }
            });
        }
        for round in 0..2 * rounds {
            gpu.synchronize()?;
            start.wait();
            let began = Instant::now();
            end.wait();
            times[round % 2].push(began.elapsed().as_secs_f64() * 1e9 / (CALLS * count) as f64);
        }
        Ok(())
    })?;
    let [raw, generated] = times;
    let ratio = median(generated.iter().zip(&raw).map(|(generated, raw)| generated / raw).collect());
    Ok((median(raw), ratio))
}

/// A graph of 256 launches, by the driver alone.
fn capture_raw(stream: sys::CUstream, launch: impl Fn()) -> anyhow::Result<sys::CUgraphExec> {
    let (mut graph, mut executable) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the stream is alive and not capturing.
    unsafe { sys::cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED) }
        .result()?;
    for _ in 0..256 {
        launch();
    }
    // SAFETY: the capture began above, and the handles outlive the calls.
    unsafe {
        sys::cuStreamEndCapture(stream, &raw mut graph).result()?;
        sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0).result()?;
    }
    Ok(executable)
}

/// The host's time for launching a graph of 256 kernels, owned, over the raw call.
fn graphs(gpu: &Gpu, raw: &Raw) -> anyhow::Result<Vec<Measured>> {
    let stream = gpu.create_stream()?;
    let mut arguments = Arguments::new(gpu)?;
    let addresses = arguments.floats.each_ref().map(|buffer| buffer.device_ptr().address());
    let graph = stream.capture(|stream| {
        for _ in 0..256 {
            arguments.launch_six(stream, LaunchConfig::new(1, 32), 4096, 1e-5);
        }
        Ok(())
    })?;
    let raw_stream = stream.handle().get() as sys::CUstream;
    let raw_graph = capture_raw(raw_stream, || {
        let [output, input, weight, ..] = addresses;
        let slots = [output, input, weight, 4096, 4096, 1e-5_f32.to_bits().into()];
        launch_raw(raw.six, &LaunchConfig::new(1, 32), stream.handle(), slots);
    })?;
    let mut run_raw = |calls| {
        for _ in 0..calls {
            // SAFETY: the graph and the stream are alive, and so are the buffers that the graph names.
            let result = unsafe { sys::cuGraphLaunch(raw_graph, raw_stream) };
            assert_eq!(result, sys::CUresult::CUDA_SUCCESS, "the driver refused a graph");
        }
    };
    let mut run_owned = |calls| {
        for _ in 0..calls {
            // SAFETY: the buffers that the graph names are alive.
            let launched = unsafe { graph.launch(&stream) };
            assert!(launched.is_ok(), "the driver refused a graph");
        }
    };
    let mut ways = [
        Way { name: "raw cuGraphLaunch", run: &mut run_raw },
        Way { name: "Graph::launch", run: &mut run_owned },
    ];
    Ok(interleaved(&mut ways, 300, 4, || {
        let drained = gpu.synchronize();
        assert!(drained.is_ok(), "the device could not be drained");
    }))
}

fn main() -> anyhow::Result<()> {
    let folder: Option<PathBuf> =
        std::env::args().skip(1).find(|word| !word.starts_with('-')).map(Into::into);
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) if std::env::var_os("WARPCALL_REQUIRE_CUDA").is_none_or(|value| value != "1") => {
            println!("not measured: {error}");
            return Ok(());
        }
        Err(error) => return Err(error).context("WARPCALL_REQUIRE_CUDA=1"),
    };
    println!("{}", gpu.label());
    gpu.bind_to_thread()?;
    let image = SIX.module().image().context("the kernels' PTX is embedded")?;
    let ptx = std::str::from_utf8(image.bytes)?;
    let raw = load_raw(ptx)?;

    let mut csv = String::from("arguments,way,median_ns,ratio_to_raw\n");
    let mut bars = Vec::new();
    for count in [6, 16] {
        let measured = one_thread(&gpu, &raw, ptx, count)?;
        print_table(&format!("{count} arguments, {BATCHES} batches of {CALLS}"), &measured);
        for row in &measured {
            writeln!(csv, "{count},\"{}\",{:.1},{:.4}", row.name, row.median_ns, row.ratio)?;
            bars.push((format!("{}, {count} args", row.name), row.ratio));
        }
        let ratio_of = |name: &str| {
            measured.iter().find(|row| row.name.starts_with(name)).map_or(f64::NAN, |row| row.median_ns)
        };
        println!("  generated over cudarc as it comes: {:.3}", ratio_of("warpcall") / ratio_of("cudarc, as"));
    }
    println!("threads, each on a stream of its own, 6 arguments");
    for count in [1, 2, 4, 8] {
        let (raw_ns, ratio) = threads(&gpu, &raw, count)?;
        println!("  {count}: raw {raw_ns:.0} ns a launch in aggregate, generated over raw {ratio:.3}");
    }
    print_table("a graph of 256 kernels, host time", &graphs(&gpu, &raw)?);

    if let Some(folder) = folder {
        write(&folder, &csv, &bars)?;
    }
    Ok(())
}

fn write(folder: &Path, csv: &str, bars: &[(String, f64)]) -> anyhow::Result<()> {
    ensure!(folder.is_dir(), "{} is not a folder", folder.display());
    std::fs::write(folder.join("launch_cost.csv"), csv)?;
    plot::bars(&folder.join("launch_cost.svg"), "Host time of one launch over raw cuLaunchKernel", "x", bars)
}
