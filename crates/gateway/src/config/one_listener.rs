//! Builds the configuration of a gateway with one listener from command-line options.
//!
//! The options pass the same checks as the keys of a file.
//!
//! # Limits
//! Only options that administrators change often. A file has all keys.

use super::file::{File, Listen, OnError, PolicyTable};
use super::{Config, Invalid, RouteKind};
use crate::address::Address;
use crate::network::Network;
use crate::proxy::BareLines;
use crate::record::Form;
use std::path::PathBuf;

/// The command-line options of one listener. A missing option has the default of its key in a file.
#[derive(Clone, Debug)]
pub struct OneListener {
    /// The protocol.
    pub route: RouteKind,
    /// The address to listen at.
    pub address: Address,
    /// The next hop of a proxy.
    pub next_hop: Option<Address>,
    /// What a proxy does with a bare CR or LF. With `None` the policy decides.
    pub bare_lines: Option<BareLines>,
    /// A built-in policy: `default`, `strict` or `monitor`.
    pub policy: Option<String>,
    /// The folder for originals of changed messages.
    pub ledger: Option<PathBuf>,
    /// Days after which originals are removed.
    pub ledger_days: Option<u32>,
    /// The user to run as.
    pub user: Option<String>,
    /// Permissions of a Unix socket, in octal digits.
    pub mode: Option<String>,
    /// Group of a Unix socket.
    pub group: Option<String>,
    /// Maximum number of connections.
    pub connections: Option<usize>,
    /// Bytes of the largest message that is judged.
    pub message_bytes: Option<u64>,
    /// The folder for long messages while they arrive.
    pub spool_dir: Option<PathBuf>,
    /// The address of the metrics.
    pub metrics: Option<String>,
    /// The format of the log.
    pub log: Form,
    /// True if listener and next hop may be on other machines.
    pub allow_remote: bool,
    /// Networks whose clients are served over TCP.
    pub client_networks: Vec<Network>,
}

impl OneListener {
    /// Creates a listener with every default.
    pub fn new(route: RouteKind, address: Address) -> Self {
        Self {
            route,
            address,
            next_hop: None,
            bare_lines: None,
            policy: None,
            ledger: None,
            ledger_days: None,
            user: None,
            mode: None,
            group: None,
            connections: None,
            message_bytes: None,
            spool_dir: None,
            metrics: None,
            log: Form::Text,
            allow_remote: false,
            client_networks: Vec::new(),
        }
    }
}

impl Config {
    /// Checks the options of one listener.
    ///
    /// # Errors
    /// Like [`Config::parse`]: an unknown policy, a limit out of range, a ledger path that is not UTF-8, metrics that other machines can reach.
    pub fn of_one(one: OneListener) -> Result<Self, Invalid> {
        let policy = one.policy.unwrap_or_else(|| "default".to_owned());
        if crate::policy::Rules::named(&policy).is_none() {
            return Err(Invalid::of_content(format!(
                "policy: `{policy}` is none of default, strict and monitor"
            )));
        }
        let ledger = match one
            .ledger
            .map(PathBuf::into_os_string)
            .map(std::ffi::OsString::into_string)
        {
            Some(Ok(folder)) => Some(folder),
            Some(Err(folder)) => {
                return Err(Invalid::of_content(format!(
                    "ledger: {} is not UTF-8",
                    folder.display()
                )));
            }
            None => None,
        };
        let table = PolicyTable {
            ledger,
            ledger_days: one.ledger_days,
            ..PolicyTable::default()
        };
        let listen = Listen {
            route: one.route,
            address: one.address,
            next_hop: one.next_hop,
            mode: one.mode,
            group: one.group,
            policy: policy.clone(),
            on_error: OnError::Tempfail,
            last: false,
            after_verifier: false,
            outbound: false,
            allow_remote: one.allow_remote,
            client_networks: one
                .client_networks
                .iter()
                .map(ToString::to_string)
                .collect(),
        };
        let mut file = File {
            user: one.user,
            listen: vec![listen],
            ..File::default()
        };
        file.policy.insert(policy, table);
        let limits = &mut file.limits;
        limits.connections = one.connections.unwrap_or(limits.connections);
        limits.message_bytes = one.message_bytes.unwrap_or(limits.message_bytes);
        if let Some(folder) = one.spool_dir {
            limits.spool_dir = folder;
        }
        file.report.metrics = one.metrics;
        file.report.log = one.log;
        let mut config = Self::checked(&file)?;
        for listener in &mut config.listeners {
            listener.bare_lines = one.bare_lines;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn milter() -> OneListener {
        OneListener::new(RouteKind::Milter, "unix:/run/a.sock".parse().unwrap())
    }

    /// The options and the keys of a file that say the same give the same configuration.
    #[test]
    fn options_mean_what_keys_mean() {
        let hop: Address = "tcp:127.0.0.1:2".parse().unwrap();
        let proxy = OneListener {
            next_hop: Some(hop),
            ..OneListener::new(RouteKind::Lmtp, milter().address)
        };
        let keys = |listen: &str, more: &str| {
            format!("{more}\n[[listen]]\naddress = \"unix:/run/a.sock\"\n{listen}\n")
        };
        let route = "route = \"milter\"";
        let ledger = Some("/ledger".into());
        for (one, text) in [
            (milter(), keys(route, "")),
            (
                proxy,
                keys("route = \"lmtp\"\nnext_hop = \"tcp:127.0.0.1:2\"", ""),
            ),
            (
                OneListener {
                    user: Some("nobody".into()),
                    ..milter()
                },
                keys(route, "user = \"nobody\""),
            ),
            (
                OneListener {
                    mode: Some("0600".into()),
                    group: Some("0".into()),
                    ..milter()
                },
                keys("route = \"milter\"\nmode = \"0600\"\ngroup = \"0\"", ""),
            ),
            (
                OneListener {
                    policy: Some("strict".into()),
                    ..milter()
                },
                keys("route = \"milter\"\npolicy = \"strict\"", ""),
            ),
            (
                OneListener {
                    ledger,
                    ledger_days: Some(7),
                    ..milter()
                },
                keys(
                    &format!("{route}\n[policy.default]\nledger = \"/ledger\"\nledger_days = 7"),
                    "",
                ),
            ),
            (
                OneListener {
                    connections: Some(5),
                    message_bytes: Some(6),
                    spool_dir: Some("/spool".into()),
                    ..milter()
                },
                keys(
                    &format!(
                        "{route}\n[limits]\nconnections = 5\nmessage_bytes = 6\nspool_dir = \"/spool\""
                    ),
                    "",
                ),
            ),
            (
                OneListener {
                    metrics: Some("127.0.0.1:9".into()),
                    log: Form::Json,
                    ..milter()
                },
                keys(
                    &format!("{route}\n[report]\nlog = \"json\"\nmetrics = \"127.0.0.1:9\""),
                    "",
                ),
            ),
        ] {
            let file = Config::parse(&text).unwrap();
            assert_eq!(
                format!("{:?}", Config::of_one(one).unwrap()),
                format!("{file:?}"),
                "{text}"
            );
        }
    }

    #[test]
    fn options_are_checked() {
        for (one, word) in [
            (
                OneListener {
                    policy: Some("own".into()),
                    ..milter()
                },
                "policy",
            ),
            (
                OneListener {
                    mode: Some("rw".into()),
                    ..milter()
                },
                "mode",
            ),
            (
                OneListener {
                    group: Some("no-such-group".into()),
                    ..milter()
                },
                "no-such-group",
            ),
            (
                OneListener {
                    connections: Some(0),
                    ..milter()
                },
                "limits.connections",
            ),
            (
                OneListener {
                    message_bytes: Some(0),
                    ..milter()
                },
                "limits.message_bytes",
            ),
            (
                OneListener {
                    metrics: Some("192.0.2.1:9".into()),
                    ..milter()
                },
                "report.metrics",
            ),
            (
                OneListener {
                    ledger_days: Some(7),
                    ..milter()
                },
                "ledger",
            ),
            (
                OneListener {
                    route: RouteKind::Smtp,
                    ..milter()
                },
                "next_hop",
            ),
        ] {
            let error = Config::of_one(one).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
