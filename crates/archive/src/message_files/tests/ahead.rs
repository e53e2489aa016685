//! Tests that files which other threads read give the same batches.
//!
//! # Limits
//!
//! One thread plays all threads, in a random order.

use super::write;
use crate::files_ahead::{FilesAhead, ReadFiles, UnreadFiles};
use crate::folder_range::FolderRange;
use crate::input::{Input, InputRange};
use crate::message_files::*;
use crate::open::open;
use crate::recognize::{RecognizeOptions, recognize_with};
use std::os::unix::fs::symlink;
use std::time::SystemTime;

/// A small generator of numbers (Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Fills a folder with messages of several sizes in several folders, and with files that are no mail.
fn fill(root: &Path, is_maildir: bool) {
    let folders: &[&str] = if is_maildir {
        &["cur", "new", "tmp", ".A/cur", ".A/new", ".B/cur"]
    } else {
        &["", "a", "a/b", "z", "Sent.mbox/Messages"]
    };
    for number in 0..150 {
        // The files that `change` changes are in the folder that is listed first.
        let is_changed = number % 11 == 2;
        let folder = folders[if is_changed {
            0
        } else {
            number * 7 % folders.len()
        }];
        let size = [0, 10, 300, 2_000, 9_000][number % 5];
        let content = match number % 11 {
            0 => vec![0xff; size],
            1 => Vec::new(),
            _ => format!("Subject: {number}\n\n{}", "text\n".repeat(size / 5)).into_bytes(),
        };
        let end = if is_maildir { ":2,S" } else { ".eml" };
        let content = if number % 7 == 3 {
            super::compressed::gzip(&content)
        } else {
            content
        };
        write(&root.join(folder).join(format!("{number}{end}")), &content);
    }
    let large = ["Subject: large\n\n", &"text\n".repeat(200_000)].concat();
    let (cur, message) = if is_maildir {
        ("cur", "500:2,")
    } else {
        ("a", "500.eml")
    };
    write(&root.join(cur).join(message), large.as_bytes());
    if !is_maildir {
        let message = "Subject: x\n\ntext\n";
        let emlx = format!("{}\n{message}<plist><dict/></plist>\n", message.len());
        write(
            &root.join("Sent.mbox/Messages/7.partial.emlx"),
            emlx.as_bytes(),
        );
        write(&root.join("Sent.mbox/Messages/8.emlx"), emlx.as_bytes());
    }
}

/// What happens to files after they were listed.
fn change(root: &Path, is_maildir: bool) {
    let names = super::tree(root)
        .into_iter()
        .map(|(name, _)| root.join(name));
    let files: Vec<_> = names.filter(|path| path.is_file()).collect();
    let gone = |number: usize| {
        let start = format!("{number}{}", if is_maildir { ':' } else { '.' });
        let is_it = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.as_encoded_bytes().starts_with(start.as_bytes())
        };
        let path = files.iter().find(is_it).unwrap();
        fs::remove_file(path).unwrap();
        path
    };
    gone(13);
    symlink("elsewhere", gone(24)).unwrap();
    fs::create_dir(gone(35)).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, gone(46), fifo, mode, 0).unwrap();
}

/// How files are read ahead.
#[derive(Clone, Copy)]
enum Plan {
    /// Not at all.
    Never,
    /// By threads that finish in an order that this number determines, and sometimes too late.
    Random(u64),
}

/// Returns entries, events and a digest of the bytes of each batch, and errors, as text.
fn batches(source: &mut dyn Source, plan: Plan) -> Vec<String> {
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    let mut unread: Vec<UnreadFiles> = Vec::new();
    let mut read: Vec<ReadFiles> = Vec::new();
    let mut numbers = Numbers(match plan {
        Plan::Never => 0,
        Plan::Random(seed) => seed,
    });
    loop {
        loop {
            if matches!(plan, Plan::Never) {
                break;
            }
            match source.files_ahead(1, 3) {
                FilesAhead::Enough => break,
                FilesAhead::Unread(files) => unread.push(files),
                FilesAhead::Waiting => assert!(unread.len() + read.len() > 0),
            }
            if numbers.below(3) > 0 && !unread.is_empty() {
                let index = numbers.below(unread.len() as u64) as usize;
                read.push(unread.remove(index).read(numbers.below(2) == 0));
            }
            if numbers.below(3) > 0 && !read.is_empty() {
                let index = numbers.below(read.len() as u64) as usize;
                source.give(read.remove(index));
            }
            // The reader must not depend on the other threads.
            if numbers.below(40) == 0 {
                break;
            }
        }
        match source.next(&mut batch) {
            Ok(true) => {
                for entry in &mut batch.entries {
                    let digest = blake3::hash(&batch.bytes[entry.span.clone()]);
                    // Each run reads a new folder.
                    entry.modified = entry.modified.map(|_| SystemTime::UNIX_EPOCH);
                    let own = entry.digest.take();
                    assert!(own.is_none_or(|own| own == *digest.as_bytes()));
                }
                let digest = blake3::hash(&batch.bytes);
                all.push(format!("{:?} {:?} {digest}", batch.entries, batch.events));
            }
            Ok(false) => break,
            Err(error) => all.push(error.to_string()),
        }
    }
    all
}

#[test]
fn files_read_by_other_threads_give_the_same_batches() {
    for (is_maildir, follow_links) in [(true, false), (false, false), (true, true)] {
        for (batch, message_limit) in [(4096, 64 << 20), (1 << 15, 1_000)] {
            let options = ReadOptions {
                batch,
                message_limit,
                ..ReadOptions::default()
            };
            let read = |plan| {
                let root = tempfile::tempdir().unwrap();
                let root = root.path();
                fill(root, is_maildir);
                let recognize = RecognizeOptions {
                    follow_links,
                    ..RecognizeOptions::default()
                };
                let input = recognize_with(root, &recognize, &mut |_| Ok(())).unwrap();
                let mut source = open(&input[0], &options).unwrap();
                change(root, is_maildir);
                let batches = batches(&mut *source, plan);
                assert!(source.changed().unwrap());
                let root = root.to_string_lossy();
                let without_root = |batch: String| batch.replace(&*root, "ROOT");
                batches.into_iter().map(without_root).collect::<Vec<_>>()
            };
            let alone = read(Plan::Never);
            assert!(alone.iter().filter(|batch| batch.contains("ROOT")).count() >= 2);
            for seed in 0..2 {
                let ahead = read(Plan::Random(seed));
                assert_eq!(ahead.len(), alone.len());
                for (ahead, alone) in ahead.iter().zip(&alone) {
                    assert!(ahead == alone, "{is_maildir} {batch} {seed}");
                }
            }
        }
    }
}

#[test]
fn files_after_a_range_are_not_read_ahead() {
    let root = tempfile::tempdir().unwrap();
    fill(root.path(), true);
    let options = ReadOptions::default();
    let mut input = Input::on_disk(root.path(), Format::Maildir);
    input.range = Some(InputRange::Folder(FolderRange {
        start: None,
        end: Some(9),
    }));
    let mut files = Files::folder(&input, &options).unwrap();
    let FilesAhead::Unread(unread) = files.files_ahead(2, 2) else {
        unreachable!("the folder has files");
    };
    // Two of the nine are folders.
    assert_eq!(unread.files.len(), 7);
    assert!(matches!(files.files_ahead(2, 2), FilesAhead::Waiting));
    files.give(unread.read(false));
    assert!(matches!(files.files_ahead(2, 2), FilesAhead::Enough));
}

/// The bytes of files that wait behind a slow one are bounded.
#[test]
fn a_slow_file_stops_the_others() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..500 {
        let message = format!("Subject: {number}\n\n{}", "text\n".repeat(400));
        write(
            &root.path().join(format!("cur/{number}")),
            message.as_bytes(),
        );
    }
    let input = Input::on_disk(root.path(), Format::Maildir);
    let options = ReadOptions {
        batch: 1 << 16,
        ..ReadOptions::default()
    };
    let mut files = Files::folder(&input, &options).unwrap();
    let FilesAhead::Unread(slow) = files.files_ahead(1, 2) else {
        unreachable!("the folder has files");
    };
    let mut bytes = 0;
    while let FilesAhead::Unread(unread) = files.files_ahead(1, 2) {
        let read = unread.read(false);
        bytes += read.bytes.len();
        files.give(read);
    }
    assert!(matches!(files.files_ahead(1, 2), FilesAhead::Waiting));
    assert!(bytes < 6 << 16, "{bytes}");
    files.give(slow.read(false));
    assert!(matches!(files.files_ahead(1, 2), FilesAhead::Enough));
}
