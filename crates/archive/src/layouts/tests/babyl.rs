//! Tests of Babyl files, whole and damaged.

use super::{Events, Piece, codes, limited, messages, read, read_once, read_packed};
use crate::source::{EntryKind, Flags, ReadOptions};

const HEAD: &[u8] = b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\nLabels:\nNote:   This is the header of an rmail file.\n\x1f";
const FULL: &[u8] = b"Received: by a\nFrom: a@b.c\nSubject: one\n\n";
const PRUNED: &[u8] = b"From: a@b.c\nSubject: one\n\n";
const BODY: &[u8] = b"body\n\x0c\nnext page\nFrom here\n";

fn babyl(parts: &[&[u8]]) -> Vec<u8> {
    [&[HEAD], parts].concat().concat()
}

fn plain(bytes: &[u8]) -> (Vec<Piece>, Events) {
    let whole = read("RMAIL", bytes, &ReadOptions::default());
    assert_eq!(
        read_packed("RMAIL", bytes, &ReadOptions::default()),
        whole.0
    );
    whole
}

#[test]
fn the_full_header_is_the_message() {
    let first = [
        &b"\x0c\n1, answered,, work,\n"[..],
        FULL,
        b"*** EOOH ***\n",
        PRUNED,
        BODY,
        b"\x1f",
    ]
    .concat();
    let second = [
        &b"\x0c\n0, unseen, deleted,,\n*** EOOH ***\n"[..],
        FULL,
        BODY,
        b"\x1f\n",
    ]
    .concat();
    let (pieces, events) = plain(&babyl(&[&first, &second]));
    let message = [FULL, BODY].concat();
    let flags = Flags::SEEN | Flags::REPLIED;
    assert_eq!(
        messages(&pieces),
        [(message.clone(), flags), (message, Flags::TRASHED)]
    );
    assert_eq!(events, []);
    assert_eq!(pieces[0].kind, EntryKind::Gap);
    assert_eq!(pieces[1].separator, b"\x0c\n1, answered,, work,\n");
    assert_eq!(
        pieces[2].separator,
        b"\x0c\n0, unseen, deleted,,\n*** EOOH ***\n"
    );
    assert_eq!(
        (&pieces[1].trailer[..], &pieces[2].trailer[..]),
        (&b"\x1f"[..], &b"\x1f\n"[..])
    );
}

/// Python's `mailbox.Babyl`, imail, VM and Gnus write the same parts with small differences.
#[test]
fn programs_write_small_differences() {
    let body = &b"text\n"[..];
    for (text, message) in [
        // Emacs: the summary line of Rmail, and `Mail-from`.
        (&b"1,,\nSummary-line: 5-Jan  a@b  #one\nFrom: a\n\n*** EOOH ***\nFrom: a\n\ntext\n"[..], &b"From: a\n\ntext\n"[..]),
        (b"0,,\nSummary-line: 5-Jan\nMail-from: From a@b Mon Jan  1 00:00:00 2001\n*** EOOH ***\nFrom: a\n\ntext\n", b"From: a\n\ntext\n"),
        // imail: no empty line between the full header and the line.
        (b"1,,\nX-A: 1\nFrom: a\n*** EOOH ***\nFrom: a\n\ntext\n", b"X-A: 1\nFrom: a\n\ntext\n"),
        // The user shows no field.
        (b"1,,\nFrom: a\n\n*** EOOH ***\n\ntext\n", b"From: a\n\ntext\n"),
        // A message without a body.
        (b"1,,\nFrom: a\n\n*** EOOH ***\nFrom: a\n", b"From: a\n\n"),
        (b"0,,\n*** EOOH ***\nFrom: a\n", b"From: a\n"),
        // VM: attributes of its own.
        (b"0, recent, unseen,,\n*** EOOH ***\nFrom: a\n\ntext\n", b"From: a\n\ntext\n"),
        // The same line again, in the text.
        (b"0,,\n*** EOOH ***\nFrom: a\n\n*** EOOH ***\ntext\n", b"From: a\n\n*** EOOH ***\ntext\n"),
    ] {
        let bytes = babyl(&[b"\x0c\n", text, b"\x1f\x0c\n0,,\n*** EOOH ***\n\n", body, b"\x1f"]);
        let (pieces, events) = plain(&bytes);
        let found = messages(&pieces);
        assert_eq!(found.len(), 2, "{}", text.escape_ascii());
        assert_eq!(found[0].0.escape_ascii().to_string(), message.escape_ascii().to_string());
        assert_eq!(found[1].0, [b"\n", body].concat());
        assert_eq!(events, [], "{}", text.escape_ascii());
    }
}

/// The text behind `*** EOOH ***` is the body if no displayed header is there.
#[test]
fn a_body_without_a_displayed_header_is_kept() {
    let ended = "Date: d\nFrom: a\nSubject: Hi\n\n";
    let unended = "Date: d\nFrom: a\nSubject: Hi\n";
    for (full, rest, body) in [
        (
            ended,
            "Para one.\n\nPara two.\n",
            "Para one.\n\nPara two.\n",
        ),
        (unended, "Para one.\n\nTwo.\n", "\nPara one.\n\nTwo.\n"),
        // Words before a colon are no field of this message.
        (
            ended,
            "Note: at noon.\n\nTwo.\n",
            "Note: at noon.\n\nTwo.\n",
        ),
        (unended, "Note: at noon.\n", "\nNote: at noon.\n"),
        (
            ended,
            "Note: at noon,\nin the hall.\n",
            "Note: at noon,\nin the hall.\n",
        ),
        (ended, " Indented.\n\nTwo.\n", " Indented.\n\nTwo.\n"),
        // A displayed header without the empty line.
        (
            ended,
            "Subject: Hi\nPara one.\n\nTwo.\n",
            "Para one.\n\nTwo.\n",
        ),
        (unended, "From: a\n b\nPara one.\n", "\nPara one.\n"),
    ] {
        let text = format!("{full}*** EOOH ***\n{rest}");
        let message = format!("{full}{body}");
        for end in ["\n", "\r\n", "\r"] {
            let file = |text: &str| text.replace('\n', end).into_bytes();
            let bytes = [HEAD, b"\x0c\n1,,\n", &file(&text), b"\x1f\n"].concat();
            let (pieces, events) = plain(&bytes);
            assert_eq!(
                messages(&pieces),
                [(file(&message), Flags::SEEN)],
                "{text:?}"
            );
            assert_eq!(codes(&events), ["box.structure"], "{text:?}");
            assert!(events[0].2.contains("displayed header"), "{events:?}");
        }
    }
}

/// Displayed headers with lines that are no fields, or with fields that the user's program added.
#[test]
fn a_displayed_header_is_omitted() {
    let body = "Para one.\n\nSubject: not a header\n";
    for (full, pruned) in [
        ("From: a\nSubject: Hi\n\n", "From: a\nSubject: Hi\n\n"),
        ("From: a\nSubject: Hi\n\n", "SUBJECT: Hi, decoded\n\n"),
        ("X-A: 1\nFrom: a\n\n", "X-Score: 7\nFrom: a\n\n"),
        ("To: a,\n b\n\n", "To: a,\n\tb\n\n"),
        (
            "From: a\n>From x Mon\nTo: b\n\n",
            "From: a\n>From x Mon\nTo: b\n\n",
        ),
        ("From: a\nno field\nTo: b\n\n", "no field\nTo: b\n\n"),
        ("From: a\n\n", "\n"),
    ] {
        let text = format!("\x0c\n1,,\n{full}*** EOOH ***\n{pruned}{body}\x1f\n");
        let (pieces, events) = plain(&babyl(&[text.as_bytes()]));
        let message = format!("{full}{body}").into_bytes();
        assert_eq!(messages(&pieces), [(message, Flags::SEEN)], "{text:?}");
        assert_eq!(events, [], "{text:?}");
    }
}

#[test]
fn labels_are_flags() {
    for (line, flags) in [
        (&b"0,,"[..], Flags::SEEN),
        (b"0, unseen,,", 0),
        (
            b"0, deleted, answered,,",
            Flags::SEEN | Flags::TRASHED | Flags::REPLIED,
        ),
        (
            b"0, forwarded, filed, edited, resent,,",
            Flags::SEEN | Flags::PASSED,
        ),
        // A label of the user, in Latin-1, is not an attribute.
        (b"0, unseen,, deleted, caf\xe9,", 0),
        (b"0,unseen,,", 0),
    ] {
        let bytes = babyl(&[b"\x0c\n", line, b"\n*** EOOH ***\nFrom: a\n\nx\n\x1f"]);
        let (pieces, events) = plain(&bytes);
        assert_eq!(
            messages(&pieces),
            [(b"From: a\n\nx\n".to_vec(), flags)],
            "{}",
            line.escape_ascii()
        );
        assert_eq!(events, []);
    }
}

#[test]
fn carriage_returns_change_nothing() {
    let lf = babyl(&[
        b"\x0c\n1, answered,,\n",
        FULL,
        b"*** EOOH ***\n",
        PRUNED,
        BODY,
        b"\x1f\x0c\n0,,\n*** EOOH ***\n",
        FULL,
        b"\x1f\n",
    ]);
    let (expected, _) = plain(&lf);
    for end in [&b"\r\n"[..], b"\r\r\n", b"\r"] {
        let (pieces, events) = plain(&with_line_ends(&lf, end));
        let expected: Vec<_> = messages(&expected)
            .into_iter()
            .map(|(text, flags)| (with_line_ends(&text, end), flags))
            .collect();
        assert_eq!(messages(&pieces), expected, "{end:?}");
        assert_eq!(events, [], "{end:?}");
    }
}

fn with_line_ends(text: &[u8], end: &[u8]) -> Vec<u8> {
    text.split(|&byte| byte == b'\n')
        .collect::<Vec<_>>()
        .join(end)
}

/// No message begins behind a mark, so the file has none. An event says so.
#[test]
fn marks_that_divide_nothing_are_reported() {
    let (pieces, events) = plain(&babyl(&[b"\x0c no labels\n", FULL, BODY, b"\x1f"]));
    assert_eq!(messages(&pieces), []);
    assert_eq!(codes(&events), ["box.structure"]);
    assert_eq!(events[0].1 as usize, HEAD.len() - 1);
}

#[test]
fn a_file_without_messages_has_none() {
    for bytes in [
        HEAD,
        b"BABYL OPTIONS:",
        b"BABYL OPTIONS:\nVersion: 5\n",
        b"BABYL OPTIONS:\n\x1f\n\n",
    ] {
        let (pieces, events) = plain(bytes);
        assert_eq!(messages(&pieces), []);
        let expected: &[&str] = if bytes.contains(&0x1f) {
            &[]
        } else {
            &["box.structure"]
        };
        assert_eq!(codes(&events), expected);
    }
}

/// Control characters in a message are text if no message follows them.
#[test]
fn marks_inside_a_message_are_text() {
    let text = b"From: a\n\na\x1fb\n\x1fc\n\x1f\nd\n\x0c\n0, not labels\n\x0ce\n1,,\n0, unseen,,\n";
    let bytes = babyl(&[b"\x0c\n0,,\n*** EOOH ***\n", text, b"\x1f"]);
    let (pieces, events) = plain(&bytes);
    assert_eq!(messages(&pieces), [(text.to_vec(), Flags::SEEN)]);
    assert_eq!(events, []);
}

#[test]
fn missing_marks_are_reported() {
    let one = [b"\x0c\n0,,\n*** EOOH ***\n", FULL, BODY].concat();
    for (parts, count, words) in [
        // The first message has no end mark.
        (vec![&one[..], &one, b"\x1f"], 2, "no end mark"),
        // The last one has none.
        (vec![&one[..], b"\x1f", &one], 2, "no end mark"),
        (
            vec![b"\x0c\n0, unseen,,\nFrom: a\n\nx\n\x1f", &one[..], b"\x1f"],
            2,
            "EOOH",
        ),
        (
            vec![
                b"\x0c\nnothing\n*** EOOH ***\nFrom: a\n\nx\n\x1f",
                &one[..],
                b"\x1f",
            ],
            2,
            "labels",
        ),
        // The digit is wrong.
        (
            vec![
                b"\x0c\n1,,\n*** EOOH ***\nFrom: a\n\nx\n\x1f",
                &one[..],
                b"\x1f",
            ],
            2,
            "first digit",
        ),
        (
            vec![
                b"\x0c\n0,,\nTo: b\nFrom: a\n\n*** EOOH ***\nFrom: a\n\nx\n\x1f",
                &one[..],
                b"\x1f",
            ],
            2,
            "first digit",
        ),
    ] {
        let (pieces, events) = plain(&babyl(&parts));
        assert_eq!(messages(&pieces).len(), count, "{words}");
        assert_eq!(codes(&events), ["box.structure"], "{events:?}");
        assert!(events[0].2.contains(words), "{events:?}");
    }
    // The head of the file has no end mark.
    let bytes = [&b"BABYL OPTIONS:\nVersion: 5\n"[..], &one, b"\x1f"].concat();
    let (pieces, events) = plain(&bytes);
    assert_eq!(messages(&pieces).len(), 1);
    assert_eq!(codes(&events), ["box.structure"]);
}

#[test]
fn a_file_may_be_truncated_anywhere() {
    let first = [
        &b"\x0c\n1, answered,,\n"[..],
        FULL,
        b"*** EOOH ***\n",
        PRUNED,
        BODY,
        b"\x1f",
    ]
    .concat();
    let whole = babyl(&[&first, b"\x0c\n0,,\n*** EOOH ***\n", FULL, BODY, b"\x1f"]);
    let second = HEAD.len() + first.len();
    for cut in 14..whole.len() {
        let (pieces, events) = read("RMAIL", &whole[..cut], &ReadOptions::default());
        let found = messages(&pieces);
        let expected = usize::from(cut > HEAD.len()) + usize::from(cut > second);
        assert_eq!(found.len(), expected, "{cut}");
        if cut >= second {
            assert_eq!(found[0].0, [FULL, BODY].concat(), "{cut}");
        }
        let is_whole = [HEAD.len(), second].contains(&cut);
        assert_eq!(events.is_empty(), is_whole, "{cut} {events:?}");
    }
}

/// Every byte of a small file, changed: nothing is lost, and the rest of the messages is found.
#[test]
fn a_changed_byte_loses_nothing() {
    let one = [
        &b"\x0c\n1,,\n"[..],
        FULL,
        b"*** EOOH ***\n",
        PRUNED,
        b"x\n\x1f",
    ]
    .concat();
    let whole = babyl(&[&one, &one, &one]);
    for at in 14..whole.len() {
        for byte in [0, b'\n', b'x', 0x1f, 0x0c] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let (pieces, _) = read_once("RMAIL", &bytes);
            assert!(messages(&pieces).len() >= 2, "{at} {byte}");
        }
    }
}

#[test]
fn a_message_above_the_limit_comes_in_pieces() {
    let body = b"a line of text\n".repeat(1000);
    let first = [
        &b"\x0c\n1, unseen,,\n"[..],
        FULL,
        b"*** EOOH ***\n",
        PRUNED,
        &body,
        b"\x1f",
    ]
    .concat();
    let whole = babyl(&[&first, b"\x0c\n0,,\n*** EOOH ***\n", FULL, BODY, b"\x1f"]);
    let (pieces, events) = read("RMAIL", &whole, &limited(1000));
    assert_eq!(read_packed("RMAIL", &whole, &limited(1000)), pieces);
    let message = [FULL, &body].concat();
    assert_eq!(
        messages(&pieces),
        [(message, 0), ([FULL, BODY].concat(), Flags::SEEN)]
    );
    assert_eq!(codes(&events), ["msg.too-large"]);
    let large: Vec<_> = pieces
        .iter()
        .filter(|piece| piece.kind == EntryKind::Oversize)
        .collect();
    assert!(large.len() > 10);
    assert_eq!(large[0].trailer, [&b"*** EOOH ***\n"[..], PRUNED].concat());
    assert_eq!(large.last().unwrap().trailer, b"\x1f");
    assert!(large.iter().all(|piece| piece.message.len() <= 1000 + 300));
}

/// Rmail never wrote such headers. A header that is too long for the search is part of the text.
#[test]
fn a_huge_header_is_bounded() {
    let field = b"X-Field: value\n".repeat(100_000);
    let whole = babyl(&[
        b"\x0c\n0,,\n*** EOOH ***\nFrom: a\n",
        &field,
        b"\nx\n\x1f\x0c\n1,,\n",
        &field,
        b"\n*** EOOH ***\nFrom: a\n\nx\n\x1f",
    ]);
    let (pieces, events) = read("RMAIL", &whole, &ReadOptions::default());
    assert_eq!(messages(&pieces).len(), 2);
    assert_eq!(codes(&events), ["box.structure"]);
}
