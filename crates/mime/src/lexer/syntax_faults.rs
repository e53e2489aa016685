//! Counts the syntax faults of a value, and chooses the reading of its raw characters that has the fewest.
//!
//! # Limits
//!
//! All strings and comments of a value have the same reading.

use super::angle_address::{angle_end, contains_angle_address};
use super::raw_characters::CharacterSteps;
use super::raw_shifts::may_have_shifts;
use super::syntax::{byte_before, is_space};
use super::trail_backslash::TrailBackslash;

impl CharacterSteps {
    /// Chooses the reading under which the value's quotes and comments make sense.
    pub(crate) fn of(value: &[u8]) -> Self {
        let legacy = !value.is_ascii() && std::str::from_utf8(value).is_err();
        Self {
            backslashes: TrailBackslash::of(value),
            has_shifts: may_have_shifts(value),
            legacy,
        }
    }
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

    /// Counts open quotes and comments, quotes where no string begins or ends, and strings and comments that contain an address.
    fn syntax_faults(self, value: &[u8]) -> usize {
        let mut syntax_faults = 0;
        let comments = self.for_each_string(value, |string| {
            let (start, end) = (string.start, string.end.unwrap_or(value.len()));
            let after = value.get(end);
            let is_within = |byte: u8| !is_border(byte);
            syntax_faults += usize::from(byte_before(value, start).is_some_and(is_within));
            syntax_faults += usize::from(after.is_some_and(|b| is_within(*b) && *b != b'@'));
            syntax_faults += usize::from(string.end.is_none());
            syntax_faults += usize::from(contains_angle_address(&value[start..end]));
        });
        syntax_faults + comments
    }

    /// Calls `call` for each quoted string outside comments and angles; the last one may be open. Returns the number of comments
    /// that are open or contain an address.
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
                b'<' if angles => match angle_end(value, start) {
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

/// The range of a quoted string, including its quotes.
struct QuotedString {
    start: usize,
    /// None if the string is open.
    end: Option<usize>,
}

/// Returns true if a backslash follows a byte above 7F, in bytes that are not UTF-8.
fn may_have_trail_backslash(value: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', value).any(|at| at > 0 && !value[at - 1].is_ascii())
        && std::str::from_utf8(value).is_err()
}

/// Returns true for bytes beside which a quoted string may begin or end.
fn is_border(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reading_without_open_quotes_is_chosen() {
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
            // Quoted pairs after a letter of Latin-1.
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
