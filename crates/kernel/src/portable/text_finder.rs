//! Finds a text in bytes without vector instructions of its own.
//!
//! # Limits
//! None.

/// Searches for a text. The vector loops compare two bytes of the text first, and the whole text where both are.
///
/// ```
/// use mailglot_kernel::TextFinder;
///
/// static SEPARATOR: TextFinder = TextFinder::new(b"From ", [0, 4]);
/// assert_eq!(SEPARATOR.find(b"Fri, From: From me"), Some(11));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TextFinder {
    pub(crate) text: &'static [u8],
    /// The places of the two bytes in the text, in order.
    pub(crate) places: [usize; 2],
}

/// Returns the first offset at or after `from` where the text begins.
pub(crate) fn portable_find(finder: &TextFinder, bytes: &[u8], from: usize) -> Option<usize> {
    let found = memchr::memmem::find(bytes.get(from..)?, finder.text)?;
    Some(from + found)
}
