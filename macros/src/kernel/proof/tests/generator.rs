//! Random kernels, and the same kernel in Rust, in CUDA and in PTX.

use std::fmt::Write;

/// A scalar in Rust and in CUDA, with its size and what it is: a signed or unsigned integer, a float, or bytes.
pub(super) struct Scalar {
    pub(super) rust: &'static str,
    pub(super) cuda: &'static str,
    pub(super) size: usize,
    pub(super) kind: char,
}

const fn scalar(rust: &'static str, cuda: &'static str, size: usize, kind: char) -> Scalar {
    Scalar { rust, cuda, size, kind }
}

pub(super) static SCALARS: [Scalar; 21] = [
    scalar("i8", "signed char", 1, 's'),
    scalar("u8", "unsigned char", 1, 'u'),
    scalar("i16", "short", 2, 's'),
    scalar("u16", "unsigned short", 2, 'u'),
    scalar("i32", "int", 4, 's'),
    scalar("u32", "unsigned", 4, 'u'),
    scalar("i64", "long long", 8, 's'),
    scalar("i64", "long", 8, 's'),
    scalar("u64", "unsigned long long", 8, 'u'),
    scalar("usize", "size_t", 8, 'u'),
    scalar("u32", "uint32_t", 4, 'u'),
    scalar("isize", "ptrdiff_t", 8, 's'),
    scalar("bool", "bool", 1, 't'),
    scalar("f32", "float", 4, 'f'),
    scalar("f64", "double", 8, 'f'),
    scalar("half::f16", "__half", 2, 'h'),
    scalar("bf16", "__nv_bfloat16", 2, 'h'),
    scalar("F8E4M3", "__nv_fp8_e4m3", 1, 'h'),
    scalar("F8E5M2", "__nv_fp8_e5m2", 1, 'h'),
    scalar("u8", "char", 1, 'c'),
    scalar("i8", "char", 1, 'c'),
];

/// A vector in Rust and in CUDA, with its size and alignment.
pub(super) static VECTORS: [(&str, &str, usize, usize); 8] = [
    ("Float4", "float4", 16, 16),
    ("Float3", "float3", 12, 4),
    ("warpcall::Float2", "float2", 8, 8),
    ("Int2", "int2", 8, 8),
    ("Uint4", "uint4", 16, 16),
    ("Uchar4", "uchar4", 4, 4),
    ("Half2", "__half2", 4, 4),
    ("Double4", "double4", 32, 16),
];

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Type {
    Scalar(usize),
    Vector(usize),
    Pointer { mutable: bool, to: Pointee },
    Struct(usize),
    TensorMap,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pointee {
    Void,
    Scalar(usize),
    Vector(usize),
    Struct(usize),
    /// A table: pointers that may be written through, or not.
    Pointer(bool, usize),
}

#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ty: Type,
}

/// A field: its name, its scalar, and the length where it is an array.
#[derive(Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) scalar: usize,
    pub(super) length: Option<usize>,
}

#[derive(Clone)]
pub(super) struct Struct {
    pub(super) fields: Vec<Field>,
}

/// A field of the Rust struct: its name, its type, its offset and its size.
pub(super) type Placed = (String, String, usize, usize);

impl Struct {
    /// The fields in their places, the size and the alignment, as `#[repr(C)]` has them.
    pub(super) fn layout(&self) -> (Vec<Placed>, usize, usize) {
        let (mut at, mut alignment) = (0_usize, 1);
        let mut placed = Vec::new();
        for field in &self.fields {
            let scalar = &SCALARS[field.scalar];
            alignment = alignment.max(scalar.size);
            at = at.next_multiple_of(scalar.size);
            let size = scalar.size * field.length.unwrap_or(1);
            placed.push((field.name.clone(), field.rust(), at, size));
            at += size;
        }
        (placed, at.next_multiple_of(alignment).max(1), alignment)
    }
}

impl Field {
    fn rust(&self) -> String {
        let element = SCALARS[self.scalar].rust;
        self.length.map_or_else(|| element.to_owned(), |length| format!("[{element}; {length}]"))
    }
}

#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) structs: Vec<Struct>,
    pub(super) parameters: Vec<Parameter>,
}

const WORDS: [&str; 16] = [
    "output", "input", "weight", "bias", "rows", "columns", "stride", "eps", "scale", "mask", "indices",
    "count", "alpha", "beta", "seed", "offset",
];

pub(super) fn random(rng: &mut fastrand::Rng) -> Kernel {
    let structs: Vec<Struct> = (0..3).map(|_| random_struct(rng)).collect();
    let mut names: Vec<&str> = WORDS.to_vec();
    rng.shuffle(&mut names);
    let count = rng.usize(2..=9);
    let parameters =
        names[..count].iter().map(|name| Parameter { name: (*name).to_owned(), ty: random_type(rng) });
    Kernel { parameters: parameters.collect(), structs }
}

fn random_struct(rng: &mut fastrand::Rng) -> Struct {
    let count = rng.usize(2..=6);
    let fields = (0..count).map(|index| Field {
        name: format!("{}{index}", WORDS[rng.usize(..WORDS.len())]),
        scalar: rng.usize(..SCALARS.len()),
        length: (rng.usize(..4) == 0).then(|| rng.usize(2..=5)),
    });
    Struct { fields: fields.collect() }
}

pub(super) fn random_type(rng: &mut fastrand::Rng) -> Type {
    match rng.usize(..10) {
        0..=3 => Type::Scalar(rng.usize(..SCALARS.len())),
        4..=6 => Type::Pointer { mutable: rng.bool(), to: random_pointee(rng) },
        7 => Type::Vector(rng.usize(..VECTORS.len())),
        8 => Type::Struct(rng.usize(..3)),
        _ => Type::TensorMap,
    }
}

pub(super) fn random_pointee(rng: &mut fastrand::Rng) -> Pointee {
    match rng.usize(..8) {
        0 => Pointee::Void,
        1 => Pointee::Vector(rng.usize(..VECTORS.len())),
        2 => Pointee::Struct(rng.usize(..3)),
        3 => Pointee::Pointer(rng.bool(), rng.usize(..SCALARS.len())),
        _ => Pointee::Scalar(rng.usize(..SCALARS.len())),
    }
}

impl Kernel {
    /// `fn k(…);`
    pub(super) fn rust(&self) -> String {
        let all = self.parameters.iter().map(|Parameter { name, ty }| format!("{name}: {}", rust(*ty)));
        format!("fn k({});", all.collect::<Vec<_>>().join(", "))
    }

    /// The whole text, with the words that change no type here and there.
    pub(super) fn cuda(&self, rng: &mut fastrand::Rng) -> String {
        let mut text = String::new();
        for (index, structure) in self.structs.iter().enumerate() {
            write!(text, "struct S{index} {{ ").expect("a string takes all");
            for Field { name, scalar, length } in &structure.fields {
                let extent = length.map(|length| format!("[{length}]")).unwrap_or_default();
                write!(text, "{} {name}{extent}; ", SCALARS[*scalar].cuda).expect("a string takes all");
            }
            text.push_str("};\n");
        }
        let all = self.parameters.iter().map(|parameter| in_cuda(parameter, rng)).collect::<Vec<_>>();
        let all = all.join(", ");
        if rng.bool() {
            writeln!(text, "extern \"C\" __global__ void __launch_bounds__(256) k({all}) {{}}")
        } else {
            writeln!(text, "#define KERNEL(NAME, ...) extern \"C\" __global__ void NAME(__VA_ARGS__) {{}}\nKERNEL(k, {all})")
        }
        .expect("a string takes all");
        text
    }

    /// `.visible .entry k(…)`
    pub(super) fn ptx(&self) -> String {
        let all = self.parameters.iter().enumerate().map(|(index, parameter)| {
            let bytes = |size, alignment| format!(".param .align {alignment} .b8 k_param_{index}[{size}]");
            match parameter.ty {
                Type::Scalar(scalar) => {
                    let Scalar { size, kind, .. } = SCALARS[scalar];
                    match kind {
                        'h' => bytes(size, size),
                        'f' => format!(".param .f{} k_param_{index}", size * 8),
                        _ => format!(".param .u{} k_param_{index}", size * 8),
                    }
                }
                Type::Vector(vector) => bytes(VECTORS[vector].2, VECTORS[vector].3),
                Type::Pointer { .. } => format!(".param .u64 k_param_{index}"),
                Type::Struct(structure) => {
                    let (_, size, alignment) = self.structs[structure].layout();
                    bytes(size, alignment)
                }
                Type::TensorMap => bytes(128, 64),
            }
        });
        format!(".visible .entry k({}) {{ ret; }}\n", all.collect::<Vec<_>>().join(", "))
    }
}

pub(super) fn rust(ty: Type) -> String {
    match ty {
        Type::Scalar(scalar) => SCALARS[scalar].rust.to_owned(),
        Type::Vector(vector) => VECTORS[vector].0.to_owned(),
        Type::Struct(structure) => format!("S{structure}"),
        Type::TensorMap => "TensorMap".to_owned(),
        Type::Pointer { mutable, to } => {
            let star = |mutable| if mutable { "*mut" } else { "*const" };
            let to = match to {
                Pointee::Void => "c_void".to_owned(),
                Pointee::Scalar(scalar) => SCALARS[scalar].rust.to_owned(),
                Pointee::Vector(vector) => VECTORS[vector].0.to_owned(),
                Pointee::Struct(structure) => format!("S{structure}"),
                Pointee::Pointer(inner, scalar) => format!("{} {}", star(inner), SCALARS[scalar].rust),
            };
            format!("{} {to}", star(mutable))
        }
    }
}

fn in_cuda(Parameter { name, ty }: &Parameter, rng: &mut fastrand::Rng) -> String {
    let constant = if rng.bool() { "const " } else { "" };
    match ty {
        Type::Scalar(scalar) => format!("{constant}{} {name}", SCALARS[*scalar].cuda),
        Type::Vector(vector) => format!("{constant}{} {name}", VECTORS[*vector].1),
        Type::Struct(structure) => format!("const __grid_constant__ S{structure} {name}"),
        Type::TensorMap => format!("const __grid_constant__ CUtensorMap {name}"),
        Type::Pointer { mutable, to } => {
            let constant = if *mutable { "" } else { " const" };
            let to = match to {
                Pointee::Void => "void".to_owned(),
                Pointee::Scalar(scalar) => SCALARS[*scalar].cuda.to_owned(),
                Pointee::Vector(vector) => VECTORS[*vector].1.to_owned(),
                Pointee::Struct(structure) => format!("S{structure}"),
                Pointee::Pointer(true, scalar) => format!("{}*", SCALARS[*scalar].cuda),
                Pointee::Pointer(false, scalar) => format!("const {}*", SCALARS[*scalar].cuda),
            };
            let restrict = if rng.bool() { "__restrict__ " } else { "" };
            format!("{to}{constant}* {restrict}{name}")
        }
    }
}
