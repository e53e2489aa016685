//! Lists the places in Postfix's settings that name the filter, with the commands that remove it.
//!
//! # Limits
//!
//! A transport that names a proxy needs the destination behind the proxy in its place, which only the administrator knows.

use super::check::Check;
use super::milters;
use super::milters::LISTS;
use super::parameters::{DELIVERIES, PROXIES};
use super::problem::{Problem, set};
use super::settings::SettingsView;
use std::fmt::Write as _;

impl Check<'_> {
    /// Lists each parameter that names the filter, in main.cf and among the options of services.
    pub(super) fn removal(&self) -> Vec<Problem> {
        self.settings
            .views()
            .flat_map(|view| self.removal_from(view))
            .collect()
    }

    fn removal_from(&self, view: SettingsView<'_>) -> Vec<Problem> {
        let is_own = |name: &&&str| view.service.is_none() || view.overrides(name);
        let place = view
            .service
            .map_or_else(String::new, |service| format!("{service}: "));
        let mut found = Vec::new();
        for list in LISTS.iter().filter(is_own) {
            if !self.has_filter(view, list) {
                continue;
            }
            let mut chain = milters::parse(&view.text(list));
            chain.retain(|milter| !self.filter.matches(&milter.address));
            let others = milters::write(&chain, view.service.is_none());
            found.push(Problem::new(
                format!("{place}{list} names the filter"),
                [set(view, list, &others)],
            ));
        }
        for name in PROXIES.iter().filter(is_own) {
            if self.names_proxy(view, name) {
                found.push(Problem::new(
                    format!("{place}{name} names the filter"),
                    [set(view, name, "")],
                ));
            }
        }
        for name in DELIVERIES.iter().filter(is_own) {
            let value = view.text(name);
            if self.names_proxy(view, name) {
                found.push(Problem::new(
                    format!(
                        "{place}{name} = {value} names the proxy; set it to the destination behind the proxy (next_hop)"
                    ),
                    [],
                ));
            }
        }
        found
    }
}

/// Writes the places with their commands; empty if Postfix does not name the filter.
pub(super) fn report(places: &[Problem]) -> String {
    let mut text = String::new();
    // Writing to memory cannot fail.
    for place in places {
        let _ = writeln!(text, "{}", place.text);
        for command in &place.commands {
            let _ = writeln!(text, "    {command}");
        }
    }
    if !places.is_empty() {
        text.push_str("After that:\n    postfix reload\n");
    }
    text
}
