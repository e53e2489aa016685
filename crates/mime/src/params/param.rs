//! Parameters as written and as decoded.

use crate::lexer::is_token;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// One parameter as written: no RFC 2231 joining, no decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawParam<'a> {
    /// Name as written (`filename*0*`).
    pub name: &'a [u8],
    /// Range of the value in the field's value, quotes included.
    pub range: Range<usize>,
    /// The value without quotes, quoted pairs and folds.
    pub value: Cow<'a, [u8]>,
}

/// One decoded parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Lower-case name without RFC 2231 marks.
    pub name: String,
    /// Decoded text.
    pub text: String,
    /// Language of an RFC 2231 value.
    pub language: Option<String>,
}

/// Media type or disposition, with parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// The main value (`text/plain`, `attachment`), trimmed, comments removed, in lower case.
    pub value: String,
    /// In order of the places of the forms that count; a name occurs once.
    pub list: Vec<Param>,
}

impl Params {
    /// The text of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.list
            .iter()
            .find(|p| p.name == name)
            .map(|p| p.text.as_str())
    }
}

impl fmt::Display for Params {
    /// Writes `value; name="text"`, for people: the text is not encoded.
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
