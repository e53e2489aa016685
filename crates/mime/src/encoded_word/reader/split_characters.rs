//! Finds folds within the characters of raw text. Programs that fold long lines at a number of bytes write them.
//!
//! ```text
//! \xE6\x96\xB0\xE7\x89\x88\xE6\r\n \x9C\xAC     UTF-8: 新版本
//! \xB9\xAB\xCB\xBE\xD7\r\n \xEE\xD0\xC2         GBK: 公司最新
//! ```
//!
//! # Limits
//! In UTF-8, one blank may replace the fold. In a double-byte charset the fold must be there, since a blank may end a Latin word.

use super::{Reader, same_charset};
use crate::charset_choice::RawReading;
use crate::encoded_word::payload::missing_of_utf8;
use crate::encoded_word::raw_charset::read_raw;
use crate::lexer::{self, is_fold};
use crate::split_folds::DOUBLE_BYTE;
use crate::unlogged::decode_lossless;
use mailglot_codec::Charset;
use std::borrow::Cow;
use std::ops::Range;

/// Minimum number of characters that prove a double-byte charset.
const MIN_CHARACTERS: usize = 4;

impl Reader<'_> {
    /// Returns a raw text without the folds within its characters.
    pub(in crate::encoded_word) fn without_splits(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        without(self.value, range.clone(), self.splits_in(range))
    }

    /// Returns the folds within characters of a raw text, as ranges in the value.
    pub(in crate::encoded_word) fn splits_in(&self, range: Range<usize>) -> &[Range<usize>] {
        if self.value[range.clone()].is_ascii() {
            return &[];
        }
        let splits = self.splits.get_or_init(|| self.find_splits());
        let first = splits.partition_point(|split| split.start < range.start);
        let end = splits.partition_point(|split| split.end <= range.end);
        splits.get(first..end).unwrap_or_default()
    }

    fn find_splits(&self) -> Vec<Range<usize>> {
        let texts: Vec<Range<usize>> = self.legacy_texts().collect();
        self.splits_of_utf8(&texts)
            .unwrap_or_else(|| self.splits_of_double_bytes(&texts))
    }

    /// Returns the folds within characters if all texts are UTF-8 without them. Half a character may stand at the end.
    fn splits_of_utf8(&self, texts: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
        let (mut found, mut whole) = (Vec::new(), 0);
        for text in texts {
            let splits: Vec<_> = blanks(self.value, text.clone())
                .filter(|blank| splits_utf8(self.value, text.clone(), blank))
                .collect();
            let joined = without(self.value, text.clone(), &splits);
            let valid = match std::str::from_utf8(&joined) {
                Ok(text) => text,
                Err(error) if error.error_len().is_none() => {
                    let valid = &joined[..error.valid_up_to()];
                    std::str::from_utf8(valid).unwrap_or_default()
                }
                Err(_) => return None,
            };
            let characters = valid.chars().filter(|c| !c.is_ascii()).count();
            whole += characters.saturating_sub(splits.len());
            found.extend(splits);
        }
        // Letters of Latin words begin with one of these bytes.
        let is_letter = |at: usize| self.value.get(at).is_some_and(u8::is_ascii_alphabetic);
        let is_latin = |split: &Range<usize>| {
            matches!(self.value[split.start - 1], 0xC3..=0xC5)
                && (split.start > 1 && is_letter(split.start - 2) || is_letter(split.end + 1))
        };
        let is_sure = |split| is_latin(split) || is_fold(&self.value[split.clone()]);
        let is_proven = whole >= 2 || whole > 0 && found.iter().all(is_sure);
        (is_proven && !found.is_empty()).then_some(found)
    }

    /// Returns the folds after a lead byte, if the texts without these folds are in a double-byte charset.
    fn splits_of_double_bytes(&self, texts: &[Range<usize>]) -> Vec<Range<usize>> {
        let may_split = |blank: &Range<usize>| {
            is_fold(&self.value[blank.clone()]) && !self.value[blank.start - 1].is_ascii()
        };
        let has_split =
            |text: &Range<usize>| blanks(self.value, text.clone()).any(|b| may_split(&b));
        if !texts.iter().any(has_split) {
            return Vec::new();
        }
        let in_charset = |charset: Charset| {
            let (mut splits, mut bytes) = (Vec::new(), Vec::new());
            for text in texts {
                let first = splits.len();
                find_double_byte_splits(self.value, text.clone(), charset, &mut splits);
                bytes.extend_from_slice(&without(self.value, text.clone(), &splits[first..]));
                bytes.push(b' ');
            }
            (!splits.is_empty() && self.are_in(charset, &bytes)).then_some(splits)
        };
        DOUBLE_BYTE
            .into_iter()
            .find_map(in_charset)
            .unwrap_or_default()
    }

    /// Returns true if raw bytes are text in this charset, by the words of the value, the message or detection.
    fn are_in(&self, charset: Charset, bytes: &[u8]) -> bool {
        let Some(text) = decode_lossless(charset.superset(), bytes) else {
            return false;
        };
        let wide = text.chars().filter(|c| !c.is_ascii()).count();
        let is_read = || match read_raw(bytes, self.named(), &self.context) {
            RawReading::In(used) => same_charset(Some(used), Some(charset)),
            RawReading::Utf8 { .. } => false,
        };
        wide >= MIN_CHARACTERS && is_read()
    }
}

/// Returns the bytes of a range without some ranges in it.
pub(super) fn without<'v>(
    value: &'v [u8],
    range: Range<usize>,
    splits: &[Range<usize>],
) -> Cow<'v, [u8]> {
    if splits.is_empty() {
        return Cow::Borrowed(&value[range]);
    }
    let (mut bytes, mut at) = (Vec::with_capacity(range.len()), range.start);
    for split in splits {
        bytes.extend_from_slice(&value[at..split.start]);
        at = split.end;
    }
    bytes.extend_from_slice(&value[at..range.end]);
    Cow::Owned(bytes)
}

/// Returns the white space between other bytes of a range, in order.
fn blanks(value: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let text = &value[..range.end];
    let mut at = lexer::skip_space(text, range.start);
    std::iter::from_fn(move || {
        let start = at + text[at..].iter().position(|b| lexer::is_space(*b))?;
        at = lexer::skip_space(text, start);
        (at < text.len()).then_some(start..at)
    })
}

/// Returns true if the bytes before and after white space are one character of UTF-8.
fn splits_utf8(value: &[u8], range: Range<usize>, blank: &Range<usize>) -> bool {
    let (before, after) = (
        &value[range.start..blank.start],
        &value[blank.end..range.end],
    );
    if blank.len() > 1 && !is_fold(&value[blank.clone()]) || !matches!(after, [0x80..=0xBF, ..]) {
        return false;
    }
    let missing = missing_of_utf8(before);
    if missing == 0 {
        return false;
    }
    // The lead byte is one of the last three.
    let lead = before.iter().rposition(|b| *b >= 0xC0);
    let (Some(end), Some(lead)) = (after.get(..missing), lead) else {
        return false;
    };
    std::str::from_utf8(&[&before[lead..], end].concat()).is_ok()
}

/// Appends the folds of a text between the two bytes of a character.
fn find_double_byte_splits(
    value: &[u8],
    text: Range<usize>,
    charset: Charset,
    splits: &mut Vec<Range<usize>>,
) {
    let is_kana = |byte: u8| charset == Charset::SHIFT_JIS && matches!(byte, 0xA1..=0xDF);
    let mut at = text.start;
    while at < text.end {
        let lead = value[at];
        at += 1;
        if lead <= 0x80 || is_kana(lead) {
            continue;
        }
        let mut missing = 1 + usize::from(charset == Charset::EUC_JP && lead == 0x8F);
        while missing > 0 && at < text.end {
            let end = lexer::skip_space(&value[..text.end], at);
            if end > at {
                let is_trail =
                    matches!(value.get(end), Some(0x40..=0x7E | 0x80..=0xFE)) && end < text.end;
                if !is_trail || !is_fold(&value[at..end]) {
                    break;
                }
                splits.push(at..end);
                at = end;
            }
            at += 1;
            missing -= 1;
        }
    }
}
