//! Decodes names labelled as Latin-1 in the charset of the body, if the body is in another script.
//!
//! ```text
//! Content-Type: text/plain; charset=windows-1251   a body in Russian, under its right label
//! From: =?iso-8859-1?Q?=C8=F0=E0?=                 Ира, since Latin-1 gives Èðà
//! To: =?iso-8859-1?Q?Jos=E9?=                      José
//! ```
//!
//! Words of Western languages have ASCII letters: `Jos\xE9`. A word with bytes above 7F only, such as `\xC8\xF0\xE0`, is a word of the other script.
//!
//! # Limits
//! Words of fewer than three letters stay, and of fewer than two characters in Chinese, Japanese and Korean. A list of Western letters such
//! as `äöü` is reported only.

use super::alphabet_charsets::AlphabetCharsets;
use super::label_check::LabelVerdict;
use super::label_plausibility::non_text_characters;
use super::superset::better_by_bytes;
use crate::charset_choice::evidence::MAIL_HINTS;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::mojibake_score::{is_letter, mojibake_score};
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect;
use mailglot_codec::{Charset, Script};
use std::borrow::Cow;
use std::collections::HashSet;

/// Fewest letters of a word in a charset of one byte.
const LETTERS: usize = 3;
/// Fewest characters side by side in a charset of two bytes.
const CHARACTERS: usize = 2;

/// Returns true if [`read_in_other_script`] may find something: bytes above 7F stand side by side. Fast.
pub(crate) fn may_be_in_other_script(bytes: &[u8]) -> bool {
    let mut high = detect::high_bytes(bytes);
    let mut before = None;
    high.any(|at| {
        let is_next = before == at.checked_sub(1);
        // One ASCII byte between two may be the half of a character.
        let is_near = before.is_some_and(|before| at - before == 2);
        before = Some(at);
        at > 0 && (is_next || is_near)
    })
}

/// Decodes a name in the charset of the body, if Latin-1 gives no Western word: `\xDA\xE1\xED` is `Úáí` in Latin-1 and `علي` in windows-1256.
///
/// A body in UTF-8 leaves several charsets, `others`. The name is decoded in the likeliest one if that is clear, and reported otherwise.
/// `text` is the name decoded by its label. Returns None to keep the label, as for `José`.
pub(crate) fn read_in_other_script<'b>(
    bytes: &'b [u8],
    label: Charset,
    text: &str,
    others: AlphabetCharsets,
) -> Option<LabelVerdict<'b>> {
    if !may_be_in_other_script(bytes) {
        return None;
    }
    let mut readings: Vec<ReadName<'b>> = others
        .iter()
        .filter_map(|other| ReadName::of(bytes, text, other))
        .collect();
    let fewest = readings.iter().map(|reading| reading.faults).min()?;
    readings.retain(|reading| reading.faults == fewest);
    let mut likeliest = readings.pop()?;
    for reading in readings.into_iter().rev() {
        likeliest = likeliest.or_likelier(bytes, reading);
    }
    let ReadName {
        used,
        read,
        strength,
        ..
    } = likeliest;
    Some(match strength {
        Strength::Decides => LabelVerdict::by_message(label, used, read),
        Strength::Doubt => LabelVerdict::suspected(label, used),
    })
}

/// A name in one charset of the body's script.
struct ReadName<'b> {
    used: Charset,
    read: Cow<'b, str>,
    strength: Strength,
    /// Implausible characters.
    faults: usize,
}

impl<'b> ReadName<'b> {
    /// Decodes a name in `other` if that gives words of its script.
    fn of(bytes: &'b [u8], text: &str, other: Charset) -> Option<Self> {
        let used = better_by_bytes(other, bytes).unwrap_or(other);
        if !decodes_without_loss(used, bytes) {
            return None;
        }
        let read = decode_unlogged(used, bytes);
        if non_text_characters(&read).is_some() {
            return None;
        }
        let strength = if used.is_single_byte() {
            judge_letters(&read, text)
        } else {
            judge_characters(&read, text, used, bytes)
        };
        Some(Self {
            used,
            strength: strength?,
            faults: mojibake_score(&read),
            read,
        })
    }

    /// Returns the likelier one of two readings. It only leaves a doubt if the other one is nearly as likely.
    fn or_likelier(self, bytes: &[u8], other: Self) -> Self {
        /// How much likelier (natural logarithm) the name must be.
        const CLEAR: f32 = 4.0;
        let margin = detect::margin_over(bytes, self.used, other.used, &MAIL_HINTS);
        let margin = margin.unwrap_or_default();
        let likelier = if margin < 0.0 { self } else { other };
        if margin.abs() >= CLEAR {
            return likelier;
        }
        Self {
            strength: Strength::Doubt,
            ..likelier
        }
    }
}

/// What the letters of a name prove: another charset, or a doubt that is only reported.
enum Strength {
    Decides,
    Doubt,
}

/// Judges a name that `read` decodes in a single-byte charset.
fn judge_letters(read: &str, text: &str) -> Option<Strength> {
    if mojibake_score(read) > mojibake_score(text) {
        return None;
    }
    let (mut longest, mut script) = (0, None);
    let is_part = |c: char| is_letter(c) || Script::of(c) == Some(Script::Thai);
    for word in read.split(|c| !is_part(c)).filter(|word| !word.is_ascii()) {
        let of_word = script_of(word)?;
        if *script.get_or_insert(of_word) != of_word {
            return None;
        }
        longest = longest.max(word.chars().count());
    }
    match longest {
        LETTERS.. => Some(judge_lists(text)),
        _ => has_odd_pair(text).then_some(Strength::Doubt),
    }
}

/// Judges a name that `read` decodes in a double-byte charset.
fn judge_characters(read: &str, text: &str, used: Charset, bytes: &[u8]) -> Option<Strength> {
    let mut longest = 0;
    for word in words(read) {
        if word.is_ascii() || word.contains(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        longest = longest.max(word.chars().count());
    }
    let ascii = |bytes: &[u8]| bytes.iter().filter(|byte| byte.is_ascii()).count();
    let has_halves = ascii(bytes) > ascii(read.as_bytes());
    let is_proven = || !has_halves || is_level1(used, bytes) && mojibake_score(text) > 0;
    match longest {
        CHARACTERS.. if is_proven() => Some(judge_lists(text)),
        CHARACTERS.. => Some(Strength::Doubt),
        _ => (!has_halves && has_odd_pair(text)).then_some(Strength::Doubt),
    }
}

/// Returns the words with a character beyond ASCII.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic())
        .filter(|word| !word.is_ascii())
}

/// Returns the script of a word if all its letters are of one script other than Latin.
fn script_of(word: &str) -> Option<Script> {
    let mut scripts = word.chars().map(Script::of);
    let first = scripts.next()??;
    (first != Script::Latin && scripts.all(|script| script == Some(first))).then_some(first)
}

/// Returns a doubt if each word of `text`, decoded by the label, is a list of letters such as `äöü`.
fn judge_lists(text: &str) -> Strength {
    let mut long = words(text).filter(|word| word.chars().count() >= LETTERS);
    if long.all(is_list) {
        Strength::Doubt
    } else {
        Strength::Decides
    }
}

/// Returns true for a word of two letters beyond ASCII that are no list of one language: `Úá`.
fn has_odd_pair(text: &str) -> bool {
    let is_pair = |word: &&str| word.chars().count() == 2 && !word.contains(|c: char| c.is_ascii());
    words(text).any(|word| is_pair(&word) && word.chars().any(is_letter) && !is_list(word))
}

/// Returns true if a word lists letters beyond ASCII of one Western language, or signs: `äöü`, `åäöÅÄÖ`, `ÆØÅ`, `ñññ`, `½¼¾`.
///
/// Words of other scripts look like lists of the longer alphabets: `Лиза` is `Ëèçà`. Those count only if no letter occurs twice and all are
/// small or capitals.
fn is_list(word: &str) -> bool {
    const SHORT: [&str; 4] = ["äöüß", "åäöæøéü", "äöõüšž", "áðéíóúýþæö"];
    const LONG: [&str; 4] = ["áéíóúñü", "àâæçéèêëîïôœùûüÿ", "áâãàçéêíóôõúü", "àèéìòù"];
    const SIGNS: &str = "£¥§©®°±²³¹¼½¾";
    let small = word.to_lowercase();
    let is_of = |letters: &&str| small.chars().all(|c| letters.contains(c));
    let has_one_case = || small == word || !word.chars().any(char::is_lowercase);
    let distinct: HashSet<char> = small.chars().collect();
    let are_different = distinct.len() == small.chars().count();
    distinct.len() == 1
        || is_of(&SIGNS)
        || SHORT.iter().any(is_of)
        || has_one_case() && are_different && LONG.iter().any(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::LossLog;

    /// Returns the text of a name beside other text; None if it keeps its label. The flag is true if it is reported.
    fn read(other: &str, bytes: &[u8]) -> (Option<String>, bool) {
        let other = charset_named(other);
        let label = Charset::ISO_8859_1;
        let text = label.decode(bytes, &mut LossLog::new());
        let verdict = read_in_other_script(bytes, label, &text, other.into()).unwrap_or_default();
        let is_reported = verdict.read.is_none() && !verdict.events.is_empty();
        (verdict.read.map(|read| read.text.into_owned()), is_reported)
    }

    #[test]
    fn lists_of_western_letters_are_doubted_only() {
        for text in [
            "Test äöüÄÖÜß",
            "åäöÅÄÖ",
            "Åäö",
            "æøåÆØÅ",
            "ÞÆÖÐ",
            "ýáíé",
            "ÄÄÄ",
            "ñññ",
            "££££",
            "½¼¾",
        ] {
            for other in [
                "windows-1251",
                "KOI8-R",
                "windows-1255",
                "TIS-620",
                "GBK",
                "Big5",
            ] {
                let (found, _) = read(other, &encoded("ISO-8859-1", text));
                assert_eq!(found, None, "{text} beside {other}");
            }
        }
    }

    #[test]
    fn names_in_the_script_of_other_text_are_read() {
        for (other, text) in [
            ("windows-1256", "عمر"),
            ("windows-1256", "Dr. عمر (HQ)"),
            ("ISO-8859-6", "سمير"),
            ("windows-1255", "אבא"),
            ("windows-1255", "«רון לוי»"),
            ("TIS-620", "มานพ"),
            ("windows-1251", "Оля"),
            ("KOI8-R", "Олег"),
            ("ISO-8859-7", "Ηλίας"),
            ("GB2312", "李倩"),
            ("Big5", "徐怡君"),
            ("EUC-KR", "민지"),
            ("Shift_JIS", "山田"),
            ("EUC-JP", "山田 太郎"),
        ] {
            let found = read(other, &encoded(other, text));
            assert_eq!(found, (Some(text.to_owned()), false), "{other} {text}");
        }
    }

    #[test]
    fn western_names_stay() {
        let others = [
            "windows-1256",
            "ISO-8859-6",
            "windows-1255",
            "TIS-620",
            "windows-1251",
            "KOI8-R",
            "ISO-8859-7",
            "GB2312",
            "Big5",
            "EUC-KR",
            "Shift_JIS",
            "EUC-JP",
        ];
        for text in [
            "José",
            "Müller",
            "Åsa",
            "Ève",
            "Zoë Ångström",
            "Ægir",
            "Þór",
            "MÜLLER",
            "ÞÓRÐUR ÁS",
            "PÄÄKKÖNEN",
            "Éloïse Öhman",
            "20 °C ± 5",
            "«Été»",
            "É. Ö. Å.",
        ] {
            for other in others {
                let found = read(other, &encoded("ISO-8859-1", text));
                assert_eq!(found, (None, false), "{other} {text}");
            }
        }
        // Lists of letters, and words in capitals whose letters are halves of characters.
        for text in ["äöü", "ÄÖÜ ß", "æøå.txt", "éèàç", "Ödön", "ÁNÁS"] {
            for other in others {
                let found = read(other, &encoded("ISO-8859-1", text));
                assert_eq!(found.0, None, "{other} {text}");
            }
        }
    }
}
