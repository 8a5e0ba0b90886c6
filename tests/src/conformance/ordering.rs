//! What is enqueued on a stream happens in order, and across streams where one waits for another.

use std::time::Duration;

use anyhow::{Result, ensure};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{Error, StreamHandle};

use super::check::{equal, expect_error};
use super::{Capability, Target};

super::tests! { "ordering":
    launches_on_a_stream_run_in_order,
    a_copy_sees_work_enqueued_before_it_on_its_stream,
    a_copy_to_the_device_waits_for_work_that_reads_its_destination,
    a_copy_within_the_device_sees_work_enqueued_before_it,
    a_2d_copy_sees_work_enqueued_before_it,
    a_memset_waits_for_work_enqueued_before_it,
    a_blocking_copy_sees_work_on_the_default_stream,
    a_blocking_memset_and_copy_come_after_work_on_the_default_stream,
    synchronising_a_stream_waits_for_all_of_its_work,
    synchronising_the_device_waits_for_every_stream,
    a_stream_that_waits_for_another_sees_its_work,
    a_stream_waits_for_the_default_stream_where_it_is_told_to,
    work_goes_round_through_three_streams_and_back,
    a_created_stream_does_not_wait_for_the_default_stream,
    a_stream_that_says_it_is_idle_has_done_its_work,
    a_fresh_stream_is_idle,
    destroying_a_stream_lets_its_work_run,
    streams_with_priorities_work_alike,
    the_default_stream_cannot_be_destroyed,
}

const DEFAULT: StreamHandle = StreamHandle::DEFAULT;

fn launches_on_a_stream_run_in_order(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let streams = if target.lacks.contains(&Capability::Streams) {
        vec![DEFAULT]
    } else {
        vec![DEFAULT, gpu.stream()?]
    };
    for stream in streams {
        let values = gpu.words(&[1; 33])?;
        gpu.multiply_add_late(stream, values, 33, [2, 1])?;
        let mut expected: u32 = 3;
        for step in 0..20 {
            gpu.multiply_add(stream, values, 33, [3, step])?;
            expected = expected.wrapping_mul(3).wrapping_add(step);
        }
        equal("twenty launches that do not commute", &gpu.settled_words(values, 33)?, &[expected; 33])?;
    }
    Ok(())
}

fn a_copy_sees_work_enqueued_before_it_on_its_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 64])?;
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    let mut found = [0_u32; 64];
    gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values)?;
    equal("a copy after a late launch", &found, &[9; 64])
}

fn a_copy_to_the_device_waits_for_work_that_reads_its_destination(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    for blocking in [false, true] {
        let values = gpu.words(&[4; 64])?;
        let earlier = gpu.words(&[0; 64])?;
        gpu.multiply_add_late(stream, values, 64, [2, 1])?;
        gpu.copy_within_device_async(stream, earlier, values, 256)?;
        let next = [7_u32; 64];
        if blocking {
            gpu.copy_to_device_on(stream, values, bytemuck::cast_slice(&next))?;
        } else {
            gpu.copy_to_device_async(stream, values, bytemuck::cast_slice(&next))?;
        }
        equal("what was read before the copy", &gpu.settled_words(earlier, 64)?, &[9; 64])?;
        equal("what the copy wrote", &gpu.settled_words(values, 64)?, &next)?;
    }
    Ok(())
}

fn a_copy_within_the_device_sees_work_enqueued_before_it(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [values, copied] = [gpu.words(&[4; 64])?, gpu.words(&[0; 64])?];
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    gpu.copy_within_device_async(stream, copied, values, 256)?;
    gpu.multiply_add(stream, values, 64, [0, 0])?;
    equal("a copy between two launches", &gpu.settled_words(copied, 64)?, &[9; 64])?;
    equal("its source after the second", &gpu.settled_words(values, 64)?, &[0; 64])
}

fn a_2d_copy_sees_work_enqueued_before_it(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [values, copied] = [gpu.words(&[4; 64])?, gpu.words(&[0; 64])?];
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    let copy = Copy2d { dst: copied, dst_pitch: 64, src: values, src_pitch: 64, width: 32, height: 4 };
    gpu.copy_2d_async(stream, &copy)?;
    gpu.multiply_add(stream, values, 64, [0, 0])?;
    let expected = [[9; 8], [0; 8]].concat().repeat(4);
    equal("a 2-D copy between two launches", &gpu.settled_words(copied, 64)?, &expected)
}

fn a_memset_waits_for_work_enqueued_before_it(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    for fill in [Fill::Byte(0), Fill::Word(0)] {
        let values = gpu.words(&[4; 64])?;
        gpu.multiply_add_late(stream, values, 64, [2, 1])?;
        gpu.memset_async(stream, values, fill, 128)?;
        gpu.multiply_add(stream, values, 64, [1, 1])?;
        let expected = [[1; 32], [10; 32]].concat();
        equal("a memset between two launches", &gpu.settled_words(values, 64)?, &expected)?;
    }
    Ok(())
}

fn a_blocking_copy_sees_work_on_the_default_stream(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 64])?;
    gpu.multiply_add_late(DEFAULT, values, 64, [2, 1])?;
    let mut found = [0_u32; 64];
    gpu.copy_to_host(bytemuck::cast_slice_mut(&mut found), values)?;
    equal("a blocking copy after a late launch", &found, &[9; 64])
}

fn a_blocking_memset_and_copy_come_after_work_on_the_default_stream(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [values, copied] = [gpu.words(&[4; 64])?, gpu.words(&[0; 64])?];
    gpu.multiply_add_late(DEFAULT, values, 64, [2, 1])?;
    gpu.copy_within_device(copied, values, 256)?;
    gpu.memset(values, Fill::Word(1), 128)?;
    gpu.multiply_add_late(DEFAULT, values, 64, [3, 0])?;
    gpu.copy_to_device(values, bytemuck::cast_slice(&[8_u32; 4]))?;
    let expected = [vec![8; 4], vec![3; 28], vec![27; 32]].concat();
    equal("blocking operations in the default stream's order", &gpu.settled_words(values, 64)?, &expected)?;
    equal("a blocking copy within the device", &gpu.settled_words(copied, 64)?, &[9; 64])
}

fn synchronising_a_stream_waits_for_all_of_its_work(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 64])?;
    let mut found = [0_u32; 64];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut found);
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    // SAFETY: the destination is not touched until the stream is synchronised.
    unsafe { gpu.copy_to_host_async(stream, bytes.as_mut_ptr(), values, 256) }?;
    gpu.synchronize_stream(stream)?;
    equal("what a synchronised stream left on the host", &found, &[19; 64])
}

fn synchronising_the_device_waits_for_every_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let mut found = [[0_u32; 16]; 4];
    let streams = [gpu.stream()?, gpu.stream()?, DEFAULT, gpu.stream()?];
    for (stream, found) in streams.into_iter().zip(&mut found) {
        let values = gpu.words(&[4; 16])?;
        gpu.multiply_add_late(stream, values, 16, [2, 1])?;
        // SAFETY: the destination is not touched until the device is synchronised.
        unsafe { gpu.copy_to_host_async(stream, found.as_mut_ptr().cast(), values, 64) }?;
    }
    gpu.synchronize()?;
    equal("what four streams left on the host", &found, &[[9; 16]; 4])
}

fn a_stream_that_waits_for_another_sees_its_work(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let gpu = target.open()?;
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 64])?;
    gpu.multiply_add_late(first, values, 64, [2, 1])?;
    gpu.stream_wait_stream(second, first)?;
    gpu.multiply_add(second, values, 64, [10, 0])?;
    let mut found = [0_u32; 64];
    gpu.copy_to_host_on(second, bytemuck::cast_slice_mut(&mut found), values)?;
    equal("work of two streams", &found, &[90; 64])
}

fn a_stream_waits_for_the_default_stream_where_it_is_told_to(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 64])?;
    gpu.multiply_add_late(DEFAULT, values, 64, [2, 1])?;
    gpu.stream_wait_stream(stream, DEFAULT)?;
    gpu.multiply_add_late(stream, values, 64, [10, 0])?;
    gpu.stream_wait_stream(DEFAULT, stream)?;
    gpu.multiply_add(DEFAULT, values, 64, [1, 5])?;
    let mut found = [0_u32; 64];
    gpu.copy_to_host(bytemuck::cast_slice_mut(&mut found), values)?;
    equal("from the default stream and back to it", &found, &[95; 64])
}

fn work_goes_round_through_three_streams_and_back(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let gpu = target.open()?;
    let streams = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[1; 8])?;
    let mut expected = 1_u32;
    for step in 0..9 {
        let stream = streams[step % 3];
        gpu.stream_wait_stream(stream, streams[(step + 2) % 3])?;
        let term = u32::try_from(step)?;
        gpu.multiply_add_after(Duration::from_millis(3), stream, values, 8, [3, term])?;
        expected = expected.wrapping_mul(3).wrapping_add(term);
    }
    gpu.synchronize_stream(streams[2])?;
    let mut found = [0_u32; 8];
    gpu.copy_to_host(bytemuck::cast_slice_mut(&mut found), values)?;
    equal("nine steps on three streams", &found, &[expected; 8])
}

fn a_created_stream_does_not_wait_for_the_default_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [slow, quick] = [gpu.words(&[1; 4])?, gpu.words(&[1; 4])?];
    gpu.load_kernels()?;
    // Where the launch itself waits until it is done, there is nothing to overtake.
    let executes_at_once = gpu.occupy(DEFAULT, slow, 4)?;
    gpu.multiply_add(stream, quick, 4, [2, 0])?;
    gpu.synchronize_stream(stream)?;
    ensure!(
        executes_at_once || !gpu.is_stream_idle(DEFAULT)?,
        "a created stream was done only after the default stream was"
    );
    equal("what the default stream did", &gpu.settled_words(slow, 4)?, &[2; 4])
}

fn a_stream_that_says_it_is_idle_has_done_its_work(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    for stream in [gpu.stream()?, DEFAULT] {
        let values = gpu.words(&[4; 64])?;
        let mut found = [0_u32; 64];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut found);
        gpu.multiply_add_late(stream, values, 64, [2, 1])?;
        // SAFETY: the destination is not touched until the stream is idle.
        unsafe { gpu.copy_to_host_async(stream, bytes.as_mut_ptr(), values, 256) }?;
        gpu.until("the stream is idle", || gpu.is_stream_idle(stream))?;
        equal("what an idle stream left on the host", &found, &[9; 64])?;
    }
    Ok(())
}

fn a_fresh_stream_is_idle(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    ensure!(gpu.is_stream_idle(stream)?, "a stream on which nothing was enqueued is not idle");
    gpu.synchronize_stream(stream)?;
    Ok(())
}

fn destroying_a_stream_lets_its_work_run(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 64])?;
    gpu.multiply_add_late(stream, values, 64, [2, 1])?;
    gpu.multiply_add(stream, values, 64, [2, 0])?;
    // SAFETY: the handle is not used again.
    unsafe { gpu.destroy_stream(stream) }?;
    equal("work of a stream that is gone", &gpu.settled_words(values, 64)?, &[18; 64])
}

fn streams_with_priorities_work_alike(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    for priority in [None, Some(0), Some(-1), Some(-100), Some(100)] {
        let stream = match gpu.create_stream(priority) {
            Ok(stream) => stream,
            // Not every device has so many.
            Err(Error::InvalidArgument { .. }) if priority.is_some_and(|priority| priority.abs() == 100) => {
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let values = gpu.words(&[4; 8])?;
        gpu.multiply_add(stream, values, 8, [2, 1])?;
        gpu.synchronize_stream(stream)?;
        equal(&format!("a stream of priority {priority:?}"), &gpu.settled_words(values, 8)?, &[9; 8])?;
        // SAFETY: the handle is not used again.
        unsafe { gpu.destroy_stream(stream) }?;
    }
    Ok(())
}

fn the_default_stream_cannot_be_destroyed(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    // SAFETY: it is refused.
    let destroyed = unsafe { gpu.destroy_stream(DEFAULT) };
    expect_error!(destroyed, Error::InvalidArgument { .. } | Error::UnknownHandle { .. });
    let values = gpu.words(&[4; 8])?;
    gpu.multiply_add(DEFAULT, values, 8, [2, 1])?;
    equal("the default stream afterwards", &gpu.settled_words(values, 8)?, &[9; 8])
}
