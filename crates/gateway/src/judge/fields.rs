//! Reads header fields that the gateway trusts, deletes repeated fields, and adds its own fields.
//!
//! # Limits
//! Every signature field counts, in any place and even if it is invalid.

use super::changed_parts::transfer;
use super::structure_repair::{NAMED, name_for};
use crate::milter::FieldValue;
use crate::policy::{Action, Finding, Findings, Rules};
use mailglot_codec::{Charset, View};
use mailglot_mime::{Edit, Message, Part, PartKind, Report, Span, spliced};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Fields that may occur once. The first one stays and others are deleted, so that all readers use the same one.
const FIRST_COUNTS: [&[u8]; 4] = [
    b"content-type",
    b"content-transfer-encoding",
    b"content-disposition",
    b"mime-version",
];
/// The name for a first line that begins with white space below an added field.
pub(crate) const LEADING: &[u8] = b"X-Leading-Line:";
/// Length limit of written lines (RFC 5322, section 2.1.1).
const WIDTH: usize = 76;

/// Returns the edits that delete repeated fields below the first one.
pub(super) fn duplicates(message: &Message<'_>, findings: &Findings) -> Vec<Edit> {
    if !findings.has(Finding::DuplicateHeader) {
        return Vec::new();
    }
    let raw = message.raw();
    let mut gone = Vec::new();
    let mut sealed_until = 0;
    for (id, part) in message.numbered_parts() {
        if part.header.start < sealed_until {
            continue;
        }
        let mut seen = [false; FIRST_COUNTS.len()];
        for field in message.fields(id) {
            let name = field.name.of(raw);
            if let Some(at) = FIRST_COUNTS
                .iter()
                .position(|own| name.eq_ignore_ascii_case(own))
            {
                if seen[at] {
                    gone.push(field.full);
                }
                seen[at] = true;
            }
        }
        let signed =
            part.media.top == "multipart" && matches!(&*part.media.sub, "signed" | "encrypted");
        if signed || part.kind == PartKind::Message {
            // Its own header is not signed, but its content may be.
            sealed_until = part.body.end;
        }
    }
    deletions(gone)
}

/// Returns the edits that delete these spans, each once.
pub(super) fn deletions(mut gone: Vec<Span>) -> Vec<Edit> {
    gone.sort_unstable_by_key(|span| span.start);
    gone.dedup();
    gone.into_iter().map(|span| Edit::new(span, b"")).collect()
}

/// Returns the field with the findings, if the policy asks for it.
pub(super) fn added(
    rules: &Rules,
    wanted: Action,
    action: Action,
    findings: &Findings,
) -> Vec<(FieldValue, FieldValue)> {
    let lets_pass = matches!(
        action,
        Action::Pass | Action::Tag | Action::Normalize | Action::Quarantine
    );
    let is_reported =
        rules.strongest(findings) >= Action::Tag || rules.monitor && wanted != Action::Pass;
    if !lets_pass || !is_reported {
        return Vec::new();
    }
    findings_field(rules, wanted, findings, rules.monitor.then_some("monitor"))
        .into_iter()
        .collect()
}

/// Returns the line end of a message: CR LF if its first line ends so or has no LF, else LF.
pub(crate) fn line_end(raw: &[u8]) -> &'static [u8] {
    let first = memchr::memchr(b'\n', raw);
    if first.is_none_or(|at| at > 0 && raw[at - 1] == b'\r') {
        b"\r\n"
    } else {
        b"\n"
    }
}

/// Returns the added fields as bytes, with this line end, and the name for the first line below them.
pub(crate) fn above(
    added: &[(FieldValue, FieldValue)],
    raw: &[u8],
    edits: &[Edit],
    eol: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in added {
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b": ");
        for (at, line) in value.as_bytes().split(|byte| *byte == b'\n').enumerate() {
            if at > 0 {
                bytes.extend_from_slice(eol);
            }
            bytes.extend_from_slice(line);
        }
        bytes.extend_from_slice(eol);
    }
    if !added.is_empty() {
        bytes.extend_from_slice(&name_below(raw, edits, eol));
    }
    bytes
}

/// Returns the name for the first line of a message with these edits below an added field. The name is empty if the line is a field or ends
/// the header.
pub(super) fn name_below(raw: &[u8], edits: &[Edit], eol: &[u8]) -> Vec<u8> {
    let (mut at, mut below) = (0, None);
    for edit in edits {
        if below.is_some() || edit.span.start > at {
            break;
        }
        (at, below) = (edit.span.end, edit.with.first());
    }
    let first = below.map_or(raw.get(at..).unwrap_or_default(), std::slice::from_ref);
    let line = &first[..memchr::memchr2(b'\r', b'\n', first).unwrap_or(first.len())];
    if matches!(line, [b' ' | b'\t', ..]) {
        // A first line that begins with white space would continue the added field.
        name_for(LEADING, line, eol)
    } else if line.starts_with(b"From ") || line.starts_with(b">From ") {
        // A `From ` line is a separator of mailboxes only at the very beginning. Elsewhere it ends the header for some readers.
        name_for(NAMED, line, eol)
    } else {
        Vec::new()
    }
}

/// Builds the field with the findings. `mode` names the mode in which the gateway did less than the policy asks for.
pub(crate) fn findings_field(
    rules: &Rules,
    wanted: Action,
    findings: &Findings,
    mode: Option<&str>,
) -> Option<(FieldValue, FieldValue)> {
    field(
        rules.findings_header.as_ref()?,
        &results(rules, wanted, findings, mode),
    )
}

/// Builds the field about the original of a changed message. `received` is the message on arrival, with its forged fields and its own line
/// ends. A part is listed if its body, its charset or its transfer encoding changes.
pub(super) fn original(
    message: &Message<'_>,
    received: &[u8],
    rules: &Rules,
    edits: &[Edit],
    report: &Report,
) -> Option<(FieldValue, FieldValue)> {
    let name = rules.original_header.as_ref()?;
    let raw = message.raw();
    let bytes = spliced(raw, edits);
    // The edits do not change the tree of parts.
    let after = Message::parse(&bytes, &rules.rewriting.limits);
    let mut parts = Vec::new();
    for reading in report.readings.iter().take(Findings::LISTED) {
        let index = reading.part.0 as usize;
        let (Some(old), Some(new)) = (message.parts().get(index), after.parts().get(index)) else {
            continue;
        };
        let (from, to) = (transfer(old, raw), transfer(new, &bytes));
        let is_same_label = charset_label(old, raw) == charset_label(new, &bytes);
        if is_same_label && from == to && new.body.of(&bytes) == old.body.of(raw) {
            continue;
        }
        let section = message.section(reading.part);
        let used = reading.used.name().to_ascii_lowercase();
        let named = charset(new, &bytes);
        parts.push(format!("p={section}; from={used}/{from}; to={named}/{to}"));
    }
    let mut digest = String::with_capacity(64);
    for byte in Sha256::digest(received) {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    let mut text = "v=1; ".to_owned();
    text.push_str(&parts.join(", "));
    if !parts.is_empty() {
        text.push_str("; ");
    }
    let _ = write!(text, "sha256={digest}; loss={}", report.losses());
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    field(name, &words)
}

/// Returns the name of the charset that a part states. Text without a label is US-ASCII (RFC 2045, section 5.2).
fn charset(part: &Part, raw: &[u8]) -> String {
    let label = charset_label(part, raw);
    if label.is_empty() {
        return "us-ascii".to_owned();
    }
    let resolved = Charset::for_label(label, View::Mail).charset();
    resolved.map_or_else(
        || "unknown".to_owned(),
        |charset| charset.name().to_ascii_lowercase(),
    )
}

/// Returns the charset label of a part without quotes; empty if it has none.
fn charset_label<'a>(part: &Part, raw: &'a [u8]) -> &'a [u8] {
    let label = part.charset.map(|span| span.of(raw)).unwrap_or_default();
    let unquoted = label.strip_prefix(b"\"");
    unquoted.map_or(label, |label| label.strip_suffix(b"\"").unwrap_or(label))
}

/// Returns the words of `host; v=1; verdict=…; action=…; findings="…"`. Each comes from a fixed list or from the configuration.
fn results(rules: &Rules, wanted: Action, findings: &Findings, mode: Option<&str>) -> Vec<String> {
    let ambiguous = findings
        .counted()
        .any(|(finding, _)| finding.is_ambiguous());
    // With these findings the message was not read completely.
    let unread = findings.has(Finding::TooLarge) || findings.has(Finding::HeaderTooLong);
    let mut words = vec![
        format!("{};", rules.host),
        "v=1;".to_owned(),
        format!(
            "verdict={};",
            if ambiguous {
                "ambiguous"
            } else if unread {
                "unread"
            } else {
                "clean"
            }
        ),
    ];
    words.extend(mode.map(|mode| format!("mode={mode};")));
    let end = if findings.is_empty() { "" } else { ";" };
    words.push(format!("action={}{end}", wanted.name()));
    // The order of docs/policies.md, which does not depend on the way of the message.
    let mut places: Vec<_> = findings.places().iter().collect();
    places.sort_by_key(|(finding, _)| *finding);
    for (at, (finding, place)) in places.iter().enumerate() {
        let (start, end) = (
            if at == 0 { "findings=\"" } else { "" },
            if at + 1 == places.len() { "\"" } else { "," },
        );
        let place = if place.is_empty() {
            String::new()
        } else {
            format!("({place})")
        };
        words.push(format!("{start}{}{place}{end}", finding.id()));
    }
    words
}

/// Builds a field of words separated by spaces, folded before a line gets too long.
fn field(name: &str, words: &[String]) -> Option<(FieldValue, FieldValue)> {
    let (mut value, mut column) = (String::new(), name.len() + 2);
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            let fold = column + 1 + word.len() > WIDTH;
            value.push_str(if fold { "\n " } else { " " });
            column = if fold { 1 } else { column + 1 };
        }
        value.push_str(word);
        column += word.len();
    }
    Some((FieldValue::new(name)?, FieldValue::new(value)?))
}
