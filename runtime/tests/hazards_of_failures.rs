//! The hazard check where calls fail, refuse or say no: what did not happen uses, orders and ends nothing.

use warpcall::backend::Fill;
use warpcall::diagnose::{CallKind, Faults, HazardKind, Hazards};
use warpcall::{Buffer, Error, Gpu, LaunchConfig, Result, Stream, kernel};

const ONES: Fill = Fill::Byte(1);

struct Setup {
    hazards: Hazards,
    faults: Faults,
    gpu: Gpu,
    first: Stream,
    second: Stream,
    x: Buffer<u32>,
    y: Buffer<u32>,
}

fn setup(hazards: Hazards) -> Result<Setup> {
    let faults = Faults::new();
    let gpu = Gpu::builder().host().faults(&faults).hazards(&hazards).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let (x, y) = (gpu.zeros(64)?, gpu.zeros(64)?);
    Ok(Setup { hazards, faults, gpu, first, second, x, y })
}

#[test]
fn a_blocking_copy_that_failed_used_nothing_and_waited_for_nothing() -> Result<()> {
    let Setup { hazards, faults, first, second, mut x, mut y, .. } = setup(Hazards::new())?;
    x.fill(&first, ONES)?;
    faults.fail(CallKind::CopyToHostOn, 1);
    y.to_vec(&first).expect_err("it was told to fail");
    y.fill(&second, ONES)?;
    assert_eq!(hazards.reports(), [], "nothing was read");
    x.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 1, "nothing was waited for");
    Ok(())
}

#[test]
fn a_wait_that_was_refused_orders_nothing() -> Result<()> {
    type Wait = fn(&Setup) -> Result<()>;
    let waits: [(CallKind, Wait); 3] = [
        (CallKind::Synchronize, |s| s.gpu.synchronize()),
        (CallKind::SynchronizeStream, |s| s.first.synchronize()),
        (CallKind::SynchronizeEvent, |s| {
            let event = s.gpu.create_event()?;
            s.first.record(&event)?;
            event.synchronize()
        }),
    ];
    for (kind, wait) in waits {
        let mut setup = setup(Hazards::new())?;
        setup.x.fill(&setup.first, ONES)?;
        setup.faults.fail(kind, 1);
        wait(&setup).expect_err("it was told to fail");
        setup.x.fill(&setup.second, ONES)?;
        assert_eq!(setup.hazards.reports().len(), 1, "{kind:?}");
    }
    Ok(())
}

#[test]
fn an_answer_of_no_orders_nothing() -> Result<()> {
    let hazards = Hazards::new();
    let gpu = Gpu::builder().host_delayed().hazards(&hazards).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut x = gpu.zeros::<u32>(64)?;
    x.fill(&first, ONES)?;
    assert!(!first.is_idle()?);
    x.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 1);
    gpu.synchronize()?;
    let event = gpu.create_event()?;
    x.fill(&first, ONES)?;
    first.record(&event)?;
    assert!(!event.is_done()?);
    x.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 2);
    Ok(())
}

#[test]
fn what_could_not_be_destroyed_is_still_there() -> Result<()> {
    let Setup { hazards, faults, gpu, first, second, mut x, y } = setup(Hazards::new())?;
    let backend = gpu.backend();
    let graph = first.capture(|stream| x.fill(stream, ONES))?;
    faults.fail(CallKind::DestroyGraph, 1);
    // SAFETY: it is told to fail, so that the handle stays as it was.
    unsafe { backend.destroy_graph(graph.handle()) }.expect_err("it was told to fail");
    // SAFETY: the buffer is there.
    unsafe { graph.launch(&first)? };
    x.fill(&second, ONES)?;
    assert_eq!((hazards.reports().len(), hazards.unchecked().launches), (1, 0), "the graph");

    gpu.synchronize()?;
    let event = gpu.create_event()?;
    x.fill(&first, ONES)?;
    first.record(&event)?;
    faults.fail(CallKind::DestroyEvent, 1);
    // SAFETY: as above.
    unsafe { backend.destroy_event(event.handle()) }.expect_err("it was told to fail");
    second.wait(&event)?;
    x.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 1, "the event");

    faults.fail(CallKind::DestroyStream, 1);
    // SAFETY: as above.
    unsafe { backend.destroy_stream(second.handle()) }.expect_err("it was told to fail");
    x.fill(&second, ONES)?;
    x.fill(&first, ONES)?;
    assert_eq!((hazards.reports().len(), hazards.unchecked().foreign_streams), (2, 0), "the stream");

    gpu.synchronize()?;
    faults.fail(CallKind::Free, 1);
    // SAFETY: as above.
    unsafe { backend.free(y.device_ptr()) }.expect_err("it was told to fail");
    x.copy_from_device(&first, &y)?;
    x.copy_from_device(&second, &y)?;
    let found = hazards.reports();
    assert!(found.len() == 3 && found[2].kind == HazardKind::Unordered, "the memory: {found:?}");
    assert!(hazards.unchecked().is_empty());
    Ok(())
}

#[test]
fn a_graph_whose_launch_was_refused_orders_nothing() -> Result<()> {
    let Setup { gpu, first, second, mut x, mut y, .. } = setup(Hazards::strict())?;
    let third = gpu.create_stream()?;
    let graph = first.capture(|stream| x.fill(stream, ONES))?;
    y.fill(&first, ONES)?;
    // SAFETY: the buffer is there.
    unsafe { graph.launch(&first)? };
    third.wait_for(&first)?;
    x.fill(&third, ONES)?;
    // SAFETY: it is refused.
    let refused = unsafe { graph.launch(&second) };
    assert!(matches!(refused, Err(Error::Hazard(_))), "the third stream uses it: {refused:?}");
    let refused = y.fill(&second, ONES);
    assert!(matches!(refused, Err(Error::Hazard(_))), "nothing was launched there: {refused:?}");
    Ok(())
}

#[test]
fn launches_within_a_capture_are_not_waited_for() -> Result<()> {
    let hazards = Hazards::strict();
    let gpu = Gpu::builder().host().sync_check().hazards(&hazards).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    first.begin_capture()?;
    // SAFETY: the kernel uses no memory.
    unsafe {
        launch_nothing(&first, LaunchConfig::new(1, 1), 1)?;
        launch_nothing(&second, LaunchConfig::new(1, 1), 1)?;
        first.end_capture()?.launch(&first)
    }
}

#[kernel(module = "failures")]
unsafe extern "C" {
    #[host(nothing_on_the_host)]
    unsafe fn nothing(number: u32);
}

fn nothing_on_the_host(_: u32) {}

#[test]
fn a_capture_ends_where_its_first_stream_does_and_not_before() -> Result<()> {
    let Setup { hazards, gpu, first, second, mut x, mut y, .. } = setup(Hazards::new())?;
    first.begin_capture()?;
    second.wait_for(&first)?;
    x.fill(&second, ONES)?;
    gpu.backend().end_capture(second.handle()).expect_err("it began on the first stream");
    y.fill(&second, ONES)?;
    let third = gpu.create_stream()?;
    y.fill(&third, ONES)?;
    assert_eq!(hazards.reports(), [], "the capture goes on");
    first.wait_for(&second)?;
    first.end_capture()?.destroy()?;
    y.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 1, "it is over");
    Ok(())
}
