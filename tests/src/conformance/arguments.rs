//! That the bytes of every kind of value arrive at the kernel, and those of its neighbours too.

use anyhow::Result;
use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
use warpcall::{
    Bfloat162, Char1, Char2, Char3, Char4, DevicePtr, Double1, Double2, Double3, Double4, Float1, Float2,
    Float3, Float4, Half2, Int1, Int2, Int3, Int4, LaunchConfig, Longlong1, Longlong2, Longlong3, Longlong4,
    Short1, Short2, Short3, Short4, StreamHandle, StreamRef, TensorMap, Uchar1, Uchar2, Uchar3, Uchar4,
    Uint1, Uint2, Uint3, Uint4, Ulonglong1, Ulonglong2, Ulonglong3, Ulonglong4, Ushort1, Ushort2, Ushort3,
    Ushort4,
};

use super::check::equal;
#[allow(clippy::wildcard_imports, reason = "one launch function for each type")]
use super::kernels::*;
use super::{Fixture, Target};

super::tests! { "arguments":
    integers_arrive_whole,
    floating_point_numbers_arrive_bit_by_bit,
    a_bool_arrives_as_zero_or_one,
    vectors_of_integers_arrive_whole,
    vectors_of_floating_point_numbers_arrive_whole,
    a_tensor_map_arrives_whole_and_keeps_its_neighbours,
    a_kernel_without_parameters_can_be_launched,
}

/// Launches an echo, and compares what it saw with the value's bytes between those of its neighbours.
fn echoes(
    gpu: &Fixture,
    what: &str,
    value: &[u8],
    launch: impl FnOnce(&StreamRef<'_>, LaunchConfig, &mut DevicePtr, u8, u8) -> warpcall::Result<()>,
) -> Result<()> {
    let mut expected = vec![0xA5];
    expected.extend(value);
    expected.extend([0x5A, 0xEE]);
    let mut seen = gpu.holding(&vec![0xEE; expected.len()])?;
    launch(&gpu.on(StreamHandle::DEFAULT), LaunchConfig::new(1, 1), &mut seen, 0xA5, 0x5A)?;
    equal(what, &gpu.settled(seen, expected.len())?, &expected)
}

/// One launch for each value.
macro_rules! arrive {
    ($gpu:ident; $($launch:ident: $($value:expr),+;)+) => {$($({
        let value = $value;
        echoes(
            &$gpu,
            concat!("what ", stringify!($launch), " brought of ", stringify!($value)),
            bytemuck::bytes_of(&value),
            // SAFETY: the memory has room for the value and its two neighbours.
            |stream, config, seen, before, after| unsafe { $launch(stream, config, seen, before, value, after) },
        )?;
    })+)+};
}

fn integers_arrive_whole(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    arrive! { gpu;
        launch_echo_i8: -128_i8, 127_i8, -2_i8;
        launch_echo_u8: 255_u8, 0_u8;
        launch_echo_i16: i16::MIN, -2_i16, 0x1234_i16;
        launch_echo_u16: u16::MAX, 0x8001_u16;
        launch_echo_i32: i32::MIN, -2_i32, 0x1234_5678_i32;
        launch_echo_u32: u32::MAX, 0x8000_0001_u32;
        launch_echo_i64: i64::MIN, -2_i64, 0x1234_5678_9ABC_DEF0_i64;
        launch_echo_u64: u64::MAX, 0x8000_0000_0000_0001_u64;
        launch_echo_isize: isize::MIN, -2_isize;
        launch_echo_usize: usize::MAX, 0x0123_4567_89AB_CDEF_usize;
    }
    Ok(())
}

fn floating_point_numbers_arrive_bit_by_bit(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    arrive! { gpu;
        launch_echo_f32: 1.5_f32, -0.0_f32, f32::from_bits(0x7FA1_2345), f32::from_bits(1), f32::NEG_INFINITY;
        launch_echo_f64: 1.5_f64, -0.0_f64, f64::from_bits(0x7FF4_5678_9ABC_DEF1), f64::from_bits(1);
        launch_echo_f16: f16::from_bits(0x3E01), f16::from_bits(0xFDAB), f16::from_bits(1);
        launch_echo_bf16: bf16::from_bits(0x3FC1), bf16::from_bits(0xFFA1), bf16::from_bits(1);
        launch_echo_f8e4m3: F8E4M3::from_bits(0x3D), F8E4M3::from_bits(0xFF), F8E4M3::from_bits(0x80);
        launch_echo_f8e5m2: F8E5M2::from_bits(0x3D), F8E5M2::from_bits(0xFF), F8E5M2::from_bits(0x80);
    }
    Ok(())
}

fn a_bool_arrives_as_zero_or_one(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for value in [true, false, true] {
        // SAFETY: the memory has room for three bytes.
        echoes(&gpu, "what a bool brought", &[value.into()], |stream, config, seen, before, after| unsafe {
            launch_echo_bool(stream, config, seen, before, value, after)
        })?;
    }
    Ok(())
}

fn vectors_of_integers_arrive_whole(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    arrive! { gpu;
        launch_echo_char1: Char1::new(-1);
        launch_echo_char2: Char2::new(-1, 2);
        launch_echo_char3: Char3::new(-1, 2, -3);
        launch_echo_char4: Char4::new(-1, 2, -3, 4);
        launch_echo_uchar1: Uchar1::new(0x91);
        launch_echo_uchar2: Uchar2::new(0x91, 0x82);
        launch_echo_uchar3: Uchar3::new(0x91, 0x82, 0x73);
        launch_echo_uchar4: Uchar4::new(0x91, 0x82, 0x73, 0x64);
        launch_echo_short1: Short1::new(-1);
        launch_echo_short2: Short2::new(-1, 0x1202);
        launch_echo_short3: Short3::new(-1, 0x1202, -3);
        launch_echo_short4: Short4::new(-1, 0x1202, -3, 0x1404);
        launch_echo_ushort1: Ushort1::new(0x9101);
        launch_echo_ushort2: Ushort2::new(0x9101, 0x8202);
        launch_echo_ushort3: Ushort3::new(0x9101, 0x8202, 0x7303);
        launch_echo_ushort4: Ushort4::new(0x9101, 0x8202, 0x7303, 0x6404);
        launch_echo_int1: Int1::new(-1);
        launch_echo_int2: Int2::new(-1, 0x1234_5602);
        launch_echo_int3: Int3::new(-1, 0x1234_5602, -3);
        launch_echo_int4: Int4::new(-1, 0x1234_5602, -3, 0x1234_5604);
        launch_echo_uint1: Uint1::new(0x9123_4501);
        launch_echo_uint2: Uint2::new(0x9123_4501, 0x8123_4502);
        launch_echo_uint3: Uint3::new(0x9123_4501, 0x8123_4502, 0x7123_4503);
        launch_echo_uint4: Uint4::new(0x9123_4501, 0x8123_4502, 0x7123_4503, 0x6123_4504);
        launch_echo_longlong1: Longlong1::new(-1);
        launch_echo_longlong2: Longlong2::new(-1, i64::MAX - 2);
        launch_echo_longlong3: Longlong3::new(-1, i64::MAX - 2, -3);
        launch_echo_longlong4: Longlong4::new(-1, i64::MAX - 2, -3, i64::MIN + 4);
        launch_echo_ulonglong1: Ulonglong1::new(u64::MAX - 1);
        launch_echo_ulonglong2: Ulonglong2::new(u64::MAX - 1, 1 << 62);
        launch_echo_ulonglong3: Ulonglong3::new(u64::MAX - 1, 1 << 62, 3);
        launch_echo_ulonglong4: Ulonglong4::new(u64::MAX - 1, 1 << 62, 3, 1 << 41);
    }
    Ok(())
}

fn vectors_of_floating_point_numbers_arrive_whole(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    arrive! { gpu;
        launch_echo_float1: Float1::new(1.1);
        launch_echo_float2: Float2::new(1.1, -2.2);
        launch_echo_float3: Float3::new(1.1, -2.2, 3.3);
        launch_echo_float4: Float4::new(1.1, -2.2, 3.3, -4.4);
        launch_echo_double1: Double1::new(1.1);
        launch_echo_double2: Double2::new(1.1, -2.2);
        launch_echo_double3: Double3::new(1.1, -2.2, 3.3);
        launch_echo_double4: Double4::new(1.1, -2.2, 3.3, -4.4);
        launch_echo_half2: Half2::new(f16::from_bits(0x3E01), f16::from_bits(0xC202));
        launch_echo_bfloat162: Bfloat162::new(bf16::from_bits(0x3FC1), bf16::from_bits(0xC012));
    }
    Ok(())
}

fn a_tensor_map_arrives_whole_and_keeps_its_neighbours(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    // Sixteen slots that are all different, the last one full: what comes after it must not be shifted.
    let map = TensorMap::from_slots(std::array::from_fn(|index| u64::MAX - 0x0101 * index as u64));
    // SAFETY: the memory has room for the map and its two neighbours; the kernel only copies its bytes.
    echoes(
        &gpu,
        "what a tensor map brought",
        bytemuck::bytes_of(map.slots()),
        |stream, config, seen, before, after| unsafe {
            launch_echo_tensor_map(stream, config, seen, before, &map, after)
        },
    )
}

fn a_kernel_without_parameters_can_be_launched(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    // SAFETY: the kernel takes nothing and does nothing.
    unsafe { launch_nothing(&gpu.on(StreamHandle::DEFAULT), LaunchConfig::new(3, 64)) }?;
    gpu.synchronize()?;
    Ok(())
}
