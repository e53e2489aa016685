//! What becomes of one message in the words of the milter protocol. No I/O, no clock.

use crate::judge::{self, Judgement};
use crate::limits::MOST_CHANGES;
use crate::milter::{Actions, FieldValue, Granted, ReplyText, Verdict, Wants, action, protocol};
use crate::notice::Record;
use crate::policy::{Action, Finding, Findings, Rules};
use crate::record::Ledgers;
use crate::{Complete, Untellable};
use std::borrow::Cow;
use std::sync::Arc;

/// What the server tells about a message beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The sender, in angle brackets.
    pub sender: Vec<u8>,
    /// How many recipients there are.
    pub recipients: u32,
    /// The server's own name for the message (macro `i`).
    pub queue_id: Vec<u8>,
    /// Header fields may hold UTF-8 (RFC 6531 3.4).
    pub smtputf8: bool,
    /// The body may hold bytes beyond ASCII (`BODY=8BITMIME`, RFC 6152).
    pub eight_bit: bool,
}

/// What becomes of one message.
#[derive(Debug)]
pub struct Decision<'a> {
    /// In a word.
    pub action: Action,
    /// The edits.
    pub actions: Actions<'a>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many fields go that would be taken for ours.
    pub claims: u32,
    /// Why less is done than the policy asks for.
    pub remark: Option<&'static str>,
    /// Bytes that the message has then, added fields aside.
    pub size: usize,
}

impl Decision<'_> {
    /// Whether bytes of the message itself change, and do not only gain fields above them.
    pub fn rewrites(&self) -> bool {
        self.verdict.lets_pass() && self.actions.rewrite()
    }
}

/// Reads and rewrites messages by one policy.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// The policy.
    pub rules: Rules,
    /// A message passes as it is where something of ours fails, instead of being deferred.
    pub fail_open: bool,
    /// A message beyond the limits is deferred, instead of passing as it is.
    pub defer_too_large: bool,
    /// Where each message that is changed is kept as it came; none where none is.
    pub ledgers: Option<Arc<Ledgers>>,
}

impl Engine {
    /// Judges by `rules`; failures and messages beyond the limits have their usual outcome.
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// What a session is to ask for, so that this engine can do its work.
    pub fn wants(&self) -> Wants {
        let mut wants = Wants::default();
        if self.rules.quarantines() {
            wants.actions |= action::QUARANTINE;
        }
        wants
    }

    /// Reads a message and says what is to be done.
    pub fn judge<'a>(&self, raw: &'a [u8], envelope: &Envelope) -> Judgement<'a> {
        judge::judge(raw, envelope, &self.rules)
    }

    /// Reads a message whose stray line ends were set right before where it is `mended`.
    pub(crate) fn judge_mended<'a>(&self, raw: &'a [u8], envelope: &Envelope, mended: bool) -> Judgement<'a> {
        judge::judge_mended(raw, envelope, &self.rules, mended)
    }

    /// What is done about a message that is not looked at, for the reason of `finding`.
    pub fn about_unread(&self, finding: Finding) -> Action {
        let asked = if self.rules.monitor { Action::Pass } else { self.rules.action(finding) };
        asked.max(if self.defer_too_large { Action::Tempfail } else { Action::Pass })
    }

    /// What is told of stray line ends that were set right in a message that is not looked at.
    pub(crate) fn about_mended(&self, record: &Record) -> Action {
        let mended = record.findings.has(Finding::BareLf) && !self.rules.monitor;
        if mended { self.rules.action(Finding::BareLf) } else { Action::Pass }
    }

    /// What a server that grants too little cannot do; none where it grants all that edits need: a message whose body changes may need a new
    /// field that says how to read it.
    pub fn report_only(granted: Granted) -> Option<&'static str> {
        let may = granted.may(action::CHANGE_HEADERS | action::CHANGE_BODY | action::ADD_HEADERS);
        (!may).then_some("report-only")
    }

    /// Says a judgement in the words of the protocol. A server that grants too little is asked for nothing that it did not grant.
    ///
    /// # Errors
    /// An edit that cannot be told: what the policy asks for cannot be done.
    pub fn decide<'a>(
        &self,
        message: &'a Complete,
        judgement: &'a Judgement<'_>,
        granted: Granted,
    ) -> Result<Decision<'a>, Untellable> {
        let mut action = judgement.action;
        let mut remark = Self::report_only(granted);
        let (mut actions, mut all) = (Actions::default(), remark.is_none());
        let (mut claims, mut untold) = (0, "stray return");
        if remark.is_none() {
            (actions, all) = message.told(&judgement.edits)?;
            if actions.changes.len() > MOST_CHANGES {
                (actions, all, untold) = (Actions::default(), false, "too many changes");
            }
        }
        if granted.may(action::CHANGE_HEADERS) {
            claims = message.delete(&mut actions, &self.rules);
        }
        // What could not be told stays as it came.
        let size = if all && claims == 0 { judgement.size() } else { message.size_with(&actions) };
        let mut mode = remark;
        if remark.is_some() && action == Action::Normalize {
            action = Action::Pass;
        } else if !all && action == Action::Normalize {
            // What the policy asks for could not be told, or not all of it.
            mode = Some(if actions.rewrite() { "partial" } else { "report-only" });
            remark = Some(untold);
        }
        if granted.may(action::ADD_HEADERS) {
            let added = match mode.filter(|_| !judgement.edits.is_empty()) {
                // Nobody is to believe that the rest is done.
                Some(mode) => Cow::Owned(self.told_of(judgement, mode)),
                None => Cow::Borrowed(&judgement.added),
            };
            actions.inserted = spaced(&added, granted);
        } else {
            remark = remark.or((!judgement.added.is_empty()).then_some("report-only"));
        }
        if claims > MOST_CHANGES as u32 {
            // Nobody means such a message, and what it claims must not pass.
            action = Action::Reject;
        }
        let reasons = || judgement.reasons(&self.rules, action);
        let verdict = match action {
            Action::Pass | Action::Tag | Action::Normalize => Verdict::Continue,
            Action::Tempfail => Verdict::Tempfail,
            Action::Reject if claims > MOST_CHANGES as u32 => {
                remark = Some(TOO_MANY_CLAIMS);
                Verdict::too_many_claims()
            }
            Action::Reject => {
                let words = format!("message refused: {}", reasons());
                ReplyText::new(550, (5, 6, 0), &words).map_or(Verdict::Reject, Verdict::Reply)
            }
            Action::Quarantine if granted.may(action::QUARANTINE) => {
                actions.quarantine = FieldValue::new(reasons());
                Verdict::Continue
            }
            Action::Quarantine => {
                // What is to be held must not pass.
                (action, remark) = (Action::Tempfail, Some("quarantine not granted"));
                Verdict::Tempfail
            }
        };
        if matches!(action, Action::Pass | Action::Normalize) && !actions.rewrite() {
            action = if actions.inserted.is_empty() { Action::Pass } else { Action::Tag };
        }
        if !verdict.lets_pass() {
            claims = 0;
        } else if claims > 0 {
            // Whatever else was done or not, bytes have changed.
            action = action.max(Action::Normalize);
        }
        Ok(Decision { action, actions, verdict, claims, remark, size })
    }

    /// What is added to a message where its edits are not made, or not all of them.
    fn told_of(&self, judgement: &Judgement<'_>, mode: &str) -> Vec<(FieldValue, FieldValue)> {
        let told = !judgement.added.is_empty();
        let field = || judge::findings_field(&self.rules, judgement.wanted, &judgement.findings, Some(mode));
        told.then(field).flatten().into_iter().collect()
    }

    /// What is added to a message that is not looked at.
    pub(crate) fn added_unread(
        &self,
        findings: &Findings,
        granted: Granted,
    ) -> Vec<(FieldValue, FieldValue)> {
        spaced(self.field_unread(findings).as_slice(), granted)
    }

    /// The field that tells that a message is not looked at.
    pub(crate) fn field_unread(&self, findings: &Findings) -> Option<(FieldValue, FieldValue)> {
        judge::findings_field(&self.rules, Action::Tag, findings, None)
    }
}

/// Why a message is refused that has more fields of our name than may go.
pub(crate) const TOO_MANY_CLAIMS: &str = "too many claims";

impl Verdict {
    /// The answer to it: it would be the same each time.
    pub(crate) fn too_many_claims() -> Self {
        let words = "message refused: too many fields of the filter's own name";
        ReplyText::new(550, (5, 6, 0), words).map_or(Self::Reject, Self::Reply)
    }
}

/// Values as the server takes them: with the space behind the colon where it adds none.
fn spaced(added: &[(FieldValue, FieldValue)], granted: Granted) -> Vec<(FieldValue, FieldValue)> {
    if !granted.has(protocol::LEADING_SPACE) {
        return added.to_vec();
    }
    let space = |value: &FieldValue| FieldValue::new([b" ", value.as_bytes()].concat());
    added.iter().filter_map(|(name, value)| Some((name.clone(), space(value)?))).collect()
}
