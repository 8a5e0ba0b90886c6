//! PTX, in tokens.

/// A piece of PTX: a word, a directive with its dot, a number, or one character of punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Walks over a PTX text; blanks and comments are passed over.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1, line_start: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.offset..]
    }

    fn advance(&mut self, len: usize) {
        for i in self.offset..self.offset + len {
            if self.text.as_bytes()[i] == b'\n' {
                self.line += 1;
                self.line_start = i + 1;
            }
        }
        self.offset += len;
    }
}

/// How many bytes of blanks and comments the text begins with.
pub(super) fn blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest {
            [b, ..] if b.is_ascii_whitespace() => 1,
            [b'/', b'/', ..] => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', inside @ ..] => {
                inside.windows(2).position(|w| w == b"*/").map_or(rest.len(), |end| end + 4)
            }
            _ => return at,
        };
    }
}

pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%') || b >= 0x80
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.advance(blanks(self.rest()));
        let rest = self.rest();
        let words = |from: usize| rest[from..].iter().take_while(|b| is_word(**b)).count();
        let len = match rest {
            [] => return None,
            [b'"', inside @ ..] => {
                let mut len = 1;
                let mut escaped = false;
                for b in inside {
                    len += 1;
                    if *b == b'"' && !escaped {
                        break;
                    }
                    escaped = *b == b'\\' && !escaped;
                }
                len
            }
            [b'0'..=b'9', ..] => rest.iter().take_while(|b| is_word(**b) || **b == b'.').count(),
            [b'.', b, ..] if is_word(*b) => 1 + words(1),
            [b, ..] if is_word(*b) => words(0),
            _ => 1,
        };
        let column = self.offset - self.line_start + 1;
        let token = Token {
            // Every branch above ends at an ASCII byte or at the end, so this is a boundary.
            text: self.text.get(self.offset..self.offset + len)?,
            line: self.line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
        };
        self.advance(len);
        Some(token)
    }
}
