//! Finds delivery agents that take mail past a stopped proxy, because `smtp_fallback_relay` names another destination.

use super::check::Check;
use super::loops::emptied;
use super::milters::words;
use super::parameters::DELIVERIES;
use super::problem::Problem;
use std::collections::BTreeSet;

impl Check<'_> {
    /// Reports a fallback of each transport that leads to the proxy.
    pub(super) fn fallback_problems(&self) -> Vec<Problem> {
        let transports = self.transports_to_proxy();
        transports
            .iter()
            .filter_map(|transport| self.fallback(&format!("{transport}/unix")))
            .collect()
    }

    /// Names of the transports that lead to the proxy over TCP. Delivery to a Unix socket has no fallback.
    fn transports_to_proxy(&self) -> BTreeSet<String> {
        let mut transports = BTreeSet::new();
        for view in self.settings.views() {
            for name in DELIVERIES.iter().chain(&["content_filter"]) {
                if !self.names_proxy(view, name) {
                    continue;
                }
                let value = if *name == "relayhost" {
                    view.text("default_transport")
                } else {
                    view.text(name)
                };
                let (transport, destination) = value.split_once(':').unwrap_or((&value, ""));
                if !destination.starts_with("unix:") {
                    let is_default = transport.is_empty();
                    transports.insert(if is_default { "smtp" } else { transport }.to_owned());
                }
            }
        }
        transports
    }

    fn fallback(&self, service: &str) -> Option<Problem> {
        let name = match self.settings.program(service)? {
            "smtp" => "smtp_fallback_relay",
            "lmtp" => "lmtp_fallback_relay",
            _ => return None,
        };
        let value = self.settings.service_view(service).text(name);
        let is_elsewhere = words(&value)
            .into_iter()
            .any(|place| !self.filter.matches(place));
        is_elsewhere.then(|| {
            Problem::new(
                format!(
                    "{service}: {name} = {value}: while the proxy is stopped, mail goes there and passes unread; empty it for this transport"
                ),
                [emptied(service, name)],
            )
        })
    }
}
