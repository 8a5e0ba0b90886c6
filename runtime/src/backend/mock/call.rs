use std::fmt;
use std::panic::Location;
use std::ptr::NonNull;

use super::{RecordedArg, RecordedLaunch};
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, EventHandle, Fill, GraphHandle, KernelHandle, StreamHandle, TiledTensor};
use crate::launch::LaunchConfig;

macro_rules! calls {
    ($(#[$capability:meta] $($kind:ident = $name:literal { $($field:ident: $type:ty),* $(,)? })+)+) => {
        /// One recorded call: a method of a backend's traits, with its arguments.
        ///
        /// Fields are named as the method's parameters. A host buffer is recorded by its length in bytes; `location`
        /// is where the caller's code called, or `None` where it dropped what is freed.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the fields are the parameters of the method that the variant names")]
        pub enum Call {
            $($(
                #[doc = concat!("`", $name, "`, of ")]
                #[$capability]
                $kind { $($field: $type),* },
            )+)+
        }

        /// What a [`Call`] is a call of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum CallKind {
            $($(
                #[doc = concat!("`", $name, "`, of ")]
                #[$capability]
                $kind,
            )+)+
        }

        impl Call {
            /// What it is a call of.
            pub fn kind(&self) -> CallKind {
                match self {
                    $($(Self::$kind { .. } => CallKind::$kind,)+)+
                }
            }
        }

        impl CallKind {
            /// All of them, in the order of the traits.
            pub const ALL: &'static [Self] = &[$($(Self::$kind),+),+];

            /// The name of the method.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$kind => $name,)+)+
                }
            }
        }
    };
}

calls! {
    #[doc = "[`DeviceInfo`](crate::backend::DeviceInfo)."]
    BindToThread = "bind_to_thread" {}

    #[doc = "[`DeviceMemory`](crate::backend::DeviceMemory)."]
    Allocate = "allocate" { bytes: usize, location: &'static Location<'static> }
    AllocateManaged = "allocate_managed" { bytes: usize, location: &'static Location<'static> }
    Free = "free" { ptr: DevicePtr, location: Option<&'static Location<'static>> }
    MemoryInfo = "memory_info" {}

    #[doc = "[`CopyMemory`](crate::backend::CopyMemory)."]
    CopyToDevice = "copy_to_device" { dst: DevicePtr, bytes: usize }
    CopyToHost = "copy_to_host" { src: DevicePtr, bytes: usize }
    CopyWithinDevice = "copy_within_device" { dst: DevicePtr, src: DevicePtr, bytes: usize }
    CopyToDeviceOn = "copy_to_device_on" { stream: StreamHandle, dst: DevicePtr, bytes: usize }
    CopyToHostOn = "copy_to_host_on" { stream: StreamHandle, src: DevicePtr, bytes: usize }
    CopyToDeviceAsync = "copy_to_device_async" { stream: StreamHandle, dst: DevicePtr, bytes: usize }
    CopyToDeviceRetained = "copy_to_device_retained" { stream: StreamHandle, dst: DevicePtr, bytes: usize }
    CopyToHostAsync = "copy_to_host_async" { stream: StreamHandle, src: DevicePtr, bytes: usize }
    CopyWithinDeviceAsync = "copy_within_device_async" {
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    }
    Copy2dAsync = "copy_2d_async" { stream: StreamHandle, copy: Copy2d }
    Memset = "memset" { dst: DevicePtr, fill: Fill, bytes: usize }
    MemsetAsync = "memset_async" { stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize }

    #[doc = "[`PinnedMemory`](crate::backend::PinnedMemory). Addresses are recorded as numbers."]
    AllocatePinned = "allocate_pinned" { bytes: usize, location: &'static Location<'static> }
    FreePinned = "free_pinned" { address: usize, location: Option<&'static Location<'static>> }
    PinnedDevicePtr = "pinned_device_ptr" { address: usize }

    #[doc = "[`KernelLookup`](crate::backend::KernelLookup)."]
    RegisterModule = "register_module" { module: &'static str }
    FindKernel = "find_kernel" { module: String, kernel: String, location: &'static Location<'static> }
    HasModule = "has_module" { module: String }
    ResolveKernel = "resolve_kernel" {
        module: &'static str,
        kernel: &'static str,
        location: &'static Location<'static>,
    }
    KernelAttributes = "kernel_attributes" { kernel: KernelHandle }
    Occupancy = "occupancy" { kernel: KernelHandle, block_threads: u32, shared_mem: u32 }

    #[doc = "[`LaunchKernels`](crate::backend::LaunchKernels)."]
    Launch = "launch" { launch: Box<RecordedLaunch> }
    LaunchRaw = "launch_raw" {
        kernel: KernelHandle,
        config: LaunchConfig,
        stream: StreamHandle,
        params: usize,
        args: Option<Vec<RecordedArg>>,
    }

    #[doc = "[`Streams`](crate::backend::Streams)."]
    Synchronize = "synchronize" {}
    SynchronizeStream = "synchronize_stream" { stream: StreamHandle }
    CreateStream = "create_stream" { priority: Option<i32> }
    DestroyStream = "destroy_stream" { stream: StreamHandle }
    IsStreamIdle = "is_stream_idle" { stream: StreamHandle }

    #[doc = "[`Events`](crate::backend::Events)."]
    CreateEvent = "create_event" { timing: bool }
    DestroyEvent = "destroy_event" { event: EventHandle }
    RecordEvent = "record_event" { event: EventHandle, stream: StreamHandle }
    StreamWaitEvent = "stream_wait_event" { stream: StreamHandle, event: EventHandle }
    SynchronizeEvent = "synchronize_event" { event: EventHandle }
    IsEventDone = "is_event_done" { event: EventHandle }
    Elapsed = "elapsed" { start: EventHandle, end: EventHandle }
    StreamWaitStream = "stream_wait_stream" { waiting: StreamHandle, other: StreamHandle }

    #[doc = "[`Graphs`](crate::backend::Graphs)."]
    BeginCapture = "begin_capture" { stream: StreamHandle }
    EndCapture = "end_capture" { stream: StreamHandle }
    AbandonCapture = "abandon_capture" { stream: StreamHandle }
    IsCapturing = "is_capturing" { stream: StreamHandle }
    LaunchGraph = "launch_graph" { graph: GraphHandle, stream: StreamHandle }
    DestroyGraph = "destroy_graph" { graph: GraphHandle }

    #[doc = "[`TensorMaps`](crate::backend::TensorMaps)."]
    EncodeTensorMap = "encode_tensor_map" { tensor: TiledTensor }
}

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The address of pinned memory as the record keeps it.
pub(super) fn address(ptr: NonNull<u8>) -> usize {
    ptr.as_ptr().addr()
}
