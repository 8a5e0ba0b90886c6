//! Tensor maps on the host backend: the rules of encoding, and the tiles that are read.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]
#![allow(clippy::float_cmp, reason = "small whole numbers are exact")]

use std::panic::Location;

use warpcall::backend::{
    CopyMemory, DeviceMemory, Interleave, Launch, LaunchKernels, OutsideFill, PinnedMemory, Swizzle,
    TensorElement, TensorMaps, TiledTensor,
};
use warpcall::{
    DevicePtr, Error, HostBackend, HostLaunch, Kernel, KernelArg, KernelParam, LaunchConfig, MemoryProblem,
    Module, Parameter, Result, StreamHandle, TensorMap,
};

/// Reads the tile at (column, row) and writes it out.
static TILE: Kernel = Kernel::new(
    Module::new("tile"),
    "tile",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::tensor_map("map"),
        Parameter::value("column", "i32", i32::DESCRIPTION),
        Parameter::value("row", "i32", i32::DESCRIPTION),
    ],
)
.with_host(|call| {
    call.run(|call| {
        let output: &mut [f32] = call.slice_mut::<f32, _>(0)?;
        call.launch().tile(call.tensor_map(1)?, &[call.value(2)?, call.value(3)?], output)
    })
});

fn run(
    backend: &HostBackend,
    output: DevicePtr,
    map: &TensorMap,
    [column, row]: [i32; 2],
) -> Result<[f32; 8]> {
    let (config, column, row) = (LaunchConfig::new(1, 1), column.pack(), row.pack());
    let args = [KernelArg::Buffer(output), map.arg(), column.arg(), row.arg()];
    let launch = Launch {
        kernel: TILE.resolve(backend)?,
        declaration: Some(&TILE),
        config: &config,
        stream: StreamHandle::DEFAULT,
        args: &args,
        params: &args.each_ref().map(KernelArg::as_param),
        extents: &[],
        location: Location::caller(),
    };
    // SAFETY: the host function is given what the arguments name, checked, and nothing else.
    unsafe { backend.launch(&launch) }?;
    let mut tile = [0.0; 8];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut tile), output)?;
    Ok(tile)
}

/// Three rows of six floats, numbered from 1, eight floats apart: `10 * row + column`.
fn matrix(backend: &HostBackend) -> TiledTensor {
    let values: Vec<f32> = (0..24_u8).map(|index| f32::from(10 * (index / 8 + 1) + index % 8 + 1)).collect();
    let memory = backend.allocate(96).unwrap();
    backend.copy_to_device(memory, bytemuck::cast_slice(&values)).unwrap();
    TiledTensor::matrix(memory, TensorElement::F32, [3, 6], 32, [2, 4])
}

#[test]
fn a_tile_is_read_with_zeros_outside() {
    let backend = HostBackend::new();
    let output = backend.allocate(32).unwrap();
    let map = backend.encode_tensor_map(&matrix(&backend)).unwrap();
    for (place, expected) in [
        ([0, 0], [11.0, 12.0, 13.0, 14.0, 21.0, 22.0, 23.0, 24.0]),
        ([1, 1], [22.0, 23.0, 24.0, 25.0, 32.0, 33.0, 34.0, 35.0]),
        ([4, 2], [35.0, 36.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ([-2, -1], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 11.0, 12.0]),
        ([6, 0], [0.0; 8]),
        ([-4, 0], [0.0; 8]),
        ([i32::MAX, i32::MIN], [0.0; 8]),
    ] {
        assert_eq!(run(&backend, output, &map, place).unwrap(), expected, "at {place:?}");
    }
}

#[test]
fn a_tensor_that_is_not_where_the_map_says_is_refused() {
    let backend = HostBackend::new();
    let output = backend.allocate(32).unwrap();
    let tensor = matrix(&backend);
    let mut taller = tensor.clone();
    taller.extents[1] = 4;
    let map = backend.encode_tensor_map(&taller).unwrap();
    let error = run(&backend, output, &map, [0, 3]).unwrap_err();
    assert!(
        matches!(&error, Error::Memory { operation, .. } if operation.contains("kernel `tile`")),
        "{error}"
    );

    let foreign = TensorMap::from_slots([7; 16]);
    assert!(run(&backend, output, &foreign, [0, 0]).is_err());

    let own = TiledTensor::matrix(output, TensorElement::F32, [2, 4], 16, [2, 4]);
    let error = run(&backend, output, &backend.encode_tensor_map(&own).unwrap(), [0, 0]).unwrap_err();
    assert!(error.to_string().contains("`output`"), "the tile would be written while it is read: {error}");

    let map = backend.encode_tensor_map(&tensor).unwrap();
    unsafe { backend.free(tensor.base) }.unwrap();
    let freed = run(&backend, output, &map, [0, 0]).unwrap_err().to_string();
    assert!(freed.contains("freed"), "{freed}");
}

#[test]
fn a_tensor_in_pinned_memory_which_a_slice_may_borrow_is_refused() {
    let backend = HostBackend::new();
    let output = backend.allocate(32).unwrap();
    let pinned = backend.allocate_pinned(96).unwrap();
    let tensor = TiledTensor::matrix(
        backend.pinned_device_ptr(pinned).unwrap(),
        TensorElement::F32,
        [3, 6],
        32,
        [2, 4],
    );
    let map = backend.encode_tensor_map(&tensor).unwrap();
    let error = run(&backend, output, &map, [0, 0]).unwrap_err();
    assert!(matches!(error, Error::Memory { problem: MemoryProblem::Pinned, .. }), "{error}");
    unsafe { backend.free_pinned(pinned) }.unwrap();
}

#[test]
fn elements_coordinates_and_length_must_be_the_maps() {
    let backend = HostBackend::new();
    let map = backend.encode_tensor_map(&matrix(&backend)).unwrap();
    let launch = HostLaunch::new(LaunchConfig::new(1, 1));
    let reason = |result: Result<()>| result.unwrap_err().to_string();
    assert!(reason(launch.tile(&map, &[0, 0], &mut [0_u16; 8])).contains("the size of an element is 2"));
    assert!(reason(launch.tile(&map, &[0], &mut [0.0_f32; 8])).contains("coordinates is 1; expected 2"));
    assert!(reason(launch.tile(&map, &[0, 0], &mut [0.0_f32; 7])).contains("length of the tile is 7"));
    assert!(reason(launch.tile(&map, &[0, 0], &mut [0.0_f32; 8])).contains("nothing was allocated"));
    assert!(
        launch.slice_at::<u8>(DevicePtr::new(64), 1).is_err(),
        "a launch without a backend has no memory"
    );
}

#[test]
fn five_dimensions_at_their_largest_go_through_the_map() {
    let backend = HostBackend::new();
    let memory = backend.allocate(64).unwrap();
    let tensor = TiledTensor::new(memory, TensorElement::U8, [1 << 32; 5], [256, 1, 256, 1, 1])
        .strides([(1 << 40) - 16; 4])
        .element_strides([8, 7, 6, 5, 4]);
    backend.encode_tensor_map(&tensor).unwrap();
}

#[test]
fn every_second_row_is_read_where_the_element_stride_is_two() {
    let backend = HostBackend::new();
    let output = backend.allocate(32).unwrap();
    // The stride of the first dimension is ignored.
    let mut tensor = matrix(&backend).element_strides([3, 2]);
    tensor.tile[1] = 3;
    assert_eq!(tensor.tile_bytes(), 32);
    let map = backend.encode_tensor_map(&tensor).unwrap();
    let expected = [11.0, 12.0, 13.0, 14.0, 31.0, 32.0, 33.0, 34.0];
    assert_eq!(run(&backend, output, &map, [0, 0]).unwrap(), expected);
    assert_eq!(run(&backend, output, &map, [0, 1]).unwrap(), [21.0, 22.0, 23.0, 24.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_swizzle_does_not_change_what_a_host_function_reads() {
    let backend = HostBackend::new();
    let output = backend.allocate(32).unwrap();
    let map = backend.encode_tensor_map(&matrix(&backend).swizzle(Swizzle::Bytes64)).unwrap();
    let expected = [11.0, 12.0, 13.0, 14.0, 21.0, 22.0, 23.0, 24.0];
    assert_eq!(run(&backend, output, &map, [0, 0]).unwrap(), expected);
}

#[test]
fn what_the_host_has_not_is_refused() {
    let backend = HostBackend::new();
    let memory = backend.allocate(4096).unwrap();
    let interleaved =
        TiledTensor::new(memory, TensorElement::F16, [8, 4, 4], [8, 2, 2]).interleave(Interleave::Bytes16);
    let with_nan = matrix(&backend).outside(OutsideFill::Nan);
    for (tensor, what) in [(interleaved, "interleaved"), (with_nan, "NaN")] {
        let error = backend.encode_tensor_map(&tensor).unwrap_err();
        assert!(matches!(error, Error::Unsupported { operation, .. } if operation.contains(what)), "{error}");
    }
}

#[test]
fn a_tensor_that_breaks_a_rule_is_not_encoded() {
    let backend = HostBackend::new();
    let mut tensor = matrix(&backend);
    tensor.tile[0] = 3;
    let error = backend.encode_tensor_map(&tensor).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { operation: "encode_tensor_map", .. }), "{error}");
}
