//! Tests the parser with tables, and the laws of each message.

use super::*;
use crate::Limits;
use crate::event::EventKind;

pub(super) fn parse(raw: &[u8]) -> Message<'_> {
    Message::parse(raw, &Limits::default())
}

/// Returns section, media type, kind and body of each part.
fn shape(raw: &[u8]) -> Vec<String> {
    let message = parse(raw);
    laws(&message);
    let line = |index: usize| {
        let id = PartId(index as u32);
        let part = message.part_at(id);
        let media = format!("{}/{}", part.media.top, part.media.sub);
        let body = match part.kind {
            PartKind::Leaf | PartKind::Opaque => part.body.of(raw).escape_ascii().to_string(),
            PartKind::Multipart | PartKind::Message => "…".to_owned(),
        };
        format!("{} {media} {:?} {body}", message.section(id), part.kind)
    };
    (0..message.parts().len()).map(line).collect()
}

fn codes(message: &Message<'_>) -> Vec<&'static str> {
    message
        .defects()
        .iter()
        .map(|event| event.kind.code())
        .collect()
}

/// Checks the laws that apply to every message.
pub(super) fn laws(message: &Message<'_>) {
    let raw = message.raw();
    let parts = message.parts();
    // Headers, bodies without parts and the gaps between them cover the message.
    let mut tiles = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let header = part.header;
        assert!(
            header.start <= header.end
                && header.end <= part.body.start
                && part.body.start <= part.body.end
        );
        assert!(part.body.end <= raw.len());
        let separator = &raw[header.end..part.body.start];
        assert!(
            separator
                .iter()
                .all(|b| matches!(b, b'\r' | b'\n' | b' ' | b'\t')),
            "{separator:?}"
        );
        tiles.push(header);
        if matches!(part.kind, PartKind::Leaf | PartKind::Opaque) {
            tiles.push(part.body);
        }
        let mut at = header.start;
        for field in message.fields(PartId(index as u32)) {
            assert!(at <= field.full.start && field.full.end <= header.end);
            assert_eq!(field.full.start, field.name.start);
            assert!(!field.name.is_empty() && field.name.end < field.value.start);
            assert!(field.value.start <= field.value.end && field.value.end <= field.full.end);
            let end = &raw[field.value.end..field.full.end];
            assert!(end.iter().all(|b| matches!(b, b'\r' | b'\n')));
            at = field.full.end;
        }
        if let Some(span) = part.charset {
            let field =
                message.all_fields()[part.content_type.expect("a charset has a field") as usize];
            assert!(field.value.start <= span.start && span.end <= field.value.end);
        }
        match part.parent {
            None => assert_eq!((index, part.depth, part.number), (0, 0, 1)),
            Some(parent) => {
                let above = message.part_at(parent);
                assert!((parent.0 as usize) < index);
                assert_eq!(above.depth + 1, part.depth);
                assert!(matches!(
                    above.kind,
                    PartKind::Multipart | PartKind::Message
                ));
                assert!(above.body.start <= header.start && part.body.end <= above.body.end);
            }
        }
    }
    assert_eq!((parts[0].header.start, parts[0].body.end), (0, raw.len()));
    let mut copy = Vec::new();
    for tile in &tiles {
        assert!(
            copy.len() <= tile.start,
            "tiles overlap or are out of order"
        );
        copy.extend_from_slice(&raw[copy.len()..tile.start]);
        copy.extend_from_slice(tile.of(raw));
    }
    copy.extend_from_slice(&raw[copy.len()..]);
    assert_eq!(copy, raw);
    for (index, part) in parts.iter().enumerate() {
        if part.kind == PartKind::Message {
            assert_eq!(
                parts
                    .iter()
                    .filter(|p| p.parent == Some(PartId(index as u32)))
                    .count(),
                1
            );
        }
    }
    assert!(
        message
            .defects()
            .windows(2)
            .all(|pair| pair[0].at.start <= pair[1].at.start)
    );
    for event in message.defects() {
        assert!(event.at.start <= event.at.end && event.at.end <= raw.len() && event.count > 0);
        assert!((event.part.0 as usize) < parts.len());
    }
}

pub(super) const NESTED: &str = "\
From: a@example.org
Content-Type: multipart/mixed;
 boundary=\"outer\"

preamble
--outer
Content-Type: multipart/alternative; boundary=outer-2

--outer-2
Content-Type: text/plain; charset=\"iso-8859-1\"

one
--outer-2
Content-Type: text/html

<p>two</p>

--outer-2--
inner epilogue
--outer
Content-Type: message/rfc822

Subject: embedded
Content-Type: multipart/mixed; boundary=third

--third

three
--third--

--outer
Content-Type: message/rfc822

Subject: single

four
--outer
Content-Disposition: Attachment; filename=x
Content-Transfer-Encoding: base64

Zm9v
--outer--
epilogue
";

#[test]
fn nested_parts_with_section_numbers() {
    let expected = [
        " multipart/mixed Multipart …",
        "1 multipart/alternative Multipart …",
        "1.1 text/plain Leaf one",
        "1.2 text/html Leaf <p>two</p>\\n",
        "2 message/rfc822 Message …",
        "2 multipart/mixed Multipart …",
        "2.1 text/plain Leaf three",
        "3 message/rfc822 Message …",
        "3.1 text/plain Leaf four",
        "4 text/plain Leaf Zm9v",
    ];
    assert_eq!(shape(NESTED.as_bytes()), expected);
    let message = parse(NESTED.as_bytes());
    assert_eq!(codes(&message), [""; 0]);
    assert_eq!(message.boundary(PartId(1)), Some(&b"outer-2"[..]));
    assert_eq!(message.boundary(PartId(2)), None);
    assert_eq!(
        message
            .part_at(PartId(2))
            .charset
            .map(|s| s.of(NESTED.as_bytes())),
        Some(&b"\"iso-8859-1\""[..])
    );
    assert!(message.part_at(PartId(9)).attachment && !message.part_at(PartId(8)).attachment);
    assert_eq!(
        message.part_at(PartId(9)).transfer,
        TransferEncoding::Base64
    );
    assert_eq!(
        message
            .field(PartId(5), b"subject")
            .map(|f| f.value.of(NESTED.as_bytes())),
        Some(&b" embedded"[..])
    );
}

#[test]
fn line_ends_do_not_change_the_shape() {
    let lf = shape(NESTED.as_bytes());
    assert_eq!(parse(NESTED.as_bytes()).eol(), Eol::Lf);
    for (eol, kind) in [("\r\n", Eol::CrLf), ("\r", Eol::Cr)] {
        let raw = NESTED.replace('\n', eol);
        assert_eq!(parse(raw.as_bytes()).eol(), kind);
        let escaped = eol.escape_default().to_string();
        let same: Vec<_> = shape(raw.as_bytes())
            .iter()
            .map(|line| line.replace(&escaped, "\\n"))
            .collect();
        assert_eq!(same, lf);
        assert_eq!(codes(&parse(raw.as_bytes())), [""; 0]);
    }
    // Mixed: every third line ends in CR LF.
    let mut mixed = String::new();
    for (number, line) in NESTED.lines().enumerate() {
        mixed.push_str(line);
        mixed.push_str(if number % 3 == 0 { "\r\n" } else { "\n" });
    }
    let same: Vec<_> = shape(mixed.as_bytes())
        .iter()
        .map(|line| line.replace("\\r\\n", "\\n"))
        .collect();
    assert_eq!(same, lf);
    // A mailbox adds an LF after a message with CR.
    let raw = NESTED.replace('\n', "\r") + "\n";
    assert_eq!(parse(raw.as_bytes()).eol(), Eol::Cr);
    assert_eq!(shape(raw.as_bytes()).len(), lf.len());
}

#[test]
fn section_numbers_of_roots() {
    assert_eq!(shape(b"a: b\n\nx"), ["1 text/plain Leaf x"]);
    assert_eq!(
        shape(b"Content-Type: message/rfc822\n\na: b\n\nx"),
        ["1 message/rfc822 Message …", "1.1 text/plain Leaf x"]
    );
    assert_eq!(
        shape(b"Content-Type: multipart/mixed\n\nx"),
        ["1 multipart/mixed Opaque x"]
    );
}

/// Returns a multipart of one level with this body.
pub(super) fn mixed(body: &str) -> String {
    format!("Content-Type: multipart/mixed; boundary=b\n\n{body}")
}

#[test]
fn delimiters_match_exactly() {
    let table: &[(&str, &[&str])] = &[
        // Only blanks may follow a delimiter.
        ("--b \t\n\nx\n--b-- \t\n", &["x"]),
        (
            "--b\n\nx\n--bc\ny\n --b\nz--b\n--b x\n--b--",
            &["x\\n--bc\\ny\\n --b\\nz--b\\n--b x"],
        ),
        ("--b\n\nx\n--b-\n--b--x\n--b--", &["x\\n--b-\\n--b--x"]),
        // Only the line end before the delimiter belongs to it.
        ("--b\n\nx\n\n\n--b--", &["x\\n\\n"]),
        ("--b\n\n\n--b\n\n--b\n--b--", &["", "", ""]),
        // An epilogue has no parts.
        ("--b\n\nx\n--b--\n--b\n\ny\n--b--", &["x"]),
        // Boundaries are case-sensitive.
        ("--b\n\nx\n--B\n--b--", &["x\\n--B"]),
    ];
    for (body, parts) in table {
        let raw = mixed(body);
        let message = parse(raw.as_bytes());
        laws(&message);
        let bodies: Vec<_> = message.parts()[1..]
            .iter()
            .map(|p| p.body.of(raw.as_bytes()).escape_ascii().to_string())
            .collect();
        assert_eq!(bodies, *parts, "{body:?}");
    }
}

#[test]
fn an_outer_delimiter_closes_inner_multiparts() {
    let raw =
        mixed("--b\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\nx\n--b\n\ny\n--b--\n");
    let expected = [
        " multipart/mixed Multipart …",
        "1 multipart/mixed Multipart …",
        "1.1 text/plain Leaf x",
        "2 text/plain Leaf y",
    ];
    assert_eq!(shape(raw.as_bytes()), expected);
    assert_eq!(codes(&parse(raw.as_bytes())), ["mime.unclosed"]);
    assert_eq!(parse(raw.as_bytes()).defects()[0].part, PartId(1));
}

#[test]
fn of_equal_boundaries_the_innermost_open_one_counts() {
    let raw = mixed(
        "--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--b\n\ny\n--b--\n",
    );
    let expected = [
        " multipart/mixed Multipart …",
        "1 multipart/mixed Multipart …",
        "1.1 text/plain Leaf x",
        "2 text/plain Leaf y",
    ];
    assert_eq!(shape(raw.as_bytes()), expected);
    // One boundary is another one with two hyphens after it: the innermost counts.
    let raw = mixed(
        "--b\nContent-Type: multipart/mixed; boundary=\"b--\"\n\n--b--\n\nx\n--b----\n--b\n\ny\n--b--\n",
    );
    assert_eq!(shape(raw.as_bytes()), expected);
}

#[test]
fn multiparts_without_parts_are_opaque() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            "Content-Type: multipart/mixed\n\nx\n--y\n",
            "x\\n--y\\n",
            &["mime.missing-boundary"],
        ),
        (
            "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n",
            "--\\n",
            &["mime.missing-boundary"],
        ),
        (
            "Content-Type: multipart/mixed; boundary=b\n\nx",
            "x",
            &["mime.missing-boundary"],
        ),
        (
            "Content-Type: multipart/mixed; boundary=b\n\nx\n--b--\n",
            "x\\n--b--\\n",
            &["mime.missing-boundary"],
        ),
        (
            "Content-Type: multipart/mixed; boundary=b\n",
            "",
            &["mime.missing-boundary"],
        ),
    ];
    for (raw, body, events) in table {
        let message = parse(raw.as_bytes());
        laws(&message);
        assert_eq!(
            shape(raw.as_bytes()),
            [format!("1 multipart/mixed Opaque {body}")]
        );
        assert_eq!(codes(&message), *events, "{raw:?}");
    }
    let unclosed = mixed("--b\n\nx");
    assert_eq!(codes(&parse(unclosed.as_bytes())), ["mime.unclosed"]);
}

#[test]
fn boundaries_are_unquoted_and_trimmed() {
    for (parameter, boundary) in [
        ("\"a b\"", "a b"),
        ("\"a\\\"b\"", "a\"b"),
        ("\"b \"", "b"),
        ("a=_b", "a=_b"),
        ("\"(x)/:?\"", "(x)/:?"),
    ] {
        let raw = format!(
            "Content-Type: multipart/mixed; boundary={parameter}\n\n--{boundary}\n\nx\n--{boundary}--\n"
        );
        assert_eq!(shape(raw.as_bytes()).len(), 2, "{parameter}");
    }
}

#[test]
fn children_of_digests_are_messages() {
    let raw = "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\none\n--b\nContent-Type: text/plain\n\ntwo\n--b--\n";
    let expected = [
        " multipart/digest Multipart …",
        "1 message/rfc822 Message …",
        "1.1 text/plain Leaf one",
        "2 text/plain Leaf two",
    ];
    assert_eq!(shape(raw.as_bytes()), expected);
}

#[test]
fn embedded_messages_in_a_transfer_encoding() {
    let base64 = b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKeQo=\n";
    assert_eq!(
        shape(base64),
        ["1 message/rfc822 Leaf U3ViamVjdDogeAoKeQo=\\n"]
    );
    assert_eq!(codes(&parse(base64)), ["cte.wrong-label"]);
    // The structure is visible without decoding, so the label is wrong.
    let plain =
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\nSubject: x\n\ny\n";
    assert_eq!(
        shape(plain),
        ["1 message/rfc822 Message …", "1.1 text/plain Leaf y\\n"]
    );
    assert_eq!(codes(&parse(plain)), ["cte.wrong-label"]);
    for other in [
        "message/partial",
        "message/external-body",
        "message/delivery-status",
    ] {
        let raw = format!("Content-Type: {other}\n\nSubject: x\n\ny\n");
        assert_eq!(
            shape(raw.as_bytes()),
            [format!("1 {other} Leaf Subject: x\\n\\ny\\n")]
        );
    }
}

#[test]
fn media_types_are_cleaned() {
    for (value, media) in [
        ("TEXT/HTML; charset=x", "text/html"),
        (" text / html", "text/html"),
        ("text/html charset=x", "text/html"),
        ("(comment) image/x-Foo", "image/x-foo"),
        ("text", "text/plain"),
        ("", "text/plain"),
        ("/html", "text/plain"),
        ("text/", "text/plain"),
    ] {
        let raw = format!("Content-Type: {value}\nContent-Type: image/png\n\n");
        let message = parse(raw.as_bytes());
        let part = message.part_at(PartId::ROOT);
        assert_eq!(
            format!("{}/{}", part.media.top, part.media.sub),
            media,
            "{value:?}"
        );
    }
}

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

#[test]
fn limits_have_an_outcome() {
    let raw = NESTED.as_bytes();
    let limited = |limits: Limits| {
        let message = Message::parse(raw, &limits);
        laws(&message);
        (message.parts().len(), codes(&message).join(" "))
    };
    let default = Limits::default();
    assert_eq!(
        limited(Limits {
            depth: 0,
            ..default
        }),
        (1, "mime.depth".to_owned())
    );
    assert_eq!(
        limited(Limits {
            depth: 1,
            ..default
        }),
        (
            5,
            "mime.depth mime.ambiguous-boundary mime.depth mime.depth".to_owned()
        )
    );
    assert_eq!(
        limited(Limits {
            depth: 2,
            ..default
        }),
        (9, "mime.depth".to_owned())
    );
    assert_eq!(
        limited(Limits {
            parts: 3,
            ..default
        }),
        (3, "mime.depth".to_owned())
    );
    assert_eq!(
        limited(Limits {
            parts: 0,
            ..default
        }),
        (1, "mime.depth".to_owned())
    );
    assert_eq!(
        limited(Limits {
            fields: 1,
            ..default
        }),
        (1, "hdr.beyond-limit".to_owned())
    );
    let long = b"Subject: a
Content-Type: multipart/mixed

";
    let long = Message::parse(
        long,
        &Limits {
            field: 11,
            ..default
        },
    );
    assert_eq!(codes(&long), ["hdr.beyond-limit"]);
    assert_eq!(
        (
            long.fields(PartId::ROOT).len(),
            &*long.part_at(PartId::ROOT).media.top
        ),
        (2, "text")
    );
}
