//! Tests that the threads which decompress a mailbox end with its reader. The only test of its process, whose threads it lists.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use lzma_rust2::CheckType;
use mailglot_archive::{Batch, ReadOptions, open, recognize};

use xz_writer::{ClaimedSizes, xz_stream};

#[cfg(test)]
#[path = "xz_files/xz_writer.rs"]
mod xz_writer;

/// Returns the number of threads of this process that decompress.
fn decompressing() -> usize {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "decompress").count()
}

/// Waits until so many threads decompress. A thread has its name soon after its start, and the kernel lists it until soon after its end.
fn comes_to(count: usize) -> bool {
    let start = Instant::now();
    while decompressing() != count && start.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(1));
    }
    decompressing() == count
}

/// Returns a mailbox of 1 MiB.
fn mailbox() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut mailbox = Vec::new();
    let mut number = 0u32;
    while mailbox.len() < 1 << 20 {
        number += 1;
        let word = number.wrapping_mul(2_654_435_761);
        write!(
            mailbox,
            "From a@b Mon Jan  1 00:00:00 2001\nSubject: {number}\n\n{word:x} {number:o}\n\n"
        )?;
    }
    Ok(mailbox)
}

#[test]
fn threads_end_with_the_reader() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mailbox = mailbox()?;
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(&mailbox)?;
    let blocks = mailbox.chunks(50_000);
    let blocks: Vec<_> = blocks
        .map(|block| (block.to_vec(), ClaimedSizes::default()))
        .collect();
    let xz = xz_stream(&blocks, CheckType::Crc64);
    for (name, whole) in [("list.mbox.bz2", encoder.finish()?), ("list.mbox.xz", xz)] {
        let cut = whole.len() * 2 / 3;
        for (bytes, threads) in [(&whole[..], 1), (&whole, 3), (&whole[..cut], 3)] {
            let path = folder.path().join(name);
            fs::write(&path, bytes)?;
            let is_whole = bytes.len() == whole.len();
            read_early_and_whole(&path, threads, &mailbox, is_whole)?;
        }
    }
    Ok(())
}

/// Checks how many threads decompress a file before and after a reader is dropped.
fn read_early_and_whole(
    path: &Path,
    threads: usize,
    mailbox: &[u8],
    is_whole: bool,
) -> Result<(), Box<dyn Error>> {
    let options = ReadOptions {
        threads,
        batch: 10_000,
        ..ReadOptions::default()
    };
    let found = recognize(path)?.remove(0);
    assert_eq!(decompressing(), 0);
    let mut batch = Batch::default();
    // A reader that is dropped early.
    let mut source = open(&found, &options)?;
    for _ in 0..30 {
        assert!(source.next(&mut batch)?);
    }
    let expected = if threads > 1 { threads } else { 0 };
    assert!(comes_to(expected), "{}", path.display());
    drop(source);
    assert!(comes_to(0));
    // One that is read to its end, or to the damage.
    let (mut source, mut out, mut events) = (open(&found, &options)?, Vec::new(), 0);
    while source.next(&mut batch)? {
        out.extend_from_slice(&batch.bytes);
        events += batch.events.len();
    }
    assert!(mailbox.starts_with(&out) && (out.len() == mailbox.len()) == (events == 0));
    assert_eq!(events == 0, is_whole);
    drop(source);
    assert!(comes_to(0));
    Ok(())
}
