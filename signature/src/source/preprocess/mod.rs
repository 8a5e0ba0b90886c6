//! The preprocessor: a text and what it includes in, expanded tokens out.

mod condition;
mod directive;
mod expand;
mod hidden;
mod macros;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::lexer::{Comment, lex};
use super::token::{Kind, Place, Token, push_halved};
use super::{Limits, Loader};
use crate::{Diagnostic, HiddenKernel, Position, Problem, Result};
use macros::Macro;

/// Most tokens looked at for each that may be kept: conditions pass over many.
const WORK_A_TOKEN: usize = 8;

/// One macro call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: Rc<str>,
    pub(super) place: Place,
    pub(super) definition: Place,
    /// The call whose result it stands in, as an index from 1; 0 for none.
    pub(super) parent: u32,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: std::sync::Arc<str>,
    pub(super) comments: Rc<[Comment]>,
    tokens: Rc<[Token]>,
    once: bool,
}

/// A file that is being read, and how far.
#[derive(Debug)]
struct Open {
    file: u32,
    tokens: Rc<[Token]>,
    at: usize,
    conditions: Vec<Condition>,
}

/// One `#if` that has not ended.
#[derive(Debug, Clone, Copy)]
struct Condition {
    place: Place,
    /// Where the group begins: there, or at an `#elif` or `#else`.
    branch: Place,
    group: Group,
    else_seen: bool,
}

/// What becomes of a group of lines of an `#if`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// It is read.
    Read,
    /// It is not, but one of the next may be.
    Waiting,
    /// Neither it nor any other: one was read, or the whole `#if` stands in what is not read.
    Done,
}

/// Tokens that are read before the file goes on: a macro's expansion.
#[derive(Debug)]
struct Frame {
    tokens: Vec<Token>,
    at: usize,
    /// The macro that is not expanded again while this lasts.
    of: Option<Rc<str>>,
}

/// The state of preprocessing.
pub(super) struct Preprocessor<'l> {
    loader: &'l mut dyn Loader,
    limits: Limits,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    disabled: HashMap<Rc<str>, usize>,
    pub(super) files: Vec<File>,
    by_path: HashMap<String, u32>,
    open: Vec<Open>,
    frames: Vec<Frame>,
    pub(super) calls: Vec<Call>,
    work: usize,
    kept: usize,
    depth: usize,
    /// The macro call whose arguments are being expanded.
    enclosing: u32,
    counter: u32,
    in_condition: bool,
    missing: HashSet<String>,
    pub(super) notes: Vec<Diagnostic>,
    pub(super) hidden: Vec<HiddenKernel>,
}

impl<'l> Preprocessor<'l> {
    pub(super) fn new(loader: &'l mut dyn Loader, limits: Limits) -> Self {
        Self {
            loader,
            limits,
            macros: HashMap::new(),
            disabled: HashMap::new(),
            files: Vec::new(),
            by_path: HashMap::new(),
            open: Vec::new(),
            frames: Vec::new(),
            calls: Vec::new(),
            work: 0,
            kept: 0,
            depth: 0,
            enclosing: 0,
            counter: 0,
            in_condition: false,
            missing: HashSet::new(),
            notes: Vec::new(),
            hidden: Vec::new(),
        }
    }

    pub(super) fn position(&self, place: Place) -> Position {
        let file = self.files.get(place.file as usize).map_or_else(|| "".into(), |f| f.path.clone());
        Position { file, line: place.line, column: place.column }
    }

    fn error(&self, problem: Problem, place: Place) -> Diagnostic {
        Diagnostic::at(problem, self.position(place))
    }

    fn note(&mut self, problem: Problem, place: Place) {
        let note = self.error(problem, place);
        self.notes.push(note);
    }

    /// Counts tokens looked at, so that nothing goes on without end.
    fn work(&mut self, amount: usize) -> Result<()> {
        self.work = self.work.saturating_add(amount);
        self.within(self.work / WORK_A_TOKEN)
    }

    /// Counts tokens kept, so that memory stays bounded.
    fn keep(&mut self, amount: usize) -> Result<()> {
        self.kept = self.kept.saturating_add(amount);
        self.within(self.kept)
    }

    fn within(&self, tokens: usize) -> Result<()> {
        let limit = self.limits.tokens;
        if tokens <= limit {
            return Ok(());
        }
        let problem = Problem::LimitExceeded { what: "the tokens after macro expansion", limit };
        let place = self.open.last().and_then(|o| o.tokens.get(o.at.saturating_sub(1))).map(|t| t.place);
        Err(self.error(problem, place.unwrap_or_default()))
    }

    fn enter(&mut self, path: &str, text: &str) -> Result<u32> {
        let index = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let lexed = lex(text, index);
        self.keep(lexed.tokens.len())?;
        self.files.push(File {
            path: path.into(),
            comments: lexed.comments.into(),
            tokens: lexed.tokens.into(),
            once: false,
        });
        self.by_path.insert(path.to_owned(), index);
        if let Some((problem, place)) = lexed.unterminated {
            return Err(self.error(problem, place));
        }
        self.push_file(index);
        Ok(index)
    }

    fn push_file(&mut self, file: u32) {
        let tokens = self.files[file as usize].tokens.clone();
        self.open.push(Open { file, tokens, at: 0, conditions: Vec::new() });
    }

    /// Reads definitions, as if they stood at the top of the file.
    pub(super) fn define_text(&mut self, name: &str, text: &str) -> Result<()> {
        self.enter(name, text)?;
        while self.expanded()?.is_some() {}
        Ok(())
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.macros.remove(name);
    }

    /// Preprocesses a text to its end.
    pub(super) fn run(&mut self, path: &str, text: &str) -> Result<Vec<Token>> {
        self.enter(path, text)?;
        let mut out = Vec::new();
        loop {
            self.take_plain(&mut out)?;
            let Some(token) = self.expanded()? else { break };
            self.keep(1)?;
            if token.kind != Kind::Placemarker {
                push_halved(&mut out, Token { blocked: false, ..token });
            }
        }
        Ok(out)
    }

    /// Takes the tokens of the file up to the next that is more than itself. Most are not: with this they do not go
    /// through the whole machinery one by one.
    fn take_plain(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if !self.frames.is_empty() || open.conditions.last().is_some_and(|c| c.group != Group::Read) {
            return Ok(());
        }
        let from = open.at;
        while open.at < open.tokens.len() {
            let token = &open.tokens[open.at];
            let is_plain = match token.kind {
                Kind::Number | Kind::Text | Kind::Character => true,
                Kind::Punctuation => !matches!(&*token.text, "#" | ">>"),
                Kind::Identifier => !token.text.starts_with('_') && !self.macros.contains_key(&token.text),
                Kind::Placemarker | Kind::PragmaPack => false,
            };
            if !is_plain {
                break;
            }
            out.push(token.clone());
            open.at += 1;
        }
        let count = open.at - from;
        self.work(2 * count)?;
        self.keep(count)
    }

    /// The next token before expansion: of a macro's result, or of the file.
    fn pull(&mut self) -> Result<Option<Token>> {
        self.work(1)?;
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                return Ok(Some(token.clone()));
            }
            let of = frame.of.take();
            self.frames.pop();
            self.enable(of);
            if self.depth > 0 && self.frames.is_empty() {
                return Ok(None);
            }
        }
        if self.depth > 0 { Ok(None) } else { self.file_token() }
    }

    fn enable(&mut self, name: Option<Rc<str>>) {
        if let Some(name) = name
            && let Some(count) = self.disabled.get_mut(&name)
        {
            *count = count.saturating_sub(1);
        }
    }

    /// The next token of the files, directives obeyed on the way.
    fn file_token(&mut self) -> Result<Option<Token>> {
        loop {
            let Some(open) = self.open.last_mut() else { return Ok(None) };
            let Some(token) = open.tokens.get(open.at).cloned() else {
                self.leave()?;
                continue;
            };
            self.work(1)?;
            if token.fresh && token.is("#") {
                if let Some(pragma) = self.directive()? {
                    return Ok(Some(pragma));
                }
                continue;
            }
            let Some(open) = self.open.last_mut() else { return Ok(None) };
            open.at += 1;
            if open.conditions.last().is_none_or(|c| c.group == Group::Read) {
                return Ok(Some(token));
            }
            if token.is("__global__") {
                self.note_hidden();
            }
        }
    }

    /// Leaves the file that has ended.
    fn leave(&mut self) -> Result<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        match open.conditions.last() {
            None => Ok(()),
            Some(condition) => {
                let reason = "no `#endif` ends it".to_owned();
                Err(self.error(Problem::Directive { directive: "if".into(), reason }, condition.place))
            }
        }
    }
}
