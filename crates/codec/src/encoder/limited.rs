//! Encodes a text in pieces of limited length for encoded words and lines. Each piece decodes alone.
//!
//! # Limits
//! The encoded length must not decrease when a character is added. That holds for every charset here.

use super::options::EncodeOptions;
use super::stream::Encoder;
use crate::charset::Charset;
use crate::loss::LossLog;
use std::ops::Range;

/// One piece of [`Charset::encode_limited`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its byte range in the text. It contains whole characters.
    pub text: Range<usize>,
    /// Its bytes, from the initial state of the charset to the initial state.
    pub bytes: Vec<u8>,
}

impl Charset {
    /// Encodes a text in pieces of at most `max_bytes` bytes. Every piece decodes alone: it has whole characters, and begins and
    /// ends in the initial state of the charset. A character that needs more bytes is a piece of its own.
    pub fn encode_limited(
        self,
        text: &str,
        max_bytes: usize,
        options: &EncodeOptions,
        log: &mut LossLog,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let len = fitting(self, &text[start..], max_bytes, options);
            pieces.push(Piece {
                text: start..start + len,
                bytes: write(self, text, start..start + len, options, log),
            });
            start += len;
        }
        pieces
    }
}

/// The length of the longest start of `text` that fits; at least one character.
fn fitting(charset: Charset, text: &str, max_bytes: usize, options: &EncodeOptions) -> usize {
    // No charset writes four characters as one byte.
    let most = max_bytes.saturating_mul(4).saturating_add(1);
    let mut ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .skip(1)
        .take(most)
        .collect();
    if ends.len() < most {
        ends.push(text.len());
    }
    let fits = |end: &usize| {
        let mut log = LossLog::with_limit(0);
        write(charset, text, 0..*end, options, &mut log).len() <= max_bytes
    };
    let fitting = ends.partition_point(fits);
    ends[fitting.max(1) - 1]
}

/// Encodes a part of a text.
fn write(
    charset: Charset,
    text: &str,
    part: Range<usize>,
    options: &EncodeOptions,
    log: &mut LossLog,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::with(charset, options.clone());
    encoder.offset = part.start as u64;
    encoder.push(&text[part], &mut bytes, log);
    encoder.finish(&mut bytes, log);
    bytes
}
