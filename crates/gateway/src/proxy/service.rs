//! Serves SMTP or LMTP on a listener: checks the route, and gives each client a connection of its own.

use super::connection::{ProxyConnection, ProxyHandle};
use super::route::Route;
use crate::engine::Engine;
use crate::event::ServerEvent;
use crate::listener::Socket;
use crate::resources::Bounds;
use crate::server::{Accepted, Execution, Server, Service, Shared};
use crate::stream::Stream;
use std::io::{self, Write};
use std::sync::Arc;

impl Server {
    /// Creates a proxy that listens at an address, or with a socket that already listens. Reports events to `report`. `bounds` are
    /// [`Limits`](crate::Limits), or those of a server that shares resources with others.
    ///
    /// # Errors
    /// The address or socket cannot be used, or the next hop is the proxy itself.
    pub fn proxy(
        socket: impl Into<Socket>,
        route: Route,
        engine: Engine,
        bounds: impl Into<Bounds>,
        report: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let hop = route.next_hop.clone();
        let (socket, bounds) = (socket.into(), bounds.into());
        if let Some(why) = bounds.limits.refusal(&socket.address()?, Some(&hop)) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let server = Self::listen(
            socket,
            Box::new(Relay(Arc::new(route))),
            engine,
            bounds,
            report,
        )?;
        if server.is_at(&hop) {
            let words = format!("the next hop {hop} is this proxy itself");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        Ok(server)
    }
}

/// SMTP or LMTP, with a next hop.
struct Relay(Arc<Route>);

impl Service for Relay {
    fn accept(
        &self,
        number: u64,
        client: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>> {
        if full {
            // A client that is gone needs no word.
            let _ = (&client).write_all(b"421 4.3.2 Too many connections\r\n");
            return Ok(None);
        }
        let handle = Arc::new(ProxyHandle::new(number, client.try_clone()?));
        let connection =
            ProxyConnection::new(handle.clone(), client, self.0.clone(), shared.clone());
        Ok(Some(Accepted {
            handle,
            run: Execution::Thread(Box::new(|| connection.run())),
        }))
    }
}
