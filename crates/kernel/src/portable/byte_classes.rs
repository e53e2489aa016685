//! Classifies the bytes of a text without vector instructions.
//!
//! # Limits
//! None.

/// The classes of bytes that occur in a text: seven of control characters and two of bytes above 7F.
///
/// ```
/// use mailglot_kernel::ByteClasses;
///
/// let classes = ByteClasses::of(b"caf\xE9 \x1b[1m\r\n");
/// assert!(classes.has_escape() && !classes.is_ascii());
/// assert!(!classes.has_nul() && !classes.has_unusual_control());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteClasses(pub(crate) u8);

/// 00.
const NUL: u8 = 1 << 0;
/// 01 to 07, and 7F by a class of its own.
const LOW_CONTROL: u8 = 1 << 1;
/// 08, 0B, 0E, 0F: backspace, vertical tab and the shifts of ISO 2022.
const LAYOUT: u8 = 1 << 2;
/// 10 to 1A and 1C to 1F.
const HIGH_CONTROL: u8 = 1 << 3;
/// 1B.
const ESCAPE: u8 = 1 << 4;
/// 7F.
const DELETE: u8 = 1 << 5;
/// 80 to BF.
const CONTINUATION: u8 = 1 << 6;
/// C0 to FF.
const LEAD: u8 = 1 << 7;

/// Classes for each lower half of a byte. A byte has the classes that both its halves have.
pub(crate) const LOWER_HALVES: [u8; 16] = {
    let mut classes = [HIGH_CONTROL | CONTINUATION | LEAD; 16];
    classes[0] |= NUL;
    let mut half = 1;
    while half < 8 {
        classes[half] |= LOW_CONTROL;
        half += 1;
    }
    classes[0x8] |= LAYOUT;
    classes[0xB] = ESCAPE | LAYOUT | CONTINUATION | LEAD;
    classes[0xE] |= LAYOUT;
    classes[0xF] |= LAYOUT | DELETE;
    classes
};

/// Classes for each upper half of a byte.
pub(crate) const UPPER_HALVES: [u8; 16] = {
    let mut classes = [0; 16];
    classes[0] = NUL | LOW_CONTROL | LAYOUT;
    classes[1] = HIGH_CONTROL | ESCAPE;
    classes[7] = DELETE;
    let mut half = 8;
    while half < 16 {
        classes[half] = if half < 0xC { CONTINUATION } else { LEAD };
        half += 1;
    }
    classes
};

impl ByteClasses {
    /// Returns true if no byte is above 7F.
    #[must_use]
    pub fn is_ascii(self) -> bool {
        self.0 & (CONTINUATION | LEAD) == 0
    }

    /// Returns true if a byte is 80 to BF, as in each non-ASCII character of UTF-8 (RFC 3629, section 3).
    #[must_use]
    pub fn has_continuation(self) -> bool {
        self.0 & CONTINUATION > 0
    }

    /// Returns true if a byte is 00.
    #[must_use]
    pub fn has_nul(self) -> bool {
        self.0 & NUL > 0
    }

    /// Returns true if a byte is 1B.
    #[must_use]
    pub fn has_escape(self) -> bool {
        self.0 & ESCAPE > 0
    }

    /// Returns true if a byte is a control that layout of text does not use. These are 00 to 07, 10 to 1A, 1C to 1F and
    /// 7F.
    #[must_use]
    pub fn has_unusual_control(self) -> bool {
        self.0 & (NUL | LOW_CONTROL | HIGH_CONTROL | DELETE) > 0
    }

    /// Returns true if a byte is a control other than tab, LF, form feed, CR and escape.
    #[must_use]
    pub fn has_control(self) -> bool {
        self.has_unusual_control() || self.0 & LAYOUT > 0
    }
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = LOWER_HALVES[byte & 15] & UPPER_HALVES[byte >> 4];
        byte += 1;
    }
    classes
};

pub(crate) fn portable_classes(bytes: &[u8]) -> ByteClasses {
    ByteClasses(
        bytes
            .iter()
            .fold(0, |found, byte| found | CLASSES[usize::from(*byte)]),
    )
}
