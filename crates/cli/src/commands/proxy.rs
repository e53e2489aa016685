//! `mailglot proxy`: a daemon between a mail server and its next hop.
//!
//! # Limits
//!
//! It stays in the foreground, as supervisors of services want it.

use super::milter;
use crate::args::ProxyArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::proxy::Route;
use mailglot_gateway::record::{Form, Journal, Metrics};
use mailglot_gateway::{Engine, Limits, Notice, Server};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::thread;

/// Runs the command.
pub(crate) fn run(args: &ProxyArgs, console: Console) -> Result<Exit, Failure> {
    let place = &args.listen;
    let failed = |error: io::Error| Failure::new(Exit::Output, format!("{place}: {error}"));
    // Before the socket appears: who sees it may already end us.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let route = Route {
        lmtp: args.lmtp,
        bare_lines: args.bare_lines.map(Into::into),
        ..Route::to(args.next_hop.clone())
    };
    let name = if args.lmtp { "lmtp" } else { "smtp" };
    let journal = Journal::new(name, Form::Text, Arc::new(Metrics::new()), milter::places::lines);
    let tell = move |notice: &Notice<'_>| journal.tell(notice);
    let proxy =
        Server::proxy(place.clone(), route, Engine::default(), Limits::default(), tell).map_err(failed)?;
    console.say(format_args!("listening at {}", proxy.address().map_err(failed)?));
    let stop = proxy.stopper();
    let handle = signals.handle();
    let watcher = thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            stop.stop();
        }
    });
    let watcher = watcher.map_err(failed)?;
    let served = proxy.run().map_err(failed);
    handle.close();
    // It only waits for signals.
    let _ = watcher.join();
    served.map(|()| Exit::Done)
}
