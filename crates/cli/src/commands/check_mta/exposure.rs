//! Finds services that take mail without the filter.

use super::Check;
use super::chains::LISTS;
use super::milters::{is_one_of, words};
use super::problem::{Problem, set, unset};
use super::settings::View;
use std::net::IpAddr;

/// Parameters that decide whether mail goes through a filter.
const ROUTING: [&str; 4] = [
    "smtpd_milters",
    "receive_override_options",
    "smtpd_proxy_filter",
    "content_filter",
];

/// Parameters that name a proxy before a mailbox store or before the next server.
const DELIVERIES: [&str; 6] = [
    "mailbox_transport",
    "local_transport",
    "virtual_transport",
    "relay_transport",
    "default_transport",
    "relayhost",
];

/// A service that takes mail by SMTP.
pub(super) struct Exposure<'a> {
    pub(super) service: &'a str,
    audience: Audience,
    is_filtered: bool,
}

/// Who reaches a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    Public,
    /// Users who submit mail (RFC 6409).
    Users,
    /// Programs on this machine.
    Loopback,
}

impl Audience {
    /// Judges by the service's `name/type`; `None` if it takes no mail by SMTP.
    fn of(service: &str) -> Option<Self> {
        let (name, kind) = service.rsplit_once('/')?;
        // postscreen(8) hands clients to an smtpd of type `pass`.
        if !matches!(kind, "inet" | "pass") {
            return None;
        }
        let (host, port) = name.rsplit_once(':').unwrap_or(("", name));
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let loopback = host
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback());
        Some(if loopback || host.eq_ignore_ascii_case("localhost") {
            Self::Loopback
        } else if is_one_of(port, &["submission", "submissions", "smtps", "587", "465"]) {
            Self::Users
        } else {
            Self::Public
        })
    }
}

impl Check<'_> {
    /// Lists services that take mail by SMTP. Without entries of master.cf, these are the ones that route mail on their own.
    pub(super) fn exposures(&self) -> Vec<Exposure<'_>> {
        let takes_mail = |service: &str| match self.settings.program(service) {
            Some(program) => program == "smtpd",
            None => ROUTING
                .iter()
                .any(|name| self.settings.service_view(service).overrides(name)),
        };
        let services = self
            .settings
            .services
            .keys()
            .map(String::as_str)
            .filter(|service| takes_mail(service));
        services
            .filter_map(|service| {
                let is_filtered = self.is_filtered(self.settings.service_view(service));
                Some(Exposure {
                    service,
                    audience: Audience::of(service)?,
                    is_filtered,
                })
            })
            .collect()
    }

    /// Returns true if mail that comes by SMTP goes through the filter before delivery.
    pub(super) fn is_filtered(&self, view: View<'_>) -> bool {
        (self.has_filter(view, LISTS[0]) && !has_no_milters(view))
            || ["smtpd_proxy_filter", "content_filter"]
                .iter()
                .any(|name| self.filter.matches(&view.text(name)))
    }

    /// Returns true if a proxy stands before a mailbox store or the next server.
    pub(super) fn is_filtered_at_delivery(&self, view: View<'_>) -> bool {
        DELIVERIES.iter().any(|name| {
            view.value(name)
                .is_some_and(|value| self.filter.matches(&value))
        })
    }

    pub(super) fn exposure_problems(&self) -> Vec<Problem> {
        let main = self.settings.main_view();
        if self.is_filtered_at_delivery(main) {
            return Vec::new();
        }
        let exposures = self.exposures();
        // Without entries of master.cf, services may be unknown that main.cf speaks for.
        let any = exposures.iter().any(|one| one.is_filtered)
            || (self.is_filtered(main) && (exposures.is_empty() || !self.settings.has_master()));
        if !any && !self.is_filtered(main) {
            if self.has_filter(main, LISTS[0]) {
                let text =
                    "receive_override_options has no_milters, so no filter sees what comes by SMTP";
                return vec![Problem::new(text, [without_no_milters(main)])];
            }
            let text = format!(
                "smtpd_milters, smtpd_proxy_filter, content_filter: no filter {}, so what comes by SMTP passes unread; \
                 --address names a filter or a proxy of another address. As a milter it stands in both lists",
                self.filter.description()
            );
            let lacking = LISTS.iter().filter(|list| !self.has_filter(main, list));
            return vec![Problem::new(
                text,
                lacking.filter_map(|list| self.added(main, list)),
            )];
        }
        let open = exposures
            .iter()
            .filter(|one| one.audience == Audience::Public && !one.is_filtered);
        open.map(|one| self.open_service(one.service)).collect()
    }

    fn open_service(&self, service: &str) -> Problem {
        let view = self.settings.service_view(service);
        let (reason, command) = if has_no_milters(view) {
            (
                "receive_override_options has no_milters".to_owned(),
                Some(without_no_milters(view)),
            )
        } else {
            let reason = if view.overrides(LISTS[0]) {
                "it has a list of its own"
            } else {
                "main.cf has a list"
            };
            let is_empty = view.overrides(LISTS[0]) && view.text(LISTS[0]).is_empty();
            let main_has = self.has_filter(self.settings.main_view(), LISTS[0]);
            let command = if is_empty && main_has {
                Some(unset(service, LISTS[0]))
            } else {
                self.added(view, LISTS[0])
            };
            (
                format!("{reason} without a filter {}", self.filter.description()),
                command,
            )
        };
        Problem::new(
            format!("{service}: what comes there passes unread; {reason}"),
            command,
        )
    }

    pub(super) fn exposure_notes(&self) -> Vec<String> {
        let main = self.settings.main_view();
        if self.is_filtered_at_delivery(main) {
            return Vec::new();
        }
        let exposures = self.exposures();
        if !self.is_filtered(main) && !exposures.iter().any(|one| one.is_filtered) {
            return Vec::new();
        }
        let mut notes = Vec::new();
        for one in exposures.iter().filter(|one| !one.is_filtered) {
            let words = match one.audience {
                Audience::Public => continue,
                Audience::Users => "mail of your own people passes unread there",
                Audience::Loopback => {
                    "what comes there passes unread: right where it comes back from a filter"
                }
            };
            notes.push(format!("{}: {words}", one.service));
        }
        if !self.is_filtered(main) && !self.settings.has_master() {
            notes.push(
                "main.cf names no filter: services that set nothing of their own have none"
                    .to_owned(),
            );
        }
        notes
    }
}

/// The command that removes `no_milters` where it is set.
fn without_no_milters(view: View<'_>) -> String {
    let name = "receive_override_options";
    let options = view.text(name);
    let kept: Vec<&str> = words(&options)
        .into_iter()
        .filter(|option| !is_one_of(option, &["no_milters"]))
        .collect();
    match view.service {
        Some(service) if view.overrides(name) && kept.is_empty() => unset(service, name),
        _ => set(view, name, &kept.join(",")),
    }
}

fn has_no_milters(view: View<'_>) -> bool {
    words(&view.text("receive_override_options"))
        .iter()
        .any(|option| is_one_of(option, &["no_milters"]))
}
