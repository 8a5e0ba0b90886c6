//! Why a backend refused a launch, worked out only after it did.

use std::fmt::Write as _;

use super::{Kernel, LaunchConfig};
use crate::argument::{FieldDescription, KernelArg, ParameterKind};
use crate::backend::{DeviceProperties, GpuBackend, KernelAttributes, KernelHandle, Launch};
use crate::error::{Error, Result};

/// The refusal with its kernel, configuration and arguments, and the limits that it passes.
///
/// Errors that already name the kernel are left as they are; those that configuration and arguments have no part in get
/// its name alone.
#[cold]
pub(crate) fn explain(backend: &dyn GpuBackend, launch: &Launch<'_>, error: Error) -> Error {
    if !error.is_refusal() {
        return error.of_kernel(&kernel_name(backend, launch.kernel, launch.declaration));
    }
    let attributes = backend.kernel_attributes(launch.kernel);
    Error::LaunchRefused {
        kernel: kernel_name(backend, launch.kernel, launch.declaration),
        config: Box::new(*launch.config),
        arguments: describe_arguments(backend, launch),
        limits: [
            passed_limits(launch.config, backend.properties(), attributes.as_ref().ok()),
            passed_residency(backend, launch),
        ]
        .into_iter()
        .filter(|limits| !limits.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
        .into(),
        source: Box::new(error),
    }
}

/// The kernel's name, where the backend or the declaration knows it; else the handle's number.
pub(super) fn kernel_name(
    backend: &dyn GpuBackend,
    handle: KernelHandle,
    declaration: Option<&'static Kernel>,
) -> Box<str> {
    match declaration.or_else(|| backend.declaration(handle)) {
        Some(kernel) => kernel.name().into(),
        None => backend.kernel_name(handle).unwrap_or_else(|| handle.to_string()).into(),
    }
}

/// The launch as CUDA writes it: `rms_norm<<<[4,1,1],[256,1,1]>>>(output=0x7f00, hidden_size=4096)`.
pub(crate) fn describe_launch(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Box<str> {
    let name = kernel_name(backend, launch.kernel, launch.declaration);
    format!("{name}{}({})", launch.config, describe_arguments(backend, launch)).into()
}

/// The arguments by name and value: `output=0x7f00, hidden_size=4096`.
pub(crate) fn describe_arguments(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Box<str> {
    let declaration = launch.declaration.or_else(|| backend.declaration(launch.kernel));
    describe_declared(declaration.map_or(&[][..], Kernel::parameters), launch.args)
}

/// The same, of the parameters that are declared.
pub(crate) fn describe_declared(parameters: &[super::Parameter], args: &[KernelArg<'_>]) -> Box<str> {
    let mut text = String::new();
    for (index, arg) in args.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        match parameters.get(index) {
            Some(parameter) => {
                let _ = write!(text, "{comma}{}={}", parameter.name(), describe(arg, parameter.kind()));
            }
            None => {
                let _ = write!(text, "{comma}{arg:?}");
            }
        }
    }
    text.into()
}

fn describe(arg: &KernelArg<'_>, kind: ParameterKind) -> String {
    let bytes = arg.bytes();
    match kind {
        ParameterKind::Pointer { .. } => {
            arg.as_buffer().map_or_else(|| format!("{arg:?}"), |p| p.to_string())
        }
        ParameterKind::Struct { fields, .. } => describe_fields(fields, bytes).unwrap_or_else(|| hex(bytes)),
        _ => describe_value(kind, bytes),
    }
}

/// A value that is neither memory nor a struct.
pub(crate) fn describe_value(kind: ParameterKind, bytes: &[u8]) -> String {
    match kind {
        ParameterKind::TensorMap => "tensor map".into(),
        _ => describe_number(kind, bytes).unwrap_or_else(|| hex(bytes)),
    }
}

/// A struct by its fields: `{rows=3, scale=0.5}`. `None` where the bytes are not as many as the fields say.
fn describe_fields(fields: &[FieldDescription], bytes: &[u8]) -> Option<String> {
    let mut text = String::from("{");
    for (index, field) in fields.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        let _ = write!(text, "{comma}{}={}", field.name, describe_field(field, field_bytes(field, bytes)?));
    }
    text.push('}');
    Some(text)
}

/// The bytes of a field among those of its struct, where they are there.
pub(crate) fn field_bytes<'a>(field: &FieldDescription, bytes: &'a [u8]) -> Option<&'a [u8]> {
    bytes.get(field.offset..)?.get(..field.size)
}

/// The value of a field.
pub(crate) fn describe_field(field: &FieldDescription, bytes: &[u8]) -> String {
    let number = scalar_kind(field.rust_type).and_then(|kind| describe_number(kind, bytes));
    number.unwrap_or_else(|| hex(bytes))
}

/// The kind of a number by the name of its type. An alias or a path is none that is known.
fn scalar_kind(rust_type: &str) -> Option<ParameterKind> {
    match rust_type {
        "bool" => Some(ParameterKind::Bool),
        "i8" | "i16" | "i32" | "i64" | "isize" => Some(ParameterKind::Signed),
        "u8" | "u16" | "u32" | "u64" | "usize" => Some(ParameterKind::Unsigned),
        "f32" | "f64" => Some(ParameterKind::Float),
        _ => None,
    }
}

/// A number as Rust writes it. `None` for what is none, or of a width that Rust has no number of.
fn describe_number(kind: ParameterKind, bytes: &[u8]) -> Option<String> {
    if !(1..=8).contains(&bytes.len()) {
        return None;
    }
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    match (kind, bytes) {
        (ParameterKind::Bool, [byte]) => Some((*byte != 0).to_string()),
        (ParameterKind::Unsigned, _) => Some(word.to_string()),
        (ParameterKind::Signed, _) => {
            let unused = 64 - 8 * bytes.len();
            Some(((word.cast_signed() << unused) >> unused).to_string())
        }
        (ParameterKind::Float, &[a, b, c, d]) => Some(format!("{:?}", f32::from_le_bytes([a, b, c, d]))),
        (ParameterKind::Float, _) if bytes.len() == 8 => Some(format!("{:?}", f64::from_bits(word))),
        _ => None,
    }
}

/// The bytes as one number, the first byte last.
fn hex(bytes: &[u8]) -> String {
    let mut hex = String::from("0x");
    for byte in bytes.iter().rev() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// The most blocks that a cluster may have on every device that has clusters (CUDA C++ Programming Guide, "Thread
/// Block Clusters").
const PORTABLE_CLUSTER: u64 = 8;

/// Each limit of the device or the kernel that the configuration passes, with both numbers.
fn passed_limits(
    config: &LaunchConfig,
    device: &DeviceProperties,
    attributes: Option<&KernelAttributes>,
) -> String {
    let mut found = Vec::new();
    for (what, dimensions) in
        [("grid", Some(config.grid)), ("block", Some(config.block)), ("cluster", config.cluster)]
    {
        for (dimension, value) in ["x", "y", "z"].iter().zip(dimensions.iter().flat_map(|it| it.to_array())) {
            if value == 0 {
                found.push(format!("{what} dimension {dimension} is 0, and a launch has at least 1"));
            }
        }
    }
    let mut check = |what: &str, value: u64, limit: u64, whose: &str| {
        if value > limit {
            found.push(format!("{what} is {value}, and {whose} allows {limit}"));
        }
    };
    let limits = &device.limits;
    for (dimension, value, limit) in [
        ("x", config.grid.x, limits.max_grid.x),
        ("y", config.grid.y, limits.max_grid.y),
        ("z", config.grid.z, limits.max_grid.z),
    ] {
        check(&format!("grid dimension {dimension}"), value.into(), limit.into(), "the device");
    }
    for (dimension, value, limit) in [
        ("x", config.block.x, limits.max_block.x),
        ("y", config.block.y, limits.max_block.y),
        ("z", config.block.z, limits.max_block.z),
    ] {
        check(&format!("block dimension {dimension}"), value.into(), limit.into(), "the device");
    }
    let threads = config.block.count();
    check("the number of threads a block", threads, limits.max_threads_per_block.into(), "the device");
    let fixed = attributes.map_or(0, |kernel| kernel.static_shared_mem);
    check(
        &format!("shared memory a block ({fixed} static and {} dynamic bytes)", config.shared_mem),
        u64::from(fixed) + u64::from(config.shared_mem),
        limits.max_shared_mem_per_block.into(),
        "the device",
    );
    if let Some(kernel) = attributes {
        check("the number of threads a block", threads, kernel.max_threads_per_block.into(), "the kernel");
        check(
            &format!("the registers of a block ({} a thread)", kernel.registers),
            threads.saturating_mul(kernel.registers.into()),
            limits.max_registers_per_block.into(),
            "the device",
        );
    }
    if let Some(cluster) = config.cluster {
        if cluster.count() > PORTABLE_CLUSTER {
            found.push(format!(
                "a cluster has {} blocks, and {PORTABLE_CLUSTER} is the most that every device with clusters allows",
                cluster.count()
            ));
        }
        for (dimension, grid, cluster) in [
            ("x", config.grid.x, cluster.x),
            ("y", config.grid.y, cluster.y),
            ("z", config.grid.z, cluster.z),
        ] {
            if cluster != 0 && grid % cluster != 0 {
                found.push(format!(
                    "grid dimension {dimension} is {grid}, which clusters of {cluster} do not divide"
                ));
            }
        }
    }
    found.join("; ")
}

/// What of a cooperative launch does not fit on the device at once; empty where it does, or where the backend does not say.
fn passed_residency(backend: &dyn GpuBackend, launch: &Launch<'_>) -> String {
    let config = launch.config;
    let Ok(threads) = u32::try_from(config.block.count()) else { return String::new() };
    if !config.cooperative {
        return String::new();
    }
    match backend.occupancy(launch.kernel, threads, config.shared_mem) {
        Ok(occupancy) if config.grid.count() > u64::from(occupancy.blocks) => format!(
            "the grid of a cooperative launch has {} blocks, and {} are resident at once ({} on each of {} multiprocessors)",
            config.grid.count(),
            occupancy.blocks,
            occupancy.blocks_per_multiprocessor,
            backend.properties().multiprocessors,
        ),
        _ => String::new(),
    }
}

impl dyn GpuBackend + '_ {
    /// Whether a launch may have `config` on this device: nothing in it is 0, and it keeps within the limits.
    ///
    /// # Errors
    ///
    /// Names each dimension that is 0, and each limit that is passed with both numbers.
    pub fn check_config(&self, config: &LaunchConfig) -> Result<()> {
        match passed_limits(config, self.properties(), None) {
            limits if limits.is_empty() => Ok(()),
            limits => Err(Error::Limits { limits: limits.into() }),
        }
    }
}
