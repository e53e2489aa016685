//! Tests the repairs of structure. After a repair all readers of the message find the same parts.

use super::*;
use memchr::memmem;

/// A repair that changes a boundary would make other parts, which were not judged.
#[test]
fn a_line_of_blanks_within_a_boundary_stays() {
    let rules = silent(Rules::default());
    let quoted = "Content-Type: multipart/mixed; boundary=\"a\\\r\n \r\n b\"\r\n\r\n--a  b\r\n\r\nx\r\n--a  b--\r\n";
    let blanks = " ".repeat(870);
    let long = format!(
        "Content-Type: multipart/mixed; boundary=\"a\r\n{blanks}\r\n b\"\r\n\r\n--a{blanks} b\r\n\r\nx\r\n--a{blanks} b--\r\n"
    );
    for raw in [quoted, &long] {
        let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
        assert!(judgement.findings.has(Finding::WhitespaceLine));
        assert_eq!(String::from_utf8_lossy(&judgement.bytes()), raw);
    }
}

/// An embedded message stays unchanged, and gets no Content-Type.
#[test]
fn a_message_in_a_digest_gets_no_content_type() {
    let envelope = Envelope {
        smtputf8: true,
        ..Envelope::default()
    };
    let rules = silent(Rules::default());
    for field in [
        "Subject: =?utf-8?q?=C3=A9?=",
        "Subject: =?koi8-r?q?=C1?=",
        "Subject: é",
    ] {
        let open = format!(
            "Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\n{field}\r\n\r\nx"
        );
        let closed = format!("{open}\r\n--d--\r\n");
        for raw in [&open, &closed] {
            let judgement = judge(raw.as_bytes(), &envelope, &rules);
            assert_eq!(String::from_utf8_lossy(&judgement.bytes()), closed);
        }
    }
}

#[test]
fn open_multiparts_are_closed_and_lines_of_blanks_are_joined() {
    let outer = "Content-Type: multipart/mixed; boundary=a";
    let inner = "Content-Type: multipart/alternative; boundary=b";
    let plain = "Content-Type: text/plain";
    for (before, after) in [
        // At the end of the message: after a line end that belongs to the text, and without a line end.
        (
            format!("{outer}\n\n--a\n{plain}\n\nx\n"),
            format!("{outer}\n\n--a\n{plain}\n\nx\n\n--a--\n"),
        ),
        (
            format!("{outer}\n\n--a\n{plain}\n\nx"),
            format!("{outer}\n\n--a\n{plain}\n\nx\n--a--\n"),
        ),
        // Inside another multipart, before its delimiter.
        (
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n--a\n{plain}\n\ny\n--a--\n"),
            format!(
                "{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n--b--\n--a\n{plain}\n\ny\n--a--\n"
            ),
        ),
        // Both are open: the inner one is closed first.
        (
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n"),
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n\n--b--\n--a--\n"),
        ),
        // Signed and embedded multiparts stay open.
        (
            format!(
                "{outer}\n\n--a\nContent-Type: message/rfc822\n\n{inner}\n\n--b\n{plain}\n\nx\n--a--\n"
            ),
            format!(
                "{outer}\n\n--a\nContent-Type: message/rfc822\n\n{inner}\n\n--b\n{plain}\n\nx\n--a--\n"
            ),
        ),
        (
            format!(
                "{}\n\n--a\n{plain}\n\nx\n",
                outer.replace("mixed", "signed")
            ),
            format!(
                "{}\n\n--a\n{plain}\n\nx\n",
                outer.replace("mixed", "signed")
            ),
        ),
        (
            format!("DKIM-Signature: b=a\n{outer}\n\n--a\n\nx\n"),
            format!("DKIM-Signature: b=a\n{outer}\n\n--a\n\nx\n"),
        ),
        // Lines of blanks.
        (
            format!("Subject: a\n \n b\n{plain}\n\nx\n"),
            format!("Subject: a \n b\n{plain}\n\nx\n"),
        ),
        (
            "Subject: a\n\t \nTo: b\n \n\nx\n".to_owned(),
            "Subject: a\t \nTo: b \n\nx\n".to_owned(),
        ),
        (
            "Subject: =?koi8-r?Q?=C1?=\n \n =?koi8-r?Q?=C2?= x\n\nx\n".to_owned(),
            "Subject: =?UTF-8?B?0LDQsQ==?= x\n\nx\n".to_owned(),
        ),
        (
            format!("{outer}\n\n--a\n{plain};\n \n charset=utf-8\n\nx\n--a--\n"),
            format!("{outer}\n\n--a\n{plain}; \n charset=utf-8\n\nx\n--a--\n"),
        ),
    ] {
        for crlf in [false, true] {
            let ends = |text: &str| {
                if crlf {
                    text.replace('\n', "\r\n")
                } else {
                    text.to_owned()
                }
            };
            let (before, after) = (ends(&before), ends(&after));
            let rules = silent(Rules::default());
            let judgement = judge(before.as_bytes(), &Envelope::default(), &rules);
            let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
            assert_eq!(bytes, after);
            assert_eq!(judgement.action == Action::Normalize, before != after);
            let again = judge(after.as_bytes(), &Envelope::default(), &rules);
            assert!(
                again.edits.is_empty() && (before == after || again.findings.is_empty()),
                "{after}"
            );
            // A policy that only tags changes nothing.
            let mut tells = rules.clone();
            for finding in [Finding::WhitespaceLine, Finding::UnterminatedMultipart] {
                tells.set(finding, Action::Tag);
            }
            if !before.contains("koi8-r") {
                let judgement = judge(before.as_bytes(), &Envelope::default(), &tells);
                assert!(judgement.edits.is_empty(), "{before}");
            }
        }
    }
}

/// If readers disagree where a header ends, the missing empty line is added, and nothing else changes.
#[test]
fn a_missing_empty_line_after_a_header_is_added() {
    let rules = silent(Rules::default());
    let multipart = "Content-Type: multipart/mixed; boundary=b\nMIME-Version: 1.0\n";
    let cases: &[(&str, &str)] = &[
        (
            "Subject: x\nno field\nmore\n",
            "Subject: x\n\nno field\nmore\n",
        ),
        (
            "Subject: x\nFrom a\nFoo: y\n\ntext\n",
            "Subject: x\n\nFrom a\nFoo: y\n\ntext\n",
        ),
        ("Subject: x\n \t\ntext\n", "Subject: x\n\ntext\n"),
        ("no field\n", "\nno field\n"),
        (" text\n", "\n text\n"),
        (
            &format!("{multipart}--b\nContent-Type: text/plain\ntext\n\n--b--\n"),
            &format!("{multipart}\n--b\nContent-Type: text/plain\n\ntext\n\n--b--\n"),
        ),
        // Signed and embedded messages stay unchanged.
        (
            "DKIM-Signature: v=1; b=aa\nno field\n",
            "DKIM-Signature: v=1; b=aa\nno field\n",
        ),
        (
            "Content-Type: message/rfc822\n\nSubject: x\nno field\n",
            "Content-Type: message/rfc822\n\nSubject: x\nno field\n",
        ),
    ];
    for (raw, want) in cases {
        for eol in ["\n", "\r\n"] {
            let (raw, want) = (raw.replace('\n', eol), want.replace('\n', eol));
            let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
            assert!(judgement.findings.has(Finding::UnendedHeader), "{raw:?}");
            let bytes = judgement.bytes();
            assert_eq!(String::from_utf8_lossy(&bytes), want);
            assert!(
                judge(&bytes, &Envelope::default(), &rules).edits.is_empty(),
                "{want:?}"
            );
        }
    }
    // The added fields do not become part of the message.
    let told = judge(b" text\n", &Envelope::default(), &Rules::default());
    let bytes = String::from_utf8(told.bytes().into_owned()).unwrap();
    assert!(
        bytes.starts_with("MIME-Ambiguity-Results: ") && bytes.ends_with("\"\n\n text\n"),
        "{bytes}"
    );
}

#[test]
fn lines_that_are_not_fields_get_a_name_if_the_policy_asks() {
    let mut rules = silent(Rules::default());
    rules.set(Finding::MalformedHeaderLine, Action::Normalize);
    let long = "x ".repeat(500);
    for (raw, want) in [
        (
            "A: b\nFrom c\n d\nSubject: x\n\nt\n",
            "A: b\nX-Unnamed-Line: From c\n d\nSubject: x\n\nt\n",
        ),
        (
            " a\nb\nSubject: x\n\nt\n",
            "X-Unnamed-Line: a\nX-Unnamed-Line: b\nSubject: x\n\nt\n",
        ),
        // If the line would get too long, its name is on a line before it.
        (
            &format!("A: b\n{long}\nSubject: x\n\nt\n"),
            &format!("A: b\nX-Unnamed-Line:\n {long}\nSubject: x\n\nt\n"),
        ),
    ] {
        let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
        let bytes = judgement.bytes();
        assert_eq!(String::from_utf8_lossy(&bytes), want);
        assert!(
            judge(&bytes, &Envelope::default(), &rules).edits.is_empty(),
            "{want:?}"
        );
        // By default it is only reported.
        let usual = judge(
            raw.as_bytes(),
            &Envelope::default(),
            &silent(Rules::default()),
        );
        assert!(usual.edits.is_empty() && usual.findings.has(Finding::MalformedHeaderLine));
    }
}

#[test]
fn the_first_of_repeated_fields_stays() {
    let raw = message(
        "Content-Type: text/plain\nSubject: x\nContent-Type: text/html",
        "x",
    );
    let clean = message("Content-Type: text/plain\nSubject: x", "x");
    assert_eq!(
        judge(&raw, &Envelope::default(), &silent(Rules::default())).bytes(),
        clean
    );
}

#[test]
fn transfer_encodings_get_one_spelling() {
    let rules = silent(Rules::default());
    let part = |label: &str, body: &str| {
        message(
            &format!("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding:{label}"),
            body,
        )
    };
    for (before, after) in [
        (
            part(" base64 (x)", "PHNjcmlwdD4="),
            part(" base64", "PHNjcmlwdD4="),
        ),
        (part(" 8 bit", "x"), part(" 7bit", "x")),
        (
            part(" base64", "PHNjcmlwdD5"),
            part(" base64", "PHNjcmlwdD4="),
        ),
        (
            part(" base64", "PHNj!!cmlwdD4="),
            part(" base64", "PHNjcmlwdD4="),
        ),
        (part(" foo", "x"), part(" foo", "x")),
    ] {
        let bytes = judge(&before, &Envelope::default(), &rules)
            .bytes()
            .into_owned();
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            String::from_utf8_lossy(&after)
        );
    }
}

/// A header field that would become longer than servers accept is not rewritten, because servers would truncate it.
#[test]
fn a_field_that_would_get_too_long_stays() {
    let names = |count: usize, at: usize| -> String {
        let one = |number| format!("J\u{fc}rgen M\u{fc}ller <p{number:04}@a{at}.invalid>");
        (0..count).map(one).collect::<Vec<_>>().join(",\r\n ")
    };
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let longest = |bytes: &[u8]| {
        let message = Message::parse(bytes, &Rules::default().rewriting.limits);
        message
            .all_fields()
            .iter()
            .map(|field| field.full.len())
            .max()
            .unwrap()
    };
    let (mut stayed, mut went, mut most) = (0, 0, 0);
    for count in (0..1_500).step_by(150).chain(1_060..1_080) {
        let to = format!("To: {}\r\n", names(count, 0));
        let raw = latin(&format!(
            "From: a@b.invalid\r\n{to}Subject: caf\u{e9}\r\n\r\nhello\r\n"
        ));
        let rules = silent(Rules::default());
        let judgement = judge(&raw, &Envelope::default(), &rules);
        let bytes = judgement.bytes();
        let stays = memmem::find(&bytes, &latin(&to)).is_some();
        assert_eq!(
            judgement.findings.count(Finding::HeaderTooLong),
            u32::from(stays && count > 0),
            "{count}"
        );
        if stays && count > 0 {
            stayed += 1;
        } else {
            went += 1;
            most = most.max(longest(&bytes));
        }
        // The field beside it is rewritten, and a second pass changes nothing.
        assert!(memmem::find(&bytes, "Subject: =?UTF-8?".as_bytes()).is_some());
        assert!(judge(&bytes, &Envelope::default(), &rules).edits.is_empty());
    }
    assert!(
        stayed > 2 && went > 2 && most <= crate::limits::LONGEST_FIELD,
        "{stayed} {went} {most}"
    );
    // The limit is reached to within the length of one address.
    assert!(most > crate::limits::LONGEST_FIELD - 100, "{most}");
}

#[test]
fn a_part_whose_label_would_get_too_long_stays() {
    for (length, changes) in [(10, true), (60_000, false)] {
        let text = format!(
            "From: a@b.invalid\r\nSubject: caf\u{e9}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
             --b\r\nContent-Type: text/plain; charset=iso-8859-1; name=\"{}\"\r\n\r\ncaf\u{e9}\r\n\
             --b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\u{e9}\r\n--b--\r\n",
            "a".repeat(length)
        );
        let raw: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let rules = silent(Rules::default());
        let judgement = judge(&raw, &Envelope::default(), &rules);
        let first = memmem::find(&raw, b"--b\r\n").unwrap();
        let second = first + 1 + memmem::find(&raw[first + 1..], b"--b\r\n").unwrap();
        let touches = |from: usize, to: usize| {
            judgement
                .edits
                .iter()
                .any(|edit| from <= edit.span.start && edit.span.end <= to)
        };
        assert_eq!(touches(first, second), changes, "{length}");
        assert_eq!(judgement.findings.has(Finding::HeaderTooLong), !changes);
        assert!(touches(0, first) && touches(second, raw.len()));
    }
}

#[test]
fn a_line_of_parameters_gets_its_blank() {
    let raw = message("Content-Type: text/plain;\ncharset=utf-8", "x");
    let want = message("Content-Type: text/plain;\n charset=utf-8", "x");
    let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
    assert!(judgement.findings.has(Finding::MalformedHeaderLine));
    assert_eq!(
        judgement.bytes().escape_ascii().to_string(),
        want.escape_ascii().to_string()
    );
}
