use super::decoded_messages;
use crate::event::{Detail, EventKind, Reason};
use crate::message::Message;
use crate::normalize::process;
use crate::policy::{Headers, Policy, Transfer};
use crate::report::Report;
use crate::text::text_parts;
use crate::transfer::base64;
use crate::undo::{OldBytes, apply_undo, undo_edits};

const HEAD: &str = "Subject: x\nMIME-Version: 1.0\nContent-Type: message/rfc822\n";

fn encoded(inner: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    base64::encode_lines(inner, 76, b"\n", &mut body);
    let head = format!("{HEAD}Content-Transfer-Encoding: base64\n\n");
    [head.as_bytes(), &body].concat()
}

fn texts(raw: &[u8]) -> Vec<(String, String)> {
    let policy = Policy::default();
    let message = Message::parse(raw, &policy.limits);
    let texts = text_parts(&message, &policy, &mut Report::default());
    let text = |text: crate::text::TextPart<'_>| (text.section, text.text.replace("\r\n", "\n"));
    texts.into_iter().map(text).collect()
}

/// Normalizes a message, and checks that texts stay, a second pass changes nothing and the original comes back.
fn normalized(raw: &[u8], policy: &Policy) -> (Vec<u8>, Report) {
    let once = process(raw, policy);
    let shown = once.bytes.escape_ascii();
    assert_eq!(texts(raw), texts(&once.bytes), "{shown}");
    let twice = process(&once.bytes, policy);
    assert!(twice.edits.is_empty(), "{shown}: {:?}", twice.edits);
    let undo = undo_edits(raw, &once.edits);
    assert_eq!(apply_undo(&once.bytes, &undo).as_deref(), Some(raw));
    for event in &once.report.events {
        assert!(event.at.end <= raw.len(), "{event:?}");
    }
    (once.bytes.into_owned(), once.report)
}

/// Returns the reason why the message stays encoded.
fn reason(raw: &[u8], policy: &Policy) -> Option<Reason> {
    let (bytes, report) = normalized(raw, policy);
    assert_eq!(bytes, raw, "{}", bytes.escape_ascii());
    let mut unsettled = report
        .events
        .iter()
        .filter(|event| event.kind == EventKind::MimeUnsettled);
    match unsettled.next()?.detail {
        Detail::Reason(reason) => Some(reason),
        ref other => panic!("{other:?}"),
    }
}

const LATIN: &[u8] =
    b"From: J\xf6rg <j@x.example>\nContent-Type: text/plain; charset=iso-8859-1\n\nsch\xf6n\n";
const LATIN_NOW: &str = "From: =?UTF-8?B?SsO2cmc=?= <j@x.example>\n\
    Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nsch\u{f6}n\n";

#[test]
fn a_message_in_base64_is_decoded_and_normalized() {
    let (bytes, report) = normalized(&encoded(LATIN), &Policy::default());
    let want = format!("{HEAD}Content-Transfer-Encoding: 8bit\n\n{LATIN_NOW}");
    assert_eq!(String::from_utf8_lossy(&bytes), want);
    assert!(report.has(EventKind::CteEncodedMessage) && !report.has(EventKind::MimeUnsettled));
    assert_eq!(report.readings.len(), 1);
}

#[test]
fn a_message_in_quoted_printable_or_of_another_type_is_decoded() {
    let body = "From: J=F6rg <j@x.example>\nContent-Type: text/plain; charset=3Diso-8859-1\n\nsch=\n=F6n\n";
    for media in ["rfc822", "global", "news"] {
        let head = HEAD.replace("rfc822", media);
        let raw = format!("{head}Content-Transfer-Encoding: quoted-printable\n\n{body}");
        let (bytes, report) = normalized(raw.as_bytes(), &Policy::default());
        let want = format!("{head}Content-Transfer-Encoding: 8bit\n\n{LATIN_NOW}");
        assert_eq!(String::from_utf8_lossy(&bytes), want);
        assert_eq!(report.has(EventKind::CteEncodedMessage), media != "global");
    }
}

#[test]
fn an_ascii_message_becomes_7bit_and_line_ends_follow() {
    let raw = encoded(b"Subject: inner\r\n\r\nhello\r\n");
    let (bytes, _) = normalized(&raw, &Policy::default());
    let want = format!("{HEAD}Content-Transfer-Encoding: 7bit\n\nSubject: inner\n\nhello\n");
    assert_eq!(String::from_utf8_lossy(&bytes), want);
    // Policies that keep the encoding have no reason to change it.
    for transfer in [Transfer::Keep, Transfer::Clean, Transfer::SevenBit] {
        let policy = Policy::default().transfer(transfer);
        assert_eq!(reason(&raw, &policy), None);
    }
    // The ledger needs only a recipe for it.
    let edits = process(&raw, &Policy::default()).edits;
    assert!(
        undo_edits(&raw, &edits)
            .iter()
            .any(|undo| matches!(undo.old, OldBytes::Computed(_)))
    );
}

#[test]
fn messages_in_messages_and_in_multiparts_are_decoded() {
    let nested = [&b"Subject: between\n"[..], &encoded(LATIN)[11..]].concat();
    let nested = encoded(&nested);
    let (bytes, _) = normalized(&nested, &Policy::default());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(
        text.ends_with(LATIN_NOW) && !text.contains("base64"),
        "{text}"
    );
    let part = String::from_utf8_lossy(&encoded(LATIN)[HEAD.len() - 30..]).into_owned();
    let multipart = format!(
        "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n--b\n\nx\n--b\nContent-Type: message/rfc822\n{}\n--b--\n",
        &part[part.find("Content-Transfer").unwrap_or(0)..]
    );
    let (bytes, report) = normalized(multipart.as_bytes(), &Policy::default());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains(&format!("{LATIN_NOW}\n--b--")), "{text}");
    assert!(
        text.contains("boundary=b\nContent-Transfer-Encoding: 8bit"),
        "{text}"
    );
    let inside = |event: &&crate::event::Event| matches!(event.detail, Detail::Embedded(_));
    let places: Vec<_> = report
        .events
        .iter()
        .filter(inside)
        .map(|event| event.at)
        .collect();
    let body = multipart.find("RnJvb").unwrap_or(0);
    assert!(!places.is_empty());
    assert!(places.iter().all(|at| at.start >= body), "{places:?}");
}

#[test]
fn other_policies_decode_what_they_may() {
    let raw = encoded(LATIN);
    let policy = Policy::default();
    let (bytes, _) = normalized(&raw, &policy.clone().transfer(Transfer::SevenBit));
    assert!(bytes.is_ascii());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(
        text.starts_with(&format!("{HEAD}Content-Transfer-Encoding: 7bit\n\n")),
        "{text}"
    );
    let raw_headers = policy.clone().headers(Headers::RawUtf8);
    let (bytes, _) = normalized(&raw, &raw_headers);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(
        text.contains("message/global\n") && text.contains("From: J\u{f6}rg <"),
        "{text}"
    );
    let clean = policy.clone().transfer(Transfer::Clean);
    assert_eq!(reason(&raw, &clean), Some(Reason::WouldNeedEightBit));
    assert_eq!(reason(&raw, &policy.keep_encoded_messages(true)), None);
}

#[test]
fn a_message_that_cannot_be_decoded_stays() {
    let policy = Policy::default();
    let long = format!("Subject: x\n\n{}\n", "\u{e9}".repeat(600));
    for (inner, want) in [
        (&b"Subject: x\n\na\0b\n"[..], Reason::HasNul),
        (long.as_bytes(), Reason::HasLongLine),
        (b"Subject: x\n\na\r\nb\n", Reason::LineEndsAreData),
        (b"Subject: x\n\na\rb\n", Reason::LineEndsAreData),
        (b"Subject: x\n\nFrom here on\n", Reason::HasFromLine),
        (b"no header at all\n\nx\n", Reason::NoHeader),
    ] {
        assert_eq!(
            reason(&encoded(inner), &policy),
            Some(want),
            "{}",
            inner.escape_ascii()
        );
    }
    let mut damaged = encoded(LATIN);
    let at = damaged.len() - 9;
    damaged.splice(at..at, *b"\n* ! *\n");
    assert_eq!(reason(&damaged, &policy), Some(Reason::EncodingDamaged));
    let plain = format!("{HEAD}Content-Transfer-Encoding: base64\n\nThis is no message at all.\n");
    assert_eq!(reason(plain.as_bytes(), &policy), Some(Reason::NotBase64));
}

#[test]
fn a_delimiter_of_a_multipart_around_it_keeps_a_message_encoded() {
    let inner = "Subject: x\n\ntext\n--b\nmore\n";
    let mut body = Vec::new();
    base64::encode_lines(inner.as_bytes(), 76, b"\n", &mut body);
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{}--b--\n",
        String::from_utf8_lossy(&body)
    );
    assert_eq!(
        reason(raw.as_bytes(), &Policy::default()),
        Some(Reason::HasDelimiter)
    );
    // A line with the boundary of another multipart ends no part.
    let other = raw.replace("=b\n", "=c\n").replace("\n--b", "\n--c");
    let (bytes, _) = normalized(other.as_bytes(), &Policy::default());
    assert!(String::from_utf8_lossy(&bytes).contains("\ntext\n--b\nmore\n"));
}

#[test]
fn signatures_around_it_keep_a_message_encoded() {
    let body = encoded(LATIN);
    let signed = [&b"DKIM-Signature: v=1; b=x\n"[..], &body].concat();
    let keep = Policy::default().keep_signed(true);
    assert_eq!(process(&signed, &keep).bytes, signed);
    let (_, report) = normalized(&signed, &Policy::default());
    assert!(report.has(EventKind::SignatureVoided));
    let part = String::from_utf8_lossy(&body).replace("Subject: x\nMIME-Version: 1.0\n", "");
    let multipart = format!(
        "Content-Type: multipart/signed; boundary=s\n\n--s\n{part}\n--s\nContent-Type: application/pgp-signature\n\nx\n--s--\n"
    );
    assert_eq!(
        process(multipart.as_bytes(), &Policy::default()).bytes,
        multipart.as_bytes()
    );
    // A signed message inside stays as it is within its transfer encoding.
    let inner = b"DKIM-Signature: v=1; b=x\nSubject: Gr\xfc\xdfe\n\nx\n";
    let (bytes, _) = normalized(&encoded(inner), &keep);
    assert!(bytes.ends_with(inner));
}

#[test]
fn a_message_under_a_wrong_label_is_not_decoded() {
    let labelled =
        |label| format!("{HEAD}Content-Transfer-Encoding: {label}\n\nSubject: inner\n\nhello\n");
    let raw = labelled("base64");
    let (bytes, report) = normalized(raw.as_bytes(), &Policy::default());
    assert_eq!(String::from_utf8_lossy(&bytes), labelled("7bit"));
    let event = &report.events[0];
    assert_eq!(event.kind, EventKind::CteWrongLabel);
    assert_eq!(event.detail, Reason::MessageNotEncoded);
    let message = Message::parse(raw.as_bytes(), &Policy::default().limits);
    assert!(decoded_messages(&message, &Policy::default()).is_empty());
}
