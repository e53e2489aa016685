//! `mailglot proxy`: one SMTP or LMTP proxy without a configuration file.
//!
//! # Limits
//!
//! It has one next hop. Proxies with others are listeners of `mailglot serve`.

use super::serve::{ConfigSource, DaemonOptions};
use crate::args::ProxyArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::{OneListener, RouteKind};

/// Runs the command.
pub(crate) fn run(args: &ProxyArgs, console: Console) -> Result<Exit, Failure> {
    let route = if args.lmtp {
        RouteKind::Lmtp
    } else {
        RouteKind::Smtp
    };
    let mut listener = OneListener {
        next_hop: Some(args.next_hop.clone()),
        bare_lines: args.bare_lines.map(Into::into),
        ..args.listener.listener(route, &args.listen)
    };
    args.access.open(&mut listener);
    let source = ConfigSource::Options(Box::new(listener));
    let daemon = DaemonOptions {
        source,
        dry_run: args.dry_run,
        allow_root: args.access.allow_root,
    };
    daemon.start(false, console)
}
