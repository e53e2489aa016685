//! Whole ranges against `encoding_rs`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/whatwg_labels.rs"]
mod whatwg_labels;

mod encoders;

use common::decode;
use encoding_rs::{DecoderResult, Encoding};
use mailglot_codec::{Charset, LossKind, Mode, Resolved, View};
use whatwg_labels::{MULTI_BYTE, SINGLE_BYTE};

/// What `encoding_rs` makes of a whole input: text with U+FFFD, and the malformed ranges.
fn oracle(encoding: &'static Encoding, bytes: &[u8]) -> (String, Vec<(u64, u64)>) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text, mut ranges, mut at) = (String::new(), Vec::new(), 0);
    loop {
        let mut out = [0; 256];
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(&bytes[at..], &mut out, true);
        at += read;
        text.push_str(std::str::from_utf8(&out[..written]).unwrap());
        match result {
            DecoderResult::InputEmpty => return (text, ranges),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(len, after) => {
                let end = at - usize::from(after);
                ranges.push(((end - usize::from(len)) as u64, end as u64));
                text.push('\u{FFFD}');
            }
        }
    }
}

fn merged(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for (start, end) in ranges {
        match out.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => out.push((start, end)),
        }
    }
    out
}

fn ours(charset: Charset, bytes: &[u8]) -> (String, Vec<(u64, u64)>) {
    let (text, log) = decode(charset, Mode::Lenient, bytes);
    // What is only worth knowing is no damage.
    let defects = log.kept().iter().filter(|l| !l.kind.is_info());
    (
        text,
        defects.map(|l| (l.bytes.start, l.bytes.end)).collect(),
    )
}

/// Further labels of charsets of one byte a character. Their lenient table is a WHATWG encoding, too.
const MORE_SINGLE: [&str; 4] = ["iso-8859-1", "iso-8859-9", "iso-8859-11", "tis-620"];

/// Further labels of charsets of several bytes a character. Their lenient table is a WHATWG encoding, too.
const MORE_MULTI: [&str; 4] = ["gb2312", "big5-hkscs", "ks_c_5601-1987", "windows-31j"];

fn pair(label: &str) -> (Charset, &'static Encoding) {
    let charset = Charset::for_label(label.as_bytes(), View::Mail)
        .charset()
        .unwrap();
    (charset, Encoding::for_label(label.as_bytes()).unwrap())
}

#[test]
fn every_byte_of_every_single_byte_charset() {
    for label in SINGLE_BYTE.iter().chain(&MORE_SINGLE) {
        let (charset, encoding) = pair(label);
        for byte in 0..=255 {
            for bytes in [
                &[byte][..],
                &[b'a', byte],
                &[byte; 9],
                b"ABCDEFGH\xE9",
                b"abcdefghijklmnopqrstuvwxyz",
            ] {
                let (text, ranges) = oracle(encoding, bytes);
                assert_eq!(
                    ours(charset, bytes),
                    (text, merged(ranges)),
                    "{label} {bytes:x?}"
                );
            }
        }
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let (text, ranges) = oracle(encoding, &all);
        assert_eq!(ours(charset, &all), (text, merged(ranges)), "{label}");
    }
}

#[test]
fn every_four_byte_sequence_of_gb18030() {
    for first in 0x81..=0xFE {
        for second in 0x30..=0x39 {
            let row: Vec<u8> = (0x81..=0xFE)
                .flat_map(|third| {
                    (0x30..=0x39).flat_map(move |fourth| [first, second, third, fourth])
                })
                .collect();
            let (text, ranges) = oracle(encoding_rs::GB18030, &row);
            let (our_text, our_ranges) = ours(Charset::GB18030, &row);
            assert!(
                our_text == text && our_ranges == merged(ranges),
                "{first:x} {second:x}"
            );
        }
    }
}

#[test]
fn hebrew_gaps_are_filled_from_windows_1255() {
    for byte in 0..=255_u8 {
        let own = oracle(encoding_rs::ISO_8859_8, &[byte]).0;
        let filled = oracle(encoding_rs::WINDOWS_1255, &[byte]).0;
        let expected = if (0x80..0xA0).contains(&byte) || own == "\u{FFFD}" {
            filled
        } else {
            own.clone()
        };
        for charset in [
            Charset::ISO_8859_8,
            Charset::ISO_8859_8_I,
            Charset::ISO_8859_8_E,
        ] {
            assert_eq!(ours(charset, &[byte]).0, expected, "{charset} {byte:x}");
            assert_eq!(
                decode(charset, Mode::Strict, &[byte]).0,
                own,
                "{charset} {byte:x}"
            );
        }
    }
}

#[test]
fn strict_tables_are_the_charsets_own() {
    for byte in 0x80..=255_u8 {
        let strict = |charset| decode(charset, Mode::Strict, &[byte]).0;
        let same = char::from(byte).to_string();
        assert_eq!(strict(Charset::ISO_8859_1), same);
        assert_eq!(strict(Charset::US_ASCII), "\u{FFFD}");
        let (text, log) = decode(Charset::US_ASCII, Mode::Lenient, &[b'a', byte]);
        assert_eq!(
            (text.as_str(), log.kept()[0].kind, log.losses()),
            ("a\u{FFFD}", LossKind::EightBit, 1)
        );
        if byte < 0xA0 {
            assert_eq!(strict(Charset::ISO_8859_9), same);
            assert_eq!(strict(Charset::TIS_620), "\u{FFFD}");
        }
        let hole = matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D);
        assert_eq!(
            strict(Charset::WINDOWS_1252) == "\u{FFFD}",
            hole,
            "{byte:x}"
        );
    }
    assert_eq!(
        decode(Charset::KOI8_U, Mode::Strict, b"\xAE\xBE").0,
        "\u{255D}\u{256C}"
    );
}

#[test]
fn every_pair_of_bytes_of_every_multi_byte_charset() {
    for label in MULTI_BYTE.iter().chain(&MORE_MULTI) {
        let (charset, encoding) = pair(label);
        for lead in 0..=255 {
            for trail in 0..=255 {
                for bytes in [&[lead, trail][..], &[lead, trail, b'\n', b'a']] {
                    let (text, ranges) = oracle(encoding, bytes);
                    let (our_text, our_ranges) = ours(charset, bytes);
                    assert!(
                        our_text == text && our_ranges == merged(ranges),
                        "{label} {bytes:x?} {our_text:?} {our_ranges:?} {text:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn longer_sequences() {
    let mut random = common::Random(5);
    for label in MULTI_BYTE.iter().chain(&MORE_MULTI) {
        let (charset, encoding) = pair(label);
        for _ in 0..30_000 {
            let n = 3 + random.below(12) as usize;
            let bytes: Vec<u8> = (0..n)
                .map(|_| match random.below(4) {
                    0 => random.below(256) as u8,
                    1 => 0x30 + random.below(10) as u8,
                    2 => *random.pick(&[
                        0x81, 0x84, 0x88, 0x8E, 0x8F, 0x90, 0xE3, 0xFE, 0x20, 0x0A, 0x41,
                    ]),
                    _ => 0x80 + random.below(128) as u8,
                })
                .collect();
            let (text, ranges) = oracle(encoding, &bytes);
            assert_eq!(
                ours(charset, &bytes),
                (text, merged(ranges)),
                "{label} {bytes:x?}"
            );
        }
        // All three-byte sequences of EUC-JP and a share of the four-byte ones of gb18030 come by here.
        for second in 0xA1..=0xFE {
            for third in 0..=0xFF {
                let bytes = [0x8F, second, third];
                let (text, ranges) = oracle(encoding, &bytes);
                assert_eq!(
                    ours(charset, &bytes),
                    (text, merged(ranges)),
                    "{label} {bytes:x?}"
                );
            }
        }
    }
}

#[test]
fn ascii_is_never_swallowed() {
    for charset in Charset::all().filter(|c| c.is_ascii_compatible()) {
        for lead in 0x80..=0xFF {
            for ascii in [b' ', b'\n', b'\0', b'\t', 0x1F] {
                let (text, _) = decode(charset, Mode::Lenient, &[b'x', lead, ascii, b'y']);
                assert!(
                    text.ends_with(&format!("{}y", char::from(ascii))),
                    "{charset} {lead:x} {ascii:x}"
                );
            }
            for ascii in [b'<', b'"', b'\'', b'>', b'&'] {
                // Johab's second bytes begin at 31.
                if charset == Charset::JOHAB && ascii >= 0x31 {
                    continue;
                }
                let (text, _) = decode(charset, Mode::Lenient, &[lead, ascii]);
                assert!(
                    text.ends_with(char::from(ascii)),
                    "{charset} {lead:x} {ascii:x}"
                );
            }
        }
    }
}

#[test]
fn iso_2022_jp_where_whatwg_agrees() {
    // Every pair in a run, and damaged ends.
    for lead in 0x21..=0x7F_u8 {
        for trail in 0x21..=0x7F_u8 {
            let mut bytes = b"a\x1b$B".to_vec();
            bytes.extend([lead, trail]);
            bytes.extend(b"\x1b(Bz");
            let (text, ranges) = oracle(encoding_rs::ISO_2022_JP, &bytes);
            let (our_text, our_ranges) = ours(Charset::ISO_2022_JP, &bytes);
            if lead == 0x7F || trail == 0x7F {
                // An odd byte is one U+FFFD and what follows is read again: DEL is no part of a character.
                assert!(our_text.ends_with('z') && !our_ranges.is_empty());
            } else {
                assert_eq!((our_text, our_ranges), (text, merged(ranges)), "{bytes:x?}");
            }
        }
    }
    for bytes in [
        &b"\x1b(J\\~a\x1b(B\\~"[..],
        b"\x1b(I12_\x1b(B",
        b"plain",
        b"\x1b$@0!\x1b(B",
        b"a\x1b\x1b(B",
    ] {
        let (text, ranges) = oracle(encoding_rs::ISO_2022_JP, bytes);
        assert_eq!(
            ours(Charset::ISO_2022_JP, bytes),
            (text, merged(ranges)),
            "{bytes:x?}"
        );
    }
}

#[test]
fn iso_2022_jp_where_it_does_not() {
    for (bytes, text, losses) in [
        // Two escapes in a row and empty runs are silent, as joined encoded-words need it.
        (&b"\x1b$B$3\x1b(B\x1b$B$s\x1b(B"[..], "こん", 0),
        (b"\x1b$B\x1b(Babc\x1b(B\x1b(B", "abc", 0),
        (b"\x1b(I1\x1b$B$3\x1b(B", "ｱこ", 0),
        (b"\x0e12\x0fab", "ｱｲab", 0),
        (b"\xB1\xB2ab", "ｱｲab", 0),
        // A line never inherits a state.
        (b"\x1b$B$3$s\r\nabc", "こん\r\nabc", 0),
        (b"\x1b(J\\\n\\", "\u{A5}\n\\", 0),
        (b"\x1b$(D0!\x1b(B", "丂", 0),
        (b"\x1b$A0!\x1b(B", "啊", 0),
        (b"\x1b$(C0!\x1b(B", "가", 0),
        (b"\x1b.A\x1bNi\x1b.F\x1bNa", "éα", 0),
        (b"\x1b$(B$3\x1b(B", "こ", 0),
        (b"\x1b&@\x1b$B$3\x1b(B", "こ", 0),
        (b"\x1b(H~\x1b(B", "\u{203E}", 0),
        (b"\x1b$B$3 $s\x1b(B", "こ ん", 0),
        (b"\x1b$B$3$\x1b(Bx", "こ\u{FFFD}x", 1),
        (b"\x1b$B$3$\nx", "こ\u{FFFD}\nx", 1),
        (b"\x1b$B$3$", "こ\u{FFFD}", 1),
        // A control sequence of a terminal designates no set.
        (b"\x1b[1mx", "\x1b[1mx", 0),
        (b"\x1b1mx", "\u{FFFD}1mx", 1),
        (b"\x1b$B\x22\x2F\x1b(B", "\u{FFFD}", 1),
        (b"a\x80b", "a\u{FFFD}b", 1),
        (b"\x1b", "\u{FFFD}", 1),
    ] {
        let (got, log) = decode(Charset::ISO_2022_JP, Mode::Lenient, bytes);
        assert_eq!(
            (got.as_str(), log.losses()),
            (text, losses),
            "{:?} {log:?}",
            String::from_utf8_lossy(bytes)
        );
    }
    let (_, log) = decode(Charset::ISO_2022_JP, Mode::Strict, b"\x1b(I1\x1b(B");
    assert_eq!(log.kept()[0].bytes, 0..1);
    assert_eq!(
        decode(Charset::ISO_2022_JP, Mode::Strict, b"a\x0Eb").0,
        "a\u{FFFD}b"
    );
    let (text, log) = decode(Charset::ISO_2022_JP, Mode::Strict, b"\x1b$B$3\x1b(B");
    assert_eq!((text.as_str(), log.is_empty()), ("こ", true));
}

#[test]
fn strict_double_bytes_are_the_charsets_own() {
    let count = |charset: Charset| {
        let mut count = 0;
        for lead in 0x80..=0xFF_u8 {
            for trail in 0x30..=0xFF_u8 {
                let (text, log) = decode(charset, Mode::Strict, &[lead, trail]);
                count += u32::from(log.is_empty() && text.chars().count() == 1);
            }
        }
        count
    };
    assert_eq!(count(Charset::GB2312), 7445);
    // JIS X 0208, and the katakana of EUC's 8E.
    assert_eq!(count(Charset::EUC_JP), 6879 + 63);
    assert_eq!(count(Charset::SHIFT_JIS), 6879);
    // KS X 1001 with the euro and the registered sign.
    assert_eq!(count(Charset::EUC_KR), 8224 + 2);
}

#[test]
fn whatwg_view_is_get_an_encoding() {
    let table = include_str!("../../../../data/labels.tsv");
    let labels = table
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split('\t').next().unwrap());
    let mut known = 0;
    for label in labels {
        let variants = [
            label.to_owned(),
            label.to_uppercase(),
            format!(" \t{label}\r\n"),
            format!("\x0C{label}"),
            format!("\x0B{label}"),
            format!("\"{label}\""),
            format!("{label}x"),
            format!("{label} x"),
        ];
        for variant in variants {
            let expected = Encoding::for_label(variant.as_bytes()).map(Encoding::name);
            let got = Charset::for_label(variant.as_bytes(), View::Whatwg);
            match expected {
                None => assert_eq!(got, Resolved::Unknown, "{variant:?}"),
                Some("replacement" | "x-user-defined") => {
                    assert_eq!(got, Resolved::NoInformation, "{variant:?}");
                }
                Some(name) => {
                    known += 1;
                    assert!(
                        got.charset().unwrap().name().eq_ignore_ascii_case(name),
                        "{variant:?}"
                    );
                }
            }
        }
    }
    // 228 labels in four spellings. Seven of them name charsets that the codec lacks.
    assert_eq!(known, 221 * 4);
}
