//! The data of a part: the results of the loop, batch by batch, as the sink of a normalization takes them.
//!
//! ```text
//! batch = 'B' | written | length, bytes of the output | number of items, items | number, blocks of the ledger | number, set-aside messages
//! item  = start, length, more, time, length, name
//! time  = 0 for none, else 1, or 2 before 1970 | seconds from 1970 | nanoseconds
//! files = 'F' | length, records of the files of a folder, as `hash` hashes them
//! ```
//!
//! All numbers are 64 bits, lowest byte first. A block or message has its length before it. The records follow the batches of a part
//! of a folder.
//!
//! # Limits
//!
//! A batch is in memory as a whole, as in the loop.

use crate::hash::hex;
use crate::raw_blocks::{RAW_PIECE, raw_blocks};
use crate::rewrite::RewrittenBatch;
use mailglot_archive::{OutBatch, OutItem};
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const BATCH: u8 = b'B';
const FILES: u8 = b'F';
/// Largest length that is allocated before its bytes are read.
const STEP: usize = 1 << 20;

/// Writes batches and hashes them.
pub(super) struct PartWriter<W> {
    out: W,
    hasher: blake3::Hasher,
    pub(super) length: u64,
    head: Vec<u8>,
}

impl<W: Write> PartWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            hasher: blake3::Hasher::new(),
            length: 0,
            head: Vec::new(),
        }
    }

    /// Appends a batch.
    pub(super) fn batch(&mut self, batch: &RewrittenBatch) -> io::Result<()> {
        let number = |out: &mut Vec<u8>, number: u64| out.extend(number.to_le_bytes());
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        head.push(BATCH);
        number(&mut head, batch.written);
        number(&mut head, batch.out.length());
        self.put(&head)?;
        self.output(&batch.out)?;
        head.clear();
        number(&mut head, batch.out.items.len() as u64);
        // Ranges of the input become bytes of the output.
        let mut inserted = 0;
        for item in &batch.out.items {
            let more: usize = item.inserts.iter().map(|insert| insert.source.len()).sum();
            number(&mut head, (item.span.start + inserted) as u64);
            number(&mut head, (item.span.len() + more) as u64);
            inserted += more;
            number(&mut head, u64::from(item.more));
            for part in time_numbers(item.modified) {
                number(&mut head, part);
            }
            number(&mut head, item.name.len() as u64);
            head.extend_from_slice(&item.name);
        }
        self.put(&head)?;
        self.blocks(batch)?;
        self.put(&(batch.aside.len() as u64).to_le_bytes())?;
        for message in &batch.aside {
            self.counted(message)?;
        }
        self.head = head;
        Ok(())
    }

    /// Appends the bytes of the output, which the items tile.
    fn output(&mut self, out: &OutBatch) -> io::Result<()> {
        if !out.has_inserts() {
            return self.put(&out.bytes);
        }
        let mut slices = out.items.iter().flat_map(|item| out.slices(item));
        slices.try_for_each(|slice| self.put(slice?))
    }

    /// Appends the blocks of the ledger.
    fn blocks(&mut self, batch: &RewrittenBatch) -> io::Result<()> {
        let alone = batch.ledger_only.clone();
        let alone =
            alone.map(|(kind, span)| (kind, batch.out.source.get(span).unwrap_or_default()));
        let count = alone.map_or(0, |(_, bytes)| bytes.len().div_ceil(RAW_PIECE));
        let blocks = batch.blocks.iter().chain([&batch.block]);
        self.put(&((batch.blocks.len() + 1 + count) as u64).to_le_bytes())?;
        for block in blocks {
            self.counted(block)?;
        }
        match alone {
            Some((kind, bytes)) => raw_blocks(kind, bytes, |block| self.counted(block)),
            None => Ok(()),
        }
    }

    fn counted(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(&(bytes.len() as u64).to_le_bytes())?;
        self.put(bytes)
    }

    /// Appends the records of the files of a folder.
    pub(super) fn files(&mut self, records: &[u8]) -> io::Result<()> {
        self.put(&[FILES])?;
        self.counted(records)
    }

    /// Returns the inner writer, and the digest in hexadecimal.
    pub(super) fn finish(mut self) -> io::Result<(W, String)> {
        self.out.flush()?;
        Ok((self.out, hex(self.hasher.finalize().as_bytes())))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// Reads batches and hashes them.
pub(super) struct PartReader<R> {
    input: R,
    hasher: blake3::Hasher,
}

impl<R: Read> PartReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            hasher: blake3::Hasher::new(),
        }
    }

    /// Reads the next batch.
    ///
    /// # Errors
    /// The data end inside a batch, or are no batch.
    pub(super) fn batch(&mut self, batch: &mut RewrittenBatch) -> io::Result<()> {
        batch.clear();
        self.tag(BATCH)?;
        batch.written = self.number()?;
        self.bytes(&mut batch.out.bytes)?;
        let length = batch.out.bytes.len();
        for _ in 0..self.number()? {
            let (start, size) = (self.number()? as usize, self.number()? as usize);
            let end = start.checked_add(size).filter(|end| *end <= length);
            let more = self.number()? != 0;
            let time = [self.number()?, self.number()?, self.number()?];
            let mut name = Vec::new();
            self.bytes(&mut name)?;
            batch.out.items.push(OutItem {
                span: start..end.ok_or(ErrorKind::InvalidData)?,
                inserts: Vec::new(),
                name,
                more,
                modified: time_of(time)?,
            });
        }
        for _ in 1..self.number()? {
            let mut block = Vec::new();
            self.bytes(&mut block)?;
            batch.blocks.push(block);
        }
        self.bytes(&mut batch.block)?;
        for _ in 0..self.number()? {
            let mut message = Vec::new();
            self.bytes(&mut message)?;
            batch.aside.push(message);
        }
        Ok(())
    }

    /// Returns true if nothing follows, and the digest of all data in hexadecimal.
    pub(super) fn finish(mut self) -> io::Result<(bool, String)> {
        let ended = self.input.read(&mut [0])? == 0;
        Ok((ended, hex(self.hasher.finalize().as_bytes())))
    }

    /// Reads the records of the files of a folder.
    ///
    /// # Errors
    /// The data end inside them, or are something else.
    pub(super) fn files(&mut self) -> io::Result<Vec<u8>> {
        self.tag(FILES)?;
        let mut records = Vec::new();
        self.bytes(&mut records)?;
        Ok(records)
    }

    fn tag(&mut self, expected: u8) -> io::Result<()> {
        let mut tag = [0];
        self.fill(&mut tag)?;
        if tag != [expected] {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(())
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a length and as many bytes. Memory grows with what is there, not with what the length says.
    fn bytes(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut left = self.number()?;
        while left > 0 {
            let start = out.len();
            let step = left.min(STEP.max(start) as u64) as usize;
            out.resize(start + step, 0);
            self.input.read_exact(&mut out[start..])?;
            self.hasher.update(&out[start..]);
            left -= step as u64;
        }
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.hasher.update(bytes);
        Ok(())
    }
}

/// Returns the numbers of a time.
fn time_numbers(time: Option<SystemTime>) -> [u64; 3] {
    let Some(time) = time else { return [0; 3] };
    let (sign, from) = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (1, after),
        Err(before) => (2, before.duration()),
    };
    [sign, from.as_secs(), u64::from(from.subsec_nanos())]
}

/// Returns the time of [`time_numbers`].
fn time_of([sign, seconds, nanoseconds]: [u64; 3]) -> io::Result<Option<SystemTime>> {
    let from = Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanoseconds));
    let from = from.ok_or(ErrorKind::InvalidData)?;
    let time = match sign {
        0 => return Ok(None),
        1 => UNIX_EPOCH.checked_add(from),
        _ => UNIX_EPOCH.checked_sub(from),
    };
    time.map(Some).ok_or_else(|| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::SourceInsert;
    use mailglot_archive::ledger::RawKind;

    fn batch(size: usize) -> RewrittenBatch {
        RewrittenBatch {
            out: OutBatch {
                bytes: vec![b'x'; size],
                source: Vec::new(),
                items: vec![OutItem {
                    span: 0..size,
                    inserts: Vec::new(),
                    name: b"cur/1".to_vec(),
                    more: true,
                    modified: UNIX_EPOCH.checked_add(Duration::from_millis(1_700_000_000_123)),
                }],
            },
            written: 3,
            blocks: vec![vec![4], Vec::new()],
            block: vec![1, 2, 3],
            ledger_only: None,
            aside: vec![b"aside".to_vec(), Vec::new()],
        }
    }

    #[test]
    fn ranges_of_the_input_become_bytes() {
        let mut large = batch(4);
        large.out.source = b"0123456789".to_vec();
        large.out.items[0].span = 0..3;
        large.out.items[0].inserts = vec![SourceInsert {
            at: 1,
            source: 2..5,
        }];
        large.out.items.push(OutItem {
            span: 3..4,
            inserts: vec![SourceInsert {
                at: 4,
                source: 9..10,
            }],
            name: b"cur/2".to_vec(),
            more: false,
            modified: UNIX_EPOCH.checked_sub(Duration::from_millis(1_500)),
        });
        large.ledger_only = Some((RawKind::Dropped, 0..10));
        let mut writer = PartWriter::new(Vec::new());
        writer.batch(&large).unwrap();
        let (bytes, _) = writer.finish().unwrap();
        let mut again = RewrittenBatch::default();
        PartReader::new(&bytes[..]).batch(&mut again).unwrap();
        assert_eq!(again.out.bytes, b"x234xxx9");
        let spans: Vec<_> = again
            .out
            .items
            .iter()
            .map(|item| item.span.clone())
            .collect();
        assert_eq!(spans, [0..6, 6..8]);
        for (item, large) in again.out.items.iter().zip(&large.out.items) {
            assert!(item.modified.is_some() && item.modified == large.modified);
        }
        let mut blocks = Vec::new();
        raw_blocks(RawKind::Dropped, b"0123456789", |block| {
            blocks.push(block.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(again.blocks, [vec![4], Vec::new(), vec![1, 2, 3]]);
        assert_eq!([again.block], blocks[..]);
    }

    #[test]
    fn batches_are_read_as_they_were_written() {
        let mut writer = PartWriter::new(Vec::new());
        let batches = [batch(0), batch(5), batch(3 << 20)];
        for batch in &batches {
            writer.batch(batch).unwrap();
        }
        writer.files(b"records").unwrap();
        let (bytes, digest) = writer.finish().unwrap();
        let mut reader = PartReader::new(&bytes[..]);
        let mut again = RewrittenBatch::default();
        for batch in &batches {
            reader.batch(&mut again).unwrap();
            assert_eq!(format!("{again:?}"), format!("{batch:?}"));
        }
        assert_eq!(reader.files().unwrap(), b"records");
        assert_eq!(reader.finish().unwrap(), (true, digest));
        // Every truncation is noticed, and every length that is too large.
        for end in [0, 1, 9, 17, 30, bytes.len() - 1] {
            let mut reader = PartReader::new(&bytes[..end]);
            let is_cut = (0..3).any(|_| reader.batch(&mut again).is_err());
            assert!(is_cut || reader.files().is_err(), "{end}");
        }
        let mut huge = bytes.clone();
        huge[9..17].fill(0xff);
        assert!(PartReader::new(&huge[..]).batch(&mut again).is_err());
    }
}
