//! Records each message: a log line, counters, and a ledger from which the original can be restored.
//!
//! ```text
//!  Record ─┬─► LogLine ─► LogWriter         one line a message
//!          ├─► Metrics ─► Responder   one count a message
//!          │      └─► DryRun          what a dry run would do, by the sender's domain
//!          └─► Ledgers                the original of each changed message, on the disk before the verdict
//! ```
//!
//! # Limits
//! The caller chooses the descriptor of the log.

mod dry_run;
mod journal;
mod keep_original;
mod ledgers;
mod line;
mod log_writer;
mod metrics;
#[cfg(test)]
mod openmetrics;
mod responder;

pub use dry_run::DryRun;
pub use journal::Journal;
pub use ledgers::{
    Catalog, Found, LedgerRecord, Ledgers, Prepared, Query, Retention, Swept, day_start, rfc3339,
};
pub(crate) use ledgers::{check_existing, message_id};
pub use line::{Form, LogLine, Priority};
pub use log_writer::LogWriter;
pub use metrics::Metrics;
pub use responder::Responder;
