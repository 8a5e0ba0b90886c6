//! Slices of buffers: their ranges, their parts, and what a kernel is given of them.

use std::ops::Bound;

use warpcall::{
    Buffer, DeviceMut, DevicePtr, DeviceRef, DeviceSpan, Error, Gpu, NullableMut, NullableRef, Result, Slice,
    Void,
};

fn numbers(gpu: &Gpu) -> Result<warpcall::Buffer<u32>> {
    gpu.upload(&[10, 11, 12, 13, 14, 15])
}

#[test]
fn every_kind_of_range_cuts_out_what_it_says() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.default_stream();
    let buffer = numbers(&gpu)?;
    let read = |slice: Slice<'_, u32>| slice.to_vec(&stream);
    assert_eq!(read(buffer.slice(..)?)?, [10, 11, 12, 13, 14, 15]);
    assert_eq!(read(buffer.slice(4..)?)?, [14, 15]);
    assert_eq!(read(buffer.slice(..2)?)?, [10, 11]);
    assert_eq!(read(buffer.slice(1..=2)?)?, [11, 12]);
    assert_eq!(read(buffer.slice((Bound::Excluded(3), Bound::Unbounded))?)?, [14, 15]);
    assert_eq!(read(buffer.slice(1..5)?.slice(1..3)?)?, [12, 13], "counted from the slice");
    assert_eq!(buffer.slice(2..4)?.device_ptr(), buffer.device_ptr().byte_add(8));
    Ok(())
}

#[test]
fn a_range_outside_is_an_error_with_the_range_and_the_length() -> Result<()> {
    let gpu = Gpu::host()?;
    let mut buffer = numbers(&gpu)?;
    let message = |error: Result<()>| error.expect_err("the range is outside").to_string();
    assert_eq!(
        message(buffer.slice(2..7).map(drop)),
        "slice: the range is 2..7; expected a range within the 6 elements 0..6"
    );
    assert!(message(buffer.slice_mut(7..).map(drop)).contains("is 7..;"));
    assert!(message(buffer.slice(..=6).map(drop)).contains("is ..=6;"));
    assert!(message(buffer.slice((Bound::Included(4), Bound::Excluded(2))).map(drop)).contains("is 4..2;"));
    assert!(message(buffer.slice(0..=usize::MAX).map(drop)).contains("is 0..=18446744073709551615;"));
    assert!(message(buffer.split_at_mut(7).map(drop)).contains("is ..7;"));
    assert!(matches!(buffer.slice(1..3)?.slice(..3), Err(Error::InvalidArgument { .. })));
    Ok(())
}

#[test]
fn the_parts_of_a_split_are_written_side_by_side() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.default_stream();
    let mut buffer = numbers(&gpu)?;
    let (mut front, mut back) = buffer.split_at_mut(2)?;
    front.copy_from_host(&stream, &[1, 2])?;
    let (mut middle, end) = back.split_at_mut(2)?;
    middle.copy_from_device(&stream, &end)?;
    middle.reborrow().slice_mut(1..)?.copy_from_device(&stream, front.slice(..1)?)?;
    assert_eq!(buffer.to_vec(&stream)?, [1, 2, 14, 1, 14, 15]);

    let (all, none) = buffer.split_at_mut(6)?;
    assert_eq!((all.len(), none.len(), none.device_ptr()), (6, 0, DevicePtr::NULL));
    let (one, rest) = buffer.as_slice().split_at(1)?;
    assert_eq!((one.to_vec(&stream)?, rest.len()), (vec![1], 5));
    Ok(())
}

#[test]
fn a_kernel_is_given_address_length_and_owner() -> Result<()> {
    let gpu = Gpu::host()?;
    let mut buffer = numbers(&gpu)?;
    let start = buffer.device_ptr();
    let span = |offset, bytes| DeviceSpan {
        ptr: start.byte_add(offset),
        bytes: Some(bytes),
        backend: Some(gpu.id()),
    };
    assert_eq!(DeviceRef::<u32>::span(&buffer), span(0, 24));
    assert_eq!(DeviceRef::<Void>::span(&buffer), span(0, 24));
    assert_eq!(DeviceRef::<u32>::span(&buffer.slice(1..3)?), span(4, 8));
    assert_eq!(DeviceRef::<Void>::span(&buffer.slice_mut(1..3)?), span(4, 8));
    assert_eq!(DeviceMut::<u32>::span_mut(&mut buffer), span(0, 24));
    assert_eq!(DeviceMut::<u32>::span_mut(&mut buffer.slice_mut(5..)?), span(20, 4));
    assert_eq!(DeviceMut::<Void>::span_mut(&mut buffer.slice_mut(5..)?), span(20, 4));
    assert_eq!(NullableRef::<u32>::from(&buffer).span(), span(0, 24));
    assert_eq!(NullableMut::<Void>::from(&mut buffer).span(), span(0, 24));

    assert_eq!(DevicePtr::from(&buffer), start);
    assert_eq!(DevicePtr::from(&mut buffer), start);
    assert_eq!(DevicePtr::from(&buffer.slice(3..)?), start.byte_add(12));
    assert_eq!(DevicePtr::from(&mut buffer.slice_mut(3..)?), start.byte_add(12));
    Ok(())
}

#[test]
fn memory_that_may_be_missing_is_an_option_of_a_buffer() -> Result<()> {
    fn read<'a>(memory: impl Into<NullableRef<'a, u32>>) -> DevicePtr {
        memory.into().span().ptr
    }
    fn write<'a>(memory: impl Into<NullableMut<'a, u32>>) -> DevicePtr {
        memory.into().span().ptr
    }
    fn read_any<'a>(memory: impl Into<NullableRef<'a, Void>>) -> DevicePtr {
        memory.into().span().ptr
    }
    fn write_any<'a>(memory: impl Into<NullableMut<'a, Void>>) -> DevicePtr {
        memory.into().span().ptr
    }
    let gpu = Gpu::host()?;
    let mut some = Some(numbers(&gpu)?);
    let start = some.as_ref().map_or(DevicePtr::NULL, warpcall::Buffer::device_ptr);
    assert_eq!([read(some.as_ref()), write(some.as_mut())], [start, start]);
    assert_eq!(read_any(some.as_ref().map(NullableRef::from)), start);
    assert_eq!(write_any(some.as_mut().map(NullableMut::from)), start);

    let none: Option<Buffer<u32>> = None;
    assert!(read(none.as_ref()).is_null());
    assert!(
        read(None).is_null()
            && write(None).is_null()
            && read_any(None).is_null()
            && write_any(None).is_null()
    );
    assert!(read(NullableRef::null()).is_null() && write(NullableMut::null()).is_null());

    let slice = some.as_ref().map(|buffer| buffer.slice(2..)).transpose()?;
    assert_eq!(read(slice.as_ref().map_or(NullableRef::null(), NullableRef::from)), start.byte_add(8));
    Ok(())
}
