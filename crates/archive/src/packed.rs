//! Reads mail through compression, damaged or not.
//!
//! # Limits
//! gzip, zstd, bzip2 and xz are read through, the last with dictionaries up to 256 MiB; of every other form only the beginning is known, so that it can be named. A mailbox that is read through is
//! sniffed in the first 16 MiB of what is inside. Archives of several files (tar, zip), compressed or not, are
//! named and not taken apart.

mod input;
mod member;
mod unpack;

use std::io::{self, Read};
use std::path::Path;

use self::input::Input;
pub(crate) use self::unpack::Told;
use self::unpack::Unpack;

use crate::error::{Error, ErrorKind, Operation, at};
use crate::packing::Packing;

/// Bytes that tell what a file is: the head of the first member of a tar archive.
pub(crate) const BEGINNING: usize = 512;

/// Reads through compression, up to `expansion` times its size; what cannot be read through is refused.
pub(crate) fn through(
    path: &Path,
    input: impl Read + Send + 'static,
    expansion: u64,
) -> Result<Through, Error> {
    let mut input = Input::new(input);
    let packing = Packing::of(input.peek(16).map_err(at(path, Operation::Read))?);
    match packing {
        None => Ok(Through {
            inside: Box::new(input),
            packing,
            told: Told::default(),
        }),
        Some(read) if read.is_read() => {
            let inside = Unpack::new(input, read, expansion);
            let told = inside.told();
            Ok(Through {
                inside: Box::new(inside),
                packing,
                told,
            })
        }
        Some(refused) => Err(Error::new(
            path,
            Operation::Read,
            ErrorKind::NotRead(refused),
        )),
    }
}

/// What was compressed.
pub(crate) struct Through {
    inside: Box<dyn Read + Send>,
    /// What is read through, if anything is.
    pub(crate) packing: Option<Packing>,
    /// What was wrong with it, so far.
    pub(crate) told: Told,
}

impl Read for Through {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inside.read(into)
    }
}

/// As many of the first bytes as there are.
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
    use lzma_rust2::{XzOptions, XzWriter};
    use std::io::{Cursor, Write};

    type Pack = fn(&[u8]) -> Vec<u8>;

    /// All forms that are read through.
    const PACKS: [Pack; 4] = [gzip, zstd, bzip2, xz];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// In blocks of 100 KB.
    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut out = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
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
    fn forms_are_known_by_their_beginnings() {
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
    fn compression_is_read_through() {
        let text = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nwords\n".repeat(5000);
        let (head, tail) = text.split_at(1000);
        assert!(read(&text).unwrap() == (text.clone(), Vec::new()));
        for pack in PACKS {
            assert!(read(&pack(&text)).unwrap() == (text.clone(), Vec::new()));
            // One behind the other, as `cat` puts them.
            assert!(
                read(&[pack(head), pack(tail)].concat()).unwrap() == (text.clone(), Vec::new())
            );
        }
        let error = read(b"\x04\x22\x4d\x18").unwrap_err().to_string();
        assert_eq!(error, "box.gz: compressed with lz4, which is not supported");
        assert_eq!(read(b"").unwrap(), (Vec::new(), Vec::new()));
    }

    /// Code and offset of what was told.
    type Seen = Vec<(&'static str, u64)>;

    /// What is inside, and what was told.
    fn read(bytes: &[u8]) -> io::Result<(Vec<u8>, Seen)> {
        let (mut inside, mut out) = (
            through(Path::new("box.gz"), Cursor::new(bytes.to_vec()), 200)?,
            Vec::new(),
        );
        inside.read_to_end(&mut out)?;
        Ok((
            out,
            inside
                .told
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

    /// Text that compresses badly.
    fn text() -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (state >> 24) as u8 % 26
        };
        (0..200_000).map(|_| next()).collect()
    }

    #[test]
    fn what_follows_compression_is_left_out_and_told() {
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
                let (out, told) = read(&[&whole[..], &rest].concat()).unwrap();
                assert!(out == text);
                assert_eq!(told, [("box.trailing-bytes", end)]);
            }
            // Tapes fill their blocks, and the next file begins behind.
            let (out, told) = read(&[&whole[..], &[0; 511], &whole, &[0; 7]].concat()).unwrap();
            assert!(out == text.repeat(2));
            assert_eq!(
                told,
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
    fn what_is_cut_off_is_read_up_to_there() {
        let text = text();
        for pack in PACKS {
            let whole = pack(&text);
            let mut longest = 0;
            for cut in (20..whole.len())
                .step_by(997)
                .chain(whole.len() - 12..whole.len())
            {
                let (out, told) = read(&whole[..cut]).unwrap();
                assert!(text.starts_with(&out) && out.len() >= longest, "{cut}");
                longest = out.len();
                assert_eq!(told, [("box.damaged", cut as u64)]);
            }
            assert_eq!(longest, text.len());
            // The member before stays whole.
            let part = whole.len() * 3 / 4;
            let (out, told) = read(&[&whole, &whole[..part]].concat()).unwrap();
            assert!(out.starts_with(&text) && out.len() > text.len());
            assert_eq!(told, [("box.damaged", (whole.len() + part) as u64)]);
        }
    }

    #[test]
    fn what_is_damaged_is_read_up_to_there_and_what_has_another_checksum_whole() {
        let text = text();
        let mut whole = gzip(&text);
        let checksum = whole.len() - 8;
        whole[checksum] ^= 1;
        let (out, told) = read(&[&whole[..], &gzip(b"next")].concat()).unwrap();
        assert!(out == [&text[..], b"next"].concat());
        assert_eq!(told, [("box.damaged", whole.len() as u64)]);
        for pack in PACKS {
            let whole = pack(&text);
            let (mut unharmed, mut before) = (0, 0);
            for at in (30..whole.len() - 30).step_by(4999) {
                let mut bad = whole.clone();
                bad[at..at + 20].fill(0xff);
                let (out, told) = read(&bad).unwrap();
                // A stream that seems to end is not trusted either: what follows is told.
                assert!(told.len() <= 2, "{at}: {told:?}");
                assert_eq!(told[0].0, "box.damaged");
                let same = out.iter().zip(&text).take_while(|(a, b)| a == b).count();
                unharmed += same;
                before += at;
            }
            // Most of what lies before the damage; zstd and bzip2 give their blocks of 100 KB and more whole.
            let in_blocks = whole.starts_with(b"\x28") || whole.starts_with(b"B");
            assert!(in_blocks || unharmed > before, "{unharmed} of {before}");
        }
    }

    #[test]
    fn no_damage_is_silent() {
        let text = &text()[..3000];
        for pack in PACKS {
            let whole = pack(text);
            for at in 10..whole.len() {
                for flip in [1, 0x10, 0xff] {
                    let mut bad = whole.clone();
                    bad[at] ^= flip;
                    match read(&bad) {
                        Ok((out, told)) => assert!(out == text || !told.is_empty(), "{at} {flip}"),
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory, "{at} {flip}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_dictionary_beyond_all_measure_is_refused() {
        let mut options = XzOptions::with_preset(0);
        options.lzma_options.dict_size = 300 << 20;
        let error = read(&xz_with(b"From ", options)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        assert!(matches!(ErrorKind::from(error), ErrorKind::LargeDictionary));
    }

    /// Each form, at several ceilings: what is read is a beginning of what is inside, of the length that the ceiling allows.
    #[test]
    fn what_expands_beyond_all_measure_is_read_up_to_there() {
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
                let told = inside.told.take();
                assert!(
                    told.len() == 1 && told[0].kind.code() == "box.expansion",
                    "{told:?}"
                );
                assert!(told[0].offset <= packed.len() as u64);
            }
            // Below the free part, and below the ceiling, all of it is read.
            for (packed, len, most) in [
                (pack(&large[..FREE]), FREE, 1),
                (packed, large.len(), u64::MAX),
            ] {
                let mut inside = through(Path::new("box.gz"), Cursor::new(packed), most).unwrap();
                assert_eq!(io::copy(&mut inside, &mut io::sink()).unwrap(), len as u64);
                assert!(inside.told.take().is_empty());
            }
        }
    }

    /// No decoder gives more at once.
    const STEP_OF_TESTS: usize = 16 << 10;

    #[test]
    fn an_error_of_the_file_is_no_damage() {
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
                assert!(inside.told.take().is_empty());
            }
        }
    }
}
