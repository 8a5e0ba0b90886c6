use std::cell::Cell;

use bytemuck::Pod;

use super::borrow::{Access, Borrow, Borrows};
use super::memory::{Memory, Region};
use super::tensor_map;
use crate::argument::{DevicePtr, TensorMap};
use crate::error::{Error, MemoryProblem, Result};
use crate::launch::{Dim3, Kernel, LaunchConfig};

/// What a host function may know of its launch beside its arguments: the configuration, and the memory
/// that pointers out of tables and tensor maps lead to.
///
/// A host function takes it as its first argument with `#[host(path, launch)]`. In a test of such a function,
/// [`new`](Self::new) makes one without a backend.
///
/// ```
/// use warpcall::{HostLaunch, LaunchConfig};
///
/// fn block_sums(launch: &HostLaunch<'_>, sums: &mut [u32], values: &[u32]) {
///     let block = launch.block().x as usize;
///     for (sum, values) in sums.iter_mut().zip(values.chunks(block)) {
///         *sum = values.iter().sum();
///     }
/// }
///
/// let mut sums = [0; 2];
/// block_sums(&HostLaunch::new(LaunchConfig::new(2, 2)), &mut sums, &[1, 2, 3, 4]);
/// assert_eq!(sums, [3, 7]);
/// ```
pub struct HostLaunch<'a> {
    config: LaunchConfig,
    memory: Option<LaunchMemory<'a>>,
}

#[derive(Clone, Copy)]
struct LaunchMemory<'a> {
    kernel: &'static Kernel,
    memory: &'a Memory,
    borrows: &'a Borrows,
}

impl HostLaunch<'static> {
    /// A launch without a backend: it has a configuration, and no memory.
    pub fn new(config: LaunchConfig) -> Self {
        Self { config, memory: None }
    }
}

impl<'a> HostLaunch<'a> {
    pub(super) fn with_memory(
        config: LaunchConfig,
        kernel: &'static Kernel,
        memory: &'a Memory,
        borrows: &'a Borrows,
    ) -> Self {
        Self { config, memory: Some(LaunchMemory { kernel, memory, borrows }) }
    }

    /// The configuration.
    pub fn config(&self) -> &LaunchConfig {
        &self.config
    }

    /// How many blocks there are.
    pub fn grid(&self) -> Dim3 {
        self.config.grid
    }

    /// How many threads a block has.
    pub fn block(&self) -> Dim3 {
        self.config.block
    }

    /// The dynamic shared memory of a block in bytes.
    pub fn shared_mem(&self) -> u32 {
        self.config.shared_mem
    }

    /// `len` elements at a device pointer that the function read somewhere, such as in a table of pointers.
    ///
    /// ```
    /// use warpcall::{DevicePtr, Gpu, HostLaunch, LaunchConfig, Result, kernel};
    ///
    /// fn gather_first(launch: &HostLaunch<'_>, output: &mut [f32], table: &[DevicePtr]) -> Result<()> {
    ///     for (output, row) in output.iter_mut().zip(table) {
    ///         *output = launch.slice_at::<f32>(*row, 1)?[0].get();
    ///     }
    ///     Ok(())
    /// }
    ///
    /// #[kernel(module = "gather")]
    /// unsafe extern "C" {
    ///     #[host(gather_first, launch)]
    ///     pub unsafe fn gather(output: *mut f32, table: *const *const f32);
    /// }
    ///
    /// let gpu = Gpu::host()?;
    /// let stream = gpu.create_stream()?;
    /// let rows = gpu.upload(&[1.0_f32, 2.0, 3.0, 4.0])?;
    /// let table = gpu.upload(&[rows.slice(2..)?.device_ptr(), rows.device_ptr()])?;
    /// let mut output = gpu.zeros::<f32>(2)?;
    /// // SAFETY: the table holds two pointers to a float.
    /// unsafe { launch_gather(&stream, LaunchConfig::new(1, 2), &mut output, &table)? };
    /// assert_eq!(output.to_vec(&stream)?, [3.0, 1.0]);
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where that is no memory of the backend, or pinned memory, which a slice on the host may borrow meanwhile: a kernel
    /// takes that as an argument. And where a parameter taken as `&[T]` or `&mut [T]` reaches the same memory: the
    /// function then takes that one as `&[Cell<T>]`.
    pub fn slice_at<T: Pod>(&self, ptr: DevicePtr, len: usize) -> Result<&[Cell<T>]> {
        let region = self.region::<T>("slice_at", ptr, len)?;
        if let Some(memory) = self.memory.filter(|_| region.bytes > 0) {
            let borrow = Borrow { addresses: region.addresses(), access: Access::Cells, parameter: None };
            memory.borrows.take(borrow).map_err(|other| memory.refused("slice_at", ptr, &other))?;
        }
        // SAFETY: the region is aligned memory of so many bytes, alive while the launch runs and this
        // borrows from; `Pod` values are valid whatever the bytes; and no plain reference reaches it.
        Ok(unsafe { std::slice::from_raw_parts(region.host.cast(), len) })
    }

    /// Reads the tile whose first element stands at `coordinates`, as a bulk tensor copy does: the fastest-varying
    /// dimension first, and zero for each element outside the tensor. Its elements stand in their order, whatever the map's swizzle.
    ///
    /// # Errors
    ///
    /// Where the map was not made by this backend, `T` has another size than its elements, the number
    /// of coordinates or the length of `tile` is not the map's, the tensor is not memory of the
    /// backend or is pinned memory, or a parameter taken as `&mut [T]` reaches it.
    pub fn tile<T: Pod>(&self, map: &TensorMap, coordinates: &[i32], tile: &mut [T]) -> Result<()> {
        let tensor = tensor_map::decode(map).ok_or_else(|| {
            invalid("the tensor map", "of another encoder", "one made by this backend's `encode_tensor_map`")
        })?;
        let length: usize = tensor.copied().product();
        for (what, found, expected) in [
            ("the size of an element", size_of::<T>(), tensor.element.bytes()),
            ("the number of coordinates", coordinates.len(), tensor.extents.len()),
            ("the length of the tile", tile.len(), length),
        ] {
            if found != expected {
                return Err(invalid(what, &found.to_string(), &expected.to_string()));
            }
        }
        let row_length = tensor.tile[0] as usize;
        for (index, row) in tile.chunks_mut(row_length).enumerate() {
            row.fill(T::zeroed());
            let Some((ptr, before, within)) = tensor_map::row(&tensor, coordinates, index) else { continue };
            let region = self.region::<T>("tile", ptr, within)?;
            if let Some(memory) = self.memory
                && let Some(other) = memory.borrows.exclusive(&region.addresses())
            {
                return Err(memory.refused("tile", ptr, &other));
            }
            let bytes = bytemuck::cast_slice_mut::<T, u8>(&mut row[before..before + within]);
            // SAFETY: the region holds so many initialised bytes, which no exclusive reference reaches, so
            // they are not the row's.
            unsafe { region.host.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        }
        Ok(())
    }

    /// `len` elements at `ptr`, aligned.
    fn region<T>(&self, what: &str, ptr: DevicePtr, len: usize) -> Result<Region> {
        let bytes = len.saturating_mul(size_of::<T>());
        let operation = match self.memory {
            Some(memory) => format!("kernel `{}`, {what}", memory.kernel.name()),
            None => what.into(),
        };
        let failed = |problem| Error::Memory { operation: operation.as_str().into(), ptr, bytes, problem };
        let memory = self.memory.ok_or_else(|| failed(MemoryProblem::Unknown))?;
        let region = memory.memory.device_range(&operation, ptr, bytes)?;
        if !region.host.cast::<T>().is_aligned() {
            return Err(failed(MemoryProblem::Misaligned { align: align_of::<T>() }));
        }
        Ok(region)
    }
}

impl LaunchMemory<'_> {
    fn refused(&self, what: &str, ptr: DevicePtr, other: &Borrow) -> Error {
        let name = other.parameter.and_then(|index| self.kernel.parameters().get(index));
        Error::Argument {
            kernel: self.kernel.name().into(),
            parameter: name.map_or("", |parameter| parameter.name()).into(),
            expected:
                "`&[Cell<T>]` in the host function, since the launch reaches the same memory by address"
                    .into(),
            found: format!("a plain slice, while `{what}` reads {ptr}"),
        }
    }
}

fn invalid(what: &str, found: &str, expected: &str) -> Error {
    Error::InvalidArgument {
        operation: "tile",
        what: what.into(),
        found: found.into(),
        expected: expected.into(),
    }
}
