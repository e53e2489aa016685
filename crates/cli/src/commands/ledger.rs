//! `mailglot ledger`: finds, shows, restores and releases the originals that a gateway keeps.
//!
//! # Limits
//!
//! No command changes the folder. `release` cannot recall the copy that was delivered.

use crate::args::{
    FindArgs, FolderArgs, LedgerCommand, LedgerRestoreArgs, RecordArgs, ReleaseArgs, ShowArgs,
};
use crate::exit::{Exit, Failure};
use crate::output::{Console, counted, print, visible};
use mailglot_archive::ledger::{IndexEntry, LedgerError};
use mailglot_gateway::Reinject;
use mailglot_gateway::ledgers::{Catalog, Found, LedgerRecord, Query, rfc3339};
use mailglot_gateway::proxy::SmtpMessage;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Most records that are listed if an option matches more than one.
const NAMED: usize = 10;

pub(crate) fn run(command: &LedgerCommand, console: Console) -> Result<Exit, Failure> {
    match command {
        LedgerCommand::Find(args) => find(args, console),
        LedgerCommand::Show(args) => show(args, console),
        LedgerCommand::Restore(args) => restore(args, console),
        LedgerCommand::Release(args) => release(args, console),
    }
}

fn find(args: &FindArgs, console: Console) -> Result<Exit, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut failed = None;
    let exit = each(&args.place, &args.query.query(), console, |found| {
        let line = if args.json {
            RecordRow::of(&found.name, &found.entry).line()
        } else {
            line(&found)
        };
        if failed.is_none() {
            failed = out.write_all(line.as_bytes()).err();
        }
    })?;
    match failed.map_or_else(|| out.flush(), Err) {
        Ok(()) => Ok(exit),
        Err(error) => Err(Failure::stdout(&error)),
    }
}

fn show(args: &ShowArgs, console: Console) -> Result<Exit, Failure> {
    let found = one(&args.place, &args.one, console)?;
    let (name, reading) = (found.name, found.reading);
    let entry = &reading.entry;
    if args.raw {
        print(&reading.ledger)?;
        return Ok(found.search);
    }
    let note = serde_json::from_slice::<serde_json::Value>(&reading.note);
    if args.json {
        let note = note.unwrap_or_else(|_| String::from_utf8_lossy(&reading.note).into());
        let object = RecordRow {
            note: Some(note),
            ..RecordRow::of(&name, entry)
        };
        print(object.line().as_bytes())?;
        return Ok(found.search);
    }
    let mut text = String::new();
    let mut row = |key: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<11}{}", visible(key), visible(value));
    };
    row("name", &name);
    row("time", &time(entry));
    row("queue id", &shown(&entry.queue_id));
    row("Message-ID", &shown(&entry.message_id));
    row("sender", &sender(entry));
    row("recipients", &recipients(entry));
    row("bytes", &entry.size.to_string());
    row("BLAKE3", &hex(&entry.blake3));
    // The rows above have these keys already.
    let known = ["msg", "from", "rcpts", "in"];
    if let Ok(serde_json::Value::Object(note)) = note {
        for (key, value) in note
            .iter()
            .filter(|(key, _)| !known.contains(&key.as_str()))
        {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            match key.as_str() {
                // One change per line: offset, old length, new length.
                "replaced" => value
                    .split_whitespace()
                    .for_each(|change| row("replaced", &explained(change, &reading.original))),
                "changed" => value
                    .split_whitespace()
                    .for_each(|part| row("changed", part)),
                _ => row(key, &value),
            }
        }
    }
    print(text.as_bytes())?;
    Ok(found.search)
}

/// Bytes of the original that `show` prints of one change.
const SHOWN: usize = 60;

/// Describes a change of a message in words: `12+3>5` is `at byte 12: 3 bytes, now 5; original: "f\xFCr"`.
fn explained(change: &str, original: &[u8]) -> String {
    let words = || {
        let (offset, lengths) = change.split_once('+')?;
        let (old, new) = lengths.split_once('>')?;
        let mut words = format!("at byte {offset}: {old} bytes, now {new}");
        let start: usize = offset.parse().ok()?;
        let bytes = original.get(start..)?.get(..old.parse().ok()?)?;
        if !bytes.is_empty() {
            let shown = &bytes[..bytes.len().min(SHOWN)];
            let more = if shown.len() < bytes.len() { "…" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(words, "; original: \"{}{more}\"", shown.escape_ascii());
        }
        Some(words)
    };
    words().unwrap_or_else(|| change.to_owned())
}

fn restore(args: &LedgerRestoreArgs, console: Console) -> Result<Exit, Failure> {
    let one = one(&args.place, &args.one, console)?;
    give(
        "restored",
        &one.name,
        args.output.as_deref(),
        &one.reading.original,
        console,
    )?;
    Ok(one.search)
}

/// Writes an original to a file, or to standard output if no file is named.
fn give(
    done: &str,
    name: &str,
    path: Option<&Path>,
    original: &[u8],
    console: Console,
) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
        return print(original);
    };
    write_file(path, original)?;
    let bytes = counted(original.len() as u64, "byte");
    console.say(format_args!("{done} {name} to {}: {bytes}", path.display()));
    Ok(())
}

/// Creates a file that only its owner can read.
fn write_file(path: &Path, original: &[u8]) -> Result<(), Failure> {
    let made = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let written = made.and_then(|mut file| {
        let written = file.write_all(original).and_then(|()| file.sync_all());
        if written.is_err() {
            // An incomplete message is worse than no file.
            let _ = std::fs::remove_file(path);
        }
        written
    });
    written.map_err(|error| Failure::output(path, &error))
}

fn release(args: &ReleaseArgs, console: Console) -> Result<Exit, Failure> {
    let found = one(&args.place, &args.one, console)?;
    let (name, reading) = (found.name, found.reading);
    if found.search != Exit::Done {
        // Mail servers use short queue ids again: another message may match, too.
        return Err(Failure::new(
            found.search,
            format!(
                "nothing was released: {name} matches, and so may a record in a file that could not be read. Look at it with \
                 `mailglot ledger show`, and release it by its name"
            ),
        ));
    }
    if args.output.is_some() {
        give(
            "released",
            &name,
            args.output.as_deref(),
            &reading.original,
            console,
        )?;
        return Ok(Exit::Done);
    }
    let (sender, recipients) = envelope(args, &name, &reading.entry)?;
    let deadline = Instant::now() + Duration::from_secs(args.timeout.into());
    let count = counted(recipients.len() as u64, "recipient");
    let failed = |error: io::Error| Failure::new(Exit::Output, format!("{name}: {error}"));
    if let Some(server) = &args.smtp {
        let message = SmtpMessage {
            sender: &sender,
            recipients: &recipients,
            content: &reading.original,
        };
        let reply = message.send(server, deadline).map_err(failed)?;
        console.say(format_args!(
            "released {name} to {count} by {server}: {}",
            visible(&reply)
        ));
        return Ok(Exit::Done);
    }
    let mut arguments = vec![
        OsString::from("-f"),
        OsString::from_vec(sender),
        OsString::from("--"),
    ];
    arguments.extend(recipients.into_iter().map(OsString::from_vec));
    let reinject = Reinject {
        program: args.sendmail.clone(),
        arguments,
        folder: std::env::temp_dir(),
        deadline,
        verbose: true,
    };
    reinject.run(&reading.original).map_err(failed)?;
    console.say(format_args!("released {name} to {count}"));
    console.say(format_args!(
        "note: {} gives the message to the mail server's filters for local mail; if this gateway is one of them, it changes the message again. \
         --smtp 127.0.0.1:10030 avoids that",
        args.sendmail.display()
    ));
    Ok(Exit::Done)
}

/// Returns the sender and the recipients of a record to release: those that are given, else those of the record.
fn envelope(
    args: &ReleaseArgs,
    name: &str,
    entry: &IndexEntry,
) -> Result<(Vec<u8>, Vec<Vec<u8>>), Failure> {
    let unknown = |what: &str, option: &str| {
        Failure::usage(format!(
            "{name}: the ledger does not have {what}; use {option}"
        ))
    };
    let sender = match (&args.from, &entry.sender) {
        (Some(sender), _) => sender.clone().into_bytes(),
        (None, Some(sender)) => sender.clone(),
        (None, None) => return Err(unknown("the sender", "--from")),
    };
    let recipients = if !args.to.is_empty() {
        let given = args.to.iter();
        given.map(|address| address.clone().into_bytes()).collect()
    } else if entry.has_all_recipients() {
        entry.recipients.clone()
    } else {
        return Err(unknown("every recipient", "--to"));
    };
    Ok((sender, recipients))
}

/// Calls `found` with each matching record, and reports unreadable files.
fn each(
    place: &FolderArgs,
    query: &Query,
    console: Console,
    found: impl FnMut(Found),
) -> Result<Exit, Failure> {
    let folder = &place.folder;
    let failed = |error| Failure::input(folder.display(), &error);
    let catalog = Catalog::open(folder).map_err(failed)?;
    if !catalog.is_ledger().map_err(failed)? {
        return Err(Failure::new(
            Exit::Unread,
            format!(
                "{}: no ledger: the folder has files, but no day such as 2026-11-22; name the folder of `ledger` in the configuration",
                folder.display()
            ),
        ));
    }
    let damaged = catalog.find(query, found).map_err(failed)?;
    for (file, why) in &damaged {
        console.error(format_args!("{}: {why}", folder.join(file).display()));
    }
    Ok(if damaged.is_empty() {
        Exit::Done
    } else {
        Exit::Unread
    })
}

/// The record that the arguments select.
struct SelectedRecord {
    name: String,
    reading: LedgerRecord,
    /// `Exit::Unread` if the search could not read all files, so another record may match.
    search: Exit,
}

/// Reads the record that the arguments select.
fn one(place: &FolderArgs, one: &RecordArgs, console: Console) -> Result<SelectedRecord, Failure> {
    let query = one.query.query();
    let mut search = Exit::Done;
    let name = match &one.name {
        Some(name) => name.clone(),
        None if query == Query::default() => {
            return Err(Failure::usage(
                "name a record, or use --queue-id, --message-id or others",
            ));
        }
        None => {
            let (mut names, mut count) = (Vec::new(), 0_u64);
            search = each(place, &query, console, |found| {
                count += 1;
                if names.len() < NAMED {
                    names.push(found.name);
                }
            })?;
            match (count, names.pop()) {
                (1, Some(name)) => name,
                (0, _) | (_, None) => {
                    let exit = if search == Exit::Done {
                        Exit::Usage
                    } else {
                        search
                    };
                    return Err(Failure::new(exit, "no record matches"));
                }
                (_, Some(last)) => {
                    names.push(last);
                    let more = if count > NAMED as u64 { "\n  …" } else { "" };
                    let words = format!(
                        "{} match; name one:\n  {}{more}",
                        counted(count, "record"),
                        names.join("\n  ")
                    );
                    console.say(words);
                    return Err(Failure::usage("more than one record matches"));
                }
            }
        }
    };
    let failed = |error: &LedgerError| match error {
        LedgerError::Io(error) => Failure::input(&name, error),
        error => Failure::new(Exit::Output, format!("{name}: {error}")),
    };
    let catalog = Catalog::open(&place.folder);
    let catalog = catalog.map_err(|error| Failure::input(place.folder.display(), &error))?;
    let reading = catalog.read(&name).map_err(|error| failed(&error))?;
    Ok(SelectedRecord {
        name,
        reading,
        search,
    })
}

/// Formats a record as tab-separated columns.
fn line(found: &Found) -> String {
    let Found { name, entry } = found;
    let columns = [
        &*time(entry),
        &shown(&entry.queue_id),
        &sender(entry),
        &recipients(entry),
        &entry.size.to_string(),
        &shown(&entry.message_id),
        name,
    ];
    let columns: Vec<_> = columns.into_iter().map(visible).collect();
    columns.join("\t") + "\n"
}

fn time(entry: &IndexEntry) -> String {
    rfc3339(moment(entry))
}

fn moment(entry: &IndexEntry) -> SystemTime {
    UNIX_EPOCH + Duration::from_nanos(entry.time)
}

/// Returns bytes as text, or `-` for empty bytes.
fn shown(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.is_empty() {
        Cow::Borrowed("-")
    } else {
        String::from_utf8_lossy(bytes)
    }
}

fn sender(entry: &IndexEntry) -> Cow<'_, str> {
    match entry.sender.as_deref() {
        None => Cow::Borrowed("-"),
        Some(b"") => Cow::Borrowed("<>"),
        Some(sender) => String::from_utf8_lossy(sender),
    }
}

/// Returns recipients with commas between them, and the number of those that are not listed.
fn recipients(entry: &IndexEntry) -> String {
    let mut all: Vec<_> = entry
        .recipients
        .iter()
        .map(|address| String::from_utf8_lossy(address))
        .collect();
    let more = entry.recipient_count.saturating_sub(all.len() as u64);
    if more > 0 {
        all.push(Cow::Owned(format!("({more} more)")));
    }
    if all.is_empty() {
        "-".to_owned()
    } else {
        all.join(",")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A record in JSON.
#[derive(Serialize)]
struct RecordRow<'a> {
    name: &'a str,
    time: String,
    queue_id: Cow<'a, str>,
    message_id: Cow<'a, str>,
    /// `None` if unknown.
    sender: Option<Cow<'a, str>>,
    recipients: Vec<Cow<'a, str>>,
    recipient_count: u64,
    size: u64,
    blake3: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<serde_json::Value>,
}

impl<'a> RecordRow<'a> {
    fn of(name: &'a str, entry: &'a IndexEntry) -> Self {
        Self {
            name,
            time: time(entry),
            queue_id: String::from_utf8_lossy(&entry.queue_id),
            message_id: String::from_utf8_lossy(&entry.message_id),
            sender: entry.sender.as_deref().map(String::from_utf8_lossy),
            recipients: entry
                .recipients
                .iter()
                .map(|address| String::from_utf8_lossy(address))
                .collect(),
            recipient_count: entry.recipient_count,
            size: entry.size,
            blake3: hex(&entry.blake3),
            note: None,
        }
    }

    fn line(&self) -> String {
        // Strings and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
