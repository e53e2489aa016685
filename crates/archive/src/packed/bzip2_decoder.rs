//! Decodes one bzip2 stream, with the help of other threads if there are any.
//!
//! Output, errors and offsets do not depend on the number of threads. A block from another thread is used only if it is what the
//! decoder would have returned. After any other block the decoder continues by itself, and takes blocks from the threads again later.
//!
//! # Limits
//! The offset of an error is that of a step of 512 bytes, because the decoder reads up to 7 bytes ahead.

use std::io::{self, BufRead, Read};

use super::bzip2_ahead::{Bzip2BlocksAhead, NEAR_END, ReadyBlock};
use super::bzip2_marks::{MAGIC_BITS, MARK_BITS};
use super::bzip2_phases::PhaseDecoder;
use super::bzip2_resume::{Crc, combine, resume};
use super::input::LookaheadReader;

/// Bytes of input for which one offset is reported.
const STEP: u64 = 512;
/// Length of a stream's header in bytes.
const HEADER: u64 = 4;

/// Reads to the end of its stream and no further.
pub(super) struct Bzip2Decoder<R> {
    input: LookaheadReader<R>,
    ahead: Option<Bzip2BlocksAhead>,
    state: DecoderState,
    /// Block size, as the digit in the header.
    level: u8,
    /// Checksum of the blocks that were read to their ends, if there are other threads.
    combined: u32,
    /// Offset of the step that has the end of the current block, or the error.
    step: u64,
}

enum DecoderState {
    /// At the header.
    Start,
    Reading(CurrentBlock),
    Ready(ReadyBlock, usize),
    Ended,
}

/// A block that this thread decodes.
struct CurrentBlock {
    decoder: Box<PhaseDecoder>,
    /// Checksum of its output so far. `None` before the first output.
    crc: Option<Crc>,
    /// An error after the output.
    error: Option<io::Error>,
    /// True if the decoder has taken nothing beyond the end of the block.
    is_exact: bool,
}

impl<R: Read> Bzip2Decoder<R> {
    /// Starts at the header of a stream.
    pub(super) fn new(input: LookaheadReader<R>, ahead: Option<Bzip2BlocksAhead>) -> Self {
        Self {
            step: input.offset(),
            input,
            ahead,
            state: DecoderState::Start,
            level: b'9',
            combined: 0,
        }
    }

    /// Returns the input.
    pub(super) fn input(&self) -> &LookaheadReader<R> {
        &self.input
    }

    /// Returns the input, and the blocks that were decompressed ahead.
    pub(super) fn into_parts(self) -> (LookaheadReader<R>, Option<Bzip2BlocksAhead>) {
        (self.input, self.ahead)
    }

    /// Returns the offset up to which input was needed so far, rounded down to a step.
    pub(super) fn offset(&self) -> u64 {
        self.step
    }

    /// Begins a stream.
    fn start(&mut self) -> io::Result<()> {
        if let [_, _, _, level] = *self.input.peek(HEADER as usize)? {
            self.level = level;
        }
        let first = (self.input.offset() + HEADER) * 8;
        if !self.take_ready(first) {
            self.read_here(PhaseDecoder::new());
        }
        Ok(())
    }

    fn read_here(&mut self, decoder: PhaseDecoder) {
        self.state = DecoderState::Reading(CurrentBlock {
            decoder: Box::new(decoder),
            crc: None,
            error: None,
            is_exact: false,
        });
    }

    /// Continues with the block at a bit if another thread has it.
    fn take_ready(&mut self, bit: u64) -> bool {
        let Some(ahead) = &mut self.ahead else {
            return false;
        };
        ahead.advance(&mut self.input, self.level);
        let Some(block) = ahead.take(bit, self.level, self.combined) else {
            return false;
        };
        ahead.advance(&mut self.input, self.level);
        self.begin_ready(block);
        true
    }

    fn begin_ready(&mut self, block: ReadyBlock) {
        self.combined = block.combined;
        let end = block.end.bit;
        self.step = step_of((end - 1) / 8);
        self.input.skip_to(end.div_ceil(8));
        self.state = DecoderState::Ready(block, 0);
    }

    /// Goes on after a block from another thread.
    fn end_ready(&mut self) -> io::Result<()> {
        let DecoderState::Ready(block, _) = &self.state else {
            return Ok(());
        };
        let end = block.end;
        if end.is_end {
            self.input.skip_to((end.bit + MARK_BITS).div_ceil(8));
            self.state = DecoderState::Ended;
        } else if !self.take_ready(end.bit) {
            self.ahead
                .iter_mut()
                .for_each(Bzip2BlocksAhead::count_useless);
            self.read_here(resume(self.level, self.combined, end.bit)?);
        }
        Ok(())
    }
}

impl<R: Read> Read for Bzip2Decoder<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                DecoderState::Start => self.start()?,
                DecoderState::Ready(block, given) => {
                    let rest = &block.output[*given..];
                    if !rest.is_empty() {
                        let len = rest.len().min(into.len());
                        into[..len].copy_from_slice(&rest[..len]);
                        *given += len;
                        return Ok(len);
                    }
                    self.end_ready()?;
                }
                DecoderState::Reading(block) => {
                    if let Some(error) = block.error.take() {
                        return Err(error);
                    }
                    let (len, drained) = block.decoder.drain(into);
                    if len == 0 {
                        drained?;
                        self.read_on()?;
                        continue;
                    }
                    block.error = drained.err();
                    if let Some(ahead) = &mut self.ahead {
                        ahead.count(len);
                        block.crc = Some(block.crc.unwrap_or(Crc::new()).update(&into[..len]));
                    }
                    return Ok(len);
                }
                DecoderState::Ended => return Ok(0),
            }
        }
    }
}

impl<R: Read> Bzip2Decoder<R> {
    /// Feeds the decoder of this thread, or continues with the block of another one.
    fn read_on(&mut self) -> io::Result<()> {
        if let DecoderState::Reading(block) = &mut self.state
            && let Some(crc) = block.crc.take()
        {
            self.combined = combine(self.combined, crc.value());
            let is_exact = block.is_exact;
            if let Some(ahead) = &mut self.ahead {
                ahead.give_up_before(self.input.offset());
            }
            if is_exact && self.switch()? {
                return Ok(());
            }
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.advance(&mut self.input, self.level);
        }
        self.feed()
    }

    /// Continues with the block of another thread if the decoder, too, finds a block here.
    fn switch(&mut self) -> io::Result<bool> {
        let Some(ahead) = &mut self.ahead else {
            return Ok(false);
        };
        ahead.advance(&mut self.input, self.level);
        let Some(bit) = ahead.start_at(self.input.offset()) else {
            return Ok(false);
        };
        let Some(block) = ahead.take(bit, self.level, self.combined) else {
            return Ok(false);
        };
        let magic_end = (bit + MAGIC_BITS).div_ceil(8);
        while self.input.offset() < magic_end {
            self.feed_at_most(magic_end - self.input.offset())?;
        }
        self.begin_ready(block);
        Ok(true)
    }

    /// Feeds the decoder up to the next step, or one byte if a block of another thread begins soon.
    fn feed(&mut self) -> io::Result<()> {
        let offset = self.input.offset();
        let next = self
            .ahead
            .as_ref()
            .and_then(|ahead| ahead.next_start(offset + 1));
        let most = match next {
            Some(next) if next <= offset + NEAR_END => 1,
            Some(next) => next - NEAR_END - offset,
            None => STEP,
        };
        self.feed_at_most(most)
    }

    fn feed_at_most(&mut self, most: u64) -> io::Result<()> {
        let DecoderState::Reading(block) = &mut self.state else {
            return Ok(());
        };
        let offset = self.input.offset();
        let most = most.min(STEP - offset % STEP) as usize;
        let bytes = self.input.fill_buf()?;
        if bytes.is_empty() {
            self.step = offset;
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "decompression not finished but EOF reached",
            ));
        }
        self.step = step_of(offset);
        let bytes = &bytes[..bytes.len().min(most)];
        block.is_exact = bytes.len() == 1;
        let (taken, is_end) = block.decoder.feed(bytes)?;
        self.input.consume(taken);
        if is_end {
            self.state = DecoderState::Ended;
        }
        Ok(())
    }
}

/// Returns the offset of the step that has a byte.
fn step_of(offset: u64) -> u64 {
    offset - offset % STEP
}
