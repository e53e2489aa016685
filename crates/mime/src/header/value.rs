//! Decodes and rewrites the value of any header field.

use crate::encoded_word::{
    DecodeBuffers, HeaderContext, Replacement, RewriteTarget, Rewriting, decode_value,
    decode_value_with,
};
use crate::event::Finding;
use crate::field_kind::FieldKind;
use crate::lexer::{WordFinder, skip_space, trim_end};
use crate::params;
use mailglot_codec::{Charset, Resolved, View};
use std::borrow::Cow;

/// Decodes a field value for display: unfolds it, decodes words, replaces controls by spaces.
///
/// In a structured field quoted strings lose their quotes, and strings and comments lose their quoted pairs. So they read the same
/// when they become words. A value with parameters becomes `value; name="text"` with joined continuations.
///
/// Borrows the value if nothing needs decoding.
// Inlined, since most callers know the arguments.
#[inline]
pub fn decode<'v>(
    value: &'v [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    match kind {
        FieldKind::Parameters => params::parse(value, context, findings).to_string().into(),
        _ => decode_value(value, kind, context, findings),
    }
}

/// Like [`decode`], for many values one after the other: a decoded text stands in `buffers`, which the next call uses again.
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::header::{DecodeBuffers, FieldKind, decode_with};
///
/// let (context, mut buffers) = (HeaderContext::default(), DecodeBuffers::default());
/// for (value, text) in [("=?utf-8?Q?=C3=BC?=", "ü"), ("plain", "plain")] {
///     let kind = FieldKind::Unstructured;
///     let decoded = decode_with(value.as_bytes(), kind, &context, &mut Vec::new(), &mut buffers);
///     assert_eq!(decoded, text);
/// }
/// ```
#[inline]
pub fn decode_with<'b>(
    value: &'b [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
    buffers: &'b mut DecodeBuffers,
) -> &'b str {
    match kind {
        FieldKind::Parameters => buffers.keep(params::parse(value, context, findings).to_string()),
        _ => decode_value_with(value, kind, context, findings, buffers),
    }
}

/// Decodes a value as it stands in a header, or a text of several lines.
///
/// A single line with its line end is a whole value: white space at its ends does not belong to it. Several lines are decoded
/// separately and keep their line ends. Only a line end between two encoded words disappears, like a fold.
///
/// Borrows a single line without line end if nothing needs decoding.
pub fn decode_lines<'t>(
    text: &'t [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'t, str> {
    if !text.ends_with(b"\n") && !text.ends_with(b"\r") && line_end(text, 0) == text.len() {
        return decode(text, kind, context, findings);
    }
    let mut out = String::with_capacity(text.len());
    let (mut at, mut first) = (0, true);
    while at < text.len() || first {
        let end = line_end(text, at);
        let line = &text[at..end];
        let bare = line
            .strip_suffix(b"\n")
            .map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        let whole = first && end == text.len() && bare.len() < line.len();
        let start = at + if whole { skip_space(bare, 0) } else { 0 };
        let value = if whole {
            trim_end(&bare[start - at..])
        } else {
            bare
        };
        let mut found = Vec::new();
        out.push_str(&decode(value, kind, context, &mut found));
        findings.extend(found.into_iter().map(|finding| finding.shifted(start)));
        if !whole {
            out.push_str(if line.ends_with(b"\r\n") {
                "\r\n"
            } else {
                &"\n"[..line.len() - bare.len()]
            });
        }
        (at, first) = (end, false);
    }
    out.into()
}

/// Returns the offset after the first line end that is not a fold.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[at..])
        .map(|n| at + n + 1)
        .scan(at, |start, end| Some((std::mem::replace(start, end), end)))
        .find(|&(start, end)| {
            !matches!(text.get(end), Some(b' ' | b'\t')) && !is_between_words(text, start, end)
        })
        .map_or(text.len(), |(_, end)| end)
}

/// Returns true if the line `start..end` ends in an encoded word, and the next line begins with one, both in known charsets.
fn is_between_words(text: &[u8], start: usize, end: usize) -> bool {
    if !text[end..].starts_with(b"=?") {
        return false;
    }
    let line = text[start..end].trim_ascii_end();
    if !line.ends_with(b"?=") {
        return false;
    }
    let is_known = |label: &[u8]| {
        !label.is_empty() && Charset::for_label(label, View::Mail) != Resolved::Unknown
    };
    let mut finder = WordFinder::new(line, line.len());
    let (mut at, mut last) = (0, None);
    while let Some(word) = finder.next_from(at) {
        at = word.range.end;
        last = Some(word);
    }
    let is_last =
        last.is_some_and(|word| word.range.end == line.len() && is_known(&line[word.label]));
    let next_end = memchr::memchr2(b'\r', b'\n', &text[end..]).map_or(text.len(), |n| end + n);
    let next = &text[end..next_end];
    let is_next = || {
        let word = WordFinder::new(next, next.len()).next_from(0);
        word.is_some_and(|word| word.range.start == 0 && is_known(&next[word.label]))
    };
    is_last && is_next()
}

/// Returns the replacements that rewrite a value to the form of `target`. Replaces only groups of words or raw bytes that need it.
///
/// The result decodes to the same text, and a second call returns no replacements. One exception: a name that touches its address
/// gets a space, because a word must end in one. `J\xF6rg<j@x>` decodes to `Jörg<j@x>`, and its rewritten form to `Jörg <j@x>`.
/// The shape of plain values (ASCII text and
/// separate, well-formed words) guarantees this. All other values are checked, and stay as they are if the check fails.
pub fn rewrite(
    value: &[u8],
    kind: FieldKind,
    target: RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let rewriting = Rewriting {
        value,
        kind,
        target,
        context,
        then: context,
    };
    changes(&rewriting, findings)
}

/// Like [`rewrite`], for a value that will be read again in another context.
pub(crate) fn changes(rewriting: &Rewriting<'_>, findings: &mut Vec<Finding>) -> Vec<Replacement> {
    match rewriting.kind {
        FieldKind::Parameters => params::rewrite(rewriting, findings),
        _ => rewriting.changes(findings),
    }
}

#[cfg(test)]
mod tests;
