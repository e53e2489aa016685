//! Encoded words (RFC 2047): one tokenizer, two consumers (decoding and rewriting), and the encoder.
//!
//! ```text
//! value ── zone::pieces ──► texts and words ── decode::Reader ──► texts and runs ──┬─► decode: one text
//!            (token)                             (payload)                        └─► rewrite: replacements (encode)
//! ```
//!
//! # Limits
//!
//! Words are decoded once: text that reads as a word afterwards stays. Bidirectional overrides and invisible characters stay in the text.

mod decode;
mod encode;
#[cfg(test)]
mod laws;
mod payload;
mod rewrite;
mod token;
mod zone;

pub(crate) use decode::{is_control, push_clean};
pub use encode::encode;
pub(crate) use encode::{Lines, choose};
pub(crate) use payload::hex;
pub use rewrite::rewrite;
pub(crate) use rewrite::{UNSAFE, apply, is_tidy_text};

use crate::EventKind;
use crate::header::FieldKind;
use crate::params;
use mailglot_codec::{Charset, LossLog, View};
use std::borrow::Cow;
use std::ops::Range;

/// What the rest of the message tells about raw 8-bit bytes in a header (mime.md 1.6).
#[derive(Clone, Copy, Debug, Default)]
pub struct HeaderContext {
    /// Charset of raw bytes that are not valid UTF-8. None: detection over the value, else windows-1252.
    pub raw: Option<Charset>,
}

/// Something found in a value; `at` is relative to the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub at: Range<usize>,
    /// What.
    pub kind: EventKind,
    /// More words; may be empty.
    pub detail: Cow<'static, str>,
    /// How many.
    pub count: u64,
}

impl Finding {
    /// One thing at a place; `detail` may be empty.
    pub(crate) fn new(at: Range<usize>, kind: EventKind, detail: &'static str) -> Self {
        Self::counted(at, kind, detail, 1)
    }

    /// Several of a kind at a place.
    pub(crate) fn counted(at: Range<usize>, kind: EventKind, detail: &'static str, count: u64) -> Self {
        Self { at, kind, detail: Cow::Borrowed(detail), count }
    }
}

/// A change of a value: the bytes of `at` become `with`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Range in the value.
    pub at: Range<usize>,
    /// New bytes.
    pub with: Vec<u8>,
}

/// Target of [`rewrite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Encoded words in UTF-8.
    Words,
    /// Raw UTF-8 (RFC 6532).
    RawUtf8,
}

/// B, Q, or the shorter of both for the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Base64.
    B,
    /// Quoted-printable-like.
    Q,
    /// Whichever is shorter; Q when equal.
    #[default]
    Shorter,
}

/// Where a word stands: it limits the Q alphabet (RFC 2047 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Unstructured text.
    Text,
    /// Inside a comment.
    Comment,
    /// In a phrase.
    Phrase,
}

/// Decodes a field value for display: unfolded, words decoded, controls replaced by spaces.
///
/// A value with parameters is written anew as `value; name="text"`, continuations joined.
pub fn decode(value: &[u8], kind: FieldKind, context: &HeaderContext, findings: &mut Vec<Finding>) -> String {
    if kind == FieldKind::Parameters {
        return params::parse(value, context, findings).to_string();
    }
    let mut out = String::with_capacity(value.len());
    let reader = decode::Reader::new(value, kind, context, findings);
    for segment in &reader.segments {
        reader.push(segment, &mut out, findings);
    }
    findings.sort_by_key(|f| f.at.start);
    out
}

/// Text with words and raw bytes that has no structure of its own.
pub(crate) fn decode_text(value: &[u8], context: &HeaderContext, findings: &mut Vec<Finding>) -> String {
    decode(value, FieldKind::Unstructured, context, findings)
}

/// Bytes with a charset, or without one, as text; also what was used (None: UTF-8 without a label) and the number of losses.
pub(crate) fn bytes_to_text<'b>(
    charset: Option<Charset>,
    bytes: &'b [u8],
    context: &HeaderContext,
) -> (Cow<'b, str>, Option<Charset>, u64) {
    let known = charset.filter(|&c| c != Charset::US_ASCII || bytes.is_ascii());
    if known.is_none() {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return (Cow::Borrowed(text), None, 0);
        }
    }
    let used = known.unwrap_or_else(|| {
        context.raw.filter(|&c| decode::is_plain(c)).unwrap_or_else(|| decode::guess(bytes))
    });
    let mut log = LossLog::new();
    let text = used.decode(bytes, &mut log);
    (text, Some(used), log.losses())
}

/// Whether an encoded word stands in a value.
pub(crate) fn has_word(value: &[u8]) -> bool {
    token::Finder::new(value, value.len()).next_from(0).is_some()
}

/// The charsets of the words in a value, in order, unresolved and unknown ones left out.
pub fn charsets(value: &[u8]) -> Vec<Charset> {
    let mut finder = token::Finder::new(value, value.len());
    let (mut at, mut list) = (0, Vec::new());
    while let Some(word) = finder.next_from(at) {
        at = word.range.end;
        list.extend(Charset::for_label(&value[word.label], View::Mail).charset());
    }
    list
}
