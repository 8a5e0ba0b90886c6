//! The check at load: declarations of kernels of random signatures, changed in one place, against the loaded kernels.
//!
//! Each change has to be refused with the name of the parameter that was changed, and no declaration that was not
//! changed may be. The same from PTX, which tells alignments and kinds, and from a cubin, which tells sizes and offsets.

mod cuda_support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cuda_support::{cuda_or_skip, say, with_nvrtc};
use fastrand::Rng;
use warpcall::backend::KernelLookup as _;
use warpcall::backend::cuda::ImageFormat;
use warpcall::{CudaBackend, Error, Kernel, Module, Parameter, ParameterDescription, ParameterKind};

/// The kernels, and the changes to each.
const KERNELS: usize = 120;
const CHANGES: usize = 6;

/// A type of parameter, in PTX and in CUDA C++.
#[derive(Clone, Copy, PartialEq)]
struct Type {
    cuda: &'static str,
    size: usize,
    align: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Integer,
    Float,
    Pointer,
    Bytes,
}

const fn of(cuda: &'static str, size: usize, align: usize, kind: Kind) -> Type {
    Type { cuda, size, align, kind }
}

const TYPES: &[Type] = &[
    of("unsigned char", 1, 1, Kind::Integer),
    of("unsigned short", 2, 2, Kind::Integer),
    of("unsigned int", 4, 4, Kind::Integer),
    of("unsigned long long", 8, 8, Kind::Integer),
    of("float", 4, 4, Kind::Float),
    of("double", 8, 8, Kind::Float),
    of("float*", 8, 8, Kind::Pointer),
    of("Bytes<3, 1>", 3, 1, Kind::Bytes),
    of("Bytes<6, 2>", 6, 2, Kind::Bytes),
    of("Bytes<12, 4>", 12, 4, Kind::Bytes),
    of("Bytes<24, 8>", 24, 8, Kind::Bytes),
    of("Bytes<32, 16>", 32, 16, Kind::Bytes),
    of("Bytes<64, 64>", 64, 64, Kind::Bytes),
    of("Bytes<128, 64>", 128, 64, Kind::Bytes),
];

impl Type {
    fn ptx(self, name: &str) -> String {
        match (self.kind, self.size) {
            (Kind::Float, 4) => format!(".param .f32 {name}"),
            (Kind::Float, _) => format!(".param .f64 {name}"),
            (Kind::Integer | Kind::Pointer, size) => format!(".param .u{} {name}", 8 * size),
            (Kind::Bytes, size) => format!(".param .align {} .b8 {name}[{size}]", self.align),
        }
    }

    fn parameter(self, name: &str) -> Parameter {
        let kind = match self.kind {
            Kind::Integer => ParameterKind::Unsigned,
            Kind::Float => ParameterKind::Float,
            Kind::Pointer => return Parameter::device_mut::<f32>(leak(name), "*mut f32"),
            Kind::Bytes => ParameterKind::Struct { name: "Bytes", fields: &[] },
        };
        let description = ParameterDescription { kind, size: self.size, align: self.align };
        Parameter::value(leak(name), leak(self.cuda), description)
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn signatures() -> Vec<Vec<Type>> {
    let mut random = Rng::with_seed(0x51_6e);
    (0..KERNELS)
        .map(|_| (0..random.usize(1..=14)).map(|_| *random.choice(TYPES).expect("types")).collect())
        .collect()
}

fn ptx(signatures: &[Vec<Type>]) -> String {
    let mut text = String::from(".version 7.0\n.target sm_75\n.address_size 64\n");
    for (kernel, types) in signatures.iter().enumerate() {
        let parameters: Vec<_> =
            types.iter().enumerate().map(|(index, ty)| ty.ptx(&format!("k{kernel}_p{index}"))).collect();
        let _ = writeln!(text, ".visible .entry k{kernel}({})\n{{\n    ret;\n}}", parameters.join(", "));
    }
    text
}

fn source(signatures: &[Vec<Type>]) -> String {
    let mut text =
        String::from("template <int size, int align> struct alignas(align) Bytes { char bytes[size]; };\n");
    for (kernel, types) in signatures.iter().enumerate() {
        let parameters: Vec<_> =
            types.iter().enumerate().map(|(index, ty)| format!("{} p{index}", ty.cuda)).collect();
        let _ = writeln!(text, "extern \"C\" __global__ void k{kernel}({}) {{}}", parameters.join(", "));
    }
    text
}

fn named(types: &[Type]) -> Vec<(String, Type)> {
    types.iter().enumerate().map(|(index, ty)| (format!("p{index}"), *ty)).collect()
}

fn declared(module: &'static str, kernel: usize, parameters: &[(String, Type)]) -> &'static Kernel {
    let parameters: Vec<_> = parameters.iter().map(|(name, ty)| ty.parameter(name)).collect();
    let name = leak(&format!("k{kernel}"));
    Box::leak(Box::new(Kernel::new(Module::new(module), name, parameters.leak())))
}

/// What was changed, the declaration that came of it, and the parameters that an error may name: more than one where the
/// sizes alone cannot tell which of several alike is missing or too many.
struct Change {
    kind: &'static str,
    what: String,
    parameters: Vec<(String, Type)>,
    names: Vec<String>,
}

/// One random change, or nothing where that kind of change does not show in an image of this format.
fn change(random: &mut Rng, types: &[Type], format: ImageFormat) -> Option<Change> {
    let mut parameters = named(types);
    let at = random.usize(..types.len());
    let sizes = |parameters: &[(String, Type)]| parameters.iter().map(|(_, ty)| ty.size).collect::<Vec<_>>();
    let original = sizes(&parameters);
    match random.u8(..6) {
        0 => {
            parameters.remove(at);
            let left = sizes(&parameters);
            let without = |index: usize| [&original[..index], &original[index + 1..]].concat();
            let names =
                (0..types.len()).filter(|index| without(*index) == left).map(|index| format!("#{index} "));
            Some(Change {
                kind: "dropped",
                what: format!("p{at} dropped"),
                names: names.collect(),
                parameters,
            })
        }
        1 => {
            let at = random.usize(..=types.len());
            let ty = *random.choice(TYPES)?;
            parameters.insert(at, ("added".into(), ty));
            let all = sizes(&parameters);
            let without = |index: usize| [&all[..index], &all[index + 1..]].concat();
            let names = (0..all.len())
                .filter(|index| without(*index) == original)
                .map(|index| parameters[index].0.clone())
                .collect();
            Some(Change { kind: "added", what: format!("`{}` added at {at}", ty.cuda), names, parameters })
        }
        2 | 3 => {
            let ty = &mut parameters[at].1;
            let others: Vec<_> = TYPES.iter().filter(|other| other.size != ty.size).collect();
            *ty = **random.choice(&others)?;
            let what = format!("p{at} of {} bytes instead of {}", ty.size, types[at].size);
            let kind = if ty.size > types[at].size { "widened" } else { "narrowed" };
            Some(Change { kind, what, names: vec![format!("p{at}")], parameters })
        }
        4 => {
            let align = 1 << random.u32(..5);
            let ty = &mut parameters[at].1;
            if ty.kind == Kind::Pointer || align == ty.align {
                return None;
            }
            // Where its own alignment puts it, as far as that does not depend on where the parameters start.
            let end = types[..at].iter().fold(0, |end: usize, ty| end.next_multiple_of(ty.align) + ty.size);
            let depends = types[..=at].iter().any(|ty| ty.align > 16);
            let moves = end.next_multiple_of(align) != end.next_multiple_of(ty.align);
            if format != ImageFormat::Ptx && (depends || !moves) {
                return None;
            }
            let what = format!("p{at} aligned to {align} instead of {}", ty.align);
            ty.align = align;
            Some(Change { kind: "realigned", what, names: vec![format!("p{at}")], parameters })
        }
        _ => {
            let other = random.usize(..types.len());
            if types[at].size == types[other].size {
                return None;
            }
            parameters.swap(at, other);
            let names = vec![format!("p{at}"), format!("p{other}")];
            Some(Change { kind: "swapped", what: format!("p{at} and p{other} swapped"), names, parameters })
        }
    }
}

/// The changes to each kernel.
fn changes(signatures: &[Vec<Type>], format: ImageFormat) -> Vec<Vec<Change>> {
    let mut random = Rng::with_seed(0xc4a_96e);
    let mut of = |types: &Vec<Type>| {
        std::iter::repeat_with(|| change(&mut random, types, format)).flatten().take(CHANGES).collect()
    };
    signatures.iter().map(&mut of).collect()
}

/// How many changes there are of each kind.
fn count_kinds(changes: &[Vec<Change>]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for change in changes.iter().flatten() {
        *counts.entry(change.kind).or_default() += 1;
    }
    counts
}

/// Checks every kernel of a module that is known, as declared and changed.
fn check(backend: &CudaBackend, module: &'static str, format: ImageFormat) {
    let signatures = signatures();
    let changes = changes(&signatures, format);
    let counts: Vec<_> =
        count_kinds(&changes).iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let (mut accepted, mut refused, mut failures) = (0, 0, Vec::new());
    let total: usize = changes.iter().map(Vec::len).sum();
    for (kernel, (types, changes)) in signatures.iter().zip(changes).enumerate() {
        let unchanged = declared(module, kernel, &named(types));
        match backend.resolve_kernel(unchanged) {
            Ok(_) => accepted += 1,
            Err(error) => failures.push(format!("{unchanged} was refused: {error}")),
        }
        for Change { what, parameters, names, .. } in changes {
            let changed = declared(module, kernel, &parameters);
            match backend.resolve_kernel(changed) {
                Err(Error::Declaration { parameter, .. }) if is_one_of(&parameter, &names) => refused += 1,
                Err(error) => failures.push(format!("{what}: expected one of {names:?}, and found: {error}")),
                Ok(_) => failures.push(format!("{what}: {changed} was taken for {unchanged}")),
            }
        }
    }
    say(format_args!(
        "CHECK | {module} | {accepted} of {KERNELS} declarations accepted as they are | {refused} of {total} refused with the right parameter when changed ({})",
        counts.join(", "),
    ));
    assert!(
        failures.is_empty(),
        "{} of {} went wrong; the first are\n{}",
        failures.len(),
        KERNELS + total,
        failures[..failures.len().min(5)].join("\n\n")
    );
}

/// Whether an error names one of the parameters. A missing one has no name, and is called by its number and its type.
fn is_one_of(parameter: &str, names: &[String]) -> bool {
    names.iter().any(|name| parameter == name || name.ends_with(' ') && parameter.starts_with(name))
}

#[test]
fn there_are_enough_changes_of_every_kind() {
    for format in [ImageFormat::Ptx, ImageFormat::Cubin] {
        let changes = changes(&signatures(), format);
        let counts = count_kinds(&changes);
        assert!(changes.iter().map(Vec::len).sum::<usize>() >= 500);
        for kind in ["dropped", "added", "widened", "narrowed", "realigned", "swapped"] {
            let count = counts.get(kind).copied().unwrap_or(0);
            assert!(count >= 20, "{format}: {count} parameters {kind}");
        }
        assert!(changes.iter().flatten().all(|change| !change.names.is_empty()), "each names a parameter");
    }
}

#[test]
fn changed_declarations_are_refused_from_ptx() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module("check_ptx", ptx(&signatures())).expect("PTX");
    check(&backend, "check_ptx", ImageFormat::Ptx);
}

#[test]
fn changed_declarations_are_refused_from_a_cubin() {
    let Some(backend) = cuda_or_skip() else { return };
    let compiled = with_nvrtc(backend.compile_source("check.cu", source(&signatures())));
    let Some(compiled) = compiled.map(|compiled| compiled.expect("the source compiles")) else { return };
    assert_eq!(compiled.format, ImageFormat::Cubin, "this NVRTC knows the device");
    backend.load_module("check_cubin", compiled.image).expect("a cubin");
    check(&backend, "check_cubin", ImageFormat::Cubin);
}

#[test]
fn a_refusal_shows_both_layouts() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module("check_text", ptx(&[vec![TYPES[6], TYPES[2], TYPES[4]]])).expect("PTX");
    let wrong = [("output", TYPES[6]), ("count", TYPES[3]), ("eps", TYPES[4])];
    let wrong: Vec<_> = wrong.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect();
    let text = cuda_support::refusal(
        "a usize for an unsigned int",
        backend.resolve_kernel(declared("check_text", 0, &wrong)),
    );
    cuda_support::says(
        &text,
        &["k0", "`count`", "8 bytes", "4 bytes at offset 8", "output", "eps", "loaded"],
    );
}
