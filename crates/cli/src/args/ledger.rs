//! The arguments of `mailglot ledger`.
//!
//! # Limits
//!
//! As those of all arguments.

use clap::{Args as Group, Subcommand};
use mailglot_gateway::Address;
use mailglot_gateway::ledgers::{Query, day_start};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The commands for a gateway's ledger folder.
#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    Find(FindArgs),
    Show(ShowArgs),
    Restore(LedgerRestoreArgs),
    Release(ReleaseArgs),
}

/// Find records of a gateway's ledger.
///
/// Prints a line for each record that matches all options: time (UTC), queue id, sender, recipients, bytes, Message-ID and name, with tabs
/// between. An unknown value is `-`. The exit code is 2 if a file could not be read, or if a segment has no end and no daemon writes it.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot ledger find --folder ledger --recipient b@example.net --since 2001-01-01
  $ mailglot ledger find --folder ledger --message-id '<1.2@example.org>' --json")]
pub(crate) struct FindArgs {
    #[command(flatten)]
    pub(crate) place: FolderArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    /// Print a JSON object a line: name, time, queue_id, message_id, sender, recipients, recipient_count, size, blake3.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what the gateway changed in a message.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot ledger show --folder ledger --queue-id 4F2
  $ mailglot ledger show --folder ledger --queue-id 4F2 --raw > 4F2.ledger")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) place: FolderArgs,
    #[command(flatten)]
    pub(crate) one: RecordArgs,
    /// Print one JSON object: what `find --json` prints, and `note`, the log fields of the message and its changes.
    #[arg(long, conflicts_with = "raw")]
    pub(crate) json: bool,
    /// Write the record as a ledger of its own, which `mailglot restore --ledger` reads.
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Write the original of a message, byte for byte.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot ledger restore --folder ledger --queue-id 4F2 -o original.eml
  $ mailglot ledger restore --folder ledger --message-id 1.2@example.org > original.eml")]
pub(crate) struct LedgerRestoreArgs {
    #[command(flatten)]
    pub(crate) place: FolderArgs,
    #[command(flatten)]
    pub(crate) one: RecordArgs,
    /// Output file; standard output by default. An existing file is not replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Hand the original of a message to the mail server for its recipients, or write it to a file.
///
/// With --smtp the original goes by SMTP to a listener of the mail server without milters, and arrives unchanged:
/// `mailglot ledger release --queue-id 4F2A --smtp 127.0.0.1:10030`. docs/setup/postfix.md has the lines of master.cf for it. Without --smtp the command runs `sendmail -G -i -f SENDER -- RECIPIENTS`. The mail server then asks its filters
/// for local mail again (Postfix: non_smtpd_milters). If this gateway is among them, it changes the message again.
///
/// Refuses if the ledger does not have the sender or every recipient; name them by --from and --to then. The recipients get a second copy: the
/// changed message was delivered before. With --smtp all recipients get the message, or none.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot ledger release --folder ledger --queue-id 4F2 -o original.eml

With a mail server:
  mailglot ledger release --queue-id 4F2 --smtp 127.0.0.1:10030
  mailglot ledger release --queue-id 4F2 --to b@example.net --smtp 127.0.0.1:10030")]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub(crate) place: FolderArgs,
    #[command(flatten)]
    pub(crate) one: RecordArgs,
    /// A recipient instead of those in the ledger; may be given more than once.
    #[arg(long = "to", value_name = "ADDRESS")]
    pub(crate) to: Vec<String>,
    /// The sender instead of that in the ledger; empty for the null sender.
    #[arg(long = "from", value_name = "ADDRESS")]
    pub(crate) from: Option<String>,
    /// Send the message by SMTP to this server: `HOST:PORT` or `unix:PATH`.
    #[arg(long, value_name = "ADDRESS", value_parser = server, conflicts_with = "sendmail")]
    pub(crate) smtp: Option<Address>,
    /// The command that takes the message without --smtp.
    #[arg(long, value_name = "PROGRAM", default_value = "/usr/sbin/sendmail")]
    pub(crate) sendmail: PathBuf,
    /// Write the message to this file instead of running a command. An existing file is not replaced.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["to", "from", "smtp", "sendmail", "timeout"])]
    pub(crate) output: Option<PathBuf>,
    /// Give up after this time.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) timeout: u32,
}

/// The ledger folder.
#[derive(Debug, Group)]
pub(crate) struct FolderArgs {
    /// The ledger folder, as `ledger` of a policy names it.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "/var/lib/mailglot/ledger"
    )]
    pub(crate) folder: PathBuf,
}

/// One record.
#[derive(Debug, Group)]
pub(crate) struct RecordArgs {
    /// Name of the record, as the log and `find` print it. Without it, the other options must match exactly one record.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
}

/// Conditions of a search.
#[derive(Debug, Group)]
pub(crate) struct QueryArgs {
    /// Kept at this time or later: `2026-11-22`, `2026-11-22T10:30`, `2026-11-22T10:30:00` (UTC), or `45s`, `90m`, `2h`, `3d` ago.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<SystemTime>,
    /// Kept before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<SystemTime>,
    /// The mail server's queue id.
    #[arg(long, value_name = "ID")]
    queue_id: Option<String>,
    /// Message-ID, with or without angle brackets.
    #[arg(long, value_name = "ID")]
    message_id: Option<String>,
    /// An envelope recipient: an address, or `@` and a domain.
    #[arg(long, value_name = "ADDRESS")]
    recipient: Option<String>,
    /// The envelope sender: an address, or `@` and a domain.
    #[arg(long, value_name = "ADDRESS")]
    sender: Option<String>,
}

impl QueryArgs {
    /// What is searched for.
    pub(crate) fn query(&self) -> Query {
        let bytes = |value: &Option<String>| value.as_ref().map(|value| value.as_bytes().to_vec());
        Query {
            since: self.since,
            until: self.until,
            queue_id: bytes(&self.queue_id),
            message_id: bytes(&self.message_id),
            sender: bytes(&self.sender),
            recipient: bytes(&self.recipient),
        }
    }
}

/// Parses the address of a server, with or without a family.
fn server(text: &str) -> Result<Address, String> {
    text.parse()
        .or_else(|_| format!("tcp:{text}").parse())
        .map_err(|_: String| {
            format!("`{text}` is neither HOST:PORT nor unix:PATH, such as 127.0.0.1:10030")
        })
}

/// Parses a time: a day, a day and a time of it in UTC, or how long ago it was.
fn time(text: &str) -> Result<SystemTime, String> {
    parsed_time(text, SystemTime::now()).ok_or_else(|| {
        format!(
            "`{text}` is not a time; write a day (2026-11-22), a time in UTC (2026-11-22T10:30 or 2026-11-22T10:30:00), or an age in \
             seconds, minutes, hours or days (45s, 90m, 2h, 3d)"
        )
    })
}

fn parsed_time(text: &str, now: SystemTime) -> Option<SystemTime> {
    if let Some((digits, unit)) = text.split_at_checked(text.len().saturating_sub(1))
        && let Some(seconds) = ["s", "m", "h", "d"]
            .iter()
            .zip([1, 60, 3_600, 86_400])
            .find(|(name, _)| **name == unit)
    {
        let count = digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse::<u64>().ok())??;
        return now.checked_sub(Duration::from_secs(count.checked_mul(seconds.1)?));
    }
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let start = day_start(day)?;
    let parts: Vec<&str> = clock
        .strip_suffix('Z')
        .unwrap_or(clock)
        .split(':')
        .collect();
    if !matches!(parts.len(), 2 | 3) {
        return None;
    }
    let mut seconds = 0;
    for (part, (unit, most)) in parts.iter().zip([(3_600, 24), (60, 60), (1, 61)]) {
        let two_digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let value = two_digits.then(|| part.parse::<u64>().ok())??;
        seconds += if value < most {
            value * unit
        } else {
            return None;
        };
    }
    start.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn times_are_days_moments_and_ages() {
        let now = UNIX_EPOCH + Duration::from_secs(2_000_000_000);
        let at = |text: &str| {
            parsed_time(text, now).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs())
        };
        let day = 1_795_305_600;
        for (text, want) in [
            ("2026-11-22", Some(day)),
            ("2026-11-22T10:30", Some(day + 37_800)),
            ("2026-11-22 10:30:15", Some(day + 37_815)),
            ("2026-11-22T23:59:59Z", Some(day + 86_399)),
            ("0s", Some(2_000_000_000)),
            ("90m", Some(2_000_000_000 - 5_400)),
            ("2h", Some(2_000_000_000 - 7_200)),
            ("3d", Some(2_000_000_000 - 259_200)),
            ("2026-02-30", None),
            ("2026-11-22T24:00", None),
            ("2026-11-22T1:00", None),
            ("2026-11-22T10:30:15:1", None),
            ("2026-11-22T", None),
            ("+1d", None),
            ("d", None),
            ("99999999999999999999d", None),
            ("", None),
            ("ü", None),
        ] {
            assert_eq!(at(text), want, "{text}");
        }
    }
}
