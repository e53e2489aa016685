//! mail-parser 1.0.1 over a mailbox: its text parts as JSON, or everything decoded into a hash.
//!
//! The JSON is written by `serde_json`, as programs with mail-parser have it, or by the writer of this project: what the reading costs
//! alone.
//!
//! # Limits
//! What it does not know (section numbers as IMAP has them, the charset used, losses) is written as it can be had cheaply.

use crate::hash::mix;
use crate::json;
use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{HeaderValue, MessageBuffers, MessageParser, MessagePart};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

/// Bytes that are read, and written, at once.
const BUFFER: usize = 1 << 20;

/// What is made of a mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// `json`: JSON by `serde_json`.
    Json,
    /// `json-ours`: JSON by the project's own writer.
    JsonOurs,
    /// `decode`: a hash.
    Decode,
}

/// Reads a mailbox.
pub fn read(what: Read, file: &str) -> ExitCode {
    match run(what, file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(what: Read, file: &str) -> io::Result<()> {
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
            if what == Read::Decode {
                for header in part.headers().iter() {
                    hash = value(hash, &header.value());
                }
            }
            if !part.is_text() {
                continue;
            }
            let text = part.text().unwrap_or_default();
            match what {
                Read::Json => line::<Serde>(&name, number, index, &part, &text, &mut out),
                Read::JsonOurs => line::<Ours>(&name, number, index, &part, &text, &mut out),
                Read::Decode => hash = mix(hash, text.as_bytes()),
            }
        }
        buffers = parsed.into_buffers();
        if out.len() >= BUFFER {
            stdout.write_all(&out)?;
            out.clear();
        }
    }
    stdout.write_all(&out)?;
    if what == Read::Decode {
        writeln!(stdout, "{hash:x}")?;
    }
    stdout.flush()
}

/// One part, as `mailglot text --json` prints it.
fn line<W: Writes>(
    file: &[u8],
    message: usize,
    index: usize,
    part: &MessagePart<'_>,
    text: &str,
    out: &mut Vec<u8>,
) {
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
    optional::<W>(charset, out);
    out.extend_from_slice(b",\"used\":");
    optional::<W>(charset, out);
    out.extend_from_slice(b",\"text\":");
    W::lines(text, out);
    out.extend_from_slice(b",\"losses\":[]}\n");
}

fn optional<W: Writes>(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => W::string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Who writes the strings of JSON.
trait Writes {
    /// A string with quotes.
    fn string(text: &str, out: &mut Vec<u8>);

    /// The same, where every line end (CR LF, CR, LF) becomes LF.
    fn lines(text: &str, out: &mut Vec<u8>);
}

struct Serde;

impl Writes for Serde {
    fn string(text: &str, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(out, text);
    }

    fn lines(text: &str, out: &mut Vec<u8>) {
        if memchr::memchr(b'\r', text.as_bytes()).is_none() {
            return Self::string(text, out);
        }
        Self::string(&text.replace("\r\n", "\n").replace('\r', "\n"), out);
    }
}

struct Ours;

impl Writes for Ours {
    fn string(text: &str, out: &mut Vec<u8>) {
        json::string(text, out);
    }

    fn lines(text: &str, out: &mut Vec<u8>) {
        json::lines(text, out);
    }
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
