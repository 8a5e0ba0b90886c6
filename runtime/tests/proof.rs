//! What the compiler compares of a declaration: values with images, structs with CUDA's.

use warpcall::__private::proof::{Expected, ImageClass, Subject, structure, value};
use warpcall::{Float4, KernelField, KernelParam, ParameterDescription};

const SUBJECT: Subject =
    Subject { head: "parameter `x` is declared `X`", expected: "`k` takes 8 bytes at offset 4" };

#[test]
fn a_value_is_told_by_size_class_and_alignment() {
    let of = |found: ParameterDescription, size, alignments, class| {
        value(&found, size, alignments, class, SUBJECT).text().to_owned()
    };
    let any = u64::MAX;
    assert_eq!(of(u32::DESCRIPTION, 4, any, ImageClass::Integer), "");
    assert_eq!(of(u32::DESCRIPTION, 4, any, ImageClass::Unknown), "");
    assert_eq!(of(f64::DESCRIPTION, 8, any, ImageClass::Float), "");
    assert_eq!(of(Float4::DESCRIPTION, 16, 16, ImageClass::Bytes), "");
    assert_eq!(of(Float4::DESCRIPTION, 16, 4 | 8 | 16, ImageClass::Unknown), "");
    for (found, size, alignments, class) in [
        (u32::DESCRIPTION, 8, any, ImageClass::Integer),
        (u32::DESCRIPTION, 4, any, ImageClass::Float),
        (u32::DESCRIPTION, 4, any, ImageClass::Bytes),
        (f32::DESCRIPTION, 4, any, ImageClass::Integer),
        (f32::DESCRIPTION, 4, any, ImageClass::Bytes),
        (Float4::DESCRIPTION, 16, 1 | 2 | 4 | 8, ImageClass::Bytes),
        (f64::DESCRIPTION, 8, 1 | 2 | 4, ImageClass::Unknown),
    ] {
        assert_ne!(of(found, size, alignments, class), "");
    }
    assert_eq!(
        of(f64::DESCRIPTION, 8, 4, ImageClass::Unknown),
        "parameter `x` is declared `X`, which has 8 bytes aligned to 8, but `k` takes 8 bytes at offset 4"
    );
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Inner {
    scale: f32,
    shift: i32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Scale(f32);

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Outer {
    count: u32,
    inner: [Inner; 2],
    factor: Scale,
}

const fn member(name: &'static str, word: &'static [&'static str], offset: usize) -> Expected {
    let members: &[Expected] = &[];
    Expected { name, words: word, extents: &[], offset, size: 4, shown: name, remedy: "", members }
}

/// The members of a CUDA struct like `Outer`, with these names and types.
fn expected(inner: [(&'static str, &'static [&'static str]); 2], factor: &'static [&'static str]) -> String {
    let [(first, first_words), (second, second_words)] = inner;
    let members = vec![member(first, first_words, 0), member(second, second_words, 4)].leak();
    let all = vec![
        member("count", &["u32"], 0),
        Expected {
            name: "inner",
            words: &[],
            extents: &[2],
            offset: 4,
            size: 16,
            shown: "",
            remedy: "",
            members,
        },
        member("factor", factor, 20),
    ];
    structure(&Outer::DESCRIPTION, all.leak(), "Outer", "the kernel").text().to_owned()
}

#[test]
fn structs_inside_a_struct_are_compared_too() {
    const FLOAT: &[&str] = &["f32"];
    const INT: &[&str] = &["i32"];
    assert_eq!(Outer::FIELDS[1].fields, Inner::FIELDS);
    assert_eq!(expected([("scale", FLOAT), ("shift", INT)], FLOAT), "");
    assert_eq!(
        expected([("scale", INT), ("shift", INT)], FLOAT),
        "field `scale` of `Inner` is declared `f32`, but in its place stands scale"
    );
    assert_eq!(
        expected([("shift", FLOAT), ("scale", INT)], FLOAT),
        "field `scale` of `Inner` has another name in CUDA: in its place stands shift"
    );
    // A struct of one value is that value.
    assert_eq!(
        expected([("scale", FLOAT), ("shift", INT)], INT),
        "field `factor` of `Outer` is declared `Scale`, but in its place stands factor"
    );
}

#[test]
fn a_shape_is_what_a_type_is_under_any_name() {
    type Row = [f32; 3];
    assert_eq!((<Row as KernelField>::SHAPE.element, Row::SHAPE.extents()), ("f32", &[3][..]));
    assert_eq!(<[Row; 2]>::SHAPE.extents(), [2, 3]);
    assert_eq!((<[i8; 4]>::SHAPE.element, <Float4 as KernelField>::SHAPE.element), ("i8", "Float4"));
    #[cfg(feature = "half")]
    assert_eq!(<[half::f16; 4]>::SHAPE.element, "f16");
    #[cfg(feature = "fp8")]
    assert_eq!(float8::F8E4M3::SHAPE.element, "F8E4M3");
    assert_eq!((bool::SHAPE.element, usize::SHAPE.element), ("bool", "usize"));
    assert_eq!(warpcall::DevicePtr::SHAPE.element, "DevicePtr");
    assert_eq!(
        (Inner::SHAPE.element, <[Inner; 2]>::SHAPE.element, <[Inner; 2]>::SHAPE.extents()),
        ("", "", &[2][..])
    );
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Matrix {
    rows: [[f32; 3]; 2],
}

#[test]
fn arrays_of_arrays_have_their_lengths_in_one_order() {
    let of = |extents: &'static [usize]| {
        let rows = Expected {
            name: "rows",
            words: &["f32"],
            extents,
            offset: 0,
            size: 24,
            shown: "`float rows`",
            remedy: "",
            members: &[],
        };
        structure(&Matrix::DESCRIPTION, vec![rows].leak(), "Matrix", "the kernel").text().to_owned()
    };
    for same in [&[2, 3][..], &[6]] {
        assert_eq!(of(same), "", "{same:?}");
    }
    for other in [&[3, 2][..], &[6, 1], &[2, 3, 1], &[1, 2, 3]] {
        assert_eq!(
            of(other),
            "field `rows` of `Matrix` is declared `[[f32; 3]; 2]`, but in its place stands `float rows`",
            "{other:?}"
        );
    }
}
