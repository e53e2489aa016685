//! What stands in a short text, told in one pass.
//!
//! # Limits
//! Nothing is decoded.

use crate::kernel;
use std::ops::Range;

/// What stands in a value from some place on, before the first `=?`, CR or LF there; without one, before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look<'v> {
    /// All of that as text; None where a byte is above 7F.
    pub ascii: Option<&'v str>,
    /// A byte below 20 occurs, or 7F.
    pub has_control: bool,
    /// Where that ends, as an offset in the value; None for the end of the value.
    pub stop: Option<usize>,
}

/// Looks at a value from an offset on.
///
/// ```
/// use mailglot_codec::scan;
///
/// let value = b"a=b\r\n c =?\t";
/// let look = |from| scan::look(value, from);
/// assert_eq!((look(0).ascii, look(0).stop), (Some("a=b"), Some(3)));
/// assert_eq!((look(5).ascii, look(5).stop), (Some(" c "), Some(8)));
/// assert!(look(9).has_control && look(9).stop.is_none());
/// ```
#[inline]
pub fn look(value: &[u8], from: usize) -> Look<'_> {
    if from == 0 {
        kernel::fetch(value);
    }
    let (look, ascii) = kernel::look(value, from);
    Look {
        ascii,
        has_control: look.control,
        stop: look.stop,
    }
}

/// Appends bytes of a source to a text, if all are ASCII; false, and nothing is appended, where one is not. What stands behind them in
/// the source makes it quicker.
///
/// # Panics
/// If the range is not in the source.
#[inline]
pub fn push_ascii(source: &[u8], range: Range<usize>, text: &mut String) -> bool {
    kernel::push_ascii(source, range, text)
}

/// Bytes that are UTF-8, and what stands in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utf8<'b> {
    /// All of them.
    pub text: &'b str,
    /// One of the characters that were looked for may stand among them.
    pub is_suspect: bool,
    /// From the first byte above 7F to the last; empty where there is none.
    pub eight: Range<usize>,
    /// The number of such bytes.
    pub count: usize,
}

/// Characters to be looked for, by tables of the halves of their first two bytes: a quick look that finds all of them, and some others.
///
/// ```
/// use mailglot_codec::scan::Suspects;
///
/// // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
/// const SEPARATORS: Suspects = Suspects::new(&[(&[0xE2], Some(&[0x80]))]);
/// assert_eq!(SEPARATORS.find("na\u{ef}ve\u{2028}".as_bytes(), 0), Some(6));
/// assert_eq!(SEPARATORS.find("日本語".as_bytes(), 0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspects(kernel::Suspects);

impl Suspects {
    /// Up to eight kinds, each of these first bytes and these second ones, or any second one. A kind may find pairs whose halves are
    /// those of its bytes in another mixture.
    ///
    /// # Panics
    /// If there are more than eight.
    pub const fn new(kinds: &[(&[u8], Option<&[u8]>)]) -> Self {
        assert!(kinds.len() <= 8, "a bit for each kind");
        let mut tables = kernel::Suspects {
            first_high: [0; 16],
            first_low: [0; 16],
            second_low: [0; 16],
        };
        let mut kind = 0;
        while kind < kinds.len() {
            let bit = 1 << kind;
            let (first, second) = kinds[kind];
            let mut i = 0;
            while i < first.len() {
                tables.first_high[(first[i] >> 4) as usize] |= bit;
                tables.first_low[(first[i] & 0xF) as usize] |= bit;
                i += 1;
            }
            let mut half = 0;
            while half < 16 {
                let mut is_second = second.is_none();
                if let Some(second) = second {
                    let mut i = 0;
                    while i < second.len() {
                        is_second |= second[i] & 0xF == half;
                        i += 1;
                    }
                }
                if is_second {
                    tables.second_low[half as usize] |= bit;
                }
                half += 1;
            }
            kind += 1;
        }
        Self(tables)
    }

    /// Appends bytes of a source to a text, if they are UTF-8; tells then whether one of them may stand among them. None, and nothing is
    /// appended, where they are none. What stands behind them in the source makes it quicker.
    ///
    /// # Panics
    /// If the range is not in the source.
    #[inline]
    pub fn push_utf8(&self, source: &[u8], range: Range<usize>, text: &mut String) -> Option<bool> {
        kernel::push_utf8(&self.0, source, range, text)
    }

    /// What bytes are as text, if they are UTF-8.
    #[inline]
    pub fn check_utf8<'b>(&self, bytes: &'b [u8]) -> Option<Utf8<'b>> {
        let (
            text,
            kernel::Checked {
                is_suspect,
                eight,
                count,
            },
        ) = kernel::check_utf8(&self.0, bytes)?;
        Some(Utf8 {
            text,
            is_suspect,
            eight,
            count,
        })
    }

    /// The first place at or after `from` where one of them may begin.
    #[inline]
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        kernel::suspect(&self.0, text, from)
    }
}
