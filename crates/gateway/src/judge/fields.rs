//! Header fields that a gateway trusts, deletes and adds.
//!
//! # Limits
//! A header ends at a line that is no field, unless a field that mail knows follows. A field of our own name behind such a line is text here, and
//! stays, though a reader that skips the line may believe it.

use super::changed::transfer;
use crate::milter::FieldValue;
use crate::policy::{Action, Finding, Findings, Rules};
use mailglot_mime::{Edit, Message, Part, PartId, PartKind, Report, Span, header, splice};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Fields of which the first counts and others are deleted, so that all readers believe the same one.
const FIRST_COUNTS: [&[u8]; 4] =
    [b"content-type", b"content-transfer-encoding", b"content-disposition", b"mime-version"];
/// What stands before a first line that begins with white space, where fields of ours stand above it.
pub(super) const LEADING: &[u8] = b"X-Leading-Line:";
/// Longest line that we write (RFC 5322 2.1.1).
const WIDTH: usize = 76;

/// Whether a signature covers the message: DKIM, DomainKeys, ARC, DKIM2. One that covers a part of its body only (`l=`) counts.
pub(super) fn is_signed(message: &Message<'_>) -> bool {
    let raw = message.raw();
    message.fields(PartId::ROOT).iter().any(|field| {
        let name = field.name.of(raw);
        header::is_signature(name)
            || name.eq_ignore_ascii_case(b"dkim2-signature")
            || name.eq_ignore_ascii_case(b"message-instance")
    })
}

/// Whether a DKIM signature covers the beginning of the body only (RFC 6376 8.2).
pub(super) fn has_length_tag(message: &Message<'_>) -> bool {
    let raw = message.raw();
    message.fields(PartId::ROOT).iter().any(|field| {
        field.name.of(raw).eq_ignore_ascii_case(b"dkim-signature")
            && field.value.of(raw).split(|byte| *byte == b';').any(|tag| {
                let mut halves = tag.splitn(2, |byte| *byte == b'=');
                halves.next().is_some_and(|name| name.trim_ascii() == b"l") && halves.next().is_some()
            })
    })
}

/// Whether a server of this name has told what it thinks of the signatures (RFC 8601 2.2).
pub(super) fn has_results_of(message: &Message<'_>, id: &str) -> bool {
    results_of(message, id).next().is_some()
}

fn results_of<'m>(message: &'m Message<'_>, id: &'m str) -> impl Iterator<Item = &'m header::Field> {
    let raw = message.raw();
    message
        .fields(PartId::ROOT)
        .iter()
        .filter(move |field| is_result_of(field.name.of(raw), field.value.of(raw), id))
}

/// As it stands in the grammar: what is trusted is nothing else.
fn is_result_of(name: &[u8], value: &[u8], id: &str) -> bool {
    name.eq_ignore_ascii_case(b"authentication-results")
        && server(&header::unfold(value)).eq_ignore_ascii_case(id.as_bytes())
}

/// As some reader behind us may take it: with blanks around the name that the grammar does not have, or the dot of the root behind it.
fn seems_result_of(name: &[u8], value: &[u8], id: &str) -> bool {
    // Of bytes that are no text nobody knows what a reader makes; control characters are blanks to `strip` of Python, and more so.
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let plain = |name: &str| {
        let name = name.trim_matches(blank).split(blank).next().unwrap_or_default();
        name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
    };
    name.eq_ignore_ascii_case(b"authentication-results") && {
        let value = header::unfold(value);
        let value = String::from_utf8_lossy(&value);
        let mut rest = value.trim_start_matches(blank);
        // Comments may stand between such blanks too.
        while rest.starts_with('(') {
            let behind = behind_comments(rest.as_bytes()).len();
            rest = rest.get(rest.len() - behind..).unwrap_or_default().trim_start_matches(blank);
        }
        plain(&String::from_utf8_lossy(&server(rest.as_bytes()))) == plain(id)
    }
}

/// The name of the server that tells of results, a token or a quoted string behind comments (RFC 8601 2.2). What follows it, a version or
/// what none should write there, does not count.
fn server(value: &[u8]) -> Vec<u8> {
    let rest = behind_comments(value);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || br#"()<>@,;:\"/[]?="#.contains(byte);
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        return rest.iter().copied().take_while(|byte| !ends(byte)).collect();
    };
    let mut name = Vec::new();
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
        name.extend(if *byte == b'\\' { bytes.next() } else { Some(byte) });
    }
    name.trim_ascii().to_vec()
}

/// What follows white space and comments, which may hold others and quoted pairs (RFC 5322 3.2.2).
fn behind_comments(value: &[u8]) -> &[u8] {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = value.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b'\\' if depth > 0 => at += 1,
            _ if depth == 0 && !byte.is_ascii_whitespace() => break,
            _ => (),
        }
        at += 1;
    }
    value.get(at..).unwrap_or_default()
}

/// Whether a field would be taken for ours: a report, or the result of a check that was not made here.
pub(crate) fn is_claim(name: &[u8], value: &[u8], rules: &Rules) -> bool {
    let own = [rules.findings_header.as_deref(), rules.original_header.as_deref()];
    let forged = || rules.authserv_id.as_ref().is_some_and(|id| seems_result_of(name, value, id));
    own.iter().flatten().any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
        || rules.strips_results && forged()
}

/// Deletes the fields that would be taken for ours.
pub(super) fn delete_claims(message: &Message<'_>, rules: &Rules, edits: &mut Vec<Edit>) {
    let raw = message.raw();
    let claims = |field: &&header::Field| is_claim(field.name.of(raw), field.value.of(raw), rules);
    let mut gone: Vec<Span> =
        message.fields(PartId::ROOT).iter().filter(claims).map(|field| field.full).collect();
    if matches!(raw.first(), Some(b' ' | b'\t')) && message.fields(PartId::ROOT).is_empty() {
        // No header begins so; but many readers skip such a line, or see a field in it once something stands above, and believe the next.
        let shift = LEADING.len();
        let led = [LEADING, raw].concat();
        let led = Message::parse(&led, &rules.rewriting.limits);
        let claims =
            |field: &&header::Field| is_claim(field.name.of(led.raw()), field.value.of(led.raw()), rules);
        // The first of them is not there.
        let claims = led.fields(PartId::ROOT).iter().skip(1).filter(claims);
        gone.extend(claims.map(|field| Span::new(field.full.start - shift, field.full.end - shift)));
    }
    delete(gone, edits);
}

/// Deletes the fields that no reader should believe where another one stands above them.
pub(super) fn delete_duplicates(message: &Message<'_>, findings: &Findings, edits: &mut Vec<Edit>) {
    if !findings.has(Finding::DuplicateHeader) {
        return;
    }
    let raw = message.raw();
    let mut gone = Vec::new();
    let mut sealed_until = 0;
    for (index, part) in message.parts().iter().enumerate() {
        if part.header.start < sealed_until {
            continue;
        }
        let mut seen = [false; FIRST_COUNTS.len()];
        for field in message.fields(PartId(index as u32)) {
            let name = field.name.of(raw);
            if let Some(at) = FIRST_COUNTS.iter().position(|own| name.eq_ignore_ascii_case(own)) {
                if seen[at] {
                    gone.push(field.full);
                }
                seen[at] = true;
            }
        }
        let signed = part.media.top == "multipart" && matches!(&*part.media.sub, "signed" | "encrypted");
        if signed || part.kind == PartKind::Message {
            // Its own header is signed by nobody; what is in it may be.
            sealed_until = part.body.end;
        }
    }
    delete(gone, edits);
}

/// Adds edits that delete whole fields; edits inside these go.
fn delete(mut gone: Vec<Span>, edits: &mut Vec<Edit>) {
    if gone.is_empty() {
        return;
    }
    gone.sort_unstable_by_key(|span| span.start);
    gone.dedup();
    let inside = |edit: &Edit| {
        let after = gone.partition_point(|span| span.start <= edit.span.start);
        after.checked_sub(1).is_some_and(|at| edit.span.end <= gone[at].end && edit.span.start < gone[at].end)
            && !edit.span.is_empty()
    };
    edits.retain(|edit| !inside(edit));
    edits.extend(gone.into_iter().map(|span| Edit::new(span, b"")));
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// The fields that tell of findings and of the original.
pub(super) fn added(
    rules: &Rules,
    wanted: Action,
    action: Action,
    findings: &Findings,
) -> Vec<(FieldValue, FieldValue)> {
    let lets_pass = matches!(action, Action::Pass | Action::Tag | Action::Normalize | Action::Quarantine);
    let told = rules.strongest(findings) >= Action::Tag || rules.monitor && wanted != Action::Pass;
    if !lets_pass || !told {
        return Vec::new();
    }
    findings_field(rules, wanted, findings, rules.monitor.then_some("monitor")).into_iter().collect()
}

/// The field that tells of findings, and in which `mode` nothing, or not all, was done of what the policy wants.
pub(crate) fn findings_field(
    rules: &Rules,
    wanted: Action,
    findings: &Findings,
    mode: Option<&str>,
) -> Option<(FieldValue, FieldValue)> {
    field(rules.findings_header.as_ref()?, &results(rules, wanted, findings, mode))
}

/// The field that tells of the original of a message that is rewritten.
pub(super) fn original(
    message: &Message<'_>,
    rules: &Rules,
    edits: &[Edit],
    report: &Report,
) -> Option<(FieldValue, FieldValue)> {
    let name = rules.original_header.as_ref().filter(|_| !edits.is_empty())?;
    let raw = message.raw();
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = splice(raw, edits, &mut bytes);
    // The tree of parts stays.
    let after = Message::parse(&bytes, &rules.rewriting.limits);
    let mut parts = Vec::new();
    for reading in report.readings.iter().take(Findings::LISTED) {
        let (old, new) = (message.part(reading.part), after.parts().get(reading.part.0 as usize));
        let Some(new) = new.filter(|new| {
            new.header.of(&bytes) != old.header.of(raw) || new.body.of(&bytes) != old.body.of(raw)
        }) else {
            continue;
        };
        let section = message.section(reading.part);
        let used = reading.used.name().to_ascii_lowercase();
        let (from, to) = (transfer(old, raw), transfer(new, &bytes));
        parts.push(format!("p={section}; from={used}/{from}; to={}/{to}", charset(new, &bytes)));
    }
    let mut digest = String::with_capacity(64);
    for byte in Sha256::digest(raw) {
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

/// The charset that we wrote.
fn charset(part: &Part, raw: &[u8]) -> &'static str {
    let label = part.charset.map(|span| span.of(raw)).unwrap_or_default();
    let label = label.strip_prefix(b"\"").map_or(label, |label| label.strip_suffix(b"\"").unwrap_or(label));
    if label.eq_ignore_ascii_case(b"iso-2022-jp") { "iso-2022-jp" } else { "utf-8" }
}

/// `host; v=1; verdict=…; action=…; findings="…"`, folded. Every word is of a closed list, or of the configuration.
fn results(rules: &Rules, wanted: Action, findings: &Findings, mode: Option<&str>) -> Vec<String> {
    let ambiguous = findings.counted().any(|(finding, _)| finding.is_ambiguous());
    // Of these nothing is known.
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
    let places = findings.places();
    for (at, (finding, place)) in places.iter().enumerate() {
        let (start, end) =
            (if at == 0 { "findings=\"" } else { "" }, if at + 1 == places.len() { "\"" } else { "," });
        let place = if place.is_empty() { String::new() } else { format!("({place})") };
        words.push(format!("{start}{}{place}{end}", finding.id()));
    }
    words
}

/// A field of words with blanks between, folded before the line gets too long.
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
