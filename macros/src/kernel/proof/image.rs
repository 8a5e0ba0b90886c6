//! A declaration against the kernel in the PTX, cubin or fatbin: what an image keeps of a signature.

use warpcall_signature::{Alignments, Class, Kernel, Module, Parameter};

use super::{
    declared::{self, Declared},
    finding::{Assertion, At, Comparison, Finding},
    rust_words,
    verdict::{self, Later, Verdict},
};
use crate::kernel::model;

/// What a comparison needs to know beside the two kernels.
pub(super) struct Setting<'a> {
    /// The image's path.
    pub(super) path: &'a str,
    /// The path of the source, where one is named: it has told what the declaration means.
    pub(super) source: Option<&'a str>,
    /// The kernel as it is in the source.
    pub(super) written: Option<&'a Kernel>,
}

/// Compares a declaration with its kernel in one image, as far as `known`, the comparison with the source and with
/// images before this one, has not found fault with it. What it finds is added there.
pub(super) fn compare(
    declared: &model::Kernel,
    image: &Module,
    kernel: &Kernel,
    setting: &Setting<'_>,
    known: &mut Comparison,
) {
    let target = image.target.as_ref().map(|target| format!(" for {target}")).unwrap_or_default();
    let place = format!("(the image {}{target})", setting.path);
    let (own, theirs) = (declared.parameters.len(), kernel.parameters.len());
    if known.lists_differ {
        return;
    }
    if own != theirs {
        let plural = if theirs == 1 { "parameter" } else { "parameters" };
        known.lists_differ = true;
        known.findings.push(Finding {
            // With too many, the first of these.
            at: if own > theirs { At::Name(theirs) } else { At::Kernel },
            found: format!("`{}` is declared with {own} parameters", declared.name),
            expected: format!("it takes {theirs} {plural} {place}"),
            instead: remedy(None, setting),
        });
        return;
    }
    for (index, theirs) in kernel.parameters.iter().enumerate() {
        if known.is_wrong(index) {
            continue;
        }
        let written = setting.written.and_then(|written| written.parameters.get(index));
        let own = &declared.parameters[index];
        match judge(own, theirs, written, setting.source.is_some()) {
            Outcome::Agrees => {}
            Outcome::Differs => {
                let found = format!("parameter `{}` is declared {}", own.name, own.declared());
                let expected = format!("`{}` takes {} in its place {place}", declared.name, shown(theirs));
                let instead = remedy(Some(theirs), setting);
                known.findings.push(Finding { at: At::Type(index), found, expected, instead });
            }
            Outcome::Later(later) => {
                let is_known = known.assertions.iter().any(|assertion| assertion.parameter == index);
                if !is_known {
                    let expected = format!("`{}` takes {} {place}", declared.name, shown(theirs));
                    known.assertions.push(Assertion { parameter: index, later, expected });
                }
            }
        }
    }
}

enum Outcome {
    Agrees,
    Differs,
    Later(Later),
}

fn judge(
    own: &model::Parameter,
    theirs: &Parameter,
    written: Option<&Parameter>,
    has_source: bool,
) -> Outcome {
    let declared = declared::of(&own.ty);
    // A mangled name keeps the types; the source, where there is one, has told more.
    if let (Some(ty), false) = (&theirs.ty, has_source) {
        match verdict::of_parameter(&declared, ty, own.freedom) {
            Verdict::Differs | Verdict::Mut | Verdict::Const => return Outcome::Differs,
            Verdict::Later(later) => return Outcome::Later(later),
            Verdict::Agrees | Verdict::OtherName | Verdict::Undecided(_) => {}
        }
    }
    let Some(known) = known(&declared) else {
        return judge_name(own, theirs, written);
    };
    if own.freedom.unchecked {
        return if theirs.size.is_none_or(|size| size == known.size) {
            Outcome::Agrees
        } else {
            Outcome::Differs
        };
    }
    let fits = theirs.size.is_none_or(|size| size == known.size)
        && classes_agree(known.class, theirs.class, known.size)
        // Of a number and a pointer in PTX the alignment is the size, and says nothing more.
        && ((known.class != Class::Bytes && theirs.alignment.is_some())
            || !known.alignments.and(theirs.alignments()).is_empty());
    if fits { Outcome::Agrees } else { Outcome::Differs }
}

/// A type whose size only the compiler knows, unless the source has told it.
fn judge_name(own: &model::Parameter, theirs: &Parameter, written: Option<&Parameter>) -> Outcome {
    if let Some(written) = written.filter(|written| written.size.is_some()) {
        // The declaration is compared with the source, and here the source with the image.
        let fits = theirs.size.is_none_or(|size| written.accepts_size(size))
            && !written.alignments().and(theirs.alignments()).is_empty();
        return if fits { Outcome::Agrees } else { Outcome::Differs };
    }
    if matches!(theirs.class, Class::Pointer) {
        return Outcome::Differs;
    }
    let Some(size) = theirs.size else { return Outcome::Agrees };
    let (alignments, class) = if own.freedom.unchecked {
        (Alignments::ALL, Class::Unknown)
    } else {
        (theirs.alignments(), theirs.class)
    };
    Outcome::Later(Later::Value { ty: Box::new(own.ty.clone()), size, alignments, class })
}

struct Known {
    size: u64,
    alignments: Alignments,
    class: Class,
}

/// What a declared type is in an image, where its name tells it.
fn known(declared: &Declared) -> Option<Known> {
    let plain = |size, alignment, class| Some(Known { size, alignments: Alignments::of(alignment), class });
    match declared {
        Declared::Scalar(scalar) => plain(scalar.size(), scalar.size(), scalar.class()),
        Declared::Vector { vector, .. } => {
            let layout = vector.layout();
            plain(layout.size, layout.alignment, Class::Bytes)
        }
        Declared::TensorMap => {
            let alignments = Alignments::of(64).or(Alignments::of(128));
            Some(Known { size: 128, alignments, class: Class::Bytes })
        }
        Declared::Pointer { .. } => plain(8, 8, Class::Pointer),
        Declared::Void | Declared::Address | Declared::Array { .. } | Declared::Named(_) => None,
    }
}

/// Whether what is declared may be what PTX tells of it.
fn classes_agree(declared: Class, image: Class, size: u64) -> bool {
    match (declared, image) {
        // PTX writes a pointer as an integer, unless it is told otherwise.
        (_, Class::Unknown) | (Class::Pointer, Class::Integer) => true,
        // Half is bytes to the compiler, and may be a float to those who write PTX themselves.
        (Class::Bytes, Class::Float) => size == 2,
        (declared, image) => declared == image,
    }
}

fn shown(parameter: &Parameter) -> String {
    if let Some(ty) = &parameter.ty {
        return format!("`{ty}`");
    }
    let Some(size) = parameter.size else { return "something else".to_owned() };
    match (parameter.class, size) {
        (Class::Float, _) => format!("a {}-bit float", size * 8),
        (Class::Integer, 8) => "a 64-bit integer or a pointer".to_owned(),
        (Class::Integer, _) => format!("a {}-bit integer", size * 8),
        (Class::Pointer, _) => "a pointer".to_owned(),
        (Class::Bytes, _) => {
            let alignment = parameter.alignment.map(|alignment| format!(" aligned to {alignment}"));
            format!("a value of {size} bytes{}", alignment.unwrap_or_default())
        }
        (Class::Unknown, _) => {
            let plural = if size == 1 { "" } else { "s" };
            let place = parameter
                .offset
                .map(|offset| format!(" at offset {offset} (aligned to {})", parameter.alignments()));
            format!("{size} byte{plural}{}", place.unwrap_or_default())
        }
    }
}

fn remedy(theirs: Option<&Parameter>, setting: &Setting<'_>) -> String {
    if let Some(source) = setting.source {
        return format!("compile the image again, as {source} agrees with the declaration");
    }
    let word = theirs.and_then(|theirs| match (&theirs.ty, theirs.class, theirs.size) {
        (Some(ty), ..) => rust_words::of_parameter(ty),
        (None, Class::Float, Some(4)) => Some("`f32`".to_owned()),
        (None, Class::Float, Some(8)) => Some("`f64`".to_owned()),
        (None, Class::Integer, Some(1)) => Some("`u8`, `i8` or `bool`".to_owned()),
        (None, Class::Integer, Some(8)) => Some("a pointer, `u64` or `i64`".to_owned()),
        (None, Class::Integer, Some(size)) => Some(format!("`u{0}` or `i{0}`", size * 8)),
        (None, Class::Bytes, Some(2)) => Some("`f16` or `bf16`".to_owned()),
        (None, Class::Pointer, _) => Some("`*const T` or `*mut T`".to_owned()),
        _ => None,
    });
    match word {
        Some(word) => format!("write {word} here, or compile the image again"),
        None => "declare what the kernel takes, or compile the image again".to_owned(),
    }
}
