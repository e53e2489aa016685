//! What a newer file changes that a running gateway cannot.
//!
//! # Limits
//! Rules, `on_error`, `too_large` and names of reports can change while messages go by; everything else stands until the next start.

use super::{Config, Ledger, Listener};
use crate::Limits;

impl Config {
    /// What a newer file asks for that counts from a start only, in words with their places; none where a running gateway can do all of it.
    ///
    /// Messages are read within the bounds that they arrive in: a gateway that takes the policies of a file whose limits it does not have
    /// would look at a part of what it takes.
    pub fn needs_start(&self, newer: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let mut differ = |is: bool, what: &str| {
            if is {
                changes.push(what.to_owned());
            }
        };
        differ(self.user != newer.user, "user: another one");
        differ(self.log != newer.log, "report.log: another form");
        differ(
            self.metrics != newer.metrics,
            "report.metrics: another address",
        );
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
                    let limits = listener.other_limits(newer).into_iter();
                    for change in limits.map(|key| format!("limits.{key}: another value")) {
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
                None => changes.push(format!("{place}: no longer there")),
            }
        }
        let new = newer
            .listeners
            .iter()
            .filter(|listener| find(self, listener).is_none());
        changes.extend(new.map(|listener| format!("listen {}: new", listener.address)));
        changes
    }
}

impl Listener {
    /// What of another one for the same place counts from a start only.
    fn needs_start(&self, newer: &Self) -> Vec<&'static str> {
        let (is, will) = (&self.limits, &newer.limits);
        let part = |listener: &Self, of: fn(&Ledger) -> u64| listener.ledger.as_ref().map(of);
        let days = |ledger: &Ledger| ledger.age.map_or(0, |age| age.as_secs());
        let bytes = |ledger: &Ledger| ledger.bytes.unwrap_or_default();
        let folder = |listener: &Self| listener.ledger.as_ref().map(|ledger| ledger.folder.clone());
        let same = folder(self) == folder(newer);
        let differences = [
            (self.route != newer.route, "route: another one"),
            (self.next_hop != newer.next_hop, "next_hop: another one"),
            (
                is.allow_remote != will.allow_remote,
                "allow_remote: another value",
            ),
            (
                is.client_networks != will.client_networks,
                "client_networks: another list",
            ),
            (is.socket_mode != will.socket_mode, "mode: another one"),
            (is.socket_group != will.socket_group, "group: another one"),
            (!same, "ledger: another folder"),
            (
                same && part(self, days) != part(newer, days),
                "ledger_days: another number",
            ),
            (
                same && part(self, bytes) != part(newer, bytes),
                "ledger_bytes: another number",
            ),
        ];
        differences
            .into_iter()
            .filter(|(differ, _)| *differ)
            .map(|(_, what)| what)
            .collect()
    }

    /// Keys of the bounds that differ. They are those of the file, and the same for all its listeners.
    fn other_limits(&self, newer: &Self) -> Vec<&'static str> {
        // A bound that is added to these is missed here by the compiler.
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
        let differences = [
            (*connections != will.connections, "connections"),
            (
                *client_connections != will.client_connections,
                "client_connections",
            ),
            (*message_bytes != will.message_bytes, "message_bytes"),
            (*header_bytes != will.header_bytes, "header_bytes"),
            (read.field != reads.field, "field_bytes"),
            (
                *fields != will.fields || read.fields != reads.fields,
                "fields",
            ),
            (read.parts != reads.parts, "parts"),
            (read.depth != reads.depth, "depth"),
            (*memory_bytes != will.memory_bytes, "memory_bytes"),
            (*spool != will.spool, "spool_dir"),
            (*spool_bytes != will.spool_bytes, "spool_bytes"),
            (*disk_reserve != will.disk_reserve, "disk_reserve"),
            (*work != will.work, "message_seconds"),
            (*progress != will.progress, "progress_seconds"),
            (*idle != will.idle, "idle_seconds"),
            (*negotiation != will.negotiation, "negotiation_seconds"),
            (*stall != will.stall, "stall_seconds"),
            (*drain != will.drain, "drain_seconds"),
        ];
        differences
            .into_iter()
            .filter(|(differ, _)| *differ)
            .map(|(_, key)| key)
            .collect()
    }
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
                vec!["limits.fields: another value".to_owned()],
            ),
            (
                "[limits]",
                "[limits]\nidle_seconds = 5\nmessage_bytes = 5",
                vec![
                    "limits.message_bytes: another value".to_owned(),
                    "limits.idle_seconds: another value".to_owned(),
                ],
            ),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", mode = \"0600\"",
                vec![format!("{milter}mode: another one")],
            ),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", group = \"0\"",
                vec![format!("{milter}group: another one")],
            ),
            (
                "next_hop = \"tcp:127.0.0.1:2\"",
                "next_hop = \"tcp:127.0.0.1:2\", allow_remote = true, client_networks = [\"192.0.2.0/24\"]",
                vec![
                    format!("{proxy}allow_remote: another value"),
                    format!("{proxy}client_networks: another list"),
                ],
            ),
            (
                "tcp:127.0.0.1:2",
                "tcp:127.0.0.1:3",
                vec![format!("{proxy}next_hop: another one")],
            ),
            (
                "\"smtp\"",
                "\"lmtp\"",
                vec![format!("{proxy}route: another one")],
            ),
            (
                "\"/l\"",
                "\"/m\"",
                vec![format!("{proxy}ledger: another folder")],
            ),
            (
                "ledger_days = 7",
                "ledger_days = 8\nledger_bytes = 9000000000",
                vec![
                    format!("{proxy}ledger_days: another number"),
                    format!("{proxy}ledger_bytes: another number"),
                ],
            ),
            (
                "tcp:127.0.0.1:1",
                "tcp:127.0.0.1:9",
                vec![
                    format!("{proxy}no longer there"),
                    "listen tcp:127.0.0.1:9: new".to_owned(),
                ],
            ),
            (
                "user = \"nobody\"",
                "",
                vec!["user: another one".to_owned()],
            ),
            (
                "[report]",
                "[report]\nlog = \"json\"",
                vec!["report.log: another form".to_owned()],
            ),
            (
                "[report]",
                "[report]\nmetrics = \"127.0.0.1:1\"",
                vec!["report.metrics: another address".to_owned()],
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
            assert_eq!(needed(from, &to), [format!("limits.{key}: another value")]);
        }
        let want = ["limits.spool_dir: another value"];
        assert_eq!(needed("[limits]", "[limits]\nspool_dir = \"/\""), want);
    }
}
