//! `mailglot header decode --block`: decodes the header of a message, field by field.
//!
//! # Limits
//!
//! Holds the input in memory. Reads the body only as evidence for charsets, and does not print it.

use super::super::json::json;
use super::super::values::put;
use super::explain::explain;
use super::findings::{FindingCounts, note_names, print_findings};
use super::rows::{DecodedRow, Raw};
use super::{line_ends, structured_value};
use crate::args::DecodeArgs;
use crate::commands::event_row::EventRow;
use crate::exit::{Exit, Failure};
use crate::output::{Console, stdout_in_blocks};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{self, Value};
use mailglot_mime::header::{self, FieldKind, field_kind};
use mailglot_mime::{Detail, Eol, EventKind, Finding, Message, PartId, header_context};
use std::borrow::Cow;
use std::io::{self, BufWriter, Read, Write};
use std::ops::Range;

pub(super) fn run(args: &DecodeArgs, console: Console) -> Result<Exit, Failure> {
    let mut raw = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut raw);
    read.map_err(|error| Failure::input("standard input", &error))?;
    let policy = args.reading.policy();
    let message = Message::parse(&raw, &policy.limits);
    let context = args.with_options(header_context(&message, &policy));
    let mut out = BufWriter::new(stdout_in_blocks()?);
    let mut counts = FindingCounts::default();
    for entry in entries(&message) {
        let (name, value) = (entry.name.map(|name| &raw[name]), &raw[entry.value]);
        let kind = name.map_or(FieldKind::Unstructured, field_kind);
        let mut findings = Vec::new();
        let read = line_ends::one_line(value, &mut findings);
        let text = header::decode(&read, kind, &context, &mut findings);
        let text = text.trim_matches([' ', '\t']);
        note_names(kind, &read, text, &mut findings);
        if name.is_none() {
            let (at, kind) = (0..value.len(), EventKind::HdrNoColon);
            findings.insert(0, Finding::new(at, kind, Detail::None));
        }
        if args.json {
            let typed = name.and_then(|name| {
                structured_value::structured(
                    &String::from_utf8_lossy(name),
                    &read,
                    &context,
                    &mut findings,
                )
            });
            let events = findings.iter().map(EventRow::of_finding).collect();
            let row = DecodedRow {
                name: name.map(Raw),
                value: Raw(value),
                text,
                typed,
                events,
            };
            put(&mut out, &[&json(&row)?, b"\n"])?;
        } else {
            if let Some(name) = name {
                let text = with_quotes(name, &read, text, &context);
                put(&mut out, &[name, b": ", text.as_bytes(), b"\n"])?;
            } else {
                put(&mut out, &[value, b"\n"])?;
                // No byte of it was decoded differently.
                findings.truncate(1);
            }
            print_findings(&findings, args.explain, console);
            if !args.explain {
                counts.add(&findings);
            }
        }
        if args.explain && name.is_some() {
            explain(&read, kind, &context, console);
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    counts.print(console);
    Ok(Exit::Done)
}

/// Returns the decoded text of a field. Names in a list of addresses get the quotes that they need.
fn with_quotes<'t>(
    name: &[u8],
    value: &[u8],
    text: &'t str,
    context: &HeaderContext,
) -> Cow<'t, str> {
    if field_kind(name) != FieldKind::Structured {
        return text.into();
    }
    // Decoding has told what is in the value.
    match fields::read(name, value, context, &mut Vec::new()) {
        Value::Addresses(list) => fields::quote_names(text, &list),
        _ => text.into(),
    }
}

/// A field of a header, or a line that is not a field.
#[derive(Debug, PartialEq, Eq)]
struct HeaderLine {
    name: Option<Range<usize>>,
    /// The whole line if it is not a field.
    value: Range<usize>,
}

/// Splits a header up to its empty line into the fields of the message, and the lines that are not fields.
fn entries(message: &Message<'_>) -> Vec<HeaderLine> {
    let root = message.root();
    let mut entries = Vec::new();
    let mut at = root.header.start;
    for field in message.fields(PartId::ROOT) {
        between(message, at..field.full.start, &mut entries);
        let name = Some(field.name.start..field.name.end);
        entries.push(HeaderLine {
            name,
            value: field.value.start..field.value.end,
        });
        at = field.full.end;
    }
    // Without an empty line the body begins at the first line that is not a field. More fields may follow it.
    let is_ended = root.header.end < root.body.start;
    let end = if is_ended {
        root.header.end
    } else {
        message.raw().len()
    };
    between(message, at..end, &mut entries);
    entries
}

/// Adds the lines of a range without fields, up to an empty line.
fn between(message: &Message<'_>, place: Range<usize>, entries: &mut Vec<HeaderLine>) {
    let raw = &message.raw()[..place.end];
    let known = entries.len();
    let mut at = place.start;
    while at < place.end {
        let line = at..line_end(&raw[at..], message.eol()) + at;
        let width = match &raw[line.end..] {
            [b'\r', b'\n', ..] => 2,
            rest => rest.len().min(1),
        };
        at = line.end + width;
        let content = &raw[line.clone()];
        match content.first() {
            None => return,
            Some(b' ' | b'\t') => {
                let before = entries[known..]
                    .last_mut()
                    .filter(|entry| entry.name.is_some());
                if let Some(field) = before {
                    field.value.end = line.end;
                } else {
                    entries.push(HeaderLine {
                        name: None,
                        value: line,
                    });
                }
            }
            Some(_) => entries.push(match field_of(content) {
                Some((name, colon)) => HeaderLine {
                    name: Some(line.start..line.start + name),
                    value: line.start + colon + 1..line.end,
                },
                None => HeaderLine {
                    name: None,
                    value: line,
                },
            }),
        }
    }
}

/// Returns the length of the first line without its line end.
fn line_end(bytes: &[u8], eol: Eol) -> usize {
    if eol == Eol::Cr {
        return memchr::memchr2(b'\r', b'\n', bytes).unwrap_or(bytes.len());
    }
    match memchr::memchr(b'\n', bytes) {
        Some(at) if bytes[..at].ends_with(b"\r") => at - 1,
        Some(at) => at,
        None => bytes.len(),
    }
}

/// Returns the length of a field's name and the offset of its colon. White space may be between them.
fn field_of(line: &[u8]) -> Option<(usize, usize)> {
    let name = line
        .iter()
        .position(|&b| b <= b' ' || b == b':' || b == 0x7f)?;
    let blanks = line[name..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    (name > 0 && line.get(name + blanks) == Some(&b':')).then_some((name, name + blanks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::Limits;

    /// Every byte of a header is in an entry, or a colon, white space or a line end.
    #[test]
    fn no_line_of_a_header_is_lost() {
        let lines = [
            "A: b",
            " c",
            "no colon",
            "Subject: d",
            "--x",
            "From x",
            "E :f",
            "  ",
            "\u{fc}: g",
            ":",
        ];
        for eol in ["\n", "\r\n", "\r"] {
            for seed in 0..lines.len().pow(4) {
                let chosen: Vec<_> = (0..4)
                    .map(|n| lines[seed / lines.len().pow(n) % lines.len()])
                    .collect();
                let raw = chosen
                    .iter()
                    .flat_map(|line| [line, eol])
                    .collect::<String>()
                    + eol
                    + "body";
                let message = Message::parse(raw.as_bytes(), &Limits::default());
                let mut left = raw.clone().into_bytes();
                for entry in entries(&message) {
                    let name = entry.name.clone().unwrap_or_default();
                    assert!(name.end <= entry.value.start, "{raw:?}");
                    left[name].fill(b' ');
                    left[entry.value].fill(b' ');
                }
                // A line of blanks may stand for the empty one.
                let end = chosen
                    .iter()
                    .position(|line| line.trim().is_empty())
                    .unwrap_or(4);
                let known: usize = chosen[..end]
                    .iter()
                    .map(|line| line.len() + eol.len())
                    .sum();
                let rest =
                    String::from_utf8_lossy(&left[..known]).replace([' ', ':', '\r', '\n'], "");
                assert_eq!(rest, "", "{raw:?}");
                assert!(left.ends_with(b"body"), "{raw:?}");
            }
        }
    }

    #[test]
    fn fields_beyond_the_limit_are_fields_here() {
        let limits = Limits::default().fields(1);
        let raw = b"A: b\nC: d\n e\nno colon\n f\nFrom: g\n\nH: i\n";
        let message = Message::parse(raw, &limits);
        let found: Vec<_> = entries(&message)
            .into_iter()
            .map(|entry| (entry.name.map(|name| &raw[name]), &raw[entry.value]))
            .collect();
        let want: [(Option<&[u8]>, &[u8]); 5] = [
            (Some(b"A"), b" b"),
            (Some(b"C"), b" d\n e"),
            (None, b"no colon"),
            (None, b" f"),
            (Some(b"From"), b" g"),
        ];
        assert_eq!(found, want);
    }
}
