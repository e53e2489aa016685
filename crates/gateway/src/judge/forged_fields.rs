//! Finds forged fields: fields with the gateway's own names in an arriving message, wherever some mail reader sees one.
//!
//! Readers disagree where a header ends. A line that is not a field ends it for some. Others skip some such lines (`From `) or all of them and
//! continue. For some a CR alone ends a line. So the widest header counts. It has the lines that begin after an LF, up to an empty line. It
//! also has the lines that begin after a CR alone, up to the first line that is empty for readers that end lines there.
//!
//! # Limits
//! If no empty line ends the header, a line of the text that begins with such a name is deleted, too. Fields of embedded messages stay, because
//! no reader takes them for those of the message.

use crate::policy::Rules;
use mailglot_codec::bom;
use mailglot_mime::{Eol, Event, EventKind, Message, PartId, Span, header};

/// Returns the forged fields of a message, sorted and without overlap.
pub(super) fn of(message: &Message<'_>, rules: &Rules) -> Vec<Span> {
    let raw = message.raw();
    let damage = |event: &&Event| {
        use EventKind as E;
        let damages = matches!(
            event.kind,
            E::HdrNoColon | E::HdrBareCr | E::HdrBeyondLimit | E::HdrTooLong | E::MimeNoBlankLine
        );
        damages && event.part == PartId::ROOT
    };
    let mut damaged = message.defects().iter().filter(damage).peekable();
    let odd = message.eol() == Eol::Cr || matches!(raw.first(), Some(b' ' | b'\t'));
    if damaged.peek().is_none() && !odd {
        // All readers see the same fields.
        let forged_fields = |field: &&header::Field| {
            is_forged_field(field.name.of(raw), field.value.of(raw), rules)
        };
        return message
            .fields(PartId::ROOT)
            .iter()
            .filter(forged_fields)
            .map(|field| field.full)
            .collect();
    }
    let mut forged_fields = find(raw, rules);
    for end in damaged
        .filter(|event| event.kind == EventKind::MimeNoBlankLine)
        .map(|event| event.at.start)
    {
        // A line of blanks in the place of the empty line is not deleted with the field before it.
        for span in forged_fields
            .iter_mut()
            .filter(|span| span.start < end && end < span.end)
        {
            span.end = end;
        }
    }
    forged_fields
}

/// Returns the forged fields of a message. The message must contain the whole header and the empty line after it. Linear in the header.
pub(crate) fn find(raw: &[u8], rules: &Rules) -> Vec<Span> {
    let mut forged_fields = Vec::new();
    let mut soft = true;
    let mut start = 0;
    while start < raw.len() && !is_empty_line(&raw[start..]) {
        let mut end = start + field_end(&raw[start..]);
        let field = &raw[start..end];
        if end == raw.len() && field.starts_with(b"\r") && !field.ends_with(b"\n") {
            // No line ends in LF from here on, so this line is empty.
            break;
        }
        let mut line = field;
        // Some readers pass over byte order marks at the start of a message.
        while start == 0
            && let Some(behind) = line.strip_prefix(&bom::UTF_8)
        {
            line = behind;
        }
        if is_forged_field_line(line, rules) {
            // Readers that end lines at CR see other fields after it, or the rest of the message if there is no LF.
            let text = text_end(field, 0);
            end = start + text + line_end(&field[text..]);
            forged_fields.push(Span::new(start, end));
        } else if soft {
            soft = behind_returns(field, rules, |span| {
                forged_fields.push(Span::new(start + span.start, start + span.end));
            });
        }
        start = end;
    }
    forged_fields
}

/// Returns the field without the forged fields that begin after a CR in it, and their number. Other CR become spaces, because a value
/// cannot contain them. `None` if there is no such forged field.
pub(crate) fn without(field: &[u8], rules: &Rules) -> Option<(Vec<u8>, u32)> {
    let mut gone = Vec::new();
    behind_returns(field, rules, |span| gone.push(span));
    let (mut left, mut at) = (Vec::with_capacity(field.len()), 0);
    for span in &gone {
        left.extend_from_slice(&field[at..span.start]);
        at = span.end;
    }
    left.extend_from_slice(&field[at..]);
    for at in 0..left.len() {
        if left[at] == b'\r' && left.get(at + 1) != Some(&b'\n') {
            left[at] = b' ';
        }
    }
    (!gone.is_empty()).then_some((left, gone.len() as u32))
}

/// Returns true if a line is empty, apart from CR before its LF.
fn is_empty_line(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| **byte != b'\r') == Some(&b'\n')
}

/// Returns the end of a field: after the first LF that is not followed by white space.
fn field_end(bytes: &[u8]) -> usize {
    let ends = |at: &usize| !matches!(bytes.get(at + 1), Some(b' ' | b'\t'));
    memchr::memchr_iter(b'\n', bytes)
        .find(ends)
        .map_or(bytes.len(), |at| at + 1)
}

/// Finds the forged fields that begin after a CR alone; each span includes that CR, but not the end of the last line. Returns false at a line
/// that is empty for readers that end lines at CR, because the header ends there for them.
fn behind_returns(field: &[u8], rules: &Rules, mut found: impl FnMut(Span)) -> bool {
    let alone = |at: &usize| field.get(at + 1) != Some(&b'\n');
    // End of the current line.
    let mut at = memchr::memchr_iter(b'\r', field)
        .find(alone)
        .unwrap_or(field.len());
    while at < field.len() {
        let text = at + line_end(&field[at..]);
        if text == field.len() {
            return true;
        }
        let end = text_end(field, text);
        if end == text {
            return false;
        }
        let soft = text == at + 1 && field[at] == b'\r';
        if soft && is_forged_field_line(&field[text..end], rules) {
            found(Span::new(at, end));
        }
        at = end;
    }
    true
}

/// Returns the end of the line that begins at `at` with its continuation lines, for any line end.
fn text_end(field: &[u8], mut at: usize) -> usize {
    loop {
        at += memchr::memchr2(b'\r', b'\n', &field[at..]).unwrap_or(field.len() - at);
        let next = at + line_end(&field[at..]);
        if next == at || !matches!(field.get(next), Some(b' ' | b'\t')) {
            return at;
        }
        at = next;
    }
}

/// Returns the length of the line end at the start of `bytes`.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Returns true if a reader would take a field, with all its lines, for the gateway's own.
fn is_forged_field_line(field: &[u8], rules: &Rules) -> bool {
    let Some(colon) = memchr::memchr(b':', field) else {
        return false;
    };
    is_forged_field(field[..colon].trim_ascii_end(), &field[colon + 1..], rules)
}

/// Returns true if a field of this name may be forged.
pub(crate) fn is_suspect(name: &[u8], rules: &Rules) -> bool {
    is_own(name, rules) || rules.strips_results && name.eq_ignore_ascii_case(RESULTS)
}

/// The field with authentication results (RFC 8601, section 2).
const RESULTS: &[u8] = b"authentication-results";

/// Returns true if a reader would take a field for the gateway's own. Such a field is a report, or the result of a check that was not made
/// here.
pub(crate) fn is_forged_field(name: &[u8], value: &[u8], rules: &Rules) -> bool {
    let forged = || {
        rules
            .authserv_id
            .as_ref()
            .is_some_and(|id| seems_result_of(name, value, id))
    };
    is_own(name, rules) || rules.strips_results && forged()
}

fn is_own(name: &[u8], rules: &Rules) -> bool {
    let own = [
        rules.findings_header.as_deref(),
        rules.original_header.as_deref(),
    ];
    own.iter()
        .flatten()
        .any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
}

/// Returns true if a server of this name has reported on the signatures (RFC 8601, section 2.2).
pub(super) fn has_results_of(message: &Message<'_>, id: &str) -> bool {
    results_of(message, id).next().is_some()
}

fn results_of<'m>(
    message: &'m Message<'_>,
    id: &'m str,
) -> impl Iterator<Item = &'m header::Field> {
    let raw = message.raw();
    message
        .fields(PartId::ROOT)
        .iter()
        .filter(move |field| is_result_of(field.name.of(raw), field.value.of(raw), id))
}

/// Parses strictly by the grammar, because only such a field is trusted.
fn is_result_of(name: &[u8], value: &[u8], id: &str) -> bool {
    name.eq_ignore_ascii_case(RESULTS)
        && server(&header::unfold(value)).eq_ignore_ascii_case(id.as_bytes())
}

/// Parses leniently, as later readers may: with blanks around the name that the grammar does not allow, or a dot after it.
fn seems_result_of(name: &[u8], value: &[u8], id: &str) -> bool {
    // Readers treat invalid bytes differently. Python's `strip` treats control characters as blanks.
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let plain = |name: &str| {
        let name = name
            .trim_matches(blank)
            .split(blank)
            .next()
            .unwrap_or_default();
        name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
    };
    name.eq_ignore_ascii_case(RESULTS) && {
        let value = header::unfold(value);
        let value = String::from_utf8_lossy(&value);
        let mut rest = value.trim_start_matches(blank);
        // Comments may be between such blanks, too.
        while rest.starts_with('(') {
            let behind = behind_comments(rest.as_bytes()).len();
            rest = rest
                .get(rest.len() - behind..)
                .unwrap_or_default()
                .trim_start_matches(blank);
        }
        plain(&String::from_utf8_lossy(&server(rest.as_bytes()))) == plain(id)
    }
}

/// Returns the authserv-id, a token or a quoted string after comments (RFC 8601, section 2.2). Ignores a version and anything else after
/// it.
fn server(value: &[u8]) -> Vec<u8> {
    let rest = behind_comments(value);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || br#"()<>@,;:\"/[]?="#.contains(byte);
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        return rest
            .iter()
            .copied()
            .take_while(|byte| !ends(byte))
            .collect();
    };
    let mut name = Vec::new();
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
        name.extend(if *byte == b'\\' {
            bytes.next()
        } else {
            Some(byte)
        });
    }
    name.trim_ascii().to_vec()
}

/// Skips white space and comments, including nested comments and quoted pairs (RFC 5322, section 3.2.2).
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
