//! Finds mail loops: what the filter hands back goes to the filter again, until Postfix bounces it.
//!
//! # Limits
//!
//! Without the configuration, a listener takes mail back if it accepts XFORWARD. On the loopback interface it also does if it skips checks, or if no
//! listener there lacks the filter.

use super::check::Check;
use super::exposure::{Audience, Exposure};
use super::parameters::PROXIES;
use super::problem::Problem;
use super::proxies::{PUBLIC_PORTS, port_and_type};
use crate::shell_words::single_quoted;

impl Check<'_> {
    pub(super) fn loop_problems(&self) -> Vec<Problem> {
        let exposures = self.exposures();
        let mut problems = Vec::new();
        for one in exposures
            .iter()
            .filter(|one| self.takes_mail_back(one, &exposures))
        {
            let view = self.settings.service_view(one.service);
            for name in PROXIES.iter().filter(|name| self.names_proxy(view, name)) {
                problems.push(Problem::new(
                    format!(
                        "{}: mail comes back there from the filter, and {name} sends it to the filter again (a mail loop); empty it there",
                        one.service
                    ),
                    [emptied(one.service, name)],
                ));
            }
        }
        problems.extend(self.pipe_loops());
        problems
    }

    /// Returns true if the proxy hands mail on to this service.
    fn takes_mail_back(&self, one: &Exposure<'_>, all: &[Exposure<'_>]) -> bool {
        let (port, kind) = port_and_type(one.service);
        if !one.is_filtered || kind != "inet" || PUBLIC_PORTS.contains(&port) {
            return false;
        }
        self.filter.is_return_port(port).unwrap_or_else(|| {
            let view = self.settings.service_view(one.service);
            let has_other = || {
                all.iter()
                    .any(|one| one.audience == Audience::Loopback && !one.is_filtered)
            };
            // Whoever names the filter for this service wants it there.
            let is_inherited = !PROXIES
                .iter()
                .any(|name| view.overrides(name) && self.names_proxy(view, name));
            is_inherited
                && (view.overrides("smtpd_authorized_xforward_hosts")
                    || one.audience == Audience::Loopback
                        && (view.overrides("receive_override_options") || !has_other()))
        })
    }

    /// Reports pickup(8) services that give a pipe again what it handed back by sendmail(1).
    fn pipe_loops(&self) -> Vec<Problem> {
        let pickups = self.settings.services_of("pickup");
        pickups
            .filter(|service| self.is_pipe(self.settings.service_view(service)))
            .map(|service| {
                Problem::new(
                    format!(
                        "{service}: what the pipe hands back by sendmail(1) comes there, and content_filter sends it to the pipe again (a mail loop); empty it there"
                    ),
                    [emptied(service, "content_filter")],
                )
            })
            .collect()
    }
}

/// The command that empties a parameter for one service.
pub(super) fn emptied(service: &str, name: &str) -> String {
    format!(
        "postconf -P {}",
        single_quoted(&format!("{service}/{name}="))
    )
}
