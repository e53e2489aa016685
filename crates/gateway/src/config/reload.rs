//! Lists the changes of a newer configuration that need a restart.
//!
//! # Limits
//! Rules, `on_error`, `too_large` and names of reports can change at run time. Everything else needs a restart.

use super::{Config, Ledger, Listener};
use crate::limits::Limits;
use crate::record::Form;
use std::fmt::Display;
use std::time::Duration;

impl Config {
    /// Lists the changes of a newer file that only a restart can make, with their old and new values. The list is empty if a running
    /// gateway can make all changes.
    ///
    /// Policies depend on the limits of their file. A gateway with new policies and old limits would read messages only in part.
    pub fn needs_start(&self, newer: &Self) -> Vec<String> {
        let mut changes: Vec<String> = [
            changed("user", &self.user, &newer.user, |value| {
                optional(value.as_ref())
            }),
            changed("report.log", &self.log, &newer.log, |form| {
                match form {
                    Form::Text => "logfmt",
                    Form::Json => "json",
                    Form::Journald => "journald",
                }
                .to_owned()
            }),
            changed("report.metrics", &self.metrics, &newer.metrics, |value| {
                optional(value.as_ref())
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let find = |config: &'_ Self, like: &Listener| {
            config
                .listeners
                .iter()
                .position(|listener| listener.address == like.address)
        };
        for listener in &self.listeners {
            let place = format!("listen {}", listener.address);
            match find(newer, listener).and_then(|at| newer.listeners.get(at)) {
                Some(newer) => {
                    for change in listener.other_limits(newer) {
                        let change = format!("limits.{change}");
                        if !changes.contains(&change) {
                            changes.push(change);
                        }
                    }
                    changes.extend(
                        listener
                            .needs_start(newer)
                            .iter()
                            .map(|what| format!("{place}: {what}")),
                    );
                }
                None => changes.push(format!("{place} was removed")),
            }
        }
        let new = newer
            .listeners
            .iter()
            .filter(|listener| find(self, listener).is_none());
        changes.extend(new.map(|listener| format!("listen {} was added", listener.address)));
        changes
    }
}

impl Listener {
    /// Lists the changes of a listener for the same place that only a restart can make.
    fn needs_start(&self, newer: &Self) -> Vec<String> {
        let (is, will) = (&self.limits, &newer.limits);
        let part =
            |listener: &Self, of: fn(&Ledger) -> Option<u64>| listener.ledger.as_ref().and_then(of);
        let days = |ledger: &Ledger| ledger.age.map(|age| age.as_secs() / 86_400);
        let bytes = |ledger: &Ledger| ledger.bytes;
        let folder = |listener: &Self| {
            let folder = listener.ledger.as_ref().map(|ledger| &ledger.folder);
            folder.map(|folder| folder.display().to_string())
        };
        let ledger = changed("ledger", &folder(self), &folder(newer), |value| {
            optional(value.as_ref())
        });
        let retention = [
            ("ledger_days", part(self, days), part(newer, days)),
            ("ledger_bytes", part(self, bytes), part(newer, bytes)),
        ]
        .map(|(key, old, new)| changed(key, &old, &new, |value| optional(value.as_ref())))
        .into_iter()
        .flatten()
        .filter(|_| ledger.is_none());
        [
            changed("route", &self.route, &newer.route, |route| {
                format!("{route:?}").to_lowercase()
            }),
            changed("next_hop", &self.next_hop, &newer.next_hop, |value| {
                optional(value.as_ref())
            }),
            changed(
                "allow_remote",
                &is.allow_remote,
                &will.allow_remote,
                bool::to_string,
            ),
            changed(
                "client_networks",
                &is.client_networks,
                &will.client_networks,
                |networks| {
                    let networks: Vec<_> = networks.iter().map(ToString::to_string).collect();
                    format!("[{}]", networks.join(", "))
                },
            ),
            changed("mode", &is.socket_mode, &will.socket_mode, |mode| {
                format!("{mode:04o}")
            }),
            changed("group", &is.socket_group, &will.socket_group, |value| {
                optional(value.as_ref())
            }),
        ]
        .into_iter()
        .flatten()
        .chain(retention)
        .chain(ledger.clone())
        .collect()
    }

    /// Lists the limits that differ, by their keys. They are those of the file, and the same for all its listeners.
    fn other_limits(&self, newer: &Self) -> Vec<String> {
        // The compiler finds a limit that is missing here.
        let Limits {
            connections,
            client_connections,
            allow_remote: _,
            client_networks: _,
            message_bytes,
            idle,
            negotiation,
            stall,
            progress,
            work,
            drain,
            header_bytes,
            fields,
            socket_mode: _,
            socket_group: _,
            memory_bytes,
            spool,
            spool_bytes,
            disk_reserve,
        } = &self.limits;
        let will = &newer.limits;
        let [read, reads] = [self, newer].map(|listener| listener.engine.rules.rewriting.limits);
        let number = usize::to_string;
        let bytes = u64::to_string;
        let seconds = |time: &Duration| time.as_secs().to_string();
        [
            changed("connections", connections, &will.connections, number),
            changed(
                "client_connections",
                client_connections,
                &will.client_connections,
                |value| optional(value.as_ref()),
            ),
            changed("message_bytes", message_bytes, &will.message_bytes, bytes),
            changed("header_bytes", header_bytes, &will.header_bytes, number),
            changed("field_bytes", &read.field, &reads.field, number),
            changed("fields", fields, &will.fields, number)
                .or_else(|| changed("fields", &read.fields, &reads.fields, number)),
            changed("parts", &read.parts, &reads.parts, number),
            changed("depth", &read.depth, &reads.depth, number),
            changed("memory_bytes", memory_bytes, &will.memory_bytes, bytes),
            changed("spool_dir", spool, &will.spool, |spool| {
                spool.display().to_string()
            }),
            changed("spool_bytes", spool_bytes, &will.spool_bytes, bytes),
            changed("disk_reserve", disk_reserve, &will.disk_reserve, bytes),
            changed("message_seconds", work, &will.work, seconds),
            changed("progress_seconds", progress, &will.progress, seconds),
            changed("idle_seconds", idle, &will.idle, seconds),
            changed(
                "negotiation_seconds",
                negotiation,
                &will.negotiation,
                seconds,
            ),
            changed("stall_seconds", stall, &will.stall, seconds),
            changed("drain_seconds", drain, &will.drain, seconds),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Describes a change of a value: `fields changed from 100 to 5`.
fn changed<T: PartialEq>(
    key: &str,
    old: &T,
    new: &T,
    show: impl Fn(&T) -> String,
) -> Option<String> {
    (old != new).then(|| format!("{key} changed from {} to {}", show(old), show(new)))
}

/// Shows a value that may be unset.
fn optional<T: Display>(value: Option<&T>) -> String {
    value.map_or_else(|| "unset".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FILE: &str = r#"
user = "nobody"
listen = [
  { route = "milter", address = "unix:/run/a.sock" },
  { route = "smtp", address = "tcp:127.0.0.1:1", next_hop = "tcp:127.0.0.1:2", policy = "own" },
]
[policy.own]
ledger = "/l"
ledger_days = 7
[limits]
fields = 100
[report]
host = "a"
"#;

    fn needed(from: &str, to: &str) -> Vec<String> {
        let newer = FILE.replace(from, to);
        assert!(newer != FILE, "{from}");
        Config::parse(FILE)
            .unwrap()
            .needs_start(&Config::parse(&newer).unwrap())
    }

    #[test]
    fn policies_change_at_once() {
        for (from, to) in [
            (
                "[policy.own]",
                "[policy.default]\nmonitor = true\n[policy.own]\nheaders = \"keep\"",
            ),
            (
                "\n[limits]",
                "\non_loss = \"keep\"\nactions = { bare-lf = \"reject\" }\n[limits]",
            ),
            ("[limits]", "[limits]\ntoo_large = \"tempfail\""),
            (
                "policy = \"own\" }",
                "policy = \"own\", on_error = \"accept\", outbound = true }",
            ),
            (
                "host = \"a\"",
                "host = \"b\"\nfindings_header = \"\"\noriginal_header = \"X-Original\"",
            ),
        ] {
            assert_eq!(needed(from, to), [] as [&str; 0], "{to}");
        }
    }

    #[test]
    fn what_a_running_gateway_has_in_its_hands_does_not() {
        let milter = "listen unix:/run/a.sock: ";
        let proxy = "listen tcp:127.0.0.1:1: ";
        for (from, to, want) in [
            (
                "fields = 100",
                "fields = 5",
                vec!["limits.fields changed from 100 to 5".to_owned()],
            ),
            (
                "[limits]",
                "[limits]\nidle_seconds = 5\nmessage_bytes = 5",
                vec![
                    "limits.message_bytes changed from 67108864 to 5".to_owned(),
                    "limits.idle_seconds changed from 600 to 5".to_owned(),
                ],
            ),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", mode = \"0600\"",
                vec![format!("{milter}mode changed from 0660 to 0600")],
            ),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", group = \"0\"",
                vec![format!("{milter}group changed from unset to 0")],
            ),
            (
                "next_hop = \"tcp:127.0.0.1:2\"",
                "next_hop = \"tcp:127.0.0.1:2\", allow_remote = true, client_networks = [\"192.0.2.0/24\"]",
                vec![
                    format!("{proxy}allow_remote changed from false to true"),
                    format!("{proxy}client_networks changed from [] to [192.0.2.0/24]"),
                ],
            ),
            (
                "tcp:127.0.0.1:2",
                "tcp:127.0.0.1:3",
                vec![format!(
                    "{proxy}next_hop changed from tcp:127.0.0.1:2 to tcp:127.0.0.1:3"
                )],
            ),
            (
                "\"smtp\"",
                "\"lmtp\"",
                vec![format!("{proxy}route changed from smtp to lmtp")],
            ),
            (
                "\"/l\"",
                "\"/m\"",
                vec![format!("{proxy}ledger changed from /l to /m")],
            ),
            (
                "ledger_days = 7",
                "ledger_days = 8\nledger_bytes = 9000000000",
                vec![
                    format!("{proxy}ledger_days changed from 7 to 8"),
                    format!("{proxy}ledger_bytes changed from unset to 9000000000"),
                ],
            ),
            (
                "tcp:127.0.0.1:1",
                "tcp:127.0.0.1:9",
                vec![
                    "listen tcp:127.0.0.1:1 was removed".to_owned(),
                    "listen tcp:127.0.0.1:9 was added".to_owned(),
                ],
            ),
            (
                "user = \"nobody\"",
                "",
                vec!["user changed from nobody to unset".to_owned()],
            ),
            (
                "[report]",
                "[report]\nlog = \"json\"",
                vec!["report.log changed from logfmt to json".to_owned()],
            ),
            (
                "[report]",
                "[report]\nmetrics = \"127.0.0.1:1\"",
                vec!["report.metrics changed from unset to 127.0.0.1:1".to_owned()],
            ),
        ] {
            assert_eq!(needed(from, to), want, "{to}");
        }
    }

    /// Every key of the file's bounds by its name, with another value than the usual one.
    #[test]
    fn each_limit_is_named() {
        for key in [
            "connections",
            "client_connections",
            "message_bytes",
            "header_bytes",
            "field_bytes",
            "fields",
            "parts",
            "depth",
            "memory_bytes",
            "spool_bytes",
            "disk_reserve",
            "message_seconds",
            "progress_seconds",
            "idle_seconds",
            "negotiation_seconds",
            "stall_seconds",
            "drain_seconds",
        ] {
            let (from, to) = match key {
                "fields" => ("fields = 100", "fields = 3".to_owned()),
                _ => ("[limits]", format!("[limits]\n{key} = 3")),
            };
            let found = needed(from, &to);
            assert!(
                found.len() == 1
                    && found[0].starts_with(&format!("limits.{key} changed from "))
                    && found[0].ends_with(" to 3"),
                "{found:?}"
            );
        }
        let found = needed("[limits]", "[limits]\nspool_dir = \"/\"");
        assert!(found.len() == 1 && found[0].ends_with(" to /"), "{found:?}");
    }
}
