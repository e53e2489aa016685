//! What is written reads the same in readers that follow the standards to the letter.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)]

use mailglot_mime::{EventKind, Limits, Message, PartId, Policy, Report, process, text_parts};

/// A message after its rewriting, which a second pass must leave alone.
fn rewritten(raw: &[u8]) -> Vec<u8> {
    let policy = Policy::default();
    let new = process(raw, &policy).bytes.into_owned();
    assert_eq!(
        process(&new, &policy).bytes.into_owned(),
        new,
        "{}",
        raw.escape_ascii()
    );
    new
}

/// White space stands between an encoded word and an address (RFC 2047, section 5, rule 3).
#[test]
fn a_word_stands_apart_from_the_address_behind_it() {
    for (value, want) in [
        (
            &b"=?iso-8859-1?Q?J=F6rg?=<a@b.example>"[..],
            "=?UTF-8?B?SsO2cmc=?= <a@b.example>",
        ),
        (
            b"J\xf6rg<a@b.example>",
            "=?UTF-8?B?SsO2cmc=?= <a@b.example>",
        ),
        (
            b"\"J\xf6rg\"<a@b.example>, x@y.example",
            "=?UTF-8?B?SsO2cmc=?= <a@b.example>, x@y.example",
        ),
        (
            b"x@y.example,J\xc3\xb6rg<a@b.example>",
            "x@y.example,=?UTF-8?B?SsO2cmc=?= <a@b.example>",
        ),
        (
            b"=?iso-8859-1?Q?J=F6rg?= <a@b.example>",
            "=?UTF-8?B?SsO2cmc=?= <a@b.example>",
        ),
    ] {
        let raw = [b"From: ", value, b"\n\nx\n"].concat();
        let new = String::from_utf8(rewritten(&raw)).unwrap();
        assert_eq!(new, format!("From: {want}\n\nx\n"));
    }
}

/// A second name stays where the first one is a parameter for lenient readers only.
#[test]
fn a_name_that_others_read_is_not_removed() {
    for disposition in [
        "attachm\u{e} filename=good; filename=evil",
        "attachment filename=good; filename=evil",
        "attachment (x) filename=good; filename*=utf-8''evil",
    ] {
        let raw = format!("Content-Disposition: {disposition}\n\nx\n");
        assert_eq!(rewritten(raw.as_bytes()), raw.as_bytes());
    }
    let raw = b"Content-Disposition: attachment; filename=good; filename=evil\n\nx\n";
    assert_eq!(
        rewritten(raw),
        b"Content-Disposition: attachment; filename=good\n\nx\n"
    );
    let report = process(raw, &Policy::default()).report;
    assert!(
        report
            .events
            .iter()
            .any(|event| event.kind == EventKind::ParamDuplicate)
    );
}

/// A header without an empty line behind it stays so, unless fields are added to it: the body would be read as more of them.
#[test]
fn a_header_is_closed_where_fields_are_added() {
    let has_defect = |raw: &[u8]| {
        let message = Message::parse(raw, &Limits::default());
        message
            .defects()
            .iter()
            .any(|defect| defect.kind == EventKind::MimeNoBlankLine)
    };
    let header = "Subject: \u{fc}\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n";
    for (header, body, closed) in [
        (header, &b"no field, caf\xe9\nmore\n"[..], false),
        (header, b"no field, cafe\n", false),
        ("Subject: \u{fc}\n", b"no field, caf\xe9\nmore: x\n", true),
        ("Subject: \u{fc}\n", b"no field\n", false),
    ] {
        let raw = [header.as_bytes(), body].concat();
        assert!(has_defect(&raw));
        let new = rewritten(&raw);
        assert_eq!(!has_defect(&new), closed, "{}", new.escape_ascii());
        let text = |raw: &[u8]| {
            let message = Message::parse(raw, &Limits::default());
            let parts = text_parts(&message, &Policy::default(), &mut Report::default());
            parts[0].as_str().to_owned()
        };
        assert_eq!(text(&new), text(&raw));
        let names = |raw: &[u8]| {
            Message::parse(raw, &Limits::default())
                .fields(PartId::ROOT)
                .len()
        };
        assert!(names(&new) >= names(&raw));
    }
}
