//! Laws 3 and 6 to 8 on whole archives: a group of mutants as a mailbox, a tree of files, a Maildir.

use super::{Tally, message};
use crate::tree;
use mailglot_archive::{Batch, ReadOptions, open, recognize};
use mailglot_pipeline::{
    CheckJob, LedgerPlace, NormalizeJob, Progress, RestoreJob, Summary, check as check_only, count,
    normalize, restore,
};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Puts the mutants into an archive whose form depends on the group, normalizes and restores it.
pub(super) fn check(mutants: &[Vec<u8>], group: u64, tally: &mut Tally) {
    let folder = scratch();
    let input = write(mutants, group, folder.path());
    if input.is_file() {
        tally.check(6, tiles(&input));
    }
    let output = folder.path().join("out");
    let (summary, first) = match run(&input, &output, group, 1) {
        Ok(done) => done,
        Err(fault) => return tally.check(8, Some(fault)),
    };
    tally.check(8, miscounted(&input, &output, &summary));
    tally.check(8, told_otherwise(&input, group, &summary));

    let original = folder.path().join("original");
    let job = RestoreJob {
        output: Some(output.clone()),
        ledger: None,
        original: Some(original.clone()),
        force: false,
    };
    tally.check(
        7,
        match restore(&job, &Progress::default()) {
            Ok(_) => differ(&input, &original),
            Err(error) => Some(format!("restore: {error}")),
        },
    );

    let other = folder.path().join("other");
    tally.check(
        6,
        match run(&input, &other, group, 3) {
            Ok((_, second)) if first.1 != second.1 => {
                Some("the ledger depends on the number of threads".to_owned())
            }
            Ok((_, second)) => {
                tree::difference(&first.0, &second.0).map(|fault| format!("three threads: {fault}"))
            }
            Err(fault) => Some(fault),
        },
    );

    let again = folder.path().join("again");
    tally.check(
        3,
        match run(&output, &again, group, 2) {
            Ok((_, second)) => tree::difference(&first.0, &second.0).map(|fault| format!("archive: {fault}")),
            Err(fault) => Some(fault),
        },
    );
}

/// Writes the group as one archive and returns its path.
fn write(mutants: &[Vec<u8>], group: u64, folder: &Path) -> PathBuf {
    let put = |path: PathBuf, bytes: &[u8]| fs::write(path, bytes).expect("the scratch folder takes files");
    match group % 4 {
        0 | 1 => {
            let end: &[u8] = if group.is_multiple_of(4) { b"\n" } else { b"\r\n" };
            let mut mailbox = Vec::new();
            for mutant in mutants {
                // The mutant is not quoted: separators inside it are for the splitter to judge.
                mailbox.extend_from_slice(b"From a@example.org Mon Jan  1 00:00:00 2001");
                mailbox.extend_from_slice(end);
                mailbox.extend_from_slice(mutant);
                mailbox.extend_from_slice(end);
                mailbox.extend_from_slice(end);
            }
            let path = folder.join("in.mbox");
            put(path.clone(), &mailbox);
            path
        }
        2 => {
            let path = folder.join("in");
            fs::create_dir_all(path.join("sub")).expect("the scratch folder takes folders");
            for (number, mutant) in mutants.iter().enumerate() {
                let below = if number % 3 == 0 { path.join("sub") } else { path.clone() };
                put(below.join(format!("{number}.eml")), mutant);
            }
            path
        }
        _ => {
            let path = folder.join("in");
            for below in ["cur", "new", "tmp", ".Entw&APw-rfe/cur", ".Entw&APw-rfe/new", ".Entw&APw-rfe/tmp"]
            {
                fs::create_dir_all(path.join(below)).expect("the scratch folder takes folders");
            }
            for (number, mutant) in mutants.iter().enumerate() {
                let name = match number % 3 {
                    0 => format!("cur/{number}.x:2,S"),
                    1 => format!("new/{number}.x"),
                    _ => format!(".Entw&APw-rfe/cur/{number}.x:2,RS"),
                };
                put(path.join(name), mutant);
            }
            path
        }
    }
}

/// Output tree and ledger of a run.
type Written = (std::collections::BTreeMap<String, Option<Vec<u8>>>, Vec<u8>);

fn run(input: &Path, output: &Path, group: u64, threads: usize) -> Result<(Summary, Written), String> {
    let job = NormalizeJob {
        inputs: vec![input.to_path_buf()],
        output: output.to_path_buf(),
        to: None,
        policy: message::policy(group / 4),
        ledger: LedgerPlace::Beside,
        report: None,
        threads,
        force: false,
        force_format: true,
        verify: false,
    };
    let summary = normalize(&job, &Progress::default()).map_err(|error| format!("normalize: {error}"))?;
    let ledger = PathBuf::from(format!("{}.ledger", output.display()));
    let tree = tree::read(output).map_err(|error| format!("output: {error}"))?;
    let ledger = fs::read(ledger).map_err(|error| format!("ledger: {error}"))?;
    Ok((summary, (tree, ledger)))
}

/// Law 6: the entries of all batches, in order, are the file; the size of a batch changes no boundary.
fn tiles(input: &Path) -> Option<String> {
    let whole = fs::read(input).ok()?;
    let mut boundaries = Vec::new();
    for batch in [1 << 20, 700] {
        match entries(input, batch) {
            Ok((bytes, _)) if bytes != whole => {
                return Some(format!("in batches of {batch}, the entries do not tile the mailbox"));
            }
            Ok((_, found)) => boundaries.push(found),
            Err(error) => return Some(format!("cannot be read: {error}")),
        }
    }
    (boundaries[0] != boundaries[1]).then(|| "the size of a batch changes the boundaries".to_owned())
}

type Boundaries = Vec<(u64, u64, std::ops::Range<u64>)>;

fn entries(input: &Path, batch: usize) -> std::io::Result<(Vec<u8>, Boundaries)> {
    let options = ReadOptions { batch, ..ReadOptions::default() };
    let (mut bytes, mut boundaries) = (Vec::new(), Boundaries::new());
    for found in recognize(input)? {
        let mut source = open(&found, &options)?;
        let mut read = Batch::default();
        while source.next(&mut read)? {
            for entry in &read.entries {
                bytes.extend_from_slice(&read.bytes[entry.span.clone()]);
                let start = entry.offset + (entry.message.start - entry.span.start) as u64;
                let message = start..start + entry.message.len() as u64;
                boundaries.push((entry.ordinal, entry.offset, message));
            }
        }
    }
    Ok((bytes, boundaries))
}

/// Law 8: what went in came out, by the summary and by counting both archives.
fn miscounted(input: &Path, output: &Path, summary: &Summary) -> Option<String> {
    let counted =
        |path: &Path| count(path, true).map(|files| files.iter().map(|(number, _)| number).sum::<u64>());
    match (counted(input), counted(output)) {
        (Ok(before), Ok(after)) => (summary.messages_in != summary.written + summary.set_aside
            || summary.set_aside != 0
            || before != summary.messages_in
            || after != summary.written)
            .then(|| {
                format!(
                    "{before} counted in, {} read, {} written, {} set aside, {after} counted out",
                    summary.messages_in, summary.written, summary.set_aside
                )
            }),
        (before, after) => Some(format!("count: {before:?}, {after:?}")),
    }
}

/// Law 8: a dry run counts and tells what the run did.
fn told_otherwise(input: &Path, group: u64, done: &Summary) -> Option<String> {
    let job = CheckJob {
        inputs: vec![input.to_path_buf()],
        policy: message::policy(group / 4),
        threads: 1,
        force_format: true,
        verify: false,
    };
    let dry = match check_only(&job, &Progress::default()) {
        Ok(dry) => dry,
        Err(error) => return Some(format!("check: {error}")),
    };
    let told = |s: &Summary| {
        (
            s.messages_in,
            s.changed,
            s.repairs,
            s.losses,
            s.events.clone(),
            s.charsets.clone(),
            s.unread.clone(),
        )
    };
    (told(&dry) != told(done)).then(|| format!("a dry run tells {:?}, the run {:?}", told(&dry), told(done)))
}

fn differ(input: &Path, original: &Path) -> Option<String> {
    match (tree::read(input), tree::read(original)) {
        (Ok(before), Ok(after)) => {
            tree::difference(&before, &after).map(|fault| format!("restored: {fault}"))
        }
        (before, after) => Some(format!("{:?}, {:?}", before.err(), after.err())),
    }
}

/// A folder in memory where there is one: thousands of archives are synced here.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).expect("a temporary folder can be made")
}
