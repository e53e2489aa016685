//! The gateway: its machines without I/O, and its servers over real sockets with peers of our own.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and tells"
)]

mod access;
mod carriage_returns;
mod edits;
mod faults;
mod filter;
mod filter_limits;
mod forged_fields;
mod idempotence;
mod milter;
mod pool;
mod proxy;
mod proxy_ends;
mod proxy_limits;
mod proxy_limits_time;
mod proxy_session;
mod proxy_session_faults;
mod record;
mod rig;
mod shared;
#[path = "../../src/shared_material.rs"]
mod shared_material;
