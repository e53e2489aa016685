//! The second reader of `normalize --verify`, over the shared corpus, real mail, attacks, samples, generated mail and seeded mutants.
//!
//! `tests/second_reader.tsv` has the exact number of messages of each class in each set. A rewriting that the second reader suddenly reads
//! otherwise changes a number, and so does a class that begins to excuse more than it did.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::{Edit, EventKind, Message, Policy, plan, splice, undo_edits};
use mailglot_pipeline::verify::{Disagreement, READERS, Rewritten, Verdict, Verifier};
use mailglot_tests::{generate, mutate, rival, rng::Rng, shared};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Number of messages by set and class.
type Counts = BTreeMap<(String, String), u64>;

/// Makes a mutant of one of the seeds.
type MakeMutant = fn(&[Vec<u8>], &mut Rng) -> Vec<u8>;

fn verdict(verifier: &Verifier, raw: &[u8], edits: &[Edit]) -> Verdict {
    let mut rewritten = Vec::new();
    splice(raw, edits, &mut rewritten).unwrap();
    let policy = Policy::default();
    let message = Message::parse(raw, &policy.limits);
    let rewritten = Rewritten {
        bytes: &rewritten,
        edits,
        undo: &undo_edits(raw, edits),
        readings: &plan(raw, &policy).report.readings,
    };
    verifier.verify(&message, &rewritten, &policy)
}

/// Rewrites and verifies a message, and counts what came of it. Gives the disagreement.
fn count(verifier: &Verifier, set: &str, raw: &[u8], counts: &mut Counts) -> Option<Disagreement> {
    let edits = plan(raw, &Policy::default()).edits;
    if edits.is_empty() {
        return None;
    }
    let mut add = |class: &str| {
        *counts
            .entry((set.to_owned(), class.to_owned()))
            .or_default() += 1;
    };
    match verdict(verifier, raw, &edits) {
        Verdict::Accepted(defects) if defects.is_empty() => add("agreed"),
        Verdict::Accepted(defects) => defects.iter().for_each(|defect| add(defect.name())),
        Verdict::Rejected(disagreement) => {
            add("disagreed");
            return Some(disagreement);
        }
    }
    None
}

/// Returns true if a multipart of a message lacks its closing delimiter.
fn is_unclosed(raw: &[u8]) -> bool {
    let message = Message::parse(raw, &Policy::default().limits);
    let mut defects = message.defects().iter();
    defects.any(|event| event.kind == EventKind::MimeUnclosed)
}

/// The messages of a folder with their paths, sorted.
fn messages(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "eml") {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    assert!(found.len() > 10, "{}", folder.display());
    found.sort();
    found
}

fn generated(profile: generate::Profile, size: u64, crlf: bool) -> Vec<u8> {
    let dialect = generate::Dialect::Mboxrd;
    let options = generate::Options {
        profile,
        dialect,
        crlf,
        flaws: generate::Flaws::Few,
        size,
        seed: 11,
    };
    let mut mailbox = Vec::new();
    generate::write(&options, &mut mailbox, None).unwrap();
    mailbox
}

/// What `tools/gen_mbox.py` makes.
fn generated_by_script(shared: &Path, arguments: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (out, truth) = (
        folder.path().join("box.mbox"),
        folder.path().join("truth.jsonl"),
    );
    let run = Command::new("python3")
        .arg(shared.join("tools/gen_mbox.py"))
        .args(arguments)
        .arg("--out")
        .arg(&out)
        .arg("--truth")
        .arg(&truth)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    fs::read(out).unwrap()
}

#[test]
fn every_rewritten_message_is_verified_or_of_a_listed_class() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let verifier = Verifier::new();
    let (mut counts, mut disagreed) = (Counts::new(), Vec::new());
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let sets = [
        ("corpus", shared.join("corpus/eml")),
        ("real", shared.join("corpus/real/eml")),
        ("attacks", shared.join("attacks")),
        ("samples", samples),
    ];
    let mut seeds = Vec::new();
    for (set, folder) in sets {
        for (path, raw) in messages(&folder) {
            let found = count(&verifier, set, &raw, &mut counts);
            disagreed.extend(
                found.map(|found| format!("{}: part {}: {found}", path.display(), found.section)),
            );
            if set != "real" && raw.len() < 60_000 {
                seeds.push(raw);
            }
        }
    }
    let list = generate::Profile::List;
    let mixed = generate::Profile::Mixed;
    for (set, mailbox) in [
        ("generated list", generated(list, 5_000_000, false)),
        ("generated list, CR LF", generated(list, 1_000_000, true)),
        ("generated mixed", generated(mixed, 5_000_000, false)),
        (
            "gen_mbox.py list",
            generated_by_script(&shared, &["--size", "5M", "--profile", "list"]),
        ),
        (
            "gen_mbox.py mixed",
            generated_by_script(&shared, &["--size", "5M", "--profile", "mixed", "--crlf"]),
        ),
        (
            "gen_mbox.py office",
            generated_by_script(&shared, &["--size", "3M", "--profile", "office"]),
        ),
    ] {
        for (number, raw) in rival::split(&mailbox).enumerate() {
            let found = count(&verifier, set, raw, &mut counts);
            disagreed.extend(
                found.map(|found| format!("{set} {number}: part {}: {found}", found.section)),
            );
        }
    }
    let mut mutants = |set: &str, seed: u64, make: MakeMutant, is_skipped: fn(&[u8]) -> bool| {
        let mut random = Rng::new(seed);
        for number in 0..4_000 {
            let raw = make(&seeds, &mut random);
            if is_skipped(&raw) {
                let class = (set.to_owned(), "not compared".to_owned());
                *counts.entry(class).or_default() += 1;
                continue;
            }
            let found = count(&verifier, set, &raw, &mut counts);
            let shown = raw[..raw.len().min(2_000)].escape_ascii();
            disagreed.extend(found.map(|found| {
                let part = found.section.clone();
                format!("{set} {number}: part {part}: {found}\n  {shown}")
            }));
        }
    };
    mutants("mutants", 5, mutate::mutant, |_| false);
    // mail-parser reads quoted-printable beyond the delimiter of an outer multipart.
    mutants("mutants of headers", 6, mutate::header_mutant, is_unclosed);
    let table: Vec<String> = counts
        .iter()
        .map(|((set, class), count)| format!("{set}\t{class}\t{count}"))
        .collect();
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("second_reader.tsv"))
        .unwrap();
    let listed: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(table, listed, "disagreements:\n{}", disagreed.join("\n"));
}

/// The versions that reports name are those that are built in.
#[test]
fn readers_have_the_versions_that_are_told() {
    let lock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).unwrap();
    for reader in READERS {
        let (name, version) = reader.split_once(' ').unwrap();
        assert!(
            lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")),
            "{reader}"
        );
    }
}

/// One kind of fault that a rewriter could have.
type Fault = fn(&mut Vec<u8>) -> bool;

/// Faults of a rewriter. Each tells whether it could be planted into the new bytes of an edit.
const FAULTS: [(&str, Fault); 5] = [
    ("another character", |with| {
        let Some(at) = with
            .windows(2)
            .position(|pair| pair[0] == 0xC3 && pair[1] < 0xBF)
        else {
            return false;
        };
        with[at + 1] += 1;
        true
    }),
    ("a question mark", |with| {
        let Some(at) = with.iter().position(|byte| *byte >= 0xC2) else {
            return false;
        };
        let end = at
            + with[at..]
                .iter()
                .skip(1)
                .take_while(|byte| **byte & 0xC0 == 0x80)
                .count();
        with.splice(at..=end, *b"?");
        true
    }),
    ("the end is missing", |with| {
        let is_body = with.contains(&b'\n') && with.len() > 100;
        if is_body {
            with.truncate(with.len() / 2);
        }
        is_body
    }),
    ("a carriage return too many", |with| {
        let inner = |at: &usize| !with.is_ascii() && at + 10 < with.len();
        let Some(at) = with.iter().position(|byte| *byte == b'\n').filter(inner) else {
            return false;
        };
        let first = at.saturating_sub(usize::from(at > 0 && with[at - 1] == b'\r'));
        with.splice(first..=at, *b"\r\r\n");
        true
    }),
    ("twice encoded", |with| {
        if with.is_ascii() {
            return false;
        }
        let text: String = with.iter().map(|byte| char::from(*byte)).collect();
        *with = text.into_bytes();
        true
    }),
];

/// Each fault that is planted into the bytes of a rewritten body is found, in every message.
#[test]
fn planted_faults_are_found() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let verifier = Verifier::new();
    let mut originals: Vec<Vec<u8>> = messages(&shared.join("corpus/real/eml"))
        .into_iter()
        .map(|(_, raw)| raw)
        .collect();
    for mailbox in [
        generated(generate::Profile::List, 2_000_000, false),
        generated(generate::Profile::Mixed, 2_000_000, true),
    ] {
        originals.extend(rival::split(&mailbox).map(<[u8]>::to_vec));
    }
    let mut planted = [0; FAULTS.len()];
    for raw in &originals {
        let edits = plan(raw, &Policy::default()).edits;
        for (fault, (name, plant)) in FAULTS.iter().enumerate() {
            let mut broken = edits.clone();
            let Some(edit) = broken
                .iter_mut()
                .find_map(|edit| plant(&mut edit.with).then_some(edit))
            else {
                continue;
            };
            edit.recipe = None;
            planted[fault] += 1;
            let verdict = verdict(&verifier, raw, &broken);
            let shown = String::from_utf8_lossy(raw);
            assert!(
                matches!(verdict, Verdict::Rejected(_)),
                "{name}: {verdict:?}\n{shown}"
            );
        }
    }
    println!("planted: {planted:?}");
    assert!(planted.iter().all(|planted| *planted > 200), "{planted:?}");
}
