//! Finds backslashes that are the second byte of a character in raw double-byte text: the 表 of Shift_JIS, the 功 of Big5.
//!
//! A reader that does not know the charset misreads such a byte as the start of a quoted pair. If a string ends with one (`"表"`),
//! that reader continues to the opening quote of the next string, over the address between them. The whole value reveals the
//! charset: a wrong choice leaves quotes open, or has quotes where no string begins or ends.
//!
//! # Limits
//!
//! All strings and comments of a value have the same reading.

use super::syntax::{quoted_end, quoted_end_by};
use crate::unlogged::decode_lossless;
use mailglot_codec::Charset;
use std::ops::RangeInclusive;

/// The lead bytes that make a following backslash a trail byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrailBackslash {
    /// Every backslash is a backslash.
    #[default]
    None,
    /// The lead bytes of Shift_JIS; its half-width katakana are single bytes.
    ShiftJis,
    /// The lead bytes of Big5 and GBK.
    Wide,
}

impl TrailBackslash {
    /// Returns the reading that fits a charset.
    pub(crate) fn in_charset(charset: Charset) -> Self {
        if charset.is_single_byte() || !charset.is_ascii_compatible() {
            return Self::None;
        }
        let reads = |bytes: &[u8]| {
            decode_lossless(charset, bytes).is_some_and(|text| text.chars().count() == 1)
        };
        if !WIDE.into_iter().any(|lead| reads(&[lead, b'\\'])) {
            return Self::None;
        }
        if reads(&[KATAKANA]) {
            Self::ShiftJis
        } else {
            Self::Wide
        }
    }

    /// Returns the length of the character at `at`, as far as trail bytes matter.
    pub(crate) fn step(self, value: &[u8], at: usize) -> usize {
        let is_lead = match (self, value.get(at)) {
            (Self::None, _) | (_, None) => false,
            (Self::ShiftJis, Some(lead)) => matches!(lead, 0x81..=0x9F | 0xE0..=0xFC),
            (Self::Wide, Some(lead)) => WIDE.contains(lead),
        };
        let has_trail = matches!(value.get(at + 1), Some(0x40..=0x7E | 0x80..=0xFE));
        1 + usize::from(is_lead && has_trail)
    }

    /// Like [`quoted_end`], but ignores backslashes that are trail bytes.
    pub(crate) fn quoted_end(self, value: &[u8], at: usize) -> Option<usize> {
        if self == Self::None {
            return quoted_end(value, at);
        }
        quoted_end_by(value, at, |i| self.step(value, i))
    }
}

/// Lead bytes of Big5 and GBK.
const WIDE: RangeInclusive<u8> = 0x81..=0xFE;
/// A single-byte letter in Shift_JIS alone.
const KATAKANA: u8 = 0xB1;

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::View;

    #[test]
    fn strings_end_after_trail_bytes() {
        for (reading, value, end) in [
            (TrailBackslash::ShiftJis, &b"\"\x95\\\" <"[..], Some(4)),
            (TrailBackslash::ShiftJis, b"\"a\\\"\x95\\\"", Some(7)),
            (TrailBackslash::ShiftJis, b"\"\xb1\\\"", None),
            (TrailBackslash::Wide, b"\"\xb1\\\"", Some(4)),
            // A trail byte is not a lead byte.
            (TrailBackslash::Wide, b"\"\xb1\xb1\\\"\"", Some(6)),
            (TrailBackslash::None, b"\"\x95\\\"", None),
            (TrailBackslash::Wide, b"\"\x95\\", None),
            (TrailBackslash::Wide, b"\"", None),
        ] {
            assert_eq!(
                reading.quoted_end(value, 0),
                end,
                "{reading:?} {}",
                value.escape_ascii()
            );
        }
    }

    #[test]
    fn the_charset_determines_the_lead_bytes() {
        for (label, reading) in [
            ("shift_jis", TrailBackslash::ShiftJis),
            ("windows-31j", TrailBackslash::ShiftJis),
            ("big5", TrailBackslash::Wide),
            ("gbk", TrailBackslash::Wide),
            ("gb18030", TrailBackslash::Wide),
            ("euc-jp", TrailBackslash::None),
            ("euc-kr", TrailBackslash::None),
            ("utf-8", TrailBackslash::None),
            ("windows-1252", TrailBackslash::None),
            ("utf-16le", TrailBackslash::None),
            ("iso-2022-jp", TrailBackslash::None),
        ] {
            let charset = Charset::for_label(label.as_bytes(), View::Mail)
                .charset()
                .expect("a known label");
            assert_eq!(TrailBackslash::in_charset(charset), reading, "{label}");
        }
    }
}
