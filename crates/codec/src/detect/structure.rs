//! Recognizes charsets by the structure of their bytes.
//!
//! # Limits
//! [`structure`] returns only what is proven. HZ and UTF-7 look like ASCII text and have functions of their own.

use super::cost::NAT;
use super::hz::find_hz_shift;
use super::priors::Priors;
use super::score;
use super::wide::{self, whole};
use crate::charset::Charset;
use crate::loss::{LossKind, LossLog};
use crate::mode::Mode;
use std::borrow::Cow;
use std::collections::HashSet;

/// Words that UTF-7 and HZ are judged by.
const WORDS: usize = 32;

/// Cost of UTF-7 and HZ compared with plain ASCII.
const SHIFTED: u32 = 4 * NAT;

/// Designations that tell which ISO 2022 a seven-bit text is; any other escape sequence makes it Japanese.
const DESIGNATIONS: [(&[u8], Charset); 6] = [
    (b"\x1b$)C", Charset::ISO_2022_KR),
    (b"\x1b$)E", Charset::ISO_2022_CN_EXT),
    (b"\x1b$+", Charset::ISO_2022_CN_EXT),
    (b"\x1b$)A", Charset::ISO_2022_CN),
    (b"\x1b$)G", Charset::ISO_2022_CN),
    (b"\x1b$*H", Charset::ISO_2022_CN),
];

/// Returns the charset that the structure of the bytes proves: UTF-16 or UTF-32 by NUL bytes, or by controls that no text has and adjacent letters
/// of one script; ISO-2022-JP, -KR and -CN by escape sequences in 7-bit text. Everything must decode without loss, except one extra byte at the
/// end of UTF-16 (an added line end). Ignores a byte order mark.
pub fn structure(bytes: &[u8]) -> Option<Charset> {
    let shifts = shifts(bytes)
        .filter(|charset| text_in(*charset, bytes).is_some_and(|text| !text.is_ascii()));
    shifts.or_else(|| {
        wide::proven(bytes)
            .filter(|charset| text_in(*charset, bytes).is_some_and(|text| !text.contains('\0')))
    })
}

/// Which ISO 2022 has the escape sequences of seven-bit text.
fn shifts(bytes: &[u8]) -> Option<Charset> {
    if !bytes.is_ascii()
        || memchr::memchr(0x1B, bytes).is_none()
        || memchr::memchr(0, bytes).is_some()
    {
        return None;
    }
    Some(designated(bytes))
}

/// Returns the ISO 2022 whose designations stand in text with escape sequences.
pub(super) fn designated(bytes: &[u8]) -> Charset {
    let told = |(sequence, _): &&(&[u8], Charset)| memchr::memmem::find(bytes, sequence).is_some();
    DESIGNATIONS
        .iter()
        .find(told)
        .map_or(Charset::ISO_2022_JP, |(_, charset)| *charset)
}

/// The text that a charset makes of all bytes.
fn text_in(charset: Charset, bytes: &[u8]) -> Option<Cow<'_, str>> {
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(whole(charset, bytes), &mut log);
    (log.losses() == 0 && log.count(LossKind::OppositeByteOrderMark) == 0).then_some(text)
}

/// Returns true if bytes without NULs that are valid UTF-8 are text in a 16-bit charset. As UTF-8 such bytes have controls, or as pairs they
/// are all letters of one script. ASCII stays ASCII, although any two letters would be Han.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn is_text_in_pairs(label: Charset, bytes: &[u8]) -> bool {
    if bytes.len() % 2 == 1 {
        return false;
    }
    if wide::has_unused_control(bytes) {
        return true;
    }
    let is_sign = |c: char| matches!(c, '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}');
    let han =
        |c: char| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}') || is_sign(c);
    let hangul = |c: char| matches!(c, '\u{AC00}'..='\u{D7A3}') || is_sign(c);
    !bytes.is_ascii()
        && label
            .decode_exact(bytes)
            .is_some_and(|text| text.chars().all(han) || text.chars().all(hangul))
}

/// Detects HZ and UTF-7. Their signs may occur in any ASCII text, so nothing may be invalid, and the text must be likely.
pub(super) fn seven_bit(bytes: &[u8], priors: &Priors) -> Option<Charset> {
    if !bytes.is_ascii() || memchr::memchr(0, bytes).is_some() {
        return None;
    }
    let hz = find_hz_shift(bytes).map(|_| Charset::HZ_GB_2312);
    let utf_7 = memchr::memchr(b'+', bytes).map(|_| Charset::UTF_7);
    [hz, utf_7].into_iter().flatten().find(|charset| {
        let mut log = LossLog::with_limit(0);
        let mut decoder = charset.new_decoder(Mode::Strict);
        let mut text = String::new();
        decoder.push(bytes, &mut text, &mut log);
        decoder.finish(&mut text, &mut log);
        log.losses() == 0
            && (log.is_empty() || *charset == Charset::UTF_7)
            && is_likely(&text, bytes, priors)
    })
}

/// Returns true if the decoded text is more likely than the ASCII that it came from.
fn is_likely(text: &str, bytes: &[u8], priors: &Priors) -> bool {
    // Without the words that are the same in both.
    let telling = |word: &&str| !word.is_ascii();
    let decoded: Vec<&str> = text
        .split_ascii_whitespace()
        .filter(telling)
        .take(WORDS)
        .collect();
    let kept: HashSet<&str> = text
        .split_ascii_whitespace()
        .filter(|word| word.is_ascii())
        .collect();
    let raw = std::str::from_utf8(bytes).unwrap_or_default();
    let raw: Vec<&str> = raw
        .split_ascii_whitespace()
        .filter(|word| !kept.contains(word))
        .take(WORDS)
        .collect();
    !decoded.is_empty()
        && score::unicode_cost(&decoded.join(" "), priors) + SHIFTED
            < score::unicode_cost(&raw.join(" "), priors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_forms_are_seen_without_a_mark() {
        let mut log = LossLog::new();
        for charset in [
            Charset::UTF_16BE,
            Charset::UTF_16LE,
            Charset::UTF_32BE,
            Charset::UTF_32LE,
        ] {
            for text in ["Hello, world", "Grüße aus Köln\r\n", "日本語 and English\n"] {
                let bytes = charset.encode(text, crate::encoder::Unmappable::Skip, &mut log);
                assert_eq!(structure(&bytes), Some(charset), "{text} {charset}");
            }
        }
        assert_eq!(structure(b"a\0b"), None);
        // A line end of one byte was added, or the last byte was lost.
        assert_eq!(structure(b"H\0e\0l\0l\0o\0\n"), Some(Charset::UTF_16LE));
        assert_eq!(structure(b"\0H\0e\0l\0l\0o\0"), Some(Charset::UTF_16BE));
        assert_eq!(structure(b"some text with one NUL\0"), None);
        for at in 0..28 {
            let mut text = b"some text with one NUL in it".to_vec();
            text[at] = 0;
            assert_eq!(structure(&text), None, "{at}");
        }
        assert_eq!(structure(&[0; 64]), None);
        assert_eq!(structure(b""), None);
        assert_eq!(structure(b"~{VPND~}"), None);
    }

    #[test]
    fn text_in_pairs_is_told_from_utf_8() {
        for text in ["你好世界", "안녕하세요", "こんにちは、世界。", "天气很好"]
        {
            for charset in [Charset::UTF_16BE, Charset::UTF_16LE] {
                let bytes = charset
                    .encode_exact(text)
                    .expect("the charset has every character");
                assert!(is_text_in_pairs(charset, &bytes), "{charset} {text}");
            }
        }
        for text in ["Hello, world", "Hello", "Größe und Länge", "会议通知"] {
            assert!(
                !is_text_in_pairs(Charset::UTF_16LE, text.as_bytes()),
                "{text}"
            );
        }
        assert!(is_text_in_pairs(Charset::UTF_16LE, b"\x1f\x04\x40\x04"));
    }

    #[test]
    fn designations_tell_which_iso_2022_it_is() {
        for (charset, text) in [
            (Charset::ISO_2022_JP, "日本語 text\r\nかな"),
            (Charset::ISO_2022_KR, "한국어 text\r\n글"),
            (Charset::ISO_2022_CN, "中文 text\r\n汉字"),
            (Charset::ISO_2022_CN, "中文 text\r\n漢字體"),
        ] {
            let bytes = charset
                .encode_exact(text)
                .expect("the charset has every character");
            assert_eq!(structure(&bytes), Some(charset), "{text}");
            assert!(
                structure(&bytes[..bytes.len() - 4]).is_none_or(|c| c == charset),
                "{text}"
            );
        }
        assert_eq!(structure(b"\x1b$)A and no more"), None);
    }
}
