//! Defines the state of a session, and the types that its driver uses: options, steps, verdicts.

use super::client_state::ClientState;
use super::next_hop::NextHopState;
use crate::next_hop_fault::HopFault;
use crate::proxy::capabilities::Capabilities;
use crate::proxy::command::Mail;
use crate::proxy::content::BareLines;
use crate::proxy::reply::ReplyLines;
use std::collections::VecDeque;

/// Options of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// LMTP (RFC 2033) on both sides: a reply for each recipient.
    pub lmtp: bool,
    /// A CR or LF alone in content.
    pub bare_lines: BareLines,
}

/// The next step of the driver. Before it reads or closes, it writes all output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read from the client, then call [`ProxySession::client`].
    Client,
    /// Read from the next hop, then call [`ProxySession::hop`].
    Hop,
    /// Connect to the next hop, then [`ProxySession::connected`] or [`ProxySession::hop_lost`].
    Connect,
    /// The message is complete: [`ProxySession::decide`].
    Judge,
    /// Write the message with its dots and its end to the next hop, then [`ProxySession::sent`].
    Send,
    /// Close both.
    Close,
}

/// The verdict on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyVerdict<'a> {
    /// It goes to the next hop.
    Deliver,
    /// It is refused with this code, and a text that begins with an enhanced code.
    Refuse(u16, &'a str),
}

/// The replies of the next hop to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delivery {
    /// Accepted recipients; in SMTP all or none.
    pub taken: usize,
    /// Recipients that are refused for good.
    pub refused: usize,
    /// Recipients that are deferred.
    pub deferred: usize,
    /// The next hop closed before its last reply.
    pub lost: bool,
}

/// A command that waits for a reply of the next hop, or for its place in the order of replies.
#[derive(Debug)]
pub(super) enum Asked {
    Hello(Vec<u8>),
    Mail(Mail),
    /// Its path.
    Recipient(Vec<u8>),
    Reset,
    /// XFORWARD, with the queue id and the client address that it names.
    Forward([Option<Vec<u8>>; 2]),
    Other,
    /// A command of the proxy itself; the client gets no reply.
    Quiet,
    /// A reply of the proxy itself.
    Local(ReplyLines),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionState {
    /// The next hop has not greeted for the first time.
    Opening,
    Commands,
    Content,
    Judging,
    /// DATA was given to the next hop.
    AskedData,
    Sending,
    /// Number of outstanding replies of the next hop.
    Ending(usize),
    Closed,
}

/// The reply to a client whose connection is closed because the gateway stops, while no content of a message is on the way.
pub(super) const SHUTTING_DOWN: &str = "4.3.2 Service shutting down";

/// The state machine.
#[derive(Debug)]
pub struct ProxySession {
    pub(super) options: Options,
    pub(super) client: ClientState,
    pub(super) hop: NextHopState,
    pub(super) state: SessionState,
    /// Commands in the order of the client's replies.
    pub(super) asked: VecDeque<Asked>,
    /// The greeting that was sent to the next hop, and the extensions that were announced to the client.
    pub(super) hello: Option<Vec<u8>>,
    pub(super) announced: Capabilities,
    pub(super) mail: Option<Mail>,
    /// Paths of the recipients that the next hop has accepted.
    pub(super) accepted: Vec<Vec<u8>>,
    pub(super) delivery: Delivery,
    pub(super) queue_id: Vec<u8>,
    pub(super) peer: Option<Vec<u8>>,
    pub(super) stopping: bool,
    pub(super) fault: Option<HopFault>,
}
