//! Decides the outcome of one message. Milter, proxies and stdin filter only translate it.
//!
//! ```text
//!  Judgement, Abilities ─┐
//!  unread, Abilities ────┼─► Outcome ─┬─► milter packets · SMTP replies · exit codes
//!  Cause, Fault ─────────┘            └─► Record: log, counters, ledger
//! ```
//!
//! # Limits
//! Does not know the replies of the next hop, which come later. A proxy writes them to the [`Record`].

use crate::engine::Engine;
use crate::event::Record;
use crate::fault::Fault;
use crate::judge::{self, Judgement};
use crate::milter::FieldValue;
use crate::policy::{Action, Finding, Findings, Rules};
use crate::remark::Remark;
use std::borrow::Cow;

/// The outcome of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<'j> {
    /// What the front end does with the message.
    pub disposition: Disposition,
    /// Fields to add on top of the header, if the message passes.
    pub fields: Cow<'j, [(FieldValue, FieldValue)]>,
    /// The action that is taken, for the log.
    pub action: Action,
    /// The action of the policy.
    pub wanted: Action,
    /// Number of forged fields that the front end deletes.
    pub forged_fields: u32,
    /// Why the front end does less than the policy says, or why the message does not pass.
    pub remark: Option<Remark>,
    /// True if the message passes although something failed.
    pub failed_open: bool,
}

/// What a front end does with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The message passes, with its edits and fields.
    Deliver,
    /// The message is rejected (5xx).
    Reject(Reply),
    /// The message is deferred (4xx).
    Defer(Reply),
    /// The message passes, and the mail server quarantines it for these reasons.
    Quarantine(String),
}

/// An SMTP reply: code, enhanced code (RFC 3463) and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The code, of class 4 or 5.
    pub code: u16,
    /// The enhanced code.
    pub enhanced: (u8, u16, u16),
    /// The text, in ASCII.
    pub text: Cow<'static, str>,
}

/// The edits, fields and quarantine that a front end supports for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Which of the edits it can make.
    pub edits: Extent,
    /// True if bytes of the message change, apart from new fields.
    pub rewrites: bool,
    /// True if it can add fields.
    pub fields: bool,
    /// Why the message cannot be quarantined; `None` if it can.
    pub no_quarantine: Option<Remark>,
    /// Number of forged fields that it deletes.
    pub forged_fields: u32,
    /// True if there are more forged fields than it can delete.
    pub too_many_forged_fields: bool,
    /// True if the front end has already corrected bare line ends.
    pub line_ends_corrected: bool,
}

/// Which of the edits a front end can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All.
    All,
    /// Some or none for this message, for this reason.
    Part(Remark),
    /// None for any message, for this reason.
    None(Remark),
}

/// Why a message is rejected whatever the policy says about its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The message has a bare CR or LF, and the policy rejects it.
    BareLine,
    /// The message exceeds the SIZE that was announced to the client.
    BeyondAnnounced,
    /// The next hop lacks 8BITMIME, and the message cannot be encoded.
    EightBit,
    /// The header exceeds the limit of messages.
    HeaderTooLarge,
    /// The message has passed too many servers.
    Loop,
    /// The message has a NUL, which SMTP cannot carry.
    Nul,
    /// Encoded in 7 bits, the message exceeds the SIZE of the next hop.
    SevenBitSize,
    /// The message has more forged fields than can be deleted.
    TooManyForgedFields,
}

impl Cause {
    fn reply(self) -> Reply {
        let (code, enhanced, text) = match self {
            Self::BareLine => (550, (5, 5, 2), "A CR or LF stands alone in the message"),
            Self::BeyondAnnounced => (552, (5, 3, 4), "Message too large"),
            Self::EightBit => (550, (5, 6, 3), "The next hop takes no 8-bit data"),
            Self::HeaderTooLarge => (552, (5, 3, 4), "Message header too large"),
            Self::Loop => (554, (5, 4, 6), "Too many hops, mail loop"),
            Self::Nul => (550, (5, 6, 0), "A NUL is in the message"),
            Self::SevenBitSize => (
                552,
                (5, 3, 4),
                "In seven bits the message is too large for the next hop",
            ),
            Self::TooManyForgedFields => (
                550,
                (5, 6, 0),
                "message refused: too many fields of the filter's own name",
            ),
        };
        Reply::new(code, enhanced, text)
    }

    fn remark(self) -> Option<Remark> {
        match self {
            Self::BareLine | Self::Nul => None,
            Self::BeyondAnnounced | Self::SevenBitSize => Some(Remark::NextHopSize),
            Self::EightBit => Some(Remark::EightBit),
            Self::HeaderTooLarge => Some(Remark::Unread(Finding::TooManyHeaders)),
            Self::Loop => Some(Remark::Loop),
            Self::TooManyForgedFields => Some(Remark::TooManyForgedFields),
        }
    }

    /// Returns the finding that a rejection for this cause adds.
    fn finding(self) -> Option<Finding> {
        match self {
            Self::BareLine => Some(Finding::BareLf),
            Self::BeyondAnnounced => Some(Finding::TooLarge),
            Self::HeaderTooLarge => Some(Finding::TooManyHeaders),
            Self::Nul => Some(Finding::NulIn8bit),
            Self::EightBit | Self::Loop | Self::SevenBitSize | Self::TooManyForgedFields => None,
        }
    }

    /// Returns true if the rejection counts as wanted by the policy. False: only the route forbids the message.
    fn is_wanted(self) -> bool {
        !matches!(
            self,
            Self::EightBit | Self::SevenBitSize | Self::TooManyForgedFields
        )
    }
}

impl Reply {
    fn new(code: u16, enhanced: (u8, u16, u16), text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            enhanced,
            text: text.into(),
        }
    }

    fn refused(reasons: &str) -> Self {
        Self::new(550, (5, 6, 0), format!("message refused: {reasons}"))
    }

    fn later() -> Self {
        Self::new(451, (4, 7, 0), "Try again later")
    }

    /// Returns the enhanced code and the text.
    pub fn enhanced_text(&self) -> String {
        self.with_text(&self.text)
    }

    /// Returns the enhanced code with another text.
    pub(crate) fn with_text(&self, text: &str) -> String {
        let (class, subject, detail) = self.enhanced;
        format!("{class}.{subject}.{detail} {text}")
    }
}

impl<'j> Outcome<'j> {
    /// Returns the outcome of a judged message.
    pub fn judged(judgement: &'j Judgement<'_>, rules: &Rules, abilities: &Abilities) -> Self {
        let wanted = judgement.wanted;
        if abilities.too_many_forged_fields {
            // No honest sender has so many forged fields, and they must not pass.
            return Self {
                wanted,
                ..Self::rejected(Cause::TooManyForgedFields)
            };
        }
        let normalizes = judgement.action == Action::Normalize;
        let (mut remark, mode) = match abilities.edits {
            Extent::None(why) => (Some(why), Some(why)),
            Extent::Part(why) if normalizes => (
                Some(why),
                Some(if abilities.rewrites {
                    Remark::Partial
                } else {
                    Remark::ReportOnly
                }),
            ),
            Extent::All | Extent::Part(_) => (None, None),
        };
        let fields = match mode.filter(|_| !judgement.edits.is_empty()) {
            _ if !abilities.fields => {
                remark = remark.or((!judgement.added.is_empty()).then_some(Remark::ReportOnly));
                Cow::default()
            }
            // The field must not say that all edits are made.
            Some(mode) => Cow::Owned(field_of_mode(judgement, rules, mode)),
            None => Cow::Borrowed(&judgement.added[..]),
        };
        let reasons = || judgement.reasons(rules, judgement.action);
        let asked = Self::asked(
            judgement.action,
            || Reply::refused(&reasons()),
            Reply::later,
            reasons,
            abilities,
        );
        let mut outcome = Self {
            fields,
            wanted,
            remark: asked.remark.or(remark),
            ..asked
        };
        if matches!(outcome.action, Action::Pass | Action::Normalize) && !abilities.rewrites {
            outcome.action = if outcome.fields.is_empty() {
                Action::Pass
            } else {
                Action::Tag
            };
        }
        outcome.changed(abilities)
    }

    /// Returns the outcome of a message that passes unchanged because its rewritten form cannot be sent.
    pub(crate) fn unsendable(judgement: &Judgement<'_>, abilities: &Abilities) -> Self {
        let remark = Some(Remark::Unsendable);
        Self {
            wanted: judgement.wanted,
            remark,
            ..Self::of(Action::Pass, Disposition::Deliver)
        }
        .changed(abilities)
    }

    /// Returns the outcome of a message that is not judged because of `finding`, which is one of `findings`.
    pub(crate) fn unread(
        engine: &Engine,
        finding: Finding,
        findings: &Findings,
        abilities: &Abilities,
    ) -> Self {
        let rules = &engine.rules;
        let action = |finding| {
            if rules.monitor {
                Action::Pass
            } else {
                rules.action(finding)
            }
        };
        let limit = if engine.defer_too_large {
            Action::Tempfail
        } else {
            Action::Pass
        };
        // `wanted` ignores `monitor`; `done` obeys it.
        let wanted = rules.action(finding).max(limit);
        let done = action(finding).max(limit);
        let too_large = |code, enhanced| Reply::new(code, enhanced, "Message too large");
        let reasons = || finding.id().to_owned();
        let asked = Self::asked(
            done,
            || too_large(552, (5, 3, 4)),
            || too_large(451, (4, 3, 4)),
            reasons,
            abilities,
        );
        let mut outcome = Self {
            wanted,
            remark: Some(Remark::Unread(finding)),
            ..asked
        };
        if !outcome.passes() {
            return outcome;
        }
        if abilities.too_many_forged_fields {
            return Self {
                wanted,
                ..Self::rejected(Cause::TooManyForgedFields)
            };
        }
        if outcome.disposition == Disposition::Deliver {
            let reported = if abilities.line_ends_corrected {
                done.max(action(Finding::BareLf))
            } else {
                done
            };
            let field = (reported >= Action::Tag && abilities.fields)
                .then(|| judge::findings_field(rules, Action::Tag, findings, None));
            outcome.fields = Cow::Owned(field.flatten().into_iter().collect());
            outcome.action = if outcome.fields.is_empty() {
                Action::Pass
            } else {
                Action::Tag
            };
        }
        outcome.changed(abilities)
    }

    /// Returns the outcome of a message whose bare line ends were corrected, before it is judged.
    pub(crate) fn of_bare_lines(rules: &Rules, abilities: &Abilities) -> Self {
        let wanted = rules.action(Finding::BareLf);
        let action = if rules.monitor { Action::Pass } else { wanted };
        let reasons = || Finding::BareLf.id().to_owned();
        Self {
            wanted,
            ..Self::asked(
                action,
                || Cause::BareLine.reply(),
                Reply::later,
                reasons,
                abilities,
            )
        }
    }

    /// Returns the outcome of a message that is rejected for `cause`.
    pub(crate) fn rejected(cause: Cause) -> Self {
        let wanted = if cause.is_wanted() {
            Action::Reject
        } else {
            Action::Pass
        };
        let rejected = Self::of(Action::Reject, Disposition::Reject(cause.reply()));
        Self {
            wanted,
            remark: cause.remark(),
            ..rejected
        }
    }

    /// Returns the outcome after a fault: the message is deferred, or passes unchanged if `passing` is given, with these abilities.
    pub fn failed(fault: &Fault, passing: Option<&Abilities>) -> Self {
        let remark = Some(Remark::Fault(fault.kind()));
        match passing {
            Some(abilities) => {
                let passes = Self::of(Action::Pass, Disposition::Deliver);
                Self {
                    remark,
                    failed_open: true,
                    ..passes
                }
                .changed(abilities)
            }
            None => Self {
                remark,
                ..Self::of(Action::Tempfail, Disposition::Defer(fault.reply()))
            },
        }
    }

    fn of(action: Action, disposition: Disposition) -> Self {
        Self {
            disposition,
            fields: Cow::default(),
            action,
            wanted: Action::Pass,
            forged_fields: 0,
            remark: None,
            failed_open: false,
        }
    }

    /// Returns the outcome for the `action` of the policy.
    fn asked(
        action: Action,
        reject: impl FnOnce() -> Reply,
        defer: impl FnOnce() -> Reply,
        reasons: impl FnOnce() -> String,
        abilities: &Abilities,
    ) -> Self {
        match (action, abilities.no_quarantine) {
            (Action::Reject, _) => Self::of(action, Disposition::Reject(reject())),
            (Action::Quarantine, None) => Self::of(action, Disposition::Quarantine(reasons())),
            (Action::Quarantine, remark) => {
                // A message that cannot be quarantined must not pass.
                Self {
                    remark,
                    ..Self::of(Action::Tempfail, Disposition::Defer(defer()))
                }
            }
            (Action::Tempfail, _) => Self::of(action, Disposition::Defer(defer())),
            (Action::Pass | Action::Tag | Action::Normalize, _) => {
                Self::of(action, Disposition::Deliver)
            }
        }
    }

    /// Adds the changes that are made under every policy.
    fn changed(mut self, abilities: &Abilities) -> Self {
        if self.passes() {
            self.forged_fields = abilities.forged_fields;
            if abilities.line_ends_corrected || abilities.forged_fields > 0 {
                self.action = self.action.max(Action::Normalize);
            }
        }
        self
    }

    /// Replaces the remark.
    pub(crate) fn because(mut self, remark: Remark) -> Self {
        self.remark = Some(remark);
        self
    }

    /// Removes the added fields.
    pub(crate) fn without_fields(mut self) -> Self {
        self.fields = Cow::default();
        if self.action == Action::Tag {
            self.action = Action::Pass;
        }
        self
    }

    /// Returns the bytes of the added fields in a message with CRLF line ends.
    pub(crate) fn fields_size(&self) -> usize {
        let ends = |value: &[u8]| memchr::memchr_iter(b'\n', value).count();
        let size = |(name, value): &(FieldValue, FieldValue)| {
            let (name, value) = (name.as_bytes(), value.as_bytes());
            name.len() + ": ".len() + value.len() + ends(value) + "\r\n".len()
        };
        self.fields.iter().map(size).sum()
    }

    /// Returns true if the message passes.
    pub fn passes(&self) -> bool {
        matches!(
            self.disposition,
            Disposition::Deliver | Disposition::Quarantine(_)
        )
    }

    /// Writes the outcome into the record of its message.
    pub(crate) fn record(&self, record: &mut Record) {
        record.action = self.action;
        record.wanted = record.wanted.max(self.wanted);
        record.forged_fields = self.forged_fields;
        record.remark = self.remark;
        record.failed_open = self.failed_open;
        if !self.passes() || self.failed_open {
            record.bytes_out = 0;
        }
    }
}

impl Cause {
    /// Records that a message is rejected for this cause, with its finding. Returns the reply.
    pub(crate) fn reject(self, record: &mut Record) -> Reply {
        if let Some(finding) = self
            .finding()
            .filter(|finding| !record.findings.has(*finding))
        {
            record.findings.add(finding, String::new);
        }
        Outcome::rejected(self).record(record);
        self.reply()
    }
}

impl Fault {
    /// Returns the reply that defers a message because of this fault.
    pub fn reply(&self) -> Reply {
        match self {
            Self::Spool(_) => Reply::new(452, (4, 3, 1), "No room for the message"),
            _ => Reply::new(451, (4, 3, 0), "Try again later"),
        }
    }

    /// Records that a message is deferred because of this fault. Returns the reply.
    pub(crate) fn defer(&self, record: &mut Record) -> Reply {
        Outcome::failed(self, None).record(record);
        self.reply()
    }
}

impl Record {
    /// Writes the results of judging into a record. `size` is the size of the outgoing message in bytes.
    pub(crate) fn read(&mut self, judgement: &Judgement<'_>, size: usize) {
        self.bytes_out = size as u64;
        self.losses = judgement.report.losses();
        self.parts = judgement.parts;
        self.findings.clone_from(&judgement.findings);
    }
}

/// Returns the field that lists findings, for a message whose edits are not all made.
fn field_of_mode(
    judgement: &Judgement<'_>,
    rules: &Rules,
    mode: Remark,
) -> Vec<(FieldValue, FieldValue)> {
    if judgement.added.is_empty() {
        return Vec::new();
    }
    judge::findings_field(
        rules,
        judgement.wanted,
        &judgement.findings,
        Some(mode.name()),
    )
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests;
