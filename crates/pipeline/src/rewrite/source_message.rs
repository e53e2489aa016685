//! A message of a source with the bytes around it.

use crate::large_message::InPlace;
use mailglot_archive::Entry;
use mailglot_mime::{Edit, OldBytes, Span, Undo};

/// A message of a source.
pub(super) struct SourceMessage<'b> {
    pub(super) entry: &'b Entry,
    /// The separator before it.
    pub(super) separator: &'b [u8],
    /// The message as stored, quoted. In a message in place, the same as `raw`.
    pub(super) old: &'b [u8],
    /// Bytes of the message as stored.
    pub(super) stored: usize,
    /// The message, unquoted, without the omitted bytes.
    pub(super) raw: &'b [u8],
    /// Bytes in `old` that do not belong to the message, such as the second header of Babyl.
    pub(super) omitted: &'b [u8],
    /// Offset in `raw` where they were left out.
    pub(super) omitted_at: usize,
    /// The text between the message and the next separator.
    pub(super) trailer: &'b [u8],
    /// True if `From ` occurs in the message.
    pub(super) froms: bool,
    /// True if no message follows in its source.
    pub(super) last: bool,
}

impl<'b> SourceMessage<'b> {
    /// Describes the message of `entry` in a batch. `raw` is the unquoted message.
    pub(super) fn new(
        entry: &'b Entry,
        batch: &'b [u8],
        raw: &'b [u8],
        froms: bool,
        last: bool,
    ) -> Self {
        Self {
            entry,
            separator: &batch[entry.span.start..entry.message.start],
            old: &batch[entry.message.clone()],
            stored: entry.message.len(),
            raw,
            omitted: &batch[entry.omitted.clone()],
            omitted_at: entry.omitted.start.saturating_sub(entry.message.start),
            trailer: &batch[entry.message.end..entry.span.end],
            froms,
            last,
        }
    }

    /// Describes the message of `entry` that was prepared in place.
    pub(super) fn in_place(
        entry: &'b Entry,
        batch: &'b [u8],
        place: &'b InPlace,
        last: bool,
    ) -> Self {
        let raw = &batch[place.raw.clone()];
        Self {
            old: raw,
            stored: place.stored,
            omitted: &place.omitted,
            omitted_at: place.omitted_at,
            ..Self::new(entry, batch, raw, !place.marks.is_empty(), last)
        }
    }
}

impl SourceMessage<'_> {
    /// Adds the step that puts the omitted bytes back to the inverse of the edits. Returns None if an edit spans their place.
    pub(super) fn put_back_omitted(
        &self,
        edits: &[Edit],
        mut undo: Vec<Undo>,
    ) -> Option<Vec<Undo>> {
        if self.omitted.is_empty() {
            return Some(undo);
        }
        let place = self.omitted_at;
        let before =
            edits.partition_point(|edit| edit.span.end <= place && edit.span.start < place);
        if edits
            .get(before)
            .is_some_and(|edit| edit.span.start < place)
        {
            return None;
        }
        let earlier = edits[..before].iter();
        let (removed, added) = earlier.fold((0, 0), |(removed, added), edit| {
            (
                removed + edit.span.end - edit.span.start,
                added + edit.with.len(),
            )
        });
        let at = place - removed + added;
        let step = Undo::new(Span::new(at, at), OldBytes::Kept(self.omitted.to_vec()));
        // The list ends before an edit that is not valid.
        if before > undo.len() {
            return None;
        }
        undo.insert(before, step);
        Some(undo)
    }
}
