//! Archives that expand to far more than their size: stopped at a limit, with an event.

use crate::mailboxes::{Found, mbox, read_with};
use crate::writer::{TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter, gzip};
use mailglot_archive::{BoxEventKind, LeftOut, RecognizeOptions, recognize_with};
use std::fs;
use std::time::{Duration, Instant};

/// Bytes that are exempt from the limit.
const FREE: usize = 64 << 20;

fn read_bytes(bytes: &[u8], max_expansion: u64) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    fs::write(&path, bytes).unwrap();
    let start = Instant::now();
    let found = read_with(&path, max_expansion).unwrap();
    assert!(
        start.elapsed() < Duration::from_mins(1),
        "{:?}",
        start.elapsed()
    );
    found
}

fn expansions(found: &Found) -> usize {
    let is_expansion = |event: &&String| event.contains("box.expansion");
    found.events.iter().filter(is_expansion).count()
}

/// A mailbox of one message with `size` letters.
fn long_mbox(size: usize) -> Vec<u8> {
    let mut mail = mbox("bomb", 1);
    mail.resize(size, b'a');
    mail
}

#[test]
fn one_member_is_limited() {
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.add("a.mbox", &long_mbox(FREE + (4 << 20)));
    let bytes = zip.finish();
    let found = read_bytes(&bytes, 200);
    assert_eq!(expansions(&found), 1);
    assert!((FREE..FREE + (1 << 20)).contains(&found.bytes.len()));
    let found = read_bytes(&bytes, 2000);
    assert_eq!(
        (expansions(&found), found.bytes.len()),
        (0, FREE + (4 << 20))
    );
}

#[test]
fn the_whole_container_is_limited() {
    // Each member is within its limit, all together are not.
    let mut zip = ZipWriter::new(ZipStyle::default());
    for number in 0..8 {
        zip.add(format!("{number}.mbox"), &long_mbox(FREE / 4));
    }
    let found = read_bytes(&zip.finish(), 200);
    assert!(
        expansions(&found) > 0 && found.bytes.len() < FREE + (1 << 20),
        "{}",
        found.bytes.len()
    );
    // So it is for compressed mailboxes in it.
    let mut zip = ZipWriter::new(ZipStyle::default());
    let packed = gzip(&long_mbox(FREE / 4));
    for number in 0..8 {
        zip.add(format!("{number}.mbox.gz"), &packed);
    }
    let found = read_bytes(&zip.finish(), 200);
    assert!(
        expansions(&found) > 0 && found.bytes.len() < FREE + (1 << 20),
        "{}",
        found.bytes.len()
    );
}

#[test]
fn overlapping_members_are_left_out() {
    let mail = long_mbox(1 << 20);
    let member = ZipMember::new(b"a.mbox", &mail, true);
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.member(&member);
    for number in 0..1000 {
        zip.central_header(
            &ZipMember {
                name: format!("{number}.mbox").into(),
                ..member.clone()
            },
            0,
        );
    }
    let found = read_bytes(&zip.finish(), 200);
    assert_eq!(found.bytes.len(), mail.len());
    let overlap = |event: &&String| event.contains("members overlap; this one is left out");
    assert_eq!(found.events.iter().filter(overlap).count(), 1000);
}

#[test]
fn nested_bombs_are_limited() {
    // 64 MiB in each of 16, in each of 16.
    let mut bytes = long_mbox(FREE);
    let mut name = "a.mbox".to_owned();
    for depth in 0..3 {
        let mut zip = ZipWriter::new(ZipStyle::default());
        let member = ZipMember::new(name.as_bytes(), &bytes, false);
        for number in 0..16 {
            zip.member(&ZipMember {
                name: format!("{number}{name}").into(),
                ..member.clone()
            });
        }
        bytes = zip.finish();
        name = format!("{depth}.zip");
    }
    let found = read_bytes(&bytes, 200);
    assert!(expansions(&found) > 0);
    assert!(
        found.bytes.len() <= FREE + (64 << 20),
        "{}",
        found.bytes.len()
    );
}

#[test]
fn a_compressed_tar_is_limited() {
    let mut tar = TarWriter::new(TarStyle::Gnu);
    tar.add("a.mbox", &mbox("first", 1));
    tar.add("b.mbox", &long_mbox(FREE + (4 << 20)));
    let found = read_bytes(&gzip(&tar.finish()), 200);
    assert_eq!(expansions(&found), 1);
    assert!(found.bytes.starts_with(&mbox("first", 1)));
    assert!(found.bytes.len() > FREE - (1 << 20));
}

#[test]
fn the_number_of_members_is_limited() {
    let mut zip = ZipWriter::new(ZipStyle::default());
    let member = ZipMember::new(b"x", b"", true);
    for number in 0..1_000_010u32 {
        zip.central_header(
            &ZipMember {
                name: format!("{number}/").into(),
                ..member.clone()
            },
            0,
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    fs::write(&path, zip.finish()).unwrap();
    let mut kinds = Vec::new();
    let options = RecognizeOptions::default();
    let found = recognize_with(&path, &options, &mut |left| {
        if let LeftOut::Noted(event) = left {
            kinds.push(event.kind);
        }
        Ok(())
    });
    assert!(found.unwrap().is_empty());
    // The number of members overflows in the end record, too.
    assert_eq!(kinds, [BoxEventKind::MemberLimit]);
}
