//! Text attachments: files that stay, unless they are asked to become UTF-8.

#![allow(clippy::unwrap_used)]

#[path = "common/event_codes.rs"]
mod event_codes;

use event_codes::codes;
use mailglot_mime::{
    Attachments, Mail, Message, PartId, Policy, Report, TextPart, Transfer, apply_undo, process,
    text_parts, undo_edits,
};

/// A message with a text and an attachment of these header lines and bytes.
fn message(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee there\n--b\n";
    let disposition = "Content-Disposition: attachment; filename=a.txt\n";
    [
        head.as_bytes(),
        fields.as_bytes(),
        disposition.as_bytes(),
        b"\n",
        body,
        b"\n--b--\n",
    ]
    .concat()
}

/// Attachments as they come, what is read of each, and whether it needs a change.
fn attachments() -> Vec<(Vec<u8>, &'static str, bool)> {
    let koi8 = b"\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2";
    let base64 = "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n";
    let quoted =
        "Content-Type: text/csv; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n";
    vec![
        (
            message("Content-Type: text/plain; charset=koi8-r\n", koi8),
            "Привет, мир",
            true,
        ),
        (message(base64, b"8NLJ18XULCDNydI="), "Привет, мир", true),
        (message(quoted, b"a;=E9"), "a;\u{e9}", true),
        (
            message(
                "Content-Type: text/html; charset=iso-8859-1\n",
                b"<meta charset=iso-8859-1>\xe9",
            ),
            "",
            true,
        ),
        // UTF-8, ASCII, and bytes that are not text.
        (
            message("Content-Type: text/plain; charset=utf-8\n", "é".as_bytes()),
            "é",
            false,
        ),
        (
            message(
                "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n",
                b"w6k=",
            ),
            "é",
            false,
        ),
        (
            message("Content-Type: text/plain; charset=koi8-r\n", b"abc"),
            "abc",
            false,
        ),
        (
            message("Content-Type: application/x; charset=koi8-r\n", koi8),
            "",
            false,
        ),
    ]
}

#[test]
fn they_stay_and_are_told() {
    for (raw, _, legacy) in attachments() {
        let outcome = process(&raw, &Policy::default());
        assert_eq!(*outcome.bytes, raw, "{}", raw.escape_ascii());
        let told = codes(&outcome.report).contains(&"mime.attachment-untouched");
        assert_eq!(told, legacy, "{}", raw.escape_ascii());
    }
}

#[test]
fn they_become_utf8_where_that_is_asked_for() {
    for transfer in [
        Transfer::EightBit,
        Transfer::SevenBit,
        Transfer::Keep,
        Transfer::Clean,
    ] {
        let policy = Policy::default()
            .attachments(Attachments::Utf8)
            .transfer(transfer);
        for (raw, text, legacy) in attachments() {
            let shown = raw.escape_ascii();
            let outcome = process(&raw, &policy);
            let is_encoded = transfer == Transfer::SevenBit && !raw.is_ascii();
            assert_eq!(*outcome.bytes != raw, legacy || is_encoded, "{shown}");
            assert!(transfer != Transfer::SevenBit || outcome.bytes.is_ascii());
            assert!(
                !codes(&outcome.report).contains(&"mime.attachment-untouched"),
                "{shown}"
            );
            assert_eq!(
                *process(&outcome.bytes, &policy).bytes,
                *outcome.bytes,
                "a second pass: {shown}"
            );
            let undone = apply_undo(&outcome.bytes, &undo_edits(&raw, &outcome.edits));
            assert_eq!(undone.as_deref(), Some(&raw[..]), "{shown}");
            let after = Message::parse(&outcome.bytes, &policy.limits);
            assert!(after.part(PartId(2)).unwrap().attachment, "{shown}");
            let parts = text_parts(&after, &policy, &mut Report::with_limit(9));
            if legacy {
                assert_eq!(
                    parts[1].reading.declared.as_deref(),
                    Some("utf-8"),
                    "{shown}"
                );
                assert!(parts[1].text.contains(text), "{shown}");
            }
        }
    }
}

#[test]
fn they_can_be_left_out_of_the_text() {
    for (raw, text, _) in attachments() {
        let message = Message::parse(&raw, &Policy::default().limits);
        let read = |attachments| {
            let policy = Policy::default().attachments(attachments);
            let parts = text_parts(&message, &policy, &mut Report::with_limit(9));
            parts
                .iter()
                .map(TextPart::as_str)
                .collect::<Vec<_>>()
                .join("|")
        };
        assert!(
            read(Attachments::Keep).contains(text),
            "{}",
            raw.escape_ascii()
        );
        assert_eq!(
            read(Attachments::Skip),
            "see there",
            "{}",
            raw.escape_ascii()
        );
    }
}

#[test]
fn seven_bits_keep_the_bytes_of_a_file() {
    let text = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n";
    let unlabelled = "Content-Type: text/csv\n";
    let binary = "Content-Type: application/pdf\nContent-Transfer-Encoding: binary\n";
    let russian = "Тихо".as_bytes();
    for (fields, body, encoding, decoded) in [
        (
            text,
            "Café au lait, s'il vous plaît".as_bytes(),
            "quoted-printable",
            None,
        ),
        (text, russian, "base64", None),
        // Lines of text end in CR LF in base64 (RFC 2045, section 6.8).
        (
            unlabelled,
            b"\xf0\xd2\n\xc9\xd7\n",
            "base64",
            Some(&b"\xf0\xd2\r\n\xc9\xd7\r\n"[..]),
        ),
        (binary, b"%PDF\n\x80\xff\r\r\n\0\n", "base64", None),
        ("", b"%PDF\xff", "base64", None),
    ] {
        let raw = message(fields, body);
        let policy = Policy::default().transfer(Transfer::SevenBit);
        let outcome = process(&raw, &policy);
        let out = String::from_utf8(outcome.bytes.to_vec()).unwrap();
        assert!(out.is_ascii(), "{out}");
        let field = format!("Content-Transfer-Encoding: {encoding}\n");
        assert_eq!(out.matches(&field).count(), 1, "{out}");
        let after = Mail::parse(out.as_bytes());
        let found = after.attachments()[0].decoded().into_owned();
        assert_eq!(found, decoded.unwrap_or(body), "{out}");
        assert!(process(out.as_bytes(), &policy).edits.is_empty(), "{out}");
        let undone = apply_undo(out.as_bytes(), &undo_edits(&raw, &outcome.edits));
        assert_eq!(undone.as_deref(), Some(&raw[..]));
        assert_eq!(*process(&raw, &Policy::default()).bytes, *raw);
    }
}

#[test]
fn seven_bits_do_not_reach_signed_files() {
    let raw =
        b"Content-Type: multipart/signed; boundary=b\n\n--b\nContent-Type: text/plain\n\nx\n--b\n\
        Content-Type: application/octet-stream\nContent-Transfer-Encoding: 8bit\n\n\x80\n--b--\n";
    let policy = Policy::default().transfer(Transfer::SevenBit);
    assert_eq!(*process(raw, &policy).bytes, raw[..]);
}
