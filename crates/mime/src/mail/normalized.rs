//! Holds a message with the edits that make it UTF-8.

use crate::edit::{Edit, splice, spliced};
use crate::event::Event;
use crate::normalize::Plan;
use crate::report::Report;
use crate::undo::{Undo, undo_edits};
use std::borrow::Cow;
use std::io::{self, Write};

/// A normalized message, made by [`Mail::normalize`](super::Mail::normalize): the original bytes and a list of edits.
#[derive(Clone, Debug)]
pub struct Normalized<'a> {
    raw: &'a [u8],
    plan: Plan,
}

impl<'a> Normalized<'a> {
    pub(super) fn new(raw: &'a [u8], plan: Plan) -> Self {
        Self { raw, plan }
    }

    /// Returns the new bytes. Borrows the original if nothing changed.
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        if self.plan.edits.is_empty() {
            return Cow::Borrowed(self.raw);
        }
        Cow::Owned(spliced(self.raw, &self.plan.edits))
    }

    /// Writes the new bytes. Bytes outside the edits are written from the original without a copy.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        splice(self.raw, &self.plan.edits, out)
    }

    /// Returns true if the message needs a change.
    pub fn is_changed(&self) -> bool {
        !self.plan.edits.is_empty()
    }

    /// Returns the changes, sorted by place.
    pub fn edits(&self) -> &[Edit] {
        &self.plan.edits
    }

    /// Returns the findings and changes, sorted by place.
    ///
    /// ```
    /// use mailglot_mime::{Mail, Policy, Severity};
    ///
    /// let fixed = Mail::parse(b"Content-Type: text/plain; charset=utf-8\n\nBr\xC3\xBCcke \xFF\n").normalize(&Policy::default());
    /// let lost: Vec<_> = fixed.events().iter().filter(|event| event.kind.severity() == Severity::Loss).collect();
    /// assert_eq!(lost[0].to_string(), "charset.invalid-bytes at 49..50: invalid-byte in UTF-8");
    /// ```
    pub fn events(&self) -> &[Event] {
        &self.plan.report.events
    }

    /// Returns the whole report: events, counts, and the charset of each text.
    pub fn report(&self) -> &Report {
        &self.plan.report
    }

    /// Returns the inverse edits, which restore the original from the new bytes. [`apply_undo`](crate::apply_undo) runs them.
    ///
    /// ```
    /// use mailglot_mime::{Mail, Policy, apply_undo};
    ///
    /// let raw = b"Subject: Caf\xE9\n\n";
    /// let fixed = Mail::parse(raw).normalize(&Policy::default());
    /// assert_eq!(apply_undo(&fixed.bytes(), &fixed.undo()).as_deref(), Some(&raw[..]));
    /// ```
    pub fn undo(&self) -> Vec<Undo> {
        undo_edits(self.raw, &self.plan.edits)
    }

    /// Splits the result into edits and report.
    pub fn into_plan(self) -> Plan {
        self.plan
    }
}
