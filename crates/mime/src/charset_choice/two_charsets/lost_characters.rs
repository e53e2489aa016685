//! Decodes U+FFFD in UTF-8 (EF BF BD) within text of a single-byte charset.
//!
//! ```text
//! label iso-8859-1   "caf\xE9 cr\xEF\xBF\xBDme"   café cr�me, not café crï¿½me
//! ```
//!
//! A program that could not decode a character wrote U+FFFD, and another one joined the text with text of a legacy charset. In few
//! single-byte charsets do the three characters make sense side by side: `ï¿½`, `пїЅ`, `ďż˝`, `๏ฟฝ`. In ARMSCII-8 they are letters: `տէզ`.
//!
//! # Limits
//! Keeps these bytes in multi-byte charsets, where they may be parts of two characters. Nobody can restore the lost characters.

use super::mixed_text::{MixedText, RestCharset, decode_into};
use super::mixed_utf8::is_single_byte_ascii;
use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::labels::label_events::note_label;
use crate::charset_choice::text_tests::utf8_sequences::{LOST_CHARACTER, has_lost_characters};
use crate::event::{Detail, EventKind, Reason};
use crate::reading::How;
use mailglot_codec::{Charset, LossLog, Resolved};
use memchr::memmem;

/// Reads U+FFFD in a text that was decoded by a single-byte charset, and reports it in every text whose label is not UTF-8.
///
/// `choose` chooses the charset of the text without U+FFFD. ASCII without them is UTF-8 with them.
pub(crate) fn read_lost_characters<'a>(
    bytes: &'a [u8],
    choice: Choice<'a>,
    evidence: &Evidence<'_>,
    choose: impl FnOnce(&[u8]) -> Choice<'static>,
) -> Choice<'a> {
    let label = evidence.resolved.and_then(Resolved::charset);
    let is_open = label.is_none_or(|label| label == Charset::US_ASCII);
    let is_of_utf8 = choice.used == Charset::UTF_8 && choice.mixed.is_none();
    let may_be = label != Some(Charset::UTF_8) && !(is_open && is_of_utf8);
    if !may_be || evidence.mapped || !evidence.may_find_mixed() || !has_lost_characters(bytes) {
        return choice;
    }
    let choice = if is_one_single_byte_charset(&choice) {
        let rest = without_lost_characters(bytes);
        if rest.is_ascii()
            && let Some(label) = label
        {
            let mut events = Vec::new();
            note_label(evidence.label, evidence.resolved, &mut events);
            let detail = Detail::read_as(Some(label), Charset::UTF_8);
            events.push((EventKind::CharsetUtf8InLegacy, detail));
            let choice = Choice::decode(bytes, Charset::UTF_8, How::Utf8, events);
            return report_lost_characters(choice);
        }
        let rest = choose(&rest);
        if !is_one_single_byte_charset(&rest) {
            return choice;
        }
        let other = RestCharset {
            charset: rest.used,
            confidence: rest.confidence,
        };
        decode(bytes, other).choice(rest.used, rest.events)
    } else {
        choice
    };
    report_lost_characters(choice)
}

/// Adds the event about U+FFFD to a choice whose text has more of them than malformed sequences.
fn report_lost_characters(mut choice: Choice<'_>) -> Choice<'_> {
    // Malformed sequences become the same character.
    let lost = choice.text.matches(char::REPLACEMENT_CHARACTER).count() as u64;
    if lost > choice.log.losses() {
        let reason = Reason::LostCharacters.into();
        choice.events.push((EventKind::CharsetSuspected, reason));
    }
    choice
}

/// Returns the bytes without U+FFFD in UTF-8, if they are text of a single-byte charset with U+FFFD.
pub(crate) fn beside_lost_characters(bytes: &[u8], charset: Charset) -> Option<Vec<u8>> {
    let is_possible = may_have_lost_characters(charset) && has_lost_characters(bytes);
    is_possible.then(|| without_lost_characters(bytes))
}

/// Decodes text of a charset with U+FFFD in UTF-8.
pub(crate) fn decode_with_lost_characters(bytes: &[u8], charset: Charset) -> String {
    let other = RestCharset::named(charset);
    decode(bytes, other).text
}

/// Returns the bytes without U+FFFD in UTF-8.
fn without_lost_characters(bytes: &[u8]) -> Vec<u8> {
    let mut rest = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for at in memmem::find_iter(bytes, LOST_CHARACTER) {
        rest.extend_from_slice(&bytes[from..at]);
        from = at + LOST_CHARACTER.len();
    }
    rest.extend_from_slice(&bytes[from..]);
    rest
}

fn is_one_single_byte_charset(choice: &Choice<'_>) -> bool {
    choice.mixed.is_none() && may_have_lost_characters(choice.used)
}

/// Returns true for a single-byte charset in which the three bytes are no word.
fn may_have_lost_characters(charset: Charset) -> bool {
    is_single_byte_ascii(charset) && charset != Charset::ARMSCII_8
}

fn decode(bytes: &[u8], other: RestCharset) -> MixedText {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut log, mut from, mut runs, mut first) = (LossLog::new(), 0, 0, None);
    for at in memmem::find_iter(bytes, LOST_CHARACTER) {
        decode_into(&mut text, &mut log, other.charset, bytes, from..at);
        text.push(char::REPLACEMENT_CHARACTER);
        runs += usize::from(from < at || first.is_none());
        first = first.or(Some(at));
        from = at + LOST_CHARACTER.len();
    }
    decode_into(&mut text, &mut log, other.charset, bytes, from..bytes.len());
    MixedText {
        text,
        log,
        runs,
        first: first.unwrap_or(0),
        other,
        further: Vec::new(),
        run_charset: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::choose;
    use mailglot_codec::View;

    fn read(label: &str, bytes: &[u8]) -> (String, bool) {
        let resolved = Charset::for_label(label.as_bytes(), View::Mail);
        let evidence = Evidence {
            label: Some(label.as_bytes()),
            resolved: Some(resolved),
            ..Evidence::default()
        };
        let choice = choose(bytes, &evidence);
        let reason = (EventKind::CharsetSuspected, Reason::LostCharacters.into());
        (choice.text.into_owned(), choice.events.contains(&reason))
    }

    #[test]
    fn lost_characters_are_no_letters() {
        for (label, bytes, want) in [
            (
                "iso-8859-1",
                &b"caf\xE9 cr\xEF\xBF\xBDme"[..],
                "café cr\u{FFFD}me",
            ),
            ("iso-8859-1", b"Gr\xFC\xEF\xBF\xBDe", "Grü\u{FFFD}e"),
            ("iso-8859-1", b"cr\xEF\xBF\xBDme", "cr\u{FFFD}me"),
            (
                "windows-1251",
                b"\xCF\xF0\xE8\xE2\xE5\xF2 \xE2\xF1\xE5\xEC\xEF\xBF\xBD\xEF\xBF\xBD\xF3",
                "Привет всем\u{FFFD}\u{FFFD}у",
            ),
            ("koi8-r", b"Privet \xEF\xBF\xBD", "Privet \u{FFFD}"),
            (
                "iso-8859-2",
                b"\xE8e\xB9tina M\xEF\xBF\xBDller",
                "čeština M\u{FFFD}ller",
            ),
        ] {
            assert_eq!(read(label, bytes), (want.to_owned(), true), "{label}");
        }
    }

    /// Beside ASCII alone, the text is UTF-8.
    #[test]
    fn lost_characters_beside_ascii_are_utf8() {
        for (label, charset) in [
            ("iso-8859-1", Charset::ISO_8859_1),
            ("koi8-r", Charset::KOI8_R),
        ] {
            let evidence = Evidence {
                label: Some(label.as_bytes()),
                resolved: Some(Charset::for_label(label.as_bytes(), View::Mail)),
                ..Evidence::default()
            };
            let choice = choose(b"\xEF\xBF\xBD 2009 Media Inc.", &evidence);
            assert_eq!((choice.used, choice.mixed), (Charset::UTF_8, None));
            let codes: Vec<_> = choice.events.iter().map(|(kind, _)| kind.code()).collect();
            assert_eq!(codes, ["charset.utf8-in-legacy", "charset.suspected"]);
            let detail = Detail::read_as(Some(charset), Charset::UTF_8);
            assert_eq!(choice.events[0].1, detail);
        }
        let evidence = Evidence {
            label: Some(b"cp1251"),
            resolved: Some(Charset::for_label(b"cp1251", View::Mail)),
            ..Evidence::default()
        };
        let choice = choose(b"\xEF\xBF\xBD 2009 Media Inc.", &evidence);
        let codes: Vec<_> = choice.events.iter().map(|(kind, _)| kind.code()).collect();
        let of_alias = [
            "charset.alias",
            "charset.utf8-in-legacy",
            "charset.suspected",
        ];
        assert_eq!(codes, of_alias);
    }

    /// Letters beside each other, characters of two bytes, and the text of UTF-8.
    #[test]
    fn other_text_stays() {
        for (label, bytes, want) in [
            (
                "iso-8859-1",
                &b"na\xEFf, \xBFno?, \xBD"[..],
                "naïf, ¿no?, ½",
            ),
            ("utf-8", b"cr\xEF\xBF\xBDme", "cr\u{FFFD}me"),
            ("us-ascii", b"cr\xEF\xBF\xBDme", "cr\u{FFFD}me"),
        ] {
            assert_eq!(read(label, bytes), (want.to_owned(), false), "{label}");
        }
        let (text, _) = read("gbk", b"\xC4\xFA\xEF\xBF\xBD\xEF\xBF\xBD");
        assert!(!text.contains('\u{FFFD}'), "{text}");
    }
}
