//! The arguments of commands that list, print and split archives: `ls`, `cat` and `split`.

use super::addresses::AddressArgs;
use super::archives::ArchiveForm;
use super::inputs::InputArgs;
use super::opening::OpeningArgs;
use super::policy::{PolicyArgs, ReadingArgs};
use super::selection::SelectionArgs;
use super::size::size;
use super::stats::StatsArgs;
use clap::{ArgGroup, Args as Group, ValueEnum};
use std::path::PathBuf;

/// List messages: number, offset, length, date, sender and subject.
///
/// The number is that of an address: `mailglot cat archive.mbox:17`. With several inputs or a folder the whole address is printed, and
/// for a member of a zip or tar archive. The offset is that of the message's first byte in its file, or of the separator of an empty
/// message. The length includes the mailbox's quoting, and the date is in the sender's zone. The sender is truncated to 24 columns, and
/// on a terminal the line to its width.
///
/// With --json each message is an object on one line. It has file, message (number from 0), path (in a folder), folder, offset, length,
/// date (RFC 3339), date_source (`field` or `separator`), from, subject and message_id. Text from mail is decoded. The separator date
/// `Thu Jan  1 00:00:00 1970` counts as none: `normalize` writes it for a message without a date.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot ls archive.mbox
  $ mailglot ls --json --since 2001 --limit 10 archive.mbox Maildir
  $ mailglot ls -0 archive.mbox | xargs -0 mailglot cat")]
pub(crate) struct LsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Print one JSON object per message and line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print addresses only, each ended by NUL, for `xargs -0`.
    #[arg(short = '0', long = "null", conflicts_with = "json")]
    pub(crate) null: bool,
    /// Worker threads [default: one per core]. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Print messages as they are stored, without the mailbox's quoting.
///
/// An address is `FILE:17` (number from 0), `FILE@81233` (offset), `FILE#<message-id>` or `FILE` (all messages). An offset names the
/// message that contains this byte, with its separator line and the blank line after it. Several messages may have one Message-ID. Line
/// ends, charsets and damage stay as they are.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot cat archive.mbox:1
  $ mailglot cat archive.mbox@0 > first.eml
  $ mailglot cat --utf8 archive.mbox:0")]
pub(crate) struct CatArgs {
    #[command(flatten)]
    pub(crate) addresses: AddressArgs,
    /// Print each message as `normalize` would write it.
    #[arg(long)]
    pub(crate) utf8: bool,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// Split archives into several mailboxes without changing a message.
///
/// FOLDER appears complete or not at all. Messages of a mailbox that quotes `From ` lines are copied with their separator lines. Parts
/// by --size joined give such a mailbox if it begins with a separator and each other separator follows a blank line. Messages that
/// --mbox-rule or --mbox-override divide, and all others, get a separator line and the quoting of mboxrd. Each new mailbox is read again and
/// compared before FOLDER appears. One that would be read otherwise is written anew in this way. If it still is, nothing is written,
/// and the error names the message.
///
/// Names of outputs come from years, labels, folders or addresses, with `_` in place of characters that file systems reject. Messages
/// without a year, label or sender are in `unknown`. Two mailboxes that quote differently are never joined: the second gets a number.
#[derive(Debug, Group)]
#[command(group = ArgGroup::new("rule").required(true).args(["size", "by"]))]
#[command(after_help = "\
Examples:
  $ mailglot split archive.mbox -o parts --size 25M
  $ mailglot split archive.mbox Maildir -o years --by year
  $ mailglot split archive.mbox -o senders --by from --to eml")]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The folder to create.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Start a new part before a message that would make the current part exceed SIZE. A part with one message may exceed it.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) size: Option<u64>,
    /// One part for each value.
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<SplitForm>,
    /// Form of the parts.
    #[arg(long, value_name = "FORM", default_value = "mbox")]
    pub(crate) to: ArchiveForm,
    /// With --by label, write a message once for each of its first 1,000 labels. By default it is written for the first.
    #[arg(long)]
    pub(crate) copies: bool,
    /// Worker threads [default: one per core]. The output does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) stats: StatsArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

/// The values of `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitForm {
    /// Year of the Date field, else of the separator line
    Year,
    /// Gmail's labels (`X-Gmail-Labels`), decoded and then split at commas
    Label,
    /// Folder of a Maildir or tree, or mailbox of a folder
    Folder,
    /// Address in From
    From,
}
