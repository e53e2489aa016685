//! Names the kinds of files that occur in parts with a text media type.

use crate::named_enum::named;

named! {
    /// The kind of a file that a part with a text label contains.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum FileKind {
        /// A zip archive.
        Zip = "a zip archive",
        /// Compressed by gzip.
        Gzip = "compressed with gzip",
        /// Compressed by bzip2.
        Bzip2 = "compressed with bzip2",
        /// Compressed by xz.
        Xz = "compressed with xz",
        /// A 7z archive.
        SevenZip = "a 7z archive",
        /// A rar archive.
        Rar = "a rar archive",
        /// A PNG picture.
        Png = "a picture (PNG)",
        /// A JPEG picture.
        Jpeg = "a picture (JPEG)",
        /// A GIF picture.
        Gif = "a picture (GIF)",
        /// A TIFF picture.
        Tiff = "a picture (TIFF)",
        /// Ogg sound or video.
        Ogg = "sound or video (Ogg)",
        /// MP3 sound.
        Mp3 = "sound (MP3)",
        /// A PDF document.
        Pdf = "a document (PDF)",
        /// An OLE document (Word, Excel and others before 2007).
        Ole = "a document (OLE)",
        /// Data of an unknown format.
        Unknown = "data with many control characters",
    }
}
