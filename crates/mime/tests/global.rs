//! Embedded messages whose header becomes raw UTF-8 (RFC 6532).

#![allow(clippy::unwrap_used)]

use mailglot_mime::{Headers, Policy, Transfer, apply_undo, process, undo_edits};

const WORD: &str = "Subject: =?iso-8859-1?Q?=E9?=";

/// The output, after the laws: nothing to do in a second pass, and the old bytes come back.
fn after(raw: &str, headers: Headers, transfer: Transfer) -> String {
    let policy = Policy::default().headers(headers).transfer(transfer);
    let once = process(raw.as_bytes(), &policy);
    assert!(
        process(&once.bytes, &policy).edits.is_empty(),
        "a second pass edits {raw:?}"
    );
    let undone = apply_undo(&once.bytes, &undo_edits(raw.as_bytes(), &once.edits));
    assert_eq!(undone.as_deref(), Some(raw.as_bytes()));
    String::from_utf8(once.bytes.into_owned()).unwrap()
}

fn raw_utf8(raw: &str) -> String {
    after(raw, Headers::RawUtf8, Transfer::EightBit)
}

#[test]
fn a_message_with_raw_utf8_in_its_header_is_global() {
    let embed = |media: &str, field: &str| {
        format!("Subject: x\nContent-Type: {media}\n\n{field}\n\ntext\n")
    };
    for (before, then) in [
        ("message/rfc822", "message/global"),
        (
            "Message/RFC822; name=\"rfc822.eml\"",
            "Message/global; name=\"rfc822.eml\"",
        ),
        ("message/global", "message/global"),
    ] {
        assert_eq!(
            raw_utf8(&embed(before, WORD)),
            embed(then, "Subject: é"),
            "{before}"
        );
        // Raw UTF-8 that is there already asks for the same.
        assert_eq!(
            raw_utf8(&embed(before, "Subject: é")),
            embed(then, "Subject: é"),
            "{before}"
        );
        // ASCII needs nothing.
        assert_eq!(
            raw_utf8(&embed(before, "Subject: e")),
            embed(before, "Subject: e"),
            "{before}"
        );
    }
    // Words stay in message/rfc822.
    let raw = embed("message/rfc822", WORD);
    for (headers, transfer) in [
        (Headers::Words, Transfer::EightBit),
        (Headers::RawUtf8, Transfer::SevenBit),
    ] {
        let out = after(&raw, headers, transfer);
        assert!(out.is_ascii() && out.contains("message/rfc822"), "{out}");
    }
}

#[test]
fn all_that_is_around_it_is_global_and_says_8bit() {
    let level = |media: &str, transfer: &str, inner: &str| {
        format!("Content-Type: {media}\nContent-Transfer-Encoding: {transfer}\n\n{inner}")
    };
    let tree = |message: &str, transfer: &str, field: &str| {
        let part = format!("Content-Type: text/plain\n{field}\n\nx\n");
        let mixed = level(
            "multipart/mixed; boundary=b",
            transfer,
            &format!("--b\n{part}--b--\n"),
        );
        let inner = level(message, transfer, &format!("Subject: a\n{mixed}"));
        level(message, transfer, &format!("Subject: b\n{inner}"))
    };
    // The field of a part deep inside.
    let description = "Content-Description: =?iso-8859-1?Q?=E9?=";
    assert_eq!(
        raw_utf8(&tree("message/rfc822", "7bit", description)),
        tree("message/global", "8bit", "Content-Description: é")
    );
    // Its sibling stays what it was.
    let sibling =
        "--o\nContent-Type: message/rfc822\nContent-Transfer-Encoding: 7bit\n\nSubject: e\n\nx\n";
    let other = |media: &str, transfer: &str, field: &str| {
        let first = level(media, transfer, &format!("{field}\n\nx\n"));
        format!("Content-Type: multipart/mixed; boundary=o\n\n--o\n{first}{sibling}--o--\n")
    };
    assert_eq!(
        raw_utf8(&other("message/rfc822", "7bit", WORD)),
        other("message/global", "8bit", "Subject: é")
    );
}

#[test]
fn signed_messages_stay() {
    let signed = format!(
        "Content-Type: multipart/signed; boundary=s\n\n--s\nContent-Type: message/rfc822\n\n{WORD}\n\nx\n--s--\n"
    );
    assert_eq!(raw_utf8(&signed), signed);
}

#[test]
fn a_message_for_its_place_only_is_given_a_type() {
    for eol in ["\n", "\r\n"] {
        let digest = |own: &str, field: &str| {
            let first = format!("--d\n{own}\n{field}\n\nx\n");
            let second = "--d\n\nSubject: e\n\ny\n--d--\n";
            format!("Content-Type: multipart/digest; boundary=d\n\n{first}{second}")
                .replace('\n', eol)
        };
        let global = "Content-Type: message/global\n";
        assert_eq!(raw_utf8(&digest("", WORD)), digest(global, "Subject: é"));
        let own = "Content-Description: a\n";
        assert_eq!(
            raw_utf8(&digest(own, WORD)),
            digest(&format!("{own}{global}"), "Subject: é")
        );
        assert_eq!(
            raw_utf8(&digest("", "Subject: e")),
            digest("", "Subject: e")
        );
    }
}
