//! Short pieces without a defect, as the bytes of nearly all encoded words are.
//!
//! # Limits
//! What the quick ways do not know is decoded as everything else is.

use crate::charset::Kind;
use crate::decoder::table;
use crate::double_byte::Subset;
use crate::kernel::{self, ROOM};
use crate::{Charset, LossLog, Mode, iso2022};

/// See [`Short::push_text`](crate::short::Short::push_text); the first `len` bytes of the room count.
pub(crate) fn push(charset: Charset, room: &[u8; ROOM], len: usize, text: &mut String) -> bool {
    let Some(bytes) = room.get(..len) else {
        return false;
    };
    let start = text.len();
    let superset = charset.superset();
    let is_clean = match superset.kind() {
        Kind::SingleByte(_) => {
            kernel::single_bytes(table(superset, Mode::Lenient), bytes, text) == len
        }
        Kind::DoubleByte(family, _)
            if kernel::short_pairs(family.tables(), room, len, text) == len =>
        {
            true
        }
        Kind::Iso2022(flavor) if iso2022::append_usual(flavor, bytes, text) => true,
        _ => {
            text.truncate(start);
            let mut log = LossLog::with_limit(0);
            charset.decode_into(bytes, text, &mut log);
            log.is_empty()
        }
    };
    if !is_clean {
        text.truncate(start);
    }
    is_clean
}

/// See [`Short::is_within`](crate::short::Short::is_within); the first `len` bytes of the block count.
pub(crate) fn is_within(charset: Charset, block: &[u8; 64], len: usize) -> Option<bool> {
    let Kind::DoubleByte(_, subset @ (Subset::Gb2312 | Subset::Ksx1001)) = charset.kind() else {
        return None;
    };
    if len > block.len() {
        return None;
    }
    let highs = kernel::highs(block, len);
    // Pairs of two high bytes fill runs of an even length; where one is odd, its last byte has another behind it.
    let leads = leads(highs.all);
    if highs.low != 0 || leads & !(highs.all >> 1) != 0 {
        return Some(false);
    }
    if subset == Subset::Ksx1001 {
        return Some(true);
    }
    // In the other rows there are gaps.
    let mut unsure = leads & !highs.whole_rows;
    while let Some(pair) = block
        .get(unsure.trailing_zeros() as usize..)
        .and_then(|near| near.first_chunk::<2>())
    {
        if !subset.holds(pair) {
            return Some(false);
        }
        unsure &= unsure - 1;
    }
    Some(true)
}

/// The first, third, fifth and so on of each run of bits.
fn leads(runs: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let starts = runs & !(runs << 1);
    // A bit that is added to the start of a run clears it.
    let odd = runs & runs.wrapping_add(starts & EVEN);
    (runs & !odd & EVEN) | (odd & !EVEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_bit_of_a_run_is_a_lead() {
        let mut state = 1_u64;
        for round in 0..200_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Short runs, long runs, and runs to the end.
            let runs = match round % 4 {
                0 => state,
                1 => state | state.rotate_left(7),
                2 => state | state.rotate_left(9) | state.rotate_left(31) | state.rotate_left(44),
                _ => u64::MAX << (state >> 58),
            };
            let (mut want, mut is_lead) = (0, true);
            for bit in 0..64 {
                if runs >> bit & 1 == 0 {
                    is_lead = true;
                } else {
                    want |= u64::from(is_lead) << bit;
                    is_lead = !is_lead;
                }
            }
            assert_eq!(leads(runs), want, "{runs:b}");
        }
    }

    /// What is read without a record is read by the decoder, and what the quick look says is so; tells whether it says something.
    fn check(charset: Charset, bytes: &[u8], behind: u8) -> bool {
        let (mut text, mut want, mut log) = (String::from("é"), String::from("é"), LossLog::new());
        charset.decode_into(bytes, &mut want, &mut log);
        let mut room = [behind; ROOM];
        room[..bytes.len()].copy_from_slice(bytes);
        let is_clean = push(charset, &room, bytes.len(), &mut text);
        assert_eq!(is_clean, log.is_empty(), "{charset:?} {bytes:x?}");
        assert_eq!(
            text,
            if is_clean { want } else { "é".to_owned() },
            "{charset:?} {bytes:x?}"
        );
        let mut block = [behind; 64];
        block[..bytes.len()].copy_from_slice(bytes);
        let told = is_within(charset, &block, bytes.len()).filter(|_| is_clean);
        assert!(
            told.is_none_or(|told| told == charset.covers(bytes)),
            "{charset:?} {bytes:x?}"
        );
        told.is_some()
    }

    #[test]
    fn every_pair_is_told_as_by_strict_decoding() {
        for charset in Charset::all() {
            let is_double = matches!(charset.kind(), Kind::DoubleByte(..));
            let mut told = 0;
            for code in 0..=0xFFFF_u16 {
                let [lead, trail] = code.to_be_bytes();
                // Of others a part will do.
                if is_double || code % 17 == 0 {
                    told += u32::from(check(charset, &[lead, trail], 0xB0));
                    told += u32::from(check(charset, &[b'a', lead, trail, 0xB0, 0xA1, b'b'], 0xB0));
                    told += u32::from(check(charset, &[0xB0, 0xA1, lead, trail, b'@'], 0xB0));
                }
            }
            let is_quick = matches!(charset.name(), "GB2312" | "EUC-KR" | "KS_C_5601-1987");
            assert_eq!(told > 30_000, is_quick, "{charset:?} {told}");
        }
    }

    #[test]
    fn pieces_of_any_length_are_told_as_by_strict_decoding() {
        let mut state = 7_u64;
        let mut next = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let pieces: [&[u8]; 9] = [
            b"\xB0\xA1",
            b"\xB0\xA1",
            b"\xC8\xFE",
            b"\xA1\xA1",
            b"a",
            b"\x81A",
            b"\xA2\xA1",
            b"\x84\x31\x82\x35",
            b"\xB0a",
        ];
        let mut told = 0;
        for charset in [Charset::GB2312, Charset::EUC_KR, Charset::GBK] {
            for _ in 0..60_000 {
                let kinds = 2 + next(pieces.len() - 1);
                let mut bytes = Vec::new();
                while bytes.len() < 58 && next(20) > 0 {
                    bytes.extend_from_slice(pieces[next(kinds)]);
                }
                if next(4) == 0 {
                    bytes.push(next(256) as u8);
                }
                told += u32::from(check(charset, &bytes, next(256) as u8));
            }
        }
        assert!(told > 30_000, "{told}");
    }
}
