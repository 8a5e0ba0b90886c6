//! Where something is written.

use std::fmt;
use std::sync::Arc;

/// A place in a file. Lines and columns count from 1; a column counts bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file as the caller named it, or as the loader resolved it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The macro that produced something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expansion {
    /// The outermost macro's name: the one that stands in the file.
    pub macro_name: String,
    /// Where the outermost macro is called.
    pub call: Position,
    /// Where the outermost macro is defined.
    pub definition: Position,
    /// Where the token itself is spelled: in a macro's body or in an argument.
    pub spelled: Position,
}

/// Where a kernel or a parameter comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Where a reader of the file finds it: the macro's call where a macro produced it.
    pub position: Position,
    /// The macro that produced it, if one did.
    pub expansion: Option<Expansion>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.position)?;
        if let Some(e) = &self.expansion {
            write!(f, ", from the macro `{}` defined at {}", e.macro_name, e.definition)?;
        }
        Ok(())
    }
}
