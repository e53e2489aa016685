//! Segments: files of many ledgers of one message each, one record after the other.
//!
//! ```text
//! header │ record │ record │ …                    while a daemon appends
//! header │ record │ record │ … │ index │ end      once it is closed
//! ```
//!
//! A record is an index entry and a whole ledger as [`write_whole`](super::write_whole) writes it. Both have a checksum, so a
//! reader can skip damage and find the next record after it. It stops at a record whose ledger ends beyond the file. The index
//! repeats all index entries, so a search reads only a fraction of the file. `docs/ledger-format.md` describes every byte.
//!
//! # Limits
//! A segment without an intact index is read record by record. An index does not reveal damage of its records.

use super::index_entry::IndexEntry;
use super::record_bytes::{CHECK, DIGEST, RECORD, RECORD_HEADER, checksum};
use super::segment_index::{self, IndexBuilder};
use super::varint::{Cursor, put_counted};
use super::{LedgerError, VERSION};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// First bytes of every segment.
const MAGIC: [u8; 8] = *b"\x89MGS\r\n\x1a\n";
/// Last bytes of a closed segment.
const END: [u8; 8] = *b"MGSEND\r\n";
/// Bytes of the end of a closed segment: length of the file, length of header and records, checksum, magic.
const END_LEN: usize = 8 + 8 + CHECK + END.len();
/// Largest index entry in bytes. A search after damage reads this many for each false beginning of a record.
const MAX_ENTRY: usize = 64 << 10;
/// Bytes per read of a scan.
const WINDOW: usize = 256 << 10;

/// Returns the header of a segment written by `producer`.
pub fn segment_header(producer: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    put_counted(&mut out, producer.as_bytes());
    let check = checksum(&out);
    out.extend_from_slice(&check);
    out
}

/// Returns a record of a segment: `entry` and `ledger`, a whole ledger of one message.
///
/// # Errors
/// The entry exceeds 64 KiB even without its recipients: [`Segment::record_at`] would not read the record.
pub fn segment_record(entry: &IndexEntry, ledger: &[u8]) -> io::Result<Vec<u8>> {
    let mut fields = entry.encode();
    if fields.len() > MAX_ENTRY {
        // Addresses alone can be this long. The count shows that they are missing.
        fields = IndexEntry {
            recipients: Vec::new(),
            ..entry.clone()
        }
        .encode();
    }
    if fields.len() > MAX_ENTRY {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the index entry of the record is too long",
        ));
    }
    let mut out = Vec::with_capacity(RECORD_HEADER + fields.len() + CHECK + ledger.len());
    out.extend_from_slice(&RECORD);
    out.extend_from_slice(&(fields.len() as u32).to_le_bytes());
    out.extend_from_slice(&(ledger.len() as u64).to_le_bytes());
    out.extend_from_slice(&blake3::hash(ledger).as_bytes()[..DIGEST]);
    out.extend_from_slice(&fields);
    let check = checksum(&out);
    out.extend_from_slice(&check);
    out.extend_from_slice(ledger);
    Ok(out)
}

/// Returns the tail of a segment whose header and records take `length` bytes: the index, unless it is empty, and the end.
pub fn segment_tail(length: u64, index: &IndexBuilder) -> Vec<u8> {
    let mut out = index.finish();
    out.extend_from_slice(&segment_end(length + out.len() as u64, length));
    out
}

/// Returns the end of a segment that takes `length` bytes without it, and `records` bytes without index and end.
fn segment_end(length: u64, records: u64) -> [u8; END_LEN] {
    let mut out = [0; END_LEN];
    out[..8].copy_from_slice(&(length + END_LEN as u64).to_le_bytes());
    out[8..16].copy_from_slice(&records.to_le_bytes());
    let check = checksum(&[&out[..16], &END].concat());
    out[16..16 + CHECK].copy_from_slice(&check);
    out[16 + CHECK..].copy_from_slice(&END);
    out
}

/// A segment opened for reading.
#[derive(Debug)]
pub struct Segment {
    file: File,
    /// Offset of the first record.
    start: u64,
    /// Offset that no record exceeds.
    end: u64,
    /// Byte range of the index. Empty without an index.
    index: Range<u64>,
    closed: bool,
}

/// The position of a record in its segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its index entry.
    pub entry: IndexEntry,
    /// Offset of its first byte.
    pub offset: u64,
    /// Byte range of its ledger.
    pub ledger: Range<u64>,
    digest: [u8; DIGEST],
}

impl Segment {
    /// Opens a segment and reads its header.
    ///
    /// # Errors
    /// The file cannot be read, is not a segment, or has an unsupported version.
    pub fn open(file: File) -> Result<Self, LedgerError> {
        let mut head = vec![0; 12 + 1 + 128 + CHECK];
        let read = read_up_to(&file, &mut head, 0)?;
        head.truncate(read);
        if head.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(LedgerError::NotALedger);
        }
        let early = LedgerError::Damaged("it ends too early");
        let version: [u8; 4] = match head.get(8..12).map(TryInto::try_into) {
            Some(Ok(version)) => version,
            _ => return Err(early),
        };
        if u32::from_le_bytes(version) != VERSION {
            return Err(LedgerError::Version(u32::from_le_bytes(version)));
        }
        let mut cursor = Cursor(&head[12..]);
        let Some(_producer) = cursor.counted() else {
            return Err(early);
        };
        let covered = head.len() - cursor.0.len();
        if cursor.bytes(CHECK as u64) != Some(&checksum(&head[..covered])) {
            return Err(LedgerError::Damaged("the header's checksum differs"));
        }
        let mut segment = Self {
            file,
            start: (covered + CHECK) as u64,
            end: 0,
            index: 0..0,
            closed: false,
        };
        segment.find_end()?;
        Ok(segment)
    }

    /// Returns true if the segment was closed properly. Nothing is appended to it any more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the offset and the index entry of every record in order, from the index. `None` if the index is missing or damaged.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn index(&self) -> io::Result<Option<Vec<(u64, IndexEntry)>>> {
        let length = self.index.end - self.index.start;
        if length == 0 || length > segment_index::LARGEST as u64 {
            return Ok(None);
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, self.index.start)?;
        Ok(segment_index::parse(&bytes))
    }

    /// Returns all intact index entries in order, from the records.
    pub fn records(&self) -> SegmentRecords<'_> {
        SegmentRecords {
            segment: self,
            window: SegmentWindow::default(),
            at: self.start,
            skipped: 0,
            behind: 0,
            in_damage: false,
            refuted: 0,
            tail: Tail::Unread,
        }
    }

    /// Returns the record that begins at `offset`.
    ///
    /// # Errors
    /// The file cannot be read, or no intact record begins there.
    pub fn record_at(&self, offset: u64) -> Result<Located, LedgerError> {
        let mut window = SegmentWindow::default();
        match self.parse(&mut window, offset)? {
            Parsed::Whole(located) => Ok(located),
            Parsed::Torn => Err(LedgerError::Damaged("the record there is cut off")),
            Parsed::Nothing => Err(LedgerError::Damaged("no record begins there")),
        }
    }

    /// Returns the ledger of a record.
    ///
    /// # Errors
    /// The file cannot be read, or the ledger's digest differs.
    pub fn ledger(&self, located: &Located) -> Result<Vec<u8>, LedgerError> {
        // `parse` checked that the ledger ends within the file.
        let mut bytes = vec![0; (located.ledger.end - located.ledger.start) as usize];
        self.file.read_exact_at(&mut bytes, located.ledger.start)?;
        if blake3::hash(&bytes).as_bytes()[..DIGEST] != located.digest {
            return Err(LedgerError::Damaged("the digest of a record differs"));
        }
        Ok(bytes)
    }

    /// Reads all records, and reports which bytes of the segment are damaged or a torn write.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn recover(&self) -> Result<Recovered, LedgerError> {
        let mut recovered = Recovered {
            end: self.start,
            keep: self.start,
            records: 0,
            damaged: 0,
            torn: 0,
            index: IndexBuilder::default(),
        };
        let mut records = self.records();
        for located in records.by_ref() {
            let located = located?;
            recovered.keep = recovered.keep.max(located.ledger.end);
            match self.ledger(&located) {
                Ok(_) => {
                    recovered
                        .index
                        .push_entry(located.offset, &located.entry.encode());
                    recovered.end = recovered.end.max(located.ledger.end);
                    recovered.records += 1;
                }
                Err(LedgerError::Damaged(_)) => {
                    recovered.damaged += located.ledger.end - located.offset;
                }
                Err(error) => return Err(error),
            }
        }
        recovered.damaged += records.skipped;
        match records.tail {
            Tail::Torn => recovered.torn = records.behind,
            Tail::Damaged => {
                recovered.damaged += records.behind;
                recovered.keep = self.end;
            }
            Tail::Unread | Tail::Index => (),
        }
        Ok(recovered)
    }

    /// Returns the file.
    pub fn file(&self) -> &File {
        &self.file
    }

    fn find_end(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        self.end = length;
        let Some(behind) = length
            .checked_sub(END_LEN as u64)
            .filter(|end| *end >= self.start)
        else {
            return Ok(());
        };
        let mut end = [0; END_LEN];
        self.file.read_exact_at(&mut end, behind)?;
        let mut number = [0; 8];
        number.copy_from_slice(&end[8..16]);
        let records = u64::from_le_bytes(number);
        if end == segment_end(behind, records) && (self.start..=behind).contains(&records) {
            (self.end, self.index, self.closed) = (records, records..behind, true);
        }
        Ok(())
    }

    /// Parses the head of the record at `offset`.
    fn parse(&self, window: &mut SegmentWindow, offset: u64) -> io::Result<Parsed> {
        let head = window.bytes(self, offset, RECORD_HEADER)?;
        if head.len() < RECORD_HEADER || head[..RECORD.len()] != RECORD {
            return Ok(Parsed::Nothing);
        }
        let (mut small, mut large, mut digest) = ([0; 4], [0; 8], [0; DIGEST]);
        small.copy_from_slice(&head[4..8]);
        large.copy_from_slice(&head[8..16]);
        digest.copy_from_slice(&head[16..]);
        let fields = u32::from_le_bytes(small) as usize;
        let before = RECORD_HEADER + fields;
        if fields > MAX_ENTRY {
            return Ok(Parsed::Nothing);
        }
        let bytes = window.bytes(self, offset, before + CHECK)?;
        if bytes.len() < before + CHECK || bytes[before..] != checksum(&bytes[..before]) {
            return Ok(Parsed::Nothing);
        }
        let start = offset + (before + CHECK) as u64;
        let Some(end) = start
            .checked_add(u64::from_le_bytes(large))
            .filter(|end| *end <= self.end)
        else {
            return Ok(Parsed::Torn);
        };
        let entry = IndexEntry::decode(&bytes[RECORD_HEADER..before]);
        Ok(entry.map_or(Parsed::Nothing, |entry| {
            Parsed::Whole(Located {
                entry,
                offset,
                ledger: start..end,
                digest,
            })
        }))
    }
}

/// The item that begins at an offset of a segment.
enum Parsed {
    /// A record whose head is intact and whose ledger is in the segment.
    Whole(Located),
    /// A record whose head is intact and whose ledger ends beyond the segment: a truncated write, or one in progress.
    Torn,
    /// No intact head of a record.
    Nothing,
}

/// Result of [`Segment::recover`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// End of the last whole record, or of the header if no record is whole.
    pub end: u64,
    /// Offset to truncate the segment at: a torn write or an index follows it.
    pub keep: u64,
    /// Number of whole records.
    pub records: u64,
    /// Bytes before `keep` outside any whole record. Includes records with an intact head and a damaged ledger.
    pub damaged: u64,
    /// Bytes of a torn write after `keep`.
    pub torn: u64,
    /// Index of all whole records.
    pub index: IndexBuilder,
}

/// Iterator over the intact index entries of a segment in order.
#[derive(Debug)]
pub struct SegmentRecords<'a> {
    segment: &'a Segment,
    window: SegmentWindow,
    at: u64,
    skipped: u64,
    behind: u64,
    /// True once a search has found a record after damaged lengths. From there on, apparent records may lie in the ledger of
    /// another one.
    in_damage: bool,
    /// Bytes of forged ledgers, whose digests were wrong.
    refuted: u64,
    tail: Tail,
}

/// What follows the last record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// Nothing, or it has not been read yet.
    Unread,
    /// An index, which may be truncated.
    Index,
    /// A truncated record. No client was told that it is stored.
    Torn,
    /// Anything else, possibly a damaged record.
    Damaged,
}

impl SegmentRecords<'_> {
    /// Returns the number of bytes outside intact records and before one.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the number of bytes after the last intact record, once all were read: a torn write, or one in progress.
    pub fn behind(&self) -> u64 {
        self.behind
    }

    /// Reads the next record. Skips a damaged one by its lengths if what follows confirms them, and searches otherwise.
    fn advance(&mut self) -> io::Result<Option<Located>> {
        let begin = self.at;
        // A record or an index is expected at `expected`. The sender may have chosen the bytes elsewhere.
        let (mut at, mut expected, mut tail) = (begin, begin, None);
        while at < self.segment.end {
            match self.segment.parse(&mut self.window, at)? {
                Parsed::Whole(located) => {
                    self.in_damage |= at != expected;
                    // A forged record may claim the records after it as its ledger, but cannot know their digest.
                    let certain = !self.in_damage || self.verify(&located)?;
                    if certain || self.refuted > self.segment.end {
                        self.skipped += at - begin;
                        self.at = if certain {
                            located.ledger.end
                        } else {
                            located.ledger.start
                        };
                        return Ok(Some(located));
                    }
                }
                // Nothing follows a truncated record, and its sender chose its content: it may look like a record.
                Parsed::Torn if at == begin && !self.in_damage => {
                    tail = Some(Tail::Torn);
                    break;
                }
                // The damaged records before it must stay.
                Parsed::Torn if at == expected && !self.in_damage => {
                    tail = Some(Tail::Damaged);
                    break;
                }
                // Inside a damaged record.
                Parsed::Torn | Parsed::Nothing => (),
            }
            // A daemon was killed while it wrote the index, which contains text chosen by senders.
            if at == expected && !self.in_damage && self.begins_index(at)? {
                tail = Some(if at == begin {
                    Tail::Index
                } else {
                    Tail::Damaged
                });
                break;
            }
            if at == expected
                && !self.in_damage
                && let Some(next) = self.behind_damaged(at)?
            {
                (at, expected) = (next, next);
                continue;
            }
            at = self.next_magic(at + 1)?;
        }
        if begin < self.segment.end {
            self.behind += self.segment.end - begin;
            self.tail = match tail {
                Some(tail) => tail,
                None if !self.in_damage && self.is_torn_head(begin)? => Tail::Torn,
                None => Tail::Damaged,
            };
        }
        self.at = self.segment.end;
        Ok(None)
    }

    /// Returns the offset of the next record magic from `at` on, or the end of the segment.
    fn next_magic(&mut self, mut at: u64) -> io::Result<u64> {
        loop {
            let bytes = self.window.rest(self.segment, at)?;
            let found = memchr::memmem::find(bytes, &RECORD);
            match (found, bytes.len()) {
                (Some(found), _) => return Ok(at + found as u64),
                (None, read) if read < RECORD.len() => return Ok(self.segment.end),
                (None, read) => at += (read - RECORD.len() + 1) as u64,
            }
        }
    }

    /// Returns true if the digest of the record's ledger is right.
    ///
    /// Reads at most as many bytes of wrong ledgers as the segment has, because a sender can forge thousands of heads.
    fn verify(&mut self, located: &Located) -> io::Result<bool> {
        if self.refuted > self.segment.end {
            return Ok(false);
        }
        match self.segment.ledger(located) {
            Ok(_) => Ok(true),
            Err(LedgerError::Io(error)) => Err(error),
            Err(_) => {
                self.refuted += located.ledger.end - located.ledger.start;
                Ok(false)
            }
        }
    }

    fn begins_index(&mut self, offset: u64) -> io::Result<bool> {
        let length = segment_index::MAGIC.len();
        Ok(self.window.bytes(self.segment, offset, length)? == segment_index::MAGIC)
    }

    /// Returns true if records end at `offset`, or an intact head of a record or an index begins there.
    fn begins_record(&mut self, offset: u64) -> io::Result<bool> {
        Ok(offset == self.segment.end
            || !matches!(
                self.segment.parse(&mut self.window, offset)?,
                Parsed::Nothing
            )
            || self.begins_index(offset)?)
    }

    /// Returns the end of a record whose damaged head is at `offset`, or None if nothing confirms its lengths.
    ///
    /// The digest of its ledger confirms them, or the head of the record that follows. Damaged lengths can lead to a later record;
    /// then intact records fill the bytes up to it.
    fn behind_damaged(&mut self, offset: u64) -> io::Result<Option<u64>> {
        let head = self.window.bytes(self.segment, offset, RECORD_HEADER)?;
        if head.len() < RECORD_HEADER {
            return Ok(None);
        }
        let (mut small, mut large, mut digest) = ([0; 4], [0; 8], [0; DIGEST]);
        small.copy_from_slice(&head[4..8]);
        large.copy_from_slice(&head[8..16]);
        digest.copy_from_slice(&head[16..]);
        let fields = u32::from_le_bytes(small) as usize;
        let start = offset + (RECORD_HEADER + fields + CHECK) as u64;
        let end = start.checked_add(u64::from_le_bytes(large));
        let Some(end) = end.filter(|end| fields <= MAX_ENTRY && *end <= self.segment.end) else {
            return Ok(None);
        };
        let mut ledger = vec![0; (end - start) as usize];
        self.segment.file.read_exact_at(&mut ledger, start)?;
        if blake3::hash(&ledger).as_bytes()[..DIGEST] == digest {
            return Ok(Some(end));
        }
        if !self.begins_record(end)? {
            return Ok(None);
        }
        let mut at = self.next_magic(offset + 1)?;
        while at < end {
            let mut behind = at;
            while behind < end
                && let Parsed::Whole(located) = self.segment.parse(&mut self.window, behind)?
                && located.ledger.end <= end
                && self.verify(&located)?
            {
                behind = located.ledger.end;
            }
            if behind == end {
                return Ok(Some(at));
            }
            at = self.next_magic(behind.max(at + 1))?;
        }
        Ok(Some(end))
    }

    /// Returns true if only an incomplete record head follows `begin`, and zeros, which a file system may add after a crash.
    fn is_torn_head(&mut self, begin: u64) -> io::Result<bool> {
        let (mut at, mut written) = (begin, begin);
        while at < self.segment.end {
            let bytes = self.window.bytes(self.segment, at, WINDOW)?;
            if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
                written = at + last as u64 + 1;
            }
            if bytes.is_empty() || written - begin > (RECORD_HEADER + MAX_ENTRY + CHECK) as u64 {
                break;
            }
            at += bytes.len() as u64;
        }
        let written = (written - begin) as usize;
        if written < RECORD_HEADER {
            return Ok(true);
        }
        // A whole record ends as its ledger does. Then the length of its entry is damaged.
        let last = begin + (written - super::END_MAGIC.len()) as u64;
        if self
            .window
            .bytes(self.segment, last, super::END_MAGIC.len())?
            == super::END_MAGIC
        {
            return Ok(false);
        }
        let head = self.window.bytes(self.segment, begin, RECORD_HEADER)?;
        let length = head
            .get(4..8)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u32::from_le_bytes);
        let fields = length as usize;
        Ok(head.starts_with(&RECORD)
            && fields <= MAX_ENTRY
            && written < RECORD_HEADER + fields + CHECK)
    }
}

impl Iterator for SegmentRecords<'_> {
    type Item = Result<Located, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.at = self.segment.end;
        }
        next.map_err(LedgerError::Io).transpose()
    }
}

/// A part of a segment in memory.
#[derive(Debug, Default)]
struct SegmentWindow {
    start: u64,
    bytes: Vec<u8>,
}

impl SegmentWindow {
    /// Returns the bytes at `offset` that are in memory. Reads more if they are too few for the head of a record.
    fn rest(&mut self, segment: &Segment, offset: u64) -> io::Result<&[u8]> {
        self.bytes(segment, offset, RECORD.len())?;
        Ok(&self.bytes[(offset - self.start) as usize..])
    }

    /// Returns `count` bytes at `offset`, or fewer at the end of the records.
    fn bytes(&mut self, segment: &Segment, offset: u64, count: usize) -> io::Result<&[u8]> {
        let left = usize::try_from(segment.end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = count.min(left);
        let held = offset
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok());
        let held = held.filter(|from| {
            from.checked_add(count)
                .is_some_and(|end| end <= self.bytes.len())
        });
        let from = if let Some(from) = held {
            from
        } else {
            self.bytes.resize(count.max(WINDOW).min(left), 0);
            let read = read_up_to(&segment.file, &mut self.bytes, offset)?;
            self.bytes.truncate(read);
            self.start = offset;
            0
        };
        let to = (from + count).min(self.bytes.len());
        Ok(&self.bytes[from..to])
    }
}

fn read_up_to(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::super::{read_whole, write_whole};
    use super::*;
    use std::io::Write;

    fn entry(number: u64) -> IndexEntry {
        IndexEntry {
            time: 1_000 + number,
            queue_id: format!("4F{number}").into_bytes(),
            message_id: format!("<{number}@example.org>").into_bytes(),
            sender: (!number.is_multiple_of(3)).then(|| b"a@example.org".to_vec()),
            recipients: (0..number % 4)
                .map(|n| format!("b{n}@example.org").into_bytes())
                .collect(),
            recipient_count: number % 4,
            size: number,
            blake3: [number as u8; 32],
        }
    }

    fn ledger(number: u64) -> Vec<u8> {
        let message = format!(
            "Subject: {number}\r\n\r\n{}",
            "x".repeat(number as usize % 50)
        );
        write_whole(Vec::new(), message.as_bytes(), b"{}", "test")
            .unwrap()
            .0
    }

    fn record(number: u64) -> Vec<u8> {
        segment_record(&entry(number), &ledger(number)).unwrap()
    }

    fn segment(bytes: &[u8]) -> Segment {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Segment::open(file).unwrap()
    }

    #[test]
    fn records_round_trip() {
        let mut bytes = segment_header("test");
        (0..20).for_each(|number| bytes.extend(record(number)));
        for closed in [false, true] {
            if closed {
                let length = bytes.len() as u64;
                bytes.extend(segment_tail(
                    length,
                    &segment(&bytes).recover().unwrap().index,
                ));
            }
            let segment = segment(&bytes);
            assert_eq!(segment.is_closed(), closed);
            let offsets = segment
                .records()
                .map(Result::unwrap)
                .map(|located| (located.offset, located.entry));
            assert_eq!(segment.index().unwrap(), closed.then(|| offsets.collect()));
            let mut records = segment.records();
            for number in 0..20 {
                let located = records.next().unwrap().unwrap();
                assert_eq!(located.entry, entry(number));
                assert_eq!(segment.record_at(located.offset).unwrap(), located);
                assert_eq!(segment.ledger(&located).unwrap(), ledger(number));
                assert!(segment.record_at(located.offset + 1).is_err());
            }
            assert!(records.next().is_none());
            assert_eq!((records.skipped(), records.behind()), (0, 0));
        }
    }

    /// A write truncated at any byte costs that record and no other.
    #[test]
    fn torn_tail_is_detected_at_every_byte() {
        let mut bytes = segment_header("test");
        let start = bytes.len();
        let mut ends = vec![start];
        for number in 0..3 {
            bytes.extend(record(number));
            ends.push(bytes.len());
        }
        for cut in start..=bytes.len() {
            let whole = ends
                .iter()
                .filter(|end| **end > start && **end <= cut)
                .count();
            for filled in [0, 300] {
                // The truncated end is followed by zeros, as a file system may leave them, or by nothing.
                let torn = [&bytes[..cut], &vec![0; filled][..]].concat();
                let segment = segment(&torn);
                let sound = |located: &Located| segment.ledger(located).is_ok();
                assert_eq!(
                    segment.records().map(Result::unwrap).filter(sound).count(),
                    whole,
                    "cut at {cut}"
                );
                let end = ends
                    .iter()
                    .rfind(|end| **end <= cut)
                    .copied()
                    .unwrap_or(start);
                let recovered = segment.recover().unwrap();
                assert_eq!(recovered.end, end as u64, "cut at {cut}");
                if filled == 0 {
                    assert_eq!(
                        (recovered.keep, recovered.damaged),
                        (end as u64, 0),
                        "cut at {cut}"
                    );
                    assert_eq!(recovered.torn, (cut - end) as u64, "cut at {cut}");
                }
                let all = recovered.keep + recovered.torn;
                assert!(
                    recovered.keep >= recovered.end && all == torn.len() as u64,
                    "cut at {cut}"
                );
            }
        }
        for cut in 0..start {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes[..cut]).unwrap();
            assert!(Segment::open(file).is_err(), "cut at {cut}");
        }
    }

    /// A sender chooses the bytes of the message. They also appear in its ledger if they do not compress.
    #[test]
    fn torn_record_contains_no_record() {
        let mut bytes = segment_header("test");
        (1..3).for_each(|number| bytes.extend(record(number)));
        let end = bytes.len();
        // A whole record, and one that reaches beyond the file.
        let far = segment_record(&entry(8), &vec![b'x'; 2 << 20]).unwrap();
        for forged in [record(7), far[..1_000].to_vec()] {
            let ledger = [&vec![b'y'; WINDOW][..], &forged, &record(9), &[b'z'; 200]].concat();
            let torn = segment_record(&entry(3), &ledger).unwrap();
            for cut in (0..torn.len()).rev().step_by(7).take(torn.len().min(500)) {
                let segment = segment(&[&bytes[..], &torn[..cut]].concat());
                let mut records = segment.records();
                assert_eq!(
                    records
                        .by_ref()
                        .map(|r| r.unwrap().entry)
                        .collect::<Vec<_>>(),
                    [entry(1), entry(2)]
                );
                assert_eq!((records.skipped(), records.behind()), (0, cut as u64));
                let recovered = segment.recover().unwrap();
                assert_eq!((recovered.end, recovered.records), (end as u64, 2));
                assert!(segment.record_at(end as u64).is_err());
            }
        }
    }

    /// A daemon is killed while it writes index and end: every record is found, and no bytes of the index are read as a record.
    #[test]
    fn torn_index_is_not_a_record() {
        let mut bytes = segment_header("test");
        // A Message-ID can look like a whole record.
        let forged = IndexEntry {
            message_id: record(7),
            ..entry(2)
        };
        bytes.extend(record(1));
        bytes.extend(segment_record(&forged, &ledger(2)).unwrap());
        let length = bytes.len();
        let recovered = segment(&bytes).recover().unwrap();
        assert_eq!((recovered.end, recovered.records), (length as u64, 2));
        bytes.extend(segment_tail(length as u64, &recovered.index));
        for cut in length..bytes.len() {
            let segment = segment(&bytes[..cut]);
            assert!(
                !segment.is_closed() && segment.index().unwrap().is_none(),
                "cut at {cut}"
            );
            let again = segment.recover().unwrap();
            // This few bytes may begin an index or a record.
            let torn = if cut - length < 4 {
                (cut - length) as u64
            } else {
                0
            };
            assert!(
                again
                    == Recovered {
                        torn,
                        ..recovered.clone()
                    },
                "cut at {cut}"
            );
            assert_eq!(segment.records().count(), 2, "cut at {cut}");
        }
        // A damaged index is ignored, and the records are read.
        for at in length..bytes.len() - END_LEN {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let segment = segment(&damaged);
            assert!(
                segment.is_closed() && segment.index().unwrap().is_none(),
                "byte {at}"
            );
            assert_eq!(segment.records().count(), 2, "byte {at}");
        }
    }

    /// A changed byte costs only its own record, or is detected when the ledger is read.
    #[test]
    fn a_damaged_byte_costs_one_record() {
        let mut bytes = segment_header("test");
        let start = bytes.len();
        let mut ends = Vec::new();
        for number in 0..4 {
            bytes.extend(record(number));
            ends.push(bytes.len());
        }
        for at in start..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let hit = ends.iter().position(|end| at < *end).unwrap() as u64;
            let segment = segment(&damaged);
            let sound: Vec<u64> = segment
                .records()
                .map(Result::unwrap)
                .filter(|located| segment.ledger(located).is_ok())
                .map(|located| located.entry.time - 1_000)
                .collect();
            assert_eq!(
                sound,
                (0..4).filter(|number| *number != hit).collect::<Vec<_>>(),
                "byte {at}"
            );
            // Everything but a torn write stays.
            let begin = if hit == 0 {
                start
            } else {
                ends[hit as usize - 1]
            };
            let recovered = segment.recover().unwrap();
            let damaged = (ends[hit as usize] - begin) as u64;
            assert_eq!(
                (recovered.keep, recovered.damaged),
                (bytes.len() as u64, damaged),
                "byte {at}"
            );
            assert_eq!((recovered.torn, recovered.records), (0, 3), "byte {at}");
        }
    }

    /// The ledger of a damaged record contains forged heads that claim the records after it, or more bytes than there are.
    #[test]
    fn forged_heads_in_a_damaged_record_hide_no_other() {
        let far = segment_record(&entry(8), &vec![b'x'; 2 << 20]).unwrap();
        let over_next = segment_record(&entry(7), &[b'x'; 700]).unwrap();
        let forged = [
            &b"text"[..],
            &record(9),
            &far[..200],
            &over_next[..over_next.len() - 700],
            b"text",
        ]
        .concat();
        // Three records of one length: a damaged length can lead from one to another.
        let whole = |number: u64, ledger: &[u8]| {
            let entry = IndexEntry {
                time: 1_000 + number,
                ..entry(1)
            };
            segment_record(&entry, ledger).unwrap()
        };
        let length = 1 << 10;
        let head = whole(0, b"").len();
        let ledgers = [
            [&forged[..], &vec![b'a'; length - head - forged.len()]].concat(),
            vec![b'b'; length - head],
            vec![b'c'; length - head],
            vec![b'd'; length - head],
        ];
        let header = segment_header("test");
        let mut bytes = header.clone();
        for (number, ledger) in ledgers.iter().enumerate() {
            bytes.extend(whole(number as u64, ledger));
        }
        let records = bytes.len();
        let index = segment(&bytes).recover().unwrap().index;
        for closed in [false, true] {
            if closed {
                bytes.extend(segment_tail(records as u64, &index));
            }
            for at in header.len()..records {
                for flip in [0x04, 0x55] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    let segment = segment(&damaged);
                    let found: Vec<u64> = segment
                        .records()
                        .map(Result::unwrap)
                        .filter(|located| segment.ledger(located).is_ok())
                        .map(|located| located.entry.time - 1_000)
                        .collect();
                    let hit = ((at - header.len()) / length) as u64;
                    for number in (0..4).filter(|number| *number != hit) {
                        assert!(found.contains(&number), "byte {at} {flip:x}: {found:?}");
                    }
                    // Only damaged lengths require a search.
                    let within = (at - header.len()) % length;
                    if !(4..16).contains(&within) {
                        let forged = found.iter().filter(|number| **number > 3);
                        assert_eq!(forged.count(), 0, "byte {at} {flip:x}: {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_crosses_windows() {
        let mut bytes = segment_header("test");
        bytes.extend(record(1));
        // False beginnings of records. The next record begins near the end of a window.
        for gap in [WINDOW - 3, WINDOW, WINDOW + 3, 3 * WINDOW] {
            let mut damaged = bytes.clone();
            damaged.extend(RECORD.repeat(gap / 4));
            damaged.extend(record(2));
            let segment = segment(&damaged);
            let mut records = segment.records();
            assert_eq!(
                records
                    .by_ref()
                    .map(|r| r.unwrap().entry.time - 1_000)
                    .collect::<Vec<_>>(),
                [1, 2]
            );
            assert_eq!(records.skipped(), (gap / 4 * 4) as u64);
        }
    }

    #[test]
    fn other_files_are_rejected() {
        let open = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            Segment::open(file).unwrap_err()
        };
        assert!(matches!(open(b""), LedgerError::NotALedger));
        assert!(matches!(open(&ledger(1)), LedgerError::NotALedger));
        let mut other = segment_header("test");
        other[8] = 2;
        assert!(matches!(open(&other), LedgerError::Version(2)));
        let mut damaged = segment_header("test");
        damaged[14] ^= 1;
        assert!(matches!(open(&damaged), LedgerError::Damaged(_)));
    }

    #[test]
    fn overlong_entry_drops_recipients_and_keeps_their_count() {
        let many = IndexEntry {
            recipients: vec![vec![b'a'; 2 << 20]],
            recipient_count: 1,
            ..entry(5)
        };
        let bytes = [
            segment_header("test"),
            segment_record(&many, &ledger(5)).unwrap(),
        ]
        .concat();
        let segment = segment(&bytes);
        let located = segment.records().next().unwrap().unwrap();
        assert!(!located.entry.has_all_recipients() && located.entry.queue_id == b"4F5");
        let (message, note) = read_whole(&segment.ledger(&located).unwrap()).unwrap();
        assert_eq!(
            (&message[..10], &note[..]),
            (&b"Subject: 5"[..], &b"{}"[..])
        );
    }

    /// Every record that can be built can be read.
    #[test]
    fn record_with_overlong_entry_is_rejected() {
        let rest = entry(5).encode().len() - entry(5).queue_id.len();
        // The length takes two more bytes.
        let longest = MAX_ENTRY - rest - 2;
        for length in [0, 1_000, longest - 1, longest, longest + 1, 70_000, 5 << 20] {
            for sender in [false, true] {
                let mut long = IndexEntry {
                    queue_id: vec![b'a'; length],
                    ..entry(5)
                };
                if sender {
                    long.sender = Some(std::mem::take(&mut long.queue_id));
                }
                match segment_record(&long, &ledger(5)) {
                    Ok(record) => {
                        let bytes = [segment_header("test"), record].concat();
                        let segment = segment(&bytes);
                        let located = segment.record_at(segment.start).unwrap();
                        assert_eq!(
                            (&located.entry.queue_id, &located.entry.sender),
                            (&long.queue_id, &long.sender)
                        );
                    }
                    Err(error) => {
                        assert!(length > longest, "{length}");
                        assert_eq!(error.kind(), ErrorKind::InvalidInput);
                    }
                }
            }
        }
    }
}
