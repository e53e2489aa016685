//! Labels that other readers do not find or know.

use super::{keeps_the_laws, texts};
use mailglot_mime::{Attachments, EventKind, Policy, process};

const FIELD: &str = "Content-Transfer-Encoding: 8bit\n\n";

fn rewritten(raw: &str) -> String {
    keeps_the_laws(raw.as_bytes());
    let bytes = process(raw.as_bytes(), &Policy::default()).bytes;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn rare_aliases_of_utf8_get_the_usual_name() {
    for (label, want) in [
        ("x-unicode20utf8", "utf-8"),
        ("unicode-1-1-utf-8", "utf-8"),
        ("\"utf8mb4\"", "\"utf-8\""),
        ("cp65001", "utf-8"),
        ("utf8", "utf8"),
        ("UTF-8", "UTF-8"),
        ("\"UTF8\"", "\"UTF8\""),
    ] {
        for text in ["<p>Grüße</p>", "<p>ASCII</p>"] {
            let mail = |label| format!("Content-Type: text/html; charset={label}\n{FIELD}{text}\n");
            let want = if text.is_ascii() { label } else { want };
            assert_eq!(rewritten(&mail(label)), mail(want));
        }
    }
}

/// Some readers find no charset after a fold. A label that is right stays as it is.
#[test]
fn a_fold_before_a_charset_goes_with_the_old_label() {
    for (old, new) in [
        ("\n iso-8859-1", "utf-8"),
        (" \n\t\"iso-8859-1\"", "\"utf-8\""),
        (" iso-8859-1", " utf-8"),
    ] {
        let head = |label: &str| format!("Content-Type: text/plain; charset={label}\n{FIELD}");
        let mail = [head(old).as_bytes(), b"Gr\xFC\xDFe\n"].concat();
        keeps_the_laws(&mail);
        let once = process(&mail, &Policy::default()).bytes;
        let want = format!("{}Gr\u{fc}\u{df}e\n", head(new));
        assert_eq!(String::from_utf8_lossy(&once), want);
    }
    let mail = format!("Content-Type: text/plain; charset=\n utf-8\n{FIELD}Gr\u{fc}\u{df}e\n");
    assert_eq!(rewritten(&mail), mail);
}

/// A parameter in RFC 2231 form becomes a plain one, which needs the semicolon at once: a second pass changes nothing.
#[test]
fn a_missing_semicolon_is_written_before_a_joined_label() {
    for value in [
        "text/plain charset*=iso-8859-1",
        "text/plain; name=a charset*=iso-8859-1",
        "text/plain; format=flowed charset*0=iso-8859-1",
        "text/plain charset*=us-ascii''iso-8859-1",
        "text/plain; charset*=iso-8859-1",
        "text/plain; charset*0=iso-8859-1; charset*1=\"\"",
        "text/plain; charset=a; charset=iso-8859-1",
    ] {
        let mail = [
            format!("Content-Type: {value}\nContent-Transfer-Encoding: 8bit\n\n").as_bytes(),
            b"H\xF6he\n",
        ]
        .concat();
        let once = process(&mail, &Policy::default()).bytes;
        let twice = process(&once, &Policy::default()).bytes;
        let text = String::from_utf8_lossy(&once);
        assert!(text.contains("; charset=utf-8"), "{value}: {text}");
        assert_eq!(String::from_utf8_lossy(&twice), text, "{value}");
    }
}

/// Readers that find no semicolon find no label.
#[test]
fn a_missing_semicolon_is_written_before_a_label_of_utf8() {
    for (value, want) in [
        ("text/html charset=utf-8", "text/html; charset=utf-8"),
        (
            "text/html\n\tCharset = \"UTF-8\"",
            "text/html;\n\tCharset = \"UTF-8\"",
        ),
        (
            "text/html; format=flowed charset=utf8",
            "text/html; format=flowed; charset=utf-8",
        ),
        (
            "text/html (page); charset=utf-8",
            "text/html (page); charset=utf-8",
        ),
        (
            "text/html; format=flowed; charset=utf-8",
            "text/html; format=flowed; charset=utf-8",
        ),
        (
            "text/html; charset=utf-8 format=flowed",
            "text/html; charset=utf-8 format=flowed",
        ),
    ] {
        for text in ["Grüße", "ASCII"] {
            let mail = |value| format!("Content-Type: {value}\n{FIELD}{text}\n");
            let want = if text.is_ascii() { value } else { want };
            assert_eq!(rewritten(&mail(value)), mail(want));
        }
    }
    let part = "Content-Type: text/plain charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGrüße\n";
    let signature = "Content-Type: application/pgp-signature\n\nx\n";
    let signed =
        format!("Content-Type: multipart/signed; boundary=b\n\n--b\n{part}--b\n{signature}--b--\n");
    assert_eq!(rewritten(&signed), signed);
}

/// An attachment stays unless the policy asks for UTF-8. It is UTF-8, so no event says otherwise.
#[test]
fn attachments_keep_rare_aliases() {
    let mail = |label| {
        format!(
            "Content-Type: text/html; charset={label}\nContent-Disposition: attachment\n{FIELD}Grüße\n"
        )
    };
    let raw = mail("utf8mb4");
    let kept = process(raw.as_bytes(), &Policy::default());
    assert!(kept.edits.is_empty());
    let kinds: Vec<_> = kept.report.events.iter().map(|event| event.kind).collect();
    assert!(
        !kinds.contains(&EventKind::MimeAttachmentUntouched),
        "{kinds:?}"
    );
    let policy = Policy::default().attachments(Attachments::Utf8);
    assert_eq!(
        &*process(raw.as_bytes(), &policy).bytes,
        mail("utf-8").as_bytes()
    );
}

#[test]
fn xhtml_is_text() {
    let page = |name: &str, text: &str| {
        format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n<p>{text}</p>\n")
    };
    let head = "Content-Type: application/xhtml+xml";
    let raw = [
        format!("{head}\n{FIELD}").into_bytes(),
        super::latin1(&page("iso-8859-1", "Grüße")),
    ]
    .concat();
    assert_eq!(texts(&raw)[0].1, page("iso-8859-1", "Grüße").trim_end());
    // A declaration in the document follows the label.
    let bare = format!("{head}\n{FIELD}<p>Gr\u{fc}\u{df}e</p>\n");
    keeps_the_laws(&super::latin1(&bare));
    let want = format!("{head}; charset=utf-8\n{FIELD}{}", page("utf-8", "Grüße"));
    assert_eq!(&*process(&raw, &Policy::default()).bytes, want.as_bytes());
}

/// A colon for the equals sign, or no media type: other readers find no charset.
#[test]
fn a_hidden_charset_becomes_a_parameter() {
    for (value, want) in [
        ("text/plain; charset: gb2312", "text/plain; charset=utf-8"),
        (
            "text/plain; charset :\"gb2312\"",
            "text/plain; charset=\"utf-8\"",
        ),
        (
            "text/html; x=y; charset:=gb2312; z=1",
            "text/html; x=y; charset=utf-8; z=1",
        ),
        ("text/plain charset: gb2312", "text/plain; charset=utf-8"),
        (
            "text/plain; charset:\n gb2312 format=flowed",
            "text/plain; charset=utf-8 format=flowed",
        ),
        ("charset=gb2312", "text/plain; charset=utf-8"),
        ("charset: \"gb2312\"", "text/plain; charset=\"utf-8\""),
        (
            "text/plain; charset: gb2312; charset=big5",
            "text/plain; charset=utf-8",
        ),
    ] {
        let mail = [
            format!("Content-Type: {value}\n{FIELD}").as_bytes(),
            b"\xD0\xBB\xD0\xBB\n",
        ]
        .concat();
        keeps_the_laws(&mail);
        let once = process(&mail, &Policy::default());
        let want = format!("Content-Type: {want}\n{FIELD}谢谢\n");
        assert_eq!(String::from_utf8_lossy(&once.bytes), want, "{value}");
        let events = &once.report.events;
        let is_reported = |event: &mailglot_mime::Event| event.kind == EventKind::ParamNoSemicolon;
        assert!(events.iter().any(is_reported), "{value}");
    }
    // Text in UTF-8 gets a right parameter, and ASCII stays.
    for (value, want) in [
        ("text/plain; charset: utf-8", "text/plain; charset=utf-8"),
        ("charset=utf-8", "text/plain; charset=utf-8"),
    ] {
        let mail = |value: &str, text: &str| format!("Content-Type: {value}\n{FIELD}{text}\n");
        assert_eq!(rewritten(&mail(value, "ä")), mail(want, "ä"));
        assert_eq!(rewritten(&mail(value, "a")), mail(value, "a"));
    }
}

/// Text behind base64 becomes part of the body, which then is not ASCII.
#[test]
fn a_hidden_charset_counts_for_appended_text() {
    for value in ["text/plain charset=utf-8", "text/plain; charset: utf-8"] {
        let head = |value: &str| format!("Content-Type: {value}\nContent-Transfer-Encoding: ");
        let mail = head(value) + "base64\n\n=\n\u{43b} Grüße <p class=\"x\">\n";
        let want = head("text/plain; charset=utf-8") + "8bit\n\n\u{43b} Grüße <p class=\"x\">\n";
        assert_eq!(rewritten(&mail), want);
    }
}
