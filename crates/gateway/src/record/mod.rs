//! Records each message: a log line, counters, and its original in a ledger ([`crate::ledgers`]).
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
mod line;
mod log_writer;
mod metrics;
#[cfg(test)]
mod openmetrics;
mod responder;

pub use dry_run::DryRun;
pub use journal::Journal;
pub use line::{Form, LogLine, Priority};
pub use log_writer::LogWriter;
pub use metrics::Metrics;
pub use responder::Responder;
