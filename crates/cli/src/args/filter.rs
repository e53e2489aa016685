//! The arguments of `filter`.

use super::policy::PolicyArgs;
use clap::Args as Group;
use std::ffi::OsString;
use std::path::PathBuf;

/// Normalize one message from standard input to standard output, for mail servers and delivery agents.
///
/// Writes nothing before the result is complete. Exits with code 75 (EX_TEMPFAIL) on any failure, so that the mail server keeps the
/// message queued. Wrong usage, internal errors and a closed standard output count as failures. SIGINT and SIGTERM end it as signals do,
/// not with 75.
///
/// Does not change signed messages. Does not change parts and header fields with undecodable bytes, unless --on-loss replace is
/// given. Prints errors other than wrong usage only on a terminal and with -v, because some callers put standard error into the mail.
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
    /// Standard input, the default. Files are not accepted.
    #[arg(value_name = "-", value_parser = ["-"], hide_possible_values = true)]
    pub(crate) input: Option<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Accepted for compatibility with `normalize`: `filter` never changes signed messages.
    #[arg(long)]
    pub(crate) keep_signed: bool,
    /// After a failure, write the message unchanged and exit with code 0.
    #[arg(long)]
    pub(crate) fail_open: bool,
    /// Apply this built-in policy, as the daemons do. Exit with code 65 (EX_DATAERR) if it rejects the message. Add its header fields if
    /// it tags or rewrites the message. Policies of a configuration file need `mailglot serve`.
    #[arg(long, value_name = "NAME", value_parser = ["monitor", "default", "strict"])]
    pub(crate) judge: Option<String>,
    /// Exit with code 75 after this time.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) timeout: u32,
    /// Pass the message to the mail server's `sendmail -G -i` instead of standard output. Standard output then reports failures.
    /// If sendmail fails, or does not read the whole message, the exit code is 75. A wrapper around sendmail must read standard input
    /// itself (`cat | …`). One that opens `/dev/stdin` seems to read nothing: its message is delivered, and deferred, at each attempt.
    #[arg(long)]
    pub(crate) reinject: bool,
    /// The sendmail program.
    #[arg(
        long,
        value_name = "PROGRAM",
        default_value = "/usr/sbin/sendmail",
        requires = "reinject"
    )]
    pub(crate) sendmail: PathBuf,
    /// Arguments of sendmail: sender and recipients.
    #[arg(value_name = "ARGUMENT", last = true, requires = "reinject")]
    pub(crate) arguments: Vec<OsString>,
}
