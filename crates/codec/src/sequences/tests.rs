//! Compares the lists with their data, and both directions with each other.

use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::loss::LossLog;
use crate::mode::Mode;

/// A row: table, bytes, use, text.
type Row = (&'static str, Vec<u8>, char, String);

/// The rows of `data/sequences.tsv` that have code points. `None` where there is no repository.
fn rows() -> Option<Vec<Row>> {
    let points = |column: &str| -> String {
        let codes = column.split(' ').filter(|code| *code != "-");
        codes
            .map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap())
            .collect()
    };
    let text: &'static str = crate::repository_file::read("data/sequences.tsv")?.leak();
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|row| row[2] != "+" && row[3] != "-")
        .map(|row| {
            let bytes = super::unhex(row[1].trim_matches('-')).collect();
            (
                row[0],
                bytes,
                row[2].chars().next().unwrap(),
                points(row[3]),
            )
        })
        .collect();
    Some(rows)
}

fn charsets() -> impl Iterator<Item = Charset> {
    Charset::all().filter(|c| matches!(c.kind(), crate::charset::Kind::Sequences(_)))
}

/// The charsets that a table serves, with the bytes before each of its rows.
fn users(table: &str) -> Vec<(Charset, &'static [u8])> {
    match table {
        "diacritics" => charsets()
            .filter(|c| matches!(c.mib(), Some(14 | 59 | 66 | 74 | 76 | 83)))
            .map(|c| (c, &b""[..]))
            .collect(),
        "mnemonics" => vec![(Charset::MNEMONIC, b"&"), (Charset::MNEM, b" \x08")],
        name => Charset::for_name(name)
            .map(|c| (c, &b""[..]))
            .into_iter()
            .collect(),
    }
}

fn strict(charset: Charset, bytes: &[u8]) -> (String, LossLog) {
    let (mut text, mut log) = (String::new(), LossLog::new());
    let mut decoder = charset.new_decoder(Mode::Strict);
    decoder.push(bytes, &mut text, &mut log);
    decoder.finish(&mut text, &mut log);
    (text, log)
}

/// Text in pieces as bytes. A charset that lenient decoding takes for another one is written strictly; `leniently` it
/// has ASCII only.
fn written(charset: Charset, pieces: &[&str], leniently: bool) -> (Vec<u8>, LossLog) {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(1000));
    let skip = Unmappable::Skip;
    let mut encoder = if leniently {
        charset.new_encoder(skip)
    } else {
        charset.new_strict_encoder(skip)
    };
    for piece in pieces {
        encoder.push(piece, &mut bytes, &mut log);
    }
    encoder.finish(&mut bytes, &mut log);
    (bytes, log)
}

/// The same for a whole text, which is split everywhere, too, with the same result.
fn encoded(charset: Charset, text: &str, leniently: bool) -> (Vec<u8>, LossLog) {
    let whole = written(charset, &[text], leniently);
    for (at, _) in text.char_indices() {
        let split = written(charset, &[&text[..at], &text[at..]], leniently);
        assert!(split == whole, "{charset} {text:?} at {at}");
    }
    whole
}

#[test]
fn every_row_reads_and_writes_as_the_data_says() {
    let mut checked = 0;
    let Some(rows) = rows() else { return };
    for (table, bytes, r#use, text) in rows {
        for (charset, before) in users(table) {
            // Lenient encoding of NAPLPS has ASCII only.
            if charset.superset() != charset && r#use == '~' {
                continue;
            }
            let bytes = [before, &bytes].concat();
            let (got, losses) = strict(charset, &bytes);
            if matches!(r#use, '=' | '>' | '?') {
                assert_eq!(
                    (&got, losses.is_empty()),
                    (&text, r#use != '?'),
                    "{charset} {bytes:x?}"
                );
            }
            let (written, log) = encoded(charset, &text, r#use == '~');
            match r#use {
                '=' | '<' | '~' => {
                    assert_eq!((written, log.losses()), (bytes, 0), "{charset} {text}");
                    assert_eq!(log.notes(), u64::from(r#use == '~'), "{charset} {text}");
                }
                '!' => assert!(log.losses() == 1 && written != bytes, "{charset} {text}"),
                _ => {}
            }
            checked += 1;
        }
    }
    assert!(checked > 10_000, "{checked}");
}

/// An encoder waits for the rest of a longer text: should it break off, what came of it can be written.
#[test]
fn what_begins_a_text_that_is_written_can_be_written() {
    let Some(rows) = rows() else { return };
    for (table, _, r#use, text) in rows {
        if !matches!(r#use, '=' | '<' | '~') {
            continue;
        }
        for (charset, _) in users(table) {
            for (end, _) in text.char_indices().skip(1) {
                let (bytes, log) = encoded(charset, &text[..end], true);
                assert!(
                    !bytes.is_empty() && log.losses() == 0,
                    "{charset} {:?} of {text:?}",
                    &text[..end]
                );
            }
        }
    }
}

/// What is written without a record is read as the same text, whatever stands beside it.
#[test]
fn what_is_written_side_by_side_comes_back() {
    for charset in charsets() {
        let own = |table: &str| users(table).iter().any(|(user, _)| *user == charset);
        let Some(rows) = rows() else { return };
        let mut units: Vec<String> = rows
            .into_iter()
            .filter(|(table, ..)| own(table))
            .map(|(.., text)| text)
            .collect();
        units.sort();
        units.dedup();
        // Of the many names of RFC 1345 every seventh.
        let step = if units.len() > 1000 { 7 } else { 1 };
        let mut turn = 0;
        for first in units.iter().step_by(step) {
            for second in units.iter().step_by(step) {
                let text = format!("{first}{second}d");
                let (bytes, log) = if turn % 50 == 0 {
                    encoded(charset, &text, false)
                } else {
                    written(charset, &[&text], false)
                };
                turn += 1;
                if log.is_empty() {
                    let (back, log) = strict(charset, &bytes);
                    assert!(
                        back == text && log.is_empty(),
                        "{charset} {text:?} {bytes:x?} {back:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn defects_are_recorded() {
    for (charset, bytes, text, kinds) in [
        (
            Charset::T_61_8BIT,
            &b"\xC2e\xC2"[..],
            "é\u{FFFD}",
            &["truncated"][..],
        ),
        (
            Charset::T_61_8BIT,
            b"\xC2b\xC2\xC2e\xC2 ",
            "b\u{301}\u{FFFD}é´",
            &["irregular", "invalid"],
        ),
        (
            Charset::T_61_8BIT,
            b"#\xA6\\",
            "##\\",
            &["irregular", "irregular"],
        ),
        (Charset::T_61_8BIT, b"\xC2\ne", "\u{FFFD}\ne", &["invalid"]),
        (
            Charset::GSM0338,
            b"\x1be\x00\x1bA\x1b",
            "€@\u{FFFD}A\u{FFFD}",
            &["invalid", "truncated"],
        ),
        (Charset::GSM0338, b"\xE9", "\u{FFFD}", &["8bit"]),
        (Charset::VIQR, b"Vie^.t Nam ddo+\\.", "Việt Nam đơ.", &[]),
        (
            Charset::VIQR,
            b"C:\\Temp\\\\x a\\^ d\\d",
            "C:\\Temp\\x a^ dd",
            &[],
        ),
        (
            Charset::MNEMONIC,
            b"R&D && na&i:ve &_U:-_ &x",
            "R&D & naïve Ǖ &x",
            &["irregular", "irregular"],
        ),
        (
            Charset::MNEM,
            b"R&D na \x08i:ve  \x08 \x08",
            "R&D naïve  \x08",
            &[],
        ),
        (
            Charset::X_ISCII_DE,
            b"\xEFB\xC6\xCC\xD7\xE8\xC2\xE1 \xB3\xE9\xEA\xEA",
            "नमस्ते \u{958}॥",
            &[],
        ),
        (
            Charset::X_ISCII_DE,
            b"\xB3\xE8\xD9\xE8\xE8\xF0\xBF\xD9",
            "क्\u{20}\u{94D}\u{200C}॰\u{200D}",
            &[],
        ),
        (
            Charset::X_ISCII_DE,
            b"\xEF0\xB3\xEFC\xB3\xFF",
            "क\u{FFFD}Cक\u{FFFD}",
            &["irregular", "invalid", "invalid"],
        ),
        (
            Charset::X_MAC_KOREAN,
            b"\xB0\xA1\xA2\xE6\xA1A\xC9\xA1",
            "가1\u{20DE}\u{F87C}\u{300C}\u{F87F}\u{FFFD}\u{FFFD}",
            &["invalid", "truncated"],
        ),
        (
            Charset::TSCII,
            b"\xA6\xB8\xA1\xA8\x83\xFF",
            "கொஜை\u{FFFD}",
            &["invalid"],
        ),
    ] {
        let mut log = LossLog::new();
        let got = charset.decode(bytes, &mut log).into_owned();
        let got_kinds: Vec<_> = log.kept().iter().map(|loss| loss.kind.name()).collect();
        assert_eq!(
            (got.as_str(), got_kinds.as_slice()),
            (text, kinds),
            "{charset} {bytes:x?}"
        );
    }
}

#[test]
fn what_cannot_be_written_is_replaced() {
    for (charset, text, bytes, losses) in [
        (Charset::GSM0338, "€5 Ж", &b"\x1be5 &#1046;"[..], 1),
        (
            Charset::T_61_8BIT,
            "e\u{301}b\u{301}",
            b"\xC2eb&\xA6769;",
            1,
        ),
        (Charset::VIQR, "a. d\u{111} 日", b"a\\. \\ddd &#26085;", 1),
        (Charset::MNEMONIC, "A&B 日", b"A&&B &&#26085;", 1),
    ] {
        let mut log = LossLog::new();
        let got = charset.encode(text, Unmappable::HtmlDecimal, &mut log);
        let shown = String::from_utf8_lossy(&got);
        assert_eq!(
            (&got[..], log.losses()),
            (bytes, losses),
            "{charset} {shown}"
        );
    }
}

#[test]
fn lenient_naplps_is_read_as_every_mailer_does() {
    let mut log = LossLog::new();
    assert_eq!(Charset::ANSI_X3_110_1983.decode(b"\xE9#", &mut log), "é#");
    assert_eq!(strict(Charset::ANSI_X3_110_1983, b"\xC2e\xE9").0, "éØ");
}

#[test]
fn mac_korean_is_euc_kr_but_for_its_rows() {
    let Some(rows) = rows() else { return };
    let own: Vec<Vec<u8>> = rows
        .into_iter()
        .filter(|(table, ..)| *table == "x-mac-korean")
        .map(|(_, bytes, ..)| bytes)
        .collect();
    let mut same = 0;
    for pair in (0xA1..=0xFE).flat_map(|lead| (0xA1..=0xFE).map(move |trail| vec![lead, trail])) {
        let (expected, losses) = strict(Charset::EUC_KR, &pair);
        if !own.contains(&pair) && losses.is_empty() {
            assert_eq!(
                strict(Charset::X_MAC_KOREAN, &pair),
                (expected.clone(), LossLog::new()),
                "{pair:x?}"
            );
            let (written, log) = written(Charset::X_MAC_KOREAN, &[&expected], false);
            assert!(
                log.is_empty() && strict(Charset::X_MAC_KOREAN, &written).0 == expected,
                "{pair:x?}"
            );
            same += 1;
        }
    }
    assert_eq!(same, 8212);
}
