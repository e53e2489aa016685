//! Every sequence of two bytes and every longer pointer of the East Asian charsets with tables of our own.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, decode, split_everywhere};
use mailglot_codec::{Charset, LossLog, Mode, Unmappable};
use std::collections::BTreeMap;

/// The characters of a table of `data/tables/`, by plane, row and column.
fn table(name: &str) -> BTreeMap<u32, String> {
    let path = format!(
        "{}/../../data/tables/{name}.tsv",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut cells = BTreeMap::new();
    for line in std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let first = u32::from_str_radix(&format!("{}{}", fields[0], fields[1]), 16).unwrap();
        for (code, cell) in (first..)
            .zip(fields[2].split(' '))
            .filter(|(_, cell)| *cell != "-")
        {
            let char = |hex| char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap();
            cells.insert(code, cell.split('+').map(char).collect());
        }
    }
    cells
}

/// Codes of a table in the plain form of EUC.
fn euc(code: u32) -> Vec<u8> {
    vec![(code >> 8) as u8 | 0x80, code as u8 | 0x80]
}

/// What the bytes of a charset should mean, from its table and without its decoder's code.
fn expected(charset: Charset) -> BTreeMap<Vec<u8>, String> {
    let mut all = BTreeMap::new();
    let mut kana = |ahead: &[u8]| {
        for byte in 0xA1..=0xDF_u8 {
            let c = char::from_u32(0xFF61 + u32::from(byte) - 0xA1).unwrap();
            all.insert([ahead, &[byte]].concat(), c.to_string());
        }
    };
    match charset {
        Charset::EUC_JIS_2004 => kana(&[0x8E]),
        Charset::SHIFT_JIS_2004 => kana(&[]),
        _ => {}
    }
    let name = match charset {
        Charset::EUC_TW => "cns11643",
        Charset::EUC_JIS_2004 | Charset::SHIFT_JIS_2004 => "jisx0213",
        Charset::JOHAB => "johab",
        Charset::GB12345 => "gb12345",
        _ => "isoir165",
    };
    for (code, text) in table(name) {
        let plane = (code >> 16) as u8;
        let bytes = match charset {
            Charset::EUC_TW => {
                all.insert([vec![0x8E, 0xA0 + plane], euc(code)].concat(), text.clone());
                if plane > 1 {
                    continue;
                }
                euc(code)
            }
            Charset::EUC_JIS_2004 if plane == 2 => [vec![0x8F], euc(code)].concat(),
            Charset::SHIFT_JIS_2004 => {
                shift_jis(plane, (code >> 8) as u8 - 0x20, code as u8 - 0x20)
            }
            Charset::JOHAB => vec![(code >> 8) as u8, code as u8],
            _ => euc(code),
        };
        all.insert(bytes, text);
    }
    all
}

/// JIS X 0213:2004 annex 1: two rows to a lead byte, those of plane 2 from F0 on.
fn shift_jis(plane: u8, row: u8, cell: u8) -> Vec<u8> {
    let lead = match (plane, row) {
        (1, 1..=62) => row.div_ceil(2) + 0x80,
        (1, _) => row.div_ceil(2) + 0xC0,
        (_, 1 | 8) => 0xF0,
        (_, 3 | 4) => 0xF1,
        (_, 5 | 12) => 0xF2,
        (_, 13 | 14) => 0xF3,
        (_, 15) => 0xF4,
        _ => row.div_ceil(2) + 0xCD,
    };
    let trail = match (row % 2, cell) {
        (1, 1..=63) => cell + 0x3F,
        (1, _) => cell + 0x40,
        _ => cell + 0x9E,
    };
    vec![lead, trail]
}

const CHARSETS: [Charset; 6] = [
    Charset::EUC_TW,
    Charset::EUC_JIS_2004,
    Charset::SHIFT_JIS_2004,
    Charset::JOHAB,
    Charset::GB12345,
    Charset::CN_GB_ISOIR165,
];

#[test]
fn every_pair_and_every_pointer_is_what_the_table_says() {
    for charset in CHARSETS {
        let expected = expected(charset);
        let check = |bytes: &[u8]| {
            let (text, log) = decode(charset, Mode::Lenient, bytes);
            match expected.get(bytes) {
                Some(known) => assert_eq!(
                    (&text, log.is_empty()),
                    (known, true),
                    "{charset} {bytes:x?}"
                ),
                // What is no character is so as a whole, or is characters and damage.
                None => assert!(
                    log.losses() > 0 || parts(&expected, bytes),
                    "{charset} {bytes:x?} {text:?}"
                ),
            }
        };
        for a in 0x80..=0xFF {
            check(&[a]);
            for b in 0..=0xFF {
                check(&[a, b]);
            }
        }
        for lead in [0x8E, 0x8F] {
            for b in 0xA0..=0xFF {
                for c in 0x7E..=0xFF {
                    check(&[lead, b, c]);
                }
            }
        }
        if charset == Charset::EUC_TW {
            for plane in 0xA0..=0xB1 {
                for b in 0xA0..=0xFF {
                    for c in 0xA0..=0xFF {
                        check(&[0x8E, plane, b, c]);
                    }
                }
            }
        }
        assert!(expected.keys().all(|bytes| bytes.len() <= 4));
    }
}

/// Whether the bytes are sound characters one after another, ASCII too.
fn parts(expected: &BTreeMap<Vec<u8>, String>, bytes: &[u8]) -> bool {
    bytes.is_empty()
        || bytes[0] < 0x80 && parts(expected, &bytes[1..])
        || (1..=bytes.len())
            .any(|n| expected.contains_key(&bytes[..n]) && parts(expected, &bytes[n..]))
}

#[test]
fn characters_are_written_as_their_first_code() {
    for charset in CHARSETS {
        let mut first: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (bytes, text) in expected(charset) {
            let kept = first.entry(text).or_insert_with(|| bytes.clone());
            // Plane 1 of EUC-TW is written in two bytes, though 8E sorts before.
            if bytes.len() < kept.len() {
                *kept = bytes;
            }
        }
        for (text, bytes) in first {
            if text.is_ascii() {
                continue;
            }
            let mut log = LossLog::new();
            let written = charset
                .encode(&text, Unmappable::Skip, &mut log)
                .into_owned();
            assert!(log.is_empty(), "{charset} {text:?}");
            let (again, _) = decode(charset, Mode::Lenient, &written);
            assert_eq!(
                (&again, written.len()),
                (&text, bytes.len()),
                "{charset} {text:?}"
            );
        }
    }
}

#[test]
fn damage_is_bounded_and_ascii_is_read_again() {
    let mut random = Random(3);
    for (charset, bytes, text, losses) in [
        (
            Charset::EUC_TW,
            &b"\xA4A\n"[..],
            "\u{FFFD}A\n",
            &[(0, 1)][..],
        ),
        (Charset::EUC_TW, b"\x8E\xA2\xA1\n", "\u{FFFD}\n", &[(0, 3)]),
        (Charset::EUC_TW, b"\x8E\xA2\xA1", "\u{FFFD}", &[(0, 3)]),
        (Charset::EUC_TW, b"\x8E<", "\u{FFFD}<", &[(0, 1)]),
        (
            Charset::EUC_TW,
            b"\x80\xFFx",
            "\u{FFFD}\u{FFFD}x",
            &[(0, 2)],
        ),
        (Charset::EUC_TW, b"\xFE\xFEx", "\u{FFFD}x", &[(0, 2)]),
        (Charset::EUC_JIS_2004, b"\x8F\xA1<", "\u{FFFD}<", &[(0, 2)]),
        (
            Charset::EUC_JIS_2004,
            b"\x8E\xE0",
            "\u{FFFD}\u{FFFD}",
            &[(0, 2)],
        ),
        (Charset::SHIFT_JIS_2004, b"\x81\n", "\u{FFFD}\n", &[(0, 1)]),
        (
            Charset::SHIFT_JIS_2004,
            b"\xFD\xA0\x80",
            "\u{FFFD}\u{FFFD}\u{FFFD}",
            &[(0, 3)],
        ),
        (
            Charset::JOHAB,
            b"\x88\x20\xD8x",
            "\u{FFFD} \u{FFFD}x",
            &[(0, 1), (2, 3)],
        ),
        (Charset::GB12345, b"\xB0\xA1\xB0", "啊\u{FFFD}", &[(2, 3)]),
        (
            Charset::EXTENDED_UNIX_CODE_FIXED_WIDTH_FOR_JAPANESE,
            b"\0a\0\xB1\xB8\xEC\xB0\x21\xFF\xFF\0",
            "aｱ語丂\u{FFFD}\u{FFFD}",
            &[(8, 10), (10, 11)],
        ),
    ] {
        let (got, log) = decode(charset, Mode::Lenient, bytes);
        let kept: Vec<_> = log
            .kept()
            .iter()
            .map(|l| (l.bytes.start, l.bytes.end))
            .collect();
        assert_eq!(
            (got.as_str(), kept.as_slice()),
            (text, losses),
            "{charset} {bytes:x?}"
        );
        split_everywhere(charset, Mode::Lenient, bytes, &mut random);
    }
}

#[test]
fn two_characters_of_one_code_are_written_as_one() {
    for (charset, bytes) in [
        (Charset::EUC_JIS_2004, &b"\xA4\xF7\xA4\xAB"[..]),
        (Charset::SHIFT_JIS_2004, b"\x82\xF5\x82\xA9"),
    ] {
        let text = "か\u{309A}か";
        assert_eq!(decode(charset, Mode::Lenient, bytes).0, text);
        let mut log = LossLog::new();
        assert_eq!(charset.encode(text, Unmappable::Skip, &mut log)[..], *bytes);
        assert!(log.is_empty());
    }
}

/// The order of 1978 is kept by the code pages 932 and 942 of IBM: 22 pairs of kanji and four more stand where the
/// standard of 1983 exchanged them (JIS X 0208:1997 annex 2).
#[test]
fn jis_c_6226_of_1978_differs_in_26_kanji_and_what_came_later() {
    let (old, new) = (Charset::JIS_C6226_1978, Charset::JIS_C6226_1983);
    let (mut other, mut gone) = (Vec::new(), 0);
    for row in 0x21..=0x7E_u8 {
        for column in 0x21..=0x7E {
            let [(was, lost), (is, not)] = [old, new]
                .map(|c| decode(c, Mode::Strict, &[row, column]))
                .map(|(t, l)| (t, !l.is_empty()));
            match (lost, not) {
                (true, false) => gone += 1,
                (false, false) if was != is => other.push((was, is)),
                (false, true) => panic!("{row:X} {column:X}"),
                _ => {}
            }
        }
    }
    // 39 signs, 32 lines, six kanji.
    assert_eq!((other.len(), gone), (48, 39 + 32 + 6));
    let swapped = other
        .iter()
        .filter(|(was, is)| other.contains(&(is.clone(), was.clone())))
        .count();
    assert_eq!(swapped, 44);
    assert!(
        other.contains(&("鰺".into(), "鯵".into())) && other.contains(&("堯".into(), "尭".into()))
    );
}
