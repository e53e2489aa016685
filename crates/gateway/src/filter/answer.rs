//! Translates the outcome of a message into edits and a verdict of the milter protocol. No I/O, no clock.

use crate::engine::Engine;
use crate::judge::Judgement;
use crate::limits::MOST_CHANGES;
use crate::message_builder::{InexpressibleEdit, ReceivedMessage};
use crate::milter::{Actions, FieldValue, Granted, ReplyText, Verdict, action, protocol};
use crate::outcome::{Abilities, Disposition, Extent, Outcome};
use crate::remark::Remark;

/// The outcome of one message for a mail server.
#[derive(Debug)]
pub struct Decision<'a> {
    /// What becomes of the message.
    pub outcome: Outcome<'a>,
    /// The edits.
    pub actions: Actions<'a>,
    /// The verdict.
    pub verdict: Verdict,
    /// Bytes of the message after its edits, without new fields.
    pub size: usize,
}

impl Decision<'_> {
    /// Returns true if bytes of the message change, apart from new fields.
    pub fn rewrites(&self) -> bool {
        self.verdict.lets_pass() && self.actions.rewrite()
    }
}

impl Engine {
    /// Translates a judgement for a mail server. Nothing is asked of the server that it did not grant.
    ///
    /// # Errors
    /// The protocol cannot express an edit.
    pub fn decide<'a>(
        &self,
        message: &'a ReceivedMessage,
        judgement: &'a Judgement<'_>,
        granted: Granted,
    ) -> Result<Decision<'a>, InexpressibleEdit> {
        let (mut actions, mut edits) = (Actions::default(), Extent::All);
        if let Some(why) = report_only(granted) {
            edits = Extent::None(why);
        } else {
            let (expressible, all) = message.expressible_actions(&judgement.edits)?;
            if expressible.changes.len() > MOST_CHANGES {
                edits = Extent::Part(Remark::TooManyChanges);
            } else {
                actions = expressible;
                edits = if all {
                    edits
                } else {
                    Extent::Part(Remark::StrayReturn)
                };
            }
        }
        let deletes = granted.may(action::CHANGE_HEADERS);
        let forged_fields = if deletes {
            message.delete(&mut actions, &self.rules)
        } else {
            0
        };
        // An edit that is not made leaves its bytes as they came.
        let all = edits == Extent::All && forged_fields == 0;
        let size = if all {
            judgement.size()
        } else {
            message.size_with(&actions)
        };
        let too_many_forged_fields = forged_fields as usize > MOST_CHANGES;
        let abilities = Abilities {
            edits,
            rewrites: actions.rewrite(),
            forged_fields,
            too_many_forged_fields,
            ..abilities(granted)
        };
        let outcome = Outcome::judged(judgement, &self.rules, &abilities);
        let verdict = translate(&outcome, granted, &mut actions);
        Ok(Decision {
            outcome,
            actions,
            verdict,
            size,
        })
    }
}

/// What can be done with a message beside a server that grants this.
pub(super) fn abilities(granted: Granted) -> Abilities {
    let holds = granted.may(action::QUARANTINE);
    Abilities {
        edits: Extent::All,
        rewrites: false,
        fields: granted.may(action::ADD_HEADERS),
        no_quarantine: (!holds).then_some(Remark::QuarantineNotGranted),
        forged_fields: 0,
        too_many_forged_fields: false,
        line_ends_corrected: false,
    }
}

/// Why no message is edited beside a server that grants this; none if it grants all that edits need. A body that changes may need a new
/// field that says how to decode it.
pub(super) fn report_only(granted: Granted) -> Option<Remark> {
    let may = granted.may(action::CHANGE_HEADERS | action::CHANGE_BODY | action::ADD_HEADERS);
    (!may).then_some(Remark::ReportOnly)
}

/// The verdict of an outcome; its fields and the reason of a quarantine become edits.
pub(crate) fn translate(
    outcome: &Outcome<'_>,
    granted: Granted,
    actions: &mut Actions<'_>,
) -> Verdict {
    actions.inserted = spaced(&outcome.fields, granted);
    match &outcome.disposition {
        Disposition::Deliver => Verdict::Continue,
        Disposition::Reject(reply) => ReplyText::new(reply.code, reply.enhanced, &reply.text)
            .map_or(Verdict::Reject, Verdict::Reply),
        // In the server's own words.
        Disposition::Defer(_) => Verdict::Tempfail,
        Disposition::Quarantine(reasons) => {
            actions.quarantine = FieldValue::new(reasons.as_str());
            Verdict::Continue
        }
    }
}

/// Values as the server takes them: with the space behind the colon if it adds none.
fn spaced(added: &[(FieldValue, FieldValue)], granted: Granted) -> Vec<(FieldValue, FieldValue)> {
    if !granted.has(protocol::LEADING_SPACE) {
        return added.to_vec();
    }
    let space = |value: &FieldValue| FieldValue::new([b" ", value.as_bytes()].concat());
    added
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), space(value)?)))
        .collect()
}
