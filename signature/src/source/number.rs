//! Integers as C++ computes with them: promoted, converted, wrapped where that is defined.

use super::token::{Kind, Token};
use crate::Scalar;

/// A value of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i128,
    pub(super) ty: Scalar,
}

pub(super) fn int(value: i128) -> Number {
    Number { value, ty: Scalar::I32 }
}

/// A value of `size_t`.
pub(super) fn size(value: u64) -> Number {
    Number { value: i128::from(value), ty: Scalar::U64 }
}

pub(super) fn boolean(value: bool) -> Number {
    Number { value: i128::from(value), ty: Scalar::Bool }
}

/// Smallest and largest value of a type of at most 64 bits.
fn range(ty: Scalar) -> (i128, i128) {
    let bits = ty.size() * 8;
    match ty {
        Scalar::Bool => (0, 1),
        _ if ty.is_signed() || ty == Scalar::Char => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

/// Whether a type of at most 64 bits has a value.
pub(super) fn holds(ty: Scalar, value: i128) -> bool {
    let (low, high) = range(ty);
    (low..=high).contains(&value)
}

impl Number {
    /// The number after this one, in a type that holds it, as the enumerator after another has.
    pub(super) fn successor(self) -> Result<Self, String> {
        let value = self.value + 1;
        let own = if self.ty == Scalar::Bool { Scalar::I32 } else { self.ty };
        let order = [own, Scalar::U32, Scalar::I64, Scalar::U64];
        let ty = order.into_iter().find(|ty| holds(*ty, value)).ok_or("no integer holds the value")?;
        Ok(Self { value, ty })
    }

    pub(super) fn is_true(self) -> bool {
        self.value != 0
    }

    fn is_unsigned(self) -> bool {
        !(self.ty.is_signed() || self.ty == Scalar::Char)
    }

    /// The same value in another type: wrapped if it does not fit, as a conversion in C++ is.
    pub(super) fn cast(self, ty: Scalar) -> Result<Self, String> {
        if !ty.is_integer() || ty.size() > 8 {
            return Err(format!("`{}` is no integer type of at most 64 bits", ty.name()));
        }
        if ty == Scalar::Bool {
            return Ok(boolean(self.is_true()));
        }
        let (low, high) = range(ty);
        let span = high - low + 1;
        Ok(Self { value: (self.value - low).rem_euclid(span) + low, ty })
    }

    /// Integer promotion: whatever is smaller than `int` becomes `int`.
    pub(super) fn promote(self) -> Self {
        if self.ty.size() < 4 { Self { ty: Scalar::I32, ..self } } else { self }
    }

    /// The same value in the widest type of its sign.
    pub(super) fn widest(self) -> Self {
        Self { ty: if self.promote().is_unsigned() { Scalar::U64 } else { Scalar::I64 }, ..self }
    }

    /// A result, which wraps in an unsigned type and must fit in a signed one.
    pub(super) fn checked(value: i128, ty: Scalar) -> Result<Self, String> {
        let (low, high) = range(ty);
        let result = Self { value, ty };
        match (low..=high).contains(&value) {
            true => Ok(result),
            false if result.is_unsigned() => result.cast(ty),
            false => Err("a signed result is out of range".into()),
        }
    }
}

/// The type in which two numbers meet.
fn common(a: Number, b: Number) -> Scalar {
    let (a, b) = (a.promote(), b.promote());
    let size = a.ty.size().max(b.ty.size());
    let unsigned = [a, b].iter().any(|n| n.ty.size() == size && n.is_unsigned());
    match (size, unsigned) {
        (4, false) => Scalar::I32,
        (4, true) => Scalar::U32,
        (_, false) => Scalar::I64,
        (_, true) => Scalar::U64,
    }
}

/// The type of what an operator makes of two numbers; `&&`, `||` and `,` are not among them.
pub(super) fn type_of_binary(operator: &str, a: Number, b: Number) -> Scalar {
    match operator {
        "<<" | ">>" => a.promote().ty,
        "==" | "!=" | "<" | ">" | "<=" | ">=" => Scalar::Bool,
        _ => common(a, b),
    }
}

/// What an operator makes of two numbers; `&&`, `||` and `,` are not among them.
pub(super) fn binary(operator: &str, a: Number, b: Number) -> Result<Number, String> {
    if matches!(operator, "<<" | ">>") {
        return shift(operator, a.promote(), b);
    }
    let ty = common(a, b);
    let (x, y) = (a.cast(ty)?.value, b.cast(ty)?.value);
    // No result of two 64-bit numbers leaves 128 bits but an unsigned product, of which the low ones count.
    let value = match operator {
        "==" => return Ok(boolean(x == y)),
        "!=" => return Ok(boolean(x != y)),
        "<" => return Ok(boolean(x < y)),
        ">" => return Ok(boolean(x > y)),
        "<=" => return Ok(boolean(x <= y)),
        ">=" => return Ok(boolean(x >= y)),
        "+" => x + y,
        "-" => x - y,
        "*" => x.wrapping_mul(y),
        "/" | "%" if y == 0 => return Err("it divides by zero".into()),
        "/" => x / y,
        // Where the quotient is out of range, C++ defines no remainder either.
        "%" => Number::checked(x / y, ty).map(|_| x % y)?,
        "&" => x & y,
        "|" => x | y,
        "^" => x ^ y,
        _ => return Err(format!("the operator `{operator}` is not evaluated")),
    };
    Number::checked(value, ty)
}

/// A shift of a promoted number. To the left, a signed result may take the sign's place and go no further.
fn shift(operator: &str, a: Number, b: Number) -> Result<Number, String> {
    let bits = a.ty.size() * 8;
    let count = u32::try_from(b.value).ok().filter(|count| u64::from(*count) < bits);
    let count = count.ok_or("the shift count is out of range")?;
    if operator == ">>" {
        return Ok(Number { value: a.value >> count, ty: a.ty });
    }
    let shifted = Number { value: a.value << count, ty: a.ty };
    if !a.is_unsigned() && !(range(a.ty).0..1 << bits).contains(&shifted.value) {
        return Err("a signed result is out of range".into());
    }
    shifted.cast(a.ty)
}

/// The common type of the two arms of a conditional, with the chosen arm's value.
pub(super) fn choose(condition: bool, a: Number, b: Number) -> Result<Number, String> {
    let chosen = if condition { a } else { b };
    if a.ty == b.ty { Ok(chosen) } else { chosen.cast(common(a, b)) }
}

/// The smaller of two numbers, or the larger, in the type in which they meet.
pub(super) fn extreme(is_largest: bool, a: Number, b: Number) -> Result<Number, String> {
    let ty = if a.ty == b.ty { a.ty } else { common(a, b) };
    let (a, b) = (a.cast(ty)?, b.cast(ty)?);
    Ok(if (a.value >= b.value) == is_largest { a } else { b })
}

/// The value of a number or character token. A number gets the first type that takes it, beginning with the
/// signed one of `smallest`.
pub(super) fn literal(token: &Token, smallest: Scalar) -> Result<Number, String> {
    match token.kind {
        Kind::Number => number(&token.text, smallest),
        Kind::Character => character(&token.text),
        _ => Err(format!("`{}` is no number", token.text)),
    }
}

fn number(text: &str, smallest: Scalar) -> Result<Number, String> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect::<String>().to_ascii_lowercase();
    let (radix, rest) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, &digits[..]),
    };
    let end = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let (value, suffix) = rest.split_at(end);
    // A lone `0u` leaves no digits after the octal mark.
    let value = if value.is_empty() && radix == 8 { "0" } else { value };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l') || suffix.contains('z');
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu" | "z" | "uz" | "zu") {
        return Err(format!("`{text}` is no integer"));
    }
    let value =
        i128::from(u64::from_str_radix(value, radix).map_err(|_| format!("`{text}` is no 64-bit integer"))?);
    let fits = |ty| value <= range(ty).1;
    let allowed = |ty: Scalar| {
        let sign = if unsigned { !ty.is_signed() } else { ty.is_signed() || radix != 10 };
        sign && (ty.size() == 8 || !long) && ty.size() >= smallest.size() && fits(ty)
    };
    let order = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];
    let ty = order.into_iter().find(|ty| allowed(*ty)).unwrap_or(Scalar::U64);
    Ok(Number { value, ty })
}

/// A character, or several in one literal, which are an `int` with the first of them on top.
fn character(text: &str) -> Result<Number, String> {
    let (prefix, inside) = text.split_once('\'').ok_or("the character has no end")?;
    let inside = inside.strip_suffix('\'').ok_or("the character has no end")?;
    let ty = match prefix {
        "L" => Scalar::I32,
        "u" => Scalar::U16,
        "U" => Scalar::U32,
        _ => Scalar::Char,
    };
    let mut values = Vec::new();
    let mut rest = inside;
    while let Some(first) = rest.chars().next() {
        let (value, len) = if first == '\\' {
            escaped(&rest[1..]).ok_or_else(|| format!("the escape `{text}` is not evaluated"))?
        } else {
            (u32::from(first), first.len_utf8())
        };
        values.push((i128::from(value), first));
        rest = &rest[len..];
    }
    // Compilers and dialects differ on the others.
    match values[..] {
        [(value, first)] if ty == Scalar::Char => {
            let is_byte = value < 0x80 || prefix.is_empty() && first == '\\' && value <= 0xff;
            Number { value, ty }.cast(ty).ok().filter(|_| is_byte)
        }
        [(value, _)] => Some(Number { value, ty }).filter(|_| value <= range(ty).1),
        [_, _, ..] if prefix.is_empty() && values.len() <= 4 && values.iter().all(|(c, _)| *c < 0x80) => {
            Some(int(values.iter().fold(0, |all, (c, _)| (all << 8) | c)))
        }
        _ => None,
    }
    .ok_or_else(|| format!("the character `{text}` is not evaluated"))
}

/// The value of an escape at the beginning of a text that follows a backslash, and its length with that.
fn escaped(text: &str) -> Option<(u32, usize)> {
    let simple = |value: u8| Some((u32::from(value), 2));
    let of_radix = |digits: &str, radix: u32, most: usize| {
        let len = digits.bytes().take(most).take_while(|b| char::from(*b).is_digit(radix)).count();
        Some((u32::from_str_radix(&digits[..len], radix).ok()?, len))
    };
    match *text.as_bytes().first()? {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'a' => simple(7),
        b'b' => simple(8),
        b'f' => simple(12),
        b'v' => simple(11),
        itself @ (b'\\' | b'\'' | b'"' | b'?') => simple(itself),
        b'x' => of_radix(&text[1..], 16, usize::MAX).map(|(value, len)| (value, len + 2)),
        _ => of_radix(text, 8, 3).map(|(value, len)| (value, len + 1)),
    }
}
