//! Filters one message for `mailglot filter`: returns the bytes to pass on, or the reason to reject or defer it. It does no I/O.
//!
//! # Limits
//! Knows no envelope, and cannot quarantine.

use crate::envelope::Envelope;
use crate::fault::Fault;
use crate::judge::{hold_fields, judge};
use crate::outcome::{Abilities, Disposition, Extent, Outcome};
use crate::policy::Rules;
use crate::remark::Remark;
use mailglot_mime::{Message, Policy, Transfer, process, spliced};

/// What the stdin filter does with a message.
#[derive(Clone, Debug)]
pub enum PipeFilter {
    /// Rewrites the message to UTF-8.
    Rewrite(Policy),
    /// Judges the message by a policy, as the servers do.
    Judge(Rules),
}

/// Why a message does not pass. The exit code of the program says so to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// True if the caller should try again; false if the message is rejected.
    pub temporary: bool,
    /// An enhanced code (RFC 3463) and a text.
    pub text: String,
}

impl Stopped {
    /// Defers the message because of `fault`. `text` describes the fault; control characters in it become spaces.
    pub fn by(fault: &Fault, text: &str) -> Self {
        let line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let stopped = translate(&Outcome::failed(fault, None), &line);
        // Without a way to pass, a fault always defers.
        stopped.unwrap_or(Self {
            temporary: true,
            text: line,
        })
    }
}

impl PipeFilter {
    /// Judges by `rules`, and reads and writes text as `policy` says. `asked` replaces the transfer encoding of the rules.
    pub fn judging(mut rules: Rules, policy: &Policy, asked: Option<Transfer>) -> Self {
        let usual = &rules.rewriting;
        let transfer = asked.unwrap_or(usual.transfer);
        rules.rewriting = policy
            .clone()
            .transfer(transfer)
            .limits(usual.limits)
            .keep_signed(usual.keep_signed);
        Self::Judge(rules)
    }

    /// Filters a message. Keeps a line `From …` before it, as mail spools have, without treating it as part of the message.
    ///
    /// # Errors
    /// The policy does not let the message pass.
    pub fn run(&self, raw: &[u8]) -> Result<Vec<u8>, Stopped> {
        let envelope = if raw.starts_with(b"From ") || raw.starts_with(b">From ") {
            memchr::memchr(b'\n', raw).map_or(0, |end| end + 1)
        } else {
            0
        };
        let (line, message) = raw.split_at(envelope);
        let bytes = match self {
            Self::Rewrite(policy) => rewritten(message, policy),
            Self::Judge(rules) => judged(message, rules)?,
        };
        Ok([line, &bytes].concat())
    }
}

/// The message in UTF-8. The output goes to a server: no field is longer than servers take.
fn rewritten(message: &[u8], policy: &Policy) -> Vec<u8> {
    let mut done = process(message, policy);
    if done.edits.is_empty()
        || hold_fields(&Message::parse(message, &policy.limits), &mut done.edits).is_empty()
    {
        return done.bytes.into_owned();
    }
    spliced(message, &done.edits)
}

/// The message as the rules let it pass.
fn judged(message: &[u8], rules: &Rules) -> Result<Vec<u8>, Stopped> {
    let judgement = judge(message, &Envelope::default(), rules);
    let abilities = Abilities {
        edits: Extent::All,
        rewrites: !judgement.edits.is_empty(),
        fields: true,
        no_quarantine: Some(Remark::NoQuarantine),
        forged_fields: judgement.forged_fields,
        too_many_forged_fields: false,
        line_ends_corrected: false,
    };
    let outcome = Outcome::judged(&judgement, rules, &abilities);
    // The caller logs this text, which names the findings.
    let text = format!(
        "message refused: {}",
        judgement.reasons(rules, judgement.action)
    );
    translate(&outcome, &text).map_or_else(|| Ok(judgement.bytes().into_owned()), Err)
}

/// Translates an outcome for the caller of the program; `text` says why a message is deferred. None if the message passes.
pub(crate) fn translate(outcome: &Outcome<'_>, text: &str) -> Option<Stopped> {
    match &outcome.disposition {
        Disposition::Deliver | Disposition::Quarantine(_) => None,
        Disposition::Reject(reply) => Some(Stopped {
            temporary: false,
            text: reply.enhanced_text(),
        }),
        Disposition::Defer(reply) => Some(Stopped {
            temporary: true,
            text: reply.with_text(text),
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::policy::{Action, Finding};

    #[test]
    fn an_envelope_line_stays() {
        let filter = PipeFilter::Rewrite(Policy::default());
        let message = b"Subject: =?iso-8859-1?Q?=FC?=\n\ntext\n";
        let plain = filter.run(message).unwrap();
        assert!(
            plain.starts_with(b"Subject: =?UTF-8?"),
            "{}",
            String::from_utf8_lossy(&plain)
        );
        for line in [
            "From joe@example.org Mon Jan  1 00:00:00 2001\n",
            ">From x\r\n",
        ] {
            let whole = filter.run(&[line.as_bytes(), message].concat()).unwrap();
            assert_eq!(whole, [line.as_bytes(), &plain].concat());
        }
        assert_eq!(filter.run(b"From x").unwrap(), b"From x");
        assert_eq!(filter.run(b"").unwrap(), b"");
    }

    #[test]
    fn no_field_outgrows_the_server_that_takes_it() {
        for (count, changes) in [(900, true), (1_400, false)] {
            let people: Vec<_> = (0..count)
                .map(|n| format!("J\u{fc}rgen M\u{fc}ller <p{n:04}@a.invalid>"))
                .collect();
            let to = format!("To: {}\n", people.join(",\n "));
            let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
            let message = latin(&format!("{to}Subject: caf\u{e9}\n\nx\n"));
            let bytes = rewritten(&message, &Policy::default());
            assert_eq!(!bytes.starts_with(&latin(&to)), changes, "{count}");
            assert!(bytes.ends_with(b"Subject: =?UTF-8?B?Y2Fmw6k=?=\n\nx\n"));
        }
    }

    #[test]
    fn a_policy_may_refuse_and_defer() {
        let message = b"Content-Type: text/plain\nContent-Type: text/html\n\nx\n";
        let filtered = |rules: Rules| PipeFilter::Judge(rules).run(message);
        let text = |code| format!("{code} message refused: duplicate-header");
        assert_eq!(
            filtered(Rules::strict()),
            Err(Stopped {
                temporary: false,
                text: text("5.6.0")
            })
        );
        for action in [Action::Tempfail, Action::Quarantine] {
            let mut rules = Rules::default();
            rules.set(Finding::DuplicateHeader, action);
            assert_eq!(
                filtered(rules),
                Err(Stopped {
                    temporary: true,
                    text: text("4.7.0")
                })
            );
        }
        assert!(filtered(Rules::default()).is_ok());
        assert!(filtered(Rules::monitor()).unwrap().ends_with(message));
    }
}
