//! Tests which messages have which findings.

use super::*;

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
        ("a19g", &[F::Utf7InHtml]),
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
            // The label has comments around it (RFC 2045, section 5.1): it is UTF-7, not two labels.
            if name.starts_with("a19g") && *start == "a19" {
                continue;
            }
            let found = judged(raw).findings;
            for finding in *wanted {
                assert!(
                    found.has(*finding),
                    "{name}: {} not in {:?}",
                    finding.id(),
                    found.places()
                );
            }
        }
        assert!(seen, "no input {start}");
    }
}

#[test]
fn findings_of_further_examples_are_found() {
    use Finding as F;
    let html = "Content-Type: text/html; charset=";
    let text = "Content-Type: text/plain; charset=utf-8";
    let rows: Vec<(Vec<u8>, Finding)> = vec![
        (
            message(&format!("{html}utf-8"), "<meta charset=koi8-r>x"),
            F::MetaConflict,
        ),
        (
            message(&format!("{html}iso-8859-1"), "\u{feff}<p>\u{fc}</p>"),
            F::BomConflict,
        ),
        (
            message(&format!("{html}koi8-r"), "\x1b$B8+\x1b(B"),
            F::UndeclaredEscape,
        ),
        (
            message(
                "Content-Type: multipart/mixed; boundary=a; boundary=b",
                "--a\r\n\r\nx\r\n--a--",
            ),
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
        (
            message("Subject: =?utf-8?Q?a=E2=80=AEb?=", "x"),
            F::BidiControl,
        ),
        (message(text, "a\nb"), F::BareLf),
        (message(text, "a\rb"), F::BareLf),
        (
            message("Content-Type: text/plain\nContent-Type: text/html", "x"),
            F::DuplicateHeader,
        ),
        (message("Subject: \u{fc}", "x"), F::Raw8bitHeader),
        (
            message(
                &format!("DKIM-Signature: v=1; d=example.org; h=from; l=12; b=aa\n{text}"),
                "x",
            ),
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
        (
            message(&format!("X-Many: {}", "a;".repeat(101)), "x"),
            F::TooManyParams,
        ),
        (
            message(&format!("X-Long: =?utf-8?Q?{}?=", "a".repeat(102_400)), "x"),
            F::HeaderTooLong,
        ),
    ];
    for (raw, finding) in rows {
        let found = judged(&raw).findings;
        let start = raw[..raw.len().min(300)].escape_ascii();
        assert!(
            found.has(finding),
            "{}: {:?} in {start}",
            finding.id(),
            found.places()
        );
    }
    let clean = message(text, "plain \u{fc}");
    let judgement = judged(&clean);
    assert!(
        judgement.findings.is_empty(),
        "{:?}",
        judgement.findings.places()
    );
    assert_eq!(
        (judgement.action, &*judgement.bytes()),
        (Action::Pass, &clean[..])
    );
}

#[test]
fn mail_for_japan_leaves_in_iso_2022_jp() {
    let mut rules = Rules {
        original_header: Some("X-Mailglot-Original".to_owned()),
        ..Rules::default()
    };
    rules.rewriting.charset_out = CharsetOut::Iso2022Jp;
    let envelope = Envelope {
        eight_bit: true,
        smtputf8: true,
        ..Envelope::default()
    };
    let raw = message(
        "Subject: =?utf-8?B?5pel5pys?=\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit",
        "日本〜",
    );
    let judgement = judge(&raw, &envelope, &rules);
    let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
    let want = "Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\
                Content-Transfer-Encoding: 7bit\r\n\r\n\u{1b}$BF|K\\!A\u{1b}(B\r\n";
    assert!(bytes.ends_with(want), "{bytes:?}");
    assert!(
        bytes.contains("from=utf-8/8bit; to=iso-2022-jp/7bit"),
        "{bytes:?}"
    );
    assert_eq!(
        judgement.findings.counted().collect::<Vec<_>>(),
        [(Finding::LookAlike, 1)]
    );
    // Text in the requested charset ISO-2022-JP has no finding.
    let again = judge(want.as_bytes(), &envelope, &rules);
    assert_eq!(
        (again.action, again.findings.is_empty()),
        (Action::Pass, true)
    );
    // Text that ISO-2022-JP cannot encode becomes UTF-8 and has a finding, which a policy may reject.
    let raw = message(
        "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64",
        "IKwgrA==",
    );
    let judgement = judge(&raw, &Envelope::default(), &rules);
    assert!(String::from_utf8_lossy(&judgement.bytes()).contains("charset=utf-8"));
    assert!(judgement.findings.has(Finding::BeyondCharsetOut));
    rules.set(Finding::BeyondCharsetOut, Action::Reject);
    assert_eq!(
        judge(&raw, &Envelope::default(), &rules).action,
        Action::Reject
    );
    // Signed mail stays unchanged.
    let raw = message(
        "DKIM-Signature: v=1; b=aa\nContent-Type: text/plain; charset=utf-8",
        "日本",
    );
    assert_eq!(
        judge(&raw, &envelope, &rules).bytes(),
        Cow::Borrowed(&raw[..])
    );
}

/// Raw bytes are reported where nothing rewrites them, unless the envelope allows them.
#[test]
fn raw_bytes_in_fields_that_stay_are_found() {
    let utf8 = Envelope {
        smtputf8: true,
        ..Envelope::default()
    };
    for (header, count, with_smtputf8) in [
        (
            &b"Received: from M\xFCLLER-PC by mx.example.org; Sat, 28 Nov 2026 10:00:00 +0000"[..],
            1,
            1,
        ),
        (
            "Received: from MÜLLER-PC by mx.example.org; Sat, 28 Nov 2026 10:00:00 +0000"
                .as_bytes(),
            1,
            0,
        ),
        (
            b"Message-ID: <\xFC@example.org>\r\nReferences: <\xFC@example.org>",
            2,
            2,
        ),
        (b"X-\xFC: x", 1, 1),
        (
            b"Received: from MUELLER-PC by mx.example.org; Sat, 28 Nov 2026 10:00:00 +0000",
            0,
            0,
        ),
    ] {
        let raw = [&b"From: a@example.org\r\n"[..], header, b"\r\n\r\nx\r\n"].concat();
        for (envelope, count) in [(&Envelope::default(), count), (&utf8, with_smtputf8)] {
            let judgement = judge(&raw, envelope, &Rules::default());
            let found = judgement.findings.count(Finding::Raw8bitHeader);
            assert_eq!(found, count, "{}", header.escape_ascii());
            assert!(judgement.edits.is_empty(), "{}", header.escape_ascii());
            assert_eq!(
                judgement.action,
                if count > 0 { Action::Tag } else { Action::Pass }
            );
        }
    }
}

/// The gateway keeps a line of text before base64 as text, and reports `malformed-cte`.
#[test]
fn a_line_of_text_before_base64_is_kept() {
    let base64 = "R3L832UgYXVzIEv2bG4uIERpZSBzY2j2bmUgTfxsbGVyaW4gd29obnQgaW4gZGVyIFN0cmHfZSD8\r\n\
                  YmVyIGRlbSBGbHXfLCBzYWd0IG1hbi4NCkdy/N9lIGF1cyBL9mxuLiBEaWUgc2No9m5lIE38bGxl\r\n\
                  cmluIHdvaG50IGluIGRlciBTdHJh32Ug/GJlciBkZW0gRmx13ywgc2FndCBtYW4uDQo=";
    let header = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64";
    for line in [
        "Content-Transfer-Encoding: x-uuencode",
        "Content-Type: text/html",
        "[attachment removed]",
        "This is a line of a virus scanner.",
    ] {
        let raw = message(header, &format!("{line}\r\n{base64}"));
        let rules = silent(Rules::default());
        let judgement = judge(&raw, &Envelope::default(), &rules);
        let bytes = judgement.bytes();
        let part = mailglot_mime::Mail::parse(&*bytes)
            .body_text()
            .expect("a text");
        let text = part.text;
        assert!(text.starts_with(&format!("{line}\r\n")), "{text}");
        assert!(text.contains("Grüße aus Köln"), "{text}");
        assert!(judgement.findings.has(Finding::MalformedCte), "{line}");
    }
    // Without the line it is rewritten.
    let raw = message(header, base64);
    assert!(!judged(&raw).edits.is_empty());
}

/// A report keeps a limited number of events. Events beyond it have findings, too.
#[test]
fn many_harmless_events_hide_no_finding() {
    use Finding as F;
    let message = |before: usize, head: &str, part: &str| {
        let parameters = (0..50).map(|n| format!("; p{n} = x"));
        let parameters: Vec<String> = parameters.collect();
        let parameters = parameters.concat();
        let harmless = format!("--b\nContent-Type: text/plain{parameters}\n\nx\n").repeat(before);
        let top = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n";
        format!("From: a@example.org\n{head}{top}\n{harmless}--b\n{part}\n\nx\n--b--\n")
    };
    for (head, part, expected) in [
        (
            "",
            "Content-Type: text/plain; charset=\"utf-8",
            F::AmbiguousCharset,
        ),
        (
            "",
            "Content-Type: text/plain; charset=a; charset=b",
            F::AmbiguousCharset,
        ),
        (
            "",
            "Content-Type: a/b; name=a.exe b.txt",
            F::AmbiguousFilename,
        ),
        (
            "",
            "Content-Disposition: attachment; filename=\"a.exe",
            F::AmbiguousFilename,
        ),
        (
            "",
            "Content-Type: multipart/mixed; boundary=a b",
            F::AmbiguousBoundary,
        ),
        (
            "",
            "Content-Description: =?utf-8?Q?a=E2=80=AEb?=",
            F::BidiControl,
        ),
        (
            "Subject: =?utf-8?Q?a=E2=80=AEb?=\n",
            "Content-Type: text/plain",
            F::BidiControl,
        ),
    ] {
        for before in [0, 22] {
            let raw = message(before, head, part);
            let found = judged(raw.as_bytes()).findings;
            assert!(
                found.has(expected),
                "{before} before {head}{part}: {:?}",
                found.places()
            );
        }
    }
    let harmless = message(22, "", "Content-Type: text/plain");
    let judgement = judged(harmless.as_bytes());
    assert!(judgement.report.dropped > 0);
    let found = judgement.findings;
    assert_eq!(found.counted().count(), 0, "{:?}", found.places());
}
