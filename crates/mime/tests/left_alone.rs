//! Parts that no rewriting touches read the same beside text in a legacy charset and beside the UTF-8 that it becomes.

use mailglot_codec::Charset;
use mailglot_mime::{How, Limits, Message, Policy, Report, Transfer, process, text_parts};

fn texts(raw: &[u8]) -> Vec<(String, &'static str, How)> {
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::default());
    parts
        .into_iter()
        .map(|part| {
            (
                part.text.into_owned(),
                part.reading.used.name(),
                part.reading.how,
            )
        })
        .collect()
}

fn bytes(text: &str, charset: &str) -> Vec<u8> {
    let charset = Charset::for_name(charset).expect("a charset");
    charset
        .encode_exact(text)
        .expect("the charset has every character")
        .into_owned()
}

/// A message with words and a body in a charset, and a part without a label.
fn mail(
    charset: &str,
    text: &str,
    short: &str,
    head: &str,
    (before, after): (&str, &str),
) -> Vec<u8> {
    let subject = String::from_utf8_lossy(&bytes(text, charset).escape_ascii().collect::<Vec<_>>())
        .replace("\\x", "=")
        .replace(' ', "_");
    let mut raw = format!("Subject: =?{charset}?Q?{subject}?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset={charset}\n\n").into_bytes();
    raw.extend(bytes(text, charset));
    raw.extend(format!("\n--b\n{head}\n\n{before}").bytes());
    raw.extend(bytes(short, charset));
    raw.extend(format!("\n{after}--b--\n").bytes());
    raw
}

/// Heads of parts that stay, and what stands in them around the text.
const KINDS: [(&str, &str, &str); 6] = [
    (
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=x.txt",
        "",
        "",
    ),
    (
        "Content-Type: text/plain",
        "",
        "-----BEGIN PGP MESSAGE-----\n\nabcd\n-----END PGP MESSAGE-----\n",
    ),
    (
        "Content-Type: text/plain",
        "",
        "=ybegin line=128 size=3 name=a\nabc\n=yend size=3\n",
    ),
    (
        "Content-Type: text/plain\nContent-Transfer-Encoding: x-nobody",
        "",
        "",
    ),
    (
        "Content-Type: multipart/encrypted; boundary=s",
        "--s\nContent-Type: text/plain\n\n",
        "--s--\n",
    ),
    (
        "Content-Type: multipart/signed; boundary=s; protocol=\"application/pgp-signature\"",
        "--s\nContent-Type: text/plain\n\n",
        "--s\nContent-Type: application/pgp-signature\n\nxx\n--s--\n",
    ),
];

#[test]
fn what_stays_reads_the_same_afterwards() {
    let mut guessed = 0;
    for (charset, text, short) in [
        ("ISO-8859-9", "Şüphesiz iyi günler dünya şimdi", "ğı"),
        ("KOI8-R", "Привет друзья, спасибо за ваше письмо.", "Да"),
        ("ISO-8859-2", "Dziękuję za wiadomość, którą wysłałeś", "łą"),
        ("Shift_JIS", "日本語のメールです", "はい"),
        ("GBK", "你好，请看附件，谢谢你的帮助", "谢谢"),
    ] {
        for (head, before, after) in KINDS {
            let words = mail(charset, text, short, head, (before, after));
            let end = words
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(0, |end| end + 1);
            for raw in [&words[..], &words[end..]] {
                let outcome = process(raw, &Policy::default());
                assert!(!outcome.edits.is_empty());
                let (old, new) = (texts(raw), texts(&outcome.bytes));
                assert_eq!(old.len(), 2, "{charset} {head}");
                assert_eq!(old[0].0, text);
                let shown = raw.escape_ascii();
                assert_eq!(
                    (&old[0].0, &old[1]),
                    (&new[0].0, &new[1]),
                    "{charset} {head}\n{shown}"
                );
                guessed += usize::from(old[1].1 != charset);
            }
        }
    }
    assert!(guessed > 0, "two letters tell little by themselves");
}

#[test]
fn what_is_signed_tells_of_what_is_signed_beside_it() {
    let text = "Спасибо за письмо. На следующей неделе я приеду в Москву.";
    let signed = "--s\nContent-Type: multipart/mixed; boundary=t\n\n--t\nContent-Type: text/plain; charset=koi8-r\n\nx\n--t\nContent-Type: text/plain\n\n";
    let head = KINDS[5].0;
    let raw = mail(
        "KOI8-R",
        text,
        "Да",
        head,
        (signed, "--t--\n--s\n\nx\n--s--\n"),
    );
    let outcome = process(&raw, &Policy::default());
    for raw in [&raw, &*outcome.bytes] {
        let part = texts(raw).into_iter().find(|(text, ..)| text == "Да");
        assert_eq!(
            part.map(|(_, used, how)| (used, how)),
            Some(("KOI8-R", How::Message))
        );
    }
}

#[test]
fn what_is_signed_does_not_tell_of_the_rest() {
    // What is read first would tell of what follows, if it were not to stay.
    let head = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/signed; boundary=s\n\n--s\nContent-Type: text/plain\n\n";
    let mut raw = head.as_bytes().to_vec();
    raw.extend(bytes(
        "Спасибо за письмо. На следующей неделе я приеду в Москву и буду рад встретиться.",
        "KOI8-R",
    ));
    raw.extend(
        b"\n--s\nContent-Type: application/pgp-signature\n\nx\n--s--\n--b\nContent-Type: text/plain\n\n",
    );
    raw.extend(bytes("Да", "KOI8-R"));
    raw.extend(b"\n--b--\n");
    let outcome = process(&raw, &Policy::default());
    let plain = |raw: &[u8]| {
        texts(raw)
            .into_iter()
            .map(|(text, ..)| text)
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(&raw), plain(&outcome.bytes));
}

/// A footer that a list appends in plain text behind base64 is text of the charset only where ASCII is.
#[test]
fn a_footer_does_not_go_into_a_charset_without_ascii() {
    use mailglot_mime::Bodies;
    let policy = Policy::default()
        .bodies(Bodies::Keep)
        .transfer(Transfer::EightBit);
    for (charset, body, changes) in [
        ("utf-16be", "/v8AaADpAGwAbABv", false),
        ("iso-8859-1", "aOlsbG8=", true),
    ] {
        let raw = format!(
            "Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n{body}\r\n\
             _______________________________________________\r\nlist mailing list\r\n"
        );
        let done = process(raw.as_bytes(), &policy);
        assert_eq!(
            done.bytes != raw.as_bytes(),
            changes,
            "{}",
            String::from_utf8_lossy(&done.bytes)
        );
    }
}

/// Some signers sign a body as it stands, transfer encoding included.
#[test]
fn a_signature_over_encoded_text_keeps_it() {
    // 600 bytes of Big5: enough lines that the armour before them is the damage, and base64 the encoding.
    let base64 = "pKSk5aRApECkQKRApECkQKRApECkQKRApECkQKRApECkQKRA\n".repeat(17);
    for (encoding, text) in [("base64", &*base64), ("quoted-printable", "=A4=A4=A4=E5")] {
        let raw = format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=big5\nContent-Transfer-Encoding: {encoding}\n\n\
             -----BEGIN PGP SIGNED MESSAGE-----\n\n{text}\n"
        );
        let outcome = process(raw.as_bytes(), &Policy::default());
        assert_eq!(
            outcome.bytes.escape_ascii().to_string(),
            raw.as_bytes().escape_ascii().to_string()
        );
        let signed = |event: &mailglot_mime::Event| {
            event.kind == mailglot_mime::EventKind::MimeSignedUntouched
        };
        assert!(
            outcome.report.events.iter().any(signed),
            "{:?}",
            outcome.report.events
        );
    }
}

/// Neither encryption nor the signature of a body covers the fields of the message, so they are rewritten. `keep_signed` leaves those of
/// signed mail.
#[test]
fn only_the_body_of_signed_and_encrypted_mail_stays() {
    let encrypted = "multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b";
    let parts = "--b\nContent-Type: text/plain\n\n\u{e4}\n--b--\n";
    for (media, body, is_encrypted) in [
        (encrypted, parts, true),
        (
            "application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m",
            "AAAA\n",
            true,
        ),
        (
            "application/x-pkcs7-mime; smime-type=\"authEnveloped-data\"",
            "AAAA\n",
            true,
        ),
        (
            "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
            "AAAA\n",
            false,
        ),
        ("application/pkcs7-mime; name=smime.p7m", "AAAA\n", false),
        ("multipart/signed; boundary=b", parts, false),
        ("application/pgp-encrypted", "Version: \u{e9}1\n", true),
    ] {
        let mail = |subject: &str| {
            let text =
                format!("Subject: {subject}\nMIME-Version: 1.0\nContent-Type: {media}\n\n{body}");
            bytes(&text, "ISO-8859-1")
        };
        let raw = mail("Caf\u{e9}");
        // A signed message stays as a whole under a policy that keeps it, as the gateway's does.
        for (keeps_signed, transfer) in [
            (false, Transfer::Keep),
            (false, Transfer::SevenBit),
            (true, Transfer::Keep),
        ] {
            let policy = Policy::default()
                .keep_signed(keeps_signed)
                .transfer(transfer);
            let outcome = process(&raw, &policy);
            let is_rewritten = is_encrypted || !keeps_signed;
            let subject = if is_rewritten {
                "=?UTF-8?B?Q2Fmw6k=?="
            } else {
                "Caf\u{e9}"
            };
            assert_eq!(
                outcome.bytes.escape_ascii().to_string(),
                mail(subject).escape_ascii().to_string()
            );
            let is_reported = |code| {
                let events = &outcome.report.events;
                events.iter().any(|event| event.kind.code() == code)
            };
            assert!(is_reported("mime.signed-untouched"), "{media}");
            assert_eq!(is_reported("ew.raw8bit"), is_rewritten, "{media}");
        }
    }
}
