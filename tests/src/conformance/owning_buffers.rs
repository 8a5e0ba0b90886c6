//! The owning layer: memory that frees itself, slices of it, and launches that take both.

use anyhow::{Result, ensure};
use warpcall::backend::Fill;
use warpcall::{Buffer, DevicePtr, Error, Float4, Gpu, LaunchConfig};

use super::check::{equal, expect_error, refused};
use super::kernels::{launch_accumulate, launch_count_up, launch_follow_pointers, launch_multiply_add};
use super::{Capability, Target};

super::tests! { "owning":
    elements_go_to_the_device_and_back,
    fresh_buffers_are_zero,
    a_buffer_without_elements_is_null_and_does_everything,
    a_slice_is_its_part_of_a_buffer_and_no_more,
    a_range_that_does_not_fit_is_refused_with_its_numbers,
    lengths_that_differ_are_refused_with_both_numbers,
    the_source_of_an_upload_on_a_stream_may_be_dropped_at_once,
    retained_sources_and_asynchronous_destinations_need_one_synchronisation,
    buffers_are_copied_and_filled_on_a_stream,
    launches_take_buffers_and_slices,
    a_nullable_parameter_takes_a_buffer_or_none,
    memory_of_another_backend_is_refused_by_launches_and_copies,
    a_stream_of_another_backend_is_refused_by_copies,
    dropping_a_buffer_frees_its_memory_after_the_work_on_it,
    buffers_keep_their_backend_open,
    freeing_a_buffer_says_that_it_succeeded,
    managed_buffers_are_zero_and_reached_by_both,
    pinned_buffers_are_zero_and_reached_by_both,
    drops_leave_nothing_behind,
}

fn elements_go_to_the_device_and_back(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let bytes: Vec<u8> = (0..=255).collect();
    equal("bytes", &gpu.upload(&bytes)?.to_vec(&stream)?, &bytes)?;
    let floats = [1.5_f32, -0.0, f32::MAX];
    equal("floats", &gpu.upload(&floats)?.to_vec(&stream)?, &floats)?;
    let vectors = [Float4::new(1.0, 2.0, 3.0, 4.0), Float4::new(5.0, 6.0, 7.0, 8.0)];
    let buffer = gpu.upload(&vectors)?;
    ensure!(buffer.len() == 2 && buffer.bytes() == 32 && !buffer.is_empty(), "{buffer:?}");
    equal("vectors", &buffer.to_vec(&stream)?, &vectors)?;
    let mut host = [Float4::default(); 2];
    buffer.copy_to_host(&stream, &mut host)?;
    equal("vectors copied to a slice", &host, &vectors)
}

fn fresh_buffers_are_zero(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    for _ in 0..10 {
        let mut buffer = gpu.zeros::<u16>(5001)?;
        equal("a fresh buffer", &buffer.to_vec(&stream)?, &[0; 5001])?;
        buffer.fill(&stream, Fill::Byte(0xEE))?;
    }
    Ok(())
}

fn a_buffer_without_elements_is_null_and_does_everything(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    // SAFETY: there is nothing to read.
    let none = unsafe { gpu.uninit::<f64>(0) }?;
    for mut buffer in [gpu.upload::<f64>(&[])?, gpu.zeros(0)?, none] {
        ensure!(buffer.is_empty() && buffer.bytes() == 0, "{buffer:?}");
        ensure!(
            buffer.device_ptr() == DevicePtr::NULL,
            "a buffer without elements lies at {}",
            buffer.device_ptr()
        );
        buffer.copy_from_host(&stream, &[])?;
        buffer.copy_to_host(&stream, &mut [])?;
        buffer.fill(&stream, Fill::Word(7))?;
        let other = gpu.zeros(0)?;
        buffer.copy_from_device(&stream, &other)?;
        equal("no elements", &buffer.to_vec(&stream)?, &[])?;
        ensure!(
            buffer.slice(..)?.is_empty() && buffer.slice_mut(0..0)?.is_empty(),
            "a slice of nothing is something"
        );
        refused("a slice past the end of nothing", buffer.slice(0..1))?;
    }
    Ok(())
}

fn a_slice_is_its_part_of_a_buffer_and_no_more(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let mut expected: Vec<u32> = (0..100).collect();
    let mut buffer = gpu.upload(&expected)?;
    let part = buffer.slice(10..30)?;
    ensure!(
        part.len() == 20 && part.bytes() == 80 && part.device_ptr() == buffer.device_ptr().byte_add(40),
        "{part:?}"
    );
    equal("a slice", &part.to_vec(&stream)?, &expected[10..30])?;
    equal("a slice of a slice", &part.slice(5..=6)?.to_vec(&stream)?, &[15, 16])?;
    equal("a slice to the end", &buffer.slice(97..)?.to_vec(&stream)?, &[97, 98, 99])?;

    buffer.slice_mut(20..25)?.copy_from_host(&stream, &[7; 5])?;
    expected[20..25].fill(7);
    let mut whole = buffer.slice_mut(..)?;
    whole.slice_mut(50..60)?.fill(&stream, Fill::Word(9))?;
    expected[50..60].fill(9);
    let (mut front, mut back) = whole.split_at_mut(40)?;
    ensure!(front.len() == 40 && back.len() == 60, "{front:?} and {back:?}");
    back.slice_mut(..40)?.copy_from_device(&stream, &front)?;
    expected.copy_within(..40, 40);
    front.reborrow().copy_from_host(&stream, &[1; 40])?;
    expected[..40].fill(1);
    equal("a buffer whose slices were written", &buffer.to_vec(&stream)?, &expected)
}

fn a_range_that_does_not_fit_is_refused_with_its_numbers(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let mut buffer = gpu.zeros::<u64>(1234)?;
    let past_the_end = [
        refused("slice", buffer.slice(5..1235).map(drop))?,
        refused("slice_mut", buffer.slice_mut(1235..).map(drop))?,
        refused("split_at_mut", buffer.split_at_mut(1235).map(drop))?,
    ];
    for error in past_the_end {
        let text = error.to_string();
        ensure!(text.contains("1234") && text.contains("1235"), "the error names not both numbers: {text}");
    }
    refused("a range whose last element is past the end", buffer.slice(..=1234).map(drop))?;
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = buffer.slice(7..3).map(drop);
    refused("a range that ends before it starts", reversed)?;
    refused("a range to the last number there is", buffer.slice(0..=usize::MAX).map(drop))?;
    refused("more elements than there are addresses", gpu.zeros::<u64>(usize::MAX / 4).map(drop))?;
    refused("more elements than there are addresses", gpu.zeros::<u64>(usize::MAX).map(drop))?;
    Ok(())
}

fn lengths_that_differ_are_refused_with_both_numbers(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let mut buffer = gpu.upload(&[5_u32; 123])?;
    let shorter = gpu.upload(&[1_u32; 77])?;
    let mut host = [2_u32; 77];
    // SAFETY: both are refused.
    let (retained, asynchronous) = unsafe {
        (buffer.copy_from_retained(&stream, &host), buffer.copy_to_host_async(&stream, &mut [0; 77]))
    };
    for (what, outcome) in [
        ("copy_from_host", buffer.copy_from_host(&stream, &host)),
        ("copy_to_host", buffer.copy_to_host(&stream, &mut host)),
        ("copy_from_device", buffer.copy_from_device(&stream, &shorter)),
        ("copy_from_retained", retained),
        ("copy_to_host_async", asynchronous),
    ] {
        let text = refused(what, outcome)?.to_string();
        ensure!(
            text.contains("123") && text.contains("77"),
            "the error of {what} names not both numbers: {text}"
        );
    }
    equal("the host's elements", &host, &[2; 77])?;
    equal("the buffer's elements", &buffer.to_vec(&stream)?, &[5; 123])
}

fn the_source_of_an_upload_on_a_stream_may_be_dropped_at_once(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let stream = gpu.create_stream()?;
    let mut buffer = gpu.zeros::<u32>(5000)?;
    fixture.multiply_add_late(stream.handle(), buffer.device_ptr(), 5000, [1, 1])?;
    let source: Vec<u32> = (0..5000).collect();
    buffer.copy_from_host(&stream, &source)?;
    drop(source);
    let _other = vec![0xEEEE_EEEE_u32; 5000];
    equal("elements whose source is gone", &buffer.to_vec(&stream)?, &(0..5000).collect::<Vec<_>>())
}

fn retained_sources_and_asynchronous_destinations_need_one_synchronisation(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?.owning();
    let stream = gpu.create_stream()?;
    let chunks: Vec<Vec<u16>> = (0..20).map(|chunk| (chunk * 100..chunk * 100 + 100).collect()).collect();
    let mut buffer = gpu.zeros::<u16>(2000)?;
    let mut found = vec![0_u16; 2000];
    for (index, chunk) in chunks.iter().enumerate() {
        // SAFETY: the chunks live, unchanged, until the stream is synchronised.
        unsafe { buffer.slice_mut(index * 100..index * 100 + 100)?.copy_from_retained(&stream, chunk) }?;
    }
    // SAFETY: the destination is not touched until the stream is synchronised.
    unsafe { buffer.copy_to_host_async(&stream, &mut found) }?;
    stream.synchronize()?;
    equal("twenty chunks there and back", &found, &(0..2000).collect::<Vec<_>>())
}

fn buffers_are_copied_and_filled_on_a_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let stream = gpu.create_stream()?;
    let source = gpu.upload(&[4_u32; 64])?;
    let mut copy = gpu.zeros::<u32>(64)?;
    fixture.multiply_add_late(stream.handle(), source.device_ptr(), 64, [2, 1])?;
    copy.copy_from_device(&stream, &source)?;
    copy.slice_mut(..8)?.fill(&stream, Fill::Byte(1))?;
    copy.slice_mut(56..)?.copy_from_device(&stream, source.slice(..8)?)?;
    let expected = [[0x0101_0101; 8].as_slice(), &[9; 56]].concat();
    equal("a buffer copied after a late launch", &copy.to_vec(&stream)?, &expected)?;
    let mut odd = gpu.zeros::<u8>(7)?;
    refused("filling seven bytes with words", odd.fill(&stream, Fill::Word(1)))?;
    Ok(())
}

fn launches_take_buffers_and_slices(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let config = LaunchConfig::for_elements(50, 32);
    let mut values = gpu.zeros::<u32>(100)?;
    let terms = gpu.upload(&[5_u32; 100])?;
    // SAFETY: each memory has the fifty words that the kernels use.
    unsafe {
        launch_count_up(&stream, config, &mut values, 50, 1000)?;
        launch_multiply_add(&stream, config, &mut values.slice_mut(50..)?, 50, 0, 7)?;
        launch_accumulate(&stream, config, &mut values, &terms.slice(50..)?, 50)?;
        let (mut front, back) = values.split_at_mut(50)?;
        launch_accumulate(&stream, config, &mut front, &back, 50)?;
    }
    let expected: Vec<u32> = (1000..1050).map(|value| value + 5 + 7).chain([7; 50]).collect();
    equal("launches on buffers and slices", &values.to_vec(&stream)?, &expected)
}

fn a_nullable_parameter_takes_a_buffer_or_none(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let one = LaunchConfig::new(1, 1);
    let mut seen = gpu.zeros::<f32>(5)?;
    let [plain, nullable, behind] =
        [gpu.upload(&[1.5_f32])?, gpu.upload(&[2.5_f32])?, gpu.upload(&[7.5_f32])?];
    let mut nullable_mutable = gpu.upload(&[3.5_f32])?;
    // Memory of any element serves as `void*`.
    let mut untyped = gpu.upload(&[42_u64])?;
    let table = gpu.upload(&[DevicePtr::NULL, behind.device_ptr()])?;
    let mut address = gpu.zeros::<u64>(1)?;
    // SAFETY: each pointer that is given leads to as many elements as the kernel uses.
    unsafe {
        launch_follow_pointers(
            &stream,
            one,
            &mut seen,
            &plain,
            &mut untyped,
            &nullable,
            &mut nullable_mutable,
            &table,
            &mut address,
        )
    }?;
    equal("with all pointers", &seen.to_vec(&stream)?, &[1.5, 42.0, 2.5, 3.5, 7.5])?;
    equal("what the nullable pointer wrote", &nullable_mutable.to_vec(&stream)?, &[99.0])?;
    // SAFETY: as above.
    unsafe {
        launch_follow_pointers(
            &stream,
            one,
            &mut seen,
            &plain,
            &mut untyped,
            None,
            None,
            &table,
            &mut address,
        )
    }?;
    equal("without the nullable ones", &seen.to_vec(&stream)?, &[1.5, 43.0, -1.0, -1.0, 7.5])
}

fn memory_of_another_backend_is_refused_by_launches_and_copies(target: &Target) -> Result<()> {
    let [gpu, other] = [target.open()?.owning(), target.open()?.owning()];
    let stream = gpu.default_stream();
    let mut values = gpu.upload(&[4_u32; 16])?;
    let mut foreign = other.upload(&[5_u32; 16])?;
    let config = LaunchConfig::new(1, 16);
    // SAFETY: both are refused.
    let (written, read) = unsafe {
        (
            launch_accumulate(&stream, config, &mut foreign, &values, 16),
            launch_accumulate(&stream, config, &mut values, &foreign, 16),
        )
    };
    expect_error!(written, Error::ForeignMemory { ref kernel, ref parameter, .. } if &**kernel == "accumulate" && &**parameter == "sums");
    expect_error!(read, Error::ForeignMemory { ref parameter, .. } if &**parameter == "terms");
    refused("a copy from another backend's memory", values.copy_from_device(&stream, &foreign))?;
    equal("this backend's memory", &values.to_vec(&stream)?, &[4; 16])?;
    equal("the other backend's memory", &foreign.to_vec(&other.default_stream())?, &[5; 16])
}

fn a_stream_of_another_backend_is_refused_by_copies(target: &Target) -> Result<()> {
    let [gpu, other] = [target.open()?.owning(), target.open()?.owning()];
    let stream = other.default_stream();
    let mut buffer = gpu.upload(&[4_u32; 16])?;
    let source = gpu.upload(&[5_u32; 16])?;
    expect_error!(buffer.to_vec(&stream), Error::ForeignStream { .. });
    expect_error!(buffer.copy_from_host(&stream, &[0; 16]), Error::ForeignStream { .. });
    expect_error!(buffer.copy_to_host(&stream, &mut [0; 16]), Error::ForeignStream { .. });
    expect_error!(buffer.copy_from_device(&stream, &source), Error::ForeignStream { .. });
    expect_error!(buffer.fill(&stream, Fill::Byte(0)), Error::ForeignStream { .. });
    equal("the buffer", &buffer.to_vec(&gpu.default_stream())?, &[4; 16])
}

fn dropping_a_buffer_frees_its_memory_after_the_work_on_it(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let stream = gpu.create_stream()?;
    let mut kept = gpu.zeros::<u32>(64)?;
    let used = gpu.upload(&[4_u32; 64])?;
    let address = used.device_ptr();
    fixture.multiply_add_late(stream.handle(), address, 64, [2, 1])?;
    kept.copy_from_device(&stream, &used)?;
    drop(used);
    equal("what was made of a dropped buffer", &kept.to_vec(&stream)?, &[9; 64])?;
    // SAFETY: it is refused.
    refused("freeing what a buffer has freed", unsafe { fixture.free(address) })?;
    ensure!(gpu.failed_drop_count() == 0, "drops failed: {:?}", gpu.take_failed_drops());
    Ok(())
}

fn buffers_keep_their_backend_open(target: &Target) -> Result<()> {
    let buffer: Buffer<u32> = {
        let gpu: Gpu = target.open()?.owning();
        gpu.upload(&[1, 2, 3])?
    };
    let stream = buffer.gpu().default_stream();
    equal("a buffer that outlived its device's value", &buffer.to_vec(&stream)?, &[1, 2, 3])
}

fn freeing_a_buffer_says_that_it_succeeded(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    gpu.upload(&[1_u8; 100])?.free()?;
    gpu.zeros::<u8>(0)?.free()?;
    ensure!(gpu.failed_drop_count() == 0, "drops failed: {:?}", gpu.take_failed_drops());
    Ok(())
}

fn managed_buffers_are_zero_and_reached_by_both(target: &Target) -> Result<()> {
    target.require(&[Capability::ManagedMemory])?;
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let mut buffer = gpu.managed::<u32>(100)?;
    equal("a fresh managed buffer", &buffer.to_vec(&stream)?, &[0; 100])?;
    // SAFETY: the buffer has a hundred words.
    unsafe { launch_count_up(&stream, LaunchConfig::new(1, 128), &mut buffer, 100, 5) }?;
    stream.synchronize()?;
    let Some(host) = buffer.host_ptr() else { anyhow::bail!("a managed buffer has no host address") };
    // SAFETY: a hundred words, and nothing is enqueued.
    let found = unsafe { std::slice::from_raw_parts(host.as_ptr(), 100) };
    equal("a managed buffer seen by the host", found, &(5..105).collect::<Vec<_>>())?;
    ensure!(gpu.zeros::<u32>(4)?.host_ptr().is_none(), "a buffer that is not managed has a host address");
    Ok(())
}

fn pinned_buffers_are_zero_and_reached_by_both(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?.owning();
    let stream = gpu.default_stream();
    let mut pinned = gpu.pinned::<u32>(100)?;
    equal("a fresh pinned buffer", &pinned, &[0; 100])?;
    pinned.fill(3);
    let mut alias = pinned.device_ptr()?;
    // SAFETY: the pinned buffer has a hundred words.
    unsafe { launch_multiply_add(&stream, LaunchConfig::new(1, 128), &mut alias, 100, 2, 1) }?;
    stream.synchronize()?;
    equal("a pinned buffer after a kernel", &pinned, &[7; 100])?;
    let mut buffer = gpu.zeros::<u32>(100)?;
    buffer.copy_from_host(&stream, &pinned)?;
    pinned.fill(0);
    equal("copied from a pinned buffer", &buffer.to_vec(&stream)?, &[7; 100])?;
    let none = gpu.pinned::<u64>(0)?;
    ensure!(none.is_empty() && none.device_ptr()?.is_null(), "a pinned buffer without elements: {none:?}");
    pinned.free()?;
    Ok(())
}

fn drops_leave_nothing_behind(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let before = gpu.memory_info()?;
    for _ in 0..50 {
        let buffers: Vec<_> = (0..4).map(|_| gpu.zeros::<u8>(1 << 20)).collect::<Result<_, _>>()?;
        drop(buffers);
    }
    let after = gpu.memory_info()?;
    // Two hundred times a mebibyte; other tests may use the same device meanwhile, with less than this.
    ensure!(
        after.free + (100 << 20) > before.free,
        "free memory went from {} to {}",
        before.free,
        after.free
    );
    ensure!(gpu.failed_drop_count() == 0, "drops failed: {:?}", gpu.take_failed_drops());
    Ok(())
}
