//! Decodes one xz stream, with the help of other threads if there are any.
//!
//! Output, errors and offsets do not depend on the number of threads. A block from another thread is given out in the steps in which the
//! decoder would return it. From the first block on that the threads do not have, the decoder reads the blocks itself.
//!
//! # Limits
//! None.

use std::io::{self, BufRead, Cursor, Read};

use lzma_rust2::XzReader;

use super::input::LookaheadReader;
use super::lzma2_chunks::Lzma2Position;
use super::xz_ahead::{ReadyXzBlock, XzBlocksAhead, header_at};
use super::xz_block::XzBlockDecoder;
use super::xz_format::{BlockCheck, STREAM_HEADER, lzma2_header, xz_reader};
use super::xz_resume::ResumedInput;

/// Bytes of output before which no thread is started, unless the first block is shorter: so much is read to recognize a mailbox.
const START: u64 = 16 << 20;

/// Reads to the end of its stream and no further.
pub(super) struct XzDecoder<R: Read> {
    /// Reads the index, and blocks with other filters than LZMA2.
    here: XzReader<ResumedInput<R>>,
    ahead: Option<XzBlocksAhead>,
    phase: XzPhase,
}

enum XzPhase {
    /// At the header, with threads.
    Start,
    /// Reads a copy of the first block.
    First(FirstXzBlock),
    /// Takes blocks from the threads.
    Ahead(TakenBlocks),
    /// Decodes a block itself.
    Block(OwnBlock),
    /// Reads the rest of the stream.
    Here,
}

/// The first block of a stream. The file stays at the header of the stream.
struct FirstXzBlock {
    check: BlockCheck,
    copy: LookaheadReader<Cursor<Vec<u8>>>,
    decoder: Box<XzBlockDecoder>,
    /// Bytes of its output so far.
    given: u64,
    /// Offset of the first byte after it.
    end: u64,
}

/// A block that no thread decompresses.
struct OwnBlock {
    check: BlockCheck,
    /// Number of blocks before it.
    count: u64,
    decoder: Box<XzBlockDecoder>,
}

/// The blocks that were taken from the threads.
struct TakenBlocks {
    check: BlockCheck,
    /// Number of blocks, with the first one of the stream.
    count: u64,
    /// The last one.
    block: ReadyXzBlock,
    /// Bytes of its output that were returned.
    given: usize,
    position: Lzma2Position,
}

impl TakenBlocks {
    /// Returns the next output as the decoder would, and reads as much of the file as it would. Returns 0 at the end of the block.
    fn read<R: Read>(&mut self, file: &mut LookaheadReader<R>, into: &mut [u8]) -> usize {
        let rest = &self.block.output[self.given..];
        let len = rest.len().min(into.len());
        into[..len].copy_from_slice(&rest[..len]);
        self.given += len;
        file.consume(self.position.read_for(len, file.buffered()));
        if 0 < len && len < into.len() {
            // The decoder meets the end marker.
            file.consume(1);
        }
        len
    }
}

impl<R: Read> XzDecoder<R> {
    /// Starts at the header of a stream.
    pub(super) fn new(input: LookaheadReader<R>, ahead: Option<XzBlocksAhead>) -> Self {
        Self {
            here: xz_reader(ResumedInput::new(input)),
            phase: XzPhase::Start,
            ahead,
        }
    }

    /// Returns the input.
    pub(super) fn input(&self) -> &LookaheadReader<R> {
        &self.here.inner().file
    }

    /// Returns the input, and what decompresses blocks ahead.
    pub(super) fn into_parts(self) -> (LookaheadReader<R>, Option<XzBlocksAhead>) {
        (self.here.into_inner().file, self.ahead)
    }

    /// Returns the offset up to which input was needed so far.
    pub(super) fn offset(&self) -> u64 {
        let first = match &self.phase {
            XzPhase::First(first) => first.copy.offset() + first.decoder.needed(&first.copy) as u64,
            XzPhase::Block(block) => block.decoder.needed(self.input()) as u64,
            _ => 0,
        };
        self.input().offset() + first
    }
}

impl<R: Read> Read for XzDecoder<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.phase {
                XzPhase::Here => return self.here.read(into),
                XzPhase::Start => self.start()?,
                XzPhase::Block(block) => {
                    let file = &mut self.here.inner_mut().file;
                    match block.decoder.read(file, into)? {
                        0 => {
                            let (check, count) = (block.check, block.count + 1);
                            self.own_block(check, count)?;
                        }
                        read => return Ok(read),
                    }
                }
                XzPhase::First(first) => match first.decoder.read(&mut first.copy, into) {
                    Ok(0) => self.end_first(),
                    Ok(read) => {
                        first.given += read as u64;
                        if let Some(ahead) = &mut self.ahead
                            && first.given >= START
                        {
                            ahead.advance(&mut self.here.inner_mut().file);
                        }
                        return Ok(read);
                    }
                    Err(_) => self.restart()?,
                },
                XzPhase::Ahead(blocks) => {
                    match blocks.read(&mut self.here.inner_mut().file, into) {
                        0 => self.next_block()?,
                        read => return Ok(read),
                    }
                }
            }
        }
    }
}

impl<R: Read> XzDecoder<R> {
    /// Cuts out the first block, or decodes it itself.
    fn start(&mut self) -> io::Result<()> {
        let file = &mut self.here.inner_mut().file;
        let Some(check) = BlockCheck::of_stream(file.look_ahead(STREAM_HEADER)) else {
            self.phase = XzPhase::Here;
            return Ok(());
        };
        let first = self.ahead.as_mut();
        let Some(block) = first.and_then(|ahead| ahead.begin(file, check)) else {
            return self.own_first(check);
        };
        let mut copy = LookaheadReader::new(Cursor::new(block.stream));
        copy.look_ahead(STREAM_HEADER);
        copy.consume(STREAM_HEADER);
        self.phase = XzPhase::First(FirstXzBlock {
            check,
            decoder: Box::new(XzBlockDecoder::new(check, block.header)?),
            copy,
            given: 0,
            end: block.end,
        });
        Ok(())
    }

    /// Decodes the first block itself.
    fn own_first(&mut self, check: BlockCheck) -> io::Result<()> {
        let file = &mut self.here.inner_mut().file;
        if lzma2_header(header_at(file, STREAM_HEADER)).is_none() {
            self.phase = XzPhase::Here;
            return Ok(());
        }
        file.consume(STREAM_HEADER);
        self.own_block(check, 0)
    }

    /// Decodes the block after `count` others itself, or leaves the rest of the stream to `XzReader`.
    fn own_block(&mut self, check: BlockCheck, count: u64) -> io::Result<()> {
        let input = self.here.inner_mut();
        self.phase = if let Some(header) = lzma2_header(header_at(&mut input.file, 0)) {
            XzPhase::Block(OwnBlock {
                check,
                count,
                decoder: Box::new(XzBlockDecoder::new(check, header)?),
            })
        } else {
            input.resume(check, count);
            XzPhase::Here
        };
        Ok(())
    }

    /// Goes on after the first block.
    fn end_first(&mut self) {
        if let XzPhase::First(first) = &self.phase {
            self.phase = XzPhase::Ahead(TakenBlocks {
                check: first.check,
                count: 1,
                block: ReadyXzBlock::none(first.end),
                given: 0,
                position: Lzma2Position::default(),
            });
        }
    }

    /// Decodes the first block itself, and meets the error, too.
    fn restart(&mut self) -> io::Result<()> {
        if let XzPhase::First(first) = &self.phase {
            let (given, check) = (first.given, first.check);
            self.ahead.iter_mut().for_each(XzBlocksAhead::stop);
            self.own_first(check)?;
            io::copy(&mut self.by_ref().take(given), &mut io::sink())?;
        }
        Ok(())
    }

    /// Takes the next block from the threads, or decodes it itself.
    fn next_block(&mut self) -> io::Result<()> {
        let (Some(ahead), XzPhase::Ahead(blocks)) = (&mut self.ahead, &mut self.phase) else {
            return Ok(());
        };
        let input = self.here.inner_mut();
        input.file.skip_to(blocks.block.end);
        // Gives back its memory before the next one is complete.
        blocks.block.output = Vec::new();
        ahead.advance(&mut input.file);
        let Some(block) = ahead.take() else {
            let (check, count) = (blocks.check, blocks.count);
            return self.own_block(check, count);
        };
        ahead.advance(&mut input.file);
        input.file.consume(block.header);
        blocks.count += 1;
        (blocks.block, blocks.given) = (block, 0);
        Ok(())
    }
}
