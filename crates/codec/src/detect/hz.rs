//! Recognizes HZ (RFC 1843) in ASCII text without a label, as Chinese newsgroups and mail of the 1990s have it.
//!
//! # Limits
//! A sequence that ends with its line instead of `~}` does not count. Words in capitals between `~{` and `~}` do.

use crate::{Charset, LossLog};

/// Returns the length of the HZ sequence at the start of `bytes`: `~{`, characters of GB 2312, `~}` (RFC 1843).
///
/// Most of its Han characters must be of the first level, the more common half: small letters would all be of the second one.
///
/// ```
/// use mailglot_codec::detect::hz_sequence;
///
/// assert_eq!(hz_sequence(b"~{VPND~} (1)"), Some(8));
/// assert_eq!(hz_sequence(b"~{list~}"), None);
/// ```
// For mailglot-mime only.
#[doc(hidden)]
pub fn hz_sequence(bytes: &[u8]) -> Option<usize> {
    let pairs = bytes.strip_prefix(b"~{")?.chunks(2);
    let (mut length, mut first_level, mut second_level) = (2, 0, 0);
    for pair in pairs {
        length += 2;
        match pair {
            b"~}" => break,
            [0x21..=0x29, 0x21..=0x7E] => {}
            [0x30..=0x57, 0x21..=0x7E] => first_level += 1,
            [0x58..=0x77, 0x21..=0x7E] => second_level += 1,
            _ => return None,
        }
    }
    let sequence = bytes.get(..length)?;
    let is_text = sequence.ends_with(b"~}") && first_level > 0 && second_level <= first_level;
    (is_text && is_lossless(sequence)).then_some(length)
}

/// Returns the number of characters in the HZ sequences of ASCII text in which each `~{` begins one. Returns 0 for other text.
// For mailglot-mime only.
#[doc(hidden)]
pub fn hz_characters(bytes: &[u8]) -> usize {
    let (mut at, mut characters) = (0, 0);
    while let Some(found) = memchr::memmem::find(&bytes[at..], b"~{") {
        let start = at + found;
        let Some(length) = hz_sequence(&bytes[start..]) else {
            return 0;
        };
        characters += (length - 4) / 2;
        at = start + length;
    }
    if characters > 0 && bytes.is_ascii() && is_lossless(bytes) {
        characters
    } else {
        0
    }
}

fn is_lossless(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let _ = Charset::HZ_GB_2312.decode(bytes, &mut log);
    log.losses() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_whole_and_of_common_characters() {
        for (bytes, want) in [
            ("~{VPND~}", Some(8)),
            ("~{ND55~} ~{VPND~}", Some(8)),
            ("~{5D~}", Some(6)),
            ("~{!6VPND!7~}", Some(12)),
            ("~{0~VP~}", Some(8)),
            ("~{VPND", None),
            ("~{VPN~}", None),
            ("~{VP ND~}", None),
            ("~{VP\nND~}", None),
            ("~{~}", None),
            ("~{!!~}", None),
            ("~{list~}", None),
            ("~{ ~A~}", None),
            ("~{~a~^, ~}", None),
            ("~{+!VP~}", None),
            ("~VPND~}", None),
            ("~{", None),
            ("", None),
        ] {
            assert_eq!(hz_sequence(bytes.as_bytes()), want, "{bytes}");
        }
    }

    #[test]
    fn characters_are_counted_if_each_start_begins_a_sequence() {
        for (bytes, want) in [
            ("~{VPND~}\n", 2),
            ("a ~{VP~} ~ ~{ND!#~} http://example.org/~user\n", 3),
            ("~{VPND~} ~{abc\n", 0),
            ("~{VPND~} \u{E9}\n", 0),
            ("plain\n", 0),
        ] {
            assert_eq!(hz_characters(bytes.as_bytes()), want, "{bytes}");
        }
    }

    /// GB 2312 has 6,763 Han characters. The crate `encoding_rs` tells which pairs they are.
    #[test]
    fn all_han_characters_count() {
        let mut han = 0;
        for pair in (0x21..=0x77_u8).flat_map(|a| (0x21..=0x7E_u8).map(move |b| [a, b])) {
            // A common character beside it.
            let sequence = [&b"~{5D"[..], &pair, b"~}"].concat();
            let high = pair.map(|byte| byte | 0x80);
            let (text, _, damaged) = encoding_rs::GBK.decode(&high);
            let is_han = |c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c);
            if !damaged && text.chars().all(is_han) {
                han += 1;
                assert_eq!(hz_sequence(&sequence), Some(8), "{text} {pair:X?}");
            }
        }
        assert_eq!(han, 6_763);
    }
}
