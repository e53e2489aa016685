//! Spans of a message that stay unchanged, whatever the planner proposes.
//!
//! # Limits
//! An edit that touches a kept span is dropped as a whole.

use super::signatures;
use mailglot_mime::{Edit, Message, PartId, PartKind, Span, header};

/// Spans that stay unchanged, whatever the planner proposes.
#[derive(Debug, Default)]
pub(super) struct KeptSpans(Vec<Span>);

impl KeptSpans {
    /// Keeps a part with its header.
    pub(super) fn part(&mut self, message: &Message<'_>, id: PartId) {
        let whole = message
            .part(id)
            .map(|part| Span::new(part.header.start, part.body.end));
        self.0.extend(whole);
    }

    /// Keeps the body of a part, its charset parameter and its Content-Transfer-Encoding, and adds no field. Other text of the
    /// header may change.
    pub(super) fn body(&mut self, message: &Message<'_>, id: PartId) {
        let Some(part) = message.part(id) else {
            return;
        };
        let field = |index: Option<u32>| message.all_fields().get(index? as usize);
        if let Some(content_type) = field(part.content_type) {
            let label = part.charset.filter(|_| part.joined_charset.is_none());
            let of_label = |label: Span| {
                let value = content_type.value;
                let before = message.raw().get(value.start..label.start)?;
                let semicolon = memchr::memrchr(b';', before).unwrap_or_default();
                // An empty label would be filled at its end.
                let end = label.end + usize::from(label.is_empty());
                Some(Span::new(value.start + semicolon, end))
            };
            let kept = label.and_then(of_label).unwrap_or(content_type.full);
            self.0.push(kept);
        }
        let encoding = field(part.content_transfer_encoding).map(|field| field.full);
        self.0.extend(encoding);
        // Fields are added where the header ends.
        self.0.push(Span::new(part.header.end, part.body.end));
    }

    /// Keeps embedded messages: a signature covers them as a whole, and whoever forwards one does not vouch for its content. If only `seven` bits are
    /// allowed, an embedded message with eight bits is encoded, unless it is signed (RFC 6152, section 3). It must not be encoded as a whole
    /// (RFC 2045, section 6.4).
    pub(super) fn embedded(&mut self, message: &Message<'_>, seven: bool) {
        let parts = message.parts();
        let mut until = 0;
        for (index, part) in parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.kind == PartKind::Message)
        {
            if part.body.start < until {
                // It is inside a part that is kept as a whole.
                continue;
            }
            let inner = PartId(index as u32 + 1);
            let signed = || {
                parts
                    .get(index + 1)
                    .is_some_and(|_| signatures::is_signed(message, inner))
            };
            if !seven || signed() || part.body.of(message.raw()).is_ascii() {
                self.0.push(part.body);
                until = part.body.end;
            }
        }
    }

    pub(super) fn field(&mut self, field: &header::Field) {
        self.0.push(field.full);
    }

    /// Sorts the spans by offset, for [`KeptSpans::hold`].
    pub(super) fn sorted(mut self) -> Self {
        self.0.sort_unstable_by_key(|span| (span.start, span.end));
        self
    }

    /// Removes the edits that touch a kept span. Linear in both lists.
    pub(super) fn hold(&self, edits: &mut Vec<Edit>) {
        if self.0.is_empty() || edits.is_empty() {
            return;
        }
        let mut kept = self.0.iter().peekable();
        let mut reach = 0;
        edits.retain(|edit| {
            while let Some(span) = kept.next_if(|span| span.start <= edit.span.start) {
                reach = reach.max(span.end);
            }
            let begins_inside = edit.span.start < reach;
            let reaches_into = kept.peek().is_some_and(|span| span.start < edit.span.end);
            !begins_inside && !reaches_into
        });
    }
}
