//! Removes Content-Length, which is only right until the message changes or is quoted differently.
//!
//! Lines are split as readers of mailboxes do. Every CR, LF, CR LF and CR CR LF ends one, and a line without a colon is skipped. The header
//! ends where the parser ends it: a field quoted in a body is text, and stays.

use crate::envelope::begins_field;
use mailglot_archive::mbox::line_end_length;
use mailglot_mime::{Edit, Message, PartId, Span};

/// Extends the edits of a message so that no Content-Length field remains. Returns the position of the first.
///
/// Removes the fields. Readers disagree about headers with lone CRs or lines that are not fields. There, renames the fields to
/// `X-Content-Length` instead, so that all lines stay.
///
/// `message` is `raw` as parsed. Without it, the first empty line ends the header.
pub(crate) fn remove(
    raw: &[u8],
    message: Option<&Message<'_>>,
    edits: &mut Vec<Edit>,
) -> Option<Span> {
    let header = message.map_or(raw, |message| &raw[..message.root().header.end]);
    if !has_name(header) {
        return None;
    }
    let LengthFields { fields, doubtful } = find(header, message);
    for field in &fields {
        // An edit inside the field would overlap its removal. Edits never extend beyond a field.
        edits.retain(|edit| edit.span.end <= field.start || edit.span.start >= field.end);
        let at = edits.partition_point(|edit| edit.span.start < field.start);
        let touching = edits
            .get(at)
            .is_some_and(|edit| edit.span.start < field.end)
            || at
                .checked_sub(1)
                .is_some_and(|before| edits[before].span.end > field.start);
        if !touching && doubtful {
            edits.insert(at, Edit::new(Span::new(field.start, field.start), PREFIX));
        } else if !touching {
            edits.insert(at, Edit::new(*field, Vec::new()));
        }
    }
    fields.first().copied()
}

/// Returns true if an edit gives a Content-Length its other name.
pub(crate) fn is_renaming(raw: &[u8], edit: &Edit) -> bool {
    edit.span.is_empty() && edit.with == PREFIX && begins_field(&raw[edit.span.start..], NAME)
}

const NAME: &[u8] = b"content-length";
/// Added before the name of a field that must not be removed.
const PREFIX: &[u8] = b"X-";

/// Returns true if a line before the first empty one begins with the name. A fast check: most messages have none.
fn has_name(raw: &[u8]) -> bool {
    let mut rest = without_empty_lines(raw);
    loop {
        match rest.first() {
            None | Some(b'\r' | b'\n') => return false,
            Some(b'C' | b'c') if begins_field(rest, NAME) => return true,
            _ => rest = &rest[line(rest).1..],
        }
    }
}

/// Returns a message without the empty lines before its header.
fn without_empty_lines(mut message: &[u8]) -> &[u8] {
    while let length @ 1.. = line_end_length(message) {
        message = &message[length..];
    }
    message
}

/// Returns the length of the first line, without and with its line end.
fn line(bytes: &[u8]) -> (usize, usize) {
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(at) => (at, at + line_end_length(&bytes[at..])),
        None => (bytes.len(), bytes.len()),
    }
}

/// Content-Length fields of a header.
#[derive(Debug, Default, PartialEq, Eq)]
struct LengthFields {
    /// Ranges of the fields, including folded lines and line ends.
    fields: Vec<Span>,
    /// True if there are lone CRs or lines that are not fields. Without a field after such a line, the body would begin at it.
    doubtful: bool,
}

fn find(raw: &[u8], message: Option<&Message<'_>>) -> LengthFields {
    let mut found = LengthFields::default();
    let fields = message.map(|message| {
        message
            .fields(PartId::ROOT)
            .iter()
            .map(|field| field.full.start)
    });
    let mut fields = fields.map(Iterator::peekable);
    let (mut at, mut open) = (0, None);
    while at < raw.len() {
        let (length, step) = line(&raw[at..]);
        let content = &raw[at..at + length];
        let is_folded = matches!(content.first(), Some(b' ' | b'\t'));
        if !is_folded {
            found
                .fields
                .extend(open.take().map(|start| Span::new(start, at)));
        }
        if content.is_empty() {
            // The parser ended the header before an empty line, but may have passed over some at its start.
            if fields.is_none() {
                return found;
            }
            found.doubtful = true;
            at += step;
            continue;
        }
        found.doubtful |= step == length + 1 && raw[at + length] == b'\r';
        let is_field = match &mut fields {
            _ if is_folded => true,
            None => content.contains(&b':'),
            Some(starts) => {
                while starts.next_if(|start| *start < at).is_some() {}
                starts.peek() == Some(&at)
            }
        };
        found.doubtful |= !is_field;
        if !is_folded && begins_field(content, NAME) {
            open = Some(at);
        }
        at += step;
    }
    found.fields.extend(open.map(|start| Span::new(start, at)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_mime::Limits;

    fn found(raw: &[u8]) -> (Vec<(usize, usize)>, bool) {
        let LengthFields { fields, doubtful } = find(raw, None);
        (
            fields.iter().map(|span| (span.start, span.end)).collect(),
            doubtful,
        )
    }

    #[test]
    fn fields_are_found_in_the_header_only() {
        let raw = b"Subject: x\nContent-Length: 12\nCONTENT-LENGTH :\r\n 7\r\nTo: y\n\nContent-Length: 3\n";
        assert_eq!(found(raw), (vec![(11, 30), (30, 52)], false));
        assert_eq!(found(b"Content-Length: 1"), (vec![(0, 17)], false));
        assert_eq!(found(b"Content-Length-X: 1\n\n"), (vec![], false));
        assert_eq!(found(b""), (vec![], false));
        assert_eq!(
            found(b"A: b\nno field\nContent-Length: 12\n\n"),
            (vec![(14, 33)], true)
        );
        assert_eq!(
            found(b"A: b\rContent-Length: 12\r\rContent-Length: 3\r"),
            (vec![(5, 24)], true)
        );
        assert_eq!(
            found(b"Content-Length: 1\n a\r\rContent-Length: 12\n\n"),
            (vec![(0, 21)], true)
        );
        assert_eq!(
            found(b"A: b\rbody\r\rtext: x\nContent-Length: 12\n\n"),
            (vec![], true)
        );
    }

    #[test]
    fn ambiguous_length_fields_are_renamed() {
        for raw in [
            &b"A: b\rContent-Length: 12\r\rbody"[..],
            b"A: b\nwhat\nContent-Length: 12\n\nbody",
        ] {
            let (mut edits, mut out) = (Vec::new(), Vec::new());
            assert!(remove(raw, None, &mut edits).is_some());
            mailglot_mime::splice(raw, &edits, &mut out).unwrap();
            let expected = String::from_utf8_lossy(raw).replace("Content-L", "X-Content-L");
            assert_eq!(String::from_utf8_lossy(&out), expected);
            assert_eq!(remove(&out, None, &mut Vec::new()), None, "once only");
        }
        // The second line is not a field. It stays in the header only if a field with a known name follows.
        let raw = b"A: b\nX-\x1aB: c\nContent-Length: 12\n\nbody";
        let message = Message::parse(raw, &Limits::default());
        let (mut edits, mut out) = (Vec::new(), Vec::new());
        assert!(remove(raw, Some(&message), &mut edits).is_some());
        mailglot_mime::splice(raw, &edits, &mut out).unwrap();
        assert_eq!(out, b"A: b\nX-\x1aB: c\nX-Content-Length: 12\n\nbody");
        let body = |raw: &[u8]| {
            Message::parse(raw, &Limits::default())
                .root()
                .body
                .of(raw)
                .to_vec()
        };
        assert_eq!(
            (body(raw), body(&out)),
            (b"body".to_vec(), b"body".to_vec())
        );
    }

    #[test]
    fn a_field_in_a_body_without_an_empty_line_before_it_stays() {
        let text = "Text without a colon.\n".repeat(9);
        let long = format!("Subject: a\n{text}Content-Length: 12\n\nbody");
        for raw in [
            long.as_bytes(),
            b"Subject: a\n--\nContent-Length: 12\n\nbody",
            b"Subject: a\n \ntext\nContent-Length: 12\n\nbody",
        ] {
            let message = Message::parse(raw, &Limits::default());
            let mut edits = Vec::new();
            assert_eq!(
                remove(raw, Some(&message), &mut edits),
                None,
                "{}",
                raw.escape_ascii()
            );
            assert!(edits.is_empty());
        }
        let raw = b"Subject: a\nContent-Length: 12\nText without a colon.\n\nContent-Length: 3\n";
        let message = Message::parse(raw, &Limits::default());
        assert_eq!(
            remove(raw, Some(&message), &mut Vec::new()),
            Some(Span::new(11, 30))
        );
    }

    #[test]
    fn removal_fits_between_edits() {
        let raw = b"A: b\nContent-Length: 12\nC: d\n\nbody";
        let mut edits = vec![
            Edit::new(Span::new(3, 4), *b"B"),
            Edit::new(Span::new(21, 22), *b"x"),
            Edit::new(Span::new(27, 28), *b"D"),
        ];
        assert!(remove(raw, None, &mut edits).is_some());
        let spans: Vec<_> = edits.iter().map(|e| (e.span.start, e.span.end)).collect();
        assert_eq!(spans, [(3, 4), (5, 24), (27, 28)]);
        let mut out = Vec::new();
        mailglot_mime::splice(raw, &edits, &mut out).unwrap();
        assert_eq!(out, b"A: B\nC: D\n\nbody");
    }
}
