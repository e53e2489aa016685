//! Checks the lines of 7bit and 8bit bodies (RFC 2045, sections 2.7 and 2.8).

use crate::message::{Eol, Message};
use crate::part_id::PartId;
use crate::recipe::{OldEol, to_crlf, to_lf};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Longest line without its line end (RFC 5322, section 2.1.1).
const LONGEST: usize = 998;

/// Returns the boundaries of all multiparts around a part.
pub(super) fn boundaries_around<'m>(message: &'m Message<'_>, id: PartId) -> Vec<&'m [u8]> {
    let parents = message.parents(id);
    parents.filter_map(|id| message.boundary(id)).collect()
}

/// Gives a decoded text the line ends of its message. Returns None if that would change the text.
///
/// It would if a CR stands alone, or if both forms of line ends occur. Then some are data, as in a patch for a file with CR LF.
pub(super) fn with_line_ends(text: &[u8], eol: Eol) -> Option<(Cow<'_, [u8]>, OldEol)> {
    let cr = memchr::memchr(b'\r', text);
    match (eol, cr) {
        (Eol::Cr, _) => None,
        (_, Some(_)) if are_data(text) => None,
        (Eol::Lf, None) | (Eol::CrLf, Some(_)) => Some((Cow::Borrowed(text), OldEol::Same)),
        (Eol::Lf, Some(_)) => Some((Cow::Owned(to_lf(text)), OldEol::CrLf)),
        (Eol::CrLf, None) if memchr::memchr(b'\n', text).is_some() => {
            Some((Cow::Owned(to_crlf(text)), OldEol::Lf))
        }
        (Eol::CrLf, None) => Some((Cow::Borrowed(text), OldEol::Same)),
    }
}

/// Returns true if the line ends of a text are data: both forms occur, or a CR stands alone.
///
/// Only text whose line ends are all CR LF or all LF may get those of its message.
pub(super) fn are_data(text: &[u8]) -> bool {
    memchr::memchr(b'\r', text).is_some() && (has_bare_cr(text) || has_bare_lf(text))
}

/// Returns true if two texts differ only in line ends, which are all CR LF or all LF in each.
pub(super) fn are_same(one: &[u8], other: &[u8]) -> bool {
    one == other || !are_data(one) && !are_data(other) && to_lf(one) == to_lf(other)
}

/// Returns true if a text has bare CR or LF, which some readers accept as a line end, even before a delimiter.
pub(super) fn has_bare_ends(text: &[u8], eol: Eol) -> bool {
    match eol {
        // An LF would stop the rule that a lone CR ends lines.
        Eol::Cr => memchr::memchr(b'\n', text).is_some(),
        Eol::Lf => has_bare_cr(text),
        Eol::CrLf => has_bare_cr(text) || has_bare_lf(text),
    }
}

/// Returns true if a body begins with an LF after CRs, and so turns the CR before it into CR LF.
pub(super) fn joins_header(text: &[u8], eol: Eol) -> bool {
    eol == Eol::Cr && text.iter().find(|byte| **byte != b'\r') == Some(&b'\n')
}

fn has_bare_cr(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

fn has_bare_lf(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', text).any(|at| at == 0 || text[at - 1] != b'\r')
}

/// Returns true if a body may stand without transfer encoding.
///
/// It must not contain NUL, long lines or delimiters of enclosing multiparts. If `quotable` is set, no line may begin with `From `,
/// which a mailbox would quote.
pub(super) fn may_stand(text: &[u8], eol: Eol, boundaries: &[&[u8]], quotable: bool) -> bool {
    let end = if eol == Eol::Cr { b'\r' } else { b'\n' };
    memchr::memchr(0, text).is_none()
        && are_short(text, end, LONGEST + usize::from(eol == Eol::CrLf))
        && !(quotable && starts(text, end, from()).next().is_some())
        && (boundaries.is_empty()
            || !starts(text, end, dashes())
                .any(|at| boundaries.iter().any(|b| text[at..].starts_with(b))))
}

/// Returns true if no line is longer than `longest`. Searches only the last line end within each `longest` bytes.
fn are_short(text: &[u8], end: u8, longest: usize) -> bool {
    let mut rest = text;
    while rest.len() > longest {
        let Some(last) = memchr::memrchr(end, &rest[..=longest]) else {
            return false;
        };
        rest = &rest[last + 1..];
    }
    true
}

/// Returns the offsets after `word` at line starts.
fn starts<'t>(
    text: &'t [u8],
    end: u8,
    word: &'static Finder<'_>,
) -> impl Iterator<Item = usize> + 't {
    let begins = move |at: &usize| *at == 0 || text[*at - 1] == end;
    word.find_iter(text)
        .filter(begins)
        .map(|at| at + word.needle().len())
}

fn from() -> &'static Finder<'static> {
    static FROM: OnceLock<Finder<'static>> = OnceLock::new();
    FROM.get_or_init(|| Finder::new(b"From "))
}

fn dashes() -> &'static Finder<'static> {
    static DASHES: OnceLock<Finder<'static>> = OnceLock::new();
    DASHES.get_or_init(|| Finder::new(b"--"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, eol: Eol) -> Option<(String, OldEol)> {
        with_line_ends(text.as_bytes(), eol)
            .map(|(t, o)| (String::from_utf8(t.into_owned()).unwrap(), o))
    }

    #[test]
    fn line_ends_follow_the_message() {
        assert_eq!(
            ends("a\r\nb", Eol::Lf),
            Some(("a\nb".to_owned(), OldEol::CrLf))
        );
        assert_eq!(
            ends("a\nb", Eol::CrLf),
            Some(("a\r\nb".to_owned(), OldEol::Lf))
        );
        assert_eq!(
            ends("a\r\nb", Eol::CrLf),
            Some(("a\r\nb".to_owned(), OldEol::Same))
        );
        assert_eq!(ends("a\rb", Eol::Lf), None);
        assert_eq!(ends("a\rb\r\n", Eol::CrLf), None);
        assert!(are_same(b"a\r\nb", b"a\nb") && are_same(b"a\rb\n", b"a\rb\n"));
        assert!(!are_same(b"a\rb\n", b"a\rb\r\n") && !are_same(b"a\n", b"a"));
        for eol in [Eol::Lf, Eol::CrLf] {
            assert_eq!(ends("a\r\nb\nc", eol), None);
        }
        assert_eq!(ends("a", Eol::Cr), None);
    }

    /// Checks each line by the written rules.
    fn may_each_stand(text: &[u8], eol: Eol, boundaries: &[&[u8]], quotable: bool) -> bool {
        let end = if eol == Eol::Cr { b'\r' } else { b'\n' };
        let longest = if eol == Eol::CrLf { 999 } else { 998 };
        !text.contains(&0)
            && text.split(|b| *b == end).all(|line| {
                let delimiter = line.strip_prefix(b"--");
                line.len() <= longest
                    && !(quotable && line.starts_with(b"From "))
                    && !delimiter.is_some_and(|line| boundaries.iter().any(|b| line.starts_with(b)))
            })
    }

    #[test]
    fn searches_agree_with_a_check_of_each_line() {
        let mut state = 1_u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        let long = [b'x'; 997];
        let pieces: [&[u8]; 12] = [
            b"\n", b"\n", b"\r\n", b"\r", b"--", b"-", b"From ", b"From", b"bound", b" ", &long,
            b"\0",
        ];
        let mut counts = [0; 2];
        for _ in 0..50_000 {
            let count = next(10);
            let text: Vec<u8> = (0..count)
                .flat_map(|_| pieces[if next(30) == 0 { 11 } else { next(11) }])
                .copied()
                .collect();
            let boundaries = &[&b"bound"[..], b"x", b"bo"][..next(4)];
            let (eol, quotable) = ([Eol::Lf, Eol::CrLf, Eol::Cr][next(3)], next(2) == 0);
            let stands = may_stand(&text, eol, boundaries, quotable);
            assert_eq!(
                stands,
                may_each_stand(&text, eol, boundaries, quotable),
                "{}",
                text.escape_ascii()
            );
            counts[usize::from(stands)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 5000), "{counts:?}");
    }

    #[test]
    fn lines_that_may_not_stand() {
        let plain = |text: &[u8], quotable| may_stand(text, Eol::Lf, &[b"b"], quotable);
        assert!(plain(b"a\n-b\n--\n --b", true));
        assert!(!plain(b"a\n--b", true));
        assert!(!plain(b"--bc\n", true));
        assert!(!plain(b"a\0", true));
        assert!(!plain(b"x\nFrom y", true));
        assert!(plain(b"x\nFrom y", false));
        assert!(plain(&[b'x'; 998], true));
        assert!(!plain(&[b'x'; 999], true));
    }
}
