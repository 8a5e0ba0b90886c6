//! The Rust side: structs, declarations, host functions, and one launch of each kernel.

use std::fmt::{Arguments, Write};

use super::cuda;
use super::signature::{Argument, ELEMENTS, Pointee, Pointer, Signature};
use super::structure::{Catalogue, Struct};
use super::types::Type;
use super::value::byte_string;

/// How many kernels one module declares.
const KERNELS_A_MODULE: usize = 60;

/// What every module uses.
const USES: &str = "\
use std::{cell::Cell, ffi::c_void};
use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
use warpcall::*;
use super::*;
";

/// `structs.rs`.
pub(super) fn structs(structs: &Catalogue) -> String {
    let mut text = String::new();
    for structure in &structs.structs {
        define(structure, &mut text);
    }
    text
}

fn define(structure: &Struct, text: &mut String) {
    let Struct { name, fields, tuple, asked_align, size, align, .. } = structure;
    let asked = asked_align.map_or_else(String::new, |align| format!(", align({align})"));
    let plain = if structure.is_plain() { ", bytemuck::Pod, bytemuck::Zeroable" } else { "" };
    line(text, format_args!("#[derive(Clone, Copy, warpcall::KernelParam{plain})]"));
    line(text, format_args!("#[repr(C{asked})]"));
    if *tuple {
        let fields = concat(fields.iter().map(|field| format!("pub {}, ", field.ty.rust())));
        line(text, format_args!("pub struct {name}({fields});"));
    } else {
        let fields = concat(fields.iter().map(|field| format!("pub {}: {}, ", field.name, field.ty.rust())));
        line(text, format_args!("pub struct {name} {{ {fields}}}"));
    }
    line(text, format_args!("const _: () = assert!(size_of::<{name}>() == {size});"));
    line(text, format_args!("const _: () = assert!(align_of::<{name}>() == {align});"));
}

/// `equivalence.rs`: declarations with host functions, and functions that launch each by hand and by the
/// generated function.
pub(super) fn equivalence(structs: &Catalogue, signatures: &[Signature]) -> String {
    let mut text = String::new();
    for structure in &structs.structs {
        let fields = concat(structure.fields.iter().enumerate().map(|(index, field)| {
            let member = if structure.tuple { index.to_string() } else { field.name.clone() };
            format!("self.{member}.bits(out); ")
        }));
        let name = &structure.name;
        line(
            &mut text,
            format_args!("impl Bits for {name} {{ fn bits(&self, out: &mut Vec<u8>) {{ {fields}}} }}"),
        );
    }
    let mut cases = String::new();
    for (module, signatures) in signatures.chunks(KERNELS_A_MODULE).enumerate() {
        line(&mut text, format_args!("mod m{module} {{\n{USES}"));
        line(&mut text, format_args!("#[kernel(module = \"generated_{module}\")]\nunsafe extern \"C\" {{"));
        for signature in signatures {
            let index = signature.index;
            let launch = if sees_launch(signature) { ", launch" } else { "" };
            line(&mut text, format_args!("#[host(h{index}{launch})]"));
            declaration(signature, "", &mut text);
        }
        line(&mut text, format_args!("}}"));
        for signature in signatures {
            host_function(signature, &mut text);
            both_launches(signature, &mut text);
            let index = signature.index;
            line(
                &mut cases,
                format_args!(
                    "Case {{ kernel: &m{module}::K{index}, launch: m{module}::both{index}, arguments: &["
                ),
            );
            for argument in &signature.arguments {
                expected(argument, &mut cases);
            }
            line(&mut cases, format_args!("] }},"));
        }
        line(&mut text, format_args!("}}"));
    }
    line(&mut text, format_args!("pub static CASES: &[Case] = &[\n{cases}];"));
    text
}

/// `echo.rs`: declarations of the kernels that copy their parameters, and a function that launches each.
pub(super) fn echo(signatures: &[Signature]) -> String {
    let mut text = String::new();
    let mut cases = String::new();
    for (module, signatures) in cuda::units(signatures).enumerate() {
        line(&mut text, format_args!("mod m{module} {{\n{USES}"));
        line(
            &mut text,
            format_args!("#[kernel(source = \"$OUT_DIR/echo_{module}.cu\")]\nunsafe extern \"C\" {{"),
        );
        for signature in signatures {
            declaration(signature, "out: *mut u8, ", &mut text);
        }
        line(&mut text, format_args!("}}"));
        for signature in signatures {
            echo_launch(signature, &mut text);
            let index = signature.index;
            let bytes: Vec<u8> = signature.arguments.iter().flat_map(argument_bytes).collect();
            line(
                &mut cases,
                format_args!(
                    "Case {{ kernel: &m{module}::K{index}, launch: m{module}::echo{index}, bytes: {} }},",
                    byte_string(&bytes)
                ),
            );
        }
        line(&mut text, format_args!("}}"));
    }
    line(&mut text, format_args!("pub static CASES: &[Case] = &[\n{cases}];"));
    text
}

/// Whether the host function asks to see the launch.
fn sees_launch(signature: &Signature) -> bool {
    signature.index % 7 == 3
}

/// Whether the host function takes slices of cells.
fn takes_cells(signature: &Signature) -> bool {
    signature.index % 3 == 1
}

/// The parameter's name. Some are names that the generated function could use for its own.
pub(super) fn parameter_name(signature: &Signature, index: usize) -> String {
    const TAKEN: [&str; 8] = ["stream", "config", "call", "args", "kernel", "launch", "value", "self_"];
    match TAKEN.get(index) {
        Some(taken) if signature.index % 5 == 2 => (*taken).into(),
        _ => format!("p{index}"),
    }
}

fn declaration(signature: &Signature, first: &str, text: &mut String) {
    let parameters = concat(signature.arguments.iter().enumerate().map(|(index, argument)| {
        let nullable = match argument {
            Argument::Pointer(pointer) if pointer.nullable => "#[nullable] ",
            _ => "",
        };
        format!("{nullable}{}: {}, ", parameter_name(signature, index), declared_type(argument))
    }));
    line(text, format_args!("pub unsafe fn k{}({first}{parameters});", signature.index));
}

fn declared_type(argument: &Argument) -> String {
    match argument {
        Argument::Value(ty, _) => ty.rust(),
        Argument::TensorMap(_) => "TensorMap".into(),
        Argument::Pointer(pointer) => {
            let constness = if pointer.mutable { "mut" } else { "const" };
            match &pointer.pointee {
                Pointee::Void => format!("*{constness} c_void"),
                Pointee::Pointer(rust, _) => format!("*{constness} {rust}"),
                Pointee::Type(ty) => format!("*{constness} {}", ty.rust()),
            }
        }
    }
}

/// The element of a pointer's memory.
fn element(pointer: &Pointer, void: &str) -> String {
    match &pointer.pointee {
        Pointee::Void => void.into(),
        Pointee::Pointer(..) => "DevicePtr".into(),
        Pointee::Type(ty) => ty.rust(),
    }
}

/// The host function: it records what it was given, and turns round what it may write.
fn host_function(signature: &Signature, text: &mut String) {
    let mut parameters = String::from(if sees_launch(signature) { "launch: &HostLaunch<'_>, " } else { "" });
    let mut body = String::from(if sees_launch(signature) { "record.launch(launch); " } else { "" });
    for (index, argument) in signature.arguments.iter().enumerate() {
        let (ty, method) = match argument {
            Argument::Value(ty, _) => (ty.rust(), "value"),
            Argument::TensorMap(_) => ("&TensorMap".into(), "tensor_map"),
            Argument::Pointer(pointer) => {
                let element = element(pointer, "u8");
                let (ty, method) = match (pointer.mutable, takes_cells(signature)) {
                    (true, false) => (format!("&mut [{element}]"), "slice_mut"),
                    (true, true) => (format!("&[Cell<{element}>]"), "cells_mut"),
                    (false, false) => (format!("&[{element}]"), "slice"),
                    (false, true) => (format!("&[Cell<{element}>]"), "cells"),
                };
                (if pointer.nullable { format!("Option<{ty}>") } else { ty }, method)
            }
        };
        write!(parameters, "a{index}: {ty}, ").expect("a string takes all that is written");
        let nullable = matches!(argument, Argument::Pointer(pointer) if pointer.nullable);
        if nullable {
            let some = format_args!("Some(a) => record.{method}(a)");
            line(&mut body, format_args!("match a{index} {{ {some}, None => record.null() }}"));
        } else {
            let reference = if method == "value" { "&" } else { "" };
            line(&mut body, format_args!("record.{method}({reference}a{index});"));
        }
    }
    let index = signature.index;
    line(
        text,
        format_args!("fn h{index}({parameters}) {{ let mut record = Record::new(); {body}record.keep(); }}"),
    );
}

/// A function that launches the kernel twice with the same arguments: built by hand, and by the generated function.
fn both_launches(signature: &Signature, text: &mut String) {
    let index = signature.index;
    let mut built = String::new();
    let mut passed = String::new();
    line(text, format_args!("pub fn both{index}(run: &mut Run<'_>) -> Result<()> {{"));
    for (place, argument) in signature.arguments.iter().enumerate() {
        let binding = match argument {
            Argument::Value(ty, value) => {
                write!(built, ".{}(p{place})", builder_method(ty, place))
                    .expect("a string takes all that is written");
                format!("let p{place}: {} = {};", ty.rust(), value.literal(ty))
            }
            Argument::TensorMap(slots) => {
                write!(built, ".arg_tensormap(&p{place})").expect("a string takes all that is written");
                format!("let p{place} = TensorMap::from_slots({slots:?});")
            }
            Argument::Pointer(_) => {
                write!(built, ".arg_ptr(p{place})").expect("a string takes all that is written");
                format!("#[allow(unused_mut)] let mut p{place} = run.pointer({place});")
            }
        };
        line(text, format_args!("{binding}"));
        passed += &passed_argument(argument, &format!("p{place}"), place);
    }
    line(text, format_args!("run.begin(&K{index})?{built};"));
    line(text, format_args!("run.launch_built()?;"));
    line(text, format_args!("unsafe {{ launch_k{index}(&run.stream(), run.config(), {passed}) }}\n}}"));
}

/// The builder's own method for a type, or the one for all types; both, in turn, where there are both.
fn builder_method(ty: &Type, place: usize) -> String {
    match ty {
        Type::Scalar(scalar) => match scalar.rust {
            name @ ("u32" | "i32" | "u64" | "i64" | "f32" | "f64") if place % 3 < 2 => format!("arg_{name}"),
            _ => "arg".into(),
        },
        _ => "arg".into(),
    }
}

/// What the generated function is given for a binding called `binding`.
fn passed_argument(argument: &Argument, binding: &str, place: usize) -> String {
    match argument {
        Argument::Value(..) => format!("{binding}, "),
        Argument::TensorMap(_) => format!("&{binding}, "),
        Argument::Pointer(pointer) if !pointer.given => "None, ".into(),
        Argument::Pointer(pointer) => {
            let reference = if pointer.mutable { "&mut " } else { "&" };
            if pointer.nullable && place.is_multiple_of(2) {
                let nullable = if pointer.mutable { "NullableMut" } else { "NullableRef" };
                let element = element(pointer, "Void");
                return format!("{nullable}::<{element}>::from({reference}{binding}), ");
            }
            format!("{reference}{binding}, ")
        }
    }
}

fn echo_launch(signature: &Signature, text: &mut String) {
    let index = signature.index;
    let passed = concat(signature.arguments.iter().enumerate().map(|(place, argument)| {
        let expression = match argument {
            Argument::Value(ty, value) => value.literal(ty),
            Argument::TensorMap(slots) => format!("TensorMap::from_slots({slots:?})"),
            Argument::Pointer(pointer) => format!("DevicePtr::new({:#x})", pointer.address),
        };
        passed_argument(argument, &expression, place)
    }));
    line(
        text,
        format_args!(
            "pub fn echo{index}(stream: &Stream, out: &mut Buffer<u8>) -> Result<()> {{\n\
             unsafe {{ launch_k{index}(stream, LaunchConfig::new(1, 1), out, {passed}) }}\n}}"
        ),
    );
}

/// The bytes of the argument as the device reads them.
fn argument_bytes(argument: &Argument) -> Vec<u8> {
    match argument {
        Argument::Value(ty, value) => value.bytes(ty),
        Argument::TensorMap(slots) => slots.iter().flat_map(|slot| slot.to_le_bytes()).collect(),
        Argument::Pointer(pointer) => pointer.address.to_le_bytes().into(),
    }
}

/// The argument as the test expects it.
fn expected(argument: &Argument, text: &mut String) {
    let bytes = argument_bytes(argument);
    match argument {
        Argument::Pointer(Pointer { given: false, .. }) => line(text, format_args!("Expected::Null,")),
        Argument::Pointer(pointer) => line(
            text,
            format_args!(
                "Expected::Pointer {{ address: {:#x}, content: {}, mutable: {}, element: {} }},",
                pointer.address,
                byte_string(&pointer.content),
                pointer.mutable,
                pointer.content.len() / ELEMENTS,
            ),
        ),
        Argument::Value(ty, value) => {
            let mut fields = Vec::new();
            value.fields(ty, &mut fields);
            line(
                text,
                format_args!(
                    "Expected::Value {{ bytes: {}, fields: {} }},",
                    byte_string(&bytes),
                    byte_string(&fields)
                ),
            );
        }
        Argument::TensorMap(_) => {
            let bytes = byte_string(&bytes);
            line(text, format_args!("Expected::Value {{ bytes: {bytes}, fields: {bytes} }},"));
        }
    }
}

fn concat(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().concat()
}

fn line(text: &mut String, what: Arguments<'_>) {
    writeln!(text, "{what}").expect("a string takes all that is written");
}
