//! The text of an error that the compiler shows.

/// The longest message in bytes; what is longer is cut.
const LONGEST: usize = 4096;

/// A text that is made while the user's crate is compiled; empty where nothing is wrong.
#[derive(Clone, Copy)]
pub struct Message {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Message {
    /// Nothing is wrong.
    pub const NONE: Self = Self { bytes: [0; LONGEST], length: 0 };

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The text.
    pub const fn text(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.length);
        match std::str::from_utf8(text) {
            Ok(text) => text,
            // A character that was cut.
            Err(fault) => match std::str::from_utf8(text.split_at(fault.valid_up_to()).0) {
                Ok(text) => text,
                Err(_) => "the declaration differs from the kernel",
            },
        }
    }

    pub(super) const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut index = 0;
        while index < text.len() && self.length < LONGEST {
            self.bytes[self.length] = text[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    pub(super) const fn with_number(mut self, number: usize) -> Self {
        if number > 9 {
            self = self.with_number(number / 10);
        }
        let digit = [b"0123456789"[number % 10]];
        match std::str::from_utf8(&digit) {
            Ok(digit) => self.with(digit),
            Err(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_too_long_is_cut_at_a_character() {
        let message = Message::NONE.with("a").with(&"×".repeat(3_000));
        assert!(message.text().len() > 4_000 && message.text().ends_with('×'));
        assert_eq!(Message::NONE.with_number(0).with(" ").with_number(1_250).text(), "0 1250");
    }
}
