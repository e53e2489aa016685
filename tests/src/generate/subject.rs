//! Subjects: encoded words (RFC 2047), in UTF-8 or in the charset of the message, some of them damaged.
//!
//! # Limits
//!
//! Flaws are drawn for subjects only; names of senders are always right.

use super::encoders::{base64_words, encode};
use super::texts::Kind;
use crate::rng::Rng;
use std::fmt::Write as _;
use std::ops::Range;

/// Labels that are right or nearly right, so that words in their charset are decoded by every reader.
const USABLE: [Option<&str>; 5] = [
    None,
    Some("cp1252-as-latin1"),
    Some("cp932-as-sjis"),
    Some("gbk-as-gb2312"),
    Some("cp949-as-ksc"),
];
/// Charsets whose characters have several bytes without state, so that a word can end within one.
const MULTIBYTE: [&str; 5] = ["utf-8", "gbk", "big5", "euc-kr", "shift_jis"];
/// Charsets in which eight-bit bytes do not occur.
const SEVEN_BITS: [&str; 2] = ["iso-2022-jp", "utf-7"];

/// The value of a Subject field before it is folded.
pub(super) struct Subject {
    pub(super) bytes: Vec<u8>,
    /// `raw8bit`, `split-multibyte` or none.
    pub(super) flaw: Option<&'static str>,
}

impl Subject {
    /// Encodes a subject in UTF-8.
    pub(super) fn in_utf8(text: &str) -> Self {
        Self {
            bytes: word(text).into_bytes(),
            flaw: None,
        }
    }

    /// Encodes a subject in the charset of a part if its label can be used. Three in a hundred are raw bytes, and as many are split within
    /// characters.
    pub(super) fn in_charset(kind: &Kind, text: &str, rng: &mut Rng) -> Self {
        if text.is_ascii() {
            return Self::in_utf8(text);
        }
        let usable = USABLE.contains(&kind.flaw) && kind.real != "utf-7";
        let (label, real) = match kind.label {
            Some(label) if usable => (label, kind.real),
            _ => ("utf-8", "utf-8"),
        };
        let (dice, q) = (rng.below(100), rng.chance(50));
        if dice < 3 && !SEVEN_BITS.contains(&kind.real) {
            return Self {
                bytes: encode(text, kind.real),
                flaw: Some("raw8bit"),
            };
        }
        if (3..6).contains(&dice) && MULTIBYTE.contains(&real) {
            let bytes = encode(text, real);
            let words: Vec<_> = bytes
                .chunks(31)
                .map(|piece| format!("=?{label}?B?{}?=", base64_words(piece)))
                .collect();
            return Self {
                bytes: words.join(" ").into_bytes(),
                flaw: Some("split-multibyte"),
            };
        }
        let q = q && text.chars().all(|letter| letter < '\u{600}');
        Self {
            bytes: words(text, label, real, q).into_bytes(),
            flaw: None,
        }
    }
}

/// Encodes a text as words with at most 14 characters each.
fn words(text: &str, label: &str, real: &str, q: bool) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut words = String::new();
    for piece in letters.chunks(14) {
        let bytes = encode(&String::from_iter(piece), real);
        let space = if words.is_empty() { "" } else { " " };
        let _ = write!(words, "{space}=?{label}?");
        if q {
            words.push_str("Q?");
            for byte in bytes {
                match byte {
                    b' ' => words.push('_'),
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => words.push(char::from(byte)),
                    _ => {
                        let _ = write!(words, "={byte:02X}");
                    }
                }
            }
        } else {
            words.push_str("B?");
            words.push_str(&base64_words(&bytes));
        }
        words.push_str("?=");
    }
    words
}

/// Encodes a header text as encoded words in UTF-8 if it is not plain ASCII. Words end between characters.
pub(super) fn word(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut words = String::new();
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        if end - start > 42 || end == text.len() {
            let cut: Range<usize> = start..end;
            let _ = write!(
                words,
                "{}=?utf-8?B?{}?=",
                if start > 0 { " " } else { "" },
                base64_words(&text.as_bytes()[cut])
            );
            start = end;
        }
    }
    words
}
