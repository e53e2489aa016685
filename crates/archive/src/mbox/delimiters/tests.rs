//! Tests of what declares a boundary, and what its delimiters are, by the messages that are counted.

use super::super::Mailbox;
use crate::{Batch, EntryKind, ReadOptions, Source};
use std::io::Cursor;
use std::path::Path;

fn count(mailbox: &str) -> usize {
    let input = Cursor::new(mailbox.as_bytes().to_vec());
    let mut source = Mailbox::from_stream(Path::new("-"), input, &ReadOptions::default()).unwrap();
    let (mut count, mut batch) = (0, Batch::default());
    while source.next(&mut batch).unwrap() {
        count += batch.entries.iter().filter(|entry| entry.kind == EntryKind::Message && !entry.more).count();
    }
    count
}

/// A message as it stands in a mailbox, with a Content-Type field and a body.
fn message(day: usize, content_type: &str, body: &str) -> String {
    format!(
        "From a@b.example Mon Jan  1 00:00:{day:02} 2001\nFrom: a@b.example\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\
         MIME-Version: 1.0\n{content_type}\n\n{body}\n\n"
    )
}

/// A message with an attached mailbox of two messages, and one behind it.
fn attached(content_type: &str, delimiter: &str) -> String {
    let inner =
        message(2, "Content-Type: text/plain", "one") + &message(3, "Content-Type: text/plain", "two");
    let body = format!(
        "{delimiter}\nContent-Type: text/plain\n\nsee\n{delimiter}\nContent-Type: text/plain\n\n{inner}{delimiter}--"
    );
    message(1, content_type, &body) + &message(4, "Content-Type: text/plain", "behind")
}

#[test]
fn a_boundary_is_declared_in_any_letters_and_at_any_place_of_its_field() {
    for content_type in [
        "Content-Type: multipart/mixed; boundary=\"=-x_1\"",
        "CONTENT-TYPE: MULTIPART/MIXED; BOUNDARY=\"=-x_1\"",
        "Content-Type: Multipart/Mixed; charset=x; Boundary = \"=-x_1\"",
        "Content-Type:\n multipart/mixed;\n\tboundary=\"=-x_1\"",
        "Content-Type: \n\t \n multipart/mixed; x=y;\n BOUNDARY==-x_1",
    ] {
        assert_eq!(count(&attached(content_type, "--=-x_1")), 2, "{content_type}");
    }
    for content_type in [
        // No multipart, another field, another name.
        "Content-Type: text/plain; boundary=\"=-x_1\"",
        "X-Type: multipart/mixed; boundary=\"=-x_1\"",
        "Content-Type: multipart/mixed; bound=\"=-x_1\"",
        "Content-Type: text/plain\nX-Boundary: multipart/mixed; boundary=\"=-x_1\"",
    ] {
        assert_eq!(count(&attached(content_type, "--=-x_1")), 4, "{content_type}");
    }
}

#[test]
fn a_declaration_in_capitals_is_one_of_the_next_message_too() {
    for content_type in [
        "Content-Type: multipart/mixed; boundary=NextPart",
        "Content-Type: MULTIPART/MIXED; BOUNDARY=NextPart",
    ] {
        // Copies of a message that was cut off.
        let one = message(1, content_type, "--NextPart\nContent-Type: text/plain\n\nhi");
        assert_eq!(count(&one.repeat(3)), 3, "{content_type}");
    }
}

#[test]
fn rows_of_signs_swallow_no_message() {
    for row in ["----------", "=====", "-", "_ _ _"] {
        let content_type = format!("Content-Type: multipart/mixed; boundary=\"{row}\"");
        let cut = message(1, &content_type, &format!("--{row}\n\nhi"));
        let text = message(2, "Content-Type: text/plain", &format!("a\n--{row}\nb\n--{row}--\n"));
        assert_eq!(count(&(cut + &text.repeat(30))), 31, "{row}");
        // Yet it is a boundary where the header of a part follows.
        let end = format!("\n--{row}\nContent-Type: text/plain\n\nend\n--{row}--");
        let box_inside = attached(&content_type, &format!("--{row}")).replace(&format!("\n--{row}--"), &end);
        assert_eq!(count(&box_inside), 2, "{row}");
    }
}

#[test]
fn lines_end_as_the_mailbox_has_them() {
    let mailbox = attached("Content-Type: multipart/mixed; boundary=\"=-x_1\"", "--=-x_1");
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(count(&mailbox.replace('\n', end)), 2, "{end:?}");
    }
}
