//! Text in two encodings, and the pieces that it consists of.
//!
//! # Limits
//! Does not find the pieces: the callers decide which encoding a piece has.

use crate::charset_choice::text_tests::line_kinds::lines;
use mailglot_codec::{Charset, LossLog};
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
