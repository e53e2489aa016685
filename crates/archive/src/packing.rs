//! Lists the formats that mail files are packed in, compression, archives, dbox and UTF-16, with their magic numbers.
//!
//! # Limits
//! An unsupported format is only named, with the command that converts it. A zip archive after other bytes is not recognized here.

use crate::named_enum::named;

/// The first bytes of LZ4 as Dovecot's plugin mail_compress writes it.
pub(crate) const DOVECOT_LZ4: [u8; 15] = *b"Dovecot-LZ4\x0d\x2a\x9b\xc5";

named! {
    /// A file format in which mail is stored but not sent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Packing {
        /// gzip (RFC 1952).
        Gzip = "compressed with gzip",
        /// Zstandard (RFC 8878).
        Zstd = "compressed with zstd",
        /// bzip2.
        Bzip2 = "compressed with bzip2",
        /// xz.
        Xz = "compressed with xz",
        /// LZ4 frames, and the form in which Dovecot stores messages.
        Lz4 = "compressed with lz4",
        /// compress (`.Z`).
        Compress = "compressed with compress",
        /// zip.
        Zip = "a zip archive",
        /// UTF-16, with or without a byte order mark.
        Utf16 = "text in UTF-16",
        /// tar, including the formats before POSIX.
        Tar = "a tar archive",
        /// A file of Dovecot's formats sdbox and mdbox.
        Dbox = "a dbox file of Dovecot",
        /// A folder of Outlook.
        Pst = "a folder of Outlook (.pst)",
        /// A message of Outlook.
        OutlookMessage = "a message of Outlook (.msg)",
        /// An archive of 7-Zip.
        SevenZip = "an archive of 7-Zip",
        /// RAR.
        Rar = "a RAR archive",
        /// The format before xz.
        Lzma = "compressed with lzma",
    }

    /// Returns a description of the format.
    pub fn words;
}

impl Packing {
    /// Detects a format by the first bytes of a file (at most 16). No message or mailbox begins with them.
    pub fn of(start: &[u8]) -> Option<Self> {
        Some(match start {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            // The level digit, then the magic number of a block or of the end.
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                b'1',
                b'A',
                b'Y',
                b'&',
                b'S',
                b'Y',
                ..,
            ]
            | [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x17,
                0x72,
                0x45,
                0x38,
                0x50,
                0x90,
                ..,
            ] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [4, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            _ if start.starts_with(&DOVECOT_LZ4) => Self::Lz4,
            [0x1f, 0x9d, ..] => Self::Compress,
            // A member, an empty archive, or a volume.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => Self::Zip,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Self::Utf16,
            _ if is_unmarked_utf16(start) => Self::Utf16,
            _ => return None,
        })
    }

    /// Detects a format of another program that may have mail, by the first bytes of a file.
    ///
    /// Files of Office begin as messages of Outlook do; only the name tells them apart (`a.doc`, `a.msg`).
    ///
    /// ```
    /// use mailglot_archive::Packing;
    ///
    /// assert_eq!(Packing::of_other_program(b"Rar!\x1a\x07"), Some(Packing::Rar));
    /// assert_eq!(Packing::of_other_program(b"From: a@example.org"), None);
    /// ```
    pub fn of_other_program(start: &[u8]) -> Option<Self> {
        Some(match start {
            // [MS-PST], section 2.2.2.6.
            [b'!', b'B', b'D', b'N', ..] => Self::Pst,
            // [MS-CFB], section 2.2.
            [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Self::OutlookMessage,
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Self::SevenZip,
            [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Self::Rar,
            // The usual properties, and a dictionary size that is a power of two.
            [0x5d, 0, 0, size, more, ..] if size.count_ones() + more.count_ones() == 1 => {
                Self::Lzma
            }
            _ => return None,
        })
    }

    /// Returns true if [`open`](crate::open) can decompress it.
    pub fn is_read(self) -> bool {
        matches!(
            self,
            Self::Gzip | Self::Zstd | Self::Bzip2 | Self::Xz | Self::Lz4
        )
    }

    /// Returns true if it has files as members. [`recognize`](crate::recognize) finds them.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Zip | Self::Tar)
    }

    /// Returns a description of data in the format. Those in a zip archive are a member of it.
    pub(crate) fn member_words(self) -> &'static str {
        match self {
            Self::Zip => "a member of a zip archive",
            other => other.words(),
        }
    }
}

/// Returns true for ASCII with a NUL before or after every character.
fn is_unmarked_utf16(start: &[u8]) -> bool {
    let printed = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r');
    let Some(start) = start.first_chunk::<8>() else {
        return false;
    };
    let (pairs, _) = start.as_chunks::<2>();
    pairs.iter().all(|pair| pair[0] == 0 && printed(pair[1]))
        || pairs.iter().all(|pair| pair[1] == 0 && printed(pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_other_programs_are_detected() {
        for (start, expected) in [
            (&b"!BDN1"[..], Some(Packing::Pst)),
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
                Some(Packing::OutlookMessage),
            ),
            (b"7z\xbc\xaf\x27\x1c", Some(Packing::SevenZip)),
            (b"Rar!\x1a\x07", Some(Packing::Rar)),
            (b"]\0\0\x80\0", Some(Packing::Lzma)),
            (b"]\0\0\0\x04", Some(Packing::Lzma)),
            (b"]\0\0\0\0", None),
            (b"]\0\0\x81\0", None),
            (b"Subject: a\n", None),
        ] {
            let found = Packing::of_other_program(start);
            assert_eq!(found, expected, "{}", start.escape_ascii());
        }
    }
}
