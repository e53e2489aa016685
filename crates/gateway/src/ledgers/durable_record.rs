//! What the writer of segments and the ledger share: the result of an append, and the producer's name in each file.

use std::io;
use std::sync::Arc;

/// Producer that segments and ledgers name.
pub(super) const PRODUCER: &str = concat!("mailglot ", env!("CARGO_PKG_VERSION"));

/// Reports what fails without costing a message its record.
pub(super) type FailureReporter = Arc<dyn Fn(&io::Error) + Send + Sync>;

/// Name and size of a durable record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DurableRecord {
    pub(super) name: String,
    pub(super) bytes: u64,
}
