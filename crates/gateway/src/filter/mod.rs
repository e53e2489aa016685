//! The milter server: listens for mail servers, and judges each message.
//!
//! # Limits
//! [`Limits`](crate::Limits) bounds the cost of a message; the milter protocol has no such limits.

mod answer;
mod commit;
#[cfg(all(test, target_os = "linux"))]
mod commit_tests;
mod connection;
mod decide;
mod event;
mod handle;

use crate::engine::Engine;
use crate::event::ServerEvent;
use crate::listener::Socket;
use crate::milter::MilterSession;
use crate::resources::Bounds;
use crate::server::{Accepted, Execution, Server, Service, Shared};
use crate::stream::Stream;
pub use answer::Decision;
#[cfg(test)]
pub(crate) use answer::translate;
use connection::MilterConnection;
use handle::MilterHandle;
use std::io;
use std::sync::Arc;

impl Server {
    /// Creates a milter that listens at an address, or with a socket that already listens. Reports events to `report`. `bounds` are
    /// [`Limits`](crate::Limits), or those of a server that shares resources with others.
    ///
    /// # Errors
    /// The address is in use or not allowed, or the socket cannot be used.
    pub fn milter(
        socket: impl Into<Socket>,
        engine: Engine,
        bounds: impl Into<Bounds>,
        report: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::listen(
            socket.into(),
            Box::new(Filter),
            engine,
            bounds.into(),
            report,
        )
    }
}

/// The milter protocol.
struct Filter;

impl Service for Filter {
    fn accept(
        &self,
        number: u64,
        stream: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>> {
        let session = if full {
            MilterSession::refusing()
        } else {
            MilterSession::with_wants(shared.engine().wants())
        };
        let handle = Arc::new(MilterHandle::new(number, stream.try_clone()?));
        let connection = MilterConnection::new(handle.clone(), stream, session, shared.clone());
        let run = Execution::Pool(Box::new(connection));
        Ok(Some(Accepted { handle, run }))
    }
}
