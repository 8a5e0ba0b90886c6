//! Macro expansion: arguments, `#`, `##`, `__VA_ARGS__`, `__VA_OPT__`.

use std::rc::Rc;

use super::macros::Macro;
use super::{Call, Frame, Preprocessor};
use crate::source::lexer::lex;
use crate::source::token::{Kind, Place, Token, group_end};
use crate::{Problem, Result};

/// Longest text that `#` and `##` may make: pasting doubles with each level.
const LONGEST_TOKEN: usize = 1 << 16;

/// One argument of a macro call.
struct Argument {
    raw: Vec<Token>,
    expanded: Option<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// The next token after expansion.
    pub(super) fn expanded(&mut self) -> Result<Option<Token>> {
        while let Some(token) = self.pull()? {
            if token.kind != Kind::Identifier || token.blocked {
                return Ok(Some(token));
            }
            if self.in_condition
                && let Some(answer) = self.question(&token)?
            {
                return Ok(Some(answer));
            }
            if token.is("_Pragma") {
                self.skip_call()?;
                continue;
            }
            if let Some(value) = self.dynamic(&token) {
                return Ok(Some(value));
            }
            let Some(definition) = self.macros.get(&token.text).cloned() else { return Ok(Some(token)) };
            if self.disabled.get(&token.text).is_some_and(|n| *n > 0) {
                return Ok(Some(Token { blocked: true, ..token }));
            }
            if !self.expand(&token, &definition)? {
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    /// Expands tokens with nothing after them, one level deeper.
    pub(super) fn expand_apart(&mut self, tokens: Vec<Token>, at: Option<Place>) -> Result<Vec<Token>> {
        if self.depth >= self.limits.depth {
            let problem = Problem::LimitExceeded {
                what: "the macro calls inside each other",
                limit: self.limits.depth,
            };
            return Err(self.error(problem, at.unwrap_or_default()));
        }
        let outer = std::mem::take(&mut self.frames);
        self.depth += 1;
        self.frames.push(Frame { tokens, at: 0, of: None });
        let mut out = Vec::new();
        let mut result = Ok(());
        loop {
            match self.expanded() {
                Ok(Some(token)) => {
                    out.push(token);
                    if let Err(e) = self.keep(1) {
                        result = Err(e);
                        break;
                    }
                }
                Ok(None) => break,
                Err(e) => {
                    result = Err(e);
                    break;
                }
            }
        }
        self.depth -= 1;
        self.frames = outer;
        result.map(|()| out)
    }

    fn dynamic(&mut self, token: &Token) -> Option<Token> {
        let (kind, text) = match &*token.text {
            "__LINE__" => (Kind::Number, self.outermost(token).line.to_string()),
            "__FILE__" => (Kind::Text, format!("\"{}\"", self.position(token.place).file)),
            "__COUNTER__" => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            _ => return None,
        };
        Some(Token { kind, text: text.into(), ..token.clone() })
    }

    /// Where the outermost macro call stands that a token comes from, or the token itself.
    fn outermost(&self, token: &Token) -> Place {
        let mut place = token.place;
        let mut at = token.expansion;
        while let Some(call) = (at as usize).checked_sub(1).and_then(|i| self.calls.get(i)) {
            place = call.place;
            at = call.parent;
        }
        place
    }

    fn skip_call(&mut self) -> Result<()> {
        if let Some(open) = self.pull()?
            && open.is("(")
        {
            let mut depth = 1_usize;
            while depth > 0 {
                let Some(token) = self.pull()? else { break };
                depth += usize::from(token.is("("));
                depth -= usize::from(token.is(")"));
            }
        }
        Ok(())
    }

    /// Puts the expansion of a macro in front of what follows. False if it is function-like and no
    /// call follows.
    fn expand(&mut self, token: &Token, definition: &Rc<Macro>) -> Result<bool> {
        let mut arguments = Vec::new();
        if definition.parameters.is_some() {
            match self.pull()? {
                Some(next) if next.is("(") => arguments = self.arguments(token, definition)?,
                next => {
                    if let Some(next) = next {
                        self.frames.push(Frame { tokens: vec![next], at: 0, of: None });
                    }
                    return Ok(false);
                }
            }
        }
        let call = Call {
            name: definition.name.clone(),
            place: token.place,
            definition: definition.definition,
            parent: if token.expansion == 0 { self.enclosing } else { token.expansion },
        };
        self.calls.push(call);
        let id = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let outer = std::mem::replace(&mut self.enclosing, id);
        let mut tokens = self.substitute(definition, &definition.body, &mut arguments, token)?;
        self.enclosing = outer;
        tokens.retain(|t| t.kind != Kind::Placemarker);
        for made in &mut tokens {
            if made.expansion == 0 {
                made.expansion = id;
            }
            made.fresh = false;
        }
        if let Some(first) = tokens.first_mut() {
            (first.space, first.fresh) = (token.space, token.fresh);
        }
        self.keep(tokens.len())?;
        *self.disabled.entry(definition.name.clone()).or_default() += 1;
        self.frames.push(Frame { tokens, at: 0, of: Some(definition.name.clone()) });
        Ok(true)
    }

    /// The arguments of a call, behind its opening parenthesis.
    fn arguments(&mut self, token: &Token, definition: &Macro) -> Result<Vec<Argument>> {
        let parameters = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut arguments = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            let Some(next) = self.pull()? else {
                let name = token.text.to_string();
                return Err(self.error(Problem::UnclosedMacroCall { name }, self.outermost(token)));
            };
            if next.kind == Kind::Punctuation {
                match &*next.text {
                    "(" => depth += 1,
                    ")" if depth == 0 => break,
                    ")" => depth -= 1,
                    "," if depth == 0 && !(definition.is_variadic && arguments.len() == parameters) => {
                        arguments.push(Vec::new());
                        continue;
                    }
                    _ => {}
                }
            }
            if let Some(last) = arguments.last_mut() {
                last.push(next);
            }
        }
        if parameters == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.is_variadic && arguments.len() + 1 == parameters {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters {
            let name = token.text.to_string();
            let problem = Problem::MacroArguments { name, expected: parameters, found: arguments.len() };
            return Err(self.error(problem, self.outermost(token)));
        }
        Ok(arguments.into_iter().map(|raw| Argument { raw, expanded: None }).collect())
    }

    fn expanded_argument(&mut self, argument: &mut Argument, call: &Token) -> Result<Vec<Token>> {
        if argument.expanded.is_none() {
            argument.expanded = Some(self.expand_apart(argument.raw.clone(), Some(call.place))?);
        }
        let tokens = argument.expanded.clone().unwrap_or_default();
        self.keep(tokens.len())?;
        Ok(tokens)
    }

    /// The body with its parameters replaced, `#` and `##` done.
    fn substitute(
        &mut self,
        definition: &Macro,
        body: &[Token],
        arguments: &mut [Argument],
        call: &Token,
    ) -> Result<Vec<Token>> {
        let mut out: Vec<Token> = Vec::new();
        let mut paste = false;
        let mut i = 0;
        while i < body.len() {
            let token = &body[i];
            let last = i;
            i += 1;
            if token.is("##") && last > 0 && i < body.len() {
                paste = true;
                continue;
            }
            let mut piece;
            let parameter = definition.parameter(token);
            let beside_paste = paste || body.get(i).is_some_and(|t| t.is("##"));
            if token.is("#") && definition.parameters.is_some() {
                let Some(index) = body.get(i).and_then(|t| definition.parameter(t)) else {
                    out.push(token.clone());
                    continue;
                };
                i += 1;
                piece = vec![self.stringify(&arguments[index].raw, token)?];
            } else if token.is("__VA_OPT__")
                && definition.is_variadic
                && body.get(i).is_some_and(|t| t.is("("))
            {
                let end = group_end(body, i);
                let inside = &body[(i + 1).min(end)..end];
                i = (end + 1).min(body.len());
                let any = match arguments.last_mut() {
                    Some(rest) => !self.expanded_argument(rest, call)?.is_empty(),
                    None => false,
                };
                piece = if any { self.substitute(definition, inside, arguments, call)? } else { Vec::new() };
            } else if let Some(index) = parameter {
                let rest_of_call = definition.is_variadic && index + 1 == arguments.len();
                if paste && rest_of_call && out.last().is_some_and(|t| t.is(",")) {
                    // `, ## __VA_ARGS__` drops the comma if nothing follows.
                    paste = false;
                    if arguments[index].raw.is_empty() {
                        out.pop();
                    }
                    piece = self.expanded_argument(&mut arguments[index], call)?;
                } else if beside_paste {
                    piece = arguments[index].raw.clone();
                } else {
                    piece = self.expanded_argument(&mut arguments[index], call)?;
                }
                if let Some(first) = piece.first_mut() {
                    first.space = token.space;
                }
            } else {
                piece = vec![token.clone()];
            }
            if piece.is_empty() {
                piece.push(Token { kind: Kind::Placemarker, text: "".into(), ..token.clone() });
            }
            self.keep(piece.len())?;
            if std::mem::take(&mut paste)
                && let Some(left) = out.pop()
            {
                let right = piece.remove(0);
                let pasted = self.paste(left, right)?;
                out.extend(pasted);
            }
            out.append(&mut piece);
        }
        Ok(out)
    }

    fn too_long(&self, place: Place) -> crate::Diagnostic {
        self.error(
            Problem::LimitExceeded { what: "the characters of one token", limit: LONGEST_TOKEN },
            place,
        )
    }

    fn stringify(&mut self, tokens: &[Token], at: &Token) -> Result<Token> {
        let mut text = String::from("\"");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && (token.space || token.fresh) {
                text.push(' ');
            }
            let quoted = matches!(token.kind, Kind::Text | Kind::Character);
            for c in token.text.chars() {
                if quoted && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
            if text.len() > LONGEST_TOKEN {
                return Err(self.too_long(at.place));
            }
        }
        text.push('"');
        self.keep(text.len() / 16)?;
        Ok(Token { kind: Kind::Text, text: text.into(), ..at.clone() })
    }

    /// One token made of two; two that make none stay two.
    fn paste(&mut self, left: Token, right: Token) -> Result<Vec<Token>> {
        if right.kind == Kind::Placemarker {
            return Ok(vec![left]);
        }
        if left.kind == Kind::Placemarker {
            return Ok(vec![Token { space: left.space, ..right }]);
        }
        let text = format!("{}{}", left.text, right.text);
        if text.len() > LONGEST_TOKEN {
            return Err(self.too_long(left.place));
        }
        self.keep(1 + text.len() / 16)?;
        let mut made = lex(&text, left.place.file).tokens;
        match (made.pop(), made.is_empty()) {
            (Some(one), true) if one.kind != Kind::Placemarker => {
                // What is pasted stands where the macro was called, unless both halves are its own.
                Ok(vec![Token {
                    place: left.place,
                    expansion: left.expansion,
                    space: left.space,
                    fresh: false,
                    ..one
                }])
            }
            _ => Ok(vec![left, right]),
        }
    }
}
