//! `mailglot inspect`: shows the parts, charsets and events of messages.
//!
//! # Limits
//!
//! A message of a mailbox is found by reading the mailbox from its front.

use super::event_row::EventRow;
use super::json::json;
use super::summary::{guesses, report_left_out, report_unread};
use crate::args::{InspectArgs, LARGEST_MESSAGE};
use crate::exit::{Exit, Failure};
use crate::output::{Console, Level, Style, counted, print, visible};
use mailglot_mime::{
    EncodedBlock, Eol, Event, Message, OnLoss, Part, PartId, PartKind, Policy, Reading, Report,
    Severity, Span, encoded_blocks, plan, text_parts,
};
use mailglot_pipeline::{
    FileName, GuessExample, Located, MessageAddress, in_thousandths, locate, with_thousands,
};
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::ControlFlow;

pub(crate) fn run(args: &InspectArgs, console: Console) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    let mut policy = args.policy.policy(false, OnLoss::Replace);
    policy.limits.message = LARGEST_MESSAGE;
    let all = console.level() == Level::Verbose;
    let mut failed = None;
    for address in args.addresses.all() {
        let address = MessageAddress::parse(&address);
        let mut each = |located: Located| match show(&located, args.json, &policy, all) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
        };
        let account = locate(&address, args.opening.opening(), &mut each)?;
        report_unread(&account, &mut worst, console);
        report_left_out(&account, &mut worst, console);
        if let Some(failure) = failed {
            return Err(failure);
        }
    }
    Ok(worst)
}

fn show(located: &Located, as_json: bool, policy: &Policy, all: bool) -> Result<(), Failure> {
    let view = MessageView::new(located, policy);
    let mut text = if as_json {
        json(&view)?
    } else {
        view.lines(located, all, Style::stdout())
            .join("\n")
            .into_bytes()
    };
    text.push(b'\n');
    print(&text)
}

/// The JSON object of a message. Offsets in parts count from the message's first byte, without mailbox quoting.
#[derive(Serialize)]
struct MessageView {
    message: String,
    /// The file of the message, if it is a file of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<FileName>,
    /// Offset of the message's first byte in its file.
    offset: u64,
    /// Bytes of the message in its file, with mailbox quoting.
    length: u64,
    /// Start and end of the entry in its file: separator line, message, blank line.
    entry: [u64; 2],
    line_end: &'static str,
    /// True if a normalization would change it.
    changes: bool,
    /// Number of texts whose charset was guessed.
    guessed: u64,
    /// Number of overruled labels.
    overruled: u64,
    /// Both, the least certain first.
    least_certain: Vec<GuessExample>,
    parts: Vec<PartView>,
    /// Number of events that are not listed.
    events_dropped: u64,
}

#[derive(Serialize)]
struct PartView {
    /// Empty for a multipart root.
    part: String,
    depth: u32,
    #[serde(rename = "type")]
    media: String,
    kind: &'static str,
    header: [usize; 2],
    body: [usize; 2],
    transfer: &'static str,
    attachment: bool,
    charset: Option<String>,
    used: Option<&'static str>,
    how: Option<&'static str>,
    /// 0 to 0.999; `None` without a guess.
    confidence: Option<f64>,
    /// Files in uuencode or yEnc inside the text.
    blocks: Vec<BlockView>,
    events: Vec<EventRow>,
}

/// A block of uuencode or yEnc.
#[derive(Serialize)]
struct BlockView {
    encoding: &'static str,
    name: String,
    offset: usize,
    length: usize,
    /// Bytes of the decoded file.
    size: u64,
    ended: bool,
    /// Null if the block states no size or checksum.
    size_fits: Option<bool>,
    checksum_fits: Option<bool>,
}

impl MessageView {
    fn new(located: &Located, policy: &Policy) -> Self {
        let message = Message::parse(&located.bytes, &policy.limits);
        let outcome = plan(&located.bytes, policy);
        // Signed parts are left alone by the planner, but how they read is worth showing.
        let read = text_parts(&message, policy, &mut Report::with_limit(0));
        let readings: Vec<_> = read.into_iter().map(|part| part.reading).collect();
        let parts = message
            .numbered_parts()
            .map(|(id, part)| PartView::new(&message, id, part, &readings, &outcome.report.events));
        let report = &outcome.report;
        let guess = |guess| {
            GuessExample::new(
                located.address.clone(),
                located.path.clone(),
                &message,
                guess,
            )
        };
        Self {
            message: located.address.clone(),
            path: located.path.clone(),
            guessed: report.guessed(),
            overruled: report.overruled(),
            least_certain: report.guesses.iter().map(guess).collect(),
            offset: located.place.start,
            length: located.place.end - located.place.start,
            entry: [located.entry.start, located.entry.end],
            line_end: match message.eol() {
                Eol::Lf => "LF",
                Eol::CrLf => "CRLF",
                Eol::Cr => "CR",
            },
            changes: !outcome.edits.is_empty(),
            parts: parts.collect(),
            events_dropped: outcome.report.dropped,
        }
    }

    fn lines(&self, located: &Located, all: bool, style: Style) -> Vec<String> {
        let path = self
            .path
            .as_ref()
            .map(|path| format!(" ({path})"))
            .unwrap_or_default();
        let mut head = format!(
            "{}{}  at {}, {}, {}",
            style.strong(visible(&located.address)),
            visible(&path),
            self.offset,
            counted(self.length, "byte"),
            self.line_end
        );
        head.push_str(if self.changes {
            ", would change"
        } else {
            ", stays as it is"
        });
        let mut lines = vec![head];
        let (overruled, guessed): (Vec<_>, Vec<_>) = self
            .least_certain
            .iter()
            .partition(|guess| guess.is_overruled());
        lines.extend(guesses(
            [self.overruled, self.guessed],
            &overruled,
            &guessed,
            all,
        ));
        for part in &self.parts {
            lines.push(part.line(style));
            lines.extend(part.blocks.iter().map(|block| block.line(part.depth)));
            lines.extend(
                part.events
                    .iter()
                    .map(|event| event_line(event, part.depth, style)),
            );
        }
        if self.events_dropped > 0 {
            lines.push(format!(
                "  and {} more",
                counted(self.events_dropped, "finding")
            ));
        }
        lines
    }
}

impl PartView {
    fn new(
        message: &Message<'_>,
        id: PartId,
        part: &Part,
        readings: &[Reading],
        events: &[Event],
    ) -> Self {
        let reading = readings.iter().find(|reading| reading.part == id);
        let declared = message
            .charset_label(id)
            .map(|label| String::from_utf8_lossy(&label).into_owned());
        let bounds = |span: Span| [span.start, span.end];
        Self {
            part: message.section(id),
            depth: part.depth,
            media: part.media.to_string(),
            kind: match part.kind {
                PartKind::Leaf => "leaf",
                PartKind::Multipart => "multipart",
                PartKind::Message => "message",
                PartKind::Opaque => "opaque",
            },
            header: bounds(part.header),
            body: bounds(part.body),
            transfer: part.transfer.name(),
            attachment: part.attachment,
            charset: reading
                .and_then(|reading| reading.declared.clone())
                .or(declared),
            used: reading.map(|reading| reading.used.name()),
            how: reading.map(|reading| reading.how.name()),
            confidence: reading
                .and_then(|reading| reading.confidence)
                .map(in_thousandths),
            blocks: encoded_blocks(message, id)
                .into_iter()
                .map(BlockView::new)
                .collect(),
            events: events
                .iter()
                .filter(|event| event.part == id)
                .map(|event| {
                    let at = event.at.start..event.at.end;
                    EventRow::new(event.kind, at, event.count, &event.detail)
                })
                .collect(),
        }
    }

    /// `  1.2  text/plain  header 512..601  body 603..4803  base64  "latin1" → windows-1252 (superset)`
    fn line(&self, style: Style) -> String {
        let name = if self.part.is_empty() {
            "-"
        } else {
            &self.part
        };
        let mut line = format!(
            "{}{}  {}  header {}..{}  body {}..{}",
            indent(self.depth),
            style.strong(name),
            visible(&self.media),
            self.header[0],
            self.header[1],
            self.body[0],
            self.body[1]
        );
        if self.transfer != "identity" {
            let _ = write!(line, "  {}", self.transfer);
        }
        if self.kind == "opaque" {
            line.push_str("  opaque");
        }
        if self.attachment {
            line.push_str("  attachment");
        }
        if let Some(used) = self.used {
            let declared = self
                .charset
                .as_deref()
                .map_or("(no label)".to_owned(), |label| format!("\"{label}\""));
            let _ = write!(
                line,
                "  {} → {used} ({}",
                visible(&declared),
                self.how.unwrap_or_default()
            );
            if let Some(confidence) = self.confidence {
                let _ = write!(line, ", {:.0} %", (confidence * 100.0).floor());
            }
            line.push(')');
        }
        line
    }
}

impl BlockView {
    fn new(block: EncodedBlock) -> Self {
        Self {
            encoding: block.encoding,
            name: block.name,
            offset: block.at.start,
            length: block.at.len(),
            size: block.size,
            ended: block.ended,
            size_fits: block.size_fits,
            checksum_fits: block.checksum_fits,
        }
    }

    fn line(&self, depth: u32) -> String {
        let (end, size) = (self.offset + self.length, counted(self.size, "byte"));
        let mut line = format!(
            "{}   {} \"{}\" at {}..{end}: {size}",
            indent(depth),
            self.encoding,
            visible(&self.name),
            self.offset
        );
        for (wrong, what) in [
            (!self.ended, ", without its end"),
            (self.size_fits == Some(false), ", not the stated size"),
            (
                self.checksum_fits == Some(false),
                ", not the stated checksum",
            ),
        ] {
            line.push_str(if wrong { what } else { "" });
        }
        line
    }
}

/// `     repair  charset.superset at 603..610: read as windows-1252`
fn event_line(event: &EventRow, depth: u32, style: Style) -> String {
    let severity = match event.severity {
        name if name == Severity::Loss.name() => style.loss(name),
        name if name == Severity::Repair.name() => style.repair(name),
        name => name.to_owned(),
    };
    let mut line = format!(
        "{}   {severity}  {} at {}",
        indent(depth),
        event.code,
        event.offset
    );
    if event.length > 0 {
        let _ = write!(line, "..{}", event.offset + event.length);
    }
    if event.count > 1 {
        let _ = write!(line, " × {}", with_thousands(event.count));
    }
    if !event.detail.is_empty() {
        let _ = write!(line, ": {}", visible(&event.detail));
    }
    line
}

fn indent(depth: u32) -> String {
    "  ".repeat(depth as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(bytes: &[u8]) -> (MessageView, Vec<String>) {
        let located = Located {
            address: "a.mbox:3".into(),
            path: None,
            place: 100..100 + bytes.len() as u64,
            entry: 60..101 + bytes.len() as u64,
            bytes: bytes.to_vec(),
        };
        let view = MessageView::new(&located, &Policy::default());
        let lines = view.lines(&located, false, Style::stdout());
        (view, lines)
    }

    #[test]
    fn a_tree_with_offsets() {
        let raw = b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\n\
            It\x92s\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\naaaa\n--b--\n";
        let (view, lines) = view(raw);
        let parts: Vec<_> = view
            .parts
            .iter()
            .map(|p| (p.part.as_str(), p.depth, p.media.as_str()))
            .collect();
        assert_eq!(
            parts,
            [
                ("", 0, "multipart/mixed"),
                ("1", 1, "text/plain"),
                ("2", 1, "image/png")
            ]
        );
        let text = &view.parts[1];
        assert_eq!(&raw[text.body[0]..text.body[1]], b"It\x92s");
        assert_eq!(
            (text.charset.as_deref(), text.used),
            (Some("iso-8859-1"), Some("windows-1252"))
        );
        assert!(view.changes);
        assert!(
            text.events.iter().any(|event| event.severity == "repair"),
            "{lines:?}"
        );
        assert!(lines[0].starts_with("a.mbox:3  at 100, "), "{lines:?}");
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("    1  text/plain  header ")),
            "{lines:?}"
        );
        let json: serde_json::Value = serde_json::from_slice(&json(&view).unwrap()).unwrap();
        assert_eq!(json["parts"][1]["type"], "text/plain");
    }

    #[test]
    fn files_in_the_text() {
        let raw = b"Subject: x\n\nbegin 644 a.txt\n#0V%T\n`\nend\n\
            =ybegin line=128 size=9 name=b\n[\\]^_`abc\n=yend size=9 crc32=cbf43926\n";
        let (view, lines) = view(raw);
        let json: serde_json::Value = serde_json::from_slice(&json(&view).unwrap()).unwrap();
        let blocks = &json["parts"][0]["blocks"];
        assert_eq!(
            (&blocks[0]["name"], &blocks[0]["size"]),
            (&"a.txt".into(), &3.into())
        );
        assert_eq!(blocks[0]["size_fits"], serde_json::Value::Null);
        assert_eq!(
            (&blocks[1]["encoding"], &blocks[1]["checksum_fits"]),
            (&"yenc".into(), &true.into())
        );
        assert!(
            lines
                .iter()
                .any(|line| line.contains("uuencode \"a.txt\" at 12..")),
            "{lines:?}"
        );
        let codes: Vec<_> = view.parts[0]
            .events
            .iter()
            .map(|event| event.code)
            .collect();
        assert_eq!(codes, ["cte.uuencode", "cte.yenc"]);
    }

    #[test]
    fn counts_have_commas_and_places_have_none() {
        let blanks = " ".repeat(1200);
        let raw = format!(
            "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9{blanks}\n"
        );
        let (_, lines) = view(raw.as_bytes());
        let line = lines
            .iter()
            .find(|line| line.contains("cte.qp-trailing-blanks"));
        let line = line.expect("an event of trailing blanks");
        let (place, count) = line.split_once(" × ").expect("a count");
        assert!(count.starts_with("1,200"), "{line}");
        assert!(place.contains("..1") && !place.contains(','), "{line}");
    }

    #[test]
    fn mail_does_not_steer_the_terminal() {
        let (_, lines) = view(b"Content-Type: text/plain; charset=\"\x1b[31m\"\n\n\xff\n");
        assert!(!lines.concat().contains('\u{1b}'), "{lines:?}");
    }
}
