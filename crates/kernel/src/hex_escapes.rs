//! Decodes `=` and two hexadecimal digits to a byte, and copies all other bytes.
//!
//! # Limits
//! Decoding stops at a `=` without two digits; the caller handles it.

use super::portable::hex_escapes::{HEX, portable_escapes};

pub use super::portable::hex_escapes::SLACK;

/// Returns the value of a hexadecimal digit in either case.
#[inline]
pub fn digit_value(byte: u8) -> Option<u8> {
    let value = HEX[usize::from(byte)];
    (value < 16).then_some(value)
}

/// Decodes `input` into `out` up to the first `=` without two hexadecimal digits behind it, or to the end. Returns the numbers of bytes read
/// and written.
///
/// `out` must be longer than `input` by at least [`SLACK`], because whole blocks are written. Otherwise the function returns zeros.
///
/// ```
/// use mailglot_kernel::hex_escapes::{SLACK, decode};
///
/// let mut out = [0; 17 + SLACK];
/// assert_eq!(decode(b"gr=C3=BC=C3=9Fe=\n", &mut out), (15, 7));
/// assert_eq!(&out[..7], "grüße".as_bytes());
/// ```
pub fn decode(input: &[u8], out: &mut [u8]) -> (usize, usize) {
    if out.len() < input.len() + SLACK {
        return (0, 0);
    }
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::hex_escapes(input, out) };
    }
    portable_escapes(input, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte for byte.
    fn twin(input: &[u8]) -> (usize, Vec<u8>) {
        let value = |byte: u8| char::from(byte).to_digit(16);
        let (mut at, mut out) = (0, Vec::new());
        while let Some(&byte) = input.get(at) {
            if byte != b'=' {
                out.push(byte);
                at += 1;
                continue;
            }
            let digits = input.get(at + 1..at + 3).unwrap_or_default();
            let [Some(high), Some(low)] =
                [0, 1].map(|nth| digits.get(nth).and_then(|digit| value(*digit)))
            else {
                break;
            };
            out.push((high << 4 | low) as u8);
            at += 3;
        }
        (at, out)
    }

    fn same(input: &[u8]) {
        let (read, text) = twin(input);
        for decode in [decode, portable_escapes] {
            let mut out = vec![0xA9; input.len() + SLACK];
            let (at, to) = decode(input, &mut out);
            assert_eq!(
                (at, out[..to].escape_ascii().to_string()),
                (read, text.escape_ascii().to_string()),
                "{}",
                input.escape_ascii()
            );
        }
    }

    #[test]
    fn every_byte_in_every_place_of_an_escape() {
        for before in 0..70 {
            for byte in 0..=0xFF {
                let start = vec![b'x'; before];
                for escape in [[b'=', byte, b'4'], [b'=', b'a', byte], [byte, b'C', b'3']] {
                    same(&[&start[..], &escape, b"end"].concat());
                    same(&[&start[..], &escape].concat());
                }
            }
        }
    }

    #[test]
    fn pieces_in_any_order() {
        let pieces: [&[u8]; 11] = [
            b"=C3=BC",
            b"=D0=9F=D1=80=D0=B8=D0=B2=D0=B5=D1=82",
            b"=3D",
            b"=",
            b"=4",
            b"=\r\n",
            b"word ",
            b" ",
            b"\xE9",
            b"0123456789abcdefghijklmnopqrstuvwxyz",
            b"=e9",
        ];
        let mut state = 5_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % bound) as usize
        };
        let mut read = 0;
        for _ in 0..60_000 {
            let count = next(24);
            // The pieces that stop it come seldom.
            let input: Vec<u8> = (0..count)
                .flat_map(|_| match next(pieces.len() as u32) {
                    3..=5 if next(8) > 0 => pieces[0],
                    nth => pieces[nth],
                })
                .copied()
                .collect();
            same(&input);
            read += usize::from(twin(&input).0 > 64);
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn short_room_is_refused() {
        assert_eq!(decode(b"abc", &mut [0; 3 + SLACK - 1]), (0, 0));
    }
}
