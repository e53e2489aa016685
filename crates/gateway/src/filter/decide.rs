//! Processes one message of a milter: judges it, keeps its original if it changes, and gives edits and verdict to the session.
//!
//! # Limits
//! Nothing interrupts a judgement. If it takes too long, the mail server gets its verdict before, and the result is dropped.

use super::answer::{abilities, translate};
use super::handle::MilterHandle;
use crate::engine::Engine;
use crate::event::Record;
use crate::fault::Fault;
use crate::ledgers::Prepared;
use crate::message_builder::{MessageBuilder, ReceivedMessage};
use crate::milter::{self, Actions, Granted, MilterSession};
use crate::outcome::{Abilities, Outcome};
use crate::policy::Finding;
use crate::semaphore::Processing;
use crate::server::Shared;
use mailglot_mime::Edit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What became of a message: its verdict is in the session's output.
#[derive(Default)]
pub(super) struct Decided {
    /// A long body that is not in the output.
    pub(super) uncopied: Option<UncopiedBody>,
    /// The record of the original. The output must not be sent before it is durable.
    pub(super) original: Option<Prepared>,
}

/// A message whose new body is so long that it is not copied into the output.
pub(super) struct UncopiedBody {
    pub(super) message: ReceivedMessage,
    pub(super) edits: Vec<Edit>,
    /// Offset of its packets in the session's output.
    pub(super) place: usize,
}

/// Returns the edits that delete the forged fields of a message that passes although the gateway failed, and their number. Returns `None` if it must not
/// pass, because the fields cannot be determined. Called before anything else can fail.
pub(super) fn passing(
    message: &mut MessageBuilder,
    engine: &Engine,
    granted: Granted,
) -> Option<(Actions<'static>, u32)> {
    if !engine.fail_open {
        return None;
    }
    if !granted.may(milter::action::CHANGE_HEADERS) {
        return Some((Actions::default(), 0));
    }
    let forged_fields = catch_unwind(AssertUnwindSafe(|| message.forged_fields_of(engine)));
    let (changes, count) = forged_fields.ok().flatten()?;
    Some((
        Actions {
            changes,
            ..Actions::default()
        },
        count,
    ))
}

/// Decides about messages of one connection.
pub(super) struct Decider<'a> {
    pub(super) shared: &'a Shared,
    pub(super) engine: &'a Arc<Engine>,
    pub(super) handle: &'a MilterHandle,
    /// The connection has a thread of its own, which may wait for a permit and for the disk.
    pub(super) waits: bool,
}

impl Decider<'_> {
    /// Reads a message and gives the session its verdict. Keeps the original of a message that changes, or returns its record if this thread must not wait.
    ///
    /// # Errors
    /// The fault that prevents a verdict.
    pub(super) fn decide(
        &self,
        mut message: MessageBuilder,
        session: &mut MilterSession,
        record: &mut Record,
    ) -> Result<Decided, Fault> {
        let Self { shared, engine, .. } = *self;
        record.judged_by(&engine.rules);
        let granted = session.granted().unwrap_or_default();
        if let Some(error) = message.take_failure() {
            return Err(Fault::Spool(error));
        }
        if let Some(finding) = message.beyond() {
            return pass_unread(finding, message, engine, granted, session, record)
                .map(|()| Decided::default());
        }
        let permit = self.waits.then(|| shared.semaphore.acquire());
        let mut processing = Processing::new(permit, &shared.budget);
        if self.handle.has_given_up() {
            return Err(Fault::Slow);
        }
        let complete = message.complete().map_err(Fault::Spool)?;
        let mut original = None;
        let work = || {
            let judgement = engine.judge(complete.raw(), &record.envelope);
            let decision = engine.decide(&complete, &judgement, granted)?;
            record.read(&judgement, decision.size + decision.outcome.fields_size());
            decision.outcome.record(record);
            if decision.rewrites() {
                engine.name_changed(&judgement, record);
                if self.waits {
                    engine.keep(complete.raw(), &judgement.edits, record, &mut processing)?;
                } else {
                    original = engine
                        .prepare_original(complete.raw(), &judgement.edits, record)?
                        .map(|(_, prepared)| prepared);
                }
            }
            let place = session.decide_around(&decision.actions, &decision.verdict)?;
            Ok(place.map(|place| (place, judgement.edits)))
        };
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(place)) => Ok(Decided {
                uncopied: place.map(|(place, edits)| UncopiedBody {
                    message: complete,
                    edits,
                    place,
                }),
                original,
            }),
            Ok(Err(fault)) => Err(fault),
            Err(_) => Err(Fault::Panic),
        }
    }
}

/// Gives the session the verdict of a message that is not read.
fn pass_unread(
    finding: Finding,
    message: MessageBuilder,
    engine: &Arc<Engine>,
    granted: Granted,
    session: &mut MilterSession,
    record: &mut Record,
) -> Result<(), Fault> {
    record.findings.add(finding, String::new);
    let forged_fields = granted
        .may(milter::action::CHANGE_HEADERS)
        .then(|| message.forged_fields(engine));
    let too_many_forged_fields = matches!(forged_fields, Some(None));
    let (changes, forged_fields) = forged_fields.flatten().unwrap_or_default();
    let abilities = Abilities {
        forged_fields,
        too_many_forged_fields,
        ..abilities(granted)
    };
    let outcome = Outcome::unread(engine, finding, &record.findings, &abilities);
    outcome.record(record);
    let mut actions = Actions {
        changes,
        ..Actions::default()
    };
    let verdict = translate(&outcome, granted, &mut actions);
    Ok(session.decide(&actions, &verdict)?)
}
