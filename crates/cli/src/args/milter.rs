//! The arguments of `milter` and `check-mta`.

use clap::Args as Group;
use mailglot_gateway::Address;
use std::path::PathBuf;

/// Normalize mail on its way through Postfix or Sendmail, as a mail filter (milter) of theirs.
///
/// Runs in the foreground until SIGTERM or SIGINT, and lets messages that are at work end; SIGHUP reads policies anew,
/// unless the file changes what needs a restart. Each message has a line on standard error. Whatever fails defers the message.
///
/// Without a file the policy is `default`: signed mail stays as it is, and so does every part that cannot be read to its end.
#[derive(Debug, Group)]
#[command(
    override_usage = "mailglot milter [OPTIONS] <--config <FILE>|--listen <ADDRESS>>",
    after_help = "\
Examples:
  $ mailglot milter --listen unix:/run/mailglot/gw.sock
  $ mailglot milter --config /etc/mailglot/mailglot.toml
  $ mailglot milter --config /etc/mailglot/mailglot.toml --check-config

In main.cf of Postfix:
  smtpd_milters = { unix:/run/mailglot/gw.sock, default_action=tempfail }
  milter_default_action = tempfail"
)]
pub(crate) struct MilterArgs {
    /// The file that tells where to listen, proxies too, and what to do.
    #[arg(long, value_name = "FILE", required_unless_present = "listen")]
    pub(crate) config: Option<PathBuf>,
    /// Where to listen, `unix:PATH` or `tcp:HOST:PORT`; with a file, where its first milter listens instead.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<Address>,
    /// Look at the file and end: 0 where it is right, 1 where not.
    #[arg(long, requires = "config")]
    pub(crate) check_config: bool,
}

/// Tell whether the settings of Postfix lose mail beside this filter.
///
/// Reads what `postconf` prints from standard input, and what `postconf -P` prints of the services of master.cf, and ends with exit code 1
/// where something must be changed.
#[derive(Debug, Group)]
#[command(
    name = "check-mta",
    after_help = "\
Examples:
  $ postconf | mailglot check-mta
  $ { postconf -x; postconf -Px; } | mailglot check-mta
  $ { postconf -x; postconf -Px; } | mailglot check-mta --address inet:127.0.0.1:8890"
)]
pub(crate) struct CheckMtaArgs {
    /// Where our filter or proxy listens, as Postfix or the configuration writes it; may be given more than once. Without it, what holds
    /// `mailglot` in its address is ours.
    #[arg(long, value_name = "ADDRESS", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) address: Vec<String>,
}
