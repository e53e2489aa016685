//! Finds services that take mail without the filter.

use super::check::Check;
use super::milters::{LISTS, is_one_of, words};
use super::parameters::{DELIVERIES, PROXIES};
use super::problem::{Problem, set, unset};
use super::settings::SettingsView;
use std::net::IpAddr;

/// Parameters that decide whether mail goes through a filter.
const ROUTING: [&str; 4] = [
    "smtpd_milters",
    "receive_override_options",
    "smtpd_proxy_filter",
    "content_filter",
];

/// An address class: domains with a transport of their own.
struct Class {
    /// The parameter that lists the domains.
    domains: &'static str,
    /// The parameter that names the transport.
    transport: &'static str,
    is_filtered: bool,
}

/// A service that takes mail by SMTP.
pub(super) struct Exposure<'a> {
    pub(super) service: &'a str,
    pub(super) audience: Audience,
    pub(super) is_filtered: bool,
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
    pub(super) fn is_filtered(&self, view: SettingsView<'_>) -> bool {
        (self.has_filter(view, LISTS[0]) && !has_no_milters(view))
            || PROXIES.iter().any(|name| self.names_proxy(view, name))
    }

    /// Returns true if a proxy stands before the delivery of some address class for which this server takes mail.
    pub(super) fn is_filtered_at_delivery(&self, view: SettingsView<'_>) -> bool {
        self.classes(view).iter().any(|class| class.is_filtered)
    }

    /// Returns true if a proxy stands before the delivery of all mail for which this server is the destination.
    pub(super) fn is_wholly_filtered_at_delivery(&self, view: SettingsView<'_>) -> bool {
        self.classes(view).iter().all(|class| class.is_filtered)
    }

    /// Lists the address classes for which this server takes mail (ADDRESS_CLASS_README of Postfix).
    ///
    /// Each class has a transport of its own. If there is no such class, all mail goes to `default_transport` or `relayhost`.
    fn classes(&self, view: SettingsView<'_>) -> Vec<Class> {
        let is = |name: &str| self.names_proxy(view, name);
        let has = |name: &str| !view.text(name).is_empty();
        // mailbox_transport is a setting of local(8).
        let is_local = view
            .value("local_transport")
            .is_none_or(|value| value.split(':').next() == Some("local"));
        let class = |domains, transport, is_filtered| Class {
            domains,
            transport,
            is_filtered,
        };
        let mut classes = Vec::new();
        // Postfix has a default for mydestination, which is not empty.
        if view
            .value("mydestination")
            .is_none_or(|value| !value.is_empty())
        {
            let is_filtered = is("local_transport") || is_local && is("mailbox_transport");
            classes.push(class("mydestination", "mailbox_transport", is_filtered));
        }
        for (domains, transport) in [
            ("virtual_mailbox_domains", "virtual_transport"),
            ("relay_domains", "relay_transport"),
        ] {
            if has(domains) {
                classes.push(class(domains, transport, is(transport)));
            }
        }
        if classes.is_empty() {
            let is_filtered = is("default_transport") || is("relayhost");
            classes.push(class("all domains", "default_transport", is_filtered));
        }
        classes
    }

    pub(super) fn exposure_problems(&self) -> Vec<Problem> {
        let main = self.settings.main_view();
        if self.is_wholly_filtered_at_delivery(main) {
            return Vec::new();
        }
        let exposures = self.exposures();
        // Without entries of master.cf, services may be unknown that main.cf speaks for.
        let any = exposures.iter().any(|one| one.is_filtered)
            || (self.is_filtered(main) && (exposures.is_empty() || !self.settings.has_master()));
        if !any && !self.is_filtered(main) {
            if self.is_filtered_at_delivery(main) {
                return Vec::new();
            }
            if self.has_filter(main, LISTS[0]) {
                let text =
                    "receive_override_options has no_milters, so no filter sees what comes by SMTP";
                return vec![Problem::new(text, [without_no_milters(main)])];
            }
            let named = DELIVERIES
                .iter()
                .find(|name| self.filter.matches(&main.text(name)));
            if let Some(name) = named {
                // The address is that of a proxy: no command makes it a milter.
                let text = format!(
                    "{name} names the proxy, but mail for this server's own domains does not go there and passes unread; name the proxy in content_filter, mailbox_transport, virtual_transport or relay_transport"
                );
                return vec![Problem::new(text, [])];
            }
            if self.filter.suggestion().is_none() {
                return vec![self.unnamed_proxy()];
            }
            let text = format!(
                "smtpd_milters, smtpd_proxy_filter, content_filter: no filter {}, so mail that comes by SMTP passes unread. \
                 A milter belongs in smtpd_milters and in non_smtpd_milters; if the filter or proxy has another address, name it by --address{}",
                self.filter.description(),
                self.filter.condition()
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
        if self.is_proxy() {
            return self.open_beside_proxy(view, service);
        }
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
        let exposures = self.exposures();
        let is_delivery = self.is_filtered_at_delivery(main);
        if is_delivery && self.is_wholly_filtered_at_delivery(main)
            || !self.is_filtered(main) && !exposures.iter().any(|one| one.is_filtered)
        {
            return if is_delivery {
                self.delivery_notes(main)
            } else {
                Vec::new()
            };
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
        notes.extend(self.local_mail_note());
        notes
    }

    /// Notes mail that does not go through the transport of the proxy.
    fn delivery_notes(&self, main: SettingsView<'_>) -> Vec<String> {
        let others = self
            .classes(main)
            .into_iter()
            .filter(|class| !class.is_filtered);
        let mut notes: Vec<String> = others
            .map(|class| {
                format!(
                    "{}: mail for these domains does not go through the proxy and passes unread; {} can name it",
                    class.domains, class.transport
                )
            })
            .collect();
        let maps = main.text("transport_maps");
        if !maps.is_empty() {
            notes.push(format!(
                "transport_maps = {maps}: destinations in it can lead past the proxy"
            ));
        }
        notes
    }
}

/// The command that removes `no_milters` where it is set.
pub(super) fn without_no_milters(view: SettingsView<'_>) -> String {
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

pub(super) fn has_no_milters(view: SettingsView<'_>) -> bool {
    words(&view.text("receive_override_options"))
        .iter()
        .any(|option| is_one_of(option, &["no_milters"]))
}
