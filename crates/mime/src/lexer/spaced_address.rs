//! Finds addresses with white space in them (RFC 5322, section 4.4).

use super::raw_characters::CharacterSteps;
use super::syntax::{ends_atom, find_byte, is_space, skip_space};

/// Finds addresses with white space beside their dots or their `@`, or with strings among their atoms (RFC 5322, section 4.4).
pub(super) struct SpacedAddresses<'a> {
    pub(super) value: &'a [u8],
    pub(super) steps: CharacterSteps,
    /// The offset before which no other address begins.
    pub(super) tried: usize,
    /// True if every quote so far had a partner.
    pub(super) quotes: bool,
}

impl SpacedAddresses<'_> {
    /// Returns the offset after an address that begins with the atom or string `at..end`.
    pub(super) fn address(&mut self, at: usize, end: usize) -> Option<usize> {
        let value = self.value;
        let next = skip_space(value, end);
        let goes_on = match value.get(next)? {
            b'.' | b'@' => true,
            b'"' => value[end - 1] == b'.',
            _ => value[end - 1] == b'@' && next > end,
        };
        if goes_on && at >= self.tried {
            self.whole(at)
        } else {
            None
        }
    }

    /// Returns the offset after an address at `at`.
    ///
    /// It has one `@`, and a separator, a comment or nothing follows it. Otherwise it is the name before another address.
    #[cold]
    fn whole(&mut self, at: usize) -> Option<usize> {
        let value = self.value;
        let (mut start, mut signs, mut is_spaced) = (at, 0, false);
        // A string beside an atom: `"a".b@c` (RFC 5322, section 4.4, `obs-local-part`).
        let mut is_mixed = false;
        loop {
            let (end, more) = self.piece(start)?;
            let next = skip_space(value, end);
            self.tried = next;
            signs += more;
            match value.get(next) {
                None | Some(b',' | b';' | b'(') => {
                    return (signs == 1 && (is_spaced || is_mixed)).then_some(end);
                }
                Some(byte) => {
                    // A dot after a letter and before white space ends an initial: `J. R.`
                    let goes_on = matches!(byte, b'.' | b'@')
                        || next == end && *byte == b'"'
                        || value[end - 1] == b'@'
                        || value[start] == b'.' && value[end - 1] == b'.'
                        || next == end && value[start] == b'"';
                    if !goes_on {
                        return None;
                    }
                }
            }
            is_spaced |= next > end;
            is_mixed |= value[start] == b'"' || value[next] == b'"';
            start = next;
        }
    }

    /// Returns the offset after the atoms or the quoted string at `at`, and the number of `@` in it.
    fn piece(&mut self, at: usize) -> Option<(usize, usize)> {
        let value = self.value;
        if value[at] == b'"' {
            let end = if self.quotes {
                self.steps.quoted_end(value, at)
            } else {
                None
            };
            self.quotes = end.is_some();
            return Some((end?, 0));
        }
        let (mut i, mut signs) = (literal_end(value, at), 0);
        while let Some(&byte) = value.get(i).filter(|byte| !ends_atom(**byte)) {
            signs += usize::from(byte == b'@');
            i = if byte == b'@' {
                literal_end(value, i + 1)
            } else {
                i + self.steps.step_in_atom(value, i, ends_atom)
            };
        }
        (i > at).then_some((i, signs))
    }
}

/// Returns true if white space stands before a dot or beside an `@`, as in obsolete addresses.
pub(crate) fn has_spaced(value: &[u8]) -> bool {
    let is_space = |at: usize| value.get(at).is_some_and(|byte| is_space(*byte));
    memchr::memchr2_iter(b'@', b'.', value)
        .any(|at| at > 0 && is_space(at - 1) || value[at] == b'@' && is_space(at + 1))
}

/// Returns the offset after the domain literal at `at` (RFC 5322, section 3.4.1), whose colons do not separate; `at` without one.
pub(super) fn literal_end(value: &[u8], at: usize) -> usize {
    if value.get(at) != Some(&b'[') {
        return at;
    }
    let is_end = |b: u8| !b.is_ascii_alphanumeric() && !matches!(b, b':' | b'.' | b'-');
    let end = find_byte(value, at + 1, is_end);
    if value.get(end) == Some(&b']') {
        end + 1
    } else {
        at
    }
}
