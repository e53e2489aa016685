//! Tests of raw names in lists of addresses.

use crate::{BETWEEN, CHARSETS, Writer, angles, known, read, rewritten};
use mailglot_mime::encoded_word::{Form, HeaderContext, RewriteTarget};
use mailglot_mime::header;
use mailglot_mime::header::FieldKind;

#[test]
fn lists_of_raw_names_keep_their_addresses() {
    let mut ending = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 7);
        for round in 0..2_000 {
            let (mut value, mut want) = (Vec::new(), Vec::new());
            for index in 0..=writer.random.below(4) {
                if index > 0 {
                    value.extend_from_slice(BETWEEN[writer.random.below(BETWEEN.len())]);
                }
                let address = format!("u{index}@d{index}.example");
                let name = match writer.random.below(6) {
                    0 => "Bob".to_owned(),
                    1 => "O'Hara, \"x\" \\ y".to_owned(),
                    _ => writer.name(),
                };
                ending += usize::from(
                    name.chars()
                        .next_back()
                        .is_some_and(|c| writer.halves.contains(&c)),
                );
                let quoted = if name.starts_with("O'") {
                    b"\"O'Hara, \\\"x\\\" \\\\ y\"".to_vec()
                } else {
                    writer.quoted(&name)
                };
                value.extend_from_slice(&quoted);
                value.extend_from_slice(format!(" <{address}>").as_bytes());
                if writer.random.below(8) == 0 {
                    value.extend_from_slice(b" (see \"x\")");
                }
                want.push((Some(name), address));
            }
            if value.is_ascii() {
                continue;
            }
            let shown = || format!("{charset} {round} {}", value.escape_ascii());
            let told = HeaderContext::default().raw(Some(writer.charset));
            assert_eq!(read(&value, &told), want, "{}", shown());
            let by_angles: Vec<String> = want.iter().map(|(_, address)| address.clone()).collect();
            assert_eq!(angles(&value), by_angles, "{}", shown());
            for form in [Form::Words, Form::RawUtf8] {
                let after = rewritten(&value, FieldKind::Structured, form, &told);
                assert_eq!(
                    read(&after, &told),
                    want,
                    "{} {}",
                    shown(),
                    after.escape_ascii()
                );
                assert_eq!(
                    angles(&after),
                    by_angles,
                    "{} {}",
                    shown(),
                    after.escape_ascii()
                );
                assert!(std::str::from_utf8(&after).is_ok(), "{}", shown());
            }
            // Nobody tells the charset: names may read otherwise, addresses do not.
            let after = rewritten(
                &value,
                FieldKind::Structured,
                Form::Words,
                &HeaderContext::default(),
            );
            assert_eq!(
                angles(&after),
                by_angles,
                "{} {}",
                shown(),
                after.escape_ascii()
            );
        }
    }
    assert!(ending > 5_000, "{ending}");
}

/// Bytes go missing or come in: what stays an address for our reader, or for one that sees angles only, was one before.
#[test]
fn damaged_lists_lose_no_address_by_a_change() {
    let mut changed = 0;
    for charset in CHARSETS {
        let mut writer = Writer::new(charset, 11);
        for round in 0..2_000 {
            let mut value = Vec::new();
            for index in 0..=writer.random.below(3) {
                let name = writer.name();
                value.extend_from_slice(&writer.quoted(&name));
                value.extend_from_slice(format!(" <u{index}@d.example>, ").as_bytes());
            }
            let at = writer.random.below(value.len());
            match writer.random.below(3) {
                0 => drop(value.remove(at)),
                1 => value.insert(at, *writer.random.pick(b"\"\\(<")),
                _ => value.truncate(at),
            }
            let told = HeaderContext::default().raw(Some(writer.charset));
            let after = rewritten(&value, FieldKind::Structured, Form::Words, &told);
            changed += usize::from(after != value);
            let addresses = |value: &[u8]| {
                let list = read(value, &told).into_iter().map(|(_, address)| address);
                list.filter(|address| address.contains('@'))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                addresses(&value),
                addresses(&after),
                "{charset} {round} {}",
                value.escape_ascii()
            );
        }
    }
    assert!(changed > 5_000, "{changed}");
}

#[test]
fn a_string_that_is_torn_open_is_left_alone() {
    let context = HeaderContext::default();
    for value in [
        "\"é \\\" <a@b.example>, \"Bob\" <c@d.example>",
        "\"é \\\" <a@b.example>, \"=?utf-8?Q?=C3=BC?=\" <c@d.example>",
    ] {
        let mut findings = Vec::new();
        let list = header::rewrite(
            value.as_bytes(),
            FieldKind::Structured,
            RewriteTarget {
                form: Form::Words,
                column: 4,
                eol: "\n",
            },
            &context,
            &mut findings,
        );
        assert_eq!(list, []);
        assert!(
            findings.iter().any(|f| f.kind.code() == "ew.bad-token"),
            "{findings:?}"
        );
    }
}

/// Characters whose second byte is an `@`: 一 of Big5, ァ of Shift_JIS.
#[test]
fn names_without_quotes_may_hold_an_at_sign() {
    for (charset, name) in [
        ("Big5", "王一明"),
        ("Big5", "陳一"),
        ("Big5", "一 二"),
        ("Shift_JIS", "ファイル 太郎"),
        ("Shift_JIS", "ソファ"),
        ("GBK", "亊丂"),
    ] {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        assert!(
            raw.windows(2)
                .any(|pair| pair[0] >= 0x80 && pair[1] == b'@'),
            "{name}"
        );
        let told = HeaderContext::default().raw(Some(charset));
        for (before, after) in [
            ("", " <a@b.example>"),
            ("c@d.example, ", "\r\n <a@b.example>, e@f.example"),
        ] {
            let value = [before.as_bytes(), &raw, after.as_bytes()].concat();
            let want = Some((Some(name.to_owned()), "a@b.example".to_owned()));
            let find = |list: Vec<_>| {
                list.into_iter()
                    .find(|(_, address)| address == "a@b.example")
            };
            assert_eq!(find(read(&value, &told)), want, "{}", value.escape_ascii());
            for form in [Form::Words, Form::RawUtf8] {
                let after = rewritten(&value, FieldKind::Structured, form, &told);
                assert_eq!(find(read(&after, &told)), want, "{}", after.escape_ascii());
                assert_eq!(angles(&after), angles(&value), "{}", after.escape_ascii());
            }
        }
    }
    // Addresses stay.
    for value in [
        &b"jos\xe9@example.com"[..],
        b"jos\xe9@example.com <jos\xe9@example.com>",
        b"\xe9@localhost",
    ] {
        let context = HeaderContext::default().raw(Some(known("windows-1252")));
        for form in [Form::Words, Form::RawUtf8] {
            assert_eq!(
                rewritten(value, FieldKind::Structured, form, &context),
                value
            );
        }
    }
}

#[test]
fn comments_may_end_in_a_half() {
    for (charset, name) in [("Shift_JIS", "発表"), ("Big5", "成功"), ("GBK", "誠")] {
        let charset = known(charset);
        let raw = charset
            .encode_exact(name)
            .expect("the charset has every character");
        assert!(raw.ends_with(b"\\"), "{name}");
        let told = HeaderContext::default().raw(Some(charset));
        for after in ["", ", \"B\" <c@d.example> (x)", ",\r\n g@h.example (\"y\")"] {
            let value = [b"a@b.example (", &*raw, b")", after.as_bytes()].concat();
            let before = read(&value, &told);
            assert_eq!(
                before[0].0.as_deref(),
                Some(name),
                "{}",
                value.escape_ascii()
            );
            let after = rewritten(&value, FieldKind::Structured, Form::Words, &told);
            assert!(after.is_ascii(), "{}", after.escape_ascii());
            assert_eq!(read(&after, &told), before, "{}", after.escape_ascii());
        }
    }
}
