//! Compressed mail, and mail in UTF-16: what it is known by, and reading through compression.
//!
//! # Limits
//! gzip and zstd are read through; of every other form only the beginning is known, so that it can be named. A mailbox that is read through is
//! read like standard input: it has to begin with a separator, and its first 2 MiB are sniffed. Archives of several files (tar, zip) are
//! not taken apart.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::mbox::looks_like_message;
use crate::replace::with_path;

/// A form that mail is kept in, but not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// The frames of LZ4.
    Lz4,
    /// compress (`.Z`).
    Compress,
    /// zip.
    Zip,
    /// UTF-16, with its mark or without.
    Utf16,
}

impl Packing {
    /// What bytes are, by their beginning; 16 of them are enough. No message and no mailbox begins so.
    pub fn of(start: &[u8]) -> Option<Self> {
        Some(match start {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            // A number, then that of a block or of the end.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [4, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            [0x1f, 0x9d, ..] => Self::Compress,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Self::Utf16,
            _ if is_unmarked_utf16(start) => Self::Utf16,
            _ => return None,
        })
    }

    /// True when [`open`](crate::open) reads through it.
    pub fn is_read(self) -> bool {
        matches!(self, Self::Gzip | Self::Zstd)
    }

    /// What is there, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Gzip => "compressed with gzip",
            Self::Zstd => "compressed with zstd",
            Self::Bzip2 => "compressed with bzip2",
            Self::Xz => "compressed with xz",
            Self::Lz4 => "compressed with lz4",
            Self::Compress => "compressed with compress",
            Self::Zip => "a zip archive",
            Self::Utf16 => "text in UTF-16",
        }
    }

    /// The command that writes what is inside to standard output.
    fn tool(self) -> &'static str {
        match self {
            Self::Gzip | Self::Compress => "gzip -dc",
            Self::Zstd => "zstd -dc",
            Self::Bzip2 => "bzip2 -dc",
            Self::Xz => "xz -dc",
            Self::Lz4 => "lz4 -dc",
            Self::Zip => "unzip -p",
            Self::Utf16 => "mailglot convert -f utf-16 -t utf-8",
        }
    }

    /// Why it is not read, and what to do.
    pub(crate) fn refused(self, path: &Path) -> io::Error {
        let file = if path.as_os_str() == "-" { String::new() } else { format!(" {}", path.display()) };
        let (words, tool) = (self.words(), self.tool());
        let text =
            format!("this is {words}, which is not read; give what is inside: {tool}{file} | mailglot … -");
        with_path(path, &io::Error::new(io::ErrorKind::Unsupported, text))
    }
}

/// ASCII with a NUL before or behind every character.
fn is_unmarked_utf16(start: &[u8]) -> bool {
    let printed = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r');
    let Some(start) = start.first_chunk::<8>() else { return false };
    let (pairs, _) = start.as_chunks::<2>();
    pairs.iter().all(|pair| pair[0] == 0 && printed(pair[1]))
        || pairs.iter().all(|pair| pair[1] == 0 && printed(pair[0]))
}

/// True when a file that is not read may hold mail, by its beginning. Of text in UTF-16 that is known, of anything compressed it is not.
pub(crate) fn may_be_mail(start: &[u8], packing: Packing) -> bool {
    // The text without every other byte: enough to know ASCII by.
    let plain =
        || -> Vec<u8> { start.iter().copied().filter(|byte| !matches!(byte, 0 | 0xfe | 0xff)).collect() };
    packing != Packing::Utf16 || looks_like_message(&plain())
}

/// Reads through compression; what cannot be read through is refused.
pub(crate) fn through(path: &Path, mut input: impl Read + Send + 'static) -> io::Result<Through> {
    let start = head(&mut input).map_err(|error| with_path(path, &error))?;
    let packing = Packing::of(&start);
    let whole = Cursor::new(start).chain(input);
    Ok(match packing {
        None => Box::new(whole),
        Some(Packing::Gzip) => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole))),
        Some(Packing::Zstd) => {
            Box::new(zstd::stream::read::Decoder::new(whole).map_err(|error| with_path(path, &error))?)
        }
        Some(packing) => return Err(packing.refused(path)),
    })
}

/// What was compressed.
pub(crate) type Through = Box<dyn Read + Send>;

/// Enough to tell the form by.
fn head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    beginning(input, 16)
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
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn forms_are_known_by_their_beginnings() {
        let utf16 = |mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]| {
            [mark, &text.encode_utf16().flat_map(bytes).collect::<Vec<_>>()].concat()
        };
        for (start, packing) in [
            (gzip(b"x"), Some(Packing::Gzip)),
            (zstd::bulk::compress(b"x", 1).unwrap(), Some(Packing::Zstd)),
            (b"\x5e\x2a\x4d\x18\0\0\0\0".to_vec(), Some(Packing::Zstd)),
            (b"BZh91AY&SY....".to_vec(), Some(Packing::Bzip2)),
            (b"BZh9\x17\x72\x45\x38\x50\x90".to_vec(), Some(Packing::Bzip2)),
            (b"\xfd7zXZ\0".to_vec(), Some(Packing::Xz)),
            (b"\x04\x22\x4d\x18".to_vec(), Some(Packing::Lz4)),
            (b"\x1f\x9d\x90".to_vec(), Some(Packing::Compress)),
            (b"PK\x03\x04".to_vec(), Some(Packing::Zip)),
            (utf16(b"\xff\xfe", "From ", u16::to_le_bytes), Some(Packing::Utf16)),
            (utf16(b"\xfe\xff", "From ", u16::to_be_bytes), Some(Packing::Utf16)),
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
        let read = |bytes: &[u8]| -> io::Result<Vec<u8>> {
            let mut out = Vec::new();
            through(Path::new("box.gz"), Cursor::new(bytes.to_vec()))?.read_to_end(&mut out)?;
            Ok(out)
        };
        let (head, tail) = text.split_at(1000);
        let zstd = |bytes| zstd::bulk::compress(bytes, 1).unwrap();
        for packed in [
            text.clone(),
            gzip(&text),
            // One behind the other, as `cat` puts them.
            [gzip(head), gzip(tail)].concat(),
            zstd(&text),
            [zstd(head), zstd(tail)].concat(),
        ] {
            assert!(read(&packed).unwrap() == text);
        }
        for whole in [gzip(&text), zstd(&text)] {
            let cut = read(&whole[..whole.len() - 5]).unwrap_err();
            assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof, "{cut}");
        }
        let error = read(b"BZh91AY&SY").unwrap_err().to_string();
        assert_eq!(
            error,
            "box.gz: this is compressed with bzip2, which is not read; give what is inside: \
             bzip2 -dc box.gz | mailglot … -"
        );
        assert_eq!(read(b"").unwrap(), b"");
    }
}
