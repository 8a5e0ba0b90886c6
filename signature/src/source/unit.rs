//! One translation unit while it is read.

use std::collections::HashMap;
use std::rc::Rc;

use super::instance::KernelTemplate;
use super::preprocess::{Call, File};
use super::scope::{GLOBAL, Scope, ScopeId};
use super::token::{Cursor, Place, Token};
use crate::{Diagnostic, Expansion, Kernel, Origin, Position, Problem, Type};

/// Deepest nesting of types, expressions, templates and calls, all together.
const DEEPEST: usize = 128;
/// Most template instances and function calls of one file.
const MOST_STEPS: usize = 100_000;

/// What is known so far.
pub(super) struct Unit {
    pub(super) files: Vec<File>,
    calls: Vec<Call>,
    pub(super) scopes: Vec<Scope>,
    pub(super) current: ScopeId,
    /// The scopes of classes and enumerations, by the address of what is in `kept`.
    pub(super) members: HashMap<usize, ScopeId>,
    /// Every class and enumeration, so that no address is used twice.
    pub(super) kept: Vec<Type>,
    /// The limit on alignment that `#pragma pack` sets, and those it has pushed.
    pub(super) pack: Option<u64>,
    pub(super) packs: Vec<Option<u64>>,
    pub(super) levels_left: usize,
    steps_left: usize,
    /// Whether the declarations here have C linkage.
    pub(super) is_c: bool,
    pub(super) kernels: Vec<Kernel>,
    /// The kernels of each name, by their places in `kernels`.
    pub(super) places_of_kernels: HashMap<String, Vec<usize>>,
    pub(super) templates: Vec<Rc<KernelTemplate>>,
    pub(super) specializations: Vec<Rc<KernelTemplate>>,
    pub(super) notes: Vec<Diagnostic>,
}

impl Unit {
    pub(super) fn new(files: Vec<File>, calls: Vec<Call>) -> Self {
        Self {
            files,
            calls,
            scopes: vec![Scope::default()],
            current: GLOBAL,
            members: HashMap::new(),
            kept: Vec::new(),
            pack: None,
            packs: Vec::new(),
            levels_left: DEEPEST,
            steps_left: MOST_STEPS,
            is_c: false,
            kernels: Vec::new(),
            places_of_kernels: HashMap::new(),
            templates: Vec::new(),
            specializations: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Reads all declarations.
    pub(super) fn read(&mut self, tokens: &[Token]) {
        let mut cursor = Cursor::new(tokens);
        while !cursor.at_end() {
            self.declarations(&mut cursor);
            // A brace that closes nothing ends the list early.
            cursor.bump();
        }
    }

    /// Counts one template instance or call.
    pub(super) fn step(&mut self) -> Result<(), String> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or("it takes too many steps")?;
        Ok(())
    }

    /// Runs something one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let left = self.levels_left;
        self.levels_left = left.checked_sub(1).ok_or("it is nested too deeply")?;
        let result = run(self);
        self.levels_left = left;
        result
    }

    pub(super) fn position(&self, place: Place) -> Position {
        let file = self.files.get(place.file as usize).map_or_else(|| "".into(), |f| f.path.clone());
        Position { file, line: place.line, column: place.column }
    }

    pub(super) fn note(&mut self, problem: Problem, at: &Token) {
        let note = self.diagnostic(problem, at);
        self.notes.push(note);
    }

    pub(super) fn diagnostic(&self, problem: Problem, at: &Token) -> Diagnostic {
        Diagnostic::at(problem, self.position(self.outermost(at).map_or(at.place, |call| call.place)))
    }

    /// The macro call in the file that a token comes from.
    fn outermost(&self, token: &Token) -> Option<&Call> {
        let mut found = None;
        let mut at = token.expansion;
        while let Some(call) = (at as usize).checked_sub(1).and_then(|i| self.calls.get(i)) {
            found = Some(call);
            at = call.parent;
        }
        found
    }

    /// Where a reader of the file finds a token.
    pub(super) fn visible_place(&self, token: &Token) -> Place {
        self.outermost(token).map_or(token.place, |call| call.place)
    }

    pub(super) fn origin(&self, token: &Token) -> Origin {
        let spelled = self.position(token.place);
        match self.outermost(token) {
            None => Origin { position: spelled, expansion: None },
            Some(call) => Origin {
                position: self.position(call.place),
                expansion: Some(Expansion {
                    macro_name: call.name.to_string(),
                    call: self.position(call.place),
                    definition: self.position(call.definition),
                    spelled,
                }),
            },
        }
    }
}
