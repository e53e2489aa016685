//! Defines the input of all checks: settings, addresses of the filter, sockets.

use super::filter_address::FilterAddresses;
use super::settings::Settings;
use std::path::Path;

/// The settings of Postfix, the addresses of the filter, and the sockets of this machine.
pub(super) struct Check<'a> {
    pub(super) settings: &'a Settings,
    pub(super) filter: &'a FilterAddresses,
    /// Returns true if a socket is at this path on this machine.
    pub(super) is_socket: &'a dyn Fn(&Path) -> bool,
}
