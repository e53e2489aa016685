//! Tests that the threads which decompress a mailbox end with its reader. The only test of its process, whose threads it lists.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

use mailglot_archive::{Batch, ReadOptions, open, recognize};

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

#[test]
fn threads_end_with_the_reader() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("list.mbox.bz2");
    let mut number = 0u32;
    let mut mailbox = Vec::new();
    while mailbox.len() < 1 << 20 {
        number += 1;
        let word = number.wrapping_mul(2_654_435_761);
        write!(
            mailbox,
            "From a@b Mon Jan  1 00:00:00 2001\nSubject: {number}\n\n{word:x} {number:o}\n\n"
        )?;
    }
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(&mailbox)?;
    let whole = encoder.finish()?;
    let cut = whole.len() * 2 / 3;
    for (bytes, threads) in [(&whole[..], 1), (&whole, 3), (&whole[..cut], 3)] {
        fs::write(&path, bytes)?;
        let options = ReadOptions {
            threads,
            batch: 10_000,
            ..ReadOptions::default()
        };
        let found = recognize(&path)?.remove(0);
        assert_eq!(decompressing(), 0);
        let mut batch = Batch::default();
        // A reader that is dropped early.
        let mut source = open(&found, &options)?;
        for _ in 0..30 {
            assert!(source.next(&mut batch)?);
        }
        let expected = if threads > 1 { threads } else { 0 };
        assert!(comes_to(expected));
        drop(source);
        assert!(comes_to(0));
        // One that is read to its end, or to the damage.
        let (mut source, mut out, mut events) = (open(&found, &options)?, Vec::new(), 0);
        while source.next(&mut batch)? {
            out.extend_from_slice(&batch.bytes);
            events += batch.events.len();
        }
        assert!(mailbox.starts_with(&out) && (out.len() == mailbox.len()) == (events == 0));
        assert_eq!(events == 0, bytes.len() == whole.len());
        drop(source);
        assert!(comes_to(0));
    }
    Ok(())
}
