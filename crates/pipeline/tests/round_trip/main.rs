//! Round trips of whole archives: every format, any number of threads, and every possible failure.
#![allow(clippy::unwrap_used)] // The helpers of tests are tests too.

mod damage;
mod folders;
mod jobs;
mod layouts;
mod mailboxes;
mod second_pass;
mod separators;
mod times;

use mailglot_archive::Format;
use mailglot_mime::Policy;
use mailglot_pipeline::{
    CheckJob, Error, LedgerPlace, NormalizeJob, Progress, RestoreJob, Summary, check, normalize,
    restore,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns a message in a charset that may need conversion, by number, with LF.
fn message(n: usize) -> Vec<u8> {
    let mut out = format!(
        "From: \"Sender {n}\" <s{n}@example.org>\nDate: Mon, 1 Jan 2001 00:00:{:02} +0000\n",
        n % 60
    )
    .into_bytes();
    let body: &[u8] = match n % 6 {
        0 => b"Subject: plain\n\nnothing to do\n",
        1 => b"Subject: =?iso-8859-1?Q?caf=E9?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nd\xE9j\xE0 vu\nFrom the start of a line\n>From quoted\n",
        2 => b"Subject: koi\nMIME-Version: 1.0\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NLJ18XULCDNydIhCg==\n",
        3 => b"Subject: qp\nMIME-Version: 1.0\nContent-Type: text/html; charset=\"windows-1252\"\nContent-Transfer-Encoding: quoted-printable\n\n<p>=93quoted=94 text =\nsoft</p>\nFrom =46rom\n=46rom hidden\n",
        4 => b"Subject: two\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain; charset=shift_jis\n\n\x82\xA0\x82\xA2\n--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\nAAECAwQF\n--b--\n",
        _ => b"Subject: no charset\n\nbroken \xFF\xFE bytes\n\nFrom nobody\n",
    };
    out.extend_from_slice(body);
    out
}

fn crlf(lf: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in lf {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

#[derive(Clone, Copy, Debug)]
enum Dialect {
    Rd,
    O,
    Cl2,
    Irregular,
}

fn mbox(messages: usize, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    for n in 0..messages {
        let message = message(n);
        out.extend_from_slice(
            format!(
                "From s{n}@example.org Mon Jan  1 00:00:{:02} 2001\n",
                n % 60
            )
            .as_bytes(),
        );
        match dialect {
            Dialect::Cl2 => {
                let at = message.windows(2).position(|w| w == b"\n\n").unwrap() + 1;
                out.extend_from_slice(&message[..at]);
                out.extend_from_slice(
                    format!("Content-Length: {}\n", message.len() - at - 1).as_bytes(),
                );
                out.extend_from_slice(&message[at..]);
            }
            _ => {
                for line in message.split_inclusive(|&b| b == b'\n') {
                    let marks = line.iter().take_while(|&&b| b == b'>').count();
                    let from = line[marks..].starts_with(b"From ");
                    let quotes = match dialect {
                        Dialect::Rd => from,
                        Dialect::O => from && marks == 0,
                        _ => from && n % 4 != 1,
                    };
                    if quotes {
                        out.push(b'>');
                    }
                    out.extend_from_slice(line);
                }
            }
        }
        out.push(b'\n');
    }
    out
}

fn maildir(root: &Path) {
    for sub in [
        "cur",
        "new",
        "tmp",
        ".Entw&APw-rfe/cur",
        ".Entw&APw-rfe/new",
        ".Entw&APw-rfe/tmp",
        ".leer.unter/cur",
        ".leer.unter/new",
        ".leer.unter/tmp",
    ] {
        fs::create_dir_all(root.join(sub)).unwrap();
    }
    for n in 0..12 {
        let name = match n % 3 {
            0 => format!("cur/{n:03}.host:2,RS"),
            1 => format!("new/{n:03}.host"),
            _ => format!(".Entw&APw-rfe/cur/{n:03}.host:2,"),
        };
        fs::write(root.join(name), message(n)).unwrap();
    }
    fs::write(root.join("dovecot-uidlist"), b"3 V1\n").unwrap();
    fs::write(root.join(".Entw&APw-rfe/maildirfolder"), b"").unwrap();
}

fn eml_tree(root: &Path) {
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir_all(root.join("leer")).unwrap();
    for n in 0..10 {
        let name = ["", "a/", "a/b/"][n % 3];
        fs::write(root.join(format!("{name}{n}.eml")), crlf(&message(n))).unwrap();
    }
    // Ends without a line end.
    fs::write(root.join("end.eml"), b"Subject: x\n\nno end").unwrap();
    fs::write(root.join("empty.eml"), b"").unwrap();
}

fn job(inputs: &[PathBuf], output: &Path) -> NormalizeJob {
    NormalizeJob {
        inputs: inputs.to_vec(),
        output: output.to_owned(),
        to: None,
        policy: Policy::default(),
        ledger: LedgerPlace::Beside,
        report: None,
        threads: 1,
        deterministic: false,
        force: false,
        opening: true.into(),
        selection: mailglot_pipeline::Selection::default(),
        verify: false,
    }
}

fn run(job: &NormalizeJob) -> Summary {
    let summary = normalize(job, &Progress::default()).unwrap();
    assert_eq!(summary.messages_in, summary.written + summary.set_aside);
    summary
}

fn back(output: &Path, original: Option<&Path>) -> Result<mailglot_pipeline::Restored, Error> {
    let job = RestoreJob {
        output: Some(output.to_owned()),
        ledger: None,
        original: original.map(Path::to_owned),
        force: false,
        keep_going: false,
    };
    restore(&job, &Progress::default())
}

/// Returns every file and folder below a path, with contents.
fn tree(path: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    if path.is_file() {
        found.insert(PathBuf::new(), Some(fs::read(path).unwrap()));
        return found;
    }
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop() {
        for item in fs::read_dir(&folder).unwrap() {
            let item = item.unwrap().path();
            let name = item.strip_prefix(path).unwrap().to_owned();
            if item.is_dir() {
                found.insert(name, None);
                waiting.push(item);
            } else {
                found.insert(name, Some(fs::read(&item).unwrap()));
            }
        }
    }
    found
}

/// Checks that a dry run reports the same as the run.
fn check_dry_run(job: &NormalizeJob, done: &Summary) {
    let dry = CheckJob {
        inputs: job.inputs.clone(),
        policy: job.policy.clone(),
        threads: job.threads,
        opening: job.opening.clone(),
        selection: mailglot_pipeline::Selection::default(),
        verify: job.verify,
    };
    let dry = check(&dry, &Progress::default()).unwrap();
    let told = |summary: &Summary| {
        let numbers = [
            summary.messages_in,
            summary.written,
            summary.changed,
            summary.repairs,
            summary.losses,
        ];
        let examples = summary
            .examples
            .iter()
            .map(|example| format!("{example:?}"))
            .collect::<Vec<_>>();
        (
            numbers,
            summary.events.clone(),
            summary.charsets.clone(),
            examples,
        )
    };
    assert_eq!(told(&dry), told(done), "{:?}", job.inputs);
}

/// Normalizes, restores, and normalizes again: the original is restored, and a second pass changes nothing.
fn round_trip(input: &Path, to: Option<Format>) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    let (out, original) = (folder.path().join("out"), folder.path().join("back"));
    let job_there = NormalizeJob {
        to,
        ..job(&[input.to_owned()], &out)
    };
    let summary = run(&job_there);
    if to.is_none() {
        check_dry_run(&job_there, &summary);
    }
    let restored = back(&out, Some(&original)).unwrap();
    assert_eq!(restored.messages, summary.messages_in);
    assert!(
        tree(&original) == tree(input),
        "{} as {to:?}: another original",
        input.display()
    );
    assert_eq!(back(&out, None).unwrap().bytes, summary.bytes_in);

    let again = folder.path().join("again");
    let second = run(&job(std::slice::from_ref(&out), &again));
    assert_eq!(
        second.changed,
        0,
        "{} as {to:?}: {second:#?}",
        input.display()
    );
    assert_eq!(second.messages_in, summary.written);
    assert!(
        tree(&again) == tree(&out),
        "{} as {to:?}: another second pass",
        input.display()
    );
    summary
}

const FORMS: [Option<Format>; 4] = [
    None,
    Some(Format::Mbox),
    Some(Format::Maildir),
    Some(Format::EmlTree),
];
