//! Tests of the modification times of message files, which IMAP servers take as dates of receipt.

use crate::{Dialect, back, eml_tree, job, maildir, mbox, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::{NormalizeJob, Progress, Selection, SplitBy, SplitJob, split};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FOLDERS: [Format; 2] = [Format::Maildir, Format::EmlTree];

/// 2001-01-01T00:00:00Z, the separator of message 0.
fn start() -> SystemTime {
    UNIX_EPOCH + Duration::from_hours(271_752)
}

/// Returns the files of messages below a folder, with their times.
fn times(root: &Path) -> Vec<(PathBuf, SystemTime)> {
    let is_message = |name: &PathBuf| {
        let folder = name.parent().and_then(Path::file_name);
        name.extension().is_some_and(|end| end == "eml")
            || folder.is_some_and(|folder| folder == "cur" || folder == "new")
    };
    let files = tree(root).into_iter().filter(|(_, file)| file.is_some());
    let messages = files.map(|(name, _)| name).filter(is_message);
    let time = |name: &PathBuf| fs::metadata(root.join(name)).unwrap().modified().unwrap();
    messages
        .map(|name| {
            let time = time(&name);
            (name, time)
        })
        .collect()
}

/// Returns the sorted times below a folder.
fn sorted(root: &Path) -> Vec<SystemTime> {
    let mut sorted: Vec<_> = times(root).into_iter().map(|(_, time)| time).collect();
    sorted.sort();
    sorted
}

#[test]
fn message_files_keep_their_times_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    for (name, fill) in [("md", maildir as fn(&Path)), ("tree", eml_tree)] {
        let input = folder.path().join(name);
        fill(&input);
        for (number, (file, _)) in times(&input).into_iter().enumerate() {
            let time = start() + Duration::new(number as u64 * 86_400, 250_000_000);
            let file = File::open(input.join(file)).unwrap();
            file.set_modified(time).unwrap();
        }
        let expected = sorted(&input);
        assert!(expected.windows(2).all(|two| two[0] < two[1]));
        // With the small limit, messages are written in pieces.
        for (threads, limit) in [(1, 64 << 20), (4, 64 << 20), (2, 100)] {
            for to in FOLDERS {
                let place = folder.path().join(format!("{name} {to:?} {threads}"));
                let mut job = NormalizeJob {
                    to: Some(to),
                    threads,
                    ..job(std::slice::from_ref(&input), &place)
                };
                job.policy.limits.message = limit;
                run(&job);
                assert_eq!(sorted(&place), expected, "{}", place.display());
                let original = place.with_extension("back");
                back(&place, Some(&original)).unwrap();
                assert_eq!(times(&original), times(&input), "{}", place.display());
            }
        }
    }
}

#[test]
fn messages_of_a_mailbox_get_the_times_of_their_separators() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.mbox");
    let mut mailbox = mbox(12, Dialect::Rd);
    mailbox.extend(b"From a@b.c Thu Jan  1 00:00:00 1970\nDate: Mon, 1 Jan 2001 02:00:00 +0100\nFrom: a@b.c\n\nx\n");
    fs::write(&input, mailbox).unwrap();
    let mut expected: Vec<_> = (0..12).collect();
    expected.push(3600);
    let expected: Vec<_> = expected
        .into_iter()
        .map(|seconds| start() + Duration::from_secs(seconds))
        .collect();
    for (to, limit) in FOLDERS
        .into_iter()
        .flat_map(|to| [(to, 64 << 20), (to, 100)])
    {
        let place = folder.path().join(format!("{to:?} {limit}"));
        let mut job = NormalizeJob {
            to: Some(to),
            ..job(std::slice::from_ref(&input), &place)
        };
        job.policy.limits.message = limit;
        run(&job);
        assert_eq!(sorted(&place), expected, "{}", place.display());
        let place = folder.path().join(format!("{to:?} {limit} split"));
        let job = SplitJob {
            inputs: vec![input.clone()],
            output: place.clone(),
            by: SplitBy::Year,
            to,
            copies: false,
            opening: true.into(),
            selection: Selection::default(),
            threads: 2,
        };
        split(&job, &Progress::default()).unwrap();
        assert_eq!(sorted(&place), expected, "{}", place.display());
    }
}
