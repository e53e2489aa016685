//! The arguments of the command line: the program's own here, those of groups of commands in files of their own.
//!
//! # Limits
//!
//! Options come from the command line only. No configuration file and no environment variable sets them.

mod access;
mod addresses;
mod archives;
mod by_name;
mod charset;
mod filter;
mod findings;
mod header;
mod inputs;
mod ledger;
mod mailbox;
mod mailbox_tools;
mod milter;
mod opening;
mod parts;
mod policy;
mod proxy;
mod repair;
mod report;
mod selection;
mod serve;
mod size;
mod stats;

pub(crate) use access::*;
pub(crate) use archives::*;
pub(crate) use charset::*;
pub(crate) use filter::*;
pub(crate) use findings::FailOn;
pub(crate) use header::*;
pub(crate) use ledger::*;
pub(crate) use mailbox_tools::*;
pub(crate) use milter::*;
pub(crate) use opening::LARGEST_MESSAGE;
pub(crate) use parts::*;
pub(crate) use proxy::*;
pub(crate) use serve::*;
pub(crate) use stats::{StatsArgs, StatsForm};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as Group, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Converts mail in any charset to UTF-8.
///
/// mailglot never changes its input. It reports every change and every loss, and `mailglot restore` rebuilds the original byte for
/// byte. Inputs are mailboxes (every mbox dialect, Babyl, mbx), Maildirs, folders of .eml, .emlx or .mht files or of MH, and single
/// messages; `-` is standard input.
#[derive(Debug, Parser)]
#[command(
    name = "mailglot",
    // Without it, usage and errors name the file of the program.
    bin_name = "mailglot",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  $ mailglot check archive.mbox
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot restore clean.mbox --verify-only

Exit codes:
    0  success
    1  wrong usage; `convert` also: malformed input
    2  an input could not be read completely, or a message was set aside
    3  something was found that --fail-on names (2 and 4 take precedence)
    4  an output could not be written, a ledger does not match, or an internal error
   65  `filter --judge`: the policy rejects the message (EX_DATAERR)
   75  `filter`: any failure, so that the mail server keeps the message queued (EX_TEMPFAIL)
   78  `serve`, `milter`: the configuration file is wrong, so restarting would not help (EX_CONFIG)
  130  interrupted by a signal

Environment:
  NO_COLOR        if not empty, no colors; TERM=dumb has the same effect
  TMPDIR          folder for unpacked archives, and for long messages unless --spool-dir or `spool_dir` names one
  RUST_BACKTRACE  if set, a panic prints its stack"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How much the program prints on standard error.
#[derive(Debug, Group)]
pub(crate) struct VerbosityArgs {
    /// Print only errors on standard error. Standard output stays, such as the report of `check`.
    #[arg(short, long, global = true, display_order = 900)]
    pub(crate) quiet: bool,
    /// Also print all known examples, mailbox formats and notes.
    #[arg(short, long, global = true, display_order = 901)]
    pub(crate) verbose: bool,
}

/// The whole command line, for completions and the man page.
pub(crate) fn command() -> clap::Command {
    Args::command()
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Normalize(NormalizeArgs),
    Restore(RestoreArgs),
    Plan(PlanArgs),
    Run(RunArgs),
    Commit(CommitArgs),
    Check(CheckArgs),
    Count(CountArgs),
    Ls(LsArgs),
    Cat(CatArgs),
    Split(SplitArgs),
    Text(TextArgs),
    Inspect(InspectArgs),
    /// Decode and encode values of header fields.
    #[command(subcommand)]
    Header(HeaderCommand),
    Convert(ConvertArgs),
    Charsets(CharsetsArgs),
    Detect(DetectArgs),
    Filter(FilterArgs),
    Serve(ServeArgs),
    Milter(MilterArgs),
    Proxy(ProxyArgs),
    /// Find, show, restore and release the originals that a gateway keeps.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    CheckMta(CheckMtaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Print the completion script of a shell.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot completions bash > mailglot.bash
  $ mailglot completions zsh > _mailglot")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_parser = shells())]
    pub(crate) shell: Shell,
}

/// Print the manual page with all commands.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot man > mailglot.1
  $ mailglot man --output-dir man1")]
pub(crate) struct ManArgs {
    /// Write one page for each command into this folder instead: `mailglot.1`, `mailglot-check.1`, `mailglot-header-decode.1`.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output_dir: Option<PathBuf>,
}

/// The shells that are supported, by name.
fn shells() -> impl TypedValueParser<Value = Shell> {
    let names: Vec<_> = Shell::value_variants()
        .iter()
        .filter_map(ValueEnum::to_possible_value)
        .collect();
    PossibleValuesParser::new(names).try_map(|name| Shell::from_str(&name, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Charset;
    use mailglot_pipeline::LedgerPlace;

    fn parsed(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn only_options_of_selection_have_its_heading() {
        let command = command();
        let mut headed = 0;
        for subcommand in command.get_subcommands() {
            for argument in subcommand.get_arguments() {
                let names = ["since", "until", "strict", "folder", "dedupe", "limit"];
                let is_headed = argument.get_help_heading() == Some("Selection");
                headed += usize::from(is_headed);
                let id = argument.get_id().as_str();
                assert!(!is_headed || names.contains(&id), "{id}");
            }
        }
        assert!(headed >= 25, "{headed}");
    }

    #[test]
    fn an_error_names_each_option_that_would_do() {
        let error = parsed("mailglot split a -o b").unwrap_err().to_string();
        assert!(error.contains("<--size <SIZE>|--by <WHAT>>"), "{error}");
    }

    #[test]
    fn quiet_and_verbose_stand_anywhere() {
        for line in [
            "mailglot -q count a",
            "mailglot count -q a",
            "mailglot count a --quiet",
        ] {
            assert!(parsed(line).unwrap().verbosity.quiet, "{line}");
        }
        for line in [
            "mailglot -v header decode a",
            "mailglot header -v decode a",
            "mailglot header decode a -v",
        ] {
            assert!(parsed(line).unwrap().verbosity.verbose, "{line}");
        }
    }

    #[test]
    fn ledgers_are_files_or_none() {
        for (line, place) in [
            (
                "mailglot normalize a -o b --ledger none",
                Some(LedgerPlace::Nowhere),
            ),
            (
                "mailglot normalize a -o b --ledger c",
                Some(LedgerPlace::File("c".into())),
            ),
            ("mailglot normalize a -o b", None),
        ] {
            let Command::Normalize(args) = parsed(line).unwrap().command else {
                panic!("{line}")
            };
            assert_eq!(args.job.ledger, place);
        }
    }

    #[test]
    fn labels_mean_what_they_are_mapped_to() {
        let line = "mailglot text a --charset-map x-foo=koi8-r --charset-map latin1=cp1254 --default-charset gbk --lang-hint tr";
        let Command::Text(args) = parsed(line).unwrap().command else {
            panic!("{line}")
        };
        let policy = args.reading.policy();
        for (label, meaning) in [
            ("X-Foo", Some("KOI8-R")),
            ("ISO-8859-1", Some("windows-1254")),
            ("koi8-r", None),
            ("", None),
        ] {
            assert_eq!(
                policy
                    .charset_map
                    .meaning(label.as_bytes())
                    .map(Charset::name),
                meaning,
                "{label}"
            );
        }
        assert_eq!(policy.default_charset.map(Charset::name), Some("GBK"));
        assert_eq!(policy.language.as_deref(), Some("tr"));
    }

    #[test]
    fn wrong_usage_is_refused() {
        for line in [
            "mailglot",
            "mailglot nothing",
            "mailglot normalize a",
            "mailglot normalize -o b",
            "mailglot normalize a -o b --threads 0",
            "mailglot normalize a -o b --default-charset uft-8",
            "mailglot normalize a -o b --to pst",
            "mailglot text a --threads 0",
            "mailglot text a --charset-map koi8-r",
            "mailglot text a --charset-map =koi8-r",
            "mailglot text a --charset-map koi8-r=koi9-r",
            "mailglot text a --charset-map utf8=koi8-r",
            "mailglot restore a",
            "mailglot restore a -o b --verify-only",
            "mailglot convert a",
            "mailglot convert -f utf-8 -c --replace a",
            "mailglot filter message.eml",
            "mailglot milter",
            "mailglot milter --listen /run/socket",
            "mailglot milter --listen tcp:a:1 --check-config",
            "mailglot completions dos",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
        for line in [
            "mailglot convert -l",
            "mailglot filter -",
            "mailglot restore a --verify-only",
        ] {
            assert!(parsed(line).is_ok(), "{line}");
        }
    }
}
