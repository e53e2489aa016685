//! Text in two encodings, and the pieces that it consists of.
//!
//! # Limits
//! Does not find the pieces: the callers decide which encoding a piece has.

use super::line_kinds::lines;
use mailglot_codec::{Charset, LossLog, detect};
use mailglot_kernel::ascii;
use std::ops::Range;

/// A text in two encodings.
#[derive(Debug)]
pub(crate) struct MixedText {
    pub(crate) text: String,
    /// The losses. Their offsets refer to the input bytes.
    pub(crate) log: LossLog,
    /// Number of the runs or lines in the rarer charset: UTF-8, under a label of UTF-8 the other charset, or `run_charset`.
    pub(crate) runs: usize,
    /// Offset of the first run or line.
    pub(crate) first: usize,
    /// The charset of the text that is neither UTF-8 nor in `run_charset`.
    pub(crate) other: OtherCharset,
    /// The charset of the runs if nothing is UTF-8.
    pub(crate) run_charset: Option<Charset>,
}

/// The charset of the bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OtherCharset {
    pub(crate) charset: Charset,
    /// 0 to 1 for a guess; None if the label, the message or the caller names it.
    pub(crate) confidence: Option<f32>,
}

/// Appends the decoded text of a range of `bytes` and its losses, with offsets into `bytes`.
///
/// U+FEFF is a byte order mark only at the start of `bytes`. Elsewhere it is a character.
pub(crate) fn decode_into(
    text: &mut String,
    log: &mut LossLog,
    charset: Charset,
    bytes: &[u8],
    range: Range<usize>,
) {
    const MARK: &str = "\u{feff}";
    let (mut rest, mut at) = (&bytes[range.clone()], range.start);
    while charset == Charset::UTF_8
        && at > 0
        && let Some(behind) = rest.strip_prefix(MARK.as_bytes())
    {
        text.push_str(MARK);
        (rest, at) = (behind, at + MARK.len());
    }
    let mut own = LossLog::new();
    charset.decode_into(rest, text, &mut own);
    log.append(&own, at as u64);
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

/// Returns the non-ASCII lines for which `is_foreign` is true, in order.
pub(crate) fn foreign_lines(bytes: &[u8], is_foreign: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    lines(bytes)
        .filter(|line| !bytes[line.clone()].is_ascii() && is_foreign(&bytes[line.clone()]))
        .collect()
}

/// Concatenates the bytes of the lines.
pub(crate) fn join<'l>(bytes: &[u8], lines: impl IntoIterator<Item = &'l Range<usize>>) -> Vec<u8> {
    let mut joined = Vec::new();
    for line in lines {
        joined.extend_from_slice(&bytes[line.clone()]);
    }
    joined
}

/// Returns true if a UTF-8 run may begin after ASCII, after a no-break space, or at the start. Fast: most text has none.
pub(crate) fn has_isolated_sequence(bytes: &[u8]) -> bool {
    const NO_BREAK_SPACE: u8 = 0xA0;
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
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
    use super::*;

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
            let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
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
