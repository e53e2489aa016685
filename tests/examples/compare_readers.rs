//! Reads messages with mail-parser or mailparse, for `benches/compare/compare.py`.
//!
//! The argument names the reader. Standard input has messages, each behind its length as eight bytes, big-endian. Each gives a line of
//! JSON: `{"subject", "text"}` or `{"error"}`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use mailparse::MailHeaderMap;
use serde_json::{Value, json};
use std::io::{self, Read};

fn main() -> anyhow::Result<()> {
    let reader = std::env::args().nth(1).unwrap_or_default();
    let mut input = io::stdin().lock();
    let mut head = [0; 8];
    while input.read_exact(&mut head).is_ok() {
        let mut raw = vec![0; usize::try_from(u64::from_be_bytes(head))?];
        input.read_exact(&mut raw)?;
        let found = match reader.as_str() {
            "mail-parser" => mail_parser(&raw),
            "mailparse" => {
                mailparse(&raw).unwrap_or_else(|error| json!({"error": error.to_string()}))
            }
            other => anyhow::bail!("no reader {other}"),
        };
        println!("{found}");
    }
    Ok(())
}

fn mail_parser(raw: &[u8]) -> Value {
    match mail_parser::MessageParser::default().parse(raw) {
        Some(message) => json!({"subject": message.subject(), "text": message.body_text(0)}),
        None => json!({"error": "no message"}),
    }
}

fn mailparse(raw: &[u8]) -> Result<Value, mailparse::MailParseError> {
    let message = mailparse::parse_mail(raw)?;
    let subject = message.headers.get_first_value("Subject");
    Ok(json!({"subject": subject, "text": message.get_body()?}))
}
