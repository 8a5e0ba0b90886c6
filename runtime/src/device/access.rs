//! The methods that buffers and slices share, so that each is documented once and means the same on all.

/// Reading: on a buffer and on both kinds of slice. `$view` makes a [`Slice`](crate::Slice) of `self`.
macro_rules! reading_methods {
    ($view:ident) => {
        /// The number of elements.
        #[inline]
        pub fn len(&self) -> usize {
            self.len
        }

        /// Whether there are no elements.
        #[inline]
        pub fn is_empty(&self) -> bool {
            self.len == 0
        }

        /// The size of all elements in bytes.
        #[inline]
        pub fn bytes(&self) -> usize {
            // Checked when the memory was allocated.
            self.len * size_of::<T>()
        }

        /// The address of the first element; the null pointer where there are no bytes.
        #[inline]
        pub fn device_ptr(&self) -> crate::DevicePtr {
            self.ptr
        }

        /// Copies the elements to a new vector, in the order of `stream`. Waits until it is done.
        ///
        /// # Errors
        ///
        /// Where the stream is another backend's or is capturing, or the backend refuses.
        #[track_caller]
        pub fn to_vec(&self, stream: &(impl crate::AsStream + ?Sized)) -> crate::Result<Vec<T>> {
            self.$view().read_to_vec(stream.as_stream())
        }

        /// Copies the elements to `dst`, in the order of `stream`. Waits until it is done.
        ///
        /// # Errors
        ///
        /// Where `dst` has another length, the stream is another backend's or is capturing, or the backend refuses.
        #[track_caller]
        pub fn copy_to_host(
            &self,
            stream: &(impl crate::AsStream + ?Sized),
            dst: &mut [T],
        ) -> crate::Result<()> {
            self.$view().read(stream.as_stream(), dst)
        }

        /// Copies the elements to `dst`, in the order of `stream`. May return before it is done.
        ///
        /// # Errors
        ///
        /// Where `dst` has another length, the stream is another backend's, or the backend refuses.
        ///
        /// # Safety
        ///
        /// `dst` is neither freed, read nor written until the stream has been synchronised; while the stream
        /// is capturing, until the graph that results is destroyed.
        #[track_caller]
        pub unsafe fn copy_to_host_async(
            &self,
            stream: &(impl crate::AsStream + ?Sized),
            dst: &mut [T],
        ) -> crate::Result<()> {
            // SAFETY: the caller leaves `dst` alone.
            unsafe { self.$view().read_async(stream.as_stream(), dst) }
        }
    };
}

/// Writing: on a buffer and on an exclusive slice. `$view` makes a [`SliceMut`](crate::SliceMut) of `self`.
macro_rules! writing_methods {
    ($view:ident) => {
        /// Copies `src` to the device, in the order of `stream`: the plain copy. May return before the device has it, but `src`
        /// may be changed or dropped at once, also where it is pinned.
        ///
        /// # Errors
        ///
        /// Where `src` has another length, the stream is another backend's or is capturing, or the backend refuses.
        #[track_caller]
        pub fn copy_from_host(
            &mut self,
            stream: &(impl crate::AsStream + ?Sized),
            src: &[T],
        ) -> crate::Result<()> {
            self.$view().write(stream.as_stream(), src)
        }

        /// Copies `src` to the device, in the order of `stream`, from memory that the caller retains: the retained copy. Adds no
        /// ordering: many such copies need one synchronisation at their end.
        ///
        /// # Errors
        ///
        /// Where `src` has another length, the stream is another backend's, or the backend refuses.
        ///
        /// # Safety
        ///
        /// `src` is neither freed nor written until the stream has been synchronised; while the stream is
        /// capturing, until the graph that results is destroyed.
        #[track_caller]
        pub unsafe fn copy_from_retained(
            &mut self,
            stream: &(impl crate::AsStream + ?Sized),
            src: &[T],
        ) -> crate::Result<()> {
            // SAFETY: the caller retains `src`.
            unsafe { self.$view().write_retained(stream.as_stream(), src) }
        }

        /// Copies the elements of `src`, which lies on the same device, in the order of `stream`. May return
        /// before it is done.
        ///
        /// # Errors
        ///
        /// Where `src` has another length, `src` or the stream is another backend's, or the backend refuses.
        #[track_caller]
        pub fn copy_from_device<'s>(
            &mut self,
            stream: &(impl crate::AsStream + ?Sized),
            src: impl Into<crate::Slice<'s, T>>,
        ) -> crate::Result<()>
        where
            T: 's,
        {
            self.$view().write_from_device(stream.as_stream(), src.into())
        }

        /// Fills the elements with a byte or a word, in the order of `stream`. May return before it is done.
        ///
        /// # Errors
        ///
        /// Where the size of the elements is no multiple of the word's, the stream is another backend's, or
        /// the backend refuses.
        #[track_caller]
        pub fn fill(
            &mut self,
            stream: &(impl crate::AsStream + ?Sized),
            fill: crate::backend::Fill,
        ) -> crate::Result<()> {
            self.$view().write_fill(stream.as_stream(), fill)
        }
    };
}

/// What makes a type an argument for a kernel's pointer.
macro_rules! device_argument {
    (read: [$($generics:tt)+] $type:ty) => {
        // SAFETY: the span is what the buffer behind it allocated, or a part of it, which lives as long as the borrow.
        // `DeviceMemory` promises that it is memory.
        unsafe impl<$($generics)+> crate::DeviceRef<T> for $type {
            #[inline]
            fn span(&self) -> crate::DeviceSpan {
                crate::DeviceSpan { ptr: self.ptr, bytes: Some(self.bytes()), backend: Some(self.gpu.id()) }
            }
        }

        impl<$($generics)+> crate::ElementRef<T> for $type {}

        // SAFETY: as above.
        unsafe impl<$($generics)+> crate::DeviceRef<crate::Void> for $type {
            #[inline]
            fn span(&self) -> crate::DeviceSpan {
                crate::DeviceRef::<T>::span(self)
            }
        }

        impl<$($generics)+> From<&$type> for crate::DevicePtr {
            #[inline]
            fn from(memory: &$type) -> Self {
                memory.device_ptr()
            }
        }
    };
    (write: [$($generics:tt)+] $type:ty) => {
        // SAFETY: as for `DeviceRef`; and the type holds its range exclusively, so that nothing safe reaches the
        // range while it is borrowed.
        unsafe impl<$($generics)+> crate::DeviceMut<T> for $type {
            #[inline]
            fn span_mut(&mut self) -> crate::DeviceSpan {
                crate::DeviceRef::<T>::span(self)
            }
        }

        impl<$($generics)+> crate::ElementMut<T> for $type {}

        // SAFETY: as above.
        unsafe impl<$($generics)+> crate::DeviceMut<crate::Void> for $type {
            #[inline]
            fn span_mut(&mut self) -> crate::DeviceSpan {
                crate::DeviceRef::<T>::span(self)
            }
        }

        impl<$($generics)+> From<&mut $type> for crate::DevicePtr {
            #[inline]
            fn from(memory: &mut $type) -> Self {
                memory.device_ptr()
            }
        }
    };
}

pub(super) use {device_argument, reading_methods, writing_methods};
