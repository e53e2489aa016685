//! Opens a segment, and reads one record of it.
//!
//! # Limits
//! An index does not reveal damage of its records.

use super::write::{END_LEN, MAGIC, MAX_ENTRY, segment_end};
use crate::ledger::index_entry::IndexEntry;
use crate::ledger::record_bytes::{CHECK, DIGEST, RECORD, RECORD_HEADER, checksum};
use crate::ledger::segment_index;
use crate::ledger::varint::Cursor;
use crate::ledger::{LedgerError, VERSION};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Bytes per read of a scan.
pub(super) const WINDOW: usize = 256 << 10;

/// A segment opened for reading.
#[derive(Debug)]
pub struct Segment {
    pub(super) file: File,
    /// Offset of the first record.
    pub(super) start: u64,
    /// Offset that no record exceeds.
    pub(super) end: u64,
    /// Byte range of the index. Empty without an index.
    pub(super) index: Range<u64>,
    pub(super) closed: bool,
}

/// The position of a record in its segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedRecord {
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

    /// Returns the record that begins at `offset`.
    ///
    /// # Errors
    /// The file cannot be read, or no intact record begins there.
    pub fn record_at(&self, offset: u64) -> Result<LocatedRecord, LedgerError> {
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
    pub fn ledger(&self, located: &LocatedRecord) -> Result<Vec<u8>, LedgerError> {
        // `parse` checked that the ledger ends within the file.
        let mut bytes = vec![0; (located.ledger.end - located.ledger.start) as usize];
        self.file.read_exact_at(&mut bytes, located.ledger.start)?;
        if blake3::hash(&bytes).as_bytes()[..DIGEST] != located.digest {
            return Err(LedgerError::Damaged("the digest of a record differs"));
        }
        Ok(bytes)
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
    pub(super) fn parse(&self, window: &mut SegmentWindow, offset: u64) -> io::Result<Parsed> {
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
            Parsed::Whole(LocatedRecord {
                entry,
                offset,
                ledger: start..end,
                digest,
            })
        }))
    }
}

/// The item that begins at an offset of a segment.
pub(super) enum Parsed {
    /// A record whose head is intact and whose ledger is in the segment.
    Whole(LocatedRecord),
    /// A record whose head is intact and whose ledger ends beyond the segment: a truncated write, or one in progress.
    Torn,
    /// No intact head of a record.
    Nothing,
}

/// A part of a segment in memory.
#[derive(Debug, Default)]
pub(super) struct SegmentWindow {
    start: u64,
    bytes: Vec<u8>,
}

impl SegmentWindow {
    /// Returns the bytes at `offset` that are in memory. Reads more if they are too few for the head of a record.
    pub(super) fn rest(&mut self, segment: &Segment, offset: u64) -> io::Result<&[u8]> {
        self.bytes(segment, offset, RECORD.len())?;
        Ok(&self.bytes[(offset - self.start) as usize..])
    }

    /// Returns `count` bytes at `offset`, or fewer at the end of the records.
    pub(super) fn bytes(
        &mut self,
        segment: &Segment,
        offset: u64,
        count: usize,
    ) -> io::Result<&[u8]> {
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
