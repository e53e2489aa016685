//! Encodes text in ISO-2022-JP exactly as RFC 1468 defines it, for readers that support nothing else.
//!
//! The output contains ASCII and JIS X 0208, with the sequences `ESC $ B` and `ESC ( B` only, and every line ends in ASCII. Other
//! characters become equivalent ones, as in the output of Japanese mail programs:
//!
//! - Unicode has two characters for some codes of JIS X 0208, such as wave dash and full-width tilde, or minus sign and full-width
//!   hyphen. They become the character that the codec decodes, as WHATWG and Microsoft do. RFC 1468 does not distinguish them.
//! - Half-width katakana, which RFC 1468 lacks: full-width ones, joined with a voicing mark after them.
//! - Kana with a combining voicing mark, as in file names of Macs: one letter.
//! - The yen sign and the overline: full-width ones. JIS X 0201 has them at the codes of backslash and tilde, which many readers
//!   show instead.
//!
//! # Limits
//!
//! Does not encode the NEC and IBM rows beyond JIS X 0208 (circled digits, Roman numerals), which RFC 1468 lacks. Does not replace
//! a no-break space by a space, so text with it is not encodable.

use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, EncodeOptions, Encoder, LossLog, Mode, Unmappable};
use std::borrow::Cow;

/// The charset label of the output.
pub(crate) const LABEL: &str = "iso-2022-jp";

/// A text in ISO-2022-JP.
#[derive(Debug)]
pub(crate) struct Written {
    /// The encoded bytes, which are all ASCII bytes.
    pub bytes: Vec<u8>,
    /// Number of characters that were replaced by equivalent ones.
    pub look_alikes: u64,
}

/// A text in the characters that [`CharsetOut::Iso2022Jp`](crate::CharsetOut::Iso2022Jp) has for it: what was written in ISO-2022-JP reads so.
// For tests and the second reader, which compare texts in ISO-2022-JP.
#[doc(hidden)]
pub fn iso_2022_jp_form(text: &str) -> Cow<'_, str> {
    folded(text).0
}

/// Encodes a text. If RFC 1468 lacks characters of it, returns their number as the error.
pub(crate) fn write(text: &str) -> Result<Written, u64> {
    let (text, look_alikes) = folded(text);
    let (bytes, lacking) = encode(&text);
    if lacking > 0 {
        return Err(lacking);
    }
    if decode_unlogged(Charset::ISO_2022_JP, &bytes) == text {
        Ok(Written { bytes, look_alikes })
    } else {
        Err(1)
    }
}

/// Encodes a text and skips characters that RFC 1468 lacks.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    encode(&folded(text).0).0
}

/// Returns true if bytes end in ASCII, or in JIS X 0201 Roman, which is nearly ASCII.
pub(crate) fn is_complete(bytes: &[u8]) -> bool {
    match memchr::memrchr(0x1B, bytes) {
        Some(at) => matches!(bytes.get(at + 1..at + 3), Some(b"(B" | b"(J")),
        None => memchr::memchr2(0x0E, 0x0F, bytes).is_none(),
    }
}

fn encode(text: &str) -> (Vec<u8>, u64) {
    let (mut bytes, mut log) = (Vec::with_capacity(text.len()), LossLog::with_limit(0));
    let options = EncodeOptions::new(Unmappable::Skip).mode(Mode::Strict);
    let mut encoder = Encoder::with(Charset::ISO_2022_JP, options);
    encoder.push(text, &mut bytes, &mut log);
    encoder.finish(&mut bytes, &mut log);
    (bytes, log.losses())
}

/// Replaces characters by equivalent ones in JIS X 0208. Returns the text and the number of replaced characters. Idempotent.
pub(crate) fn folded(text: &str) -> (Cow<'_, str>, u64) {
    let Some(first) = text
        .char_indices()
        .find(|(_, c)| is_folded(*c))
        .map(|(at, _)| at)
    else {
        return (Cow::Borrowed(text), 0);
    };
    let mut out = String::with_capacity(text.len() + 8);
    // A voicing mark may join the last letter of this.
    out.push_str(&text[..first]);
    let mut count = 0;
    for c in text[first..].chars() {
        count += u64::from(is_folded(c));
        let mark = match c {
            '\u{3099}' | '\u{FF9E}' => Some(VoicingMark::Voiced),
            '\u{309A}' | '\u{FF9F}' => Some(VoicingMark::SemiVoiced),
            _ => None,
        };
        let joined = mark
            .and_then(|mark| Some((out.pop()?, mark)))
            .map(|(letter, mark)| {
                let joined = mark.on(letter);
                out.push(joined.unwrap_or(letter));
                joined.is_some()
            });
        if joined != Some(true) {
            out.push(full(c));
        }
    }
    (Cow::Owned(out), count)
}

fn is_folded(c: char) -> bool {
    c > '\u{7F}' && (full(c) != c || matches!(c, '\u{3099}' | '\u{309A}'))
}

/// Returns the equivalent character in JIS X 0208, or `c` itself.
fn full(c: char) -> char {
    match c {
        '\u{A2}' => '\u{FFE0}',
        '\u{A3}' => '\u{FFE1}',
        '\u{A5}' => '\u{FFE5}',
        '\u{AC}' => '\u{FFE2}',
        '\u{2014}' => '\u{2015}',
        '\u{2016}' => '\u{2225}',
        '\u{203E}' => '\u{FFE3}',
        '\u{2212}' => '\u{FF0D}',
        '\u{301C}' => '\u{FF5E}',
        '\u{FF61}'..='\u{FF9F}' => {
            let at = c as usize - 0xFF61;
            char::from_u32(u32::from(KATAKANA[at]) + 0x3000).unwrap_or(c)
        }
        _ => c,
    }
}

/// Full-width characters for U+FF61 to U+FF9F, minus U+3000.
const KATAKANA: [u8; 63] = [
    0x02, 0x0C, 0x0D, 0x01, 0xFB, 0xF2, 0xA1, 0xA3, 0xA5, 0xA7, 0xA9, 0xE3, 0xE5, 0xE7, 0xC3,
    0xFC, //
    0xA2, 0xA4, 0xA6, 0xA8, 0xAA, 0xAB, 0xAD, 0xAF, 0xB1, 0xB3, 0xB5, 0xB7, 0xB9, 0xBB, 0xBD,
    0xBF, //
    0xC1, 0xC4, 0xC6, 0xC8, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF, 0xD2, 0xD5, 0xD8, 0xDB, 0xDE,
    0xDF, //
    0xE0, 0xE1, 0xE2, 0xE4, 0xE6, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xED, 0xEF, 0xF3, 0x9B, 0x9C,
];

/// A voicing mark after a kana.
#[derive(Clone, Copy)]
enum VoicingMark {
    Voiced,
    SemiVoiced,
}

impl VoicingMark {
    /// Returns the letter with the mark, if JIS X 0208 has it.
    fn on(self, letter: char) -> Option<char> {
        // Hiragana have the order of katakana, U+0060 lower.
        let katakana = match letter {
            '\u{3041}'..='\u{3096}' => letter as u32 + 0x60,
            '\u{30A1}'..='\u{30F6}' => letter as u32,
            _ => return None,
        };
        let next = match (self, katakana) {
            // KA to TI: each is followed by its voiced letter. A small TU precedes TU.
            (Self::Voiced, 0x30AB..=0x30C1) if katakana % 2 == 1 => 1,
            (Self::Voiced, 0x30C4 | 0x30C6 | 0x30C8) => 1,
            // HA to HO: three letters each.
            (Self::Voiced, 0x30CF..=0x30DB) if (katakana - 0x30CF).is_multiple_of(3) => 1,
            (Self::SemiVoiced, 0x30CF..=0x30DB) if (katakana - 0x30CF).is_multiple_of(3) => 2,
            (Self::Voiced, 0x30A6) if letter == '\u{30A6}' => return Some('\u{30F4}'),
            _ => return None,
        };
        char::from_u32(letter as u32 + next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every character of JIS X 0208, in code order.
    fn jis_x_0208() -> Vec<char> {
        let mut chars = Vec::new();
        for row in 0x21..=0x74_u8 {
            for cell in 0x21..=0x7E {
                let mut log = LossLog::new();
                let bytes = [b"\x1b$B", &[row, cell][..], b"\x1b(B"].concat();
                let text = Charset::ISO_2022_JP.decode(&bytes, &mut log);
                // Rows 9 to 15 are NEC's.
                if log.losses() == 0 && !(0x29..=0x2F).contains(&row) {
                    chars.extend(text.chars());
                }
            }
        }
        chars
    }

    #[test]
    fn all_of_jis_x_0208_comes_back() {
        let chars = jis_x_0208();
        assert_eq!(chars.len(), 6_879);
        for c in &chars {
            let written = write(&c.to_string()).expect("a character of JIS X 0208");
            assert_eq!((written.bytes.len(), written.look_alikes), (8, 0), "{c}");
        }
        let all: String = chars.iter().collect();
        let written = write(&all).expect("characters of JIS X 0208");
        assert_eq!(written.bytes.len(), 6 + 2 * chars.len());
        assert_eq!(
            Charset::ISO_2022_JP.decode(&written.bytes, &mut LossLog::new()),
            all
        );
    }

    #[test]
    fn other_characters_are_rejected_or_replaced() {
        let chars: std::collections::BTreeSet<char> = jis_x_0208().into_iter().collect();
        let mut folds = 0;
        for c in ('\u{80}'..=char::MAX).filter(|c| !chars.contains(c)) {
            let (text, count) = folded(c.encode_utf8(&mut [0; 4])).clone_owned();
            match write(&c.to_string()) {
                Ok(written) => {
                    folds += 1;
                    assert_eq!((written.look_alikes, count), (1, 1), "{c:?}");
                    assert!(text.chars().all(|c| chars.contains(&c)), "{c:?}");
                }
                Err(lacking) => assert_eq!((lacking, &*text), (1, &*c.to_string()), "{c:?}"),
            }
        }
        // Nine signs and the half-width katakana.
        assert_eq!(folds, 9 + 63);
        for c in '\0'..'\u{80}' {
            let shifts = matches!(c, '\x0E' | '\x0F' | '\x1B');
            assert_eq!(write(&c.to_string()).is_err(), shifts, "{c:?}");
        }
    }

    trait CloneOwned {
        fn clone_owned(self) -> (String, u64);
    }

    impl CloneOwned for (Cow<'_, str>, u64) {
        fn clone_owned(self) -> (String, u64) {
            (self.0.into_owned(), self.1)
        }
    }

    #[test]
    fn equivalent_characters() {
        for (text, want, count) in [
            ("〜−‖—¢£¬¥‾", "～－∥―￠￡￢￥￣", 9),
            ("ﾃｽﾄ ｶﾞｷﾞｸﾞﾊﾟﾋﾟｳﾞ｡｢｣", "テスト ガギグパピヴ。「」", 18),
            ("あﾞ", "あ゛", 1),
            (
                "か\u{3099}は\u{309A}ハ\u{309A}ツ\u{3099}ウ\u{3099}",
                "がぱパヅヴ",
                5,
            ),
            ("ッ\u{3099}", "ッ\u{3099}", 1),
            ("う\u{3099}", "う\u{3099}", 1),
            ("\u{3099}", "\u{3099}", 1),
            ("日本 abc", "日本 abc", 0),
        ] {
            let (got, changed) = folded(text);
            assert_eq!((&*got, changed), (want, count), "{text}");
            assert_eq!(folded(&got).0, got, "{text}");
        }
        for kana in ('\u{3041}'..='\u{30F6}').filter(|c| *c < '\u{3097}' || *c > '\u{30A0}') {
            for mark in ['\u{3099}', '\u{309A}'] {
                let pair: String = [kana, mark].iter().collect();
                let (joined, _) = folded(&pair);
                if joined != pair {
                    assert!(write(&joined).is_ok(), "{pair}");
                }
            }
        }
    }

    #[test]
    fn lines_end_in_ascii() {
        let written = write("日本\r\n語\n¥x\r\n").expect("Japanese");
        assert_eq!(
            written.bytes,
            b"\x1b$BF|K\\\x1b(B\r\n\x1b$B8l\x1b(B\n\x1b$B!o\x1b(Bx\r\n"
        );
        assert_eq!(write("日本①€").err(), Some(2));
    }

    #[test]
    fn complete_text_ends_in_ascii() {
        for (bytes, want) in [
            (&b"abc"[..], true),
            (b"", true),
            (b"\x1b$B8l\x1b(B", true),
            (b"\x1b$B8l\x1b(Jx", true),
            (b"\x1b$B8l", false),
            (b"\x1b(I1", false),
            (b"\x0e1", false),
            (b"x\x1b", false),
        ] {
            assert_eq!(is_complete(bytes), want, "{}", bytes.escape_ascii());
        }
    }
}
