//! Archives with a directory that is not theirs, or that begin like a message: the members are read, or their loss is reported.

use crate::mailboxes::{Found, mbox, read};
use crate::writer::{TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter};
use std::fs;

fn read_bytes(bytes: &[u8]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    fs::write(&path, bytes).unwrap();
    read(&path)
}

fn zip(members: &[(&str, &[u8])], is_stored: bool) -> Vec<u8> {
    let mut zip = ZipWriter::new(ZipStyle {
        is_stored,
        ..ZipStyle::default()
    });
    for (name, content) in members {
        zip.add(name, content);
    }
    zip.finish()
}

#[test]
fn a_truncated_zip_is_not_read_as_the_zip_inside() {
    let inner = zip(&[("inner.mbox", &mbox("inner", 1))], true);
    let outer = zip(&[("a.mbox", &mbox("a", 300)), ("b.zip", &inner)], true);
    let end = memchr::memmem::find(&outer, &inner).unwrap() + inner.len();
    let whole = read_bytes(&outer);
    assert_eq!((whole.archives.len(), whole.events.len()), (2, 0));
    let found = read_bytes(&outer[..end]);
    assert_eq!(found.archives, whole.archives);
    assert_eq!(found.bytes, whole.bytes);
    let words = "no directory lists its members; 2 were found without it";
    assert!(
        found.events.len() == 1 && found.events[0].ends_with(words),
        "{:?}",
        found.events
    );
}

#[test]
fn zip_archives_behind_each_other_are_all_read() {
    let first = zip(&[("a.mbox", &mbox("a", 1))], false);
    let second = zip(&[("b.mbox", &mbox("b", 1)), ("c.mbox", b"")], false);
    let found = read_bytes(&[&first[..], &second, &first].concat());
    let wanted = [mbox("a", 1), mbox("a", 1), mbox("b", 1)].concat();
    assert_eq!(found.bytes, wanted);
    let is_reported = |words: &str| found.events.iter().any(|event| event.contains(words));
    assert!(is_reported("no directory lists its members; 4 were found"));
    assert!(is_reported("has the name of another member"));
}

#[test]
fn an_end_record_in_a_comment_hides_no_members() {
    let mut bytes = b"MZ a program".to_vec();
    bytes.extend_from_slice(&zip(&[("a.mbox", &mbox("a", 1))], false));
    let mut comment = b"PK\x05\x06".to_vec();
    comment.resize(22, 0);
    let length = bytes.len();
    bytes[length - 2] = comment.len() as u8;
    bytes.extend_from_slice(&comment);
    let found = read_bytes(&bytes);
    assert_eq!(found.bytes, mbox("a", 1));
    assert!(found.events.is_empty(), "{:?}", found.events);
}

#[test]
fn a_damaged_directory_hides_no_members() {
    let names = ["a.mbox", "b.mbox", "c.mbox", "d.mbox"];
    let mails = names.map(|name| mbox(name, 1));
    let members: Vec<_> = names
        .into_iter()
        .zip(mails.iter().map(|mail| &**mail))
        .collect();
    for program in [&b""[..], b"MZ a program"] {
        let mut bytes = [program, &zip(&members, false)].concat();
        let third = memchr::memmem::find_iter(&bytes, b"PK\x01\x02")
            .nth(2)
            .unwrap();
        bytes[third] = b'Q';
        let found = read_bytes(&bytes);
        assert_eq!(found.bytes, mails.concat());
        let words = "the directory has 2 members, not 4; 2 more were found without it";
        assert!(
            found.events.len() == 1 && found.events[0].ends_with(words),
            "{:?}",
            found.events
        );
    }
}

#[test]
fn a_tar_whose_first_member_is_named_like_a_field_is_a_tar() {
    for style in [TarStyle::Ustar, TarStyle::Gnu] {
        let mut tar = TarWriter::new(style);
        tar.add("Re: x.eml", b"Subject: x\n\nx\n");
        tar.add("b.eml", b"Subject: b\n\nb\n");
        let found = read_bytes(&tar.finish());
        assert_eq!(found.archives, [" EmlTree eml tree"]);
        assert_eq!(found.entries.len(), 2, "{style:?} {:?}", found.entries);
    }
}

#[test]
fn a_tar_with_a_damaged_first_header_is_a_tar() {
    for style in [TarStyle::Ustar, TarStyle::Gnu] {
        let mut tar = TarWriter::new(style);
        tar.add("a.mbox", &mbox("a", 1));
        tar.add("b.mbox", &mbox("b", 1));
        let mut bytes = tar.finish();
        bytes[3] ^= 1;
        let found = read_bytes(&bytes);
        assert_eq!(found.bytes, mbox("b", 1));
        let words = "a header is damaged; 1024 bytes from here on are left out";
        assert!(
            found.events.len() == 1 && found.events[0].contains(words),
            "{:?}",
            found.events
        );
    }
}

#[test]
fn content_of_a_message_that_declares_none_is_reported() {
    let content = b"Subject: x\n\nwords\n";
    for is_stored in [false, true] {
        let honest = ZipMember::new(b"1.eml", content, is_stored);
        let mut zip = ZipWriter::new(ZipStyle::default());
        zip.member(&ZipMember { size: 0, ..honest });
        zip.add("2.eml", b"");
        let found = read_bytes(&zip.finish());
        assert_eq!(found.entries.len(), 2);
        let damaged = |event: &&String| event.contains("box.damaged");
        let reported: Vec<_> = found.events.iter().filter(damaged).collect();
        assert!(
            reported.len() == 1 && reported[0].contains("longer than it says"),
            "{:?}",
            found.events
        );
    }
}
