//! How the words of a field are written.

use crate::encoded_word::{Encoding, Place, Unencodable, encode_as, encode_legacy};
use mailglot_codec::{Charset, smallest_sufficient};

/// How words are written.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// Charsets, the best first: the first that holds the whole value is used. None: UTF-8.
    pub charsets: &'a [Charset],
    /// Their encoding.
    pub encoding: Encoding,
    /// Line end of folds; empty: all is one line.
    pub eol: &'a str,
}

impl Style<'_> {
    /// A text that is words as a whole, or needs none.
    pub fn text(&self, text: &str, place: Place, column: usize) -> Result<String, Unencodable> {
        encode_as(
            text,
            self.charset(text),
            place,
            self.encoding,
            column,
            self.eol,
        )
    }

    /// The charset for a whole value.
    pub(super) fn charset(&self, text: &str) -> Charset {
        let is_sufficient = |charset: &&Charset| {
            smallest_sufficient(text, &[**charset]).charset.is_some()
                && encode_legacy::check(**charset).is_ok()
                && encode_legacy::carries(**charset, text).is_ok()
        };
        let charset = self
            .charsets
            .iter()
            .find(is_sufficient)
            .or(self.charsets.first());
        charset.copied().unwrap_or(Charset::UTF_8)
    }
}
