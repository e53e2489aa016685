//! State of the next hop in a session: its stage, its replies, and the commands that may be repeated.

use crate::next_hop_fault::BadReply;
use crate::proxy::reply::{Replies, ReplyLines};

/// How far the next hop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HopStage {
    Absent,
    Greeting,
    /// Greeted again after a reconnect; the client does not notice.
    Hello,
    Ready,
}

/// State of the next hop.
#[derive(Debug)]
pub(super) struct NextHopState {
    pub(super) stage: HopStage,
    pub(super) replies: Replies,
    /// Bytes to write to it.
    pub(super) out: Vec<u8>,
    /// True if the next hop knows nothing of a message, so another connection may repeat the commands.
    pub(super) clean: bool,
    /// Commands that wait for their replies, kept while they may be repeated.
    pub(super) again: Option<Vec<u8>>,
    /// Number of complete replies so far.
    pub(super) reply_count: u64,
}

impl Default for NextHopState {
    fn default() -> Self {
        Self {
            stage: HopStage::Absent,
            replies: Replies::default(),
            out: Vec::new(),
            clean: true,
            again: None,
            reply_count: 0,
        }
    }
}

impl NextHopState {
    pub(super) fn is_ready(&self) -> bool {
        self.stage == HopStage::Ready
    }

    pub(super) fn next_reply(&mut self) -> Result<Option<ReplyLines>, BadReply> {
        let reply = self.replies.next();
        self.reply_count += u64::from(matches!(reply, Ok(Some(_))));
        reply
    }

    pub(super) fn connected(&mut self) {
        (self.stage, self.replies) = (HopStage::Greeting, Replies::default());
    }

    /// Sends a line. `waits` is true if a reply of the next hop is still outstanding.
    pub(super) fn ask(&mut self, line: &[u8], waits: bool) {
        if !waits && self.clean {
            self.again = Some(Vec::new());
        }
        let ready = self.is_ready();
        for out in self.again.iter_mut().chain(ready.then_some(&mut self.out)) {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Bytes of commands that wait for their replies.
    pub(super) fn waiting(&self) -> usize {
        self.again.as_ref().map_or(0, Vec::len).max(self.out.len())
    }

    pub(super) fn quit(&mut self) {
        if self.is_ready() {
            self.out.extend_from_slice(b"QUIT\r\n");
        }
    }

    /// Drops the transaction at the next hop. Returns true if RSET is necessary.
    pub(super) fn reset(&mut self) -> bool {
        let ready = self.is_ready();
        if ready {
            self.out.extend_from_slice(b"RSET\r\n");
            // Another connection knows nothing either.
            self.again = Some(b"RSET\r\n".to_vec());
        }
        ready
    }

    pub(super) fn greet_anew(&mut self, line: &[u8]) {
        self.stage = HopStage::Hello;
        self.out.extend_from_slice(line);
        self.out.extend_from_slice(b"\r\n");
    }

    /// Sends the waiting commands again after a reconnect.
    pub(super) fn resume(&mut self) {
        (self.stage, self.clean) = (HopStage::Ready, true);
        self.out
            .extend_from_slice(self.again.take().as_deref().unwrap_or_default());
    }

    pub(super) fn lost(&mut self) {
        (self.stage, self.replies) = (HopStage::Absent, Replies::default());
        self.out.clear();
    }
}
