//! Finds a likelier charset for text whose few bytes above 7F do not fit the label: signs within words, letters of Central Europe.
//!
//! ```text
//! p† m†ndag         windows-1252     på måndag        IBM850
//! köszi, jövõ héten ISO-8859-1       köszi, jövő héten ISO-8859-2
//! uľ běľím          windows-1250     už běžím         ISO-8859-2
//! ```
//!
//! Right text has such bytes, too. So a cheap test selects text, and the margin of likelihood decides.
//!
//! # Limits
//! Labels of Latin charsets. Other charsets of one byte, with letters in place of the bytes.

use super::damage::decodes_without_loss;
use super::foreign_letters::{
    arabic_words_with_latin_letters, are_of_several_alphabets, latin_words_with_foreign_letters,
};
use super::latin2_letters::has_letters_of_iso_8859_2;
use super::likelier_charset::LikelierCharset;
use super::misplaced_signs::{SignsWithin, has_latin_letters, signs_within_words};
use super::neighbor_languages::{CENTRAL_EUROPEAN, SIGNS};
use super::repetitions::unrepeated;
use super::western_letters::is_latin_1;
use crate::charset_choice::thresholds::SURE_CONFIDENCE;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Guess, MAX_HIGH_BYTES, high_bytes};

/// The charsets that have letters where Windows has signs, the most frequent in mail.
const PAGES_OF_LETTERS: [Charset; 6] = [
    Charset::IBM850,
    Charset::IBM852,
    Charset::MACINTOSH,
    Charset::X_MAC_CE,
    Charset::WINDOWS_1250,
    Charset::ISO_8859_2,
];

/// How much likelier (natural logarithm) another charset must be.
#[derive(Clone, Copy)]
struct Margins {
    /// To report it.
    report: f32,
    /// To replace the label.
    overrule: f32,
    /// True for signs or letters of another script within words, which no language has. They are reported even if detection is not sure.
    is_of_signs: bool,
    /// The charsets that have the letters; without them every Latin one.
    charsets: &'static [Charset],
}

/// Returns true if few bytes may disprove the label. Fast.
pub(crate) fn may_disprove(label: Charset, bytes: &[u8]) -> bool {
    telltale_margins(label, bytes).is_some()
}

/// Returns the margins for signs within words and letters that Western text has nowhere.
fn telltale_margins(label: Charset, bytes: &[u8]) -> Option<Margins> {
    let of = |report, overrule, charsets| Margins {
        report,
        overrule,
        is_of_signs: false,
        charsets,
    };
    let of_signs = |report, overrule| Margins {
        report,
        overrule,
        is_of_signs: true,
        charsets: &[],
    };
    match signs_within_words(label, bytes) {
        SignsWithin::Several => return Some(of_signs(6.0, 10.0)),
        SignsWithin::One => return Some(of_signs(10.0, 24.0)),
        SignsWithin::None => {}
    }
    match latin_words_with_foreign_letters(label, bytes) {
        0 => {}
        1 => return Some(of_signs(0.0, f32::INFINITY)),
        _ => return Some(of_signs(0.0, 12.0)),
    }
    match arabic_words_with_latin_letters(label, bytes) {
        0 => {}
        1 => return Some(of_signs(0.0, f32::INFINITY)),
        _ => return Some(of_signs(0.0, 8.0)),
    }
    if are_of_several_alphabets(label, bytes) {
        return Some(of(8.0, 16.0, &[]));
    }
    if is_latin_1(label) && may_be_hungarian(bytes) {
        // Estonian has `õ`, but no acute accents: `Davõdov`.
        let overrule = if has_acute_accents(bytes) { 11.0 } else { 18.0 };
        return Some(of(8.0, overrule, &CENTRAL_EUROPEAN));
    }
    if is_latin_1(label) && has_sign_before_word(bytes) {
        return Some(of(12.0, 18.0, &[]));
    }
    if is_latin_1(label) && has_odd_letters(label, bytes) {
        return Some(of(12.0, 16.0, &[]));
    }
    (label == Charset::WINDOWS_1250
        && has_letters_of_iso_8859_2(bytes)
        && high_bytes(bytes).nth(1).is_some())
    .then_some(of(8.0, 20.0, &[Charset::ISO_8859_2]))
}

/// Asks detection for a charset in which the few bytes are letters that fit.
pub(crate) fn likelier_by_few_bytes(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    let margins = telltale_margins(label, bytes)?;
    let text = unrepeated(bytes, label);
    let (guess, decides) = by_rival(label, &text, margins, hints)?;
    let decides = decides && is_likelier_throughout(label, guess.charset, bytes, hints);
    Some(LikelierCharset { guess, decides })
}

/// Returns the likeliest of all charsets, and whether it is likely enough to replace the label.
fn by_rival(
    label: Charset,
    text: &[u8],
    margins: Margins,
    hints: &detect::Hints<'_>,
) -> Option<(Guess, bool)> {
    let rival = detect::rival(text, label, hints)?;
    let guess = rival.guess;
    let margin = rival.margin - rival.rarity;
    let is_sure = guess.confidence >= SURE_CONFIDENCE;
    let has_letters_of = |charset: Charset| match margins.charsets {
        [] => margins.is_of_signs || has_latin_letters(charset),
        charsets => charsets.contains(&charset),
    };
    let may_be = guess.charset.is_single_byte()
        && has_letters_of(guess.charset)
        && detect::has_letters(text, guess.charset)
        && margin >= margins.report
        && (is_sure || margins.is_of_signs);
    may_be.then_some((guess, is_sure && margin >= margins.overrule))
}

/// Returns the likeliest of [`PAGES_OF_LETTERS`] for signs within words that detection has no likelier charset for. Words that are rare in
/// every language are noise to it, such as names.
pub(crate) fn likelier_by_letters(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    /// Margin from which on the likeliest is reported.
    const REPORT: f32 = 6.0;
    /// Margins from which on the likeliest replaces the label: over the label, and over the next one.
    const OVERRULE: f32 = 24.0;
    const LEAD: f32 = 8.0;
    let has_signs = || telltale_margins(label, bytes).is_some_and(|margins| margins.is_of_signs);
    if !has_latin_letters(label) || !has_signs() || !is_mostly_ascii(bytes) {
        return None;
    }
    let text = &*unrepeated(bytes, label);
    let read = |charset: Charset| decode_unlogged(charset, text);
    let mut pages: Vec<(Charset, f32)> = PAGES_OF_LETTERS
        .into_iter()
        .filter(|page| *page != label && signs_within_words(*page, text) == SignsWithin::None)
        .filter_map(|page| Some((page, detect::margin_over(text, label, page, hints)?)))
        .filter(|(page, margin)| *margin > REPORT && decodes_without_loss(*page, text))
        .collect();
    pages.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let (charset, margin) = *pages.first()?;
    let next = pages.iter().find(|(page, _)| read(*page) != read(charset));
    let decides = margin >= OVERRULE
        && next.is_none_or(|(_, next)| margin - next >= LEAD)
        && is_likelier_throughout(label, charset, bytes, hints);
    Some(LikelierCharset::by_model(charset, decides))
}

/// Returns true if there are more ASCII letters than bytes above 7F, as in every Latin language.
pub(crate) fn is_mostly_ascii(bytes: &[u8]) -> bool {
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic());
    letters.count() > high_bytes(bytes).count()
}

/// Returns true unless a piece of the text is much less likely in `other`, such as the reply beside a quotation.
pub(crate) fn is_likelier_throughout(
    label: Charset,
    other: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> bool {
    /// Text that both charsets read alike costs more in a charset that is rare in mail.
    const LESS_LIKELY: f32 = -10.0;
    let pieces = pieces(bytes).filter(|piece| !piece.is_ascii());
    detect::are_margins_above(LESS_LIKELY, pieces, label, other, hints)
}

/// Divides a text into at most eight pieces of whole lines.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    const PIECES: usize = 8;
    let length = bytes.len() / PIECES;
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let line_end = rest
            .get(length..)
            .and_then(|tail| memchr::memchr(b'\n', tail));
        let end = line_end.map_or(rest.len(), |at| length + at + 1);
        let (piece, next) = rest.split_at(end);
        rest = next;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Non-ASCII letters of Hungarian in ISO-8859-2, as windows-1252 has them: `õ` and `û` stand for `ő` and `ű`.
const HUNGARIAN: &[u8] = b"\xe1\xe9\xed\xf3\xf5\xf6\xfa\xfb\xfc";

/// Returns true if the letters are those of Hungarian, and `õ` or `û` occurs.
///
/// Portuguese and Estonian have `õ`, French has `û`, but mostly beside letters that Hungarian lacks. No `ű` follows `o`, as in `août` and `coût`.
fn may_be_hungarian(bytes: &[u8]) -> bool {
    let mut is_typical = false;
    for at in high_bytes(bytes).take(MAX_HIGH_BYTES) {
        let lower = match bytes[at] {
            0x80..=0xBF => continue,
            byte @ 0xC0..=0xDE => byte | 0x20,
            byte => byte,
        };
        if !HUNGARIAN.contains(&lower) {
            return false;
        }
        let is_behind_o = || at > 0 && bytes[at - 1] | 0x20 == b'o';
        is_typical |= lower == 0xF5 || lower == 0xFB && !is_behind_o();
    }
    is_typical
}

/// Returns true if the text has `á`, `é`, `í`, `ó` or `ú`.
fn has_acute_accents(bytes: &[u8]) -> bool {
    let is_acute = |at| matches!(bytes[at] | 0x20, 0xE1 | 0xE9 | 0xED | 0xF3 | 0xFA);
    high_bytes(bytes).take(MAX_HIGH_BYTES).any(is_acute)
}

/// Returns true if a word begins with a sign that stands before figures or spaces in Western text: `¹kola` is `škola` in ISO-8859-2.
fn has_sign_before_word(bytes: &[u8]) -> bool {
    // `±` is a letter in ISO-8859-2, too: `ą`. Western words begin behind lone accents: `¯a`.
    let is_sign = |byte: u8| byte == 0xB1 || byte != 0xAF && SIGNS[usize::from(byte)];
    let is_small = |byte: &u8| byte.is_ascii_lowercase() || *byte >= 0xDF;
    let is_apart = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'(' | b'"');
    high_bytes(bytes).take(MAX_HIGH_BYTES).any(|at| {
        is_sign(bytes[at])
            && at
                .checked_sub(1)
                .is_none_or(|before| is_apart(&bytes[before]))
            && bytes[at + 1..]
                .iter()
                .find(|byte| !is_sign(**byte))
                .is_some_and(is_small)
    })
}

/// Returns true if there are different letters above 7F, and one of them is unlike those of foreign words in English. They must have
/// neighbors that no Western language has: `bêdê czeœæ`, `pøeklepù`.
fn has_odd_letters(label: Charset, bytes: &[u8]) -> bool {
    // Fold case: ã æ ì ð ò õ ø ù û ý þ ÿ, and the letters below C0.
    let is_rare = |byte: u8| {
        matches!(byte, 0x8A..=0x8E | 0x9A..=0x9F)
            || byte >= 0xC0
                && matches!(
                    byte | 0x20,
                    0xE3 | 0xE6 | 0xEC | 0xF0 | 0xF2 | 0xF5 | 0xF8 | 0xF9 | 0xFB | 0xFD..=0xFF
                )
    };
    let (mut first, mut are_different, mut has_rare) = (None, false, false);
    for at in high_bytes(bytes).take(MAX_HIGH_BYTES) {
        let byte = bytes[at];
        if !matches!(byte, 0x8A..=0x8E | 0x9A..=0x9F | 0xC0..) {
            continue;
        }
        are_different |= *first.get_or_insert(byte) != byte;
        has_rare |= is_rare(byte);
        if are_different && has_rare {
            return detect::is_odd(bytes, label);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::test_charsets::{charset_named, encoded};

    /// The charset that replaces the label of a text.
    fn replaced(label: &str, text: &str, charset: &str) -> Option<&'static str> {
        let bytes = encoded(charset, text);
        likelier_by_few_bytes(charset_named(label), &bytes, &MAIL_HINTS)
            .filter(|likelier| likelier.decides)
            .map(|likelier| likelier.guess.charset.name())
    }

    #[test]
    fn french_words_are_not_hungarian() {
        for (bytes, may_be) in [
            (&b"hus\xEDt\xF5"[..], true),
            (b"gy\xFBl\xE9s", true),
            (b"Paris, le 3 ao\xFBt", false),
            (b"GO\xDBT", false),
            (b"\xFBlt", true),
            (b"ao\xFBt, h\xFBs", true),
        ] {
            assert_eq!(may_be_hungarian(bytes), may_be, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn few_letters_in_place_of_signs_replace_the_label() {
        for (label, text, charset, expected) in [
            ("windows-1252", "vi ses på måndag", "IBM850", Some("IBM850")),
            (
                "windows-1252",
                "Geschäftsführer: Götz",
                "macintosh",
                Some("macintosh"),
            ),
            (
                "windows-1250",
                "köszi, jövő héten",
                "IBM852",
                Some("IBM852"),
            ),
            (
                "ISO-8859-1",
                "köszi, jövő héten",
                "ISO-8859-2",
                Some("windows-1250"),
            ),
            (
                "windows-1252",
                "no dobra, będę o ósmej, cześć",
                "windows-1250",
                Some("windows-1250"),
            ),
            (
                "windows-1250",
                "jasně, už běžím",
                "ISO-8859-2",
                Some("ISO-8859-2"),
            ),
            (
                "ISO-8859-1",
                "Željko Šarić, dobre, pri škole",
                "ISO-8859-2",
                Some("ISO-8859-2"),
            ),
            // Right labels.
            (
                "windows-1252",
                "© für alle, ®egal, ¹siehe unten, £five, ±zwei",
                "windows-1252",
                None,
            ),
            (
                "windows-1252",
                "vi ses på måndag † 1999, „nej“ 12€",
                "windows-1252",
                None,
            ),
            (
                "windows-1252",
                "à bientôt, sûr, août prévu",
                "windows-1252",
                None,
            ),
            ("windows-1252", "Õhtul tõuseb kuu", "windows-1252", None),
            ("windows-1250", "topoľ, kráľ, učiteľ", "windows-1250", None),
            ("windows-1250", "Herľany=Herľany", "windows-1250", None),
            ("windows-1250", "Herľany/Herľany", "windows-1250", None),
        ] {
            assert_eq!(
                replaced(label, text, charset),
                expected,
                "{text} in {charset}"
            );
        }
    }

    #[test]
    fn a_reply_in_the_charset_of_the_label_keeps_it() {
        let reply = "Grüße aus Köln, schöne Größe\n";
        let quotation = "> vi ses på måndag, hälsningar från Åsa och Örjan\n";
        let bytes = [encoded("windows-1252", reply), encoded("IBM850", quotation)].concat();
        let found = likelier_by_few_bytes(Charset::WINDOWS_1252, &bytes, &MAIL_HINTS);
        assert!(found.is_none_or(|likelier| !likelier.decides));
    }
}
