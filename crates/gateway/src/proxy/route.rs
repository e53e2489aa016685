//! Describes the route of a proxy: listener, next hop and times.
//!
//! # Limits
//! One next hop only.

use super::content::BareLines;
use crate::address::Address;
use std::time::Duration;

/// How long the next hop has for its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time to connect.
    pub connect: Duration,
    /// Time for a complete reply to a command, and for accepting written bytes (RFC 5321, section 4.5.3.2: five minutes).
    pub reply: Duration,
    /// Time for accepting a whole message, and again for the reply to its end (RFC 5321, section 4.5.3.2.6: ten minutes).
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
    /// How a CR or LF alone in content is treated, under every policy. With `None` the policy's action for `bare-lf` decides.
    pub bare_lines: Option<BareLines>,
    /// Times for the next hop.
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
