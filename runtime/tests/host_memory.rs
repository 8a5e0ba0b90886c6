//! The host backend's memory: what it holds, where it ends, and who it belongs to.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]

use std::ptr::NonNull;

use warpcall::backend::{Copy2d, CopyMemory, DeviceInfo, DeviceMemory, Fill, PinnedMemory, Streams};
use warpcall::{DevicePtr, Error, HostBackend, MemoryProblem, StreamHandle};

fn problem(result: warpcall::Result<impl std::fmt::Debug>) -> (String, MemoryProblem) {
    match result {
        Err(Error::Memory { operation, problem, .. }) => (operation.into(), problem),
        other => panic!("expected a memory problem, found {other:?}"),
    }
}

fn read<const N: usize>(backend: &HostBackend, ptr: DevicePtr) -> [u8; N] {
    let mut bytes = [0; N];
    backend.copy_to_host(&mut bytes, ptr).unwrap();
    bytes
}

#[test]
fn what_was_copied_in_comes_out_from_inside_as_well() {
    let backend = HostBackend::new();
    let memory = backend.allocate(8).unwrap();
    assert_eq!(memory.address() % 256, 0);
    backend.copy_to_device(memory, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    backend.copy_to_device(memory.byte_add(3), &[9, 10]).unwrap();
    assert_eq!(read(&backend, memory), [1, 2, 3, 9, 10, 6, 7, 8]);
    assert_eq!(read(&backend, memory.byte_add(6)), [7, 8]);
}

#[test]
fn memory_that_was_never_written_reads_as_not_a_number() {
    let backend = HostBackend::new();
    let memory = backend.allocate(4).unwrap();
    assert!(f32::from_le_bytes(read(&backend, memory)).is_nan());
}

#[test]
fn one_byte_past_the_end_is_out_of_bounds() {
    let backend = HostBackend::new();
    let memory = backend.allocate(4).unwrap();
    let out = MemoryProblem::OutOfBounds { start: memory, length: 4 };
    assert_eq!(
        problem(backend.copy_to_device(memory.byte_add(1), &[0; 4])),
        ("copy_to_device".into(), out.clone())
    );
    assert_eq!(problem(backend.memset(memory.byte_add(5), Fill::Byte(0), 1)), ("memset".into(), out.clone()));
    assert_eq!(
        problem(backend.memset(memory, Fill::Byte(0), usize::MAX)).1,
        out,
        "a length that wraps around"
    );
}

#[test]
fn a_neighbour_is_not_reached_past_the_end() {
    let backend = HostBackend::new();
    let first = backend.allocate(256).unwrap();
    let second = backend.allocate(256).unwrap();
    assert!(second.address() - first.address() > 256, "a guard lies between them");
    let past = problem(backend.copy_to_device(first.byte_add(256), &[0]));
    assert_eq!(past.1, MemoryProblem::OutOfBounds { start: first, length: 256 });
}

#[test]
fn null_unknown_freed_and_foreign_pointers_are_told_apart() {
    let (backend, other) = (HostBackend::new(), HostBackend::new());
    let mut byte = [0];
    let mut problem_of = |ptr| problem(backend.copy_to_host(&mut byte, ptr)).1;

    assert_eq!(problem_of(DevicePtr::NULL), MemoryProblem::Null);
    assert_eq!(problem_of(DevicePtr::new(0x1234)), MemoryProblem::Unknown);
    let local = 0_u8;
    assert_eq!(problem_of(DevicePtr::new(&raw const local as u64)), MemoryProblem::Unknown, "a host address");

    let freed = backend.allocate(64).unwrap();
    unsafe { backend.free(freed) }.unwrap();
    assert_eq!(problem_of(freed.byte_add(5)), MemoryProblem::Freed);
    for _ in 0..1000 {
        let again = backend.allocate(64).unwrap();
        assert_ne!(again, freed);
        unsafe { backend.free(again) }.unwrap();
    }
    assert_eq!(problem_of(freed), MemoryProblem::Freed, "no address comes back");

    assert_eq!(problem_of(other.allocate(64).unwrap()), MemoryProblem::Foreign);
    assert_eq!(problem_of(other.allocate_managed(64).unwrap()), MemoryProblem::Foreign);
}

#[test]
fn freeing_twice_in_the_middle_or_elsewhere_is_refused() {
    let (backend, other) = (HostBackend::new(), HostBackend::new());
    let memory = backend.allocate(64).unwrap();
    let free = |ptr| problem(unsafe { backend.free(ptr) });
    assert_eq!(free(memory.byte_add(8)), ("free".into(), MemoryProblem::NotAStart));
    assert_eq!(free(other.allocate(8).unwrap()).1, MemoryProblem::Foreign);
    assert_eq!(free(DevicePtr::NULL).1, MemoryProblem::Null);
    unsafe { backend.free(memory) }.unwrap();
    assert_eq!(free(memory).1, MemoryProblem::Freed);
}

#[test]
fn the_memory_is_bounded_and_what_is_free_is_told() {
    let backend = HostBackend::builder().memory(1000).open().unwrap();
    let memory = backend.allocate(600).unwrap();
    let info = backend.memory_info().unwrap();
    assert_eq!((info.total, info.free, info.driver_free, info.baseline_free), (1000, 400, 400, 1000));
    match backend.allocate(401) {
        Err(Error::OutOfMemory { memory: "device", requested: 401, available: 400 }) => {}
        other => panic!("{other:?}"),
    }
    unsafe { backend.free(memory) }.unwrap();
    assert_eq!(backend.memory_info().unwrap().free, 1000);
    backend.allocate(1000).unwrap();
    assert!(matches!(backend.allocate_managed(1), Err(Error::OutOfMemory { memory: "managed", .. })));
    assert!(matches!(backend.allocate_pinned(1001), Err(Error::OutOfMemory { memory: "pinned", .. })));
    assert!(matches!(backend.allocate(0), Err(Error::InvalidArgument { .. })));
    assert!(HostBackend::builder().memory(0).open().is_err());
}

#[test]
fn managed_memory_is_reached_from_both_sides() {
    let backend = HostBackend::new();
    let memory = backend.allocate_managed(4).unwrap();
    let host = std::ptr::with_exposed_provenance_mut::<u8>(memory.address().try_into().unwrap());
    backend.memset(memory, Fill::Byte(7), 4).unwrap();
    // SAFETY: managed memory is at the same address on the host, and nothing else uses it.
    unsafe {
        assert_eq!(host.add(3).read(), 7);
        host.write(1);
    }
    assert_eq!(read(&backend, memory), [1, 7, 7, 7]);
    unsafe { backend.free(memory) }.unwrap();
    assert_eq!(problem(backend.memset(memory, Fill::Byte(7), 1)).1, MemoryProblem::Freed);
}

#[test]
fn pinned_memory_is_zero_and_has_an_alias_on_the_device() {
    let backend = HostBackend::new();
    let host = backend.allocate_pinned(16).unwrap();
    let alias = backend.pinned_device_ptr(host).unwrap();
    assert_ne!(alias.address(), host.as_ptr() as u64);
    // SAFETY: sixteen bytes that nothing writes.
    assert_eq!(unsafe { std::slice::from_raw_parts(host.as_ptr(), 16) }, [0; 16]);
    // SAFETY: inside of the allocation.
    let fifth = unsafe { host.add(5) };
    assert_eq!(backend.pinned_device_ptr(fifth).unwrap(), alias.byte_add(5));

    assert!(matches!(unsafe { backend.free(alias) }, Err(Error::InvalidArgument { .. })));
    assert_eq!(problem(unsafe { backend.free_pinned(fifth) }).1, MemoryProblem::NotAStart);
    unsafe { backend.free_pinned(host) }.unwrap();
    assert_eq!(problem(unsafe { backend.free_pinned(host) }).1, MemoryProblem::Unknown);
    assert_eq!(problem(backend.pinned_device_ptr(NonNull::dangling())).1, MemoryProblem::Unknown);
    assert_eq!(problem(backend.memset(alias, Fill::Byte(0), 1)).1, MemoryProblem::Freed);
}

#[test]
fn a_slice_of_managed_memory_is_not_copied_onto_itself() {
    let backend = HostBackend::new();
    let alias = backend.allocate_managed(16).unwrap();
    let host = std::ptr::with_exposed_provenance::<u8>(usize::try_from(alias.address()).unwrap());
    // SAFETY: initialised, and nothing writes it: what overlaps is refused, and the rest lies behind.
    let half = unsafe { std::slice::from_raw_parts(host, 8) };
    let overlap = |result| matches!(problem(result).1, MemoryProblem::Overlap { .. });
    assert!(overlap(backend.copy_to_device(alias.byte_add(7), half)));
    assert!(overlap(backend.copy_to_device_async(StreamHandle::DEFAULT, alias, half)));
    backend.copy_to_device(alias.byte_add(8), half).unwrap();
}

#[test]
fn copies_within_the_device_must_not_overlap() {
    let backend = HostBackend::new();
    let memory = backend.allocate(8).unwrap();
    backend.copy_to_device(memory, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let found = problem(backend.copy_within_device(memory.byte_add(3), memory, 4));
    assert_eq!(found, ("copy_within_device".into(), MemoryProblem::Overlap { other: memory }));
    backend.copy_within_device(memory.byte_add(4), memory, 4).unwrap();
    assert_eq!(read(&backend, memory), [1, 2, 3, 4, 1, 2, 3, 4]);
}

#[test]
fn a_rectangle_goes_row_by_row_between_pitches() {
    let backend = HostBackend::new();
    let memory = backend.allocate(12).unwrap();
    let copy = |copy: &Copy2d| backend.copy_2d_async(StreamHandle::DEFAULT, copy);
    backend.copy_to_device(memory, &(0..12).collect::<Vec<u8>>()).unwrap();

    // The left column pair of a 3 by 4 matrix to the right: the rows interleave and do not overlap.
    let columns =
        Copy2d { dst: memory.byte_add(2), dst_pitch: 4, src: memory, src_pitch: 4, width: 2, height: 3 };
    copy(&columns).unwrap();
    assert_eq!(read(&backend, memory), [0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9]);

    let shifted = Copy2d { dst: memory.byte_add(1), ..columns };
    assert!(matches!(problem(copy(&shifted)).1, MemoryProblem::Overlap { .. }));
    assert!(matches!(copy(&Copy2d { src_pitch: 1, ..columns }), Err(Error::InvalidArgument { .. })));
    assert!(matches!(problem(copy(&Copy2d { height: 4, ..columns })).1, MemoryProblem::OutOfBounds { .. }));
    assert!(matches!(
        problem(copy(&Copy2d { height: usize::MAX, ..columns })).1,
        MemoryProblem::OutOfBounds { .. }
    ));
    copy(&Copy2d { height: 0, dst: DevicePtr::NULL, ..columns }).unwrap();
}

#[test]
fn words_are_filled_whole_and_aligned() {
    let backend = HostBackend::new();
    let memory = backend.allocate(12).unwrap();
    backend.memset(memory, Fill::Byte(0), 12).unwrap();
    backend.memset(memory.byte_add(4), Fill::Word(0x0403_0201), 8).unwrap();
    assert_eq!(read(&backend, memory), [0, 0, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4]);
    assert!(matches!(backend.memset(memory, Fill::Word(0), 6), Err(Error::InvalidArgument { .. })));
    assert_eq!(
        problem(backend.memset(memory.byte_add(2), Fill::Word(0), 4)).1,
        MemoryProblem::Misaligned { align: 4 }
    );
}

#[test]
fn no_bytes_are_copied_from_nowhere() {
    let backend = HostBackend::new();
    backend.copy_to_device(DevicePtr::NULL, &[]).unwrap();
    backend.copy_to_host(&mut [], DevicePtr::NULL).unwrap();
    backend.copy_within_device(DevicePtr::NULL, DevicePtr::NULL, 0).unwrap();
    backend.memset(DevicePtr::NULL, Fill::Word(1), 0).unwrap();
}

#[test]
fn threads_allocate_copy_and_free_beside_each_other() {
    let backend = HostBackend::new();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let backend = &backend;
            scope.spawn(move || {
                let stream = backend.create_stream(None).unwrap();
                for round in 0..50_u8 {
                    let memory = backend.allocate(64).unwrap();
                    backend.copy_to_device_async(stream, memory, &[thread ^ round; 64]).unwrap();
                    let mut bytes = [0; 64];
                    backend.copy_to_host_on(stream, &mut bytes, memory).unwrap();
                    assert_eq!(bytes, [thread ^ round; 64]);
                    unsafe { backend.free(memory) }.unwrap();
                }
            });
        }
    });
    let info = backend.memory_info().unwrap();
    assert_eq!(info.free, info.total);
}

#[test]
fn scratch_memory_is_refused_to_a_backend_with_another_cache() {
    let [first, second] = [HostBackend::new(), HostBackend::new()];
    let scratch = first.operation_cache().scratch(&first, "name", 10).unwrap();
    let outcome = first.operation_cache().scratch(&second, "name", 1000);
    assert!(matches!(outcome, Err(Error::InvalidArgument { operation: "scratch", .. })), "{outcome:?}");
    assert_eq!(first.operation_cache().scratch(&first, "name", 10).unwrap(), scratch, "it is still there");
}
