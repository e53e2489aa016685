//! Decompresses mail, damaged or not, while it is read.
//!
//! # Limits
//! Reads gzip, zstd, bzip2, LZ4 (frames, and Dovecot's form), and xz with dictionaries up to 256 MiB. Other formats are recognized by their first bytes, to
//! name them in errors. Sniffs a compressed mailbox in its first 16 MiB of decompressed data. Archives of several files (tar, zip) in
//! a stream are named, but not read. Only blocks of bzip2 and xz are decompressed on several threads, and not in containers.

mod bzip2_ahead;
mod bzip2_decoder;
mod bzip2_marks;
mod bzip2_phases;
mod bzip2_resume;
pub(crate) mod dovecot_lz4;
mod input;
mod lzma2_chunks;
mod member;
mod unpack;
mod worker_threads;
mod xz_ahead;
mod xz_block;
mod xz_decoder;
mod xz_format;
mod xz_resume;

#[cfg(test)]
mod bzip2_tests;
#[cfg(test)]
mod thread_comparison;
#[cfg(test)]
mod xz_tests;
#[cfg(test)]
#[path = "../tests/xz_files/xz_writer.rs"]
mod xz_writer;

use std::io::{self, BufReader, Read};
use std::path::Path;

use self::input::LookaheadReader;
use self::unpack::Unpack;
pub(crate) use self::unpack::{CompressionEvents, ExpansionLimits};

use crate::error::{Error, ErrorKind, Operation, at};
use crate::expansion::{FREE, FREE_IN_MESSAGE, Meter};
use crate::packing::Packing;

/// Number of bytes that identify a file: the header of a tar archive's first member.
pub(crate) const BEGINNING: usize = 512;

/// Decompresses on one thread, in tests.
#[cfg(test)]
pub(crate) fn through(
    path: &Path,
    input: impl Read + Send + 'static,
    expansion: u64,
) -> Result<Through, Error> {
    through_on(path, input, expansion, 1)
}

/// Opens a file that may be compressed, and decompresses it to at most `expansion` times its size. Uses several threads if the format has
/// blocks that can be decompressed apart.
///
/// # Errors
/// The format is recognized but not supported.
pub(crate) fn through_on(
    path: &Path,
    input: impl Read + Send + 'static,
    expansion: u64,
    threads: usize,
) -> Result<Through, Error> {
    let limits = ExpansionLimits {
        ratio: expansion,
        free: FREE,
        meter: None,
    };
    decompress(path, input, limits, threads, &CompressionEvents::default())
}

/// Like [`through_on`] on one thread, with all limits, and a list that gets the defects.
pub(crate) fn through_within(
    path: &Path,
    input: impl Read + Send + 'static,
    limits: ExpansionLimits,
    defects: &CompressionEvents,
) -> Result<Through, Error> {
    decompress(path, input, limits, 1, defects)
}

/// Like [`through_within`], for a compressed message file. It ends at the same byte, whatever number of bytes the caller reads at a time.
pub(crate) fn through_message(
    path: &Path,
    input: impl Read + Send + 'static,
    ratio: u64,
    meter: Option<Meter>,
    defects: &CompressionEvents,
) -> Result<Through, Error> {
    let limits = ExpansionLimits {
        ratio,
        free: FREE_IN_MESSAGE,
        meter,
    };
    let mut through = through_within(path, input, limits, defects)?;
    let reader = BufReader::with_capacity(unpack::STEP, through.inside);
    through.inside = Box::new(EqualSteps(reader));
    Ok(through)
}

/// Decompresses in steps of one size, whatever size the caller asks for. The limit is checked after each step.
struct EqualSteps<R>(BufReader<R>);

impl<R: Read> Read for EqualSteps<R> {
    // The other methods of the buffered reader would pass on the sizes of the caller.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

fn decompress(
    path: &Path,
    input: impl Read + Send + 'static,
    limits: ExpansionLimits,
    threads: usize,
    defects: &CompressionEvents,
) -> Result<Through, Error> {
    let mut input = LookaheadReader::new(input);
    let packing = Packing::of(input.peek(16).map_err(at(path, Operation::Read))?);
    match packing {
        None => Ok(Through {
            inside: Box::new(input),
            packing,
            defects: defects.clone(),
        }),
        Some(read) if read.is_read() => {
            let inside = Unpack::new(input, read, limits, threads, defects);
            Ok(Through {
                inside: Box::new(inside),
                packing,
                defects: defects.clone(),
            })
        }
        Some(refused) => Err(Error::new(
            path,
            Operation::Read,
            ErrorKind::NotRead(refused),
        )),
    }
}

/// The content of a file that may be compressed.
pub(crate) struct Through {
    inside: Box<dyn Read + Send>,
    /// The compression, if there is any.
    pub(crate) packing: Option<Packing>,
    /// The defects found so far.
    pub(crate) defects: CompressionEvents,
}

impl Through {
    /// Returns the first `most` bytes, which can be read again. Fewer if the content is shorter.
    pub(crate) fn peek(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let start = beginning(&mut self.inside, most)?;
        self.put_back(start.clone());
        Ok(start)
    }

    /// Reads up to `most` bytes ahead, and returns their number.
    pub(crate) fn read_ahead(&mut self, most: u64) -> io::Result<u64> {
        let mut start = Vec::new();
        let read = self.inside.by_ref().take(most).read_to_end(&mut start)?;
        self.put_back(start);
        Ok(read as u64)
    }

    fn put_back(&mut self, start: Vec<u8>) {
        let rest = std::mem::replace(&mut self.inside, Box::new(io::empty()));
        self.inside = Box::new(io::Cursor::new(start).chain(rest));
    }

    /// Wraps a reader that decompresses a member of a container and adds its defects to `defects`.
    pub(crate) fn plain(inside: impl Read + Send + 'static, defects: CompressionEvents) -> Self {
        Self {
            inside: Box::new(inside),
            packing: None,
            defects,
        }
    }
}

impl Read for Through {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inside.read(into)
    }
}

/// Returns the first `most` bytes, or fewer if the input is shorter.
pub(crate) fn beginning(input: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(most);
    input.by_ref().take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bzip2::write::BzEncoder;
    use flate2::{Compression, write::GzEncoder};
    use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
    use lzma_rust2::{XzOptions, XzWriter};
    use std::io::{Cursor, Write};

    type Pack = fn(&[u8]) -> Vec<u8>;

    /// All supported compressions.
    const PACKS: [Pack; 5] = [gzip, zstd, bzip2, xz, lz4];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Compresses in blocks of 100 KB.
    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut out = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Compresses with checksums of the blocks and of the content.
    fn lz4(bytes: &[u8]) -> Vec<u8> {
        let info = FrameInfo::new()
            .block_size(BlockSize::Max64KB)
            .block_checksums(true)
            .content_checksum(true);
        let mut out = FrameEncoder::with_frame_info(info, Vec::new());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        xz_with(bytes, XzOptions::with_preset(1))
    }

    fn xz_with(bytes: &[u8], options: XzOptions) -> Vec<u8> {
        let mut out = XzWriter::new(Vec::new(), options).unwrap();
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn detects_formats_by_first_bytes() {
        let utf16 = |mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]| {
            [
                mark,
                &text.encode_utf16().flat_map(bytes).collect::<Vec<_>>(),
            ]
            .concat()
        };
        for (start, packing) in [
            (gzip(b"x"), Some(Packing::Gzip)),
            (zstd::bulk::compress(b"x", 1).unwrap(), Some(Packing::Zstd)),
            (b"\x5e\x2a\x4d\x18\0\0\0\0".to_vec(), Some(Packing::Zstd)),
            (bzip2(b"x"), Some(Packing::Bzip2)),
            (
                b"BZh9\x17\x72\x45\x38\x50\x90".to_vec(),
                Some(Packing::Bzip2),
            ),
            (xz(b"x"), Some(Packing::Xz)),
            (b"\x04\x22\x4d\x18".to_vec(), Some(Packing::Lz4)),
            (b"\x1f\x9d\x90".to_vec(), Some(Packing::Compress)),
            (b"PK\x03\x04".to_vec(), Some(Packing::Zip)),
            (
                utf16(b"\xff\xfe", "From ", u16::to_le_bytes),
                Some(Packing::Utf16),
            ),
            (
                utf16(b"\xfe\xff", "From ", u16::to_be_bytes),
                Some(Packing::Utf16),
            ),
            (utf16(b"", "From a", u16::to_le_bytes), Some(Packing::Utf16)),
            (utf16(b"", "From a", u16::to_be_bytes), Some(Packing::Utf16)),
            (b"From a@b Mon Jan  1 00:00:00 2001\n".to_vec(), None),
            (b"\xef\xbb\xbfFrom a@b".to_vec(), None),
            (b"BZh91: a field\n".to_vec(), None),
            (b"A\0B\0C\0".to_vec(), None),
            (b"".to_vec(), None),
        ] {
            assert_eq!(Packing::of(&start), packing, "{}", start.escape_ascii());
            assert_eq!(Packing::of(&start[..start.len().min(16)]), packing);
        }
    }

    #[test]
    fn decompresses_all_formats() {
        let text = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nwords\n".repeat(5000);
        let (head, tail) = text.split_at(1000);
        assert!(read(&text).unwrap() == (text.clone(), Vec::new()));
        for pack in PACKS {
            assert!(read(&pack(&text)).unwrap() == (text.clone(), Vec::new()));
            // Two streams one after the other, as `cat` joins them.
            assert!(
                read(&[pack(head), pack(tail)].concat()).unwrap() == (text.clone(), Vec::new())
            );
        }
        let error = read(b"\x1f\x9d\x90").unwrap_err().to_string();
        let words = "box.gz: compressed with compress, which is not supported";
        assert_eq!(error, words);
        assert_eq!(read(b"").unwrap(), (Vec::new(), Vec::new()));
    }

    /// Code and offset of each event.
    type Seen = Vec<(&'static str, u64)>;

    /// Returns the decompressed bytes and the events.
    fn read(bytes: &[u8]) -> io::Result<(Vec<u8>, Seen)> {
        let (mut inside, mut out) = (
            through(Path::new("box.gz"), Cursor::new(bytes.to_vec()), 200)?,
            Vec::new(),
        );
        inside.read_to_end(&mut out)?;
        Ok((
            out,
            inside
                .defects
                .take()
                .iter()
                .map(|event| (event.kind.code(), event.offset))
                .collect(),
        ))
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let mut out = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        out.include_checksum(true).unwrap();
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Returns text that compresses badly.
    fn text() -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (state >> 24) as u8 % 26
        };
        (0..200_000).map(|_| next()).collect()
    }

    #[test]
    fn trailing_bytes_are_skipped_and_reported() {
        let text = text();
        for pack in PACKS {
            let whole = pack(&text);
            let end = whole.len() as u64;
            let other = if pack(b"").starts_with(b"\x1f") {
                zstd(b"x")
            } else {
                gzip(b"x")
            };
            for rest in [
                vec![0; 1],
                vec![0; 100_000],
                b"\n".to_vec(),
                b"\0\0junk".repeat(30_000),
                other,
            ] {
                let (out, defects) = read(&[&whole[..], &rest].concat()).unwrap();
                assert!(out == text);
                assert_eq!(defects, [("box.trailing-bytes", end)]);
            }
            // Tapes pad their blocks with zeros, and the next file follows.
            let (out, defects) = read(&[&whole[..], &[0; 511], &whole, &[0; 7]].concat()).unwrap();
            assert!(out == text.repeat(2));
            assert_eq!(
                defects,
                [
                    ("box.trailing-bytes", end),
                    ("box.trailing-bytes", 2 * end + 511)
                ]
            );
        }
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let whole = [
            skippable,
            &zstd(&text)[..],
            skippable,
            &zstd(&text),
            skippable,
        ]
        .concat();
        assert!(read(&whole).unwrap() == (text.repeat(2), Vec::new()));
    }

    #[test]
    fn truncated_data_are_read_to_the_end() {
        let text = text();
        for pack in PACKS {
            let whole = pack(&text);
            let mut longest = 0;
            for cut in (20..whole.len())
                .step_by(997)
                .chain(whole.len() - 12..whole.len())
            {
                let (out, defects) = read(&whole[..cut]).unwrap();
                assert!(text.starts_with(&out) && out.len() >= longest, "{cut}");
                longest = out.len();
                assert_eq!(defects, [("box.damaged", cut as u64)]);
            }
            assert_eq!(longest, text.len());
            // The member before the damage stays whole.
            let part = whole.len() * 3 / 4;
            let (out, defects) = read(&[&whole, &whole[..part]].concat()).unwrap();
            assert!(out.starts_with(&text) && out.len() > text.len());
            assert_eq!(defects, [("box.damaged", (whole.len() + part) as u64)]);
        }
    }

    #[test]
    fn damaged_data_are_read_up_to_the_damage() {
        let text = text();
        let mut whole = gzip(&text);
        let checksum = whole.len() - 8;
        whole[checksum] ^= 1;
        let (out, defects) = read(&[&whole[..], &gzip(b"next")].concat()).unwrap();
        assert!(out == [&text[..], b"next"].concat());
        assert_eq!(defects, [("box.damaged", whole.len() as u64)]);
        for pack in PACKS {
            let whole = pack(&text);
            let (mut unharmed, mut before) = (0, 0);
            for at in (30..whole.len() - 30).step_by(4999) {
                let mut bad = whole.clone();
                bad[at..at + 20].fill(0xff);
                let (out, defects) = read(&bad).unwrap();
                // A stream may seem to end at the damage: then the rest is reported as trailing bytes.
                assert!(defects.len() <= 2, "{at}: {defects:?}");
                assert_eq!(defects[0].0, "box.damaged");
                let same = out.iter().zip(&text).take_while(|(a, b)| a == b).count();
                unharmed += same;
                before += at;
            }
            // Most of the data before the damage is read. zstd, bzip2 and LZ4 only return whole blocks of 64 KB and more.
            let in_blocks = [&b"\x28"[..], b"B", b"\x04"]
                .iter()
                .any(|start| whole.starts_with(start));
            assert!(in_blocks || unharmed > before, "{unharmed} of {before}");
        }
    }

    #[test]
    fn all_damage_is_reported() {
        let text = &text()[..3000];
        for pack in PACKS {
            let whole = pack(text);
            for at in 10..whole.len() {
                for flip in [1, 0x10, 0xff] {
                    let mut bad = whole.clone();
                    bad[at] ^= flip;
                    match read(&bad) {
                        Ok((out, defects)) => {
                            assert!(out == text || !defects.is_empty(), "{at} {flip}");
                        }
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory, "{at} {flip}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lz4_of_dovecot_is_read() {
        let text = text();
        let whole = dovecot_lz4::compress(&text);
        assert_eq!(Packing::of(&whole[..16]), Some(Packing::Lz4));
        assert_eq!(Packing::of(b"Dovecot-LZ4: x\n"), None);
        assert!(read(&whole).unwrap() == (text.clone(), Vec::new()));
        let mut ends = vec![];
        let mut end = 19;
        while end < whole.len() {
            let size = u32::from_be_bytes(*whole[end..].first_chunk().unwrap());
            end += 4 + size as usize;
            ends.push(end);
        }
        assert!(ends.len() == 4 && end == whole.len());
        for cut in (15..whole.len()).step_by(991).chain(15..30) {
            let (out, defects) = read(&whole[..cut]).unwrap();
            let chunks = ends.iter().filter(|end| **end <= cut).count();
            assert!(text.starts_with(&out) && out.len() == chunks << 16);
            assert_eq!(defects, [("box.damaged", cut as u64)]);
        }
        // The format has no end mark.
        assert!(read(&whole[..ends[1]]).unwrap() == (text[..2 << 16].to_vec(), Vec::new()));
        // Sizes that no file has: of the largest chunk, and of a chunk.
        for (at, number) in [
            (15, (1u32 << 20) + 1),
            (15, 7),
            (19, 0),
            (19, u32::MAX),
            (ends[0], 0),
        ] {
            let mut bad = whole.clone();
            bad[at..at + 4].copy_from_slice(&number.to_be_bytes());
            let (out, defects) = read(&bad).unwrap();
            assert_eq!(out.len(), if at == ends[0] { 1 << 16 } else { 0 });
            assert!(
                defects.len() == 1 && defects[0].0 == "box.damaged",
                "{at} {number}"
            );
        }
    }

    #[test]
    fn huge_dictionary_is_rejected() {
        let mut options = XzOptions::with_preset(0);
        options.lzma_options.dict_size = 300 << 20;
        let error = read(&xz_with(b"From ", options)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        assert!(matches!(ErrorKind::from(error), ErrorKind::LargeDictionary));
    }

    /// For each compression and several limits: the output is a prefix of the original, of the length that the limit allows.
    #[test]
    fn expansion_stops_at_the_limit() {
        const FREE: usize = 64 << 20;
        let large = vec![b'a'; FREE + (8 << 20)];
        for pack in PACKS {
            let packed = pack(&large);
            let times = large.len() / packed.len();
            assert!(times > 200, "{times}");
            for most in [1, 200] {
                let mut inside =
                    through(Path::new("box.gz"), Cursor::new(packed.clone()), most).unwrap();
                let mut out = Vec::new();
                inside.read_to_end(&mut out).unwrap();
                assert!(
                    (FREE..=FREE + STEP_OF_TESTS).contains(&out.len()),
                    "{}",
                    out.len()
                );
                let defects = inside.defects.take();
                assert!(
                    defects.len() == 1 && defects[0].kind.code() == "box.expansion",
                    "{defects:?}"
                );
                assert!(defects[0].offset <= packed.len() as u64);
            }
            // Below the free allowance and below the limit, everything is read.
            for (packed, len, most) in [
                (pack(&large[..FREE]), FREE, 1),
                (packed, large.len(), u64::MAX),
            ] {
                let mut inside = through(Path::new("box.gz"), Cursor::new(packed), most).unwrap();
                assert_eq!(io::copy(&mut inside, &mut io::sink()).unwrap(), len as u64);
                assert!(inside.defects.take().is_empty());
            }
        }
    }

    /// No decoder returns more at once.
    const STEP_OF_TESTS: usize = 16 << 10;

    #[test]
    fn read_error_is_not_damage() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::TimedOut))
            }
        }
        for pack in PACKS {
            let whole = pack(&text());
            for cut in [20, 1000, whole.len()] {
                let input = Cursor::new(whole[..cut].to_vec()).chain(Broken);
                let mut inside = through(Path::new("box.gz"), input, 200).unwrap();
                let error = inside.read_to_end(&mut Vec::new()).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                assert!(inside.defects.take().is_empty());
            }
        }
    }
}
