//! Repairs structure: lines of only blanks in a header, headers without an empty line, and lines in a header that are not fields. Also
//! repairs multiparts without their closing delimiter.
//!
//! - A line that is no field ends the header if no known field follows soon. The empty line that some readers need is added there, as Postfix and
//!   Sendmail do. If a known field follows, the line gets a name, so that no reader takes it for the end or skips it.
//! - A line of blanks continues its field (RFC 5322, section 4.2, obs-FWS), but ends the header for some readers. Its blanks move to the end of the
//!   line before it, so the text of the field stays.
//! - A multipart that ends with its message or parent part gets the missing delimiter (RFC 2046, section 5.1.1) after a line end of its own. The
//!   bytes of its last part stay.
//!
//! The findings are reported anyway. All other edits are planned for the repaired message: a line that got a name is read as that field.
//!
//! # Limits
//! Signed parts and embedded messages stay. Nothing is repaired if lines end in CR alone. Blanks that would make a line too long are deleted. A
//! repair that would change the parts of a message is not made. A message that was truncated within a header gets no delimiters.

use super::kept_spans::KeptSpans;
use crate::policy::{Action, Finding, Findings, Rules};
use mailglot_mime::{
    Edit, Eol, Event, EventKind, Limits, Message, PartId, PartKind, Span, spliced,
};
use std::cmp::Reverse;

/// Length limit of lines that a repair makes, in bytes.
const WIDTH: usize = 900;

/// The field name for a line that is not a field.
pub(crate) const NAMED: &[u8] = b"X-Unnamed-Line:";

/// Returns the repairs that the rules ask for. All other edits are planned for their result. Linear in the message.
pub(super) fn plan(
    message: &Message<'_>,
    rules: &Rules,
    findings: &Findings,
    kept: &KeptSpans,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let asked = |finding| findings.has(finding) && rules.action(finding) == Action::Normalize;
    let (blanks, open) = (
        asked(Finding::WhitespaceLine),
        asked(Finding::UnterminatedMultipart),
    );
    let (unended, unnamed) = (
        asked(Finding::UnendedHeader),
        asked(Finding::MalformedHeaderLine),
    );
    if !(blanks || open || unended || unnamed) || message.eol() == Eol::Cr {
        return edits;
    }
    let sealed = sealed(message);
    let mut alike = |change: &dyn Fn(&mut Vec<Edit>)| {
        let before = edits.clone();
        change(&mut edits);
        if edits != before {
            let bytes = spliced(message.raw(), &edits);
            if !is_alike(message, &Message::parse(&bytes, &rules.rewriting.limits)) {
                edits = before;
            }
        }
    };
    if unended {
        alike(&|edits| add(end_headers(message, &sealed), kept, edits));
    }
    if unnamed && !findings.has(Finding::TooManyHeaders) {
        alike(&|edits| add(name_lines(message, &sealed), kept, edits));
    }
    if blanks {
        alike(&|edits| add(join_lines(message, &sealed), kept, edits));
    }
    if open {
        close(message, &sealed, &rules.rewriting.limits, &mut edits);
    }
    edits
}

/// Returns for each part whether its body must not change, and whether its header must not change.
fn sealed(message: &Message<'_>) -> Vec<(bool, bool)> {
    let mut until = 0;
    let parts = message.parts().iter().map(|part| {
        let inside = part.header.start < until;
        let signed =
            part.media.top == "multipart" && matches!(&*part.media.sub, "signed" | "encrypted");
        if signed || part.kind == PartKind::Message {
            until = until.max(part.body.end);
        }
        (inside || signed, inside)
    });
    parts.collect()
}

/// Adds the new edits that touch no kept span.
fn add(mut new: Vec<Edit>, kept: &KeptSpans, edits: &mut Vec<Edit>) {
    kept.hold(&mut new);
    edits.append(&mut new);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// Adds the missing empty lines after headers. Such a line replaces a line of blanks that readers take for it.
fn end_headers(message: &Message<'_>, sealed: &[(bool, bool)]) -> Vec<Edit> {
    let eol = message.eol().bytes();
    let unended = message
        .defects()
        .iter()
        .filter(|event| event.kind == EventKind::MimeNoBlankLine);
    let free = |event: &&Event| {
        sealed
            .get(event.part.0 as usize)
            .is_some_and(|(_, header)| !header)
    };
    unended
        .filter(free)
        .map(|event| Edit::new(event.at, eol))
        .collect()
}

/// Adds a field name to each line in a header that is not a field. Its continuation lines continue the new field.
fn name_lines(message: &Message<'_>, sealed: &[(bool, bool)]) -> Vec<Edit> {
    let (raw, eol) = (message.raw(), message.eol().bytes());
    let mut new = Vec::new();
    for ((id, part), (_, header_sealed)) in message.numbered_parts().zip(sealed) {
        if *header_sealed {
            continue;
        }
        let fields = message.fields(id).iter().map(|field| field.full);
        let ends = fields.chain([Span::new(part.header.end, part.header.end)]);
        let mut at = part.header.start;
        for next in ends {
            let start = at;
            for line in raw
                .get(at..next.start)
                .unwrap_or_default()
                .split_inclusive(|byte| *byte == b'\n')
            {
                let blank = matches!(line.first(), Some(b' ' | b'\t'));
                if at > start && is_blank(content(line)) {
                    // It would become a line of blanks within the new field.
                    new.push(Edit::new(Span::new(at, at + line.len()), b""));
                } else if at == start || !blank {
                    new.push(Edit::new(Span::new(at, at), name_for(NAMED, line, eol)));
                }
                at += line.len();
            }
            at = next.end;
        }
    }
    new
}

/// Returns the text that makes a line a field, or its second line if the line would get too long.
pub(super) fn name_for(name: &[u8], line: &[u8], eol: &[u8]) -> Vec<u8> {
    let fold = if line.len() > WIDTH { eol } else { b"" };
    let blank: &[u8] = if matches!(line.first(), Some(b' ' | b'\t')) {
        b""
    } else {
        b" "
    };
    [name, fold, blank].concat()
}

/// Deletes the line ends before lines of blanks.
fn join_lines(message: &Message<'_>, sealed: &[(bool, bool)]) -> Vec<Edit> {
    let raw = message.raw();
    let mut new = Vec::new();
    for ((id, _), (_, header_sealed)) in message.numbered_parts().zip(sealed) {
        if *header_sealed {
            continue;
        }
        for field in message.fields(id) {
            let bytes = field.full.of(raw);
            if has_line_of_blanks(bytes) {
                new.push(narrowed(
                    raw,
                    &Edit::new(field.full, without_lines_of_blanks(bytes)),
                ));
            }
        }
    }
    new
}

/// Returns the edit without the bytes at its start and end that do not change.
fn narrowed(raw: &[u8], edit: &Edit) -> Edit {
    let old = edit.span.of(raw);
    let before = old
        .iter()
        .zip(&edit.with)
        .take_while(|(old, new)| old == new)
        .count();
    let (old, new) = (&old[before..], &edit.with[before..]);
    let behind = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    Edit::new(
        Span::new(edit.span.start + before, edit.span.end - behind),
        &new[..new.len() - behind],
    )
}

fn has_line_of_blanks(field: &[u8]) -> bool {
    field
        .split(|byte| *byte == b'\n')
        .skip(1)
        .any(|line| !line.is_empty() && is_blank(content(line)))
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Returns a line without its line end.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn without_lines_of_blanks(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    // Start of the last line in `out`, and its line end, which is not in `out` yet.
    let (mut start, mut end): (usize, &[u8]) = (0, b"");
    for (number, line) in field.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let text = content(line);
        if number > 0 && is_blank(text) {
            if out.len() - start + text.len() <= WIDTH {
                out.extend_from_slice(text);
            }
            continue;
        }
        out.extend_from_slice(end);
        start = out.len();
        out.extend_from_slice(text);
        end = &line[text.len()..];
    }
    out.extend_from_slice(end);
    out
}

/// Adds the closing delimiters of multiparts that have none.
fn close(message: &Message<'_>, sealed: &[(bool, bool)], limits: &Limits, edits: &mut Vec<Edit>) {
    let raw = message.raw();
    let mut open: Vec<_> = unclosed(message)
        .filter(|id| sealed.get(id.0 as usize).is_some_and(|(sealed, _)| !sealed))
        .filter_map(|id| {
            Some((
                message.part(id)?.body.end,
                Reverse(id),
                message.boundary(id)?,
            ))
        })
        .filter(|(.., boundary)| boundary.len() <= WIDTH && !boundary.contains(&0))
        .collect();
    // If several end at the same offset, the inner ones come first.
    open.sort_unstable();
    let eol = message.eol().bytes();
    let mut new: Vec<Edit> = Vec::with_capacity(open.len());
    for same in open.chunk_by(|one, other| one.0 == other.0) {
        let Some((at, ..)) = same.first() else {
            continue;
        };
        let mut text = Vec::new();
        for (.., boundary) in same {
            text.extend([eol, b"--", boundary, b"--"].concat());
        }
        if !matches!(&raw[*at..], [b'\n', ..] | [b'\r', b'\n', ..]) {
            text.extend_from_slice(eol);
        }
        new.push(Edit::new(Span::new(*at, *at), text));
    }
    let free = |edit: &Edit| {
        let after = edits.partition_point(|other| other.span.end < edit.span.start);
        edits[after..]
            .iter()
            .take_while(|other| other.span.start <= edit.span.start)
            .all(|other| {
                // The other edit ends or begins here.
                !other.span.is_empty()
                    && (other.span.end == edit.span.start || other.span.start == edit.span.start)
            })
    };
    let in_body = |edit: &Edit| {
        let before = message
            .parts()
            .partition_point(|part| part.header.start <= edit.span.start);
        let last = before.checked_sub(1).and_then(|at| message.parts().get(at));
        last.is_some_and(|part| {
            let header = &raw[part.header.start..part.body.start];
            part.body.start < edit.span.start
                || header.ends_with(b"\n\n")
                || header.ends_with(b"\n\r\n")
        })
    };
    if new.is_empty() || !new.iter().all(|edit| free(edit) && in_body(edit)) {
        return;
    }
    let mut all = [edits.as_slice(), &new].concat();
    all.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let bytes = spliced(raw, &all);
    let after = Message::parse(&bytes, limits);
    if is_alike(message, &after)
        && unclosed(&after).count() + open.len() == unclosed(message).count()
    {
        *edits = all;
    }
}

/// Returns the multiparts without a closing delimiter.
fn unclosed(message: &Message<'_>) -> impl Iterator<Item = PartId> {
    message
        .defects()
        .iter()
        .filter(|event| event.kind == EventKind::MimeUnclosed)
        .map(|event| event.part)
}

/// Returns true if two messages have the same parts with the same boundaries.
fn is_alike(one: &Message<'_>, other: &Message<'_>) -> bool {
    let ids = 0..one.parts().len() as u32;
    one.parts().len() == other.parts().len()
        && one.parts().iter().zip(other.parts()).all(|(one, other)| {
            (one.kind, one.parent) == (other.kind, other.parent)
                && (&one.media.top, &one.media.sub) == (&other.media.top, &other.media.sub)
        })
        && ids
            .map(PartId)
            .all(|id| one.boundary(id) == other.boundary(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::header;

    #[test]
    fn lines_of_blanks_move_to_the_line_before() {
        let long = format!(
            "A: b\r\n{}c\r\n",
            format!("{}\r\n", " ".repeat(300)).repeat(9)
        );
        let cut = format!("A: b{}\r\nc\r\n", " ".repeat(600));
        for (field, want) in [
            ("A: b\r\n", "A: b\r\n"),
            ("A: b\r\n c\r\n", "A: b\r\n c\r\n"),
            ("A: b\r\n \r\n c\r\n", "A: b \r\n c\r\n"),
            ("A: b\r\n \r\n\t \r\n c\r\n", "A: b \t \r\n c\r\n"),
            ("A:\r\n \r\n b\r\n \r\n", "A: \r\n b \r\n"),
            ("A: b\n \n c\n", "A: b \n c\n"),
            ("A: b\r\n ", "A: b \r\n"),
            (&long, &cut),
        ] {
            let got = without_lines_of_blanks(field.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), want);
            assert_eq!(
                has_line_of_blanks(field.as_bytes()),
                field != want,
                "{field:?}"
            );
            assert!(!has_line_of_blanks(&got));
            if field != long {
                assert_eq!(
                    header::unfold(&got),
                    header::unfold(field.as_bytes()),
                    "{field:?}"
                );
            }
        }
    }
}
