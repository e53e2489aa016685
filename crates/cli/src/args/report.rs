//! The arguments of the report of a normalization: `--report` and `--deterministic`.

use clap::Args as Group;
use std::path::PathBuf;

/// The report that a job writes.
#[derive(Clone, Debug, Group)]
pub(crate) struct ReportArgs {
    /// Write a JSON report to this file.
    #[arg(long = "report", value_name = "FILE.json")]
    pub(crate) place: Option<PathBuf>,
    /// Shorten paths in the report: those of inputs begin below the folder that all inputs share, so jobs in different folders write
    /// the same report. No output, ledger or report has times, host names or durations, with or without this option.
    #[arg(long)]
    pub(crate) deterministic: bool,
}
