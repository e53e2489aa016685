//! A message while it arrives.
//!
//! # Limits
//! Of one that is too large to be looked at no original is kept.

use crate::server::Shared;
use crate::spool::Spool;
use std::io;
use std::time::Instant;

/// A message that arrives.
pub(super) struct Arriving {
    pub(super) spool: Spool,
    /// The message as it came, where its line ends were set right and originals are kept.
    pub(super) came: Option<Spool>,
    /// Its first bytes as they came were not kept: nothing was to be kept then.
    pub(super) came_late: bool,
    pub(super) size: u64,
    pub(super) began: Option<Instant>,
    pub(super) failure: Option<io::Error>,
    /// It has more bytes than the client was told that it may have: none of them is kept, and more are only counted.
    pub(super) beyond: bool,
}

impl Arriving {
    pub(super) fn new(shared: &Shared) -> Self {
        Self {
            spool: Spool::new(shared.budget.clone()),
            came: None,
            came_late: false,
            size: 0,
            began: None,
            failure: None,
            beyond: false,
        }
    }

    /// Adds bytes; `most` is how many the client was told that there may be.
    pub(super) fn push(&mut self, text: &[u8], most: Option<u64>) {
        self.size += text.len() as u64;
        if most.is_some_and(|most| self.size > most) && !self.beyond {
            self.beyond = true;
            self.spool.clear();
            self.came = None;
        }
        if self.failure.is_none()
            && !self.beyond
            && let Err(error) = self.spool.push(text)
        {
            self.fail(error);
        }
    }

    /// Adds bytes as they came, before those of [`Arriving::push`] that belong to them; the first time, what has arrived stands
    /// before them.
    pub(super) fn push_raw(&mut self, raw: &[u8], shared: &Shared) {
        if self.failure.is_some() || self.beyond || self.came_late {
            return;
        }
        if self.came.is_none() && shared.engine().ledgers.is_none() {
            self.came_late = true;
            return;
        }
        if self.size > shared.limits.message_bytes {
            // It is not read, and not kept.
            self.came = None;
            return;
        }
        let came = match &mut self.came {
            Some(came) => came.push(raw),
            none => {
                let came = none.insert(Spool::new(shared.budget.clone()));
                self.spool
                    .pieces(|piece| came.push(piece))
                    .and_then(|()| came.push(raw))
            }
        };
        if let Err(error) = came {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.spool.clear();
        self.came = None;
        self.failure = Some(error);
    }
}
