//! Where a proxy takes mail, and how: what its listener is made with.
//!
//! # Limits
//! One next hop: there is no choice between several.

use super::connection::{Connection, ProxyHandle};
use super::content::BareLines;
use crate::address::{Address, Socket, Stream};
use crate::engine::Engine;
use crate::event::ServerEvent;
use crate::resources::Bounds;
use crate::server::{Accepted, Execution, Server, Service, Shared};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

impl Server {
    /// A proxy that listens at an address, or with a socket that listens already; what happens is told to `tell`. `bounds` are
    /// [`Limits`](crate::Limits), or those of a server that shares resources with others.
    ///
    /// # Errors
    /// The address cannot be taken, or the socket not be used; or the next hop is the proxy itself.
    pub fn proxy(
        socket: impl Into<Socket>,
        route: Route,
        engine: Engine,
        bounds: impl Into<Bounds>,
        tell: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static,
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
            tell,
        )?;
        if server.is_at(&hop) {
            let words = format!("the next hop {hop} is this proxy itself");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        Ok(server)
    }
}

/// How long the next hop has for its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// To be connected.
    pub connect: Duration,
    /// To answer a command, the whole of its reply, and to take what is written (RFC 5321 4.5.3.2 has five minutes).
    pub reply: Duration,
    /// To take a whole message, and again to answer its end (RFC 5321 4.5.3.2.6 has ten minutes).
    pub end: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            reply: Duration::from_mins(5),
            end: Duration::from_mins(10),
        }
    }
}

/// Where mail goes, and how.
#[derive(Clone, Debug)]
pub struct Route {
    /// Who answers for it.
    pub next_hop: Address,
    /// LMTP (RFC 2033) on both sides.
    pub lmtp: bool,
    /// A CR or LF alone in content, whatever the policy says; none where the policy decides with its action for `bare-lf`.
    pub bare_lines: Option<BareLines>,
    /// What the next hop is given.
    pub times: Times,
}

impl Route {
    /// SMTP, as the policy says, in the usual times.
    pub fn to(next_hop: Address) -> Self {
        Self {
            next_hop,
            lmtp: false,
            bare_lines: None,
            times: Times::default(),
        }
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
        let connection = Connection::new(handle.clone(), client, self.0.clone(), shared.clone());
        Ok(Some(Accepted {
            handle,
            run: Execution::Thread(Box::new(|| connection.run())),
        }))
    }
}
