//! Holds the envelope of a message: sender, recipients, queue id and announced extensions.
//!
//! # Limits
//! Keeps at most 48 KiB of addresses; counts the others.

/// The envelope of a message, as the mail server gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The sender, in angle brackets.
    pub sender: Vec<u8>,
    /// Number of recipients.
    pub recipients: u32,
    /// The addresses of the first recipients in angle brackets, 48 KiB at most.
    pub addresses: Vec<Vec<u8>>,
    /// The queue id of the mail server (macro `i`).
    pub queue_id: Vec<u8>,
    /// True if header fields may have UTF-8 (SMTPUTF8, RFC 6531, section 3.4).
    pub smtputf8: bool,
    /// True if the body may have 8-bit bytes (`BODY=8BITMIME`, RFC 6152).
    pub eight_bit: bool,
    /// The value of the first Message-ID field, at most 998 bytes; empty if the message has no such field, or if it was not read.
    pub message_id: Vec<u8>,
}

/// Bytes of all recipients' addresses that an envelope keeps.
const MOST_ADDRESSES: usize = 48 << 10;

impl Envelope {
    /// Adds a recipient. An empty address, and those behind the first 48 KiB, are only counted.
    pub fn recipient(&mut self, address: &[u8]) {
        self.recipients += 1;
        let held: usize = self.addresses.iter().map(Vec::len).sum();
        // After the first omitted address, all others are omitted, too: the list has no gaps.
        let fits = !address.is_empty() && held + address.len() <= MOST_ADDRESSES;
        if fits && self.addresses.len() + 1 == self.recipients as usize {
            self.addresses.push(address.to_vec());
        }
    }
}
