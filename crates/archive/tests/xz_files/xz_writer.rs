//! Writes xz streams whose blocks have their sizes in their headers, as `xz -T` does.
//!
//! # Limits
//! For tests. Cannot write a block without text whose checksum is SHA-256.

use flate2::Crc;
use lzma_rust2::{CheckType, XzOptions, XzWriter};
use std::io::Write;

/// Length of a stream's header and footer.
const HEADER: usize = 12;

/// What the header of a block says about its sizes: the right ones unless others are given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClaimedSizes {
    /// True if it says nothing, as in the files of `xz -T1`.
    pub(crate) are_missing: bool,
    pub(crate) compressed: Option<u64>,
    pub(crate) output: Option<u64>,
}

/// One block, without its header.
pub(crate) struct XzBlock {
    dictionary: u8,
    /// Compressed data.
    pub(crate) data: Vec<u8>,
    /// Padding and checksum.
    pub(crate) end: Vec<u8>,
    /// Length of the text.
    pub(crate) output: u64,
}

impl XzBlock {
    /// Compresses a text.
    pub(crate) fn new(text: &[u8], check: CheckType) -> Self {
        let sum = match check {
            CheckType::None => 0,
            CheckType::Crc32 => 4,
            CheckType::Crc64 => 8,
            CheckType::Sha256 => 32,
        };
        if text.is_empty() {
            assert!(check != CheckType::Sha256, "the checksum is not zero");
            return Self {
                dictionary: 0,
                data: vec![0],
                end: vec![0; 3 + sum],
                output: 0,
            };
        }
        let alone = compress(text, check);
        let (stream, footer) = alone.split_at(alone.len() - HEADER);
        let backward = u32::from_le_bytes(footer[4..8].try_into().unwrap());
        let (block, index) = stream.split_at(stream.len() - 4 * (backward as usize + 1));
        let block = &block[HEADER..];
        // The length without padding, in the one record of the index.
        let mut record = index[2..].iter();
        let (mut unpadded, mut shift) = (0, 0);
        while let Some(byte @ 0x80..) = record.next() {
            unpadded |= usize::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let last = index[2 + shift / 7];
        unpadded |= usize::from(last) << shift;
        let header = 4 * (usize::from(block[0]) + 1);
        let (data, end) = block[header..].split_at(unpadded - header - sum);
        Self {
            dictionary: block[4],
            data: data.to_vec(),
            end: end.to_vec(),
            output: text.len() as u64,
        }
    }

    /// Returns a header.
    pub(crate) fn header(&self, sizes: ClaimedSizes) -> Vec<u8> {
        let mut header = vec![0, 0];
        if !sizes.are_missing {
            header[1] = 0xc0;
            let right = self.data.len() as u64;
            header.extend(integer(sizes.compressed.unwrap_or(right)));
            header.extend(integer(sizes.output.unwrap_or(self.output)));
        }
        header.extend([0x21, 1, self.dictionary]);
        header.resize(header.len().next_multiple_of(4), 0);
        header[0] = (header.len() / 4) as u8;
        header.extend(crc32(&header));
        header
    }
}

/// Writes one stream with a block for each text.
pub(crate) fn xz_stream(blocks: &[(Vec<u8>, ClaimedSizes)], check: CheckType) -> Vec<u8> {
    let mut bytes = compress(b"", check)[..HEADER].to_vec();
    let mut index = vec![0];
    index.extend(integer(blocks.len() as u64));
    for (text, sizes) in blocks {
        let block = XzBlock::new(text, check);
        let header = block.header(*sizes);
        let padding = block.data.len().next_multiple_of(4) - block.data.len();
        let len = header.len() + block.data.len() + block.end.len() - padding;
        index.extend(integer(len as u64));
        index.extend(integer(block.output));
        bytes.extend([header, block.data, block.end].concat());
    }
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(crc32(&index));
    let mut footer = (index.len() as u32 / 4 - 1).to_le_bytes().to_vec();
    footer.extend([0, check as u8]);
    let sum = crc32(&footer);
    [&bytes[..], &index, &sum, &footer, b"YZ"].concat()
}

fn compress(text: &[u8], check: CheckType) -> Vec<u8> {
    let mut options = XzOptions::with_preset(0);
    options.check_type = check;
    let mut out = XzWriter::new(Vec::new(), options).unwrap();
    out.write_all(text).unwrap();
    out.finish().unwrap()
}

/// Returns the checksum of headers.
pub(crate) fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// Returns a multibyte integer (The .xz File Format, section 1.2).
fn integer(value: u64) -> Vec<u8> {
    let len = (64 - value.max(1).leading_zeros()).div_ceil(7);
    let byte = |at: u32| (value >> (7 * at)) as u8 & 0x7f | if at + 1 < len { 0x80 } else { 0 };
    (0..len).map(byte).collect()
}
