//! What other readers of mail read in messages that were rewritten: Python's package email, GMime 3, mail-parser.
//!
//! Each text part that became UTF-8, and each rewritten subject, must be read as this project reads it. Where a reader
//! does not, `tests/readers/exceptions.tsv` names its defect; a line there that is no longer needed fails as well.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_mime::encoded_word::{HeaderContext, decode};
use mailglot_mime::header::field_kind;
use mailglot_mime::{Message, PartId, Policy, Report, process, text_parts};
use mailglot_tests::{generate, rival, shared};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// A message that was rewritten, and what any reader should read in it.
struct Rewritten {
    name: String,
    bytes: Vec<u8>,
    subject: Option<String>,
    texts: Vec<String>,
}

/// What a reader read.
#[derive(Debug, Default, Deserialize)]
struct Read {
    error: Option<String>,
    subject: Option<String>,
    #[serde(default)]
    texts: Vec<Option<String>>,
}

#[test]
fn three_readers_read_what_was_rewritten() {
    let Some(shared) = shared::folder() else { return };
    let mut messages: Vec<Rewritten> = shared::messages()
        .into_iter()
        .filter_map(|path| {
            let name = path.strip_prefix(&shared).unwrap().to_str().unwrap().to_owned();
            rewritten(name, &fs::read(&path).unwrap())
        })
        .collect();
    let of_corpus = messages.len();
    for (profile, name) in [(generate::Profile::List, "list"), (generate::Profile::Mixed, "mixed")] {
        let options = generate::Options {
            profile,
            dialect: generate::Dialect::Mboxrd,
            crlf: false,
            size: 4_000_000,
            seed: 7,
        };
        let mut mailbox = Vec::new();
        generate::write(&options, &mut mailbox, None).unwrap();
        for (number, raw) in rival::split(&mailbox).enumerate() {
            messages.extend(rewritten(format!("generated/{name}/{number}"), raw));
        }
    }
    let (subjects, texts) = (
        messages.iter().filter(|m| m.subject.is_some()).count(),
        messages.iter().map(|m| m.texts.len()).sum::<usize>(),
    );
    println!("{} messages, {texts} texts and {subjects} subjects rewritten", messages.len());
    assert!(of_corpus > 200 && messages.len() - of_corpus > 200, "{of_corpus} of {}", messages.len());

    let known = exceptions();
    let mut found = BTreeSet::new();
    let mut unknown = Vec::new();
    for reader in ["python", "gmime", "mail-parser"] {
        let read = match reader {
            "mail-parser" => messages.iter().map(|m| mail_parser(&m.bytes)).collect(),
            _ => script(reader, &messages),
        };
        assert_eq!(read.len(), messages.len(), "{reader}: an answer for each message");
        for (message, read) in messages.iter().zip(&read) {
            let Some(difference) = difference(message, read) else { continue };
            let key = (reader.to_owned(), message.name.clone());
            if !known.contains_key(&key) {
                unknown.push(format!("{reader}\t{}\t{difference}", message.name));
            }
            found.insert(key);
        }
    }
    assert!(unknown.is_empty(), "{} differences:\n{}", unknown.len(), unknown.join("\n"));
    let stale: Vec<_> = known.keys().filter(|key| !found.contains(*key)).collect();
    assert!(stale.is_empty(), "no longer needed: {stale:?}");
}

/// The message after its rewriting; None if it was left alone.
fn rewritten(name: String, raw: &[u8]) -> Option<Rewritten> {
    let policy = Policy::default();
    let outcome = process(raw, &policy);
    if outcome.edits.is_empty() {
        return None;
    }
    let (before, after) =
        (Message::parse(raw, &policy.limits), Message::parse(&outcome.bytes, &policy.limits));
    let texts = text_parts(&after, &policy, &mut Report::with_limit(0))
        .into_iter()
        .filter(|text| {
            let body = |message: &Message<'_>| message.part(text.part).body.of(message.raw()).to_vec();
            body(&before) != body(&after)
        })
        .filter_map(|text| text.text.map(|text| plain(&text)))
        .collect();
    let subject = |message: &Message<'_>| {
        message.field(PartId::ROOT, b"subject").map(|field| field.value.of(message.raw()).to_vec())
    };
    let subject = subject(&after).filter(|now| subject(&before).as_ref() != Some(now)).map(|value| {
        words(&decode(&value, field_kind(b"subject"), &HeaderContext::default(), &mut Vec::new()))
    });
    Some(Rewritten { name, bytes: outcome.bytes.into_owned(), subject, texts })
}

/// What a reader read otherwise; None if it read everything.
fn difference(message: &Rewritten, read: &Read) -> Option<String> {
    if let Some(error) = &read.error {
        return Some(error.clone());
    }
    if let Some(subject) = &message.subject {
        let theirs = read.subject.as_deref().map(words);
        if theirs.as_ref() != Some(subject) {
            return Some(format!("subject {subject:?}, not {theirs:?}"));
        }
    }
    let mut theirs: Vec<String> = read.texts.iter().flatten().map(|text| plain(text)).collect();
    for text in &message.texts {
        let Some(at) = theirs.iter().position(|their| their == text) else {
            let near = theirs.iter().max_by_key(|their| common(their, text));
            let at = near.map_or(0, |near| common(near, text));
            let around = |text: &str| text.chars().skip(at.saturating_sub(10)).take(40).collect::<String>();
            return Some(format!(
                "text at character {at}: {:?}, not {:?}",
                around(text),
                near.map(|near| around(near))
            ));
        };
        theirs.swap_remove(at);
    }
    None
}

/// Characters that two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// A text without what readers may treat as they like: line ends, and blanks at the end.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().trim_start_matches('\u{FEFF}').to_owned()
}

/// A header value without what folding may change.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `tests/readers/read.py` reads. Debian's interpreter: GMime's introspection is a package of Debian's.
fn script(reader: &str, messages: &[Rewritten]) -> Vec<Read> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers/read.py");
    let mut child = Command::new("/usr/bin/python3")
        .arg(path)
        .arg(reader)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("/usr/bin/python3 can be started");
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let read = thread::scope(|scope| {
        scope.spawn(move || {
            for message in messages {
                input.write_all(&(message.bytes.len() as u64).to_be_bytes()).unwrap();
                input.write_all(&message.bytes).unwrap();
            }
        });
        output.lines().map(|line| serde_json::from_str(&surrogates_out(&line.unwrap())).unwrap()).collect()
    });
    assert!(
        child.wait().unwrap().success(),
        "{reader} needs the packages python3, python3-gi, gir1.2-gmime-3.0"
    );
    read
}

/// Lone surrogates, by which Python names raw bytes, as U+FFFD.
fn surrogates_out(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\\udc") {
        let high =
            at >= 6 && rest[at - 6..at].starts_with("\\ud") && matches!(rest.as_bytes()[at - 3], b'8'..=b'b');
        out.push_str(&rest[..at]);
        out.push_str(if high { &rest[at..at + 6] } else { "\\ufffd" });
        rest = &rest[at + 6..];
    }
    out + rest
}

fn mail_parser(raw: &[u8]) -> Read {
    let Some(message) = mail_parser::MessageParser::default().parse(raw) else {
        return Read { error: Some("no message".to_owned()), ..Read::default() };
    };
    let mut texts = Vec::new();
    rival::read(rival::Reader::MailParser, raw, &mut |part, text| {
        if part {
            texts.push(Some(text.to_owned()));
        }
    });
    Read { error: None, subject: message.subject().map(str::to_owned), texts }
}

/// Reader and message of each known difference, with the reader's defect.
fn exceptions() -> BTreeMap<(String, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers/exceptions.tsv");
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let cells: Vec<_> = line.split('\t').collect();
            let [reader, message, defect] = cells[..] else { panic!("not three cells: {line}") };
            assert!(!defect.is_empty(), "{line}");
            ((reader.to_owned(), message.to_owned()), defect.to_owned())
        })
        .collect()
}
