//! The arguments of `proxy`.

use super::access::AccessArgs;
use super::serve::ListenerArgs;
use clap::{Args as Group, ValueEnum};
use mailglot_gateway::Address;
use mailglot_gateway::proxy::BareLines;

/// Normalize mail on its way over SMTP or LMTP, between a mail server and the next hop.
///
/// Before the queue of a server, behind it, or before a mail store. The next hop answers for every recipient and every message: there is
/// no queue here, and whatever fails defers the message. Extensions are those of the next hop, but for CHUNKING, BINARYMIME, STARTTLS and AUTH.
/// Runs in the foreground until SIGTERM or SIGINT. Signed mail stays as it is. Each message has a line on standard error.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  $ mailglot proxy --listen tcp:127.0.0.1:10026 --next-hop tcp:127.0.0.1:10027
  $ mailglot proxy --listen tcp:192.0.2.1:25 --next-hop tcp:127.0.0.1:10027 \\
      --allow-remote --client-network 192.0.2.0/24
  $ mailglot proxy --lmtp --listen unix:/run/mailglot/lmtp.sock --next-hop unix:/run/dovecot/lmtp

In master.cf of Postfix, before the queue:
  smtp            inet n - n - 200 smtpd -o smtpd_proxy_filter=127.0.0.1:10026
    -o smtpd_proxy_options=speed_adjust
  127.0.0.1:10027 inet n - n - 200 smtpd -o smtpd_proxy_filter=
    -o smtpd_authorized_xforward_hosts=127.0.0.0/8
    -o smtpd_recipient_restrictions=permit_mynetworks,reject -o mynetworks=127.0.0.0/8
    -o receive_override_options=no_unknown_recipient_checks")]
pub(crate) struct ProxyArgs {
    /// Where to listen: `unix:PATH` or `tcp:HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Address,
    /// Where mail goes on to: `unix:PATH` or `tcp:HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) next_hop: Address,
    /// Speak LMTP on both sides: a reply for each recipient.
    #[arg(long)]
    pub(crate) lmtp: bool,
    /// Messages with a CR or LF that stands alone: refuse them, or set them right; by default as the policy says of `bare-lf`.
    #[arg(long, value_name = "WAY")]
    pub(crate) bare_lines: Option<BareLineWay>,
    /// Judge mail without changing, tagging or refusing any. Once a day, at SIGUSR1 and at the end, log the senders' domains with the most
    /// messages to change.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) listener: ListenerArgs,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// What is done about a CR or LF alone.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BareLineWay {
    /// 550 5.5.2.
    Reject,
    /// Line ends become CRLF before dots are looked at; none of them ends the message.
    Normalize,
}

impl From<BareLineWay> for BareLines {
    fn from(way: BareLineWay) -> Self {
        match way {
            BareLineWay::Reject => Self::Reject,
            BareLineWay::Normalize => Self::Normalize,
        }
    }
}
