//! Reports say no more than what was done, and tell guesses as guesses.

#![allow(clippy::unwrap_used)]

use mailglot_mime::{
    Attachments, EventKind, GUESSES, GuessKind, Limits, Message, OnLoss, Outcome, PartKind, Policy,
    Report, Severity, plan, process, text_parts,
};

/// Field, kind, label, charset read, confidence and excerpt of a guess.
type Row = (
    Option<String>,
    GuessKind,
    Option<String>,
    &'static str,
    Option<f32>,
    String,
);

fn guesses(raw: &[u8]) -> Vec<Row> {
    let report = process(raw, &Policy::default()).report;
    let kept = report.guesses.len() as u64;
    assert_eq!(
        report.guessed() + report.overruled(),
        kept,
        "{}",
        raw.escape_ascii()
    );
    let row = |guess: &mailglot_mime::Guess| {
        let declared = guess.declared.clone();
        (
            guess.field.clone(),
            guess.kind,
            declared,
            guess.used.name(),
            guess.confidence,
            guess.excerpt.clone(),
        )
    };
    report.guesses.iter().map(row).collect()
}

#[test]
fn unlabelled_bodies_are_guesses() {
    let raw = b"Subject: x\n\nPrices: 5 \xa3 a piece\n";
    let [(field, kind, declared, _, confidence, excerpt)] = &guesses(raw)[..] else {
        panic!()
    };
    assert_eq!(
        (field, *kind, declared),
        (&None, GuessKind::Detected, &None)
    );
    assert!(confidence.is_some_and(|confidence| confidence < 1.0));
    assert!(excerpt.starts_with("Prices: 5 "), "{excerpt}");
}

#[test]
fn what_a_rule_decides_is_no_guess() {
    for raw in [
        "Subject: x\n\ncaf\u{e9}\n".as_bytes(),
        b"Subject: x\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9\n",
        b"Subject: x\nContent-Type: text/plain; charset=iso-8859-1\n\nIt\x92s\n",
        "Subject: x\nContent-Type: text/plain; charset=us-ascii\n\ncaf\u{e9}\n".as_bytes(),
        "Subject: caf\u{e9}\n\nx\n".as_bytes(),
        b"Subject: =?iso-8859-1?q?caf=E9?= caf\xe9\n\nx\n",
        b"Subject: =?iso-8859-1?q?caf=E9?=\n\nx\n",
        b"Subject: x\nContent-Type: application/x; name*=iso-8859-1''caf%E9\n\nx\n",
        b"Subject: x\nContent-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2\n",
    ] {
        assert_eq!(guesses(raw), [], "{}", raw.escape_ascii());
    }
}

#[test]
fn overruled_labels_are_told() {
    for (raw, field, declared) in [
        (
            "Subject: x\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\u{fc}\u{df}e\n",
            None,
            "iso-8859-1",
        ),
        (
            "Subject: =?iso-8859-1?q?Gr=C3=BC=C3=9Fe?=\n\nx\n",
            Some("Subject"),
            "iso-8859-1",
        ),
        (
            "Subject: x\nContent-Type: application/x; name*=iso-8859-1''Gr%C3%BC%C3%9Fe\n\nx\n",
            Some("Content-Type"),
            "iso-8859-1",
        ),
        (
            "Subject: x\nContent-Type: application/x; name*0*=iso-8859-1''Gr%C3%BC; name*1*=%C3%9Fe\n\nx\n",
            Some("Content-Type"),
            "iso-8859-1",
        ),
        (
            "Subject: x\nContent-Type: application/x; name=\"=?iso-8859-1?q?Gr=C3=BC=C3=9Fe?=\"\n\nx\n",
            Some("Content-Type"),
            "iso-8859-1",
        ),
    ] {
        let found = guesses(raw.as_bytes());
        let [(of, kind, label, used, confidence, excerpt)] = &found[..] else {
            panic!("{raw} {found:?}")
        };
        assert_eq!(
            (of.as_deref(), *kind),
            (field, GuessKind::Overruled),
            "{raw}"
        );
        assert_eq!(
            (label.as_deref(), *used, *confidence),
            (Some(declared), "UTF-8", None),
            "{raw}"
        );
        assert!(excerpt.contains("Gr\u{fc}\u{df}e"), "{excerpt}");
    }
}

#[test]
fn raw_fields_are_guesses_where_nothing_names_their_charset() {
    let found = guesses(b"Subject: Gr\xfc\xdfe aus K\xf6ln\nX-A: caf\xe9\n\nx\n");
    assert_eq!(found.len(), 2, "{found:?}");
    for (field, kind, declared, used, confidence, _) in &found {
        assert!(field.is_some());
        assert_eq!(
            (*kind, declared, *used),
            (GuessKind::Detected, &None, "windows-1252")
        );
        assert!(
            confidence.is_some_and(|confidence| confidence < 1.0),
            "{found:?}"
        );
    }
}

#[test]
fn the_least_certain_ones_are_kept() {
    let mut raw = Vec::new();
    for n in 0..300 {
        raw.extend(format!("X-{n}: caf").bytes());
        raw.extend([0xE9, b'\n']);
    }
    raw.extend(b"\nx\n");
    let report = plan(&raw, &Policy::default()).report;
    assert_eq!(report.guesses.len(), GUESSES);
    assert_eq!(report.guessed(), 300);
    assert_eq!(report.guesses[99].field.as_deref(), Some("X-99"));
    assert!(
        report
            .guesses
            .is_sorted_by(|a, b| a.confidence.unwrap_or(1.0) <= b.confidence.unwrap_or(1.0))
    );
    let none = Policy::default().limits(Limits::default().events(0));
    let silent = plan(&raw, &none).report;
    assert_eq!(
        (silent.guessed(), silent.guesses.len()),
        (report.guessed(), 0)
    );
}

#[test]
fn guesses_in_encoded_messages_are_told() {
    let raw =
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKZml2ZSCjCg==\n";
    let mut report = Report::default();
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut report);
    assert_eq!((parts.len(), report.guessed()), (1, 1));
    assert_eq!(
        report.guesses[0].at,
        message.part(report.guesses[0].part).unwrap().body
    );
}

/// Planned edits that are dropped leave no repair behind.
#[test]
fn dropped_edits_are_no_repairs() {
    let mut raw = Vec::new();
    for n in 0..13 {
        raw.extend(format!("X-{n}: caf").bytes());
        raw.extend([0xE9, b'\n']);
    }
    raw.extend(b"\nx\n");
    for (events, fields) in [(1000, 12), (3, 12), (0, 12), (1000, 13)] {
        let policy = Policy::default().limits(Limits::default().events(events).fields(fields));
        let outcome = process(&raw, &policy);
        let report = &outcome.report;
        let left_alone = report.has(EventKind::MimeUnsettled);
        assert_eq!(left_alone, outcome.edits.is_empty(), "{events} {fields}");
        assert_eq!(
            report.repairs() == 0,
            left_alone,
            "{events} {fields} {}",
            report.repairs()
        );
        assert_eq!(report.losses(), u64::from(fields < 13), "{events} {fields}");
        let told = report
            .events
            .iter()
            .map(|event| event.kind)
            .chain(report.unkept().map(|(kind, _)| kind));
        let repairs = told
            .filter(|kind| kind.severity() == Severity::Repair)
            .count();
        assert_eq!(repairs == 0, left_alone, "{events} {fields}");
        let withdrawn = report.withdrawn.len() as u64 + report.withdrawn_dropped;
        assert_eq!(withdrawn > 0, left_alone, "{events} {fields}");
        assert!(report.has(EventKind::EwRaw8bit));
    }
}

#[test]
fn parts_and_fields_that_stay_are_no_repairs() {
    let keep = Policy::default().on_loss(OnLoss::Keep);
    for (raw, policy) in [
        (&b"Content-Type: text/rtf; charset=iso-8859-1\n\n{\\rtf1 It\x92s}\n"[..], &Policy::default()),
        (b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 =C3=A9 =C3 =4x\n", &keep),
        (b"Subject: =?utf-8?q?caf=C3=A9=FF=4?=\n\nx\n", &keep),
    ] {
        let outcome = process(raw, policy);
        assert_eq!(outcome.edits, [], "{} {:?}", raw.escape_ascii(), outcome.report.events);
        assert_eq!(outcome.report.repairs(), 0, "{} {:?}", raw.escape_ascii(), outcome.report.events);
    }
}

#[test]
fn limits_are_losses() {
    let small = Policy::default().limits(Limits::default().message(10));
    let report = process(b"Subject: caf\xe9\n\nx\n", &small).report;
    assert_eq!(report.events[0].kind, EventKind::MsgTooLarge);
    assert_eq!((report.losses(), report.events[0].at.len()), (1, 17));

    let deep = "Content-Type: message/rfc822\n\n".repeat(150);
    assert_eq!(
        process(deep.as_bytes(), &Policy::default()).report.losses(),
        1
    );

    let short = Policy::default().limits(Limits::default().field(10));
    let report = process(b"Subject: caf\xe9 and more\n\nx\n", &short).report;
    assert!(report.has(EventKind::HdrBeyondLimit));
    assert_eq!(report.losses(), 1);
}

#[test]
fn a_default_report_keeps_events() {
    let mut report = Report::default();
    let raw = b"Content-Type: text/plain; charset=latin1\n\ncaf\xe9\n";
    text_parts(
        &Message::parse(raw, &Limits::default()),
        &Policy::default(),
        &mut report,
    );
    assert!(!report.events.is_empty());
    assert_eq!(report.dropped, 0);
}

/// A part with a file name is a file, wherever the text of a message does not stand.
#[test]
fn named_parts_are_attachments() {
    let latin = "charset=iso-8859-1";
    let named = [
        format!("Content-Type: text/x-patch; {latin}; name=a.patch"),
        format!("Content-Type: text/plain; {latin}\nContent-Disposition: inline; filename=a.txt"),
        format!("Content-Type: text/plain; {latin}; name*=utf-8''a.txt"),
        format!(
            "Content-Type: text/plain; {latin}\nContent-Disposition: inline; filename*0=a; filename*1=.txt"
        ),
    ];
    for head in &named {
        let of = |media: &str, place: usize| {
            let plain = "Content-Type: text/plain";
            let (first, second) = if place == 0 {
                (head.as_str(), plain)
            } else {
                (plain, head.as_str())
            };
            let text = format!(
                "Content-Type: multipart/{media}; boundary=b\n\n--b\n{first}\n\ncaf\u{e9}\n--b\n{second}\n\nna\u{ef}ve\n--b--\n"
            );
            text.chars().map(|c| c as u32 as u8).collect::<Vec<u8>>()
        };
        for (media, place, is_file) in [
            ("mixed", 1, true),
            ("mixed", 0, false),
            ("alternative", 1, false),
            ("related", 1, true),
        ] {
            let raw = of(media, place);
            let message = Message::parse(&raw, &Limits::default());
            assert_eq!(
                message.parts()[place + 1].attachment,
                is_file,
                "{media} {place} {head}"
            );
            let outcome = process(&raw, &Policy::default());
            let untouched = outcome.report.has(EventKind::MimeAttachmentUntouched);
            assert_eq!(untouched, is_file, "{media} {place} {head}");
            let utf8 = Policy::default().attachments(Attachments::Utf8);
            assert!(
                !process(&raw, &utf8)
                    .report
                    .has(EventKind::MimeAttachmentUntouched)
            );
        }
        let root: Vec<u8> = format!("{head}\n\ncaf\u{e9}\n")
            .chars()
            .map(|c| c as u32 as u8)
            .collect();
        assert!(
            !Message::parse(&root, &Limits::default()).parts()[0].attachment,
            "{head}"
        );
    }
    for head in [
        "Content-Type: text/plain; name=\"\"",
        "Content-Disposition: inline",
        "Content-Type: text/plain; x-name=a",
    ] {
        let raw = format!(
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n{head}\n\ny\n--b--\n"
        );
        assert!(
            !Message::parse(raw.as_bytes(), &Limits::default()).parts()[2].attachment,
            "{head}"
        );
    }
}

#[test]
fn news_messages_are_messages() {
    let raw = b"Content-Type: message/news\n\nSubject: =?koi8-r?q?=F0?=\nContent-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\n";
    let message = Message::parse(raw, &Limits::default());
    assert_eq!(
        (message.parts().len(), message.parts()[0].kind),
        (2, PartKind::Message)
    );
    let bytes = process(raw, &Policy::default()).bytes;
    assert!(
        bytes.ends_with("При\n".as_bytes()),
        "{}",
        bytes.escape_ascii()
    );
    let encoded =
        b"Content-Type: message/news\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKaGVsbG8K\n";
    let message = Message::parse(encoded, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::default());
    assert_eq!(parts[0].text, "hello\n");
}

fn has_too_large(outcome: &Outcome<'_>) -> bool {
    let mut events = outcome.report.events.iter();
    events.any(|event| event.kind == EventKind::MsgTooLarge)
}

/// Text beyond the limit stays, and what stands before and after it is rewritten.
#[test]
fn text_beyond_the_limit_is_not_read() {
    let part =
        |text: &str| format!("--b\nContent-Type: text/plain; charset=iso-8859-1\n\n{text}\n");
    let texts = ["caf\u{e9} 1", &"caf\u{e9} 2".repeat(20), "caf\u{e9} 3"]
        .map(part)
        .concat();
    let message = format!(
        "Subject: gr\u{fc}n\nContent-Type: multipart/mixed; boundary=b\n\n{texts}\
         --b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{}\n--b--\n",
        "U3ViamVjdDogeAoKY2Fm6Qo=\n".repeat(9)
    );
    let raw: Vec<u8> = message.chars().map(|c| c as u8).collect();
    let policy = Policy::default().limits(Limits::default().text(100));
    let outcome = process(&raw, &policy);
    let too_large: Vec<_> = outcome
        .report
        .events
        .iter()
        .filter(|event| event.kind == EventKind::MsgTooLarge)
        .collect();
    let parts: Vec<_> = too_large.iter().map(|event| event.part.0).collect();
    assert_eq!(parts, [2, 4]);
    assert_eq!(
        too_large[0].detail.to_string(),
        "more than 100 bytes, left alone"
    );
    let text = String::from_utf8_lossy(&outcome.bytes);
    assert!(
        text.contains("café 1") && text.contains("café 3") && !text.contains("café 2"),
        "{text}"
    );
    assert!(text.starts_with("Subject: =?"), "{text}");
    assert!(
        outcome
            .edits
            .iter()
            .all(|edit| !edit.span.is_empty() || !edit.with.is_empty())
    );
    let again = process(&outcome.bytes, &policy);
    assert!(again.edits.is_empty());
    let whole = Message::parse(&raw, &policy.limits);
    let texts = text_parts(&whole, &policy, &mut Report::default());
    let sections: Vec<_> = texts.iter().map(|text| &*text.section).collect();
    assert_eq!(sections, ["1", "3"]);
    // A message within the limit is read as a whole.
    let policy = Policy::default().limits(Limits::default().text(raw.len()));
    let outcome = process(&raw, &policy);
    assert!(!has_too_large(&outcome));
    assert!(String::from_utf8_lossy(&outcome.bytes).contains("café 2"));
}

/// Text that a second pass could read, because the first one made other text shorter, keeps the message as it is.
#[test]
fn a_text_limit_leaves_nothing_for_a_second_pass() {
    let part = |encoding: &str, text: &str| {
        format!(
            "--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: {encoding}\n\n{text}\n"
        )
    };
    let message = format!(
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n{}{}--b--\n",
        part("quoted-printable", &"=E9=E9=E9=E9=E9=E9\n".repeat(100)),
        part("8bit", &"caf\u{e9}\n".repeat(100))
    );
    let raw: Vec<u8> = message.chars().map(|c| c as u8).collect();
    let policy = Policy::default().limits(Limits::default().text(2_000));
    let outcome = process(&raw, &policy);
    assert!(has_too_large(&outcome));
    assert!(process(&outcome.bytes, &policy).edits.is_empty());
}

#[test]
fn text_attachments_do_not_count_as_text() {
    let message = format!(
        "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n\
         --b\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\u{e9}\n\
         --b\nContent-Type: text/x-log\nContent-Disposition: attachment; filename=a.log\n\n{}--b\n\
         Content-Type: text/plain; charset=iso-8859-1\n\nth\u{e9}\n--b--\n",
        "a line of a log\n".repeat(100)
    );
    let raw: Vec<u8> = message.chars().map(|c| c as u8).collect();
    let outcome = process(&raw, &Policy::default().limits(Limits::default().text(500)));
    assert!(!has_too_large(&outcome));
    let text = String::from_utf8_lossy(&outcome.bytes);
    assert!(text.contains("café") && text.contains("thé"), "{text}");
}
