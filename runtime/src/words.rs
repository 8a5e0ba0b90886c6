//! Numbers in sentences.

use std::fmt::Display;

/// `1 call`, `2 calls`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    format!("{count} {what}{}", if count == N::from(1) { "" } else { "s" })
}

/// `once`, `2 times`.
pub(crate) fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_and_all_others_are_several() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "call")), ["0 calls", "1 call", "2 calls"]);
        assert_eq!([0, 1, 2].map(times), ["0 times", "once", "2 times"]);
    }
}
