//! Defines the records of a block and their encoding.

use super::varint::{Cursor, put, put_counted};
use crate::source::Quoting;

/// One step of a restore. Lengths are in bytes; `out` lengths are taken from the current output file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// The source with this index in the footer begins, and so does its output.
    Source(u64),
    /// A file of a source folder begins: its path below the folder.
    File(&'a [u8]),
    /// A folder inside a source folder.
    Directory(&'a [u8]),
    /// A file of an output folder begins: its path below the folder.
    OutFile(&'a [u8]),
    /// Whole entries that are identical in source and output.
    Same {
        /// Number of messages that begin in them.
        messages: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Bytes that are only in the source.
    Raw {
        /// The reason.
        kind: RawKind,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A message that differs between source and output.
    Message(MessageRecord<'a>),
    /// A report about the message that follows, for people. Restores nothing.
    Note(&'a [u8]),
}

/// The reason why bytes of a source are not in its output. The discriminants are the tags of these records in a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// Bytes of a mailbox outside any message.
    Gap = 6,
    /// A file of a folder that is not a message, or a piece of one.
    Other = 7,
    /// A message that was set aside.
    SetAside = 8,
    /// A message that was dropped on request. Further pieces of it are [`Self::Other`].
    Dropped = 10,
}

impl RawKind {
    /// Returns the kind whose record has the tag `number`.
    fn numbered(number: u8) -> Option<Self> {
        let all = [Self::Gap, Self::Other, Self::SetAside, Self::Dropped];
        all.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A message of the output and the changes that restore the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord<'a> {
    /// Bytes of separator, message and trailer in the output.
    pub out: [u64; 3],
    /// The original separator. None if identical to the output.
    pub separator: Option<&'a [u8]>,
    /// The original trailer. None if identical to the output.
    pub trailer: Option<&'a [u8]>,
    /// The original message.
    pub body: Body<'a>,
    /// True for a further piece of the message in the record before.
    pub continued: bool,
    /// True if the piece begins inside a line: quoting begins after its first line end.
    pub midline: bool,
}

/// How the original message is restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// The message of the output is identical.
    Same,
    /// Unquote the output's message, apply the changes, and quote it again.
    Undo {
        /// The quoting to apply.
        requote: Requote,
        /// Changes in order, without overlap, with offsets in the unquoted message of the output.
        changes: Vec<Change<'a>>,
    },
    /// The original message itself.
    Whole(&'a [u8]),
}

/// How a restore treats `From ` lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requote {
    /// Unchanged: the message has no `From ` lines, or neither side quotes them.
    Leave,
    /// If `unquote` is set (the output is an mboxrd mailbox), unquote; then quote as the source does.
    Convert {
        /// True if the output's message is quoted.
        unquote: bool,
        /// Quoting of the source.
        source: Quoting,
    },
    /// If `unquote` is set, unquote; then give each `>*From ` line its own number of `>` (a source that quotes irregularly).
    Count {
        /// True if the output's message is quoted.
        unquote: bool,
        /// One number per line.
        marks: Vec<u64>,
    },
}

impl Requote {
    /// Returns true if the message of the output is quoted, so that a restore unquotes it.
    pub fn unquotes(&self) -> bool {
        match self {
            Self::Leave => false,
            Self::Convert { unquote, .. } | Self::Count { unquote, .. } => *unquote,
        }
    }
}

/// One changed region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// Offset of the new bytes.
    pub start: u64,
    /// Number of new bytes.
    pub len: u64,
    /// The original bytes.
    pub old: Old<'a>,
}

/// Original bytes, or how to produce them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Old<'a> {
    /// The bytes.
    Bytes(&'a [u8]),
    /// A recipe of the program that writes and reads the ledger. Opaque here.
    Recipe(&'a [u8]),
}

const SOURCE: u8 = 1;
const FILE: u8 = 2;
const DIRECTORY: u8 = 3;
const OUT_FILE: u8 = 4;
const SAME: u8 = 5;
const NOTE: u8 = 9;
/// Tag bit of a message. The other bits are the flags below.
const MESSAGE: u8 = 0x40;
const SEPARATOR: u8 = 0x01;
const TRAILER: u8 = 0x02;
const UNDO: u8 = 0x04;
const WHOLE: u8 = 0x08;
const CONTINUED: u8 = 0x10;
const MIDLINE: u8 = 0x20;

/// Largest number of changes in addition to one per output byte. Such changes restore removed text.
///
/// No message within the usual limit of 1 GiB has more: a removed line has at least four bytes.
const MOST_REMOVED: u64 = 1 << 28;

/// Set in the quoting byte if the output's message is quoted.
const UNQUOTE: u8 = 0x10;

/// Appends a record to `records` and its original bytes to `residues`.
pub(super) fn encode(record: &Record<'_>, records: &mut Vec<u8>, residues: &mut Vec<u8>) {
    match record {
        Record::Source(index) => {
            records.push(SOURCE);
            put(records, *index);
        }
        Record::File(name) => put_text(FILE, name, records),
        Record::Directory(name) => put_text(DIRECTORY, name, records),
        Record::OutFile(name) => put_text(OUT_FILE, name, records),
        Record::Same { messages, bytes } => {
            records.push(SAME);
            put(records, *messages);
            put(records, *bytes);
        }
        Record::Raw { kind, bytes } => {
            records.push(*kind as u8);
            put_residue(bytes, records, residues);
        }
        Record::Message(message) => encode_message(message, records, residues),
        Record::Note(text) => put_text(NOTE, text, records),
    }
}

/// Decodes the next record. Returns None for malformed bytes.
pub(super) fn decode<'a>(
    records: &mut Cursor<'a>,
    residues: &mut Cursor<'a>,
) -> Option<Record<'a>> {
    let op = records.byte()?;
    Some(match op {
        SOURCE => Record::Source(records.number()?),
        FILE => Record::File(records.counted()?),
        DIRECTORY => Record::Directory(records.counted()?),
        OUT_FILE => Record::OutFile(records.counted()?),
        SAME => Record::Same {
            messages: records.number()?,
            bytes: records.number()?,
        },
        NOTE => Record::Note(records.counted()?),
        _ if op & 0xC0 == MESSAGE => Record::Message(decode_message(op, records, residues)?),
        _ => Record::Raw {
            kind: RawKind::numbered(op)?,
            bytes: residue(records, residues)?,
        },
    })
}

/// Returns the number of output bytes that the next record needs, if it is a message.
pub(super) fn message_takes(mut records: Cursor<'_>) -> Option<u128> {
    records.byte().filter(|op| op & 0xC0 == MESSAGE)?;
    (0..3).try_fold(0, |sum, _| Some(sum + u128::from(records.number()?)))
}

fn put_text(op: u8, text: &[u8], records: &mut Vec<u8>) {
    records.push(op);
    put_counted(records, text);
}

fn put_residue(bytes: &[u8], records: &mut Vec<u8>, residues: &mut Vec<u8>) {
    put(records, bytes.len() as u64);
    residues.extend_from_slice(bytes);
}

fn residue<'a>(records: &mut Cursor<'a>, residues: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let len = records.number()?;
    residues.bytes(len)
}

fn encode_message(message: &MessageRecord<'_>, records: &mut Vec<u8>, residues: &mut Vec<u8>) {
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    records.push(
        MESSAGE
            | flag(message.separator.is_some(), SEPARATOR)
            | flag(message.trailer.is_some(), TRAILER)
            | flag(matches!(message.body, Body::Undo { .. }), UNDO)
            | flag(matches!(message.body, Body::Whole(_)), WHOLE)
            | flag(message.continued, CONTINUED)
            | flag(message.midline, MIDLINE),
    );
    for len in message.out {
        put(records, len);
    }
    for old in [message.separator, message.trailer].into_iter().flatten() {
        put_residue(old, records, residues);
    }
    match &message.body {
        Body::Same => {}
        Body::Whole(bytes) => put_residue(bytes, records, residues),
        Body::Undo { requote, changes } => {
            encode_requote(requote, records);
            put(records, changes.len() as u64);
            let mut end = 0;
            for change in changes {
                // Distances are smaller than offsets.
                put(records, change.start - end);
                put(records, change.len);
                end = change.start + change.len;
                match change.old {
                    Old::Bytes(bytes) => {
                        put(records, (bytes.len() as u64) << 1);
                        residues.extend_from_slice(bytes);
                    }
                    Old::Recipe(recipe) => {
                        put(records, (recipe.len() as u64) << 1 | 1);
                        records.extend_from_slice(recipe);
                    }
                }
            }
        }
    }
}

fn decode_message<'a>(
    op: u8,
    records: &mut Cursor<'a>,
    residues: &mut Cursor<'a>,
) -> Option<MessageRecord<'a>> {
    let out = [records.number()?, records.number()?, records.number()?];
    let mut optional = |flag| match op & flag {
        0 => Some(None),
        _ => residue(records, residues).map(Some),
    };
    let (separator, trailer) = (optional(SEPARATOR)?, optional(TRAILER)?);
    let body = match op & (UNDO | WHOLE) {
        0 => Body::Same,
        WHOLE => Body::Whole(residue(records, residues)?),
        UNDO => {
            let requote = decode_requote(records, out[1])?;
            let count = records
                .number()
                .filter(|&count| count <= out[1].saturating_add(MOST_REMOVED))?;
            // Each change takes at least three bytes: a wrong count cannot allocate more memory than there is input.
            let mut changes =
                Vec::with_capacity(usize::try_from(count).ok()?.min(records.0.len() / 3));
            let mut end = 0u64;
            for _ in 0..count {
                let start = end.checked_add(records.number()?)?;
                let len = records.number()?;
                end = start.checked_add(len)?;
                let tagged = records.number()?;
                let old = if tagged & 1 == 0 {
                    Old::Bytes(residues.bytes(tagged >> 1)?)
                } else {
                    Old::Recipe(records.bytes(tagged >> 1)?)
                };
                changes.push(Change { start, len, old });
            }
            Body::Undo { requote, changes }
        }
        _ => return None,
    };
    Some(MessageRecord {
        out,
        separator,
        trailer,
        body,
        continued: op & CONTINUED != 0,
        midline: op & MIDLINE != 0,
    })
}

fn encode_requote(requote: &Requote, records: &mut Vec<u8>) {
    let bit = |unquote: bool| if unquote { UNQUOTE } else { 0 };
    match requote {
        Requote::Leave => records.push(0),
        Requote::Convert { unquote, source } => {
            let number = match source {
                Quoting::None => 1,
                Quoting::Mboxo => 2,
                Quoting::Mboxrd => 3,
            };
            records.push(number | bit(*unquote));
        }
        Requote::Count { unquote, marks } => {
            records.push(4 | bit(*unquote));
            put(records, marks.len() as u64);
            for &count in marks {
                put(records, count);
            }
        }
    }
}

fn decode_requote(records: &mut Cursor<'_>, body: u64) -> Option<Requote> {
    let byte = records.byte()?;
    let unquote = byte & UNQUOTE != 0;
    let convert = |source| Requote::Convert { unquote, source };
    Some(match byte & !UNQUOTE {
        0 if !unquote => Requote::Leave,
        1 => convert(Quoting::None),
        2 => convert(Quoting::Mboxo),
        3 => convert(Quoting::Mboxrd),
        4 => {
            // Each line has at least the five bytes `From `, but a change may have created it.
            let count = records
                .number()
                .filter(|&count| count <= body.saturating_add(MOST_REMOVED))?;
            let mut marks = Vec::with_capacity(usize::try_from(count).ok()?.min(records.0.len()));
            for _ in 0..count {
                marks.push(records.number()?);
            }
            Requote::Count { unquote, marks }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the format (docs/ledger-format.md). Ledgers that exist have them.
    #[test]
    fn numbers_of_quoting_and_reasons_are_those_of_the_format() {
        for (source, number) in [
            (Quoting::None, 1),
            (Quoting::Mboxo, 2),
            (Quoting::Mboxrd, 3),
        ] {
            for (unquote, bit) in [(false, 0), (true, 0x10)] {
                let mut bytes = Vec::new();
                encode_requote(&Requote::Convert { unquote, source }, &mut bytes);
                assert_eq!(bytes, [number | bit]);
            }
        }
        let known = [
            (RawKind::Gap, 6),
            (RawKind::Other, 7),
            (RawKind::SetAside, 8),
            (RawKind::Dropped, 10),
        ];
        for number in 0..=u8::MAX {
            let expected = known.iter().find(|(_, known)| *known == number);
            assert_eq!(RawKind::numbered(number), expected.map(|(kind, _)| *kind));
        }
    }

    #[test]
    fn number_of_changes_is_limited() {
        let decoded = |removed: u64, body: u8| {
            let mut bytes = vec![MESSAGE | UNDO, 0, body, 0, 0];
            put(&mut bytes, removed);
            bytes.resize(bytes.len() + 3 * removed as usize, 0);
            decode(&mut Cursor(&bytes), &mut Cursor(&[])).is_some()
        };
        assert!(decoded(1000, 0));
        assert!(!decoded(MOST_REMOVED + 2, 1));
    }

    #[test]
    fn message_output_length_is_known_before_decoding() {
        let mut bytes = vec![MESSAGE];
        for length in [1, u64::MAX, u64::MAX] {
            put(&mut bytes, length);
        }
        assert_eq!(
            message_takes(Cursor(&bytes)),
            Some(2 * u128::from(u64::MAX) + 1)
        );
        assert_eq!(message_takes(Cursor(&[RawKind::Gap as u8, 1, 1, 1])), None);
        assert_eq!(message_takes(Cursor(&[MESSAGE, 1, 1])), None);
    }
}
