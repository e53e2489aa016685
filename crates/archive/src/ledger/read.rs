//! Verifies and replays a ledger.

use super::record::{self, Record};
use super::varint::Cursor;
use super::{
    Archived, BLOCK, BLOCK_HEADER_LEN, END_MAGIC, FOOTER, Footer, HEADER_LEN, MAGIC, MAX_BLOCK,
    TRAILER_LEN, VERSION,
};
use crate::error::words;
use crate::source::Format;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Reasons why a ledger cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LedgerError {
    /// An I/O error.
    Io(io::Error),
    /// The file is not a ledger.
    NotALedger,
    /// A ledger of an unsupported version.
    Version(u32),
    /// The ledger is truncated or its bytes were changed. Says how that was found.
    Damaged(&'static str),
    /// A record needs more bytes than the output has left.
    Beyond,
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => f.write_str(&words(error)),
            Self::NotALedger => f.write_str("the file does not begin as a ledger does"),
            Self::Version(version) => {
                write!(
                    f,
                    "ledger version {version} is not known here (known: {VERSION})"
                )
            }
            Self::Damaged(what) => write!(f, "the ledger is damaged: {what}"),
            Self::Beyond => f.write_str("the ledger takes more of an output than is there"),
        }
    }
}

impl std::error::Error for LedgerError {}

impl From<io::Error> for LedgerError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early"),
            _ => Self::Io(error),
        }
    }
}

/// A verified ledger, ready to be replayed.
#[derive(Debug)]
pub struct Ledger<R = File> {
    file: BufReader<R>,
    footer: Footer,
    read: u64,
    frame: Vec<u8>,
}

impl Ledger {
    /// Opens a ledger, verifies its digest and reads its footer.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        Self::read(crate::open_input::open(path)?)
    }
}

impl<R: Read + Seek> Ledger<R> {
    /// Verifies the digest of a ledger and reads its footer.
    pub fn read(mut file: R) -> Result<Self, LedgerError> {
        let total = verify(&mut file)?;
        let footer = find_footer(&mut file, total)?;
        file.seek(SeekFrom::Start(HEADER_LEN as u64))?;
        Ok(Self {
            file: BufReader::with_capacity(1 << 16, file),
            footer,
            read: 0,
            frame: Vec::new(),
        })
    }

    /// Returns the footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Fills `block` with the next block. Returns false after the last.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool, LedgerError> {
        block.clear();
        if self.read == self.footer.blocks {
            return Ok(false);
        }
        let header = read_block_header(&mut self.file)?;
        self.frame.clear();
        (&mut self.file)
            .take(header.stored)
            .read_to_end(&mut self.frame)?;
        if self.frame.len() as u64 != header.stored
            || blake3::hash(&self.frame).as_bytes()[..8] != header.checksum
        {
            return Err(LedgerError::Damaged("a block's checksum differs"));
        }
        // The length in the block header bounds decompression, whatever the frame claims.
        zstd::stream::read::Decoder::with_buffer(&self.frame[..])?
            .take(header.raw + 1)
            .read_to_end(&mut block.payload)?;
        if block.payload.len() as u64 != header.raw {
            return Err(LedgerError::Damaged("a block has another length"));
        }
        let mut cursor = Cursor(&block.payload);
        let split = cursor.number().filter(|&len| len <= cursor.0.len() as u64);
        let Some(split) = split else {
            return Err(LedgerError::Damaged("a block's records end outside it"));
        };
        block.records = block.payload.len() - cursor.0.len();
        block.residues = block.records + split as usize;
        self.read += 1;
        Ok(true)
    }
}

/// The records of one block.
#[derive(Debug, Default)]
pub struct Block {
    payload: Vec<u8>,
    records: usize,
    residues: usize,
}

impl Block {
    /// Returns its records in order. An error ends the iteration.
    pub fn records(&self) -> Records<'_> {
        Records {
            records: Cursor(&self.payload[self.records..self.residues]),
            residues: Cursor(&self.payload[self.residues..]),
        }
    }

    fn clear(&mut self) {
        self.payload.clear();
        self.payload.shrink_to(8 << 20);
        (self.records, self.residues) = (0, 0);
    }
}

/// Iterator over the records of a block. An error ends the iteration.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    records: Cursor<'a>,
    residues: Cursor<'a>,
}

impl<'a> Records<'a> {
    /// Returns the next record, if `left` bytes of the current output file are unused (`u64::MAX`: unknown).
    ///
    /// This bounds what a record can cost: a message that needs more is [`LedgerError::Beyond`], before any of it is decoded.
    pub fn next_within(&mut self, left: u64) -> Option<Result<Record<'a>, LedgerError>> {
        if self.records.0.is_empty() {
            return None;
        }
        let takes = if left == u64::MAX {
            None
        } else {
            record::message_takes(self.records)
        };
        let record = if takes.is_some_and(|takes| takes > u128::from(left)) {
            Err(LedgerError::Beyond)
        } else {
            let record = record::decode(&mut self.records, &mut self.residues);
            record.ok_or(LedgerError::Damaged("a record cannot be read"))
        };
        if record.is_err() {
            self.records = Cursor(&[]);
        }
        Some(record)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_within(u64::MAX)
    }
}

/// Verifies magic, version, length and digest. Returns the length in bytes.
fn verify(file: &mut (impl Read + Seek)) -> Result<u64, LedgerError> {
    let total = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut header = [0; HEADER_LEN];
    let header_read = read_up_to(file, &mut header)?;
    if header_read < MAGIC.len() || header[..MAGIC.len()] != MAGIC {
        return Err(LedgerError::NotALedger);
    }
    if header_read < HEADER_LEN || total < (HEADER_LEN + TRAILER_LEN) as u64 {
        return Err(LedgerError::Damaged("it ends too early"));
    }
    let version = le32(&header[MAGIC.len()..]);
    if version != VERSION {
        return Err(LedgerError::Version(version));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header);
    let hashed = total - 32 - END_MAGIC.len() as u64;
    let mut buffer = vec![0; 1 << 16];
    let mut left = hashed - HEADER_LEN as u64;
    let mut tail = [0; 8];
    while left > 0 {
        let want = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..want])?;
        hasher.update(&buffer[..want]);
        left -= want as u64;
        // The last eight bytes before the digest may span two reads.
        let keep = want.min(8);
        tail.copy_within(keep.., 0);
        tail[8 - keep..].copy_from_slice(&buffer[want - keep..want]);
    }
    let mut end = [0; 32 + END_MAGIC.len()];
    file.read_exact(&mut end)?;
    if end[32..] != END_MAGIC {
        return Err(LedgerError::Damaged("its end is missing"));
    }
    if u64::from_le_bytes(tail) != total {
        return Err(LedgerError::Damaged("it has another length than it says"));
    }
    if hasher.finalize() != <[u8; 32]>::try_from(&end[..32]).unwrap_or_default() {
        return Err(LedgerError::Damaged("its digest differs"));
    }
    Ok(total)
}

/// Skips the blocks and reads the footer.
fn find_footer(file: &mut (impl Read + Seek), total: u64) -> Result<Footer, LedgerError> {
    file.seek(SeekFrom::Start(HEADER_LEN as u64))?;
    let mut reader = BufReader::new(file);
    let mut at = HEADER_LEN as u64;
    let end = total - TRAILER_LEN as u64;
    let mut blocks = 0;
    loop {
        let mut tag = [0];
        reader.read_exact(&mut tag)?;
        if tag[0] == FOOTER {
            break;
        }
        reader.seek_relative(-1)?;
        let header = read_block_header(&mut reader)?;
        at += BLOCK_HEADER_LEN as u64 + header.stored;
        if at > end {
            return Err(LedgerError::Damaged("a block goes beyond the end"));
        }
        reader.seek_relative(header.stored as i64)?;
        blocks += 1;
    }
    let mut len = [0; 4];
    reader.read_exact(&mut len)?;
    let len = u64::from(le32(&len));
    if at + 5 + len != end {
        return Err(LedgerError::Damaged("the footer has another length"));
    }
    let mut bytes = Vec::new();
    reader.take(len).read_to_end(&mut bytes)?;
    match decode_footer(&bytes) {
        Some(footer) if footer.blocks == blocks => Ok(footer),
        Some(_) => Err(LedgerError::Damaged("a block is missing")),
        None => Err(LedgerError::Damaged("the footer cannot be read")),
    }
}

struct BlockHeader {
    stored: u64,
    raw: u64,
    checksum: [u8; 8],
}

fn read_block_header(reader: &mut impl Read) -> Result<BlockHeader, LedgerError> {
    let mut bytes = [0; BLOCK_HEADER_LEN];
    reader.read_exact(&mut bytes)?;
    if bytes[0] != BLOCK {
        return Err(LedgerError::Damaged("a block is expected"));
    }
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&bytes[9..]);
    let header = BlockHeader {
        stored: u64::from(le32(&bytes[1..])),
        raw: u64::from(le32(&bytes[5..])),
        checksum,
    };
    if header.raw > MAX_BLOCK {
        return Err(LedgerError::Damaged("a block is too large"));
    }
    Ok(header)
}

fn decode_footer(bytes: &[u8]) -> Option<Footer> {
    let mut cursor = Cursor(bytes);
    let producer = String::from_utf8(cursor.counted()?.to_vec()).ok()?;
    let blocks = cursor.number()?;
    let set_aside = cursor.number()?;
    let alone = flag(&mut cursor)?;
    let sources = decode_archives(&mut cursor)?;
    let outputs = decode_archives(&mut cursor)?;
    let whole =
        cursor.0.is_empty() && sources.len() == outputs.len() && (!alone || sources.len() == 1);
    whole.then_some(Footer {
        producer,
        sources,
        outputs,
        alone,
        set_aside,
        blocks,
    })
}

fn decode_archives(cursor: &mut Cursor<'_>) -> Option<Vec<Archived>> {
    let mut archives = Vec::new();
    for _ in 0..cursor.number()? {
        archives.push(Archived {
            name: cursor.counted()?.to_vec(),
            format: match cursor.byte()? {
                0 => Format::Mbox,
                1 => Format::Maildir,
                2 => Format::EmlTree,
                3 => Format::Eml,
                _ => return None,
            },
            folder: flag(cursor)?,
            messages: cursor.number()?,
            bytes: cursor.number()?,
            blake3: cursor.bytes(32)?.try_into().ok()?,
        });
    }
    Some(archives)
}

fn flag(cursor: &mut Cursor<'_>) -> Option<bool> {
    match cursor.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Decodes the first four bytes. The callers' slices are longer.
fn le32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
