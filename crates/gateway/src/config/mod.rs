//! Reads the configuration of a gateway, a TOML file, and derives the settings of each listener.
//!
//! Unknown keys and impossible settings are errors. `config/file.rs` has the keys with their defaults, `packaging/mailglot.toml` is a sample, and
//! `docs/configuration.md` lists them.
//!
//! # Limits
//! Looks up groups and users in the system's files, not over a network.

mod file;
mod folder_checks;
mod invalid;
mod ledger;
mod one_listener;
mod policies;
mod reload;
mod toml_error;

#[cfg(test)]
mod document_tests;

use crate::access::is_named;
use crate::address::{Address, place as place_of};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::policy::{Rules, Signed};
use crate::proxy::BareLines;
use crate::record::Form;
use file::{File, Listen, OnError, TooLarge};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub use file::RouteKind;
pub use folder_checks::UnusableFolder;
pub use invalid::{Invalid, InvalidKind};
pub use ledger::Ledger;
pub use one_listener::OneListener;

/// The checked content of a configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    /// The user that the process runs as.
    pub user: Option<String>,
    /// The listeners, in the order of the file.
    pub listeners: Vec<Listener>,
    /// The format of the log.
    pub log: Form,
    /// The address of the metrics.
    pub metrics: Option<SocketAddr>,
}

/// One listener of a gateway.
#[derive(Clone, Debug)]
pub struct Listener {
    /// The protocol.
    pub route: RouteKind,
    /// The address.
    pub address: Address,
    /// The next hop of a proxy; `None` for a milter.
    pub next_hop: Option<Address>,
    /// What a proxy does with a bare CR or LF. With `None` the policy decides.
    pub bare_lines: Option<BareLines>,
    /// The engine that processes its messages.
    pub engine: Engine,
    /// The limits.
    pub limits: Limits,
    /// The ledger for originals of changed messages.
    pub ledger: Option<Ledger>,
}

impl Config {
    /// Reads a file, and the policy files in the folder that its key `policy_dir` names.
    ///
    /// # Errors
    /// A file cannot be read, is not TOML, has unknown keys, or has settings that cannot work.
    pub fn read(path: &Path) -> Result<Self, Invalid> {
        let text = fs::read_to_string(path).map_err(|error| Invalid::unreadable(path, &error))?;
        Self::parse(&text).map_err(|error| error.within(&format!("{}: ", path.display())))
    }

    /// Returns the form of the log in a file whose other keys may be wrong. `None` if the file is not TOML or does not name a form.
    pub fn log_form(path: &Path) -> Option<Form> {
        let table: toml::Table = fs::read_to_string(path).ok()?.parse().ok()?;
        table.get("report")?.get("log")?.clone().try_into().ok()
    }

    /// Switches all listeners to a dry run: they report and change nothing ([`Engine::dry_run`]).
    pub fn dry_run(&mut self) {
        self.listeners
            .iter_mut()
            .for_each(|listener| listener.engine.dry_run());
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Like [`Config::read`].
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let file: File = toml::from_str(text).map_err(|error| toml_error::invalid(text, &error))?;
        Self::checked(&file)
    }

    /// Checks the settings of a file or a command line.
    fn checked(file: &File) -> Result<Self, Invalid> {
        let policies = policies::read(file)?;
        let limits = file.limits.limits()?;
        file.report.check_names()?;
        if file.listen.is_empty() {
            return Err(Invalid::of_content(
                "listen: name at least one listener ([[listen]])".to_owned(),
            ));
        }
        let mut seen = BTreeSet::new();
        let mut listeners = Vec::with_capacity(file.listen.len());
        for listen in &file.listen {
            let place = format!("listen {}", listen.address);
            let at = |error: Invalid| error.within(&format!("{place}: "));
            let spelled = match &listen.address {
                Address::Unix(path) => Address::Unix(place_of(path)),
                tcp @ Address::Tcp(_) => tcp.clone(),
            };
            if !seen.insert(spelled.to_string()) {
                return Err(Invalid::of_content(format!(
                    "{place}: two listeners have this address"
                )));
            }
            listeners.push(listener(listen, file, &policies, &limits).map_err(at)?);
        }
        one_retention(&listeners)?;
        no_circle(&listeners)?;
        let metrics = file.report.metrics.as_deref().map(metrics).transpose()?;
        Ok(Self {
            user: file.user.clone(),
            listeners,
            log: file.report.log,
            metrics,
        })
    }
}

/// Rejects proxies whose next hops form a loop.
fn no_circle(listeners: &[Listener]) -> Result<(), Invalid> {
    let after = |listener: &Listener| {
        let hop = listener.next_hop.as_ref()?;
        listeners
            .iter()
            .find(|other| other.address.is_reached_by(hop))
    };
    for first in listeners {
        let (mut way, mut at) = (vec![first.address.to_string()], after(first));
        while let Some(next) = at {
            if next.address == first.address {
                let words = format!(
                    "listen {}: next_hop: mail would come back here",
                    first.address
                );
                let others = if way.len() == 1 {
                    String::new()
                } else {
                    format!(", by {}", way[1..].join(", "))
                };
                return Err(Invalid::of_content(words + &others));
            }
            if way.len() > listeners.len() {
                // The loop returns to another listener, whose check reports it.
                break;
            }
            way.push(next.address.to_string());
            at = after(next);
        }
    }
    Ok(())
}

/// Checks that policies with one ledger folder have the same retention.
fn one_retention(listeners: &[Listener]) -> Result<(), Invalid> {
    let mut folders: BTreeMap<PathBuf, &Ledger> = BTreeMap::new();
    for ledger in listeners
        .iter()
        .filter_map(|listener| listener.ledger.as_ref())
    {
        let known = folders.entry(place_of(&ledger.folder)).or_insert(ledger);
        if !known.stays_as_long_as(ledger) {
            let folder = ledger.folder.display();
            return Err(Invalid::of_content(format!(
                "ledger: two policies with different limits keep originals in {folder}"
            )));
        }
    }
    Ok(())
}

/// Parses the address of the metrics, which must be a loopback address.
fn metrics(text: &str) -> Result<SocketAddr, Invalid> {
    let address: SocketAddr = text.parse().map_err(|_| {
        Invalid::of_content(format!(
            "report.metrics: `{text}` is not an address with a port, such as 127.0.0.1:9180"
        ))
    })?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(Invalid::of_content(format!(
            "report.metrics: other machines can reach {address}; use a loopback address"
        )))
    }
}

/// Returns which keys of a listener contradict each other, and what to do.
fn contradiction(listen: &Listen, rules: &Rules) -> Option<&'static str> {
    let is_proxy = listen.route != RouteKind::Milter;
    let has_socket_keys = listen.mode.is_some() || listen.group.is_some();
    if is_proxy && listen.next_hop.is_none() {
        Some("next_hop: a proxy needs one")
    } else if !is_proxy && listen.next_hop.is_some() {
        Some("next_hop: remove it; a milter has no next hop")
    } else if is_proxy && rules.quarantines() {
        Some("quarantine: a proxy cannot hold messages; use a milter, or another action")
    } else if listen.outbound && listen.after_verifier {
        Some("outbound: remove after_verifier, since no verifier checks mail of your own users")
    } else if has_socket_keys && matches!(listen.address, Address::Tcp(_)) {
        Some("mode, group: remove them; only a Unix socket has them")
    } else {
        None
    }
}

/// Builds one listener.
fn listener(
    listen: &Listen,
    file: &File,
    policies: &policies::Policies,
    limits: &Limits,
) -> Result<Listener, Invalid> {
    let name = listen.policy.as_str();
    let policy = policies.get(name).ok_or_else(|| {
        let known = policies::listed(policies.keys().map(String::as_str));
        Invalid::of_content(format!("policy: no policy `{name}`; policies are {known}"))
    })?;
    let mut rules: Rules = policy.rules.clone();
    rules.findings_header = file.report.findings_header();
    rules.original_header = file.report.original_header();
    rules.host = file.report.host()?;
    file.limits.bound(&mut rules.rewriting.limits);
    if let Some(text) = contradiction(listen, &rules) {
        return Err(Invalid::of_content(text.to_owned()));
    }
    check_signed(listen, &rules)?;
    // Behind a verifier, Authentication-Results with the own name come from the verifier.
    rules.strips_results =
        rules.authserv_id.is_some() && !listen.after_verifier && !listen.outbound;
    let mut limits = limits.clone();
    if let Some(text) = &listen.mode {
        limits.socket_mode = mode(text)?;
    }
    limits.socket_group = listen.group.as_deref().map(group).transpose()?;
    limits.allow_remote = listen.allow_remote;
    let networks = listen
        .client_networks
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, String>>();
    limits.client_networks =
        networks.map_err(|why| Invalid::of_content(format!("client_networks: {why}")))?;
    if let Some(why) = limits.refusal(&listen.address, listen.next_hop.as_ref()) {
        // A host name may be temporarily unresolvable.
        let named = is_named(&listen.address) || listen.next_hop.as_ref().is_some_and(is_named);
        return Err(if named {
            Invalid::of_system(why)
        } else {
            Invalid::of_content(why)
        });
    }
    Ok(Listener {
        route: listen.route,
        address: listen.address.clone(),
        next_hop: listen.next_hop.clone(),
        bare_lines: None,
        engine: Engine {
            rules,
            fail_open: listen.on_error == OnError::Accept,
            defer_too_large: file.limits.too_large == TooLarge::Tempfail,
            ledgers: None,
        },
        limits,
        ledger: policy.ledger.clone(),
    })
}

/// Rejects rewriting of signed mail if no server before the gateway verifies signatures, or a server behind it does.
fn check_signed(listen: &Listen, rules: &Rules) -> Result<(), Invalid> {
    if rules.signed != Signed::RewriteAfterVerify {
        return Ok(());
    }
    if !(listen.last || listen.route == RouteKind::Lmtp) {
        return Err(Invalid::of_content(
            "signed: `rewrite-after-verify` is for final delivery only; set final = true in the listener"
                .to_owned(),
        ));
    }
    if !listen.after_verifier {
        let words = "signed: `rewrite-after-verify` needs a verifier before this listener; set after_verifier = true";
        return Err(Invalid::of_content(words.to_owned()));
    }
    if rules.authserv_id.is_none() {
        return Err(Invalid::of_content(
            "signed: `rewrite-after-verify` needs authserv_id, the name of your verifier in Authentication-Results".to_owned(),
        ));
    }
    Ok(())
}

/// Parses permissions in octal digits.
fn mode(text: &str) -> Result<u32, Invalid> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| *mode <= 0o777)
        .ok_or_else(|| {
            Invalid::of_content(format!(
                "mode: `{text}` is not an octal number such as 0660"
            ))
        })
}

/// Returns the id of a group, given by id or name.
fn group(name: &str) -> Result<u32, Invalid> {
    number("/etc/group", name)
        .ok_or_else(|| Invalid::of_system(format!("group: no group `{name}`")))
}

/// Returns the ids of a user and its group, by the name of the user.
pub fn user(name: &str) -> Result<(u32, u32), Invalid> {
    let unknown = || Invalid::of_system(format!("user: no user `{name}`"));
    let text = fs::read_to_string("/etc/passwd")
        .map_err(|error| Invalid::of_system(format!("user: {error}")))?;
    let line = text
        .lines()
        .find(|line| line.split(':').next() == Some(name))
        .ok_or_else(unknown)?;
    let mut numbers = line.split(':').skip(2).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(user)), Some(Ok(group))) => Ok((user, group)),
        _ => Err(unknown()),
    }
}

/// Returns the effective user id of this process.
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns true if this process may assign a socket to a group: it is root or in the group.
pub fn may_give_to(group: u32) -> bool {
    use rustix::process::{Gid, getegid, geteuid, getgroups};
    let group = Gid::from_raw(group);
    geteuid().is_root()
        || getegid() == group
        || getgroups().is_ok_and(|groups| groups.contains(&group))
}

/// Changes user and group of this process permanently, with only the supplementary groups in `more`.
///
/// Call it while the process has one thread, because other threads keep their user.
///
/// # Errors
/// The process lacks the permission.
#[cfg(target_os = "linux")]
pub fn become_user(user: u32, group: u32, more: &[u32]) -> std::io::Result<()> {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
    let mut groups: Vec<Gid> = std::iter::once(&group)
        .chain(more)
        .map(|group| Gid::from_raw(*group))
        .collect();
    groups.dedup();
    set_thread_groups(&groups)?;
    set_thread_gid(Gid::from_raw(group))?;
    Ok(set_thread_uid(Uid::from_raw(user))?)
}

/// Returns the third column of the line with this name.
fn number(file: &str, name: &str) -> Option<u32> {
    if let Ok(number) = name.parse() {
        return Some(number);
    }
    let text = fs::read_to_string(file).ok()?;
    let line = text
        .lines()
        .find(|line| line.split(':').next() == Some(name))?;
    line.split(':').nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests;
