//! Decodes values without parameters: text, phrases, addresses.

use super::context::HeaderContext;
use super::reader::decode_segments;
use super::unstructured::{self, DecodeBuffers};
use crate::event::Finding;
use crate::field_kind::FieldKind;
use crate::lexer::WordFinder;
use mailglot_codec::{Charset, View};
use std::borrow::Cow;

/// Decodes a value; see [`crate::header::decode`]. Values with parameters stay as written.
// Inlined, since most callers know the arguments.
#[inline]
pub(crate) fn decode_value<'v>(
    value: &'v [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    match kind {
        FieldKind::Unstructured => unstructured::decode(value, context, findings),
        _ => decode_segments(value, kind, context, findings).into(),
    }
}

/// Decodes a value with buffers; see [`crate::header::decode_with`]. Values with parameters stay as written.
#[inline]
pub(crate) fn decode_value_with<'b>(
    value: &'b [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
    buffers: &'b mut DecodeBuffers,
) -> &'b str {
    match kind {
        FieldKind::Unstructured => unstructured::decode_with(value, context, findings, buffers),
        _ => buffers.keep(decode_segments(value, kind, context, findings)),
    }
}

/// Decodes unstructured text with words and raw bytes.
pub(crate) fn decode_text<'v>(
    value: &'v [u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    decode_value(value, FieldKind::Unstructured, context, findings)
}

/// Returns the charsets of the words in a value, in order, without unknown ones.
///
/// ```
/// use mailglot_mime::encoded_word::charsets;
///
/// assert_eq!(charsets(b"=?koi8-r?B?5A==?= =?utf-8?Q?a?=").len(), 2);
/// ```
pub fn charsets(value: &[u8]) -> Vec<Charset> {
    let mut finder = WordFinder::new(value, value.len());
    let (mut at, mut list) = (0, Vec::new());
    while let Some(word) = finder.next_from(at) {
        at = word.range.end;
        list.extend(Charset::for_label(&value[word.label], View::Mail).charset());
    }
    list
}
