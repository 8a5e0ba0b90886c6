//! The parts of PTX that matter here: module directives, and the heads of entries.

use std::sync::Arc;

use super::lexer::{Lexer, Token};
use crate::demangle::{Budget, add_types, kernel_within};
use crate::{Class, Constant, Diagnostic, Kernel, Module, Origin, Parameter, Position, Problem, Result};

/// More than any kernel has: parameters take at most 32,764 bytes, and each at least one.
const MOST_PARAMETERS: usize = 32_768;

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    next: Option<Token<'a>>,
    file: Arc<str>,
    pointer_size: u64,
    budget: Budget,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, file: &str) -> Self {
        let mut lexer = Lexer::new(text);
        let next = lexer.next();
        Self { lexer, next, file: file.into(), pointer_size: 8, budget: Budget::of(text.len()) }
    }

    fn peek(&self) -> &'a str {
        self.next.map_or("", |t| t.text)
    }

    fn bump(&mut self) -> Option<Token<'a>> {
        let token = self.next.take();
        self.next = self.lexer.next();
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.next.is_some_and(|t| t.text == text);
        if found {
            self.bump();
        }
        found
    }

    fn position(&self) -> Position {
        let (line, column) = self.next.map_or((1, 1), |t| (t.line, t.column));
        Position { file: self.file.clone(), line, column }
    }

    fn wrong(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            "" => "the end of the text".to_owned(),
            text => format!("`{}`", text.chars().take(60).collect::<String>()),
        };
        let reason = format!("expected {expected}, found {found}");
        Diagnostic::at(Problem::Malformed { what: "the PTX", reason }, self.position())
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { Err(self.wrong(&format!("`{text}`"))) }
    }

    fn number(&mut self) -> Result<u64> {
        let text = self.peek().trim_end_matches('U');
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => text.parse(),
        };
        let value = value.map_err(|_| self.wrong("a number"))?;
        self.bump();
        Ok(value)
    }

    fn alignment(&mut self) -> Result<u64> {
        let at = self.position();
        let value = self.number()?;
        if value.is_power_of_two() {
            return Ok(value);
        }
        let reason = format!("the alignment {value} is not a power of two");
        Err(Diagnostic::at(Problem::Malformed { what: "the PTX", reason }, at))
    }

    pub(super) fn module(mut self) -> Result<Module> {
        let mut module = Module::default();
        self.expect(".version")?;
        let version = self.peek();
        let parts = version.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        module.ptx_version = Some(parts.ok_or_else(|| self.wrong("a version such as 8.5"))?);
        self.bump();
        let mut is_visible = false;
        // Where a statement begins that has not ended.
        let mut open = None;
        while self.next.is_some() {
            match self.peek() {
                ".visible" | ".weak" | ".extern" | ".common" | ".func" | ".global" | ".const" | ".shared"
                | ".alias" => open = open.or(Some(self.position())),
                "{" | ";" | ".entry" => open = None,
                _ => {}
            }
            match self.peek() {
                ".target" => {
                    self.bump();
                    module.target = Some(self.peek().to_owned());
                }
                ".address_size" => {
                    self.bump();
                    let at = self.wrong("32 or 64");
                    self.pointer_size = match self.number()? {
                        32 => 4,
                        64 => 8,
                        _ => return Err(at),
                    };
                }
                ".visible" | ".weak" => {
                    is_visible = true;
                    self.bump();
                }
                ".entry" => {
                    let mut kernel = self.entry()?;
                    kernel.is_static |= !std::mem::take(&mut is_visible);
                    module.kernels.push(kernel);
                }
                "{" => {
                    is_visible = false;
                    self.skip_block()?;
                }
                ";" => {
                    is_visible = false;
                    self.bump();
                }
                _ => {
                    self.bump();
                }
            }
        }
        match open {
            Some(position) => Err(cut("a statement has no end", position)),
            None => Ok(module),
        }
    }

    /// Passes over `{ … }`.
    fn skip_block(&mut self) -> Result<()> {
        let start = self.position();
        let mut depth = 0_usize;
        while let Some(token) = self.bump() {
            match token.text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(cut("a `{` is not closed", start))
    }

    fn entry(&mut self) -> Result<Kernel> {
        let position = self.position();
        self.expect(".entry")?;
        let symbol = self.name("the name of the entry")?;
        let (mut kernel, types) = kernel_within(symbol, &mut self.budget);
        kernel.origin = Some(Origin { position, expansion: None });
        if self.eat("(") && !self.eat(")") {
            loop {
                if kernel.parameters.len() == MOST_PARAMETERS {
                    let limit = MOST_PARAMETERS;
                    return Err(Problem::LimitExceeded { what: "the parameters of one kernel", limit }.into());
                }
                let parameter = self.parameter(symbol, kernel.parameters.len())?;
                kernel.parameters.push(parameter);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if let Some(types) = types {
            add_types(&mut kernel, types);
        }
        self.directives(&mut kernel)?;
        Ok(kernel)
    }

    fn name(&mut self, what: &str) -> Result<&'a str> {
        let text = self.peek();
        let first = text.bytes().next().unwrap_or(b' ');
        if !(first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'%') || first >= 0x80) {
            return Err(self.wrong(what));
        }
        self.bump();
        Ok(text)
    }

    /// `.param .align 16 .b8 name[16]`, `.param .u64 .ptr .global .align 16 name`, `.param .f32 name`.
    fn parameter(&mut self, symbol: &str, index: usize) -> Result<Parameter> {
        let position = self.position();
        self.expect(".param")?;
        let mut parameter = Parameter::unknown();
        parameter.origin = Some(Origin { position, expansion: None });
        let mut alignment = None;
        let mut element = None;
        let (mut is_pointer, mut is_window) = (false, false);
        loop {
            match self.peek() {
                ".align" => {
                    self.bump();
                    let value = self.alignment()?;
                    // After `.ptr` it is the alignment of what is pointed at.
                    if !is_pointer {
                        alignment = Some(value);
                    }
                }
                ".ptr" => {
                    is_pointer = true;
                    self.bump();
                }
                ".global" | ".generic" if is_pointer => {
                    self.bump();
                }
                // An offset in a window of its own, and no address of device memory.
                ".const" | ".local" | ".shared" if is_pointer => {
                    is_window = true;
                    self.bump();
                }
                directive if directive.starts_with('.') && element.is_none() => {
                    element =
                        Some(element_type(directive, self.pointer_size).ok_or_else(|| self.wrong("a type"))?);
                    self.bump();
                }
                _ => break,
            }
        }
        let (size, class) = element.ok_or_else(|| self.wrong("a type"))?;
        let name = self.name("the name of the parameter")?;
        let is_array = self.eat("[");
        let mut bytes = size;
        if is_array {
            let at = self.position();
            let length = self.number()?;
            let reason = format!("{length} elements do not fit into memory");
            bytes = size
                .checked_mul(length)
                .ok_or_else(|| Diagnostic::at(Problem::Malformed { what: "the PTX", reason }, at))?;
            self.expect("]")?;
        }
        parameter.size = Some(bytes);
        parameter.alignment = Some(alignment.unwrap_or(size));
        parameter.class = match (is_array, is_pointer && !is_window) {
            (true, _) => Class::Bytes,
            (false, true) => Class::Pointer,
            (false, false) => class,
        };
        // The compiler's own names say nothing.
        let made_up = name.strip_prefix(symbol).and_then(|n| n.strip_prefix("_param_"));
        if made_up.is_none_or(|n| n.parse() != Ok(index)) {
            parameter.name = Some(name.to_owned());
        }
        Ok(parameter)
    }

    /// The directives between the parameters and the body.
    fn directives(&mut self, kernel: &mut Kernel) -> Result<()> {
        loop {
            let directive = self.peek();
            match directive {
                "{" => {
                    return self.skip_block();
                }
                ";" => {
                    kernel.is_defined = false;
                    self.bump();
                    return Ok(());
                }
                "" => return Err(self.wrong("the body of the entry")),
                ".entry" | ".func" | ".visible" | "}" => return Err(self.wrong("`{` or a directive")),
                _ => {
                    self.bump();
                }
            }
            let bounds = &mut kernel.bounds;
            match directive {
                ".maxntid" => {
                    let product = self.three()?.iter().try_fold(1_u64, |a, b| a.checked_mul(*b));
                    let threads = product.ok_or_else(|| self.wrong("a block that can be"))?;
                    bounds.max_threads_per_block = Some(Constant::Known(threads));
                }
                ".reqntid" => bounds.required_block = Some(self.three()?.map(Constant::Known)),
                ".reqnctapercluster" => bounds.cluster_dimensions = Some(self.three()?.map(Constant::Known)),
                ".minnctapersm" => {
                    bounds.min_blocks_per_multiprocessor = Some(Constant::Known(self.number()?));
                }
                ".maxclusterrank" => bounds.max_blocks_per_cluster = Some(Constant::Known(self.number()?)),
                ".maxnreg" => bounds.max_registers = Some(Constant::Known(self.number()?)),
                _ => {}
            }
        }
    }

    /// One to three numbers; those left out are 1.
    fn three(&mut self) -> Result<[u64; 3]> {
        let mut values = [self.number()?, 1, 1];
        for value in &mut values[1..] {
            if !self.eat(",") {
                break;
            }
            *value = self.number()?;
        }
        Ok(values)
    }
}

/// A text that ends too early.
fn cut(what: &str, position: Position) -> Diagnostic {
    let reason = format!("{what}, as if the file were cut off");
    Diagnostic::at(Problem::Malformed { what: "the PTX", reason }, position)
}

/// Size and class of a PTX type.
fn element_type(directive: &str, pointer_size: u64) -> Option<(u64, Class)> {
    let float = |size| Some((size, Class::Float));
    match directive {
        ".f32" => return float(4),
        ".f64" => return float(8),
        // Two halves in one register are no number.
        ".f16x2" | ".bf16x2" => return Some((4, Class::Bytes)),
        ".f16" | ".bf16" => return float(2),
        ".pred" => return Some((1, Class::Integer)),
        ".texref" | ".samplerref" | ".surfref" => return Some((pointer_size, Class::Unknown)),
        _ => {}
    }
    let bits = directive.strip_prefix(".u").or_else(|| directive.strip_prefix(".s"));
    let bits = bits.or_else(|| directive.strip_prefix(".b"))?;
    match bits {
        "8" => Some((1, Class::Integer)),
        "16" => Some((2, Class::Integer)),
        "32" => Some((4, Class::Integer)),
        "64" => Some((8, Class::Integer)),
        "128" => Some((16, Class::Bytes)),
        _ => None,
    }
}
