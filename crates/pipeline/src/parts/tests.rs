//! Tests of jobs in parts: the outputs are those of one pass, whatever happens to the parts.

mod commits;
mod folders;
mod links;
mod rejections;

use super::layout::PartsFolder;
use super::*;
use crate::error::Error;
use crate::job::{LedgerPlace, NormalizeJob};
use crate::normalize::normalize;
use crate::parts_error::PartsFault;
use crate::progress::Progress;
use crate::restore::{RestoreJob, restore};
use crate::summary::Summary;
use mailglot_archive::{ErrorKind, FileMode, Format};
use mailglot_mime::Policy;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The smallest split.
const SIZE: u64 = 1 << 19;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Dialect {
    Rd,
    Cl2,
    Mmdf,
}

/// Number of messages in a mailbox.
const MESSAGES: usize = 600;

/// Returns a mailbox of about 1.7 MB in several charsets, with a message of 1.2 MB.
fn mailbox(dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..MESSAGES {
        let mut body: Vec<u8> = match number % 5 {
            0 => b"d\xE9j\xE0 vu\n".to_vec(),
            1 => b"\xF0\xD2\xC9\xD7\xC5\xD4, \xCD\xC9\xD2\n".repeat(3),
            2 => b"plain text, nothing to do\n".repeat(30),
            3 => format!("From: inside, {number}\n>From quoted\n").into_bytes(),
            _ => b"broken \xFF\xFE bytes\n".repeat(20),
        };
        if number == 300 {
            body = b"QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n".repeat(20_000);
        }
        if number % 7 == 0 && dialect == Dialect::Rd {
            body.extend(b">From the start of a line\n");
        }
        let length = match dialect {
            Dialect::Cl2 => {
                body.extend(b"\nFrom a@b.example Mon Jan  1 00:00:00 2001\nSubject: inside\n");
                format!("Content-Length: {}\n", body.len())
            }
            _ => String::new(),
        };
        let charset = ["iso-8859-1", "koi8-r", "us-ascii", "x-none", "utf-8"][number % 5];
        let header = format!(
            "From: \"S{number}\" <s{number}@example.org>\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: =?iso-8859-1?Q?caf=E9_{number}?=\n\
             MIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n{length}\n"
        );
        if dialect == Dialect::Mmdf {
            out.extend(b"\x01\x01\x01\x01\n");
        } else {
            let line = format!(
                "From s{number}@example.org Mon Jan  1 00:00:{:02} 2001\n",
                number % 60
            );
            out.extend(line.bytes());
        }
        out.extend(header.bytes());
        out.extend(body);
        out.extend(if dialect == Dialect::Mmdf {
            &b"\x01\x01\x01\x01\n"[..]
        } else {
            b"\n"
        });
    }
    out
}

fn job(inputs: &[&Path], output: PathBuf) -> NormalizeJob {
    NormalizeJob {
        inputs: inputs.iter().map(|input| input.to_path_buf()).collect(),
        report: Some(output.with_extension("json")),
        output,
        to: None,
        policy: Policy::default(),
        ledger: LedgerPlace::Beside,
        threads: 2,
        deterministic: false,
        force: false,
        opening: false.into(),
        selection: crate::selection::Selection::default(),
        verify: false,
    }
}

fn plan(job: &NormalizeJob) -> PartsPlan {
    let plan = plan_parts(job, Vec::new(), SIZE).unwrap();
    // A plan is handed over as text.
    let text = plan.to_json();
    assert_eq!(text, plan_parts(job, Vec::new(), SIZE).unwrap().to_json());
    PartsPlan::parse(Path::new("plan.json"), text.as_bytes()).unwrap()
}

fn run_split(job: &NormalizeJob, plan: &PartsPlan, split: usize) -> Result<PartDone, Error> {
    run_part(
        job,
        (Path::new("plan.json"), plan),
        split,
        &Progress::default(),
    )
}

fn commit(job: &NormalizeJob, plan: &PartsPlan) -> Result<Summary, Error> {
    Ok(commit_kept(job, plan)?.summary)
}

fn commit_kept(job: &NormalizeJob, plan: &PartsPlan) -> Result<JoinedParts, Error> {
    commit_parts(job, (Path::new("plan.json"), plan), &Progress::default())
}

/// Returns all files below a path, with their contents.
fn tree(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if path.is_file() {
        return vec![(PathBuf::new(), fs::read(path).unwrap())];
    }
    let mut files = Vec::new();
    let mut names: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    for name in names {
        let below = tree(&path.join(&name));
        files.extend(
            below
                .into_iter()
                .map(|(inner, bytes)| (Path::new(&name).join(inner), bytes)),
        );
    }
    files
}

/// Returns the modification times of message files below a folder. A message that is the only one of its output has none.
fn times(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    // A name of `tree` ends in a slash.
    let names = tree(folder)
        .into_iter()
        .map(|(name, _)| folder.join(name).components().collect::<PathBuf>());
    let messages = names.filter(|name| {
        let folder = name.parent().and_then(Path::file_name);
        let own = name.file_name().unwrap_or_default().as_encoded_bytes();
        own.starts_with(b"000") && own.ends_with(b".eml")
            || folder.is_some_and(|folder| folder == "cur")
    });
    messages
        .map(|name| {
            let time = fs::metadata(&name).unwrap().modified().unwrap();
            (name.strip_prefix(folder).unwrap().to_owned(), time)
        })
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Compares two summaries, except the order of examples: an event about a border is counted in another batch.
fn assert_same_counts(parts: &Summary, whole: &Summary) {
    let json = |summary: &Summary| {
        let mut value = serde_json::to_value(summary).unwrap();
        let examples = value["examples"].as_array_mut().unwrap();
        examples.sort_by_key(ToString::to_string);
        value
    };
    assert_eq!(json(parts), json(whole));
}

fn check_same(inputs: &[&Path], folder: &Path, change: impl Fn(&mut NormalizeJob)) {
    let (one, several) = (folder.join("one"), folder.join("several"));
    for folder in [&one, &several] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir(folder).unwrap();
    }
    let mut whole = job(inputs, one.join("out"));
    let mut parts = job(inputs, several.join("out"));
    change(&mut whole);
    change(&mut parts);
    let expected = normalize(&whole, &Progress::default()).unwrap();
    let plan = plan(&parts);
    assert!(plan.splits() > 1);
    for split in (0..plan.splits()).rev() {
        parts.threads = 1 + split % 3;
        assert!(!run_split(&parts, &plan, split).unwrap().was_done);
    }
    assert!(run_split(&parts, &plan, 0).unwrap().was_done);
    let summary = commit(&parts, &plan).unwrap();
    assert_same_counts(&summary, &expected);
    let without_report = |folder: &Path| {
        let mut files = tree(folder);
        files.retain(|(name, _)| name != Path::new("out.json"));
        files
    };
    assert!(without_report(&one) == without_report(&several));
    assert_eq!(times(&one.join("out")), times(&several.join("out")));
    assert_eq!(names(&one), names(&several));
}

/// A folder with a mailbox, and all parts of a job for it.
struct AllParts {
    folder: tempfile::TempDir,
    job: NormalizeJob,
    plan: PartsPlan,
}

impl AllParts {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.mbox");
        fs::write(&input, mailbox(Dialect::Rd)).unwrap();
        let job = job(&[&input], folder.path().join("out"));
        let plan = plan(&job);
        let all = Self { folder, job, plan };
        for split in 0..all.plan.splits() {
            run_split(&all.job, &all.plan, split).unwrap();
        }
        all
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn parts(&self) -> PartsFolder {
        PartsFolder::new(&self.job.output, &self.plan.job)
    }

    /// Marks the output at its path.
    fn mark(&self, summary: Option<&Summary>) {
        let mut mark = self.parts().new_mark(inode(&self.job.output));
        if let Some(summary) = summary {
            mark.complete(summary);
        }
        let mode = FileMode::default();
        self.parts().set_mark(&mark, mode).unwrap();
    }
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn fault(error: &Error) -> &PartsFault {
    match error {
        Error::Parts(error) => &error.fault,
        other => panic!("{other}"),
    }
}

#[test]
fn parts_give_the_outputs_of_one_pass() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("rd.mbox"), mailbox(Dialect::Rd)).unwrap();
    fs::write(at("cl2.mbox"), mailbox(Dialect::Cl2)).unwrap();
    fs::write(at("mmdf.mbox"), mailbox(Dialect::Mmdf)).unwrap();
    fs::write(at("small.eml"), "Subject: caf\u{e9}\n\nx\n").unwrap();
    for name in ["rd.mbox", "cl2.mbox", "mmdf.mbox"] {
        check_same(&[&at(name)], folder.path(), |_| {});
    }
    check_same(&[&at("rd.mbox")], folder.path(), |job| {
        job.ledger = LedgerPlace::Nowhere;
    });
    check_same(&[&at("rd.mbox")], folder.path(), |job| {
        job.to = Some(Format::Maildir);
        job.selection.since = Some(0);
        job.verify = true;
    });
    check_same(&[&at("rd.mbox")], folder.path(), |job| {
        job.policy.limits.message = 100_000;
    });
    // Several inputs, large and small ones, and a Maildir.
    for name in ["md/cur", "md/new", "md/tmp"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for number in 0..10 {
        fs::write(
            at("md/cur").join(number.to_string()),
            b"Subject: \xE9\n\n\xE9\n",
        )
        .unwrap();
    }
    let inputs = [at("small.eml"), at("rd.mbox"), at("md"), at("cl2.mbox")];
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    check_same(&inputs, folder.path(), |_| {});
}

#[test]
fn attempts_at_one_split_leave_one_part() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mailbox(Dialect::Rd)).unwrap();
    let job = job(&[&at("a.mbox")], at("out"));
    let plan = plan(&job);
    let parts = PartsFolder::new(&job.output, &plan.job);
    for split in 0..plan.splits() {
        let done: usize = std::thread::scope(|scope| {
            let attempts = [0; 3].map(|_| scope.spawn(|| run_split(&job, &plan, split).unwrap()));
            let done = attempts.map(|attempt| attempt.join().unwrap());
            assert!(done.iter().all(|part| part.messages == done[0].messages && part.part == parts.part(split)));
            done.iter().filter(|part| !part.was_done).count()
        });
        assert_eq!(done, 1);
    }
    assert_eq!(names(parts.path()).len(), plan.splits());
    // What a killed attempt leaves is swept, and what belongs to another job is not.
    fs::create_dir(
        parts
            .path()
            .join(format!("000000.{}.1.tmp", &plan.job[..16])),
    )
    .unwrap();
    fs::create_dir(parts.path().join("000000.0123456789abcdef")).unwrap();
    // Nor is a plan of another job.
    fs::write(parts.path().join("plan.json"), "{}").unwrap();
    let joined = commit_kept(&job, &plan).unwrap();
    assert_eq!(
        (joined.summary.messages_in, joined.summary.written),
        (MESSAGES as u64, MESSAGES as u64)
    );
    let kept = ["000000.0123456789abcdef", "plan.json"];
    assert_eq!(names(parts.path()), kept);
    let mut named = joined.kept;
    named.sort();
    assert_eq!(named, kept.map(|name| parts.path().join(name)));
    let job = RestoreJob {
        output: Some(at("out")),
        ledger: None,
        original: None,
        force: false,
        keep_going: false,
    };
    restore(&job, &Progress::default()).unwrap();
}

#[test]
fn a_resumed_job_continues_with_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mailbox(Dialect::Rd)).unwrap();
    let whole = job(&[&at("a.mbox")], at("whole"));
    normalize(&whole, &Progress::default()).unwrap();
    let job = job(&[&at("a.mbox")], at("out"));
    // Interrupted at once: the plan is there, and no part.
    let interrupted = Progress::default();
    interrupted
        .interrupt
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(
        resume(&job, SIZE, &interrupted),
        Err(Error::Interrupted)
    ));
    assert_eq!(names(&at("out.parts")), ["inputs.json", "plan.json"]);
    let plan = plan(&job);
    run_split(&job, &plan, 1).unwrap();
    // A part that is cut off is made again.
    let part = PartsFolder::new(&job.output, &plan.job)
        .part(1)
        .join("part");
    let cut = fs::File::options().write(true).open(part).unwrap();
    cut.set_len(1000).unwrap();
    let mut other = job.clone();
    other.verify = true;
    assert!(matches!(
        fault(&resume(&other, SIZE, &Progress::default()).unwrap_err()),
        PartsFault::OtherJob(_)
    ));
    resume(&job, SIZE, &Progress::default()).unwrap();
    for end in ["", ".ledger"] {
        let read = |name: &str| fs::read(at(&format!("{name}{end}"))).unwrap();
        assert!(read("whole") == read("out"), "{end}");
    }
    assert!(!at("out.parts").exists());
}
