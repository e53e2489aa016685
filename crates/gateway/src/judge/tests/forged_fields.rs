//! Tests of forged fields: fields on arrival that readers would take for the gateway's own.

use super::*;

#[test]
fn forged_fields_are_deleted_under_every_policy() {
    let forged = "mime-ambiguity-results: localhost; v=1; verdict=clean;\n action=pass\n";
    let own = "Authentication-Results: \"MX.example.org\"; dkim=pass\n";
    let raw = message(
        &format!("{forged}{own}DKIM-Signature: v=1; b=aa\nSubject: x"),
        "x",
    );
    let clean = message(&format!("{own}DKIM-Signature: v=1; b=aa\nSubject: x"), "x");
    for rules in [Rules::default(), Rules::strict(), Rules::monitor()] {
        assert_eq!(
            judge(&raw, &Envelope::default(), &rules).bytes(),
            clean,
            "{}",
            rules.name
        );
    }
    let rules = Rules {
        strips_results: true,
        authserv_id: Some("mx.example.org".to_owned()),
        ..Rules::default()
    };
    let bare = message("DKIM-Signature: v=1; b=aa\nSubject: x", "x");
    assert_eq!(judge(&raw, &Envelope::default(), &rules).bytes(), bare);
}

/// RFC 8601, section 2.2: comments may precede the name and contain a semicolon; the name may be quoted.
#[test]
fn results_in_our_name_are_deleted_in_every_spelling() {
    let rules = Rules {
        strips_results: true,
        authserv_id: Some("gw.example".to_owned()),
        ..Rules::default()
    };
    for (server, gone) in [
        ("gw.example; dkim=pass", true),
        ("(;) gw.example; dkim=pass", true),
        (r"(\() GW.example; dkim=pass", true),
        ("(a (;\\)) b)\n gw.example(x) 1; dkim=pass", true),
        (r#""gw\.example"; dkim=pass"#, true),
        (r#""gw.example" 1; dkim=pass"#, true),
        ("gw.example/1; dkim=pass", true),
        ("\x0b gw.example\x0b; dkim=pass", true),
        ("gw.example", true),
        // Some readers strip more characters than the grammar's white space, and resolvers accept a dot at the end.
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
        let raw = message(
            &format!("Authentication-Results: {server}\nSubject: x"),
            "x",
        );
        let judgement = judge(&raw, &Envelope::default(), &rules);
        assert_eq!(
            judgement.bytes() == message("Subject: x", "x"),
            gone,
            "{server}"
        );
        assert_eq!(judgement.bytes() == raw, !gone, "{server}");
    }
}

/// A first line that begins with white space does not end the header for readers that skip it or read it as a field.
#[test]
fn a_leading_line_does_not_protect_forged_fields() {
    let forged = "MIME-Ambiguity-Results: localhost; v=1; verdict=clean;\r\n action=pass\r\n";
    for (start, added) in [
        (" \t x", true),
        ("\t; verdict=clean\r\n more", true),
        (" x", false),
    ] {
        for rules in [Rules::default(), Rules::monitor()] {
            let rules = if added {
                rules
            } else {
                silent_but_forged_fields(rules)
            };
            let raw =
                format!("{start}\r\nSubject: x\r\n{forged}To: b\r\n{forged}\r\n{forged}x\r\n");
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

/// If a forged field is deleted from a body that would be rewritten as a whole, the body is not rewritten.
#[test]
fn a_forged_field_in_a_body_prevents_its_rewriting() {
    let mut rules = Rules::default();
    rules.set(Finding::UnendedHeader, Action::Pass);
    let head = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\nno field\n";
    let forged_field = "MIME-Ambiguity-Results: forged\n";
    let raw = format!("{head}=FC\n{forged_field}=FC\n");
    let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
    assert_eq!(judgement.forged_fields, 1);
    let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
    assert!(!bytes.contains("forged"), "{bytes}");
    assert!(
        bytes.ends_with(&format!("{head}=FC\n=FC\n")) || bytes.contains("utf-8"),
        "{bytes}"
    );
}

/// Returns rules that add no field, but still treat fields of the usual name as forged.
fn silent_but_forged_fields(rules: Rules) -> Rules {
    Rules {
        original_header: Some("MIME-Ambiguity-Results".to_owned()),
        ..silent(rules)
    }
}

/// Lines after a forged field that end in CR alone do not belong to it.
#[test]
fn only_the_forged_field_is_deleted() {
    let rest = "Subject: y\r\rtext: a\rMIME-Ambiguity-Results: text\r";
    for forged_field in [
        "MIME-Ambiguity-Results: forged\r",
        "mime-ambiguity-results: a\r b\r\t\r c\r",
    ] {
        for (raw, want) in [
            (format!("{forged_field}{rest}"), rest.to_owned()),
            (
                format!("{forged_field}{forged_field}{rest}"),
                rest.to_owned(),
            ),
            (
                format!("To: b\r{forged_field}{rest}"),
                format!("To: b\r{rest}"),
            ),
            (
                format!("{forged_field}To: b\r\n\r\ntext\r\n"),
                "To: b\r\n\r\ntext\r\n".to_owned(),
            ),
            (
                format!("{forged_field}\rMIME-Ambiguity-Results: text\r"),
                "\rMIME-Ambiguity-Results: text\r".to_owned(),
            ),
        ] {
            let rules = Rules {
                actions: [Action::Pass; Finding::ALL.len()],
                ..Rules::default()
            };
            let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
            assert_eq!(String::from_utf8_lossy(&judgement.bytes()), want, "{raw:?}");
            assert!(judgement.forged_fields > 0);
        }
    }
}

/// Some readers pass over byte order marks before the first field.
#[test]
fn byte_order_marks_do_not_protect_a_forged_field() {
    for marks in ["\u{FEFF}", "\u{FEFF}\u{FEFF}"] {
        for rules in [Rules::default(), Rules::monitor(), Rules::strict()] {
            let raw = format!("{marks}MIME-Ambiguity-Results: forged\r\nSubject: x\r\n\r\nx\r\n");
            let judgement = judge(raw.as_bytes(), &Envelope::default(), &rules);
            let bytes = String::from_utf8(judgement.bytes().into_owned()).unwrap();
            assert!(!bytes.contains("forged"), "{bytes}");
            assert_eq!(judgement.forged_fields, 1);
        }
    }
}
