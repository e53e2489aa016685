//! Reads Vietnamese without a right label. VISCII, TCVN 5712 and VPS have letters in the places of controls. In VNI, marks stand behind
//! their letters.

use mailglot_codec::Charset;
use mailglot_mime::{EventKind, Mail, Policy};

const BODY: &str =
    "Kính gửi anh Tuấn,\n\nCảm ơn anh đã gửi thư. Chúng tôi đã nhận được đơn đặt hàng của anh.\n";
/// Charsets that Western mail programs do not decode.
const LEGACY: [Charset; 4] = [
    Charset::VISCII,
    Charset::TCVN5712_1,
    Charset::VPS,
    Charset::VNI,
];

const SUBJECT: &str = "Trả lời: Đơn đặt hàng";

/// Returns a message in a charset, without a label.
fn message(charset: Charset, subject: &str, body: &str) -> Vec<u8> {
    let text = format!("From: a@example.vn\nSubject: {subject}\n\n{body}");
    let bytes = charset.encode_exact(&text);
    bytes.expect("the charset has all letters").into_owned()
}

#[test]
fn legacy_charsets_are_guessed() {
    for charset in LEGACY {
        let bytes = message(charset, SUBJECT, BODY);
        let mail = Mail::parse(&bytes);
        let body = mail.body_text().expect("the message has a body");
        assert_eq!((body.reading.used, &*body.text), (charset, BODY));
        assert_eq!(mail.subject().as_deref(), Some(SUBJECT), "{charset}");
    }
}

#[test]
fn a_guess_is_reported_and_settled_after_one_pass() {
    for charset in LEGACY {
        let bytes = message(charset, SUBJECT, BODY);
        let first = Mail::parse(&bytes);
        let first = first.normalize(&Policy::default());
        let kinds: Vec<EventKind> = first.report().events.iter().map(|e| e.kind).collect();
        assert!(kinds.contains(&EventKind::CharsetDetected), "{kinds:?}");
        assert!(kinds.contains(&EventKind::EwRaw8bit), "{kinds:?}");
        let once = first.bytes();
        let text = String::from_utf8(once.to_vec()).expect("the output is UTF-8");
        assert!(text.ends_with(BODY), "{text}");
        let second = Mail::parse(&*once);
        let second = second.normalize(&Policy::default());
        assert_eq!(second.bytes(), once, "{charset}");
    }
}

#[test]
fn a_label_stays_beside_a_charset_for_vietnamese() {
    // Each text is in the charset of its label.
    for (charset, text) in [
        (
            Charset::WINDOWS_1258,
            "Xin cha\u{300}o ca\u{301}c ba\u{323}n",
        ),
        (Charset::ISO_8859_1, "Grüße aus Köln, Françoise"),
        (Charset::WINDOWS_1250, "Děkujeme za zprávu, Žofie"),
    ] {
        let bytes = charset.encode_exact(text).expect("the charset has them");
        let head = format!("Content-Type: text/plain; charset={charset}\n\n");
        let raw = [head.as_bytes(), &*bytes].concat();
        let mail = Mail::parse(&raw);
        let body = mail.body_text().expect("the message has a body");
        assert_eq!(body.text, text, "{charset}");
    }
}

#[test]
fn a_label_of_latin_1_yields_to_vietnamese() {
    for charset in LEGACY {
        for label in ["iso-8859-1", "windows-1252", "us-ascii", "x-user-defined"] {
            let text = charset.encode_exact(BODY).expect("the charset has them");
            let head = format!("Content-Type: text/plain; charset={label}\n\n");
            let raw = [head.as_bytes(), &*text].concat();
            let mail = Mail::parse(&raw);
            let body = mail.body_text().expect("the message has a body");
            assert_eq!(body.text, BODY, "{label} {charset}");
        }
    }
}

#[test]
fn quotations_in_utf8_stand_beside_legacy_text() {
    for charset in LEGACY {
        let answer = charset.encode_exact(BODY).expect("the charset has them");
        let quotation = "> Chúc anh chị mạnh khỏe và hạnh phúc.\n";
        let head = format!("Content-Type: text/plain; charset={charset}\n\n");
        let raw = [head.as_bytes(), &*answer, quotation.as_bytes()].concat();
        let mail = Mail::parse(&raw);
        let body = mail.body_text().expect("the message has a body");
        assert_eq!(body.text, format!("{BODY}{quotation}"), "{charset}");
    }
}

#[test]
fn a_short_text_keeps_the_label_of_vni() {
    let raw =
        b"Content-Type: text/plain; charset=vni\nSubject: =?vni?Q?Vie=E4t_Nam?=\n\nVie\xE4t Nam\n";
    let mail = Mail::parse(raw);
    let body = mail.body_text().expect("the message has a body");
    assert_eq!(body.text, "Việt Nam\n");
    assert_eq!(mail.subject().as_deref(), Some("Việt Nam"));
}
