//! `mailglot milter`: the daemon beside a mail server.
//!
//! # Limits
//!
//! It stays in the foreground, as supervisors of services want it. A reload changes policies; where it listens, and limits, count from
//! the next start.

pub(super) mod log;
mod service;

use crate::args::MilterArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::{self, Config, Listener, Route};
use mailglot_gateway::{Address, Engine, Inherited, Limits, Notice, Server, Stop};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread::{self, JoinHandle};

/// Runs the command.
pub(crate) fn run(args: &MilterArgs, console: Console) -> Result<Exit, Failure> {
    let config = load(args)?;
    if args.check_config {
        console.say(format_args!("the configuration is right: {} to listen at", config.listeners.len()));
        return Ok(Exit::Done);
    }
    if let Some(user) = &config.user {
        become_user(user)?;
    }
    // Before the sockets appear: who sees them may already end us.
    let service = service::Service::new().map_err(|error| system("signals", &error))?;
    let servers = listen(&config, console)?;
    service::warn(console);
    let mut stops = Vec::with_capacity(servers.len());
    for (address, server) in &servers {
        stops.push((address.clone(), server.stopper().map_err(|error| system(address, &error))?));
    }
    let mut threads: Vec<JoinHandle<io::Result<()>>> = Vec::with_capacity(servers.len());
    for (address, server) in servers {
        let thread = thread::Builder::new().name(address.to_string()).spawn(move || server.run());
        match thread {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                for (_, stop) in &stops {
                    stop.stop();
                }
                return Err(system(address, &error));
            }
        }
    }
    let stop_all: Vec<Stop> = stops.iter().map(|(_, stop)| stop.clone()).collect();
    let ended = || threads.iter().any(JoinHandle::is_finished);
    service.run(&stop_all, ended, || reload(args, &stops, console));
    let mut result = Ok(Exit::Done);
    for thread in threads {
        if let Ok(Err(error)) = thread.join() {
            result = Err(system("a listener", &error));
        }
    }
    result
}

/// What the arguments ask for, the file read.
fn load(args: &MilterArgs) -> Result<Config, Failure> {
    let mut config = match &args.config {
        Some(path) => Config::read(path)
            .map_err(|error| Failure::new(Exit::Usage, format!("configuration: {error}")))?,
        None => Config { user: None, listeners: Vec::new(), json_log: false, metrics: None },
    };
    if let Some(address) = &args.listen {
        let first = config.listeners.iter().position(|listener| listener.route == Route::Milter);
        let first = first.map(|at| config.listeners.swap_remove(at));
        let listener = first.unwrap_or_else(|| plain(address));
        config.listeners = vec![Listener { address: address.clone(), ..listener }];
    }
    Ok(config)
}

/// A milter with every default.
fn plain(address: &Address) -> Listener {
    Listener {
        route: Route::Milter,
        address: address.clone(),
        next_hop: None,
        engine: Engine::default(),
        limits: Limits::default(),
        ledger: None,
        quarantine_dir: None,
        charset_out: None,
    }
}

/// Starts anew as the user that the file names.
fn become_user(name: &str) -> Result<(), Failure> {
    let usage = |error: &dyn std::fmt::Display| Failure::new(Exit::Usage, format!("configuration: {error}"));
    let (user, group) = config::user(name).map_err(|error| usage(&error))?;
    let me = service::effective_user();
    if me == user {
        return Ok(());
    }
    if me != 0 {
        return Err(usage(&format_args!("user: this process may not become `{name}`")));
    }
    let mut arguments = std::env::args_os();
    let program = std::env::current_exe().map_err(|error| system("the program", &error))?;
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // It comes back only where it failed.
    let error = command.args(arguments).gid(group).uid(user).exec();
    Err(system(name, &error))
}

/// Takes all places, those that a supervisor listens at already as they are.
fn listen(config: &Config, console: Console) -> Result<Vec<(Address, Server)>, Failure> {
    let mut inherited = service::inherited().map_err(|error| system("inherited sockets", &error))?;
    let mut servers = Vec::with_capacity(config.listeners.len());
    for listener in &config.listeners {
        let place = &listener.address;
        if listener.route != Route::Milter {
            return Err(Failure::new(
                Exit::Usage,
                format!("{place}: `milter` speaks no SMTP or LMTP; `proxy` does"),
            ));
        }
        let tell = |notice: &Notice<'_>| log::tell("milter", notice);
        let (engine, limits) = (listener.engine.clone(), listener.limits.clone());
        let same = |socket: &Inherited| socket.address().is_ok_and(|address| address == *place);
        let server = match inherited.iter().position(same) {
            Some(at) => Server::inherit(inherited.swap_remove(at), engine, limits, tell),
            None => Server::bind(place, engine, limits, tell),
        };
        let server = server.map_err(|error| system(place, &error))?;
        let address = server.address().map_err(|error| system(place, &error))?;
        console.say(format_args!("listening at {address}"));
        servers.push((place.clone(), server));
    }
    if let Some(socket) = inherited.first() {
        let address = socket.address().map_err(|error| system("an inherited socket", &error))?;
        return Err(Failure::new(Exit::Usage, format!("{address}: handed on, and not in the configuration")));
    }
    Ok(servers)
}

/// Reads policies anew; where the file is wrong, those that are there stay.
fn reload(args: &MilterArgs, stops: &[(Address, Stop)], console: Console) {
    if args.config.is_none() {
        return;
    }
    let config = match load(args) {
        Ok(config) => config,
        Err(failure) => {
            console.error(format_args!("{}; what is there stays", failure.message));
            return;
        }
    };
    for (address, stop) in stops {
        match config.listeners.iter().find(|listener| listener.address == *address) {
            Some(listener) => stop.change(listener.engine.clone()),
            None => console.error(format_args!(
                "{address}: no longer in the configuration; it stays until the next start"
            )),
        }
    }
    for listener in &config.listeners {
        if !stops.iter().any(|(address, _)| *address == listener.address) {
            console.error(format_args!(
                "{}: new in the configuration; it counts from the next start",
                listener.address
            ));
        }
    }
    console.say("policies read anew");
}

fn system(place: impl std::fmt::Display, error: &io::Error) -> Failure {
    Failure::new(Exit::Output, format!("{place}: {error}"))
}
