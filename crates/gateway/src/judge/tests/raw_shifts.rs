//! Tests of HZ, ISO-2022-KR and UTF-7 in header text without encoded words.

use super::*;

/// Subjects without a label, with their finding.
const RAW: [(&str, Finding); 5] = [
    // Rare characters: `cd ~{user,other}` decodes to some, too.
    ("~{efgh~}", Finding::UndeclaredEscape),
    // Half a character at the end.
    ("Re: \x1b$)C\x0e0!3\x0f", Finding::UndeclaredEscape),
    ("\x1b$)A\x0e<:Ky\x0f", Finding::UndeclaredEscape),
    ("Re: +ZeVnLIqe-", Finding::Utf7Lookalike),
    ("x+ADw-script+AD4-", Finding::Utf7Lookalike),
];

/// Nothing is decoded, and each action of the policy has its effect.
#[test]
fn the_policy_decides_about_raw_shifts() {
    for (subject, finding) in RAW {
        for field in ["Subject", "Comments"] {
            let raw = message(&format!("{field}: {subject}"), "x");
            for &action in Action::ALL {
                let mut rules = Rules::default();
                rules.set(finding, action);
                let judgement = judge(&raw, &Envelope::default(), &rules);
                let found: Vec<_> = judgement
                    .findings
                    .counted()
                    .map(|(finding, _)| finding)
                    .collect();
                assert_eq!(found, [finding], "{subject:?}");
                // The text is unknown, so it cannot be rewritten.
                let want = if action == Action::Normalize {
                    Action::Tag
                } else {
                    action
                };
                assert_eq!(
                    (judgement.action, judgement.wanted),
                    (want, want),
                    "{subject:?}"
                );
                assert!(judgement.edits.is_empty() && judgement.bytes().ends_with(&raw));
                let told = matches!(want, Action::Tag | Action::Quarantine);
                assert_eq!(
                    !judgement.added.is_empty(),
                    told,
                    "{subject:?} {}",
                    action.name()
                );
            }
        }
    }
}

/// HZ with common characters and ISO-2022-KR become UTF-8, whatever the label of the body is.
#[test]
fn hz_and_korean_are_rewritten() {
    for (label, body) in [
        ("us-ascii", "x"),
        ("hz-gb-2312", "~{VPND~}"),
        ("x-unknown", "x"),
    ] {
        for (subject, want) in [
            ("~{<:Ky2;~}", "=?UTF-8?B?5bex5omA5LiN?="),
            ("Re: \x1b$)C\x0e0!3*\x0f", "Re: =?UTF-8?B?6rCA64KY?="),
            ("Re: ~{VPND~} x", "Re: =?UTF-8?B?5Lit5paH?= x"),
        ] {
            let header = |subject: &str| {
                format!("Subject: {subject}\nContent-Type: text/plain; charset={label}")
            };
            let raw = message(&header(subject), body);
            let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
            let bytes = judgement.bytes();
            let want = format!("\r\nSubject: {want}\r\n");
            assert!(
                memmem::find(&bytes, want.as_bytes()).is_some(),
                "{}",
                String::from_utf8_lossy(&bytes)
            );
            assert!(
                !judgement.findings.has(Finding::UndeclaredEscape),
                "{subject}"
            );
            assert_eq!(judged(&bytes).findings.count(Finding::UndeclaredEscape), 0);
        }
    }
}

/// Complete sequences of ISO-2022-JP become UTF-8. Text with a label, and other text, has no such finding.
#[test]
fn labelled_and_other_text_has_no_finding_of_raw_shifts() {
    for subject in [
        "\x1b$B2q5D\x1b(B",
        "=?iso-2022-kr?B?GyQpQw4wITMqDw==?=",
        "=?hz-gb-2312?Q?~{<:Ky2;~}?=",
        "=?utf-7?Q?+ZeVnLIqe-?=",
        "C++ and ~{brace~} and a+b-c",
        "+49301234-56",
        "http://example.org/~user/{x}~",
    ] {
        let raw = message(&format!("Subject: {subject}"), "x");
        let findings = judged(&raw).findings;
        for finding in [Finding::UndeclaredEscape, Finding::Utf7Lookalike] {
            assert!(!findings.has(finding), "{subject:?}: {findings:?}");
        }
    }
    let identifiers = message("Message-ID: <+ZeVnLIqe-@b>\nTo: a+AGEAYg-@b.example", "x");
    assert!(judged(&identifiers).findings.is_empty());
}
