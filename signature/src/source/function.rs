//! `constexpr` functions, as far as they are simple: conditions, constants, returns.

use std::rc::Rc;

use super::expression::{Part, evaluate};
use super::number::{Number, int};
use super::scope::{Entity, ScopeId};
use super::template::{Header, default_at};
use super::token::{Cursor, Token, split_commas};
use super::unit::Unit;

/// A function that can be evaluated.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) scope: ScopeId,
    pub(super) header: Option<Rc<Header>>,
    pub(super) parameters: Vec<Vec<Token>>,
    /// The declaration of what it returns.
    pub(super) result: Vec<Token>,
    /// The body without its braces; `None` for a function that is only declared or is not `constexpr`.
    pub(super) body: Option<Vec<Token>>,
}

impl Unit {
    /// Declares a function from its head and body.
    pub(super) fn function(
        &mut self,
        name: &Rc<str>,
        parameters: &[Token],
        result: &[Token],
        body: Option<&[Token]>,
        template: Option<(Rc<Header>, ScopeId)>,
    ) {
        let (header, scope) = match template {
            Some((header, scope)) => (Some(header), scope),
            None => (None, self.current),
        };
        let function = Rc::new(Function {
            scope,
            header,
            parameters: split_commas(parameters).into_iter().map(<[Token]>::to_vec).collect(),
            result: result.to_vec(),
            body: body.map(<[Token]>::to_vec),
        });
        let current = self.current;
        let names = &mut self.scopes[current].names;
        match names.get_mut(name) {
            // A later definition comes before an earlier declaration.
            Some(Entity::Functions(known)) => known.insert(0, function),
            // A class of the same name is hidden by a function, but only its type matters here.
            Some(Entity::Type(_) | Entity::ClassTemplate(_)) => {}
            _ => drop(names.insert(name.clone(), Entity::Functions(vec![function]))),
        }
    }

    /// Calls the first function that takes so many arguments; without `live`, for the type of the result alone.
    pub(super) fn call_function(
        &mut self,
        functions: &[Rc<Function>],
        part: &Part,
        arguments: &[Number],
        live: bool,
    ) -> Result<Number, String> {
        let name = &part.name;
        let fits = |f: &&Rc<Function>| {
            let needed = f.parameters.iter().filter(|p| default_at(p).is_none()).count();
            f.body.is_some() && (needed..=f.parameters.len()).contains(&arguments.len())
        };
        let Some(function) = functions.iter().find(fits) else {
            return Err(format!("`{name}` is no constexpr function of {} arguments", arguments.len()));
        };
        self.deeper(|unit| unit.call_one(function, part, arguments, live))
    }

    fn call_one(
        &mut self,
        function: &Function,
        part: &Part,
        arguments: &[Number],
        live: bool,
    ) -> Result<Number, String> {
        self.step()?;
        let scope = match &function.header {
            None => self.new_scope(function.scope, None),
            Some(header) => {
                let given = part.arguments.clone().unwrap_or_default();
                let given = deduce(header, function, given, arguments);
                self.bind(header, function.scope, &given)?.0
            }
        };
        self.inside(scope, |unit| {
            if !live {
                return unit.taken(int(1), &function.result);
            }
            for (i, parameter) in function.parameters.iter().enumerate() {
                let equals = default_at(parameter);
                let declared =
                    unit.declared(&mut Cursor::new(&parameter[..equals.unwrap_or(parameter.len())]))?;
                let value = match (arguments.get(i), equals) {
                    (Some(value), _) => *value,
                    (None, Some(equals)) => evaluate(&parameter[equals + 1..], unit)?,
                    (None, None) => return Err("an argument is missing".to_owned()),
                };
                let value = unit.in_type(value, &declared.ty)?;
                if let Some(name) = declared.name {
                    unit.declare(&name.text, Entity::Value(Ok(value)));
                }
            }
            let body = function.body.as_deref().unwrap_or_default();
            let value = unit.statements(&mut Cursor::new(body))?;
            unit.taken(value.ok_or("the function returns nothing")?, &function.result)
        })
    }

    /// Runs statements to the first `return`.
    fn statements(&mut self, c: &mut Cursor<'_>) -> Result<Option<Number>, String> {
        while !c.at_end() {
            if let Some(value) = self.statement(c, true)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn statement(&mut self, c: &mut Cursor<'_>, live: bool) -> Result<Option<Number>, String> {
        self.deeper(|unit| unit.statement_inner(c, live))
    }

    fn statement_inner(&mut self, c: &mut Cursor<'_>, live: bool) -> Result<Option<Number>, String> {
        if c.eat(";") {
            return Ok(None);
        }
        if c.is("{") {
            let inside = c.group();
            return if live { self.statements(&mut Cursor::new(inside)) } else { Ok(None) };
        }
        if c.eat("if") {
            c.eat("constexpr");
            if !c.is("(") {
                return Err("a condition is missing".into());
            }
            let condition = c.group();
            let holds = live && evaluate(condition, self)?.is_true();
            let first = self.statement(c, holds)?;
            let second = if c.eat("else") { self.statement(c, live && !holds)? } else { None };
            return Ok(first.or(second));
        }
        let word = c.peek().map(|t| t.text.clone()).unwrap_or_default();
        if matches!(&*word, "for" | "while" | "do" | "switch" | "goto" | "try" | "asm") {
            return Err(format!("`{word}` is not evaluated"));
        }
        let start = c.at;
        while !c.at_end() && !c.is(";") {
            c.skip();
        }
        let statement = &c.tokens[start..c.at];
        c.eat(";");
        if !live || matches!(&*word, "static_assert" | "using" | "typedef") {
            return Ok(None);
        }
        if &*word == "return" {
            return evaluate(&statement[1..], self).map(Some);
        }
        let mut inner = Cursor::new(statement);
        let declared = self.declared(&mut inner).map_err(|_| "a statement is not evaluated".to_owned())?;
        let initializer = super::ahead::initializer(&mut inner);
        match (declared.name, inner.at_end()) {
            (Some(name), true) => {
                let value = self.constant(initializer, &declared.ty)?;
                self.declare(&name.text, Entity::Value(Ok(value)));
                Ok(None)
            }
            _ => Err("a statement is not evaluated".into()),
        }
    }
}

/// The template arguments, those left out taken from parameters written as the bare name.
fn deduce(
    header: &Header,
    function: &Function,
    mut given: Vec<Vec<Token>>,
    arguments: &[Number],
) -> Vec<Vec<Token>> {
    for parameter in header.parameters.iter().skip(given.len()) {
        let Some(name) = &parameter.name else { break };
        let written = function.parameters.iter().position(|p| {
            let words: Vec<&Token> =
                p.iter().filter(|t| !t.is("const") && !t.is("&") && !t.is("&&")).collect();
            words.first().is_some_and(|t| t.text == *name) && words.len() <= 2
        });
        let found = written.and_then(|i| Some((function.parameters[i].first()?, arguments.get(i)?)));
        let Some((token, number)) = found else { break };
        let words = number.ty.name().split(' ');
        given.push(words.map(|word| Token { text: word.into(), ..token.clone() }).collect());
    }
    given
}
