//! Bodies whose transfer encoding is not the one that their label names.

use super::*;

/// Readers that believe the label of an embedded message decode its header and its own encoded parts.
#[test]
fn embedded_messages_under_a_wrong_label_get_the_right_one() {
    let part = |label: &str, inner: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n--b\n\
             Content-Type: message/rfc822\nContent-Transfer-Encoding: {label}\n\n{inner}--b--\n"
        )
    };
    let inner = "Subject: inner\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n";
    let ascii = format!("{inner}Content-Transfer-Encoding: 7bit\n\na=b\n");
    for label in ["quoted-printable", "base64", "Quoted Printable"] {
        case(&part(label, &ascii), &part("7bit", &ascii));
    }
    // `normalize` writes `café` as 8-bit text, so the message and the multipart around it get the label `8bit`.
    let encoded = format!("{inner}Content-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9\n");
    let plain = format!("{inner}Content-Transfer-Encoding: 8bit\n\ncafé\n");
    let want = part("8bit", &plain).replacen("Encoding: 7bit", "Encoding: 8bit", 1);
    case(&part("quoted-printable", &encoded), &want);
    // A body with escapes may be encoded although the header is not.
    let escaped = format!("{inner}Content-Transfer-Encoding: 7bit\n\n1+1=3D2\n");
    case(
        &part("quoted-printable", &escaped),
        &part("quoted-printable", &escaped),
    );
    // A right label stays.
    case(&part("7bit", &ascii), &part("7bit", &ascii));
    // A signature covers the label.
    let signed = part("base64", &ascii).replace("multipart/mixed", "multipart/signed");
    case(&signed, &signed);
}

/// Returns text parts with these transfer encodings and bodies, and the codes of their events.
fn codes_of(label: &str, body: &[u8]) -> Vec<&'static str> {
    let head = format!(
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {label}\n\n"
    );
    let raw = [head.as_bytes(), body].concat();
    keeps_the_laws(&raw);
    codes(&raw)
}

const TEXT: &str = "Grüße aus München, schöne Tage für alle Bürger.\n";

fn base64_of(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    mailglot_mime::transfer::base64::encode_lines(text, 76, b"\n", &mut lines);
    lines
}

fn quoted_printable_of(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    mailglot_mime::transfer::quoted_printable::encode(text, b"\n", &mut lines);
    lines
}

#[test]
fn text_that_was_encoded_twice_is_reported() {
    let text = TEXT.repeat(3);
    let (base64, quoted) = (
        base64_of(text.as_bytes()),
        quoted_printable_of(text.as_bytes()),
    );
    for (label, body) in [
        ("base64", base64_of(&base64)),
        ("base64", base64_of(&quoted)),
        ("quoted-printable", quoted_printable_of(&quoted)),
    ] {
        assert_eq!(codes_of(label, &body), ["cte.unlabelled"], "{label}");
    }
    assert_eq!(codes_of("base64", &base64), [""; 0]);
    assert_eq!(codes_of("quoted-printable", &quoted), [""; 0]);
}

#[test]
fn encodings_under_the_label_of_another_one_are_decoded() {
    let head = |label: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {label}\n\n"
        )
    };
    let text = TEXT.repeat(3);
    // The last one needs two characters of padding.
    for text in [text.clone(), format!("{text}x\n"), format!("{text}xy\n")] {
        for (label, body) in [
            ("quoted-printable", base64_of(text.as_bytes())),
            ("base64", quoted_printable_of(text.as_bytes())),
        ] {
            let raw = [head(label).as_bytes(), &body].concat();
            keeps_the_laws(&raw);
            let once = process(&raw, &Policy::default());
            assert_eq!(String::from_utf8_lossy(&once.bytes), head("8bit") + &text);
            assert_eq!(codes(&raw), ["cte.wrong-label"], "{label}");
        }
    }
    // A word of 40 characters is text.
    let word = "3f786850e387550fdab836ed7e6dc881de23001b\n";
    assert_eq!(codes_of("quoted-printable", word.as_bytes()), [""; 0]);
}

/// RFC 2045, section 6.4: such a body is data, whatever its media type says.
#[test]
fn text_in_an_unknown_encoding_is_reported_and_stays() {
    for (label, body) in [
        (
            "x-gzip64",
            "H4sIACRIDWsC/3MvOrzn8PxUhcTSYgXfw3vykjNS83QUipMzDm8AAAD//w==\n",
        ),
        (
            "x-mac-binhex40",
            "(This file must be converted with BinHex 4.0)\n",
        ),
        ("base85", "87cURD]i,\"Ebo80\n"),
        ("x-foo", "Grüße\n"),
    ] {
        assert_eq!(
            codes_of(label, body.as_bytes()),
            ["mime.unsettled"],
            "{label}"
        );
    }
    assert_eq!(codes_of("x-foo", b"\n"), [""; 0]);
}

/// Gateways put a warning above the base64 of a text.
#[test]
fn text_before_base64_is_kept() {
    let head = |label: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {label}\n\n"
        )
    };
    let text = TEXT.repeat(3);
    for banner in [
        "Hallo\n\n",
        "Achtung\n\n",
        "CAUTION: This email came from outside.\n\n",
        "CAUTION: external\nDo not click links.\n\n",
    ] {
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let body = [banner.as_bytes(), &base64_of(text.as_bytes())].concat();
            let raw = [head("base64").as_bytes(), &body].concat();
            keeps_the_laws(&raw);
            let once = process(&raw, &Policy::default());
            let want = head("8bit") + banner + &text.replace('\r', "");
            assert_eq!(String::from_utf8_lossy(&once.bytes), want);
            assert_eq!(codes(&raw), ["cte.b64-trailing"], "{banner}");
        }
    }
}
