//! The arguments of `proxy`.

use super::access::AccessArgs;
use super::serve::ListenerArgs;
use clap::{Args as Group, ValueEnum};
use mailglot_gateway::Address;
use mailglot_gateway::proxy::BareLines;

/// Normalize mail on its way over SMTP or LMTP, between a mail server and the next hop.
///
/// The proxy stands before the queue of a mail server, after it, or before a mail store. It has no queue: the client hears the reply
/// of the next hop to each recipient and each message, and a failure defers the message. Of the extensions of the next hop, it
/// offers 8BITMIME, SMTPUTF8, PIPELINING, DSN, ENHANCEDSTATUSCODES, SIZE and XFORWARD. It runs in the foreground until SIGTERM or SIGINT, and
/// logs one line for each message to standard error. Signed mail is not rewritten.
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
    /// Address to listen at: `unix:PATH` or `tcp:HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Address,
    /// Address of the server that receives the mail: `unix:PATH` or `tcp:HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) next_hop: Address,
    /// Speak LMTP on both sides: a reply for each recipient.
    #[arg(long)]
    pub(crate) lmtp: bool,
    /// Treatment of messages with a CR or LF alone [default: the policy's action for `bare-lf`].
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
    /// Refuse the message with 550 5.5.2
    Reject,
    /// Replace each by CR LF, and a bare CR in a header field by a space, so that none ends the message (SMTP smuggling)
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
