//! A row of the table of charsets, and the index of one.
//!
//! # Limits
//! Generated from `data/charsets.tsv`. Looks up nothing.

use crate::double_byte::{Family, Subset};
use crate::grid::Set;
use crate::iso2022::Flavor;
use crate::multi_byte::Layout;
use crate::sequences::Sequences;
use crate::single_byte::Page;
use crate::utf16::Order;

/// A charset that this crate decodes.
///
/// ```
/// use mailglot_codec::{Charset, LossLog, Unmappable, View};
///
/// let charset = Charset::for_label(b"KOI8_R", View::Mail).charset().expect("a known label");
/// assert_eq!((charset.name(), charset.mib()), ("KOI8-R", Some(2084)));
/// let mut log = LossLog::new();
/// assert_eq!(charset.decode(b"\xF0\xD2\xC9\xD7\xC5\xD4", &mut log), "Привет");
/// assert_eq!(charset.encode("Да €", Unmappable::QuestionMark, &mut log), &b"\xE4\xC1 ?"[..]);
/// // The character is the text at the record's range.
/// assert_eq!(log.kept()[0].bytes, 5..8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Charset(pub(crate) u16);

/// How the bytes of a charset are read.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Utf8,
    Cesu8,
    Utf16(Option<Order>),
    Utf32(Option<Order>),
    Utf7,
    Utf7Imap,
    Scsu,
    Bocu1,
    Utf1,
    UtfEbcdic,
    SingleByte(Page),
    DoubleByte(Family, Subset),
    MultiByte(Layout, Set),
    MixedEbcdic(Set),
    Iso2022(Flavor),
    Koi7,
    Sequences(&'static Sequences),
    EucFixedWidth,
}

/// One row of the table of charsets (`data/charsets.tsv`).
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// MIBenum of the IANA registry; 0 if not registered.
    pub(crate) mib: u16,
    pub(crate) kind: Kind,
    /// The charset that lenient decoding uses instead, or the charset itself.
    pub(crate) superset: Charset,
    /// The Windows code page that mail means by bytes 80–9F under this label, if it is no superset.
    pub(crate) windows_page: Option<Charset>,
    /// Bytes in a code unit: 1, 2 or 4.
    pub(crate) width: u8,
    pub(crate) properties: Properties,
    pub(crate) description: &'static str,
}

/// Properties of a charset from the table.
#[derive(Clone, Copy)]
pub(crate) struct Properties(u8);

impl Properties {
    pub(crate) const NONE: Self = Self(0);
    pub(super) const ASCII: u8 = 1;
    pub(super) const EBCDIC: u8 = 2;
    pub(super) const STATEFUL: u8 = 4;
    pub(super) const UNICODE: u8 = 8;
    pub(super) const ASCII_TEXT: u8 = 16;

    /// Adds: bytes 00–7F always mean ASCII.
    pub(crate) const fn ascii(self) -> Self {
        Self(self.0 | Self::ASCII)
    }

    /// Adds: only the bytes of ASCII text always mean ASCII; other controls may be letters.
    pub(crate) const fn ascii_text(self) -> Self {
        Self(self.0 | Self::ASCII_TEXT)
    }

    /// Adds: letters and digits stand where EBCDIC has them.
    pub(crate) const fn ebcdic(self) -> Self {
        Self(self.0 | Self::EBCDIC)
    }

    /// Adds: shift states or byte order marks.
    pub(crate) const fn stateful(self) -> Self {
        Self(self.0 | Self::STATEFUL)
    }

    /// Adds: a form of ISO 10646.
    pub(crate) const fn unicode(self) -> Self {
        Self(self.0 | Self::UNICODE)
    }

    pub(super) const fn has(self, property: u8) -> bool {
        self.0 & property != 0
    }
}
