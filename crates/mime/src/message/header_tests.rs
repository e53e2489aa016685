//! Tests how the lines of a damaged header are read.
//!
//! # Limits
//!
//! Tests single messages; `law_tests` tests mutants.

use super::test_support::{codes, laws, mixed, parse, shape};
use super::*;
use crate::event::EventKind;

/// Returns names and values of the root's fields, the body and the codes of the defects.
fn header(raw: &[u8]) -> (Vec<String>, String, Vec<&'static str>) {
    let message = parse(raw);
    laws(&message);
    let field = |f: &Field| {
        format!(
            "{}|{}",
            f.name.of(raw).escape_ascii(),
            f.value.of(raw).escape_ascii()
        )
    };
    let fields = message.fields(PartId::ROOT).iter().map(field).collect();
    let body = message
        .part_at(PartId::ROOT)
        .body
        .of(raw)
        .escape_ascii()
        .to_string();
    (fields, body, codes(&message))
}

#[test]
fn headers_with_damage() {
    type Row = (
        &'static [u8],
        &'static [&'static str],
        &'static str,
        &'static [&'static str],
    );
    let table: &[Row] = &[
        (b"", &[], "", &[]),
        (b"\nbody", &[], "body", &[]),
        (b"\r\nbody", &[], "body", &[]),
        (b"A: b", &["A| b"], "", &[]),
        (b"A: b\n", &["A| b"], "", &[]),
        (b"A:\n\n", &["A|"], "", &[]),
        (b"A : b\nC:d\n\n", &["A| b", "C|d"], "", &[]),
        (b"A: b\n c\n\td\n\nx", &["A| b\\n c\\n\\td"], "x", &[]),
        (b"A: b\r\n c\r\n\r\nx", &["A| b\\r\\n c"], "x", &[]),
        // CR CR LF of a broken gateway.
        (
            b"A: b\r\r\nC: d\r\r\n\r\r\nx",
            &["A| b", "C| d"],
            "x",
            &["hdr.bare-cr"],
        ),
        (
            b"A: b\rB: c\r\n\r\nx",
            &["A| b\\rB: c"],
            "x",
            &["hdr.bare-cr"],
        ),
        (
            b"Sub\0ject: x\0y\n\nz",
            &["Sub\\x00ject| x\\x00y"],
            "z",
            &["hdr.nul"],
        ),
        // A line of blanks continues the header if fields follow.
        (
            b"A: b\n \nC: d\n\nx",
            &["A| b\\n ", "C| d"],
            "x",
            &["hdr.blank-line"],
        ),
        (
            b"A: b\n \n \n\nx",
            &["A| b\\n \\n "],
            "x",
            &["hdr.blank-line"],
        ),
        (
            b"A: b\n \nbody\n",
            &["A| b"],
            "body\\n",
            &["mime.no-blank-line"],
        ),
        (b"A: b\n \t \n", &["A| b"], "", &["mime.no-blank-line"]),
        // Empty lines before a header, and text that looks like one field.
        (
            b"\n\r\nFrom: a\nSubject: b\n\nx",
            &["From| a", "Subject| b"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b"\nX-Own: c\nname: d\n e\nDate: f\n\nx",
            &["X-Own| c", "name| d\\n e", "Date| f"],
            "x",
            &["hdr.no-colon"],
        ),
        (b"\nTo: us\n\nx", &[], "To: us\\n\\nx", &[]),
        (
            b"\n folded\nFrom: a\nTo: b\n",
            &[],
            " folded\\nFrom: a\\nTo: b\\n",
            &[],
        ),
        // Junk within a header, and a body without an empty line.
        (
            b"From: a\njunk line\nSubject: c\n\nx",
            &["From| a", "Subject| c"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b"From: a\njunk\n more\nSubject: c\n\nx",
            &["From| a", "Subject| c"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b"From: a\nHello world\nbye\n",
            &["From| a"],
            "Hello world\\nbye\\n",
            &["mime.no-blank-line"],
        ),
        (
            b"From: a\nHello world\n\nSubject: c\n",
            &["From| a"],
            "Hello world\\n\\nSubject: c\\n",
            &["mime.no-blank-line"],
        ),
        (
            b"Hello world\n",
            &[],
            "Hello world\\n",
            &["mime.no-blank-line"],
        ),
        (
            b"From a@b Mon Jan  1 00:00:00 2001\nA: b\n\nx",
            &["A| b"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b">From a@b Mon Jan  1 00:00:00 2001\nA: b\n\nx",
            &["A| b"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b" leading\nSubject: b\n\nx",
            &["Subject| b"],
            "x",
            &["hdr.no-colon"],
        ),
        (
            b": b\nSubject: c\n\nx",
            &["Subject| c"],
            "x",
            &["hdr.no-colon"],
        ),
    ];
    for (raw, fields, body, events) in table {
        let (found, text, codes) = header(raw);
        assert_eq!(
            (found.as_slice(), text.as_str()),
            (fields.map_strings().as_slice(), *body),
            "{}",
            raw.escape_ascii()
        );
        assert_eq!(codes, *events, "{}", raw.escape_ascii());
    }
}

trait MapStrings {
    fn map_strings(&self) -> Vec<String>;
}

impl MapStrings for &[&str] {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

#[test]
fn a_part_without_empty_line_keeps_its_text() {
    let raw =
        mixed("--b\nContent-Type: text/plain\nHello there\n--b\nContent-Type: text/html\n--b--\n");
    let expected = [
        " multipart/mixed Multipart …",
        "1 text/plain Leaf Hello there",
        "2 text/html Leaf ",
    ];
    assert_eq!(shape(raw.as_bytes()), expected);
    assert_eq!(
        codes(&parse(raw.as_bytes())),
        ["mime.no-blank-line", "mime.no-blank-line"]
    );
    // Even if the delimiter belongs to the multipart whose header it ends.
    let raw =
        "Content-Type: multipart/mixed; boundary=b\n--b\nContent-Type: text/html\n\nx\n--b--\n";
    assert_eq!(
        shape(raw.as_bytes()),
        [" multipart/mixed Multipart …", "1 text/html Leaf x"]
    );
}

#[test]
fn junk_is_counted_once_per_header() {
    let raw = b"Subject: a\nx\ny\nX-Subject: b\r\rz\nX-Subject: \0\0\n\n";
    let message = parse(raw);
    let counts: Vec<_> = message
        .defects()
        .iter()
        .map(|e| (e.kind, e.count, e.at.of(raw)))
        .collect();
    let expected: [(_, _, &[u8]); 3] = [
        (EventKind::HdrNoColon, 2, b"x"),
        (EventKind::HdrBareCr, 2, b"\r"),
        (EventKind::HdrNul, 2, b"\0"),
    ];
    assert_eq!(counts, expected);
}
