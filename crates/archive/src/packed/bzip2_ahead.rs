//! Decompresses the next blocks of a bzip2 file on other threads, while the decoder returns the current one.
//!
//! A block between two magic numbers becomes a stream of its own. Its bytes are used only if they decode without an error and if the
//! block ends exactly at the second number. Otherwise the decoder reads the block itself.
//!
//! # Limits
//! At most two blocks per thread are in memory, each of at most 4 MiB: the decoder reads larger ones itself. Looks at most 1 MiB per
//! block ahead. Stops for good after 16 blocks that were of no use, so magic numbers in the wrong places cost little.

use std::collections::VecDeque;
use std::io::Read;

use super::bzip2_marks::{BlockMark, CutBlock, MarkScanner, cut};
use super::bzip2_phases::PhaseDecoder;
use super::bzip2_resume::combine;
use super::input::LookaheadReader;
use super::worker_threads::{PendingResult, WorkerThreads};

/// Bytes of output before which no thread is started: small files need none.
const START: u64 = 64 << 10;
/// Largest output of a block that is kept in memory.
const MOST_OUTPUT: usize = 4 << 20;
/// Bytes of input to look ahead for each block.
const BLOCK_INPUT: u64 = 1 << 20;
/// Bytes of input to read at once.
const CHUNK: usize = 64 << 10;
/// Number of useless blocks after which no more are decompressed ahead.
const MOST_USELESS: u32 = 16;
/// Bytes before the end of a block in which the decoder gets one byte at a time. So it takes no byte of the next block.
pub(super) const NEAR_END: u64 = 64;

/// The blocks that other threads decompress.
pub(super) struct Bzip2BlocksAhead {
    workers: WorkerThreads,
    /// Bytes of output so far.
    given: u64,
    useless: u32,
    scanner: MarkScanner,
    /// True at the end of the input, or before an error.
    is_at_end: bool,
    /// Start of the next block, whose end is not known yet.
    open: Option<BlockMark>,
    /// Block size of the stream, as the digit in its header.
    level: u8,
    blocks: VecDeque<QueuedBlock>,
    /// Number of blocks that were of use.
    #[cfg(test)]
    pub(super) used: u32,
}

struct QueuedBlock {
    start: BlockMark,
    end: BlockMark,
    level: u8,
    output: PendingResult,
}

/// A block that decodes without an error.
pub(super) struct ReadyBlock {
    pub(super) output: Vec<u8>,
    /// The mark after it.
    pub(super) end: BlockMark,
    /// Checksum of all blocks up to its end.
    pub(super) combined: u32,
}

impl Bzip2BlocksAhead {
    /// Uses `threads` threads. Starts none yet.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            workers: WorkerThreads::new(threads),
            given: 0,
            useless: 0,
            scanner: MarkScanner::new(0),
            is_at_end: false,
            open: None,
            level: b'9',
            blocks: VecDeque::new(),
            #[cfg(test)]
            used: 0,
        }
    }

    /// Notes output of the decoder.
    pub(super) fn count(&mut self, bytes: usize) {
        self.given += bytes as u64;
    }

    /// Notes a block that the decoder has to read itself.
    pub(super) fn count_useless(&mut self) {
        self.useless += 1;
    }

    /// Looks ahead, and gives blocks to the threads. `level` is that of the current stream.
    pub(super) fn advance<R: Read>(&mut self, input: &mut LookaheadReader<R>, level: u8) {
        if self.given < START {
            return;
        }
        if self.useless >= MOST_USELESS {
            self.blocks.clear();
            self.workers.stop();
        }
        if !self.workers.start() {
            return;
        }
        let offset = input.offset();
        if self.scanner.offset() < offset {
            (self.scanner, self.open) = (MarkScanner::new(offset), None);
        }
        if self.open.is_none() && self.blocks.is_empty() {
            self.level = level;
        }
        let most = 2 * self.workers.count();
        while self.blocks.len() < most {
            let ahead = (self.scanner.offset() - offset) as usize;
            // At the end of the input, another call would read again.
            let data = if self.is_at_end {
                input.buffered()
            } else {
                input.look_ahead(ahead + CHUNK)
            };
            self.is_at_end |= data.len() < ahead + CHUNK;
            if data.len() <= ahead || ahead as u64 >= most as u64 * BLOCK_INPUT {
                return;
            }
            self.scan(data, offset, most);
        }
    }

    /// Cuts `data` into blocks, until there are `most`.
    fn scan(&mut self, data: &[u8], offset: u64, most: usize) {
        while self.blocks.len() < most {
            let scanned = (self.scanner.offset() - offset) as usize;
            let Some(mark) = self.scanner.next(&data[scanned..]) else {
                return;
            };
            self.level = mark.level.unwrap_or(self.level);
            let level = self.level;
            let start = self.open.replace(mark).filter(|start| !start.is_end);
            let block = start.and_then(|start| {
                let bytes = cut(&start, mark.bit, level, data, offset)?;
                let output = self.workers.submit(move |_| decode(&bytes))?;
                Some(QueuedBlock {
                    start,
                    end: mark,
                    level,
                    output,
                })
            });
            self.blocks.extend(block);
        }
    }

    /// Returns the offset of the first whole byte after the start of a block, for the next such block after `offset`.
    pub(super) fn next_start(&self, offset: u64) -> Option<u64> {
        let starts = self.blocks.iter().map(|block| block.start.bit.div_ceil(8));
        starts.into_iter().find(|&start| start >= offset)
    }

    /// Returns the position of the block that begins in the byte before `offset`, or at `offset`.
    pub(super) fn start_at(&self, offset: u64) -> Option<u64> {
        let mut starts = self.blocks.iter().map(|block| block.start.bit);
        starts.find(|start| start.div_ceil(8) == offset)
    }

    /// Gives up the blocks that begin before `offset`: the decoder found no block there.
    pub(super) fn give_up_before(&mut self, offset: u64) {
        let is_before = |block: &mut QueuedBlock| block.start.bit.div_ceil(8) < offset;
        while self.blocks.pop_front_if(is_before).is_some() {
            self.count_useless();
        }
    }

    /// Waits for the block that begins at a bit. `combined` is the checksum of the blocks before it.
    ///
    /// Returns `None` if no thread has it, if it has an error, or if the stream ends after it with a wrong checksum.
    pub(super) fn take(&mut self, bit: u64, level: u8, combined: u32) -> Option<ReadyBlock> {
        while self
            .blocks
            .front()
            .is_some_and(|block| block.start.bit < bit)
        {
            self.blocks.pop_front();
            self.count_useless();
        }
        if self
            .blocks
            .front()
            .is_none_or(|block| block.start.bit > bit)
        {
            return None;
        }
        let QueuedBlock {
            start,
            end,
            output,
            level: cut_with,
        } = self.blocks.pop_front()?;
        let combined = combine(combined, start.crc);
        let is_right = level == cut_with && (!end.is_end || end.crc == combined);
        let output = output.wait().filter(|_| is_right);
        if output.is_none() {
            self.count_useless();
        }
        #[cfg(test)]
        {
            self.used += u32::from(output.is_some());
        }
        output.map(|output| ReadyBlock {
            output,
            end,
            combined,
        })
    }
}

/// Decompresses a block. Returns `None` if it has an error, or ends elsewhere.
fn decode(block: &CutBlock) -> Option<Vec<u8>> {
    let end = block.end.div_ceil(8) as usize;
    let near = end.saturating_sub(NEAR_END as usize);
    let mut decoder = PhaseDecoder::new();
    if decoder.feed(&block.bytes[..near]).ok()? != (near, false) {
        return None;
    }
    let mut taken = near;
    while let (1, false) = decoder.feed(block.bytes.get(taken..=taken)?).ok()? {
        taken += 1;
    }
    if taken != end {
        return None;
    }
    // Memory for the largest block costs more than decoding a small one. Mail shrinks to more than an eighth.
    let most = usize::from(block.bytes[3] - b'0') * 100_000;
    let (mut output, mut len) = (vec![0; most.min(8 * block.bytes.len())], 0);
    loop {
        let (drained, result) = decoder.drain(&mut output[len..]);
        result.ok()?;
        len += drained;
        if drained == 0 {
            break;
        }
        if len == output.len() {
            if len >= MOST_OUTPUT {
                return None;
            }
            output.resize((2 * len).min(MOST_OUTPUT), 0);
        }
    }
    output.truncate(len);
    // The decoder knows the magic number at the next bit only.
    let next = &block.bytes[end..];
    (decoder.feed(next).ok()? == (next.len(), false)).then_some(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bzip2::Compression;
    use bzip2::write::BzEncoder;
    use std::io::Write;

    /// A file may consist of many small streams, whose blocks could all be large.
    #[test]
    fn small_blocks_take_little_memory() {
        let text = b"a small block";
        let mut stream = BzEncoder::new(Vec::new(), Compression::best());
        stream.write_all(text).unwrap();
        let stream = stream.finish().unwrap();
        let mut scanner = MarkScanner::new(0);
        let mut mark = || scanner.next(&stream[scanner.offset() as usize..]).unwrap();
        let (start, end) = (mark(), mark());
        let block = cut(&start, end.bit, b'9', &stream, 0).unwrap();
        let output = decode(&block).unwrap();
        assert_eq!(output, text);
        assert!(output.capacity() < 1 << 12, "{}", output.capacity());
    }

    /// Many magic numbers in one block do not keep the threads from the next blocks.
    #[test]
    fn blocks_that_the_decoder_has_passed_are_given_up() {
        let bytes = b"1AY&SY, and no block behind it. ".repeat(30);
        let mut input = LookaheadReader::new(&bytes[..]);
        let mut ahead = Bzip2BlocksAhead::new(2);
        ahead.advance(&mut input, b'1');
        assert!(ahead.blocks.is_empty(), "no thread before the first block");
        ahead.count(START as usize);
        ahead.advance(&mut input, b'1');
        assert_eq!((ahead.blocks.len(), ahead.useless), (4, 0));
        assert_eq!(
            (ahead.start_at(32), ahead.next_start(33)),
            (Some(256), Some(64))
        );
        ahead.give_up_before(4 * 32);
        assert_eq!((ahead.blocks.len(), ahead.useless), (0, 4));
        assert!(ahead.take(4 * 256, b'1', 0).is_none());
        ahead.advance(&mut input, b'1');
        assert_eq!(ahead.blocks.len(), 4);
        // None of them is a block.
        for number in 4..8 {
            assert!(ahead.take(number * 256, b'1', 0).is_none());
        }
        ahead.useless = MOST_USELESS;
        ahead.advance(&mut input, b'1');
        assert!(ahead.blocks.is_empty() && ahead.workers.count() == 0);
    }
}
