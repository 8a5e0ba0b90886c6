//! Which signatures there are: every kind of parameter alone, every order of a few, and random ones of every
//! length, each with the arguments of one launch.

use super::structure::Catalogue;
use super::types::{ADDRESS, SCALARS, Type, vectors};
use super::value::{Value, bits};

/// A kernel's parameters, with one argument for each.
pub(super) struct Signature {
    pub(super) index: usize,
    pub(super) arguments: Vec<Argument>,
}

/// A parameter, and what one launch passes for it.
pub(super) enum Argument {
    Pointer(Pointer),
    Value(Type, Value),
    TensorMap([u64; 16]),
}

/// A pointer parameter.
pub(super) struct Pointer {
    pub(super) mutable: bool,
    pub(super) nullable: bool,
    /// Whether the launch passes memory; always, unless it is nullable.
    pub(super) given: bool,
    pub(super) pointee: Pointee,
    /// The address that is passed where nothing follows it.
    pub(super) address: u64,
    /// What lies there where a host function follows it: [`ELEMENTS`] elements.
    pub(super) content: Vec<u8>,
}

/// How many elements a pointer points to.
pub(super) const ELEMENTS: usize = 3;

/// What a pointer points to.
#[derive(Clone)]
pub(super) enum Pointee {
    Void,
    /// Another pointer, as Rust and CUDA spell it.
    Pointer(&'static str, &'static str),
    Type(Type),
}

impl Pointee {
    /// The size of an element in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Void => 1,
            Self::Pointer(..) => 8,
            Self::Type(ty) => ty.size(),
        }
    }
}

/// The least number of signatures.
const LEAST: usize = 660;
/// The longest signature of a real kernel has so many parameters.
const LONGEST: usize = 47;

/// What the signatures are made of.
struct Source<'a> {
    rng: &'a mut fastrand::Rng,
    vectors: Vec<Type>,
    structs: Vec<Type>,
    pointees: Vec<Pointee>,
}

/// All signatures.
pub(super) fn plan(catalogue: &Catalogue, rng: &mut fastrand::Rng) -> Vec<Signature> {
    let mut source =
        Source { rng, vectors: vectors(), structs: catalogue.up_to(256), pointees: pointees(catalogue) };
    let mut all = vec![Vec::new()];
    all.extend(source.each_alone(catalogue));
    all.extend(source.permutations());
    all.extend(source.tensor_map_everywhere());
    for length in (0..=LONGEST).chain(0..=LONGEST) {
        all.push(source.random(length));
    }
    all.extend(source.large(catalogue));
    while all.len() < LEAST {
        let length = source.rng.usize(2..=14);
        all.push(source.random(length));
    }
    all.into_iter().enumerate().map(|(index, arguments)| Signature { index, arguments }).collect()
}

fn pointees(catalogue: &Catalogue) -> Vec<Pointee> {
    let mut pointees = vec![
        Pointee::Void,
        Pointee::Pointer("*const f32", "const float*"),
        Pointee::Pointer("*mut f32", "float*"),
        Pointee::Pointer("*mut Sixteen", "Sixteen*"),
        Pointee::Pointer("*const *mut u8", "unsigned char* const*"),
        Pointee::Pointer("*mut c_void", "void*"),
    ];
    // A buffer holds what any bits are a value of, so no `bool`.
    let scalars = SCALARS.iter().filter(|scalar| scalar.rust != "bool").map(Type::Scalar);
    let plain = catalogue.structs.iter().filter(|structure| structure.is_plain() && structure.size <= 128);
    pointees.extend(scalars.chain(vectors().into_iter().step_by(3)).map(Pointee::Type));
    pointees.extend(plain.take(8).map(|structure| Pointee::Type(Type::Struct(structure.clone()))));
    pointees
}

impl Source<'_> {
    fn each_alone(&mut self, catalogue: &Catalogue) -> Vec<Vec<Argument>> {
        let mut alone = Vec::new();
        let structs = catalogue.structs.iter().map(|structure| Type::Struct(structure.clone()));
        let types: Vec<_> =
            SCALARS.iter().map(Type::Scalar).chain(self.vectors.clone()).chain(structs).collect();
        for ty in types {
            alone.push(vec![self.value(ty)]);
        }
        for (index, pointee) in self.pointees.clone().into_iter().enumerate() {
            for mutable in [false, true] {
                alone.push(vec![self.pointer(pointee.clone(), mutable, false, true)]);
                // A few pointees stand for all: what may be null does not depend on them.
                for given in [false, true].into_iter().filter(|_| index % 6 == 0) {
                    alone.push(vec![self.pointer(pointee.clone(), mutable, true, given)]);
                }
            }
        }
        alone
    }

    /// Two buffers and two scalars in every order: of four types, then with both buffers and both scalars alike.
    fn permutations(&mut self) -> Vec<Vec<Argument>> {
        let float = || Pointee::Type(Type::scalar("f32"));
        let mut all = Vec::new();
        for (scalars, second_mutable) in [(["u32", "f32"], false), (["u64", "u64"], true)] {
            for order in orders_of_four() {
                let in_order = order.map(|place| match place {
                    0 => self.pointer(float(), true, false, true),
                    1 => self.pointer(float(), second_mutable, false, true),
                    place => self.value(Type::scalar(scalars[place - 2])),
                });
                all.push(in_order.into());
            }
        }
        all
    }

    /// A tensor map at every place of signatures of several lengths.
    fn tensor_map_everywhere(&mut self) -> Vec<Vec<Argument>> {
        let short =
            [1, 2, 3, 5, 8, 13].into_iter().flat_map(|length| (0..length).map(move |at| (length, at)));
        let places: Vec<(usize, usize)> =
            short.chain([(LONGEST, 0), (LONGEST, 23), (LONGEST, LONGEST - 1)]).collect();
        let mut all = Vec::new();
        for (length, at) in places {
            let mut arguments = self.random(length);
            arguments[at] = self.tensor_map();
            all.push(arguments);
        }
        all
    }

    /// More than the 4,096 bytes that parameters had before CUDA 12.1.
    fn large(&mut self, catalogue: &Catalogue) -> Vec<Vec<Argument>> {
        let [kilobyte, odd, line] =
            ["Kilobyte", "ThreeThousandOne", "HundredTwentyNine"].map(|name| catalogue.named(name));
        let mut all = Vec::new();
        for repeat in [2, 4, 8] {
            let mut arguments = vec![self.any()];
            for _ in 0..repeat {
                arguments.extend([self.value(odd.clone()), self.any()]);
            }
            all.push(arguments);
        }
        for repeat in [5, 12, 20] {
            let mut arguments: Vec<_> = (0..repeat).map(|_| self.value(kilobyte.clone())).collect();
            arguments.insert(repeat / 2, self.tensor_map());
            arguments.push(self.any());
            all.push(arguments);
        }
        all.push((0..LONGEST).map(|_| self.value(line.clone())).collect());
        all.push((0..LONGEST).map(|_| self.tensor_map()).collect());
        all
    }

    fn random(&mut self, length: usize) -> Vec<Argument> {
        (0..length).map(|_| self.any()).collect()
    }

    fn any(&mut self) -> Argument {
        match self.rng.u8(0..100) {
            0..30 => {
                let pointee = self.pointees[self.rng.usize(..self.pointees.len())].clone();
                let nullable = self.rng.u8(0..5) == 0;
                let given = !nullable || self.rng.bool();
                let mutable = self.rng.bool();
                self.pointer(pointee, mutable, nullable, given)
            }
            30..65 => {
                let scalar = &SCALARS[self.rng.usize(..SCALARS.len())];
                self.value(Type::Scalar(scalar))
            }
            65..80 => {
                let vector = self.vectors[self.rng.usize(..self.vectors.len())].clone();
                self.value(vector)
            }
            80..97 => {
                let structure = self.structs[self.rng.usize(..self.structs.len())].clone();
                self.value(structure)
            }
            _ => self.tensor_map(),
        }
    }

    fn value(&mut self, ty: Type) -> Argument {
        let value = Value::random(&ty, self.rng);
        Argument::Value(ty, value)
    }

    fn tensor_map(&mut self) -> Argument {
        Argument::TensorMap(std::array::from_fn(|_| self.rng.u64(..)))
    }

    fn pointer(&mut self, pointee: Pointee, mutable: bool, nullable: bool, given: bool) -> Argument {
        // Null is what a missing one passes, and no other.
        let address = if given { bits(&ADDRESS, self.rng).max(1) } else { 0 };
        let content = (0..ELEMENTS * pointee.size()).map(|_| self.rng.u8(..)).collect();
        Argument::Pointer(Pointer { mutable, nullable, given, pointee, address, content })
    }
}

/// The 24 orders of 0, 1, 2 and 3.
fn orders_of_four() -> impl Iterator<Item = [usize; 4]> {
    (0..256)
        .map(|number| [number >> 6, number >> 4 & 3, number >> 2 & 3, number & 3])
        .filter(|order| (0..4).all(|place| order.contains(&place)))
}
