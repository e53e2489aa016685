//! Checks UTF-8 over all short sequences, and the repairs. The text is that of `std` and of WHATWG. The records are
//! those of a model that was written down once more (RFC 3629, RFC 2279, UTR 26).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, split_everywhere};
use mailglot_codec::{Charset, DecodeOptions, Decoder, LossKind, LossLog, Marks, Mode, Repair};

type Record = (u64, u64, LossKind);

/// The records that a sequence must give, one for each would-be character; touching ones are not merged.
fn model(bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (len, kind) = form(&bytes[at..]);
        if let Some(kind) = kind {
            records.push((at as u64, (at + len) as u64, kind));
        }
        at += len;
    }
    records
}

/// The length of the form at the start, and what is wrong with it.
fn form(bytes: &[u8]) -> (usize, Option<LossKind>) {
    let announced = match bytes[0].leading_ones() {
        0 => return (1, None),
        1 => return (1, Some(LossKind::StrayContinuation)),
        7.. => return (1, Some(LossKind::InvalidByte)),
        n => n as usize,
    };
    let len = 1 + bytes[1..]
        .iter()
        .take(announced - 1)
        .take_while(|b| **b & 0xC0 == 0x80)
        .count();
    // The least and the greatest character that begins like this.
    let bits = bytes[1..len]
        .iter()
        .fold(u64::from(bytes[0]) & (0x7F >> announced), |v, b| {
            v << 6 | u64::from(b & 0x3F)
        });
    let missing = 6 * (announced - len) as u64;
    let (least, greatest) = (bits << missing, (bits << missing) + (1 << missing) - 1);
    let needed = [0, 0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000][announced];
    let kind = if announced > 4 {
        if announced == 5 {
            LossKind::Obsolete5
        } else {
            LossKind::Obsolete6
        }
    } else if greatest < needed {
        LossKind::Overlong
    } else if least > 0x10_FFFF {
        LossKind::TooLarge
    } else if least >= 0xD800 && greatest < 0xE000 {
        LossKind::Surrogate
    } else if len < announced {
        return (len, Some(LossKind::Truncated));
    } else {
        return (len, None);
    };
    let pair = kind == LossKind::Surrogate && len == 3 && bits < 0xDC00 && bytes.len() >= 6;
    if pair && matches!(bytes[3..6], [0xED, 0xB0..=0xBF, 0x80..=0xBF]) {
        return (6, Some(LossKind::CesuPair));
    }
    // A lead byte alone says nothing about a form.
    (
        len,
        Some(if len == 1 {
            LossKind::InvalidByte
        } else {
            kind
        }),
    )
}

/// As a log keeps them.
fn merged(records: &[Record]) -> Vec<Record> {
    let mut out: Vec<Record> = Vec::new();
    for record in records {
        match out.last_mut() {
            Some(last) if last.1 == record.0 && last.2 == record.2 => last.1 = record.1,
            _ => out.push(*record),
        }
    }
    out
}

fn kept(log: &LossLog) -> Vec<Record> {
    log.kept()
        .iter()
        .map(|l| (l.bytes.start, l.bytes.end, l.kind))
        .collect()
}

fn check(bytes: &[u8]) {
    let mut log = LossLog::new();
    let text = Charset::UTF_8.decode(bytes, &mut log);
    let expected = model(bytes);
    assert!(
        text == String::from_utf8_lossy(bytes) && log.losses() == expected.len() as u64,
        "{bytes:x?}"
    );
    if !log.is_empty() {
        assert_eq!(kept(&log), merged(&expected), "{bytes:x?}");
    }
}

#[test]
fn every_sequence_of_up_to_three_bytes() {
    let mut checked = 0;
    for a in 0..=0xFF_u8 {
        check(&[a]);
        for b in 0..=0xFF {
            check(&[a, b]);
            // Behind ASCII there are two bytes only, which were checked.
            for c in (0..=0xFF_u8).filter(|c| a >= 0x80 && [a, b, *c] != [0xEF, 0xBB, 0xBF]) {
                check(&[a, b, c]);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 128 * 256 * 256 - 1);
}

/// One byte of each class, and the borders of the classes.
const CLASSES: [u8; 32] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
    0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFB, 0xFC, 0xFD, 0xFE,
];

#[test]
fn every_sequence_of_four_bytes_by_class() {
    for a in CLASSES {
        for b in CLASSES {
            for c in CLASSES {
                for d in CLASSES {
                    check(&[a, b, c, d]);
                    check(&[0xFF, a, b, c, d]);
                }
            }
        }
    }
}

#[test]
fn longer_forms_by_class() {
    let classes = [0x41, 0x80, 0xA0, 0xBF, 0xED, 0xF0, 0xF8, 0xFC];
    for lead in [0xED, 0xF0, 0xF8, 0xFB, 0xFC, 0xFD] {
        for number in 0..8_u32.pow(6) {
            let rest = (0..6).map(|i| classes[(number >> (3 * i) & 7) as usize]);
            let bytes: Vec<u8> = std::iter::once(lead).chain(rest).collect();
            check(&bytes);
        }
    }
}

#[test]
fn whatwg_reads_the_same() {
    let mut random = Random(8);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.below(24))
            .map(|_| *random.pick(&CLASSES))
            .collect();
        let mut log = LossLog::new();
        let ours = Charset::UTF_8.decode(&bytes, &mut log);
        assert_eq!(
            ours,
            encoding_rs::UTF_8.decode_with_bom_removal(&bytes).0,
            "{bytes:x?}"
        );
    }
}

#[test]
fn every_split_behind_ascii() {
    let mut random = Random(9);
    for front in 0..32 {
        for bytes in [
            &b"\xED\xA0\xBD\xED\xB8\x80"[..],
            b"\xED\xA0\xBD\xED\xB8",
            b"\xFC\x84\x80\x80\x80\x80\xF8",
            b"\xF0\x9F\x98\x80\xE2\x82\xAC\xC0\x80",
            b"\xEF\xBB\xBF\xEF\xBB",
        ] {
            let bytes = [&vec![b'a'; front], bytes].concat();
            for mode in [Mode::Lenient, Mode::Strict] {
                split_everywhere(Charset::UTF_8, mode, &bytes, &mut random);
                split_everywhere(Charset::CESU_8, mode, &bytes, &mut random);
            }
        }
    }
}

#[test]
fn valid_text_is_taken_without_a_copy() {
    let taken = |options: DecodeOptions, bytes: &[u8]| {
        let mut decoder = Decoder::with(Charset::UTF_8, options);
        decoder.take_text(bytes).to_owned()
    };
    let strict = DecodeOptions::new(Mode::Strict);
    assert_eq!(taken(strict, "aß€\u{1F600}".as_bytes()), "aß€\u{1F600}");
    for cut in [&b"\xC3"[..], b"\xE2", b"\xE2\x82", b"\xF0\x9F\x98"] {
        assert_eq!(taken(strict, &[b"sound ", cut].concat()), "sound ");
    }
    assert_eq!(taken(strict, b"before \xFF behind"), "before ");
    let mark = "\u{FEFF}a".as_bytes();
    assert_eq!(taken(strict, mark), "\u{FEFF}a");
    assert_eq!(taken(DecodeOptions::new(Mode::Lenient), mark), "");
    // A cut character that the decoder keeps must come first.
    let (mut decoder, mut text) = (Charset::UTF_8.new_decoder(Mode::Strict), String::new());
    decoder.push(b"\xC3", &mut text, &mut LossLog::new());
    assert_eq!(decoder.take_text(b"\xA9a"), "");
}

fn repaired(charset: Charset, options: DecodeOptions, bytes: &[u8]) -> (String, Vec<Record>) {
    let mut log = LossLog::new();
    (
        charset.decode_with(bytes, options, &mut log).into_owned(),
        kept(&log),
    )
}

#[test]
fn cesu_pairs_are_repaired_on_request() {
    let options = DecodeOptions::new(Mode::Lenient).with(Repair::Cesu8);
    for c in ('\u{10000}'..=char::MAX).step_by(97) {
        let mut log = LossLog::new();
        let bytes = Charset::CESU_8
            .encode(
                c.encode_utf8(&mut [0; 4]),
                mailglot_codec::Unmappable::Skip,
                &mut log,
            )
            .into_owned();
        assert_eq!(bytes.len(), 6);
        let expected = (c.to_string(), vec![(0, 6, LossKind::CesuPairRepaired)]);
        assert_eq!(repaired(Charset::UTF_8, options, &bytes), expected);
        assert_eq!(
            repaired(Charset::CESU_8, Mode::Strict.into(), &bytes),
            (c.to_string(), vec![])
        );
    }
    // Halves stay damage.
    assert_eq!(
        repaired(Charset::UTF_8, options, b"\xED\xA0\xBDx").0,
        "\u{FFFD}\u{FFFD}\u{FFFD}x"
    );
    // Four bytes are another charset's form.
    let long = repaired(
        Charset::CESU_8,
        Mode::Strict.into(),
        "a\u{1F600}".as_bytes(),
    );
    assert_eq!(long, ("a\u{1F600}".into(), vec![(1, 5, LossKind::Invalid)]));
    assert_eq!(
        repaired(
            Charset::CESU_8,
            Mode::Lenient.into(),
            "\u{1F600}".as_bytes()
        )
        .1,
        []
    );
}

/// A character in a form of `len` bytes, shortest or not (RFC 2279 section 2).
fn long_form(code: u32, len: u32) -> Vec<u8> {
    let lead = (0xFF00_u32 >> len) as u8 | (u64::from(code) >> (6 * (len - 1))) as u8;
    let trail = (0..len - 1)
        .rev()
        .map(|i| 0x80 | (code >> (6 * i) & 0x3F) as u8);
    std::iter::once(lead).chain(trail).collect()
}

#[test]
fn forms_of_rfc_2279_are_repaired_on_request_but_never_hide_ascii() {
    let options = DecodeOptions::new(Mode::Lenient).with(Repair::Rfc2279);
    for len in 2..=6 {
        for code in (0..0x80)
            .chain((0x80..0x11_0000).step_by(61))
            .chain([0x10_FFFF, 0x11_0000, 0x1F_FFFF])
        {
            let shortest = char::from_u32(code).map(|c| c.len_utf8() as u32);
            if len < 6 && code >> (5 * len + 1) != 0 || shortest == Some(len) {
                continue;
            }
            let bytes = long_form(code, len);
            let (text, records) = repaired(Charset::UTF_8, options, &bytes);
            match char::from_u32(code).filter(|c| !c.is_ascii()) {
                Some(c) => {
                    assert_eq!(text, c.to_string(), "{bytes:x?}");
                    assert_eq!(
                        records,
                        [(0, u64::from(len), LossKind::Rfc2279Repaired)],
                        "{bytes:x?}"
                    );
                }
                None => assert_eq!(text, String::from_utf8_lossy(&bytes), "{bytes:x?}"),
            }
            // Unasked nothing is repaired.
            assert_eq!(
                repaired(Charset::UTF_8, Mode::Lenient.into(), &bytes).0,
                String::from_utf8_lossy(&bytes)
            );
        }
    }
    assert_eq!(
        repaired(Charset::UTF_8, options, b"\xC0\x80/\xC0\xAE")
            .0
            .matches('\u{FFFD}')
            .count(),
        4
    );
    // In strict mode what is read is an error all the same.
    let mut log = LossLog::new();
    let options = DecodeOptions::new(Mode::Strict).with(Repair::Rfc2279);
    assert_eq!(
        Charset::UTF_8.decode_with(&long_form(0xE9, 3), options, &mut log),
        "é"
    );
    assert_eq!(log.losses(), 1);
}

/// RFC 3629 section 6, and the rules of the web.
#[test]
fn marks() {
    for (marks, mode, text) in [
        (Marks::ByMode, Mode::Lenient, "a\u{FEFF}"),
        (Marks::ByMode, Mode::Strict, "\u{FEFF}a\u{FEFF}"),
        (Marks::Keep, Mode::Lenient, "\u{FEFF}a\u{FEFF}"),
        (Marks::Web, Mode::Strict, "a\u{FEFF}"),
    ] {
        let options = DecodeOptions::new(mode).marks(marks);
        assert_eq!(
            repaired(Charset::UTF_8, options, "\u{FEFF}a\u{FEFF}".as_bytes()).0,
            text
        );
    }
}
