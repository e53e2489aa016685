//! Identity, names and properties of a charset.
//!
//! # Limits
//! The set is closed: there is no way to register a charset at run time.

use crate::decoder::Machine;
use crate::double_byte::{Family, Subset};
use crate::generated::charsets::{COUNT, ROWS};
use crate::grid::Set;
use crate::iso2022::Flavor;
use crate::multi_byte::Layout;
use crate::sequences::Sequences;
use crate::single_byte::Page;
use crate::utf16::Order;
use crate::{
    DecodeOptions, Decoder, EncodeOptions, Encoder, LossLog, Mode, Piece, Resolved, Unmappable,
    View, covers, encoder, label, whatwg,
};
use std::borrow::Cow;
use std::sync::OnceLock;

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
    /// MIBenum of the IANA registry; 0 for what is not registered.
    pub(crate) mib: u16,
    pub(crate) kind: Kind,
    /// What lenient decoding uses instead; itself where there is none.
    pub(crate) superset: Charset,
    /// The Windows page whose characters in 80–9F mail means under this label, where that page is no superset.
    pub(crate) windows_page: Option<Charset>,
    /// Bytes in a code unit: 1, 2 or 4.
    pub(crate) width: u8,
    pub(crate) properties: Properties,
    pub(crate) description: &'static str,
}

/// What is true of a charset, as the table lists it.
#[derive(Clone, Copy)]
pub(crate) struct Properties(u8);

impl Properties {
    pub(crate) const NONE: Self = Self(0);
    const ASCII: u8 = 1;
    const EBCDIC: u8 = 2;
    const STATEFUL: u8 = 4;
    const UNICODE: u8 = 8;

    /// Adds: bytes 00–7F always mean ASCII.
    pub(crate) const fn ascii(self) -> Self {
        Self(self.0 | Self::ASCII)
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

    const fn has(self, property: u8) -> bool {
        self.0 & property != 0
    }
}

impl Charset {
    /// Resolves a label as found in a message (RFC 2045 5.1, WHATWG 4.2, IANA registry).
    pub fn for_label(label: &[u8], view: View) -> Resolved {
        label::resolve(label, view)
    }

    /// The length of a well-known label of at most 15 letters, digits and `-_.:+` that begins a text and has a mark behind it, and what
    /// [`Charset::for_label`] says of it in mail's view. None for any other label, or where the text has less than 16 bytes.
    ///
    /// ```
    /// use mailglot_codec::{Charset, Resolved};
    ///
    /// let resolved = Charset::for_label_before(b'?', b"koi8-r?B?8NLJ18XU?=");
    /// assert!(matches!(resolved, Some((6, Resolved::Exact(charset))) if charset.name() == "KOI8-R"));
    /// assert_eq!(Charset::for_label_before(b'?', b"koi8-r?="), None);
    /// ```
    #[inline]
    pub fn for_label_before(mark: u8, text: &[u8]) -> Option<(usize, Resolved)> {
        label::before(mark, text)
    }

    /// The charset with exactly this `name()`, for files that store names.
    pub fn for_name(name: &str) -> Option<Self> {
        Self::all().find(|c| c.name() == name)
    }

    /// Preferred MIME name, e.g. `ISO-8859-1`, `windows-1252`, `UTF-8`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The number in the IANA registry (MIBenum); `None` for a charset that is not registered.
    pub fn mib(self) -> Option<u16> {
        Some(self.row().mib).filter(|mib| *mib != 0)
    }

    /// What it is, in a few words, e.g. `ISO-8859-2, Central European`.
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// The labels that name it in mail, in lower case: names, aliases and slips of the pen, but for what is repaired
    /// by rule. Sorted.
    pub fn labels(self) -> impl Iterator<Item = &'static str> {
        label::of(self)
    }

    /// Every charset, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len() as u16).map(Self)
    }

    /// The charset whose table lenient decoding really uses (`ISO-8859-1` → `windows-1252`); itself where there is none.
    pub fn superset(self) -> Self {
        self.row().superset
    }

    /// Returns the Windows page whose characters in 80–9F mail means by such bytes under this label.
    ///
    /// `None` where the page is the superset, and where there is no such page.
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

    /// Bytes 00–7F always mean ASCII (false for UTF-16/32/7, ISO-2022-*, HZ, EBCDIC, national variants of ISO 646, VISCII).
    pub fn is_ascii_compatible(self) -> bool {
        self.row().properties.has(Properties::ASCII)
    }

    /// Code units have two or four bytes, so that ASCII characters have bytes 00 beside them: UTF-16, UTF-32, UCS-2, UCS-4
    /// and their subsets, and the fixed-width form of EUC-JP.
    pub fn is_wide(self) -> bool {
        self.row().width > 1
    }

    /// A form of ISO 10646: UTF-8, UTF-16, UTF-7, SCSU, UCS-2 and so on. False for GB18030.
    pub fn is_unicode(self) -> bool {
        self.row().properties.has(Properties::UNICODE)
    }

    /// Every byte is one character.
    pub fn is_single_byte(self) -> bool {
        matches!(self.kind(), Kind::SingleByte(_))
    }

    /// A byte that is a character alone may be another one with the next byte: TSCII, ISCII, VIQR.
    pub fn is_greedy(self) -> bool {
        matches!(self.kind(), Kind::Sequences(_))
    }

    /// Shift states, byte order marks or wide units: UTF-16/32/7, SCSU, BOCU-1, ISO-2022-*, HZ.
    pub fn is_stateful(self) -> bool {
        self.row().properties.has(Properties::STATEFUL)
    }

    /// Letters and digits stand above 7F, as in all of IBM's EBCDIC pages.
    pub fn is_ebcdic(self) -> bool {
        self.row().properties.has(Properties::EBCDIC)
    }

    /// Whether all bytes that decode leniently without any record come back when the text is encoded in
    /// [`Charset::superset`]. Found out over all bytes, once; single-byte charsets only, since there every byte stands for itself.
    pub fn comes_back(self) -> bool {
        static KNOWN: [OnceLock<bool>; COUNT] = [const { OnceLock::new() }; COUNT];
        let back = |byte: u8| {
            let mut log = LossLog::new();
            let text = self
                .decode(std::slice::from_ref(&byte), &mut log)
                .into_owned();
            if !log.is_empty() {
                return true;
            }
            let bytes = self
                .superset()
                .encode(&text, Unmappable::Fatal, &mut log)
                .into_owned();
            log.is_empty() && bytes == [byte]
        };
        *KNOWN[self.index()].get_or_init(|| self.is_single_byte() && (0..=255).all(back))
    }

    /// Its place in [`Charset::all`], for tables of what is known of each.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// A streaming decoder.
    pub fn new_decoder(self, mode: Mode) -> Decoder {
        Decoder::with(self, mode.into())
    }

    /// A streaming encoder, which writes look-alikes where WHATWG does, and reports them.
    pub fn new_encoder(self, unmappable: Unmappable) -> Encoder {
        Encoder::new(self, unmappable, Mode::Lenient)
    }

    /// A streaming encoder that keeps to the charset's own definition: no look-alikes, nothing of a superset.
    pub fn new_strict_encoder(self, unmappable: Unmappable) -> Encoder {
        Encoder::new(self, unmappable, Mode::Strict)
    }

    /// Decodes a whole input leniently; borrows where the bytes are already the UTF-8 text.
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        Decoder::decode_whole(self, bytes, Mode::Lenient.into(), log)
    }

    /// Decodes a whole input leniently, as [`Charset::decode`] does, and appends the text to one that is there.
    pub fn decode_into(self, bytes: &[u8], text: &mut String, log: &mut LossLog) {
        Decoder::decode_append(self, bytes, text, log);
    }

    /// Whether bytes are all in the charset itself: strict decoding finds no loss in them. Where lenient decoding finds none
    /// either, those of another answer are in [`Charset::superset`] only.
    pub fn covers(self, bytes: &[u8]) -> bool {
        covers::covers(self, bytes)
    }

    /// Decodes a whole input as the options say; [`Decoder::with`] is the same for a stream.
    pub fn decode_with<'a>(
        self,
        bytes: &'a [u8],
        options: DecodeOptions,
        log: &mut LossLog,
    ) -> Cow<'a, str> {
        Decoder::decode_whole(self, bytes, options, log)
    }

    /// Encodes a whole text; `log` gets the byte ranges (in `text`) of what the charset cannot carry.
    pub fn encode<'a>(
        self,
        text: &'a str,
        unmappable: Unmappable,
        log: &mut LossLog,
    ) -> Cow<'a, [u8]> {
        encoder::encode(self, text, unmappable, log)
    }

    /// Encodes a text in pieces of at most `max_bytes` bytes, each of which decodes by itself: it begins and ends in
    /// the initial state, at the borders of characters. A character that takes more alone is a piece alone.
    /// Under [`Unmappable::Fatal`] the pieces end where a character cannot be carried.
    pub fn encode_limited(
        self,
        text: &str,
        max_bytes: usize,
        options: &EncodeOptions,
        log: &mut LossLog,
    ) -> Vec<Piece> {
        encoder::encode_limited(self, text, max_bytes, options, log)
    }

    /// The charset to write where this one was read ("get an output encoding").
    ///
    /// WHATWG view (Encoding 4.3): UTF-8 for UTF-16 and for what is no encoding of the standard, else itself. The other
    /// views: UTF-8 where CR LF are not the octets 0D 0A (UTF-16, UTF-32, EBCDIC), which no text body and no encoded word
    /// may be in (RFC 2046 4.1.1), else itself.
    #[must_use]
    pub fn output_encoding(self, view: View) -> Self {
        let keeps = match view {
            View::Whatwg => whatwg::Encoding::for_charset(self)
                .is_some_and(|encoding| encoding.output() == encoding),
            _ => self
                .encode("\r\n", Unmappable::Skip, &mut LossLog::with_limit(0))
                .ends_with(b"\r\n"),
        };
        if keeps { self } else { Self::UTF_8 }
    }

    pub(crate) fn kind(self) -> Kind {
        self.row().kind
    }

    pub(crate) fn machine(self, options: DecodeOptions) -> Machine {
        Machine::new(
            if options.mode() == Mode::Lenient {
                self.superset()
            } else {
                self
            },
            options,
        )
    }

    fn row(self) -> &'static Row {
        &ROWS[self.index()]
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
