//! UTF-7: bytes that stand for themselves, and runs of base64.
//!
//! # Limits
//! Both functions may stop early; what they have not read, the caller reads byte by byte.

use super::Packed;
use super::writer::Writer;
use crate::utf7::{DIRECT, NOT_BASE64, VALUES};

// What `copy_direct` stores is text because of this.
const _: () = {
    let mut byte = 0x80;
    while byte < 0x100 {
        assert!(!DIRECT[byte], "direct bytes are ASCII");
        byte += 1;
    }
};

/// What was read of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shifted {
    /// Base64 characters read.
    pub(crate) chars: usize,
    /// Units among them that are complete and written.
    pub(crate) units: usize,
    /// The value of the last characters, right-aligned (18 bits, or 6 for each character where there are fewer).
    pub(crate) last: u32,
    /// Units below 80 that are printable, and the other ones.
    pub(crate) ascii: u32,
    pub(crate) controls: u32,
}

/// What was read of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) bytes: usize,
    /// Characters of runs that are printable ASCII, and other ASCII ones.
    pub(crate) ascii: u64,
    pub(crate) controls: u64,
}

/// Appends the text at the start: bytes that stand for themselves, and whole runs of which nothing is to be told.
pub(crate) fn text(input: &[u8], text: &mut String) -> Text {
    let mut out = Writer::new(text);
    let mut read = Text::default();
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        read = unsafe { super::avx2::text(input, &mut out) };
    }
    read.bytes += copy_direct(&input[read.bytes..], &mut out);
    read
}

/// Appends the bytes at the start that stand for themselves; returns their number.
fn copy_direct(input: &[u8], out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<8>() {
        let len = block.iter().position(|byte| !DIRECT[usize::from(*byte)]).unwrap_or(8);
        out.reserve(8);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store(*block, len) };
        at += len;
        if len < 8 {
            return at;
        }
    }
    for byte in input[at..].iter().take_while(|byte| DIRECT[usize::from(**byte)]) {
        out.reserve(1);
        // SAFETY: there is room, and direct bytes are ASCII.
        unsafe { out.store([*byte], 1) };
        at += 1;
    }
    at
}

/// Appends the characters of a run from a place where no bits are left over, as long as they are of the basic plane.
pub(crate) fn shifted(input: &[u8], text: &mut String) -> Shifted {
    let mut out = Writer::new(text);
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { super::avx2::shifted(input, &mut out) };
    }
    portable(input, &mut out)
}

/// For every machine: eight characters, which are three units, in one step.
fn portable(input: &[u8], out: &mut Writer<'_>) -> Shifted {
    let mut read = Shifted::default();
    while let Some(units) = input[read.chars..].first_chunk::<8>().and_then(|block| three_units(*block)) {
        out.reserve(3 * 4);
        for unit in units {
            // SAFETY: there is room for four bytes for each of the three.
            unsafe { out.put(Packed::unit(unit)) };
            read.count(unit);
        }
        read.chars += 8;
        read.units += 3;
    }
    read.last_of(input);
    read
}

impl Shifted {
    #[inline]
    pub(super) fn count(&mut self, unit: u16) {
        self.ascii += u32::from((0x20..0x7F).contains(&unit));
        self.controls += u32::from(unit < 0x20 || unit == 0x7F);
    }

    /// Sets the value of the last characters read.
    #[inline]
    pub(super) fn last_of(&mut self, input: &[u8]) {
        let from = self.chars.saturating_sub(3);
        let value = |last, byte: &u8| last << 6 | u32::from(VALUES[usize::from(*byte)]);
        self.last = input[from..self.chars].iter().fold(0, value);
    }
}

/// The units of eight base64 characters, if none is a surrogate.
fn three_units(block: [u8; 8]) -> Option<[u16; 3]> {
    let mut bits = 0_u64;
    let mut bad = 0;
    for byte in block {
        let value = VALUES[usize::from(byte)];
        bad |= value;
        bits = bits << 6 | u64::from(value & 0x3F);
    }
    if bad == NOT_BASE64 {
        return None;
    }
    let units = [(bits >> 32) as u16, (bits >> 16) as u16, bits as u16];
    units.iter().all(|u| u & 0xF800 != 0xD800).then_some(units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utf7::digit;

    /// The safe twin of `copy_direct`.
    fn direct_twin(input: &[u8], text: &mut String) -> usize {
        let run = input.iter().position(|b| !DIRECT[usize::from(*b)]).unwrap_or(input.len());
        text.push_str(std::str::from_utf8(&input[..run]).unwrap());
        run
    }

    fn copied(input: &[u8], text: &mut String) -> usize {
        copy_direct(input, &mut Writer::new(text))
    }

    /// The safe twin of `text`, for as many bytes as it has read; none if it had to stop before.
    fn text_twin(input: &[u8], bytes: usize, text: &mut String) -> Option<Text> {
        let mut read = Text { bytes, ..Text::default() };
        let mut at = 0;
        while at < bytes {
            at += direct_twin(&input[at..bytes], text);
            if at == bytes {
                break;
            }
            let run = input[at..].strip_prefix(b"+")?;
            let chars = run.iter().position(|b| VALUES[usize::from(*b)] == NOT_BASE64)?;
            let shifted = twin(run, chars, text);
            let spare = chars * 6 - shifted.units * 16;
            if run[chars] == b'='
                || shifted.units == 0
                || spare >= 6
                || shifted.last & ((1 << spare) - 1) != 0
            {
                return None;
            }
            read.ascii += u64::from(shifted.ascii);
            read.controls += u64::from(shifted.controls);
            at += 1 + chars + usize::from(run[chars] == b'-');
        }
        (at == bytes).then_some(read)
    }

    fn check_text(input: &[u8]) -> usize {
        let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
        let read = text(input, &mut fast);
        assert_eq!(Some(read), text_twin(input, read.bytes, &mut slow), "{}", input.escape_ascii());
        assert_eq!(fast, slow);
        let mut direct = "é".to_owned();
        // It may stop at a run only, and before all that stands for itself.
        assert!(
            matches!(input.get(read.bytes), None | Some(b'+')) || !DIRECT[usize::from(input[read.bytes])]
        );
        assert!(read.bytes >= direct_twin(input, &mut direct));
        read.bytes
    }

    #[test]
    fn whole_runs_of_every_length_and_end() {
        let tail = b" and more of it, for forty bytes and some, +AOk- and so on to the end of it.";
        for units in 1..12 {
            for first in [0x3042, 0x41, 0x7F, 0xE9, 0xD83D, 0xDE00, 0xFEFF] {
                let all: Vec<u16> =
                    (0..units).map(|i| if i == units / 2 { first } else { 0x3041 + i }).collect();
                let plain = digits(&all);
                for end in 0..=255_u8 {
                    let input = [&b"caf+"[..], &plain, &[end], tail].concat();
                    let read = check_text(&input);
                    // All is read where there are the vectors for it, and else nothing but bytes.
                    let known = (0xD800..0xE000).contains(&first) || units > 8 || end == b'=';
                    assert!(!known || read == 3 || end == b'=' || VALUES[usize::from(end)] != NOT_BASE64);
                }
                for cut in 0..=tail.len() {
                    check_text(&[&b"caf+"[..], &plain, b"-", &tail[..cut]].concat());
                }
            }
        }
    }

    /// Whether the loop that reads runs is there.
    fn reads_runs() -> bool {
        #[cfg(target_arch = "x86_64")]
        return super::super::avx2::is_here();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    #[test]
    fn runs_of_eight_units_at_most_are_read_whatever_the_room() {
        let tail = b" and more of it, for forty bytes and some, and so on to the end of it.";
        for units in 1..12 {
            let run = digits(&(0..units).map(|i| 0x3041 + i).collect::<Vec<_>>());
            for before in 0..40 {
                let input = [&b"x".repeat(before), &b"+"[..], &run, b"-", tail].concat();
                for room in 0..120 {
                    let (mut fast, mut slow) = (String::with_capacity(room), String::new());
                    let read = text(&input, &mut fast);
                    let wanted = if reads_runs() && units <= 8 { input.len() } else { before };
                    assert!(read.bytes == wanted, "{units} {before} {room}");
                    assert_eq!(Some(read), text_twin(&input, read.bytes, &mut slow));
                    assert_eq!(fast, slow);
                }
            }
        }
    }

    #[test]
    fn runs_of_all_digits_and_lengths() {
        let tail = b"- and more of it, for forty bytes and some, and so on to the end of it.";
        for len in 0..24_usize {
            for last in 0..64 {
                let mut run: Vec<u8> = (0..len).map(|i| digit((i * 5 % 23) as u8, b'/')).collect();
                if let Some(end) = run.last_mut() {
                    *end = digit(last, b'/');
                }
                check_text(&[&b"+"[..], &run, tail].concat());
                check_text(&[&b"+"[..], &run, &tail[1..]].concat());
                check_text(&[b"+AOk-+", &run[..], tail].concat());
            }
        }
    }

    #[test]
    fn every_unit_in_a_run_of_a_text() {
        for unit in 0..=0xFFFF_u16 {
            let run = digits(&[0x3042, unit, 0xE9][usize::from(unit & 1)..]);
            check_text(&[b"a+", &run[..], b"- and more of it, for forty bytes and some."].concat());
        }
    }

    /// The safe twin of `shifted`, for as many characters as it has read.
    fn twin(input: &[u8], chars: usize, text: &mut String) -> Shifted {
        let mut read = Shifted { chars, ..Shifted::default() };
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

    /// The characters that have to be read at least, and at most: all of a run but for a last step that is not full, or
    /// up to the step in which the first half of a pair stands.
    fn bounds(input: &[u8]) -> (usize, usize) {
        let end = input.iter().position(|b| VALUES[usize::from(*b)] == NOT_BASE64).unwrap_or(input.len());
        let bit = |at: usize| u32::from(VALUES[usize::from(input[at / 6])] >> (5 - at % 6) & 1);
        let is_half = |unit: &usize| (0..5).fold(0, |top, i| top << 1 | bit(16 * unit + i)) == 0xD800 >> 11;
        match (0..end * 6 / 16).find(is_half) {
            Some(unit) => ((16 * unit / 6).saturating_sub(31), 16 * unit / 6),
            None => (end.saturating_sub(7), end),
        }
    }

    fn check(input: &[u8]) {
        let loops: [fn(&[u8], &mut String) -> Shifted; 2] =
            [shifted, |input, text| portable(input, &mut Writer::new(text))];
        let (least, most) = bounds(input);
        for read in loops {
            let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
            let read = read(input, &mut fast);
            assert!((least..=most).contains(&read.chars), "{}: {read:?}", input.escape_ascii());
            assert_eq!(read, twin(input, read.chars, &mut slow), "{}", input.escape_ascii());
            assert_eq!(fast, slow);
        }
    }

    fn digits(units: &[u16]) -> Vec<u8> {
        let bits: Vec<u8> =
            units.iter().flat_map(|u| (0..16).rev().map(move |i| (u >> i & 1) as u8)).collect();
        bits.chunks(6)
            .map(|six| six.iter().fold(0, |v, bit| v << 1 | bit) << (6 - six.len()))
            .map(|value| digit(value, b'/'))
            .collect()
    }

    #[test]
    fn direct_bytes_of_every_length_end_at_every_other_byte() {
        let bytes: Vec<u8> = (0..=255).filter(|b| DIRECT[usize::from(*b)]).cycle().take(400).collect();
        for start in 0..32 {
            for len in 0..=300 {
                let mut input = bytes[start..start + len].to_vec();
                input.extend([(len * 7 + start) as u8, b'x']);
                let (mut fast, mut slow) = ("é".to_owned(), "é".to_owned());
                assert_eq!(copied(&input, &mut fast), direct_twin(&input, &mut slow));
                assert_eq!(copied(&input[..len], &mut fast), direct_twin(&input[..len], &mut slow));
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
                let mut units =
                    [0x3042, 0x41, 0xE9, 0xA, 0x6F22, 0x5B57, 0x3044, 0x7F, 0x44F, 0x30A2, 0xFFFD, 0x4E00];
                units[place] = unit;
                let input = digits(&units);
                check(&input);
            }
        }
    }

    #[test]
    fn every_byte_at_every_place_ends_a_run_or_does_not() {
        let units: Vec<u16> = (0..48_u16).map(|i| (i.wrapping_mul(0xA57B) | 3) & !0x1800).collect();
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
        let units: Vec<u16> = (0..120).map(|i| if i % 7 == 3 { 0x61 + i } else { 0x3041 + i * 50 }).collect();
        for len in 0..=110 {
            let mut input = digits(&units[..len]);
            check(&input);
            for behind in [&b"-"[..], b" and more of it, for forty bytes and some", b"\xFF"] {
                input.truncate((len * 16).div_ceil(6));
                input.extend_from_slice(behind);
                check(&input);
            }
        }
    }
}
