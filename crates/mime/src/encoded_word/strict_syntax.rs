//! Decodes encoded words in strict syntax (RFC 2047, sections 2 and 4) in one pass; nearly all words are strict.
//!
//! [`crate::lexer::tokens`] and [`super::payload`] decode such words to the same bytes, without damage.
//!
//! # Limits
//!
//! Those two handle language tags, labels with unusual characters, white space inside words, and damaged or unpadded payloads.

use crate::lexer;
use mailglot_codec::{Charset, Resolved, View};
use mailglot_kernel::ShortBytes;
use std::ops::Range;

/// A decoded word.
#[derive(Debug)]
pub(super) struct StrictWord<'v> {
    /// The range in the value.
    pub range: Range<usize>,
    /// The label; None if it is the expected one.
    pub label: Option<StrictLabel<'v>>,
}

/// A label in strict syntax.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrictLabel<'v> {
    /// The label as written.
    pub label: &'v [u8],
    /// The charset of the label, as resolved.
    pub resolved: Resolved,
}

/// Decodes the word at `at`, where `=?` stands, into `bytes`. `expected` is a label in strict syntax, or empty.
///
/// Returns None for any other syntax, for a word that text touches, and for a word that does not fit into `bytes`.
pub(super) fn word<'v>(
    value: &'v [u8],
    at: usize,
    expected: &[u8],
    bytes: &mut ShortBytes,
) -> Option<StrictWord<'v>> {
    let behind = value.get(at + 2..)?;
    let is_expected = !expected.is_empty()
        && behind.get(expected.len()) == Some(&b'?')
        && are_same(&behind[..expected.len()], expected);
    let (length, resolved) = if is_expected {
        (expected.len(), None)
    } else {
        label(behind)?
    };
    let (label, rest) = behind.split_at(length);
    let label = resolved.map(|resolved| StrictLabel { label, resolved });
    let [b'?', letter, b'?', ..] = rest else {
        return None;
    };
    let payload = at + 2 + length + 3;
    let end = match letter {
        b'B' | b'b' => bytes.decode_base64(value, payload)?,
        b'Q' | b'q' => bytes.decode_escapes(value, payload)?,
        _ => return None,
    };
    let [b'?', b'=', after @ ..] = value.get(end..)? else {
        return None;
    };
    let free = after.first().is_none_or(|&b| lexer::is_space(b));
    free.then_some(StrictWord {
        range: at..end + 2,
        label,
    })
}

/// Returns the length of the label at the start of `text`, and its charset, as resolved.
fn label(text: &[u8]) -> Option<(usize, Option<Resolved>)> {
    if let [b'u' | b'U', b't' | b'T', b'f' | b'F', b'-', b'8', b'?', ..] = text {
        return Some((5, Some(Resolved::Exact(Charset::UTF_8))));
    }
    let (length, resolved) = Charset::for_label_before(b'?', text).or_else(|| {
        let length = text.iter().position(|b| !NAMES[usize::from(*b)])?;
        Some((length, Charset::for_label(&text[..length], View::Mail)))
    })?;
    Some((length, Some(resolved)))
}

/// Compares two labels of one length. For so few bytes a loop is faster than `memcmp`.
fn are_same(one: &[u8], other: &[u8]) -> bool {
    fn ends<const N: usize>(label: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
        label.first_chunk().zip(label.last_chunk())
    }
    match one.len() {
        8..=16 => ends::<8>(one) == ends(other),
        4..8 => ends::<4>(one) == ends(other),
        _ => one == other,
    }
}

/// The bytes of charset names.
const NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'+');
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::payload;
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    fn read(value: &str) -> Option<Vec<u8>> {
        let read = |label| {
            let mut bytes = ShortBytes::default();
            word(value.as_bytes(), 0, label, &mut bytes).map(|_| bytes.bytes().to_vec())
        };
        let bytes = read(b"");
        for label in [&b"u"[..], b"utf-8", b"x"] {
            assert_eq!(read(label), bytes);
        }
        bytes
    }

    #[test]
    fn labels_are_the_same_where_all_their_bytes_are() {
        for length in 0..20 {
            let one = b"abcdefghijklmnopqrst"[..length].to_vec();
            assert!(are_same(&one, &one));
            for place in 0..length {
                let mut other = one.clone();
                other[place] ^= 1;
                assert!(!are_same(&one, &other), "{length} {place}");
            }
        }
    }

    #[test]
    fn base64_agrees_with_the_crate() {
        let mut checked = 0;
        let bytes: Vec<u8> = (0..40).map(|i: u8| i.wrapping_mul(77)).collect();
        for length in 0..bytes.len() {
            let text = STANDARD.encode(&bytes[..length]);
            assert_eq!(
                read(&format!("=?u?b?{text}?=")),
                Some(bytes[..length].to_vec())
            );
            for place in 0..text.len() {
                for byte in b"A/=-_ ?~\x7f".iter().chain(b"ghQw").copied() {
                    let mut other = text.clone().into_bytes();
                    other[place] = byte;
                    let want = STANDARD.decode(&other).ok();
                    let other = String::from_utf8(other).expect("ASCII");
                    // A question mark ends the payload.
                    if byte != b'?' {
                        assert_eq!(read(&format!("=?u?B?{other}?=")), want, "{other}");
                        checked += u32::from(want.is_some());
                    }
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }

    #[test]
    fn strict_q_agrees_with_the_tolerant_decoder() {
        for byte in 0..=0xFF_u8 {
            for text in [
                vec![byte],
                vec![b'=', b'4', byte],
                vec![b'=', byte, b'c'],
                vec![b'a', byte, b'_'],
            ] {
                let mut slow = Vec::new();
                let damage = payload::decode_q(&text, true, &mut slow);
                let value = [b"=?u?q?", &text[..], b"?="].concat();
                let mut bytes = ShortBytes::default();
                if let Some(word) = word(&value, 0, b"u", &mut bytes) {
                    assert_eq!(
                        (bytes.bytes(), damage),
                        (&slow[..], payload::PayloadDamage::default())
                    );
                    assert_eq!(word.range, 0..value.len());
                } else {
                    let other = |byte: &u8| *byte == b'?' || byte.is_ascii_control();
                    assert!(
                        damage != payload::PayloadDamage::default() || text.iter().any(other),
                        "{text:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_are_separated_and_short_enough() {
        for (value, want) in [
            ("=?utf-8?Q??=", Some(0)),
            ("=?utf-8?B??=", Some(0)),
            ("=?a.b:c+d_1?q?abc?= x", Some(3)),
            ("=?u?q?abc?=\r\n x", Some(3)),
            ("=?u?q?abc?=x", None),
            ("=?u?q?abc?=,", None),
            ("=?u?q?abc?", None),
            ("=?u?q?a?c?=", None),
            ("=?u?q?abc", None),
            ("=?u*de?q?abc?=", None),
            ("=?\"u\"?q?abc?=", None),
            ("=?u?x?abc?=", None),
            ("=?u?qabc?=", None),
            ("=?", None),
            ("=?u", None),
            ("=?u?B?YWJj?=", Some(3)),
            ("=?u?B?YWJj", None),
            ("=?u?B?YWI?=", None),
            ("=?u?B?YQ==YQ==?=", None),
        ] {
            assert_eq!(read(value).map(|bytes| bytes.len()), want, "{value}");
        }
        for (letter, unit, bytes) in [('q', "x", 1), ('b', "YWJj", 3)] {
            for count in [ShortBytes::MOST / bytes, ShortBytes::MOST / bytes + 1] {
                let value = format!("=?u?{letter}?{}?=", unit.repeat(count));
                let want = Some(count * bytes).filter(|length| *length <= ShortBytes::MOST);
                assert_eq!(read(&value).map(|bytes| bytes.len()), want, "{value}");
            }
        }
    }
}
