//! Finds backslashes that are the second byte of a character in raw double-byte text: the 表 of Shift_JIS, the 功 of Big5.
//!
//! A reader that does not know the charset takes such a byte for the start of a quoted pair. If a string ends with one (`"表"`), that reader
//! continues to the opening quote of the next string, over the address between them. The whole value shows the right reading: a wrong one
//! leaves quotes open, or has quotes where no string begins or ends.
//!
//! # Limits
//!
//! All strings and comments of a value have the same reading.

use super::CharacterSteps;
use mailglot_codec::{Charset, LossLog};
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
    /// Returns the reading with the fewest syntax faults; [`Self::None`] if that has none.
    pub(crate) fn of(value: &[u8]) -> Self {
        if !may_have_trail_backslash(value) || Self::None.syntax_faults(value) == 0 {
            return Self::None;
        }
        [Self::None, Self::ShiftJis, Self::Wide]
            .into_iter()
            .min_by_key(|reading| reading.syntax_faults(value))
            .unwrap_or_default()
    }

    /// Returns the reading that fits a charset.
    pub(crate) fn in_charset(charset: Charset) -> Self {
        if charset.is_single_byte() || !charset.is_ascii_compatible() {
            return Self::None;
        }
        let reads = |bytes: &[u8]| {
            let mut log = LossLog::with_limit(0);
            let text = charset.decode(bytes, &mut log);
            log.losses() == 0 && text.chars().count() == 1
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

    /// Like [`super::quoted_end`], but ignores backslashes that are trail bytes.
    pub(crate) fn quoted_end(self, value: &[u8], at: usize) -> Option<usize> {
        if self == Self::None {
            return super::quoted_end(value, at);
        }
        super::quoted_end_by(value, at, |i| self.step(value, i))
    }

    /// Counts open quotes and comments, quotes where no string begins or ends, and strings and comments that hold an address.
    fn syntax_faults(self, value: &[u8]) -> usize {
        let mut syntax_faults = 0;
        let comments = self.for_each_string(value, |string| {
            let (start, end) = (string.start, string.end.unwrap_or(value.len()));
            let before = start.checked_sub(1).map(|at| value[at]);
            syntax_faults += usize::from(before.is_some_and(|byte| !is_border(byte)));
            syntax_faults += usize::from(
                value
                    .get(end)
                    .is_some_and(|byte| !is_border(*byte) && *byte != b'@'),
            );
            syntax_faults += usize::from(string.end.is_none());
            syntax_faults += usize::from(contains_angle_address(&value[start..end]));
        });
        syntax_faults + comments
    }

    /// Calls `call` for each quoted string outside comments and angles; the last one may be open. Returns the number of comments that are
    /// open or hold an address.
    fn for_each_string(self, value: &[u8], mut call: impl FnMut(QuotedString)) -> usize {
        let steps = CharacterSteps::with(self, value);
        let (mut at, mut comments, mut angles, mut syntax_faults) = (0, true, true, 0);
        while let Some(start) = steps.opening(value, at) {
            at = start + 1;
            match value[start] {
                b'"' => {
                    let end = steps.quoted_end(value, start);
                    call(QuotedString { start, end });
                    let Some(end) = end else { return syntax_faults };
                    at = end;
                }
                b'(' if comments => {
                    let end = steps.comment_end(value, start);
                    comments = end.is_some();
                    at = end.unwrap_or(at);
                    syntax_faults += usize::from(
                        end.is_none_or(|end| contains_angle_address(&value[start..end])),
                    );
                }
                b'<' if angles => match super::angle_end(value, start) {
                    Some(end) => at = end,
                    None => angles = false,
                },
                _ => {}
            }
        }
        syntax_faults
    }
}

/// Returns true if a quoted string swallows an address after an escaped quote, in a value whose quotes do not match.
pub(crate) fn swallows_address(value: &[u8]) -> bool {
    let reading = TrailBackslash::of(value);
    if memchr::memmem::find(value, b"\\\"").is_none() || reading.syntax_faults(value) == 0 {
        return false;
    }
    let (mut closed, mut open, mut found) = (false, false, false);
    reading.for_each_string(value, |string| {
        let Some(end) = string.end else {
            open = true;
            return;
        };
        let inside = &value[string.start + 1..end];
        if memchr::memmem::find(inside, b"\\\"")
            .is_some_and(|pair| contains_angle_address(&inside[pair..]))
        {
            closed = true;
            found |= value.get(end).is_some_and(|byte| !is_border(*byte));
        }
    });
    found || closed && open
}

/// A quoted string, including its quotes.
struct QuotedString {
    start: usize,
    /// None if the string is open.
    end: Option<usize>,
}

/// Lead bytes of Big5 and GBK.
const WIDE: RangeInclusive<u8> = 0x81..=0xFE;
/// A single-byte letter in Shift_JIS alone.
const KATAKANA: u8 = 0xB1;

/// Returns true if a backslash follows a byte above 7F, in bytes that are not UTF-8.
fn may_have_trail_backslash(value: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', value).any(|at| at > 0 && !value[at - 1].is_ascii())
        && std::str::from_utf8(value).is_err()
}

/// Returns true for bytes beside which a quoted string may begin or end.
fn is_border(byte: u8) -> bool {
    super::is_space(byte) || matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'=')
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
    use mailglot_codec::View;

    #[test]
    fn the_reading_that_leaves_no_quote_open_is_meant() {
        for (value, reading) in [
            (&b"\"\x95\\\" <a@b>"[..], TrailBackslash::ShiftJis),
            (
                b"\"\x95\\\" <a@b>, \"\x97\xe9\" <c@d>",
                TrailBackslash::ShiftJis,
            ),
            (
                b"\"\x95\\\" <a@b>, c@d (see \"x\")",
                TrailBackslash::ShiftJis,
            ),
            (b"\"\xa5\\\\\"x\\\"\" <a@b>", TrailBackslash::Wide),
            (b"\"\xb1\\\" <a@b>, \"B\" <c@d>", TrailBackslash::Wide),
            (
                b"\"caf\xe9\\\" <a@b.c>, \"Bob\" <c@d.e>",
                TrailBackslash::ShiftJis,
            ),
            // Quoted pairs behind a letter of Latin-1.
            (b"\"\\\"Caf\xe9\\\", Paris\" <a@b>", TrailBackslash::None),
            (
                b"\"\\\"Caf\xe9\\\", \\\"Th\xe9\\\", Paris\" <a@b>, \"B\" <c@d>",
                TrailBackslash::None,
            ),
            (b"\"\x95\\\\\" <a@b>, \"B\" <c@d>", TrailBackslash::None),
            ("\"\u{e9}\\\" <a@b>".as_bytes(), TrailBackslash::None),
            (b"\"\x95\\", TrailBackslash::None),
            (b"\"", TrailBackslash::None),
        ] {
            assert_eq!(
                TrailBackslash::of(value),
                reading,
                "{}",
                value.escape_ascii()
            );
        }
    }

    #[test]
    fn strings_end_behind_halves() {
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
    fn charsets_have_halves_or_none() {
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

    #[test]
    fn open_quotes_that_hold_an_address_are_known() {
        for (value, want) in [
            ("\"é \\\" <a@b>, \"B\" <c@d>", true),
            ("\"é \\\" <a@b>, \"B", true),
            ("\"é \\\" <a@b>\" <c@d>", false),
            ("\"é <a@b>\" <c@d>, \"B", false),
            ("\"é\" <a@b>, \"B", false),
            ("\"é\\\"\" <a@b>, \"B", false),
        ] {
            assert_eq!(swallows_address(value.as_bytes()), want, "{value}");
        }
    }
}
