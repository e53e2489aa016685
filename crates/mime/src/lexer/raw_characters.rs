//! Steps through raw text in a structured value by characters, whose bytes may look like quotes, parentheses, backslashes or `@`.
//!
//! The second byte of a double-byte character may be one of these ([`TrailBackslash`]). In ISO-2022-JP and HZ, both bytes may be.
//!
//! # Limits
//!
//! A sequence does not count as ISO-2022-JP or HZ if other readers see an address in angles in it.

use super::angle_address::contains_angle_address;
use super::raw_shifts::{may_begin_shift, may_have_shifts, raw_shift_length};
use super::syntax::{comment_end, comment_end_by, is_space, quoted_end_by};
use super::trail_backslash::TrailBackslash;

/// How to step through a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CharacterSteps {
    /// Which backslashes are trail bytes.
    pub(super) backslashes: TrailBackslash,
    /// True if the value may contain ISO-2022-JP or HZ.
    pub(super) has_shifts: bool,
    /// True if non-ASCII text is not UTF-8.
    pub(super) legacy: bool,
}

impl CharacterSteps {
    /// Returns the steps for a given reading of backslashes. [`Self::of`] chooses one.
    pub(super) fn with(backslashes: TrailBackslash, value: &[u8]) -> Self {
        Self {
            backslashes,
            has_shifts: may_have_shifts(value),
            legacy: false,
        }
    }

    /// Returns the length of the unit at `at`, which must not be cut; at least 1.
    pub(crate) fn step(self, value: &[u8], at: usize) -> usize {
        self.shift(value, at)
            .unwrap_or_else(|| self.backslashes.step(value, at))
    }

    /// Returns the length of the sequence of ISO-2022-JP or HZ at `at`.
    pub(crate) fn shift(self, value: &[u8], at: usize) -> Option<usize> {
        if !self.has_shifts || !value.get(at..).is_some_and(may_begin_shift) {
            return None;
        }
        let rest = &value[at..];
        raw_shift_length(rest).filter(|length| !contains_angle_address(&rest[..*length]))
    }

    /// Returns the length of the character at `at` in an atom. An `@` may be its trail byte if no domain follows.
    pub(crate) fn step_in_atom(
        self,
        value: &[u8],
        at: usize,
        is_end: impl Fn(u8) -> bool,
    ) -> usize {
        if !self.legacy || value.get(at).is_none_or(u8::is_ascii) {
            return self.step(value, at);
        }
        // The lead bytes of Shift_JIS are among those of Big5 and GBK.
        let step = TrailBackslash::Wide.step(value, at);
        if step == 1 || value.get(at + 1) != Some(&b'@') {
            return step;
        }
        let rest = value.get(at + 2..).unwrap_or_default();
        let end = rest.iter().position(|b| is_end(*b)).unwrap_or(rest.len());
        let (atom, behind) = rest.split_at(end);
        let next = behind.iter().find(|b| !is_space(**b));
        let last = atom
            .rsplit(|b| *b == b'.')
            .next()
            .filter(|last| last.len() < atom.len())
            .unwrap_or_default();
        let is_domain = last.len() >= 2 && last.iter().all(u8::is_ascii_alphabetic);
        let is_name = atom.is_empty() || !is_domain && (!atom.is_ascii() || next == Some(&b'<'));
        if is_name { 2 } else { 1 }
    }

    /// Returns the offset of the next quote, parenthesis or angle that opens something.
    pub(super) fn opening(self, value: &[u8], mut at: usize) -> Option<usize> {
        if !self.has_shifts {
            return memchr::memchr3(b'"', b'(', b'<', value.get(at..)?).map(|found| at + found);
        }
        loop {
            match value.get(at)? {
                b'"' | b'(' | b'<' => return Some(at),
                _ => at += self.shift(value, at).unwrap_or(1),
            }
        }
    }

    /// Like [`super::syntax::quoted_end`], but steps by characters.
    pub(crate) fn quoted_end(self, value: &[u8], at: usize) -> Option<usize> {
        if !self.has_shifts {
            return self.backslashes.quoted_end(value, at);
        }
        quoted_end_by(value, at, |i| self.step(value, i))
    }

    /// Like [`comment_end`], but steps by characters.
    pub(crate) fn comment_end(self, value: &[u8], at: usize) -> Option<usize> {
        if !self.has_shifts && self.backslashes == TrailBackslash::None {
            return comment_end(value, at);
        }
        comment_end_by(value, at, |i| self.step(value, i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_end_behind_their_characters() {
        for (value, want) in [
            (&b"\"\x1b$B0\"\x1b(B\" <a@b>"[..], 10),
            (b"\"\x1b$B\\\"\x1b(B\" <a@b>", 10),
            (b"(\x1b$B0)0(\x1b(B)", 12),
            (b"(\x1b$B0\")", 7),
            (b"(\x95\\)", 4),
            (b"((\x95\\)\\))", 8),
            (b"(\xa5\\) <a@b>", 4),
            (b"(caf\xe9\\)) <a@b>", 8),
            // An address that other readers see.
            (b"\"\x1b$B<a@b>\"\x1b(B\"", 10),
        ] {
            let steps = CharacterSteps::of(value);
            let end = if value[0] == b'"' {
                steps.quoted_end(value, 0)
            } else {
                steps.comment_end(value, 0)
            };
            assert_eq!(end, Some(want), "{}", value.escape_ascii());
        }
    }

    #[test]
    fn an_at_sign_without_domain_is_a_trail_byte() {
        for (value, want) in [
            (&b"\xa4@\xa9\xfa <a@b.example>"[..], 2),
            (b"\xa4@ <a@b.example>", 2),
            (b"\xa4@Bob <a@b.example>", 2),
            (b"\xe9@example.com", 1),
            (b"\xe9@example.com <x@y>", 1),
            (b"\xe9@localhost, x", 1),
            (b"\xe9@b\xfccher.example", 1),
            ("é@ü".as_bytes(), 1),
        ] {
            let step = CharacterSteps::of(value)
                .step_in_atom(value, 0, |b| matches!(b, b' ' | b',' | b'<'));
            assert_eq!(step, want, "{}", value.escape_ascii());
        }
    }
}
