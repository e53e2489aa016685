//! Holds what the server tells about a message beside its bytes.
//!
//! # Limits
//! Addresses beyond 48 KiB are counted and not kept.

/// What the server tells about a message beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The sender, in angle brackets.
    pub sender: Vec<u8>,
    /// How many recipients there are.
    pub recipients: u32,
    /// Their addresses in angle brackets, as many as [`Envelope::recipient`] keeps.
    pub addresses: Vec<Vec<u8>>,
    /// The server's own name for the message (macro `i`).
    pub queue_id: Vec<u8>,
    /// Header fields may hold UTF-8 (RFC 6531 3.4).
    pub smtputf8: bool,
    /// The body may hold bytes beyond ASCII (`BODY=8BITMIME`, RFC 6152).
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
        // One that is left out leaves out all behind it: nobody takes the list for whole.
        let fits = !address.is_empty() && held + address.len() <= MOST_ADDRESSES;
        if fits && self.addresses.len() + 1 == self.recipients as usize {
            self.addresses.push(address.to_vec());
        }
    }
}
