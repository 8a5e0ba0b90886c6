//! Types that can be seen from their syntax alone to be no kernel parameter, and what to write instead.

use syn::{PointerMutability, Type, TypePtr, TypeReference};

use crate::{text, types};

/// Where a type stands, which decides what can be written in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A kernel's parameter: device memory is a raw pointer.
    Parameter,
    /// A field of a struct that is passed by value: device memory is a `DevicePtr`.
    Field,
}

/// Why a type is refused.
pub(crate) struct Refusal {
    /// What the type is, to be read after its text and a comma.
    pub(crate) found: &'static str,
    /// What is expected there, to be read after "but".
    pub(crate) expected: &'static str,
    /// What to write.
    pub(crate) instead: String,
}

impl Refusal {
    /// Whether a type refused for this is surely not `Copy`.
    pub(crate) fn is_owner(&self) -> bool {
        matches!(self.found, HOST_OWNER | DEVICE_OWNER | TEXT)
    }
}

const WIDE: &str = "write a `#[repr(C, align(16))]` struct of two `u64` with `#[derive(KernelParam)]`";
const HOST_OWNER: &str = "an owner of memory on the host";
const DEVICE_OWNER: &str = "an owner of device memory";
const TEXT: &str = "Rust text";

const MEMORY: &str = "a kernel sees device memory through a pointer";
const TENSOR_MAP: &str = "a kernel takes a tensor map by value, as `const __grid_constant__ CUtensorMap`";
const PLAIN: &str = "a kernel takes plain data by value";

/// Why `ty` cannot be passed by value at `place`; `None` where the syntax does not tell, and the
/// compiler's check of the trait bound decides.
pub(crate) fn of_value(ty: &Type, place: Place) -> Option<Refusal> {
    let refuse = |found, expected, instead| Some(Refusal { found, expected, instead });
    match types::plain(ty) {
        Type::Reference(reference) => Some(of_reference(reference, place)),
        Type::Slice(slice) => refuse("a Rust slice", MEMORY, pointers_to(&slice.elem, place)),
        Type::Array(array) if place == Place::Parameter => {
            let element = text::of(&array.elem);
            let instead = format!(
                "write `*const {element}` or `*mut {element}`, or put the array into a `#[repr(C)]` struct with `#[derive(KernelParam)]`"
            );
            refuse("an array by value", "C++ passes an array parameter as a pointer", instead)
        }
        // Looks through the array: its element is what is refused.
        Type::Array(array) => of_value(&array.elem, place),
        Type::Ptr(pointer) if place == Place::Field => {
            let instead = "write `DevicePtr`".to_owned();
            Some(Refusal {
                found: found_pointer(pointer),
                expected: "a field holds a device address as a `DevicePtr`",
                instead,
            })
        }
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            refuse("the unit type", PLAIN, "remove it".to_owned())
        }
        Type::Tuple(_) => refuse(
            "a tuple",
            "Rust does not fix the layout of a tuple",
            "write a `#[repr(C)]` struct with `#[derive(KernelParam)]`".to_owned(),
        ),
        Type::FnPtr(_) => refuse(
            "a function pointer",
            "a function of the host cannot be called on the device",
            "choose the function in CUDA, by a number that is passed or by a kernel for each".to_owned(),
        ),
        Type::ImplTrait(_) => refuse(
            "an `impl Trait`",
            "a compiled kernel has one signature",
            "write the concrete type, and a declaration for each one".to_owned(),
        ),
        Type::TraitObject(_) => refuse(
            "a trait object",
            PLAIN,
            "write a concrete `#[repr(C)]` struct with `#[derive(KernelParam)]`".to_owned(),
        ),
        Type::Never(_) => {
            refuse("the never type", PLAIN, "write the type that the CUDA kernel declares".to_owned())
        }
        Type::Infer(_) => refuse(
            "an inferred type",
            "a declaration is where the type is fixed",
            "write the type that the CUDA kernel declares".to_owned(),
        ),
        Type::Path(_) => of_named(ty, place),
        _ => None,
    }
}

/// Why device memory cannot hold elements of type `ty`, by its syntax.
pub(crate) fn of_element(ty: &Type, mutability: &PointerMutability) -> Option<Refusal> {
    let star = match mutability {
        PointerMutability::Const(_) => "*const",
        PointerMutability::Mut(_) => "*mut",
    };
    let refuse = |found, expected, instead| Some(Refusal { found, expected, instead });
    match types::plain(ty) {
        Type::Slice(slice) => {
            let element = text::of(&slice.elem);
            refuse(
                "a pointer that carries a length",
                "a kernel's pointer is an address alone",
                format!("write `{star} {element}`, and the length as a parameter of its own"),
            )
        }
        Type::TraitObject(_) => refuse(
            "a pointer to a trait object",
            "a kernel's pointer is an address alone",
            format!("write `{star} T` with the concrete type"),
        ),
        Type::Reference(reference) => {
            let element = text::of(&reference.elem);
            refuse(
                "a pointer to Rust references",
                "device memory holds device addresses",
                format!("write `{star} *const {element}`"),
            )
        }
        Type::Tuple(_) | Type::FnPtr(_) | Type::ImplTrait(_) | Type::Never(_) | Type::Infer(_) => refuse(
            "a pointer to no plain data",
            "device memory holds plain data",
            format!(
                "write `{star} T` with the type that the CUDA kernel declares, or `{star} c_void` for `void*`"
            ),
        ),
        Type::Path(_) => match types::name(ty)?.as_str() {
            "str" | "String" => refuse(
                "a pointer to Rust text",
                "device memory holds plain data",
                format!("write `{star} u8`"),
            ),
            "char" => refuse(
                "a pointer to Rust's 4-byte `char`",
                "C++ has a 1-byte `char`",
                format!("write `{star} i8` for `char`, `{star} u8` for `unsigned char`"),
            ),
            "Vec" | "Box" | "Option" if types::argument(ty).is_some() => refuse(
                "a pointer to values that live on the host",
                "device memory holds plain data",
                format!("write `{star} {}`", text::of(types::argument(ty)?)),
            ),
            "TensorMap" => refuse(
                "a pointer to tensor maps",
                TENSOR_MAP,
                "write `TensorMap`; a call passes a `&TensorMap`".to_owned(),
            ),
            _ => None,
        },
        _ => None,
    }
}

fn of_reference(reference: &TypeReference, place: Place) -> Refusal {
    if place == Place::Parameter && types::name(&reference.elem).as_deref() == Some("TensorMap") {
        return Refusal {
            found: "a Rust reference",
            expected: TENSOR_MAP,
            instead: "write `TensorMap`; a call passes a `&TensorMap`".to_owned(),
        };
    }
    let (found, element) = match types::plain(&reference.elem) {
        Type::Slice(slice) => ("a Rust slice", (*slice.elem).clone()),
        Type::Array(array) => ("a Rust reference to an array", (*array.elem).clone()),
        ty if matches!(types::name(ty).as_deref(), Some("str" | "String")) => (TEXT, syn::parse_quote!(u8)),
        ty => {
            let argument = matches!(types::name(ty).as_deref(), Some("Vec" | "Box" | "Buffer"))
                .then(|| types::argument(ty))
                .flatten();
            ("a Rust reference", argument.unwrap_or(ty).clone())
        }
    };
    let (star, mutability) = match &reference.mutability {
        Some(token) => ("*mut", PointerMutability::Mut(*token)),
        None => ("*const", PointerMutability::Const(syn::parse_quote!(const))),
    };
    let instead = match place {
        Place::Field => "write `DevicePtr`".to_owned(),
        // What the reference points to is no better.
        Place::Parameter if of_element(&element, &mutability).is_some() => {
            format!("write `{star} T` with the type that the CUDA kernel declares")
        }
        Place::Parameter => format!("write `{star} {}`", text::of(&element)),
    };
    Refusal { found, expected: MEMORY, instead }
}

fn of_named(ty: &Type, place: Place) -> Option<Refusal> {
    let refuse = |found, expected, instead| Some(Refusal { found, expected, instead });
    let argument = types::argument(ty);
    match (types::name(ty)?.as_str(), argument) {
        ("str" | "String", None) => {
            let element: Type = syn::parse_quote!(u8);
            refuse(TEXT, MEMORY, pointers_to(&element, place))
        }
        ("Vec" | "Box" | "Rc" | "Arc", Some(element)) => {
            refuse(HOST_OWNER, MEMORY, pointers_to(element, place))
        }
        ("Buffer", Some(element)) => refuse(DEVICE_OWNER, MEMORY, pointers_to(element, place)),
        ("Option", Some(element)) => Some(of_option(element, place)),
        ("char", None) => refuse(
            "Rust's 4-byte `char`",
            "C++ has a 1-byte `char`",
            "write `i8` for `char`, `u8` for `unsigned char`, `u32` for `char32_t`".to_owned(),
        ),
        ("u128" | "i128", None) => refuse(
            "a 128-bit integer",
            "CUDA and Rust do not agree on how one is passed",
            WIDE.to_owned(),
        ),
        ("DevicePtr", None) if place == Place::Parameter => refuse(
            "a device address of any type",
            "the declaration says what the kernel finds there and whether it writes",
            "write `*const T` or `*mut T` with the kernel's element type; a call may still pass a `DevicePtr`".to_owned(),
        ),
        _ => None,
    }
}

fn of_option(element: &Type, place: Place) -> Refusal {
    let pointer = match types::plain(element) {
        Type::Ptr(_) => Some(text::of(element)),
        Type::Reference(reference) if reference.mutability.is_some() => {
            Some(format!("*mut {}", text::of(&reference.elem)))
        }
        Type::Reference(reference) => Some(format!("*const {}", text::of(&reference.elem))),
        _ => None,
    };
    let instead = match (pointer, place) {
        (Some(pointer), Place::Parameter) => {
            format!("write `#[nullable]` before the parameter and `{pointer}` as its type")
        }
        (Some(_), Place::Field) => "write `DevicePtr`, and pass `DevicePtr::NULL` for none".to_owned(),
        (None, _) => format!("write `{}`, and a `bool` or a value that stands for none", text::of(element)),
    };
    Refusal { found: "an `Option`", expected: "C++ has no such type", instead }
}

fn found_pointer(pointer: &TypePtr) -> &'static str {
    match pointer.mutability {
        PointerMutability::Const(_) => "a host pointer to read from",
        PointerMutability::Mut(_) => "a host pointer to write to",
    }
}

fn pointers_to(element: &Type, place: Place) -> String {
    let element = text::of(element);
    match place {
        Place::Parameter => format!("write `*const {element}` to read or `*mut {element}` to write"),
        Place::Field => "write `DevicePtr`".to_owned(),
    }
}
