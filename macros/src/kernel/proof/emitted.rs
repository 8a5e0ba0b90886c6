// What the expansion brings along to compare structs while the user's crate is compiled, when their fields have
// places. It stands alone, under any prelude, in a module of its own.

/// A field of the Rust struct.
pub(super) struct Found {
    pub(super) name: &'static ::core::primitive::str,
    pub(super) rust_type: &'static ::core::primitive::str,
    pub(super) offset: ::core::primitive::usize,
    pub(super) size: ::core::primitive::usize,
}

impl Found {
    pub(super) const NONE: Self = Self { name: "", rust_type: "", offset: 0, size: 0 };
}

/// A member of the CUDA struct.
pub(super) struct Expected {
    /// Empty for one without a name, which matches any.
    pub(super) name: &'static ::core::primitive::str,
    /// What a field of it may be declared as; empty where only its size is known.
    pub(super) words: &'static [&'static ::core::primitive::str],
    pub(super) offset: ::core::primitive::usize,
    pub(super) size: ::core::primitive::usize,
    /// The member and where it is written, for the message.
    pub(super) shown: &'static ::core::primitive::str,
    /// What to do about it, where that is known.
    pub(super) remedy: &'static ::core::primitive::str,
}

/// How the two lists differ first.
pub(super) enum Difference {
    None,
    /// This field has no member beside it.
    Extra(::core::primitive::usize),
    /// This member has no field beside it.
    Missing(::core::primitive::usize),
    /// This field is not this member.
    Other(::core::primitive::usize, ::core::primitive::usize),
    /// This field is this member, but stands at another offset.
    Moved(::core::primitive::usize, ::core::primitive::usize),
}

pub(super) const fn difference(found: &[Found], expected: &[Expected]) -> Difference {
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
            return Difference::Extra(f);
        }
        let member = &expected[e];
        let is_same = same_name(field.name, member.name)
            && field.size == member.size
            && (member.words.is_empty() || may_be(field.rust_type, member.words));
        if !is_same {
            return Difference::Other(f, e);
        }
        if field.offset != member.offset {
            return Difference::Moved(f, e);
        }
        f += 1;
        e += 1;
    }
    if e < expected.len() { Difference::Missing(e) } else { Difference::None }
}

/// Whether two names are one, in C's spelling and in Rust's. The fields of a tuple struct have numbers.
const fn same_name(rust: &::core::primitive::str, cuda: &::core::primitive::str) -> ::core::primitive::bool {
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

/// Whether a type that is written so may be one of `words`: it is one of them, or none that is known by name.
const fn may_be(
    written: &::core::primitive::str,
    words: &[&'static ::core::primitive::str],
) -> ::core::primitive::bool {
    let text = written.as_bytes();
    let (mut start, mut end) = (0, 0);
    while start < text.len() && text[start] == b'[' {
        start += 1;
        end = start;
    }
    // The element of an array, the last part of a path.
    while end < text.len() && text[end] != b';' && text[end] != b'<' {
        if text[end] == b':' || text[end] == b' ' {
            start = end + 1;
        }
        end += 1;
    }
    let (mut any, mut w) = (false, 0);
    while w < words.len() {
        any = any || holds(words[w], text, start, end);
        w += 1;
    }
    any || !holds(KNOWN, text, start, end)
}

/// Whether one of `words`, with blanks between them, is what stands in `text` from `start` to `end`.
const fn holds(
    words: &::core::primitive::str,
    text: &[::core::primitive::u8],
    start: ::core::primitive::usize,
    end: ::core::primitive::usize,
) -> ::core::primitive::bool {
    let words = words.as_bytes();
    let mut w = 0;
    while w < words.len() {
        let mut i = 0;
        while w < words.len() && words[w] != b' ' && start + i < end && words[w] == text[start + i] {
            w += 1;
            i += 1;
        }
        if start + i == end && (w == words.len() || words[w] == b' ') {
            return true;
        }
        while w < words.len() && words[w] != b' ' {
            w += 1;
        }
        w += 1;
    }
    false
}

/// The types that are known by name.
const KNOWN: &::core::primitive::str = "bool i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64 f16 bf16 F8E4M3 F8E5M2 \
     DevicePtr Half2 Bfloat162 Char1 Char2 Char3 Char4 Uchar1 Uchar2 Uchar3 Uchar4 Short1 Short2 Short3 Short4 \
     Ushort1 Ushort2 Ushort3 Ushort4 Int1 Int2 Int3 Int4 Uint1 Uint2 Uint3 Uint4 Longlong1 Longlong2 Longlong3 \
     Longlong4 Ulonglong1 Ulonglong2 Ulonglong3 Ulonglong4 Float1 Float2 Float3 Float4 Double1 Double2 Double3 Double4";

/// The words of the message, to be joined. `structure` is the struct's name, `whole` what the kernel takes.
pub(super) const fn words(
    difference: &Difference,
    found: &[Found],
    expected: &[Expected],
    structure: &'static ::core::primitive::str,
    whole: &'static ::core::primitive::str,
) -> [&'static ::core::primitive::str; 9] {
    match *difference {
        Difference::None => [""; 9],
        Difference::Extra(f) => [
            "field `",
            found[f].name,
            "` of `",
            structure,
            "` has no counterpart in CUDA, and ",
            whole,
            "",
            "",
            "",
        ],
        Difference::Missing(e) => {
            let Expected { shown, remedy, .. } = expected[e];
            ["`", structure, "` has no field for ", shown, ", and ", whole, remedy, "", ""]
        }
        Difference::Other(f, e) => [
            "field `",
            found[f].name,
            "` of `",
            structure,
            "` is declared `",
            found[f].rust_type,
            "`, but in its place stands ",
            expected[e].shown,
            expected[e].remedy,
        ],
        Difference::Moved(f, e) => {
            let shown = expected[e].shown;
            ["field `", found[f].name, "` of `", structure, "` stands elsewhere than ", shown, "", "", ""]
        }
    }
}

pub(super) const fn length(words: &[&'static ::core::primitive::str]) -> ::core::primitive::usize {
    let (mut total, mut w) = (0, 0);
    while w < words.len() {
        total += words[w].len();
        w += 1;
    }
    total
}

pub(super) const fn join<const N: ::core::primitive::usize>(
    words: &[&'static ::core::primitive::str],
) -> [::core::primitive::u8; N] {
    let mut text = [0; N];
    let (mut at, mut w) = (0, 0);
    while w < words.len() {
        let word = words[w].as_bytes();
        let mut i = 0;
        while i < word.len() {
            text[at] = word[i];
            at += 1;
            i += 1;
        }
        w += 1;
    }
    text
}

/// How many digits a number has.
pub(super) const fn digits(mut number: ::core::primitive::usize) -> ::core::primitive::usize {
    let mut digits = 1;
    while number > 9 {
        number /= 10;
        digits += 1;
    }
    digits
}

pub(super) const fn decimal<const N: ::core::primitive::usize>(
    mut number: ::core::primitive::usize,
) -> [::core::primitive::u8; N] {
    let mut text = [b'0'; N];
    let mut at = N;
    while number > 0 {
        at -= 1;
        text[at] = b"0123456789"[number % 10];
        number /= 10;
    }
    text
}

pub(super) const fn text(bytes: &[::core::primitive::u8]) -> &::core::primitive::str {
    match ::core::str::from_utf8(bytes) {
        ::core::result::Result::Ok(text) => text,
        ::core::result::Result::Err(_) => "a field differs from CUDA's",
    }
}
