//! Searches for characters of UTF-8 and for malformed sequences in text of any charset.

use super::neighbor_bytes::byte_or_blank;
use mailglot_codec::{Charset, detect};
use mailglot_kernel::ascii;
use memchr::memmem;
use std::ops::Range;
use std::sync::LazyLock;

/// U+FFFD in UTF-8.
pub(crate) const LOST_CHARACTER: &[u8] = "\u{FFFD}".as_bytes();

/// Returns true if the bytes have U+FFFD in UTF-8. Fast.
pub(crate) fn has_lost_characters(bytes: &[u8]) -> bool {
    static FINDER: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(LOST_CHARACTER));
    // The first byte is rare, and faster to find in a short text.
    memchr::memchr(LOST_CHARACTER[0], bytes).is_some_and(|at| FINDER.find(&bytes[at..]).is_some())
}

/// Returns true if a line of double-byte text has a byte order mark of UTF-8 between ASCII characters: `\n\xEF\xBB\xBFHello`.
///
/// Programs that join pages leave it there. GBK makes `锘縃` of it with the letter behind it, which nobody writes.
pub(crate) fn has_byte_order_mark(line: &[u8]) -> bool {
    inner_marks(line).any(|end| line.get(end).is_none_or(u8::is_ascii))
}

/// Returns true if text in a Chinese charset has a byte order mark of UTF-8 as two characters: `锘` and another one, or `嚜`.
pub(crate) fn has_byte_order_mark_as_characters(used: Charset, bytes: &[u8]) -> bool {
    let is_chinese = [
        Charset::GB2312,
        Charset::GBK,
        Charset::GB18030,
        Charset::BIG5,
    ]
    .contains(&used);
    is_chinese && inner_marks(bytes).next().is_some()
}

/// Returns the ends of byte order marks of UTF-8 at whose start no character of two bytes ends.
fn inner_marks(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const MARK: &[u8] = "\u{FEFF}".as_bytes();
    /// Lowest second byte of a double-byte character but those of GB 18030, which has digits in four bytes.
    const LOWEST_TRAIL: u8 = 0x40;
    let ends_character = |byte: u8| byte < LOWEST_TRAIL && !byte.is_ascii_digit();
    memmem::find_iter(bytes, MARK)
        .filter(move |at| {
            at.checked_sub(1)
                .is_none_or(|before| ends_character(bytes[before]))
        })
        .map(|at| at + MARK.len())
}

/// Returns the ranges of valid non-ASCII UTF-8, in order.
pub(crate) fn sequences(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    bytes.utf8_chunks().flat_map(move |chunk| {
        let (valid, start) = (chunk.valid().as_bytes(), at);
        at += valid.len() + chunk.invalid().len();
        let mut from = 0;
        std::iter::from_fn(move || {
            let first = from + detect::high_bytes(&valid[from..]).next()?;
            from = valid[first..]
                .iter()
                .position(u8::is_ascii)
                .map_or(valid.len(), |n| first + n);
            Some(start + first..start + from)
        })
    })
}

/// Returns the ranges of bytes that are not UTF-8, in order: each is one malformed sequence.
pub(crate) fn malformed(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    bytes.utf8_chunks().filter_map(move |chunk| {
        let start = at + chunk.valid().len();
        at = start + chunk.invalid().len();
        (at > start).then_some(start..at)
    })
}

/// Returns the characters outside malformed sequences, in order.
pub(crate) fn whole_characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars())
}

/// How much of a text is UTF-8.
#[derive(Default)]
pub(crate) struct SequenceCount {
    /// Bytes of whole characters, without the first of each. The longer a sequence, the less likely it is chance.
    pub(crate) within: usize,
    /// Malformed sequences.
    pub(crate) malformed: usize,
    /// Malformed sequences of two or three bytes, which are cut characters.
    pub(crate) cut: usize,
}

impl SequenceCount {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut count = Self::default();
        for chunk in bytes.utf8_chunks() {
            let lengths = chunk.valid().chars().map(|c| c.len_utf8() - 1);
            count.within += lengths.sum::<usize>();
            count.malformed += usize::from(!chunk.invalid().is_empty());
            count.cut += usize::from(chunk.invalid().len() > 1);
        }
        count
    }
}

/// Returns true if the first 512 bytes already rule out UTF-8. They do in nearly all legacy text.
pub(crate) fn is_early_invalid_utf8(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    // Checks complete characters with the fast test. The last character may be cut.
    let last = start
        .iter()
        .rev()
        .take(4)
        .position(|b| b & 0xC0 != 0x80)
        .map_or(0, |at| at + 1);
    let (whole, last) = start.split_at(start.len() - last);
    let rest = if detect::is_utf8(whole) { last } else { start };
    std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_some())
}

/// Returns true if a UTF-8 run may begin after ASCII, after a no-break space, or at the start. Fast: most text has none.
pub(crate) fn has_isolated_sequence(bytes: &[u8]) -> bool {
    const NO_BREAK_SPACE: u8 = 0xA0;
    let byte = |at: usize| byte_or_blank(bytes, Some(at));
    let is_apart = |byte: u8| byte.is_ascii() || byte == NO_BREAK_SPACE;
    let continues = |byte: u8| matches!(byte, 0x80..=0xBF);
    let begins_at = |at: usize| {
        let third = byte(at + 2);
        continues(byte(at + 1))
            && match bytes[at] {
                0xC2..=0xDF => is_apart(third) || matches!(third, 0xC2..=0xF4),
                0xE0..=0xF4 => continues(third),
                _ => false,
            }
    };
    let mut spaces = memchr::memchr_iter(NO_BREAK_SPACE, bytes);
    if spaces.any(|at| at + 1 < bytes.len() && begins_at(at + 1)) {
        return true;
    }
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut last = 0;
    for (nth, block) in blocks.iter().enumerate() {
        let high = ascii::high_mask(block);
        let mut starts = high & !(high << 1 | last);
        last = high >> 63;
        if starts != 0 {
            // Continuation bytes begin with the bits 10. The one behind the block is not known.
            let continuation = high & !ascii::high_mask(&block.map(|byte| byte << 1));
            starts &= continuation >> 1 | 1 << 63;
        }
        while starts != 0 {
            if begins_at(nth * 64 + starts.trailing_zeros() as usize) {
                return true;
            }
            starts &= starts - 1;
        }
    }
    let is_start = |at: usize| bytes[at] >= 0x80 && (at == 0 || bytes[at - 1].is_ascii());
    (bytes.len() - rest.len()..bytes.len()).any(|at| is_start(at) && begins_at(at))
}

#[cfg(test)]
mod tests {
    use super::super::neighbor_bytes::byte_or_blank;
    use super::*;

    #[test]
    fn byte_order_marks_stand_between_ascii_characters() {
        for (bytes, in_line, as_characters) in [
            (&b"\xEF\xBB\xBFHello"[..], true, true),
            (b"x \xEF\xBB\xBF", true, true),
            (b"> \xEF\xBB\xBF\xC4\xE3\xBA\xC3", false, true),
            (b"\xC4\xEF\xBB\xBF\xA1", false, false),
            (b"\xEF\xBB(No)", false, false),
            (b"Hello", false, false),
        ] {
            let text = bytes.escape_ascii();
            assert_eq!(has_byte_order_mark(bytes), in_line, "{text}");
            let found = has_byte_order_mark_as_characters(Charset::GBK, bytes);
            assert_eq!(found, as_characters, "{text}");
            assert!(!has_byte_order_mark_as_characters(Charset::EUC_KR, bytes));
        }
    }

    /// Each character alone and twice, at the start, within ASCII and at the end.
    #[test]
    fn every_character_beside_ascii_is_isolated() {
        for c in '\u{80}'..=char::MAX {
            for text in [
                format!("{c}"),
                format!("{c}{c}"),
                format!("a{c}"),
                format!("{c}b"),
                format!("a{c}{c}b"),
                format!("several bytes {c} around it"),
            ] {
                assert!(has_isolated_sequence(text.as_bytes()), "{text:?}");
            }
        }
    }

    /// Compares the blocks with a plain search at each place.
    #[test]
    fn blocks_do_not_change_the_answer() {
        let is_apart = |b: u8| b < 0x80 || b == 0xA0;
        let is_within = |b: u8| matches!(b, 0x80..=0xBF);
        let begins = |bytes: &[u8], at: usize| {
            let byte = |at: Option<usize>| byte_or_blank(bytes, at);
            let (before, third) = (byte(at.checked_sub(1)), byte(Some(at + 2)));
            let is_short = matches!(bytes[at], 0xC2..=0xDF)
                && (is_apart(third) || matches!(third, 0xC2..=0xF4));
            let is_long = matches!(bytes[at], 0xE0..=0xF4) && is_within(third);
            is_apart(before) && is_within(byte(Some(at + 1))) && (is_short || is_long)
        };
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut found = 0;
        for round in 0..40_000 {
            let length = random(200);
            // Few ASCII characters, so that most texts have no sequence or one.
            let bytes: Vec<u8> = (0..length)
                .map(|_| match random(20 + round % 100) {
                    0 => b' ',
                    1 => 0xA0,
                    2 => 0x80 + random(0x40) as u8,
                    3 => 0xC2 + random(0x30) as u8,
                    _ => 0xC0 + random(0x40) as u8,
                })
                .collect();
            let expected = (0..length).any(|at| begins(&bytes, at));
            assert_eq!(has_isolated_sequence(&bytes), expected, "{bytes:X?}");
            found += usize::from(expected);
        }
        assert!((1_000..39_000).contains(&found), "{found}");
    }
}
