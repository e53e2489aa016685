//! Splits a structured value into decoded tokens for the readers of addresses.
//!
//! # Limits
//!
//! Only commas, semicolons and colons separate. Stray angles, quotes and parentheses are text.

use super::context::HeaderContext;
use super::reader::{Reader, Segment};
use crate::event::Finding;
use crate::field_kind::FieldKind;
use crate::lexer::LexicalContext;
use std::borrow::Cow;
use std::ops::Range;

/// A token with its range in the value.
#[derive(Debug)]
pub(crate) enum AddressToken<'v> {
    /// `,`, `;` or `:`
    Separator(u8, Range<usize>),
    /// Text of a phrase as written, including white space.
    Text(String, Range<usize>),
    /// Decoded words, or the content of a quoted string.
    Quoted(String, Range<usize>),
    /// A comment without its parentheses.
    Comment(String, Range<usize>),
    /// An address as written. Its raw bytes are decoded as in the text of the field.
    Address(Cow<'v, str>, Range<usize>),
}

/// Splits a value into tokens. Decoded text never becomes a separator.
pub(crate) fn address_tokens<'v>(
    value: &'v [u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<AddressToken<'v>> {
    let reader = Reader::new(value, FieldKind::Structured, context, findings);
    let mut list = Vec::new();
    // An open quoted string or comment.
    let mut open: Option<(String, Range<usize>)> = None;
    for segment in &reader.segments {
        let range = segment.range.clone();
        match segment.lexical {
            LexicalContext::Address => {
                let bytes = &value[range.clone()];
                let text = reader.utf8(bytes, LexicalContext::Address).map_or_else(
                    || reader.legacy_text(bytes, LexicalContext::Address),
                    Cow::Borrowed,
                );
                list.push(AddressToken::Address(text, range));
            }
            LexicalContext::Mark => match open.take() {
                None => open = Some((String::new(), range)),
                Some((text, at)) => list.push(AddressToken::Quoted(text, at.start..range.end)),
            },
            LexicalContext::Quoted => {
                if let Some((text, _)) = &mut open {
                    reader.push(segment, text, findings);
                }
            }
            LexicalContext::Comment => {
                comment(value, &reader, segment, &mut open, &mut list, findings);
            }
            LexicalContext::Phrase | LexicalContext::Text if segment.words.is_empty() => {
                phrase(value, &reader, range, &mut list, findings);
            }
            LexicalContext::Phrase | LexicalContext::Text => {
                let mut text = String::new();
                reader.push(segment, &mut text, findings);
                list.push(AddressToken::Quoted(text, range));
            }
        }
    }
    list
}

fn phrase(
    value: &[u8],
    reader: &Reader<'_>,
    range: Range<usize>,
    list: &mut Vec<AddressToken<'_>>,
    findings: &mut Vec<Finding>,
) {
    let mut at = range.start;
    while at < range.end {
        let mut end = at;
        while end < range.end && !matches!(value[end], b',' | b';' | b':') {
            end += reader.steps.step(value, end);
        }
        end = end.min(range.end);
        if end > at {
            let segment = Segment {
                range: at..end,
                lexical: LexicalContext::Phrase,
                words: 0..0,
            };
            let mut text = String::new();
            reader.push(&segment, &mut text, findings);
            list.push(AddressToken::Text(text, at..end));
        }
        if end < range.end {
            list.push(AddressToken::Separator(value[end], end..end + 1));
        }
        at = end + 1;
    }
}

/// Adds a segment to its comment. A text may contain the end of one comment and other complete ones.
fn comment(
    value: &[u8],
    reader: &Reader<'_>,
    segment: &Segment,
    open: &mut Option<(String, Range<usize>)>,
    list: &mut Vec<AddressToken<'_>>,
    findings: &mut Vec<Finding>,
) {
    let mut at = segment.range.start;
    while at < segment.range.end {
        let (mut text, whole) = open.take().unwrap_or_else(|| {
            (
                String::new(),
                at..reader
                    .steps
                    .comment_end(value, at)
                    .unwrap_or(segment.range.end),
            )
        });
        let end = whole.end.min(segment.range.end).max(at + 1);
        if segment.words.is_empty() {
            let inside =
                at.max(whole.start + 1)..end.min(whole.end - 1).max(at.max(whole.start + 1));
            if !inside.is_empty() {
                let piece = Segment {
                    range: inside,
                    ..segment.clone()
                };
                reader.push(&piece, &mut text, findings);
            }
        } else {
            reader.push(segment, &mut text, findings);
        }
        at = end;
        if end >= whole.end {
            list.push(AddressToken::Comment(text, whole));
        } else {
            *open = Some((text, whole));
        }
    }
}
