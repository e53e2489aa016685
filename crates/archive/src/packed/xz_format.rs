//! Reads the headers of xz streams and blocks, and writes streams around blocks (The .xz File Format 1.2.1).
//!
//! # Limits
//! Parses only what all blocks of mail have: one filter, LZMA2. Returns `None` for the others.

use flate2::Crc;
use lzma_rust2::{XzReader, XzStream};
use std::io::Read;

/// Largest dictionary in KiB: four times that of the highest level, `xz -9`.
const MEMORY: u32 = 256 << 10;

/// Length of a stream's header and footer.
pub(super) const STREAM_HEADER: usize = 12;

const MAGIC: &[u8] = b"\xfd7zXZ\0";
const FOOTER_MAGIC: &[u8] = b"YZ";
/// The filter id of LZMA2.
const LZMA2: u64 = 0x21;
/// SHA-256 of no bytes.
const EMPTY_SHA_256: [u8; 32] = [
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
];

/// Returns a decoder of one stream.
pub(super) fn xz_reader<R: Read>(input: R) -> XzReader<R> {
    XzReader::new_mem_limit(input, false, MEMORY)
}

/// Returns a decoder of one stream that the caller feeds.
pub(super) fn xz_stream() -> XzStream {
    XzStream::new_mem_limit(false, MEMORY)
}

/// Returns the length of a block's header if its only filter is LZMA2. `bytes` begin with the header.
pub(super) fn lzma2_header(bytes: &[u8]) -> Option<usize> {
    let len = header_len(*bytes.first().filter(|&&size| size > 0)?);
    let (fields, sum) = bytes.get(..len)?.split_last_chunk::<4>()?;
    let flags = *fields.get(1)?;
    if flags & 0x3f != 0 || crc32(fields) != *sum {
        return None;
    }
    let mut fields = &fields[2..];
    for _ in 0..(flags >> 6).count_ones() {
        take_integer(&mut fields)?;
    }
    (take_integer(&mut fields)? == LZMA2).then_some(len)
}

/// The checksum that each block of a stream has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockCheck {
    None = 0,
    Crc32 = 1,
    Crc64 = 4,
    Sha256 = 10,
}

impl BlockCheck {
    /// Reads the header of a stream (section 2.1.1).
    pub(super) fn of_stream(header: &[u8]) -> Option<Self> {
        let check = match header.get(7)? {
            0 => Self::None,
            1 => Self::Crc32,
            4 => Self::Crc64,
            10 => Self::Sha256,
            _ => return None,
        };
        header.starts_with(&check.stream_header()).then_some(check)
    }

    /// Returns the length of the checksum.
    pub(super) fn len(self) -> usize {
        self.of_nothing().len()
    }

    /// Returns the checksum of no bytes.
    fn of_nothing(self) -> &'static [u8] {
        match self {
            Self::None => &[],
            Self::Crc32 => &[0; 4],
            Self::Crc64 => &[0; 8],
            Self::Sha256 => &EMPTY_SHA_256,
        }
    }

    fn flags(self) -> [u8; 2] {
        [0, self as u8]
    }

    /// Returns the header of a stream.
    pub(super) fn stream_header(self) -> Vec<u8> {
        [MAGIC, &self.flags(), &crc32(&self.flags())].concat()
    }

    /// Returns a block without output.
    pub(super) fn empty_block(self) -> Vec<u8> {
        let mut block = vec![2, 0, LZMA2 as u8, 1, 0, 0, 0, 0];
        block.extend(crc32(&block));
        // The end marker of LZMA2, and padding.
        block.extend([0; 4]);
        block.extend(self.of_nothing());
        block
    }

    /// Writes a stream around one block.
    pub(super) fn stream_of(self, block: &[u8], sizes: &BlockSizes, output: u64) -> Vec<u8> {
        let mut index = vec![0, 1];
        push_integer(&mut index, (sizes.unpadded + self.len()) as u64);
        push_integer(&mut index, output);
        index.resize(index.len().next_multiple_of(4), 0);
        index.extend(crc32(&index));
        let backward = (index.len() as u32 / 4 - 1).to_le_bytes();
        let fields = [&backward[..], &self.flags()].concat();
        let parts = [
            &self.stream_header(),
            block,
            &index,
            &crc32(&fields),
            &fields,
            FOOTER_MAGIC,
        ];
        parts.concat()
    }
}

/// What the header of a block says about sizes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BlockSizes {
    /// Length of the header.
    pub(super) header: usize,
    /// Length of the header and of the compressed data.
    pub(super) unpadded: usize,
    /// Length of the output, which the data may contradict.
    pub(super) output: u64,
}

impl BlockSizes {
    /// Reads the header of a block (section 3.1), which has both sizes. `bytes` begin with it.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        // A zero begins the index.
        let len = header_len(*bytes.first().filter(|&&size| size > 0)?);
        let (fields, sum) = bytes.get(..len)?.split_last_chunk::<4>()?;
        // Both sizes, one filter, no reserved bits.
        if fields[1] != 0xc0 || crc32(fields) != *sum {
            return None;
        }
        let mut fields = &fields[2..];
        let compressed = take_integer(&mut fields)?;
        let output = take_integer(&mut fields)?;
        if take_integer(&mut fields)? != LZMA2 || compressed == 0 {
            return None;
        }
        Some(Self {
            header: len,
            unpadded: usize::try_from(compressed).ok()?.checked_add(len)?,
            output,
        })
    }

    /// Returns the length of the block, with padding and checksum.
    pub(super) fn block_len(&self, check: BlockCheck) -> usize {
        self.unpadded.next_multiple_of(4) + check.len()
    }
}

/// Returns the length of a header by its first byte.
pub(super) fn header_len(size: u8) -> usize {
    4 * (usize::from(size) + 1)
}

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// Takes a multibyte integer (section 1.2), of at most nine bytes.
fn take_integer(bytes: &mut &[u8]) -> Option<u64> {
    let last = bytes.iter().take(9).position(|byte| byte & 0x80 == 0)?;
    let (integer, rest) = bytes.split_at(last + 1);
    *bytes = rest;
    let add = |value: u64, byte: &u8| value << 7 | u64::from(byte & 0x7f);
    Some(integer.iter().rev().fold(0, add))
}

fn push_integer(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::super::xz_writer::{ClaimedSizes, XzBlock, xz_stream};
    use super::*;
    use lzma_rust2::{CheckType, XzReaderMt};
    use std::io::Cursor;

    const CHECKS: [CheckType; 4] = [
        CheckType::None,
        CheckType::Crc32,
        CheckType::Crc64,
        CheckType::Sha256,
    ];

    /// A reader that begins with the index accepts the sizes in it.
    #[test]
    fn streams_around_blocks_are_whole() {
        for check in CHECKS {
            for len in [1, 60, 127, 128, 20_000] {
                let (text, sizes) = (vec![b'a'; len], ClaimedSizes::default());
                let block = XzBlock::new(&text, check);
                let header = block.header(sizes);
                let bytes = [&header[..], &block.data, &block.end].concat();
                let sizes = BlockSizes::parse(&bytes).unwrap();
                assert_eq!((sizes.output, sizes.header), (len as u64, header.len()));
                let stream = xz_stream(&[(text.clone(), ClaimedSizes::default())], check);
                let found = BlockCheck::of_stream(&stream).unwrap();
                assert_eq!(found.stream_of(&bytes, &sizes, len as u64), stream);
                let mut reader = XzReaderMt::new(Cursor::new(stream), false, 1).unwrap();
                let mut out = Vec::new();
                reader.read_to_end(&mut out).unwrap();
                assert!(out == text);
            }
        }
    }

    #[test]
    fn only_headers_with_a_right_checksum_are_parsed() {
        let block = XzBlock::new(b"text", CheckType::Crc64);
        let header = block.header(ClaimedSizes::default());
        assert!(BlockSizes::parse(&header).is_some());
        for at in 0..header.len() {
            assert_eq!(BlockSizes::parse(&header[..at]), None);
            let mut bad = header.clone();
            bad[at] ^= 0x10;
            assert_eq!(BlockSizes::parse(&bad), None, "{at}");
        }
        let stream = BlockCheck::Crc64.stream_header();
        for at in 0..stream.len() {
            let mut bad = stream.clone();
            bad[at] ^= 1;
            assert_eq!(BlockCheck::of_stream(&bad), None, "{at}");
            assert_eq!(BlockCheck::of_stream(&stream[..at]), None);
        }
    }

    #[test]
    fn integers_have_at_most_nine_bytes() {
        for value in [0, 0x7f, 0x80, 0x3fff, 0x4000, u64::MAX >> 1] {
            let mut bytes = Vec::new();
            push_integer(&mut bytes, value);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(take_integer(&mut rest), Some(value));
            assert_eq!(rest, [7]);
        }
        assert_eq!(take_integer(&mut &[0x80; 9][..]), None);
        assert_eq!(
            take_integer(&mut &[&[0x80; 9][..], &[1]].concat()[..]),
            None
        );
    }
}
