//! `mailglot milter`: one milter without a configuration file.
//!
//! # Limits
//!
//! With `--config` it is `mailglot serve`.

use super::serve::{self, Source};
use crate::args::MilterArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::config::Route;

/// Runs the command.
pub(crate) fn run(args: &MilterArgs, console: Console) -> Result<Exit, Failure> {
    let source = match (&args.config, &args.listen) {
        (Some(path), listen) => Source::File { path: path.clone(), listen: listen.clone() },
        (None, Some(address)) => Source::Options(Box::new(args.listener.listener(Route::Milter, address))),
        (None, None) => return Err(Failure::new(Exit::Usage, "--config or --listen is needed".to_owned())),
    };
    serve::run_source(&source, args.check_config, console)
}
