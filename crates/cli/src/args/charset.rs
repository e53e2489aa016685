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
/// Reads the files as FROM and writes them as TO, one after the other, to standard output or to the file that -o names. Stops with exit code 1
/// at the first byte that FROM lacks or character that TO lacks, and prints its position. The option -c omits such bytes and characters, and
/// --replace writes a replacement character. The option --unmappable applies to unencodable characters only. Prints the number of losses and
/// replacements to standard error, and with --explain each of them. A charset that lacks the replacement character is rejected.
///
/// `mailglot detect` guesses an unknown FROM. FROM and TO may also be `imap-utf-7`, the encoding of mailbox names (RFC 3501), with one
/// name per line.
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
    /// Charset of the input. `--list` lists the names.
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
    /// Treatment of characters that TO cannot encode. It takes precedence over -c and --replace, which then apply to undecodable bytes
    /// only.
    #[arg(long, value_name = "WAY")]
    pub(crate) unmappable: Option<UnmappableWay>,
    /// Print each loss to standard error: its position, the reason, the bytes around it, and what was written instead.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Output file, which appears complete or not at all and replaces an existing one [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// List the names of all charsets. `mailglot charsets` prints more about each.
    #[arg(short, long)]
    pub(crate) list: bool,
    /// Files; standard input if none or `-`.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// List the charsets that mailglot decodes and encodes, or the coverage of the IANA registry.
///
/// Each line has the name, the number in the registry (MIBenum), the kind, the number of labels and a description. The description names
/// the superset that decodes mail with this label, if there is one. With --iana each line is one of the 258 entries of the registry, and the
/// last line counts them. An entry has its number, its name, the charset that decodes it or the reason why none does, and whether it can
/// be encoded.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot charsets
  $ mailglot charsets --iana | tail -n 1
  $ mailglot charsets --json | grep koi8")]
pub(crate) struct CharsetsArgs {
    /// List the coverage of the IANA registry.
    #[arg(long)]
    pub(crate) iana: bool,
    /// Print one JSON object per charset, with all labels, or per entry of the registry, each on one line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Guess the charset of files.
///
/// Prints one line per guess, with tabs between path, charset, confidence and evidence. The confidence is the probability that the text is
/// right. The evidence is bom, ascii, structure, utf-8, declared, model, fallback or binary. If several charsets give the same text, only one
/// is printed. `convert -f` decodes the printed charset strictly, so it is Windows-31J if Shift_JIS lacks characters of the file.
///
/// `binary` stands for the charset of a file that is not text. Examples are a PNG image, a ZIP archive, and a file with many NULs or
/// other control characters. A declaration in the file (XML, HTML meta element, `@charset`) has the effect of --declared. It has none if
/// the text shows another charset with a confidence of 0.95 or more.
///
/// Files up to 16 MiB are read completely. Larger files are read to the end if they are ASCII or UTF-8. Otherwise about 16 MiB are read,
/// from the first byte on that is not ASCII.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot detect letter.txt
  $ mailglot detect --top 3 --country pl letter.txt
  $ printf 'caf\\351' | mailglot detect --lang-hint fr --json")]
pub(crate) struct DetectArgs {
    /// Print the N likeliest charsets. If a rule decides, there is only one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) top: u8,
    /// Language of the text, as in Content-Language: `pt-BR`.
    #[arg(long, value_name = "TAG", value_parser = crate::value_parsers::language)]
    pub(crate) lang_hint: Option<String>,
    /// Country of the writer, as in domain names: `cz`.
    #[arg(long, value_name = "CODE", value_parser = crate::value_parsers::country)]
    pub(crate) country: Option<String>,
    /// Charset that a label declares. It is the answer if it or its superset decodes every byte. Replaces a declaration in the file.
    #[arg(long, value_name = "LABEL", value_parser = crate::value_parsers::charset)]
    pub(crate) declared: Option<Charset>,
    /// Print one JSON object per file and line: file, guesses. Each guess has charset, confidence and evidence. A path that is not UTF-8
    /// is {"bytes": base64}.
    #[arg(long)]
    pub(crate) json: bool,
    /// Files; standard input if none or `-`.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// What `--unmappable` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnmappableWay {
    /// Stop with exit code 1
    Error,
    /// A question mark
    Question,
    /// A decimal HTML reference (`&#8364;`)
    Html,
    /// A hexadecimal HTML reference (`&#x20AC;`)
    Hex,
    /// Leave the character out
    Skip,
    /// Similar characters that TO has (`EUR`), else a question mark
    Translit,
}
