//! Plans the edits that make a message UTF-8.
//!
//! # Limits
//! A message whose text would change by its own rewriting stays as it is, with `mime.unsettled`.

mod binary;
mod bodies;
mod body;
mod body_edits;
mod body_fields;
mod body_obstacles;
mod body_target;
mod byte_order_mark;
mod encoded_messages;
mod fields;
mod global;
mod header_guesses;
mod headers;
mod lines;
mod message_labels;
mod outer_text;
mod output_charset;
mod part_fields;
mod settled_plan;
mod seven_bit;
mod shortened_message;
mod wrapped_parameters;

pub use self::binary::file_kind;
pub use self::encoded_messages::decoded_messages;
pub use self::settled_plan::{Plan, has_signed_body, unchecked_edits};
pub use self::shortened_message::{Shortened, shortened};
use crate::edit::{Edit, spliced};
use crate::event::{Detail, Event, EventKind};
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::report::Report;
use crate::span::Span;
use std::borrow::Cow;

/// A processed message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// The new bytes; borrowed if nothing changed.
    pub bytes: Cow<'a, [u8]>,
    /// The changes, sorted by place.
    pub edits: Vec<Edit>,
    /// The findings.
    pub report: Report,
}

/// Parses a message, plans its edits and applies them. A pure function: no I/O, no clock, no globals.
///
/// ```
/// use mailglot_mime::{Policy, process};
///
/// let outcome = process(b"Subject: Caf\xE9\n\n", &Policy::default());
/// assert_eq!(&*outcome.bytes, b"Subject: =?UTF-8?B?Q2Fmw6k=?=\n\n");
/// ```
pub fn process<'a>(raw: &'a [u8], policy: &Policy) -> Outcome<'a> {
    let Plan { edits, report } = plan(raw, policy);
    let bytes = if edits.is_empty() {
        Cow::Borrowed(raw)
    } else {
        Cow::Owned(spliced(raw, &edits))
    };
    Outcome {
        bytes,
        edits,
        report,
    }
}

/// Parses a message and plans its edits, like [`process`] without the new bytes.
pub fn plan(raw: &[u8], policy: &Policy) -> Plan {
    if raw.len() > policy.limits.message {
        let mut report = Report::with_limit(policy.limits.events);
        let (at, kind) = (Span::new(0, raw.len()), EventKind::MsgTooLarge);
        let detail = Detail::LongerThan(policy.limits.message);
        report.push(Event::new(PartId::ROOT, at, kind, detail));
        return Plan {
            edits: Vec::new(),
            report,
        };
    }
    plan_parsed(&Message::parse(raw, &policy.limits), policy)
}

/// Plans the edits of a message that was parsed with `policy.limits`. Does not check [`Limits::message`](crate::Limits::message).
pub fn plan_parsed(message: &Message<'_>, policy: &Policy) -> Plan {
    encoded_messages::plan(message, policy)
}
