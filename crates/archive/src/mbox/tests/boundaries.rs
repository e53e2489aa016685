//! Tests of boundaries that people recognize, and of events for doubtful ones.

use super::*;
use crate::box_event::BoxDetail;
use crate::mailbox_options::LineDecision;

#[test]
fn boundaries_that_people_recognize() {
    let one = |body: &str| format!("{SEPARATOR}{HEADER}{body}\n\n");
    let two = |line: &str| format!("{line}\n{HEADER}one\n\n{line}\n{HEADER}two\n\n");
    let git = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n";
    let patch = format!("{git}From: x@example.org\nSubject: [PATCH] y\n\n---\n f.c | 1 +");
    let declared = format!("Hello\n\n{SEPARATOR}stands in the text\n");
    let multipart = |close: &str| {
        format!(
            "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\n\
             attached:\n\n{SEPARATOR}{HEADER}inner\n\n{close}--=_b1--\n\n"
        )
    };
    let quoted = "Not delivered:\n\n--=_abc123\nContent-Type: text/plain\n\nhello".to_owned();
    let declaring = format!("Content-Type: multipart/mixed; boundary=\"=_abc123\"\n\n{quoted}");
    let cases: Vec<(&str, usize, String)> = vec![
        ("plain", 2, two(SEPARATOR.trim_end())),
        ("prose after a blank line", 1, one("Dear all,\n\nFrom the office of the president we hear.\nbye")),
        ("prose in a paragraph", 1, one("We hear\nFrom the office\nnews")),
        ("prose with a time", 1, one("x\n\nFrom Monday 10:30 we are open, since 2001\nbye")),
        ("a pasted patch", 1, one(&format!("See:\n\n{patch}"))),
        ("patches as mailbox", 2, format!("{patch}\n\n{patch}\n")),
        ("no blank line before", 2, format!("{SEPARATOR}{HEADER}one\n{SEPARATOR}{HEADER}two\n")),
        ("bare", 2, two("From ")),
        ("without date", 2, two("From a@example.org")),
        ("Thunderbird", 2, two("From - Mon Jan 01 00:00:00 2001")),
        ("Takeout", 2, two("From 15111@xxx Mon Jan 01 00:00:00 +0000 2018").replace('\n', "\r\n")),
        ("pipermail", 2, two("From joe at example.org  Mon Jan  1 00:00:00 2001")),
        (
            "Content-Length",
            2,
            format!(
                "{SEPARATOR}Content-Length: {}\n{HEADER}{declared}\n{SEPARATOR}Content-Length: 4\n{HEADER}two\n\n",
                declared.len()
            ),
        ),
        ("quoted", 2, format!("{}{}", one(">From here\n>>From there"), one("x"))),
        ("a quoted separator as first line", 1, format!("{SEPARATOR}>{SEPARATOR}{HEADER}x\n\n")),
        ("byte order mark", 1, format!("\u{feff}{}", one("x"))),
        (
            "MMDF",
            2,
            format!(
                "\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n"
            ),
        ),
        (
            "MMDF with single lines",
            2,
            format!("\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n\n"),
        ),
        (
            "MMDF with a long run",
            2,
            format!(
                "\x01\x01\x01\x01\n{HEADER}a\n{}{HEADER}b\n\x01\x01\x01\x01\n",
                "\x01\x01\x01\x01\n".repeat(9000)
            ),
        ),
        (
            "MMDF with `From ` lines",
            3,
            format!(
                "\x01\x01\x01\x01\n{SEPARATOR}{HEADER}a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\n{SEPARATOR}{HEADER}b\n\x01\x01\x01\x01\n{SEPARATOR}{HEADER}c\n"
            ),
        ),
        ("MMDF with nothing in it", 0, "\x01\x01\x01\x01\n".repeat(4000)),
        ("MMDF with nothing in it, CRLF", 0, "\x01\x01\x01\x01\r\n".repeat(2731) + "\n\n"),
        ("CR", 2, two(SEPARATOR.trim_end()).replace('\n', "\r")),
        ("CR CR LF", 2, two(SEPARATOR.trim_end()).replace('\n', "\r\r\n")),
        (
            "MMDF with CR CR LF",
            2,
            format!(
                "\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n"
            )
            .replace('\n', "\r\r\n"),
        ),
        ("an attached mailbox", 1, multipart("")),
        ("an attached mailbox, then another message", 2, format!("{}{}", multipart(""), one("x"))),
        ("the same open multipart twice", 2, {
            let open = format!(
                "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\nx\n\n"
            );
            open.repeat(2)
        }),
        (
            "signatures and rows of dashes open nothing",
            3,
            one("text\n------------------------------\n\n--Joe\n").repeat(3),
        ),
        ("a signature mark in quoted-printable", 3, one("text\n\n--=20\n\nAnna\n").repeat(3)),
        ("a name as signature", 3, one("text\n\n--Anna-Maria_Huber\n\nTel. 123\n").repeat(3)),
        (
            "the line before a quotation in Mulberry",
            3,
            one("--On 1 January 2001 10:00 +0000 Joe Smith wrote:\n\n> x\n").repeat(3),
        ),
        ("parts quoted in two reports", 4, [quoted.as_str(), "x", "y", &quoted].map(one).concat()),
        ("a boundary declared in a text", 4, [declaring.as_str(), "x", "y", &quoted].map(one).concat()),
        ("one delimiter at both ends", 5, ["--x1\n\n", "a", "b", "c", "--x1\n\n"].map(one).concat()),
        (
            "a mailbox in a part of a part",
            1,
            multipart("").replace("text/plain", "multipart/mixed;\n\tboundary=b2\n\n--b2\nX-A: b"),
        ),
        (
            "a mailbox in a part of an embedded message, whose outer boundary comes no more",
            1,
            multipart("--b2--\n").replace("--=_b1--\n", "").replace(
                "Content-Type: text/plain",
                "Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=b2\n\n--b2",
            ),
        ),
        (
            "the inner boundary when the outer one has come",
            2,
            multipart("").replace(
                "Content-Type: text/plain",
                "Content-Type: multipart/mixed; boundary=b2\n\n--b2\n\nx\n--=_b1--\n\n",
            ) + "--b2\n",
        ),
        (
            "a boundary named in another field",
            2,
            multipart("").replace("Content-Type: multipart/mixed;", "X-Note: multipart/mixed;"),
        ),
        ("nothing", 0, String::new()),
        ("no separator", 1, "Subject: x\n\nbody\n".to_owned()),
        ("separator alone", 1, SEPARATOR.to_owned()),
        ("separator without line end", 1, SEPARATOR.trim_end().to_owned()),
        ("begins in a message", 2, format!("Subject: x\n\nbody\n\n{}", one("y"))),
    ];
    for (name, count, text) in cases {
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(
            messages(&entries).len(),
            count,
            "{name}: {events:?} {entries:?}"
        );
        assert_eq!(concatenated(&entries), text.as_bytes(), "{name}");
        for (ordinal, entry) in messages(&entries).iter().enumerate() {
            assert_eq!(entry.ordinal, ordinal as u64, "{name}");
        }
    }
}

/// Mutt and Python's mailbox.MMDF write a `From ` line behind each delimiter. It does not belong to the message.
#[test]
fn a_from_line_behind_an_mmdf_delimiter_is_part_of_the_separator() {
    let delimiter = "\x01\x01\x01\x01\n";
    for line_end in ["\n", "\r\n"] {
        for (line, is_separator) in [
            (SEPARATOR.trim_end(), true),
            ("From a@b.example", true),
            ("From: a@b.example", false),
            (">From a@b.example Mon Jan  1 00:00:00 2001", false),
        ] {
            let message = format!("{HEADER}From me to you\n");
            let text = format!(
                "{delimiter}{line}\n{message}{delimiter}{delimiter}{line}\n{message}{delimiter}"
            );
            let text = text.replace('\n', line_end);
            let (entries, _) = file(text.as_bytes(), &ReadOptions::default());
            assert_eq!(concatenated(&entries), text.as_bytes());
            let found = messages(&entries);
            assert_eq!(found.len(), 2, "{line}");
            for entry in found {
                let wanted = if is_separator {
                    message.clone()
                } else {
                    format!("{line}\n{message}")
                };
                let shown = String::from_utf8_lossy(&entry.message);
                assert_eq!(shown, wanted.replace('\n', line_end), "{line}");
            }
        }
    }
    // Text that begins with such a line stays: no header follows.
    let text = format!("{delimiter}From here\non it rains\n{delimiter}");
    let (entries, _) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(messages(&entries)[0].message, b"From here\non it rains\n");
}

#[test]
fn separator_message_and_trailer() {
    let text = format!(
        "\r\n{}{HEADER}one\n\n\n{SEPARATOR}{HEADER}two",
        SEPARATOR.replace('\n', "\r\n")
    );
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::Prelude]);
    let [gap, first, second] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(
        (gap.kind, gap.ordinal, &gap.message[..]),
        (EntryKind::Gap, 0, &b"\r\n"[..])
    );
    assert_eq!(first.separator, SEPARATOR.replace('\n', "\r\n").as_bytes());
    // One blank line belongs to the mailbox, the other to the message.
    assert_eq!(first.message, format!("{HEADER}one\n\n").as_bytes());
    assert_eq!(first.trailer, b"\n");
    assert_eq!((second.ordinal, &second.trailer[..]), (1, &b""[..]));
    assert_eq!(second.message, format!("{HEADER}two").as_bytes());
}

/// A file with CR LF that was transferred as text has CR CR LF, in all lines or in some.
#[test]
fn cr_cr_lf_ends_one_line() {
    let text = format!("{SEPARATOR}{HEADER}one\n\n{SEPARATOR}{HEADER}two\n\n");
    let all = text.replace('\n', "\r\r\n");
    let separators = text.replace(SEPARATOR, &SEPARATOR.replace('\n', "\r\r\n"));
    for (text, end) in [(all, "\r\r\n"), (separators, "\n")] {
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(kinds(&events), []);
        // Where each line ends in CR CR LF, one CR of the empty line stays with the message.
        let rest = if end == "\n" { "" } else { "\r" };
        let bodies = ["one\n", "two\n"];
        let expected = bodies.map(|body| format!("{HEADER}{body}").replace('\n', end) + rest);
        let read = messages(&entries)
            .into_iter()
            .map(|entry| String::from_utf8_lossy(&entry.message));
        assert_eq!(read.collect::<Vec<_>>(), expected);
        let trailer = end.strip_prefix('\r').unwrap_or(end).as_bytes();
        assert!(entries.iter().all(|entry| entry.trailer == trailer));
        assert!(
            entries
                .iter()
                .all(|entry| entry.separator.ends_with(b"2001\r\r\n"))
        );
    }
}

#[test]
fn doubtful_separators_are_reported() {
    // 2 for the blank line, 2 for the name, nothing else.
    let text = format!("{SEPARATOR}{HEADER}Hello,\n\nFrom here\nName: value\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(messages(&entries).len(), 1);
    assert_eq!(kinds(&events), [BoxEventKind::AmbiguousFrom]);
    assert_eq!(events[0].offset as usize, text.find("From here").unwrap());
    let (points, accepted) = (4, false);
    assert_eq!(events[0].detail, BoxDetail::Points { points, accepted });

    let text =
        format!("{SEPARATOR}{HEADER}one\n>From here\n\n{SEPARATOR}{HEADER}two\n>From there\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::QuotingGuess], "once a file");
    assert!(entries.iter().all(|entry| entry.quoting == Quoting::Mboxrd));
    let text = format!("{SEPARATOR}{HEADER}one\n>From here\n\nFrom there we\nwent\n\n");
    let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
    assert_eq!(
        (entries[0].quoting, kinds(&events)),
        (Quoting::Mboxo, vec![BoxEventKind::QuotingGuess])
    );
}

/// Mailboxes were joined although the first had no line end at its end, or with other bytes between.
#[test]
fn separators_inside_a_line() {
    let date = "From a@example.org Mon Jan  1 00:00:00 2001\n";
    let other = "From - Mon Jan  1 00:00:00 2001\n";
    for (before, line, count, reported) in [
        ("one", date, 3, 1),
        ("one\n\n\x1a", date, 3, 1),
        ("one\n\n\0\0\0\0", date, 3, 1),
        ("one\n\n\u{feff}", date, 3, 1),
        ("one\n\n\x0c", date, 3, 1),
        ("<p>one</p>", date, 3, 1),
        ("PS: one", date, 3, 1),
        ("one", other, 2, 1),
        ("one\n> ", "From what I heard\n", 2, 0),
        ("one", "From a@example.org\n", 2, 1),
        ("one", "From Ann\n", 2, 0),
        ("</body></html>", date, 3, 1),
        ("--bound--", date, 3, 1),
        ("data = \"", date, 2, 1),
        ("<pre>", date, 2, 1),
        ("mbox:17:", date, 2, 1),
        ("look=20", date, 2, 1),
        ("---", date, 2, 1),
        ("Ann Smith>", date, 2, 1),
        ("one\n>", date, 2, 0),
        ("one\n  ", date, 2, 0),
        ("X-From-Line: ", date, 2, 0),
        ("Subject: (", date, 2, 0),
        ("X-From-Line:", date, 2, 0),
    ] {
        for end in ["\n", "\r\n"] {
            let text = format!(
                "{SEPARATOR}{HEADER}{before}{line}{HEADER}two\n\n{SEPARATOR}{HEADER}three\n\n"
            );
            let text = text.replace('\n', end);
            let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
            assert_eq!(messages(&entries).len(), count, "{before:?} {events:?}");
            let reported = vec![BoxEventKind::AmbiguousFrom; reported];
            let ambiguous = kinds(&events);
            let ambiguous = ambiguous
                .into_iter()
                .filter(|kind| *kind == BoxEventKind::AmbiguousFrom);
            assert_eq!(ambiguous.collect::<Vec<_>>(), reported, "{before:?}");
            assert_eq!(concatenated(&entries), text.as_bytes());
        }
    }
}

/// In a mailbox whose separators have no date, three usual fields are required.
#[test]
fn separators_without_a_date_inside_a_line() {
    let line = "From a@example.org\n";
    for (header, count) in [(HEADER, 2), ("Subject: s\nFrom: a\n\n", 1)] {
        let text = format!("{line}{HEADER}one{line}{header}two\n\n");
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{events:?}");
        assert_eq!(events.len(), count - 1);
    }
}

/// One field of a message, or a decision of the user.
#[test]
fn doubtful_separators_inside_a_line() {
    let text = format!(
        "{SEPARATOR}{HEADER}one{SEPARATOR}Subject: two\n\ntwo\n\n{SEPARATOR}{HEADER}three\n\n"
    );
    let at = (SEPARATOR.len() + HEADER.len() + 3) as u64;
    for (decision, count, reported) in [
        (None, 2, 1),
        (Some(LineDecision::Cut), 3, 0),
        (Some(LineDecision::Join), 2, 0),
    ] {
        let mut options = ReadOptions::default();
        let overrides = decision.map(|decision| (at, decision));
        options.mailbox.overrides = std::sync::Arc::new(overrides.into_iter().collect());
        let (entries, events) = file(text.as_bytes(), &options);
        assert_eq!(messages(&entries).len(), count);
        assert_eq!(events.len(), reported, "{events:?}");
        if let [event] = &events[..] {
            assert_eq!(
                (event.kind, event.offset),
                (BoxEventKind::AmbiguousFrom, at)
            );
            assert_eq!(event.detail, BoxDetail::InsideLine { accepted: false });
        }
    }
}

/// A separator of a form that no other one of the mailbox has counts if a full header follows.
#[test]
fn single_separators_of_unusual_form() {
    const FULL: &str = "Received: from a\nFrom: b@example.org\nSubject: s\nMessage-ID: <x>\n\n";
    let text = |before: &str, line: &str, header: &str| {
        format!(
            "{SEPARATOR}{HEADER}{before}\n\n{line}\n{header}two\n\n{SEPARATOR}{HEADER}three\n\n"
        )
    };
    let patch = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001";
    let german = "From a@example.org Di M\u{e4}r  4 10:11:12 2003";
    for (before, line, header, count, reported) in [
        (
            "one",
            "From a@example.org Tue Mar  4 10:11:12 103",
            FULL,
            3,
            0,
        ),
        (
            "one",
            "From a@example.org Tue Mar  4 10:11:12 19100",
            FULL,
            3,
            0,
        ),
        ("one", german, FULL, 3, 1),
        ("one", "From Ann Di M\u{e4}r  4 10:11:12 2003", FULL, 3, 1),
        ("one", "From a@example.org", FULL, 3, 1),
        ("one", "From ", FULL, 3, 1),
        ("--=_b1--", german, FULL, 3, 1),
        ("one", german, "Subject: s\nTo: b\n\n", 2, 1),
        ("Look at this:", german, FULL, 2, 1),
        ("Look:\n\n-- Forwarded --", german, FULL, 2, 1),
        ("one", "From Ann", FULL, 2, 1),
        ("one", patch, FULL, 2, 1),
        ("one", SEPARATOR.trim_end(), "", 3, 1),
        ("one", SEPARATOR.trim_end(), "\n", 3, 0),
        ("Look:", SEPARATOR.trim_end(), "\n", 3, 1),
        (
            "one",
            SEPARATOR.trim_end(),
            "note: this\nnothing else\n",
            3,
            1,
        ),
        ("one", SEPARATOR.trim_end(), "Via: this\nTo: x\n\n", 3, 0),
        ("one", SEPARATOR.trim_end(), FULL, 3, 0),
        ("He wrote:", SEPARATOR.trim_end(), FULL, 3, 1),
        (
            "-- Unsent message follows --",
            SEPARATOR.trim_end(),
            FULL,
            3,
            1,
        ),
        ("--=_b1--", SEPARATOR.trim_end(), FULL, 3, 0),
    ] {
        let text = text(before, line, header);
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{line} {events:?}");
        let ambiguous = vec![BoxEventKind::AmbiguousFrom; reported];
        assert_eq!(kinds(&events), ambiguous, "{line} {events:?}");
    }
}

#[test]
fn a_from_line_between_lines_of_base64() {
    let line = "QUJD".repeat(19);
    let text = |middle: &str| format!("{SEPARATOR}{HEADER}{line}\n{middle}{line}\n{line}\n\n");
    // 2 + 3 - 2 points
    let (entries, events) = file(text(SEPARATOR).as_bytes(), &ReadOptions::default());
    assert_eq!((messages(&entries).len(), events.len()), (1, 0));
}

#[test]
fn a_stream_that_does_not_begin_with_a_separator_is_one_message() {
    let text = format!("Subject: x\n\n{SEPARATOR}{HEADER}pasted\n\n{SEPARATOR}{HEADER}pasted\n");
    let (entries, events) = stream(text.as_bytes(), &ReadOptions::default());
    assert_eq!(kinds(&events), [BoxEventKind::Single]);
    assert_eq!(
        (entries.len(), &entries[0].message[..]),
        (1, text.as_bytes())
    );
    assert_eq!(stream(b"", &ReadOptions::default()), (vec![], vec![]));
}

#[test]
fn an_error_names_the_file() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::ConnectionReset))
        }
    }
    let start = io::Cursor::new(SEPARATOR.repeat(60_000));
    let mut source = Mailbox::from_stream(
        Path::new("pipe"),
        start.chain(Broken),
        &ReadOptions::default(),
    )
    .unwrap();
    let mut batch = Batch::default();
    let error = loop {
        match source.next(&mut batch) {
            Ok(more) => assert!(more),
            Err(error) => break error,
        }
    };
    assert!(
        error.io_kind() == io::ErrorKind::ConnectionReset
            && error.to_string().starts_with("pipe: "),
        "{error}"
    );
}

#[test]
fn kept_quote_mark_is_reported() {
    let measured = |body: &str| {
        format!(
            "{SEPARATOR}Content-Length: {}\n{HEADER}{body}\n",
            body.len()
        )
    };
    let text = [measured("a\n\nFrom b\n"), measured("x\n>From y\n")].concat();
    let prose = format!("{SEPARATOR}{HEADER}Dear all,\n\nFrom here we go\n\n");
    // The head of a stream whose end is not sniffed.
    let long = [prose, "words\n".repeat(500_000), "\n>From x\n".to_owned()].concat();
    for (text, (entries, events)) in [
        (&text, file(text.as_bytes(), &ReadOptions::default())),
        (&long, stream(long.as_bytes(), &ReadOptions::default())),
    ] {
        assert!(entries.iter().all(|entry| entry.quoting == Quoting::None));
        let reported: Vec<_> = events
            .iter()
            .filter(|event| event.kind == BoxEventKind::QuotingGuess)
            .collect();
        assert_eq!(reported.len(), 1, "{events:?}");
        assert!(text[reported[0].offset as usize - 1..].starts_with(">From "));
    }
}

/// Blank lines before the first separator are no message, with or without blanks in them.
#[test]
fn blank_lines_before_the_first_separator() {
    let two = format!("{SEPARATOR}{HEADER}one\n\n").repeat(2);
    for (before, count, expected) in [
        ("   \n", 2, BoxEventKind::Prelude),
        ("\t\r\n\n \n", 2, BoxEventKind::Prelude),
        ("\u{feff} \n", 2, BoxEventKind::Prelude),
        (" x\n\n", 3, BoxEventKind::Gap),
    ] {
        let text = format!("{before}{two}");
        for (entries, events) in [
            file(text.as_bytes(), &ReadOptions::default()),
            stream(text.as_bytes(), &ReadOptions::default()),
        ] {
            assert_eq!(messages(&entries).len(), count, "{before:?}");
            assert_eq!(kinds(&events), [expected], "{before:?}");
            assert_eq!(concatenated(&entries), text.as_bytes());
        }
    }
    // Blanks before text are part of it.
    let (entries, _) = file(b" \n  folded\n", &ReadOptions::default());
    assert_eq!(messages(&entries)[0].message, b"  folded\n");
}

/// A mailbox of another program was joined to one without a line end at its end.
#[test]
fn separators_of_another_form_inside_a_line() {
    const FULL: &str = "Received: from a\nFrom: b@example.org\nTo: c\nDate: d\nSubject: s\n\n";
    let dated = "From - Mon Jan  1 00:00:00 2001\n";
    for (before, line, header, count) in [
        ("one", dated, FULL, 3),
        ("one\n\n\u{feff}", dated, FULL, 3),
        ("one", dated, &FULL.replace("To: c\n", ""), 2),
        ("one", "From b@example.org\n", FULL, 2),
        ("mbox:17:", dated, FULL, 2),
    ] {
        let text =
            format!("{SEPARATOR}{HEADER}{before}{line}{header}two\n\n{SEPARATOR}{HEADER}three\n\n");
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{before:?} {header:?}");
        assert_eq!(kinds(&events), [BoxEventKind::AmbiguousFrom], "{before:?}");
        assert_eq!(concatenated(&entries), text.as_bytes());
    }
}
