//! Bytes of words and parameters that their label cannot read: the ladder of bodies for texts of a few letters.
//!
//! # Limits
//! Half a character of UTF-8 at the end, where a mailer cut a text, is told from a letter of Latin-1 by the letters beside it alone.

use super::{LIKELY, MAIL, found, is_damaged, reads};
use crate::EventKind;
use mailglot_codec::detect::{self, Evidence, Weighed};
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Another charset's reading.
pub(crate) struct Instead<'b> {
    pub(crate) used: Charset,
    pub(crate) text: Cow<'b, str>,
    /// What is to be told.
    pub(crate) event: (EventKind, Cow<'static, str>),
}

/// The text of bytes of which their label made this one, with losses, in the charset that the message tells or that detection finds; None
/// where the label stands.
pub(crate) fn instead<'b>(
    bytes: &'b [u8],
    label: Charset,
    text: &str,
    log: &LossLog,
    told: Option<Charset>,
    language: Option<&str>,
) -> Option<Instead<'b>> {
    if !is_damaged(label, bytes, text, log) || !label.is_ascii_compatible() && !label.is_stateful() {
        return None;
    }
    let can_be = |charset: Charset| {
        charset != label && charset.is_ascii_compatible() && !charset.is_stateful() && reads(charset, bytes)
    };
    let told = told.filter(|told| can_be(*told) && !detect::is_odd(bytes, *told));
    let (used, by) = match told {
        Some(told) => (told, super::How::Message.name()),
        None => detected(bytes, label, language).filter(|(used, _)| can_be(*used))?,
    };
    if told.is_none() && is_alone(bytes, used) {
        return None;
    }
    if is_cut(label, bytes) && (detect::is_odd(bytes, used) || told.is_none() && !ends_a_word(bytes)) {
        return None;
    }
    Some(Instead { used, text: used.decode(bytes, &mut LossLog::new()), event: found(Some(label), used, by) })
}

/// What the bytes alone tell.
fn detected(bytes: &[u8], label: Charset, language: Option<&str>) -> Option<(Charset, &'static str)> {
    let hints = detect::Hints { language, ..MAIL };
    let guess = Weighed::new(bytes, &hints).guess();
    // A page of single bytes reads anything: against a label of more bytes it must be likely.
    let stands = label != Charset::UTF_8 && !label.is_single_byte() && guess.confidence < LIKELY;
    match guess.evidence {
        Evidence::Fallback | Evidence::Utf8 if label == Charset::UTF_8 => {
            Some((Charset::WINDOWS_1252, Evidence::Fallback.name()))
        }
        Evidence::Fallback => None,
        _ => (!stands).then_some((guess.charset, guess.evidence.name())),
    }
}

/// Whether the only byte above 7F stands beside no letter, or is a sign that does not stand between two: of itself it may be anything.
fn is_alone(bytes: &[u8], used: Charset) -> bool {
    let mut high = bytes.iter().enumerate().filter(|(_, byte)| **byte >= 0x80);
    let (Some((at, _)), None) = (high.next(), high.next()) else { return false };
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    match (is_letter(at.checked_sub(1)), is_letter(at.checked_add(1))) {
        (true, true) => false,
        (false, false) => true,
        _ => !detect::has_letters(bytes, used),
    }
}

/// Whether text in UTF-8 may have been cut: nothing is beyond ASCII but the beginning of a character at the end.
fn is_cut(label: Charset, bytes: &[u8]) -> bool {
    let Err(error) = std::str::from_utf8(bytes) else { return false };
    label == Charset::UTF_8 && error.error_len().is_none() && bytes[..error.valid_up_to()].is_ascii()
}

/// Whether that beginning is one byte, and a letter behind others in Latin-1. What begins emoji and the quotation marks of English is not
/// taken for one: they are more frequent than `ð` and `â` at the end of words.
fn ends_a_word(bytes: &[u8]) -> bool {
    let [.., before, last] = bytes else { return false };
    before.is_ascii_alphabetic() && !matches!(last, 0xE2 | 0xF0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(label: Charset, bytes: &[u8], told: Option<&str>) -> Option<(&'static str, String)> {
        let mut log = LossLog::new();
        let text = label.decode(bytes, &mut log);
        let told = told.and_then(Charset::for_name);
        instead(bytes, label, &text, &log, told, None).map(|read| (read.used.name(), read.text.into_owned()))
    }

    #[test]
    fn what_the_label_cannot_read_is_read_otherwise() {
        for (bytes, told, want) in [
            (&b"Gr\xFC\xDFe aus K\xF6ln"[..], None, "Gr\u{fc}\u{df}e aus K\u{f6}ln"),
            (b"caf\xE9", None, "caf\u{e9}"),
            (b"don\x92t", None, "don\u{2019}t"),
            (b"caf\xE9", Some("KOI8-R"), "caf\u{e9}"),
            (b"M\xFCller", Some("ISO-8859-2"), "M\u{fc}ller"),
            (b"\xF0\xD2\xC9\xD7\xC5\xD4", None, "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}"),
            (b"\xE4\xC1", Some("KOI8-R"), "\u{414}\u{430}"),
            (b"\xC4\xE0", Some("windows-1251"), "\u{414}\u{430}"),
        ] {
            let read = read(Charset::UTF_8, bytes, told).map(|(_, text)| text);
            assert_eq!(read.as_deref(), Some(want), "{} {told:?}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_was_utf8_stays() {
        for bytes in [
            "Größe und mehr".as_bytes(),
            b"Gr\xC3",
            b"die gro\xC3",
            b"Re: \xE6\x97",
            b"Re: \xE6",
            b"\xD0",
            b"don\xE2",
            b"(\xC3)",
            b"red\x9B31m",
            b"\xFF",
            b"\xF0\x9F\x98",
            b"plain",
            &"日本語のテキスト".as_bytes()[..8],
            b"Gr\xC3\xB6\xC3 e",
        ] {
            assert_eq!(read(Charset::UTF_8, bytes, None), None, "{}", bytes.escape_ascii());
        }
        assert_eq!(read(Charset::GBK, b"\xC4\xE3\xBA\xC3 \xFF", None), None);
    }
}
