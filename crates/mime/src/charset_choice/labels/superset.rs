//! Finds the larger charset that mail means by the name of a smaller one.
//!
//! A label of EUC-JP may stand over eucJP-ms, which has the characters of IBM in three bytes: `髙` (8F F4 FB), `﨑` (8F F4 BD), `ⅰ` (8F F3 F3).
//! In two bytes (`髙` FC E2, `①` AD A1) EUC-JP has them, too.
//!
//! # Limits
//! Only bytes that the labelled charset lacks are evidence. [`super::label_plausibility`] weighs everything else.

use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::private_use::is_private;
use mailglot_codec::{Charset, LossLog, detect};
use mailglot_kernel::HighBytes;
use memchr::memmem;
use std::cell::LazyCell;

/// Returns true if a byte or pair occurs that only the superset has.
pub(crate) fn needs_superset(charset: Charset, bytes: &[u8]) -> bool {
    if charset.is_single_byte() {
        return has_c1(bytes);
    }
    match charset {
        // GB 2312 and KS X 1001 keep both bytes in A1-FE.
        Charset::GB2312 | Charset::EUC_KR | Charset::KS_C_5601_1987 => !has_high_pairs_only(bytes),
        Charset::SHIFT_JIS => has_vendor_rows(bytes),
        _ => false,
    }
}

/// Returns true if all bytes above 7F are A1 to FF and stand in pairs. The last byte of the text may stand alone.
fn has_high_pairs_only(bytes: &[u8]) -> bool {
    let tail = bytes.iter().rev().take_while(|byte| !byte.is_ascii());
    let bytes = &bytes[..bytes.len() - tail.count() % 2];
    // Whether the number of bytes above 7F side by side is odd, up to here.
    let mut is_odd = false;
    for block in bytes.chunks(64) {
        let mut padded = [0; 64];
        padded[..block.len()].copy_from_slice(block);
        let HighBytes { mut all, low, .. } = HighBytes::of(&padded, block.len());
        if low != 0 {
            return false;
        }
        let mut at = 0;
        loop {
            let run = all.trailing_ones();
            is_odd ^= run % 2 == 1;
            at += run;
            if at == u64::BITS {
                break;
            }
            if is_odd {
                return false;
            }
            all >>= run;
            if all == 0 {
                break;
            }
            at += all.trailing_zeros();
            all >>= all.trailing_zeros();
        }
    }
    true
}

/// Returns true if a character of Shift_JIS is in the rows 13, 89-92 and 115-119, which JIS X 0208 leaves empty. Kana are single bytes.
fn has_vendor_rows(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&lead) = bytes.get(at) {
        if matches!(lead, 0..0x80 | 0xa1..=0xdf) {
            at += 1;
            // Skips ASCII eight bytes at a time.
            while bytes
                .get(at..)
                .and_then(<[u8]>::first_chunk::<8>)
                .is_some_and(|word| word.is_ascii())
            {
                at += 8;
            }
            continue;
        }
        if at + 1 < bytes.len() && matches!(lead, 0x87 | 0xed..=0xef | 0xfa..=0xfc) {
            return true;
        }
        at += 2;
    }
    false
}

/// Returns true if a byte 80-9F occurs. Without branches within a block, so that the compiler vectorizes the loop.
pub(crate) fn has_c1(bytes: &[u8]) -> bool {
    bytes.chunks(256).any(|block| {
        block
            .iter()
            .fold(0, |found, b| found | u8::from(b & 0xe0 == 0x80))
            != 0
    })
}

/// Returns eucJP-ms for EUC-JP if only eucJP-ms decodes all bytes, and without characters of private use.
pub(crate) fn lossless_superset(charset: Charset, bytes: &[u8]) -> Option<Charset> {
    if charset != Charset::EUC_JP || !has_rows_of_ibm(bytes) {
        return None;
    }
    let mut log = LossLog::with_limit(0);
    let text = Charset::EUCJP_MS.decode(bytes, &mut log);
    (log.losses() == 0 && !text.chars().any(is_private)).then_some(Charset::EUCJP_MS)
}

/// Returns true if three bytes may be a character of IBM. JIS X 0212 leaves these rows empty.
fn has_rows_of_ibm(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\x8F\xF3").is_some() || memmem::find(bytes, b"\x8F\xF4").is_some()
}

/// Returns the charset whose characters the bytes show. For bytes 80-9F it is the Windows page, such as windows-1250 for ISO-8859-2. It is
/// windows-1253 for `Ά` under ISO-8859-7, and windows-1255 for `₪` beside a number under ISO-8859-8. It is KOI8-U for Ukrainian letters under
/// KOI8-R, and eucJP-ms for EUC-JP ([`lossless_superset`]). It is windows-1252 for ANSI_X3.110-1983, which mail programs use for Latin-1.
pub(crate) fn better_by_bytes(charset: Charset, bytes: &[u8]) -> Option<Charset> {
    if charset == Charset::EUC_JP {
        return lossless_superset(charset, bytes);
    }
    let (page, is_evidence) = better_charset_and_test(charset)?;
    let is_proof = || match charset {
        Charset::KOI8_R => has_ukrainian_letter(bytes),
        Charset::ISO_8859_7 => has_c1(bytes) || has_capital_alpha(bytes),
        _ if is_hebrew(charset) => detect::are_beside_numbers(SHEQEL, bytes),
        _ => true,
    };
    (is_evidence(bytes) && is_proof()).then_some(page)
}

/// Returns true if bytes count as evidence, independent of chunk boundaries.
pub(crate) type EvidenceTest = fn(&[u8]) -> bool;

/// Returns the charset that [`better_by_bytes`] may choose, and the test for its evidence.
pub(crate) fn better_charset_and_test(charset: Charset) -> Option<(Charset, EvidenceTest)> {
    if charset == Charset::KOI8_R {
        return Some((Charset::KOI8_U, |bytes| {
            bytes.chunks(256).any(has_ukrainian_byte)
        }));
    }
    if charset == Charset::ISO_8859_7 {
        return Some((Charset::WINDOWS_1253, |bytes| {
            has_c1(bytes) || memchr::memchr(CAPITAL_ALPHA, bytes).is_some()
        }));
    }
    if charset == Charset::ANSI_X3_110_1983 {
        return Some((Charset::WINDOWS_1252, |bytes| !bytes.is_ascii()));
    }
    if is_hebrew(charset) {
        return Some((Charset::WINDOWS_1255, |bytes| {
            memchr::memchr(SHEQEL, bytes).is_some()
        }));
    }
    Some((charset.windows_page()?, has_c1))
}

/// The sign `₪` of windows-1255. In ISO-8859-8 it is the currency sign, which hardly anybody writes.
const SHEQEL: u8 = 0xA4;

/// Returns true for ISO-8859-8 in visual and in logical order.
fn is_hebrew(charset: Charset) -> bool {
    [
        Charset::ISO_8859_8,
        Charset::ISO_8859_8_E,
        Charset::ISO_8859_8_I,
    ]
    .contains(&charset)
}

/// The letter `Ά` of windows-1253. In ISO-8859-7 it is the quotation mark `’`.
const CAPITAL_ALPHA: u8 = 0xA2;

/// Returns true if `Ά` begins a word of small letters without another accent: `Άρθρο`.
///
/// A quotation mark may stand in place of a vowel, behind a small word: `θα ’ρθω`.
fn has_capital_alpha(bytes: &[u8]) -> bool {
    let is_small = |b: u8| matches!(b, 0xDC..=0xFE);
    let has_accent = |b: u8| matches!(b, 0xC0 | 0xDC..=0xE0 | 0xFC..=0xFE);
    memchr::memchr_iter(CAPITAL_ALPHA, bytes).any(|at| {
        let (before, word) = (&bytes[..at], &bytes[at + 1..]);
        let end = word
            .iter()
            .position(|b| !is_small(*b))
            .unwrap_or(word.len());
        let is_gap = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        let last = before.iter().rfind(|b| !is_gap(b));
        end > 1
            && !word[..end].iter().any(|b| has_accent(*b))
            && !last.is_some_and(|b| is_small(*b))
            && before.last().is_none_or(|b| *b < 0xC0)
    })
}

/// Returns true if a byte is a letter in KOI8-U and a box-drawing line in KOI8-R.
fn has_ukrainian_byte(block: &[u8]) -> bool {
    block
        .iter()
        .fold(0, |found, b| found | u8::from(is_ukrainian(*b)))
        != 0
}

fn is_ukrainian(byte: u8) -> bool {
    matches!(byte & 0xEF, 0xA4 | 0xA6 | 0xA7 | 0xAD)
}

/// Returns true if a word has such a byte. A frame has it beside its other lines, so there letters stand on both sides of it.
fn has_ukrainian_letter(bytes: &[u8]) -> bool {
    let is_letter = |at: Option<usize>| matches!(byte_or_blank(bytes, at), 0xA3 | 0xB3 | 0xC0..);
    let is_part = |at: Option<usize>| is_letter(at) || is_ukrainian(byte_or_blank(bytes, at));
    let is_blank = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_whitespace)
    };
    let has_frame = LazyCell::new(|| bytes.iter().any(|b| is_line_in_koi8(*b)));
    let has_letters = LazyCell::new(|| bytes.iter().any(|b| *b >= 0xC0));
    let is_small =
        |at: Option<usize>| matches!(byte_or_blank(bytes, at), 0xA3..=0xAF | 0xC0..=0xDF);
    let is_capital = |at: Option<usize>| is_letter(at) && !is_small(at);
    let is_in_word = |at: usize| {
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        // The words `є` and `і`.
        let is_word = matches!(bytes[at], 0xA4 | 0xA6) && is_blank(before) && is_blank(after);
        let is_word = is_word && *has_letters;
        // Signs before a capital word and behind small letters: `╢Привет`, `да╥`.
        let is_beside_other_case = !is_small(Some(at))
            && (is_small(before)
                || !is_letter(before) && is_capital(after) && is_small(Some(at + 2)));
        if is_beside_other_case {
            return false;
        }
        is_ukrainian(bytes[at])
            && (is_letter(before) && is_letter(after)
                || (is_word || is_part(before) || is_part(after)) && !*has_frame)
    };
    let blocks = bytes.chunks(256).enumerate();
    let mut blocks = blocks.filter(|(_, block)| has_ukrainian_byte(block));
    blocks.any(|(nth, block)| (nth * 256..nth * 256 + block.len()).any(is_in_word))
}

/// Returns true if a byte is part of a frame in both charsets.
fn is_line_in_koi8(byte: u8) -> bool {
    matches!(byte, 0x80..=0x91 | 0xA0..=0xBE) && !matches!(byte, 0xA3 | 0xB3) && !is_ukrainian(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_alpha_differs_from_a_quotation_mark() {
        for (bytes, expected) in [
            (&b"\xA2\xF1\xE8\xF1\xEF"[..], true),
            (b"Re: \xA2\xF1\xE8\xF1\xEF 5", true),
            // `θα ’ρθω`, `σ’ αυτό`, `’πάμε`, `‘Το άρθρο’`.
            (b"\xE8\xE1 \xA2\xF1\xE8\xF9", false),
            (b"\xF3\xA2 \xE1\xF5\xF4\xFC", false),
            (b"\xA2\xF0\xDC\xEC\xE5", false),
            (b"\xA1\xD4\xEF \xDC\xF1\xE8\xF1\xEF\xA2", false),
        ] {
            let found = better_by_bytes(Charset::ISO_8859_7, bytes);
            let expected = expected.then_some(Charset::WINDOWS_1253);
            assert_eq!(found, expected, "{}", bytes.escape_ascii());
        }
    }

    /// Compares the blocks with the characters, one after the other.
    #[test]
    fn pairs_are_found_in_runs_of_every_length() {
        let is_larger = |bytes: &[u8]| {
            let mut at = 0;
            while let Some(lead) = bytes.get(at) {
                let Some(trail) = bytes.get(at + 1) else {
                    return false;
                };
                if !lead.is_ascii() && (*lead < 0xA1 || *trail < 0xA1) {
                    return true;
                }
                at += if lead.is_ascii() { 1 } else { 2 };
            }
            false
        };
        let mut found = 0;
        for length in 0..300 {
            for cut in [0, 1, 2, 61, 62, 63, 64, 65, 127, 128, 129] {
                for byte in [b'a', 0x80, 0xA0, 0xA1, 0xFE] {
                    for other in [0xB0, b' '] {
                        let mut bytes = vec![0xB0; length];
                        if let Some(first) = bytes.get_mut(cut) {
                            *first = byte;
                        }
                        if let Some(second) = bytes.get_mut(cut + 5) {
                            *second = other;
                        }
                        let expected = is_larger(&bytes);
                        let is = needs_superset(Charset::EUC_KR, &bytes);
                        assert_eq!(is, expected, "{length} {cut} {byte:X} {other:X}");
                        found += usize::from(expected);
                    }
                }
            }
        }
        assert!(found > 3_000, "{found}");
    }

    #[test]
    fn a_currency_sign_beside_a_number_is_a_sheqel_in_hebrew() {
        for (bytes, expected) in [
            (&b"50 \xA4"[..], true),
            (b"\xE7\xE9\xF8: \xA450", true),
            (b"the sign \xA4 of a currency", false),
            (b"\xF9\xEC\xE5\xED 50", false),
        ] {
            for label in [&b"iso-8859-8"[..], b"iso-8859-8-i", b"iso-8859-8-e"] {
                let charset = Charset::for_label(label, mailglot_codec::View::Mail).charset();
                let found = better_by_bytes(charset.expect("known"), bytes);
                let expected = expected.then_some(Charset::WINDOWS_1255);
                assert_eq!(found, expected, "{}", bytes.escape_ascii());
            }
        }
        assert_eq!(better_by_bytes(Charset::ISO_8859_2, b"50 \xA4"), None);
    }

    #[test]
    fn ukrainian_letters_differ_from_box_drawing() {
        let koi8_u = |text| {
            Charset::KOI8_U
                .encode_exact(text)
                .expect("the charset has every character")
                .into_owned()
        };
        for (text, expected) in [
            ("між нами", true),
            ("їжа і подія", true),
            ("З повагою, Євген", true),
            ("Її", true),
            ("ҐАНОК", true),
            ("мир і любов", true),
            ("\u{2555}", false),
            ("Привет, Мир", false),
            ("\u{2550}\u{2554}Привет\u{2557}", false),
            ("\u{2562}Имя\u{255F}", false),
            ("\u{2553}\u{2500}\u{2556}\n\u{2551}Ёж\u{2556}", false),
        ] {
            let bytes = if expected {
                koi8_u(text)
            } else {
                Charset::KOI8_R
                    .encode_exact(text)
                    .expect("the charset has every character")
                    .into_owned()
            };
            assert_eq!(
                better_by_bytes(Charset::KOI8_R, &bytes),
                expected.then_some(Charset::KOI8_U),
                "{text}"
            );
            let late = [vec![b'x'; 255], bytes].concat();
            assert_eq!(
                better_by_bytes(Charset::KOI8_R, &late).is_some(),
                expected,
                "{text}"
            );
        }
    }
}
