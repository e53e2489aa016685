//! The rivals as whole programs that read a file and write to standard output, as a program on top of them would.
//!
//! - `convert RIVAL FROM TO FILE`: `encoding-rs`, `encodify` or `mail-parser` converts a file. `TO` or `FROM` is `utf-8`.
//! - `header RIVAL FILE`: `encodify` or `mail-parser` decodes the header values of a file, which NUL ends.
//! - `split FILE`: mail-parser counts the messages of a mailbox.
//! - `mailparse FILE`: mailparse decodes all of a mailbox and writes one hash. `mailparse-texts FILE` writes the texts instead, each as the
//!   number of its message, a tab, the text and NUL.
//!
//! # Limits
//! encoding_rs streams. The others convert whole texts only, so they get pieces of at most 256 KiB that end at a line end.
//! There every charset that is measured is in its initial state.

use crate::contender::encodify_value;
use crate::hash::mix;
use encoding_rs::{CoderResult, Encoding};
use mail_parser::mailbox::mbox::MessageIterator;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::process::ExitCode;

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

/// Runs the program that the words name. Returns None if they name none.
pub fn run(words: &[&str]) -> Option<ExitCode> {
    let result = match *words {
        ["convert", rival, from, to, file] => convert(rival, from, to, file),
        ["header", rival, file] => header(rival, file),
        ["split", file] => split(file),
        ["mailparse", file] => mailparse(file, false),
        ["mailparse-texts", file] => mailparse(file, true),
        _ => return None,
    };
    Some(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", words.join(" "));
            ExitCode::from(2)
        }
    })
}

fn convert(rival: &str, from: &str, to: &str, file: &str) -> io::Result<()> {
    let unknown = || io::Error::other("this rival does not know the charset");
    let encoding = |label: &str| Encoding::for_label(label.as_bytes()).ok_or_else(unknown);
    match (rival, to) {
        ("encoding-rs", "utf-8") => decode_stream(encoding(from)?, file),
        ("encoding-rs", _) => {
            let encoding = encoding(to)?;
            // The standard gives UTF-8 for UTF-16 here.
            if encoding.output_encoding() != encoding {
                return Err(unknown());
            }
            encode_stream(encoding, file)
        }
        ("mail-parser", "utf-8") => {
            let charset = mail_parser::Charset::from_label(from.as_bytes()).ok_or_else(unknown)?;
            pieces(file, from == "utf-16le", |piece, out| out.write_all(charset.decode(piece).as_bytes()))
        }
        ("encodify", "utf-8") if from == "utf-7" => pieces(file, false, |piece, out| {
            out.write_all(encodify::utf7::MAIL.decode_lossy(piece).as_bytes())
        }),
        ("encodify", "utf-7") => pieces(file, false, |piece, out| {
            let text = str::from_utf8(piece).map_err(io::Error::other)?;
            out.write_all(encodify::utf7::MAIL.encode(text).as_bytes())
        }),
        _ => Err(unknown()),
    }
}

/// Reads a file in pieces that end at a line end, and hands each on.
fn pieces(
    file: &str,
    wide: bool,
    mut work: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut input = File::open(file)?;
    let mut out = io::stdout().lock();
    let (mut buffer, mut held) = (vec![0; PIECE], 0);
    loop {
        let read = input.read(&mut buffer[held..])?;
        let filled = held + read;
        let end = if read == 0 { filled } else { line_end(&buffer[..filled], wide) };
        if end > 0 {
            work(&buffer[..end], &mut out)?;
        } else if filled == buffer.len() {
            return Err(io::Error::other("a line is too long"));
        }
        if read == 0 {
            return out.flush();
        }
        buffer.copy_within(end..filled, 0);
        held = filled - end;
    }
}

/// Length of the whole lines at the beginning of a piece; `wide` text has two bytes for each unit, the low one first.
fn line_end(piece: &[u8], wide: bool) -> usize {
    if !wide {
        return memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1);
    }
    let (units, _) = piece.as_chunks::<2>();
    units.iter().rposition(|unit| *unit == *b"\n\0").map_or(0, |at| 2 * (at + 1))
}

fn decode_stream(encoding: &'static Encoding, file: &str) -> io::Result<()> {
    let mut input = File::open(file)?;
    let mut out = io::stdout().lock();
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = vec![0; PIECE];
    let mut text = vec![0; PIECE];
    loop {
        let read = input.read(&mut buffer)?;
        let mut rest = &buffer[..read];
        loop {
            let (result, used, written, _) = decoder.decode_to_utf8(rest, &mut text, read == 0);
            out.write_all(&text[..written])?;
            rest = &rest[used..];
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        if read == 0 {
            return out.flush();
        }
    }
}

fn encode_stream(encoding: &'static Encoding, file: &str) -> io::Result<()> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = vec![0; PIECE];
    pieces(file, false, |piece, out| {
        let mut rest = str::from_utf8(piece).map_err(io::Error::other)?;
        loop {
            let (result, used, written, _) = encoder.encode_from_utf8(rest, &mut bytes, false);
            out.write_all(&bytes[..written])?;
            rest = &rest[used..];
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
    })
}

fn header(rival: &str, file: &str) -> io::Result<()> {
    let values = fs::read(file)?;
    let mut out = io::BufWriter::with_capacity(PIECE, io::stdout().lock());
    for value in values.split_inclusive(|byte| *byte == 0) {
        let value = value.strip_suffix(&[0]).unwrap_or(value);
        match rival {
            "encodify" => out.write_all(encodify_value(value).as_bytes())?,
            "mail-parser" => {
                let parsed = mail_parser::HeaderForm::Text.parse(value);
                out.write_all(parsed.value().as_text().unwrap_or_default().as_bytes())?;
            }
            _ => return Err(io::Error::other("this rival decodes no header values")),
        }
        out.write_all(&[0])?;
    }
    out.flush()
}

fn split(file: &str) -> io::Result<()> {
    let mut count = 0_u64;
    for message in MessageIterator::new(BufReader::with_capacity(PIECE, File::open(file)?)) {
        message?;
        count += 1;
    }
    println!("{count}");
    Ok(())
}

fn mailparse(file: &str, texts: bool) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(PIECE, io::stdout().lock());
    let mut hash = 0;
    let messages = MessageIterator::new(BufReader::with_capacity(PIECE, File::open(file)?));
    for (number, message) in messages.enumerate() {
        let message = message?;
        let Ok(parsed) = mailparse::parse_mail(message.contents()) else { continue };
        let mut open = vec![&parsed];
        while let Some(part) = open.pop() {
            for header in &part.headers {
                hash = mix(hash, header.get_value().as_bytes());
            }
            if part.subparts.is_empty() && part.ctype.mimetype.starts_with("text/") {
                let text = part.get_body().map_or(Cow::Borrowed(""), Cow::Owned);
                hash = mix(hash, text.as_bytes());
                if texts {
                    write!(out, "{number}\t{text}\0")?;
                }
            }
            open.extend(part.subparts.iter().rev());
        }
    }
    if !texts {
        writeln!(out, "{hash:x}")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_behind_the_last_line() {
        assert_eq!(line_end(b"ab\ncd\ne", false), 6);
        assert_eq!(line_end(b"abc", false), 0);
        // The second pair of these bytes is U+0A00, the last is a line end.
        assert_eq!(line_end(b"a\0\0\n\n\0b\0", true), 6);
    }
}
