//! The arguments of `mailglot header`.
//!
//! # Limits
//!
//! As those of all arguments.

use super::policy::ReadingArgs;
use super::repair::{Repair, repairs};
use clap::{Args as Group, Subcommand, ValueEnum};
use mailglot_codec::Charset;
use mailglot_mime::Policy;
use mailglot_mime::encoded_word::{HeaderContext, UnknownLabel};
use std::ffi::OsString;

/// The commands for header fields.
#[derive(Debug, Subcommand)]
pub(crate) enum HeaderCommand {
    Decode(DecodeArgs),
    Params(ParamsArgs),
    Encode(EncodeArgs),
}

/// Decode encoded words (RFC 2047) and raw bytes of header fields.
///
/// Values come as arguments, or one a line. With --stream any text comes from standard input, such as a header or a log:
/// its encoded words are decoded, all other bytes pass as they are.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot header decode '=?ISO-8859-1?Q?We=92ve?='
  $ mailglot header decode --name From --explain '\"=?koi8-r?B?8NLJ18XU?=\" <a@example.org>'
  $ printf '=?utf-8?B?w7w=?=\\0=?koi8-r?Q?=C4=C1?=\\0' | mailglot header decode -0
  $ mailglot header decode --repair all 'GrÃ¼ÃŸe &amp; K&uuml;sse'
  $ mailglot header decode --block < message.eml
  $ echo 'queued: subject==?utf-8?Q?Gr=C3=BC=C3=9Fe?=' | mailglot header decode --stream")]
pub(crate) struct DecodeArgs {
    /// Values; without any, each line of standard input is one.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Separate values with NUL instead of newline, on input and output. Objects of --json still end in newline. A value that ends in newline is the
    /// whole value of a field, so white space at its ends is dropped. A value of several lines is text, unless --name names its field. A line
    /// end between two encoded words joins them. Without this option a space replaces line ends that are no folds, and a note says so.
    #[arg(short = '0')]
    pub(crate) nul: bool,
    /// A JSON object a line and value: value, text, events; with --name also typed: addresses, date, identifiers, received,
    /// or params.
    #[arg(long)]
    pub(crate) json: bool,
    /// Field that the values come from: it tells where words may stand. Without it they are text.
    #[arg(long, value_name = "FIELD", value_parser = field_name)]
    pub(crate) name: Option<String>,
    /// Standard input is the header of a message, or all of one: each field is decoded as its name tells and written as one
    /// line. Raw 8-bit bytes of all fields are read together, with what words and text of the message tell. Lines that are no fields
    /// are written as they came, up to the empty line, and told.
    #[arg(long, conflicts_with_all = ["texts", "nul", "name", "stream"])]
    pub(crate) block: bool,
    /// Tell on standard error how each piece was read.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Decode the words of a text from standard input, as it comes; all other bytes pass unchanged, and so does a word beyond 64 KiB, which
    /// is told.
    #[arg(long, conflicts_with_all = ["texts", "nul", "json", "name", "explain"])]
    pub(crate) stream: bool,
    /// Damage to undo where the way back is certain.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) repair: Vec<Repair>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Words whose charset nobody knows: `keep` them as written, read them `utf8-if-valid`, or in a charset.
    #[arg(long, value_name = "WAY", value_parser = unknown_label, default_value = "keep")]
    pub(crate) unknown: UnknownLabel,
    /// Show spaces for characters that turn the direction of writing, or that nobody sees.
    #[arg(long)]
    pub(crate) strip_hidden: bool,
}

impl DecodeArgs {
    /// Returns the context of `policy` with these options.
    pub(crate) fn context<'p>(&self, policy: &'p Policy) -> HeaderContext<'p> {
        HeaderContext::of(policy)
            .unknown(self.unknown)
            .repairs(repairs(&self.repair))
            .strip_hidden(self.strip_hidden)
    }
}

fn unknown_label(text: &str) -> Result<UnknownLabel, String> {
    match text {
        "keep" => Ok(UnknownLabel::Keep),
        "utf8-if-valid" => Ok(UnknownLabel::Utf8IfValid),
        label => crate::suggest::charset(label).map(UnknownLabel::Fallback),
    }
}

/// Decode the parameters of Content-Type and Content-Disposition values (RFC 2231) from standard input.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ printf \"attachment; filename*=utf-8''%%E2%%82%%AC.txt\\0\" | mailglot header params -0 --json
  $ echo 'text/plain; charset=\"utf-8\"' | mailglot header params")]
pub(crate) struct ParamsArgs {
    /// Values are ended by NUL, on input and output; objects of --json by line ends. Without it, each line is one.
    #[arg(short = '0')]
    pub(crate) nul: bool,
    /// A JSON object a line and value: {"value", "params": {name: text}, "events"}.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Encode UTF-8 text as encoded words (RFC 2047), or as a parameter (RFC 2231).
///
/// Each value stays one line, unless --fold is given; a long one may be folded at the spaces between the words.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot header encode 'Viele Grüße'
  $ echo 'Привет' | mailglot header encode --encoding b
  $ mailglot header encode --fold --name Subject --charset iso-2022-jp,utf-8 '日本語の件名'
  $ mailglot header encode --name To 'Jörg <j@example.org>, k@example.org (Käthe)'
  $ mailglot header encode --param filename --compat words 'Übersicht.pdf'")]
pub(crate) struct EncodeArgs {
    /// Values; without any, each line of standard input is one.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Encoding of the words; by default the shorter of both.
    #[arg(long, value_name = "q|b")]
    pub(crate) encoding: Option<WordEncoding>,
    /// Charsets, the best first: the first that holds the whole value is used, if readers of mail decode it alike. UTF-8 holds all.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', value_parser = crate::suggest::charset, default_value = "utf-8")]
    pub(crate) charset: Vec<Charset>,
    /// Field that the values are for: its name counts in the first line, and tells what may be encoded. Of addresses only names and
    /// comments are; a value without an `@` is one name, unless it is a group (`name: ;`) or ends in `<address>`.
    #[arg(long, value_name = "FIELD", conflicts_with = "param", value_parser = field_name)]
    pub(crate) name: Option<String>,
    /// Fold lines at 76 columns, where white space is; what has none is as long as it is.
    #[arg(long)]
    pub(crate) fold: bool,
    /// Encode as a parameter of this name.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["encoding", "charset"])]
    pub(crate) param: Option<String>,
    /// Add a plain form of the parameter for old readers.
    #[arg(long, value_name = "FORM", requires = "param")]
    pub(crate) compat: Option<CompatForm>,
}

/// A name as RFC 5322 3.6.8 has it: printable ASCII without a colon.
fn field_name(text: &str) -> Result<String, String> {
    if text.ends_with(':') {
        return Err("the name of a field is given without its colon".to_owned());
    }
    if text.is_empty() || !text.bytes().all(|b| matches!(b, b'!'..=b'~') && b != b':') {
        return Err(
            "this is no name of a field: printable ASCII without spaces and colons".to_owned(),
        );
    }
    Ok(text.to_owned())
}

/// The plain form of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatForm {
    /// Underscores for what is not ASCII
    Ascii,
    /// Encoded words in quotes
    Words,
}

/// Encoding of an encoded word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WordEncoding {
    /// Quoted-printable-like
    Q,
    /// Base64
    B,
}
