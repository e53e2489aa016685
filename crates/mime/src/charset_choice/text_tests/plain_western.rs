//! Recognizes in one pass the text under a label of Latin-1 that needs no other test, as nearly all has none.
//!
//! # Limits
//! Returns false for much right text, too: [`crate::charset_choice::labels::label_plausibility`] and [`super::few_bytes`] have the complete tests.

use super::neighbor_bytes::byte_or_blank;
use super::western_letters::{are_oddly_adjacent, is_latin_1};
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, MAX_HIGH_BYTES, WINDOW, high_bytes};

/// Number of different letters that foreign words in English do not have.
const MANY: u32 = 5;

/// Letters from C0 to FF; bit 0 stands for C0.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    /// `õ`, `û`, and letters that only Icelandic has: `ð`, `ý`, `þ`. Large ones, too.
    const UNUSUAL: Self = Self::in_both_cases(b"\xF5\xFB\xF0\xFD\xFE");
    /// The letters of `few_bytes::has_odd_letters`.
    const RARE: Self = Self::in_both_cases(b"\xE3\xE6\xEC\xF0\xF2\xF5\xF8\xF9\xFB\xFD\xFE\xFF");

    /// Makes a set of small letters and the ones 20 before them.
    const fn in_both_cases(small: &[u8]) -> Self {
        let (mut set, mut at) = (0, 0);
        while at < small.len() {
            set |= 1 << (small[at] - 0xC0) | 1 << (small[at] - 0xE0);
            at += 1;
        }
        Self(set)
    }

    fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    fn count(self) -> u32 {
        self.0.count_ones()
    }
}

/// Returns true if the bytes above 7F fit a label of Latin-1: letters of Western Europe with neighbors that its languages have, quotation
/// marks, dashes.
pub(crate) fn is_plain_western(label: Charset, bytes: &[u8]) -> bool {
    if !is_latin_1(label) {
        return false;
    }
    let Some(first) = high_bytes(bytes).next() else {
        return false;
    };
    let window_end = bytes.len().min(first + WINDOW);
    let (mut letters, mut has_low_quote) = (Letters(0), false);
    let (mut high, mut side_by_side) = (0, 0);
    for at in high_bytes(bytes).take(MAX_HIGH_BYTES) {
        let last = byte_or_blank(bytes, at.checked_sub(1));
        let next = byte_or_blank(bytes, Some(at + 1));
        match bytes[at] {
            letter @ 0xC0.. => letters.0 |= 1 << (letter - 0xC0),
            // … ‘ ’ – — NBSP « SHY ° ´ · »: they may stand within words.
            0x85 | 0x91 | 0x92 | 0x96 | 0x97 | 0xA0 | 0xAB | 0xAD | 0xB0 | 0xB4 | 0xB7 | 0xBB => {}
            // € „ “ ”
            0x80 | 0x84 | 0x93 | 0x94 if ends_word(last) || ends_word(next) => {
                has_low_quote |= bytes[at] == 0x84;
            }
            _ => return false,
        }
        if at < window_end {
            let next = if at + 1 < window_end { next } else { b' ' };
            high += 1;
            side_by_side += u32::from(
                are_oddly_adjacent(last, bytes[at]) || are_oddly_adjacent(bytes[at], next),
            );
        }
    }
    let is_unusual = letters.has_any(Letters::UNUSUAL) || side_by_side * 2 > high;
    // The other tests count `„` as a letter.
    let needs_costs = letters.count() + u32::from(has_low_quote) >= MANY
        || letters.count() > 1 && letters.has_any(Letters::RARE);
    let is_odd = || needs_costs && detect::is_odd(bytes, label);
    !is_unusual && !is_odd()
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphabetic()
}
