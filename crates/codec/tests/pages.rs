//! Single-byte charsets, byte by byte, against `data/tables/pages.tsv`, and that table against the answers it comes from.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::{decode, decode_pieces, shared};
use mailglot_codec::{Charset, LossKind, LossLog, Mode, Unmappable, View};
use std::collections::{BTreeMap, BTreeSet};

const TABLES: &str = include_str!("../../../data/tables/pages.tsv");
const EXCEPTIONS: &str = include_str!("../../../data/page-exceptions.tsv");
const ORACLES: &str = include_str!("../../../data/oracles/single-byte-answers.tsv");

/// Charsets whose lenient table is not their own one with holes filled: `superset_rules.csv`.
const READ_OTHERWISE: &[&str] = &[
    "ISO-8859-8",
    "KOI8-U",
    "TIS-620",
    "ISO-8859-11",
    "ISO-8859-9",
    "ISO-8859-1",
    "ISO-8859-6",
];

/// Tables that are another charset under a label of their own, which WHATWG gives to that one.
const SAME_AS: &[(&str, &str)] = &[
    ("KOI8-RU", "KOI8-U"),
    ("CP874", "windows-874"),
    ("x-mac-ukrainian", "x-mac-cyrillic"),
];

fn rows(tsv: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    tsv.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// The text of each byte by the data; `None` is undefined.
fn tables() -> BTreeMap<&'static str, Vec<Option<String>>> {
    rows(TABLES)
        .map(|row| (row[0], row[1].split(' ').map(text).collect()))
        .collect()
}

fn text(cell: &str) -> Option<String> {
    let code = |hex| char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap();
    (cell != "-").then(|| cell.split('+').map(code).collect())
}

/// What one byte is, if nothing is lost.
fn one(charset: Charset, mode: Mode, byte: u8) -> Option<String> {
    let (text, log) = decode(charset, mode, &[byte]);
    (log.losses() == 0).then_some(text)
}

#[test]
fn every_byte_of_every_single_byte_charset_is_what_the_data_says() {
    let tables = tables();
    let mut seen = 0;
    for charset in Charset::all().filter(|c| c.is_single_byte()) {
        // ISO 8859 with a direction and the sets of printers are the tables of others; us-dk is ASCII.
        let name = charset.name();
        let Some(table) = tables.get(name) else {
            assert!(
                charset.superset() != charset || name == "us-dk",
                "{name} has no table"
            );
            continue;
        };
        seen += 1;
        for (byte, expected) in (0..=255_u8).zip(table) {
            assert_eq!(
                one(charset, Mode::Strict, byte),
                *expected,
                "{name} {byte:02X}"
            );
            let lenient = one(charset, Mode::Lenient, byte);
            match expected {
                Some(_) if !READ_OTHERWISE.contains(&name) => {
                    assert_eq!(lenient, *expected, "{name} {byte:02X}");
                }
                // Holes of Windows pages are controls, as WHATWG has it.
                None if lenient.is_some() && !READ_OTHERWISE.contains(&name) => {
                    assert!(name.starts_with("windows-"), "{name} {byte:02X}");
                    assert_eq!(
                        lenient,
                        Some(char::from(byte).to_string()),
                        "{name} {byte:02X}"
                    );
                }
                _ => {}
            }
        }
        let ascii = (0..0x80_u8).all(|b| table[usize::from(b)] == Some(char::from(b).to_string()));
        assert_eq!(charset.is_ascii_compatible(), ascii, "{name}");
        assert!(!charset.is_stateful(), "{name}");
    }
    let known = tables.len() - SAME_AS.len();
    assert_eq!(seen, known, "every table of the data is a charset");
}

#[test]
fn long_input_is_its_bytes_one_after_another() {
    let all: Vec<u8> = (0..=255)
        .chain((0..=255).rev())
        .chain([0x41; 40])
        .chain(0..=255)
        .collect();
    for charset in Charset::all().filter(|c| c.is_single_byte()) {
        for mode in [Mode::Strict, Mode::Lenient] {
            let (mut text, mut lost) = (String::new(), 0);
            for byte in &all {
                let (one, log) = decode(charset, mode, &[*byte]);
                text += &one;
                lost += log.losses();
            }
            let (whole, log) = decode(charset, mode, &all);
            assert!(whole == text, "{charset} {mode:?}");
            let recorded: u64 = log.kept().iter().map(|l| l.bytes.end - l.bytes.start).sum();
            assert_eq!(recorded, lost, "{charset} {mode:?}");
            for size in [1, 7, 8, 9] {
                assert_eq!(
                    decode_pieces(charset, mode, all.chunks(size)),
                    (whole.clone(), log.clone()),
                    "{charset}"
                );
            }
        }
    }
}

#[test]
fn what_decodes_comes_back_where_no_other_byte_is_the_same_character() {
    let tables = tables();
    for charset in Charset::all().filter(|c| c.is_single_byte() && tables.contains_key(c.name())) {
        let table = &tables[charset.name()];
        let mut twice = 0;
        for (byte, cell) in (0..=255_u8).zip(table) {
            let Some(text) = cell else { continue };
            let (mut bytes, mut log) = (Vec::new(), LossLog::new());
            let mut encoder = charset.new_strict_encoder(Unmappable::Skip);
            encoder.push(text, &mut bytes, &mut log);
            encoder.finish(&mut bytes, &mut log);
            let first = table.iter().position(|other| other == cell).unwrap() as u8;
            assert_eq!(
                (bytes.as_slice(), log.is_empty()),
                (&[first][..], true),
                "{charset} {byte:02X} {text:?}"
            );
            twice += u32::from(first != byte);
        }
        // Characters that stand in more than one place are few: digits of the Mac's Arabic, controls of EBCDIC.
        assert!(twice <= 70, "{charset}: {twice}");
    }
}

#[test]
fn text_that_is_all_ascii_is_not_taken_for_ascii_where_it_is_not() {
    let mut log = LossLog::new();
    let decoded = |name: &str, bytes: &[u8]| {
        Charset::for_name(name)
            .unwrap()
            .decode(bytes, &mut LossLog::new())
            .into_owned()
    };
    assert_eq!(decoded("DIN_66003", b"{|}~[\\]@"), "äöüßÄÖÜ§");
    assert_eq!(
        decoded(
            "IBM037",
            b"\xC8\x85\x93\x93\x96\x6B\x40\xE6\x96\x99\x93\x84\x5A\x15\x25"
        ),
        "Hello, World!\u{85}\n"
    );
    assert_eq!(decoded("VISCII", b"A\x02B"), "A\u{1EB2}B");
    assert_eq!(decoded("ISO-11548-1", b"\0A"), "\u{2800}\u{2841}");
    let latin = Charset::for_name("IBM037").unwrap();
    assert_eq!(
        latin.encode("Hi\n€", Unmappable::HtmlDecimal, &mut log)[..],
        *b"\xC8\x89\x25\x50\x7B\xF8\xF3\xF6\xF4\x5E"
    );
    assert_eq!(log.losses(), 1);
    let braille = Charset::for_name("ISO-11548-1").unwrap();
    assert_eq!(
        braille.encode("\u{2800}\u{28FF}", Unmappable::Skip, &mut log)[..],
        *b"\0\xFF"
    );
    let (text, log) = decode(
        Charset::for_name("DIN_66003").unwrap(),
        Mode::Lenient,
        b"a\xE4",
    );
    assert_eq!(
        (text.as_str(), log.kept()[0].kind),
        ("a\u{FFFD}", LossKind::EightBit)
    );
}

#[test]
fn labels_lead_to_the_single_byte_charsets() {
    let of = |label: &str, view| {
        Charset::for_label(label.as_bytes(), view)
            .charset()
            .map(Charset::name)
    };
    for charset in Charset::all().filter(|c| c.is_single_byte()) {
        assert_eq!(of(charset.name(), View::Mail), Some(charset.name()));
    }
    for (name, same) in SAME_AS {
        assert_eq!(of(name, View::Mail), Some(*same));
        let table = &tables()[name];
        for byte in 0..=255 {
            let other = Charset::for_name(same).unwrap();
            let strictly = one(other, Mode::Strict, byte);
            let lenient = one(other, Mode::Lenient, byte);
            let cell = &table[usize::from(byte)];
            assert!(*cell == strictly || *cell == lenient, "{name} {byte:02X}");
        }
    }
}

#[test]
fn every_exception_is_a_cell_with_a_reason() {
    let tables = tables();
    for row in rows(EXCEPTIONS) {
        let [name, byte, value, majority, reason] = row[..] else {
            panic!("{row:?}")
        };
        let cell = &tables[name][usize::from(u8::from_str_radix(byte, 16).unwrap())];
        assert_eq!(*cell, text(value), "{name} {byte}");
        assert!(value != majority && reason.len() > 10, "{row:?}");
    }
}

/// The raw answers of eight systems: whatever the data does not hold of them, or holds otherwise, is listed here.
#[test]
fn measured_answers_are_those_that_the_data_holds() {
    let Some(path) = shared("data/charsets/onebyte_tables.json") else {
        return;
    };
    let measured = answers(&std::fs::read_to_string(path).unwrap());
    let tables = tables();
    let mut stored: BTreeMap<(&str, &str), Vec<Option<String>>> = BTreeMap::new();
    for row in rows(ORACLES) {
        let [name, system, _, differences] = row[..] else {
            panic!("{row:?}")
        };
        let mut table = tables[name].clone();
        for difference in differences.split(' ').filter(|d| *d != "=") {
            let (byte, cell) = difference.split_once('=').unwrap();
            table[usize::from(u8::from_str_radix(byte, 16).unwrap())] = text(cell);
        }
        stored.insert((name, system), table);
    }
    let mut compared = BTreeSet::new();
    for (charset, system, cells) in &measured {
        let system = system.split(['-']).next().unwrap();
        let system = if system == "iconv" {
            "iconv-lite"
        } else {
            system
        };
        let own = SECOND_NAMES
            .iter()
            .find(|(name, _)| name == charset)
            .map_or(charset.as_str(), |(_, own)| own);
        let Some(table) = stored.get(&(own, system)) else {
            let known =
                LEFT_OUT.contains(&(charset, system)) || NOT_SINGLE.contains(&charset.as_str());
            assert!(known, "{charset} {system} is not in the data");
            continue;
        };
        // A converter that gives U+FFFD has no character there.
        let cells: Vec<Option<String>> = cells
            .split(' ')
            .map(|c| text(c).filter(|t| *t != "\u{FFFD}"))
            .collect();
        assert!(*table == cells, "{charset} {system}");
        compared.insert(charset.as_str());
    }
    let names: BTreeSet<&str> = measured
        .iter()
        .map(|(charset, ..)| charset.as_str())
        .collect();
    println!(
        "{} of {} charsets with one-byte tables compared",
        compared.len(),
        names.len()
    );
    for charset in names.difference(&compared) {
        assert!(NOT_SINGLE.contains(charset), "{charset} is not compared");
    }
    assert!(compared.len() >= 205);
}

/// Answers that are none to the question: the system takes the name for another charset.
const LEFT_OUT: &[(&str, &str)] = &[
    // WHATWG's superset under the label.
    ("US-ASCII", "encoding_rs"),
    ("ISO-8859-1", "encoding_rs"),
    ("ISO-8859-9", "encoding_rs"),
    ("ISO-8859-11", "encoding_rs"),
    ("TIS-620", "encoding_rs"),
    ("KOI8-RU", "encoding_rs"),
    ("ISO-8859-6-E", "encoding_rs"),
    ("TIS-620", "ICU"),
    ("TIS-620", "Perl"),
    // Perl finds ISO-8859-1 in the name.
    ("RISCOS-LATIN1", "Perl"),
    // Java's ISCII-91 has ST_SEV_358-88 as an alias.
    ("GOST_19768-74", "Java"),
];

/// Second names of charsets.
const SECOND_NAMES: &[(&str, &str)] = &[
    ("PT154", "PTCP154"),
    ("RK1048", "KZ-1048"),
    ("CP855", "IBM855"),
    ("CP858", "IBM00858"),
    ("ISO_11548-1", "ISO-11548-1"),
    ("ISO-8859-6-E", "ISO-8859-6"),
    ("ISO-8859-6-I", "ISO-8859-6"),
    ("ISO-8859-8-E", "ISO-8859-8"),
    ("ISO-8859-8-I", "ISO-8859-8"),
];

/// Charsets of several bytes or with states, and names under which Perl finds ISO-8859 without more.
const NOT_SINGLE: &[&str] = &[
    "ANSI_X3.110-1983",
    "BIG5-2003",
    "BIG5-ETEN",
    "BIG5-HKSCS:1999",
    "BIG5-HKSCS:2001",
    "BIG5-HKSCS:2004",
    "BIG5-HKSCS:2008",
    "BOCU-1",
    "CESU-8",
    "COMPOUND_TEXT",
    "CP1364",
    "CP1371",
    "CP1386",
    "CP1388",
    "CP1390",
    "CP1399",
    "CP50220",
    "CP930",
    "CP932",
    "CP933",
    "CP935",
    "CP936",
    "CP937",
    "CP939",
    "CP942",
    "CP943",
    "EUC-CN",
    "EUC-JIS-2004",
    "EUC-TW",
    "GSM 03.38",
    "HZ-GB-2312",
    "IMAP-mailbox-name",
    "ISCII (x-iscii-de)",
    "ISO-10646-Unicode-Latin1",
    "ISO-2022-CN",
    "ISO-2022-CN-EXT",
    "ISO-2022-CN-EXT*",
    "ISO-2022-JP-1",
    "ISO-2022-JP-2",
    "ISO-2022-JP-2004",
    "ISO-2022-JP-3",
    "ISO-2022-JP-MS",
    "ISO-2022-KR",
    "ISO-8859-1-Windows-3.0-Latin-1",
    "ISO-8859-1-Windows-3.1-Latin-1",
    "ISO-8859-2-Windows-Latin-2",
    "ISO-8859-9-Windows-Latin-5",
    "JAVA-escapes",
    "JIS_Encoding",
    "JOHAB",
    "LMBCS",
    "SCSU",
    "Shift_JIS",
    "Shift_JIS-2004",
    "T.61-8bit",
    "TSCII",
    "UNICODE-1-1-UTF-7",
    "UTF-7",
    "UTF-7 optional-direct",
    "UTF-7-IMAP",
    "Windows-31J",
    "cp950",
    "eucJP-ms",
    "iso-ir-90",
    "x-mac-chinesesimp",
    "x-mac-chinesetrad",
    "x-mac-japanese",
    "x-mac-korean",
    "x-user-defined",
];

/// Charset, system and cells from `{charset: {system: cells}}`.
fn answers(json: &str) -> Vec<(String, String, String)> {
    let mut strings = json
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .peekable();
    let mut out = Vec::new();
    let mut charset = String::new();
    while let Some(string) = strings.next() {
        match strings.peek() {
            // A system is followed by its cells, a charset by a system.
            Some(next) if next.matches(' ').count() == 255 => {
                out.push((charset.clone(), string, strings.next().unwrap()));
            }
            _ => charset = string,
        }
    }
    out
}
