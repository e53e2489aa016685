//! Tests the parts, delimiters, kinds and limits of parsed messages with tables.
//!
//! # Limits
//!
//! `header_tests` tests headers, `finding_tests` the reports of the parser.

use super::test_support::{NESTED, codes, laws, mixed, parse, shape};
use super::*;
use crate::limits::Limits;
use crate::transfer::TransferEncoding;

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
    assert_eq!(codes(&parse(base64)), ["cte.encoded-message"]);
    // RFC 6532, section 3.5, allows it for message/global.
    let global = String::from_utf8_lossy(base64).replace("rfc822", "global");
    assert_eq!(codes(&parse(global.as_bytes())), [""; 0]);
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
        ("Plain/Text; charset=koi8-r", "text/plain"),
        ("application/text", "text/plain"),
        ("txt/plain", "text/plain"),
        ("plain/plain", "text/plain"),
        ("application/pgp; x-action=sign; format=text", "text/plain"),
        ("application/pgp; format=mime", "application/pgp"),
        (
            "application/pgp; format=mime; format=text",
            "application/pgp",
        ),
        ("application/pgp", "application/pgp"),
        (
            "application/pgp; format=text; name=key.asc",
            "application/pgp",
        ),
        ("*/*", "text/plain"),
        ("html/text", "text/html"),
        ("*/*; name=photo.jpg", "*/*"),
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
