//! Hebrew in visual order (RFC 1556) keeps its order, and is told wherever it stands.

#![allow(clippy::panic, reason = "a test")]

use mailglot_codec::Charset;
use mailglot_mime::{EventKind, Limits, Message, Policy, process, text_parts};

const LOGICAL: &str = "שלום לכולם, אני שולח לכם את סדר היום של הישיבה";

/// A message with this text under this label in its body, its subject and the name of a file.
fn message(label: &str, text: &str) -> Vec<u8> {
    let charset = Charset::for_name("ISO-8859-8").unwrap_or(Charset::UTF_8);
    let bytes = charset
        .encode_exact(text)
        .expect("the charset has every character")
        .into_owned();
    let escaped = |sign: char| {
        bytes.iter().fold(String::new(), |text, byte| {
            format!("{text}{sign}{byte:02X}")
        })
    };
    let head = format!(
        "Subject: =?{label}?Q?{}?=\nMIME-Version: 1.0\nContent-Type: text/plain; charset={label}\n\
         Content-Disposition: inline; filename*={label}''{}\nContent-Transfer-Encoding: 8bit\n\n",
        escaped('='),
        escaped('%'),
    );
    [head.into_bytes(), bytes].concat()
}

fn told(raw: &[u8]) -> (String, usize) {
    let out = process(raw, &Policy::default());
    let count = out
        .report
        .events
        .iter()
        .filter(|event| event.kind == EventKind::CharsetVisualOrder)
        .count();
    let again = process(&out.bytes, &Policy::default());
    assert_eq!(again.bytes, out.bytes);
    let mut report = mailglot_mime::Report::with_limit(9);
    let parts = text_parts(
        &Message::parse(&out.bytes, &Limits::default()),
        &Policy::default(),
        &mut report,
    );
    (parts.into_iter().map(|part| part.text).collect(), count)
}

#[test]
fn visual_order_is_told_and_kept() {
    let visual: String = LOGICAL.chars().rev().collect();
    let short = "ערב טוב";
    for (label, text, count) in [
        ("iso-8859-8", &*visual, 3),
        ("hebrew", &*visual, 3),
        ("iso-8859-8", short, 3),
        ("iso-8859-8", LOGICAL, 0),
        ("iso-8859-8-i", LOGICAL, 0),
        ("iso-8859-8-i", &*visual, 3),
        ("iso-8859-8-e", &*visual, 3),
        ("logical", short, 0),
        ("iso-8859-8", "plain", 0),
    ] {
        assert_eq!(
            told(&message(label, text)),
            (text.to_owned(), count),
            "{label} {text}"
        );
    }
}
