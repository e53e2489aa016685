//! What a newer file changes that a running gateway cannot.
//!
//! # Limits
//! Rules, `on_error`, `too_large` and names of reports can change while messages go by; everything else stands until the next start.

use super::{Config, Listener};
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
        differ(self.json_log != newer.json_log, "report.log: another form");
        differ(self.metrics != newer.metrics, "report.metrics: another address");
        let find = |config: &'_ Self, like: &Listener| {
            config.listeners.iter().position(|listener| listener.address == like.address)
        };
        for listener in &self.listeners {
            let place = format!("listen {}", listener.address);
            match find(newer, listener).and_then(|at| newer.listeners.get(at)) {
                Some(newer) => {
                    changes.extend(listener.needs_start(newer).iter().map(|what| format!("{place}: {what}")));
                }
                None => changes.push(format!("{place}: no longer there")),
            }
        }
        let new = newer.listeners.iter().filter(|listener| find(self, listener).is_none());
        changes.extend(new.map(|listener| format!("listen {}: new", listener.address)));
        changes
    }
}

impl Listener {
    /// What of another one for the same place counts from a start only.
    fn needs_start(&self, newer: &Self) -> Vec<&'static str> {
        let socket = |limits: &Limits| (limits.socket_mode, limits.socket_group);
        let (mode, group) = socket(&self.limits);
        let same_socket = Limits { socket_mode: mode, socket_group: group, ..newer.limits.clone() };
        let read = |listener: &Self| listener.engine.rules.rewriting.limits;
        let differences = [
            (self.route != newer.route, "route: another one"),
            (self.next_hop != newer.next_hop, "next_hop: another one"),
            (socket(&self.limits) != socket(&newer.limits), "mode, group: other ones"),
            (self.limits != same_socket || read(self) != read(newer), "limits: other ones"),
            (self.ledger != newer.ledger, "ledger: another folder, age or size"),
        ];
        differences.into_iter().filter(|(differ, _)| *differ).map(|(_, what)| what).collect()
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
        Config::parse(FILE).unwrap().needs_start(&Config::parse(&newer).unwrap())
    }

    #[test]
    fn policies_change_at_once() {
        for (from, to) in [
            ("[policy.own]", "[policy.default]\nmonitor = true\n[policy.own]\nheaders = \"keep\""),
            ("\n[limits]", "\non_loss = \"keep\"\nactions = { bare-lf = \"reject\" }\n[limits]"),
            ("[limits]", "[limits]\ntoo_large = \"tempfail\""),
            ("policy = \"own\" }", "policy = \"own\", on_error = \"accept\", outbound = true }"),
            ("host = \"a\"", "host = \"b\"\nfindings_header = \"\"\noriginal_header = \"X-Original\""),
        ] {
            assert_eq!(needed(from, to), [] as [&str; 0], "{to}");
        }
    }

    #[test]
    fn what_a_running_gateway_has_in_its_hands_does_not() {
        let milter = "listen unix:/run/a.sock: ";
        let proxy = "listen tcp:127.0.0.1:1: ";
        let limits = vec![format!("{milter}limits: other ones"), format!("{proxy}limits: other ones")];
        for (from, to, want) in [
            ("fields = 100", "fields = 5", limits.clone()),
            ("[limits]", "[limits]\nfield_bytes = 5", limits.clone()),
            ("[limits]", "[limits]\nparts = 5", limits.clone()),
            ("[limits]", "[limits]\ndepth = 5", limits.clone()),
            ("[limits]", "[limits]\nmessage_bytes = 5", limits.clone()),
            ("[limits]", "[limits]\nidle_seconds = 5", limits.clone()),
            ("[limits]", "[limits]\nspool_dir = \"/\"", limits),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", mode = \"0600\"",
                vec![format!("{milter}mode, group: other ones")],
            ),
            (
                "unix:/run/a.sock\"",
                "unix:/run/a.sock\", group = \"0\"",
                vec![format!("{milter}mode, group: other ones")],
            ),
            ("tcp:127.0.0.1:2", "tcp:127.0.0.1:3", vec![format!("{proxy}next_hop: another one")]),
            ("\"smtp\"", "\"lmtp\"", vec![format!("{proxy}route: another one")]),
            ("\"/l\"", "\"/m\"", vec![format!("{proxy}ledger: another folder, age or size")]),
            (
                "ledger_days = 7",
                "ledger_days = 8",
                vec![format!("{proxy}ledger: another folder, age or size")],
            ),
            (
                "tcp:127.0.0.1:1",
                "tcp:127.0.0.1:9",
                vec![format!("{proxy}no longer there"), "listen tcp:127.0.0.1:9: new".to_owned()],
            ),
            ("user = \"nobody\"", "", vec!["user: another one".to_owned()]),
            ("[report]", "[report]\nlog = \"json\"", vec!["report.log: another form".to_owned()]),
            (
                "[report]",
                "[report]\nmetrics = \"127.0.0.1:1\"",
                vec!["report.metrics: another address".to_owned()],
            ),
        ] {
            assert_eq!(needed(from, to), want, "{to}");
        }
    }
}
