//! Decides whether `-` and `_` are digits of a body in base64.
//!
//! They are the digits 62 and 63 of the URL-safe alphabet (RFC 4648, section 5). In the standard one they are foreign bytes.
//!
//! # Limits
//! One body has one alphabet. A body without `+`, `/` and damaged lines does not show whether a mark replaced a digit. Nor does one line
//! without padding show whether two or three marks were inserted. Such marks are digits.

/// Number of digits from which on a line counts as base64. Words are shorter: `Donaudampfschiff` has 16.
pub(super) const SHORTEST_STRONG: usize = 20;

/// The digits of a body in base64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Base64Alphabet {
    /// With `+` and `/`: other marks are foreign bytes.
    #[default]
    Standard,
    /// With `-` and `_`.
    UrlSafe,
}

impl Base64Alphabet {
    /// Returns the alphabet of lines with `-` or `_`.
    ///
    /// It is standard if a long or padded line of digits has `+` or `/`, or if line lengths fit better without `-` and `_`.
    pub(super) fn of<'b>(lines: impl Iterator<Item = &'b [u8]>) -> Self {
        let (mut with, mut without) = (LineFit::default(), LineFit::default());
        for line in lines {
            let line = line.trim_ascii();
            let digits = line.iter().filter(|b| is_base64(**b)).count();
            let is_padded = line.ends_with(b"=");
            // A short line may be a footer: `24/7`.
            if digits == line.len()
                && (is_padded || digits >= SHORTEST_STRONG)
                && memchr::memchr2(b'+', b'/', line).is_some()
            {
                return Self::Standard;
            }
            with.add(digits, is_padded);
            without.add(
                digits - memchr::memchr2_iter(b'-', b'_', line).count(),
                is_padded,
            );
        }
        if with.misfit() <= without.misfit() {
            Self::UrlSafe
        } else {
            Self::Standard
        }
    }

    /// Returns true for a digit or padding.
    pub(super) fn has(self, byte: u8) -> bool {
        is_base64(byte) && (self == Self::UrlSafe || !matches!(byte, b'-' | b'_'))
    }

    /// Returns true if a line has `-` or `_`, and they are foreign.
    pub(super) fn has_foreign_marks(self, line: &[u8]) -> bool {
        self == Self::Standard && memchr::memchr2(b'-', b'_', line).is_some()
    }
}

/// Counts what an encoder would not write: changes of length between lines, and an incomplete quantum at the end.
#[derive(Debug, Default)]
struct LineFit {
    previous: Option<usize>,
    changes: usize,
    all: usize,
    is_padded: bool,
}

impl LineFit {
    fn add(&mut self, digits: usize, is_padded: bool) {
        self.changes += usize::from(self.previous.is_some_and(|previous| previous != digits));
        self.previous = Some(digits);
        self.all += digits;
        self.is_padded |= is_padded;
    }

    /// Returns a value that is smaller for lines that fit better. The URL-safe alphabet is often without padding.
    fn misfit(&self) -> (usize, bool) {
        let remainder = self.all % 4;
        let is_cut = remainder == 1 || self.is_padded && remainder > 0;
        (self.changes, is_cut)
    }
}

/// Returns true for a digit of either alphabet, and for padding.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}
