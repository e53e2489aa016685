//! Restores a large message through its quoting without a copy of it.
//!
//! The result is that of [`rebuild_to`]. A test compares both.
//!
//! # Limits
//!
//! A message with more than a million quoted lines is copied.

use crate::large_message::MOST_LINES;
use crate::message_pieces::Pieces;
use crate::restore_quoting::{QUOTES, rebuild_to};
use mailglot_archive::Quoting;
use mailglot_archive::ledger::Requote;
use mailglot_archive::mbox::unquote_in_place;
use mailglot_mime::Undo;
use std::borrow::Cow;

/// Rebuilds the original message from that of an output, and passes its pieces to `put`. Returns false if the changes do not fit.
///
/// `message` is not defined afterwards.
pub(crate) fn rebuild_in_place<E>(
    message: &mut Vec<u8>,
    requoting: &Requote,
    undo: &[Undo],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    if requoting.unquotes() {
        let Some(removed) = unquote_in_place(message, Quoting::Mboxrd, MOST_LINES) else {
            return rebuild_to(message, false, requoting, undo, put);
        };
        message.truncate(message.len() - removed.len());
    }
    let Some(old) = old_texts(message, undo) else {
        return Ok(false);
    };
    let Some(pieces) = original_pieces(message, undo, &old) else {
        return Ok(false);
    };
    match requoting {
        Requote::Convert {
            source: quoting @ (Quoting::Mboxo | Quoting::Mboxrd),
            ..
        } => {
            let mut lines = pieces.quotable_lines(false);
            // mboxo quotes a line once.
            lines.retain(|at| *quoting == Quoting::Mboxrd || pieces.byte(*at) != Some(b'>'));
            pieces.marked(&lines).slices().try_for_each(put)?;
        }
        Requote::Count { marks, .. } => return put_marks(&pieces, marks, put),
        _ => pieces.slices().try_for_each(put)?,
    }
    Ok(true)
}

/// Returns the old text of each change. None if one does not fit.
fn old_texts<'u>(message: &[u8], undo: &'u [Undo]) -> Option<Vec<Cow<'u, [u8]>>> {
    let old = |step: &'u Undo| {
        let new = message.get(step.span.start..step.span.end)?;
        step.old.get(new)
    };
    undo.iter().map(old).collect()
}

/// Returns the original, with the old texts in place of the new ones. None if one does not fit.
fn original_pieces<'m>(
    message: &'m [u8],
    undo: &[Undo],
    old: &'m [Cow<'_, [u8]>],
) -> Option<Pieces<'m>> {
    let mut pieces = Pieces::default();
    let mut at = 0;
    for (step, old) in undo.iter().zip(old) {
        pieces.push(message.get(at..step.span.start)?, Some(at));
        pieces.push(old, None);
        message.get(step.span.start..step.span.end)?;
        at = step.span.end;
    }
    pieces.push(message.get(at..)?, Some(at));
    Some(pieces)
}

/// Passes the pieces to `put`, each `>*From ` line with its number of `>`. Returns false if the number of lines differs.
fn put_marks<E>(
    pieces: &Pieces<'_>,
    marks: &[u64],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    let lines = pieces.quotable_lines(false);
    if lines.len() != marks.len() {
        return Ok(false);
    }
    let mut at = 0;
    for (&line, &count) in lines.iter().zip(marks) {
        let count = usize::try_from(count).ok();
        let Some(quotes) = count.and_then(|count| QUOTES.get(..count)) else {
            return Ok(false);
        };
        pieces.put_range(at..line, put)?;
        put(quotes)?;
        let has = (line..).take_while(|&at| pieces.byte(at) == Some(b'>'));
        at = line + has.count();
    }
    pieces.put_range(at..pieces.len(), put)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::{OldBytes, Span};
    use std::convert::Infallible;

    #[test]
    fn a_message_is_rebuilt_like_its_copy() {
        let message = b">From a\n>>From b\nxFrom c\n\nabcdef>From\n>>>From x";
        let undo =
            |start, end, old: &str| Undo::new(Span::new(start, end), OldBytes::Kept(old.into()));
        let steps = [
            vec![],
            vec![undo(3, 5, "xyz"), undo(16, 17, "\n"), undo(17, 17, ">")],
            vec![undo(0, 0, "From \n"), undo(20, 30, "")],
            vec![undo(40, 400, "")],
            vec![undo(10, 20, ""), undo(15, 16, "")],
        ];
        let mut ways = vec![Requote::Leave];
        for unquote in [true, false] {
            for source in [Quoting::None, Quoting::Mboxo, Quoting::Mboxrd] {
                ways.push(Requote::Convert { unquote, source });
            }
            for marks in [
                vec![0, 3, 1],
                vec![0, 3],
                vec![2, 1, 0, 4],
                vec![1 << 20, 0, 0],
            ] {
                ways.push(Requote::Count { unquote, marks });
            }
        }
        let mut rebuilt = 0;
        for undo in &steps {
            for requoting in &ways {
                let (mut copied, mut placed) = (Vec::new(), Vec::new());
                let into = |out: &mut Vec<u8>, piece: &[u8]| {
                    out.extend_from_slice(piece);
                    Ok::<_, Infallible>(())
                };
                let fits = rebuild_to(message, false, requoting, undo, &mut |piece| {
                    into(&mut copied, piece)
                });
                let in_place =
                    rebuild_in_place(&mut message.to_vec(), requoting, undo, &mut |piece| {
                        into(&mut placed, piece)
                    });
                assert_eq!(in_place, fits, "{undo:?} {requoting:?}");
                if fits == Ok(true) {
                    assert_eq!(placed, copied, "{undo:?} {requoting:?}");
                    rebuilt += 1;
                }
            }
        }
        assert!(rebuilt > 20, "{rebuilt}");
    }
}
