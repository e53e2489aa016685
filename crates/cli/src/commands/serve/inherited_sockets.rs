//! Takes the listening sockets that systemd opened for the daemon (socket activation, `LISTEN_FDS`).
//!
//! # Limits
//! Takes only Unix and TCP sockets.

use listenfd::ListenFd;
use mailglot_gateway::Inherited;
use std::io;

/// Returns the inherited sockets.
pub(super) fn take() -> io::Result<Vec<Inherited>> {
    let mut given = ListenFd::from_env();
    let mut sockets = Vec::new();
    for at in 0..given.len() {
        let unix = given.take_unix_listener(at);
        sockets.extend(match unix {
            Ok(socket) => socket.map(Inherited::Unix),
            Err(_) => given.take_tcp_listener(at)?.map(Inherited::Tcp),
        });
    }
    Ok(sockets)
}
