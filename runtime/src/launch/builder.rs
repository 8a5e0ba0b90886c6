use std::ffi::c_void;
use std::ops::Deref;
use std::panic::Location;

use smallvec::SmallVec;

use super::{Dim3, Kernel, LaunchConfig, explain, submit};
use crate::argument::{
    ArgBytes, DevicePtr, KernelArg, KernelParam, ParameterDescription, SLOT_BYTES, SlotArray, TensorMap,
    parameter_end,
};
use crate::backend::{GpuBackend, KernelHandle, Launch};
use crate::device::{AsStream, StreamRef};
use crate::error::{Error, Result};

/// A launch put together argument by argument, for kernels known only at run time.
///
/// It emits the same [`KernelArg`]s as a generated function does. Where the backend knows the
/// kernel's declaration, the arguments are compared with it before the launch, in number, kind and size: a
/// `float` is none of its integers. Where it does not, nothing can check them. No heap memory is used up to 48 arguments in 64 slots.
/// Making the builder looks the declaration up, under a lock; one that is kept launches again without that.
///
/// ```
/// # use warpcall::{DevicePtr, Gpu, Kernel, KernelLaunch, KernelParam, Module, Parameter};
/// # static SCALE: Kernel = Kernel::new(Module::new("scale"), "scale", &[
/// #     Parameter::device_mut::<f32>("values", "*mut f32"),
/// #     Parameter::value("factor", "f32", f32::DESCRIPTION),
/// # ]).with_host(|_| Ok(()));
/// # fn main() -> warpcall::Result<()> {
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let values = gpu.zeros::<f32>(1000)?;
///
/// let handle = SCALE.resolve(&*gpu)?;
/// // SAFETY: `scale` takes a pointer to floats and a float.
/// unsafe {
///     KernelLaunch::new(&*gpu, handle)
///         .grid([4, 1, 1])
///         .block([256, 1, 1])
///         .arg_ptr(&values)
///         .arg_f32(2.0)
///         .launch(&stream)?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct KernelLaunch<'a> {
    backend: &'a dyn GpuBackend,
    kernel: KernelHandle,
    declaration: Option<&'static Kernel>,
    config: LaunchConfig,
    slots: SmallVec<[u64; 64]>,
    args: SmallVec<[BuiltArg; 48]>,
}

#[derive(Clone, Copy)]
enum BuiltArg {
    Buffer(DevicePtr),
    Bytes { start: u32, description: &'static ParameterDescription },
}

impl BuiltArg {
    /// What kind of value it is; `None` for memory.
    fn description(&self) -> Option<&'static ParameterDescription> {
        match self {
            Self::Buffer(_) => None,
            Self::Bytes { description, .. } => Some(description),
        }
    }
}

impl<'a> KernelLaunch<'a> {
    /// A launch of the kernel that `kernel` names on `backend`, one block of one thread until told otherwise.
    pub fn new(backend: &'a dyn GpuBackend, kernel: KernelHandle) -> Self {
        Self {
            backend,
            kernel,
            declaration: backend.declaration(kernel),
            config: LaunchConfig::new(1, 1),
            slots: SmallVec::new(),
            args: SmallVec::new(),
        }
    }

    /// How many blocks there are.
    pub fn grid(&mut self, grid: impl Into<Dim3>) -> &mut Self {
        self.config.grid = grid.into();
        self
    }

    /// How many threads a block has.
    pub fn block(&mut self, block: impl Into<Dim3>) -> &mut Self {
        self.config.block = block.into();
        self
    }

    /// Dynamic shared memory a block, in bytes.
    pub fn shared_mem(&mut self, bytes: u32) -> &mut Self {
        self.config.shared_mem = bytes;
        self
    }

    /// The whole configuration at once.
    pub fn config(&mut self, config: LaunchConfig) -> &mut Self {
        self.config = config;
        self
    }

    /// Device memory, for a parameter that is a pointer: a buffer, a slice of one, or a raw address.
    pub fn arg_ptr(&mut self, ptr: impl Into<DevicePtr>) -> &mut Self {
        self.args.push(BuiltArg::Buffer(ptr.into()));
        self
    }

    /// A tensor map.
    pub fn arg_tensormap(&mut self, map: &TensorMap) -> &mut Self {
        self.push(map.slots(), const { &TensorMap::DESCRIPTION })
    }

    /// Any value that a kernel takes.
    pub fn arg<P: KernelParam>(&mut self, value: P) -> &mut Self {
        if P::DESCRIPTION.size > Kernel::MAX_PARAMETER_BYTES {
            return self.push_in_place(&value);
        }
        self.push_packed(&value)
    }

    #[inline]
    fn push_packed<P: KernelParam>(&mut self, value: &P) -> &mut Self {
        let packed = value.pack();
        self.push(packed.slots().as_slice(), const { &P::DESCRIPTION })
    }

    /// As [`push_packed`](Self::push_packed), of a value that the launch will refuse: it may be as large as the stack.
    #[cold]
    #[inline(never)]
    fn push_in_place<P: KernelParam>(&mut self, value: &P) -> &mut Self {
        let start = self.slots.len();
        self.push(P::Slots::ZEROS, const { &P::DESCRIPTION });
        value.write(&mut bytemuck::cast_slice_mut(&mut self.slots[start..])[..size_of::<P>()]);
        self
    }

    fn push(&mut self, slots: &[u64], description: &'static ParameterDescription) -> &mut Self {
        // A launch refuses more than 32,764 bytes of parameters, far below what 32 bits count.
        let start = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.extend_from_slice(slots);
        self.args.push(BuiltArg::Bytes { start, description });
        self
    }

    /// Launches the kernel on `stream`. The builder keeps its arguments and can launch again.
    ///
    /// # Errors
    ///
    /// Where the stream belongs to another backend, the arguments do not fit the kernel's declaration
    /// (if that is known) or are more than any kernel takes ([`Kernel::MAX_PARAMETER_BYTES`]), the grid or the block is
    /// empty, or the backend refuses the launch.
    ///
    /// # Safety
    ///
    /// - The handle that the builder was made with is one that its backend resolved; a backend may use it unseen.
    /// - The stream is a live one: a [`Stream`](crate::Stream) is, a [`StreamRef`](crate::StreamRef) where its handle is.
    /// - The arguments are, in number, order, kind and size, the parameters of the compiled kernel.
    /// - Each pointer is memory that the kernel may use as it does, until the stream has run the launch; and what the
    ///   kernel does with them within this configuration is sound.
    #[track_caller]
    pub unsafe fn launch(&self, stream: &(impl AsStream + ?Sized)) -> Result<()> {
        let stream = stream.as_stream();
        if stream.backend_id() != self.backend.id() {
            return Err(self.foreign_stream(stream));
        }
        let args = self.args();
        if let Some(kernel) = self.declaration {
            let given = self.args.iter().map(BuiltArg::description);
            submit::check_kinds(kernel, given)?;
            submit::check_arguments(kernel, &args)?;
        } else if self.may_be_too_large() {
            self.check_size()?;
        }
        let params: SmallVec<[*mut c_void; 48]> = args.iter().map(KernelArg::as_param).collect();
        let launch = Launch {
            kernel: self.kernel,
            declaration: self.declaration,
            config: &self.config,
            stream: stream.handle(),
            args: &args,
            params: &params,
            extents: &[],
            location: Location::caller(),
        };
        // SAFETY: the caller answers for the arguments and the kernel.
        unsafe { submit::submit(self.backend, &launch) }
    }

    #[cold]
    #[inline(never)]
    fn foreign_stream(&self, stream: StreamRef<'_>) -> Error {
        let error = Error::ForeignStream {
            operation: "launch",
            stream: stream.backend().label(),
            backend: self.backend.label(),
        };
        error.of_kernel(&explain::kernel_name(self.backend, self.kernel, self.declaration))
    }

    /// Whether it is worth counting the bytes: the padding before an argument is less than the argument, so that all of
    /// them take up no more than twice their own.
    fn may_be_too_large(&self) -> bool {
        let slots = self.slots.len() + self.args.len();
        2 * SLOT_BYTES * slots > Kernel::MAX_PARAMETER_BYTES
    }

    /// Refuses more bytes than a kernel takes; a kernel that is declared has no more.
    #[cold]
    fn check_size(&self) -> Result<()> {
        let mut end = 0;
        for (index, arg) in self.args.iter().enumerate() {
            end = match arg.description() {
                Some(given) => parameter_end(end, given.size, given.align),
                None => parameter_end(end, size_of::<DevicePtr>(), align_of::<DevicePtr>()),
            };
            if end > Kernel::MAX_PARAMETER_BYTES {
                return Err(Error::Argument {
                    kernel: explain::kernel_name(self.backend, self.kernel, self.declaration),
                    parameter: format!("#{index}").into(),
                    expected: format!(
                        "at most {} bytes of parameters together; put what is large into device memory, and pass a \
                         pointer to it",
                        Kernel::MAX_PARAMETER_BYTES
                    ),
                    found: format!("one that ends at byte {end}"),
                });
            }
        }
        Ok(())
    }

    /// The arguments so far, as the backend will receive them.
    pub fn args(&self) -> impl Deref<Target = [KernelArg<'_>]> {
        self.args
            .iter()
            .map(|arg| match *arg {
                BuiltArg::Buffer(ptr) => KernelArg::Buffer(ptr),
                BuiltArg::Bytes { start, description } => {
                    let slots = &self.slots[start as usize..][..crate::slots_for(description.size)];
                    KernelArg::Bytes(ArgBytes::of_packed(slots, description.size))
                }
            })
            .collect::<SmallVec<[KernelArg<'_>; 48]>>()
    }
}

macro_rules! value_arguments {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)+) => {
        impl KernelLaunch<'_> {
            $($(#[$doc])* pub fn $name(&mut self, value: $type) -> &mut Self {
                self.arg(value)
            })+
        }
    };
}

value_arguments! {
    /// An `unsigned int`.
    arg_u32: u32;
    /// An `int`.
    arg_i32: i32;
    /// A 64-bit unsigned integer, such as `size_t`.
    arg_u64: u64;
    /// A 64-bit signed integer.
    arg_i64: i64;
    /// A `float`.
    arg_f32: f32;
    /// A `double`.
    arg_f64: f64;
}
