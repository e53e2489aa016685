//! UTF-16 and UTF-32 in both byte orders: marks, labels that are wrong, statistics and damage (RFC 2781 section 4).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, csv, decode, shared, split_everywhere};
use mailglot_codec::{Charset, DecodeOptions, LossKind, LossLog, Marks, Mode, Resolved, View};

/// Label, bytes, then text and records in lenient and in strict mode.
type Case = (
    &'static str,
    &'static [u8],
    (&'static str, &'static [Record]),
    (&'static str, &'static [Record]),
);
type Record = (u64, u64, LossKind);

const MARK: Record = (0, 2, LossKind::ByteOrderMark);
const MARK_32: Record = (0, 4, LossKind::ByteOrderMark);
const OPPOSITE: Record = (0, 2, LossKind::OppositeByteOrderMark);
const OPPOSITE_32: Record = (0, 4, LossKind::OppositeByteOrderMark);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // No mark: too little to tell is big-endian, as strict mode always is.
    ("utf-16", b"\0A\0B", ("AB", &[]), ("AB", &[])),
    ("utf-16", b"A\0B\0", ("\u{4100}\u{4200}", &[]), ("\u{4100}\u{4200}", &[])),
    ("utf-16", b"A\0B\0C\0D\0", ("ABCD", &[]), ("\u{4100}\u{4200}\u{4300}\u{4400}", &[])),
    // The mark decides, and is no text; the second one is.
    ("utf-16", b"\xFE\xFF\0A", ("A", &[MARK]), ("A", &[MARK])),
    ("utf-16", b"\xFF\xFEA\0", ("A", &[MARK]), ("A", &[MARK])),
    ("utf-16", b"\xFE\xFF\0A\xFE\xFF\0B", ("A\u{FEFF}B", &[MARK]), ("A\u{FEFF}B", &[MARK])),
    ("utf-16", b"\xFE\xFF\0A\xFF\xFE\0B", ("A\u{FFFE}B", &[MARK]), ("A\u{FFFE}B", &[MARK])),
    ("utf-16", b"\xFF\xFE\xFF\xFEA\0", ("\u{FEFF}A", &[MARK]), ("\u{FEFF}A", &[MARK])),
    ("utf-16", b"\xFE\xFF", ("", &[MARK]), ("", &[MARK])),
    // The order is in the label.
    ("utf-16be", b"\xFE\xFF\0A", ("A", &[MARK]), ("\u{FEFF}A", &[])),
    ("utf-16le", b"\xFF\xFEA\0", ("A", &[MARK]), ("\u{FEFF}A", &[])),
    ("utf-16be", b"\xFF\xFEA\0", ("A", &[OPPOSITE]), ("\u{FFFD}\u{4100}", &[OPPOSITE])),
    ("utf-16le", b"\xFE\xFF\0A", ("A", &[OPPOSITE]), ("\u{FFFD}\u{4100}", &[OPPOSITE])),
    // UTF-8 under another name.
    ("utf-16", b"\xEF\xBB\xBFabc", ("abc", &[(0, 3, LossKind::LabelLied)]), ("\u{EFBB}\u{BF61}\u{6263}", &[])),
    ("utf-16", b"plain ascii.", ("plain ascii.", &[(0, 0, LossKind::LabelLied)]), ("\u{706C}\u{6169}\u{6E20}\u{6173}\u{6369}\u{692E}", &[])),
    ("utf-16", "naïve".as_bytes(), ("naïve", &[(0, 0, LossKind::LabelLied)]), ("\u{6E61}\u{C3AF}\u{7665}", &[])),
    ("utf-16be", b"\xEF\xBB\xBFabc", ("abc", &[(0, 3, LossKind::LabelLied)]), ("\u{EFBB}\u{BF61}\u{6263}", &[])),
    // Damage.
    ("utf-16be", b"\0A\0", ("A\u{FFFD}", &[(2, 3, LossKind::Truncated)]), ("A\u{FFFD}", &[(2, 3, LossKind::Truncated)])),
    ("utf-16be", b"\xD8\x3D\xDE\0", ("\u{1F600}", &[]), ("\u{1F600}", &[])),
    ("utf-16be", b"\xD8\x3D\0A", ("\u{FFFD}A", &[(0, 2, LossKind::LoneSurrogate)]), ("\u{FFFD}A", &[(0, 2, LossKind::LoneSurrogate)])),
    ("utf-16be", b"\xDE\0\0A", ("\u{FFFD}A", &[(0, 2, LossKind::LoneSurrogate)]), ("\u{FFFD}A", &[(0, 2, LossKind::LoneSurrogate)])),
    ("utf-16be", b"\xD8\x3D\xD8\x3D\xDE\0", ("\u{FFFD}\u{1F600}", &[(0, 2, LossKind::LoneSurrogate)]), ("\u{FFFD}\u{1F600}", &[(0, 2, LossKind::LoneSurrogate)])),
    ("utf-16be", b"\0A\xD8\x3D", ("A\u{FFFD}", &[(2, 4, LossKind::LoneSurrogate)]), ("A\u{FFFD}", &[(2, 4, LossKind::LoneSurrogate)])),
    ("utf-16be", b"\0A\xD8\x3D\xDE", ("A\u{FFFD}", &[(2, 5, LossKind::LoneSurrogate)]), ("A\u{FFFD}", &[(2, 5, LossKind::LoneSurrogate)])),
    ("utf-16", b"", ("", &[]), ("", &[])),
    ("utf-16", b"\xFE", ("\u{FFFD}", &[(0, 1, LossKind::Truncated)]), ("\u{FFFD}", &[(0, 1, LossKind::Truncated)])),
    // UCS-2 is the same; pairs are characters.
    ("ucs-2", b"\0A\xD8\x3D\xDE\0", ("A\u{1F600}", &[]), ("A\u{1F600}", &[])),
    ("ucs-2", b"\xFE\xFF\0A", ("A", &[MARK]), ("A", &[MARK])),
    ("ucs-2", b"A\0B\0", ("\u{4100}\u{4200}", &[]), ("\u{4100}\u{4200}", &[])),
    ("iso-10646-ucs-2", b"\0A\0B", ("AB", &[]), ("AB", &[])),
    ("unicode", b"\0A\0B", ("AB", &[]), ("AB", &[])),
    ("ucs-2-internal", b"A\0B\0C\0D\0", ("ABCD", &[]), ("\u{4100}\u{4200}\u{4300}\u{4400}", &[])),
    ("ucs-2-swapped", b"\0A\0B\0C\0D", ("ABCD", &[]), ("ABCD", &[])),
    ("ucs-2le", b"A\0", ("A", &[]), ("A", &[])),
    ("ucs-2be", b"\0A", ("A", &[]), ("A", &[])),
    // Subsets of UCS-2, and Unicode 1.1: big-endian.
    ("unicode-1-1", b"\0A\x04\x10", ("AА", &[]), ("AА", &[])),
    ("unicode-1-1", b"\xFF\xFEA\0", ("A", &[OPPOSITE]), ("\u{FFFD}\u{4100}", &[OPPOSITE])),
    ("iso-10646-ucs-basic", b"\0A\0B", ("AB", &[]), ("AB", &[])),
    ("iso-10646-unicode-latin1", b"\0\xE9", ("é", &[]), ("é", &[])),
    ("iso-10646-j-1", b"\x65\xE5\x67\x2C", ("日本", &[]), ("日本", &[])),
    ("iso-unicode-ibm-1261", b"\x01\x0D", ("č", &[]), ("č", &[])),
    ("iso-unicode-ibm-1276", b"\x04\x10", ("А", &[]), ("А", &[])),
    // UTF-32: the mark of four bytes is looked for before that of two.
    ("utf-32", b"\0\0\xFE\xFF\0\0\0A", ("A", &[MARK_32]), ("A", &[MARK_32])),
    ("utf-32", b"\xFF\xFE\0\0A\0\0\0", ("A", &[MARK_32]), ("A", &[MARK_32])),
    ("utf-32", b"\0\0\0A", ("A", &[]), ("A", &[])),
    ("utf-32", b"A\0\0\0", ("A", &[]), ("\u{FFFD}", &[(0, 4, LossKind::TooLarge)])),
    ("utf-32be", b"\0\x11\0\0\0\0\0A", ("\u{FFFD}A", &[(0, 4, LossKind::TooLarge)]), ("\u{FFFD}A", &[(0, 4, LossKind::TooLarge)])),
    ("utf-32be", b"\0\0\xD8\0\0\0\0A", ("\u{FFFD}A", &[(0, 4, LossKind::Surrogate)]), ("\u{FFFD}A", &[(0, 4, LossKind::Surrogate)])),
    ("utf-32be", b"\0\0\0A\0\0", ("A\u{FFFD}", &[(4, 6, LossKind::Truncated)]), ("A\u{FFFD}", &[(4, 6, LossKind::Truncated)])),
    ("utf-32be", b"\0\0\xFE\xFF\0\0\0A", ("A", &[MARK_32]), ("\u{FEFF}A", &[])),
    ("utf-32le", b"\0\0\xFE\xFF\0\0\0A", ("A", &[OPPOSITE_32]), ("\u{FFFD}\u{FFFD}", &[OPPOSITE_32, (4, 8, LossKind::TooLarge)])),
    ("ucs-4", b"\0\0\0A", ("A", &[]), ("A", &[])),
    ("iso-10646-ucs-4", b"\0\0\0A", ("A", &[]), ("A", &[])),
    ("iso-10646-ucs-4", b"\xFF\xFE\0\0A\0\0\0", ("A", &[MARK_32]), ("A", &[MARK_32])),
    ("ucs-4le", b"A\0\0\0", ("A", &[]), ("A", &[])),
    ("ucs-4-internal", b"A\0\0\0", ("A", &[]), ("\u{FFFD}", &[(0, 4, LossKind::TooLarge)])),
];

fn charset(label: &str) -> Charset {
    Charset::for_label(label.as_bytes(), View::Mail)
        .charset()
        .unwrap_or_else(|| panic!("{label}"))
}

#[test]
fn every_case_in_both_modes() {
    let mut random = Random(16);
    for (label, bytes, lenient, strict) in CASES {
        for (mode, (text, records)) in [(Mode::Lenient, lenient), (Mode::Strict, strict)] {
            let (got, log) = decode(charset(label), mode, bytes);
            let kept: Vec<_> = log
                .kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end, l.kind))
                .collect();
            assert_eq!(
                (&got.as_str(), &kept.as_slice()),
                (text, records),
                "{label} {mode:?} {bytes:x?}"
            );
            split_everywhere(charset(label), mode, bytes, &mut random);
        }
    }
}

#[test]
fn the_shared_probes_are_among_the_cases() {
    let Some(path) = shared("data/charsets/utf16_utf32_probe.csv") else {
        return;
    };
    let probes = csv(&path);
    assert_eq!(probes.len(), 35);
    let unlike = ["plain ascii"];
    for row in probes {
        let bytes: Vec<u8> = row[1]
            .split_ascii_whitespace()
            .map(|b| u8::from_str_radix(b, 16).unwrap())
            .collect();
        let known = CASES
            .iter()
            .any(|(label, case, ..)| *label == row[2] && *case == bytes);
        assert!(
            known || unlike.iter().any(|u| u.as_bytes() == bytes),
            "{}",
            row[0]
        );
    }
}

const TEXTS: [&str; 9] = [
    "The quick brown fox jumps over the lazy dog.\r\n",
    "Über die Zeit, in der wir leben.",
    "Съешь же ещё этих мягких французских булок.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "שלום לכולם, מה נשמע היום?",
    "吾輩は猫である。名前はまだ無い。\r\nどこで生れたかとんと見当がつかぬ。",
    "今天天气很好，我们去公园散步吧。\n明天也去。",
    "모든 사람은 태어날 때부터 자유롭고 평등하다.",
    "\u{1F600}\u{1F601} ok \u{1F602}",
];

fn big(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn little(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn statistics_find_the_order() {
    for text in TEXTS {
        for label in ["utf-16", "ucs-2", "unicode", "unicodefeff", "iso-10646-1"] {
            assert_eq!(
                decode(charset(label), Mode::Lenient, &big(text)).0,
                text,
                "{label}"
            );
            assert_eq!(
                decode(charset(label), Mode::Lenient, &little(text)).0,
                text,
                "{label}"
            );
            let (strict, log) = decode(charset(label), Mode::Strict, &big(text));
            assert_eq!((strict.as_str(), log.is_empty()), (text, true), "{label}");
        }
    }
    // A tie is big-endian: units that mean as much in either order.
    let tie = "\u{4141}\u{4242}\u{4343}\u{4141}\u{8181}";
    assert_eq!(decode(Charset::UTF_16, Mode::Lenient, &big(tie)).0, tie);
    assert_eq!(
        decode(
            Charset::UTF_16,
            Mode::Lenient,
            b"\x20\x00\x00\x20\x20\x00\x00\x20\x20\x00\x00\x20"
        )
        .0
        .chars()
        .next(),
        Some('\u{2000}')
    );
}

#[test]
fn the_web_takes_utf_16_for_little_endian() {
    let web = DecodeOptions::new(Mode::Lenient).marks(Marks::Web);
    let mut random = Random(17);
    for _ in 0..5_000 {
        let mut bytes: Vec<u8> = match random.below(5) {
            0 => b"\xFF\xFE".to_vec(),
            1 => b"\xFE\xFF".to_vec(),
            2 => b"\xEF\xBB\xBF".to_vec(),
            _ => Vec::new(),
        };
        for _ in 0..random.below(20) {
            bytes.push(*random.pick(&[0, 0, 0x20, 0x41, 0x0A, 0xD8, 0xDC, 0xFE, 0xFF, 0x30]));
        }
        for (charset, encoding) in [
            (Charset::UTF_16, encoding_rs::UTF_16LE),
            (Charset::UTF_16LE, encoding_rs::UTF_16LE),
            (Charset::UTF_16BE, encoding_rs::UTF_16BE),
        ] {
            for mode in [web, DecodeOptions::new(Mode::Strict).marks(Marks::Web)] {
                let mut log = LossLog::new();
                let text = charset.decode_with(&bytes, mode, &mut log);
                assert_eq!(text, encoding.decode(&bytes).0, "{charset} {bytes:x?}");
            }
            if charset != Charset::UTF_16 {
                let keep = DecodeOptions::new(Mode::Lenient).marks(Marks::Keep);
                let mut log = LossLog::new();
                let text = charset.decode_with(&bytes, keep, &mut log);
                assert_eq!(
                    text,
                    encoding.decode_without_bom_handling(&bytes).0,
                    "{charset} {bytes:x?}"
                );
            }
        }
    }
    assert_eq!(
        Charset::for_label(b"utf-16", View::Whatwg).charset(),
        Some(Charset::UTF_16LE)
    );
}

#[test]
fn marks_that_are_kept() {
    let keep = DecodeOptions::new(Mode::Lenient).marks(Marks::Keep);
    let read = |charset: Charset, bytes: &[u8]| {
        let mut log = LossLog::new();
        let text = charset.decode_with(bytes, keep, &mut log).into_owned();
        assert!(log.is_empty(), "{log:?}");
        text
    };
    assert_eq!(read(Charset::UTF_16, b"\xFE\xFF\0A"), "\u{FEFF}A");
    assert_eq!(read(Charset::UTF_16, b"\xFF\xFEA\0"), "\u{FEFF}A");
    assert_eq!(read(Charset::UTF_16BE, b"\xFF\xFEA\0"), "\u{FFFE}\u{4100}");
    assert_eq!(read(Charset::UTF_32, b"\xFF\xFE\0\0A\0\0\0"), "\u{FEFF}A");
}

#[test]
fn every_name_of_a_unicode_form_is_known() {
    for (name, expected) in [
        ("ISO-10646-UTF-1", Charset::ISO_10646_UTF_1),
        ("csISO10646UTF1", Charset::ISO_10646_UTF_1),
        ("SCSU", Charset::SCSU),
        ("csSCSU", Charset::SCSU),
        ("BOCU-1", Charset::BOCU_1),
        ("csBOCU1", Charset::BOCU_1),
        ("csBOCU-1", Charset::BOCU_1),
        ("UTF-7-IMAP", Charset::UTF_7_IMAP),
        ("csUTF7IMAP", Charset::UTF_7_IMAP),
        ("UTF-EBCDIC", Charset::UTF_EBCDIC),
        ("UTF8-MAC", Charset::UTF_8_MAC),
        ("UNICODE-1-1-UTF-7", Charset::UNICODE_1_1_UTF_7),
        ("csUnicode11", Charset::UNICODE_1_1),
        ("csUnicodeASCII", Charset::ISO_10646_UCS_BASIC),
        ("csUnicodeLatin1", Charset::ISO_10646_UNICODE_LATIN1),
        ("ISO-10646", Charset::ISO_10646_UNICODE_LATIN1),
        ("csUnicodeJapanese", Charset::ISO_10646_J_1),
        ("csUnicodeIBM1268", Charset::ISO_UNICODE_IBM_1268),
        ("UTF16_BigEndian", Charset::UTF_16BE),
        ("UnicodeLittle", Charset::UTF_16LE),
        ("ibm-1208", Charset::UTF_8),
        ("cp1200", Charset::UTF_16LE),
        ("cp1201", Charset::UTF_16BE),
        ("cp12000", Charset::UTF_32LE),
        ("cp12001", Charset::UTF_32BE),
        ("cp65000", Charset::UTF_7),
        ("cp65001", Charset::UTF_8),
    ] {
        let resolved = Charset::for_label(name.as_bytes(), View::Mail);
        assert_eq!(resolved.charset(), Some(expected), "{name}");
        assert!(
            matches!(resolved, Resolved::Exact(_) | Resolved::Alias(_)),
            "{name} {resolved:?}"
        );
    }
}
