//! `mailglot ls`: lists messages with date, sender and subject.

use super::stats::timed;
use super::summary::{report_left_out, report_unread};
use super::worker_threads::worker_threads;
use crate::args::LsArgs;
use crate::exit::{Exit, Failure};
use crate::output::{Console, visible};
use crate::progress::watched;
use mailglot_mime::fields::Date;
use mailglot_pipeline::{ListOptions, ListedMessage, Progress, list};
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const BUFFER: usize = 1 << 16;
/// Columns of the sender.
const SENDER: usize = 24;

pub(crate) fn run(args: &LsArgs, console: Console) -> Result<Exit, Failure> {
    let inputs = args.inputs.paths()?;
    let options = ListOptions {
        opening: args.opening.opening(),
        selection: args.selection.selection(),
        policy: args.reading.policy(),
        threads: worker_threads(args.threads),
    };
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let table = Table {
        width: rustix::termios::tcgetwinsize(&stdout)
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|width| *width > 0),
        only: match &inputs[..] {
            [input] if !input.is_dir() => Some(input),
            _ => None,
        },
    };
    let mut out = BufWriter::with_capacity(BUFFER, stdout);
    let progress = Progress::default();
    let mut each = |listed: &ListedMessage| {
        if args.json {
            let mut line = serde_json::to_vec(listed)?;
            line.push(b'\n');
            out.write_all(&line)
        } else if args.null {
            let mut address = address(listed).as_bytes().to_vec();
            address.push(0);
            out.write_all(&address)
        } else {
            writeln!(out, "{}", table.line(listed))
        }
    };
    let job = || list(&inputs, &options, &progress, &mut each);
    let job = || timed(args.stats, console, &progress, job);
    // On a terminal no bar may stand in the list.
    let account = if is_terminal {
        job()?
    } else {
        watched(console, &progress, job)?
    };
    out.flush().map_err(|error| Failure::stdout(&error))?;
    let mut worst = Exit::Done;
    report_unread(&account, &mut worst, console);
    report_left_out(&account, &mut worst, console);
    Ok(worst)
}

/// Returns `FILE:N`.
fn address(listed: &ListedMessage) -> OsString {
    let mut address: OsString = listed.archive.as_os_str().to_owned();
    address.push(format!(":{}", listed.message));
    address
}

/// A line for each message.
struct Table<'a> {
    /// Columns of the terminal. None if lines are not cut.
    width: Option<usize>,
    /// The only input, if it is a file. Its own messages need no path; the members of a zip or tar archive do.
    only: Option<&'a PathBuf>,
}

impl Table<'_> {
    /// `    17       81233      4803  2001-05-17 10:30  Jörg <joerg@example.org>  Grüße`
    fn line(&self, listed: &ListedMessage) -> String {
        let first = if self.only.is_some_and(|only| **only == *listed.archive) {
            format!("{:>6}", listed.message)
        } else {
            visible(&format!("{}:{}", listed.file, listed.message)).into_owned()
        };
        let from = cut(&visible(&listed.from), SENDER);
        let padding = " ".repeat(SENDER - from.width().min(SENDER));
        let line = format!(
            "{first}  {:>10}  {:>8}  {:16}  {from}{padding}  {}",
            listed.offset,
            listed.length,
            listed.date.as_ref().map_or_else(String::new, minute),
            visible(listed.subject.as_deref().unwrap_or_default())
        );
        match self.width {
            Some(width) => cut(line.trim_end(), width),
            None => line.trim_end().to_owned(),
        }
    }
}

/// `2001-05-17 10:30`, in the sender's zone.
fn minute(date: &Date) -> String {
    let day = format!("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    format!("{day} {:02}:{:02}", date.hour, date.minute)
}

/// Cuts a text to so many columns; `…` stands for the rest.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used < columns
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns() {
        for (text, columns, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("", 0, ""),
        ] {
            let text = cut(text, columns);
            assert_eq!(text, expected);
            assert!(text.width() <= columns.max(1));
        }
    }
}
