//! The wait of a pooled connection for its ledger: the verdict of a message goes out when its original is durable.
//!
//! ```text
//! worker ─ decide ─► submit ─► committer of the ledger ─ sync ─► CommitSlot ─ wake ─► worker ─ conclude ─► verdict
//! ```

use super::decide::UncopiedBody;
use crate::event::Record;
use crate::milter::Actions;
use crate::server::Waker;
use crate::spool::Reserved;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A message that is being decided.
pub(super) struct MessageInWork {
    pub(super) record: Box<Record>,
    pub(super) start: Instant,
    /// Edits of the message if it passes although the gateway failed, and the number of its forged fields.
    pub(super) passing: Option<(Actions<'static>, u32)>,
}

/// A message whose verdict is in the session's output, and waits for its original to be durable.
pub(super) struct Committing {
    pub(super) message: MessageInWork,
    pub(super) uncopied: Option<UncopiedBody>,
    pub(super) slot: Arc<CommitSlot>,
    /// Shared memory for the record and the output.
    pub(super) _reserved: Option<Reserved>,
}

/// The result of a commit, which the committer of the ledger sets.
pub(super) struct CommitSlot {
    result: Mutex<Option<io::Result<String>>>,
    /// Wakes the worker of the connection.
    wake: Option<Waker>,
}

impl CommitSlot {
    pub(super) fn new(wake: Option<Waker>) -> Self {
        let result = Mutex::default();
        Self { result, wake }
    }

    /// Sets the result, and wakes the worker of the connection.
    pub(super) fn set(&self, result: io::Result<String>) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        if let Some(wake) = &self.wake {
            wake();
        }
    }

    /// Takes the result if there is one.
    pub(super) fn take(&self) -> Option<io::Result<String>> {
        self.result
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
