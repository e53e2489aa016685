//! The arguments of the commands for text in files: `convert`, `charsets`, `detect`.
//!
//! # Limits
//!
//! As those of all arguments.

use clap::{Args as Group, ValueEnum};
use mailglot_codec::Charset;
use std::path::PathBuf;

/// Convert files from one charset to another, as iconv does.
///
/// Reads the files as FROM and writes them as TO, one after the other, to standard output or to the file that -o names. Stops with exit code 1 at
/// the first byte that FROM lacks or character that TO lacks, and prints its position. -c leaves such bytes and characters out. --replace
/// writes a replacement character. --unmappable decides for characters alone. Standard error has the number of losses and of replaced characters,
/// with --explain each of them. A charset that lacks the replacement character is refused.
///
/// `mailglot detect` guesses FROM where nobody knows it. Besides charsets, `imap-utf-7` names the encoding of mailbox names (RFC 3501), one a
/// line.
#[derive(Debug, Group)]
#[command(
    override_usage = "mailglot convert -f <FROM> [-t <TO>] [OPTIONS] [FILE]...\n       mailglot convert --list"
)]
#[command(after_help = "\
Examples:
  $ mailglot convert -f windows-1252 letter.txt
  $ mailglot convert -f iso-2022-jp -t shift_jis --replace -o sjis.txt jis.txt
  $ mailglot convert -f windows-1252 -t us-ascii --unmappable translit --explain letter.txt
  $ echo 'Entw&APw-rfe' | mailglot convert -f imap-utf-7
  $ mailglot convert -l")]
pub(crate) struct ConvertArgs {
    /// Charset of the input; `--list` has the names.
    #[arg(short, long, value_name = "FROM", required_unless_present = "list")]
    pub(crate) from: Option<String>,
    /// Charset of the output.
    #[arg(short, long, value_name = "TO", default_value = "utf-8")]
    pub(crate) to: String,
    /// Leave out bytes that cannot be read and characters that cannot be written.
    #[arg(short = 'c', long)]
    pub(crate) skip: bool,
    /// Write U+FFFD for bytes that cannot be read, and a question mark for a character that cannot be written.
    #[arg(long, conflicts_with = "skip")]
    pub(crate) replace: bool,
    /// What becomes of a character that cannot be written, whatever -c and --replace say of it. Bytes that cannot be read are not meant.
    #[arg(long, value_name = "WAY")]
    pub(crate) unmappable: Option<UnmappableWay>,
    /// Tell on standard error of each loss: where it is, what is wrong, the bytes around, what was written.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write to a file, which appears whole or not at all; by default standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// List the names of all charsets (`mailglot charsets` tells more of each).
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Files; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// List the charsets that are read and written, or what becomes of the registry of IANA.
///
/// Each line has the name, the number in the registry (MIBenum), the kind, the number of labels and a description. A
/// charset that mail reads by a superset names it. With --iana the lines are the 258 entries of the registry, and the last line counts them. Such a
/// line has number, name, the charset that decodes it or the reason why none does, and whether it is written.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot charsets
  $ mailglot charsets --iana | tail -n 1
  $ mailglot charsets --json | grep koi8")]
pub(crate) struct CharsetsArgs {
    /// The coverage of the registry of IANA.
    #[arg(long)]
    pub(crate) iana: bool,
    /// A JSON object a line and charset (with all labels), or a line and entry of the registry.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Guess the charset of files.
///
/// Prints a line for each: path, charset, confidence (the probability that the text is right), and what decided: bom,
/// ascii, structure, utf-8, declared, model, fallback; with tabs between them. Charsets that make the same text are one.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot detect letter.txt
  $ mailglot detect --top 3 --country pl letter.txt
  $ printf 'caf\\351' | mailglot detect --lang-hint fr --json")]
pub(crate) struct DetectArgs {
    /// The likeliest N; where a rule decides there is one only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) top: u8,
    /// Language of the text, as in Content-Language: `pt-BR`.
    #[arg(long, value_name = "TAG", value_parser = crate::suggest::language)]
    pub(crate) lang_hint: Option<String>,
    /// Country that the text comes from, as in domain names: `cz`.
    #[arg(long, value_name = "CODE", value_parser = crate::suggest::country)]
    pub(crate) country: Option<String>,
    /// What a label says: it is right where it reads every byte.
    #[arg(long, value_name = "LABEL", value_parser = crate::suggest::charset)]
    pub(crate) declared: Option<Charset>,
    /// A JSON object a line and file: file, guesses.
    #[arg(long)]
    pub(crate) json: bool,
    /// Files; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// What `--unmappable` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnmappableWay {
    /// Nothing: the work ends there
    Error,
    /// A question mark
    Question,
    /// A decimal reference of HTML (`&#8364;`)
    Html,
    /// A hexadecimal one (`&#x20AC;`)
    Hex,
    /// Nothing
    Skip,
    /// The nearest that the charset has (`EUR`), else a question mark
    Translit,
}
