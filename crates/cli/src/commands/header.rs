//! `mailglot header decode`, `header params` and `header encode`
//!
//! # Limits
//!
//! Values are taken as those of an unstructured field, unless the field is named.

mod block;
mod encode;
mod line;
mod stream;
mod typed;

use super::values::{ValueEnd, each, put};
use crate::args::{self, DecodeArgs, HeaderCommand, ParamsArgs};
use crate::exit::{Exit, Failure};
use crate::output::{Console, visible};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mailglot_mime::encoded_word::{self, Encoding, HeaderContext};
use mailglot_mime::header::{self, FieldKind, field_kind};
use mailglot_mime::params::{self, Param};
use mailglot_mime::{EventKind, Finding, Policy, Reason, Severity};
use mailglot_pipeline::with_thousands;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) fn run(command: &HeaderCommand, console: Console) -> Result<Exit, Failure> {
    match command {
        HeaderCommand::Decode(args) if args.stream => {
            stream::run(context(args, &args.reading.policy()), console)
        }
        HeaderCommand::Decode(args) if args.block => block::run(args, console),
        HeaderCommand::Decode(args) => decode(args, console),
        HeaderCommand::Params(args) => parameters(args, console),
        HeaderCommand::Encode(args) => encode::run(args, console),
    }
}

fn context<'p>(args: &DecodeArgs, policy: &'p Policy) -> HeaderContext<'p> {
    HeaderContext::of(policy)
        .unknown(args.unknown)
        .repairs(args::repairs(&args.repair))
        .strip_hidden(args.strip_hidden)
}

fn decode(args: &DecodeArgs, console: Console) -> Result<Exit, Failure> {
    let end = ValueEnd::new(args.nul);
    let typed = !args.texts.is_empty();
    let policy = args.reading.policy();
    let context = context(args, &policy);
    let name = args.name.as_deref();
    let kind = name.map_or(FieldKind::Unstructured, |name| field_kind(name.as_bytes()));
    let mut counts = FindingCounts::default();
    let exit = each(&args.texts, end, |value, out| {
        let mut findings = Vec::new();
        // Only what NUL ends, and is of no field, can be a text of several lines.
        let is_text = end == ValueEnd::Nul && name.is_none();
        let read = if is_text {
            line::lines(value, &mut findings)
        } else {
            line::one_line(value, &mut findings)
        };
        let text = if is_text {
            Cow::Owned(header::decode_lines(&read, kind, &context, &mut findings))
        } else {
            whole_value(&read, kind, &context, &mut findings)
        };
        note_names(kind, &read, &text, &mut findings);
        if args.json {
            let typed = name.and_then(|name| typed::typed(name, &read, &context, &mut findings));
            let events = findings.iter().map(EventRow::new).collect();
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
        if !args.json {
            tell(&findings, typed || args.explain, console);
            if !(typed || args.explain) {
                counts.add(&findings);
            }
        }
        Ok(())
    })?;
    counts.tell(console);
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

/// Tells how each piece was read.
fn explain(value: &[u8], kind: FieldKind, context: &HeaderContext, console: Console) {
    if kind == FieldKind::Parameters {
        for param in params::parse(value, context, &mut Vec::new()).list {
            let language = param
                .language
                .map(|tag| format!(" ({tag})"))
                .unwrap_or_default();
            console.say(format_args!(
                "parameter {}{}: {:?}",
                visible(&param.name),
                visible(&language),
                param.text
            ));
        }
        return;
    }
    for piece in encoded_word::explain(value, kind, context, &mut Vec::new()) {
        let (start, end) = (piece.at.start, piece.at.end);
        let what = if piece.words.is_empty() {
            piece.place
        } else {
            "words"
        };
        let place = if piece.words.is_empty() {
            String::new()
        } else {
            format!(" in {}", piece.place)
        };
        console.say(format_args!(
            "{start}..{end} {what}{place}: {:?}",
            visible(&piece.text)
        ));
        for word in &piece.words {
            let letter = if word.encoding == Encoding::B {
                'B'
            } else {
                'Q'
            };
            let charset = word.used.name();
            let language = word
                .language
                .as_deref()
                .map(|tag| format!(", language {tag}"))
                .unwrap_or_default();
            let bytes: Vec<String> = word
                .bytes
                .iter()
                .take(SHOWN)
                .map(|byte| format!("{byte:02X}"))
                .collect();
            let more = if word.bytes.len() > SHOWN { " …" } else { "" };
            console.say(format_args!(
                "    {}..{} {} {letter}, read as {charset}{}: {}{more}",
                word.at.start,
                word.at.end,
                visible(&word.label),
                visible(&language),
                bytes.join(" ")
            ));
        }
    }
}

/// Bytes of a word that are shown.
const SHOWN: usize = 48;

fn parameters(args: &ParamsArgs, console: Console) -> Result<Exit, Failure> {
    let policy = args.reading.policy();
    let context = HeaderContext::of(&policy);
    let end = ValueEnd::new(args.nul);
    let mut counts = FindingCounts::default();
    let exit = each(&[], end, |value, out| {
        let mut findings = Vec::new();
        let read = line::one_line(value, &mut findings);
        let parsed = params::parse(&read, &context, &mut findings);
        for param in &parsed.list {
            note_names(FieldKind::Parameters, &read, &param.name, &mut findings);
        }
        if args.json {
            let events = findings.iter().map(EventRow::new).collect();
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
        tell(&findings, false, console);
        counts.add(&findings);
        Ok(())
    })?;
    counts.tell(console);
    Ok(exit)
}

/// Tells of the bytes of a parameter's name for which U+FFFD stands. `text` is what came out of it, or of the whole field.
fn note_names(kind: FieldKind, value: &[u8], text: &str, findings: &mut Vec<Finding>) {
    let is_told = || {
        findings
            .iter()
            .any(|finding| finding.kind.severity() == Severity::Loss)
    };
    if kind != FieldKind::Parameters || !text.contains('\u{fffd}') || is_told() {
        return;
    }
    let (mut at, mut count, mut first) = (0, 0, None);
    for chunk in value.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            count += 1;
            first.get_or_insert(at..at + chunk.invalid().len());
        }
        at += chunk.invalid().len();
    }
    if let Some(at) = first {
        let kind = EventKind::CharsetInvalidBytes;
        findings.push(Finding::counted(at, kind, Reason::ParameterName, count));
    }
}

/// Tells what was found. Values that were typed are worth a word about repairs; for others `-v` asks for it.
fn tell(findings: &[Finding], typed: bool, console: Console) {
    for finding in findings {
        let severity = finding.kind.severity();
        let detail = finding.detail.to_string();
        let colon = if detail.is_empty() { "" } else { ": " };
        let line = format!(
            "{} {} at {}..{}{colon}{}",
            severity.name(),
            finding.kind.code(),
            finding.at.start,
            finding.at.end,
            visible(&detail)
        );
        if typed && severity > Severity::Info {
            console.say(line);
        } else {
            console.explain(line);
        }
    }
}

/// How often repairs, losses and lines that are no fields were found in values of which not each is told.
#[derive(Debug, Default)]
struct FindingCounts(BTreeMap<&'static str, Count>);

#[derive(Debug)]
struct Count {
    severity: Severity,
    times: u64,
    /// Where the first one is: in a stream, or in its value.
    first: Range<usize>,
}

impl FindingCounts {
    fn add(&mut self, findings: &[Finding]) {
        // That a line is no field is nothing to worry about, but whoever filters a header has to know.
        let told =
            |kind: EventKind| kind.severity() > Severity::Info || kind == EventKind::HdrNoColon;
        for finding in findings.iter().filter(|finding| told(finding.kind)) {
            let new = || Count {
                severity: finding.kind.severity(),
                times: 0,
                first: finding.at.clone(),
            };
            self.0.entry(finding.kind.code()).or_insert_with(new).times += finding.count;
        }
    }

    fn tell(&self, console: Console) {
        for (code, count) in &self.0 {
            let Count {
                severity,
                times,
                first,
            } = count;
            let place = format!(
                "the first at {}..{} (-v tells of each)",
                first.start, first.end
            );
            console.say(format_args!(
                "{} {code}: {}, {place}",
                severity.name(),
                with_thousands(*times)
            ));
        }
    }
}

/// One line of JSON.
pub(super) fn json(row: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(row).map_err(|error| Failure::new(Exit::Output, error.to_string()))
}

#[derive(Serialize)]
struct DecodedRow<'a> {
    /// Where the value comes from a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Raw<'a>>,
    value: Raw<'a>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    typed: Option<serde_json::Value>,
    events: Vec<EventRow>,
}

/// Bytes as text; where they are no UTF-8, as `{"bytes": base64}`, never as a broken string.
struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(self.0) {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("bytes", &STANDARD.encode(self.0))?;
        map.end()
    }
}

/// A finding; the offset is in bytes of the value.
#[derive(Serialize)]
struct EventRow {
    code: &'static str,
    severity: &'static str,
    offset: usize,
    length: usize,
    count: u64,
    detail: String,
}

impl EventRow {
    fn new(finding: &Finding) -> Self {
        Self {
            code: finding.kind.code(),
            severity: finding.kind.severity().name(),
            offset: finding.at.start,
            length: finding.at.len(),
            count: finding.count,
            detail: finding.detail.to_string(),
        }
    }
}

#[derive(Serialize)]
struct ParamsRow<'a> {
    value: &'a str,
    params: ParamMap<'a>,
    events: Vec<EventRow>,
}

/// Parameters as an object, in the order of the field.
struct ParamMap<'a>(&'a [Param]);

impl Serialize for ParamMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|param| (&param.name, &param.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(row: &impl Serialize) -> String {
        String::from_utf8(json(row).unwrap()).unwrap()
    }

    #[test]
    fn bytes_that_are_no_text_stay_whole() {
        assert_eq!(text(&Raw("ü".as_bytes())), "\"ü\"");
        assert_eq!(text(&Raw(b"a\xff")), "{\"bytes\":\"Yf8=\"}");
    }

    #[test]
    fn parameters_keep_their_order() {
        let param = |name: &str| Param {
            name: name.into(),
            text: "\"".into(),
            language: None,
        };
        let list = [param("z"), param("a")];
        assert_eq!(text(&ParamMap(&list)), r#"{"z":"\"","a":"\""}"#);
    }
}
