//! Removes repeated characters from text before its charset is detected.
//!
//! # Limits
//! Characters of one or two bytes.

use mailglot_codec::detect::high_bytes;
use std::borrow::Cow;

/// Removes repeated characters, such as lines and boxes. They prove nothing, and mislead charsets that have them as symbols.
pub(super) fn without_repetitions(bytes: &[u8]) -> Cow<'_, [u8]> {
    /// Number of repetitions that no word has.
    const RUN: usize = 4;
    let is_run = |at: usize, width: usize| {
        let first = bytes.get(at..at + width).filter(|first| first[0] >= 0x80);
        first.is_some_and(|first| {
            bytes
                .get(at..at + RUN * width)
                .is_some_and(|run| run.chunks_exact(width).all(|c| c == first))
        })
    };
    let width = |at: usize| [1, 2].into_iter().find(|width| is_run(at, *width));
    if !high_bytes(bytes).any(|at| width(at).is_some()) {
        return Cow::Borrowed(bytes);
    }
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let Some(width) = width(at) else {
            out.push(*byte);
            at += 1;
            continue;
        };
        let first = bytes.get(at..at + width).unwrap_or_default();
        at += bytes[at..]
            .chunks_exact(width)
            .take_while(|c| *c == first)
            .count()
            * width;
        out.push(b' ');
    }
    Cow::Owned(out)
}
