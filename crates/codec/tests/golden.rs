//! Vectors for UTF-7 and mailbox names.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may fail by panic")]

mod common;

use common::{Random, csv, decode, hex, shared, split_everywhere, unescape};
use mailglot_codec::{Charset, Loss, LossKind, LossLog, Mode, Resolved, View, imap_utf7};

/// The records as `start-end:kind`.
fn shown(losses: &[Loss]) -> Vec<String> {
    losses
        .iter()
        .filter(|l| l.kind != LossKind::ByteOrderMark)
        .map(|l| {
            let info = if l.kind.is_info() { "info:" } else { "" };
            format!("{}-{}:{info}{}", l.bytes.start, l.bytes.end, l.kind.name())
        })
        .collect()
}

/// Touching records of one kind are kept as one.
fn merged(records: &str) -> Vec<String> {
    let mut out: Vec<(u64, u64, &str)> = Vec::new();
    for record in records.split_ascii_whitespace() {
        let (range, kind) = record.split_once(':').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let (start, end) = (start.parse().unwrap(), end.parse().unwrap());
        match out.last_mut() {
            Some(last) if last.1 == start && last.2 == kind && end > start => last.1 = end,
            _ => out.push((start, end, kind)),
        }
    }
    out.into_iter().map(|(start, end, kind)| format!("{start}-{end}:{kind}")).collect()
}

#[test]
fn utf_7() {
    let Some(path) = shared("data/charsets/utf7_golden.csv") else { return };
    let rows = csv(&path);
    assert_eq!(rows.len(), 70);
    let mut random = Random(7);
    for row in rows {
        let [id, input, _, text, bom, errors, strict, ..] = row.as_slice() else { panic!("{row:?}") };
        let input = hex(input);
        let (got, log) = decode(Charset::UTF_7, Mode::Lenient, &input);
        assert_eq!(got, unescape(text), "{id}");
        assert_eq!(log.count(LossKind::ByteOrderMark) == 1, bom == "True", "{id}");
        assert_eq!(shown(log.kept()), merged(errors), "{id}");
        let all = log.losses() + log.notes() - log.count(LossKind::ByteOrderMark);
        assert_eq!(all, errors.split_ascii_whitespace().count() as u64, "{id}");
        let (_, log) = decode(Charset::UTF_7, Mode::Strict, &input);
        let first = shown(log.kept()).into_iter().find(|l| !l.contains("info:"));
        match strict.strip_prefix("ERR@") {
            None => assert_eq!((first, log.losses()), (None, 0), "{id}"),
            // The records may be merged: the start and the kind must agree.
            Some(error) => {
                let first = first.unwrap();
                assert_eq!(first.split('-').next(), error.split('-').next(), "{id}");
                assert_eq!(first.split(':').next_back(), error.split(':').next_back(), "{id}");
                assert!(log.losses() > 0, "{id}");
            }
        }
        split_everywhere(Charset::UTF_7, Mode::Lenient, &input, &mut random);
        split_everywhere(Charset::UTF_7, Mode::Strict, &input, &mut random);
    }
}

#[test]
fn mailbox_names() {
    let Some(path) = shared("data/charsets/imap_utf7_golden.csv") else { return };
    let rows = csv(&path);
    assert_eq!(rows.len(), 35);
    for row in rows {
        let name = hex(&row[1]);
        let expected = (row[3] != "INVALID").then(|| unescape(&row[3]));
        assert_eq!(imap_utf7::decode_mailbox(&name).ok(), expected, "{}", row[0]);
        if let Some(text) = expected {
            assert_eq!(imap_utf7::encode_mailbox(&text).as_bytes(), name, "{}", row[0]);
        }
    }
}

#[test]
fn utf_8_probes() {
    let Some(path) = shared("data/charsets/utf8_probe.csv") else { return };
    for row in csv(&path) {
        let input: Vec<u8> = row[1].split(' ').map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
        let mut log = LossLog::new();
        let text = Charset::UTF_8.decode(&input, &mut log);
        // The column of the WHATWG decoder without BOM handling; ours takes one BOM off.
        let mut expected = String::new();
        let mut rest = row[11].trim_start_matches("[E] ");
        while let Some(c) = rest.chars().next() {
            if let Some(code) = rest.strip_prefix('<') {
                let (digits, behind) = code.split_once('>').unwrap();
                expected.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
                rest = behind;
            } else {
                expected.push(c);
                rest = &rest[1..];
            }
        }
        assert_eq!(text, expected.strip_prefix('\u{FEFF}').unwrap_or(&expected), "{}", row[0]);
    }
}

#[test]
fn labels() {
    let Some(path) = shared("data/charsets/alias_table.csv") else { return };
    let mut known = 0;
    for row in csv(&path) {
        let (label, target) = (row[0].trim_end_matches('\r'), row[1].as_str());
        let got = Charset::for_label(label.as_bytes(), View::Mail);
        if matches!(target, "DETECT" | "UNKNOWN-8BIT") {
            assert_eq!(got, Resolved::NoInformation, "{label:?}");
        } else if let Some(charset) = Charset::all().find(|c| c.name().eq_ignore_ascii_case(target)) {
            // One of the lists behind the table takes this page for another charset.
            let expected = match label {
                _ if label.ends_with("1255") => Charset::WINDOWS_1255,
                // Registered as an alias of TIS-620, but a charset with a no-break space.
                "iso-8859-11" => Charset::ISO_8859_11,
                // Which reads UTF-8 too.
                "cesu8" => Charset::CESU_8,
                _ => charset,
            };
            assert_eq!(got.charset(), Some(expected), "{label:?}");
            known += 1;
        } else if let Some(other) = got.charset() {
            // Names of one family, which one machine reads.
            let kin = [
                ("GB_2312-80", "GB2312"),
                ("UNICODE-1-1-UTF-7", "UTF-7"),
                ("UNICODE-1-1", "UTF-16"),
                ("CP5022", "ISO-2022-JP"),
                ("ISO-2022-JP-", "ISO-2022-JP"),
                ("JIS_Encoding", "ISO-2022-JP"),
                ("CP51932", "EUC-JP"),
                ("eucJP-ms", "EUC-JP"),
                ("cp950", "Big5"),
                ("x-mac-japanese", "Shift_JIS"),
                ("ANSI_X3.110-1983", "ISO-8859-1"),
                ("KOI8-RU", "KOI8-U"),
            ];
            assert!(
                kin.iter().any(|(from, to)| target.starts_with(from) && other.name() == *to),
                "{label:?} is {target}, not {other}"
            );
        }
    }
    assert!(known > 700, "{known}");
}

#[test]
fn pages_of_our_own() {
    let Some(path) = shared("data/charsets/onebyte_tables.json") else { return };
    let json = std::fs::read_to_string(path).unwrap();
    for charset in [Charset::IBM437, Charset::IBM850, Charset::IBM852, Charset::IBM00858] {
        // "IBM437":{"glibc-2.36":"0000 0001 ...", ...}
        let (_, from) = json.split_once(&format!("\"{charset}\":{{")).unwrap();
        let (tables, _) = from.split_once('}').unwrap();
        let oracles: Vec<Vec<&str>> =
            tables.split('"').skip(3).step_by(4).map(|cells| cells.split(' ').collect()).collect();
        assert!(oracles.len() >= 2 && oracles.iter().all(|cells| cells.len() == 256));
        for byte in 0x80..=0xFF_u8 {
            let (text, log) = decode(charset, Mode::Lenient, &[byte]);
            let cell = format!("{:04X}", text.chars().next().unwrap() as u32);
            let agree = oracles.iter().filter(|cells| cells[usize::from(byte)] == cell).count();
            assert!(agree * 2 > oracles.len() && log.is_empty(), "{charset} {byte:02X} is {cell}");
        }
    }
}
