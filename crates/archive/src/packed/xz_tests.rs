//! Tests that output, events and errors of xz files do not depend on the number of threads.
//!
//! # Limits
//! None.

use std::io::{Cursor, Read};

use lzma_rust2::CheckType;

use super::input::LookaheadReader;
use super::thread_comparison::{
    expand_alike, fail_alike, read_alike, run, truncate_alike, whole_alike, words,
};
use super::xz_ahead::XzBlocksAhead;
use super::xz_decoder::XzDecoder;
use super::xz_writer::{ClaimedSizes, XzBlock, crc32, xz_stream};

/// Returns the offsets at which blocks begin, if no text looks like a header.
fn block_starts(bytes: &[u8]) -> Vec<usize> {
    let is_start = |&at: &usize| {
        let rest = &bytes[at..];
        let header = rest
            .get(..4 * (usize::from(rest[0]) + 1))
            .unwrap_or_default();
        let sum = header.split_last_chunk::<4>();
        rest[0] != 0 && sum.is_some_and(|(fields, sum)| crc32(fields) == *sum)
    };
    (0..bytes.len()).step_by(4).filter(is_start).collect()
}

/// What compressors write that know the sizes.
const RIGHT: ClaimedSizes = ClaimedSizes {
    are_missing: false,
    compressed: None,
    output: None,
};

/// A file, and its text.
struct SampleXzFile {
    bytes: Vec<u8>,
    text: Vec<u8>,
    /// Number of blocks that come from other threads.
    ahead: u32,
}

impl SampleXzFile {
    fn new(streams: &[&[(Vec<u8>, ClaimedSizes)]], check: CheckType, ahead: u32) -> Self {
        let texts = streams.iter().flat_map(|blocks| blocks.iter());
        Self {
            bytes: streams
                .iter()
                .flat_map(|blocks| xz_stream(blocks, check))
                .collect(),
            text: texts.flat_map(|(text, _)| text.clone()).collect(),
            ahead,
        }
    }
}

/// Returns text that does not compress, so that its chunks are stored.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Files with all that may surprise a reader of blocks.
fn samples() -> Vec<SampleXzFile> {
    let right = |text: &Vec<u8>| (text.clone(), RIGHT);
    let mut plain = vec![(run(), RIGHT)];
    plain.extend(words(12, 900).iter().map(right));
    let mut mixed = plain.clone();
    mixed.insert(5, (noise(150_000), RIGHT));
    let mut with_empty = mixed.clone();
    with_empty.insert(2, (Vec::new(), RIGHT));
    let mut unsized_block = plain.clone();
    unsized_block[6].1.are_missing = true;
    let single: Vec<_> = plain.iter().map(std::slice::from_ref).collect();
    let small: Vec<_> = words(9, 20_000).iter().map(right).collect();
    vec![
        SampleXzFile::new(&[&plain], CheckType::Crc64, 12),
        SampleXzFile::new(
            &[&mixed, &[], &plain[..1], &mixed[..6], &small],
            CheckType::Crc32,
            13 + 5 + 8,
        ),
        SampleXzFile::new(&[&unsized_block, &plain], CheckType::Sha256, 5 + 12),
        SampleXzFile::new(&single, CheckType::Crc64, 0),
        SampleXzFile::new(&[&small, &with_empty], CheckType::None, 8 + 14),
    ]
}

#[test]
fn whole_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        whole_alike(&sample.bytes, &sample.text, &format!("file {number}"));
    }
}

/// Offsets near the starts of blocks, and some between them.
fn places(sample: &SampleXzFile) -> Vec<usize> {
    let starts = block_starts(&sample.bytes);
    let near = starts.iter().flat_map(|start| start - 9..start + 31);
    let between = (13..sample.bytes.len()).step_by(sample.bytes.len() / 50);
    let mut places: Vec<_> = near.step_by(7).chain(between).collect();
    places.retain(|&at| (12..sample.bytes.len()).contains(&at));
    places
}

#[test]
fn truncated_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        let mut cuts = places(sample);
        cuts.retain(|&cut| cut > 16);
        let what = format!("file {number}");
        truncate_alike(&sample.bytes, &sample.text, cuts, &what);
    }
}

/// The data of a chunk are decoded up to the byte where the file ends.
#[test]
fn a_truncated_file_gives_what_its_last_chunk_has() {
    let text: Vec<u8> = (0u32..60_000)
        .flat_map(|number| format!("{number:x}\n").into_bytes())
        .collect();
    let bytes = xz_stream(&[(text.clone(), RIGHT)], CheckType::Crc64);
    let mut before = 0;
    for cut in (1..20).map(|part| bytes.len() * part / 20) {
        let (output, events, error) = read_alike(&bytes[..cut], &format!("cut at {cut}"));
        assert!(text.starts_with(&output) && error.is_none());
        assert!(output.len() > before, "{cut}");
        assert!(events[0].contains("CutOff"), "{events:?}");
        before = output.len();
    }
    assert!(before > text.len() * 9 / 10, "{before} of {}", text.len());
    // Each byte of this file stands for much output.
    let lines: Vec<u8> = (0..3000u32)
        .flat_map(|number| {
            format!("{} {}\n", number % 7, "ab ".repeat(number as usize % 40)).into_bytes()
        })
        .collect();
    let bytes = xz_stream(&[(lines.clone(), RIGHT)], CheckType::Crc32);
    for cut in 30..bytes.len() - 50 {
        let (output, ..) = read_alike(&bytes[..cut], &format!("cut at {cut}"));
        assert!(lines.starts_with(&output), "{cut}");
        before = output.len();
    }
    assert!(before > 10_000, "{before}");
}

#[test]
fn damaged_files_are_read_alike() {
    for (number, sample) in samples().iter().enumerate() {
        for at in places(sample) {
            let mut bad = sample.bytes.clone();
            bad[at] ^= 1 << (at % 8);
            read_alike(&bad, &format!("file {number} damaged at {at}"));
            bad.remove(at);
            read_alike(&bad, &format!("file {number} without the byte at {at}"));
        }
    }
}

#[test]
fn read_errors_and_short_reads_are_alike() {
    for sample in samples() {
        fail_alike(&sample.bytes, &sample.text);
    }
}

#[test]
fn expansion_stops_alike() {
    let blocks: Vec<_> = (0..36)
        .map(|number| (vec![b'a' + number; 2 << 20], RIGHT))
        .collect();
    let bytes = xz_stream(&blocks, CheckType::Crc32);
    for limit in [1, 500, 1000] {
        expand_alike(&bytes, limit);
    }
}

/// Threads begin within a first block that is longer than what is read to recognize a mailbox.
#[test]
fn long_first_blocks_are_read_alike() {
    let mut blocks = vec![(vec![b'a'; 18 << 20], RIGHT)];
    blocks.extend(words(6, 900).into_iter().map(|text| (text, RIGHT)));
    let bytes = xz_stream(&blocks, CheckType::Crc64);
    let first = block_starts(&bytes)[1];
    for at in [30, 100, first / 2, first - 70, first - 30, first - 3] {
        let mut bad = bytes.clone();
        bad[at] ^= 4;
        let outcome = read_alike(&bad, &format!("damaged at {at}"));
        assert_eq!(outcome.1.len(), 1, "{at}");
        let outcome = read_alike(&bytes[..at], &format!("cut at {at}"));
        assert_eq!(outcome.1.len(), 1, "{at}");
    }
    let outcome = read_alike(&bytes, "whole");
    assert!(outcome.0.len() > 18 << 20 && outcome.1.is_empty());
}

/// The decoder of a single thread does not compare sizes. Other threads do not change that.
#[test]
fn wrong_sizes_are_read_alike() {
    let texts = words(6, 900);
    let blocks: Vec<_> = texts
        .iter()
        .map(|text| XzBlock::new(text, CheckType::Crc32))
        .collect();
    let block = &blocks[3];
    let (compressed, output) = (block.data.len() as u64, block.output);
    let with_next = block.data.len() + block.end.len() + blocks[4].header(RIGHT).len();
    let with_next = (with_next + blocks[4].data.len()) as u64;
    let lengths = [
        0,
        1,
        compressed - 1,
        compressed + 1,
        compressed + 4,
        1 << 40,
    ];
    let lengths = lengths.into_iter().chain([with_next, u64::MAX >> 1]);
    let lengths = lengths.map(|compressed| (Some(compressed), None));
    let outputs = [0, 1, output - 1, output + 1, 65 << 20, u64::MAX >> 1];
    let outputs = outputs.map(|output| (None, Some(output)));
    for (compressed, output) in lengths.chain(outputs) {
        let wrong = ClaimedSizes {
            compressed,
            output,
            ..RIGHT
        };
        for at in [0, 1, 4] {
            let mut blocks = vec![(run(), RIGHT)];
            blocks.extend(texts.iter().map(|text| (text.clone(), RIGHT)));
            blocks[at] = (texts[3].clone(), wrong);
            let text: Vec<_> = blocks.iter().flat_map(|(text, _)| text.clone()).collect();
            for check in [CheckType::None, CheckType::Crc32] {
                let what = format!("{wrong:?} in block {at}");
                let outcome = read_alike(&xz_stream(&blocks, check), &what);
                assert!(outcome == (text.clone(), Vec::new(), None), "{what}");
            }
        }
    }
}

/// Each call returns as many bytes as with one thread, and has read as much of the file.
#[test]
fn steps_and_offsets_are_alike() {
    for (number, sample) in samples().iter().enumerate() {
        for step in [1000, 4096, 1 << 20] {
            let steps = |ahead: Option<XzBlocksAhead>| {
                let (mut steps, mut buffer) = (Vec::new(), vec![0; step]);
                let mut input = LookaheadReader::new(Cursor::new(sample.bytes.clone()));
                let mut ahead = ahead;
                while !input.peek(1).unwrap().is_empty() {
                    let mut decoder = XzDecoder::new(input, ahead);
                    while let read @ 1.. = decoder.read(&mut buffer).unwrap() {
                        steps.push((read, decoder.offset()));
                    }
                    steps.push((0, decoder.offset()));
                    (input, ahead) = decoder.into_parts();
                }
                (steps, ahead.map_or(0, |ahead| ahead.used))
            };
            let expected = steps(None);
            for threads in [1, 2, 5] {
                let (found, used) = steps(Some(XzBlocksAhead::new(threads)));
                assert_eq!(found, expected.0, "file {number}");
                assert_eq!(used, sample.ahead, "file {number}");
            }
        }
    }
}
