//! Decodes values without parameters: text, phrases, addresses.

use super::context::HeaderContext;
use super::context::is_plain;
use super::decode::Reader;
use super::decode_fast_path;
use crate::event::Finding;
use crate::header::FieldKind;
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
    if kind == FieldKind::Unstructured
        && context.has_no_instructions()
        && (!context.raw.is_some_and(is_plain) || value.is_ascii())
        && let Some(text) = decode_fast_path::decode(value, context.check_labels, findings)
    {
        return text;
    }
    decode_any_shape(value, kind, context, findings).into()
}

/// Decodes values of any shape; see [`decode_value`].
#[inline(never)]
pub(crate) fn decode_any_shape(
    value: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> String {
    let mut out = String::with_capacity(value.len());
    let reader = Reader::new(value, kind, context, findings);
    for segment in &reader.segments {
        reader.push(segment, &mut out, findings);
    }
    findings.sort_by_key(|f| f.at.start);
    out
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
