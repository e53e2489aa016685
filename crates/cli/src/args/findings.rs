//! The arguments that say which findings change how a job ends: `--fail-on` and `--verify`.

use clap::{Args as Group, ValueEnum};

/// The findings at which a job fails.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct FailOnArgs {
    /// Exit with code 3 if the job finds this. Outputs are written all the same. The codes 2 and 4 take precedence: an archive that
    /// was not read completely gives 2, whatever was found.
    #[arg(long, value_name = "WHAT")]
    pub(crate) fail_on: Option<FailOn>,
}

/// The values of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Text that cannot be decoded or encoded, or exceeds a limit
    Loss,
    /// A detected charset, or an overruled label
    Guess,
    /// A repair, a loss, or a message that could not be changed although it should be
    Repair,
    /// Any event, and any change
    Any,
}

/// The second reader.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct VerifyArgs {
    /// Compare each rewritten message with what a second, independent mail parser reads. Messages that differ are set aside, or by
    /// `check` reported (`verify.disagrees`), and the exit code is 2.
    #[arg(long)]
    pub(crate) verify: bool,
}
