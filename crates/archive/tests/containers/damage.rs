//! Truncated archives, headers that lie, and every changed byte of small archives: what can be read is read, in bounded time.

use crate::mailboxes::{Found, mbox, read_with};
use crate::writer::{TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter, deflate, gzip};
use mailglot_archive::{Batch, Entry, EntryKind, ReadOptions, open, recognize};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// No archive of these tests may take longer.
const LONGEST: Duration = Duration::from_secs(5);

/// Reads an archive as the file at `path`.
fn read_bytes(path: &Path, bytes: &[u8]) -> Found {
    fs::write(path, bytes).unwrap();
    let start = Instant::now();
    let found = read_with(path, 200);
    assert!(start.elapsed() < LONGEST, "{:?}", start.elapsed());
    found.unwrap_or_default()
}

/// Bytes that do not compress, as a mailbox.
fn noisy_mbox(count: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut mail = mbox("noise", 1);
    for number in 0..count {
        let mut letter = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (state >> 24) as u8 % 26
        };
        let line: Vec<u8> = (0..60).map(|_| letter()).collect();
        mail.extend_from_slice(&line);
        mail.extend_from_slice(format!(" {number}\n").as_bytes());
    }
    mail
}

fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let style = ZipStyle::default();
    let contents = [
        ("a.mbox", mbox("a", 2)),
        ("d/b.mbox", mbox("b", 3)),
        ("e/1.eml", b"Subject: e\n\ne\n".to_vec()),
    ];
    let zip = |style| {
        let mut zip = ZipWriter::new(style);
        for (name, content) in &contents {
            zip.add(name, content);
        }
        zip.finish()
    };
    let tar = |style| {
        let mut tar = TarWriter::new(style);
        for (name, content) in &contents {
            tar.add(name, content);
        }
        tar.add("long/".repeat(30), b"");
        tar.finish()
    };
    vec![
        ("zip", zip(style)),
        (
            "stored zip",
            zip(ZipStyle {
                is_stored: true,
                ..style
            }),
        ),
        (
            "zip64",
            zip(ZipStyle {
                is_zip64: true,
                ..style
            }),
        ),
        (
            "streamed zip",
            zip(ZipStyle {
                has_descriptors: true,
                ..style
            }),
        ),
        ("tar", tar(TarStyle::Gnu)),
        ("pax", tar(TarStyle::Pax)),
        ("tar.gz", gzip(&tar(TarStyle::Gnu))),
    ]
}

#[test]
fn truncated_archives_are_read_up_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    for (name, bytes) in archives() {
        let whole = read_bytes(&path, &bytes);
        assert_eq!(
            whole.archives.len(),
            3,
            "{name} {:?} {:?}",
            whole.archives,
            whole.events
        );
        let mut most = 0;
        for step in 1..50 {
            let cut = bytes.len() * step / 50;
            let found = read_bytes(&path, &bytes[..cut]);
            let is_reported = found
                .events
                .iter()
                .any(|event| event.contains("box.damaged") || event.contains("box.trailing-bytes"));
            let is_whole = found.bytes == whole.bytes;
            assert!(
                is_reported || is_whole || found.archives.is_empty(),
                "{name} {cut} {:?}",
                found.events
            );
            most = most.max(found.bytes.len());
        }
        assert!(
            most * 10 > whole.bytes.len() * 9,
            "{name}: {most} of {}",
            whole.bytes.len()
        );
    }
}

#[test]
fn a_truncated_zip_is_read_without_its_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    for (name, bytes) in archives()
        .into_iter()
        .filter(|(name, _)| name.contains("zip"))
    {
        let whole = read_bytes(&path, &bytes);
        let directory = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
        let found = read_bytes(&path, &bytes[..directory]);
        assert_eq!(found.bytes, whole.bytes, "{name}");
        assert_eq!(found.events.len(), 1);
        let words = "a zip archive: no directory lists its members; 3 were found without it";
        assert!(found.events[0].ends_with(words), "{:?}", found.events);
    }
}

#[test]
fn every_changed_byte_has_a_defined_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let skipped = ["stored zip", "streamed zip"];
    let archives = archives().into_iter();
    for (name, bytes) in archives.filter(|(name, _)| !skipped.contains(name)) {
        let whole = read_bytes(&path, &bytes);
        let mut same = 0;
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= [0x01, 0x80, 0xff][at % 3];
            let found = read_bytes(&path, &changed);
            // A changed byte of deflated data may repeat others.
            let most = 2000 * bytes.len();
            assert!(found.bytes.len() <= most, "{name} {at}");
            same += usize::from(found == whole);
        }
        // Times, versions and other fields that nobody needs.
        assert!(same > 0, "{name}");
    }
}

#[test]
fn changed_content_of_a_zip_member_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    for is_stored in [false, true] {
        let mut zip = ZipWriter::new(ZipStyle {
            is_stored,
            ..ZipStyle::default()
        });
        zip.add("a.mbox", &noisy_mbox(10));
        zip.add("b/1.eml", &noisy_mbox(10)[51..]);
        let bytes = zip.finish();
        let whole = read_bytes(&path, &bytes);
        assert!(whole.events.is_empty(), "{:?}", whole.events);
        let directory = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
        for at in (200..directory).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            let found = read_bytes(&path, &changed);
            let is_reported = found
                .events
                .iter()
                .any(|event| event.contains("box.damaged"));
            assert!(
                is_reported || found.bytes == whole.bytes,
                "{is_stored} {at}"
            );
        }
    }
}

#[test]
fn declared_sizes_are_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mail = mbox("x", 10);
    let honest = ZipMember::new(b"a.mbox", &mail, false);
    let half = mail.len() as u64 / 2;
    for (member, words, length) in [
        (
            ZipMember {
                size: half,
                ..honest.clone()
            },
            "longer than it says",
            half as usize,
        ),
        (
            ZipMember {
                size: 10 * half,
                ..honest.clone()
            },
            "cut off",
            mail.len(),
        ),
        (
            ZipMember {
                crc: 1,
                ..honest.clone()
            },
            "the checksum of its",
            mail.len(),
        ),
        (
            ZipMember {
                stored: honest.stored + 1_000_000,
                ..honest.clone()
            },
            "cut off; the last",
            mail.len(),
        ),
        (
            ZipMember {
                stored: honest.stored / 2,
                ..honest.clone()
            },
            "and cut off",
            0,
        ),
    ] {
        let mut zip = ZipWriter::new(ZipStyle::default());
        zip.member(&member);
        let found = read_bytes(&path, &zip.finish());
        assert!(
            found.events.iter().any(|event| event.contains(words)),
            "{words} {:?} {:?}",
            found.events,
            found.unread
        );
        assert!(mail.starts_with(&found.bytes), "{words}");
        assert!(
            found.bytes.len() == length || length == 0,
            "{words} {}",
            found.bytes.len()
        );
    }
    // A member that no local header backs.
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.add("good.mbox", &mail);
    zip.central_header(&honest, 7);
    let found = read_bytes(&path, &zip.finish());
    assert_eq!(found.bytes, mail);
    assert!(found.events[0].contains("no member lies where the directory says: a.mbox"));
    assert_eq!(deflate(&mail), honest.data);
}

/// A message is too large by its content, not by the size that its container declares.
#[test]
fn a_declared_size_makes_no_message_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let header = b"From: a@b\nSubject: x\n\n";
    let options = ReadOptions {
        message_limit: 1000,
        ..ReadOptions::default()
    };
    for (length, declared, codes, pieces) in [
        (10, 5_000_000, &["box.damaged"][..], 1),
        (900, 900, &[], 1),
        (1000 - header.len(), 1001, &["box.damaged"], 1),
        (1001 - header.len(), 1001, &["msg.too-large"], 2),
        (2500, 5_000_000, &["msg.too-large", "box.damaged"], 4),
    ] {
        let mail = [header, &vec![b'x'; length][..]].concat();
        let member = ZipMember {
            size: declared.max(mail.len() as u64),
            ..ZipMember::new(b"m.eml", &mail, false)
        };
        let mut zip = ZipWriter::new(ZipStyle::default());
        zip.member(&member);
        fs::write(&path, zip.finish()).unwrap();
        let inputs = recognize(&path).unwrap();
        let mut source = open(&inputs[0], &options).unwrap();
        let (mut batch, mut found, mut bytes) = (Batch::default(), Vec::new(), Vec::new());
        let mut entries = Vec::new();
        while source.next(&mut batch).unwrap() {
            found.extend(batch.events.iter().map(|event| event.kind.code()));
            bytes.extend_from_slice(&batch.bytes);
            entries.append(&mut batch.entries);
        }
        entries.retain(|entry| entry.kind != EntryKind::Directory);
        assert_eq!(
            (&found[..], bytes == mail),
            (codes, true),
            "{length} {declared}"
        );
        assert_eq!(entries.len(), pieces, "{length} {declared}");
        let is_message = |entry: &Entry| entry.kind == EntryKind::Message;
        assert_eq!(entries.iter().all(is_message), pieces == 1);
        let mut offset = 0;
        for (number, entry) in entries.iter().enumerate() {
            assert_eq!((entry.offset, entry.ordinal), (offset, 0));
            assert_eq!(entry.more, number + 1 < pieces);
            offset += entry.span.len() as u64;
        }
    }
}

#[test]
fn a_damaged_tar_header_hides_one_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.tar");
    let mut tar = TarWriter::new(TarStyle::Ustar);
    for name in ["a.mbox", "b.mbox", "c.mbox"] {
        tar.add(name, &mbox(name, 1));
    }
    let whole = tar.finish();
    let mut damaged = whole.clone();
    damaged[1024 + 5] ^= 1;
    let found = read_bytes(&path, &damaged);
    assert_eq!(found.bytes, [mbox("a.mbox", 1), mbox("c.mbox", 1)].concat());
    let words = "a header is damaged; 1024 bytes from here on are left out";
    assert!(
        found.events.len() == 1 && found.events[0].contains(words),
        "{:?}",
        found.events
    );
    assert!(found.events[0].contains(" box.damaged 1024 "));
    // `cat` joins archives; other bytes may follow.
    let found = read_bytes(&path, &[&whole[..], &whole].concat());
    assert_eq!(found.archives.len(), 6);
    let found = read_bytes(&path, &[&whole[..], b"more"].concat());
    assert!(found.archives.len() == 3 && found.events[0].contains("box.trailing-bytes"));
}

/// A member begins within the file, so its offset is added to what its headers claim.
#[test]
fn a_content_length_of_any_size_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail.tar");
    for length in [u64::MAX, u64::MAX - 200, u64::MAX - 2_000, 1 << 63] {
        let message = format!(
            "From a@example.org Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Length: {length}\n\ntext\n\n"
        );
        let mut tar = TarWriter::new(TarStyle::Gnu);
        tar.add("mail.mbox", message.repeat(3).as_bytes());
        let found = read_bytes(&path, &tar.finish());
        assert_eq!(found.entries.len(), 3, "{length}: {found:?}");
    }
}
