//! Detects UTF-8 under the label of another charset, by the rule for bodies.
//!
//! # Limits
//!
//! Tests a run of words or a value as a whole. Accepts UTF-16 and UTF-32 labels, since their bytes are valid UTF-8 only by chance.

use crate::charset_choice::utf8_outweighs_label;
use crate::event::{Detail, EventKind, Finding};
use mailglot_codec::Charset;
use std::ops::Range;

/// Returns the UTF-8 text of non-ASCII bytes that another charset labels. Returns None to keep the label.
pub(crate) fn as_utf8(charset: Charset, bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() || charset == Charset::UTF_8 || charset.is_wide() {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let unmarked = text.strip_prefix('\u{feff}');
    // A byte order mark outweighs a label.
    (unmarked.is_some() || utf8_outweighs_label(Some(charset), bytes, text))
        .then(|| unmarked.unwrap_or(text))
}

/// Builds the finding for such bytes.
pub(crate) fn mislabel_finding(charset: Charset, at: Range<usize>) -> Finding {
    let detail = Detail::read_as(Some(charset), Charset::UTF_8);
    Finding::new(at, EventKind::CharsetUtf8InLegacy, detail)
}

/// Checks word by word whether the joined bytes are non-ASCII UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Utf8Check {
    /// A byte above 7F occurred.
    has_high_byte: bool,
    /// The bytes are not UTF-8.
    is_refuted: bool,
    /// Number of bytes that the last sequence still lacks.
    missing: usize,
}

impl Utf8Check {
    /// Checks the bytes of the next word.
    pub(super) fn add(&mut self, word: &[u8]) {
        if self.is_refuted || word.is_empty() || self.missing == 0 && word.is_ascii() {
            return;
        }
        self.has_high_byte = true;
        let further = word.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let rest = word.get(further..).unwrap_or_default();
        self.is_refuted = further > self.missing || further < self.missing && !rest.is_empty();
        self.missing = self.missing.saturating_sub(further);
        if let Err(error) = std::str::from_utf8(rest) {
            self.is_refuted |= error.error_len().is_some();
            let cut = rest.get(error.valid_up_to()..).unwrap_or_default();
            let wanted = cut.first().map_or(0, |byte| byte.leading_ones() as usize);
            self.missing = wanted.saturating_sub(cut.len());
        }
    }

    /// Returns true if all bytes so far are complete non-ASCII UTF-8.
    pub(super) fn is_utf8(self) -> bool {
        self.has_high_byte && !self.is_refuted && self.missing == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::View;

    #[test]
    fn certain_utf8_overrules_the_label() {
        for (label, bytes, want) in [
            (
                "iso-8859-1",
                "Renée Müller".as_bytes(),
                Some("Renée Müller"),
            ),
            ("windows-1251", "Привет".as_bytes(), Some("Привет")),
            ("iso-8859-1", "é".as_bytes(), Some("é")),
            // These two letters are a word under the label, and one of another alphabet in UTF-8.
            ("windows-1251", b"\xD0\x9F", None),
            ("iso-8859-1", b"\xEF\xBB\xBFabc", Some("abc")),
            ("iso-8859-1", b"M\xFCller", None),
            ("iso-8859-1", b"abc", None),
            ("us-ascii", "é".as_bytes(), Some("é")),
            ("iso-2022-jp", "日本".as_bytes(), Some("日本")),
            ("iso-2022-jp", b"\x1B$BF|K\\\x1B(B", None),
            ("utf-16le", "日本日本".as_bytes(), None),
            ("utf-8", "é".as_bytes(), None),
        ] {
            let charset = Charset::for_label(label.as_bytes(), View::Mail)
                .charset()
                .expect("a known label");
            assert_eq!(
                as_utf8(charset, bytes),
                want,
                "{label} {}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn no_utf8_in_pieces_is_missed() {
        let (mut checked, mut is_refuted) = (0, 0);
        for text in [
            "é",
            "aé",
            "日本 é",
            "\u{1f600}b",
            "a\u{d7ff}\u{e000}",
            "é\u{80}",
            "naïve café",
        ] {
            for bytes in [
                text.as_bytes().to_vec(),
                text.chars().map(|c| c as u8).collect(),
            ] {
                for first in 0..=bytes.len() {
                    for second in first..=bytes.len() {
                        let mut check = Utf8Check::default();
                        for word in [&bytes[..first], &bytes[first..second], &bytes[second..]] {
                            check.add(word);
                        }
                        let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(&bytes).is_ok();
                        assert_eq!(
                            check.is_utf8(),
                            is_utf8,
                            "{} {first} {second}",
                            bytes.escape_ascii()
                        );
                        checked += u32::from(is_utf8);
                        is_refuted += u32::from(!is_utf8);
                    }
                }
            }
        }
        assert!(checked > 100 && is_refuted > 100, "{checked} {is_refuted}");
    }
}
