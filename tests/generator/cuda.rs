//! The CUDA side: for each signature a kernel that copies the bytes of its parameters to memory.

use std::{fmt::Write, rc::Rc};

use super::rust::parameter_name;
use super::signature::{Argument, Pointee, Signature};
use super::structure::{Catalogue, Struct};
use super::types::Type;

/// How many kernels are compiled together.
pub(super) const KERNELS_A_UNIT: usize = 84;

/// What every file begins with. The types of CUDA's own headers are spelled out, so that the kernels compile where
/// no headers are.
const PRELUDE: &str = "\
// The vector types of 32 bytes are deprecated in favour of two that differ in alignment.
#pragma nv_diag_suppress 1444

struct __align__(2) __half { unsigned short bits; };
struct __align__(2) __nv_bfloat16 { unsigned short bits; };
struct __align__(4) __half2 { __half x, y; };
struct __align__(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
struct __nv_fp8_e4m3 { unsigned char bits; };
struct __nv_fp8_e5m2 { unsigned char bits; };
struct __align__(64) CUtensorMap { unsigned long long opaque[16]; };

__device__ __noinline__ unsigned char* put(unsigned char* out, const void* value, unsigned int bytes) {
    const unsigned char* from = static_cast<const unsigned char*>(value);
#pragma unroll 1
    for (unsigned int i = 0; i < bytes; ++i) out[i] = from[i];
    return out + bytes;
}

";

/// The signatures of each file.
pub(super) fn units(signatures: &[Signature]) -> impl Iterator<Item = &[Signature]> {
    signatures.chunks(KERNELS_A_UNIT)
}

/// One file of kernels.
pub(super) fn unit(structs: &Catalogue, signatures: &[Signature]) -> String {
    let mut text = String::from(PRELUDE);
    for structure in &structs.structs {
        define(structure, &mut text);
    }
    for signature in signatures {
        kernel(signature, &mut text);
    }
    text
}

fn define(structure: &Rc<Struct>, text: &mut String) {
    let Struct { name, fields, asked_align, align, .. } = &**structure;
    let asked = asked_align.map_or_else(String::new, |align| format!("__align__({align}) "));
    let fields: Vec<String> =
        fields.iter().map(|field| format!("{}; ", field.ty.cuda(&field.name))).collect();
    let fields = fields.concat();
    let size = Type::Struct(Rc::clone(structure)).device_size();
    line(text, format_args!("struct {asked}{name} {{ {fields}}};"));
    line(
        text,
        format_args!(
            "static_assert(sizeof({name}) == {size} && alignof({name}) == {align}, \"the layout of {name}\");"
        ),
    );
}

fn kernel(signature: &Signature, text: &mut String) {
    let mut parameters = String::from("unsigned char* out");
    let mut body = String::new();
    for (index, argument) in signature.arguments.iter().enumerate() {
        let name = parameter_name(signature, index);
        write!(parameters, ", {}", parameter(argument, &name, (signature.index + index).is_multiple_of(2)))
            .expect("a string takes all that is written");
        line(&mut body, format_args!("    out = put(out, &{name}, sizeof({name}));"));
    }
    line(text, format_args!("extern \"C\" __global__ void k{}({parameters}) {{", signature.index));
    text.push_str(&body);
    line(text, format_args!("}}"));
}

fn parameter(argument: &Argument, name: &str, constant: bool) -> String {
    match argument {
        Argument::TensorMap(_) => format!("const __grid_constant__ CUtensorMap {name}"),
        // Its padding is read too, which a copy of the struct need not keep.
        Argument::Value(ty @ Type::Struct(_), _) => format!("const __grid_constant__ {}", ty.cuda(name)),
        Argument::Value(ty, _) if constant => format!("const {}", ty.cuda(name)),
        Argument::Value(ty, _) => ty.cuda(name),
        Argument::Pointer(pointer) => {
            let pointee = match &pointer.pointee {
                Pointee::Void => "void".into(),
                Pointee::Pointer(_, cuda) => (*cuda).into(),
                Pointee::Type(ty) => ty.cuda("").trim_end().to_owned(),
            };
            match (&pointer.pointee, pointer.mutable) {
                (_, true) => format!("{pointee}* {name}"),
                (Pointee::Pointer(..), false) => format!("{pointee} const* {name}"),
                (_, false) => format!("const {pointee}* {name}"),
            }
        }
    }
}

fn line(text: &mut String, what: std::fmt::Arguments<'_>) {
    writeln!(text, "{what}").expect("a string takes all that is written");
}
