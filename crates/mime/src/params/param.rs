//! Parameters as written and as decoded.

use crate::lexer::is_token;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A parameter as written: without RFC 2231 joining or decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawParam<'a> {
    /// Name as written (`filename*0*`).
    pub name: &'a [u8],
    /// Range of the value in the field's value, including quotes.
    pub range: Range<usize>,
    /// The value without quotes, quoted pairs and folds.
    pub value: Cow<'a, [u8]>,
}

/// A decoded parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Lower-case name without RFC 2231 marks.
    pub name: String,
    /// Decoded text.
    pub text: String,
    /// Language of an RFC 2231 value.
    pub language: Option<String>,
}

/// A media type or disposition with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// The main value (`text/plain`, `attachment`), trimmed, lower-case, without comments.
    pub value: String,
    /// The parameters, one per name, in the order in which the forms that count appear.
    pub list: Vec<Param>,
}

impl Params {
    /// Returns the text of the parameter `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.list
            .iter()
            .find(|p| p.name == name)
            .map(|p| p.text.as_str())
    }
}

impl fmt::Display for Params {
    /// Writes `value; name="text"` for display; the text is not encoded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)?;
        for param in &self.list {
            if !param.text.is_empty() && param.text.bytes().all(is_token) {
                write!(f, "; {}={}", param.name, param.text)?;
            } else {
                write!(
                    f,
                    "; {}=\"{}\"",
                    param.name,
                    param.text.replace('\\', "\\\\").replace('"', "\\\"")
                )?;
            }
        }
        Ok(())
    }
}
