//! Tensor maps on the host backend: the rules of encoding, and the tiles that are read.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]
#![allow(clippy::float_cmp, reason = "small whole numbers are exact")]

use std::panic::Location;

use warpcall::backend::{
    CopyMemory, DeviceMemory, Launch, LaunchKernels, PinnedMemory, TensorMaps, TiledTensor,
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
    TiledTensor::matrix(memory, 4, [3, 6], 32, [2, 4])
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

    let own = TiledTensor::matrix(output, 4, [2, 4], 16, [2, 4]);
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
    let tensor = TiledTensor::matrix(backend.pinned_device_ptr(pinned).unwrap(), 4, [3, 6], 32, [2, 4]);
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
    let mut tensor = TiledTensor::matrix(memory, 1, [1, 1], 16, [1, 16]);
    tensor.extents = vec![1 << 32; 5];
    tensor.strides = vec![(1 << 40) - 16; 4];
    tensor.tile = vec![256, 1, 256, 1, 1];
    backend.encode_tensor_map(&tensor).unwrap();
}

#[test]
fn each_rule_of_encoding_is_named() {
    let backend = HostBackend::new();
    let good = matrix(&backend);
    let refused = |change: &dyn Fn(&mut TiledTensor)| {
        let mut tensor = good.clone();
        change(&mut tensor);
        match backend.encode_tensor_map(&tensor) {
            Err(Error::InvalidArgument { operation: "encode_tensor_map", what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&|tensor| tensor.extents.clear()).contains("number of extents"));
    assert!(refused(&|tensor| tensor.extents.extend([1; 4])).contains("number of extents"));
    assert!(refused(&|tensor| tensor.strides.push(16)).contains("number of strides"));
    assert!(refused(&|tensor| tensor.tile.truncate(1)).contains("number of the tile's extents"));
    assert!(refused(&|tensor| tensor.element_bytes = 3).contains("size of an element"));
    assert!(refused(&|tensor| tensor.base = tensor.base.byte_add(8)).contains("address"));
    assert!(refused(&|tensor| tensor.base = DevicePtr::NULL).contains("address"));
    assert!(refused(&|tensor| tensor.extents[1] = 0).contains("extent of dimension 1"));
    assert!(refused(&|tensor| tensor.extents[0] = (1 << 32) + 1).contains("extent of dimension 0"));
    assert!(refused(&|tensor| tensor.strides[0] = 24).contains("stride of dimension 1"));
    assert!(refused(&|tensor| tensor.strides[0] = 1 << 40).contains("stride of dimension 1"));
    assert!(refused(&|tensor| tensor.tile[1] = 257).contains("tile's extent in dimension 1"));
    assert!(refused(&|tensor| tensor.tile[0] = 0).contains("tile's extent in dimension 0"));
    assert!(refused(&|tensor| tensor.tile[0] = 3).contains("a row of the tile"));
}
