//! A folder of ledgers, one for each message that is changed.
//!
//! ```text
//! FOLDER/2026-11-22/102315.004211907-4F2A-0.ledger      the time (UTC), the server's name for the message, a number
//! ```
//!
//! A ledger holds its message whole (`docs/ledger-format.md`): what is delivered may gain fields on its way. It is on the disk, under its
//! name, before the message has its verdict. What is too old, or too much, goes, the oldest first.
//!
//! # Limits
//! Each ledger costs two or three writes to the disk; the messages of several connections share some of them. Bytes are those of the files,
//! not of the blocks that they fill. No message waits for a sweep, or is deferred because ledgers are too many: beyond the bound stands what is
//! written while the oldest go. Days are taken by their names, and the ledgers of a day by their age.

use mailglot_archive::ledger::write_whole;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Ends of the names of ledgers.
const ENDING: &str = ".ledger";
/// Beginning and end of the names of ledgers that are being written.
const BEGUN: (&str, &str) = (".begun-", ".tmp");
/// Bytes of a server's name for a message that stand in a name of ours.
const LONGEST_ID: usize = 64;
/// What is begun and so old has no writer any more.
const ABANDONED: Duration = Duration::from_hours(1);
/// How often what is too old goes.
const SWEEP: Duration = Duration::from_mins(10);
/// Where there is too much, this part of what may be goes too, so that not each new ledger costs a look at all.
const ROOM: u64 = 10;
/// Ledgers that a sweep holds at a time, of however many there are.
const HELD: usize = if cfg!(test) { 5 } else { 10_000 };
/// Sweeps in a row, where new ledgers come as fast as old ones go.
const ROUNDS: u32 = 4;
/// Bytes of the thread's stack.
const STACK: usize = 256 << 10;
/// What wrote a ledger, as it says itself.
const PRODUCER: &str = concat!("mailglot ", env!("CARGO_PKG_VERSION"));

/// How long ledgers stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Those that are older go; None: no age is too old.
    pub age: Option<Duration>,
    /// Bytes of all; None: no number is too much.
    pub bytes: Option<u64>,
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Ledgers that went.
    pub gone: u64,
    /// Ledgers that are left.
    pub left: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A folder of ledgers. A thread of its own sweeps it, until it is dropped.
#[derive(Debug)]
pub struct Ledgers {
    store: Arc<Store>,
    /// Wakes the sweeper; none once it shall end.
    wake: Option<SyncSender<()>>,
    sweeper: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Store {
    folder: PathBuf,
    retention: Retention,
    /// Bytes of all ledgers, as far as they were seen.
    bytes: AtomicU64,
    number: AtomicU64,
    /// The folder of the day that stands on the disk.
    day: Mutex<String>,
}

impl Ledgers {
    /// Opens a folder, and makes it where it is not there; `tell` hears of faults of sweeping.
    ///
    /// # Errors
    /// The folder cannot be made or written, or there is no thread.
    pub fn open(
        folder: impl Into<PathBuf>,
        retention: Retention,
        tell: impl Fn(&io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let folder = folder.into();
        private_folder(&folder)?;
        // Better now than with the first message.
        drop(begun(&folder)?);
        let store = Arc::new(Store {
            folder,
            retention,
            bytes: AtomicU64::new(0),
            number: AtomicU64::new(0),
            day: Mutex::default(),
        });
        let (wake, woken) = sync_channel(1);
        let swept = store.clone();
        let sweeper =
            thread::Builder::new().name("ledgers".to_owned()).stack_size(STACK).spawn(move || {
                loop {
                    if let Err(error) = swept.sweep_until_few(SystemTime::now()) {
                        tell(&error);
                    }
                    if woken.recv_timeout(SWEEP) == Err(RecvTimeoutError::Disconnected) {
                        return;
                    }
                }
            })?;
        Ok(Self { store, wake: Some(wake), sweeper: Some(sweeper) })
    }

    /// Keeps a message as it came, with an account of what is made of it. When this comes back, both are on the disk. Gives the ledger's
    /// name below the folder.
    ///
    /// # Errors
    /// The ledger cannot be written; nothing of it is left.
    pub fn keep(&self, original: &[u8], note: &str, queue_id: &[u8], now: SystemTime) -> io::Result<String> {
        let (name, bytes) = self.store.keep(original, note, queue_id, now)?;
        let all = self.store.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.store.retention.bytes.is_some_and(|most| all > most)
            && let Some(wake) = &self.wake
        {
            // Where it is full, it is woken already.
            let _ = wake.try_send(());
        }
        Ok(name)
    }

    /// Bytes of all ledgers.
    pub fn bytes(&self) -> u64 {
        self.store.bytes.load(Ordering::Relaxed)
    }

    /// Takes away what is too old at this time, or too much.
    ///
    /// # Errors
    /// The folder cannot be read, or a ledger not be taken away; the others are dealt with.
    pub fn sweep(&self, now: SystemTime) -> io::Result<Swept> {
        self.store.sweep(now)
    }
}

impl Drop for Ledgers {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(sweeper) = self.sweeper.take() {
            // Its panic has been told where it happened.
            let _ = sweeper.join();
        }
    }
}

impl Store {
    fn keep(
        &self,
        original: &[u8],
        note: &str,
        queue_id: &[u8],
        now: SystemTime,
    ) -> io::Result<(String, u64)> {
        let (day, time) = moment(now);
        let folder = self.day_folder(&day)?;
        let file = match begun(&folder) {
            // Whoever tidies up took it away.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.day.lock().unwrap_or_else(PoisonError::into_inner).clear();
                begun(&self.day_folder(&day)?)?
            }
            file => file?,
        };
        let written = write_whole(BufWriter::new(file.as_file()), original, note.as_bytes(), PRODUCER);
        let (writer, bytes) = written?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        let mut file = file.into_temp_path();
        let id: String = queue_id
            .iter()
            .take(LONGEST_ID)
            .filter(|byte| byte.is_ascii_alphanumeric())
            .map(|b| char::from(*b))
            .collect();
        let id = if id.is_empty() { "none" } else { &id };
        loop {
            let number = self.number.fetch_add(1, Ordering::Relaxed);
            let name = format!("{time}-{id}-{number}{ENDING}");
            match file.persist_noclobber(folder.join(&name)) {
                Ok(()) => {
                    if let Err(error) = sync_folder(&folder) {
                        // The message comes again, and brings another.
                        let _ = fs::remove_file(folder.join(&name));
                        return Err(error);
                    }
                    return Ok((format!("{day}/{name}"), bytes));
                }
                // Of a time when the clock stood as it stands now.
                Err(error) if error.error.kind() == ErrorKind::AlreadyExists => file = error.path,
                Err(error) => return Err(error.error),
            }
        }
    }

    /// The folder of a day, on the disk.
    fn day_folder(&self, day: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(day);
        let mut there = self.day.lock().unwrap_or_else(PoisonError::into_inner);
        if *there != day {
            private_folder(&folder)?;
            sync_folder(&self.folder)?;
            day.clone_into(&mut there);
        }
        Ok(folder)
    }

    /// Sweeps, and once more where too much was written meanwhile, or stood there before anything was counted: the next ledger would
    /// see to it, but nobody knows when that comes.
    fn sweep_until_few(&self, now: SystemTime) -> io::Result<Swept> {
        let mut swept = self.sweep(now)?;
        for _ in 1..ROUNDS {
            let all = self.bytes.load(Ordering::Relaxed);
            if self.retention.bytes.is_none_or(|most| all <= most) {
                break;
            }
            swept = self.sweep(now)?;
        }
        Ok(swept)
    }

    fn sweep(&self, now: SystemTime) -> io::Result<Swept> {
        let before = self.bytes.load(Ordering::Relaxed);
        let mut failed = None;
        let mut swept = Swept::default();
        let mut days = days(&self.folder)?;
        days.sort_unstable();
        look_through(&days, now, &mut failed, |ledger, failed| {
            let age = now.duration_since(ledger.modified).unwrap_or_default();
            if self.retention.age.is_some_and(|most| age > most) && ledger.remove(&mut swept, failed) {
                return;
            }
            swept.left += 1;
            swept.bytes += ledger.bytes;
        });
        if let Some(most) = self.retention.bytes.filter(|most| swept.bytes > *most) {
            let goal = most - most / ROOM;
            for day in &days {
                while swept.bytes > goal && remove_oldest(day, now, goal, &mut swept, &mut failed) {}
            }
        }
        // What was written meanwhile counts, whether it was seen or not; the next sweep knows better.
        let counted = |now: u64| Some(swept.bytes + now.saturating_sub(before));
        // It has an answer for every number.
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        self.tidy(now)?;
        failed.map_or(Ok(swept), Err)
    }

    /// Takes away the empty folders of other days.
    fn tidy(&self, now: SystemTime) -> io::Result<()> {
        let today = moment(now).0;
        for day in days(&self.folder)? {
            if day.file_name() != Some(OsStr::new(&today)) {
                // Fails where something is in it.
                let _ = fs::remove_dir(day);
            }
        }
        Ok(())
    }
}

/// One ledger, the older the less.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    modified: SystemTime,
    path: PathBuf,
    bytes: u64,
}

impl Kept {
    /// Takes it away; false where that fails.
    fn remove(&self, swept: &mut Swept, failed: &mut Option<io::Error>) -> bool {
        match fs::remove_file(&self.path) {
            Ok(()) => {
                swept.gone += 1;
                true
            }
            // Another one tidied up.
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => {
                *failed = Some(error);
                false
            }
        }
    }
}

/// Takes the oldest ledgers of a day away, until no more bytes than `goal` are left, or as many ledgers as are held at a time; whether there
/// may be more to be taken away.
fn remove_oldest(
    day: &Path,
    now: SystemTime,
    goal: u64,
    swept: &mut Swept,
    failed: &mut Option<io::Error>,
) -> bool {
    let mut oldest = BinaryHeap::new();
    look_through(std::slice::from_ref(&day), now, failed, |ledger, _| {
        oldest.push(ledger);
        if oldest.len() > HELD {
            oldest.pop();
        }
    });
    let mut gone = 0;
    for ledger in oldest.into_sorted_vec() {
        if swept.bytes <= goal {
            break;
        }
        if ledger.remove(swept, failed) {
            swept.left = swept.left.saturating_sub(1);
            swept.bytes = swept.bytes.saturating_sub(ledger.bytes);
            gone += 1;
        }
    }
    gone > 0
}

/// Gives all ledgers in the folders of some days; what was begun by writers that are gone is taken away. What cannot be read is passed by: the
/// others have their bounds too.
fn look_through(
    days: &[impl AsRef<Path>],
    now: SystemTime,
    failed: &mut Option<io::Error>,
    mut found: impl FnMut(Kept, &mut Option<io::Error>),
) {
    for day in days {
        match look_into(day.as_ref(), now, failed, &mut found) {
            // Another one tidied up.
            Err(error) if error.kind() != ErrorKind::NotFound => *failed = Some(error),
            _ => (),
        }
    }
}

fn look_into(
    day: &Path,
    now: SystemTime,
    failed: &mut Option<io::Error>,
    found: &mut impl FnMut(Kept, &mut Option<io::Error>),
) -> io::Result<()> {
    for entry in fs::read_dir(day)? {
        let path = entry?.path();
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata,
            // Gone meanwhile, or none of ours.
            _ => continue,
        };
        let (modified, name) = (metadata.modified()?, path.file_name().unwrap_or_default());
        if ends_with(name, ENDING) {
            found(Kept { modified, path, bytes: metadata.len() }, failed);
        } else if ends_with(name, BEGUN.1)
            && now.duration_since(modified).is_ok_and(|age| age > ABANDONED)
            && let Err(error) = fs::remove_file(&path)
        {
            *failed = Some(error);
        }
    }
    Ok(())
}

/// The folders of days, and no others.
fn days(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_day = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.len() == 10
            && name
                .iter()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    let mut days = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_day(&entry.file_name()) && entry.file_type()?.is_dir() {
            days.push(entry.path());
        }
    }
    Ok(days)
}

fn ends_with(name: &OsStr, ending: &str) -> bool {
    name.as_encoded_bytes().ends_with(ending.as_bytes())
}

/// A file for a ledger, only for its owner.
fn begun(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(BEGUN.0).suffix(BEGUN.1).tempfile_in(folder)
}

/// Makes a folder, only for its owner, where there is none.
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes names durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Day and time in UTC, as names have them.
fn moment(now: SystemTime) -> (String, String) {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    (
        format!("{year:04}-{month:02}-{day:02}"),
        format!("{hours:02}{minutes:02}{:02}.{:09}", seconds % 60, since.subsec_nanos()),
    )
}

/// Year, month and day of a number of days after 1970-01-01. Years are counted from March: the day that leaps stands at their end.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const DAY: Duration = Duration::from_hours(24);

    fn open(folder: &Path, retention: Retention) -> Ledgers {
        Ledgers::open(folder, retention, |error| panic!("{error}")).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut all = Vec::new();
        for day in fs::read_dir(folder).unwrap().flatten() {
            let day_name = day.file_name().into_string().unwrap();
            // The sweeper may take an empty one away meanwhile.
            let Ok(entries) = fs::read_dir(day.path()) else { continue };
            all.extend(
                entries
                    .flatten()
                    .map(|entry| format!("{day_name}/{}", entry.file_name().into_string().unwrap())),
            );
        }
        all.sort();
        all
    }

    fn age(path: &Path, by: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - by).unwrap();
    }

    #[test]
    fn names_tell_time_and_message() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(&folder.path().join("new"), Retention::default());
        let now = UNIX_EPOCH + Duration::new(1_795_342_995, 4_211_907);
        for (id, number, want) in [
            (&b"4F2A"[..], 0, "2026-11-22/102315.004211907-4F2A-0.ledger"),
            (b"", 1, "2026-11-22/102315.004211907-none-1.ledger"),
            (b"../../a\0\n\xff", 2, "2026-11-22/102315.004211907-a-2.ledger"),
            (&[b'x'; 300], 3, &format!("2026-11-22/102315.004211907-{}-3.ledger", "x".repeat(64))),
        ] {
            let got = ledgers.keep(b"Subject: a\r\n\r\n", "{}", id, now).unwrap();
            assert_eq!(got, want, "{number}");
            let path = folder.path().join("new").join(&got);
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path().join("new")), 0o700);
        assert_eq!(mode(&folder.path().join("new/2026-11-22")), 0o700);
        // A daemon that begins anew in the same moment.
        let again = open(&folder.path().join("new"), Retention::default());
        let name = again.keep(b"", "{}", b"4F2A", now).unwrap();
        assert_eq!(name, "2026-11-22/102315.004211907-4F2A-1.ledger");
    }

    #[test]
    fn a_folder_that_cannot_be_read_keeps_no_other_from_the_sweep() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention::default());
        let name = ledgers.keep(b"Subject: a\r\n\r\n", "{}", b"a", SystemTime::now()).unwrap();
        let day = folder.path().join(name.split_once('/').unwrap().0);
        let (unreadable, gone) = (folder.path().join("2026-01-01"), folder.path().join("2026-01-02"));
        // Not even a folder: no permission keeps root out of one.
        fs::write(&unreadable, "").unwrap();
        for (first, fails) in [(unreadable, true), (gone, false)] {
            let mut failed = None;
            let mut kept = Vec::new();
            let found = |ledger: Kept, _: &mut Option<io::Error>| kept.push(ledger.path);
            look_through(&[first, day.clone()], SystemTime::now(), &mut failed, found);
            assert_eq!(kept, [folder.path().join(&name)]);
            assert_eq!(failed.is_some(), fails, "{failed:?}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, want) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (789, (1972, 2, 29)),
            (11_016, (2000, 2, 29)),
            (20_779, (2026, 11, 22)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), want, "{days}");
        }
        // Each day is the one after the day before, over four centuries.
        let lengths = |year: u64| {
            let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        };
        let mut today = (1970, 1, 1);
        for days in 0..150_000 {
            assert_eq!(date(days), today);
            let (year, month, day) = today;
            today = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                _ if day == lengths(year)[month as usize - 1] => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }

    #[test]
    fn what_is_too_old_goes() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention { age: Some(30 * DAY), bytes: None });
        let now = SystemTime::now();
        let old = ledgers.keep(b"old", "{}", b"1", now - 31 * DAY).unwrap();
        let young = ledgers.keep(b"young", "{}", b"2", now).unwrap();
        age(&folder.path().join(&old), 31 * DAY);
        let bytes = fs::metadata(folder.path().join(&young)).unwrap().len();
        assert_eq!(ledgers.sweep(now).unwrap(), Swept { gone: 1, left: 1, bytes });
        assert_eq!(ledgers.bytes(), bytes);
        assert_eq!(names(folder.path()), [young]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the empty day goes too");
        assert_eq!(ledgers.sweep(now + 31 * DAY).unwrap(), Swept { gone: 1, left: 0, bytes: 0 });
        // A day that went comes again when it is needed.
        ledgers.keep(b"again", "{}", b"3", now - 31 * DAY).unwrap();
        ledgers.sweep(now + 31 * DAY).unwrap();
        ledgers.keep(b"again", "{}", b"4", now - 31 * DAY).unwrap();
    }

    #[test]
    fn the_oldest_go_where_there_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention::default());
        let now = SystemTime::now();
        let kept: Vec<_> = (0..20_u32)
            .map(|number| {
                let name = ledgers.keep(b"Subject: a\r\n\r\n", "{}", b"A", now - number * DAY).unwrap();
                age(&folder.path().join(&name), number * DAY);
                name
            })
            .collect();
        let one = fs::metadata(folder.path().join(&kept[0])).unwrap().len();
        drop(ledgers);
        let ledgers = open(folder.path(), Retention { age: None, bytes: Some(one * 10) });
        // The sweeper does it by itself.
        let patience = SystemTime::now() + Duration::from_secs(20);
        // What it left is counted when it has ended.
        while ledgers.bytes() != one * 9 && SystemTime::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        let mut want = kept[..9].to_vec();
        want.sort();
        assert_eq!(names(folder.path()), want);
        // So it does when new ones come.
        for _ in 0..5 {
            ledgers.keep(b"Subject: a\r\n\r\n", "{}", b"A", now + DAY).unwrap();
        }
        while ledgers.bytes() > one * 10 && SystemTime::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(names(folder.path()).len() <= 10 && !names(folder.path()).contains(&kept[8]));
    }

    /// Of more ledgers than are held at a time, on one day.
    #[test]
    fn the_oldest_of_a_day_go_a_few_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention::default());
        let now = SystemTime::now();
        let kept: Vec<_> = (0..40_u32)
            .map(|number| {
                let name = ledgers.keep(b"Subject: a\r\n\r\n", "{}", b"A", now).unwrap();
                // Their names say nothing about it.
                age(&folder.path().join(&name), Duration::from_secs(u64::from(number * 7 % 40)));
                (number * 7 % 40, name)
            })
            .collect();
        let one = fs::metadata(folder.path().join(&kept[0].1)).unwrap().len();
        drop(ledgers);
        let ledgers = open(folder.path(), Retention { age: None, bytes: Some(one * 10) });
        let patience = SystemTime::now() + Duration::from_secs(20);
        while ledgers.bytes() != one * 9 && SystemTime::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        let mut want: Vec<_> = kept.into_iter().filter(|(age, _)| *age < 9).map(|(_, name)| name).collect();
        want.sort();
        assert_eq!(names(folder.path()), want);
    }

    /// No later ledger has to come for that.
    #[test]
    fn what_comes_while_the_oldest_go_is_swept_too() {
        let folder = tempfile::tempdir().unwrap();
        let most = 20_000;
        let ledgers = open(folder.path(), Retention { age: None, bytes: Some(most) });
        let now = SystemTime::now();
        let message = vec![b'x'; 1_000];
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..40).for_each(|_| drop(ledgers.keep(&message, "{}", b"A", now).unwrap())));
            }
        });
        let all = || {
            let sizes = names(folder.path()).into_iter().map(|name| {
                // It may go meanwhile.
                fs::metadata(folder.path().join(name)).map_or(0, |metadata| metadata.len())
            });
            sizes.sum::<u64>()
        };
        let patience = SystemTime::now() + Duration::from_secs(20);
        while all() > most && SystemTime::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        // One that came during a sweep may be counted twice until the next.
        assert!(
            (1..=most).contains(&all()) && ledgers.bytes() >= all(),
            "{}, {} counted",
            all(),
            ledgers.bytes()
        );
    }

    #[test]
    fn what_is_not_ours_stays_and_what_was_abandoned_goes() {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("2020-01-01");
        fs::create_dir_all(&day).unwrap();
        fs::create_dir_all(folder.path().join("2020-01-0x")).unwrap();
        for name in [".begun-1.tmp", ".begun-2.tmp", "other.txt", "a.ledger"] {
            fs::write(day.join(name), b"x").unwrap();
        }
        fs::write(folder.path().join("2020-01-0x/a.ledger"), b"x").unwrap();
        for name in [".begun-1.tmp", "other.txt", "a.ledger"] {
            age(&day.join(name), 100 * DAY);
        }
        let ledgers = open(folder.path(), Retention { age: Some(DAY), bytes: Some(0) });
        ledgers.sweep(SystemTime::now()).unwrap();
        let left = ["2020-01-01/.begun-2.tmp", "2020-01-01/other.txt", "2020-01-0x/a.ledger"];
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn a_ledger_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention::default());
        let now = SystemTime::now();
        fs::write(folder.path().join(moment(now).0), b"in the way").unwrap();
        assert!(ledgers.keep(b"x", "{}", b"1", now).is_err());
        fs::remove_file(folder.path().join(moment(now).0)).unwrap();
        ledgers.keep(b"x", "{}", b"1", now).unwrap();
        // The folder of the day is taken away by someone.
        fs::remove_dir_all(folder.path().join(moment(now).0)).unwrap();
        ledgers.keep(b"x", "{}", b"1", now).unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        assert!(Ledgers::open("/proc/none", Retention::default(), |_| ()).is_err());
    }

    #[test]
    fn many_writers_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = open(folder.path(), Retention::default());
        let now = SystemTime::now();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| drop(ledgers.keep(b"x", "{}", b"A", now).unwrap())));
            }
        });
        assert_eq!(names(folder.path()).len(), 160);
    }
}
