//! UTF-7 and mailbox names over the vectors of `data/utf7.tsv` and `data/imap_utf7.tsv`, and the options of both.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{Random, csv, decode, hex, shared, split_everywhere, unescape};
use mailglot_codec::{
    Charset, DecodeOptions, Decoder, EncodeOptions, Encoder, LossKind, LossLog, Marks, Mode,
    Repair, Unmappable, imap_utf7, utf7_carries_utf8,
};

const VECTORS: &str = include_str!("../../../data/utf7.tsv");
const NAMES: &str = include_str!("../../../data/imap_utf7.tsv");

fn rows(tsv: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    tsv.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

fn text_of(code_points: &str) -> String {
    let char_of = |digits| char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap();
    code_points
        .split(' ')
        .filter(|digits| *digits != "-")
        .map(char_of)
        .collect()
}

/// The records as `start-end:kind`; a mark is `bom`.
fn shown(log: &LossLog) -> Vec<String> {
    let show = |l: &mailglot_codec::Loss| match l.kind {
        LossKind::ByteOrderMark => "bom".into(),
        kind => format!("{}-{}:{}", l.bytes.start, l.bytes.end, kind.name()),
    };
    log.kept().iter().map(show).collect()
}

/// Touching records of one kind are kept as one.
fn merged(records: &str) -> Vec<String> {
    let mut out: Vec<(u64, u64, &str)> = Vec::new();
    let mut marks = Vec::new();
    for record in records
        .split_ascii_whitespace()
        .filter(|record| *record != "-")
    {
        let Some((range, kind)) = record.split_once(':') else {
            marks.push(record.to_owned());
            continue;
        };
        let (start, end) = range.split_once('-').unwrap();
        let (start, end) = (start.parse().unwrap(), end.parse().unwrap());
        match out.last_mut() {
            Some(last) if last.1 == start && last.2 == kind && end > start => last.1 = end,
            _ => out.push((start, end, kind)),
        }
    }
    marks.extend(
        out.into_iter()
            .map(|(start, end, kind)| format!("{start}-{end}:{kind}")),
    );
    marks
}

#[test]
fn every_vector_in_both_modes() {
    for row in rows(VECTORS) {
        let [cases, input, text, records, strict] = row[..] else {
            panic!("{row:?}")
        };
        let (input, text) = (hex(input), text_of(text));
        let (got, log) = decode(Charset::UTF_7, Mode::Lenient, &input);
        assert_eq!(
            (&got, shown(&log)),
            (&text, merged(records)),
            "{cases} {input:x?}"
        );
        let count = records.split(' ').filter(|record| *record != "-").count() as u64;
        assert_eq!(log.losses() + log.notes(), count, "{cases} {input:x?}");
        let (got, log) = decode(Charset::UTF_7, Mode::Strict, &input);
        let marked = if records.starts_with("bom") {
            "\u{FEFF}"
        } else {
            ""
        };
        assert_eq!(got, format!("{marked}{text}"), "{cases} {input:x?}");
        let first = log.kept().iter().find(|l| !l.kind.is_info());
        let Some(error) = strict.strip_prefix("ok").map_or(Some(strict), |_| None) else {
            assert_eq!((first, log.losses()), (None, 0), "{cases} {input:x?}");
            continue;
        };
        // Records may be merged: the start and the kind must agree.
        let first = first.unwrap();
        let (start, kind) = (
            error.split_once('-').unwrap().0,
            error.split_once(':').unwrap().1,
        );
        assert_eq!(
            (first.bytes.start.to_string().as_str(), first.kind.name()),
            (start, kind),
            "{cases}"
        );
        assert!(log.losses() > 0 && error.len() > 4, "{cases}");
    }
}

#[test]
fn every_vector_at_every_split_behind_ascii() {
    let mut random = Random(7);
    for row in rows(VECTORS) {
        for front in 0..32 {
            let mut input = vec![b'a'; front];
            input.extend(hex(row[1]));
            split_everywhere(Charset::UTF_7, Mode::Lenient, &input, &mut random);
            split_everywhere(Charset::UTF_7_IMAP, Mode::Lenient, &input, &mut random);
        }
        split_everywhere(Charset::UTF_7, Mode::Strict, &hex(row[1]), &mut random);
    }
}

#[test]
fn the_vectors_hold_what_is_shared() {
    if let Some(path) = shared("data/charsets/utf7_golden.csv") {
        let ours: Vec<_> = rows(VECTORS).collect();
        let theirs = csv(&path);
        assert_eq!(theirs.len(), 70);
        for row in theirs {
            let [id, input, _, text, bom, errors, strict, ..] = row.as_slice() else {
                panic!("{row:?}")
            };
            let found = ours
                .iter()
                .find(|ours| ours[1] == input)
                .unwrap_or_else(|| panic!("{id}"));
            assert_eq!(text_of(found[2]), unescape(text), "{id}");
            let mark = if bom == "True" { "bom " } else { "" };
            let errors = format!("{mark}{}", errors.replace("info:", ""));
            assert_eq!(
                found[3].replace('-', ""),
                errors.replace('-', "").trim_end(),
                "{id}"
            );
            assert_eq!(found[4], strict.to_lowercase().replace("err@", ""), "{id}");
        }
    }
    if let Some(path) = shared("data/charsets/imap_utf7_golden.csv") {
        let ours: Vec<_> = rows(NAMES).collect();
        let theirs = csv(&path);
        assert_eq!(theirs.len(), 35);
        for row in theirs {
            let found = ours
                .iter()
                .find(|ours| ours[1] == row[1])
                .unwrap_or_else(|| panic!("{}", row[0]));
            if row[3] == "INVALID" {
                assert_eq!(found[2], "invalid", "{}", row[0]);
            } else {
                assert_eq!(text_of(found[2]), unescape(&row[3]), "{}", row[0]);
            }
        }
    }
}

fn decode_with(options: DecodeOptions, bytes: &[u8]) -> (String, Vec<String>) {
    let mut log = LossLog::new();
    let text = Charset::UTF_7
        .decode_with(bytes, options, &mut log)
        .into_owned();
    // A stream says the same.
    for size in 1..=bytes.len() {
        let (mut streamed, mut stream_log) = (String::new(), LossLog::new());
        let mut decoder = Decoder::with(Charset::UTF_7, options);
        bytes
            .chunks(size)
            .for_each(|piece| decoder.push(piece, &mut streamed, &mut stream_log));
        decoder.finish(&mut streamed, &mut stream_log);
        assert_eq!(
            (&streamed, &stream_log),
            (&text, &log),
            "{bytes:x?} by {size}"
        );
    }
    (text, shown(&log))
}

/// Case A20: a whole part of UTF-8 labeled UTF-7.
#[test]
fn eight_bit_bytes_that_are_utf_8() {
    let options = DecodeOptions::new(Mode::Lenient).with(Repair::Utf7EightBit);
    for (input, carries, text, records) in [
        (
            "caf\u{E9} +AKM-".as_bytes(),
            true,
            "café £",
            &["3-5:utf8-in-utf7"][..],
        ),
        (
            "+AKM\u{65E5}\u{672C}x".as_bytes(),
            true,
            "£日本x",
            &["4-10:utf8-in-utf7"],
        ),
        (
            "\u{1F600}".as_bytes(),
            true,
            "\u{1F600}",
            &["0-4:utf8-in-utf7"],
        ),
        (b"a\xE9b", false, "a\u{FFFD}b", &["1-2:8bit"]),
        (
            b"\xC3\xA9\xC3",
            false,
            "é\u{FFFD}",
            &["0-2:utf8-in-utf7", "2-3:8bit"],
        ),
        (b"+AKM-", false, "£", &[]),
    ] {
        assert_eq!(utf7_carries_utf8(input), carries, "{input:x?}");
        let (got, shown) = decode_with(options, input);
        assert_eq!(
            (got.as_str(), shown.as_slice()),
            (
                text,
                &records.iter().map(ToString::to_string).collect::<Vec<_>>()[..]
            )
        );
    }
    let mut log = LossLog::new();
    Charset::UTF_7.decode_with("é".as_bytes(), options, &mut log);
    assert_eq!((log.losses(), log.notes()), (0, 1));
}

/// Case A22: runs padded as base64 elsewhere.
#[test]
fn padded_runs() {
    let options = DecodeOptions::new(Mode::Lenient).with(Repair::Utf7Padding);
    for (input, text, records) in [
        ("+AKM=-x", "£x", &["4-5:padded-run"][..]),
        ("+AKM=x", "£x", &["4-5:padded-run"]),
        ("+AKM=", "£", &["4-5:padded-run"]),
        ("+AKM==", "£=", &["4-5:padded-run"]),
        ("+AKMAow==-x", "££x", &["7-9:padded-run"]),
        ("+AKMAow=-x", "££=-x", &[]),
        ("+AKMAow=", "££=", &[]),
        ("+AKM=\r\n=", "£\r\n=", &["4-5:padded-run"]),
        (
            "+2D0=-+3gA=-",
            "\u{1F600}",
            &[
                "1-10:pair-split-over-runs",
                "4-5:padded-run",
                "10-11:padded-run",
            ],
        ),
        ("+ZeVnLIqe=-", "日本語=-", &[]),
        ("+AA==-", "+AA==-", &["0-3:run-too-short"]),
        ("a=b", "a=b", &[]),
    ] {
        let (got, shown) = decode_with(options, input.as_bytes());
        assert_eq!(got, text, "{input}");
        assert_eq!(shown, records, "{input}");
        let (plain, _) = decode_with(Mode::Lenient.into(), input.as_bytes());
        assert_eq!(
            plain.matches('=').count(),
            input.matches('=').count(),
            "{input}"
        );
    }
}

/// Cases A23 and A24.
#[test]
fn ascii_out_of_base64_is_counted() {
    for (input, ascii, controls) in [
        ("+ADw-script+AD4-", 2, 0),
        ("+AAoACgAN-", 0, 3),
        ("+AAA-", 0, 1),
        ("+AGEAYgBjAH8-", 3, 1),
        ("x+AEEAQQBBAEEAQQBBAEEAQQ-", 8, 0),
        ("plain +- text", 0, 0),
        ("+AKM-", 0, 0),
    ] {
        let (_, log) = decode(Charset::UTF_7, Mode::Lenient, input.as_bytes());
        assert_eq!(
            (log.ascii_from_shift(), log.controls_from_shift()),
            (ascii, controls),
            "{input}"
        );
        assert!(log.is_empty(), "{input}");
    }
}

/// Case A25.
#[test]
fn marks_by_rule() {
    for (marks, mode, text) in [
        (Marks::ByMode, Mode::Lenient, "a"),
        (Marks::ByMode, Mode::Strict, "\u{FEFF}a"),
        (Marks::Keep, Mode::Lenient, "\u{FEFF}a"),
        (Marks::Web, Mode::Strict, "a"),
    ] {
        assert_eq!(
            decode_with(DecodeOptions::new(mode).marks(marks), b"+/v8AYQ-").0,
            text
        );
    }
}

/// RFC 2152 rules 1 to 3, and what decoders do not do alike.
#[test]
fn what_is_written() {
    let encode = |text: &str, direct: bool| {
        let options = EncodeOptions::new(Unmappable::Skip).utf_7_optional_direct(direct);
        let (mut bytes, mut log) = (Vec::new(), LossLog::new());
        let mut encoder = Encoder::with(Charset::UTF_7, options);
        encoder.push(text, &mut bytes, &mut log);
        encoder.finish(&mut bytes, &mut log);
        String::from_utf8(bytes).unwrap()
    };
    let set_o = "!\"#$%&*;<=>@[]^_`{|}";
    assert_eq!(encode(set_o, true), set_o);
    assert!(
        !encode(set_o, false)
            .bytes()
            .skip(1)
            .any(|b| set_o.as_bytes().contains(&b))
    );
    for (text, written, direct) in [
        ("a=b", "a+AD0-b", "a=b"),
        ("\\~", "+AFwAfg-", "+AFwAfg-"),
        ("+", "+-", "+-"),
        ("a+b", "a+-b", "a+-b"),
        ("é+é", "+AOkAKwDp-", "+AOkAKwDp-"),
        ("+=", "+ACsAPQ-", "+-="),
        ("é-", "+AOk--", "+AOk--"),
        ("é!", "+AOkAIQ-", "+AOk-!"),
        ("é\r\né\t ", "+AOk-\r\n+AOk-\t ", "+AOk-\r\n+AOk-\t "),
        ("\0\x1B\x7F", "+AAAAGwB/-", "+AAAAGwB/-"),
        ("\u{1F600}", "+2D3eAA-", "+2D3eAA-"),
    ] {
        assert_eq!(
            (encode(text, false).as_str(), encode(text, true).as_str()),
            (written, direct),
            "{text:?}"
        );
    }
    // No run crosses a line.
    let text = "日本\r\n語\n\u{1F600}\r";
    for line in encode(text, false).split_inclusive(['\r', '\n']) {
        assert_eq!(line.matches('+').count(), line.matches('-').count());
    }
}

#[test]
fn mailbox_names() {
    for row in rows(NAMES) {
        let [cases, name, text] = row[..] else {
            panic!("{row:?}")
        };
        let (name, valid) = (hex(name), text != "invalid");
        let decoded = imap_utf7::decode_mailbox(&name);
        assert_eq!(decoded.is_ok(), valid, "{cases} {name:x?}");
        if let Ok(decoded) = decoded {
            assert_eq!(decoded, text_of(text), "{cases}");
            assert_eq!(
                imap_utf7::encode_mailbox(&decoded).unwrap().as_bytes(),
                name,
                "{cases}"
            );
            let (got, log) = decode(Charset::UTF_7_IMAP, Mode::Strict, &name);
            assert_eq!((got, log.is_empty()), (decoded, true), "{cases}");
        } else {
            // As a text it is damaged too, but for NUL.
            let (_, log) = decode(Charset::UTF_7_IMAP, Mode::Strict, &name);
            assert_eq!(log.losses() > 0, cases != "M11", "{cases} {name:x?}");
        }
    }
}
