//! Decompresses the next blocks of an xz file on other threads, while the decoder returns the current one.
//!
//! `xz -T` and pixz write the sizes of each block into its header. So the blocks are found without decompressing them. A block becomes a
//! stream of its own. Its bytes are used only if its data fill the size in the header, and if it decodes without an error.
//!
//! # Limits
//! Stops in a stream at the first block without sizes, with another filter than LZMA2, or of more than 64 MiB. Stops for good at a damaged
//! block. At most one block for each thread waits in memory. Together they have at most 256 MiB of output. Reads the file so far ahead,
//! and all of the first block with sizes before its output.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use super::input::LookaheadReader;
use super::lzma2_chunks::output_len;
use super::worker_threads::{PendingResult, WorkerThreads};
use super::xz_format::{BlockCheck, BlockSizes, STREAM_HEADER, header_len, xz_reader};

/// Largest output of a block.
const MOST_OUTPUT: u64 = 64 << 20;
/// Largest output of all blocks that wait.
const MOST_WAITING: u64 = 256 << 20;
/// Bytes to decompress before a thread looks whether it is still needed.
const STEP: usize = 1 << 20;

/// The blocks that other threads decompress.
pub(super) struct XzBlocksAhead {
    workers: WorkerThreads,
    blocks: VecDeque<QueuedXzBlock>,
    /// Offset of the next block to look at. `None` behind the last one that threads can decompress.
    next: Option<u64>,
    check: BlockCheck,
    /// Number of blocks that were of use.
    #[cfg(test)]
    pub(super) used: u32,
}

/// A block whose data fill the size in its header, as a stream of its own.
pub(super) struct CutXzBlock {
    pub(super) stream: Vec<u8>,
    /// Length of the header.
    pub(super) header: usize,
    /// Offset of the first byte after it.
    pub(super) end: u64,
    /// Length of the output.
    len: u64,
}

struct QueuedXzBlock {
    header: usize,
    end: u64,
    len: u64,
    output: PendingResult,
}

/// A block that decodes without an error.
pub(super) struct ReadyXzBlock {
    pub(super) output: Vec<u8>,
    /// Length of the header.
    pub(super) header: usize,
    /// Offset of the first byte after it.
    pub(super) end: u64,
}

impl ReadyXzBlock {
    /// Returns a block without output that ends at an offset.
    pub(super) fn none(end: u64) -> Self {
        Self {
            output: Vec::new(),
            header: 0,
            end,
        }
    }
}

impl XzBlocksAhead {
    /// Uses `threads` threads. Starts none yet.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            workers: WorkerThreads::new(threads),
            blocks: VecDeque::new(),
            next: None,
            check: BlockCheck::None,
            #[cfg(test)]
            used: 0,
        }
    }

    /// Begins a stream. Returns its first block, which the decoder reads itself, or `None` if no other block can be decompressed ahead.
    pub(super) fn begin<R: Read>(
        &mut self,
        input: &mut LookaheadReader<R>,
        check: BlockCheck,
    ) -> Option<CutXzBlock> {
        self.blocks.clear();
        (self.check, self.next) = (check, None);
        if self.workers.count() == 0 {
            return None;
        }
        let sizes = suitable(header_at(input, STREAM_HEADER))?;
        let end = STREAM_HEADER + sizes.block_len(check);
        // The index begins with a zero.
        if let Some(0) | None = input.look_ahead(end + 1).get(end) {
            return None;
        }
        let block = CutXzBlock::new(&sizes, input, STREAM_HEADER, check)?;
        self.next = Some(block.end);
        Some(block)
    }

    /// Looks ahead, and gives blocks to the threads.
    pub(super) fn advance<R: Read>(&mut self, input: &mut LookaheadReader<R>) {
        while let Some(next) = self.next.filter(|_| self.workers.start()) {
            let ahead = (next - input.offset()) as usize;
            let Some(sizes) = suitable(header_at(input, ahead)) else {
                self.next = None;
                return;
            };
            if !self.has_room(sizes.output) {
                return;
            }
            let block = CutXzBlock::new(&sizes, input, ahead, self.check);
            self.next = block.and_then(|block| self.queue(block));
        }
    }

    fn has_room(&self, len: u64) -> bool {
        let waiting: u64 = self.blocks.iter().map(|block| block.len).sum();
        self.blocks.len() < self.workers.count() && waiting + len <= MOST_WAITING
    }

    /// Gives a block to the threads. Returns the offset of the first byte after it.
    fn queue(&mut self, block: CutXzBlock) -> Option<u64> {
        let (stream, len) = (block.stream, block.len as usize);
        let decode = move |is_stopped: &AtomicBool| decode(&stream, len, is_stopped);
        self.blocks.push_back(QueuedXzBlock {
            header: block.header,
            end: block.end,
            len: block.len,
            output: self.workers.submit(decode)?,
        });
        Some(block.end)
    }

    /// Ends all threads for good.
    pub(super) fn stop(&mut self) {
        self.next = None;
        self.blocks.clear();
        self.workers.stop();
    }

    /// Waits for the next block. Returns `None` if no thread has it, or if it has an error.
    pub(super) fn take(&mut self) -> Option<ReadyXzBlock> {
        let block = self.blocks.pop_front()?;
        let Some(output) = block.output.wait() else {
            self.stop();
            return None;
        };
        #[cfg(test)]
        {
            self.used += 1;
        }
        Some(ReadyXzBlock {
            output,
            header: block.header,
            end: block.end,
        })
    }
}

impl CutXzBlock {
    /// Cuts out the block that begins `ahead` bytes after the next byte of the file.
    fn new<R: Read>(
        sizes: &BlockSizes,
        input: &mut LookaheadReader<R>,
        ahead: usize,
        check: BlockCheck,
    ) -> Option<Self> {
        let end = ahead + sizes.block_len(check);
        let offset = input.offset();
        let block = input.look_ahead(end).get(ahead..end)?;
        let len = output_len(&block[sizes.header..sizes.unpadded]);
        let len = len.filter(|&len| len <= MOST_OUTPUT)?;
        Some(Self {
            stream: check.stream_of(block, sizes, len),
            header: sizes.header,
            end: offset + end as u64,
            len,
        })
    }
}

/// Returns the header of the block that begins `ahead` bytes after the next one, or less of it. Looks no further.
pub(super) fn header_at<R: Read>(input: &mut LookaheadReader<R>, ahead: usize) -> &[u8] {
    let first = input.look_ahead(ahead + 1).get(ahead);
    let len = first.map_or(0, |&size| header_len(size));
    input.look_ahead(ahead + len).get(ahead..).unwrap_or(&[])
}

/// Reads the header of a block. Returns `None` if the block cannot be decompressed ahead.
fn suitable(header: &[u8]) -> Option<BlockSizes> {
    let sizes = BlockSizes::parse(header)?;
    // A compressor stores what it cannot compress. A chunk of 64 KiB has a header of 3 bytes then.
    let most = sizes.output + sizes.output / 64 + 1024;
    (sizes.output <= MOST_OUTPUT && sizes.unpadded as u64 <= most).then_some(sizes)
}

/// Decompresses a stream. Returns `None` if it has an error, or output of another length.
fn decode(stream: &[u8], len: usize, is_stopped: &AtomicBool) -> Option<Vec<u8>> {
    let mut reader = xz_reader(stream);
    let mut output = vec![0; len];
    for piece in output.chunks_mut(STEP) {
        if is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        reader.read_exact(piece).ok()?;
    }
    let is_whole = reader.read(&mut [0]).ok()? == 0 && reader.inner().is_empty();
    is_whole.then_some(output)
}

#[cfg(test)]
mod tests {
    use super::super::thread_comparison::words;
    use super::super::xz_writer::{ClaimedSizes, XzBlock, xz_stream};
    use super::*;
    use lzma_rust2::CheckType;

    #[test]
    fn few_blocks_wait() {
        let blocks = words(20, 3000);
        let blocks: Vec<_> = blocks
            .into_iter()
            .map(|text| (text, ClaimedSizes::default()))
            .collect();
        let bytes = xz_stream(&blocks, CheckType::Crc32);
        let mut input = LookaheadReader::new(&bytes[..]);
        let mut ahead = XzBlocksAhead::new(3);
        let first = ahead.begin(&mut input, BlockCheck::Crc32).unwrap();
        assert!(first.len == blocks[0].0.len() as u64 && ahead.blocks.is_empty());
        for (number, (text, _)) in blocks.iter().enumerate().skip(1) {
            ahead.advance(&mut input);
            assert_eq!(ahead.blocks.len(), 3.min(20 - number));
            let block = ahead.take().unwrap();
            assert!(block.output == *text);
            input.skip_to(block.end);
        }
        ahead.advance(&mut input);
        assert!(ahead.take().is_none() && ahead.workers.count() == 3);
        ahead.stop();
        let mut input = LookaheadReader::new(&bytes[..]);
        assert!(ahead.begin(&mut input, BlockCheck::Crc32).is_none());
    }

    #[test]
    fn large_blocks_are_not_decompressed_ahead() {
        let block = XzBlock::new(b"text", CheckType::Crc32);
        let is_suitable = |compressed, output| {
            let header = block.header(ClaimedSizes {
                compressed,
                output,
                are_missing: false,
            });
            suitable(&header).is_some()
        };
        assert!(is_suitable(None, None) && is_suitable(Some(4000), Some(4000)));
        assert!(is_suitable(None, Some(64 << 20)) && !is_suitable(None, Some(1 + (64 << 20))));
        assert!(is_suitable(Some(1000), Some(0)) && !is_suitable(Some(2000), Some(0)));
        assert!(!is_suitable(Some(0), None) && !is_suitable(Some(1 << 62), Some(1 << 62)));
        let missing = ClaimedSizes {
            are_missing: true,
            ..ClaimedSizes::default()
        };
        assert!(suitable(&block.header(missing)).is_none());
        let mut ahead = XzBlocksAhead::new(9);
        assert!(ahead.workers.start());
        for waiting in 0..5 {
            assert_eq!(ahead.has_room(60 << 20), waiting < 4);
            ahead.blocks.push_back(QueuedXzBlock {
                header: 12,
                end: 0,
                len: 60 << 20,
                output: ahead.workers.submit(|_| None).unwrap(),
            });
        }
    }
}
