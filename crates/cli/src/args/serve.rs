//! The arguments of `serve`, and the options that `milter` and `proxy` share.

use clap::{Args as Group, ValueEnum};
use mailglot_gateway::Address;
use mailglot_gateway::config::{OneListener, RouteKind};
use mailglot_gateway::record::Form;
use std::path::PathBuf;

/// Run every milter and proxy of a configuration file.
///
/// Runs in the foreground until SIGTERM or SIGINT, and finishes the messages in work before it ends. Logs one line for each message to
/// standard error. A failure defers the message. SIGHUP reads the policies again, unless the file changes what needs a restart. SIGUSR1
/// logs the summary of a dry run.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot serve --config /etc/mailglot/mailglot.toml --check-config
  $ mailglot serve --config /etc/mailglot/mailglot.toml
  $ mailglot serve --config /etc/mailglot/mailglot.toml --dry-run")]
pub(crate) struct ServeArgs {
    /// The configuration file: where to listen, and what to do with mail.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Check the file and exit. Exit codes: 0 if it is valid, 78 if its content is wrong, 1 if a file,
    /// folder or user is missing, or a folder is unsafe.
    #[arg(long)]
    pub(crate) check_config: bool,
    /// Run as root, even if the file names no other user. By default the program refuses.
    #[arg(long)]
    pub(crate) allow_root: bool,
    /// Judge mail without changing, tagging or refusing any. Once a day, at SIGUSR1 and at the end, log the senders' domains with the most
    /// messages to change.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of a listener without a configuration file. They mean what the keys of the file mean.
#[derive(Debug, Group)]
pub(crate) struct ListenerArgs {
    /// The policy: `default`, `strict` (reject ambiguous mail) or `monitor` (report, change nothing).
    #[arg(long, value_name = "NAME", value_parser = ["default", "strict", "monitor"], hide_possible_values = true)]
    policy: Option<String>,
    /// Keep the original of each changed message in this folder, for `mailglot ledger`.
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// Remove originals after this number of days [default: never].
    #[arg(long, value_name = "DAYS", requires = "ledger")]
    ledger_days: Option<u32>,
    /// Run as this user; only root can change the user.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Permissions of a Unix socket, in octal digits [default: 0660].
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Group of a Unix socket, whose processes may connect. Example: `postfix`.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Maximum number of connections; others are deferred [default: 1000].
    #[arg(long, value_name = "NUMBER")]
    connections: Option<usize>,
    /// Maximum size of a message in bytes; a larger one passes unchanged [default: 67108864].
    #[arg(long, value_name = "BYTES")]
    message_bytes: Option<u64>,
    /// The folder for long messages while they arrive [default: the system's temporary folder].
    #[arg(long, value_name = "DIR")]
    spool_dir: Option<PathBuf>,
    /// Serve counters for Prometheus at this loopback address. Example: `127.0.0.1:9180`.
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,
    /// The form of log lines.
    #[arg(long, value_name = "FORM", default_value = "logfmt")]
    log: LogForm,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    /// `key=value` pairs (logfmt)
    #[value(alias = "text")]
    Logfmt,
    /// One JSON object per line
    Json,
    /// logfmt after a priority such as `<6>`, for a service of systemd
    Journald,
}

impl ListenerArgs {
    /// The listener that these options describe.
    pub(crate) fn listener(&self, route: RouteKind, address: &Address) -> OneListener {
        OneListener {
            policy: self.policy.clone(),
            ledger: self.ledger.clone(),
            ledger_days: self.ledger_days,
            user: self.user.clone(),
            mode: self.mode.clone(),
            group: self.group.clone(),
            connections: self.connections,
            message_bytes: self.message_bytes,
            spool_dir: self.spool_dir.clone(),
            metrics: self.metrics.clone(),
            log: match self.log {
                LogForm::Logfmt => Form::Text,
                LogForm::Json => Form::Json,
                LogForm::Journald => Form::Journald,
            },
            ..OneListener::new(route, address.clone())
        }
    }
}
