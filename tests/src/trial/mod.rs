//! Trials of the gateway with real servers.
//!
//! ```text
//!  smtp::Client ─► Postfix ─► Sink          end to end; Filter or a proxy stands beside Postfix
//!  mta::Mta ─► Filter                       the milter protocol without a server: its edits are applied to the message
//! ```
//!
//! Both ends are our own, and independent of the crates under test. They apply a filter's edits as the documentation says, so that
//! the resulting message can be compared.
//!
//! # Limits
//! Linux, with Debian's Postfix; a mail server's master runs as root.

pub mod filter;
pub mod gateway_chain;
pub mod japanese;
pub mod kept;
pub mod letters;
pub mod load;
pub mod machine;
pub mod mta;
pub mod postfix;
pub mod sink;
pub mod small_disk;
pub mod smtp;
pub mod soak;

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Polls until `so` returns true, or the time is over.
pub fn wait_for(time: Duration, mut so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if so() {
            return true;
        }
        if start.elapsed() >= time {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns a free port of the loopback, which no other process gets from here while this one runs.
///
/// Outgoing connections get ports above these.
///
/// # Panics
/// If all are taken.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    (0..1_000)
        .map(|_| {
            let step = NEXT.fetch_add(1, Ordering::Relaxed);
            // Tests are separate processes, so each begins elsewhere.
            (10_100 + (std::process::id().wrapping_mul(37) + step) % 20_000) as u16
        })
        .find(|port| reserve(*port) && TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}

/// Reserves a port among the processes that call [`free_port`]. Returns false if another one has it.
///
/// A socket with an abstract name stands for the port. The kernel removes it when the process ends.
fn reserve(port: u16) -> bool {
    static RESERVED: Mutex<Vec<UnixDatagram>> = Mutex::new(Vec::new());
    let name = format!("mailglot-trial-port-{port}");
    let address = SocketAddr::from_abstract_name(name).expect("a short name");
    let Ok(socket) = UnixDatagram::bind_addr(&address) else {
        return false;
    };
    let mut reserved = RESERVED.lock().expect("a lock that nobody poisons");
    reserved.push(socket);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_reserved_once() {
        let port = free_port();
        assert!(!reserve(port), "{port} is reserved twice");
        assert_ne!(free_port(), port);
        TcpListener::bind(("127.0.0.1", port)).expect("a reserved port can be used");
    }
}
