//! Random declarations against CUDA and PTX that agree with them, and that differ in one thing.

use warpcall::{__private::proof, FieldDescription, FieldShape};

use super::{
    super::finding::{At, Comparison},
    super::{Places, fields, verdict::Later},
    generator::{self, Kernel, Parameter, Pointee, SCALARS, Type, VECTORS},
};

const SEED: u64 = 0x5eed_0004;
const PAIRS: usize = 3_000;
/// How many kinds of change there are.
const KINDS: usize = 10;

/// The parameters that the compiler would refuse.
fn refused_later(comparison: &Comparison, kernel: &Kernel) -> Vec<usize> {
    let refused = comparison.assertions.iter().filter(|assertion| {
        // No type of the generator's is called like one of warpcall.
        if matches!(assertion.later, Later::Is { .. }) {
            return false;
        }
        let structure = match kernel.parameters[assertion.parameter].ty {
            Type::Struct(index) | Type::Pointer { to: Pointee::Struct(index), .. } => &kernel.structs[index],
            other => panic!("`{}` needs no compiler", generator::rust(other)),
        };
        let (placed, size, alignment) = structure.layout();
        match &assertion.later {
            Later::OneOf { .. } | Later::Is { .. } => true,
            Later::Layout { layouts, .. } => !accepts(layouts, size, alignment),
            Later::Value { size: expected, alignments, .. } => {
                *expected != size as u64 || !alignments.contains(alignment as u64)
            }
            Later::Struct { record, layouts, .. } => {
                let members = fields::of(record, &Places(&super::site())).expect("no union, no bit-field");
                fields_differ(&placed, &members) || !accepts(layouts, size, alignment)
            }
        }
    });
    refused.map(|assertion| assertion.parameter).collect()
}

fn accepts(layouts: &[warpcall_signature::Layout], size: usize, alignment: usize) -> bool {
    layouts.iter().any(|layout| layout.size == size as u64 && layout.alignment == alignment as u64)
}

/// What is constant in the expansion is kept for as long as the test runs.
fn constant(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn fields_differ(placed: &[generator::Placed], members: &[fields::Member]) -> bool {
    let found: Vec<FieldDescription> = placed
        .iter()
        .map(|(name, ty, offset, size)| FieldDescription {
            name: constant(name),
            rust_type: constant(ty),
            offset: *offset,
            size: *size,
            align: 1,
            fields: &[],
            shape: shape(ty),
        })
        .collect();
    !proof::fields(found.leak(), expected(members), "S", "the kernel").is_empty()
}

/// The shape of a type of the generator's: a name, or an array of one.
fn shape(written: &str) -> FieldShape {
    match written.strip_prefix('[').and_then(|array| array.rsplit_once("; ")) {
        Some((element, length)) => {
            shape(element).array(length.trim_end_matches(']').parse().expect("a number of elements"))
        }
        None => FieldShape::named(constant(written)),
    }
}

fn expected(members: &[fields::Member]) -> &'static [proof::Expected] {
    let each = members.iter().map(|member| proof::Expected {
        name: constant(&member.name),
        words: member.words.iter().map(|word| constant(word)).collect::<Vec<_>>().leak(),
        extents: member
            .extents
            .iter()
            .map(|n| usize::try_from(*n).expect("a short array"))
            .collect::<Vec<_>>()
            .leak(),
        offset: usize::try_from(member.offset).expect("a small struct"),
        size: usize::try_from(member.size).expect("a small struct"),
        shown: constant(&member.shown),
        remedy: constant(&member.remedy),
        members: expected(&member.members),
    });
    each.collect::<Vec<_>>().leak()
}

/// A change of the CUDA side, and where its error has to stand.
fn mutated(kernel: &Kernel, kind: usize, rng: &mut fastrand::Rng) -> Option<(Kernel, Expected)> {
    let mut other = kernel.clone();
    let count = kernel.parameters.len();
    let index = rng.usize(..count);
    let at = &mut other.parameters[index];
    let expected = match kind {
        0 => {
            other.parameters.remove(index);
            Expected::Finding(At::Name(index))
        }
        1 => {
            let ty = generator::random_type(rng);
            other.parameters.insert(index, Parameter { name: "another".to_owned(), ty });
            Expected::Finding(At::Kernel)
        }
        2 => {
            let second = rng.usize(..count);
            if second <= index {
                return None;
            }
            other.parameters.swap(index, second);
            Expected::Finding(At::Name(index))
        }
        3 => {
            "renamed".clone_into(&mut at.name);
            Expected::Finding(At::Name(index))
        }
        4 => {
            // Width, signedness, float for integer, one half for the other: any other scalar.
            let Type::Scalar(scalar) = &mut at.ty else { return None };
            *scalar = other_scalar(*scalar, rng)?;
            Expected::Finding(At::Type(index))
        }
        5 => {
            at.ty = match at.ty {
                Type::Scalar(scalar) => Type::Pointer { mutable: rng.bool(), to: Pointee::Scalar(scalar) },
                Type::Pointer { to: Pointee::Scalar(scalar), .. } => Type::Scalar(scalar),
                _ => return None,
            };
            Expected::Finding(At::Type(index))
        }
        6 => {
            let Type::Pointer { to, .. } = &mut at.ty else { return None };
            let before = *to;
            *to = match before {
                Pointee::Scalar(scalar) => Pointee::Scalar(other_scalar(scalar, rng)?),
                Pointee::Pointer(mutable, scalar) => Pointee::Pointer(mutable, other_scalar(scalar, rng)?),
                Pointee::Struct(_) => Pointee::Void,
                Pointee::Void | Pointee::Vector(_) => Pointee::Scalar(rng.usize(..SCALARS.len())),
            };
            Expected::Finding(At::Type(index))
        }
        7 => {
            let Type::Pointer { mutable, to } = &mut at.ty else { return None };
            match to {
                Pointee::Pointer(inner, _) if rng.bool() => *inner = !*inner,
                _ => *mutable = !*mutable,
            }
            Expected::Finding(At::Type(index))
        }
        8 => {
            at.ty = match at.ty {
                Type::Vector(vector) => Type::Vector((vector + rng.usize(1..VECTORS.len())) % VECTORS.len()),
                Type::TensorMap => Type::Vector(0),
                _ => return None,
            };
            Expected::Finding(At::Type(index))
        }
        _ => {
            let Type::Struct(structure) = at.ty else { return None };
            let is_seen = |ty: Type| ty == Type::Struct(structure);
            let users = (0..count).filter(|index| is_seen(kernel.parameters[*index].ty)).collect();
            mutate_fields(&mut other.structs[structure].fields, rng)?;
            Expected::Later(users)
        }
    };
    Some((other, expected))
}

enum Expected {
    Finding(At),
    Later(Vec<usize>),
}

fn mutate_fields(fields: &mut Vec<generator::Field>, rng: &mut fastrand::Rng) -> Option<()> {
    let index = rng.usize(..fields.len());
    match rng.usize(..5) {
        0 => {
            fields.remove(index);
        }
        1 => {
            let mut field = fields[index].clone();
            "another".clone_into(&mut field.name);
            fields.insert(index, field);
        }
        2 => "renamed".clone_into(&mut fields[index].name),
        3 => {
            if index + 1 == fields.len() {
                return None;
            }
            fields.swap(index, index + 1);
        }
        _ => fields[index].scalar = other_scalar(fields[index].scalar, rng)?,
    }
    Some(())
}

/// A scalar that is not the same in CUDA.
fn other_scalar(scalar: usize, rng: &mut fastrand::Rng) -> Option<usize> {
    let other = rng.usize(..SCALARS.len());
    let (a, b) = (&SCALARS[scalar], &SCALARS[other]);
    // `long` and `long long`, `size_t` and `unsigned long`: one size and sign, one type.
    let same = a.size == b.size && (a.kind == b.kind && a.kind != 'h' || a.cuda == b.cuda);
    // A plain `char` is either.
    let is_byte = |kind| matches!(kind, 's' | 'u' | 'c');
    let chars =
        a.size == 1 && b.size == 1 && is_byte(a.kind) && is_byte(b.kind) && (a.kind == 'c' || b.kind == 'c');
    (!same && !chars).then_some(other)
}

fn places(comparison: &Comparison) -> Vec<At> {
    comparison.findings.iter().map(|finding| finding.at).collect()
}

#[test]
fn a_declaration_of_the_same_kernel_is_accepted() {
    let mut rng = fastrand::Rng::with_seed(SEED);
    for _ in 0..PAIRS {
        let kernel = generator::random(&mut rng);
        let (rust, cuda, ptx) = (kernel.rust(), kernel.cuda(&mut rng), kernel.ptx());
        let block = super::block(&rust);
        let (source, image) = (super::cuda(&cuda), [super::ptx(&ptx), super::cubin(&in_cubin(&kernel))]);
        for (source, images) in
            [(Some(&source), None), (None, Some(&image[..])), (Some(&source), Some(&image[..]))]
        {
            let comparison = super::compare(&block, source, images);
            let found: Vec<_> =
                comparison.findings.iter().map(|f| format!("{}, but {}", f.found, f.expected)).collect();
            assert!(found.is_empty(), "{rust}\n{cuda}\n{ptx}\n{found:#?}");
            assert_eq!(refused_later(&comparison, &kernel), [], "{rust}\n{cuda}\n{ptx}");
        }
    }
}

#[test]
fn one_change_of_the_source_is_found_at_its_place() {
    let mut rng = fastrand::Rng::with_seed(SEED);
    for kind in (0..KINDS).cycle().take(PAIRS) {
        let (kernel, other, expected) = loop {
            let kernel = generator::random(&mut rng);
            if let Some((other, expected)) = mutated(&kernel, kind, &mut rng) {
                break (kernel, other, expected);
            }
        };
        let (rust, cuda) = (kernel.rust(), other.cuda(&mut rng));
        let comparison = super::compare(&super::block(&rust), Some(&super::cuda(&cuda)), None);
        match expected {
            Expected::Finding(at) => assert_eq!(places(&comparison), [at], "{rust}\n{cuda}"),
            Expected::Later(parameters) => {
                assert_eq!(places(&comparison), [], "{rust}\n{cuda}");
                let mut refused = refused_later(&comparison, &kernel);
                // What points to the struct sees its size alone.
                refused.retain(|index| matches!(kernel.parameters[*index].ty, Type::Struct(_)));
                assert_eq!(refused, parameters, "{rust}\n{cuda}");
            }
        }
    }
}

/// What PTX tells of a parameter.
fn in_ptx(ty: Type, kernel: &Kernel) -> (usize, usize, char) {
    match ty {
        Type::Scalar(scalar) => {
            let scalar = &SCALARS[scalar];
            let kind = if matches!(scalar.kind, 'f' | 'h') { scalar.kind } else { 'u' };
            (scalar.size, scalar.size, kind)
        }
        Type::Vector(vector) => (VECTORS[vector].2, VECTORS[vector].3, 'h'),
        Type::Pointer { .. } => (8, 8, 'u'),
        Type::TensorMap => (128, 64, 'h'),
        Type::Struct(structure) => {
            let (_, size, alignment) = kernel.structs[structure].layout();
            (size, alignment, 'h')
        }
    }
}

#[test]
fn one_change_of_the_image_is_found_at_its_place() {
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut seen = 0;
    while seen < PAIRS {
        let kernel = generator::random(&mut rng);
        let mut other = kernel.clone();
        let count = kernel.parameters.len();
        let index = rng.usize(..count);
        let expected = match rng.usize(..8) {
            0 => {
                other.parameters.pop();
                Expected::Finding(At::Name(count - 1))
            }
            1 => {
                let ty = generator::random_type(&mut rng);
                other.parameters.push(Parameter { name: "another".to_owned(), ty });
                Expected::Finding(At::Kernel)
            }
            _ => {
                let (before, after) = (kernel.parameters[index].ty, generator::random_type(&mut rng));
                if in_ptx(before, &kernel) == in_ptx(after, &kernel) {
                    continue;
                }
                other.parameters[index].ty = after;
                // What a name of the user's is, only the compiler knows.
                if matches!(before, Type::Struct(_)) {
                    Expected::Later(vec![index])
                } else {
                    Expected::Finding(At::Type(index))
                }
            }
        };
        seen += 1;
        let (rust, ptx) = (kernel.rust(), other.ptx());
        let comparison = super::compare(&super::block(&rust), None, Some(&[super::ptx(&ptx)]));
        match expected {
            Expected::Finding(at) => assert_eq!(places(&comparison), [at], "{rust}\n{ptx}"),
            Expected::Later(parameters) => {
                assert_eq!(places(&comparison), [], "{rust}\n{ptx}");
                let refused: Vec<usize> = comparison
                    .assertions
                    .iter()
                    .filter(|assertion| {
                        let Later::Value { size, alignments, class, .. } = &assertion.later else {
                            return true;
                        };
                        let own = in_ptx(kernel.parameters[assertion.parameter].ty, &kernel);
                        *size != own.0 as u64
                            || !alignments.contains(own.1 as u64)
                            || *class != warpcall_signature::Class::Bytes
                    })
                    .map(|assertion| assertion.parameter)
                    .collect();
                assert_eq!(refused, parameters, "{rust}\n{ptx}");
            }
        }
    }
}

/// What a cubin is made of: the size and alignment of each parameter.
fn in_cubin(kernel: &Kernel) -> Vec<(usize, usize)> {
    let layout = |parameter: &Parameter| {
        let (size, alignment, _) = in_ptx(parameter.ty, kernel);
        (size, alignment)
    };
    kernel.parameters.iter().map(layout).collect()
}

/// What a cubin tells of each parameter: its size, and how far behind the one before it lies.
fn told(parameters: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut end = super::cubin::BASE;
    let mut told = Vec::new();
    for (size, alignment) in parameters {
        let offset = end.next_multiple_of(*alignment);
        told.push((*size, offset - end));
        end = offset + size;
    }
    told
}

#[test]
fn one_change_of_a_cubin_is_found_at_its_place() {
    let mut rng = fastrand::Rng::with_seed(SEED);
    let (mut seen, mut only_by_offset) = (0, 0);
    while seen < PAIRS {
        let kernel = generator::random(&mut rng);
        let own = in_cubin(&kernel);
        let mut other = own.clone();
        let index = rng.usize(..own.len());
        let at = match rng.usize(..8) {
            0 => {
                other.pop();
                At::Name(own.len() - 1)
            }
            1 => {
                other.push((8, 8));
                At::Kernel
            }
            // A size with its alignment, or another alignment alone.
            2..6 => {
                let (size, alignment, _) = in_ptx(generator::random_type(&mut rng), &kernel);
                other[index] = (size, alignment);
                At::Type(index)
            }
            _ => {
                other[index].1 = 1 << rng.usize(..8);
                At::Type(index)
            }
        };
        // What lies at one place by either alignment is one to a cubin.
        let ty = kernel.parameters[index].ty;
        let is_map = ty == Type::TensorMap && other[index..].first() == Some(&(128, 128));
        let (before, after) = (told(&own), told(&other));
        if is_map || (before.len() == after.len() && before[index] == after[index]) {
            continue;
        }
        seen += 1;
        only_by_offset += usize::from(before.len() == after.len() && before[index].0 == after[index].0);
        let rust = kernel.rust();
        let comparison = super::compare(&super::block(&rust), None, Some(&[super::cubin(&other)]));
        // What a name of the user's is, only the compiler knows.
        if matches!((at, ty), (At::Type(_), Type::Struct(_))) {
            assert_eq!(places(&comparison), [], "{rust}\n{own:?}\n{other:?}");
            assert_eq!(refused_later(&comparison, &kernel), [index], "{rust}\n{own:?}\n{other:?}");
        } else {
            assert_eq!(places(&comparison), [at], "{rust}\n{own:?}\n{other:?}");
        }
    }
    assert!(only_by_offset > 300, "{only_by_offset}");
}
