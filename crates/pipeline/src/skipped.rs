//! Defines what a job does about files that cannot be read.
//!
//! # Limits
//! A lack of memory, of descriptors or of space for temporary files ends each job that writes.

/// What a job skips, and lists in [`crate::Summary::unread`], if it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// Nothing: the job ends with an error.
    Nothing,
    /// Files below a folder. A message of which only the beginning can be read ends the job.
    Files,
    /// Files, whole inputs, and the rest of an input.
    Inputs,
}
