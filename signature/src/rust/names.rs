//! Names of Rust for names of CUDA.

use std::collections::HashSet;

/// The words that are no names in Rust, except as `r#word`.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The words that are no names in any form.
const NEVER: [&str; 5] = ["_", "crate", "self", "Self", "super"];

/// `name` as Rust has it; `None` where it has no such name.
pub fn identifier(name: &str) -> Option<String> {
    if KEYWORDS.contains(&name) {
        return Some(format!("r#{name}"));
    }
    (is_word(name) && !NEVER.contains(&name)).then(|| name.to_owned())
}

/// A name like `name` that Rust has.
pub fn similar(name: &str) -> String {
    let mut similar: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if !similar.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        similar.insert(0, '_');
    }
    if NEVER.contains(&&*similar) || KEYWORDS.contains(&&*similar) {
        similar.push('_');
    }
    similar
}

fn is_word(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// `block_rows` for `blockRows`, `kv_cache` for `KVCache`.
pub fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let next_is_lowercase = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        let is_word_start = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && next_is_lowercase
            });
        if is_word_start {
            snake.push('_');
        }
        // Rust's names have no two underscores between words.
        let repeats = *letter == '_' && snake.ends_with('_') && snake.len() > 1;
        if !repeats {
            snake.push(letter.to_ascii_lowercase());
        }
    }
    snake
}

/// `RopeParams` for `rope_params`, `OpFloat` for `detail::Op<float>`.
pub fn camel_case(name: &str) -> String {
    let arguments = name.find('<').unwrap_or(name.len());
    let start = name[..arguments].rfind("::").map_or(0, |at| at + 2);
    let mut camel = String::new();
    for part in name[start..].split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            camel.push(first.to_ascii_uppercase());
            camel.extend(letters);
        }
    }
    if camel.starts_with(|first: char| first.is_ascii_alphabetic()) {
        camel
    } else {
        format!("Struct{camel}")
    }
}

/// The name of the static that `#[kernel]` makes for a kernel: `ADD_KERNEL` for `addKernel`, `MATCH` for `r#match`. Two
/// kernels of one place may not have one.
///
/// ```
/// use warpcall_signature::rust::static_name;
///
/// assert_eq!(static_name("rms_norm"), "RMS_NORM");
/// assert_eq!(static_name("addKernel"), "ADD_KERNEL");
/// ```
pub fn static_name(kernel: &str) -> String {
    let mut name = String::new();
    let mut after_lowercase = false;
    for letter in kernel.trim_start_matches("r#").chars() {
        if letter.is_uppercase() && after_lowercase {
            name.push('_');
        }
        after_lowercase = letter.is_lowercase() || letter.is_ascii_digit();
        name.extend(letter.to_uppercase());
    }
    name
}

/// `wanted`, or where that is taken, `wanted_2` and so on. `take` takes a name, and says whether it was free.
pub fn unique(wanted: &str, mut take: impl FnMut(&str) -> bool) -> String {
    if take(wanted) {
        return wanted.to_owned();
    }
    let plain = wanted.trim_start_matches("r#");
    let separator = if plain.starts_with(|first: char| first.is_ascii_uppercase()) { "" } else { "_" };
    let mut number = 2_usize;
    loop {
        let name = format!("{plain}{separator}{number}");
        if take(&name) {
            return name;
        }
        number += 1;
    }
}

/// The names of the parameters of a kernel, or of the fields of a struct, each once.
#[derive(Debug)]
pub struct Members {
    taken: HashSet<String>,
    /// Whether names stay as CUDA has them.
    exact: bool,
}

impl Members {
    /// For parameters, which keep their names.
    pub fn of_kernel() -> Self {
        Self { taken: HashSet::new(), exact: true }
    }

    /// For fields of these names: as Rust spells them, unless case and underscores tell them apart.
    pub fn of_struct<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut seen = HashSet::new();
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let exact = !names.into_iter().all(|name| seen.insert(plain(name)));
        Self { taken: HashSet::new(), exact }
    }

    /// The name in Rust, and whether it is another than case and underscores explain.
    pub fn next(&mut self, name: &str) -> (String, bool) {
        let wanted = if self.exact { name.to_owned() } else { snake_case(name) };
        let has_letters = name.chars().any(|letter| letter != '_');
        match identifier(&wanted) {
            Some(own) if has_letters && self.taken.insert(own.clone()) => (own, false),
            _ => (unique(&similar(&wanted), |name| self.taken.insert(name.to_owned())), true),
        }
    }
}
