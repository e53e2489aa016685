//! Names the kinds of files that occur in parts with a text media type.

use std::fmt;

/// The kind of a file that a part with a text label contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A zip archive.
    Zip,
    /// Compressed by gzip.
    Gzip,
    /// Compressed by bzip2.
    Bzip2,
    /// Compressed by xz.
    Xz,
    /// A 7z archive.
    SevenZip,
    /// A rar archive.
    Rar,
    /// A PNG picture.
    Png,
    /// A JPEG picture.
    Jpeg,
    /// A GIF picture.
    Gif,
    /// A TIFF picture.
    Tiff,
    /// Ogg sound or video.
    Ogg,
    /// MP3 sound.
    Mp3,
    /// A PDF document.
    Pdf,
    /// An OLE document (Word, Excel and others before 2007).
    Ole,
    /// Data of an unknown format.
    Unknown,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zip => "a zip archive",
            Self::Gzip => "compressed with gzip",
            Self::Bzip2 => "compressed with bzip2",
            Self::Xz => "compressed with xz",
            Self::SevenZip => "a 7z archive",
            Self::Rar => "a rar archive",
            Self::Png => "a picture (PNG)",
            Self::Jpeg => "a picture (JPEG)",
            Self::Gif => "a picture (GIF)",
            Self::Tiff => "a picture (TIFF)",
            Self::Ogg => "sound or video (Ogg)",
            Self::Mp3 => "sound (MP3)",
            Self::Pdf => "a document (PDF)",
            Self::Ole => "a document (OLE)",
            Self::Unknown => "data with many control characters",
        })
    }
}
