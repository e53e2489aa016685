//! Finds Latin letters under East Asian labels.
//!
//! # Limits
//! Each rule demands that no byte of the text speaks against it.

use super::cjk_level1::is_level1;
use super::neighbor_bytes::byte_or_blank;
use super::western_letters::is_western;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Returns true if the bytes are Western European text under an East Asian label.
pub(crate) fn is_latin_under(label: Charset, bytes: &[u8]) -> bool {
    let is_wide = !label.is_single_byte() && label.is_ascii_compatible() && label != Charset::UTF_8;
    let may_be_kana = matches!(
        label.superset(),
        Charset::ISO_2022_JP | Charset::CP50221 | Charset::SHIFT_JIS | Charset::WINDOWS_31J
    );
    (is_wide || may_be_kana) && has_latin_within_words(bytes, is_wide, may_be_kana)
}

/// Returns true if Western European names may stand under an East Asian label: `蓆ienne` is `Étienne`.
///
/// All wide characters are rare ones, and small ASCII letters follow each, or stand on both sides of it.
pub(crate) fn may_be_latin_under(label: Charset, bytes: &[u8]) -> bool {
    let is_wide = !label.is_single_byte() && label.is_ascii_compatible() && !label.is_stateful();
    let is_name_letter = |at: usize| {
        let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_lowercase();
        let is_same = |at: Option<usize>, byte: u8| byte_or_blank(bytes, at) == byte;
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        // The letter is the first half of a wide character, an ASCII letter the second one.
        let is_half = is_letter(after) && (is_letter(Some(at + 2)) || is_letter(before));
        // The pair of `päätepiste`.
        let is_first = is_letter(before) && is_same(after, bytes[at]) && is_letter(Some(at + 2));
        let is_second =
            is_letter(after) && is_same(before, bytes[at]) && is_letter(at.checked_sub(2));
        bytes[at] >= 0xC0 && (is_half || is_first || is_second)
    };
    is_wide
        && label != Charset::UTF_8
        && !bytes.is_ascii()
        && high_bytes(bytes).all(is_name_letter)
        && !is_level1(label, bytes)
}

/// Returns true if each byte above 7F is a Latin letter within a word of one Western language. A multi-byte charset reads it as one
/// character together with the next letter, or as one half-width katakana: `Empf鋘ger`, `GIOVEDﾌ`.
fn has_latin_within_words(bytes: &[u8], is_wide: bool, may_be_kana: bool) -> bool {
    let (mut inner, mut pairs) = (0, 0);
    for at in high_bytes(bytes) {
        let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
        let is_lower = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_lowercase();
        let is_high = |at: Option<usize>| byte_or_blank(bytes, at) >= 0x80;
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        // The pair of `Grüße`.
        let is_first = is_high(after) && is_lower(before) && is_lower(Some(at + 2));
        let is_second = is_high(before) && is_lower(after) && is_lower(at.checked_sub(2));
        if is_wide && bytes[at] >= 0xC0 && (is_first || is_second) {
            pairs += 1;
            continue;
        }
        let is_kana = may_be_kana && bytes[at] <= 0xDF;
        // A letter behind a byte above 7F is the second half of a character.
        let is_within =
            is_letter(before) && !is_high(at.checked_sub(2)) && (is_kana || is_letter(after));
        let begins = is_wide && !is_kana && is_letter(after);
        // No character of two bytes: `écrivez à la liste`.
        let is_word = is_wide && !is_letter(before) && bytes.get(at + 1) == Some(&b' ');
        if bytes[at] < 0xC0
            || is_high(before)
            || is_high(after)
            || !(is_within || begins || is_word)
        {
            return false;
        }
        inner += usize::from(is_within);
    }
    // A pair may be an ideograph: `r金e`.
    inner > usize::from(pairs > 0) && is_western(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    #[test]
    fn rare_characters_before_small_letters_may_be_latin() {
        for (label, text, expected) in [
            ("GBK", &b"\xC9tienne and \xD8yvind wrote:"[..], true),
            ("GBK", b"Caol\xE1n McNamara", true),
            ("Big5", b"\xD8yvind wrote:", true),
            ("GBK", b"Caol\xE1n McNamara, Hanno B\xF6ck", true),
            ("GBK", b"Yhteyden p\xE4\xE4tepisteen", true),
            // `去shopping`, `我love`.
            ("Big5", b"\xA5hshopping", false),
            ("GBK", b"\xCE\xD2love", false),
            ("GBK", b"plain", false),
            ("UTF-8", b"\xC9tienne", false),
            ("KOI8-R", b"\xC9tienne", false),
        ] {
            let found = may_be_latin_under(charset_named(label), text);
            assert_eq!(found, expected, "{label} {}", text.escape_ascii());
        }
    }

    #[test]
    fn a_wide_character_within_a_latin_word_is_a_letter() {
        for (label, text, expected) in [
            (
                "GBK",
                &b"Zustellung verz\xF6gert, bitte zur\xFCckrufen"[..],
                true,
            ),
            ("Big5", b"Se\xF1or Ib\xE1\xF1ez", false),
            ("Big5", b"Se\xF1orita", true),
            ("Big5", b"r\xE9pondre \xE0 tous", true),
            ("Big5", b"F\xFCr Gr\xFC\xDFe aus K\xF6ln", true),
            ("Big5", b"Gr\xFC\xDFe aus K\xF6ln", false),
            ("Shift_JIS", b"d\xE9claration", true),
            ("Shift_JIS", b"CITT\xC0", true),
            ("ISO-2022-JP", b"PERCH\xC9", true),
            ("ISO-2022-JP", b"CD\xC3\xDE\xAF\xB7", false),
            ("ISO-2022-JP", b"\xB1 1", false),
            // `A股`, `卡拉OK`, `x鋘`.
            ("GBK", b"A\xB9\xC9", false),
            ("GBK", b"\xBF\xA8\xC0\xADOK", false),
            ("GBK", b"x \xE4n y", false),
            // `謝謝`, `讚讚`.
            ("GBK", b"\xD6x\xD6x", false),
            ("Big5", b"\xC6g\xC6g", false),
            ("GBK", b"plain", false),
            ("UTF-8", b"Empf\xE4nger", false),
            ("KOI8-R", b"Empf\xE4nger", false),
            ("ISO-8859-7", b"sin\xE8cos\xF6 tan\xE8x", false),
            ("windows-1251", b"Vot moja ko\xF8ka, ona horo\xF8aja", false),
        ] {
            let charset = charset_named(label);
            let found = is_latin_under(charset, text);
            assert_eq!(found, expected, "{label} {}", text.escape_ascii());
        }
    }
}
