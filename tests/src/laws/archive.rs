//! Checks laws 3, 6 to 8 and 11 on whole archives. Checks a group of mutants as a mailbox, a tree of files and a
//! Maildir, and converted to another form.

use super::law_results::LawResults;
use super::{message, text};
use crate::tree;
use mailglot_archive::{Batch, Format, ReadOptions, open, recognize};
use mailglot_mime::{Message, process};
use mailglot_pipeline::{
    CheckJob, LedgerPlace, MessageAddress, NormalizeJob, Progress, RestoreJob, Summary,
    check as check_only, count, locate, normalize, restore,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Writes the mutants to an archive whose form depends on the group, normalizes and restores it.
pub(super) fn check(mutants: &[Vec<u8>], group: u64, tally: &mut LawResults) {
    let folder = scratch();
    let input = write(mutants, group, folder.path());
    if input.is_file() {
        tally.check(6, tiles(&input));
    }
    let output = folder.path().join("out");
    let (summary, first) = match run(&input, &output, None, group, 1) {
        Ok(done) => done,
        Err(fault) => return tally.check(8, Some(fault)),
    };
    tally.check(8, miscounted(&input, &output, &summary));
    tally.check(8, dry_run_differs(&input, group, &summary));

    tally.check(11, text_differs(&input, &output, group, &summary));
    tally.check(
        7,
        not_restored(&input, &output, &folder.path().join("original")),
    );

    let other = folder.path().join("other");
    tally.check(
        6,
        match run(&input, &other, None, group, 3) {
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
        match run(&output, &again, None, group, 2) {
            Ok((_, second)) => {
                tree::difference(&first.0, &second.0).map(|fault| format!("archive: {fault}"))
            }
            Err(fault) => Some(fault),
        },
    );

    let form = other_form(group);
    let converted = folder.path().join("converted");
    match run(&input, &converted, Some(form), group, 2) {
        Ok((summary, _)) => {
            let to = |fault| format!("to {form:?}: {fault}");
            tally.check(
                11,
                text_differs(&input, &converted, group, &summary).map(to),
            );
            tally.check(
                7,
                not_restored(&input, &converted, &folder.path().join("unconverted")).map(to),
            );
        }
        Err(fault) => tally.check(8, Some(fault)),
    }
}

/// Returns a form that differs from that of the group's archive.
fn other_form(group: u64) -> Format {
    match group % 8 {
        0 | 5 => Format::Maildir,
        1 | 4 => Format::EmlTree,
        _ => Format::Mbox,
    }
}

/// Checks law 11: each message of the output has the text of the one in the input.
fn text_differs(input: &Path, output: &Path, group: u64, summary: &Summary) -> Option<String> {
    let (old, new) = match (messages(input), messages(output)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => return Some(format!("cannot be read: {:?}, {:?}", old.err(), new.err())),
    };
    if old.len() != new.len() {
        return Some(format!("{} messages became {}", old.len(), new.len()));
    }
    let policy = message::policy(group / 4);
    let mut ended = 0;
    let fault = old
        .iter()
        .zip(&new)
        .find_map(|((number, old), (other, new))| {
            if number != other {
                return Some(format!("message {number} became message {other}"));
            }
            let (before, after) = (
                Message::parse(old, &policy.limits),
                Message::parse(new, &policy.limits),
            );
            let report = process(old, &policy).report;
            let fault = text::changed(&before, &after, &report, &policy)?;
            // A mailbox adds a line end to the last line, and reports that.
            let ends = [&b"\r\n"[..], b"\n", b"\r"];
            let stays = ends
                .iter()
                .filter_map(|end| new.strip_suffix(*end))
                .any(|new| {
                    text::changed(
                        &before,
                        &Message::parse(new, &policy.limits),
                        &report,
                        &policy,
                    )
                    .is_none()
                });
            ended += u64::from(stays);
            (!stays).then(|| format!("message {number}: {fault}"))
        });
    let reported = summary
        .events
        .get("mbox.line-end-added")
        .copied()
        .unwrap_or_default();
    fault.or_else(|| {
        (ended > reported)
            .then(|| format!("{ended} line ends were added, {reported} of them reported"))
    })
}

fn count_of(path: &Path) -> Option<u64> {
    count(path, true)
        .ok()
        .map(|files| files.iter().map(|(number, _)| number).sum())
}

/// Returns the messages of an archive by their numbers.
fn messages(path: &Path) -> Result<BTreeMap<u64, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    let root = path.to_string_lossy().into_owned();
    let address = MessageAddress::parse(path.as_os_str());
    let summary = locate(&address, true, &mut |located| {
        // A file of the output has the number of its message in its name.
        let file = located
            .path
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let name = Path::new(&file)
            .file_name()
            .and_then(OsStr::to_str)
            .unwrap_or_default();
        let digits = name
            .get(..8)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let ordinal = located.address[root.len()..]
            .trim_start_matches(':')
            .parse::<u64>();
        let number = digits
            .and_then(|digits| digits.parse().ok())
            .or(ordinal.ok());
        found.insert(number.unwrap_or_default(), located.bytes);
        ControlFlow::Continue(())
    })
    .map_err(|error| error.to_string())?;
    match summary.unread.first() {
        None => Ok(found),
        Some(unread) => Err(unread.to_string()),
    }
}

/// Checks law 7: the output and its ledger restore the input.
fn not_restored(input: &Path, output: &Path, original: &Path) -> Option<String> {
    let job = RestoreJob {
        output: Some(output.to_path_buf()),
        ledger: None,
        original: Some(original.to_path_buf()),
        force: false,
        keep_going: false,
    };
    match restore(&job, &Progress::default()) {
        Ok(_) => differ(input, original),
        Err(error) => Some(format!("restore: {error}")),
    }
}

/// Writes the group as one archive and returns its path.
fn write(mutants: &[Vec<u8>], group: u64, folder: &Path) -> PathBuf {
    let put = |path: PathBuf, bytes: &[u8]| {
        fs::write(path, bytes).expect("the scratch folder takes files");
    };
    match group % 4 {
        0 | 1 => {
            let end: &[u8] = if group.is_multiple_of(4) {
                b"\n"
            } else {
                b"\r\n"
            };
            let mut mailbox = Vec::new();
            for mutant in mutants {
                // The mutant is not quoted, so that the splitter has to judge separators inside it.
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
                let below = if number % 3 == 0 {
                    path.join("sub")
                } else {
                    path.clone()
                };
                put(below.join(format!("{number}.eml")), mutant);
            }
            path
        }
        _ => {
            let path = folder.join("in");
            for below in [
                "cur",
                "new",
                "tmp",
                ".Entw&APw-rfe/cur",
                ".Entw&APw-rfe/new",
                ".Entw&APw-rfe/tmp",
            ] {
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
type RunOutput = (std::collections::BTreeMap<String, Option<Vec<u8>>>, Vec<u8>);

fn run(
    input: &Path,
    output: &Path,
    to: Option<Format>,
    group: u64,
    threads: usize,
) -> Result<(Summary, RunOutput), String> {
    let job = NormalizeJob {
        inputs: vec![input.to_path_buf()],
        output: output.to_path_buf(),
        to,
        policy: message::policy(group / 4),
        ledger: LedgerPlace::Beside,
        report: None,
        threads,
        deterministic: false,
        force: false,
        opening: true.into(),
        selection: mailglot_pipeline::Selection::default(),
        verify: false,
    };
    let summary =
        normalize(&job, &Progress::default()).map_err(|error| format!("normalize: {error}"))?;
    let ledger = PathBuf::from(format!("{}.ledger", output.display()));
    let tree = tree::read(output).map_err(|error| format!("output: {error}"))?;
    let ledger = fs::read(ledger).map_err(|error| format!("ledger: {error}"))?;
    Ok((summary, (tree, ledger)))
}

/// Checks law 6: the entries of all batches, in order, equal the file. The size of a batch changes no boundary.
fn tiles(input: &Path) -> Option<String> {
    let whole = fs::read(input).ok()?;
    let mut boundaries = Vec::new();
    for batch in [1 << 20, 700] {
        match entries(input, batch) {
            Ok((bytes, _)) if bytes != whole => {
                return Some(format!(
                    "in batches of {batch}, the entries do not tile the mailbox"
                ));
            }
            Ok((_, found)) => boundaries.push(found),
            Err(error) => return Some(format!("cannot be read: {error}")),
        }
    }
    (boundaries[0] != boundaries[1])
        .then(|| "the size of a batch changes the boundaries".to_owned())
}

type Boundaries = Vec<(u64, u64, std::ops::Range<u64>)>;

fn entries(input: &Path, batch: usize) -> std::io::Result<(Vec<u8>, Boundaries)> {
    let options = ReadOptions {
        batch,
        ..ReadOptions::default()
    };
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

/// Checks law 8: all messages of the input are in the output, by the summary and by counting both archives.
fn miscounted(input: &Path, output: &Path, summary: &Summary) -> Option<String> {
    match (count_of(input), count_of(output)) {
        (Some(before), Some(after)) => (summary.messages_in != summary.written + summary.set_aside
            || summary.set_aside != 0
            || before != summary.messages_in
            || after != summary.written)
            .then(|| {
                format!(
                    "{before} counted in, {} read, {} written, {} set aside, {after} counted out",
                    summary.messages_in, summary.written, summary.set_aside
                )
            }),
        (before, after) => Some(format!("counted {before:?} in, {after:?} out")),
    }
}

/// Checks law 8: a dry run counts and reports the same as the run.
fn dry_run_differs(input: &Path, group: u64, done: &Summary) -> Option<String> {
    let job = CheckJob {
        inputs: vec![input.to_path_buf()],
        policy: message::policy(group / 4),
        threads: 1,
        opening: true.into(),
        selection: mailglot_pipeline::Selection::default(),
        verify: false,
    };
    let dry = match check_only(&job, &Progress::default()) {
        Ok(dry) => dry,
        Err(error) => return Some(format!("check: {error}")),
    };
    let numbers = |s: &Summary| {
        (
            s.messages_in,
            s.changed,
            s.repairs,
            s.losses,
            s.events.clone(),
            s.charsets.clone(),
            s.unread.iter().map(ToString::to_string).collect::<Vec<_>>(),
        )
    };
    (numbers(&dry) != numbers(done)).then(|| {
        format!(
            "a dry run tells {:?}, the run {:?}",
            numbers(&dry),
            numbers(done)
        )
    })
}

fn differ(input: &Path, original: &Path) -> Option<String> {
    match (tree::read(input), tree::read(original)) {
        (Ok(before), Ok(after)) => {
            tree::difference(&before, &after).map(|fault| format!("restored: {fault}"))
        }
        (before, after) => Some(format!("{:?}, {:?}", before.err(), after.err())),
    }
}

/// Returns a folder in memory if possible, because thousands of archives are synced here.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    made.or_else(|_| tempfile::tempdir())
        .expect("a temporary folder can be made")
}
