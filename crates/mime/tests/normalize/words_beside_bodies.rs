//! Words under a label of Latin-1, beside bodies in other alphabets.

use super::keeps_the_laws;
use super::test_charsets::encoded;
use mailglot_mime::{EventKind, Mail, Policy, plan, process};

const CZECH: &str = "Dobrý den, posílám zápis ze včerejší schůze, kterou řídil předseda.";
const ROMANIAN: &str = "Bună ziua, vă trimit factura pentru luna martie, aşteptăm plata până \
                        la sfârşitul săptămânii. Mulţumim pentru înţelegere.";
const RUSSIAN: &str = "Отправляю протокол прошлого собрания";

/// A message with a Subject of bytes under a label of Latin-1, and parts with label and body.
fn message(subject: &[u8], parts: &[(&str, &[u8])]) -> Vec<u8> {
    let escaped: Vec<String> = subject.iter().map(|byte| format!("={byte:02X}")).collect();
    let word = escaped.concat();
    let mut raw = format!(
        "Subject: =?iso-8859-1?Q?{word}?=\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=b\n\n"
    )
    .into_bytes();
    for (label, body) in parts {
        let label = match *label {
            "" => String::new(),
            label => format!("; charset={label}"),
        };
        raw.extend(format!("--b\nContent-Type: text/plain{label}\n\n").bytes());
        raw.extend(*body);
        raw.extend(b"\n");
    }
    raw.extend(b"--b--\n");
    raw
}

/// Returns the Subject, and true if its charset is reported. A second pass must change nothing.
fn subject(raw: &[u8]) -> (String, bool) {
    keeps_the_laws(raw);
    let policy = Policy::default();
    let once = process(raw, &policy).bytes;
    assert_eq!(process(&once, &policy).bytes, once);
    let read = |raw| Mail::parse(raw).subject().unwrap_or_default().into_owned();
    assert_eq!(read(raw), read(&once));
    let end = raw.iter().position(|byte| *byte == b'\n').expect("a field");
    let events = plan(raw, &policy).report.events;
    let is_reported = events.iter().any(|event| {
        let kinds = [EventKind::CharsetDetected, EventKind::CharsetSuspected];
        event.at.start < end && kinds.contains(&event.kind)
    });
    (read(raw), is_reported)
}

/// The body in each form: under its label, without one, in UTF-8, and under Latin-1 with a footer in UTF-8.
fn bodies(charset: &'static str, text: &str) -> [(&'static str, Vec<u8>); 4] {
    let legacy = encoded(charset, text);
    let footer = "\n-- \nListe de diffusion générale - pour se désabonner : à côté\n";
    [
        (charset, legacy.clone()),
        ("", legacy.clone()),
        ("utf-8", text.as_bytes().to_vec()),
        ("iso-8859-1", [&legacy, footer.as_bytes()].concat()),
    ]
}

#[test]
fn words_are_in_the_alphabet_of_the_body() {
    for (charset, body, text) in [
        ("ISO-8859-2", CZECH, "Pozvánka na schůzi"),
        ("ISO-8859-2", ROMANIAN, "Factură pentru luna martie"),
        ("ISO-8859-2", ROMANIAN, "Ştefan Ţepeş"),
        ("KOI8-R", RUSSIAN, "Ира"),
    ] {
        for (label, body) in bodies(charset, body) {
            let raw = message(&encoded(charset, text), &[(label, &body)]);
            assert_eq!(subject(&raw), (text.to_owned(), true), "{label:?}");
        }
    }
}

#[test]
fn bodies_in_utf8_leave_several_charsets() {
    for (body, charset, text) in [
        (RUSSIAN, "windows-1251", "Ира"),
        (RUSSIAN, "ISO-8859-5", "Ира"),
        ("مرفق محضر اجتماع الأسبوع الماضي", "windows-1256", "علي"),
        ("附件是上周会议的记录请查收", "GBK", "李明"),
        (
            "Σας στέλνω τα πρακτικά της συνάντησης",
            "windows-1253",
            "Άννα",
        ),
        ("ผมส่งรายงานการประชุมมาให้ครับ", "TIS-620", "มานพ"),
        ("先週の会議の議事録を送ります", "Shift_JIS", "山田太郎"),
    ] {
        let raw = message(&encoded(charset, text), &[("utf-8", body.as_bytes())]);
        let (read, is_reported) = subject(&raw);
        let as_labelled = encoded(charset, text).into_iter().map(char::from).collect();
        assert!(
            [text.to_owned(), as_labelled].contains(&read),
            "{text} {read}"
        );
        assert!(is_reported, "{text}");
    }
}

#[test]
fn western_words_stay_without_a_report() {
    for (charset, body) in [
        ("ISO-8859-2", CZECH),
        ("ISO-8859-2", ROMANIAN),
        ("KOI8-R", RUSSIAN),
    ] {
        // The footer disproves the label, so names of other mail are judged less strictly.
        for (label, body) in &bodies(charset, body)[..3] {
            for text in [
                "Andrè",
                "Jörg Müller",
                "Giosuè",
                "François",
                "Nº 5",
                "Été à Évian",
            ] {
                let raw = message(&encoded("ISO-8859-1", text), &[(label, body)]);
                assert_eq!(subject(&raw), (text.to_owned(), false), "{label:?}");
            }
        }
    }
}

#[test]
fn bodies_in_two_alphabets_are_no_evidence() {
    let french = "Nous nous réunirons à dix heures, c’est déjà décidé.".as_bytes();
    for (charset, body, text, is_reported) in [
        ("ISO-8859-2", CZECH, "Pozvánka na schùzi", false),
        // Three letters are reported without evidence of others.
        ("KOI8-R", RUSSIAN, "éÒÁ", true),
    ] {
        for parts in [
            [("utf-8", body.as_bytes()), ("utf-8", french)],
            [("utf-8", french), ("utf-8", body.as_bytes())],
        ] {
            let raw = message(&encoded("ISO-8859-1", text), &parts);
            assert_eq!(subject(&raw), (text.to_owned(), is_reported), "{charset}");
        }
    }
    let raw = message(&encoded("ISO-8859-1", "Pozvánka"), &[("utf-8", b"plain")]);
    assert_eq!(subject(&raw), ("Pozvánka".to_owned(), false));
}
