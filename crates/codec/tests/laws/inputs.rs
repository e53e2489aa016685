//! Inputs that reach the corners of the machines.

use crate::common::{Random, hex};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use std::sync::LazyLock;

/// Every charset in both modes.
pub(crate) fn charsets() -> impl Iterator<Item = (Charset, Mode)> {
    Charset::all().flat_map(|charset| [(charset, Mode::Lenient), (charset, Mode::Strict)])
}

/// ASCII to stand in front, so that blocks of the machines begin and end everywhere.
pub(crate) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz01234";

/// Telling pieces of every machine (`tests/seeds/bytes.txt`).
pub(crate) static CORNERS: LazyLock<Vec<&'static [u8]>> = LazyLock::new(|| {
    let lines = include_str!("../../../../tests/seeds/bytes.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines
        .map(|line| &*hex(line.trim_start_matches('-')).leak())
        .collect()
});

/// Whether a charset has ASCII letters at all, as the sets of two bytes by themselves have not.
pub(crate) fn carries_ascii(charset: Charset) -> bool {
    !charset
        .encode("a", Unmappable::Skip, &mut LossLog::new())
        .is_empty()
}

/// All corners, sequences of them, and noise.
pub(crate) fn samples(random: &mut Random, sequences: usize, noise: usize) -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = CORNERS.iter().map(|c| c.to_vec()).collect();
    for _ in 0..sequences {
        let ahead = &LETTERS.as_bytes()[..random.below(32) as usize];
        let n = 1 + random.below(6);
        let behind = (0..n).flat_map(|_| random.pick(&CORNERS).to_vec());
        samples.push(ahead.iter().copied().chain(behind).collect());
    }
    for _ in 0..noise {
        let n = random.below(60);
        samples.push((0..n).map(|_| random.next() as u8).collect());
    }
    samples
}
