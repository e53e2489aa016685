//! Tests whether text consists of everyday CJK characters, by the levels of the national standards.
//!
//! The first level of a standard contains the characters in daily use.
//!
//! # Limits
//! Charsets whose standard has no levels never pass.

use mailglot_codec::Charset;

/// Returns true if all non-ASCII text is in the first level of `charset`: everyday characters, kana, punctuation.
pub(crate) fn is_level1(charset: Charset, bytes: &[u8]) -> bool {
    Level::of(charset).is_some_and(|level| level.is_all(bytes))
}

/// Returns true if some text in `charset` is beyond the first level; false if its standard has no levels.
pub(crate) fn is_beyond_level1(charset: Charset, bytes: &[u8]) -> bool {
    Level::of(charset).is_some_and(|level| !level.is_all(bytes))
}

/// Returns true if at least three in four non-ASCII characters are in the first level of `charset`. Names and extensions of the standard add others:
/// `朱镕基`, `①`.
pub(crate) fn is_mostly_level1(charset: Charset, bytes: &[u8]) -> bool {
    Level::of(charset).is_some_and(|level| {
        let (everyday, others) = level.count(bytes);
        everyday > 0 && everyday >= 3 * others
    })
}

/// Returns true if [`is_level1`] is true for any of the known standards.
pub(crate) fn is_level1_of_any(bytes: &[u8]) -> bool {
    const LEVELS: [Level; 5] = [
        Level::Gb2312,
        Level::Ksx1001,
        Level::Big5,
        Level::Euc,
        Level::ShiftJis,
    ];
    LEVELS.iter().any(|level| level.is_all(bytes))
}

/// A standard with levels.
#[derive(Clone, Copy)]
enum Level {
    /// GB 2312: rows 16 to 55.
    Gb2312,
    /// KS X 1001: the syllables, rows 16 to 40.
    Ksx1001,
    /// Big5: A440 to C67E.
    Big5,
    /// JIS X 0208 in EUC-JP: kana, and rows 16 to 47.
    Euc,
    /// JIS X 0208 in Shift_JIS: kana, and rows 16 to 47.
    ShiftJis,
}

impl Level {
    fn of(charset: Charset) -> Option<Self> {
        Some(match charset {
            Charset::GB2312 | Charset::GBK | Charset::GB18030 => Self::Gb2312,
            Charset::EUC_KR | Charset::KS_C_5601_1987 | Charset::WINDOWS_949 => Self::Ksx1001,
            Charset::BIG5 | Charset::BIG5_HKSCS | Charset::MS950 | Charset::IBM950 => Self::Big5,
            Charset::EUC_JP | Charset::CP51932 | Charset::EUCJP_MS => Self::Euc,
            Charset::SHIFT_JIS | Charset::WINDOWS_31J => Self::ShiftJis,
            _ => return None,
        })
    }

    /// Returns true if all non-ASCII text is in the level.
    fn is_all(self, bytes: &[u8]) -> bool {
        let mut at = 0;
        while let Some(&lead) = bytes.get(at) {
            if lead.is_ascii() || self.is_single(lead) {
                at += 1;
                continue;
            }
            let Some(&trail) = bytes.get(at + 1) else {
                return false;
            };
            if !self.has(lead, trail) {
                return false;
            }
            at += 2;
        }
        true
    }

    /// Counts the non-ASCII characters in the level, and the others. A character of three bytes (JIS X 0212 in EUC-JP) counts once, one of four
    /// bytes (GB18030) twice.
    fn count(self, bytes: &[u8]) -> (usize, usize) {
        const JIS_X_0212: u8 = 0x8F;
        let (mut everyday, mut others, mut at) = (0, 0, 0);
        while let Some(&lead) = bytes.get(at) {
            let trail = bytes.get(at + 1).copied();
            let is_long = matches!(self, Self::Euc) && lead == JIS_X_0212;
            if lead.is_ascii() {
                at += 1;
                continue;
            }
            if self.is_single(lead) || trail.is_some_and(|trail| self.has(lead, trail)) {
                everyday += 1;
            } else {
                others += 1;
            }
            at += 1 + usize::from(!self.is_single(lead)) + usize::from(is_long);
        }
        (everyday, others)
    }

    /// Returns true for half-width katakana of Shift_JIS, which take one byte.
    fn is_single(self, byte: u8) -> bool {
        matches!((self, byte), (Self::ShiftJis, 0xA1..=0xDF))
    }

    fn has(self, lead: u8, trail: u8) -> bool {
        match self {
            Self::Gb2312 => trail >= 0xA1 && matches!(lead, 0xA1..=0xA3 | 0xB0..=0xD7),
            Self::Ksx1001 => trail >= 0xA1 && matches!(lead, 0xA1..=0xA3 | 0xB0..=0xC8),
            Self::Big5 => matches!(lead, 0xA1..=0xC6),
            Self::Euc => trail >= 0xA1 && matches!(lead, 0xA1..=0xA5 | 0xB0..=0xCF),
            // Row 47 is the first part of lead byte 98: 和, 話, 郎.
            Self::ShiftJis => {
                matches!(lead, 0x81..=0x83 | 0x88..=0x97) || lead == 0x98 && trail <= 0x72
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_characters_are_in_the_first_level() {
        for (charset, everyday, rare) in [
            (Charset::SHIFT_JIS, "和平な話、録音、次郎、腕", "弌丐丕"),
            (Charset::EUC_JP, "和平な話、録音、次郎、腕", "弌丐丕"),
            (Charset::GBK, "谢谢，再见", "璐倩"),
        ] {
            let encode = |text| charset.encode_exact(text).expect("in the charset");
            assert!(is_level1(charset, &encode(everyday)), "{everyday}");
            assert!(!is_level1(charset, &encode(rare)), "{rare}");
            let mixed = [encode(everyday), encode(&rare[..3])].concat();
            assert!(is_mostly_level1(charset, &mixed), "{everyday}");
            assert!(!is_mostly_level1(charset, &encode(rare)), "{rare}");
        }
    }

    #[test]
    fn characters_of_three_bytes_count_once_and_those_of_four_twice() {
        let count = |level: Level, charset: Charset, text: &str| {
            level.count(&charset.encode_exact(text).expect("in the charset"))
        };
        let (euc, gb) = (Level::Euc, Level::Gb2312);
        assert_eq!(count(euc, Charset::EUC_JP, "侂様のご注文"), (5, 1));
        assert_eq!(count(gb, Charset::GB18030, "谢谢😀 ok"), (2, 2));
    }
}
