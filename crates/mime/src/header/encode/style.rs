//! The style in which the words of a field are written.

use crate::encoded_word::{Encoding, Place, Unencodable, encode_as, encode_legacy};
use mailglot_codec::{Charset, smallest_sufficient};

/// Options of [`encode_field`](crate::header::encode_field).
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The charsets, the best first. The first that can encode the whole value is used, otherwise UTF-8.
    pub charsets: &'a [Charset],
    /// The encoding of the words.
    pub encoding: Encoding,
    /// The line end of folds. If it is empty, the value stays on one line.
    pub eol: &'a str,
}

impl Style<'_> {
    /// Encodes a text as words where needed, and quotes other text as [`encode`](crate::encoded_word::encode) does. `column` is the number of bytes before it on its line.
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

    /// Returns the charset for a whole value.
    pub(super) fn charset(&self, text: &str) -> Charset {
        let is_sufficient = |charset: &&Charset| {
            smallest_sufficient(text, &[**charset]).charset.is_some()
                && encode_legacy::check(**charset).is_ok()
                && encode_legacy::carries(**charset, text).is_ok()
        };
        let charset = self.charsets.iter().find(is_sufficient);
        charset.copied().unwrap_or(Charset::UTF_8)
    }
}
