//! Options of decoders: repairs, and the rules for byte order marks.
//!
//! # Limits
//! A repair changes the result of damaged input, never that of valid input.

use crate::mode::Mode;

/// Options of a decoder: the mode, the rules for byte order marks, and the repairs (none by default).
///
/// ```
/// use mailglot_codec::{Charset, DecodeOptions, LossLog, Mode, Repair};
///
/// let options = DecodeOptions::new(Mode::Lenient).with(Repair::Cesu8);
/// let mut log = LossLog::new();
/// assert_eq!(Charset::UTF_8.decode_with(b"\xED\xA0\xBD\xED\xB8\x80", options, &mut log), "\u{1F600}");
/// assert_eq!((log.losses(), log.notes()), (0, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DecodeOptions {
    mode: Mode,
    marks: Marks,
    repairs: u8,
}

/// The rules for byte order marks, and for the byte order of UTF-16 without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Marks {
    /// Follows the mode.
    ///
    /// Lenient decoding removes one mark, and finds the byte order of UTF-16 without a mark by statistics. Strict decoding follows RFC 2781,
    /// section 4, and RFC 3629, section 6.
    #[default]
    ByMode,
    /// Keeps marks in the text as U+FEFF. In UTF-16 and UTF-32 a mark still sets a byte order that the label leaves open.
    Keep,
    /// Follows "decode" of the WHATWG Encoding Standard (section 6) as far as one charset goes.
    ///
    /// One mark of the charset itself is removed. In UTF-16 and UTF-32 it overrules the byte order of the label; UTF-16 without one is
    /// little-endian. Under UTF-16, the mark of UTF-8 makes the text UTF-8. Under other labels a mark of another charset is data:
    /// [`crate::whatwg::decode`] lets any mark overrule the label.
    Web,
}

/// A repair of damaged input. The log records repaired input as a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Repair {
    /// UTF-8: decodes two surrogates of three bytes each (CESU-8) as one character.
    Cesu8,
    /// UTF-8: decodes overlong forms, also of five and six bytes, that a decoder of RFC 2279 reads as U+0080 to U+10FFFF.
    ///
    /// Forms of ASCII characters (`C0 80`, `C0 AF`) stay losses, because they hide characters from filters.
    Rfc2279,
    /// UTF-7: decodes 8-bit bytes as UTF-8. Use it if [`crate::utf7_carries_utf8`] is true for the whole part.
    Utf7EightBit,
    /// UTF-7: drops `=` that pads the base64 of a run to a multiple of four.
    Utf7Padding,
}

impl DecodeOptions {
    /// Returns options without repairs, with marks as the mode says.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    /// Sets the rules for byte order marks.
    #[must_use]
    pub fn marks(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// Adds a repair.
    #[must_use]
    pub fn with(self, repair: Repair) -> Self {
        Self {
            repairs: self.repairs | 1 << repair as u8,
            ..self
        }
    }

    /// Returns the mode.
    #[must_use]
    pub fn mode(self) -> Mode {
        self.mode
    }

    /// Returns the rules for byte order marks.
    #[must_use]
    pub fn mark_rules(self) -> Marks {
        self.marks
    }

    /// Returns true if the options include `repair`.
    #[must_use]
    pub fn repairs(self, repair: Repair) -> bool {
        self.repairs & 1 << repair as u8 != 0
    }

    /// Returns true if byte order marks follow the definitions of UTF-16 and UTF-32 (RFC 2781, section 4).
    pub(crate) fn by_definition(self) -> bool {
        self.mode == Mode::Strict && self.marks != Marks::Web
    }

    /// Returns true if a byte order mark at the start of a text with known byte order is removed.
    pub(crate) fn strips_mark(self) -> bool {
        match self.marks {
            Marks::ByMode => self.mode == Mode::Lenient,
            Marks::Keep => false,
            Marks::Web => true,
        }
    }
}

impl From<Mode> for DecodeOptions {
    fn from(mode: Mode) -> Self {
        Self::new(mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_apart_from_each_other() {
        let all = [
            Repair::Cesu8,
            Repair::Rfc2279,
            Repair::Utf7EightBit,
            Repair::Utf7Padding,
        ];
        for one in all {
            let options = DecodeOptions::new(Mode::Strict).with(one);
            assert_eq!(options.mode(), Mode::Strict);
            for other in all {
                assert_eq!(options.repairs(other), one == other);
            }
        }
    }
}
