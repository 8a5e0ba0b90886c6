use std::cell::{Cell, OnceCell};

use bytemuck::Pod;

use super::argument::OwnedArgument;
use super::block::{BLOCK_ALIGN, Block};
use super::borrow::{Access, Borrow, Borrows};
use super::launch::HostLaunch;
use super::memory::{Memory, Region};
use super::outcome::HostOutcome;
use super::slice::{HostSlice, HostSliceMut};
use crate::argument::{DevicePtr, KernelParam, ParameterKind, TensorMap};
use crate::error::{Error, MemoryProblem, Result};
use crate::launch::{Kernel, LaunchConfig, Parameter};

/// What the host backend runs for a kernel; `#[host(path)]` generates it around a plain function.
///
/// It is a safe function although it is handed the memory that the launch names. That the memory is
/// there, and that what the function writes may be written, is what the caller of the launch vouched
/// for, since launches are unsafe; that the slices it is given break none of Rust's rules is checked
/// while they are taken.
///
/// While it runs it has the backend to itself. A call of the same backend from the thread that it runs on is an error. One
/// from another thread waits until the function is done, so that a host function must not wait for a thread that
/// makes such a call: neither would ever go on. Threads that only compute on what the function was given are fine.
pub type HostFunction = fn(&HostCall<'_>) -> Result<()>;

/// One launch on the host: a kernel, a configuration, and the arguments.
///
/// The backend is busy with it: what a host function may call meanwhile, and for what it must not wait, see
/// [`HostFunction`].
///
/// ```
/// use warpcall::{Kernel, KernelParam, Module, Parameter};
///
/// fn scale(values: &mut [f32], factor: f32) {
///     values.iter_mut().for_each(|value| *value *= factor);
/// }
///
/// static SCALE: Kernel = Kernel::new(
///     Module::new("scale"),
///     "scale",
///     &[
///         Parameter::device_mut::<f32>("values", "*mut f32"),
///         Parameter::value("factor", "f32", f32::DESCRIPTION),
///     ],
/// )
/// .with_host(|call| call.run(|call| call.outcome(scale(call.slice_mut::<f32, _>(0)?, call.value::<f32>(1)?))));
/// ```
pub struct HostCall<'a> {
    kernel: &'static Kernel,
    config: LaunchConfig,
    arguments: &'a [OwnedArgument],
    memory: &'a Memory,
    /// The memory of each pointer; `None` for what is none and for null pointers.
    regions: Vec<Option<Region>>,
    /// Whether a body has the arguments now.
    running: Cell<bool>,
}

/// Says that a body has the arguments, until it is dropped.
struct Running<'r>(&'r Cell<bool>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl<'a> HostCall<'a> {
    /// The call of `kernel` with arguments that fit its declaration.
    ///
    /// # Errors
    ///
    /// Names the parameter whose pointer leads to no memory of the backend.
    pub(super) fn new(
        kernel: &'static Kernel,
        config: LaunchConfig,
        arguments: &'a [OwnedArgument],
        memory: &'a Memory,
    ) -> Result<Self> {
        let regions = kernel
            .parameters()
            .iter()
            .zip(arguments)
            .map(|(parameter, argument)| match argument {
                OwnedArgument::Pointer(ptr, extent) => region(kernel, parameter, *ptr, *extent, memory),
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        Ok(Self { kernel, config, arguments, memory, regions, running: Cell::new(false) })
    }

    /// The kernel.
    pub fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// The configuration.
    pub fn config(&self) -> &LaunchConfig {
        &self.config
    }

    /// Gives `body` the arguments. What it takes of the memory it cannot keep.
    ///
    /// # Errors
    ///
    /// Those of `body`; and where the call is made inside the body of another, which has the arguments already: what
    /// each takes of the memory is kept apart from what the same body took before, and from nothing else.
    pub fn run(&self, body: impl FnOnce(&HostArguments<'_>) -> Result<()>) -> Result<()> {
        if self.running.replace(true) {
            return Err(Error::HostFunctionFailed {
                kernel: self.kernel.name().into(),
                source: anyhow::anyhow!(
                    "`HostCall::run` was called inside the body of another; use the arguments that this body was given"
                ),
            });
        }
        let _running = Running(&self.running);
        let borrows = Borrows::default();
        body(&HostArguments {
            call: self,
            borrows: &borrows,
            snapshots: self.regions.iter().map(|_| OnceCell::new()).collect(),
            launch: HostLaunch::with_memory(self.config, self.kernel, self.memory, &borrows),
        })
    }
}

/// The memory that a pointer argument leads to; `None` for a null pointer where that is allowed.
fn region(
    kernel: &Kernel,
    parameter: &Parameter,
    ptr: DevicePtr,
    extent: Option<usize>,
    memory: &Memory,
) -> Result<Option<Region>> {
    let ParameterKind::Pointer { nullable, element_size, element_align, .. } = parameter.kind() else {
        return Ok(None);
    };
    if ptr.is_null() {
        return match extent {
            _ if nullable => Ok(None),
            // An empty buffer, which has no memory to point to; aligned for whatever it is taken as.
            Some(0) => {
                Ok(Some(Region { ptr, host: std::ptr::without_provenance_mut(BLOCK_ALIGN), bytes: 0 }))
            }
            _ => Err(null_pointer(kernel, parameter)),
        };
    }
    let failed = |bytes, problem| Error::Memory {
        operation: format!("kernel `{}`, parameter `{}`", kernel.name(), parameter.name()).into(),
        ptr,
        bytes,
        problem,
    };
    let region = memory.resolve(ptr, 0).map_err(|problem| failed(element_size, problem))?;
    if !(region.host as usize).is_multiple_of(element_align) {
        return Err(failed(element_size, MemoryProblem::Misaligned { align: element_align }));
    }
    Ok(Some(Region { bytes: extent.map_or(region.bytes, |extent| extent.min(region.bytes)), ..region }))
}

fn null_pointer(kernel: &Kernel, parameter: &Parameter) -> Error {
    Error::Argument {
        kernel: kernel.name().into(),
        parameter: parameter.name().into(),
        expected: format!("device memory (`{}`)", parameter.rust_type()),
        found: "the null pointer; declare the parameter `#[nullable]` if the kernel can do without. An empty buffer in an \
                untyped launch is the null pointer too"
            .into(),
    }
}

/// The arguments of one launch, as a host function takes them: each by the index of its parameter.
///
/// A buffer or a slice stands for its own elements and no others. A raw pointer, and any pointer that the untyped
/// builder passed, stands for the memory from where it points to the end of its allocation. Where the memory of
/// several parameters overlaps:
///
/// - a `*const T` taken as `&[T]` that overlaps a `*mut` is a copy, made before the function runs;
/// - a `*const T` taken as `&[Cell<T>]` is the memory itself, and the `*mut` it overlaps must be taken as
///   `&[Cell<T>]` too;
/// - of two `*mut` that overlap, both must be taken as `&[Cell<T>]`.
///
/// Everything else is an error that names both parameters.
pub struct HostArguments<'r> {
    call: &'r HostCall<'r>,
    borrows: &'r Borrows,
    /// For each parameter, a copy of its memory where one was needed.
    snapshots: Vec<OnceCell<Block>>,
    launch: HostLaunch<'r>,
}

impl HostArguments<'_> {
    /// The launch.
    pub fn launch(&self) -> &HostLaunch<'_> {
        &self.launch
    }

    /// The memory of a `*mut T`, as `&mut [T]` or `&[Cell<T>]`.
    ///
    /// # Errors
    ///
    /// Where the parameter is no such pointer, the argument is null, or the memory is taken already.
    pub fn slice_mut<'s, T: Pod, S: HostSliceMut<'s, T>>(&'s self, index: usize) -> Result<S> {
        self.nullable_slice_mut(index)?.ok_or_else(|| self.null(index))
    }

    /// The memory of a `*const T`, as `&[T]` or `&[Cell<T>]`.
    ///
    /// # Errors
    ///
    /// As for [`slice_mut`](Self::slice_mut).
    pub fn slice<'s, T: Pod, S: HostSlice<'s, T>>(&'s self, index: usize) -> Result<S> {
        self.nullable_slice(index)?.ok_or_else(|| self.null(index))
    }

    /// The memory of a nullable `*mut T`; `None` for a null pointer.
    ///
    /// # Errors
    ///
    /// As for [`slice_mut`](Self::slice_mut).
    pub fn nullable_slice_mut<'s, T: Pod, S: HostSliceMut<'s, T>>(
        &'s self,
        index: usize,
    ) -> Result<Option<S>> {
        let Some(region) = self.pointer::<T>(index, true)? else { return Ok(None) };
        let access = if S::CELLS { Access::Cells } else { Access::Exclusive };
        if access == Access::Exclusive {
            // From now on the memory must not be read, so what will be read of it is copied first.
            for (other, snapshot) in self.snapshots.iter().enumerate() {
                if let Some(other) = self.overlapped(other, false, &region) {
                    copy_into(snapshot, other)?;
                }
            }
        }
        self.take(index, &region, access)?;
        let len = region.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        // SAFETY: the region is aligned memory that lives as long as the call, in which these slices
        // are confined, and the borrow just noted keeps everything else apart from it.
        Ok(Some(unsafe { S::of_memory(region.host.cast(), len) }))
    }

    /// The memory of a nullable `*const T`; `None` for a null pointer.
    ///
    /// # Errors
    ///
    /// As for [`slice_mut`](Self::slice_mut).
    pub fn nullable_slice<'s, T: Pod, S: HostSlice<'s, T>>(&'s self, index: usize) -> Result<Option<S>> {
        let Some(region) = self.pointer::<T>(index, false)? else { return Ok(None) };
        let overlaps = |mutable| {
            (0..self.call.regions.len())
                .any(|other| other != index && self.overlapped(other, mutable, &region).is_some())
        };
        // A plain slice must not see what is written; cells that only readers overlap must not be able
        // to write what those read.
        let apart = if S::CELLS { !overlaps(true) && overlaps(false) } else { overlaps(true) };
        let host = if apart {
            copy_into(&self.snapshots[index], &region)?
        } else {
            self.take(index, &region, if S::CELLS { Access::Cells } else { Access::Shared })?;
            region.host
        };
        let len = region.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        // SAFETY: as for `nullable_slice_mut`; a copy is this parameter's alone, lives as long as `self`, is
        // as aligned as what it copies, and is of one kind: plain where a `*mut` overlaps, else cells.
        Ok(Some(unsafe { S::of_memory(host.cast(), len) }))
    }

    /// A value.
    ///
    /// # Errors
    ///
    /// Where the parameter is no `T`, or its bytes are no value of it.
    pub fn value<T: KernelParam>(&self, index: usize) -> Result<T> {
        let (parameter, argument) = self.argument(index)?;
        let same_kind =
            std::mem::discriminant(&parameter.kind()) == std::mem::discriminant(&T::DESCRIPTION.kind);
        let OwnedArgument::Value(value) = argument else {
            return Err(self.misfit(parameter, std::any::type_name::<T>()));
        };
        if !same_kind || parameter.size() != T::DESCRIPTION.size {
            return Err(self.misfit(parameter, std::any::type_name::<T>()));
        }
        T::read(&value.bytes()[..size_of::<T>()]).ok_or_else(|| Error::Argument {
            kernel: self.call.kernel.name().into(),
            parameter: parameter.name().into(),
            expected: format!("a valid `{}`", parameter.rust_type()),
            found: format!("the bytes {:02x?}", value.bytes()),
        })
    }

    /// A tensor map.
    ///
    /// # Errors
    ///
    /// Where the parameter is none.
    pub fn tensor_map(&self, index: usize) -> Result<&TensorMap> {
        match self.argument(index)? {
            (_, OwnedArgument::TensorMap(map)) => Ok(map),
            (parameter, _) => Err(self.misfit(parameter, "TensorMap")),
        }
    }

    /// What the function returned, its error with the kernel's name.
    ///
    /// # Errors
    ///
    /// That of the function.
    pub fn outcome(&self, outcome: impl HostOutcome) -> Result<()> {
        let kernel = self.call.kernel.name();
        outcome.into_result().map_err(|source| Error::HostFunctionFailed { kernel: kernel.into(), source })
    }

    fn argument(&self, index: usize) -> Result<(&'static Parameter, &OwnedArgument)> {
        let parameters = self.call.kernel.parameters();
        match (parameters.get(index), self.call.arguments.get(index)) {
            (Some(parameter), Some(argument)) => Ok((parameter, argument)),
            _ => Err(Error::ArgumentCount {
                kernel: self.call.kernel.to_string().into(),
                expected: parameters.len(),
                found: index + 1,
            }),
        }
    }

    /// The memory of the pointer parameter `index`, which is declared to point to a `T`, or to `void`.
    fn pointer<T>(&self, index: usize, wanted_mutable: bool) -> Result<Option<Region>> {
        let (parameter, _) = self.argument(index)?;
        let fits = match parameter.kind() {
            ParameterKind::Pointer { mutable, element_size, .. } => {
                mutable == wanted_mutable && (element_size == size_of::<T>() || element_size == 1)
            }
            _ => false,
        };
        if !fits {
            let kind = if wanted_mutable { "mut" } else { "const" };
            return Err(self.misfit(parameter, &format!("*{kind} {}", std::any::type_name::<T>())));
        }
        let Some(region) = self.call.regions[index] else { return Ok(None) };
        // A copy is aligned as a block is, and no more.
        if align_of::<T>() > BLOCK_ALIGN || !region.host.cast::<T>().is_aligned() {
            return Err(Error::Memory {
                operation: format!("kernel `{}`, parameter `{}`", self.call.kernel.name(), parameter.name())
                    .into(),
                ptr: region.ptr,
                bytes: size_of::<T>(),
                problem: MemoryProblem::Misaligned { align: align_of::<T>() },
            });
        }
        Ok(Some(region))
    }

    /// The memory of the pointer parameter `index`, where it has this mutability and overlaps `region`.
    fn overlapped(&self, index: usize, wanted_mutable: bool, region: &Region) -> Option<&Region> {
        let other = self.call.regions[index].as_ref()?;
        match self.call.kernel.parameters()[index].kind() {
            ParameterKind::Pointer { mutable, .. } if mutable == wanted_mutable => {
                other.overlaps(region).then_some(other)
            }
            _ => None,
        }
    }

    fn take(&self, index: usize, region: &Region, access: Access) -> Result<()> {
        if region.bytes == 0 {
            return Ok(());
        }
        let borrow = Borrow { addresses: region.addresses(), access, parameter: Some(index) };
        self.borrows.take(borrow).map_err(|other| {
            let parameter = &self.call.kernel.parameters()[index];
            let other = match other.parameter.and_then(|index| self.call.kernel.parameters().get(index)) {
                Some(other) => format!("parameter `{}`", other.name()),
                None => "a pointer that the host function followed".into(),
            };
            Error::Argument {
                kernel: self.call.kernel.name().into(),
                parameter: parameter.name().into(),
                expected: format!(
                    "memory of another allocation than that of {other}, or a host function that takes \
                     `&[Cell<T>]` for both"
                ),
                found: format!("memory at {}, which overlaps it", region.ptr),
            }
        })
    }

    fn null(&self, index: usize) -> Error {
        match self.argument(index) {
            Ok((parameter, _)) => null_pointer(self.call.kernel, parameter),
            Err(error) => error,
        }
    }

    fn misfit(&self, parameter: &Parameter, taken_as: &str) -> Error {
        Error::Argument {
            kernel: self.call.kernel.name().into(),
            parameter: parameter.name().into(),
            expected: format!("a host function that takes it as the declared `{}`", parameter.rust_type()),
            found: format!("one that takes `{taken_as}`"),
        }
    }
}

/// The copy of `region`, made now unless it was before.
fn copy_into(snapshot: &OnceCell<Block>, region: &Region) -> Result<*mut u8> {
    if let Some(block) = snapshot.get() {
        return Ok(block.as_ptr());
    }
    // SAFETY: the region is initialised memory, and no exclusive reference to it exists: before the
    // first is made, everything that overlaps it is copied.
    let block = unsafe { Block::copy_of(region.host, region.bytes) }
        .ok_or_else(|| anyhow::anyhow!("the host has no {} bytes left for a copy", region.bytes))?;
    Ok(snapshot.get_or_init(|| block).as_ptr())
}
