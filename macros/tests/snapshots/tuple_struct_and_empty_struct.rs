#[allow(clippy::undocumented_unsafe_blocks)]
const _: () = {
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < f32 > () != 0,
        "field `0` of `Pair` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < u8 > () != 0,
        "field `1` of `Pair` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const __WARPCALL_FIELDS: &[gpu::warpcall::FieldDescription] = &[
        gpu::warpcall::FieldDescription {
            name: "0",
            rust_type: "f32",
            offset: ::core::mem::offset_of!(Pair, 0),
            size: ::core::mem::size_of::<f32>(),
            align: ::core::mem::align_of::<f32>(),
            fields: <f32 as gpu::warpcall::KernelField>::FIELDS,
            shape: <f32 as gpu::warpcall::KernelField>::SHAPE,
        },
        gpu::warpcall::FieldDescription {
            name: "1",
            rust_type: "u8",
            offset: ::core::mem::offset_of!(Pair, 1),
            size: ::core::mem::size_of::<u8>(),
            align: ::core::mem::align_of::<u8>(),
            fields: <u8 as gpu::warpcall::KernelField>::FIELDS,
            shape: <u8 as gpu::warpcall::KernelField>::SHAPE,
        },
    ];
    #[automatically_derived]
    unsafe impl gpu::warpcall::KernelField for Pair {
        const FIELDS: &'static [gpu::warpcall::FieldDescription] = __WARPCALL_FIELDS;
        #[inline]
        fn write(&self, bytes_: &mut [::core::primitive::u8]) {
            let _ = &bytes_;
            <f32 as gpu::warpcall::KernelField>::write(
                &self.0,
                &mut bytes_[::core::mem::offset_of!(
                    Self, 0
                )..][..::core::mem::size_of::<f32>()],
            );
            <u8 as gpu::warpcall::KernelField>::write(
                &self.1,
                &mut bytes_[::core::mem::offset_of!(
                    Self, 1
                )..][..::core::mem::size_of::<u8>()],
            );
        }
        fn read(bytes_: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
            let _ = bytes_;
            ::core::option::Option::Some(Self {
                0: <f32 as gpu::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, 0
                    )..][..::core::mem::size_of::<f32>()],
                )?,
                1: <u8 as gpu::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, 1
                    )..][..::core::mem::size_of::<u8>()],
                )?,
            })
        }
    }
    #[automatically_derived]
    unsafe impl gpu::warpcall::KernelParam for Pair {
        type Slots = [::core::primitive::u64; gpu::warpcall::__private::slots_for(
            <Self as gpu::warpcall::KernelParam>::DESCRIPTION.size,
        )];
        const DESCRIPTION: gpu::warpcall::ParameterDescription = gpu::warpcall::ParameterDescription::of_struct::<
            Self,
        >("Pair", __WARPCALL_FIELDS);
    }
};
#[allow(clippy::undocumented_unsafe_blocks)]
const _: () = {
    const __WARPCALL_FIELDS: &[::warpcall::FieldDescription] = &[];
    #[automatically_derived]
    unsafe impl ::warpcall::KernelField for Empty {
        const FIELDS: &'static [::warpcall::FieldDescription] = __WARPCALL_FIELDS;
        #[inline]
        fn write(&self, bytes_: &mut [::core::primitive::u8]) {
            let _ = &bytes_;
        }
        fn read(bytes_: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
            let _ = bytes_;
            ::core::option::Option::Some(Self {})
        }
    }
    #[automatically_derived]
    unsafe impl ::warpcall::KernelParam for Empty {
        type Slots = [::core::primitive::u64; ::warpcall::__private::slots_for(
            <Self as ::warpcall::KernelParam>::DESCRIPTION.size,
        )];
        const DESCRIPTION: ::warpcall::ParameterDescription = ::warpcall::ParameterDescription::of_struct::<
            Self,
        >("Empty", __WARPCALL_FIELDS);
    }
};
