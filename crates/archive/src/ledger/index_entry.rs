//! Defines index entries: the time, ids and addresses of each record of a segment, for searches.
//!
//! # Limits
//! Skips tags that this version does not know.

use super::varint::{Cursor, put_counted};

/// What a search compares: time, queue id, Message-ID, sender and recipients of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// Time when the message was stored, in nanoseconds since 1970-01-01 UTC.
    pub time: u64,
    /// Queue ID of the mail server. Empty if unknown.
    pub queue_id: Vec<u8>,
    /// Value of the first Message-ID field, without white space around it. Empty without such a field.
    pub message_id: Vec<u8>,
    /// Envelope sender without angle brackets. Empty for the null sender, `None` if unknown.
    pub sender: Option<Vec<u8>>,
    /// Known envelope recipients, without angle brackets.
    pub recipients: Vec<Vec<u8>>,
    /// Number of all recipients.
    pub recipient_count: u64,
    /// Size of the original message in bytes.
    pub size: u64,
    /// BLAKE3 of the original message.
    pub blake3: [u8; 32],
}

impl IndexEntry {
    /// Returns true if every recipient of the envelope is in the entry.
    pub fn has_all_recipients(&self) -> bool {
        !self.recipients.is_empty() && self.recipients.len() as u64 == self.recipient_count
    }

    /// Encodes each field as a tag, a varint length and that many bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(160);
        let mut field = |tag: u8, bytes: &[u8]| {
            out.push(tag);
            put_counted(&mut out, bytes);
        };
        field(tag::TIME, &self.time.to_le_bytes());
        field(tag::SIZE, &self.size.to_le_bytes());
        field(tag::BLAKE3, &self.blake3);
        field(tag::RECIPIENT_COUNT, &self.recipient_count.to_le_bytes());
        field(tag::QUEUE_ID, &self.queue_id);
        field(tag::MESSAGE_ID, &self.message_id);
        if let Some(sender) = &self.sender {
            field(tag::SENDER, sender);
        }
        for recipient in &self.recipients {
            field(tag::RECIPIENT, recipient);
        }
        out
    }

    /// Decodes fields, and skips unknown tags.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (mut entry, mut cursor) = (Self::default(), Cursor(bytes));
        while !cursor.0.is_empty() {
            let (tag, value) = (cursor.byte()?, cursor.counted()?);
            let number = || value.try_into().map(u64::from_le_bytes).ok();
            match tag {
                tag::TIME => entry.time = number()?,
                tag::SIZE => entry.size = number()?,
                tag::BLAKE3 => entry.blake3 = value.try_into().ok()?,
                tag::RECIPIENT_COUNT => entry.recipient_count = number()?,
                tag::QUEUE_ID => entry.queue_id = value.to_vec(),
                tag::MESSAGE_ID => entry.message_id = value.to_vec(),
                tag::SENDER => entry.sender = Some(value.to_vec()),
                tag::RECIPIENT => entry.recipients.push(value.to_vec()),
                _ => (),
            }
        }
        Some(entry)
    }
}

/// Tags of an index entry's fields.
mod tag {
    pub(super) const TIME: u8 = 1;
    pub(super) const SIZE: u8 = 2;
    pub(super) const BLAKE3: u8 = 3;
    pub(super) const RECIPIENT_COUNT: u8 = 4;
    pub(super) const QUEUE_ID: u8 = 5;
    pub(super) const MESSAGE_ID: u8 = 6;
    pub(super) const SENDER: u8 = 7;
    pub(super) const RECIPIENT: u8 = 8;
}
