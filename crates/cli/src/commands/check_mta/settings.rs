//! Parses what `postconf` prints of main.cf and of master.cf.
//!
//! It reads `name = value` (`postconf`, `-n`, `-x`), `service/type/name = value` (`-P`), `service/type/field = value` (`-F`) and whole entries (`-M`), in any order.

use super::milters::{arguments, inside};
use std::collections::BTreeMap;

/// Fields of an entry of master.cf, as `postconf -F` names them.
const FIELDS: [&str; 8] = [
    "service",
    "type",
    "private",
    "unprivileged",
    "chroot",
    "wakeup",
    "process_limit",
    "command",
];
/// Types of services (master(5)).
const TYPES: [&str; 5] = ["inet", "unix", "unix-dgram", "fifo", "pass"];
/// How often a value may refer to another one; real settings need two or three.
const DEPTH: usize = 8;

/// Parameters of main.cf, and services of master.cf by `name/type`.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) main: BTreeMap<String, String>,
    pub(super) services: BTreeMap<String, MasterEntry>,
}

/// An entry of master.cf.
#[derive(Clone, Debug, Default)]
pub(super) struct MasterEntry {
    /// Parameters that its `-o` options set.
    pub(super) parameters: BTreeMap<String, String>,
    /// The fifth column: `y`, `n` or `-`.
    chroot: Option<String>,
    /// The program, without arguments.
    program: Option<String>,
}

/// Where the value stands that a continuation line belongs to.
enum LastValue {
    Nothing,
    Main(String),
    Parameter(String, String),
    Command(String),
}

impl Settings {
    /// Parses `text`; lines in no known form are ignored.
    pub(super) fn parse(text: &str) -> Self {
        let mut settings = Self::default();
        let mut commands = BTreeMap::<String, String>::new();
        let mut last = LastValue::Nothing;
        for line in text.lines() {
            if line.starts_with([' ', '\t']) {
                let value = match &last {
                    LastValue::Nothing => None,
                    LastValue::Main(name) => settings.main.get_mut(name),
                    LastValue::Parameter(service, name) => settings
                        .services
                        .get_mut(service)
                        .and_then(|service| service.parameters.get_mut(name)),
                    LastValue::Command(service) => commands.get_mut(service),
                };
                if let Some(value) = value {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            } else if let Some((service, chroot, command)) = entry(line) {
                settings.services.entry(service.clone()).or_default().chroot = Some(chroot);
                commands.insert(service.clone(), command);
                last = LastValue::Command(service);
            } else if let Some((name, value)) = line.split_once('=') {
                last = settings.insert(name.trim(), value.trim(), &mut commands);
            }
        }
        for (service, command) in commands {
            settings
                .services
                .entry(service)
                .or_default()
                .read_command(&command);
        }
        settings
    }

    fn insert(
        &mut self,
        name: &str,
        value: &str,
        commands: &mut BTreeMap<String, String>,
    ) -> LastValue {
        let Some((service, name)) = name.rsplit_once('/') else {
            self.main.insert(name.to_owned(), value.to_owned());
            return LastValue::Main(name.to_owned());
        };
        let entry = self.services.entry(service.to_owned()).or_default();
        match name {
            "chroot" => entry.chroot = Some(value.to_owned()),
            "command" => {
                commands.insert(service.to_owned(), value.to_owned());
                return LastValue::Command(service.to_owned());
            }
            _ if FIELDS.contains(&name) => (),
            _ => {
                entry.parameters.insert(name.to_owned(), value.to_owned());
                return LastValue::Parameter(service.to_owned(), name.to_owned());
            }
        }
        LastValue::Nothing
    }

    /// Returns true if the input had entries of master.cf, not only parameters.
    pub(super) fn has_master(&self) -> bool {
        self.services
            .values()
            .any(|service| service.program.is_some())
    }

    /// Parameters as main.cf sets them.
    pub(super) fn main_view(&self) -> SettingsView<'_> {
        SettingsView {
            settings: self,
            service: None,
        }
    }

    /// main.cf, then each service of master.cf.
    pub(super) fn views(&self) -> impl Iterator<Item = SettingsView<'_>> {
        let services = self.services.keys();
        std::iter::once(self.main_view()).chain(services.map(|name| self.service_view(name)))
    }

    /// Parameters as a service sees them.
    pub(super) fn service_view<'a>(&'a self, service: &'a str) -> SettingsView<'a> {
        SettingsView {
            settings: self,
            service: Some(service),
        }
    }

    /// The directory that chrooted services have as their root.
    pub(super) fn queue_directory(&self) -> String {
        let value = self
            .main_view()
            .value("queue_directory")
            .unwrap_or_default();
        if value.starts_with('/') {
            value
        } else {
            "/var/spool/postfix".to_owned()
        }
    }

    /// The program of a service, if the input says so.
    pub(super) fn program(&self, service: &str) -> Option<&str> {
        self.services.get(service)?.program.as_deref()
    }

    /// Services that run `program`, by `name/type`.
    pub(super) fn services_of<'a>(&'a self, program: &'a str) -> impl Iterator<Item = &'a str> {
        let is = move |service: &&MasterEntry| service.program.as_deref() == Some(program);
        self.services
            .iter()
            .filter(move |(_, service)| is(service))
            .map(|(name, _)| name.as_str())
    }

    /// Services of pickup(8). Postfix has one even if master.cf is unknown.
    pub(super) fn pickups(&self) -> Vec<&str> {
        let mut services: Vec<&str> = self.services_of("pickup").collect();
        if services.is_empty() {
            services.push("pickup/unix");
        }
        services
    }

    /// Returns true if a service runs chrooted; `None` if the input does not say.
    ///
    /// `-` means no, but yes under compatibility level 0 (master(5), since Postfix 3.0).
    pub(super) fn is_chrooted(&self, service: &str) -> Option<bool> {
        match self.services.get(service)?.chroot.as_deref()? {
            "y" => Some(true),
            "n" => Some(false),
            _ => Some(
                self.main
                    .get("compatibility_level")
                    .is_some_and(|level| level == "0"),
            ),
        }
    }
}

impl MasterEntry {
    /// Takes the program and its `-o` options from a command.
    fn read_command(&mut self, command: &str) {
        let mut words = arguments(command).into_iter();
        self.program = words
            .next()
            .map(|program| program.rsplit('/').next().unwrap_or(program).to_owned());
        while let Some(word) = words.next() {
            let option = match word.strip_prefix("-o") {
                Some("") => words.next().unwrap_or_default(),
                Some(option) => option,
                None => continue,
            };
            if let Some((name, value)) = inside(option).split_once('=') {
                self.parameters
                    .entry(name.trim().to_owned())
                    .or_insert_with(|| value.trim().to_owned());
            }
        }
    }
}

/// Splits an entry of master.cf: `name/type`, the chroot column, the command.
fn entry(line: &str) -> Option<(String, String, String)> {
    let mut rest = line;
    let mut columns = [""; 7];
    for column in &mut columns {
        let end = rest.find([' ', '\t'])?;
        (*column, rest) = (&rest[..end], rest[end..].trim_start());
    }
    let [name, kind, private, unprivileged, chroot, ..] = columns;
    let is_flag = |column: &str| matches!(column, "y" | "n" | "-");
    let is_entry =
        TYPES.contains(&kind) && [private, unprivileged, chroot].into_iter().all(is_flag);
    (is_entry && !rest.is_empty()).then(|| {
        (
            format!("{name}/{kind}"),
            chroot.to_owned(),
            rest.trim_end().to_owned(),
        )
    })
}

/// Parameters as one service sees them, or as main.cf sets them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingsView<'a> {
    pub(super) settings: &'a Settings,
    /// `name/type`; `None` is main.cf.
    pub(super) service: Option<&'a str>,
}

impl SettingsView<'_> {
    /// Returns true if the service sets this parameter itself.
    pub(super) fn overrides(&self, name: &str) -> bool {
        self.own(name).is_some()
    }

    fn own(&self, name: &str) -> Option<&String> {
        self.settings
            .services
            .get(self.service?)?
            .parameters
            .get(name)
    }

    fn raw(&self, name: &str) -> Option<&String> {
        self.own(name).or_else(|| self.settings.main.get(name))
    }

    /// Returns a value with `$name`, `${name}` and `$(name)` replaced. A `$` that remains marks a conditional expression.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let mut value = self.raw(name)?.clone();
        for _ in 0..DEPTH {
            let Some(start) = value.find('$') else { break };
            let rest = &value[start + 1..];
            let word = rest.trim_start_matches(['{', '(']);
            let end = word
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(word.len());
            let used = rest.len() - word.len() + end;
            let closes =
                usize::from(rest[used..].starts_with(['}', ')']) && rest.len() != word.len());
            if rest.len() != word.len() && closes == 0 {
                break;
            }
            let with = self.raw(&word[..end]).cloned().unwrap_or_default();
            value.replace_range(start..start + 1 + used + closes, &with);
        }
        Some(value)
    }

    /// Like [`SettingsView::value`], empty if the parameter is not in the input.
    pub(super) fn text(&self, name: &str) -> String {
        self.value(name).unwrap_or_default()
    }
}
