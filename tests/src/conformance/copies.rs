//! Copies and memsets: that every byte arrives, and no other byte changes.

use anyhow::Result;
use warpcall::backend::{Copy2d, Fill};
use warpcall::{DevicePtr, StreamHandle};

use super::check::{elements, equal, pattern};
use super::{Fixture, Target};

super::tests! { "copies":
    a_blocking_copy_brings_every_byte_there_and_back,
    copies_work_at_odd_lengths_and_offsets,
    a_copy_touches_nothing_beside_its_range,
    a_large_copy_arrives_whole,
    a_copy_on_a_stream_is_done_when_it_returns,
    a_copy_within_the_device_is_done_when_it_returns,
    an_asynchronous_copy_within_the_device_arrives,
    a_2d_copy_honours_both_pitches,
    a_2d_copy_with_rows_as_wide_as_both_pitches_is_one_block,
    a_2d_copy_may_interleave_with_its_own_source,
    a_byte_memset_fills_its_range_alone,
    a_word_memset_fills_its_range_alone,
    a_word_memset_keeps_the_order_of_its_bytes,
    copies_of_no_bytes_succeed_wherever_they_point,
    the_same_memory_can_be_the_source_of_copies_again_and_again,
}

const STREAM: StreamHandle = StreamHandle::DEFAULT;

fn a_blocking_copy_brings_every_byte_there_and_back(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let content = pattern(4096, 1);
    let memory = gpu.allocate(4096)?;
    gpu.copy_to_device(memory, &content)?;
    let mut back = vec![0; 4096];
    gpu.copy_to_host(&mut back, memory)?;
    equal("a copy there and back", &back, &content)
}

fn copies_work_at_odd_lengths_and_offsets(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut expected = pattern(512, 2);
    let memory = gpu.holding(&expected)?;
    for (index, (offset, bytes)) in
        [(0, 1), (1, 1), (3, 7), (5, 64), (100, 33), (255, 257), (511, 1)].into_iter().enumerate()
    {
        let piece = pattern(bytes, 100 + index as u64);
        expected[offset..offset + bytes].copy_from_slice(&piece);
        gpu.copy_to_device(memory.byte_add(offset), &piece)?;
        let mut back = vec![0; bytes];
        gpu.copy_to_host(&mut back, memory.byte_add(offset))?;
        equal(&format!("{bytes} bytes at offset {offset}"), &back, &piece)?;
    }
    equal("the whole after pieces of it", &gpu.settled(memory, 512)?, &expected)
}

fn a_copy_touches_nothing_beside_its_range(target: &Target) -> Result<()> {
    type Write = (&'static str, fn(&Fixture, DevicePtr, &[u8]) -> Result<()>);
    const WRITES: &[Write] = &[
        ("copy_to_device", |gpu, dst, src| Ok(gpu.copy_to_device(dst, src)?)),
        ("copy_to_device_on", |gpu, dst, src| Ok(gpu.copy_to_device_on(STREAM, dst, src)?)),
        ("copy_to_device_async", |gpu, dst, src| Ok(gpu.copy_to_device_async(STREAM, dst, src)?)),
        ("copy_within_device", |gpu, dst, src| {
            Ok(gpu.copy_within_device(dst, gpu.holding(src)?, src.len())?)
        }),
        ("copy_within_device_async", |gpu, dst, src| {
            Ok(gpu.copy_within_device_async(STREAM, dst, gpu.holding(src)?, src.len())?)
        }),
    ];
    let gpu = target.open()?;
    for (name, write) in WRITES {
        let mut expected = pattern(300, 3);
        let memory = gpu.holding(&expected)?;
        expected[101..150].copy_from_slice(&pattern(49, 4));
        write(&gpu, memory.byte_add(101), &pattern(49, 4))?;
        equal(&format!("memory around what {name} wrote"), &gpu.settled(memory, 300)?, &expected)?;
    }
    let memory = gpu.holding(&pattern(300, 3))?;
    let mut destination = vec![0xEE; 300];
    gpu.copy_to_host(&mut destination[10..20], memory)?;
    gpu.copy_to_host_on(STREAM, &mut destination[30..40], memory.byte_add(1))?;
    let mut expected = vec![0xEE; 300];
    expected[10..20].copy_from_slice(&pattern(300, 3)[..10]);
    expected[30..40].copy_from_slice(&pattern(300, 3)[1..11]);
    equal("host memory around what was copied to it", &destination, &expected)
}

fn a_large_copy_arrives_whole(target: &Target) -> Result<()> {
    // Larger than any staging buffer is likely to be, and no multiple of one.
    const BYTES: usize = (24 << 20) + 3;
    let gpu = target.open()?;
    let content = pattern(BYTES, 5);
    let [first, second] = [gpu.allocate(BYTES)?, gpu.allocate(BYTES)?];
    gpu.copy_to_device_async(STREAM, first, &content)?;
    gpu.copy_within_device_async(STREAM, second, first, BYTES)?;
    let mut back = vec![0; BYTES];
    gpu.copy_to_host_on(STREAM, &mut back, second)?;
    equal("a large copy", &back, &content)
}

fn a_copy_on_a_stream_is_done_when_it_returns(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let memory = gpu.allocate(1000)?;
    let mut source = pattern(1000, 6);
    gpu.copy_to_device_on(STREAM, memory, &source)?;
    source.fill(0);
    let mut back = vec![0; 1000];
    gpu.copy_to_host_on(STREAM, &mut back, memory)?;
    equal("copied on the default stream", &back, &pattern(1000, 6))
}

fn a_copy_within_the_device_is_done_when_it_returns(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [dst, src] = [gpu.allocate(1000)?, gpu.holding(&pattern(1000, 7))?];
    gpu.copy_within_device(dst, src, 1000)?;
    // A blocking copy from the host would change what is copied, had it not been done.
    gpu.copy_to_device(src, &pattern(1000, 8))?;
    equal("a blocking copy within the device", &gpu.settled(dst, 1000)?, &pattern(1000, 7))?;
    equal("its source afterwards", &gpu.settled(src, 1000)?, &pattern(1000, 8))
}

fn an_asynchronous_copy_within_the_device_arrives(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [dst, src] = [gpu.holding(&[1; 1000])?, gpu.holding(&pattern(1000, 9))?];
    gpu.copy_within_device_async(STREAM, dst.byte_add(3), src.byte_add(5), 900)?;
    let mut expected = vec![1; 1000];
    expected[3..903].copy_from_slice(&pattern(1000, 9)[5..905]);
    equal("an asynchronous copy within the device", &gpu.settled(dst, 1000)?, &expected)?;
    equal("its source afterwards", &gpu.settled(src, 1000)?, &pattern(1000, 9))
}

/// The same copy on the host.
fn copy_2d(dst: &mut [u8], dst_pitch: usize, src: &[u8], src_pitch: usize, width: usize, height: usize) {
    for row in 0..height {
        dst[row * dst_pitch..][..width].copy_from_slice(&src[row * src_pitch..][..width]);
    }
}

fn a_2d_copy_honours_both_pitches(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for (dst_pitch, src_pitch, width, height) in [
        (40, 24, 16, 9),
        (24, 40, 24, 9),
        (17, 31, 13, 20),
        (64, 64, 1, 30),
        (500, 16, 16, 3),
        (16, 16, 5, 1),
    ] {
        let source = pattern(2000, 10);
        let mut expected = pattern(2000, 11);
        let [dst, src] = [gpu.holding(&expected)?, gpu.holding(&source)?];
        let copy =
            Copy2d { dst: dst.byte_add(7), dst_pitch, src: src.byte_add(11), src_pitch, width, height };
        gpu.copy_2d_async(STREAM, &copy)?;
        copy_2d(&mut expected[7..], dst_pitch, &source[11..], src_pitch, width, height);
        let what = format!("{height} rows of {width} bytes, pitch {src_pitch} to {dst_pitch}");
        equal(&what, &gpu.settled(dst, 2000)?, &expected)?;
        equal("the source of a 2-D copy", &gpu.settled(src, 2000)?, &source)?;
    }
    Ok(())
}

fn a_2d_copy_with_rows_as_wide_as_both_pitches_is_one_block(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [dst, src] = [gpu.holding(&[0; 600])?, gpu.holding(&pattern(600, 12))?];
    let copy = Copy2d { dst, dst_pitch: 50, src, src_pitch: 50, width: 50, height: 11 };
    gpu.copy_2d_async(STREAM, &copy)?;
    let mut expected = pattern(600, 12);
    expected[550..].fill(0);
    equal("eleven whole rows", &gpu.settled(dst, 600)?, &expected)
}

fn a_2d_copy_may_interleave_with_its_own_source(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut expected = pattern(400, 13);
    let memory = gpu.holding(&expected)?;
    // The left half of each row into its right half: no byte is in both.
    let copy =
        Copy2d { dst: memory.byte_add(20), dst_pitch: 40, src: memory, src_pitch: 40, width: 20, height: 10 };
    gpu.copy_2d_async(STREAM, &copy)?;
    for row in expected.chunks_mut(40) {
        row.copy_within(..20, 20);
    }
    equal("rows copied beside themselves", &gpu.settled(memory, 400)?, &expected)
}

fn a_byte_memset_fills_its_range_alone(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for (offset, bytes) in [(0, 300), (1, 1), (3, 5), (7, 250), (299, 1)] {
        let mut expected = pattern(300, 14);
        let blocking = gpu.holding(&expected)?;
        let asynchronous = gpu.holding(&expected)?;
        gpu.memset(blocking.byte_add(offset), Fill::Byte(0xA7), bytes)?;
        gpu.memset_async(STREAM, asynchronous.byte_add(offset), Fill::Byte(0xA7), bytes)?;
        expected[offset..offset + bytes].fill(0xA7);
        equal(&format!("memset of {bytes} bytes at {offset}"), &gpu.settled(blocking, 300)?, &expected)?;
        equal(
            &format!("memset_async of {bytes} bytes at {offset}"),
            &gpu.settled(asynchronous, 300)?,
            &expected,
        )?;
    }
    Ok(())
}

fn a_word_memset_fills_its_range_alone(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for (first, count) in [(0, 75), (1, 1), (3, 5), (74, 1)] {
        let mut expected: Vec<u32> = elements(&pattern(300, 15));
        let [blocking, asynchronous] = [gpu.words(&expected)?, gpu.words(&expected)?];
        gpu.memset(blocking.byte_add(first * 4), Fill::Word(0xDEAD_BEEF), count * 4)?;
        gpu.memset_async(STREAM, asynchronous.byte_add(first * 4), Fill::Word(0xDEAD_BEEF), count * 4)?;
        expected[first..first + count].fill(0xDEAD_BEEF);
        equal(&format!("memset of {count} words at {first}"), &gpu.settled_words(blocking, 75)?, &expected)?;
        equal(
            &format!("memset_async of {count} words at {first}"),
            &gpu.settled_words(asynchronous, 75)?,
            &expected,
        )?;
    }
    Ok(())
}

fn a_word_memset_keeps_the_order_of_its_bytes(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let memory = gpu.allocate(8)?;
    gpu.memset(memory, Fill::Word(0x0403_0201), 8)?;
    equal("a word in memory", &gpu.settled(memory, 8)?, &[1, 2, 3, 4, 1, 2, 3, 4])
}

fn copies_of_no_bytes_succeed_wherever_they_point(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let memory = gpu.holding(&pattern(100, 16))?;
    for at in [memory, memory.byte_add(100), DevicePtr::NULL] {
        gpu.copy_to_device(at, &[])?;
        gpu.copy_to_host(&mut [], at)?;
        gpu.copy_to_device_on(STREAM, at, &[])?;
        gpu.copy_to_host_on(STREAM, &mut [], at)?;
        gpu.copy_to_device_async(STREAM, at, &[])?;
        // SAFETY: nothing is read or written.
        unsafe {
            gpu.copy_to_device_retained(STREAM, at, std::ptr::null(), 0)?;
            gpu.copy_to_host_async(STREAM, std::ptr::null_mut(), at, 0)?;
        }
        gpu.copy_within_device(at, at, 0)?;
        gpu.copy_within_device_async(STREAM, at, at, 0)?;
        for (width, height) in [(0, 4), (4, 0), (0, 0)] {
            let copy = Copy2d { dst: at, dst_pitch: 4, src: at, src_pitch: 4, width, height };
            gpu.copy_2d_async(STREAM, &copy)?;
        }
        for fill in [Fill::Byte(1), Fill::Word(1)] {
            gpu.memset(at, fill, 0)?;
            gpu.memset_async(STREAM, at, fill, 0)?;
        }
    }
    equal("memory after copies of no bytes", &gpu.settled(memory, 100)?, &pattern(100, 16))
}

fn the_same_memory_can_be_the_source_of_copies_again_and_again(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let source = gpu.holding(&pattern(64, 17))?;
    let gathered = gpu.allocate(64 * 50)?;
    for index in 0..50 {
        gpu.copy_within_device_async(STREAM, gathered.byte_add(index * 64), source, 64)?;
    }
    equal("fifty copies of one piece", &gpu.settled(gathered, 64 * 50)?, &pattern(64, 17).repeat(50))
}
