//! Files of Outlook Express that are damaged or made to harm: what they have is read, in bounded memory and time.

use crate::dbx::{messages, written};
use crate::dbx_writer::{DbxFile, DbxMessage};
use crate::{Events, codes, drain, message, read, store};
use mailglot_archive::{ReadOptions, open};
use std::fs;

/// Reads a file of nine messages after `damage`. Returns the length of each message as read and as written, and the events.
fn lengths_after(damage: impl Fn(&mut DbxFile)) -> (Vec<(usize, usize)>, Events) {
    let all = messages(9);
    let mut file = DbxFile::of(&all, 2);
    damage(&mut file);
    let (_folder, path) = written(&file.bytes);
    let (found, events) = read(&path, &ReadOptions::default());
    let mut lengths = Vec::new();
    for found in found {
        let (number, _) = found.name.split_once('-').unwrap();
        // Each message begins with its own number, whatever its place.
        let is_of = |message: &&DbxMessage| message.bytes.starts_with(&found.bytes);
        let whole = all.iter().find(is_of).map(|message| message.bytes.len());
        let whole = whole.expect(number);
        lengths.push((found.bytes.len(), whole));
    }
    (lengths, events)
}

/// Number of messages, of whole ones, and the codes of the events.
fn outcome(damage: impl Fn(&mut DbxFile)) -> (usize, usize, Vec<&'static str>) {
    let (lengths, events) = lengths_after(damage);
    let whole = lengths.iter().filter(|(read, whole)| read == whole).count();
    (lengths.len(), whole, codes(&events))
}

#[test]
fn a_damaged_chain_ends_where_it_is_damaged() {
    type Damage = fn(&mut DbxFile);
    let damages: [(&str, Damage); 7] = [
        ("loop to itself", |file| {
            file.put(file.segments[5][1] + 12, file.segments[5][1]);
        }),
        ("loop to the first", |file| {
            file.put(file.segments[5][2] + 12, file.segments[5][0]);
        }),
        ("beyond the file", |file| {
            file.put(file.segments[5][1] + 12, 0xffff_fff0);
        }),
        ("at the end of the file", |file| {
            let end = file.bytes.len() - 8;
            file.put(file.segments[5][1] + 12, end);
        }),
        ("into the header", |file| {
            file.put(file.segments[5][1] + 12, 4);
        }),
        ("another mark", |file| file.put(file.segments[5][2], 7)),
        ("into an earlier message", |file| {
            file.put(file.segments[5][1] + 12, file.segments[3][1]);
        }),
    ];
    for (name, damage) in damages {
        assert_eq!(outcome(damage), (9, 8, vec!["box.damaged"]), "{name}");
    }
    // A later message loses what an earlier one took.
    let (lengths, events) = lengths_after(|file| {
        let place = file.segments[8][0];
        file.put(file.segments[8][0] + 12, place);
    });
    assert_eq!(lengths[8].0, 0x200);
    assert!(
        events[0].2.contains("in a piece of another message"),
        "{events:?}"
    );
}

#[test]
fn a_segment_that_says_too_much_gives_what_it_has() {
    let (lengths, events) = lengths_after(|file| {
        let last = *file.segments[4].last().unwrap();
        // What follows the text is unused space.
        let end = file.bytes[last + 0x10..last + 0x210]
            .iter()
            .position(|&byte| byte == 0xdd);
        assert!(end.unwrap() > 0);
        // It also leads to itself.
        file.put(last + 12, last);
        file.put(last + 8, end.unwrap());
    });
    assert_eq!(lengths.len(), 9);
    assert_eq!(codes(&events), ["box.damaged"]);
    let all = messages(1);
    let mut file = DbxFile::of(&all, 2);
    let first = file.segments[0][0];
    file.put(first + 8, 0x201);
    let (_folder, path) = written(&file.bytes);
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(found[0].bytes.len(), 0x200);
    assert!(found[0].bytes.starts_with(&all[0].bytes));
    assert_eq!(codes(&events), ["box.damaged"]);
}

#[test]
fn a_damaged_index_loses_only_its_own_messages() {
    type Damage = fn(&mut DbxFile);
    let damages: [(&str, Damage, (usize, usize)); 10] = [
        ("mark of an info", |file| file.put(file.infos[4], 1), (8, 1)),
        (
            "info beyond the file",
            |file| {
                let node = *file.nodes.last().unwrap();
                file.put(node + 0x18, 0x7fff_fff0);
            },
            (8, 1),
        ),
        ("mark of a leaf", |file| file.put(file.nodes[0], 1), (8, 2)),
        (
            "mark of the root",
            |file| file.put(*file.nodes.last().unwrap(), 1),
            (0, 2),
        ),
        (
            "root beyond the file",
            |file| file.put(0xe4, 0xffff_ffff),
            (0, 2),
        ),
        ("no root", |file| file.put(0xe4, 0), (0, 2)),
        (
            "leaf that leads to the root",
            |file| {
                let (leaf, root) = (file.nodes[0], *file.nodes.last().unwrap());
                file.put(leaf + 8, root);
                file.put(leaf + 0x14, 9);
            },
            (9, 1),
        ),
        (
            "leaf that leads to itself",
            |file| {
                let leaf = file.nodes[1];
                file.put(leaf + 0x18 + 4, leaf);
                file.put(leaf + 0x18 + 8, 1);
            },
            (9, 1),
        ),
        (
            "more entries than fit",
            |file| {
                let leaf = file.nodes[0];
                file.bytes[leaf + 0x11] = 255;
            },
            (8, 2),
        ),
        (
            "more messages than listed",
            |file| file.put(0xc4, 10),
            (9, 1),
        ),
    ];
    for (name, damage, (messages, events)) in damages {
        let (found, whole, codes) = outcome(damage);
        assert_eq!((found, whole), (messages, messages), "{name}: {codes:?}");
        assert_eq!(codes, vec!["box.damaged"; events], "{name}");
    }
}

/// The end of the file is missing.
#[test]
fn truncated_files_give_what_they_have() {
    let all = messages(4);
    let whole = DbxFile::of(&all, 2).bytes;
    let (_folder, path) = written(&whole);
    for end in (512..whole.len()).step_by(97) {
        fs::write(&path, &whole[..end]).unwrap();
        let (found, events) = drain(&mut *open(&store(&path), &ReadOptions::default()).unwrap());
        // The unused end of the last node may be missing.
        let is_whole = found.len() == all.len()
            && found
                .iter()
                .zip(&all)
                .all(|(found, all)| found.bytes == all.bytes);
        assert_ne!(events.is_empty(), !is_whole, "{end}: {events:?}");
        for found in found {
            let is_of = |message: &DbxMessage| message.bytes.starts_with(&found.bytes);
            assert!(all.iter().any(is_of), "{end}");
        }
    }
}

/// Segments that lie in each other would make a small file as large as one likes.
#[test]
fn overlapping_segments_do_not_grow_the_mail() {
    let mut file = DbxFile::of(&[DbxMessage::new(message(0, 300))], 1);
    let first = file.segments[0][0];
    let start = file.bytes.len().next_multiple_of(16);
    let count = 20_000;
    file.bytes.resize(start + 16 * count + 0x210, b'x');
    for number in 0..count {
        let at = start + 16 * number;
        file.put(at, at);
        file.put(at + 8, 0x200);
        file.put(at + 12, at + 16);
    }
    file.put(first + 12, start);
    let (_folder, path) = written(&file.bytes);
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(codes(&events), ["box.damaged"]);
    assert!(found[0].bytes.len() <= file.bytes.len() + 0x200);
}

/// A chain of nodes is deeper than any tree.
#[test]
fn a_deep_tree_ends() {
    let mut file = DbxFile::of(&messages(1), 1);
    let mut child = file.nodes[0];
    for _ in 0..200 {
        let mut node = vec![0; 0x27c];
        node[8..12].copy_from_slice(&(child as u32).to_le_bytes());
        node[0x14] = 1;
        child = file.add(&node);
    }
    file.put(0xe4, child);
    let (_folder, path) = written(&file.bytes);
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(found.len(), 0);
    assert_eq!(codes(&events), ["box.damaged"; 2]);
}

/// Random damage: bytes, numbers of the file, and places.
#[test]
fn mutants_are_read_in_bounds() {
    let file = DbxFile::of(&messages(12), 2);
    let (_folder, path) = written(&file.bytes);
    let input = store(&path);
    let places: Vec<usize> = [&file.nodes[..], &file.infos, &file.segments.concat()].concat();
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..1500 {
        let mut mutant = file.clone();
        for _ in 0..=random(6) {
            let at = places[random(places.len())] + 4 * random(8);
            let value = match random(4) {
                0 => places[random(places.len())],
                1 => random(1 << 16),
                2 => 0xffff_ffff - random(8),
                _ => random(8),
            };
            if at + 4 <= mutant.bytes.len() {
                mutant.put(at, value);
            }
        }
        fs::write(&path, &mutant.bytes).unwrap();
        let (found, _) = drain(&mut *open(&input, &ReadOptions::default()).unwrap());
        let length: usize = found.iter().map(|message| message.bytes.len()).sum();
        assert!(length <= mutant.bytes.len() + 0x200);
    }
}
