//! Builds blocks and writes ledger files.

use super::record::{self, Record};
use super::varint::{put, put_counted};
use super::{Archived, BLOCK, END_MAGIC, FOOTER, Footer, MAGIC, MAX_BLOCK, VERSION};
use crate::source::Format;
use std::io::{self, Write};
use zstd::bulk::Compressor;

/// Level 1: writing the ledger must not take longer than converting the mail.
const LEVEL: i32 = 1;

/// Collects the records of one batch and encodes them as a block. One per worker, empty again after each block.
pub struct BlockBuilder {
    records: Vec<u8>,
    residues: Vec<u8>,
    payload: Vec<u8>,
    frame: Vec<u8>,
    compressor: Compressor<'static>,
    same: (u64, u64),
}

impl BlockBuilder {
    /// Creates an empty builder.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            records: Vec::new(),
            residues: Vec::new(),
            payload: Vec::new(),
            frame: Vec::new(),
            compressor: Compressor::new(LEVEL)?,
            same: (0, 0),
        })
    }

    /// Adds a record. Adjacent runs of unchanged entries become one.
    pub fn push(&mut self, record: &Record<'_>) {
        if let Record::Same { messages, bytes } = record {
            self.same.0 += messages;
            self.same.1 += bytes;
            return;
        }
        self.end_run();
        record::encode(record, &mut self.records, &mut self.residues);
    }

    /// Appends the finished block to `out` and begins the next. Appends nothing if there are no records.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.end_run();
        if self.records.is_empty() {
            return Ok(());
        }
        self.payload.clear();
        put(&mut self.payload, self.records.len() as u64);
        self.payload.append(&mut self.records);
        self.payload.append(&mut self.residues);
        let raw = self.payload.len() as u64;
        if raw > MAX_BLOCK {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a ledger block would be too large",
            ));
        }
        self.frame.clear();
        self.frame
            .reserve(zstd::zstd_safe::compress_bound(self.payload.len()));
        self.compressor
            .compress_to_buffer(&self.payload, &mut self.frame)?;
        let frame = &self.frame;
        out.push(BLOCK);
        out.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        out.extend_from_slice(&(raw as u32).to_le_bytes());
        out.extend_from_slice(&blake3::hash(frame).as_bytes()[..8]);
        out.extend_from_slice(frame);
        // The largest message must not keep its memory for the rest of the job.
        for buffer in [
            &mut self.records,
            &mut self.residues,
            &mut self.payload,
            &mut self.frame,
        ] {
            buffer.clear();
            buffer.shrink_to(4 << 20);
        }
        Ok(())
    }

    fn end_run(&mut self) {
        let (messages, bytes) = std::mem::take(&mut self.same);
        if messages > 0 || bytes > 0 {
            let run = Record::Same { messages, bytes };
            record::encode(&run, &mut self.records, &mut self.residues);
        }
    }
}

impl std::fmt::Debug for BlockBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockBuilder")
            .field("records", &self.records.len())
            .field("residues", &self.residues.len())
            .finish_non_exhaustive()
    }
}

/// Writes a ledger front to back.
#[derive(Debug)]
pub struct LedgerWriter<W> {
    out: W,
    hasher: blake3::Hasher,
    length: u64,
    blocks: u64,
}

impl<W: Write> LedgerWriter<W> {
    /// Writes the header.
    pub fn new(out: W) -> io::Result<Self> {
        let mut writer = Self {
            out,
            hasher: blake3::Hasher::new(),
            length: 0,
            blocks: 0,
        };
        writer.put(&MAGIC)?;
        writer.put(&VERSION.to_le_bytes())?;
        Ok(writer)
    }

    /// Appends a block built by [`BlockBuilder::finish`]. Ignores empty bytes.
    pub fn block(&mut self, block: &[u8]) -> io::Result<()> {
        self.blocks += u64::from(!block.is_empty());
        self.put(block)
    }

    /// Writes footer, length and digest. Returns the inner writer and the length of the ledger in bytes.
    pub fn finish(mut self, footer: &Footer) -> io::Result<(W, u64)> {
        let mut bytes = Vec::new();
        encode_footer(footer, self.blocks, &mut bytes);
        self.put(&[FOOTER])?;
        self.put(&(bytes.len() as u32).to_le_bytes())?;
        self.put(&bytes)?;
        let total = self.length + super::TRAILER_LEN as u64;
        self.put(&total.to_le_bytes())?;
        let digest = self.hasher.finalize();
        self.out.write_all(digest.as_bytes())?;
        self.out.write_all(&END_MAGIC)?;
        self.out.flush()?;
        Ok((self.out, total))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn encode_footer(footer: &Footer, blocks: u64, out: &mut Vec<u8>) {
    put_counted(out, footer.producer.as_bytes());
    put(out, blocks);
    put(out, footer.set_aside);
    out.push(u8::from(footer.alone));
    for archives in [&footer.sources, &footer.outputs] {
        put(out, archives.len() as u64);
        for archive in archives {
            encode_archived(archive, out);
        }
    }
}

fn encode_archived(archive: &Archived, out: &mut Vec<u8>) {
    put_counted(out, &archive.name);
    out.push(match archive.format {
        Format::Mbox => 0,
        Format::Maildir => 1,
        Format::EmlTree => 2,
        Format::Eml => 3,
    });
    out.push(u8::from(archive.folder));
    put(out, archive.messages);
    put(out, archive.bytes);
    out.extend_from_slice(&archive.blake3);
}
