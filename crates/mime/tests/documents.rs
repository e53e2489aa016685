//! Checks how documents without a label in the header are read if their charset has only ASCII bytes.

use mailglot_mime::{
    Declarations, Detection, EventKind, Limits, Message, Policy, Report, apply_undo, process,
    text_parts, undo_edits,
};

const HZ: &str = "~{8wN;M,JB4s<R:C~}";
const CHINESE: &str = "各位同事大家好";

fn mail(content_type: &str, body: &str) -> Vec<u8> {
    format!("Content-Type: {content_type}\nSubject: x\n\n{body}\n").into_bytes()
}

fn text(raw: &[u8], policy: &Policy) -> String {
    let message = Message::parse(raw, &Limits::default());
    let texts = text_parts(&message, policy, &mut Report::default());
    texts
        .into_iter()
        .map(|part| part.text.into_owned())
        .collect()
}

fn has_event(raw: &[u8], kind: EventKind) -> bool {
    let outcome = process(raw, &Policy::default());
    outcome.report.events.iter().any(|event| event.kind == kind)
}

#[test]
fn hz_is_read_in_documents() {
    let page =
        |meta: &str, text: &str| format!("<html><head>{meta}</head><body>{text}</body></html>");
    let named = |charset: &str| {
        format!("<meta http-equiv=Content-Type content=\"text/html; charset={charset}\">")
    };
    let list = "<pre>(format t \"~{~a~^, ~}\" list)</pre>";
    for (content_type, meta, body, want) in [
        ("text/html", named("hz-gb-2312"), HZ, CHINESE),
        ("text/html", named("hz-gb-2312"), "~{VPND~}", "中文"),
        ("text/html", named("gb2312"), "~{VPND~}", "中文"),
        ("text/html", String::new(), HZ, CHINESE),
        ("text/html", named("us-ascii"), HZ, CHINESE),
        ("text/html; charset=us-ascii", String::new(), HZ, CHINESE),
        // Other charsets, few characters, and code.
        ("text/html", named("utf-8"), HZ, HZ),
        ("text/html; charset=utf-8", named("hz-gb-2312"), HZ, HZ),
        ("text/html", String::new(), "~{VPND~}", "~{VPND~}"),
        ("text/html", named("hz-gb-2312"), list, list),
        (
            "text/html",
            format!("<style>a~{{color:red}}</style>{HZ}"),
            "",
            "",
        ),
        ("text/css", String::new(), HZ, HZ),
    ] {
        let raw = mail(content_type, &page(&meta, body));
        let policy = Policy::default();
        let read = text(&raw, &policy);
        assert_eq!(read, page(&meta, want) + "\n", "{content_type}");
        let outcome = process(&raw, &policy);
        let new = String::from_utf8_lossy(&outcome.bytes);
        assert_eq!(
            new.contains("charset=utf-8\n"),
            read != page(&meta, body) + "\n" || content_type.ends_with("utf-8"),
            "{new}"
        );
        assert!(new.contains(want));
        assert_eq!(process(&outcome.bytes, &policy).edits, []);
        let undo = undo_edits(&raw, &outcome.edits);
        assert_eq!(apply_undo(&outcome.bytes, &undo).as_deref(), Some(&raw[..]));
    }
    let raw = mail("text/html", &page("", HZ));
    assert!(text(&raw, &Policy::default().detection(Detection::Off)).contains(HZ));
}

#[test]
fn a_document_in_utf7_stays_and_is_reported() {
    let meta = "<meta charset=UTF-7>";
    let script = "+ADw-script+AD4-gr+APwA3w-e";
    for (content_type, body, is_reported) in [
        ("text/html", format!("{meta}{script}"), true),
        ("text/html", format!("{meta}1+1=2, a+b-c"), false),
        ("text/html", script.to_owned(), false),
        (
            "text/html; charset=us-ascii",
            format!("{meta}{script}"),
            false,
        ),
        ("text/plain", format!("{meta}{script}"), false),
    ] {
        let raw = mail(content_type, &body);
        assert_eq!(text(&raw, &Policy::default()), body.clone() + "\n");
        assert_eq!(process(&raw, &Policy::default()).edits, [], "{body}");
        assert_eq!(
            has_event(&raw, EventKind::CharsetSuspected),
            is_reported,
            "{content_type} {body}"
        );
    }
}

/// A declaration in UTF-8 follows the label if the body is rewritten anyway, or if the policy asks for it.
#[test]
fn declarations_beside_utf8_are_reported_and_follow_the_label() {
    let always = Policy::default().declarations(Declarations::Utf8);
    let usual = Policy::default();
    for (content_type, declaration, is_other) in [
        ("text/html", "<meta charset=NAME>", true),
        (
            "text/xml",
            "<?xml version=\"1.0\" encoding=\"NAME\"?>",
            true,
        ),
        ("text/x-html", "<meta charset=NAME>", true),
        (
            "text/calendar",
            "BEGIN:VCALENDAR\nX-LOTUS-CHARSET:NAME\n",
            true,
        ),
        ("text/plain", "<meta charset=NAME>", false),
    ] {
        for name in ["iso-8859-1", "Shift_JIS", "koi8-r"] {
            let body = declaration.replace("NAME", name) + "Grüße aus Köln";
            let new = declaration.replace("NAME", "utf-8") + "Grüße aus Köln";
            let label = format!("{content_type}; charset=utf-8");
            let raw = mail(&label, &body);
            assert_eq!(process(&raw, &usual).edits, [], "{body}");
            assert_eq!(
                has_event(&raw, EventKind::CharsetDeclared),
                is_other,
                "{body}"
            );
            let encoded = body.replace('=', "=3D").replace('ü', "=C3=BC");
            let type_and_encoding = format!("{label}\nContent-Transfer-Encoding: quoted-printable");
            let encoded = mail(&type_and_encoding, &encoded);
            for (raw, policy) in [(&encoded, &usual), (&encoded, &always), (&raw, &always)] {
                let outcome = process(raw, policy);
                let text = String::from_utf8_lossy(&outcome.bytes);
                let want = if is_other { &new } else { &body };
                assert!(text.contains(want), "{text}");
                assert_eq!(process(&outcome.bytes, policy).edits, []);
                let undo = undo_edits(raw, &outcome.edits);
                assert_eq!(apply_undo(&outcome.bytes, &undo).as_deref(), Some(&raw[..]));
            }
        }
        let body = declaration.replace("NAME", "UTF8") + "Grüße";
        let raw = mail(&format!("{content_type}; charset=utf-8"), &body);
        assert!(!has_event(&raw, EventKind::CharsetDeclared), "{body}");
        assert_eq!(process(&raw, &always).edits, [], "{body}");
    }
}

/// Signed parts and attachments stay.
#[test]
fn declarations_stay_in_parts_that_stay() {
    let always = Policy::default().declarations(Declarations::Utf8);
    let html = "<meta charset=iso-8859-1>Grüße";
    let attachment =
        format!("text/html; charset=utf-8\nContent-Disposition: attachment\n\n{html}\n");
    let signed = format!(
        "multipart/signed; boundary=b; protocol=\"application/pgp-signature\"\n\n--b\n\
         Content-Type: text/html; charset=utf-8\n\n{html}\n--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n"
    );
    for message in [attachment, signed] {
        let raw = format!("Subject: x\nContent-Type: {message}");
        assert_eq!(process(raw.as_bytes(), &always).edits, [], "{raw}");
    }
}
