//! Streams, events and graphs, owned.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warpcall::backend::Fill;
use warpcall::backend::mock::{Call, CallKind};
use warpcall::{AsStream, Error, Gpu, MockBackend, Result, StreamHandle};

fn delayed() -> Result<Gpu> {
    Gpu::builder().host_delayed().open()
}

#[test]
fn a_stream_is_idle_once_it_is_synchronised() -> Result<()> {
    let gpu = delayed()?;
    let stream = gpu.create_stream_with_priority(-1)?;
    let mut buffer = gpu.zeros::<u8>(4)?;
    assert!(stream.is_idle()?);
    buffer.fill(&stream, Fill::Byte(3))?;
    assert!(!stream.is_idle()?, "nothing has waited yet");
    stream.synchronize()?;
    assert!(stream.is_idle()?);
    assert_eq!(buffer.to_vec(&stream)?, [3; 4]);
    Ok(())
}

#[test]
fn a_stream_view_names_its_backend_and_handle() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let view = stream.as_stream();
    assert_eq!((view.backend_id(), view.handle()), (gpu.id(), stream.handle()));
    assert_eq!(view.backend().id(), gpu.id());
    assert_eq!(gpu.default_stream().handle(), StreamHandle::DEFAULT);
    let mut buffer = gpu.zeros::<u8>(1)?;
    buffer.copy_from_host(&view, &[7])?;
    assert_eq!(buffer.to_vec(&view)?, [7]);
    Ok(())
}

#[test]
fn a_stream_that_waits_sees_what_the_other_wrote() -> Result<()> {
    let gpu = delayed()?;
    let (writer, reader) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut buffer = gpu.zeros::<u8>(2)?;
    let event = gpu.create_event()?;
    buffer.copy_from_host(&writer, &[1, 2])?;
    writer.record(&event)?;
    assert!(!event.is_done()?);
    reader.wait(&event)?;
    assert_eq!(buffer.to_vec(&reader)?, [1, 2]);

    buffer.copy_from_host(&writer, &[3, 4])?;
    reader.wait_for(&writer)?;
    assert_eq!(buffer.to_vec(&reader)?, [3, 4]);

    buffer.copy_from_host(&writer, &[5, 6])?;
    writer.record(&event)?;
    event.synchronize()?;
    assert!(event.is_done()?);
    Ok(())
}

#[test]
fn time_is_taken_between_timing_events_alone() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let (start, end, plain) = (gpu.create_timing_event()?, gpu.create_timing_event()?, gpu.create_event()?);
    for event in [&start, &end, &plain] {
        stream.record(event)?;
        event.synchronize()?;
    }
    assert!(end.elapsed_since(&start).is_ok());
    assert!(end.elapsed_since(&plain).is_err());
    Ok(())
}

#[test]
fn streams_and_events_of_two_backends_do_not_mix() -> Result<()> {
    let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    let (stream, foreign) = (gpu.create_stream()?, other.create_stream()?);
    let event = other.create_timing_event()?;
    assert!(matches!(stream.record(&event), Err(Error::ForeignStream { .. })));
    assert!(matches!(stream.wait(&event), Err(Error::ForeignStream { .. })));
    assert!(matches!(stream.wait_for(&foreign), Err(Error::ForeignStream { .. })));
    let error = event.elapsed_since(&gpu.create_timing_event()?).expect_err("two backends");
    assert!(error.to_string().contains(&*gpu.label()) && error.to_string().contains(&*other.label()));

    let mut buffer = gpu.zeros::<u8>(1)?;
    let graph = stream.capture(|stream| buffer.fill(stream, Fill::Byte(1)))?;
    // SAFETY: the buffer is still there.
    assert!(matches!(unsafe { graph.launch(&foreign) }, Err(Error::ForeignStream { .. })));
    Ok(())
}

#[test]
fn a_graph_does_what_was_captured_each_time_it_is_launched() -> Result<()> {
    for gpu in [Gpu::host()?, delayed()?] {
        let stream = gpu.create_stream()?;
        let mut source = gpu.upload(&[1_u8, 2])?;
        let mut copy = gpu.zeros::<u8>(2)?;
        let graph = stream.capture(|stream| {
            assert!(stream.is_capturing()?);
            copy.copy_from_device(stream, &source)
        })?;
        assert!(!stream.is_capturing()?);
        assert_eq!(copy.to_vec(&stream)?, [0, 0], "nothing ran yet");
        for bytes in [[1, 2], [8, 9]] {
            source.copy_from_host(&stream, &bytes)?;
            // SAFETY: both buffers are still there.
            unsafe { graph.launch(&stream)? };
            assert_eq!(copy.to_vec(&stream)?, bytes);
        }
        graph.destroy()?;
    }
    Ok(())
}

#[test]
fn an_error_or_a_panic_in_a_capture_abandons_it() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut buffer = gpu.zeros::<u8>(2)?;
    let failed = stream.capture(|stream| {
        buffer.fill(stream, Fill::Byte(1))?;
        buffer.copy_from_host(stream, &[0; 3])
    });
    assert!(matches!(failed, Err(Error::InvalidArgument { .. })));
    assert!(!stream.is_capturing()?);

    let panicked = catch_unwind(AssertUnwindSafe(|| stream.capture(|_| panic!("in the middle"))));
    assert!(panicked.is_err());
    assert!(!stream.is_capturing()?);
    buffer.fill(&stream, Fill::Byte(5))?;
    assert_eq!(buffer.to_vec(&stream)?, [5, 5]);
    assert_eq!(gpu.failed_drop_count(), 0);
    Ok(())
}

#[test]
fn a_stream_dropped_in_the_middle_of_a_capture_abandons_it() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    stream.begin_capture()?;
    drop(stream);
    let kinds: Vec<_> = mock.take_calls().iter().map(Call::kind).collect();
    let expected =
        [CallKind::CreateStream, CallKind::BeginCapture, CallKind::AbandonCapture, CallKind::DestroyStream];
    assert_eq!(kinds, expected);
    drop(gpu.default_stream());
    assert_eq!(mock.calls(), [], "the default stream is nobody's to destroy");
    Ok(())
}

#[test]
fn a_stream_destroyed_in_the_middle_of_a_capture_abandons_it_first() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    stream.begin_capture()?;
    stream.destroy()?;
    let kinds: Vec<_> = mock.take_calls().iter().map(Call::kind).collect();
    let expected =
        [CallKind::CreateStream, CallKind::BeginCapture, CallKind::AbandonCapture, CallKind::DestroyStream];
    assert_eq!(kinds, expected);
    Ok(())
}

#[test]
fn destroying_a_stream_says_that_its_capture_was_not_abandoned_and_destroys_it_all_the_same() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    stream.begin_capture()?;
    mock.fail(CallKind::AbandonCapture, 1);
    assert!(matches!(stream.destroy(), Err(Error::Injected { call: "abandon_capture", .. })));
    assert_eq!((mock.count(CallKind::AbandonCapture), mock.count(CallKind::DestroyStream)), (1, 1));
    assert_eq!(gpu.failed_drop_count(), 0);
    Ok(())
}
