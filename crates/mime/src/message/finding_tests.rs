//! Tests the reports about messages that other readers may read differently.

use super::test_support::parse;
use super::*;
use crate::event::{Event, EventKind};
use crate::transfer::TransferEncoding;

/// Returns code, detail, text and count of each finding.
fn findings(raw: &str) -> Vec<(&'static str, String, String, u64)> {
    let message = parse(raw.as_bytes());
    let shown = |event: &Event| {
        let at = event.at.of(raw.as_bytes()).escape_ascii().to_string();
        (event.kind.code(), event.detail.to_string(), at, event.count)
    };
    message.defects().iter().map(shown).collect()
}

#[test]
fn fields_that_occur_again() {
    let single = [
        "Content-Type",
        "Content-Transfer-Encoding",
        "Content-Disposition",
        "From",
        "Subject",
        "Date",
        "To",
        "Cc",
        "Bcc",
        "Sender",
        "Reply-To",
        "Message-ID",
        "In-Reply-To",
        "References",
        "MIME-Version",
        "Content-ID",
        "Content-Description",
        "Content-Location",
    ];
    for name in single {
        let again = name.to_uppercase();
        assert_eq!(
            findings(&format!("{name}: 7bit\nReceived: x\n\n")),
            [],
            "{name}"
        );
        let twice = format!("{name}: 7bit\nReceived: x\n{again}: 7bit\n{name}: 8bit\n\n");
        assert_eq!(
            findings(&twice),
            [("hdr.duplicate", name.to_owned(), again, 2)],
            "{name}"
        );
    }
    for name in [
        "Received",
        "X-Subject",
        "Resent-To",
        "Comments",
        "Keywords",
        "DKIM-Signature",
        "T",
        "Subjecs",
    ] {
        assert_eq!(findings(&format!("{name}: a\n{name}: b\n\n")), [], "{name}");
    }
    // Each header is counted separately, and two fields are two findings.
    let raw = "Content-Type: message/rfc822\nTo: a\nCc: a\n\nContent-Type: text/plain\nTo: b\nCc: b\nto: c\ncc: c\n\n";
    let names: Vec<_> = findings(raw)
        .into_iter()
        .map(|(_, detail, ..)| detail)
        .collect();
    assert_eq!(names, ["To", "Cc"]);
}

#[test]
fn the_first_of_several_fields_counts() {
    let raw = b"Content-Type: text/html; charset=a\nContent-Type: text/plain; charset=b\nContent-Transfer-Encoding: base64\nContent-Transfer-Encoding: 7bit\n\nPGI+\n";
    let message = parse(raw);
    let part = message.part_at(PartId::ROOT);
    assert_eq!(
        (&*part.media.sub, part.transfer),
        ("html", TransferEncoding::Base64)
    );
    assert_eq!(part.charset.map(|span| span.of(raw)), Some(&b"a"[..]));
}

#[test]
fn lines_that_only_begin_as_delimiters() {
    let header = "Content-Type: multipart/mixed; boundary=b1\n\n";
    let stray = |line: &str, count| {
        vec![(
            "mime.ambiguous-boundary",
            "not a delimiter".to_owned(),
            line.to_owned(),
            count,
        )]
    };
    let table: &[(&str, Vec<_>)] = &[
        ("--b1\n\nx\n--b1--\n", vec![]),
        ("--b1 \t\n\nx\n--b1-- \n", vec![]),
        ("--b1\n\n--b12\n--b1x\nx\n--b1--\n", stray("--b12", 2)),
        ("--b1\n\nx\n--b1 x\n--b1--\n", stray("--b1 x", 1)),
        ("--b1\n\nx\n--b1-\n--b1--\n", stray("--b1-", 1)),
        ("--b1\n\nx\n--b1--x\n--b1--\n", stray("--b1--x", 1)),
        // Another boundary, in the middle of a line, in other case, after the end.
        (
            "--b1\n\nx\n--b2\ny --b12\n --b12\n--B12\n-- \n--b1--\n--b12\n",
            vec![],
        ),
        // The boundary of an inner multipart is not an ambiguous line.
        (
            "--b1\nContent-Type: multipart/mixed; boundary=b12\n\n--b12\n\nx\n--b12--\n--b1--\n",
            vec![],
        ),
        (
            "--b1\nContent-Type: multipart/mixed; boundary=c\n\n--c\n--b1x\n--c--\n--b1--\n",
            stray("--b1x", 1),
        ),
    ];
    for (body, found) in table {
        let all = findings(&format!("{header}{body}"));
        let all: Vec<_> = all
            .into_iter()
            .filter(|f| f.0 != "mime.no-blank-line")
            .collect();
        assert_eq!(all, *found, "{body:?}");
        let crlf = findings(&format!("{header}{body}").replace('\n', "\r\n"));
        assert_eq!(
            crlf.iter()
                .filter(|f| f.0 == "mime.ambiguous-boundary")
                .count(),
            found.len(),
            "{body:?}"
        );
    }
}

#[test]
fn names_that_two_fields_give() {
    let differ = |content: &str, disposition: &str| {
        let raw = format!("Content-Type: {content}\nContent-Disposition: {disposition}\n\n");
        findings(&raw)
            .iter()
            .any(|finding| finding.0 == "mime.ambiguous-name")
    };
    for (content, disposition) in [
        ("image/png; name=a.png", "attachment; filename=b.png"),
        ("image/png; name=a.png", "inline; filename=a.PNG"),
        ("text/plain; name=\"a b\"", "attachment; filename=a"),
        ("text/plain; name=a", "attachment; filename*=utf-8''b"),
        ("text/plain; name*0=a; name*1=b", "attachment; filename=a"),
    ] {
        assert!(differ(content, disposition), "{content} {disposition}");
    }
    for (content, disposition) in [
        ("image/png; name=a.png", "attachment; filename=a.png"),
        ("image/png; name=\"a.png\"", "attachment; filename=a.png"),
        ("image/png; name=a", "attachment"),
        ("image/png", "attachment; filename=a"),
        (
            "text/plain; name=\"=?utf-8?q?=C3=A4?=\"",
            "attachment; filename*=utf-8''%C3%A4",
        ),
        ("text/plain; name*0=a; name*1=b", "attachment; filename=ab"),
    ] {
        assert!(!differ(content, disposition), "{content} {disposition}");
    }
}

#[test]
fn closed_formats_are_named() {
    for (media, code) in [
        ("message/partial; id=x; number=1", Some("mime.partial")),
        ("Message/Partial", Some("mime.partial")),
        ("application/ms-tnef; name=winmail.dat", Some("mime.tnef")),
        ("application/vnd.ms-tnef", Some("mime.tnef")),
        ("message/external-body; access-type=URL", None),
        ("message/delivery-status", None),
        ("application/pkcs7-mime", None),
        ("text/ms-tnef", None),
    ] {
        let raw = format!("Content-Type: {media}\n\nSubject: x\n\ny\n");
        let message = parse(raw.as_bytes());
        assert_eq!(message.parts().len(), 1);
        let codes: Vec<_> = message
            .defects()
            .iter()
            .map(|event| event.kind.code())
            .collect();
        assert_eq!(codes, Vec::from_iter(code), "{media}");
    }
}

#[test]
fn lines_of_blanks_inside_a_header() {
    let found = findings("A: b\n \t\nC: d\n  \n\t\n e\n\nx");
    assert_eq!(
        found,
        [("hdr.blank-line", String::new(), " \\t".to_owned(), 3)]
    );
    let kinds = |raw: &str| {
        parse(raw.as_bytes())
            .defects()
            .iter()
            .map(|d| d.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("A: b\n c\n\nx"), []);
    assert_eq!(kinds("A: b\n \nx y\n"), [EventKind::MimeNoBlankLine]);
}
