use super::DeviceInfo;
use crate::backend::{KernelHandle, LookupAudit};
use crate::error::Result;
use crate::launch::{Kernel, Module};

/// What a compiled kernel needs and allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// Registers a thread.
    pub registers: u32,
    /// Static shared memory a block, in bytes.
    pub static_shared_mem: u32,
    /// Dynamic shared memory a block may have, in bytes, on this device.
    pub max_dynamic_shared_mem: u32,
    /// Local memory a thread, in bytes.
    pub local_mem: u32,
    /// Constant memory, in bytes.
    pub constant_mem: u32,
    /// Threads a block may have.
    pub max_threads_per_block: u32,
}

impl KernelAttributes {
    /// The attributes of a kernel that needs nothing and may have blocks of `max_threads_per_block` threads.
    pub const fn new(max_threads_per_block: u32) -> Self {
        Self {
            registers: 0,
            static_shared_mem: 0,
            max_dynamic_shared_mem: 0,
            local_mem: 0,
            constant_mem: 0,
            max_threads_per_block,
        }
    }
}

/// How many blocks run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks on one multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Blocks on the whole device: the largest grid of a cooperative launch. Only the host backend takes larger ones, as its host
    /// functions stand for all blocks at once.
    pub blocks: u32,
}

/// Finding kernels by module and name.
///
/// A failed look-up is noted in the [audit](Self::lookup_audit) with the caller's location.
///
/// # Safety
///
/// A launch takes a handle for what it names without looking it up. So a handle that [`find_kernel`](Self::find_kernel) or
/// [`resolve_kernel`](Self::resolve_kernel) returns can be launched for as long as this backend lives: on it, and on every other
/// that returns the same [operation cache](DeviceInfo::operation_cache), where the handle is kept.
pub unsafe trait KernelLookup: DeviceInfo {
    /// Gives a module its code, so that its kernels can be found by name. It is loaded when the first of them is.
    ///
    /// What is given here takes the place, as a whole, of what declarations carry for a module of this name, whichever
    /// comes first. Their kernels are looked for in it, and compared with it as ever. One without code changes nothing.
    ///
    /// # Errors
    ///
    /// Where other code was given under this name, or is loaded already.
    #[track_caller]
    fn register_module(&self, module: Module) -> Result<()>;

    /// The kernel `name` of a module that is known.
    ///
    /// A backend that has compiled code finds each kernel of it. The host backend finds those whose declaration it has
    /// seen: what is to be found by name on every backend is passed to
    /// [`register_kernels`](trait.GpuBackend.html#method.register_kernels) first.
    ///
    /// # Errors
    ///
    /// Where there is no such module or no such kernel; the error lists those that there are.
    #[track_caller]
    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle>;

    /// Whether the module is known here at all. To be asked before looking for a kernel that only some targets carry.
    #[track_caller]
    fn has_module(&self, module: &str) -> bool;

    /// The handle of a declared kernel; loads its module where need be, and compares the declaration with what was
    /// loaded. [`Kernel::resolve`] calls this once a backend and keeps the handle.
    ///
    /// # Errors
    ///
    /// As for [`find_kernel`](Self::find_kernel), where the declaration does not fit, and where it carries other code than
    /// another declaration of the module.
    #[track_caller]
    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle>;

    /// The look-ups that failed.
    fn lookup_audit(&self) -> &LookupAudit;

    /// The declaration that a handle was resolved from, where there is one.
    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        let _ = kernel;
        None
    }

    /// The kernel's name, where the backend knows it.
    fn kernel_name(&self, kernel: KernelHandle) -> Option<String> {
        self.declaration(kernel).map(|kernel| kernel.name().into())
    }

    /// What the compiled kernel needs and allows.
    ///
    /// # Errors
    ///
    /// Where the backend has no compiled kernels or does not know the handle.
    #[track_caller]
    fn kernel_attributes(&self, kernel: KernelHandle) -> Result<KernelAttributes> {
        let _ = kernel;
        Err(self.unsupported("kernel attributes"))
    }

    /// How many blocks of `block_threads` threads, each with `shared_mem` bytes of dynamic shared memory, run at once.
    ///
    /// # Errors
    ///
    /// As for [`kernel_attributes`](Self::kernel_attributes).
    #[track_caller]
    fn occupancy(&self, kernel: KernelHandle, block_threads: u32, shared_mem: u32) -> Result<Occupancy> {
        let _ = (kernel, block_threads, shared_mem);
        Err(self.unsupported("occupancy"))
    }
}
