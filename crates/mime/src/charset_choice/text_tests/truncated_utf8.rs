//! Detects UTF-8 that was cut within its last character.
//!
//! # Limits
//! A lead byte alone is distinguished from a Latin-1 letter by its value and the byte before it.

use crate::charset_choice::text_tests::utf8_sequences::{malformed, whole_characters};
use mailglot_codec::is_alphabetic;
use std::cell::OnceCell;
use std::ops::Range;

/// Returns true if a body is UTF-8 that ends within a character.
///
/// Programs that transfer a truncated body may add a line end. A body with other defects does not count, nor one
/// that ends with a Latin-1 letter after a letter: `caf\xE9` is `café` in windows-1252.
pub(crate) fn is_truncated_utf8(body: &[u8]) -> bool {
    before_truncation(body).is_some()
}

/// Returns the text of a body in UTF-8 that ends within a character, without that character. Returns None for other bodies.
pub(crate) fn before_truncation(body: &[u8]) -> Option<&str> {
    let end = body.iter().rposition(|b| !matches!(b, b'\r' | b'\n'));
    let text = &body[..end.map_or(0, |at| at + 1)];
    let whole = before_incomplete_character(text).filter(|_| !is_latin1_word_end(text))?;
    str::from_utf8(whole).ok()
}

/// Returns the text before an incomplete character at the end. Returns None without one, or if that text is not UTF-8.
pub(crate) fn before_incomplete_character(bytes: &[u8]) -> Option<&[u8]> {
    let error = std::str::from_utf8(bytes).err()?;
    (error.error_len().is_none()).then(|| &bytes[..error.valid_up_to()])
}

/// Returns true if the last byte is a Latin-1 letter after another letter.
///
/// Excludes lead bytes of European, Hebrew and Arabic letters, emoji and English quotation marks. At the end of words, they are
/// more frequent than `Ã`, `ð` and `â`.
pub(crate) fn is_latin1_word_end(bytes: &[u8]) -> bool {
    let [.., before, last] = bytes else {
        return false;
    };
    before.is_ascii_alphabetic()
        && !matches!(last, 0xC2..=0xC5 | 0xCE..=0xD1 | 0xD7..=0xD9 | 0xE2 | 0xF0)
}

/// Finds cut characters in a text: bytes that are not UTF-8, but the start of a character.
pub(crate) struct CutCharacters<'b> {
    bytes: &'b [u8],
    whole: OnceCell<WholeLetters>,
}

/// The lead bytes of the whole letters in a text. Quotation marks and dashes tell nothing of its script.
#[derive(Default)]
struct WholeLetters {
    /// A bit for each lead byte from C0.
    leads: u64,
    /// Most have three bytes or more.
    are_wide: bool,
}

impl<'b> CutCharacters<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            whole: OnceCell::new(),
        }
    }

    /// Returns true if the bytes at `at`, which are not UTF-8, are the start of a character.
    ///
    /// A lead byte of European letters counts, except before an ASCII letter or digit. In windows-1252 it is a capital that ends few
    /// words: `Ã`, `Ñ`. Other lead bytes alone are Latin letters as often (`à`, `é`), unless the text has such letters.
    pub(crate) fn contains(&self, at: &Range<usize>) -> bool {
        let [lead] = self.bytes[at.clone()] else {
            return at.len() > 1;
        };
        let next = self.bytes.get(at.end);
        if lead < 0xC2 || next.is_some_and(u8::is_ascii_alphanumeric) {
            return false;
        }
        let before = at.start.checked_sub(1).map(|before| self.bytes[before]);
        matches!(lead, 0xC2..=0xC5 | 0xD0 | 0xD1)
            || !before.is_some_and(|b| b.is_ascii_alphabetic()) && self.begins_letter(lead)
    }

    /// Like [`Self::contains`], for a character that is a letter such as others of the text.
    pub(crate) fn contains_letter(&self, at: &Range<usize>) -> bool {
        self.bytes[at.start] >= 0xC0
            && self.contains(at)
            && self.begins_letter(self.bytes[at.start])
    }

    /// Returns true if letters of the text begin with this byte, or have three bytes as the character that it begins.
    pub(crate) fn begins_letter(&self, lead: u8) -> bool {
        let whole = self.whole.get_or_init(|| WholeLetters::count(self.bytes));
        whole.leads >> (lead - 0xC0) & 1 == 1 || whole.are_wide && matches!(lead, 0xE0..=0xEF)
    }
}

impl WholeLetters {
    fn count(bytes: &[u8]) -> Self {
        let (mut found, mut wide, mut narrow) = (Self::default(), 0_usize, 0_usize);
        let mut utf8 = [0; 4];
        for letter in whole_characters(bytes).filter(|c| !c.is_ascii() && is_alphabetic(*c)) {
            let lead = letter.encode_utf8(&mut utf8).as_bytes()[0];
            found.leads |= 1 << (lead - 0xC0);
            *(if lead >= 0xE0 { &mut wide } else { &mut narrow }) += 1;
        }
        found.are_wide = wide > narrow;
        found
    }
}

/// Returns true if a text is UTF-8 except for signs that were cut: `it\xE2\x80...`, `news \xF0\x9F`.
///
/// No language has their bytes in another charset. They are `â€`, `â‚`, `â„`, `ðŸ` and `ï¿` in windows-1252, and rare characters in charsets of
/// two bytes. Letters with accents and typographic signs of windows-1252 are: `voil\xE0\xA0!`, `caf\xE9\x94`.
pub(crate) fn has_only_cut_signs(bytes: &[u8]) -> bool {
    let is_cut_sign = |at: Range<usize>| {
        let is_apart = bytes.get(at.end).is_none_or(u8::is_ascii);
        is_apart
            && matches!(
                bytes[at],
                [0xE2, 0x80 | 0x82 | 0x84] | [0xEF, 0xBF] | [0xF0, 0x9F] | [0xF0, 0x9F, _]
            )
    };
    let mut found = malformed(bytes).peekable();
    found.peek().is_some() && found.all(is_cut_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_truncated_at_any_byte_of_its_last_character() {
        for text in ["an die Bü", "“a”", "日本語", "x 👩", "Größe, ß"] {
            let start = text.char_indices().last().expect("not empty").0;
            for end in start + 1..text.len() {
                for line_end in ["", "\n", "\r\n"] {
                    let body = [&text.as_bytes()[..end], line_end.as_bytes()].concat();
                    assert!(is_truncated_utf8(&body), "{}", body.escape_ascii());
                }
            }
            assert!(!is_truncated_utf8(text.as_bytes()));
        }
    }

    #[test]
    fn signs_are_cut_as_no_other_charset_has_them() {
        for (bytes, want) in [
            (&b"we hope you like it\xE2\x80..."[..], true),
            (b"it\xE2\x80\n\n-- \nlist", true),
            (b"members \xF0\x9F...", true),
            (b"\xF0\x9F\x8E", true),
            (b"25 \xE2\x82 per person, caf\xC3\xA9", true),
            (b"it\xE2\x80\x98 ok", false),
            (b"it\xE2\x80\xE2\x80\x94", false),
            (b"it\xE2\x80 caf\xE9", false),
            (b"voil\xE0\xA0!", false),
            (b"\x93caf\xE9\x94", false),
            (b"plain", false),
        ] {
            assert_eq!(has_only_cut_signs(bytes), want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn other_bytes_are_not_truncated_utf8() {
        for body in [
            &b""[..],
            b"\n",
            b"plain",
            // A Latin-1 letter at the end of a word, and bytes that begin no sequence.
            b"caf\xE9",
            b"caf\xE9\n",
            b"na\xEF",
            b"M\xFC",
            b"x \x95",
            b"\xFF",
            // Text follows, or has a defect of its own.
            b"B\xC3 b",
            b"B\xC3\n\nb",
            b"\xE4 B\xC3",
            b"\xC3\xC3",
        ] {
            assert!(!is_truncated_utf8(body), "{}", body.escape_ascii());
        }
    }
}
