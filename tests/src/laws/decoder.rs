//! Checks law 1: a decoder's input may be split anywhere.

use super::law_results::LawResults;
use crate::rng::Rng;
use mailglot_codec::{Charset, LossLog, Mode};

/// Number of bytes of a mutant that are decoded.
const WINDOW: usize = 2000;

/// Decodes a window of the mutant in three charsets: whole, in random pieces, and byte by byte.
pub(super) fn check(bytes: &[u8], rng: &mut Rng, tally: &mut LawResults) {
    let start = rng.below(bytes.len() + 1);
    let window = &bytes[start..bytes.len().min(start + WINDOW)];
    let charsets = Charset::all().collect::<Vec<_>>();
    for _ in 0..3 {
        let charset = *rng.pick(&charsets);
        let mode = if rng.chance(75) {
            Mode::Lenient
        } else {
            Mode::Strict
        };
        let whole = decode(charset, mode, window, |rest| rest);
        let mut pieces = rng.clone();
        let random = decode(charset, mode, window, |rest| pieces.below(rest.min(40) + 1));
        rng.bits();
        tally.check(1, fault(charset, mode, "in pieces", &whole, &random));
        let single = decode(charset, mode, window, |_| 1);
        tally.check(1, fault(charset, mode, "byte by byte", &whole, &single));
        if mode == Mode::Lenient {
            let mut log = LossLog::new();
            let text = charset.decode(window, &mut log).into_owned();
            tally.check(1, fault(charset, mode, "at once", &whole, &(text, log)));
        }
    }
}

/// Decodes in pieces. `length` returns the length of the next one from the length of the rest (0 pushes nothing).
fn decode(
    charset: Charset,
    mode: Mode,
    bytes: &[u8],
    mut length: impl FnMut(usize) -> usize,
) -> (String, LossLog) {
    let (mut text, mut log) = (String::new(), LossLog::new());
    let mut decoder = charset.new_decoder(mode);
    let mut rest = bytes;
    let mut empty = 0;
    while !rest.is_empty() {
        let mut piece = length(rest.len());
        // After two empty pushes, continues.
        empty = if piece == 0 { empty + 1 } else { 0 };
        if empty > 2 {
            piece = 1;
        }
        let (now, later) = rest.split_at(piece.min(rest.len()));
        decoder.push(now, &mut text, &mut log);
        rest = later;
    }
    decoder.finish(&mut text, &mut log);
    (text, log)
}

fn fault(
    charset: Charset,
    mode: Mode,
    how: &str,
    whole: &(String, LossLog),
    other: &(String, LossLog),
) -> Option<String> {
    let same_log = whole.1.kept() == other.1.kept()
        && whole.1.losses() == other.1.losses()
        && whole.1.notes() == other.1.notes();
    (whole.0 != other.0 || !same_log).then(|| {
        let at = whole.0.chars().zip(other.0.chars()).take_while(|(left, right)| left == right).count();
        format!(
            "{} ({mode:?}) {how}: text equal: {}, first difference at character {at}; {} and {} losses, {} and {} notes",
            charset.name(),
            whole.0 == other.0,
            whole.1.losses(),
            other.1.losses(),
            whole.1.notes(),
            other.1.notes(),
        )
    })
}
