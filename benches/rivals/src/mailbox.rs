//! mail-parser 1.0.1 over a mailbox: its text parts as JSON, or everything decoded into a hash.
//!
//! # Limits
//! What it does not know (section numbers as IMAP has them, the charset used, losses) is written as it can be had cheaply.

use crate::json;
use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{HeaderValue, MessageBuffers, MessageParser, MessagePart};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

/// Bytes that are read, and written, at once.
const BUFFER: usize = 1 << 20;

/// `json` or `decode`.
pub fn read(what: &str, file: &str) -> ExitCode {
    match run(what == "json", file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(as_json: bool, file: &str) -> io::Result<()> {
    let reader = BufReader::with_capacity(BUFFER, File::open(file)?);
    let mut stdout = io::stdout().lock();
    let (parser, mut buffers) = (MessageParser::new(), MessageBuffers::default());
    let (mut out, mut name) = (Vec::with_capacity(2 * BUFFER), Vec::new());
    json::string(file, &mut name);
    let mut hash = 0_u64;
    for (number, message) in MessageIterator::new(reader).enumerate() {
        let message = message?;
        let Some(parsed) = parser.parse_with(message.contents(), &mut buffers) else { continue };
        for (index, part) in parsed.parts().enumerate() {
            if !as_json {
                for header in part.headers().iter() {
                    hash = value(hash, &header.value());
                }
            }
            if !part.is_text() {
                continue;
            }
            let text = part.text().unwrap_or_default();
            if as_json {
                line(&name, number, index, &part, &text, &mut out);
            } else {
                hash = mix(hash, text.as_bytes());
            }
        }
        buffers = parsed.into_buffers();
        if out.len() >= BUFFER {
            stdout.write_all(&out)?;
            out.clear();
        }
    }
    stdout.write_all(&out)?;
    if !as_json {
        writeln!(stdout, "{hash:x}")?;
    }
    stdout.flush()
}

/// One part, as `mailglot text --json` prints it.
fn line(file: &[u8], message: usize, index: usize, part: &MessagePart<'_>, text: &str, out: &mut Vec<u8>) {
    let media = part.content_type();
    let charset = media.and_then(|media| media.attribute("charset"));
    out.extend_from_slice(b"{\"file\":");
    out.extend_from_slice(file);
    // Writing to a vector cannot fail.
    let _ = write!(out, ",\"message\":{message},\"part\":\"{index}\",\"type\":\"");
    match media {
        Some(media) => {
            out.extend_from_slice(media.ctype().as_bytes());
            out.push(b'/');
            out.extend_from_slice(media.subtype().unwrap_or("plain").as_bytes());
        }
        None => out.extend_from_slice(b"text/plain"),
    }
    out.extend_from_slice(b"\",\"charset\":");
    json::optional(charset, out);
    out.extend_from_slice(b",\"used\":");
    json::optional(charset, out);
    out.extend_from_slice(b",\"text\":");
    json::lines(text, out);
    out.extend_from_slice(b",\"losses\":[]}\n");
}

/// Every text of a header value.
fn value(hash: u64, value: &HeaderValue<'_>) -> u64 {
    match value {
        HeaderValue::Text(text) => mix(hash, text.as_bytes()),
        HeaderValue::TextList(list) => list.iter().fold(hash, |hash, text| mix(hash, text.as_bytes())),
        HeaderValue::Address(list) => list.mailboxes().fold(hash, |hash, mailbox| {
            let hash = mix(hash, mailbox.name().unwrap_or_default().as_bytes());
            mix(hash, mailbox.address().unwrap_or_default().as_bytes())
        }),
        _ => mix(hash, b"?"),
    }
}

/// A hash that reads every byte at the speed of memory.
fn mix(hash: u64, bytes: &[u8]) -> u64 {
    let fold = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash =
        words.iter().fold(fold(hash, bytes.len() as u64), |hash, word| fold(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| fold(hash, u64::from(*byte)))
}
