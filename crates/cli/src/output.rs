//! Prints errors and summaries on standard error, and results on standard output.
//!
//! # Limits
//!
//! Uses bold, red and yellow only. Widths count characters, not columns.

pub(crate) use crate::visible_text::{visible, visible_lines};

use crate::exit::Failure;
use crate::signals;
use mailglot_gateway::record::{Form, LogWriter, Priority};
use mailglot_pipeline::with_thousands;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// How much the program prints on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Errors only (`-q`).
    Quiet,
    /// Errors and summaries.
    Normal,
    /// Also details (`-v`).
    Verbose,
}

/// Prints on standard error, or to the log of a daemon. Ignores write errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    level: Level,
    color: bool,
}

impl Console {
    /// Creates a console with the level of `-q` and `-v`.
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        let level = match (quiet, verbose) {
            (true, _) => Level::Quiet,
            (false, true) => Level::Verbose,
            (false, false) => Level::Normal,
        };
        Self {
            level,
            color: has_color(&io::stderr()),
        }
    }

    /// Returns how much is printed.
    pub(crate) fn level(self) -> Level {
        self.level
    }

    /// Prints an error at every level. Prints nothing for an empty message.
    pub(crate) fn error(self, message: impl Display) {
        signals::wait_for_end();
        let message = message.to_string();
        if !message.is_empty() {
            signals::note_error();
            let is_json = IS_JSON.get().is_some();
            let name = Style(self.color && !is_json).strong("mailglot:");
            line(Priority::Error, &format!("{name} {}", visible(&message)));
        }
    }

    /// Prints a line that an option requested, at every level.
    #[allow(clippy::unused_self)] // Called like the others.
    pub(crate) fn requested(self, text: impl Display) {
        line(Priority::Info, &text.to_string());
    }

    /// Prints a line unless the level is [`Level::Quiet`].
    pub(crate) fn say(self, text: impl Display) {
        if self.level >= Level::Normal {
            line(Priority::Info, &text.to_string());
        }
    }

    /// Prints a line if the level is [`Level::Verbose`].
    pub(crate) fn explain(self, text: impl Display) {
        if self.level >= Level::Verbose {
            line(Priority::Info, &text.to_string());
        }
    }

    /// Returns the colors for standard error.
    pub(crate) fn style(self) -> Style {
        Style(self.color)
    }
}

/// Writes lines to the log of a daemon, or to standard error. For journald each line begins with its priority. In JSON a text is one object.
fn line(priority: Priority, text: &str) {
    if let Some((log, form)) = LOG.get() {
        log.write(&match form {
            Form::Json => object(priority, text),
            form => prefixed(*form == Form::Journald, priority, text),
        });
    } else {
        let text = if IS_JSON.get().is_some() {
            object(priority, text)
        } else {
            prefixed(is_journal(), priority, text)
        };
        // If standard error is closed, nobody can read the error.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Set if the log of a daemon that starts is JSON.
static IS_JSON: OnceLock<()> = OnceLock::new();

/// Prints messages in the form of the log from now on, although the log is not open yet.
pub(crate) fn expect_log(form: Form) {
    if form == Form::Json {
        IS_JSON.get_or_init(|| ());
    }
}

/// Returns a text as a line of JSON.
fn object(priority: Priority, text: &str) -> String {
    let name = match priority {
        Priority::Error => "error",
        Priority::Warning => "warning",
        Priority::Notice => "notice",
        Priority::Info => "info",
    };
    format!(
        "{}\n",
        serde_json::json!({ "priority": name, "text": text })
    )
}

/// Ends each line of `text`, and puts the priority in front of it for journald.
fn prefixed(is_journal: bool, priority: Priority, text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 4);
    for line in text.split('\n') {
        if is_journal {
            // Writing to memory cannot fail.
            let _ = write!(lines, "<{}>", priority as u8);
        }
        lines.push_str(line);
        lines.push('\n');
    }
    lines
}

/// Returns true if journald reads standard error: `JOURNAL_STREAM` has its device and inode (systemd.exec(5)).
fn is_journal() -> bool {
    static IS_JOURNAL: OnceLock<bool> = OnceLock::new();
    *IS_JOURNAL.get_or_init(|| {
        let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
        !stream.is_empty()
            && io::stderr()
                .as_fd()
                .try_clone_to_owned()
                .and_then(|descriptor| File::from(descriptor).metadata())
                .is_ok_and(|file| format!("{}:{}", file.dev(), file.ino()) == stream)
    })
}

/// The log of a daemon, and its format. Writing to it never waits for its reader.
static LOG: OnceLock<(Arc<LogWriter>, Form)> = OnceLock::new();

/// Opens the log of a daemon on standard error. From now on the log also has everything that [`Console`] prints, and panics.
///
/// # Errors
/// The descriptor of standard error cannot be duplicated.
pub(crate) fn log(form: Form) -> io::Result<Arc<LogWriter>> {
    expect_log(form);
    let log = Arc::new(LogWriter::stderr(form)?);
    let (log, _) = LOG.get_or_init(|| (log, form));
    let log = Arc::clone(log);
    std::panic::set_hook(Box::new(|panic| {
        let trace = Backtrace::capture();
        let trace = if trace.status() == BacktraceStatus::Captured {
            format!("\n{trace}")
        } else {
            String::new()
        };
        line(Priority::Error, &format!("{panic}{trace}"));
    }));
    Ok(log)
}

/// Colors for one stream; none if it is not a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style(bool);

impl Style {
    /// Returns the colors for standard output.
    pub(crate) fn stdout() -> Self {
        Self(has_color(&io::stdout()))
    }

    /// Formats a heading or a name.
    pub(crate) fn strong(self, text: impl Display) -> String {
        self.paint("1", text)
    }

    /// Formats a repair.
    pub(crate) fn repair(self, text: impl Display) -> String {
        self.paint("33", text)
    }

    /// Formats a loss.
    pub(crate) fn loss(self, text: impl Display) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: impl Display) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }
}

/// Returns true for a terminal, unless `NO_COLOR` is set (no-color.org) or `TERM` is `dumb`.
fn has_color(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    stream.is_terminal() && !refused && !dumb
}

/// Appends a path to a line of a table. Control characters become symbols. Bytes that are not UTF-8 stay, so that the path names its file.
pub(crate) fn put_path(path: &Path, line: &mut Vec<u8>) {
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        line.extend_from_slice(visible(chunk.valid()).as_bytes());
        line.extend_from_slice(chunk.invalid());
    }
}

/// Replaces control characters like [`visible`], except line ends and tabs, before it writes to another writer.
#[derive(Debug)]
pub(crate) struct TerminalWriter<W> {
    inner: W,
    /// An incomplete UTF-8 character at the end of the last write.
    held: Vec<u8>,
}

impl<W: Write> TerminalWriter<W> {
    /// Creates a writer in front of `inner`.
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            held: Vec::new(),
        }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.inner.write_all(visible_lines(text).as_bytes())
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut rest = text.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    self.put(valid)?;
                    return Ok(bytes.len());
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    self.put(&String::from_utf8_lossy(valid))?;
                    let Some(length) = error.error_len() else {
                        self.held = bad.to_vec();
                        return Ok(bytes.len());
                    };
                    self.put("\u{fffd}")?;
                    rest = &bad[length..];
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns standard output without line buffering. [`io::stdout`] would search each block for its last line end, and write the rest separately.
pub(crate) fn stdout_in_blocks() -> Result<File, Failure> {
    let descriptor = io::stdout().as_fd().try_clone_to_owned();
    descriptor
        .map(File::from)
        .map_err(|error| Failure::stdout(&error))
}

/// Writes to standard output, and flushes.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text)
        .and_then(|()| out.flush())
        .map_err(|error| Failure::stdout(&error))
}

/// Returns a count with its noun: `1 message`, `2 messages`, `2 losses`.
pub(crate) fn counted(n: u64, what: &str) -> String {
    let ending = match n {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {what}{ending}", with_thousands(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn counts_name_what_they_count() {
        assert_eq!(
            (counted(1, "loss"), counted(0, "message")),
            ("1 loss".into(), "0 messages".into())
        );
        assert_eq!(counted(2000, "loss"), "2,000 losses");
    }

    #[test]
    fn nothing_from_mail_steers_a_terminal() {
        assert_eq!(
            visible("a\u{1b}[31m\r\n\u{9b}\u{202e}"),
            "a␛[31m␍␊\u{fffd}\u{fffd}"
        );
        assert!(matches!(visible("plain ü"), Cow::Borrowed(_)));
        let input = "ü\u{9b}1m\u{1b}]0;x\u{7}\n\ttext".as_bytes();
        for cut in 0..=input.len() {
            let mut out = Vec::new();
            let mut writer = TerminalWriter::new(&mut out);
            writer.write_all(&input[..cut]).unwrap();
            writer.write_all(&input[cut..]).unwrap();
            assert_eq!(
                String::from_utf8(out).unwrap(),
                "ü\u{fffd}1m␛]0;x␇\n\ttext",
                "cut at {cut}"
            );
        }
        let mut out = Vec::new();
        TerminalWriter::new(&mut out).write_all(b"a\xffb").unwrap();
        assert_eq!(out, "a\u{fffd}b".as_bytes());
    }

    #[test]
    fn colors_can_be_left_out() {
        assert_eq!(Style(false).loss("x"), "x");
        assert_eq!(Style(true).loss("x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
