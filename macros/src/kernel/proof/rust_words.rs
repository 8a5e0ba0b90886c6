//! What to write in Rust for a type of CUDA.

use warpcall_signature::{
    Enumeration, Layout, RecordKind, Scalar, Type, TypeKind,
    rust::{name_of_vector, names_of_scalar},
};

/// The types by name that agree with a type of CUDA, the best first; none where a name alone does not tell.
pub(super) fn names(cuda: &Type) -> Vec<String> {
    match &cuda.kind {
        TypeKind::Scalar(scalar) => owned(names_of_scalar(*scalar)),
        TypeKind::Vector(vector) => name_of_vector(*vector).into_iter().collect(),
        TypeKind::Enum(enumeration) => of_enumeration(enumeration),
        TypeKind::Pointer(_) | TypeKind::Reference(_) => vec!["DevicePtr".to_owned()],
        TypeKind::Array { element, .. } => names(element),
        _ => cuda.stand_in().map_or_else(Vec::new, |known| names(&known)),
    }
}

/// The same, of an array with its lengths: `[[f32; 3]; 2]`.
pub(super) fn elements(cuda: &Type) -> Vec<String> {
    match &cuda.kind {
        TypeKind::Array { element, length: Some(length) } => {
            elements(element).iter().map(|element| format!("[{element}; {length}]")).collect()
        }
        TypeKind::Array { .. } => Vec::new(),
        _ => names(cuda),
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// An enumeration is passed as its integer; where the source leaves that to the compiler, the sign is open.
fn of_enumeration(enumeration: &Enumeration) -> Vec<String> {
    let Some(own) = enumeration.underlying else { return Vec::new() };
    let all = [
        Scalar::I32,
        Scalar::U32,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I64,
        Scalar::U64,
        Scalar::Bool,
    ];
    let fits = |scalar: &&Scalar| {
        Type::from(**scalar).agrees_with(&TypeKind::Enum(enumeration.clone().into()).into()) == Some(true)
    };
    let mut names = owned(names_of_scalar(own));
    for name in all.iter().filter(fits).flat_map(|scalar| names_of_scalar(*scalar)) {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_owned());
        }
    }
    names
}

/// What to declare for a parameter of type `cuda`, as a person would write it; `None` where that is not known.
pub(super) fn of_parameter(cuda: &Type) -> Option<String> {
    match &cuda.kind {
        TypeKind::Pointer(to) | TypeKind::Reference(to) => pointer(to).map(code),
        TypeKind::TensorMap => Some(code("TensorMap")),
        TypeKind::Scalar(Scalar::I128 | Scalar::U128) => {
            Some("a `#[repr(C, align(16))]` struct of two `u64` with `#[derive(KernelParam)]`".to_owned())
        }
        TypeKind::Record(record) if record.kind == RecordKind::Union => Some(match record.layout {
            Some(Layout { size, alignment }) => format!(
                "a `#[repr(C, align({alignment}))]` struct of {size} bytes with `#[derive(KernelParam)]` for the union `{}`",
                record.name
            ),
            None => format!("a struct as large as the union `{}`", record.name),
        }),
        TypeKind::Record(record) => cuda.stand_in().map_or_else(
            || {
                Some(format!(
                    "a `#[repr(C)]` struct with `#[derive(KernelParam)]` and the fields of `{}`",
                    record.name
                ))
            },
            |known| of_parameter(&known),
        ),
        _ => names(cuda).first().map(code),
    }
}

fn code(text: impl AsRef<str>) -> String {
    format!("`{}`", text.as_ref())
}

fn pointer(to: &Type) -> Option<String> {
    let star = if to.is_const_memory() { "*const" } else { "*mut" };
    Some(format!("{star} {}", element(to)?))
}

fn element(cuda: &Type) -> Option<String> {
    match &cuda.kind {
        TypeKind::Void => Some("c_void".to_owned()),
        TypeKind::Pointer(to) | TypeKind::Reference(to) => pointer(to),
        TypeKind::Array { element: inner, length: Some(length) } => {
            Some(format!("[{}; {length}]", element(inner)?))
        }
        TypeKind::Record(record) => match cuda.stand_in() {
            Some(known) => element(&known),
            None => record.name.rsplit("::").next().map(str::to_owned),
        },
        TypeKind::TensorMap => Some("TensorMap".to_owned()),
        _ => names(cuda).into_iter().next(),
    }
}
