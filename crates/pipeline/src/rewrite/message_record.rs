//! Records in the ledger how to restore a message from the output.

use super::batch::BatchRewrite;
use super::message::Made;
use super::source_message::SourceMessage;
use mailglot_archive::ledger::{Body, Change, MessageRecord, Old, Record};
use mailglot_mime::{OldBytes, Undo};

impl BatchRewrite<'_> {
    /// Adds the record of a message. `old` is the original as stored.
    pub(super) fn record_message(
        &mut self,
        original: &SourceMessage<'_>,
        old: &[u8],
        made: &Made,
        name: &str,
    ) {
        let lengths = made.lengths;
        let [keeps_separator, keeps_trailer] = made.keeps;
        let separator = (!keeps_separator).then_some(original.separator);
        let trailer = (!keeps_trailer).then_some(original.trailer);
        self.record_name(name);
        if made.same && separator.is_none() && trailer.is_none() {
            self.record(&Record::Same {
                messages: 1,
                bytes: original.entry.span.len() as u64,
            });
            return;
        }
        let body = match &made.way {
            _ if made.same => Body::Same,
            None => Body::Whole(old),
            Some((requote, undo)) => Body::Undo {
                requote: requote.clone(),
                changes: undo.iter().map(change).collect(),
            },
        };
        self.record(&Record::Message(MessageRecord {
            out: lengths.map(|len| len as u64),
            separator,
            trailer,
            body,
            continued: false,
            midline: false,
        }));
    }
}

fn change(undo: &Undo) -> Change<'_> {
    Change {
        start: undo.span.start as u64,
        len: undo.span.len() as u64,
        old: match &undo.old {
            OldBytes::Kept(bytes) => Old::Bytes(bytes),
            OldBytes::Computed(recipe) => Old::Recipe(recipe.as_bytes()),
        },
    }
}
