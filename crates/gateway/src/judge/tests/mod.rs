//! Tests of judgements of whole messages.

#![allow(clippy::unwrap_used)]
use super::*;
use memchr::memmem;
use std::fs;

mod embedded_messages;
mod findings;
mod forged_fields;
mod label_findings;
mod raw_shifts;
mod signed;
mod structure_repair;
mod unnamed_lines;

/// Rules that add no field, so that outputs can be compared.
fn silent(mut rules: Rules) -> Rules {
    rules.findings_header = None;
    rules
}

fn judged(raw: &[u8]) -> Judgement<'_> {
    judge(raw, &Envelope::default(), &Rules::default())
}

fn message(header: &str, body: &str) -> Vec<u8> {
    let header = header.replace('\n', "\r\n");
    format!("From: a@example.org\r\nMIME-Version: 1.0\r\n{header}\r\n\r\n{body}\r\n").into_bytes()
}

/// Returns the messages of a folder of shared material; none if the material is missing.
fn shared(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(root) = crate::shared_material::folder() else {
        return Vec::new();
    };
    let (mut found, mut open) = (Vec::new(), vec![root.join(folder)]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|kind| kind == "eml") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty());
    found.sort();
    found
}

#[test]
fn a_second_pass_changes_nothing() {
    let rules = silent(Rules::default());
    for (name, raw) in shared("attacks").into_iter().chain(shared("corpus/eml")) {
        for eight_bit in [false, true] {
            let envelope = Envelope {
                eight_bit,
                ..Envelope::default()
            };
            let first = judge(&raw, &envelope, &rules);
            let bytes = first.bytes();
            assert_eq!(bytes.len(), first.size(), "{name}");
            let second = judge(&bytes, &envelope, &rules);
            assert!(
                second.edits.is_empty(),
                "{name}: {:?} after {:?}",
                second.edits,
                first.edits
            );
            assert!(first.action == Action::Normalize || bytes == raw, "{name}");
        }
    }
}

/// The message may be truncated at any byte.
#[test]
fn a_second_pass_changes_nothing_of_cut_messages() {
    let rules = silent(Rules::default());
    let mut closed = 0;
    for (name, raw) in shared("attacks")
        .into_iter()
        .chain(shared("corpus/eml"))
        .filter(|(_, raw)| raw.len() < 60_000)
    {
        for eighths in 1..8 {
            let cut = &raw[..raw.len() * eighths / 8];
            let first = judge(cut, &Envelope::default(), &rules);
            let bytes = first.bytes();
            let second = judge(&bytes, &Envelope::default(), &rules);
            assert!(
                second.edits.is_empty(),
                "{name} {eighths}: {:?} after {:?}",
                second.edits,
                first.edits
            );
            closed += usize::from(
                first.findings.has(Finding::UnterminatedMultipart)
                    && !second.findings.has(Finding::UnterminatedMultipart),
            );
        }
    }
    assert!(
        closed > 50 || std::env::var_os("MAILGLOT_SHARED").is_none(),
        "{closed}"
    );
}

#[test]
fn text_is_written_in_seven_bits_unless_the_envelope_allows_eight() {
    let raw = message(
        "Content-Type: text/plain; charset=iso-2022-jp",
        "\x1b$B8+\x1b(B",
    );
    assert!(judged(&raw).bytes().is_ascii());
    let envelope = Envelope {
        eight_bit: true,
        ..Envelope::default()
    };
    let judgement = judge(&raw, &envelope, &Rules::default());
    assert!(
        String::from_utf8(judgement.bytes().into_owned())
            .unwrap()
            .contains("見")
    );
    let utf8 = Envelope {
        smtputf8: true,
        ..Envelope::default()
    };
    let raw = message("Subject: \u{fc}", "x");
    let judgement = judge(&raw, &utf8, &Rules::default());
    assert_eq!(
        (&*judgement.bytes(), judgement.findings.is_empty()),
        (&raw[..], true)
    );
}

#[test]
fn the_strongest_action_wins_and_a_dry_run_only_reports() {
    let raw = message("Content-Type: text/html; charset=utf-7", "+ADw-b+AD4-");
    assert_eq!(judged(&raw).action, Action::Normalize);
    let strict = judge(&raw, &Envelope::default(), &Rules::strict());
    assert_eq!(
        (strict.action, strict.bytes()),
        (Action::Reject, Cow::Borrowed(&raw[..]))
    );
    assert_eq!(
        strict.reasons(&Rules::strict(), Action::Reject),
        "utf7-in-html"
    );
    let monitor = judge(&raw, &Envelope::default(), &Rules::monitor());
    assert_eq!(
        (monitor.action, monitor.wanted),
        (Action::Tag, Action::Normalize)
    );
    assert!(monitor.edits.is_empty());
    assert_eq!(
        String::from_utf8_lossy(&monitor.bytes()[..monitor.bytes().len() - raw.len()]),
        "MIME-Ambiguity-Results: localhost; v=1; verdict=ambiguous; mode=monitor;\r\n action=normalize; findings=\"utf7-in-html(1)\"\r\n"
    );
    for &action in Action::ALL {
        let mut rules = Rules::default();
        rules.set(Finding::Utf7InHtml, action);
        let judgement = judge(&raw, &Envelope::default(), &rules);
        assert_eq!(judgement.action, action);
        assert_eq!(judgement.edits.is_empty(), action != Action::Normalize);
        let told = matches!(action, Action::Tag | Action::Normalize | Action::Quarantine);
        assert_eq!(!judgement.added.is_empty(), told, "{}", action.name());
    }
}

#[test]
fn plain_text_of_other_charsets_is_normalized_without_an_added_field() {
    let raw = b"Subject: x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xfc\r\n";
    let judgement = judged(raw);
    assert_eq!(
        (judgement.action, judgement.added.len()),
        (Action::Normalize, 0)
    );
    assert!(judgement.findings.is_empty());
}

#[test]
fn signed_mail_stays_unless_our_server_verified_it() {
    let raw = message(
        "Authentication-Results: mx.example.org (x) 1; dkim=pass\nDKIM-Signature: v=1; b=aa\nContent-Type: text/plain; charset=iso-2022-jp",
        "\x1b$B8+\x1b(B",
    );
    let judgement = judged(&raw);
    assert!(judgement.edits.is_empty() && judgement.bytes().ends_with(&raw));
    for (id, rewritten) in [("mx.example.org", true), ("other.example.org", false)] {
        let rules = Rules {
            signed: Signed::RewriteAfterVerify,
            authserv_id: Some(id.to_owned()),
            ..Rules::default()
        };
        let judgement = judge(&raw, &Envelope::default(), &rules);
        assert_eq!(judgement.action == Action::Normalize, rewritten, "{id}");
    }
    // A field that only lenient parsers read as the server's result is not trusted.
    let blank = String::from_utf8(raw.clone())
        .unwrap()
        .replace("mx.example.org (x)", "mx.example.org\u{b}(x)");
    let rules = Rules {
        signed: Signed::RewriteAfterVerify,
        authserv_id: Some("mx.example.org".to_owned()),
        ..Rules::default()
    };
    assert!(
        judge(blank.as_bytes(), &Envelope::default(), &rules)
            .edits
            .is_empty()
    );
}

#[test]
fn a_rewritten_message_has_a_field_about_its_original() {
    let rules = Rules {
        original_header: Some("X-Mailglot-Original".to_owned()),
        ..silent(Rules::default())
    };
    let raw = b"X-Mailglot-Original: v=1; forged\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B8+\x1b(B\r\n";
    let judgement = judge(raw, &Envelope::default(), &rules);
    let text = String::from_utf8(judgement.bytes().into_owned()).unwrap();
    // The digest is what sha256sum prints for these bytes.
    let start =
        "X-Mailglot-Original: v=1; p=1; from=iso-2022-jp/7bit; to=utf-8/base64;\r\n sha256=";
    assert!(
        text.starts_with(start) || text.starts_with(&start.replace("base64", "quoted-printable")),
        "{text}"
    );
    assert!(
        text.contains("sha256=86324b3d57ca5bb2f2253d23b7fd151d35aef4b1ad5b95d05216cfd4fc3d1168;")
            && text.contains(" loss=0\r\nContent-Type:")
            && !text.contains("forged"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.len() <= 78), "{text}");
    let plain = message("Subject: x", "x");
    assert_eq!(judge(&plain, &Envelope::default(), &rules).bytes(), plain);
}

#[test]
fn the_field_about_the_original_lists_parts_that_change() {
    let rules = Rules {
        original_header: Some("X-Mailglot-Original".to_owned()),
        ..silent(Rules::default())
    };
    let twice = "Content-Type: text/plain\nContent-Type: text/plain; charset=koi8-r";
    for (header, body, listed) in [
        (
            "Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?koi8-r?Q?=C1?=",
            "x",
            "",
        ),
        (twice, "x", ""),
        (
            "Content-Type: text/plain; charset=iso-2022-jp",
            "\x1b$B8+\x1b(B",
            "p=1; from=iso-2022-jp/7bit; to=utf-8/",
        ),
    ] {
        let raw = message(header, body);
        let judgement = judge(&raw, &Envelope::default(), &rules);
        let text = String::from_utf8(judgement.bytes().into_owned()).unwrap();
        let flat = text.replace("\r\n ", " ");
        let start = format!("X-Mailglot-Original: v=1; {listed}");
        assert!(flat.starts_with(&start), "{flat}");
        assert_eq!(flat.contains(" p="), !listed.is_empty(), "{flat}");
    }
}

#[test]
fn the_message_does_not_continue_an_added_field() {
    for start in [" ; verdict=clean", "\t; verdict=clean"] {
        let raw = format!("{start}\r\nSubject: x\r\n\r\nx\r\n");
        let judgement = judged(raw.as_bytes());
        assert!(!judgement.added.is_empty());
        let bytes = judgement.bytes();
        let at = memmem::find(&bytes, start.as_bytes()).unwrap();
        assert!(
            bytes[..at].ends_with(b"\r\nX-Leading-Line:"),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

#[test]
fn text_that_must_not_be_guessed_stays() {
    // ISO-2022-JP in HTML without a label, and an unknown label.
    for header in [
        "Content-Type: text/html",
        "Content-Type: text/plain; charset=x-nobody-knows",
    ] {
        let raw = message(header, "\x1b$B8+8+8+8+\x1b(B");
        let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
        assert_eq!(judgement.bytes(), raw, "{header}");
    }
}

/// Only the body and its label stay if the label names no charset. Fields are read on their own.
#[test]
fn fields_beside_an_unknown_label_are_rewritten() {
    for label in [
        "unknown-8bit",
        "X-UNKNOWN",
        "x-user-defined",
        "default",
        "x-nobody-knows",
        "\"x-nobody-knows\"; format=flowed",
        "",
        "\"\"",
    ] {
        for body in [&b"hello"[..], b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Tage"] {
            let header = |subject: &str| {
                format!("Subject: {subject}\nContent-Type: text/plain; charset={label}")
            };
            let with_body = |header: String| {
                [
                    message(&header, "").trim_ascii_end(),
                    b"\r\n\r\n",
                    body,
                    b"\r\n",
                ]
                .concat()
            };
            let want = with_body(header("=?UTF-8?B?R3LDvMOfZQ==?= aus Berlin"));
            let word = header("=?iso-8859-1?Q?Gr=FC=DFe?= aus Berlin");
            let mut raw = with_body(header("Gr##e aus Berlin"));
            let at = memmem::find(&raw, b"##").unwrap();
            raw[at..at + 2].copy_from_slice(b"\xFC\xDF");
            for raw in [with_body(word), raw] {
                let rules = silent(Rules::default());
                let judgement = judge(&raw, &Envelope::default(), &rules);
                let bytes = judgement.bytes();
                let shown = String::from_utf8_lossy(&bytes).into_owned();
                assert_eq!(shown, String::from_utf8_lossy(&want), "{label}");
                assert_eq!(judgement.action, Action::Normalize, "{label}");
                let again = judge(&bytes, &Envelope::default(), &rules);
                assert!(again.edits.is_empty(), "{label}");
            }
        }
    }
}

#[test]
fn changed_parts_are_listed_with_their_values_on_arrival() {
    let latin = "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe\r\n";
    let raw = format!(
        "Subject: =?koi8-r?Q?=C1?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
         Content-Type: text/plain\r\n\r\nplain\r\n--b\r\n{latin}--b\r\n\
         Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b\r\n\
         Content-Type: text/x-a b; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\nAPw=\r\n--b--\r\n"
    );
    let judgement = judged(raw.as_bytes());
    assert_eq!(judgement.parts, 5);
    let told: Vec<String> = judgement
        .changed
        .iter()
        .map(|part| part.describe(raw.as_bytes()))
        .collect();
    let digest = |body: &str| {
        use sha2::Digest;
        let bytes = sha2::Sha256::digest(body);
        bytes
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    };
    assert_eq!(
        told,
        [
            format!(
                "p=2;type=text/plain;charset=iso-8859-1;transfer=quoted-printable;sha256={}",
                digest("Gr=FC=DFe")
            ),
            format!(
                "p=4;type=text/x-a;charset=utf-16;transfer=base64;sha256={}",
                digest("APw=")
            ),
        ]
    );
    let plain = judged(b"Subject: x\r\n\r\nx\r\n");
    assert_eq!((plain.parts, plain.changed.len()), (1, 0));
}

/// A declaration that contradicts a label of UTF-8 becomes right under `normalize`, and only there.
#[test]
fn declarations_follow_a_label_of_utf8() {
    let html = "Content-Type: text/html; charset=utf-8";
    for text in ["Gr\u{fc}\u{df}e", "x"] {
        let raw = message(html, &format!("<meta charset=koi8-r>{text}"));
        let judgement = judged(&raw);
        assert!(judgement.findings.has(Finding::MetaConflict));
        assert_eq!(judgement.action, Action::Normalize);
        let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
        let want = format!("<meta charset=utf-8>{text}");
        assert!(bytes.contains(&want), "{bytes}");
        let mut rules = Rules::default();
        rules.set(Finding::MetaConflict, Action::Tag);
        assert!(judge(&raw, &Envelope::default(), &rules).edits.is_empty());
    }
    // Readers follow the label.
    let raw = message(html, "<meta charset=UTF8>Gr\u{fc}\u{df}e");
    assert!(judged(&raw).edits.is_empty());
}
