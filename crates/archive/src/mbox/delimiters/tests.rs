//! Tests of declarations and delimiters, by the number of messages read.

use super::super::Mailbox;
use crate::box_event::{BoxDetail, BoxEventKind, MultipartDecision};
use crate::source::{Batch, EntryKind, ReadOptions, Source};
use std::io::Cursor;
use std::path::Path;

fn count(mailbox: &str) -> usize {
    let input = Cursor::new(mailbox.as_bytes().to_vec());
    let mut source = Mailbox::from_stream(Path::new("-"), input, &ReadOptions::default()).unwrap();
    let (mut count, mut batch) = (0, Batch::default());
    while source.next(&mut batch).unwrap() {
        count += batch
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Message && !entry.more)
            .count();
    }
    count
}

/// Returns offset and detail of each event about a `From ` line.
fn events(mailbox: &str) -> Vec<(Option<u64>, BoxDetail)> {
    let input = Cursor::new(mailbox.as_bytes().to_vec());
    let mut source = Mailbox::from_stream(Path::new("-"), input, &ReadOptions::default()).unwrap();
    let (mut events, mut batch) = (Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        let doubts = batch
            .events
            .drain(..)
            .filter(|event| event.kind == BoxEventKind::AmbiguousFrom);
        events.extend(doubts.map(|event| (Some(event.offset), event.detail)));
    }
    events
}

/// Returns a message as it stands in a mailbox, with a Content-Type field and a body.
fn message(day: usize, content_type: &str, body: &str) -> String {
    format!(
        "From a@b.example Mon Jan  1 00:00:{day:02} 2001\nFrom: a@b.example\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\
         MIME-Version: 1.0\n{content_type}\n\n{body}\n\n"
    )
}

/// Returns a message with an attached mailbox of two messages, and another message after it.
fn attached(content_type: &str, delimiter: &str) -> String {
    let inner = message(2, "Content-Type: text/plain", "one")
        + &message(3, "Content-Type: text/plain", "two");
    let body = format!(
        "{delimiter}\nContent-Type: text/plain\n\nsee\n{delimiter}\nContent-Type: application/mbox\n\n{inner}{delimiter}--"
    );
    message(1, content_type, &body) + &message(4, "Content-Type: text/plain", "behind")
}

/// Returns a message truncated in a part with this header, then one that shows the undeclared delimiter, and a third.
fn cut_off(part: &str, lines: &str) -> String {
    let body = format!("--=-x_1\n\nsee\n--=-x_1\n{part}\n\n{lines}");
    let shown = "as it came:\n\n--=-x_1\nContent-Type: text/plain\n\nsee";
    message(
        1,
        "Content-Type: multipart/mixed; boundary=\"=-x_1\"",
        &body,
    ) + &message(2, "Content-Type: text/plain", shown)
        + &message(3, "Content-Type: text/plain", "behind")
}

#[test]
fn message_truncated_in_an_attachment_ends_there() {
    let line = "QUJD".repeat(19);
    for part in [
        "Content-Type: application/pdf; name=x\nContent-Transfer-Encoding: base64",
        "CONTENT-TRANSFER-ENCODING : BASE64\nContent-Disposition: attachment\nContent-Type:\n image/png;\n name=x",
        "Content-Type: Application/octet-stream\nContent-Type: text/plain\nContent-Transfer-Encoding:base64",
    ] {
        assert_eq!(count(&cut_off(part, &line)), 3, "{part}");
        assert!(events(&cut_off(part, &line)).is_empty(), "{part}");
    }
    for part in [
        "Content-Type: text/plain\nContent-Transfer-Encoding: base64",
        "Content-Type: application/pdf",
        "Content-Type: application/pdf\nContent-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: base64",
        "Content-Transfer-Encoding: base64",
    ] {
        let (mailbox, events) = (cut_off(part, &line), events(&cut_off(part, &line)));
        assert_eq!(count(&mailbox), 3, "{part}");
        let second = mailbox
            .match_indices("From a@b.example Mon")
            .nth(1)
            .map(|(at, _)| at as u64);
        let opened = mailbox.match_indices("\n--=-x_1\n").nth(1).unwrap().0 + 1;
        let again = mailbox.match_indices("\n--=-x_1\n").nth(2).unwrap().0 + 1;
        let detail = BoxDetail::OpenMultipart {
            points: 10,
            opened: opened as u64,
            decision: MultipartDecision::NeverClosed(again as u64),
        };
        assert_eq!(events, [(second, detail)], "{part}");
    }
    // The part after the attachment is a part of its own, and an outer delimiter ends it too.
    let attachment = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nQUJD\n--=-x_1\nContent-Type: text/plain";
    assert_eq!(events(&cut_off(attachment, "words")).len(), 1);
}

/// A lone separator belongs to the multipart if that is closed, or if it begins a part: an attached message may have one.
#[test]
fn a_separator_alone_in_an_open_multipart() {
    let inner = message(2, "Content-Type: text/plain", "inner");
    for (before, close, expected) in [
        ("", "--b--", 2),
        ("", "--b\n\nlast", 2),
        ("see:\n\n", "--b--", 2),
        ("see:\n\n", "--b\n\nlast\n--b--", 2),
        ("see:\n\n", "--b\n\nlast", 3),
        ("\n", "--b\n\nlast", 3),
        ("see:\n", "--b\n\nlast", 2),
        // Another multipart closes after its own declaration.
        (
            "see:\n\n",
            "--b\n\nContent-Type: multipart/mixed; boundary=b\n--b\n--b--",
            3,
        ),
    ] {
        for kind in ["message/rfc822", "text/plain", "application/octet-stream"] {
            // The body of an embedded message begins after its header.
            let before = if kind == "message/rfc822" && !before.is_empty() {
                format!("X: y\n\n{before}")
            } else {
                before.to_owned()
            };
            let body = format!("--b\n\nsee\n--b\nContent-Type: {kind}\n\n{before}{inner}{close}");
            let mailbox = message(1, "Content-Type: multipart/mixed; boundary=b", &body)
                + &message(4, "Content-Type: text/plain", "behind");
            let events = events(&mailbox);
            assert_eq!(
                count(&mailbox),
                expected,
                "{kind} {before:?} {close:?} {events:?}"
            );
            assert_eq!(events.len(), 1, "{kind} {before:?} {close:?}");
        }
    }
}

/// Even with little other evidence: a truncated message seldom ends with an empty line.
#[test]
fn separator_rejected_in_a_multipart_is_reported() {
    let mailbox =
        cut_off("Content-Type: text/plain", "words").replacen("words\n\nFrom", "words\nFrom", 1);
    assert_eq!(count(&mailbox), 2);
    let reported = events(&mailbox);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        matches!(
            reported[0].1,
            BoxDetail::OpenMultipart {
                points: 8,
                decision: MultipartDecision::Inside(_),
                ..
            }
        ),
        "{reported:?}"
    );
}

#[test]
fn boundary_is_found_in_any_case_and_position() {
    for content_type in [
        "Content-Type: multipart/mixed; boundary=\"=-x_1\"",
        "CONTENT-TYPE: MULTIPART/MIXED; BOUNDARY=\"=-x_1\"",
        "Content-Type: Multipart/Mixed; charset=x; Boundary = \"=-x_1\"",
        "Content-Type:\n multipart/mixed;\n\tboundary=\"=-x_1\"",
        "Content-Type: \n\t \n multipart/mixed; x=y;\n BOUNDARY==-x_1",
    ] {
        assert_eq!(
            count(&attached(content_type, "--=-x_1")),
            2,
            "{content_type}"
        );
    }
    for content_type in [
        // No multipart, another field, another name.
        "Content-Type: text/plain; boundary=\"=-x_1\"",
        "X-Type: multipart/mixed; boundary=\"=-x_1\"",
        "Content-Type: multipart/mixed; bound=\"=-x_1\"",
        "Content-Type: text/plain\nX-Boundary: multipart/mixed; boundary=\"=-x_1\"",
    ] {
        assert_eq!(
            count(&attached(content_type, "--=-x_1")),
            4,
            "{content_type}"
        );
    }
}

#[test]
fn a_declaration_in_capitals_is_one_of_the_next_message_too() {
    for content_type in [
        "Content-Type: multipart/mixed; boundary=NextPart",
        "Content-Type: MULTIPART/MIXED; BOUNDARY=NextPart",
    ] {
        // Copies of a truncated message.
        let one = message(
            1,
            content_type,
            "--NextPart\nContent-Type: text/plain\n\nhi",
        );
        assert_eq!(count(&one.repeat(3)), 3, "{content_type}");
    }
}

#[test]
fn rows_of_signs_swallow_no_message() {
    for row in ["----------", "=====", "-", "_ _ _"] {
        let content_type = format!("Content-Type: multipart/mixed; boundary=\"{row}\"");
        let cut = message(1, &content_type, &format!("--{row}\n\nhi"));
        let text = message(
            2,
            "Content-Type: text/plain",
            &format!("a\n--{row}\nb\n--{row}--\n"),
        );
        assert_eq!(count(&(cut + &text.repeat(30))), 31, "{row}");
        // But it is a boundary if the header of a part follows.
        let end = format!("\n--{row}\nContent-Type: text/plain\n\nend\n--{row}--");
        let box_inside =
            attached(&content_type, &format!("--{row}")).replace(&format!("\n--{row}--"), &end);
        assert_eq!(count(&box_inside), 2, "{row}");
    }
}

#[test]
fn line_ends_follow_the_mailbox() {
    let mailbox = attached(
        "Content-Type: multipart/mixed; boundary=\"=-x_1\"",
        "--=-x_1",
    );
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(count(&mailbox.replace('\n', end)), 2, "{end:?}");
    }
}
