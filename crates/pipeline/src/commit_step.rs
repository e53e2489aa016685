//! The steps of putting outputs into place, between which a test can end the process.
//!
//! # Limits
//!
//! None.

/// A step that was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CommitStep {
    /// All outputs are written and synced under temporary names.
    Written,
    /// The new ledger has the name that belongs to the new output.
    LedgerStaged,
    /// The output is in place.
    OutputPlaced,
    /// The ledger is in place.
    LedgerPlaced,
    /// The folder of set-aside messages is in place.
    AsidePlaced,
}

/// Says that a step was done. Does nothing outside tests.
#[cfg(not(test))]
pub(crate) fn reached(_: CommitStep) {}

/// The environment variable that names the step after which a test ends the process.
#[cfg(test)]
pub(crate) const KILL_AFTER: &str = "MAILGLOT_TEST_KILL_AFTER";

/// Ends the process if a test asks for that, without any cleaning up.
#[cfg(test)]
pub(crate) fn reached(step: CommitStep) {
    if std::env::var(KILL_AFTER).is_ok_and(|wanted| wanted == format!("{step:?}")) {
        std::process::abort();
    }
}
