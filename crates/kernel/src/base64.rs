//! The base64 alphabet (RFC 4648, section 4), and a loop for lines of base64.
//!
//! # Limits
//! [`append_lines`] is the fast part of a decoder: it knows neither padding nor damage, and has no portable loop.

pub use super::portable::base64::{NOT_A_DIGIT, VALUES, digit, values};

/// Decodes the base64 at the start of `text`, appends it to `out`, and returns the number of bytes of `text` read.
///
/// It reads lines as long as the first, with the same line ends, then the complete quanta of the line that follows them.
/// It stops behind a quantum or a line end, where anything else begins. The caller decodes the rest.
/// It reads nothing on a machine without AVX2.
///
/// ```
/// use mailglot_kernel::base64;
///
/// let mut out = Vec::new();
/// let read = base64::append_lines(b"Zm9vYmFy!", &mut out);
/// assert!((read, &out[..]) == (8, b"foobar") || (read, &out[..]) == (0, b""));
/// ```
pub fn append_lines(text: &[u8], out: &mut Vec<u8>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::lines(text, out) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (text, out);
    0
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::portable::base64::first_line;

    /// Characters in the lines that are read many at a time.
    const WIDTHS: [usize; 4] = [76, 72, 64, 60];

    /// The safe twin.
    fn twin(text: &[u8], out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        if let Some((width, end)) = first_line(text).filter(|(width, _)| WIDTHS.contains(width)) {
            let first_end = &text[width..width + end];
            for line in text.chunks_exact(width + end) {
                if &line[width..] != first_end || digits(line) < width {
                    break;
                }
                quanta(&line[..width], out);
                at += line.len();
            }
        }
        let rest = digits(&text[at..]) / 4 * 4;
        quanta(&text[at..at + rest], out);
        at + rest
    }

    fn digits(text: &[u8]) -> usize {
        text.iter()
            .take_while(|b| VALUES[usize::from(**b)] != NOT_A_DIGIT)
            .count()
    }

    fn quanta(digits: &[u8], out: &mut Vec<u8>) {
        for quantum in digits.chunks_exact(4) {
            let bits = quantum.iter().fold(0_u32, |bits, digit| {
                bits << 6 | u32::from(VALUES[usize::from(*digit)])
            });
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
        }
    }

    fn assert_alike(text: &[u8]) {
        let (mut fast, mut slow) = (b"x".to_vec(), b"x".to_vec());
        let read = append_lines(text, &mut fast);
        if super::super::avx2::is_here() {
            assert_eq!(read, twin(text, &mut slow), "{}", text.escape_ascii());
            assert_eq!(fast, slow, "{}", text.escape_ascii());
        } else {
            assert_eq!((read, fast), (0, slow));
        }
    }

    /// Digits without a pattern, the same each time.
    fn some_digits(count: usize) -> Vec<u8> {
        let digits: Vec<u8> = (0..=255)
            .filter(|b| VALUES[usize::from(*b)] != NOT_A_DIGIT)
            .collect();
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 26) as usize
        };
        (0..count).map(|_| digits[next()]).collect()
    }

    fn in_lines(digits: &[u8], width: usize, end: &[u8]) -> Vec<u8> {
        digits
            .chunks(width)
            .flat_map(|line| [line, end].concat())
            .collect()
    }

    #[test]
    fn all_widths_and_line_ends_at_every_length_and_alignment() {
        let digits = some_digits(400);
        for width in (1..=100).chain([128, 399]) {
            for end in [&b"\r\n"[..], b"\n", b"\r", b"\r\r\n", b" \n"] {
                let text = in_lines(&digits, width, end);
                for length in 0..text.len() {
                    assert_alike(&text[..length]);
                }
                for start in 0..64 {
                    assert_alike(&text[start..]);
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        let digits = some_digits(250);
        for (width, end) in [
            (76, &b"\r\n"[..]),
            (72, b"\n"),
            (64, b"\r\n"),
            (60, b"\n"),
            (250, b""),
        ] {
            let mut text = in_lines(&digits, width, end);
            for place in 0..text.len() {
                let kept = text[place];
                for byte in 0..=255 {
                    text[place] = byte;
                    assert_alike(&text);
                }
                text[place] = kept;
            }
        }
    }

    #[test]
    fn every_pair_of_digits_in_a_quantum() {
        let digits: Vec<u8> = (0..=255)
            .filter(|b| VALUES[usize::from(*b)] != NOT_A_DIGIT)
            .collect();
        for one in &digits {
            for other in &digits {
                for quantum in [
                    [*one, *other, b'A', b'/'],
                    [b'/', *one, *other, b'A'],
                    [b'A', b'/', *one, *other],
                ] {
                    assert_alike(&quantum.repeat(9));
                }
            }
        }
    }

    #[test]
    fn lines_that_change() {
        let digits = some_digits(1000);
        for first in WIDTHS {
            for second in [first, 76, 60, 4, 3, 31, 32, 33, 200] {
                for ends in [[&b"\r\n"[..], b"\r\n"], [b"\r\n", b"\n"], [b"\n", b"\r\n"]] {
                    let mut text = in_lines(&digits[..first * 3], first, ends[0]);
                    text.extend(in_lines(&digits[first * 3..], second, ends[1]));
                    assert_alike(&text);
                }
            }
        }
    }
}
