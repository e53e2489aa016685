//! `mailglot serve`: runs the daemon with its milters and proxies. `milter` and `proxy` run it with one listener.
//!
//! # Limits
//!
//! Stays in the foreground, as systemd expects. A reload changes policies only. If addresses, limits or ledgers differ, it changes nothing.

mod allocator;
mod inherited_sockets;
mod listeners;
mod new_folders;
mod root_check;
mod supervisor;

use crate::args::{AccessArgs, ServeArgs};
use crate::exit::{Exit, Failure};
use crate::output::{self, Console, counted};
use listeners::RunningListener;
use mailglot_gateway::config::{self, Config, Listener, OneListener, RouteKind, UnusableFolder};
use mailglot_gateway::record::{Metrics, Responder};
use mailglot_gateway::{Address, descriptors};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(args: &ServeArgs, console: Console) -> Result<Exit, Failure> {
    let source = ConfigSource::File {
        path: args.config.clone(),
        listen: None,
    };
    let daemon = DaemonOptions {
        source,
        dry_run: args.dry_run,
        allow_root: args.allow_root,
    };
    daemon.start(args.check_config, console)
}

/// The source of a configuration.
pub(super) enum ConfigSource {
    /// A file; its first milter listens at `listen` if that is given, for the clients that its options allow.
    File {
        path: PathBuf,
        listen: Option<(Address, AccessArgs)>,
    },
    /// The options of one listener.
    Options(Box<OneListener>),
}

/// The options of a daemon.
pub(super) struct DaemonOptions {
    /// The source of its configuration.
    pub(super) source: ConfigSource,
    /// True for a dry run: it reports what it would do, and changes nothing.
    pub(super) dry_run: bool,
    /// True if root may run it.
    pub(super) allow_root: bool,
}

impl DaemonOptions {
    /// Runs all listeners, or only checks their configuration.
    pub(super) fn start(&self, check_only: bool, console: Console) -> Result<Exit, Failure> {
        if check_only {
            return check(&self.load()?, self.allow_root, console);
        }
        self.expect_log();
        let config = self.load()?;
        root_check::check(config.user.as_deref(), self.allow_root)?;
        allocator::fix_mapping_size();
        if let Some(user) = &config.user {
            become_user(user, &config.listeners)?;
        }
        usable(&config.unusable())?;
        // Before the sockets appear, because a program that sees them may already send signals.
        let supervisor =
            supervisor::Supervisor::new().map_err(|error| Failure::system("signals", &error))?;
        let metrics = Arc::new(Metrics::new());
        let form = config.log;
        let needed = |listener: &Listener| {
            descriptors::needed(&listener.limits, listener.route != RouteKind::Milter)
        };
        supervisor::open_more(config.listeners.iter().map(needed).sum(), console);
        let log = output::log(form).map_err(|error| Failure::system("standard error", &error))?;
        let new_folders = new_folders::NewFolders::before(&config);
        let places = listeners::listen(config.listeners.clone(), form, &log, &metrics, console)?;
        if self.dry_run {
            console.say("dry run: no message is changed, tagged or refused for its findings");
        }
        let (stops, threads) = listeners::run(places)?;
        let stops = Arc::new(stops);
        let measured = (Arc::clone(&stops), Arc::clone(&log));
        let refresh =
            move |metrics: &Metrics| listeners::measure(&measured.0, &measured.1, metrics);
        let counted = Arc::clone(&metrics);
        let responder = config
            .metrics
            .map(|address| Responder::start(address, counted, refresh));
        let responder = match responder.transpose() {
            Ok(responder) => responder,
            Err(error) => {
                stops.iter().for_each(RunningListener::stop);
                // The end of the threads removes the sockets.
                listeners::join(threads);
                return Err(Failure::system("metrics", &error));
            }
        };
        new_folders.keep();
        if let Some(responder) = &responder {
            print_metrics_address(responder, console);
        }
        if config
            .listeners
            .iter()
            .any(|listener| listener.route == RouteKind::Milter)
        {
            supervisor::warn(console);
        }
        let ended = || threads.iter().any(std::thread::JoinHandle::is_finished);
        let summarize = || log.write(&metrics.dry_run().lines(form));
        supervisor.run(
            &stops,
            ended,
            || reload(self, &config, &stops, &metrics, console),
            summarize,
        );
        let mut result = Ok(Exit::Done);
        for thread in threads {
            let ended = thread
                .join()
                .unwrap_or_else(|_| Err(std::io::Error::other("its thread panicked")));
            if let Err(error) = ended {
                result = Err(Failure::system("a listener", &error));
            }
        }
        // All messages are counted now.
        log.write(&metrics.dry_run().lines(form));
        log.finish();
        result
    }

    /// Reads the form of the log, even if the rest of the configuration is wrong.
    fn expect_log(&self) {
        let form = match &self.source {
            ConfigSource::File { path, .. } => Config::log_form(path),
            ConfigSource::Options(listener) => Some(listener.log),
        };
        output::expect_log(form.unwrap_or_default());
    }

    /// Reads and checks the configuration.
    fn load(&self) -> Result<Config, Failure> {
        let mut config = load(&self.source)?;
        if self.dry_run {
            config.dry_run();
        }
        Ok(config)
    }
}

/// Checks the configuration, and prints what would prevent a start.
fn check(config: &Config, allow_root: bool, console: Console) -> Result<Exit, Failure> {
    check_owners(config, console)?;
    let root = root_check::refusal(config.user.as_deref(), allow_root);
    let notes = check_folders(config, allow_root)?;
    console.say(format_args!(
        "configuration valid: {}",
        counted(config.listeners.len() as u64, "listener")
    ));
    if let Some(why) = root {
        console.say(format_args!("note: {why}"));
    }
    for note in notes {
        console.say(note);
    }
    Ok(Exit::Done)
}

/// Prints the address of the metrics.
fn print_metrics_address(responder: &Responder, console: Console) {
    let address = responder.address();
    if responder.is_waiting() {
        // Any user can occupy the port, so this must not stop mail.
        console.say(format_args!(
            "metrics: another program holds {address}; waiting for it"
        ));
    } else {
        console.say(format_args!("metrics at {address}"));
    }
}

/// Reads and checks the configuration.
fn load(source: &ConfigSource) -> Result<Config, Failure> {
    let (path, listen) = match source {
        ConfigSource::Options(listener) => {
            // The options of the command line are the configuration.
            return Config::of_one((**listener).clone()).map_err(Failure::configuration);
        }
        ConfigSource::File { path, listen } => (path, listen),
    };
    let mut config = Config::read(path).map_err(|error| Failure::of_configuration(&error))?;
    let Some((address, access)) = listen else {
        return Ok(config);
    };
    let usage = |words: &str| Failure::usage(format!("--listen {address}: {words}"));
    if config
        .listeners
        .iter()
        .any(|listener| listener.address == *address)
    {
        return Err(usage("the file listens there already"));
    }
    let milter = config
        .listeners
        .iter_mut()
        .find(|listener| listener.route == RouteKind::Milter);
    let milter = milter.ok_or_else(|| usage("the file has no milter that could listen there"))?;
    milter.address = address.clone();
    milter.limits.allow_remote = access.allow_remote;
    milter
        .limits
        .client_networks
        .clone_from(&access.client_network);
    milter
        .limits
        .refusal(address, None)
        .map_or(Ok(config), |why| Err(usage(&why)))
}

/// Checks that the user of the file exists. Prints notes about things that this process cannot do, but the daemon must: another user may start it.
fn check_owners(config: &Config, console: Console) -> Result<(), Failure> {
    let me = supervisor::effective_user();
    if let Some(name) = &config.user {
        let (user, _) = config::user(name).map_err(Failure::configuration)?;
        if me != 0 && me != user {
            console.say(format_args!(
                "note: only root, or `{name}`, may start this (user = \"{name}\")"
            ));
        }
    }
    for listener in &config.listeners {
        let group = listener
            .limits
            .socket_group
            .filter(|group| !config::may_give_to(*group));
        if let (Some(group), Address::Unix(_)) = (group, &listener.address) {
            console.say(format_args!(
                "note: {}: only root, or one of the group {group}, may start this",
                listener.address
            ));
        }
    }
    Ok(())
}

/// Checks whether the user who will run the daemon can use the folders of the file. A fault of a folder is a note if another user may
/// run the daemon. That is the user that the file names. If root checks a file without `user`, it is the user of systemd's `User=`.
fn check_folders(config: &Config, allow_root: bool) -> Result<Vec<String>, Failure> {
    let me = supervisor::effective_user();
    let user = config
        .user
        .as_deref()
        .and_then(|name| config::user(name).ok())
        .map(|(user, _)| user);
    if let (Some(name), 0) = (&config.user, me) {
        // Root checks as the user of the file.
        become_user(name, &config.listeners)?;
    }
    let mut faults = config.unusable();
    let is_user = me == 0 || user == Some(me);
    let is_root_of_others = me == 0 && user.is_none() && !allow_root;
    let (mut errors, mut notes) = (Vec::new(), Vec::new());
    if is_root_of_others {
        notes.extend(
            config
                .folders_only_root_can_use()
                .iter()
                .map(|text| format!("note: {text}")),
        );
    }
    for fault in config.unusable_sockets() {
        if fault.may_appear {
            notes.push(format!(
                "note: {}; right if RuntimeDirectory= in the unit makes the folder",
                fault.text
            ));
        } else if fault.other_owner.is_none() {
            // No user could create a socket there.
            errors.push(fault);
        } else {
            faults.push(fault);
        }
    }
    for fault in faults {
        match fault.other_owner {
            Some(owner) if is_root_of_others => notes.push(format!(
                "note: {}; right if user {owner} runs the daemon (User= in the unit)",
                fault.text
            )),
            _ if is_user => errors.push(fault),
            _ => notes.push(format!(
                "note: not for the user of this process: {}",
                fault.text
            )),
        }
    }
    usable(&errors)?;
    Ok(notes)
}

/// Rejects folders that cannot be used.
fn usable(faults: &[UnusableFolder]) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = faults.iter().map(|fault| fault.text.as_str()).collect();
    Err(Failure::configuration(texts.join("; ")))
}

/// Restarts the program (execve) as the user that the file names.
///
/// The new process is also in the groups of its sockets, because only members of a group may assign files to it.
fn become_user(name: &str, listeners: &[Listener]) -> Result<(), Failure> {
    let (user, group) = config::user(name).map_err(Failure::configuration)?;
    let me = supervisor::effective_user();
    if me == user {
        return Ok(());
    }
    if me != 0 {
        return Err(Failure::configuration(format_args!(
            "user: this process may not become `{name}`"
        )));
    }
    let mut arguments = std::env::args_os();
    let program =
        std::env::current_exe().map_err(|error| Failure::system("the program", &error))?;
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let groups: Vec<u32> = listeners
        .iter()
        .filter_map(|listener| listener.limits.socket_group)
        .collect();
    #[cfg(target_os = "linux")]
    config::become_user(user, group, &groups).map_err(|error| Failure::system(name, &error))?;
    #[cfg(not(target_os = "linux"))]
    let (command, _) = (command.gid(group).uid(user), groups);
    // Returns only if it failed.
    let error = command.args(arguments).exec();
    Err(Failure::system(name, &error))
}

/// Reads the policies again, for all listeners or for none. A file that is wrong, or changes what only a restart can change, is rejected.
fn reload(
    daemon: &DaemonOptions,
    running: &Config,
    places: &[RunningListener],
    metrics: &Metrics,
    console: Console,
) {
    if matches!(daemon.source, ConfigSource::Options(_)) {
        console.say("there is no file to be read anew");
        return;
    }
    let config = match daemon.load() {
        Ok(config) => config,
        Err(failure) => {
            metrics.reload_rejected();
            console.error(format_args!(
                "{}; reload rejected: the daemon keeps the old configuration",
                failure.message
            ));
            return;
        }
    };
    let changes = running.needs_start(&config);
    for change in &changes {
        console.error(change);
    }
    if !changes.is_empty() {
        metrics.reload_rejected();
        console.error(
            "reload rejected: the daemon keeps the old configuration; restart it (`systemctl restart mailglot`) to change these values",
        );
        return;
    }
    for listener in &config.listeners {
        let place = places
            .iter()
            .find(|place| place.address == listener.address);
        if let Some(place) = place {
            place.change(listener);
        }
    }
    console.say("policies read anew");
}
