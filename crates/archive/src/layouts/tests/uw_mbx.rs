//! Tests of mbx files, whole and damaged.

use super::{Events, Piece, codes, limited, messages, read, read_once, read_packed};
use crate::source::{EntryKind, Flags, ReadOptions};

const MESSAGE: &[u8] = b"From: a@b.c\r\nSubject: one\r\n\r\nbody; of 1;2\r\n";

fn head() -> Vec<u8> {
    let mut head = b"*mbx*\r\n3a5c0f1200000003\r\nwork\r\nurgent\r\n".to_vec();
    head.resize(2048, 0);
    head
}

fn message(flags: &str, text: &[u8]) -> Vec<u8> {
    let line = format!(
        " 7-Jul-2001 12:00:00 +0000,{};{flags}-00000001\r\n",
        text.len()
    );
    [line.as_bytes(), text].concat()
}

fn mbx(messages: &[Vec<u8>]) -> Vec<u8> {
    [head(), messages.concat()].concat()
}

fn plain(bytes: &[u8]) -> (Vec<Piece>, Events) {
    let whole = read("inbox", bytes, &ReadOptions::default());
    assert_eq!(
        read_packed("inbox", bytes, &ReadOptions::default()),
        whole.0
    );
    whole
}

#[test]
fn sizes_divide_the_file() {
    let texts = [MESSAGE, b"", b"Subject: no line end\r\n\r\nend", MESSAGE];
    let all: Vec<_> = texts
        .iter()
        .map(|text| message("000000000001", text))
        .collect();
    let (pieces, events) = plain(&mbx(&all));
    let expected: Vec<_> = texts
        .iter()
        .map(|text| (text.to_vec(), Flags::SEEN))
        .collect();
    assert_eq!(messages(&pieces), expected);
    assert_eq!(events, []);
    assert_eq!(
        (pieces[0].kind, pieces[0].message.len()),
        (EntryKind::Gap, 2048)
    );
    assert_eq!(pieces[1].separator.len(), 53);
}

#[test]
fn bits_are_flags() {
    for (digits, flags) in [
        ("000000000000", 0),
        ("000000000001", Flags::SEEN),
        ("00000003000a", Flags::TRASHED | Flags::REPLIED),
        ("000000000024", Flags::FLAGGED | Flags::DRAFT),
        ("ffffffff8010", Flags::TRASHED),
        (
            "00000000002F",
            Flags::SEEN | Flags::TRASHED | Flags::FLAGGED | Flags::REPLIED | Flags::DRAFT,
        ),
    ] {
        let (pieces, _) = plain(&mbx(&[message(digits, MESSAGE)]));
        assert_eq!(messages(&pieces), [(MESSAGE.to_vec(), flags)], "{digits}");
    }
}

#[test]
fn a_file_without_messages_has_none() {
    for length in [25, 100, 2047, 2048] {
        let (pieces, events) = plain(&head()[..length]);
        assert_eq!(messages(&pieces), []);
        assert_eq!(pieces.len(), 1);
        assert_eq!(events, []);
    }
}

/// With a wrong size the next separator decides.
#[test]
fn wrong_sizes_are_reported() {
    let right = message("000000000001", MESSAGE);
    for size in [
        "0",
        "5",
        "42",
        "44",
        "999",
        "99999999999999999999",
        "18446744073709551615",
    ] {
        let wrong = [
            format!(" 7-Jul-2001 12:00:00 +0000,{size};000000000000-00000001\r\n").as_bytes(),
            MESSAGE,
        ]
        .concat();
        for messages_of in [
            vec![wrong.clone(), right.clone()],
            vec![right.clone(), wrong.clone()],
        ] {
            let (pieces, events) = plain(&mbx(&messages_of));
            if size.len() == 20 && size.starts_with('9') {
                // No number of 64 bits: not a separator at all.
                assert_eq!(messages(&pieces).len(), 1, "{size}");
            } else {
                let texts: Vec<_> = messages(&pieces)
                    .into_iter()
                    .map(|(text, _)| text)
                    .collect();
                assert_eq!(texts, [MESSAGE, MESSAGE], "{size}");
            }
            assert_eq!(codes(&events), ["box.structure"], "{size}: {events:?}");
        }
    }
}

#[test]
fn bytes_between_messages_are_kept() {
    let one = message("000000000001", MESSAGE);
    for between in [
        &b"\r\n"[..],
        b"\0\0\0\0",
        b"junk;of 000000000001-00000001\r\n",
        &[b';'; 200],
    ] {
        let (pieces, events) =
            plain(&[head(), one.clone(), between.to_vec(), one.clone()].concat());
        // The size of the first message seems wrong: its text goes on.
        assert_eq!(messages(&pieces).len(), 2);
        assert_eq!(messages(&pieces)[0].0, [MESSAGE, between].concat());
        assert_eq!(codes(&events), ["box.structure"]);
    }
    // Behind the head.
    let (pieces, events) = plain(&[&head()[..], b"xx", &one].concat());
    assert_eq!(messages(&pieces), [(MESSAGE.to_vec(), Flags::SEEN)]);
    assert_eq!(codes(&events), ["box.structure"]);
}

/// A head that lost bytes, as in a file that was edited.
#[test]
fn a_short_head_hides_no_message() {
    let one = message("000000000001", MESSAGE);
    for length in [30, 1000, 2046] {
        let bytes = [&head()[..length], &one.repeat(60)].concat();
        let (pieces, events) = plain(&bytes);
        assert_eq!(messages(&pieces).len(), 60, "{length}");
        assert_eq!(codes(&events), ["box.structure"]);
    }
}

#[test]
fn a_file_may_be_truncated_anywhere() {
    let one = message("000000000001", MESSAGE);
    let whole = mbx(&[one.clone(), one.clone()]);
    for cut in (25..2048).step_by(97).chain(2048..whole.len()) {
        let (pieces, events) = read("inbox", &whole[..cut], &ReadOptions::default());
        let begun = |start: usize| usize::from(cut >= start + 53);
        assert_eq!(
            messages(&pieces).len(),
            begun(2048) + begun(2048 + one.len()),
            "{cut}"
        );
        let is_whole = cut <= 2048 || cut == 2048 + one.len();
        assert_eq!(events.is_empty(), is_whole, "{cut} {events:?}");
    }
}

#[test]
fn a_changed_byte_loses_nothing() {
    let one = message("000000000001", MESSAGE);
    let whole = mbx(&[one.clone(), one.clone(), one]);
    for at in 2048..whole.len() {
        for byte in [0, b';', b'0', b' '] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let (pieces, _) = read_once("inbox", &bytes);
            assert!((2..=3).contains(&messages(&pieces).len()), "{at} {byte}");
        }
    }
}

#[test]
fn a_message_above_the_limit_comes_in_pieces() {
    let large = [
        b"Subject: large\r\n\r\n",
        &b"a line; of text\r\n".repeat(1000)[..],
    ]
    .concat();
    let bytes = mbx(&[
        message("000000000001", &large),
        message("000000000000", MESSAGE),
    ]);
    let (pieces, events) = read("inbox", &bytes, &limited(1000));
    assert_eq!(read_packed("inbox", &bytes, &limited(1000)), pieces);
    assert_eq!(
        messages(&pieces),
        [(large, Flags::SEEN), (MESSAGE.to_vec(), 0)]
    );
    assert_eq!(codes(&events), ["msg.too-large"]);
    assert!(pieces.len() > 10);
}

/// The size of a huge message is confirmed in a file, far ahead. A stream finds the next separator instead.
#[test]
fn sizes_beyond_the_memory_are_confirmed() {
    let large = [
        b"Subject: large\r\n\r\n",
        &b"a line of text\r\n".repeat(300_000)[..],
    ]
    .concat();
    let bytes = mbx(&[
        message("000000000001", &large),
        message("000000000000", MESSAGE),
    ]);
    let options = ReadOptions {
        batch: 4096,
        ..limited(4096)
    };
    let (pieces, events) = read("inbox", &bytes, &options);
    assert_eq!(messages(&pieces).len(), 2);
    assert_eq!(codes(&events), ["msg.too-large"]);
    assert_eq!(
        messages(&read_packed("inbox", &bytes, &options)),
        messages(&pieces)
    );
}
