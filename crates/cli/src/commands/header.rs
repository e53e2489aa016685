//! `mailglot header`: decodes and encodes values of header fields (`header decode`, `header params`, `header encode`).
//!
//! # Limits
//!
//! Values are taken as those of an unstructured field, unless the field is named.

mod block;
mod encode;
mod explain;
mod findings;
mod line_ends;
mod rows;
mod stream;
mod structured_value;

use super::event_row::EventRow;
use super::json::json;
use super::values::{ValueEnd, each, put};
use crate::args::{DecodeArgs, HeaderCommand, ParamsArgs};
use crate::exit::{Exit, Failure};
use crate::output::{Console, visible};
use explain::explain;
use findings::{FindingCounts, note_names, print_findings};
use mailglot_mime::Finding;
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{self, DecodeBuffers, FieldKind, field_kind};
use mailglot_mime::params;
use rows::{DecodedRow, ParamMap, ParamsRow, Raw};
use std::borrow::Cow;

pub(crate) fn run(command: &HeaderCommand, console: Console) -> Result<Exit, Failure> {
    match command {
        HeaderCommand::Decode(args) if args.stream => {
            stream::run(args.context(&args.reading.policy()), console)
        }
        HeaderCommand::Decode(args) if args.block => block::run(args, console),
        HeaderCommand::Decode(args) => decode(args, console),
        HeaderCommand::Params(args) => parameters(args, console),
        HeaderCommand::Encode(args) => encode::run(args, console),
    }
}

fn decode(args: &DecodeArgs, console: Console) -> Result<Exit, Failure> {
    let end = ValueEnd::new(args.nul);
    let typed = !args.texts.is_empty();
    let policy = args.reading.policy();
    let context = args.context(&policy);
    let name = args.name.as_deref();
    let kind = name.map_or(FieldKind::Unstructured, |name| field_kind(name.as_bytes()));
    let mut counts = FindingCounts::default();
    let (mut buffers, mut findings) = (DecodeBuffers::default(), Vec::new());
    let exit = each(&args.texts, end, |value, out| {
        findings.clear();
        // Only what NUL ends, and is of no field, can be a text of several lines.
        let is_text = end == ValueEnd::Nul && name.is_none();
        let is_one_line = line_ends::has_only_folds(value);
        let read = match (is_one_line, is_text) {
            (true, _) => Cow::Borrowed(value),
            (false, true) => line_ends::lines(value, &mut findings),
            (false, false) => line_ends::one_line(value, &mut findings),
        };
        let text = match (is_one_line, is_text) {
            (true, _) => {
                header::decode_with(value, kind, &context, &mut findings, &mut buffers).into()
            }
            (false, true) => header::decode_lines(&read, kind, &context, &mut findings),
            (false, false) => whole_value(&read, kind, &context, &mut findings),
        };
        note_names(kind, &read, &text, &mut findings);
        if args.json {
            let typed = name.and_then(|name| {
                structured_value::structured(name, &read, &context, &mut findings)
            });
            let events = findings.iter().map(EventRow::of_finding).collect();
            let row = DecodedRow {
                name: None,
                value: Raw(value),
                text: &text,
                typed,
                events,
            };
            put(out, &[&json(&row)?, b"\n"])?;
        } else {
            put(out, &[text.as_bytes(), &[end.byte()]])?;
        }
        if args.explain {
            explain(&read, kind, &context, console);
        }
        if !args.json && !findings.is_empty() {
            print_findings(&findings, typed || args.explain, console);
            if !(typed || args.explain) {
                counts.add(&findings);
            }
        }
        Ok(())
    })?;
    counts.print(console);
    Ok(exit)
}

/// Decodes the value of one field. White space at its ends is dropped if a line end follows it.
fn whole_value<'v>(
    value: &'v [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    if !value.ends_with(b"\n") && !value.ends_with(b"\r") {
        return header::decode(value, kind, context, findings);
    }
    let start = value.len() - value.trim_ascii_start().len();
    let first = findings.len();
    let text = header::decode(value[start..].trim_ascii_end(), kind, context, findings);
    for finding in &mut findings[first..] {
        finding.at = start + finding.at.start..start + finding.at.end;
    }
    text
}

fn parameters(args: &ParamsArgs, console: Console) -> Result<Exit, Failure> {
    let policy = args.reading.policy();
    let context = HeaderContext::of(&policy);
    let end = ValueEnd::new(args.nul);
    let typed = !args.texts.is_empty();
    let mut counts = FindingCounts::default();
    let exit = each(&args.texts, end, |value, out| {
        let mut findings = Vec::new();
        let read = line_ends::one_line(value, &mut findings);
        let parsed = params::parse(&read, &context, &mut findings);
        for param in &parsed.list {
            note_names(FieldKind::Parameters, &read, &param.name, &mut findings);
        }
        if args.json {
            let events = findings.iter().map(EventRow::of_finding).collect();
            let row = ParamsRow {
                value: &parsed.value,
                params: ParamMap(&parsed.list),
                events,
            };
            return put(out, &[&json(&row)?, b"\n"]);
        }
        put(
            out,
            &[visible(&parsed.to_string()).as_bytes(), &[end.byte()]],
        )?;
        print_findings(&findings, typed, console);
        if !typed {
            counts.add(&findings);
        }
        Ok(())
    })?;
    counts.print(console);
    Ok(exit)
}
