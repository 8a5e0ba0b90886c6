//! The fields of a Rust struct against the members of a CUDA struct.

use super::message::Message;
use crate::argument::FieldDescription;

/// A member of a CUDA struct.
#[derive(Clone, Copy)]
pub struct Expected {
    /// Empty for one without a name, which matches any.
    pub name: &'static str,
    /// What a field of it may be declared as; empty where only its size is known.
    pub words: &'static [&'static str],
    /// The lengths of the array that it is, the outermost first.
    pub extents: &'static [usize],
    /// Where it starts, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
    /// The member and where it is written, for the message.
    pub shown: &'static str,
    /// What to do about it, where that is known.
    pub remedy: &'static str,
    /// The members of the struct that it is, or is an array of; none where they are not known.
    pub members: &'static [Expected],
}

/// Compares the fields of the Rust struct `structure` with the members of the CUDA struct that `whole` tells of, and
/// those of the structs inside both.
pub const fn fields(
    found: &'static [FieldDescription],
    expected: &'static [Expected],
    structure: &'static str,
    whole: &'static str,
) -> Message {
    let (mut f, mut e) = (0, 0);
    while f < found.len() {
        let field = &found[f];
        let before_next = e == expected.len() || field.offset + field.size <= expected[e].offset;
        // Padding that C++ leaves unnamed may have a name in Rust.
        if before_next && !field.name.is_empty() && field.name.as_bytes()[0] == b'_' {
            f += 1;
            continue;
        }
        if e == expected.len() {
            return of_field(field, structure).with("` has no counterpart in CUDA, and ").with(whole);
        }
        let member = &expected[e];
        let is_alike = field.size == member.size
            && may_be(field, member.words)
            && same_extents(field.shape.extents(), member.extents);
        if is_alike && !same_name(field.name, member.name) {
            return of_field(field, structure)
                .with("` has another name in CUDA: in its place stands ")
                .with(member.shown)
                .with(member.remedy);
        }
        if !is_alike {
            return of_field(field, structure)
                .with("` is declared `")
                .with(field.rust_type)
                .with("`, but in its place stands ")
                .with(member.shown)
                .with(member.remedy);
        }
        if field.offset != member.offset {
            return of_field(field, structure).with("` stands elsewhere than ").with(member.shown);
        }
        // Without both sides' fields, size and place are all there is to compare.
        if !field.fields.is_empty() && !member.members.is_empty() {
            let inner = fields(field.fields, member.members, element(field.rust_type), whole);
            if !inner.is_empty() {
                return inner;
            }
        }
        f += 1;
        e += 1;
    }
    if e == expected.len() {
        return Message::NONE;
    }
    let Expected { shown, remedy, .. } = expected[e];
    Message::NONE
        .with("`")
        .with(structure)
        .with("` has no field for ")
        .with(shown)
        .with(", and ")
        .with(whole)
        .with(remedy)
}

const fn of_field(field: &FieldDescription, structure: &str) -> Message {
    Message::NONE.with("field `").with(field.name).with("` of `").with(structure)
}

/// Whether two names are one, in C's spelling and in Rust's. The fields of a tuple struct have numbers.
const fn same_name(rust: &str, cuda: &str) -> bool {
    let (a, b) = (rust.as_bytes(), cuda.as_bytes());
    if b.is_empty() || (!a.is_empty() && a[0].is_ascii_digit()) {
        return true;
    }
    let (mut i, mut j) = (0, 0);
    loop {
        while i < a.len() && a[i] == b'_' {
            i += 1;
        }
        while j < b.len() && b[j] == b'_' {
            j += 1;
        }
        if i == a.len() || j == b.len() {
            return i == a.len() && j == b.len();
        }
        if !a[i].eq_ignore_ascii_case(&b[j]) {
            return false;
        }
        i += 1;
        j += 1;
    }
}

/// Whether a field may be one of `words`: it is one of them, or a struct of one field that is, or a struct of its own.
const fn may_be(field: &FieldDescription, words: &[&str]) -> bool {
    let name = field.shape.element;
    if words.is_empty() || any_of(words, name) {
        return true;
    }
    // A struct that wraps one value is that value.
    if field.fields.len() == 1 && field.fields[0].size == field.size {
        return may_be(&field.fields[0], words);
    }
    name.is_empty()
}

/// Whether the lengths of two arrays of one size are the same; one that is written flat lies as the other does.
const fn same_extents(rust: &[usize], cuda: &[usize]) -> bool {
    if rust.len() < 2 || cuda.len() < 2 {
        return true;
    }
    let mut index = 0;
    while index < rust.len() && index < cuda.len() && rust[index] == cuda[index] {
        index += 1;
    }
    index == rust.len() && index == cuda.len()
}

/// The name of a type that is written so, of an array's element: the last part of its path.
const fn element(written: &str) -> &str {
    let text = written.as_bytes();
    let (mut start, mut end) = (0, 0);
    while start < text.len() && text[start] == b'[' {
        start += 1;
        end = start;
    }
    while end < text.len() && text[end] != b';' && text[end] != b'<' {
        if text[end] == b':' || text[end] == b' ' {
            start = end + 1;
        }
        end += 1;
    }
    written.split_at(end).0.split_at(start).1
}

const fn any_of(words: &[&str], name: &str) -> bool {
    let mut index = 0;
    while index < words.len() {
        if equal(words[index].as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}
