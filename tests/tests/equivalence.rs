//! The central property: what a generated function emits is what a launch built by hand emits, and both are the bytes
//! that the declaration's types have by C's rules.
//!
//! The declarations, their arguments and the expected bytes are written by `generator/`, whose model of layout shares
//! no code with the crate. `WARPCALL_GENERATOR_SEED` names another seed than the usual one while it is built.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpcall::backend::host::HostBackend;
use warpcall::backend::mock::{MockBackend, RecordedArg, RecordedLaunch};
use warpcall::{DevicePtr, GpuBackend, Kernel, KernelLaunch, LaunchConfig, Result, StreamRef};
use warpcall_tests::null_backend::NullBackend;

#[path = "equivalence/bits.rs"]
mod bits;
#[path = "equivalence/expected.rs"]
mod expected;
#[path = "equivalence/record.rs"]
mod record;

use bits::Bits;
use expected::{Expected, slots_and_starts};
use record::Record;

/// Structs, declarations, host functions and launches, as they are generated.
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    missing_docs,
    unreachable_pub,
    private_interfaces
)]
#[allow(unused)]
mod generated {
    use float8::{F8E4M3, F8E5M2};
    use half::{bf16, f16};
    use warpcall::*;

    use super::{Bits, Case, Expected, Record, Run};

    include!(concat!(env!("OUT_DIR"), "/structs.rs"));
    include!(concat!(env!("OUT_DIR"), "/equivalence.rs"));
}

use generated::CASES;

/// One declared kernel, with a function that launches it twice with the same arguments.
pub(crate) struct Case {
    kernel: &'static Kernel,
    /// Built by hand first, then by the generated function.
    launch: fn(&mut Run<'_>) -> Result<()>,
    arguments: &'static [Expected],
}

/// What the function of a case launches on.
pub(crate) struct Run<'a> {
    backend: &'a dyn GpuBackend,
    config: LaunchConfig,
    pointers: Vec<DevicePtr>,
    built: Option<KernelLaunch<'a>>,
}

impl<'a> Run<'a> {
    fn new(backend: &'a dyn GpuBackend, pointers: Vec<DevicePtr>) -> Self {
        let config = LaunchConfig::new([5, 3, 2], [32, 2, 1]).shared_mem(512);
        Self { backend, config, pointers, built: None }
    }

    /// The address to pass for the parameter at this place.
    pub(crate) fn pointer(&self, place: usize) -> DevicePtr {
        self.pointers[place]
    }

    /// The stream.
    pub(crate) fn stream(&self) -> StreamRef<'a> {
        StreamRef::default_of(self.backend)
    }

    /// The configuration of both launches.
    pub(crate) fn config(&self) -> LaunchConfig {
        self.config
    }

    /// A launch to be built by hand.
    pub(crate) fn begin(&mut self, kernel: &'static Kernel) -> Result<&mut KernelLaunch<'a>> {
        let launch = self.built.insert(KernelLaunch::new(self.backend, kernel.resolve(self.backend)?));
        Ok(launch.config(self.config))
    }

    /// Launches what was built.
    pub(crate) fn launch_built(&self) -> Result<()> {
        let built = self.built.as_ref().expect("a launch was begun");
        // SAFETY: no device executes it; the backends of these tests check what they run.
        unsafe { built.launch(&self.stream()) }
    }
}

/// Says something that the test harness does not swallow.
fn report(what: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

fn parameters() -> usize {
    CASES.iter().map(|case| case.arguments.len()).sum()
}

#[test]
fn the_generated_program_is_as_large_as_it_should_be() {
    assert!(CASES.len() >= 600, "{} declarations", CASES.len());
    let lengths: std::collections::HashSet<_> = CASES.iter().map(|case| case.arguments.len()).collect();
    for length in 0..=47 {
        assert!(lengths.contains(&length), "no declaration has {length} parameters");
    }
    for case in CASES {
        assert_eq!(case.kernel.parameters().len(), case.arguments.len(), "{}", case.kernel);
        for (parameter, argument) in case.kernel.parameters().iter().zip(case.arguments) {
            assert_eq!(parameter.size(), argument.bytes().len(), "{}: {}", case.kernel, parameter.name());
        }
    }
}

#[test]
fn generated_functions_emit_what_is_built_by_hand_and_what_c_says() {
    let mock = MockBackend::new().expect("the host has memory");
    for Case { kernel, launch, arguments } in CASES {
        let mut run = Run::new(&*mock, arguments.iter().map(Expected::address).collect());
        launch(&mut run).unwrap_or_else(|error| panic!("{kernel}: {error}"));
        let launches = mock.launches();
        mock.clear_calls();

        let [built, generated] = &launches[..] else { panic!("{kernel}: {} launches", launches.len()) };
        let emitted = |launch: &RecordedLaunch| {
            (launch.args.clone(), launch.slots.clone(), launch.starts.clone(), launch.config, launch.stream)
        };
        assert_eq!(emitted(generated), emitted(built), "{kernel}: generated and built by hand");

        let args: Vec<RecordedArg> = arguments.iter().map(Expected::recorded).collect();
        let (slots, starts) = slots_and_starts(arguments);
        assert_eq!(generated.args, args, "{kernel}: the arguments");
        assert_eq!(generated.slots, slots, "{kernel}: the slots");
        assert_eq!(generated.starts, starts, "{kernel}: the starts");
        assert_eq!(generated.config, run.config(), "{kernel}: the configuration");
        assert_eq!(generated.handle, built.handle, "{kernel}: the kernel");
        assert_eq!(generated.kernel, kernel.name());
        assert_eq!(generated.module, kernel.module().name());
    }
    report(format_args!(
        "{} generated declarations with {} parameters (seed {}): generated, built by hand and by C's rules, all equal",
        CASES.len(),
        parameters(),
        env!("WARPCALL_GENERATOR_SEED"),
    ));
}

#[test]
fn the_raw_form_has_one_pointer_to_each_argument() {
    for Case { kernel, launch, arguments } in CASES {
        let backend = NullBackend::new();
        let mut run = Run::new(&backend, arguments.iter().map(Expected::address).collect());
        launch(&mut run).unwrap_or_else(|error| panic!("{kernel}: {error}"));
        let first_bytes: u64 = arguments.iter().map(|argument| u64::from(argument.bytes()[0])).sum();
        assert_eq!((backend.launches(), backend.first_bytes()), (2, 2 * first_bytes), "{kernel}");
    }
}

#[test]
fn host_functions_decode_the_bits_that_were_passed() {
    let host = HostBackend::new();
    let host: &dyn GpuBackend = &host;
    for Case { kernel, launch, arguments } in CASES {
        let pointers: Vec<DevicePtr> = arguments.iter().map(|argument| placed(host, argument)).collect();
        let mut run = Run::new(host, pointers.clone());
        launch(&mut run).unwrap_or_else(|error| panic!("{kernel}: {error}"));

        let records = std::mem::take(&mut *kept());
        let [built, generated] = &records[..] else { panic!("{kernel}: {} calls", records.len()) };
        // Each call turns round what it may write, so the second finds it so.
        for (record, turned, way) in [(built, false, "built by hand"), (generated, true, "generated")] {
            let decoded: Vec<_> = arguments.iter().map(|argument| argument.decoded(turned)).collect();
            assert_eq!(record.arguments, decoded, "{kernel}, {way}: what the host function was given");
            assert!(record.config.is_none_or(|config| config == run.config()), "{kernel}, {way}");
        }
        for (argument, ptr) in arguments.iter().zip(&pointers) {
            let Expected::Pointer { content, .. } = argument else { continue };
            let mut left = vec![0; content.len()];
            host.copy_to_host(&mut left, *ptr).expect("the memory is there");
            assert_eq!(left, *content, "{kernel}: turned round twice");
            // SAFETY: nothing uses the memory any more.
            unsafe { host.free(*ptr) }.expect("the memory is there");
        }
    }
    report(format_args!(
        "{} host functions decoded the very bits of {} arguments",
        CASES.len(),
        parameters()
    ));
}

/// The memory that `argument` points to.
fn placed(host: &dyn GpuBackend, argument: &Expected) -> DevicePtr {
    let Expected::Pointer { content, .. } = argument else { return DevicePtr::NULL };
    let ptr = host.allocate(content.len()).expect("the host has memory");
    host.copy_to_device(ptr, content).expect("the memory is there");
    ptr
}

/// What host functions were given and nobody has looked at yet.
fn kept() -> MutexGuard<'static, Vec<Record>> {
    static KEPT: Mutex<Vec<Record>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
