//! What a layer sees, and that it is passed on.

use std::panic::Location;
use std::sync::{Arc, Mutex};

use warpcall::backend::{Fill, mock};
use warpcall::diagnose::{Call, Layer, Layered, MemoryKind, Operation, Outcome, RedZones};
use warpcall::{Error, Gpu, GpuBackend, MockBackend, Result};

/// Notes the name and the place of each call, and what came of it.
#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<Vec<Note>>>);

#[derive(Clone, Debug, PartialEq)]
struct Note {
    name: &'static str,
    location: Option<&'static Location<'static>>,
    succeeded: bool,
}

impl Notes {
    fn taken(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().expect("no test panics with it"))
    }
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        let succeeded = !matches!(outcome, Outcome::Failed(_));
        let note = Note { name: call.name, location: call.location, succeeded };
        self.0.lock().expect("no test panics with it").push(note);
    }
}

/// Refuses to allocate pinned memory.
#[derive(Debug)]
struct NothingPinned;

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for NothingPinned {
    fn name(&self) -> &'static str {
        "nothing pinned"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        match call.operation {
            Operation::Allocate { memory: MemoryKind::Pinned, bytes } => {
                Err(Error::OutOfMemory { memory: "pinned", requested: bytes, available: 0 })
            }
            _ => Ok(()),
        }
    }
}

#[test]
fn each_layer_of_a_stack_sees_the_callers_place() {
    let (below, above) = (Notes::default(), Notes::default());
    let gpu = Gpu::builder().host().layer(below.clone()).layer(above.clone()).open().expect("the host opens");
    let line = line!() + 1;
    let memory = gpu.backend().allocate(64).expect("there is memory");
    // SAFETY: nothing uses it.
    unsafe { gpu.backend().free(memory) }.expect("it is live");
    let zeros = gpu.zeros::<u32>(4).expect("there is memory");
    zeros.to_vec(&gpu.default_stream()).expect("it is there");
    let (below, above) = (below.taken(), above.taken());
    assert_eq!(below, above);
    assert_eq!(
        below.iter().map(|note| note.name).collect::<Vec<_>>(),
        ["allocate", "free", "allocate", "memset", "copy_to_host_on"]
    );
    for (note, offset) in below.iter().zip([0, 2, 3, 3, 4]) {
        let place = note.location.map(|location| (location.file(), location.line()));
        assert_eq!(place, Some((file!(), line + offset)), "{}", note.name);
    }
}

#[test]
fn memory_with_bands_is_told_at_the_callers_place_underneath_too() -> Result<()> {
    let below = Notes::default();
    let gpu = Gpu::builder().host().layer(below.clone()).red_zones(&RedZones::new(256)?).open()?;
    let line = line!() + 1;
    let buffer = gpu.zeros::<u32>(4)?;
    let managed = gpu.managed::<u32>(4)?;
    let pinned = gpu.pinned::<u32>(4)?;
    buffer.free()?;
    managed.free()?;
    pinned.free()?;
    let notes = below.taken().into_iter();
    let memory = notes.filter(|note| note.name.starts_with("allocate") || note.name.starts_with("free"));
    let places: Vec<_> =
        memory.map(|note| note.location.map(|location| (location.file(), location.line()))).collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 5].map(|offset| Some((file!(), line + offset))));
    Ok(())
}

#[test]
fn what_is_dropped_has_no_place_and_what_is_freed_has_the_callers() -> Result<()> {
    let notes = Notes::default();
    let gpu = Gpu::builder().host().layer(notes.clone()).open()?;
    let make = || -> Result<_> {
        let stream = gpu.create_stream()?;
        let graph = stream.capture(|_| Ok(()))?;
        Ok((gpu.zeros::<u8>(4)?, gpu.pinned::<u8>(4)?, gpu.create_event()?, graph, stream))
    };
    let (dropped, kept) = (make()?, make()?);
    let capturing = gpu.create_stream()?;
    capturing.begin_capture()?;
    notes.taken();
    drop((dropped, capturing));
    let told = notes.taken();
    let names: Vec<_> = told.iter().map(|note| note.name).collect();
    let all = ["free", "free_pinned", "destroy_event", "destroy_graph", "destroy_stream"];
    assert_eq!(names, [&all[..], &["abandon_capture", "destroy_stream"]].concat());
    assert!(told.iter().all(|note| note.location.is_none() && note.succeeded), "{told:?}");

    let (memory, pinned, event, graph, stream) = kept;
    let line = line!() + 1;
    memory.free()?;
    pinned.free()?;
    event.destroy()?;
    graph.destroy()?;
    stream.capture(|_| gpu.find_kernel("none", "none").map(drop)).map_or_else(|_| (), drop);
    stream.destroy()?;
    let places = notes.taken().into_iter().map(|note| {
        let place = note.location.expect("nothing is dropped");
        (note.name, place.file(), place.line() - line)
    });
    let of = |name, offset| (name, file!(), offset);
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            of("free", 0),
            of("free_pinned", 1),
            of("destroy_event", 2),
            of("destroy_graph", 3),
            of("begin_capture", 4),
            of("find_kernel", 4),
            of("abandon_capture", 4),
            of("destroy_stream", 5)
        ]
    );
    Ok(())
}

#[test]
fn a_refused_call_is_not_passed_on() {
    let notes = Notes::default();
    let gpu = Gpu::builder().host().layer(notes.clone()).layer(NothingPinned).open().expect("the host opens");
    let refused = gpu.backend().allocate_pinned(64);
    assert!(matches!(refused, Err(Error::OutOfMemory { requested: 64, .. })), "{refused:?}");
    assert_eq!(notes.taken(), []);
}

#[test]
fn a_failure_underneath_is_told() {
    let notes = Notes::default();
    let gpu = Gpu::builder().host().layer(notes.clone()).open().expect("the host opens");
    gpu.backend().memset(warpcall::DevicePtr::new(0x10), Fill::Byte(0), 4).expect_err("nothing is there");
    assert!(!notes.taken()[0].succeeded);
}

#[test]
fn a_question_without_an_error_is_told_too() {
    let notes = Notes::default();
    let gpu = Gpu::builder().host().layer(notes.clone()).open().expect("the host opens");
    assert!(!gpu.backend().has_module("none"));
    assert_eq!(notes.taken().iter().map(|note| note.name).collect::<Vec<_>>(), ["has_module"]);
}

#[test]
fn a_wrapped_mock_records_the_same_calls() {
    let plain = MockBackend::new().expect("the mock opens");
    let wrapped = MockBackend::new().expect("the mock opens");
    let layered: Arc<dyn GpuBackend> = Arc::new(Layered::new(wrapped.clone(), Notes::default()));
    for gpu in [Gpu::from_backend(plain.clone()), Gpu::from_backend(layered)] {
        use_everything(&gpu).expect("the mock does all of it");
    }
    let kinds = |mock: &MockBackend| mock.calls().iter().map(mock::Call::kind).collect::<Vec<_>>();
    assert_eq!(kinds(&plain), kinds(&wrapped));
    assert!(kinds(&plain).len() > 20, "{:?}", kinds(&plain));
}

/// Counts in `before` and writes down in `after` what it counted, by call.
#[derive(Clone, Debug, Default)]
#[allow(clippy::type_complexity)] // The next number, and what was seen.
struct Numbers(Arc<Mutex<(u64, Vec<(&'static str, [u64; 2])>)>>);

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Numbers {
    fn name(&self) -> &'static str {
        "numbers"
    }

    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        self.0.lock().expect("no test panics with it").1.push((inner.kind(), [0, 0]));
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        assert_eq!(call.note.get(), [0, 0], "nobody else writes there");
        let mut numbers = self.0.lock().expect("no test panics with it");
        numbers.0 += 1;
        call.note.set([numbers.0, 7]);
        Ok(())
    }

    fn after(&self, call: &Call<'_>, _: Outcome<'_>) {
        self.0.lock().expect("no test panics with it").1.push((call.name, call.note.get()));
    }
}

#[test]
fn a_note_goes_from_before_to_after_within_one_layer() {
    let (below, above) = (Numbers::default(), Numbers::default());
    let gpu = Gpu::builder().host().layer(below.clone()).layer(above.clone()).open().expect("the host opens");
    let memory = gpu.zeros::<u8>(4).expect("there is memory");
    drop(memory);
    for numbers in [below, above] {
        let (_, seen) = &*numbers.0.lock().expect("no test panics with it");
        assert_eq!(*seen, [("host", [0, 0]), ("allocate", [1, 7]), ("memset", [2, 7]), ("free", [3, 7])]);
    }
}

fn use_everything(gpu: &Gpu) -> Result<()> {
    let stream = gpu.create_stream()?;
    let (start, end) = (gpu.create_timing_event()?, gpu.create_timing_event()?);
    stream.record(&start)?;
    let mut buffer = gpu.upload(&[1_u32; 64])?;
    let other = gpu.zeros::<u32>(64)?;
    gpu.managed::<u32>(4)?;
    gpu.pinned::<u32>(4)?;
    buffer.copy_from_host(&stream, &[2; 64])?;
    buffer.copy_from_device(&stream, &other)?;
    buffer.fill(&stream, Fill::Word(3))?;
    other.to_vec(&stream)?;
    let graph = stream.capture(|stream| buffer.fill(stream, Fill::Byte(4)))?;
    // SAFETY: its memory is there.
    unsafe { graph.launch(&stream) }?;
    stream.record(&end)?;
    stream.wait(&end)?;
    stream.wait_for(&gpu.default_stream())?;
    stream.synchronize()?;
    gpu.synchronize()?;
    assert!(stream.is_idle()? && end.is_done()? && !stream.is_capturing()?);
    end.elapsed_since(&start)?;
    gpu.memory_info()?;
    Ok(())
}
