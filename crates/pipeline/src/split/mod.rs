//! Splits archives into several without changing a message.
//!
//! ```text
//! run: reader ─► stage (outputs of each message, its bytes) ─► outputs ─► read_back ─► commit
//! ```
//!
//! A message of a mailbox is copied with its separator and its quoting. Messages of other formats get a separator and the quoting of mboxrd. So
//! do those of mailboxes that quote nothing or are divided by rules of the caller. Each new mailbox is read again before the folder appears. The
//! number of its messages and a digest of their bytes must be those that were read from the inputs. If they are not, and blank lines between
//! messages are missing as in the input, those are added. If that is not enough, all messages of the mailbox get plain separators and the quoting
//! of mboxrd.
//!
//! # Limits
//!
//! An unreadable input stops the job. The place of each copied message stays in memory, in 32 to 64 bytes. Messages above the size limit are
//! counted when they are read again, but not compared. Quoting anew keeps Content-Length fields, although quotes make the body longer.

mod job;
mod mboxrd_message;
mod outputs;
mod read_back;
mod requote;
mod split_batch;
mod stage;
#[cfg(test)]
mod tests;

pub use self::job::{SplitBy, SplitJob};
pub use self::outputs::SplitOutput;

use self::outputs::Outputs;
use self::read_back::check;
use self::stage::SplitStage;
use crate::discover::discover;
use crate::error::Error;
use crate::path_checks::{check_apart, check_free, on_disk, read_paths};
use crate::progress::Progress;
use crate::run::{Job, run};
use crate::separator::{LINE_END_ADDED, SEPARATOR_REPLACED};
use crate::skip_scope::SkipScope;
use crate::summary::Summary;
use mailglot_archive::replace::turn;
use mailglot_archive::{Claim, FileMode, WriteOptions};
use mailglot_mime::Policy;
use std::collections::HashSet;

/// Result of a split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The counts.
    pub account: Summary,
    /// The outputs, in the order of their first messages.
    pub outputs: Vec<SplitOutput>,
}

/// Splits archives into several. The folder of outputs appears complete or not at all.
///
/// # Errors
/// An input cannot be read, the output exists, or a new mailbox would not be read as its messages
/// ([`Error::ReadBack`]).
pub fn split(job: &SplitJob, progress: &Progress) -> Result<Split, Error> {
    let sources = discover(&job.inputs, job.opening.clone(), SkipScope::Nothing)?;
    let read = read_paths(&job.inputs, &sources.inputs);
    check_apart(&job.output, &read)?;
    check_free(&job.output, false, &HashSet::new())?;
    let options = WriteOptions {
        force: false,
        mode: FileMode::as_private_as(read.iter().map(|path| on_disk(path))),
    };
    let turn = turn([job.output.as_path()]);
    let _claim = Claim::take(&job.output).map_err(Error::Output)?;
    drop(turn);
    let policy = Policy::default();
    let limits = policy.limits;
    let stage = SplitStage { job, policy };
    let mut outputs = Outputs::new(job, options)?;
    let sources = Job {
        sources,
        limits: &limits,
        threads: job.threads,
        progress,
        skipped: SkipScope::Nothing,
        selection: &job.selection,
        stops_at_limit: false,
    };
    let mut account = run(sources, &stage, &mut outputs, Summary::default())?;
    check(&mut outputs, &job.output, progress)?;
    for (code, count) in [
        (LINE_END_ADDED, outputs.ended_lines),
        (SEPARATOR_REPLACED, outputs.replaced_separators),
    ] {
        if count > 0 {
            *account.events.entry(code.to_owned()).or_default() += count;
        }
    }
    let outputs = outputs.commit()?;
    account.bytes_out = Some(outputs.iter().map(|output| output.bytes).sum());
    Ok(Split { account, outputs })
}
