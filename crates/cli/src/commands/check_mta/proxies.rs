//! Proxies and pipes: which parameters name them, and which mail passes beside them.

use super::check::Check;
use super::filter_address::proxy_address;
use super::parameters::{DELIVERIES, PROXIES};
use super::problem::{Problem, unset};
use super::settings::SettingsView;
use crate::shell_words::single_quoted;

/// Ports to which other servers and users send. A service there takes back no mail from a proxy.
pub(super) const PUBLIC_PORTS: [&str; 7] = [
    "smtp",
    "25",
    "submission",
    "587",
    "submissions",
    "smtps",
    "465",
];

impl Check<'_> {
    /// Returns true if this parameter names the filter as a proxy or pipe.
    pub(super) fn names_proxy(&self, view: SettingsView<'_>, name: &str) -> bool {
        let value = view.text(name);
        match name {
            "relayhost" => self.filter.matches(&value),
            "smtpd_proxy_filter" => self.filter.matches(&proxy_address(&value)),
            _ => self.filter.matches_transport(&value),
        }
    }

    /// Returns true if the filter is a proxy or pipe here, so that no command for a milter is right.
    pub(super) fn is_proxy(&self) -> bool {
        let names = |view| {
            let mut names = PROXIES.iter().chain(&DELIVERIES);
            names.any(|name| self.names_proxy(view, name))
        };
        let has_milter = self.settings.views().any(|view| self.has_milter(view));
        !has_milter && (self.filter.suggestion().is_none() || self.settings.views().any(names))
    }

    /// Returns true if `content_filter` names a pipe(8), which hands mail back by sendmail(1).
    pub(super) fn is_pipe(&self, view: SettingsView<'_>) -> bool {
        let value = view.text("content_filter");
        let transport = value.split(':').next().unwrap_or_default();
        self.settings.program(&format!("{transport}/unix")) == Some("pipe")
            && self.names_proxy(view, "content_filter")
    }

    /// Reports that nothing names the proxy. Which parameter is right depends on its place, so there is no command.
    pub(super) fn unnamed_proxy(&self) -> Problem {
        let text = format!(
            "smtpd_proxy_filter, content_filter, mailbox_transport: none of them leads to the proxy {}, so mail passes unread; \
             name it as docs/setup/postfix.md shows under {}",
            self.filter.description(),
            self.filter.sections()
        );
        Problem::new(text, [])
    }

    /// Reports a public service whose mail does not go through the proxy.
    pub(super) fn open_beside_proxy(&self, view: SettingsView<'_>, service: &str) -> Problem {
        let main = self.settings.main_view();
        let (port, kind) = port_and_type(service);
        let is_public = kind != "inet" || PUBLIC_PORTS.contains(&port);
        let emptied = PROXIES
            .iter()
            .find(|name| view.overrides(name) && view.text(name).is_empty());
        let is_return = self
            .filter
            .is_return_port(port)
            .unwrap_or(emptied.is_some());
        if is_return && !is_public {
            return Problem::new(
                format!(
                    "{service}: everybody reaches this service, and what comes there passes unread; it takes mail back from the proxy: bind it to 127.0.0.1"
                ),
                [format!(
                    "postconf -F {}",
                    single_quoted(&format!("{service}/service=127.0.0.1:{port}"))
                )],
            );
        }
        let closing = emptied.filter(|name| self.names_proxy(main, name));
        let text = format!(
            "{service}: what comes there passes unread, because neither smtpd_proxy_filter nor content_filter leads to the proxy there; \
             name it as docs/setup/postfix.md shows under {}, or bind the service to 127.0.0.1 if mail comes back there from the proxy",
            self.filter.sections()
        );
        Problem::new(text, closing.map(|name| unset(service, name)))
    }

    /// Notes that a proxy or pipe of smtpd(8) alone does not see mail of local programs.
    pub(super) fn local_mail_note(&self) -> Option<String> {
        let main = self.settings.main_view();
        if !self.is_proxy() || self.names_proxy(main, "content_filter") && !self.is_pipe(main) {
            return None;
        }
        let unread = self.settings.pickups().into_iter().find(|service| {
            let view = self.settings.service_view(service);
            !self.names_proxy(view, "content_filter")
        })?;
        Some(format!(
            "{unread}: mail of local programs (sendmail(1), cron) does not come by SMTP and passes unread"
        ))
    }
}

/// The port of a service, and its type: `10027` and `inet` for `127.0.0.1:10027/inet`.
pub(super) fn port_and_type(service: &str) -> (&str, &str) {
    let (name, kind) = service.rsplit_once('/').unwrap_or((service, ""));
    (name.rsplit(':').next().unwrap_or(name), kind)
}
