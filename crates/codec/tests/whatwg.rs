//! The WHATWG layer against `encoding_rs` over whole ranges, and its hooks against the standard's text.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;
#[path = "common/whatwg_labels.rs"]
mod whatwg_labels;

use common::Random;
use mailglot_codec::whatwg::{self, Bom, Encoding};
use mailglot_codec::{Charset, LossKind, LossLog, View};
use whatwg_labels::{MULTI_BYTE, SINGLE_BYTE};

/// Labels of the encodings that are not in `whatwg_labels`.
const OTHERS: [&str; 8] = [
    "utf-8",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-2022-jp",
    "replacement",
    "utf-16be",
    "utf-16le",
    "x-user-defined",
];

/// Returns all 40 encodings, with those of `encoding_rs`.
fn encodings() -> impl Iterator<Item = (Encoding, &'static encoding_rs::Encoding)> {
    let labels = SINGLE_BYTE.iter().chain(&MULTI_BYTE).chain(&OTHERS);
    labels.map(|label| {
        let theirs = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        (Encoding::for_label(label.as_bytes()).unwrap(), theirs)
    })
}

/// One input in every way that decodes.
fn same(ours: Encoding, theirs: &'static encoding_rs::Encoding, bytes: &[u8]) {
    let (expected, damaged) = theirs.decode_without_bom_handling(bytes);
    let mut log = LossLog::with_limit(0);
    assert!(
        ours.decode(bytes, &mut log) == expected,
        "{ours:?} {bytes:x?}"
    );
    assert_eq!(log.losses() > 0, damaged, "{ours:?} {bytes:x?}");
    let whole = theirs.decode_without_bom_handling_and_without_replacement(bytes);
    assert!(
        ours.decode_or_fail(bytes).ok() == whole,
        "{ours:?} {bytes:x?}"
    );
}

/// Inputs with marks, characters of all lengths, damage, and both shifts of ISO-2022-JP, cut at random.
fn streams(random: &mut Random) -> Vec<u8> {
    const PIECES: &[&[u8]] = &[
        b"\xEF\xBB\xBF",
        b"\xFE\xFF",
        b"\xFF\xFE",
        b"\xEF\xBB",
        b"\xFF",
        b"abc",
        "é日\u{1F600}".as_bytes(),
        b"\x1B$BF|K\\\x1B(B",
        b"\x1B",
        b"\x81\x30\x81\x30",
        b"\xA4\xA2\x8F\xA2\xAF",
        b"\xD8\x3D\xDE\x00",
        b"\xC3",
        b"\x00",
    ];
    let count = random.next() as usize % 6;
    (0..count)
        .flat_map(|_| PIECES[random.next() as usize % PIECES.len()])
        .copied()
        .collect()
}

/// Streams give what `encoding_rs` gives for the whole input, in every mode and however they are cut.
#[test]
fn streams_decode_as_whole_inputs() {
    let mut random = Random(19);
    for (ours, theirs) in encodings() {
        for _ in 0..400 {
            let input = streams(&mut random);
            let (sniffed, used, damaged) = theirs.decode(&input);
            let removed = theirs.decode_with_bom_removal(&input);
            let kept = theirs.decode_without_bom_handling(&input);
            for (bom, text, damaged) in [
                (Bom::Sniff, &sniffed, damaged),
                (Bom::Remove, &removed.0, removed.1),
                (Bom::Keep, &kept.0, kept.1),
            ] {
                let mut cut = |fatal: bool| {
                    let mut decoder = ours.new_decoder().bom(bom).fatal(fatal);
                    let (mut out, mut log) = (String::new(), LossLog::new());
                    let mut rest = &input[..];
                    let mut failed = None;
                    while !rest.is_empty() {
                        let (now, later) = rest.split_at((random.next() as usize % rest.len()) + 1);
                        failed = decoder.push(now, &mut out, &mut log).err().or(failed);
                        rest = later;
                    }
                    if bom == Bom::Sniff && !input.is_empty() && failed.is_none() && input.len() > 2
                    {
                        assert_eq!(decoder.encoding().name(), used.name());
                    }
                    failed = decoder.finish(&mut out, &mut log).err().or(failed);
                    (out, log, failed)
                };
                let (out, log, failed) = cut(false);
                assert_eq!(
                    (&out, failed),
                    (&text.to_string(), None),
                    "{ours:?} {bom:?} {input:x?}"
                );
                assert_eq!(log.losses() > 0, damaged, "{ours:?} {bom:?} {input:x?}");
                assert_eq!(log.losses(), log.replaced(), "{ours:?}");
                assert_eq!(cut(false).1, log, "{ours:?} {bom:?} {input:x?}");
                let (out, _, failed) = cut(true);
                assert_eq!(failed.is_some(), damaged, "{ours:?} {bom:?} {input:x?}");
                assert!(text.starts_with(&out));
                let first = log
                    .kept()
                    .iter()
                    .find(|loss| loss.kind == LossKind::Invalid);
                if let (Some(failed), Some(first)) = (failed, first) {
                    assert_eq!(
                        failed.bytes.start, first.bytes.start,
                        "{ours:?} {bom:?} {input:x?}"
                    );
                }
            }
        }
    }
}

#[test]
fn streams_encode_as_whole_texts() {
    const PIECES: &[&str] = &[
        "a",
        "é",
        "日本",
        "ｱ",
        "€",
        "\u{1F600}",
        "\u{E}",
        "\u{1B}",
        "¥",
        "я",
        "&#",
    ];
    let mut random = Random(20);
    for (ours, theirs) in encodings() {
        for _ in 0..200 {
            let count = random.next() as usize % 6;
            let pieces: Vec<&str> = (0..count)
                .map(|_| PIECES[random.next() as usize % PIECES.len()])
                .collect();
            let whole = pieces.concat();
            let (expected, _, lacking) = theirs.encode(&whole);
            let encode = |fatal: bool| {
                let mut encoder = ours.new_encoder().fatal(fatal);
                let (mut bytes, mut log, mut failed) = (Vec::new(), LossLog::new(), None);
                for piece in &pieces {
                    failed = encoder.push(piece, &mut bytes, &mut log).err().or(failed);
                }
                encoder.finish(&mut bytes);
                (bytes, log, failed)
            };
            let (bytes, log, failed) = encode(false);
            assert_eq!((&*bytes, failed), (&*expected, None), "{ours:?} {whole:?}");
            assert_eq!(log.losses() > 0, lacking, "{ours:?} {whole:?}");
            let (_, _, failed) = encode(true);
            assert_eq!(
                failed,
                whatwg::encode_or_fail(&whole, ours).err(),
                "{ours:?} {whole:?}"
            );
        }
    }
}

#[test]
fn every_encoding_has_its_name_its_charset_and_its_output() {
    let mut names = std::collections::BTreeSet::new();
    for (ours, theirs) in encodings() {
        assert_eq!(ours.name(), theirs.name());
        assert_eq!(ours.output().name(), theirs.output_encoding().name());
        let none = matches!(ours.name(), "replacement" | "x-user-defined");
        assert_eq!(ours.charset().is_none(), none, "{ours:?}");
        if let Some(charset) = ours.charset() {
            assert_eq!(Encoding::for_charset(charset), Some(ours));
            let output = charset.output_encoding(View::Whatwg);
            assert_eq!(Some(output), ours.output().charset(), "{ours:?}");
        }
        names.insert(ours.name());
    }
    assert_eq!(names.len(), 40);
    assert_eq!(Encoding::for_label(b"utf-7"), None);
    assert_eq!(
        Encoding::for_label(b"hz-gb-2312"),
        Some(Encoding::REPLACEMENT)
    );
    assert_eq!(Encoding::for_charset(Charset::HZ_GB_2312), None);
}

#[test]
fn every_byte_and_pair() {
    for (ours, theirs) in encodings() {
        for a in 0..=255 {
            same(ours, theirs, &[a]);
            for b in 0..=255 {
                same(ours, theirs, &[a, b]);
            }
        }
    }
}

#[test]
fn all_three_byte_forms_of_euc_jp_and_four_byte_forms_of_gb18030() {
    let (euc, gb) = (
        Encoding::for_label(b"euc-jp").unwrap(),
        Encoding::for_label(b"gb18030").unwrap(),
    );
    for second in 0xA0..=0xFF {
        for third in 0..=0xFF {
            same(euc, encoding_rs::EUC_JP, &[0x8F, second, third]);
        }
    }
    for first in 0x81..=0xFE {
        for second in 0x30..=0x39 {
            let row: Vec<u8> = (0x81..=0xFE)
                .flat_map(|third| {
                    (0x30..=0x39).flat_map(move |fourth| [first, second, third, fourth])
                })
                .collect();
            same(gb, encoding_rs::GB18030, &row);
        }
    }
}

#[test]
fn long_input_over_the_borders_of_blocks() {
    let mut random = Random(31);
    for (ours, theirs) in encodings() {
        for size in [4090, 4096, 4099, 20_000] {
            let noise: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
            same(ours, theirs, &noise);
            let text: String = (0..size / 3)
                .map(|_| *random.pick(&['a', 'é', 'я', '日', '한', '中', 'ｱ', '\u{1F600}', '\n']))
                .collect();
            let (bytes, ..) = theirs.encode(&text);
            same(ours, theirs, &bytes);
            let mut log = LossLog::new();
            assert!(whatwg::encode(&text, ours, &mut log) == bytes, "{ours:?}");
            assert!(log.kept().iter().all(|l| {
                text.get(l.bytes.start as usize..l.bytes.end as usize)
                    .is_some()
            }));
        }
    }
}

#[test]
fn every_character_in_every_encoding() {
    for (ours, theirs) in encodings() {
        for c in '\0'..=char::MAX {
            // The private planes are alike; one of them is enough.
            if (0x31000..0xF0000).contains(&(c as u32)) || c > '\u{F0FFF}' {
                continue;
            }
            let mut utf8 = [0; 4];
            let text = &*c.encode_utf8(&mut utf8);
            let (expected, _, damaged) = theirs.encode(text);
            let mut log = LossLog::with_limit(1);
            assert!(
                whatwg::encode(text, ours, &mut log) == expected,
                "{ours:?} {c:?}"
            );
            assert_eq!(log.losses() > 0, damaged, "{ours:?} {c:?}");
            match whatwg::encode_or_fail(text, ours) {
                Ok(bytes) => assert!(!damaged && bytes == expected, "{ours:?} {c:?}"),
                Err(e) => {
                    let shown = if matches!(c, '\x0E' | '\x0F' | '\x1B') {
                        '\u{FFFD}'
                    } else {
                        c
                    };
                    assert!(
                        damaged && (e.at, e.character) == (0, shown),
                        "{ours:?} {c:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn hooks_treat_marks_as_the_standard_says() {
    let latin = Encoding::for_label(b"latin1").unwrap();
    for (bytes, encoding, len) in [
        (&b"\xEF\xBB\xBFx"[..], Some(Encoding::UTF_8), 3),
        (b"\xFE\xFFx", Some(Encoding::UTF_16BE), 2),
        (b"\xFF\xFE\0\0", Some(Encoding::UTF_16LE), 2),
        (b"\xEF\xBB", None, 0),
    ] {
        assert_eq!(whatwg::bom_sniff(bytes), encoding.map(|e| (e, len)));
    }
    let with = |hook: fn(&[u8], &mut LossLog) -> String, bytes: &[u8]| {
        let mut log = LossLog::new();
        let text = hook(bytes, &mut log);
        (text, log.losses(), log.notes())
    };
    let decode = |bytes: &[u8]| {
        let mut log = LossLog::new();
        let text = whatwg::decode(bytes, latin, &mut log).into_owned();
        let ranges: Vec<_> = log
            .kept()
            .iter()
            .map(|l| (l.bytes.clone(), l.kind))
            .collect();
        (text, ranges)
    };
    assert_eq!(decode(b"\xE9"), ("é".to_owned(), vec![]));
    assert_eq!(
        decode(b"\xEF\xBB\xBF\xC3\xA9\xFF"),
        (
            "é\u{FFFD}".to_owned(),
            vec![(0..3, LossKind::ByteOrderMark), (5..6, LossKind::Invalid)]
        )
    );
    assert_eq!(decode(b"\xFF\xFEa\0b").0, "a\u{FFFD}");
    let utf8 = |b: &[u8], log: &mut LossLog| whatwg::utf8_decode(b, log).into_owned();
    let plain = |b: &[u8], log: &mut LossLog| whatwg::utf8_decode_without_bom(b, log).into_owned();
    assert_eq!(
        with(utf8, b"\xEF\xBB\xBF\xFE\xFF"),
        ("\u{FFFD}\u{FFFD}".into(), 2, 1)
    );
    assert_eq!(with(utf8, b"\xFF\xFEa"), ("\u{FFFD}\u{FFFD}a".into(), 2, 0));
    assert_eq!(with(plain, b"\xEF\xBB\xBFa"), ("\u{FEFF}a".into(), 0, 0));
    assert_eq!(
        whatwg::utf8_decode_without_bom_or_fail(b"\xEF\xBB\xBFa").unwrap(),
        "\u{FEFF}a"
    );
    assert_eq!(
        whatwg::utf8_decode_without_bom_or_fail(b"ab\xE2\x82c")
            .unwrap_err()
            .bytes,
        2..4
    );
}

#[test]
fn encodings_of_no_charset() {
    let mut log = LossLog::new();
    assert_eq!(
        Encoding::X_USER_DEFINED.decode(b"a\x80\xFF", &mut log),
        "a\u{F780}\u{F7FF}"
    );
    assert_eq!(
        whatwg::encode("\u{F780}é", Encoding::X_USER_DEFINED, &mut log),
        &b"\x80&#233;"[..]
    );
    assert_eq!(
        Encoding::REPLACEMENT.decode(b"anything <script>", &mut log),
        "\u{FFFD}"
    );
    assert_eq!(Encoding::REPLACEMENT.decode(b"", &mut log), "");
    assert_eq!(
        whatwg::encode("é", Encoding::REPLACEMENT, &mut log),
        "é".as_bytes()
    );
    assert_eq!(
        whatwg::encode("é", Encoding::UTF_16LE, &mut log),
        "é".as_bytes()
    );
    // The state of ISO-2022-JP is ASCII before a reference, and the code point of a control is not told.
    let jp = Encoding::for_label(b"csiso2022jp").unwrap();
    assert_eq!(
        whatwg::encode("日\u{1F600}\x1B", jp, &mut log),
        &b"\x1b$BF|\x1b(B&#128512;&#65533;"[..]
    );
}

#[test]
fn mail_has_an_output_encoding_for_what_no_body_may_be_in() {
    for charset in Charset::all() {
        let output = charset.output_encoding(View::Mail);
        let crlf = charset
            .encode(
                "\r\n",
                mailglot_codec::Unmappable::Skip,
                &mut LossLog::new(),
            )
            .into_owned();
        assert_eq!(output == charset, crlf.ends_with(b"\r\n"), "{charset}");
        assert!(output == charset || output == Charset::UTF_8, "{charset}");
    }
    assert_eq!(Charset::UTF_16.output_encoding(View::Mail), Charset::UTF_8);
    assert_eq!(
        Charset::UTF_32LE.output_encoding(View::Mail),
        Charset::UTF_8
    );
    assert_eq!(
        Charset::ISO_2022_KR.output_encoding(View::Mail),
        Charset::ISO_2022_KR
    );
    assert_eq!(
        Charset::ISO_2022_KR.output_encoding(View::Whatwg),
        Charset::UTF_8
    );
    assert_eq!(Charset::UTF_7.output_encoding(View::Mail), Charset::UTF_7);
}
