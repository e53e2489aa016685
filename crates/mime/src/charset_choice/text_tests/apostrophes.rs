//! Finds text whose only bytes above 7F are apostrophes and other signs of windows-1252, under a label that makes letters of them.
//!
//! ```text
//! don\x92t   windows-1252 `don’t`; GBK `don抰`, Shift_JIS `don稚`, KOI8-R `don▓t`, macintosh `donít`
//! ```
//!
//! # Limits
//! Finds English contractions, possessives, and the elisions of French and Italian. Any other byte above 7F keeps the label.

use super::western_letters::is_latin_1;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{Apostrophe, high_bytes, quoted_words};
use mailglot_codec::{Charset, is_alphabetic};

/// What a label makes of the byte 92.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misreading {
    /// A character together with the next letter: `don抰`.
    Pair,
    /// Such a character in daily use: `I知`.
    EverydayPair,
    /// A sign: `don▓t`.
    Sign,
    /// A letter: `donít`.
    Letter,
}

/// How a sign fits windows-1252.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignPlace {
    /// An apostrophe, quotation mark or dash that only windows-1252 has there: `don\x92t`.
    Proof,
    /// The sign may stand there.
    Usual,
}

/// Returns true if every byte above 7F is a sign of windows-1252 in its usual place. One of them must prove that the label is wrong.
pub(crate) fn has_windows_apostrophes(label: Charset, bytes: &[u8]) -> bool {
    // Most labels need no search.
    if is_latin_1(label) || label == Charset::UTF_8 {
        return false;
    }
    let begins_with_sign = high_bytes(bytes)
        .next()
        .is_some_and(|at| is_sign(bytes[at]));
    begins_with_sign
        && misreading(label).is_some_and(|misreading| proven_signs(misreading, bytes).is_some())
}

/// Counts the bytes above 7F if all are signs of windows-1252 in their usual places. One must be in a place that only such a sign has.
/// Such signs are an apostrophe in a contraction, quotation marks around words, and a dash between words.
pub(crate) fn count_windows_signs(bytes: &[u8]) -> Option<usize> {
    proven_signs(Misreading::Sign, bytes)
}

/// Counts the bytes above 7F, except no-break spaces, if all are signs in their usual places and one of them proves windows-1252.
fn proven_signs(misreading: Misreading, bytes: &[u8]) -> Option<usize> {
    let (mut count, mut is_proven) = (0, false);
    for at in high_bytes(bytes) {
        is_proven |= place(misreading, bytes, at)? == SignPlace::Proof;
        // A no-break space is the end of many characters of UTF-8.
        count += usize::from(bytes[at] != 0xA0);
    }
    is_proven.then_some(count)
}

/// Returns what the label makes of an apostrophe; None if it has one there, or a control.
fn misreading(label: Charset) -> Option<Misreading> {
    if !label.is_ascii_compatible() || label.is_stateful() {
        return None;
    }
    if !label.is_single_byte() {
        let is_everyday = decode_unlogged(label, b"\x92m") == "知";
        return Some(if is_everyday {
            Misreading::EverydayPair
        } else {
            Misreading::Pair
        });
    }
    let read = decode_unlogged(label.superset(), b"\x92");
    match read.chars().next()? {
        '\u{2019}' | char::REPLACEMENT_CHARACTER | '\u{80}'..='\u{9F}' => None,
        letter if is_alphabetic(letter) => Some(Misreading::Letter),
        _ => Some(Misreading::Sign),
    }
}

/// Returns true for the signs of windows-1252 that stand in English text.
fn is_sign(byte: u8) -> bool {
    matches!(
        byte,
        0x80 | 0x85 | 0x91..=0x97 | 0x99 | 0xA0 | 0xA3 | 0xA9 | 0xAE
    )
}

/// Returns how the byte above 7F at `at` fits windows-1252; None if it is no sign, or not in a usual place.
fn place(misreading: Misreading, bytes: &[u8], at: usize) -> Option<SignPlace> {
    let beside = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n');
    let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
    let is_text = |byte: u8| byte.is_ascii_graphic() || is_sign(byte);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let is_usual = match bytes[at] {
        0x92 if is_apostrophe(misreading, Apostrophe::at(bytes, at)) => {
            return Some(SignPlace::Proof);
        }
        0x92 => is_text(before) || is_word(after),
        0x93 if misreading == Misreading::Sign && is_quotation(bytes, at) => {
            return Some(SignPlace::Proof);
        }
        0x91 | 0x93 => !is_word(before) && is_text(after),
        0x94 => is_text(before) && !is_word(after),
        0x96 | 0x97
            if misreading == Misreading::Sign && is_dash(&bytes[..at], &bytes[at + 1..]) =>
        {
            return Some(SignPlace::Proof);
        }
        0x96 | 0x97 => is_word(before) == is_word(after),
        0x85 => true,
        0x95 => !is_word(before),
        0x99 | 0xAE => is_word(before) && !is_word(after),
        0xA9 => !is_word(before),
        0x80 | 0xA3 => before.is_ascii_digit() || after.is_ascii_digit(),
        0xA0 => !(before.is_ascii_alphabetic() && after.is_ascii_alphabetic()),
        _ => false,
    };
    is_usual.then_some(SignPlace::Usual)
}

/// Returns true for an apostrophe within a word that only windows-1252 has.
fn is_apostrophe(misreading: Misreading, apostrophe: Apostrophe<'_>) -> bool {
    let Apostrophe { word, end, .. } = apostrophe;
    let is_followed_by_digit = apostrophe.after.is_some_and(|byte| byte.is_ascii_digit());
    if word.is_empty() || end.is_empty() || is_followed_by_digit {
        return false;
    }
    let is_letter = misreading == Misreading::Letter;
    let is_rare = !is_letter && misreading != Misreading::EverydayPair;
    let is_pronoun = || apostrophe.is_pronoun();
    let is_auxiliary = || apostrophe.is_auxiliary();
    match &*end.to_ascii_lowercase() {
        // `país` is Spanish, and `zaznít` is Czech.
        b"t" => is_auxiliary(),
        b"s" if is_letter => is_pronoun(),
        b"s" => word.len() > 1,
        b"re" | b"ll" => is_pronoun(),
        b"ve" => is_pronoun() || is_auxiliary(),
        b"m" => is_rare && word.eq_ignore_ascii_case(b"I"),
        b"d" => is_rare && is_pronoun(),
        [first, _, _, ..] if !is_letter => {
            let is_vowel = matches!(first, b'a' | b'e' | b'h' | b'i' | b'o' | b'u' | b'y');
            let is_irish = word == b"O"
                && end[0].is_ascii_uppercase()
                && end[1..].iter().all(u8::is_ascii_lowercase);
            is_irish || is_vowel && apostrophe.is_elided()
        }
        _ => false,
    }
}

/// Returns true if the quotation mark at `at` begins words in quotation marks.
fn is_quotation(bytes: &[u8], at: usize) -> bool {
    let words = quoted_words(bytes, at, [0x93, 0x94]);
    words.is_some_and(|words| words.last().is_some_and(u8::is_ascii_graphic))
}

/// Returns true if a byte between two texts has blanks beside it, and words behind them. `take \x96 xy` may be a root in KOI8.
fn is_dash(before: &[u8], after: &[u8]) -> bool {
    /// Bytes of a word that are examined.
    const WORD: usize = 8;
    let is_word = |text: &[u8]| {
        let letters = text
            .iter()
            .take(WORD)
            .take_while(|byte| byte.is_ascii_alphabetic());
        let is_vowel = |byte: &u8| b"aeiou".contains(&byte.to_ascii_lowercase());
        letters.clone().count() > 1 && letters.clone().any(is_vowel)
    };
    matches!(before, [.., last, b' '] if last.is_ascii_alphabetic() || b",.)\"".contains(last))
        && after.strip_prefix(b" ").is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    const WIDE: [&str; 8] = [
        "GB2312",
        "GBK",
        "GB18030",
        "Big5",
        "Big5-HKSCS",
        "EUC-KR",
        "KS_C_5601-1987",
        "Shift_JIS",
    ];
    const SIGNS: [&str; 2] = ["KOI8-R", "KOI8-U"];
    const LETTERS: [&str; 5] = ["macintosh", "IBM866", "IBM850", "IBM437", "x-mac-cyrillic"];

    fn found(label: &str, bytes: &[u8]) -> bool {
        let charset = charset_named(label);
        has_windows_apostrophes(charset, bytes)
    }

    #[test]
    fn contractions_disprove_every_label_that_lacks_the_apostrophe() {
        for text in [
            &b"I don\x92t know"[..],
            b"it\x92s the right list",
            b"You\x92re late. \x93No\x94, he said \x96 twice",
            b"We\x92ve waited\x85",
            b"DON\x92T PANIC",
            b"they\x92ll come",
            b"They said \x93we can\x92t\x94.",
        ] {
            for label in WIDE.iter().chain(&SIGNS).chain(&LETTERS) {
                assert!(found(label, text), "{label} {}", text.escape_ascii());
            }
            for label in [
                "ISO-8859-1",
                "windows-1251",
                "windows-1252",
                "UTF-8",
                "ISO-8859-7",
            ] {
                assert!(!found(label, text), "{label} {}", text.escape_ascii());
            }
        }
        for text in [
            &b"RE: China\x92s growth"[..],
            b"Mr. O\x92Brien",
            b"l\x92avis de d\x92autres",
            b"dell\x92anno",
        ] {
            for label in WIDE.iter().chain(&SIGNS) {
                assert!(found(label, text), "{label} {}", text.escape_ascii());
            }
        }
        // `I知` may be Japanese.
        for text in [&b"I\x92m here"[..], b"he\x92d go"] {
            for label in WIDE.iter().chain(&SIGNS) {
                let expected = *label != "Shift_JIS";
                assert_eq!(found(label, text), expected, "{label}");
            }
        }
    }

    #[test]
    fn quotation_marks_and_dashes_are_no_lines_of_boxes() {
        for (text, expected) in [
            (&b"say \x93no\x94 now"[..], true),
            (b"say \x93no, never\x94.", true),
            (b"today \x96 or tomorrow", true),
            (b"today, \x97 or tomorrow", true),
            (b"\x96 2", false),
            (b"a \x97 b", false),
            (b"x \x97 3.14", false),
            (b"\x92\x92\x92 Windows \x92\x92\x92", false),
            (b"\x93 file \x94", false),
            (b"\x80\x80\x80", false),
        ] {
            for label in SIGNS {
                assert_eq!(
                    found(label, text),
                    expected,
                    "{label} {}",
                    text.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn right_labels_stay() {
        for (label, text) in [
            ("GBK", "A股 don抰 T恤s"),
            ("GBK", "A股"),
            ("GBK", "T恤s"),
            ("GBK", "乱码是 don抰 和 it抯"),
            ("GBK", "他說don抰"),
            ("EUC-KR", "한국어 don't"),
            ("windows-949", "don뭪 깨짐"),
            ("Shift_JIS", "t値とp値"),
            ("Shift_JIS", "p値"),
            ("Shift_JIS", "ID知 API値s"),
            ("Shift_JIS", "幼稚"),
            ("KOI8-R", "▒▓█ Меню █▓▒"),
            ("KOI8-R", "x ≈ 5"),
            ("macintosh", "mi país, aquí"),
            ("macintosh", "país"),
            ("macintosh", "siete ó ocho"),
            ("x-mac-ce", "zaznít"),
            ("IBM866", "МТС и ИТs"),
            ("IBM866", "АТs"),
            ("IBM850", "Ærø"),
        ] {
            let charset = charset_named(label);
            let bytes = charset
                .superset()
                .encode_exact(text)
                .unwrap_or_else(|_| panic!("{label} lacks a character of {text}"));
            assert!(!has_windows_apostrophes(charset, &bytes), "{label} {text}");
        }
    }

    /// Each character whose first byte is that of the apostrophe, between Latin letters, beside an everyday one.
    #[test]
    fn one_everyday_character_keeps_the_label() {
        for (label, everyday) in [
            ("GBK", "的"),
            ("Big5-HKSCS", "的"),
            ("windows-949", "의"),
            ("Shift_JIS", "の"),
        ] {
            let charset = charset_named(label);
            let everyday = charset
                .encode_exact(everyday)
                .expect("an everyday character");
            for trail in 0x40..=0xFE {
                let rare = [b"don\x92".as_slice(), &[trail], b" "].concat();
                for text in [
                    [&rare[..], &everyday].concat(),
                    [&everyday, &rare[..]].concat(),
                ] {
                    assert!(
                        !has_windows_apostrophes(charset, &text),
                        "{label} {trail:X}"
                    );
                }
            }
        }
    }
}
