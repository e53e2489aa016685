//! Tests of findings about labels of charsets.

use super::*;

#[test]
fn overruled_labels_in_a_header_are_found() {
    let russian = "z/Do4uXyLCDq4Oog5OXr4D8="; // Привет, как дела? in windows-1251
    let mislabelled = [
        format!("Subject: =?koi8-r?B?{russian}?="),
        format!("Subject: =?iso-8859-1?B?{russian}?="),
        format!("Subject: =?utf-8?B?{russian}?="),
        "Content-Type: text/plain; name*=koi8-r''%CF%F0%E8%E2%E5%F2%2C%20%EA%E0%EA%20%E4%E5%EB%E0"
            .to_owned(),
    ];
    for header in &mislabelled {
        let raw = message(header, "x");
        let judgement = judged(&raw);
        assert!(
            judgement.findings.has(Finding::MislabelledCharset),
            "{header}"
        );
    }
    let raw = message(&format!("Subject: =?windows-1251?B?{russian}?="), "x");
    assert!(judged(&raw).findings.is_empty());
    // Events of other fields fill the report.
    let others = "X-A: =?utf-8?Q?=FF?= =?utf-8?Q?=FE?=\r\n".repeat(1_100);
    let raw = message(&format!("{others}{}", mislabelled[0]), "x");
    assert!(judged(&raw).findings.has(Finding::MislabelledCharset));
}

/// UTF-7 has several registered names, and IMAP has a variant.
#[test]
fn utf7_is_found_under_each_name() {
    for label in [
        "utf-7",
        "UTF7",
        "unicode-1-1-utf-7",
        "csUnicode11UTF7",
        "unicode-1-1-utf7",
        "x-unicode-2-0-utf-7",
        "utf-7-imap",
        "csUTF7IMAP",
    ] {
        let found = |raw: &[u8]| {
            let judgement = judge(raw, &Envelope::default(), &Rules::strict());
            let action = judgement.action;
            (action, judgement.reasons(&Rules::strict(), action))
        };
        let field = format!("Content-Type: text/html; charset={label}");
        let html = message(&field, "+ADw-script+AD4-alert(1)+ADw-/script+AD4-");
        let in_html = (Action::Reject, "utf7-in-html".to_owned());
        assert_eq!(found(&html), in_html, "{label}");
        let subject = message(&format!("Subject: =?{label}?Q?Gr+APwA3w-e?="), "x");
        let in_header = (Action::Normalize, "utf7-in-header".to_owned());
        assert_eq!(found(&subject), in_header, "{label}");
    }
}
