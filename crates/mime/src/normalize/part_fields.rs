//! Sets fields of a part: Content-Transfer-Encoding, and those that it lacks.
//!
//! # Limits
//! A field that exists keeps its place.

use super::fields::added_fields;
use crate::edit::Edit;
use crate::message::{Message, PartKind};
use crate::part_id::PartId;

/// The fields of a part as they are being changed.
pub(super) struct PartFields<'a, 'm> {
    message: &'a Message<'m>,
    id: PartId,
    pub(super) edits: &'a mut Vec<Edit>,
    /// Lines that the header gets.
    added: Vec<u8>,
}

/// Labels of Content-Transfer-Encoding that mean a body without encoding and stay where they are true.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenLabel {
    /// 8bit and binary stay on 7-bit data, too.
    Stays,
    /// 7bit replaces 8bit and binary.
    Exact,
}

impl<'a, 'm> PartFields<'a, 'm> {
    pub(super) fn new(message: &'a Message<'m>, id: PartId, edits: &'a mut Vec<Edit>) -> Self {
        let added = Vec::new();
        Self {
            message,
            id,
            edits,
            added,
        }
    }

    /// Adds MIME-Version to a message that has none.
    pub(super) fn add_version(&mut self) {
        let message = self.message;
        let parent = message.part_at(self.id).parent;
        let is_message = parent.is_none_or(|p| message.part_at(p).kind == PartKind::Message);
        if is_message && message.field(self.id, b"mime-version").is_none() {
            self.add(&["MIME-Version: 1.0"]);
        }
    }

    /// Adds a field, which is given in several pieces.
    pub(super) fn add(&mut self, field: &[&str]) {
        self.added.extend_from_slice(field.concat().as_bytes());
        self.added.extend_from_slice(self.message.eol().bytes());
    }

    /// Sets Content-Transfer-Encoding to `name`. Returns true if it became 8bit.
    pub(super) fn set_transfer(&mut self, name: &str, open: OpenLabel) -> bool {
        let raw = self.message.raw();
        let is_eight = name == "8bit";
        let Some(value) = self.message.transfer_encoding_value(self.id) else {
            if name == "7bit" {
                return false;
            }
            self.add(&["Content-Transfer-Encoding: ", name]);
            return is_eight;
        };
        let old = value.trimmed(raw);
        let is = |name: &str| old.of(raw).eq_ignore_ascii_case(name.as_bytes());
        let stays = is_eight || name == "7bit" && open == OpenLabel::Stays;
        if is(name) || stays && (is("8bit") || is("binary")) {
            return false;
        }
        self.edits.push(if old.is_empty() {
            Edit::new(value, format!(" {name}"))
        } else {
            Edit::new(old, name)
        });
        is_eight
    }

    /// Adds the edit that writes the added fields.
    pub(super) fn finish(self) {
        self.edits
            .extend(added_fields(self.message, self.id, &self.added));
    }
}
