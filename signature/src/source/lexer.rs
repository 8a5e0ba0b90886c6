//! CUDA C++ text, in tokens.

use std::collections::HashSet;
use std::rc::Rc;

use super::token::{Kind, Place, Token};
use crate::Problem;

/// A comment, for the documentation of the kernel below it.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) text: String,
    /// Whether nothing but blanks stands before it on its line.
    pub(super) alone: bool,
}

/// A file in tokens.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    /// What has no end, and where it begins.
    pub(super) unterminated: Option<(Problem, Place)>,
}

/// The punctuation of more than one character, longest first.
const LONG_PUNCTUATION: [&str; 27] = [
    "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*",
];

/// Reads a whole text.
pub(super) fn lex(text: &str, file: u32) -> Lexed {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        text,
        at: 0,
        line: 1,
        line_start: 0,
        file,
        out: Lexed::default(),
        known: HashSet::new(),
        recent: vec![None; if text.len() < SHORT { 1 } else { RECENT }],
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    file: u32,
    out: Lexed,
    known: HashSet<Rc<str>>,
    /// The words seen last, each at a place that a few of its bytes tell: finding one here is cheaper than there.
    recent: Vec<Option<Rc<str>>>,
}

/// A text shorter than this is a few tokens, as in a macro's paste.
const SHORT: usize = 1024;
const RECENT: usize = 1024;

fn starts_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}

fn is_word(b: u8) -> bool {
    WORD[usize::from(b)]
}

/// The bytes that words are made of. Macros read with this in builds without optimisation, where most of the time
/// goes into single bytes; so runs of them are taken at once, and what a byte is stands in a table.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = u8::MIN;
    loop {
        table[byte as usize] = matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 0x80..);
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

impl Lexer<'_> {
    /// The length of a line continuation here: a backslash at the end of a line.
    fn splice(&self) -> usize {
        match self.bytes.get(self.at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn skip_splices(&mut self) {
        loop {
            let len = self.splice();
            if len == 0 {
                return;
            }
            self.at += len;
            self.line += 1;
            self.line_start = self.at;
        }
    }

    /// The byte here, line continuations passed over.
    fn peek(&mut self) -> Option<u8> {
        self.skip_splices();
        self.bytes.get(self.at).copied()
    }

    fn peek_second(&mut self) -> Option<u8> {
        self.skip_splices();
        let (at, line, line_start) = (self.at, self.line, self.line_start);
        self.at += 1;
        let byte = self.peek();
        (self.at, self.line, self.line_start) = (at, line, line_start);
        byte
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
            self.line_start = self.at;
        }
        Some(byte)
    }

    fn place(&self) -> Place {
        let column = u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX);
        Place { file: self.file, line: self.line, column }
    }

    fn unterminated(&mut self, what: &'static str, place: Place) {
        self.out.unterminated.get_or_insert((Problem::Unterminated { what }, place));
    }

    fn run(&mut self) {
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        let (mut space, mut fresh) = (false, true);
        let mut spelling = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.bump();
                    (space, fresh) = (false, true);
                    continue;
                }
                _ if byte.is_ascii_whitespace() || byte == 0x0b => {
                    self.at += 1;
                    while self.bytes.get(self.at) == Some(&b' ') {
                        self.at += 1;
                    }
                    space = true;
                    continue;
                }
                b'/' if matches!(self.peek_second(), Some(b'/' | b'*')) => {
                    self.comment(fresh);
                    space = true;
                    continue;
                }
                _ => {}
            }
            let place = self.place();
            spelling.clear();
            let kind = self.token(byte, &mut spelling, place);
            let text = String::from_utf8_lossy(&spelling);
            let text = self.intern(&text);
            self.out.tokens.push(Token { kind, text, place, expansion: 0, space, fresh, blocked: false });
            (space, fresh) = (false, false);
        }
    }

    fn intern(&mut self, text: &str) -> Rc<str> {
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte));
        let last = bytes.len().saturating_sub(1);
        let place = byte(0) + 8 * byte(last / 2) + 31 * byte(last) + 97 * bytes.len();
        let place = place % self.recent.len();
        if let Some(recent) = &self.recent[place]
            && **recent == *text
        {
            return recent.clone();
        }
        let word = if let Some(known) = self.known.get(text) {
            known.clone()
        } else {
            let new: Rc<str> = text.into();
            self.known.insert(new.clone());
            new
        };
        self.recent[place] = Some(word.clone());
        word
    }

    fn token(&mut self, first: u8, text: &mut Vec<u8>, place: Place) -> Kind {
        if starts_word(first) {
            self.take_word(text);
            return match (self.peek(), &text[..]) {
                (Some(b'"'), b"R" | b"u8R" | b"uR" | b"UR" | b"LR") => {
                    self.raw_string(text, place);
                    Kind::Text
                }
                (Some(b'"'), b"u8" | b"u" | b"U" | b"L") => {
                    self.quoted(text, b'"');
                    Kind::Text
                }
                (Some(b'\''), b"u8" | b"u" | b"U" | b"L") => {
                    self.quoted(text, b'\'');
                    Kind::Character
                }
                _ => Kind::Identifier,
            };
        }
        let dot_number = first == b'.' && self.peek_second().is_some_and(|b| b.is_ascii_digit());
        if first.is_ascii_digit() || dot_number {
            self.number(text);
            return Kind::Number;
        }
        match first {
            b'"' => {
                self.quoted(text, b'"');
                Kind::Text
            }
            b'\'' => {
                self.quoted(text, b'\'');
                Kind::Character
            }
            _ => {
                self.punctuation(text);
                Kind::Punctuation
            }
        }
    }

    fn take(&mut self, text: &mut Vec<u8>) {
        if let Some(byte) = self.bump() {
            text.push(byte);
        }
    }

    /// Takes bytes up to one that `ends` the run, which may be a line continuation.
    fn take_run(&mut self, text: &mut Vec<u8>, ends: fn(u8) -> bool) {
        let from = self.at;
        while self.at < self.bytes.len() && !ends(self.bytes[self.at]) {
            self.at += 1;
        }
        text.extend_from_slice(&self.bytes[from..self.at]);
    }

    fn take_word(&mut self, text: &mut Vec<u8>) {
        loop {
            self.take_run(text, |b| !is_word(b));
            if self.splice() == 0 {
                return;
            }
            self.skip_splices();
        }
    }

    fn number(&mut self, text: &mut Vec<u8>) {
        while let Some(byte) = self.peek() {
            let exponent =
                matches!(text.last(), Some(b'e' | b'E' | b'p' | b'P')) && matches!(byte, b'+' | b'-');
            // 0xE+1 is a sum written badly; C++ reads it as one number too.
            let separator = byte == b'\'' && self.peek_second().is_some_and(is_word);
            if !(is_word(byte) || byte == b'.' || exponent || separator) {
                return;
            }
            self.take(text);
        }
    }

    fn punctuation(&mut self, text: &mut Vec<u8>) {
        self.take(text);
        // Most punctuation is of one character.
        if matches!(text[..], [b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'~' | b'?']) {
            return;
        }
        loop {
            let Some(next) = self.peek() else { return };
            if !matches!(next, b'<' | b'>' | b'=' | b'.' | b'*' | b':' | b'+' | b'-' | b'&' | b'|' | b'#') {
                return;
            }
            let mut longer = text.clone();
            longer.push(next);
            // `->*`, `<=>` and `...` are reached through a shorter one or through nothing at all.
            let known = LONG_PUNCTUATION.iter().any(|p| p.as_bytes() == longer);
            let dots = longer == b".." && self.peek_second() == Some(b'.');
            if !(known || dots) {
                return;
            }
            self.take(text);
        }
    }

    /// A string or a character; one that is not closed ends with its line.
    fn quoted(&mut self, text: &mut Vec<u8>, quote: u8) {
        self.take(text);
        while let Some(byte) = self.peek() {
            if byte == b'\n' {
                return;
            }
            self.take(text);
            if byte == quote {
                return;
            }
            if byte == b'\\' && self.peek() != Some(b'\n') {
                self.take(text);
            }
        }
    }

    /// `"tag( … )tag"`, in which nothing is special, a backslash at the end of a line included.
    fn raw_string(&mut self, text: &mut Vec<u8>, place: Place) {
        let from = self.at;
        let rest = &self.bytes[from..];
        let open = rest.iter().position(|b| *b == b'(');
        let tag = open.map(|open| &rest[1..open]).filter(|t| t.len() <= 16 && !t.contains(&b'\n'));
        let end = tag.and_then(|tag| {
            let mut close = vec![b')'];
            close.extend_from_slice(tag);
            close.push(b'"');
            let inside = &self.text.as_bytes()[from..];
            inside.windows(close.len()).position(|w| w == close).map(|p| p + close.len())
        });
        let len = end.unwrap_or_else(|| {
            self.unterminated("a raw string", place);
            rest.len()
        });
        text.extend_from_slice(&self.bytes[from..from + len]);
        for i in from..from + len {
            if self.bytes[i] == b'\n' {
                self.line += 1;
                self.line_start = i + 1;
            }
        }
        self.at = from + len;
    }

    fn comment(&mut self, alone: bool) {
        let place = self.place();
        let mut text = Vec::new();
        self.take(&mut text);
        if self.peek() == Some(b'/') {
            while self.peek().is_some_and(|b| b != b'\n') {
                self.take(&mut text);
                self.take_run(&mut text, |b| matches!(b, b'\n' | b'\\'));
            }
        } else {
            self.take(&mut text);
            loop {
                match self.peek() {
                    None => {
                        self.unterminated("a comment", place);
                        break;
                    }
                    Some(b'/') if text.len() > 2 && text.last() == Some(&b'*') => {
                        self.take(&mut text);
                        break;
                    }
                    Some(_) => {
                        self.take(&mut text);
                        self.take_run(&mut text, |b| matches!(b, b'\n' | b'\\' | b'*' | b'/'));
                    }
                }
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        self.out.comments.push(Comment { first_line: place.line, last_line: self.line, text, alone });
    }
}
