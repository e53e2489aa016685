//! Bytes in text parts that mean something beside the text that they are read as: they come out as they were.

#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use mailglot_mime::{Eol, Limits, Message, Policy, Report, Transfer, process, text_parts};

const TRANSFERS: [Transfer; 4] = [
    Transfer::EightBit,
    Transfer::SevenBit,
    Transfer::Keep,
    Transfer::Clean,
];

/// A message of one part with these fields, in lines that end so.
fn message(fields: &str, body: &[u8], eol: Eol) -> Vec<u8> {
    let head = format!("From: a@b.example\nMIME-Version: 1.0\n{fields}\n\n");
    let eol = std::str::from_utf8(eol.bytes()).unwrap();
    [head.replace('\n', eol).as_bytes(), body].concat()
}

/// A message that stays whatever is asked for, and what is told of it.
fn stays(raw: &[u8]) -> Vec<(&'static str, String)> {
    let mut told = Vec::new();
    for transfer in TRANSFERS {
        let outcome = process(raw, &Policy::default().transfer(transfer));
        assert_eq!(*outcome.bytes, *raw, "{transfer:?}: {}", raw.escape_ascii());
        told = outcome
            .report
            .events
            .iter()
            .map(|e| (e.kind.code(), e.detail.to_string()))
            .collect();
    }
    told
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .encode(bytes)
        .into_bytes()
}

#[test]
fn files_of_other_kinds_stay() {
    let mut state = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(700)
    .collect();
    let kinds: [(&[u8], &str); 7] = [
        (b"PK\x03\x04\x14\0\0\0\x08\0", "a zip archive"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "compressed with gzip"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "a picture (PNG)"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a picture (JPEG)"),
        (b"GIF89a\x01\0\x01\0\x80", "a picture (GIF)"),
        (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "a document (PDF)"),
        (b"", "data with many control characters"),
    ];
    for (start, kind) in kinds {
        for label in [
            "",
            "; charset=us-ascii",
            "; charset=iso-8859-1",
            "; charset=utf-8",
            "; charset=koi8-r",
        ] {
            let fields = format!(
                "Content-Type: text/plain; name=\"a.bin\"{label}\nContent-Transfer-Encoding: base64"
            );
            for (length, eol) in [(90, Eol::Lf), (700, Eol::Lf), (700, Eol::CrLf)] {
                if start.is_empty() && length < 700 {
                    continue;
                }
                let raw = message(&fields, &base64(&[start, &noise[..length]].concat()), eol);
                let told = stays(&raw);
                assert!(
                    told.contains(&("mime.not-text", kind.to_owned())),
                    "{kind} {label}: {told:?}"
                );
            }
        }
    }
}

#[test]
fn carriage_returns_that_are_data_stay() {
    let (plain, base) = (
        " one\r\n-two\r\n+zwei\n",
        base64(b" one\r\n-two\r\n+zwei\n"),
    );
    let quoted =
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable";
    stays(&message(quoted, b" one=0D\n-two=0D\n+zwei\n", Eol::Lf));
    let encoded = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64";
    stays(&message(encoded, &base, Eol::Lf));
    stays(&message(encoded, &base, Eol::CrLf));
    // In another charset the text changes, and nothing else.
    let latin = plain.replace("zwei", "zw\u{f6}lf");
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let fields = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64";
    for eol in [Eol::Lf, Eol::CrLf] {
        for transfer in TRANSFERS {
            let raw = message(fields, &base64(&bytes), eol);
            let outcome = process(&raw, &Policy::default().transfer(transfer));
            let out = String::from_utf8(outcome.bytes.into_owned())
                .unwrap()
                .replace("\r\n", "\n");
            let (head, body) = out.split_once("\n\n").unwrap();
            assert!(head.contains("charset=utf-8"), "{out}");
            if head.contains("base64") {
                assert_eq!(
                    body.replace('\n', "").as_bytes(),
                    base64(latin.as_bytes()),
                    "{out}"
                );
            } else {
                let lines = if eol == Eol::Lf {
                    " one=0D=0A=\n-two=0D=0A=\n+zw=C3=B6lf\n"
                } else {
                    " one\n-two\n+zw=C3=B6lf=0A=\n"
                };
                assert_eq!(body, lines, "{eol:?} {transfer:?}: {out}");
            }
        }
    }
    // So do escaped ones in lines that end in LF alone.
    let fields =
        "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable";
    let raw = message(fields, b"=E9t=E9=0D\n=E9=E9=E9=E9\n", Eol::Lf);
    let out = process(&raw, &Policy::default().transfer(Transfer::SevenBit))
        .bytes
        .into_owned();
    assert!(
        out.ends_with(b"=0D=0A=\n=C3=A9=C3=A9=C3=A9=C3=A9\n"),
        "{}",
        out.escape_ascii()
    );
    // Line ends of one form are line ends.
    let raw = message(encoded, &base64(b"one\r\ntwo\r\n"), Eol::Lf);
    assert!(
        process(&raw, &Policy::default())
            .bytes
            .ends_with(b"7bit\n\none\ntwo\n")
    );
}

#[test]
fn encoded_blocks_stay_where_ascii_is_not_ascii() {
    let block = "begin 644 a.bin\n%[$\\]^@_A\n`\nend\n";
    let text = format!("hej\n{block}");
    for label in [
        "sen_850200_b",
        "din_66003",
        "iso-646-fr",
        "ns_4551-1",
        "jis_x0201",
        "utf-7",
    ] {
        let fields =
            format!("Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 7bit");
        let told = stays(&message(&fields, text.as_bytes(), Eol::Lf));
        assert!(
            told.iter().any(|(code, _)| *code == "cte.uuencode"),
            "{label}: {told:?}"
        );
    }
    // Where it comes out as it was, the text around it is written anew.
    let raw = message(
        "Content-Type: text/plain; charset=iso-8859-1",
        format!("p\n{block}").as_bytes(),
        Eol::Lf,
    );
    let raw: Vec<u8> = raw
        .iter()
        .map(|b| if *b == b'p' { 0xE9 } else { *b })
        .collect();
    let out = process(&raw, &Policy::default()).bytes.into_owned();
    assert!(
        out.ends_with(format!("\n\u{e9}\n{block}").as_bytes()),
        "{}",
        out.escape_ascii()
    );
}

#[test]
fn names_of_encoded_blocks_are_text() {
    let name = "\u{43e}\u{442}\u{447}\u{435}\u{442}.doc";
    let text = format!("Добрый день\nbegin 644 {name}\n%[$\\]^@_A\n`\nend\n");
    let koi8 = mailglot_codec::Charset::KOI8_R.encode_exact(&text).unwrap();
    for eol in [Eol::Lf, Eol::CrLf] {
        let eol_text = std::str::from_utf8(eol.bytes()).unwrap();
        let body: Vec<u8> = koi8
            .split_inclusive(|byte| *byte == b'\n')
            .flat_map(|line| [&line[..line.len() - 1], eol.bytes()].concat())
            .collect();
        let raw = message("Content-Type: text/plain; charset=koi8-r", &body, eol);
        for transfer in TRANSFERS {
            let policy = Policy::default().transfer(transfer);
            let outcome = process(&raw, &policy);
            let told = outcome.report.events.iter().map(|event| event.kind.code());
            assert!(told.into_iter().any(|code| code == "cte.uuencode"));
            let read = Message::parse(&outcome.bytes, &Limits::default());
            let parts = text_parts(&read, &policy, &mut Report::default());
            assert_eq!(parts[0].text.replace("\r\n", "\n"), text);
            assert_eq!(parts[0].reading.declared.as_deref(), Some("utf-8"));
            assert!(process(&outcome.bytes, &policy).edits.is_empty());
            let undo = mailglot_mime::undo_edits(&raw, &outcome.edits);
            let undone = mailglot_mime::apply_undo(&outcome.bytes, &undo);
            assert_eq!(undone.as_deref(), Some(&raw[..]));
        }
        let out = process(&raw, &Policy::default()).bytes.into_owned();
        let lines = text.replace('\n', eol_text);
        assert!(out.ends_with(lines.as_bytes()), "{}", out.escape_ascii());
    }
}

#[test]
fn binary_blocks_tell_nothing_of_the_text_around_them() {
    let data: Vec<u8> = (1..=255_u8)
        .filter(|b| !b"\r\n=".contains(b))
        .cycle()
        .take(600)
        .collect();
    let block = [
        b"=ybegin line=128 size=600 name=a\n",
        data.as_slice(),
        b"\n=yend size=600\n",
    ]
    .concat();
    for (label, text) in [
        ("utf-8", "Schöne Grüße\n".as_bytes()),
        ("iso-8859-1", b"Sch\xf6ne Gr\xfc\xdfe\n"),
        ("us-ascii", b"nothing more\n"),
        ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4\n"),
    ] {
        let fields =
            format!("Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit");
        let raw = message(&fields, &[text, &block].concat(), Eol::Lf);
        let read = Message::parse(&raw, &Limits::default());
        let parts = text_parts(&read, &Policy::default(), &mut Report::default());
        let first = parts[0].text.lines().next();
        let alone = message(&fields, text, Eol::Lf);
        let alone = Message::parse(&alone, &Limits::default());
        let want = text_parts(&alone, &Policy::default(), &mut Report::default());
        assert!(first.is_some());
        assert_eq!(first, want[0].text.lines().next(), "{label}");
        stays(&raw);
    }
}

#[test]
fn documents_that_name_a_charset_of_their_own_stay() {
    let unsettled = |fields: &str, body: &[u8]| {
        let told = stays(&message(fields, body, Eol::Lf));
        assert!(
            told.iter().any(|(code, _)| *code == "mime.unsettled"),
            "{fields}: {told:?}"
        );
    };
    unsettled(
        "Content-Type: text/rtf",
        b"{\\rtf1\\ansi\\ansicpg1251 \xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0}\n",
    );
    let card = b"BEGIN:VCARD\nVERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:=CF=F0=E8\nORG:\xcf\xf0\xe8\xe2\xe5\xf2\nEND:VCARD\n";
    unsettled("Content-Type: text/x-vcard; charset=windows-1251", card);
    // The old form of the parameter.
    let card = b"BEGIN:VCARD\nVERSION:2.1\nN;QUOTED-PRINTABLE:M=FCller\nORG:K\xf6ln\nEND:VCARD\n";
    unsettled("Content-Type: text/x-vcard; charset=iso-8859-1", card);
    // What names its charset is not touched, and what is ASCII cannot be wrong.
    for property in [
        "FN;CHARSET=koi8-r;ENCODING=QUOTED-PRINTABLE:=CF",
        "FN;ENCODING=QUOTED-PRINTABLE:a=20b",
    ] {
        let card = [
            b"BEGIN:VCARD\n",
            property.as_bytes(),
            b"\nORG:K\xf6ln\nEND:VCARD\n",
        ]
        .concat();
        let raw = message(
            "Content-Type: text/x-vcard; charset=iso-8859-1",
            &card,
            Eol::Lf,
        );
        let out = String::from_utf8(process(&raw, &Policy::default()).bytes.into_owned()).unwrap();
        assert!(
            out.contains("ORG:K\u{f6}ln") && out.contains(property),
            "{out}"
        );
    }
}

#[test]
fn armour_in_wide_characters_is_armour() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    let text = "hallo\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\ngr\u{fc}n\n-----BEGIN PGP SIGNATURE-----\n";
    let fields = "Content-Type: text/plain; charset=utf-16be\nContent-Transfer-Encoding: base64";
    let told = stays(&message(fields, &base64(&wide(text)), Eol::Lf));
    assert!(
        told.contains(&("mime.signed-untouched", "inline PGP".to_owned())),
        "{told:?}"
    );
}

#[test]
fn dispositions_that_nobody_knows_are_those_of_attachments() {
    for disposition in [
        "x-file; filename=a.txt",
        "filename=a.txt; attachment",
        "ATTACHMENT",
        "(x) attachment",
    ] {
        let fields = format!(
            "Content-Type: text/plain; charset=koi8-r\nContent-Disposition: {disposition}\nContent-Transfer-Encoding: 8bit"
        );
        let raw = message(&fields, b"\xf0\xd2\xc9\xd7\xc5\xd4\n", Eol::Lf);
        let outcome = process(&raw, &Policy::default());
        assert_eq!(*outcome.bytes, *raw, "{disposition}");
        let told = outcome.report.events.iter();
        assert!(
            told.clone()
                .any(|event| event.kind.code() == "mime.attachment-untouched"),
            "{disposition}: {told:?}"
        );
    }
    for disposition in [
        "inline; filename=a.txt",
        "Inline",
        "",
        "inline filename=a.txt",
    ] {
        let fields =
            format!("Content-Type: text/plain; charset=koi8-r\nContent-Disposition: {disposition}");
        let out = process(
            &message(&fields, b"\xf0\xd2\n", Eol::Lf),
            &Policy::default(),
        )
        .bytes
        .into_owned();
        assert!(
            out.ends_with("\u{41f}\u{440}\n".as_bytes()),
            "{disposition}"
        );
    }
}

#[test]
fn what_has_no_header_stays_and_is_told() {
    let told = stays(b"\n\xe9t\xe9 caf\xe9\n");
    assert!(
        told.iter().any(|(code, _)| *code == "mime.unsettled"),
        "{told:?}"
    );
    assert_eq!(
        stays("\n\u{e9}t\u{e9}\n".as_bytes())
            .iter()
            .filter(|(code, _)| *code == "mime.unsettled")
            .count(),
        1
    );
    assert_eq!(stays(b"\nabc\n"), []);
}

#[test]
fn a_last_line_without_an_end_gets_none() {
    for eol in [Eol::Lf, Eol::CrLf] {
        let end = std::str::from_utf8(eol.bytes()).unwrap();
        for (label, body) in [
            ("iso-8859-1", "caf=E9="),
            ("utf-16le", "c=00a=00f=00=E9=00="),
        ] {
            let fields = format!(
                "Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: quoted-printable"
            );
            let raw = message(&fields, [body, end].concat().as_bytes(), eol);
            for transfer in [Transfer::SevenBit, Transfer::Keep, Transfer::Clean] {
                let outcome = process(&raw, &Policy::default().transfer(transfer));
                let out = String::from_utf8(outcome.bytes.into_owned()).unwrap();
                assert!(
                    out.ends_with(&format!("{end}{end}caf=C3=A9={end}")),
                    "{transfer:?}: {out:?}"
                );
                let again = process(out.as_bytes(), &Policy::default().transfer(transfer));
                assert_eq!(*again.bytes, *out.as_bytes());
            }
        }
    }
}
