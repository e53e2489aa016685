//! Tests that write segments, damage them, and read them again.

use super::super::{read_whole, write_whole};
use super::open_segment::WINDOW;
use super::write::{END_LEN, MAX_ENTRY};
use super::*;
use crate::ledger::record_bytes::RECORD;
use crate::ledger::{IndexEntry, LedgerError};
use std::io::{ErrorKind, Write};

fn entry(number: u64) -> IndexEntry {
    IndexEntry {
        time: 1_000 + number,
        queue_id: format!("4F{number}").into_bytes(),
        message_id: format!("<{number}@example.org>").into_bytes(),
        sender: (!number.is_multiple_of(3)).then(|| b"a@example.org".to_vec()),
        recipients: (0..number % 4)
            .map(|n| format!("b{n}@example.org").into_bytes())
            .collect(),
        recipient_count: number % 4,
        size: number,
        blake3: [number as u8; 32],
    }
}

fn ledger(number: u64) -> Vec<u8> {
    let message = format!(
        "Subject: {number}\r\n\r\n{}",
        "x".repeat(number as usize % 50)
    );
    write_whole(Vec::new(), message.as_bytes(), b"{}", "test")
        .unwrap()
        .0
}

fn record(number: u64) -> Vec<u8> {
    segment_record(&entry(number), &ledger(number)).unwrap()
}

fn segment(bytes: &[u8]) -> Segment {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Segment::open(file).unwrap()
}

#[test]
fn records_round_trip() {
    let mut bytes = segment_header("test");
    (0..20).for_each(|number| bytes.extend(record(number)));
    for closed in [false, true] {
        if closed {
            let length = bytes.len() as u64;
            bytes.extend(segment_tail(
                length,
                &segment(&bytes).recover().unwrap().index,
            ));
        }
        let segment = segment(&bytes);
        assert_eq!(segment.is_closed(), closed);
        let offsets = segment
            .records()
            .map(Result::unwrap)
            .map(|located| (located.offset, located.entry));
        assert_eq!(segment.index().unwrap(), closed.then(|| offsets.collect()));
        let mut records = segment.records();
        for number in 0..20 {
            let located = records.next().unwrap().unwrap();
            assert_eq!(located.entry, entry(number));
            assert_eq!(segment.record_at(located.offset).unwrap(), located);
            assert_eq!(segment.ledger(&located).unwrap(), ledger(number));
            assert!(segment.record_at(located.offset + 1).is_err());
        }
        assert!(records.next().is_none());
        assert_eq!((records.skipped(), records.behind()), (0, 0));
    }
}

/// A write truncated at any byte costs that record and no other.
#[test]
fn torn_tail_is_detected_at_every_byte() {
    let mut bytes = segment_header("test");
    let start = bytes.len();
    let mut ends = vec![start];
    for number in 0..3 {
        bytes.extend(record(number));
        ends.push(bytes.len());
    }
    for cut in start..=bytes.len() {
        let whole = ends
            .iter()
            .filter(|end| **end > start && **end <= cut)
            .count();
        for filled in [0, 300] {
            // The truncated end is followed by zeros, as a file system may leave them, or by nothing.
            let torn = [&bytes[..cut], &vec![0; filled][..]].concat();
            let segment = segment(&torn);
            let sound = |located: &LocatedRecord| segment.ledger(located).is_ok();
            assert_eq!(
                segment.records().map(Result::unwrap).filter(sound).count(),
                whole,
                "cut at {cut}"
            );
            let end = ends
                .iter()
                .rfind(|end| **end <= cut)
                .copied()
                .unwrap_or(start);
            let recovered = segment.recover().unwrap();
            assert_eq!(recovered.end, end as u64, "cut at {cut}");
            if filled == 0 {
                assert_eq!(
                    (recovered.keep, recovered.damaged),
                    (end as u64, 0),
                    "cut at {cut}"
                );
                assert_eq!(recovered.torn, (cut - end) as u64, "cut at {cut}");
            }
            let all = recovered.keep + recovered.torn;
            assert!(
                recovered.keep >= recovered.end && all == torn.len() as u64,
                "cut at {cut}"
            );
        }
    }
    for cut in 0..start {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes[..cut]).unwrap();
        assert!(Segment::open(file).is_err(), "cut at {cut}");
    }
}

/// A sender chooses the bytes of the message. They also appear in its ledger if they do not compress.
#[test]
fn torn_record_contains_no_record() {
    let mut bytes = segment_header("test");
    (1..3).for_each(|number| bytes.extend(record(number)));
    let end = bytes.len();
    // A whole record, and one that reaches beyond the file.
    let far = segment_record(&entry(8), &vec![b'x'; 2 << 20]).unwrap();
    for forged in [record(7), far[..1_000].to_vec()] {
        let ledger = [&vec![b'y'; WINDOW][..], &forged, &record(9), &[b'z'; 200]].concat();
        let torn = segment_record(&entry(3), &ledger).unwrap();
        for cut in (0..torn.len()).rev().step_by(7).take(torn.len().min(500)) {
            let segment = segment(&[&bytes[..], &torn[..cut]].concat());
            let mut records = segment.records();
            assert_eq!(
                records
                    .by_ref()
                    .map(|r| r.unwrap().entry)
                    .collect::<Vec<_>>(),
                [entry(1), entry(2)]
            );
            assert_eq!((records.skipped(), records.behind()), (0, cut as u64));
            let recovered = segment.recover().unwrap();
            assert_eq!((recovered.end, recovered.records), (end as u64, 2));
            assert!(segment.record_at(end as u64).is_err());
        }
    }
}

/// A daemon is killed while it writes index and end: every record is found, and no bytes of the index are read as a record.
#[test]
fn torn_index_is_not_a_record() {
    let mut bytes = segment_header("test");
    // A Message-ID can look like a whole record.
    let forged = IndexEntry {
        message_id: record(7),
        ..entry(2)
    };
    bytes.extend(record(1));
    bytes.extend(segment_record(&forged, &ledger(2)).unwrap());
    let length = bytes.len();
    let recovered = segment(&bytes).recover().unwrap();
    assert_eq!((recovered.end, recovered.records), (length as u64, 2));
    bytes.extend(segment_tail(length as u64, &recovered.index));
    for cut in length..bytes.len() {
        let segment = segment(&bytes[..cut]);
        assert!(
            !segment.is_closed() && segment.index().unwrap().is_none(),
            "cut at {cut}"
        );
        let again = segment.recover().unwrap();
        // This few bytes may begin an index or a record.
        let torn = if cut - length < 4 {
            (cut - length) as u64
        } else {
            0
        };
        assert!(
            again
                == Recovered {
                    torn,
                    ..recovered.clone()
                },
            "cut at {cut}"
        );
        assert_eq!(segment.records().count(), 2, "cut at {cut}");
    }
    // A damaged index is ignored, and the records are read.
    for at in length..bytes.len() - END_LEN {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let segment = segment(&damaged);
        assert!(
            segment.is_closed() && segment.index().unwrap().is_none(),
            "byte {at}"
        );
        assert_eq!(segment.records().count(), 2, "byte {at}");
    }
}

/// A changed byte costs only its own record, or is detected when the ledger is read.
#[test]
fn a_damaged_byte_costs_one_record() {
    let mut bytes = segment_header("test");
    let start = bytes.len();
    let mut ends = Vec::new();
    for number in 0..4 {
        bytes.extend(record(number));
        ends.push(bytes.len());
    }
    for at in start..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let hit = ends.iter().position(|end| at < *end).unwrap() as u64;
        let segment = segment(&damaged);
        let sound: Vec<u64> = segment
            .records()
            .map(Result::unwrap)
            .filter(|located| segment.ledger(located).is_ok())
            .map(|located| located.entry.time - 1_000)
            .collect();
        assert_eq!(
            sound,
            (0..4).filter(|number| *number != hit).collect::<Vec<_>>(),
            "byte {at}"
        );
        // Everything but a torn write stays.
        let begin = if hit == 0 {
            start
        } else {
            ends[hit as usize - 1]
        };
        let recovered = segment.recover().unwrap();
        let damaged = (ends[hit as usize] - begin) as u64;
        assert_eq!(
            (recovered.keep, recovered.damaged),
            (bytes.len() as u64, damaged),
            "byte {at}"
        );
        assert_eq!((recovered.torn, recovered.records), (0, 3), "byte {at}");
    }
}

/// The ledger of a damaged record contains forged heads that claim the records after it, or more bytes than there are.
#[test]
fn forged_heads_in_a_damaged_record_hide_no_other() {
    let far = segment_record(&entry(8), &vec![b'x'; 2 << 20]).unwrap();
    let over_next = segment_record(&entry(7), &[b'x'; 700]).unwrap();
    let forged = [
        &b"text"[..],
        &record(9),
        &far[..200],
        &over_next[..over_next.len() - 700],
        b"text",
    ]
    .concat();
    // Three records of one length: a damaged length can lead from one to another.
    let whole = |number: u64, ledger: &[u8]| {
        let entry = IndexEntry {
            time: 1_000 + number,
            ..entry(1)
        };
        segment_record(&entry, ledger).unwrap()
    };
    let length = 1 << 10;
    let head = whole(0, b"").len();
    let ledgers = [
        [&forged[..], &vec![b'a'; length - head - forged.len()]].concat(),
        vec![b'b'; length - head],
        vec![b'c'; length - head],
        vec![b'd'; length - head],
    ];
    let header = segment_header("test");
    let mut bytes = header.clone();
    for (number, ledger) in ledgers.iter().enumerate() {
        bytes.extend(whole(number as u64, ledger));
    }
    let records = bytes.len();
    let index = segment(&bytes).recover().unwrap().index;
    for closed in [false, true] {
        if closed {
            bytes.extend(segment_tail(records as u64, &index));
        }
        for at in header.len()..records {
            for flip in [0x04, 0x55] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let segment = segment(&damaged);
                let found: Vec<u64> = segment
                    .records()
                    .map(Result::unwrap)
                    .filter(|located| segment.ledger(located).is_ok())
                    .map(|located| located.entry.time - 1_000)
                    .collect();
                let hit = ((at - header.len()) / length) as u64;
                for number in (0..4).filter(|number| *number != hit) {
                    assert!(found.contains(&number), "byte {at} {flip:x}: {found:?}");
                }
                // Only damaged lengths require a search.
                let within = (at - header.len()) % length;
                if !(4..16).contains(&within) {
                    let forged = found.iter().filter(|number| **number > 3);
                    assert_eq!(forged.count(), 0, "byte {at} {flip:x}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn a_search_crosses_windows() {
    let mut bytes = segment_header("test");
    bytes.extend(record(1));
    // False beginnings of records. The next record begins near the end of a window.
    for gap in [WINDOW - 3, WINDOW, WINDOW + 3, 3 * WINDOW] {
        let mut damaged = bytes.clone();
        damaged.extend(RECORD.repeat(gap / 4));
        damaged.extend(record(2));
        let segment = segment(&damaged);
        let mut records = segment.records();
        assert_eq!(
            records
                .by_ref()
                .map(|r| r.unwrap().entry.time - 1_000)
                .collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(records.skipped(), (gap / 4 * 4) as u64);
    }
}

#[test]
fn other_files_are_rejected() {
    let open = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Segment::open(file).unwrap_err()
    };
    assert!(matches!(open(b""), LedgerError::NotALedger));
    assert!(matches!(open(&ledger(1)), LedgerError::NotALedger));
    let mut other = segment_header("test");
    other[8] = 2;
    assert!(matches!(open(&other), LedgerError::Version(2)));
    let mut damaged = segment_header("test");
    damaged[14] ^= 1;
    assert!(matches!(open(&damaged), LedgerError::Damaged(_)));
}

#[test]
fn overlong_entry_drops_recipients_and_keeps_their_count() {
    let many = IndexEntry {
        recipients: vec![vec![b'a'; 2 << 20]],
        recipient_count: 1,
        ..entry(5)
    };
    let bytes = [
        segment_header("test"),
        segment_record(&many, &ledger(5)).unwrap(),
    ]
    .concat();
    let segment = segment(&bytes);
    let located = segment.records().next().unwrap().unwrap();
    assert!(!located.entry.has_all_recipients() && located.entry.queue_id == b"4F5");
    let (message, note) = read_whole(&segment.ledger(&located).unwrap()).unwrap();
    assert_eq!(
        (&message[..10], &note[..]),
        (&b"Subject: 5"[..], &b"{}"[..])
    );
}

/// Every record that can be built can be read.
#[test]
fn record_with_overlong_entry_is_rejected() {
    let rest = entry(5).encode().len() - entry(5).queue_id.len();
    // The length takes two more bytes.
    let longest = MAX_ENTRY - rest - 2;
    for length in [0, 1_000, longest - 1, longest, longest + 1, 70_000, 5 << 20] {
        for sender in [false, true] {
            let mut long = IndexEntry {
                queue_id: vec![b'a'; length],
                ..entry(5)
            };
            if sender {
                long.sender = Some(std::mem::take(&mut long.queue_id));
            }
            match segment_record(&long, &ledger(5)) {
                Ok(record) => {
                    let bytes = [segment_header("test"), record].concat();
                    let segment = segment(&bytes);
                    let located = segment.record_at(segment.start).unwrap();
                    assert_eq!(
                        (&located.entry.queue_id, &located.entry.sender),
                        (&long.queue_id, &long.sender)
                    );
                }
                Err(error) => {
                    assert!(length > longest, "{length}");
                    assert_eq!(error.kind(), ErrorKind::InvalidInput);
                }
            }
        }
    }
}
