//! Recognizes ISO-2022-JP, -KR and -CN in text that is damaged: a cut line, a foreign escape sequence, a NUL, an undefined character.
//!
//! # Limits
//! Text without a designation of a two-byte set is not recognized, even if it shifts.

use super::structure::designated;
use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::loss::{LossKind, LossLog};

/// Minimum number of common characters in damaged text.
const MIN_COMMON: usize = 4;

/// Maximum share of the losses: one for so many common characters.
const CHARACTERS_FOR_LOSS: usize = 4;

/// Returns the charset of ISO 2022 that the designations of two-byte sets name, if most text between them decodes to common characters.
///
/// ```
/// use mailglot_codec::{Charset, detect};
///
/// // 日本語です, and a second line that was cut within a character.
/// let bytes = b"\x1b$BF|K\\8l$G$9\x1b(B\n\x1b$BF|K\n";
/// assert_eq!(detect::structure(bytes), None);
/// assert_eq!(detect::damaged_iso2022(bytes), Some(Charset::ISO_2022_JP));
/// ```
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn damaged_iso2022(bytes: &[u8]) -> Option<Charset> {
    memchr::memmem::find(bytes, b"\x1b$")?;
    // Each high byte is a loss.
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if high * CHARACTERS_FOR_LOSS * 2 > bytes.len() {
        return None;
    }
    let charset = designated(bytes);
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(bytes, &mut log);
    let losses = log.losses() + log.count(LossKind::HalfwidthKatakana);
    let (common, rare) = common_and_rare(charset, &text);
    let is_text = common >= MIN_COMMON
        && rare <= common
        && losses.saturating_mul(CHARACTERS_FOR_LOSS as u64) <= common as u64;
    is_text.then_some(charset)
}

/// Returns the number of common and of rare two-byte characters. The common ones have the lower rows: signs, kana, Hangul, and the Han of the
/// first level. ASCII text that is read in pairs has more characters of the upper rows, since most of its letters are small.
fn common_and_rare(charset: Charset, text: &str) -> (usize, usize) {
    let (eight_bit, last_common) = match charset {
        Charset::ISO_2022_JP => (Charset::EUC_JP, 0xCF),
        Charset::ISO_2022_KR => (Charset::EUC_KR, 0xC8),
        // The traditional characters have other rows.
        _ => return (text.chars().filter(|c| is_wide(*c)).count(), 0),
    };
    let bytes = eight_bit.encode(text, Unmappable::Skip, &mut LossLog::with_limit(0));
    let (mut common, mut rare, mut rest) = (0, 0, &*bytes);
    while let [lead, behind @ ..] = rest {
        let length = match *lead {
            0x8F => {
                rare += 1;
                2
            }
            0x80..=0xA0 => 1,
            0xA1.. => {
                *(if *lead <= last_common {
                    &mut common
                } else {
                    &mut rare
                }) += 1;
                1
            }
            _ => 0,
        };
        rest = behind.get(length..).unwrap_or_default();
    }
    (common, rare)
}

fn is_wide(c: char) -> bool {
    !c.is_ascii() && c != char::REPLACEMENT_CHARACTER
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAPANESE: &str = "\x1b$BF|K\\8l$N%F%-%9%H$G$9!#\x1b(B\n";

    #[test]
    fn damaged_text_keeps_its_charset() {
        for damage in [
            "\x1b$BF|K\\8\n",
            "\x1b[7mreverse\x1b[m\n",
            "\x1b",
            "\x1b$",
            "\x1b$BF|K\\8l\x1b(\n",
            "\0\n",
            "\x1b$B/~F|\x1b(B\n",
            "\u{FF}\n",
            "",
        ] {
            let text = [JAPANESE, damage].concat();
            let found = damaged_iso2022(text.as_bytes());
            assert_eq!(found, Some(Charset::ISO_2022_JP), "{damage:?}");
        }
        for (charset, text) in [
            (Charset::ISO_2022_KR, "한국어 글입니다"),
            (Charset::ISO_2022_CN, "中文文字"),
        ] {
            let bytes = charset
                .encode_exact(text)
                .expect("the charset has every character");
            let bytes = [&bytes, &b"\0 \x1bx\n"[..]].concat();
            assert_eq!(damaged_iso2022(&bytes), Some(charset), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_iso_2022() {
        for text in [
            "",
            "plain",
            "\x1b[1mbold\x1b[0m",
            "\x1b(B\x1b)0 of a terminal\x1b",
            // The escape sequence alone, one character, and ASCII behind it.
            "\x1b$B",
            "\x1b$BF|\x1b",
            "\x1b$B and then some text that is not Japanese at all",
            "\x1b$BThe sequence begins Japanese text and the rest of this line is English\x1b\n",
            "\x1b$)C designates Hangul, \x0E shifts, \x0F shifts back, ESC \x1b is \x1b alone",
        ] {
            assert_eq!(damaged_iso2022(text.as_bytes()), None, "{text:?}");
        }
        let latin = "\x1b$BF|K\\8l$N\x1b(B déjà été créé à l'été".as_bytes();
        assert_eq!(damaged_iso2022(latin), None);
    }
}
