//! Judges one message: findings, action, and the resulting bytes. No I/O, no clock, and no protocol.
//!
//! ```text
//!  bytes ─► Message ─► plan ─► edits ─┐                          ┌─► milter::Actions ─► milter
//!               └► events, scans ─► findings ─► rules ─► Judgement ┴─► bytes ─► proxy, stdin filter
//! ```
//!
//! Some edits do not depend on the action. They delete forged and repeated fields, repair structure, and name a first line below an added
//! field. They come first. Everything else is found and planned in their result, so that a second pass finds nothing more. Both lists of edits
//! are then composed into one, in offsets of the message on arrival.
//!
//! # Limits
//! Of parts under a signature only labels and structure are checked, not the text.

mod addresses;
mod changed_parts;
mod charsets;
mod damaged_parameters;
mod edit_composition;
mod embedded_labels;
mod event_findings;
mod field_length;
mod fields;
mod forged_fields;
mod idna;
mod kept_spans;
mod mixed_scripts;
mod raw_shifts;
mod signatures;
mod structure;
mod structure_repair;
mod transfer_encodings;

use edit_composition::{Places, composed};
use kept_spans::KeptSpans;

pub use changed_parts::ChangedPart;
pub(crate) use field_length::hold_fields;

use crate::envelope::Envelope;
use crate::milter::FieldValue;
use crate::policy::{Action, Finding, Findings, Rules, Signed};
use mailglot_mime::{
    CharsetOut, Declarations, Edit, Eol, Headers, Message, PartId, Plan, Policy, Report, Span,
    Transfer, has_signed_body, plan_parsed, splice, spliced,
};
use std::borrow::Cow;

pub(crate) use fields::LEADING;
pub(crate) use fields::{above, findings_field, line_end};
pub(crate) use forged_fields::{
    find as find_forged_fields, is_forged_field, is_suspect, without as without_forged_fields,
};
pub(crate) use structure_repair::NAMED;

/// The judgement of one message.
#[derive(Debug)]
pub struct Judgement<'a> {
    /// The action that is taken.
    pub action: Action,
    /// The action that the policy asks for. Differs from `action` in a dry run, and if there is nothing to do.
    pub wanted: Action,
    /// Number of forged fields that are deleted under every policy.
    pub forged_fields: u32,
    /// The findings.
    pub findings: Findings,
    /// Edits of the message; empty if it stays as it is.
    pub edits: Vec<Edit>,
    /// Fields to add on top: name and value, without the space after the colon. Folds are LF and a space.
    pub added: Vec<(FieldValue, FieldValue)>,
    /// The report of the planner.
    pub report: Report,
    /// Number of parts of the message.
    pub parts: u32,
    /// The parts that are changed.
    pub changed: Vec<ChangedPart>,
    raw: &'a [u8],
    /// The line end of the message.
    eol: &'static [u8],
}

impl<'a> Judgement<'a> {
    /// Returns the judgement of a message that was not read and stays unchanged.
    pub fn unread(raw: &'a [u8]) -> Self {
        Self {
            action: Action::Pass,
            wanted: Action::Pass,
            forged_fields: 0,
            findings: Findings::default(),
            edits: Vec::new(),
            added: Vec::new(),
            report: Report::default(),
            parts: 0,
            changed: Vec::new(),
            raw,
            eol: fields::line_end(raw),
        }
    }

    /// Returns the message on arrival.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Returns the message after the edits, with the added fields. Their line end is that of its first line.
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        if self.edits.is_empty() && self.added.is_empty() {
            return Cow::Borrowed(self.raw);
        }
        let mut bytes = fields::above(&self.added, self.raw, &self.edits, self.eol);
        bytes.reserve(self.size());
        // Writing to memory cannot fail.
        let _ = splice(self.raw, &self.edits, &mut bytes);
        Cow::Owned(bytes)
    }

    /// Returns the size of the message after the edits in bytes, without added fields.
    pub fn size(&self) -> usize {
        let grown: usize = self.edits.iter().map(|edit| edit.with.len()).sum();
        let shrunk: usize = self.edits.iter().map(|edit| edit.span.len()).sum();
        self.raw.len() + grown - shrunk
    }

    /// Returns the names of the findings that ask for this action.
    pub fn reasons(&self, rules: &Rules, action: Action) -> String {
        let of =
            |(finding, _): (Finding, u32)| (rules.action(finding) == action).then(|| finding.id());
        self.findings
            .counted()
            .filter_map(of)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Whether bare line ends of a message were corrected before it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineEnds<'a> {
    /// The message is as it came.
    AsReceived,
    /// They were corrected. Has the message as it came, if that was kept.
    Corrected(Option<&'a [u8]>),
}

impl<'a> LineEnds<'a> {
    pub(crate) fn are_corrected(self) -> bool {
        matches!(self, Self::Corrected(_))
    }

    /// Returns the message as it came, if that was kept. `raw` is the message that is judged.
    fn received(self, raw: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Self::AsReceived => Some(raw),
            Self::Corrected(original) => original,
        }
    }
}

/// Judges a message. Linear in its bytes.
pub fn judge<'a>(raw: &'a [u8], envelope: &Envelope, rules: &Rules) -> Judgement<'a> {
    judge_corrected(raw, envelope, rules, LineEnds::AsReceived)
}

/// Judges a message whose bare line ends may have been corrected before.
pub(crate) fn judge_corrected<'a>(
    raw: &'a [u8],
    envelope: &Envelope,
    rules: &Rules,
    line_ends: LineEnds<'_>,
) -> Judgement<'a> {
    let line_ends_corrected = line_ends.are_corrected();
    let policy = policy_for(envelope, rules);
    let context = JudgeContext {
        raw,
        line_ends,
        envelope,
        rules,
        policy: &policy,
    };
    let received = Message::parse(raw, &policy.limits);
    // Added lines that end in CR LF or LF would change the structure of a message whose lines end in CR alone.
    let eol = if received.eol() == Eol::Cr {
        Eol::Cr.bytes()
    } else {
        fields::line_end(raw)
    };
    let mut findings = Findings::default();
    if line_ends_corrected {
        findings.add(Finding::BareLf, String::new);
    }
    // Forged fields are deleted from every message without a report of their content. Everything else is planned for the rest.
    let forged_fields = forged_fields::of(&received, rules);
    let (count, gone) = (forged_fields.len() as u32, fields::deletions(forged_fields));
    let (left, parsed);
    let mut message = &received;
    if !gone.is_empty() {
        left = spliced(raw, &gone);
        parsed = Message::parse(&left, &policy.limits);
        message = &parsed;
    }
    let mut draft = context.draft(message);
    findings.merge(&draft.findings);
    let mut repairs = std::mem::take(&mut draft.repairs);
    let mut plan = context.plan_after_repairs(message, draft, &repairs, &mut findings);
    let rewritten = line_ends_corrected || !plan.edits.is_empty();
    let mut outcome = context.outcome(message, &mut plan, rewritten, &findings);
    if plan.is_free && !outcome.added.is_empty() {
        let first = fields::name_below(message.raw(), &outcome.edits, eol);
        if !first.is_empty() {
            // With the added name the line is a field, and is read as one.
            repairs.insert(0, Edit::new(Span::new(0, 0), first));
            let draft = Draft {
                report: plan.report,
                ..Draft::default()
            };
            plan = context.plan_after_repairs(message, draft, &repairs, &mut findings);
            let rewritten = line_ends_corrected || plan.edits[..] != repairs[..1];
            outcome = context.outcome(message, &mut plan, rewritten, &findings);
        }
    }
    let mut changed = changed_parts::parts(message, &plan.report, &outcome.edits);
    let places = Places::of(&gone);
    for part in &mut changed {
        part.body = places.before(part.body);
    }
    let mut report = plan.report;
    for event in &mut report.events {
        event.at = places.before(event.at);
    }
    let parts = message.parts().len() as u32;
    let edits = composed(gone, outcome.edits);
    let action = if outcome.action == Action::Pass && !outcome.added.is_empty() {
        Action::Tag
    } else {
        outcome.action
    };
    Judgement {
        action,
        wanted: outcome.wanted,
        forged_fields: count,
        findings,
        edits,
        added: outcome.added,
        report,
        parts,
        changed,
        raw,
        eol,
    }
}

/// What judging a message depends on.
#[derive(Clone, Copy)]
struct JudgeContext<'r> {
    /// The message before forged fields are deleted.
    raw: &'r [u8],
    line_ends: LineEnds<'r>,
    envelope: &'r Envelope,
    rules: &'r Rules,
    policy: &'r Policy,
}

/// Findings and planned edits of a message before repairs.
#[derive(Default)]
struct Draft {
    findings: Findings,
    report: Report,
    edits: Vec<Edit>,
    /// Structure to repair. After that, other edits are planned for the repaired message.
    repairs: Vec<Edit>,
    /// True if no signature forbids edits.
    is_free: bool,
}

/// Edits of a message, and fields that are added to it.
struct Rewriting {
    wanted: Action,
    action: Action,
    edits: Vec<Edit>,
    added: Vec<(FieldValue, FieldValue)>,
}

/// Limit on the passes over a message whose repairs reveal further damage.
const ROUNDS: u32 = 4;

impl JudgeContext<'_> {
    /// Reads a message.
    fn draft(self, message: &Message<'_>) -> Draft {
        let Plan { mut edits, report } = plan_parsed(message, self.policy);
        let mut findings = Findings::default();
        let mut kept = KeptSpans::default();
        event_findings::find(message, &report, self.envelope, &mut findings);
        damaged_parameters::find(message, &report, &mut findings);
        structure::find(message, &mut findings, &mut kept);
        charsets::find(message, &report, self.rules, &mut findings, &mut kept);
        addresses::find(message, &mut findings);
        kept.embedded(message, self.policy.transfer == Transfer::SevenBit);
        let kept = kept.sorted();
        kept.hold(&mut edits);
        embedded_labels::take_back(message, &mut edits);
        let signed = signatures::is_signed(message, PartId::ROOT);
        if signed && signatures::has_length_tag(message) {
            findings.add(Finding::DkimLTag, String::new);
        }
        let is_free =
            !(signed || has_signed_body(message)) || may_break_signature(message, self.rules);
        if !is_free && !edits.is_empty() {
            edits.clear();
            findings.add(Finding::SignedNotNormalised, String::new);
        }
        let mut repairs = Vec::new();
        if is_free {
            transfer_encodings::plan(message, &report, &findings, &mut edits);
            repairs = fields::duplicates(message, &findings);
            if repairs.is_empty() {
                // If fields are deleted, a header may end at another line.
                repairs = structure_repair::plan(message, self.rules, &findings, &kept);
            }
            field_length::take_back(message, &mut findings, &mut edits);
        }
        Draft {
            findings,
            report,
            edits,
            repairs,
            is_free,
        }
    }

    /// Plans the edits of the repaired message and adds its findings. `draft` belongs to the message before repairs.
    fn plan_after_repairs(
        self,
        message: &Message<'_>,
        mut draft: Draft,
        repairs: &[Edit],
        findings: &mut Findings,
    ) -> Draft {
        let mut repairs = repairs.to_vec();
        for round in 1..=ROUNDS {
            if repairs.is_empty() {
                break;
            }
            let bytes = spliced(message.raw(), &repairs);
            let next = self.draft(&Message::parse(&bytes, &self.policy.limits));
            if !next.is_free {
                // The repaired message counts as signed, so it must not be repaired.
                draft.edits.clear();
                break;
            }
            findings.merge(&next.findings);
            if next.repairs.is_empty() || round == ROUNDS {
                let places = Places::of(&repairs);
                draft = next;
                for event in &mut draft.report.events {
                    event.at = places.before(event.at);
                }
                draft.edits = composed(repairs, draft.edits);
                break;
            }
            repairs = composed(repairs, next.repairs);
        }
        draft
    }

    /// Decides the action for a message with this plan and its edits. `rewritten` is true if the plan has edits.
    fn outcome(
        self,
        message: &Message<'_>,
        plan: &mut Draft,
        rewritten: bool,
        findings: &Findings,
    ) -> Rewriting {
        let (mut wanted, action) = decide(self.rules, findings, rewritten);
        let stays = wanted == Action::Tag
            && !rewritten
            && (signatures::is_signed(message, PartId::ROOT) || has_signed_body(message))
            && !self.rules.tags_signed(findings);
        if stays {
            wanted = Action::Pass;
        }
        let mut edits = std::mem::take(&mut plan.edits);
        if action != Action::Normalize {
            edits.clear();
        }
        let mut added = if stays {
            Vec::new()
        } else {
            fields::added(self.rules, wanted, action, findings)
        };
        if let Some(received) = self.line_ends.received(self.raw)
            && (self.line_ends.are_corrected() || !edits.is_empty())
        {
            added.extend(fields::original(
                message,
                received,
                self.rules,
                &edits,
                &plan.report,
            ));
        }
        Rewriting {
            wanted,
            action,
            edits,
            added,
        }
    }
}

/// Returns the policy for writing a message, by the promises of its envelope.
fn policy_for<'r>(envelope: &Envelope, rules: &'r Rules) -> Cow<'r, Policy> {
    let base = &rules.rewriting;
    let mut policy = Cow::Borrowed(base);
    if envelope.smtputf8 && base.headers == Headers::Words && base.charset_out == CharsetOut::Utf8 {
        // With SMTPUTF8 raw UTF-8 is legal, and a field without other charsets stays.
        policy.to_mut().headers = Headers::RawUtf8;
    }
    if envelope.eight_bit && base.transfer == Transfer::Clean {
        policy.to_mut().transfer = Transfer::Keep;
    }
    if rules.action(Finding::MetaConflict) == Action::Normalize {
        policy.to_mut().declarations = Declarations::Utf8;
    }
    policy
}

/// Returns the action that the rules ask for, and the action that is taken. A message without findings is converted to UTF-8. If
/// rewriting corrects its findings, their actions decide about that. `rewritten` is true if the plan has edits.
fn decide(rules: &Rules, findings: &Findings, rewritten: bool) -> (Action, Action) {
    let corrected = findings
        .counted()
        .filter(|(finding, _)| finding.usual() == Action::Normalize);
    let plain = corrected
        .map(|(finding, _)| rules.action(finding))
        .max()
        .unwrap_or(Action::Normalize);
    let strongest = rules.strongest(findings);
    let plain = if rewritten { plain } else { Action::Pass };
    let wanted = match strongest.max(plain) {
        Action::Normalize if !rewritten => Action::Tag,
        wanted => wanted,
    };
    // Whether the message is tagged is known only when its added fields are built.
    let done = if rules.monitor || wanted == Action::Tag {
        Action::Pass
    } else {
        wanted
    };
    (wanted, done)
}

/// Returns true if the signature was verified by our server and nobody behind the gateway needs it.
fn may_break_signature(message: &Message<'_>, rules: &Rules) -> bool {
    // If results in the gateway's own name are deleted as forged, such a result is not trusted.
    rules.signed == Signed::RewriteAfterVerify
        && !rules.strips_results
        && rules
            .authserv_id
            .as_ref()
            .is_some_and(|id| forged_fields::has_results_of(message, id))
}

#[cfg(test)]
mod tests;
