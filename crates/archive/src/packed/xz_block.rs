//! Decodes one block of an xz stream, up to the byte where the file ends or is damaged.
//!
//! `XzReader` of lzma-rust2 reads the data of a chunk as a whole, up to 64 KiB. It returns nothing of a chunk that was cut, which may be
//! 2 MiB of output. `XzStream` returns what can be decoded. Apart from that, output, steps and offsets are those of `XzReader`.
//!
//! # Limits
//! Decodes blocks with one filter, LZMA2. Leaves others, and the index, to `XzReader`.

use std::io::{self, BufRead, Read};

use lzma_rust2::{Action, XzStream};

use super::input::LookaheadReader;
use super::lzma2_chunks::{STORED_HEADER, chunk_len};
use super::xz_format::{BlockCheck, xz_stream};

/// Compressed bytes to decode at once. Their output is lost if they are damaged.
const PIECE: usize = 512;
/// Largest number of bytes that a symbol of LZMA has, as lzma-rust2 counts.
const LONGEST_SYMBOL: usize = 20;
/// Largest length of the header of a chunk.
const CHUNK_HEADER: usize = 6;

/// Decodes a block. The file stands at the next byte that was not needed so far.
pub(super) struct XzBlockDecoder {
    stream: XzStream,
    check: BlockCheck,
    segment: BlockSegment,
    /// Bytes of the segment that were not consumed.
    left: usize,
    /// True if a byte of the segment was consumed.
    is_begun: bool,
    /// Number of bytes of the block that were consumed.
    read: usize,
    /// Output before `failure` that was not returned yet.
    rest: Vec<u8>,
    /// An error that was met after output.
    failure: Option<io::Error>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockSegment {
    BlockHeader,
    CompressedChunk,
    /// A chunk that is not compressed, of this length.
    StoredChunk(usize),
    EndMarker,
    /// Padding and checksum.
    Trailer,
    /// Bytes that are no chunk, or less than the header of one.
    Invalid,
}

impl XzBlockDecoder {
    /// Starts at the header of a block, which has `header` bytes.
    pub(super) fn new(check: BlockCheck, header: usize) -> io::Result<Self> {
        let mut stream = xz_stream();
        stream.process(&check.stream_header(), &mut [], Action::Run)?;
        Ok(Self {
            stream,
            check,
            segment: BlockSegment::BlockHeader,
            left: header,
            is_begun: false,
            read: 0,
            rest: Vec::new(),
            failure: None,
        })
    }

    /// Returns the number of the next bytes of the file that are needed. `XzReader` reads the data of a compressed chunk at once.
    pub(super) fn needed<R: Read>(&self, file: &LookaheadReader<R>) -> usize {
        match self.segment {
            BlockSegment::CompressedChunk if self.is_begun => self.left.min(file.buffered().len()),
            _ => 0,
        }
    }

    /// Returns the next output. Returns less than `into` has room for at the end of the data, and 0 at the end of the block.
    pub(super) fn read<R: Read>(
        &mut self,
        file: &mut LookaheadReader<R>,
        into: &mut [u8],
    ) -> io::Result<usize> {
        let mut given = 0;
        while given < into.len() {
            if !self.rest.is_empty() {
                let len = self.rest.len().min(into.len() - given);
                into[given..][..len].copy_from_slice(&self.rest[..len]);
                self.rest.drain(..len);
                given += len;
                continue;
            }
            let result = self.failure.take().map_or(Ok(()), Err);
            let (produced, result) = match result {
                Ok(()) if self.left > 0 => self.step(file, &mut into[given..]),
                Ok(()) => self.drain(&mut into[given..]),
                failed => (0, failed),
            };
            given += produced;
            match result {
                Ok(()) => {}
                Err(error) if self.rest.is_empty() && given == 0 => return Err(error),
                Err(error) => {
                    self.failure = Some(error);
                    if self.rest.is_empty() {
                        break;
                    }
                    continue;
                }
            }
            let is_drained = self.left == 0 && given < into.len();
            if is_drained && !self.next_segment(file, given) {
                break;
            }
        }
        Ok(given)
    }

    /// Goes on to the next segment. Returns false at the end of the block, and at the end of the data after output.
    fn next_segment<R: Read>(&mut self, file: &mut LookaheadReader<R>, given: usize) -> bool {
        (self.segment, self.left) = match self.segment {
            BlockSegment::Trailer => return false,
            BlockSegment::EndMarker if given > 0 => return false,
            BlockSegment::EndMarker => {
                let padding = self.read.next_multiple_of(4) - self.read;
                (BlockSegment::Trailer, padding + self.check.len())
            }
            _ => {
                let header = file.look_ahead(CHUNK_HEADER);
                match (header.first(), chunk_len(header)) {
                    (Some(0), _) => (BlockSegment::EndMarker, 1),
                    (_, Some((len, true))) => (BlockSegment::StoredChunk(len), len),
                    (_, Some((len, false))) => (BlockSegment::CompressedChunk, len),
                    (_, None) => (BlockSegment::Invalid, header.len().max(1)),
                }
            }
        };
        self.is_begun = false;
        self.left > 0
    }

    /// Returns output of the bytes before.
    fn drain(&mut self, into: &mut [u8]) -> (usize, io::Result<()>) {
        let (_, produced, result) = self.feed(&[], into);
        (produced, result)
    }

    /// Decodes from the current segment. Returns the length of the output.
    fn step<R: Read>(
        &mut self,
        file: &mut LookaheadReader<R>,
        into: &mut [u8],
    ) -> (usize, io::Result<()>) {
        let count = match self.segment {
            // Its data are read when they are returned.
            BlockSegment::StoredChunk(len) => {
                let header = STORED_HEADER.saturating_sub(len - self.left);
                self.left.min(header + into.len())
            }
            _ => self.left.min(PIECE),
        };
        // The whole segment, so that `needed` does not depend on the size of the buffer.
        file.look_ahead(self.left);
        let bytes = file.look_ahead(count);
        if bytes.is_empty() {
            let (_, drained, result) = self.feed(&[], into);
            if drained > 0 || result.is_err() {
                return (drained, result);
            }
            return (0, self.cut_off(file));
        }
        let (consumed, produced, result) = self.feed(bytes, into);
        file.consume(consumed);
        self.left -= consumed;
        self.read += consumed;
        self.is_begun |= consumed > 0;
        match result {
            Ok(()) if consumed == 0 && produced == 0 => (0, Err(io::ErrorKind::InvalidData.into())),
            result => (produced, result),
        }
    }

    /// Returns numbers of consumed and produced bytes.
    fn feed(&mut self, bytes: &[u8], into: &mut [u8]) -> (usize, usize, io::Result<()>) {
        let (consumed, produced) = (self.stream.total_in(), self.stream.total_out());
        let result = self.stream.process(bytes, into, Action::Run);
        let consumed = (self.stream.total_in() - consumed) as usize;
        let produced = (self.stream.total_out() - produced) as usize;
        (consumed, produced, result.map(|_| ()))
    }

    /// Returns the error of a file that ends within the segment, and stores the output of its last bytes.
    ///
    /// The decoder starts a symbol only if [`LONGEST_SYMBOL`] bytes follow. Zeros stand for those that are missing, one after the other:
    /// each lets the symbols start that begin one byte later. If later ones start within the file, the earlier ones end there, too, and so
    /// do not depend on a zero.
    fn cut_off<R: Read>(&mut self, file: &mut LookaheadReader<R>) -> io::Result<()> {
        // An error of the file comes before that of the decoder.
        file.peek(1)?;
        if self.segment == BlockSegment::CompressedChunk {
            let mut last = Vec::new();
            for _ in 0..LONGEST_SYMBOL.min(self.left.saturating_sub(1)) {
                let mut next = Vec::new();
                let result = self.feed_zero(&mut next);
                if !next.is_empty() {
                    self.rest.append(&mut last);
                    last = next;
                }
                if result.is_err() {
                    break;
                }
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    /// Decodes a zero, and adds all output.
    fn feed_zero(&mut self, output: &mut Vec<u8>) -> io::Result<()> {
        let mut buffer = vec![0; 16 << 10];
        let mut bytes = &[0][..];
        loop {
            let (consumed, produced, result) = self.feed(bytes, &mut buffer);
            output.extend_from_slice(&buffer[..produced]);
            bytes = &bytes[consumed..];
            result?;
            if consumed == 0 && produced == 0 {
                return Ok(());
            }
        }
    }
}
