//! Decodes UTF-16.
//!
//! # Limits
//! Decoding stops before the first unpaired surrogate.

use super::portable::utf16::portable;
use super::writer::Writer;

/// Decodes UTF-16 at the start of `input`, appends it to `text`, and returns the number of bytes read.
///
/// It stops before an unpaired surrogate and before an odd last byte.
pub fn append(input: &[u8], big_endian: bool, text: &mut String) -> usize {
    let mut out = Writer::new(text);
    if big_endian {
        decode::<true>(input, &mut out)
    } else {
        decode::<false>(input, &mut out)
    }
}

/// Like [`append`], in one byte order, with the fastest loop of the processor.
fn decode<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: `is_here` returned true.
        return unsafe { super::avx512::utf16::<BIG>(input, out) };
    } else if super::avx2::is_here_for_units() {
        // SAFETY: `is_here_for_units` returned true.
        return unsafe { super::avx2::utf16::<BIG>(input, out) };
    }
    portable::<BIG>(input, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The safe twin.
    fn twin(input: &[u8], big_endian: bool, text: &mut String) -> usize {
        let units = input.as_chunks::<2>().0.iter();
        let units = units.map(|b| {
            if big_endian {
                u16::from_be_bytes(*b)
            } else {
                u16::from_le_bytes(*b)
            }
        });
        let mut read = 0;
        for c in char::decode_utf16(units).map_while(Result::ok) {
            text.push(c);
            read += 2 * c.len_utf16();
        }
        read
    }

    fn check(units: &[u16], odd: bool) {
        check_in_order::<true>(units, odd);
        check_in_order::<false>(units, odd);
    }

    /// Compares each loop with the twin, in one byte order.
    fn check_in_order<const BIG: bool>(units: &[u16], odd: bool) {
        let bytes = |u: &u16| {
            if BIG {
                u.to_be_bytes()
            } else {
                u.to_le_bytes()
            }
        };
        let mut input: Vec<u8> = units.iter().flat_map(bytes).collect();
        input.extend(odd.then_some(b'x'));
        let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
        let read = append(&input, BIG, &mut fast);
        let expected = (twin(&input, BIG, &mut slow), slow);
        assert_eq!((read, fast), expected, "{units:x?} {BIG}");
        let decode_with = |decode: &dyn Fn(&mut Writer<'_>) -> usize| {
            let mut text = "é".to_owned();
            let read = decode(&mut Writer::new(&mut text));
            (read, text)
        };
        let by_portable = decode_with(&|out| portable::<BIG>(&input, out));
        assert_eq!(by_portable, expected, "{units:x?} {BIG}");
        // `append` calls the AVX2 loop only on machines without AVX-512.
        #[cfg(target_arch = "x86_64")]
        if super::super::avx2::is_here_for_units() {
            // SAFETY: `is_here_for_units` returned true.
            let by_avx2 =
                decode_with(&|out| unsafe { super::super::avx2::utf16::<BIG>(&input, out) });
            assert_eq!(by_avx2, expected, "{units:x?} {BIG}");
        }
    }

    #[test]
    fn every_unit_at_every_place_of_a_block() {
        for unit in 0..=0xFFFF_u16 {
            let place = usize::from(unit.wrapping_mul(7) >> 3) % 40;
            for other in [0x41, 0xE9, 0x3042] {
                let mut units = [other; 44];
                units[place] = unit;
                check(&units, false);
            }
        }
    }

    #[test]
    fn every_scalar_value_and_every_length() {
        let all: Vec<u16> = ('\0'..=char::MAX)
            .collect::<String>()
            .encode_utf16()
            .collect();
        check(&all, false);
        let mixed: Vec<u16> = "aé漢\u{1F600}zz"
            .chars()
            .cycle()
            .step_by(5)
            .take(200)
            .collect::<String>()
            .encode_utf16()
            .collect();
        for start in 0..40 {
            for len in 0..=150 {
                check(&mixed[start..start + len], len % 2 == 0);
            }
        }
        // ASCII of every length, and what ends it.
        for len in 0..=100 {
            let mut units = vec![0x41; len];
            check(&units, len % 2 == 0);
            units.push(0xE9);
            check(&units, false);
        }
    }

    #[test]
    fn halves_at_every_place() {
        for len in 0..=70 {
            for place in 0..len {
                for half in [0xD800, 0xDBFF, 0xDC00, 0xDFFF] {
                    let mut units = vec![0x3042; len];
                    units[place] = half;
                    check(&units, false);
                    units.iter_mut().step_by(3).for_each(|u| *u = 0x41);
                    check(&units, true);
                }
            }
        }
    }
}
