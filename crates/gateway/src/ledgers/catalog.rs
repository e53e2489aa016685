//! Searches a ledger folder and reads single records, for `mailglot ledger`.
//!
//! # Limits
//! A search reads the index of each segment whose day may match, or the records if there is no index. It decompresses ledgers of one message,
//! which versions before segments wrote. It holds no lock and may miss records that are appended meanwhile.

use super::folder::{Folder, is_locked};
use super::message_id::message_id;
use super::names::{day_start, is_segment, is_single};
use super::retention::days;
use mailglot_archive::ledger::{IndexEntry, LedgerError, Segment, digest, read_whole};
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A record is at most this much younger or older than the begin of its segment's day.
const LATER: Duration = Duration::from_hours(48);
/// Bytes of the largest ledger of one message: twice the largest message of 64 MiB.
const LARGEST: u64 = 128 << 20;

/// What is wrong with a segment that no daemon writes, and that has no end.
const WITHOUT_END: &str =
    "the segment has no end: its writer was killed, or the copy is incomplete";

/// Conditions of a search; a record must match all that are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Kept at this time or later.
    pub since: Option<SystemTime>,
    /// Kept before this time.
    pub until: Option<SystemTime>,
    /// The mail server's queue id.
    pub queue_id: Option<Vec<u8>>,
    /// Message-ID, with or without angle brackets.
    pub message_id: Option<Vec<u8>>,
    /// Sender of the envelope: an address, or `@` and a domain; ASCII letters match in either case.
    pub sender: Option<Vec<u8>>,
    /// A recipient of the envelope, as the sender.
    pub recipient: Option<Vec<u8>>,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name below the folder, as the log has it.
    pub name: String,
    /// Search keys.
    pub entry: IndexEntry,
}

/// A record whose digests were verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// Search keys.
    pub entry: IndexEntry,
    /// The message as received.
    pub original: Vec<u8>,
    /// The gateway's account of its changes, in JSON.
    pub note: Vec<u8>,
    /// The whole ledger, as `mailglot restore --ledger` takes it.
    pub ledger: Vec<u8>,
}

/// A ledger folder, opened to read.
#[derive(Debug)]
pub struct Catalog(Folder);

impl Catalog {
    /// Opens a folder.
    ///
    /// # Errors
    /// It cannot be opened, or is a link.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Folder::open(folder).map(Self)
    }

    /// Returns false if the folder has entries, but no day's folder. A ledger that has kept nothing yet is empty.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn is_ledger(&self) -> io::Result<bool> {
        Ok(!days(&self.0)?.is_empty() || self.0.names()?.is_empty())
    }

    /// Calls `found` with each record that matches, day by day and in the order of each file. Returns each unreadable file with the reason.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn find(
        &self,
        query: &Query,
        mut found: impl FnMut(Found),
    ) -> io::Result<Vec<(String, String)>> {
        let mut damaged = Vec::new();
        for day in days(&self.0)? {
            if !query.may_match_day(&day) {
                continue;
            }
            let Some(day_name) = day.to_str() else {
                continue;
            };
            let files = match self.0.subfolder(&day) {
                Ok(files) => files,
                Err(error) => {
                    damaged.push((day_name.to_owned(), error.to_string()));
                    continue;
                }
            };
            let mut names = files.names()?;
            names.retain(|name| is_segment(name) || is_single(name));
            names.sort_unstable();
            for file in names {
                let Some(file_name) = file.to_str() else {
                    continue;
                };
                let name = format!("{day_name}/{file_name}");
                let searched = if is_segment(&file) {
                    search_segment(&files, &file, &name, query, &mut found)
                } else {
                    search_single(&files, &file, &name, query, &mut found).map(|()| true)
                };
                match searched {
                    Ok(true) => (),
                    Ok(false) => damaged.push((name, WITHOUT_END.to_owned())),
                    // A sweep removed it meanwhile.
                    Err(LedgerError::Io(error)) if error.kind() == ErrorKind::NotFound => (),
                    Err(error) => damaged.push((name, error.to_string())),
                }
            }
        }
        Ok(damaged)
    }

    /// Reads a record by its name, and checks its digests.
    ///
    /// # Errors
    /// No record has this name, or it is damaged.
    pub fn read(&self, name: &str) -> Result<LedgerRecord, LedgerError> {
        let none = || {
            LedgerError::Io(io::Error::new(
                ErrorKind::NotFound,
                "no record has this name",
            ))
        };
        let (day, rest) = name.split_once('/').ok_or_else(none)?;
        if !super::names::is_day(OsStr::new(day)) || rest.contains('/') {
            return Err(none());
        }
        let files = self.0.subfolder(OsStr::new(day)).map_err(gone(none))?;
        if let Some((file, offset)) = rest.rsplit_once(':') {
            let offset = offset.parse().map_err(|_| none())?;
            let segment = Segment::open(files.file(OsStr::new(file), false).map_err(gone(none))?)?;
            let located = segment.record_at(offset)?;
            return LedgerRecord::new(located.entry.clone(), segment.ledger(&located)?);
        }
        let file = OsStr::new(rest);
        let (ledger, entry) = read_single(&files, file).map_err(|error| match error {
            LedgerError::Io(error) => gone(none)(error),
            error => error,
        })?;
        LedgerRecord::new(entry, ledger)
    }
}

/// Replaces the error for a missing file by `none`.
fn gone(none: impl Fn() -> LedgerError) -> impl Fn(io::Error) -> LedgerError {
    move |error| {
        if error.kind() == ErrorKind::NotFound {
            none()
        } else {
            LedgerError::Io(error)
        }
    }
}

impl LedgerRecord {
    fn new(entry: IndexEntry, ledger: Vec<u8>) -> Result<Self, LedgerError> {
        let (original, note) = read_whole(&ledger)?;
        if digest(&original) != entry.blake3 {
            return Err(LedgerError::Damaged(
                "the message is another than the index says",
            ));
        }
        Ok(Self {
            entry,
            original,
            note,
            ledger,
        })
    }
}

impl Query {
    /// Returns true if files of this day may have a matching record.
    fn may_match_day(&self, day: &OsStr) -> bool {
        let Some(start) = day.to_str().and_then(day_start) else {
            return false;
        };
        // A clock that goes back does not begin another segment, so a record may be older than its segment's day.
        self.since.is_none_or(|since| since < start + LATER)
            && self.until.is_none_or(|until| start < until + LATER)
    }

    /// Returns true if the entry matches all conditions.
    pub fn matches(&self, entry: &IndexEntry) -> bool {
        let time = UNIX_EPOCH + Duration::from_nanos(entry.time);
        let same_id = |wanted: &Vec<u8>| bare(wanted) == bare(&entry.message_id);
        self.since.is_none_or(|since| since <= time)
            && self.until.is_none_or(|until| time < until)
            && self
                .queue_id
                .as_ref()
                .is_none_or(|id| *id == entry.queue_id)
            && self.message_id.as_ref().is_none_or(same_id)
            && self.sender.as_ref().is_none_or(|wanted| {
                entry
                    .sender
                    .as_ref()
                    .is_some_and(|sender| is_address(sender, wanted))
            })
            && self.recipient.as_ref().is_none_or(|wanted| {
                entry
                    .recipients
                    .iter()
                    .any(|recipient| is_address(recipient, wanted))
            })
    }
}

fn bare(id: &[u8]) -> &[u8] {
    let inner = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inner.unwrap_or(id)
}

/// Returns true if `address` equals `wanted`, or belongs to its domain if `wanted` is `@domain`.
fn is_address(address: &[u8], wanted: &[u8]) -> bool {
    let wanted = bare(wanted);
    if wanted.starts_with(b"@") {
        let at = address.len().checked_sub(wanted.len());
        return at.is_some_and(|at| address[at..].eq_ignore_ascii_case(wanted));
    }
    address.eq_ignore_ascii_case(wanted)
}

/// Calls `found` with each record that matches. Returns false if the segment has no end and no daemon writes it.
fn search_segment(
    files: &Folder,
    file: &OsStr,
    name: &str,
    query: &Query,
    found: &mut impl FnMut(Found),
) -> Result<bool, LedgerError> {
    let opened = files.file(file, false)?;
    if opened.metadata()?.len() == 0 {
        // A daemon is creating it.
        return Ok(true);
    }
    let segment = Segment::open(opened)?;
    let mut tell = |offset: u64, entry: IndexEntry| {
        if query.matches(&entry) {
            found(Found {
                name: format!("{name}:{offset}"),
                entry,
            });
        }
    };
    if let Some(index) = segment.index()? {
        for (offset, entry) in index {
            tell(offset, entry);
        }
        return Ok(true);
    }
    let mut records = segment.records();
    for located in records.by_ref() {
        let located = located?;
        tell(located.offset, located.entry);
    }
    // A daemon may be writing behind the last record of an open segment.
    let skipped = records.skipped()
        + if segment.is_closed() {
            records.behind()
        } else {
            0
        };
    if skipped > 0 {
        return Err(LedgerError::Damaged("records are missing in it"));
    }
    if segment.is_closed() || is_locked(segment.file())? {
        return Ok(true);
    }
    // Its daemon may have closed it since it was opened.
    Ok(Segment::open(files.file(file, false)?)?.is_closed())
}

/// Calls `found` with the record of a ledger of one message if it matches.
fn search_single(
    files: &Folder,
    file: &OsStr,
    name: &str,
    query: &Query,
    found: &mut impl FnMut(Found),
) -> Result<(), LedgerError> {
    let (_, entry) = read_single(files, file)?;
    if query.matches(&entry) {
        found(Found {
            name: name.to_owned(),
            entry,
        });
    }
    Ok(())
}

/// Reads a ledger of one message, and builds an index entry from its name, note and message.
fn read_single(files: &Folder, name: &OsStr) -> Result<(Vec<u8>, IndexEntry), LedgerError> {
    let file = files.file(name, false)?;
    let modified = file
        .metadata()?
        .modified()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut ledger = Vec::new();
    if file.take(LARGEST + 1).read_to_end(&mut ledger)? as u64 > LARGEST {
        return Err(LedgerError::Damaged(
            "it is too large for a ledger of one message",
        ));
    }
    let (original, note) = read_whole(&ledger)?;
    // TIME-ID-NUMBER.ledger, where ID may be `none`.
    let words = name
        .to_str()
        .unwrap_or_default()
        .split('-')
        .nth(1)
        .unwrap_or_default();
    let queue_id = if words == "none" { "" } else { words };
    let entry = IndexEntry {
        time: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
        queue_id: queue_id.as_bytes().to_vec(),
        message_id: message_id(&original).to_vec(),
        sender: noted_sender(&note),
        recipients: Vec::new(),
        recipient_count: 0,
        size: original.len() as u64,
        blake3: digest(&original),
    };
    Ok((ledger, entry))
}

/// Returns the sender in a note (`"from":"<a@example.org>"`); `None` if it is escaped or cut.
fn noted_sender(note: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(note, b"\"from\":\"")? + 8;
    let value = note[start..].split(|byte| *byte == b'"').next()?;
    let plain = !value.contains(&b'\\') && !value.ends_with(b"...");
    let address = value.strip_prefix(b"<")?.strip_suffix(b">")?;
    plain.then(|| address.to_vec())
}
