//! Content-Type fields with lines that lost their blank. The body proves how they were meant.

#![allow(clippy::unwrap_used)]

use mailglot_mime::{
    CharsetOut, Headers, Limits, Message, Policy, Report, Transfer, process, text_parts,
};

/// The detail of the events for such lines.
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

/// Returns the codes and details of the parser's events. First checks that rewriting keeps texts and tree, ends after one pass,
/// and leaves no such line.
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
        assert!(!left.contains(WRAPPED), "{left}");
    }
    found(raw)
}

/// Checks the texts of a message in both line ends, and that it has such a line.
fn assert_read(raw: &str, want: &[(&str, &str)]) {
    for eol in ["\n", "\r\n"] {
        let raw = raw.replace('\n', eol);
        let got = texts(raw.as_bytes());
        let got: Vec<_> = got.iter().map(|(m, t)| (m.as_str(), t.as_str())).collect();
        assert_eq!(got, want, "{raw}");
        let found = checked(raw.as_bytes());
        assert!(found.contains(WRAPPED), "{found} {raw}");
    }
}

/// Checks that a message has no such line: its first text stays, without these events.
fn assert_unread(raw: &str, text: &str) {
    for eol in ["\n", "\r\n"] {
        let raw = raw.replace('\n', eol);
        let found = checked(raw.as_bytes());
        assert!(!found.contains(WRAPPED), "{found} {raw}");
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
        assert_read(&raw, &[(media, want)]);
        let raw = format!(
            "From: a@b.example\nContent-Type: {lines}\nX-Mailer: x\nContent-Transfer-Encoding: quoted-printable\n\n{body}\n"
        );
        assert_read(&raw, &[(media, want)]);
        let part =
            format!("Content-Type: {lines}\nContent-Transfer-Encoding: quoted-printable\n\n{body}");
        let raw = format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n{part}\n--b--\n");
        assert_read(&raw, &[(media, want)]);
    }
    for lines in [
        "multipart/mixed;\nboundary=\"b\"",
        "multipart/mixed;\nboundary=b;\ncharset=utf-8",
        "multipart/signed;\nboundary=b;\nmicalg=pgp-sha256;\nprotocol=\"application/pgp-signature\"",
        "multipart/alternative;\nboundary=\"b\"\nTo: c@d.example",
        "multipart/related;\ntype=\"text/html\";\nboundary=\"b\"\nTo: c@d.example",
    ] {
        let raw = format!("From: a@b.example\nContent-Type: {lines}\n\npreamble\n{PART}");
        assert_read(&raw, &READ);
    }
    // Nested, with the delimiter before that of the outer multipart.
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=outer\n\n--outer\nContent-Type: multipart/mixed;\nboundary=b\n\n{PART}--outer--\n"
    );
    assert_read(&raw, &READ);
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

/// Each loss counts, also those beyond the limit of a list of losses. A body counts alike.
#[test]
fn all_losses_of_words_count() {
    for bad in [1, 63, 64, 65, 150, 1_000] {
        let word = format!("=?utf-8?Q?{}?=", "=C3=A4=C3=B6=E2=82x".repeat(bad));
        let body = "=C3=A4=C3=B6=E2=82x".repeat(bad);
        let raw = format!(
            "Subject: {word}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: \
             quoted-printable\n\n{body}\n"
        );
        let report = process(raw.as_bytes(), &Policy::default()).report;
        let of_part = |is_header: bool| -> u64 {
            let start = raw.find("\n\n").unwrap();
            let events = report.events.iter();
            let lost = events.filter(|event| event.kind.code() == "charset.invalid-bytes");
            lost.filter(|event| (event.at.start < start) == is_header)
                .map(|event| event.count)
                .sum()
        };
        let bad = bad as u64;
        assert_eq!((of_part(true), of_part(false)), (bad, bad));
    }
}
