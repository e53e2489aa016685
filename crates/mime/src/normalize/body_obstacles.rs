//! Finds reasons not to rewrite a text body, such as binary data or an inline signature.
//!
//! # Limits
//! RTF in a charset other than UTF-8 stays, because the document names its own code page.

use super::binary;
use super::body::{Body, UTF_8};
use crate::charset_choice;
use crate::document_charset::{self, Document};
use crate::event::{Detail, Event, EventKind, Reason};
use crate::part_id::PartId;
use crate::policy::{Bodies, OnLoss};
use crate::text::has_armour;
use crate::transfer::blocks::{Block, has_yenc};
use mailglot_codec::Charset;
use mailglot_kernel::ByteClasses;
use memchr::memmem;

impl Body<'_, '_> {
    /// Returns true if the body may be rewritten.
    pub(super) fn may_change(&self) -> bool {
        let part = self.message.part_at(self.id);
        // Two charsets in one body: only a change of charset could hold both.
        let others = |footer: &[u8]| !footer.is_ascii() || !self.choice.used.is_ascii_compatible();
        let mixed = self.policy.bodies == Bodies::Keep && self.source.footer().is_some_and(others);
        let has_losses =
            || self.choice.log.losses() > 0 || self.source.has(EventKind::CteB64TextLost);
        !(part.transfer.is_undecodable()
            || self.is_bare()
            || self.policy.on_loss == OnLoss::Keep && has_losses()
            || mixed)
    }

    /// Returns true for a message without any field. Such data is not mail, so no header is added.
    pub(super) fn is_bare(&self) -> bool {
        self.id == PartId::ROOT && self.message.fields(self.id).is_empty()
    }

    /// Returns an error with an event for the first reason not to rewrite the body; without one if an event has reported it already.
    ///
    /// `new` is the new text without its transfer encoding, `relabel` its new label.
    pub(super) fn check_obstacles(
        &self,
        new: &[u8],
        relabel: Option<&'static str>,
    ) -> Result<(), Option<Event>> {
        let (decoded_body, text) = (self.source, self.choice.text.as_bytes());
        let bytes = &*decoded_body.decoded.bytes;
        let relabels = relabel.is_some();
        let unsettled = |reason: Reason| Err(Some(self.event(EventKind::MimeUnsettled, reason)));
        let classes = ByteClasses::of(new);
        if relabel == Some(UTF_8) && charset_choice::is_misread_under_utf8(new, classes) {
            return unsettled(Reason::WouldReadAsUtf8);
        }
        if let Some(kind) = binary::kind(bytes, new, classes) {
            return Err(Some(self.event(EventKind::MimeNotText, Detail::File(kind))));
        }
        // A conversion would damage binary data. The line before the data is text, since the file has its name from it.
        let spoils =
            |block: &Block| memmem::find(text, &bytes[block.name.end..block.at.end]).is_none();
        if has_yenc(&decoded_body.blocks) || relabels && decoded_body.blocks.iter().any(spoils) {
            return Err(None);
        }
        if decoded_body.has_armour() || !self.choice.used.is_ascii_compatible() && has_armour(text)
        {
            let kind = EventKind::MimeSignedUntouched;
            return Err(Some(self.event(kind, Reason::InlinePgp)));
        }
        let own = relabels && self.choice.used != Charset::UTF_8;
        let document = Document::of(&self.message.part_at(self.id).media.sub);
        if own && document == Some(Document::Card) && document_charset::has_encoded_text(text) {
            return unsettled(Reason::EncodedInCharset);
        }
        if own && bytes.starts_with(br"{\rtf") {
            return unsettled(Reason::OwnCodePage);
        }
        Ok(())
    }
}
