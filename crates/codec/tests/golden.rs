//! Labels, pages and UTF-8 against the shared tables.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{csv, decode, shared};
use mailglot_codec::{Charset, LossLog, Mode, Resolved, View};

#[test]
fn utf_8_probes() {
    let Some(path) = shared("data/charsets/utf8_probe.csv") else {
        return;
    };
    for row in csv(&path) {
        let input: Vec<u8> = row[1]
            .split(' ')
            .map(|b| u8::from_str_radix(b, 16).unwrap())
            .collect();
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
        assert_eq!(
            text,
            expected.strip_prefix('\u{FEFF}').unwrap_or(&expected),
            "{}",
            row[0]
        );
    }
}

#[test]
fn labels() {
    let Some(path) = shared("data/charsets/alias_table.csv") else {
        return;
    };
    let mut known = 0;
    for row in csv(&path) {
        let (label, target) = (row[0].trim_end_matches('\r'), row[1].as_str());
        let got = Charset::for_label(label.as_bytes(), View::Mail);
        if matches!(label, "vni" | "x-viet-vni") {
            // The shared table lists `vni` without a decoder; this crate has one.
            assert_eq!(got.charset(), Some(Charset::VNI), "{label:?}");
        } else if matches!(target, "DETECT" | "UNKNOWN-8BIT") {
            assert_eq!(got, Resolved::NoInformation, "{label:?}");
        } else if let Some(charset) = Charset::all().find(|c| c.name().eq_ignore_ascii_case(target))
        {
            // One of the lists behind the table takes this page for another charset.
            let expected = match label {
                _ if label.ends_with("1255") => Charset::WINDOWS_1255,
                // Registered as an alias of TIS-620, but a charset with a no-break space.
                "iso-8859-11" => Charset::ISO_8859_11,
                // RFC 1922 names the eight-bit form; ISO-IR-165 by itself has seven bits.
                "cn-gb-isoir165" => Charset::CN_GB_ISOIR165,
                // Nearly Shift_JIS, and taken for it where there is no table.
                "shift_jis-2004" | "shift_jisx0213" | "shiftjis2004" => Charset::SHIFT_JIS_2004,
                // As its other spellings; the list takes it for the page of Windows.
                "iso8859_9" => Charset::for_name("ISO-8859-9").unwrap_or(charset),
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
                ("ISO-2022-JP-MS", "CP50221"),
                ("cp950", "MS950"),
                ("cp950", "Big5"),
                ("x-mac-japanese", "Shift_JIS"),
                ("GSM 03.38", "GSM0338"),
                ("KOI8-RU", "KOI8-U"),
                ("ISCII", "x-iscii-de"),
            ];
            assert!(
                kin.iter()
                    .any(|(from, to)| target.starts_with(from) && other.name().starts_with(to)),
                "{label:?} is {target}, not {other}"
            );
        }
    }
    assert!(known > 700, "{known}");
}

#[test]
fn pages_of_our_own() {
    let Some(path) = shared("data/charsets/onebyte_tables.json") else {
        return;
    };
    let json = std::fs::read_to_string(path).unwrap();
    for charset in [
        Charset::IBM437,
        Charset::IBM850,
        Charset::IBM852,
        Charset::IBM00858,
    ] {
        // "IBM437":{"glibc-2.36":"0000 0001 ...", ...}
        let (_, from) = json.split_once(&format!("\"{charset}\":{{")).unwrap();
        let (tables, _) = from.split_once('}').unwrap();
        let oracles: Vec<Vec<&str>> = tables
            .split('"')
            .skip(3)
            .step_by(4)
            .map(|cells| cells.split(' ').collect())
            .collect();
        assert!(oracles.len() >= 2 && oracles.iter().all(|cells| cells.len() == 256));
        for byte in 0x80..=0xFF_u8 {
            let (text, log) = decode(charset, Mode::Lenient, &[byte]);
            let cell = format!("{:04X}", text.chars().next().unwrap() as u32);
            let agree = oracles
                .iter()
                .filter(|cells| cells[usize::from(byte)] == cell)
                .count();
            assert!(
                agree * 2 > oracles.len() && log.is_empty(),
                "{charset} {byte:02X} is {cell}"
            );
        }
    }
}
