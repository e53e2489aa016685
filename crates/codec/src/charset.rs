//! Identity, names and properties of a charset.
//!
//! # Limits
//! The set is closed: there is no way to register a charset at run time.

use crate::decoder::Machine;
use crate::double_byte::{Family, Subset};
use crate::generated::pages;
use crate::single_byte::Page;
use crate::utf16::Order;
use crate::{Decoder, LossLog, Mode, Resolved, Unmappable, View, encoder, label};
use encoding_rs as web;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A charset that this crate decodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Charset(u16);

/// How the bytes of a charset are read.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Utf8,
    Cesu8,
    Utf16(Option<Order>),
    Utf32(Option<Order>),
    Utf7,
    SingleByte(Page),
    DoubleByte(Family, Subset),
    Iso2022Jp,
    Iso2022Kr,
    Hz,
}

/// One row of the table of charsets.
struct Row {
    name: &'static str,
    kind: Kind,
    /// What lenient decoding uses instead.
    superset: Option<Charset>,
}

const fn row(name: &'static str, kind: Kind) -> Row {
    Row { name, kind, superset: None }
}

const fn within(name: &'static str, kind: Kind, superset: Charset) -> Row {
    Row { name, kind, superset: Some(superset) }
}

const fn page(name: &'static str, encoding: &'static web::Encoding) -> Row {
    row(name, Kind::SingleByte(Page::Web(encoding)))
}

const fn windows(name: &'static str, encoding: &'static web::Encoding) -> Row {
    row(name, Kind::SingleByte(Page::Windows(encoding)))
}

/// Declares the charsets: a constant for each, and its row at the same place of the table. A list written twice by
/// hand would go apart.
macro_rules! charsets {
    ($($(#[$doc:meta])* $constant:ident = $number:literal, $row:expr;)*) => {
        impl Charset {
            $($(#[$doc])* pub const $constant: Self = Self($number);)*
        }
        static ROWS: &[Row] = &[$($row),*];
        #[cfg(test)]
        const NUMBERS: &[(u16, &str)] = &[$(($number, stringify!($constant))),*];
    };
}

charsets! {
    /// UTF-8 (RFC 3629).
    UTF_8 = 0, row("UTF-8", Kind::Utf8);
    /// US-ASCII (RFC 2046 4.1.2).
    US_ASCII = 1, row("US-ASCII", Kind::SingleByte(Page::Ascii));
    /// windows-1252, Western European.
    WINDOWS_1252 = 2, windows("windows-1252", &web::WINDOWS_1252_INIT);
    /// ISO-8859-1, Western European; read as windows-1252.
    ISO_8859_1 = 3, within("ISO-8859-1", Kind::SingleByte(Page::Latin1), Charset::WINDOWS_1252);
    /// ISO-2022-JP (RFC 1468) and its relatives.
    ISO_2022_JP = 4, row("ISO-2022-JP", Kind::Iso2022Jp);
    /// UTF-16 with a byte order mark or by statistics (RFC 2781).
    UTF_16 = 5, row("UTF-16", Kind::Utf16(None));
    /// UTF-16, big-endian.
    UTF_16BE = 6, row("UTF-16BE", Kind::Utf16(Some(Order::Big)));
    /// UTF-16, little-endian.
    UTF_16LE = 7, row("UTF-16LE", Kind::Utf16(Some(Order::Little)));
    /// UTF-32 with a byte order mark or by validity.
    UTF_32 = 8, row("UTF-32", Kind::Utf32(None));
    /// UTF-7 (RFC 2152).
    UTF_7 = 9, row("UTF-7", Kind::Utf7);
    /// UTF-32, big-endian.
    UTF_32BE = 10, row("UTF-32BE", Kind::Utf32(Some(Order::Big)));
    /// UTF-32, little-endian.
    UTF_32LE = 11, row("UTF-32LE", Kind::Utf32(Some(Order::Little)));
    /// CESU-8 (UTR 26).
    CESU_8 = 12, row("CESU-8", Kind::Cesu8);
    /// UCS-2; read as UTF-16.
    ISO_10646_UCS_2 = 13, within("ISO-10646-UCS-2", Kind::Utf16(None), Charset::UTF_16);
    /// UCS-4; read as UTF-32.
    ISO_10646_UCS_4 = 14, within("ISO-10646-UCS-4", Kind::Utf32(None), Charset::UTF_32);
    /// ISO-8859-2, Central European.
    ISO_8859_2 = 15, page("ISO-8859-2", &web::ISO_8859_2_INIT);
    /// ISO-8859-3, South European.
    ISO_8859_3 = 16, page("ISO-8859-3", &web::ISO_8859_3_INIT);
    /// ISO-8859-4, North European.
    ISO_8859_4 = 17, page("ISO-8859-4", &web::ISO_8859_4_INIT);
    /// ISO-8859-5, Cyrillic.
    ISO_8859_5 = 18, page("ISO-8859-5", &web::ISO_8859_5_INIT);
    /// ISO-8859-6, Arabic.
    ISO_8859_6 = 19, page("ISO-8859-6", &web::ISO_8859_6_INIT);
    /// ISO-8859-6-E, Arabic with explicit direction (RFC 1556).
    ISO_8859_6_E = 20, within("ISO-8859-6-E", Kind::SingleByte(Page::Web(&web::ISO_8859_6_INIT)), Charset::ISO_8859_6);
    /// ISO-8859-6-I, Arabic with implicit direction (RFC 1556).
    ISO_8859_6_I = 21, within("ISO-8859-6-I", Kind::SingleByte(Page::Web(&web::ISO_8859_6_INIT)), Charset::ISO_8859_6);
    /// ISO-8859-7, Greek.
    ISO_8859_7 = 22, page("ISO-8859-7", &web::ISO_8859_7_INIT);
    /// ISO-8859-8, Hebrew in visual order.
    ISO_8859_8 = 23, row("ISO-8859-8", Kind::SingleByte(Page::Hebrew));
    /// ISO-8859-8-E, Hebrew with explicit direction (RFC 1556).
    ISO_8859_8_E = 24, within("ISO-8859-8-E", Kind::SingleByte(Page::Hebrew), Charset::ISO_8859_8);
    /// ISO-8859-8-I, Hebrew in logical order (RFC 1556).
    ISO_8859_8_I = 25, within("ISO-8859-8-I", Kind::SingleByte(Page::Hebrew), Charset::ISO_8859_8);
    /// ISO-8859-9, Turkish; read as windows-1254.
    ISO_8859_9 = 26,
        within("ISO-8859-9", Kind::SingleByte(Page::IsoInWindows(&web::WINDOWS_1254_INIT)), Charset::WINDOWS_1254);
    /// ISO-8859-10, Nordic.
    ISO_8859_10 = 27, page("ISO-8859-10", &web::ISO_8859_10_INIT);
    /// ISO-8859-11, Thai; read as windows-874.
    ISO_8859_11 = 28,
        within("ISO-8859-11", Kind::SingleByte(Page::IsoInWindows(&web::WINDOWS_874_INIT)), Charset::WINDOWS_874);
    /// ISO-8859-13, Baltic.
    ISO_8859_13 = 29, page("ISO-8859-13", &web::ISO_8859_13_INIT);
    /// ISO-8859-14, Celtic.
    ISO_8859_14 = 30, page("ISO-8859-14", &web::ISO_8859_14_INIT);
    /// ISO-8859-15, Western European with the euro.
    ISO_8859_15 = 31, page("ISO-8859-15", &web::ISO_8859_15_INIT);
    /// ISO-8859-16, South-Eastern European.
    ISO_8859_16 = 32, page("ISO-8859-16", &web::ISO_8859_16_INIT);
    /// TIS-620, Thai; read as windows-874.
    TIS_620 = 33, within("TIS-620", Kind::SingleByte(Page::Tis620), Charset::WINDOWS_874);
    /// windows-874, Thai.
    WINDOWS_874 = 34, windows("windows-874", &web::WINDOWS_874_INIT);
    /// windows-1250, Central European.
    WINDOWS_1250 = 35, windows("windows-1250", &web::WINDOWS_1250_INIT);
    /// windows-1251, Cyrillic.
    WINDOWS_1251 = 36, windows("windows-1251", &web::WINDOWS_1251_INIT);
    /// windows-1253, Greek.
    WINDOWS_1253 = 37, windows("windows-1253", &web::WINDOWS_1253_INIT);
    /// windows-1254, Turkish.
    WINDOWS_1254 = 38, windows("windows-1254", &web::WINDOWS_1254_INIT);
    /// windows-1255, Hebrew.
    WINDOWS_1255 = 39, windows("windows-1255", &web::WINDOWS_1255_INIT);
    /// windows-1256, Arabic.
    WINDOWS_1256 = 40, windows("windows-1256", &web::WINDOWS_1256_INIT);
    /// windows-1257, Baltic.
    WINDOWS_1257 = 41, windows("windows-1257", &web::WINDOWS_1257_INIT);
    /// windows-1258, Vietnamese.
    WINDOWS_1258 = 42, windows("windows-1258", &web::WINDOWS_1258_INIT);
    /// KOI8-R, Russian (RFC 1489).
    KOI8_R = 43, page("KOI8-R", &web::KOI8_R_INIT);
    /// KOI8-U, Ukrainian (RFC 2319).
    KOI8_U = 44, row("KOI8-U", Kind::SingleByte(Page::Koi8U));
    /// Mac Roman.
    MACINTOSH = 45, page("macintosh", &web::MACINTOSH_INIT);
    /// Mac Cyrillic.
    X_MAC_CYRILLIC = 46, page("x-mac-cyrillic", &web::X_MAC_CYRILLIC_INIT);
    /// IBM866, Cyrillic DOS.
    IBM866 = 47, page("IBM866", &web::IBM866_INIT);
    /// GB2312, simplified Chinese; read as GB18030.
    GB2312 = 48, within("GB2312", Kind::DoubleByte(Family::Gb18030, Subset::Gb2312), Charset::GB18030);
    /// GBK, simplified Chinese; read as GB18030.
    GBK = 49, within("GBK", Kind::DoubleByte(Family::Gb18030, Subset::Gbk), Charset::GB18030);
    /// GB18030.
    GB18030 = 50, row("GB18030", Kind::DoubleByte(Family::Gb18030, Subset::All));
    /// Big5, traditional Chinese, with the characters of Hong Kong.
    BIG5 = 51, row("Big5", Kind::DoubleByte(Family::Big5, Subset::All));
    /// Big5-HKSCS; the same table.
    BIG5_HKSCS = 52, within("Big5-HKSCS", Kind::DoubleByte(Family::Big5, Subset::All), Charset::BIG5);
    /// EUC-JP, Japanese.
    EUC_JP = 53, row("EUC-JP", Kind::DoubleByte(Family::EucJp, Subset::JisEuc));
    /// EUC-KR, Korean (RFC 1557); read as windows-949.
    EUC_KR = 54, within("EUC-KR", Kind::DoubleByte(Family::EucKr, Subset::Ksx1001), Charset::WINDOWS_949);
    /// KS_C_5601-1987, as mail uses the name; read as windows-949.
    KS_C_5601_1987 = 55,
        within("KS_C_5601-1987", Kind::DoubleByte(Family::EucKr, Subset::Ksx1001), Charset::WINDOWS_949);
    /// windows-949, Korean.
    WINDOWS_949 = 56, row("windows-949", Kind::DoubleByte(Family::EucKr, Subset::All));
    /// Shift_JIS, Japanese; read as Windows-31J.
    SHIFT_JIS = 57, within("Shift_JIS", Kind::DoubleByte(Family::ShiftJis, Subset::JisShifted), Charset::WINDOWS_31J);
    /// Windows-31J, Japanese.
    WINDOWS_31J = 58, row("Windows-31J", Kind::DoubleByte(Family::ShiftJis, Subset::All));
    /// ISO-2022-JP-2 (RFC 1554); one machine reads both.
    ISO_2022_JP_2 = 59, within("ISO-2022-JP-2", Kind::Iso2022Jp, Charset::ISO_2022_JP);
    /// ISO-2022-KR, Korean (RFC 1557).
    ISO_2022_KR = 60, row("ISO-2022-KR", Kind::Iso2022Kr);
    /// HZ-GB-2312, simplified Chinese (RFC 1843).
    HZ_GB_2312 = 61, row("HZ-GB-2312", Kind::Hz);
    /// IBM437, DOS in the United States.
    IBM437 = 62, row("IBM437", Kind::SingleByte(Page::Own(&pages::IBM437)));
    /// IBM850, DOS in Western Europe.
    IBM850 = 63, row("IBM850", Kind::SingleByte(Page::Own(&pages::IBM850)));
    /// IBM852, DOS in Central Europe.
    IBM852 = 64, row("IBM852", Kind::SingleByte(Page::Own(&pages::IBM852)));
    /// IBM00858, IBM850 with the euro.
    IBM00858 = 65, row("IBM00858", Kind::SingleByte(Page::Own(&pages::IBM00858)));
}

impl Charset {
    /// Resolves a label as found in a message (RFC 2045 5.1, WHATWG 4.2, IANA registry).
    pub fn for_label(label: &[u8], view: View) -> Resolved {
        label::resolve(label, view)
    }

    /// The charset with exactly this `name()`, for files that store names.
    pub fn for_name(name: &str) -> Option<Self> {
        Self::all().find(|c| c.name() == name)
    }

    /// Preferred MIME name, e.g. `ISO-8859-1`, `windows-1252`, `UTF-8`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Every charset, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len() as u16).map(Self)
    }

    /// The charset whose table lenient decoding really uses (`ISO-8859-1` → `windows-1252`); itself where there is none.
    pub fn superset(self) -> Self {
        self.row().superset.unwrap_or(self)
    }

    /// Bytes 00–7F always mean ASCII (false for UTF-16/32/7, ISO-2022-*, HZ, EBCDIC).
    pub fn is_ascii_compatible(self) -> bool {
        matches!(self.kind(), Kind::Utf8 | Kind::Cesu8 | Kind::SingleByte(_) | Kind::DoubleByte(..))
    }

    /// Every byte is one character.
    pub fn is_single_byte(self) -> bool {
        matches!(self.kind(), Kind::SingleByte(_))
    }

    /// Shift states or BOMs: UTF-16/32/7, ISO-2022-*, HZ.
    pub fn is_stateful(self) -> bool {
        !self.is_ascii_compatible()
    }

    /// Whether all bytes that decode leniently without any record come back when the text is encoded in
    /// [`Charset::superset`]. Found out over all bytes, once; single-byte charsets only, since there every byte stands for itself.
    pub fn comes_back(self) -> bool {
        static KNOWN: [OnceLock<bool>; COUNT] = [const { OnceLock::new() }; COUNT];
        let back = |byte: u8| {
            let mut log = LossLog::new();
            let text = self.decode(std::slice::from_ref(&byte), &mut log).into_owned();
            if !log.is_empty() {
                return true;
            }
            let bytes = self.superset().encode(&text, Unmappable::Fatal, &mut log).into_owned();
            log.is_empty() && bytes == [byte]
        };
        *KNOWN[self.index()].get_or_init(|| self.is_single_byte() && (0..=255).all(back))
    }

    /// A streaming decoder.
    pub fn new_decoder(self, mode: Mode) -> Decoder {
        Decoder::new(self, mode)
    }

    /// Decodes a whole input leniently; borrows where the bytes are already the UTF-8 text.
    pub fn decode<'a>(self, bytes: &'a [u8], log: &mut LossLog) -> Cow<'a, str> {
        Decoder::decode_whole(self, bytes, log)
    }

    /// Encodes a whole text; `log` gets the byte ranges (in `text`) of what the charset cannot carry.
    pub fn encode<'a>(self, text: &'a str, unmappable: Unmappable, log: &mut LossLog) -> Cow<'a, [u8]> {
        encoder::encode(self, text, unmappable, log)
    }

    pub(crate) fn kind(self) -> Kind {
        self.row().kind
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn machine(self, mode: Mode) -> Machine {
        Machine::new(if mode == Mode::Lenient { self.superset() } else { self }, mode)
    }

    fn row(self) -> &'static Row {
        &ROWS[self.index()]
    }
}

/// Number of charsets, for tables by charset.
pub(crate) const COUNT: usize = 66;

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
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_numbers() {
        assert_eq!(ROWS.len(), COUNT);
        for (at, (number, constant)) in NUMBERS.iter().enumerate() {
            assert_eq!(usize::from(*number), at, "{constant}");
            let name = ROWS[at].name.to_uppercase().replace(['-', '.', ':'], "_");
            assert_eq!(&name, constant);
        }
    }

    #[test]
    fn names_are_found_and_supersets_end() {
        for charset in Charset::all() {
            assert_eq!(Charset::for_name(charset.name()), Some(charset));
            assert_eq!(charset.superset().superset(), charset.superset());
            assert_eq!(charset.superset().is_stateful(), charset.is_stateful());
        }
        assert_eq!(Charset::for_name("utf-8"), None);
        assert_eq!(Charset::ISO_8859_1.superset(), Charset::WINDOWS_1252);
    }
}
