//! A message while it arrives.
//!
//! # Limits
//! Of one that is too large to be looked at no original is kept.

use crate::server::Shared;
use crate::spool::Spool;
use std::io;
use std::time::Instant;

/// A message that arrives.
pub(super) struct IncomingMessage {
    pub(super) spool: Spool,
    /// The message as it came, where its line ends were set right and originals are kept.
    pub(super) original: Option<Spool>,
    /// Its first bytes as they came were not kept: nothing was to be kept then.
    pub(super) original_incomplete: bool,
    pub(super) size: u64,
    pub(super) began: Option<Instant>,
    pub(super) failure: Option<io::Error>,
    /// It has more bytes than the client was told that it may have: none of them is kept, and more are only counted.
    pub(super) beyond: bool,
}

impl IncomingMessage {
    pub(super) fn new(shared: &Shared) -> Self {
        Self {
            spool: Spool::new(shared.budget.clone()),
            original: None,
            original_incomplete: false,
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
            self.original = None;
        }
        if self.failure.is_none()
            && !self.beyond
            && let Err(error) = self.spool.push(text)
        {
            self.fail(error);
        }
    }

    /// Adds bytes as they came, before those of [`IncomingMessage::push`] that belong to them; the first time, what has arrived stands
    /// before them.
    pub(super) fn push_raw(&mut self, raw: &[u8], shared: &Shared) {
        if self.failure.is_some() || self.beyond || self.original_incomplete {
            return;
        }
        if self.original.is_none() && shared.engine().ledgers.is_none() {
            self.original_incomplete = true;
            return;
        }
        if self.size > shared.limits.message_bytes {
            // It is not read, and not kept.
            self.original = None;
            return;
        }
        let original = match &mut self.original {
            Some(original) => original.push(raw),
            none => {
                let original = none.insert(Spool::new(shared.budget.clone()));
                self.spool
                    .pieces(|piece| original.push(piece))
                    .and_then(|()| original.push(raw))
            }
        };
        if let Err(error) = original {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.spool.clear();
        self.original = None;
        self.failure = Some(error);
    }
}
