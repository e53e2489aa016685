//! Segments: files of many ledgers of one message each, one record after the other.
//!
//! ```text
//! header │ record │ record │ …                    while a daemon appends
//! header │ record │ record │ … │ index │ end      once it is closed
//! ```
//!
//! A record is an index entry and a whole ledger as [`write_whole`](super::write_whole) writes it. Both have a checksum, so a
//! reader can skip damage and find the next record after it. It stops at a record whose ledger ends beyond the file. The index
//! repeats all index entries, so a search reads only a fraction of the file. `docs/ledger-format.md` describes every byte.
//!
//! # Limits
//! A segment without an intact index is read record by record. An index does not reveal damage of its records.

mod open_segment;
mod records;
mod recover;
#[cfg(test)]
mod tests;
mod write;

pub use open_segment::{LocatedRecord, Segment};
pub use records::SegmentRecords;
pub use recover::Recovered;
pub use write::{segment_header, segment_record, segment_tail};
