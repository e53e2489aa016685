#![allow(clippy::unwrap_used, clippy::panic)]

mod removal;
mod search;
mod torn_segments;
mod write_failures;
mod writers;

use super::*;
use mailglot_archive::ledger::{Segment, write_whole};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const DAY: Duration = Duration::from_hours(24);
const MESSAGE: &[u8] = b"Message-ID: <1@example.org>\r\nSubject: a\r\n\r\n";

fn open(folder: &Path, retention: Retention) -> Ledgers {
    swept(Ledgers::open(folder, retention, |error| panic!("{error}")).unwrap())
}

/// Waits for the first sweep. A later one is made only if there are too many bytes.
fn swept(ledgers: Ledgers) -> Ledgers {
    while ledgers.store.sweeps.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    ledgers
}

fn entry(id: &[u8]) -> IndexEntry {
    IndexEntry {
        queue_id: id.to_vec(),
        ..IndexEntry::default()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for day in fs::read_dir(folder).unwrap().flatten() {
        let day_name = day.file_name().into_string().unwrap();
        // The sweeper may take an empty one away meanwhile.
        let Ok(entries) = fs::read_dir(day.path()) else {
            continue;
        };
        let name = |entry: fs::DirEntry| {
            format!("{day_name}/{}", entry.file_name().into_string().unwrap())
        };
        all.extend(entries.flatten().map(name));
    }
    all.sort();
    all
}

/// All originals in a folder.
fn originals(folder: &Path) -> Vec<Vec<u8>> {
    let catalog = Catalog::open(folder).unwrap();
    let mut all = Vec::new();
    let damaged = catalog
        .find(&Query::default(), |found| all.push(found.name))
        .unwrap();
    assert_eq!(damaged, []);
    all.iter()
        .map(|name| catalog.read(name).unwrap().original)
        .collect()
}

fn age(path: &Path, by: Duration) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(SystemTime::now() - by)
        .unwrap();
}

/// A file as versions before segments wrote it.
fn single(folder: &Path, name: &str, message: &[u8], old: Duration) -> u64 {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let note = br#"{"msg":"4F2","from":"<a@example.org>","rcpts":1}"#;
    let (bytes, _) = write_whole(Vec::new(), message, note, "test").unwrap();
    let length = bytes.len() as u64;
    fs::write(&path, bytes).unwrap();
    age(&path, old);
    length
}

fn segment_header() -> Vec<u8> {
    mailglot_archive::ledger::segment_header("test")
}

/// Returns what makes bytes that cannot be compressed.
fn random(mut state: u64) -> impl FnMut(usize) -> Vec<u8> {
    move |size| {
        let byte = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        (0..size).map(byte).collect()
    }
}

fn closed(path: &Path) -> bool {
    Segment::open(File::open(path).unwrap())
        .unwrap()
        .is_closed()
}
