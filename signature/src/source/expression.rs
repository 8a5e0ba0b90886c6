//! Constant expressions, of `#if` and of declarations alike.
//!
//! An expression is evaluated while it is read. A part that C++ does not evaluate, such as the other
//! arm of a conditional, is read with `live` off, and its faults do not count.

use std::rc::Rc;

use super::number::{self, Number, binary, boolean, int, literal, type_of_binary};
use super::token::{Cursor, Kind, Token, group_end, reads_as_arguments, split_expressions};
use crate::{Layout, Scalar};

/// A name with its scopes and template arguments: `a::B<int>::c`.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    /// Whether it begins with `::`.
    pub(super) is_global: bool,
    pub(super) parts: Vec<Part>,
}

/// One part of a [`Path`].
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) name: Rc<str>,
    pub(super) arguments: Option<Vec<Vec<Token>>>,
}

/// What an expression in a declaration asks of its surroundings.
pub(super) trait Names {
    /// Whether the tokens are a type.
    fn is_type(&mut self, tokens: &[Token]) -> bool;
    /// Whether the path names a template.
    fn is_template(&mut self, path: &Path) -> bool;
    /// The value of a name.
    fn value(&mut self, path: &Path) -> Result<Number, String>;
    /// The result of a call; without `live`, some value of its type.
    fn call(&mut self, path: &Path, arguments: &[Number], live: bool) -> Result<Number, String>;
    /// Size and alignment of a type.
    fn layout(&mut self, tokens: &[Token]) -> Result<Layout, String>;
    /// The integer type that the tokens name.
    fn scalar(&mut self, tokens: &[Token]) -> Result<Scalar, String>;
    /// How many levels more may be entered; counts everything that recurses.
    fn levels_left(&mut self) -> &mut usize;
}

/// Evaluates a whole expression of a declaration.
pub(super) fn evaluate(tokens: &[Token], names: &mut dyn Names) -> Result<Number, String> {
    let left = *names.levels_left();
    let surroundings = Surroundings::Declarations(&mut *names);
    let value = Evaluator { cursor: Cursor::new(tokens), surroundings }.whole(true);
    // A fault may have left from far inside.
    *names.levels_left() = left;
    value
}

/// Evaluates a condition of the preprocessor, its macros expanded.
pub(super) fn evaluate_condition(tokens: &[Token]) -> Result<bool, String> {
    let surroundings = Surroundings::Condition { levels_left: DEEPEST_CONDITION };
    Evaluator { cursor: Cursor::new(tokens), surroundings }.whole(true).map(Number::is_true)
}

/// Deepest nesting of a condition.
const DEEPEST_CONDITION: usize = 128;

/// Reads a path at the cursor; `is_template` says whether a `<` after it opens arguments.
pub(super) fn path(
    cursor: &mut Cursor<'_>,
    is_template: &mut dyn FnMut(&Path, &Cursor<'_>) -> bool,
) -> Option<Path> {
    let mut path = Path { is_global: cursor.eat("::"), parts: Vec::new() };
    loop {
        cursor.eat("template");
        let token = cursor.peek().filter(|t| t.is_identifier())?;
        cursor.bump();
        path.parts.push(Part { name: token.text.clone(), arguments: None });
        if cursor.is("<") && is_template(&path, cursor) {
            let arguments = cursor.angles()?;
            let arguments = arguments.into_iter().map(<[Token]>::to_vec).collect();
            if let Some(part) = path.parts.last_mut() {
                part.arguments = Some(arguments);
            }
        }
        let more = cursor.is("::") && cursor.peek_at(1).is_some_and(Token::is_identifier);
        if !more {
            return Some(path);
        }
        cursor.bump();
    }
}

/// Where an expression stands.
enum Surroundings<'n> {
    /// In an `#if`: there are no types, each name that is left is zero, and every integer is of 64 bits.
    Condition {
        levels_left: usize,
    },
    Declarations(&'n mut dyn Names),
}

impl Surroundings<'_> {
    fn levels_left(&mut self) -> &mut usize {
        match self {
            Self::Condition { levels_left } => levels_left,
            Self::Declarations(names) => names.levels_left(),
        }
    }

    fn is_condition(&self) -> bool {
        matches!(self, Self::Condition { .. })
    }

    fn names(&mut self) -> Result<&mut dyn Names, String> {
        match self {
            Self::Condition { .. } => Err("the preprocessor knows no names".into()),
            Self::Declarations(names) => Ok(&mut **names),
        }
    }

    /// The number as it takes part in what is around it.
    fn operand(&self, number: Number) -> Number {
        if self.is_condition() { number.widest() } else { number }
    }
}

struct Evaluator<'t, 'n> {
    cursor: Cursor<'t>,
    surroundings: Surroundings<'n>,
}

/// The strength of a binary operator.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl<'t> Evaluator<'t, '_> {
    fn enter(&mut self) -> Result<(), String> {
        let left = self.surroundings.levels_left();
        *left = left.checked_sub(1).ok_or("it is nested too deeply")?;
        Ok(())
    }

    fn leave(&mut self) {
        *self.surroundings.levels_left() += 1;
    }

    fn whole(&mut self, live: bool) -> Result<Number, String> {
        let value = self.comma(live)?;
        match self.cursor.peek() {
            None => Ok(value),
            Some(token) => Err(format!("`{}` is not expected", token.text)),
        }
    }

    fn comma(&mut self, live: bool) -> Result<Number, String> {
        let mut value = self.conditional(live)?;
        while !self.surroundings.is_condition() && self.cursor.eat(",") {
            value = self.conditional(live)?;
        }
        Ok(value)
    }

    fn conditional(&mut self, live: bool) -> Result<Number, String> {
        self.enter()?;
        let condition = self.binary(1, live)?;
        let value = if self.cursor.eat("?") {
            let first = self.comma(live && condition.is_true())?;
            if !self.cursor.eat(":") {
                return Err("a `:` is missing".into());
            }
            let second = self.conditional(live && !condition.is_true())?;
            number::choose(condition.is_true(), first, second)?
        } else {
            condition
        };
        self.leave();
        Ok(value)
    }

    /// The operator here; two halves of a `>>` count as one.
    fn operator(&self) -> Option<(&str, usize)> {
        let token = self.cursor.peek()?;
        if token.kind != Kind::Punctuation {
            return match &*token.text {
                "and" => Some(("&&", 1)),
                "or" => Some(("||", 1)),
                "bitand" => Some(("&", 1)),
                "bitor" => Some(("|", 1)),
                "xor" => Some(("^", 1)),
                "not_eq" => Some(("!=", 1)),
                _ => None,
            };
        }
        if token.is(">") && self.cursor.peek_at(1).is_some_and(|t| t.is(">") && t.blocked) {
            return Some((">>", 2));
        }
        Some((&token.text, 1))
    }

    fn binary(&mut self, weakest: u8, live: bool) -> Result<Number, String> {
        let mut left = self.unary(live)?;
        loop {
            let Some((operator, len)) = self.operator() else { return Ok(left) };
            let Some(strength) = strength(operator).filter(|s| *s >= weakest) else { return Ok(left) };
            let operator = operator.to_owned();
            self.cursor.at += len;
            let value = match &*operator {
                "&&" => {
                    let right = self.binary(strength + 1, live && left.is_true())?;
                    boolean(left.is_true() && right.is_true())
                }
                "||" => {
                    let right = self.binary(strength + 1, live && !left.is_true())?;
                    boolean(left.is_true() || right.is_true())
                }
                _ => {
                    let right = self.binary(strength + 1, live)?;
                    if live {
                        binary(&operator, left, right)?
                    } else {
                        Number { value: 0, ty: type_of_binary(&operator, left, right) }
                    }
                }
            };
            left = self.surroundings.operand(value);
        }
    }

    fn unary(&mut self, live: bool) -> Result<Number, String> {
        self.enter()?;
        let value = self.unary_inner(live)?;
        self.leave();
        Ok(self.surroundings.operand(value))
    }

    fn unary_inner(&mut self, live: bool) -> Result<Number, String> {
        let Some(token) = self.cursor.peek() else { return Err("it ends too early".into()) };
        match token.kind {
            Kind::Number | Kind::Character => {
                self.cursor.bump();
                return self.literal(token);
            }
            Kind::Identifier => return self.name(live),
            Kind::Punctuation => {}
            _ => return Err(format!("`{}` is no number", token.text)),
        }
        match &*token.text {
            "::" if !self.surroundings.is_condition() => return self.type_or_path(live),
            "(" => return self.parenthesis(live),
            "!" | "-" | "+" | "~" => {}
            other => return Err(format!("`{other}` is not expected")),
        }
        self.cursor.bump();
        let value = self.unary(live)?;
        let promoted = value.promote();
        match &*token.text {
            "!" => Ok(boolean(!value.is_true())),
            _ if !live => Ok(promoted),
            "-" => Number::checked(-promoted.value, promoted.ty),
            "~" => complement(promoted),
            _ => Ok(promoted),
        }
    }

    fn literal(&self, token: &Token) -> Result<Number, String> {
        if !self.surroundings.is_condition() {
            return literal(token, Scalar::I32);
        }
        // Compilers differ on whether these are signed there.
        if ["u'", "U'"].iter().any(|prefix| token.text.starts_with(prefix)) {
            return Err(format!("the character `{}` is not evaluated", token.text));
        }
        literal(token, Scalar::I64)
    }

    /// `(expression)` or `(type)expression`.
    fn parenthesis(&mut self, live: bool) -> Result<Number, String> {
        let inside = self.bracketed()?;
        if let Surroundings::Declarations(names) = &mut self.surroundings
            && names.is_type(inside)
        {
            let scalar = names.scalar(inside);
            return self.unary(live)?.cast(scalar?);
        }
        self.nested(inside, live)
    }

    /// A part in brackets of its own.
    fn nested(&mut self, tokens: &'t [Token], live: bool) -> Result<Number, String> {
        let around = std::mem::replace(&mut self.cursor, Cursor::new(tokens));
        let value = self.whole(live);
        self.cursor = around;
        value
    }

    fn bracketed(&mut self) -> Result<&'t [Token], String> {
        let closes = group_end(self.cursor.tokens, self.cursor.at) < self.cursor.tokens.len();
        if self.cursor.is("(") && closes {
            Ok(self.cursor.group())
        } else {
            Err("a parenthesis is missing".into())
        }
    }

    fn name(&mut self, live: bool) -> Result<Number, String> {
        let Some(token) = self.cursor.peek() else { return Err("it ends too early".into()) };
        match &*token.text {
            "true" | "false" => {
                self.cursor.bump();
                return Ok(boolean(token.is("true")));
            }
            "not" => {
                self.cursor.bump();
                return Ok(boolean(!self.unary(live)?.is_true()));
            }
            "compl" => {
                self.cursor.bump();
                return complement(self.unary(live)?.promote());
            }
            _ if self.surroundings.is_condition() => {
                self.cursor.bump();
                return if self.cursor.is("(") {
                    Err(format!("the macro `{}` is not defined", token.text))
                } else {
                    Ok(int(0))
                };
            }
            "sizeof" | "alignof" | "__alignof__" | "_Alignof" => {
                self.cursor.bump();
                let is_size = token.is("sizeof");
                let inside = self.bracketed()?;
                let value = match (live, self.surroundings.names()?.layout(inside)) {
                    (_, Ok(layout)) => {
                        if is_size {
                            layout.size
                        } else {
                            layout.alignment
                        }
                    }
                    (true, Err(reason)) => return Err(reason),
                    (false, Err(_)) => 1,
                };
                return Ok(number::size(value));
            }
            "static_cast" => {
                self.cursor.bump();
                let Some(ty) = self.cursor.angles() else { return Err("a type is missing".into()) };
                let ty = ty.first().copied().unwrap_or_default().to_vec();
                let inside = self.bracketed()?;
                let value = self.nested(inside, live)?;
                return value.cast(self.surroundings.names()?.scalar(&ty)?);
            }
            _ => {}
        }
        self.type_or_path(live)
    }

    fn type_or_path(&mut self, live: bool) -> Result<Number, String> {
        let start = self.cursor.at;
        let names = self.surroundings.names()?;
        let mut is_template = |path: &Path, cursor: &Cursor<'_>| {
            let end = super::token::angle_end(cursor.tokens, cursor.at);
            end.is_some_and(|end| {
                names.is_template(path) || reads_as_arguments(cursor.tokens, cursor.at, end)
            })
        };
        let path = path(&mut self.cursor, &mut is_template).ok_or("a name is missing")?;
        // `int(x)`, `unsigned(x)` and `T{x}` convert.
        let opens = self.cursor.is("(") || self.cursor.is("{");
        let written = &self.cursor.tokens[start..self.cursor.at];
        if opens && names.is_type(written) {
            let scalar = names.scalar(written);
            let inside = self.cursor.group();
            let value = if inside.is_empty() { int(0) } else { self.nested(inside, live)? };
            return value.cast(scalar?);
        }
        if !opens {
            let value = names.value(&path);
            // What is not evaluated has a type, which may matter.
            return if live { value } else { value.or(Ok(int(1))) };
        }
        let inside = self.cursor.group();
        let mut arguments = Vec::new();
        for argument in split_expressions(inside) {
            arguments.push(self.nested(argument, live)?);
        }
        // `T{}` of a function object called at once is not evaluated.
        let result = self.surroundings.names()?.call(&path, &arguments, live);
        if live { result } else { result.or(Ok(int(1))) }
    }
}

fn complement(promoted: Number) -> Result<Number, String> {
    Number { value: !promoted.value, ty: promoted.ty }.cast(promoted.ty)
}
