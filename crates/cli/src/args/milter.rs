//! The arguments of `milter` and `check-mta`.

use super::access::AccessArgs;
use super::serve::ListenerArgs;
use clap::Args as Group;
use mailglot_gateway::Address;
use std::path::PathBuf;

/// Normalize mail on its way through Postfix or Sendmail, as their mail filter (milter).
///
/// Runs in the foreground until SIGTERM or SIGINT, and finishes the messages in work before it ends. Logs one line for each message to
/// standard error. A failure defers the message. `mailglot serve` runs several milters and proxies with a configuration file.
///
/// The policy `default` does not change signed mail, nor parts that cannot be decoded completely.
#[derive(Debug, Group)]
#[command(
    override_usage = "mailglot milter [OPTIONS] <--config <FILE>|--listen <ADDRESS>>",
    after_help = "\
Examples:
  $ mailglot milter --listen unix:/var/spool/postfix/mailglot/gw.sock
  $ mailglot milter --listen tcp:127.0.0.1:8890 --policy monitor --metrics 127.0.0.1:9180
  $ mailglot milter --listen unix:/var/spool/postfix/mailglot/gw.sock --dry-run
  $ mailglot milter --listen unix:/var/spool/postfix/mailglot/gw.sock --user mailglot --group postfix --ledger /var/lib/mailglot/ledger

In main.cf of Postfix; the path is relative to its queue directory, with and without chroot:
  smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail }
  non_smtpd_milters = { unix:mailglot/gw.sock, default_action=tempfail }
  milter_default_action = tempfail"
)]
pub(crate) struct MilterArgs {
    /// Run the listeners of this file, as `mailglot serve --config FILE` does.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "listen",
        conflicts_with = "ListenerArgs"
    )]
    pub(crate) config: Option<PathBuf>,
    /// The address to listen at: `unix:PATH` or `tcp:HOST:PORT`. With a file it replaces the address of the first milter.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<Address>,
    /// Check the file and exit. Exit codes: 0 if it is valid, 78 if its content is wrong, 1 if a file,
    /// folder or user is missing, or a folder is unsafe.
    #[arg(long, requires = "config")]
    pub(crate) check_config: bool,
    /// Judge mail without changing, tagging or refusing any. Once a day, at SIGUSR1 and at the end, log the senders' domains with the most
    /// messages to change.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) listener: ListenerArgs,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Check whether Postfix's settings keep mail safe beside this filter, and print the commands that correct them.
///
/// Reads from standard input what `postconf` prints of main.cf (`-x`) and of master.cf (`-Fx` or `-M`, and `-Px`). Ends with exit code 1 if
/// something must change. Lines that begin with `note:` need no change.
#[derive(Debug, Group)]
#[command(
    name = "check-mta",
    after_help = "\
Examples:
  $ { postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta
  $ { postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta --config /etc/mailglot/mailglot.toml
  $ { postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta --address inet:127.0.0.1:8890"
)]
pub(crate) struct CheckMtaArgs {
    /// Address of the filter or proxy, as Postfix or the configuration writes it; repeatable. Without it and --config, the filter is the
    /// Unix socket or the transport of master.cf that has `mailglot` in its name.
    #[arg(long, value_name = "ADDRESS", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) address: Vec<String>,
    /// Configuration file of `mailglot serve`. Its listeners are the addresses of the filter, and their routes tell milters from proxies.
    #[arg(long, value_name = "FILE", conflicts_with = "address")]
    pub(crate) config: Option<PathBuf>,
    /// Check nothing; print the commands that remove the filter from Postfix's settings. Prints nothing if they do not name it.
    #[arg(long)]
    pub(crate) removal: bool,
}
