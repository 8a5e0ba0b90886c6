//! Memory whose owner orders the work that uses it: a launch begins each use before it and ends it after.

use std::cell::RefCell;
use std::rc::Rc;

use warpcall::backend::mock::CallKind;
use warpcall::{
    Buffer, DeviceMut, DeviceRef, DeviceSpan, Error, Gpu, LaunchConfig, MemoryUse, MockBackend, NullableMut,
    NullableRef, Result, StreamHandle, StreamRef, TrackedRead, TrackedWrite, kernel,
};

#[kernel(module = "tracked")]
unsafe extern "C" {
    unsafe fn combine(
        output: *mut f32,
        left: *const f32,
        #[nullable] right: *const f32,
        #[nullable] statistics: *mut f32,
        scale: f32,
    );
}

/// What happened, in order.
type Log = Rc<RefCell<Vec<String>>>;

/// Memory that notes each use of it.
struct Noting {
    name: &'static str,
    memory: Buffer<f32>,
    mock: std::sync::Arc<MockBackend>,
    log: Log,
    refuses: bool,
    cannot_end: bool,
}

impl Noting {
    fn note(&self, what: &str, stream: StreamHandle) {
        let (name, launches) = (self.name, self.mock.launches().len());
        self.log.borrow_mut().push(format!("{what} {name} on {} after {launches} launches", stream.get()));
    }

    fn begin(&self, kind: &str, stream: StreamRef<'_>) -> Result<MemoryUse<'_>> {
        if self.refuses {
            return Err(Error::Capture { operation: "launch", problem: "it is not allowed".into() });
        }
        self.note(kind, stream.handle());
        let stream = stream.handle();
        Ok(MemoryUse::with_end(DeviceRef::<f32>::span(&self.memory), move || {
            self.note("end", stream);
            if self.cannot_end {
                return Err(Error::Capture { operation: "end", problem: format!("of {}", self.name).into() });
            }
            Ok(())
        }))
    }
}

impl TrackedRead for Noting {
    fn span(&self) -> DeviceSpan {
        DeviceRef::<f32>::span(&self.memory)
    }

    fn begin_read<'a>(&'a self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>> {
        self.begin("read", stream)
    }
}

impl TrackedWrite for Noting {
    fn span_mut(&mut self) -> DeviceSpan {
        DeviceRef::<f32>::span(&self.memory)
    }

    fn begin_write<'a>(&'a mut self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>> {
        self.begin("write", stream)
    }
}

// SAFETY: the memory is a buffer's.
unsafe impl DeviceRef<f32> for Noting {
    fn span(&self) -> DeviceSpan {
        panic!("a launch asks tracked memory for its place when it begins the use")
    }

    fn tracked(&self) -> Option<&dyn TrackedRead> {
        Some(self)
    }
}

// SAFETY: as above, and it is held exclusively.
unsafe impl DeviceMut<f32> for Noting {
    fn span_mut(&mut self) -> DeviceSpan {
        panic!("a launch asks tracked memory for its place when it begins the use")
    }

    fn tracked_mut(&mut self) -> Option<&mut dyn TrackedWrite> {
        Some(self)
    }
}

struct Bench {
    gpu: Gpu,
    mock: std::sync::Arc<MockBackend>,
    log: Log,
}

impl Bench {
    fn new() -> Result<Self> {
        let mock = MockBackend::new()?;
        Ok(Self { gpu: Gpu::from_backend(mock.clone()), mock, log: Log::default() })
    }

    fn memory(&self, name: &'static str) -> Result<Noting> {
        let (memory, mock, log) = (self.gpu.zeros(4)?, self.mock.clone(), self.log.clone());
        Ok(Noting { name, memory, mock, log, refuses: false, cannot_end: false })
    }
}

const CONFIG: fn() -> LaunchConfig = || LaunchConfig::new(1, 32);

#[test]
fn each_use_begins_before_the_launch_and_ends_after_it() -> Result<()> {
    let bench = Bench::new()?;
    let stream = bench.gpu.create_stream()?;
    let (mut output, left) = (bench.memory("output")?, bench.memory("left")?);
    let (right, mut statistics) = (bench.memory("right")?, bench.memory("statistics")?);
    // SAFETY: the kernel is not run.
    unsafe { launch_combine(&stream, CONFIG(), &mut output, &left, &right, &mut statistics, 1.0)? };
    let at = stream.handle().get();
    let expected: Vec<String> = ["write output", "read left", "read right", "write statistics"]
        .map(|what| format!("{what} on {at} after 0 launches"))
        .into_iter()
        .chain(
            ["output", "left", "right", "statistics"]
                .map(|name| format!("end {name} on {at} after 1 launches")),
        )
        .collect();
    assert_eq!(*bench.log.borrow(), expected);
    let addresses = [&output, &left, &right, &statistics].map(|memory| memory.memory.device_ptr());
    let passed: Vec<_> = bench.mock.launches()[0].args[..4].iter().map(|arg| format!("{arg:?}")).collect();
    for (passed, address) in passed.iter().zip(addresses) {
        assert!(passed.contains(&address.to_string()), "{passed} is not {address}");
    }
    Ok(())
}

#[test]
fn tracked_and_other_memory_stand_side_by_side() -> Result<()> {
    let bench = Bench::new()?;
    let stream = bench.gpu.create_stream()?;
    let (mut output, right) = (bench.gpu.zeros::<f32>(4)?, bench.memory("right")?);
    let (left, option) = (bench.gpu.zeros::<f32>(4)?, Some(&right));
    let missing = None::<&mut Noting>;
    // SAFETY: the kernel is not run.
    unsafe {
        launch_combine(
            &stream,
            CONFIG(),
            &mut output,
            &left,
            NullableRef::from_option(option),
            NullableMut::from_option(missing),
            1.0,
        )?;
        launch_combine(&stream, CONFIG(), &mut output, &left, None, None, 1.0)?;
    };
    assert_eq!(bench.log.borrow().len(), 2, "{:?}", bench.log);
    Ok(())
}

#[test]
fn memory_that_refuses_its_use_stops_the_launch_and_is_named() -> Result<()> {
    let bench = Bench::new()?;
    let stream = bench.gpu.create_stream()?;
    let (mut output, left) = (bench.memory("output")?, bench.gpu.zeros::<f32>(4)?);
    let mut right = bench.memory("right")?;
    right.refuses = true;
    // SAFETY: the kernel is not run.
    let launched = unsafe { launch_combine(&stream, CONFIG(), &mut output, &left, &right, None, 1.0) };
    let error = launched.expect_err("the memory refuses");
    assert_eq!(error.to_string(), "kernel `combine`, parameter `right`: launch: it is not allowed");
    assert!(matches!(error.failure(), Error::Capture { .. }));
    assert!(bench.mock.launches().is_empty());
    Ok(())
}

#[test]
fn what_ends_badly_is_told_although_the_kernel_was_launched() -> Result<()> {
    let bench = Bench::new()?;
    let stream = bench.gpu.create_stream()?;
    let (mut output, mut left) = (bench.memory("output")?, bench.memory("left")?);
    left.cannot_end = true;
    // SAFETY: the kernel is not run.
    let launched = unsafe { launch_combine(&stream, CONFIG(), &mut output, &left, None, None, 1.0) };
    assert!(matches!(launched, Err(Error::Capture { operation: "end", .. })), "{launched:?}");
    assert_eq!(bench.mock.launches().len(), 1);
    assert_eq!(bench.log.borrow().len(), 4, "every use ended: {:?}", bench.log);
    Ok(())
}

#[test]
fn a_launch_that_fails_is_told_as_such_and_its_uses_end() -> Result<()> {
    let bench = Bench::new()?;
    let stream = bench.gpu.create_stream()?;
    let mut output = bench.memory("output")?;
    output.cannot_end = true;
    let left = bench.gpu.zeros::<f32>(4)?;
    bench.mock.fail(CallKind::Launch, 1);
    // SAFETY: the kernel is not run.
    let launched = unsafe { launch_combine(&stream, CONFIG(), &mut output, &left, None, None, 1.0) };
    assert!(matches!(launched.as_ref().map_err(Error::failure), Err(Error::Injected { .. })), "{launched:?}");
    assert_eq!(bench.log.borrow().len(), 2, "{:?}", bench.log);
    Ok(())
}
