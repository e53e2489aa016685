//! What lines may look like in 7bit and 8bit bodies (RFC 2045 2.7 and 2.8).

use crate::recipe::{OldEol, to_crlf, to_lf};
use crate::{Eol, Message, PartId};
use std::borrow::Cow;

/// Longest line without its line end (RFC 5322 2.1.1).
const LONGEST: usize = 998;

/// Boundaries of all multiparts around a part.
pub(super) fn boundaries_around<'m>(message: &'m Message<'_>, id: PartId) -> Vec<&'m [u8]> {
    let mut boundaries = Vec::new();
    let mut next = message.part(id).parent;
    while let Some(id) = next {
        boundaries.extend(message.boundary(id));
        next = message.part(id).parent;
    }
    boundaries
}

/// Gives a decoded text the line ends of its message; None where that cannot be done without changing the text (a bare CR).
pub(super) fn with_line_ends(text: &[u8], eol: Eol) -> Option<(Cow<'_, [u8]>, OldEol)> {
    let cr = memchr::memchr(b'\r', text);
    match (eol, cr) {
        (Eol::Cr, _) => None,
        (Eol::Lf, None) => Some((Cow::Borrowed(text), OldEol::Same)),
        (Eol::Lf, Some(_)) => {
            let lf = to_lf(text);
            memchr::memchr(b'\r', &lf).is_none().then_some((Cow::Owned(lf), OldEol::CrLf))
        }
        (Eol::CrLf, None) if memchr::memchr(b'\n', text).is_some() => {
            Some((Cow::Owned(to_crlf(text)), OldEol::Lf))
        }
        (Eol::CrLf, None) => Some((Cow::Borrowed(text), OldEol::Same)),
        (Eol::CrLf, Some(_)) => {
            let bare_cr = memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'));
            let bare_lf = memchr::memchr_iter(b'\n', text).any(|at| at == 0 || text[at - 1] != b'\r');
            match (bare_cr, bare_lf) {
                (true, _) => None,
                (false, false) => Some((Cow::Borrowed(text), OldEol::Same)),
                (false, true) => Some((Cow::Owned(to_crlf(text)), OldEol::Same)),
            }
        }
    }
}

/// Whether a body may stand as plain lines: none too long, no NUL, none that an enclosing boundary would cut, none that a mailbox would quote
/// where `quotable` says that it was protected so far.
pub(super) fn may_stand(text: &[u8], eol: Eol, boundaries: &[&[u8]], quotable: bool) -> bool {
    if memchr::memchr(0, text).is_some() {
        return false;
    }
    let end = if eol == Eol::Cr { b'\r' } else { b'\n' };
    let mut start = 0;
    let ends = memchr::memchr_iter(end, text).chain(std::iter::once(text.len()));
    for at in ends {
        if at - start > LONGEST + usize::from(eol == Eol::CrLf) {
            return false;
        }
        match text.get(start) {
            Some(b'-') if text[start..].starts_with(b"--") => {
                let line = &text[start + 2..at];
                if boundaries.iter().any(|b| line.starts_with(b)) {
                    return false;
                }
            }
            Some(b'F') if quotable && text[start..].starts_with(b"From ") => return false,
            _ => {}
        }
        start = at + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, eol: Eol) -> Option<(String, OldEol)> {
        with_line_ends(text.as_bytes(), eol).map(|(t, o)| (String::from_utf8(t.into_owned()).unwrap(), o))
    }

    #[test]
    fn line_ends_follow_the_message() {
        assert_eq!(ends("a\r\nb", Eol::Lf), Some(("a\nb".to_owned(), OldEol::CrLf)));
        assert_eq!(ends("a\nb", Eol::CrLf), Some(("a\r\nb".to_owned(), OldEol::Lf)));
        assert_eq!(ends("a\r\nb", Eol::CrLf), Some(("a\r\nb".to_owned(), OldEol::Same)));
        assert_eq!(ends("a\rb", Eol::Lf), None);
        assert_eq!(ends("a\rb\r\n", Eol::CrLf), None);
        assert_eq!(ends("a", Eol::Cr), None);
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
