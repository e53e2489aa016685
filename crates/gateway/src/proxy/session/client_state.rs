//! State of the client in a session.

use crate::proxy::content::{BareLines, Content};
use crate::proxy::lines::Lines;
use crate::proxy::reply::ReplyLines;

/// A command that waits until everything before it is answered.
#[derive(Debug)]
pub(super) enum WaitingCommand {
    Hello(Vec<u8>),
    Data,
    Quit,
    /// Say this and close.
    Leave(ReplyLines),
}

/// State of the client.
#[derive(Debug)]
pub(super) struct ClientState {
    pub(super) lines: Lines,
    /// Bytes to write to it.
    pub(super) out: Vec<u8>,
    /// A command in whose turn nothing else may come.
    pub(super) held: Option<WaitingCommand>,
    pub(super) content: Content,
    /// Content without the dots of the way, until it is taken.
    pub(super) text: Vec<u8>,
    pub(super) mistakes: u32,
    /// DATA was refused: what follows may be content.
    pub(super) refused_data: bool,
}

impl ClientState {
    pub(super) fn new(bare_lines: BareLines) -> Self {
        Self {
            lines: Lines::default(),
            out: Vec::new(),
            held: None,
            content: Content::new(bare_lines),
            text: Vec::new(),
            mistakes: 0,
            refused_data: false,
        }
    }

    pub(super) fn write_reply(&mut self, reply: &ReplyLines) {
        reply.write(&mut self.out);
    }
}
