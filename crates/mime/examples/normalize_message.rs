//! Writes a message in UTF-8 to standard output: `cargo run --example normalize_message < message.eml`.
#![allow(clippy::print_stderr, reason = "a program prints")]

use mailglot_mime::{Headers, Mail, Policy, Severity};
use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut raw = Vec::new();
    std::io::stdin().read_to_end(&mut raw)?;
    let policy = Policy::default()
        .headers(Headers::RawUtf8)
        .keep_signed(true);
    let fixed = Mail::parse(&raw).normalize(&policy);
    fixed.write_to(&mut std::io::stdout())?;
    for event in fixed.events() {
        if event.kind.severity() == Severity::Loss {
            eprintln!("lost: {event}");
        }
    }
    eprintln!("{} edits", fixed.edits().len());
    Ok(())
}
