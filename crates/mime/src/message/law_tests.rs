//! Tests laws of the parser on truncated and mutated messages, and compares it with another parser.

use super::test_support::{NESTED, laws, mixed, parse};
use super::*;
use crate::limits::Limits;
use crate::linear::assert_linear;
use crate::random::Random;
use crate::shared_material;
use std::path::{Path, PathBuf};

/// Returns the sample messages for the laws, which are also truncated and mutated.
fn samples() -> Vec<Vec<u8>> {
    let mut samples = vec![
        NESTED.as_bytes().to_vec(),
        NESTED.replace('\n', "\r\n").into(),
        NESTED.replace('\n', "\r").into(),
    ];
    samples.push(mixed("--b\nContent-Type: message/rfc822\n\n--b\n \n\n--b--x\n--b--").into());
    samples.push(b"From x\nA: b\n \n c\njunk\nSubject: d\0\r\r\n\n--b\n".to_vec());
    samples
}

#[test]
fn laws_hold_at_every_cut() {
    for sample in samples() {
        for end in 0..=sample.len() {
            laws(&parse(&sample[..end]));
            laws(&parse(&sample[end..]));
        }
    }
}

fn mutate(sample: &[u8], random: &mut Random) -> Vec<u8> {
    const PIECES: [&[u8]; 14] = [
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"--",
        b"--b",
        b"--outer\n",
        b"\n--b--\n",
        b" ",
        b":",
        b"\0",
        b"\"",
        b"\nContent-Type: message/rfc822\n\n",
        b"\nContent-Type: multipart/digest; boundary=b\n\n",
    ];
    let mut mutant = sample.to_vec();
    for _ in 0..=random.below(6) {
        let start = random.below(mutant.len());
        let end = start + random.below((mutant.len() - start).min(40));
        let with = match random.below(4) {
            0 => Vec::new(),
            1 => vec![random.below(256) as u8],
            2 => {
                let from = random.below(mutant.len());
                mutant[from..(from + random.below(200)).min(mutant.len())].to_vec()
            }
            _ => PIECES[random.below(PIECES.len())].to_vec(),
        };
        mutant.splice(start..end, with);
    }
    mutant
}

#[test]
fn laws_hold_for_mutants() {
    let mut random = Random(0x1998_0714);
    let small = Limits {
        depth: 3,
        parts: 6,
        fields: 4,
        field: 30,
        ..Limits::default()
    };
    for sample in samples() {
        for round in 0..4_000 {
            let mutant = mutate(&sample, &mut random);
            let limits = if round % 4 == 0 {
                small
            } else {
                Limits::default()
            };
            laws(&Message::parse(&mutant, &limits));
        }
    }
}

/// Makes a message of the given number of pieces. Returns it with the number of its parts.
type Make<'a> = &'a dyn Fn(usize) -> (String, usize);

/// Inputs that made other parsers quadratic or recursive.
#[test]
fn deep_and_wide_messages_take_linear_time() {
    const COUNT: usize = 100_000;
    let unlimited = Limits {
        depth: usize::MAX,
        parts: usize::MAX,
        fields: usize::MAX,
        ..Limits::default()
    };
    let nested = |count: usize, one: fn(usize) -> String| (0..count).map(one).collect::<String>();
    let multiparts = |count| {
        nested(count, |n| {
            format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")
        })
    };
    let equal = |count| {
        nested(count, |_| {
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n".to_owned()
        })
    };
    let hyphens = |count: usize| mixed(&"-".repeat(50 * count));
    let blanks = |count: usize| " \n".repeat(10 * count);
    let table: [Make<'_>; 13] = [
        &|n| {
            let closing = (0..n).rev().fold(String::new(), |text, i| {
                text + "\n--b" + &i.to_string() + "--"
            });
            (multiparts(n) + &closing, n + 1)
        },
        &|n| (multiparts(n) + &nested(n, |i| format!("--b{i} \n")), n + 2),
        &|n| ("Content-Type: message/rfc822\n\n".repeat(n), n + 1),
        &|n| (equal(n) + &"\n--b--".repeat(n), n + 1),
        &|n| (mixed(&"--b\n\n".repeat(n)), n + 1),
        &|n| (mixed(&"\n--\n--b-\n".repeat(n)), 1),
        &|n| (hyphens(n), 1),
        &|n| (hyphens(n).replace('\n', "\r"), 1),
        &|n| (format!("A: b\n{}", "junk\n".repeat(10 * n)), 1),
        &|n| (format!("A: b\n{}A: b\n{}", blanks(n), blanks(n)), 1),
        &|n| ("A: b\n \n".repeat(n), 1),
        &|n| ("\r".repeat(10 * n), 1),
        &|n| ("\n\r".repeat(10 * n), 1),
    ];
    for (index, make) in table.iter().enumerate() {
        assert_linear(&index, COUNT, |n| {
            let (raw, parts) = make(n);
            let message = Message::parse(raw.as_bytes(), &unlimited);
            assert_eq!(message.parts().len(), parts, "{:?}…", &raw[..40]);
        });
    }
}

fn messages_under(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            messages_under(&path, files);
        } else if path.extension().is_some_and(|e| e == "eml")
            || folder.to_string_lossy().contains("/eml/")
        {
            files.push(path);
        }
    }
}

fn corpus(shared: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    messages_under(&shared.join("corpus/eml"), &mut files);
    messages_under(&shared.join("attacks"), &mut files);
    files.sort();
    assert!(files.len() > 900, "{} messages", files.len());
    files
}

#[test]
fn laws_hold_for_messages_of_others_and_their_mutants() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let mut random = Random(0x2026_1120);
    for file in corpus(&shared) {
        let raw = std::fs::read(&file).unwrap();
        laws(&parse(&raw));
        if raw.len() < 50_000 {
            for _ in 0..20 {
                laws(&parse(&mutate(&raw, &mut random)));
            }
        }
    }
}

/// Expects the same parts from both parsers in nearly all messages. Prints the rest, since either parser may be wrong.
#[test]
fn mail_parser_finds_the_same_parts() {
    let Some(shared) = shared_material::folder() else {
        return;
    };
    let (mut same, mut all) = (0, 0);
    for file in corpus(&shared) {
        let raw = std::fs::read(&file).unwrap();
        let Some(theirs) = mail_parser::MessageParser::default().parse(&raw) else {
            continue;
        };
        all += 1;
        // mail-parser stores embedded messages separately, so this compares the parts of one level.
        let ours = parse(&raw);
        let mut embedded = vec![false; ours.parts().len()];
        let mut count = 0;
        for (index, part) in ours.parts().iter().enumerate() {
            embedded[index] = part.parent.is_some_and(|parent| {
                embedded[parent.0 as usize] || ours.part_at(parent).kind == PartKind::Message
            });
            count += usize::from(!embedded[index]);
        }
        if count == theirs.parts.len() {
            same += 1;
        } else {
            println!(
                "{}: {count} parts, mail-parser {}",
                file.display(),
                theirs.parts.len()
            );
        }
    }
    println!("{same} of {all} messages alike");
    assert!(same * 100 >= all * 95, "{same} of {all}");
}
