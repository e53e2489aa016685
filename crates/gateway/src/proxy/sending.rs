//! Writes a message to the next hop, as long as the client waits for the reply.
//!
//! # Limits
//! The system accepts bytes before the next hop reads them. The client may close while the end of its message is among these bytes. Then the
//! next hop may get the message although the client sends it again (RFC 1047).

use super::content::Stuffer;
use super::outgoing_message::OutgoingMessage;
use crate::stream::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Bytes written at a time.
const PIECE: usize = 65_536;
/// How often one looks after the client while the next hop takes nothing.
const LOOK: Duration = Duration::from_millis(250);

/// Why the next hop has not got the end of a message.
#[derive(Debug)]
pub(super) enum Unsent {
    /// The client has gone: it would send the message again.
    ClientGone,
    /// Writing failed or took too long, or the message cannot be read.
    Failed,
}

/// Writes the message with its dots and its end, until `end` at most. A short message is written at once. `client` is the client, and whether
/// it has said more than that message.
pub(super) fn send(
    outgoing: &mut OutgoingMessage,
    hop: &Stream,
    client: (&Stream, bool),
    end: Instant,
) -> Result<(), Unsent> {
    let mut writer = ContentWriter {
        hop,
        client,
        end,
        client_gone: false,
    };
    writer.send(outgoing).map_err(|_| {
        if writer.client_gone {
            Unsent::ClientGone
        } else {
            Unsent::Failed
        }
    })
}

struct ContentWriter<'a> {
    hop: &'a Stream,
    client: (&'a Stream, bool),
    end: Instant,
    client_gone: bool,
}

impl ContentWriter<'_> {
    fn send(&mut self, outgoing: &mut OutgoingMessage) -> io::Result<()> {
        let mut stuffer = Stuffer::default();
        let mut out = Vec::with_capacity(PIECE.min(outgoing.len() as usize + 64));
        outgoing.pieces(|piece| {
            for piece in piece.chunks(PIECE) {
                stuffer.write(piece, &mut out);
                if out.len() >= PIECE {
                    self.write(&out)?;
                    out.clear();
                }
            }
            Ok(())
        })?;
        stuffer.finish(&mut out);
        self.write(&out)
    }

    /// Gives no byte to the system without a look after the client right before: the last ones are the end of the message.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.client.0.is_gone(self.client.1) {
                self.client_gone = true;
                return Err(ErrorKind::ConnectionAborted.into());
            }
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            match self.hop.offer(bytes)? {
                0 => self.wait(left.min(LOOK))?,
                taken => bytes = &bytes[taken..],
            }
        }
        Ok(())
    }

    /// Waits until the next hop takes something, less than a second.
    fn wait(&self, time: Duration) -> io::Result<()> {
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: time.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(self.hop, PollFlags::OUT)], Some(&time)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
