//! Defines what a job does about files that cannot be read.
//!
//! # Limits
//! A lack of memory, of descriptors or of space for temporary files ends each job that writes.

/// What a job skips, and lists in [`crate::Summary::unread`], if it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// Nothing: the job ends with an error.
    Nothing,
    /// Files in a folder, such as a message of a Maildir. An error in the middle of a message ends the job.
    Files,
    /// Files, whole inputs, and the rest of an input.
    Inputs,
}
