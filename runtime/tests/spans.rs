//! The spans that a subscriber of `tracing` sees.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use warpcall::backend::Fill;
use warpcall::backend::mock::CallKind;
use warpcall::{Gpu, KernelParam, LaunchConfig, MockBackend, Parameter, Result};
use warpcall::{Kernel, KernelLaunch, Module};

/// Writes down what it is told, in order.
#[derive(Clone, Default)]
struct Notes {
    seen: Arc<Mutex<Vec<String>>>,
    next: Arc<AtomicU64>,
}

impl Notes {
    fn note(&self, text: String) {
        self.seen.lock().expect("no test panics with it").push(text);
    }
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("a string can be written");
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "warpcall"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields =
            Fields(format!("{} {}", attributes.metadata().level(), attributes.metadata().name()));
        attributes.record(&mut fields);
        self.note(fields.0);
        Id::from_u64(self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        self.note(fields.0);
    }

    fn enter(&self, span: &Id) {
        self.note(format!("enter {}", span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        self.note(format!("exit {}", span.into_u64()));
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}
}

static SCALE: Kernel =
    Kernel::new(Module::new("spans"), "scale", &[Parameter::value("by", "f32", f32::DESCRIPTION)]);

/// A place in the code is known to nobody once it was met without a subscriber, while another thread makes one.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn work_and_waits_are_spans_and_failures_are_errors_within_them() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let notes = Notes::default();
    let seen = Arc::clone(&notes.seen);
    let line = line!();
    tracing::subscriber::with_default(notes, || -> Result<()> {
        let mock = MockBackend::new()?;
        let gpu = Gpu::builder().backend(mock.clone()).spans().open()?;
        let mut buffer = gpu.zeros::<u8>(16)?;
        let kernel = SCALE.resolve(&*gpu)?;
        let mut launch = KernelLaunch::new(&*gpu, kernel);
        launch.config(LaunchConfig::new([2, 3], 32).shared_mem(8)).arg_f32(1.0);
        mock.fail(CallKind::Launch, 2);
        // SAFETY: the mock runs nothing.
        unsafe { launch.launch(&gpu.default_stream())? };
        // SAFETY: as above.
        unsafe { launch.launch(&gpu.default_stream()) }.expect_err("it was told to fail");
        buffer.fill(&gpu.default_stream(), Fill::Byte(1))?;
        buffer.copy_from_host(&gpu.default_stream(), &[0; 16])?;
        gpu.synchronize()
    })?;
    let at = |offset: u32| format!("at={}:{}:", file!(), line + offset);
    let expected = [
        (format!("DEBUG fill call=\"memset\" bytes=16 stream=0x0 {}", at(4)), 1),
        (
            format!(
                "DEBUG launch kernel=scale grid=[2,3,1] block=[32,1,1] shared_mem=8 stream=0x0 {}",
                at(10)
            ),
            2,
        ),
        (
            format!(
                "DEBUG launch kernel=scale grid=[2,3,1] block=[32,1,1] shared_mem=8 stream=0x0 {}",
                at(12)
            ),
            3,
        ),
        (format!("DEBUG fill call=\"memset_async\" bytes=16 stream=0x0 {}", at(13)), 4),
        (format!("DEBUG copy call=\"copy_to_device_async\" bytes=16 stream=0x0 {}", at(14)), 5),
        (format!("DEBUG wait call=\"synchronize\" {}", at(15)), 6),
    ];
    let seen = seen.lock().expect("no test panics with it").clone();
    let mut next = seen.iter();
    for (words, number) in expected {
        let span = next.next().expect("there is a span");
        assert!(span.starts_with(&words), "{span} is not {words}");
        assert_eq!(next.next(), Some(&format!("enter {number}")));
        if number == 3 {
            let error = next.next().expect("there is an error");
            assert!(error.starts_with("ERROR ") && error.contains("launch number 2 failed"), "{error}");
        }
        assert_eq!(next.next(), Some(&format!("exit {number}")));
    }
    assert_eq!(next.next(), None);
    Ok(())
}

#[test]
fn without_a_subscriber_nothing_is_left_open() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gpu = Gpu::builder().host().spans().layer(warpcall::diagnose::Spans).open()?;
    for _ in 0..3 {
        gpu.zeros::<u8>(16)?;
    }
    gpu.find_kernel("spans", "missing").expect_err("there is none");
    Ok(())
}

/// Calls a device when the first span is entered.
struct CallsBack {
    gpu: Mutex<Option<Gpu>>,
    notes: Notes,
}

impl Subscriber for CallsBack {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.notes.enabled(metadata)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.notes.new_span(attributes)
    }

    fn event(&self, event: &Event<'_>) {
        self.notes.event(event);
    }

    fn enter(&self, span: &Id) {
        self.notes.enter(span);
        let gpu = self.gpu.lock().expect("no test panics with it").take();
        gpu.map_or(Ok(()), |gpu| gpu.synchronize()).expect("the host waits");
    }

    fn exit(&self, span: &Id) {
        self.notes.exit(span);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}
}

#[test]
fn a_subscriber_may_call_the_device_when_a_span_is_entered() -> Result<()> {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gpu = Gpu::builder().host().spans().open()?;
    let notes = Notes::default();
    let seen = Arc::clone(&notes.seen);
    let subscriber = CallsBack { gpu: Mutex::new(Some(gpu.clone())), notes };
    tracing::subscriber::with_default(subscriber, || gpu.synchronize())?;
    let seen = seen.lock().expect("no test panics with it").clone();
    let opened_and_closed: Vec<_> = seen.iter().filter(|note| !note.starts_with("DEBUG ")).collect();
    assert_eq!(opened_and_closed, ["enter 1", "enter 2", "exit 2", "exit 1"]);
    Ok(())
}

/// Waits when its thread ends, and says what came of it.
struct WaitsAtTheEnd {
    gpu: Gpu,
    notes: Notes,
    outcome: std::sync::mpsc::Sender<Result<()>>,
}

impl Drop for WaitsAtTheEnd {
    fn drop(&mut self) {
        let waited = tracing::subscriber::with_default(self.notes.clone(), || self.gpu.synchronize());
        self.outcome.send(waited).expect("the test waits for it");
    }
}

#[test]
fn a_call_in_the_last_drop_of_a_thread_goes_through() -> Result<()> {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<WaitsAtTheEnd>> = const { std::cell::RefCell::new(None) };
    }
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gpu = Gpu::builder().host().spans().open()?;
    let (outcome, outcomes) = std::sync::mpsc::channel();
    let notes = Notes::default();
    let thread = std::thread::spawn(move || {
        let of_thread = notes.clone();
        // What `tracing` keeps for the thread is there before what waits, so that it is there for longer. That of the spans is not.
        tracing::subscriber::with_default(of_thread, || {
            KEPT.set(Some(WaitsAtTheEnd { gpu: gpu.clone(), notes, outcome }));
            gpu.synchronize()
        })
    });
    thread.join().expect("it does not panic")?;
    outcomes.recv().expect("it is dropped when the thread ends")
}
