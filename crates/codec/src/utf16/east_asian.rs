//! Recognizes big-endian UTF-16 whose bytes are all ASCII, as in kana and many ideographs (RFC 2781, section 4.3).
//!
//! # Limits
//! A single unit is no evidence. Ideographs whose bytes are ASCII words (`name`) are read as ASCII.

use encoding_rs::{EUC_JP, Encoding, GBK};

/// Returns true if big-endian units are everyday East Asian text.
///
/// Kana and ideographs of the first level of JIS X 0208 or GB 2312 count. Without kana the bytes must not look like ASCII words.
pub(super) fn is_east_asian(input: &[u8]) -> bool {
    let (units, rest) = input.as_chunks::<2>();
    if units.len() < 2 || !rest.is_empty() {
        return false;
    }
    let all = |encoding| {
        units
            .iter()
            .all(|pair| is_everyday(u16::from_be_bytes(*pair), encoding))
    };
    let kana = units
        .iter()
        .filter(|pair| matches!(u16::from_be_bytes(**pair), 0x3041..=0x30FE))
        .count();
    (kana * 2 >= units.len() || kana > 0 && !has_words(input) || !has_words(input))
        && (all(EUC_JP) || all(GBK))
}

/// Returns true for kana, punctuation, and ideographs of the first level of the national standard behind `encoding`.
fn is_everyday(unit: u16, encoding: &'static Encoding) -> bool {
    match unit {
        0x3001..=0x3003 | 0x3005..=0x3007 | 0x300A..=0x3011 => true,
        0x3041..=0x3096 | 0x30A1..=0x30FE => encoding == EUC_JP,
        0x4E00..=0x9FFF => {
            let Some(c) = char::from_u32(u32::from(unit)) else {
                return false;
            };
            let mut text = [0; 4];
            let (bytes, _, is_lossy) = encoding.encode(c.encode_utf8(&mut text));
            let last = if encoding == GBK { 0xD7 } else { 0xCF };
            !is_lossy
                && matches!(*bytes, [lead, trail] if (0xB0..=last).contains(&lead) && trail >= 0xA1)
        }
        _ => false,
    }
}

/// Returns true if each run of letters is lower case, upper case, or capitalized, as words of ASCII text are.
fn has_words(input: &[u8]) -> bool {
    input.split(|byte| !byte.is_ascii_alphabetic()).all(|word| {
        let rest = word.get(1..).unwrap_or_default();
        rest.iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::loss::LossLog;

    fn read(bytes: &[u8]) -> String {
        Charset::UTF_16
            .decode(bytes, &mut LossLog::new())
            .into_owned()
    }

    #[test]
    fn kana_and_ideographs_of_ascii_bytes_are_text() {
        for text in ["あいうえお", "李坤", "アイウ", "こんにちは", "すし"] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            if bytes.is_ascii() {
                assert_eq!(read(&bytes), text);
            }
        }
    }

    /// Labels say UTF-16 over ASCII.
    #[test]
    fn ascii_words_stay() {
        let words = "Hello World;plain ascii.;name;data;test;info;Mail;Re: hello;a;no;2024;12345678;Fwd: x y;OK;user@example.org;\
            HELLO;kunden;Rechnung;http://example.org/;The quick brown fox;Meeting at 10:30;2024-01-31;[list] x;message;subject";
        for word in words.split(';') {
            assert_eq!(read(word.as_bytes()), word);
        }
    }
}
