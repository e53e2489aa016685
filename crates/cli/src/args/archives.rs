//! The arguments of commands that read archives: `normalize`, `restore`, `check`, `count`, `text` and `inspect`.

use super::addresses::AddressArgs;
use super::findings::{FailOnArgs, VerifyArgs};
use super::inputs::InputArgs;
use super::opening::{LargestArgs, OpeningArgs};
use super::policy::{PolicyArgs, ReadingArgs};
use super::report::ReportArgs;
use super::selection::SelectionArgs;
use super::size::size;
use super::stats::StatsArgs;
use clap::builder::TypedValueParser;
use clap::{Args as Group, ValueEnum};
use mailglot_archive::Format;
use mailglot_mime::{Attachments, Policy};
use mailglot_pipeline::LedgerPlace;
use std::ffi::OsString;
use std::path::PathBuf;

/// Convert archives to UTF-8, with a ledger from which the original can be restored.
///
/// The output appears complete or not at all. With one input, OUTPUT is a mailbox, folder or message like it; with several, a folder of
/// them. The outputs of a tree are siblings: 2001/Inbox and 2002/Inbox become Inbox and Inbox-2. The summary and --report name the input
/// of each. `mailglot restore` rebuilds the original byte for byte from OUTPUT and OUTPUT.ledger. The summary goes to standard error. A
/// message larger than --max-message is copied unchanged and counted as a loss. Messages that the selection leaves out stay in the
/// ledger.
///
/// A file or folder below an INPUT that cannot be read is named and left out, and the exit code is 2. Nothing is written if an
/// INPUT itself cannot be read, or the folder cur or new of a Maildir. Nothing is written either if only the beginning of a
/// mailbox below an INPUT can be read.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot normalize archive.mbox Maildir -o clean --report report.json
  $ mailglot normalize Maildir -o one.mbox --to mbox --headers raw-utf8
  $ mailglot normalize Maildir -o mailboxes --to mbox-per-folder
  $ mailglot normalize archive.mbox -o resumed.mbox --resume
  $ cat archive.mbox | mailglot normalize - -o piped.mbox --fail-on loss")]
pub(crate) struct NormalizeArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The file or folder to create.
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) job: JobArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Worker threads [default: one per core]. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
    #[command(flatten)]
    pub(crate) fail_on: FailOnArgs,
    /// Replace an existing output, ledger and report; owner and permissions stay. If the job is killed, either the old or the new
    /// output has its ledger.
    #[arg(long)]
    pub(crate) force: bool,
    /// Work in parts in the folder OUTPUT.parts, and continue with the parts of a killed job. Inputs and options must be the same. The
    /// parts need as much space as the output, and are removed at the end.
    #[arg(long)]
    pub(crate) resume: bool,
    /// With --resume: size of each part of a mailbox or folder. Any other input, such as a compressed file, is one part. A killed job
    /// loses at most one part.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size, requires = "resume")]
    pub(crate) split_size: u64,
}

/// The options that determine the bytes of a normalization's output.
#[derive(Debug, Group)]
pub(crate) struct JobArgs {
    /// Form of the output [default: as the input; a tree of .eml files for MH]. The output is not compressed.
    #[arg(long, value_name = "FORM")]
    pub(crate) to: Option<OutputForm>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Do not change messages with a signature over the whole message (DKIM, ARC) or the whole body (S/MIME, PGP/MIME).
    #[arg(long)]
    pub(crate) keep_signed: bool,
    /// The ledger to write, or `none` [default: OUTPUT.ledger].
    #[arg(long, value_name = "FILE|none", value_parser = clap::builder::OsStringValueParser::new().map(ledger))]
    pub(crate) ledger: Option<LedgerPlace>,
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) largest: LargestArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

/// Restore the original, byte for byte.
///
/// Rebuilds every input of `mailglot normalize` from its output and the ledger. Verifies every digest before it writes ORIGINAL.
/// Several inputs are restored at their relative paths below ORIGINAL.
///
/// A gateway keeps originals in segments, and `mailglot ledger restore` writes them. `mailglot ledger show --raw` writes one record of a
/// segment as a ledger of its own. It contains the whole message, so it needs no output.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot normalize archive.mbox -o clean.mbox
  $ mailglot restore clean.mbox --verify-only
  $ mailglot restore clean.mbox -o original.mbox
  $ mailglot normalize archive.mbox Maildir -o clean
  $ mailglot restore --keep-going clean -o again
  $ mailglot restore --ledger 4F2.ledger -o original.eml")]
pub(crate) struct RestoreArgs {
    /// The output of `mailglot normalize`. A ledger of `mailglot ledger show --raw` needs none.
    #[arg(value_name = "NORMALIZED", required_unless_present = "ledger")]
    pub(crate) normalized: Option<PathBuf>,
    /// The file or folder to create.
    #[arg(
        short = 'o',
        long = "output",
        value_name = "ORIGINAL",
        required_unless_present = "verify_only"
    )]
    pub(crate) original: Option<PathBuf>,
    /// The ledger [default: NORMALIZED.ledger].
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Check that every byte can be restored; write nothing.
    #[arg(long, conflicts_with = "original")]
    pub(crate) verify_only: bool,
    /// Leave out inputs whose outputs were changed or are missing, and restore the others, with exit code 2. Reads the outputs twice.
    ///
    /// Without this option, or if no output is intact, nothing is restored. A Maildir is one output.
    #[arg(long)]
    pub(crate) keep_going: bool,
}

/// Report what `normalize` with the same options would change or lose, without writing anything.
///
/// Prints the number of messages, the mailbox dialects, the least certain charset guesses, charsets, repairs and losses. Then it prints
/// doubtful separators and labels, and the command to run next. A message larger than --max-message is not read and counted as a loss.
///
/// EVENTS.md in the documentation explains each code with an example.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot check archive.mbox
  $ mailglot check --json --fail-on loss archive.mbox Maildir
  $ mailglot check --repair all archive.mbox
  $ mailglot check --fail-on guess archive.mbox || echo 'look at the guesses first'")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fail_on: FailOnArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) largest: LargestArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Count messages with a signature over the whole message (DKIM, ARC) or the whole body (S/MIME, PGP/MIME) as unchanged.
    #[arg(long)]
    pub(crate) keep_signed: bool,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
}

/// Count messages: print a line `N<TAB>path` for each archive.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot count archive.mbox Maildir
  $ mailglot count - < archive.mbox")]
pub(crate) struct CountArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Threads that decompress a mailbox [default: one per core]. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
}

/// Print the decoded text parts.
///
/// Decodes transfer encoding, charset and mailbox quoting; lines end in LF. With --json each text part is an object on one line. It has file,
/// message (number from 0), path (in a folder), part (`1.2`), type, charset (the label as written), used, text and losses. A path that is not
/// UTF-8 is {"bytes": base64}. Of a message larger than --max-message, only text within that size is printed (1 MiB if it is a file). Standard
/// error names the message, and the exit code is 2.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot text message.eml
  $ mailglot text --charset-map iso-8859-1=windows-1254 --lang-hint tr message.eml
  $ mailglot text --json archive.mbox | grep koi8-r")]
pub(crate) struct TextArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Print one JSON object per text part and line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Worker threads [default: one per core]. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
    /// Omit text attachments.
    #[arg(long)]
    pub(crate) no_attachments: bool,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) largest: LargestArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

impl TextArgs {
    /// Returns the policy of these options.
    pub(crate) fn policy(&self) -> Policy {
        let attachments = if self.no_attachments {
            Attachments::Skip
        } else {
            Attachments::Keep
        };
        self.reading.policy().attachments(attachments)
    }
}

/// Show the parts of messages: offsets, labels, charsets with reasons, and events.
///
/// An address is `FILE:17` (number from 0), `FILE@81233` (a byte of the message in its file), `FILE#<message-id>` or `FILE` (all
/// messages). For an offset beyond the first MiB of a mailbox, mailglot does not count the messages before it. It prints the address of
/// the message with the offset of its separator line: `FILE@5200311`.
///
/// EVENTS.md in the documentation explains each code of an event.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot inspect message.eml
  $ mailglot inspect --json archive.mbox:1")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) addresses: AddressArgs,
    /// Print one JSON object per message and line.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// Form of the output of a normalization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputForm {
    /// One file (mboxrd)
    Mbox,
    /// Like mbox, but a file for each folder of a Maildir, in the folder OUTPUT
    MboxPerFolder,
    /// A Maildir, folders as Maildir++
    Maildir,
    /// One file per message
    Eml,
}

impl OutputForm {
    /// Returns the format. A file for each message is a tree of files.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Mbox | Self::MboxPerFolder => Format::Mbox,
            Self::Maildir => Format::Maildir,
            Self::Eml => Format::EmlTree,
        }
    }
}

/// Form of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArchiveForm {
    /// One file (mboxrd)
    Mbox,
    /// A Maildir, folders as Maildir++
    Maildir,
    /// One file per message
    Eml,
}

impl ArchiveForm {
    /// Returns the format. A file for each message is a tree of files.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Mbox => Format::Mbox,
            Self::Maildir => Format::Maildir,
            Self::Eml => Format::EmlTree,
        }
    }
}

fn ledger(value: OsString) -> LedgerPlace {
    if value == "none" {
        LedgerPlace::Nowhere
    } else {
        LedgerPlace::File(value.into())
    }
}
