//! Normalizes the spelling of transfer encodings, so that every reader decodes the same bytes.
//!
//! # Limits
//! Base64 followed by plain text stays, because it is unknown which of the two was meant. Base64 with lines of text before or within it stays, too. Parts under a signature and embedded messages stay.

use super::structure;
use crate::policy::{Finding, Findings};
use mailglot_mime::transfer::{TransferEncoding, base64, decode, quoted_printable};
use mailglot_mime::{Edit, Event, EventKind, Message, PartId, PartKind, Report};

/// Longest line of base64 (RFC 2045 6.8).
const WIDTH: usize = 76;

/// Adds edits for labels and bodies that the planner leaves unchanged.
pub(super) fn plan(
    message: &Message<'_>,
    report: &Report,
    findings: &Findings,
    edits: &mut Vec<Edit>,
) {
    if !findings.has(Finding::MalformedCte) {
        return;
    }
    let damaged = |event: &&Event| {
        matches!(
            event.kind,
            EventKind::CteQpBadEscape | EventKind::CteB64Trailing | EventKind::CteB64Truncated
        )
    };
    let parts: std::collections::BTreeSet<PartId> = report
        .events
        .iter()
        .filter(damaged)
        .map(|event| event.part)
        .collect();
    let mut new = Vec::new();
    let mut sealed_until = 0;
    for (id, part) in message.numbered_parts() {
        let signed =
            part.media.top == "multipart" && matches!(&*part.media.sub, "signed" | "encrypted");
        let crypt = part.media.top == "application" && part.media.sub.contains("pkcs7");
        if signed || crypt || part.kind == PartKind::Message {
            sealed_until = sealed_until.max(part.body.end);
        }
        if part.kind != PartKind::Leaf || crypt || part.header.start < sealed_until {
            continue;
        }
        new.extend(structure::canonical(message, part));
        let foreign = part.transfer == TransferEncoding::Base64
            && memchr::memchr2(b'-', b'_', part.body.of(message.raw())).is_some();
        if parts.contains(&id) || foreign {
            new.extend(body(message, id));
        }
    }
    let touches = |edit: &Edit| {
        let after = edits.partition_point(|other| other.span.end <= edit.span.start);
        edits
            .get(after)
            .is_some_and(|other| other.span.start < edit.span.end)
    };
    new.retain(|edit| !touches(edit));
    edits.append(&mut new);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// Returns the body of a part, encoded again. `None` if its encoding is not the declared one, if it would not change, or if text would be lost.
fn body(message: &Message<'_>, id: PartId) -> Option<Edit> {
    let part = message.part(id)?;
    let old = part.body.of(message.raw());
    let mut damage = Vec::new();
    let decoded = decode(part.transfer, old, &mut damage);
    let loses = damage
        .iter()
        .any(|found| found.kind == EventKind::CteB64TextLost);
    if decoded.used != part.transfer || decoded.footer.is_some() || loses {
        return None;
    }
    let eol = message.eol().bytes();
    let mut new = Vec::new();
    match part.transfer {
        TransferEncoding::Base64 => base64::encode_lines(&decoded.bytes, WIDTH, eol, &mut new),
        TransferEncoding::QuotedPrintable => {
            quoted_printable::encode(&decoded.bytes, eol, &mut new);
        }
        _ => return None,
    }
    if part.transfer == TransferEncoding::Base64 && !old.ends_with(b"\n") {
        new.truncate(new.len().saturating_sub(eol.len()));
    }
    let again = decode(part.transfer, &new, &mut Vec::new());
    (new != old && again.bytes == decoded.bytes).then(|| Edit::new(part.body, new))
}
