//! Tests of judgements of messages within messages.

#![allow(clippy::unwrap_used)]
use super::*;

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
    assert_eq!(
        judgement.action,
        Action::Normalize,
        "the text around it is rewritten"
    );
    let bytes = judgement.bytes();
    assert!(
        memmem::find(&bytes, inner.as_bytes()).is_some(),
        "{}",
        String::from_utf8_lossy(&bytes)
    );
}

/// An embedded message in base64 stays as well, for every next hop. Its encoding is reported.
#[test]
fn encoded_embedded_messages_stay() {
    let inner = "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n\
        U3ViamVjdDogR3L832UKCnNjaPZuCg==\r\n";
    let whole = |outer: &str| {
        message(
            "Content-Type: multipart/mixed; boundary=b",
            &format!(
                "--b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n{outer}\r\n--b\r\n{inner}--b--"
            ),
        )
    };
    for eight_bit in [false, true] {
        let envelope = Envelope {
            eight_bit,
            ..Envelope::default()
        };
        let raw = whole("plain");
        let judgement = judge(&raw, &envelope, &silent(Rules::default()));
        assert!(judgement.edits.is_empty(), "{:?}", judgement.edits);
        assert!(judgement.findings.has(Finding::CteOnComposite));
        let raw = whole("\x1b$B8+\x1b(B");
        let judgement = judge(&raw, &envelope, &silent(Rules::default()));
        let bytes = judgement.bytes();
        assert_ne!(bytes, raw, "the text around it is rewritten");
        let found = memmem::find(&bytes, inner.as_bytes());
        assert!(found.is_some(), "{}", String::from_utf8_lossy(&bytes));
    }
}

/// An embedded message must not be encoded as a whole (RFC 2045, section 6.4). If only seven bits are allowed, its parts are encoded, except signed
/// ones.
#[test]
fn embedded_messages_are_encoded_if_only_seven_bits_are_allowed() {
    let mut rules = silent(Rules::default());
    rules.rewriting.transfer = Transfer::SevenBit;
    let text = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nt\u{e4}xt\r\n";
    let whole = |inner: &str| {
        message(
            "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 8bit",
            &format!(
                "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\nContent-Type: message/rfc822\r\n\
                 Content-Transfer-Encoding: 8bit\r\n\r\n{inner}\r\n--b--"
            ),
        )
    };
    let deep = format!(
        "Subject: h\u{e4}i\r\nContent-Type: message/rfc822\r\n\r\nSubject: h\u{e4}\r\n{text}"
    );
    let ascii = "Subject: x\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\nx\r\n";
    let multipart = "Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n";
    let mixed = format!(
        "{multipart}{text}\r\n--c\r\nContent-Type: message/rfc822\r\n\r\n{ascii}\r\n--c--\r\n"
    );
    let dkim = format!("DKIM-Signature: v=1; b=aa\r\n{text}");
    let signed = format!(
        "{}{text}\r\n--c--\r\n",
        multipart.replace("mixed", "signed")
    );
    for (inner, written) in [
        (format!("Subject: h\u{e4}i\r\n{text}"), true),
        (deep, true),
        (mixed, true),
        (ascii.to_owned(), false),
        (dkim, false),
        (signed, false),
    ] {
        let raw = whole(&inner);
        let judgement = judge(&raw, &Envelope::default(), &rules);
        let bytes = judgement.bytes();
        assert_eq!(bytes != raw, written, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(
            bytes.is_ascii(),
            written || raw.is_ascii(),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        // Seven-bit parts stay unchanged.
        assert!(!inner.contains(ascii) || memmem::find(&bytes, ascii.as_bytes()).is_some());
        assert!(judge(&bytes, &Envelope::default(), &rules).edits.is_empty());
        let parts = |raw: &[u8]| Message::parse(raw, &rules.rewriting.limits).parts().len();
        assert_eq!(parts(&bytes), parts(&raw));
        // If eight bits are allowed, the message stays unchanged.
        let usual = silent(Rules::default());
        assert_eq!(
            judge(
                &raw,
                &Envelope {
                    eight_bit: true,
                    ..Envelope::default()
                },
                &usual
            )
            .bytes(),
            raw
        );
    }
}

/// Embedded messages are not rewritten, so the labels around them are not widened to 8bit or message/global.
#[test]
fn labels_around_embedded_messages_stay() {
    let envelopes =
        [(false, true), (true, true), (true, false)].map(|(smtputf8, eight_bit)| Envelope {
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
        assert!(
            judgement.edits.is_empty(),
            "{envelope:?} {:?}",
            judgement.edits
        );
        // If eight bits are allowed, the text beside it is written in 8bit. Then the label of the multipart says 8bit.
        let raw = whole("\x1b$B8+\x1b(B");
        let judgement = judge(&raw, &envelope, &silent(Rules::default()));
        let bytes = judgement.bytes();
        let embedded = memmem::find(&raw, b"Content-Type: message/rfc822").unwrap();
        assert!(
            memmem::find(&bytes, &raw[embedded..]).is_some(),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        let wide = memmem::find(&bytes, b"boundary=b\r\nContent-Transfer-Encoding: 8bit").is_some();
        assert_eq!(
            wide,
            !bytes.is_ascii(),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        assert_eq!(wide, envelope.eight_bit);
    }
}
