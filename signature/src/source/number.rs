//! Integers as C++ computes with them: promoted, converted, wrapped.

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

impl Number {
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

    /// A result, which wraps in an unsigned type and must fit in a signed one.
    pub(super) fn checked(value: Option<i128>, ty: Scalar) -> Result<Self, String> {
        let value = value.ok_or("the result is out of range")?;
        let (low, high) = range(ty);
        if (low..=high).contains(&value) {
            return Ok(Self { value, ty });
        }
        let wrapped = Self { value, ty };
        if wrapped.is_unsigned() { wrapped.cast(ty) } else { Err("a signed result is out of range".into()) }
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

/// What an operator makes of two numbers; `&&`, `||` and `,` are not among them.
pub(super) fn binary(operator: &str, a: Number, b: Number) -> Result<Number, String> {
    if matches!(operator, "<<" | ">>") {
        let a = a.promote();
        let count = u32::try_from(b.value).ok().filter(|c| u64::from(*c) < a.ty.size() * 8);
        let count = count.ok_or("the shift count is out of range")?;
        let value = if operator == "<<" { a.value << count } else { a.value >> count };
        return Number { value, ty: a.ty }.cast(a.ty);
    }
    let ty = common(a, b);
    let (x, y) = (a.cast(ty)?.value, b.cast(ty)?.value);
    let value = match operator {
        "==" => return Ok(boolean(x == y)),
        "!=" => return Ok(boolean(x != y)),
        "<" => return Ok(boolean(x < y)),
        ">" => return Ok(boolean(x > y)),
        "<=" => return Ok(boolean(x <= y)),
        ">=" => return Ok(boolean(x >= y)),
        "+" => x.checked_add(y),
        "-" => x.checked_sub(y),
        "*" => x.checked_mul(y),
        "/" | "%" if y == 0 => return Err("it divides by zero".into()),
        "/" => x.checked_div(y),
        "%" => x.checked_rem(y),
        "&" => Some(x & y),
        "|" => Some(x | y),
        "^" => Some(x ^ y),
        _ => return Err(format!("the operator `{operator}` is not evaluated")),
    };
    Number::checked(value, ty)
}

/// The common type of the two arms of a conditional, with the chosen arm's value.
pub(super) fn choose(condition: bool, a: Number, b: Number) -> Result<Number, String> {
    let chosen = if condition { a } else { b };
    if a.ty == b.ty { Ok(chosen) } else { chosen.cast(common(a, b)) }
}

/// The value of a number or character token.
pub(super) fn literal(token: &Token) -> Result<Number, String> {
    match token.kind {
        Kind::Number => number(&token.text),
        Kind::Character => character(&token.text),
        _ => Err(format!("`{}` is no number", token.text)),
    }
}

fn number(text: &str) -> Result<Number, String> {
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
    if !suffix.chars().all(|c| matches!(c, 'u' | 'l' | 'z')) || suffix.len() > 3 {
        return Err(format!("`{text}` is no integer"));
    }
    let value =
        i128::from(u64::from_str_radix(value, radix).map_err(|_| format!("`{text}` is no 64-bit integer"))?);
    let fits = |ty| value <= range(ty).1;
    let allowed = |ty: Scalar| {
        let sign = if unsigned { !ty.is_signed() } else { ty.is_signed() || radix != 10 };
        sign && (ty.size() == 8 || !long) && fits(ty)
    };
    let order = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];
    let ty = order.into_iter().find(|ty| allowed(*ty)).unwrap_or(Scalar::U64);
    Ok(Number { value, ty })
}

fn character(text: &str) -> Result<Number, String> {
    let inside = text.trim_start_matches(|c| c != '\'').strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
    let inside = inside.ok_or("the character has no end")?;
    let mut chars = inside.chars();
    let value = match (chars.next(), chars.as_str()) {
        (Some('\\'), escape) => {
            escaped(escape).ok_or_else(|| format!("the escape `{text}` is not evaluated"))?
        }
        (Some(c), "") => u32::from(c),
        _ => return Err(format!("the character `{text}` is not evaluated")),
    };
    Ok(Number { value: i128::from(value), ty: Scalar::Char })
}

fn escaped(escape: &str) -> Option<u32> {
    match escape {
        "n" => Some(10),
        "t" => Some(9),
        "r" => Some(13),
        "a" => Some(7),
        "b" => Some(8),
        "f" => Some(12),
        "v" => Some(11),
        "\\" | "'" | "\"" | "?" => escape.chars().next().map(u32::from),
        _ => match escape.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => u32::from_str_radix(escape, 8).ok(),
        },
    }
}
