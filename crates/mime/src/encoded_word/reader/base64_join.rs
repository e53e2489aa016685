//! Joins the base64 of adjacent words that a mailer cut within quanta.
//!
//! # Limits
//!
//! Joins words of one run and one charset only, and only if the whole is well-formed base64.

use super::{DecodedWord, Reader, same_charset};
use crate::encoded_word::payload::{self, PayloadDamage, Sextets};
use crate::lexer::Letter;
use crate::unlogged::count_losses;
use mailglot_codec::Charset;
use std::ops::Range;

impl Reader<'_> {
    /// Joins the base64 of adjacent words that were cut within quanta, if only the whole is well-formed and loses less.
    pub(super) fn rejoin_base64(&mut self) {
        let is_cut = |word: &DecodedWord| {
            word.word.letter == Letter::B && (word.damage.padding || word.damage.dropped)
        };
        if self.words.len() < 2 || !self.words.iter().any(is_cut) {
            return;
        }
        let mut joined: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        for run in self.segments.iter().map(|segment| segment.words.clone()) {
            let mut first = run.start;
            while first < run.end {
                let one = &self.words[first];
                let goes_on = |word: &&DecodedWord| {
                    word.word.letter == Letter::B && same_charset(word.charset, one.charset)
                };
                let count = self.words[first..run.end]
                    .iter()
                    .take_while(goes_on)
                    .count();
                let group = &self.words[first..first + count];
                if count > 1
                    && group.iter().any(is_cut)
                    && let Some(bytes) = self.whole(group)
                {
                    joined.push((first..first + count, bytes));
                }
                first += count.max(1);
            }
        }
        if joined.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() + 2 * self.words.len());
        let mut groups = joined.into_iter().peekable();
        let mut index = 0;
        while index < self.words.len() {
            let Some((group, whole)) = groups.next_if(|(group, _)| group.start == index) else {
                let own = self.words[index].bytes.clone();
                let start = bytes.len();
                bytes.extend_from_slice(&self.bytes[own]);
                self.words[index].bytes = start..bytes.len();
                index += 1;
                continue;
            };
            let (start, mut sextets) = (bytes.len(), 0);
            bytes.extend_from_slice(&whole);
            let mut from = start;
            for word in &mut self.words[group.clone()] {
                let payload = &self.value[word.word.payload.clone()];
                sextets += payload.iter().filter(|byte| **byte != b'=').count();
                let end = start + sextets * 3 / 4;
                // Other readers see the cut.
                word.damage = PayloadDamage {
                    padding: !payload.len().is_multiple_of(4),
                    ..PayloadDamage::default()
                };
                word.bytes = from..end;
                word.left = Sextets::default();
                from = end;
            }
            index = group.end;
        }
        self.bytes = bytes;
    }

    /// Decodes words as one piece of base64. Returns None unless it is well-formed and loses less than the words alone.
    fn whole(&self, group: &[DecodedWord]) -> Option<Vec<u8>> {
        let payloads: Vec<u8> = group
            .iter()
            .flat_map(|word| self.value[word.word.payload.clone()].iter().copied())
            .collect();
        let mut bytes = Vec::new();
        if !payload::decode_strict(&payloads, &mut bytes) {
            return None;
        }
        let charset = group[0]
            .charset
            .filter(|c| *c != Charset::US_ASCII)
            .unwrap_or(Charset::UTF_8);
        let losses = |bytes: &[u8]| count_losses(charset, bytes);
        let dropped = group.iter().filter(|word| word.damage.dropped).count() as u64;
        let apart = &self.bytes[group[0].bytes.start..group[group.len() - 1].bytes.end];
        (losses(&bytes) < losses(apart) + dropped).then_some(bytes)
    }
}
