//! Chooses the charset of text with binary data in it, such as yEnc.
//!
//! # Limits
//! Text in two charsets is read piece by piece. A piece is the text before, between or behind the data.

use super::choice::Choice;
use super::evidence::Evidence;
use super::steps::choose;
use super::two_charsets::mixed_text::{gaps, join};
use crate::event::{Detail, EventKind};
use crate::unlogged::decode_unlogged;
use mailglot_codec::LossLog;
use std::ops::Range;

/// Like [`choose`], but chooses the charset from the text beside `data`, the ranges of binary data in `bytes`. The log has no losses of the
/// data, which stay as they are.
pub(crate) fn choose_beside_data<'a>(
    bytes: &'a [u8],
    data: impl Iterator<Item = Range<usize>>,
    evidence: &Evidence<'_>,
) -> Choice<'a> {
    let pieces = gaps(data, bytes.len());
    let choice = choose(&join(bytes, &pieces), evidence).into_owned();
    if choice.mixed.is_some() {
        return by_piece(bytes, &pieces, &choice, evidence);
    }
    let mut log = LossLog::new();
    for piece in pieces {
        let mut of_piece = LossLog::new();
        choice.used.decode(&bytes[piece.clone()], &mut of_piece);
        log.append(&of_piece, piece.start as u64);
    }
    let all = decode_unlogged(choice.used, bytes);
    Choice::of_text(all, log, choice.used, choice.how, choice.events)
        .with_confidence(choice.confidence)
}

/// Chooses a charset for each piece. `of_all` is the choice for all of them together, a text in two charsets.
fn by_piece<'a>(
    bytes: &'a [u8],
    pieces: &[Range<usize>],
    of_all: &Choice<'_>,
    evidence: &Evidence<'_>,
) -> Choice<'a> {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut log, mut events, mut at) = (LossLog::new(), Vec::new(), 0);
    for piece in pieces {
        text.push_str(&decode_unlogged(of_all.used, &bytes[at..piece.start]));
        let own = choose(&bytes[piece.clone()], evidence);
        text.push_str(&own.text);
        log.append(&own.log, piece.start as u64);
        for event in own.events {
            let event = behind(event, piece.start);
            if !events.contains(&event) {
                events.push(event);
            }
        }
        at = piece.end;
    }
    let (used, how) = (of_all.used, of_all.how);
    let choice = Choice::of_text(text.into(), log, used, how, events);
    Choice {
        mixed: of_all.mixed,
        ..choice.with_confidence(of_all.confidence)
    }
}

/// Returns an event about a text that begins at `start`.
fn behind((kind, mut detail): (EventKind, Detail), start: usize) -> (EventKind, Detail) {
    if let Detail::Mixed { first, .. } = &mut detail {
        *first += start;
    }
    (kind, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Charset;

    #[test]
    fn text_in_two_charsets_is_read_beside_data() {
        let utf8 = "Übergrößen für Prüfungen, schöne Grüße – Jürgen\n".as_bytes();
        let latin1 = b"> Gr\xFC\xDFe aus M\xFCnchen, sch\xF6ne Feiertage\n";
        let data = b"=ybegin line=128 size=3 name=a\n\x8D\x81\xFF\n=yend size=3\n";
        let bytes = [utf8, &data[..], latin1, utf8].concat();
        let at = utf8.len()..utf8.len() + data.len();
        let choice = choose_beside_data(&bytes, [at].into_iter(), &Evidence::default());
        assert_eq!(choice.log.losses(), 0, "{choice:?}");
        assert!(
            choice
                .text
                .contains("> Grüße aus München, schöne Feiertage")
        );
        assert_eq!(choice.text.matches("Übergrößen für").count(), 2);
        assert_eq!(choice.mixed, Some(Charset::WINDOWS_1252));
        let mixed = choice.events.iter().find_map(|(_, detail)| match detail {
            Detail::Mixed { first, .. } => Some(*first),
            _ => None,
        });
        let starts = [utf8.len() + data.len(), bytes.len() - utf8.len()];
        assert!(
            mixed.is_some_and(|first| starts.contains(&first)),
            "{mixed:?}"
        );
    }
}
