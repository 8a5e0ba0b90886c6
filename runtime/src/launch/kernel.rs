use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Module;
use crate::argument::{ParameterDescription, ParameterKind, parameter_end};
use crate::backend::{GpuBackend, HostFunction, KernelAttributes, KernelHandle, Occupancy, OperationCache};
use crate::error::Result;

/// A kernel as it was declared: all that is known of it before there is a device.
///
/// `#[kernel]` generates one `static` of this type for each declared function, named after it in
/// capitals.
///
/// ```
/// use warpcall::{Gpu, kernel};
///
/// #[kernel(module = "scale")]
/// unsafe extern "C" {
///     pub unsafe fn scale(values: *mut f32, factor: f32, n: u32);
/// }
///
/// assert_eq!(SCALE.to_string(), "scale(values: *mut f32, factor: f32, n: u32)");
/// assert!(SCALE.parameters()[0].is_pointer());
/// assert_eq!(SCALE.parameters()[1].name(), "factor");
///
/// // With a backend: its handle there, and how many of its blocks run at once.
/// let gpu = Gpu::host()?;
/// let handle = SCALE.resolve(&*gpu)?;
/// assert_eq!(gpu.kernel_name(handle).as_deref(), Some("scale"));
/// assert!(SCALE.occupancy(&*gpu, 256, 0)?.blocks > 0);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct Kernel {
    module: Module,
    name: &'static str,
    symbol: Option<&'static str>,
    parameters: &'static [Parameter],
    host: Option<HostFunction>,
    index: AtomicU32,
}

/// The next kernel's index. Zero means that a kernel has none yet.
static NEXT_INDEX: AtomicU32 = AtomicU32::new(1);

impl Kernel {
    /// How many bytes the parameters of a kernel are at most, together: what devices of compute capability 7.0 and later take
    /// since CUDA 12.1 (CUDA C++ Programming Guide, "Function Parameters"). Older compilers and devices take
    /// 4,096, and refuse more themselves.
    pub const MAX_PARAMETER_BYTES: usize = 32_764;

    /// The kernel `name` of `module`, which takes `parameters`.
    ///
    /// `#[kernel]` calls this; by hand it serves kernels that are declared in data:
    ///
    /// ```
    /// use warpcall::{Kernel, KernelParam, Module, Parameter};
    ///
    /// static SCALE: Kernel = Kernel::new(
    ///     Module::new("scale"),
    ///     "scale",
    ///     &[
    ///         Parameter::device_mut::<f32>("values", "*mut f32"),
    ///         Parameter::value("factor", "f32", f32::DESCRIPTION),
    ///     ],
    /// );
    /// assert_eq!(SCALE.parameters()[1].size(), 4);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the parameters are more than [`MAX_PARAMETER_BYTES`](Self::MAX_PARAMETER_BYTES) together, which in a `static` is a
    /// compile error:
    ///
    /// ```compile_fail
    /// use warpcall::{KernelParam, kernel};
    ///
    /// #[derive(Clone, Copy, KernelParam)]
    /// #[repr(C)]
    /// struct Table {
    ///     entries: [u8; 1 << 20],
    /// }
    ///
    /// #[kernel(module = "large")]
    /// unsafe extern "C" {
    ///     unsafe fn large(table: Table); // `table: *const Table`, with the table in device memory
    /// }
    /// ```
    pub const fn new(module: Module, name: &'static str, parameters: &'static [Parameter]) -> Self {
        let (mut index, mut end) = (0, 0);
        while index < parameters.len() {
            end = parameter_end(end, parameters[index].size(), parameters[index].align());
            index += 1;
        }
        assert!(
            end <= Self::MAX_PARAMETER_BYTES,
            "a CUDA kernel takes at most 32,764 bytes of parameters together, and these are more; put what is large \
             into device memory, and declare a pointer to it"
        );
        Self { module, name, symbol: None, parameters, host: None, index: AtomicU32::new(0) }
    }

    /// With its symbol, where the name is that of C++ and the symbol is known.
    #[must_use]
    pub const fn with_symbol(mut self, symbol: &'static str) -> Self {
        self.symbol = Some(symbol);
        self
    }

    /// With the function that the host backend runs.
    #[must_use]
    pub const fn with_host(mut self, function: HostFunction) -> Self {
        self.host = Some(function);
        self
    }

    /// The module that carries the kernel.
    pub const fn module(&self) -> &Module {
        &self.module
    }

    /// The kernel's name in the module: its symbol, or its name in C++, such as `scale<float, 4>` and `fft::plain`.
    ///
    /// Errors and look-ups have this name. A device finds the mangled symbol by it: NVRTC tells it of a source, and in an
    /// image it says the same.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The mangled symbol of a kernel whose name is that of C++, where it is known.
    pub const fn symbol(&self) -> Option<&'static str> {
        self.symbol
    }

    /// The parameters, in order.
    pub const fn parameters(&self) -> &'static [Parameter] {
        self.parameters
    }

    /// The function that the host backend runs, where there is one.
    pub const fn host(&self) -> Option<HostFunction> {
        self.host
    }

    /// The kernel's handle on `backend`: resolved and checked at the first call, then found without a lock.
    ///
    /// # Errors
    ///
    /// Where the backend has no such module or kernel, or where the kernel there takes other
    /// parameters than are declared here.
    #[inline]
    #[track_caller]
    pub fn resolve(&'static self, backend: &dyn GpuBackend) -> Result<KernelHandle> {
        self.resolve_in(backend.operation_cache(), backend)
    }

    /// As [`resolve`](Self::resolve), of a backend whose cache the caller has.
    #[inline]
    #[track_caller]
    pub(super) fn resolve_in(
        &'static self,
        cache: &OperationCache,
        backend: &dyn GpuBackend,
    ) -> Result<KernelHandle> {
        match cache.find(self.index.load(Ordering::Relaxed)) {
            Some(handle) => Ok(handle),
            None => self.resolve_slowly(backend),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn resolve_slowly(&'static self, backend: &dyn GpuBackend) -> Result<KernelHandle> {
        let (cache, index) = (backend.operation_cache(), self.index());
        let resolving = cache.begin_resolving();
        // Another thread may have resolved it while this one waited.
        if let Some(handle) = cache.find(index) {
            return Ok(handle);
        }
        // Called here and not in a closure, which would hide the caller's location.
        let handle = backend.resolve_kernel(self).map_err(|error| error.of_kernel(self.name))?;
        cache.insert(&resolving, index, handle);
        Ok(handle)
    }

    /// The kernel's number in this process, the same for every backend.
    fn index(&self) -> u32 {
        let known = self.index.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let fresh = NEXT_INDEX.fetch_add(1, Ordering::Relaxed);
        match self.index.compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => fresh,
            Err(other) => other,
        }
    }

    /// What the compiled kernel needs and allows: registers, shared memory, threads a block.
    ///
    /// # Errors
    ///
    /// As for [`resolve`](Self::resolve); and where the backend has no compiled kernels.
    #[track_caller]
    pub fn attributes(&'static self, backend: &dyn GpuBackend) -> Result<KernelAttributes> {
        backend.kernel_attributes(self.resolve(backend)?)
    }

    /// How many blocks of `block_threads` threads, each with `shared_mem` bytes of dynamic shared memory,
    /// run on one multiprocessor at once.
    ///
    /// # Errors
    ///
    /// As for [`attributes`](Self::attributes).
    #[track_caller]
    pub fn occupancy(
        &'static self,
        backend: &dyn GpuBackend,
        block_threads: u32,
        shared_mem: u32,
    ) -> Result<Occupancy> {
        backend.occupancy(self.resolve(backend)?, block_threads, shared_mem)
    }
}

impl dyn GpuBackend + '_ {
    /// Resolves declared kernels, so that from now on each is found by module and name.
    ///
    /// What a program chooses by name at run time is then found on every backend, the host's included, and a launch of it
    /// is compared with its declaration.
    ///
    /// ```
    /// use warpcall::{Gpu, kernel};
    ///
    /// #[kernel(module = "activation")]
    /// unsafe extern "C" {
    ///     unsafe fn silu(values: *mut f32, n: u32);
    ///     unsafe fn gelu(values: *mut f32, n: u32);
    /// }
    ///
    /// let gpu = Gpu::host()?;
    /// gpu.register_kernels(&[&SILU, &GELU])?;
    /// let chosen = gpu.find_kernel("activation", "gelu")?;
    /// assert_eq!(gpu.declaration(chosen).map(|kernel| kernel.parameters().len()), Some(2));
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Kernel::resolve`], of the first kernel that fails; those before it are known.
    #[track_caller]
    pub fn register_kernels(&self, kernels: &[&'static Kernel]) -> Result<()> {
        // So that a source is compiled once, with the instances of all of them.
        for kernel in kernels.iter().filter(|kernel| !kernel.module.cpp_names().is_empty()) {
            // Without its code, which is a declaration's, and not given at run time.
            let names = kernel.module.cpp_names();
            self.register_module(Module::new(kernel.module.name()).with_cpp_names(names))?;
        }
        // A loop and not a closure, which would hide the caller's location.
        for kernel in kernels {
            kernel.resolve(self)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{self}", self.module.name())
    }
}

/// The kernel as a signature: its name and its parameters with their types.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{}: {}", parameter.name, parameter.rust_type)?;
        }
        f.write_str(")")
    }
}

/// One declared parameter of a kernel.
///
/// ```
/// use warpcall::{KernelParam, Parameter, ParameterKind};
///
/// let bias = Parameter::device_ref::<f32>("bias", "*const f32").nullable();
/// assert_eq!((bias.size(), bias.align()), (8, 8));
/// let ParameterKind::Pointer { mutable, nullable, element_size, .. } = bias.kind() else { unreachable!() };
/// assert_eq!((mutable, nullable, element_size), (false, true, 4));
///
/// let n = Parameter::value("n", "u32", u32::DESCRIPTION);
/// assert_eq!((n.name(), n.kind(), n.size()), ("n", ParameterKind::Unsigned, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    name: &'static str,
    rust_type: &'static str,
    description: ParameterDescription,
}

impl Parameter {
    /// A `*const T`.
    pub const fn device_ref<T>(name: &'static str, rust_type: &'static str) -> Self {
        Self::pointer::<T>(name, rust_type, false)
    }

    /// A `*mut T`.
    pub const fn device_mut<T>(name: &'static str, rust_type: &'static str) -> Self {
        Self::pointer::<T>(name, rust_type, true)
    }

    const fn pointer<T>(name: &'static str, rust_type: &'static str, mutable: bool) -> Self {
        let kind = ParameterKind::Pointer {
            mutable,
            nullable: false,
            element_size: size_of::<T>(),
            element_align: align_of::<T>(),
        };
        Self { name, rust_type, description: ParameterDescription { kind, size: 8, align: 8 } }
    }

    /// A value, described by its type's [`KernelParam::DESCRIPTION`](crate::KernelParam::DESCRIPTION).
    pub const fn value(
        name: &'static str,
        rust_type: &'static str,
        description: ParameterDescription,
    ) -> Self {
        Self { name, rust_type, description }
    }

    /// A tensor map.
    pub const fn tensor_map(name: &'static str) -> Self {
        Self { name, rust_type: "TensorMap", description: crate::TensorMap::DESCRIPTION }
    }

    /// The same pointer, which a call may leave out. Has no meaning for what is not a pointer.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        if let ParameterKind::Pointer { nullable, .. } = &mut self.description.kind {
            *nullable = true;
        }
        self
    }

    /// The parameter's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its type, as declared.
    pub const fn rust_type(&self) -> &'static str {
        self.rust_type
    }

    /// Its kind, size and alignment.
    pub const fn description(&self) -> ParameterDescription {
        self.description
    }

    /// What kind of parameter it is.
    pub const fn kind(&self) -> ParameterKind {
        self.description.kind
    }

    /// Its size on the device in bytes.
    pub const fn size(&self) -> usize {
        self.description.size
    }

    /// Its alignment on the device in bytes.
    pub const fn align(&self) -> usize {
        self.description.align
    }

    /// Whether it is a pointer.
    pub const fn is_pointer(&self) -> bool {
        matches!(self.description.kind, ParameterKind::Pointer { .. })
    }
}
