//! What becomes of a message on its way through the proxy: the engine's reading, in bytes that may go to the next hop.
//!
//! # Limits
//! An address that is not ASCII stays as it is, in the envelope and in header fields: nothing else names the same mailbox.

use super::content::{Unacceptable, is_clean};
use crate::engine::Action;
use mailglot_mime::{Headers, Policy, Transfer, process};

/// What the envelope and the next hop allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    /// The envelope announces UTF-8 in header fields.
    pub(super) smtputf8: bool,
    /// The envelope announces eight bits.
    pub(super) eight_bit: bool,
    /// The next hop takes eight bits.
    pub(super) hop_eight_bit: bool,
}

/// What becomes of it.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) action: Action,
    /// Why it is not as it could be expected.
    pub(super) finding: Option<&'static str>,
    pub(super) losses: u64,
    /// Other bytes than those that came.
    pub(super) bytes: Option<Vec<u8>>,
    /// Code and words for the client, where the message goes nowhere.
    pub(super) refusal: Option<(u16, &'static str)>,
}

impl Judged {
    /// It goes on as it came.
    pub(super) fn pass(finding: Option<&'static str>) -> Self {
        Self { action: Action::Pass, finding, losses: 0, bytes: None, refusal: None }
    }

    /// It goes nowhere.
    pub(super) fn refuse(action: Action, finding: &'static str, code: u16, words: &'static str) -> Self {
        Self { action, refusal: Some((code, words)), ..Self::pass(Some(finding)) }
    }

    /// Nothing went wrong with the message, but with us.
    pub(super) fn defer(finding: &'static str) -> Self {
        Self::refuse(Action::Tempfail, finding, 451, "4.3.0 Try again later")
    }

    pub(super) fn unacceptable(why: Unacceptable) -> Self {
        match why {
            Unacceptable::BareLine => {
                Self::refuse(Action::Reject, "bare-lf", 550, "5.5.2 A CR or LF stands alone in the message")
            }
            Unacceptable::Nul => Self::refuse(Action::Reject, "nul", 550, "5.6.0 A NUL is in the message"),
        }
    }
}

/// Reads a message and writes what is allowed.
pub(super) fn judge(raw: &[u8], policy: &Policy, allowed: Allowed) -> Judged {
    let outcome = process(raw, &allowed.policy(policy, raw));
    let new = (!outcome.edits.is_empty()).then(|| outcome.bytes.into_owned());
    let mut judged = Judged { losses: outcome.report.losses(), ..Judged::pass(None) };
    match new {
        Some(new) if is_clean(&new) => (judged.action, judged.bytes) = (Action::Normalize, Some(new)),
        Some(_) => judged.finding = Some("unsendable"),
        None => (),
    }
    let out = judged.bytes.as_deref().unwrap_or(raw);
    if !allowed.hop_eight_bit && !allowed.smtputf8 && !out[body(out)..].is_ascii() {
        return Judged::refuse(Action::Reject, "eight-bit", 550, "5.6.3 The next hop takes no 8-bit data");
    }
    judged
}

impl Allowed {
    /// The policy, no wider than what is allowed.
    fn policy(self, policy: &Policy, raw: &[u8]) -> Policy {
        let mut policy = policy.clone();
        if self.smtputf8 && policy.headers == Headers::Words {
            // Raw UTF-8 is legal then, and a field without other charsets stays.
            policy.headers = Headers::RawUtf8;
        }
        if !self.smtputf8 && policy.headers == Headers::RawUtf8 {
            policy.headers = Headers::Words;
        }
        let open = self.hop_eight_bit && (self.eight_bit || !raw[body(raw)..].is_ascii());
        if !open {
            policy.transfer = Transfer::SevenBit;
        } else if policy.transfer == Transfer::EightBit {
            // What is encoded on its way stays encoded: a gateway changes what it must.
            policy.transfer = Transfer::Keep;
        }
        policy
    }
}

/// Where the body begins.
fn body(raw: &[u8]) -> usize {
    if raw.starts_with(b"\r\n") {
        return 2;
    }
    memchr::memmem::find(raw, b"\r\n\r\n").map_or(raw.len(), |at| at + 4)
}
