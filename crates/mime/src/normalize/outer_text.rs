//! Plans edits of preambles and epilogues: the text before the first and after the last part of a multipart (RFC 2046, section 5.1.1).
//!
//! Mailing lists append footers after the closing delimiter, and so do virus scanners. Such text has no label, so it is read like a body
//! without one.
//!
//! A message that is a multipart without parts, as Eudora stored it, is such text as a whole.
//!
//! # Limits
//!
//! - Such text has no transfer encoding. So 8-bit text stays 8-bit, even under [`Transfer::SevenBit`](crate::Transfer::SevenBit).
//! - Text with a field Content-Type stays: it may be parts behind a closing delimiter that came too early, with labels of their own.

use super::body::{Body, UTF_8};
use crate::document_charset::{Document, declared_charset};
use crate::edit::Edit;
use crate::event::{Event, EventKind, Reason};
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::policy::{Bodies, CharsetOut, OnLoss, Policy};
use crate::reading::How;
use crate::recipe::{OldEol, Recipe, UndoSteps};
use crate::report::Report;
use crate::text::{DecodedBody, MessageEvidence};
use crate::{japanese, lexer};
use mailglot_codec::Charset;
use std::borrow::Cow;

/// The preambles and epilogues of a message.
pub(super) struct OuterTexts<'a, 'm> {
    pub(super) message: &'a Message<'m>,
    pub(super) policy: &'a Policy,
    /// The evidence of all bodies.
    pub(super) hints: &'a MessageEvidence,
}

impl OuterTexts<'_, '_> {
    /// Plans the edits. Returns the multiparts whose new preamble or epilogue has 8-bit bytes.
    pub(super) fn plan(
        &self,
        sealed: &[bool],
        report: &mut Report,
        edits: &mut Vec<Edit>,
    ) -> Vec<PartId> {
        let (message, policy) = (self.message, self.policy);
        let mut widened = Vec::new();
        for &(id, at) in message.outer_texts() {
            if sealed[id.0 as usize] {
                continue;
            }
            let decoded_body = DecodedBody::outer_text(message, at);
            let choice = decoded_body.choose_outer_text(message, id, policy, self.hints);
            let body = Body {
                message,
                id,
                policy,
                source: &decoded_body,
                choice: &choice,
            };
            let Some(edit) = body.outer_edit(report) else {
                continue;
            };
            if !edit.with.is_ascii() {
                widened.push(id);
            }
            edits.push(edit);
        }
        widened
    }
}

/// The new form of a preamble or epilogue.
struct NewText<'t> {
    bytes: Cow<'t, [u8]>,
    is_utf8: bool,
    /// An event about the charset that the policy asks for.
    note: Option<Event>,
}

impl Body<'_, '_> {
    /// Returns the edit of a preamble or epilogue, or None if it stays as it is. Reports the findings.
    fn outer_edit(&self, report: &mut Report) -> Option<Edit> {
        let (message, id, choice) = (self.message, self.id, self.choice);
        let mark = report.mark();
        self.source
            .report_findings(message, id, choice, self.policy, report);
        let old = self.source.body;
        let is_utf8 = choice.used == Charset::UTF_8 && choice.mixed.is_none();
        if is_utf8 && choice.log.losses() == 0 && self.policy.charset_out == CharsetOut::Utf8 {
            // A byte order mark stays, too.
            return None;
        }
        let new = self.outer_text()?;
        if *new.bytes == *old {
            report.extend(new.note);
            return None;
        }
        let charset = if new.is_utf8 { UTF_8 } else { japanese::LABEL };
        let obstacle = self
            .check_outer_text(&new.bytes)
            .and_then(|()| self.check_obstacles(&new.bytes, Some(charset)));
        if let Err(known) = obstacle {
            report.withdraw(&mark);
            report.extend(known);
            return None;
        }
        report.extend(new.note);
        Some(Edit {
            span: self.source.span,
            recipe: new.is_utf8.then(|| self.outer_steps()).flatten(),
            with: new.bytes.into_owned(),
        })
    }

    /// Returns the text in the charset that the policy asks for, else in UTF-8. Returns None if the policy keeps the bytes.
    fn outer_text(&self) -> Option<NewText<'_>> {
        let (policy, text) = (self.policy, &*self.choice.text);
        if policy.bodies == Bodies::Keep {
            return None;
        }
        let utf8 = |note| NewText {
            bytes: Cow::Borrowed(text.as_bytes()),
            is_utf8: true,
            note,
        };
        if policy.charset_out == CharsetOut::Utf8 || text.is_ascii() {
            return Some(utf8(None));
        }
        if self.choice.used == Charset::ISO_2022_JP && self.choice.log.losses() == 0 {
            return None;
        }
        let note = |kind, count| self.event(kind, Charset::ISO_2022_JP).counted(count);
        Some(match japanese::write(text) {
            Ok(written) => NewText {
                bytes: Cow::Owned(written.bytes),
                is_utf8: false,
                note: (written.look_alikes > 0)
                    .then(|| note(EventKind::CharsetLookAlike, written.look_alikes)),
            },
            Err(lacking) => utf8(Some(note(EventKind::CharsetBeyondOut, lacking))),
        })
    }

    /// Returns an error with an event for the first reason not to rewrite a preamble or epilogue. The error has no event if one has
    /// reported the reason already.
    fn check_outer_text(&self, new: &[u8]) -> Result<(), Option<Event>> {
        let old = self.source.body;
        let loses = self.policy.on_loss == OnLoss::Keep && self.choice.log.losses() > 0;
        if loses || self.policy.transfer.keeps_seven_bit() && old.is_ascii() && !new.is_ascii() {
            return Err(None);
        }
        let unsettled = |reason: Reason| Err(Some(self.event(EventKind::MimeUnsettled, reason)));
        if has_content_type(old) {
            return unsettled(Reason::FieldsOutsideParts);
        }
        let is_flattened = self.message.part_at(self.id).kind == PartKind::Opaque;
        if is_flattened
            && (self.choice.how == How::Fallback || declared_charset(old, Document::Html).is_some())
        {
            return unsettled(Reason::WouldReadDifferently);
        }
        // Escape sequences may hide a line that would become a delimiter.
        if delimiter_starts(old) != delimiter_starts(new) {
            return unsettled(Reason::WouldReadDifferently);
        }
        Ok(())
    }

    /// Returns the steps from UTF-8 back to the old bytes. Text in two charsets has none.
    fn outer_steps(&self) -> Option<Recipe> {
        let choice = self.choice;
        let steps = UndoSteps {
            added_end: 0,
            eol: OldEol::Same,
            patches: Vec::new(),
            charset: Some(choice.used).filter(|used| *used != Charset::UTF_8),
            base64: None,
        };
        choice.mixed.is_none().then(|| steps.recipe())
    }
}

/// Returns true if a line begins with the field name Content-Type.
fn has_content_type(text: &[u8]) -> bool {
    lines(text).any(|line| lexer::starts_without_case(line, b"content-type:"))
}

/// Counts the lines that begin like a delimiter.
fn delimiter_starts(text: &[u8]) -> usize {
    lines(text).filter(|line| line.starts_with(b"--")).count()
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| lexer::is_line_end(*byte))
}
