//! Signed bodies, and signatures over whole messages.

use super::{codes, keeps_the_laws, latin1};
use mailglot_codec::Charset;
use mailglot_mime::{Headers, Limits, Message, PartId, Policy, process};

#[test]
fn signed_parts_are_untouched() {
    let signed = "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--o\n\
        Content-Type: multipart/signed; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nü\n--i\n\
        Content-Type: application/pgp-signature\n\nx\n--i--\n--o--\n";
    let raw = Charset::ISO_8859_1
        .encode_exact(signed)
        .expect("the charset has every character");
    let outcome = process(&raw, &Policy::default());
    let inner = raw
        .windows(2)
        .position(|w| w == b"--i")
        .map_or_else(|| raw.windows(3).position(|w| w == b"--i"), Some);
    let start = inner.expect("the signed part is there");
    assert!(
        outcome.bytes.ends_with(&raw[start..]),
        "{}",
        outcome.bytes.escape_ascii()
    );
    assert_eq!(outcome.edits.len(), 2);
    assert!(
        outcome
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "mime.signed-untouched")
    );
    keeps_the_laws(&raw);
}

#[test]
fn wrong_labels_of_signed_text_are_reported() {
    let russian = Charset::WINDOWS_1251
        .encode_exact("Привет! Завтра встреча в десять часов утра, не забудь документы.\n")
        .expect("the charset has every character");
    for (parameter, expected) in [
        ("; charset=windows-1251", &[][..]),
        ("; charset=iso-8859-1", &["charset.suspected"]),
        ("", &["charset.unlabelled"]),
    ] {
        let field = format!("Content-Type: text/plain{parameter}\n\n");
        let part = [field.as_bytes(), &russian].concat();
        let multipart = [
            &b"Content-Type: multipart/signed; boundary=i\n\n--i\n"[..],
            &part,
            b"--i\nContent-Type: application/pgp-signature\n\nx\n--i--\n",
        ];
        let inline = [
            field.as_bytes(),
            b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n",
            &russian,
            b"-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n",
        ];
        for raw in [multipart.concat(), inline.concat()] {
            let outcome = process(&raw, &Policy::default());
            assert_eq!(&*outcome.bytes, &*raw, "{parameter}");
            let of_labels: Vec<&str> = codes(&raw)
                .into_iter()
                .filter(|code| code.starts_with("charset."))
                .collect();
            assert_eq!(of_labels, expected, "{}", raw.escape_ascii());
        }
    }
}

#[test]
fn signed_messages_by_policy() {
    let raw = b"DKIM-Signature: v=1; b=x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\n\xfc\n";
    let archive = process(raw, &Policy::default());
    assert!(
        archive
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "signature.voided")
    );
    let gateway = process(raw, &Policy::default().keep_signed(true));
    assert_eq!(&*gateway.bytes, raw);
    assert!(
        gateway
            .report
            .events
            .iter()
            .any(|e| e.kind.code() == "mime.signed-untouched")
    );
}

#[test]
fn attached_messages_under_a_signature() {
    let inner = "DKIM-Signature: v=1; a=b; bh=x\nFrom: x@y.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nGr\u{fc}\u{df}e f\u{fc}r alle\n";
    let head =
        "From: a@b.example\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nMIME-Version: 1.0\nContent-Type: ";
    let multipart = format!(
        "{head}multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\u{fc}\u{df}e\n--b\nContent-Type: message/rfc822\n\n{inner}--b--\n"
    );
    for raw in [
        latin1(&format!("{head}message/rfc822\n\n{inner}")),
        latin1(&multipart),
    ] {
        let message = Message::parse(&raw, &Limits::default());
        let last = PartId(message.parts().len() as u32 - 1);
        let inner =
            &raw[message.part(last).unwrap().header.start..message.part(last).unwrap().body.end];
        let told = |policy: &Policy, code: &str| -> Vec<PartId> {
            let report = process(&raw, policy).report;
            report
                .events
                .iter()
                .filter(|event| event.kind.code() == code)
                .map(|event| event.part)
                .collect()
        };
        for headers in [Headers::Words, Headers::RawUtf8] {
            let keep = Policy::default().keep_signed(true).headers(headers);
            let kept = process(&raw, &keep);
            assert!(
                kept.bytes
                    .windows(inner.len())
                    .any(|window| window == inner)
            );
            assert!(!kept.edits.is_empty(), "what is around it is rewritten");
            assert!(process(&kept.bytes, &keep).edits.is_empty());
            assert_eq!(told(&keep, "mime.signed-untouched"), [last]);
            assert_eq!(told(&keep, "signature.voided"), []);
        }
        assert_eq!(told(&Policy::default(), "signature.voided"), [last]);
        assert_eq!(told(&Policy::default(), "mime.signed-untouched"), []);
        keeps_the_laws(&raw);
    }
    // Nothing in it changes.
    let plain = "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: message/rfc822\n\nDKIM-Signature: v=1\n\nplain\n";
    assert!(
        !process(plain.as_bytes(), &Policy::default())
            .edits
            .is_empty()
    );
    assert_eq!(codes(plain.as_bytes()), [""; 0]);
}
