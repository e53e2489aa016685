//! Writes the edits of a text body in its new form.
//!
//! # Limits
//! A base64 body gets lines of 76 characters, whatever length its old lines had.

use super::body::{Body, UTF_8};
use super::body_target::BodyTarget;
use super::part_fields::{OpenLabel, PartFields};
use crate::edit::Edit;
use crate::message::{Eol, Message};
use crate::recipe::{Recipe, to_crlf};
use crate::span::Span;
use crate::transfer::{TransferEncoding, base64, quoted_printable};
use std::borrow::Cow;

impl Body<'_, '_> {
    /// Adds the edits. Returns true if the part became 8bit, so that the parts around it may need the same label.
    ///
    /// Also returns the index of the edit that still needs the text of the choice, which is moved there later.
    pub(super) fn write(
        &self,
        target: &BodyTarget<'_>,
        edits: &mut Vec<Edit>,
    ) -> (bool, Option<usize>) {
        let mut text = None;
        let with = self.transfer_encoded(target);
        let eight = target.transfer == TransferEncoding::Identity && !with.is_ascii();
        if *with != *self.source.body {
            let mut recipe = target.is_reversible.then(|| target.steps.recipe());
            if self.comes_back(target) {
                recipe = recipe.map(Recipe::certain);
            }
            let is_choice = std::ptr::eq(&raw const *with, self.choice.text.as_bytes());
            text = is_choice.then_some(edits.len());
            let with = if is_choice {
                Vec::new()
            } else {
                with.into_owned()
            };
            edits.push(Edit {
                span: self.source.span,
                with,
                recipe,
            });
        }
        let mut fields = PartFields::new(self.message, self.id, edits);
        if let Some(label) = target.relabel {
            self.relabel(label, &mut fields);
        }
        let open = match target.relabel {
            Some(label) if label != UTF_8 => OpenLabel::Exact,
            _ => OpenLabel::Stays,
        };
        let name = match target.transfer {
            TransferEncoding::Base64 => "base64",
            TransferEncoding::QuotedPrintable => "quoted-printable",
            _ if eight => "8bit",
            _ => "7bit",
        };
        let widened = fields.set_transfer(name, open);
        fields.finish();
        (widened, text)
    }

    /// Returns the text of the target in its transfer encoding.
    fn transfer_encoded<'t>(&self, target: &'t BodyTarget<'_>) -> Cow<'t, [u8]> {
        let lines = if self.had_lines() && !target.opaque_lines {
            LineEnds::OfText
        } else {
            LineEnds::Data
        };
        let span = self.source.span;
        match target.transfer {
            TransferEncoding::Base64 => base64_body(self.message, span, &target.text, lines).into(),
            TransferEncoding::QuotedPrintable => {
                quoted_printable_body(self.message, span, &target.text).into()
            }
            _ => Cow::Borrowed(&*target.text),
        }
    }

    /// Returns true if the steps restore the old bytes without a trial, because each of them is lossless.
    fn comes_back(&self, target: &BodyTarget<'_>) -> bool {
        let steps = &target.steps;
        let bytes = &*self.source.decoded.bytes;
        let charset = match steps.charset {
            Some(_) => self.choice.log.is_empty() && self.choice.used.comes_back(),
            None => target.relabel.is_none() || self.choice.text.as_bytes() == bytes,
        };
        target.is_reversible
            && steps.patches.is_empty()
            && charset
            && steps
                .base64
                .is_none_or(|lines| lines.come_back(self.source.body, bytes.len()))
    }

    /// Returns true if the lines of the old body ended as those of the message.
    fn had_lines(&self) -> bool {
        matches!(
            self.source.decoded.used,
            TransferEncoding::Identity | TransferEncoding::QuotedPrintable
        )
    }
}

/// What line ends of a body are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// Ends of lines of text, which base64 encodes as CR LF (RFC 2045, section 6.8).
    OfText,
    /// Bytes as all others.
    Data,
}

/// Encodes text that replaces the body at `span` as base64.
pub(super) fn base64_body(
    message: &Message<'_>,
    span: Span,
    text: &[u8],
    lines: LineEnds,
) -> Vec<u8> {
    // A CR in the text means that line ends are data.
    let plain = message.eol() == Eol::Lf
        && lines == LineEnds::OfText
        && memchr::memchr(b'\r', text).is_none();
    let canonical = if plain {
        Cow::Owned(to_crlf(text))
    } else {
        Cow::Borrowed(text)
    };
    let (mut new, eol) = (Vec::new(), message.eol().bytes());
    base64::encode_lines(&canonical, 76, eol, &mut new);
    if !span.of(message.raw()).ends_with(b"\n") {
        new.truncate(new.len().saturating_sub(eol.len()));
    }
    new
}

/// Encodes text that replaces the body at `span` as quoted-printable.
pub(super) fn quoted_printable_body(message: &Message<'_>, span: Span, text: &[u8]) -> Vec<u8> {
    let (mut new, eol, raw) = (Vec::new(), message.eol().bytes(), message.raw());
    quoted_printable::encode(text, eol, &mut new);
    // If the last line had no line end, this adds a soft line break. Otherwise a line end after the body would complete
    // a final CR, or double an escaped line end.
    let open = !text.is_empty() && !new.ends_with(b"\n");
    if open
        && (matches!(text.last(), Some(b'\r' | b'\n')) || span.of(raw).ends_with(b"\n"))
        && span.end == raw.len()
    {
        new.extend_from_slice(&[b"=", eol].concat());
    }
    new
}
