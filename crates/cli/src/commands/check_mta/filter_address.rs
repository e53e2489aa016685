//! Recognizes the filter in Postfix's settings by its address.

use super::parameters::{DELIVERIES, PROXIES};
use super::settings::Settings;
use crate::exit::Failure;
use mailglot_gateway::Address;
use mailglot_gateway::config::{Config, RouteKind};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// What an address holds that names no other program, if no address is given.
const NAME: &str = "mailglot";
/// The address of the documented set-up, relative to Postfix's queue directory.
const DEFAULT: &str = "unix:mailglot/gw.sock";
/// The configuration that the documented set-up uses.
const CONFIG: &str = "/etc/mailglot/mailglot.toml";

/// Addresses at which the filter or proxy listens.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterAddresses {
    /// Without family and brackets; if empty, a socket with `mailglot` in its path is the filter's.
    addresses: Vec<String>,
    queue_directory: String,
    config: Option<PathBuf>,
    /// Routes of the configuration's listeners.
    routes: Vec<RouteKind>,
    /// Ports on this machine to which the configuration's proxies hand mail on.
    return_ports: Vec<String>,
    /// Sockets on which the configuration has a milter listen.
    sockets: Vec<PathBuf>,
    /// Sockets on which the configuration has a proxy listen.
    proxy_sockets: Vec<PathBuf>,
    /// The address of a milter; `None` if only proxies are known.
    suggestion: Option<String>,
}

impl FilterAddresses {
    /// Takes addresses as Postfix or the filter's configuration writes them.
    pub(super) fn new(addresses: &[String], settings: &Settings) -> Self {
        let queue_directory = settings.queue_directory();
        let addresses: Vec<String> = addresses
            .iter()
            .map(|address| normalized(without_family(address)))
            .collect();
        let mut filter = Self {
            addresses,
            queue_directory,
            ..Self::default()
        };
        let milter = |address: &&String| !filter.is_proxy_of(settings, address);
        filter.suggestion = match filter.addresses.iter().find(milter) {
            None if filter.addresses.is_empty() => Some(DEFAULT.to_owned()),
            None => None,
            Some(path) if path.contains('/') => {
                Some(socket_address(Path::new(path), &filter.queue_directory))
            }
            Some(place) => Some(format!("inet:{place}")),
        };
        filter
    }

    /// Takes the addresses of all listeners of a configuration.
    pub(super) fn from_config(path: &Path, settings: &Settings) -> Result<Self, Failure> {
        let config = Config::read(path).map_err(Failure::configuration)?;
        let queue_directory = settings.queue_directory();
        let mut filter = Self {
            config: Some(path.to_owned()),
            queue_directory,
            ..Self::default()
        };
        for listener in &config.listeners {
            let suggestion = match &listener.address {
                Address::Unix(path) => {
                    filter.addresses.push(path.display().to_string());
                    if listener.route == RouteKind::Milter {
                        filter.sockets.push(path.clone());
                    } else {
                        filter.proxy_sockets.push(path.clone());
                    }
                    socket_address(path, &filter.queue_directory)
                }
                Address::Tcp(place) => {
                    filter.addresses.push(normalized(place));
                    format!("inet:{place}")
                }
            };
            if listener.route == RouteKind::Milter {
                filter.suggestion.get_or_insert(suggestion);
            }
            filter.routes.push(listener.route);
            if let Some(Address::Tcp(place)) = &listener.next_hop
                && let Some((host, port)) = normalized(place).rsplit_once(':')
                && is_loopback(host)
            {
                filter.return_ports.push(port.to_owned());
            }
        }
        Ok(filter)
    }

    /// Returns true if the settings name this address where only a proxy belongs.
    fn is_proxy_of(&self, settings: &Settings, address: &str) -> bool {
        settings.views().any(|view| {
            PROXIES
                .iter()
                .chain(&DELIVERIES)
                .any(|name| self.is_at(address, &proxy_address(&view.text(name))))
        })
    }

    /// Returns true if `value` is an address of the filter, alone or behind a transport: `scan:[127.0.0.1]:10026`, `lmtp:inet:127.0.0.1:24`.
    ///
    /// Without known addresses a socket whose path holds `mailglot` is the filter's. A host of that name is not: it may be any mail server.
    pub(super) fn matches(&self, value: &str) -> bool {
        // A socket in a wrong place is still the filter's.
        let is_named = self.addresses.is_empty() || self.config.is_some();
        if is_named && value.contains('/') && value.contains(NAME) {
            return true;
        }
        self.addresses
            .iter()
            .any(|address| self.is_at(address, value))
    }

    /// Returns true if `value` ends with this address.
    fn is_at(&self, address: &str, value: &str) -> bool {
        let value = normalized(value);
        let mut starts = std::iter::once(0).chain(value.match_indices(':').map(|(at, _)| at + 1));
        starts.any(|at| self.is_same(address, &value[at..]))
    }

    /// Like [`Self::matches`] for `transport:destination`. Without known addresses a transport whose name holds `mailglot` is the filter's
    /// (`mailglot:dummy` for pipe(8)).
    pub(super) fn matches_transport(&self, value: &str) -> bool {
        let is_named = self.addresses.is_empty()
            && value
                .split_once(':')
                .is_some_and(|(transport, _)| transport.contains(NAME) && !transport.contains('.'));
        is_named || self.matches(value)
    }

    /// Postfix looks for a socket below its queue directory if the path is relative, or the process is chrooted.
    fn is_same(&self, address: &str, value: &str) -> bool {
        let below = || {
            address
                .strip_prefix(&self.queue_directory)?
                .strip_prefix('/')
        };
        let is_same_port = || {
            let (host, port) = address.rsplit_once(':')?;
            let (other, other_port) = value.rsplit_once(':')?;
            Some(port == other_port && is_loopback(host) && is_loopback(other))
        };
        address == value
            || (!address.contains('/') && is_same_port() == Some(true))
            || (address.starts_with('/')
                && below().is_some_and(|below| below == value.trim_start_matches('/')))
    }

    /// Names the filter in a message.
    pub(super) fn description(&self) -> String {
        if self.addresses.is_empty() {
            format!("with `{NAME}` in the path of its socket")
        } else {
            format!("at {}", self.addresses.join(" or "))
        }
    }

    /// The milter's address for main.cf; `None` if only proxies are known.
    pub(super) fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    /// What must be true of an address from the command line before commands for a milter are right.
    pub(super) fn condition(&self) -> String {
        match &self.suggestion {
            Some(address) if self.config.is_none() && !self.addresses.is_empty() => format!(
                ". The commands are right only if {address} is the address of a milter: given that of a proxy, Postfix defers all mail"
            ),
            _ => String::new(),
        }
    }

    /// Sections of docs/setup/postfix.md that show how Postfix names the proxies.
    pub(super) fn sections(&self) -> &'static str {
        let has = |route| self.routes.is_empty() || self.routes.contains(&route);
        match (has(RouteKind::Smtp), has(RouteKind::Lmtp)) {
            (true, false) => "\"Proxy before the queue\" or \"Proxy behind the queue\"",
            (false, _) => "\"Proxy before a mailbox store\"",
            (true, true) => {
                "\"Proxy before the queue\", \"Proxy behind the queue\" or \"Proxy before a mailbox store\""
            }
        }
    }

    /// Returns true if the configuration's proxies hand mail on to this port of this machine; `None` if that is unknown.
    pub(super) fn is_return_port(&self, port: &str) -> Option<bool> {
        let is_known = !self.return_ports.is_empty();
        is_known.then(|| self.return_ports.iter().any(|known| known == port))
    }

    /// The filter's configuration, or where the documented set-up has it.
    pub(super) fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(CONFIG))
    }

    /// Sockets of the configuration's milters; `None` if the command has none.
    pub(super) fn sockets(&self) -> Option<&[PathBuf]> {
        self.config.as_ref().map(|_| self.sockets.as_slice())
    }

    /// Sockets of the configuration's proxies; `None` if the command has none.
    pub(super) fn proxy_sockets(&self) -> Option<&[PathBuf]> {
        self.config.as_ref().map(|_| self.proxy_sockets.as_slice())
    }
}

/// The address of a socket for main.cf: relative if it is below the queue directory, so that chroot makes no difference.
pub(super) fn socket_address(path: &Path, queue_directory: &str) -> String {
    format!(
        "unix:{}",
        path.strip_prefix(queue_directory).unwrap_or(path).display()
    )
}

/// A value of `smtpd_proxy_filter` with its host: without one it means this machine (`:10026`).
pub(super) fn proxy_address(value: &str) -> String {
    let place = value.trim();
    let place = place.strip_prefix("inet:").unwrap_or(place);
    if place.starts_with(':') {
        format!("localhost{place}")
    } else {
        value.to_owned()
    }
}

/// Returns true for `localhost` and the addresses of the loopback interface: a filter at one of them is reached by all.
fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

fn without_family(address: &str) -> &str {
    let families = ["unix:", "local:", "inet:", "tcp:"];
    families
        .iter()
        .find_map(|family| address.strip_prefix(family))
        .unwrap_or(address)
}

/// An address without brackets, in lower case unless it is a path.
fn normalized(address: &str) -> String {
    let text = address.trim();
    if text.contains('/') {
        text.to_owned()
    } else {
        text.replace(['[', ']'], "").to_ascii_lowercase()
    }
}
