use std::collections::BTreeSet;
use std::sync::Mutex;

use super::*;
use crate::argument::{Float4, KernelParam, ParameterDescription};

/// A kernel's parameters as the driver tells them, where the parameters start at `base` in the constant bank.
fn loaded(base: usize, parameters: &[Parameter]) -> Vec<LoadedParameter> {
    let mut end = base;
    parameters
        .iter()
        .map(|parameter| {
            let start = end.next_multiple_of(parameter.align());
            end = start + parameter.size();
            LoadedParameter {
                offset: Some(start - base),
                size: parameter.size(),
                align: None,
                class: LoadedClass::Unknown,
            }
        })
        .collect()
}

/// Where the parameters start, on `sm_75` to `sm_86`, `sm_90`, and `sm_100` and later.
const BASES: [usize; 3] = [0x160, 0x210, 0x380];

fn plain(name: &'static str, size: usize, align: usize) -> Parameter {
    Parameter::value(name, "T", ParameterDescription { kind: ParameterKind::Unsigned, size, align })
}

fn refused(declared: &[Parameter], loaded: &[LoadedParameter]) -> (String, String) {
    match check("kernel", declared, loaded) {
        Err(ref error @ Error::Declaration { ref parameter, .. }) => {
            (parameter.to_string(), error.to_string())
        }
        other => panic!("not refused: {other:?}"),
    }
}

fn signature() -> Vec<Parameter> {
    vec![
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::value("count", "u32", u32::DESCRIPTION),
        Parameter::value("scale", "Float4", Float4::DESCRIPTION),
        Parameter::value("flag", "bool", bool::DESCRIPTION),
        plain("wide", 64, 64),
        Parameter::value("eps", "f64", f64::DESCRIPTION),
    ]
}

#[test]
fn a_declaration_fits_its_own_kernel_wherever_the_bank_starts() {
    for base in BASES {
        check("kernel", &signature(), &loaded(base, &signature())).expect("the same parameters");
        check("kernel", &[], &loaded(base, &[])).expect("no parameters");
    }
}

#[test]
fn a_tensor_map_may_be_aligned_to_64_or_128() {
    let declared = [plain("count", 4, 4), Parameter::tensor_map("map"), plain("after", 8, 8)];
    for align in [64, 128] {
        let compiled = [plain("count", 4, 4), plain("map", 128, align), plain("after", 8, 8)];
        for base in BASES {
            check("kernel", &declared, &loaded(base, &compiled)).expect("both headers' alignment");
        }
    }
}

#[test]
fn a_widened_or_narrowed_parameter_is_named() {
    for index in 0..signature().len() {
        for size in [2, 12, 24] {
            let mut declared = signature();
            declared[index] = plain("changed", size, 1);
            let (parameter, _) = refused(&declared, &loaded(0x210, &signature()));
            assert_eq!(parameter, "changed", "size {size} at {index}");
        }
    }
}

#[test]
fn an_alignment_that_moves_a_parameter_is_named() {
    let compiled = [plain("a", 4, 4), plain("b", 16, 8), plain("c", 4, 4)];
    for align in [1, 2, 4, 16] {
        let declared = [plain("a", 4, 4), plain("b", 16, align), plain("c", 4, 4)];
        let (parameter, text) = refused(&declared, &loaded(0x210, &compiled));
        assert_eq!(parameter, "b", "alignment {align}");
        assert!(text.contains("offset 8"), "{text}");
    }
}

#[test]
fn an_alignment_that_moves_nothing_is_named_where_ptx_tells_it() {
    let declared = [plain("a", 8, 8), plain("b", 16, 4)];
    let mut compiled = loaded(0x210, &[plain("a", 8, 8), plain("b", 16, 8)]);
    check("kernel", &declared, &compiled).expect("the driver cannot tell");
    compiled[1].align = Some(8);
    assert_eq!(refused(&declared, &compiled).0, "b");
}

#[test]
fn a_float_for_an_integer_is_named_where_ptx_tells_it() {
    let declared = [
        Parameter::value("eps", "f32", f32::DESCRIPTION),
        Parameter::value("count", "u32", u32::DESCRIPTION),
    ];
    let mut compiled = loaded(0x210, &declared);
    (compiled[0].class, compiled[1].class) = (LoadedClass::Float, LoadedClass::Integer);
    check("kernel", &declared, &compiled).expect("as declared");
    let swapped = [declared[1], declared[0]];
    let (parameter, text) = refused(&swapped, &compiled);
    assert_eq!(parameter, "count");
    assert!(text.contains("floating-point"), "{text}");
}

#[test]
fn each_kind_is_held_against_what_ptx_tells_of_it() {
    // A struct of one number is bytes in PTX, and so is a half, unless somebody wrote the PTX by hand.
    let half = ParameterDescription { kind: ParameterKind::Float, size: 2, align: 2 };
    let kinds = [
        Parameter::value("f32", "f32", f32::DESCRIPTION),
        Parameter::value("f64", "f64", f64::DESCRIPTION),
        Parameter::value("f16", "f16", half),
        Parameter::value("bool", "bool", bool::DESCRIPTION),
        Parameter::value("i32", "i32", i32::DESCRIPTION),
        Parameter::value("u64", "u64", u64::DESCRIPTION),
        Parameter::device_ref::<f32>("pointer", "*const f32"),
        Parameter::value("vector", "Float4", Float4::DESCRIPTION),
        Parameter::tensor_map("map"),
    ];
    let refused_classes = |parameter: &Parameter| {
        let classes = [LoadedClass::Integer, LoadedClass::Float, LoadedClass::Bytes, LoadedClass::Unknown];
        classes.map(|class| !class_fits(parameter, class))
    };
    let (no_integer, no_float, any) = ([true, false, false, false], [false, true, false, false], [false; 4]);
    let expected = [no_integer, no_integer, any, no_float, no_float, no_float, no_float, any, any];
    for (parameter, expected) in kinds.iter().zip(expected) {
        assert_eq!(refused_classes(parameter), expected, "{}", parameter.name());
        for (class, is_refused) in
            [LoadedClass::Integer, LoadedClass::Float, LoadedClass::Bytes, LoadedClass::Unknown]
                .into_iter()
                .zip(expected)
        {
            let mut compiled = loaded(0x210, std::slice::from_ref(parameter));
            compiled[0].class = class;
            let outcome = check("kernel", std::slice::from_ref(parameter), &compiled);
            assert_eq!(outcome.is_err(), is_refused, "{} as {class:?}", parameter.name());
        }
    }
}

#[test]
fn a_tensor_maps_alignment_is_one_of_the_headers_where_ptx_tells_it() {
    let declared = [Parameter::tensor_map("map")];
    for (align, is_refused) in [(32, true), (64, false), (128, false), (256, true)] {
        let mut compiled = loaded(0x210, &[plain("map", 128, 64)]);
        compiled[0].align = Some(align);
        assert_eq!(check("kernel", &declared, &compiled).is_err(), is_refused, "{align}");
    }
}

#[test]
fn a_gap_before_a_parameter_is_less_than_its_alignment() {
    let at = |offset, size| LoadedParameter {
        offset: Some(offset),
        size,
        align: None,
        class: LoadedClass::Unknown,
    };
    let fits = |second: &Parameter, offset| {
        let declared = [plain("first", 4, 4), *second];
        check("kernel", &declared, &[at(0, 4), at(offset, second.size())]).is_ok()
    };
    let map = Parameter::tensor_map("map");
    // A tensor map after four bytes starts wherever 64 or 128 put it, which depends on where the parameters start.
    assert!([16, 48, 64, 112, 128].into_iter().all(|offset| fits(&map, offset)));
    assert!([0, 8, 40, 132, 144].into_iter().all(|offset| !fits(&map, offset)));
    let wide = plain("wide", 64, 64);
    assert!(fits(&wide, 48) && fits(&wide, 64) && !fits(&wide, 68) && !fits(&wide, 80));
    let double = plain("double", 8, 8);
    assert!(fits(&double, 8) && !fits(&double, 4) && !fits(&double, 16));
}

#[test]
fn a_parameter_too_many_is_named() {
    for index in 0..=signature().len() {
        let mut declared = signature();
        declared.insert(index, plain("added", 2, 2));
        let (parameter, text) = refused(&declared, &loaded(0x210, &signature()));
        assert_eq!(parameter, "added");
        assert!(text.contains("no such parameter"), "{text}");
    }
}

#[test]
fn a_parameter_that_is_not_declared_is_named_by_its_place() {
    for index in 0..signature().len() {
        let mut declared = signature();
        let dropped = declared.remove(index);
        let (parameter, text) = refused(&declared, &loaded(0x210, &signature()));
        assert!(parameter.starts_with(&format!("#{index} ")), "{parameter} for {}: {text}", dropped.name());
        if let Some(next) = declared.get(index) {
            assert!(parameter.contains(next.name()), "{parameter}");
        }
    }
}

#[test]
fn two_of_different_size_swapped_are_named_at_the_first() {
    let count = signature().len();
    for first in 0..count {
        for second in first + 1..count {
            let mut declared = signature();
            if declared[first].size() == declared[second].size() {
                continue;
            }
            declared.swap(first, second);
            let (parameter, _) = refused(&declared, &loaded(0x210, &signature()));
            assert_eq!(parameter, declared[first].name());
        }
    }
}

#[test]
fn both_layouts_stand_side_by_side() {
    let mut declared = signature();
    declared.remove(1);
    let (_, text) = refused(&declared, &loaded(0x210, &signature()));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2 + signature().len(), "{text}");
    assert!(lines[2].contains("output") && lines[2].contains("8 bytes at offset 0"), "{text}");
    assert!(lines[3].starts_with("  > -") && lines[3].contains("4 bytes at offset 8"), "{text}");
    assert!(lines[4].contains("scale") && lines[4].contains("16 bytes at offset 16"), "{text}");

    // With one too many the gap is on the other side, and what belongs together is on one line.
    let mut declared = signature();
    declared.insert(1, plain("added", 2, 2));
    let (_, text) = refused(&declared, &loaded(0x210, &signature()));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2 + declared.len(), "{text}");
    assert!(lines[3].starts_with("  > added") && lines[3].ends_with("| -"), "{text}");
    assert!(lines[4].contains("count") && lines[4].contains("4 bytes at offset 8"), "{text}");
    assert!(lines[8].contains("eps") && lines[8].contains("8 bytes at offset"), "{text}");
}

/// Sizes and alignments of parameters that kernels have.
const SHAPES: [(usize, usize); 12] = [
    (1, 1),
    (2, 2),
    (4, 4),
    (8, 8),
    (3, 1),
    (6, 2),
    (12, 4),
    (16, 16),
    (24, 8),
    (32, 16),
    (64, 64),
    (128, 64),
];

fn shape(random: &mut fastrand::Rng, name: &str) -> Parameter {
    let (size, align) = SHAPES[random.usize(..SHAPES.len())];
    plain(lasting(name), size, align)
}

/// The name for as long as the process runs, once however often it is asked for.
fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap();
    if let Some(known) = names.get(name) {
        return known;
    }
    let lasting: &'static str = Box::leak(name.into());
    names.insert(lasting);
    lasting
}

/// The places at which leaving a size out of `longer` gives `shorter`.
fn gaps(longer: &[Parameter], shorter: &[Parameter]) -> Vec<usize> {
    let sizes = |parameters: &[Parameter]| parameters.iter().map(Parameter::size).collect::<Vec<_>>();
    let (longer, shorter) = (sizes(longer), sizes(shorter));
    (0..longer.len()).filter(|at| [&longer[..*at], &longer[at + 1..]].concat() == shorter).collect()
}

#[test]
fn the_parameter_that_was_changed_is_named_in_random_signatures() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..3000 {
        let count = random.usize(1..14);
        let compiled: Vec<_> = (0..count).map(|index| shape(&mut random, &format!("p{index}"))).collect();
        let base = BASES[random.usize(..BASES.len())];
        let found = loaded(base, &compiled);
        check("kernel", &compiled, &found).expect("the same parameters");

        let at = random.usize(..count);
        let mut declared = compiled.clone();
        let names: Vec<String> = match round % 4 {
            0 => {
                declared.remove(at);
                gaps(&compiled, &declared).into_iter().map(|gap| format!("#{gap}")).collect()
            }
            1 => {
                declared.insert(random.usize(..=count), shape(&mut random, "added"));
                gaps(&declared, &compiled).into_iter().map(|gap| declared[gap].name().to_owned()).collect()
            }
            2 => {
                declared[at] = shape(&mut random, "changed");
                if declared[at].size() == compiled[at].size() {
                    continue;
                }
                vec!["changed".to_owned()]
            }
            _ => {
                let other = random.usize(..count);
                declared.swap(at, other);
                if compiled[at].size() == compiled[other].size() {
                    continue;
                }
                vec![compiled[at].name().to_owned(), compiled[other].name().to_owned()]
            }
        };
        let (parameter, text) = refused(&declared, &found);
        let name = parameter.split(' ').next().expect("a name");
        assert!(
            names.iter().any(|expected| expected == name),
            "{parameter}, expected one of {names:?}: {text}"
        );
    }
}
