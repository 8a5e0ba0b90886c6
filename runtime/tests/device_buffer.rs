//! Buffers: what is allocated, what arrives, and what is refused.

use warpcall::backend::Fill;
use warpcall::backend::mock::{Call, CallKind};
use warpcall::{Buffer, DevicePtr, Error, Gpu, MemoryProblem, MockBackend, Result};

fn delayed() -> Result<Gpu> {
    Gpu::builder().host_delayed().open()
}

/// The error's found and expected words, where it is one of an argument.
fn found_and_expected<T: std::fmt::Debug>(result: Result<T>) -> (String, String) {
    match result {
        Err(Error::InvalidArgument { found, expected, .. }) => (found.into(), expected.into()),
        other => panic!("expected an invalid argument, got {other:?}"),
    }
}

#[test]
fn uploaded_elements_come_back() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let elements: Vec<u64> = (0..1000).map(|index| index * 0x0101_0101_0101).collect();
    let buffer = gpu.upload(&elements)?;
    assert_eq!((buffer.len(), buffer.bytes()), (1000, 8000));
    assert_eq!(buffer.to_vec(&stream)?, elements);

    let mut into = vec![0; 1000];
    buffer.copy_to_host(&stream, &mut into)?;
    assert_eq!(into, elements);
    Ok(())
}

#[test]
fn zeros_are_zero_also_where_memory_was_used_before() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.default_stream();
    drop(gpu.upload(&[u32::MAX; 512])?);
    assert_eq!(gpu.zeros::<u32>(512)?.to_vec(&stream)?, [0; 512]);
    Ok(())
}

#[test]
fn a_buffer_without_bytes_allocates_nothing_and_is_null() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.default_stream();
    let mut empty = gpu.upload::<f32>(&[])?;
    let mut units = gpu.zeros::<()>(3)?;
    empty.copy_from_host(&stream, &[])?;
    empty.copy_from_device(&stream, &gpu.zeros::<f32>(0)?)?;
    empty.fill(&stream, Fill::Word(1))?;
    units.copy_from_host(&stream, &[(); 3])?;

    assert_eq!((empty.device_ptr(), empty.is_empty()), (DevicePtr::NULL, true));
    assert_eq!((units.device_ptr(), units.len(), units.bytes()), (DevicePtr::NULL, 3, 0));
    assert_eq!(empty.to_vec(&stream)?, [0.0; 0]);
    assert_eq!(units.to_vec(&stream)?, [(); 3]);
    drop((empty, units));
    assert_eq!(mock.calls(), []);
    Ok(())
}

#[test]
fn a_size_that_overflows_is_an_error_that_names_length_and_element() -> Result<()> {
    let gpu = Gpu::host()?;
    let (found, expected) = found_and_expected(gpu.zeros::<u32>(usize::MAX));
    assert_eq!(found, "18446744073709551615 elements of 4 bytes");
    assert_eq!(expected, "at most 9223372036854775807 bytes in all");
    // SAFETY: nothing is allocated.
    assert!(matches!(unsafe { gpu.uninit::<u16>(usize::MAX / 2) }, Err(Error::InvalidArgument { .. })));
    assert!(matches!(gpu.pinned::<u64>(usize::MAX / 8), Err(Error::InvalidArgument { .. })));
    assert!(matches!(gpu.managed::<u64>(usize::MAX / 4), Err(Error::InvalidArgument { .. })));
    Ok(())
}

#[test]
fn elements_aligned_beyond_what_memory_has_are_refused() -> Result<()> {
    #[derive(Clone, Copy)]
    #[repr(C, align(512))]
    struct Wide([u8; 512]);
    // SAFETY: bytes without padding, of which every pattern is a value.
    unsafe impl bytemuck::Zeroable for Wide {}
    // SAFETY: as above.
    unsafe impl bytemuck::Pod for Wide {}

    let (found, expected) = found_and_expected(Gpu::host()?.zeros::<Wide>(1));
    assert_eq!((found.as_str(), &expected[..11]), ("512 bytes", "at most 256"));
    Ok(())
}

#[test]
fn lengths_that_differ_are_errors_with_both_numbers() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut buffer = gpu.upload(&[1_u8, 2, 3])?;
    let four = gpu.zeros::<u8>(4)?;
    let three_of = |(found, expected): (String, String)| {
        assert!(expected.starts_with("3,"), "{expected}");
        found
    };
    assert_eq!(three_of(found_and_expected(buffer.copy_from_host(&stream, &[0; 2]))), "2 elements");
    assert_eq!(three_of(found_and_expected(buffer.copy_to_host(&stream, &mut [0; 5]))), "5 elements");
    assert_eq!(three_of(found_and_expected(buffer.copy_from_device(&stream, &four))), "4 elements");
    // SAFETY: both are refused before the host memory is touched.
    unsafe {
        let retained = buffer.copy_from_retained(&stream, &[0; 6]);
        assert_eq!(three_of(found_and_expected(retained)), "6 elements");
        let back = buffer.copy_to_host_async(&stream, &mut [0; 7]);
        assert_eq!(three_of(found_and_expected(back)), "7 elements");
    }
    assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    Ok(())
}

#[test]
fn a_fill_writes_bytes_or_words_and_refuses_parts_of_words() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut words = gpu.zeros::<u32>(3)?;
    words.fill(&stream, Fill::Byte(0xAB))?;
    assert_eq!(words.to_vec(&stream)?, [0xABAB_ABAB; 3]);
    words.fill(&stream, Fill::Word(0x0102_0304))?;
    assert_eq!(words.to_vec(&stream)?, [0x0102_0304; 3]);

    let mut bytes = gpu.zeros::<u8>(8)?;
    let (found, expected) = found_and_expected(bytes.slice_mut(..6)?.fill(&stream, Fill::Word(7)));
    assert!(found.starts_with("6 bytes at 0x") && expected.contains("multiples of 4"), "{found}; {expected}");
    assert!(bytes.slice_mut(1..5)?.fill(&stream, Fill::Word(7)).is_err(), "the address is odd");
    assert_eq!(bytes.to_vec(&stream)?, [0; 8]);
    Ok(())
}

#[test]
fn a_stream_of_another_backend_is_refused_by_every_operation() -> Result<()> {
    let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    let foreign = other.create_stream()?;
    let source = gpu.upload(&[9_u8; 4])?;
    let mut buffer = gpu.upload(&[1_u8, 2, 3, 4])?;
    let refused = |result: Result<()>| match result {
        Err(Error::ForeignStream { stream, backend, .. }) => {
            assert_eq!((stream, backend), (other.label(), gpu.label()));
        }
        other => panic!("expected a foreign stream, got {other:?}"),
    };
    refused(buffer.copy_from_host(&foreign, &[0; 4]));
    refused(buffer.copy_from_device(&foreign, &source));
    refused(buffer.fill(&foreign, Fill::Byte(0)));
    refused(buffer.copy_to_host(&foreign, &mut [0; 4]));
    refused(buffer.to_vec(&foreign).map(drop));
    // SAFETY: both are refused before the host memory is touched.
    unsafe {
        refused(buffer.copy_from_retained(&foreign, &[0; 4]));
        refused(buffer.copy_to_host_async(&foreign, &mut [0; 4]));
    }
    // Also where there would be nothing to copy.
    refused(gpu.zeros::<u8>(0)?.copy_from_host(&foreign, &[]));
    assert_eq!(buffer.to_vec(&gpu.default_stream())?, [1, 2, 3, 4]);
    Ok(())
}

#[test]
fn memory_of_another_backend_is_no_source_of_a_copy() -> Result<()> {
    let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    let foreign = other.upload(&[9_u16; 4])?;
    let mut buffer = gpu.zeros::<u16>(4)?;
    match buffer.copy_from_device(&gpu.default_stream(), &foreign) {
        Err(Error::Memory { ptr, bytes, problem, .. }) => {
            assert_eq!((ptr, bytes, problem), (foreign.device_ptr(), 8, MemoryProblem::Foreign));
        }
        other => panic!("expected foreign memory, got {other:?}"),
    }
    Ok(())
}

#[test]
fn the_source_of_a_plain_copy_may_change_before_the_copy_runs() -> Result<()> {
    let gpu = delayed()?;
    let stream = gpu.create_stream()?;
    let mut buffer = gpu.zeros::<u8>(3)?;
    let mut source = vec![1, 2, 3];
    buffer.copy_from_host(&stream, &source)?;
    source.fill(9);
    drop(source);
    assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    Ok(())
}

#[test]
fn many_retained_chunks_arrive_with_one_synchronisation() -> Result<()> {
    let mock = MockBackend::over(delayed()?.backend().clone());
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let mut buffer = gpu.zeros::<u32>(6)?;
    let chunks = [[1, 2], [3, 4], [5, 6]];
    for (index, chunk) in chunks.iter().enumerate() {
        // SAFETY: `chunks` outlives the synchronisation below and is not written.
        unsafe { buffer.slice_mut(2 * index..2 * index + 2)?.copy_from_retained(&stream, chunk)? };
    }
    stream.synchronize()?;
    assert_eq!(mock.count(CallKind::SynchronizeStream), 1);
    assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3, 4, 5, 6]);
    Ok(())
}

#[test]
fn an_asynchronous_copy_to_the_host_arrives_with_the_synchronisation() -> Result<()> {
    let gpu = delayed()?;
    let stream = gpu.create_stream()?;
    let buffer = gpu.upload(&[5_i16, -6, 7])?;
    let mut back = [0_i16; 3];
    // SAFETY: `back` is left alone until the stream is synchronised.
    unsafe { buffer.copy_to_host_async(&stream, &mut back)? };
    stream.synchronize()?;
    assert_eq!(back, [5, -6, 7]);
    Ok(())
}

#[test]
fn what_is_enqueued_still_reads_a_buffer_that_was_dropped() -> Result<()> {
    let gpu = delayed()?;
    let stream = gpu.create_stream()?;
    let mut copy = gpu.zeros::<u8>(4)?;
    let source = gpu.upload(&[1_u8, 2, 3, 4])?;
    copy.copy_from_device(&stream, &source)?;
    drop(source);
    let reused = gpu.upload(&[9_u8; 4])?;
    assert_eq!(copy.to_vec(&stream)?, [1, 2, 3, 4]);
    assert_eq!(reused.to_vec(&stream)?, [9; 4]);
    assert_eq!(gpu.failed_drop_count(), 0);
    Ok(())
}

#[test]
fn managed_memory_is_zero_and_the_host_reaches_it() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut managed = gpu.managed::<u32>(2)?;
    assert_eq!(managed.to_vec(&stream)?, [0, 0]);
    managed.copy_from_host(&stream, &[3, 4])?;
    stream.synchronize()?;
    let host = managed.host_ptr().expect("managed memory has a host address");
    assert_eq!(host.as_ptr().addr() as u64, managed.device_ptr().address());
    // SAFETY: the memory holds two elements, and nothing is enqueued.
    assert_eq!(unsafe { std::slice::from_raw_parts(host.as_ptr(), 2) }, [3, 4]);
    assert!(gpu.managed::<u32>(0)?.host_ptr().is_none());
    Ok(())
}

#[test]
fn the_backend_learns_where_the_caller_allocates_and_frees() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let first = line!() + 1;
    let uploaded = gpu.upload(&[1_u8])?;
    let zeros = gpu.zeros::<u8>(1)?;
    // SAFETY: nothing reads the elements.
    let uninit = unsafe { gpu.uninit::<u8>(1)? };
    let managed = gpu.managed::<u8>(1)?;
    let pinned = gpu.pinned::<u8>(1)?;
    uploaded.free()?;
    pinned.free()?;
    let lines: Vec<(CallKind, u32)> = mock
        .take_calls()
        .iter()
        .filter_map(|call| match call {
            Call::Allocate { location, .. }
            | Call::AllocateManaged { location, .. }
            | Call::AllocatePinned { location, .. }
            | Call::Free { location: Some(location), .. }
            | Call::FreePinned { location: Some(location), .. } => {
                assert_eq!(location.file(), file!());
                Some((call.kind(), location.line() - first))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        lines,
        [
            (CallKind::Allocate, 0),
            (CallKind::Allocate, 1),
            (CallKind::Allocate, 3),
            (CallKind::AllocateManaged, 4),
            (CallKind::AllocatePinned, 5),
            (CallKind::Free, 6),
            (CallKind::FreePinned, 7),
        ]
    );
    drop((zeros, uninit, managed));
    let dropped = mock.take_calls();
    assert!(dropped.iter().all(|call| matches!(call, Call::Free { location: None, .. })), "{dropped:?}");
    Ok(())
}

#[test]
fn a_buffer_whose_upload_fails_is_freed() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::CopyToDevice, 1);
    assert!(matches!(gpu.upload(&[1_u8]), Err(Error::Injected { call: "copy_to_device", number: 1, .. })));
    mock.fail(CallKind::Memset, 1);
    assert!(matches!(gpu.zeros::<u8>(1), Err(Error::Injected { call: "memset", .. })));
    assert_eq!((mock.count(CallKind::Allocate), mock.count(CallKind::Free)), (2, 2));
    Ok(())
}

#[test]
fn buffers_go_from_thread_to_thread() -> Result<()> {
    let gpu = Gpu::host()?;
    let buffer: Buffer<u8> = gpu.upload(&[1, 2])?;
    let back = std::thread::spawn(move || buffer.to_vec(&buffer.gpu().default_stream()));
    assert_eq!(back.join().expect("the thread does not panic")?, [1, 2]);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_before_the_backend_sees_it() -> Result<()> {
    let [mock, other] = [MockBackend::new()?, MockBackend::new()?];
    let (gpu, foreign) = (Gpu::from_backend(mock.clone()), Gpu::from_backend(other));
    let stream = gpu.default_stream();
    let mut bytes = gpu.zeros::<u8>(8)?;
    let source = foreign.zeros::<u8>(8)?;
    mock.clear_calls();

    let filled = bytes.slice_mut(1..5)?.fill(&stream, Fill::Word(7));
    assert!(
        matches!(filled, Err(Error::InvalidArgument { operation: "fill", .. })),
        "an address between two words"
    );
    let filled = bytes.slice_mut(..6)?.fill(&stream, Fill::Word(7));
    assert!(matches!(filled, Err(Error::InvalidArgument { operation: "fill", .. })), "a word and a half");
    let copied = bytes.copy_from_device(&stream, &source);
    assert!(matches!(copied, Err(Error::Memory { problem: MemoryProblem::Foreign, .. })));
    assert_eq!(mock.calls(), []);
    Ok(())
}
