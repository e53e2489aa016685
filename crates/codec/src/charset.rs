//! Identity, names and properties of a charset.
//!
//! # Limits
//! The set is closed: a program cannot register a charset at run time.

mod row;

pub use row::Charset;
pub(crate) use row::{Kind, Properties, Row};

use crate::generated::charsets::ROWS;
use crate::label_view::View;

impl Charset {
    /// Returns the charset with exactly this [`Charset::name`], for files that store names.
    pub fn for_name(name: &str) -> Option<Self> {
        Self::all().find(|c| c.name() == name)
    }

    /// Returns the preferred MIME name, such as `ISO-8859-1`, `windows-1252` or `UTF-8`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the number in the IANA registry (MIBenum), or `None` if the charset is not registered.
    pub fn mib(self) -> Option<u16> {
        Some(self.row().mib).filter(|mib| *mib != 0)
    }

    /// Returns a short description, such as `ISO-8859-2, Central European`.
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// Returns all charsets in a fixed order.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert!(Charset::all().count() > 300);
    /// assert!(Charset::all().all(|charset| Charset::for_name(charset.name()) == Some(charset)));
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len() as u16).map(Self)
    }

    /// The charset with this index in [`Charset::all`].
    pub(crate) const fn at(index: usize) -> Self {
        Self(index as u16)
    }

    /// Returns the charset whose table lenient decoding uses (`ISO-8859-1` → `windows-1252`), or itself if it has no superset.
    ///
    /// `ISO-8859-8` and `KOI8-U` have a table of their own for lenient decoding, and are their own supersets. `ISO-8859-8-I` and
    /// `ISO-8859-8-E` share that of `ISO-8859-8`. Its encoder writes only what strict decoding reads.
    pub const fn superset(self) -> Self {
        self.row().superset
    }

    /// Returns the Windows code page that mail means by bytes 80–9F under this label.
    ///
    /// Returns `None` if that page is the superset, or if there is no such page.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert_eq!(Charset::ISO_8859_2.windows_page(), Some(Charset::WINDOWS_1250));
    /// assert_eq!(Charset::ISO_8859_1.windows_page(), None);
    /// ```
    pub fn windows_page(self) -> Option<Self> {
        self.row().windows_page
    }

    /// Returns true if bytes 00–7F always mean ASCII (false for UTF-16/32/7, ISO-2022-*, HZ, EBCDIC, national variants of ISO 646, VISCII).
    pub const fn is_ascii_compatible(self) -> bool {
        self.row().properties.has(Properties::ASCII)
    }

    /// Returns true if bytes 20–7E, TAB, LF and CR always mean ASCII. They do in ASCII-compatible charsets, and in those for Vietnamese
    /// that have letters in the places of other control characters.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert!(Charset::VISCII.keeps_ascii_text());
    /// assert!(!Charset::UTF_16LE.keeps_ascii_text());
    /// ```
    pub const fn keeps_ascii_text(self) -> bool {
        self.is_ascii_compatible() || self.row().properties.has(Properties::ASCII_TEXT)
    }

    /// Returns true if text in the charset may stand beside ASCII text. It keeps ASCII characters, and no escape sequence changes its bytes.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    ///
    /// assert!(Charset::KOI8_R.may_stand_beside_ascii());
    /// assert!(!Charset::ISO_2022_JP.may_stand_beside_ascii());
    /// ```
    pub fn may_stand_beside_ascii(self) -> bool {
        self.keeps_ascii_text() && !self.is_stateful()
    }

    /// Returns true if code units have two or four bytes, so that ASCII characters have bytes 00 beside them: UTF-16, UTF-32, UCS-2, UCS-4
    /// and their subsets, and the fixed-width form of EUC-JP.
    pub fn is_wide(self) -> bool {
        self.row().width > 1
    }

    /// Returns true for a form of ISO 10646: UTF-8, UTF-16, UTF-7, SCSU, UCS-2 and so on. False for GB18030.
    pub fn is_unicode(self) -> bool {
        self.row().properties.has(Properties::UNICODE)
    }

    /// Returns true if every byte is one character.
    pub const fn is_single_byte(self) -> bool {
        matches!(self.kind(), Kind::SingleByte(_))
    }

    /// Returns true if a byte that is a character alone may form another one with the next byte: TSCII, ISCII, VIQR.
    pub fn is_greedy(self) -> bool {
        matches!(self.kind(), Kind::Sequences(_))
    }

    /// Returns true for shift states, byte order marks or wide units: UTF-16/32/7, SCSU, BOCU-1, ISO-2022-*, HZ.
    pub fn is_stateful(self) -> bool {
        self.row().properties.has(Properties::STATEFUL)
    }

    /// Returns true if letters and digits are above 7F, as in IBM's EBCDIC pages.
    pub fn is_ebcdic(self) -> bool {
        self.row().properties.has(Properties::EBCDIC)
    }

    /// Returns the position of the charset in [`Charset::all`], for tables with a row for each charset.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn kind(self) -> Kind {
        self.row().kind
    }

    const fn row(self) -> &'static Row {
        &ROWS[self.index()]
    }
}

/// A text that names no known charset, returned by [`Charset::from_str`](std::str::FromStr).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCharset {
    label: Box<str>,
}

impl UnknownCharset {
    /// Returns the text.
    pub fn label(&self) -> &str {
        &self.label
    }
}

impl std::fmt::Display for UnknownCharset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown charset {:?}", self.label)
    }
}

impl std::error::Error for UnknownCharset {}

/// Parses a label as mail uses it: a name, an alias, or a damaged form of these ([`View::Mail`]).
///
/// ```
/// use mailglot_codec::Charset;
///
/// let charset: Charset = "latin1".parse()?;
/// assert_eq!(charset, Charset::ISO_8859_1);
/// assert_eq!(charset.to_string(), "ISO-8859-1");
/// let error = "klingon".parse::<Charset>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown charset \"klingon\"");
/// # Ok::<(), mailglot_codec::UnknownCharset>(())
/// ```
impl std::str::FromStr for Charset {
    type Err = UnknownCharset;

    fn from_str(label: &str) -> Result<Self, UnknownCharset> {
        Self::for_label(label.as_bytes(), View::Mail)
            .charset()
            .ok_or_else(|| UnknownCharset {
                label: label.into(),
            })
    }
}

impl std::fmt::Debug for Charset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Charset({})", self.name())
    }
}

impl std::fmt::Display for Charset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests;
