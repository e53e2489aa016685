//! Chooses the charset of text with binary data in it, such as yEnc.
//!
//! # Limits
//! Text in two charsets must consist of whole lines before the data. Otherwise it is read in its main charset.

use super::choice::Choice;
use super::evidence::Evidence;
use super::steps::choose;
use super::two_charsets::mixed_text::{gaps, join};
use crate::event::Detail;
use crate::unlogged::decode_unlogged;
use mailglot_codec::LossLog;
use std::borrow::Cow;
use std::ops::Range;

/// Like [`choose`], but chooses the charset from the text beside `data`, the ranges of binary data in `bytes`. The log has no losses of the
/// data, which stay as they are.
pub(crate) fn choose_beside_data<'a>(
    bytes: &'a [u8],
    data: impl Iterator<Item = Range<usize>>,
    evidence: &Evidence<'_>,
) -> Choice<'a> {
    let pieces = gaps(data, bytes.len());
    let mut choice = choose(&join(bytes, &pieces), evidence).into_owned();
    let text = match choice.mixed {
        Some(_) => with_data(bytes, &pieces, &choice),
        None => None,
    };
    if let Some(text) = text {
        return in_place(choice, text, &pieces);
    }
    let is_mixed = |detail: &Detail| matches!(detail, Detail::Mixed { .. });
    choice.events.retain(|(_, detail)| !is_mixed(detail));
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

/// Divides the text of all pieces by their lines, and puts the data between. Returns None unless each piece before data ends with a line.
fn with_data(bytes: &[u8], pieces: &[Range<usize>], choice: &Choice<'_>) -> Option<String> {
    let line_ends = |bytes: &[u8]| memchr::memchr2_iter(b'\n', b'\r', bytes).count();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut rest, mut at) = (&*choice.text, 0);
    let (last, before) = pieces.split_last()?;
    for piece in before {
        let own = &bytes[piece.clone()];
        text.push_str(&decode_unlogged(choice.used, &bytes[at..piece.start]));
        at = piece.end;
        if own.is_empty() {
            continue;
        }
        let mut ends = memchr::memchr2_iter(b'\n', b'\r', rest.as_bytes());
        let end = ends.nth(line_ends(own).checked_sub(1)?)? + 1;
        if !own.ends_with(b"\n") && !own.ends_with(b"\r") {
            return None;
        }
        text.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    text.push_str(&decode_unlogged(choice.used, &bytes[at..last.start]));
    text.push_str(rest);
    (line_ends(rest.as_bytes()) == line_ends(&bytes[last.clone()])).then_some(text)
}

/// Returns the choice with the text of all bytes, and with offsets into them.
fn in_place(choice: Choice<'static>, text: String, pieces: &[Range<usize>]) -> Choice<'static> {
    let place = |offset: u64| {
        let mut before = 0;
        let mut pieces = pieces.iter();
        let found = pieces.find_map(|piece| {
            let within = offset.checked_sub(before)?;
            before += piece.len() as u64;
            (offset < before).then_some(piece.start as u64 + within)
        });
        found.unwrap_or(offset)
    };
    let mut choice = choice;
    for (_, detail) in &mut choice.events {
        if let Detail::Mixed { first, .. } = detail {
            *first = place(*first as u64) as usize;
        }
    }
    Choice {
        text: Cow::Owned(text),
        log: choice.log.moved(place),
        ..choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Charset;

    const DATA: &[u8] = b"=ybegin line=128 size=3 name=a\n\x8D\x81\xFF\n=yend size=3\n";

    fn read(pieces: &[&[u8]], data: &[u8]) -> (Vec<u8>, Choice<'static>) {
        let bytes = pieces.join(data);
        let mut starts = Vec::new();
        let mut at = 0;
        for piece in &pieces[..pieces.len() - 1] {
            at += piece.len();
            starts.push(at..at + data.len());
            at += data.len();
        }
        let choice = choose_beside_data(&bytes, starts.into_iter(), &Evidence::default());
        let choice = choice.into_owned();
        (bytes, choice)
    }

    #[test]
    fn text_in_two_charsets_is_read_beside_data() {
        let utf8 = "Übergrößen für Prüfungen, schöne Grüße – Jürgen\n".as_bytes();
        let latin1 = b"> Gr\xFC\xDFe aus M\xFCnchen, sch\xF6ne Feiertage\n";
        for pieces in [
            [utf8, latin1, utf8],
            [latin1, utf8, utf8],
            [utf8, b"", latin1],
        ] {
            let (bytes, choice) = read(&pieces, DATA);
            assert_eq!(choice.log.losses(), 0, "{choice:?}");
            assert!(
                choice
                    .text
                    .contains("> Grüße aus München, schöne Feiertage")
            );
            assert_eq!(choice.text.matches("=yend").count(), 2);
            assert_eq!(choice.mixed, Some(Charset::WINDOWS_1252));
            let mixed = choice.events.iter().find_map(|(_, detail)| match detail {
                Detail::Mixed { first, .. } => Some(*first),
                _ => None,
            });
            // The lines in UTF-8 are those beside the charset of the rest.
            assert_eq!(mixed, memchr::memmem::find(&bytes, utf8));
        }
    }

    #[test]
    fn every_line_end_divides_the_text() {
        let lines = [
            "Übergrößen für Prüfungen\n".as_bytes(),
            b"> Gr\xFC\xDFe aus M\xFCnchen\n",
        ];
        for end in [&b"\n"[..], b"\r", b"\r\n"] {
            let with_end = |line: &[u8]| {
                let lines: Vec<_> = line.split_inclusive(|byte| *byte == b'\n').collect();
                let lines = lines
                    .iter()
                    .map(|line| [line.trim_ascii_end(), end].concat());
                lines.collect::<Vec<_>>().concat()
            };
            let [utf8, latin1] = lines.map(with_end);
            let data = with_end(DATA);
            let (_, choice) = read(&[&utf8, &latin1, &utf8], &data);
            assert_eq!(choice.log.losses(), 0, "{end:?}");
            assert!(choice.text.contains("> Grüße aus München"), "{end:?}");
            assert_eq!(choice.text.matches("Übergrößen").count(), 2, "{end:?}");
        }
    }

    #[test]
    fn losses_stand_behind_the_data() {
        let utf8 = "Übergrößen für Prüfungen, schöne Grüße – Jürgen\n".as_bytes();
        let latin1 = b"> Gr\xFC\xDFe aus M\xFCnchen, sch\xF6ne Feiertage\n";
        let cut = "Übergrößen für Prüfungen \u{2013}".as_bytes();
        let cut = &cut[..cut.len() - 1];
        let both = [utf8, latin1, utf8].concat();
        let (bytes, choice) = read(&[&both, cut], DATA);
        let kept = choice.log.kept();
        let end = bytes.len() as u64;
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert_eq!(kept[0].bytes, end - 2..end);
    }

    #[test]
    fn many_pieces_take_linear_time() {
        let utf8 = "Übergrößen für\n> ".as_bytes();
        let unit = [utf8, b"Gr\xFC\xDFe aus M\xFCnchen\n"].concat();
        crate::linear::assert_linear(&"data", 400, |n| {
            let _ = read(&vec![&unit[..]; n], DATA);
        });
    }
}
