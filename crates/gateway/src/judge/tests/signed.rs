//! Tests of signed mail: its bytes stay, and ambiguous mail gets a field.

use super::*;
use crate::policy::TagSigned;

/// Correctly labelled texts with a finding that tags, and the fields with their labels.
const CORRECT: [(&str, &str); 6] = [
    (
        "Content-Type: text/plain; charset=iso-2022-jp",
        "\x1b$B8+\x1b(B",
    ),
    (
        "Content-Type: text/plain; charset=utf-8",
        "text about +ADw-script",
    ),
    (
        "Subject: Gr\u{200b}u\u{202e}ss\nContent-Type: text/plain; charset=utf-8",
        "x",
    ),
    (
        "Subject: =?UTF-8?B?R3LigItv4oCuw58=?=\nContent-Type: text/plain",
        "x",
    ),
    (
        "Reply-To: <b@xn--mnchen-3ya.de>\nContent-Type: text/plain",
        "x",
    ),
    (
        "Reply-To: <b@xn--pple-43d.com>\nContent-Type: text/plain",
        "x",
    ),
];

/// Texts with a wrong or ambiguous label or structure.
const WRONG: [(&str, &str); 3] = [
    ("Content-Type: text/plain; charset=utf-8", "\x1b$B8+\x1b(B"),
    (
        "Content-Type: text/plain; charset=utf-8\nContent-Type: text/html",
        "x",
    ),
    ("Content-Type: text/html; charset=utf-7", "+ADw-b+AD4-"),
];

/// Header fields of signatures of the whole message.
const SIGNATURES: [&str; 3] = [
    "DKIM-Signature: v=1; b=aa",
    "ARC-Message-Signature: i=1; b=aa",
    "DomainKey-Signature: a=rsa-sha1; b=aa",
];

fn rules(tag_signed: TagSigned, base: Rules) -> Rules {
    Rules { tag_signed, ..base }
}

/// Correctly labelled signed mail stays byte for byte under each policy, unless `tag_signed` asks for tags.
#[test]
fn correct_signed_mail_stays_byte_for_byte() {
    let mut tagged = 0;
    for (fields, body) in CORRECT {
        let unsigned = message(fields, body);
        for signature in SIGNATURES {
            let raw = message(&format!("{signature}\n{fields}"), body);
            for base in [Rules::default(), Rules::strict(), Rules::monitor()] {
                for way in [TagSigned::Never, TagSigned::Ambiguous] {
                    // A header field with raw bytes that the envelope does not allow is not correct.
                    if way == TagSigned::Ambiguous && !fields.is_ascii() {
                        continue;
                    }
                    let judgement = judge(&raw, &Envelope::default(), &rules(way, base.clone()));
                    let (action, wanted) = (judgement.action, judgement.wanted);
                    assert_eq!(
                        (&*judgement.bytes(), action, wanted),
                        (&raw[..], Action::Pass, Action::Pass),
                        "{fields}"
                    );
                    assert!(
                        !judgement.findings.is_empty(),
                        "the log tells all the same: {fields}"
                    );
                }
                let judgement = judge(
                    &raw,
                    &Envelope::default(),
                    &rules(TagSigned::Always, base.clone()),
                );
                assert!(judgement.bytes().ends_with(&raw));
                tagged += usize::from(!judgement.added.is_empty());
            }
        }
        let judgement = judged(&unsigned);
        assert!(
            !judgement.added.is_empty() || judgement.action == Action::Normalize,
            "{fields}"
        );
    }
    assert_eq!(tagged, CORRECT.len() * SIGNATURES.len() * 3);
}

/// The fields above a signed body stay, unless signed mail is rewritten after verification. No structure is repaired either.
#[test]
fn fields_above_a_signed_body_stay() {
    let word = "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=";
    let parts = "--b\r\n\r\nx\r\n--b\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--b--";
    for media in [
        "multipart/signed; boundary=b; protocol=\"application/pgp-signature\"",
        "application/pkcs7-mime; smime-type=signed-data",
    ] {
        let raw = message(&format!("{word}\nContent-Type: {media}"), parts);
        for base in [Rules::default(), Rules::strict(), Rules::monitor()] {
            let judgement = judge(&raw, &Envelope::default(), &base);
            assert!(judgement.edits.is_empty(), "{media}");
            assert_eq!(*judgement.bytes(), raw[..], "{media}");
        }
        for damage in [
            format!("{word}\n{word}\nContent-Type: {media}"),
            format!("{word}\nContent-Type: {media}\nContent-Transfer-Encoding: 8 bit"),
            format!("{word}\nContent-Type: {media}\nthis line is text"),
        ] {
            let raw = message(&damage, parts);
            let judgement = judge(&raw, &Envelope::default(), &silent(Rules::default()));
            assert!(judgement.edits.is_empty(), "{damage}");
            assert!(judgement.bytes().ends_with(&raw), "{damage}");
        }
        let verified = message(
            &format!(
                "Authentication-Results: mx.example; dkim=none\n{word}\nContent-Type: {media}"
            ),
            parts,
        );
        let rules = Rules {
            signed: Signed::RewriteAfterVerify,
            authserv_id: Some("mx.example".to_owned()),
            ..Rules::default()
        };
        let judgement = judge(&verified, &Envelope::default(), &rules);
        assert!(!judgement.edits.is_empty(), "{media}");
        let text = judgement.bytes().escape_ascii().to_string();
        assert!(text.contains("Subject: =?UTF-8?B?R3LDvMOfZQ==?="), "{text}");
    }
}

/// Ambiguous signed mail gets a field on top, unless that is switched off.
#[test]
fn ambiguous_signed_mail_is_tagged_by_default() {
    for (fields, body) in WRONG {
        let raw = message(&format!("{}\n{fields}", SIGNATURES[0]), body);
        let judgement = judge(&raw, &Envelope::default(), &Rules::default());
        assert!(
            !judgement.added.is_empty() && judgement.edits.is_empty(),
            "{fields}"
        );
        assert!(judgement.bytes().ends_with(&raw));
        let judgement = judge(
            &raw,
            &Envelope::default(),
            &rules(TagSigned::Never, Rules::default()),
        );
        assert_eq!(*judgement.bytes(), raw[..], "{fields}");
    }
    let strict = judge(
        &message(&format!("{}\n{}", SIGNATURES[0], WRONG[1].0), "x"),
        &Envelope::default(),
        &Rules::strict(),
    )
    .action;
    assert_eq!(
        strict,
        Action::Reject,
        "a signature protects no message from being refused"
    );
}

/// A signed body (RFC 1847) counts as signed, too.
#[test]
fn multipart_signed_stays_byte_for_byte() {
    let raw = message(
        "Content-Type: multipart/signed; boundary=b; protocol=\"application/pgp-signature\"",
        "--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B8+\x1b(B\r\n--b\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--b--",
    );
    let judgement = judged(&raw);
    assert_eq!(
        (&*judgement.bytes(), judgement.action),
        (&raw[..], Action::Pass),
        "{:?}",
        judgement.findings
    );
    let always = judge(
        &raw,
        &Envelope::default(),
        &rules(TagSigned::Always, Rules::default()),
    );
    assert!(!always.added.is_empty());
}
