//! What is told of each message: a line of the log, counters, and a ledger that gives the original back.
//!
//! ```text
//!  Record ─┬─► Line ─► Outlet         one line a message
//!          ├─► Metrics ─► Responder   one count a message
//!          └─► Ledgers                one file for each message that is changed, on the disk before the verdict
//! ```
//!
//! # Limits
//! Which descriptor the log goes to is the caller's.

mod journal;
mod keep;
mod ledgers;
mod line;
mod metrics;
mod outlet;
mod responder;

pub use journal::Journal;
pub use ledgers::{Ledgers, Retention, Swept};
pub use line::{Form, Line};
pub use metrics::Metrics;
pub use outlet::Outlet;
pub use responder::Responder;
