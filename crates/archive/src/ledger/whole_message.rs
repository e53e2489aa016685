//! Ledgers that contain a whole message, so that a restore needs no output.
//!
//! # Limits
//! The ledger also contains the unchanged bytes, compressed: it is as large as the message compresses to.

use super::{
    Archived, Block, BlockBuilder, Body, Footer, Ledger, LedgerError, LedgerWriter, MessageRecord,
    Record,
};
use crate::source::Format;
use std::io::{self, Cursor, Write};

/// Bytes of the message per block. Memory is a few times this, whatever the message's size.
const PIECE: usize = 1 << 20;
/// The hash of an empty output: the XXH3-128 of no bytes, hashed as `docs/ledger-format.md` defines.
const EMPTY_OUTPUT_HASH: u128 = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f;

/// Writes a ledger of one message as it is, with `note`, a report about its conversion.
///
/// Returns the inner writer and the BLAKE3 digest of the message. Does not refer to an output: a delivered message may gain fields on its
/// way.
///
/// ```
/// use mailglot_archive::ledger::{read_whole, write_whole};
///
/// let message = b"Subject: Caf\xE9\r\n\r\n";
/// let (ledger, digest) = write_whole(Vec::new(), message, b"{}", "example 1.0")?;
/// assert_eq!(digest, *blake3::hash(message).as_bytes());
/// assert_eq!(read_whole(&ledger)?, (message.to_vec(), b"{}".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `out` cannot be written.
pub fn write_whole<W: Write>(
    out: W,
    message: &[u8],
    note: &[u8],
    producer: &str,
) -> io::Result<(W, [u8; 32])> {
    write_whole_by(&mut BlockBuilder::new()?, out, message, note, producer)
}

/// Like [`write_whole`], with an empty builder that is reused for many messages. Creating one takes longer than a short message.
///
/// # Errors
/// Like [`write_whole`]. The builder must not be reused after an error.
pub fn write_whole_by<W: Write>(
    builder: &mut BlockBuilder,
    out: W,
    message: &[u8],
    note: &[u8],
    producer: &str,
) -> io::Result<(W, [u8; 32])> {
    let mut writer = LedgerWriter::new(out)?;
    let mut block = Vec::new();
    builder.push(&Record::Source(0));
    builder.push(&Record::Note(note));
    let mut rest = message;
    loop {
        let (piece, later) = rest.split_at(rest.len().min(PIECE));
        builder.push(&Record::Message(MessageRecord {
            out: [0; 3],
            separator: None,
            trailer: None,
            body: Body::Whole(piece),
            continued: rest.len() != message.len(),
            midline: false,
        }));
        block.clear();
        builder.finish(&mut block)?;
        writer.block(&block)?;
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    let archived = |bytes: u64, blake3: blake3::Hash| Archived {
        name: Vec::new(),
        format: Format::Eml,
        folder: false,
        messages: 1,
        bytes,
        blake3: *blake3.as_bytes(),
    };
    let digest = blake3::hash(message);
    let (out, _) = writer.finish(&Footer {
        producer: producer.to_owned(),
        sources: vec![archived(message.len() as u64, digest)],
        outputs: vec![archived(0, blake3::hash(&EMPTY_OUTPUT_HASH.to_le_bytes()))],
        alone: true,
        ..Footer::default()
    })?;
    Ok((out, *digest.as_bytes()))
}

/// Returns the message and the note of a ledger that [`write_whole`] wrote. Verifies both digests first.
///
/// # Errors
/// The bytes are not a ledger, are damaged, or need an output.
pub fn read_whole(ledger: &[u8]) -> Result<(Vec<u8>, Vec<u8>), LedgerError> {
    let mut ledger = Ledger::read(Cursor::new(ledger))?;
    let [source] = &ledger.footer().sources[..] else {
        return Err(LedgerError::Damaged("it holds no single message"));
    };
    let (length, blake3) = (source.bytes, source.blake3);
    let (mut block, mut message, mut note) = (Block::default(), Vec::new(), Vec::new());
    while ledger.next_block(&mut block)? {
        for record in block.records() {
            match record? {
                Record::Source(0) => (),
                Record::Note(text) => note = text.to_vec(),
                Record::Message(MessageRecord {
                    body: Body::Whole(piece),
                    ..
                }) => {
                    message.extend_from_slice(piece);
                }
                _ => return Err(LedgerError::Damaged("it holds no single message")),
            }
        }
    }
    if message.len() as u64 != length || *blake3::hash(&message).as_bytes() != blake3 {
        return Err(LedgerError::Damaged("the message is another"));
    }
    Ok((message, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_of_any_length_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE / 2] {
            let message: Vec<u8> = (0..length).map(|at| ((at * at) >> 7) as u8).collect();
            let (file, digest) = write_whole(Vec::new(), &message, b"{}", "test").unwrap();
            assert_eq!(digest, *blake3::hash(&message).as_bytes());
            std::fs::write(&path, file).unwrap();
            let mut ledger = Ledger::open(&path).unwrap();
            assert!(!ledger.footer().needs_output());
            let (mut block, mut back, mut messages, mut notes) =
                (Block::default(), Vec::new(), 0, 0);
            while ledger.next_block(&mut block).unwrap() {
                for record in block.records() {
                    match record.unwrap() {
                        Record::Source(0) => {}
                        Record::Note(b"{}") => notes += 1,
                        Record::Message(MessageRecord {
                            out: [0, 0, 0],
                            body: Body::Whole(piece),
                            continued,
                            ..
                        }) => {
                            back.extend_from_slice(piece);
                            messages += usize::from(!continued);
                        }
                        other => unreachable!("{other:?}"),
                    }
                }
            }
            assert!(back == message, "{length}");
            assert_eq!(
                (messages, notes, ledger.footer().sources[0].bytes),
                (1, 1, length as u64)
            );
        }
    }
}
