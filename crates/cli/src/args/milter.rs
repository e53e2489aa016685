//! The arguments of `milter`.

use clap::Args as Group;
use mailglot_gateway::Address;

/// Normalize mail on its way through Postfix or Sendmail, as a mail filter (milter) of theirs.
///
/// Runs in the foreground until SIGTERM or SIGINT, and lets messages that are at work end. Signed mail stays as it is, and so
/// does every part that cannot be read to its end. Each message has a line on standard error. Whatever fails defers the message.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot milter --listen unix:/run/mailglot/gw.sock
  $ mailglot milter --listen tcp:127.0.0.1:8891

In main.cf of Postfix:
  smtpd_milters = { unix:/run/mailglot/gw.sock, default_action=tempfail }
  milter_default_action = tempfail")]
pub(crate) struct MilterArgs {
    /// Where to listen: `unix:PATH` or `tcp:HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Address,
}
