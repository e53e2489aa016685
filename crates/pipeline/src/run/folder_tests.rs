//! Tests that folders of files give the same results for every number of threads, also if files change after they were listed.
//!
//! # Limits
//!
//! Files change when the folder was listed and no file was read.

use super::*;
use crate::discover::discover;
use crate::job::{CheckJob, LedgerPlace, NormalizeJob};
use crate::normalize::{check, normalize};
use crate::skip_scope::SkipScope;
use mailglot_archive::Entry;
use mailglot_mime::Policy;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Once;
use std::time::UNIX_EPOCH;

/// Number of messages: several batches.
const MESSAGES: usize = 900;

/// Fills a Maildir with messages of several sizes, a message above the limit of [`limits`], and a file without mail.
fn fill(root: &Path) {
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for number in 0..MESSAGES {
        let size = match number {
            500 => 300_000,
            501 => 700_000,
            _ => [0, 10, 300, 2_000, 9_000][number % 5],
        };
        let text = "caf\u{e9} et th\u{e9}\n".repeat(size / 12);
        let text: Vec<u8> = text.chars().map(|character| character as u8).collect();
        let head = format!("Subject: {number}\nContent-Type: text/plain; charset=latin1\n\n");
        let head = if number == 502 { "\0\n\n" } else { &head };
        fs::write(path(root, number), [head.as_bytes(), &text].concat()).unwrap();
    }
}

fn path(root: &Path, number: usize) -> PathBuf {
    root.join(["cur", "new"][number % 2])
        .join(format!("{number:04}.host"))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.message = 100_000;
    limits
}

/// Records what the loop reads. Changes the folder once between its list and its first file.
struct Recorder<'a>(&'a (dyn Fn(&Path) + Sync), Once);

impl Stage for Recorder<'_> {
    type Output = Vec<String>;
    type State = ();

    fn takes_pieces(&self) -> bool {
        true
    }

    fn hashes(&self) -> bool {
        true
    }

    fn state(&self, source: &OpenSource<'_>) -> io::Result<()> {
        self.1.call_once(|| (self.0)(&source.input.found.path));
        Ok(())
    }

    fn work(
        &self,
        _: &OpenSource<'_>,
        (): &mut (),
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        lines: &mut Vec<String>,
    ) -> io::Result<()> {
        let (first, last) = (feed.first, feed.last);
        lines.clear();
        lines.push(format!(
            "batch {} {first} {last} {}",
            feed.number, feed.continued
        ));
        let mut more = feed.continued;
        for (index, entry) in feed.batch.entries.iter().enumerate() {
            let digest = blake3::hash(&feed.batch.bytes[entry.span.clone()]);
            assert!(entry.digest.is_none_or(|own| own == *digest.as_bytes()));
            let dropped = feed.is_dropped(index);
            tally.messages += u64::from(begins_message(entry, more));
            more = entry.more;
            let entry = Entry {
                digest: None,
                // Each run reads a new folder.
                modified: entry.modified.map(|_| UNIX_EPOCH),
                ..entry.clone()
            };
            lines.push(format!("{entry:?} {dropped} {digest}"));
        }
        lines.extend(feed.batch.events.iter().map(|event| format!("{event:?}")));
        Ok(())
    }
}

#[derive(Default)]
struct Lines(Vec<String>);

impl ResultSink<Vec<String>> for Lines {
    fn take(&mut self, lines: &mut Vec<String>) -> Result<ControlFlow<()>, Error> {
        self.0.append(lines);
        Ok(ControlFlow::Continue(()))
    }
}

/// Reads a new folder with so many threads. Returns what was read, and the summary or the error.
fn record(
    threads: usize,
    skipped: SkipScope,
    selection: &Selection,
    change: &(dyn Fn(&Path) + Sync),
) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mail");
    fill(&root);
    let progress = Progress::default();
    let job = Job {
        sources: discover(std::slice::from_ref(&root), false.into(), SkipScope::Inputs).unwrap(),
        limits: &limits(),
        threads,
        progress: &progress,
        skipped,
        selection,
        stops_at_limit: true,
    };
    let mut lines = Lines::default();
    let ended = run(
        job,
        &Recorder(change, Once::new()),
        &mut lines,
        Summary::default(),
    );
    let ended = match ended {
        Ok(summary) => format!("{summary:?}"),
        Err(error) => error.to_string(),
    };
    let times = progress.work_times();
    assert_eq!(times.threads, threads);
    assert!(times.sum() <= times.elapsed * threads as u32, "{times:?}");
    assert_eq!(times.reading_files > std::time::Duration::ZERO, threads > 1);
    let ended = ended.replace(&*folder.path().to_string_lossy(), "FOLDER");
    (lines.0, ended)
}

/// Removes a file, and gives the folder its time back, so that it counts as unchanged.
fn remove(path: &Path) {
    let folder = fs::File::open(path.parent().unwrap()).unwrap();
    let modified = folder.metadata().unwrap().modified().unwrap();
    fs::remove_file(path).unwrap();
    folder.set_modified(modified).unwrap();
}

#[test]
fn a_folder_is_read_alike_by_any_number_of_threads() {
    for limit in [None, Some(333)] {
        let selection = Selection {
            limit,
            ..Selection::default()
        };
        let (lines, summary) = record(1, SkipScope::Inputs, &selection, &|_| {});
        let batches = lines.iter().filter(|line| line.starts_with("batch"));
        assert!(batches.count() >= 2);
        let pieces = lines.iter().filter(|line| line.contains("kind: Oversize"));
        assert!(limit.is_some() || pieces.count() > 2);
        for threads in [2, 4] {
            let (other, ended) = record(threads, SkipScope::Inputs, &selection, &|_| {});
            assert!(other == lines, "{threads}");
            assert_eq!(ended, summary);
        }
    }
}

#[test]
fn unreadable_files_are_reported_in_order_by_any_number_of_threads() {
    let change = |root: &Path| {
        remove(&path(root, 700));
        remove(&path(root, 300));
        fs::remove_file(path(root, 301)).unwrap();
        fs::create_dir(path(root, 301)).unwrap();
    };
    let all = Selection::default();
    let (lines, summary) = record(1, SkipScope::Inputs, &all, &change);
    let at = |number: usize| summary.find(&format!("{number:04}.host")).unwrap();
    assert!(at(300) < at(301) && at(301) < at(700), "{summary}");
    let (_, error) = record(1, SkipScope::Nothing, &all, &change);
    assert!(error.contains("0300.host"), "{error}");
    for threads in [2, 4] {
        let (other, ended) = record(threads, SkipScope::Inputs, &all, &change);
        assert!(other == lines, "{threads}");
        assert_eq!(ended, summary);
        let (_, ended) = record(threads, SkipScope::Nothing, &all, &change);
        assert_eq!(ended, error);
    }
}

#[test]
fn a_normalization_skips_files_of_a_folder_only() {
    let all = Selection::default();
    let whole = record(1, SkipScope::Files, &all, &|_| {}).0;
    // A file that was removed is named, and so is the folder.
    let change = |root: &Path| fs::remove_file(path(root, 300)).unwrap();
    let (lines, summary) = record(2, SkipScope::Files, &all, &change);
    assert!(
        summary.contains("0300.host") && summary.contains("kind: FolderChanged"),
        "{summary}"
    );
    let messages = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| line.starts_with("Entry"))
            .count()
    };
    assert_eq!(messages(&lines) + 1, messages(&whole));
    // Content that changes ends the job.
    let change = |root: &Path| fs::write(root.join("cur/later"), "x").unwrap();
    let (_, summary) = record(1, SkipScope::Files, &all, &change);
    assert!(summary.contains("kind: FolderChanged"), "{summary}");
    let change = |root: &Path| {
        fs::remove_file(path(root, 400)).unwrap();
        symlink("0402.host", path(root, 400)).unwrap();
    };
    let (_, error) = record(1, SkipScope::Files, &all, &change);
    assert!(
        error.ends_with("mail: the file changed or was replaced while it was read"),
        "{error}"
    );
}

#[test]
fn messages_with_other_flags_are_found_by_any_number_of_threads() {
    let all = Selection::default();
    let change = |root: &Path| {
        for number in [0, 1, 300, 301, 500, 899] {
            let name = format!("cur/{number:04}.host:2,FS");
            fs::rename(path(root, number), root.join(name)).unwrap();
        }
    };
    let (lines, summary) = record(1, SkipScope::Files, &all, &change);
    assert!(summary.contains("unread: []"), "{summary}");
    let has_flags = |line: &&String| line.starts_with("Entry") && !line.contains("Flags(0)");
    assert!(lines.iter().filter(has_flags).count() >= 6);
    assert!(
        summary.contains(&format!("messages_in: {}", MESSAGES - 1)),
        "{summary}"
    );
    for threads in [2, 4] {
        assert!(
            record(threads, SkipScope::Files, &all, &change) == (lines.clone(), summary.clone())
        );
    }
    // One that was moved to another folder is gone.
    let change = |root: &Path| fs::rename(path(root, 300), root.join("moved")).unwrap();
    let (_, summary) = record(1, SkipScope::Files, &all, &change);
    assert!(summary.contains("0300.host"), "{summary}");
}

#[test]
fn swapped_files_are_not_followed_by_any_number_of_threads() {
    let change = |root: &Path| {
        let secret = root.join("../secret");
        fs::write(&secret, "Subject: secret\n\n").unwrap();
        fs::remove_file(path(root, 400)).unwrap();
        symlink(&secret, path(root, 400)).unwrap();
        // Another file, which is no link, is read.
        fs::rename(&secret, path(root, 401)).unwrap();
    };
    let all = Selection::default();
    let (lines, summary) = record(1, SkipScope::Inputs, &all, &change);
    assert!(summary.contains("kind: Changed"), "{summary}");
    let of_link = lines.iter().filter(|line| line.contains("0400.host"));
    assert!(of_link.clone().count() == 1 && of_link.clone().all(|line| line.contains("Link")));
    for threads in [2, 4] {
        let (other, ended) = record(threads, SkipScope::Inputs, &all, &change);
        assert!(other == lines, "{threads}");
        assert_eq!(ended, summary);
    }
}

/// Returns the names and contents of the files of a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn outputs_and_ledgers_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fill(&at("in"));
    let mut policy = Policy::default();
    policy.limits = limits();
    let mut expected = None;
    for threads in [1, 2, 4] {
        let (output, report) = (at("out"), at("report.json"));
        let job = NormalizeJob {
            inputs: vec![at("in")],
            output: output.clone(),
            to: None,
            policy: policy.clone(),
            ledger: LedgerPlace::Beside,
            report: Some(report.clone()),
            threads,
            deterministic: false,
            force: false,
            opening: false.into(),
            selection: Selection::default(),
            verify: false,
        };
        let summary = normalize(&job, &Progress::default()).unwrap();
        let files = ["cur", "new"].map(|folder| files(&output.join(folder)));
        assert!(files[0].len() + files[1].len() >= MESSAGES - 1);
        let ledger = fs::read(at("out.ledger")).unwrap();
        let counts = format!("{summary:?} {}", fs::read_to_string(&report).unwrap());
        let dry = CheckJob {
            inputs: vec![at("in")],
            policy: policy.clone(),
            threads,
            opening: false.into(),
            selection: Selection::default(),
            verify: false,
        };
        let dry = format!("{:?}", check(&dry, &Progress::default()).unwrap());
        let result = (files, ledger, counts, dry);
        let expected = expected.get_or_insert_with(|| result.clone());
        assert!(result == *expected, "{threads}");
        fs::remove_dir_all(&output).unwrap();
        fs::remove_file(at("out.ledger")).unwrap();
        fs::remove_file(report).unwrap();
    }
}
