//! Parses the arguments of the command line.
//!
//! clap builds every option of every command before it reads an argument. This takes longer than decoding a header value, so valid
//! arguments are parsed with the options of their command only. Help and errors see all commands, since they list or suggest them.
//!
//! # Limits
//!
//! Only options of [`VerbosityArgs`] may stand before the command: `mailglot header -q decode a` is parsed with all commands.

use crate::args::{
    Args, CatArgs, CharsetsArgs, CheckArgs, CheckMtaArgs, CommitArgs, CompletionsArgs, ConvertArgs,
    CountArgs, DecodeArgs, DetectArgs, EncodeArgs, FilterArgs, FindArgs, InspectArgs,
    LedgerRestoreArgs, LsArgs, ManArgs, MilterArgs, NormalizeArgs, ParamsArgs, PlanArgs, ProxyArgs,
    ReleaseArgs, RestoreArgs, RunArgs, ServeArgs, ShowArgs, SplitArgs, TextArgs, VerbosityArgs,
};
use clap::{Args as Group, Command, FromArgMatches, Parser};
use std::ffi::OsString;

/// A command: the words that name it, and the function that adds its options.
type NamedCommand = (&'static [&'static str], fn(Command) -> Command);

/// All commands.
const COMMANDS: [NamedCommand; 29] = [
    (&["normalize"], NormalizeArgs::augment_args),
    (&["restore"], RestoreArgs::augment_args),
    (&["plan"], PlanArgs::augment_args),
    (&["run"], RunArgs::augment_args),
    (&["commit"], CommitArgs::augment_args),
    (&["check"], CheckArgs::augment_args),
    (&["count"], CountArgs::augment_args),
    (&["ls"], LsArgs::augment_args),
    (&["cat"], CatArgs::augment_args),
    (&["split"], SplitArgs::augment_args),
    (&["text"], TextArgs::augment_args),
    (&["inspect"], InspectArgs::augment_args),
    (&["header", "decode"], DecodeArgs::augment_args),
    (&["header", "params"], ParamsArgs::augment_args),
    (&["header", "encode"], EncodeArgs::augment_args),
    (&["convert"], ConvertArgs::augment_args),
    (&["charsets"], CharsetsArgs::augment_args),
    (&["detect"], DetectArgs::augment_args),
    (&["filter"], FilterArgs::augment_args),
    (&["serve"], ServeArgs::augment_args),
    (&["milter"], MilterArgs::augment_args),
    (&["proxy"], ProxyArgs::augment_args),
    (&["ledger", "find"], FindArgs::augment_args),
    (&["ledger", "show"], ShowArgs::augment_args),
    (&["ledger", "restore"], LedgerRestoreArgs::augment_args),
    (&["ledger", "release"], ReleaseArgs::augment_args),
    (&["check-mta"], CheckMtaArgs::augment_args),
    (&["completions"], CompletionsArgs::augment_args),
    (&["man"], ManArgs::augment_args),
];

/// Parses the arguments, the program's name first.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Args, clap::Error> {
    parse_named(arguments).map_or_else(|| Args::try_parse_from(without_help_of_help(arguments)), Ok)
}

/// Leaves out `--help` behind the command `help`, which clap rejects there.
fn without_help_of_help(arguments: &[OsString]) -> Vec<OsString> {
    let mut words = arguments
        .iter()
        .skip(1)
        .filter(|word| !is_verbosity(word) && !is_help(word));
    let is_group = |word: &OsString| word == "header" || word == "ledger";
    let first = words.next();
    let command = first
        .filter(|word| !is_group(word))
        .or_else(|| words.next());
    let asks_for_help = command.is_some_and(|word| word == "help");
    let kept = arguments
        .iter()
        .filter(|word| !(asks_for_help && is_help(word)));
    kept.cloned().collect()
}

fn is_help(word: &OsString) -> bool {
    word == "-h" || word == "--help"
}

/// Parses the arguments of the command that the first words name. Returns None if they are invalid or ask for help, or if no command
/// comes first. Only `-q` and the like may stand before it.
fn parse_named(arguments: &[OsString]) -> Option<Args> {
    let first = arguments
        .get(1..)?
        .iter()
        .position(|word| !is_verbosity(word))?
        + 1;
    let words = &arguments[first..];
    let named = COMMANDS.iter().find(|(names, _)| {
        words.len() >= names.len() && names.iter().zip(words).all(|(name, word)| word == name)
    })?;
    let mut matches = command(named).try_get_matches_from(arguments).ok()?;
    Args::from_arg_matches_mut(&mut matches).ok()
}

/// Returns true for an option of [`VerbosityArgs`]. None of them has a value.
fn is_verbosity(word: &OsString) -> bool {
    ["-q", "--quiet", "-v", "--verbose"]
        .iter()
        .any(|option| word == option)
}

/// Returns the program with one command.
fn command((names, augment): &NamedCommand) -> Command {
    let mut names = names.iter().rev();
    let last = names.next().copied().unwrap_or_default();
    let innermost = augment(Command::new(last));
    let command = names.fold(innermost, |inner, name| {
        Command::new(*name).subcommand(inner)
    });
    VerbosityArgs::augment_args(Command::new("mailglot")).subcommand(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of all commands that have no commands below them, and their options as clap prints them for debugging.
    fn leaves(command: &Command, names: &[String], found: &mut Vec<(Vec<String>, String)>) {
        for inner in command.get_subcommands() {
            let names = [names, &[inner.get_name().to_owned()]].concat();
            if inner.has_subcommands() {
                leaves(inner, &names, found);
            } else {
                // A command alone has the first place in the list of commands.
                let inner = inner.clone().display_order(0);
                found.push((names, format!("{inner:?}")));
            }
        }
    }

    #[test]
    fn help_has_help() {
        let printed = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = parse(&words).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{line}");
            error.to_string()
        };
        for (line, same) in [
            ("mailglot help --help", "mailglot help"),
            ("mailglot -q help -h", "mailglot help"),
            ("mailglot help check --help", "mailglot help check"),
            ("mailglot header help --help", "mailglot header help"),
            ("mailglot ledger help find -h", "mailglot ledger help find"),
        ] {
            assert_eq!(printed(line), printed(same), "{line}");
        }
        // A file of this name is no command.
        let words = ["mailglot", "check", "help", "--help"].map(OsString::from);
        assert_eq!(without_help_of_help(&words), words);
    }

    #[test]
    fn each_command_has_the_same_options_alone() {
        let mut all = Vec::new();
        leaves(&crate::args::command(), &[], &mut all);
        let mut alone = Vec::new();
        for named in &COMMANDS {
            leaves(&command(named), &[], &mut alone);
        }
        assert_eq!(alone.len(), COMMANDS.len());
        for (one, other) in alone.iter().zip(&all) {
            assert_eq!(one.0, other.0);
            assert!(one.1 == other.1, "{:?}", one.0);
        }
        assert_eq!(alone.len(), all.len());
    }

    #[test]
    fn usage_names_the_program_whatever_its_file() {
        for line in [
            "/opt/other-9 count --help",
            "other-9 split a -o b",
            "other-9 --help",
        ] {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            let text = parse(&words).map(|_| ()).unwrap_err().to_string();
            assert!(text.contains("Usage: mailglot"), "{text}");
            assert!(!text.contains("other-9"), "{text}");
        }
    }

    #[test]
    fn only_valid_arguments_behind_a_command_are_parsed() {
        let parsed = |line: &str| {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            parse_named(&words)
        };
        for line in [
            "mailglot count -q a",
            "mailglot header decode a --quiet",
            "mailglot -q count a",
            "mailglot -v --quiet header decode a",
        ] {
            assert!(
                parsed(line).is_some_and(|args| args.verbosity.quiet),
                "{line}"
            );
        }
        for line in [
            "mailglot -q",
            "mailglot -x count a",
            "mailglot header -q decode a",
            "mailglot header",
            "mailglot header decode --help",
            "mailglot help count",
            "mailglot normalize a",
            "mailglot coun a",
            "mailglot",
        ] {
            assert!(parsed(line).is_none(), "{line}");
        }
    }
}
