//! Rebuilds an original message from an output: removes the output's quoting, applies the inverse edits, and quotes as the input did.
//!
//! `restore` uses it, and so does the writer of a ledger, to check each message.

use mailglot_archive::Quoting;
use mailglot_archive::ledger::Requote;
use mailglot_archive::mbox::{requote, unquote};
use mailglot_mime::{Edit, Undo, apply_undo};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::LazyLock;

/// Rebuilds the original message from that of an output. Returns None if the changes do not fit.
///
/// With `midline` the bytes begin inside a line: quoting begins after the first line end.
pub(crate) fn rebuild<'a>(
    message: &'a [u8],
    midline: bool,
    requoting: &Requote,
    undo: &[Undo],
) -> Option<Cow<'a, [u8]>> {
    let (head, lines) = message.split_at(if midline { line_end(message) } else { 0 });
    let old = unquoted(lines, requoting, undo)?;
    let quoted = match requoting {
        Requote::Count { marks, .. } => {
            let mut out = Vec::with_capacity(old.len() + marks.len());
            let put = &mut |piece: &[u8]| {
                out.extend_from_slice(piece);
                Ok::<_, Infallible>(())
            };
            if write_marks(&old, marks, put) != Ok(true) {
                return None;
            }
            Cow::Owned(out)
        }
        Requote::Convert {
            source: quoting @ (Quoting::Mboxo | Quoting::Mboxrd),
            ..
        } => {
            let mut out = Vec::with_capacity(old.len() + 64);
            requote(&old, *quoting, &mut out);
            drop(old);
            Cow::Owned(out)
        }
        _ => old,
    };
    Some(if head.is_empty() {
        quoted
    } else {
        Cow::Owned([head, &quoted].concat())
    })
}

/// Like [`rebuild`], passing pieces to `put`. Returns false if the changes do not fit.
///
/// A ledger may request far more `>` than it has bytes. They are never in memory together, and `put` can fail if they are too many.
pub(crate) fn rebuild_to<E>(
    message: &[u8],
    midline: bool,
    requoting: &Requote,
    undo: &[Undo],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    let Requote::Count { marks, .. } = requoting else {
        let Some(old) = rebuild(message, midline, requoting, undo) else {
            return Ok(false);
        };
        return put(&old).map(|()| true);
    };
    let (head, lines) = message.split_at(if midline { line_end(message) } else { 0 });
    let Some(old) = unquoted(lines, requoting, undo) else {
        return Ok(false);
    };
    put(head)?;
    write_marks(&old, marks, put)
}

/// Returns the original message before quoting.
fn unquoted<'a>(lines: &'a [u8], requoting: &Requote, undo: &[Undo]) -> Option<Cow<'a, [u8]>> {
    let plain = if requoting.unquotes() {
        unquote(lines, Quoting::Mboxrd)
    } else {
        Cow::Borrowed(lines)
    };
    // A piece has no changes. Their offsets would otherwise refer to its lines.
    if undo.is_empty() {
        Some(plain)
    } else {
        apply_undo(&plain, undo).map(Cow::Owned)
    }
}

/// Returns the length of the first line with its LF or CR, or of everything if there is none.
pub(crate) fn line_end(bytes: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', bytes).map_or(bytes.len(), |at| at + 1)
}

/// Returns true if a line begins with `>*From `.
pub(crate) fn has_from_line(bytes: &[u8]) -> bool {
    from_lines(bytes).next().is_some()
}

/// Returns true if `From ` occurs, at the start of a line or not.
pub(crate) fn has_from(bytes: &[u8]) -> bool {
    FROM.find(bytes).is_some()
}

/// Returns true if `From ` occurs in or touches text inserted by edits. Does not search elsewhere.
pub(crate) fn may_contain_from(new: &[u8], edits: &[Edit]) -> bool {
    // Length of what an edit can leave of a `From ` at its ends.
    const REST: usize = b"From ".len() - 1;
    let (mut old_at, mut new_at) = (0, 0);
    edits.iter().any(|edit| {
        let start = new_at + edit.span.start - old_at;
        let end = start + edit.with.len();
        (old_at, new_at) = (edit.span.end, end);
        let window = start.saturating_sub(REST)..new.len().min(end + REST);
        new.get(window)
            .is_none_or(|window| FROM.find(window).is_some())
    })
}

/// Returns the number of `>` of each `>*From ` line.
pub(crate) fn count_marks(bytes: &[u8]) -> Vec<u64> {
    from_lines(bytes).map(|(_, marks)| marks as u64).collect()
}

/// Writes each `>*From ` line with its number of `>`. Returns false if the number of lines differs or a number is too large.
fn write_marks<E>(
    bytes: &[u8],
    marks: &[u64],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    let mut at = 0;
    let mut wanted = marks.iter();
    for (start, has) in from_lines(bytes) {
        let count = wanted.next().and_then(|&count| usize::try_from(count).ok());
        let Some(quotes) = count.and_then(|count| QUOTES.get(..count)) else {
            return Ok(false);
        };
        put(&bytes[at..start])?;
        put(quotes)?;
        at = start + has;
    }
    put(&bytes[at..])?;
    Ok(wanted.next().is_none())
}

/// Largest number of `>` that counts as quoting.
pub(crate) const MOST_MARKS: usize = 1 << 16;
/// The longest quoting: [`MOST_MARKS`] times `>`.
pub(crate) static QUOTES: [u8; MOST_MARKS] = [b'>'; MOST_MARKS];

static FROM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"From "));

/// Returns offset and number of `>` of each `>*From ` line. A line follows LF or CR, as for quoting.
pub(crate) fn from_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    FROM.find_iter(bytes).filter_map(|at| {
        let before = &bytes[..at];
        let marks = before.iter().rev().take_while(|&&b| b == b'>').count();
        let start = at - marks;
        matches!(before[..start].last(), None | Some(b'\n' | b'\r')).then_some((start, marks))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_lines_are_found() {
        assert!(has_from_line(b"From x"));
        assert!(has_from_line(b"a\n>>From x"));
        assert!(has_from_line(b"a\rFrom x"));
        assert!(!has_from_line(b"a From x\n> From y\nFromage"));
        assert_eq!(
            count_marks(b"From a\n>From b\nx From\n>>>From c"),
            [0, 1, 3]
        );
    }

    /// The shortcut for large messages gives the same result as rebuilding.
    #[test]
    fn requotes_agrees_with_rebuild() {
        use mailglot_archive::mbox::{quote_mboxrd, requotes};
        let words: [&[u8]; 8] = [
            b"From ", b">From ", b">>From ", b"\n", b"\r", b"\r\n", b"x", b">",
        ];
        for seed in 0..8u32.pow(5) {
            let old: Vec<u8> = (0..5)
                .flat_map(|n| words[(seed >> (3 * n)) as usize % 8])
                .copied()
                .collect();
            for source in [Quoting::None, Quoting::Mboxo, Quoting::Mboxrd] {
                let mut new = Vec::new();
                quote_mboxrd(&unquote(&old, source), &mut new);
                let requoting = Requote::Convert {
                    unquote: true,
                    source,
                };
                let back = rebuild(&new, false, &requoting, &[]).unwrap();
                assert_eq!(
                    requotes(&old, source),
                    back == old,
                    "{source:?} {}",
                    old.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn inserted_text_is_searched() {
        use mailglot_mime::{Span, splice};
        let raw = b"a From: b\nFrXm c\n";
        for (span, with, wanted) in [
            (Span::new(0, 1), "x", false),
            (Span::new(6, 7), "", true),
            (Span::new(12, 13), "o", true),
            (Span::new(12, 13), "e", false),
            (Span::new(17, 17), "From ", true),
            (Span::new(0, 17), "", false),
        ] {
            let edits = [Edit::new(Span::new(0, 0), "yy"), Edit::new(span, with)];
            let mut new = Vec::new();
            splice(raw, &edits, &mut new).unwrap();
            assert_eq!(may_contain_from(&new, &edits), wanted, "{span:?} {with}");
        }
    }

    #[test]
    fn irregular_quoting_is_restored_by_count() {
        let old = b"From a\n>From b\n>>From c\n".as_slice();
        let stripped = b">>From a\nFrom b\nFrom c\n";
        let requoting = |marks: &[u64]| Requote::Count {
            unquote: false,
            marks: marks.to_vec(),
        };
        let restored = |bytes, marks: &[u64]| {
            rebuild(bytes, false, &requoting(marks), &[]).map(Cow::into_owned)
        };
        assert_eq!(restored(stripped, &count_marks(old)).as_deref(), Some(old));
        assert_eq!(restored(stripped, &[1, 2]), None);
        assert_eq!(restored(stripped, &[1, 2, 3, 4]), None);
        assert_eq!(restored(b"From ", &[1 << 40]), None);
    }

    #[test]
    fn number_of_quote_marks_is_limited() {
        let lines = b"x\nFrom \n".repeat(1000);
        let requoting = Requote::Count {
            unquote: false,
            marks: vec![65_536; 2000],
        };
        for midline in [false, true] {
            let (mut bytes, mut largest) = (0, 0);
            let done = rebuild_to(&lines, midline, &requoting, &[], &mut |piece| {
                bytes += piece.len();
                largest = largest.max(piece.len());
                if bytes > 1_000_000 {
                    Err("enough")
                } else {
                    Ok(())
                }
            });
            assert_eq!(done, Err("enough"));
            assert_eq!(largest, 65_536);
        }
        let requoting = Requote::Count {
            unquote: false,
            marks: (0..1000).collect(),
        };
        let mut out = Vec::new();
        let put = &mut |piece: &[u8]| {
            out.extend_from_slice(piece);
            Ok::<_, Infallible>(())
        };
        assert_eq!(rebuild_to(&lines, true, &requoting, &[], put), Ok(true));
        assert_eq!(
            rebuild(&lines, true, &requoting, &[]).as_deref(),
            Some(&out[..])
        );
    }

    #[test]
    fn a_piece_inside_a_line_keeps_its_first_line() {
        let requoting = Requote::Convert {
            unquote: true,
            source: Quoting::None,
        };
        let piece = b">From not at a line start\n>From here\n";
        let back = rebuild(piece, true, &requoting, &[]).unwrap();
        assert_eq!(&*back, b">From not at a line start\nFrom here\n");
        assert_eq!(
            &*rebuild(b">From ", true, &requoting, &[]).unwrap(),
            b">From "
        );
    }
}
