//! ISO-2022-JP without words in the names of files: every character, those too whose bytes are a quote or a backslash.

use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{Policy, process};

/// Codes of JIS X 0208 with a quote or a backslash in them, and their neighbors.
fn codes() -> impl Iterator<Item = [u8; 2]> {
    let kanji =
        (0x30..=0x4E_u8).flat_map(|row| [0x21, 0x22, 0x5B, 0x5C, 0x5D].map(|cell| [row, cell]));
    let first = [0x22, 0x5C]
        .into_iter()
        .flat_map(|row| [0x21, 0x22, 0x5C, 0x7E].map(|cell| [row, cell]));
    kanji.chain(first)
}

fn name(code: [u8; 2]) -> Option<(Vec<u8>, String)> {
    let bytes = [b"\x1b$B;q", &code[..], b"NA\x1b(B.txt"].concat();
    let charset = mailglot_codec::Charset::ISO_2022_JP;
    let mut log = mailglot_codec::LossLog::new();
    let text = charset.decode(&bytes, &mut log).into_owned();
    (log.losses() == 0).then_some((bytes, text))
}

/// The decoded value of a field with parameters, and the codes of its findings.
fn decoded(value: &[u8]) -> (String, Vec<&'static str>) {
    let mut findings = Vec::new();
    let context = HeaderContext::default();
    let text = decode(value, FieldKind::Parameters, &context, &mut findings).into_owned();
    let codes = findings.iter().map(|finding| finding.kind.code()).collect();
    (text, codes)
}

#[test]
fn names_with_any_character_are_read() {
    let mut all = 0;
    for (bytes, text) in codes().filter_map(name) {
        for after in ["", "; size=5", " ; x=\"a\\\"b\""] {
            let value = [
                b"attachment; filename=\"",
                &bytes[..],
                b"\"",
                after.as_bytes(),
            ]
            .concat();
            let (read, codes) = decoded(&value);
            let want = format!("attachment; filename=\"{text}\"");
            let rest = match after {
                "" => "",
                "; size=5" => "; size=5",
                _ => "; x=\"a\\\"b\"",
            };
            assert_eq!(read, want + rest, "{}", value.escape_ascii());
            assert_eq!(codes, ["charset.detected"], "{}", value.escape_ascii());
            let raw = [
                b"MIME-Version: 1.0\nContent-Disposition: ",
                &value[..],
                b"\n\nx\n",
            ]
            .concat();
            let out = process(&raw, &Policy::default());
            assert!(
                out.bytes.is_ascii() && !out.bytes.contains(&0x1B),
                "{}",
                out.bytes.escape_ascii()
            );
            assert_eq!(process(&out.bytes, &Policy::default()).bytes, out.bytes);
        }
        all += 1;
    }
    assert!(all > 130, "{all}");
}

/// Without quotes, bytes of characters may be those of semicolons and parentheses.
#[test]
fn names_without_quotes_are_read() {
    let every = (0x21..=0x4F_u8).flat_map(|row| (0x21..=0x7E).map(move |cell| [row, cell]));
    let mut all = 0;
    for (bytes, text) in every.filter_map(name) {
        let value = [b"attachment; filename=", &bytes[..], b"; size=5"].concat();
        let (read, codes) = decoded(&value);
        let want = format!("attachment; filename=\"{text}\"; size=5");
        assert_eq!(read, want, "{}", value.escape_ascii());
        let unquoted = ["param.unquoted", "charset.detected"];
        assert_eq!(codes, unquoted, "{}", value.escape_ascii());
        all += 1;
    }
    assert!(all > 3_000, "{all}");
}

/// What other readers see as a further parameter is no part of a name.
#[test]
fn no_parameter_is_hidden() {
    for value in [
        &b"attachment; filename=\"\x1b$B;q\";filename=\"badd\x1b(B\""[..],
        b"attachment; filename=\x1b$B;q;filename=badd\x1b(B",
    ] {
        let (read, _) = decoded(value);
        assert!(!read.contains('資'), "{read}");
    }
    // The same characters without such a parameter.
    let (read, _) = decoded(b"attachment; filename=\x1b$B;q;fjlename=badd\x1b(B");
    assert!(read.contains('資'), "{read}");
}

/// In address fields the bytes of characters may be those of quotes, separators, angles and `@`.
#[test]
fn names_of_mailboxes_are_read() {
    let every = (0x21..=0x4F_u8).flat_map(|row| (0x21..=0x7E).map(move |cell| [row, cell]));
    let mut all = 0;
    for (bytes, text) in every.filter_map(name) {
        let (bytes, text) = (&bytes[..bytes.len() - 4], text.trim_end_matches(".txt"));
        if text.contains(char::is_whitespace) {
            continue;
        }
        for (before, after) in [
            ("", " <a@b.example>"),
            ("\"", "\" <a@b.example>"),
            ("(", ") <a@b.example>"),
        ] {
            let list = b", \"B, C\" <c@d.example>\r\n (x), e@f.example";
            let value = [before.as_bytes(), bytes, after.as_bytes(), list].concat();
            let context = HeaderContext::default();
            let names = |value: &[u8]| {
                let list = mailglot_mime::fields::addresses(value, &context, &mut Vec::new());
                let shown = list.into_iter().map(|entry| match entry {
                    mailglot_mime::fields::Entry::Mailbox(m) => {
                        (m.name.unwrap_or_default() + &m.comments.concat(), m.address)
                    }
                    mailglot_mime::fields::Entry::Group { name, .. } => (name, "a group".into()),
                });
                shown.collect::<Vec<_>>()
            };
            let want = [
                (text, "a@b.example"),
                ("B, Cx", "c@d.example"),
                ("", "e@f.example"),
            ];
            let want = want.map(|(name, address)| (name.to_owned(), address.to_owned()));
            assert_eq!(names(&value), want, "{}", value.escape_ascii());
            let raw = [b"MIME-Version: 1.0\nTo: ", &value[..], b"\n\nx\n"].concat();
            let out = process(&raw, &Policy::default());
            assert!(!out.bytes.contains(&0x1B), "{}", out.bytes.escape_ascii());
            let end = out.bytes.len() - 3;
            assert_eq!(
                names(&out.bytes[22..end]),
                want,
                "{}",
                out.bytes.escape_ascii()
            );
            assert_eq!(process(&out.bytes, &Policy::default()).bytes, out.bytes);
        }
        all += 1;
    }
    assert!(all > 3_000, "{all}");
}

/// What other readers see as an address in angles is not hidden.
#[test]
fn no_address_is_hidden() {
    let value = b"\x1b$B<a@b.c>>\x1b(B <x@y.example>";
    let list = mailglot_mime::fields::addresses(value, &HeaderContext::default(), &mut Vec::new());
    let shown = format!("{list:?}");
    assert!(shown.contains("a@b.c"), "{shown}");
    let raw = [b"From: ", &value[..], b"\n\nx\n"].concat();
    assert_eq!(process(&raw, &Policy::default()).bytes, &raw[..]);
}
