//! Tests which text a message contains.

use super::*;
use crate::event::EventKind;
use crate::limits::Limits;
use crate::normalize::process;
use crate::span::Span;
use mailglot_codec::Charset;

/// Section, media type and text of a text part.
type ReadPart = (String, String, String);

/// Returns all text parts, and code and span of each event of the body.
fn read(raw: &[u8]) -> (Vec<ReadPart>, Vec<(&'static str, Span)>) {
    read_under(raw, &Policy::default())
}

fn read_under(raw: &[u8], policy: &Policy) -> (Vec<ReadPart>, Vec<(&'static str, Span)>) {
    let message = Message::parse(raw, &policy.limits);
    let mut report = Report::with_limit(100);
    let shown = |part: TextPart<'_>| {
        assert!((part.part.0 as usize) < message.parts().len());
        (
            part.section,
            format!("{}/{}", part.media.top, part.media.sub),
            part.text.into_owned(),
        )
    };
    let parts = text_parts(&message, policy, &mut report)
        .into_iter()
        .map(shown)
        .collect();
    for event in &report.events {
        assert!(
            event.at.start <= event.at.end && event.at.end <= raw.len(),
            "{event:?}"
        );
    }
    (
        parts,
        report
            .events
            .iter()
            .map(|event| (event.kind.code(), event.at))
            .collect(),
    )
}

fn one(section: &str, media: &str, text: &str) -> ReadPart {
    (section.to_owned(), media.to_owned(), text.to_owned())
}

#[test]
fn closed_multiparts_give_their_text() {
    for (header, body) in [
        ("multipart/mixed", "no boundary\n"),
        (
            "multipart/signed; boundary=\"\"",
            "--\nContent-Type: text/plain\n\nx\n",
        ),
        ("multipart/encrypted; boundary=a", "never here\n--ab\n"),
        ("multipart/mixed; boundary=a", "only the end\n--a--\n"),
    ] {
        let raw = format!("Content-Type: {header}\n\n{body}");
        let media = header.split(';').next().unwrap_or_default();
        let expected = [one("1", media, body)];
        assert_eq!(read(raw.as_bytes()).0, expected, "{header}");
        // Its charset is guessed: a label counts only on text.
        let mut raw = format!("Content-Type: {header}; charset=utf-16\n\n").into_bytes();
        raw.extend(body.bytes().map(|b| if b == b'n' { 0xfc } else { b }));
        let expected = if body.is_empty() {
            vec![]
        } else {
            vec![one("1", media, &body.replace('n', "ü"))]
        };
        assert_eq!(read(&raw).0, expected, "{header}");
    }
    // Blank ones give no text. The parts come in document order.
    let raw = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Type: multipart/mixed\n\n \n--b\nContent-Type: multipart/mixed; boundary=c\n\ntwo\n--b\n\nthree\n--b--\n";
    let expected = [
        one("1", "text/plain", "one"),
        one("3", "multipart/mixed", "two"),
        one("4", "text/plain", "three"),
    ];
    assert_eq!(read(raw).0, expected);
}

#[test]
fn text_beyond_the_depth_limit_is_returned() {
    let raw =
        b"Content-Type: message/rfc822\n\nSubject: x\nContent-Type: message/rfc822\n\nSubject: y\n\nz\n";
    let policy = Policy {
        limits: Limits {
            depth: 1,
            ..Limits::default()
        },
        ..Policy::default()
    };
    assert_eq!(
        read_under(raw, &policy).0,
        [one("1.1", "message/rfc822", "Subject: y\n\nz\n")]
    );
}

#[test]
fn signed_parts_are_read() {
    let raw = b"Content-Type: multipart/signed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\n\xfc\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n";
    assert_eq!(read(raw).0, [one("1", "text/plain", "ü")]);
}

/// A message with `Subject: x` and a multipart of a plain and an HTML part, with an invalid byte in the second.
const INNER: &str = "Subject: x\r\nContent-Type: multipart/alternative; boundary=i\r\n\r\n--i\r\n\r\none\r\n--i\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>two\u{fc}\r\n--i--\r\n";

fn base64(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    crate::transfer::base64::encode_lines(bytes, 76, b"\n", &mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[test]
fn embedded_messages_in_a_transfer_encoding_are_opened() {
    let mut inner = INNER.as_bytes().to_vec();
    let bad = inner.iter().rposition(|b| *b == 0xbc).unwrap_or_default();
    inner[bad] = b'!';
    let mut quoted = Vec::new();
    crate::transfer::quoted_printable::encode(&inner, b"\r\n", &mut quoted);
    let quoted = String::from_utf8(quoted).unwrap_or_default();
    // An encoded structure must be invisible before decoding.
    let quoted = quoted.replacen("Subject", "=53ubject", 1);
    for (label, body) in [("base64", base64(&inner)), ("quoted-printable", quoted)] {
        let raw = format!(
            "Content-Type: multipart/mixed; boundary=o\n\n--o\n\nzero\n--o\nContent-Type: message/rfc822\nContent-Transfer-Encoding: {label}\n\n{body}\n--o--\n"
        );
        let (parts, events) = read(raw.as_bytes());
        let expected = [
            one("1", "text/plain", "zero"),
            one("2.1", "text/plain", "one"),
            one("2.2", "text/html", "<p>two\u{fffd}!"),
        ];
        assert_eq!(parts, expected, "{label}");
        // The span of the invalid byte is that of its encoded form.
        let (_, at) = events
            .iter()
            .find(|(code, _)| *code == "charset.invalid-bytes")
            .copied()
            .unwrap_or_default();
        let expected = if label == "base64" {
            let quantum = (bad - 1) / 3 * 4;
            let start = raw.find(&body).unwrap_or_default() + quantum + quantum / 76;
            start..start + 5
        } else {
            let start = raw.find("=C3!").unwrap_or_default();
            start..start + 4
        };
        assert!(
            expected.contains(&at.start) && at.end > at.start && at.end <= expected.end,
            "{label} {at:?}"
        );
        // Truncated messages must not panic.
        for end in (0..raw.len()).step_by(7) {
            read(&raw.as_bytes()[..end]);
        }
    }
}

#[test]
fn embedded_messages_are_opened_a_few_levels_deep() {
    let mut raw = b"Subject: innermost\n\ntext\n".to_vec();
    for level in 1..=6 {
        raw = [
            b"Subject: x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n",
            base64(&raw).as_bytes(),
        ]
        .concat();
        let (parts, _) = read(&raw);
        assert_eq!(parts.len(), 1, "{level}");
        let (section, media, text) = &parts[0];
        if level <= 4 {
            assert_eq!(
                (section.len(), media.as_str(), text.as_str()),
                (2 * level + 1, "text/plain", "text\n")
            );
        } else {
            assert_eq!(media, "message/rfc822");
            assert!(text.starts_with("Subject: "), "{text:?}");
        }
    }
}

#[test]
fn multiparts_in_a_transfer_encoding_are_opened() {
    let body =
        base64(b"--i\r\n\r\none\r\n--i\r\nContent-Type: text/html\r\n\r\n<p>two\r\n--i--\r\n");
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=i\nContent-Transfer-Encoding: base64\n\n{body}"
    );
    assert_eq!(
        read(raw.as_bytes()).0,
        [
            one("1", "text/plain", "one"),
            one("2", "text/html", "<p>two")
        ]
    );
    // A body without structure is text.
    let body = base64(b"nothing but words\r\n");
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=i\nContent-Transfer-Encoding: base64\n\n{body}"
    );
    assert_eq!(
        read(raw.as_bytes()).0,
        [one("1", "multipart/mixed", "nothing but words\r\n")]
    );
}

#[test]
fn notes_in_the_place_of_attachments_are_text() {
    let raw = |body: &str| {
        format!(
            "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n{body}"
        )
    };
    let note = "\nThis attachment was removed, because it had a virus: W32/Zafi.B\n";
    assert_eq!(
        read(raw(note).as_bytes()).0,
        [one("1", "application/pdf", note)]
    );
    let bytes: Vec<u8> = (0..=255).collect();
    for body in [
        base64(&bytes),
        base64(b"A"),
        String::new(),
        "Word\n".to_owned(),
        "a b\u{1}\u{2} c d\n".to_owned(),
    ] {
        assert_eq!(read(raw(&body).as_bytes()).0, [], "{body:?}");
    }
    // Without the base64 label, the media type counts.
    let plain = format!("Content-Type: application/pdf\n\n{note}");
    assert_eq!(read(plain.as_bytes()).0, []);
}

#[test]
fn encoded_blocks_are_reported_with_their_spans() {
    let uu = "begin 644 a.txt\n#0V%T\n`\nend\n";
    let yenc = "=ybegin line=128 size=3 name=a\nabc\n=yend size=3\n";
    let raw = format!("Subject: x\n\nbefore\n{uu}between\n{yenc}after\n");
    let (parts, events) = read(raw.as_bytes());
    assert_eq!(parts.len(), 1);
    let span = |text: &str| {
        raw.find(text)
            .map(|at| Span::new(at, at + text.len()))
            .unwrap_or_default()
    };
    assert_eq!(
        events,
        [("cte.uuencode", span(uu)), ("cte.yenc", span(yenc))]
    );
    // Inside quoted-printable, the span is that of the encoded block.
    let quoted = uu.replace('#', "=23").replace("end", "=65nd");
    let raw = format!("Content-Transfer-Encoding: quoted-printable\n\nx=\n=0A{quoted}y\n");
    let (_, events) = read(raw.as_bytes());
    let at = raw.find("begin").unwrap_or_default();
    assert_eq!(events, [("cte.uuencode", Span::new(at, at + quoted.len()))]);
}

#[test]
fn a_body_with_yenc_stays() {
    let raw = b"Content-Type: text/plain; charset=iso-8859-1\n\n\xfc\n=ybegin line=128 size=3 name=a\n\xe9\xe8\xe7\n=yend size=3\n";
    let outcome = process(raw, &Policy::default());
    assert!(outcome.edits.is_empty());
    assert!(
        outcome
            .report
            .events
            .iter()
            .any(|event| event.kind == EventKind::CteYenc)
    );
}

/// Binary data of yEnc loses nothing, since it stays. The text beside it may.
#[test]
fn yenc_gives_no_losses() {
    let data = "\u{81}\u{8d}\u{8f}\u{90}\u{9d}".repeat(40);
    let data: Vec<u8> = data.chars().map(|c| c as u8).collect();
    for (head, text, losses) in [
        ("Subject: x", &b"see\n"[..], 0),
        ("Content-Type: text/plain; charset=utf-8", b"see\n", 0),
        ("Content-Type: text/plain; charset=big5", b"see\n", 0),
        (
            "Content-Type: text/plain; charset=utf-8",
            b"gr\xC3\xBCn gr\xC3\xBCn \xFF\n",
            1,
        ),
    ] {
        let raw = [
            head.as_bytes(),
            b"\n\n",
            text,
            b"=ybegin line=128 size=200 name=a.jpg\n",
            &data,
            b"\n=yend size=200\n",
        ]
        .concat();
        let outcome = process(&raw, &Policy::default());
        let events = &outcome.report.events;
        let lost = events
            .iter()
            .filter(|event| event.kind == EventKind::CharsetInvalidBytes);
        assert_eq!(lost.count(), losses, "{head}");
        assert!(outcome.edits.is_empty(), "{head}");
        assert!(events.iter().any(|event| event.kind == EventKind::CteYenc));
    }
}

#[test]
fn unchanged_text_attachments_are_reported() {
    for (charset, body, want) in [
        ("iso-8859-1", &b"\xfc\n"[..], true),
        ("koi8-r", b"\xf0\xf2\n", true),
        ("utf-8", "ü\n".as_bytes(), false),
        ("iso-8859-1", b"ascii\n", false),
    ] {
        let mut raw = format!(
            "Content-Disposition: attachment\nContent-Type: text/plain; charset={charset}\n\n"
        )
        .into_bytes();
        raw.extend_from_slice(body);
        let outcome = process(&raw, &Policy::default());
        assert!(outcome.edits.is_empty());
        let found = outcome
            .report
            .events
            .iter()
            .any(|e| e.kind == EventKind::MimeAttachmentUntouched);
        assert_eq!(found, want, "{charset}");
    }
}

#[test]
fn nul_in_a_body_is_reported() {
    let (_, events) = read(b"Subject: x\n\na\0b and c\0\n");
    assert!(
        events.contains(&("cte.nul", Span::new(13, 14))),
        "{events:?}"
    );
}

/// Servers truncate the originals in their reports.
#[test]
fn a_closing_delimiter_alone_is_no_text() {
    for (body, expected) in [
        ("--=_part--\n", 0),
        ("\n--=_part--\r\n\n", 0),
        ("--------\n", 1),
        ("--Hans--\n", 1),
        ("--=_part--\nmore\n", 1),
    ] {
        let raw = format!("Content-Type: multipart/mixed; boundary=\"=_part\"\n\n{body}");
        assert_eq!(read(raw.as_bytes()).0.len(), expected, "{body}");
    }
}

#[test]
fn delimiters_in_the_body_reveal_the_boundary() {
    let body = "boundary=\"b\"\n\n--b\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n\
        =F0=D2\n--b\nContent-Type: text/html\n\n<p>\n--b--\n";
    for header in [
        "multipart/alternative",
        "multipart/alternative;",
        "multipart/alternative; boundary=\"x\"",
    ] {
        let raw = format!("Content-Type: {header}\n\n{body}");
        let (given, events) = read(raw.as_bytes());
        assert_eq!(
            given,
            [one("1", "text/plain", "Пр"), one("2", "text/html", "<p>")],
            "{header}"
        );
        let (_, at) = events
            .iter()
            .find(|(code, _)| *code == "mime.missing-boundary")
            .unwrap();
        assert_eq!(at.of(raw.as_bytes()), b"--b", "{header}");
        let cr = raw.replace('\n', "\r");
        assert_eq!(read(cr.as_bytes()).0, given, "{header}");
        // The planner does not change such a block.
        assert_eq!(
            *process(raw.as_bytes(), &Policy::default()).bytes,
            *raw.as_bytes(),
            "{header}"
        );
    }
    // Section numbers continue inside another multipart; a boundary may contain quotes.
    let inner =
        "Content-Type: multipart/mixed\n\n--\"\\\nContent-Type: text/plain\n\nin\n--\"\\--\n";
    let raw = format!("Content-Type: multipart/mixed; boundary=o\n\n--o\n\na\n--o\n{inner}--o--\n");
    assert_eq!(
        read(raw.as_bytes()).0,
        [one("1", "text/plain", "a"), one("2.1", "text/plain", "in")]
    );
    // A limit prevents this, too.
    let limits = Limits {
        depth: 0,
        ..Limits::default()
    };
    let policy = Policy {
        limits,
        ..Policy::default()
    };
    let raw = format!("Content-Type: multipart/mixed; boundary=b\n\n{body}");
    assert_eq!(
        read_under(raw.as_bytes(), &policy).0,
        [one("1", "multipart/mixed", body)]
    );
}

#[test]
fn a_charset_in_place_of_a_transfer_encoding_is_tried() {
    let read = |label: &str, encoding: &str, bytes: &[u8]| {
        let header = format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset={label}\n\
             Content-Transfer-Encoding: {encoding}\n\n"
        );
        let raw = [header.as_bytes(), bytes].concat();
        let (parts, events) = read(&raw);
        let once = process(&raw, &Policy::default()).bytes.into_owned();
        let twice = process(&once, &Policy::default()).bytes.into_owned();
        assert_eq!(once, twice, "{label} {encoding}");
        (parts[0].2.clone(), events)
    };
    let bytes = b"address: \xD6\xDC\xEB\xF1\n";
    let has_legacy = |events: &[(&str, Span)]| {
        events
            .iter()
            .any(|(code, _)| *code == "charset.legacy-in-utf8")
    };
    let (text, events) = read("utf-8", "ISO-8859-1", bytes);
    assert_eq!(text, "address: ÖÜëñ\n");
    assert!(has_legacy(&events));
    let cyrillic = Charset::KOI8_R.encode_exact("да\n").unwrap();
    assert_eq!(read("utf-8", "koi8-r", &cyrillic).0, "да\n");
    // Valid text keeps its label, and a real transfer encoding names no charset.
    assert_eq!(read("utf-8", "iso-8859-1", "é\n".as_bytes()).0, "é\n");
    assert_eq!(read("koi8-r", "iso-8859-1", &cyrillic).0, "да\n");
    assert_ne!(read("utf-8", "8bit", bytes).0, "address: ÖÜëñ\n");
    assert_ne!(read("utf-8", "us-ascii", bytes).0, "address: ÖÜëñ\n");
}

#[test]
fn a_charset_in_place_of_the_transfer_encoding_of_an_attachment_does_not_count() {
    let raw = b"From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/plain\n\
        Content-Transfer-Encoding: windows-1251\n\
        Content-Disposition: attachment; filename=a.txt\n\nVoil\xE0\n";
    let policy = Policy {
        transfer: crate::policy::Transfer::SevenBit,
        ..Policy::default()
    };
    let once = process(raw, &policy).bytes.into_owned();
    let text = |raw: &[u8]| read(raw).0[0].2.clone();
    assert_eq!(text(raw), "Voil\u{e0}\n");
    assert_eq!(text(&once), text(raw));
}
