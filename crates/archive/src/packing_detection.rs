//! Detects compressed files, archives, dbox and UTF-16 by the first [`BEGINNING`] bytes: the magic numbers of [`Packing`], tar headers, and
//! headers of dbox files.
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
            None if is_dbox(start) => Some(Self::Dbox),
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

/// Returns true for a dbox file of Dovecot.
///
/// Its first line has a version and hexadecimal values, such as `2 M1e C4b3c2a11`. `M` is the size of the header of each message. The bytes 01
/// and 02 of the first message follow, or the file ends. The first line of `dovecot-uidlist` has no `M`: `3 V1275660208 N1`.
fn is_dbox(start: &[u8]) -> bool {
    let Some(end) = start.iter().position(|byte| *byte == b'\n') else {
        return false;
    };
    let (line, rest) = (&start[..end], &start[end + 1..]);
    let is_value = |word: &[u8]| matches!(word, [b'A'..=b'Z', value @ ..] if is_hex(value));
    let mut words = line.split(|byte| *byte == b' ');
    words.next().is_some_and(is_hex)
        && words.clone().count() > 1
        && words.clone().any(|word| word.starts_with(b"M"))
        && words.all(is_value)
        && (rest.is_empty() || rest.starts_with(b"\x01\x02"))
}

fn is_hex(text: &[u8]) -> bool {
    (1..=16).contains(&text.len()) && text.iter().all(u8::is_ascii_hexdigit)
}

/// Returns true if a file of an unsupported format may contain mail. UTF-16 text must look like a message; every other format may.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dbox_files_are_detected_by_their_header() {
        for start in [
            &b"2 M1e C4b3c2a11\n\x01\x02N   0000000000000139\nFrom: a@example.org\n"[..],
            b"2 M1e C4b3c2a11\n\x01\x02N 00000000000000015A\nFrom: a@example.org\n",
            b"2 M1e C4b3c2a11\n",
        ] {
            assert_eq!(Packing::of_file(start), Some(Packing::Dbox));
        }
        for start in [
            &b"2 M1e C4b3c2a11"[..],
            b"2 M1e C4b3c2a11\nFrom: a@example.org\n\nwords\n",
            b"2 M1e\n\x01\x02",
            b"3 V1275660208 N1\n",
            b"2 May C4b3c2a11\n\x01\x02",
            b"2 m1e c4b3c2a11\n\x01\x02",
            b"M1e C4b3c2a11\n\x01\x02",
            b"\n2 M1e C4b3c2a11\n\x01\x02",
            b"\x01\x01\x01\x01\nFrom: a@example.org\n",
        ] {
            assert_eq!(Packing::of_file(start), None, "{}", start.escape_ascii());
        }
    }
}
