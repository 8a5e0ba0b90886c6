use super::DeviceInfo;
use crate::argument::DevicePtr;
use crate::backend::StreamHandle;
use crate::error::Result;

/// A copy of a rectangle within the device's memory: `height` rows of `width` bytes, whose starts lie a pitch apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy2d {
    /// The first byte of the first row that is written.
    pub dst: DevicePtr,
    /// Bytes from one row that is written to the next.
    pub dst_pitch: usize,
    /// The first byte of the first row that is read.
    pub src: DevicePtr,
    /// Bytes from one row that is read to the next.
    pub src_pitch: usize,
    /// The bytes of a row. At most either pitch.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

/// What a memset writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// This byte in every byte.
    Byte(u8),
    /// This word in every four bytes. Address and length must be multiples of four.
    Word(u32),
}

/// Copies between host and device and within the device, and memsets.
///
/// Those without a stream block, and are ordered after work on the default stream alone. Those with
/// `_on` in their name are ordered on a stream and block until they are done. Those with `_async` are ordered on a
/// stream and may return before they are done.
///
/// A copy of no bytes succeeds and does nothing. Device ranges are checked where the backend can: an
/// error names the range and what is there.
///
/// No safe operation reads or writes pinned host memory by its device address, since a slice on the host may borrow it:
/// that is [`MemoryProblem::Pinned`](crate::MemoryProblem::Pinned), also on the device's side of the `unsafe` ones. Pinned memory is
/// copied as the host memory that it is. Kernels reach it by its address.
pub trait CopyMemory: DeviceInfo {
    /// Copies `src` to the device; blocks.
    ///
    /// # Errors
    ///
    /// Where the range is not device memory of this backend, or the driver refuses.
    #[track_caller]
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()>;

    /// Copies to the host; blocks.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    #[track_caller]
    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()>;

    /// Copies `bytes` bytes within the device; blocks. The ranges must not overlap.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device), and where the ranges overlap.
    #[track_caller]
    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()>;

    /// Copies `src` to the device, in the order of `stream`; blocks until done.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device), and where `stream` is capturing.
    #[track_caller]
    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()>;

    /// Copies to the host, in the order of `stream`; blocks until done.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device_on`](Self::copy_to_device_on).
    #[track_caller]
    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()>;

    /// Copies `src` to the device in the order of `stream`: the plain copy. The caller may drop or rewrite `src` as soon as
    /// this returns, also when it is pinned: what had to be read has been read.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device_on`](Self::copy_to_device_on).
    #[track_caller]
    fn copy_to_device_async(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.copy_to_device_on(stream, dst, src)
    }

    /// Copies `bytes` bytes at `src` to the device in the order of `stream`, from memory that the caller retains: the retained copy. Adds
    /// no ordering of its own: many such copies need one synchronisation at their end.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    ///
    /// # Safety
    ///
    /// `src` is valid for reads of `bytes` bytes, which are initialised, and neither freed nor written, until the stream has been
    /// synchronised; while the stream is capturing, until the graph that results is destroyed.
    #[track_caller]
    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()>;

    /// Copies `bytes` bytes to the host at `dst`, in the order of `stream`.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    ///
    /// # Safety
    ///
    /// `dst` is valid for writes of `bytes` bytes, and neither freed, read nor written, until the stream has
    /// been synchronised; while the stream is capturing, until the graph that results is destroyed.
    #[track_caller]
    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()>;

    /// Copies `bytes` bytes within the device in the order of `stream`. The ranges must not overlap.
    ///
    /// # Errors
    ///
    /// As for [`copy_within_device`](Self::copy_within_device).
    #[track_caller]
    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()>;

    /// Copies a rectangle within the device in the order of `stream`.
    ///
    /// # Errors
    ///
    /// As for [`copy_within_device`](Self::copy_within_device), and where a row is wider than a pitch.
    #[track_caller]
    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()>;

    /// Fills `bytes` bytes; blocks.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device), and where address or length do not fit the word.
    #[track_caller]
    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()>;

    /// Fills `bytes` bytes in the order of `stream`.
    ///
    /// # Errors
    ///
    /// As for [`memset`](Self::memset).
    #[track_caller]
    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()>;
}
