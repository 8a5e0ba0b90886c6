//! Events: marks on a stream.

use std::time::Duration;

use anyhow::{Result, ensure};
use warpcall::StreamHandle;

use super::check::{equal, refused};
use super::fixture::LATE;
use super::{Capability, Fixture, Target};

super::tests! { "events":
    an_event_is_done_when_the_work_before_it_is,
    waiting_for_an_event_waits_for_the_work_before_it,
    waiting_for_an_event_does_not_wait_for_the_work_after_it,
    a_stream_waits_for_an_event_of_another,
    a_wait_is_for_the_mark_that_stood_when_it_was_called,
    a_later_mark_replaces_an_earlier_one,
    one_event_can_hold_back_many_streams,
    an_event_that_was_never_recorded_is_waited_for_not_at_all,
    the_time_between_two_events_is_that_of_the_work_between_them,
    the_time_between_events_of_two_streams_can_be_taken,
    time_cannot_be_taken_with_an_event_without_timing,
    time_cannot_be_taken_with_an_event_that_was_not_recorded,
    time_cannot_be_taken_before_an_event_is_reached,
    an_event_outlives_its_stream,
    an_event_may_be_destroyed_once_a_stream_waits_for_it,
}

const NEEDED: &[Capability] = &[Capability::Streams, Capability::Events];

/// A fixture, a stream, and words that hold 4, copied to the host after a late launch has made them 9.
fn with_late_work(gpu: &Fixture, found: &mut [u32; 16]) -> Result<StreamHandle> {
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add_late(stream, values, 16, [2, 1])?;
    // SAFETY: the callers look at the words only when an event after this copy is reached.
    unsafe { gpu.copy_to_host_async(stream, found.as_mut_ptr().cast(), values, 64) }?;
    Ok(stream)
}

fn an_event_is_done_when_the_work_before_it_is(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    for timing in [false, true] {
        let event = gpu.create_event(timing)?;
        let mut found = [0; 16];
        let stream = with_late_work(&gpu, &mut found)?;
        gpu.record_event(event, stream)?;
        gpu.until("the event is done", || gpu.is_event_done(event))?;
        equal("what was there when the event was done", &found, &[9; 16])?;
        ensure!(gpu.is_event_done(event)?, "an event that was done is not any more");
    }
    Ok(())
}

fn waiting_for_an_event_waits_for_the_work_before_it(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    for timing in [false, true] {
        let event = gpu.create_event(timing)?;
        let mut found = [0; 16];
        let stream = with_late_work(&gpu, &mut found)?;
        gpu.record_event(event, stream)?;
        gpu.synchronize_event(event)?;
        equal("what was there after waiting for the event", &found, &[9; 16])?;
        ensure!(gpu.is_event_done(event)?, "an event that was waited for is not done");
    }
    Ok(())
}

fn waiting_for_an_event_does_not_wait_for_the_work_after_it(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    gpu.load_kernels()?;
    let event = gpu.create_event(false)?;
    let mut found = [0; 16];
    let stream = with_late_work(&gpu, &mut found)?;
    gpu.synchronize_stream(stream)?;
    gpu.record_event(event, stream)?;
    let slow = gpu.words(&[1; 4])?;
    let executes_at_once = gpu.occupy(stream, slow, 4)?;
    gpu.synchronize_event(event)?;
    ensure!(
        executes_at_once || !gpu.is_stream_idle(stream)?,
        "waiting for an event waited for work that was enqueued after it"
    );
    equal("the work after the event", &gpu.settled_words(slow, 4)?, &[2; 4])
}

fn a_stream_waits_for_an_event_of_another(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add_late(first, values, 16, [2, 1])?;
    gpu.record_event(event, first)?;
    gpu.stream_wait_event(second, event)?;
    gpu.multiply_add(second, values, 16, [10, 1])?;
    let mut found = [0_u32; 16];
    gpu.copy_to_host_on(second, bytemuck::cast_slice_mut(&mut found), values)?;
    equal("work that waited for an event", &found, &[91; 16])
}

fn a_wait_is_for_the_mark_that_stood_when_it_was_called(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    gpu.load_kernels()?;
    let event = gpu.create_event(false)?;
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let [values, slow] = [gpu.words(&[4; 16])?, gpu.words(&[1; 4])?];
    gpu.multiply_add_late(first, values, 16, [2, 1])?;
    gpu.record_event(event, first)?;
    gpu.stream_wait_event(second, event)?;
    let executes_at_once = gpu.occupy(first, slow, 4)?;
    gpu.record_event(event, first)?;
    gpu.multiply_add(second, values, 16, [10, 1])?;
    gpu.synchronize_stream(second)?;
    ensure!(
        executes_at_once || !gpu.is_stream_idle(first)?,
        "a stream waited for a mark that was set after it began to wait"
    );
    equal("work that waited for the first mark", &gpu.settled_words(values, 16)?, &[91; 16])
}

fn a_later_mark_replaces_an_earlier_one(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let quiet = gpu.stream()?;
    gpu.record_event(event, quiet)?;
    gpu.synchronize_event(event)?;
    let mut found = [0; 16];
    let stream = with_late_work(&gpu, &mut found)?;
    gpu.record_event(event, stream)?;
    gpu.synchronize_event(event)?;
    equal("what was there after waiting for the second mark", &found, &[9; 16])?;

    let mut found = [0; 16];
    let stream = with_late_work(&gpu, &mut found)?;
    gpu.record_event(event, stream)?;
    gpu.until("the event is done", || gpu.is_event_done(event))?;
    equal("what was there when the third mark was reached", &found, &[9; 16])
}

fn one_event_can_hold_back_many_streams(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let first = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add_late(first, values, 16, [2, 1])?;
    gpu.record_event(event, first)?;
    let mut copies = Vec::new();
    for _ in 0..5 {
        let stream = gpu.stream()?;
        let copy = gpu.words(&[0; 16])?;
        gpu.stream_wait_event(stream, event)?;
        gpu.copy_within_device_async(stream, copy, values, 64)?;
        copies.push((stream, copy));
    }
    for (stream, copy) in copies {
        let mut found = [0_u32; 16];
        gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), copy)?;
        equal("one of five copies after an event", &found, &[9; 16])?;
    }
    Ok(())
}

fn an_event_that_was_never_recorded_is_waited_for_not_at_all(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.stream_wait_event(stream, event)?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    gpu.synchronize_event(event)?;
    ensure!(gpu.is_event_done(event)?, "an event that was never recorded is not done");
    gpu.synchronize_stream(stream)?;
    equal("work behind an event without a mark", &gpu.settled_words(values, 16)?, &[9; 16])
}

fn plausible(time: Duration, least: Duration) -> Result<()> {
    ensure!(
        time >= least && time < Duration::from_secs(10),
        "{time:?} passed between two events, with at least {least:?} of work between them"
    );
    Ok(())
}

fn the_time_between_two_events_is_that_of_the_work_between_them(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [start, middle, end] = [gpu.create_event(true)?, gpu.create_event(true)?, gpu.create_event(true)?];
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 4])?;
    gpu.record_event(start, stream)?;
    gpu.multiply_add_late(stream, values, 4, [1, 1])?;
    gpu.record_event(middle, stream)?;
    gpu.multiply_add_late(stream, values, 4, [1, 1])?;
    gpu.multiply_add_late(stream, values, 4, [1, 1])?;
    gpu.record_event(end, stream)?;
    gpu.synchronize_event(end)?;
    // The clocks of host and device need not agree to the last digit.
    let work = LATE.mul_f64(0.9);
    plausible(gpu.elapsed(start, middle)?, work)?;
    plausible(gpu.elapsed(middle, end)?, work * 2)?;
    let [whole, parts] = [gpu.elapsed(start, end)?, gpu.elapsed(start, middle)? + gpu.elapsed(middle, end)?];
    let apart = whole.abs_diff(parts);
    ensure!(apart < Duration::from_millis(1), "the whole took {whole:?}, its two parts {parts:?}");
    ensure!(gpu.elapsed(start, start)? == Duration::ZERO, "time passed between an event and itself");
    Ok(())
}

fn the_time_between_events_of_two_streams_can_be_taken(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [start, end] = [gpu.create_event(true)?, gpu.create_event(true)?];
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[1; 4])?;
    gpu.record_event(start, first)?;
    gpu.stream_wait_event(second, start)?;
    gpu.multiply_add_late(second, values, 4, [1, 1])?;
    gpu.record_event(end, second)?;
    gpu.synchronize()?;
    plausible(gpu.elapsed(start, end)?, LATE.mul_f64(0.9))
}

fn time_cannot_be_taken_with_an_event_without_timing(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [with, without] = [gpu.create_event(true)?, gpu.create_event(false)?];
    for event in [with, without] {
        gpu.record_event(event, StreamHandle::DEFAULT)?;
    }
    gpu.synchronize()?;
    refused("elapsed from an event without timing", gpu.elapsed(without, with))?;
    refused("elapsed to an event without timing", gpu.elapsed(with, without))?;
    Ok(())
}

fn time_cannot_be_taken_with_an_event_that_was_not_recorded(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [recorded, not] = [gpu.create_event(true)?, gpu.create_event(true)?];
    gpu.record_event(recorded, StreamHandle::DEFAULT)?;
    gpu.synchronize()?;
    refused("elapsed from an event that was not recorded", gpu.elapsed(not, recorded))?;
    refused("elapsed to an event that was not recorded", gpu.elapsed(recorded, not))?;
    Ok(())
}

fn time_cannot_be_taken_before_an_event_is_reached(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    gpu.load_kernels()?;
    let [start, end] = [gpu.create_event(true)?, gpu.create_event(true)?];
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 4])?;
    gpu.record_event(start, stream)?;
    gpu.occupy(stream, values, 4)?;
    gpu.record_event(end, stream)?;
    let early = gpu.elapsed(start, end);
    // Where the launch itself waits until it is done, the event was reached already.
    if !gpu.is_event_done(end)? {
        refused("elapsed to an event that is not reached", early)?;
    }
    gpu.synchronize_event(end)?;
    plausible(gpu.elapsed(start, end)?, Duration::from_millis(270))
}

fn an_event_outlives_its_stream(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let mut found = [0; 16];
    let stream = with_late_work(&gpu, &mut found)?;
    gpu.record_event(event, stream)?;
    // SAFETY: the handle is not used again.
    unsafe { gpu.destroy_stream(stream) }?;
    gpu.synchronize_event(event)?;
    equal("what was there after an event of a stream that is gone", &found, &[9; 16])
}

fn an_event_may_be_destroyed_once_a_stream_waits_for_it(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let event = gpu.create_event(false)?;
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add_late(first, values, 16, [2, 1])?;
    gpu.record_event(event, first)?;
    gpu.stream_wait_event(second, event)?;
    // SAFETY: the handle is not used again.
    unsafe { gpu.destroy_event(event) }?;
    gpu.multiply_add(second, values, 16, [10, 1])?;
    gpu.synchronize_stream(second)?;
    equal("work that waited for an event that is gone", &gpu.settled_words(values, 16)?, &[91; 16])
}
