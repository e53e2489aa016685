//! The scripts of the shared material, run against the program: splitter cases, corpus scores, ground truth.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::{Message, Policy, process};
use mailglot_tests::{binary, shared};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn python(arguments: &[&str]) -> Output {
    Command::new("python3")
        .args(arguments)
        .output()
        .expect("python3 can be started")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths here are UTF-8")
}

#[test]
fn tricky_mailboxes_are_counted_right_or_called_ambiguous() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let made = python(&[text(&shared.join("tools/tricky.py")), text(folder.path())]);
    assert!(made.status.success(), "{}", binary::shown(&made));
    let expected: HashMap<String, u64> =
        serde_json::from_slice(&fs::read(folder.path().join("expected.json")).unwrap()).unwrap();
    let mut right = 0;
    for (name, expected) in &expected {
        let mailbox = folder.path().join(format!("{name}.mbox"));
        let run = binary::run(["count", text(&mailbox)]);
        assert!(run.status.success(), "{name}: {}", binary::shown(&run));
        assert_eq!(
            String::from_utf8_lossy(&run.stdout)
                .split('\t')
                .nth(1)
                .map(str::trim_end),
            Some(text(&mailbox)),
            "{name}: one line `N<TAB>path`"
        );
        let counted = String::from_utf8_lossy(&run.stdout)
            .split('\t')
            .next()
            .and_then(|n| n.parse::<u64>().ok());
        if counted == Some(*expected) {
            right += 1;
            continue;
        }
        let out = folder.path().join("out");
        let report = folder.path().join("report.json");
        let run = binary::run([
            "-q",
            "normalize",
            "--force",
            "--report",
            text(&report),
            text(&mailbox),
            "-o",
            text(&out),
        ]);
        assert!(run.status.success(), "{name}: {}", binary::shown(&run));
        let report = fs::read_to_string(&report).unwrap();
        assert!(
            report.contains("mbox.ambiguous-from"),
            "{name}: {counted:?}, not {expected}, and no word of doubt"
        );
        println!("{name}: {counted:?}, not {expected}, but called ambiguous");
    }
    println!("{right} of {} right", expected.len());
    assert_eq!(expected.len(), 17);
    assert!(right >= 15, "{right} right");
}

#[test]
fn corpus_scores_reach_their_bars() {
    let Some(shared) = shared::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (scores, failures) = (
        folder.path().join("scores.json"),
        folder.path().join("failures.jsonl"),
    );
    let run = python(&[
        text(&shared.join("corpus/score.py")),
        text(binary::path()),
        "--json",
        text(&scores),
        "--failures",
        text(&failures),
    ]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    print!("{}", String::from_utf8_lossy(&run.stdout));
    let scores: Value = serde_json::from_slice(&fs::read(&scores).unwrap()).unwrap();
    known_differences(&fs::read_to_string(&failures).unwrap());
    for (group, bar) in [
        ("RFC 2047 header values", 92.0),
        ("Bodies: expected text parts", 95.0),
    ] {
        let undisputed = &scores[group]["= undisputed"];
        let (all, right) = (
            undisputed["n"].as_f64().unwrap(),
            undisputed["normalised"].as_f64().unwrap(),
        );
        assert!(100.0 * right / all >= bar, "{group}: {right} of {all}");
    }
}

/// The expectations that are not met are exactly those listed, each with its reason.
fn known_differences(failures: &str) {
    let list =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("known_differences.tsv"))
            .unwrap();
    // Header values have a test of their own, which counts white space.
    let lines = list
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("rfc"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let mut listed = BTreeMap::new();
    for row in &rows {
        let [set, id, _, reason] = row[..] else {
            panic!("four columns: {row:?}")
        };
        assert!(reason.len() > 10, "{row:?}: no reason");
        assert!(
            listed.insert((set, id.to_owned()), reason).is_none(),
            "{row:?} stands twice"
        );
    }
    let sets: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    let failed: BTreeSet<(&str, String)> = failures
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|row| {
            let set = sets
                .iter()
                .copied()
                .find(|set| row["kind"].as_str().unwrap().starts_with(set))?;
            Some((set, row["id"].as_str().unwrap().to_owned()))
        })
        .collect();
    let listed: BTreeSet<_> = listed.into_keys().collect();
    let new: Vec<_> = failed.difference(&listed).collect();
    let met: Vec<_> = listed.difference(&failed).collect();
    assert!(
        new.is_empty() && met.is_empty(),
        "not listed: {new:?}\nlisted, but met: {met:?}"
    );
    assert!(sets.contains("Bodies"));
}

#[test]
fn generated_list_is_read_as_it_was_written() {
    ground_truth("list", &[]);
}

#[test]
fn generated_mixed_mail_is_read_as_it_was_written() {
    ground_truth("mixed", &["--crlf"]);
}

#[test]
fn generated_dialects_are_counted_and_restored() {
    let Some(shared) = shared::folder() else {
        return;
    };
    for format in ["mboxo", "mboxcl2"] {
        for crlf in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mailbox = folder.path().join("box.mbox");
            let truth = folder.path().join("truth.jsonl");
            let mut arguments = vec!["--size", "2M", "--format", format];
            if crlf {
                arguments.push("--crlf");
            }
            generate(&shared, &arguments, &mailbox, &truth);
            let messages = fs::read_to_string(&truth).unwrap().lines().count() as u64;
            assert_eq!(count(&mailbox), messages, "{format}, CR LF: {crlf}");
            restored(&mailbox);
        }
    }
}

fn generate(shared: &Path, arguments: &[&str], mailbox: &Path, truth: &Path) {
    let script = shared.join("tools/gen_mbox.py");
    let mut all = vec![text(&script)];
    all.extend(arguments);
    all.extend(["--out", text(mailbox), "--truth", text(truth)]);
    let made = python(&all);
    assert!(made.status.success(), "{}", binary::shown(&made));
}

fn count(mailbox: &Path) -> u64 {
    let run = binary::run(["count", text(mailbox)]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    String::from_utf8_lossy(&run.stdout)
        .split('\t')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap()
}

/// Normalizes and restores; every byte must come back.
fn restored(mailbox: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let (out, original) = (
        folder.path().join("out.mbox"),
        folder.path().join("original.mbox"),
    );
    let run = binary::run([
        "-q",
        "normalize",
        "--threads",
        "2",
        text(mailbox),
        "-o",
        text(&out),
    ]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    let run = binary::run(["-q", "restore", text(&out), "-o", text(&original)]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    assert!(
        fs::read(mailbox).unwrap() == fs::read(&original).unwrap(),
        "{}",
        mailbox.display()
    );
}

/// Reads a generated mailbox of 10 MB and compares each part with what was written.
fn ground_truth(profile: &str, more: &[&str]) {
    let Some(shared) = shared::folder() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (mailbox, truth) = (
        folder.path().join("box.mbox"),
        folder.path().join("truth.jsonl"),
    );
    let mut arguments = vec!["--size", "10M", "--profile", profile];
    arguments.extend(more);
    generate(&shared, &arguments, &mailbox, &truth);
    let truth = fs::read_to_string(&truth)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect::<Vec<Value>>();
    assert_eq!(count(&mailbox), truth.len() as u64);
    restored(&mailbox);

    let run = binary::run(["-q", "text", "--json", text(&mailbox)]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let mut texts = HashMap::new();
    for line in run
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let record: Value = serde_json::from_slice(line).unwrap();
        let key = (
            record["message"].as_u64().unwrap(),
            record["part"].as_str().unwrap().to_owned(),
        );
        texts.insert(key, record["text"].as_str().unwrap_or_default().to_owned());
    }
    let raw = fs::read(&mailbox).unwrap();
    let mut utf8_parts = 0;
    let mut classes: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for message in &truth {
        for part in message["parts"].as_array().unwrap() {
            let (all, right) = classes
                .entry(part["flaw"].as_str().unwrap_or(RIGHT))
                .or_default();
            *all += 1;
            let key = (
                message["n"].as_u64().unwrap(),
                part["path"].as_str().unwrap().to_owned(),
            );
            let found = texts
                .get(&key)
                .map(|text| hash(text.trim_end_matches(['\n', '\r'])));
            if found.as_deref() == part["sha256"].as_str() {
                *right += 1;
            } else {
                wrong.push(key);
            }
        }
        utf8_parts += utf8_stays(&raw, message);
    }
    println!("{profile}: {classes:?}; {utf8_parts} UTF-8 parts untouched");
    assert!(classes[RIGHT].0 > 500 && utf8_parts > 100);
    for (class, (all, right)) in &classes {
        let bar = if CONTRADICTIONS.contains(class) {
            95
        } else {
            100
        };
        assert!(
            right * 100 >= all * bar,
            "{class}: {right} of {all}; {wrong:?}"
        );
    }
    for (ordinal, part) in &wrong {
        assert!(
            events(&mailbox, *ordinal, part) > 0,
            "message {ordinal} part {part} is wrong without a word"
        );
    }
}

/// Parts whose label is right.
const RIGHT: &str = "right label";

/// Flaws that only the bytes can tell: of other labels and of none all parts must be right.
const CONTRADICTIONS: [&str; 7] = [
    "8859-9-as-latin1",
    "8bit-as-ascii",
    "cp1250-as-8859-2",
    "latin1-as-utf8",
    "no-label-8bit",
    "unknown-label",
    "utf8-as-latin1",
];

/// Number of events that a part has about its charset.
fn events(mailbox: &Path, ordinal: u64, part: &str) -> usize {
    let run = binary::run(["inspect", "--json", &format!("{}:{ordinal}", text(mailbox))]);
    assert!(run.status.success(), "{}", binary::shown(&run));
    let shown: Value = serde_json::from_slice(&run.stdout).unwrap();
    let parts = shown["parts"].as_array().unwrap();
    let events = parts
        .iter()
        .filter(|shown| shown["part"] == part)
        .flat_map(|shown| shown["events"].as_array().unwrap());
    events
        .filter(|event| event["code"].as_str().unwrap().starts_with("charset."))
        .count()
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::new(), |mut all, byte| {
            let _ = write!(all, "{byte:02x}");
            all
        })
}

/// Parts labelled UTF-8 that are UTF-8 and plain: not a byte of their bodies changes. Returns how many there were.
fn utf8_stays(mailbox: &[u8], message: &Value) -> usize {
    let (offset, length) = (
        message["offset"].as_u64().unwrap() as usize,
        message["length"].as_u64().unwrap() as usize,
    );
    let entry = &mailbox[offset..offset + length];
    let start = entry.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let raw = &entry[start..];
    let policy = Policy::default();
    let outcome = process(raw, &policy);
    let (before, after) = (
        Message::parse(raw, &policy.limits),
        Message::parse(&outcome.bytes, &policy.limits),
    );
    let mut seen = 0;
    for part in message["parts"].as_array().unwrap() {
        let plain = matches!(part["cte"].as_str(), Some("7bit" | "8bit"));
        if !part["flaw"].is_null() || part["label"] != "utf-8" || !plain {
            continue;
        }
        let path = part["path"].as_str().unwrap();
        let find = |message: &Message<'_>| {
            (0..message.parts().len() as u32)
                .map(mailglot_mime::PartId)
                .find(|id| message.section(*id) == path)
                .map(|id| message.part(id).unwrap().body)
        };
        let (old, new) = (find(&before).unwrap(), find(&after).unwrap());
        assert!(std::str::from_utf8(old.of(raw)).is_ok());
        assert!(
            old.of(raw) == new.of(&outcome.bytes),
            "message {} part {path} changed",
            message["n"]
        );
        seen += 1;
    }
    seen
}

/// pip runs the setup.py of a source package: it must know the hash before.
#[test]
fn pip_checks_the_hash_before_it_runs_a_script() {
    if shared::folder().is_none() {
        return;
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/xtask/real_mail");
    let folder = tempfile::tempdir().unwrap();
    let program = "
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import fetch
commands = []
def run(command, folder):
    files = [open(file).read() for option, file in zip(command, command[1:]) if option == '-r']
    commands.append((command, files))
fetch.run = run
rows = [['pypi', 'some-name', '1.0', 'some_name-1.0.tar.gz', 'ab' * 32, 'MIT', 'm'],
        ['npm', 'other', '2.0', 'other-2.0.tgz', 'cd' * 32, 'MIT', 'm']]
assert fetch.fetch(rows, sys.argv[2], sys.argv[2]) == ['some_name-1.0.tar.gz', 'other-2.0.tgz']
(pip, files), (npm, _) = commands
assert '--require-hashes' in pip and not any('some-name' in word for word in pip), pip
assert files == ['some-name==1.0 --hash=sha256:' + 'ab' * 32 + chr(10)], files
assert '--ignore-scripts' in npm, npm
";
    let run = python(&["-c", program, text(&scripts), text(folder.path())]);
    assert!(run.status.success(), "{}", binary::shown(&run));
}
