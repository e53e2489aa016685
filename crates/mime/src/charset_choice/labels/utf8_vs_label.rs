//! Decides between valid UTF-8 and a label of another charset.
//!
//! Under a single-byte label, UTF-8 wins if the label's reading has the higher `mojibake_score`. Under a double-byte label, UTF-8
//! needs enough letters, and many if the label's reading consists of everyday characters.
//!
//! # Limits
//! Knows no words: text that is plausible in both readings keeps its label. Examines only the first non-ASCII characters.

use super::misread_words::has_misread_word;
use super::superset;
use crate::charset_choice::evidence::MAIL_HINTS;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::composed::composed;
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::shifts::uses_shifts;
use crate::charset_choice::text_tests::utf8_words::is_utf8_by_chance;
use crate::charset_choice::text_tests::western_letters::is_latin_1;
use crate::charset_choice::text_tests::western_words::is_western_letter;
use mailglot_codec::{Charset, LossLog, Script, detect, is_alphabetic};

/// Number of UTF-8 letters that double-byte text does not have by chance. One in five of its frequent characters is a UTF-8
/// sequence.
const MIN_LETTERS: usize = 8;
/// Margin of likelihood (natural logarithm) by which Latin text must beat the double-byte reading. Text with a CJK character after
/// an ASCII word never comes near it.
const MIN_MARGIN: f32 = 28.0;
/// Like [`MIN_MARGIN`], to report that text may be UTF-8. Names with wide characters behind them have at most 1 (`Amy木`), Latin words such as
/// `Malmö` at least 5.
const DOUBT_MARGIN: f32 = 3.0;
/// Maximum number of non-ASCII characters that are examined.
const MAX_CHARS: usize = 64;

/// Returns true if valid UTF-8 outweighs the declared charset. `text` is `bytes` as UTF-8.
pub(crate) fn utf8_outweighs_label(declared: Option<Charset>, bytes: &[u8], text: &str) -> bool {
    utf8_outweighs_lines(declared, bytes, text)
        || declared.is_some_and(|charset| {
            is_of_latin_words(charset, text)
                || has_misread_word(charset, bytes) && mojibake_score(beginning(text)) == 0
        })
}

/// Like [`utf8_outweighs_label`], for a line beside others in the declared charset: there a wide character stands between ASCII letters,
/// too (`so忙now`).
pub(crate) fn utf8_outweighs_lines(declared: Option<Charset>, bytes: &[u8], text: &str) -> bool {
    let Some(charset) = declared else { return true };
    if charset == Charset::US_ASCII {
        return true;
    }
    if charset.is_stateful() {
        return !uses_shifts(charset, bytes);
    }
    if charset.is_ebcdic() {
        // Letters of EBCDIC are non-ASCII, and short EBCDIC names may be valid UTF-8 by chance.
        return text
            .bytes()
            .filter(u8::is_ascii_alphabetic)
            .nth(3)
            .is_some();
    }
    let start = beginning(text);
    if charset.is_single_byte() {
        // Compare with the charset that would decode bytes outside the label.
        let charset = superset::better_by_bytes(charset, bytes).unwrap_or(charset);
        let mut log = LossLog::with_limit(0);
        let reading = charset.decode(start.as_bytes(), &mut log);
        return log.losses() > 0
            || mojibake_score(&reading) > mojibake_score(start)
                && !(is_lone_wide(start) && is_plain_word(&reading));
    }
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(bytes, &mut log);
    log.losses() > 0
        || reading.chars().any(is_private)
        || outweighs_double_byte(charset, text, start)
}

/// Returns true if the only non-ASCII character has three bytes or more, as a word of three letters has: `㠧` is `عبد` in CP720.
fn is_lone_wide(text: &str) -> bool {
    let mut others = text.chars().filter(|c| !c.is_ascii());
    others.next().and_then(alphabet) == Some(Alphabet::Wide) && others.next().is_none()
}

/// Returns true if all non-ASCII characters are small letters or have no case, in one script. ASCII letters may touch them: `2xعبد`.
fn is_plain_word(text: &str) -> bool {
    let letters = || text.chars().filter(|c| !c.is_ascii());
    let first = letters().next().and_then(Script::of);
    let is_plain = |c: char| is_alphabetic(c) && !c.is_uppercase() && Script::of(c) == first;
    first.is_some() && letters().all(is_plain)
}

/// Returns true if UTF-8 outweighs a double-byte charset that decodes all of the text.
fn outweighs_double_byte(charset: Charset, text: &str, start: &str) -> bool {
    let is_level1 = is_level1(charset, start.as_bytes());
    let letters = composed(start);
    has_letters_enough(&letters, is_level1)
        || !is_level1 && start.chars().any(is_typographic)
        || is_in_words(&letters)
            && detect::utf8_margin(text, charset, &MAIL_HINTS)
                .is_some_and(|margin| margin >= MIN_MARGIN)
}

/// Returns true if each non-ASCII character is a Latin letter in a place that wide characters hardly have. That place is between small
/// letters, or in a capitalized word. Everyday wide characters must be less likely, too. A rare one need only stand beside ASCII letters.
fn is_of_latin_words(charset: Charset, text: &str) -> bool {
    /// Margin of likelihood (natural logarithm). `so忙now` and `my iphone么pad` have at most 15.
    const INNER_MARGIN: f32 = 15.0;
    /// Like [`INNER_MARGIN`], for letters within capitalized words: `Schön`.
    const NAME_MARGIN: f32 = 7.5;
    let start = beginning(text);
    if start.is_ascii() || !is_double_byte(charset) {
        return false;
    }
    let letters = composed(start);
    let is_long = |word: &str| {
        word.bytes()
            .filter(u8::is_ascii_alphabetic)
            .nth(1)
            .is_some()
    };
    let is_all = |is_such: &dyn Fn(&str) -> bool| {
        latin_words(&letters).is_some_and(|mut words| words.all(is_such))
    };
    // Behind a word, one wide character is as common: `Linux책`, `Tom没`.
    let ends_in_ascii = |word: &str| word.ends_with(|c: char| c.is_ascii());
    if !is_level1(charset, start.as_bytes()) {
        return is_all(&|word| {
            is_long(word)
                && ends_in_ascii(word)
                && (is_in_names(word) || has_inner_letters_only(word))
        });
    }
    let least = if is_all(&|word| is_in_names(word) && ends_in_ascii(word)) {
        NAME_MARGIN
    } else if is_all(&|word| {
        ends_in_ascii(word) && (is_in_names(word) || has_inner_letters_only(word))
    }) {
        INNER_MARGIN
    } else {
        return false;
    };
    detect::utf8_margin(text, charset, &MAIL_HINTS).is_some_and(|margin| margin >= least)
}

/// Returns the words with non-ASCII letters; None if other non-ASCII characters occur than Latin letters.
fn latin_words(text: &str) -> Option<impl Iterator<Item = &str>> {
    let is_latin = |c: char| c.is_ascii() || alphabet(c) == Some(Alphabet::Latin);
    text.chars().all(is_latin).then(|| {
        text.split(|c: char| !is_alphabetic(c))
            .filter(|word| !word.is_ascii())
    })
}

/// Returns true if at most two non-ASCII letters stand side by side, each time between an ASCII letter and a small one: `schön`, `Größe`.
fn has_inner_letters_only(word: &str) -> bool {
    const SIDE_BY_SIDE: usize = 2;
    let is_ascii = |c: char| c.is_ascii();
    let mut runs = word.split(is_ascii);
    let mut behind = word.split(|c: char| !c.is_ascii()).skip(1);
    word.starts_with(is_ascii)
        && word.ends_with(is_ascii)
        && runs.all(|run| run.chars().count() <= SIDE_BY_SIDE)
        && behind.all(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_lowercase()))
        && !word.chars().any(|c| !c.is_ascii() && c.is_uppercase())
}

/// Returns true for charsets of two bytes that contain ASCII and have no escape sequences.
fn is_double_byte(charset: Charset) -> bool {
    !charset.is_single_byte()
        && charset.is_ascii_compatible()
        && !charset.is_stateful()
        && charset != Charset::UTF_8
}

/// Returns true if text under a double-byte label may be UTF-8. This is so if each non-ASCII character is a Latin letter beside a small
/// one, as in `café`, and likelier than the wide ones. `Sea木木` in GBK is `Seaľľ` in UTF-8.
pub(crate) fn may_be_latin_utf8(label: Charset, bytes: &[u8]) -> bool {
    if !is_double_byte(label) || bytes.is_ascii() {
        return false;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let start = beginning(text);
    let has_small = |word: &str| {
        word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(char::is_lowercase)
    };
    let is_likelier = || {
        detect::utf8_margin(start, label, &MAIL_HINTS).is_none_or(|margin| margin >= DOUBT_MARGIN)
    };
    let letters = composed(start);
    mojibake_score(&letters) == 0
        && latin_words(&letters).is_some_and(|mut words| words.all(has_small))
        && is_likelier()
}

/// Returns true if ASCII text under a label has one or two characters of UTF-8 that occur in English, such as `©`.
///
/// Example: `Copyright 漏 2004` under GB2312.
///
/// Text under a label of Latin-1 has its own rules.
pub(crate) fn may_be_sign_of_utf8(label: Charset, bytes: &[u8]) -> bool {
    /// Maximum number of characters, and minimum number of ASCII letters for each.
    const MAX_SIGNS: usize = 2;
    const LETTERS: usize = 8;
    if is_latin_1(label) || label == Charset::UTF_8 || label.is_stateful() || label.is_ebcdic() {
        return false;
    }
    if bytes.is_ascii() || detect::high_bytes(bytes).nth(MAX_SIGNS * 3).is_some() {
        return false;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let count = text.chars().filter(|c| !c.is_ascii()).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic);
    count <= MAX_SIGNS
        && letters.take(LETTERS * count).count() == LETTERS * count
        && text.chars().all(|c| c.is_ascii() || is_sign_of_english(c))
        && (label.is_single_byte() || has_placed_signs_only(text))
}

/// Returns true if each sign stands where English has it: `© 2004`, `25°C`, `Office®`, signs of typography. Wide characters in other places may be
/// Chinese or Korean words: `Mei 梅`.
fn has_placed_signs_only(text: &str) -> bool {
    let is_placed = |(at, c): (usize, char)| {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let after = text[at + c.len_utf8()..].trim_start();
        match c {
            '©' => after.starts_with("19") || after.starts_with("20"),
            '°' => before.is_ascii_digit(),
            '®' | '™' => before.is_ascii_alphabetic(),
            _ => matches!(c, '\u{2010}'..='\u{2026}'),
        }
    };
    text.char_indices()
        .filter(|(_, c)| !c.is_ascii())
        .all(is_placed)
}

/// Returns true for signs of Latin-1, letters of Western languages, letters of Greek in formulas, and signs of typography.
fn is_sign_of_english(c: char) -> bool {
    matches!(c, '\u{A0}'..='\u{BF}' | '×' | '÷' | 'Α'..='Ω' | 'α'..='ω' | '€' | '™' | '\u{2010}'..='\u{2026}')
        || is_western_letter(c) && c != 'Ÿ'
}

/// Returns true if valid UTF-8 without a label outweighs the charset of other text in the message.
pub(crate) fn utf8_outweighs_message(
    message_charset: Option<Charset>,
    bytes: &[u8],
    text: &str,
) -> bool {
    let Some(charset) = message_charset.filter(|charset| charset.is_single_byte()) else {
        let is_everyday = |charset| {
            let start = beginning(text);
            is_level1(charset, start.as_bytes()) && is_natural_east_asian(charset, start)
        };
        let is_chance = |charset| is_utf8_by_chance(charset, bytes);
        return !message_charset.is_some_and(is_chance)
            && (utf8_outweighs_label(message_charset, bytes, text)
                || !message_charset.is_some_and(is_everyday));
    };
    // No label names the message's charset here, so its reading must be the better one.
    let start = beginning(text);
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(start.as_bytes(), &mut log);
    log.losses() > 0 || mojibake_score(&reading) >= mojibake_score(start)
}

/// Returns true if people write the double-byte reading of a text.
///
/// Half-width katakana stand alone and in words, Greek letters not within Japanese words. No character replaces an accented letter
/// within a Latin word.
fn is_natural_east_asian(charset: Charset, start: &str) -> bool {
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(start.as_bytes(), &mut log);
    let is_half = |c: char| matches!(c, '\u{FF61}'..='\u{FF9F}');
    let is_greek = |c: char| matches!(c, '\u{370}'..='\u{4FF}');
    let is_wide = |c: char| !c.is_ascii() && is_alphabetic(c) && !is_half(c) && !is_greek(c);
    let letters = composed(start);
    let is_latin = letters
        .chars()
        .all(|c| c.is_ascii() || alphabet(c) == Some(Alphabet::Latin));
    if is_latin && is_in_names(&letters) {
        return false;
    }
    let (mut halves, mut wides, mut before) = (0, 0, ' ');
    let mut chars = reading.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let beside = |is: &dyn Fn(char) -> bool| (is(before), is(next));
        let letters = beside(&|c| c.is_ascii_alphabetic());
        let is_odd = is_half(c) && letters != (false, false)
            || is_greek(c) && beside(&is_wide) != (false, false)
            || is_latin && is_wide(c) && letters == (true, true);
        if is_odd {
            return false;
        }
        halves += usize::from(is_half(c));
        wides += usize::from(is_wide(c) || is_greek(c));
        before = c;
    }
    halves == 0 || wides == 0 && halves >= 3
}

/// Returns true if each non-ASCII letter is a small letter in a capitalized word: `Zoë`, `André`.
fn is_in_names(text: &str) -> bool {
    text.split(|c: char| !is_alphabetic(c))
        .filter(|word| !word.is_ascii())
        .all(|word| {
            let mut chars = word.chars();
            chars.next().is_some_and(|c| c.is_ascii_uppercase())
                && chars.next().is_some_and(|c| c.is_ascii_lowercase())
                && chars.all(char::is_lowercase)
        })
}

/// Returns the text up to the last non-ASCII character that is examined.
fn beginning(text: &str) -> &str {
    let next = text
        .char_indices()
        .filter(|(_, c)| !c.is_ascii())
        .nth(MAX_CHARS);
    next.map_or(text, |(at, _)| &text[..at])
}

/// Returns true for the charsets whose labels HZ has, too. HZ has the characters of GB 2312 in seven bits (RFC 1843).
pub(crate) fn is_label_of_hz(label: Charset) -> bool {
    [Charset::GBK, Charset::GB18030, Charset::GB2312].contains(&label)
}

/// Returns true if ASCII text is in HZ.
pub(crate) fn is_hz(bytes: &[u8]) -> bool {
    if detect::find_hz_shift(bytes).is_none() {
        return false;
    }
    let mut log = LossLog::with_limit(0);
    let text = Charset::HZ_GB_2312.decode(bytes, &mut log);
    log.is_empty() && !text.is_ascii() && !text.chars().any(is_private) && is_hz_text(bytes)
}

/// Returns true if shifted text uses only the rows of GB 2312, and two characters or more are everyday ones.
fn is_hz_text(bytes: &[u8]) -> bool {
    let (mut at, mut everyday) = (0, 0);
    while let Some(start) = detect::find_hz_shift(&bytes[at..]).map(|n| at + n + 2) {
        let end = memchr::memmem::find(&bytes[start..], b"~}").map_or(bytes.len(), |n| start + n);
        for pair in bytes[start..end]
            .chunks_exact(2)
            .filter(|pair| pair[0] > b' ')
        {
            match pair[0] - 0x20 {
                16..=55 => everyday += 1,
                1..=9 | 56..=87 => {}
                _ => return false,
            }
        }
        at = end;
    }
    everyday >= 2
}

/// Returns true for quotation marks, dashes, currencies and emoji. Their UTF-8 lead bytes are no everyday character in any charset.
fn is_typographic(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{206F}' | '\u{20A0}'..='\u{20CF}' | '\u{2100}'..='\u{214F}' | '\u{1F000}'..='\u{1FAFF}')
}

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}')
}

/// The alphabet of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// A character of three or four bytes.
    Wide,
}

/// Returns the alphabet of a common letter; None for rare letters and for symbols.
fn alphabet(c: char) -> Option<Alphabet> {
    Some(match c {
        '×' | '÷' | '\u{132}' | '\u{133}' | '\u{13F}' | '\u{140}' | '\u{149}' | '\u{17F}' => {
            return None;
        }
        '\u{C0}'..='\u{17F}'
        | 'Ơ'
        | 'ơ'
        | 'Ư'
        | 'ư'
        | 'Ș'
        | 'ș'
        | 'Ț'
        | 'ț'
        | 'Ə'
        | 'ə'
        | '\u{1EA0}'..='\u{1EFF}' => Alphabet::Latin,
        '\u{386}'..='\u{3CE}' => Alphabet::Greek,
        '\u{401}'..='\u{45F}' | 'Ґ' | 'ґ' => Alphabet::Cyrillic,
        '\u{5D0}'..='\u{5EA}' => Alphabet::Hebrew,
        '\u{621}'..='\u{64A}'
        | 'پ'
        | 'چ'
        | 'ژ'
        | 'ک'
        | 'گ'
        | 'ی'
        | 'ہ'
        | 'ے'
        | 'ٹ'
        | 'ڈ'
        | 'ڑ'
        | 'ں'
        | 'ھ' => Alphabet::Arabic,
        '\u{2000}'..='\u{206F}'
        | '\u{2190}'..='\u{25FF}'
        | '\u{3000}'..='\u{303F}'
        | '\u{FF00}'..='\u{FFEF}' => {
            return None;
        }
        '\u{800}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FEFF}'
        | '\u{1F000}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{2FA1F}' => Alphabet::Wide,
        _ => return None,
    })
}

/// Returns true if the text has enough letters of one alphabet to rule out a double-byte charset, or so many that alphabets do not
/// matter.
///
/// `is_level1`: the double-byte reading consists of everyday characters.
fn has_letters_enough(text: &str, is_level1: bool) -> bool {
    let mut counts: Vec<(Alphabet, usize)> = Vec::new();
    let (mut others, mut beside) = (0, 0);
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let last = std::mem::replace(&mut before, c);
        if c.is_ascii() {
            continue;
        }
        let Some(alphabet) = alphabet(c) else {
            // Symbols of Latin-1 stand beside its letters.
            others += usize::from(!matches!(c, '\u{A0}'..='\u{BF}'));
            continue;
        };
        let next = chars.peek().copied().unwrap_or(' ');
        beside += usize::from(
            alphabet == Alphabet::Latin
                && (last.is_ascii_alphabetic() || next.is_ascii_alphabetic()),
        );
        match counts.iter_mut().find(|(known, _)| *known == alphabet) {
            Some((_, count)) => *count += 1,
            None => counts.push((alphabet, 1)),
        }
    }
    let Some(&(most, letters)) = counts.iter().max_by_key(|(_, count)| count) else {
        return false;
    };
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    // Latin letters stand among ASCII letters.
    if most == Alphabet::Latin {
        return beside >= 2 && 2 * beside >= letters && 2 * (others + all - letters) <= letters;
    }
    if is_level1 {
        return letters >= MIN_LETTERS
            && 4 * (others + all - letters) <= letters
            && has_various_letters(text);
    }
    if all + others >= MIN_LETTERS {
        return all >= others;
    }
    others == 0 && letters == all && letters >= if most == Alphabet::Wide { 2 } else { 3 }
}

/// Returns true if the text has several different characters. One repeated character does not prove UTF-8: `谢谢` in GBK is `лл` in UTF-8.
fn has_various_letters(text: &str) -> bool {
    const DIFFERENT: usize = 4;
    let mut found: Vec<char> = Vec::new();
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if !found.contains(&c) {
            found.push(c);
        }
        if found.len() >= DIFFERENT {
            return true;
        }
    }
    false
}

/// Returns true if all non-ASCII characters are Latin letters within words and related symbols. One word must have enough ASCII
/// letters to be no product name (`T恤`).
fn is_in_words(text: &str) -> bool {
    const LETTERS: usize = 3;
    let (mut letters, mut is_long) = (0, false);
    for word in
        text.split(|c: char| !(c.is_ascii_alphabetic() || alphabet(c) == Some(Alphabet::Latin)))
    {
        let own = word.chars().filter(|c| !c.is_ascii()).count();
        letters += own;
        is_long |= own > 0 && word.len() - own * 2 >= LETTERS;
    }
    let mut others = text
        .chars()
        .filter(|c| !c.is_ascii() && alphabet(*c) != Some(Alphabet::Latin));
    is_long
        && others.clone().count() <= letters
        && others.all(|c| matches!(c, '\u{A0}'..='\u{BF}' | '\u{2010}'..='\u{203A}' | '€'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    fn beats(label: &str, text: &str) -> bool {
        let charset = charset_named(label);
        utf8_outweighs_label(Some(charset), text.as_bytes(), text)
    }

    #[test]
    fn a_wide_character_may_be_a_word_of_three_letters() {
        for (label, text, is_utf8) in [
            ("CP720", "2x\u{3827}", false),
            ("IBM866", "x大", false),
            ("IBM866", "x中", true),
            ("IBM866", "x大大", true),
            ("CP720", "2x\u{3827} é", true),
            ("windows-1251", "x中", true),
            ("windows-1252", "x大", true),
        ] {
            assert_eq!(beats(label, text), is_utf8, "{label} {text}");
        }
    }

    #[test]
    fn text_in_utf_8_is_known_under_labels_of_two_bytes() {
        for label in ["GBK", "GB18030", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"] {
            for text in [
                "Здравствуйте, как дела? Größe, déjà vu.",
                "Größe der Räume",
                "Καλημέρα",
                "会议通知\n各位同事\n",
                "会议",
                "안녕하세요",
                "שלום",
                "Как",
            ] {
                assert!(beats(label, text), "{label} {text}");
            }
        }
        assert!(!beats("GBK", "caf\u{e9}") && !beats("GBK", "x"));
        // Wide characters behind Latin words.
        for (label, text) in [
            ("EUC-KR", "Linux책"),
            ("EUC-KR", "I need a Python책"),
            ("EUC-JP", "Tom端"),
            ("GBK", "Linux么"),
        ] {
            let bytes = encoded(label, text);
            let by_utf8 = String::from_utf8(bytes).expect("UTF-8 by chance");
            assert!(!beats(label, &by_utf8), "{label} {text}");
        }
        for label in ["GBK", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"] {
            for text in [
                "Schön",
                "Für dich",
                "Björn Müller",
                "Thanks to Chloësse Knoppers for the report.",
                "señor",
                "naïve",
                "Əhməd Məmmədov",
                "Azərbaycan dili",
                "Pre\u{301}sentation ge\u{301}ne\u{301}rale",
                "garc\u{327}on, fene\u{302}tre",
                "\u{110B}\u{1161}\u{11AB}\u{1102}\u{1167}\u{11BC}",
            ] {
                assert!(beats(label, text), "{label} {text}");
            }
        }
        // `so忙now`, `app没shop`, `iphone么pad`, `Tom没`.
        for text in [
            "I am soænow",
            "the appûshop is closed",
            "my iphoneôpad",
            "Tomû",
        ] {
            assert!(!beats("GBK", text), "{text}");
        }
        for label in ["GBK", "EUC-KR", "Shift_JIS", "EUC-JP", "Big5"] {
            for text in [
                "Le modèle de l’été, déjà vu à Besançon",
                "réunion de demain",
                "Müller GmbH",
                "España y Portugal",
                "It’s “ok” – 5 €",
                "Bob \u{1F642}",
            ] {
                assert!(beats(label, text), "{label} {text}");
            }
        }
    }

    #[test]
    fn latin_words_under_double_byte_labels_are_suspected() {
        let gbk = |text: &str| {
            Charset::GBK
                .encode_exact(text)
                .expect("encodable")
                .into_owned()
        };
        for (bytes, expected) in [
            ("café".as_bytes().to_vec(), true),
            ("Sí".as_bytes().to_vec(), true),
            (gbk("VIP女"), false),
            (gbk("目录 A"), false),
            (gbk("A转B"), false),
            (gbk("谢谢Tom"), false),
            ("Malmö".as_bytes().to_vec(), true),
            ("Paweł".as_bytes().to_vec(), true),
            (gbk("Sea木木"), false),
            (gbk("Amy木"), false),
            (gbk("Tom没"), false),
            (b"plain".to_vec(), false),
        ] {
            let found = may_be_latin_utf8(Charset::GBK, &bytes);
            assert_eq!(found, expected, "{}", bytes.escape_ascii());
        }
        assert!(!may_be_latin_utf8(Charset::WINDOWS_1252, "café".as_bytes()));
    }

    #[test]
    fn signs_of_utf_8_are_known_under_western_labels() {
        for label in ["ISO-8859-1", "windows-1252"] {
            for text in [
                "25°C",
                "It was 25°C today.",
                "20ºC",
                "Home · News · Contact",
                "1·2",
                "1½in",
                "fax–modem",
                "fax—modem",
                "2×3",
                "See file \u{1109}\u{1161}\u{110C}\u{1175}\u{11AB}.jpg",
                "Andre\u{301}, garc\u{327}on, Za\u{30A}",
                "か\u{3099}",
                "Əhməd Məmmədov",
                "a→b",
                "a≠b",
            ] {
                assert!(beats(label, text), "{label} {text}");
            }
        }
    }

    #[test]
    fn fractions_and_hebrew_are_known_under_latin_labels() {
        for label in [
            "ISO-8859-1",
            "windows-1252",
            "windows-1250",
            "windows-1254",
            "ISO-8859-9",
        ] {
            for text in ["⅓ cup sugar", "2⅔ cups", "תודה", "על"] {
                assert!(beats(label, text), "{label} {text}");
            }
            // Words and quotations that are valid UTF-8 by chance.
            let charset = charset_named(label).superset();
            for text in ["domandâ…”", "×”", "x ×” ×“ y"] {
                let bytes = charset.encode_exact(text).expect("encodable");
                let by_chance = std::str::from_utf8(&bytes).expect("UTF-8 by chance");
                assert!(
                    !utf8_outweighs_label(Some(charset), &bytes, by_chance),
                    "{label} {text}"
                );
            }
        }
    }

    #[test]
    fn raw_utf8_wins_over_implausible_double_byte_text() {
        let beside = |label: &str, text: &str| {
            let charset = charset_named(label);
            utf8_outweighs_message(Some(charset), text.as_bytes(), text)
        };
        for label in ["Shift_JIS", "GBK", "Big5", "EUC-JP", "EUC-KR"] {
            for text in [
                "Zoë",
                "Zoë ",
                "Ελένη",
                "Жук Анна",
                "Jörg",
                "André",
                "Zoë, René",
                "ÿ é Jörg",
                "François",
            ] {
                assert!(beside(label, text), "{label} {text}");
            }
        }
        // Words of these charsets that are valid UTF-8 by chance.
        for (label, words) in [
            ("GBK", "目录,学期,谢谢,小学校,没钱没票,T恤,A转B,目录 A"),
            ("EUC-KR", "쨈,천체,철책,창천,청천"),
            ("Shift_JIS", "ﾃｽﾄｱ"),
        ] {
            let charset = charset_named(label);
            for word in words.split(',') {
                let bytes = charset
                    .encode_exact(word)
                    .expect("the charset has every character");
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    assert!(
                        !utf8_outweighs_message(Some(charset), &bytes, text),
                        "{label} {word} {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn hz_is_known_by_its_shifts_and_everyday_characters() {
        assert!(is_hz(b"x ~{VPND~} y"));
        for bytes in [
            &b"x ~{ y"[..],
            b"~~ x",
            b"fn ~{~} x",
            b"regex: ~{[a-z]+~} done",
            b"~{VP~} one",
            b"~{xyxyxy~} private",
            b"~{efgh~} seldom",
        ] {
            assert!(!is_hz(bytes), "{}", bytes.escape_ascii());
        }
    }

    /// Words that are valid UTF-8 in their charset, including the known ones of many languages.
    #[test]
    fn words_that_are_valid_utf_8_by_chance_keep_their_label() {
        let mut seen = 0;
        for (label, words) in [
            (
                "GBK",
                "目录,学期,目录 目录,谢谢,谢谢! 谢谢!,小学校,姚莹莹,猫毛,没钱没票,谢谢谢谢",
            ),
            ("EUC-KR", "쨈,천체,철책,창천,청천"),
            (
                "windows-1252",
                "NESCAFÉ®,NESCAFÉ® GOLD,QUALITÉ\u{a0}: BON,FACTURE IMPAYÉ\u{a0}?,BEYONCÉ’S NEW ALBUM,UN CAFÉ… ,CITTÉ»,AMANHÃ”",
            ),
            (
                "ISO-8859-1",
                "NESCAFÉ®,QUALITÉ\u{a0}: BON,QUALITÉ\u{a0}: BON\nQUALITÉ\u{a0}: BON",
            ),
            ("windows-1254", "KOCAELİ’DE KAZA,HAKKARİ’DE"),
            ("ISO-8859-2", "PÓŁKA I PÓŁ,VÝŠE VÝŽIVY"),
            ("windows-1250", "PÓŁKA I PÓŁ,VÝŠE VÝŽIVY"),
            ("windows-1251", "ЦІЛІ"),
            ("KOI8-U", "цілі,ліві сіті"),
            ("KOI8-R", "её"),
            ("windows-874", "รถยก,ยกรถ"),
            ("TIS-620", "รถยก,ยกรถ"),
            ("windows-1256", "تک تک"),
        ] {
            let charset =
                Charset::for_label(label.as_bytes(), mailglot_codec::View::Mail).charset();
            let charset = charset.unwrap_or_else(|| panic!("{label}"));
            for word in words.split(',') {
                let bytes = charset
                    .encode_exact(word)
                    .expect("the charset has every character");
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    seen += 1;
                    assert!(
                        !utf8_outweighs_label(Some(charset), &bytes, text),
                        "{label} {word} {text}"
                    );
                }
            }
        }
        assert!(seen >= 30, "{seen}");
    }

    #[test]
    fn ebcdic_names_are_not_utf8() {
        let charset = charset_named("IBM037");
        let bytes = b"\xc4\x85\x40\xc4\x81";
        assert!(!utf8_outweighs_label(
            Some(charset),
            bytes,
            std::str::from_utf8(bytes).unwrap_or_default()
        ));
        let text = "Größe und Länge";
        assert!(utf8_outweighs_label(Some(charset), text.as_bytes(), text));
    }

    #[test]
    fn each_sequence_begins_a_word_or_does_not() {
        for (label, text) in [
            ("windows-1250", "Straße"),
            ("windows-1251", "Straße"),
            ("windows-1254", "Straße"),
            ("windows-1250", "Perú é"),
            ("ISO-8859-2", "você"),
            ("windows-1251", "10 µm"),
            ("windows-1252", "Straße"),
        ] {
            assert!(beats(label, text), "{label} {text}");
        }
        // Two letters that are a word under the label.
        let bytes = b"\xc3\x9f";
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        assert!(
            !utf8_outweighs_label(Charset::for_name("windows-1251"), bytes, text),
            "{text}"
        );
    }
}
