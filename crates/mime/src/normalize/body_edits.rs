//! Writes the edits of a text body in its new form.
//!
//! # Limits
//! A base64 body gets lines of 76 characters, whatever length its old lines had.

use super::body::{Body, UTF_8};
use super::body_target::BodyTarget;
use super::fields::added_fields;
use crate::recipe::{Recipe, to_crlf};
use crate::transfer::{TransferEncoding, base64, quoted_printable};
use crate::{Edit, Eol};
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
        if *with != *self.transferred.body {
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
                span: self.transferred.span,
                with,
                recipe,
            });
        }
        let mut added = Vec::new();
        if let Some(label) = target.relabel {
            self.relabel(label, edits, &mut added);
        }
        let seven = target.relabel.is_some_and(|label| label != UTF_8);
        let widened = self.rename_transfer(target.transfer, (eight, seven), edits, &mut added);
        edits.extend(added_fields(self.message, self.id, &added));
        (widened, text)
    }

    /// Returns the text of the target in its transfer encoding.
    fn transfer_encoded<'t>(&self, target: &'t BodyTarget<'_>) -> Cow<'t, [u8]> {
        let (mut new, text) = (Vec::new(), &*target.text);
        let eol = self.message.eol().bytes();
        let old = self.transferred.body;
        match target.transfer {
            TransferEncoding::Base64 => {
                // Base64 encodes text with CR LF line ends (RFC 2045, section 6.8). A CR in the text means that line ends are data.
                let plain = self.message.eol() == Eol::Lf
                    && self.had_lines()
                    && !target.opaque_lines
                    && memchr::memchr(b'\r', text).is_none();
                let canonical = if plain {
                    Cow::Owned(to_crlf(text))
                } else {
                    Cow::Borrowed(text)
                };
                base64::encode_lines(&canonical, 76, eol, &mut new);
                if !old.ends_with(b"\n") {
                    new.truncate(new.len().saturating_sub(eol.len()));
                }
            }
            TransferEncoding::QuotedPrintable => {
                quoted_printable::encode(text, eol, &mut new);
                // If the last line had no line end, this adds a soft line break. Otherwise a line end after the body would complete
                // a final CR, or double an escaped line end.
                let open = !text.is_empty() && !new.ends_with(b"\n");
                if open
                    && (matches!(text.last(), Some(b'\r' | b'\n')) || old.ends_with(b"\n"))
                    && self.transferred.span.end == self.message.raw().len()
                {
                    new.extend_from_slice(&[b"=", eol].concat());
                }
            }
            _ => return Cow::Borrowed(text),
        }
        Cow::Owned(new)
    }

    /// Returns true if the steps restore the old bytes without a trial, because each of them is lossless.
    fn comes_back(&self, target: &BodyTarget<'_>) -> bool {
        let steps = &target.steps;
        let bytes = &*self.transferred.decoded.bytes;
        let charset = match steps.charset {
            Some(_) => self.choice.log.is_empty() && self.choice.used.comes_back(),
            None => target.relabel.is_none() || self.choice.text.as_bytes() == bytes,
        };
        target.is_reversible
            && steps.patches.is_empty()
            && charset
            && steps
                .base64
                .is_none_or(|lines| lines.come_back(self.transferred.body, bytes.len()))
    }

    /// Returns true if the lines of the old body ended as those of the message.
    fn had_lines(&self) -> bool {
        matches!(
            self.transferred.decoded.used,
            TransferEncoding::Identity | TransferEncoding::QuotedPrintable
        )
    }
}
