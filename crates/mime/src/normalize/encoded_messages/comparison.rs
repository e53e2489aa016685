//! Compares a message with the one in which embedded messages are decoded.
//!
//! # Limits
//! Header fields inside the embedded messages are not compared. They are read like those of any embedded message.

use super::super::lines;
use super::decoding::{DecodedMessage, PartShape};
use crate::header::{self, field_kind};
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::policy::{Attachments, Policy};
use crate::report::Report;
use crate::text::{TextPart, header_context, text_parts};

/// Where a part of the decoded message was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartOrigin {
    /// The same part.
    Same(PartId),
    /// Inside the encoded message of this part.
    Inside(PartId),
}

impl PartOrigin {
    pub(super) fn id(self) -> PartId {
        match self {
            Self::Same(id) | Self::Inside(id) => id,
        }
    }
}

/// Returns the origin of each part of `opened`. Returns `None` if decoding changed the tree of parts around or inside the messages.
pub(super) fn origins(
    message: &Message<'_>,
    opened: &Message<'_>,
    decoded: &[DecodedMessage],
) -> Option<Vec<PartOrigin>> {
    let mut origins = Vec::with_capacity(opened.parts().len());
    let mut rest = opened.parts().iter();
    let mut decoded = decoded.iter().peekable();
    for (id, part) in message.numbered_parts() {
        let mut shape = PartShape::of(part, 0);
        let same = rest.next()?;
        origins.push(PartOrigin::Same(id));
        let here = decoded.next_if(|decoded| decoded.id == id);
        if here.is_some() {
            shape.kind = PartKind::Message;
        }
        if here.is_some() || !matches!(part.kind, PartKind::Leaf | PartKind::Opaque) {
            // The decoded bytes have another length.
            shape.body_length = same.body.len();
        }
        if PartShape::of(same, 0) != shape {
            return None;
        }
        for inside in here.map(|here| &here.parts).into_iter().flatten() {
            if PartShape::of(rest.next()?, 0) != *inside {
                return None;
            }
            origins.push(PartOrigin::Inside(id));
        }
    }
    rest.next().is_none().then_some(origins)
}

/// Returns true if both messages have the same texts. Line ends may have the other form, and one may be added at the end.
pub(super) fn has_same_texts(message: &Message<'_>, opened: &Message<'_>, policy: &Policy) -> bool {
    // Attachments may be texts, too.
    let policy = policy.clone().attachments(Attachments::Utf8);
    let read = |message| text_parts(message, &policy, &mut Report::with_limit(0));
    let (old, new) = (read(message), read(opened));
    let eol = message.eol().bytes();
    let is_same = |old: &TextPart<'_>, new: &TextPart<'_>| {
        let (was, is) = (old.text.as_bytes(), new.text.as_bytes());
        let ended = || [was, eol].concat();
        let is_last = new.part.0 as usize + 1 == opened.parts().len();
        old.section == new.section
            && old.media == new.media
            && old.reading.used == new.reading.used
            && (lines::are_same(was, is) || is_last && lines::are_same(&ended(), is))
    };
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| is_same(old, new))
}

/// Returns true if the fields of the parts outside the embedded messages decode to the same text.
pub(super) fn has_same_header_text(
    message: &Message<'_>,
    opened: &Message<'_>,
    policy: &Policy,
    origins: &[PartOrigin],
) -> bool {
    let contexts = (
        header_context(message, policy),
        header_context(opened, policy),
    );
    let mut new_parts = (0..).map(PartId).zip(origins);
    new_parts.all(|(new_id, origin)| {
        let PartOrigin::Same(id) = *origin else {
            return true;
        };
        let (old, new) = (message.fields(id), opened.fields(new_id));
        let is_same = |(old, new): (&header::Field, &header::Field)| {
            let was = old.value.of(message.raw());
            let is = new.value.of(opened.raw());
            let is_plain = was.is_ascii() && memchr::memmem::find(was, b"=?").is_none();
            if is_plain || old.value.len() > policy.limits.field {
                return true;
            }
            let kind = field_kind(old.name.of(message.raw()));
            let (one, other) = &contexts;
            header::decode(was, kind, one, &mut Vec::new())
                == header::decode(is, kind, other, &mut Vec::new())
        };
        old.len() == new.len() && old.iter().zip(new).all(is_same)
    })
}
