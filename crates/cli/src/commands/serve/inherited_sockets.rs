//! Sockets that a supervisor of services made for the daemon (`LISTEN_FDS`).
//!
//! # Limits
//! Only listening sockets are taken: Unix and TCP.

use listenfd::ListenFd;
use mailglot_gateway::Inherited;
use std::io;

/// Takes the sockets that a supervisor handed on.
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
