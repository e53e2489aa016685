//! Reads every example of `docs/charset-choice.md` and compares the text with that of the page.
//!
//! # Limits
//! Only tables with the columns below are read. Lists and sentences are not.

use mailglot_codec::Charset;
use mailglot_mime::header::{self, FieldKind};
use mailglot_mime::{Limits, Message, Policy, Report, header_context, text_parts};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const BODY_COLUMNS: &str = "| rule | label | input | text |";
const WORD_COLUMNS: &str = "| rule | value | text |";
const MESSAGE_COLUMNS: &str = "| rule | body | Subject | text |";

const RUSSIAN: &str = "Привет, как дела? Пишу тебе письмо из Москвы.";
const CZECH: &str = "Dobrý den, děkujeme za přihlášku na schůzi příští týden, těšíme se na vás.";
const ARABIC: &str = "السلام عليكم ورحمة الله وبركاته كيف حالك اليوم";

/// The bodies that the page names: their label, charset and text.
const BODIES: [(&str, &str, &str, &str); 5] = [
    ("KOI8-R, `iso-8859-1`", "iso-8859-1", "KOI8-R", RUSSIAN),
    (
        "windows-1251, right label",
        "windows-1251",
        "windows-1251",
        RUSSIAN,
    ),
    ("Russian, UTF-8", "utf-8", "UTF-8", RUSSIAN),
    ("Arabic, UTF-8", "utf-8", "UTF-8", ARABIC),
    ("Czech, UTF-8", "utf-8", "UTF-8", CZECH),
];

/// What a message gives: the text, and whether an event reports the label as suspect.
#[derive(Debug, PartialEq)]
struct Reading {
    text: String,
    is_reported: bool,
}

#[test]
fn examples_hold() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/charset-choice.md");
    let page = fs::read_to_string(page).expect("the page");
    let (mut columns, mut count, mut faults) = ("", 0, String::new());
    for line in page.lines() {
        if !line.starts_with('|') {
            columns = "";
            continue;
        }
        if columns.is_empty() {
            columns = line;
            continue;
        }
        if line.starts_with("|-") {
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let found = match (columns, cells.as_slice()) {
            (BODY_COLUMNS, [_, label, input, _]) => read_body(code(label), &bytes(code(input))),
            (WORD_COLUMNS, [_, value, _]) => read_subject("us-ascii", b"x", code(value)),
            (MESSAGE_COLUMNS, [_, body, value, _]) => {
                let (label, body) = body_named(body);
                read_subject(label, &body, code(value))
            }
            _ => panic!("a row with the columns of its table: {line}"),
        };
        let expected = expected(cells.last().expect("a cell"));
        if found != expected {
            writeln!(faults, "{}: {found:?}", cells.join(" | ")).expect("a string grows");
        }
        count += 1;
    }
    assert!(count > 100, "{count} examples");
    assert!(faults.is_empty(), "{faults}");
}

/// Returns the code of a cell, without its backticks; an empty text for a dash.
fn code(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or_default()
}

/// Returns the reading that the last cell of a row states: `` `Peènik`, reported ``.
fn expected(cell: &str) -> Reading {
    Reading {
        text: String::from_utf8(bytes(code(cell))).expect("text"),
        is_reported: cell.ends_with(", reported"),
    }
}

/// Returns the bytes of an example: `\xE9` is a byte, `\e` the escape character, `⏎` a line end. Other characters are in UTF-8.
fn bytes(example: &str) -> Vec<u8> {
    let mut found = Vec::new();
    let mut rest = example;
    while let Some(c) = rest.chars().next() {
        let length = match rest.as_bytes() {
            [b'\\', b'x', ..] => {
                let digits = rest.get(2..4).expect("two digits");
                found.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
                4
            }
            [b'\\', b'u', ..] => {
                let digits = rest.get(2..6).expect("four digits");
                let code = u32::from_str_radix(digits, 16).expect("hexadecimal digits");
                let mut utf8 = [0; 4];
                let c = char::from_u32(code).expect("a character");
                found.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                6
            }
            [b'\\', b'e', ..] => {
                found.push(0x1B);
                2
            }
            [b'\\', b'\\', ..] => {
                found.push(b'\\');
                2
            }
            _ if c == '⏎' => {
                found.push(b'\n');
                c.len_utf8()
            }
            _ => {
                found.extend_from_slice(&rest.as_bytes()[..c.len_utf8()]);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

fn body_named(name: &str) -> (&'static str, Vec<u8>) {
    let found = BODIES.iter().find(|(known, ..)| *known == name);
    let (_, label, charset, text) = found.expect("a body that the page names");
    let charset = Charset::for_name(charset).expect("a charset");
    (
        label,
        charset
            .encode_exact(text)
            .expect("the charset has the text")
            .into_owned(),
    )
}

fn read_body(label: &str, body: &[u8]) -> Reading {
    let kind = if body.starts_with(b"<meta") {
        "html"
    } else {
        "plain"
    };
    let parameter = if label.is_empty() {
        String::new()
    } else {
        format!("; charset={label}")
    };
    let raw = [
        format!(
            "From: a@b.example\nSubject: x\nContent-Type: text/{kind}{parameter}\nContent-Transfer-Encoding: 8bit\n\n"
        )
        .as_bytes(),
        body,
        b"\n",
    ]
    .concat();
    let message = Message::parse(&raw, &Limits::default());
    let mut report = Report::with_limit(20);
    let part = text_parts(&message, &Policy::default(), &mut report)
        .pop()
        .expect("one text part");
    Reading {
        text: part.text.trim_end_matches('\n').to_owned(),
        is_reported: report
            .events
            .iter()
            .any(|event| event.kind.code() == "charset.suspected"),
    }
}

fn read_subject(label: &str, body: &[u8], value: &str) -> Reading {
    let raw = [
        format!(
            "From: a@b.example\nSubject: {value}\nContent-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit\n\n"
        )
        .as_bytes(),
        body,
        b"\n",
    ]
    .concat();
    let message = Message::parse(&raw, &Limits::default());
    let policy = Policy::default();
    let context = header_context(&message, &policy);
    let mut findings = Vec::new();
    let text = header::decode(
        value.as_bytes(),
        FieldKind::Unstructured,
        &context,
        &mut findings,
    );
    Reading {
        text: text.into_owned(),
        is_reported: findings
            .iter()
            .any(|finding| finding.kind.code() == "charset.suspected"),
    }
}

#[test]
fn escapes_of_examples_are_read() {
    assert_eq!(bytes(r"a\xE9\e\\⏎é"), b"a\xE9\x1B\\\n\xC3\xA9");
    assert_eq!(code("`iso-8859-1`"), "iso-8859-1");
    assert_eq!(code("–"), "");
    let reading = expected("`x`, reported");
    assert!(reading.is_reported && reading.text == "x");
}
