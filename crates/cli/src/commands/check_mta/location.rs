//! Checks whether Postfix's processes look for the filter's Unix socket where it is.
//!
//! Debian runs smtpd(8) and cleanup(8) with the queue directory as their root. There `unix:/run/mailglot/gw.sock` means
//! `/var/spool/postfix/run/mailglot/gw.sock`. A relative path starts at the queue directory with and without chroot (`smtpd_milters` in postconf(5)).

use super::check::Check;
use super::filter_address::socket_address;
use super::milters::LISTS;
use super::milters::{self, Milter};
use super::parameters::DELIVERIES;
use super::problem::{Problem, set};
use super::settings::SettingsView;
use crate::shell_words::single_quoted;
use std::path::{Component, Path, PathBuf};

/// Directories of a machine's root (hier(7)). A path into one of them was not written for a chroot.
const ROOT_DIRECTORIES: [&str; 19] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root",
    "run", "sbin", "srv", "sys", "tmp", "usr", "var",
];

/// The queue directory of Debian's first instance, which the packaged unit and its AppArmor profile allow.
const QUEUE_DIRECTORY: &str = "/var/spool/postfix";
/// Delivery agents that connect to Unix sockets (lmtp(8)).
const AGENTS: [&str; 2] = ["lmtp", "smtp"];

/// A process that looks in a wrong place.
struct WrongSocketPath {
    services: Vec<String>,
    is_chrooted: bool,
    looks_at: PathBuf,
}

impl Check<'_> {
    pub(super) fn location_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::<Problem>::new();
        for list in LISTS {
            for view in self.views(list) {
                for milter in self.own_milters(view, list) {
                    if let Some(problem) = self.no_such_listener(list, &milter) {
                        problems.push(problem);
                        continue;
                    }
                    for place in self.misplaced(view, list, &milter) {
                        let (verb, root) = if place.services.len() == 1 {
                            ("runs", "its")
                        } else {
                            ("run", "their")
                        };
                        let text = if place.is_chrooted {
                            format!(
                                "{list}: {} {verb} with the queue directory as {root} root (chroot in master.cf), so {} means {} there: Postfix defers every message unless the filter listens there",
                                place.services.join(", "),
                                milter.address,
                                place.looks_at.display()
                            )
                        } else {
                            format!(
                                "{list}: {} {verb} without chroot (master.cf), so Postfix looks for the filter at {}: it defers every message unless the filter listens there",
                                place.services.join(", "),
                                place.looks_at.display()
                            )
                        };
                        let advice = self.other_instance(&milter, &place);
                        problems.push(if let Some(advice) = advice {
                            Problem::new(format!("{text}; {advice}"), [])
                        } else {
                            let commands = self.move_commands(&milter, &place).into_iter();
                            Problem::new(text, commands.chain(self.repaired(view, list)))
                        });
                    }
                }
            }
        }
        problems.extend(self.transport_problems());
        problems
    }

    /// Reports a socket if no milter of the configuration listens at any.
    fn no_such_listener(&self, list: &str, milter: &Milter) -> Option<Problem> {
        milter.path()?;
        let lacks_sockets = self.filter.sockets().is_some_and(<[PathBuf]>::is_empty);
        lacks_sockets.then(|| {
            let text = format!(
                "{list}: {}: no milter of {} listens at a socket, so Postfix defers every message; name the address of a listener with route = \"milter\", or remove this one",
                milter.address,
                self.filter.config().display()
            );
            Problem::new(text, [])
        })
    }

    /// Reports a transport to a proxy's socket whose delivery agent looks in a wrong place.
    ///
    /// Debian runs lmtp(8) and smtp(8) chrooted, too. `lmtp:unix:mailglot/lmtp` names the service and the socket.
    fn transport_problems(&self) -> Vec<Problem> {
        let main = self.settings.main_view();
        let mut problems = Vec::new();
        for name in DELIVERIES.iter().chain(&["content_filter"]) {
            let value = main.text(name);
            let Some((agent, path)) = value.split_once(":unix:") else {
                continue;
            };
            let service = format!("{agent}/unix");
            let is_agent = self
                .settings
                .program(&service)
                .is_some_and(|program| AGENTS.contains(&program));
            let Some(is_chrooted) = self.settings.is_chrooted(&service) else {
                continue;
            };
            let looks_at = self.effective(path, is_chrooted);
            let sockets = self.filter.proxy_sockets();
            if !is_agent
                || !self.filter.matches(path)
                || self.is_right(path, &looks_at, is_chrooted, sockets)
            {
                continue;
            }
            let queue = PathBuf::from(self.settings.queue_directory());
            let file = Path::new(path).file_name().unwrap_or("lmtp".as_ref());
            let known = sockets
                .unwrap_or_default()
                .iter()
                .find(|socket| socket.starts_with(&queue));
            let target = known
                .cloned()
                .unwrap_or_else(|| queue.join("mailglot").join(file));
            let listens = if known.is_some() {
                String::new()
            } else {
                format!("; have the proxy listen at unix:{}", target.display())
            };
            problems.push(Problem::new(
                format!(
                    "{name}: {service} runs {} (master.cf), so {value} means {} there: Postfix defers every message unless the proxy listens there{listens}",
                    if is_chrooted { "with the queue directory as its root" } else { "without chroot" },
                    looks_at.display()
                ),
                [set(
                    main,
                    name,
                    &format!("{agent}:{}", socket_address(&target, &self.settings.queue_directory())),
                )],
            ));
        }
        problems
    }

    /// Notes absolute socket paths where master.cf is not known: inside a chroot they lead elsewhere.
    pub(super) fn location_notes(&self) -> Vec<String> {
        let main = self.settings.main_view();
        if self.settings.has_master() {
            return Vec::new();
        }
        let unknown = |list: &&str| {
            self.own_milters(main, list)
                .into_iter()
                .find(|milter| milter.path().is_some_and(|path| path.starts_with('/')))
        };
        let first = LISTS.iter().find_map(unknown);
        let note = first.map(|milter| {
            format!(
                "{}: where smtpd runs with chroot (Debian's default), this path starts at {}",
                milter.address,
                self.settings.queue_directory()
            )
        });
        note.into_iter().collect()
    }

    /// The corrected address of the filter in a list, if a process looks for it in a wrong place.
    pub(super) fn corrected_location(
        &self,
        view: SettingsView<'_>,
        list: &str,
        milter: &Milter,
    ) -> Option<String> {
        if self.no_such_listener(list, milter).is_some() {
            return None;
        }
        let place = self.misplaced(view, list, milter).into_iter().next()?;
        Some(socket_address(
            &self.target(milter, &place),
            &self.settings.queue_directory(),
        ))
    }

    /// main.cf, and each service with a list of its own.
    fn views(&self, list: &str) -> Vec<SettingsView<'_>> {
        let is_own = |view: &SettingsView<'_>| view.service.is_none() || view.overrides(list);
        self.settings.views().filter(is_own).collect()
    }

    /// The entries of the filter in a list.
    pub(super) fn own_milters(&self, view: SettingsView<'_>, list: &str) -> Vec<Milter> {
        let chain = milters::parse(&view.text(list));
        chain
            .into_iter()
            .filter(|milter| self.filter.matches(&milter.address))
            .collect()
    }

    /// Processes that use this list and look for the socket in a wrong place, by chroot.
    fn misplaced(
        &self,
        view: SettingsView<'_>,
        list: &str,
        milter: &Milter,
    ) -> Vec<WrongSocketPath> {
        let Some(path) = milter.path() else {
            return Vec::new();
        };
        // smtpd(8) connects for mail by SMTP, cleanup(8) for all other mail.
        let program = if list == LISTS[0] { "smtpd" } else { "cleanup" };
        let uses_list = |service: &&str| match view.service {
            Some(own) => own == *service,
            None => !self.settings.service_view(service).overrides(list),
        };
        let mut places = Vec::<WrongSocketPath>::new();
        for service in self.settings.services_of(program).filter(uses_list) {
            let Some(is_chrooted) = self.settings.is_chrooted(service) else {
                continue;
            };
            if let Some(place) = places
                .iter_mut()
                .find(|place| place.is_chrooted == is_chrooted)
            {
                place.services.push(service.to_owned());
                continue;
            }
            let looks_at = self.effective(path, is_chrooted);
            if !self.is_right(path, &looks_at, is_chrooted, self.filter.sockets()) {
                places.push(WrongSocketPath {
                    services: vec![service.to_owned()],
                    is_chrooted,
                    looks_at,
                });
            }
        }
        places
    }

    /// The path that a process of Postfix connects to, as seen from outside a chroot.
    fn effective(&self, path: &str, is_chrooted: bool) -> PathBuf {
        let queue = self.settings.queue_directory();
        if path.starts_with('/') && !is_chrooted {
            return path.into();
        }
        Path::new(&queue).join(path.trim_start_matches('/'))
    }

    /// Returns true if the process finds the filter: at one of `sockets`, or, if these are unknown, as far as the path tells.
    fn is_right(
        &self,
        path: &str,
        looks_at: &Path,
        is_chrooted: bool,
        sockets: Option<&[PathBuf]>,
    ) -> bool {
        if let Some(sockets) = sockets {
            return sockets
                .iter()
                .any(|socket| without_dots(socket) == without_dots(looks_at));
        }
        if (self.is_socket)(looks_at) {
            return true;
        }
        let first = path
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default();
        let is_of_root = ROOT_DIRECTORIES.contains(&first);
        let queue = self.settings.queue_directory();
        let is_doubled = Path::new("/")
            .join(path.trim_start_matches('/'))
            .starts_with(&queue);
        match (path.starts_with('/'), is_chrooted) {
            (true, true) => !is_of_root,
            (true, false) => is_of_root,
            (false, _) => !is_doubled,
        }
    }

    /// Where the filter should listen.
    fn target(&self, milter: &Milter, place: &WrongSocketPath) -> PathBuf {
        let queue = PathBuf::from(self.settings.queue_directory());
        let sockets = self.filter.sockets().unwrap_or_default();
        let reachable = |socket: &&PathBuf| !place.is_chrooted || socket.starts_with(&queue);
        let path = Path::new(milter.path().unwrap_or_default());
        let same_name = |socket: &&PathBuf| socket.file_name() == path.file_name();
        let mut known = sockets.iter().filter(reachable);
        if let Some(socket) = known.clone().find(same_name).or_else(|| known.next()) {
            return socket.clone();
        }
        let rooted = Path::new("/").join(path);
        if rooted.starts_with(&queue) {
            return rooted;
        }
        if !place.is_chrooted {
            return queue.join(rooted.strip_prefix("/").unwrap_or(&rooted));
        }
        let name = path.file_name().unwrap_or("gw.sock".as_ref());
        queue.join("mailglot").join(name)
    }

    /// What to do for an instance of Postfix with a queue directory of its own: the filter keeps its socket for the first instance.
    fn other_instance(&self, milter: &Milter, place: &WrongSocketPath) -> Option<String> {
        let target = self.target(milter, place);
        let known = self.filter.sockets().unwrap_or_default();
        if self.settings.queue_directory() == QUEUE_DIRECTORY || known.contains(&target) {
            return None;
        }
        let directory = target.parent().unwrap_or(Path::new("/")).display();
        Some(format!(
            "add a [[listen]] at unix:{} to {}, allow its directory to the service (`systemctl edit mailglot`: [Service] ReadWritePaths={directory}; \
             /etc/apparmor.d/local/mailglot-gateway: `owner {directory}/** rwl,`), restart the filter and run this command again with --config",
            target.display(),
            self.filter.config().display()
        ))
    }

    /// Commands that move the filter's socket below the queue directory, if it is not there already.
    fn move_commands(&self, milter: &Milter, place: &WrongSocketPath) -> Vec<String> {
        let target = self.target(milter, place);
        let path = milter.path().unwrap_or_default();
        let sockets = self.filter.sockets();
        let is_moved = match sockets {
            Some(sockets) => !sockets.contains(&target),
            None => {
                place.is_chrooted
                    && !Path::new("/")
                        .join(path)
                        .starts_with(self.settings.queue_directory())
            }
        };
        if !is_moved {
            return Vec::new();
        }
        let old = sockets
            .and_then(|sockets| sockets.first())
            .map_or(Path::new(path), PathBuf::as_path);
        let directory = target.parent().unwrap_or(Path::new("/"));
        let edit = format!("s|unix:{}\"|unix:{}\"|", old.display(), target.display());
        vec![
            format!(
                "install -d -o mailglot -g postfix -m 2750 {}",
                single_quoted(&directory.display().to_string())
            ),
            format!(
                "sed -i {} {}",
                single_quoted(&edit),
                single_quoted(&self.filter.config().display().to_string())
            ),
            "systemctl restart mailglot".to_owned(),
        ]
    }
}

/// A path without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => (),
            other => plain.push(other),
        }
    }
    plain
}
