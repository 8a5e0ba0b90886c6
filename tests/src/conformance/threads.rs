//! Several threads on one backend, and several backends in one process.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context as _, Result, anyhow, ensure};
use warpcall::{Error, EventHandle, StreamHandle};

use super::check::{equal, pattern};
use super::kernels::{COUNT_UP, MULTIPLY_ADD, SEVENTY};
use super::{Capability, Fixture, Target};

super::tests! { "threads":
    many_threads_work_on_one_backend_each_with_its_own_stream,
    many_threads_allocate_and_free_at_once,
    threads_that_resolve_a_kernel_at_once_get_one_handle,
    a_stream_made_by_one_thread_is_used_by_another,
    streams_and_events_are_destroyed_while_other_threads_use_them,
    two_backends_share_no_kernel_and_no_memory,
    a_backend_goes_on_working_when_another_is_closed,
    a_backend_goes_on_capturing_whatever_another_does,
    scratch_memory_is_kept_by_name_and_grows,
    scratch_memory_belongs_to_one_backend,
}

/// Runs `work` on eight threads that start together.
fn on_eight_threads<T: Send>(work: impl Fn(u32) -> Result<T> + Sync) -> Result<Vec<T>> {
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|index| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(index)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a thread panicked"))?).collect()
    })
}

fn many_threads_work_on_one_backend_each_with_its_own_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    on_eight_threads(|index| {
        let stream = gpu.stream()?;
        let values = gpu.allocate(1000 * 4)?;
        for round in 0..20 {
            let base = index * 1000 + round;
            let mut host: Vec<u32> = (base..base + 1000).collect();
            gpu.copy_to_device_async(stream, values, bytemuck::cast_slice(&host))?;
            gpu.multiply_add(stream, values, 1000, [3, index])?;
            host.fill(0);
            gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut host), values)?;
            let expected: Vec<u32> = (base..base + 1000).map(|value| value * 3 + index).collect();
            equal(&format!("thread {index}, round {round}"), &host, &expected)?;
        }
        // SAFETY: nothing uses the memory or the stream after this.
        unsafe {
            gpu.free(values)?;
            gpu.destroy_stream(stream)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn many_threads_allocate_and_free_at_once(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    on_eight_threads(|index| {
        for round in 0..40 {
            let bytes = 1 + (index as usize * 977 + round * 131) % 5000;
            let content = pattern(bytes, u64::from(index) * 100 + round as u64);
            let memory = gpu.holding(&content)?;
            let mut found = vec![0; bytes];
            gpu.copy_to_host(&mut found, memory)?;
            equal(&format!("thread {index}, round {round}"), &found, &content)?;
            // SAFETY: nothing uses the memory.
            unsafe { gpu.free(memory) }?;
        }
        Ok(())
    })?;
    Ok(())
}

fn threads_that_resolve_a_kernel_at_once_get_one_handle(target: &Target) -> Result<()> {
    for _ in 0..10 {
        let gpu = target.open()?;
        let handles = on_eight_threads(|_| Ok([COUNT_UP.resolve(gpu.gpu())?, SEVENTY.resolve(gpu.gpu())?]))?;
        ensure!(handles.iter().all(|handle| *handle == handles[0]), "eight threads got {handles:?}");
    }
    Ok(())
}

fn a_stream_made_by_one_thread_is_used_by_another(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let gpu = target.open()?;
    let [stream, other] = [gpu.stream()?, gpu.stream()?];
    let event = gpu.create_event(false)?;
    let values = gpu.words(&[4; 16])?;
    let join = |work: &(dyn Fn() -> Result<()> + Sync)| -> Result<()> {
        std::thread::scope(|scope| scope.spawn(work).join().map_err(|_| anyhow!("the thread panicked"))?)
    };
    join(&|| {
        gpu.multiply_add_late(stream, values, 16, [2, 1])?;
        Ok(gpu.record_event(event, stream)?)
    })?;
    join(&|| {
        gpu.stream_wait_event(other, event)?;
        gpu.multiply_add(other, values, 16, [10, 0])
    })?;
    gpu.synchronize_stream(other)?;
    equal("work of three threads", &gpu.settled_words(values, 16)?, &[90; 16])
}

fn streams_and_events_are_destroyed_while_other_threads_use_them(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    // All of it is safe: whoever is too late is told so, and nobody uses what is gone.
    let (stream, event) = (AtomicU64::new(0), AtomicU64::new(0));
    let ended = AtomicBool::new(false);
    let late = |outcome: warpcall::Result<()>| match outcome {
        Ok(()) | Err(Error::UnknownHandle { .. }) => Ok(()),
        Err(error) => Err(error),
    };
    let use_them = || -> Result<()> {
        while !ended.load(Ordering::Acquire) {
            let number = StreamHandle::new(stream.load(Ordering::Acquire));
            late(gpu.synchronize_stream(number))?;
            late(gpu.is_stream_idle(number).map(drop))?;
            if let Some(event) = EventHandle::new(event.load(Ordering::Acquire)) {
                late(gpu.record_event(event, number))?;
                late(gpu.stream_wait_event(number, event))?;
                late(gpu.synchronize_event(event))?;
                late(gpu.is_event_done(event).map(drop))?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let users: Vec<_> = (0..4).map(|_| scope.spawn(use_them)).collect();
        let made = (0..400).try_for_each(|_| {
            let (made, mark) = (gpu.create_stream()?, gpu.create_event()?);
            stream.store(made.handle().get(), Ordering::Release);
            event.store(mark.handle().get(), Ordering::Release);
            made.record(&mark)?;
            made.destroy()?;
            mark.destroy()
        });
        ended.store(true, Ordering::Release);
        for user in users {
            user.join().map_err(|_| anyhow!("a thread panicked"))??;
        }
        Ok(made?)
    })
}

fn works(gpu: &Fixture, term: u32) -> Result<()> {
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add(StreamHandle::DEFAULT, values, 16, [2, term])?;
    equal("a launch on one of two backends", &gpu.settled_words(values, 16)?, &[8 + term; 16])
}

fn two_backends_share_no_kernel_and_no_memory(target: &Target) -> Result<()> {
    let [first, second] = [target.open()?, target.open()?];
    ensure!(first.id() != second.id(), "two backends have one id");
    ensure!(
        !std::ptr::eq(first.operation_cache(), second.operation_cache()),
        "two backends have one operation cache"
    );
    works(&first, 1)?;
    ensure!(
        target.makes_up_kernels || !second.has_module("conformance"),
        "a launch on one backend loaded a module into another"
    );
    works(&second, 2)?;
    works(&first, 3)?;
    // Resolved in another order, so that a handle of the one would be another kernel on the other.
    let [first, second] = [target.open()?, target.open()?];
    COUNT_UP.resolve(first.gpu())?;
    MULTIPLY_ADD.resolve(first.gpu())?;
    MULTIPLY_ADD.resolve(second.gpu())?;
    COUNT_UP.resolve(second.gpu())?;
    for gpu in [&first, &second] {
        works(gpu, 4)?;
        let values = gpu.allocate(16)?;
        gpu.count_up(StreamHandle::DEFAULT, values, 4, 7)?;
        equal("a launch on one of two backends", &gpu.settled_words(values, 4)?, &[7, 8, 9, 10])?;
    }
    Ok(())
}

fn a_backend_goes_on_working_when_another_is_closed(target: &Target) -> Result<()> {
    let kept = target.open()?;
    let values = kept.words(&[4; 16])?;
    for term in 0..5 {
        let closed = target.open()?;
        works(&closed, term)?;
        let left = closed.words(&[1; 100])?;
        closed.multiply_add_late(StreamHandle::DEFAULT, left, 100, [2, 1])?;
        // Closed with work enqueued and memory allocated.
        drop(closed);
        works(&kept, term)?;
    }
    equal("memory of the backend that stayed", &kept.settled_words(values, 16)?, &[4; 16])
}

fn a_backend_goes_on_capturing_whatever_another_does(target: &Target) -> Result<()> {
    target.require(super::graphs::NEEDED)?;
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add(stream, values, 16, [1, 0])?;
    gpu.synchronize()?;
    let around = |what: &str, other: fn(&Fixture) -> Result<()>| {
        gpu.begin_capture(stream)?;
        gpu.multiply_add(stream, values, 16, [2, 0])?;
        other(&target.open()?)?;
        ensure!(gpu.is_capturing(stream)?, "another backend {what}, and the capture ended");
        gpu.multiply_add(stream, values, 16, [1, 1])?;
        let graph = gpu.end_capture(stream).with_context(|| format!("another backend {what}"))?;
        gpu.copy_to_device_on(stream, values, bytemuck::cast_slice(&[4_u32; 16]))?;
        // SAFETY: the values live as long as the fixture.
        unsafe { gpu.launch_graph(graph, stream) }?;
        let what = format!("a graph, captured while another backend {what}");
        equal(&what, &gpu.settled_words(values, 16)?, &[9; 16])
    };
    around("waits for the device", |other| match other.synchronize() {
        // Refused where both share what a wait is for.
        Ok(()) | Err(Error::Capture { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    })?;
    around("works on its own stream", |other| {
        let (stream, values) = (other.stream()?, other.words(&[4; 16])?);
        other.multiply_add(stream, values, 16, [2, 1])?;
        other.copy_to_device_async(stream, values, bytemuck::cast_slice(&[3_u32; 8]))?;
        let mut found = [0_u32; 16];
        other.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values)?;
        equal("another backend's work during a capture", &found, &[[3; 8], [9; 8]].concat())
    })?;
    around("frees memory", |other| {
        let (memory, pinned) = (other.words(&[4; 16])?, other.allocate_pinned(64)?);
        // SAFETY: nothing uses either.
        unsafe {
            other.free(memory)?;
            Ok(other.free_pinned(pinned)?)
        }
    })?;
    around("captures", |other| {
        let stream = other.stream()?;
        other.begin_capture(stream)?;
        Ok(other.abandon_capture(stream)?)
    })?;
    around("is closed with work enqueued, memory allocated and a capture under way", |other| {
        let [busy, capturing] = [other.stream()?, other.stream()?];
        let (values, _) = (other.words(&[4; 16])?, other.allocate_pinned(64)?);
        other.begin_capture(capturing)?;
        other.multiply_add_late(busy, values, 16, [2, 1])
    })
}

fn scratch_memory_is_kept_by_name_and_grows(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let cache = gpu.operation_cache();
    let first = cache.scratch(gpu.gpu(), "first", 1000)?;
    let second = cache.scratch(gpu.gpu(), "second", 1000)?;
    ensure!(first != second, "two names have one piece of scratch memory");
    ensure!(
        cache.scratch(gpu.gpu(), "first", 500)? == first,
        "less was asked for, and another piece was given"
    );
    gpu.copy_to_device(second, &pattern(1000, 1))?;
    let grown = cache.scratch(gpu.gpu(), "first", 2000)?;
    gpu.copy_to_device(grown, &pattern(2000, 2))?;
    equal("scratch memory that has grown", &gpu.settled(grown, 2000)?, &pattern(2000, 2))?;
    equal("scratch memory beside it", &gpu.settled(second, 1000)?, &pattern(1000, 1))?;
    ensure!(
        cache.scratch(gpu.gpu(), "first", 2000)? == grown,
        "as much was asked for, and another piece was given"
    );
    Ok(())
}

fn scratch_memory_belongs_to_one_backend(target: &Target) -> Result<()> {
    let [first, second] = [target.open()?, target.open()?];
    let one = first.operation_cache().scratch(first.gpu(), "shared name", 1000)?;
    let two = second.operation_cache().scratch(second.gpu(), "shared name", 1000)?;
    first.copy_to_device(one, &pattern(1000, 1))?;
    second.copy_to_device(two, &pattern(1000, 2))?;
    equal("scratch memory of the first backend", &first.settled(one, 1000)?, &pattern(1000, 1))?;
    equal("scratch memory of the second backend", &second.settled(two, 1000)?, &pattern(1000, 2))
}
