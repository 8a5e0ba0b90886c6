//! Tensor maps: what can be encoded, and which rule is broken where it cannot.

use anyhow::{Result, ensure};
use warpcall::backend::{L2Promotion, Swizzle, TensorElement, TiledTensor};
use warpcall::{LaunchConfig, StreamHandle};

use super::check::{equal, refused};
use super::kernels::launch_echo_tensor_map;
use super::{Capability, Fixture, Target};

super::tests! { "tensor_maps":
    the_map_of_a_matrix_arrives_at_the_kernel,
    maps_of_different_tensors_differ,
    a_tensor_that_breaks_a_rule_is_refused,
}

/// 64 rows of 32 floats, in tiles of 8 by 16.
fn matrix(gpu: &Fixture) -> Result<TiledTensor> {
    Ok(TiledTensor::matrix(gpu.allocate(64 * 128)?, TensorElement::F32, [64, 32], 128, [8, 16]))
}

fn the_map_of_a_matrix_arrives_at_the_kernel(target: &Target) -> Result<()> {
    target.require(&[Capability::TensorMaps])?;
    let gpu = target.open()?;
    let map = gpu.encode_tensor_map(&matrix(&gpu)?)?;
    ensure!(map.slots().iter().any(|slot| *slot != 0), "the encoded map is empty");
    let mut seen = gpu.holding(&[0xEE; 131])?;
    // SAFETY: the memory has room for the map and its two neighbours.
    unsafe {
        let stream = &gpu.on(StreamHandle::DEFAULT);
        launch_echo_tensor_map(stream, LaunchConfig::new(1, 1), &mut seen, 1, &map, 2)
    }?;
    let mut expected = vec![1];
    expected.extend(bytemuck::bytes_of(map.slots()));
    expected.extend([2, 0xEE]);
    equal("an encoded tensor map", &gpu.settled(seen, 131)?, &expected)
}

fn maps_of_different_tensors_differ(target: &Target) -> Result<()> {
    target.require(&[Capability::TensorMaps])?;
    let gpu = target.open()?;
    let tensor = matrix(&gpu)?;
    let map = gpu.encode_tensor_map(&tensor)?;
    ensure!(gpu.encode_tensor_map(&tensor)? == map, "one tensor has two maps");
    let other_swizzle = tensor.clone().swizzle(Swizzle::Bytes64);
    let other_promotion = tensor.clone().l2_promotion(L2Promotion::Bytes256);
    let other_steps = tensor.clone().element_strides([1, 2]);
    let mut others =
        [tensor.clone(), tensor.clone(), tensor.clone(), tensor, other_swizzle, other_promotion, other_steps];
    others[0].base = others[0].base.byte_add(128);
    others[1].extents[1] = 63;
    others[2].tile[0] = 8;
    others[3].strides[0] = 256;
    others[3].extents[1] = 32;
    for other in &others {
        ensure!(gpu.encode_tensor_map(other)? != map, "two tensors have one map, the second of {other:?}");
    }
    Ok(())
}

type Break = fn(&mut TiledTensor);

fn a_tensor_that_breaks_a_rule_is_refused(target: &Target) -> Result<()> {
    target.require(&[Capability::TensorMaps])?;
    let gpu = target.open()?;
    let breaks: [(&str, Break); 10] = [
        ("a misaligned base", |tensor| tensor.base = tensor.base.byte_add(4)),
        ("no dimensions", |tensor| {
            tensor.extents.clear();
            tensor.strides.clear();
            tensor.tile.clear();
        }),
        ("six dimensions", |tensor| {
            tensor.extents = vec![2; 6];
            tensor.strides = vec![128; 5];
            tensor.tile = vec![1; 6];
        }),
        ("an empty dimension", |tensor| tensor.extents[1] = 0),
        ("a stride between multiples of 16", |tensor| tensor.strides[0] = 136),
        ("a stride too few", |tensor| tensor.strides.clear()),
        ("an empty tile", |tensor| tensor.tile[1] = 0),
        ("a tile of 257 elements", |tensor| tensor.tile[1] = 257),
        ("a row wider than the swizzle", |tensor| tensor.swizzle = Swizzle::Bytes32),
        ("an element stride of 9", |tensor| tensor.element_strides[1] = 9),
    ];
    for (what, break_rule) in breaks {
        let mut tensor = matrix(&gpu)?;
        break_rule(&mut tensor);
        refused(&format!("a tensor map with {what}"), gpu.encode_tensor_map(&tensor))?;
    }
    gpu.encode_tensor_map(&matrix(&gpu)?)?;
    Ok(())
}
