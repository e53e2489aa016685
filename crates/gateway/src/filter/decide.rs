//! What becomes of one message: it is judged when it is its turn, kept where it changes, and the session gets edits and verdict.
//!
//! # Limits
//! A judgement that has begun is not broken off: where it takes too long the server has its verdict before, and what comes of it goes nowhere.

use super::outside::Outside;
use crate::engine::{Engine, TOO_MANY_CLAIMS};
use crate::milter::{self, Actions, FieldValue, Granted, ReplyText, Session, Verdict};
use crate::notice::Record;
use crate::policy::{Action, Finding};
use crate::received::{Complete, Received};
use crate::server::Shared;
use mailglot_mime::Edit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A message whose new body is so long that it is not copied into the output.
pub(super) struct Apart {
    pub(super) message: Complete,
    pub(super) edits: Vec<Edit>,
    /// Where its packets belong in the session's output.
    pub(super) place: usize,
}

/// What is done to a message that passes although something of ours failed, and how many fields go with that: those that would be taken for
/// ours. None where it must not pass, for nobody can say which these are; asked before anything else may fail.
pub(super) fn passing(
    message: &mut Received,
    engine: &Engine,
    granted: Granted,
) -> Option<(Actions<'static>, u32)> {
    if !engine.fail_open {
        return None;
    }
    if !granted.may(milter::action::CHANGE_HEADERS) {
        return Some((Actions::default(), 0));
    }
    let claims = catch_unwind(AssertUnwindSafe(|| message.claims_of(engine)));
    let (changes, count) = claims.ok().flatten()?;
    Some((Actions { changes, ..Actions::default() }, count))
}

/// Reads a message and gives the session its verdict, when it is its turn where it may `wait` for that; what is not in the session's output
/// is given back.
///
/// # Errors
/// Why there is no verdict.
pub(super) fn decide(
    shared: &Shared,
    wait: bool,
    engine: &Arc<Engine>,
    message: Received,
    session: &mut Session,
    outside: &Outside,
    record: &mut Record,
) -> Result<Option<Apart>, String> {
    record.policy.clone_from(&engine.rules.name);
    let granted = session.granted().unwrap_or_default();
    if let Some(error) = message.failure() {
        return Err(format!("spool ({error})"));
    }
    if let Some(finding) = message.beyond() {
        return pass_unread(finding, message, engine, granted, session, record).map(|()| None);
    }
    let _turn = wait.then(|| shared.turns.take());
    if outside.has_given_up() {
        return Err("slow".to_owned());
    }
    let complete = message.complete().map_err(|error| format!("spool ({error})"))?;
    let work = || {
        let mut judgement = engine.judge(complete.raw(), &record.envelope);
        let decision =
            engine.decide(&complete, &judgement, granted).map_err(|why| format!("untellable ({why})"))?;
        record.action = decision.action;
        record.wanted = judgement.wanted;
        record.claims = decision.claims;
        record.finding = decision.remark;
        record.losses = judgement.report.losses();
        record.bytes_out = if decision.verdict.lets_pass() { decision.size as u64 } else { 0 };
        record.parts = judgement.parts;
        if decision.rewrites() {
            record.findings.clone_from(&judgement.findings);
            engine.name_changed(&judgement, record);
            engine.keep(complete.raw(), &judgement.edits, record)?;
        }
        let decided = session.decide_around(&decision.actions, &decision.verdict);
        record.findings = std::mem::take(&mut judgement.findings);
        let place = decided.map_err(|refusal| refusal.to_string())?;
        Ok(place.map(|place| (place, judgement.edits)))
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(place)) => Ok(place.map(|(place, edits)| Apart { message: complete, edits, place })),
        Ok(Err(fault)) => Err(fault),
        Err(_) => Err("panic".to_owned()),
    }
}

/// The outcome of a message that there is too much of to be looked at.
fn pass_unread(
    finding: Finding,
    message: Received,
    engine: &Arc<Engine>,
    granted: Granted,
    session: &mut Session,
    record: &mut Record,
) -> Result<(), String> {
    record.findings.add(finding, String::new);
    record.finding = Some(finding.id());
    record.wanted = engine.about_unread(finding);
    let mut actions = Actions::default();
    let (mut action, verdict) = match record.wanted {
        Action::Reject => {
            let words = format!("message refused: {}", finding.id());
            let reply = ReplyText::new(550, (5, 6, 0), &words).map_or(Verdict::Reject, Verdict::Reply);
            (Action::Reject, reply)
        }
        Action::Quarantine if granted.may(milter::action::QUARANTINE) => {
            actions.quarantine = FieldValue::new(finding.id());
            (Action::Quarantine, Verdict::Continue)
        }
        Action::Quarantine | Action::Tempfail => (Action::Tempfail, Verdict::Tempfail),
        Action::Tag if granted.may(milter::action::ADD_HEADERS) => {
            actions.inserted = engine.added_unread(&record.findings, granted);
            (if actions.inserted.is_empty() { Action::Pass } else { Action::Tag }, Verdict::Continue)
        }
        Action::Pass | Action::Tag | Action::Normalize => (Action::Pass, Verdict::Continue),
    };
    if verdict.lets_pass() && granted.may(milter::action::CHANGE_HEADERS) {
        let Some((changes, count)) = message.claims(engine) else {
            // Nobody means such a message, and what it claims must not pass.
            (record.action, record.finding) = (Action::Reject, Some(TOO_MANY_CLAIMS));
            let refused = session.decide(&Actions::default(), &Verdict::too_many_claims());
            return refused.map_err(|why| why.to_string());
        };
        if count > 0 {
            action = action.max(Action::Normalize);
        }
        (actions.changes, record.claims) = (changes, count);
    }
    record.action = action;
    session.decide(&actions, &verdict).map_err(|refusal| refusal.to_string())
}
