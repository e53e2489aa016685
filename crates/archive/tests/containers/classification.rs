//! Tests how members are classified: damaged members, unread members, and files beside messages.

use crate::mailboxes::{mbox, read};
use crate::writer::{TarStyle, ZipMember, ZipStyle, ZipWriter, tar_of, zip_of};
use mailglot_archive::{Batch, ReadOptions, open, recognize};
use std::fs;
use std::path::Path;

const STORED: ZipStyle = ZipStyle {
    is_stored: true,
    is_zip64: false,
    has_descriptors: false,
};

/// A deflated member whose data are damaged at their start.
fn damaged(name: &[u8], content: &[u8]) -> ZipMember {
    let mut member = ZipMember::new(name, content, false);
    // A block of the reserved type.
    member.data[0] |= 7;
    member
}

#[test]
fn a_member_damaged_at_its_start_is_not_taken_for_other_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mut inner = ZipWriter::default();
    inner.add("a.mbox", &mbox("a", 1));
    let members = [("Inbox", mbox("a", 300)), ("inner.zip", inner.finish())];
    for (name, content) in members {
        for has_tree in [false, true] {
            let mut zip = ZipWriter::default();
            zip.member(&damaged(name.as_bytes(), &content));
            zip.add("b.mbox", &mbox("b", 1));
            zip.add("notes.txt", b"no mail\n");
            if has_tree {
                zip.add("1.eml", b"Subject: x\n\n");
            }
            fs::write(&path, zip.finish()).unwrap();
            let found = read(&path);
            let events = |code: &str| {
                let of_member = |event: &&String| event.contains(code) && event.contains(name);
                found.events.iter().filter(of_member).count()
            };
            assert_eq!(events("box.damaged"), 1, "{name} {:?}", found.events);
            assert_eq!(events("box.no-mail"), 0, "{name} {:?}", found.events);
            let others = |event: &&String| event.contains("not mail");
            assert_eq!(found.events.iter().filter(others).count(), 1, "{name}");
        }
    }
}

#[test]
fn a_container_with_unread_members_is_not_called_other_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut inner = mbox("deep", 1);
    let mut name = "a.mbox".to_owned();
    for depth in 1..=5 {
        let mut zip = ZipWriter::new(STORED);
        zip.add(&name, &inner);
        inner = zip.finish();
        name = format!("{depth}.zip");
    }
    let mut locked = ZipWriter::default();
    let mut member = ZipMember::new(b"a.mbox", &mbox("a", 1), true);
    member.flags |= 1;
    locked.member(&member);
    for (name, bytes) in [("deep.zip", inner), ("locked.zip", locked.finish())] {
        for has_tree in [false, true] {
            let all = folder.path().join(format!("{name}-{has_tree}"));
            fs::create_dir(&all).unwrap();
            fs::write(all.join(name), &bytes).unwrap();
            fs::write(all.join("b.mbox"), mbox("b", 1)).unwrap();
            if has_tree {
                fs::write(all.join("1.eml"), b"Subject: x\n\n").unwrap();
            }
            let found = read(&all);
            assert_eq!(found.events.len(), 1, "{:?}", found.events);
            assert!(found.events[0].contains("box.member-skipped"), "{name}");
        }
    }
}

#[test]
fn a_path_leads_into_an_archive_that_extracts_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mut zip = ZipWriter::default();
    zip.add("only.mbox", &mbox("a", 3));
    let bytes = [b"MZ a program\n".repeat(100), zip.finish()].concat();
    fs::write(&path, bytes).unwrap();
    let inside = read(&path.join("only.mbox"));
    assert_eq!(inside.bytes, mbox("a", 3));
}

#[test]
fn a_slash_at_the_end_leads_into_a_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mut inner = ZipWriter::default();
    inner.add("only.mbox", &mbox("a", 3));
    let inner = inner.finish();
    let mut zip = ZipWriter::default();
    zip.add("in/i.zip", &inner);
    zip.add("in/1.eml", b"Subject: x\n\n");
    fs::write(&path, zip.finish()).unwrap();
    for below in ["", "in", "in/i.zip"] {
        let path = path.join(below);
        let slashed = path.join("");
        assert!(slashed.to_str().unwrap().ends_with('/'));
        assert_eq!(read(&slashed), read(&path), "{below}");
    }
    for file in ["in/1.eml", "in/none"] {
        assert!(recognize(&path.join(file).join("")).is_err());
    }
}

/// Writes a zip archive with one file, and the same file on the disk. Returns the events about both.
fn events_of_message(folder: &Path, content: &[u8], style: ZipStyle) -> [Vec<String>; 2] {
    let (zipped, plain) = (folder.join("t.zip"), folder.join("x.eml"));
    let mut zip = ZipWriter::new(style);
    zip.add("x.eml", content);
    fs::write(&zipped, zip.finish()).unwrap();
    fs::write(&plain, content).unwrap();
    [zipped.join("x.eml"), plain].map(|path| read(&path).events)
}

#[test]
fn separators_in_a_single_message_are_counted_in_a_container_too() {
    let folder = tempfile::tempdir().unwrap();
    let content = [b"Subject: x\n\nhe wrote:\n\n", &mbox("quoted", 2)[..]].concat();
    for style in [ZipStyle::default(), STORED] {
        let [zipped, plain] = events_of_message(folder.path(), &content, style);
        assert_eq!(plain.len(), 1, "{plain:?}");
        assert!(plain[0].contains("mbox.single"), "{plain:?}");
        assert_eq!(zipped, plain);
    }
}

#[test]
fn parts_beside_a_message_are_found_in_a_container_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mail");
    let data = root.join("Work.mbox/Data");
    fs::create_dir_all(data.join("Messages")).unwrap();
    fs::create_dir_all(data.join("Attachments/8/2")).unwrap();
    let message =
        b"12\nSubject: x\n\n<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>\n";
    fs::write(data.join("Messages/8.partial.emlx"), message).unwrap();
    fs::write(data.join("Attachments/8/2/photo.jpg"), b"\xff\xd8").unwrap();
    let path = folder.path().join("t.zip");
    fs::write(&path, zip_of(&root, ZipStyle::default())).unwrap();
    let (zipped, plain) = (read(&path), read(&root));
    let beside = |events: &[String]| {
        let mut events: Vec<_> = events.to_vec();
        events.retain(|event| event.contains("box.parts-beside"));
        events
    };
    let wanted = beside(&plain.events);
    assert!(wanted.len() == 1 && wanted[0].contains("Attachments/8/2/photo.jpg"));
    assert_eq!(beside(&zipped.events), wanted);
    // A link in the way is not followed.
    for link in ["Attachments", "Attachments/8"] {
        let moved = data.join("moved");
        fs::rename(data.join(link), &moved).unwrap();
        std::os::unix::fs::symlink(&moved, data.join(link)).unwrap();
        let events = beside(&read(&root).events);
        assert!(
            events.len() == 1 && !events[0].contains("photo.jpg"),
            "{events:?}"
        );
        fs::remove_file(data.join(link)).unwrap();
        fs::rename(&moved, data.join(link)).unwrap();
    }
}

/// A message beyond the limit is longer than what is kept in memory.
#[test]
fn a_stored_member_of_a_layout_is_read_far_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let message = [b"Subject: x\n\n", &b"a line of text\n".repeat(300_000)[..]].concat();
    let list = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>\n";
    let size = message.len().to_string();
    let emlx = [size.as_bytes(), b"\n", &message, list.as_bytes()].concat();
    let root = folder.path().join("mail");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("1.emlx"), &emlx).unwrap();
    let (zip, tar) = (folder.path().join("t.zip"), folder.path().join("t.tar"));
    fs::write(&zip, zip_of(&root, STORED)).unwrap();
    fs::write(&tar, tar_of(&root, TarStyle::Ustar)).unwrap();
    let options = ReadOptions {
        message_limit: 1000,
        batch: 1000,
        ..ReadOptions::default()
    };
    for path in [root, zip, tar] {
        let inputs = recognize(&path).unwrap();
        let mut source = open(&inputs[0], &options).unwrap();
        let (mut batch, mut codes, mut bytes) = (Batch::default(), Vec::new(), 0);
        while source.next(&mut batch).unwrap() {
            codes.extend(batch.events.iter().map(|event| event.kind.code()));
            bytes += batch.bytes.len();
        }
        assert_eq!(
            (codes, bytes),
            (vec!["msg.too-large"], emlx.len()),
            "{path:?}"
        );
    }
}
