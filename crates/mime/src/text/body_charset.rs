//! Chooses the charset of a body.

use super::decoded_body::DecodedBody;
use super::label_evidence::test_of_label;
use super::message_evidence::{BodyCharset, MailContext, MessageEvidence};
use crate::charset_choice::{
    Choice, Evidence, choose, choose_beside_data, choose_unfolded, has_letters, is_legacy,
};
use crate::document_charset::Document;
use crate::event::{Detail, EventKind};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::reading::How;
use crate::split_folds::has_folds;
use crate::transfer::blocks::has_yenc;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, Resolved};

impl DecodedBody<'_> {
    /// Chooses the charset of the body and decodes it.
    pub(crate) fn choose(
        &self,
        message: &Message<'_>,
        id: PartId,
        policy: &Policy,
        hints: &mut MessageEvidence,
    ) -> Choice<'_> {
        self.choose_for(&self.decoded.bytes, message, id, policy, hints)
    }

    /// Chooses the charset of the preamble or epilogue of the multipart `id`, like that of a body without a label.
    ///
    /// Valid UTF-8 is never read in another charset: no label would say so once the bodies beside it are UTF-8.
    pub(crate) fn choose_outer_text(
        &self,
        message: &Message<'_>,
        id: PartId,
        policy: &Policy,
        hints: &MessageEvidence,
    ) -> Choice<'_> {
        let bytes = &*self.decoded.bytes;
        if !bytes.is_ascii() && !is_legacy(bytes) {
            return Choice::as_utf8(bytes);
        }
        let mail = MailContext {
            message,
            part: id,
            policy,
            evidence: hints,
            body: None,
        };
        let evidence = Evidence {
            mail: Some(&mail),
            ..Evidence::default()
        };
        choose(bytes, &evidence)
    }

    /// Like [`Self::choose`], for decoded bytes that may outlive `self`.
    pub(crate) fn choose_for<'b>(
        &self,
        bytes: &'b [u8],
        message: &Message<'_>,
        id: PartId,
        policy: &Policy,
        hints: &mut MessageEvidence,
    ) -> Choice<'b> {
        let part = message.part_at(id);
        let meaning = self
            .charset
            .as_deref()
            .and_then(|label| policy.charset_map.meaning(label));
        let mail = MailContext {
            message,
            part: id,
            policy,
            evidence: hints,
            body: Some(self),
        };
        let evidence = Evidence {
            label: self.charset.as_deref(),
            resolved: meaning.map(Resolved::Exact).or(self.resolved),
            document: Document::of(&part.media.sub),
            mapped: meaning.is_some(),
            mail: Some(&mail),
        };
        let choice = if has_yenc(&self.blocks) {
            let data = self.blocks.iter().map(|block| block.at.clone());
            choose_beside_data(bytes, data, &evidence)
        } else if has_folds(&part.media) {
            choose_unfolded(bytes, &evidence)
        } else {
            choose(bytes, &evidence)
        };
        // The planner leaves attachments and sealed parts alone, so they must not affect how it decodes other parts.
        let is_sure = !matches!(choice.how, How::Ascii | How::Fallback);
        if is_sure && !part.attachment && part.is_text() && !message.is_sealed(id) {
            let label = evidence.resolved.and_then(Resolved::charset);
            if let Some(label) = label.filter(|_| !evidence.mapped)
                && let Some(test) = test_of_label(label, bytes, &choice)
            {
                hints.labels_of_bodies.note(label, test, id);
            }
            if !choice.text.is_ascii() && hints.has_latin_1_label(message) {
                hints.alphabets.note(id, &choice);
            }
            let is_latin1 = choice.used.superset() == Charset::WINDOWS_1252;
            hints.note_body_charset(BodyCharset {
                part: id,
                charset: choice.used,
                is_default: is_latin1 && (bytes.is_ascii() || is_of_runs(bytes, &choice)),
                proves_little: is_latin1 && !has_letters(bytes),
                confidence: choice.confidence,
            });
        }
        choice
    }
}

/// Returns true if lines of a text are in another charset that reads the other lines alike, so that all may be in it.
fn is_of_runs(bytes: &[u8], choice: &Choice<'_>) -> bool {
    let is_alike = |(_, detail): &(EventKind, Detail)| match detail {
        Detail::Mixed { charset, .. } => decode_unlogged(*charset, bytes) == choice.text,
        _ => false,
    };
    choice.events.iter().any(is_alike)
}
