//! Words and parameters under a label that cannot read their bytes: the ladder of bodies, in every spelling.

#![allow(clippy::panic, reason = "a test")]

#[path = "../src/test_charsets.rs"]
mod test_charsets;

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::FieldKind;
use mailglot_mime::header::decode;
use mailglot_mime::{Limits, Message, PartId, Policy, header_context, params, process};
use test_charsets::encoded;

fn q(label: &str, bytes: &[u8]) -> String {
    format!("=?{label}?Q?{}?=", escaped('=', bytes))
}

fn percent(bytes: &[u8]) -> String {
    escaped('%', bytes)
}

fn escaped(sign: char, bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| {
        format!("{text}{sign}{byte:02X}")
    })
}

fn read(value: &str, kind: FieldKind) -> (String, Vec<&'static str>) {
    let mut findings = Vec::new();
    let text = decode(
        value.as_bytes(),
        kind,
        &HeaderContext::default(),
        &mut findings,
    )
    .into_owned();
    (
        text,
        findings.iter().map(|finding| finding.kind.code()).collect(),
    )
}

/// Texts in a charset that are no UTF-8.
const TEXTS: [(&str, &str); 9] = [
    ("windows-1252", "Grüße aus Köln"),
    ("windows-1252", "Café"),
    ("windows-1252", "Müller"),
    ("windows-1252", "“Señor” García"),
    ("windows-1251", "Протокол заседания"),
    ("KOI8-R", "Протокол заседания"),
    ("windows-1253", "Πρόγραμμα εκδρομής"),
    ("GBK", "会议通知和安排"),
    ("Shift_JIS", "会議のお知らせです"),
];

#[test]
fn words_labelled_utf_8_are_read_in_what_they_are_in() {
    for (name, text) in TEXTS {
        let bytes = encoded(name, text);
        assert!(std::str::from_utf8(&bytes).is_err(), "{text}");
        for label in ["utf-8", "UTF8", "utf-8*de"] {
            // Whole, and cut into two words at each place.
            assert_eq!(
                read(&q(label, &bytes), FieldKind::Unstructured).0,
                text,
                "{name} {label}"
            );
            for cut in 1..bytes.len() {
                let value = format!(
                    "{}\r\n {}",
                    q(label, &bytes[..cut]),
                    q(label, &bytes[cut..])
                );
                let (read, codes) = read(&value, FieldKind::Unstructured);
                assert_eq!(read, text, "{name} {value}");
                assert!(
                    codes.contains(&"charset.legacy-in-utf8")
                        && !codes.contains(&"charset.invalid-bytes"),
                    "{codes:?}"
                );
            }
        }
        let value = format!("Re: {} <a@b.example>", q("utf-8", &bytes));
        assert_eq!(
            read(&value, FieldKind::Structured).0,
            format!("Re: {text} <a@b.example>")
        );
    }
}

/// Legacy text contains UTF-8 sequences by chance.
#[test]
fn words_that_are_hardly_utf_8_are_legacy() {
    for (name, text) in [
        ("windows-874", "ขอบคุณมาก"),
        ("windows-874", "สาธารณรัฐออสเตรีย"),
        ("GBK", "大学同学聚会安排"),
        ("Big5", "ODS 範本"),
    ] {
        let bytes = encoded(name, text);
        let (read, codes) = read(&q("utf-8", &bytes), FieldKind::Unstructured);
        assert_eq!(read, text);
        assert!(codes.contains(&"charset.legacy-in-utf8"), "{codes:?}");
    }
    // Maltese that lost three bytes.
    let damaged = b"Ir-ri\xC5\xBCultati tal-e\xC5ami \xC4\xA7ar\xC4u llum Laqg\xC4a";
    let (read, _) = read(&q("utf-8", damaged), FieldKind::Unstructured);
    assert_eq!(read, String::from_utf8_lossy(damaged));
}

#[test]
fn parameters_labelled_utf_8_are_read_in_what_they_are_in() {
    for (name, text) in TEXTS {
        let bytes = encoded(name, text);
        for value in [
            format!("attachment; filename*=utf-8''{}", percent(&bytes)),
            format!(
                "attachment; filename*0*=utf-8''{}; filename*1*={}",
                percent(&bytes[..3]),
                percent(&bytes[3..])
            ),
            format!("attachment; filename=\"{}\"", q("utf-8", &bytes)),
        ] {
            let (read, codes) = read(&value, FieldKind::Parameters);
            assert_eq!(
                read,
                format!("attachment; filename=\"{text}\""),
                "{name} {value}"
            );
            assert!(codes.contains(&"charset.legacy-in-utf8"), "{codes:?}");
        }
    }
}

/// A word of one letter, or two, is read as the rest of the message is.
#[test]
fn a_letter_is_read_as_the_message() {
    for (name, body, short) in [
        (
            "windows-1251",
            "Высылаю протокол вчерашнего заседания, как и договорились.",
            "Да",
        ),
        (
            "KOI8-R",
            "Высылаю протокол вчерашнего заседания, как и договорились.",
            "Да",
        ),
        (
            "windows-1253",
            "Σας στέλνω το πρόγραμμα της εκδρομής που ζητήσατε χθες.",
            "ως",
        ),
        (
            "ISO-8859-2",
            "Przesyłam porządek następnego spotkania, jak obiecałem wczoraj.",
            "ść",
        ),
    ] {
        let head = format!(
            "Subject: {}\nMIME-Version: 1.0\nContent-Type: text/plain; charset={name}\nContent-Transfer-Encoding: 8bit\n\n",
            q("utf-8", &encoded(name, short))
        );
        let raw = [head.into_bytes(), encoded(name, body)].concat();
        let out = process(&raw, &Policy::default());
        let text = String::from_utf8_lossy(&out.bytes).into_owned();
        let subject = text
            .lines()
            .next()
            .unwrap_or_default()
            .strip_prefix("Subject: ")
            .unwrap_or_default();
        assert_eq!(
            read(subject, FieldKind::Unstructured).0,
            short,
            "{name} {subject}"
        );
        let again = process(&out.bytes, &Policy::default());
        assert_eq!(again.bytes, out.bytes, "{name}");
    }
}

/// What a mailer cut in the middle of a character was UTF-8, and so was what has whole characters beside broken ones.
#[test]
fn damaged_utf_8_stays_utf_8() {
    for text in [
        "Größe",
        "naïve café",
        "日本語のテキスト",
        "Привет всем",
        "a😀b",
    ] {
        for cut in 1..text.len() {
            if text.is_char_boundary(cut) {
                continue;
            }
            let (read, codes) = read(
                &q("utf-8", &text.as_bytes()[..cut]),
                FieldKind::Unstructured,
            );
            let start = (0..cut)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or_default();
            assert_eq!(read, format!("{}\u{fffd}", &text[..start]), "{text} {cut}");
            assert!(
                codes.contains(&"charset.invalid-bytes")
                    && !codes.contains(&"charset.legacy-in-utf8"),
                "{codes:?}"
            );
        }
    }
}

/// The same bytes in a body and in a word give the same text.
#[test]
fn words_are_read_as_bodies_are() {
    for (name, text) in TEXTS {
        let bytes = encoded(name, text);
        for label in [
            "utf-8",
            "us-ascii",
            "gb2312",
            "big5",
            "euc-kr",
            "iso-2022-jp",
            "windows-1252",
        ] {
            let head = format!(
                "Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit\n\n"
            );
            let raw = [head.as_bytes(), &bytes].concat();
            let body = process(&raw, &Policy::default());
            // Half a pair at the end joins a line end, which words have not; and a label that reads all is the matter of bodies.
            let mut log = LossLog::new();
            let label_text = charset_of(label).decode(&bytes, &mut log).into_owned();
            let (word, _) = read(&q(label, &bytes), FieldKind::Unstructured);
            if log.losses() == 0 || label_text == word {
                continue;
            }
            let body = String::from_utf8_lossy(&body.bytes).into_owned();
            let given = mailglot_mime::text_parts(
                &mailglot_mime::Message::parse(body.as_bytes(), &mailglot_mime::Limits::default()),
                &Policy::default(),
                &mut mailglot_mime::Report::with_limit(9),
            );
            let given: String = given.into_iter().map(|part| part.text).collect();
            assert_eq!(given, word, "{name} as {label}: {text}");
        }
    }
}

fn charset_of(label: &str) -> Charset {
    let resolved = Charset::for_label(label.as_bytes(), mailglot_codec::View::Mail);
    resolved.charset().unwrap_or_else(|| panic!("{label}"))
}

/// Names of files in percent signs are written as they are read beside the rest of the message.
#[test]
fn names_of_files_are_rewritten_as_they_are_read() {
    let policy = Policy::default();
    let names = |raw: &[u8]| {
        let message = Message::parse(raw, &Limits::default());
        let value = message
            .field(PartId::ROOT, b"content-disposition")
            .map(|field| field.value.of(raw));
        let list = params::parse(
            value.unwrap_or_default(),
            &header_context(&message, &policy),
            &mut Vec::new(),
        );
        list.get("filename").map(ToOwned::to_owned)
    };
    for (name, subject, text) in [
        ("ISO-8859-2", "Łódź żółć", "żółć.txt"),
        ("ISO-8859-2", "Łódź żółć", "ąęś"),
        ("KOI8-R", "Привет мир", "Отчёт"),
        ("Shift_JIS", "日本語", "予定"),
    ] {
        let subject = q(name, &encoded(name, subject));
        let bytes = percent(&encoded(name, text));
        for label in ["", "us-ascii", "x-unknown", "iso-8859-1", "iso-8859-5"] {
            let field = format!("attachment; filename*={label}''{bytes}");
            let raw =
                format!("Subject: {subject}\nContent-Disposition: {field}\n\nx\n").into_bytes();
            let read = names(&raw);
            if !label.starts_with("iso") {
                assert_eq!(read.as_deref(), Some(text), "{name} {field}");
            }
            assert_eq!(names(&process(&raw, &policy).bytes), read, "{name} {field}");
        }
    }
}
