//! Parameters as written and as decoded.

use crate::encoded_word::quoted;
use crate::lexer::is_token;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A parameter as written, neither joined (RFC 2231) nor decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawParam<'a> {
    /// The name as written, such as `filename*0*`.
    pub name: &'a [u8],
    /// The range of the parameter's value in the field value, with quotes.
    pub range: Range<usize>,
    /// The value without quotes, quoted pairs and folds.
    pub value: Cow<'a, [u8]>,
}

/// A decoded parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name in lower case, without the marks of RFC 2231.
    pub name: String,
    /// The decoded text.
    pub text: String,
    /// The language of a value in the form of RFC 2231.
    pub language: Option<String>,
}

/// A media type or disposition with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// The main value (`text/plain`, `attachment`), trimmed, lower-case, without comments and a comma behind it.
    pub value: String,
    /// The parameters in order; each name occurs once.
    pub list: Vec<Param>,
}

impl Params {
    /// Returns the text of a parameter by its name in lower case.
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
                write!(f, "; {}={}", param.name, quoted(&param.text))?;
            }
        }
        Ok(())
    }
}
