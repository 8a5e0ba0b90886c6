use super::{ArgBytes, KernelArg, slots_for};

/// What a kernel's parameter, or one field of a parameter, is: known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterDescription {
    /// What kind of value it is.
    pub kind: ParameterKind,
    /// Its size on the device in bytes. An empty struct has the size of its alignment, usually 1, as in C++.
    pub size: usize,
    /// Its alignment on the device in bytes.
    pub align: usize,
}

impl ParameterDescription {
    /// The description of a plain value of type `T`.
    pub const fn of<T>(kind: ParameterKind) -> Self {
        let size = if size_of::<T>() == 0 { align_of::<T>() } else { size_of::<T>() };
        Self { kind, size, align: align_of::<T>() }
    }

    /// The description of the struct `T` with these fields.
    pub const fn of_struct<T>(name: &'static str, fields: &'static [FieldDescription]) -> Self {
        Self::of::<T>(ParameterKind::Struct { name, fields })
    }

    /// Whether a value of this description can be given where `other` is declared: of one kind, size and alignment,
    /// and for a struct, one name.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let same_kind = match (self.kind, other.kind) {
            (ParameterKind::Struct { name, .. }, ParameterKind::Struct { name: other, .. }) => name == other,
            (kind, other) => std::mem::discriminant(&kind) == std::mem::discriminant(&other),
        };
        same_kind && self.size == other.size && self.align == other.align
    }
}

/// In words, as an error puts it: `a signed integer of 4 bytes`.
impl std::fmt::Display for ParameterDescription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ParameterKind::Pointer { .. } => return f.write_str("device memory"),
            ParameterKind::Bool => return f.write_str("a `bool`"),
            ParameterKind::TensorMap => return f.write_str("a tensor map"),
            ParameterKind::Signed => "a signed integer",
            ParameterKind::Unsigned => "an unsigned integer",
            ParameterKind::Float => "a float",
            ParameterKind::Vector => "a vector",
            ParameterKind::Struct { name, .. } => {
                return write!(f, "the struct `{name}` of {} bytes", self.size);
            }
        };
        write!(f, "{what} of {} byte{}", self.size, if self.size == 1 { "" } else { "s" })
    }
}

/// Where a parameter ends among all of a kernel, if the one before it ends at byte `before`.
pub(crate) const fn parameter_end(before: usize, size: usize, align: usize) -> usize {
    let align = if align == 0 { 1 } else { align };
    match before.checked_next_multiple_of(align) {
        Some(start) => start.saturating_add(size),
        None => usize::MAX,
    }
}

/// The kinds of parameter a kernel can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A pointer to device memory.
    Pointer {
        /// Whether the kernel may write through it.
        mutable: bool,
        /// Whether a call may leave it out.
        nullable: bool,
        /// The size of what it points to in bytes; 1 for `void`.
        element_size: usize,
        /// The alignment of what it points to in bytes; 1 for `void`.
        element_align: usize,
    },
    /// `bool`.
    Bool,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A floating-point number of any width.
    Float,
    /// One of CUDA's vector types.
    Vector,
    /// A struct passed by value.
    Struct {
        /// The struct's name in Rust.
        name: &'static str,
        /// Its fields, in the order of their declaration.
        fields: &'static [FieldDescription],
    },
    /// A tensor map, 128 bytes that the kernel reads through the tensor memory accelerator.
    TensorMap,
}

/// One field of a struct that is passed by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    /// The field's name in Rust; its index in a tuple struct.
    pub name: &'static str,
    /// The field's type, as written.
    pub rust_type: &'static str,
    /// Where it starts in the struct, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// The fields of the struct that it is, or is an array of.
    pub fields: &'static [FieldDescription],
    /// What its type is, whatever it is called.
    pub shape: FieldShape,
}

/// Most lengths of one array of arrays that are told.
const MOST_EXTENTS: usize = 8;

/// What the type of a field is, other names for it followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// The name of a number, a vector type or a `DevicePtr`, of an array that of its elements; empty for a struct.
    pub element: &'static str,
    extents: [usize; MOST_EXTENTS],
}

impl FieldShape {
    /// A struct.
    pub const STRUCT: Self = Self::named("");

    /// The type that is written so, with or without a path.
    pub const fn named(written: &'static str) -> Self {
        let text = written.as_bytes();
        let mut start = text.len();
        while start > 0 && text[start - 1] != b':' && text[start - 1] != b' ' {
            start -= 1;
        }
        Self { element: written.split_at(start).1, extents: [0; MOST_EXTENTS] }
    }

    /// An array of `length` of these.
    #[must_use]
    pub const fn array(self, length: usize) -> Self {
        let mut extents = [0; MOST_EXTENTS];
        extents[0] = length;
        let mut at = 1;
        while at < MOST_EXTENTS {
            extents[at] = self.extents[at - 1];
            at += 1;
        }
        Self { element: self.element, extents }
    }

    /// The lengths of an array of arrays, the outermost first; none of anything else.
    pub const fn extents(&self) -> &[usize] {
        let mut count = 0;
        while count < MOST_EXTENTS && self.extents[count] != 0 {
            count += 1;
        }
        self.extents.split_at(count).0
    }
}

/// Plain data that may stand in a field of a [`KernelParam`] struct.
///
/// Implemented for the numbers, `bool`, CUDA's vector types, [`DevicePtr`](super::DevicePtr), arrays of
/// these, and every struct that derives [`KernelParam`](macro@crate::KernelParam).
///
/// # Safety
///
/// `write` writes each byte that holds a value and leaves padding as it is, at the places where the
/// device's compiler puts them; `read` accepts exactly the bytes that are a valid value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a kernel parameter",
    label = "not plain data",
    note = "a field is a number, `bool`, a CUDA vector type, `DevicePtr` for a device pointer, an array of these, or a struct with `#[derive(KernelParam)]`"
)]
pub unsafe trait KernelField: Copy + 'static {
    /// The fields of a struct, and of an array of structs those of its elements; none of anything else.
    const FIELDS: &'static [FieldDescription] = &[];
    /// What the type is, whatever it is called.
    const SHAPE: FieldShape = FieldShape::STRUCT;

    /// Writes the value into `bytes`, which are `size_of::<Self>()` zeros.
    fn write(&self, bytes: &mut [u8]);

    /// The value that `bytes` hold, which are `size_of::<Self>()` long. `None` where they are no value of
    /// this type, such as a `bool` of 2.
    fn read(bytes: &[u8]) -> Option<Self>;
}

// SAFETY: the elements of an array lie one after another, without padding between them, and each is
// written and read by its own implementation.
unsafe impl<T: KernelField, const N: usize> KernelField for [T; N] {
    const FIELDS: &'static [FieldDescription] = T::FIELDS;
    const SHAPE: FieldShape = T::SHAPE.array(N);

    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        for (index, value) in self.iter().enumerate() {
            value.write(&mut bytes[index * size_of::<T>()..][..size_of::<T>()]);
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut values = [None; N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = Some(T::read(&bytes[index * size_of::<T>()..][..size_of::<T>()])?);
        }
        values.iter().all(Option::is_some).then(|| values.map(|value| value.expect("every element was read")))
    }
}

/// A value that a kernel takes by value.
///
/// Implemented for the numbers, `bool`, CUDA's vector types, and every `#[repr(C)]` struct that
/// derives [`KernelParam`](macro@crate::KernelParam).
///
/// # Safety
///
/// `DESCRIPTION` gives the size and alignment that the device's compiler gives this type, and `Slots` has
/// [`slots_for`] of that size.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    label = "not a kernel parameter",
    note = "a parameter is a pointer (`*const T`, `*mut T`), a number, `bool`, a CUDA vector type, a `TensorMap`, or a `#[repr(C)]` struct with `#[derive(KernelParam)]`"
)]
pub unsafe trait KernelParam: KernelField {
    /// The array of slots that a value fills: `[u64; slots_for(size)]`.
    type Slots: SlotArray;

    /// What this type is to a kernel.
    const DESCRIPTION: ParameterDescription;

    /// The value in slots of its own, padding zero.
    ///
    /// ```
    /// use warpcall::KernelParam;
    ///
    /// assert_eq!(0xFFFF_u16.pack().arg().slots(), [0xFFFF]);
    /// ```
    #[inline]
    fn pack(&self) -> Packed<Self::Slots> {
        const {
            assert!(
                size_of::<Self::Slots>() == 8 * slots_for(Self::DESCRIPTION.size),
                "`Slots` does not fit the size"
            );
            assert!(size_of::<Self>() <= Self::DESCRIPTION.size, "the size on the device is too small");
        }
        let mut slots = Self::Slots::ZERO;
        self.write(&mut bytemuck::cast_slice_mut(slots.as_mut_slice())[..size_of::<Self>()]);
        Packed { slots, size: Self::DESCRIPTION.size }
    }
}

/// A value in the slots that it fills as an argument.
// Over the slots and not over the value's type: a type that is no parameter is then one error, not one
// for each thing done with what `pack` returns.
#[derive(Clone, Copy, Debug)]
pub struct Packed<S> {
    slots: S,
    size: usize,
}

impl<S: SlotArray> Packed<S> {
    /// The slots.
    #[inline]
    pub fn slots(&self) -> &S {
        &self.slots
    }

    /// The value as an argument.
    #[inline]
    pub fn arg(&self) -> KernelArg<'_> {
        KernelArg::Bytes(ArgBytes::of_packed(self.slots.as_slice(), self.size))
    }
}

/// An array of slots of a fixed length: `[u64; N]`.
pub trait SlotArray: Copy + std::fmt::Debug + sealed::Sealed {
    /// All slots zero.
    const ZERO: Self;

    /// As many zeros, on no one's stack.
    const ZEROS: &'static [u64];

    /// The slots.
    fn as_slice(&self) -> &[u64];

    /// The slots, to be written.
    fn as_mut_slice(&mut self) -> &mut [u64];
}

impl<const N: usize> SlotArray for [u64; N] {
    const ZERO: Self = [0; N];
    const ZEROS: &'static [u64] = &[0; N];

    #[inline]
    fn as_slice(&self) -> &[u64] {
        self
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [u64] {
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u64; N] {}
}
