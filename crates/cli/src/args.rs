//! The arguments of the command line.
//!
//! # Limits
//!
//! Options stand here, those for text files, of `header`, `ledger`, `serve`, `milter` and `proxy` in files of their own, and nowhere else: there is no configuration file and no variable for them.

mod access;
mod charset;
mod expansion;
mod header;
mod ledger;
mod milter;
mod proxy;
mod serve;

pub(crate) use access::*;
pub(crate) use charset::*;
pub(crate) use expansion::*;
pub(crate) use header::*;
pub(crate) use ledger::*;
pub(crate) use milter::*;
pub(crate) use proxy::*;
pub(crate) use serve::*;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as Group, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use mailglot_codec::Charset;
use mailglot_mime::{
    Attachments, CharsetMap, CharsetOut, Detection, Headers, OnLoss, Policy, Transfer,
};
use mailglot_pipeline::LedgerPlace;
use std::ffi::OsString;
use std::path::PathBuf;

/// Turns mail in any charset into clean UTF-8.
///
/// mailglot tells exactly what it changed or could not read, never changes its input, and can give every original byte
/// back. Inputs are mailboxes (every mbox dialect), Maildirs, folders of .eml files or of MH, or single messages; `-` is
/// standard input.
#[derive(Debug, Parser)]
#[command(
    name = "mailglot",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  $ mailglot check archive.mbox
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot restore clean.mbox --verify-only

Exit codes:
    0  done
    1  wrong usage; of `convert` bad input, too
    2  some input could not be read, or not to its end
    3  something was found that --fail-on names
    4  output, ledger or account is wrong
   75  every failure of `filter`
  130  interrupted"
)]
pub(crate) struct Args {
    /// Say nothing but errors.
    #[arg(short, long, global = true, display_order = 900)]
    pub(crate) quiet: bool,
    /// Say more: examples, profiles, reasons.
    #[arg(short, long, global = true, display_order = 901)]
    pub(crate) verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reads the arguments, the program's name first.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Args, clap::Error> {
    Args::try_parse_from(arguments)
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
    Check(CheckArgs),
    Count(CountArgs),
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

/// Turn archives into UTF-8 archives, with a ledger that undoes it.
///
/// The output appears whole or not at all; inputs are never changed. With one input, OUTPUT is that mailbox, folder or
/// message; with several, a folder of them. Beside it stands a ledger, from which `mailglot restore` gives every
/// original byte back. The summary goes to standard error. A message of more than 64 MiB passes as it is, which is a loss.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot normalize archive.mbox Maildir -o clean --report report.json
  $ mailglot normalize Maildir -o one.mbox --to mbox --headers raw-utf8
  $ cat archive.mbox | mailglot normalize - -o piped.mbox --fail-on loss")]
pub(crate) struct NormalizeArgs {
    /// Mailboxes, folders or messages; `-` is standard input.
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// The file or folder to make.
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    /// Form of the output; by default as the input, of MH a tree of .eml. What was compressed comes out as it is inside.
    #[arg(long, value_name = "FORM")]
    pub(crate) to: Option<Form>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Leave messages alone that carry a signature over the whole message (DKIM, ARC).
    #[arg(long)]
    pub(crate) keep_signed: bool,
    /// Where the ledger goes, or `none`; by default OUTPUT.ledger.
    #[arg(long, value_name = "FILE|none", value_parser = clap::builder::OsStringValueParser::new().map(ledger))]
    pub(crate) ledger: Option<LedgerPlace>,
    /// Write a report in JSON.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Worker threads; by default one a core. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// End with exit code 3 when something was found; the output is written all the same.
    #[arg(long, value_name = "WHAT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Read each rewritten message with a second, independent reader before it is accepted. A message that it reads otherwise is set
    /// aside (`verify.disagrees`), and the exit code is 2.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Replace an output, ledger and report that stand there.
    #[arg(long)]
    pub(crate) force: bool,
    /// Read files that have no header field as messages; otherwise they are refused, since they are no mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    #[command(flatten)]
    pub(crate) expansion: ExpansionArgs,
}

/// What is to be made of a message, where `normalize` and `filter` share it.
#[derive(Debug, Group)]
pub(crate) struct PolicyArgs {
    /// Non-ASCII text in header fields.
    #[arg(long, value_name = "FORM", default_value = "words")]
    headers: HeaderForm,
    /// Transfer encoding of text parts; by default `8bit`, and where `filter` judges, what that policy says.
    #[arg(long, value_name = "ENCODING")]
    transfer: Option<TransferForm>,
    /// Charset to write. ISO-2022-JP is for readers in Japan that know nothing else: what it cannot carry is in UTF-8.
    #[arg(long, value_name = "CHARSET", default_value = "utf-8")]
    charset_out: CharsetOutForm,
    /// Text attachments: keep them as the files that they are, or bring those in another charset to UTF-8.
    #[arg(long, value_name = "WAY", default_value = "keep")]
    attachments: AttachmentForm,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Parts and header fields with bytes that cannot be read: write U+FFFD for those bytes, or keep them as they are. By default
    /// `replace` where a ledger keeps the old bytes, else `keep`.
    #[arg(long, value_name = "WAY")]
    on_loss: Option<LossWay>,
    /// Damage in header fields to undo where the way back is certain.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    repair: Vec<Repair>,
}

impl PolicyArgs {
    /// The policy; `on_loss` holds where nothing was asked for.
    pub(crate) fn policy(&self, keep_signed: bool, on_loss: OnLoss) -> Policy {
        Policy {
            headers: match self.headers {
                HeaderForm::Words => Headers::Words,
                HeaderForm::RawUtf8 => Headers::RawUtf8,
                HeaderForm::Keep => Headers::Keep,
            },
            transfer: self.transfer().unwrap_or_default(),
            charset_out: match self.charset_out {
                CharsetOutForm::Utf8 => CharsetOut::Utf8,
                CharsetOutForm::Iso2022Jp => CharsetOut::Iso2022Jp,
            },
            attachments: match self.attachments {
                AttachmentForm::Keep => Attachments::Keep,
                AttachmentForm::Utf8 => Attachments::Utf8,
            },
            on_loss: match self.on_loss {
                None => on_loss,
                Some(LossWay::Replace) => OnLoss::Replace,
                Some(LossWay::Keep) => OnLoss::Keep,
            },
            keep_signed,
            repairs: repairs(&self.repair),
            ..self.reading.policy()
        }
    }

    /// The transfer encoding that was asked for.
    pub(crate) fn transfer(&self) -> Option<Transfer> {
        self.transfer.map(|form| match form {
            TransferForm::EightBit => Transfer::EightBit,
            TransferForm::SevenBit => Transfer::SevenBit,
            TransferForm::Keep => Transfer::Keep,
        })
    }
}

/// What a person knows about the text that mail itself does not tell.
#[derive(Debug, Group)]
pub(crate) struct ReadingArgs {
    /// Charset of text that nothing else tells (`mailglot convert -l` lists names).
    #[arg(long, value_name = "LABEL", value_parser = crate::suggest::charset)]
    default_charset: Option<Charset>,
    /// Read the label A as the charset B; may be given more than once.
    #[arg(long, value_name = "A=B", value_parser = crate::suggest::mapping)]
    charset_map: Vec<(String, Charset)>,
    /// Language of text that does not tell its own, as in Content-Language: `pt-BR`.
    #[arg(long, value_name = "TAG", value_parser = crate::suggest::language)]
    lang_hint: Option<String>,
    /// How far charsets are guessed from the bytes.
    #[arg(long, value_name = "WHEN", default_value = "contradiction")]
    detect: DetectionForm,
}

impl ReadingArgs {
    /// The policy that reads so, and is the archive's in all else.
    pub(crate) fn policy(&self) -> Policy {
        let mut charset_map = CharsetMap::default();
        for (label, charset) in &self.charset_map {
            charset_map.add(label, *charset);
        }
        let (default_charset, language) = (self.default_charset, self.lang_hint.clone());
        let detection = self.detect.detection();
        Policy {
            default_charset,
            charset_map,
            language,
            detection,
            ..Policy::default()
        }
    }

    /// The words of a command line that says so, without the quotes of a shell.
    pub(crate) fn words(&self) -> Vec<String> {
        let default = self
            .default_charset
            .map(|charset| ("--default-charset", charset.name().to_owned()));
        let map = self.charset_map.iter();
        let map =
            map.map(|(label, charset)| ("--charset-map", format!("{label}={}", charset.name())));
        let language = self.lang_hint.clone().map(|tag| ("--lang-hint", tag));
        let detection = self.detect.detection();
        let detect =
            (detection != Detection::default()).then(|| ("--detect", detection.name().to_owned()));
        let all = default.into_iter().chain(map).chain(language).chain(detect);
        all.flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
    }
}

/// Give the original bytes back.
///
/// Rebuilds every input of `mailglot normalize` from its output and the ledger, byte for byte, and compares the hash.
/// The ledger of a message that a gateway changed holds it whole: it needs no output. Nothing appears unless all is right.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot restore clean.mbox --verify-only
  $ mailglot restore clean.mbox -o original.mbox
  $ mailglot restore --ledger 4F2.ledger -o original.eml")]
pub(crate) struct RestoreArgs {
    /// What `mailglot normalize` wrote; not needed where the ledger is that of a gateway.
    #[arg(value_name = "OUTPUT", required_unless_present = "ledger")]
    pub(crate) normalized: Option<PathBuf>,
    /// Where the original goes.
    #[arg(
        short = 'o',
        long = "output",
        value_name = "ORIGINAL",
        required_unless_present = "verify_only"
    )]
    pub(crate) original: Option<PathBuf>,
    /// The ledger; by default OUTPUT.ledger.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Check that every byte can be given back, and write nothing.
    #[arg(long, conflicts_with = "original")]
    pub(crate) verify_only: bool,
}

/// Tell what would change and what would be lost; write nothing.
///
/// Prints the number of messages, the dialect of mailboxes, the least certain guesses, the charsets, what would be repaired with
/// examples, what is ambiguous, and the command to run next. A message of more than 64 MiB is not read, which is a loss.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot check archive.mbox
  $ mailglot check --json --fail-on loss archive.mbox Maildir
  $ mailglot check --fail-on guess archive.mbox || echo 'look at the guesses first'")]
pub(crate) struct CheckArgs {
    /// Mailboxes, folders or messages; `-` is standard input.
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Print the account as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// End with exit code 3 when something was found.
    #[arg(long, value_name = "WHAT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Read files that have no header field as messages; otherwise they are refused, since they are no mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    #[command(flatten)]
    pub(crate) expansion: ExpansionArgs,
    /// Read what would be written with a second, independent reader. A message that it reads otherwise is reported (`verify.disagrees`),
    /// and the exit code is 2.
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Count messages: a line `N<TAB>path` for each archive.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot count archive.mbox Maildir
  $ mailglot count - < archive.mbox")]
pub(crate) struct CountArgs {
    /// Mailboxes, folders or messages; `-` is standard input.
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Read files that have no header field as messages; otherwise they are refused, since they are no mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    #[command(flatten)]
    pub(crate) expansion: ExpansionArgs,
}

/// Print the decoded text parts.
///
/// Transfer encoding, charset and mailbox quoting are undone; lines end in LF. With --json each part is an object on a
/// line of its own: file, message (ordinal from 0), path (the file of the message, where it lies in a folder), part (`1.2`), type,
/// charset (the label as written), used, text, losses. A path that is no UTF-8 is {"bytes": base64}. A message of more than 64 MiB
/// has no text: standard error names it, and the exit code is 2.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot text message.eml
  $ mailglot text --charset-map iso-8859-1=windows-1254 --lang-hint tr message.eml
  $ mailglot text --json archive.mbox | grep koi8-r")]
pub(crate) struct TextArgs {
    /// Mailboxes, folders or messages; `-` is standard input.
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// A JSON object a line and part.
    #[arg(long)]
    pub(crate) json: bool,
    /// Worker threads; by default one a core. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Leave text attachments out.
    #[arg(long)]
    pub(crate) no_attachments: bool,
    /// Read files that have no header field as messages; otherwise they are refused, since they are no mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    #[command(flatten)]
    pub(crate) expansion: ExpansionArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

impl TextArgs {
    /// The policy that reads so.
    pub(crate) fn policy(&self) -> Policy {
        let attachments = if self.no_attachments {
            Attachments::Skip
        } else {
            Attachments::Keep
        };
        Policy {
            attachments,
            ..self.reading.policy()
        }
    }
}

/// Show the parts of messages: offsets, labels, charsets and why, findings.
///
/// A message of a mailbox is named by its ordinal, from 0: `box.mbox:17`. Without an ordinal all messages are shown.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot inspect message.eml
  $ mailglot inspect --json archive.mbox:1")]
pub(crate) struct InspectArgs {
    /// Messages, mailboxes or folders, with or without `:N`; `-` is standard input.
    #[arg(value_name = "INPUT", required_unless_present = "of_stdin")]
    pub(crate) inputs: Vec<OsString>,
    /// A message of standard input: `-:N` looks like an option, and so it is one.
    #[arg(short = ':', value_name = "N", hide = true)]
    pub(crate) of_stdin: Vec<u64>,
    /// A JSON object a line and message.
    #[arg(long)]
    pub(crate) json: bool,
    /// Read files that have no header field as messages; otherwise they are refused, since they are no mail.
    #[arg(long)]
    pub(crate) force_format: bool,
    #[command(flatten)]
    pub(crate) expansion: ExpansionArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Normalize one message from standard input to standard output, inside a mail system.
///
/// Nothing is written before the whole result exists. Every failure ends with exit code 75, wrong usage and faults of
/// the program too, so that the caller keeps the mail and tries again; a standard output that is closed is one. A signal such as SIGINT or SIGTERM ends it as a
/// signal does, not with 75. Signed messages are left alone, and so are parts
/// and header fields with bytes that cannot be read, unless --on-loss replace is given. Nothing is said on standard error, which some
/// callers put into the mail, but on a terminal and with -v.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot filter < message.eml > clean.eml
  $ mailglot filter --fail-open --transfer 7bit < message.eml > clean.eml

In .procmailrc:
  :0 fw
  | mailglot filter

In .mailfilter (maildrop):
  xfilter \"mailglot filter\"

In the configuration of Exim, at a transport:
  transport_filter = /usr/bin/mailglot filter --transfer 7bit

In master.cf of Postfix (one line), with -o content_filter=mailglot:dummy at its smtpd:
  mailglot unix - n n - 10 pipe flags=Rq user=mailglot null_sender=
    argv=/usr/bin/mailglot filter --reinject -- -f ${sender} -- ${recipient}")]
pub(crate) struct FilterArgs {
    /// Standard input, which is the default; files are not taken.
    #[arg(value_name = "-", value_parser = ["-"], hide_possible_values = true)]
    pub(crate) input: Option<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Accepted as in `normalize`; here signed messages are always left alone.
    #[arg(long)]
    pub(crate) keep_signed: bool,
    /// After a failure pass the message through unchanged, with exit code 0.
    #[arg(long)]
    pub(crate) fail_open: bool,
    /// Judge the message as the daemons do by the policy of this name: what it refuses ends with exit code 65, what it
    /// tags or writes anew gains its fields.
    #[arg(long, value_name = "NAME", value_parser = ["monitor", "default", "strict"])]
    pub(crate) judge: Option<String>,
    /// Give up after this time, with exit code 75.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) timeout: u32,
    /// Hand the message to the mail server's `sendmail -G -i` instead of standard output, which then tells of failures.
    #[arg(long)]
    pub(crate) reinject: bool,
    /// The command that takes it.
    #[arg(
        long,
        value_name = "PROGRAM",
        default_value = "/usr/sbin/sendmail",
        requires = "reinject"
    )]
    pub(crate) sendmail: PathBuf,
    /// What the command is given: sender and recipients.
    #[arg(value_name = "ARGUMENT", last = true, requires = "reinject")]
    pub(crate) arguments: Vec<OsString>,
}

/// Print the completions of a shell.
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

/// Print the man page, all commands in it.
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

/// Form of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// One file (mboxrd)
    Mbox,
    /// A Maildir, folders as Maildir++
    Maildir,
    /// A file a message
    Eml,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeaderForm {
    /// Encoded words (RFC 2047) in UTF-8
    Words,
    /// Raw UTF-8 (RFC 6532)
    #[value(name = "raw-utf8")]
    RawUtf8,
    /// Untouched
    Keep,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TransferForm {
    /// Plain text that a search can read
    #[value(name = "8bit")]
    EightBit,
    /// Quoted-printable or base64 where needed
    #[value(name = "7bit")]
    SevenBit,
    /// As it is, where the new bytes allow it
    Keep,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CharsetOutForm {
    /// UTF-8
    #[value(name = "utf-8")]
    Utf8,
    /// As RFC 1468 has it: 7-bit data of ASCII and JIS X 0208
    #[value(name = "iso-2022-jp")]
    Iso2022Jp,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AttachmentForm {
    /// Untouched
    Keep,
    /// UTF-8, as other text
    #[value(name = "utf-8")]
    Utf8,
}

/// What `--detect` takes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DetectionForm {
    /// Never: labels are read as written, text without a label as UTF-8 where it is valid, else as windows-1252 or the default charset
    Off,
    /// Only text without a usable label, and text that its label cannot read
    Unlabelled,
    /// Also text whose words contradict a label that reads all bytes
    Contradiction,
}

impl DetectionForm {
    fn detection(self) -> Detection {
        match self {
            Self::Off => Detection::Off,
            Self::Unlabelled => Detection::Unlabelled,
            Self::Contradiction => Detection::Contradiction,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LossWay {
    Replace,
    Keep,
}

/// What `--fail-on` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Text that cannot be read or written, or lies beyond a limit
    Loss,
    /// A charset that was guessed, or a label that was overruled
    Guess,
    /// A repair, a loss, or a message that stays as it is although it should change
    Repair,
    /// Any finding, and any change
    Any,
}

fn ledger(value: OsString) -> LedgerPlace {
    if value == "none" {
        LedgerPlace::Nowhere
    } else {
        LedgerPlace::File(value.into())
    }
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

    fn parsed(line: &str) -> Result<Args, clap::Error> {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn quiet_and_verbose_stand_anywhere() {
        for line in [
            "mailglot -q count a",
            "mailglot count -q a",
            "mailglot count a --quiet",
        ] {
            assert!(parsed(line).unwrap().quiet, "{line}");
        }
        for line in [
            "mailglot -v header decode a",
            "mailglot header -v decode a",
            "mailglot header decode a -v",
        ] {
            assert!(parsed(line).unwrap().verbose, "{line}");
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
            assert_eq!(args.ledger, place);
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
