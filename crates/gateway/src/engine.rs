//! What becomes of one message: bytes in, a decision out. No I/O, no clock.

use crate::milter::{Actions, Granted, Verdict, action};
use crate::{Complete, Untellable};
use mailglot_mime::{Headers, OnLoss, Outcome, Policy, process};

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
}

/// What is done to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It stays as it is.
    Pass,
    /// It is written in UTF-8.
    Normalize,
    /// Its sender shall try again.
    Tempfail,
}

impl Action {
    /// A stable name for logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Normalize => "normalize",
            Self::Tempfail => "tempfail",
        }
    }
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
}

/// Reads and rewrites messages by one policy.
#[derive(Clone, Debug)]
pub struct Engine {
    policy: Policy,
}

impl Engine {
    /// Rewrites by `policy`.
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// What a gateway does where nobody says more: signed mail stays, and so does every part that cannot be read to its end, since
    /// no original is kept.
    pub fn gateway_policy() -> Policy {
        Policy { keep_signed: true, on_loss: OnLoss::Keep, ..Policy::default() }
    }

    /// Reads a message and plans its edits.
    pub fn read<'a>(&self, message: &'a Complete, envelope: &Envelope) -> Outcome<'a> {
        if envelope.smtputf8 && self.policy.headers == Headers::Words {
            // Raw UTF-8 is legal then, and a field without other charsets stays.
            let policy = Policy { headers: Headers::RawUtf8, ..self.policy.clone() };
            return process(message.raw(), &policy);
        }
        process(message.raw(), &self.policy)
    }

    /// Decides in the words of the milter protocol; a server that grants too little is asked for nothing.
    ///
    /// # Errors
    /// An edit that cannot be told; the message must pass as it is.
    pub fn decide<'a>(
        message: &Complete,
        outcome: &'a Outcome<'_>,
        granted: Granted,
    ) -> Result<Decision<'a>, Untellable> {
        let actions = message.actions(outcome)?;
        let may = granted.may(action::ADD_HEADERS | action::CHANGE_HEADERS | action::CHANGE_BODY);
        if actions.is_empty() || !may {
            return Ok(Decision {
                action: Action::Pass,
                actions: Actions::default(),
                verdict: Verdict::Continue,
            });
        }
        Ok(Decision { action: Action::Normalize, actions, verdict: Verdict::Continue })
    }
}
