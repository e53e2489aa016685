//! Defines the charsets of the ISO 2022 family and the sets that each allows.
//!
//! # Limits
//! Lenient decoding has only four flavors: the union of all Japanese ones, ISO-2022-KR, ISO-2022-CN-EXT, and HZ.

use super::control::{ESC, SI, SO};
use super::set::CodedSet;

/// A charset of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// RFC 1468; leniently, all that is Japanese.
    Jp,
    /// RFC 2237: with JIS X 0212.
    Jp1,
    /// RFC 1554: with the sets of China and Korea, Latin-1 and Greek.
    Jp2,
    /// JIS X 0213:2000.
    Jp3,
    /// JIS X 0213:2004.
    Jp2004,
    /// Microsoft's, which writes half-width katakana in full width.
    Cp50220,
    /// [`Self::Cp50220`] with `ESC ( I`.
    Cp50221,
    /// [`Self::Cp50220`] with SO and SI.
    Cp50222,
    /// RFC 1557.
    Kr,
    /// RFC 1922.
    Cn,
    /// RFC 1922, with ISO-IR-165 and more planes of CNS 11643.
    CnExt,
    /// RFC 1843.
    Hz,
    /// A two-byte set without escapes.
    Raw(CodedSet),
}

/// How a character set is brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// By its escape sequence.
    G0(CodedSet),
    /// By SO.
    G1(CodedSet),
    /// By a single shift, ESC N or ESC O.
    G2(CodedSet),
    G3(CodedSet),
}

impl Use {
    pub(super) fn set(self) -> CodedSet {
        match self {
            Self::G0(set) | Self::G1(set) | Self::G2(set) | Self::G3(set) => set,
        }
    }
}

impl Flavor {
    /// One of those that begin with `ISO-2022-JP` or `CP5022`.
    pub(crate) fn is_japanese(self) -> bool {
        !matches!(
            self,
            Self::Kr | Self::Cn | Self::CnExt | Self::Hz | Self::Raw(_)
        )
    }

    pub(super) fn is_chinese(self) -> bool {
        matches!(self, Self::Cn | Self::CnExt)
    }

    /// Returns true for a byte that may be more than itself in ASCII text.
    #[inline]
    pub(super) fn is_special(self, byte: u8) -> bool {
        match self {
            Self::Hz => byte == b'~',
            Self::Raw(_) => false,
            _ => matches!(byte, ESC | SO | SI),
        }
    }

    /// Returns the set at the start of the text and of each line.
    pub(super) fn initial(self) -> CodedSet {
        if let Self::Raw(set) = self {
            set
        } else {
            CodedSet::Ascii
        }
    }

    /// Returns true if all rows of the table of JIS X 0208 count, with those of NEC and IBM.
    pub(crate) fn has_vendor_rows(self) -> bool {
        matches!(self, Self::Cp50220 | Self::Cp50221 | Self::Cp50222)
    }

    /// Returns true if some codes are two characters.
    pub(super) fn has_sequences(self) -> bool {
        matches!(self, Self::Jp3 | Self::Jp2004)
    }

    /// The greatest lead byte.
    pub(super) fn last_lead(self) -> u8 {
        if self == Self::Hz { 0x77 } else { 0x7E }
    }

    /// Returns the set that SO selects without a designation.
    pub(super) fn default_g1(self) -> CodedSet {
        match self {
            Self::Kr => CodedSet::Ksx1001,
            Self::Cn | Self::CnExt => CodedSet::Gb2312,
            _ => CodedSet::Katakana,
        }
    }

    /// Where the encoder looks for a character beyond ASCII, the first first.
    pub(super) fn sets(self) -> &'static [Use] {
        use Use::{G0, G1, G2, G3};
        match self {
            Self::Jp | Self::Cp50220 => &[G0(CodedSet::Roman), G0(CodedSet::Jisx0208)],
            Self::Jp1 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G0(CodedSet::Jisx0212),
            ],
            Self::Jp2 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G2(CodedSet::Latin1),
                G2(CodedSet::Greek),
                G0(CodedSet::Jisx0212),
                G0(CodedSet::Gb2312),
                G0(CodedSet::Ksx1001),
            ],
            Self::Jp3 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G0(CodedSet::Jisx0213Plane1Of2000),
                G0(CodedSet::Jisx0213Plane2),
                G0(CodedSet::Katakana),
            ],
            Self::Jp2004 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G0(CodedSet::Jisx0213Plane1),
                G0(CodedSet::Jisx0213Plane2),
                G0(CodedSet::Katakana),
            ],
            Self::Cp50221 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G0(CodedSet::Katakana),
                G0(CodedSet::Jisx0212),
            ],
            Self::Cp50222 => &[
                G0(CodedSet::Roman),
                G0(CodedSet::Jisx0208),
                G1(CodedSet::Katakana),
                G0(CodedSet::Jisx0212),
            ],
            Self::Kr => &[G1(CodedSet::Ksx1001)],
            Self::Cn => &[
                G1(CodedSet::Gb2312),
                G1(CodedSet::Cns(1)),
                G2(CodedSet::Cns(2)),
            ],
            Self::CnExt => &[
                G1(CodedSet::Gb2312),
                G1(CodedSet::Cns(1)),
                G2(CodedSet::Cns(2)),
                G1(CodedSet::IsoIr165),
                G3(CodedSet::Cns(3)),
                G3(CodedSet::Cns(4)),
                G3(CodedSet::Cns(5)),
                G3(CodedSet::Cns(6)),
                G3(CodedSet::Cns(7)),
            ],
            Self::Hz => &[G0(CodedSet::Gb2312)],
            Self::Raw(CodedSet::Jisx0208) => &[G0(CodedSet::Jisx0208)],
            Self::Raw(CodedSet::Jis1978) => &[G0(CodedSet::Jis1978)],
            Self::Raw(CodedSet::Jisx0212) => &[G0(CodedSet::Jisx0212)],
            Self::Raw(CodedSet::IsoIr165) => &[G0(CodedSet::IsoIr165)],
            Self::Raw(_) => &[],
        }
    }
}
