//! Classifies the 256 characters of each single-byte charset once.
//!
//! # Limits
//! The tables of the candidates are generated; [`DetectionPage::packed`] makes them.

use super::classed_char::{CASE, ClassedChar, NEVER_WITHIN, text_hash};
use super::models::{Models, SIGN, SPACE};
use super::signs::Beside;
use crate::charset::Charset;
use crate::decoder;
use crate::detect::script_group::ScriptGroup;
use crate::mode::Mode;

/// Cost of a sign of [`NEVER_WITHIN`] between letters: it makes any text odd.
const WITHIN: u32 = 1 << 20;

/// The 256 bytes of a single-byte charset, as detection classifies them.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetectionPage {
    script: ScriptGroup,
    /// [`ClassedChar::bytes`] of each byte.
    classed: &'static [[u8; 4]; 256],
    /// [`Bound::bytes`] of each byte.
    bounds: &'static [[u8; 4]; 256],
    /// Code points, little-endian.
    chars: &'static [[u8; 2]; 256],
}

/// Minimum cost of a byte in any place.
#[derive(Clone, Copy, Debug)]
struct Bound {
    class: u8,
    /// The class before the next byte.
    end: u8,
    /// Cost beyond the classes.
    extra: u8,
    /// Minimum cost behind the same byte: in a run of signs all except the first cost little.
    again: u8,
}

impl Bound {
    fn bytes(self) -> [u8; 4] {
        [self.class, self.end, self.extra, self.again]
    }
}

/// The least that the beginning of a sample may cost in a charset, whatever the language.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeastCost {
    pub(super) total: u32,
    /// Number of bytes that are counted.
    at: usize,
    /// The class before the next byte, and the byte itself.
    class: u8,
    byte: u8,
}

impl LeastCost {
    /// Returns the cost of no bytes, beside another cost.
    pub(super) fn from(total: u32) -> Self {
        Self {
            total,
            at: 0,
            class: SPACE,
            byte: 0,
        }
    }
}

impl DetectionPage {
    /// Bytes of a page in the generated file: classified characters, bounds and code points.
    pub(super) const PACKED: usize = (4 + 4 + 2) * 256;

    pub(super) const EMPTY: Self = Self::of_packed(ScriptGroup::Latin, &[0; Self::PACKED]);

    /// The page with these bytes, which [`DetectionPage::packed`] made.
    pub(super) const fn of_packed(
        script: ScriptGroup,
        packed: &'static [u8; Self::PACKED],
    ) -> Self {
        let (classed, rest) = packed.split_at(4 * 256);
        let (bounds, chars) = rest.split_at(4 * 256);
        let (Some(classed), Some(bounds), Some(chars)) = (
            classed.as_chunks().0.as_array(),
            bounds.as_chunks().0.as_array(),
            chars.as_chunks().0.as_array(),
        ) else {
            unreachable!()
        };
        Self {
            script,
            classed,
            bounds,
            chars,
        }
    }

    /// Makes the page of a charset whose letters are of a script.
    pub(super) fn packed(charset: Charset, script: ScriptGroup) -> [u8; Self::PACKED] {
        let table = decoder::table(charset.superset(), Mode::Lenient);
        let chars: [char; 256] = std::array::from_fn(|byte| {
            let c = table.cell(byte as u8).char();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        let classed = chars.map(|c| ClassedChar::of(c, script));
        let bound = |byte: usize| {
            let (one, c) = (classed[byte], chars[byte]);
            let is_only =
                one.class == SIGN && !chars[..byte].contains(&c) && !chars[byte + 1..].contains(&c);
            let extra = one.least(c, is_only);
            Bound {
                class: one.class,
                end: one.end(),
                extra,
                again: one.least(c, false),
            }
        };
        let mut packed = [0; Self::PACKED];
        let (of_classed, rest) = packed.split_at_mut(4 * 256);
        let (of_bounds, of_chars) = rest.split_at_mut(4 * 256);
        for byte in 0..256 {
            of_classed.as_chunks_mut().0[byte] = classed[byte].bytes();
            of_bounds.as_chunks_mut().0[byte] = bound(byte).bytes();
            // No page has a character beyond the basic plane.
            of_chars.as_chunks_mut().0[byte] = (chars[byte] as u16).to_le_bytes();
        }
        packed
    }

    pub(super) fn script(&self) -> ScriptGroup {
        self.script
    }

    #[inline]
    pub(super) fn classed(&self, byte: u8) -> ClassedChar {
        ClassedChar::of_bytes(self.classed[usize::from(byte)])
    }

    /// Returns the kind of a byte as a neighbor of a sign.
    pub(super) fn beside(&self, byte: u8) -> Beside {
        self.classed(byte).beside(self.character(byte), self.script)
    }

    /// Adds to `bound` the least that the rest of the sample may cost in a language of the script. Ends early where the total is above
    /// `most`. Fast, since it excludes most charsets.
    pub(super) fn extend_bound(&self, bound: &mut LeastCost, sample: &[u8], most: u32) {
        let Some(floor) = Models::get().floor(self.script) else {
            return;
        };
        let LeastCost {
            mut total,
            mut at,
            mut class,
            mut byte,
        } = *bound;
        for run in sample[at..].chunks(8) {
            for next in run {
                let [next_class, next_end, extra, again] = self.bounds[usize::from(*next)];
                total += u32::from(if *next == byte { again } else { extra });
                total += floor.bound(class, next_class);
                (class, byte) = (next_end, *next);
            }
            at += run.len();
            if total > most {
                break;
            }
        }
        *bound = LeastCost {
            total,
            at,
            class,
            byte,
        };
    }

    /// Returns the minimum cost of the byte above 7F by its neighbors, in sixteenths of a nat, and the number of pairs. A sign beside itself, as in
    /// lines, costs nothing. A sign within a word costs the maximum. `floor` gives the cost of a class behind another.
    pub(super) fn pairs(
        &self,
        floor: impl Fn(u8, u8) -> u32,
        cases: [[u8; 2]; 4],
        [last, byte, next]: [u8; 3],
    ) -> (u32, u32) {
        let [before, here, after] = [last, byte, next].map(|byte| self.classed(byte));
        let (mut cost, mut pairs) = (0, 0);
        if here.flags & NEVER_WITHIN != 0 && before.is_letter() && after.is_letter() {
            return (WITHIN, 1);
        }
        // Among ASCII, and among Latin letters, signs stand beside anything.
        let tells =
            here.is_letter() || self.script != ScriptGroup::Latin && last >= 0x80 && last != byte;
        if tells {
            let case = usize::from(here.flags & CASE);
            cost += floor(before.end(), here.class) + u32::from(here.extra);
            if case > 0 {
                cost += u32::from(cases[usize::from(before.flags & CASE)][case - 1]);
            }
            pairs += 1;
        }
        // What stands above 7F itself counts the pair when it is its turn.
        if next < 0x80
            && (here.is_letter() || after.is_letter() && self.script != ScriptGroup::Latin)
        {
            cost += floor(here.end(), after.class);
            pairs += 1;
        }
        (cost, pairs)
    }

    /// Returns true if a byte is a letter.
    pub(super) fn is_letter(&self, byte: u8) -> bool {
        self.classed(byte).is_letter()
    }

    /// Returns the character of a byte.
    pub(super) fn character(&self, byte: u8) -> char {
        let code = u16::from_le_bytes(self.chars[usize::from(byte)]);
        char::from_u32(code.into()).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Returns a hash of the characters of some bytes. That of all different bytes of a sample is equal for charsets that decode it alike.
    pub(super) fn text(&self, bytes: &[u8]) -> u64 {
        text_hash(bytes.iter().map(|byte| self.character(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::candidates;
    use super::*;
    use crate::loss::LossLog;

    #[test]
    fn generated_pages_are_those_of_their_charsets() {
        let made = super::super::pages();
        let (pages, rest) = made.as_chunks::<{ DetectionPage::PACKED }>();
        assert!(rest.is_empty());
        let candidates = candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte);
        for (candidate, made) in candidates.zip(pages) {
            let page = candidate.page();
            let bytes = [
                page.classed.as_flattened(),
                page.bounds.as_flattened(),
                page.chars.as_flattened(),
            ];
            assert!(
                bytes.concat() == *made,
                "{}: run `cargo xtask generate`",
                candidate.charset
            );
        }
    }

    #[test]
    fn pages_hold_what_each_byte_is_alone() {
        let all = candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte);
        for candidate in all {
            for byte in 0..=255_u8 {
                let mut log = LossLog::new();
                let bytes = [byte];
                let text = candidate.charset.decode(&bytes, &mut log);
                let first = text.chars().next().filter(|_| log.losses() == 0);
                let expected = first.unwrap_or(char::REPLACEMENT_CHARACTER);
                assert_eq!(
                    candidate.page().character(byte),
                    expected,
                    "{} {byte:02X}",
                    candidate.charset
                );
            }
        }
    }

    /// The early end of the sum changes no answer: neither at the sum itself nor just below it, wherever the text ends.
    #[test]
    fn the_bound_of_a_page_is_its_least_cost() {
        let text: Vec<u8> = (0..70_u8)
            .map(|at| {
                if at % 3 == 0 {
                    b'a' + at % 26
                } else {
                    at.wrapping_mul(37)
                }
            })
            .collect();
        let mut pages = 0;
        for candidate in candidates()
            .iter()
            .filter(|candidate| candidate.is_single_byte)
        {
            let page = candidate.page();
            let Some(floor) = Models::get().floor(page.script) else {
                continue;
            };
            let (mut last, mut before, mut least) = (SPACE, 0, 0);
            for (at, byte) in text.iter().enumerate() {
                let [class, end, extra, again] = page.bounds[usize::from(*byte)];
                let extra = if *byte == before { again } else { extra };
                least += u32::from(extra) + floor.bound(last, class);
                (last, before) = (end, *byte);
                let sample = &text[..=at];
                let bound = |start: usize, most| {
                    let mut bound = LeastCost::from(0);
                    page.extend_bound(&mut bound, &sample[..start], u32::MAX);
                    page.extend_bound(&mut bound, sample, most);
                    bound.total
                };
                for start in [0, 5, 16] {
                    let start = start.min(sample.len());
                    for most in [least, u32::MAX] {
                        assert_eq!(bound(start, most), least, "{} {at}", candidate.charset);
                    }
                    assert!(
                        least == 0 || bound(start, least - 1) >= least,
                        "{} {at}",
                        candidate.charset
                    );
                }
            }
            pages += 1;
        }
        assert!(pages > 30);
    }
}
