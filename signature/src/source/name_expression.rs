//! A kernel's name as C++ writes it, and which kernels it names.

use std::fmt;

use super::expression::evaluate;
use super::lexer::lex;
use super::token::{Cursor, Kind, Token, group_end, push_halved, split_commas};
use super::unit::Unit;
use crate::{Diagnostic, Kernel, Problem, Template, Type, TypeKind};

/// Longest expression read.
const LONGEST: usize = 4096;
/// Most names with arguments inside each other that are compared part by part.
const DEEPEST: usize = 16;

/// The name of one kernel as C++ writes it: `scale<float, 4>`, `fft::scale<float>`, `fft::plain`.
///
/// It is what NVRTC calls a name expression. It names a kernel of a source, through
/// [`SourceReader::name`](super::SourceReader::name), and those of an image whose mangled symbol says the same:
///
/// ```
/// use warpcall_signature::{NameExpression, kernel_of_symbol};
///
/// let name = NameExpression::parse("scale<float,(int)4>")?;
/// assert_eq!(name.to_string(), "scale<float, (int)4>");
/// let (kernel, _) = kernel_of_symbol("_Z5scaleIfLi4EEvPT_PKS0_S0_j");
/// assert_eq!(kernel.expression(), "scale<float, 4>");
/// assert!(name.names(&kernel));
/// assert!(!NameExpression::parse("scale<float, 2>")?.names(&kernel));
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameExpression {
    namespace: Vec<String>,
    name: String,
    /// `None` where there are no angle brackets.
    arguments: Option<Vec<Argument>>,
}

/// One template argument.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Argument {
    text: String,
    meaning: Meaning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    Type(Type),
    Value(i128),
    /// A name, of which only its spelling is known: of an enumerator, a function.
    Name,
}

impl NameExpression {
    /// Takes a name apart. What it names is not looked for.
    ///
    /// # Errors
    ///
    /// It is no name with or without template arguments.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let refuse = |reason: &str| {
            Diagnostic::new(Problem::NameExpression { text: text.to_owned(), reason: reason.to_owned() })
        };
        if text.len() > LONGEST {
            return Err(refuse("it is too long"));
        }
        if text.contains(char::is_control) || text.contains('#') {
            return Err(refuse("it is one line of C++, without directives"));
        }
        let lexed = lex(text, 0);
        if lexed.unterminated.is_some() || !lexed.comments.is_empty() {
            return Err(refuse("comments and texts have no place in it"));
        }
        let tokens = halved(lexed.tokens);
        let mut c = Cursor::new(&tokens);
        c.eat("::");
        let mut namespace: Vec<String> = Vec::new();
        loop {
            let Some(token) = c.peek().filter(|token| token.is_identifier()) else {
                return Err(refuse(&match c.peek() {
                    Some(token) => format!("a name is expected in the place of `{}`", token.text),
                    None => "a name is missing".to_owned(),
                }));
            };
            c.bump();
            namespace.push(token.text.to_string());
            if !c.eat("::") {
                break;
            }
        }
        let name = namespace.pop().unwrap_or_default();
        let mut arguments = None;
        if c.is("<") {
            let parts = c.angles().ok_or_else(|| refuse("its `<` is not closed"))?;
            if parts.iter().any(|part| part.is_empty()) {
                return Err(refuse("one of its arguments is empty"));
            }
            arguments = Some(parts.into_iter().map(Argument::read).collect());
        }
        match c.peek() {
            None => Ok(Self { namespace, name, arguments }),
            Some(token) if token.is("(") => Err(refuse("it ends before the parameters")),
            Some(token) => Err(refuse(&format!("`{}` is not expected", token.text))),
        }
    }

    /// The name of a kernel that was read.
    pub fn of(kernel: &Kernel) -> Self {
        let arguments = match &kernel.template {
            Template::Instance { arguments } => Some(arguments_of(arguments)),
            Template::None | Template::Primary { .. } => None,
        };
        Self { namespace: kernel.namespace.clone(), name: kernel.name.clone(), arguments }
    }

    /// The name without namespaces and arguments.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The namespaces, outermost first.
    pub fn namespace(&self) -> &[String] {
        &self.namespace
    }

    /// Whether it has template arguments.
    pub fn is_instance(&self) -> bool {
        self.arguments.is_some()
    }

    /// Whether a kernel, which is no template, may be meant: it has the name, the namespaces, and the arguments that
    /// are written here. It may have more, as those of an image say what the defaults are.
    ///
    /// An argument is compared by what it is: `half` is `__half`, and `4` is `(int)4`. A name that only the source
    /// explains is compared by its spelling.
    pub fn names(&self, kernel: &Kernel) -> bool {
        if kernel.name != self.name || kernel.namespace != self.namespace || kernel.is_template() {
            return false;
        }
        match (&self.arguments, &kernel.template) {
            (None, Template::None) => true,
            (Some(own), Template::Instance { arguments }) => {
                let theirs = arguments_of(arguments);
                own.len() <= theirs.len()
                    && own.iter().zip(&theirs).all(|(own, other)| own.is(other, DEEPEST))
            }
            _ => false,
        }
    }

    /// Those of `kernels` that are meant. Where several may be, those whose arguments are spelled as here.
    pub fn select<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> Vec<&'k Kernel> {
        let mut all: Vec<&Kernel> = kernels.into_iter().filter(|kernel| self.names(kernel)).collect();
        let texts = |arguments: &[Argument]| -> Vec<String> {
            arguments.iter().map(|argument| argument.text.clone()).collect()
        };
        let own = texts(self.arguments.as_deref().unwrap_or_default());
        let alike = |kernel: &&Kernel, count: usize| match &kernel.template {
            Template::Instance { arguments } => texts(&arguments_of(arguments)).iter().take(count).eq(&own),
            _ => true,
        };
        for count in [own.len(), usize::MAX] {
            let spelled: Vec<&Kernel> = all.iter().copied().filter(|kernel| alike(kernel, count)).collect();
            if all.len() > 1 && !spelled.is_empty() {
                all = spelled;
            }
        }
        all
    }
}

/// In one spelling, whatever the blanks were.
impl fmt::Display for NameExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.namespace {
            write!(f, "{}::", crate::model::namespace(part))?;
        }
        f.write_str(&self.name)?;
        let Some(arguments) = &self.arguments else { return Ok(()) };
        for (index, argument) in arguments.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "<" } else { ", " }, argument.text)?;
        }
        f.write_str(if arguments.is_empty() { "<>" } else { ">" })
    }
}

impl Argument {
    fn read(tokens: &[Token]) -> Self {
        Self { text: spelled(tokens), meaning: meaning(tokens) }
    }

    fn is(&self, other: &Self, levels: usize) -> bool {
        match (&self.meaning, &other.meaning) {
            (Meaning::Value(own), Meaning::Value(other)) => own == other,
            (Meaning::Type(own), Meaning::Type(other)) => is_type(own, other, levels),
            _ => function(&self.text) == function(&other.text),
        }
    }
}

/// The name of a function that is an argument: demangled, it has an `&` and its parameters.
fn function(text: &str) -> &str {
    let text = text.trim_start_matches('&');
    text.split_once('(').map_or(text, |(name, _)| name)
}

/// What an argument means without a source around it.
fn meaning(tokens: &[Token]) -> Meaning {
    let mut unit = Unit::new(Vec::new(), Vec::new());
    if let Ok(number) = evaluate(tokens, &mut unit) {
        return Meaning::Value(number.value);
    }
    let mut c = Cursor::new(tokens);
    if let Ok(declared) = unit.declared(&mut c)
        && c.at_end()
        && declared.name.is_none()
    {
        return Meaning::Type(declared.ty);
    }
    // `(Mode)1`: an enumerator, demangled.
    if tokens.first().is_some_and(|token| token.is("(")) {
        let rest = &tokens[(group_end(tokens, 0) + 1).min(tokens.len())..];
        if let Ok(number) = evaluate(rest, &mut unit) {
            return Meaning::Value(number.value);
        }
    }
    Meaning::Name
}

fn is_type(own: &Type, other: &Type, levels: usize) -> bool {
    use TypeKind as K;
    if (own.is_const, own.is_volatile) != (other.is_const, other.is_volatile) {
        return false;
    }
    match (&own.kind, &other.kind) {
        (K::Pointer(own), K::Pointer(other)) | (K::Reference(own), K::Reference(other)) => {
            is_type(own, other, levels)
        }
        (K::Array { element: own, length: m }, K::Array { element: other, length: n }) => {
            m == n && is_type(own, other, levels)
        }
        (K::Record(_) | K::Enum(_) | K::Named(_), K::Record(_) | K::Enum(_) | K::Named(_)) => {
            let plain = |ty: &Type| ty.unqualified().to_string();
            is_name(&plain(own), &plain(other), levels)
        }
        _ => own == other,
    }
}

/// Whether two names of types are one: their arguments are compared by what they are.
fn is_name(own: &str, other: &str, levels: usize) -> bool {
    if own == other {
        return true;
    }
    let Some(levels) = levels.checked_sub(1) else { return false };
    let (Ok(own), Ok(other)) = (NameExpression::parse(own), NameExpression::parse(other)) else {
        return false;
    };
    let arguments = match (&own.arguments, &other.arguments) {
        (Some(own), Some(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.is(other, levels))
        }
        (own, other) => own.is_none() && other.is_none(),
    };
    own.name == other.name && own.namespace == other.namespace && arguments
}

/// The arguments between the angle brackets of a kernel that was read.
fn arguments_of(text: &str) -> Vec<Argument> {
    if text.len() > LONGEST {
        return vec![Argument { text: text.to_owned(), meaning: Meaning::Name }];
    }
    let tokens = halved(lex(text, 0).tokens);
    split_commas(&tokens).into_iter().map(Argument::read).collect()
}

/// Whether two arguments are one type that needs no source to be known.
pub(super) fn is_one(left: &[Token], right: &[Token]) -> bool {
    matches!((meaning(left), meaning(right)), (Meaning::Type(left), Meaning::Type(right)) if is_type(&left, &right, DEEPEST))
}

/// Tokens with each `>>` as two halves.
pub(super) fn halved(tokens: Vec<Token>) -> Vec<Token> {
    let mut halved = Vec::with_capacity(tokens.len());
    for token in tokens {
        push_halved(&mut halved, token);
    }
    halved
}

/// Tokens in one spelling: blanks between words and after commas.
pub(super) fn spelled(tokens: &[Token]) -> String {
    let is_word = |token: &Token| matches!(token.kind, Kind::Identifier | Kind::Number);
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && (is_word(token) && is_word(&tokens[i - 1]) || tokens[i - 1].is(",")) {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}
