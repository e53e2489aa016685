//! Defines which unreadable files a job skips: none, files of folders, or whole inputs.
//!
//! # Limits
//! A lack of memory, of descriptors or of space for temporary files ends each job that writes.

/// Which unreadable files a job skips. It lists them in [`crate::Summary::unread`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkipScope {
    /// Nothing: the job ends with an error.
    Nothing,
    /// Files in a folder, such as a message of a Maildir. An error in the middle of a message ends the job.
    Files,
    /// Files, whole inputs, and the rest of an input.
    Inputs,
}
