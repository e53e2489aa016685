//! Tests of emlx files, whole and damaged, alone and in the folders of Apple Mail.

use std::fs;
use std::path::Path;

use super::{Events, Piece, codes, drain, limited, messages, read, read_packed};
use crate::open::open;
use crate::recognize::recognize;
use crate::source::{Batch, EntryKind, Flags, Format, ReadOptions};

const MESSAGE: &[u8] = b"From: a@b.c\nSubject: one\n\nbody with <?xml version=\"1.0\"?> inside\n";

fn list(flags: u64) -> Vec<u8> {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n\t<key>flags</key>\n\t<integer>{flags}</integer>\n</dict>\n</plist>\n").into_bytes()
}

fn emlx(length: &str, message: &[u8], rest: &[u8]) -> Vec<u8> {
    [length.as_bytes(), b"\n", message, rest].concat()
}

fn right(flags: u64) -> Vec<u8> {
    emlx(&MESSAGE.len().to_string(), MESSAGE, &list(flags))
}

fn plain(bytes: &[u8]) -> (Vec<Piece>, Events) {
    let whole = read("1.emlx", bytes, &ReadOptions::default());
    assert_eq!(
        read_packed("1.emlx", bytes, &ReadOptions::default()),
        whole.0
    );
    whole
}

#[test]
fn the_length_divides_the_file() {
    let (pieces, events) = plain(&right(8_590_195_713));
    assert_eq!(messages(&pieces), [(MESSAGE.to_vec(), Flags::SEEN)]);
    assert_eq!(events, []);
    assert_eq!(
        pieces[0].separator,
        format!("{}\n", MESSAGE.len()).as_bytes()
    );
    assert_eq!(pieces[0].trailer, list(8_590_195_713));
    // Fields that only some program knows.
    let (pieces, events) = plain(b"16\nUnknown: 1\n\nabc\n");
    assert_eq!(messages(&pieces), [(b"Unknown: 1\n\nabc\n".to_vec(), 0)]);
    assert_eq!(events, []);
    // Padded, with CR LF, without a list, and with an old declaration.
    for (first, rest) in [
        ("65      ", &list(0)[..]),
        ("65\r", &list(0)),
        ("65", b""),
        ("65", b"\n"),
        ("65", b"<!DOCTYPE plist>\n<plist/>"),
    ] {
        assert_eq!(MESSAGE.len(), 65);
        let (pieces, events) = plain(&emlx(first, MESSAGE, rest));
        assert_eq!(messages(&pieces), [(MESSAGE.to_vec(), 0)], "{first}");
        assert_eq!(pieces[0].trailer, rest);
        assert_eq!(events, []);
    }
}

#[test]
fn bits_are_flags() {
    for (bits, flags) in [
        (0, 0),
        (1, Flags::SEEN),
        (1 << 1 | 1 << 2, Flags::TRASHED | Flags::REPLIED),
        (1 << 4 | 1 << 6, Flags::FLAGGED | Flags::DRAFT),
        (1 << 8, Flags::PASSED),
        (1 << 9, Flags::PASSED),
        (1 << 3 | 1 << 5 | 1 << 7 | 0x3f << 10, 0),
        (
            u64::MAX,
            Flags::SEEN
                | Flags::TRASHED
                | Flags::REPLIED
                | Flags::FLAGGED
                | Flags::DRAFT
                | Flags::PASSED,
        ),
    ] {
        assert_eq!(
            messages(&plain(&right(bits)).0),
            [(MESSAGE.to_vec(), flags)],
            "{bits}"
        );
    }
    for value in ["x", "-1", "", "99999999999999999999999"] {
        let rest = String::from_utf8(list(1))
            .unwrap()
            .replace("<integer>1<", &format!("<integer>{value}<"));
        let (pieces, events) = plain(&emlx("65", MESSAGE, rest.as_bytes()));
        assert_eq!(
            (messages(&pieces), events),
            (vec![(MESSAGE.to_vec(), 0)], vec![]),
            "{value}"
        );
    }
}

#[test]
fn a_wrong_length_is_reported() {
    for length in ["0", "1", "63", "66", "5000", "18446744073709551615"] {
        let (pieces, events) = plain(&emlx(length, MESSAGE, &list(1)));
        assert_eq!(
            messages(&pieces),
            [(MESSAGE.to_vec(), Flags::SEEN)],
            "{length}"
        );
        assert_eq!(codes(&events), ["box.structure"]);
        assert!(
            events[0].2.contains(&format!("not {length} bytes")),
            "{events:?}"
        );
    }
}

#[test]
fn a_damaged_first_line_is_no_part_of_the_message() {
    for (first, message) in [
        ("6x5", MESSAGE.to_vec()),
        ("", MESSAGE.to_vec()),
        ("99999999999999999999", MESSAGE.to_vec()),
    ] {
        let (pieces, events) = read(
            "1.emlx",
            &emlx(first, MESSAGE, &list(1)),
            &ReadOptions::default(),
        );
        assert_eq!(messages(&pieces), [(message, Flags::SEEN)], "{first}");
        assert_eq!(codes(&events), ["box.structure"], "{first}");
    }
    // A message without the first line.
    let (pieces, events) = read(
        "1.emlx",
        &[MESSAGE, &list(1)].concat(),
        &ReadOptions::default(),
    );
    assert_eq!(messages(&pieces), [(MESSAGE.to_vec(), Flags::SEEN)]);
    assert_eq!(codes(&events), ["box.structure"]);
}

#[test]
fn a_file_may_be_truncated_anywhere() {
    let whole = right(1);
    let end = 3 + MESSAGE.len();
    for cut in 9..whole.len() {
        let (pieces, events) = read("1.emlx", &whole[..cut], &ReadOptions::default());
        let found = messages(&pieces);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].0.starts_with(&MESSAGE[..cut.min(end) - 3]),
            "{cut}"
        );
        if cut < end {
            assert_eq!(codes(&events), ["box.structure"], "{cut}");
        }
    }
}

#[test]
fn a_message_above_the_limit_comes_in_pieces() {
    let large = [MESSAGE, &b"a line of text\n".repeat(1000)].concat();
    for length in [large.len(), large.len() - 5] {
        let bytes = emlx(&length.to_string(), &large, &list(1));
        let (pieces, events) = read("1.emlx", &bytes, &limited(1000));
        assert_eq!(messages(&pieces)[0].0, large);
        assert_eq!(pieces.last().unwrap().trailer, list(1));
        let is_right = length == large.len();
        assert_eq!(codes(&events).contains(&"box.structure"), !is_right);
        assert!(codes(&events).contains(&"msg.too-large"));
        assert!(pieces.len() > 10);
        assert_eq!(
            messages(&read_packed("1.emlx", &bytes, &limited(1000)))[0].0,
            large
        );
    }
}

/// A property list is small. What is longer is text.
#[test]
fn a_huge_list_is_text() {
    let rest = [&list(1)[..], &b"<x/>\n".repeat(300_000)].concat();
    let (pieces, events) = plain(&emlx("65", MESSAGE, &rest));
    assert_eq!(messages(&pieces), [([MESSAGE, &rest].concat(), 0)]);
    assert_eq!(codes(&events), ["box.structure"]);
}

#[test]
fn a_file_that_is_no_mail_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.emlx");
    for bytes in [&b"12\n13\n14\n"[..], b"prose\nand more\n", b"\0\0\0"] {
        fs::write(&path, bytes).unwrap();
        let found = recognize(&path).unwrap().remove(0);
        assert!(open(&found, &ReadOptions::default()).is_err());
    }
}

fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Reads a tree: kind, folder, name and flags of each entry, and the events.
fn tree(root: &Path, written_folder: Option<fn(&str) -> String>) -> (Vec<String>, Vec<String>) {
    let found = recognize(root).unwrap();
    assert_eq!((found.len(), found[0].format), (1, Format::EmlTree));
    let options = ReadOptions {
        written_folder,
        ..ReadOptions::default()
    };
    let mut source = open(&found[0], &options).unwrap();
    let (mut entries, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        for entry in batch
            .entries
            .iter()
            .filter(|entry| entry.kind != EntryKind::Directory)
        {
            let name = String::from_utf8_lossy(&entry.name);
            let text = entry.message_in(&batch.bytes).len();
            entries.push(format!(
                "{:?} {} {:?} {name} {} {text}",
                entry.kind, entry.ordinal, entry.folder, entry.flags.0
            ));
        }
        for event in &batch.events {
            events.push(format!("{} {}", event.kind.code(), event.detail));
        }
    }
    assert!(!source.changed().unwrap());
    (entries, events)
}

#[test]
fn folders_of_apple_mail_have_their_names() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let account = "V10/A1/INBOX.mbox/Work.mbox/B2/Data";
    write(root, &format!("{account}/Messages/1.emlx"), &right(1));
    write(
        root,
        &format!("{account}/3/Messages/3001.partial.emlx"),
        &right(17),
    );
    write(
        root,
        &format!("{account}/3/Attachments/3001/2/photo.jpg"),
        b"\xff\xd8",
    );
    write(
        root,
        &format!("{account}/3/Attachments/3001/1.2/caf\u{e9}.pdf"),
        b"%PDF",
    );
    write(
        root,
        "V10/A1/INBOX.mbox/B2/Data/Messages/2.partial.emlx",
        &right(0),
    );
    write(root, "plain/3.emlx", &right(0));
    write(root, "plain/4.emlx", b"prose\n\nthat is no mail\n");
    let written: fn(&str) -> String = str::to_owned;
    let (entries, events) = tree(root, Some(written));
    assert_eq!(
        entries,
        [
            r#"Message 0 "V10/A1/INBOX" V10/A1/INBOX.mbox/B2/Data/Messages/2.partial.emlx 0 65"#,
            &format!(
                r#"Other 1 "{account}/3/Attachments/3001/1.2" {account}/3/Attachments/3001/1.2/café.pdf 0 4"#
            ),
            &format!(
                r#"Other 1 "{account}/3/Attachments/3001/2" {account}/3/Attachments/3001/2/photo.jpg 0 2"#
            ),
            &format!(
                r#"Message 1 "V10/A1/INBOX/Work" {account}/3/Messages/3001.partial.emlx 5 65"#
            ),
            &format!(r#"Message 2 "V10/A1/INBOX/Work" {account}/Messages/1.emlx 1 65"#),
            r#"Message 3 "plain" plain/3.emlx 0 65"#,
            r#"Other 4 "plain" plain/4.emlx 0 23"#,
        ]
    );
    let beside: Vec<_> = events
        .iter()
        .filter(|event| event.starts_with("box.parts-beside"))
        .collect();
    assert_eq!(
        beside,
        [
            "box.parts-beside the message lacks parts, and no files with them lie beside it",
            "box.parts-beside the message lacks parts that lie beside it: Attachments/3001/1.2/café.pdf, Attachments/3001/2/photo.jpg",
        ]
    );
}

#[test]
fn a_mime_message_of_a_browser_is_a_message() {
    let root = tempfile::tempdir().unwrap();
    let saved = b"From: <Saved by Blink>\r\nSubject: page\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n--b--\r\n";
    write(root.path(), "a/page.mht", saved);
    write(root.path(), "page.MHTML", saved);
    let (entries, events) = tree(root.path(), None);
    assert_eq!(
        entries,
        [
            format!(r#"Message 0 "" page.MHTML 0 {}"#, saved.len()),
            format!(r#"Message 1 "a" a/page.mht 0 {}"#, saved.len()),
        ]
    );
    assert_eq!(events, Vec::<String>::new());
}

/// A stream has no name: the first line decides.
#[test]
fn a_single_file_with_another_name_is_recognized() {
    let bytes = right(4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("message");
    fs::write(&path, &bytes).unwrap();
    let found = recognize(&path).unwrap().remove(0);
    assert_eq!(found.format, Format::Eml);
    let mut source = open(&found, &ReadOptions::default()).unwrap();
    let (pieces, events) = drain(&mut *source, &bytes);
    assert_eq!(
        (messages(&pieces), events),
        (vec![(MESSAGE.to_vec(), Flags::REPLIED)], vec![])
    );
    assert_eq!(source.profile().dialect, "emlx");
}

/// Separators with a date prove that a number in the first line is no length. In a mailbox by name, one of them suffices.
#[test]
fn separators_behind_a_number_make_a_mailbox() {
    const DATED: &[u8] =
        b"\nFrom a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: two\n\ntext\n";
    let first = [b"12\n", MESSAGE].concat();
    let two = [&first, DATED, DATED].concat();
    let one = [&first, DATED].concat();
    let pasted = [MESSAGE, DATED, DATED].concat();
    let pasted = emlx(&pasted.len().to_string(), &pasted, &list(1));
    for (name, bytes, expected) in [
        ("a.mbox", &two, 3),
        ("a", &two, 3),
        ("a.mbox", &one, 2),
        ("a", &one, 1),
        ("a.mbox", &pasted, 1),
        ("a.mbox", &first, 1),
        ("a.emlx", &two, 1),
    ] {
        let (pieces, _) = read(name, bytes, &ReadOptions::default());
        assert_eq!(messages(&pieces).len(), expected, "{name}");
        if name != "a.emlx" {
            let packed = read_packed(name, bytes, &ReadOptions::default());
            assert_eq!(messages(&packed).len(), expected, "{name}");
        }
    }
}
