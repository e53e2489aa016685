//! Finds labels in the table of `data/labels.tsv`, ignoring case.
//!
//! A hash table has the labels of at most 16 bytes, which nearly all are. Longer ones are searched in the sorted table.
//!
//! # Limits
//! Repairs nothing.

use super::resolved::Resolved;
use super::row::{LabelRow, Means, Source, answer_of};
use crate::generated::labels::LABELS;
use crate::string_table::{StringTable, column, total_len};

/// Returns the answer of a label in the table.
pub(super) fn answer(label: &[u8]) -> Option<Resolved> {
    place(label).map(answer_at)
}

/// Returns the answer of a row.
pub(super) fn answer_at(row: usize) -> Resolved {
    ANSWERS[row].resolved
}

/// Returns the number of the row of a label.
pub(super) fn place(label: &[u8]) -> Option<usize> {
    if let Some(number) = packed(label) {
        return Slot::find(number);
    }
    let lower = || label.iter().map(u8::to_ascii_lowercase);
    NAMES.find(|known| known.iter().copied().cmp(lower()))
}

/// See [`Charset::for_label_before`].
#[inline]
pub(super) fn before(mark: u8, text: &[u8]) -> Option<(usize, Resolved)> {
    const ONES: u128 = u128::MAX / 0xFF;
    let number = u128::from_le_bytes(*text.first_chunk()?);
    // The lowest bit that is set is that of the first byte that is the mark.
    let other = number ^ (ONES * u128::from(mark));
    let marks = other.wrapping_sub(ONES) & !other & (ONES * 0x80);
    let len = marks.trailing_zeros() as usize / 8;
    let label = number & !u128::MAX.checked_shl(8 * len as u32)?;
    let lower = label.to_le_bytes().map(|byte| byte.to_ascii_lowercase());
    let slot = &ANSWERS[Slot::find(u128::from_le_bytes(lower))?];
    // NUL at the end does not show in the number.
    (slot.is_name && slot.len() == len).then_some((len, slot.resolved))
}

/// A label of at most 16 bytes, and its answer.
struct Slot {
    /// See [`packed`]; 0 for other labels.
    number: u128,
    resolved: Resolved,
    /// It has letters, digits and the usual signs only.
    is_name: bool,
}

/// The number of slots of the hash table, a power of two.
const SLOTS: usize = LABELS.len().next_power_of_two() * 2;
/// A slot without a row.
const VACANT: u16 = u16::MAX;

/// The labels of the rows of `LABELS`, in lower case and sorted.
pub(super) static NAMES: StringTable<{ LABELS.len() }, { total_len(&LABEL_TEXTS) }> =
    StringTable::new(&LABEL_TEXTS);

static LABEL_TEXTS: [&str; LABELS.len()] = column!(LABELS, 0, "");

/// The meanings of these rows.
pub(super) static MEANINGS: [Means; LABELS.len()] = column!(LABELS, 1, Means::Nothing);

/// The sources of these rows.
pub(super) static SOURCES: [Source; LABELS.len()] = column!(LABELS, 2, Source::Mail);

/// The answers for these rows.
static ANSWERS: [Slot; LABELS.len()] = {
    let mut answers = [const {
        Slot {
            number: 0,
            resolved: Resolved::Unknown,
            is_name: false,
        }
    }; LABELS.len()];
    let mut row = 0;
    while row < LABELS.len() {
        answers[row] = Slot::new(&LABELS[row]);
        row += 1;
    }
    answers
};

/// The rows of those answers by their numbers.
static SHORT: [u16; SLOTS] = {
    let mut slots = [VACANT; SLOTS];
    let mut row = 0;
    while row < LABELS.len() {
        let number = ANSWERS[row].number;
        if number != 0 {
            let mut at = Slot::first(number);
            while slots[at] != VACANT {
                at = (at + 1) % SLOTS;
            }
            slots[at] = row as u16;
        }
        row += 1;
    }
    slots
};

impl Slot {
    /// Returns the slot of a label, or the slot behind it.
    #[inline]
    const fn first(number: u128) -> usize {
        let mixed = (number as u64 ^ ((number >> 64) as u64).rotate_left(23))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - SLOTS.ilog2())) as usize
    }

    /// Returns the row of a label by its number.
    #[inline]
    fn find(number: u128) -> Option<usize> {
        let mut at = Self::first(number);
        loop {
            let row = usize::from(SHORT[at % SLOTS]);
            if ANSWERS.get(row)?.number == number {
                return Some(row);
            }
            at += 1;
        }
    }

    const fn new(row: &'static LabelRow) -> Self {
        let label = row.0.as_bytes();
        let (mut number, mut is_name, mut at) = (0, true, 0);
        while at < label.len() {
            is_name &= is_of_name(label[at]);
            if at < 16 {
                number |= (label[at].to_ascii_lowercase() as u128) << (8 * at);
            }
            at += 1;
        }
        Self {
            number: if label.len() <= 16 { number } else { 0 },
            resolved: answer_of(row),
            is_name,
        }
    }

    fn len(&self) -> usize {
        (u128::BITS - self.number.leading_zeros()).div_ceil(8) as usize
    }
}

/// Returns true for bytes that occur in names of charsets.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'+')
}

/// Returns a label of 1 to 16 bytes as a number, in lower case. `None` for other lengths and labels with NUL.
fn packed(label: &[u8]) -> Option<u128> {
    /// Bytes by which two pieces of a label overlap are the same in both.
    fn ends<const N: usize>(label: &[u8]) -> Option<([u8; N], [u8; N])> {
        Some((*label.first_chunk()?, *label.last_chunk()?))
    }
    let behind = |len: usize| 8 * (label.len() - len);
    let number = match label.len() {
        8..=16 => {
            let (first, last) = ends::<8>(label)?;
            u128::from(u64::from_le_bytes(first))
                | u128::from(u64::from_le_bytes(last)) << behind(8)
        }
        4..8 => {
            let (first, last) = ends::<4>(label)?;
            u128::from(u32::from_le_bytes(first))
                | u128::from(u32::from_le_bytes(last)) << behind(4)
        }
        1..4 => label
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u128::from(*byte)),
        _ => return None,
    };
    // A zero byte borrows from its highest bit. No zero byte behind the label counts.
    let behind = u128::MAX.checked_shl(8 * label.len() as u32).unwrap_or(0);
    let filled = number | behind;
    let has_nul = filled.wrapping_sub(u128::MAX / 0xFF) & !filled & (u128::MAX / 0xFF * 0x80) != 0;
    let lower = number.to_le_bytes().map(|byte| byte.to_ascii_lowercase());
    (!has_nul).then(|| u128::from_le_bytes(lower))
}
