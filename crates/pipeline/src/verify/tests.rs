use super::*;
use mailglot_mime::{Limits, OldBytes, plan, splice, undo_edits};

fn rewritten(raw: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = Vec::new();
    splice(raw, edits, &mut bytes).unwrap();
    bytes
}

fn verdict(raw: &[u8], edits: &[Edit]) -> Verdict {
    verdict_under(&Policy::default(), raw, edits)
}

fn verdict_under(policy: &Policy, raw: &[u8], edits: &[Edit]) -> Verdict {
    let undo = undo_edits(raw, edits);
    let message = Message::parse(raw, &Limits::default());
    let readings = plan(raw, policy).report.readings;
    let verify = |readings: &[Reading]| {
        let rewritten = Rewritten {
            bytes: &rewritten(raw, edits),
            edits,
            undo: &undo,
            readings,
        };
        Verifier::new().verify(&message, &rewritten, policy)
    };
    let verdict = verify(&readings);
    assert_eq!(verify(&[]), verdict);
    verdict
}

/// Each class has an example that shows it. A class without one could hide new faults.
#[test]
fn each_known_defect_shows_in_its_example() {
    let shown = |defect: &Defect| {
        let raw = defect.example();
        let edits = plan(&raw, &Policy::default()).edits;
        assert!(
            !edits.is_empty(),
            "{}: the example is not rewritten",
            defect.name()
        );
        let verdict = verdict(&raw, &edits);
        (verdict != Verdict::Accepted(vec![*defect]))
            .then(|| format!("{}: {verdict:?}", defect.name()))
    };
    // The assertion that fails is one of debug builds.
    let may_show = |defect: &&Defect| **defect != Defect::Fault || cfg!(debug_assertions);
    let others: Vec<_> = Defect::ALL
        .iter()
        .filter(may_show)
        .filter_map(shown)
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn names_of_defects_differ() {
    let mut names: Vec<_> = Defect::ALL.iter().map(|defect| defect.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Defect::ALL.len());
}

const MESSAGE: &[u8] = b"From: J\xF6rg <j@x.example>\nSubject: caf\xE9\nContent-Type: multipart/mixed; boundary=a\n\n\
    --a\nContent-Type: text/plain; charset=iso-8859-1; name=\"\xE9.txt\"\nContent-Disposition: inline; filename=\"\xE9.txt\"\n\n\
    l'\xE9t\xE9\n--a\n\nsans type: \xE9\n--a--\n";

#[test]
fn correct_rewriting_is_accepted() {
    let edits = plan(MESSAGE, &Policy::default()).edits;
    assert!(edits.len() >= 7, "{edits:?}");
    assert_eq!(verdict(MESSAGE, &edits), Verdict::Accepted(Vec::new()));
}

fn assert_rewritten_and_accepted(raw: &[u8]) {
    let edits = plan(raw, &Policy::default()).edits;
    assert!(!edits.is_empty(), "{}", raw.escape_ascii());
    let verdict = verdict(raw, &edits);
    let is_accepted = matches!(verdict, Verdict::Accepted(_));
    assert!(is_accepted, "{}: {verdict:?}", raw.escape_ascii());
}

/// Readers disagree about damaged lists of addresses, but the rewriting does not cause that.
#[test]
fn damaged_lists_of_addresses_are_accepted() {
    for value in [
        &b"joe at example.org (J\xF6rg M\xFCller)"[..],
        b"J\xF6rg (joe@example.org)",
        b"=?iso-8859-1?Q?J=F6rg?= <a@b.example",
        b"J\xF6rg <a@b.example",
        b"J\xF6rg M <<a@b.example>>",
        b"J\xF6rg a@b.example>",
        b"J\xF6rg <a@b.example>\n\tAnn <c@d.example>",
        b"J\xF6rg <a@b.example> [mailto:a@b.example]",
        b"J\xF6rg <a@b.example>\n\tAnn M\xFCller <c@d.example>",
        b"Ann (\xFC) <a@b.example> J\xF6rg (x) c@d.example",
        b"\"J\xF6rg\" <a@b.example> <c@d.example> (\xFC)",
        b"HOST::USER (J\xF6rg)",
        b"<j\xF6rg@example.com>, J\xF6rg <a@b.example>",
    ] {
        for name in ["To", "From"] {
            let raw = [name.as_bytes(), b": ", value, b"\nSubject: x\n\nx\n"].concat();
            assert_rewritten_and_accepted(&raw);
        }
    }
}

/// The backslash may be the trail byte of a character.
#[test]
fn backslash_at_the_end_of_a_comment_is_verified() {
    let raw = b"To: <a@b.example> (\xE9\\)\n\nx\n";
    let edits = plan(raw, &Policy::default()).edits;
    assert!(!edits.is_empty());
    assert_eq!(verdict(raw, &edits), Verdict::Accepted(Vec::new()));
}

/// The second reader reads such a field otherwise, before and after.
#[test]
fn misplaced_file_names_are_accepted() {
    for value in [
        &b"filename*0=x; filename*1=\"J\xF6.doc\"; attachment"[..],
        b"filename*0*=koi8-r''%E4; filename*1*=%CF; attachment",
        b"filename=\"\xE4\"; attachment",
        b"attachment filename*01*=koi8-r''%E4; filename*02*=%CF",
        b"attachment;filename=koi8-r''%E4%CF.doc; filename*2*=%CF",
        b"attachment; filename*0=\"koi8-r''%E4\"; filename*1=\"%CF.doc\"; filename*3=\xE4",
        b"attachment; filename=\"\xE4\"; name=\"utf-8''%41\"",
    ] {
        let raw = [b"Content-Disposition: ", value, b"\n\nx\n"].concat();
        assert_rewritten_and_accepted(&raw);
    }
}

/// An extended value without an asterisk is verified.
#[test]
fn faults_in_file_names_are_found() {
    for value in [
        &b"attachment; filename=\"\xE4\"; name=\"utf-8''%41\""[..],
        b"attachment;filename=koi8-r''%E4%CF.doc; filename*2*=%CF",
    ] {
        let raw = [b"Content-Disposition: ", value, b"\n\nx\n"].concat();
        let mut edits = plan(&raw, &Policy::default()).edits;
        for edit in &mut edits {
            edit.with = b"filename=other".to_vec();
            edit.recipe = None;
        }
        let verdict = verdict(&raw, &edits);
        let is_found = matches!(verdict, Verdict::Rejected(_));
        assert!(is_found, "{}: {verdict:?}", value.escape_ascii());
    }
}

/// A field without a disposition is compared, but mail-parser finds no parameters in it.
#[test]
fn file_names_after_a_semicolon_are_compared() {
    let raw = b"Content-Disposition: ; filename=\"\xE4\"\n\nx\n";
    let edits = plan(raw, &Policy::default()).edits;
    assert_eq!(
        verdict(raw, &edits),
        Verdict::Accepted(vec![Defect::FieldSyntax])
    );
}

/// mail-parser finds no charset behind a fold, so only the bytes are compared.
#[test]
fn texts_with_a_fold_in_front_of_their_charset_are_compared() {
    for fold in ["=\n\t", "\n\t=", "\n =\n "] {
        let raw = format!(
            "Content-Type: text/plain;\n\tcharset{fold}\"utf-8\"\nContent-Transfer-Encoding: quoted-printable\n\nDani=C3=ABl\n"
        );
        let raw = raw.as_bytes();
        let mut edits = plan(raw, &Policy::default()).edits;
        assert_eq!(
            verdict(raw, &edits),
            Verdict::Accepted(vec![Defect::FieldSyntax]),
            "{fold:?}"
        );
        let body = edits.last_mut().expect("an edit of the body");
        body.with = "Dani\u{ea}l\n".into();
        body.recipe = None;
        let verdict = verdict(raw, &edits);
        assert!(matches!(verdict, Verdict::Rejected(_)), "{verdict:?}");
    }
}

/// If the text becomes UTF-8 and the label stays, `--verify` rejects the message. *Example*: `charset=` with `"iso-8859-1"` on the next line.
#[test]
fn a_label_behind_a_fold_must_change_with_its_text() {
    let raw = b"Content-Type: text/plain;\n\tcharset=\n\t\"iso-8859-1\"\nContent-Transfer-Encoding: quoted-printable\n\nDani=EBl\n";
    let mut edits = plan(raw, &Policy::default()).edits;
    let body = memchr::memmem::find(raw, b"\n\n").expect("a body") as u64;
    edits.retain(|edit| edit.span.start as u64 > body);
    assert!(!edits.is_empty());
    let verdict = verdict(raw, &edits);
    assert!(matches!(verdict, Verdict::Rejected(_)), "{verdict:?}");
}

/// mail-parser does not know the other spellings of UTF-8, which scripts write.
#[test]
fn all_spellings_of_utf8_are_verified() {
    for label in ["utf-8", "utf8", "UTF8", "utf_8", "x-unicode-2-0-utf-8"] {
        for (encoding, body) in [
            ("quoted-printable", "na=C3=AFve caf=C3=A9"),
            ("base64", "bmHDr3ZlIGNhZsOp"),
        ] {
            let raw = format!(
                "From: a@x.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset={label}\nContent-Transfer-Encoding: {encoding}\n\n{body}\n"
            );
            let policy = Policy::default().transfer(mailglot_mime::Transfer::EightBit);
            let edits = plan(raw.as_bytes(), &policy).edits;
            assert!(!edits.is_empty(), "{label}");
            assert_eq!(
                verdict(raw.as_bytes(), &edits),
                Verdict::Accepted(Vec::new()),
                "{label} {encoding}"
            );
        }
    }
}

/// The new name of a Content-Length is no added field. Another name would be.
#[test]
fn a_renamed_content_length_is_accepted() {
    for raw in [
        &b"Subject: caf\xE9\rContent-Length: 12\r\r\xE9t\xE9\r"[..],
        b"Subject: caf\xE9\nno field\nContent-Length: 12\nFrom: a@b.example\n\nx\n",
        b"Content-Length: 12\nno field\nSubject: caf\xE9\n\nx\n",
    ] {
        let message = Message::parse(raw, &Limits::default());
        let mut edits = plan(raw, &Policy::default()).edits;
        let count = edits.len();
        assert!(crate::length_field::remove(raw, Some(&message), &mut edits).is_some());
        assert_eq!(edits.len(), count + 1);
        let accepted = verdict(raw, &edits);
        assert!(
            matches!(accepted, Verdict::Accepted(_)),
            "{}: {accepted:?}",
            raw.escape_ascii()
        );
        for edit in edits.iter_mut().filter(|edit| edit.with == b"X-") {
            edit.with = b"X-A".to_vec();
        }
        let other = verdict(raw, &edits);
        assert!(matches!(other, Verdict::Rejected(_)), "{other:?}");
    }
}

/// Files in 7 bits keep their bytes, whatever charset those have.
#[test]
fn encoded_files_are_compared_by_their_bytes() {
    let policy = Policy::default().transfer(mailglot_mime::Transfer::SevenBit);
    let calendar = "BEGIN:VCALENDAR\nDESCRIPTION:\u{304a}\u{4e16}\u{8a71}\n".as_bytes();
    let (start, end) = calendar.split_at(calendar.len() - 3);
    let split = [start, b"\n ", end].concat();
    let file = "Content-Disposition: attachment; filename=a";
    for (fields, body) in [
        (
            "Content-Type: text/plain",
            &b"F\xFC\xDFe\n\nund Gr\xFC\xDFe"[..],
        ),
        ("Content-Type: text/calendar; charset=utf-8", &split),
    ] {
        for eol in ["\n", "\r\n"] {
            let head = format!(
                "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n{file}\n{fields}\n\n"
            );
            let mut raw = head.replace('\n', eol).into_bytes();
            let lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
            raw.extend(lines.join(eol.as_bytes()));
            raw.extend_from_slice(format!("{eol}--b--{eol}").as_bytes());
            let mut edits = plan(&raw, &policy).edits;
            assert!(rewritten(&raw, &edits).is_ascii());
            let shown = raw.escape_ascii();
            let accepted = verdict_under(&policy, &raw, &edits);
            assert_eq!(accepted, Verdict::Accepted(Vec::new()), "{shown}");
            // Another byte is found.
            let place = edits
                .iter_mut()
                .max_by_key(|edit| edit.span.start)
                .map(|edit| &mut edit.with);
            let byte = place.and_then(|with| with.first_mut()).unwrap();
            *byte = if *byte == b'C' { b'D' } else { b'C' };
            let found = verdict_under(&policy, &raw, &edits);
            assert!(matches!(found, Verdict::Rejected(_)), "{shown}: {found:?}");
        }
    }
}

/// Correct rewriting of form data, of names after a missing semicolon, and of charsets behind a fold is accepted.
#[test]
fn fields_with_other_syntax_are_accepted() {
    let seven_bit = Policy::default().transfer(mailglot_mime::Transfer::SevenBit);
    let japanese = Policy::default().charset_out(mailglot_mime::CharsetOut::Iso2022Jp);
    let usual = Policy::default();
    let long_name = "\u{41e}\u{442}\u{447}\u{451}\u{442} \u{437}\u{430} \u{433}\u{43e}\u{434}.doc";
    let long_name = format!("Content-Type: application/pdf; x=y;\n name=\"{long_name}\"\n\nx\n");
    for (policy, raw) in [
        (
            &seven_bit,
            &b"Content-Type: multipart/form-data; boundary=b\n\n--b\nContent-Disposition: form-data; name=\"feld\"\n\n\
               Sch\xF6ne Gr\xFC\xDFe\n--b--\n"[..],
        ),
        (
            &usual,
            b"Content-Disposition: attachment; filename=\"Gr\xF6\xDFe.txt\" size=1234\n\nx\n",
        ),
        (
            &usual,
            b"Content-Disposition: attachment filename=\"Gr\xF6\xDFe.txt\"\n\nx\n",
        ),
        (
            &usual,
            b"Content-Type: text/plain; charset=\n iso-8859-1\n\nGr\xFC\xDFe\n",
        ),
        (&japanese, long_name.as_bytes()),
    ] {
        let edits = plan(raw, policy).edits;
        assert!(!edits.is_empty(), "{}", raw.escape_ascii());
        let new = rewritten(raw, &edits);
        let verdict = verdict_under(policy, raw, &edits);
        assert_eq!(
            verdict,
            Verdict::Accepted(Vec::new()),
            "{}",
            new.escape_ascii()
        );
    }
}

/// Segments in ISO-2022-JP are compared.
#[test]
fn faults_in_segments_are_found() {
    let policy = Policy::default().charset_out(mailglot_mime::CharsetOut::Iso2022Jp);
    let name = "\u{41e}\u{442}\u{447}\u{451}\u{442} \u{437}\u{430} ".repeat(4);
    let raw = format!("Content-Type: application/pdf; name=\"{name}.doc\"\n\nx\n");
    let mut edits = plan(raw.as_bytes(), &policy).edits;
    let accepted = verdict_under(&policy, raw.as_bytes(), &edits);
    assert_eq!(accepted, Verdict::Accepted(Vec::new()));
    let with = &mut edits[0].with;
    let last = with.windows(4).rposition(|bytes| bytes == b"%1B%").unwrap();
    assert!(memchr::memmem::find(with, b"*1*=").unwrap() < last);
    with[last - 1] ^= 1;
    let found = verdict_under(&policy, raw.as_bytes(), &edits);
    assert!(matches!(found, Verdict::Rejected(_)), "{found:?}");
}

/// A document may declare a name that no charset has.
#[test]
fn any_declared_name_may_be_replaced() {
    for name in ["_autodetect", "-", "us-ascii", ":x", "+1", ".", "x_y"] {
        let raw = format!(
            "Content-Type: text/html; charset=us-ascii\n\n<html><head>\
             <meta http-equiv=\"Content-Type\" content=\"text/html; charset={name}\"></head>caf\u{e9}</html>\n"
        );
        let edits = plan(raw.as_bytes(), &Policy::default()).edits;
        let changed = rewritten(raw.as_bytes(), &edits);
        let declared = format!("charset={name}\">");
        assert!(
            !String::from_utf8_lossy(&changed).contains(&declared),
            "{name}"
        );
        let verdict = verdict(raw.as_bytes(), &edits);
        assert_eq!(verdict, Verdict::Accepted(Vec::new()), "{name}");
    }
}

/// The name in a line of Lotus Notes may be replaced, too.
#[test]
fn the_charset_of_a_calendar_may_be_replaced() {
    let raw = b"Content-Type: text/calendar; charset=windows-1251\n\n\
        BEGIN:VCALENDAR\nX-LOTUS-CHARSET:windows-1251\nSUMMARY:\xC2\xF1\xF2\xF0\xE5\xF7\xE0\nEND:VCALENDAR\n";
    let edits = plan(raw, &Policy::default()).edits;
    let changed = String::from_utf8(rewritten(raw, &edits)).unwrap();
    assert!(
        changed.contains("\nX-LOTUS-CHARSET:utf-8\nSUMMARY:Встреча\n"),
        "{changed}"
    );
    assert_eq!(verdict(raw, &edits), Verdict::Accepted(Vec::new()));
}

/// A comment within a name gets a space from some readers.
#[test]
fn comments_may_touch_a_name() {
    let raw = "From: adres -()'i yasakl\u{131}yor <用户@例子.example>\n\nx\n";
    let edits = plan(raw.as_bytes(), &Policy::default()).edits;
    let accepted = Verdict::Accepted(vec![Defect::Spaces]);
    assert_eq!(verdict(raw.as_bytes(), &edits), accepted);
}

type Damage = fn(&mut Edit);

/// A fault in any single edit is found: left out, or with a line or text added.
#[test]
fn a_fault_in_any_edit_is_found() {
    let edits = plan(MESSAGE, &Policy::default()).edits;
    let breaks: [(&str, Damage); 3] = [
        ("text", |edit| edit.with.extend_from_slice(b"x")),
        ("line", |edit| {
            edit.with.extend_from_slice(b"\nX-Added: yes\n");
        }),
        ("loss", |edit| edit.with = b"?".to_vec()),
    ];
    for index in 0..edits.len() {
        for (name, damage) in breaks {
            let mut broken = edits.clone();
            damage(&mut broken[index]);
            broken[index].recipe = None;
            let found = matches!(verdict(MESSAGE, &broken), Verdict::Rejected(_));
            assert!(
                found,
                "{name} in {:?}",
                String::from_utf8_lossy(&broken[index].with)
            );
        }
    }
}

/// Fields and texts of an embedded message in base64 are compared, too.
#[test]
fn faults_in_decoded_messages_are_detected() {
    // "Subject: Grüße\nContent-Type: text/plain; charset=iso-8859-1\n\nschön\n" in ISO-8859-1.
    let raw = b"Subject: x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n\
        U3ViamVjdDogR3L832UKQ29udGVudC1UeXBlOiB0ZXh0L3BsYWluOyBjaGFyc2V0PWlzby04ODU5\n\
        LTEKCnNjaPZuCg==\n";
    let edits = plan(raw, &Policy::default()).edits;
    assert_eq!(verdict(raw, &edits), Verdict::Accepted(Vec::new()));
    for (old, new) in [
        ("sch\u{f6}n", "sch\u{e4}n"),
        ("R3LDvMOfZQ==", "R3LDvMOfZg=="),
    ] {
        let mut wrong = edits.clone();
        for edit in &mut wrong {
            let text = String::from_utf8(edit.with.clone()).unwrap();
            edit.with = text.replace(old, new).into_bytes();
        }
        assert_ne!(wrong, edits, "{old}");
        assert!(
            matches!(verdict(raw, &wrong), Verdict::Rejected(_)),
            "{old}"
        );
    }
}

#[test]
fn wrong_inverse_is_detected() {
    let edits = plan(MESSAGE, &Policy::default()).edits;
    let mut undo = undo_edits(MESSAGE, &edits);
    let last = undo.last_mut().unwrap();
    last.old = OldBytes::Kept(b"other".to_vec());
    let rewritten = Rewritten {
        bytes: &rewritten(MESSAGE, &edits),
        edits: &edits,
        undo: &undo,
        readings: &[],
    };
    let message = Message::parse(MESSAGE, &Limits::default());
    let verdict = Verifier::new().verify(&message, &rewritten, &Policy::default());
    let Verdict::Rejected(disagreement) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(disagreement.what, "the inverse of the edits");
}

/// Messages that nest deeply, repeat what mail-parser searches for, or end anywhere neither crash it nor take long.
#[test]
fn hostile_messages_are_bounded() {
    let nested = b"Content-Type: message/rfc822\n\n".repeat(100_000);
    let multiparts: Vec<u8> = (0..40_000)
        .flat_map(|n| format!("--a\nContent-Type: multipart/mixed; boundary=n{n}\n\n").into_bytes())
        .collect();
    let segments: Vec<u8> = (0..60_000)
        .flat_map(|n| format!("; a{n}*1*=b").into_bytes())
        .collect();
    for (name, tail) in [
        ("nested", [&nested[..], b"Subject: caf\xE9\n\nx\n"].concat()),
        (
            "multiparts",
            [
                b"Content-Type: multipart/mixed; boundary=a\n\n",
                &multiparts[..],
            ]
            .concat(),
        ),
        (
            "segments",
            [b"Content-Type: text/plain", &segments[..], b"\n\nx\n"].concat(),
        ),
        (
            "words",
            [b"X-Words: ", &b"=?a?q?".repeat(200_000)[..], b"\n\nx\n"].concat(),
        ),
        (
            "comments",
            [b"To: ", &b"(".repeat(500_000)[..], b"\n\nx\n"].concat(),
        ),
    ] {
        let raw = [b"Subject: caf\xE9\n", &tail[..]].concat();
        let edits = plan(&raw, &Policy::default()).edits;
        assert!(!edits.is_empty(), "{name}");
        let verdict = verdict(&raw, &edits);
        assert!(
            matches!(verdict, Verdict::Accepted(_)),
            "{name}: {verdict:?}"
        );
    }
}
