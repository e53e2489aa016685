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
/// The values are arguments or lines of standard input. With --stream, standard input may be any text, such as a header or a log. Its
/// encoded words are decoded, and all other bytes are copied.
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
    /// Values. Without any, each line of standard input is a value.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Separate values with NUL instead of newline, on input and output. Objects of --json still end in newline. So a value can contain
    /// line ends: `printf 'a\n b\0c\0'` gives two values.
    ///
    /// A value of several lines is text, unless --name names its field. A line end between two encoded words joins them. A value that
    /// ends in newline is the whole value of a field, so white space at its ends is dropped. Without this option, a space replaces each
    /// line end that is not a fold, with a note.
    #[arg(short = '0')]
    pub(crate) nul: bool,
    /// Print one JSON object per value and line: value, text, events. With --name also `typed`: addresses, date, identifiers,
    /// received or params.
    #[arg(long)]
    pub(crate) json: bool,
    /// Field that the values come from, such as From. It decides where encoded words are allowed. Without it, the values are
    /// unstructured text, like a Subject.
    #[arg(long, value_name = "FIELD", value_parser = field_name)]
    pub(crate) name: Option<String>,
    /// Read one header or message from standard input. Decode each field by its name, and print it as one line. Of a mailbox, only the
    /// header of the first message is decoded: use --stream or `mailglot ls`.
    ///
    /// The raw 8-bit bytes of all fields get one charset; the encoded words and texts of the message help to choose it. If a body proves
    /// that a label is wrong, encoded words with that label use the body's charset. Lines that are not fields are copied up to the
    /// empty line, and reported. A name in a list of addresses keeps or gets quotes if it needs them, such as "Doe, John".
    #[arg(long, conflicts_with_all = ["texts", "nul", "name", "stream"])]
    pub(crate) block: bool,
    /// Print to standard error how each piece was decoded, with its byte range in the value, such as `0..24`.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Decode the encoded words in a text from standard input while it arrives. All other bytes are copied. So is an encoded word of
    /// more than 64 KiB, with a note.
    #[arg(long, conflicts_with_all = ["texts", "nul", "json", "name", "explain"])]
    pub(crate) stream: bool,
    /// Damage to repair if the repair is unambiguous.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) repair: Vec<Repair>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Encoded words with an unknown charset: `if-certain` decodes printable ASCII, and UTF-8 with characters beyond ASCII. `keep` leaves
    /// them as written, `utf8-if-valid` decodes any valid UTF-8, and the name of a charset decodes them in it.
    #[arg(long, value_name = "WAY", value_parser = unknown_label, default_value = "if-certain")]
    pub(crate) unknown: UnknownLabel,
    /// Replace invisible characters, and characters that change the direction of writing, by spaces.
    #[arg(long)]
    pub(crate) strip_hidden: bool,
}

impl DecodeArgs {
    /// Returns the context of `policy` with these options.
    pub(crate) fn context<'p>(&self, policy: &'p Policy) -> HeaderContext<'p> {
        self.with_options(HeaderContext::of(policy))
    }

    /// Sets these options in a context.
    pub(crate) fn with_options<'p>(&self, context: HeaderContext<'p>) -> HeaderContext<'p> {
        context
            .unknown(self.unknown)
            .repairs(repairs(&self.repair))
            .strip_hidden(self.strip_hidden)
    }
}

fn unknown_label(text: &str) -> Result<UnknownLabel, String> {
    match text {
        "if-certain" => Ok(UnknownLabel::IfCertain),
        "keep" => Ok(UnknownLabel::Keep),
        "utf8-if-valid" => Ok(UnknownLabel::Utf8IfValid),
        label => crate::value_parsers::charset(label).map(UnknownLabel::Fallback),
    }
}

/// Decode the parameters of Content-Type and Content-Disposition values (RFC 2231).
///
/// The values are arguments or lines of standard input.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot header params \"attachment; filename*=utf-8''%E2%82%AC.txt\"
  $ printf \"attachment; filename*=utf-8''%%E2%%82%%AC.txt\\0\" | mailglot header params -0 --json
  $ echo 'text/plain; charset=\"utf-8\"' | mailglot header params")]
pub(crate) struct ParamsArgs {
    /// Values. Without any, each line of standard input is a value.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Separate values with NUL instead of newline, on input and output. Objects of --json still end in newline.
    #[arg(short = '0')]
    pub(crate) nul: bool,
    /// Print one JSON object per value and line: {"value", "params": {name: text}, "events"}.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Encode UTF-8 text as encoded words (RFC 2047), or as a parameter (RFC 2231).
///
/// Each value becomes one line, unless --fold is given. A long line may be folded later at the spaces between encoded words.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot header encode 'Viele Grüße'
  $ echo 'Привет' | mailglot header encode --encoding b
  $ mailglot header encode --fold --name Subject --charset iso-2022-jp,utf-8 '日本語の件名'
  $ mailglot header encode --name To 'Jörg <j@example.org>, k@example.org (Käthe)'
  $ mailglot header encode --param filename --compat words 'Übersicht.pdf'")]
pub(crate) struct EncodeArgs {
    /// Values. Without any, each line of standard input is a value.
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<OsString>,
    /// Encoding of the encoded words [default: the shorter one].
    #[arg(long, value_name = "q|b")]
    pub(crate) encoding: Option<WordEncoding>,
    /// Charsets, the preferred one first. The first that can encode the whole value is used, if mail readers decode it alike. UTF-8
    /// can encode everything; a list without it may fail.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', value_parser = crate::value_parsers::charset, default_value = "utf-8")]
    pub(crate) charset: Vec<Charset>,
    /// Field that the values are for. Its name counts in the length of the first line, and decides what may be encoded. In addresses
    /// these are names and comments. A value without `@` is a name, unless it is a group (`name: ;`) or ends in `<address>`.
    #[arg(long, value_name = "FIELD", conflicts_with = "param", value_parser = field_name)]
    pub(crate) name: Option<String>,
    /// Fold lines at white space after at most 76 columns. Text without white space may give a longer line, of
    /// at most 998 bytes unless it is an address.
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
    /// ASCII, with underscores in place of other characters
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
