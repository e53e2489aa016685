//! The arguments of commands that normalize archives in parts: `plan`, `run` and `commit`.

use super::archives::JobArgs;
use super::findings::FailOnArgs;
use super::inputs::InputArgs;
use super::report::ReportArgs;
use super::size::size;
use super::stats::StatsArgs;
use clap::Args as Group;
use clap::{ArgMatches, Command, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// Plan how several processes normalize archives in parts.
///
/// `run` processes one split of the plan, and `commit` joins the parts to the output that `normalize` would write, byte for byte. Splits
/// may run on any machine that sees inputs and output under the same paths. `docs/distributed.md` shows this for one machine, Slurm
/// and Spark.
///
/// A large mailbox or folder is cut into ranges. A compressed mailbox and each mailbox in a zip or tar archive are one split each, and
/// small ones share one. The inputs must not change before `commit`.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot plan archive.mbox -o plan.json
  $ mailglot run plan.json --split 0 -o whole.mbox
  $ mailglot commit plan.json -o whole.mbox")]
// `plan` rejects what no part can do, and says why, but does not offer it.
#[command(mut_arg("inputs", |inputs| inputs.help("Mailboxes, folders or messages")))]
#[command(mut_arg("dedupe", |dedupe| dedupe.hide(true)), mut_arg("limit", |limit| limit.hide(true)))]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The plan to write: JSON. An existing plan is replaced, and no other file.
    #[arg(short, long, value_name = "PLAN.json")]
    pub(crate) output: PathBuf,
    /// Size of a split. It is rounded up to a multiple of 512K.
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = size)]
    pub(crate) split_size: u64,
    #[command(flatten)]
    pub(crate) job: JobArgs,
}

/// Process one split of a plan, and write its part to the folder OUTPUT.parts.
///
/// A split that has a part is left alone. Any number of processes may work on one split: the first to finish gives the part, and the
/// others leave nothing. A killed process leaves a folder that `commit` removes. If OUTPUT exists without parts, they were joined: `run`
/// does nothing, and exits with code 0.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot plan archive.mbox -o plan.json
  $ mailglot run plan.json --split 0 -o part.mbox")]
pub(crate) struct RunArgs {
    /// The plan that `mailglot plan` wrote.
    #[arg(value_name = "PLAN.json")]
    pub(crate) plan: PathBuf,
    /// Number of the split, from 0.
    #[arg(long, value_name = "N")]
    pub(crate) split: usize,
    /// The output that `commit` creates. The part goes to OUTPUT.parts.
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    /// Process the split although OUTPUT exists. `commit --force` replaces it.
    #[arg(long)]
    pub(crate) force: bool,
    /// Worker threads [default: one per core]. The part does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
}

/// Join the parts of all splits of a plan to the output, its ledger and its report.
///
/// Checks that every split has an intact part, that the inputs did not change, and that all messages and bytes are accounted for. The
/// output appears complete or not at all; then the parts are removed. A killed `commit` can be repeated.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot plan archive.mbox -o plan.json
  $ mailglot run plan.json --split 0 -o joined.mbox
  $ mailglot commit plan.json -o joined.mbox --report report.json")]
pub(crate) struct CommitArgs {
    /// The plan that `mailglot plan` wrote.
    #[arg(value_name = "PLAN.json")]
    pub(crate) plan: PathBuf,
    /// The file or folder to create.
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) fail_on: FailOnArgs,
    /// Replace an existing output, ledger and report; owner and permissions stay.
    #[arg(long)]
    pub(crate) force: bool,
}

impl JobArgs {
    /// Returns the options that were given to `mailglot plan`, as words from which [`Self::parse`] builds them again.
    ///
    /// # Errors
    /// A value is not UTF-8.
    pub(crate) fn words(matches: &ArgMatches) -> Result<Vec<String>, OsString> {
        let mut words = Vec::new();
        for argument in Self::command().get_arguments() {
            let (id, long) = (argument.get_id().as_str(), argument.get_long());
            let Some(long) = long.filter(|_| is_given(matches, id)) else {
                continue;
            };
            if !argument.get_action().takes_values() {
                words.push(format!("--{long}"));
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                let value = value.to_str().ok_or_else(|| value.to_owned())?;
                words.push(format!("--{long}={value}"));
            }
        }
        Ok(words)
    }

    /// Parses the words of a plan.
    pub(crate) fn parse(words: &[String]) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }

    fn command() -> Command {
        Self::augment_args(Command::new("plan").no_binary_name(true))
    }
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_offers_nothing_that_it_rejects() {
        let mut command = crate::args::command();
        let mut help_of = |name: &str| {
            let command = command.find_subcommand_mut(name).unwrap();
            command.render_long_help().to_string()
        };
        for offer in ["--dedupe", "--limit", "`-` is standard input\n"] {
            assert!(help_of("normalize").contains(offer), "{offer}");
            assert!(!help_of("plan").contains(offer), "{offer}");
        }
        for option in ["--dedupe mark", "--limit 3"] {
            let line = format!("mailglot plan a -o p {option}");
            let parsed = crate::args::command().try_get_matches_from(line.split(' '));
            assert!(
                parsed.is_ok(),
                "the command says why it does not work: {option}"
            );
        }
    }

    #[test]
    fn options_of_a_plan_are_kept() {
        let line = "mailglot plan a.mbox -q -o p.json --to maildir --keep-signed --repair mojibake,entities --charset-map a=koi8-r \
                    --charset-map b=gbk --mbox-override 7=cut --since 2001 --ledger none --split-size 1M --verify";
        let words = line.split_whitespace();
        let matches = crate::args::command().try_get_matches_from(words).unwrap();
        let given = JobArgs::words(matches.subcommand_matches("plan").unwrap()).unwrap();
        let expected = [
            "--to=maildir",
            "--charset-map=a=koi8-r",
            "--charset-map=b=gbk",
            "--repair=mojibake",
            "--repair=entities",
            "--keep-signed",
            "--ledger=none",
            "--verify",
            "--mbox-override=7=cut",
            "--since=2001",
        ];
        assert_eq!(given, expected);
        let again = JobArgs::parse(&given).unwrap();
        assert!(
            again.keep_signed && again.verify.verify && again.selection.selection().since.is_some()
        );
        assert_eq!(again.opening.mailbox.options().overrides.len(), 1);
        assert!(JobArgs::parse(&["--nothing".to_owned()]).is_err());
    }
}
