//! Finds the end of an address in angles (RFC 5322, sections 3.4 and 4.4), whose strings and comments may contain angles.
//!
//! # Limits
//!
//! A quote opens a string only if a word of the local part may begin there, and the rest of the address follows it. A parenthesis
//! opens a comment only within an address. Other quotes and parentheses are text, and the first `>` ends the address.

use super::syntax::{comment_end, quoted_end, skip_space, trim_end};
use std::ops::Range;

/// Returns the offset after the address in angles at `at` (where `<` stands); None if it is not closed.
pub(crate) fn angle_end(value: &[u8], at: usize) -> Option<usize> {
    let mut angles = Angles {
        value,
        open: at,
        strings: Some(at),
        comments: Some(at),
        blank: at..at,
    };
    let mut i = at + 1;
    loop {
        i += memchr::memchr3(b'>', b'"', b'(', value.get(i..)?)?;
        let end = match value[i] {
            b'>' => return Some(i + 1),
            b'"' => angles.string(i),
            _ => angles.comment(i),
        };
        i = end.unwrap_or(i + 1);
    }
}

struct Angles<'a> {
    value: &'a [u8],
    /// Offset of the opening angle.
    open: usize,
    /// Quotes before this offset were examined; None once one had no partner.
    strings: Option<usize>,
    /// Parentheses before this offset were examined; None once one had no partner.
    comments: Option<usize>,
    /// White space and comments that were skipped last.
    blank: Range<usize>,
}

impl Angles<'_> {
    /// Returns the offset after the string at `start` if it is part of a local part: a dot or an `@` follows.
    fn string(&mut self, start: usize) -> Option<usize> {
        self.strings.filter(|tried| start >= *tried)?;
        let end = quoted_end(self.value, start);
        // The closing quote may open another string.
        self.strings = end.map(|end| end - 1);
        let end = end?;
        let is_part = if self.opens_word(start) {
            matches!(self.next(end), Some(b'@' | b'.'))
        } else {
            self.value.get(end) == Some(&b'@') && !self.value[start..end].contains(&b'@')
        };
        is_part.then_some(end)
    }

    /// Returns the offset after the comment at `start` if it stands within an address.
    fn comment(&mut self, start: usize) -> Option<usize> {
        self.comments.filter(|tried| start >= *tried)?;
        let end = comment_end(self.value, start);
        self.comments = end;
        let end = end?;
        let is_part = match self.next(end) {
            Some(b'@' | b'.' | b'>') => true,
            Some(next) => self.opens_word(start) && !matches!(next, b'<' | b',' | b';'),
            None => false,
        };
        is_part.then_some(end)
    }

    /// Returns true if a word of an address may begin at `at`.
    fn opens_word(&self, at: usize) -> bool {
        let before = trim_end(&self.value[self.open..at]).last();
        matches!(before, Some(b'<' | b'.' | b'@' | b':' | b',' | b')'))
    }

    /// Returns the first byte from `at` on that is neither white space nor part of a comment.
    fn next(&mut self, at: usize) -> Option<u8> {
        if !(self.blank.start..=self.blank.end).contains(&at) {
            self.blank = at..skip_space(self.value, at);
            while self.comments.is_some() && self.value.get(self.blank.end) == Some(&b'(') {
                match comment_end(self.value, self.blank.end) {
                    Some(end) => self.blank.end = skip_space(self.value, end),
                    None => self.comments = None,
                }
            }
        }
        self.value.get(self.blank.end).copied()
    }
}

/// Returns true if `<…@…>` occurs in a text.
pub(crate) fn contains_angle_address(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &text[at..]).map(|n| at + n) {
        let Some(end) = memchr::memchr(b'>', &text[start..]).map(|n| start + n) else {
            return false;
        };
        if text[start..end].contains(&b'@') {
            return true;
        }
        at = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    #[test]
    fn strings_and_comments_hide_angles() {
        for (address, rest) in [
            ("<a@b>", ", \"c\" <d@e>"),
            ("<\"a>b\"@x>", ", \"c\" <d@e>"),
            ("<\"a>b\" @ x>", ", J \"x\" <c@d>"),
            ("<\"a>b\" . c@x>", ", J \"x\" <c@d>"),
            ("<\"a>b\".\"c>\"@x>", ", J \"x\" <c@d>"),
            ("<a.\"b>\"@x>", ""),
            ("<\"a>b\"(>) @x>", ""),
            ("<\"a>b\"\r\n @x>", ""),
            ("<@r,@s:\"a>b\"@x>", ""),
            ("<\"a\\\">b\"@x>", ""),
            ("<a\">\"@x>", ""),
            ("<a(>)@b>", ""),
            ("<a@b(>)>", " (>)"),
            ("<(\">)a@b>", ", \"c\" <d@e>"),
            ("<(a)(>)a@b>", ""),
            // Quotes and parentheses that open nothing.
            ("<\"a b\" @ x>", ", \"@J\" <c@d>"),
            ("<a\"b@x>", ", \"@J\" <c@d>"),
            ("<a\">", ", \"b\" <c@d>"),
            ("<\"a@b>", ", J <c@d>"),
            ("<\"a@b>", ", \"J\" <c@d>"),
            ("<a(>", " <c@d>"),
            ("<a(b>", ", c) <c@d>"),
            ("<a(b>", ", (c) <c@d>"),
            ("<>", "\"\"@x>"),
        ] {
            let value = format!("{address}{rest}");
            assert_eq!(
                angle_end(value.as_bytes(), 0),
                Some(address.len()),
                "{value}"
            );
        }
        for open in ["<", "<a", "<\"a>b\"@", "<\"a>b\"@x", "<(>)."] {
            assert_eq!(angle_end(open.as_bytes(), 0), None, "{open}");
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in [
            "\"", "\"\\", "\\\"", "\\\" ", "\"a\" ", "(", "()", "(\\", "a(", "((\"", "\".", "\"@",
            ")", " \"", "\"\"(", "\"\"()", " ", "\"\" ",
        ] {
            assert_linear(&unit, 100_000, |n| {
                let _ = angle_end(format!("<{}", unit.repeat(n)).as_bytes(), 0);
            });
        }
    }
}
