//! Line ends of decoded text are data (law 11).

use super::{codes, keeps_the_laws};
use base64::Engine as _;
use mailglot_codec::{Charset, View};
use mailglot_mime::{
    Attachments, Bodies, Eol, Headers, Limits, Message, Policy, Report, Transfer, process,
    text_parts,
};

const TRANSFERS: [Transfer; 4] = [
    Transfer::EightBit,
    Transfer::SevenBit,
    Transfer::Keep,
    Transfer::Clean,
];

fn message(charset: &str, transfer: &str, body: &[u8], eol: Eol) -> Vec<u8> {
    let head = format!(
        "From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\n\
         Content-Transfer-Encoding: {transfer}\n\n"
    );
    let eol = std::str::from_utf8(eol.bytes()).expect("line ends are ASCII");
    [head.replace('\n', eol).as_bytes(), body].concat()
}

fn text(raw: &[u8]) -> String {
    let message = Message::parse(raw, &Limits::default());
    let parts = text_parts(&message, &Policy::default(), &mut Report::default());
    parts[0].as_str().to_owned()
}

/// Every policy gives exactly this text, line ends included.
fn reads_exactly(raw: &[u8], wanted: &str) {
    assert_eq!(text(raw), wanted, "{}", raw.escape_ascii());
    for transfer in TRANSFERS {
        for bodies in [Bodies::Utf8, Bodies::Keep] {
            let outcome = process(raw, &Policy::default().transfer(transfer).bodies(bodies));
            assert_eq!(
                text(&outcome.bytes),
                wanted,
                "{transfer:?}: {}",
                outcome.bytes.escape_ascii()
            );
        }
    }
    keeps_the_laws(raw);
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut body = base64::engine::general_purpose::STANDARD
        .encode(bytes)
        .into_bytes();
    body.push(b'\n');
    body
}

#[test]
fn escaped_line_ends_beside_plain_ones_stay() {
    for (body, wanted) in [
        // CR LF that was escaped.
        (&b"one=0D=0Atw=F6\nthree\n"[..], "one\r\ntw\u{f6}\nthree\n"),
        (b"one=0D=0A=\ntw=F6\nthree\n", "one\r\ntw\u{f6}\nthree\n"),
        (
            b"=E9=E9=E9=E9=0D=0A=E9=E9=E9\n=E9=E9=E9\n",
            "\u{e9}\u{e9}\u{e9}\u{e9}\r\n\u{e9}\u{e9}\u{e9}\n\u{e9}\u{e9}\u{e9}\n",
        ),
        // CR before a soft line break and an empty line, and before a plain line end.
        (b"one=0D=\n\ntw=F6\n", "one\r\ntw\u{f6}\n"),
        (
            b"=E9=E9=E9=0D=\n\n=E9=E9\n",
            "\u{e9}\u{e9}\u{e9}\r\n\u{e9}\u{e9}\n",
        ),
        (
            b"=E9=E9=E9=0D\n=E9=E9\n",
            "\u{e9}\u{e9}\u{e9}\r\n\u{e9}\u{e9}\n",
        ),
        // CR alone, and CR CR LF.
        (
            b"=E9=E9=E9=0D=\n=E9=E9\n",
            "\u{e9}\u{e9}\u{e9}\r\u{e9}\u{e9}\n",
        ),
        (
            b"=E9=E9=E9=0D=0D=0A=E9=E9\n",
            "\u{e9}\u{e9}\u{e9}\r\r\n\u{e9}\u{e9}\n",
        ),
        // Line ends that are escaped at the very end.
        (
            b"=E9=E9=E9\n=E9=E9=0D=0A",
            "\u{e9}\u{e9}\u{e9}\n\u{e9}\u{e9}\r\n",
        ),
        (
            b"=E9=E9=E9\n=E9=E9=0D=0A=\n",
            "\u{e9}\u{e9}\u{e9}\n\u{e9}\u{e9}\r\n",
        ),
        (
            b"=E9=E9=E9\n=E9=E9=0D=\n",
            "\u{e9}\u{e9}\u{e9}\n\u{e9}\u{e9}\r",
        ),
    ] {
        reads_exactly(
            &message("iso-8859-1", "quoted-printable", body, Eol::Lf),
            wanted,
        );
    }
    // In a message of CR LF it is the bare LF, and the bare CR.
    for (body, wanted) in [
        (
            &b"one=0Atw=F6\r\nthree\r\n"[..],
            "one\ntw\u{f6}\r\nthree\r\n",
        ),
        (b"one=0D=\r\n\r\ntw=F6\r\n", "one\r\r\ntw\u{f6}\r\n"),
        (
            b"=E9=E9=E9=0A=E9=E9\r\n",
            "\u{e9}\u{e9}\u{e9}\n\u{e9}\u{e9}\r\n",
        ),
        (b"=E9=E9\r\n=E9=E9=0A", "\u{e9}\u{e9}\r\n\u{e9}\u{e9}\n"),
    ] {
        reads_exactly(
            &message("iso-8859-1", "quoted-printable", body, Eol::CrLf),
            wanted,
        );
    }
}

#[test]
fn rows_that_end_in_cr_lf_beside_others_stay() {
    let text = "a;b\r\nc;\"\u{e9}\nf\"\r\nd;e\r\n";
    for label in [
        "iso-8859-1",
        "windows-1252",
        "utf-8",
        "utf-16",
        "utf-16le",
        "utf-7",
        "ibm437",
        "cp037",
    ] {
        let charset = Charset::for_label(label.as_bytes(), View::Mail)
            .charset()
            .unwrap();
        let bytes = charset
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned();
        for eol in [Eol::Lf, Eol::CrLf] {
            reads_exactly(&message(label, "base64", &base64(&bytes), eol), text);
        }
    }
    // Neither half of such a line end stands beside one of the message, which a transport would make CR CR LF of.
    let bytes = b"a;b\r\nc;\xe9\nd;e\r\n";
    let raw = message("iso-8859-1", "base64", &base64(bytes), Eol::Lf);
    for transfer in TRANSFERS {
        let out = process(&raw, &Policy::default().transfer(transfer))
            .bytes
            .into_owned();
        assert!(
            !out.windows(4).any(|bytes| bytes == b"=0D\n"),
            "{}",
            out.escape_ascii()
        );
    }
}

#[test]
fn line_ends_of_one_form_are_those_of_the_message() {
    let out = |raw: &[u8]| process(raw, &Policy::default()).bytes.into_owned();
    for (eol, wanted) in [
        (Eol::Lf, &b"8bit\n\n\xc3\xa9\nb\n"[..]),
        (Eol::CrLf, b"8bit\r\n\r\n\xc3\xa9\r\nb\r\n"),
    ] {
        for text in [&b"\xe9\r\nb\r\n"[..], b"\xe9\nb\n"] {
            assert!(out(&message("iso-8859-1", "base64", &base64(text), eol)).ends_with(wanted));
        }
    }
    assert!(
        out(&message(
            "iso-8859-1",
            "quoted-printable",
            b"=E9=0D=0Ab=0D=0A=\n",
            Eol::Lf
        ))
        .ends_with(b"8bit\n\n\xc3\xa9\nb\n")
    );
}

/// Bytes of CR and LF within other characters are no line ends.
#[test]
fn bytes_of_other_charsets_get_no_line_ends() {
    let text = "one\n\u{a0a}\u{d0d}\ntwo\n";
    for label in ["utf-16", "utf-16le", "utf-32", "cp1026", "scsu"] {
        let charset = Charset::for_label(label.as_bytes(), View::Mail)
            .charset()
            .unwrap();
        let text = if label == "cp1026" {
            "one\ntwo\u{8e}\n"
        } else {
            text
        };
        let bytes = charset
            .encode_exact(text)
            .expect("the charset has every character")
            .into_owned();
        for (transfer, body) in [("8bit", bytes.clone()), ("base64", base64(&bytes))] {
            for eol in [Eol::Lf, Eol::CrLf] {
                let raw = message(label, transfer, &body, eol);
                for to in TRANSFERS {
                    let policy = Policy::default().transfer(to).bodies(Bodies::Keep);
                    let out = process(&raw, &policy).bytes.into_owned();
                    let lines = |raw: &[u8]| self::text(raw).replace("\r\n", "\n");
                    assert_eq!(
                        lines(&out),
                        lines(&raw),
                        "{label} {to:?}: {}",
                        out.escape_ascii()
                    );
                    assert!(process(&out, &policy).edits.is_empty());
                }
            }
        }
    }
    // Bytes of a line end that are another character in the charset of the label.
    let raw = message("cp1026", "base64", b"\n", Eol::CrLf);
    assert_eq!(process(&raw, &Policy::default()).bytes, raw);
}

/// An LF would end the search for line ends of CR alone, and the header with it.
#[test]
fn messages_of_bare_cr_get_no_lf() {
    for (charset, transfer, body) in [
        ("cp1026", "8bit", &b"%%\xa3\xa6\x96%\r"[..]),
        ("iso-2022-kr", "7bit", b"\x1b$)C\r\r\n--b\n"),
        ("utf-16", "8bit", b"\xfe\xff\0\n\0o\0\r\0"),
    ] {
        let raw = message(charset, transfer, body, Eol::Cr);
        let wanted = text(&raw);
        reads_exactly(&raw, &wanted);
    }
}

#[test]
fn a_footer_has_the_line_ends_of_the_text_before_it() {
    let mut body = base64(b"Gr\xfc\xdfe\r\nan alle\r\n");
    body.extend_from_slice(b"_______________\nA list of people\nhttp://example.org/\n");
    let raw = message("iso-8859-1", "base64", &body, Eol::Lf);
    let wanted = "Gr\u{fc}\u{df}e\r\nan alle\r\n_______________\r\nA list of people\r\nhttp://example.org/\r\n";
    assert_eq!(text(&raw), wanted);
    assert_eq!(
        text(&process(&raw, &Policy::default()).bytes),
        wanted.replace("\r\n", "\n")
    );
    keeps_the_laws(&raw);
}

#[test]
fn a_line_end_that_is_added_is_reported() {
    let raw = message(
        "utf-8",
        "base64",
        &base64("\u{fc}\r\n\u{fc}".as_bytes()),
        Eol::Lf,
    );
    assert!(codes(&raw).contains(&"cte.line-end-added"));
    assert_eq!(
        text(&process(&raw, &Policy::default()).bytes),
        "\u{fc}\n\u{fc}\n"
    );
    let policy = Policy::default()
        .attachments(Attachments::Utf8)
        .transfer(Transfer::Keep);
    assert_eq!(process(&raw, &policy).bytes, raw);
}

#[test]
fn bytes_that_stay_under_a_label_without_ascii_settle_in_one_pass() {
    // The subject names the charset that is guessed for bytes that the label lacks; after the pass it is UTF-8.
    for label in ["iso-2022-jp", "hz-gb-2312", "utf-7", "x-unknown", "cp037"] {
        for (encoding, body) in [
            ("quoted-printable", &b"a;b From =\nhere\n=81=\n"[..]),
            ("base64", b"R3L8324NCoANCkZyb20gaGVyZQ0K\n"),
            ("base64", b"xpmWlECIhZmFQJaVgV6CXoNvb28lJUyUhaOBQIOIgZmihaN+\n"),
            ("base64", b"R3L832VjYWbpIOAgbGEgY2FydGUJDQqADQpGcm9tIGhlcmUgb24NCg==\n_____________\nA list\n"),
        ] {
            let head = format!(
                "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset={label}\n\
                 Content-Transfer-Encoding: {encoding}\n\n"
            );
            let raw = [head.as_bytes(), body].concat();
            for headers in [Headers::Keep, Headers::Words, Headers::RawUtf8] {
                for transfer in TRANSFERS {
                    let policy = Policy::default().bodies(Bodies::Keep).headers(headers).transfer(transfer);
                    let once = process(&raw, &policy).bytes;
                    let twice = process(&once, &policy).bytes;
                    let shown = twice.escape_ascii();
                    assert_eq!(once, twice, "{label} {encoding} {headers:?} {transfer:?} {shown}");
                }
            }
        }
    }
}
