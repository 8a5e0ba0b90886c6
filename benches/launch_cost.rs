//! What the host side of a launch costs, over a backend that does nothing.
//!
//! `cargo bench --bench launch_cost` measures, in one process and interleaved, the generated function and the builder
//! against filling a stack array by hand and calling through a pointer, and against a builder that grows `Vec`s and
//! packs into more `Vec`s.
//!
//! `launch_cost --only WAY CALLS` makes that many calls of one way and nothing else, to be run under an instruction counter:
//! `scripts/count_instructions.sh` does.

use std::ffi::c_void;
use std::hint::black_box;

use warpcall::{DevicePtr, GpuBackend, KernelHandle, KernelLaunch, LaunchConfig, StreamRef};
use warpcall_benches::by_hand::{self, LaunchRaw};
use warpcall_benches::kernels::{SIX, SIXTEEN, launch_six, launch_sixteen};
use warpcall_benches::{Way, interleaved, print_table, vec_builder};
use warpcall_tests::null_backend::NullBackend;

/// The arguments of both kernels, hidden from the optimiser at each call.
#[derive(Clone, Copy)]
struct Values {
    ptr: DevicePtr,
    count: u32,
    scale: f32,
    long: u64,
}

struct Setup<'a> {
    backend: &'a NullBackend,
    launch_raw: LaunchRaw<'a>,
    six: KernelHandle,
    sixteen: KernelHandle,
    config: LaunchConfig,
    values: Values,
}

type Launch = fn(&Setup<'_>, StreamRef<'_>, Values) -> warpcall::Result<()>;

const SIX_WAYS: [(&str, Launch); 4] = [
    ("by hand", |setup, stream, v| {
        let slots = [
            v.ptr.address(),
            v.ptr.address(),
            v.ptr.address(),
            v.count.into(),
            v.count.into(),
            v.scale.to_bits().into(),
        ];
        by_hand::launch(setup.launch_raw, setup.six, &setup.config, stream.handle(), slots)
    }),
    ("generated", |setup, stream, v| {
        let mut output = v.ptr;
        // SAFETY: the backend runs nothing.
        unsafe { launch_six(&stream, setup.config, &mut output, &v.ptr, &v.ptr, v.count, v.count, v.scale) }
    }),
    ("KernelLaunch", |setup, stream, v| {
        let mut launch = KernelLaunch::new(setup.backend, setup.six);
        launch.config(setup.config).arg_ptr(v.ptr).arg_ptr(v.ptr).arg_ptr(v.ptr);
        launch.arg_u32(v.count).arg_u32(v.count).arg_f32(v.scale);
        // SAFETY: the backend runs nothing.
        unsafe { launch.launch(&stream) }
    }),
    ("Vec builder", |setup, stream, v| {
        vec_builder::Builder::new()
            .ptr(v.ptr.address())
            .ptr(v.ptr.address())
            .ptr(v.ptr.address())
            .bytes(&v.count.to_le_bytes())
            .bytes(&v.count.to_le_bytes())
            .bytes(&v.scale.to_le_bytes())
            .launch(setup.launch_raw, setup.six, &setup.config, stream.handle())
    }),
];

const SIXTEEN_WAYS: [(&str, Launch); 4] = [
    ("by hand", |setup, stream, v| {
        let (p, n, f) = (v.ptr.address(), u64::from(v.count), u64::from(v.scale.to_bits()));
        let slots = [p, p, p, p, p, n, n, n, n, f, f, v.long, n, 1, f64::from(v.scale).to_bits(), p];
        by_hand::launch(setup.launch_raw, setup.sixteen, &setup.config, stream.handle(), slots)
    }),
    ("generated", |setup, stream, v| {
        let (mut a, mut b, p, n, f) = (v.ptr, v.ptr, v.ptr, v.count, v.scale);
        // SAFETY: the backend runs nothing.
        unsafe {
            launch_sixteen(
                &stream,
                setup.config,
                &mut a,
                &p,
                &p,
                &p,
                &p,
                n,
                n,
                n,
                n,
                f,
                f,
                v.long,
                n.cast_signed(),
                true,
                f.into(),
                &mut b,
            )
        }
    }),
    ("KernelLaunch", |setup, stream, v| {
        let (p, n, f) = (v.ptr, v.count, v.scale);
        let mut launch = KernelLaunch::new(setup.backend, setup.sixteen);
        launch.config(setup.config).arg_ptr(p).arg_ptr(p).arg_ptr(p).arg_ptr(p).arg_ptr(p);
        launch.arg_u32(n).arg_u32(n).arg_u32(n).arg_u32(n).arg_f32(f).arg_f32(f).arg_u64(v.long);
        launch.arg_i32(n.cast_signed()).arg(true).arg_f64(f.into()).arg_ptr(p);
        // SAFETY: the backend runs nothing.
        unsafe { launch.launch(&stream) }
    }),
    ("Vec builder", |setup, stream, v| {
        let (p, n, f) = (v.ptr.address(), v.count.to_le_bytes(), v.scale.to_le_bytes());
        vec_builder::Builder::new()
            .ptr(p)
            .ptr(p)
            .ptr(p)
            .ptr(p)
            .ptr(p)
            .bytes(&n)
            .bytes(&n)
            .bytes(&n)
            .bytes(&n)
            .bytes(&f)
            .bytes(&f)
            .bytes(&v.long.to_le_bytes())
            .bytes(&n)
            .bytes(&[1])
            .bytes(&f64::from(v.scale).to_le_bytes())
            .ptr(p)
            .launch(setup.launch_raw, setup.sixteen, &setup.config, stream.handle())
    }),
];

fn repeat(setup: &Setup<'_>, launch: Launch, calls: usize) {
    let stream = StreamRef::default_of(black_box(setup.backend));
    for _ in 0..calls {
        let launched = launch(setup, stream, black_box(setup.values));
        assert!(launched.is_ok(), "the backend that does nothing refused a launch");
    }
}

fn main() -> warpcall::Result<()> {
    let backend = NullBackend::new();
    let launch_raw = |kernel, config: &LaunchConfig, stream, params: &[*mut c_void]| {
        // SAFETY: the backend runs nothing.
        unsafe { warpcall::backend::LaunchKernels::launch_raw(&backend, kernel, config, stream, params) }
    };
    let setup = Setup {
        backend: &backend,
        launch_raw: black_box(&launch_raw),
        six: SIX.resolve(&backend as &dyn GpuBackend)?,
        sixteen: SIXTEEN.resolve(&backend as &dyn GpuBackend)?,
        config: LaunchConfig::new(64, 256),
        values: Values { ptr: DevicePtr::new(0x7000), count: 4096, scale: 1e-5, long: 1 << 40 },
    };

    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [option, way, calls] = &words[..]
        && option == "--only"
    {
        let calls = calls.parse().unwrap_or_else(|_| panic!("`{calls}` is not a number of calls"));
        let (_, launch) = SIX_WAYS
            .into_iter()
            .find(|(name, _)| name == way)
            .unwrap_or_else(|| panic!("no way `{way}`; there are {:?}", SIX_WAYS.map(|(name, _)| name)));
        repeat(&setup, launch, calls);
        return Ok(());
    }

    for (title, ways) in [("6 arguments", SIX_WAYS), ("16 arguments", SIXTEEN_WAYS)] {
        let mut runs = ways.map(|(_, launch)| {
            let setup = &setup;
            move |calls| repeat(setup, launch, calls)
        });
        let mut named: Vec<_> = ways
            .iter()
            .zip(&mut runs)
            .map(|((name, _), run)| Way { name, run: run as &mut dyn FnMut(usize) })
            .collect();
        print_table(title, &interleaved(&mut named, 2000, 500, || ()));
    }
    Ok(())
}
