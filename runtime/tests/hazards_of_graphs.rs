//! The hazard check and graphs: what is captured is compared there, and at each launch.

use warpcall::backend::Fill;
use warpcall::diagnose::{HazardKind, Hazards};
use warpcall::{Buffer, Error, Gpu, Result, Stream};

struct Setup {
    hazards: Hazards,
    gpu: Gpu,
    first: Stream,
    second: Stream,
    x: Buffer<u32>,
    y: Buffer<u32>,
}

fn setup(hazards: Hazards) -> Result<Setup> {
    let gpu = Gpu::builder().host().hazards(&hazards).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let (x, y) = (gpu.zeros(64)?, gpu.zeros(64)?);
    Ok(Setup { hazards, gpu, first, second, x, y })
}

const ONES: Fill = Fill::Byte(1);

#[test]
fn what_is_captured_is_used_at_each_launch_and_not_before() -> Result<()> {
    let Setup { hazards, gpu, first, second, mut x, mut y } = setup(Hazards::new())?;
    let graph = first.capture(|stream| x.copy_from_device(stream, &y))?;
    x.fill(&second, ONES)?;
    y.fill(&second, ONES)?;
    assert_eq!(hazards.reports(), [], "a capture executes nothing");
    let line = line!() + 2;
    // SAFETY: the buffers are there.
    unsafe { graph.launch(&first)? };
    let reports = hazards.reports();
    assert_eq!(reports.len(), 2, "{reports:?}");
    for hazard in &reports {
        let later = hazard.later;
        assert_eq!((later.what, later.stream), ("copy_within_device_async", Some(first.handle())));
        assert_eq!(later.graph.map(|graph| (graph.file(), graph.line())), Some((file!(), line)));
        assert!(hazard.to_string().contains(", in the graph launched at "), "{hazard}");
    }
    gpu.synchronize()?;
    // SAFETY: as above.
    unsafe { graph.launch(&second)? };
    second.wait_for(&first)?;
    x.fill(&second, ONES)?;
    assert_eq!(hazards.reports().len(), 2);
    x.fill(&first, ONES)?;
    let reports = hazards.reports();
    assert_eq!(reports.len(), 3, "with the memset, which stands for the graph before it: {reports:?}");
    Ok(())
}

#[test]
fn streams_that_join_a_capture_are_ordered_by_its_events_alone() -> Result<()> {
    for (forks, joins) in [(true, true), (true, false)] {
        let Setup { hazards, gpu, first, second, mut x, mut y } = setup(Hazards::new())?;
        let (forked, joined) = (gpu.create_event()?, gpu.create_event()?);
        let graph = first.capture(|stream| {
            stream.record(&forked)?;
            if forks {
                x.fill(stream, ONES)?;
            }
            second.wait(&forked)?;
            y.fill(&second, ONES)?;
            second.record(&joined)?;
            if joins {
                stream.wait(&joined)?;
                y.copy_from_device(stream, &x)
            } else {
                y.copy_from_device(stream, &x)?;
                stream.wait(&joined)
            }
        })?;
        assert_eq!(hazards.reports().len(), usize::from(!joins), "{:?}", hazards.reports());
        // SAFETY: the buffers are there.
        unsafe { graph.launch(&second)? };
        assert_eq!(hazards.reports().len(), usize::from(!joins), "one launch is one piece of work");
        x.fill(&second, ONES)?;
        assert_eq!(hazards.reports().len(), usize::from(!joins));
    }
    Ok(())
}

#[test]
fn a_capture_that_is_given_up_leaves_nothing() -> Result<()> {
    let Setup { hazards, first, second, mut x, .. } = setup(Hazards::strict())?;
    first.begin_capture()?;
    x.fill(&first, ONES)?;
    second.wait_for(&first)?;
    first.abandon_capture()?;
    x.fill(&second, ONES)?;
    second.synchronize()?;
    x.fill(&first, ONES)?;
    first.begin_capture()?;
    second.wait_for(&first)?;
    x.fill(&second, ONES)?;
    let unjoined = first.end_capture().expect_err("the second stream was not joined back").to_string();
    let words = format!(
        "the work of the stream {:#x} was not joined back; record an event on it and ",
        second.handle().get()
    );
    assert!(unjoined.contains(&words), "{unjoined}");
    let refused = x.fill(&second, ONES);
    assert!(matches!(refused, Err(Error::Hazard(_))), "the streams are their own again: {refused:?}");
    assert_eq!(hazards.reports().len(), 1);
    Ok(())
}

#[test]
fn two_captures_at_once_are_compared_when_they_are_launched() -> Result<()> {
    let Setup { hazards, first, second, mut x, .. } = setup(Hazards::new())?;
    first.begin_capture()?;
    second.begin_capture()?;
    x.fill(&first, ONES)?;
    x.fill(&second, ONES)?;
    let graphs = [first.end_capture()?, second.end_capture()?];
    assert_eq!(hazards.reports(), []);
    // SAFETY: the buffer is there.
    unsafe { graphs[0].launch(&first)? };
    // SAFETY: as above.
    unsafe { graphs[1].launch(&first)? };
    assert_eq!(hazards.reports(), []);
    // SAFETY: as above.
    unsafe { graphs[0].launch(&second)? };
    assert_eq!(hazards.reports().len(), 1);
    Ok(())
}

#[test]
fn launches_of_one_graph_come_one_after_another_on_whichever_streams() -> Result<()> {
    let Setup { hazards, first, second, mut x, y, .. } = setup(Hazards::new())?;
    let [graph, other] =
        [first.capture(|stream| x.fill(stream, ONES))?, first.capture(|stream| x.fill(stream, ONES))?];
    // SAFETY: the buffer is there.
    unsafe { graph.launch(&first)? };
    // SAFETY: as above.
    unsafe { graph.launch(&second)? };
    x.copy_from_device(&second, &y)?;
    assert_eq!(hazards.reports(), [], "the second launch comes after the first, and the copy after both");
    // SAFETY: as above.
    unsafe { other.launch(&first)? };
    assert_eq!(
        hazards.reports().len(),
        1,
        "another graph of the same does not wait: {:?}",
        hazards.reports()
    );
    Ok(())
}

#[test]
fn a_graph_of_which_nothing_is_known_is_counted() -> Result<()> {
    let Setup { hazards, gpu, first, mut x, .. } = setup(Hazards::new())?;
    let beneath = warpcall::backend::Streams::create_stream(gpu.as_host().expect("it is the host"), None)?;
    let host = gpu.as_host().expect("it is the host");
    warpcall::backend::Graphs::begin_capture(host, beneath)?;
    warpcall::backend::CopyMemory::memset_async(host, beneath, x.device_ptr(), ONES, 256)?;
    let graph = warpcall::backend::Graphs::end_capture(host, beneath)?;
    x.fill(&first, ONES)?;
    assert!(hazards.unchecked().is_empty());
    // SAFETY: the buffer is there.
    unsafe { gpu.launch_graph(graph, first.handle())? };
    assert_eq!(hazards.unchecked().launches, 1);
    Ok(())
}

#[test]
fn a_graph_whose_memory_was_freed_is_refused_also_where_its_addresses_are_given_again() -> Result<()> {
    let Setup { hazards, gpu, first, mut x, y, .. } = setup(Hazards::strict())?;
    let graph = first.capture(|stream| x.copy_from_device(stream, &y))?;
    // SAFETY: the buffers are there.
    unsafe { graph.launch(&first)? };
    drop(y);
    let _others: Vec<Buffer<u32>> = (0..4).map(|_| gpu.zeros(64)).collect::<Result<_>>()?;
    // SAFETY: it is refused.
    let error = unsafe { graph.launch(&first) }.expect_err("the source is gone");
    let Error::Hazard(hazard) = error else { panic!("{error:?}") };
    assert_eq!((hazard.kind, hazard.later.parameter), (HazardKind::Freed, "source"));
    assert_eq!(hazards.reports().len(), 1);
    Ok(())
}

#[test]
fn a_capture_whose_memory_is_freed_before_it_ends_is_refused() -> Result<()> {
    let Setup { gpu, first, mut x, y, .. } = setup(Hazards::strict())?;
    first.begin_capture()?;
    x.copy_from_device(&first, &y)?;
    drop(y);
    let _others: Vec<Buffer<u32>> = (0..4).map(|_| gpu.zeros(64)).collect::<Result<_>>()?;
    let graph = first.end_capture()?;
    // SAFETY: it is refused.
    let error = unsafe { graph.launch(&first) }.expect_err("the source is gone");
    assert!(matches!(&error, Error::Hazard(hazard) if hazard.kind == HazardKind::Freed), "{error:?}");
    Ok(())
}

#[test]
fn a_graph_is_ordered_like_any_other_work() -> Result<()> {
    let Setup { hazards, gpu, first, second, mut x, .. } = setup(Hazards::strict())?;
    let graph = first.capture(|stream| x.fill(stream, ONES))?;
    let event = gpu.create_event()?;
    for _ in 0..10 {
        // SAFETY: the buffer is there.
        unsafe { graph.launch(&first)? };
        first.record(&event)?;
        second.wait(&event)?;
        x.fill(&second, ONES)?;
        first.wait_for(&second)?;
    }
    graph.destroy()?;
    x.fill(&first, ONES)?;
    assert_eq!(hazards.reports(), []);
    Ok(())
}
