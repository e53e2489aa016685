//! Checks parameters that hold for all milters, and for SMTP itself.

use super::check::Check;
use super::milters::{LISTS, Milter, is_one_of};
use super::problem::{Problem, set, unset};
use super::settings::SettingsView;

/// The filter reports progress every 5 seconds (`SMFIR_PROGRESS`); a shorter timeout defers long messages each time they come.
const SHORTEST_TIMEOUT: u64 = 10;
/// An SMTP client waits 10 minutes after the final dot (RFC 5321, section 4.5.3.2.6).
const LONGEST_TIMEOUT: u64 = 600;

/// Parameters whose value the checks need.
const PARAMETERS: [&str; 9] = [
    "milter_default_action",
    "milter_content_timeout",
    "smtpd_milters",
    "non_smtpd_milters",
    "smtpd_milter_maps",
    "smtpd_forbid_bare_newline",
    "receive_override_options",
    "smtpd_proxy_filter",
    "content_filter",
];

impl Check<'_> {
    pub(super) fn global_problems(&self, view: SettingsView<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for name in PARAMETERS {
            if view.text(name).contains('$') {
                problems.push(Problem::new(
                    format!("{name}: a condition in the value cannot be followed here; give this command what `postconf -x` prints"),
                    [],
                ));
            }
        }
        // What happens to other milters does not matter to a proxy.
        let is_proxy = self.is_proxy()
            || (self.is_filtered(view) || self.is_filtered_at_delivery(view))
                && !self.has_milter(view);
        if !is_proxy {
            if self.needs_default_action(view) {
                problems.extend(default_action(view));
            }
            problems.extend(self.content_timeout(view));
        }
        if !view.text("smtpd_milter_maps").is_empty() {
            problems.push(Problem::new(
                "smtpd_milter_maps: clients in it have filters of their own, or none, and this command cannot see which; leave it empty, or look there for DISABLE and default_action",
                [set(view, "smtpd_milter_maps", "")],
            ));
        }
        let mend = || [set(view, "smtpd_forbid_bare_newline", "normalize")];
        match view.value("smtpd_forbid_bare_newline").as_deref() {
            // `yes` is another name of `normalize`.
            Some(value) if is_one_of(value, &["normalize", "yes", "reject"]) => (),
            Some(value) => problems.push(Problem::new(
                format!("smtpd_forbid_bare_newline = {value}: mail can be smuggled past the filter; set it to normalize"),
                mend(),
            )),
            None => problems.push(Problem::new(
                "smtpd_forbid_bare_newline is not there: this Postfix lets mail be smuggled past the filter; set it to normalize",
                mend(),
            )),
        }
        problems
    }

    /// Returns true if `milter_default_action` decides about the filter: unless each of its entries has an action of its own.
    ///
    /// Without entries here, those of main.cf and of all services count.
    fn needs_default_action(&self, view: SettingsView<'_>) -> bool {
        let own = |view| LISTS.map(|list| self.own_milters(view, list)).concat();
        let mut entries = own(view);
        if entries.is_empty() {
            entries = self.settings.views().flat_map(own).collect();
        }
        let lacks_action = |milter: &Milter| milter.option("default_action").is_none();
        entries.is_empty() || entries.iter().any(lacks_action)
    }

    /// Reports a `milter_content_timeout` that ends before the filter's first sign of progress.
    fn content_timeout(&self, view: SettingsView<'_>) -> Option<Problem> {
        let text = view.value("milter_content_timeout")?;
        let seconds = seconds(&text)?;
        (self.has_milter(view) && seconds < SHORTEST_TIMEOUT).then(|| {
            Problem::new(
                too_short("milter_content_timeout", &text),
                [reset(view, "milter_content_timeout", "300s")],
            )
        })
    }

    pub(super) fn global_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for view in self.settings.views() {
            let place = view
                .service
                .map_or_else(String::new, |service| format!("{service}: "));
            let own = |name: &str| match view.service {
                Some(service) => self.settings.services[service].parameters.get(name),
                None => self.settings.main.get(name),
            };
            let name = "smtpd_forbid_bare_newline_exclusions";
            if let Some(value) = own(name).filter(|value| !value.is_empty()) {
                notes.push(format!(
                    "{place}{name} = {value}: these clients can smuggle mail past the filter; empty it if none of them needs that"
                ));
            }
            let name = "milter_content_timeout";
            let long = own(name)
                .and_then(|text| seconds(text))
                .filter(|seconds| *seconds > LONGEST_TIMEOUT);
            if let Some(seconds) = long {
                notes.push(format!(
                    "{place}{name} = {seconds}s: SMTP clients wait 600 s for an answer and then send the message again"
                ));
            }
        }
        if !self.settings.has_master() {
            notes.push(
                "the input has no entries of master.cf, so chroot and services are not checked; add what `postconf -Fx` and `postconf -Px` print"
                    .to_owned(),
            );
        }
        notes
    }
}

/// Reports an action that loses mail, refuses it, or lets it pass unread while the filter is away.
fn default_action(view: SettingsView<'_>) -> Option<Problem> {
    let action = view.text("milter_default_action");
    let effect = if is_one_of(&action, &["accept", "quarantine"]) {
        "mail passes unread or is lost when the filter ends"
    } else if is_one_of(&action, &["reject"]) {
        "mail is refused for good while the filter is away"
    } else {
        return None;
    };
    Some(Problem::new(
        format!("milter_default_action = {action}: {effect}; set it to tempfail"),
        [reset(view, "milter_default_action", "tempfail")],
    ))
}

/// Removes an option of a service, so that main.cf decides; sets the parameter in main.cf otherwise.
fn reset(view: SettingsView<'_>, name: &str, value: &str) -> String {
    match view.service {
        Some(service) if view.overrides(name) => unset(service, name),
        _ => set(view, name, value),
    }
}

pub(super) fn too_short(name: &str, value: &str) -> String {
    format!(
        "{name} = {value}: the filter reports progress every 5 s, so Postfix defers each message that takes longer; set it to 60s or more"
    )
}

/// Returns true if a milter's own timeout is too short.
pub(super) fn is_too_short(milter: &Milter) -> bool {
    milter
        .option("content_timeout")
        .and_then(seconds)
        .is_some_and(|seconds| seconds < SHORTEST_TIMEOUT)
}

/// Seconds of a time with one of Postfix's units: `300s`, `5m`, `1h`.
fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}
