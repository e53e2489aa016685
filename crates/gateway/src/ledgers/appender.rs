//! The segment that a daemon appends to: made, filled, closed, and followed by another.
//!
//! # Limits
//! A segment that a failed write or sync has touched is cut to what was durable before, and never used again.

use super::durable_record::{DurableRecord, FailureReporter, PRODUCER};
use super::folder::{Folder, LedgerFolder, lock};
use super::group_commit::Append;
use super::names::{SEGMENT, moment};
use mailglot_archive::ledger::{IndexBuilder, segment_header, segment_tail};
use rustix::fs::{FallocateFlags, fallocate, fstat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes of the largest segment with its index, but for a last record that goes beyond.
const LARGEST: u64 = 64 << 20;
/// Part of the bytes of a folder that one segment may take: retention removes whole segments.
const SHARE: u64 = 16;
/// How long records are appended to one segment.
const LONGEST: Duration = Duration::from_hours(1);
/// Bytes of disk that are reserved at once, so that a sync has less to write and a full disk is found before a write.
const AHEAD: u64 = 4 << 20;
/// Bytes that must stay free on the disk: so many, and no more than this part of it.
const RESERVE: (u64, u64) = (256 << 20, 16);
/// Names that are tried, should a cleaner of another daemon be in the way.
const TRIES: u32 = 8;
/// A record of more bytes is written by itself, without a copy.
const COPIED: usize = 64 << 10;

/// A record that waits to be appended.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) time: SystemTime,
    pub(super) bytes: Vec<u8>,
}

/// Appends to one segment after the other.
pub(super) struct Appender {
    folder: Arc<LedgerFolder>,
    most: u64,
    number: u64,
    open: Option<OpenSegment>,
    /// Bytes of all files in the folder.
    bytes: Arc<AtomicU64>,
    /// Syncs of segments so far.
    syncs: Arc<AtomicU64>,
    /// Gets the error of a segment that cannot be closed: its records are durable.
    report: FailureReporter,
    /// What the next sync comes back with, in tests.
    #[cfg(test)]
    pub(super) fail: Option<fn(&File) -> io::Result<()>>,
    /// True if the next segment cannot be closed, in tests.
    #[cfg(test)]
    pub(super) fail_close: bool,
}

#[derive(Debug)]
struct OpenSegment {
    file: File,
    /// Day, slash, name.
    name: String,
    started: SystemTime,
    /// When the last record was kept.
    last: SystemTime,
    /// Bytes that are durable.
    written: u64,
    /// Bytes that the disk has reserved.
    reserved: u64,
    /// What is found in it, written when it is closed.
    index: IndexBuilder,
}

impl Append for Appender {
    type Item = Pending;
    type Appended = DurableRecord;

    fn append(&mut self, records: Vec<Pending>) -> Vec<io::Result<DurableRecord>> {
        let count = records.len();
        let (mut results, mut rest) = (Vec::with_capacity(count), &records[..]);
        while !rest.is_empty() {
            match self.append_some(rest) {
                Ok(places) => {
                    rest = &rest[places.len()..];
                    results.extend(places.into_iter().map(Ok));
                }
                Err(error) => {
                    let again = || io::Error::new(error.kind(), error.to_string());
                    results.extend(rest.iter().map(|_| Err(again())));
                    break;
                }
            }
        }
        results
    }
}

impl Appender {
    pub(super) fn new(
        folder: Arc<LedgerFolder>,
        most: Option<u64>,
        bytes: Arc<AtomicU64>,
        syncs: Arc<AtomicU64>,
        report: FailureReporter,
    ) -> Self {
        let most = most.map_or(LARGEST, |most| LARGEST.min(most / SHARE));
        Self {
            folder,
            most,
            number: 0,
            open: None,
            bytes,
            syncs,
            report,
            #[cfg(test)]
            fail: None,
            #[cfg(test)]
            fail_close: false,
        }
    }

    /// Appends the first records, as many as belong to one segment, and syncs once; where they are then.
    fn append_some(&mut self, records: &[Pending]) -> io::Result<Vec<DurableRecord>> {
        let Some(first) = records.first() else {
            return Ok(Vec::new());
        };
        self.close_old(first.time);
        let ledger_folder = self.folder.current()?;
        if self.open.is_none() {
            self.open = Some(self.begin(&ledger_folder, first.time)?);
        }
        let Some(open) = &mut self.open else {
            return Ok(Vec::new());
        };
        let (mut end, most) = (open.written, self.most.saturating_sub(open.index.size()));
        let mut places = Vec::with_capacity(records.len());
        for record in records {
            if !places.is_empty() && end >= most {
                break;
            }
            places.push(DurableRecord {
                name: format!("{}:{end}", open.name),
                bytes: record.bytes.len() as u64,
            });
            end += record.bytes.len() as u64;
        }
        let taken = &records[..places.len()];
        let done = open
            .reserve(&ledger_folder, end)
            .and_then(|()| open.write(taken));
        #[cfg(test)]
        let done = match self.fail.take() {
            Some(fail) => done.and_then(|_| fail(&open.file).map(|()| 0)),
            None => done,
        };
        self.syncs.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = done {
            // What is there of these records was told to nobody.
            let _ = self.close();
            return Err(error);
        }
        let mut offset = open.written;
        for record in taken {
            open.index.push(offset, &record.bytes);
            offset += record.bytes.len() as u64;
        }
        open.written = end;
        open.last = taken
            .iter()
            .map(|record| record.time)
            .max()
            .unwrap_or(open.last)
            .max(open.last);
        let bytes = places.iter().map(|place| place.bytes).sum();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if end + open.index.size() >= self.most {
            self.close_and_tell();
        }
        Ok(places)
    }

    /// Closes the segment if it has been appended to for long enough.
    pub(super) fn close_old(&mut self, now: SystemTime) {
        let is_old = |open: &OpenSegment| {
            now.duration_since(open.started)
                .is_ok_and(|age| age >= LONGEST)
        };
        if self.open.as_ref().is_some_and(is_old) {
            self.close_and_tell();
        }
    }

    /// Closes the segment. A failure defers no message: all records are durable already, and the next sweep tries again.
    fn close_and_tell(&mut self) {
        let name = self
            .open
            .as_ref()
            .map(|open| open.name.clone())
            .unwrap_or_default();
        if let Err(error) = self.close() {
            let words = format!("{name} cannot be closed: {error}; its originals are kept");
            (self.report)(&io::Error::new(error.kind(), words));
        }
    }

    /// Closes the segment in order. Its records are durable already: no failure costs one.
    fn close(&mut self) -> io::Result<()> {
        let Some(OpenSegment {
            file,
            written,
            last,
            index,
            ..
        }) = self.open.take()
        else {
            return Ok(());
        };
        #[cfg(test)]
        if std::mem::take(&mut self.fail_close) {
            return Err(io::Error::other("no close"));
        }
        let added = close_segment(&file, written, last, &index)?;
        self.bytes.fetch_add(added, Ordering::Relaxed);
        Ok(())
    }

    /// Makes a segment; its name and its header are durable then.
    fn begin(&mut self, ledger_folder: &Folder, now: SystemTime) -> io::Result<OpenSegment> {
        let (day, time) = moment(now);
        let header = segment_header(PRODUCER);
        let mut failed = io::Error::new(ErrorKind::AlreadyExists, "no free name for a segment");
        for _ in 0..TRIES {
            let name = format!("{time}-{}-{}{SEGMENT}", std::process::id(), self.number);
            let made = ledger_folder.subfolder_or_make(&day);
            let (folder, file) =
                match made.and_then(|folder| folder.create(&name).map(|file| (folder, file))) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                        self.number += 1;
                        continue;
                    }
                    // A sweep removed the folder while it was empty.
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        failed = error;
                        continue;
                    }
                    made => made?,
                };
            self.number += 1;
            // A cleaner may have come between; what it locks is no longer ours.
            if !lock(&file)? || file.metadata()?.len() > 0 || fstat(&file)?.st_nlink == 0 {
                continue;
            }
            let written = header.len() as u64;
            let mut open = OpenSegment {
                file,
                name: format!("{day}/{name}"),
                started: now,
                last: now,
                written,
                reserved: 0,
                index: IndexBuilder::default(),
            };
            let begun = open
                .reserve(ledger_folder, written)
                .and_then(|()| open.file.write_all_at(&header, 0))
                .and_then(|()| open.file.sync_data())
                .and_then(|()| folder.sync())
                // Another daemon, or an attempt that failed, may have made the day's folder without a sync.
                .and_then(|()| ledger_folder.sync());
            if let Err(error) = begun {
                let _ = folder.remove(name.as_ref());
                return Err(error);
            }
            self.bytes.fetch_add(written, Ordering::Relaxed);
            return Ok(open);
        }
        Err(failed)
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        // Recovery closes what is not closed here.
        let _ = self.close();
    }
}

impl OpenSegment {
    /// Reserves disk up to `end` and some ahead.
    ///
    /// # Errors
    /// The disk is full but for its reserve.
    fn reserve(&mut self, folder: &Folder, end: u64) -> io::Result<()> {
        if end <= self.reserved {
            return Ok(());
        }
        let target = end + AHEAD;
        let (free, all) = folder.free()?;
        if free < (target - self.reserved).saturating_add(RESERVE.0.min(all / RESERVE.1)) {
            return Err(io::Error::new(
                ErrorKind::StorageFull,
                "the disk is full but for its reserve",
            ));
        }
        // The length stays that of what is written: nobody reads what is reserved.
        match fallocate(
            &self.file,
            FallocateFlags::KEEP_SIZE,
            self.reserved,
            target - self.reserved,
        ) {
            // Not every file system can.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                self.reserved = target;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes records behind what is durable, and makes them so.
    fn write(&self, records: &[Pending]) -> io::Result<u64> {
        let (mut at, mut together) = (self.written, Vec::new());
        for record in records {
            if record.bytes.len() <= COPIED {
                together.extend_from_slice(&record.bytes);
                continue;
            }
            for bytes in [&together, &record.bytes] {
                self.file.write_all_at(bytes, at)?;
                at += bytes.len() as u64;
            }
            together.clear();
        }
        self.file.write_all_at(&together, at)?;
        self.file.sync_data()?;
        if fstat(&self.file)?.st_nlink == 0 {
            // Somebody took it away: what is written goes with it.
            return Err(io::Error::new(
                ErrorKind::NotFound,
                "the segment was removed",
            ));
        }
        Ok(at + together.len() as u64)
    }
}

/// Cuts a segment to `length` bytes, appends its index and ends it; returns how many bytes that took. Its time is then that of its last
/// record, by which it goes.
pub(super) fn close_segment(
    file: &File,
    length: u64,
    last: SystemTime,
    index: &IndexBuilder,
) -> io::Result<u64> {
    file.set_len(length)?;
    let mut tail = segment_tail(length, index);
    if file.write_all_at(&tail, length).is_err() {
        // Where the disk is full, readers do without an index.
        file.set_len(length)?;
        tail = segment_tail(length, &IndexBuilder::default());
        file.write_all_at(&tail, length)?;
    }
    file.set_modified(last)?;
    file.sync_all()?;
    Ok(tail.len() as u64)
}
