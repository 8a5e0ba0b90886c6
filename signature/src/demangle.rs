//! What a mangled symbol still says: the name, its namespaces, template arguments and parameter types.

use cpp_demangle::{DemangleOptions, DemangleWrite, Symbol};

use crate::source::parse_parameter_types;
use crate::{Class, Kernel, Layout, Linkage, Template, Type};

/// Longest symbol looked into.
const LONGEST: usize = 1 << 16;
/// Longest text made of a symbol, beside what the symbol's own length allows: a mangled name can name itself many
/// times over.
const LONGEST_TEXT: usize = 1 << 13;
const TEXT_A_BYTE: usize = 4;

/// How much text may be made of the symbols of one image, all together.
pub(crate) struct Budget {
    left: usize,
}

impl Budget {
    /// That of an image of so many bytes.
    pub(crate) fn of(image: usize) -> Self {
        Self { left: LONGEST + image.saturating_mul(TEXT_A_BYTE) }
    }
}

/// Text that refuses to grow without end.
struct Bounded {
    text: String,
    most: usize,
}

impl DemangleWrite for Bounded {
    fn write_string(&mut self, text: &str) -> std::fmt::Result {
        if self.text.len() + text.len() > self.most {
            return Err(std::fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// A kernel with everything its symbol says of it, and the types of its parameters if the symbol keeps them.
///
/// ```
/// let (kernel, types) = warpcall_signature::kernel_of_symbol("_ZN3fft5scaleEPfi");
/// assert_eq!(kernel.qualified_name(), "fft::scale");
/// assert_eq!(types.expect("a mangled name keeps them").len(), 2);
/// ```
pub fn kernel_of_symbol(symbol: &str) -> (Kernel, Option<Vec<Type>>) {
    kernel_within(symbol, &mut Budget::of(symbol.len()))
}

/// The same for one symbol of many. One that would take more than is left is taken as it is, as a name of C.
pub(crate) fn kernel_within(symbol: &str, budget: &mut Budget) -> (Kernel, Option<Vec<Type>>) {
    let plain = || {
        let mut kernel = Kernel::named(symbol);
        kernel.symbol = Some(symbol.to_owned());
        kernel.linkage = Linkage::C;
        kernel.is_defined = true;
        kernel
    };
    let Some(text) = demangle(symbol, budget) else { return (plain(), None) };
    let Some((path, arguments, list)) = split(&text) else { return (plain(), None) };
    let mut kernel = plain();
    kernel.linkage = Linkage::Cpp;
    kernel.namespace = path;
    kernel.name = kernel.namespace.pop().unwrap_or_default();
    kernel.is_static = kernel.namespace.iter().any(String::is_empty);
    if let Some(arguments) = arguments {
        kernel.template = Template::Instance { arguments };
    }
    (kernel, parse_parameter_types(list))
}

/// Puts the types a symbol keeps into the parameters an image keeps, where the two agree in number.
///
/// A type whose size or alignment is known and is not the image's is left out: the image is what is launched.
pub(crate) fn add_types(kernel: &mut Kernel, types: Vec<Type>) {
    if types.len() != kernel.parameters.len() {
        return;
    }
    for (parameter, ty) in kernel.parameters.iter_mut().zip(types) {
        let layouts = [ty.layout(), ty.wide_layout()];
        let fits = |layout: &Layout| {
            Some(layout.size) == parameter.size && parameter.accepts_alignment(layout.alignment)
        };
        if layouts[0].is_some() && !layouts.iter().flatten().any(fits) {
            continue;
        }
        if parameter.alignment.is_none() {
            parameter.alignment = ty.layout().map(|l| l.alignment);
        }
        let class = ty.class();
        if matches!(parameter.class, Class::Unknown) || class == Class::Pointer {
            parameter.class = class;
        }
        parameter.spelling = Some(ty.to_string());
        parameter.ty = Some(ty);
    }
}

fn demangle(symbol: &str, budget: &mut Budget) -> Option<String> {
    if !symbol.starts_with("_Z") || symbol.len() > LONGEST {
        return None;
    }
    let parsed = Symbol::new(symbol).ok()?;
    let most = budget.left.min(LONGEST_TEXT + symbol.len() * TEXT_A_BYTE);
    let mut bounded = Bounded { text: String::new(), most };
    parsed.structured_demangle(&mut bounded, &DemangleOptions::default()).ok()?;
    budget.left -= bounded.text.len();
    Some(bounded.text)
}

/// Path, template arguments and parameter list of a demangled function:
/// `void detail::k<float, 4>(float*, int)`.
fn split(text: &str) -> Option<(Vec<String>, Option<String>, &str)> {
    let text = text.trim_end();
    let close = text.strip_suffix(')')?;
    let open = matching_open(close)?;
    let list = &close[open + 1..];
    let head = text[..open].trim_end();
    let mut path = Vec::new();
    let mut arguments = None;
    let mut rest = head;
    let mut first = true;
    loop {
        let (start, part_end) = last_part(rest);
        let part = rest[start..part_end].trim();
        if first && part_end < rest.trim_end().len() {
            let inside = rest[part_end..].trim();
            arguments =
                Some(inside.trim_start_matches('<').strip_suffix('>').unwrap_or(inside).trim().to_owned());
        }
        first = false;
        if part.is_empty() {
            return None;
        }
        let anonymous = part.contains("anonymous namespace") || part.starts_with("_GLOBAL__N_");
        path.push(if anonymous { String::new() } else { part.to_owned() });
        match rest[..start].strip_suffix("::") {
            Some(outer) => rest = outer,
            None => break,
        }
    }
    path.reverse();
    Some((path, arguments, list))
}

/// Where the parenthesis opens that a text, cut before its last `)`, leaves open.
fn matching_open(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (i, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// The last part of a path: from where, and up to where its template arguments begin.
fn last_part(text: &str) -> (usize, usize) {
    let text = text.trim_end();
    let mut depth = 0_i32;
    let mut end = text.len();
    for (i, c) in text.char_indices().rev() {
        match c {
            '>' | ')' => depth += 1,
            '<' | '(' => {
                depth -= 1;
                if depth == 0 && c == '<' {
                    end = i;
                }
            }
            ' ' | ':' if depth == 0 => return (i + 1, end),
            _ => {}
        }
    }
    (0, end)
}
