//! Content-Type fields with lines that lost their blank, and MIME fields behind a blank. The body proves how they were meant.

#![allow(clippy::unwrap_used)]

use mailglot_mime::{
    CharsetOut, Headers, Limits, Message, Policy, Report, Transfer, process, text_parts,
};

/// What the events of these repairs have in their code or detail.
const FOLDED: &str = "hdr.folded-field";
const WRAPPED: &str = "read as a continuation of the field before it";

/// Returns the texts of a message, with their media types.
fn texts(raw: &[u8]) -> Vec<(String, String)> {
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::with_limit(100));
    let text = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    parts
        .iter()
        .map(|part| (part.media.to_string(), text(&part.text)))
        .collect()
}

/// Returns the codes and details of the parser's events, after checking that rewriting keeps texts and tree, ends after one pass, and
/// leaves no damage.
fn checked(raw: &[u8]) -> String {
    let found = |raw: &[u8]| {
        let message = Message::parse(raw, &Limits::default());
        let events = message.defects().iter();
        let events = events.map(|event| format!("{} {}", event.kind.code(), event.detail));
        events.collect::<Vec<_>>().join("\n")
    };
    let tree = |raw: &[u8]| {
        let message = Message::parse(raw, &Limits::default());
        let parts = message.parts().iter();
        parts
            .map(|part| (part.parent, part.media.to_string(), part.kind))
            .collect::<Vec<_>>()
    };
    for policy in [
        Policy::default(),
        Policy::default().transfer(Transfer::SevenBit),
        Policy::default().transfer(Transfer::Keep),
        Policy::default().headers(Headers::RawUtf8),
        Policy::default().headers(Headers::Keep),
        Policy::default().charset_out(CharsetOut::Iso2022Jp),
    ] {
        let once = process(raw, &policy).bytes;
        let twice = process(&once, &policy).bytes;
        assert_eq!(
            twice.escape_ascii().to_string(),
            once.escape_ascii().to_string()
        );
        assert_eq!(texts(&once), texts(raw), "{}", once.escape_ascii());
        assert_eq!(tree(&once), tree(raw), "{}", once.escape_ascii());
        let left = found(&once);
        assert!(!left.contains(FOLDED) && !left.contains(WRAPPED), "{left}");
    }
    found(raw)
}

/// Checks the texts of a message in both line ends, and that an event has this code or detail.
fn assert_read(raw: &str, want: &[(&str, &str)], event: &str) {
    for eol in ["\n", "\r\n"] {
        let raw = raw.replace('\n', eol);
        let got = texts(raw.as_bytes());
        let got: Vec<_> = got.iter().map(|(m, t)| (m.as_str(), t.as_str())).collect();
        assert_eq!(got, want, "{raw}");
        let found = checked(raw.as_bytes());
        assert!(found.contains(event), "{found} {raw}");
    }
}

/// Checks that no rule of this file applies to a message: its first text stays, without these events.
fn assert_unread(raw: &str, text: &str) {
    for eol in ["\n", "\r\n"] {
        let raw = raw.replace('\n', eol);
        let found = checked(raw.as_bytes());
        assert!(
            !found.contains(FOLDED) && !found.contains(WRAPPED),
            "{found} {raw}"
        );
        let got = texts(raw.as_bytes());
        let got = got.first().map(|(_, text)| text.as_str());
        assert_eq!(got, Some(text), "{raw}");
    }
}

const READ: [(&str, &str); 1] = [("text/html", "zażółć")];
const PART: &str = "--b\nContent-Type: text/html; charset=iso-8859-2\nContent-Transfer-Encoding: quoted-printable\n\nza=BF=F3=B3=E6\n--b--\n";

#[test]
fn lines_of_a_content_type_without_a_blank_continue_it() {
    for (lines, body, media, want) in [
        ("text/plain;\ncharset=iso-8859-2", "=E6", "text/plain", "ć"),
        (
            "text/html;\nCharset=\"iso-8859-2\";",
            "=E6",
            "text/html",
            "ć",
        ),
        (
            "text/plain;\ncharset=iso-8859-2;\nformat=flowed",
            "=E6",
            "text/plain",
            "ć",
        ),
        (
            "text/plain;\n charset=iso-8859-2;\ndelsp=yes",
            "=E6",
            "text/plain",
            "ć",
        ),
    ] {
        let raw = format!(
            "From: a@b.example\nContent-Transfer-Encoding: quoted-printable\nContent-Type: {lines}\n\n{body}\n"
        );
        assert_read(&raw, &[(media, want)], WRAPPED);
        let raw = format!(
            "From: a@b.example\nContent-Type: {lines}\nX-Mailer: x\nContent-Transfer-Encoding: quoted-printable\n\n{body}\n"
        );
        assert_read(&raw, &[(media, want)], WRAPPED);
        let part =
            format!("Content-Type: {lines}\nContent-Transfer-Encoding: quoted-printable\n\n{body}");
        let raw = format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n{part}\n--b--\n");
        assert_read(&raw, &[(media, want)], WRAPPED);
    }
    for lines in [
        "multipart/mixed;\nboundary=\"b\"",
        "multipart/mixed;\nboundary=b;\ncharset=utf-8",
        "multipart/alternative;\nboundary=\"b\"\nTo: c@d.example",
        "multipart/related;\ntype=\"text/html\";\nboundary=\"b\"\nTo: c@d.example",
    ] {
        let raw = format!("From: a@b.example\nContent-Type: {lines}\n\npreamble\n{PART}");
        assert_read(&raw, &READ, WRAPPED);
    }
    // Nested, with the delimiter before that of the outer multipart.
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=outer\n\n--outer\nContent-Type: multipart/mixed;\nboundary=b\n\n{PART}--outer--\n"
    );
    assert_read(&raw, &READ, WRAPPED);
}

#[test]
fn other_lines_without_a_blank_stay() {
    for (lines, text) in [
        // No semicolon, another field, no known charset, no delimiter, no multipart.
        (
            "Content-Type: text/plain\ncharset=utf-8",
            "charset=utf-8\n\nbody\n--c",
        ),
        (
            "Subject: text;\ncharset=utf-8",
            "charset=utf-8\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\nX-Mailer: y;\ncharset=utf-8",
            "charset=utf-8\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\ncharset=foo-9",
            "charset=foo-9\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\nboundary=c",
            "boundary=c\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\nname=\"x\"",
            "name=\"x\"\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\ncharset= utf-8",
            "charset= utf-8\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\ncharset=utf-8 and more",
            "charset=utf-8 and more\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\ncharset=\"utf-8",
            "charset=\"utf-8\n\nbody\n--c",
        ),
        // Text begins here: the lines do not end with an empty line or field.
        (
            "Content-Type: text/plain;\ncharset=utf-8\nis a label",
            "charset=utf-8\nis a label\n\nbody\n--c",
        ),
        (
            "Content-Type: text/plain;\nname=\"x;\nformat=flowed\"",
            "name=\"x;\nformat=flowed\"\n\nbody\n--c",
        ),
    ] {
        assert_unread(&format!("From: a@b.example\n{lines}\n\nbody\n--c\n"), text);
    }
    // The delimiter stands behind that of the outer multipart, or in its preamble.
    for (preamble, behind) in [("", "--b\n\ny\n--b--\n"), ("--b\n\ny\n--b--\n", "")] {
        let raw = format!(
            "Content-Type: multipart/mixed; boundary=outer\n\n{preamble}--outer\nContent-Type: multipart/mixed;\nboundary=b\n\nx\n--outer\n\ntext\n{behind}--outer--\n"
        );
        let found = checked(raw.as_bytes());
        assert!(!found.contains(WRAPPED), "{found} {raw}");
    }
}

#[test]
fn fields_behind_a_blank_are_read_if_the_body_proves_them() {
    let quoted = "za=BF=F3=B3=E6\n";
    let type_and_encoding = " Content-Type: text/html; charset=iso-8859-2\n Content-Transfer-Encoding: quoted-printable\n";
    for around in [
        "From: a@b.example",
        "From: \"A, (B)\" <a@b.example> (c)\n Reply-To: c@d.example",
        "MIME-Version: 1.0",
        "From: a@b.example\n MIME-Version: 1.0",
        "Date: Thu, 15 Dec 2016 15:05:19 +0000\n Message-ID: <a@b.example>",
    ] {
        let raw = format!("To: a@b.example\n{around}\n{type_and_encoding}\n{quoted}");
        let raw = raw.replace("To: a@b.example\nFrom", "Subject: x\nFrom");
        assert_read(&raw, &READ, FOLDED);
        let raw = format!("Subject: x\n{around}\n{type_and_encoding} X-Mailer: PHP\n\n{quoted}");
        assert_read(&raw, &READ, FOLDED);
        for multipart in [
            "mixed;boundary=b",
            "alternative;\n\tboundary=\"b\";\n charset=utf-8",
        ] {
            let raw = format!(
                "{around}\n Content-Type: multipart/{multipart}\nSubject: x\n\npreamble\n{PART}"
            );
            assert_read(&raw, &READ, FOLDED);
        }
        let raw =
            format!("{around}\n Content-Transfer-Encoding: base64\n\nR3LDvMOfZSBhdXMgS8O2bG4K\n");
        assert_read(&raw, &[("text/plain", "Grüße aus Köln")], FOLDED);
        let raw =
            format!("{around}\n Content-type: text/html; charset=utf-8\n\n<html><p>ü</p></html>\n");
        assert_read(&raw, &[("text/html", "<html><p>ü</p></html>")], FOLDED);
    }
    let raw =
        b"From: a@b.example\n Reply-To: c@d.example\n\tContent-Type: text/html\n\n<html></html>\n";
    let want =
        "From: a@b.example\nReply-To: c@d.example\nContent-Type: text/html\n\n<html></html>\n";
    let bytes = process(raw, &Policy::default()).bytes;
    assert_eq!(
        bytes.escape_ascii().to_string(),
        want.as_bytes().escape_ascii().to_string()
    );
}

#[test]
fn text_that_resembles_a_field_stays() {
    let folded = "Content-Type: multipart/mixed; boundary=b";
    for header in [
        // Fields with free text, a trace, a signature.
        format!("Subject: About the field\n {folded}"),
        format!("Comments: x\n MIME-Version: 1.0\n {folded}"),
        format!("Received: from x\n {folded}"),
        format!("X-Mailer: y\n {folded}"),
        format!("DKIM-Signature: v=1; h=From:\n {folded}"),
        format!("From: a@b.example\n Subject: x\n {folded}"),
        format!("References: <a@b.example>\n {folded}"),
        // A display name, a quoted string, a comment, a list, an empty value.
        format!("From: {folded} <a@b.example>"),
        format!("From: A\n {folded} <a@b.example>"),
        format!("From: \"A\n {folded}\" <a@b.example>"),
        format!("From: a@b.example (A\n {folded})"),
        format!("To: a@b.example,\n {folded}"),
        format!("To:\n {folded}"),
        // Own fields, repeated fields, two fields around.
        format!("From: a@b.example\n {folded}\nContent-Type: text/plain"),
        format!("From: a@b.example\n {folded}\nContent-Transfer-Encoding: 8bit"),
        format!("From: a@b.example\n {folded}\n {folded}"),
        format!("From: a@b.example\n From: c@d.example\n {folded}"),
        format!("From: a@b.example\n {folded}\nTo: c@d.example\n {folded}"),
        format!("From: a@b.example\n Content-Length: 20\n {folded}"),
        // No valid value, another boundary, a form that the body disproves.
        "From: a@b.example\n Content-Type: multipart/mixed; boundary=c".to_owned(),
        "From: a@b.example\n Content-Type: multipart/mixed".to_owned(),
        format!("From: a@b.example\n {folded} or so"),
        format!("From: a@b.example\n {folded}; charset=foo-9"),
        format!("From: a@b.example\n {folded}\n Content-Transfer-Encoding: base64"),
        "From: a@b.example\n Content-Type: text/html".to_owned(),
        "From: a@b.example\n Content-Type: text/plain; charset=koi8-r".to_owned(),
        "From: a@b.example\n Content-Type: message/rfc822".to_owned(),
        "From: a@b.example\n Content-Transfer-Encoding: base64".to_owned(),
        "From: a@b.example\n Content-Transfer-Encoding: unknown".to_owned(),
    ] {
        let raw = format!("{header}\n\n{PART}");
        let found = checked(raw.as_bytes());
        assert!(!found.contains(FOLDED), "{found} {raw}");
    }
    // No header of a part behind the first delimiter, no closing delimiter, the closing one first.
    for body in [
        "--b\n\ntext\n--b--\n",
        "--b\nContent-Type: text/plain\n\ntext\n--b\n",
        "--b--\n--b\nContent-Type: text/plain\n\ntext\n",
        "> --b\n> Content-Type: text/plain\n> --b--\n",
    ] {
        let raw = format!("From: a@b.example\n {folded}\n\n{body}");
        let found = checked(raw.as_bytes());
        assert!(!found.contains(FOLDED), "{found} {raw}");
    }
    // Parts and embedded messages.
    for outer in ["message/rfc822", "text/plain"] {
        let raw = format!(
            "Content-Type: multipart/mixed; boundary=outer\n\n--outer\nContent-Type: {outer}\n\nFrom: a@b.example\n {folded}\n\n{PART}--outer--\n"
        );
        let found = checked(raw.as_bytes());
        assert!(!found.contains(FOLDED), "{found} {raw}");
    }
}

#[test]
fn the_first_of_repeated_fields_counts_and_the_others_go_with_the_rewriting() {
    let head = "From: a@b.example\nContent-Type: text/plain; charset=iso-8859-1\n";
    let again = "Content-Type: text/plain; charset=iso-8859-2; name=\"=?utf-8?Q?=C3=A9?=\"\n";
    let encodings = "Content-Transfer-Encoding: 8bit\nX: y\nContent-Transfer-Encoding: base64\n";
    let raw = format!("{head}{again}{encodings}\nGr\u{fc}\u{df}e\n");
    let raw: Vec<u8> = raw.chars().map(|c| c as u8).collect();
    assert_eq!(texts(&raw), [("text/plain".to_owned(), "Grüße".to_owned())]);
    let found = checked(&raw);
    assert_eq!(found.matches("hdr.duplicate").count(), 2, "{found}");
    let bytes = process(&raw, &Policy::default()).bytes;
    let want = "From: a@b.example\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\nX: y\n\nGrüße\n";
    assert_eq!(String::from_utf8_lossy(&bytes), want);
    // Without another change they stay.
    let raw = format!("{head}{again}{encodings}\nGrue\n").replace("=?utf-8?Q?=C3=A9?=", "x");
    assert_eq!(
        *process(raw.as_bytes(), &Policy::default()).bytes,
        *raw.as_bytes()
    );
    let of_part = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n{head}{again}\nf\u{fc}r\n--b--\n"
    );
    let raw: Vec<u8> = of_part.chars().map(|c| c as u8).collect();
    checked(&raw);
    let bytes = process(&raw, &Policy::default()).bytes;
    assert_eq!(
        String::from_utf8_lossy(&bytes).matches("charset").count(),
        1
    );
}
