//! Tests whether text stays within the repertoire of its charset, or needs that of the superset.
//!
//! Strict decoding gives the same answer, but writes a text and looks up every sequence. For nearly all text the rows of a table
//! decide, so this module checks those first.
//!
//! # Limits
//! Damage, single shifts, and charsets of three and more bytes are decoded strictly.

use crate::charset::{Charset, Kind};
use crate::double_byte::{self, Family, Subset};
use crate::iso2022::Flavor;
use crate::loss::LossLog;
use crate::mode::Mode;

impl Charset {
    /// Returns true if all bytes are in the charset itself: strict decoding finds no loss in them. If this is false and lenient
    /// decoding finds no loss, the text needs [`Charset::superset`].
    pub fn covers(self, bytes: &[u8]) -> bool {
        let quick = match self.kind() {
            Kind::DoubleByte(family, subset) => pairs(family, subset, bytes),
            Kind::Iso2022(flavor) if flavor.is_japanese() => japanese(flavor, bytes),
            _ => None,
        };
        quick.unwrap_or_else(|| {
            let (mut text, mut log) = (String::new(), LossLog::with_limit(0));
            let mut decoder = self.new_decoder(Mode::Strict);
            decoder.push(bytes, &mut text, &mut log);
            decoder.finish(&mut text, &mut log);
            log.losses() == 0
        })
    }
}

/// Tests ASCII and the pairs of the table. Returns `None` for anything else.
fn pairs(family: Family, subset: Subset, bytes: &[u8]) -> Option<bool> {
    let tables = family.tables();
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        if first.is_ascii() {
            rest = behind;
            continue;
        }
        let [lead, trail, behind @ ..] = rest else {
            return None;
        };
        if tables.pair(*lead, *trail).is_none() {
            return None;
        }
        if !subset.holds(&[*lead, *trail]) {
            return Some(false);
        }
        rest = behind;
    }
    Some(true)
}

/// Tests the four escapes of RFC 1468, printable ASCII, and the pairs of the table. Returns `None` for anything else.
fn japanese(flavor: Flavor, bytes: &[u8]) -> Option<bool> {
    let tables = Family::EucJp.tables();
    let mut double = false;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return Some(true),
            [0x1B, b'(', b'B' | b'J', behind @ ..] => {
                double = false;
                behind
            }
            [0x1B, b'$', b'@' | b'B', behind @ ..] => {
                double = true;
                behind
            }
            [lead @ 0x21..=0x7E, trail @ 0x21..=0x7E, behind @ ..] if double => {
                if tables.pair(lead | 0x80, trail | 0x80).is_none() {
                    return None;
                }
                if !flavor.has_vendor_rows() && !double_byte::jis_row(lead - 0x20) {
                    return Some(false);
                }
                behind
            }
            [0x20..=0x7E, behind @ ..] if !double => behind,
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result of strict decoding.
    fn twin(charset: Charset, bytes: &[u8]) -> bool {
        let (mut text, mut log) = (String::new(), LossLog::new());
        let mut decoder = charset.new_decoder(Mode::Strict);
        decoder.push(bytes, &mut text, &mut log);
        decoder.finish(&mut text, &mut log);
        log.losses() == 0
    }

    #[test]
    fn every_pair_is_where_strict_decoding_finds_it() {
        let mut found = [0_usize; 2];
        for charset in Charset::all().filter(|c| matches!(c.kind(), Kind::DoubleByte(..))) {
            for lead in 0..=0xFF_u8 {
                for trail in 0..=0xFF_u8 {
                    let bytes = [b'a', lead, trail, b'b'];
                    let covered = charset.covers(&bytes);
                    assert_eq!(
                        covered,
                        twin(charset, &bytes),
                        "{charset:?} {lead:X} {trail:X}"
                    );
                    found[usize::from(covered)] += 1;
                }
            }
        }
        assert!(found.iter().all(|n| *n > 100_000), "{found:?}");
    }

    #[test]
    fn every_pair_behind_every_escape() {
        let escapes: [&[u8]; 7] = [b"$B", b"$@", b"(J", b"(I", b"$(D", b"$A", b".A\x1BN"];
        for charset in Charset::all().filter(|c| matches!(c.kind(), Kind::Iso2022(_))) {
            for escape in escapes {
                for lead in 0x1A..=0xFF_u8 {
                    for trail in [
                        0x0D, 0x1B, 0x20, 0x21, 0x22, 0x4F, 0x74, 0x7E, 0x7F, 0x80, 0xA1,
                    ] {
                        let bytes = [b"a\x1B", escape, &[lead, trail], b"\x1B(Bb"].concat();
                        assert_eq!(
                            charset.covers(&bytes),
                            twin(charset, &bytes),
                            "{charset:?} {}",
                            bytes.escape_ascii()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn any_bytes_in_any_charset() {
        let mut state = 1_u64;
        let mut next = |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let pieces: [&[u8]; 12] = [
            b"\x1B",
            b"$B",
            b"(B",
            b"(J",
            b"\x0E",
            b"\x0F",
            b"$)C",
            b"~{",
            b"ab",
            b"\r\n",
            b"\xB0\xA1",
            b"\x81",
        ];
        for charset in Charset::all() {
            for _ in 0..300 {
                let mut bytes = Vec::new();
                for _ in 0..next(8) {
                    match next(3) {
                        0 => bytes.push(next(256) as u8),
                        _ => bytes.extend_from_slice(pieces[next(pieces.len())]),
                    }
                }
                assert_eq!(
                    charset.covers(&bytes),
                    twin(charset, &bytes),
                    "{charset:?} {}",
                    bytes.escape_ascii()
                );
            }
        }
    }
}
