//! Words with a meaning of their own: those that take arguments beside a type or a name, and the builtin types, which
//! may be several in any order: `long unsigned int`.

use crate::{Scalar, Type, TypeKind};

/// Words before an alignment in parentheses.
pub(super) fn is_alignment_word(word: &str) -> bool {
    matches!(word, "alignas" | "_Alignas" | "__align__" | "__builtin_align__")
}

/// Words before attributes in parentheses.
pub(super) fn is_attribute_list(word: &str) -> bool {
    matches!(word, "__attribute__" | "__attribute" | "__declspec")
}

/// Words before a type or an expression that stands for its type.
pub(super) fn is_typeof(word: &str) -> bool {
    matches!(word, "decltype" | "__decltype" | "typeof" | "__typeof__" | "__typeof")
}

/// Words that say something of what is declared, in parentheses behind them; none of them is its name.
pub(super) fn takes_arguments(word: &str) -> bool {
    is_alignment_word(word)
        || is_attribute_list(word)
        || matches!(
            word,
            "__launch_bounds__"
                | "__cluster_dims__"
                | "__maxnreg__"
                | "__block_size__"
                | "asm"
                | "__asm__"
                | "__asm"
        )
}

/// Words that make a builtin type.
pub(super) fn is_builtin_word(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "signed"
            | "unsigned"
            | "float"
            | "double"
            | "wchar_t"
            | "char8_t"
            | "char16_t"
            | "char32_t"
            | "__int128"
            | "__signed__"
            | "_Bool"
            | "__int64"
            | "__nv_bool"
    )
}

/// The builtin words seen so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    long: u8,
    /// The words that name a type; more than one is a mistake.
    bases: Vec<String>,
}

impl Words {
    pub(super) fn add(&mut self, word: &str) {
        match word {
            "signed" | "__signed__" => self.signed = true,
            "unsigned" => self.unsigned = true,
            "short" => self.short = true,
            "long" => self.long += 1,
            "__int64" => self.long = 2,
            _ => self.bases.push(word.to_owned()),
        }
    }

    pub(super) fn any(&self) -> bool {
        self.signed || self.unsigned || self.short || self.long > 0 || !self.bases.is_empty()
    }

    pub(super) fn ty(&self) -> Result<Type, String> {
        if self.bases.len() > 1 {
            return Err("two types stand in it".into());
        }
        let pick = |signed, unsigned| if self.unsigned { unsigned } else { signed };
        let scalar = match self.bases.first().map(String::as_str) {
            Some("void") => return Ok(TypeKind::Void.into()),
            Some("bool" | "_Bool" | "__nv_bool") => Scalar::Bool,
            Some("char") if self.signed => Scalar::I8,
            Some("char") => pick(Scalar::Char, Scalar::U8),
            Some("char8_t") => Scalar::U8,
            Some("char16_t") => Scalar::U16,
            Some("char32_t") => Scalar::U32,
            Some("wchar_t") => Scalar::I32,
            Some("float") => Scalar::F32,
            Some("double") if self.long > 0 => return Err("`long double` is `double` only on the GPU".into()),
            Some("double") => Scalar::F64,
            Some("__int128") => pick(Scalar::I128, Scalar::U128),
            _ if self.short => pick(Scalar::I16, Scalar::U16),
            _ if self.long > 0 => pick(Scalar::I64, Scalar::U64),
            _ => pick(Scalar::I32, Scalar::U32),
        };
        Ok(scalar.into())
    }
}
