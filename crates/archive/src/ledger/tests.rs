use super::*;
use crate::source::Quoting;

fn records() -> Vec<Record<'static>> {
    vec![
        Record::Source(0),
        Record::Raw {
            kind: RawKind::Gap,
            bytes: b"\xEF\xBB\xBF",
        },
        Record::Same {
            messages: 3,
            bytes: 1000,
        },
        Record::Message(MessageRecord {
            out: [40, 200_000, 1],
            separator: None,
            trailer: Some(b""),
            body: Body::Undo {
                requote: Requote::Count {
                    unquote: true,
                    marks: vec![0, 1, 300],
                },
                changes: vec![
                    Change {
                        start: 12,
                        len: 5,
                        old: Old::Bytes(b"iso-8859-1"),
                    },
                    Change {
                        start: 17,
                        len: 0,
                        old: Old::Bytes(b""),
                    },
                    Change {
                        start: 100_000,
                        len: 70_000,
                        old: Old::Recipe(b"\x01\x02\x03"),
                    },
                ],
            },
            continued: false,
            midline: false,
        }),
        Record::File(b"cur/1:2,S"),
        Record::OutFile(b"cur/00000001"),
        Record::Message(MessageRecord {
            out: [0, 7, 0],
            separator: Some(b"From x\n"),
            trailer: None,
            body: Body::Whole(b"Subject: old\n"),
            continued: true,
            midline: true,
        }),
        Record::Directory(b"new"),
        Record::Message(MessageRecord {
            out: [1, 2, 3],
            separator: None,
            trailer: None,
            body: Body::Undo {
                requote: Requote::Convert {
                    unquote: false,
                    source: Quoting::Mboxo,
                },
                changes: Vec::new(),
            },
            continued: false,
            midline: false,
        }),
        Record::Message(MessageRecord {
            out: [u64::MAX, 0, 9],
            separator: Some(b"a"),
            trailer: Some(b"b"),
            body: Body::Same,
            continued: false,
            midline: false,
        }),
        Record::Raw {
            kind: RawKind::Other,
            bytes: b"other",
        },
        Record::Raw {
            kind: RawKind::Dropped,
            bytes: b"left out",
        },
        Record::Raw {
            kind: RawKind::SetAside,
            bytes: b"aside",
        },
        Record::Note(b"{}"),
    ]
}

fn footer() -> Footer {
    let archived = |name: &[u8], format, folder| Archived {
        name: name.to_vec(),
        format,
        folder,
        messages: 7,
        bytes: 123_456,
        blake3: [7; 32],
    };
    Footer {
        producer: "mailglot 0".into(),
        sources: vec![
            archived(b"a.mbox", Format::Mbox, false),
            archived(b"m", Format::Maildir, true),
        ],
        outputs: vec![
            archived(b"a.mbox", Format::Mbox, false),
            archived(b"m", Format::EmlTree, true),
        ],
        alone: false,
        set_aside: 1,
        blocks: 2,
    }
}

fn sample() -> Vec<u8> {
    let mut builder = BlockBuilder::new().unwrap();
    let mut writer = LedgerWriter::new(Vec::new()).unwrap();
    for half in records().chunks(5) {
        let mut block = Vec::new();
        for record in half {
            builder.push(record);
        }
        builder.finish(&mut block).unwrap();
        writer.block(&block).unwrap();
    }
    writer.block(&[]).unwrap();
    let mut expected = footer();
    expected.blocks = 3;
    let (bytes, length) = writer.finish(&expected).unwrap();
    assert_eq!(bytes.len() as u64, length);
    bytes
}

fn open(bytes: &[u8]) -> Result<Ledger, LedgerError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Ledger::open(file.path())
}

#[test]
fn ledger_round_trips() {
    let mut ledger = open(&sample()).unwrap();
    assert_eq!(
        ledger.footer(),
        &Footer {
            blocks: 3,
            ..footer()
        }
    );
    let (mut block, mut at) = (Block::default(), 0);
    let expected = records();
    while ledger.next_block(&mut block).unwrap() {
        for record in block.records() {
            assert_eq!(record.unwrap(), expected[at]);
            at += 1;
        }
    }
    assert_eq!(at, expected.len());
    assert!(!ledger.next_block(&mut block).unwrap());
}

#[test]
fn runs_are_merged_and_small() {
    let mut builder = BlockBuilder::new().unwrap();
    for _ in 0..10_000 {
        builder.push(&Record::Same {
            messages: 1,
            bytes: 4096,
        });
    }
    let mut block = Vec::new();
    builder.finish(&mut block).unwrap();
    assert!(block.len() < 48, "{}", block.len());
}

#[test]
fn an_edit_costs_few_bytes() {
    let changes: Vec<_> = (0..1000)
        .map(|i| Change {
            start: i * 60,
            len: 20,
            old: Old::Bytes(b"ab"),
        })
        .collect();
    let (mut records, mut residues) = (Vec::new(), Vec::new());
    let message = MessageRecord {
        out: [40, 60_000, 1],
        separator: None,
        trailer: None,
        body: Body::Undo {
            requote: Requote::Leave,
            changes,
        },
        continued: false,
        midline: false,
    };
    record::encode(&Record::Message(message), &mut records, &mut residues);
    assert!(records.len() < 3020, "{}", records.len());
    assert_eq!(residues.len(), 2000);
}

#[test]
fn every_flipped_bit_is_found() {
    let good = sample();
    for at in 0..good.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= bit;
            assert!(open(&bad).is_err(), "byte {at} bit {bit:#x}");
        }
    }
}

#[test]
fn every_truncation_and_addition_is_found() {
    let good = sample();
    for len in 0..good.len() {
        assert!(open(&good[..len]).is_err(), "{len} of {}", good.len());
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(open(&longer).is_err());
    let doubled = [&good[..], &good[..]].concat();
    assert!(open(&doubled).is_err());
}

#[test]
fn another_version_and_another_file_are_named() {
    let mut newer = sample();
    newer[8] = 2;
    assert!(matches!(open(&newer), Err(LedgerError::Version(2))));
    assert!(matches!(open(b"From x\n"), Err(LedgerError::NotALedger)));
    assert!(matches!(open(b""), Err(LedgerError::NotALedger)));
}

#[test]
fn records_of_random_bytes_never_panic() {
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut bytes = [0u8; 48];
        for byte in &mut bytes {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
        let (mut left, mut right) = (varint::Cursor(&bytes[..32]), varint::Cursor(&bytes[32..]));
        while !left.0.is_empty() && record::decode(&mut left, &mut right).is_some() {}
    }
}
