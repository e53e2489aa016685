//! `mailglot check-mta`: checks whether Postfix's settings keep mail safe beside the filter, and prints commands that correct them.
//!
//! ```text
//! stdin (postconf -x, -Fx, -Px, -M) ─► settings ─► exposure  which service takes mail without the filter
//!                                                ├► chains    what a list of milters says
//!                                                ├► location  where a chrooted smtpd looks for the socket
//!                                                ├► proxies   what names a proxy, and what passes beside it
//!                                                └► loops, fallback_relay  mail that a proxy gets again, or never
//!                                                      └─► Problem { text, commands }
//! ```
//!
//! # Limits
//!
//! `$name` in a value is replaced; conditional expressions (`${name?value}`) are reported as unreadable. Contents of `smtpd_milter_maps` are not read.
//! Without `--config`, the command recognizes the filter by its address, and a wrong socket path by its first directory.
//! Clients in `smtpd_forbid_bare_newline_exclusions` give a note, not a problem: an administrator may list devices that send nothing else.

mod chains;
mod check;
mod exposure;
mod fallback_relay;
mod filter_address;
mod global;
mod location;
mod loops;
mod milters;
mod parameters;
mod problem;
mod proxies;
mod removal;
mod settings;
#[cfg(test)]
mod tests;

use crate::args::CheckMtaArgs;
use crate::exit::{Exit, Failure};
use crate::output::{self, visible_lines};
use check::Check;
use filter_address::FilterAddresses;
use problem::Problem;
use settings::Settings;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &CheckMtaArgs) -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input("standard input", &error))?;
    let settings = Settings::parse(&String::from_utf8_lossy(&bytes));
    if settings.main.is_empty() {
        return Err(Failure::new(
            Exit::Unread,
            "standard input has no settings of Postfix; run `{ postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta`",
        ));
    }
    let filter = match &args.config {
        Some(path) => FilterAddresses::from_config(path, &settings)?,
        None => FilterAddresses::new(&args.address, &settings),
    };
    let check = Check {
        settings: &settings,
        filter: &filter,
        is_socket: &is_socket,
    };
    if args.removal {
        output::print(visible_lines(&removal::report(&check.removal())).as_bytes())?;
        return Ok(Exit::Done);
    }
    let problems = check.problems();
    let text = report(&problems, &check.notes(), settings.has_master());
    output::print(visible_lines(&text).as_bytes())?;
    Ok(if problems.is_empty() {
        Exit::Done
    } else {
        Exit::Usage
    })
}

impl Check<'_> {
    /// Lists what must change before mail is safe.
    fn problems(&self) -> Vec<Problem> {
        let mut problems = self.global_problems(self.settings.main_view());
        problems.extend(self.chain_problems(self.settings.main_view()));
        for service in self.settings.services.keys() {
            let view = self.settings.service_view(service);
            let own = self
                .global_problems(view)
                .into_iter()
                .chain(self.chain_problems(view));
            for problem in own {
                // What main.cf sets was reported for it already, with the same commands.
                if !problems.contains(&problem) {
                    problems.push(Problem {
                        text: format!("{service}: {}", problem.text),
                        ..problem
                    });
                }
            }
        }
        problems.extend(self.location_problems());
        problems.extend(self.loop_problems());
        problems.extend(self.fallback_problems());
        problems.extend(self.exposure_problems());
        problems
    }

    /// Lists what is allowed but deserves a look.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.global_notes();
        notes.extend(self.chain_notes());
        notes.extend(self.location_notes());
        notes.extend(self.exposure_notes());
        notes
    }
}

/// Writes problems with their commands, then notes, then the result. Without master.cf, the result is about main.cf only.
fn report(problems: &[Problem], notes: &[String], has_master: bool) -> String {
    let mut text = String::new();
    // Writing to memory cannot fail.
    for problem in problems {
        let _ = writeln!(text, "{}", problem.text);
        for command in &problem.commands {
            let _ = writeln!(text, "    {command}");
        }
    }
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    if problems.is_empty() {
        text.push_str(if has_master {
            "the settings keep mail safe\n"
        } else {
            "the settings of main.cf keep mail safe; those of master.cf were not checked\n"
        });
    } else if problems.iter().any(|problem| !problem.commands.is_empty()) {
        text.push_str("After these commands:\n    postfix reload\n");
    }
    text
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}
