//! Selects the words of a text that say most about its charset: words with bytes above 7F, and some ASCII words for the language.
//!
//! # Limits
//! Loses the order of the words.

use super::rules::Rules;
use std::ops::Range;

/// Bytes of words with bytes above 7F that are taken first: what follows changes the decision rarely.
const FIRST: usize = 192;
/// Bytes of words that are taken besides because they have a byte that did not occur before.
const NEW: usize = 96;
/// Bytes of words that are taken besides because they have a new byte of 80 to BF. Where letters are above, charsets differ most there:
/// B6 is a letter in ISO-8859-7 and a pilcrow in windows-1253.
const SIGNS: usize = 64;
/// Bytes of 80 to BF that such a text has at most before these words.
const FEW_SIGNS: usize = 12;
/// Bytes of ASCII words that are taken.
const ASCII: usize = 160;
/// How far from the start of a text ASCII words are taken that are not beside a word with bytes above 7F.
const START: usize = 1 << 11;
/// Words whose neighbors are taken first: they tell the language better than the start of the text.
const NEIGHBORS: usize = 6;
/// How far such words, and words that did not occur before, are searched for.
const REACH: usize = 1 << 16;

/// Bytes that the candidate filter reads.
const HEAD: usize = 64;

/// A selection of whole words, separated by spaces. Each word occurs once, because repetition adds no information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) bytes: Vec<u8>,
    /// The last word is not whole.
    pub(super) is_cut: bool,
    /// Words of ASCII beside those words, and from the start of the text.
    pub(super) ascii: Vec<u8>,
    /// Words of letters beyond ASCII may list the letters of an alphabet.
    pub(super) may_have_lists: bool,
}

/// The sample of a text; all of it where it is short.
pub(super) fn sample(text: &[u8], rules: Rules) -> Sample {
    let has_ascii_apart = rules.has(Rules::ASCII_LANGUAGE);
    if text.len() <= FIRST && !rules.has(Rules::REPEATS_ONCE) {
        return Sample {
            bytes: text.to_vec(),
            ..Sample::default()
        };
    }
    let mut sample = Sample::default();
    let mut seen = [false; 256];
    let (mut words, mut places) = (Words::new(), Vec::new());
    let mut at = 0;
    seen[..0x80].fill(true);
    while let Some(word) = next_word(text, at) {
        at = word.end;
        let place = word.clone();
        let mut bytes = if has_ascii_apart {
            without_flanks(&text[word])
        } else {
            &text[word]
        };
        let full = sample.bytes.len() >= FIRST;
        let has_new = || bytes.iter().any(|b| !seen[usize::from(*b)]);
        if full && !has_new() || !words.insert(bytes) {
            if at > REACH {
                break;
            }
            if full {
                at = skip(text, at, &seen);
            }
            continue;
        }
        let room = if full {
            FIRST + NEW - sample.bytes.len()
        } else {
            FIRST
        };
        if bytes.len() > room {
            bytes = &bytes[..room];
            sample.is_cut = true;
        }
        for byte in bytes {
            seen[usize::from(*byte)] = true;
        }
        places.push(place);
        let is_last = sample.is_cut || sample.bytes.len() + bytes.len() + 1 >= FIRST + NEW;
        if is_last {
            add_signs(&mut sample.bytes, text, at, &mut seen);
        }
        sample.bytes.extend_from_slice(bytes);
        if is_last {
            break;
        }
        sample.bytes.push(b' ');
    }
    if has_ascii_apart {
        for place in places.iter().take(NEIGHBORS) {
            let (before, after) = around(text, place);
            fill(&mut sample.ascii, before, ASCII);
            fill(&mut sample.ascii, after, ASCII);
        }
        fill(&mut sample.ascii, &text[..text.len().min(START)], ASCII);
    } else if !sample.is_cut {
        fill(&mut sample.bytes, text, FIRST);
    }
    sample
}

/// Adds words from here on that have a byte of 80 to BF that was not seen, if few are.
fn add_signs(sample: &mut Vec<u8>, text: &[u8], from: usize, seen: &mut [bool; 256]) {
    let is_sign = |byte: u8| matches!(byte, 0x80..=0xBF);
    if (0x80..0xC0).filter(|sign| seen[*sign]).count() > FEW_SIGNS {
        return;
    }
    let most = sample.len() + SIGNS;
    let (mut at, end) = (from, text.len().min(REACH));
    while at < end {
        let block = &text[at..end.min(at + 32)];
        // Folded without a branch: such bytes are rare.
        let has_sign = block.iter().fold(false, |found, b| found | is_sign(*b));
        let is_new = |byte: &u8| is_sign(*byte) && !seen[usize::from(*byte)];
        let Some(new) = block.iter().position(is_new).filter(|_| has_sign) else {
            at += block.len();
            continue;
        };
        let before = &text[from..at + new];
        let start = before.iter().rposition(u8::is_ascii_whitespace);
        let start = start.map_or(from, |space| from + space + 1);
        let rest = &text[at + new..];
        let length = rest.iter().position(u8::is_ascii_whitespace);
        at += new + length.unwrap_or(rest.len());
        let word = without_flanks(&text[start..at]);
        if sample.len() + word.len() < most {
            for byte in word {
                seen[usize::from(*byte)] = true;
            }
            sample.extend_from_slice(word);
            sample.push(b' ');
        }
    }
}

/// The text around a word, in whole words.
fn around<'t>(text: &'t [u8], word: &Range<usize>) -> (&'t [u8], &'t [u8]) {
    /// Bytes on each side.
    const NEAR: usize = 40;
    let before = &text[word.start.saturating_sub(NEAR)..word.start];
    let from = if word.start <= NEAR {
        0
    } else {
        space(before).unwrap_or(before.len())
    };
    let after = &text[word.end..text.len().min(word.end + NEAR)];
    let to = if word.end + NEAR >= text.len() {
        after.len()
    } else {
        after.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0)
    };
    (&before[from..], &after[..to])
}

fn space(text: &[u8]) -> Option<usize> {
    text.iter().position(u8::is_ascii_whitespace)
}

/// Trims a word to the ASCII letters next to its bytes above 7F: `left">\xA0<font` gives `>\xA0<f`.
fn without_flanks(word: &[u8]) -> &[u8] {
    /// Bytes behind the last one above 7F that may belong to its character.
    const TRAIL: usize = 2;
    let is_high = |b: &u8| *b >= 0x80;
    let (Some(first), Some(last)) = (
        word.iter().position(is_high),
        word.iter().rposition(is_high),
    ) else {
        return word;
    };
    let start = word[..first]
        .iter()
        .rposition(|b| !b.is_ascii_alphabetic())
        .unwrap_or(0);
    let rest = word.get(last + TRAIL..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|b| !b.is_ascii_alphabetic())
        .map_or(word.len(), |n| last + TRAIL + n + 1);
    &word[start..end]
}

/// Some words, each once.
struct Words<'t> {
    taken: Vec<&'t [u8]>,
    /// For each hash the number of the last word that has it, from 1; 0 for none.
    slots: [u16; SLOTS],
    /// For each word the number of the one before it with the same hash.
    before: Vec<u16>,
}

/// A power of two, and more than a sample has words.
const SLOTS: usize = 256;

impl<'t> Words<'t> {
    fn new() -> Self {
        Self {
            taken: Vec::with_capacity(64),
            slots: [0; SLOTS],
            before: Vec::with_capacity(64),
        }
    }

    /// Adds a word; returns false if it is already there.
    fn insert(&mut self, word: &'t [u8]) -> bool {
        let hash = word.iter().fold(word.len(), |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(*byte))
        });
        let slot = &mut self.slots[(hash ^ hash >> 8) % SLOTS];
        let mut number = *slot;
        while let Some(known) = usize::from(number).checked_sub(1) {
            if self.taken[known] == word {
                return false;
            }
            number = self.before[known];
        }
        let Ok(count) = u16::try_from(self.taken.len() + 1) else {
            return false;
        };
        self.before.push(std::mem::replace(slot, count));
        self.taken.push(word);
        true
    }
}

/// Returns the start of the next word with a new byte, or of a word that is truncated within reach.
fn skip(text: &[u8], from: usize, seen: &[bool; 256]) -> usize {
    let near = &text[from..text.len().min(REACH).max(from)];
    let is_new = |b: &u8| !seen[usize::from(*b)];
    // Blocks are folded without a branch.
    let has_new = |block: &[u8]| block.iter().fold(false, |found, b| found | is_new(b));
    let start = near
        .chunks(32)
        .position(has_new)
        .map_or(near.len(), |nth| nth * 32);
    let new = near[start..]
        .iter()
        .position(is_new)
        .map_or(near.len(), |at| start + at);
    near[..new]
        .iter()
        .rposition(u8::is_ascii_whitespace)
        .map_or(from, |space| from + space + 1)
}

/// Adds words of ASCII from the start of the text: they show the language where telling ones are few.
fn fill(sample: &mut Vec<u8>, text: &[u8], most: usize) {
    let mut in_tag = false;
    let mut rest = text;
    while sample.len() + 1 < most {
        let start = rest
            .iter()
            .position(|b| !b.is_ascii_whitespace())
            .unwrap_or(rest.len());
        rest = &rest[start..];
        // One pass over the word: its end, whether it is ASCII, whether a tag opens and what the last bracket is.
        let (mut high, mut opens, mut last) = (0, false, None);
        let mut length = 0;
        for byte in rest {
            match byte {
                b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' => break,
                b'<' => (opens, last) = (true, Some(true)),
                b'>' => last = Some(false),
                _ => high |= byte,
            }
            length += 1;
        }
        if length == 0 {
            break;
        }
        let (word, behind) = rest.split_at(length);
        rest = behind;
        // Names of tags and their attributes are of no language.
        let is_markup = in_tag || opens;
        in_tag = last.unwrap_or(in_tag);
        if is_markup || high >= 0x80 {
            continue;
        }
        if sample.len() + word.len() >= most {
            break;
        }
        sample.extend_from_slice(word);
        sample.push(b' ');
    }
}

/// Selects words of a sample with bytes above 7F for a fast estimate: some for each such byte, then others. Words may be truncated.
pub(super) fn head(sample: &[u8]) -> Sample {
    let words = || {
        sample
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_ascii())
    };
    let mut head = Sample::default();
    let (mut bytes, mut taken) = ([false; 256], Words::new());
    for word in words() {
        let new = |b: &u8| *b >= 0x80 && !bytes[usize::from(*b)];
        if word.iter().any(new) && !head.is_full() {
            for byte in word {
                bytes[usize::from(*byte)] = true;
            }
            taken.insert(word);
            head.take(word);
        }
    }
    for word in words() {
        if !head.is_full() && taken.insert(word) {
            head.take(word);
        }
    }
    head
}

impl Sample {
    fn is_full(&self) -> bool {
        self.is_cut || self.bytes.len() >= HEAD - 1
    }

    /// Adds as much of a word as the candidate filter reads.
    fn take(&mut self, word: &[u8]) {
        let room = HEAD - self.bytes.len();
        self.is_cut = word.len() > room;
        self.bytes.extend_from_slice(&word[..word.len().min(room)]);
        if !self.is_full() {
            self.bytes.push(b' ');
        }
    }
}

/// The next word with a byte above 7F.
fn next_word(text: &[u8], from: usize) -> Option<Range<usize>> {
    // Whole blocks of ASCII are skipped fast.
    let block = text[from..]
        .chunks(64)
        .position(|block| !block.is_ascii())?
        * 64
        + from;
    let first = text[block..].iter().position(|b| *b >= 0x80)? + block;
    let start = text[from..first]
        .iter()
        .rposition(u8::is_ascii_whitespace)
        .map_or(from, |space| from + space + 1);
    let end = text[first..]
        .iter()
        .position(u8::is_ascii_whitespace)
        .map_or(text.len(), |space| first + space);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_rare_bytes_are_found() {
        let sample = |text: &[u8]| sample(text, Rules::ALL);
        assert_eq!(sample(b"caf\xE9").bytes, b"caf\xE9 ");
        let mut text = b"plain words and more ".repeat(40);
        text.extend_from_slice(&b"\xE9t\xE9 ".repeat(100));
        text.extend_from_slice(&b"plain ".repeat(1000));
        text.extend_from_slice(b"c\x9Cur and more");
        let found = sample(&text);
        assert!(!found.is_cut && found.bytes.len() < FIRST + NEW);
        assert_eq!(
            found.bytes,
            b"\xE9t\xE9 c\x9Cur ",
            "{}",
            found.bytes.escape_ascii()
        );
        assert!(
            found.ascii.starts_with(b"words and more plain "),
            "{}",
            found.ascii.escape_ascii()
        );
        let few = sample(&[b"plain ".repeat(100), b"caf\xE9".to_vec()].concat());
        assert_eq!(few.bytes, b"caf\xE9 ");
        assert!(few.ascii.starts_with(b"plain plain ") && few.ascii.len() < ASCII);
    }

    #[test]
    fn late_signs_are_found() {
        let letters: Vec<u8> = (0xC0..=0xFF).collect();
        let words: Vec<u8> = (0..200)
            .flat_map(|n| {
                [
                    letters[n % 64],
                    letters[n * 7 % 64],
                    letters[n * 5 % 64],
                    b' ',
                ]
            })
            .collect();
        let text = [&words[..], b"x \xB6\xED\xED\xE1 \xB6\xF1 y"].concat();
        let found = sample(&text, Rules::ALL);
        let is_sign = |byte: &&u8| **byte == 0xB6;
        let signs: Vec<_> = found.bytes.iter().filter(is_sign).collect();
        assert_eq!(signs.len(), 1, "{}", found.bytes.escape_ascii());
        // Other charsets have letters there.
        let (mut bytes, mut seen) = (Vec::new(), [false; 256]);
        seen[0x80..0x90].fill(true);
        add_signs(&mut bytes, b"\xB6\xED\xED\xE1 ", 0, &mut seen);
        assert_eq!(bytes, b"");
    }

    #[test]
    fn a_word_is_taken_once() {
        let mut words = Words::new();
        let mut known = std::collections::HashSet::new();
        let all: Vec<Vec<u8>> = (0..4_000_u32)
            .map(|nth| (nth % 1_500).pow(2).to_string().into_bytes())
            .collect();
        for word in &all {
            assert_eq!(words.insert(word), known.insert(word), "{word:?}");
        }
        assert_eq!(known.len(), 1_500);
    }

    #[test]
    fn a_long_word_is_cut() {
        let sample = |text: &[u8]| sample(text, Rules::ALL);
        let found = sample(&[0xA4; 5000]);
        assert_eq!((found.bytes.len(), found.is_cut), (FIRST, true));
        for length in 0..700 {
            let text: Vec<u8> = (0..length).map(|i| (i * 37 % 256) as u8).collect();
            assert!(sample(&text).bytes.len() <= FIRST + NEW + SIGNS + 1);
        }
    }
}
