//! Other mail readers, for comparison: mailparse 0.18 and mail-parser 0.11.9.
//!
//! Each reads every message of a mailbox completely: decodes every header value and every text part. The results are hashed, so
//! that the compiler removes nothing.
//!
//! # Limits
//!
//! Splits mailboxes by the simplest rule (`From ` after a blank line), which suits generated ones. Keeps quoted `>From ` lines as
//! they are.

use mail_parser::MimeHeaders;
use mailglot_mime::{Message, Policy, Report, text_parts};
use std::collections::HashMap;

/// A mail reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// This project.
    Ours,
    /// The crate mailparse.
    Mailparse,
    /// The crate mail-parser.
    MailParser,
}

/// Passes every text of a message to a consumer: header values with `false`, text parts with `true`.
pub fn read(reader: Reader, message: &[u8], consume: &mut impl FnMut(bool, &str)) {
    match reader {
        Reader::Ours => ours(message, consume),
        Reader::Mailparse => mailparse(message, consume),
        Reader::MailParser => mail_parser(message, consume),
    }
}

/// Results of reading a mailbox.
#[derive(Clone, Debug, Default)]
pub struct MailboxTotals {
    /// Number of messages.
    pub messages: u64,
    /// Number of text parts.
    pub parts: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// A hash over everything.
    pub hash: u64,
}

/// Reads a whole mailbox.
pub fn read_all(reader: Reader, mailbox: &[u8]) -> MailboxTotals {
    let mut found = MailboxTotals::default();
    let mut hash = 0;
    for message in split(mailbox) {
        found.messages += 1;
        read(reader, message, &mut |part, text| {
            found.parts += u64::from(part);
            found.bytes += text.len() as u64;
            hash = mix(hash, text.as_bytes());
        });
    }
    found.hash = hash;
    found
}

/// Hashes every byte at memory speed, so that hashing hardly affects the timing.
fn mix(hash: u64, bytes: &[u8]) -> u64 {
    let fold =
        |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words
        .iter()
        .fold(fold(hash, bytes.len() as u64), |hash, word| {
            fold(hash, u64::from_le_bytes(*word))
        });
    rest.iter()
        .fold(hash, |hash, byte| fold(hash, u64::from(*byte)))
}

/// Returns the number of text parts that `one` reads, and how many `other` reads alike.
///
/// Ignores line ends and blanks at the end.
pub fn agreement(one: Reader, other: Reader, mailbox: &[u8]) -> (u64, u64) {
    let (mut all, mut equal) = (0, 0);
    for message in split(mailbox) {
        let mut texts: HashMap<String, i64> = HashMap::new();
        read(one, message, &mut |part, text| {
            if part {
                all += 1;
                *texts.entry(plain(text)).or_default() += 1;
            }
        });
        read(other, message, &mut |part, text| {
            if part
                && let Some(left) = texts.get_mut(&plain(text))
                && *left > 0
            {
                *left -= 1;
                equal += 1;
            }
        });
    }
    (all, equal)
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}

/// Splits a mailbox into messages without their separator lines.
pub fn split(mailbox: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = mailbox;
    std::iter::from_fn(move || {
        let start = memchr::memchr(b'\n', rest)? + 1;
        let body = &rest[start..];
        let end = memchr::memmem::find_iter(body, b"\nFrom ")
            .find(|at| body[..*at].ends_with(b"\n") || body[..*at].ends_with(b"\n\r"))
            .map_or(body.len(), |at| at + 1);
        rest = &body[end..];
        Some(&body[..end])
    })
}

fn ours(raw: &[u8], consume: &mut impl FnMut(bool, &str)) {
    let policy = Policy::default();
    let message = Message::parse(raw, &policy.limits);
    for field in message.all_fields() {
        let kind = mailglot_mime::header::field_kind(field.name.of(raw));
        let context = mailglot_mime::encoded_word::HeaderContext::default();
        let value = field.value.of(raw);
        consume(
            false,
            &mailglot_mime::header::decode(value, kind, &context, &mut Vec::new()),
        );
    }
    for part in text_parts(&message, &policy, &mut Report::with_limit(0)) {
        consume(true, part.as_str());
    }
}

fn mailparse(raw: &[u8], consume: &mut impl FnMut(bool, &str)) {
    let Ok(parsed) = mailparse::parse_mail(raw) else {
        return;
    };
    let mut open = vec![&parsed];
    while let Some(part) = open.pop() {
        for header in &part.headers {
            consume(false, &header.get_value());
        }
        if part.subparts.is_empty() && part.ctype.mimetype.starts_with("text/") {
            consume(true, &part.get_body().unwrap_or_default());
        }
        open.extend(part.subparts.iter().rev());
    }
}

fn mail_parser(raw: &[u8], consume: &mut impl FnMut(bool, &str)) {
    let Some(parsed) = mail_parser::MessageParser::default().parse(raw) else {
        return;
    };
    let mut open = vec![&parsed];
    while let Some(message) = open.pop() {
        for part in &message.parts {
            for header in &part.headers {
                match &header.value {
                    mail_parser::HeaderValue::Text(text) => consume(false, text),
                    mail_parser::HeaderValue::TextList(list) => {
                        for text in list {
                            consume(false, text);
                        }
                    }
                    mail_parser::HeaderValue::Address(addresses) => {
                        for address in addresses.iter() {
                            consume(false, address.name.as_deref().unwrap_or_default());
                            consume(false, address.address.as_deref().unwrap_or_default());
                        }
                    }
                    _ => consume(false, header.name.as_str()),
                }
            }
            match &part.body {
                mail_parser::PartType::Text(text) | mail_parser::PartType::Html(text) => {
                    consume(true, text);
                }
                mail_parser::PartType::Message(inner) => open.push(inner),
                mail_parser::PartType::Binary(bytes)
                | mail_parser::PartType::InlineBinary(bytes)
                    if part
                        .content_type()
                        .is_some_and(|found| found.ctype() == "text") =>
                {
                    consume(true, &String::from_utf8_lossy(bytes));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_after_blank_lines_only() {
        let mailbox = b"From a\nSubject: x\n\nFor you\nFrom me\n\nFrom b\nSubject: y\n\n";
        let messages = split(mailbox).collect::<Vec<_>>();
        assert_eq!(messages.len(), 2);
        assert!(messages[1].starts_with(b"Subject: y"));
    }

    #[test]
    fn rivals_read_simple_mail() {
        let mailbox = b"From a\nSubject: =?utf-8?q?=C3=A9?=\nContent-Type: text/plain; charset=iso-8859-1\n\n\xe9t\xe9\n\n";
        for reader in [Reader::Mailparse, Reader::MailParser] {
            let mut texts = Vec::new();
            for message in split(mailbox) {
                read(reader, message, &mut |_, text| {
                    texts.push(text.trim_end().to_owned());
                });
            }
            assert!(
                texts.contains(&"é".to_owned()) && texts.contains(&"été".to_owned()),
                "{reader:?}: {texts:?}"
            );
        }
    }
}
