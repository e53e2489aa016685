//! A problem with Postfix's settings, and the shell commands that correct it.

use super::settings::SettingsView;
use crate::shell_words::single_quoted;

/// Something that loses mail, delays all of it, or lets it pass unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Parameter or service, what happens, what to do.
    pub(super) text: String,
    /// Commands for a root shell, in order; empty if only a person can decide.
    pub(super) commands: Vec<String>,
}

impl Problem {
    pub(super) fn new(text: impl Into<String>, commands: impl IntoIterator<Item = String>) -> Self {
        Self {
            text: text.into(),
            commands: commands.into_iter().collect(),
        }
    }
}

/// Writes the command that sets a parameter where it is set now: in main.cf, or among a service's options in master.cf.
///
/// postconf(1) refuses white space in options of a service, so callers write such values without.
pub(super) fn set(view: SettingsView<'_>, name: &str, value: &str) -> String {
    match view.service {
        Some(service) if view.overrides(name) => {
            format!(
                "postconf -P {}",
                single_quoted(&format!("{service}/{name}={value}"))
            )
        }
        _ => format!(
            "postconf -e {}",
            single_quoted(&format!("{name} = {value}"))
        ),
    }
}

/// Writes the command that removes an option of a service from master.cf.
pub(super) fn unset(service: &str, name: &str) -> String {
    format!(
        "postconf -PX {}",
        single_quoted(&format!("{service}/{name}"))
    )
}
