//! What can go wrong, with where and what to do.

use std::fmt;

use thiserror::Error;

use crate::Position;

/// The result of reading.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;

/// A problem and where it is. As an `Err` it ended the reading; in a list of notes it did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// Where it is, in a text.
    pub position: Option<Position>,
}

impl Diagnostic {
    /// A problem with no place in a text.
    pub fn new(problem: Problem) -> Self {
        Self { problem, position: None }
    }

    /// A problem at a place.
    pub fn at(problem: Problem, position: Position) -> Self {
        Self { problem, position: Some(position) }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        self.problem.help()
    }
}

impl fmt::Display for Diagnostic {
    /// `file:line: what is wrong; what to do`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        write!(f, "{}; {}", self.problem, self.help())
    }
}

// The text has what the problem is, so that no report of causes says it twice.
impl std::error::Error for Diagnostic {}

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Self {
        Self::new(problem)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A file could not be read.
    #[error("`{path}` cannot be read: {reason}")]
    Io {
        /// The file.
        path: String,
        /// What the loader said.
        reason: String,
    },
    /// A header included with quotes was not found.
    #[error("the header \"{path}\" is not found, so what it declares is not known")]
    MissingInclude {
        /// The path as written in the directive.
        path: String,
    },
    /// Work beyond a limit: a macro bomb, an include loop, nesting without end.
    #[error("{what} go beyond the limit of {limit}")]
    LimitExceeded {
        /// What was counted, in the plural.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A macro call has no closing parenthesis.
    #[error("the call of the macro `{name}` has no closing parenthesis")]
    UnclosedMacroCall {
        /// The macro.
        name: String,
    },
    /// A macro call has the wrong number of arguments.
    #[error("the macro `{name}` takes {expected} arguments, but is called with {found}")]
    MacroArguments {
        /// The macro.
        name: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A preprocessor directive is malformed.
    #[error("the directive `#{directive}` cannot be read: {reason}")]
    Directive {
        /// The directive's name.
        directive: String,
        /// Why.
        reason: String,
    },
    /// An `#error` was reached.
    #[error("#error {text}")]
    ErrorDirective {
        /// The text after `#error`.
        text: String,
    },
    /// An `#if` condition could not be evaluated, and was taken as false.
    #[error("the condition `{text}` cannot be evaluated ({reason}) and is taken as false")]
    Condition {
        /// The condition as written.
        text: String,
        /// Why.
        reason: String,
    },
    /// A comment, string or raw string has no end.
    #[error("{what} has no end")]
    Unterminated {
        /// What has no end.
        what: &'static str,
    },
    /// A kernel's head could not be understood.
    #[error("the kernel's head cannot be read: {reason}")]
    KernelHead {
        /// Why.
        reason: String,
    },
    /// A parameter could not be understood.
    #[error("the parameter `{text}` cannot be read: {reason}")]
    Parameter {
        /// The parameter as written.
        text: String,
        /// Why.
        reason: String,
    },
    /// A type passed by value is not visible, so its size is not known.
    #[error("the type `{name}` is not defined in the files read, so its size is not known")]
    UnknownType {
        /// The type as written.
        name: String,
    },
    /// A type passed by value is visible, but cannot be laid out.
    #[error("`{name}` cannot be laid out: {reason}")]
    UnknownLayout {
        /// The type.
        name: String,
        /// Why.
        reason: String,
    },
    /// A word in a declaration is no macro and no type that is known; it was passed over.
    #[error("`{word}` is not defined in the files read, and is taken as a macro that adds nothing")]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// A call of a macro that is not defined, where declarations stand; it was passed over.
    #[error("the macro `{name}` is not defined in the files read, so what it makes is not known")]
    UnknownMacro {
        /// The macro.
        name: String,
    },
    /// A number in a kernel's head could not be evaluated.
    #[error("`{text}` cannot be evaluated: {reason}")]
    Constant {
        /// The expression as written.
        text: String,
        /// Why.
        reason: String,
    },
    /// Two declarations of one kernel do not agree.
    #[error("`{name}` is declared again with other parameters than at {first}")]
    Redeclared {
        /// The kernel.
        name: String,
        /// Where it was declared first.
        first: Position,
    },
    /// A kernel's name makes no sense.
    #[error("`{text}` is no name of a kernel: {reason}")]
    NameExpression {
        /// The name as written.
        text: String,
        /// Why.
        reason: String,
    },
    /// A kernel of this name cannot be what is meant.
    #[error("`{name}` is not this kernel: {reason}")]
    Instance {
        /// The name that was asked for.
        name: String,
        /// Why.
        reason: String,
    },
    /// The bytes are none of the formats known.
    #[error("this is neither PTX nor a cubin nor a fatbin")]
    NotAnImage,
    /// An image ends too early.
    #[error("the image ends inside {what}: {needed} bytes are needed at offset {offset}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where in the image.
        offset: usize,
        /// How many bytes are needed there.
        needed: usize,
    },
    /// An image contradicts itself or its format.
    #[error("{what} is malformed: {reason}")]
    Malformed {
        /// What was being read.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// An image uses something this reader does not know.
    #[error("{what} is not supported: {reason}")]
    Unsupported {
        /// What was being read.
        what: &'static str,
        /// Why.
        reason: String,
    },
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check the path, relative to where the reader runs",
            Self::MissingInclude { .. } => "add its folder to the include paths, or put it beside the file",
            Self::LimitExceeded { .. } => {
                "look for a macro or an include that repeats itself, or split the file"
            }
            Self::UnclosedMacroCall { .. } => "close the parenthesis",
            Self::MacroArguments { .. } => "compare the call with the macro's definition",
            Self::Directive { .. } => "write it as the C++ standard has it",
            Self::ErrorDirective { .. } => "define what the file asks for",
            Self::Condition { .. } => "define the macros it needs",
            Self::Unterminated { .. } => "close it",
            Self::KernelHead { .. } => "write `__global__ void name(parameters)`, or read the PTX instead",
            Self::Parameter { .. } => "write `type name`, or read the PTX for its size",
            Self::UnknownType { .. } => "include its header with quotes, or read the PTX for its size",
            Self::UnknownLayout { .. } => "read the PTX for its size",
            Self::UnknownWord { .. } => "define it for the reader if it matters",
            Self::UnknownMacro { .. } => "define it for the reader, or include its header",
            Self::Constant { .. } => "read the PTX for its value",
            Self::Redeclared { .. } => "make the two alike",
            Self::NameExpression { .. } => {
                "write it as C++ does: `scale<float, 4>`, `fft::scale<float>`, `fft::plain`"
            }
            Self::Instance { .. } => "compare the name with the kernel's template",
            Self::NotAnImage => "give the output of nvcc, NVRTC or ptxas",
            Self::Truncated { .. } | Self::Malformed { .. } => "compile the image again",
            Self::Unsupported { .. } => "compile with CUDA 11 to 13, or give the PTX",
        }
    }
}
