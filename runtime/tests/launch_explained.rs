//! What is said of a launch that a driver refused without a reason: each limit it passes, and none that it keeps.

mod fake_backend;

use fake_backend::FakeBackend;
use warpcall::backend::{KernelAttributes, Occupancy};
use warpcall::{Error, Kernel, KernelLaunch, KernelParam, LaunchConfig, Module, Parameter, StreamRef};

static PLAIN: Kernel = Kernel::new(Module::new("explained"), "plain", &[]);

/// The limits that are named for a launch of `config`.
fn limits(backend: &FakeBackend, config: LaunchConfig) -> String {
    let mut launch = KernelLaunch::new(backend, PLAIN.resolve(backend).unwrap());
    // SAFETY: nothing is run.
    let refused = unsafe { launch.config(config).launch(&StreamRef::default_of(backend)) };
    match refused {
        Err(Error::LaunchRefused { kernel, limits, source, .. }) => {
            assert_eq!(&*kernel, "plain");
            assert!(matches!(*source, Error::Driver { .. }), "{source}");
            limits.into()
        }
        other => panic!("{other:?}"),
    }
}

fn with_attributes(change: impl FnOnce(&mut KernelAttributes)) -> FakeBackend {
    let mut attributes = KernelAttributes::new(1024);
    change(&mut attributes);
    let mut backend = FakeBackend::refusing();
    backend.attributes = Some(attributes);
    backend
}

#[test]
fn static_shared_memory_counts_with_the_dynamic() {
    let backend = with_attributes(|kernel| kernel.static_shared_mem = 1000);
    let most = 48 * 1024 - 1000;
    assert_eq!(limits(&backend, LaunchConfig::new(1, 1).shared_mem(most)), "");
    assert_eq!(
        limits(&backend, LaunchConfig::new(1, 1).shared_mem(most + 1)),
        "shared memory a block (1000 static and 48153 dynamic bytes) is 49153, and the device allows 49152"
    );
    let huge = limits(&backend, LaunchConfig::new(1, 1).shared_mem(u32::MAX));
    assert!(huge.contains("4294968295"), "{huge}");
}

#[test]
fn the_registers_of_all_threads_of_a_block_count() {
    let block = |threads: u32| LaunchConfig::new(1, threads);
    assert_eq!(limits(&with_attributes(|kernel| kernel.registers = 64), block(1024)), "");
    let backend = with_attributes(|kernel| kernel.registers = 65);
    assert_eq!(
        limits(&backend, block(1024)),
        "the registers of a block (65 a thread) is 66560, and the device allows 65536"
    );
    assert_eq!(limits(&backend, block(1008)), "");
}

#[test]
fn a_block_past_all_counting_is_explained_and_does_not_overflow() {
    let backend = with_attributes(|kernel| kernel.registers = 255);
    let config = LaunchConfig::new([u32::MAX; 3], [u32::MAX; 3]).cooperative().cluster([u32::MAX; 3]);
    let text = limits(&backend, config);
    for words in ["grid dimension z", "block dimension x", "the registers of a block", "a cluster has"] {
        assert!(text.contains(words), "{words} is not in: {text}");
    }
}

#[test]
fn the_kernels_own_limit_of_threads_is_named() {
    let backend = with_attributes(|kernel| kernel.max_threads_per_block = 512);
    assert_eq!(limits(&backend, LaunchConfig::new(1, 512)), "");
    assert_eq!(
        limits(&backend, LaunchConfig::new(1, [27, 19])),
        "the number of threads a block is 513, and the kernel allows 512"
    );
}

#[test]
fn a_cluster_of_more_than_eight_blocks_or_beside_the_grid_is_named() {
    let backend = FakeBackend::refusing();
    assert_eq!(limits(&backend, LaunchConfig::new([16, 2], 1).cluster([4, 2])), "");
    assert_eq!(
        limits(&backend, LaunchConfig::new(9, 1).cluster(9)),
        "a cluster has 9 blocks, and 8 is the most that every device with clusters allows"
    );
    assert_eq!(
        limits(&backend, LaunchConfig::new([4, 3], 1).cluster([2, 2])),
        "grid dimension y is 3, which clusters of 2 do not divide"
    );
    assert!(limits(&backend, LaunchConfig::new(4, 1).cluster(0)).starts_with("cluster dimension x is 0, "));
}

#[test]
fn a_dimension_of_zero_is_named() -> warpcall::Result<()> {
    let gpu = warpcall::Gpu::host()?;
    for (config, expected) in [
        (LaunchConfig::new(0, 20), "grid dimension x is 0, and a launch has at least 1"),
        (LaunchConfig::new(1, [4, 1, 0]), "block dimension z is 0, and a launch has at least 1"),
        (
            LaunchConfig::new(16, 32).cluster([1, 0, 1]),
            "cluster dimension y is 0, and a launch has at least 1",
        ),
    ] {
        let Err(Error::Limits { limits }) = gpu.check_config(&config) else {
            panic!("{config} is not launched")
        };
        assert_eq!(&*limits, expected);
    }
    gpu.check_config(&LaunchConfig::new(16, 32).cluster(2))
}

#[test]
fn a_cooperative_grid_that_is_not_resident_at_once_is_named() {
    let occupancy = Occupancy { blocks_per_multiprocessor: 2, blocks: 4 };
    let mut backend = FakeBackend::refusing();
    backend.occupancy = Some(occupancy);
    backend.properties.multiprocessors = 2;
    assert_eq!(limits(&backend, LaunchConfig::new([2, 2], 32).cooperative()), "");
    assert_eq!(limits(&backend, LaunchConfig::new(5, 32)), "", "others need not be");
    assert_eq!(
        limits(&backend, LaunchConfig::new(5, 32).cooperative()),
        "the grid of a cooperative launch has 5 blocks, and 4 are resident at once (2 on each of 2 multiprocessors)"
    );
}

#[test]
fn each_dimension_of_grid_and_block_has_its_own_limit() {
    let backend = FakeBackend::refusing();
    for (grid, words) in [
        ([0x8000_0000, 1, 1], "grid dimension x is 2147483648, and the device allows 2147483647"),
        ([1, 65_536, 1], "grid dimension y is 65536, and the device allows 65535"),
        ([1, 1, 65_536], "grid dimension z is 65536, and the device allows 65535"),
    ] {
        assert_eq!(limits(&backend, LaunchConfig::new(grid, 1)), words);
    }
    assert_eq!(
        limits(&backend, LaunchConfig::new(1, [1, 1, 65])),
        "block dimension z is 65, and the device allows 64"
    );
}

static VALUES: Kernel = Kernel::new(
    Module::new("explained"),
    "values",
    &[
        Parameter::value("a", "i8", i8::DESCRIPTION),
        Parameter::value("b", "i16", i16::DESCRIPTION),
        Parameter::value("c", "i32", i32::DESCRIPTION),
        Parameter::value("d", "i64", i64::DESCRIPTION),
        Parameter::value("e", "u8", u8::DESCRIPTION),
        Parameter::value("f", "bool", bool::DESCRIPTION),
        Parameter::value("g", "f32", f32::DESCRIPTION),
        Parameter::value("h", "f64", f64::DESCRIPTION),
    ],
);

#[test]
fn the_arguments_are_shown_with_their_signs() {
    let backend = FakeBackend::refusing();
    let mut launch = KernelLaunch::new(&backend, VALUES.resolve(&backend).unwrap());
    launch.arg(-2_i8).arg(-3_i16).arg(-4_i32).arg(-5_i64).arg(254_u8).arg(true).arg(-0.5_f32).arg(-1.5_f64);
    // SAFETY: nothing is run.
    match unsafe { launch.launch(&StreamRef::default_of(&backend)) } {
        Err(Error::LaunchRefused { arguments, .. }) => {
            assert_eq!(&*arguments, "a=-2, b=-3, c=-4, d=-5, e=254, f=true, g=-0.5, h=-1.5");
        }
        other => panic!("{other:?}"),
    }
}
