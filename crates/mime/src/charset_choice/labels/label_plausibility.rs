//! Estimates how plausible a label is that decodes every byte.
//!
//! Some mailers write one charset over everything, mostly Latin-1. So Latin-1 and its relatives need less contrary evidence than
//! labels that somebody chose.
//!
//! # Limits
//! Examines 4 KiB from the first byte above 7F. If nothing there is odd, detection does not run, so right labels cost nothing. With
//! [`LabelScope::All`] it always runs.
//! Accepts stateful charsets and charsets whose bytes below 80 are not ASCII: other text under such labels is gibberish, or has no
//! escape sequences.

use super::decisive_guess::decisive_guess;
use super::label_scope::LabelScope;
use super::mac_label::likelier_by_mac_signs;
use super::superset::has_c1;
use crate::charset_choice::text_tests::apostrophes::has_windows_apostrophes;
use crate::charset_choice::text_tests::arabic_beside_french::arabic_words_beside_french;
use crate::charset_choice::text_tests::baltic_letters::{BalticLetters, baltic_letters};
use crate::charset_choice::text_tests::case_faults::has_faults_beside;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::few_bytes::{
    is_likelier_throughout, likelier_by_few_bytes, likelier_by_letters, may_disprove,
};
use crate::charset_choice::text_tests::foreign_language::{
    likelier_by_language, may_be_foreign_language, may_have_foreign_word,
};
use crate::charset_choice::text_tests::foreign_letters::{breaks_western_words, has_other_script};
use crate::charset_choice::text_tests::latin_under_east_asian::is_latin_under;
use crate::charset_choice::text_tests::likelier_charset::LikelierCharset;
use crate::charset_choice::text_tests::line_drawing::is_drawing;
use crate::charset_choice::text_tests::mac_cyrillic::{
    likelier_by_mac_cyrillic, may_be_mac_cyrillic,
};
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::neighbor_languages::{
    has_sign_beside_letters, likelier_by_letters_of_neighbors, may_be_neighbor_language,
};
use crate::charset_choice::text_tests::plain_western::is_plain_western;
use crate::charset_choice::text_tests::plain_words::{
    few_plain_words, has_small_letters_only, is_usual_cyrillic,
};
use crate::charset_choice::text_tests::repetitions::{
    different_pairs, once, without_repetitions, words_once,
};
use crate::charset_choice::text_tests::same_script::{
    likelier_of_same_script, may_be_of_same_script,
};
use crate::charset_choice::text_tests::shared_signs::without_shared_signs;
use crate::charset_choice::text_tests::signs_for_letters::has_signs_for_letters;
use crate::charset_choice::text_tests::western_letters::{
    are_oddly_adjacent, is_latin_1, is_sign, is_western, is_western_letter,
};
use crate::charset_choice::text_tests::western_words::{WesternWords, western_words};
use crate::charset_choice::thresholds::{SURE_CONFIDENCE, window};
use crate::event::NonText;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Guess, MAX_HIGH_BYTES, WINDOW, high_bytes};
use std::borrow::Cow;
use std::cell::LazyCell;

/// Margin of likelihood (natural logarithm) from which on a likelier charset is reported.
///
/// Right labels other than Latin-1 never come near it (`cargo run -p mailglot-tests --example labels`).
const REPORT_MARGIN: f32 = 12.0;
/// Like [`REPORT_MARGIN`], if the text is odd in the likelier charset, too, such as names in capitals.
const MARGIN_OF_ODD_TEXT: f32 = 20.0;
/// Like [`REPORT_MARGIN`], between charsets of Chinese, Japanese and Korean. Of all names and words that were tried under their right labels, the
/// oddest reaches 9.9: `匝瑳市` in EUC-JP, beside windows-949.
const MARGIN_OF_WIDE: f32 = 10.0;
/// Like [`REPORT_MARGIN`], if only the label decodes bytes to controls or private-use characters.
const PRIVATE_USE_MARGIN: f32 = 4.0;
/// Margin of likelihood from which on the likelier charset replaces the label.
const OVERRULE_MARGIN: f32 = 16.0;
/// Like [`OVERRULE_MARGIN`], if the label makes one or two plain words of the text: it may be a name.
const MARGIN_OF_ONE_WORD: f32 = 32.0;
const MARGIN_OF_TWO_WORDS: f32 = 24.0;
/// Margin of likelihood that no right label has: the likelier text may have rare neighbors, too, such as capitals.
const CLEAR_MARGIN: f32 = 40.0;
/// Minimum number of bytes above 7F to report a likelier charset, and to replace the label.
const MIN_BYTES_TO_REPORT: usize = 3;
const MIN_BYTES_TO_OVERRULE: usize = 6;
/// Minimum number of different characters of two bytes to replace the label.
const PAIRS_TO_OVERRULE: usize = 3;

/// Asks detection for a likelier charset than the label. Returns None if the label stands. Calls `hints` only if detection runs.
pub(crate) fn find_likelier<'h>(
    label: Charset,
    bytes: &[u8],
    scope: LabelScope,
    hints: impl FnOnce() -> detect::Hints<'h>,
) -> Option<LikelierCharset> {
    if is_drawing(label, bytes) {
        return None;
    }
    let arabic = LazyCell::new(|| arabic_words_beside_french(label, bytes));
    // The last two tests are not in `is_in_scope`: they are too slow for each word of a header.
    let needs_detection = scope != LabelScope::None
        && (needs_detection(label, bytes, || arabic.is_some())
            || may_be_of_same_script(label, bytes)
            || may_be_neighbor_language(label, bytes)
            || may_have_foreign_word(label, bytes));
    if !needs_detection && !is_in_scope_without_detection(label, bytes, scope) {
        return None;
    }
    let likelier_in = |charset, decides| Some(LikelierCharset::by_model(charset, decides));
    if is_latin_under(label, bytes)
        || has_windows_apostrophes(label, bytes)
        || western_words(label, bytes) == WesternWords::Certain
    {
        return likelier_in(Charset::WINDOWS_1252, true);
    }
    if let Some(likelier) = likelier_by_mac_signs(label, bytes) {
        return Some(likelier);
    }
    let hints = hints();
    if needs_detection
        && let Some(arabic) = &*arabic
        && let Some(likelier) = likelier_than_implausible(label, arabic, &hints)
        && likelier.guess.charset == Charset::WINDOWS_1256
        && decodes_without_loss(Charset::WINDOWS_1256, bytes)
    {
        return Some(likelier);
    }
    if scope == LabelScope::All
        && let Some(guess) = decisive_guess(label, bytes, &hints)
    {
        let decides = true;
        return Some(LikelierCharset { guess, decides });
    }
    let likelier = needs_detection.then(|| likelier_than_implausible(label, bytes, &hints));
    let likelier = match likelier.flatten() {
        Some(likelier) if likelier.decides => return Some(likelier),
        likelier => likelier_by_mac_cyrillic(label, bytes, &hints).or(likelier),
    };
    if likelier.is_none() && has_euro(label, bytes) && !is_unlike_western(bytes) {
        // windows-1252 has a euro of its own, so somebody may mean the currency sign.
        return likelier_in(Charset::ISO_8859_15, label == Charset::ISO_8859_1);
    }
    likelier
}

/// Returns true if [`find_likelier`] may find something for text under this label.
pub(crate) fn is_in_scope(label: Charset, bytes: &[u8], scope: LabelScope) -> bool {
    is_in_scope_without_detection(label, bytes, scope)
        || scope == LabelScope::Implausible
            && needs_detection(label, bytes, || {
                arabic_words_beside_french(label, bytes).is_some()
            })
}

/// Like [`is_in_scope`], by the tests that are no comparison of likelihoods.
fn is_in_scope_without_detection(label: Charset, bytes: &[u8], scope: LabelScope) -> bool {
    match scope {
        LabelScope::None => false,
        LabelScope::Implausible => {
            has_euro(label, bytes)
                || is_latin_under(label, bytes)
                || has_windows_apostrophes(label, bytes)
                || is_latin_1(label) && has_sign_beside_letters(bytes)
                || may_be_mac_cyrillic(label, bytes)
                || may_be_of_same_script(label, bytes)
                || likelier_by_mac_signs(label, bytes).is_some()
                || western_words(label, bytes) != WesternWords::None
        }
        LabelScope::All => true,
    }
}

/// Returns true if a currency sign under a label of ISO-8859-1 or windows-1252 is the euro of ISO-8859-15.
fn has_euro(label: Charset, bytes: &[u8]) -> bool {
    matches!(label, Charset::ISO_8859_1 | Charset::WINDOWS_1252) && detect::has_euro(bytes)
}

/// Asks detection for a likelier charset than a label that gives implausible text.
fn likelier_than_implausible(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    // Bytes that right text has, too, count by their own margins only.
    let by_costs = is_odd_enough(label, bytes).then(|| likelier_by_costs(label, bytes, hints));
    let by_costs = by_costs.flatten();
    let mut likelier = match by_costs {
        Some(by_costs) if by_costs.decides => by_costs,
        _ => {
            let found = likelier_by_few_bytes(label, bytes, hints)
                .or(by_costs)
                .or_else(|| likelier_by_letters(label, bytes, hints))
                .or_else(|| likelier_by_letters_of_neighbors(label, bytes, hints))
                .or_else(|| likelier_of_same_script(label, bytes, hints));
            match found {
                Some(found) if found.decides => found,
                found => likelier_by_language(label, bytes, hints).or(found)?,
            }
        }
    };
    if has_faults_beside(label, likelier.guess.charset, bytes) {
        if few_plain_words(label, bytes).is_some() {
            return None;
        }
        likelier.decides = false;
    }
    match baltic_letters(label, likelier.guess.charset, bytes) {
        BalticLetters::None | BalticLetters::Few => likelier.decides = false,
        BalticLetters::Enough | BalticLetters::NotBaltic => {}
    }
    likelier.decides &= !has_signs_for_letters(label, likelier.guess.charset, bytes);
    if likelier.decides && is_latin_1(label) {
        likelier.decides = !breaks_western_words(likelier.guess.charset, bytes);
    }
    // A label may be right for text in two languages, such as German above Lithuanian.
    let charsets = [label, likelier.guess.charset];
    let are_latin = |charset: &Charset| charset.is_single_byte() && !has_other_script(*charset);
    if likelier.decides && charsets.iter().all(are_latin) {
        likelier.decides = is_likelier_throughout(label, likelier.guess.charset, bytes, hints);
    }
    Some(likelier)
}

/// Compares the text under the label with that in all charsets.
fn likelier_by_costs(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    if is_latin_1(label) && is_unlike_western(bytes) {
        let rival = detect::rival(&words_once(bytes, label), label, hints)?;
        // Related charsets such as ISO-8859-7 and windows-1253 share the confidence.
        let decides = rival.margin - rival.rarity >= OVERRULE_MARGIN
            && has_different_letters(bytes, label, rival.guess.charset)
            && !is_western(bytes);
        let guess = rival.guess;
        return (rival.margin >= REPORT_MARGIN).then_some(LikelierCharset { guess, decides });
    }
    let text = without_repetitions(bytes);
    let text = once(&text, label);
    let text = words_once(&text, label);
    let likelier = likelier_by_words(label, &text, hints)?;
    match without_shared_signs(&text, label, likelier.guess.charset) {
        Cow::Borrowed(_) => Some(likelier),
        Cow::Owned(text) => likelier_by_words(label, &text, hints),
    }
}

/// Returns true if the label gives at least [`MIN_BYTES_TO_REPORT`] different letters or signs, and `other` gives other characters for two or
/// more of them. A capital and its small letter count once: `Ýr, ýta` has one. If `other` is a double-byte charset, each byte counts.
///
/// A language without a model may have one such letter: `ý` in Turkmen `nasýhaty`, which windows-1254 would read as `nasıhaty`.
fn has_different_letters(bytes: &[u8], label: Charset, other: Charset) -> bool {
    let read = |charset: Charset, byte| charset.decode_exact(&[byte]).map(Cow::into_owned);
    let (mut seen, mut letters, mut differing) = ([false; 256], Vec::new(), 0);
    let window = window(bytes);
    for byte in high_bytes(window).map(|at| window[at]) {
        if std::mem::replace(&mut seen[usize::from(byte)], true) {
            continue;
        }
        let own = read(label, byte);
        let letter = own.as_ref().map(|own| own.to_lowercase());
        if letters.contains(&letter) {
            continue;
        }
        letters.push(letter);
        differing += usize::from(own != read(other, byte));
        if letters.len() >= MIN_BYTES_TO_REPORT && differing > 1 {
            return true;
        }
    }
    false
}

/// Like [`likelier_by_costs`], for text without repetitions.
fn likelier_by_words(
    label: Charset,
    text: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    let high_count = high_bytes(text).take(MIN_BYTES_TO_OVERRULE).count();
    if high_count < MIN_BYTES_TO_REPORT {
        return None;
    }
    let rival = detect::rival(text, label, hints)?;
    let Guess {
        charset,
        confidence,
        ..
    } = rival.guess;
    let is_private = hints.rules.has(detect::Rules::PRIVATE_USE)
        && rival.margin >= PRIVATE_USE_MARGIN
        && non_text_characters(&decode_unlogged(label, text)).is_some()
        && non_text_characters(&decode_unlogged(charset, text)).is_none();
    if is_private {
        return Some(LikelierCharset {
            guess: rival.guess,
            decides: true,
        });
    }
    let is_sure = confidence >= SURE_CONFIDENCE;
    let is_clear = is_sure && rival.margin - rival.rarity >= CLEAR_MARGIN;
    let are_wide = !label.is_single_byte() && !charset.is_single_byte();
    let least = if are_wide {
        MARGIN_OF_WIDE
    } else {
        REPORT_MARGIN
    };
    if rival.margin < least || !detect::has_letters(text, charset) {
        return None;
    }
    // Noise is odd in every charset. So are names of Chinese and Japanese places.
    let is_odd_in_both = !is_clear && detect::is_odd(text, charset);
    let is_far_likelier = rival.margin >= MARGIN_OF_ODD_TEXT && high_count >= MIN_BYTES_TO_OVERRULE;
    if is_odd_in_both && !are_wide && !is_far_likelier {
        return None;
    }
    let has_few = !label.is_single_byte() && different_pairs(text) < PAIRS_TO_OVERRULE;
    let margin = match few_plain_words(label, text) {
        Some(0 | 1) => MARGIN_OF_ONE_WORD,
        Some(_) => MARGIN_OF_TWO_WORDS,
        None => OVERRULE_MARGIN,
    };
    let decides = !has_few
        && !is_odd_in_both
        && rival.margin - rival.rarity >= margin
        && is_sure
        && high_count >= MIN_BYTES_TO_OVERRULE;
    let is_throughout = || {
        is_implausible_throughout(label, text)
            || is_clear && is_likelier_throughout(label, charset, text, hints)
    };
    Some(LikelierCharset {
        guess: rival.guess,
        decides: decides && is_throughout(),
    })
}

/// Returns true if the label is odd enough to run detection, or if single bytes or Arabic words are.
fn needs_detection(label: Charset, bytes: &[u8], has_arabic: impl FnOnce() -> bool) -> bool {
    !is_plain_western(label, bytes)
        && (is_odd_enough(label, bytes) || may_disprove(label, bytes) || has_arabic())
        || may_be_foreign_language(label, bytes)
}

/// Returns true if the text as a whole is odd under the label.
fn is_odd_enough(label: Charset, bytes: &[u8]) -> bool {
    is_latin_1(label) && is_unlike_western(bytes)
        || high_bytes(bytes).nth(MIN_BYTES_TO_REPORT - 1).is_some()
            && if is_usual_cyrillic(label) {
                // Odd text is rather odd, too, so one test excludes nearly all right labels.
                has_odd_controls(label, bytes)
                    || detect::is_rather_odd(bytes, label)
                        && (is_implausible(label, bytes) || has_small_letters_only(label, bytes))
            } else {
                is_implausible(label, bytes)
            }
}

/// Returns true if text is implausible under its label.
fn is_implausible(label: Charset, bytes: &[u8]) -> bool {
    if is_latin_1(label) {
        return has_misplaced_bytes(bytes);
    }
    has_odd_neighbors(label, bytes)
}

/// Returns true if letters and symbols have neighbors under the label that no language of it has.
pub(crate) fn is_odd_under(label: Charset, bytes: &[u8]) -> bool {
    is_latin_1(label) && has_misplaced_bytes(bytes) || has_odd_neighbors(label, bytes)
}

/// Like [`is_odd_under`], by costs only.
fn has_odd_neighbors(label: Charset, bytes: &[u8]) -> bool {
    label.may_stand_beside_ascii()
        && label != Charset::UTF_8
        && (has_odd_controls(label, bytes) || detect::is_odd(bytes, label))
}

/// Returns true for bytes from 80 to 9F under a label of ISO-8859-4 or ISO-8859-5. They are controls there, which no mail program writes.
/// In windows-1257 and windows-1251 they are letters and signs: `\x8E` is `Ћ`.
fn has_odd_controls(label: Charset, bytes: &[u8]) -> bool {
    matches!(label, Charset::ISO_8859_4 | Charset::ISO_8859_5) && has_c1(bytes)
}

/// Returns true if windows-1252 has symbols, holes or capitals where letters of DOS and Mac charsets stand: `gr”áer` is `größer`
/// in IBM850, `fŸr` is `für` in macintosh.
fn has_misplaced_bytes(bytes: &[u8]) -> bool {
    let window = window(bytes);
    let at = |at: Option<usize>| byte_or_blank(window, at);
    let is_misplaced = |place: usize| {
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        match window[place] {
            0x81 | 0x8D | 0x8F | 0x90 | 0x9D => {
                before.is_ascii_alphabetic() || after.is_ascii_alphabetic()
            }
            0x82 | 0x84 | 0x86 | 0x87 | 0x89 | 0x8B | 0x94 | 0x9B => {
                before.is_ascii_alphabetic() && after.is_ascii_alphabetic()
            }
            0x8A | 0x8C | 0x8E | 0x9F => before.is_ascii_lowercase() && after.is_ascii_lowercase(),
            _ => false,
        }
    };
    high_bytes(window).take(MAX_HIGH_BYTES).any(is_misplaced)
}

/// Returns true if the text is implausible under the label, and every eighth of it is odd.
///
/// A quotation in another charset makes one piece odd, but not the reply around it. A piece alone may have few different letters.
fn is_implausible_throughout(label: Charset, bytes: &[u8]) -> bool {
    const PIECES: usize = 8;
    let mut start = 0;
    is_implausible(label, bytes)
        && (1..=PIECES).all(|nth| {
            let from = (bytes.len() / PIECES * nth).max(start);
            let end = if nth == PIECES {
                None
            } else {
                memchr::memchr(b'\n', &bytes[from..]).map(|at| from + at + 1)
            };
            let piece = &bytes[start..end.unwrap_or(bytes.len())];
            start = end.unwrap_or(bytes.len());
            high_bytes(piece).nth(MIN_BYTES_TO_OVERRULE - 1).is_none() || is_odd_under(label, piece)
        })
}

/// Returns true if high bytes are arranged unlike Western European text.
///
/// Examples: letters that only Icelandic has (Turkish under another label), symbols within words, and mostly adjacent high bytes,
/// as in other scripts.
pub(crate) fn is_unlike_western(bytes: &[u8]) -> bool {
    let Some(start) = high_bytes(bytes).next() else {
        return false;
    };
    let window = &bytes[start..bytes.len().min(start + WINDOW)];
    let before = byte_or_blank(bytes, start.checked_sub(1));
    let (mut high, mut side_by_side) = (0, 0);
    for at in high_bytes(window).take(MAX_HIGH_BYTES) {
        let byte = window[at];
        let last = at.checked_sub(1).map_or(before, |at| window[at]);
        let next = byte_or_blank(window, Some(at + 1));
        if is_icelandic(byte) || is_sign(byte) && is_western_letter(last) && is_western_letter(next)
        {
            return true;
        }
        high += 1;
        side_by_side +=
            usize::from(are_oddly_adjacent(last, byte) || are_oddly_adjacent(byte, next));
    }
    side_by_side * 2 > high
}

/// Names characters that only a wrong charset produces: C1 controls or private-use characters ([`crate::charset_choice::is_private`]).
pub(crate) fn non_text_characters(text: &str) -> Option<NonText> {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(0xC2, 0xEE, bytes).find_map(|at| match (bytes[at], bytes.get(at + 1)) {
        (0xC2, Some(0x80..=0x84 | 0x86..=0x9F)) => Some(NonText::Controls),
        (0xEE, _) => Some(NonText::PrivateUse),
        _ => None,
    })
}

/// Returns true if most double-byte characters touch ASCII letters. Accented Latin letters do so, CJK characters do not.
pub(crate) fn stands_within_ascii_words(charset: Charset, text: &str) -> bool {
    if charset.is_single_byte() || !charset.is_ascii_compatible() {
        return false;
    }
    let (mut wide, mut within) = (0_usize, 0_usize);
    let mut last = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii() {
            let next = chars.peek().is_some_and(char::is_ascii_alphabetic);
            wide += 1;
            within += usize::from(last.is_ascii_alphabetic() || next);
        }
        last = c;
    }
    within * 2 > wide
}

/// Returns true for Ð Ý Þ ð ý þ.
fn is_icelandic(byte: u8) -> bool {
    matches!(byte & 0xDF, 0xD0 | 0xDD | 0xDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::random::Random;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::LossLog;

    /// Random words of ASCII letters, letters of some texts and bytes above 7F.
    #[test]
    fn plain_western_text_passes_all_other_tests() {
        let mut random = Random(5);
        let mut plain = 0;
        let common = b"\xE4\xF6\xFC\xDF\xE9\xE8\xE0\xE7\xF1\x92\x93\x84\x80\xBB\xF8\xE6\xF5";
        for _ in 0..200_000 {
            let most = random.below(common.len()) + 1;
            let bytes: Vec<u8> = (0..=random.below(120))
                .map(|_| match random.below(16) {
                    0 if most == common.len() => 0x80 | random.below(128) as u8,
                    0 | 1 => common[random.below(most)],
                    2..=5 => b" \n.,"[random.below(4)],
                    6 => b'A' + random.below(26) as u8,
                    _ => b'a' + random.below(26) as u8,
                })
                .collect();
            for label in [
                Charset::ISO_8859_1,
                Charset::WINDOWS_1252,
                Charset::ISO_8859_15,
            ] {
                if is_plain_western(label, &bytes) {
                    plain += 1;
                    let text = bytes.escape_ascii();
                    assert!(!is_odd_enough(label, &bytes), "{text}");
                    assert!(!may_disprove(label, &bytes), "{text}");
                }
            }
        }
        assert!(plain > 100_000, "{plain}");
    }

    #[test]
    fn few_letters_of_one_language_are_western() {
        for text in [
            "Umlaut-Test: äöü ÄÖÜ ß",
            "ÄÖÜ",
            "ÆØÅ",
            "ÎÏÔ",
            "àéèùç",
            "æøå\n-- \nfoo",
            "£££\n-- \nfoo",
            "ñáéíóúü",
            "àâäéèêëîïôöùûüÿç",
            "20 °C ± 5 µm",
        ] {
            assert!(is_western(&encoded("windows-1252", text)), "{text}");
        }
        for (charset, text) in [
            ("windows-1251", "Привет"),
            ("KOI8-R", "Привет"),
            ("windows-1253", "Καλημέρα"),
            ("windows-1255", "שלום"),
            ("windows-1254", "yağmur yağıyor"),
            ("ISO-8859-2", "wiadomość"),
            ("GBK", "你好，世界"),
            ("windows-1251", "да, около половины"),
        ] {
            assert!(!is_western(&encoded(charset, text)), "{text}");
        }
        let mixed = b"R\xe9union pr\xe9vue\n\nListe des \xc3\xa9tudiants: fran\xc3\xa7ais \xc3\xa0 t\xc3\xa9l\xc3\xa9charger";
        assert!(stands_within_ascii_words(
            Charset::GBK,
            &Charset::GBK.decode(mixed, &mut LossLog::new())
        ));
        assert!(!stands_within_ascii_words(Charset::GBK, "你好，世界 ok"));
    }

    /// Returns the charset that replaces the label of text in `charset`.
    fn replaced(label: &str, text: &str, charset: &str) -> Option<Charset> {
        let label = charset_named(label);
        let bytes = encoded(charset, text);
        let found = find_likelier(label, &bytes, LabelScope::Implausible, || MAIL_HINTS);
        found
            .filter(|likelier| likelier.decides)
            .map(|likelier| likelier.guess.charset)
    }

    /// Each label is right, although most of the text is likelier in a Western charset.
    #[test]
    fn text_in_two_languages_keeps_a_label_that_one_of_them_needs() {
        for (label, text) in [
            (
                "windows-1257",
                "Die Größe des Mauszeigers kann mit einer Vergrößerung kombiniert werden.\nGeänderte Datei speichern?\n\n> Nėra reklamų ar piniginių tranzakcijų\n",
            ),
            (
                "windows-1257",
                "Mit Unterstützung für Attribute\nBezugsnachricht ist nicht verfügbar.\nVerknüpfungen umrahmen\n\n---\nPageidaujama tvarkymo priemonė:\nSertifikavimas neįmanomas\nPradėti pateikties veiksena\n",
            ),
            (
                "windows-1250",
                "Lloji i përshpejtuesit.\nShkruaj një përshpejtues të ri\n---\nUtwórz katalog...\nBezwzględne pozycjonowanie rysika\nCzyści pole wyszukiwania\n---\nT'i shtojmë një zgjatim të ri interneti\nTema aktuale propozon një sfond\n",
            ),
        ] {
            assert_eq!(replaced(label, text, label), None, "{text}");
        }
    }

    #[test]
    fn repeated_words_and_shared_signs_do_not_disprove_a_label() {
        for (label, text) in [
            ("EUC-JP", "匝瑳市=匝瑳市"),
            ("EUC-JP", "匝瑳市1匝瑳市"),
            ("Big5", "楊梅縣1楊梅縣"),
            ("Big5", "彰化市-彰化市"),
            ("TIS-620", "นวลฉวี=นวลฉวี"),
            ("windows-1251", "НМЖК-НМЖК"),
            ("EUC-KR", "「충청북도」"),
            ("EUC-KR", "「교육/훈련」"),
            ("windows-949", "「충청북도」 홍성군 잠실454길 802-95"),
        ] {
            assert_eq!(replaced(label, text, label), None, "{label} {text}");
        }
        for (label, text, charset) in [
            ("EUC-KR", "「请查收附件」，谢谢大家的支持。附件=附件", "GBK"),
            (
                "Big5",
                "请查收附件，谢谢大家的支持。附件=附件，大家=大家",
                "GBK",
            ),
            (
                "KOI8-R",
                "Договор=Договор: пришлите договор до пятницы",
                "windows-1251",
            ),
        ] {
            let expected = Charset::for_name(charset);
            assert_eq!(replaced(label, text, charset), expected, "{label} {text}");
        }
    }

    #[test]
    fn three_different_letters_and_a_clear_margin_replace_latin_1() {
        for text in [
            "Ýr, Ýr, ÝR",
            "þþþ",
            "hý, hý, Hý",
            "thý Ðeed, thý Ðeed, THý ÐEED",
            "Ðeath Ðealer, Ðeath Ðealer, ÐEATH ÐEALER",
            "hiç\nGeçmek görkeziji\nesbap nasýhaty",
            "tý hwyr Ýn gýda mýn, â ô î",
        ] {
            assert_eq!(replaced("ISO-8859-1", text, "ISO-8859-1"), None, "{text}");
        }
        let text = "pamäť je konzistentná, knižnica je chybná";
        let found = replaced("ISO-8859-1", text, "windows-1250");
        assert_eq!(found, Some(Charset::WINDOWS_1250));
    }

    #[test]
    fn controls_and_private_characters_are_odd() {
        for (text, odd) in [
            ("caf\u{e9} \u{a0}\u{85}日本 \u{fffd}", None),
            ("a\u{81}", Some(NonText::Controls)),
            ("\u{9f}", Some(NonText::Controls)),
            ("\u{e01d}", Some(NonText::PrivateUse)),
            ("\u{efff}", Some(NonText::PrivateUse)),
        ] {
            assert_eq!(non_text_characters(text), odd, "{text:?}");
        }
    }

    #[test]
    fn western_text_is_not_odd() {
        for text in [
            "Schöne Grüße aus Köln, vergiß nicht: 20 °C, 5 m², § 7",
            "«L’été», déjà vu; un cœur, des œufs – 12 €",
            "¿Qué tal? Mañana 3ª clase, 2º piso, l·l",
            "It´s a co\u{AD}op, naïve café",
            "Kære Søren, på øen; smörgåsbord",
            "Viele Grüße",
            "Größe",
            "ATENÇÃO: informações",
            "théâtre",
            "hyvää päivää",
        ] {
            assert!(!is_unlike_western(&encoded("windows-1252", text)), "{text}");
        }
        for (charset, text) in [
            ("windows-1254", "İstanbul'da yağmur yağıyor"),
            ("windows-1251", "Привет, как дела"),
            ("windows-1253", "Καλημέρα"),
            ("ISO-8859-2", "wiadomość została wysłana, się"),
            ("GBK", "你好，世界"),
            ("windows-1252", "það er gott að vera hér"),
        ] {
            assert!(is_unlike_western(&encoded(charset, text)), "{text}");
        }
    }
}
