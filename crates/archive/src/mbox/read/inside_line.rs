//! Decides whether a `From ` line that does not start a line begins a message.
//!
//! The separator follows other bytes if the message before it lacks its last line end, or if a program left bytes between both:
//! 0x1A (`copy a+b` of DOS), a hole of NULs (NFS), a byte order mark, a form feed.
//!
//! ```text
//! last line of a mailboxFrom ann@example.org Tue Mar  4 10:11:12 2003
//! From: ann@example.org
//! Subject: first message of the next mailbox
//! ```
//!
//! It begins a message if a message may end before it, and if fields follow that nearly every message has. A separator of the form of
//! others in the mailbox needs two of them, or three if it has no date. One of another form needs a date and five: a mailbox of another
//! program begins there. With fewer fields, or after other text, an event reports it. All others are text.
//!
//! # Limits
//! Does not apply to a message after a marked separator (see `separator_mark`), nor under the rules `strict` and `loose`. No separator is
//! found behind a blank, as in prose, or inside a header field (`X-Mailbox-Line: From …`).

use std::io::{self, Read};

use super::mailbox::Mailbox;
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::mailbox_options::{LineDecision, MboxRule};
use crate::mbox::joined_line::{fields_needed, is_after_blank, may_end_message};
use crate::mbox::separator_header::UsualFields;
use crate::mbox::split::{LineEvidence, NEAR};

/// Number of usual fields that must follow a separator whose form no other one has.
const OTHER_FORM: u32 = 5;

impl<R: Read> Mailbox<R> {
    /// Applies the rule to `From ` at an offset inside a line. Returns the offset after the line if it is a separator.
    pub(super) fn accept_inside_line(&mut self, offset: u64) -> io::Result<Option<u64>> {
        if self.is_marked || matches!(self.options.rule, MboxRule::Strict | MboxRule::Loose) {
            return Ok(None);
        }
        if is_after_blank(self.window.data(), self.window.index(offset)) {
            return Ok(None);
        }
        self.window.reach(offset + NEAR as u64)?;
        let at = self.window.index(offset);
        let data = self.window.data();
        let near = &data[..data.len().min(at + NEAR)];
        let Some(needed) = fields_needed(near, at) else {
            return Ok(None);
        };
        let whole = self.window.ended() && near.len() == data.len();
        let Some(evidence) = LineEvidence::gather(near, at, false, whole) else {
            return Ok(None);
        };
        let header = &near[evidence.end..];
        let fields = UsualFields::read(header, |fields| fields.count() >= OTHER_FORM).count();
        let dominant = self.profile.dominant(offset);
        let is_like_others = dominant.contains(evidence.line);
        let is_other_program = evidence.line.dated && fields >= OTHER_FORM;
        let is_doubtful = fields > 0 && evidence.line.dated && is_like_others;
        if fields < needed && !is_doubtful {
            return Ok(None);
        }
        let end = self.window.base() + evidence.end as u64;
        let points = evidence.points_of_form(dominant);
        if let Some(decision) = self.options.overrides.get(&offset) {
            let is_cut = *decision == LineDecision::Cut;
            self.used_overrides.insert(offset);
            return Ok(is_cut.then_some(end));
        }
        let has_fields = fields >= needed && is_like_others || is_other_program;
        let accepted = has_fields && may_end_message(near, at);
        if accepted && let Some(multipart) = self.open_multipart(offset)? {
            let accepted = self.accept_inside(offset, &evidence, points, multipart)?;
            return Ok(accepted.then_some(end));
        }
        let detail = BoxDetail::InsideLine { accepted };
        self.event(BoxEventKind::AmbiguousFrom, offset, detail);
        Ok(accepted.then_some(end))
    }
}
