//! Parses, decodes and encodes parameters of MIME header fields (RFC 2045, section 5.1; RFC 2231), damaged ones too.
//!
//! [`scan`] reads a field as written; [`parse`] joins continuations and decodes.
//!
//! # Limits
//!
//! At most 1,000 parameters and 10,000 segments are read of one field, and 1 MiB of one value.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the context is passed on as the public functions take it"
)]

mod decode;
mod encode;
mod names;
mod parameter_name;
mod rewrite;
mod scan;

pub use decode::parse;

pub use encode::{Compat, encode};
pub(crate) use names::survey;
pub(crate) use parameter_name::{NameForm, split_name};
pub(crate) use rewrite::rewrite;

use std::borrow::Cow;
use std::collections::HashMap;
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
    /// The main value (`text/plain`, `attachment`), trimmed, comments removed, in lower case.
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

/// The main value of a field (comments and blanks skipped), and its parameters as written. For the parser: allocates as little as possible.
pub fn scan(value: &[u8]) -> (Cow<'_, [u8]>, Vec<RawParam<'_>>) {
    let (main, items) = scan::Scanner::new(value);
    (main, items.take(scan::LIMIT).map(|item| item.raw).collect())
}

/// Whether percent signs hold what the rest of the message may have to tell of: bytes beyond ASCII that are not labelled UTF-8, or are none.
pub(crate) fn asks_the_message(value: &[u8]) -> bool {
    let mut bytes = Vec::new();
    if memchr::memchr(b'%', value).is_some_and(|_| memchr::memchr(b'*', value).is_some()) {
        decode::percent_decode(value, &mut bytes);
    }
    if bytes.is_ascii() {
        return false;
    }
    let is_utf8 = |item: scan::Item<'_>| {
        let begins = matches!(
            split_name(item.raw.name).1,
            NameForm::Extended
                | NameForm::Segment {
                    number: 0,
                    encoded: true
                }
        );
        let label = begins.then(|| decode::split_extended(&item.raw.value).0);
        label.is_none_or(|label| label.is_some_and(|label| label.eq_ignore_ascii_case(b"utf-8")))
    };
    std::str::from_utf8(&bytes).is_err()
        || !scan::Scanner::new(value).1.take(scan::LIMIT).all(is_utf8)
}

/// A parameter as bytes with the label that they have.
#[derive(Default)]
pub(crate) struct Labelled {
    /// None for a plain value, whose encoded words have labels of their own.
    pub(crate) label: Option<Vec<u8>>,
    /// Percent signs are decoded where the value has a label.
    pub(crate) bytes: Vec<u8>,
}

/// The parameters of a field's value with their labels; segments of RFC 2231 are joined.
pub(crate) struct LabelledParams {
    /// Ranges of the values in order, each with the index of its parameter.
    places: Vec<(Range<usize>, usize)>,
    pub(crate) list: Vec<Labelled>,
}

impl LabelledParams {
    /// Scans a field's value once.
    pub(crate) fn new(value: &[u8]) -> Self {
        let mut places = Vec::new();
        let mut list: Vec<Labelled> = Vec::new();
        let mut extended: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut segments = Vec::new();
        for raw in scan::Scanner::new(value)
            .1
            .take(scan::LIMIT)
            .map(|item| item.raw)
        {
            let (name, form) = split_name(raw.name);
            let index = match form {
                NameForm::Plain => {
                    list.push(Labelled {
                        label: None,
                        bytes: raw.value.into_owned(),
                    });
                    list.len() - 1
                }
                NameForm::Extended | NameForm::Segment { .. } => {
                    let index = *extended
                        .entry(name.to_ascii_lowercase())
                        .or_insert_with(|| {
                            list.push(Labelled {
                                label: Some(Vec::new()),
                                bytes: Vec::new(),
                            });
                            list.len() - 1
                        });
                    let (number, encoded) = match form {
                        NameForm::Segment { number, encoded } => (number, encoded),
                        _ => (0, true),
                    };
                    segments.push((index, number, encoded, raw.value));
                    index
                }
            };
            places.push((raw.range, index));
        }
        segments.sort_by_key(|(index, number, ..)| (*index, *number));
        let mut last = None;
        for (index, _, encoded, text) in &segments {
            let Labelled { label, bytes } = &mut list[*index];
            let mut text = &**text;
            if last.replace(*index) != Some(*index) && *encoded {
                let (named, _, rest) = decode::split_extended(text);
                *label = Some(named.unwrap_or_default().to_vec());
                text = rest;
            }
            if *encoded {
                decode::percent_decode(text, bytes);
            } else {
                bytes.extend_from_slice(text);
            }
        }
        Self { places, list }
    }

    /// Index of the parameter whose value meets `at`, a range of the field's value.
    pub(crate) fn at(&self, at: &Range<usize>) -> Option<usize> {
        let first = self
            .places
            .partition_point(|(range, _)| range.end <= at.start);
        self.places
            .get(first)
            .filter(|(range, _)| range.start < at.end)
            .map(|(_, index)| *index)
    }
}

impl fmt::Display for Params {
    /// Writes `value; name="text"`, for people: the text is not encoded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)?;
        for param in &self.list {
            if !param.text.is_empty() && param.text.bytes().all(crate::lex::is_token) {
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
