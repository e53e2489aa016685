//! Tests of raw file names in parameters.

use crate::{CHARSETS, Writer, known, rewritten};
use mailglot_mime::encoded_word::{Form, HeaderContext};
use mailglot_mime::header::FieldKind;
use mailglot_mime::params;

#[test]
fn raw_names_of_files_keep_to_their_parameter() {
    let mut halves = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 13);
        for round in 0..2_000 {
            let name = writer.name() + *writer.random.pick(&["", "", ".xls", " 1.txt"]);
            let last = *writer.random.pick(&[
                "; size=12",
                "; creation-date=\"Mon, 01 Jan 2001 00:00:00 +0000\"; size=12",
                "",
            ]);
            let value = [
                b"attachment; filename=",
                &*writer.quoted(&name),
                last.as_bytes(),
            ]
            .concat();
            halves += usize::from(
                value
                    .windows(2)
                    .any(|pair| pair[0] >= 0x80 && pair[1] == b'\\'),
            );
            let told = HeaderContext::default().raw(Some(writer.charset));
            for (form, value) in [
                (None, value.clone()),
                (
                    Some(Form::Words),
                    rewritten(&value, FieldKind::Parameters, Form::Words, &told),
                ),
                (
                    Some(Form::RawUtf8),
                    rewritten(&value, FieldKind::Parameters, Form::RawUtf8, &told),
                ),
            ] {
                let read = params::parse(&value, &told, &mut Vec::new());
                let shown = || format!("{charset} {round} {form:?} {}", value.escape_ascii());
                assert_eq!(read.get("filename"), Some(&*name), "{}", shown());
                assert_eq!(
                    read.get("size"),
                    last.contains("size").then_some("12"),
                    "{}",
                    shown()
                );
                let date = last
                    .contains("date")
                    .then_some("Mon, 01 Jan 2001 00:00:00 +0000");
                assert_eq!(read.get("creation-date"), date, "{}", shown());
            }
        }
    }
    assert!(halves > 4_000, "{halves}");
}

/// A backslash is a quoted pair in a charset in which it is no half.
#[test]
fn pairs_behind_letters_of_one_byte_are_undone() {
    let cases = [
        ("windows-1252", "caf\u{e9},b.txt"),
        ("windows-1252", "\u{e9}\"\u{e8}\\"),
        ("KOI8-R", "\u{43f}\u{43b}\u{430}\u{43d}, 2"),
        ("windows-1251", "\u{41f}\u{43b}\u{430}\u{43d},\"2\""),
        ("EUC-KR", "\u{d55c}\u{ae00},a"),
        ("EUC-JP", "\u{65e5}\u{672c},a"),
        ("GBK", "\u{4e2d}\u{6587},a"),
    ];
    for (charset, name) in cases {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        let mut value = b"attachment; filename=\"".to_vec();
        for byte in raw.iter() {
            if matches!(byte, b',' | b'"' | b'\\') {
                value.push(b'\\');
            }
            value.push(*byte);
        }
        value.push(b'"');
        let context = HeaderContext::default().raw(Some(charset));
        let text = params::parse(&value, &context, &mut Vec::new());
        assert_eq!(
            text.get("filename"),
            Some(name),
            "{} {}",
            charset.name(),
            value.escape_ascii()
        );
    }
    let text = params::parse(
        b"a; filename=\"caf\xe9\\,b.txt\"",
        &HeaderContext::default(),
        &mut Vec::new(),
    );
    assert_eq!(text.get("filename"), Some("caf\u{e9},b.txt"));
}
