//! Tests that an encoded word without an end is reported where a value ends, and that it stays.

use mailglot_mime::{EventKind, Policy, process};

/// Returns the reported word of a subject, and checks that the message stays.
fn unclosed(subject: &str) -> Option<String> {
    let raw = format!("Subject: {subject}\n\ntext\n").into_bytes();
    let normalized = process(&raw, &Policy::default());
    assert_eq!(&*normalized.bytes, raw, "{subject}");
    let mut events = normalized.report.events.iter();
    let event = events.find(|event| event.kind == EventKind::EwUnclosed)?;
    let word = String::from_utf8_lossy(event.at.of(&raw)).into_owned();
    Some(format!("{} {word}", event.detail))
}

#[test]
fn words_that_a_program_cut_are_reported() {
    for (before, charset, word) in [
        ("Re: ", "KOI8-R", "=?koi8-r?B?5M/Hz9fP0iDJINPeo9Qg2sEg0NLP2"),
        ("", "KOI8-R", "=?koi8-r?B?8NLJ18XU?"),
        ("", "KOI8-R", "=?koi8-r?B?8NLJ1w==?"),
        ("a ", "UTF-8", "=?utf-8?Q?ra=C4=8Duna?"),
        ("", "UTF-8", "=?utf-8?q?Gr=C3=BC=C3=9"),
        ("[list] ", "ISO-8859-1", "=?iso-8859-1*de?Q?Gr=FC"),
        (
            "Re: ",
            "UTF-8",
            "=?utf-8?Q?Gr=C3=BC=C3=9Fe aus M=C3=BCnchen",
        ),
    ] {
        let found = unclosed(&format!("{before}{word}"));
        assert_eq!(found, Some(format!("{charset} {word}")));
    }
    // Words before it are complete.
    let words = "=?UTF-8?B?UsOpcA==?= =?UTF-8?B?w7w";
    assert_eq!(unclosed(words).as_deref(), Some("UTF-8 =?UTF-8?B?w7w"));
    let words = "=?UTF-8?B?UsOpcA==?= =?UTF";
    assert_eq!(unclosed(words).as_deref(), Some(" =?UTF"));
}

#[test]
fn text_that_resembles_a_word_is_not_reported() {
    for text in [
        "=?utf-8?Q?no end, but text",
        "=?x?",
        "=?utf-8?",
        "=?utf-8?Q?",
        "=?no-such-charset?Q?a",
        "a =?b",
        "=?UTF-8?B?UsOpcA==?= why =?",
        "why=?",
        "=?utf-8?Q?whole?=",
        "=?utf-8?X?abc",
        "=?utf-8?B?one two",
    ] {
        assert_eq!(unclosed(text), None, "{text}");
    }
}
