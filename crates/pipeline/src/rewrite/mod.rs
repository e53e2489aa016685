//! Rewrites messages: turns a batch of the source into bytes of the output and a block of the ledger. Also used for the dry run.
//!
//! # Limits
//!
//! Copies a message that is stored compressed or in UTF-16 (Dovecot's zlib plugin does so in a Maildir) unchanged, with an event.
//! If the output is a mailbox, sets it aside, unless the source is a mailbox, too.
//!
//! Copies a message above the size limit in pieces: only its quoting is adapted to the output. Its file name has the digest of its
//! first piece.

mod batch;
mod entries;
mod large;
mod left_out;
mod line_ends;
mod message;
mod message_record;
mod oversized_message;
mod rewritten_batch;
mod source_message;
mod stage;
mod worker;

pub(crate) use self::rewritten_batch::RewrittenBatch;
pub(crate) use self::stage::{LARGE_MESSAGE, PROCESS, RewriteStage};
pub(crate) use self::worker::Process;
