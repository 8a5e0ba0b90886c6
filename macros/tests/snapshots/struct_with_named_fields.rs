#[allow(clippy::undocumented_unsafe_blocks)]
const _: () = {
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < u32 > () != 0,
        "field `rows` of `Params` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < [f32; 3] > () != 0,
        "field `scale` of `Params` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < inner::Kind > () != 0,
        "field `type` of `Params` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const _: () = ::core::assert!(
        ::core::mem::size_of:: < DevicePtr > () != 0,
        "field `data` of `Params` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    const __WARPCALL_FIELDS: &[::warpcall::FieldDescription] = &[
        ::warpcall::FieldDescription {
            name: "rows",
            rust_type: "u32",
            offset: ::core::mem::offset_of!(Params, rows),
            size: ::core::mem::size_of::<u32>(),
            align: ::core::mem::align_of::<u32>(),
            fields: <u32 as ::warpcall::KernelField>::FIELDS,
            shape: <u32 as ::warpcall::KernelField>::SHAPE,
        },
        ::warpcall::FieldDescription {
            name: "scale",
            rust_type: "[f32; 3]",
            offset: ::core::mem::offset_of!(Params, scale),
            size: ::core::mem::size_of::<[f32; 3]>(),
            align: ::core::mem::align_of::<[f32; 3]>(),
            fields: <[f32; 3] as ::warpcall::KernelField>::FIELDS,
            shape: <[f32; 3] as ::warpcall::KernelField>::SHAPE,
        },
        ::warpcall::FieldDescription {
            name: "type",
            rust_type: "inner::Kind",
            offset: ::core::mem::offset_of!(Params, r#type),
            size: ::core::mem::size_of::<inner::Kind>(),
            align: ::core::mem::align_of::<inner::Kind>(),
            fields: <inner::Kind as ::warpcall::KernelField>::FIELDS,
            shape: <inner::Kind as ::warpcall::KernelField>::SHAPE,
        },
        ::warpcall::FieldDescription {
            name: "data",
            rust_type: "DevicePtr",
            offset: ::core::mem::offset_of!(Params, data),
            size: ::core::mem::size_of::<DevicePtr>(),
            align: ::core::mem::align_of::<DevicePtr>(),
            fields: <DevicePtr as ::warpcall::KernelField>::FIELDS,
            shape: <DevicePtr as ::warpcall::KernelField>::SHAPE,
        },
    ];
    #[automatically_derived]
    unsafe impl ::warpcall::KernelField for Params {
        const FIELDS: &'static [::warpcall::FieldDescription] = __WARPCALL_FIELDS;
        #[inline]
        fn write(&self, bytes_: &mut [::core::primitive::u8]) {
            let _ = &bytes_;
            <u32 as ::warpcall::KernelField>::write(
                &self.rows,
                &mut bytes_[::core::mem::offset_of!(
                    Self, rows
                )..][..::core::mem::size_of::<u32>()],
            );
            <[f32; 3] as ::warpcall::KernelField>::write(
                &self.scale,
                &mut bytes_[::core::mem::offset_of!(
                    Self, scale
                )..][..::core::mem::size_of::<[f32; 3]>()],
            );
            <inner::Kind as ::warpcall::KernelField>::write(
                &self.r#type,
                &mut bytes_[::core::mem::offset_of!(
                    Self, r#type
                )..][..::core::mem::size_of::<inner::Kind>()],
            );
            <DevicePtr as ::warpcall::KernelField>::write(
                &self.data,
                &mut bytes_[::core::mem::offset_of!(
                    Self, data
                )..][..::core::mem::size_of::<DevicePtr>()],
            );
        }
        fn read(bytes_: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
            let _ = bytes_;
            ::core::option::Option::Some(Self {
                rows: <u32 as ::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, rows
                    )..][..::core::mem::size_of::<u32>()],
                )?,
                scale: <[f32; 3] as ::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, scale
                    )..][..::core::mem::size_of::<[f32; 3]>()],
                )?,
                r#type: <inner::Kind as ::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, r#type
                    )..][..::core::mem::size_of::<inner::Kind>()],
                )?,
                data: <DevicePtr as ::warpcall::KernelField>::read(
                    &bytes_[::core::mem::offset_of!(
                        Self, data
                    )..][..::core::mem::size_of::<DevicePtr>()],
                )?,
            })
        }
    }
    #[automatically_derived]
    unsafe impl ::warpcall::KernelParam for Params {
        type Slots = [::core::primitive::u64; ::warpcall::__private::slots_for(
            <Self as ::warpcall::KernelParam>::DESCRIPTION.size,
        )];
        const DESCRIPTION: ::warpcall::ParameterDescription = ::warpcall::ParameterDescription::of_struct::<
            Self,
        >("Params", __WARPCALL_FIELDS);
    }
};
