//! Removes files from a ledger folder by age and total size, and closes segments that killed daemons left open.
//!
//! # Limits
//! It removes whole files. A segment is as old as its last record, or as its last write if its daemon was killed. So a record may stay an hour longer than its age allows.

use super::appender::close_segment;
use super::folder::{FileStat, Folder, lock};
use super::names::{is_day, is_segment, is_single, is_unfinished, moment};
use mailglot_archive::ledger::{LedgerError, Recovered, Segment};
use std::collections::BinaryHeap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Age at which a file without a record counts as abandoned.
const ABANDONED: Duration = Duration::from_hours(1);
/// Beyond the size bound, a sweep frees this part of it in addition, so that the next record needs no sweep.
const ROOM: u64 = 10;
/// Most files whose names a sweep has in memory at a time.
const HELD: usize = if cfg!(test) { 5 } else { 10_000 };

/// How long originals are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Greatest age; `None`: unlimited.
    pub age: Option<Duration>,
    /// Greatest size of all files in bytes; `None`: unlimited.
    pub bytes: Option<u64>,
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Removed files: segments, and ledgers of one message.
    pub gone: u64,
    /// Remaining files.
    pub left: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Removes files beyond the age and size of the retention.
///
/// # Errors
/// The folder cannot be read, or a file cannot be removed; the sweep still removes the others.
pub(super) fn sweep(folder: &Folder, retention: Retention, now: SystemTime) -> io::Result<Swept> {
    let mut failed = None;
    let mut swept = Swept::default();
    let days = days(folder)?;
    for day in &days {
        look_into(folder, day, now, &mut failed, |files, file, failed| {
            let age = now.duration_since(file.modified).unwrap_or_default();
            if retention.age.is_some_and(|most| age > most)
                && file.remove(files, &mut swept, failed)
            {
                return;
            }
            swept.left += 1;
            swept.bytes += file.bytes;
        });
    }
    if let Some(most) = retention.bytes.filter(|most| swept.bytes > *most) {
        let goal = most - most / ROOM;
        for day in &days {
            while swept.bytes > goal
                && remove_oldest(folder, day, now, goal, &mut swept, &mut failed)
            {}
        }
    }
    let today = moment(now).0;
    for day in days.iter().filter(|day| *day != OsStr::new(&today)) {
        // Fails if the folder is not empty.
        let _ = folder.remove_subfolder(day);
    }
    failed.map_or(Ok(swept), Err)
}

/// Closes open segments without a lock: their daemons were killed. Cuts a torn write off and keeps all else; passes what it cut and what is damaged
/// to `report`.
///
/// # Errors
/// The folder cannot be read, or a segment cannot be closed; the others are closed.
pub(super) fn close_abandoned(
    folder: &Folder,
    now: SystemTime,
    report: &dyn Fn(&io::Error),
) -> io::Result<()> {
    let mut failed = None;
    for day in days(folder)? {
        let Ok(files) = folder.subfolder(&day) else {
            continue;
        };
        for name in files.names()?.into_iter().filter(|name| is_segment(name)) {
            let report = |words: String| {
                let place = Path::new(&day).join(&name);
                report(&io::Error::new(
                    ErrorKind::InvalidData,
                    format!("{}: {words}", place.display()),
                ));
            };
            match close_one(&files, &name, now, &report) {
                Err(error) if error.kind() != ErrorKind::NotFound => failed = Some(error),
                _ => (),
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

fn close_one(
    files: &Folder,
    name: &OsStr,
    now: SystemTime,
    report: &dyn Fn(String),
) -> io::Result<()> {
    let Some(stat) = files.stat(name)? else {
        return Ok(());
    };
    let file = files.file(name, true)?;
    if !lock(&file)? {
        return Ok(());
    }
    // Holds the lock until the end: a daemon may just have made the file, and not locked it yet.
    let _locked = file.try_clone()?;
    match Segment::open(file) {
        Ok(segment) if segment.is_closed() => Ok(()),
        Ok(segment) => match segment.recover() {
            Ok(Recovered {
                records: 0,
                damaged: 0,
                torn,
                ..
            }) => {
                files.remove(name)?;
                report_torn(torn, report);
                Ok(())
            }
            // The time of its last write. A record's time counts for nothing here: a damaged segment may hold records that a sender made.
            Ok(Recovered {
                keep,
                damaged,
                torn,
                index,
                ..
            }) => {
                close_segment(segment.file(), keep, stat.modified.min(now), &index)?;
                report_torn(torn, report);
                if damaged > 0 {
                    report(format!(
                        "{damaged} bytes are damaged; they stay in the segment, without an index entry"
                    ));
                }
                Ok(())
            }
            Err(LedgerError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error.to_string())),
        },
        // The daemon was killed before the header was durable.
        Err(LedgerError::NotALedger | LedgerError::Damaged(_))
            if stat.bytes < 200
                && now
                    .duration_since(stat.modified)
                    .is_ok_and(|age| age > ABANDONED) =>
        {
            files.remove(name)
        }
        Err(LedgerError::Io(error)) => Err(error),
        Err(_) => Ok(()),
    }
}

fn report_torn(bytes: u64, report: &dyn Fn(String)) {
    if bytes > 0 {
        report(format!(
            "removed {bytes} bytes of a write that was cut off; no message was accepted for them"
        ));
    }
}

/// A file; older ones compare as less.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Old {
    modified: SystemTime,
    name: OsString,
    bytes: u64,
}

impl Old {
    /// Removes it; returns false if that fails, or if a daemon has locked it.
    fn remove(&self, files: &Folder, swept: &mut Swept, failed: &mut Option<io::Error>) -> bool {
        match self.removed(files) {
            Ok(gone) => {
                swept.gone += u64::from(gone);
                gone
            }
            // Another sweep removed it.
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => {
                *failed = Some(error);
                false
            }
        }
    }

    fn removed(&self, files: &Folder) -> io::Result<bool> {
        if !is_segment(&self.name) {
            files.remove(&self.name)?;
            return Ok(true);
        }
        // Holds the lock until the file is removed: a daemon may just have made it, and not locked it yet.
        let file = files.file(&self.name, false)?;
        if !lock(&file)? {
            return Ok(false);
        }
        files.remove(&self.name)?;
        Ok(true)
    }
}

/// Removes the oldest files of a day until `goal` bytes remain, at most [`HELD`] files. Returns true if more may follow.
fn remove_oldest(
    folder: &Folder,
    day: &OsStr,
    now: SystemTime,
    goal: u64,
    swept: &mut Swept,
    failed: &mut Option<io::Error>,
) -> bool {
    let mut oldest = BinaryHeap::new();
    look_into(folder, day, now, failed, |_, file, _| {
        oldest.push(file);
        if oldest.len() > HELD {
            oldest.pop();
        }
    });
    let Ok(files) = folder.subfolder(day) else {
        return false;
    };
    let mut gone = 0;
    for file in oldest.into_sorted_vec() {
        if swept.bytes <= goal {
            break;
        }
        if file.remove(&files, swept, failed) {
            swept.left = swept.left.saturating_sub(1);
            swept.bytes = swept.bytes.saturating_sub(file.bytes);
            gone += 1;
        }
    }
    gone > 0
}

/// Calls `found` with every segment and ledger of a day, and removes unfinished files of versions before segments. Records an unreadable file in
/// `failed` and goes on.
fn look_into(
    folder: &Folder,
    day: &OsStr,
    now: SystemTime,
    failed: &mut Option<io::Error>,
    mut found: impl FnMut(&Folder, Old, &mut Option<io::Error>),
) {
    let looked = (|| {
        let files = folder.subfolder(day)?;
        let mut fault = None;
        files.each_name(|name| match files.stat(name) {
            Ok(Some(FileStat { bytes, modified })) => {
                if is_single(name) || is_segment(name) {
                    found(
                        &files,
                        Old {
                            modified,
                            name: name.to_owned(),
                            bytes,
                        },
                        failed,
                    );
                } else if is_unfinished(name)
                    && now
                        .duration_since(modified)
                        .is_ok_and(|age| age > ABANDONED)
                    && let Err(error) = files.remove(name)
                {
                    fault = Some(error);
                }
            }
            // Removed meanwhile, or not a regular file.
            Ok(None) => (),
            Err(error) => fault = Some(error),
        })?;
        fault.map_or(Ok(()), Err)
    })();
    match looked {
        // Another sweep removed it.
        Err(error) if error.kind() != ErrorKind::NotFound => *failed = Some(error),
        _ => (),
    }
}

/// Returns the names of the day folders in order.
pub(super) fn days(folder: &Folder) -> io::Result<Vec<OsString>> {
    let mut days = folder.names()?;
    days.retain(|name| is_day(name));
    days.sort_unstable();
    Ok(days)
}
