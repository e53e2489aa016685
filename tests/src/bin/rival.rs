//! Reads a mailbox with another mail reader for timing, or compares the results of several readers.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use anyhow::{Context, bail};
use clap::{Parser, ValueEnum};
use mailglot_tests::rival::{Reader, agreement, read_all, split};
use std::fs;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum RivalTask {
    /// Decode everything with mailparse.
    Mailparse,
    /// Decode everything with mail-parser.
    MailParser,
    /// Show that all readers find the same messages, and how many texts they read alike.
    Compare,
    /// Print the size of the largest message in bytes.
    Largest,
}

/// Reads a mailbox with another reader of mail.
#[derive(Parser)]
struct Arguments {
    what: RivalTask,
    mailbox: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mailbox =
        fs::read(&arguments.mailbox).with_context(|| arguments.mailbox.display().to_string())?;
    match arguments.what {
        RivalTask::Mailparse => println!("{:?}", read_all(Reader::Mailparse, &mailbox)),
        RivalTask::MailParser => println!("{:?}", read_all(Reader::MailParser, &mailbox)),
        RivalTask::Largest => println!("{}", split(&mailbox).map(<[u8]>::len).max().unwrap_or(0)),
        RivalTask::Compare => {
            let ours = read_all(Reader::Ours, &mailbox);
            for rival in [Reader::Mailparse, Reader::MailParser] {
                let theirs = read_all(rival, &mailbox);
                if (ours.messages, ours.parts) != (theirs.messages, theirs.parts) {
                    bail!("the readers do not read the same: {ours:?}, {rival:?} {theirs:?}");
                }
                let (all, equal) = agreement(Reader::Ours, rival, &mailbox);
                eprintln!(
                    "{rival:?}: {} messages, {all} text parts, {equal} ({:.1} %) read alike",
                    ours.messages,
                    100.0 * equal as f64 / all as f64
                );
            }
        }
    }
    Ok(())
}
