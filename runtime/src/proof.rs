//! What the compiler compares of a declaration, which alone knows the user's types: the struct that a declaration names
//! against the one that the kernel takes. `#[kernel]` writes constants that call these functions, and fail to evaluate
//! with the message they give.

mod fields;
mod message;

pub use self::fields::{Expected, fields};
pub use self::message::Message;
use crate::argument::{ParameterDescription, ParameterKind};

/// A parameter in the words of its message.
#[derive(Clone, Copy)]
pub struct Subject {
    /// ``parameter `x` is declared `T` ``, or where that leads.
    pub head: &'static str,
    /// What the kernel takes, and where that is written.
    pub expected: &'static str,
}

/// What an image tells of the kind of a parameter.
#[derive(Clone, Copy)]
pub enum ImageClass {
    /// An integer or a pointer.
    Integer,
    /// A float of 32 or 64 bits.
    Float,
    /// Bytes: a struct, a vector, a half.
    Bytes,
    /// Nothing.
    Unknown,
}

/// A type that is `T`, and not another one of that name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `{T}`, which the kernel takes",
    label = "not `{T}`",
    note = "write the path of the one that the kernel takes, or declare a type of your own under another name"
)]
pub trait Is<T> {
    /// It is.
    const IS: () = ();
}

#[diagnostic::do_not_recommend]
impl<T> Is<T> for T {}

/// Compares a type that is passed by value with what an image has in its place. `alignments` has one bit for each
/// alignment that it may have.
pub const fn value(
    found: &ParameterDescription,
    size: usize,
    alignments: u64,
    class: ImageClass,
    subject: Subject,
) -> Message {
    let (is_integer, is_float, is_bytes) = match found.kind {
        ParameterKind::Bool
        | ParameterKind::Signed
        | ParameterKind::Unsigned
        | ParameterKind::Pointer { .. } => (true, false, false),
        // Half is bytes to the compiler, and may be a float to those who write PTX themselves.
        ParameterKind::Float => (false, true, found.size == 2 || found.size == 1),
        ParameterKind::Vector | ParameterKind::Struct { .. } | ParameterKind::TensorMap => {
            (false, false, true)
        }
    };
    let class_fits = match class {
        ImageClass::Integer => is_integer,
        ImageClass::Float => is_float,
        ImageClass::Bytes => is_bytes,
        ImageClass::Unknown => true,
    };
    // Of a number in PTX the size says it all.
    let says_alignment = matches!(class, ImageClass::Unknown) || is_bytes;
    let alignment_fits = !says_alignment || found.align as u64 & alignments != 0;
    if found.size == size && class_fits && alignment_fits {
        return Message::NONE;
    }
    differs(found.size, found.align, subject)
}

/// Compares the fields of a struct that is passed by value with the members of the CUDA struct that `whole` tells of.
pub const fn structure(
    found: &ParameterDescription,
    expected: &'static [Expected],
    name: &'static str,
    whole: &'static str,
) -> Message {
    match found.kind {
        ParameterKind::Struct { fields, .. } => self::fields(fields, expected, name, whole),
        _ => self::fields(&[], expected, name, whole),
    }
}

/// Compares size and alignment with those that a type may have.
pub const fn layout(size: usize, align: usize, layouts: &[(usize, usize)], subject: Subject) -> Message {
    let mut index = 0;
    while index < layouts.len() {
        if layouts[index].0 == size && layouts[index].1 == align {
            return Message::NONE;
        }
        index += 1;
    }
    differs(size, align, subject)
}

const fn differs(size: usize, align: usize, subject: Subject) -> Message {
    Message::NONE
        .with(subject.head)
        .with(", which has ")
        .with_number(size)
        .with(" bytes aligned to ")
        .with_number(align)
        .with(", but ")
        .with(subject.expected)
}
