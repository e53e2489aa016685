//! Charsets without registration, and the labels of WHATWG: what `data/` lists is held against the codec and encoding_rs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail by panic"
)]

mod common;

use common::Random;
use encoding_rs::Encoding;
use mailglot_codec::{Charset, LossLog, Resolved, Unmappable, View};

/// A letter of each script that some charset here has.
const LETTERS: &[char] = &[
    'a', 'é', 'ж', 'ω', 'ш', 'א', 'ب', 'ก', 'क', 'த', 'ა', 'ա', '가', '中', 'あ', 'ı', 'đ', 'ກ',
    'č',
];

/// Name, label, number of systems.
fn unregistered() -> Vec<(&'static str, &'static str, usize)> {
    include_str!("../../../data/unregistered.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|row| (row[0], row[1], row[2].parse().unwrap()))
        .collect()
}

#[test]
fn what_two_systems_decode_is_decoded_and_encoded() {
    let rows = unregistered();
    assert!(rows.len() > 80);
    for (name, label, systems) in rows {
        assert!(systems >= 2, "{name}");
        if label == "-" {
            assert_eq!(name, "x-user-defined");
            assert_eq!(
                Charset::for_label(name.as_bytes(), View::Mail),
                Resolved::NoInformation
            );
            continue;
        }
        let found = Charset::for_label(label.as_bytes(), View::Mail);
        assert!(
            matches!(found, Resolved::Exact(_) | Resolved::Alias(_)),
            "{name}: {label}: {found:?}"
        );
        let charset = found.charset().unwrap();
        let mut kept = 0;
        for letter in LETTERS.iter().map(char::to_string) {
            let mut log = LossLog::new();
            let bytes = charset
                .encode(&letter, Unmappable::Skip, &mut log)
                .into_owned();
            if log.is_empty() {
                assert_eq!(
                    charset.decode(&bytes, &mut log),
                    letter,
                    "{name}: {bytes:x?}"
                );
                assert_eq!(log.losses(), 0, "{name}: {bytes:x?}");
                kept += 1;
            }
        }
        assert!(kept > 0, "{name}");
    }
}

#[test]
fn the_list_has_every_charset_of_the_comparison() {
    let Some(path) = common::shared("data/charsets/charset_matrix.csv") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(columns);
    let head = lines.next().unwrap();
    let place = |name: &str| head.iter().position(|column| column == name).unwrap();
    let systems = place("encoding_rs")..=place("Go x/text ianaindex");
    assert_eq!(systems.clone().count(), 16);
    let counted: Vec<(String, usize)> = lines
        .filter(|row| row[0] == "none")
        .map(|row| {
            (
                row[1].clone(),
                row[systems.clone()]
                    .iter()
                    .filter(|cell| !cell.is_empty())
                    .count(),
            )
        })
        .filter(|(_, count)| *count >= 2)
        .collect();
    let listed: Vec<_> = unregistered()
        .into_iter()
        .map(|(name, _, count)| (name.to_owned(), count))
        .collect();
    assert_eq!(listed, counted);
}

/// The columns of a line of CSV; no quotes stand within quotes there.
fn columns(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => out.last_mut().unwrap().push(c),
        }
    }
    out
}

#[test]
fn labels_of_the_web_are_those_of_encoding_rs() {
    let mut random = Random(7);
    let (mut known, mut unknown) = (0, 0);
    for line in include_str!("../../../data/labels.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let label = line.split('\t').next().unwrap();
        for turn in 0..8 {
            let mut varied: Vec<u8> = label.bytes().collect();
            if turn > 0 {
                varied
                    .iter_mut()
                    .filter(|_| random.below(2) == 0)
                    .for_each(u8::make_ascii_uppercase);
                // The last of these is no white space of the standard.
                let space = |random: &mut Random| *random.pick(b"\t\n\x0C\r \x0B");
                (0..random.below(3)).for_each(|_| varied.insert(0, space(&mut random)));
                (0..random.below(3)).for_each(|_| varied.push(space(&mut random)));
            }
            let ours = Charset::for_label(&varied, View::Whatwg);
            match Encoding::for_label(&varied).map(Encoding::name) {
                // These two are no charsets.
                Some("replacement" | "x-user-defined") => {
                    assert_eq!(ours, Resolved::NoInformation, "{varied:?}");
                }
                Some(name) => {
                    assert_eq!(
                        ours.charset().map(Charset::name).map(str::to_lowercase),
                        Some(name.to_lowercase())
                    );
                    known += 1;
                }
                None => {
                    assert_eq!(ours, Resolved::Unknown, "{varied:?}");
                    unknown += 1;
                }
            }
        }
    }
    assert!(known > 1000 && unknown > 10_000, "{known} {unknown}");
}
