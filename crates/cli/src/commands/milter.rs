//! `mailglot milter`: one milter without a configuration file.
//!
//! # Limits
//!
//! With `--config` it is `mailglot serve`.

use super::serve::{ConfigSource, DaemonOptions};
use crate::args::MilterArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::RouteKind;

/// Runs the command.
pub(crate) fn run(args: &MilterArgs, console: Console) -> Result<Exit, Failure> {
    let source = match (&args.config, &args.listen) {
        (Some(path), listen) => {
            let listen = listen.clone().map(|address| (address, args.access.clone()));
            ConfigSource::File {
                path: path.clone(),
                listen,
            }
        }
        (None, Some(address)) => {
            let mut listener = args.listener.listener(RouteKind::Milter, address);
            args.access.open(&mut listener);
            ConfigSource::Options(Box::new(listener))
        }
        (None, None) => {
            return Err(Failure::usage("--config or --listen is needed"));
        }
    };
    let daemon = DaemonOptions {
        source,
        dry_run: args.dry_run,
        allow_root: args.access.allow_root,
    };
    daemon.start(args.check_config, console)
}
