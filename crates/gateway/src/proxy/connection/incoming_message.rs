//! Holds a message while it arrives.
//!
//! # Limits
//! Keeps no original of a message that is too large to be read.

use crate::server::Shared;
use crate::spool::Spool;
use std::io;
use std::time::Instant;

/// A message while it arrives.
pub(super) struct IncomingMessage {
    pub(super) spool: Spool,
    /// The message as it came, if its line ends were corrected and the engine needs originals.
    pub(super) original: Option<Spool>,
    /// True if the first original bytes were not kept, because the engine did not need them then.
    pub(super) original_incomplete: bool,
    pub(super) size: u64,
    pub(super) began: Option<Instant>,
    pub(super) failure: Option<io::Error>,
    /// True if it exceeds the SIZE that was announced to the client. Its bytes are only counted then.
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

    /// Adds bytes. `most` is the SIZE that was announced to the client.
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

    /// Adds original bytes, before the corrected ones go to [`IncomingMessage::push`]. The first call copies what has arrived before.
    pub(super) fn push_raw(&mut self, raw: &[u8], shared: &Shared) {
        if self.failure.is_some() || self.beyond || self.original_incomplete {
            return;
        }
        if self.original.is_none() && !shared.engine().needs_originals() {
            self.original_incomplete = true;
            return;
        }
        if self.size > shared.limits.message_bytes {
            // It is neither read nor kept.
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
