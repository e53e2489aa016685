#![allow(clippy::unwrap_used)]
use super::*;
use memchr::memmem;
use std::fs;
use std::path::PathBuf;

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

/// Messages of a folder of shared material; none where there is none.
fn shared(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(root) = std::env::var("MAILGLOT_SHARED") else { return Vec::new() };
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::from(root).join(folder)]);
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
fn attacks_are_found() {
    use Finding as F;
    let rows: &[(&str, &[Finding])] = &[
        ("a01", &[F::Utf7InHtml]),
        ("a02", &[F::Utf7Lookalike]),
        ("a03d", &[F::Utf7InHtml]),
        ("a03i", &[F::Utf7InHtml]),
        ("a05", &[F::Utf7InHeader]),
        ("a06", &[F::MalformedCharset]),
        ("a08", &[F::Iso2022StateAbuse]),
        ("a09", &[F::RedundantEscape]),
        ("a10", &[F::Iso2022StateAbuse]),
        ("a11", &[F::StatefulCharset]),
        ("a13h", &[F::NulIn8bit]),
        ("a17a", &[F::MislabelledCharset]),
        ("a17d", &[F::MetaConflict]),
        ("a19", &[F::AmbiguousCharset]),
        ("a2107", &[F::UnknownCharset]),
        ("b30", &[F::ControlInEncodedWord]),
        ("b31", &[F::ControlInEncodedWord]),
        ("b32a", &[F::EncodedWordInAddrSpec]),
        ("b32b", &[F::AmbiguousFrom]),
        ("b33", &[F::EncodedWordInAddrSpec]),
        ("b37", &[F::MisplacedEncodedWord]),
        ("b38", &[F::SplitCharacter]),
        ("b39c", &[F::HeaderTooLong]),
        ("b42b", &[F::InvisibleCharacters]),
        ("b42c", &[F::MixedScript, F::IdnDomain]),
        ("c50a", &[F::AmbiguousFilename]),
        ("c50c", &[F::AmbiguousFilename]),
        ("c50f", &[F::AmbiguousFilename]),
        ("c50l", &[F::AmbiguousFilename]),
        ("c50n", &[F::AmbiguousFilename]),
        ("c50q", &[F::NulInHeader]),
        ("c52", &[F::TooManyParams]),
        ("d60b", &[F::TooDeep]),
        ("d61a", &[F::TooManyParts]),
        ("d62", &[F::TooManyHeaders]),
        ("d64", &[F::BoundaryPrefix]),
        ("d68a", &[F::MalformedCte]),
        ("d68b", &[F::MalformedCte]),
        ("d68c", &[F::MalformedCte]),
        ("d68d", &[F::MalformedCte]),
        ("d68e", &[F::MalformedCte]),
        ("d68g", &[F::MalformedCte]),
        ("d68j", &[F::UnknownCte]),
        ("d68k", &[F::UnknownCte]),
        ("d68l", &[F::MalformedCte]),
        ("d68m", &[F::MalformedCte]),
        ("d71", &[F::UnterminatedMultipart]),
        ("d72", &[F::MissingBoundary]),
        ("d74b", &[F::WhitespaceLine]),
        ("d74c", &[F::MalformedHeaderLine]),
        ("d75", &[F::NulInHeader]),
        ("d80", &[F::CteOnComposite]),
        ("d83", &[F::SignedNotNormalised]),
        ("d87", &[F::MessagePartial]),
    ];
    let attacks = shared("attacks");
    for (start, wanted) in rows {
        let mut seen = attacks.is_empty();
        for (name, raw) in attacks.iter().filter(|(name, _)| name.starts_with(start)) {
            seen = true;
            let found = judged(raw).findings;
            for finding in *wanted {
                assert!(found.has(*finding), "{name}: {} not in {:?}", finding.id(), found.places());
            }
        }
        assert!(seen, "no input {start}");
    }
}

#[test]
fn inputs_of_our_own_are_found() {
    use Finding as F;
    let html = "Content-Type: text/html; charset=";
    let text = "Content-Type: text/plain; charset=utf-8";
    let rows: Vec<(Vec<u8>, Finding)> = vec![
        (message(&format!("{html}utf-8"), "<meta charset=koi8-r>x"), F::MetaConflict),
        (message(&format!("{html}iso-8859-1"), "\u{feff}<p>\u{fc}</p>"), F::BomConflict),
        (message(&format!("{html}koi8-r"), "\x1b$B8+\x1b(B"), F::UndeclaredEscape),
        (
            message("Content-Type: multipart/mixed; boundary=a; boundary=b", "--a\r\n\r\nx\r\n--a--"),
            F::AmbiguousBoundary,
        ),
        (
            message(
                "Content-Type: multipart/mixed; boundary=a",
                "--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\nx\r\n--a--\r\n--a--",
            ),
            F::AmbiguousBoundary,
        ),
        (message("To: \u{fc}@example.org", "x"), F::NonAsciiAddr),
        (message("To: x@xn--99999999999.org", "x"), F::MalformedIdna),
        (message("To: x@xn--mnchen-3ya.example", "x"), F::IdnDomain),
        (message("Subject: =?utf-8?Q?a=E2=80=AEb?=", "x"), F::BidiControl),
        (message(text, "a\nb"), F::BareLf),
        (message(text, "a\rb"), F::BareLf),
        (message("Content-Type: text/plain\nContent-Type: text/html", "x"), F::DuplicateHeader),
        (message("Subject: \u{fc}", "x"), F::Raw8bitHeader),
        (
            message(&format!("DKIM-Signature: v=1; d=example.org; h=from; l=12; b=aa\n{text}"), "x"),
            F::DkimLTag,
        ),
        (
            message(
                "DKIM-Signature: v=1; b=aa\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable",
                "=C1",
            ),
            F::SignedNotNormalised,
        ),
        (
            message(
                "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable",
                "-----BEGIN PGP MESSAGE-----\r\n=C1",
            ),
            F::InlinePgp,
        ),
        (message(&format!("X-Many: {}", "a;".repeat(101)), "x"), F::TooManyParams),
        (message(&format!("X-Long: =?utf-8?Q?{}?=", "a".repeat(102_400)), "x"), F::HeaderTooLong),
    ];
    for (raw, finding) in rows {
        let found = judged(&raw).findings;
        let start = raw[..raw.len().min(300)].escape_ascii();
        assert!(found.has(finding), "{}: {:?} in {start}", finding.id(), found.places());
    }
    let clean = message(text, "plain \u{fc}");
    let judgement = judged(&clean);
    assert!(judgement.findings.is_empty(), "{:?}", judgement.findings.places());
    assert_eq!((judgement.action, &*judgement.bytes()), (Action::Pass, &clean[..]));
}

#[test]
fn a_second_pass_changes_nothing() {
    let rules = silent(Rules::default());
    for (name, raw) in shared("attacks").into_iter().chain(shared("corpus/eml")) {
        for eight_bit in [false, true] {
            let envelope = Envelope { eight_bit, ..Envelope::default() };
            let first = judge(&raw, &envelope, &rules);
            let bytes = first.bytes();
            assert_eq!(bytes.len(), first.size(), "{name}");
            let second = judge(&bytes, &envelope, &rules);
            assert!(second.edits.is_empty(), "{name}: {:?} after {:?}", second.edits, first.edits);
            assert!(first.action == Action::Normalize || bytes == raw, "{name}");
        }
    }
}

/// Wherever a message is cut.
#[test]
fn a_second_pass_changes_nothing_of_cut_messages() {
    let rules = silent(Rules::default());
    let mut closed = 0;
    for (name, raw) in
        shared("attacks").into_iter().chain(shared("corpus/eml")).filter(|(_, raw)| raw.len() < 60_000)
    {
        for eighths in 1..8 {
            let cut = &raw[..raw.len() * eighths / 8];
            let first = judge(cut, &Envelope::default(), &rules);
            let bytes = first.bytes();
            let second = judge(&bytes, &Envelope::default(), &rules);
            assert!(second.edits.is_empty(), "{name} {eighths}: {:?} after {:?}", second.edits, first.edits);
            closed += usize::from(
                first.findings.has(Finding::UnterminatedMultipart)
                    && !second.findings.has(Finding::UnterminatedMultipart),
            );
        }
    }
    assert!(closed > 50 || std::env::var_os("MAILGLOT_SHARED").is_none(), "{closed}");
}

/// What reads a boundary otherwise makes other parts, which nobody has judged.
#[test]
fn no_line_of_blanks_goes_that_keeps_parts_what_they_are() {
    let rules = silent(Rules::default());
    let quoted =
        "Content-Type: multipart/mixed; boundary=\"a\\\r\n \r\n b\"\r\n\r\n--a  b\r\n\r\nx\r\n--a  b--\r\n";
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

/// An embedded message stays, and so does what it is called.
#[test]
fn a_message_in_a_digest_is_given_no_name() {
    let envelope = Envelope { smtputf8: true, ..Envelope::default() };
    let rules = silent(Rules::default());
    for field in ["Subject: =?utf-8?q?=C3=A9?=", "Subject: =?koi8-r?q?=C1?=", "Subject: é"] {
        let open = format!("Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\n{field}\r\n\r\nx");
        let closed = format!("{open}\r\n--d--\r\n");
        for raw in [&open, &closed] {
            let judgement = judge(raw.as_bytes(), &envelope, &rules);
            assert_eq!(String::from_utf8_lossy(&judgement.bytes()), closed);
        }
    }
}

#[test]
fn what_was_left_open_is_closed() {
    let outer = "Content-Type: multipart/mixed; boundary=a";
    let inner = "Content-Type: multipart/alternative; boundary=b";
    let plain = "Content-Type: text/plain";
    for (before, after) in [
        // At the end of the message, where a line end belongs to the text, and where there is none.
        (format!("{outer}\n\n--a\n{plain}\n\nx\n"), format!("{outer}\n\n--a\n{plain}\n\nx\n\n--a--\n")),
        (format!("{outer}\n\n--a\n{plain}\n\nx"), format!("{outer}\n\n--a\n{plain}\n\nx\n--a--\n")),
        // Within another, with the line end of the other's delimiter.
        (
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n--a\n{plain}\n\ny\n--a--\n"),
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n--b--\n--a\n{plain}\n\ny\n--a--\n"),
        ),
        // Both, the inner one first.
        (
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n"),
            format!("{outer}\n\n--a\n{inner}\n\n--b\n{plain}\n\nx\n\n--b--\n--a--\n"),
        ),
        // What is signed or embedded stays open.
        (
            format!("{outer}\n\n--a\nContent-Type: message/rfc822\n\n{inner}\n\n--b\n{plain}\n\nx\n--a--\n"),
            format!("{outer}\n\n--a\nContent-Type: message/rfc822\n\n{inner}\n\n--b\n{plain}\n\nx\n--a--\n"),
        ),
        (
            format!("{}\n\n--a\n{plain}\n\nx\n", outer.replace("mixed", "signed")),
            format!("{}\n\n--a\n{plain}\n\nx\n", outer.replace("mixed", "signed")),
        ),
        (
            format!("DKIM-Signature: b=a\n{outer}\n\n--a\n\nx\n"),
            format!("DKIM-Signature: b=a\n{outer}\n\n--a\n\nx\n"),
        ),
        // Lines of blanks.
        (format!("Subject: a\n \n b\n{plain}\n\nx\n"), format!("Subject: a \n b\n{plain}\n\nx\n")),
        ("Subject: a\n\t \nTo: b\n \n\nx\n".to_owned(), "Subject: a\t \nTo: b \n\nx\n".to_owned()),
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
            let ends = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
            let (before, after) = (ends(&before), ends(&after));
            let rules = silent(Rules::default());
            let judgement = judge(before.as_bytes(), &Envelope::default(), &rules);
            let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
            assert_eq!(bytes, after);
            assert_eq!(judgement.action == Action::Normalize, before != after);
            let again = judge(after.as_bytes(), &Envelope::default(), &rules);
            assert!(again.edits.is_empty() && (before == after || again.findings.is_empty()), "{after}");
            // A policy that only tells changes nothing.
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

/// A header field of so many bytes, and of more when it is written anew, is not written anew: servers would cut it.
#[test]
fn a_field_that_would_outgrow_servers_stays_as_it_came() {
    let names = |count: usize, at: usize| -> String {
        let one = |number| format!("J\u{fc}rgen M\u{fc}ller <p{number:04}@a{at}.invalid>");
        (0..count).map(one).collect::<Vec<_>>().join(",\r\n ")
    };
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let longest = |bytes: &[u8]| {
        let message = Message::parse(bytes, &Rules::default().rewriting.limits);
        message.all_fields().iter().map(|field| field.full.len()).max().unwrap()
    };
    let (mut stayed, mut went, mut most) = (0, 0, 0);
    for count in (0..1_500).step_by(150).chain(1_060..1_080) {
        let to = format!("To: {}\r\n", names(count, 0));
        let raw = latin(&format!("From: a@b.invalid\r\n{to}Subject: caf\u{e9}\r\n\r\nhello\r\n"));
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
        // Its neighbour is written anew all the same, and a second pass finds nothing more to do.
        assert!(memmem::find(&bytes, "Subject: =?UTF-8?".as_bytes()).is_some());
        assert!(judge(&bytes, &Envelope::default(), &rules).edits.is_empty());
    }
    assert!(stayed > 2 && went > 2 && most <= crate::limits::LONGEST_FIELD, "{stayed} {went} {most}");
    // As close to the bound as one address.
    assert!(most > crate::limits::LONGEST_FIELD - 100, "{most}");
}

#[test]
fn a_part_whose_label_would_outgrow_servers_stays_as_it_came() {
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
            judgement.edits.iter().any(|edit| from <= edit.span.start && edit.span.end <= to)
        };
        assert_eq!(touches(first, second), changes, "{length}");
        assert_eq!(judgement.findings.has(Finding::HeaderTooLong), !changes);
        assert!(touches(0, first) && touches(second, raw.len()));
    }
}

#[test]
fn seven_bit_mail_stays_so_unless_eight_bits_were_promised() {
    let raw = message("Content-Type: text/plain; charset=iso-2022-jp", "\x1b$B8+\x1b(B");
    assert!(judged(&raw).bytes().is_ascii());
    let envelope = Envelope { eight_bit: true, ..Envelope::default() };
    let judgement = judge(&raw, &envelope, &Rules::default());
    assert!(String::from_utf8(judgement.bytes().into_owned()).unwrap().contains("見"));
    let utf8 = Envelope { smtputf8: true, ..Envelope::default() };
    let raw = message("Subject: \u{fc}", "x");
    let judgement = judge(&raw, &utf8, &Rules::default());
    assert_eq!((&*judgement.bytes(), judgement.findings.is_empty()), (&raw[..], true));
}

#[test]
fn the_strongest_action_wins_and_a_dry_run_only_tells() {
    let raw = message("Content-Type: text/html; charset=utf-7", "+ADw-b+AD4-");
    assert_eq!(judged(&raw).action, Action::Normalize);
    let strict = judge(&raw, &Envelope::default(), &Rules::strict());
    assert_eq!((strict.action, strict.bytes()), (Action::Reject, Cow::Borrowed(&raw[..])));
    assert_eq!(strict.reasons(&Rules::strict(), Action::Reject), "utf7-in-html");
    let monitor = judge(&raw, &Envelope::default(), &Rules::monitor());
    assert_eq!((monitor.action, monitor.wanted), (Action::Tag, Action::Normalize));
    assert!(monitor.edits.is_empty());
    assert_eq!(
        String::from_utf8_lossy(&monitor.bytes()[..monitor.bytes().len() - raw.len()]),
        "MIME-Ambiguity-Results: localhost; v=1; verdict=ambiguous; mode=monitor;\r\n action=normalize; findings=\"utf7-in-html(1)\"\r\n"
    );
    for action in Action::ALL {
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
fn plain_text_of_other_charsets_is_normalized_without_a_word() {
    let raw = b"Subject: x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xfc\r\n";
    let judgement = judged(raw);
    assert_eq!((judgement.action, judgement.added.len()), (Action::Normalize, 0));
    assert!(judgement.findings.is_empty());
}

#[test]
fn signed_mail_stays_unless_it_was_verified_for_us() {
    let raw = message(
        "Authentication-Results: mx.example.org (x) 1; dkim=pass\nDKIM-Signature: v=1; b=aa\nContent-Type: text/plain; charset=iso-2022-jp",
        "\x1b$B8+\x1b(B",
    );
    let judgement = judged(&raw);
    assert!(judgement.edits.is_empty() && judgement.bytes().ends_with(&raw));
    // What a lenient reader would take for it is no reason to trust.
    let blank =
        String::from_utf8(raw.clone()).unwrap().replace("mx.example.org (x)", "mx.example.org\u{b}(x)");
    let rules = Rules {
        signed: Signed::RewriteAfterVerify,
        authserv_id: Some("mx.example.org".to_owned()),
        ..Rules::default()
    };
    assert!(judge(blank.as_bytes(), &Envelope::default(), &rules).edits.is_empty());
    for (id, rewritten) in [("mx.example.org", true), ("other.example.org", false)] {
        let rules = Rules {
            signed: Signed::RewriteAfterVerify,
            authserv_id: Some(id.to_owned()),
            ..Rules::default()
        };
        let judgement = judge(&raw, &Envelope::default(), &rules);
        assert_eq!(judgement.action == Action::Normalize, rewritten, "{id}");
    }
}

#[test]
fn claims_of_others_are_deleted_always() {
    let forged = "mime-ambiguity-results: localhost; v=1; verdict=clean;\n action=pass\n";
    let own = "Authentication-Results: \"MX.example.org\"; dkim=pass\n";
    let raw = message(&format!("{forged}{own}DKIM-Signature: v=1; b=aa\nSubject: x"), "x");
    let clean = message(&format!("{own}DKIM-Signature: v=1; b=aa\nSubject: x"), "x");
    for rules in [Rules::default(), Rules::strict(), Rules::monitor()] {
        assert_eq!(judge(&raw, &Envelope::default(), &rules).bytes(), clean, "{}", rules.name);
    }
    let rules =
        Rules { strips_results: true, authserv_id: Some("mx.example.org".to_owned()), ..Rules::default() };
    let bare = message("DKIM-Signature: v=1; b=aa\nSubject: x", "x");
    assert_eq!(judge(&raw, &Envelope::default(), &rules).bytes(), bare);
}

/// RFC 8601 2.2: comments may stand before the name, and hold what looks like its end; the name may be in quotes.
#[test]
fn results_in_our_name_are_deleted_however_they_are_written() {
    let rules =
        Rules { strips_results: true, authserv_id: Some("gw.example".to_owned()), ..Rules::default() };
    for (server, gone) in [
        ("gw.example; dkim=pass", true),
        ("(;) gw.example; dkim=pass", true),
        (r"(\() GW.example; dkim=pass", true),
        ("(a (;\\)) b)\n gw.example(x) 1; dkim=pass", true),
        (r#""gw\.example"; dkim=pass"#, true),
        (r#""gw.example" 1; dkim=pass"#, true),
        ("gw.example/1; dkim=pass", true),
        ("gw.example", true),
        // Some readers strip more than the grammar calls white space, and resolvers know a dot at the end.
        ("\u{b}gw.example; dkim=pass", true),
        ("gw.example\u{b}; dkim=pass", true),
        ("\u{1c}gw.example\u{1f}; dkim=pass", true),
        ("gw.example\u{7f}; dkim=pass", true),
        ("\u{c}\u{1}gw.example\u{8}1; dkim=pass", true),
        ("gw.example.; dkim=pass", true),
        ("\"\u{1d}gw.example.\u{85}\"; dkim=pass", true),
        ("\u{a0}gw.example\u{2028}1; dkim=pass", true),
        ("(a)\u{b}(b)\u{a0}(c) gw.example; dkim=pass", true),
        ("gw\u{b}.example; dkim=pass", false),
        ("gw.example..; dkim=pass", false),
        (".gw.example; dkim=pass", false),
        ("other.example; dkim=pass header.d=gw.example", false),
        ("(gw.example;) other.example; dkim=pass", false),
        ("gw.example.org; dkim=pass", false),
        ("(open gw.example; dkim=pass", false),
        ("", false),
    ] {
        let raw = message(&format!("Authentication-Results: {server}\nSubject: x"), "x");
        let judgement = judge(&raw, &Envelope::default(), &rules);
        assert_eq!(judgement.bytes() == message("Subject: x", "x"), gone, "{server}");
        assert_eq!(judgement.bytes() == raw, !gone, "{server}");
    }
}

/// A first line that begins with white space ends no header for those who skip it, or see a field in it.
#[test]
fn no_line_before_them_saves_claims() {
    let forged = "MIME-Ambiguity-Results: localhost; v=1; verdict=clean;\r\n action=pass\r\n";
    for (start, added) in [(" \t x", true), ("\t; verdict=clean\r\n more", true), (" x", false)] {
        for rules in [Rules::default(), Rules::monitor()] {
            let rules = if added { rules } else { silent_but_claims(rules) };
            let raw = format!("{start}\r\nSubject: x\r\n{forged}To: b\r\n{forged}\r\n{forged}x\r\n");
            let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
            let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
            let want = format!("{start}\r\nSubject: x\r\nTo: b\r\n\r\n{forged}x\r\n");
            assert!(bytes.ends_with(&want), "{bytes}");
            let above = &bytes[..bytes.len() - want.len()];
            assert!(!above.contains("verdict=clean;\r\n action=pass"), "{bytes}");
            let again = judge(want.as_bytes(), &Envelope::default(), &rules);
            assert!(again.edits.is_empty());
        }
    }
}

/// Rules that tell of nothing, and take fields of the usual name for forged all the same.
fn silent_but_claims(rules: Rules) -> Rules {
    Rules { original_header: Some("MIME-Ambiguity-Results".to_owned()), ..silent(rules) }
}

#[test]
fn a_rewritten_message_tells_of_its_original() {
    let rules = Rules { original_header: Some("X-Mailglot-Original".to_owned()), ..silent(Rules::default()) };
    let raw = b"X-Mailglot-Original: v=1; forged\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B8+\x1b(B\r\n";
    let judgement = judge(raw, &Envelope::default(), &rules);
    let text = String::from_utf8(judgement.bytes().into_owned()).unwrap();
    // As sha256sum has it for these bytes.
    let start = "X-Mailglot-Original: v=1; p=1; from=iso-2022-jp/7bit; to=utf-8/base64;\r\n sha256=";
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
fn of_duplicates_the_first_stays() {
    let raw = message("Content-Type: text/plain\nSubject: x\nContent-Type: text/html", "x");
    let clean = message("Content-Type: text/plain\nSubject: x", "x");
    assert_eq!(judge(&raw, &Envelope::default(), &silent(Rules::default())).bytes(), clean);
}

#[test]
fn transfer_encodings_get_one_spelling() {
    let rules = silent(Rules::default());
    let part = |label: &str, body: &str| {
        message(&format!("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding:{label}"), body)
    };
    for (before, after) in [
        (part(" base64 (x)", "PHNjcmlwdD4="), part(" base64", "PHNjcmlwdD4=")),
        (part(" 8 bit", "x"), part(" 7bit", "x")),
        (part(" base64", "PHNjcmlwdD5"), part(" base64", "PHNjcmlwdD4=")),
        (part(" base64", "PHNj!!cmlwdD4="), part(" base64", "PHNjcmlwdD4=")),
        (part(" foo", "x"), part(" foo", "x")),
    ] {
        let bytes = judge(&before, &Envelope::default(), &rules).bytes().into_owned();
        assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&after));
    }
}

#[test]
fn embedded_messages_stay() {
    let inner = "DKIM-Signature: v=1; b=aa\r\nSubject: =?koi8-r?Q?=C1?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\
        Content-Type: text/plain\r\nContent-Transfer-Encoding: 8 bit\r\n\r\n\x1b$B8+\x1b(B\r\n";
    let whole = |outer: &str| {
        message(
            "Content-Type: multipart/mixed; boundary=b",
            &format!(
                "--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n{outer}\r\n--b\r\n\
                Content-Type: message/rfc822\r\n\r\n{inner}\r\n--b--"
            ),
        )
    };
    let raw = whole("\x1b$B8+\x1b(B");
    let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
    assert_eq!(judgement.action, Action::Normalize, "the text around it is rewritten");
    let bytes = judgement.bytes();
    assert!(memmem::find(&bytes, inner.as_bytes()).is_some(), "{}", String::from_utf8_lossy(&bytes));
}

/// What is written in an embedded message, raw or with eight bits, would be told by the labels around it; it is not written.
#[test]
fn labels_around_embedded_messages_stay_with_them() {
    let envelopes = [(false, true), (true, true), (true, false)].map(|(smtputf8, eight_bit)| Envelope {
        smtputf8,
        eight_bit,
        ..Envelope::default()
    });
    let whole = |outer: &str| {
        message(
            "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit",
            &format!(
                "--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n{outer}\r\n--b\r\n\
                Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 7bit\r\n\r\n\
                Subject: =?koi8-r?Q?=C1?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B8+\x1b(B\r\n--b--"
            ),
        )
    };
    for envelope in envelopes {
        let raw = whole("plain");
        let judgement = judge(&raw, &envelope, &silent(Rules::default()));
        assert!(judgement.edits.is_empty(), "{envelope:?} {:?}", judgement.edits);
        // The text beside it is written with eight bits where it may be: then the label around both says so.
        let raw = whole("\x1b$B8+\x1b(B");
        let judgement = judge(&raw, &envelope, &silent(Rules::default()));
        let bytes = judgement.bytes();
        let embedded = memmem::find(&raw, b"Content-Type: message/rfc822").unwrap();
        assert!(memmem::find(&bytes, &raw[embedded..]).is_some(), "{}", String::from_utf8_lossy(&bytes));
        let wide = memmem::find(&bytes, b"boundary=b\r\nContent-Transfer-Encoding: 8bit").is_some();
        assert_eq!(wide, !bytes.is_ascii(), "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(wide, envelope.eight_bit);
    }
}

#[test]
fn what_we_say_is_not_continued_by_the_message() {
    for start in [" ; verdict=clean", "\t; verdict=clean"] {
        let raw = format!("{start}\r\nSubject: x\r\n\r\nx\r\n");
        let judgement = judged(raw.as_bytes());
        assert!(!judgement.added.is_empty());
        let bytes = judgement.bytes();
        let at = memmem::find(&bytes, start.as_bytes()).unwrap();
        assert!(bytes[..at].ends_with(b"\r\nX-Leading-Line:"), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn what_may_not_be_guessed_stays() {
    // ISO-2022-JP in HTML that does not say so, and a label that nobody knows.
    for header in ["Content-Type: text/html", "Content-Type: text/plain; charset=x-nobody-knows"] {
        let raw = message(header, "\x1b$B8+8+8+8+\x1b(B");
        let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
        assert_eq!(judgement.bytes(), raw, "{header}");
    }
}

#[test]
fn mail_for_japan_leaves_in_iso_2022_jp() {
    let mut rules = Rules { original_header: Some("X-Mailglot-Original".to_owned()), ..Rules::default() };
    rules.rewriting.charset_out = CharsetOut::Iso2022Jp;
    let envelope = Envelope { eight_bit: true, smtputf8: true, ..Envelope::default() };
    let raw = message(
        "Subject: =?utf-8?B?5pel5pys?=\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit",
        "日本〜",
    );
    let judgement = judge(&raw, &envelope, &rules);
    let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
    let want = "Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\
                Content-Transfer-Encoding: 7bit\r\n\r\n\u{1b}$BF|K\\!A\u{1b}(B\r\n";
    assert!(bytes.ends_with(want), "{bytes:?}");
    assert!(bytes.contains("from=utf-8/8bit; to=iso-2022-jp/7bit"), "{bytes:?}");
    assert_eq!(judgement.findings.counted().collect::<Vec<_>>(), [(Finding::LookAlike, 1)]);
    // What is in ISO-2022-JP is what was asked for, and no finding.
    let again = judge(want.as_bytes(), &envelope, &rules);
    assert_eq!((again.action, again.findings.is_empty()), (Action::Pass, true));
    // What does not fit is in UTF-8, and told; a policy may refuse it.
    let raw =
        message("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64", "IKwgrA==");
    let judgement = judge(&raw, &Envelope::default(), &rules);
    assert!(String::from_utf8_lossy(&judgement.bytes()).contains("charset=utf-8"));
    assert!(judgement.findings.has(Finding::BeyondCharsetOut));
    rules.set(Finding::BeyondCharsetOut, Action::Reject);
    assert_eq!(judge(&raw, &Envelope::default(), &rules).action, Action::Reject);
    // What others signed stays.
    let raw = message("DKIM-Signature: v=1; b=aa\nContent-Type: text/plain; charset=utf-8", "日本");
    assert_eq!(judge(&raw, &envelope, &rules).bytes(), Cow::Borrowed(&raw[..]));
}

#[test]
fn changed_parts_are_named_as_they_came() {
    let latin = "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe\r\n";
    let raw = format!(
        "Subject: =?koi8-r?Q?=C1?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
         Content-Type: text/plain\r\n\r\nplain\r\n--b\r\n{latin}--b\r\n\
         Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b\r\n\
         Content-Type: text/x-a b; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\nAPw=\r\n--b--\r\n"
    );
    let judgement = judged(raw.as_bytes());
    assert_eq!(judgement.parts, 5);
    let told: Vec<String> = judgement.changed.iter().map(|part| part.told(raw.as_bytes())).collect();
    let digest = |body: &str| {
        use sha2::Digest;
        let bytes = sha2::Sha256::digest(body);
        bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    };
    assert_eq!(
        told,
        [
            format!(
                "p=2;type=text/plain;charset=iso-8859-1;transfer=quoted-printable;sha256={}",
                digest("Gr=FC=DFe")
            ),
            format!("p=4;type=text/x-a;charset=utf-16;transfer=base64;sha256={}", digest("APw=")),
        ]
    );
    let plain = judged(b"Subject: x\r\n\r\nx\r\n");
    assert_eq!((plain.parts, plain.changed.len()), (1, 0));
}
