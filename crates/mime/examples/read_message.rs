//! Prints sender, subject, date, texts and attachments of a message: `cargo run --example read_message < message.eml`.
#![allow(clippy::print_stdout, reason = "a program prints")]

use mailglot_mime::Mail;
use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut raw = Vec::new();
    std::io::stdin().read_to_end(&mut raw)?;
    let mail = Mail::parse(&raw);
    println!("Subject: {}", mail.subject().unwrap_or_default());
    for from in mail.from() {
        println!("From: {from}");
    }
    if let Some(date) = mail.date() {
        println!("Date: {date}");
    }
    for text in mail.texts() {
        println!("\n{}", text.as_str());
    }
    for file in mail.attachments() {
        println!("{}: {} bytes", file.safe_name(), file.decoded().len());
    }
    Ok(())
}
