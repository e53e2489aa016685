//! Joins escapes (Q) that a mailer split between two adjacent words: `=?utf-8?Q?caf=C3=?= =?utf-8?Q?A9?=` is `café`.
//!
//! # Limits
//!
//! Joins words of one run and one charset only. A character whose bytes stand in three words stays split. Joins no ASCII: `total=` and `2024` are two words of text.

use super::{DecodedWord, Reader, same_charset};
use crate::encoded_word::payload;
use crate::lexer::Letter;
use crate::unlogged::count_losses;
use mailglot_codec::Charset;
use mailglot_kernel::hex_escapes::digit_value;
use std::ops::Range;

/// An escape that begins in one word and ends in the next.
#[derive(Clone, Copy)]
struct CutEscape {
    byte: u8,
    /// Number of its bytes at the end of the first word: `=` or `=C`.
    tail: usize,
    /// Number of its digits at the start of the second word.
    head: usize,
}

impl Reader<'_> {
    /// Joins escapes that were split between two words.
    pub(super) fn rejoin_escapes(&mut self) {
        let has_bad_escape = |word: &DecodedWord| {
            let damage = word.damage;
            word.word.letter == Letter::Q && (damage.bad_escape || damage.soft_break)
        };
        if self.words.len() < 2 || !self.words.iter().any(has_bad_escape) {
            return;
        }
        // For each word, the escape that continues in the next word.
        let mut cuts: Vec<Option<CutEscape>> = vec![None; self.words.len()];
        for run in self.segments.iter().map(|segment| segment.words.clone()) {
            let pairs = self.words[run.clone()].array_windows();
            for (cut, pair) in cuts[run].iter_mut().zip(pairs) {
                if has_bad_escape(&pair[0]) {
                    *cut = self.cut_escape(pair);
                }
            }
        }
        if cuts.iter().all(Option::is_none) {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut before: Option<CutEscape> = None;
        for (word, cut) in self.words.iter_mut().zip(cuts) {
            let start = bytes.len();
            if before.is_none() && cut.is_none() {
                bytes.extend_from_slice(&self.bytes[word.bytes.clone()]);
            } else {
                let payload = trimmed(word, before, cut);
                let is_utf8 = word.charset == Some(Charset::UTF_8);
                word.damage = payload::decode_q(&self.value[payload], is_utf8, &mut bytes);
                word.damage.cut_escape = cut.is_some();
                bytes.extend(cut.map(|cut| cut.byte));
            }
            word.bytes = start..bytes.len();
            before = cut;
        }
        self.bytes = bytes;
    }

    /// Returns the escape that is split between two words, if its byte makes text.
    fn cut_escape(&self, [first, second]: &[DecodedWord; 2]) -> Option<CutEscape> {
        if second.word.letter != Letter::Q || !same_charset(first.charset, second.charset) {
            return None;
        }
        let charset = first.charset.unwrap_or(Charset::UTF_8);
        let begin = &self.value[first.word.payload.clone()];
        let end = &self.value[second.word.payload.clone()];
        let (high, low, head) = match (begin, end) {
            ([.., b'='], [high, low, ..]) => (digit_value(*high)?, digit_value(*low)?, 2),
            ([.., b'=', high], [low, ..]) => (digit_value(*high)?, digit_value(*low)?, 1),
            _ => return None,
        };
        let cut = CutEscape {
            byte: high << 4 | low,
            tail: 3 - head,
            head,
        };
        let losses = |bytes: &[u8]| count_losses(charset, bytes);
        let decode = |payload: Range<usize>, out: &mut Vec<u8>| {
            payload::decode_q(&self.value[payload], charset == Charset::UTF_8, out);
        };
        let is_better = || {
            let mut joined = Vec::new();
            decode(trimmed(first, None, Some(cut)), &mut joined);
            joined.push(cut.byte);
            decode(trimmed(second, Some(cut), None), &mut joined);
            losses(&joined) <= losses(&self.bytes[first.bytes.start..second.bytes.end])
        };
        (!cut.byte.is_ascii() && !charset.is_wide() && is_better()).then_some(cut)
    }
}

/// Returns the payload of a word without its pieces of split escapes.
fn trimmed(
    word: &DecodedWord,
    before: Option<CutEscape>,
    after: Option<CutEscape>,
) -> Range<usize> {
    let payload = &word.word.payload;
    let start = payload.start + before.map_or(0, |cut| cut.head);
    start..payload.end - after.map_or(0, |cut| cut.tail)
}
