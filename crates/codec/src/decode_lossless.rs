//! Decodes short input without defects, such as most encoded words, without a log of losses.
//!
//! # Limits
//! The general decoder decodes charsets without a fast path.

use crate::charset::{Charset, Kind};
use crate::decoder::table;
use crate::double_byte::Subset;
use crate::iso2022;
use crate::loss::LossLog;
use crate::mode::Mode;
use mailglot_kernel::ShortBytes;

impl Charset {
    /// Appends the text of `short` to `text` as [`Charset::decode_into`] does, if that records nothing.
    ///
    /// Otherwise it returns false and appends nothing.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    /// use mailglot_kernel::ShortBytes;
    ///
    /// let (mut bytes, mut text) = (ShortBytes::default(), String::new());
    /// bytes.decode_escapes(b"a=B0=A1?=", 0);
    /// assert!(Charset::GB2312.decode_lossless_into(&bytes, &mut text));
    /// assert_eq!(Charset::GB2312.covers_lossless(&bytes), Some(true));
    /// bytes.decode_escapes(b"=81=41?=", 0);
    /// assert!(Charset::GB2312.decode_lossless_into(&bytes, &mut text));
    /// assert_eq!((text.as_str(), Charset::GB2312.covers_lossless(&bytes)), ("a啊丄", Some(false)));
    /// bytes.decode_escapes(b"=B0?=", 0);
    /// assert!(!Charset::GB2312.decode_lossless_into(&bytes, &mut text));
    /// ```
    // For the charset choice of mailglot-mime only.
    #[doc(hidden)]
    pub fn decode_lossless_into(self, short: &ShortBytes, text: &mut String) -> bool {
        let bytes = short.bytes();
        let start = text.len();
        let superset = self.superset();
        let is_clean = match superset.kind() {
            Kind::SingleByte(_) => {
                table(superset, Mode::Lenient).append_decoded(bytes, text) == bytes.len()
            }
            Kind::DoubleByte(family, _)
                if family.tables().append_short(short, text) == bytes.len() =>
            {
                true
            }
            Kind::Iso2022(flavor) if iso2022::append_usual(flavor, bytes, text) => true,
            _ => {
                text.truncate(start);
                let mut log = LossLog::with_limit(0);
                self.decode_into(bytes, text, &mut log);
                log.is_empty()
            }
        };
        if !is_clean {
            text.truncate(start);
        }
        is_clean
    }

    /// Returns whether the charset itself covers `short` ([`Charset::covers`]); `None` if no fast path knows.
    ///
    /// [`Charset::decode_lossless_into`] must have returned true for these bytes.
    // For the charset choice of mailglot-mime only.
    #[doc(hidden)]
    pub fn covers_lossless(self, short: &ShortBytes) -> Option<bool> {
        let Kind::DoubleByte(_, subset @ (Subset::Gb2312 | Subset::Ksx1001)) = self.kind() else {
            return None;
        };
        let highs = short.high_bytes()?;
        // PairTable of two high bytes fill runs of an even length; where one is odd, its last byte has another behind it.
        let leads = leads(highs.all);
        if highs.low != 0 || leads & !(highs.all >> 1) != 0 {
            return Some(false);
        }
        if subset == Subset::Ksx1001 {
            return Some(true);
        }
        // In the other rows there are gaps.
        let mut unsure = leads & !highs.whole_rows;
        while let Some(pair) = short
            .bytes()
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

    /// Checks that lossless input decodes as in the decoder, and that the fast test is right. Returns whether the fast test decides.
    fn check(charset: Charset, bytes: &[u8], behind: u8) -> bool {
        let (mut text, mut want, mut log) = (String::from("é"), String::from("é"), LossLog::new());
        charset.decode_into(bytes, &mut want, &mut log);
        let mut short = ShortBytes::default();
        // The text decoded before is behind the bytes.
        assert!(short.copy_from(&[behind; ShortBytes::MOST]) && short.copy_from(bytes));
        let is_clean = charset.decode_lossless_into(&short, &mut text);
        assert_eq!(is_clean, log.is_empty(), "{charset:?} {bytes:x?}");
        assert_eq!(
            text,
            if is_clean { want } else { "é".to_owned() },
            "{charset:?} {bytes:x?}"
        );
        let told = charset.covers_lossless(&short).filter(|_| is_clean);
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
            let is_quick = matches!(
                charset,
                Charset::GB2312 | Charset::EUC_KR | Charset::KS_C_5601_1987
            );
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
