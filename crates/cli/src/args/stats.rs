//! The argument that asks where the time of a job went: `--stats`.

use clap::{Args as Group, ValueEnum};

/// What is printed about the time of a job.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct StatsArgs {
    /// Print to standard error how long the threads read, processed, wrote and waited, also with --quiet. `--stats=json` prints one
    /// JSON object.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) stats: Option<StatsForm>,
}

/// The values of `--stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsForm {
    /// A table
    Text,
    /// One JSON object, with times in seconds
    Json,
}
