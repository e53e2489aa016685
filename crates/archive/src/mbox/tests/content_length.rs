//! Tests of Content-Length: which lengths bound a message, and which are wrong.

use super::*;
use crate::box_event::BoxDetail;

#[test]
fn content_length_bounds_the_message() {
    let body = format!("Hello\n\n{SEPARATOR}Subject: inside\n\n\n\n");
    let text = format!(
        "{SEPARATOR}Content-Length: {}\n{HEADER}{body}\n{SEPARATOR}Content-Length: 999\n{HEADER}two\n\n{SEPARATOR}Content-Length: 4\n{HEADER}end\n",
        body.len()
    );
    for (entries, events) in [
        file(text.as_bytes(), &ReadOptions::default()),
        stream(text.as_bytes(), &ReadOptions::default()),
    ] {
        assert_eq!(kinds(&events), [BoxEventKind::BadLength]);
        let found = messages(&entries);
        assert_eq!(found.len(), 3);
        assert!(
            found[0].message.ends_with(body.as_bytes()),
            "every blank line of the body is kept"
        );
        assert_eq!(found[0].trailer, b"\n");
        assert!(found.iter().all(|entry| entry.quoting == Quoting::None));
    }
    // A wrong length is ignored in a file in which all are wrong.
    let stale = format!("{SEPARATOR}Content-Length: 70\n{HEADER}one\n\n{SEPARATOR}{HEADER}two\n\n");
    let (entries, events) = file(stale.as_bytes(), &ReadOptions::default());
    assert_eq!(
        (messages(&entries).len(), kinds(&events)),
        (2, vec![BoxEventKind::BadLength])
    );
}

/// A length that ends at `From ` within a line of text.
#[test]
fn a_length_that_ends_inside_a_line_is_wrong() {
    let message = |length: usize, body: &str| {
        format!("{SEPARATOR}Content-Length: {length}\n{HEADER}{body}\n")
    };
    let right = message(6, "hello\n");
    let letter = "A letter. From here on it is nice\nmore\n";
    let wrong = message(10, letter);
    let text = right.repeat(4) + &wrong + &right;
    let at = right.len() as u64 * 4;
    let event = BoxEvent::new(BoxEventKind::BadLength, at, BoxDetail::WrongLength);
    for (entries, events) in [
        file(text.as_bytes(), &ReadOptions::default()),
        stream(text.as_bytes(), &ReadOptions::default()),
    ] {
        assert_eq!(events, std::slice::from_ref(&event));
        assert_eq!(entries.len(), 6);
        assert!(entries[4].message.ends_with(letter.as_bytes()));
    }
}

/// A length that is one too short ends between CR and LF.
#[test]
fn a_length_that_ends_inside_a_line_end_is_wrong() {
    let message = |length: usize| {
        format!("{SEPARATOR}Content-Length: {length}\n{HEADER}hello\n\n").replace('\n', "\r\n")
    };
    let body = "\r\n\r\nhello\r\n";
    let short = message(6).repeat(3);
    let mixed = message(7).repeat(3) + &message(6) + &message(7);
    let at = message(7).len() as u64 * 3;
    for (text, event) in [
        (
            short,
            BoxEvent::new(BoxEventKind::BadLength, 0, BoxDetail::WrongLengths),
        ),
        (
            mixed,
            BoxEvent::new(BoxEventKind::BadLength, at, BoxDetail::WrongLength),
        ),
    ] {
        for (entries, events) in [
            file(text.as_bytes(), &ReadOptions::default()),
            stream(text.as_bytes(), &ReadOptions::default()),
        ] {
            assert_eq!(events, std::slice::from_ref(&event));
            for entry in &entries {
                assert!(entry.message.ends_with(body.as_bytes()));
                assert_eq!(entry.trailer, b"\r\n");
            }
        }
    }
}

#[test]
fn one_right_length_does_not_confirm_others() {
    let measured = format!("{SEPARATOR}Content-Length: 3\n{HEADER}hi\n\n");
    let plain = |body: &str| format!("{SEPARATOR}{HEADER}{body}\n\n");
    for (body, unquoted) in [(">From x", "\nFrom x"), (">>From y", "\n>From y")] {
        let text = [measured.clone(), plain(body).repeat(6)].concat();
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(entries.len(), 7);
        let quoting = entries[1].quoting;
        assert_eq!(quoting, Quoting::Mboxrd);
        let message = crate::mbox::unquote(&entries[1].message, quoting).into_owned();
        assert!(String::from_utf8(message).unwrap().contains(unquoted));
        let guessed = kinds(&events).contains(&BoxEventKind::QuotingGuess);
        assert_eq!(guessed, !body.starts_with(">>"));
    }
}
