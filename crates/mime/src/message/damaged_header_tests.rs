//! Places of the events about damaged MIME fields, and the time that these fields take.

use super::test_support::{parse, shape};
use super::*;
use crate::event::{EventKind, Reason};
use crate::limits::Limits;
use crate::linear::assert_linear;
use crate::policy::Policy;

/// Makes a message of the given number of pieces.
type MakeDamaged<'a> = &'a dyn Fn(usize) -> String;

#[test]
fn events_have_the_places_of_the_lines() {
    let raw = b"From: a@b.example\nContent-Type: multipart/mixed;\nboundary=b;\ncharset=utf-8\nX: y\n\n--b\n\nx\n--b--\n";
    let message = parse(raw);
    let [event] = message.defects() else {
        panic!("{:?}", message.defects());
    };
    assert_eq!((event.kind, event.count), (EventKind::HdrNoColon, 2));
    assert_eq!(event.at.of(raw), b"boundary=b;\ncharset=utf-8\n");
    assert_eq!(shape(raw).len(), 2);
}

#[test]
fn damaged_headers_take_linear_time() {
    let unlimited = Limits {
        fields: usize::MAX,
        field: usize::MAX,
        ..Limits::default()
    };
    for unit in [
        "Content-Type: text/plain;\nboundary=b;\n",
        "Content-Type: multipart/mixed;\n \n",
        "\nboundary=b;",
        "\ncharset=utf-8;",
        "\nname=\"x",
        "\n Content-Type: multipart/mixed; boundary=b",
        "\n Reply-To: a@b.example",
        "\n \n",
        " \n",
        "--b\n",
        "(<\"",
    ] {
        for head in [
            "Content-Type: multipart/mixed;\nboundary=b;",
            "From: a@b.example",
            "From: a@b.example\n Content-Type: multipart/mixed; boundary=b",
        ] {
            for tail in ["", "\n Content-Transfer-Encoding: base64", "\n\n"] {
                assert_linear(&(head, unit, tail), 4_000_000 / unit.len(), |n| {
                    let raw = format!("{head}{}{tail}\n\ntext\n", unit.repeat(n));
                    let _ = Message::parse(raw.as_bytes(), &unlimited);
                });
            }
        }
    }
}

#[test]
fn nested_parts_and_siblings_with_damaged_headers_take_linear_time() {
    let unlimited = Limits {
        depth: usize::MAX,
        parts: usize::MAX,
        ..Limits::default()
    };
    let wrapped = |index: usize| format!("Content-Type: multipart/mixed;\nboundary=b{index}\n\n");
    let nested = |count: usize, text: &str| -> String {
        let level = |index| format!("{}{text}--b{index}\n", wrapped(index));
        (0..count).map(level).collect()
    };
    let siblings = |count: usize| -> String {
        let part = |index| format!("--outer\n{}--x\n", wrapped(index));
        let head = "Content-Type: multipart/mixed; boundary=outer\n\n".to_owned();
        (0..count).fold(head, |text, index| text + &part(index)) + "--outer\n\n--b0\n"
    };
    let embedded = |count: usize| -> String {
        let level = |index| {
            format!(
                "{}--b{index}\nContent-Type: message/rfc822\n\n",
                wrapped(index)
            )
        };
        (0..count).map(level).collect()
    };
    let table: [MakeDamaged<'_>; 4] = [
        &|count| nested(count, ""),
        &|count| nested(count, "--x\n--y\n"),
        &siblings,
        &embedded,
    ];
    for (index, make) in table.iter().enumerate() {
        assert_linear(&index, 30_000, |count| {
            let raw = make(count);
            let message = Message::parse(raw.as_bytes(), &unlimited);
            assert!(message.parts().len() > count, "{}", message.parts().len());
        });
    }
}

/// Windows Notepad writes the mark. Python reads `\u{FEFF}From` as the name of the field.
#[test]
fn a_byte_order_mark_stands_before_the_first_field() {
    let head = "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\nFrom: a@b.example\n";
    let body = "\n8NLJ18XUIM3J0g==\n";
    for separator in [
        "",
        "From a@b.example Mon Jan  1 00:00:00 2001\n",
        ">From a\n",
    ] {
        let raw = format!("\u{FEFF}{separator}{head}{body}");
        let normalized = crate::process(raw.as_bytes(), &Policy::default());
        let text = String::from_utf8(normalized.bytes.into_owned()).expect("UTF-8");
        let rest = text.strip_prefix(separator).expect("without the mark");
        assert!(
            rest.starts_with("Content-Type: text/plain; charset=utf-8\n"),
            "{text}"
        );
        assert!(rest.trim_end().ends_with("\n\nПривет мир"), "{text}");
        let marks = normalized.report.events.iter();
        let marks = marks.filter(|event| event.detail == Reason::ByteOrderMark);
        assert_eq!(
            marks.map(|event| event.at).collect::<Vec<_>>(),
            [Span::new(0, 3)]
        );
    }
    // So do two, and the rest of the header is rewritten.
    let raw = b"\xEF\xBB\xBF\xEF\xBB\xBFFrom: a@b.example\nSubject: caf\xE9 noir\n\nx\n";
    let normalized = crate::process(raw, &Policy::default());
    let text = String::from_utf8_lossy(&normalized.bytes);
    assert!(text.starts_with("From: a@b.example\nSubject: =?"), "{text}");
    // It is no header.
    let text = "\u{FEFF}Dear reader,\n\nFrom: here\n";
    let message = Message::parse(text.as_bytes(), &Limits::default());
    assert_eq!(message.all_fields().len(), 0);
}
