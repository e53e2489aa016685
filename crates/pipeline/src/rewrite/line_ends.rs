//! Chooses the line ends between a message and the next separator of a mailbox.

use super::worker::RewriteWorker;
use mailglot_archive::mbox::{lf_trailer_for, line_end, trailer_for};

impl RewriteWorker<'_> {
    /// Returns the old trailer if its line ends can stay, else one that puts a blank line before the next separator.
    ///
    /// `before` is the message, or the separator of an empty one.
    pub(super) fn trailer<'t>(
        &self,
        is_empty: bool,
        before: &[u8],
        old: &'t [u8],
        last: bool,
    ) -> &'t [u8] {
        if self.keeps_trailer(is_empty, before, old, last) {
            old
        } else if self.from_mbox {
            trailer_for(before)
        } else {
            lf_trailer_for(before)
        }
    }

    /// Returns true if the old trailer stays.
    fn keeps_trailer(&self, is_empty: bool, before: &[u8], old: &[u8], last: bool) -> bool {
        let plain = old.iter().all(|b| matches!(b, b'\n' | b'\r'));
        let line_ends = is_empty || matches!(before.last(), Some(b'\n' | b'\r'));
        // A CR and the LF after it would become one line end.
        let merged = before.ends_with(b"\r") && old.starts_with(b"\n");
        self.from_mbox && plain && line_ends && !merged && (last || !old.is_empty())
    }

    /// Returns true if [`RewriteWorker::trailer`] also ends the last line of the message.
    pub(super) fn ends_line(&self, is_empty: bool, before: &[u8], old: &[u8], last: bool) -> bool {
        !before.ends_with(b"\n")
            && !is_empty
            && !self.keeps_trailer(is_empty, before, old, last)
            && trailer_for(before).len() > line_end(before).len()
    }
}
