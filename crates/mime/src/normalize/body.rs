//! A text body, and its text with updated charset declarations.

use crate::charset_choice::Choice;
use crate::document_charset::{self, Document};
use crate::event::{Detail, Event, EventKind};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::{Bodies, Declarations, Policy};
use crate::recipe::Patch;
use crate::text::{DecodedBody, footer_text};
use mailglot_codec::{Charset, Resolved};
use std::borrow::Cow;

/// The usual label of converted text.
pub(super) const UTF_8: &str = "utf-8";

/// A text body with its decoded text.
pub(super) struct Body<'a, 'm> {
    pub(super) message: &'a Message<'m>,
    pub(super) id: PartId,
    pub(super) policy: &'a Policy,
    pub(super) source: &'a DecodedBody<'m>,
    pub(super) choice: &'a Choice<'a>,
}

/// The new bytes of a text part, without transfer encoding.
pub(super) struct Outgoing<'a> {
    /// The bytes in their new charset.
    pub(super) text: Cow<'a, [u8]>,
    /// Charset names that were replaced inside UTF-8 text.
    pub(super) patches: Vec<Patch>,
    /// The new charset label; None if the bytes stay in their charset.
    pub(super) label: Option<&'static str>,
    /// An event about the charset that the policy asks for.
    pub(super) note: Option<Event>,
}

impl<'a> Body<'a, '_> {
    /// Returns true if bytes or label must change to make the part correctly labelled UTF-8.
    pub(super) fn needs_charset(&self) -> bool {
        if self.message.part_at(self.id).several_charsets && self.one_label(UTF_8).is_some() {
            // Readers differ in which of them they believe.
            return true;
        }
        if self.choice.moved_folds.is_some() {
            return true;
        }
        let label = self.source.resolved;
        let bytes = &*self.source.decoded.bytes;
        let unchanged = self.choice.text.as_bytes() == bytes;
        match label {
            Some(Resolved::Exact(c) | Resolved::Alias(c)) if c == Charset::UTF_8 => {
                !(self.choice.used == Charset::UTF_8
                    && self.choice.log.losses() == 0
                    && self.choice.mixed.is_none())
            }
            // A footer becomes UTF-8, too. EBCDIC and national ISO 646 decode an ASCII footer as other characters: `_` is `^` in IBM1026.
            _ if self.source.footer().is_some_and(|footer| {
                let used = self.choice.used;
                !footer.is_ascii() || !used.keeps_ascii_text() && !used.is_stateful()
            }) =>
            {
                true
            }
            Some(Resolved::Exact(c) | Resolved::Alias(c)) if self.choice.text.is_ascii() => {
                // ASCII under a label of EBCDIC or UTF-16: readers that know the label show something else.
                let is_misread = !c.is_ascii_compatible() && self.choice.used != c;
                !unchanged || is_misread
            }
            _ if self.choice.text.is_ascii() => !unchanged,
            _ => true,
        }
    }

    /// Returns true if only the label must change. This is non-ASCII UTF-8 under an alias that few other readers know, such as
    /// `utf8mb4`. It may also be under a label that they do not find, as in `text/html charset=utf-8` and `charset: utf-8`.
    pub(super) fn needs_label(&self) -> bool {
        let is_utf8 = self.source.resolved.and_then(Resolved::charset) == Some(Charset::UTF_8);
        let is_ascii = |footer: &[u8]| footer.is_ascii();
        let is_all_ascii = self.choice.text.is_ascii() && self.source.footer().is_none_or(is_ascii);
        is_utf8 && !is_all_ascii && (!self.has_usual_label() || self.has_hidden_charset())
    }

    /// Returns true if a document in UTF-8 declares another charset, and the policy asks to correct that.
    pub(super) fn needs_declaration(&self) -> bool {
        self.policy.declarations == Declarations::Utf8 && self.declares_other()
    }

    /// Returns true if text in UTF-8 or ASCII under a label of UTF-8 has a declaration of another charset.
    fn declares_other(&self) -> bool {
        let label = self.source.resolved.and_then(Resolved::charset);
        let text = self.choice.text.as_bytes();
        let document = Document::of(&self.message.part_at(self.id).media.sub);
        let declared = || document_charset::declared_beside_utf8(text, document?);
        label == Some(Charset::UTF_8)
            && (self.choice.used == Charset::UTF_8 || text.is_ascii())
            && declared().is_some()
    }

    /// Returns the new bytes of a body that is rewritten. A declaration of another charset than UTF-8 follows the label.
    pub(super) fn with_declaration(&self, outgoing: Outgoing<'a>) -> Outgoing<'a> {
        let keeps_label = outgoing.label.is_none() && self.policy.bodies == Bodies::Utf8;
        if keeps_label && self.declares_other() {
            let declared = self.content(Some(UTF_8));
            return Outgoing {
                label: None,
                ..declared
            };
        }
        outgoing
    }

    fn has_usual_label(&self) -> bool {
        let is = |label: &[u8], name: &str| label.eq_ignore_ascii_case(name.as_bytes());
        let label = self.source.charset.as_deref();
        label.is_some_and(|label| is(label, UTF_8) || is(label, "utf8"))
    }

    /// Returns the text in UTF-8 with updated declarations and the footer. Without a label, returns the bytes with the footer.
    pub(super) fn content(&self, label: Option<&'static str>) -> Outgoing<'a> {
        let choice: &'a Choice<'a> = self.choice;
        let bytes: &'a [u8] = &self.source.decoded.bytes;
        let plain: &'a [u8] = if label.is_some() {
            choice.text.as_bytes()
        } else {
            bytes
        };
        let document = Document::of(&self.message.part_at(self.id).media.sub);
        let places = match (document, label) {
            (Some(document), Some(name)) => document_charset::patches(plain, document, name),
            _ => Vec::new(),
        };
        let footer = self.source.footer();
        if places.is_empty() && footer.is_none() {
            return Outgoing {
                text: Cow::Borrowed(plain),
                patches: Vec::new(),
                label,
                note: None,
            };
        }
        let mut text = Vec::with_capacity(plain.len() + footer.map_or(0, <[u8]>::len));
        let mut patches = Vec::new();
        let mut at = 0;
        for place in places {
            text.extend_from_slice(&plain[at..place.start]);
            let name = label.unwrap_or(UTF_8).as_bytes();
            patches.push(Patch {
                at: text.len(),
                new_length: name.len(),
                old: plain[place.clone()].to_vec(),
            });
            text.extend_from_slice(name);
            at = place.end;
        }
        text.extend_from_slice(&plain[at..]);
        if let Some(footer) = footer {
            let (end, _) = footer_text(&text, footer, choice.used, self.message, self.policy);
            text.extend_from_slice(&end);
        }
        Outgoing {
            text: Cow::Owned(text),
            patches,
            label,
            note: None,
        }
    }

    /// Returns an event about the body.
    pub(super) fn event(&self, kind: EventKind, detail: impl Into<Detail>) -> Event {
        Event::new(self.id, self.source.span, kind, detail)
    }
}
