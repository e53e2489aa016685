//! Tells the form of a file by its first bytes, and mail from what looks like it.
//!
//! # Limits
//! None.

use crate::mbox::looks_like_message;
use crate::packed::BEGINNING;
use crate::packing::Packing;

impl Packing {
    /// What a file is, by its beginning; [`BEGINNING`] bytes of it are enough.
    pub(crate) fn of_file(start: &[u8]) -> Option<Self> {
        match Self::of(start) {
            None if start.starts_with(b"BABYL OPTIONS:") => Some(Self::Babyl),
            None if is_tar(start) && !looks_like_message(start) => Some(Self::Tar),
            packing => packing,
        }
    }
}

/// A head of tar: the sum of its bytes stands in it, with blanks in its place.
fn is_tar(start: &[u8]) -> bool {
    const SUM: std::ops::Range<usize> = 148..156;
    let Some(head) = start.first_chunk::<BEGINNING>() else {
        return false;
    };
    let digits = head[SUM]
        .trim_ascii_start()
        .iter()
        .take_while(|byte| matches!(byte, b'0'..=b'7'));
    let told = digits.fold(0, |sum, digit| sum << 3 | u32::from(digit - b'0'));
    let blanks = SUM.len() as u32 * u32::from(b' ');
    let outside = |at: &usize| !SUM.contains(at);
    let sum: u32 = blanks
        + (0..BEGINNING)
            .filter(outside)
            .map(|at| u32::from(head[at]))
            .sum::<u32>();
    // Old programs added bytes with signs.
    let high = (0..BEGINNING)
        .filter(outside)
        .filter(|at| head[*at] > 0x7f)
        .count() as u32;
    head[0] != 0 && (told == sum || told == sum.wrapping_sub(high << 8))
}

/// True when a file that is not read may hold mail, by its beginning. Of text in UTF-16 that is known, of anything compressed it is not.
pub(crate) fn may_be_mail(start: &[u8], packing: Packing) -> bool {
    // The text without every other byte: enough to know ASCII by.
    let plain = || -> Vec<u8> {
        start
            .iter()
            .copied()
            .filter(|byte| !matches!(byte, 0 | 0xfe | 0xff))
            .collect()
    };
    packing != Packing::Utf16 || looks_like_message(&plain())
}
