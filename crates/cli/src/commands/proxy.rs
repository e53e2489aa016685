//! `mailglot proxy`: a daemon between a mail server and its next hop.
//!
//! # Limits
//!
//! It stays in the foreground, as supervisors of services want it.

use super::milter::service::open_more;
use crate::args::ProxyArgs;
use crate::exit::{Exit, Failure};
use crate::output::{self, Console};
use mailglot_gateway::proxy::Route;
use mailglot_gateway::record::{Form, Journal, Metrics};
use mailglot_gateway::{Engine, Limits, Notice, Server, descriptors};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::thread;

/// What SIGHUP hears here.
const NO_FILE: &str = "there is no file to be read anew";

/// Runs the command.
pub(crate) fn run(args: &ProxyArgs, console: Console) -> Result<Exit, Failure> {
    let place = &args.listen;
    let failed = |error: io::Error| Failure::new(Exit::Output, format!("{place}: {error}"));
    // Before the socket appears: who sees it may already end us.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(failed)?;
    let route = Route {
        lmtp: args.lmtp,
        bare_lines: args.bare_lines.map(Into::into),
        ..Route::to(args.next_hop.clone())
    };
    let name = if args.lmtp { "lmtp" } else { "smtp" };
    let limits = Limits::default();
    open_more(descriptors::needed(&limits, true), console);
    let log = output::log(Form::Text).map_err(failed)?;
    let out = Arc::clone(&log);
    let journal = Journal::new(name, Form::Text, Arc::new(Metrics::new()), move |lines| out.write(lines));
    let tell = move |notice: &Notice<'_>| journal.tell(notice);
    let proxy = Server::proxy(place.clone(), route, Engine::default(), limits, tell).map_err(failed)?;
    console.say(format_args!("listening at {}", proxy.address().map_err(failed)?));
    let stop = proxy.stopper();
    let handle = signals.handle();
    let watcher = thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if signal != SIGHUP {
                stop.stop();
                break;
            }
            console.say(NO_FILE);
        }
    });
    let watcher = watcher.map_err(failed)?;
    let served = proxy.run().map_err(failed);
    handle.close();
    // It only waits for signals.
    let _ = watcher.join();
    log.finish();
    served.map(|()| Exit::Done)
}
