//! Detects compressed files, archives and UTF-16 by the first [`BEGINNING`] bytes: the magic numbers of [`Packing`], and tar headers.
//!
//! # Limits
//! None.

use crate::mbox::looks_like_message;
use crate::packed::BEGINNING;
use crate::packing::Packing;

impl Packing {
    /// Detects the format of a file by its first [`BEGINNING`] bytes.
    pub(crate) fn of_file(start: &[u8]) -> Option<Self> {
        match Self::of(start) {
            None if has_tar_mark(start) => Some(Self::Tar),
            None if is_tar(start) && !looks_like_message(start) => Some(Self::Tar),
            packing => packing,
        }
    }
}

/// Returns true for the magic number of a tar header. Its NUL or blanks occur in no text. Any other byte of the header may be damaged.
fn has_tar_mark(start: &[u8]) -> bool {
    let mark = start.get(257..265).unwrap_or_default();
    mark.starts_with(b"ustar\0") || mark == b"ustar  \0"
}

/// Returns true for a tar header: its checksum field matches the sum of its bytes, with blanks in place of the field.
fn is_tar(start: &[u8]) -> bool {
    const SUM: std::ops::Range<usize> = 148..156;
    let Some(head) = start.first_chunk::<BEGINNING>() else {
        return false;
    };
    let digits = head[SUM]
        .trim_ascii_start()
        .iter()
        .take_while(|byte| matches!(byte, b'0'..=b'7'));
    let stored = digits.fold(0, |sum, digit| sum << 3 | u32::from(digit - b'0'));
    let blanks = SUM.len() as u32 * u32::from(b' ');
    let outside = |at: &usize| !SUM.contains(at);
    let sum: u32 = blanks
        + (0..BEGINNING)
            .filter(outside)
            .map(|at| u32::from(head[at]))
            .sum::<u32>();
    // Old programs summed signed bytes.
    let high = (0..BEGINNING)
        .filter(outside)
        .filter(|at| head[*at] > 0x7f)
        .count() as u32;
    head[0] != 0 && (stored == sum || stored == sum.wrapping_sub(high << 8))
}

/// Returns true if a file of an unsupported format may contain mail: UTF-16 text that looks like a message, and any compressed data.
pub(crate) fn may_be_mail(start: &[u8], packing: Packing) -> bool {
    // Every other byte of the text, which is enough to recognize ASCII.
    let plain = || -> Vec<u8> {
        start
            .iter()
            .copied()
            .filter(|byte| !matches!(byte, 0 | 0xfe | 0xff))
            .collect()
    };
    packing != Packing::Utf16 || looks_like_message(&plain())
}
