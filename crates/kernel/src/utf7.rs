//! Decodes UTF-7 (RFC 2152): bytes that stand for themselves, and runs of base64.
//!
//! # Limits
//! Both functions may stop early. The caller decodes the rest byte by byte.

use super::portable::utf7::{copy_direct, portable};
use super::writer::Writer;

pub use super::portable::utf7::{DIRECT, ReadRun, ReadText, direct_bytes};

/// Decodes the text at the start of `input` and appends it to `text`: direct bytes, and whole runs without any defect.
pub fn append_text(input: &[u8], text: &mut String) -> ReadText {
    #[cfg(target_arch = "x86_64")]
    if super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx512::text(input, text) };
    } else if super::avx2::is_here() {
        // SAFETY: as above.
        return unsafe { super::avx2::text(input, text) };
    }
    ReadText {
        bytes: copy_direct(input, &mut Writer::new(text)),
        ..ReadText::default()
    }
}

/// Decodes base64 digits at the start of `input`, where no bits are left over, and appends their units to `text`.
///
/// It stops before a surrogate and before the first byte that is no digit.
pub fn append_run(input: &[u8], text: &mut String) -> ReadRun {
    let mut out = Writer::new(text);
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::shifted(input, &mut out) };
    }
    portable(input, &mut out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base64::{NOT_A_DIGIT, VALUES, digit};

    /// The safe twin of `copy_direct`.
    fn direct_twin(input: &[u8], text: &mut String) -> usize {
        let run = input
            .iter()
            .position(|b| !DIRECT[usize::from(*b)])
            .unwrap_or(input.len());
        text.push_str(std::str::from_utf8(&input[..run]).unwrap());
        run
    }

    fn copied(input: &[u8], text: &mut String) -> usize {
        copy_direct(input, &mut Writer::new(text))
    }

    /// Returns true if this machine has the loop that reads runs.
    fn reads_runs() -> bool {
        #[cfg(target_arch = "x86_64")]
        return super::super::avx2::is_here();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The safe twin of `append_text`.
    fn text_twin(input: &[u8], text: &mut String) -> ReadText {
        let mut read = ReadText::default();
        loop {
            read.bytes += direct_twin(&input[read.bytes..], text);
            let Some(run) = input[read.bytes..].strip_prefix(b"+").and_then(plain_run) else {
                return read;
            };
            for unit in run.units {
                text.push(char::from_u32(unit.into()).unwrap());
                let mut counts = ReadRun::default();
                counts.count(unit);
                read.ascii += u64::from(counts.ascii);
                read.controls += u64::from(counts.controls);
            }
            read.bytes += 1 + run.bytes;
        }
    }

    struct PlainRun {
        units: Vec<u16>,
        bytes: usize,
    }

    /// Returns the run at the start, if it has no defect and this machine has the loop that reads runs.
    fn plain_run(input: &[u8]) -> Option<PlainRun> {
        let chars = input
            .iter()
            .position(|b| VALUES[usize::from(*b)] == NOT_A_DIGIT)?;
        let bits: Vec<u8> = input[..chars]
            .iter()
            .flat_map(|b| (0..6).rev().map(|i| VALUES[usize::from(*b)] >> i & 1))
            .collect();
        let (units, spare) = bits.as_chunks::<16>();
        let units: Vec<u16> = units
            .iter()
            .map(|bits| bits.iter().fold(0, |unit, bit| unit << 1 | u16::from(*bit)))
            .collect();
        let is_plain = !units.is_empty()
            && units
                .iter()
                .all(|unit| char::from_u32(u32::from(*unit)).is_some())
            && spare.len() < 6
            && !spare.contains(&1)
            && input[chars] != b'=';
        let bytes = chars + usize::from(input[chars] == b'-');
        (reads_runs() && is_plain).then_some(PlainRun { units, bytes })
    }

    fn check_text_in(mut room: String, input: &[u8]) -> usize {
        room.push('é');
        let mut slow = "é".to_owned();
        #[cfg(target_arch = "x86_64")]
        let by_avx2 = super::super::avx2::is_here().then(|| {
            let mut room = String::with_capacity(room.capacity());
            room.push('é');
            // SAFETY: the machine has what the function is made for.
            let read = unsafe { super::super::avx2::text(input, &mut room) };
            (read, room)
        });
        let read = append_text(input, &mut room);
        assert_eq!(
            read,
            text_twin(input, &mut slow),
            "{}",
            input.escape_ascii()
        );
        assert_eq!(room, slow);
        // `append_text` calls `avx2::text` only on machines without AVX-512.
        #[cfg(target_arch = "x86_64")]
        if let Some(by_avx2) = by_avx2 {
            assert_eq!(by_avx2, (read, slow), "{}", input.escape_ascii());
        }
        read.bytes
    }

    fn check_text(input: &[u8]) -> usize {
        check_text_in(String::new(), input)
    }

    const TAIL: &[u8] =
        b" and more of it, for forty bytes and some, +AOk- and so on to the end of it.";

    #[test]
    fn whole_runs_of_every_length_and_end() {
        for units in 1..30 {
            for first in [0x3042, 0x41, 0x7F, 0xE9, 0xD83D, 0xDE00, 0xFEFF, 0xFBEF] {
                let all: Vec<u16> = (0..units)
                    .map(|i| if i == units / 2 { first } else { 0x3041 + i })
                    .collect();
                let plain = digits(&all);
                for end in 0..=255_u8 {
                    let read = check_text(&[&b"caf+"[..], &plain, &[end], TAIL].concat());
                    assert!(read == 3 || reads_runs());
                }
                for cut in 0..=TAIL.len() {
                    check_text(&[&b"caf+"[..], &plain, b"-", &TAIL[..cut]].concat());
                }
                for cut in 0..plain.len() {
                    assert_eq!(check_text(&[b"caf+", &plain[..cut]].concat()), 3);
                }
            }
        }
    }

    #[test]
    fn runs_at_every_place_before_every_end() {
        let direct: Vec<u8> = (b'a'..=b'z').cycle().take(300).collect();
        for units in [1, 2, 3, 4, 5, 8, 11, 12, 13, 23, 24, 25, 40] {
            let run = digits(&(0..units).map(|i| 0x3041 + i).collect::<Vec<_>>());
            for before in 0..=200 {
                for behind in [
                    0, 1, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200,
                ] {
                    let input = [&direct[..before], b"+", &run, b"-", &direct[..behind]].concat();
                    let read = check_text(&input);
                    assert_eq!(read, if reads_runs() { input.len() } else { before });
                }
            }
        }
    }

    #[test]
    fn many_runs_in_a_row() {
        let runs: [&[u8]; 5] = [b"+AOk-", b"+MEI", b"+++++-", b"+MEIwRDBGMEgwSg-", b"+-"];
        for (i, run) in runs.iter().enumerate() {
            for gap in 0..70 {
                for count in [1, 2, 4, 5, 39, 40, 41, 100] {
                    let gap = &b".".repeat(gap)[..];
                    check_text(&[*run, gap].concat().repeat(count));
                    let other = [b"x", runs[(i + count) % 5], gap].concat();
                    check_text(&[*run, gap, &other].concat().repeat(count));
                }
            }
        }
    }

    #[test]
    fn what_is_to_be_told_of_a_run_leaves_all_of_it() {
        for units in 1..60 {
            for place in 0..units {
                for bad in [0xD800, 0xDC00] {
                    let mut all: Vec<u16> = (0..units).map(|i| 0x3041 + i as u16).collect();
                    all[place] = bad;
                    assert_eq!(
                        check_text(&[b"caf+", &digits(&all)[..], b"-", TAIL].concat()),
                        3
                    );
                }
            }
        }
    }

    #[test]
    fn runs_are_read_whatever_the_room() {
        for units in [1, 2, 4, 5, 8, 11, 12, 13, 25] {
            let run = digits(&(0..units).map(|i| 0x3041 + i).collect::<Vec<_>>());
            for before in 0..40 {
                let input = [&b"x".repeat(before), &b"+"[..], &run, b"-", TAIL].concat();
                for room in 0..260 {
                    let read = check_text_in(String::with_capacity(room), &input);
                    assert!(
                        read == if reads_runs() { input.len() } else { before },
                        "{units} {before} {room}"
                    );
                }
            }
        }
    }

    #[test]
    fn runs_of_all_digits_and_lengths() {
        for len in 0..140_usize {
            for last in 0..64 {
                let mut run: Vec<u8> = (0..len).map(|i| digit((i * 5 % 23) as u8, b'/')).collect();
                if let Some(end) = run.last_mut() {
                    *end = digit(last, b'/');
                }
                check_text(&[&b"+"[..], &run, b"-", TAIL].concat());
                check_text(&[&b"+"[..], &run, TAIL].concat());
                check_text(&[b"+AOk-+", &run[..], b"-", TAIL].concat());
                check_text(&[&b"+"[..], &run, b"=", TAIL].concat());
                check_text(&[&b"+"[..], &run].concat());
            }
        }
    }

    #[test]
    fn every_unit_in_a_run_of_a_text() {
        for unit in 0..=0xFFFF_u16 {
            let units = [0x3042, unit, 0xE9, 0x5B57, 0x41, 0xA9];
            for run in [&units[1..3], &units[..3], &units[..5], &units[1..]] {
                check_text(&[b"a+", &digits(run)[..], b"- and more"].concat());
            }
        }
    }

    /// The safe twin of `append_run`, for as many characters as it has read.
    fn twin(input: &[u8], chars: usize, text: &mut String) -> ReadRun {
        let mut read = ReadRun {
            chars,
            ..ReadRun::default()
        };
        let (mut last, mut bits) = (0_u64, 0);
        for byte in &input[..chars] {
            last = last << 6 | u64::from(VALUES[usize::from(*byte)]);
            bits += 6;
            if bits >= 16 {
                bits -= 16;
                let unit = (last >> bits) as u16;
                text.push(char::from_u32(u32::from(unit)).unwrap());
                read.count(unit);
                read.units += 1;
            }
        }
        read.last = (last & 0x3_FFFF) as u32;
        read
    }

    /// Returns how many characters have to be read at least, and at most. All of a run is read but for a last step that
    /// is not full. If the first half of a pair stands in a run, the run is read up to the step in which it stands.
    fn bounds(input: &[u8]) -> (usize, usize) {
        let end = input
            .iter()
            .position(|b| VALUES[usize::from(*b)] == NOT_A_DIGIT)
            .unwrap_or(input.len());
        let bit = |at: usize| u32::from(VALUES[usize::from(input[at / 6])] >> (5 - at % 6) & 1);
        let is_half =
            |unit: &usize| (0..5).fold(0, |top, i| top << 1 | bit(16 * unit + i)) == 0xD800 >> 11;
        match (0..end * 6 / 16).find(is_half) {
            Some(unit) => ((16 * unit / 6).saturating_sub(31), 16 * unit / 6),
            None => (end.saturating_sub(7), end),
        }
    }

    fn check(input: &[u8]) {
        let loops: [fn(&[u8], &mut String) -> ReadRun; 2] = [append_run, |input, text| {
            portable(input, &mut Writer::new(text))
        }];
        let (least, most) = bounds(input);
        for read in loops {
            let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
            let read = read(input, &mut fast);
            assert!(
                (least..=most).contains(&read.chars),
                "{}: {read:?}",
                input.escape_ascii()
            );
            assert_eq!(
                read,
                twin(input, read.chars, &mut slow),
                "{}",
                input.escape_ascii()
            );
            assert_eq!(fast, slow);
        }
    }

    fn digits(units: &[u16]) -> Vec<u8> {
        let bits: Vec<u8> = units
            .iter()
            .flat_map(|u| (0..16).rev().map(move |i| (u >> i & 1) as u8))
            .collect();
        bits.chunks(6)
            .map(|six| six.iter().fold(0, |v, bit| v << 1 | bit) << (6 - six.len()))
            .map(|value| digit(value, b'/'))
            .collect()
    }

    #[test]
    fn direct_bytes_of_every_length_end_at_every_other_byte() {
        let bytes: Vec<u8> = (0..=255)
            .filter(|b| DIRECT[usize::from(*b)])
            .cycle()
            .take(400)
            .collect();
        for start in 0..32 {
            for len in 0..=300 {
                let mut input = bytes[start..start + len].to_vec();
                input.extend([(len * 7 + start) as u8, b'x']);
                let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
                assert_eq!(copied(&input, &mut fast), direct_twin(&input, &mut slow));
                assert_eq!(
                    copied(&input[..len], &mut fast),
                    direct_twin(&input[..len], &mut slow)
                );
                assert_eq!(fast, slow);
            }
        }
        for byte in 0..=255 {
            for place in 0..40 {
                let mut input = [b'a'; 72];
                input[place] = byte;
                let (mut fast, mut slow) = (String::new(), String::new());
                assert_eq!(copied(&input, &mut fast), direct_twin(&input, &mut slow));
                assert_eq!(fast, slow);
            }
        }
    }

    #[test]
    fn every_unit_at_every_place_of_a_block() {
        for unit in 0..=0xFFFF_u16 {
            for place in 0..12 {
                let mut units = [
                    0x3042, 0x41, 0xE9, 0xA, 0x6F22, 0x5B57, 0x3044, 0x7F, 0x44F, 0x30A2, 0xFFFD,
                    0x4E00,
                ];
                units[place] = unit;
                let input = digits(&units);
                check(&input);
            }
        }
    }

    #[test]
    fn every_byte_at_every_place_ends_a_run_or_does_not() {
        let units: Vec<u16> = (0..48_u16)
            .map(|i| (i.wrapping_mul(0xA57B) | 3) & !0x1800)
            .collect();
        let run = digits(&units);
        for place in 0..run.len() {
            for byte in 0..=255_u8 {
                let mut input = run.clone();
                input[place] = byte;
                check(&input);
            }
        }
    }

    #[test]
    fn runs_of_every_length() {
        let units: Vec<u16> = (0..120)
            .map(|i| {
                if i % 7 == 3 {
                    0x61 + i
                } else {
                    0x3041 + i * 50
                }
            })
            .collect();
        for len in 0..=110 {
            let mut input = digits(&units[..len]);
            check(&input);
            for behind in [
                &b"-"[..],
                b" and more of it, for forty bytes and some",
                b"\xFF",
            ] {
                input.truncate((len * 16).div_ceil(6));
                input.extend_from_slice(behind);
                check(&input);
            }
        }
    }
}
