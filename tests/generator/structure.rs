//! The structs that are passed by value, laid out by C's rules.

use std::rc::Rc;

use super::types::{ADDRESS, SCALARS, Type, vectors};

/// A `#[repr(C)]` struct.
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    /// Whether its fields have no names.
    pub(super) tuple: bool,
    /// The alignment it asks for.
    pub(super) asked_align: Option<usize>,
    pub(super) size: usize,
    pub(super) align: usize,
}

/// A field, and where it starts.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) offset: usize,
}

impl Struct {
    fn new(name: &str, asked_align: Option<usize>, types: Vec<Type>) -> Self {
        let mut end = 0_usize;
        let mut align = asked_align.unwrap_or(1);
        let mut fields = Vec::new();
        for (index, ty) in types.into_iter().enumerate() {
            let offset = end.next_multiple_of(ty.align());
            end = offset + ty.size();
            align = align.max(ty.align());
            fields.push(Field { name: format!("f{index}"), ty, offset });
        }
        // Rust takes the larger of the two; CUDA's `__align__` lowers the alignment where it asks for less.
        let asked_align = asked_align.filter(|asked| *asked >= align);
        Self {
            name: name.into(),
            fields,
            tuple: false,
            asked_align,
            size: end.next_multiple_of(align),
            align,
        }
    }

    /// Whether any bits are a value and none are padding, so that a buffer may hold it.
    pub(super) fn is_plain(&self) -> bool {
        let value_bytes: usize = self.fields.iter().map(|field| field.ty.value_bytes()).sum();
        value_bytes == self.size && self.size > 0 && self.fields.iter().all(|field| !has_bool(&field.ty))
    }
}

fn has_bool(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => scalar.rust == "bool",
        Type::Vector(_) => false,
        Type::Array(element, _) => has_bool(element),
        Type::Struct(structure) => structure.fields.iter().any(|field| has_bool(&field.ty)),
    }
}

/// All structs of a program: those that matter by name, and random ones.
pub(super) struct Catalogue {
    pub(super) structs: Vec<Rc<Struct>>,
}

/// How many random structs there are.
const RANDOM: usize = 40;

impl Catalogue {
    pub(super) fn new(rng: &mut fastrand::Rng) -> Self {
        let mut catalogue = Self { structs: Vec::new() };
        catalogue.add_remarkable();
        let vectors = vectors();
        for index in 0..RANDOM {
            let fields = (0..rng.usize(1..=8)).map(|_| catalogue.random_field(&vectors, rng)).collect();
            let align = rng.choice([None, None, None, None, Some(8), Some(16), Some(32)]).flatten();
            let name = format!("Random{index}");
            let mut structure = Struct::new(&name, align, fields);
            structure.tuple = index % 4 == 3;
            catalogue.structs.push(Rc::new(structure));
        }
        catalogue
    }

    /// The struct `name`, one of those that are always there.
    pub(super) fn named(&self, name: &str) -> Type {
        let found = self.structs.iter().find(|structure| structure.name == name);
        Type::Struct(Rc::clone(found.expect("the name stands below")))
    }

    /// Those of at most `bytes` bytes.
    pub(super) fn up_to(&self, bytes: usize) -> Vec<Type> {
        let small = self.structs.iter().filter(|structure| structure.size <= bytes);
        small.map(|structure| Type::Struct(Rc::clone(structure))).collect()
    }

    fn add(&mut self, name: &str, asked_align: Option<usize>, types: Vec<Type>) -> Type {
        let structure = Rc::new(Struct::new(name, asked_align, types));
        self.structs.push(Rc::clone(&structure));
        Type::Struct(structure)
    }

    fn add_remarkable(&mut self) {
        let s = Type::scalar;
        let v = |name: &str| {
            let found = vectors().into_iter().find(|vector| vector.rust() == name);
            found.expect("CUDA has this vector type")
        };
        self.add("Empty", None, vec![]);
        self.add("EmptyAligned16", Some(16), vec![]);
        self.add("One", None, vec![s("u8")]);
        self.add("OneTruth", None, vec![s("bool")]);
        self.add("Two", None, vec![s("u8"), s("i8")]);
        self.add("Three", None, vec![s("u8").array(3)]);
        self.add("Five", None, vec![s("i8").array(5)]);
        self.add("Eight", None, vec![s("f32"), s("u32")]);
        self.add("Nine", None, vec![s("u8").array(9)]);
        self.add("Sixteen", None, vec![s("u32"), s("i32"), s("f32"), s("f32")]);
        self.add("SixtyFour", None, vec![s("f32").array(16)]);
        self.add("HundredTwentyEight", None, vec![s("u64").array(16)]);
        self.add("HundredTwentyNine", None, vec![s("u8").array(129)]);
        self.add("Kilobyte", None, vec![s("u64").array(128)]);
        self.add("ThreeThousandOne", None, vec![s("u8").array(3001)]);
        let padded = self.add("Padded", None, vec![s("u8"), s("u32"), s("u8"), s("u64"), s("u16")]);
        self.add("TailPadded", None, vec![s("f64"), s("bool")]);
        let aligned = self.add("Aligned16", Some(16), vec![s("f32").array(3)]);
        self.add("Aligned16Full", Some(16), vec![s("u32").array(4)]);
        self.add("Aligned64", Some(64), vec![s("u16")]);
        self.add("Aligned128", Some(128), vec![s("u8"), s("f64")]);
        self.add("Nested", None, vec![s("u8"), padded.clone(), s("u16"), aligned, s("i8")]);
        let deeper = self.add("NestedArrays", None, vec![s("bool"), padded.array(3), s("f16")]);
        self.add("NestedTwice", None, vec![s("u8"), deeper.array(2), s("u8").array(3).array(5)]);
        self.add("Floats", None, vec![s("F8E4M3"), s("f16"), s("F8E5M2"), s("bf16"), s("f32"), s("f64")]);
        self.add("Sizes", None, vec![s("usize"), s("bool"), s("isize"), s("i16")]);
        self.add("Addresses", None, vec![s("u32"), Type::Scalar(&ADDRESS), Type::Scalar(&ADDRESS).array(2)]);
        self.add(
            "Vectors",
            None,
            vec![v("Char3"), v("Float4"), v("Half2"), v("Double3"), v("Uchar4"), v("Int2").array(3)],
        );
        let mut tuple = Struct::new("Tuple", None, vec![s("u16"), s("f32").array(2), s("u8")]);
        tuple.tuple = true;
        self.structs.push(Rc::new(tuple));
    }

    fn random_field(&self, vectors: &[Type], rng: &mut fastrand::Rng) -> Type {
        let ty = match rng.u8(0..10) {
            0..6 => Type::Scalar(&SCALARS[rng.usize(..SCALARS.len())]),
            6 => Type::Scalar(&ADDRESS),
            7 => vectors[rng.usize(..vectors.len())].clone(),
            _ => {
                // C++ gives an empty struct in a struct a byte and Rust does not, so none stands in a field.
                let small: Vec<_> = self.up_to(64).into_iter().filter(|ty| ty.size() > 0).collect();
                small[rng.usize(..small.len())].clone()
            }
        };
        if rng.u8(0..4) == 0 { ty.array(rng.usize(1..=3)) } else { ty }
    }
}
