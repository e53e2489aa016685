//! Finds the runs of UTF-8 in text of a single-byte charset.
//!
//! ```text
//! windows-1252   "caf\xC3\xA9 na\xEFve"              the run C3 A9 is é
//! windows-1251   "\xCF\xF0\xE8\nи он\n"              the second line is UTF-8, `и` too
//! ```
//!
//! A run counts as UTF-8 if the single-byte reading has a higher [`mojibake_score`]. Runs without evidence of their own follow the
//! rest of their line or, if nearly all high bytes are UTF-8, the rest of the text.
//!
//! # Limits
//! Finds nothing in text with more than 200,000 runs, since a record of each takes memory. Does not join the parts of a character that other bytes separate.

use super::mixed_text::{MixedText, OtherCharset, decode_into, sequences};
use super::mojibake_score::mojibake_score;
use mailglot_codec::{Charset, LossLog, detect};
use std::ops::Range;

/// Minimum number of UTF-8 runs in text of a non-Latin alphabet, if the reading of the runs is no evidence.
const MIN_RUNS: usize = 3;

/// Minimum number of implausible characters that UTF-8 avoids with which fewer than [`MIN_RUNS`] runs are enough.
const PLAIN_GAIN: usize = 5;

/// Largest number of runs. Their records take 12 MB.
const MAX_RUNS: usize = 200_000;

/// In text that is nearly all UTF-8, at most one high byte in this many is something else.
const MAX_OTHERS_SHARE: usize = 9;

/// Number of bytes around a run that are examined with it.
const CONTEXT_BYTES: usize = 4;

/// The runs of UTF-8 in a text.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The ranges of the runs, in order.
    ranges: Vec<Range<usize>>,
    /// Number of implausible characters that the single-byte reading of the runs has, and UTF-8 has not.
    pub(super) gain: usize,
}

/// What speaks for a run.
struct Run {
    range: Range<usize>,
    /// No other high byte touches the run.
    is_isolated: bool,
    /// Number of implausible characters that UTF-8 avoids, for a run that is a word or more.
    gain: usize,
    letters: usize,
    /// All high bytes of the line are UTF-8, and one of its words has evidence.
    is_in_proven_line: bool,
}

impl Runs {
    /// Finds the runs that are more plausible as UTF-8 than in `charset`. Returns None without enough evidence.
    pub(super) fn find(bytes: &[u8], charset: Charset) -> Option<Self> {
        let all = runs(bytes, charset)?;
        let alone = all.iter().filter(|run| run.is_isolated).count();
        let better = all.iter().filter(|run| run.gain > 0).count();
        let is_all_utf8 = better * 2 >= alone && is_nearly_utf8(bytes);
        let is_utf8 = |run: &&Run| run.gain > 0 || run.is_in_proven_line || is_all_utf8;
        let (mut found, mut count, mut has_word) = (Self::default(), 0, false);
        for run in all.iter().filter(is_utf8) {
            count += usize::from(run.is_isolated);
            has_word |= run.letters > 1;
            found.gain += run.gain;
            found.ranges.push(run.range.clone());
        }
        // In double-byte text most UTF-8 sequences stand between other high bytes.
        let is_apart = is_all_utf8 || all.len() < 2 * alone;
        let is_enough = is_latin(charset)
            || has_word && (count >= MIN_RUNS && count == alone || found.gain >= PLAIN_GAIN);
        (count > 0 && is_apart && is_enough && count * 3 >= alone * 2).then_some(found)
    }

    /// Returns the bytes outside the runs.
    pub(super) fn rest<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        let starts = [0].into_iter().chain(self.ranges.iter().map(|run| run.end));
        let ends = self.ranges.iter().map(|run| run.start);
        starts
            .zip(ends.chain([bytes.len()]))
            .map(|(start, end)| &bytes[start..end])
    }

    /// Decodes the runs as UTF-8 and the rest in the other charset.
    pub(super) fn decode(&self, bytes: &[u8], other: OtherCharset) -> MixedText {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
        let (mut log, mut from) = (LossLog::new(), 0);
        for run in &self.ranges {
            decode_into(&mut text, &mut log, other.charset, bytes, from..run.start);
            text.push_str(&String::from_utf8_lossy(&bytes[run.clone()]));
            from = run.end;
        }
        decode_into(&mut text, &mut log, other.charset, bytes, from..bytes.len());
        MixedText {
            text,
            log,
            runs: self.ranges.len(),
            first: self.ranges.first().map_or(0, |run| run.start),
            other,
        }
    }
}

/// Returns all runs of UTF-8 with their evidence. None if they are too many.
fn runs(bytes: &[u8], charset: Charset) -> Option<Vec<Run>> {
    let mut all: Vec<Run> = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let at = start;
        start += line.len();
        if line.is_ascii() {
            continue;
        }
        let first = all.len();
        let room = MAX_RUNS + 1 - first;
        let found = sequences(line).take(room);
        all.extend(found.map(|run| Run::new(bytes, at + run.start..at + run.end, charset)));
        if all.len() > MAX_RUNS {
            return None;
        }
        let of_line = &mut all[first..];
        if of_line.iter().any(|run| run.gain > 0 && run.letters > 1) && detect::is_utf8(line) {
            for run in of_line {
                run.is_in_proven_line = true;
            }
        }
    }
    Some(all)
}

impl Run {
    fn new(bytes: &[u8], range: Range<usize>, charset: Charset) -> Self {
        let is_isolated = is_isolated(bytes, &range);
        let (gain, letters) = if is_isolated {
            evidence(bytes, &range, charset)
        } else {
            (0, 0)
        };
        Self {
            range,
            is_isolated,
            gain,
            letters,
            is_in_proven_line: false,
        }
    }
}

/// Returns true if no other high byte touches the run, except no-break spaces.
pub(super) fn is_isolated(bytes: &[u8], run: &Range<usize>) -> bool {
    let is_apart = |b: Option<&u8>| b.is_none_or(|b| b.is_ascii() || *b == 0xA0);
    is_apart(run.start.checked_sub(1).and_then(|at| bytes.get(at))) && is_apart(bytes.get(run.end))
}

/// Returns how many implausible characters UTF-8 avoids, and the number of letters in the run.
fn evidence(bytes: &[u8], run: &Range<usize>, charset: Charset) -> (usize, usize) {
    let before = bytes[..run.start]
        .iter()
        .rev()
        .take(CONTEXT_BYTES)
        .take_while(|b| b.is_ascii())
        .count();
    let after = bytes[run.end..]
        .iter()
        .take(CONTEXT_BYTES)
        .take_while(|b| b.is_ascii())
        .count();
    let window = &bytes[run.start - before..run.end + after];
    let Ok(text) = std::str::from_utf8(window) else {
        return (0, 0);
    };
    let own = || text.chars().filter(|c| !c.is_ascii());
    let letters = own().filter(|c| c.is_alphabetic()).count();
    // A single letter of another alphabet is implausible.
    if own().count() == 1 && own().any(|c| c.is_alphabetic() && c > '\u{24F}') {
        return (0, letters);
    }
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(window, &mut log);
    let faults = mojibake_score(&reading) + log.losses() as usize;
    (faults.saturating_sub(mojibake_score(text)), letters)
}

/// Returns true if nearly all high bytes belong to UTF-8 sequences.
pub(super) fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let others: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    others * MAX_OTHERS_SHARE <= detect::high_bytes(bytes).count()
}

/// Returns true if most high bytes of a single-byte charset are Latin letters.
fn is_latin(charset: Charset) -> bool {
    let upper: Vec<u8> = (0xC0..=0xFF).collect();
    let text = charset.decode(&upper, &mut LossLog::with_limit(0));
    text.chars()
        .filter(|c| matches!(c, '\u{C0}'..='\u{24F}'))
        .count()
        > upper.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(charset: &str, bytes: &[u8]) -> Option<Vec<String>> {
        let runs = Runs::find(bytes, Charset::for_name(charset).expect("known"))?;
        let text = |run: &Range<usize>| String::from_utf8_lossy(&bytes[run.clone()]).into_owned();
        Some(runs.ranges.iter().map(text).collect())
    }

    #[test]
    fn short_words_follow_their_line_and_their_text() {
        let line = [&b"\xCF\xF0\xE8\xE2\xE5\xF2\n"[..], "Клуб и я\n".as_bytes()].concat();
        assert_eq!(
            texts("windows-1251", &line),
            Some(["Клуб", "и", "я"].map(str::to_owned).to_vec())
        );
        let text = ["Я\nи\nПривет, как дела?\n".as_bytes(), b"a\x92b\n"].concat();
        for charset in ["windows-1252", "windows-1251", "ISO-8859-2"] {
            assert_eq!(
                texts(charset, &text).map(|runs| runs.len()),
                Some(5),
                "{charset}"
            );
        }
    }

    #[test]
    fn two_words_are_enough_if_they_are_plain() {
        let body = b"\xCF\xF0\xE8\xE2\xE5\xF2 \xE2\xF1\xE5\xEC\n";
        let footer = |text: &str| [&body[..], text.as_bytes()].concat();
        assert!(texts("windows-1251", &footer("Список рассылки\n")).is_some());
        assert!(texts("windows-1251", &footer("её\n")).is_none());
    }
}
