//! Content-Length: true of a message in an mbox file only until the message changes.

use mailglot_mime::{Edit, Span};

/// Adds the removal of every Content-Length field to the edits of a message; true when there was one.
pub(crate) fn remove(raw: &[u8], edits: &mut Vec<Edit>) -> bool {
    let fields = find(raw);
    for field in &fields {
        // An edit inside the field would overlap its removal; edits never reach over a field's end.
        edits.retain(|edit| edit.span.end <= field.start || edit.span.start >= field.end);
        let at = edits.partition_point(|edit| edit.span.start < field.start);
        let touching = edits.get(at).is_some_and(|edit| edit.span.start < field.end)
            || at.checked_sub(1).is_some_and(|before| edits[before].span.end > field.start);
        if !touching {
            edits.insert(at, Edit::new(*field, Vec::new()));
        }
    }
    !fields.is_empty()
}

const NAME: &[u8] = b"content-length";

fn starts_with_name(line: &[u8]) -> bool {
    line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

/// Whether a line before the first empty one begins with the name. Most messages have none, and are not looked at closely.
fn has_name(raw: &[u8]) -> bool {
    let mut rest = raw;
    loop {
        match rest.first() {
            None | Some(b'\r' | b'\n') => return false,
            Some(b'C' | b'c') if starts_with_name(rest) => return true,
            _ => {}
        }
        let Some(lf) = memchr::memchr(b'\n', rest) else { return false };
        rest = &rest[lf + 1..];
    }
}

/// Whole fields, folded lines and line end included, in the header of the message itself. The search ends where lines are in doubt:
/// at a CR without LF, and at a line that is no field, behind which the body may begin once the field is gone.
fn find(raw: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    if !has_name(raw) {
        return found;
    }
    let mut at = 0;
    let mut open = None;
    while at < raw.len() {
        let end = memchr::memchr(b'\n', &raw[at..]).map_or(raw.len(), |lf| at + lf + 1);
        let line = &raw[at..end];
        if has_lone_cr(line) {
            return found;
        }
        if !matches!(line[0], b' ' | b'\t') {
            if let Some(start) = open.take() {
                found.push(Span::new(start, at));
            }
            if !line.contains(&b':') {
                return found;
            }
            if starts_with_name(line) && line[NAME.len()..].trim_ascii_start().starts_with(b":") {
                open = Some(at);
            }
        }
        at = end;
    }
    found.extend(open.map(|start| Span::new(start, at)));
    found
}

fn has_lone_cr(line: &[u8]) -> bool {
    let content = line.strip_suffix(b"\n").unwrap_or(line);
    content.strip_suffix(b"\r").unwrap_or(content).contains(&b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_the_header_only() {
        let raw = b"Subject: x\nContent-Length: 12\nCONTENT-LENGTH :\r\n 7\r\nTo: y\n\nContent-Length: 3\n";
        assert_eq!(find(raw), [Span::new(11, 30), Span::new(30, 52)]);
        assert_eq!(find(b"Content-Length: 1"), [Span::new(0, 17)]);
        assert_eq!(find(b"Content-Length-X: 1\n\n"), []);
        assert_eq!(find(b""), []);
        assert_eq!(find(b"A: b\nno field\nContent-Length: 12\n\n"), []);
        assert_eq!(find(b"Content-Length: 1\n a\r\rContent-Length: 12\n\n"), []);
        assert_eq!(find(b"A: b\rbody\r\rtext: x\nContent-Length: 12\n\n"), []);
    }

    #[test]
    fn removal_fits_between_edits() {
        let raw = b"A: b\nContent-Length: 12\nC: d\n\nbody";
        let mut edits = vec![
            Edit::new(Span::new(3, 4), *b"B"),
            Edit::new(Span::new(21, 22), *b"x"),
            Edit::new(Span::new(27, 28), *b"D"),
        ];
        assert!(remove(raw, &mut edits));
        let spans: Vec<_> = edits.iter().map(|e| (e.span.start, e.span.end)).collect();
        assert_eq!(spans, [(3, 4), (5, 24), (27, 28)]);
        let mut out = Vec::new();
        mailglot_mime::splice(raw, &edits, &mut out).unwrap();
        assert_eq!(out, b"A: B\nC: D\n\nbody");
    }
}
