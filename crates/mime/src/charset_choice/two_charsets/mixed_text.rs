//! Text in two encodings or more, and the pieces that it consists of.
//!
//! # Limits
//! Does not find the pieces: the callers decide which encoding a piece has.

use crate::charset_choice::text_tests::line_kinds::lines;
use mailglot_codec::{Charset, LossLog};
use std::ops::Range;

/// A text in two encodings or more.
#[derive(Debug)]
pub(crate) struct MixedText {
    pub(crate) text: String,
    /// The losses. Their offsets refer to the input bytes.
    pub(crate) log: LossLog,
    /// Number of the runs or lines in the rarer charset: UTF-8, under a label of UTF-8 the other charset, or `run_charset`.
    pub(crate) runs: usize,
    /// Offset of the first run or line.
    pub(crate) first: usize,
    /// The main charset: that of the text outside the runs or lines.
    pub(crate) other: RestCharset,
    /// The charset of the runs or lines. None if they are in UTF-8, or if the text is in UTF-8 and they are in `other`.
    pub(crate) run_charset: Option<Charset>,
    /// Runs in further charsets.
    pub(crate) further: Vec<FurtherRuns>,
}

/// The runs of a text that are in a third charset.
#[derive(Debug)]
pub(crate) struct FurtherRuns {
    pub(crate) charset: Charset,
    pub(crate) count: usize,
    /// Offset of the first one.
    pub(crate) first: usize,
}

/// The charset of the text outside runs or lines that have their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestCharset {
    pub(crate) charset: Charset,
    /// 0 to 1 for a guess; None if the label, the message or the caller names it.
    pub(crate) confidence: Option<f32>,
}

impl RestCharset {
    /// A charset that something names.
    pub(crate) const fn named(charset: Charset) -> Self {
        Self {
            charset,
            confidence: None,
        }
    }
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

/// Returns the ranges before, between and behind `ranges`, which are in order, of `length` bytes. Some may be empty.
pub(crate) fn gaps(
    ranges: impl IntoIterator<Item = Range<usize>>,
    length: usize,
) -> Vec<Range<usize>> {
    let (mut gaps, mut from) = (Vec::new(), 0);
    for range in ranges {
        gaps.push(from..range.start);
        from = range.end;
    }
    gaps.push(from..length);
    gaps
}

/// Decodes each run in its charset, and all other text in `other`. The runs are in order.
pub(crate) fn decode_runs(
    bytes: &[u8],
    runs: &[(Range<usize>, Charset)],
    other: RestCharset,
) -> MixedText {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    let (mut log, mut from) = (LossLog::new(), 0);
    let mut kinds: Vec<FurtherRuns> = Vec::new();
    for (run, charset) in runs {
        decode_into(&mut text, &mut log, other.charset, bytes, from..run.start);
        decode_into(&mut text, &mut log, *charset, bytes, run.clone());
        from = run.end;
        match kinds.iter_mut().find(|kind| kind.charset == *charset) {
            Some(kind) => kind.count += 1,
            None => kinds.push(FurtherRuns {
                charset: *charset,
                count: 1,
                first: run.start,
            }),
        }
    }
    decode_into(&mut text, &mut log, other.charset, bytes, from..bytes.len());
    let mut kinds = kinds.into_iter();
    let first = kinds.next();
    MixedText {
        text,
        log,
        runs: first.as_ref().map_or(0, |kind| kind.count),
        first: first.as_ref().map_or(0, |kind| kind.first),
        other,
        run_charset: first.map(|kind| kind.charset),
        further: kinds.collect(),
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
