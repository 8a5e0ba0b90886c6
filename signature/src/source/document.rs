//! The comment above a kernel.

use super::lexer::Comment;
use super::token::Token;
use super::unit::Unit;

impl Unit {
    /// The text of the comment that ends right above a declaration, without comment marks.
    pub(super) fn documentation(&self, first: &Token) -> Option<String> {
        let place = self.visible_place(first);
        let comments = &self.files.get(place.file as usize)?.comments;
        let mut line = place.line;
        let mut found: Vec<&Comment> = Vec::new();
        // Comments are in order, so the search runs backwards from the declaration.
        let end = comments.partition_point(|c| c.first_line < place.line);
        for comment in comments[..end].iter().rev() {
            let joins = found.last().is_none_or(|last| is_line(last) && is_line(comment));
            if comment.last_line + 1 != line || !comment.alone || !joins {
                break;
            }
            found.push(comment);
            line = comment.first_line;
        }
        let lines: Vec<String> = found.iter().rev().flat_map(|c| plain(&c.text)).collect();
        let text = lines.join("\n").trim().to_owned();
        if text.is_empty() { None } else { Some(text) }
    }
}

fn is_line(comment: &Comment) -> bool {
    comment.text.starts_with("//")
}

/// The lines of a comment without its marks.
fn plain(text: &str) -> Vec<String> {
    if let Some(line) = text.strip_prefix("//") {
        let line = line.trim_start_matches(['/', '!']);
        return vec![line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()];
    }
    let inside = text.strip_prefix("/*").unwrap_or(text);
    let inside = inside.strip_suffix("*/").unwrap_or(inside).trim_start_matches(['*', '!']);
    let line = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix('*').unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    inside.lines().map(line).collect()
}
