//! Decodes embedded messages in base64 or quoted-printable, so that their edited fields and texts are compared, too.
//!
//! # Limits
//!
//! The transfer encoding is decoded by this project, like that of other bodies of the original.

use super::disagreement::Disagreement;
use mailglot_mime::{Edit, Message, Policy, Span, decoded_messages, plan_parsed, spliced};

/// A message with decoded messages in it, and the edits from there to the rewritten message.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) edits: Vec<Edit>,
}

/// Decodes the embedded messages that the edits `all` decode. Returns `None` if the edits decode
/// none, and a disagreement if the edits from there do not give the rewritten message.
pub(super) fn decoded(
    message: &Message<'_>,
    rewritten: &[u8],
    all: &[Edit],
    policy: &Policy,
) -> Option<Result<Decoded, Disagreement>> {
    let decodes = decoded_messages(message, policy);
    if decodes.is_empty() {
        return None;
    }
    let bytes = spliced(message.raw(), &decodes);
    let mut edits = plan_parsed(&Message::parse(&bytes, &policy.limits), policy).edits;
    add_others(&decodes, all, &mut edits);
    if spliced(&bytes, &edits) != rewritten {
        let difference = Disagreement::of_bytes("decoded messages", rewritten.len());
        return Some(Err(difference));
    }
    Some(Ok(Decoded { bytes, edits }))
}

/// Adds edits that the planner did not make, such as that of Content-Length. `all` are those of the original message.
fn add_others(decodes: &[Edit], all: &[Edit], edits: &mut Vec<Edit>) {
    let mut decodes = decodes.iter().peekable();
    let (mut written, mut replaced) = (0, 0);
    let mut others = Vec::new();
    for edit in all {
        while let Some(decode) = decodes.next_if(|decode| decode.span.start < edit.span.start) {
            written += decode.with.len();
            replaced += decode.span.len();
        }
        if decodes
            .peek()
            .is_some_and(|decode| decode.span == edit.span)
        {
            continue;
        }
        let new = |at: usize| at + written - replaced;
        let span = Span::new(new(edit.span.start), new(edit.span.end));
        let is_known = edits
            .binary_search_by_key(&(span.start, span.end), |known| {
                (known.span.start, known.span.end)
            })
            .is_ok();
        if !is_known {
            others.push(Edit {
                span,
                ..edit.clone()
            });
        }
    }
    edits.append(&mut others);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}
