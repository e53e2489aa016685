//! Tests that output, events and errors of bzip2 files do not depend on the number of threads.
//!
//! # Limits
//! None.

use std::io::{Read, Write};

use bzip2::Compression;
use bzip2::write::BzEncoder;

use super::bzip2_ahead::Bzip2BlocksAhead;
use super::bzip2_decoder::Bzip2Decoder;
use super::bzip2_marks::{BlockMark, MarkScanner};
use super::bzip2_resume::{Crc, combine};
use super::input::LookaheadReader;
use super::thread_comparison::{
    expand_alike, fail_alike, read_alike, run, truncate_alike, whole_alike, words,
};

/// A file of several streams whose blocks are small. Other threads begin after the first block, which has a long run.
struct SampleBzip2File {
    bytes: Vec<u8>,
    text: Vec<u8>,
}

impl SampleBzip2File {
    /// Writes a stream for each list of blocks.
    fn new(streams: &[&[Vec<u8>]]) -> Self {
        let bytes = streams.iter().flat_map(|blocks| stream(blocks, b'1'));
        Self {
            bytes: bytes.collect(),
            text: streams.concat().concat(),
        }
    }
}

fn compress(text: &[u8]) -> Vec<u8> {
    let mut out = BzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text).unwrap();
    out.finish().unwrap()
}

fn marks(bytes: &[u8]) -> Vec<BlockMark> {
    let mut scanner = MarkScanner::new(0);
    let next = || scanner.next(&bytes[scanner.offset() as usize..]);
    std::iter::from_fn(next).collect()
}

/// Writes one stream with a block for each text, as a compressor with small blocks would.
fn stream(blocks: &[Vec<u8>], level: u8) -> Vec<u8> {
    let (mut bits, mut combined) = (Vec::new(), 0);
    let mut push = |bytes: &[u8], from: u64, to: u64| {
        let bit = |at: u64| bytes[(at / 8) as usize] >> (7 - at % 8) & 1;
        bits.extend((from..to).map(bit));
    };
    push(&[b'B', b'Z', b'h', level], 0, 32);
    for block in blocks {
        let alone = compress(block);
        let end = *marks(&alone).last().unwrap();
        push(&alone, 32, end.bit);
        combined = combine(combined, Crc::new().update(block).value());
    }
    push(&0x1772_4538_5090u64.to_be_bytes(), 16, 64);
    push(&combined.to_be_bytes(), 0, 32);
    let byte = |bits: &[u8]| (0..8).fold(0, |byte, bit| byte << 1 | bits.get(bit).unwrap_or(&0));
    bits.chunks(8).map(byte).collect()
}

/// Returns a block in which the byte values that occur, which its header lists, look like a magic number.
fn misleading(magic: [u16; 3], len: usize) -> Vec<u8> {
    let values = magic
        .iter()
        .zip([0x40, 0x50, 0x60])
        .flat_map(|(group, start)| {
            (0..16)
                .filter(move |bit| group << bit & 0x8000 != 0)
                .map(move |bit| start + bit)
        });
    let values: Vec<u8> = values.collect();
    let block: Vec<u8> = (0..len)
        .map(|at| values[at * at % 31 % values.len()])
        .collect();
    [values, block].concat()
}

const BLOCK: [u16; 3] = [0x3141, 0x5926, 0x5359];
const END: [u16; 3] = [0x1772, 0x4538, 0x5090];

/// Files with all that may surprise a reader of blocks.
fn samples() -> Vec<SampleBzip2File> {
    let (mut mixed, words) = (vec![run()], words(12, 900));
    mixed.extend_from_slice(&words);
    mixed.insert(4, misleading(BLOCK, 700));
    mixed.insert(5, misleading(END, 700));
    let misled: Vec<_> = (0..40).map(|len| misleading(BLOCK, 50 + len)).collect();
    let one = |block: &Vec<u8>| vec![block.clone()];
    let single: Vec<_> = [run()].iter().chain(&words).map(one).collect();
    let single: Vec<_> = single.iter().map(|blocks| &blocks[..]).collect();
    vec![
        SampleBzip2File::new(&[&mixed]),
        SampleBzip2File::new(&[&mixed[..3], &[], &mixed[3..], &mixed]),
        SampleBzip2File::new(&[&[run()], &misled, &words]),
        SampleBzip2File::new(&single),
    ]
}

#[test]
fn whole_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        whole_alike(&sample.bytes, &sample.text, &format!("file {number}"));
    }
}

#[test]
fn truncated_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        let ends = marks(&sample.bytes);
        let near = ends
            .iter()
            .flat_map(|mark| mark.bit / 8 - 1..mark.bit / 8 + 12);
        let cuts = (16..sample.bytes.len()).step_by(607);
        let mut cuts: Vec<_> = cuts
            .chain(near.step_by(7).map(|cut| cut as usize))
            .collect();
        cuts.retain(|&cut| cut > 14 && cut < sample.bytes.len());
        let what = format!("file {number}");
        truncate_alike(&sample.bytes, &sample.text, cuts, &what);
    }
}

#[test]
fn damaged_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        let marks = marks(&sample.bytes);
        let near = marks
            .iter()
            .flat_map(|mark| mark.bit / 8..mark.bit / 8 + 14);
        let places = (4..sample.bytes.len()).step_by(701);
        let places = places.chain(near.step_by(13).map(|at| at as usize));
        for at in places.filter(|&at| at < sample.bytes.len()) {
            let mut bad = sample.bytes.clone();
            bad[at] ^= 1 << (at % 8);
            read_alike(&bad, &format!("file {number} damaged at {at}"));
            // A bit too many moves all blocks behind it.
            bad.truncate(at);
            bad.extend(
                sample.bytes[at..]
                    .windows(2)
                    .map(|pair| pair[0] << 1 | pair[1] >> 7),
            );
            read_alike(&bad, &format!("file {number} shifted at {at}"));
        }
    }
}

#[test]
fn read_errors_and_short_reads_are_alike() {
    let sample = &samples()[0];
    fail_alike(&sample.bytes, &sample.text);
}

#[test]
fn expansion_stops_alike() {
    let blocks: Vec<_> = (0..36).map(|_| vec![b'a'; 2 << 20]).collect();
    expand_alike(&stream(&blocks, b'1'), 20_000);
}

#[test]
fn blocks_come_from_other_threads() {
    let used = [11, 24, 0, 12];
    for (number, (sample, used)) in samples().iter().zip(used).enumerate() {
        let mut input = LookaheadReader::new(&sample.bytes[..]);
        let mut ahead = Some(Bzip2BlocksAhead::new(2));
        let mut out = Vec::new();
        while !input.peek(1).unwrap().is_empty() {
            let mut decoder = Bzip2Decoder::new(input, ahead);
            decoder.read_to_end(&mut out).unwrap();
            (input, ahead) = decoder.into_parts();
        }
        assert!(out == sample.text);
        let taken = ahead.unwrap().used;
        assert_eq!(taken, used, "file {number}");
    }
}
