//! Raw names in charsets of two bytes a character: no backslash that is the second half of one opens, closes or joins anything.

mod address_lists;
mod message_language;
mod parameters;
#[path = "../../src/random.rs"]
mod random;
mod western;

use mailglot_codec::{Charset, LossLog, Unmappable, View};
use mailglot_mime::encoded_word::{Form, HeaderContext, RewriteTarget};
use mailglot_mime::fields::{Entry, addresses};
use mailglot_mime::header::{self, FieldKind};
use random::Random;

const CHARSETS: [&str; 8] = [
    "Shift_JIS",
    "windows-31J",
    "Big5",
    "Big5-HKSCS",
    "GBK",
    "GB18030",
    "EUC-JP",
    "EUC-KR",
];

fn known(label: &str) -> Charset {
    Charset::for_label(label.as_bytes(), View::Mail)
        .charset()
        .expect("a known label")
}

/// What stands between the mailboxes of a list.
const BETWEEN: [&[u8]; 4] = [b", ", b",", b",\r\n ", b" ,\r\n\t"];

/// Characters of two bytes, those with a backslash for their second byte apart.
fn characters(charset: Charset) -> (Vec<char>, Vec<char>) {
    let (mut halves, mut others) = (Vec::new(), Vec::new());
    for lead in 0x81..=0xFE_u8 {
        for trail in [0x5C, 0x61, 0xA1, 0xB0, 0xC4, 0xE8] {
            let mut log = LossLog::new();
            let pair = [lead, trail];
            let text = charset.decode(&pair, &mut log);
            let mut chars = text.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else {
                continue;
            };
            let back = charset.encode(&text, Unmappable::Skip, &mut log);
            if log.is_empty() && c.is_alphabetic() && *back == pair {
                if trail == 0x5C {
                    halves.push(c);
                } else {
                    others.push(c);
                }
            }
        }
    }
    (halves, others)
}

struct Writer {
    charset: Charset,
    halves: Vec<char>,
    others: Vec<char>,
    random: Random,
}

impl Writer {
    fn new(name: &str, seed: u64) -> Self {
        let charset = known(name);
        let (halves, others) = characters(charset);
        Self {
            charset,
            halves,
            others,
            random: Random(seed),
        }
    }

    /// Returns a name whose bytes are not valid UTF-8. It often contains or follows half a character.
    fn name(&mut self) -> String {
        loop {
            let name = self.any_name();
            if std::str::from_utf8(&self.quoted(&name)).is_err() {
                return name;
            }
        }
    }

    fn any_name(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..=self.random.below(3) {
            let list = if self.random.below(2) == 0 && !self.halves.is_empty() {
                &self.halves
            } else {
                &self.others
            };
            name.push(*self.random.pick(list));
            match self.random.below(12) {
                0 => name.push(' '),
                1 => name.push('x'),
                2 => name.push('"'),
                _ => {}
            }
        }
        name.trim().to_owned()
    }

    /// As a quoted string of a program that sees characters: quotes are quoted, halves are not.
    fn quoted(&self, name: &str) -> Vec<u8> {
        let name = name.replace('"', "\\\"");
        let raw = self
            .charset
            .encode_exact(&name)
            .expect("the charset has every character");
        [b"\"", &*raw, b"\""].concat()
    }
}

/// Names and addresses of a list.
fn read(value: &[u8], context: &HeaderContext) -> Vec<(Option<String>, String)> {
    let list = addresses(value, context, &mut Vec::new());
    let mailbox = |entry| match entry {
        Entry::Mailbox(mailbox) => (mailbox.name, mailbox.address),
        Entry::Group { name, .. } => (Some(name), "a group".to_owned()),
    };
    list.into_iter().map(mailbox).collect()
}

/// What stands between angles with an `@`, in a value without other angles.
fn angles(value: &[u8]) -> Vec<String> {
    let inside = |part: &[u8]| {
        let end = part.iter().position(|b| *b == b'>')?;
        part[..end]
            .contains(&b'@')
            .then(|| String::from_utf8_lossy(&part[..end]).into_owned())
    };
    value
        .split(|b| *b == b'<')
        .skip(1)
        .filter_map(inside)
        .collect()
}

fn rewritten(value: &[u8], kind: FieldKind, form: Form, context: &HeaderContext) -> Vec<u8> {
    let list = header::rewrite(
        value,
        kind,
        RewriteTarget {
            form,
            column: 4,
            eol: "\r\n",
        },
        context,
        &mut Vec::new(),
    );
    header::apply(value, &list)
}
