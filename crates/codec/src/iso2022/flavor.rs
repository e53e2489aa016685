//! Defines the charsets of the ISO 2022 family and the sets that each allows.
//!
//! # Limits
//! Lenient decoding has only four flavors: the union of all Japanese ones, ISO-2022-KR, ISO-2022-CN-EXT, and HZ.

use super::control::{ESC, SI, SO};
use super::set::Set;

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
    Raw(Set),
}

/// How a character set is brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// By its escape sequence.
    G0(Set),
    /// By SO.
    G1(Set),
    /// By a single shift, ESC N or ESC O.
    G2(Set),
    G3(Set),
}

impl Use {
    pub(super) fn set(self) -> Set {
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
    pub(super) fn initial(self) -> Set {
        if let Self::Raw(set) = self {
            set
        } else {
            Set::Ascii
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
    pub(super) fn default_g1(self) -> Set {
        match self {
            Self::Kr => Set::Ksx1001,
            Self::Cn | Self::CnExt => Set::Gb2312,
            _ => Set::Katakana,
        }
    }

    /// Where the encoder looks for a character beyond ASCII, the first first.
    pub(super) fn sets(self) -> &'static [Use] {
        use Use::{G0, G1, G2, G3};
        match self {
            Self::Jp | Self::Cp50220 => &[G0(Set::Roman), G0(Set::Jisx0208)],
            Self::Jp1 => &[G0(Set::Roman), G0(Set::Jisx0208), G0(Set::Jisx0212)],
            Self::Jp2 => &[
                G0(Set::Roman),
                G0(Set::Jisx0208),
                G2(Set::Latin1),
                G2(Set::Greek),
                G0(Set::Jisx0212),
                G0(Set::Gb2312),
                G0(Set::Ksx1001),
            ],
            Self::Jp3 => &[
                G0(Set::Roman),
                G0(Set::Jisx0208),
                G0(Set::Jisx0213Plane1Of2000),
                G0(Set::Jisx0213Plane2),
                G0(Set::Katakana),
            ],
            Self::Jp2004 => &[
                G0(Set::Roman),
                G0(Set::Jisx0208),
                G0(Set::Jisx0213Plane1),
                G0(Set::Jisx0213Plane2),
                G0(Set::Katakana),
            ],
            Self::Cp50221 => &[
                G0(Set::Roman),
                G0(Set::Jisx0208),
                G0(Set::Katakana),
                G0(Set::Jisx0212),
            ],
            Self::Cp50222 => &[
                G0(Set::Roman),
                G0(Set::Jisx0208),
                G1(Set::Katakana),
                G0(Set::Jisx0212),
            ],
            Self::Kr => &[G1(Set::Ksx1001)],
            Self::Cn => &[G1(Set::Gb2312), G1(Set::Cns(1)), G2(Set::Cns(2))],
            Self::CnExt => &[
                G1(Set::Gb2312),
                G1(Set::Cns(1)),
                G2(Set::Cns(2)),
                G1(Set::IsoIr165),
                G3(Set::Cns(3)),
                G3(Set::Cns(4)),
                G3(Set::Cns(5)),
                G3(Set::Cns(6)),
                G3(Set::Cns(7)),
            ],
            Self::Hz => &[G0(Set::Gb2312)],
            Self::Raw(Set::Jisx0208) => &[G0(Set::Jisx0208)],
            Self::Raw(Set::Jis1978) => &[G0(Set::Jis1978)],
            Self::Raw(Set::Jisx0212) => &[G0(Set::Jisx0212)],
            Self::Raw(Set::IsoIr165) => &[G0(Set::IsoIr165)],
            Self::Raw(_) => &[],
        }
    }
}
