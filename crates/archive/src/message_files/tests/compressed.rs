//! Tests folders whose message files are compressed, as Dovecot's plugin mail_compress writes them.

use std::io::Write;

use super::write;
use crate::box_event::CompressionDefect;
use crate::input::Input;
use crate::message_files::*;
use crate::open::open;
use crate::packed::dovecot_lz4::compress as dovecot_lz4;
use crate::source::MAX_EXPANSION;

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut out = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 3).unwrap()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

type Pack = fn(&[u8]) -> Vec<u8>;

/// Name, content and kind of a file.
type ReadFile = (String, Vec<u8>, EntryKind);

const PACKS: [Pack; 6] = [gzip, bzip2, xz, zstd, lz4, dovecot_lz4];

/// Name, content and kind of each file, joined from its entries, and the events. With `ahead`, files are read as other threads do.
fn files(root: &Path, options: &ReadOptions, ahead: bool) -> (Vec<ReadFile>, Vec<BoxEvent>) {
    let input = Input::on_disk(root, Format::Maildir);
    let mut source = open(&input, options).unwrap();
    let (mut files, mut events) = (Vec::new(), Vec::new());
    let mut batch = Batch::default();
    loop {
        while ahead && let FilesAhead::Unread(unread) = source.files_ahead(2, 2) {
            source.give(unread.read(true));
        }
        if !source.next(&mut batch).unwrap() {
            break;
        }
        let mut is_continued = false;
        for entry in &batch.entries {
            let bytes = &batch.bytes[entry.span.clone()];
            if let Some(digest) = entry.digest {
                assert_eq!(digest, *blake3::hash(bytes).as_bytes());
            }
            let name = String::from_utf8(entry.name.clone()).unwrap();
            let last: Option<&mut ReadFile> = files.last_mut();
            match last.filter(|last| last.0 == name || is_continued) {
                Some(last) => last.1.extend_from_slice(bytes),
                None if entry.kind == EntryKind::Directory => {}
                None => files.push((name, bytes.to_vec(), entry.kind)),
            }
            is_continued = entry.more;
        }
        events.append(&mut batch.events);
    }
    assert!(!source.changed().unwrap());
    (files, events)
}

/// Reads a folder with and without other threads, which must not differ.
fn read(root: &Path, options: &ReadOptions) -> (Vec<ReadFile>, Vec<BoxEvent>) {
    let alone = files(root, options, false);
    assert!(files(root, options, true) == alone);
    alone
}

#[test]
fn compressed_messages_are_read_like_others() {
    let root = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for size in [0, 1_000, 70_000, 600_000, 3_000_000] {
        let lines = (0..size / 10).flat_map(|line| format!("{line:09}\n").into_bytes());
        let message = format!("Subject: {size}\n\n").into_bytes();
        let message: Vec<u8> = message.into_iter().chain(lines).collect();
        for (number, pack) in PACKS.iter().enumerate() {
            let name = format!("cur/{size:07}.{number},S={}:2,S", message.len());
            write(&root.path().join(&name), &pack(&message));
            expected.push((name, message.clone()));
        }
        let name = format!("cur/{size:07}.x:2,S");
        write(&root.path().join(&name), &message);
        expected.push((name, message));
    }
    for limit in [64 << 20, 100_000, 2_000] {
        let options = ReadOptions {
            message_limit: limit,
            ..ReadOptions::default()
        };
        let (files, events) = read(root.path(), &options);
        assert_eq!(files.len(), expected.len());
        for ((name, bytes, kind), (wanted, message)) in files.iter().zip(&expected) {
            assert!(name == wanted && bytes == message, "{name} {limit}");
            let is_large = message.len() > limit;
            assert_eq!(*kind == EntryKind::Oversize, is_large, "{name} {limit}");
        }
        let (last, others) = events.split_last().unwrap();
        assert_eq!(last.detail, BoxDetail::Decompressed { messages: 30 });
        let is_large = |event: &BoxEvent| event.kind == BoxEventKind::TooLarge;
        assert!(others.iter().all(is_large) && (limit < 1 << 20 || others.is_empty()));
    }
}

#[test]
fn compressed_files_without_mail_stay() {
    let root = tempfile::tempdir().unwrap();
    let mut archive = vec![0; 1024];
    archive[..5].copy_from_slice(b"a.eml");
    archive[257..263].copy_from_slice(b"ustar\0");
    let mail = b"Subject: x\n\ny\n";
    for (name, bytes) in [
        ("cur/1", gzip(&archive)),
        ("cur/2", gzip(&gzip(mail))),
        ("cur/3", zstd(b"a list of words\n")),
        ("cur/4", xz(&vec![b'x'; 2_000_000])),
        // Not in the place of a message.
        ("index", gzip(mail)),
        ("tmp/5", gzip(mail)),
        ("cur/.hidden", gzip(mail)),
    ] {
        write(&root.path().join(name), &bytes);
    }
    let (files, events) = read(root.path(), &ReadOptions::default());
    assert_eq!(files.len(), 7);
    for (name, bytes, kind) in files {
        assert_eq!(fs::read(root.path().join(&name)).unwrap(), bytes, "{name}");
        let is_message = name.starts_with("cur/") && !name.contains('.');
        assert_eq!(kind == EntryKind::Message, is_message, "{name}");
    }
    let is_no_mail = |event: &BoxEvent| event.kind == BoxEventKind::NoMail;
    assert!(events.iter().all(is_no_mail), "{events:?}");
}

#[test]
fn damaged_messages_are_read_up_to_the_damage() {
    let text: Vec<u8> = (0..40_000u32)
        .flat_map(|line| format!("{:x}\n", line.wrapping_mul(2_654_435_761)).into_bytes())
        .collect();
    let message = [b"Subject: x\n\n", &text[..]].concat();
    for pack in PACKS {
        let whole = pack(&message);
        // The last one ends between two chunks of Dovecot's LZ4, which only the size in the name shows.
        let chunk = u32::from_be_bytes(*whole[19..].first_chunk().unwrap()) as usize;
        for cut in [16, 20, whole.len() / 2, whole.len() - 1, 23 + chunk] {
            let Some(bytes) = whole.get(..cut) else {
                continue;
            };
            let root = tempfile::tempdir().unwrap();
            let name = format!("cur/1.host,S={}:2,S", message.len());
            write(&root.path().join(&name), bytes);
            let (files, events) = read(root.path(), &ReadOptions::default());
            let damage = &events[0];
            assert!(damage.kind == BoxEventKind::Damaged && damage.is_cut());
            assert_eq!(
                (&*damage.name, damage.offset),
                (name.as_bytes(), cut as u64)
            );
            let BoxDetail::Compressed { defect, .. } = &damage.detail else {
                panic!("{damage:?}");
            };
            let CompressionDefect::CutOff { given } = defect else {
                panic!("{defect:?}");
            };
            // What cannot be read at all stays.
            if *given == 0 {
                assert!(files[0].1 == bytes && events.len() == 1);
            } else {
                assert!(message.starts_with(&files[0].1) && files[0].1.len() as u64 == *given);
                assert_eq!(events[1].kind, BoxEventKind::Decompressed);
            }
        }
    }
}

#[test]
fn expansion_is_limited() {
    let root = tempfile::tempdir().unwrap();
    let bomb = [b"Subject: x\n\n", &vec![b'x'; 8 << 20][..]].concat();
    write(&root.path().join("cur/1"), &gzip(&bomb));
    for (ratio, is_cut) in [(MAX_EXPANSION, true), (100_000, false)] {
        let options = ReadOptions {
            max_expansion: ratio,
            message_limit: 1 << 30,
            ..ReadOptions::default()
        };
        let (files, events) = read(root.path(), &options);
        assert_eq!(files[0].1 == bomb, !is_cut);
        assert!(bomb.starts_with(&files[0].1) && files[0].1.len() >= 1 << 20);
        assert_eq!(files[0].1.len() < 2 << 20, is_cut);
        assert_eq!(events[0].kind == BoxEventKind::Expansion, is_cut);
    }
}

#[test]
fn eml_files_that_are_compressed_inside_are_read() {
    let root = tempfile::tempdir().unwrap();
    let message = b"Subject: x\n\ny\n";
    write(&root.path().join("1.eml"), &gzip(message));
    let input = Input::on_disk(root.path(), Format::EmlTree);
    let mut source = open(&input, &ReadOptions::default()).unwrap();
    let mut batch = Batch::default();
    assert!(source.next(&mut batch).unwrap());
    assert_eq!(batch.bytes, message);
}
