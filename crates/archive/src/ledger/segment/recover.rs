//! Finds what a killed daemon left of a segment: whole records, damage, and a torn write.
//!
//! # Limits
//! Changes nothing; the caller truncates the file.

use super::open_segment::Segment;
use super::records::Tail;
use crate::ledger::LedgerError;
use crate::ledger::segment_index::IndexBuilder;

impl Segment {
    /// Reads all records, and reports which bytes of the segment are damaged or a torn write.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn recover(&self) -> Result<Recovered, LedgerError> {
        let mut recovered = Recovered {
            end: self.start,
            keep: self.start,
            records: 0,
            damaged: 0,
            torn: 0,
            index: IndexBuilder::default(),
        };
        let mut records = self.records();
        for located in records.by_ref() {
            let located = located?;
            recovered.keep = recovered.keep.max(located.ledger.end);
            match self.ledger(&located) {
                Ok(_) => {
                    recovered
                        .index
                        .push_entry(located.offset, &located.entry.encode());
                    recovered.end = recovered.end.max(located.ledger.end);
                    recovered.records += 1;
                }
                Err(LedgerError::Damaged(_)) => {
                    recovered.damaged += located.ledger.end - located.offset;
                }
                Err(error) => return Err(error),
            }
        }
        recovered.damaged += records.skipped;
        match records.tail {
            Tail::Torn => recovered.torn = records.behind,
            Tail::Damaged => {
                recovered.damaged += records.behind;
                recovered.keep = self.end;
            }
            Tail::Unread | Tail::Index => (),
        }
        Ok(recovered)
    }
}

/// Result of [`Segment::recover`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// End of the last whole record, or of the header if no record is whole.
    pub end: u64,
    /// Offset to truncate the segment at: a torn write or an index follows it.
    pub keep: u64,
    /// Number of whole records.
    pub records: u64,
    /// Bytes before `keep` outside any whole record. Includes records with an intact head and a damaged ledger.
    pub damaged: u64,
    /// Bytes of a torn write after `keep`.
    pub torn: u64,
    /// Index of all whole records.
    pub index: IndexBuilder,
}
